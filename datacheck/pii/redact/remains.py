"""Search a written copy for what was to be replaced in it, by a reading of its own.

What replaces values (`traces`) may err, and whoever looks for its errors must not read as it does. So nothing is shared
with it: not the folding, not the forms, not the edges. A text is reduced to letters and digits (NFKC, accents and
invisible characters gone, escapes and Chinese numerals read, one long string), and a value stands in it where its own
letters and digits do. Of a name also its parts are looked for. It is stricter than the replacer on purpose: what it
finds is listed and somebody looks, so a false alarm costs a look, and a silence would cost a person.
"""

import base64
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from datacheck.pii.free_names import is_common
from datacheck.pii.given_names import is_given
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.base import words
from datacheck.pii.recognizers.person import COMPOUND
from datacheck.pii.redact import spelt
from datacheck.pii.redact.traces import Original
from datacheck.pii.tagger import is_entry

_MADE = re.compile(r"<[A-Z][A-Z0-9_]*_(?:v[0-9]+|[0-9a-f]{8}|x{8})>")
_STOP = "\ue000"  # stands for a pseudonym, or the end of a clause: no value goes on over it
_BACKWARDS = re.compile("\u202e([^\u202c\n]*)\u202c?")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|&#([0-9]{2,7});|&#[xX]([0-9a-fA-F]{2,6});|\\[nrtbf]")
_DIGITS = "零0〇0○0一1二2三3四4五5六6七7八8九9幺1两2壹1贰2叁3肆4伍5陆6柒7捌8玖9"
_NUMERALS = str.maketrans(_DIGITS[::2], _DIGITS[1::2])
_STROKES = str.maketrans("ıłŁøØđĐ", "ilLoOdD")  # what no normal form takes apart
_LOOKALIKES = str.maketrans("lio", "110")
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-]{12,4096}={0,2}")
_RUN = re.compile(r"[零〇○一二三四五六七八九幺两壹贰叁肆伍陆柒捌玖0-9]{5,}")
_GLUE = re.compile(r"[\s._\-'’·•・*|~/\\()（）\[\]\"“”`‐-―−]+")  # inside one value; \n ends a name all the same
_SIGNS = re.compile(rf"(?:(?!{_STOP})[\W_])+")
_LETTERS = re.compile(r"[^\W\d_]+")
_EXACT = frozenset({"IP_ADDRESS", "GPS", "MAC_ADDRESS", "DATE_OF_BIRTH"})  # their signs tell them from other numbers
_SHORT, _LONG, _MOBILE = 5, 9, 11
_SPELT = 8  # letters of a Chinese name that is spelt in Latin ones
_WORDS = words(  # of two letters, which no name of two letters is told from
    "He An Do So To We My Me In On Is It At As Am Be By Go If No Of Or Up Us Hi Ok Oh Ha Mr Ms Dr Ah Eh Vs Re Ex "
    "De La Le El Al Un Una Et Da Di Du Ma Id Tv Pm Ad Ca Co"
)
_LEADS, _FOLLOWS = (
    frozenset("给请让找叫和跟谢老小阿是告知帮替为"),
    frozenset("哥姐总叔姨工会来了说的您先女老发去也要查稍确"),
)
_FUNCTION = frozenset("应常成全和于向时从连曾可单都就还过能不关别方")  # surnames that are words of every sentence
_DOES = frozenset("订付买退办写登预购寄送签喜住")  # what is done for somebody, or by him
_FEW_LETTERS = 6
_TITLE = (
    "先生|女士|小姐|太太|老师|师傅|医生|大夫|教授|经理|总监|主任|老板|律师|阿姨|叔叔|大爷|大妈|大哥|大姐|同学|警官|护士"
    "|老師|師傅|醫生|經理|總監|律師|同學|護士"
)


class _Read(NamedTuple):
    """A text in the forms in which it is searched."""

    words: str
    """As written, NFKC, without accents, invisible characters and pseudonyms."""
    small: str
    """The same in small letters."""
    glued: str
    """The letters and digits of each clause in small letters; clauses end at `_STOP`."""
    bare: str
    """The letters and digits of all of it, numerals as digits: only a pseudonym parts them."""
    digits: str
    """The same with the digits for which l, i and o may stand."""


class Remains:
    """Says which of some values still stand in texts."""

    def __init__(self, values: Sequence[Original]) -> None:
        self._tests = [(number, _tests(value)) for number, value in enumerate(values)]

    def inside(self, text: str) -> list[int]:
        """Return the numbers of the values of which a form stands in a text, in order."""
        read = _read(text)
        if not read.bare.strip(_STOP):
            return []
        return [number for number, tests in self._tests if any(test.stands(read) for test in tests)]


