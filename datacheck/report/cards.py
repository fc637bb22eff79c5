"""The card of a check in parts, and Markdown as safe HTML.

The Markdown is a small subset: paragraphs, lists, fenced code, `code` and **bold**. Everything is escaped first, so a
card of a user's own check cannot put a tag into a report.
"""

import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape
from pydantic import ValidationError

from datacheck.check import Check, Metric, card_of
from datacheck.contract import discover
from datacheck.errors import CheckAuthorError
from datacheck.i18n.message import Message
from datacheck.i18n.words import Lang

_HEADING = re.compile(r"#{1,3}\s+(.+?)\s*#*")
_BOLD_HEADING = re.compile(r"\*\*(现象|根因|排查|修复|验证)\*\*\s*[:：]?\s*(.*)")
_FENCE = re.compile(r"(`{3,})[\w+-]*\s*")
_ITEM = re.compile(r"(?:[-*+]|(\d{1,3})[.)、])\s+(.*)")
_CODE = re.compile(r"(`+)(.+?)\1")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_SENTENCE = re.compile(r".+?(?:[。！？]|[.!?](?=\s+[A-Z`\"]|\s*$))", re.DOTALL)
_WIDE_BREAK = re.compile(
    r"(?<=[\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e]) (?=[\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e])"
)
_TERSE = 32  # characters of an English sentence that needs the next one
_ROLES = {"why": ("Why it matters", "现象"), "fix": ("How to fix", "修复"), "verify": ("How to verify", "验证")}
_REASONS: Mapping[Lang, str] = {"en": "Why these default limits", "zh": "默认限值的理由"}


@dataclass(frozen=True)
class Section:
    """One part of a card: a heading and Markdown."""

    heading: str
    text: str


@dataclass(frozen=True)
class Card:
    """What there is to know about a check, in one language."""

    title: str
    sections: tuple[Section, ...]

    def section(self, role: str) -> str:
        """The text of a section by its role ("why", "fix" or "verify"), whatever the language; "" if it is missing."""
        return next((s.text for s in self.sections if s.heading in _ROLES[role]), "")


def card(check: str, lang: Lang) -> Card | None:
    """The card of a check; None where the check cannot be imported (any more) or says nothing in that language."""
    found = _check(check)
    if found is None:
        return None
    text, why = card_of(found, lang), reasons(found, lang)
    if not text:
        return None
    parsed = parse_card(text)
    return replace(parsed, sections=(*parsed.sections, why)) if why else parsed


def reasons(kind: type[Check], lang: Lang) -> Section | None:
    """Why the default limits of a check are what they are, as a list; None where it has none, or gives no reason."""
    lines = [
        f"- `{name}` ({default_limit(metric)}): {Message(metric.why).said(lang)}"
        for name, metric in kind.metrics.items()
        if metric.why
    ]
    return Section(_REASONS[lang], "\n".join(lines)) if lines else None


def default_limit(metric: Metric) -> str:
    """The default bounds as a contract writes them: "max 0.03, warn_max 0.01"."""
    bounds = metric.limit.bounds
    return ", ".join(f"{bound} {value:g}" for bound, value in bounds.items()) if bounds else "no limit"


def what(check: str, metric: str, lang: Lang = "en") -> str | None:
    """The sentence by which a check explains one of its numbers; None where the check is not known."""
    found = _check(check)
    declared = found.metrics.get(metric) if found else None
    return Message(declared.what).said(lang) if declared else None


def thresholds(check: str, settings: Mapping[str, Any]) -> Mapping[str, Sequence[float]]:
    """What a check with these settings wants drawn into its figures; nothing where they are of another version."""
    found = _check(check)
    try:
        return found.model_validate({**settings, "check": check}).thresholds() if found else {}
    except ValidationError:
        return {}


def _check(name: str) -> type[Check] | None:
    try:
        return discover.check_class(name)
    except (KeyError, CheckAuthorError, ImportError, SyntaxError):
        return None  # the report may be older than the folder of checks


@lru_cache(256)  # a report reads the same card for every dataset
def parse_card(text: str) -> Card:
    """Cut a card into its title (what stands before the first heading) and its sections."""
    title: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    fenced = False
    for line in inspect.cleandoc(text).splitlines():
        heading, rest = (None, line) if fenced else _heading(line)
        fenced ^= _FENCE.fullmatch(line.strip()) is not None
        if heading and not title and not sections and line.startswith("# "):
            title.append(heading)
        elif heading:
            sections.append((heading, [rest]))
        else:
            (sections[-1][1] if sections else title).append(line)
    first, _, lead = "\n".join(title).strip().partition("\n\n")
    body = [Section(heading, "\n".join(lines).strip()) for heading, lines in sections]
    if lead.strip():
        body.insert(0, Section("", lead.strip()))
    return Card(_joined(first.splitlines()), tuple(body))


