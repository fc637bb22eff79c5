"""How alike the chosen and the rejected answer of a pair are."""

import numpy as np
import polars as pl

from datacheck.check import Feature, View
from datacheck.features.texts import joined
from datacheck.features.turn_texts import looks_like_code
from datacheck.text.matching import intersections
from datacheck.text.normalise import normalise
from datacheck.text.rules import Rule
from datacheck.text.sketches import Unit, sets

_BEGUN = 20  # characters of a side that may be the beginning of the other
_SIDES = ("chosen", "rejected")
_CODE = "```|`[^`\n]+`"  # in Markdown
_GRAMS = Unit((), "chars", 3)  # of texts that are normalised already
# The same sign in another style: Chinese full stops and quotes, and those of a typewriter. NFKC maps the others.
_STYLES = {"。": ".", "、": ",", "“": '"', "”": '"', "‘": "'", "’": "'", "「": '"', "」": '"', "—": "-", "–": "-"}
_ENDS = "。.!?,;:、~…“”‘’\"' \t\r\n"  # as they are after NFKC
_CLUSTER = 32  # code points that may become one when they are normalised
_LEFT = r"[0-9A-Za-z\p{Han}]"  # what no rule drops


class PairSimilarity(Feature):
    """`row`, `equal`, `common` and `union` (sizes of the intersection and union of both sides' sets of 3-grams).

    A side is all its turns, tool calls included. Sides with code are `equal` only as they are written, white space
    aside: there case and width tell names and signs apart. `ends_equal`: equal but for signs that end a sentence
    and white space at the ends, and for the style of signs ("你好。", "你好."; curly quotes). `begun`: one begins the
    other, with at least 20 characters. `cut_equal`: equal in their first `cut` characters; never without `cut`. Rows
    without both sides have no line.
    """

    columns = {
        "row": pl.UInt32,
        "equal": pl.Boolean,
        "ends_equal": pl.Boolean,
        "cut_equal": pl.Boolean,
        "begun": pl.Boolean,
        "common": pl.Int64,
        "union": pl.Int64,
    }

    normalise: tuple[Rule, ...]
    cut: int | None = None

    def compute(self, part: View) -> pl.DataFrame:
        """Compare the two sides of each row."""
        said = pl.concat_str(pl.col("text").fill_null(""), pl.col("tool_calls").fill_null(""), separator="\n")
        sides = [
            joined(part.turns.filter(pl.col("part") == side).select("row", said.alias(side)), side, "\n")
            for side in _SIDES
        ]
        table = sides[0].join(sides[1], on="row", maintain_order="left").collect()
        chosen, rejected = (normalise(table[side], self.normalise) for side in _SIDES)
        equal = _same_in_code(table, chosen == rejected)
        cut_equal = self._cut_equal(table, chosen, rejected)
        left, right = (sets(texts, _GRAMS, hashed=False).sets for texts in (chosen, rejected))
        each = np.arange(table.height)
        common = intersections(left, each, right, each).astype(np.int64)
        union = np.diff(left.offsets) + np.diff(right.offsets) - common
        ends = _ends_equal(chosen, rejected)
        found = {
            "row": table["row"],
            "equal": equal,
            "ends_equal": ends,
            "cut_equal": cut_equal,
            "begun": _begun(chosen, rejected),
        }
        return pl.DataFrame({**found, "common": common, "union": union}, schema=self.columns)

    def _cut_equal(self, table: pl.DataFrame, chosen: pl.Series, rejected: pl.Series) -> pl.Series:
        """Whether the first characters of both sides are the same; those are normalised only where it may be."""
        if self.cut is None:
            return pl.Series([False]).new_from_index(0, table.height)
        maybe = pl.Series([True]).new_from_index(0, table.height)
        if self.cut >= _CLUSTER:
            # Beginnings of which something is left begin as the whole does.
            left = table.select(pl.all_horizontal(pl.col(*_SIDES).str.slice(0, self.cut).str.contains(_LEFT)))
            maybe = (chosen.str.slice(0, 1) == rejected.str.slice(0, 1)) | ~left.to_series()
        some = table.filter(maybe)
        begun = [normalise(some[side].str.slice(0, self.cut), self.normalise) for side in _SIDES]
        return maybe.scatter(maybe.arg_true(), begun[0] == begun[1]) if some.height else maybe


def _same_in_code(table: pl.DataFrame, equal: pl.Series) -> pl.Series:
    """`equal`, but for sides with code that only rules have made equal."""
    same = table.filter(equal)
    written = [pl.col(side).str.replace_all(r"\s", "") for side in _SIDES]
    code = pl.any_horizontal(pl.col(side).str.contains(_CODE) | looks_like_code(pl.col(side)) for side in _SIDES)
    changed = same.filter(pl.col("chosen") != pl.col("rejected")).filter(written[0] != written[1])
    other = changed.filter(code)["row"]
    return equal & ~table["row"].is_in(other.implode())


def _ends_equal(chosen: pl.Series, rejected: pl.Series) -> pl.Series:
    """Whether two sides are equal but for signs at their ends and the style of signs, which changes no length."""
    left, right = (side.str.strip_chars(_ENDS) for side in (chosen, rejected))
    maybe = left.str.len_chars() == right.str.len_chars()
    one, two = (side.filter(maybe).str.replace_many(_STYLES) for side in (left, right))
    return maybe.scatter(maybe.arg_true(), one == two) if len(one) else maybe


def _begun(chosen: pl.Series, rejected: pl.Series) -> pl.Series:
    """Whether one side is the beginning of the other, and not all of it."""
    left, right = (side.str.strip_chars(_ENDS) for side in (chosen, rejected))
    long = (left.str.len_chars() >= _BEGUN) & (right.str.len_chars() >= _BEGUN) & (left != right)
    both = pl.DataFrame({"left": left, "right": right}).select(
        pl.col("left").str.starts_with(pl.col("right")) | pl.col("right").str.starts_with(pl.col("left"))
    )
    return long & both.to_series()