class _Test(NamedTuple):
    """One form of a value, in which reading it is looked for, and what must not touch it."""

    form: str
    reading: str
    kind: str

    def stands(self, read: _Read) -> bool:
        text: str = getattr(read, self.reading)
        if self.form not in text:
            return False
        places = (match.span() for match in re.finditer(re.escape(self.form), text))
        return any(_CHECKS[self.kind](text, *place) for place in places)


def _read(text: str) -> _Read:
    text = unquote(text) if "%" in text else text
    for _ in range(3):  # JSON inside JSON
        text = _ESCAPES.sub(_unescaped, text)
    text = _BACKWARDS.sub(lambda match: match[1][::-1], _MADE.sub(_STOP, _BASE64.sub(_decoded, text)))
    plain = "".join(filter(_is_seen, unicodedata.normalize("NFKC", text)))
    spread = unicodedata.normalize("NFD", plain.translate(_STROKES))
    words = "".join(map(_digit, filter(_is_no_accent, spread)))
    clauses = re.sub(r"[\W_]+", _STOP, _GLUE.sub(_joined, words)).casefold()
    spoken = _RUN.sub(lambda match: match[0].translate(_NUMERALS), _SIGNS.sub("", words))
    bare = spoken.casefold()
    return _Read(words, words.casefold(), clauses, bare, bare.translate(_LOOKALIKES))


def _unescaped(match: re.Match[str]) -> str:
    if match[0][0] == "\\" and not match[1]:
        return "\n"
    code = int(match[1] or match[3], 16) if match[1] or match[3] else int(match[2])
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]


def _decoded(match: re.Match[str]) -> str:
    """Some base64 and, if it is of a text, what it says."""
    try:
        body = match[0].rstrip("=").translate(str.maketrans("-_", "+/"))
        said = base64.b64decode(body + "=" * (-len(body) % 4)).decode("utf-8")
    except ValueError:
        return match[0]
    return f"{match[0]} {said} "


def _is_seen(char: str) -> bool:
    return char in "\n\t" or char == _STOP or unicodedata.category(char) not in ("Cf", "Cc", "Me", "Co", "Cn", "Cs")


def _is_no_accent(char: str) -> bool:
    return unicodedata.category(char) != "Mn"


def _digit(char: str) -> str:
    return char if char.isascii() or not char.isdecimal() else str(unicodedata.decimal(char))


def _joined(match: re.Match[str]) -> str:
    return _STOP if "\n" in match[0] else ""


def _tests(value: Original) -> tuple[_Test, ...]:
    read = _read(value.written)
    if value.entity == "PERSON":
        return tuple(_of_a_name(read.words.strip()))
    if value.entity in _EXACT:
        return (_Test(read.words.strip(), "words", "apart"),)
    said = map(_bare, _spelt(value.written)) if value.entity == "EMAIL_ADDRESS" else ()
    return tuple(test for bare in (read.bare, *said) for test in _of_a_value(bare))


def _bare(text: str) -> str:
    return _read(text).bare


def _spelt(address: str) -> Iterator[str]:
    """A mailbox in words: a at qq dot com, a艾特qq点com."""
    name, _, domain = address.rpartition("@")
    yield from (f"{name} {at} {domain.replace('.', f' {dot} ')}" for at in ("at", "艾特") for dot in ("dot", "点"))


def _of_a_value(bare: str) -> Iterator[_Test]:
    bare = bare.replace(_STOP, "")
    if bare.isdigit():
        if len(bare) >= _LONG:
            national = bare[2:] if len(bare) == 13 and bare.startswith("86") else bare
            yield _Test(national, "bare", "any")
            if len(national) >= _MOBILE:
                yield _Test(national, "digits", "any")
        elif len(bare) >= _SHORT:
            yield _Test(bare, "glued", "number")
    elif any(map(str.isdigit, bare)) or not bare.isascii():
        yield _Test(bare, "bare", "any" if len(bare) > _SHORT else "apart")
    elif len(bare) >= _FEW_LETTERS:
        yield _Test(bare, "small", "any")
        yield _Test(bare, "glued", "apart")


def _of_a_name(name: str) -> Iterator[_Test]:
    if re.search(f"[{HAN}]", name):
        yield from _of_a_chinese_name(re.sub(rf"[^{HAN}]", "", name), "".join(name.split()))
        return
    letters = "".join(_LETTERS.findall(name)).lower()
    parts = [part for part in _LETTERS.findall(name) if len(part) > 2 and not part.islower()]
    if len(parts) > 1 and len(letters) > _SHORT:
        yield _Test(letters, "glued", "any")
    yield from (_Test(part, "words", "name") for each in parts for part in {each, each.upper(), each.title()})
    short = [part for part in _LETTERS.findall(name) if len(part) == 2 and part[0].isupper() and part not in _WORDS]
    yield from (_Test(part, "words", "name") for part in short if part in name.split())
    yield from (_Test(part.lower(), "words", "name") for part in parts if is_given(part))


