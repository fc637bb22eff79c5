"""A report as GitHub-flavoured Markdown, for pull requests and step summaries.

Whatever comes from data stands in a code span that it cannot leave: no backtick, no pipe, no line break. Nothing is
linked, mentioned or rendered inside of one.
"""

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Lang, Words, told
from datacheck.report import cards, sets, shape, show
from datacheck.verdict.model import Finding, Place, Report, ValueEntry

FILE = "report.md"
_MARKS = {Status.PASS: "✅", Status.INFO: "ℹ️", Status.WARN: "⚠️", Status.FAIL: "❌", Status.ERROR: "⛔"}
_PLACES = 10
_CLUSTERS = 5
_MOST = 60_000  # characters; GitHub refuses comments of more than 65,536


def render(report: Report, lang: Lang = "en", _run: object = None) -> str:
    """The text of report.md; details are left out, the last findings first, where it would be too long."""
    words, report = WORDS[lang], show.told(report, lang)
    head = [*_header(report, words), *_datasets(report, words), *_findings(report, words), *_sets(report, words)]
    details = [_details(f, words) for f in show.worst_first(report) if f.status not in (Status.PASS, Status.INFO)]
    tail = _not_checked(report, words)
    room = _MOST - sum(len(line) + 1 for line in (*head, *tail))
    kept: list[str] = []
    for lines in details:
        room -= sum(len(line) + 1 for line in lines)
        if room < 0:
            kept += ["", f"*{words.too_long.format(size='64 KiB')}*"]
            break
        kept += lines
    return _cut("\n".join([*head, *kept, *tail]), words) + "\n"


def _cut(text: str, words: Words) -> str:
    """Cut at a line's end; only thousands of findings or notes come this far."""
    if len(text) <= _MOST:
        return text
    return text[:_MOST].rpartition("\n")[0] + f"\n\n*{words.too_long.format(size='64 KiB')}*"


def code(text: str | None) -> str:
    """A code span that holds data and cannot be broken by it; – for nothing."""
    if not text or not text.strip():
        return "–"
    shown = shape.visible(text).replace("`", "\\u{60}").replace("|", "\\u{7c}")
    return f"`{shown.strip()}`"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _table(*heads: str) -> list[str]:
    return ["", _row(*heads), _row(*("---" for _ in heads))]


def _header(report: Report, words: Words) -> list[str]:
    mark, word = _MARKS[report.verdict], words.statuses[report.verdict]
    counts = [words.tallies[status].format(count) for status, count in show.tally(report).items()]
    total = told(words.checks, words.lang, show.number(len(report.findings))) if report.findings else words.not_started
    about = [
        f"{words.contract} {code(report.contract.name)} {words.version} {code(str(report.contract.version))}",
        f"{total}{words.colon if counts else ''}{words.comma.join(counts)}",
        words.exit_code.format(report.exit_code),
    ]
    lines = [f"## {mark} {word}{words.colon}{show.headline(report, words)}", "", words.semicolon.join(about)]
    if report.baseline is not None:
        said = words.semicolon.join(code(line) for line in show.baseline_counts(report, words))
        lines += ["", f"**{words.baseline}**{words.colon}{said}"]
    decided = show.decision_lines(report, words)
    lines += ["", f"**{words.decisions}**", "", *(f"- {code(line)}" for line in decided)] if decided else []
    return [*lines, "", f"**{code(str(report.reason))}**"] if report.reason else lines


def _datasets(report: Report, words: Words) -> list[str]:
    kept = {name: steps[-1][1] for name, steps in report.funnel.items() if steps}
    heads = (words.dataset, words.rows, words.funnel_steps["kept"], words.files, words.unreadable, words.formats)
    lines = _table(*heads)
    for name, dataset in report.datasets.items():
        counted = show.formats(f.formats for f in dataset.files)
        unreadable = sum(f.unreadable for f in dataset.files)
        cells = [show.number(n) for n in (dataset.rows, kept.get(name), len(dataset.files), unreadable)]
        lines.append(_row(code(name), *cells, code(", ".join(f"{k} {show.number(n)}" for k, n in counted.items()))))
    return lines if report.datasets else []


