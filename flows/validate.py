"""The validation flow: one Prefect task per step of the plan, the same steps that `datacheck run` executes.

Prefect's own cache is off (the store is the cache). What Prefect keeps of a run (parameters, names, messages, the
artifact) holds paths, numbers and masked findings, never data; docs/prefect.md lists it.
"""

import argparse
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from prefect import Task, allow_failure, flow, task
from prefect.artifacts import create_progress_artifact, create_table_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.exceptions import ExternalSignal
from prefect.futures import PrefectFuture
from prefect.states import Completed, Failed
from prefect.task_runners import ThreadPoolTaskRunner
from pydantic import BaseModel, ConfigDict

from datacheck.check import Check, Status
from datacheck.engine.plan import Step
from datacheck.engine.view import Loaded
from datacheck.engine.workers import Failure, guarded
from datacheck.errors import DatacheckError, UsageError
from datacheck.files.versions import IDS
from datacheck.gate.decisions import given as decided
from datacheck.gate.trust import read_trust
from datacheck.i18n.command_line import Parser, chosen
from datacheck.i18n.message import Message, languages
from datacheck.i18n.words import Lang
from datacheck.pii.excerpts import excerpt
from datacheck.report.show import tally, worst_first
from datacheck.session.options import DEFAULT_OUT, Options
from datacheck.session.session import Session
from datacheck.verdict.model import Finding, Report, ValueEntry

# States as the UI shows them. The colour is that of the type: only Completed is green.
PASSED, WARNED, DONE = "Passed", "Warning", "Done"
_STATES = "Violated ContractFailed CouldNotDecide NotRun InvalidRequest".split()
VIOLATED, CONTRACT_FAILED, UNDECIDED, NOT_RUN, INVALID = _STATES
_TELL_EVERY = 3.0  # seconds
ENGINE = "DATACHECK_ENGINE"
_EXIT_CODES = {CONTRACT_FAILED: 1, INVALID: 2}  # any other state that is not Completed: could not decide


class Request(BaseModel):
    """The parameters of a validation: a contract, where its datasets are, settings of the run, where the report goes.

    Relative paths are relative to the working directory of the process that runs the flow. There is no `checks`,
    `graders` or `run_tests` here: who may start a run must not thereby run code of theirs.
    """

    model_config = ConfigDict(extra="forbid")

    contract: Path
    data: dict[str, str] = {}
    run: dict[str, str] = {}
    out: Path = DEFAULT_OUT
    strict: bool = False
    lang: Lang = "en"
    baseline: Path | None = None
    decisions: Path | None = None
    trust: Path | None = None

    @property
    def title(self) -> str:
        """The run's name: which contract, on which drop, as in `sft train=2026-11-20`."""
        drops = [f"{name}={Path(path).name}" for name, path in self.data.items()]
        return " ".join([self.contract.stem, *drops])


class ValidationFailedError(Exception):
    """Raised to a caller of `validate` that did not ask for the state: the data did not pass."""


def shown(text: str) -> str:
    """Messages of ours hold no data, but may name files: those are shown as the report shows them; ids stay whole."""
    return "\n".join(map(shown_line, text.splitlines()))


def shown_line(line: str) -> str:
    """The same of what is one line, as the name of a drop is: a line end in it is written out, so it forges none."""
    pieces = IDS.split(line)
    pieces[::2] = [excerpt(piece, limit=400) if piece else "" for piece in pieces[::2]]
    return "".join(pieces)


def _number(entry: ValueEntry) -> str:
    """A value beside the limits that it was judged by, as in `rate 0.12 (144 of 1200), max 0.03`."""
    shown = "not measured" if entry.value is None else f"{entry.value:.4g}"
    counted = f" ({entry.count} of {entry.of})" if entry.of is not None else ""
    limits = "".join(f", {bound} {limit:g}" for bound, limit in entry.limit.items())
    return f"{entry.name} {shown}{counted}{limits}"


def _numbers(found: Finding) -> str:
    """The values that made the status. Slices are counted, not named: a label is data, and may be a person's name."""
    made_it = [value for value in found.values if value.status is found.status]
    slices = Counter(value.name for value in made_it if value.slice)
    counted = [f"{name} likewise in {n} {'slice' if n == 1 else 'slices'}" for name, n in slices.items()]
    return "; ".join([*(_number(value) for value in made_it if not value.slice), *counted])


def _message(found: Finding) -> str:
    """What a finding came to: its numbers, or why there are none."""
    return shown(str(found.error)) if found.error else _numbers(found)


