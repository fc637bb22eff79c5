"""Compare a run with an earlier one, so that only what is new fails.

A place is known if the same check found the same problem in the same record (not: on the same line) in the baseline,
and at least as often. A number is known if it is no worse than it was. A finding is known if all its places and all
its numbers beyond a limit are: then a `fail` becomes a `warn`, and says so. An `error` is never touched, and a check
with other settings, or data that is read in another way, is never compared.
"""

import hashlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

from datacheck.check import Status
from datacheck.contract.model import Contract
from datacheck.errors import UsageError
from datacheck.status import NotKnown
from datacheck.verdict.model import (
    BaselineEntry,
    BaselineValue,
    Comparison,
    Finding,
    Place,
    Report,
    ValueEntry,
    read_report,
)

_COMPARED = (Status.FAIL, Status.WARN)
_IDENTITY = ["problem", "record"]
_VALUE = set(BaselineValue.model_fields)
_EXAMPLES = 20  # new places that stand in report.json
_DAY = "as_of"  # a setting that is another one every day; it alone makes no other check


class Baseline:
    """An earlier report, to compare findings with; knows the digest of every file of it that was used.

    Raises UsageError where the folder holds no report, or one whose evidence does not say which records it speaks of.
    """

    def __init__(self, folder: Path, contract: Contract) -> None:
        self.folder = folder
        self.report = read_report(folder)
        self.findings = {finding.id: finding for finding in self.report.findings}
        self.sources = {name: dataset.source.how_read() for name, dataset in contract.datasets.items()}
        self.inputs = {"baseline/report.json": _sha256(folder / "report.json")}
        for finding in self.report.findings:
            self._places(finding.id)  # a report that is not whole is told before anything is measured

    def compare(self, finding: Finding, evidence: Path | None) -> Finding:
        """Return the finding as it counts beside the baseline.

        Args:
            finding: judged by its limits; only `fail` and `warn` are compared.
            evidence: the Parquet file of its places.

        """
        if finding.status not in _COMPARED:
            return finding
        old = self.findings.get(finding.id)
        reason = self._incomparable(finding, old)
        table = None
        if evidence is not None and finding.evidence.lines:
            table = self.marked(finding.id, evidence, comparable=reason is None)
        total = table.height if table is not None else 0
        new = int((~table["known"]).sum()) if table is not None else 0
        broken = [value for value in finding.values if value.status in _COMPARED]
        before = {_name(value): value for value in old.values} if old is not None and reason is None else {}
        if reason is None:
            worse = not all(_no_worse(value, before.get(_name(value))) for value in broken)
            reason = "new_places" if new else "worse" if worse else None
        known = reason is None
        comparison = Comparison(
            judged=finding.status,
            known=known,
            places_known=total - new,
            places_new=new,
            reason=reason,
            values=tuple(
                BaselineValue(**before[_name(v)].model_dump(include=_VALUE)) for v in broken if _name(v) in before
            ),
        )
        update: dict[str, Any] = {"baseline": comparison, "status": Status.WARN if known else finding.status}
        if new and table is not None:
            first = tuple(_new_places(finding.dataset, table))
            update["evidence"] = finding.evidence.model_copy(update={"first": first})
        return finding.model_copy(update=update)

    def marked(self, finding: str, evidence: Path, *, comparable: bool = True) -> pl.DataFrame:
        """The places of a finding with `known`: whether the baseline has the place too.

        A record that is found more often than in the baseline is new from then on, in file order.
        """
        table = pl.read_parquet(evidence, glob=False)
        if not comparable:
            return table.with_columns(known=pl.lit(value=False))
        name = f"evidence/{finding}.parquet"
        if self.findings[finding].evidence.lines:
            self.inputs[f"baseline/{name}"] = _sha256(self.folder / name)
        before = self._places(finding).group_by(_IDENTITY).agg(pl.len().alias("_before"))
        nth = pl.int_range(pl.len()).over(_IDENTITY)
        counted = table.with_columns(nth.alias("_nth")).join(before, on=_IDENTITY, how="left", maintain_order="left")
        known = (pl.col("_nth") < pl.col("_before")).fill_null(value=False)
        return counted.with_columns(known=known).drop("_nth", "_before")

    def comparable(self, finding: Finding) -> bool:
        """Whether the baseline measured the same in the same way."""
        return self._incomparable(finding, self.findings.get(finding.id)) is None

    def stamp(self, report: Report) -> Report:
        """The report with what it was compared with, and the digests of all that decided it."""
        entry = BaselineEntry(
            sha256=self.inputs["baseline/report.json"],
            contract=self.report.contract,
            verdict=self.report.verdict,
            versions={name: dataset.version for name, dataset in self.report.datasets.items()},
        )
        inputs = dict(sorted({**report.inputs, **self.inputs}.items()))
        return report.model_copy(update={"baseline": entry, "inputs": inputs})

    def _incomparable(self, finding: Finding, old: Finding | None) -> NotKnown | None:
        if old is None or old.check != finding.check:
            return "absent"
        if old.status is Status.ERROR:
            return "undecided"
        entry = self.report.datasets.get(finding.dataset)
        if _settings(old) != _settings(finding) or entry is None or entry.source != self.sources[finding.dataset]:
            return "measured_differently"
        return None

    def _places(self, finding: str) -> pl.DataFrame:
        """`problem`, `record` of all places that the baseline has for a finding."""
        old = self.findings[finding]
        if not old.evidence.lines:
            return pl.DataFrame(schema=dict.fromkeys(_IDENTITY, pl.String))
        path = self.folder / "evidence" / f"{finding}.parquet"
        with UsageError.instead(
            (OSError, pl.exceptions.PolarsError),
            "{path}: does not say which records it speaks of; expected a report folder of this version, whole",
            path=path,
        ):
            table = pl.read_parquet(path, columns=_IDENTITY, glob=False)
        if table.height != old.evidence.lines:
            raise UsageError("{path}: holds other places than the report of the baseline counts", path=path)
        return table.drop_nulls()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _settings(finding: Finding) -> dict[str, Any]:
    return {name: value for name, value in finding.settings.items() if name != _DAY}


