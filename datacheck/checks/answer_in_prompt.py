"""The check answer_in_prompt."""

from typing import Literal, Self

import polars as pl
from pydantic import Field, model_validator

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, Subject, Value, View, rates, total
from datacheck.errors import WrongValueError
from datacheck.features.column_values import ColumnValues
from datacheck.features.given_golds import GivenGolds
from datacheck.features.golds import Extract, Of
from datacheck.features.instructions import in_instructions
from datacheck.features.outcomes import RunOf
from datacheck.features.rendered_golds import RenderedGolds
from datacheck.text.rules import Rule
from datacheck.trainers import is_trainer, trainer_names


class AnswerInPrompt(Check):
    r"""Share of rows whose prompt already holds the gold answer.

    The gold is taken out of the solution (behind `#### `, in `\boxed{…}`, or whole), both sides are normalised, and
    the gold must stand in the prompt as words of its own. Numbers, letters of options, true and false, and golds of
    fewer than `min_chars` letters and digits (signs and LaTeX's commands are none) occur by chance. They count where
    the prompt tells them as its answer behind its last question mark ("The answer is 18.", "#### 18", "How many? 18").
    `last_number` and `numbers` look at the whole set: the gold of GSM8K is the last number of 2 prompts in 100 and
    stands in 6; where half of them end with it, the template or the export wrote it there.
    With `told` that is all that counts, for any gold: answers that a passage in the prompt holds by right are fine.
    Options to choose from are no part of the prompt here. Of a list of answers one is enough. A gold whose lines of
    the prompt stand in ten prompts with other golds as well is part of the instructions ("Answer", a list of labels).

    For plain rows name columns: the answer must not be among the values of `question` (the items of a list, also of
    one that stands as text). With `rendered_by`, prompt and answer are what that trainer's code makes of the row.
    """

    metrics = {
        "rate": Metric(
            "rows whose prompt holds the gold",
            "share",
            of="rows",
            limit=Limit(warn_max=0, max=0.005),
            why="such golds are copied, not worked out; a few may stand there by chance, many show a leaking template",
        ),
        "last_number": Metric(
            "rows whose gold is the last number of the prompt",
            "share",
            of="rows",
            limit=Limit(max=0.5),
            why="2 in 100 of GSM8K's prompts end so by chance; of a half, an export wrote the gold there",
        ),
        "numbers": Metric(
            "rows whose gold is a number that stands somewhere in the prompt",
            "share",
            of="rows",
            limit=Limit(warn_max=0.5),
            why="6 in 100 of GSM8K's golds stand there by chance; beyond a half it may still be the kind of task",
        ),
    }

    reads = "prompt"
    check: Literal["answer_in_prompt"] = "answer_in_prompt"
    of: Of = Field(default="answer", description="the part that holds the solution")
    extract: Extract = Field(default="auto", description="where the answer stands in the solution; auto: by its marks")
    min_chars: int = Field(default=4, ge=1, description="golds of fewer letters and digits are not judged")
    told: bool = Field(default=False, description="count only what a prompt tells as its answer, whatever the gold is")
    normalise: tuple[Rule, ...] = Field(default=("nfkc", "casefold", "t2s"), description="what does not count")

    question: tuple[str, ...] = Field(default=(), description="columns that make the prompt; none: the prompt itself")
    answer: tuple[str, ...] = Field(default=(), description="columns that hold the answer; with `question`")
    rendered_by: str | None = Field(default=None, description="trainer and mode whose code makes prompt and answer")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.question) != bool(self.answer):
            raise WrongValueError("name columns for both, question and answer")
        if self.question and self.rendered_by:
            raise WrongValueError("name columns, or rendered_by, not both")
        if self.rendered_by and not is_trainer(self.rendered_by):
            raise WrongValueError("rendered_by: no such trainer; known: {known}", known=", ".join(trainer_names()))
        return self

    def _columns(self) -> tuple[list[Need], list[Need]]:
        asked, answered = ([Need(ColumnValues(column=name)) for name in side] for side in (self.question, self.answer))
        return asked, answered

    def _rendered(self) -> Need:
        return Need(RenderedGolds(run=RunOf(trainer=self.rendered_by or "")))

    def _golds(self) -> Need:
        return Need(
            GivenGolds(
                of=self.of,
                extract=self.extract,
                min_chars=self.min_chars,
                told_only=self.told,
                normalise=self.normalise,
            )
        )

    def subject(self) -> Subject | None:
        """Columns that are named are read in rows of any format."""
        return "row" if self.question or self.rendered_by else self.reads

    def keys_named(self) -> tuple[str, ...]:
        """The columns."""
        return (*self.question, *self.answer)

    def needs(self) -> tuple[Need, ...]:
        """Golds and whether they are given."""
        if self.rendered_by:
            return (self._rendered(),)
        return tuple(need for side in self._columns() for need in side) or (self._golds(),)

    def measure(self, data: View) -> Measured:
        """Count."""
        if self.question:
            return self._by_columns(data)
        if self.rendered_by:
            return self._by_trainer(data)
        golds = data[self._golds()]
        instructed = in_instructions(data, golds, self.normalise)
        given = golds.filter(pl.col("state") == "given", pl.col("told") | ~pl.col("row").is_in(instructed.implode()))
        trivial = total(golds.filter(pl.col("state") == "trivial").select("row").unique())
        silent = total(data.rows) - total(golds.select("row").unique())
        notes = []
        if trivial and not self.told:
            notes.append(
                Message.plural(
                    "{n:,} gold is a number, a letter of an option or has fewer than {min_chars} letters and digits",
                    "{n:,} golds are numbers, letters of options or have fewer than {min_chars} letters and digits",
                    trivial,
                    min_chars=self.min_chars,
                )
            )
        if silent:
            notes.append(
                Message.plural(
                    "{n:,} row has no prompt with a gold answer", "{n:,} rows have no prompt with a gold answer", silent
                )
            )
        last = golds.filter(pl.col("number") == "last")
        return Measured(
            self._rates(data, given, last, golds.filter(pl.col("number").is_not_null())),
            evidence=given.select("row", "where", problem=pl.lit("answer_in_prompt"), text="gold"),
            not_checked=tuple(notes),
        )

    def _rates(
        self, data: View, given: pl.LazyFrame, last: pl.LazyFrame | None = None, held: pl.LazyFrame | None = None
    ) -> tuple[Value, ...]:
        """The shares; columns and rendered rows are compared whole, numbers as well, so `rate` has them all."""
        found = {"rate": given, "last_number": last, "numbers": held}
        none = data.rows.head(0)
        return tuple(
            value
            for name, lines in found.items()
            for value in rates(name, none if lines is None else lines, data.rows, by=self.by, rows=data.rows)
        )

    def _by_columns(self, data: View) -> Measured:
        """Rows of which an answer is among the values of the question; both are compared as text."""
        asked, answered = (pl.concat([data[need] for need in side]) for side in self._columns())
        given = asked.join(answered, on=["row", "key"], how="semi").unique(["row", "where"], maintain_order=True)
        both = asked.select("row").unique().join(answered, on="row", how="semi")
        silent = total(data.rows) - total(both)
        lack = Message.plural("{n:,} row has no values in both", "{n:,} rows have no values in both", silent)
        return Measured(
            self._rates(data, given),
            evidence=given.select("row", "where", problem=pl.lit("answer_in_prompt")),
            not_checked=(lack,) if silent else (),
        )

    def _by_trainer(self, data: View) -> Measured:
        """Rows whose rendered prompt holds the rendered answer."""
        golds = data[self._rendered()]
        silent = total(data.rows) - total(golds)
        if silent and silent == total(data.rows):
            return self.not_measured(
                Message("{rendered_by} makes no prompt of any row", rendered_by=self.rendered_by or "")
            )
        given = golds.filter(pl.col("state") == "given")
        lack = Message(
            "of {silent:,} rows {rendered_by} makes no prompt with an answer",
            silent=silent,
            rendered_by=self.rendered_by or "",
        )
        return Measured(
            self._rates(data, given),
            evidence=given.select("row", problem=pl.lit("answer_in_prompt"), text="gold"),
            not_checked=(lack,) if silent else (),
        )
