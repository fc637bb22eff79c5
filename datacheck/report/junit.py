"""A report as JUnit XML, for CI systems: a testsuite per dataset, a testcase per finding.

`fail` is a failure, `error` an error; `warn` is a failure only where the run is strict; what passed with a note says it
in system-out. No times: the bytes are the same for the same report.
"""

import xml.etree.ElementTree as ET

from datacheck.check import Status
from datacheck.i18n.words import WORDS, Lang, Words
from datacheck.report import shape, show
from datacheck.verdict.model import Finding, Report, is_known

_PLACES = 20


def render_junit(report: Report, lang: Lang = "en") -> str:
    r"""The text of junit.xml; characters that XML 1.0 cannot hold are written as ``\u{…}``."""
    words = WORDS[lang]
    root = ET.Element("testsuites", name=_safe(report.contract.name))
    for name in dict.fromkeys(finding.dataset for finding in report.findings):
        _suite(root, name, [f for f in report.findings if f.dataset == name], report, words)
    if report.reason or not report.findings:
        _run_suite(root, report, words)
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, name: str, findings: list[Finding], report: Report, words: Words) -> None:
    suite = ET.SubElement(root, "testsuite", name=_safe(name), tests=str(len(findings)))
    for finding in findings:
        own = finding.id.removeprefix(f"{name}.")
        case = ET.SubElement(suite, "testcase", classname=f"datacheck.{_safe(name)}", name=_safe(own), time="0")
        _outcome(case, finding, words, strict=report.strict)
    suite.set("failures", str(len(suite.findall("*/failure"))))
    suite.set("errors", str(len(suite.findall("*/error"))))


def _outcome(case: ET.Element, finding: Finding, words: Words, *, strict: bool) -> None:
    failing = (Status.FAIL, Status.WARN) if strict and not is_known(finding) else (Status.FAIL,)
    if finding.status is Status.ERROR or finding.status in failing:
        kind = "error" if finding.status is Status.ERROR else "failure"
        element = ET.SubElement(case, kind, message=_safe(show.summary(finding, words)), type=_safe(finding.check))
        element.text = _body(finding, words)
    elif finding.status is not Status.PASS or finding.not_checked or finding.incomplete:
        ET.SubElement(case, "system-out").text = _body(finding, words)


def _run_suite(root: ET.Element, report: Report, words: Words) -> None:
    """What stopped the whole run, so that a file without findings never looks green."""
    suite = ET.SubElement(root, "testsuite", name="datacheck", tests="1", failures="0", errors="1")
    case = ET.SubElement(suite, "testcase", classname="datacheck", name="run", time="0")
    said = str(report.reason or words.not_started)
    ET.SubElement(case, "error", message=_safe(said), type="run").text = _safe(show.headline(report, words))


def _body(finding: Finding, words: Words) -> str:
    lines = [f"{words.statuses[finding.status]}{words.colon}{show.summary(finding, words)}"]
    lines += [f"{show.name_of(v)}{words.colon}{show.amount(v, words)} {show.limits(v, words)}" for v in finding.values]
    lines += [str(finding.error)] if finding.error else []
    lines += [f"{words.baseline}{words.colon}{line}" for line in show.baseline_lines(finding, words)]
    for place in finding.evidence.first[:_PLACES]:
        other = f"{words.other}{words.colon}{place.other}" if place.other else None
        parts = [place.at, place.where, place.problem, place.detail, other]
        lines.append("  ".join(str(part) for part in parts if part))
    if finding.evidence.lines > _PLACES:
        lines.append(words.first_places.format(n=_PLACES, total=show.number(finding.evidence.lines)))
    lines += show.coverage(finding, words)
    lines += [words.incomplete] if finding.incomplete else []
    lines += [f"{words.not_checked}{words.colon}{note}" for note in finding.not_checked]
    return "\n".join(_safe(line).rstrip() for line in lines)


def _safe(text: str) -> str:
    return shape.visible(text, 2 * shape.TEXT_LIMIT)
