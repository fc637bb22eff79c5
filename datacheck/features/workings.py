"""Worked solutions that do not bear out their gold: sums that are wrong, and golds to which the working never comes."""

import polars as pl

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


def _numbers(text: pl.Expr) -> pl.Expr:
    return text.str.extract_all(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+").cast(pl.List(pl.Float64))
