"""What twin and preview say of rows, in the terms in which an installed trainer answers, and where both differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from datacheck.features.tokens import TokenRun, limits_of, load_model, renderer
from datacheck.trainers.base import LOST, Mode, RowOutcome, Seen, Trained
from datacheck.trainers.probes.asking import SKIPPED, ProbedExample, ProbedRow

if TYPE_CHECKING:
    from datacheck.chat.conversations import Conversation
    from datacheck.chat.samples import Sample

_FATES = {"dropped": "dropped", "fails": "failed"}
_REFUSED = {"template_refused", "not_encodable", "no_template"}


def expected(run: TokenRun, records: Sequence[Any], seen: Seen) -> list[ProbedRow]:
    """What becomes of records by the twin; with a tokenizer also their tokens and labels.

    A row that a template refuses stops the run, as an exception of the twin's rules does.
    """
    assert run.trainer is not None
    mode, settings = run.trainer.mode, run.trainer.settings_read()
    if any(mode.rules[fate.reason].fate == "fails" for fate in mode.before(settings, seen)):
        return [ProbedRow("failed")] * len(records)
    outcomes = [_outcome(mode.read(record, settings, seen), mode) for record in records]
    if run.tokenizer is None:
        return [ProbedRow(fate) for fate, _ in outcomes]
    rows = _sampled(run, [found for _, found in outcomes])
    return [row if fate == "kept" else ProbedRow(fate) for (fate, _), row in zip(outcomes, rows, strict=True)]


def disagreements(run: TokenRun, records: Sequence[Any], theirs: Sequence[ProbedRow]) -> list[str | None]:
    """For each row of a file in what the twin differs from the package; None where they agree.

    Rows that stop the run are taken out, by the package's word, before the others are looked at: what types columns
    have hangs on all rows of a file. Such a row must stop the twin as well, among all others or behind the first.
    """
    assert run.trainer is not None
    typed = run.trainer.mode.typed
    found: list[str | None] = [None] * len(records)
    kept = [at for at, row in enumerate(theirs) if row.fate != "failed"]
    left = [records[at] for at in kept]
    for at, ours in zip(kept, expected(run, left, Seen.of(left, typed=typed)), strict=True):
        found[at] = differs(ours, theirs[at])
    stops = [at for at, row in enumerate(theirs) if row.fate == "failed"]
    among = expected(run, records, Seen.of(records, typed=typed)) if stops else []
    for at in stops:
        if among[at].fate != "failed" and not _stops_behind_first(run, records, at, typed=typed):
            found[at] = "fate"
    return found


def _stops_behind_first(run: TokenRun, records: Sequence[Any], at: int, *, typed: bool) -> bool:
    pair = [records[0], records[at]] if at else [records[0]]
    return any(row.fate == "failed" for row in expected(run, pair, Seen.of(pair, typed=typed)))


def _outcome(read: RowOutcome, mode: Mode) -> tuple[str, Trained | None]:
    fate = mode.fate_of(read.fates)
    return (_FATES[fate], None) if fate in LOST else ("kept", read.trained)


def _sampled(run: TokenRun, found: Sequence[Trained | None]) -> Iterator[ProbedRow]:
    """For each kept row what becomes of its tokens; without examples where the twin says nothing of them."""
    from datacheck.chat.conversations import trained_as
    from datacheck.chat.samples import samples

    assert run.tokenizer is not None
    model = load_model(run.tokenizer)
    conversations = [trained_as(each) if each is not None else [] for each in found]
    every: list[Conversation] = [each for row in conversations for each in row]
    with renderer(model, run.template, run.trainer) or nullcontext() as child:
        made = iter(list(samples(every, limits_of(run, model.tokenizer), child)))
    for trained, row in zip(found, conversations, strict=True):
        yield _row(run, trained, [next(made) for _ in row])


def _row(run: TokenRun, trained: Trained | None, made: Sequence[Sample]) -> ProbedRow:
    assert run.trainer is not None
    mode, settings = run.trainer.mode, run.trainer.settings_read()
    cut = mode.cut(settings)
    if any(sample.error for sample in made):
        return ProbedRow("unknown")
    if any(fault.problem in _REFUSED for sample in made for fault in sample.faults):
        return ProbedRow("failed")
    untrained = [sample for sample in made if not any(sample.labels[at] for at in sample.kept)]
    if trained is not None and trained.loss == "assistant" and mode.untrained and any(1 not in s.labels for s in made):
        return ProbedRow("failed")
    if cut.limit is not None and cut.how in ("drop", "fails") and any(len(s.ids) > cut.limit for s in made):
        return ProbedRow("dropped" if cut.how == "drop" else "failed")
    if cut.limit is not None and cut.unanswered and untrained:
        return ProbedRow("dropped")
    label = None if trained is None else trained.label
    return ProbedRow("kept", tuple(_example(sample, label, pair=len(made) > 1) for sample in made))


def _example(sample: Sample, label: bool | None, *, pair: bool) -> ProbedExample:
    places = sorted(sample.kept)
    ids = tuple(sample.ids[at] for at in places)
    labels = tuple(sample.ids[at] if sample.labels[at] else SKIPPED for at in places)
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
    same = all(one.labels == two.labels for one, two in pairs) and marked == [two.label for _, two in pairs]
    return None if same else "labels"
