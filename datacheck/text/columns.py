"""Text columns as the kernels read them: Arrow's UTF-8 buffers in place, and the table of what code points become."""

from functools import cache

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s
from datacheck.text.codes import from_lengths
from datacheck.text.exported import Exported
from datacheck.text.native.library import Struct
from datacheck.text.rules import KNOWN, Rule, table_of
from datacheck.text.shingles import classes

ROOM = 64  # code points that a row may grow by in a kernel; one that grows more goes the other way


class Rows(Struct):
    """A text column as polars holds it (Arrow's string views); `native/texts.h` reads them."""

    kinds = {"views": np.uint32, "buffers": np.uint64}


class Column:
    """The rows of a text column without a copy of them; null rows are empty. They live as long as this object."""

    def __init__(self, texts: pl.Series, rows: Int64s | None = None) -> None:
        """Raises nothing; `offsets` is how many bytes stand before each row, int64[rows + 1].

        rows: which ones, and in which order; by default all.
        """
        self._exported = Exported(texts.fill_null(""))
        own = self._exported.views
        own = own if rows is None else own[rows]  # the views only: gathering texts would copy them
        self.rows = Rows(views=own, buffers=self._exported.buffers)
        self.offsets = from_lengths(own[:, 0].astype(np.int64))

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.offsets) - 1


class Lookup(Struct):
    """What each code point becomes (see normalise), and the classes of code points where words are cut.

    plain: every one stays what it is. longer: of how many Latin letters n-grams are (`shingles.longer`), or 0.
    classes: separator, letter, or a word by itself; NULL where n-grams are of characters.
    """

    kinds = {
        "plain": int, "longer": int, "stride": int, "single": np.uint32, "expansions": np.uint32, "widths": np.int64,
        "classes": np.uint8,
    }  # fmt: skip


@cache
def lookup(rules: tuple[Rule, ...], by: str = "chars", longer: int = 0) -> Lookup:
    """Return the table of some normalisation rules, for n-grams of characters or of words."""
    table = table_of(tuple(rule for rule in KNOWN if rule in rules))
    return Lookup(
        plain=int(not rules),
        longer=longer,
        stride=table.expansions.shape[1],
        single=table.single,
        expansions=np.ascontiguousarray(table.expansions),
        widths=table.widths,
        classes=classes() if by == "words" else None,
    )