def _state_of_check(found: Finding, *, strict: bool) -> State[Any]:
    """A violated check must look violated in the UI, so the task's state carries the status."""
    if found.status is Status.ERROR:
        return Failed(name=UNDECIDED, message=_message(found))
    if found.status is Status.FAIL or (strict and found.status is Status.WARN):
        return Failed(name=VIOLATED, message=_message(found))
    return Completed(name=WARNED if found.status is Status.WARN else PASSED, message=_message(found))


def _execute(session: Session, step: Step) -> State[Any]:
    """Do one step in the engine; the engine turns the step's own troubles into a Failure that holds no data."""
    outcome = session.engine.execute(step)
    if isinstance(outcome, Failure):
        return Failed(name=NOT_RUN if outcome.kind == "NotRun" else UNDECIDED, message=shown(str(outcome.reason)))
    if isinstance(step.work, Check):
        found = session.judged(session.contract.datasets[step.dataset], step.work)
        return _state_of_check(found, strict=session.options.strict)
    if isinstance(outcome, Loaded):
        rows, bad = (sum(getattr(f, what) for f in outcome.files) for what in ("rows", "bad"))
        return Completed(name=DONE, message=f"rows: {rows}, unreadable lines: {bad}, files: {len(outcome.files)}")
    return Completed(name=DONE)


def _task(session: Session, step: Step) -> Task[[], State[Any]]:
    """The task of one step. It closes over what it needs, so Prefect sees no arguments."""

    @task(name=step.key, task_run_name=lambda: step.key, cache_policy=NO_CACHE, persist_result=False, log_prints=False)
    def run_step() -> State[Any]:
        return _execute(session, step)

    return run_step


class _Progress:
    """A progress artifact of the run; told again at most every few seconds, because each time asks the server."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.told = time.monotonic()
        self.artifact = cast("UUID", create_progress_artifact(0.0, description=f"{steps} steps"))

    def show(self, done: int) -> None:
        """Say how many steps are done."""
        if done == self.steps or time.monotonic() - self.told > _TELL_EVERY:
            self.told = time.monotonic()
            update_progress_artifact(self.artifact, 100.0 * done / self.steps)


def run_plan(session: Session) -> None:
    """Submit every step behind those it waits for; one that failed lets its followers say why they did not run."""
    futures: dict[str, PrefectFuture[Any]] = {}
    for step in session.plan:
        before = [allow_failure(futures[key]) for key in step.after]
        futures[step.key] = _task(session, step).submit(return_state=False, wait_for=before)
    progress = _Progress(len(futures))
    for done, future in enumerate(futures.values(), start=1):
        future.wait()
        progress.show(done)


def _place(found: Finding) -> str:
    """The first place of a finding, as in `train/a.jsonl:17`, with the file's name masked."""
    if not found.evidence.first:
        return ""
    path, colon, line = found.evidence.first[0].at.rpartition(":")
    return f"{shown(path)}:{line}" if colon and line.isdigit() else shown(found.evidence.first[0].at)


def artifact(report: Report, place: str) -> None:
    """A table of all findings, the worst first: masked, as in the report, which lies at `place` (a link or a path)."""
    table = [
        {
            "status": found.status.value,
            "finding": found.id,
            "places": found.evidence.lines,
            "first place": _place(found),
            "numbers": _message(found),
        }
        for found in worst_first(report)
    ]
    description = f"{report.contract.name} v{report.contract.version}: **{report.verdict.value}** ({_tally(report)})"
    shown_place = f"[{place}]({place})" if "://" in place else f"`{shown(place)}`"
    description += f"\n\nWhere, why and how to mend it: {shown_place}"
    # One key per contract gives its history a page; Prefect allows a-z, 0-9 and dashes only.
    key = re.sub("[^a-z0-9]+", "-", f"datacheck-{report.contract.name}".lower()).strip("-")
    create_table_artifact(table=table, key=key, description=description)


def _tally(report: Report) -> str:
    """How many checks came to what, as in `2 fail, 5 pass`."""
    return ", ".join(f"{count} {status.value}" for status, count in tally(report).items())


def end(name: str, message: str) -> State[Any]:
    """A failed end of a flow; a caller that did not ask for the state gets the message as an exception."""
    return Failed(name=name, message=message, data=ValidationFailedError(message))


