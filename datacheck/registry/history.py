"""The ledger in words: `datacheck history`, and what `publish` and `rescan` say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from datacheck.files.versions import shown
from datacheck.gate.ledger import Entry, Head
from datacheck.i18n.words import WORDS, Lang, Phrase, told
from datacheck.report.screen import STYLES, Screen, make_screen
from datacheck.status import Status

if TYPE_CHECKING:
    from datacheck.registry.publish import Outcome

_PHRASES: dict[str, Phrase] = {
    "whole": ("{} entry, the chain is whole", "{} entries, the chain is whole"),
    "none": "nothing is recorded of this",
    "files": ("{} file", "{} files"),
    "strict": "strict",
    "verdict": "verdict {}",
    "publish": "PUBLISHED in {}",
    "quarantine": "put into quarantine",
    "revoke": "REVOKED",
    "rescan": "asked again: stands",
    "migrate": "lifted to version {} of the registry",
    "expired": "ERASED, too old",
    "forgotten": "ERASED, it held what is to be forgotten",
    "waiver": "WAIVED",
    "claim": "taken by {}",
    "interrupted": "interrupted, nothing decided",
    "undecided": "asked again: nobody can say",
    "published": "published",
    "quarantined": "NOT published, put into quarantine",
    "revoked": "REVOKED",
    "not_decided": "NOT published: nobody can say",
    "stopped": "interrupted, nothing published",
    "known": "answered from the ledger",
    "report": "report",
    "why": "reason",
    "entry": "entry {}",
}
_MARKS = {
    **dict.fromkeys(("publish", "rescan"), Status.PASS),
    **dict.fromkeys(("quarantine", "revoke"), Status.FAIL),
    **dict.fromkeys(("interrupted", "undecided"), Status.ERROR),
    "waiver": Status.WARN,
}
_STATUS = {
    "published": (Status.PASS, "published"),
    "quarantined": (Status.FAIL, "quarantined"),
    "revoked": (Status.FAIL, "revoked"),
    "undecided": (Status.ERROR, "not_decided"),
    "interrupted": (Status.ERROR, "stopped"),
}


def _say(lang: Lang, phrase: str, *values: object) -> str:
    return told(_PHRASES[phrase], lang, *values)


def history_json(entries: Sequence[Entry], head: Head) -> str:
    """The entries as JSON, with the head that the chain was verified up to."""
    listed = [{**entry._asdict(), "payload": entry.facts} for entry in entries]
    value: dict[str, Any] = {"schema": "datacheck/history/1", "head": head._asdict(), "entries": listed}
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def print_history(entries: Sequence[Entry], head: Head, console: Console, lang: Lang) -> None:
    """Print entries in their order; the chain was verified before."""
    screen = make_screen(console, WORDS[lang])
    width = len(str(head.seq))
    for entry in entries:
        status = mark_of(entry)
        mark = f"{screen.signs.marks[status]} {entry.seq:>{width}}  "
        screen.line(words_of(entry, lang), STYLES[status], mark, f"{entry.time[:16].replace('T', ' ')}Z  ")
    if not entries:
        screen.line(_say(lang, "none"))
    screen.line(_say(lang, "whole", head.seq), "bold", head.hash[:12], "  ")


def mark_of(entry: Entry) -> Status:
    """How good an entry is."""
    return Status(entry.facts["verdict"]) if entry.kind == "verdict" else _MARKS.get(entry.kind, Status.INFO)


def words_of(entry: Entry, lang: Lang) -> str:
    """An entry in a line: the version, what was decided, why."""
    facts, number = entry.facts, entry.version.removeprefix("sha256:")[:12]
    if entry.kind == "verdict":
        words = [_say(lang, "verdict", facts["verdict"].upper()), entry.contract, _say(lang, "files", facts["files"])]
        words += [_say(lang, "strict")] if facts["strict"] else []
        words += [facts["given"]] if facts.get("given") else []
    else:
        what = {"publish": facts.get("channel"), "claim": facts.get("owner"), "migrate": facts.get("to")}.get(
            entry.kind, ""
        )
        phrase = facts.get("why", "") if entry.kind == "erase" else entry.kind
        words = [_say(lang, phrase, what) if phrase in _PHRASES else entry.kind]
        words += [str(facts[key]) for key in ("waived", "reason") if facts.get(key)]
    return f"{number}  {shown(WORDS[lang].semicolon.join(words))}"  # nine digits of an id are no telephone number


def print_outcome(found: Outcome, console: Console, lang: Lang) -> None:
    """Print what became of a drop: loudly where it is not published, or only by a waiver."""
    screen = make_screen(console, WORDS[lang])
    status, phrase = _STATUS[found.status]
    told = [_say(lang, phrase), found.version.removeprefix("sha256:")[:12], _say(lang, "entry", found.seq)]
    told += [_say(lang, "known")] if found.known else []
    screen.line(WORDS[lang].semicolon.join(told), STYLES[status], f"{screen.signs.marks[status]} ")
    for waiver in found.waived:
        screen.line(waiver, STYLES[Status.WARN], f"{screen.signs.marks[Status.WARN]} {_say(lang, 'waiver')} ")
    for decision in found.idle:
        screen.line(decision.said(lang), STYLES[Status.WARN], f"{screen.signs.marks[Status.WARN]} ")
    if found.reason and not found.waived:
        screen.line(found.reason, head="  ", label=f"{_say(lang, 'why')}{WORDS[lang].colon}")
    _where(screen, found, lang)


def _where(screen: Screen, found: Outcome, lang: Lang) -> None:
    report = found.path / "_report" / "report.html"
    screen.line(shown(found.path), head="  ")
    if report.exists():
        screen.line(shown(report), head="  ", label=f"{_say(lang, 'report')}{WORDS[lang].colon}")
