"""What people may start from the UI beside `publish`: a validation of one drop, which moves and signs nothing."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.task_runners import ThreadPoolTaskRunner

from datacheck.errors import DatacheckError
from datacheck.registry.publish import Job
from datacheck.registry.registry import Registry
from datacheck.session.options import Options

from .publish import name_of_drop
from .rules import Rulebook, current
from .validate import undone, validated

OUT = Path("datacheck-by-hand")


@flow(
    name="datacheck-validate",
    flow_run_name=name_of_drop,
    task_runner=ThreadPoolTaskRunner(max_workers=os.cpu_count() or 1),  # type: ignore[arg-type]
    persist_result=False,
    log_prints=False,
)
def validate_drop(drop: str, channel: str | None = None) -> State[Any]:
    """Validate a complete drop of a channel, by its name; its report goes to datacheck-by-hand/NAME."""
    try:
        rules = current(channel)
        data, options = _asked(rules, rules.drop(drop))
    except DatacheckError as error:
        return undone(error)
    return validated(rules.contract, data, options)


def _asked(rules: Rulebook, drop: Path) -> tuple[dict[str, str], Options]:
    """The validation that publishing this drop would begin with: of what, and how."""
    gate, registry = rules.gate(drop), Registry(rules.registry)
    job = Job(drop, gate, registry)
    with registry.ledger() as ledger:
        job.find_earlier(ledger)
    return job.data(drop), replace(gate.options, out=OUT / rules.called(drop), nothing_yet=job.nothing_yet)
