"""The check prompt_echo."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Metric, View, rates
from datacheck.features.turn_texts import (
    evidence,
    flagged,
    looks_like_code,
    messages,
    of_rows,
    per_kind,
    piecewise,
    texts_of,
)
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges

_WHOLE = 15  # bytes of a prompt from which on an answer that is nothing else counts: five Chinese characters
_END = 10  # characters at the end that are compared first
_HEAD = 100  # characters that are compared first, for little memory
# A prompt that asks for its own words, or that stops in the middle for the answer to write on.
_ASKED = ascii_edges(
    r"(?i)repeat|verbatim|\becho|recite|\bcopy|\bquote|(?:begin|start)s? with|word for word"
    r"|重复|复述|背诵|朗诵|抄写|照抄|原样|原文|开头|(?:[,，、…]|\.\.\.|__|——)\s*$"
)
# Who asks for this may get a text back as it was.
_KEPT = ascii_edges(
    r"(?i)correct|grammar|proofread|punctuat|\berrors?\b|mistake|typo|\bfix|\bsort|\border\b|arrange|organi[sz]|chronolog|sequence|\bedit|format|clean"
    r"|改错|改正|纠正|纠错|语病|病句|语法|错别字|标点|校对|润色|排序|排列|整理|修改|修正"
)
_LEAST = 30  # bytes of such an input
_SPEAKER = in_both_scripts(
    r"^\s*(?:\*\*)?(?:Human|User|USER|Question|Q|Instruction|Prompt|用户|人类|问题?|提问)(?:\*\*)? ?[:：](?:\*\*)?\s*"
    r"|^\s*> ?"  # as mails and forums quote what they answer
)
_LABEL = 20  # characters of it


class PromptEcho(Check):
    """Share of rows whose answer begins with the message before it, word for word.

    The whole prompt must stand there, if need be behind a label (`Human: `, 用户：); white space at the ends does not
    count, nor a prompt below `bytes` (30: ten Chinese characters; 15 where the prompt is all that is answered, which
    `whole` counts). An answer that is all that stands behind the prompt's first line is the input once more
    (`input_only`), unless corrections or an order were asked for. Prompts that ask for their own words (repeat, quote,
    复述) or stop in the middle, within an open bracket too, are fine, and so is code, which completions repeat.
    """

    metrics = {
        "rate": Metric(
            "rows whose answer begins with its prompt",
            "share",
            of="rows",
            limit=Limit(warn_max=0.005),
            why="writers repeat a question now and then; above 1 row in 200 a script did it",
        ),
        "whole": Metric(
            "rows whose answer is its prompt and nothing else",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="there is no answer in it",
        ),
    }

    reads = "answer"
    check: Literal["prompt_echo"] = "prompt_echo"
    bytes: int = Field(default=30, ge=1, description="least length of a prompt that is looked for, in UTF-8")

    def measure(self, data: View) -> Measured:
        """Compare the heads of neighbouring texts; where one begins with the other, compare them whole."""
        texts = texts_of(data, plain=False)
        whole = (
            of_rows(texts, piecewise(data, self._suspect))
            .with_columns(pl.col("text").str.strip_chars())
            .with_columns(text=_unlabelled())
            .collect()
            .lazy()
        )
        wanted = _before("text").str.contains(_ASKED) | looks_like_code(_before("text")) | _open(_before("text"))
        # "The causes of rust" may be the subject of the first sentence too: words go on only behind a mark.
        after = pl.col("text").str.slice(_before("text").str.len_chars(), 1)
        apart = _before("text").str.contains(r"[^\p{L}\p{N}]$") | ~after.str.contains(r"[\p{L}\p{N}]")
        echo = pl.when(self._echoes(self.bytes)).then(apart & ~wanted)
        only = pl.when(self._echoes(_WHOLE)).then(~wanted & (pl.col("text") == _before("text")))
        given = _before("text").str.splitn("\n", 2).struct.field("field_1").str.strip_chars()
        again = (pl.col("role") == "assistant") & (_before("row") == pl.col("row")) & (given == pl.col("text"))
        again &= (pl.col("text").str.len_bytes() >= _LEAST) & ~_before("text").str.contains(_KEPT) & ~wanted
        kinds = {"prompt_echo": pl.col("echo") & ~pl.col("only").fill_null(value=False), "prompt_only": pl.col("only")}
        kinds["input_only"] = pl.col("again")
        found = flagged(whole.with_columns(echo=echo, only=only, again=again), kinds).drop("echo", "only", "again")
        alone = found.filter(pl.col("problem") != "prompt_echo")
        return Measured(
            (
                *rates("rate", found, data.rows, by=self.by, rows=data.rows),
                *rates("whole", alone, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=evidence(found, texts),
            figures={"kinds": per_kind(found)},
        )

    def _suspect(self, turns: pl.LazyFrame) -> pl.LazyFrame:
        """The rows with a text whose head begins as the last one of its user does, or whose end is its end."""
        text = pl.col("text").str.strip_chars()
        heads = messages(turns).select("row", "role", text=text.str.slice(0, _HEAD + _LABEL), end=text.str.tail(_END))
        heads = heads.with_columns(text=_unlabelled().str.slice(0, _HEAD))
        said = (pl.col("role") == "assistant") & (_before("row") == pl.col("row"))
        ends = said & (_before("end") == pl.col("end")) & (pl.col("text").str.len_bytes() >= _LEAST)
        return heads.filter(self._echoes(min(self.bytes, _WHOLE)) | ends).select("row").unique()

    def _echoes(self, least: int) -> pl.Expr:
        """Whether a text of the assistant begins with the last one that its user said, of so many bytes."""
        return (
            (pl.col("role") == "assistant")
            & (_before("row") == pl.col("row"))
            & (_before("text").str.len_bytes() >= least)
            & pl.col("text").str.starts_with(_before("text"))
        )


def _open(text: pl.Expr) -> pl.Expr:
    """Whether a text is a bracket that is not closed, as of code or JSON to write on."""
    opened, closed = text.str.count_matches(r"[(\[{]"), text.str.count_matches(r"[)\]}]")
    return text.str.contains(r"^\s*[(\[{]") & (opened > closed)


def _unlabelled() -> pl.Expr:
    """The text; of an answer that begins with its prompt behind a label (`Human: …`) what stands behind that."""
    bare = pl.col("text").str.replace(_SPEAKER, "")
    labelled = (pl.col("role") == "assistant") & ~_begins(pl.col("text")) & _begins(bare)
    return pl.when(labelled).then(bare).otherwise("text")


def _begins(text: pl.Expr) -> pl.Expr:
    """Whether a text begins as the last one that its user said does."""
    return text.str.starts_with(_before("text").str.slice(0, _HEAD)).fill_null(value=False)


def _before(column: str) -> pl.Expr:
    """What `column` says of the last message of a user, in this row or in one before it."""
    return pl.when(pl.col("role") == "user").then(column).forward_fill()
