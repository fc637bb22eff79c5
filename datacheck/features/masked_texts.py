"""What is left of a text when its numbers and names are masked."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.row_keys import hashes
from datacheck.features.texts import On, row_texts
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.normalise import normalise

_NUMBER = in_both_scripts(r"[0-9]+(?:[.,:/][0-9]+)*|[零〇一二两三四五六七八九十百千万亿]{1,12}")
_NAME = ascii_edges(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)*\b")  # Tom is a name in "Tom有3个苹果" too
_NICKNAME = r"[小老阿][明红刚华丽强军亮芳东李王张刘陈杨赵周吴林梅兰英杰玲燕波涛]"


def masked(text: pl.Expr) -> pl.Expr:
    """Numbers (Chinese numerals too) become 0, capitalised Latin words and names like 小明 become N."""
    return text.str.replace_all(_NAME, "N").str.replace_all(_NICKNAME, "N").str.replace_all(_NUMBER, "0")


class MaskedTexts(Feature):
    """`row`, `skeleton` u64, `chars` of it: one line per row with such text; equal skeletons differ in masked words."""

    columns = {"row": pl.UInt32, "skeleton": pl.UInt64, "chars": pl.UInt32}

    on: On

    def compute(self, part: View) -> pl.DataFrame:
        """Mask, normalise, hash."""
        table = row_texts(part.turns, self.on).collect()
        table = table.with_columns(normalise(table["text"], ("nfkc",))).select("row", masked(pl.col("text")))
        plain = normalise(table["text"], ("casefold", "strip_punct", "strip_space"))
        return pl.DataFrame(
            {"row": table["row"], "skeleton": hashes(plain), "chars": plain.str.len_chars()}, schema=self.columns
        )
