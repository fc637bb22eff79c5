"""What a user's own reward function says of golds, wrong answers and empty ones."""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import polars as pl

from datacheck.check import GraderCode, Message, Need, Summary, View
from datacheck.features.golds import Extract, Golds, Of, alternatives
from datacheck.features.outcomes import parsed
from datacheck.text.answering import forms, in_form, wrong_answer
from datacheck.trainers.rewards.asking import AskedFor, Grader, Question, Rewarded
from datacheck.trainers.rewards.contained import RewardError, RewardLimits

Calls = Literal["auto", "trl", "verl", "ms_swift", "openrlhf"]
LOST = ("too_long", "too_much_memory", "too_many_processes", "ended")  # of which the child dies
BROKEN = (*LOST, "raised", "no_number", "unstable")
_PATIENCE = 3  # rows at which the child may be lost before the rest is not asked
_PROBED = 8  # rows with which the form of an answer is found
_MOST_SECONDS = 600  # of asking altogether
_LISTED = 12  # columns that a sentence names
COLUMNS = {"row": pl.UInt32, "where": pl.String, "gold": pl.String, "problem": pl.String, "said": pl.String}
ASKED, UNCALLED, NOTE, MISSING, STOPPED = "asked", "uncalled", "note", "missing_column", "stopped"


class AskedRow(NamedTuple):
    """A row with a gold; `wrong`: an answer that is none."""

    row: int
    where: str
    gold: str
    wrong: str | None
    record: Mapping[str, Any]
    text: str


class Line(NamedTuple):
    """A line of the table: of a row that was asked (`problem` ASKED), of a problem of it, or about the function."""

    row: int | None
    where: str | None
    gold: str | None
    problem: str
    said: str | None


