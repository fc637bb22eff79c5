r"""An offset-keeping normaliser: disguised characters become ASCII, every position leads back.

What it undoes: decimal digits of every script, circled, superscript and mathematical digits, fullwidth
letters and signs (at, dot, hyphen, plus, low line, slash), invisible characters (Cf, Mn, Me, controls, Hangul
fillers), runs of seven or more Chinese numerals or English ones (two one three …), one level of ``\uXXXX`` (nested
JSON), ``&#NN;`` or %31%33 (digits of a URL), text that runs backwards because of a right-to-left override, base64
(RFC 4648) of a text with a long number in it, and the letters l, I, O and o in the digits of a number that has the form
or the check digit of one (l38O0138ooo).
"""

import base64
import binascii
import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from datacheck.pii.dictated import LOW_LINE, signs_within
from datacheck.pii.numerals import CHINESE_NUMERALS, DIGIT_OF

# A deliberately short list: ，：（） stay: to fold every Chinese sentence would cost time for nothing.
_FOLDED_PUNCTUATION = frozenset("@.-+_/")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_WHITE_CONTROLS = frozenset("\t\n\v\f\r")
_TO_DIGITS = str.maketrans(DIGIT_OF)
_BEGUN_BY_ONE = frozenset("直下共样定起般些个次旦切并同致律再")  # 一直, 一下, 一共 …

# … or of a mobile number the three groups, as they are said: 幺三八，二二三三，五五六六
_ANY = f"[0-9{CHINESE_NUMERALS}]"
_RUN = re.compile(
    rf"{_ANY}(?:[ .\-]?{_ANY}){{6,}}(?:[(（]{_ANY}[)）])?"
    rf"|(?<!{_ANY})[1一壹幺][3-9三四五六七八九叁參肆伍陆陸柒捌玖]{_ANY}"
    rf"(?P<sign>[,，、。/杠]|[ ]?[,，、。/…~～]{{1,2}}[ ]?)"
    rf"{_ANY}{{4}}(?P=sign){_ANY}{{4}}(?!{_ANY})"
)
_HAS_NUMERAL = re.compile(f"[{CHINESE_NUMERALS}]")
# Digits as they are said in English; both for Python and for Rust.
_ENGLISH = {
    word: str(digit)
    for digit, words in enumerate("zero/oh one two three four five six seven eight nine".split())
    for word in words.split("/")
}
_WORDS = "|".join(_ENGLISH)
ENGLISH_DIGIT = f"(?i:{_WORDS})"
_ENGLISH_RUN = re.compile(rf"(?<![A-Za-z]){ENGLISH_DIGIT}(?:(?:[ ]?[-,.]?[ ]|[-\n]){ENGLISH_DIGIT}){{6,}}(?![A-Za-z])")
_ENGLISH_WORD = re.compile(ENGLISH_DIGIT)
_HAS_ENGLISH = rf"(?:{ENGLISH_DIGIT}[ ,.\n\-]{{1,3}}){{2}}{ENGLISH_DIGIT}[ ,.\n\-]"  # a sieve
_ENGLISH_SIEVE = re.compile(rf"(?:{_WORDS})[ ,.\n\-]{{1,3}}(?:{_WORDS})[ ,.\n\-]")  # of small letters: thrice as fast
# JSON inside JSON that is quoted in a text has a backslash more at each level.
_BACKSLASHES = r"\\{1,4}"
_HIGH_ESCAPE = rf"{_BACKSLASHES}u[dD][89abAB][0-9a-fA-F]{{2}}"
_LOW_ESCAPE = rf"{_BACKSLASHES}u[dD][c-fC-F][0-9a-fA-F]{{2}}"
SHORT_ESCAPE = r"\\{1,2}[nrtbf]"  # twice in the arguments of a call, which are JSON in the JSON of the call
# … but behind the folder of all users a name begins: C:\\Users\\nadia
_NO_FOLDER = r"(?<!Users)(?<!users)(?<!Users\\)(?<!users\\)"
_ESCAPE = re.compile(
    rf"{_HIGH_ESCAPE}{_LOW_ESCAPE}|{_BACKSLASHES}u[0-9a-fA-F]{{4}}|{_NO_FOLDER}{SHORT_ESCAPE}|&#[0-9]{{1,7}};|&#[xX][0-9a-fA-F]{{1,6}};"
    # digits as a URL may write them, one beside the other: %31%33%38
    r"|%3[0-9](?=%3[0-9])|(?<=%3[0-9])%(?:3[0-9]|[57]8)"
)
_SHORT_ESCAPES = {"\\n": "\n", "\\r": "\n", "\\t": "\t", "\\b": " ", "\\f": " "}
PERCENT = "(?:%[0-9A-Fa-f]{2})"
_PERCENT = re.compile(f"{PERCENT}+")
_MAX_CODE_POINT = 0x10FFFF
_ESCAPED_OVERRIDE = re.compile(r"\\u202[eE]|&#(?:8238|[xX]202[eE]);")
_OVERRIDDEN = re.compile("\u202e([^\u202c\n]*)\u202c?")

