"""The check near_duplicates."""

from collections.abc import Mapping, Sequence
from functools import partial
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
    placed,
    rates,
    saying,
    total,
)
from datacheck.features.earlier import REPEATED, Names, repeated, repeats_evidence, silent
from datacheck.features.near import Candidates, Keep, SharedKeys, groups, without_numbers
from datacheck.features.near_pairs import ASKED, NearPairs, walks
from datacheck.features.planting import (
    SHORT,
    LshRecall,
    Plants,
    calibration,
    histogram,
    on_made_up,
    recall_by_similarity,
)
from datacheck.features.repeats import Repeats
from datacheck.features.sketch import GramSettings, Sketch, TextSet, scheme_for
from datacheck.features.texts import PARTS, On, largest_clusters, quoted
from datacheck.text.arrays import Bools, Float64s, Int64s, UInt64s, sorted_unique
from datacheck.text.matching import Pairs, greedy_removed
from datacheck.text.minhash import least_alike
from datacheck.text.rules import Rule

PLANTED_N = 10  # characters or words that every canary has
_APART = {  # metric: problem of its rows, which nobody should drop unread
    "other_golds": "other_gold",
    "other_answers": "other_answer",
    "other_questions": "other_question",
    "opposite_labels": "opposite_labels",
    "boilerplate_rows": "boilerplate",
}
LESS_ALIKE = 0.1  # what the marks of similar rows are allowed for: they are of rare n-grams only


class VerifiedPairs(NamedTuple):
    """The rows that were compared, in the order of preference, the pairs among them, and which row each repeats.

    variant_of: which row it would repeat, were it not another task; answered_of: were it not answered otherwise;
    asked_of: were not another question answered.
    """

    facts: pl.DataFrame
    pairs: Pairs
    kept_of: Int64s
    variant_of: Int64s
    answered_of: Int64s
    asked_of: Int64s


