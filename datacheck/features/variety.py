"""How varied texts are: distinct word pairs in fixed windows, and how texts begin."""

from collections.abc import Callable

import numpy as np
import polars as pl

from datacheck.check import Feature, View
from datacheck.features.texts import On, row_texts
from datacheck.text.normalise import much, normalise
from datacheck.text.rules import Rule
from datacheck.text.shingles import grams
from datacheck.text.sketches import COMPILED_FROM

WINDOW = 1_000  # word pairs
OPENING = 10  # characters
_RULES: tuple[Rule, ...] = ("nfkc", "casefold")


class DistinctPairs(Feature):
    """`label`, `windows`, `distinct`: full windows of 1,000 word pairs, and the distinct pairs in them, per label.

    Words are Han characters and runs of letters. distinct-n falls with the length of a text (Li et al. 2016 divide by
    it), so numbers of different sets compare only over windows of one size. What stands
    behind the last full window is left out.
    """

    columns = {"label": pl.String, "windows": pl.UInt32, "distinct": pl.UInt64}

    on: On
    by: str  # a label column of the rows

    def compute(self, part: View) -> pl.DataFrame:
        """Cut the pairs of each label, row after row, into windows."""
        labels = part.rows.select("row", label=pl.col(self.by).cast(pl.String))
        texts = row_texts(part.turns, self.on).join(labels, on="row", maintain_order="left")
        whole = texts.sort("label", "row").collect()
        counted = _counter(whole["text"])
        labelled = whole.group_by("label", maintain_order=True)
        lines = [(label, *counted(table["text"], _RULES, 2, WINDOW)) for (label,), table in labelled]
        return pl.DataFrame(lines, schema=self.columns, orient="row")


def distinct_in_windows(texts: pl.Series, rules: tuple[Rule, ...], n: int, size: int) -> tuple[int, int]:
    """How many full windows of word n-grams there are, and how many distinct n-grams each has, added up."""
    pairs = grams(normalise(texts, rules), "words", n).hashes
    full = len(pairs) // size
    ordered = np.sort(pairs[: full * size].reshape(-1, size), axis=1)
    return full, full + int(np.count_nonzero(ordered[:, 1:] != ordered[:, :-1]))


def _counter(texts: pl.Series) -> Callable[[pl.Series, tuple[Rule, ...], int, int], tuple[int, int]]:
    """The compiled function where there is much text; it gives the same."""
    if not much(texts, COMPILED_FROM, "window_kernels"):
        return distinct_in_windows
    from datacheck.text import window_kernels  # it loads numba

    return window_kernels.distinct_in_windows


class Openings(Feature):
    """`row`, `opening`: the first ten characters of a row's text, normalised; shorter texts have no line."""

    columns = {"row": pl.UInt32, "opening": pl.String}

    on: On

    def compute(self, part: View) -> pl.DataFrame:
        """Normalise the beginnings only."""
        begun = row_texts(part.turns, self.on).select("row", text=pl.col("text").str.slice(0, 4 * OPENING)).collect()
        plain = normalise(begun["text"], ("nfkc", "casefold", "strip_punct", "strip_space"))
        table = begun.select("row", opening=plain.str.slice(0, OPENING))
        return table.filter(pl.col("opening").str.len_chars() == OPENING)
