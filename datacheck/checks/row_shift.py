"""The check row_shift."""

from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, View, for_review, rates, saying, total
from datacheck.features.golds import SOLUTION
from datacheck.text.arrays import Bools, Int64s, sorted_unique
from datacheck.text.codes import from_lengths, row_numbers
from datacheck.text.edges import ascii_edges
from datacheck.text.matching import intersections
from datacheck.text.normalise import normalise
from datacheck.text.shingles import Shingles, contained, document_frequency, shingles

WINDOWS = 8  # stretches of neighbouring rows that are looked at, spread over the data
ASKED, TOLD = 200, 500  # characters of a question and of an answer that are compared
SAID = r"####|boxed\{|[.!?。！？]\s*$"  # in a gold that says something: a worked solution, or a sentence
WHOLE = 20_000  # characters of a question in which an answer may stand word for word
QUOTED, GO_ON = 40, 0.1  # characters of an answer that do, and the share of such answers in texts that go on
RARE = 0.01  # share of the questions from which on a word tells nothing about one of them
SHARED = 2  # rare words that an answer shares with the question of its neighbour, and none with its own
RUN, OFTEN = 3, 0.3  # rows that fit so within a stretch whose answers share nothing with their questions; their share


class RowShift(Check):
    """Rows whose answers seem to belong to the question of a neighbour: shifted by a row, or changed with the next one.

    Compared are rare words (of Chinese, pairs of characters) that a question shares with its own answer and with those
    of the rows beside it. An answer fits a neighbour that shares none with its own question, and two or more with the
    neighbour's. `shifted` are three such rows or more in a stretch without any that fits its own question, `exchanged`
    two neighbours that fit each other. It is a suspicion: no model judges what an answer says.

    Answers are the responses of conversations, the chosen ones of pairs, a `solution` beside the gold, and golds that
    say something: with `####` or a box, or a sentence. A bare gold ("18", "Paris") is none. Where one in ten of the
    answers that fit stand in the neighbour's prompt word for word, the rows are windows over one text (a script), and
    none is named.
    """

    metrics = {
        "rate": Metric("rows whose answer fits a neighbour's question", "share", of="rows with both"),
        "shifted": Metric(
            "rows of stretches in which answers fit the question of the same neighbour, and never their own",
            "share",
            of="rows with both",
            limit=Limit(warn_max=0),
            why="three in a row hardly come by chance: the column slipped, and another question is answered",
        ),
    }

    is_suspicion = True
    reads = "solution"
    check: Literal["row_shift"] = "row_shift"
    rows: int = Field(default=3_000, ge=100, description="rows that are looked at, in stretches of neighbours")

    def measure(self, data: View) -> Measured:
        """Count shared rare words along the rows, and look for stretches where the neighbour's fit better."""
        pairs = self._pairs(data)
        found = _suspects(pairs)
        evidence = pl.LazyFrame(
            {"row": pairs["row"].gather(found.rows), "other_row": pairs["row"].gather(found.others)},
            schema={"row": pl.UInt64, "other_row": pl.UInt64},
        ).with_columns(
            problem=pl.Series(found.problems, dtype=pl.String),
            said=saying("its answer shares rare words with the question of another row, and none with its own"),
        )
        texts = pairs.lazy().select(pl.col("row").cast(pl.UInt64), text="asked")
        evidence = evidence.join(texts, on="row", how="left", maintain_order="left")
        left = total(data.rows) - pairs.height
        note = Message.plural(
            "{n:,} row was not looked at (without question or answer, or beyond `rows`)",
            "{n:,} rows were not looked at (without question or answer, or beyond `rows`)",
            left,
        )
        among = pairs.lazy().select("row") if pairs.height else data.rows
        slipped = evidence.filter(pl.col("problem") == "shifted")
        return Measured(
            (*rates("rate", evidence, among, by=None), *rates("shifted", slipped, among, by=None)),
            evidence=for_review(evidence, data.rows),
            not_checked=(note,) if left else (),
        )

    def _pairs(self, data: View) -> pl.DataFrame:
        """`row`, `asked`, `told` of rows that have both, in stretches of neighbours; texts are cut."""
        rows = total(data.rows)
        stretch = -(-self.rows // WINDOWS)
        near = pl.col("row") % max(-(-rows // WINDOWS), stretch) < stretch
        turns, cells = (table.filter(near) if rows > self.rows else table for table in (data.turns, data.cells))
        last = turns.filter(pl.col("part") == "prompt", pl.col("role").ne_missing("system")).group_by("row").last()
        asked = last.select("row", asked=pl.col("text").str.slice(0, ASKED), whole=pl.col("text").str.slice(0, WHOLE))
        told = _answers(turns, cells).with_columns(pl.col("told").str.slice(0, TOLD))
        return asked.join(told, on="row").drop_nulls().sort("row").collect()


def _answers(turns: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `told`: what is said to the question of each row, all of it; a bare gold says nothing of its question."""
    said = pl.col("part").is_in(["response", "chosen"])
    worked = (pl.col("part") == "answer") & pl.col("text").str.contains(SAID)
    spoken = turns.filter(said | worked).select("row", "text", "tool_calls")
    solved = cells.filter(pl.col("path").str.contains(SOLUTION)).select(
        "row", "text", tool_calls=pl.lit(None, pl.String)
    )
    every = pl.concat([spoken, solved], how="diagonal_relaxed")
    both = pl.concat_str("text", "tool_calls", separator="\n", ignore_nulls=True)
    return every.group_by("row", maintain_order=True).agg(told=both.filter(both != "").str.join("\n"))


class _Found(NamedTuple):
    """Places in the table of pairs, the places whose question their answers fit, and what they are."""

    rows: Int64s
    others: Int64s
    problems: list[str]


def _suspects(pairs: pl.DataFrame) -> _Found:
    asked, told = _words(pairs["asked"]), _words(pairs["told"])
    asked = _rare(_rare(asked, asked), told)  # what many answers say belongs to the subject of the set
    here = np.arange(pairs.height)
    own = intersections(asked, here, told, here) > 0
    behind, before = (_fits(asked, told, own, step) for step in (-1, 1))
    exchanged = np.zeros(pairs.height, np.bool_)
    both = before[:-1] & behind[1:]
    exchanged[:-1] |= both
    exchanged[1:] |= both
    shifted = (_in_stretches(behind & ~exchanged, own) | _in_stretches(before & ~exchanged, own)) & ~exchanged
    rows = np.flatnonzero(shifted | exchanged)
    others = np.where(before, here + 1, here - 1)[rows]
    if _go_on(pairs, rows, others):
        rows, others = rows[:0], others[:0]
    return _Found(rows, others, ["exchanged" if exchanged[row] else "shifted" for row in rows])


def _go_on(pairs: pl.DataFrame, rows: Int64s, others: Int64s) -> bool:
    """Whether the rows are windows over one text: their answers stand word for word in the prompts of neighbours."""
    begins = pairs["told"].gather(rows).str.strip_chars().str.slice(0, QUOTED)
    told = begins.to_list()
    quoted = sum(one in whole for one, whole in zip(told, pairs["whole"].gather(others), strict=True))
    return quoted > GO_ON * len(told)


def _words(texts: pl.Series) -> Shingles:
    """Words in letters of other scripts than Han, and pairs of Han characters, as one set a row."""
    plain = normalise(texts, ("nfkc", "casefold", "t2s"))
    han = plain.str.replace_all(r"[^\p{Han}]+", " ").str.replace_all(r"(\p{Han}) (\p{Han})", "$1  $2")
    pairs = shingles(han, "chars", 2)
    words = shingles(plain.str.replace_all(ascii_edges(r"[\p{Han}]|\b\w{1,3}\b"), " "), "words", 1)
    keys = np.concatenate(
        [row_numbers(part.offsets).astype(np.uint64) << np.uint64(32) | part.hashes for part in (pairs, words)]
    )
    keys = sorted_unique(keys)
    lengths = np.bincount((keys >> np.uint64(32)).astype(np.int64), minlength=len(texts))
    return Shingles(from_lengths(lengths), keys.astype(np.uint32))


def _rare(asked: Shingles, among: Shingles) -> Shingles:
    """The words of each question that few of those texts have."""
    words, counts = document_frequency(among)
    most = max(2, int(RARE * (len(among.offsets) - 1)))
    kept = ~contained(asked.hashes, words[counts > most])
    lengths = np.bincount(row_numbers(asked.offsets)[kept], minlength=len(asked.offsets) - 1)
    return Shingles(from_lengths(lengths), asked.hashes[kept])


def _fits(asked: Shingles, told: Shingles, own: Bools, step: int) -> Bools:
    """Whether the answer of each row fits the question `step` rows on, and not its own."""
    rows = len(own)
    here = np.arange(max(0, -step), rows - max(0, step))
    found = np.zeros(rows, np.bool_)
    found[here] = (intersections(asked, here + step, told, here) >= SHARED) & ~own[here]
    return found


def _in_stretches(fits: Bools, own: Bools) -> Bools:
    """Those of the rows that stand in a stretch without `own`, of which enough fit."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], own, [True]]).astype(np.int8)))
    found = np.zeros(len(fits), np.bool_)
    for first, end in edges.reshape(-1, 2):
        count = int(fits[first:end].sum())
        if count >= RUN and count >= OFTEN * (end - first):
            found[first:end] = fits[first:end]
    return found