class NearDuplicates(Check):
    """Share of rows that nearly repeat an earlier row (exact copies included).

    Each row's text is normalised (fullwidth, case, traditional characters, punctuation and spaces do not count),
    cut into n-grams of characters, and compared by Jaccard similarity. MinHash bands propose candidates; every
    candidate is verified exactly, so a reported similarity is a fact, not an estimate. A row is removed when it
    reaches the threshold with an earlier row that is kept; walking order is (file, line), or what `keep` says. Rows
    with other media or another label are no copies; a text with opposite labels is listed apart, for review. Neither
    are two tasks with short golds, where the golds or the numbers of the questions differ: `other_golds` counts them;
    nor two conversations whose answers have less than half of the shorter one in common, as where one passage stands
    before several questions, and long JSON of which a short value without digits (a name, null, true) is another:
    `other_answers` counts them; nor those whose questions have less than a third in common,
    as where one tool call, label or other brief answer (64 n-grams) is that to many: `other_questions`; of a question
    in the last line, behind a passage, that line is looked at, too. A text that marks both sides (`Q:` and `A:`,
    `### Instruction:` and `### Response:`, `[INST]`, 问： and 答：) is judged like the pair that it is.

    System prompts are left out, but where one question stands behind ten of them and more, each of which has fewer than
    ten questions: there the task is in the system prompt ("What should the agent do next?" behind one mailbox each).
    """

    metrics = {
        "rate": Metric(
            "rows that repeat an earlier kept row",
            "share",
            "rows",
            Limit(max=0.03, warn_max=0.01),
            why="the bounds of the troubleshooting runbook: less than 1 to 3 %",
        ),
        "exact_share": Metric("rows whose normalised text equals an earlier row's", "share", "rows"),
        "other_numbers": Metric(
            "rows (of those of `rate`) that only digits tell from the row that they repeat", "share", "rows"
        ),
        "other_golds": Metric(
            "rows that nearly repeat an earlier row, but with another short gold, or other numbers in the question",
            "share",
            "rows",
            Limit(warn_max=0.05),
            why="a set of exercises has some of one form; above one row in twenty it was made from templates",
        ),
        "other_answers": Metric(
            "rows that nearly repeat an earlier row, but have another answer (questions on one passage)",
            "share",
            "rows",
        ),
        "other_questions": Metric(
            "rows that nearly repeat an earlier row, but answer another question (one call of a tool, one label)",
            "share",
            "rows",
        ),
        "opposite_labels": Metric("rows whose text an earlier row has with another label", "share", "rows"),
        "boilerplate_rows": Metric(
            "rows of which over nine tenths are boilerplate, so that only the rest was compared",
            "share",
            "rows",
            Limit(warn_max=0.03),
            why="beyond the limit of `rate`, copies among them could hide a failure",
        ),
        "repeated": REPEATED,
        "lsh_missed": Metric("similar pairs of a sample (figure lsh_recall) that no band proposes", "pairs"),
        "planted_recall": Metric(
            "planted near-copies that the search finds",
            "share",
            "plants at or above the threshold",
            Limit(min=0.95),
            self_test=True,
        ),
    }

    reads = "text"
    check: Literal["near_duplicates"] = "near_duplicates"
    on: On = Field(
        default="conversation", description="which text of a row is compared; system prompts where they hold its task"
    )
    threshold: float | None = Field(
        default=None, ge=0.3, le=1, description="Jaccard similarity from which rows are alike; default by features"
    )
    features: GramSettings = Field(
        default=GramSettings(), description="n characters (default 3), words, or words of jieba"
    )
    normalise: tuple[Rule, ...] = Field(
        default=("nfkc", "casefold", "t2s", "strip_punct", "strip_space"), description="what does not count"
    )
    boilerplate: float | None = Field(
        default=0.05, gt=0, le=1, description="n-grams in more rows than this are left out"
    )
    containment: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="a row whose n-grams (20 at least) another one has to this share is its duplicate, too",
    )
    exact: bool = Field(
        default=False, description="compare completely (all sets in memory) instead of by MinHash bands"
    )
    keep: Keep = Field(default="first", description="which row of a cluster is kept: first, longest or best_score")
    against: Names = Field(default=(), description="earlier datasets of this contract whose rows should not come again")

    def thresholds(self) -> Mapping[str, Sequence[float]]:
        """From where a pair is one of near-duplicates."""
        return {"similarity": (self._least,)}

    @property
    def _least(self) -> float:
        return self.features.threshold if self.threshold is None else self.threshold

    @property
    def _sketch(self) -> Sketch:
        texts = TextSet(on=self.on, features=self.features, normalise=self.normalise)
        scheme = scheme_for(self._least, self.containment, self.features.looser(self._least))
        return Sketch(of=texts, boilerplate=self.boilerplate, scheme=scheme)

    @property
    def _alike(self) -> int:
        """In how many values the marks of two rows must agree; a row that contains another one may look different."""
        less = self.features.looser(self._least) + (LESS_ALIKE if self.boilerplate else 0)
        likeness = max(self._least - less, 0)
        return 0 if self.containment else least_alike(likeness, self._sketch.scheme[2])

    @property
    def _candidates(self) -> Candidates:
        return Candidates(sketch=self._sketch, least=self._alike, exact=self.exact)

    @property
    def _pairs(self) -> NearPairs:
        return NearPairs(of=self._candidates, keep=self.keep, similar=self._least, contained=self.containment)

    @property
    def _shared(self) -> SharedKeys:
        return SharedKeys(sketch=self._sketch, least=self._alike)

    @property
    def _recall(self) -> Need:
        return Need(LshRecall(of=self._candidates, threshold=self._least))

    @property
    def _plants(self) -> tuple[Need, ...]:
        """Plants in this dataset, and the same ones as if they stood in the earlier ones."""
        sides = (self._sketch, *(each.beside for each in self._repeats))
        return tuple(Need(Plants(of=self._candidates, sketch=side, threshold=self._least)) for side in sides)

    @property
    def _repeats(self) -> tuple[Repeats, ...]:
        how = (self._sketch, self._least, self._alike, self.containment, self.exact)
        return tuple(Repeats(name, *how) for name in self.against)

    def needs(self) -> tuple[Need, ...]:
        """Pairs that were compared, and how well they are found; the keys, for canaries."""
        earlier = (need for each in self._repeats for need in each.needs())
        own = (Need(self._candidates), Need(self._pairs), self._recall, *self._plants)
        return (*own, self._shared.group, Need(self._sketch), *self._sketch.needs(), *earlier)

    def promised(self) -> frozenset[str]:
        """Without an earlier dataset nothing is compared with one."""
        return frozenset(self.metrics) - (frozenset() if self.against else {"repeated"})

    def measure(self, data: View) -> Measured:
        """The greedy walk over similar pairs."""
        found, told = self._found(data), self._sketch.tasks(data)
        near = self._near(data, found)
        apart = self._apart(data, found)
        known = {each.name: each.found(data) for each in self._repeats}
        planted, sample = [data[need].collect() for need in self._plants], data[self._recall].collect()
        seen, recalls = calibration(planted[0]), [calibration(each).recall for each in planted]
        recall = Ratio(sum(each.n for each in recalls), sum(each.of for each in recalls))
        values = (
            *rates("rate", near, data.rows, by=self.by, rows=data.rows),
            *rates("exact_share", _copies(found.facts), data.rows, by=self.by, rows=data.rows),
            *rates("other_numbers", near.filter(pl.col("said").is_not_null()), data.rows),
            *(each for metric, problem in _APART.items() for each in rates(metric, apart[problem], data.rows)),
            *repeated(known, data, self.by),
            Value("planted_recall", recall if total(data.rows) else None),
            Value("lsh_missed", int((~sample["found"]).sum()) if total(data.rows) else None),
        )
        notes = [*self._notes(data), *self._unscored(found.facts)]
        if planted[0]["made_up"].any():
            notes.append(on_made_up(SHORT))
        figures = {
            "similarity": histogram(found.pairs.similarity, low=0.3),
            "clusters": _sizes(found.kept_of),
            **largest_clusters(data, near.select("row", "other_row").collect(), self.on, told),
            "planted": seen.by_kind,
            "recall_curve": seen.curve,
            "random_pairs": seen.random,
            "lsh_recall": recall_by_similarity(sample),
        }
        quote = partial(quoted, data, on=self.on, tasks=told)
        repeats = (quote(near), *repeats_evidence(known, data, self.on))
        review = (
            (each if problem == "boilerplate" else quote(each)).with_columns(problem=pl.lit(problem))
            for problem, each in apart.items()
        )
        listed = [each.with_columns(drop=True) for each in repeats] + [each.with_columns(drop=False) for each in review]
        # Together, for each of them would read the places of all rows.
        places = placed(pl.concat(listed, how="diagonal"), data.rows)
        return Measured(
            values, places.with_columns(row=pl.when("drop").then("row")).drop("drop"), figures, tuple(notes)
        )

    def _near(self, data: View, found: VerifiedPairs) -> pl.LazyFrame:
        """`row`, `other_row`, `score`, `problem`, `said`: the rows that repeat another one."""
        rows, texts = found.facts["row"].to_numpy(), found.facts["text"].to_numpy()
        removed = np.flatnonzero(found.kept_of >= 0)
        kept = found.kept_of[removed]
        # Without their boilerplate different texts can be equal (a score of 1): a copy is one in the whole text.
        same = texts[removed] == texts[kept]
        scores = _scores(found.pairs, removed, found.kept_of)
        copies = {
            "row": rows[removed],
            "other_row": rows[kept],
            "score": scores,
            "problem": np.where(scores >= self._least, "near_copy", "contained_copy"),
            "same": same,
            "numbers": ~same & self._same_but_numbers(data, rows[removed], rows[kept], ~same),
        }
        types = {"row": pl.UInt64, "other_row": pl.UInt64, "problem": pl.String}
        return pl.LazyFrame(copies, schema_overrides=types).select(
            ["row", "other_row", "score"],
            problem=pl.when("same").then(pl.lit("exact_copy")).otherwise("problem"),
            said=pl.when("numbers").then(saying("the same text with other numbers")),
        )

    def _apart(self, data: View, found: VerifiedPairs) -> dict[str, pl.LazyFrame]:
        """By problem: rows that are like another one and no copies of it, and those that are nearly all boilerplate."""
        rows = found.facts["row"].to_numpy()
        return {
            "other_gold": _named(found.variant_of, rows),
            "other_answer": _named(found.answered_of, rows),
            "other_question": _named(found.asked_of, rows),
            "opposite_labels": _opposite(found.facts),
            "boilerplate": self._template(data),
        }

    def seen(self, data: View, plants: pl.DataFrame, _data: View) -> list[bool | None]:
        """The compared text holds the plant, and the copy of the row is proposed for comparison with it."""
        texts = dict(self._sketch.of.texts(data.turns, self._sketch.tasks(data)).iter_rows())
        keys: dict[int, set[int]] = {}
        for bucket in data.buckets(self._shared.group):
            for key, row in self._shared.of_bucket(bucket).iter_rows():
                keys.setdefault(row, set()).add(key)
        read = PARTS[self.on] if self.features.n <= PLANTED_N else ()
        return [
            words in texts.get(row, "") and bool(keys.get(row, set()) & keys.get(row + 1, set()))
            if part in read and role != "system"
            else None
            for row, words, part, role in plants.select("row", "words", "part", "role").iter_rows()
        ]

    def _found(self, data: View) -> VerifiedPairs:
        """Walk over the pairs; rows are numbered in the order in which they are kept."""
        facts = self._pairs.ranked(data, "text", "media", "label", "score", "task")
        every = data[Need(self._pairs)].drop_nulls("right").sort("left", "right").collect()
        rows = every.select(pl.col("left", "right").cast(pl.Int64)).to_numpy()
        pairs = Pairs(rows, every["common"].to_numpy(), every["union"].to_numpy())
        own, *others = walks(every)
        kept_of = greedy_removed(facts.height, pairs.where(own))
        answered_of, variant_of = (greedy_removed(facts.height, pairs.where(each)) for each in others)
        variant_of[(kept_of >= 0) | ("task" not in facts.columns or facts["task"].n_unique() <= 1)] = -1
        answered_of[(kept_of >= 0) | (variant_of >= 0)] = -1
        asked = _asked(every, answered_of)
        answered, asked_of = np.where(asked, -1, answered_of), np.where(asked, answered_of, -1)
        return VerifiedPairs(facts, pairs.where(own), kept_of, variant_of, answered, asked_of)

    def _notes(self, data: View) -> list[Message]:
        """Say what could not be compared. Every row that could has a line."""
        notes = []
        if unseen := total(data.rows) - total(data[Need(self._sketch)]):
            notes.append(
                Message.plural(
                    "{n:,} row has no {on} text, or only punctuation and boilerplate, and could not be compared",
                    "{n:,} rows have no {on} text, or only punctuation and boilerplate, and could not be compared",
                    unseen,
                    on=self.on,
                )
            )
        for name in self.against:
            notes += silent(data, name, total(data[Need(self._sketch, name)]))
        return notes

    def _same_but_numbers(self, data: View, rows: UInt64s, others: UInt64s, asked: Bools) -> Bools:
        """Say of the rows in question whether nothing but digits tells them from the row that they repeat."""
        every = sorted_unique(np.concatenate([rows[asked], others[asked]])).astype(np.int64)
        bare = without_numbers(data, self._sketch, every) if len(every) else np.zeros(0, np.uint64)
        alike = np.zeros(len(rows), np.bool_)
        alike[asked] = bare[np.searchsorted(every, rows[asked])] == bare[np.searchsorted(every, others[asked])]
        return alike

    def _unscored(self, facts: pl.DataFrame) -> list[Message]:
        """Say how many of the rows that were compared have no score to choose by."""
        none = facts["score"].null_count() if "score" in facts.columns else facts.height
        if self.keep != "best_score" or not none:
            return []
        return [
            Message(
                "{none:,} of {compared:,} rows that were compared have no score, so any other one was kept before them",
                none=none,
                compared=facts.height,
            )
        ]

    def _template(self, data: View) -> pl.LazyFrame:
        """`row`: those that are nearly nothing but boilerplate: filled-in templates, or copies in great number."""
        lines = data[Need(self._sketch)].filter("template").select(row=pl.col("row").cast(pl.UInt64))
        return lines.sort("row").collect(engine="streaming").lazy()


