"""Worked solutions that do not bear out their gold: sums that are wrong, and golds to which the working never comes."""

import re

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.golds import Of

_MARK = "####"
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"  # no \d: it takes digits of other scripts, which are no Float64
_GOLD = rf"{_MARK}\s*[$€£¥]?\s*({_NUMBER})\s*%?\s*$"
_SUM = rf"<<({_NUMBER})([*/+-])([0-9]+(?:\.[0-9]+)?)=({_NUMBER})>>"
_TOLD = rf"=({_NUMBER})>>([0-9][0-9,]*(?:\.[0-9]+)?)"  # `=24>>24`
_WHOLE_GOLD = r"^-?(?:[0-9]{2,15}|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,4})$"
_SET_APART = r"([0-9])(?:[ ,]|\{,\}|\\[,;! ])+([0-9])"
_PASSES = 3  # each joins every other pair
_PARTS = 100  # cents, per cent
_FEW = 3  # numbers, each counted twice
_ROUNDED = 0.011  # of the result, and at least this: what two decimals leave out
_WHOLE = 1.0  # quotients are rounded to whole things, too


def wrong_sums(solutions: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `where`, `text`: the calculator annotations of GSM8K (`<<48/2=24>>`) of two numbers that do not add up.

    And those behind which another number stands than their result (`<<450/2=228>>225`); none of 23,629 of GSM8K's.
    """
    sums = solutions.select("row", where="path", text=pl.col("text").str.extract_all(_SUM)).explode("text").drop_nulls()
    left, right, said = (pl.col("text").str.extract(_SUM, group).cast(pl.Float64) for group in (1, 3, 4))
    sign = pl.col("text").str.extract(_SUM, 2)
    true = pl.when(sign == "+").then(left + right).when(sign == "-").then(left - right)
    true = true.when(sign == "*").then(left * right).when(right != 0).then(left / right)
    slack = pl.when(sign == "/").then(_WHOLE).otherwise(_ROUNDED) + true.abs() * _ROUNDED
    wrong = sums.filter((true - said).abs() > slack)
    told = (
        solutions.select("row", where="path", text=pl.col("text").str.extract_all(_TOLD)).explode("text").drop_nulls()
    )
    result = pl.col("text").str.extract(_TOLD, 1).cast(pl.Float64)
    written = pl.col("text").str.extract(_TOLD, 2).str.replace_all(",", "").cast(pl.Float64, strict=False)
    other = (result - written).abs() > _ROUNDED * pl.max_horizontal(result.abs(), 1)
    return pl.concat([wrong, told.filter(other)]).unique(["row", "where"], keep="first", maintain_order=True)


def unreached(solutions: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `where`, `text`: golds behind #### that are a number, of a working with two numbers at least, not its."""
    plain = pl.col("text").str.replace_all(r"([0-9]),([0-9]{3})", "$1$2")
    before = plain.str.extract(rf"(?s)^(.*){_MARK}")
    spaced = before.str.replace_all(r"([0-9]) ([0-9]{3})", "$1$2")  # 100 000
    worked = pl.concat_list(_numbers(before), _numbers(spaced))
    found = solutions.select("row", where="path", text=plain.str.extract(_GOLD), worked=worked).drop_nulls("text")
    value, held = pl.col("text").cast(pl.Float64).abs(), pl.col("worked").list
    reached = held.contains(value) | held.contains(value / _PARTS)
    return found.filter(held.len() > _FEW, ~reached).drop("worked")


def unreached_beside(golds: pl.LazyFrame, solutions: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `where`, `text`: golds that are whole numbers of two digits and more, and not among those of a solution.

    golds: `row`, `where`, `gold`; solutions: `row`, `text`, beside the gold. Smaller numbers stand in words ("none"),
    fractions and decimals in other forms. Digits that are set apart (`1{,}080`, `6 6 7`) are one number.
    """
    given = golds.filter(pl.col("gold").str.contains(_WHOLE_GOLD)).select("row", "where", text="gold")
    close = pl.col("solution")
    for _ in range(_PASSES):
        close = close.str.replace_all(_SET_APART, "$1$2")
    found = given.join(solutions.select("row", solution="text"), on="row", how="inner", maintain_order="left")
    found = found.with_columns(worked=pl.concat_list(_numbers(pl.col("solution")), _numbers(close))).drop("solution")
    value = pl.col("text").str.replace_all(",", "", literal=True).cast(pl.Float64).abs()
    held = pl.col("worked").list
    return found.filter(held.len() > _FEW, ~(held.contains(value) | held.contains(value / _PARTS))).drop("worked")


class ForeignSolutions(Feature):
    """`row`, `where`: worked solutions with `####` that speak of nothing that their question does.

    A question with two numbers at least, none of which the solution has, as it stands or in cents; or, where it has
    some and not all, a question of four Latin words at least (of four letters, by their first five) of which it has
    none. Of GSM8K's 8,792 solutions it is true of none; of those of other rows of 3 in 4. Solutions by formulas
    (AIME's) leave numbers of their question out: they have no such mark.
    """

    columns = {"row": pl.UInt32, "where": pl.String}

    of: Of

    def compute(self, part: View) -> pl.DataFrame:
        """Compare numbers of all; words of those whose solution leaves a number of the question out."""
        text = pl.col("text")
        marked = part.turns.filter(pl.col("part") == self.of, text.str.contains(_MARK, literal=True))
        solutions = marked.select("row", where="path", worked=text.str.extract(rf"(?s)^(.*?){_MARK}"))
        prompts = part.turns.filter(pl.col("part") == "prompt", pl.col("role").ne_missing("assistant"))
        asked = prompts.group_by("row").agg(asked=text.fill_null("").str.join("\n"))
        both = solutions.join(asked, on="row", how="inner", maintain_order="left")
        both = both.with_columns(theirs=_values("asked").list.unique(), own=_values("worked"))
        left = pl.col("theirs").list.set_difference("own").list.len()
        few = both.filter(pl.col("theirs").list.len() >= _TWO, pl.col("own").list.len() >= _TWO, left > 0).collect()
        texts = few.select("theirs", "own", "asked", "worked").iter_rows()
        return few.filter(pl.Series([_strange(*each) for each in texts], dtype=pl.Boolean)).select(self.columns.keys())


def _strange(theirs: list[float], own: list[float], asked: str, worked: str) -> bool:
    cents = {each * times for each in own for times in (1, _PARTS)} | {each / _PARTS for each in own}
    held = sum(each in cents for each in theirs)
    if not held or held == len(theirs):
        return not held
    words, said = ({each[:5].lower() for each in _WORD.findall(text)} - _COMMON for text in (asked, worked))
    return len(words) >= _FOUR and len(said) >= _FOUR and not any(each in worked.lower() for each in words)


_WORD = re.compile("[A-Za-z]{4,}")
_TWO, _FOUR = 2, 4
_COMMON = frozenset(
    """
    many much there each every does have will what when then with than that this from total numbe more find time they
    their left need
    """.split()
)


def _values(column: str) -> pl.Expr:
    close = pl.col(column)
    for _ in range(_TWO):  # 1,000,000: each takes every other comma
        close = close.str.replace_all(r"([0-9]),([0-9]{3})", "$1$2")
    return _numbers(close)


def _numbers(text: pl.Expr) -> pl.Expr:
    return text.str.extract_all(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+").cast(pl.List(pl.Float64))
