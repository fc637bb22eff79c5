"""The check similar_texts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from pydantic import Field

from datacheck.check import (
    Check,
    Limit,
    Measured,
    Message,
    Metric,
    Need,
    Ratio,
    Value,
    View,
    for_review,
    place,
    saying,
    total,
)
from datacheck.features.planting import COPY, on_made_up
from datacheck.features.projections import Distinct, Projections, comparable, distinct
from datacheck.features.texts import On, only, row_texts
from datacheck.text import tfidf
from datacheck.text.arrays import Float16s, Float32s, Float64s, Int64s, sorted_unique
from datacheck.text.matching import jaccard
from datacheck.text.neighbours import ALONE_ROWS, Neighbours, searchable
from datacheck.text.normalise import normalise
from datacheck.text.plants import plant
from datacheck.text.rules import RULES
from datacheck.text.shingles import Shingles, concat, shingles

NEIGHBOURS = 16  # that are looked at for each row
MARGIN = 0.1  # a projected cosine deviates by .04 at .6 (one standard deviation): pairs so far below are compared, too
VERIFIED = 50  # pairs that are compared exactly, for each one that is listed
SHINGLE = 3  # characters; with it and `near` a pair is near_duplicates' business
SHOWN = 1_000  # characters of a text from which an excerpt is made
ROUNDING = 0.001  # of a cosine in half precision
PLANTED_ROWS, PLANT_CHARS, PLANT_MOST = 100, 20, 10_000
PLANTS = ("shuffled sentences", "a sentence left out", "prefix", "suffix", "5 % edits", "10 % edits")
# Where no row is long enough, the search is tried on these.
STAND_INS = (
    "小河从村子的东边流过，河上有一座石桥。桥头种着两棵很老的柳树，夏天常有人在树下乘凉。",
    "The old bridge crosses the river east of the village. Two willows grow beside its stone steps.",
)

TOO_MANY = Message(
    "more than {rows:,} different texts need the package usearch: pip install 'datacheck-llm[similar]'", rows=ALONE_ROWS
)


class _Side(NamedTuple):
    """Rows that are compared: their numbers, ascending, and their vectors. `of`: the dataset, None for this one."""

    of: str | None
    rows: Int64s
    vectors: Float16s


class _Proposed(NamedTuple):
    """Pairs (place on the asking side, place on this side) by falling projected cosine; whether some were cut off."""

    pairs: Int64s
    cut: bool
    nearest: Float32s


class SimilarTexts(Check):
    """Pairs of rows that may say the same in other words, ranked, for people to read.

    Each row's text is normalised and becomes a TF-IDF vector of its characters and pairs of characters. A random
    projection to 256 numbers and its nearest neighbours propose pairs; the cosine of every proposed pair is then
    computed exactly. Pairs that near_duplicates finds (Jaccard similarity of 3-grams from `near` on) are left out.
    With `against`, the questions of an evaluation set are compared with the rows of this dataset instead.

    The list is for review: no row of it is dropped by `apply`, and by default it never fails a dataset.
    """

    metrics = {
        "pairs": Metric("pairs in the list, at most `top`", "pairs"),
        "planted_recall": Metric(
            "planted rewritings that the search finds",
            "share",
            "plants at or above the cosine",
            Limit(min=0.9),
            self_test=True,
        ),
    }

    reads = "text"
    check: Literal["similar_texts"] = "similar_texts"
    on: On = Field(default="prompt", description="which text of a row is compared; system prompts never are")
    against: str | None = Field(default=None, description="an evaluation dataset whose rows are compared with these")
    top: int = Field(default=100, ge=1, le=10_000, description="how many pairs are listed at most")
    cosine: float = Field(default=0.6, ge=0.3, le=1, description="pairs below this cosine are not listed")
    near: float = Field(default=0.7, gt=0, le=1, description="Jaccard similarity from which a pair is a near-duplicate")
    min_chars: int = Field(default=10, ge=2, description="shorter texts (normalised) are not compared")

    @property
    def _projections(self) -> Projections:
        return Projections(on=self.on, min_chars=self.min_chars)

    def thresholds(self) -> Mapping[str, Sequence[float]]:
        """From where a pair is listed."""
        return {"nearest": (self.cosine,)}

    def needs(self) -> tuple[Need, ...]:
        """The vectors, the frequencies behind them, and the evaluation set."""
        other = () if self.against is None else (Need("rows", of=self.against), Need("turns", of=self.against))
        return (Need(self._projections), *self._projections.needs(), *other)

    def measure(self, data: View) -> Measured:
        """Neighbours propose, the exact cosine decides, near-duplicates are left out."""
        own = distinct(data[Need(self._projections)])
        if not searchable(len(own.vectors)):
            return self.not_measured(TOO_MANY)
        idf = self._projections.idf(data)
        base = _Side(None, own.facts["row"].to_numpy().astype(np.int64), own.vectors)
        index = Neighbours(base.vectors)
        asking = base if self.against is None else self._asking(data, idf, self.against)
        proposed = self._propose(index, asking)
        ranked = self._verified(data, asking, base, proposed, idf)
        sources = self._sources(data, own)
        if sources.is_empty():
            made_up = pl.DataFrame({"place": range(len(STAND_INS)), "text": STAND_INS})
            plain = normalise(made_up["text"], RULES)
            recall, by_kind = self._planted(Neighbours(tfidf.project(plain, idf)), made_up, idf)
        else:
            recall, by_kind = self._planted(index, sources, idf)
        sizes = [total(data.rows), *(total(data[need]) for need in self.needs() if need.table == "rows")]
        seen = all(sizes)
        notes = self._notes(sizes, own, asking, cut=proposed.cut and ranked.height < self.top)
        if sources.is_empty():
            notes.append(on_made_up(PLANT_CHARS))
        return Measured(
            (Value("pairs", ranked.height if seen else None), Value("planted_recall", recall if seen else None)),
            self._evidence(data, ranked),
            {"nearest": _histogram(proposed.nearest), "planted": by_kind},
            tuple(notes),
        )

    def _asking(self, data: View, idf: Float64s, of: str) -> _Side:
        """The rows of the evaluation set, weighed by the frequencies of this dataset."""
        texts = comparable(data[Need("turns", of=of)], self.on, self.min_chars).unique("plain", keep="first")
        texts = texts.sort("row")
        return _Side(of, texts["row"].to_numpy().astype(np.int64), tfidf.project(texts["plain"], idf))

    def _propose(self, index: Neighbours, asking: _Side) -> _Proposed:
        """The best pairs by projected cosine: VERIFIED of them for each that is listed."""
        most, inside = VERIFIED * self.top, asking.of is None
        best, cosines, cut = np.zeros((0, 2), np.int64), np.zeros(0, np.float32), False
        nearest: list[Float32s] = []
        for near in index.search(asking.vectors, NEIGHBOURS + inside):
            asked = np.arange(near.first, near.first + len(near.rows))[:, None]
            other = (near.rows >= 0) & ~(inside & (near.rows == asked))
            nearest.append(np.where(other, near.cosines, -1).max(axis=1, initial=-1))
            query, rank = np.nonzero(other & (near.cosines >= self.cosine - MARGIN))
            pairs = np.column_stack([query + near.first, near.rows[query, rank]])
            if inside:  # each pair once, the later row first
                pairs = np.sort(pairs, axis=1)[:, ::-1]
            best, at = np.unique(np.concatenate([best, pairs]), axis=0, return_index=True)
            cosines = np.concatenate([cosines, near.cosines[query, rank]])[at]
            order = np.lexsort((best[:, 1], best[:, 0], -cosines))[:most]
            cut |= len(best) > most
            best, cosines = best[order], cosines[order]
        return _Proposed(best, cut, np.concatenate([np.zeros(0, np.float32), *nearest]))

    def _verified(self, data: View, asking: _Side, base: _Side, proposed: _Proposed, idf: Float64s) -> pl.DataFrame:
        """`rank`, `row`, `other_row` (of the asking side where that is another dataset), `score`, `jaccard`."""
        left, right = asking.rows[proposed.pairs[:, 0]], base.rows[proposed.pairs[:, 1]]
        own = sorted_unique(np.concatenate([left, right])) if asking.of is None else sorted_unique(right)
        terms, sets = self._compared(data.pieces("turns"), own)
        places = np.searchsorted(own, left)
        if asking.of is not None:
            theirs = sorted_unique(left)
            more = self._compared([data[Need("turns", of=asking.of)]], theirs)
            terms, sets = tfidf.concat([terms, more[0]]), concat([sets, more[1]])
            places = len(own) + np.searchsorted(theirs, left)
        both = np.column_stack([places, np.searchsorted(own, right)])
        row, other = (left, right) if asking.of is None else (right, left)
        table = pl.DataFrame(
            {
                "row": row,
                "other_row": other,
                "score": tfidf.cosines(terms, both, idf),
                "jaccard": jaccard(sets, both).similarity,
            },
            schema={"row": pl.UInt64, "other_row": pl.UInt64, "score": pl.Float64, "jaccard": pl.Float64},
        )
        listed = table.filter(pl.col("score") >= self.cosine, pl.col("jaccard") < self.near)
        listed = listed.sort("score", "row", "other_row", descending=[True, False, False]).head(self.top)
        return listed.with_row_index("rank", offset=1)

    def _compared(self, pieces: Iterable[pl.LazyFrame], rows: Int64s) -> tuple[tfidf.Terms, Shingles]:
        """The n-grams of some rows (ascending), piece by piece: their texts are never in memory together."""
        terms: list[tfidf.Terms] = []
        sets: list[Shingles] = []
        for turns in pieces:
            plain = normalise(row_texts(only(turns, rows), self.on).collect()["text"], RULES)
            terms.append(tfidf.terms(plain))
            sets.append(shingles(plain, "chars", SHINGLE))
        return tfidf.concat(terms), concat(sets)

    def _sources(self, data: View, own: Distinct) -> pl.DataFrame:
        """`place` (in the index), `text` of the rows with the smallest text hashes: chosen by content."""
        smallest = own.facts.with_row_index("place").bottom_k(2 * PLANTED_ROWS, by="text").sort("row")
        texts = self._texts(data.pieces("turns"), smallest["row"].to_numpy().astype(np.int64), PLANT_MOST)
        found = smallest.select("place", "row").join(texts, on="row", maintain_order="left")
        return found.filter(pl.col("text").str.len_chars() >= PLANT_CHARS).head(PLANTED_ROWS).select("place", "text")

    def _texts(self, pieces: Iterable[pl.LazyFrame], rows: Int64s, most: int) -> pl.DataFrame:
        """`row`, `text` (its first `most` characters) of some rows, ascending."""
        tables = [row_texts(only(turns, rows), self.on).with_columns(pl.col("text").str.head(most)) for turns in pieces]
        return pl.concat([_TEXTS, *pl.collect_all(tables)])

    def _planted(self, index: Neighbours, sources: pl.DataFrame, idf: Float64s) -> tuple[Ratio, pl.DataFrame]:
        """Rewrite the sources and ask whether each rewriting leads to its source, or to rows nearer than that."""
        every = (*PLANTS, COPY)
        kinds = [kind for _ in range(sources.height) for kind in every]
        at = np.repeat(sources["place"].to_numpy().astype(np.int64), len(every))
        copies = [t if kind == COPY else plant(t, kind) for t in sources["text"].to_list() for kind in every]
        raw, edited = (
            normalise(pl.Series(texts, dtype=pl.String), RULES)
            for texts in ([t for t in sources["text"].to_list() for _ in every], copies)
        )
        pairs = np.column_stack([np.arange(len(at)), np.arange(len(at)) + len(at)])
        alike = tfidf.cosines(tfidf.concat([tfidf.terms(raw), tfidf.terms(edited)]), pairs, idf) >= self.cosine
        vectors = tfidf.project(edited, idf)
        projected = (vectors.astype(np.float64) * index.vectors[at]).sum(axis=1)
        near = list(index.search(vectors, NEIGHBOURS))
        rows, cosines = np.concatenate([n.rows for n in near]), np.concatenate([n.cosines for n in near])
        met = (rows == at[:, None]).any(axis=1) | (cosines.min(axis=1) >= projected - ROUNDING)
        found = alike & met & (projected >= self.cosine - MARGIN)
        table = pl.DataFrame({"kind": kinds, "alike": alike, "found": found}, schema_overrides={"kind": pl.String})
        edits = table.filter(pl.col("kind") != COPY)
        counted = edits if edits["alike"].any() else table
        by_kind = table.group_by("kind", maintain_order=True).agg(
            plants=pl.len(), alike=pl.col("alike").sum(), found=pl.col("found").sum()
        )
        return Ratio(int(counted["found"].sum()), int(counted["alike"].sum())), by_kind

    def _evidence(self, data: View, ranked: pl.DataFrame) -> pl.LazyFrame:
        """The list, placed; it names places and no rows."""
        words = saying(
            "rank {rank}: cosine {cosine}, Jaccard {jaccard}",
            rank="rank",
            cosine=pl.col("score").round(2),
            jaccard=pl.col("jaccard").round(2),
        )
        listed = ranked.select("row", "other_row", "score", said=words)
        rows = listed["row"].unique().sort().to_numpy().astype(np.int64)
        others = listed["other_row"].unique().sort().to_numpy().astype(np.int64)
        texts = self._texts(data.pieces("turns"), rows, SHOWN)
        if self.against is None:
            problem, other_texts = "similar_text", self._texts(data.pieces("turns"), others, SHOWN)
            placed = listed.lazy()
        else:
            turns, theirs = data[Need("turns", of=self.against)], data[Need("rows", of=self.against)]
            problem, other_texts = "similar_to_evaluation", self._texts([turns], others, SHOWN)
            named = theirs.select(other_row="row", other=pl.concat_str(pl.lit(f"{self.against}/"), place()))
            placed = listed.lazy().join(named, on="other_row", how="left", maintain_order="left")
        known = placed.join(texts.lazy(), on="row", how="left", maintain_order="left").join(
            other_texts.lazy().rename({"row": "other_row", "text": "other_text"}),
            on="other_row",
            how="left",
            maintain_order="left",
        )
        known = known if self.against is None else known.drop("other_row")
        return for_review(known.with_columns(problem=pl.lit(problem)), data.rows)

    def _notes(self, sizes: list[int], own: Distinct, asking: _Side, *, cut: bool) -> list[Message]:
        """What was not compared, or not listed."""
        notes = []
        if short := sizes[0] - own.facts.height - own.copies:
            notes.append(
                Message.plural(
                    "{n:,} row has no {on} of {min_chars} characters and was not compared",
                    "{n:,} rows have no {on} of {min_chars} characters and were not compared",
                    short,
                    on=self.on,
                    min_chars=self.min_chars,
                )
            )
        if own.copies:
            notes.append(
                Message.plural(
                    "{n:,} row repeats the {on} of an earlier row and was compared once",
                    "{n:,} rows repeat the {on} of an earlier row and were compared once",
                    own.copies,
                    on=self.on,
                )
            )
        if asking.of is not None and (short := sizes[1] - len(asking.rows)):
            notes.append(
                Message.plural(
                    "{n:,} row of {other} has no {on} of {min_chars} characters and was not compared, or is a copy",
                    "{n:,} rows of {other} have no {on} of {min_chars} characters and were not compared, or are copies",
                    short,
                    other=asking.of,
                    on=self.on,
                    min_chars=self.min_chars,
                )
            )
        if cut:
            notes.append(_CUT)
        return notes


_CUT = Message("too many pairs are near-duplicates to look at all others; remove them first (near_duplicates)")
_TEXTS = pl.DataFrame(schema={"row": pl.UInt64, "text": pl.String})


def _histogram(nearest: Float32s) -> pl.DataFrame:
    """How many of the rows have their nearest neighbour in each band of cosine (projected), .05 wide."""
    known = np.minimum(nearest[nearest > -1], 1)
    counts, edges = np.histogram(np.maximum(known, 0), bins=np.linspace(0, 1, 21))
    return pl.DataFrame({"cosine": [f"{edge:.2f}" for edge in edges[:-1]], "rows": counts})
