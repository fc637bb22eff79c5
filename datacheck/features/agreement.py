"""What twin and preview say of rows, in the terms in which an installed trainer answers, and where both differ."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import polars as pl

from datacheck.check import Message, Need, Summary, TrainerPython, View
from datacheck.features.outcomes import JSON_FILES, Fates, parsed
from datacheck.features.tokens import TokenRun, limits_of, load_model, renderer
from datacheck.trainers.base import LOST, TODAY, Mode, RowOutcome, Seen, Trained
from datacheck.trainers.probes.asking import SKIPPED, ProbedExample, ProbedRow, ProbeError, ProbeRequest, ask
from datacheck.trainers.truncation import Cut

if TYPE_CHECKING:
    from datacheck.chat.conversations import Conversation
    from datacheck.chat.sample import Sample
    from datacheck.trainers.json_columns import Typing

_FATES = {"dropped": "dropped", "fails": "failed"}
_REFUSED = {"template_refused", "not_encodable", "no_template", "turn_refused"}
_ENDLESS = 1 << 18  # tokens, which a package may still pad a row to
_STOPPING = {"turns": _REFUSED | {"turns_differ"}}  # verl compares the turns with the whole


def expected(run: TokenRun, records: Sequence[Any], seen: Seen) -> list[ProbedRow]:
    """What becomes of records by the twin; with a tokenizer also their tokens and labels.

    A row that a template refuses stops the run, as an exception of the twin's rules does.
    """
    assert run.trainer is not None
    mode, settings = run.trainer.mode, run.trainer.settings_read()
    if any(mode.rules[fate.reason].fate == "fails" for fate in mode.before(settings, seen)):
        return [ProbedRow("failed")] * len(records)
    before = TODAY.set(_now().date())
    outcomes = [_outcome(mode.read(record, settings, seen), mode) for record in records]
    TODAY.reset(before)
    for at in mode.lost_beside(records, settings, seen):
        outcomes[at] = ("dropped", None) if outcomes[at][0] == "kept" else outcomes[at]
    if run.tokenizer is None:
        return [ProbedRow(fate) for fate, _ in outcomes]
    rows = _sampled(run, [found for _, found in outcomes])
    return [_together(fate, row) for (fate, _), row in zip(outcomes, rows, strict=True)]


def disagreements(run: TokenRun, records: Sequence[Any], theirs: Sequence[ProbedRow]) -> list[str | None]:
    """For each row of a file in what the twin differs from the package; None where they agree.

    Rows that stop the run are taken out, by the package's word, before the others are looked at: what types columns
    have hangs on all rows of a file. Such a row must stop the twin as well, among all others, or behind the first that
    can be loaded (where there is none before it, alone), as the probe tries it, or with those that can be loaded.
    """
    assert run.trainer is not None
    typed = run.trainer.mode.typed
    found: list[str | None] = [None] * len(records)
    kept = [at for at, row in enumerate(theirs) if row.fate not in ("failed", "unknown")]
    left = [records[at] for at in kept]
    for at, ours in zip(kept, expected(run, left, Seen.of(left, typed=typed)), strict=True):
        found[at] = differs(ours, theirs[at])
    stops = [at for at, row in enumerate(theirs) if row.fate == "failed"]
    among = expected(run, records, Seen.of(records, typed=typed)) if stops else []
    for at in stops:
        first = [records[n] for n in kept[:1] if n < at]
        beside = [records[n] for n in sorted([*kept, at])]  # its types may be what stops another of them
        if among[at].fate != "failed" and not any(
            _stops(run, rows, typed=typed) for rows in ([*first, records[at]], beside)
        ):
            found[at] = "fate"
    return found


def _stops(run: TokenRun, records: Sequence[Any], *, typed: Typing | None) -> bool:
    return any(row.fate == "failed" for row in expected(run, records, Seen.of(records, typed=typed)))


def _now() -> dt.datetime:
    """What the installed package sees of the day, and templates of the time."""
    return dt.datetime.now()  # noqa: DTZ005 - local, as they do


def _outcome(read: RowOutcome, mode: Mode) -> tuple[str, Trained | None]:
    fate = mode.fate_of(read.fates)
    return _FATES[fate] if fate in LOST else "kept", read.trained


def _together(fate: str, of_tokens: ProbedRow) -> ProbedRow:
    """A row that would stop the run is left out before, where its prompt is too long (the filter of verl)."""
    return of_tokens if fate == "kept" or (fate == "failed" and of_tokens.fate == "dropped") else ProbedRow(fate)


def _sampled(run: TokenRun, found: Sequence[Trained | None]) -> Iterator[ProbedRow]:
    """For each kept row what becomes of its tokens; without examples where the twin says nothing of them."""
    from datacheck.chat.conversations import trained_as
    from datacheck.chat.samples import samples

    assert run.tokenizer is not None
    model = load_model(run.tokenizer)
    conversations = [trained_as(each) if each is not None else [] for each in found]
    every: list[Conversation] = [each for row in conversations for each in row]
    with renderer(model, run.template, run.trainer) or nullcontext() as child:
        if child is not None:
            child.now = _now().isoformat()
        made = iter(list(samples(every, limits_of(run, model.tokenizer), child)))
    for trained, row in zip(found, conversations, strict=True):
        yield _row(run, trained, [next(made) for _ in row])


def _row(run: TokenRun, trained: Trained | None, made: Sequence[Sample]) -> ProbedRow:
    assert run.trainer is not None
    mode, settings = run.trainer.mode, run.trainer.settings_read()
    cut = mode.cut(settings)
    if any(sample.error for sample in made):
        return ProbedRow("unknown")
    if _is_refused(trained, made):
        filtered = cut.how == "drop" and cut.of == "prompt"  # verl's filter leaves out what it cannot render
        return ProbedRow("dropped" if filtered else "failed")
    if cut.how == "chunks" and made:
        assert cut.limit is not None
        return _in_chunks([_example(sample, None, pair=False) for sample in made], cut.limit, cut.least)
    if trained is not None and trained.loss == "assistant" and mode.untrained and any(1 not in s.labels for s in made):
        return ProbedRow("failed")
    if fate := _fate_by_length(mode, cut, made):
        return ProbedRow(fate)
    label = None if trained is None else trained.label
    return ProbedRow("kept", tuple(_example(sample, label, pair=len(made) > 1) for sample in made))


def _is_refused(trained: Trained | None, made: Sequence[Sample]) -> bool:
    """Whether a sample has a fault at which the trainer stops."""
    refused = _STOPPING.get(trained.loss, _REFUSED) if trained is not None else _REFUSED
    return any(fault.problem in refused for sample in made for fault in sample.faults)


def _fate_by_length(mode: Mode, cut: Cut, made: Sequence[Sample]) -> str | None:
    """How a row is lost that has too many tokens, too few, or none left that is trained; None: it is kept."""
    lengths = [len(sample.ids) for sample in made]
    if cut.limit is not None and cut.how in ("drop", "fails") and any(length > cut.limit for length in lengths):
        return "dropped" if cut.how == "drop" else "failed"
    if any(length < cut.least for length in lengths):
        return "dropped"
    if cut.limit is None or not cut.unanswered:
        return None
    fate = mode.rules[cut.unanswered].fate
    return _FATES[fate] if fate in LOST and any(_is_unanswered(cut, sample) for sample in made) else None


def _is_unanswered(cut: Cut, sample: Sample) -> bool:
    """Whether nothing of a row is left that is trained, as its trainer sees it."""
    if cut.spare is not None:  # left out for what the prompt takes; an answer that trains nothing is kept
        return not sample.kept
    untrained = not any(sample.labels[at] for at in sample.kept)
    if cut.unanswered == "prompt_fills":  # no matter whether an answer has a token at all
        return untrained and cut.limit is not None and len(sample.ids) >= cut.limit
    return untrained


def _in_chunks(found: Sequence[ProbedExample], limit: int, least: int) -> ProbedRow:
    """Rows of so many tokens at most; those of fewer than `least` are left out."""
    chunks = [
        ProbedExample(each.ids[at : at + limit], each.labels[at : at + limit])
        for each in found
        for at in range(0, len(each.ids), limit)
    ]
    kept = tuple(chunk for chunk in chunks if len(chunk.ids) >= least)
    return ProbedRow("kept", kept) if kept else ProbedRow("dropped")


def _example(sample: Sample, label: bool | None, *, pair: bool) -> ProbedExample:
    places = sorted(sample.kept)
    ids = tuple(sample.ids[at] for at in places)
    labels = tuple(sample.taught.get(at, sample.ids[at]) if sample.labels[at] else SKIPPED for at in places)
    return ProbedExample(ids, labels, sample.conversation.part if pair else None, label)


def differs(ours: ProbedRow, theirs: ProbedRow) -> str | None:
    """Where both differ: fate, tokens, labels; None where they agree, or one of them does not know."""
    if "unknown" in (ours.fate, theirs.fate):
        return None
    if ours.fate != theirs.fate:
        return "fate"
    if not ours.examples or not theirs.examples:
        return None
    pairs = list(zip(ours.examples, theirs.examples, strict=False))
    if len(ours.examples) != len(theirs.examples) or any(one.ids != two.ids for one, two in pairs):
        return "tokens"
    marked = [two.label for _, two in pairs] if ours.examples[0].label is None else [one.label for one, _ in pairs]
    # The first label is of a token that nothing predicts.
    same = all(one.labels[1:] == two.labels[1:] for one, two in pairs) and marked == [two.label for _, two in pairs]
    return None if same else "labels"


def request_of(run: TokenRun) -> ProbeRequest:
    """What an installed trainer is asked about a run: the settings that were named; the defaults are the package's.

    Without a tokenizer the probe takes one of bytes, by which nothing is too long: a Chinese row of 400 characters has
    more than the 1,024 tokens at which verl stops.
    """
    assert run.trainer is not None
    mode, settings = run.trainer.mode, run.trainer.settings_read()
    named = settings.model_dump(include=settings.model_fields_set, by_alias=True)
    if run.tokenizer is None and settings.MAX_LENGTH:
        named[settings.MAX_LENGTH] = _ENDLESS
    files = {name: run.tokenizer.read(name) for name, _ in run.tokenizer.files} if run.tokenizer is not None else None
    return ProbeRequest(mode.probe, mode.name.partition(".")[2], named, files)


ASKED_ROWS, _LOST_ROWS, _ALTERED_ROWS = 500, 150, 50  # at most; the rest are rows that are kept
COLUMNS = {"row": pl.UInt32, "fate": pl.String, "differs": pl.String, "at": pl.String, "said": pl.String}


class Agreement(Summary):
    """`row`, `fate`, `differs`, `at`, `said`: what the installed trainer says of some rows, one line a row.

    Asked are the first row, rows that the twin marks (some of each rule), and rows that it keeps, evenly spread.
    differs: in what the twin is wrong (fate, tokens, labels), null where both agree; at: the exception and its place in
    the package. On a line without a row: `said`, why nothing could be asked, or the settings that the version lacks,
    and that files which are no JSON were handed over as JSON.
    """

    run: TokenRun
    python: TrainerPython

    def needs(self) -> tuple[Need, ...]:
        """The records, and the fates."""
        return (Need("records"), Need(self._fates()))

    def _fates(self) -> Fates:
        assert self.run.trainer is not None
        return Fates(run=self.run.trainer)

    def compute(self, data: View) -> pl.DataFrame:
        """Choose rows, ask, compare."""
        rows = asked_rows(data[Need(self._fates())].collect(), data.rows.collect()["row"])
        pieces = [piece.filter(pl.col("row").is_in(rows)).collect() for piece in data.pieces("records")]
        table = pl.concat([piece.select("row", "json") for piece in pieces]).sort("row")
        folder = data.scratch / "probe"
        folder.mkdir(mode=0o700, parents=True)
        try:
            probed = ask(self.python.location, request_of(self.run), table["json"].to_list(), folder)
        except ProbeError as error:
            return pl.DataFrame([(None, None, None, None, error.message.packed)], schema=COLUMNS, orient="row")
        records = [record for _, record in parsed(table)]
        lines = [
            (row, theirs.fate, what, f"{theirs.error} ({theirs.at})" if theirs.error else None, None)
            for row, theirs, what in zip(
                table["row"], probed.rows, disagreements(self.run, records, probed.rows), strict=True
            )
        ]
        told = [_lacks(name) for name in probed.unknown_settings]
        kinds = set(data.files.select("container").collect()["container"]) - JSON_FILES
        told += [_as_records(sorted(kinds))] if kinds else []
        without = [(None, None, None, None, each.packed) for each in told]
        return pl.DataFrame([*lines, *without], schema=COLUMNS, orient="row")


def _as_records(kinds: Sequence[str]) -> Message:
    return Message(
        "the rows were handed over as JSON: what types the package's own reader gives the columns of {kinds} (numbers, "
        "dates, missing values) was not asked",
        kinds=", ".join(kinds),
    )


def _lacks(name: str) -> Message:
    return Message("the installed version has no setting {name}: it was not asked with it", name=name)


def asked_rows(fates: pl.DataFrame, every: pl.Series) -> list[int]:
    """The rows to ask about, in order: all, or ASKED_ROWS of them."""
    marked = fates.drop_nulls("row").unique(["row", "problem"], maintain_order=True)
    lost = marked.filter(pl.col("fate").is_in(LOST))
    altered = marked.filter(~pl.col("fate").is_in(LOST))
    rows = every.cast(pl.UInt32)
    chosen = {*rows.head(1), *_some(lost, _LOST_ROWS), *_some(altered, _ALTERED_ROWS)}
    kept = rows.filter(~rows.is_in([*chosen, *lost["row"]]))
    room = min(len(kept), ASKED_ROWS - len(chosen))
    return sorted(chosen | {kept[len(kept) * turn // room] for turn in range(room)})


def _some(marked: pl.DataFrame, most: int) -> list[int]:
    """Rows of each rule in turn, at most so many."""
    turn = marked.with_columns(turn=pl.int_range(pl.len()).over("problem"))
    return turn.sort("turn", "problem", maintain_order=True)["row"].unique(maintain_order=True).head(most).to_list()
