"""The check conflicting_answers."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import (
    Check,
    Group,
    Limit,
    Measured,
    Message,
    Metric,
    Need,
    Subject,
    View,
    place,
    placed,
    rates,
    total,
)
from datacheck.features.earlier import plain_needs
from datacheck.features.golds import Of
from datacheck.features.rival_responses import both_labels, rival_responses
from datacheck.features.row_keys import RowKeys
from datacheck.features.shared_responses import shared_responses
from datacheck.features.texts import On, quoted
from datacheck.text.edges import ascii_edges
from datacheck.text.rules import Rule

WHOLE: On = "conversation"


class ConflictingAnswers(Check):
    r"""Share of rows whose question stands in another row with another gold answer.

    A question is the whole prompt (system prompt, options and tools included), or the columns that `question` names;
    the answer is the gold answer (behind `#### `, in `\boxed{…}`, or whole; numbers by value), or the columns that
    `answer` names. Width, case and white space do not count.
    `against` names datasets that are looked at besides: an evaluation set whose golds are put into the same map.

    `of: response` compares the responses of conversations (SFT) instead: two to one prompt conflict where less than
    `alike` of the n-grams of the shorter one (3 characters with Han, else 5) stand in the other. Greetings and prompts
    for a poem, a story or a joke may have many answers, and where one row in five has a prompt that others have, the
    set was made so. `labels` counts what is desired in one row and unwanted in another (KTO), `same_response`
    responses of 20 Han or 60 letters and more that several unlike prompts have, in conversations of one question
    (labels of a classification are none; one response for nearly all rows is one at any length).
    """

    metrics = {
        "rate": Metric(
            "rows whose question has another answer elsewhere",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="one answer may be wrong, or both right: a person has to say",
        ),
        "overwritten": Metric("rows whose answer a later row with the same question replaces", "share", of="rows"),
        "across": Metric(
            "rows whose question has another answer in `against`",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="which of the two sets is right, only a person can tell",
        ),
        "shared": Metric("rows whose question and answer are both in `against`", "share", of="rows"),
        "unlike": Metric(
            "rows whose prompt has an unlike response elsewhere (of: response)",
            "share",
            "rows",
            Limit(warn_max=0.002),
            why="most prompts have several good responses; above 2 rows in 1,000 somebody should read some",
        ),
        "labels": Metric(
            "rows whose prompt and response have another label elsewhere (of: response)",
            "share",
            "rows",
            Limit(warn_max=0),
            why="one text is not desired and unwanted at once; where several people judge it, some disagree",
        ),
        "same_response": Metric(
            "rows whose response stands under an unlike prompt, too (of: response)",
            "share",
            "rows",
            Limit(warn_max=0.01),
            why="at most 5 rows in 1,000 of public sets; above 1 in 100, answers may stand beside the wrong prompts",
        ),
    }

    reads = "solution"
    check: Literal["conflicting_answers"] = "conflicting_answers"
    question: tuple[str, ...] = Field(default=(), description="columns that make the question; none: the prompt")
    answer: tuple[str, ...] = Field(default=(), description="columns that make the answer; none: the gold answer")
    normalise: tuple[Rule, ...] = Field(default=("nfkc", "casefold", "strip_space"), description="what does not count")

    of: Of = Field(default="answer", description="what is compared: the gold answer, or the response of a conversation")
    alike: float = Field(
        default=0.2, gt=0, le=1, description="share of the n-grams of the shorter from which two responses say the same"
    )
    against: tuple[str, ...] = Field(default=(), description="datasets whose answers must not differ either")

    def _row_keys(self) -> RowKeys:
        return RowKeys(asked=self.question, answered=self.answer, normalise=self.normalise)

    def _keys(self) -> Need:
        return Need(Group(of=self._row_keys(), by="asked"))

    def subject(self) -> Subject | None:
        """Columns that are named are read in rows of any format."""
        if self.question:
            return "row"
        return "answer" if self.of == "response" else self.reads

    def keys_named(self) -> tuple[str, ...]:
        """The columns."""
        return (*self.question, *self.answer)

    def needs(self) -> tuple[Need, ...]:
        """Equal questions in one bucket; the keys and places of the other datasets."""
        if self.of == "response":
            return ()
        return (self._keys(), *(Need(self._row_keys(), name) for name in self.against), *plain_needs(self.against))

    def measure(self, data: View) -> Measured:
        """Bucket by bucket: questions with more than one answer."""
        if self.of == "response":
            return self._responses(data)
        several = pl.col("answered").n_unique().over("asked") > 1
        found, count = [_NONE], 0
        for bucket in data.buckets(self._keys()):
            keys = bucket.select("row", "asked", "answered").collect()
            count += keys.height
            found.append(_with_rival(keys.filter(several).sort("row")))
        rows = pl.concat(found).sort("row").lazy()
        across, shared = self._across(data)
        silent = total(data.rows) - count
        lack = Message.plural(
            "{n:,} row has no question with an answer to compare",
            "{n:,} rows have no question with an answer to compare",
            silent,
        )
        return Measured(
            (
                *rates("rate", rows, data.rows, by=self.by, rows=data.rows),
                *rates("overwritten", rows.filter("overwritten"), data.rows, by=self.by, rows=data.rows),
                *rates("across", across, data.rows, by=self.by, rows=data.rows),
                *rates("shared", shared, data.rows, by=self.by, rows=data.rows),
                *rates("unlike", _NONE.lazy(), data.rows),
                *rates("labels", _NONE.lazy(), data.rows),
                *rates("same_response", _NONE.lazy(), data.rows),
            ),
            evidence=pl.concat(
                [
                    quoted(data, rows.select("row", "other_row"), WHOLE).with_columns(
                        problem=pl.lit("conflicting_answer")
                    ),
                    *(self._told(data, across, name) for name in self.against),
                ],
                how="diagonal",
            ),
            not_checked=(lack,) if silent else (),
        )

    def _responses(self, data: View) -> Measured:
        """Responses to one prompt that share little; nothing is said of golds."""
        pairs = rival_responses(data, self.normalise, _FREE)
        found = _NO_PAIRS if pairs is None else pairs
        unlike = found.lazy().filter(pl.col("score") < self.alike).select("row", "other_row", "score")
        labels = both_labels(data, self.normalise).lazy()
        shared = shared_responses(data, self.alike).lazy()
        found_of = {"unlike": unlike, "labels": labels, "same_response": shared}
        values = [
            value
            for name in self.metrics
            for value in rates(name, found_of.get(name, _NONE.lazy()), data.rows, by=self.by, rows=data.rows)
        ]
        listed = {"unlike_response": unlike, "both_labels": labels, "same_response": shared}
        tables = [
            placed(quoted(data, pairs, "response"), data.rows).with_columns(problem=pl.lit(problem))
            for problem, pairs in listed.items()
        ]
        evidence = pl.concat(tables, how="diagonal")
        # which of the rows of one response has the right one, no rule can tell: places, and no rows to drop
        row = pl.when(pl.col("problem") != "same_response").then("row")
        return Measured(
            tuple(values), evidence=evidence.with_columns(row), not_checked=(_SEVERAL,) if pairs is None else ()
        )

    def _across(self, data: View) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Rows whose question has another answer there (with the first such place), and those that are there whole."""
        nothing = pl.LazyFrame(schema={"row": pl.UInt64, "name": pl.String})
        if not self.against:
            return nothing, nothing
        keys = ["row", "asked", "answered"]
        empty = pl.LazyFrame(schema=dict.fromkeys(keys, pl.UInt64))
        own = pl.concat([empty, *(bucket.select(keys) for bucket in data.buckets(self._keys()))]).collect()
        found = []
        for name in self.against:
            at = pl.concat_str(pl.lit(f"{name}/"), place())
            places = data[Need("rows", name)].select("row", name=pl.lit(name), other=at)
            theirs = data[Need(self._row_keys(), name)].join(places, on="row").rename({"row": "other_row"})
            found.append(own.lazy().join(theirs, on="asked", suffix="_there").collect())
        both = pl.concat(found)
        differs = pl.col("answered") != pl.col("answered_there")
        across = both.filter(differs).sort("row", "other").unique("row", keep="first", maintain_order=True)
        shared = both.filter(~differs).select("row").unique()
        return across.select("row", "name", "other", "other_row").lazy(), shared.lazy()

    def _told(self, data: View, across: pl.LazyFrame, name: str) -> pl.LazyFrame:
        """Evidence of the rows that a dataset answers otherwise."""
        there = quoted(data, across.filter(pl.col("name") == name), WHOLE, name)
        return there.drop("name", "other_row").with_columns(problem=pl.lit("conflicting_answer_across"))


