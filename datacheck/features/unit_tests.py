"""What is wrong with the unit tests of each row: by what stands there, and by what running them shows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from datacheck.check import Feature, Message, Need, Summary, TestPython, View
from datacheck.features.outcomes import parsed
from datacheck.text.keys import FIELDS
from datacheck.text.unit_tests import Task, Tests, faults, stub, task_of
from datacheck.trainers.rewards.contained import RewardError, RewardLimits
from datacheck.trainers.rewards.testing import Program, ProgramRunner, Ran

SUBJECT, FOREIGN, STOPPED, NOTE, RUN = "note:subject", "note:foreign", "note:stopped", "note", "note:run"
LOST = ("too_long", "too_much_memory", "too_many_processes")
_NAMES = [*FIELDS, "inputs", "outputs", "assert "]
_SOLUTIONS = 3  # of one row: APPS has dozens, the first of which may be wrong
_CASES = 20  # of one row
_PATIENCE = 20  # rows at which the child may be lost before the rest is not run
_MOST_SECONDS = 600  # of running altogether


class UnitTests(Feature):
    """`row`, `where`, `problem`: a line per fault, and per place with tests (note:subject; note:foreign: no Python)."""

    columns = {"row": pl.UInt32, "where": pl.String, "problem": pl.String}

    def needs(self) -> tuple[Need, ...]:
        """The records."""
        return (Need("records"),)

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the records that hold a name of tests, each in Python."""
        found: list[tuple[int, str, str]] = []
        for row, record in parsed(_with_tests(part.records).sort("row").collect()):
            task = task_of(record) if isinstance(record, dict) else None
            if task is not None:
                found += [(row, tests.path, SUBJECT) for tests in task.tests if is_judged(tests, task)]
                found += [(row, *fault) for fault in faults(task, record)]
                found += [] if task.is_python else [(row, task.tests[0].path, FOREIGN)]
        return pl.DataFrame(found, schema=self.columns, orient="row")


def is_judged(tests: Tests, task: Task) -> bool:
    """Whether anything is known of tests: they are Python, or cases, whose lengths say something in any language."""
    return not tests.are_empty and (task.is_python or bool(tests.cases or tests.uneven))


def _with_tests(records: pl.LazyFrame) -> pl.LazyFrame:
    return records.filter(pl.col("json").str.contains_any(_NAMES)).select("row", "json")


class RunLine(NamedTuple):
    """A line of the table of `TestRuns`."""

    row: int | None
    where: str | None
    problem: str
    said: str | None = None


