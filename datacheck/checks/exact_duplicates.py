"""The check exact_duplicates."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import (
    Check,
    Group,
    Limit,
    Measured,
    Message,
    Metric,
    Need,
    Value,
    View,
    for_review,
    placed,
    rates,
    saying,
    total,
)
from datacheck.features.constant_parts import CommonParts, constant_parts, one_label
from datacheck.features.earlier import REPEATED, Names, paired, plain_needs, repeated, repeats_evidence, silent
from datacheck.features.system_tasks import SystemTasks
from datacheck.features.text_key import TextKey
from datacheck.features.texts import PARTS, On, largest_clusters, quoted
from datacheck.text.rules import Rule


class ExactDuplicates(Check):
    """Share of rows that say exactly what an earlier row says (case, width and white space do not count).

    Compared are whole conversations with their roles, tool calls, tool definitions and label, or only the prompt or
    the response. Reported apart from near duplicates, because the cure is another one: nothing has to be read.

    `constant_parts` names what is one text in nearly all of 100 rows or more: every prompt, every answer, every gold.
    `one_label` is 1 where 20 rows of KTO and more are all desired, or all unwanted.
    """

    metrics = {
        "rate": Metric(
            "rows that repeat an earlier row",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="a copy weighs twice and harms no more; from which share on it fails, near_duplicates says",
        ),
        "constant_parts": Metric(
            "parts of a row (prompt, response, gold …) that say the same in 99 of 100 rows",
            "parts",
            limit=Limit(warn_max=0),
            why="a column was joined or filled in wrongly, or there is nothing to learn from it",
        ),
        "one_label": Metric(
            "labels of KTO, where all rows have the same one",
            "labels",
            limit=Limit(max=0),
            why="a loss that tells desired from unwanted answers has only one of the two: nothing to learn",
        ),
        "repeated": REPEATED,
    }

    reads = "text"
    check: Literal["exact_duplicates"] = "exact_duplicates"
    on: On = Field(default="conversation", description="what of a row is compared")
    normalise: tuple[Rule, ...] = Field(default=("nfkc", "casefold"), description="what does not count")

    against: Names = Field(default=(), description="earlier datasets of this contract whose rows should not come again")

    def _keys(self, of: str | None = None) -> Need:
        return Need(Group(of=TextKey(on=self.on, normalise=self.normalise), by="key"), of)

    def needs(self) -> tuple[Need, ...]:
        """Equal keys in one bucket, here and in the earlier datasets."""
        return (
            self._keys(),
            *map(self._keys, self.against),
            *plain_needs(self.against),
            Need(SystemTasks()),
            Need(CommonParts()),
        )

    def promised(self) -> frozenset[str]:
        """Without an earlier dataset nothing is compared with one."""
        return frozenset(self.metrics) if self.against else frozenset({"rate", "constant_parts", "one_label"})

    def measure(self, data: View) -> Measured:
        """Bucket by bucket: a row whose key an earlier row has is a copy of that row."""
        first, size = pl.col("row").min().over("key", "rest"), pl.len().over("key", "rest")
        copies = [_NONE]
        texts = 0
        for bucket in data.buckets(self._keys()):
            keys = bucket.with_columns(other_row=first, size=size).collect()
            texts += keys.height
            copies.append(keys.filter(pl.col("row") > pl.col("other_row")).select(_NONE.columns))
        found = pl.concat(copies).sort("row")
        mute = total(data.rows) - texts
        lack = Message.plural("{n:,} row has no such text to compare", "{n:,} rows have no such text to compare", mute)
        clusters = found.unique("other_row").group_by("size").len("clusters").sort("size")
        known = {name: self._known(data, name) for name in self.against}
        notes = (
            note
            for name in self.against
            for note in silent(data, name, sum(map(total, data.buckets(self._keys(name)))))
        )
        inside = quoted(data, found.lazy().select("row", "other_row"), self.on).with_columns(
            problem=pl.lit("exact_duplicate")
        )
        constant, label = constant_parts(data), one_label(data)
        return Measured(
            (
                *rates("rate", found.lazy(), data.rows, by=self.by, rows=data.rows),
                Value("constant_parts", constant.height if total(data.rows) else None),
                Value("one_label", label.height if total(data.rows) else None),
                *repeated(known, data, self.by),
            ),
            evidence=pl.concat(
                [
                    *(placed(each, data.rows) for each in (inside, *repeats_evidence(known, data, self.on))),
                    _told(constant, data),
                    _told(label, data, "one_label"),
                ],
                how="diagonal",
            ),
            figures={"clusters": clusters, **largest_clusters(data, found, self.on)},
            not_checked=(*((lack,) if mute else ()), *notes),
        )

    def _known(self, data: View, name: str) -> pl.DataFrame:
        """`row`, `other_row`: rows that say what a row of an earlier dataset says, and the first such row there."""
        found = [_NONE.select("row", "other_row")]
        for own, there in paired(data, self._keys(), self._keys(name)):
            first = there.group_by("key", "rest").agg(other_row=pl.col("row").min())
            found.append(own.join(first, on=["key", "rest"]).select("row", "other_row").collect())
        return pl.concat(found).sort("row")

    def seen(self, data: View, plants: pl.DataFrame, _data: View) -> list[bool | None]:
        """The copy of a row meets it, and the same row without the plant does not."""
        keys = {}
        for number, bucket in enumerate(data.buckets(self._keys())):
            for row, *key in bucket.select("row", "key", "rest").collect().iter_rows():
                keys[row] = (number, *key)
        parts = None if self.on == "conversation" else PARTS[self.on]
        return [
            row in keys and keys[row] == keys.get(row + 1) != keys.get(base)
            if part is not None and (parts is None or part in parts)
            else None
            for row, base, part in plants.select("row", "base", "part").iter_rows()
        ]


def _told(constant: pl.DataFrame, data: View, problem: str = "constant_part") -> pl.LazyFrame:
    """Evidence of parts that are always the same: their first place, and no row to drop."""
    said = saying("{part}: one text in {n:,} of {of:,} rows", part="part", n="n", of="of")
    named = constant.lazy().select("row", "where", problem=pl.lit(problem), said=said)
    return for_review(named, data.rows)


_NONE = pl.DataFrame(schema={"row": pl.UInt64, "other_row": pl.UInt64, "size": pl.UInt32})