# Letters written for digits. Eleven characters of that form are no word; more must have a right check digit.
_LOOKALIKES = str.maketrans("lIOo", "1100")
_LETTERED = re.compile(
    r"(?<![A-Za-z0-9])(?:[1lI][3-9][0-9lIoO]{9}|62[0-9lIoO]{14}(?:[0-9lIoO]{3})?|[1-8][0-9lIoO]{16}[0-9lIoOXx])"
    r"(?![A-Za-z0-9])"
)
_FEWEST_DIGITS, _MOBILE, _RESIDENT = 5, 11, 18
_LETTER_IN_DIGITS = (
    r"1[3-9][0-9]{0,7}[lIoO][0-9lIoO]|1[3-9][0-9]{8}[lIoO]|[lI][3-9][0-9lIoO]{5}|[1-8][lIoO][0-9lIoO]{6}"
    r"|[1-8][0-9]{1,15}[lIoO][0-9lIoO]{2}|[1-8][0-9]{13,16}[lIoO]"
)
# Base64 writes three digits as four characters of these kinds, wherever a number of eleven digits begins.
_BASE64_DIGITS = r"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){3}"
_BASE64 = re.compile(  # but no part of a token with points, as a JWT is: the whole says what it is
    rf"(?<![A-Za-z0-9+/_\-.])[A-Za-z0-9+/_\-]*{_BASE64_DIGITS}[A-Za-z0-9+/_\-]*+={{0,2}}(?![.][A-Za-z0-9])"
)
_HOLDS_BASE64 = re.compile(_BASE64_DIGITS)
_LONGEST_BASE64 = 4096  # characters; what is longer is a file

# Rust regex: a superset of the texts in which folding can uncover something (see tests/pii/test_normalise.py,
# which compares it with `fold` over every code point). Short escapes (\n) need no place here: they hide no
# character, they only touch a boundary, and candidates are always folded.
NEEDS_FOLDING = (
    r"[[\p{Nd}\p{No}]--[0-9]]|[\p{Cf}\p{M}\x00-\x08\x0e-\x1f\x7f-\u009f\u115f\u1160\u3164\uffa0\u2800]"
    r"|[\p{Lm}ªº\u017f\u2024\u207a\u208a\u2100-\u218f\u24b6-\u24e9\ufb29\ufe33-\ufe6b＋－．／＠＿Ａ-Ｚａ-ｚ]"
    r"|[\U0001d400-\U0001d7ff\U0001f100-\U0001f1ff\U0001ccd6-\U0001ccef]"
    r"|\\u[0-9a-fA-F]{4}|&#[0-9xX]|%3[0-9]%(?:3[0-9]|[57]8)|[0-9]{2}\\{1,2}[nr][0-9]{2}"
    rf"|[{CHINESE_NUMERALS}](?:[ .\-]?[0-9{CHINESE_NUMERALS}]){{3}}"
    rf"|(?:[0-9{CHINESE_NUMERALS}][ .\-]?){{3}}[{CHINESE_NUMERALS}]"
    rf"|{_LETTER_IN_DIGITS}|{_BASE64_DIGITS}|{_HAS_ENGLISH}"
)


