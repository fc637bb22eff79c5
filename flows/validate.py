"""The validation flow: one Prefect task per step of the plan, the same steps that `datacheck run` executes.

Prefect's own cache is off (the store is the cache). What Prefect keeps of a run (parameters, names, messages,
artifacts) holds paths, numbers and masked findings, never data: see `reference` in docs/prefect.md.

Final states: `Completed` (pass or warnings), `ContractFailed` (the data breaks its contract), `CouldNotDecide`
(something could not be measured), `Crashed` (the process died: Prefect's own).
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from prefect import allow_failure, flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.futures import PrefectFuture
from prefect.states import Completed, Failed
from pydantic import BaseModel, ConfigDict

from datacheck.check import Status
from datacheck.execute import Failure
from datacheck.judge import judge_check
from datacheck.pipeline import DEFAULT_OUT, Options, Session
from datacheck.plan import Measure, Step
from datacheck.report.model import Finding, Report
from datacheck.report.words import Lang


class Request(BaseModel):
    """The parameters of a validation: a contract, where its datasets are, where the report goes."""

    model_config = ConfigDict(extra="forbid")

    contract: Path
    data: dict[str, str] = {}
    out: Path = DEFAULT_OUT
    strict: bool = False
    lang: Lang = "en"


class ContractFailedError(Exception):
    """The data breaks its contract, or it could not be decided; one argument, so that it can be pickled."""


def _state(result: Finding) -> State[Any]:
    """A violated check must look violated in the UI, so the task's state carries the status."""
    message = result.error or "; ".join(
        f"{v.name} {_number(v.value)}" for v in result.values if v.status is result.status
    )
    if result.status in (Status.FAIL, Status.ERROR):
        return Failed(name="Violated" if result.status is Status.FAIL else "CouldNotDecide", message=message)
    return Completed(name="Warning" if result.status is Status.WARN else "Completed", message=message)


def _number(value: float | None) -> str:
    return "not measured" if value is None else f"{value:g}"


def _execute(session: Session, step: Step) -> State[Any]:
    outcome = session.engine.execute(step)
    if isinstance(step.work, Measure):
        dataset = session.contract.datasets[step.work.dataset]
        return _state(judge_check(dataset, step.work.check, session.outcome(dataset, step.work.check)))
    if isinstance(outcome, Failure):
        return Failed(name="CouldNotDecide", message=outcome.reason)
    return Completed(message="done")


def _submit(session: Session) -> list[PrefectFuture[Any]]:
    """Submit every step behind those it waits for; a failed one lets its followers say why they did not run."""
    futures: dict[str, PrefectFuture[Any]] = {}
    for step in session.plan:

        @task(name=step.key, task_run_name=step.key, cache_policy=NO_CACHE, persist_result=False)
        def run_step(step: Step = step) -> State[Any]:
            return _execute(session, step)

        before: list[Any] = [allow_failure(futures[key]) for key in step.after]
        futures[step.key] = run_step.submit(wait_for=before, return_state=False)
    return list(futures.values())


def _artifact(report: Report) -> None:
    """A table of all findings: masked, as in the report."""
    rows = [
        {
            "finding": f.id,
            "status": f.status.value,
            "values": "; ".join(f"{v.name}={_number(v.value)}" for v in f.values if not v.slice),
            "rows": f.evidence.rows,
            "first": f.evidence.first[0].at if f.evidence.first else "",
            "error": f.error or "",
        }
        for f in report.findings
    ]
    description = f"{report.contract.name} v{report.contract.version}: **{report.verdict.value}**"
    create_table_artifact(table=rows, key="datacheck-findings", description=description)


@flow(name="datacheck-validate", flow_run_name="validate-{request.contract.stem}", persist_result=False)
def validate(request: Request) -> State[Any]:
    """Run a contract as a Prefect flow; findings equal those of `datacheck run`."""
    options = Options(out=request.out, strict=request.strict, lang=request.lang)
    with Session(request.contract, request.data, options) as session:
        for future in _submit(session):
            future.wait()
        report = session.finish()
    _artifact(report)
    summary = f"{report.verdict.value}: {sum(f.status is Status.FAIL for f in report.findings)} checks failed"
    if report.exit_code == 0:
        return Completed(message=summary)
    name = "ContractFailed" if report.exit_code == 1 else "CouldNotDecide"
    return Failed(name=name, message=summary, data=ContractFailedError(summary))


def main() -> None:
    """`python -m flows.validate CONTRACT --data NAME=PATH`: one run against the configured Prefect server."""
    parser = argparse.ArgumentParser(description="Run one validation flow.")
    parser.add_argument("contract", type=Path)
    parser.add_argument("--data", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    parser.add_argument("--strict", action="store_true")
    given = parser.parse_args()
    data = dict(item.split("=", 1) for item in given.data)
    request = Request(contract=given.contract, data=data, out=given.out, strict=given.strict)
    state = validate(request, return_state=True)
    sys.exit(0 if state.is_completed() else 1 if state.name == "ContractFailed" else 3)


if __name__ == "__main__":
    main()
