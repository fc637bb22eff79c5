"""Prompts that stop in the middle, where nearly all others of their set end with a sign."""

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.turn_texts import PLACE, holds, messages
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.views import alone

_LEAST = 100  # prompts, from which on there is a usual way to end
_OPEN = 0.06  # share of those that may end with a letter; where more do, people leave the stop out
_OFTEN, _MANY = 0.4, 5  # share up to which they may all the same, where as many as this need another word
_LONG = 40  # bytes; a shorter one is a title or a keyword
_TAIL = 48  # characters
_LETTER = r"[a-z\p{Han}]\s*$"
# What no request ends with. A text that is cut anywhere ends so as often as such words stand in texts: 10 to 20 in 100.
_NEEDING = ascii_edges(
    r"[a-z,] (?:an|the|and|or|but|of|to|for|with|from|by|as|that|which|who|because|if|than|into"
    r"|is|are|was|were|has|have"
    r"|his|their|its|your|my|our|each|every)\s*$"
)
_NEEDING_ZH = in_both_scripts(
    r"[\p{Han}](?:的|和|与|及|或|把|被|从|对于|为了|而且|但|若|则|每|第|将|由|以及|并|因为|如果|需要|可以|是|在)\s*$"
)
_ASKS_ZH = in_both_scripts(
    r"(?:什么|哪|谁|几|为何|怎样|多少)?(?:是|在)\s*$"
)  # a blank to fill in, a question the wrong way round
# Nouns that end on one of them: 请说明理由, 谈谈…的原则, 本条的目的
_NOUNS_ZH = in_both_scripts(
    r"(?:目的|标的|众矢之的|[总饱温缓平柔共谐]和|[参赋]与|[普涉波顾]及|[合兼归吞]并|[原规法准细守通总附罚]则|[理自缘事案来]由"
    r"|大将|[存潜内外实]在)\s*$"
)
# Share of the open ends that need another word: from 0.05 on the others were cut as well. In 80 public sets whose users
# leave stops out it is at most 0.03, of sets cut by half 0.05 to 0.15; from 0.3 on they are stems of tests ("…was").
_CUT, _STEMS, _SOME = 0.05, 0.3, 10
# Who gives the beginning of something asks for the rest of it.
_CONTINUED = ascii_edges(
    r"(?i)continu|complet|finish|fill in|next (?:word|line|sentence)|autocomplet"
    r"|续写|接着|补全|填空|完成|下一句|接龙|后半|____|…"
)


def cut_prompts(data: View) -> pl.LazyFrame:
    """`row`, `part`, `role`, `turn`, `path`, `problem` of last messages of users that end on a word that goes on.

    Only where at most 6 % of at least 100 prompts end with a letter at all, and at least 5 % of these, and two, on a
    word that needs another one, as texts do that are cut anywhere; or at most 40 %, and five of these. PromptEnds is a
    declared need.
    """
    ends = data[Need(PromptEnds())]
    prompts, open_ones, needing = ends.select(pl.len(), pl.col("open", "needing").sum()).collect().row(0)
    few = 2 if open_ones <= _OPEN * prompts else _MANY
    usual = prompts >= _LEAST and open_ones <= _OFTEN * prompts
    stems = open_ones >= _SOME and needing >= _STEMS * open_ones
    cut = usual and not stems and needing >= max(few, _CUT * open_ones)
    found = ends.filter(pl.col("needing") & cut)
    return found.select("row", "part", "role", "turn", "path", problem=pl.lit("cut_prompt")).collect().lazy()


class PromptEnds(Feature):
    """How the last message of each user ends: `open`, with a letter; `needing`, on a word that needs another one."""

    columns = {
        **PLACE, "open": pl.Boolean, "needing": pl.Boolean,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the last characters."""
        return alone(_ends(part.turns).collect())


def _ends(turns: pl.LazyFrame) -> pl.LazyFrame:
    asked = messages(turns).filter(pl.col("part") == "prompt", pl.col("role") == "user")
    last = asked.filter(pl.col("turn") == pl.col("turn").max().over("row"))
    long = last.filter(pl.col("text").str.len_bytes() >= _LONG)
    tail, whole = pl.col("tail"), pl.col("text")
    whole_zh = tail.str.contains(_ASKS_ZH) | tail.str.contains(_NOUNS_ZH)
    needs = tail.str.contains(_NEEDING) | (tail.str.contains(_NEEDING_ZH) & ~whole_zh)
    table = long.with_columns(tail=whole.str.tail(_TAIL)).collect()
    return table.lazy().select(
        "row", "part", "role", "turn", "path",
        open=tail.str.contains(_LETTER),
        needing=holds(table, tail.str.contains(_LETTER), needs, ~whole.str.contains(_CONTINUED)),
    )  # fmt: skip
