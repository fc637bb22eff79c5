"""Count the rows with a message or answer that says nothing."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Feature, Limit, Measured, Message, Metric, Need, View, learnt, rates, total
from datacheck.text.views import alone

# White space, control and format characters (zero-width space, BOM, bidi marks), Hangul fillers, the Braille blank,
# variation selectors and the combining grapheme joiner: all that shows nothing on a screen.
_UNSEEN = r"[\s\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\x{115F}\x{1160}\x{3164}\x{FFA0}\x{2800}\x{FE00}-\x{FE0F}\x{034F}]"
_SPACE = r"^\s+$"
_INVISIBLE = f"^{_UNSEEN}+$"
_PUNCTUATION = r"^(?:\p{P}|" + _UNSEEN + ")+$"
# A gold answer may well be "]", "-" or "!'"; only marks of one kind that end or part a sentence are no answer.
_SENTENCE_MARKS = r"^\s*(?:(?:[.。．…,，、;；:：·~～]|" + _UNSEEN + r")+|[!！]+|[?？]+|[\"“”]+|['‘’]+)\s*$"
_NOTHING_FOUND = r"^\s*(?:\{\s*\}|\[\s*\])\s*$"  # JSON: the answer of an extraction that finds nothing
_ECHO = 20  # characters from which on an answer that is its question says nothing
_ONLY_THOUGHT = r"</think>\s*$"
_ANSWERS = ("response", "chosen", "rejected", "candidate")


class EmptyTurns(Check):
    """Messages, answers and texts that are empty, invisible, null or no text; answers of punctuation or thinking only.

    A message that is a number, a boolean or an object is no text (`not_text`); a gold answer may be a number. Fine
    are: an assistant message without content beside tool calls, a tool that returns nothing, an empty system prompt,
    blank answer options, a message that holds an image instead of text, `{}` and `[]` (JSON of an extraction that finds
    nothing). Emoji are content.
    """

    metrics = {
        "rate": Metric(
            "rows with a message that says nothing",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="an empty message is never meant, and an empty answer teaches to say nothing",
        )
    }

    reads = "text"
    check: Literal["empty_turns"] = "empty_turns"

    def needs(self) -> tuple[Need, ...]:
        """The turns that say nothing."""
        return (Need(EmptyTexts()),)

    def measure(self, data: View) -> Measured:
        """Give each turn its problem, if it has one."""
        every = data[Need(EmptyTexts())].collect().lazy()
        found, silent = every.drop_nulls("problem"), total(every.filter(pl.col("problem").is_null()))
        lack = Message.plural(
            "{n:,} row has no message, answer or text to look at",
            "{n:,} rows have no message, answer or text to look at",
            silent,
        )
        return Measured(
            rates("rate", found, data.rows, by=self.by, rows=data.rows),
            evidence=found,
            not_checked=(lack,) if silent else (),
        )


class EmptyTexts(Feature):
    """`row`, `problem`, `where` of turns that say nothing; without a problem the rows that have no turn to look at."""

    columns = {"row": pl.UInt32, "problem": pl.String, "where": pl.String}

    def compute(self, part: View) -> pl.DataFrame:
        """Look at each turn, then at the rows that have none."""
        judged = _judged(part.turns).collect().lazy()  # hardly any
        found = _without_media(judged, part.cells).select("row", "problem", where="path")
        return alone(pl.concat([found, _silent(part.turns, part.rows)], how="diagonal").collect())


def _judged(turns: pl.LazyFrame) -> pl.LazyFrame:
    """One line per turn with a problem; `list`: its content is a list without text."""
    judged = turns.filter(_must_speak())
    empty = (pl.col("content_type") == "array") & pl.col("text").is_null()
    found = judged.select("row", "path", problem=_problem(), list=empty.fill_null(value=False)).drop_nulls("problem")
    return pl.concat([found, _echoes(judged)])


def _silent(turns: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """The rows that have no such turn."""
    return rows.join(turns.filter(_must_speak()), on="row", how="anti").select("row")


def _echoes(judged: pl.LazyFrame) -> pl.LazyFrame:
    """Answers that are the question once more, word for word; short ones may greet or agree."""
    said = judged.filter(learnt(), pl.col("text").str.len_chars() >= _ECHO)
    asked = judged.filter(pl.col("part") == "prompt", pl.col("role") == "user").select("row", "text").unique()
    again = said.join(asked, on=["row", "text"], how="semi", maintain_order="left")
    return again.select("row", "path", problem=pl.lit("repeats_question"), list=pl.lit(value=False))


def _must_speak() -> pl.Expr:
    """Turns that must not be empty."""
    part, role = pl.col("part"), pl.col("role").fill_null("")
    calls = (role == "assistant") & pl.col("tool_calls").is_not_null()
    message = part.is_in(["prompt", *_ANSWERS]) & ~role.is_in(["system", "tool"]) & ~calls
    return message | part.is_in(["answer", "text"])


def _problem() -> pl.Expr:
    text, part = pl.col("text"), pl.col("part")
    marks = (part == "answer") & text.str.contains(_SENTENCE_MARKS)
    # Earlier answers of a conversation are trained too.
    said = part.is_in(_ANSWERS) | (pl.col("role") == "assistant").fill_null(value=False)
    marks |= said & text.str.contains(_PUNCTUATION) & ~text.str.contains(_NOTHING_FOUND)
    return (
        pl.when(text.is_null() & (pl.col("content_type") == "missing"))
        .then(pl.lit("missing_content"))
        .when(text.is_null() & (pl.col("content_type") != "object"))
        .then(pl.lit("null_content"))
        .when(~part.is_in(["answer", "text"]) & _no_text())
        .then(pl.lit("not_text"))
        .when(text == "")
        .then(pl.lit("empty"))
        .when(text.str.contains(_SPACE))
        .then(pl.lit("only_white_space"))
        .when(text.str.contains(_INVISIBLE))
        .then(pl.lit("invisible"))
        .when(said & (part != "rejected") & text.str.contains(_ONLY_THOUGHT))
        .then(pl.lit("only_thinking"))
        .when(marks)
        .then(pl.lit("only_punctuation"))
    )


def _no_text() -> pl.Expr:
    """A message that is a number, a boolean or an object: templates print it as code, or stop."""
    return pl.col("content_type").is_in(["number", "boolean"]) | (
        (pl.col("content_type") == "object") & pl.col("tool_calls").is_null()
    )


def _without_media(found: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """Leave out contents that are a list without text but with something else in it: an image, a sound."""
    lists = found.filter("list").select("row", "path")
    inside = cells.join(lists.select("row").unique(), on="row", how="semi").select("row", inner="path")
    media = lists.join(inside, on="row").filter(pl.col("inner").str.starts_with(pl.concat_str("path", pl.lit("["))))
    return found.join(media, on=["row", "path"], how="anti")
