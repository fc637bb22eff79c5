"""Plant faults into copies of a sample, run the contract on them, and say what it finds.

A row gets one fault at most, and half of a copy's rows stay as they are, so that each fault is judged among good rows;
what does not fit goes into a further copy. Nothing is kept: the copies lie in a private folder that is removed.
"""

import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

import polars as pl
from pydantic import Field, ValidationError

from datacheck.check import Check, Model, Status
from datacheck.checks.leakage import Leakage
from datacheck.contract.discover import check_class
from datacheck.contract.model import Contract, Dataset
from datacheck.engine.expected import OnProgress
from datacheck.engine.measure import Measurement
from datacheck.engine.plan import make_plan
from datacheck.engine.run import Engine
from datacheck.engine.store import Store
from datacheck.errors import UsageError, unknown
from datacheck.files.inventory import inventory
from datacheck.selftest.faults import FaultKind, Ground, PlantedLine, faults
from datacheck.selftest.rows import Sampled, copied, sample
from datacheck.selftest.texts import of_texts
from datacheck.text.leak_plants import Item
from datacheck.verdict.judge import compare, judge_check
from datacheck.verdict.model import Finding, Sentence

Outcome = Literal["not_found", "error", "in_part", "not_looked_for", "below_limit", "warn", "fail"]
ROWS, LEAST, EACH = 2_000, 10, 5
_COPIES = 6  # of few rows each kind gets fewer plants, so that about so many copies hold them
_SPARE = 4  # candidates for each plant: two faults may want the same row
_ITEM = 60  # characters of an evaluation question that is planted: a shorter one may be a phrase that many use
# The number that counts a problem, where it is not the first one of its check.
_METRICS: Mapping[tuple[str, str], str] = {
    ("conflicting_answers", "unlike_response"): "unlike",
    ("control_tokens", "unknown_token"): "unknown",
    ("garbled_text", "invisible"): "invisible",
    ("identical_pairs", "near_identical"): "near_rate",
    ("leaked_reasoning", "one_sided"): "one_sided",
    ("refusals", "model_identity"): "identity",
    ("small_gap", "missing_score"): "missing",
    ("small_gap", "wrong_sign"): "wrong_sign",
}


class FaultSeen(Model):
    """What became of a kind of fault. `missed`: the rows of the user's data in whose copies it was not found."""

    check: str
    fault: str
    outcome: Outcome
    planted: int = 0
    found: int = 0
    placed: int = 0
    missed: tuple[str, ...] = ()
    metric: str | None = None  # whose limit decides
    limit: dict[str, float] = {}
    why: tuple[Sentence, ...] = ()  # of a kind that is not found: what the check says that it left out


