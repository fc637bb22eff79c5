"""Rows that are worth comparing: the keys that they share, their n-gram sets, and what tells them apart."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl

from datacheck.check import Group, Need, Rounds, Summary, View, total
from datacheck.features.one_text import side_of_text
from datacheck.features.sketch import MARKS, Sketch, TextSet
from datacheck.features.tasks import LETTERS, tasks
from datacheck.features.text_key import media
from datacheck.features.texts import PARTS, of_part, only, row_texts
from datacheck.text import sketches
from datacheck.text.arrays import Bools, Int64s, UInt32s, UInt64s
from datacheck.text.chinese import in_both_scripts
from datacheck.text.codes import cuts, from_lengths, row_numbers
from datacheck.text.disk_sets import PlacedSets, SpilledSets
from datacheck.text.matching import ALIKE_FROM, alike, shared
from datacheck.text.normalise import normalise
from datacheck.text.shingles import Shingles

LOOKED_THROUGH = 10_000  # rows, of whose keys a task has its share, so that few rows are one task
PIECE = 1 << 23  # keys of a bucket that a task holds: more are looked through in several tasks, some keys in each
MARKS_AT_ONCE = 1 << 20  # rows
AT_ONCE = 4_000  # rows that one task reads, or those of one part
SAMPLE = 5_000  # rows on which the search is compared with the complete one
SAMPLED_COPIES = 20  # of them with one value: a row that was copied 100,000 times has five billion pairs
QUOTED = 120  # rows whose texts are kept, to plant copies of them
_LETTER = in_both_scripts(r"^\W*(?i:(?:the )?answer|答案)?\s*[:：是为]?\W*[A-Ha-h]\W*$")
_ANSWERS = (pl.col("role") == "assistant").fill_null(value=False) | pl.col("part").is_in(PARTS["response"])
# Short golds, and those behind a mark, are compared as such (`tasks`); a long one is an answer like others.
_ANSWERS &= (pl.col("part") != "answer") | (
    (pl.col("text").str.len_bytes() > LETTERS) & ~pl.col("text").str.contains(r"#### |\\boxed")
)
_QUESTIONS = pl.col("part").is_in(PARTS["prompt"]) & pl.col("role").is_null().or_(pl.col("role") == "user")
# One value tells two apart: {"intent": "…"}, [{"name": "f", "arguments": {…}}], <tool_call>; in long ones is prose.
_CALL = r"^\s*(?:<tool_call>\s*)?\[?\s*\{[\s\S]*\}\s*\]?\s*(?:</tool_call>\s*)?$"
_QUERY = r"^\s*(?i:select\s|with\s+\S+\s+as\s*\()[\s\S]*\s(?i:from)\s"
_SHORT_CALL = 300
_NAME = re.compile(r"[^\d\n]{1,40}")
_SIDES = {"answers": _ANSWERS, "questions": _QUESTIONS, "last_lines": _QUESTIONS}
Keep = Literal["first", "longest", "best_score"]
Side = Literal["answers", "questions", "last_lines"]
_LAST_LINE = r"(?s)^.*\n([^\n]*[?？])\s*$"  # what is asked of a passage that stands before it
PREFERRED_BY: dict[Keep, tuple[str, ...]] = {"first": (), "longest": ("size",), "best_score": ("score",)}


class RowMarks(Summary):
    """The marks of all rows in one table, 16 bytes a row: who needs them all would else open a file for each part."""

    of: Sketch

    def needs(self) -> tuple[Need, ...]:
        """The marks part by part."""
        return (Need(self.of),)

    def compute(self, data: View) -> pl.DataFrame:
        """`mark_1`, `mark_2` u64: a line per row, to the last one that has any; zeros for a row without n-grams."""
        return pl.DataFrame(marks_of(data, self.of), schema=dict.fromkeys(MARKS, pl.UInt64), orient="row")


class SharedKeys(Rounds):
    """Band keys that several rows have whose marks agree in `least` values; a task for some buckets of equal keys.

    Each table is sorted by (key, row). What has one key is in one table.
    """

    columns = {"key": pl.UInt64, "row": pl.UInt32}

    sketch: Sketch
    least: int

    @property
    def group(self) -> Need:
        """All keys, brought together."""
        return Need(Group(of=self.sketch, by="key", columns=("row", "key")))

    def needs(self) -> tuple[Need, ...]:
        """All keys, and the marks."""
        return (self.group, Need(RowMarks(of=self.sketch)))

    def deal(self, data: View, number: int) -> Sequence[pl.DataFrame]:
        """Once: numbers of buckets, and of how many pieces of each which one."""
        count, of = 0 if number else len(data.buckets(self.group)), self._pieces(data.firsts[-1])
        tasks = min(count * of, 1 + data.firsts[-1] // LOOKED_THROUGH)
        every = pl.DataFrame({"bucket": np.repeat(np.arange(count), of), "piece": np.tile(np.arange(of), count)})
        return [every[each] for each in np.array_split(np.arange(every.height), tasks)] if tasks else []

    def _pieces(self, rows: int) -> int:
        """How many pieces a bucket is cut into."""
        buckets = self.group.table.buckets if isinstance(self.group.table, Group) else 1
        return -(-rows * self.sketch.scheme[1] // (buckets * PIECE)) or 1

    def compute(self, data: View, dealt: pl.DataFrame) -> pl.DataFrame:
        """`key` u64, `row` u32."""
        buckets, of = data.buckets(self.group), self._pieces(data.firsts[-1])
        lines = (self.of_bucket(buckets[number], piece, of) for number, piece in dealt.iter_rows())
        return pl.concat(self._alike(data, each).sort("key", "row") for each in lines)

    def of_bucket(self, bucket: pl.LazyFrame, piece: int = 0, of: int = 1) -> pl.DataFrame:
        """The lines of a bucket, or of a piece of it, whose key another one has."""
        if of > 1:  # by digits of the key that did not choose the bucket
            bucket = bucket.filter(pl.col("key") // (1 << 32) % of == piece)
        lines = bucket.select("key", pl.col("row").cast(pl.UInt32)).collect()
        return lines.filter(pl.Series(shared(lines["key"].to_numpy())))

    def _alike(self, data: View, lines: pl.DataFrame) -> pl.DataFrame:
        """Those that do not share their key by chance."""
        if lines.height < ALIKE_FROM:
            return lines
        marks = gathered_marks(data, self.sketch)[lines["row"].to_numpy()]
        return lines.filter(pl.Series(alike(lines["key"].to_numpy(), marks, self.least)))


class Candidates(Rounds):
    """Rows to compare, ascending, what tells them apart, and their sets of n-grams; a task for some parts.

    `row`; `file`, `at`, `length`: in which task's file, at which byte the set begins, and how many members it has;
    `text`: a hash; `size`: code points; `media`, `label`, `score`, `task`; `quoted`: the text of
    a few rows, to plant in.

    least: as for SharedKeys. exact: all rows, whatever keys they share.
    """

    apart = "members"
    columns = {
        "row": pl.UInt64, "file": pl.UInt32, "at": pl.UInt64, "length": pl.UInt32, "text": pl.UInt64, "size": pl.UInt32,
        "media": pl.String, "label": pl.String, "score": pl.Float64, "task": pl.String, "quoted": pl.String,
        "members": pl.Binary,
    }  # fmt: skip

    sketch: Sketch
    least: int
    exact: bool

    @property
    def keys(self) -> tuple[Need, ...]:
        """The keys that rows share; none where all rows are compared."""
        return () if self.exact else (Need(SharedKeys(sketch=self.sketch, least=self.least)),)

    def needs(self) -> tuple[Need, ...]:
        """The keys, and what the sets are made without."""
        return (*self.keys, Need(self.sketch), *self.sketch.needs())

    def deal(self, data: View, number: int) -> Iterator[pl.DataFrame]:
        """Once: `row`, `file` (the number of the task), `quoted`, of whole parts."""
        if number:
            return
        quoted = quoted_rows(data, self.sketch)
        chosen = np.full(data.firsts[-1], self.exact, np.bool_)
        for table in () if self.exact else data.buckets(*self.keys):
            chosen[table.select("row").collect()["row"].to_numpy()] = True
        chosen[quoted] = True
        chosen[picked_rows(data, self.sketch)] = True
        wanted = np.flatnonzero(chosen)
        parts = np.searchsorted(wanted, np.array(data.firsts))
        pieces = (wanted[parts[one] : parts[end]] for one, end in cuts(parts, AT_ONCE) if parts[end] > parts[one])
        for file, rows in enumerate(pieces):
            of_task = np.full(len(rows), file, np.uint32)
            yield pl.DataFrame({"row": rows, "file": of_task, "quoted": np.isin(rows, quoted)})

    def compute(self, data: View, dealt: pl.DataFrame) -> pl.DataFrame:
        """Read the rows part by part."""
        wanted, without = dealt["row"].to_numpy(), (self.sketch.dropped(data), self.sketch.tasks(data))
        quote, at = wanted[dealt["quoted"].to_numpy()], 0
        found = [pl.DataFrame(schema=self.columns)]
        for part, own in in_parts(data, wanted):
            turns, cells, rows = (data.piece(name, part) for name in ("turns", "cells", "rows"))
            read = rows_of(turns, cells, rows, own, self.sketch, *without)
            if read is None:
                continue
            texts, facts, sets = read
            lengths, ends = np.diff(sets.offsets), sets.offsets * sets.hashes.itemsize
            content = memoryview(sets.hashes.tobytes())
            table = facts.with_columns(
                file=pl.lit(dealt["file"][0]),
                at=pl.Series(ends[:-1] + at).cast(pl.UInt64),
                length=pl.Series(lengths).cast(pl.UInt32),
                quoted=pl.when(pl.col("row").is_in(quote)).then(texts["text"]),
                members=pl.Series([bytes(content[one:end]) for one, end in pairwise(ends.tolist())], dtype=pl.Binary),
            )
            found.append(table.select(pl.col(name).cast(kind) for name, kind in self.columns.items()))
            at += int(ends[-1])
        return pl.concat(found)

    def sets(self, data: View, rows: pl.DataFrame) -> PlacedSets:
        """The sets of some lines of the table, ascending."""
        places = rows.select(pl.col("file", "at").cast(pl.Int64)).to_numpy()
        return PlacedSets(data.bodies(Need(self)), places, rows["length"].to_numpy().astype(np.int64))


def in_parts(data: View, rows: Int64s) -> Iterator[tuple[int, Int64s]]:
    """Yield each part that has some of the rows (ascending), and those."""
    ends = np.searchsorted(rows, np.array(data.firsts))
    for part in np.flatnonzero(np.diff(ends)).tolist():
        yield part, rows[ends[part] : ends[part + 1]]


def picked_rows(data: View, sketch: Sketch) -> Int64s:
    """Return a sample of rows, ascending: those whose spare MinHash value says so, so that it holds pairs."""
    every = max(1, -(-data.firsts[-1] // SAMPLE))
    lines = data[Need(sketch)].filter(pl.col("pick") % every == 0).select("pick", "row")
    few = pl.int_range(pl.len()).over("pick") < SAMPLED_COPIES
    rows = lines.sort("pick", "row").filter(few).head(SAMPLE).collect()["row"]
    return rows.sort().to_numpy().astype(np.int64)


def quoted_rows(data: View, sketch: Sketch) -> Int64s:
    """Return the rows with the smallest band keys, ascending: chosen by content, so the same in every run."""
    lines = data[Need(sketch)].select("row", least=pl.col("key").list.min())
    rows = lines.bottom_k(QUOTED, by=["least", "row"]).collect(engine="streaming")["row"]
    return rows.sort().to_numpy().astype(np.int64)


def keys_of(data: View, sketch: Sketch, rows: Int64s) -> tuple[UInt64s, UInt64s]:
    """Return band keys u64[n, bands] and marks u64[n, 2] of some rows (ascending) that have n-grams."""
    lines = only(data[Need(sketch)].select("row", "key", *MARKS), rows).collect()
    keys = lines["key"].explode(empty_as_null=False).to_numpy().reshape(-1, sketch.scheme[1])
    return keys, lines.select(MARKS).to_numpy().reshape(-1, len(MARKS))


def gathered_marks(data: View, sketch: Sketch) -> UInt64s:
    """Return the mark of each row, as `marks_of` does, from the table that has all of them."""
    table = data[Need(RowMarks(of=sketch))]
    marks = np.empty((total(table), len(MARKS)), np.uint64)
    for at in range(0, len(marks), MARKS_AT_ONCE):  # the table and the array at once would be twice as much
        marks[at : at + MARKS_AT_ONCE] = table.slice(at, MARKS_AT_ONCE).collect().to_numpy()
    return marks


def marks_of(data: View, sketch: Sketch, of: str | None = None) -> UInt64s:
    """Return the mark of each row (of another dataset with `of`), by its number, to the last one that has any."""
    tables = data.buckets(Need(sketch, of))  # not all at once: for a moment that would be twice as much
    ends = (table.select(pl.col("row").max()).collect().item() for table in reversed(tables))
    marks = np.zeros((next((end for end in ends if end is not None), 0) + 1, len(MARKS)), np.uint64)
    for table in tables:
        lines = table.select("row", *MARKS).collect()
        marks[lines["row"].to_numpy()] = lines.select(MARKS).to_numpy()
    return marks


def rows_of(
    turns: pl.LazyFrame,
    cells: pl.LazyFrame,
    rows: pl.LazyFrame,
    own: Int64s | None,
    sketch: Sketch,
    drop: UInt32s,
    told: UInt64s,
) -> tuple[pl.DataFrame, pl.DataFrame, Shingles] | None:
    """Read some rows (None: all) of a part: their texts, FACTS and sets; None where none has a text.

    drop: n-grams that do not count, as `Sketch.dropped` gives them; told: as `Sketch.tasks` does.
    """
    texts = sketch.of.texts(only(turns, own), told)
    if not texts.height:
        return None
    found = sketch.sets(texts["text"], drop)
    known = texts.select("row", text=pl.Series(found.texts), size=pl.col("text").str.len_chars().cast(pl.UInt32)).lazy()
    labels = rows.select(
        "row", "label", score=pl.coalesce("score", "score_chosen").cast(pl.Float64, strict=False).fill_nan(None)
    )
    known = known.join(media(only(cells, own)), on="row", how="left", maintain_order="left")
    known = known.join(labels, on="row", how="left", maintain_order="left")
    known = known.join(tasks(only(turns, own)), on="row", how="left", maintain_order="left")
    return texts, known.select(pl.col(name).cast(kind) for name, kind in FACTS.items()).collect(), found.sets


def read_rows(
    data: View,
    sketch: Sketch,
    without: tuple[UInt32s, UInt64s],
    wanted: Int64s | None,
    spilled: SpilledSets,
    of: str | None = None,
) -> pl.DataFrame:
    """Append the sets of the wanted rows, of another dataset with `of`; return FACTS. without: as for `rows_of`."""
    facts = [pl.DataFrame(schema=FACTS)]
    for turns, cells, rows in zip(*(data.pieces(name, of) for name in ("turns", "cells", "rows")), strict=True):
        read = rows_of(turns, cells, rows, of_part(wanted, rows), sketch, *without)
        if read is not None:
            facts.append(read[1])
            spilled.append(read[2])
    return pl.concat(facts)


@contextmanager
def said_in(data: View, texts: TextSet, rows: Int64s, side: Side) -> Iterator[SpilledSets]:
    """The sets of all answers (questions) in some rows (ascending), empty where there is none; the file is deleted.

    Boilerplate counts here: two answers in the same words are one answer. Golds are compared as such (`tasks`), and the
    letter of an option says nothing: a copy may have its options in another order.
    """
    with SpilledSets(data.scratch / side) as spilled:
        for part, own in in_parts(data, rows):
            spilled.append(_said(data.piece("turns", part), texts, own, side))
        yield spilled


def read_said(
    data: View, texts: TextSet, wanted: Int64s, spilled: SpilledSets, side: Side, of: str | None = None
) -> None:
    """Append the sets of all answers (questions) in some rows, of another dataset with `of`; see `said_in`."""
    for turns, rows in zip(data.pieces("turns", of), data.pieces("rows", of), strict=True):
        own = of_part(wanted, rows)
        if own is not None and len(own):
            spilled.append(_said(turns, texts, own, side))


def _said(turns: pl.LazyFrame, texts: TextSet, own: Int64s, side: Side) -> Shingles:
    """The sets of the answers (questions) in some rows of a part, in their order."""
    wanted = only(turns, own)
    in_texts = wanted.filter(pl.col("part") == "text")
    in_texts = in_texts.with_columns(text=side_of_text("answer" if side == "answers" else "question"))
    answered = row_texts(pl.concat([wanted.filter(_SIDES[side]), in_texts]), "conversation")
    every = pl.LazyFrame({"row": own}, schema={"row": pl.UInt64}).join(
        answered.with_columns(pl.col("row").cast(pl.UInt64)), on="row", how="left", maintain_order="left"
    )
    text = pl.col("text").str.extract(_LAST_LINE) if side == "last_lines" else pl.col("text").str.replace(_LETTER, "")
    said = every.select(text.fill_null("")).collect()["text"]
    found = sketches.sets(said, texts.unit, hashed=False).sets
    if side != "answers":
        return found
    called, short = said.str.contains(_CALL), said.str.len_chars() <= _SHORT_CALL
    whole = (called & short) | said.str.contains(_QUERY)
    told = said.str.replace_all(r"\s+", "")
    names = said.filter(called & ~whole).map_elements(_named, pl.String, skip_nulls=False)
    told = told.scatter((called & ~whole).arg_true(), names)
    whole |= called & told.is_not_null()
    return _as_one(found, told, whole.to_numpy()) if whole.any() else found


def _named(text: str) -> str | None:
    """The short words among the values of long JSON, by their keys; None where it has none, or is no JSON.

    Numbers, dates and ids are in many copies others; prose may be put in other words.
    """
    try:
        names = sorted(_names(json.loads(text), ""))
    except (ValueError, RecursionError):
        return None
    return "\0".join(names) if names else None


def _names(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _names(each, f"{path}.{key}")
    elif isinstance(value, list):
        for each in value:
            yield from _names(each, f"{path}[]")
    elif value is None or isinstance(value, bool) or (isinstance(value, str) and _NAME.fullmatch(value)):
        yield f"{path}={value}"


def _as_one(found: Shingles, said: pl.Series, whole: Bools) -> Shingles:
    """The sets, some with a single member, that of `said`: a call or a label in JSON is the same, or another one."""
    first, lengths = found.offsets[:-1][whole], np.diff(found.offsets)
    keep, hashes = ~whole[row_numbers(found.offsets)], found.hashes.copy()
    keep[first] = True
    hashes[first] = said.filter(whole).hash().to_numpy().astype(np.uint32)
    return Shingles(from_lengths(np.where(whole, 1, lengths)), hashes[keep])


def without_numbers(data: View, sketch: Sketch, rows: Int64s) -> UInt64s:
    """Return a hash of the normalised text of each of some rows (ascending), without its digits."""
    found, told = [pl.Series(dtype=pl.UInt64)], sketch.tasks(data)
    for part, own in in_parts(data, rows):
        texts = sketch.of.texts(only(data.piece("turns", part), own), told)["text"]
        found.append(normalise(texts, sketch.of.normalise).str.replace_all(r"\d+", "").hash())
    return pl.concat(found).to_numpy()


FACTS = {
    "row": pl.UInt64,
    "text": pl.UInt64,
    "size": pl.UInt32,
    "media": pl.String,
    "label": pl.String,
    "score": pl.Float64,
    "task": pl.String,
}


def preferred(facts: pl.DataFrame, keep: Keep) -> Int64s:
    """Return the order in which rows are kept: the first one of a cluster in it stays. Of equals, the earlier row.

    A row without a score (none, NaN, no number) comes behind all that have one.
    """
    by = [name for name in PREFERRED_BY[keep] if name in facts.columns]
    order = facts.with_row_index("nth").sort(*by, "row", descending=[*(True for _ in by), False], nulls_last=True)
    return order["nth"].to_numpy().astype(np.int64)


def groups(facts: pl.DataFrame, *by: str) -> Int64s:
    """Number the rows so that only those with the same media, the same label and the same `by` share a number.

    A column that is not there has no values.
    """
    columns = [
        name for name in ("media", "label", *by) if name in facts.columns and facts[name].null_count() < facts.height
    ]
    if not columns:
        return np.zeros(facts.height, np.int64)
    return facts.select(pl.struct(columns).rank("dense")).to_series().to_numpy().astype(np.int64)
