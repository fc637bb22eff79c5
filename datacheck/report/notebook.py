"""A report as a cell of a notebook shows it: the verdict, and a line for each finding that is not a pass.

No style sheet and no script: notebooks have their own, and run no script of what they did not compute themselves.
"""

from markupsafe import Markup

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Lang, told
from datacheck.report import shape, show
from datacheck.verdict.model import Report

_MOST = 100  # findings; the page has them all


def render(report: Report, lang: Lang = "en") -> str:
    """HTML in which everything that comes from data is text."""
    words, report = WORDS[lang], show.told(report, lang)
    head = f"{words.statuses[report.verdict]}{words.colon}{show.headline(report, words)}"
    counts = [words.tallies[status].format(count) for status, count in show.tally(report).items()]
    about = [f"{words.contract} {report.contract.name} {words.version} {report.contract.version}"]
    about += [words.comma.join(counts) or words.not_started, words.exit_code.format(report.exit_code)]
    ranked = [finding for finding in show.gravest(report) if finding.status is not Status.PASS]
    rows = Markup().join(
        Markup("<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>").format(
            words.statuses[finding.status],
            shape.visible(finding.id),
            shape.visible(show.summary(finding, words)),
            told(words.hits if finding.evidence.rows else words.hit_places, lang, show.number(show.hits(finding)))
            if show.hits(finding)
            else "",
        )
        for finding in ranked[:_MOST]
    )
    lines = [Markup("<p><b>{}</b></p>").format(head), _line(str(report.reason)) if report.reason else Markup()]
    lines += [_line(words.semicolon.join(about)), Markup("<table>{}</table>").format(rows) if rows else Markup()]
    lines += [_line(words.and_others.format(len(ranked) - _MOST)) if len(ranked) > _MOST else Markup()]
    return str(Markup("<div>{}</div>").format(Markup().join(lines)))


def _line(text: str) -> Markup:
    return Markup("<p>{}</p>").format(shape.visible(text, 2 * shape.TEXT_LIMIT))
