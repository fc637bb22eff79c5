"""Evaluation items found in the turns of another dataset: an index of one side, a row-local scan of the other."""

import numpy as np
import polars as pl

from datacheck.check import Feature, Need, Summary, View
from datacheck.text.containment import EvalIndex, best_window, scan
from datacheck.text.normalise import RULES, normalise
from datacheck.text.shingles import Shingles, concat, from_series, grams, shingles, take, to_series, without

# A Chinese character says more than a Latin letter: five characters against eight (matching.md, 7: at c5 English
# items of everyday words meet in unrelated texts, at c8 they do not).
HAN_N, LATIN_N = 5, 8
HAN_SHARE = 0.2
LONG = 4  # a turn this many times longer than the item must hold it in one place, not scattered
FRAME_SHARE, FRAME_ITEMS = 0.1, 20  # an n-gram in so many items of a set says nothing about one of them
WINDOW = 2.0  # the place may be this many times as long as the item

ITEMS = {
    "item": pl.UInt32, "row": pl.UInt32, "kind": pl.String, "n": pl.UInt8, "length": pl.UInt32, "several": pl.Boolean,
    "text": pl.String,
}  # fmt: skip


def evaluation_items(turns: pl.LazyFrame, min_length: int) -> pl.DataFrame:
    """The items of an evaluation set: each question, and each question with its options, as texts of their own.

    Columns as in ITEMS, with `n`, the length of the n-grams by which an item is compared, and `several`: it stands in
    several turns, and is to be looked for in whole rows. Items shorter than `min_length` code points after normalising
    say too little to be recognised, and are left out.
    """
    asked = _asked(turns)
    question = _joined(asked.filter(pl.col("part") != "option"))
    optional = asked.filter(pl.col("part") == "option").select("row").unique()
    both = _joined(asked).join(optional, on="row", how="semi")
    table = pl.concat(
        [question.with_columns(kind=pl.lit("question")), both.with_columns(kind=pl.lit("question_and_options"))],
        how="diagonal",
    ).collect()
    table = table.with_columns(normalise(table["text"], RULES).alias("text"))
    length = pl.col("text").str.len_chars()
    han = pl.col("text").str.count_matches(r"\p{Han}") >= length * HAN_SHARE
    table = table.filter(length >= min_length).with_columns(
        n=pl.when(han).then(HAN_N).otherwise(LATIN_N), length=pl.col("text").str.len_chars()
    )
    return table.sort("row", "kind").with_row_index("item").select(pl.col(k).cast(t) for k, t in ITEMS.items())


def _asked(turns: pl.LazyFrame) -> pl.LazyFrame:
    """The turns that hold what is asked: all but answers, tool results and system prompts, with the options."""
    said_by = pl.col("role").fill_null("").is_in(["assistant", "tool", "system"])
    return turns.filter(pl.col("part").is_in(["prompt", "option", "text"]), pl.col("text").is_not_null(), ~said_by)


def _joined(turns: pl.LazyFrame) -> pl.LazyFrame:
    """One line per row: `row`, `text`, `several`, and `path` of its first turn."""
    return turns.group_by("row", maintain_order=True).agg(
        pl.col("text").str.join("\n"), several=pl.len() > 1, path=pl.col("path").first()
    )


class EvalItems(Summary):
    """The items of an evaluation set with the n-grams that tell them apart.

    N-grams that a tenth of the items share (and at least 20) are the frame of the set ("answer in <answer> tags …"),
    not the question: training prompts in the same frame are no leak. An item that is frame from end to end keeps all.
    """

    min_length: int

    def compute(self, data: View) -> pl.DataFrame:
        """ITEMS and `shingles` (list of u32)."""
        items = evaluation_items(data.turns, self.min_length)
        parts = []
        for n in (HAN_N, LATIN_N):
            own = items.filter(pl.col("n") == n)
            sets = _distinctive(shingles(own["text"], "chars", n))
            parts.append(own.with_columns(to_series(sets).alias("shingles")))
        return pl.concat(parts)