def _findings(report: Report, words: Words) -> list[str]:
    lines = _table(words.status, words.finding, words.numbers)
    for finding in show.worst_first(report):
        status = f"{_MARKS[finding.status]} {words.statuses[finding.status]}"
        lines.append(_row(status, code(finding.id), code(show.summary(finding, words))))
    return lines if report.findings else []


def _sets(report: Report, words: Words) -> list[str]:
    told = [(finding, found) for finding in report.findings if (found := sets.table(finding, words))]
    lines = ["", f"### {words.sets}"] if told else []
    for finding, (heads, rows) in told:
        lines += [*_table(*heads), *(_row(*map(code, row)) for row in rows)]
        lines += ["", *(f"- {code(line)}" for line in sets.lines(finding, words))]
    return lines


def _details(finding: Finding, words: Words) -> list[str]:
    status = f"{_MARKS[finding.status]} {words.statuses[finding.status]}"
    lines = ["", f"### {status} {code(finding.id)}", ""]
    lines += [f"- {code(str(finding.error))}"] if finding.error else []
    for value in finding.values:
        if value.status not in (Status.PASS, Status.INFO):
            lines.append(f"- {code(show.name_of(value))} {show.amount(value, words)}{_limit(value, words)}")
    lines += [f"- {words.baseline}{words.colon}{code(line)}" for line in show.baseline_lines(finding, words)]
    lines += [f"- {code(line)}" for line in show.coverage(finding, words)]
    lines += [f"- {words.incomplete}"] if finding.incomplete else []
    lines += _places(finding, words)
    listed = show.clusters(finding)[:_CLUSTERS]
    named = ((words.cluster.format(show.number(each.size)), code(each.at), code(each.text)) for each in listed)
    lines += ["" for _ in listed[:1]] + [f"- {size}{words.colon}{at} {text}" for size, at, text in named]
    card = cards.card(finding.check, words.lang)
    for role, word in (("why", words.why), ("fix", words.fix)):
        sentence = cards.first_sentence(card.section(role)) if card else ""
        if sentence:
            lines += ["", f"**{word}**{words.colon}{_prose(sentence)}"]
    return [*lines, "", f"{words.more}{words.colon}{code('datacheck explain ' + finding.check)}"]


def _limit(value: ValueEntry, words: Words) -> str:
    limits = show.limits(value, words)
    return words.semicolon + limits if limits else ""


def _prose(text: str) -> str:
    """A sentence of a card: every ASCII sign as a numeric entity, since a user's own check may have written it."""
    return "".join(c if c.isalnum() or c == " " or ord(c) > 127 else f"&#{ord(c)};" for c in shape.visible(text, 2000))


def _places(finding: Finding, words: Words) -> list[str]:
    first, total = finding.evidence.first[:_PLACES], finding.evidence.lines
    if not first:
        return []
    lines = _table(words.place, words.where, words.problem, words.shown, words.other)
    for place in first:
        at = f"{place.at} (id {place.id})" if place.id else place.at
        cells = (at, place.where, place.problem, show.words_of(place), place.other)
        lines.append(_row(*(code(cell) for cell in cells)))
    if total > len(first):
        lines += ["", words.first_places.format(n=len(first), total=show.number(total))]
    return lines + [line for place in first if place.compared and place.compared.differs for line in _diff(place)]


def _diff(place: Place) -> list[str]:
    """Both texts of a place as a block that GitHub colours; data can neither end a line of it nor the block."""
    sides = (("other", "-", place.other or ""), ("here", "+", place.at))
    heads = [f"{sign * 3} {_in_block(at)}".rstrip() for _, sign, at in sides]
    return ["", "```diff", *heads, *(f"{s} {_in_block(show.marked(show.side(place, n)))}" for n, s, _ in sides), "```"]


def _in_block(text: str) -> str:
    return shape.visible(text, 2 * shape.TEXT_LIMIT).replace("`", "\\u{60}")


def _not_checked(report: Report, words: Words) -> list[str]:
    notes = [f"{code(ids)} {code(note)}" if ids else code(note) for ids, note in show.notes(report, words)]
    shown = [f"- {note}" for note in notes] or [words.everything_checked]
    return ["", f"### {words.not_checked}", "", *shown]
