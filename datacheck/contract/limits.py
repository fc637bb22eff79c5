"""The limits of a check: percent as parts of one, no bound beyond what a number can be, none that judges nothing."""

import re
from fractions import Fraction
from typing import Any

from datacheck.check import Check, Limit, Metric
from datacheck.contract.reader import ContractReader, Where
from datacheck.i18n.message import Message, joined

_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?[%％]")


def percent_read(kind: type[Check], limits: Any) -> Any:
    """The limits with `50%` as .5 where the number is a part of one; of a count it stays, and is no number."""

    def read(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: read(each) for key, each in value.items()}
        percent = isinstance(value, str) and _PERCENT.fullmatch(value)
        return float(Fraction(percent[1]) / 100) if percent else value

    if not isinstance(limits, dict):
        return limits
    parts = {name for name, metric in kind.metrics.items() if metric.most == 1}
    return {name: read(setting) if name in parts else setting for name, setting in limits.items()}


def senseless(reader: ContractReader, check: Check, where: Where) -> bool:
    """Complain of bounds that are no such number (a share of 3), and of limits that nothing could break.

    `max: 1` with a warning beside it is "only warn", and a slice may be let off; but what judges nothing is a slip.
    """
    found = False
    for name, setting in check.limits.items():
        metric, here = check.metrics[name], (*where, "limits", name)
        sliced: list[tuple[Where, Limit]] = [(("slices", key), limit) for key, limit in setting.slices.items()]
        for inside, limit in [((), setting), *sliced]:
            for bound, value in _written(limit).items():
                why = _out_of_range(metric, value) or (None if inside else _never_broken(metric, setting, bound))
                if why:
                    reader.complain((*here, *inside, bound), why)
                    found = True
    return found


def _written(limit: Limit) -> dict[str, float]:
    names = limit.model_fields_set & set(Limit.model_fields)
    return {name: value for name, value in limit.bounds.items() if name in names}


def _out_of_range(metric: Metric, value: float) -> Message | None:
    least, most = metric.least, metric.most
    if most is not None and value > most:
        why = joined((Message("{value:g} is out of range", value=value), _edge(metric, most, "max")))
        percent = metric.unit == "share" and value <= 100
        return joined((why, Message("did you mean {value:g}?", value=value / 100))) if percent else why
    if least is not None and value < least:
        return joined((Message("{value:g} is out of range", value=value), _edge(metric, least, "min")))
    return None


def _edge(metric: Metric, value: float, bound: str) -> Message:
    unit = metric.unit
    if bound.endswith("max"):
        return (
            Message("a share is at most {most:g}", most=value)
            if unit == "share"
            else Message("this number ({unit}) is at most {most:g}", unit=unit, most=value)
        )
    if unit == "share":
        return Message("a share is never below {least:g}", least=value)
    return Message("this number ({unit}) is never below {least:g}", unit=unit, least=value)


def _never_broken(metric: Metric, setting: Limit, bound: str) -> Message | None:
    """Why a written bound judges nothing: no value is beyond it, nor beyond any other that is written beside it."""
    written = _written(setting)
    edges = {key: metric.most if key.endswith("max") else metric.least for key in written}
    if any(value != edges[key] for key, value in written.items()):
        return None
    edge = _edge(metric, written[bound], bound)
    return Message("a limit that can never be broken; {edge}; null removes a bound", edge=edge)
