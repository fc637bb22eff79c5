"""The sums that answers work out, and which of them are wrong."""

import re

import polars as pl

from datacheck.check import Feature, View, learnt
from datacheck.features.golds import SOLUTION
from datacheck.features.turn_texts import messages, of_rows, without_code
from datacheck.text.chinese import in_both_scripts
from datacheck.text.equations import Equation, equations

_SUM = r"[0-9%] ?= ?(?:\*\*|\\boxed\{)?[-−]?(?:\\?[$¥￥€£])?[0-9]"  # what every sum holds
_THINKING = r"(?s)<think(?:ing)?>.*?(?:</think(?:ing)?>|\z)"  # people and models try there, and correct themselves
_ANNOTATION = r"<<[^<>\n]{0,80}>>"  # of GSM8K, between the equals sign and the result
_LONGEST = 200_000  # characters of one text that are read
_NEAR = 80  # characters around a sum in which it may be called wrong
_SHOWN = 40  # characters that are shown before it
_DISPUTED = re.compile(
    in_both_scripts(
        r"(?i)\bwait\b|incorrect|\bwrong|mistake|\berrors?\b|\bnot\b|n't\b|≠|\boops|\bactually\b"
        r"|should (?:be|have)"
        r"|\bfalse\b|\binstead\b|不对|错|不等|应为|应该?是|不成立|不是|而不|更正"
    )
)
# Where numbers are not decimal, or signs mean something else.
_OTHERWISE = re.compile(
    in_both_scripts(
        r"(?i)\bmod(?:ulo|ular)?\b|\bbinary\b|\bhex|\boctal|\bbase[- ]?\d|\bxor\b|puzzle|riddle|operator"
        r"|\bpattern\b"
        r"|\bclock\b|进制|取模|模\s*\d|异或|新运算|规定|定义|谜|规律|时钟"
    )
)


class Sums(Feature):
    """`row`, `where`, `text`, `detail`: a line per text with a wrong sum, and one with `row` only per judged text.

    Read are what the assistant says and is to learn, and worked solutions beside a gold. Left out are code, thinking,
    sums that the prompt brings, those that are called wrong, and rows where signs or numbers may mean something else.
    `text` is the first wrong sum with what stands before it, `detail` the right one.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "text": pl.String, "detail": pl.String}

    def compute(self, part: View) -> pl.DataFrame:
        """Read the texts that hold a sum, and the prompts of their rows."""
        unwanted = part.rows.filter(pl.col("label") == "false").select("row")
        told = _told(part).filter(pl.col("text").str.contains(_SUM))
        found = told.join(unwanted, on="row", how="anti", maintain_order="left").with_columns(_plain()).collect()
        asked = messages(part.turns).filter(pl.col("role").ne_missing("assistant"), pl.col("part") == "prompt")
        whole = of_rows(asked, found.lazy()).group_by("row").agg(pl.col("text").str.join("\n"))
        prompts = dict(whole.select("row", "text").collect().iter_rows())
        lines: list[tuple[int, str | None, str | None, str | None]] = []
        for row, where, text in found.select("row", "path", "text").iter_rows():
            judged = _judged(text, prompts.get(row, ""))
            lines += [(row, None, None, None)] * bool(judged)
            wrong = next((each for each in judged if not each.holds), None)
            if wrong:
                lines.append((row, where, _shown(text, wrong), f"{wrong.left} = {wrong.result}"))
        return pl.DataFrame(lines, schema=self.columns, orient="row")


def _told(part: View) -> pl.LazyFrame:
    """What is to be learned of a row, and the worked solution beside its gold: `row`, `path`, `text`."""
    learned = learnt() | (pl.col("part") == "answer")  # a gold may be nothing but a sum
    said = messages(part.turns, plain=True).filter(learned | _earlier())
    worked = part.cells.filter(pl.col("path").str.contains(SOLUTION), pl.col("text").is_not_null())
    return pl.concat([each.select("row", "path", "text") for each in (said, worked)], how="vertical_relaxed")


def _earlier() -> pl.Expr:
    return (pl.col("part") == "prompt") & (pl.col("role") == "assistant")


def _plain() -> pl.Expr:
    """The text without annotations, thinking and code."""
    short = pl.col("text").str.slice(0, _LONGEST).str.replace_all(_ANNOTATION, "").str.replace_all(_THINKING, " ")
    return without_code(short)


def _judged(text: str, prompt: str) -> list[Equation]:
    """The sums of a text that are to be right."""
    found = list(equations(text))
    if all(each.holds for each in found):
        return found
    if _OTHERWISE.search(text) or _OTHERWISE.search(prompt):
        return []
    given = "".join(prompt.split())
    return [each for each in found if each.holds or not (_brought(each, given) or _disputed(each, text))]


def _brought(each: Equation, prompt: str) -> bool:
    """Whether the left side stands in the prompt: a puzzle ("if 2 + 3 = 10"), a choice, a sum to be judged."""
    return "".join(each.left.split()) in prompt and "=" in prompt


def _disputed(each: Equation, text: str) -> bool:
    return _DISPUTED.search(text, max(0, each.start - _NEAR), each.end + _NEAR) is not None


def _shown(text: str, each: Equation) -> str:
    start = max(0, each.start - _SHOWN)
    return f"{'…' * bool(start)}{text[start : each.end]}"