class Selftest(Model):
    """What a contract finds of the faults that its data could have, the worst first."""

    schema_: Literal["datacheck/selftest/1"] = Field(default="datacheck/selftest/1", alias="schema")
    dataset: str
    rows: int
    copies: int
    kinds: tuple[FaultSeen, ...]

    def of(self, *outcomes: Outcome) -> list[FaultSeen]:
        """The kinds with one of these outcomes."""
        return [kind for kind in self.kinds if kind.outcome in outcomes]

    def exit_code(self, *, strict: bool) -> int:
        """1 where a check of the contract misses what it looks for; with `strict` also where none looks."""
        unseen: tuple[Outcome, ...] = ("not_found", "error", *(("not_looked_for",) if strict else ()))
        return int(bool(self.of(*unseen)))

    def to_json(self) -> str:
        """The result as JSON."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"


class _Spot(NamedTuple):
    """A plant, and the row in which it stands."""

    fault: FaultKind
    row: int
    planted: PlantedLine


_Plant = tuple[_Spot, bool, bool]  # with whether the check names its line, and whether it points at its text


@dataclass(frozen=True)
class _Seen:
    """What a run of the contract found in a copy: problem by line, each with its paths."""

    engine: Engine
    dataset: Dataset

    @cached_property
    def places(self) -> Mapping[str, Mapping[int, Mapping[str, set[str]]]]:
        """By check: line → problem → paths."""
        found: dict[str, dict[int, dict[str, set[str]]]] = {}
        for check in self.dataset.checks:
            outcome = self.engine.outcomes.get(self.dataset.finding(check))
            lines = found.setdefault(check.check, defaultdict(lambda: defaultdict(set)))
            if isinstance(outcome, Measurement) and outcome.evidence:
                table = pl.read_parquet(outcome.evidence, columns=["line", "problem", "where"], glob=False)
                for line, problem, where in table.drop_nulls("line").iter_rows():
                    lines[line][problem].add(where or "")
        return found


class _Runs:
    """Runs of a contract on copies of one of its datasets, in a folder of their own."""

    def __init__(
        self, contract: Contract, name: str, folder: Path, *, alone: bool, on_progress: OnProgress | None
    ) -> None:
        self.dataset = contract.datasets[name]
        self._contract, self._folder, self._alone, self._on_progress = contract, folder, alone, on_progress
        self._places = (folder / str(number) for number in count())

    def seen(self, lines: list[bytes]) -> _Seen:
        """What is found where these lines are the dataset."""
        dataset = copied(self.dataset, next(self._places), lines)
        tested = replace(self._contract, datasets={**self._contract.datasets, dataset.name: dataset})
        engine = Engine(tested, inventory(tested), Store(self._folder / "store"), alone=self._alone)
        engine.run(make_plan(tested), self._on_progress)
        return _Seen(engine, dataset)


def selftest(
    contract: Contract,
    dataset: str | None = None,
    *,
    rows: int = ROWS,
    seed: int = 0,
    alone: bool = False,
    on_progress: OnProgress | None = None,
) -> Selftest:
    """Plant every kind of fault that applies into copies of the first rows of a dataset, and judge them.

    Args:
        contract: whose checks look; all datasets but this one stay as they are.
        dataset: its name; by default `train`, or the first one that has checks.
        rows: how many are drawn.
        seed: another one draws other rows.
        alone: as of `Engine`.
        on_progress: hears of the steps.

    Raises UsageError for a dataset that is not there or has no rows.

    """
    own = owner(contract, dataset)
    files = inventory(contract)
    drawn = sample(own, files, rows, seed)
    if len(drawn) < LEAST:
        raise UsageError(
            "{path}: {rows} rows are too few to plant faults among; expected {least}",
            path=own.named, rows=len(drawn), least=LEAST,
        )  # fmt: skip
    lines = any(".json" in entry.path.name or ".ndjson" in entry.path.name for entry in files[own.name].read)
    every = [fault for fault in (*of_texts(), *faults()) if lines or fault.check != "unreadable_lines"]
    tested = _alone(contract, own, {fault.check for fault in every})
    with tempfile.TemporaryDirectory() as made:
        runs = _Runs(tested, own.name, Path(made), alone=alone, on_progress=on_progress)
        field = _Field(tested, runs.dataset, drawn, runs.seen([row.line for row in drawn]), seed)
        copies = _copies(field, [fault for fault in every if fault.check in field.checks])
        plants = _plants(runs, drawn, copies)
    kinds = [_kind(field, each) for each in plants.values() if each]
    kinds += [FaultSeen(check=f.check, fault=f.name, outcome="not_looked_for") for f in every if field.unseen(f)]
    order = Outcome.__args__  # type: ignore[attr-defined]
    kinds.sort(key=lambda kind: (order.index(kind.outcome), kind.check, kind.fault))
    return Selftest(dataset=own.name, rows=len(drawn), copies=len(copies), kinds=tuple(kinds))


def _alone(contract: Contract, own: Dataset, known: Collection[str]) -> Contract:
    """The contract with the `known` checks of one dataset, and of the others with none."""
    own = replace(own, checks=tuple(check for check in own.checks if check.check in known), idle=())
    others = {n: replace(d, checks=(), idle=()) for n, d in contract.datasets.items() if n != own.name}
    return replace(contract, datasets={own.name: own, **others})


def _plants(runs: _Runs, drawn: list[Sampled], copies: Iterable[list[_Spot]]) -> dict[tuple[str, str], list[_Plant]]:
    """By kind of fault: what was planted, and what came of it."""
    found: dict[tuple[str, str], list[_Plant]] = {}
    for spots in copies:
        changed = {spot.row: spot.planted.line for spot in spots}
        after = runs.seen([changed.get(n, row.line) for n, row in enumerate(drawn)])
        for spot in spots:
            found.setdefault((spot.fault.check, spot.fault.name), []).append((spot, *_found(spot, after)))
    return found


def owner(contract: Contract, name: str | None) -> Dataset:
    """The dataset that is meant: by its name, else `train`, else the first one with checks. Raises UsageError."""
    with_checks = [each for each, dataset in contract.datasets.items() if dataset.checks]
    chosen = name or ("train" if "train" in contract.datasets else next(iter(with_checks), ""))
    if chosen not in contract.datasets:
        raise UsageError("--dataset {name}: {what}", name=chosen, what=unknown("dataset", chosen, contract.datasets))
    return contract.datasets[chosen]


class _Field:
    """The rows, what is wrong with them anyway, and what faults may use."""

    def __init__(self, contract: Contract, dataset: Dataset, rows: list[Sampled], clean: _Seen, seed: int) -> None:
        self.rows, self.clean, self.dataset, self.seed = rows, clean, dataset, seed
        self.checks = {check.check: check for check in reversed(dataset.checks)}
        donors = max(1, len(rows) // 4) if len(rows) > 1 else 0
        self.donors = rows[:donors]
        self.hosts = list(range(donors, len(rows)))
        Random(seed).shuffle(self.hosts)
        self.items = list(_items(contract, self.checks.get("leakage"), seed))

    def ground(self, fault: FaultKind, row: int) -> Ground:
        """What the fault may use in a row."""
        random = Random(f"{self.seed} {fault.check} {fault.name} {row}")
        check = self.checks.get(fault.check) or _default(fault.check)
        flagged = self.clean.places.get(fault.check, {})
        donors = [donor for n, donor in enumerate(self.donors, start=1) if n not in flagged]
        items = self.items if fault.check in self.checks else [Item("?" * _ITEM)]
        return Ground(check, donors, random, self.dataset.source.columns, items)

    def spots(self, fault: FaultKind, count: int) -> Iterator[_Spot]:
        """Rows that can have the fault and in which its check finds nothing so far, at most `count`."""
        start = Random(f"{self.seed} {fault.check} {fault.name}").randrange(max(1, len(self.hosts)))
        turned = self.hosts[start:] + self.hosts[:start]
        turned.sort(key=lambda row: fault.unlike(self.rows[row]))
        flagged = self.clean.places.get(fault.check, {})
        for row in turned:
            planted = None if row + 1 in flagged else fault.change(self.rows[row], self.ground(fault, row))
            if planted is not None and planted.line != self.rows[row].line:
                yield _Spot(fault, row, planted)
                count -= 1
                if not count:
                    return

    def unseen(self, fault: FaultKind) -> bool:
        """Whether no check of the contract looks for a fault that the data could have."""
        return fault.check not in self.checks and any(True for _ in self.spots(fault, 1))


@cache
def _default(name: str) -> Check | None:
    try:
        return check_class(name)()  # type: ignore[call-arg]
    except ValidationError:
        return None


def _items(contract: Contract, check: Check | None, seed: int) -> Iterator[Item]:
    """Questions of the evaluation sets that are long enough to be nobody else's."""
    names = (*check.against, *check.red_line) if isinstance(check, Leakage) else ()
    for name in dict.fromkeys(names):
        for row in sample(contract.datasets[name], inventory(contract), ROWS, seed):
            if row.asked is not None and len(row.asked.text) >= _ITEM:
                yield Item(row.asked.text, tuple(turn.text for turn in row.turns if turn.part == "option"))


