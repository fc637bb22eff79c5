"""What `datacheck diff` measures: the profile of a drop, and which of its rows stand in another drop.

Both are checks like any other (their steps run in the same workers and the same store), but no contract can name them:
they have no limits and judge nothing.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from datacheck.check import Check, Group, Measured, Metric, Need, Value, View, place, total
from datacheck.features.earlier import paired
from datacheck.features.languages import Languages, language
from datacheck.features.lengths import Lengths
from datacheck.features.record_key import RecordKey
from datacheck.features.sketch import GramSettings, Sketch, TextSet, scheme_for
from datacheck.features.text_key import TextKey
from datacheck.features.texts import row_texts
from datacheck.text.arrays import UInt64s
from datacheck.text.matching import jaccard
from datacheck.text.shingles import concat

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
NAMES = 200  # values of a label that are counted one by one; the rest together
WORDS = 4  # a text with fewer words has no language
VERIFIED = 20_000  # rows whose near-copies are compared exactly; of more, a sample chosen by content
PARTNERS = 2  # rows of the other drop per band key that a row is compared with: the first and the last
THRESHOLD = 0.7  # Jaccard similarity, as the default of near_duplicates
EXAMPLES = 5  # rows of each kind that are shown
KINDS = ("copy", "same_text", "near_copy", "new", "gone")

_TEXTS = TextSet(
    on="conversation", features=GramSettings(), normalise=("nfkc", "casefold", "t2s", "strip_punct", "strip_space")
)


class Profile(Check):
    """Count what a drop is made of: lengths, languages, roles, labels."""

    metrics: ClassVar[Mapping[str, Metric]] = {"rows": Metric("rows", "rows")}
    ZH: ClassVar[str] = "统计一批数据的构成：长度、语言、角色、标签。"

    check: Literal["profile"] = "profile"
    labels: tuple[str, ...] = ()

    def needs(self) -> tuple[Need, ...]:
        """Lengths and languages of every text."""
        return (Need(Lengths()), Need(Languages()))

    def measure(self, data: View) -> Measured:
        """Figures only: `lengths`, `sizes`, `languages`, `roles`, and one per label."""
        lengths = data[Need(Lengths())]
        figures = {
            "lengths": _quantiles(lengths),
            "sizes": _sizes(lengths),
            "languages": _counts(data[Need(Languages())].select(name=language(WORDS))),
            "roles": _counts(data.turns.filter(pl.col("role").is_not_null()).select(name="role")),
            **{f"label {label}": _counts(data.rows.select(name=label)) for label in self.labels},
        }
        return Measured((Value("rows", total(data.rows)),), figures=figures)


def _quantiles(lengths: pl.LazyFrame) -> pl.DataFrame:
    """`side`, `rows`, `mean` and the exact quantiles (the value at or below each, so an integer) of `chars`."""
    chars = pl.col("chars")
    wanted = {f"p{round(q * 100)}": chars.quantile(q, "lower").cast(pl.UInt64) for q in QUANTILES}
    mean = (chars.sum() / pl.len()).round(1)
    return lengths.group_by("side").agg(rows=pl.len(), mean=mean, **wanted, max=chars.max()).sort("side").collect()


def _sizes(lengths: pl.LazyFrame) -> pl.DataFrame:
    """`side`, `from`, `rows`: rows by length, in powers of two."""
    power = pl.lit(2, pl.UInt64).pow(pl.col("chars").cast(pl.Float64).log(2).floor().cast(pl.UInt32))
    low = pl.when(pl.col("chars") == 0).then(pl.lit(0, pl.UInt64)).otherwise(power.cast(pl.UInt64))
    return lengths.group_by("side", low.alias("from")).agg(rows=pl.len()).sort("side", "from").collect()


def _counts(names: pl.LazyFrame) -> pl.DataFrame:
    """`name`, `count`: the most frequent values first, the rest together under "(others)"."""
    name = pl.col("name").fill_null("(none)")
    counts = names.group_by(name).agg(count=pl.len()).sort(["count", "name"], descending=[True, False]).collect()
    rest = int(counts["count"][NAMES:].sum())
    others = pl.DataFrame({"name": ["(others)"], "count": [rest]}, schema=counts.schema)
    return pl.concat([counts.head(NAMES), others if rest else others.clear()])


class Matches(Check):
    """Say of every row whether it stands in the other drop: the same record, another copy, the same text, nearly.

    A record that stands there more often than in the other drop is a `copy` from then on. `same_text`: another field
    than the text is new. `near_copy` is looked for where `near` is set, in the later drop. What remains is `new` there,
    and `gone` in the earlier drop.
    """

    metrics: ClassVar[Mapping[str, Metric]] = {
        name: Metric(what, "rows")
        for name, what in {
            "identical": "rows whose record stands in the other drop",
            "copy": "further copies of records that stand in the other drop less often",
            "same_text": "rows whose text stands in the other drop, with other fields",
            "rest": "rows whose text does not stand in the other drop",
            "candidates": "of these, rows that share a band key with a row of the other drop",
            "compared": "of these, rows that were compared exactly",
            "near_copy": "of these, rows that are similar from the threshold on",
        }.items()
    }
    ZH: ClassVar[str] = "逐行判断是否已出现在另一批数据中：同一记录、多出的副本、文本相同、近似。"

    check: Literal["matches"] = "matches"
    other: str
    base: str  # the dataset whose boilerplate is left out
    near: bool = False

    def _records(self, of: str | None = None) -> Need:
        return Need(Group(of=RecordKey(), by="key"), of=of)

    def _said(self, of: str | None = None) -> Need:
        return Need(Group(of=TextKey(on="conversation", normalise=("nfkc", "casefold")), by="key"), of=of)

    @property
    def _sketch(self) -> Sketch:
        """Band keys of both drops without the boilerplate of one of them, so that they can be compared."""
        return Sketch(of=_TEXTS, boilerplate=0.05, scheme=scheme_for(THRESHOLD, None), beside=self.base)

    def _bands(self, of: str | None = None) -> Need:
        return Need(Group(of=self._sketch, by="key", columns=("row", "key")), of=of)

    def needs(self) -> tuple[Need, ...]:
        """Keys of both drops, grouped alike."""
        exact = (self._records(), self._records(self.other), self._said(), self._said(self.other))
        bands = (self._bands(), self._bands(self.other), *self._sketch.needs())
        return (*exact, Need("rows", self.other), *((*bands, Need("turns", self.other)) if self.near else ()))

    def measure(self, data: View) -> Measured:
        """Exact matches bucket by bucket, then near-copies of what is left."""
        identical, copies = self._same_record(data)
        left = data.rows.select("row").join(pl.concat([identical, copies]).lazy(), on="row", how="anti").collect()
        same = self._same_text(data, left)
        rest = left.join(same, on="row", how="anti")
        candidates = self._candidates(data, rest) if self.near else rest.clear()
        chosen = self._chosen(data, candidates)
        near = self._near(data, chosen) if chosen.height else same.clear().with_columns(score=pl.lit(0.0))
        near = near.filter(pl.col("score") >= THRESHOLD)
        new = rest.join(near, on="row", how="anti")
        named = {"copy": copies, "same_text": same, "near_copy": near, "new" if self.near else "gone": new}
        places = [table.with_columns(problem=pl.lit(kind)) for kind, table in named.items()]
        found = pl.concat([pl.DataFrame(schema=_FOUND), *places], how="diagonal").sort("row")
        found = found.join(self._places(data, found), on="other_row", how="left", maintain_order="left")
        counts = {
            "identical": identical.height,
            "copy": copies.height,
            "same_text": same.height,
            "rest": rest.height,
            "candidates": candidates.height,
            "compared": chosen.height,
            "near_copy": near.height,
        }
        values = tuple(Value(name, count) for name, count in counts.items())
        evidence = found.select("row", "problem", "score", "other").lazy()
        return Measured(values, evidence, {"examples": _examples(data, found)})

    def _same_record(self, data: View) -> tuple[pl.DataFrame, pl.DataFrame]:
        """`row` of records that stand in the other drop, and of those that stand here more often."""
        both = [_ROW, _ROW]
        for own, other in paired(data, self._records(), self._records(self.other)):
            there = other.group_by("key", "rest").agg(there=pl.len())
            nth = pl.int_range(pl.len()).over("key", "rest", order_by="row")
            known = own.with_columns(nth=nth).join(there, on=["key", "rest"]).collect()
            both[0] = pl.concat([both[0], known.filter(pl.col("nth") < pl.col("there")).select("row")])
            both[1] = pl.concat([both[1], known.filter(pl.col("nth") >= pl.col("there")).select("row")])
        return both[0].sort("row"), both[1].sort("row")

    def _same_text(self, data: View, left: pl.DataFrame) -> pl.DataFrame:
        """`row`, `other_row` of the rows of `left` whose text the other drop has; its first row with that text."""
        found = [_PAIR]
        for own, other in paired(data, self._said(), self._said(self.other)):
            there = other.group_by("key", "rest").agg(other_row=pl.col("row").min())
            mine = own.join(left.lazy(), on="row", how="semi")
            found.append(mine.join(there, on=["key", "rest"]).select("row", "other_row").collect())
        return pl.concat(found).sort("row")

    def _candidates(self, data: View, rest: pl.DataFrame) -> pl.DataFrame:
        """`row` of the rows of `rest` that share a band key with any row of the other drop."""
        found = [_ROW]
        for own, other in paired(data, self._bands(), self._bands(self.other)):
            mine = own.join(rest.lazy(), on="row", how="semi")
            found.append(mine.join(other, on="key", how="semi").select("row").unique().collect())
        return pl.concat(found).unique().sort("row")

    def _chosen(self, data: View, candidates: pl.DataFrame) -> pl.DataFrame:
        """All candidates, or those with the lowest record keys: a sample that another order would not change."""
        if candidates.height <= VERIFIED:
            return candidates
        keys = data[self._records()].join(candidates.lazy(), on="row", how="semi")
        return keys.sort("key", "rest", "row").head(VERIFIED).select("row").sort("row").collect()

    def _near(self, data: View, chosen: pl.DataFrame) -> pl.DataFrame:
        """`row`, `other_row`, `score`: for each row the most similar of the rows that share a band key with it."""
        pairs = [_PAIR]
        for own, other in paired(data, self._bands(), self._bands(self.other)):
            mine = own.join(chosen.lazy(), on="row", how="semi")
            ends = other.group_by("key").agg(other_row=pl.concat_list(pl.col("row").min(), pl.col("row").max()))
            near = mine.join(ends.explode("other_row"), on="key").select("row", "other_row")
            pairs.append(near.unique().collect())
        shared = pl.concat(pairs).group_by("row", "other_row").len("bands")
        best = shared.sort(["row", "bands", "other_row"], descending=[False, True, False])
        kept = best.group_by("row", maintain_order=True).head(PARTNERS).select("row", "other_row")
        told = self._sketch.tasks(data)
        own_texts, there = (
            _texts(turns, rows.unique().sort(), told)
            for turns, rows in ((data.turns, kept["row"]), (data[Need("turns", self.other)], kept["other_row"]))
        )
        drop = self._sketch.dropped(data)
        sets = concat([self._sketch.sets(each["text"], drop).sets for each in (own_texts, there)])
        left = np.searchsorted(own_texts["row"].to_numpy(), kept["row"].to_numpy())
        right = np.searchsorted(there["row"].to_numpy(), kept["other_row"].to_numpy()) + own_texts.height
        scored = kept.with_columns(score=pl.Series(jaccard(sets, np.column_stack([left, right])).similarity))
        ranked = scored.sort(["row", "score", "other_row"], descending=[False, True, False])
        return ranked.unique("row", keep="first", maintain_order=True)

    def _places(self, data: View, found: pl.DataFrame) -> pl.DataFrame:
        """`other_row`, `other`: where the rows of the other drop stand."""
        wanted = found.select("other_row").drop_nulls().unique()
        there = data[Need("rows", self.other)].with_columns(pl.col("row").alias("other_row"))
        at = pl.concat_str(pl.lit(f"{self.other}/"), place())
        return there.join(wanted.lazy(), on="other_row", how="semi").select("other_row", other=at).collect()


_ROW = pl.DataFrame(schema={"row": pl.UInt64})
_PAIR = pl.DataFrame(schema={"row": pl.UInt64, "other_row": pl.UInt64})
_FOUND: dict[str, type[pl.DataType]] = {
    "row": pl.UInt64,
    "other_row": pl.UInt64,
    "score": pl.Float64,
    "problem": pl.String,
}


def _texts(turns: pl.LazyFrame, rows: pl.Series, told: UInt64s) -> pl.DataFrame:
    """`row`, `text` of `rows`, in row order."""
    wanted = turns.join(pl.LazyFrame({"row": rows}), on="row", how="semi", maintain_order="left")
    return _TEXTS.texts(wanted, told).sort("row")


def _examples(data: View, found: pl.DataFrame) -> pl.DataFrame:
    """`kind`, `at`, `other`, `score`, `text` of the first rows of each kind."""
    first = found.group_by("problem", maintain_order=True).head(EXAMPLES)
    places = data.rows.select("row", at=place())
    texts = row_texts(
        data.turns.join(first.lazy().select("row"), on="row", how="semi", maintain_order="left"), "conversation"
    )
    texts = texts.with_columns(pl.col("text").str.replace_all(r"\s*\n\s*", " "))  # an example is one line
    named = first.lazy().join(places, on="row", how="left").join(texts, on="row", how="left").collect()
    order = pl.col("problem").replace_strict({kind: at for at, kind in enumerate(KINDS)}, return_dtype=pl.Int8)
    return named.sort(order, "row").select("at", "other", "score", "text", kind="problem")