class Rewards(Summary):
    """`row`, `where`, `gold`, `problem`, `said`: one line for each row that was asked, and one for each problem of it.

    Lines without a row are about the function: a column that it asks for and no row has (missing_column), why it could
    not be asked (stopped), and what else there is to say (note).
    """

    code: GraderCode
    calls: Calls
    form: str | None
    full: float | None
    allow_none: bool
    most: int
    seconds: float
    of: Of
    extract: Extract

    def needs(self) -> tuple[Need, ...]:
        """The golds and the records."""
        return (Need(Golds(of=self.of, extract=self.extract)), Need("records"))

    def compute(self, data: View) -> pl.DataFrame:
        """Choose rows, find the form of an answer, ask, judge."""
        folder = data.scratch / "grader"
        folder.mkdir(mode=0o700, parents=True)
        rows, every = self._chosen(data)
        code = self.code
        limits = RewardLimits(seconds=self.seconds)
        with Grader(code.location, code.search, folder, limits, name=code.full, calls=self.calls) as grader:
            try:
                lines = list(Interview(self, grader, rows, every).lines()) if rows else []
            except RewardError as error:
                lines = [_about(STOPPED, error.message)]
        return pl.DataFrame(lines, schema=COLUMNS, orient="row")

    def _chosen(self, data: View) -> tuple[list[AskedRow], int]:
        """Rows with a gold, evenly spread, and how many there are."""
        golds = data[self.needs()[0]].collect().drop_nulls("gold").sort("row")
        count = min(golds.height, self.most)
        some = golds[[at * golds.height // count for at in range(count)]]
        wanted = some["row"].implode()
        pieces = [piece.filter(pl.col("row").is_in(wanted)).collect() for piece in data.pieces("records")]
        records = dict(parsed(pl.concat([piece.select("row", "json") for piece in pieces]).sort("row")))
        asked = data.turns.filter(pl.col("part") == "prompt", pl.col("row").is_in(wanted))
        texts = dict(asked.group_by("row").agg(pl.col("text").str.join("\n")).collect().iter_rows())
        lists = [alternatives(gold, listed) for gold, listed in some.select("gold", "listed").iter_rows()]
        found = []
        for at, (row, where) in enumerate(some.select("row", "where").iter_rows()):
            if isinstance(records[row], dict) and lists[at] and lists[at][0].strip():
                others = (lists[(at + n) % len(lists)][0] for n in range(1, min(len(lists), 50)))
                wrong = wrong_answer(lists[at], others)
                found.append(AskedRow(row, where, lists[at][0], wrong, records[row], texts.get(row) or ""))
        return found, golds.height


@dataclass
class Interview:
    """One function and the rows that it is asked about."""

    how: Rewards
    grader: Grader
    rows: list[AskedRow]
    every: int
    lost: int = 0
    tried: int = 0  # times that its process was ended while forms were tried

    def lines(self) -> Iterator[Line]:
        """All that is found out. Raises RewardError where the function cannot be loaded."""
        wanted = self.grader.wanted()
        self.columns = sorted({key for row in self.rows for key in row.record})
        yield from (_about(NOTE, each) for each in _told(wanted))
        lacking = [name for name in wanted.needed if not self._has(name)]
        read = [name for name in wanted.read if not self._has(name)]
        extra = [f"extra_info.{name}" for name in wanted.extra if not self._has(f"extra_info.{name}")]
        for name in dict.fromkeys([*lacking, *read, *extra]):
            yield _about(MISSING, self._lacks(name))
        if lacking:
            yield _about(NOTE, Message("it was not called: a column that it cannot do without is missing"))
            yield from (_of(row, each) for row in self.rows for each in (ASKED, UNCALLED))
            return
        yield from self._asked(wanted)

    def _has(self, path: str) -> bool:
        """Whether any row has such a key, in an object where the path has a dot."""
        first, _, rest = path.partition(".")
        if not rest:
            return first in self.columns
        inside = (row.record.get(first) for row in self.rows)
        return any(isinstance(each, dict) and rest in each for each in inside)

    def _lacks(self, name: str) -> Message:
        known = ", ".join(self.columns[:_LISTED])
        close = difflib.get_close_matches(name, self.columns, 1)
        if close:
            return Message(
                "the function asks for the column {name}, and no row has it; did you mean {close}?",
                name=name,
                close=close[0],
            )
        return Message(
            "the function asks for the column {name}, and no row has it; there are {known}", name=name, known=known
        )

    def _asked(self, wanted: AskedFor) -> Iterator[Line]:
        until = time.monotonic() + _MOST_SECONDS
        self.form, self.as_messages = self._form_of_answers(wanted, until)
        found: list[tuple[AskedRow, list[tuple[str, Message]], Rewarded]] = []
        for row in self.rows:
            if self.lost >= _PATIENCE or time.monotonic() > until:
                break
            found.append((row, *self._problems(row)))
        top = self._full([told.rewards for _, _, told in found if told.rewards])
        for row, problems, told in found:
            judged = [*problems, *self._judged(told, row, top)]
            yield _of(row, ASKED)
            yield from (_of(row, problem, said) for problem, said in judged)
        yield from (_about(NOTE, each) for each in self._summed(len(found), top))

    def _form_of_answers(self, wanted: AskedFor, until: float) -> tuple[str, bool]:
        """The form whose golds get most, of a few rows; whether answers are messages, as the prompts are.

        Where the data has no prompt as the trainer wants it, both are tried.
        """
        prompts = [row.record.get("prompt") for row in self.rows]
        given = any(each is not None for each in prompts)
        ways = [isinstance(prompts[0], list)] if given or wanted.calls != "trl" else [False, True]
        step = max(1, len(self.rows) // _PROBED)
        probes = self.rows[::step][:_PROBED]
        tried = forms(self.how.form)
        best: tuple[tuple[float, float], str, bool] = ((float("-inf"), 0), tried[0], ways[0])
        for as_messages in ways:
            for form in tried:
                got = self._probed(form, probes, as_messages=as_messages, until=until)
                if got is not None and got > best[0]:
                    best = (got, form, as_messages)
        return best[1], best[2]

    def _probed(
        self, form: str, probes: Sequence[AskedRow], *, as_messages: bool, until: float
    ) -> tuple[float, float] | None:
        """What the golds of some rows get above wrong answers, and what they get; None: there is no answer at all."""
        got = []
        for row in probes:
            if self.tried >= _PATIENCE or time.monotonic() > until:
                break
            told = self._ask(row, [in_form(form, row.gold), in_form(form, row.wrong or "")], as_messages=as_messages)
            if told.rewards:
                gold, wrong = (each or 0.0 for each in told.rewards)
                got.append((gold - wrong, gold))
            elif told.happened in LOST:
                self.tried += 1
                break  # the row is asked again, and counted then
        return (sum(more for more, _ in got), sum(gold for _, gold in got)) if got else None

    def _ask(self, row: AskedRow, answers: Sequence[str], *, as_messages: bool | None = None) -> Rewarded:
        columns = {name: row.record.get(name) for name in self.columns}
        prompt = row.record.get("prompt", row.text)
        label = row.record.get("label", row.gold)
        messages = self.as_messages if as_messages is None else as_messages
        return self.grader.ask(Question(answers, columns, prompt, row.text, label, messages))

    def _problems(self, row: AskedRow) -> tuple[list[tuple[str, Message]], Rewarded]:
        """What goes wrong while it is asked twice about a row, and what it says."""
        answers = [
            in_form(self.form, row.gold),
            *([in_form(self.form, row.wrong)] if row.wrong is not None else []),
            "",
        ]
        told = self._ask(row, answers)
        if told.happened in LOST:
            self.lost += 1
            return [(told.happened, self._how_lost(told))], told
        if told.happened is not None:
            return self._one_by_one(row, answers, told), told
        again = self._ask(row, answers)
        if again.happened in LOST:
            self.lost += 1
            return [(str(again.happened), self._how_lost(again))], told
        if again != told:
            return [("unstable", Message("the same answers, asked again, get other rewards"))], told
        return [], told

    def _one_by_one(self, row: AskedRow, answers: Sequence[str], told: Rewarded) -> list[tuple[str, Message]]:
        """Which of the answers it cannot take; where each alone is fine, their number is to blame."""
        names = ("gold", *(["wrong"] if len(answers) > 2 else []), "empty")
        for name, answer in zip(names, answers, strict=True):
            alone = self._ask(row, [answer])
            if alone.happened in LOST:
                self.lost += 1
                return [(str(alone.happened), self._how_lost(alone))]
            if alone.happened is not None:
                return [(alone.happened, _what_happened(alone, _ANSWERS[name]))]
        return [(str(told.happened), _what_happened(told, _ANSWERS["several"]))]

    def _how_lost(self, told: Rewarded) -> Message:
        limits = self.grader.limits
        if told.happened == "too_long":
            return Message("took longer than {seconds:g} s and was ended", seconds=limits.seconds)
        if told.happened == "too_much_memory":
            return Message("used more than {n:g} GiB of memory and was ended", n=limits.memory / 2**30)
        if told.happened == "too_many_processes":
            return Message("had more than {n} processes and was ended", n=limits.processes)
        return Message("ended its own process, or crashed")

    def _full(self, every: Sequence[tuple[float | None, ...]]) -> float | None:
        """The full reward: as the contract says, or the most that a gold got; None where no answer tells any apart."""
        if self.how.full is not None:
            return self.how.full
        top = max((gold for gold, *_ in every if gold is not None), default=None)
        told_apart = any(
            gold is not None and each is not None and each < gold for gold, *others in every for each in others
        )
        return top if top is not None and (top > 0 or told_apart) else None

    def _judged(self, told: Rewarded, row: AskedRow, top: float | None) -> Iterator[tuple[str, Message]]:
        if not told.rewards:
            return
        gold, *others = told.rewards
        if gold is None:
            if not self.how.allow_none:
                yield "skipped", Message("the gold gets None: the row gives no reward")
        elif top is None:
            yield "unrewarded", Message("the gold gets {got:g} in every form that was tried; name its `form`", got=gold)
        elif gold < top:
            yield "unrewarded", Message("the gold gets {got:g}, not {full:g}", got=gold, full=top)
        wrong = others[0] if row.wrong is not None else None
        for problem, got, what in (("wrong_rewarded", wrong, "wrong"), ("empty_rewarded", others[-1], "empty")):
            if got is not None and top is not None and got >= top:
                yield problem, Message("{answer} gets {got:g}, the full reward", answer=_ANSWERS[what], got=got)

    def _summed(self, asked: int, top: float | None) -> Iterator[Message]:
        yield Message("asked about {n:,} of {every:,} rows with a gold", n=asked, every=self.every)
        if asked < len(self.rows):
            yield (
                Message("after {n} rows at which its process was ended it was not asked any more", n=self.lost)
                if self.lost >= _PATIENCE
                else Message("after {n} s it was not asked any more", n=_MOST_SECONDS)
            )
        if top is not None:
            yield Message(
                "golds were written as {form}; the full reward is {full:g}",
                form=self.form.replace("\n", "\\n"),
                full=top,
            )
        if self.grader.files:
            yield Message("it wrote {n:,} files into its working folder, which is gone", n=self.grader.files)


_ANSWERS = {
    "gold": Message("the gold"),
    "wrong": Message("a wrong answer"),
    "empty": Message("an empty answer"),
    "several": Message("several answers at once"),
}


def _what_happened(told: Rewarded, answer: Message) -> Message:
    if told.happened == "raised":
        return Message("raised {error} ({at}) on {answer}", error=told.error, at=told.at or "–", answer=answer)
    return Message("gave no number for each answer ({what}) on {answer}", what=told.error or "–", answer=answer)


_NOT_KEPT = {
    "user": Message("it ran with the rights of this user"),
    "mount": Message("it could write files wherever this user can"),
    "pid": Message("it could see and end other processes of this user"),
    "proc": Message("it could see the names of other processes"),
    "net": Message("it could use the network"),
    "ipc": Message("it could use shared memory of other processes"),
}


def _told(wanted: AskedFor) -> Iterator[Message]:
    yield Message("called as {trainer} calls reward functions", trainer=wanted.calls)
    names = ", ".join(wanted.not_taken)
    if names and wanted.calls == "verl":
        yield Message("verl also gives {names}, which the function does not take; it was called without", names=names)
    elif names:
        yield Message(
            "{trainer} also gives {names}, which the function does not take: it needs **kwargs",
            trainer=wanted.calls,
            names=names,
        )
    yield from (_NOT_KEPT[each] for each in wanted.missing if each in _NOT_KEPT)


def _about(problem: str, said: Message) -> Line:
    return Line(None, None, None, problem, said.packed)


def _of(row: AskedRow, problem: str, said: Message | None = None) -> Line:
    return Line(row.row, row.where, row.gold, problem, said.packed if said else None)