def _distinctive(sets: Shingles) -> Shingles:
    items = len(sets.offsets) - 1
    hashes, counts = np.unique(sets.hashes, return_counts=True)
    own = without(sets, hashes[counts >= max(FRAME_ITEMS, items * FRAME_SHARE)])
    rows = np.arange(items)
    return take(concat([own, sets]), np.where(np.diff(own.offsets) > 0, rows, rows + items))


class Leaks(Feature):
    """Every turn that holds at least `tau` of the n-grams of an item of the evaluation set `against`.

    An item of several turns (a conversation, a question with options) is looked for in all that a row asks; its
    `path` is then that of the first turn.
    """

    columns = {
        "row": pl.UInt32, "path": pl.String, "eval_row": pl.UInt32, "kind": pl.String, "covered": pl.UInt32,
        "size": pl.UInt32,
    }  # fmt: skip

    against: str
    tau: float
    min_length: int

    def needs(self) -> tuple[Need, ...]:
        """The items of the evaluation set."""
        return (Need(EvalItems(min_length=self.min_length), of=self.against),)

    def compute(self, part: View) -> pl.DataFrame:
        """`row`, `path`, `eval_row`, `kind`, `covered`, `size`."""
        items = part[self.needs()[0]].collect()
        turns = part.turns.filter(pl.col("text").is_not_null(), pl.col("part") != "tools")
        single = self._found(items.filter(~pl.col("several")), turns)
        return pl.concat([single, self._found(items.filter("several"), _joined(_asked(part.turns)))])

    def _found(self, items: pl.DataFrame, places: pl.LazyFrame) -> pl.DataFrame:
        table = places.select("row", "path", "text").collect()
        texts = normalise(table["text"], RULES)
        hits = find_leaks(items, texts, self.tau)
        numbered = table.select("row", "path").with_row_index("turn")
        return hits.join(numbered, on="turn").select(*self.columns)


def find_leaks(items: pl.DataFrame, texts: pl.Series, tau: float) -> pl.DataFrame:
    """Scan normalised texts for items (as EvalItems makes them).

    Returns `turn` (index into texts), `eval_row`, `kind`, `covered` (n-grams of the item found), `size` (its
    n-grams). Complete for covered / size ≥ tau; in a text far longer than the item, within one window.
    """
    found = [_scan(items.filter(pl.col("n") == n), texts, n, tau) for n in (HAN_N, LATIN_N)]
    return pl.concat(found).sort("turn", "eval_row", "kind")


def _scan(items: pl.DataFrame, texts: pl.Series, n: int, tau: float) -> pl.DataFrame:
    index = EvalIndex.of(from_series(items["shingles"]), tau)
    hits = scan(index, shingles(texts, "chars", n)) if items.height else None
    covered = _in_one_place(index.items, items, texts, n, hits.rows, hits.items, hits.covered) if hits else np.zeros(0)
    chosen = items.select(eval_row="row", kind="kind")[hits.items if hits else []]
    sizes = index.sizes[hits.items] if hits else np.zeros(0)
    columns = [
        pl.Series("turn", hits.rows if hits else [], pl.UInt32),
        pl.Series("covered", covered, pl.UInt32),
        pl.Series("size", sizes, pl.UInt32),
    ]
    table = chosen.with_columns(columns).select("turn", "eval_row", "kind", "covered", "size")
    return table.filter(pl.col("covered") >= pl.col("size") * tau)


def _in_one_place(
    sets: Shingles,
    items: pl.DataFrame,
    texts: pl.Series,
    n: int,
    rows: np.ndarray,
    which: np.ndarray,
    covered: np.ndarray,
) -> np.ndarray:
    """Count again, within one window, where a text is much longer than the item: a book holds everything somewhere."""
    lengths = items["length"].to_numpy()[which]
    long = np.flatnonzero(texts.str.len_chars().to_numpy()[rows] > lengths * LONG)
    result = covered.copy()
    if not len(long):
        return result
    candidates, place = np.unique(rows[long], return_inverse=True)
    positions = grams(texts[candidates.tolist()], "chars", n)
    for hit, row in zip(long, place, strict=True):
        item = take(sets, which[hit : hit + 1]).hashes
        result[hit] = best_window(positions, int(row), item, int(lengths[hit] * WINDOW)).covered
    return result
