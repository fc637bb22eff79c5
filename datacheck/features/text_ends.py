"""How texts begin and end, and how much likelier that is in their place than in another of the same set."""

from collections.abc import Sequence

import polars as pl

_END = 64  # characters at either end, white space included, in which a text begins and ends
_DOUBT = 0.5  # of a text more in either place, so that one that was never seen there is not impossible
SIZE = (pl.col("text").str.len_chars() + 1).log(2).floor().clip(0, 9).cast(pl.UInt8)
"""How long a text is: a class of one digit, each of texts twice as long as those of the one before."""


def with_ends(texts: pl.LazyFrame) -> pl.LazyFrame:
    """Texts (`text`) with their `head` and `tail`."""
    text = pl.col("text")
    return texts.with_columns(
        head=text.str.head(_END).str.strip_chars_start(), tail=text.str.tail(_END).str.strip_chars_end()
    )


def signs(han_letters: int) -> dict[str, pl.Expr]:
    """Hashes of how a text with `head` and `tail` begins and ends.

    han_letters: what stands for the first two words of a Chinese text.
    """
    head, last = pl.col("head").str.head(20), pl.col("tail").str.tail(1)
    two = head.str.to_lowercase().str.extract(r"^([^ ]* ?[^ ]*)")
    han = head.str.contains(r"\p{Han}{2}")
    return {
        "opening": pl.when(han).then(head.str.head(2)).otherwise(two.str.extract(r"^([^ ]{0,12})")).hash(),
        "start": pl.when(han).then(head.str.head(han_letters)).otherwise(two).hash(),
        "end": pl.when(last.str.contains(r"[\p{L}\p{N}]")).then(pl.lit("w")).otherwise(last).hash(),
    }


def log_odds(sign: str, place: str, among: Sequence[str] = ()) -> pl.Expr:
    """How much likelier (its logarithm) a sign is in the `place` of a text than elsewhere, without the text itself.

    among: columns in which texts that are compared agree.
    """
    own, every = pl.len().over(*among, sign, place), pl.len().over(*among, sign)
    return ((own.cast(pl.Float64) - 1 + _DOUBT) / (every.cast(pl.Float64) - own + _DOUBT)).log()
