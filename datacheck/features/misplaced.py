"""Answers that stand beside another question than their own: seen by rare words, believed by how many there are."""

import math
from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.text.arrays import Bools, Int64s, UInt32s, sorted_unique
from datacheck.text.codes import from_lengths, row_numbers
from datacheck.text.edges import ascii_edges
from datacheck.text.normalise import normalise
from datacheck.text.shingles import Shingles, contained, document_frequency, shingles

RARE = 0.01  # share of the texts from which on a word tells nothing about one of them
FEW, VERY_FEW = 10, 3  # texts that have a word which tells where an answer belongs
SHARED, CLOSELY = 3, 2  # such words that it shares with the question; CLOSELY: of those that very few have
LEAST = 3  # answers
CHANCE = 0.01  # that so many fit elsewhere as topics of the set let expect; the highest of 73 public files is .3


class Misplaced(NamedTuple):
    """Places of answers, and of the questions that they fit."""

    answers: Int64s
    questions: Int64s


def words(texts: pl.Series) -> Shingles:
    """Words in letters of other scripts than Han, and pairs of Han characters, as one set a row."""
    plain = normalise(texts, ("nfkc", "casefold", "t2s"))
    han = plain.str.replace_all(r"[^\p{Han}]+", " ").str.replace_all(r"(\p{Han}) (\p{Han})", "$1  $2")
    pairs = shingles(han, "chars", 2)
    others = shingles(plain.str.replace_all(ascii_edges(r"[\p{Han}]|\b\w{1,3}\b"), " "), "words", 1)
    keys = np.concatenate(
        [row_numbers(part.offsets).astype(np.uint64) << np.uint64(32) | part.hashes for part in (pairs, others)]
    )
    keys = sorted_unique(keys)
    lengths = np.bincount((keys >> np.uint64(32)).astype(np.int64), minlength=len(texts))
    return Shingles(from_lengths(lengths), keys.astype(np.uint32))


def common(sets: Shingles) -> UInt32s:
    """The words that more of the texts have than tell one from another, in order."""
    every, counts = document_frequency(sets)
    return every[counts > max(2, int(RARE * (len(sets.offsets) - 1)))]


def without(sets: Shingles, left_out: UInt32s) -> Shingles:
    """The sets without some words, which are in order."""
    kept = ~contained(sets.hashes, left_out)
    lengths = np.bincount(row_numbers(sets.offsets)[kept], minlength=len(sets.offsets) - 1)
    return Shingles(from_lengths(lengths), sets.hashes[kept])


def misplaced(asked: Shingles, told: Shingles, own: Bools, texts: pl.DataFrame) -> Misplaced:
    """Answers that share rare words with another question than their own, whose own answer shares none with it either.

    Where a set speaks of few topics, some do by chance: as many as fit questions that are answered, by the share of
    those that are not. So none is named unless there are more than that chance explains.

    asked, told: the words of each question and answer; of the questions only rare ones. own: whether the two of a row
    share one of them. texts: `whole`, `full`, all that is asked and answered in each row.
    """
    none = Misplaced(np.empty(0, np.int64), np.empty(0, np.int64))
    fits = _fits(asked, told, ~own)
    if own.all() or not own.any() or fits["answer"].n_unique() < LEAST:
        return none
    seen = fits["answer"].append(fits["question"]).unique().sort()
    at_home = seen.filter(_share(texts[seen], common(told)))
    fits = fits.filter(~pl.col("answer").is_in(at_home.implode()))
    answered = np.union1d(np.flatnonzero(own), at_home.to_numpy())
    topical = fits.filter(pl.col("question").is_in(pl.Series(answered).implode()))["answer"].n_unique()
    stray = fits.filter(~pl.col("question").is_in(pl.Series(answered).implode())).unique("answer", keep="first")
    expected = max(1, topical) * (~own).sum() / own.sum()
    if stray.height < LEAST or _poisson_tail(stray.height, expected) > CHANCE:
        return none
    stray = stray.sort("answer")
    return Misplaced(stray["answer"].to_numpy(), stray["question"].to_numpy())


def _fits(asked: Shingles, told: Shingles, without_own: Bools) -> pl.DataFrame:
    """`answer`, `question`: the questions that an answer of those rows fits best, in order."""
    question, answer = _table(asked, "question"), _table(told, "answer")
    own = answer.select("word", question="answer", own=pl.lit(1))  # tells nothing of other answers
    few = (
        question.with_columns(asked=pl.len().over("word"))
        .join(answer.group_by("word").len("told"), on="word")
        .join(own, on=["question", "word"], how="left")
        .with_columns(pl.col("told") - pl.col("own").fill_null(0))
        .filter(pl.col("asked") <= FEW, pl.col("told").is_between(1, FEW))
    )
    alone = answer.filter(pl.Series(without_own[answer["answer"].to_numpy()]))
    very = (pl.col("asked") <= VERY_FEW) & (pl.col("told") <= VERY_FEW)
    shared = (
        alone.join(few, on="word")
        .filter(pl.col("answer") != pl.col("question"))
        .group_by("answer", "question")
        .agg(pl.len(), very=very.sum())
        .filter((pl.col("len") >= SHARED) | (pl.col("very") >= CLOSELY))
    )
    best = shared.filter(pl.col("len") == pl.col("len").max().over("answer"))
    return best.select("answer", "question").sort("answer", "question")


def _table(sets: Shingles, name: str) -> pl.DataFrame:
    return pl.DataFrame({name: row_numbers(sets.offsets), "word": sets.hashes})


def _share(texts: pl.DataFrame, left_out: UInt32s) -> pl.Series:
    """Whether all that is asked in a row and all that is answered share a word that is none of those."""
    asked, told = (_table(without(words(texts[name]), left_out), "row") for name in ("whole", "full"))
    rows = asked.join(told, on=["row", "word"])["row"].unique()
    return pl.Series(np.isin(np.arange(texts.height), rows.to_numpy()))


def _poisson_tail(count: int, expected: float) -> float:
    """The chance of so many or more where so many are expected."""
    below = sum(math.exp(n * math.log(expected) - expected - math.lgamma(n + 1)) for n in range(count))
    return max(0.0, 1 - below)
