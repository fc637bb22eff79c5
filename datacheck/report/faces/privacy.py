"""What the check pii found, as one page for who has to answer for it: an auditor, a data protection officer.

Kinds by law, how many different values and rows, what the rules miss, what was let through and by whom, and what was
not looked at. No value stands in it, masked or not. A report without that check has no such page.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from datacheck.i18n.words import WORDS, Lang, Phrase, told
from datacheck.pii.categories import category
from datacheck.pii.policy import CLASSES, REGIONS
from datacheck.report import figures, show
from datacheck.report.pages import environment
from datacheck.text.proportions import missed_at_most
from datacheck.verdict.model import Finding, Report, ValueEntry

FILE = "pii.html"
_CHECK = "pii"

_PHRASES: dict[str, Phrase] = {
    "title": "Personal data and secrets",
    "kinds": "What was found",
    "entity": "kind",
    "level": "counts as",
    "state": "state",
    "hits": "places",
    "values": "different values",
    "rows": "rows",
    "pipl": "PIPL art. 28",
    "gdpr": "GDPR",
    "sensitive": "sensitive",
    "personal": "personal",
    "not personal": "not personal",
    "none": "nothing was found",
    "classes": "By class",
    "class": "class",
    "share": "share of rows",
    "private": "of persons",
    "secret": "keys and passwords",
    "public": "of institutions",
    "specimen": "known from documentation",
    "missed": "What may be missed",
    "missed_why": "Identifiers made up by datacheck were planted into copies of these rows and looked for; the bound "
    "holds with 95 % confidence for identifiers in plain form.",
    "planted": "planted",
    "found": "found",
    "bound": "missed at most",
    "review": "How much of what people wrote is missed only people can tell: draw rows that nothing flagged, let them "
    "be read, and count.",
    "decisions": "Decisions",
    "decided": "what may stay",
    "owner": "decided by",
    "reason": "reason",
    "until": "until",
    "no_decision": "nothing was let through",
    "policy": "Policy",
    "digest": "SHA-256 of the version and of all settings of the check; equal digests, equal rules",
    "law": "Sorted after PIPL art. 28 with GB/T 35273-2020 annex B, and GDPR art. 4 (1), 9 and 87: a first sorting, no "
    "legal advice.",
}


class _Audit(NamedTuple):
    """A finding of the check, put in order."""

    finding: Finding
    kinds: list[Mapping[str, Any]]
    classes: list[tuple[str, list[ValueEntry]]]
    planted: list[tuple[str, int, int, float]]
    allowed: list[Mapping[str, Any]]
    settings: list[tuple[str, str]]
    digest: str


def render(report: Report, lang: Lang = "en", run: Mapping[str, Any] | None = None) -> str:
    """The text of pii.html; empty where the check did not run."""
    audits = [_audit(finding, report) for finding in report.findings if finding.check == _CHECK and finding.values]
    if not audits:
        return ""
    page = environment().get_template("pii.html.j2")
    return page.render(
        report=show.told(report, lang),
        audits=audits,
        w=WORDS[lang],
        show=show,
        say=lambda name: told(_PHRASES[name], lang),
        known=_PHRASES,
        category=category,
        started=str((run or {}).get("started", "")),
        word_of=lambda column, name: figures.word_of(column, name, lang),
        notes=lambda finding: [each.said(lang) for each in finding.not_checked],
    )


def _audit(finding: Finding, report: Report) -> _Audit:
    planted = [(p["entity"], p["plants"], p["found"]) for p in _lines(finding, "planted")]
    regions = finding.settings.get("regions", ())
    every = {**finding.settings, "regions": "all" if regions == "all" else ", ".join(sorted({*REGIONS, *regions}))}
    settings = {name: value for name, value in every.items() if name != "allow" and value not in (None, {})}
    policy = json.dumps([report.datacheck, finding.settings], sort_keys=True, ensure_ascii=False)
    return _Audit(
        finding,
        [kind for kind in _lines(finding, "entities") if kind["level"] != "off"],
        [(name, [_value(finding, f"class_{of}", name) for of in ("hits", "values", "rows")]) for name in CLASSES],
        [(entity, plants, found, missed_at_most(found, plants)) for entity, plants, found in planted],
        list(finding.settings.get("allow") or ()),
        [(name, json.dumps(value, ensure_ascii=False).strip('"')) for name, value in settings.items()],
        hashlib.sha256(policy.encode()).hexdigest(),
    )


def _value(finding: Finding, metric: str, name: str) -> ValueEntry:
    return next(v for v in finding.values if v.name == metric and v.slice == {"class": name})


def _lines(finding: Finding, figure: str) -> Iterator[Mapping[str, Any]]:
    """The lines of a figure, each by its columns."""
    table = finding.figures.get(figure) or {}
    for line in zip(*table.values(), strict=True):
        yield dict(zip(table, line, strict=True))
