"""Leakage: which evaluation items occur, whole or in large part, inside which training documents.

Jaccard cannot see an item embedded in a long document; containment |item ∩ document| / |item| can. The search
is complete: no hashing into bands, every pair that reaches the threshold is found. A long document holds the
n-grams of many items by chance, scattered; a leak has them in one place, so they count only within a window
`WINDOW` times as long as the item.
"""

import polars as pl

from datacheck.text.eval_index import EvalIndex, Found, Items
from datacheck.text.scan import Scanner, Sought


def find(index: EvalIndex, items: Items, texts: pl.Series, n: int) -> Found:
    """Find the items of `index` (built from `items`) in texts as they were written; null holds nothing.

    A pair is found when a stretch of at most `WINDOW` times the item's length (after normalising) holds as many of
    its n-grams as needed: complete, no pair is missed.
    """
    return Scanner(Sought(index, items, n)).find(texts)[0]