def _named(repeated: Int64s, rows: UInt64s) -> pl.LazyFrame:
    """`row`, `other_row`: of each row that has one, which row it is like."""
    own = np.flatnonzero(repeated >= 0)
    return pl.LazyFrame(
        {"row": rows[own], "other_row": rows[repeated[own]]}, {"row": pl.UInt64, "other_row": pl.UInt64}
    )


def _asked(pairs: pl.DataFrame, repeated: Int64s) -> Bools:
    """Say of each row whether it is another question that tells it from the row that it would repeat."""
    otherwise = pairs.filter(pl.col("otherwise") == ASKED).select("left", "right").cast(pl.Int64)
    known = pl.DataFrame({"left": repeated, "right": np.arange(len(repeated))})
    return (
        known.join(otherwise.with_columns(asked=True), on=["left", "right"], how="left", maintain_order="left")["asked"]
        .fill_null(value=False)
        .to_numpy()
    )


def _scores(pairs: Pairs, removed: Int64s, kept_of: Int64s) -> Float64s:
    """The similarity of each removed row to the row that it repeats; pairs are sorted."""
    half = np.uint64(32)
    known = pairs.rows[:, 0].astype(np.uint64) << half | pairs.rows[:, 1].astype(np.uint64)
    asked = kept_of[removed].astype(np.uint64) << half | removed.astype(np.uint64)
    return pairs.similarity[np.searchsorted(known, asked)]


