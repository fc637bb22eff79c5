"""Rows that nearly repeat a row of an earlier dataset: band keys of both sides meet, and every pair is verified."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.check import Group, Need, View
from datacheck.features.earlier import paired, plain_needs
from datacheck.features.near import groups, marks_of, read_rows, read_said
from datacheck.features.sketch import Sketch
from datacheck.text.arrays import Bools, Int64s, UInt32s, UInt64s, sorted_unique
from datacheck.text.disk_sets import SpilledSets
from datacheck.text.matching import (
    CLOSEST,
    Pairs,
    answered_otherwise,
    asked_otherwise,
    brief,
    exact_contained,
    exact_pairs,
    pairs_beside,
    union,
)

FOUND = {"row": pl.UInt64, "other_row": pl.UInt64, "score": pl.Float64, "same": pl.Boolean}


class _Keys(NamedTuple):
    """Band keys that stand on both sides, and the rows and marks that they are of, on either side."""

    keys: tuple[UInt64s, UInt64s]
    rows: tuple[UInt32s, UInt32s]
    marks: tuple[UInt64s, UInt64s]


@dataclass(frozen=True)
class Repeats:
    """How rows are compared with those of the dataset `name`.

    The earlier side is sketched as ever, so that its keys are those that an earlier run may have left in the store. On
    this side there are keys without its own boilerplate and keys without that of the earlier dataset: a text that got a
    new template meets by the one, a text whose template is new to neither by the other. What is compared are the
    n-grams that are boilerplate of neither side, of system prompts where they are the task on either.

    least: the threshold; alike, contained, exact: as for `matching.pairs_beside` and the check.
    """

    name: str
    sketch: Sketch
    least: float
    alike: int
    contained: float | None
    exact: bool

    @property
    def beside(self) -> Sketch:
        """The sketch of this side without the boilerplate of the earlier dataset."""
        return self.sketch.model_copy(update={"beside": self.name}) if self.sketch.needs() else self.sketch

    def needs(self) -> tuple[Need, ...]:
        """Keys of both sides, the earlier side's boilerplate, and what its rows are read from."""
        keys = () if self.exact else (_grouped(self.beside), Need(self.beside), _grouped(self.sketch, self.name))
        there = (*plain_needs((self.name,), "cells"), Need(self.sketch, self.name))
        return (*keys, *there, *self.beside.needs())

    def found(self, data: View) -> pl.DataFrame:
        """FOUND: of each row that reaches the threshold the most similar row there; `same`: the whole text is equal."""
        drop = np.union1d(self.sketch.dropped(data), self.beside.dropped(data))
        told = np.union1d(self.sketch.tasks(data), self.beside.tasks(data))
        met = [] if self.exact else [self._meet(data, own) for own in dict.fromkeys((self.sketch, self.beside))]
        wanted = [None, None] if self.exact else [_all(side) for side in zip(*(each.rows for each in met), strict=True)]
        with SpilledSets(data.scratch / f"sets-{self.name}") as spilled:
            mine, theirs = (
                read_rows(data, self.sketch, (drop, told), rows, spilled, of)
                for rows, of in zip(wanted, (None, self.name), strict=True)
            )
            both = _both(mine, theirs)
            pairs = self._pairs(both, spilled, met, mine.height)
        return _best(both, pairs.where(self._same_task(data, both, pairs.rows, mine.height)))

    def _same_task(self, data: View, both: pl.DataFrame, pairs: Int64s, border: int) -> Bools:
        """Say of which pairs both rows are one task, as within a dataset: equal short golds, and answers alike."""
        task = groups(both, "task")
        same: Bools = task[pairs[:, 0]] == task[pairs[:, 1]]
        if self.sketch.of.on != "conversation" or not same.any():
            return same
        asked = np.unique(pairs[same])
        numbers = both["row"].to_numpy()[asked].astype(np.int64)
        here = asked < border
        places, sides = np.searchsorted(asked, pairs[same]), ((numbers[here], None), (numbers[~here], self.name))
        with SpilledSets(data.scratch / f"answers-{self.name}") as answers:
            for rows, of in sides:
                read_said(data, self.sketch.of, rows, answers, "answers", of)
            one = ~answered_otherwise(answers, places)
            short = brief(answers, places)
        with SpilledSets(data.scratch / f"questions-{self.name}") as questions:
            for rows, of in sides:
                read_said(data, self.sketch.of, rows, questions, "questions", of)
            same[same] = one & ~(asked_otherwise(questions, places) & short)
        return same

    def _meet(self, data: View, own: Sketch) -> _Keys:
        """The keys that rows of both sides have."""
        there = (marks_of(data, own), marks_of(data, self.sketch, self.name))
        none = pl.DataFrame(schema={"key": pl.UInt64, "row": pl.UInt32})
        kept = [none], [none]
        for tables in paired(data, _grouped(own), _grouped(self.sketch, self.name)):
            left, right = (t.select("key", pl.col("row").cast(pl.UInt32)).collect() for t in tables)
            kept[0].append(left.join(right, on="key", how="semi"))
            kept[1].append(right.join(left, on="key", how="semi"))
        left, right = (pl.concat(tables) for tables in kept)
        keys, rows = ((left[name].to_numpy(), right[name].to_numpy()) for name in ("key", "row"))
        return _Keys(keys, rows, there)

    def _pairs(self, both: pl.DataFrame, sets: SpilledSets, met: list[_Keys], border: int) -> Pairs:
        """Verified pairs of different texts, numbered as in `both`: left here (before `border`), right there.

        Of equal texts on one side the first row speaks for all; what is there whole needs no comparison.
        """
        apart, asked = groups(both), both["asked"].to_numpy()
        if self.exact:
            places = np.flatnonzero(asked)
            chosen = sets.take(places)
            pairs = exact_pairs(chosen, self.least)
            if self.contained:
                pairs = union([pairs, exact_contained(chosen, self.contained)])
            pairs = pairs._replace(rows=places[pairs.rows])
            sides = pairs.rows < border
            return pairs.where(sides[:, 0] & ~sides[:, 1] & (apart[pairs.rows[:, 0]] == apart[pairs.rows[:, 1]]))
        found = [_compare(self, both, sets, each, border, apart, asked) for each in met]
        return union(found)


