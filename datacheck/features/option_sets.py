"""Options to choose from that cannot be told apart: two that say the same, an empty one, letters that do not go on."""

import polars as pl

_SLIPS = 0.05  # share of the rows with options that may be so, beyond which it is a way of the set
_LETTERED = r"^[(（\[]?([A-Z])[)）\].．:：、]\s*"
_NOTHING = r"(?i)^(?:n/?a|none|null|-+|—+|/|无)$"  # fills up to a number of options
_HALF = 0.5  # of a row's options without text: then they are letters of a picture
_ENOUGH = 20  # rows whose options bear letters, from which on these tell that they go on


def odd_options(turns: pl.LazyFrame) -> pl.DataFrame:
    """`row`, `where`, `problem`, `text`: a line per row with an option that is no choice.

    `one_option`: it is the only one (a list that became one text). The others are looked for among two and more:
    `equal_options`: two say the same behind the letters of their places, with the same capitals. `empty_option`: one
    has no text, or a letter only, in a list, or before the last of named ones. `option_letters`: the letters that all
    of them bear (or their names) are not A, B, C … in this order. Each counts only where few rows of the set are so.
    """
    options = turns.filter(pl.col("part") == "option", pl.col("text").is_not_null())
    text = pl.col("text").str.strip_chars()
    name = pl.col("path").str.extract(r"[.\]]([A-Z])$")
    place = pl.int_range(pl.len()).over("row")
    table = options.select("row", "turn", "path", text=text, name=name).sort("row", "turn").collect()
    table = table.with_columns(letter=pl.col("text").str.extract(_LETTERED), place=place, of=pl.len().over("row"))
    alone = table.filter(pl.col("of") == 1)
    table = table.filter(pl.col("of") > 1)
    due = pl.lit("ABCDEFGHIJKLMNOPQRSTUVWXYZ").str.slice(pl.col("place"), 1)
    lettered = pl.col("letter").is_not_null().all().over("row")
    named = pl.col("name").is_not_null().all().over("row")
    table = table.with_columns(
        bare=pl.when(lettered & (pl.col("letter") == due))
        .then(pl.col("text").str.replace(_LETTERED, ""))
        .otherwise("text"),
        out=pl.when(lettered).then(pl.col("letter") != due).when(named).then(pl.col("name") != due),
    )
    filled = (pl.col("bare") != "") & ~pl.col("bare").str.contains(_NOTHING)
    again = filled & (pl.int_range(pl.len()).over("row", "bare") > 0)
    blank = pl.col("bare") == ""
    empty = blank & (blank.mean().over("row") < _HALF) & (lettered | ~named | (pl.col("place") < pl.col("of") - 1))
    bearing = table.filter(pl.col("out").is_not_null())["row"].n_unique()
    kinds = {"equal_options": (again, 0), "empty_option": (empty, 0), "option_letters": (pl.col("out"), _ENOUGH)}
    found = [_NONE]
    if alone.height <= _SLIPS * (alone.height + table["row"].n_unique()):
        found.append(alone.select("row", "text", where="path", problem=pl.lit("one_option")))
    for problem, (those, least) in kinds.items():
        odd = table.filter(those).unique("row", keep="first", maintain_order=True)
        rows = bearing if least else table["row"].n_unique()
        if rows >= least and odd.height <= max(1, _SLIPS * rows):
            found.append(odd.select("row", "text", where="path", problem=pl.lit(problem)))
    return pl.concat(found, how="diagonal_relaxed").select(_NONE.columns).sort("row", maintain_order=True)


_NONE = pl.DataFrame(schema={"row": pl.UInt64, "where": pl.String, "problem": pl.String, "text": pl.String})
