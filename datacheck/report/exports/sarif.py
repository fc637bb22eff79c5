"""SARIF 2.1.0, for code scanning and editors: a result for each of the first places of a finding.

What passed is no result. Texts of data can be no link and no placeholder (SARIF 2.1.0, 3.11.5 and 3.11.6).
"""

import json
import os
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from datacheck.check import Status
from datacheck.i18n.message import Message
from datacheck.i18n.words import WORDS, Lang, Words
from datacheck.loading.codes import CODES
from datacheck.report import cards, places, shape, show
from datacheck.report.places import Finished
from datacheck.verdict.model import Finding, Report

FILE = "report.sarif"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Status.ERROR: "error", Status.FAIL: "error", Status.WARN: "warning", Status.INFO: "note"}


def render(finished: Finished, lang: Lang = "en") -> str:
    """The text of report.sarif."""
    words, report = WORDS[lang], show.told(finished.report, lang)
    rules: dict[str, dict[str, Any]] = {}
    results: list[dict[str, Any]] = []
    for finding in show.worst_first(report):
        if finding.status in _LEVELS:
            results += _results(finding, finished, words, rules)
    driver = {"name": "datacheck", "version": report.datacheck, "language": lang, "rules": list(rules.values())}
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(report)],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1) + "\n"


def _invocation(report: Report) -> dict[str, Any]:
    """Whether the run came to its end; what stopped it."""
    said = [{"level": "error", "message": {"text": _text(str(report.reason))}}] if report.reason else []
    return {"executionSuccessful": not said and bool(report.findings), "toolExecutionNotifications": said}


def _results(
    finding: Finding, finished: Finished, words: Words, rules: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for told in places.told(finding, finished, words):
        problem = told.place.problem if told.place else ""
        rule = rules.setdefault(told.rule, _rule(told.rule, finding.check, problem, words.lang))
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(told.path)}}
        physical |= {"region": {"startLine": told.line}} if told.line else {}
        named = [{"fullyQualifiedName": shape.visible(told.at)}]
        yield {
            "ruleId": rule["id"],
            "ruleIndex": list(rules).index(told.rule),
            "level": _LEVELS[finding.status],
            "message": {"text": _text(told.message)},
            "locations": [{"physicalLocation": physical, "logicalLocations": named}],
            "partialFingerprints": {"datacheck/v1": told.fingerprint},
            "properties": {"finding": shape.visible(finding.id)},
        }


def _rule(rule: str, check: str, problem: str, lang: Lang) -> dict[str, Any]:
    """What the card of the check says; of a code of bad lines what is known of it."""
    card, code = cards.card(check, lang), CODES.get(problem)
    if code:
        title, why, fix = (Message(part).said(lang) for part in (code.title, code.why, code.fix))
    elif card:
        title, why, fix = card.title, card.section("why"), card.section("fix")
    else:
        return {"id": shape.visible(rule)}
    said = {"shortDescription": title, "fullDescription": why or title, "help": fix}
    return {"id": shape.visible(rule)} | {name: {"text": _text(text)} for name, text in said.items() if text}


def _uri(path: str) -> str:
    """A path as a URI reference, percent-encoded; an address stays one."""
    encoded = quote(path.replace(os.sep, "/"), safe="/:" if "://" in path else "/", errors="surrogatepass")
    return f"file://{encoded}" if PurePath(path).is_absolute() else encoded


def _text(text: str) -> str:
    r"""Plain text of a message: no link (``](`` makes one), no placeholder (braces are doubled)."""
    lines = [shape.visible(line, 4000).replace("](", "]\\u{28}") for line in text.splitlines()]
    return "\n".join(lines).replace("{", "{{").replace("}", "}}") or "–"
