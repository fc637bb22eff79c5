"""A report as one HTML file: no request, one script of ours, and everything that comes from data is text.

Inert by construction: autoescape is on, data never stands in an attribute, invisible characters are written out by
`finalize`, and the page's own policy forbids requests, and scripts and styles but the two that it names by their hash.
All of it can be read without the script, which filters, sorts and unfolds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Lang, step_in, told
from datacheck.report import cards, charts, figures, sets, shape, show, strips
from datacheck.report.commands import commands, drop
from datacheck.report.pages import Whole, asset, environment
from datacheck.report.where import spread
from datacheck.verdict.model import DatasetEntry, Finding, Report, ValueEntry

FILE = "report.html"
LIMIT = 2 * 1000 * 1000  # bytes of the page
CAUSES = 3  # findings of the first screen


@dataclass(frozen=True)
class _Caps:
    """How much of everything is shown; the report.json always holds all of it."""

    datasets: int
    findings: int  # lines
    details: int  # of which open to their evidence
    values: int
    places: int
    figures: int
    settings: int
    files: int
    notes: int
    notes_each: int
    stays: int
    cards: bool


# Tried in this order until the page is small enough. The last one holds for any report: no piece of text takes more
# than 2.5 KB.
_CAPS = (
    _Caps(200, 2000, 100, values=60, places=20, figures=12, settings=100, files=60, notes=500, notes_each=50, stays=12,
          cards=True),
    _Caps(100, 2000, 100, values=20, places=3, figures=2, settings=20, files=20, notes=200, notes_each=10, stays=12,
          cards=False),
    _Caps(10, 150, 20, values=3, places=0, figures=0, settings=0, files=5, notes=50, notes_each=3, stays=3,
          cards=False),
)  # fmt: skip


def render(report: Report, lang: Lang = "en", run: Mapping[str, Any] | None = None) -> str:
    """The text of report.html, at most 2 MB in UTF-8.

    Args:
        report: what to show.
        lang: the language of our words; the cards stand in both.
        run: what run.json holds (times, host); shown as it is, nested names joined by dots. `folder` in it: where the
            evidence lies.

    """
    text, report = "", show.told(report, lang)
    for caps in _CAPS:
        text = _render(report, lang, run or {}, caps)
        if len(text.encode()) <= LIMIT:
            break
    return text


def _render(report: Report, lang: Lang, run: Mapping[str, Any], caps: _Caps) -> str:
    words = WORDS[lang]
    ranked = show.gravest(report)
    detailed = ranked[: caps.details]
    worst = [f for f in ranked if f.status in (Status.ERROR, Status.FAIL)] or ranked
    page = environment().get_template("report.html.j2")
    return page.render(
        report=report,
        w=words,
        show=show,
        cards=cards,
        charts=charts,
        figures=figures,
        sets=sets,
        told=told,
        other=WORDS["zh" if lang == "en" else "en"],
        caps=caps,
        style=asset("report.css"),
        script=asset("report.js"),
        causes=[f for f in worst[:CAUSES] if f.status in _OPENED],
        next=commands(report, run),
        line_of=_line,
        drop=partial(drop, run=run),
        spread=partial(spread, datasets=report.datasets, folder=run.get("folder"), words=words),
        shortened=caps is not _CAPS[0] or len(ranked) > caps.findings or len(report.datasets) > caps.datasets,
        limit=f"{LIMIT // 1_000_000} MB",
        findings=ranked[: caps.findings],
        at={finding.id: index for index, finding in enumerate(detailed, 1)},
        card_at=_cards(detailed, lang) if caps.cards else {},
        own_figures=_own_figures,
        self_tests=[test for f in detailed if (test := _self_test(f)).drawn] if caps.figures else [],
        missing=[n for n in dict.fromkeys(f.dataset for f in report.findings) if n not in report.datasets],
        run=_flat({key: value for key, value in run.items() if key not in ("steps", "typed", "folder")})[:100],
        steps=[(step_in(step, lang), cost) for step, cost in _costs(run).items()][:100],
        formats=lambda dataset: show.formats(f.formats for f in dataset.files),
        files=partial(_files, most=caps.files),
        values=partial(_values, most=caps.values),
        strip_rows=strips.strip_rows,
        funnel=lambda steps: charts.funnel([(words.funnel_steps.get(s, s), n) for s, n in steps], "−{}"),
        opened=_OPENED,
        cell=_cell,
    )


_OPENED = (Status.WARN, Status.FAIL, Status.ERROR)


def _line(command: str) -> str:
    return Whole(shape.visible(command, 4000))


def _cards(findings: Sequence[Finding], lang: Lang) -> dict[str, int]:
    """The checks that have a card, in the order of their names, numbered."""
    checks = sorted({finding.check for finding in findings})
    return {check: at for at, check in enumerate((c for c in checks if cards.card(c, lang)), 1)}


class _SelfTest(NamedTuple):
    """What a finding says of how well the check finds on these rows what it is made for."""

    finding: Finding
    values: list[ValueEntry]
    drawn: list[tuple[str, dict[str, list[Any]]]]


def _self_test(finding: Finding) -> _SelfTest:
    drawn = [(name, table) for name, table in finding.figures.items() if name in figures.SELF_TESTS]
    return _SelfTest(finding, [v for v in finding.values if v.name == "planted_recall"], drawn)


def _own_figures(finding: Finding) -> list[tuple[str, dict[str, list[Any]]]]:
    """The figures about the data that are drawn."""
    told = (*sets.FIGURES, *figures.SELF_TESTS)
    return [(name, table) for name, table in finding.figures.items() if name not in told]


def _costs(run: Mapping[str, Any]) -> dict[str, str]:
    """Step → what it cost (`steps` of run.json), the slowest first."""
    steps = run.get("steps")
    known = steps if isinstance(steps, Mapping) else {}
    slowest = sorted(known.items(), key=lambda entry: -entry[1]["seconds"])
    return {key: f"{cost['seconds']:.2f} s · {cost['cpu']:.2f} s · {cost['mb']} MB" for key, cost in slowest}


def _cell(value: Any) -> str:
    """One cell of a figure's table."""
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return show.number(value) if numeric or value is None else str(value)


def _values(finding: Finding, most: int) -> list[Any]:
    """The numbers of a finding, what is out of order first."""
    order = list(reversed(Status))
    ranked = sorted(finding.values, key=lambda v: (bool(v.slice), order.index(v.status)))
    return ranked[:most]


def _files(dataset: DatasetEntry, most: int) -> list[Any]:
    """The files of a dataset, damaged ones first."""
    return sorted(dataset.files, key=lambda f: f.unreadable == 0)[:most]


def _flat(run: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in run.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{name}.")
        elif isinstance(value, list | tuple):
            pairs.append((name, ", ".join(map(str, value))))
        else:
            pairs.append((name, show.number(value) if isinstance(value, float) else str(value)))
    return pairs
