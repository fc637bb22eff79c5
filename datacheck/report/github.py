"""GitHub Actions annotations (`--format github`): one workflow command per line.

Escaping follows the toolkit (`@actions/core`, command.ts): % CR LF in messages; these and : , in properties. Text from
the data (details) is left out: annotations are read by people and by agents far from the report.
"""

from collections.abc import Collection, Mapping

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Lang, Words
from datacheck.report import places, shape, show
from datacheck.verdict.model import Finding, Place, Report

PLACES = 3
_LEVELS = {Status.WARN: "warning", Status.FAIL: "error", Status.ERROR: "error"}


def github_lines(report: Report, lang: Lang = "en", roots: Mapping[str, str] | None = None) -> list[str]:
    """Annotations for the first places of every finding that is not a pass, then one for the verdict.

    Args:
        report: what to say.
        lang: the language of our words.
        roots: per dataset the path of its files from the root of the repository; without it "dataset/file" is named.

    """
    words = WORDS[lang]
    lines: list[str] = []
    for finding in show.worst_first(report):
        if finding.status in _LEVELS:
            first = finding.evidence.first[:PLACES] or (None,)
            files = places.files_of(report, finding.dataset)
            lines += [_annotation(finding, place, words, files, roots or {}) for place in first]
    level = "notice" if report.exit_code == 0 else "error"
    said = f"{words.statuses[report.verdict]}{words.colon}{show.headline(report, words)}"
    return [*lines, f"::{level} title={_property('datacheck ' + report.contract.name)}::{_message(said)}"]


def _annotation(
    finding: Finding, place: Place | None, words: Words, files: Collection[str], roots: Mapping[str, str]
) -> str:
    about = [f"{place.problem} {place.where or ''}".strip()] if place else []
    said = words.semicolon.join([*about, show.summary(finding, words)])
    title = f"{words.statuses[finding.status]} {finding.id}"
    properties = [*_file(finding.dataset, place, files, roots), f"title={_property(title)}"]
    return f"::{_LEVELS[finding.status]} {','.join(properties)}::{_message(said)}"


def _file(dataset: str, place: Place | None, files: Collection[str], roots: Mapping[str, str]) -> list[str]:
    """The properties `file` and `line`; none where a place names no file."""
    found = places.at(dataset, place, files) if place else None
    if found is None:
        return []
    path = places.path(roots.get(dataset, dataset), found.file, files)
    return [f"file={_property(path)}", *([f"line={found.line}"] if found.line is not None else [])]


def _message(text: str) -> str:
    return shape.visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