def _heading(line: str) -> tuple[str | None, str]:
    """A heading and what follows it on its line: `## How to fix`, or `**修复**：…` in a Chinese card."""
    if match := _HEADING.fullmatch(line):
        return match[1], ""
    if match := _BOLD_HEADING.fullmatch(line.strip()):
        return match[1], match[2]
    return None, line


def plain(markdown: str) -> str:
    """One line of words: no fences, bullets, backticks or stars."""
    lines = [line.strip() for line in re.sub(r"`{3,}.*?`{3,}", " ", markdown, flags=re.DOTALL).splitlines()]
    words = _joined([match[2] if (match := _ITEM.fullmatch(line)) else line for line in lines if line])
    return _BOLD.sub(r"\1", words).replace("`", "")


def _joined(lines: list[str]) -> str:
    """One line of several: with a blank between, but none between Chinese characters."""
    text = " ".join(line.strip() for line in lines)
    return _WIDE_BREAK.sub("", text)


def first_sentence(markdown: str) -> str:
    """The first sentence of the first paragraph or list item, in plain words; and the next where it says little."""
    paragraph = re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,3}[.)、])\s)", markdown.strip(), maxsplit=1)[0]
    words = plain(paragraph)
    match = _SENTENCE.match(words)
    if match and len(match[0]) < _TERSE and match[0].isascii():  # "refusal: read twenty."
        match = _SENTENCE.match(words, match.end()) or match
    return words[: match.end()] if match else words


def advice(markdown: str, problems: Iterable[str]) -> str:
    """What a section says of the first of `problems` that it names; its first sentence where it names none."""
    items = re.split(r"\n(?=\s*(?:[-*+]|\d{1,3}[.)、])\s)", "\n" + markdown.strip())
    for problem in problems:
        for item in items:
            at = item.find(f"`{problem}`")
            if at >= 0:
                before = [sentence.end() for sentence in _SENTENCE.finditer(item) if sentence.end() <= at]
                return first_sentence(item[before[-1] if before else 0 :])
    return first_sentence(markdown)


def to_html(markdown: str) -> Markup:
    """Render the subset as HTML; whatever else stands in the text comes out as the characters that it is."""
    html: list[str] = []
    lines = markdown.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line:
            at += 1
        elif fence := _FENCE.fullmatch(line):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == fence[1]), len(lines))
            html.append(f"<pre><code>{escape(textwrap.dedent(chr(10).join(lines[at + 1 : end])))}</code></pre>")
            at = end + 1
        elif _ITEM.fullmatch(line):
            at, rendered = _list(lines, at)
            html.append(rendered)
        else:
            end = next((i for i in range(at + 1, len(lines)) if _starts_block(lines[i])), len(lines))
            html.append(f"<p>{_inline(_joined(lines[at:end]))}</p>")
            at = end
    return Markup("\n".join(html))  # noqa: S704 - every piece above was escaped


def _starts_block(line: str) -> bool:
    stripped = line.strip()
    return not stripped or _FENCE.fullmatch(stripped) is not None or _ITEM.fullmatch(stripped) is not None


def _list(lines: list[str], at: int) -> tuple[int, str]:
    """Take the list that begins at `at`; indented or plain lines below an item belong to it."""
    first = _ITEM.fullmatch(lines[at].strip())
    tag = "ol" if first and first[1] else "ul"
    items: list[str] = []
    while at < len(lines) and lines[at].strip() and not _FENCE.fullmatch(lines[at].strip()):
        if item := _ITEM.fullmatch(lines[at].strip()):
            items.append(item[2])
        else:
            items[-1] = _joined([items[-1], lines[at]])
        at += 1
    return at, f"<{tag}>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + f"</{tag}>"


def _inline(text: str) -> str:
    """Code spans as they are, bold outside of them; all of it escaped."""
    pieces: list[str] = []
    at = 0
    for match in _CODE.finditer(text):
        pieces += [_bold(text[at : match.start()]), f"<code>{escape(match[2].strip())}</code>"]
        at = match.end()
    return "".join([*pieces, _bold(text[at:])])


def inline(text: str) -> Markup:
    """One line of Markdown as HTML, in the same subset."""
    return Markup(_inline(text))  # noqa: S704 - escaped piece by piece


def _bold(text: str) -> str:
    return _BOLD.sub(r"<strong>\1</strong>", str(escape(text)))
