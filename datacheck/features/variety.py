"""How varied texts are: distinct word pairs in fixed windows, and how texts begin."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.texts import On, row_texts
from datacheck.text.kernels import distinct_in_windows
from datacheck.text.normalise import normalise
from datacheck.text.rules import Rule

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
        labelled = whole.group_by("label", maintain_order=True)
        lines = [(label, *distinct_in_windows(table["text"], _RULES, 2, WINDOW)) for (label,), table in labelled]
        return pl.DataFrame(lines, schema=self.columns, orient="row")


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
