"""The one way by which user data is ever shown. No polars, no Presidio."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

from datacheck.pii.matching.compiled import matches, possible
from datacheck.pii.matching.expressions import SEPARATOR
from datacheck.pii.normalise import Folded, fold
from datacheck.pii.numerals import CHINESE_NUMERALS
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import span

Mode = Literal["redacted", "masked", "full"]

_DIGITS = (  # five or more, however they are set apart; or a short dotted quad
    rf"[0-9](?:{SEPARATOR}{{0,3}}[0-9]){{4,}}(?:{SEPARATOR}?[Xx](?![A-Za-z]))?|(?:[0-9]\.){{3}}[0-9]",
    rf"[{CHINESE_NUMERALS}](?:[ .\-]?[0-9{CHINESE_NUMERALS}]){{6,}}",
)
# What no recognizer names but nobody wants to read in a report: labelled passwords, long random tokens.
_OTHER = (
    (
        r"(?i:(?<=password)|(?<=passwd)|(?<=secret)|(?<=token)|(?<=api_key)|(?<=apikey))"
        r"[\"']?\s?[:=：]\s?[\"']?[!-~]{4,128}"
        r"|(?:(?<=密码)|(?<=口令)|(?<=密钥))[是为]?\s?[:=：]?\s?[!-~]{4,128}"
    ),
    r"(?<![0-9A-Za-z_])[0-9A-Za-z_]{32,}",
)
_EXTENTS = {entity: recognizer.extents for entity, recognizer in RECOGNIZERS.items() if recognizer.extents}
# Each by itself: in one alternation a match of one kind could swallow the first half of another.
HIDDEN = {
    each: kind for kind, expressions in {**_EXTENTS, "other": _OTHER, "digits": _DIGITS}.items() for each in expressions
}
_EVERY = tuple(HIDDEN)
_CORE = re.compile(r"\A\[[^\[\]]+\]\{0,[0-9]+\}(.+)\Z|\(\?P<value>(\[[^\[\]]+\]\{[1-9][0-9],[0-9]*\})\)\Z", re.DOTALL)
CORES = {each: found[1] or found[2] for each in HIDDEN if (found := _CORE.search(each))}
"""What stands behind a beginning that may be missing, or a value of ten characters and more behind one of many words.

Where it is not found, the whole, which takes long, is not.
"""
# A value that begins in the shown part is recognised if its first thousand characters follow.
_LOOKAHEAD, _EXPANSION = 1024, 4

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
_KNOWN = 8192  # characters whose form is kept
# A right-to-left override in each spelling, and a zero-width space as long, so that no position moves.
_SPACES = {"\u202e": "\u200b", r"\u202e": r"\u200b", "&#8238;": "&#8203;", "&#x202e;": "&#x200b;"}
_OVERRIDE = re.compile("|".join(map(re.escape, _SPACES)), re.IGNORECASE)
_HAN = ("CJK UNIFIED", "CJK COMPAT", "IDEOGRAPHIC NUMBER")


def mask(entity: str, value: str) -> str:
    """Return the form of an identifier that may be shown (138****8000). KeyError for an unknown entity."""
    return RECOGNIZERS[entity].mask(fold(value).text)


def excerpt(text: str, mode: Mode = "redacted", limit: int = 200, start: int = 0) -> str:
    r"""Return at most `limit` characters of `text` from `start` on (then …) that are safe to show.

    redacted: e-mail addresses, secrets, long tokens and runs of five or more digits are masked.
    masked: only the shape stays (letters x, Han 文, digits 0). full: the text. In every mode control, format,
    surrogate, private, unassigned and separator characters and Hangul fillers are written as ``\u{…}``.
    Give the whole text, not a slice: a value cut in two is not recognised. A value that begins before `start` and
    reaches beyond it is shown masked, as a whole. Time depends on `limit` only.
    """
    # A mask may be shorter than what it hides: then there is room for more of the text.
    for end in (start + limit, start + limit * _EXPANSION):
        shown, length = _cut(_pieces(text, mode, start, end), limit)
        if length >= limit or end >= len(text):
            break
    return ("…" if start else "") + shown + ("…" if length > limit or end < len(text) else "")


def _pieces(text: str, mode: Mode, start: int, end: int) -> Iterator[str]:
    """The stretch of a text as it may be shown."""
    if mode == "redacted":
        first = max(0, start - _LOOKAHEAD)
        yield from _redacted(text[first : end + _LOOKAHEAD], start - first, min(end, len(text)) - first)
    else:
        yield _shape(text[start:end]) if mode == "masked" else text[start:end]


def hidden(text: str) -> list[tuple[int, int]]:
    """Return the spans (start, end exclusive) that `excerpt` masks by default, in order; for texts shown in pieces."""
    return [(start, end) for start, end, _ in _hidden_spans(text)]


def visible(text: str) -> str:
    r"""Write characters that are invisible or steer the display as ``\u{…}``."""
    return text if text.isascii() and text.isprintable() else text.translate(_forms())


class _Forms(dict[int, str]):
    """A `str.translate` table of some characters, filled as they are met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        hidden = unicodedata.category(char) in _INVISIBLE or char in _FILLERS
        form = f"\\u{{{code:x}}}" if hidden else char
        if len(self) < _KNOWN:  # a hostile text has all that there are
            self[code] = form
        return form


