"""What tells a task with a short gold from another one in nearly the same words."""

import re

import polars as pl

from datacheck.features.texts import only, row_texts
from datacheck.text.chinese import in_both_scripts
from datacheck.text.graders import TAKERS, choice, number

LETTERS = 80  # bytes of letters, LaTeX's commands not counted; a longer gold is prose, which a copy may say otherwise
LONGEST = 2_000  # code points

_ALONE = r'^\["?([^",\[\]]*)"?\]$'  # ["309"]: a list of one
_DRESS = r"\\left|\\right|\\[,;! ]|[\s$]"  # how a formula is set, not what it says
_AT_THE_END = ".。,，;；"
# Numbers that a collection gives to its tasks: `12.`, `Question 12:`, `第12题`, and `(12)` behind the last sentence.
_NUMBERED = in_both_scripts(
    r"(?i)^\s*(?:(?:question|problem|exercise|example|task|no|q|第)\s*[.#:]?\s*)?[(（\[【#]?\d+\s*[)）\]】.、:：题]+"
    r"|[\s?!.。？！,，;；:：][(（\[【]\s*\d+\s*[)）\]】]\s*$"
)
_NO_LETTERS = re.compile(r"\\[A-Za-z]+|[\W\d_]+")
_NUMBERS = in_both_scripts(
    r"\d+|[一二三四五六七八九十百千万亿两零〇]{2,}"
)  # 三十六; one such character is often no number
_THOUSANDS = r"(\d),(\d{3})"
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTERED = r"^[(（\[]?[A-Z][)\]）.．:：、]\s*"  # (B) before what an option says


def tasks(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `task`: the gold and the numbers of the question, of each row whose gold is a number or short.

    The gold is the last line, or box, of the answer, as rewards read it: a number by its value, a formula without
    what only sets it. The letter of an option stands for what that option says, for a copy may have its options in
    another order; without options of their own it says nothing.
    """
    golds = _golds(turns)
    if golds.is_empty():
        return pl.LazyFrame(schema={"row": pl.UInt32, "task": pl.String})
    asked = pl.col("text").str.normalize("NFKC").str.replace_all(_NUMBERED, " ").str.replace_all(_THOUSANDS, "$1$2")
    numbers = row_texts(turns, "prompt").select("row", numbers=asked.str.extract_all(_NUMBERS).list.join(" "))
    both = golds.lazy().join(numbers, on="row", how="left", maintain_order="left")
    return both.select("row", task=pl.concat_str("form", pl.col("numbers").fill_null(""), separator="\0"))


def _golds(turns: pl.LazyFrame) -> pl.DataFrame:
    """`row`, `form` of the golds that tell tasks apart; each distinct one is read once."""
    last = turns.filter(pl.col("part") == "answer").group_by("row", maintain_order=True).last()
    plain = pl.col("text").fill_null("").str.split("#### ").list.last().str.replace(_ALONE, "$1")
    golds = _with_chosen(last.select("row", gold=plain).collect(), turns)
    distinct = golds["gold"].unique(maintain_order=True)
    forms = pl.DataFrame({"gold": distinct, "form": map(_form, distinct)}, {"gold": pl.String, "form": pl.String})
    dressed = pl.col("form").str.replace_all(_DRESS, "").str.strip_chars(_AT_THE_END)
    known = golds.join(forms, on="gold", how="left", maintain_order="left")
    return known.select("row", form=dressed).drop_nulls("form")


def _with_chosen(golds: pl.DataFrame, turns: pl.LazyFrame) -> pl.DataFrame:
    """The same with the text of the option in the place of its letter, where a row has such an option."""
    letters = [each for each in golds["gold"].unique() if len(choice(each) or "") == 1]
    if not letters:
        return golds
    named = pl.DataFrame(
        {"gold": letters, "letter": map(choice, letters)}, schema={"gold": pl.String, "letter": pl.String}
    )
    asked = golds.join(named, on="gold", how="left", maintain_order="left")
    name = pl.col("path").str.extract(r"(?:^|[.\]])([A-Z])$")
    options = (
        only(turns, asked.filter(pl.col("letter").is_not_null())["row"].to_numpy())
        .filter(pl.col("part") == "option")
        .select(
            "row",
            letter=name.fill_null(pl.lit(_ALPHABET).str.slice(pl.col("turn"), 1)),
            said=pl.col("text").str.strip_chars().str.replace(_LETTERED, ""),
        )
        .unique(["row", "letter"], keep="first")
        .collect()
    )
    told = asked.join(options, on=["row", "letter"], how="left", maintain_order="left")
    return told.select("row", gold=pl.coalesce("said", "gold"))


def _form(gold: str) -> str | None:
    """The gold to compare by; None where it says nothing on whether two tasks are one."""
    if "boxed" in gold:
        gold = next(reversed(TAKERS["boxed"](gold)), gold)
    value = number(gold)
    if value is not None:
        return value
    if not gold.strip() or len(gold) > LONGEST or choice(gold) is not None:
        return None
    return gold.casefold() if len(_NO_LETTERS.sub("", gold).encode()) <= LETTERS else None
