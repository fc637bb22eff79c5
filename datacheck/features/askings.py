"""Prompts that ask nothing, where nearly all others of their set do: they are cut, or lack their last line."""

import polars as pl

_ENOUGH = 100  # prompts, from which on there is a way that is usual
_MOST = 0.9  # of them have a question mark
_SLIPS = 0.02  # of them ask nothing; where more do, they are stems of tests ("…, except") or tasks of another kind
_MARK = "[?？]"
# What asks without one ("Find the sum."). Chinese, French, Spanish and German words for it as well.
_ASKS = (
    r"(?i)\b(?:how|what|whats|which|who|whom|whose|why|find|calculate|determine|compute|solve|express|evaluate|simplify|"
    r"estimate|give|write|state|prove|show|name|list|identify|tell|choose|select|complete|fill|explain|describe|convert|"
    r"combien|quel|quelle|calcule[rz]?|trouve[rz]?|cu[aá]nt[oa]s?|qu[eé]|calcula|wie|welche[rsn]?|berechne)\b"
    r"|[几求算谁哪吗呢怎问试选填写]|多少|什么|多[长大高远重久]|为何|如何|是否|____|（\s*）|\(\s*\)"
)


def unasked(prompts: pl.LazyFrame) -> pl.DataFrame:
    """`row`, `where`: prompts (`row`, `where`, `text`) without a question mark and without a word that asks.

    None where fewer than 9 in 10 have a mark, or more than 2 in 100 ask nothing: there are tasks of other kinds. Of
    14,000 questions of GSM8K, SVAMP, ASDiv, MAWPS and CMATH it is true of none; of GSM8K's first halves of 9 in 10.
    """
    marked = prompts.select("row", "where", asks=pl.col("text").str.contains(_MARK), text="text")
    table = marked.filter(~pl.col("asks")).select("row", "where", "text").collect()
    every = prompts.select(pl.len()).collect().item()
    if every < _ENOUGH or table.height > (1 - _MOST) * every:
        return table.clear().select("row", "where")
    text = pl.col("text")
    silent = table.filter(text.str.strip_chars() != "", ~text.str.contains(_ASKS)).select("row", "where")
    return silent if silent.height <= _SLIPS * every else silent.clear()
