"""Prompts that ask nothing, where nearly all others of their set do: they are cut, or lack their last line."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.text.edges import ascii_edges

_ENOUGH = 100  # prompts, from which on there is a way that is usual
_MOST = 0.9  # of them have a question mark
_SLIPS = 0.05  # of them ask nothing; where more do, they are stems of tests ("…, except") or tasks of another kind
_MARK = "[?？]"
_CUE = r"([^:：]{0,2}[:：])\s*$"  # the answer is to follow: "答案：", "The missing word is:"
_END = 16  # characters at the end of a prompt in which it is looked for
# What asks without one ("Find the sum."). Chinese, French, Spanish and German words for it as well.
_ASKS = ascii_edges(
    r"(?i)\b(?:how|what|whats|which|who|whom|whose|why|find|calculate|determine|compute|solve|express|evaluate|simplify|"
    r"estimate|give|write|state|prove|show|name|list|identify|tell|choose|select|complete|fill|explain|describe|convert|"
    r"combien|quel|quelle|calcule[rz]?|trouve[rz]?|cu[aá]nt[oa]s?|qu[eé]|calcula|wie|welche[rsn]?|berechne)\b"
    r"|[几求算谁哪吗呢怎问试选填写译]|以下|下[面列]|生成|多少|什么|多[长大高远重久]|为何|如何|是否|____|（\s*）|\(\s*\)"
)


class Askings(Feature):
    """`row`, `where`, `marked`, `asks`, `cue`: a line per prompt, all its messages but the assistant's.

    marked: whether it has a question mark; asks: whether it has one, or a word that asks ("Find the sum."); cue: its
    last characters where it ends with a colon, for the answer to follow.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "marked": pl.Boolean, "asks": pl.Boolean, "cue": pl.String}

    def compute(self, part: View) -> pl.DataFrame:
        """Look for the words only where there is no mark."""
        text = pl.col("text")
        asked = part.turns.filter(pl.col("part") == "prompt", pl.col("role").ne_missing("assistant"))
        marked = text.str.contains(_MARK).any()
        each = asked.drop_nulls("text").group_by("row", maintain_order=True)
        rows = each.agg(marked, where=pl.col("path").last(), cue=text.last().str.tail(_END).str.extract(_CUE))
        table = rows.rename({"text": "marked"}).collect()
        plain = table.filter(~pl.col("marked")).lazy().select("row")
        silent = (
            asked.join(plain, on="row", how="semi")
            .group_by("row")
            .agg(words=(text.str.contains(_ASKS) | (text.str.strip_chars() == "")).any())
        )
        found = table.join(silent.collect(), on="row", how="left", maintain_order="left")
        asks = pl.col("marked") | pl.col("words").fill_null(value=True)
        return found.select("row", "where", "marked", "cue", asks=asks).cast(self.columns)  # type: ignore[arg-type]


def unasked(prompts: pl.LazyFrame) -> pl.DataFrame:
    """`row`, `where` of prompts (lines of `Askings`) that ask nothing, with or without a mark.

    None where fewer than 9 in 10 have a mark, or more than 2 in 100 ask nothing: there are tasks of other kinds. Of
    14,000 questions of GSM8K, SVAMP, ASDiv, MAWPS and CMATH it is true of none; of GSM8K's first halves of 9 in 10.
    A colon at the end asks for what follows it, but where nearly all prompts end with the same words: those of their
    template stand behind a cut question, too.
    """
    table = prompts.collect()
    template = pl.len().over("cue") >= _MOST * table.height
    asks = pl.col("asks") | (pl.col("cue").is_not_null() & ~template)
    silent = table.filter(~asks).select("row", "where")
    usual = table.height >= _ENOUGH and int(table["marked"].sum()) >= _MOST * table.height
    return silent if usual and silent.height <= _SLIPS * table.height else silent.clear()