_SEVERAL = Message("many prompts have several responses, which is taken as how the set was made")
# Prompts that one answers as one likes.
_FREE = ascii_edges(
    r"(?i)\b(?:poem|haiku|story|joke|song|random|hello|hi|hey|thanks?|thank you|ok(?:ay)?|yes|no|continue|go on|next"
    r"|more)\b|诗|故事|笑话|随机|你好|您好|谢谢|好的|继续|接着|繼續|下一"
)
_NO_PAIRS = pl.DataFrame(schema={"row": pl.UInt64, "other_row": pl.UInt64, "score": pl.Float64})
_NONE = pl.DataFrame(schema={"row": pl.UInt64, "other_row": pl.UInt64, "overwritten": pl.Boolean})


def _with_rival(rows: pl.DataFrame) -> pl.DataFrame:
    """Name for each row the first one with the same question and another answer; rows in order."""
    first = pl.col("row").first().over("asked")
    rival = pl.col("row").filter(pl.col("answered") != pl.col("answered").first()).first().over("asked")
    is_first = pl.col("answered") == pl.col("answered").first().over("asked")
    return rows.select(
        "row",
        other_row=pl.when(is_first).then(rival).otherwise(first),
        overwritten=pl.col("answered") != pl.col("answered").last().over("asked"),
    )


def as_one_likes(prompt: str) -> bool:
    """Whether a prompt is one that has many good answers."""
    return bool(pl.Series([prompt]).str.contains(_FREE).item())