class TestRuns(Summary):
    """`row`, `where`, `problem`, `said`: a line per row whose tests were run (note:run), and one per problem of it.

    gold_fails, empty_passes, flaky, too_long, too_much_memory, too_many_processes. Lines without a row: why nothing
    could be run (note:stopped), and what else there is to say (note).
    """

    python: TestPython
    most: int
    seconds: float

    def needs(self) -> tuple[Need, ...]:
        """The tests and the records."""
        return (Need(UnitTests()), Need("records"))

    def compute(self, data: View) -> pl.DataFrame:
        """Choose rows, evenly spread, and run their tests in two children."""
        facts = data[self.needs()[0]].collect()
        tasks, every = self._chosen(data, facts)
        folders = [data.scratch / f"tests{n}" for n in range(2)]
        for folder in folders:
            folder.mkdir(mode=0o700, parents=True)
        limits = RewardLimits(seconds=self.seconds)
        # Two seeds of hashes: what hangs on the order of a set is told by the second.
        runners = [ProgramRunner(self.python.location, folder, folder, limits, n) for n, folder in enumerate(folders)]
        with runners[0], runners[1]:
            try:
                lines = list(Runs(runners, tasks, every).lines())
            except RewardError as error:
                lines = [RunLine(None, None, STOPPED, error.message.packed)]
        schema = {"row": pl.UInt32, "where": pl.String, "problem": pl.String, "said": pl.String}
        return pl.DataFrame(lines, schema=schema, orient="row")

    def _chosen(self, data: View, facts: pl.DataFrame) -> tuple[list[tuple[int, Task]], int]:
        """Rows with tests that can be run, and how many there are."""
        out = facts.filter(pl.col("problem") != SUBJECT)["row"]
        rows = facts.filter(pl.col("problem") == SUBJECT, ~pl.col("row").is_in(out.implode()))["row"].unique().sort()
        count = min(rows.len(), self.most)
        wanted = rows[[at * rows.len() // count for at in range(count)]].implode()
        pieces = [piece.filter(pl.col("row").is_in(wanted)).collect() for piece in data.pieces("records")]
        records = pl.concat([piece.select("row", "json") for piece in pieces]).sort("row")
        tasks = [(row, task) for row, record in parsed(records) for task in [task_of(record)] if task is not None]
        return tasks, rows.len()


class Runs:
    """The tests of some rows, run."""

    def __init__(self, runners: Sequence[ProgramRunner], tasks: Sequence[tuple[int, Task]], every: int) -> None:
        self.runners, self.tasks, self.every = runners, tasks, every
        self.lost = self.unsolved = self.cut = self.lacking = 0

    def lines(self) -> Iterator[RunLine]:
        """All that is found out. Raises RewardError where no child can be had."""
        until, count = time.monotonic() + _MOST_SECONDS, 0
        for row, task in self.tasks:
            if self.lost >= _PATIENCE or time.monotonic() > until:
                break
            count += 1
            self.unsolved += not task.solutions
            yield RunLine(row, task.tests[0].path, RUN)
            for tests in task.tests:
                yield from (RunLine(row, tests.path, *each) for each in self._of(tests, task))
        yield from (RunLine(None, None, NOTE, each.packed) for each in self._summed(count))

    def _of(self, tests: Tests, task: Task) -> Iterator[tuple[str, str]]:
        """What running a row's tests shows: on its own solutions, twice, and on an empty one."""
        self.cut += len(tests.cases) > _CASES
        tried: list[Ran] = []
        for solution in task.solutions[:_SOLUTIONS]:
            first = self._ran(tests, solution)
            again = first if first.outcome in LOST else self._ran(tests, solution, seed=1)
            tried.append(again if again.outcome in LOST else first)
            if again.outcome != first.outcome and again.outcome not in LOST:
                yield "flaky", Message("the same solution passes once and fails once").packed
            if "passed" in (first.outcome, again.outcome) and again.outcome not in LOST:
                break
        else:
            yield from self._failed(tried)
        # Another solution would not be faster: what hangs here hangs with an empty one, too, or says nothing.
        if not any(each.outcome in LOST for each in tried):
            solved = task.solutions[len(tried) - 1] if tried else ""
            if self._ran(tests, stub(tests, solved)).outcome == "passed":
                said = Message("a program that prints nothing passes") if tests.is_program else _NONE
                yield "empty_passes", said.packed

    def _failed(self, tried: Sequence[Ran]) -> Iterator[tuple[str, str]]:
        """No solution passes: how the first one failed. What it lacks here it may have in training."""
        lost = next((each for each in tried if each.outcome in LOST), None)
        if lost is not None:
            self.lost += 1
            yield lost.outcome, self._how_lost(lost).packed
        elif tried and all(each.error == "ModuleNotFoundError" for each in tried):
            self.lacking += 1
        elif tried:
            yield "gold_fails", _how(tried[0]).packed

    def _ran(self, tests: Tests, solution: str, *, seed: int = 0) -> Ran:
        """Run a solution; of a program each input is one question, with time of its own."""
        runner = self.runners[seed]
        cases = tests.cases[:_CASES]
        if tests.is_program:
            for case in cases:
                ran = runner.run(Program(solution, cases=[case]))
                if ran.outcome != "passed":
                    return ran
            return Ran("passed")
        if cases:
            return runner.run(Program(solution, cases=cases, function=tests.function))
        whole = "\n".join([tests.setup, *tests.code])  # MBPP's setup uses classes of the solution
        return runner.run(Program(solution, whole, entry=tests.function))

    def _how_lost(self, ran: Ran) -> Message:
        limits = self.runners[0].limits
        if ran.outcome == "too_long":
            return Message("took longer than {seconds:g} s and was ended", seconds=limits.seconds)
        if ran.outcome == "too_much_memory":
            return Message("used more than {n:g} GiB of memory and was ended", n=limits.memory / 2**30)
        return Message("had more than {n} processes and was ended", n=limits.processes)

    def _summed(self, count: int) -> Iterator[Message]:
        yield Message("tests of {n:,} of {every:,} rows were run", n=count, every=self.every)
        if count < len(self.tasks):
            yield (
                Message("after {n} rows at which its process was ended no other was run", n=self.lost)
                if self.lost >= _PATIENCE
                else Message("after {n} s no other was run", n=_MOST_SECONDS)
            )
        if self.unsolved:
            yield Message.plural(
                "{n:,} row has no solution in Python: whether its tests can be passed is not known",
                "{n:,} rows have no solution in Python: whether their tests can be passed is not known",
                self.unsolved,
            )
        if self.lacking:
            yield Message.plural(
                "{n:,} row needs a package that this Python lacks: name the training environment, --trainer-python",
                "{n:,} rows need packages that this Python lacks: name the training environment, --trainer-python",
                self.lacking,
            )
        if self.cut:
            yield Message.plural(
                "of {n:,} row with more than {most} cases the first {most} were run",
                "of {n:,} rows with more than {most} cases the first {most} were run",
                self.cut,
                most=_CASES,
            )
        if any(runner.missing for runner in self.runners):
            yield Message("this machine does not contain what runs; docs/rewards.md says what holds nevertheless")


_NONE = Message("a function that returns None passes")


def _how(ran: Ran) -> Message:
    if ran.outcome == "failed":
        return Message("the row's own solution fails its tests")
    if ran.outcome == "raised":
        return Message("the row's own solution raises {error}", error=ran.error)
    return Message("the row's own solution ends its process before the tests do")
