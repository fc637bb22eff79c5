"""A report on the terminal: verdict, data, findings, one block per finding that needs work, what was not checked.

Every line begins with our own words or signs, never with data, and data is never markup: a line of a data set cannot
colour the terminal, move its cursor or speak to a CI system that reads commands from the output.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Lang, Words, told
from datacheck.report import cards, sets, shape, show
from datacheck.report.cards import Card
from datacheck.report.commands import commands
from datacheck.report.faces import faces
from datacheck.report.screen import STYLES, Screen, make_screen
from datacheck.verdict.model import Finding, Place, Report, ValueEntry

FIRST_PLACES = 3
_VALUES = 5  # numbers in one block
_CLUSTER = 60  # cells of the text of a cluster


def print_report(
    report: Report, console: Console, lang: Lang = "en", *, folder: str | None = None, quiet: bool = False
) -> None:
    """Print a report.

    Args:
        report: what to print.
        console: any rich console; its encoding and width are respected, colours only where it has them.
        lang: the language of our words.
        folder: where the report files were written, for the last line.
        quiet: only the verdict and one line per finding that is not a pass.

    """
    words, report = WORDS[lang], show.told(report, lang)
    screen = make_screen(console, words)
    _header(screen, report)
    if quiet:
        _table(screen, [f for f in show.worst_first(report) if f.status not in (Status.PASS, Status.INFO)])
        return
    _datasets(screen, report)
    if report.findings:
        screen.heading(words.findings)
        _table(screen, show.worst_first(report))
        if show.all_read(report):
            screen.line(words.read_all, head="  ")
    _sets(screen, report)
    said: set[tuple[str, str]] = set()
    for finding in show.worst_first(report):
        if finding.status in (Status.PASS, Status.INFO) or (finding.dataset, str(finding.error)) in said:
            continue  # one cause that stopped many checks is told once; the table lists them all
        if _follows(report, finding):
            continue
        if finding.error and not finding.evidence.lines:
            said.add((finding.dataset, str(finding.error)))
        _block(screen, finding, cards.card(finding.check, lang), show.codes(finding, lang))
    _funnel(screen, report)
    _not_checked(screen, report)
    if folder is not None:
        _next(screen, report, Path(folder))
        screen.heading(words.reports)
        written = [name for name in faces() if (Path(folder) / name).is_file()]
        screen.line(f"{folder}/  {', '.join([*written, 'report.json'])}", head="  ")
        if report.verdict is not Status.PASS:  # the first lines have left the screen
            screen.line()
            _verdict(screen, report)


def _next(screen: Screen, report: Report, folder: Path) -> None:
    """The command that takes away what can be taken away, as on the page; nothing where no row can be blamed."""
    try:
        run = json.loads((folder / "run.json").read_bytes())
    except (OSError, ValueError):
        return
    todo, words = commands(report, run), screen.words
    if not todo.apply:
        return
    screen.heading(words.next_steps)
    screen.line(told(words.mend, words.lang, show.number(todo.gone), show.number(todo.rows)), head="  ")
    screen.command(todo.apply)
    if todo.redact:
        screen.line(words.mend_redact.format(todo.redact), head="  ")


def _follows(report: Report, finding: Finding) -> bool:
    """Whether nothing was measured because no row could be read, which another finding of the dataset explains."""
    known = report.datasets.get(finding.dataset)
    if finding.status is not Status.ERROR or known is None or known.rows:
        return False
    return any(f.dataset == finding.dataset and f.status is Status.FAIL for f in report.findings)


def _header(screen: Screen, report: Report) -> None:
    words, contract = screen.words, report.contract
    screen.line(
        f"{contract.name} {words.version} {contract.version}{words.comma}datacheck {report.datacheck}",
        head=f"{words.contract} ",
    )
    _verdict(screen, report)
    counts = [words.tallies[status].format(count) for status, count in show.tally(report).items()]
    total = told(words.checks, words.lang, show.number(len(report.findings))) if report.findings else words.not_started
    screen.line(total + (words.colon + words.comma.join(counts) if counts else ""), head="  ")
    if report.baseline is not None:
        said = words.semicolon.join(show.baseline_counts(report, words))
        screen.line(said, STYLES[Status.WARN], f"  {words.baseline}{words.colon}")
    for line in show.decision_lines(report, words):
        screen.line(line, STYLES[Status.WARN], f"  {words.decisions}{words.colon}")


def _verdict(screen: Screen, report: Report) -> None:
    words = screen.words
    mark, word = screen.signs.marks[report.verdict], words.statuses[report.verdict].upper()
    meaning = show.headline(report, words)
    code = words.exit_code.format(report.exit_code)
    reason = f"{words.semicolon}{report.reason}" if report.reason else ""
    screen.line(f"{words.aside.format(meaning, code)}{reason}", STYLES[report.verdict], f"{mark} {word}  ")


def _datasets(screen: Screen, report: Report) -> None:
    words = screen.words
    screen.heading(words.datasets)
    names = list(dict.fromkeys([*report.datasets, *(f.dataset for f in report.findings)]))
    shown_names = {name: screen.short(name, 24) for name in names}
    pad = max((cell_len(shown) for shown in shown_names.values()), default=0)
    heads = {name: f"  {shown}{' ' * (pad - cell_len(shown))}  " for name, shown in shown_names.items()}
    for name, dataset in report.datasets.items():
        shown = words.dataset_line.format(
            rows=show.number(dataset.rows),
            files=show.number(len(dataset.files)),
            size=show.size(sum(f.bytes for f in dataset.files)),
        )
        unreadable = sum(f.unreadable for f in dataset.files)
        counted = show.formats(f.formats for f in dataset.files)
        extra = [words.unreadable_count.format(show.number(unreadable))] if unreadable else []
        kinds = [f"{kind} {show.number(rows)}" for kind, rows in counted.items()]
        lines = [words.comma.join([shown, *extra]), words.comma.join(kinds) or words.unknown_format]
        screen.line(words.semicolon.join(lines), "bold", heads[name])
    for name in names:
        if name not in report.datasets:
            screen.line(words.not_loaded, "bold magenta", heads[name])


def _table(screen: Screen, findings: Sequence[Finding]) -> None:
    """One line per finding: mark and word, id, the number that decided; what many could not do is said once."""
    words, marks = screen.words, screen.signs.marks
    width = max(cell_len(word) for word in words.statuses.values())
    padded = {status: word + " " * (width - cell_len(word)) for status, word in words.statuses.items()}
    last, rows = "", []
    for f in findings:
        said = show.summary(f, words)
        again = f.status is Status.ERROR and said == last and len(said) > len(words.as_above)
        rows.append(
            (f"  {marks[f.status]} {padded[f.status]}  ", STYLES[f.status], f.id, words.as_above if again else said)
        )
        last = said
    screen.table(rows)


def _sets(screen: Screen, report: Report) -> None:
    """A line for each evaluation set that was compared with, and what is known of its files."""
    told = {finding.id: lines for finding in report.findings if (lines := list(sets.told(finding, screen.words)))}
    if told:
        screen.heading(screen.words.sets)
    for finding, lines in told.items():
        if len(told) > 1:
            screen.line(f"  {finding}")
        for line in lines:
            screen.line(line, head="  - ", gutter="  | ")


def _block(screen: Screen, finding: Finding, card: Card | None, codes: Sequence[show.CodeLine]) -> None:
    """One finding in the manner of rustc: level and code, numbers, places, why, fix, more."""
    screen.line()
    _head(screen, finding)
    if codes:
        for code in codes:
            _code(screen, finding, code)
    else:
        for place in finding.evidence.first[:FIRST_PLACES]:
            _place(screen, place)
        _after_places(screen, finding)
        _clusters(screen, finding)
        if card and finding.status is not Status.ERROR:  # the card speaks of the data, an error of the run
            _advice(screen, finding, card)
    screen.line(f"datacheck explain {finding.check}", "bold", f"  = {screen.words.more}{screen.words.colon}")


def _head(screen: Screen, finding: Finding) -> None:
    """Level and code, the numbers, what was not covered, and what the baseline has instead."""
    words = screen.words
    numbers = [f"{show.name_of(v)} {v_line}" for v, v_line in _numbers(finding, words)]
    own = screen.short(finding.id.partition(".")[2] or finding.check, screen.width // 2 - 6)
    first, *rest = numbers or [str(finding.error or words.nothing_measured)]
    head = f"{words.statuses[finding.status]}[{own}] "
    screen.line(f"{finding.dataset}{words.colon}{first}", STYLES[finding.status], head, gutter="  | ")
    for line in rest:
        screen.line(line, head="  | ")
    if finding.error and numbers:
        screen.line(str(finding.error), head="  | ", gutter="  | ")
    if any(entry.unread for entry in (finding.coverage or {}).values()):
        for line in show.coverage(finding, words):
            screen.line(line, head="  | ", gutter="  | ")
    if finding.baseline is not None:
        said = words.semicolon.join(show.baseline_lines(finding, words))
        screen.line(said, STYLES[Status.WARN], f"  = {words.baseline}{words.colon}")


def _advice(screen: Screen, finding: Finding, card: Card) -> None:
    """Why it matters, and what to do."""
    words = screen.words
    notes = {
        words.why: cards.first_sentence(card.section("why")),
        words.fix: cards.advice(card.section("fix"), show.faults(finding)),
    }
    for word, sentence in notes.items():
        if sentence:
            screen.line(sentence, "bold", f"  = {word}{words.colon}")


def _code(screen: Screen, finding: Finding, code: show.CodeLine) -> None:
    """One code of unreadable lines: a thousand equal errors are one block with a count."""
    words = screen.words
    screen.line(
        words.aside.format(code.title, show.number(code.count)), "bold", f"  {code.code}{words.colon}", gutter="    "
    )
    for place in [p for p in finding.evidence.first if p.problem == code.code][:FIRST_PLACES]:
        _place(screen, place)
    screen.line(code.why, head=f"  = {words.why}{words.colon}")
    screen.line(code.fix, head=f"  = {words.fix}{words.colon}")


def _numbers(finding: Finding, words: Words) -> list[tuple[ValueEntry, str]]:
    """The numbers that are not in order, the whole dataset before slices."""
    order = list(reversed(Status))
    bad = [v for v in finding.values if v.status not in (Status.PASS, Status.INFO)]
    ranked = sorted(bad, key=lambda v: (order.index(v.status), bool(v.slice)))[:_VALUES]
    return [(v, words.comma.join(filter(None, [show.amount(v, words), show.limits(v, words)]))) for v in ranked]


def _place(screen: Screen, place: Place) -> None:
    where = f"  {place.where}" if place.where else ""
    problem = f"  {place.problem}" if place.problem else ""
    screen.line(f"{place.at}{where}{problem}", "blue", " --> ", gutter="   | ")
    words = screen.words
    compared = f"{words.other}{words.colon}{place.other}" if place.other else ""
    score = f"{words.score}{words.colon}{show.number(place.score)}" if place.score is not None else ""
    texts = show.marked(place.compared.pieces) if place.compared and place.compared.differs else ""
    for line in filter(None, [show.words_of(place), texts, "  ".join(filter(None, [compared, score]))]):
        screen.line(line, head="   | ", gutter="   | ")


def _clusters(screen: Screen, finding: Finding) -> None:
    """The largest clusters: how many rows, and where the one stands that the others repeat."""
    words = screen.words
    for cluster in show.clusters(finding)[:FIRST_PLACES]:
        head = words.cluster.format(show.number(cluster.size))
        text = f"“{shape.shorten(cluster.text, _CLUSTER)}”" if cluster.text else ""
        screen.line(" ".join(filter(None, [cluster.at, text])), "bold", f"  = {head}{words.colon}", gutter="   | ")


def _after_places(screen: Screen, finding: Finding) -> None:
    """How many places there are in all, and the notes that narrow the finding."""
    words, evidence = screen.words, finding.evidence
    listed = min(len(evidence.first), FIRST_PLACES)
    if any(place.compared and place.compared.differs for place in evidence.first[:listed]):
        marks = [("other", words.only_other), ("both", "  "), ("here", words.only_here)]
        screen.line(show.marked(marks), "dim", "   | ", gutter="   | ")
    if evidence.lines > listed:
        kinds = [f"{kind} {show.number(count)}" for kind, count in evidence.problems.items()]
        shown = words.first_places.format(n=listed, total=show.number(evidence.lines))
        screen.line(words.semicolon.join([shown, *kinds[:_VALUES]]), head="   | ", gutter="   | ")
    if finding.incomplete:
        screen.line(words.incomplete, "yellow", "   | ", gutter="   | ")


def _funnel(screen: Screen, report: Report) -> None:
    words = screen.words
    drawn = {name: steps for name, steps in report.funnel.items() if steps}
    if not drawn:
        return
    screen.heading(words.funnel)
    widest = min(24, screen.width // 3)
    names = {step: words.funnel_steps.get(step, step) for steps in drawn.values() for step, _ in steps}
    labels = {step: screen.short(name, widest) for step, name in names.items()}
    label_width = max(cell_len(label) for label in labels.values())
    most = max(count for steps in drawn.values() for _, count in steps)
    digits = len(show.number(most))
    room = max(min(screen.width - label_width - 2 * digits - 10, 40), 1)
    for name, steps in drawn.items():
        screen.line(head=f"  {screen.short(name, screen.width - 2)}", style="bold")
        before, whole = None, max(count for _, count in steps) or 1
        for step, count in steps:
            label = labels[step]
            filled = room * count // whole
            bar = screen.signs.full * filled + screen.signs.empty * (room - filled)
            lost = f"  -{show.number(before - count)}" if before is not None and before > count else ""
            pad = " " * (label_width - cell_len(label))
            screen.line(head=f"    {label}{pad} {show.number(count):>{digits}} {bar}{lost}")
            before = count


def _not_checked(screen: Screen, report: Report) -> None:
    words = screen.words
    notes = show.notes(report, words)
    screen.heading(words.not_checked)
    for ids, note in notes:
        screen.line(f"{ids}{words.colon}{note}" if ids else note, head="  - ", gutter="  | ")
    if not notes:
        screen.line(words.everything_checked, head="  ")
