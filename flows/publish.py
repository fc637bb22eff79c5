"""The publish flow: `datacheck publish` with tasks to look at, artifacts, a pause for a waiver, and a word to people.

The ledger is the truth, not a state of Prefect: a version that it knows is answered without a task, and of several
workers one works. The only parameters are the names of channel and drop; by what it is judged is not for a request to
say (rules.py).
"""

import contextlib
import os
from pathlib import Path
from typing import Any

from prefect import flow, get_client
from prefect.artifacts import create_link_artifact
from prefect.client.schemas.objects import State
from prefect.concurrency.sync import concurrency
from prefect.context import FlowRunContext
from prefect.exceptions import ExternalSignal, FlowPauseTimeout
from prefect.flow_runs import pause_flow_run
from prefect.input import RunInput
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.states import Completed
from prefect.task_runners import ThreadPoolTaskRunner
from pydantic import Field

from datacheck.errors import UsageError
from datacheck.files.versions import REPORT
from datacheck.i18n.message import Message, joined
from datacheck.registry.publish import BusyError, Outcome
from datacheck.registry.publish import publish as publish_drop
from datacheck.registry.registry import Registry
from datacheck.session.session import Session
from datacheck.verdict.model import read_report

from .notify import message, send
from .rules import NoDropError, Rulebook, current, title
from .validate import INVALID, UNDECIDED, artifact, end, reason, run_plan, shown

PUBLISHED, QUARANTINED, ELSEWHERE = "Published", "Quarantined", "ClaimedElsewhere"
_ASK = (
    "The version is in quarantine: {reason}. An approver can sign a waiver (`datacheck waive {path} …`); "
    "resume with `signed` afterwards, or without it to leave the version where it is."
)


class Waiver(RunInput):
    """What a person answers while the flow waits."""

    signed: bool = Field(description="A waiver was signed with `datacheck waive`; look again.")


def name_of_drop() -> str:
    """The run's name until there is a verdict: contract and drop."""
    drop, channel = str(flow_run.parameters.get("drop")), flow_run.parameters.get("channel")
    return title(lambda rules: f"{rules.contract.stem} {drop}", None if channel is None else str(channel))


@flow(
    name="datacheck-publish",
    flow_run_name=name_of_drop,
    task_runner=ThreadPoolTaskRunner(max_workers=os.cpu_count() or 1),  # type: ignore[arg-type]
    persist_result=False,
    log_prints=False,
)
def publish(drop: str, channel: str | None = None) -> State[Any]:
    """Validate a drop of a channel, by its name, and publish it or put it into quarantine."""
    try:
        rules = current(channel)
        outcome = _publish(rules, rules.drop(drop))
        _tell(rules, outcome)
        if outcome.status == "quarantined" and rules.wait_for_waiver:
            outcome = _ask(rules, outcome)
        _rename(f"{name_of_drop()} {outcome.status}")
    except (KeyboardInterrupt, SystemExit, ExternalSignal):
        raise  # Prefect's own state: Crashed
    except BusyError as error:
        return Completed(name=ELSEWHERE, message=shown(str(error)))
    except BaseException as error:  # noqa: BLE001 - the text of foreign exceptions could hold data
        if isinstance(error, NoDropError) and flow_run.parent_flow_run_id:  # the look that asked has seen it
            return Completed(name=ELSEWHERE, message="another worker has taken it meanwhile")
        _rename(f"{name_of_drop()} error")
        return end(INVALID if isinstance(error, UsageError) else UNDECIDED, shown(str(reason(error))))
    return _state(outcome)


def _publish(rules: Rulebook, drop: Path) -> Outcome:
    """Publish through the gate, with the plan as tasks. A signal ends the run properly before it goes on."""
    stopped: list[BaseException] = []

    def execute(session: Session) -> str | None:
        try:
            with concurrency(rules.limit, occupy=1, strict=True) if rules.limit else contextlib.nullcontext():
                run_plan(session)
        except (KeyboardInterrupt, ExternalSignal) as signal:
            stopped.append(signal)
            return type(signal).__name__
        return None

    try:
        return publish_drop(drop, rules.gate(drop), Registry(rules.registry), wait=False, execute=execute)
    finally:
        if stopped:
            raise stopped[0]


def _ask(rules: Rulebook, outcome: Outcome) -> Outcome:
    """Wait for a person; with a waiver the version is looked at again, where it lies now."""
    asked = _ASK.format(reason=shown(outcome.reason), path=shown(str(outcome.path)))
    try:
        answer = pause_flow_run(
            wait_for_input=Waiver.with_initial_data(description=asked, signed=False), timeout=rules.wait_for_waiver
        )
    except FlowPauseTimeout:
        return outcome
    if answer is None or not answer.signed:
        return outcome
    again = _publish(rules, outcome.path)
    _tell(rules, again)
    return again


def _tell(rules: Rulebook, outcome: Outcome) -> None:
    """The table of findings, the link to the report, the webhooks. Who was told once is not told again."""
    if outcome.known or outcome.status == "interrupted":
        return
    link = _link(rules, outcome)
    artifact(read_report(outcome.path / REPORT), link or str(outcome.path / REPORT / "report.html"))
    if link:
        create_link_artifact(link=link, link_text="report.html", key="datacheck-report")
    for refused in notify(rules, outcome):
        get_run_logger().warning("not told: %s", refused)


def notify(rules: Rulebook, outcome: Outcome) -> list[str | Message]:
    """Post what became of a drop to the webhooks; returns which of them did not take it, and why."""
    if outcome.known or outcome.status == "interrupted":
        return []
    report = read_report(outcome.path / REPORT)
    refused: list[str | Message | None] = []
    for webhook in rules.webhooks:
        where = _link(rules, outcome) or str(outcome.path)
        try:
            refused.append(send(webhook, message(report, outcome.version, where, webhook.lang)))
        except UsageError as error:
            refused.append(error.message)
    return [why for why in refused if why]


def _link(rules: Rulebook, outcome: Outcome) -> str:
    return (rules.report_url or "").replace("{version}", outcome.version.removeprefix("sha256:"))


def _state(outcome: Outcome) -> State[Any]:
    """Green only for what is published."""
    text = str(said(outcome))
    if outcome.status == "published":
        return Completed(name=PUBLISHED, message=text)
    return end(QUARANTINED if outcome.status == "quarantined" else UNDECIDED, text)


def said(outcome: Outcome) -> Message:
    """What became of a drop, in a line."""
    line = Message("version {version}, ledger entry {entry}", version=short(outcome.version), entry=outcome.seq)
    told = [Message("WAIVED: {waiver}", waiver=shown(waiver)) for waiver in outcome.waived]
    told += [Message("{reason}", reason=shown(outcome.reason))] if outcome.reason else []
    told += outcome.idle
    return joined([line, *([Message("known: nothing was run")] if outcome.known else []), *told])


def short(version: str) -> str:
    """A version id as people tell it, long enough to be found with `datacheck history`."""
    return version.removeprefix("sha256:")[:12]


def _rename(name: str) -> None:
    """Let the list of runs show the verdict: a failed version must not look green."""
    context = FlowRunContext.get()
    if context is not None and context.flow_run is not None:
        with contextlib.suppress(Exception), get_client(sync_client=True) as client:
            client.update_flow_run(context.flow_run.id, name=name)