_forms = cache(_Forms)


def _cut(pieces: Iterator[str], limit: int) -> tuple[str, int]:
    """Whole visible characters up to `limit`, and how many there are; more than `limit` where some were cut off."""
    out: list[str] = []
    length = 0
    for piece in pieces:
        if len(piece) <= limit - length and visible(piece) == piece:
            out.append(piece)
            length += len(piece)
            continue
        for char in piece:
            form = visible(char)
            length += len(form)
            if length > limit:
                return "".join(out), length
            out.append(form)
    return "".join(out), length


def _redacted(window: str, at: int, shown: int) -> Iterator[str]:
    """Yield the window from `at` up to `shown`, values masked as a whole even where they reach beyond it."""
    for start, end, kind in _hidden_spans(window):
        if end <= at:
            continue
        if start >= shown:
            break
        yield window[at:start]
        yield _stars(fold(window[start:end]).text, kind)
        at = end
    yield window[at:shown]


@lru_cache(maxsize=1)  # of a short text the stretch is the same when more of it is asked for
def _hidden_spans(window: str) -> list[tuple[int, int, str]]:
    """Spans to hide, from the folded window and from the window as written, united and in order."""
    folded = fold(window)
    views = [folded] if folded.text == window else [folded, Folded(window, None)]
    if _OVERRIDE.search(window):  # nobody knows whether what stands behind it was turned around, or merely disguised
        views.append(fold(_OVERRIDE.sub(lambda found: _SPACES[found[0].lower()], window)))
    found = {
        (*view.span(*span(match)), HIDDEN[each])
        for view in views
        for each in possible(_EVERY, view.text)
        if each not in CORES or any(matches(CORES[each], view.text))
        for match in matches(each, view.text)
    }
    united: list[tuple[int, int, str]] = []
    for each in sorted(found):
        if united and each[0] < united[-1][1]:
            united[-1] = _union(united[-1], each)
        else:
            united.append(each)
    return united


def _union(one: tuple[int, int, str], two: tuple[int, int, str]) -> tuple[int, int, str]:
    """Two spans that overlap; unless one holds the other, only nothing at all is safe to show."""
    if one[1] >= two[1]:
        return one
    return one[0], two[1], two[2] if one[0] == two[0] else "other"


def _stars(value: str, kind: str) -> str:
    """Mask one hidden, folded value: digits in place, identifiers by their rule, anything else completely."""
    if kind == "digits":
        return "".join("*" if char.isalnum() else char for char in value)
    return RECOGNIZERS[kind].mask(value) if kind in _EXTENTS else "****"


def _shape(text: str) -> str:
    return "".join(map(_shape_of, text))


def _shape_of(char: str) -> str:
    category = unicodedata.category(char)
    if category[0] == "N" and not _is_han(char):
        return "0"
    if char.isascii() or category in _INVISIBLE or char in _FILLERS:  # the latter are made visible later
        return "x" if char.isalpha() else char
    if category[0] in "LMN":
        return "文" if _is_han(char) else "x"
    return {"P": char, "Z": " "}.get(category[0], "?")


def _is_han(char: str) -> bool:
    return unicodedata.name(char, "").startswith(_HAN)
