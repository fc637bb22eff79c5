"""Turn a contract into steps. Pure: no file is opened, no check is named.

Steps are per dataset; parts never appear here: the runner fans row-local steps out over them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from datacheck.check import Check, Feature, Group, Model, Need, Summary
from datacheck.contract.load import Contract, Dataset
from datacheck.errors import CheckAuthorError


@dataclass(frozen=True)
class Load:
    """Read the dataset's files into parts of the tables; `records`: some step needs the table of that name."""

    dataset: str
    records: bool = False


@dataclass(frozen=True)
class Derive:
    """Compute a feature for every part of a dataset."""

    dataset: str
    feature: Feature


@dataclass(frozen=True)
class Summarise:
    """Compute one small dataset-wide table."""

    dataset: str
    summary: Summary


@dataclass(frozen=True)
class GroupBy:
    """Partition a feature by key."""

    dataset: str
    group: Group


@dataclass(frozen=True)
class Measure:
    """Run one check."""

    dataset: str
    check: Check


Work = Load | Derive | Summarise | GroupBy | Measure


@dataclass(frozen=True)
class Step:
    """A step, the steps that must be done before it, and what it does. `key` is unique and readable."""

    key: str
    after: tuple[str, ...]
    work: Work


def make_plan(contract: Contract) -> tuple[Step, ...]:
    """The steps of a contract in an order in which they can run; equal features of a dataset appear once."""
    steps: dict[str, Step] = {}
    kept = {need.of or d.name for d in contract.datasets.values() for need in _all_needs(d) if need.table == "records"}
    for dataset in contract.datasets.values():
        _add(steps, Load(dataset.name, records=dataset.name in kept), ())
    for dataset in contract.datasets.values():
        for check in dataset.checks:
            after = _needs(steps, dataset.name, check.needs(), (), set(contract.datasets))
            _add(steps, Measure(dataset.name, check), (f"load {dataset.name}", *after))
    return tuple(steps.values())


def _all_needs(dataset: Dataset) -> Iterator[Need]:
    """What the checks of a dataset need, and what that needs; `of` is named throughout."""
    waiting = [need._replace(of=need.of or dataset.name) for check in dataset.checks for need in check.needs()]
    seen: list[Need] = []
    while waiting:
        need = waiting.pop()
        if need in seen:
            continue
        seen.append(need)
        yield need
        table = need.table
        below = table.needs() if isinstance(table, Feature | Summary) else ()
        below = (Need(table.of),) if isinstance(table, Group) else below
        waiting += [inner._replace(of=inner.of or need.of) for inner in below]


def step_key(work: Work) -> str:
    """A readable, unique name; a digest tells features with other settings apart."""
    match work:
        case Load():
            return f"load {work.dataset}"
        case Measure():
            return f"measure {work.dataset}.{work.check.name}"
        case Derive():
            return f"derive {work.dataset} {_label(work.feature)}"
        case Summarise():
            return f"summarise {work.dataset} {_label(work.summary)}"
        case GroupBy():
            kept = f" ({', '.join(work.group.columns)})" if work.group.columns else ""
            return f"group {work.dataset} {_label(work.group.of)} by {work.group.by}/{work.group.buckets}{kept}"


def need_step(dataset: str, need: Need) -> str:
    """The key of the step that makes `need` for a step of `dataset`."""
    of = need.of or dataset
    match need.table:
        case Feature():
            return step_key(Derive(of, need.table))
        case Summary():
            return step_key(Summarise(of, need.table))
        case Group():
            return step_key(GroupBy(of, need.table))
        case _:
            return step_key(Load(of))


def _label(model: Model) -> str:
    digest = hashlib.sha256(f"{type(model).__module__}.{type(model).__name__} {model!r}".encode()).hexdigest()
    return f"{type(model).__name__}-{digest[:8]}"


def _add(steps: dict[str, Step], work: Work, after: tuple[str, ...]) -> str:
    key = step_key(work)
    steps.setdefault(key, Step(key, tuple(dict.fromkeys(after)), work))
    return key


def _needs(
    steps: dict[str, Step], dataset: str, needs: tuple[Need, ...], above: tuple[object, ...], known: set[str]
) -> list[str]:
    """Add the steps that make `needs`, deepest first; returns their keys."""
    return [_need(steps, need.of or dataset, need, above, known) for need in needs]


def _need(steps: dict[str, Step], dataset: str, need: Need, above: tuple[object, ...], known: set[str]) -> str:
    table = need.table
    if dataset not in known:
        raise CheckAuthorError(f"{table!r}: is needed of '{dataset}', which is no dataset of the contract")
    if table in above:
        raise CheckAuthorError(f"{type(table).__name__}: needs itself")
    load = f"load {dataset}"
    if isinstance(table, Feature):
        inner = _needs(steps, dataset, table.needs(), (*above, table), known)
        return _add(steps, Derive(dataset, table), (load, *inner))
    if isinstance(table, Summary):
        inner = _needs(steps, dataset, table.needs(), (*above, table), known)
        return _add(steps, Summarise(dataset, table), (load, *inner))
    if isinstance(table, Group):
        inner = _needs(steps, dataset, (Need(table.of),), above, known)
        return _add(steps, GroupBy(dataset, table), (load, *inner))
    return load
