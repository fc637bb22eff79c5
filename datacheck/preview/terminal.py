"""How a preview is said on the terminal: 80 columns, what is TRAIN and what is skip told by words and not by colour."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from datacheck.chat.sample import Sample
from datacheck.chat.strip import spans_of
from datacheck.i18n.words import WORDS, Lang, Phrase, told
from datacheck.pii.excerpts import Mode, excerpt, hidden, visible
from datacheck.preview.rows import Preview, Previewed
from datacheck.report import shape, show

WIDTH = 80
_HEAD = 12  # columns before the text: label and number of tokens
_CHARS, _IDS = 480, 36  # of one stretch, unless everything is wanted
_LABELS = {"train": "TRAIN", "skip": "skip", "cut": "cut"}
_STYLES = {"train": "bold cyan", "cut": "dim strike"}
_IGNORED = -100  # the label of a token that is not trained, as trainers write it
_BATCH_IDS = 24
_PHRASES: dict[str, Phrase] = {
    "row": "row",
    "tokens": ("{} token", "{} tokens"),
    "kept": "{0} are left at max_length {1}",
    "nothing": "nothing to render: no conversation, or lost to the named trainer",
    "generation": "mask: the template's {% generation %}",
    "prefix": "mask: from prefixes (the template has no {% generation %})",
    "concatenation": "mask: all after the prompt",
    "markers": "mask: the answers, by the markers before and behind them",
    "own": "mask: the answers, by the trainer's own template",
    "all": "mask: every token is trained",
    "sampled": "a prompt: the model writes the answer, nothing is trained",
    "batch": "first batch: {} x {} tokens, padded on the right with {} ({})",
    "no_pad": "the first token",
    "share": "TRAIN {}, padding {}",
    "masked": "ids and text are masked",
    "more": ("… {} more token (--all shows it)", "… {} more tokens (--all shows them)"),
}


class _Stretch(NamedTuple):
    """Consecutive tokens of one label: their text, and their ids (None: hidden)."""

    label: str
    text: str
    ids: list[int | None]


def print_preview(
    preview: Preview, console: Console, lang: Lang, *, mode: Mode, batch: bool = False, everything: bool = False
) -> None:
    """Print rows stretch by stretch, then the batch that they make.

    Args:
        preview: what to show.
        console: where to; never wider than 80 columns.
        lang: the language of our words.
        mode: how data is shown (redacted, masked, full), as in reports.
        batch: also show input_ids and labels of the rows as one padded batch.
        everything: no stretch is shortened.

    """
    width = min(console.width, WIDTH)
    for row in preview.rows:
        for text, style in _row(row, preview, lang, mode, width, everything=everything):
            console.print(Text(text, style), soft_wrap=True)
    if batch:
        for text in _batch(preview, lang, mode, width):
            console.print(Text(text), soft_wrap=True)


def _say(lang: Lang, phrase: str, *values: object) -> str:
    return told(_PHRASES[phrase], lang, *values)


def _row(
    row: Previewed, preview: Preview, lang: Lang, mode: Mode, width: int, *, everything: bool
) -> Iterator[tuple[str, str]]:
    colon = WORDS[lang].colon
    if not row.samples:
        yield f"── {_say(lang, 'row')} {row.row} · {visible(row.at)}", "bold"
        yield f"   {_say(lang, 'nothing')}", ""
        yield "", ""
    for sample in row.samples:
        length, trained = show.number(len(sample.ids)), show.number(sum(sample.labels))
        counts = f"{_say(lang, 'tokens', length)} · TRAIN {trained}"
        yield f"── {_say(lang, 'row')} {row.row} · {visible(row.at)} · {sample.conversation.part} · {counts}", "bold"
        if sample.by is not None:
            yield f"   {_say(lang, sample.by)}", ""
        if len(sample.kept) < len(sample.ids):
            yield f"   {_say(lang, 'kept', show.number(len(sample.kept)), preview.max_length)}", "yellow"
        if sample.error:
            yield f"   {sample.error.said(lang)}", "red"
        for fault in sample.faults:
            said = f"{fault.where or ''} {excerpt(fault.said.said(lang), mode) if fault.said else ''}".strip()
            for n, line in enumerate(shape.wrap(f"{fault.problem}{colon}{said}" if said else fault.problem, width - 5)):
                yield f"   {'! ' if n == 0 else '  '}{line}", "yellow"
        if mode == "masked" and sample.ids:
            yield f"   {_say(lang, 'masked')}", ""
        for stretch in _stretches(sample, mode):
            yield from _shown(stretch, lang, width, everything=everything)
        yield "", ""


def _stretches(sample: Sample, mode: Mode) -> Iterator[_Stretch]:
    """The sample cut where labels change, with what must not be shown hidden."""
    if sample.encoding is None:
        return
    covered = hidden(sample.text) if mode == "redacted" else []
    text = sample.text
    for start, end in covered:
        text = text[:start] + "*" * (end - start) + text[end:]
    ids = list(sample.ids)
    at = 0
    for label, group in groupby(spans_of(sample), key=lambda span: span[2]):
        spans = list(group)
        numbers: list[int | None] = []
        for start, end, _, count in spans:
            secret = mode == "masked" or any(a < end and start < b for a, b in covered)
            numbers += [None] * count if secret else ids[at : at + count]
            at += count
        whole = text[spans[0][0] : spans[-1][1]]
        yield _Stretch(label, _shape(whole) if mode == "masked" else whole, numbers)


def _shape(text: str) -> str:
    """Lines stay lines; of their characters only the kind."""
    return "\n".join(excerpt(line, "masked", len(line)) for line in text.split("\n"))


def _shown(stretch: _Stretch, lang: Lang, width: int, *, everything: bool) -> Iterator[tuple[str, str]]:
    """The text of a stretch, then its ids."""
    style = _STYLES.get(stretch.label, "")
    chars = len(stretch.text) if everything else _CHARS
    cut = "" if len(stretch.text) <= chars else "…"
    lines = list(_lines(stretch.text[:chars] + cut, width - _HEAD)) or [""]
    count = f"{show.number(len(stretch.ids)):>5}"
    for n, line in enumerate(lines):
        yield f"{_LABELS[stretch.label] if n == 0 else '':<6}{count if n == 0 else '':>5} {line}", style
    if all(each is None for each in stretch.ids):
        return
    limit = len(stretch.ids) if everything else _IDS
    for line in shape.wrap(_numbers(stretch.ids[:limit]), width - _HEAD):
        yield f"{'':<{_HEAD}}{line}", "dim"
    if len(stretch.ids) > limit:
        yield f"{'':<{_HEAD}}{_say(lang, 'more', show.number(len(stretch.ids) - limit))}", "dim"


def _numbers(ids: Sequence[int | None]) -> str:
    return " ".join("*" if each is None else str(each) for each in ids)


def _lines(text: str, width: int) -> Iterator[str]:
    """Lines as the text breaks them, each end shown, and none wider than `width` cells."""
    pieces = text.split("\n")
    for n, piece in enumerate(pieces):
        line = visible(piece.replace("\r", "␍").replace("\t", "⇥")) + ("⏎" if n < len(pieces) - 1 else "")
        while cell_len(line) > width:
            head = shape.fit(line, width)
            yield head
            line = line[len(head) :]
        if line:
            yield line


def _batch(preview: Preview, lang: Lang, mode: Mode, width: int) -> Iterator[str]:
    """What a collator makes of these rows: padded on the right, labels -100 where nothing is trained."""
    found = [sample for row in preview.rows for sample in row.samples if sample.ids]
    kept = [sorted(sample.kept) for sample in found]
    longest = max(map(len, kept), default=0)
    pad, token = preview.tokenizer.id_of("pad_token"), preview.tokenizer.special.get("pad_token")
    yield f"── {_say(lang, 'batch', len(found), longest, token or _say(lang, 'no_pad'), pad if token else 0)}"
    cells = longest * len(found) or 1
    train = sum(sample.labels[n] for sample, numbers in zip(found, kept, strict=True) for n in numbers)
    padding = cells - sum(map(len, kept))
    shares = [show.percent(count / cells, form=WORDS[lang].percent) for count in (train, padding)]
    yield f"   {_say(lang, 'share', *shares)}"
    for number, (sample, numbers) in enumerate(zip(found, kept, strict=True)):
        shown = [each for stretch in _stretches(sample, mode) for each in stretch.ids]
        ids = [shown[n] for n in numbers] + [pad or 0] * (longest - len(numbers))
        labels = [shown[n] if sample.labels[n] else _IGNORED for n in numbers] + [_IGNORED] * (longest - len(numbers))
        for name, values in (("input_ids", ids), ("labels", labels)):
            yield from (f"   {line}" for line in shape.wrap(f"{name}[{number}] {_ends(values)}", width - 3))


def _ends(values: Sequence[int | None]) -> str:
    if len(values) <= _BATCH_IDS:
        return _numbers(values)
    half = _BATCH_IDS // 2
    return f"{_numbers(values[:half])} … {_numbers(values[-half:])}"
