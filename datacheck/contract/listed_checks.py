"""The checks that a dataset lists, each with its settings and limits, and those that always run."""

import math
import re
from typing import Any

from pydantic import ValidationError

from datacheck.check import Check, Limit
from datacheck.contract.discover import always_names, check_class, check_names
from datacheck.contract.limits import percent_read, senseless
from datacheck.contract.model import is_name, reaches
from datacheck.contract.reader import ContractReader, Where
from datacheck.errors import near, unknown
from datacheck.i18n.message import Message
from datacheck.i18n.wrong_values import wrong_value
from datacheck.loading import benchmarks

_ID = re.compile(r"\w[\w.-]*")
_SHOWN = 3  # known files of a benchmark that an error names


def dataset_checks(reader: ContractReader, raw: list[Any], described: dict[str, Any], where: Where) -> list[Check]:
    """The listed checks, then those that always run."""
    checks: list[Check] = []
    for index, item in enumerate(raw):
        here = (*where, "checks", index)
        settings = {"check": item} if isinstance(item, str) else item
        check = _one_check(reader, settings, described, here)
        if check is not None:
            checks.append(check)
    listed = {_kind(item) for item in raw}
    for name in always_names():
        kind = check_class(name)
        if name not in listed and not reader.problems and kind.always(described):
            checks.append(kind.model_validate({**kind.implied(described), "check": name}))
    return checks


def _kind(item: Any) -> str:
    return str(item.get("check")) if isinstance(item, dict) else str(item)


def _as_item(settings: Any) -> Message:
    """How an item of the list of checks is written."""
    name, own = next(iter(settings.items())) if isinstance(settings, dict) and settings else (None, None)
    if name not in check_names():
        return Message("expected the name of a check, as `- check: NAME`")
    if own is None:
        return Message("expected the name of a check; write `- {name}`", name=str(name))
    return Message("the name stands beside the settings; write `- {example}`", example=f"{{check: {name}, …}}")


def _one_check(reader: ContractReader, settings: Any, described: dict[str, Any], where: Where) -> Check | None:
    if not isinstance(settings, dict) or not isinstance(settings.get("check"), str):
        reader.complain(where, _as_item(settings))
        return None
    try:
        kind = check_class(settings["check"])
    except KeyError:
        reader.complain((*where, "check"), unknown("check", settings["check"], check_names()))
        return None
    settings = {**settings, "limits": percent_read(kind, settings["limits"])} if "limits" in settings else settings
    check = reader.model(kind, {**kind.implied(described), **settings}, where)
    if check is None:
        return None
    if check.id is not None and not is_name(check.id, _ID):
        reader.complain((*where, "id"), "expected letters, digits, _ - . (at most 100 bytes)")
    limits = _limits(reader, check, (*where, "limits"))
    if limits is None:
        return None
    if not senseless(reader, check, where) and not any(limit.bounds for limit in limits) and not check.is_suspicion:
        reader.complain(
            where, "no limit, so it could never fail; set one under limits: ({known})", known=", ".join(check.metrics)
        )
    _relations(reader, check, described["labels"], where)
    return check


def _limits(reader: ContractReader, check: Check, where: Where) -> list[Limit] | None:
    """The limits of each number and slice; None, with a complaint, where there is no such number or bound."""
    for metric in check.limits:
        if metric not in check.metrics:
            reader.complain((*where, metric), unknown("metric", metric, check.metrics))
            return None
        if metric not in check.promised():
            reader.complain((*where, metric), "with these settings this number is not measured")
    try:
        limits = [check.limit(m, s) for m in check.metrics for s in _slices(check, m)]
    except ValidationError as errors:
        reader.complain(where, wrong_value(errors.errors(include_input=False)[0]))
        return None
    if not all(math.isfinite(bound) for limit in limits for bound in limit.bounds.values()):
        reader.complain(where, "a bound must be a finite number; null removes a bound")
        return None
    return limits


def _slices(check: Check, metric: str) -> list[str | None]:
    setting = check.limits.get(metric)
    return [None, *setting.slices] if setting else [None]


def _relations(reader: ContractReader, check: Check, labels: list[str] | None, where: Where) -> None:
    """The other datasets and the label that a check speaks of must exist; None: the labels are not known."""
    for other in reaches(check):
        if other == where[1]:
            reader.complain(where, "'{other}' is this dataset itself; name another one", other=other)
        if other not in reader.datasets:
            what = _absent_benchmark(other) or unknown("dataset", other, reader.datasets)
            reader.complain(where, "'{other}': {what}", other=other, what=what)
    if check.by is not None and labels is not None and check.by not in labels:
        hint = near(check.by, labels) if labels else Message("name one under source.columns")
        reader.complain((*where, "by"), "'{by}' is not a label of this dataset; {hint}", by=check.by, hint=hint)


def _absent_benchmark(name: str) -> Message | None:
    """How to give the files of a benchmark that a check names and the contract does not have."""
    known = benchmarks.named(name)
    if not known:
        return None
    listed = ", ".join(f"{each.sha256} ({each.rows:,})" for each in known[:_SHOWN])
    more = len(known) - _SHOWN
    files = Message("{listed} and {more:,} more", listed=listed, more=more) if more > 0 else listed
    return Message(
        "no dataset of this contract; give its file: --data {name}=PATH. "
        "Known files of {title}, by sha256 (rows): {files}",
        name=name,
        title=known[0].name,
        files=files,
    )
