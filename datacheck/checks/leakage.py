"""The check leakage."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from pydantic import Field, model_validator

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
    learnt,
    place,
    saying,
    total,
    word,
)
from datacheck.errors import WrongValueError
from datacheck.features.earlier import Names
from datacheck.features.leaks import HAN_N, LONGER, EvalItems, Leaks, evaluation_items, spoken, with_options
from datacheck.features.planted_leaks import PLANTED_ITEMS, planted_recall
from datacheck.features.questions import Questions
from datacheck.features.shared_passages import ask_another
from datacheck.features.short_prompts import ShortPrompts, prompt_keys
from datacheck.features.skeletons import HASHED, Skeletons, end_keys
from datacheck.features.turn_texts import of_rows
from datacheck.i18n.message import ids, joined
from datacheck.loading import benchmarks

PLANTED_MOST = 40  # `min_length` up to which the words of a canary are long enough
GREETING = 4  # a short question with so much fewer different answers than `common_rows` is commonplace
BRIEF = 8  # times min_length: code points of a message that may be a short question as it was written
PHRASE = LONGER  # only items shorter than so many times `min_length` can be common phrases
COMMON_SHARE = 0.001  # of the rows; a phrase is at least as frequent as that
NAMED = 5  # items that a note names
TEMPLATE_ROWS, TEMPLATE_SHARE = 5, 0.01  # what so many prompts of a set share is a template of it
TEMPLATES = 15  # templates in the figure
FIRST = 3  # places that the line of an evaluation set names
_PARTS = ids("question", "question and options", "answer", "text")


class _Set(NamedTuple):
    """An evaluation set: the dataset `of`, or the rows of this one whose split is `split`."""

    name: str
    of: str | None
    split: str | None


class Leakage(Check):
    """Share of evaluation rows whose question stands in this dataset.

    Each question of the evaluation sets (alone, and with its options) is an item; an item leaks when one place of this
    dataset, at most three times as long, holds at least `block` of its distinct n-grams (5 characters for Chinese, 8
    for others), after normalising and without the n-grams that a tenth of the set's items share. A conversation, or a
    question with options, is looked for in all that a row asks together. Where one question stands behind many system
    prompts of an evaluation set, those hold the tasks, and are the items. The search is complete for that containment:
    it is no sample and no sketch. Told apart are long answers, which may be quotations, and passages (a table, an
    article) that stand here with another question.

    The evaluation sets are other datasets of the contract (`against`, `red_line`), or rows of this one by their split
    (`splits`).
    """

    metrics = {
        "rate": Metric(
            "evaluation rows found in this dataset",
            "share",
            "evaluation rows",
            Limit(max=0.001),
            why="the bound of the troubleshooting runbook: less than 0.1 % leaked",
        ),
        "red_line_hits": Metric(
            "rows that hold an item of a red-line set",
            "rows",
            None,
            Limit(max=0),
            why="items of a red-line set must never be trained on, not even one",
            unwaivable={},
        ),
        "shared_passages": Metric(
            "evaluation rows whose passage stands here, with another question",
            "rows",
            None,
            Limit(warn_max=0),
            why="a model that has read the passage knows more of the item than one that has not",
        ),
        "review": Metric("evaluation rows that may be in this dataset: between review and block", "rows"),
        "answers": Metric("evaluation rows of which only the answer is in this dataset", "rows"),
        "new_templates": Metric(
            "evaluation rows in a prompt template that no row here has", "share", "evaluation rows"
        ),
        "planted_recall": Metric(
            "planted items that the scan finds",
            "share",
            "plants at or above the threshold",
            Limit(min=0.95),
            self_test=True,
        ),
    }

    reads = "text"
    reads_packs = True
    check: Literal["leakage"] = "leakage"
    against: Names = Field(default=(), description="the evaluation datasets of this contract")
    red_line: Names = Field(default=(), description="datasets of which not one item may be in here")
    splits: Names = Field(default=(), description="values of the label `split` whose rows are evaluation rows")
    block: float = Field(default=0.6, gt=0, le=1, description="containment from which an item has leaked")
    review: float = Field(default=0.4, gt=0, le=1, description="containment from which it is listed for review")
    min_length: int = Field(default=12, ge=8, description="items of fewer characters are not compared; of letters, 2 ×")
    common_rows: int | None = Field(
        default=20,
        ge=2,
        description="a short item in so many rows, with so many different texts, is a common phrase; null: it never is",
    )

    @model_validator(mode="after")
    def _has_a_set(self) -> "Leakage":
        if not self._sets:
            raise WrongValueError("no evaluation set; name one under against, red_line or splits")
        return self

    @property
    def _sets(self) -> tuple[_Set, ...]:
        named = [_Set(name, name, None) for name in dict.fromkeys((*self.against, *self.red_line))]
        return (*named, *(_Set(f"split {value}", None, value) for value in dict.fromkeys(self.splits)))

    def _items(self, which: _Set) -> Need:
        return Need(EvalItems(min_length=self.min_length, split=which.split), which.of)

    def _leaks(self, which: _Set) -> Need:
        tau = min(self.review, self.block)
        held = self.splits
        return Need(Leaks(against=which.of, tau=tau, min_length=self.min_length, split=which.split, held=held))

    def thresholds(self) -> Mapping[str, Sequence[float]]:
        """From where an item is for review, and from where it has leaked."""
        return {"containment": (self.review, self.block)}

    def needs(self) -> tuple[Need, ...]:
        """Per evaluation set: its rows, its items, its prompts' skeletons, and the hits in this dataset."""
        each = [(self._items(s), self._leaks(s), Need(Skeletons(), s.of)) for s in self._sets]
        named = [s.of for s in self._sets if s.of is not None]
        rows = [need for of in named for need in (Need("rows", of), Need(Questions(), of))]
        return (*rows, *dict.fromkeys(need for needs in each for need in needs), Need(Skeletons()), self._brief())

    def _brief(self) -> Need:
        return Need(ShortPrompts(most=BRIEF * self.min_length))

    def measure(self, data: View) -> Measured:
        """Best hit per (row, evaluation row); rates over the evaluation rows."""
        sizes = {s.name: total(self._rows(data, s)) for s in self._sets}
        every = {s.name: data[self._items(s)].collect() for s in self._sets}
        items = {name: table.filter(~pl.col("canary")) for name, table in every.items()}
        equal = {s.name: self._equal(data, items[s.name]) for s in self._sets}
        phrases = pl.concat([self._phrases(data, s, items[s.name], equal[s.name]) for s in self._sets])
        best = pl.concat([self._best(data, s, items[s.name], phrases, equal[s.name]) for s in self._sets]).collect()
        asked = best.filter(pl.col("kind") != "answer")
        leaked = asked.filter("blocks")
        same = ["set", "eval_row"]
        rest = asked.filter(~pl.col("blocks")).join(leaked, on=same, how="anti", maintain_order="left")
        passages = rest.filter("passage")
        review = rest.filter(~pl.col("passage")).join(passages, on=same, how="anti", maintain_order="left")
        answers = best.filter("blocks", kind="answer").join(asked, on=same, how="anti", maintain_order="left")
        recall, by_kind = self._planted(data, every)
        if not recall.of:  # nothing is long enough to be searched for
            recall = _equal_recall(items)
        new, templates = self._templates(data, sum(sizes.values()))
        values = [
            *self._rates(leaked, sizes, total(data.rows)),
            Value("red_line_hits", leaked.filter(pl.col("set").is_in(self.red_line))["row"].n_unique()),
            Value("shared_passages", passages.select(same).n_unique()),
            Value("review", review.select(same).n_unique()),
            Value("answers", answers.select(same).n_unique()),
            Value("new_templates", new),
            Value("planted_recall", recall if recall.of else None),
        ]
        evidence = pl.concat(
            table.with_columns(problem=pl.lit(problem))
            for problem, table in (
                ("leaked", leaked),
                ("shared_passage", passages),
                ("review", review),
                ("answer_leaked", answers),
            )
        )
        figures = {
            "benchmarks": _benchmarks(sizes, leaked, review),
            "recognised": self._recognised(data),
            "containment": _histogram(asked),
            "planted": by_kind,
            "templates": templates,
        }
        return Measured(tuple(values), self._shown(data, evidence, items), figures, self._notes(items, sizes, phrases))

    def instead(self, plants: pl.DataFrame) -> Mapping[Need, pl.DataFrame]:
        """The words of the plants are the questions of an evaluation set."""
        asked = pl.LazyFrame(
            {"row": range(plants.height), "text": plants["words"]}, schema_overrides={"row": pl.UInt32}
        )
        turns = asked.with_columns(part=pl.lit("prompt"), role=pl.lit("user"), path=pl.lit("prompt"))
        items = evaluation_items(turns, self.min_length)
        return {self._items(each): items for each in self._sets if each.of is not None}

    def seen(self, data: View, plants: pl.DataFrame, _data: View) -> list[bool | None]:
        """Each row holds the question that was planted there."""
        named = [each for each in self._sets if each.of is not None and not self.splits]
        if not named or self.min_length > PLANTED_MOST:
            return [None] * plants.height
        held = [set(data[self._leaks(each)].select("row", "eval_row").collect().iter_rows()) for each in named]
        return [
            None if part in (None, "tools") else all((row, number) in hits for hits in held)
            for number, (row, part) in enumerate(plants.select("row", "part").iter_rows())
        ]

    def _rows(self, data: View, which: _Set) -> pl.LazyFrame:
        """The rows of an evaluation set."""
        if which.of is not None:
            return data[Need("rows", of=which.of)]
        return data.rows.filter(pl.col("split") == which.split)

    def _held(self, data: View) -> pl.LazyFrame:
        """The rows of this dataset that are training rows."""
        if not self.splits:
            return data.rows
        return data.rows.filter(~pl.col("split").is_in(self.splits).fill_null(False))

    def _phrases(self, data: View, which: _Set, items: pl.DataFrame, equal: pl.LazyFrame) -> pl.DataFrame:
        """Short items that many rows hold: `set`, `eval_row`, `kind`, `rows`, and the place of the item."""
        schema = {"set": pl.String, "eval_row": pl.UInt64, "kind": pl.String, "rows": pl.UInt32, "other": pl.String}
        if self.common_rows is None or which.name in self.red_line:
            return pl.DataFrame(schema=schema)
        least = self.min_length * PHRASE * pl.when(pl.col("n") == HAN_N).then(1).otherwise(2)
        brief = items.filter(~pl.col("short"), pl.col("length") < least).select("kind", eval_row="row")
        many = max(self.common_rows, total(self._held(data)) * COMMON_SHARE)
        hits = data[self._leaks(which)].filter(pl.col("covered") / pl.col("size") >= self.block)
        hits = hits.join(brief.lazy(), on=["eval_row", "kind"], how="semi").collect().lazy()
        # One prompt in many rows (samples of one question) is no phrase: its texts must differ.
        frequent = hits.filter(pl.col("row").n_unique().over("eval_row", "kind") >= many)
        texts = _said(data, frequent).select(pl.col("row").cast(pl.UInt32), "path", said=pl.col("text").hash())
        # "hi" is answered in many ways; a short question that was copied with its answer is not.
        answers = of_rows(data.turns.filter(learnt()), equal).select(
            pl.col("row").cast(pl.UInt32), said=pl.col("text").hash()
        )
        per_item = equal.join(answers, on="row", how="left").group_by("eval_row", "kind")
        greeting = per_item.agg(pl.col("said").n_unique(), rows=pl.col("row").n_unique())
        greeting = greeting.filter(pl.col("said") >= max(self.common_rows // GREETING, 2))
        found = (
            frequent.join(texts, on=["row", "path"], how="left")
            .group_by("eval_row", "kind")
            .agg(pl.col("said").n_unique(), rows=pl.col("row").n_unique())
            .filter(pl.col("said") >= many)
            .select("eval_row", "kind", "rows")
        )
        found = (
            pl.concat([found, greeting.select("eval_row", "kind", "rows")])
            .with_columns(pl.col("eval_row").cast(pl.UInt64), set=pl.lit(which.name))
            .join(self._places(data, which), on="eval_row", how="left")
        )
        return found.sort("eval_row", "kind").select(pl.col(k).cast(t) for k, t in schema.items()).collect()

    def _equal(self, data: View, items: pl.DataFrame) -> pl.LazyFrame:
        """Questions too short to be searched for that a user asks word for word, as Leaks has its hits."""
        brief = _too_short(items)
        stop = pl.coalesce(pl.col("text").str.len_chars(), "length")
        keys = brief.select("kind", "key", eval_row="row", stop=stop)
        hits = data[self._brief()].join(keys.lazy(), on="key")
        if self.splits:
            hits = hits.join(self._held(data).select(pl.col("row").cast(pl.UInt32)), on="row", how="semi")
        told = hits.with_columns(start=pl.lit(0), begin=pl.lit(0), covered=pl.lit(1), size=pl.lit(1))
        return told.select(pl.col(name).cast(kind) for name, kind in Leaks.columns.items()).collect().lazy()

    def _places(self, data: View, which: _Set) -> pl.LazyFrame:
        """`eval_row`, `other`: the places of the rows of an evaluation set, named with their dataset."""
        prefix = pl.lit(f"{which.of}/" if which.of is not None else "")
        return self._rows(data, which).select(eval_row="row", other=pl.concat_str(prefix, place()))

    def _best(
        self, data: View, which: _Set, items: pl.DataFrame, phrases: pl.DataFrame, equal: pl.LazyFrame
    ) -> pl.LazyFrame:
        """The best-covered question, and the best-covered answer, of each evaluation row in each row, with places.

        A question that is brief blocks only with its options beside it; from `block` on it is there for review.
        """
        brief = items.lazy().filter("brief").select("kind", pl.col("row").cast(pl.UInt64).alias("eval_row"), brief=True)
        hits = pl.concat([data[self._leaks(which)], equal], how="vertical_relaxed").with_columns(
            pl.col("eval_row").cast(pl.UInt64),
            score=pl.col("covered") / pl.col("size"),
            answer=pl.col("kind") == "answer",
            set=pl.lit(which.name),
        )
        hits = hits.join(brief, on=["eval_row", "kind"], how="left").with_columns(
            pl.col("brief").fill_null(False), over=pl.col("score") >= self.block
        )
        hits = hits.filter(~pl.col("brief") | pl.col("over")).with_columns(
            blocks=pl.col("over") & ~pl.col("brief"), place=pl.struct("row", "path", "eval_row", "kind")
        )
        hits = hits.collect().lazy()
        complete = self._complete(data, items, hits.filter("brief"))
        hits = hits.with_columns(blocks=pl.col("blocks") | pl.col("place").is_in(complete.implode()))
        shared = self._shared(data, which, items, hits)
        hits = hits.with_columns(passage=pl.col("place").is_in(shared.implode())).drop("place")
        hits = hits.with_columns(blocks=pl.col("blocks") & ~pl.col("passage"))
        hits = hits.join(phrases.lazy(), on=["set", "eval_row", "kind"], how="anti")
        order = ["blocks", "score", "size", "path", "start"]
        best = hits.sort(order, descending=[True, True, True, False, False], maintain_order=True).unique(
            ["row", "eval_row", "answer"], keep="first", maintain_order=True
        )
        best = best.collect().lazy()
        own = of_rows(data.rows.select("row", "file", "line", "byte"), best)
        other_row = pl.col("eval_row") if which.of is None else pl.lit(None, pl.UInt64)
        other = pl.lit(None, pl.String) if which.of is None else pl.col("other")
        return (
            best.join(self._places(data, which), on="eval_row", how="left")
            .join(own, on="row", how="left")
            .with_columns(other_row=other_row, other=other)
            .drop("answer", "brief", "over")
            .sort("row", "eval_row", "kind")
        )

    def _complete(self, data: View, items: pl.DataFrame, brief: pl.LazyFrame) -> pl.Series:
        """The places of brief questions beside which all their options stand."""
        texts = _said(data, brief)
        found = brief.join(texts, on=["row", "path"], how="inner", maintain_order="left").collect()
        return found.filter(pl.Series(with_options(items, found), dtype=pl.Boolean))["place"]

    def _shared(self, data: View, which: _Set, items: pl.DataFrame, hits: pl.LazyFrame) -> pl.Series:
        """The places that hold the passage of an item and not its question; with a red-line set there are none."""
        partly = hits.filter("blocks", ~pl.col("answer"), pl.col("covered") < pl.col("size")).collect()
        if partly.is_empty() or which.name in self.red_line:
            return partly["place"].clear()
        said = _said(data, partly.lazy()).group_by("row").agg(pl.col("text").str.join("\n")).collect()
        found = partly.join(said, on="row", how="left", maintain_order="left")
        return partly["place"].filter(pl.Series(ask_another(items, found, self.block), dtype=pl.Boolean))

    def _shown(self, data: View, evidence: pl.DataFrame, items: dict[str, pl.DataFrame]) -> pl.LazyFrame:
        """Evidence with both stretches: where they are, and (for excerpts) what they say."""
        known = [
            i.select("kind", "text", eval_row=pl.col("row").cast(pl.UInt64), set=pl.lit(n)) for n, i in items.items()
        ]
        asked = pl.concat(known).lazy().rename({"text": "other_text"})
        texts = _said(data, evidence.lazy())
        shown = (
            evidence.lazy()
            .join(texts, on=["row", "path"], how="left", maintain_order="left")
            .join(asked, on=["set", "eval_row", "kind"], how="left", maintain_order="left")
        )
        what = pl.col("kind").str.replace("_relabelled", "").str.replace_all("_", " ")
        return shown.select(
            "file", "line", "byte", "problem", "score", "other", "other_row",
            row=pl.when(pl.col("problem") == "leaked").then("row"),  # what is for review is not to be dropped
            where=pl.format("{}[{}:{}]", "path", "start", "end"),
            said=pl.when(pl.col("size") == 1)
            .then(saying("the whole message is this {what}", what=word(what)))
            .when(pl.col("other_text").is_null())  # of a pack
            .then(saying("{covered} of {size} n-grams of {what}", covered="covered", size="size", what=word(what)))
            .otherwise(
                saying("{covered} of {size} n-grams of {what}[{begin}:{stop}]", covered="covered", size="size",
                       what=word(what), begin="begin", stop="stop")
            ),
            text=pl.col("text").str.slice("start", pl.col("end") - pl.col("start")),
            other_text=pl.col("other_text").str.slice("begin", pl.col("stop") - pl.col("begin")),
        )  # fmt: skip

    def _recognised(self, data: View) -> pl.DataFrame:
        """The files of evaluation sets that the table of benchmarks knows, and those that are not what they are called.

        `known`: by what, "file", "questions" or "pack" (what it says of itself); "no" of a file of a dataset that has a
        benchmark's name and is none of it.
        """
        lines: list[tuple[str | int | None, ...]] = []
        for which in self._sets:
            if which.of is None:
                continue
            files = data[Need(Questions(), which.of)].select("file", "sha256", "questions", "packed").collect()
            for file, sha256, questions, packed in files.iter_rows():
                found = benchmarks.recognised(sha256, questions, which.name)
                own = benchmarks.named(which.name)
                if found:
                    known = "pack" if packed else "file" if found.sha256 == sha256 else "questions"
                    title = f"{found.name} {found.version}".strip()
                    lines.append((which.name, file, title, found.part, found.rows, found.licence, known))
                if own and (found is None or found.name != own[0].name):
                    lines.append((which.name, file, own[0].name, "", None, None, "no"))
        columns = {"set": pl.String, "file": pl.String, "benchmark": pl.String, "part": pl.String, "rows": pl.Int64,
                   "licence": pl.String, "known": pl.String}  # fmt: skip
        return pl.DataFrame(list(dict.fromkeys(lines)), schema=columns, orient="row")

    def _rates(self, leaked: pl.DataFrame, sizes: dict[str, int], rows: int) -> list[Value]:
        names = [s.name for s in self._sets if s.of is None or s.of in self.against]
        names = names or [s.name for s in self._sets]  # red lines only: a rate of none would be no answer
        hit = {name: leaked.filter(pl.col("set") == name)["eval_row"].n_unique() for name in names}
        of = sum(sizes[name] for name in names)
        measured = rows and of and all(sizes[n] for n in names)
        whole = Ratio(sum(hit.values()), of) if measured else None
        return [
            Value("rate", whole),
            *(Value("rate", Ratio(hit[n], sizes[n]), {"against": n}) for n in names if sizes[n]),
        ]

    def _notes(
        self, items: dict[str, pl.DataFrame], sizes: dict[str, int], phrases: pl.DataFrame
    ) -> tuple[Message, ...]:
        """What was not compared, or not counted."""
        columns = ("row", "kind", "short", "brief", "whole")  # without n-grams: to filter is to copy
        notes = [
            note for name, size in sizes.items() for note in self._notes_of(name, size, items[name].select(columns))
        ]
        return (*notes, *_notes_on_phrases(phrases))

    def _notes_of(self, name: str, size: int, own: pl.DataFrame) -> Iterator[Message]:
        """What was not compared of the items of one evaluation set of `size` rows."""
        table = own.filter(~pl.col("short"))
        questions = table.filter(pl.col("kind") != "answer")
        if short := size - questions["row"].n_unique():
            yield Message(
                "{short:,} of {size:,} rows of {name} have no question of {min_length} characters "
                "({letters} letters) or more: only equal prompts were looked for",
                short=short,
                size=size,
                name=name,
                min_length=self.min_length,
                letters=self.min_length * 2,
            )
        optional = table.filter(kind="question_and_options")
        stems = own.filter(kind="question").join(optional, on="row", how="semi")
        if weak := stems.filter(pl.col("short") | pl.col("brief")).height:
            yield Message(
                "{weak:,} of {size:,} rows of {name} have a question too brief to count without its options",
                weak=weak,
                size=size,
                name=name,
            )
        if only := int(questions.group_by("row").agg(pl.col("whole").all())["whole"].sum()):
            yield Message(
                "{only:,} of {size:,} rows of {name} ask in words that many rows of the set share; "
                "only complete copies of them were looked for",
                only=only,
                size=size,
                name=name,
            )
        if (silent := size - table.filter(pl.col("kind") == "answer")["row"].n_unique()) > 0:
            yield Message(
                "{silent:,} of {size:,} rows of {name} have no answer long enough to be looked for",
                silent=silent,
                size=size,
                name=name,
            )

    def _templates(self, data: View, of: int) -> tuple[Ratio | None, pl.DataFrame]:
        """Evaluation rows in a template that no training prompt has, and the most frequent templates."""
        own = data[Need(Skeletons())]
        if self.splits:
            own = own.join(self._held(data), on="row", how="semi")
        new, tables = 0, []
        for which in self._sets:
            theirs = data[Need(Skeletons(), which.of)].join(self._rows(data, which), on="row", how="semi")
            lines, absent = _compared(theirs, own)
            new += absent
            tables.append(lines)
        top = pl.concat(tables).group_by("template").agg(pl.col("evaluation_rows").sum(), pl.col("rows").first())
        top = top.sort(["evaluation_rows", "template"], descending=[True, False]).head(TEMPLATES)
        return Ratio(new, of) if of else None, top

    def _planted(self, data: View, items: dict[str, pl.DataFrame]) -> tuple[Ratio, pl.DataFrame]:
        """Plant items into texts of this dataset and ask whether the scan brings each back."""
        hosts = data.turns.filter(pl.col("text").is_not_null()).head(PLANTED_ITEMS).collect()["text"].to_list() or [""]
        return planted_recall(list(items.values()), hosts, self.min_length, self.block, self.review)


def _said(data: View, rows: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `path`, `text` of all that some rows say."""
    return of_rows(spoken(data.turns, data.cells), rows).select("row", "path", "text")


def _notes_on_phrases(phrases: pl.DataFrame) -> Iterator[Message]:
    listed = phrases.select("other", "kind", "rows").rows()
    if not listed:
        return
    phrased = [Message("{at} ({kind}, in {rows:,} rows)", at=a, kind=k, rows=n) for a, k, n in listed[:NAMED]]
    named = joined(phrased, ", ")
    if rest := len(listed[NAMED:]):
        named = Message("{items} and {rest:,} more", items=named, rest=rest)
    yield Message("short items that many rows hold were taken for phrases: {items}", items=named)


def _benchmarks(sizes: Mapping[str, int], leaked: pl.DataFrame, review: pl.DataFrame) -> pl.DataFrame:
    """A line per evaluation set: what of it is here, and the first places."""
    lines = []
    for name, size in sizes.items():
        hit, near = (table.filter(pl.col("set") == name) for table in (leaked, review))
        places = pl.concat([hit, near]).select(place()).to_series().unique(maintain_order=True)
        seen = hit["eval_row"].n_unique()
        share = seen / size if size else None
        lines.append((name, size, seen, share, near["eval_row"].n_unique(), ", ".join(places.head(FIRST)) or None))
    columns = {"set": pl.String, "questions": pl.Int64, "seen": pl.Int64, "share": pl.Float64, "review": pl.Int64,
               "first": pl.String}  # fmt: skip
    return pl.DataFrame(lines, schema=columns, orient="row")


def _too_short(items: pl.DataFrame) -> pl.DataFrame:
    """The questions of rows of which nothing can be searched for."""
    asks = items.filter(pl.col("kind") != "answer")
    return asks.filter(pl.col("short").all().over("row"), pl.col("kind") == "question")


def _equal_recall(items: dict[str, pl.DataFrame]) -> Ratio:
    """Short questions that are known again in capitals, in full width and with another sign at their end."""
    brief = pl.concat([_too_short(table)["text"] for table in items.values()]).head(PLANTED_ITEMS)
    edited = brief.str.to_uppercase().str.replace_all(" ", "\u3000", literal=True) + "？"
    return Ratio(int((prompt_keys(brief) == prompt_keys(edited)).sum()), brief.len())


def template_least(rows: int) -> float:
    """How many rows of a set with so many prompts must share an end of theirs for it to be a template."""
    return max(TEMPLATE_ROWS, rows * TEMPLATE_SHARE)


def _compared(theirs: pl.LazyFrame, own: pl.LazyFrame) -> tuple[pl.DataFrame, int]:
    """The templates of an evaluation set, with the rows that have them on both sides; how many rows have an absent one.

    A template is an opening or a closing that at least TEMPLATE_ROWS rows of the set share, and one in a hundred.
    """
    rows = theirs.collect()
    least = template_least(rows.height)
    tables, absent = [], []
    for end in ("opening", "closing"):
        counts = rows.group_by(end).agg(evaluation_rows=pl.len()).filter(pl.col("evaluation_rows") >= least).lazy()
        if rows[end].str.starts_with(HASHED).any():  # of a pack: what is here is named by its hash, too
            said = own.group_by(shown=end).agg(rows=pl.len()).collect()
            held = said.with_columns(end_keys(said["shown"]).alias(end)).lazy()
        else:
            held = own.join(counts, on=end, how="semi").group_by(end).agg(rows=pl.len()).with_columns(shown=end)
        both = counts.join(held, on=end, how="left").with_columns(pl.col("rows").fill_null(0)).collect()
        absent.append(rows.join(both.filter(pl.col("rows") == 0), on=end, how="semi")["row"])
        named = pl.coalesce("shown", pl.col(end).str.replace(HASHED, "#", literal=True))
        tables.append(both.select(pl.format(f"{end}: {{}}", named).alias("template"), "evaluation_rows", "rows"))
    return pl.concat(tables), pl.concat(absent).n_unique()


def _histogram(best: pl.DataFrame) -> pl.DataFrame:
    counts, edges = np.histogram(best["score"].to_numpy(), bins=np.linspace(0.4, 1.0, 13))
    return pl.DataFrame({"containment": [f"{edge:.2f}" for edge in edges[:-1]], "pairs": counts})
