"""Turn a contract into steps. Pure: no file is opened, no check is named.

Steps are per dataset; parts never appear here: the runner fans row-local steps out over them.
"""

import hashlib
from dataclasses import dataclass, replace

from datacheck.check import Check, Feature, Group, Model, Need, Rounds, Summary
from datacheck.contract.model import Contract
from datacheck.errors import CheckAuthorError

Work = Feature | Summary | Group | Rounds | Check | None  # to derive, summarise, …, measure; None: to load


@dataclass(frozen=True)
class Step:
    """A step, the steps that must be done before it, and what it does with a dataset. `key` is unique and readable.

    `records`: loading keeps the table of that name, too, because some step needs it.
    """

    key: str
    after: tuple[str, ...]
    dataset: str
    work: Work
    records: bool = False


def make_plan(contract: Contract) -> tuple[Step, ...]:
    """The steps of a contract in an order in which they can run; equal features of a dataset appear once."""
    steps = {key: Step(key, (), name, None) for name in contract.datasets for key in [step_key(name, None)]}
    for dataset in contract.datasets.values():
        for check in dataset.checks:
            _add(steps, dataset.name, check, (), set(contract.datasets))
    return tuple(steps.values())


def step_key(dataset: str, work: Work) -> str:
    """A readable, unique name; a digest tells features with other settings apart."""
    match work:
        case None:
            return f"load {dataset}"
        case Check():
            return f"measure {dataset}.{work.name}"
        case Feature():
            return f"derive {dataset} {_label(work)}"
        case Summary():
            return f"summarise {dataset} {_label(work)}"
        case Rounds():
            return f"rounds {dataset} {_label(work)}"
        case Group():
            kept = f" ({', '.join(work.columns)})" if work.columns else ""
            return f"group {dataset} {_label(work.of)} by {work.by}/{work.buckets}{kept}"


def need_step(dataset: str, need: Need) -> str:
    """The key of the step that makes `need` for a step of `dataset`."""
    return step_key(need.of or dataset, None if isinstance(need.table, str) else need.table)


def _label(model: Model) -> str:
    digest = hashlib.sha256(f"{type(model).__module__}.{type(model).__name__} {model!r}".encode()).hexdigest()
    return f"{type(model).__name__}-{digest[:8]}"


def _add(
    steps: dict[str, Step],
    dataset: str,
    work: Feature | Summary | Group | Rounds | Check,
    above: tuple[object, ...],
    known: set[str],
) -> str:
    """Add a step behind those that make what it needs, deepest first; returns its key."""
    after = [step_key(dataset, None)]
    for need in work.needs():
        of, table = need.of or dataset, need.table
        if of not in known:
            raise CheckAuthorError(f"{table!r}: is needed of '{of}', which is no dataset of the contract")
        if table in above:
            raise CheckAuthorError(f"{type(table).__name__}: needs itself")
        if isinstance(table, str):
            loads = step_key(of, None)
            steps[loads] = replace(steps[loads], records=steps[loads].records or table == "records")
            after.append(loads)
        else:
            after.append(_add(steps, of, table, above if isinstance(table, Group) else (*above, table), known))
    key = step_key(dataset, work)
    steps.setdefault(key, Step(key, tuple(dict.fromkeys(after)), dataset, work))
    return key
