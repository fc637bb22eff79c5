"""What people may start from the UI beside `publish`: a validation of one drop, which moves and signs nothing."""

import os
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.task_runners import ThreadPoolTaskRunner

from datacheck.errors import DatacheckError, UsageError
from datacheck.registry.publish import Job
from datacheck.registry.registry import Registry

from .publish import name_of_drop
from .rules import Rulebook, current
from .validate import INVALID, UNDECIDED, Request, end, shown, validated

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
        request = _request(rules, rules.drop(drop))
    except DatacheckError as error:
        return end(INVALID if isinstance(error, UsageError) else UNDECIDED, shown(str(error)))
    return validated(request, rules.engine)


def _request(rules: Rulebook, drop: Path) -> Request:
    """The validation that publishing this drop would begin with."""
    data = Job(drop, rules.gate(drop), Registry(rules.registry)).data(drop)
    return Request(
        contract=rules.contract,
        data=data,
        run=rules.run,
        out=OUT / rules.called(drop),
        strict=rules.strict,
        lang=rules.lang,
    )
