"""The check reward_errors."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field, InstanceOf, field_validator
from pydantic.json_schema import SkipJsonSchema

from datacheck.check import Check, GraderCode, Limit, Measured, Message, Metric, Need, Value, View, placed, rates
from datacheck.errors import WrongValueError
from datacheck.features.golds import Extract, Of
from datacheck.features.rewards import ASKED, BROKEN, MISSING, NOTE, STOPPED, UNCALLED, Calls, Rewards
from datacheck.text.answering import GOLD

_NO_REWARD = ("unrewarded", "skipped", *(each for each in BROKEN if each != "unstable"))


class RewardErrors(Check):
    r"""Rows on which the run's own reward function fails: golds without reward, wrong answers with it, exceptions.

    `datacheck run CONTRACT --grader my_rewards.py:accuracy` asks the function itself, in a contained child, about some
    hundreds of rows spread over the data. Each row's gold, written as an answer, must get the full reward; a wrong
    answer (another number, letter or verdict, or another row's gold) and an empty one must not. The same answers,
    asked twice, must get the same. A contract alone runs no code: without `--grader` the finding is an error.

    `--grader` takes `FILE.py:FUNCTION` or `MODULE:FUNCTION`, and may stand several times; `grader` in the contract says
    which one a check asks. With `--trainer-python ENV/bin/python` the function is asked in the training environment.
    How it is called is told from its parameters: as TRL (`completions`, the columns), verl (`solution_str`,
    `ground_truth`), ms-swift (a class) and OpenRLHF (`queries`, `labels`) call it, with the columns of the data.
    Golds are tried bare, in `\boxed{}`, in `<answer>`, behind `#### ` and in other forms; `form` names one.
    """

    metrics = {
        "missing_columns": Metric(
            "columns that the function asks for and no row has",
            "columns",
            limit=Limit(max=0),
            why="the first batch stops the run, or every reward is 0",
        ),
        "broken": Metric(
            "rows at which the function raises, hangs, gives no number, or not the same twice",
            "share",
            "rows that it was asked about",
            Limit(max=0),
            why="one such row ends the run, or makes its reward noise",
        ),
        "unrewarded": Metric(
            "rows whose gold does not get the full reward",
            "share",
            "rows that it was asked about",
            Limit(max=0.01, warn_max=0),
            why="whatever the model says, such a row is never fully rewarded; parsers of formulas miss 1 in 100",
        ),
        "wrong_rewarded": Metric(
            "rows of which a wrong or empty answer gets the full reward",
            "share",
            "rows that it was asked about",
            Limit(max=0.01, warn_max=0),
            why="the model learns to answer so; single wrong answers may be right by chance",
        ),
    }

    reads = "text"
    check: Literal["reward_errors"] = "reward_errors"
    grader: str | None = Field(
        default=None, description="the function, as the operator names it (`--grader`); the only one if it is left out"
    )
    calls: Calls = Field(default="auto", description="who calls it; auto: by its parameters")
    form: str | None = Field(
        default=None, description="an answer, with {gold} in it; by default the form that gets most"
    )
    full: float | None = Field(default=None, description="the full reward; by default the most that a gold gets")
    allow_none: bool = Field(default=False, description="whether None for a gold is meant (TRL skips the row)")
    rows: int = Field(default=500, ge=1, le=10_000, description="rows that are asked about, at most")
    seconds: float = Field(default=10, ge=0.1, le=120, description="that one call may take")
    of: Of = Field(default="answer", description="the part that holds the solution")
    extract: Extract = Field(default="auto", description="where the gold stands in the solution; auto: by its marks")
    # Objects: what a contract says is none.
    codes: SkipJsonSchema[tuple[InstanceOf[GraderCode], ...]] = Field(
        default=(), description="of the operator (--grader), never of a contract"
    )

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The functions that the operator allows."""
        graders = dataset["run"].get("graders")
        return {"codes": graders} if graders else {}

    @field_validator("form")
    @classmethod
    def _holds_the_gold(cls, form: str | None) -> str | None:
        if form is not None and GOLD not in form:
            raise WrongValueError("expected {gold} in it, where the gold stands", gold=GOLD)
        return form

    @property
    def code(self) -> GraderCode | None:
        """The function that is asked: the one that is named here, if the operator allows it, or else the only one."""
        found = [code for code in self.codes if self.grader in (None, code.named)]
        return found[0] if len(found) == 1 else None

    def _asked(self) -> Need | None:
        code = self.code
        if code is None:
            return None
        how = self.model_dump(include={"calls", "form", "full", "allow_none", "seconds", "of", "extract"})
        return Need(Rewards(code=code, most=self.rows, **how))

    def needs(self) -> tuple[Need, ...]:
        """What the function says, where it may be asked."""
        asked = self._asked()
        return (asked,) if asked is not None else ()

    def measure(self, data: View) -> Measured:
        """Count rows by what went wrong; a row counts once for each number."""
        need = self._asked()
        if need is None:
            return self.not_measured(self._not_asked())
        table = data[need].collect()
        stopped = table.filter(pl.col("problem") == STOPPED)
        notes = tuple(Message.unpacked(each) for each in table.filter(pl.col("problem") == NOTE)["said"])
        if stopped.height:
            return self.not_measured(*(Message.unpacked(each) for each in stopped["said"]))
        asked = table.filter(pl.col("problem") == ASKED).lazy()
        lacking = table.filter(pl.col("problem") == MISSING)
        if table.is_empty():
            return self.not_measured(Message("no row has a part '{of}'", of=self.of))
        found = table.drop_nulls("row").filter(~pl.col("problem").is_in([ASKED, UNCALLED]))
        uncalled = table.filter(pl.col("problem") == UNCALLED).lazy()
        groups = {"broken": BROKEN, "unrewarded": _NO_REWARD, "wrong_rewarded": ("wrong_rewarded", "empty_rewarded")}
        shares: list[Value] = []
        for name, problems in groups.items():
            hit = found.lazy().filter(pl.col("problem").is_in(problems)).select("row")
            every = hit if name == "wrong_rewarded" else pl.concat([hit, uncalled.select("row")])
            shares += rates(name, every, asked, by=self.by, rows=data.rows)
        return Measured(
            (Value("missing_columns", lacking.height), *shares),
            evidence=_evidence(found, lacking, data),
            figures={"problems": found.group_by("problem").len("rows").sort("problem")},
            not_checked=(*(Message.unpacked(each) for each in lacking["said"]), *notes),
        )

    def _not_asked(self) -> Message:
        if self.grader is not None:
            return Message(
                "{grader} was not asked: a contract runs no code; allow it with --grader {grader}", grader=self.grader
            )
        if len(self.codes) > 1:
            return Message("several functions are allowed; say which one this check asks: `grader: NAME`")
        return Message("no function was asked: name it on the command line, --grader my_rewards.py:accuracy")


def _evidence(found: pl.DataFrame, lacking: pl.DataFrame, data: View) -> pl.LazyFrame:
    """Rows with what went wrong; what no row has stands at the first file.

    Rows to put aside are those whose gold gets no reward: of all else the function is to blame.
    """
    files = data.rows.select("file").head(1).collect()["file"].to_list()
    lines = placed(found.lazy().select("row", "where", "problem", "said", text="gold"), data.rows)
    lines = lines.with_columns(row=pl.when(pl.col("problem").is_in(["unrewarded", "skipped"])).then(pl.col("row")))
    columns = lacking.lazy().select("problem", "said", file=pl.lit(files[0] if files else None, pl.String))
    return pl.concat([columns, lines], how="diagonal")
