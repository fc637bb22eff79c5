"""A 128-bit key of what a row says: equal keys are equal texts, but for case, width and white space."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.texts import PARTS, On
from datacheck.text.digests import digests
from datacheck.text.rules import Rule

# Top-level columns of media, and parts of a content other than its text (whose kind says nothing).
_MEDIA = r"^(?:image|img|picture|video|audio)s?(?:_path|_filepath|_url|_id)?s?(?:$|[\[.])|\.(?:content|value)\[\d+\]\."


class TextKey(Feature):
    """`row`, `key`, `rest` (both u64): BLAKE2b of the row's normalised text; rows without text have no line.

    Roles, tool calls, tool definitions, the label and the media that it names are part of a conversation: rows that
    differ there are not copies (many images share "What is this? A cat."). Two different texts among a billion rows
    share a key with probability 10⁻²¹.
    """

    columns = {"row": pl.UInt32, "key": pl.UInt64, "rest": pl.UInt64}

    on: On
    normalise: tuple[Rule, ...]

    def compute(self, part: View) -> pl.DataFrame:
        """Hash each row's text once."""
        pieces = [pl.col(name).fill_null("") for name in ("part", "role", "text", "tool_calls")]
        whole = self.on == "conversation"
        turns = part.turns if whole else part.turns.filter(pl.col("part").is_in(PARTS[self.on]))
        said = (pl.col("text").fill_null("").str.strip_chars() != "") | pl.col("tool_calls").is_not_null()
        each = turns.select("row", said=said, text=pl.concat_str(pieces, separator="\x1f"))
        texts = (
            each.group_by("row", maintain_order=True)
            .agg(pl.col("said").any(), "text")
            .with_columns(pl.col("text").list.join("\x1e"))  # twice as fast as joining while grouping
        )
        label = pl.col("label").fill_null("") if whole else pl.lit("")
        shown = pl.col("media").fill_null("") if self.on != "response" else pl.lit("")
        table = (
            texts.filter("said")
            .join(part.rows.select("row", "label"), on="row", maintain_order="left")
            .join(media(part.cells), on="row", how="left", maintain_order="left")
            .select("row", text=pl.concat_str("text", label, shown, separator="\x1e"))
            .collect()
        )
        keys = digests(table["text"], self.normalise)
        return pl.DataFrame({"row": table["row"], "key": keys[:, 0], "rest": keys[:, 1]})


def media(cells: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `media`: the images, videos and sounds that a row names, in order."""
    named = pl.col("path").str.contains(_MEDIA) & ~pl.col("path").str.ends_with(".type") & pl.col("text").is_not_null()
    return cells.filter(named).group_by("row", maintain_order=True).agg(media=pl.col("text").str.join("\x1f"))
