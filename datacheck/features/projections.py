"""TF-IDF projections of a dataset's texts: vectors of which near ones say nearly the same."""

from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.check import Feature, Need, Summary, View
from datacheck.features.texts import On, row_texts
from datacheck.text import tfidf
from datacheck.text.arrays import Float16s, Float64s
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES
from datacheck.text.sketches import text_hashes

_SLICE = 1 << 16  # rows whose vectors are copied at once


def comparable(turns: pl.LazyFrame, on: On, min_chars: int) -> pl.DataFrame:
    """`row`, `text` (as written), `plain` (normalised) of the rows that have `min_chars` normalised characters."""
    found = row_texts(turns, on).collect()
    plain = normalise(found["text"], RULES).alias("plain")
    return found.with_columns(plain).filter(pl.col("plain").str.len_chars() >= min_chars)


class TermCounts(Feature):
    """In how many distinct texts of the part the 1- and 2-grams of each bucket stand; `bucket` null: how many texts."""

    columns = {"bucket": pl.UInt32, "count": pl.UInt32}

    on: On
    min_chars: int

    def compute(self, part: View) -> pl.DataFrame:
        """`bucket` u32, `count` u32."""
        texts = comparable(part.turns, self.on, self.min_chars)["plain"].unique()
        buckets, counts = tfidf.document_counts(tfidf.terms(texts))
        whole = pl.DataFrame({"bucket": [None], "count": [len(texts)]}, schema=self.columns)
        return whole.vstack(pl.DataFrame({"bucket": buckets, "count": counts}, schema=self.columns))


class DocumentCounts(Summary):
    """The same for the dataset; a text that stands in two parts counts twice. At most 2^20 lines."""

    on: On
    min_chars: int

    def needs(self) -> tuple[Need, ...]:
        """The counts of every part."""
        return (Need(TermCounts(on=self.on, min_chars=self.min_chars)),)

    def compute(self, data: View) -> pl.DataFrame:
        """`bucket` u32 (null: texts), `count` u64, sorted."""
        summed = data[self.needs()[0]].group_by("bucket").agg(pl.col("count").cast(pl.UInt64).sum())
        return summed.sort("bucket", nulls_last=True).collect()


class Projections(Feature):
    """The projection of each row's text: 256 half-precision numbers, 512 bytes."""

    columns = {"row": pl.UInt32, "text": pl.UInt64, "vector": pl.Binary}

    on: On
    min_chars: int

    def needs(self) -> tuple[Need, ...]:
        """How frequent each n-gram is in the dataset."""
        return (Need(DocumentCounts(on=self.on, min_chars=self.min_chars)),)

    def idf(self, data: View) -> Float64s:
        """Return the inverse document frequency of each bucket."""
        counts = data[self.needs()[0]].collect()
        known = counts.drop_nulls("bucket")
        texts = int(counts.filter(pl.col("bucket").is_null())["count"].sum())
        return tfidf.idf(known["bucket"].to_numpy(), known["count"].to_numpy().astype(np.int64), texts)

    def compute(self, part: View) -> pl.DataFrame:
        """`row` u32, `text` u64 (a hash of the normalised text), `vector` (f16[256]); rows too short have no line."""
        texts = comparable(part.turns, self.on, self.min_chars)
        vectors = tfidf.project(texts["plain"], self.idf(part)).astype("<f2")
        table = {
            "row": texts["row"],
            "text": text_hashes(texts["plain"]),
            "vector": [vector.tobytes() for vector in vectors],
        }
        return pl.DataFrame(table, schema=self.columns)


class Distinct(NamedTuple):
    """Rows with distinct texts: `row`, `text` (a hash), ascending by row; their vectors; and how many are copies."""

    facts: pl.DataFrame
    vectors: Float16s
    copies: int


def distinct(lines: pl.LazyFrame) -> Distinct:
    """Return the first row of each text. Besides the vectors themselves only a slice of them is in memory."""
    every = lines.select("row", "text").collect()
    first = every["text"].is_first_distinct()
    vectors = np.empty((int(first.sum()), tfidf.DIMENSIONS), "<f2")
    done = 0
    for start in range(0, every.height, _SLICE):
        some = lines.select("vector").slice(start, _SLICE).collect()["vector"].filter(first.slice(start, _SLICE))
        vectors[done : done + len(some)] = np.frombuffer(b"".join(some), "<f2").reshape(-1, tfidf.DIMENSIONS)
        done += len(some)
    facts = every.filter(first)
    return Distinct(facts, vectors, every.height - facts.height)