def _of_a_chinese_name(name: str, written: str) -> Iterator[_Test]:
    if len(name) > 1:
        yield _Test(name, "glued", "word")
    # Whatever was found as a name begins with its surname, be it in no list.
    match = re.fullmatch(rf"({COMPOUND}|[{HAN}])([{HAN}]{{1,2}})", written)
    if match is None:
        return
    if len(match[2]) > 1:
        yield _Test(match[2], "glued", "given" if is_common(match[2]) else "word")
    yield _Test(match[1], "glued", "surname")
    yield _Test("阿" + match[2][-1], "glued", "word")
    yield _Test("小" + match[2][-1], "glued", "small")
    for letters in {form for form, _ in spelt.forms(*match.groups())}:  # LIU Zhiming
        if len(letters) >= _SPELT:
            yield _Test(letters, "glued", "any")


def _apart(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isascii() and before.isalnum()) and not (after.isascii() and after.isalnum())


def _as_number(text: str, start: int, end: int) -> bool:
    return not (text[start - 1 : start].isdigit() or text[end : end + 1].isdigit())


def _as_name(text: str, start: int, end: int) -> bool:
    return not (text[start - 1 : start].isalpha() or text[end : end + 1].isalpha())


def _as_word(text: str, start: int, end: int) -> bool:
    return not _in_a_word(text, start, end)


def _as_given(text: str, start: int, end: int) -> bool:
    """A given name that is a word as well: where nothing but what is said of somebody touches it."""
    is_apart = (
        _ends(text, end) or start == 0 or text[start - 1] == _STOP or text[end : end + 1] in _DOES
    )  # 光明要靠窗, 为自强订票
    goes_on = is_entry(text[end - 1 : end + 1])  # 建国家
    return _begins(text, start) and is_apart and not goes_on and not _in_a_word(text, start, end)


def _as_surname(text: str, start: int, end: int) -> bool:
    """Before a title, or behind 老, 小 and 阿."""
    if re.match(_TITLE, text[end:]):
        return _begins(text, start) or not is_common(text[start - 1 : end])
    if text[end : end + 1] in tuple("总工哥姐叔姨嫂") and not _in_a_word(text, start, end):
        return text[start] not in _FUNCTION or (_begins(text, start) and _ends(text, end + 1))
    if end - start > 1 and _begins(text, start) and _ends(text, end):
        return True  # 司徒 alone
    if start == 0 or text[start - 1] not in "老小阿" or text[end : end + 1] in tuple("0123456789子"):
        return False
    if text[max(0, start - 2) : start - 1] in tuple("一几这那每半大古两三"):
        return False
    if is_entry(text[start - 1 : end]) or is_common(text[start : end + 1]):  # 小时, 小王子
        is_called = _begins(text, start - 1) or _ends(text, end)
        return is_called and text[max(0, start - 2) : start - 1] != "个" and not _in_a_word(text, start - 1, end)
    return not _in_a_word(text, start - 1, end)


def _as_small(text: str, start: int, end: int) -> bool:
    """小 and the end of a given name: where it is no word and in none (小时, 小建议), or somebody is called so."""
    if text[start - 1 : start] in tuple("一几这那每半大古两三从最"):
        return False
    if is_entry(text[start:end]):
        return _begins(text, start) and _ends(text, end) and not _in_a_word(text, start, end)
    return not _in_a_word(text, start, end) and not is_entry(text[end - 1 : end + 1])


def _begins(text: str, start: int) -> bool:
    before = text[start - 1 : start] if start else ""
    chinese = re.match(f"[{HAN}]", before)
    return not (chinese or before.isalnum()) or before in _LEADS or (start > 1 and is_entry(text[start - 2 : start]))


def _ends(text: str, end: int) -> bool:
    after = text[end : end + 1]
    return not (after.isalnum() or re.match(f"[{HAN}]", after)) or after in _FOLLOWS


def _in_a_word(text: str, start: int, end: int) -> bool:
    """Whether what stands there is a part of a longer word of the dictionary."""
    return any(
        is_entry(text[first:last])
        for first in range(max(0, start - 2), start + 1)
        for last in range(end, min(len(text), end + 2) + 1)
        if last - first > end - start
    )


_CHECKS = {
    "any": lambda *_: True,
    "apart": _apart,
    "number": _as_number,
    "name": _as_name,
    "word": _as_word,
    "given": _as_given,
    "surname": _as_surname,
    "small": _as_small,
}
