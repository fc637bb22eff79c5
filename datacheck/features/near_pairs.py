"""Pairs of near-duplicates: proposed by keys that rows share, compared by many workers until the walk is certain."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.check import Need, Rounds, View, total
from datacheck.features.near import PREFERRED_BY, Candidates, Keep, RowMarks, gathered_marks, groups, preferred, said_in
from datacheck.text.arrays import Bools, Int64s, UInt8s, UInt32s, UInt64s, sorted_unique
from datacheck.text.matching import (
    Pairs,
    answered_otherwise,
    asked_otherwise,
    brief,
    exact_contained,
    exact_pairs,
    possible,
    reaching,
    shared,
    union,
)
from datacheck.text.minhash import mix64
from datacheck.text.shingles import take
from datacheck.text.walk import Keys, KnownMarks, next_pairs, packed, staying, unpacked

MARKED_FROM = 100_000  # keys; of fewer, every pair that shares one may be compared
LEAST, TASKS, MOST = 1 << 15, 32, 1 << 19  # pairs of a task, where there are few; tasks beyond which they grow; to here
BLOCK = 1 << 21  # pairs that are looked at together
ANSWERED, ASKED = 1, 2  # in `otherwise`
_SIDES = ("left", "right")
_PLACED = ("rank", "row", "file", "at", "length", "task")  # what a task is told of a row


class NearPairs(Rounds):
    """Similar pairs, as far as the greedy walk needs them (`text.walk`); rows are numbered in the order of preference.

    `left` < `right`; `common`, `union`: sizes; `same_task`: whether short golds and numbers of the questions are equal;
    `otherwise`: if they are, whether the rows have answers that differ (ANSWERED), or questions (ASKED). `right` null:
    `left` has been compared with all later rows that share a key with it, or (`same_task`) with those of its task.

    similar: the threshold; contained: as for `matching.reaching`.
    """

    columns = {
        "left": pl.UInt32, "right": pl.UInt32, "common": pl.Int32, "union": pl.Int32, "same_task": pl.Boolean,
        "otherwise": pl.UInt8,
    }  # fmt: skip

    of: Candidates
    keep: Keep
    similar: float
    contained: float | None

    def needs(self) -> tuple[Need, ...]:
        """The candidates, the keys that they share, marks, and which are templates."""
        return (Need(self.of), *self.of.keys, Need(RowMarks(of=self.of.sketch)), Need(self.of.sketch))

    def ranked(self, data: View, *columns: str) -> pl.DataFrame:
        """Columns of the candidates' table that have values, and what they are preferred by, in order of preference.

        A column of texts takes 16 bytes a row, also where there are none.
        """
        table, names = data[Need(self.of)], list(dict.fromkeys((*columns, *PREFERRED_BY[self.keep], "row")))
        filled = table.select(pl.col(name).count() for name in names).collect(engine="streaming").row(0, named=True)
        facts = table.select(name for name in names if filled[name] or name in _NEVER_NULL).collect()
        return facts if self.keep == "first" else facts[preferred(facts, self.keep)]

    def deal(self, data: View, number: int) -> Iterator[pl.DataFrame]:
        """Pairs that can be similar, with what a task must know of their rows; all rows where all are compared."""
        apart = self._apart(data)
        if not len(apart.all):
            return
        if not self.of.exact:
            pairs, expanded = self._next(data, apart, number)
        elif number:
            return
        told = self.ranked(data, *_PLACED[1:-1]).with_row_index("rank").with_columns(pl.col("row").cast(pl.UInt32))
        told = told.select(*_PLACED[:-1], task=pl.Series(apart.by_task.astype(np.uint32)))
        if self.of.exact:
            yield told.with_columns(apart=pl.Series(apart.all))
            return
        size = min(max(LEAST, -(-len(pairs) // TASKS)), MOST)
        for at in range(0, len(pairs), size):
            dealt = _with_places(told, pairs[at : at + size])
            yield pl.concat([dealt, expanded.clear() if at else expanded], how="diagonal")

    def _apart(self, data: View) -> "_Apart":
        """What stands apart."""
        facts = self.ranked(data, "media", "label", "task")
        every, by_task = groups(facts), groups(facts, "task")
        if "task" not in facts.columns:
            return _Apart(every, every, by_task)
        table = data[Need(self.of.sketch)].filter("template").select(pl.col("row").cast(pl.UInt64))
        alone = facts["row"].is_in(table.collect(engine="streaming")["row"].implode()) & facts["task"].is_not_null()
        return _Apart(every, np.where(alone.to_numpy(), by_task + every.max(initial=0) + 1, every), by_task)

    def _next(self, data: View, apart: "_Apart", number: int) -> tuple[UInt64s, pl.DataFrame]:
        """The pairs to compare, and the rows that are expanded by that. No pairs: all is certain."""
        facts, known = self.ranked(data, "row", "length"), data[Need(self)].collect()
        edges, done = known.drop_nulls("right").sort(_SIDES), known.filter(pl.col("right").is_null())
        told = np.sort(packed(*(edges[side].to_numpy() for side in _SIDES)))
        rows, lengths = facts["row"].to_numpy(), facts["length"].to_numpy()
        *in_tasks, in_all = (staying(facts.height, told[own]) for own in walks(edges))
        levels = [_Level(_Tables(data, self.of, rows, apart.compared), in_all)]
        if np.array_equal(apart.compared, apart.by_task):
            levels[0].stays |= np.logical_or(*in_tasks)
        else:
            levels.append(_Level(_Tables(data, self.of, rows, apart.by_task), np.logical_or(*in_tasks)))
        for level, each in enumerate(levels):
            each.done[done.filter(pl.col("same_task") <= bool(level))["left"].to_numpy()] = True
        marks, expanded = self._marks(data, rows, levels[0].tables.entries), []
        while True:
            found = [
                next_pairs(each.tables, each.stays, each.done, marks, self.of.sketch.scheme[1], number)
                for each in levels
            ]
            for level, (_, rows_done) in enumerate(found):
                for own in levels[level:]:
                    own.done[rows_done] = True
                expanded.append(pl.DataFrame({"left": rows_done}).with_columns(same_task=pl.lit(level > 0)))
            pairs = sorted_unique(np.concatenate([some for some, _ in found]))
            if len(told):
                pairs = np.setdiff1d(pairs, told, assume_unique=True)
            can = [self._possible(pairs[at : at + BLOCK], apart.all, lengths) for at in range(0, len(pairs), BLOCK)]
            pairs = pairs[np.concatenate([np.zeros(0, np.bool_), *can])]
            if len(pairs) or not any(len(rows) for _, rows in found):
                return pairs, pl.concat(expanded)

    def _marks(self, data: View, rows: UInt64s, entries: int) -> KnownMarks:
        """The marks of the rows, where there are so many keys that not every pair that shares one may be compared."""
        if entries < MARKED_FROM:
            return KnownMarks(None, 0)
        every = gathered_marks(data, self.of.sketch)
        whole = len(rows) == len(every) and self.keep == "first"
        return KnownMarks(every if whole else every[rows], self.of.least)

    def _possible(self, pairs: UInt64s, apart: Int64s, lengths: UInt32s) -> Bools:
        """Say which pairs can be similar."""
        both = np.stack(unpacked(pairs), axis=1).astype(np.int64)
        own: Bools = apart[both[:, 0]] == apart[both[:, 1]]
        return own & possible(lengths, both, self.similar, self.contained)

    def compute(self, data: View, dealt: pl.DataFrame) -> pl.DataFrame:
        """Compare the pairs exactly."""
        if self.of.exact:
            return self._told(data, dealt, self._complete(data, dealt))
        pairs, done = dealt.drop_nulls("right"), dealt.filter(pl.col("right").is_null()).select("left", "same_task")
        sides = [
            pairs.select(pl.col(side).alias("rank"), *(pl.col(f"{side}_{name}").alias(name) for name in _PLACED[1:]))
            for side in _SIDES
        ]
        rows = pl.concat(sides).unique("rank").sort("file", "at", "rank")
        nth = rows.select("rank", nth=pl.int_range(pl.len()))
        both = [side.join(nth, on="rank", how="left", maintain_order="left")["nth"].to_numpy() for side in sides]
        found = reaching(self.of.sets(data, rows), np.stack(both, axis=1), self.similar, self.contained)
        return pl.concat([self._told(data, rows, found), done], how="diagonal")

    def _complete(self, data: View, rows: pl.DataFrame) -> Pairs:
        """All similar pairs of all rows."""
        order = rows.with_row_index("nth").sort("file", "at", "rank")
        read = self.of.sets(data, order).take(np.arange(order.height))
        every = take(read, np.argsort(order["nth"].to_numpy(), kind="stable"))
        pairs = exact_pairs(every, self.similar)
        if self.contained:
            pairs = union([pairs, exact_contained(every, self.contained)])
        apart = rows["apart"].to_numpy()
        return pairs.where(apart[pairs.rows[:, 0]] == apart[pairs.rows[:, 1]])

    def _told(self, data: View, rows: pl.DataFrame, found: Pairs) -> pl.DataFrame:
        """Pairs of lines of `rows` as lines of the table."""
        task, rank, row = (rows[name].to_numpy()[found.rows] for name in ("task", "rank", "row"))
        same = task[:, 0] == task[:, 1]
        otherwise = np.zeros(len(same), np.uint8)
        if self.of.sketch.of.on == "conversation" and same.any():
            otherwise[same] = _otherwise(data, self.of, row[same].astype(np.int64))
        columns = (*rank.T, found.intersection, found.union, same, otherwise)
        return pl.DataFrame(dict(zip(self.columns, columns, strict=True)), schema=self.columns)


_NEVER_NULL = ("row", "text", *_PLACED[2:5])


def walks(pairs: pl.DataFrame) -> list[Bools]:
    """Which pairs of the table say who repeats whom; so, if tasks counted or not; if answers did not, either.

    Three times the same where neither tells any two rows apart.
    """
    same, otherwise = pairs["same_task"].to_numpy(), pairs["otherwise"].to_numpy() > 0
    return [same & ~otherwise, same, np.ones(len(same), np.bool_)]


def _with_places(told: pl.DataFrame, pairs: UInt64s) -> pl.DataFrame:
    """`left`, `right`, and what is told of either (`left_row` and so on)."""
    table = [
        told[own.astype(np.int64)].rename({name: side if name == "rank" else f"{side}_{name}" for name in _PLACED})
        for side, own in zip(_SIDES, unpacked(pairs), strict=True)
    ]
    return pl.concat(table, how="horizontal")


def _otherwise(data: View, of: Candidates, pairs: Int64s) -> UInt8s:
    """Say of pairs of rows of the dataset whether their answers differ, or else their questions."""
    rows = np.unique(pairs)
    places = np.searchsorted(rows, pairs)
    with said_in(data, of.sketch.of, rows, "answers") as answers:
        answered = answered_otherwise(answers, places)
        short = brief(answers, places)
        ungiven = answers.lengths[places].max(axis=1, initial=0) == 0
    with said_in(data, of.sketch.of, rows, "questions") as questions:
        asked = asked_otherwise(questions, places)
    with said_in(data, of.sketch.of, rows, "last_lines") as lines:
        # A short gold is no set (it is in the task, which both rows share), nor is the answer of a row without one.
        asked = (asked & short) | (asked_otherwise(lines, places) & (short | ungiven))
    return np.where(answered, ANSWERED, np.where(asked, ASKED, 0)).astype(np.uint8)


class _Apart(NamedTuple):
    """Numbers of the rows, which share one where they may be a pair.

    all: by media and label. by_task: by the task as well. compared: as `all`, but rows with a task that are nearly
    nothing but boilerplate are apart by that, too: what is left of them, the numbers of a template, is alike by chance,
    and of 490,000 tasks of Countdown all would be compared with all, to say of a few that they have other golds.
    """

    all: Int64s
    compared: Int64s
    by_task: Int64s


class _Level:
    """Pairs that some walks need: `stays`, which rows these leave so far; `done`, which are expanded for them.

    The last walk does not count tasks, so it needs pairs of all. The others need those of one task: a template of
    numbers has as many tasks as rows, none of which repeats another, and all pairs of them would be compared.
    """

    def __init__(self, tables: "_Tables", stays: Bools) -> None:
        self.tables, self.stays, self.done = tables, stays, np.zeros(len(stays), np.bool_)


class _Tables:
    """The keys that rows share, a table at a time, by the numbers of the rows in the order of preference.

    Rows that stand apart (`groups`) share none: 10⁵ pictures behind one question have five billion pairs, all in vain.
    """

    def __init__(self, data: View, of: Candidates, rows: Int64s, apart: Int64s) -> None:
        (keys,) = of.keys
        self._tables = data.buckets(keys)
        self.entries = sum(total(table) for table in self._tables)
        self._ranks = np.zeros(int(rows.max()) + 1, np.uint32)
        self._ranks[rows] = np.arange(len(rows))
        self._apart = mix64(apart.astype(np.uint64)) if apart.any() and (apart != apart[0]).any() else None

    def __call__(self) -> Iterator[Keys]:
        """Read them once more."""
        for table in self._tables:
            lines = table.collect()
            keys, ranks = lines["key"].to_numpy(), self._ranks[lines["row"].to_numpy()]
            if self._apart is not None:
                keys = keys ^ self._apart[ranks]
                several = shared(keys)
                keys, ranks = keys[several], ranks[several]
            yield Keys.of(keys, ranks)
