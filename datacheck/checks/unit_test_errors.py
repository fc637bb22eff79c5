"""The check unit_test_errors."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field, InstanceOf
from pydantic.json_schema import SkipJsonSchema

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, TestPython, Value, View, rates, total
from datacheck.features.unit_tests import FOREIGN, LOST, NOTE, RUN, STOPPED, SUBJECT, TestRuns, UnitTests

_RUN = {"gold_fails": ("gold_fails",), "empty_passes": ("empty_passes",), "unsteady": ("flaky", *LOST)}


class UnitTestErrors(Check):
    """Programming tasks whose tests cannot reward a program: nothing in them, no assert, not Python, uneven cases.

    By default nothing runs: tests are parsed. Read are lists of asserts (`test_list`, as MBPP and AceCode have them),
    Python texts (`test`, with `entry_point` as HumanEval, or unittest and pytest), and inputs and outputs of a function
    or of a program (`input_output` with `fn_name` of APPS and TACO, `public_test_cases` of LiveCodeBench, objects in
    `ground_truth`, `reward_model.ground_truth`, `verification_info`), also as JSON or Python text.

    With `datacheck run CONTRACT --run-tests` up to 500 rows are run, in the contained child that reward functions run
    in: the row's own solution must pass its tests, twice the same, in time, and an empty solution (a function that
    returns None, a program that prints nothing) must not. A contract alone runs no code. `--trainer-python
    ENV/bin/python` runs them in the training environment. Languages other than Python are not judged.
    """

    metrics = {
        "invalid": Metric(
            "rows whose tests are empty, cannot be parsed, assert nothing, or name a function that is nowhere",
            "share",
            "rows with tests that can be judged",
            Limit(max=0),
            why="whatever the model says, every answer gets the same reward, or the sandbox stops",
        ),
        "gold_fails": Metric(
            "rows whose own solution does not pass their tests",
            "share",
            "rows whose tests were run",
            Limit(max=0.01, warn_max=0),
            why="a right answer gets no reward; none of MBPP's 974 rows or of HumanEval's 164 fails",
        ),
        "empty_passes": Metric(
            "rows whose tests a solution passes that does nothing",
            "share",
            "rows whose tests were run",
            Limit(max=0),
            why="the model learns to write nothing; none of MBPP's 974 rows or of HumanEval's 164 can be passed so",
        ),
        "unsteady": Metric(
            "rows whose own solution passes once and fails once, or takes too much time, memory or processes",
            "share",
            "rows whose tests were run",
            Limit(max=0.01, warn_max=0),
            why="the reward is noise, or every batch waits for it",
        ),
    }

    check: Literal["unit_test_errors"] = "unit_test_errors"
    rows: int = Field(default=500, ge=1, le=10_000, description="rows that are run, at most (--run-tests)")
    seconds: float = Field(default=10, ge=0.1, le=120, description="that one run of a row's tests may take")
    # An object: what a contract says is none.
    runs_in: SkipJsonSchema[InstanceOf[TestPython] | None] = Field(
        default=None, description="of the operator (--run-tests), never of a contract"
    )

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The Python that the operator lets tests run in."""
        python = dataset["run"].get("tests")
        return {"runs_in": python} if python is not None else {}

    def promised(self) -> frozenset[str]:
        """What running shows is promised only where the operator lets tests run."""
        return frozenset(self.metrics) - (frozenset() if self.runs_in is not None else _RUN.keys())

    def _runs(self) -> Need | None:
        if self.runs_in is None:
            return None
        return Need(TestRuns(python=self.runs_in, most=self.rows, seconds=self.seconds))

    def needs(self) -> tuple[Need, ...]:
        """What is wrong as it stands, and what running shows."""
        runs = self._runs()
        return (Need(UnitTests()), *([runs] if runs is not None else []))

    def measure(self, data: View) -> Measured:
        """Count rows by what is wrong; a row counts once for each number."""
        facts = data[Need(UnitTests())].collect()
        subject = facts.filter(pl.col("problem") == SUBJECT)
        # A column that is empty in every row is no column of tests.
        known = subject["where"].unique()
        found = facts.filter(~pl.col("problem").is_in([SUBJECT, FOREIGN])).filter(
            (pl.col("problem") != "no_tests") | pl.col("where").is_in(known.implode())
        )
        among = pl.concat([subject.select("row"), found.select("row")]).lazy()
        if subject.is_empty():
            return self.not_measured(*(_foreign(facts) or [Message("no row has tests of a program")]))
        values = rates("invalid", found.lazy(), among, by=self.by, rows=data.rows)
        runs = self._runs()
        ran = data[runs].collect() if runs is not None else pl.DataFrame()
        stopped = ran.filter(pl.col("problem") == STOPPED) if runs is not None else ran
        shown = found
        notes = _foreign(facts)
        if runs is None:
            notes.append(Message("tests were parsed, not run: run them with --run-tests"))
        elif stopped.height:
            notes += [Message.unpacked(each) for each in stopped["said"]]
            values += tuple(Value(name, None) for name in _RUN)
        else:
            notes += [Message.unpacked(each) for each in ran.filter(pl.col("problem") == NOTE)["said"]]
            of = ran.filter(pl.col("problem") == RUN).lazy()
            problems = ran.drop_nulls("row").filter(pl.col("problem") != RUN).cast({"row": found.schema["row"]})
            for name, slugs in _RUN.items():
                hit = problems.lazy().filter(pl.col("problem").is_in(slugs))
                values += rates(name, hit, of, by=self.by, rows=data.rows)
            shown = pl.concat([shown, problems], how="diagonal")
        evidence = shown.sort("row", maintain_order=True)
        return Measured(
            values,
            evidence=evidence.lazy(),
            figures={"problems": evidence.group_by("problem").len("rows").sort("problem")},
            not_checked=tuple(notes),
        )


def _foreign(facts: pl.DataFrame) -> list[Message]:
    rows = total(facts.lazy().filter(pl.col("problem") == FOREIGN).select("row").unique())
    if not rows:
        return []
    return [
        Message.plural(
            "the tests of {n:,} row are not judged: they are not Python",
            "the tests of {n:,} rows are not judged: they are not Python",
            rows,
        )
    ]
