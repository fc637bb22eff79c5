"""The gold answer of each row, taken out of its solution as a rule-based reward takes it."""

import json
import re
import unicodedata
from typing import Any, Literal

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.text.chinese import in_both_scripts, simplified
from datacheck.text.graders import TAKERS, agree, latex, taker_of
from datacheck.text.keys import TESTS
from datacheck.text.prose import top_key

Extract = Literal["auto", "whole", "hash", "boxed"]
Of = Literal["answer", "response"]
_BLANK = r'^\[(?:(?:null|"\s*")(?:, )?)+\]$'  # a list of nothing
_LONGEST_WORD = 12  # characters of the words below, with signs around them
_FALSY = ("0", "0.0", "-0.0", "false", "null", "[]", "{}")
_SPACES = re.compile(r"\s+|\\[,;! ]")
# What stands where no answer is known (NuminaMath's "proof" and "notfound", answer keys of exams). "无" and "none" may
# be answers.
_NO_ANSWER = frozenset(
    """
    n/a nan null tbd todo proof notfound not_found ? -- — —— 略 答案略 解略 证明略 过程略 见解析 详见解析
    证明见解析 解析见下 见解答 见答案 待定 待补充 暂无答案
    """.split()
)


class Golds(Feature):
    """`row`, `where`, `gold`, `listed`, `trouble`: one line per row that has such a part.

    `gold` is null where nothing could be taken; where it is `listed`, it is a list of answers of which any is right
    (`alternatives`). `trouble` is empty_answer, falsy_answer (a JSON 0, false, null or [ ]: code
    that asks `if not answer` drops it), no_answer ("略", "N/A"), no_marker, or several_answers (marked answers that
    differ, not only in how LaTeX spells them; the gold is the last); else null.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "gold": pl.String, "listed": pl.Boolean, "trouble": pl.String}

    of: Of
    extract: Extract

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the last turn of the part; each distinct text once."""
        return golds_of(part.turns, self.of, self.extract).select(*self.columns)


def golds_of(turns: pl.LazyFrame, of: Of, extract: Extract) -> pl.DataFrame:
    """The columns of `Golds`, of turns wherever they come from."""
    last = turns.filter(pl.col("part") == of).group_by("row", maintain_order=True).last()
    table = last.select("row", "path", "content_type", pl.col("text").fill_null("")).collect()
    texts = table["text"].unique(maintain_order=True)
    taken = [_taken(text, extract) for text in texts]
    golds = pl.DataFrame(
        {"text": texts, "gold": [gold for gold, _ in taken], "trouble": [trouble for _, trouble in taken]},
        schema={"text": pl.String, "gold": pl.String, "trouble": pl.String},
    )
    marked = pl.lit(value=extract != "auto") | ~top_key().is_in(TESTS)  # tests may hold ####, and mark nothing
    listed = pl.col("content_type").is_in(["array", "object"])
    blank = listed & pl.col("text").str.contains(_BLANK)
    falsy = (pl.col("content_type") != "string") & pl.col("text").is_in(_FALSY)
    trouble = pl.when(falsy).then(pl.lit("falsy_answer")).when(blank).then(pl.lit("empty_answer")).otherwise("trouble")
    found = table.join(golds, on="text", how="left", maintain_order="left").with_columns(
        gold=pl.when(marked).then("gold").otherwise("text"),
        trouble=pl.when(marked | (pl.col("trouble") == "empty_answer")).then("trouble"),
    )
    return found.select("row", "gold", where="path", listed=listed, trouble=trouble)


# The path of a worked solution beside the gold, of which no format speaks.
SOLUTION = in_both_scripts(
    r"^(?:(?:solution|generated_solution|rationale|explanation|analysis|解析|解答|解题过程)(?:\[0\])?|steps)$"
)


class OwnAnswers(Feature):
    """`row`, `where`, `said`, `agrees`: the answer that a row's own solution marks, and whether it is the gold.

    The solution stands beside the gold, as a response or a value of the record (`solution`, as NuminaMath and OpenR1
    have it). Where it marks several answers, one may be the gold. agrees is null where that is not known (`agree`).
    """

    columns = {"row": pl.UInt32, "where": pl.String, "said": pl.String, "agrees": pl.Boolean}

    extract: Extract

    def needs(self) -> tuple[Need, ...]:
        """The golds."""
        return (Need(Golds(of="answer", extract=self.extract)),)

    def compute(self, part: View) -> pl.DataFrame:
        """Hold the marked answers of each solution against the gold of its row."""
        texts = pl.col("text").str.contains_any(["boxed{", "####"])
        said = part.turns.filter(pl.col("part") == "response", texts).select("row", "path", "text")
        told = part.cells.filter(pl.col("path").str.contains(SOLUTION), texts).select("row", "path", "text")
        both = pl.concat([said, told], how="vertical_relaxed").group_by("row", maintain_order=True).last().collect()
        golds = part[self.needs()[0]].drop_nulls("gold").select("row", "gold", "listed").collect()
        rows = both.join(golds, on="row", how="inner", maintain_order="left")
        found = []
        for row, path, text, gold, listed in rows.select("row", "path", "text", "gold", "listed").iter_rows():
            marked = [each for each in TAKERS[taker_of(text)](text) if each]
            if marked:
                same = [agree(one, each) for one in alternatives(gold, listed) for each in marked]
                found.append((row, path, marked[-1], True if True in same else None if None in same else False))
        return pl.DataFrame(found, schema=self.columns, orient="row")


def alternatives(gold: str, listed: bool) -> list[str]:
    """The answers of which any is right: the items of a list, of SQuAD's {"text": […]}, of Search-R1's {"target": …}.

    A list of anything but texts and numbers is one answer, as is an object (a tool call), and a gold that is not
    `listed`.
    """
    value: Any = json.loads(gold) if listed else gold
    if isinstance(value, dict):
        value = value.get("text", value.get("target"))
    items = value if isinstance(value, list) else [value]
    plain = bool(items) and all(isinstance(item, str | int | float) for item in items)
    return [item if isinstance(item, str) else json.dumps(item) for item in items] if plain else [gold]


def _taken(text: str, extract: Extract) -> tuple[str | None, str | None]:
    """The gold and what is wrong with the way in which it is marked."""
    if not text.strip():
        return None, "empty_answer"
    found = TAKERS[taker_of(text) if extract == "auto" else extract](text)
    if not found:
        return None, "no_marker"
    if len(set(found)) > 1 and len(set(map(_spelt, found))) > 1:
        return found[-1], "several_answers"
    if not found[0]:
        return None, "empty_answer"
    return found[0], "no_answer" if _unknown(found[0]) else None


def _spelt(answer: str) -> str:
    """The answer in one of the ways in which LaTeX may spell it."""
    close = _SPACES.sub("", answer)
    return latex(close) or close


def _unknown(gold: str) -> bool:
    """Whether it says that there is no answer: "N/A", "（略）", "……"."""
    if len(gold) > _LONGEST_WORD:
        return False
    plain = simplified(unicodedata.normalize("NFKC", gold)).casefold().strip(" 。.")
    return not plain or plain.removeprefix("(").removesuffix(")") in _NO_ANSWER
