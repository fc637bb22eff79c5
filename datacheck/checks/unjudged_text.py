"""The check unjudged_text."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Metric, Ratio, Value, View, for_review, saying, total
from datacheck.features.turn_texts import THOUGHTS, of_rows
from datacheck.text.prose import any_item, is_prose, top_key

_SAMPLE, _SAME = 200, 0.95  # values of a key that are compared with what is read, and how many are to stand in it
_REPEATED = 10  # rows per different value: a licence, a task's name, the same instruction for everybody


class UnjudgedText(Check):
    """Prose that stands under keys which no reader takes for a prompt, an answer or a message.

    It always runs. Four words in a row are prose, or eight characters of Chinese; identifiers, dates, paths and values
    that ten rows share on average are not, nor are keys whose values stand, blanks aside, in a text of their row that
    is read (`question` beside the `text` that holds it, or beside its own words parted by blanks), nor worked solutions
    and reasoning (`solution`, `steps`, `rationale`, `cot`, `explanation`), which the checks of damaged texts read. Keys
    that the contract names under `source.columns` are judged by the checks that use them.
    """

    metrics = {
        "share": Metric(
            "prose that no check of texts judges",
            "share",
            of="characters of prose",
            limit=Limit(warn_max=0.03),
            why="a few notes are in any set; above 3 % of the prose may be trained on unseen",
        )
    }

    reads_packs = True
    check: Literal["unjudged_text"] = "unjudged_text"
    ignore: tuple[str, ...] = Field(default=(), description="top-level keys that training does not see")
    columns: tuple[str, ...] = Field(default=(), description="keys that other checks judge; from `source.columns`")

    @classmethod
    def always(cls, dataset: Mapping[str, Any]) -> bool:  # noqa: ARG003
        """Whatever is not judged has to be said, also by contracts that do not think of it."""
        return True

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The keys that the contract names as columns."""
        named = [key for key in dataset["columns"].values() if key]
        return {"columns": [key for each in named for key in ([each] if isinstance(each, str) else each)]}

    def keys_named(self) -> tuple[str, ...]:
        """The keys to be ignored: one that is not there is a slip of the pen."""
        return self.ignore

    def measure(self, data: View) -> Measured:
        """Count the characters of prose per key, and those of all texts."""
        cells = data.cells.filter(is_prose(brief=False), ~pl.col("path").str.contains(THOUGHTS))
        prose = cells.select("row", "text", key=top_key(), where=any_item())
        known = pl.col("key").is_in([key.partition(".")[0] for key in (*self.ignore, *self.columns)])
        keys = (
            prose.filter(~known)
            .group_by("where")
            .agg(
                rows=pl.col("row").n_unique(),
                values=pl.col("text").hash().n_unique(),
                characters=pl.col("text").str.len_chars().sum(),
                row=pl.col("row").min(),
            )
            .filter(pl.col("values") * _REPEATED > pl.col("rows"))
            .sort("characters", "where", descending=[True, False])
            .collect()
        )
        keys = keys.filter(~pl.col("where").is_in(_said_elsewhere(data, prose, keys["where"].to_list())))
        unjudged = int(keys["characters"].sum())
        if not total(data.rows):
            return self.not_measured()
        whole = unjudged + (data.turns.select(pl.col("text").str.len_chars().sum()).collect().item() or 0)
        places = (
            keys.lazy()
            .with_columns(
                problem=pl.lit("not_judged"),
                share=(100 * pl.col("characters") / max(whole, 1)).round(1).cast(pl.String),
            )
            .with_columns(
                said=saying(
                    "{n} row, {share} % of the prose", "{n} rows, {share} % of the prose", n="rows", share="share"
                )
            )
        )
        return Measured(
            (Value("share", Ratio(unjudged, max(whole, 1))),),
            evidence=for_review(places.select("row", "where", "problem", "said"), data.rows),
        )


def _said_elsewhere(data: View, prose: pl.LazyFrame, keys: list[str]) -> list[str]:
    """The keys whose values, of a sample, stand word for word in texts of their row that are read: {text, question}."""
    some = prose.filter(pl.col("where").is_in(keys)).filter(pl.int_range(pl.len()).over("where") < _SAMPLE).collect()
    texts = of_rows(data.turns, some.lazy()).group_by("row").agg(said=pl.col("text").str.join("\n", ignore_nulls=True))
    beside = some.lazy().join(texts, on="row", how="left").with_columns(pl.col("said").fill_null(""))
    said, own = (pl.col(each).str.replace_all(r"\s+", "") for each in ("said", "text"))  # cut into words it is the same
    same = said.str.contains(own, literal=True)
    return beside.group_by("where").agg(same=same.mean()).filter(pl.col("same") >= _SAME).collect()["where"].to_list()