def _name(value: ValueEntry) -> tuple[str, tuple[tuple[str, str], ...]]:
    return value.name, tuple(sorted(value.slice.items()))


def _no_worse(value: ValueEntry, old: ValueEntry | None) -> bool:
    """Whether a number beyond a limit has not moved further; of a share also: whether no more rows are to blame.

    A smaller drop with the same bad rows has a higher share of them, and nothing new.
    """
    if old is None or old.value is None or value.value is None:
        return False
    new, before = _exact(value), _exact(old)
    above, below = _broken(new, value.limit)
    hits = misses = False
    if (now := _counts(value)) and (then := _counts(old)):
        hits, misses = now[0] <= then[0], now[1] - now[0] <= then[1] - then[0]
    return (not above or new <= before or hits) and (not below or new >= before or misses)


def _counts(value: ValueEntry) -> tuple[int, int] | None:
    return (value.count, value.of) if value.count is not None and value.of is not None else None


def _exact(value: ValueEntry) -> Fraction:
    counts = _counts(value)
    return Fraction(*counts) if counts and counts[1] else Fraction(str(value.value))


def _broken(value: Fraction, limit: Mapping[str, float]) -> tuple[bool, bool]:
    """Whether an upper and a lower bound is broken."""
    above = any(value > Fraction(str(limit[name])) for name in ("max", "warn_max") if name in limit)
    below = any(value < Fraction(str(limit[name])) for name in ("min", "warn_min") if name in limit)
    return above, below


def _new_places(dataset: str, table: pl.DataFrame) -> Iterator[Place]:
    """The first new places; only the first 200 places of a finding have words."""
    for entry in table.filter(~pl.col("known")).head(_EXAMPLES).iter_rows(named=True):
        yield Place.of(dataset, entry)
