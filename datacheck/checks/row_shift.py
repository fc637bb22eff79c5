"""The check row_shift."""

from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, View, for_review, learnt, rates, saying, total
from datacheck.features.golds import SOLUTION, golds_of
from datacheck.features.misplaced import common, misplaced, without, words
from datacheck.text.arrays import Bools, Int64s
from datacheck.text.matching import intersections
from datacheck.text.shingles import Shingles
from datacheck.text.variables import strangers

WINDOWS = 8  # stretches of neighbouring rows that are looked at, spread over the data
ASKED, TOLD = 200, 500  # characters of a question and of an answer that are compared
WHOLE = 20_000  # characters of all that is asked in a row, in which an answer may stand word for word; and of answers
QUOTED, GO_ON = 40, 0.1  # characters of an answer that do, and the share of such answers in texts that go on
TOPIC, BESIDE = 0.05, 10  # of the answers that fit their own question fit a neighbour's, too: rows go on; how many
SHARED = 2  # rare words that an answer shares with the question of its neighbour, and none with its own
RUN, OFTEN = 3, 0.3  # rows that fit so within a stretch whose answers share nothing with their questions; their share


class RowShift(Check):
    """Rows whose answers seem to belong to another question: shifted by a row, changed with the next one, or moved.

    Compared are rare words (of Chinese, pairs of characters) that a question shares with its own answer and with those
    of the rows beside it. An answer fits a neighbour that shares none with its own question, and two or more with the
    neighbour's. `shifted` are three such rows or more in a stretch without any that fits its own question, `exchanged`
    two neighbours that fit each other. `misplaced` are answers that fit the question of any other row that is looked
    at, whose own answer shares nothing with it: three or more, and more than the topics of the set let expect. It is a
    suspicion: no model judges what an answer says.

    Answers are the responses of conversations, the chosen ones of pairs, a `solution` beside the gold, and golds that
    say something: a worked solution, a sentence; and the options of a question with options. A bare gold ("18",
    "Paris") is none. Where one in ten of the answers that fit stand in the neighbour's prompt word for word, the rows
    are windows over one text (a script), and none is named.

    A bare gold of mathematics may name variables: `strange` are those that name none of their question's, of letters
    that mostly stand in both (`b^2 - 9a^2` beside a question of m and n). A gold of one in twenty rows is a label.
    """

    metrics = {
        "rate": Metric("rows whose answer fits another row's question", "share", of="rows with both"),
        "shifted": Metric(
            "rows of stretches in which answers fit the question of the same neighbour, and never their own",
            "share",
            of="rows with both",
            limit=Limit(warn_max=0),
            why="three in a row hardly come by chance: the column slipped, and another question is answered",
        ),
        "misplaced": Metric(
            "rows whose answer fits the question of a row far away, and never their own",
            "share",
            of="rows with both",
            limit=Limit(warn_max=0),
            why="they are named only where there are more than chance explains: a column was shuffled in part",
        ),
        "strange": Metric(
            "rows whose gold names variables, and none of those of its question",
            "share",
            of="rows with variables in both",
            limit=Limit(warn_max=0.05),
            why="none of MATH's and CARP's rows, 1 in 100 of college mathematics; where there are more, golds slipped",
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
        judged, strange = self._strange(data)
        slipped, moved = (evidence.filter(pl.col("problem") == problem) for problem in ("shifted", "misplaced"))
        return Measured(
            (
                *rates("rate", evidence, among, by=None),
                *rates("shifted", slipped, among, by=None),
                *rates("misplaced", moved, among, by=None),
                *rates("strange", strange, judged, by=None),
            ),
            evidence=for_review(pl.concat([evidence, strange], how="diagonal"), data.rows),
            not_checked=(note,) if left else (),
        )

    def _near(self, data: View, table: pl.LazyFrame) -> pl.LazyFrame:
        """The table in stretches of neighbouring rows, where there are more than are looked at."""
        rows, stretch = total(data.rows), -(-self.rows // WINDOWS)
        return table.filter(pl.col("row") % max(-(-rows // WINDOWS), stretch) < stretch) if rows > self.rows else table

    def _strange(self, data: View) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """`row` of rows with variables on both sides, and as evidence those whose gold has none of its question's."""
        turns = self._near(data, data.turns)
        golds = golds_of(turns, "answer", "auto").filter(pl.col("gold").is_not_null(), ~pl.col("listed"))
        heard = turns.filter(pl.col("part") == "prompt", pl.col("role").ne_missing("system")).group_by("row")
        asked = heard.agg(asked=pl.col("text").str.join("\n").str.slice(0, WHOLE)).collect()
        rows = golds.join(asked, on="row", how="inner").drop_nulls("asked").sort("row")
        found = strangers(rows["asked"].to_list(), rows["gold"].to_list())
        among = rows[found.judged].lazy().select("row") if found.judged else data.rows
        named = rows[found.strange].with_columns(told=pl.Series(found.told), asked=pl.Series(found.asked))
        said = saying("its gold has {told}, its question {asked}", told=pl.col("told"), asked=pl.col("asked"))
        named = named.select(pl.col("row").cast(pl.UInt64), "where", said=said, text="gold", problem=pl.lit("strange"))
        return among, (named if named.height >= RUN else named.clear()).lazy()

    def _pairs(self, data: View) -> pl.DataFrame:
        """`row`, `asked`, `told` of rows that have both, in stretches of neighbours, cut; `whole`, `full`: less so."""
        turns, cells = self._near(data, data.turns), self._near(data, data.cells)
        text, spoken = pl.col("text"), pl.col("role").ne_missing("system")
        prompts = turns.filter(pl.col("part") == "prompt").group_by("row", maintain_order=True)
        asked = prompts.agg(
            asked=text.filter(spoken).last().str.slice(0, ASKED), whole=text.str.join("\n").str.slice(0, WHOLE)
        )
        answers = _answers(turns, cells)
        told = answers.with_columns(pl.col("told").str.slice(0, TOLD), full=pl.col("told").str.slice(0, WHOLE))
        return asked.join(told, on="row").drop_nulls().sort("row").collect()


def _answers(turns: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `told`: what is said to the question of each row, all of it; a bare gold says nothing of its question."""
    said = pl.col("part").is_in(["response", "chosen", "option"]) | learnt()  # results of tools, too
    spoken = turns.filter(said).select("row", "text", "tool_calls")
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
    asked, told = words(pairs["asked"]), words(pairs["told"])
    asked = without(without(asked, common(asked)), common(told))  # what many answers say belongs to the subject
    here = np.arange(pairs.height)
    own = intersections(asked, here, told, here) > 0
    beside = [_fits(asked, told, step) for step in (-1, 1)]
    behind, before = (np.zeros_like(own) if _one_topic(fits, own) else fits & ~own for fits in beside)
    exchanged = np.zeros(pairs.height, np.bool_)
    both = before[:-1] & behind[1:]
    exchanged[:-1] |= both
    exchanged[1:] |= both
    shifted = (_in_stretches(behind & ~exchanged, own) | _in_stretches(before & ~exchanged, own)) & ~exchanged
    others, problems = np.where(before, here + 1, here - 1), np.full(pairs.height, "misplaced", object)
    problems[shifted], problems[exchanged] = "shifted", "exchanged"
    far = misplaced(asked, told, own, pairs)
    moved = np.zeros(pairs.height, np.bool_)
    moved[far.answers] = ~(shifted | exchanged)[far.answers]
    others[far.answers] = np.where(moved[far.answers], far.questions, others[far.answers])
    rows = np.flatnonzero(shifted | exchanged | moved)
    if _go_on(pairs, rows, others[rows]):
        rows = rows[:0]
    return _Found(rows, others[rows], problems[rows].tolist())


def _go_on(pairs: pl.DataFrame, rows: Int64s, others: Int64s) -> bool:
    """Whether the rows are windows over one text: their answers stand word for word in the prompts of neighbours."""
    begins = pairs["told"].gather(rows).str.strip_chars().str.slice(0, QUOTED)
    told = begins.to_list()
    quoted = sum(one in whole for one, whole in zip(told, pairs["whole"].gather(others), strict=True))
    return quoted > GO_ON * len(told)


def _fits(asked: Shingles, told: Shingles, step: int) -> Bools:
    """Whether the answer of each row fits the question `step` rows on."""
    rows = len(asked.offsets) - 1
    here = np.arange(max(0, -step), rows - max(0, step))
    found = np.zeros(rows, np.bool_)
    found[here] = intersections(asked, here + step, told, here) >= SHARED
    return found


def _one_topic(fits: Bools, own: Bools) -> bool:
    """Whether neighbours share their words because they go on: lines of a drama, questions about one text.

    Of the answers that fit their own question at most 1.3 % fit a neighbour's in four sets of single questions, 13 % in
    a script that was cut into rows.
    """
    both = int((fits & own).sum())
    return both >= BESIDE and both > TOPIC * own.sum()


def _in_stretches(fits: Bools, own: Bools) -> Bools:
    """Those of the rows that stand in a stretch without `own`, of which enough fit."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], own, [True]]).astype(np.int8)))
    found = np.zeros(len(fits), np.bool_)
    for first, end in edges.reshape(-1, 2):
        count = int(fits[first:end].sum())
        if count >= RUN and count >= OFTEN * (end - first):
            found[first:end] = fits[first:end]
    return found