@flow(
    name="datacheck-validate",
    flow_run_name="{request.title}",
    # Threads only wait: the work is done in the engine's own processes. (The ignore: the decorator is invariant.)
    task_runner=ThreadPoolTaskRunner(max_workers=os.cpu_count() or 1),  # type: ignore[arg-type]
    persist_result=False,
    log_prints=False,
)
def validate(request: Request) -> State[Any]:
    """Run a contract as a Prefect flow; findings and report equal those of `datacheck run`.

    Where the work is done is for the operator of this process to say.
    """
    try:
        options = Options(
            request.out,
            strict=request.strict,
            engine=os.environ.get(ENGINE, "local"),
            lang=request.lang,
            run=request.run,
            baseline=request.baseline,
            decisions=decided(request.decisions, read_trust(request.trust), ()) if request.decisions else None,
        )
    except DatacheckError as error:
        return undone(error)
    return validated(request.contract, request.data, options)


def undone(error: DatacheckError) -> State[Any]:
    """The end of a flow that cannot begin."""
    return end(INVALID if isinstance(error, UsageError) else UNDECIDED, shown(str(error)))


def validated(contract: Path, data: Mapping[str, str], options: Options) -> State[Any]:
    """What the flow does, within one."""
    try:
        with Session(contract, data, options) as s:
            run_plan(s)
            report = s.finish()
        artifact(report, str(options.out / "report.html"))
    except (KeyboardInterrupt, SystemExit, ExternalSignal):
        raise  # Prefect's own state: Crashed
    except BaseException as error:  # noqa: BLE001 - also polars' panics: their text could hold data
        return end(INVALID if isinstance(error, UsageError) else UNDECIDED, shown(str(reason(error))))
    if report.exit_code:
        return end(CONTRACT_FAILED if report.exit_code == 1 else UNDECIDED, _tally(report))
    return Completed(name=WARNED if report.verdict is Status.WARN else PASSED, message=_tally(report))


def reason(error: BaseException) -> Message:
    """What may be told of an exception: our own words, of any other only its type and place."""
    if isinstance(error, DatacheckError):
        return error.message

    def again(error: BaseException) -> None:
        raise error

    return Message("{reason}", reason=str(guarded(again, error).reason))


def not_run(error: BaseException) -> Message:
    """A flow that no server took."""
    return Message("the flow could not run: {reason}; is PREFECT_API_URL a running server?", reason=reason(error))


def _binding(item: str) -> tuple[str, str]:
    name, _, path = item.partition("=")
    if not (name and path):
        raise argparse.ArgumentTypeError(f"{item}: expected NAME=PATH, as in --data train=drops/2026-11-20")
    return name, path


def main() -> None:
    """`python -m flows.validate CONTRACT --data NAME=PATH`: one run against the configured Prefect server."""
    parser = Parser(lang=chosen(sys.argv[1:], os.environ), description="Run one validation as a Prefect flow.")
    parser.add_argument("contract", type=Path)
    parser.add_argument(
        "--data", type=_binding, action="append", default=[], metavar="NAME=PATH", help="Where a dataset is."
    )
    parser.add_argument(
        "--run", type=_binding, action="append", default=[], metavar="NAME=VALUE", help="A setting of the training run."
    )
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="Folder of the report.")
    parser.add_argument("--strict", action="store_true", help="Warnings count as violations.")
    parser.add_argument("--lang", choices=languages(), default="en", help="Language of the reports.")
    parser.add_argument(
        "--baseline", type=Path, metavar="REPORT", help="An earlier report; only what is new beside it fails."
    )
    parser.add_argument("--decisions", type=Path, metavar="FILE", help="Suppressed rows, allowed values, signed.")
    parser.add_argument("--trust", type=Path, metavar="FILE", help="Trusted keys ($DATACHECK_TRUST).")
    given = vars(parser.parse_args())
    request = Request(**{**given, "data": dict(given["data"]), "run": dict(given["run"])})
    sys.exit(exit_code(request))


def exit_code(request: Request) -> int:
    """Run the flow; exit code as of `datacheck run`: 0 pass, 1 violated, 2 asked wrongly, 3 undecided, 130 Ctrl-C."""
    try:
        state = validate(request, return_state=True)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Exception as error:  # noqa: BLE001 - no server: Python's own exit code 1 would mean "violated"
        sys.stderr.write(f"{not_run(error).said(chosen((), os.environ))}\n")
        return DatacheckError.exit_code
    return 0 if state.is_completed() else _EXIT_CODES.get(str(state.name), DatacheckError.exit_code)


if __name__ == "__main__":
    main()
