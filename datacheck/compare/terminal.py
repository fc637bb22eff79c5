"""diff.json, what changed between two drops, and how it is said: on the terminal, and as one HTML page."""

from functools import partial
from typing import Any, Literal

from pydantic import Field
from rich.console import Console

from datacheck.check import Model, Status
from datacheck.i18n.words import WORDS, Lang, Phrase, told
from datacheck.report import charts, show
from datacheck.report.pages import environment
from datacheck.report.screen import STYLES, Screen, make_screen
from datacheck.verdict.model import ContractEntry, Sentence, ValueEntry

SCHEMA: Literal["datacheck/diff/2"] = "datacheck/diff/2"
Kind = Literal["copy", "same_text", "near_copy", "new", "gone"]


class Side(Model):
    """One drop; `version` as in report.json."""

    path: str
    version: str
    rows: int
    files: int
    bytes: int
    unreadable: int


class FileGroup(Model):
    """Files to which the same happened: how many, and the first of them."""

    count: int
    first: tuple[str, ...] = ()


class FileChanges(Model):
    """Files by name. A renamed file is one that went and one that came; its rows are still identical."""

    same: int
    changed: FileGroup
    came: FileGroup
    went: FileGroup


class RowChanges(Model):
    """Where the rows of B come from, and which rows of A went.

    B = identical + copies_more + same_text + near_copies + new. A = identical + copies_fewer + same_text_before + gone.
    `near_copies` is an estimate where fewer rows were compared than there are candidates.
    """

    identical: int
    copies_more: int
    copies_fewer: int
    same_text: int
    near_copies: int
    near_compared: int
    near_candidates: int
    new: int
    same_text_before: int
    gone: int


class Length(Model):
    """One number on lengths in characters."""

    name: str
    a: float | int | None = None
    b: float | int | None = None


class LengthTable(Model):
    """Lengths of one side of the rows; `sizes`: rows of A and of B from so many characters to twice as many."""

    side: str
    rows: tuple[int, int]
    quantiles: tuple[Length, ...]
    sizes: tuple[tuple[int, int, int], ...]


class Share(Model):
    """How often a name occurs."""

    name: str
    a: int
    b: int


class Shares(Model):
    """A mix: formats, languages of texts, roles of messages, a label. `distance`: total variation, 0 to 1."""

    name: str
    of: tuple[int, int]
    distance: float | None = None
    lines: tuple[Share, ...]


class MetricLine(Model):
    """A number of a check on both drops, each judged by the contract's limits."""

    finding: str
    check: str
    a: ValueEntry | None = None
    b: ValueEntry | None = None


class Example(Model):
    """A row that is not in the other drop as it is; `text` went through the redaction."""

    kind: Kind
    at: str
    other: str | None = None
    score: float | None = None
    text: str | None = None


class Diff(Model):
    """diff.json."""

    schema_: Literal["datacheck/diff/2"] = Field(default=SCHEMA, alias="schema")
    datacheck: str
    contract: ContractEntry | None = None
    inputs: dict[str, str] = {}
    a: Side
    b: Side
    files: FileChanges
    rows: RowChanges
    lengths: tuple[LengthTable, ...]
    shares: tuple[Shares, ...]
    metrics: tuple[MetricLine, ...] = ()
    examples: tuple[Example, ...] = ()
    not_checked: tuple[Sentence, ...] = ()

    def to_json(self) -> str:
        """The bytes of diff.json."""
        return self.model_dump_json(by_alias=True, indent=1, exclude_none=True) + "\n"


# The words of this page, English and Chinese; those of the report are in `words`.
_PHRASES: dict[str, Phrase] = {
    "title": "What changed from A to B",
    "rows": "Rows",
    "identical": "same record in both",
    "copies_more": "more copies of records of A",
    "copies_fewer": "further copies of records of B",
    "same_text": "same text, other fields changed",
    "near_copies": "nearly the same text",
    "new": "new",
    "gone": "gone (or edited)",
    "of_b": ("B, {} row", "B, {} rows"),
    "of_a": ("A, {} row", "A, {} rows"),
    "files": "Files",
    "same": "unchanged",
    "changed": "changed",
    "came": "only in B",
    "went": "only in A",
    "lengths": "Lengths in characters",
    "mix": "Mix",
    "distance": "distance {} of 100 %",
    "others": "{} more in diff.json",
    "metrics": "Checks",
    "examples": "Examples of rows that are not in the other drop as they are",
    "kind_copy": "another copy",
    "kind_same_text": "same text",
    "kind_near_copy": "nearly",
    "kind_new": "new",
    "kind_gone": "gone",
    "label": "label",
    "languages": "languages of texts",
    "roles": "roles of messages",
    "formats": "formats of rows",
    "change": "change",
    "reports": "Reports",
    "record": "record",
    "prompt": "prompt",
    "response": "response",
    "chosen": "chosen",
    "rejected": "rejected",
    "text": "text",
}
_OF_B = ("identical", "copies_more", "same_text", "near_copies", "new")
_MOST = 8  # lines of a mix
_EXAMPLES = 2  # of each kind, on the terminal
_STEPS = ("p5", "p50", "p95", "max")  # on the terminal; the page has all


