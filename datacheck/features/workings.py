"""Worked solutions that do not bear out their gold: sums that are wrong, and golds to which the working never comes."""

import polars as pl

_MARK = "####"
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"  # no \d: it takes digits of other scripts, which are no Float64
_GOLD = rf"{_MARK}\s*[$€£¥]?\s*({_NUMBER})\s*%?\s*$"
_SUM = rf"<<({_NUMBER})([*/+-])([0-9]+(?:\.[0-9]+)?)=({_NUMBER})>>"
_TOLD = rf"=({_NUMBER})>>([0-9][0-9,]*(?:\.[0-9]+)?)"  # `=24>>24`
_WHOLE_GOLD = r"^-?(?:[0-9]{2,15}|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,4})$"
# 3, 0.5, 1/2 behind a sign, a name and a relation (`x=-3`, `a\ge1/2`), once blanks and braces are gone
_VALUE = r"^(?:[A-Za-z](?:=|<|>|\\[lg]eq?))?[-−]?([0-9]+(?:\.[0-9]+)?)(?:/([0-9]+))?$"
_RATIO = r"([0-9]+(?:\.[0-9]+)?)/([0-9]+(?:\.[0-9]+)?)"
_LEAST, _MOST = 50, 0.6  # such golds, and the share that stands in solutions, from which on the others should
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
    """`row`, `where`, `text`: golds that are numbers, and not among those of a solution.

    golds: `row`, `where`, `gold`; solutions: `row`, `text`, beside the gold. Numbers below ten, decimals and fractions
    may stand in words ("none") or in another form: they are named only where most of them do stand in their solutions.
    Digits that are set apart (`1{,}080`, `6 6 7`) are one number. Of 8,200 rows of MATH and of CARP in Chinese it is
    true of 1; of 195 of the 976 of CARP's English test, from row 600 on.
    """
    plain = _bare(pl.col("gold"))
    whole = pl.col("gold").str.contains(_WHOLE_GOLD)
    top, below = (plain.str.extract(_VALUE, group).cast(pl.Float64, strict=False) for group in (1, 2))
    digits = pl.col("gold").str.replace_all(",", "", literal=True).cast(pl.Float64, strict=False).abs()
    value = pl.when(whole).then(digits).otherwise(top / pl.when(below.is_null()).then(1.0).otherwise(below))
    given = golds.select("row", "where", text="gold", whole=whole, value=value).drop_nulls("value")
    close = pl.col("solution")
    for _ in range(_PASSES):
        close = close.str.replace_all(_SET_APART, "$1$2")
    found = given.join(solutions.select("row", solution="text"), on="row", how="inner", maintain_order="left")
    bare = _bare(pl.col("solution"))
    found = found.with_columns(
        worked=pl.concat_list(_numbers(pl.col("solution")), _numbers(close)),
        parted=pl.concat_list(_numbers(bare), _quotients(bare)),
    ).drop("solution")
    held = pl.col("worked").list
    stands = held.contains(pl.col("value")) | held.contains(pl.col("value") / _PARTS)
    table = found.filter(held.len() > _FEW).with_columns(
        stands=stands | (~pl.col("whole") & pl.col("parted").list.contains(pl.col("value")))
    )
    others = pl.col("stands").filter(~pl.col("whole"))
    usual = (others.len() >= _LEAST) & (others.mean() >= _MOST)
    return table.filter(~pl.col("stands"), pl.col("whole") | usual).select("row", "where", "text")


def _bare(text: pl.Expr) -> pl.Expr:
    r"""Formulas without blanks, braces and type: `\frac { 1 } { 2 }` and `\mathbf{1}/2` are 1/2."""
    text = text.str.replace_all(r"\\(?:mathbf|mathrm|text|boldsymbol|bm|left|right|displaystyle)|[\s$]|\\[,;! ]", "")
    return text.str.replace_all(r"\\[dt]?frac\{*([0-9]+)\}*\{*([0-9]+)\}*", "$1/$2").str.replace_all(r"[{}]", "")


def _quotients(text: pl.Expr) -> pl.Expr:
    parts = pl.element().str.extract_groups(_RATIO).struct
    value = parts.field("1").cast(pl.Float64) / parts.field("2").cast(pl.Float64)
    return text.str.extract_all(_RATIO).list.eval(value)


def _numbers(text: pl.Expr) -> pl.Expr:
    return text.str.extract_all(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+").cast(pl.List(pl.Float64))