def fold_character(char: str) -> str | None:
    """Return what one character becomes: itself, an ASCII character, or None (dropped)."""
    category = unicodedata.category(char)
    if char in _FILLERS or category in ("Cf", "Mn", "Me") or (category == "Cc" and char not in _WHITE_CONTROLS):
        return None
    if char.isascii():
        return char
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    compatible = unicodedata.normalize("NFKC", char)
    plain = len(compatible) == 1 and compatible.isascii()
    return compatible if plain and (compatible.isalnum() or compatible in _FOLDED_PUNCTUATION) else char


class _Table(dict[int, str | None]):
    """A `str.translate` table, filled as characters are met (to build a full one takes half a second)."""

    def __missing__(self, code: int) -> str | None:
        folded = self[code] = fold_character(chr(code))
        return folded


_TABLE = _Table()


class Folded(NamedTuple):
    """Normalised text; `offsets`: start and end in the original per character, None where nothing moved."""

    text: str
    offsets: tuple[Sequence[int], Sequence[int]] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original code-point span of ``text[start:end]`` (not empty)."""
        if self.offsets is None:
            return start, end
        starts, ends = self.offsets  # min and max, because an overridden direction runs backwards
        return min(starts[start], starts[end - 1]), max(ends[start], ends[end - 1])


def fold(text: str, *, joined: bool = True) -> Folded:
    """Normalise `text`. Linear in its length.

    joined: without what is said or typed between the digits of a number that is dictated.
    """
    decoded = _decode_base64(_decode_escapes(text))
    turned = _undo_overrides(decoded)
    read = _fold_english(_fold_characters(turned))
    return _fold_letters(_fold_numerals(_join_dictated(read) if joined else read))


def fold_url(text: str) -> Folded:
    """As `fold`, nothing joined, and what a URL writes as %E7%8E%8B is read, too: for who looks for what is known."""
    pieces: list[str] = []
    starts, ends = array("L"), array("L")
    at = 0
    for match in _PERCENT.finditer(text) if "%" in text else ():
        start, end = match.span()
        pieces.append(text[at:start])
        starts.extend(range(at, start))
        ends.extend(range(at + 1, start + 1))
        for char in _read_percent(match[0]):
            size = 1 if len(char.encode()) == len(match[0]) else 3 * len(char.encode())
            pieces.append(char)
            starts.append(start)
            ends.append(start + size)
            start += size
        at = end
    if not pieces:
        return fold(text, joined=False)
    starts.extend(range(at, len(text)))
    ends.extend(range(at + 1, len(text) + 1))
    folded = fold("".join(pieces) + text[at:], joined=False)
    firsts, lasts = folded.offsets or (range(len(folded.text)), range(1, len(folded.text) + 1))
    moved = array("L", (starts[place] for place in firsts)), array("L", (ends[place - 1] for place in lasts))
    return Folded(folded.text, moved)


def unquoted(text: str) -> str:
    """A text as `fold_url` reads it, before it is folded."""
    return _PERCENT.sub(lambda match: _read_percent(match[0]), text) if "%" in text else text


def _read_percent(written: str) -> str:
    """The characters of %E7%8E%8B; what is no UTF-8 stays as it is written."""
    try:
        return bytes.fromhex(written.replace("%", "")).decode()
    except UnicodeDecodeError:
        return written


def folded_text(text: str) -> str:
    """The text of `fold`, without the places of its characters, which take most of its time."""
    if "\\" in text or "&#" in text or "%3" in text:
        text = _ESCAPE.sub(lambda match: _unescape(match[0]), text)
    text = _decode_base64(Folded(text, None)).text
    if "\u202e" in text:
        text = _OVERRIDDEN.sub(lambda match: f"\u202e{match[1][::-1]}", text)
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_TABLE)
    return _fold_letters(_fold_numerals(_join_dictated(_fold_english(Folded(text, None))))).text


def as_read(text: str, start: int, end: int) -> str:
    """Return [start, end) of `text` in the order in which it is read: a part by itself does not tell its direction."""
    turned = _turned(text)
    if turned is None:
        return text[start:end]
    order, firsts = turned.order, turned.firsts
    inside = sorted(order[bisect_left(firsts, start) : bisect_left(firsts, end)])
    return "".join(turned.text[at] for at in inside if turned.ends[at] <= end)


class _Turned(NamedTuple):
    """A text with an overridden direction, as read; `firsts`: where the characters at `order` start, ascending."""

    text: str
    ends: Sequence[int]
    order: list[int]
    firsts: list[int]


@lru_cache(maxsize=1)  # one text may be long and have many hits: it is looked at once
def _turned(text: str) -> _Turned | None:
    if "\u202e" not in text and not _ESCAPED_OVERRIDE.search(text):
        return None
    folded = fold(text)
    if folded.offsets is None:
        return None
    starts, ends = folded.offsets
    order = sorted(range(len(starts)), key=starts.__getitem__)
    return _Turned(folded.text, ends, order, [starts[at] for at in order])


class _Rewriting:
    """A text in which parts are replaced from left to right; every character knows where it was written."""

    def __init__(self, folded: Folded) -> None:
        self._folded = folded
        self._from, self._to = folded.offsets or (range(len(folded.text)), range(1, len(folded.text) + 1))
        self._pieces: list[str] = []
        self._starts, self._ends = array("L"), array("L")
        self._at = 0

    def replace(self, start: int, end: int, written: str) -> None:
        """Take over what stands before [start, end), and put something in its place: all of it is found there."""
        at, self._at = self._at, end
        self._pieces += (self._folded.text[at:start], written)
        self._starts.extend(self._from[at:start])
        self._ends.extend(self._to[at:start])
        self._starts.extend([self._from[start]] * len(written))
        self._ends.extend([self._to[end - 1]] * len(written))

    def drop(self, end: int) -> None:
        """Leave out what stands before `end`."""
        self._at = end

    def done(self) -> Folded:
        """The new text; the old one where nothing was replaced."""
        if not self._pieces:
            return self._folded
        self._starts.extend(self._from[self._at :])
        self._ends.extend(self._to[self._at :])
        return Folded("".join(self._pieces) + self._folded.text[self._at :], (self._starts, self._ends))


def _decode_escapes(text: str) -> Folded:
    rewriting = _Rewriting(Folded(text, None))
    if "\\" in text or "&#" in text or "%3" in text:
        for match in _ESCAPE.finditer(text):
            rewriting.replace(*match.span(), _unescape(match[0]))
    return rewriting.done()


def _decode_base64(folded: Folded) -> Folded:
    """Texts written in base64 as they read; every character of one has the place of all of it."""
    rewriting = _Rewriting(folded)
    for match in _BASE64.finditer(folded.text) if _HOLDS_BASE64.search(folded.text) else ():
        if (read := _read_base64(match[0])) is not None:
            rewriting.replace(*match.span(), read)
    return rewriting.done()


def _read_base64(written: str) -> str | None:
    """What some base64 says, if that is a text."""
    if len(written) > _LONGEST_BASE64:
        return None
    body = written.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        read = base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return read if all(char.isprintable() or char in "\t\r\n" for char in read) else None


def _unescape(escape: str) -> str:
    """One escape as one character; a lone surrogate or a code point that does not exist has no text."""
    if escape[-2:] in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[escape[-2:]]
    if escape.startswith("%"):
        return chr(int(escape[1:], 16))
    if escape.startswith("&#"):
        code = int(escape[3:-1], 16) if escape[2] in "xX" else int(escape[2:-1])
        return chr(code) if code <= _MAX_CODE_POINT and not _is_surrogate(code) else "\ufffd"
    units = [int(unit, 16) for unit in re.findall("u([0-9a-fA-F]{4})", escape)]
    return b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be", "replace")


def _is_surrogate(code: int) -> bool:
    return 0xD800 <= code <= 0xDFFF


def _undo_overrides(folded: Folded) -> Folded:
    """Text after U+202E is shown backwards, so that is how a reader sees the number in it."""
    text, offsets = folded
    if "\u202e" not in text:
        return folded
    order = array("L", range(len(text)))
    for match in _OVERRIDDEN.finditer(text):
        start, end = match.span(1)
        order[start:end] = order[start:end][::-1]
    return _pick(text, offsets, order)


def _fold_characters(folded: Folded) -> Folded:
    text, offsets = folded
    if text.isascii() and text.isprintable():
        return folded
    changed = text.translate(_TABLE)
    if len(changed) == len(text):
        return Folded(changed, offsets)
    kept, last = array("L"), array("L")
    at = 0
    for dropped in [place for place, char in enumerate(text) if _TABLE[ord(char)] is None]:
        kept.extend(range(at, dropped))
        last.extend(range(at, dropped))
        if at < dropped:
            last[-1] = _with_marks(text, dropped - 1)
        at = dropped + 1
    kept.extend(range(at, len(text)))
    last.extend(range(at, len(text)))
    if offsets is None:
        return Folded(changed, (kept, array("L", (end + 1 for end in last))))
    starts, ends = offsets
    return Folded(changed, (array("L", map(starts.__getitem__, kept)), array("L", map(ends.__getitem__, last))))


def _with_marks(text: str, at: int) -> int:
    """The last of the marks that stand on a character: of a keycap the box."""
    while at + 1 < len(text) and unicodedata.category(text[at + 1]) in ("Mn", "Me"):
        at += 1
    return at


def _pick(text: str, offsets: tuple[Sequence[int], Sequence[int]] | None, order: Sequence[int]) -> Folded:
    starts, ends = offsets or (range(len(text)), range(1, len(text) + 1))
    return Folded(
        "".join(text[i] for i in order), (array("L", (starts[i] for i in order)), array("L", (ends[i] for i in order)))
    )


def _fold_numerals(folded: Folded) -> Folded:
    if folded.text.isascii() or not _HAS_NUMERAL.search(folded.text):
        return folded
    return Folded(_RUN.sub(_digits_of, folded.text), folded.offsets)


def _join_dictated(folded: Folded) -> Folded:
    """The digits of a number that is dictated or torn apart, without what is between them; 下划线 as a low line."""
    text, offsets = folded
    lines = [match.span() for match in LOW_LINE.finditer(text)] if "下" in text else []
    dropped = sorted([*signs_within(text), *((start + 1, end) for start, end in lines)])
    if not dropped:
        return folded
    for start, end in lines:
        text = f"{text[:start]}_{text[start + 1 : end]}{text[end:]}"
    kept = array("L")
    at = 0
    for start, end in dropped:
        kept.extend(range(at, start))
        at = end
    kept.extend(range(at, len(text)))
    return _pick(text, offsets, kept)


def _fold_english(folded: Folded) -> Folded:
    """Digits that are said one by one in English as digits, each at the place of its word."""
    text, rewriting = folded.text, _Rewriting(folded)
    for run in _ENGLISH_RUN.finditer(text) if _ENGLISH_SIEVE.search(text.lower()) else ():
        for word in _ENGLISH_WORD.finditer(text, *run.span()):
            if word.start() > run.start():  # what parts two digits goes
                rewriting.drop(word.start())
            rewriting.replace(*word.span(), _ENGLISH[word[0].lower()])
    return rewriting.done()


def _digits_of(run: re.Match[str]) -> str:
    """The digits of a run; a numeral at its end with which the next word begins (…5588一直占线) is none of them."""
    written = run[0]
    goes_on = written[-1] == "一" and run.string[run.end() : run.end() + 1] in _BEGUN_BY_ONE
    kept = len(written) - 1 if goes_on and run.end() < len(run.string) else len(written)
    return written[:kept].translate(_TO_DIGITS) + written[kept:]


def _fold_letters(folded: Folded) -> Folded:
    """The letters l, I, O and o as the digits that they stand for: no character moves."""
    text = _LETTERED.sub(_as_digits, folded.text)
    return folded if text == folded.text else Folded(text, folded.offsets)


def _as_digits(match: re.Match[str]) -> str:
    written, digits = match[0], match[0].translate(_LOOKALIKES)
    if written == digits or sum(map(str.isdigit, written)) < _FEWEST_DIGITS:
        return written
    return digits if len(written) == _MOBILE or _is_checked(digits) else written


def _is_checked(digits: str) -> bool:
    """Whether the check digit is right: that of a resident number, or Luhn's of a card."""
    if len(digits) == _RESIDENT:
        total = sum(int(digit) * 2 ** (17 - at) for at, digit in enumerate(digits[:17])) % 11
        return "10X98765432"[total] == digits[-1].upper()
    doubled = (int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits)))
    return digits.isdigit() and sum(each - 9 * (each > 9) for each in doubled) % 10 == 0