def _compare(
    how: Repeats, both: pl.DataFrame, sets: SpilledSets, met: _Keys, border: int, apart: Int64s, asked: Bools
) -> Pairs:
    numbers = both["row"].to_numpy()
    sides = (numbers[:border], numbers[border:])
    local = [
        np.searchsorted(side, rows) + start for side, rows, start in zip(sides, met.rows, (0, border), strict=True)
    ]
    marks = np.concatenate([marked[side] for marked, side in zip(met.marks, sides, strict=True)])
    keys, rows = np.concatenate(met.keys), np.concatenate(local)
    keys, rows = keys[asked[rows]], rows[asked[rows]]

    def pairs(keys: UInt64s, rows: Int64s, most: int | None) -> Pairs:
        return pairs_beside(
            sets, keys, rows, how.least, contained=how.contained, groups=apart, marks=marks, least=how.alike,
            beside=border, most=most,
        )  # fmt: skip

    # A row of a large cluster is like most rows that share a key: a few of them tell. The others meet all of them.
    found = pairs(keys, rows, CLOSEST)
    there = rows >= border
    many, counts = np.unique(keys[there], return_counts=True)
    cut = ~there & np.isin(keys, many[counts > CLOSEST])
    rest = np.setdiff1d(rows[cut], found.rows[:, 0])
    if not len(rest):
        return found
    again = there | np.isin(rows, rest)
    return union([found, pairs(keys[again], rows[again], None)])


def _grouped(sketch: Sketch, of: str | None = None) -> Need:
    return Need(Group(of=sketch, by="key", columns=("row", "key")), of)


def _all(rows: tuple[UInt32s, ...]) -> Int64s:
    return sorted_unique(np.concatenate(rows)).astype(np.int64)


def _both(mine: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """The facts of both sides in one numbering, with what is known of equal texts.

    `here`; `text_id`: equal for equal texts with equal media and label; `first`: the first row of its side with that
    text; `equal`: the first row there with the text of a row here; `asked`: first of its side, and not `equal`.
    """
    whole = ["text", "media", "label"]
    both = pl.concat([mine.with_columns(here=True), theirs.with_columns(here=False)]).with_row_index("at")
    both = both.with_columns(text_id=pl.struct(whole).rank("dense"))
    there = pl.col("row").filter(~pl.col("here")).first().over("text_id")
    both = both.with_columns(first=pl.col("at").first().over("text_id", "here"), equal=pl.when("here").then(there))
    return both.with_columns(asked=(pl.col("at") == pl.col("first")) & pl.col("equal").is_null())


def _best(both: pl.DataFrame, pairs: Pairs) -> pl.DataFrame:
    """The equal row there, else the most similar one (the first of them), for every row that has one."""
    numbers = both["row"].to_numpy()
    order = np.lexsort((pairs.rows[:, 1], -pairs.similarity, pairs.rows[:, 0]))
    left, first = np.unique(pairs.rows[order, 0], return_index=True)
    best = order[first]
    near = pl.DataFrame(
        {"first": left, "near": numbers[pairs.rows[best, 1]], "likeness": pairs.similarity[best]},
        schema={"first": pl.UInt32, "near": pl.UInt64, "likeness": pl.Float64},
    )
    known = both.filter("here").join(near, on="first", how="left", maintain_order="left")
    same = pl.col("equal").is_not_null()
    known = known.select(
        "row", other_row=pl.coalesce("equal", "near"), score=pl.when(same).then(1.0).otherwise("likeness"), same=same
    )
    return known.drop_nulls("other_row").select(pl.col(name).cast(kind) for name, kind in FOUND.items())