def _sizes(kept_of: Int64s) -> pl.DataFrame:
    """How many clusters (a kept row and those that repeat it) have how many rows."""
    _, repeats = np.unique(kept_of[kept_of >= 0], return_counts=True)
    sizes, counts = np.unique(repeats + 1, return_counts=True)
    return pl.DataFrame({"size": sizes, "clusters": counts})


def _copies(facts: pl.DataFrame) -> pl.LazyFrame:
    """`row`: rows whose whole text an earlier row has, with the same media and label."""
    group = groups(facts)
    apart = [pl.Series("group", group)] if group.any() else []
    whole = facts.select("row", "text", *apart).sort("row")
    same = pl.struct("text", "group") if apart else pl.col("text")  # a struct takes some 50 bytes a row
    return whole.select("row", again=~same.is_first_distinct()).filter("again").select("row").lazy()


def _opposite(facts: pl.DataFrame) -> pl.LazyFrame:
    """`row`, `other_row`: rows whose whole text an earlier row has with another label (good there, bad here)."""
    if "label" not in facts.columns:
        return pl.LazyFrame(schema={"row": pl.UInt64, "other_row": pl.UInt64, "score": pl.Float64})
    labelled = facts.lazy().filter(pl.col("label").is_not_null()).sort("row")
    same = ["text", *(["media"] if "media" in facts.columns else [])]
    first = labelled.unique(same, keep="first", maintain_order=True).select(*same, other_row="row", others="label")
    both = labelled.join(first, on=same, nulls_equal=True).filter(pl.col("label") != pl.col("others"))
    return both.select("row", "other_row", score=pl.lit(1.0)).sort("row")
