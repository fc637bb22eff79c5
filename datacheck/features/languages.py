"""What scripts the texts are written in."""

import polars as pl

from datacheck.check import Feature, View
from datacheck.features.turn_texts import turn_texts, without_code
from datacheck.text.scripts import COLUMNS, SCRIPTS, script_words

_KANA = 0.15  # a smaller share of kana among Han and kana is a name or a sign in Chinese
_MOSTLY = 0.5
_FEW = 3
_LITTLE = 0.1


class Languages(Feature):
    """`row`, `path` and the words of each script (see `script_words`) of every text, code in Markdown left out."""

    columns = {"row": pl.UInt32, "path": pl.String, **dict.fromkeys(COLUMNS, pl.UInt32)}

    def compute(self, part: View) -> pl.DataFrame:
        """Count."""
        texts = turn_texts(part).select("row", "path", "text")
        table = texts.with_columns(text=without_code(pl.col("text"))).collect()
        return pl.concat([table.drop("text"), script_words(table["text"], language=True)], how="horizontal")


def words() -> pl.Expr:
    """All words of a text."""
    return pl.sum_horizontal(SCRIPTS)


def language(least: int) -> pl.Expr:
    """Name what most words of a text belong to: zh-Hans, zh-Hant, zh-mixed, zh (cannot tell), ja, or the script.

    `mixed` where no script has half of the words, `short` where there are fewer than `least` words.
    """
    east = pl.sum_horizontal("han", "kana")
    simplified, traditional = pl.col("simplified"), pl.col("traditional")
    forms = simplified + traditional
    little = pl.max_horizontal(pl.lit(1), forms * _LITTLE)  # a single odd character is a slip, not a mix
    named = (
        pl.when(words() < least)
        .then(pl.lit("short"))
        .when((east >= words() * _MOSTLY) & (pl.col("kana") >= east * _KANA))
        .then(pl.lit("ja"))
        .when(pl.col("han") < words() * _MOSTLY)
        .then(None)
        .when(forms < _FEW)
        .then(pl.lit("zh"))
        .when(traditional <= little)
        .then(pl.lit("zh-Hans"))
        .when(simplified <= little)
        .then(pl.lit("zh-Hant"))
        .otherwise(pl.lit("zh-mixed"))
    )
    scripts = [pl.when(pl.col(script) >= words() * _MOSTLY).then(pl.lit(script)) for script in SCRIPTS]
    return pl.coalesce(named, *scripts, pl.lit("mixed"))
