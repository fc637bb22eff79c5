"""What a record holds beside its texts, in the forms that fields are compared by."""

import polars as pl

from datacheck.check import Feature, View

LABELS = 40  # values of a field that has labels
_SHORT = 40  # characters of a label
_OWN = r"^[^.\[\]]+(?:\[\]\.[^.\[\]]+)?$"  # keys of a record, and of the messages in it
_DATE = r"^(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})"
BOUNDS = (1, 5, 10, 25, 50)


class RecordFields(Feature):
    """`row`, `where`, `key`, `type`, `form`, `year`, `size`, `label`: one line per field of a record or a message.

    where: its path; key: the same without numbers (`messages[].weight`); type: as in JSON; form: of a date, as
    `####-##-##` (so of 2024-3-5, too), `key` where a value is the name of its key, `digits` of a number,
    `text` of other values, null of none; year: of a date; size: how many of BOUNDS a number exceeds; label: the value
    where the field has at most 40 different ones in a part, each of at most 40 characters.
    """

    columns = {
        "row": pl.UInt32, "where": pl.String, "key": pl.String, "type": pl.String, "form": pl.String,
        "year": pl.Int32, "size": pl.UInt32, "label": pl.String,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Read cells; of the texts only those that are the name of their own key."""
        key = pl.col("path").str.replace_all(r"\[\d+\]", "[]")
        cells = part.cells.select("row", "text", where="path", key=key, type="json_type")
        cells = cells.filter(pl.col("key").str.contains(_OWN))
        alike = pl.col("text").str.strip_chars().str.to_lowercase() == pl.col("path").str.to_lowercase()
        short = part.turns.filter(pl.col("text").str.len_bytes() <= _SHORT).collect().lazy()
        headers = short.filter(alike).select("row", "text", where="path", key="path", type="content_type")
        text = pl.col("text").str.strip_chars()
        table = pl.concat([cells, headers]).with_columns(text=pl.when(text != "").then(text)).collect()
        number = pl.when(pl.col("type").is_in(["number", "string"])).then(pl.col("text").cast(pl.Float64, strict=False))
        dated = (pl.col("type") == "string") & pl.col("text").str.contains(_DATE)
        year = pl.col("text").str.extract(r"(\d{4})").cast(pl.Int32, strict=False)
        label = pl.when(_labels()).then("text")
        return table.select(
            "row", "where", "key", "type",
            form=_form(number, dated),
            year=pl.when(dated).then(year),
            size=pl.sum_horizontal([number.abs() > bound for bound in BOUNDS]).cast(pl.UInt32),
            label=pl.when(~dated).then(label),
        ).cast(self.columns)  # type: ignore[arg-type]  # fmt: skip


def _form(number: pl.Expr, dated: pl.Expr) -> pl.Expr:
    text = pl.col("text")
    date = text.str.replace_all(r"\d{4}", "####").str.replace_all(r"\d+", "##").str.replace_all(r"[A-Za-z]+", "a")
    return (
        pl.when(text.is_null())
        .then(None)
        .when(text.str.to_lowercase() == pl.col("key").str.to_lowercase())
        .then(pl.lit("key"))
        .when(dated)
        .then(date.str.slice(0, _SHORT))
        .when(number.is_finite().fill_null(value=False))
        .then(pl.lit("digits"))
        .otherwise(pl.lit("text"))
    )


def _labels() -> pl.Expr:
    """Whether the field of a line has few values, all of them short."""
    text = pl.col("text")
    longest = text.str.len_chars().max().over("key")
    return (text.n_unique().over("key") <= LABELS) & (longest <= _SHORT) & (pl.col("type") == "string")
