"""The publish flow: `datacheck publish` with tasks to look at, artifacts, a pause for a waiver, and a word to people.

The ledger is the truth, not a state of Prefect: a version that it knows is answered without a task, and of several
workers one works. Parameters hold paths, names and env:NAME; keys and addresses never.
"""

import contextlib
import os
from pathlib import Path
from typing import Any, NamedTuple

from prefect import flow, get_client
from prefect.artifacts import create_link_artifact
from prefect.client.schemas.objects import State
from prefect.concurrency.sync import concurrency
from prefect.context import FlowRunContext
from prefect.exceptions import ExternalSignal, FlowPauseTimeout
from prefect.flow_runs import pause_flow_run
from prefect.input import RunInput
from prefect.logging import get_run_logger
from prefect.states import Completed
from prefect.task_runners import ThreadPoolTaskRunner
from pydantic import BaseModel, ConfigDict, Field

from datacheck.errors import UsageError
from datacheck.gate.keys import load_private, read_trust
from datacheck.gate.publish import BusyError, Outcome, Rules
from datacheck.gate.publish import publish as publish_drop
from datacheck.gate.registry import Registry
from datacheck.gate.version import REPORT
from datacheck.options import Options
from datacheck.pipeline import Session
from datacheck.report.model import read_report
from datacheck.report.words import Lang

from .notify import Webhook, message, send
from .validate import INVALID, UNDECIDED, artifact, end, reason, run_plan, shown

PUBLISHED, QUARANTINED, ELSEWHERE = "Published", "Quarantined", "ClaimedElsewhere"
_ASK = (
    "The version is in quarantine: {reason}. An approver can sign a waiver (`datacheck waive {path} …`); "
    "resume with `signed` afterwards, or without it to leave the version where it is."
)


class Waiver(RunInput):
    """What a person answers while the flow waits."""

    signed: bool = Field(description="A waiver was signed with `datacheck waive`; look again.")


class Rulebook(BaseModel):
    """How drops of one registry are judged. Relative paths are relative to where the worker runs."""

    model_config = ConfigDict(extra="forbid")

    registry: Path
    contract: Path
    sign: str = Field(description="The validator's private key: a file, or env:NAME.")
    trust: Path | None = Field(default=None, description="Trusted keys; by default $DATACHECK_TRUST.")
    data: dict[str, str] = Field(default={}, description="Datasets that do not lie in the drop: name → path.")
    dataset: str | None = Field(default=None, description="Which dataset the drop is, if that is not plain.")
    run: dict[str, str] = Field(default={}, description="Settings of the training run, as `--run`.")
    channel: str | None = Field(default=None, description="Which pointer moves; by default the contract's name.")
    strict: bool = False
    lang: Lang = "en"
    limit: str | None = Field(default=None, description="A global concurrency limit of the server for heavy work.")
    wait_for_waiver: int = Field(default=0, ge=0, description="Seconds to wait for a waiver; 0: not at all.")
    webhooks: tuple[Webhook, ...] = ()
    report_url: str | None = Field(default=None, description="Where reports can be read: https://…/{version}.")

    @property
    def title(self) -> str:
        """What the run is about."""
        return shown(f"{self.registry.name} for {self.contract.stem}")


class Publication(Rulebook):
    """One drop to be published."""

    drop: Path

    @property
    def title(self) -> str:
        """The run's name until there is a verdict."""
        return shown(f"{self.contract.stem} {self.drop.name}")


class _Stopped(NamedTuple):
    """The signal that reached the flow while the plan ran."""

    signal: BaseException