def _copies(field: _Field, wanted: Iterable[FaultKind]) -> list[list[_Spot]]:
    """Which row gets which fault, in as many copies as are needed."""
    room = max(1, len(field.hosts) * 2 // 3)
    possible = [spots for fault in wanted if (spots := list(field.spots(fault, EACH * _SPARE)))]
    each = max(1, min(EACH, _COPIES * room // max(1, len(possible))))
    total = sum(min(each, len(spots)) for spots in possible)
    copies: list[dict[int, _Spot]] = [{} for _ in range(-(-total // room))]
    for spots in possible:
        left = list(spots)
        for _ in range(min(each, len(spots))):
            fits = ((s, c) for s in left for c in copies if len(c) < room and s.row not in c)
            spot, copy = next(fits, (left[0], None))
            if copy is None:
                copies.append(copy := {})
            copy[spot.row] = spot
            left.remove(spot)
    return [list(copy.values()) for copy in copies]


def _found(spot: _Spot, after: _Seen) -> tuple[bool, bool]:
    """Whether the check names the planted line with the problem, and points at the text."""
    problems = after.places[spot.fault.check].get(spot.row + 1, {})
    paths = {path for name in (spot.fault.problem, *spot.fault.also) for path in problems.get(name, ())}
    where = spot.planted.where
    return bool(paths), any(not where or path == where or path.startswith((f"{where}[", f"{where}.")) for path in paths)


def _kind(field: _Field, plants: list[_Plant]) -> FaultSeen:
    fault, check = plants[0][0].fault, field.checks[plants[0][0].fault.check]
    found = sum(hit for _, hit, _ in plants)
    finding = judge_check(field.dataset, check, field.clean.engine.outcomes.get(field.dataset.finding(check)))
    metric = _metric(check, fault)
    outcome: Outcome = "error" if finding.status is Status.ERROR else "not_found" if not found else "in_part"
    why = finding.not_checked if outcome == "not_found" else (finding.error,) if finding.error else ()
    if found == len(plants) and outcome != "error":
        outcome, why = _outcome(finding, check, metric, found), ()
    return FaultSeen(
        check=check.check,
        fault=fault.name,
        outcome=outcome,
        planted=len(plants),
        found=found,
        placed=sum(placed for _, _, placed in plants),
        missed=tuple(sorted(field.rows[spot.row].at for spot, hit, _ in plants if not hit)),
        metric=metric,
        limit=check.limit(metric).bounds,
        why=why,
    )


def _metric(check: Check, fault: FaultKind) -> str:
    if check.check == "pii":
        blocks = check.level(fault.problem.upper(), "valid", linked=False) == "block"  # type: ignore[attr-defined]
        return "blocking_hits" if blocks else "warn_hits"
    return _METRICS.get((check.check, fault.problem)) or next(iter(check.metrics))


def _outcome(finding: Finding, check: Check, metric: str, found: int) -> Outcome:
    """What the finding would be were these the only faults in the sample."""
    value = next(value for value in finding.values if value.name == metric and not value.slice)
    count = None if value.count is None else value.count + found
    status = compare((value.value or 0) + found, count, value.of, check.limit(metric))
    if status is Status.FAIL:
        return "warn" if check.severity == "warn" else "fail"
    return "warn" if status is Status.WARN else "below_limit"