def _say(lang: Lang, phrase: str, *values: str) -> str:
    return told(_PHRASES[phrase], lang, *values)


def _mix_name(name: str, lang: Lang) -> str:
    kind, _, label = name.partition(" ")
    return _say(lang, kind) + (f" {label}" if label else "")


def _of_a(rows: RowChanges) -> dict[str, int]:
    return {
        "identical": rows.identical,
        "copies_fewer": rows.copies_fewer,
        "same_text": rows.same_text_before,
        "gone": rows.gone,
    }


def _of_b(rows: RowChanges) -> dict[str, int]:
    return {name: getattr(rows, name) for name in _OF_B}


def _percent(part: int, of: int, lang: Lang = "en") -> str:
    return show.percent(part / of, form=WORDS[lang].percent) if of else "–"


def _moved(line: Share, of: tuple[int, int]) -> str:
    """The change of a share in points of percent, with its sign."""
    if not all(of):
        return ""
    points = 100 * (line.b / of[1] - line.a / of[0])
    return f"{'+' if points > 0 else '−' if points < 0 else '±'}{show.number(abs(round(points, 2)))}"


def _growth(before: float | None, after: float | None) -> str:
    """By how many percent a number grew."""
    if not before or after is None:
        return ""
    grown = 100 * (after - before) / before
    return f"{'+' if grown > 0 else '−' if grown < 0 else '±'}{show.number(abs(round(grown, 1)))} %"


def _changed(line: MetricLine) -> bool:
    """Whether a number or its status is another one in B."""
    if line.a is None or line.b is None:
        return True
    return (line.a.value, line.a.count, line.a.status) != (line.b.value, line.b.count, line.b.status)


def _metric_name(line: MetricLine) -> str:
    value = line.b or line.a
    return f"{line.finding} {show.name_of(value)}" if value else line.finding


# --- terminal ---


def print_diff(diff: Diff, console: Console, lang: Lang = "en", *, folder: str | None = None) -> None:
    """Print what changed; `folder`: where the files were written."""
    screen = make_screen(console, WORDS[lang])
    words = screen.words
    screen.line(_say(lang, "title"), style="bold")
    for name, side in (("A", diff.a), ("B", diff.b)):
        shown = words.dataset_line.format(
            rows=show.number(side.rows), files=show.number(side.files), size=show.size(side.bytes)
        )
        bad = [words.unreadable_count.format(show.number(side.unreadable))] if side.unreadable else []
        screen.line(words.comma.join([f"{side.path}{words.colon}{shown}", *bad]), "bold", f"  {name}  ")
    _print_rows(screen, diff, lang)
    _print_files(screen, diff, lang)
    _print_lengths(screen, diff, lang)
    _print_mixes(screen, diff, lang)
    _print_metrics(screen, diff, lang)
    _print_examples(screen, diff, lang)
    if diff.not_checked:
        screen.heading(words.not_checked)
        for note in _told(diff, lang):
            screen.line(note, head="  - ", gutter="  | ")
    if folder is not None:
        screen.heading(_say(lang, "reports"))
        screen.line(f"{folder}/  diff.html, diff.json, rows/", head="  ")


def _told(diff: Diff, lang: Lang) -> list[str]:
    """What was not checked, in the language of the page."""
    return [note.said(lang) for note in diff.not_checked]


def _print_rows(screen: Screen, diff: Diff, lang: Lang) -> None:
    for head, counts, of in (("of_b", _of_b(diff.rows), diff.b.rows), ("of_a", _of_a(diff.rows), diff.a.rows)):
        screen.heading(f"{_say(lang, 'rows')}{screen.words.colon}{_say(lang, head, show.number(of))}")
        screen.table(
            [
                ("  ", "", _say(lang, name), f"{show.number(count)}  ({_percent(count, of, lang)})")
                for name, count in counts.items()
            ]
        )


def _print_files(screen: Screen, diff: Diff, lang: Lang) -> None:
    files = diff.files
    screen.heading(_say(lang, "files"))
    rows = [("  ", "", _say(lang, "same"), show.number(files.same))]
    for name in ("changed", "came", "went"):
        change: FileGroup = getattr(files, name)
        listed = screen.words.comma.join(change.first[:5]) + (" …" if change.count > 5 else "")
        said = f"{show.number(change.count)}{screen.words.colon}{listed}" if change.count else "0"
        rows.append(("  ", "", _say(lang, name), said))
    screen.table(rows)