@flow(
    name="datacheck-publish",
    flow_run_name="{request.title}",
    task_runner=ThreadPoolTaskRunner(max_workers=os.cpu_count() or 1),  # type: ignore[arg-type]
    persist_result=False,
    log_prints=False,
)
def publish(request: Publication) -> State[Any]:
    """Validate a drop and publish it, or put it into quarantine."""
    try:
        outcome = _publish(request, request.drop)
        _tell(request, outcome)
        if outcome.status == "quarantined" and request.wait_for_waiver:
            outcome = _ask(request, outcome)
        _rename(f"{request.title} {outcome.status}")
    except (KeyboardInterrupt, SystemExit, ExternalSignal):
        raise  # Prefect's own state: Crashed
    except BusyError as error:
        return Completed(name=ELSEWHERE, message=shown(str(error)))
    except BaseException as error:  # noqa: BLE001 - the text of foreign exceptions could hold data
        _rename(f"{request.title} error")
        return end(INVALID if isinstance(error, UsageError) else UNDECIDED, shown(reason(error)))
    return _state(outcome)


def _publish(request: Publication, drop: Path) -> Outcome:
    """Publish through the gate, with the plan as tasks. A signal ends the run properly before it goes on."""
    stopped: list[_Stopped] = []

    def execute(session: Session) -> str | None:
        try:
            with concurrency(request.limit, occupy=1, strict=True) if request.limit else contextlib.nullcontext():
                run_plan(session)
        except (KeyboardInterrupt, ExternalSignal) as signal:
            stopped.append(_Stopped(signal))
            return type(signal).__name__
        return None

    options = Options(strict=request.strict, lang=request.lang, run=request.run)
    data = {**request.data, **({request.dataset: str(drop)} if request.dataset else {})}
    rules = Rules(
        request.contract, load_private(request.sign), read_trust(request.trust), data, request.channel, options
    )
    try:
        return publish_drop(drop, rules, Registry(request.registry), wait=False, execute=execute)
    finally:
        if stopped:
            raise stopped[0].signal


def _ask(request: Publication, outcome: Outcome) -> Outcome:
    """Wait for a person; with a waiver the version is looked at again, where it lies now."""
    asked = _ASK.format(reason=shown(outcome.reason), path=shown(str(outcome.path)))
    try:
        answer = pause_flow_run(
            wait_for_input=Waiver.with_initial_data(description=asked, signed=False), timeout=request.wait_for_waiver
        )
    except FlowPauseTimeout:
        return outcome
    if answer is None or not answer.signed:
        return outcome
    again = _publish(request, outcome.path)
    _tell(request, again)
    return again


def _tell(request: Publication, outcome: Outcome) -> None:
    """The table of findings, the link to the report, the webhooks. Who was told once is not told again."""
    if outcome.known or outcome.status == "interrupted":
        return
    report = read_report(outcome.path / REPORT)
    link = (request.report_url or "").replace("{version}", outcome.version.removeprefix("sha256:"))
    artifact(report, link or str(outcome.path / REPORT / "report.html"))
    if link:
        create_link_artifact(link=link, link_text="report.html", key="datacheck-report")
    for webhook in request.webhooks:
        try:
            refused = send(webhook, message(report, outcome.version, link or str(outcome.path), webhook.lang))
        except UsageError as error:
            refused = str(error)
        if refused:
            get_run_logger().warning("not told: %s", refused)


def _state(outcome: Outcome) -> State[Any]:
    """Green only for what is published."""
    known = ["known: nothing was run"] if outcome.known else []
    told = [*known, *(f"WAIVED: {waiver}" for waiver in outcome.waived), *([outcome.reason] if outcome.reason else [])]
    text = "; ".join([f"version {short(outcome.version)}, ledger entry {outcome.seq}", *map(shown, told)])
    if outcome.status == "published":
        return Completed(name=PUBLISHED, message=text)
    return end(QUARANTINED if outcome.status == "quarantined" else UNDECIDED, text)


def short(version: str) -> str:
    """A version id as people tell it, long enough to be found with `datacheck history`."""
    return version.removeprefix("sha256:")[:12]


def _rename(name: str) -> None:
    """Let the list of runs show the verdict: a failed version must not look green."""
    context = FlowRunContext.get()
    if context is not None and context.flow_run is not None:
        with contextlib.suppress(Exception), get_client(sync_client=True) as client:
            client.update_flow_run(context.flow_run.id, name=name)