def _print_lengths(screen: Screen, diff: Diff, lang: Lang) -> None:
    screen.heading(_say(lang, "lengths"))
    rows = []
    for lengths in diff.lengths:
        steps = {step.name: step for step in lengths.quantiles}
        said = [f"{name} {_arrow(steps[name].a, steps[name].b)}" for name in _STEPS]
        rows.append(("  ", "", _say(lang, lengths.side), screen.words.comma.join(said)))
    screen.table(rows)


def _arrow(before: float | None, after: float | None) -> str:
    return f"{show.number(before)} → {show.number(after)}" if before != after else f"{show.number(before)} ="


def _print_mixes(screen: Screen, diff: Diff, lang: Lang) -> None:
    form = screen.words.percent
    for mix in diff.shares:
        far = _say(lang, "distance", show.percent(mix.distance, form=form)) if mix.distance is not None else ""
        if not mix.lines:
            continue
        screen.heading(f"{_say(lang, 'mix')}{screen.words.colon}{_mix_name(mix.name, lang)}  {far}".rstrip())
        screen.table(
            [
                (
                    "  ",
                    "",
                    line.name,
                    " → ".join(_percent(n, of, lang) for n, of in zip((line.a, line.b), mix.of, strict=True))
                    + f"  ({_moved(line, mix.of)})",
                )
                for line in mix.lines[:_MOST]
            ]
        )
        if len(mix.lines) > _MOST:
            screen.line(_say(lang, "others", show.number(len(mix.lines) - _MOST)), head="  ")


def _print_metrics(screen: Screen, diff: Diff, lang: Lang) -> None:
    """Numbers that changed; those of slices are on the page."""
    words, marks = screen.words, screen.signs.marks
    if not diff.metrics:
        return
    screen.heading(_say(lang, "metrics"))
    whole = [line for line in diff.metrics if not (line.b or line.a or ValueEntry(name="", status=Status.INFO)).slice]
    changed = [line for line in whole if _changed(line)]
    rows = []
    for line in changed:
        status = line.b.status if line.b else Status.ERROR
        before, after = (show.amount(v, words) if v else "–" for v in (line.a, line.b))
        rows.append((f"  {marks[status]} ", STYLES[status], _metric_name(line), f"{before} → {after}"))
    screen.table(rows)
    same = len(whole) - len(changed)
    if same:
        screen.line(f"{_say(lang, 'same')}{words.colon}{show.number(same)}", head="  ")


def _print_examples(screen: Screen, diff: Diff, lang: Lang) -> None:
    if not diff.examples:
        return
    screen.heading(_say(lang, "examples"))
    for kind in dict.fromkeys(example.kind for example in diff.examples):
        for example in [e for e in diff.examples if e.kind == kind][:_EXAMPLES]:
            score = f"  {show.number(example.score)}" if example.score is not None else ""
            beside = f"  {screen.words.other}{screen.words.colon}{example.other}" if example.other else ""
            screen.line(f"{example.at}{beside}{score}", "blue", f"  {_say(lang, f'kind_{kind}')}{screen.words.colon}")
            if example.text:
                screen.line(example.text, head="   | ", gutter="   | ")


# --- page ---


def render_diff(diff: Diff, lang: Lang = "en") -> str:
    """The text of diff.html."""
    words = WORDS[lang]
    page = environment().get_template("diff.html.j2")
    return page.render(
        diff=diff,
        w=words,
        say=partial(_say, lang),
        parts=((_of_b(diff.rows), diff.b.rows, "of_b"), (_of_a(diff.rows), diff.a.rows, "of_a")),
        mix_name=partial(_mix_name, lang=lang),
        mix_chart=_mix_chart,
        size_chart=_size_chart,
        percent=partial(_percent, lang=lang),
        share=partial(show.percent, form=words.percent),
        not_checked=_told(diff, lang),
        moved=_moved,
        growth=_growth,
        number=show.number,
        size=show.size,
        amount=partial(show.amount, words=words),
        limits=partial(show.limits, words=words),
        metric_name=_metric_name,
        metrics=sorted(diff.metrics, key=lambda line: not _changed(line))[:500],
        changed=_changed,
    )


def _mix_chart(mix: Shares) -> Any:
    """Shares in percent, side by side."""
    lines = mix.lines[:12]
    sides = [
        [round(100 * getattr(line, side) / (of or 1), 2) for line in lines]
        for side, of in zip("ab", mix.of, strict=True)
    ]
    return charts.chart({"": [line.name for line in lines], "A %": sides[0], "B %": sides[1]}).svg


def _size_chart(lengths: LengthTable) -> Any:
    """Shares of rows by length."""
    labels = [f"≥ {show.number(low)}" for low, _, _ in lengths.sizes]
    sides = [[round(100 * bin_[at + 1] / (lengths.rows[at] or 1), 2) for bin_ in lengths.sizes] for at in (0, 1)]
    return charts.chart({"": labels, "A %": sides[0], "B %": sides[1]}).svg
