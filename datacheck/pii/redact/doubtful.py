"""What a record of somebody may hold that no recognizer is sure of: the forms alone, without labels and context.

Stricter than the gate and wrong more often, so only the records are read in which somebody's data stand. A redaction
replaces what is found, and what was written is searched once more. What the gate sees there and lets pass (a specimen,
a hotline) is left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from datacheck.pii.analyzer import find
from datacheck.pii.normalise import ENGLISH_DIGIT, Folded, fold_url
from datacheck.pii.recognizers import RECOGNIZERS, tw_id
from datacheck.pii.recognizers.cn_bank_card import luhn
from datacheck.pii.recognizers.cn_resident_id import check_digit
from datacheck.pii.redact.leaves import Span, inner_texts
from datacheck.pii.split import is_american
from datacheck.pii.tables import PersonsCell, persons_cells

_BREAKS = re.compile(r"(?<=[0-9])[ \t]*[\r\n]+[ \t>*\-]*(?=[0-9])")
_SIGN = r"(?:[ ]/[ ]|[ \u00a0\u3000.\-\u2010-\u2015·•~～_/、])"
_MOBILE_SIGN = r"[^\w\n\"'()（）\[\]{}<>|;:=]"
# In the next line, which may be of a quotation; each group in bold
_LINE = r"(?:[ ]?\r?\n[ \t>]{0,4}|[ ]?[*_]{2}[ ]?[*_]{2}[ ]?)"
_GAP = rf"(?:_|[ ]?(?:然后|接着|最后|后面|再|后)是?[ ]?|{_LINE}|{_MOBILE_SIGN}{{0,3}})"
_FORMS = {
    "CN_MOBILE": re.compile(
        rf"(?<![0-9])(?:\+?86{_SIGN}{{0,2}})?(?:1[3-9][0-9]{_GAP}[0-9]{{4}}{_GAP}[0-9]{{4}}"
        rf"|1{_MOBILE_SIGN}{{1,2}}[3-9](?:{_MOBILE_SIGN}{{1,2}}[0-9]){{9}}"
        r"|1[3-9](?:[ .\-][0-9]{2}){4}[ .\-][0-9])(?![0-9])"
    ),
    "CN_RESIDENT_ID": re.compile(
        rf"(?<![0-9])[1-9](?:{_SIGN}?[0-9]){{16}}{_SIGN}?[0-9Xx](?![0-9])"
        rf"|(?<![0-9])[1-9][0-9]{{5}}{_LINE}[0-9]{{4}}{_LINE}?[0-9]{{4}}{_LINE}[0-9]{{3}}[0-9Xx](?![0-9])"
    ),
    "CN_BANK_CARD": re.compile(
        rf"(?<![0-9])[3-6](?:{_SIGN}?[0-9]){{14,18}}(?![0-9])"
        rf"|(?<![0-9])[3-6][0-9]{{3}}(?:{_LINE}[0-9]{{4}}){{3}}(?:{_LINE}[0-9]{{1,3}})?(?![0-9])"
    ),
    "EMAIL_ADDRESS": re.compile(
        r"[A-Za-z0-9._%+\-]+(?:@|[ ]@[ ]|@[ ])[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,}"
    ),
    "PHONE_NUMBER": re.compile(
        r"(?<![0-9/])(?:\+?1[ .\-])?\(?[2-9][0-9]{2}\)?(?:[ .\-]{1,2}|SIGN)[2-9][0-9]{2}(?:[ .\-]|[ ]{2}|SIGN)[0-9]{4}"
        r"(?![0-9/])"
        r"|(?:(?<=at )|(?<=on )|(?<=is )|(?<=to )"
        r"|(?i:(?<=call )|(?<=text )|(?<=phone )|(?<=phone: )|(?<=dial )|(?<=number )"
        r"|(?<=cell )|(?<=tel )|(?<=ext )|(?<=ext[.:] )|(?<=mine )))"
        r"[2-9][0-9]{2}[2-9][0-9]{6}(?![0-9])".replace("SIGN", r"(?:[ ]?[/|~*·_\u2010-\u2015][ ]?|[ ]?-[ ]?\r?\n)")
    ),
    "US_SSN": re.compile(
        r"(?<![0-9\-])[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}(?![0-9\-])"
        rf"|(?<![0-9\-])[0-8][0-9]{{2}}{_LINE}[0-9]{{2}}{_LINE}[0-9]{{4}}(?![0-9\-])"
        r"|(?:(?<=SSN: )|(?<=SSN ))[0-8][0-9]{2}[ ]?[^\w\n][ ]?[0-9]{2}[ ]?[^\w\n][ ]?[0-9]{4}(?![0-9])"
    ),
    "CN_LANDLINE": re.compile(r"(?<![0-9])0[1-9][0-9]{1,2}[ \-][2-8][0-9]{6,7}(?![0-9])"),
    "TW_ID": re.compile(r"(?<![A-Za-z0-9])[A-Z][12][0-9]{8}(?![A-Za-z0-9])"),
    "CN_PASSPORT": re.compile(r"(?<![A-Za-z0-9])(?:E[A-HJ-NP-Z]?|[GDSPH])[ ]?[0-9]{7,8}(?![A-Za-z0-9])"),
    "CN_PLATE": re.compile(
        r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z]"
        r"[ ·•.\-]?(?=[A-Z]{0,5}[0-9])[A-Z0-9]{5,6}(?![A-Za-z0-9])"
    ),
}
# Ten digits that are all of a field, of a line or between quotation marks; in pairs; over lines or in bold
_AMERICAN = re.compile(
    r"(?m:(?:(?<=[\"'>|,\t:=(])|(?<=[\"'>|,:=(–—] )|^)[2-9][0-9]{2}[2-9][0-9]{6}(?=[\"'<|,\t;)]|[ .]{0,2}$"
    r"|[ ](?:after|before|or|and)[ ]))"
    r"|(?<![0-9.\-/])(?<![0-9] )[2-9][0-9](?:[ .\-][0-9]{2}){4}(?!\.?[0-9]|[/\-]| [0-9])"
    r"|(?<![0-9.\-/])(?<![0-9] )[2-9](?:[ ][0-9]){9}(?![ .]?[0-9])"
    r"|\([2-9][0-9]{2}\)[ ]?[2-9][0-9]{6}(?![0-9])"
    rf"|(?<![0-9])[2-9][0-9]{{2}}{_LINE}[2-9][0-9]{{2}}{_LINE}?[0-9]{{4}}(?![0-9])"
)
_ANOTHER_NUMBER = re.compile(RECOGNIZERS["PHONE_NUMBER"].negative_left)
_LEFT = 40  # characters in which a word says of what else a number is
_RIGHT: dict[str, Callable[[str], bool]] = {
    "CN_BANK_CARD": luhn,
    "CN_RESIDENT_ID": lambda value: check_digit(value[:17]) == value[-1].upper(),
    "TW_ID": lambda value: tw_id.is_valid(value.upper()),
}
LIKELY = (
    r"[2-9２-９]\p{Nd}{2}[^\p{Nd}\p{L}\n]{1,6}[2-9２-９]\p{Nd}{2}[^\p{Nd}\p{L}\n]{1,6}\p{Nd}{4}|[1１][3-9３-９](?:[^\p{Nd}\p{L}]{0,5}\p{Nd}){9}"
    r"|[3-6]\p{Nd}(?:[^\p{Nd}\p{L}]?\p{Nd}){13}"
    r"|[2-9]\p{Nd}{2}[ ]?\r?\n[ >]{0,4}[2-9]\p{Nd}{2}[ ]?\r?\n?[ >]{0,4}\p{Nd}{4}"
    r"|幺[、，, ]?[〇零一二三四五六七八九幺][、，, ]?[〇零一二三四五六七八九幺]"
    # of North America: ten digits together, in pairs, in keys of an emoji, or said; 3-2-4
    r"|(?:^|[^\p{Nd}\p{L}])(?:[\p{Nd}--[01]]\p{Nd}{9}|[2-9]\p{Nd}(?:[ .\-]\p{Nd}{2}){4}"
    r"|\p{Nd}{3}[^\p{Nd}\p{L}\n]{1,3}\p{Nd}{2}[^\p{Nd}\p{L}\n]{1,3}\p{Nd}{4})(?:[^\p{Nd}\p{L}]|$)"
    r"|(?:\p{Nd}\x{fe0f}?\x{20e3}[ \-]?){10}"
    rf"|(?:{ENGLISH_DIGIT}[ ,.\-]{{1,3}}){{6}}{ENGLISH_DIGIT}"
    # … or with invisible characters, in circles, or written by their numbers
    r"|\p{Nd}[\x{200b}-\x{200d}\x{2060}\x{ad}\x{feff}]{1,2}\p{Nd}|[⓪①-⑨]{10}|(?:&#(?:x3[0-9]|4[89]|5[0-7]);){10}"
)
"""Rust: in a text with a form that may be somebody's beside a name alone."""
_SPOKEN = str.maketrans("〇零一二三四五六七八九幺", "001234567891")
# In a list of fields (刘洋 138… 83019188 lin_raidw06) those beside somebody's are somebody's.
_FIELD = re.compile(r"[^\s/|,，;；、()（）\"']+")
_FIELDS = {
    "QQ": re.compile(r"(?!(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]\Z)[1-9][0-9]{5,10}"),
    "WECHAT": re.compile(r"(?=.{6,20}\Z)[A-Za-z][a-z_\-][a-z0-9_\-]*[0-9]{2}"),
}
_ISSUED = re.compile(r"(?=.{5,16}\Z)(?:[A-Z]{1,5}[\-_ ]?)?[0-9]{4,12}")  # under ID in a table of people
_BESIDE = 3  # characters between two fields
_NUMBERS = re.compile(r"(?<![0-9])[0-9]{2,}(?![0-9])")
_FEW = 30  # numbers; a text with more of them is a table or a sequence
_LINK = 60  # as of names beside an identifier in the gate


class Rough(NamedTuple):
    """A place (code points of a text, end exclusive) with the form of an entity."""

    start: int
    end: int
    entity: str


def rough_values(text: str, taken: Sequence[Span]) -> list[Rough]:
    """The forms in a text, and its fields beside them or beside what is `taken`; none of them overlaps another."""
    folded = fold_url(text)
    found: list[Rough] = []
    forms = [Rough(*cell[:2], "EMPLOYEE_ID") for cell in persons_cells(text) if _is_their_number(text, cell)]
    is_short = len(_NUMBERS.findall(folded.text)) <= _FEW
    if is_short:
        forms += [Rough(*folded.span(start, end), entity) for entity, start, end, _ in _forms(folded)]
    for place in forms:
        if not any(_overlap(place, span) for span in (*taken, *(each[:2] for each in found))):
            found.append(place)
    return sorted([*found, *_fields_beside(folded, [*taken, *(each[:2] for each in found)])] if is_short else found)


def _fields_beside(folded: Folded, known: list[Span]) -> list[Rough]:
    """The fields beside those that are known, and beside these, from the left and from the right."""
    found: list[Rough] = []
    fields = [(match[0], folded.span(*match.span())) for match in _FIELD.finditer(folded.text)]
    for order in (fields, fields[::-1]):
        last: Span | None = None  # somebody's field just passed
        for value, span in order:
            mine = any(_overlap(span, other) for other in known)
            near = last and max(span[0] - last[1], last[0] - span[1]) <= _BESIDE
            field = next((name for name, form in _FIELDS.items() if form.fullmatch(value)), None)
            if near and not mine and field:
                found.append(Rough(*span, field))
                known.append(span)
                mine = True
            last = span if mine else None
    return found


def _is_their_number(text: str, cell: PersonsCell) -> bool:
    return not cell.is_name and _ISSUED.fullmatch(text, cell.start, cell.end) is not None


def stand_near(one: Sequence[Span], two: Sequence[Span]) -> bool:
    """Whether one of some places stands near one of others."""
    return any(a[0] - b[1] < _LINK and b[0] - a[1] < _LINK for a in one for b in two)


def _overlap(one: tuple[int, int] | Rough, two: tuple[int, int] | Rough) -> bool:
    return one[0] < two[1] and two[0] < one[1]


def doubtful(
    texts: Sequence[str], entities: tuple[str, ...], is_made: Callable[[str], bool]
) -> Iterator[tuple[int, str]]:
    """Yield the number of a text and the entity of each form in it that the recognizers of `entities` do not see.

    is_made: whether a value came in the place of one.
    """
    inner = [(number, leaf.text) for number, text in enumerate(texts) for leaf in inner_texts(text)]
    likely = [(number, text, found) for number, text in inner if (found := list(_forms_over_lines(text)))]
    if not likely:
        return
    seen = passed([text for _, text, _ in likely], entities)
    for at, (number, _, found) in enumerate(likely):
        yield from (
            (number, entity) for entity, value in found if not (is_made(value) or is_seen(value, seen.get(at, ())))
        )


def passed(texts: Sequence[str], entities: tuple[str, ...]) -> dict[int, list[str]]:
    """By the number of a text what the recognizers see in it, in its plain form."""
    hits = find(pl.Series(texts, dtype=pl.String), entities)
    seen: dict[int, list[str]] = {}
    for index, start, end in hits.select("index", "start", "end").iter_rows():
        seen.setdefault(index, []).append(plain(texts[index][start:end]))
    return seen


def _forms_over_lines(text: str) -> Iterator[tuple[str, str]]:
    folded = _BREAKS.sub("", fold_url(text).text)
    is_table = len(_NUMBERS.findall(folded)) > _FEW
    for entity, start, end, value in _forms(Folded(folded, None)):
        # of a list of products ten digits are the number of one
        if not (is_table and entity == "PHONE_NUMBER" and folded[start:end].isdigit()):
            yield entity, value


def _forms(folded: Folded) -> Iterator[tuple[str, int, int, str]]:
    """Entity, place and plain form; digits that are said are read as well."""
    for text in dict.fromkeys((folded.text, folded.text.translate(_SPOKEN))):
        for entity, form in _FORMS.items():
            for match in form.finditer(text):
                value = plain(match[0])
                if entity not in _RIGHT or _RIGHT[entity](value):
                    yield entity, *match.span(), value
        for match in _AMERICAN.finditer(text):
            before = text[max(0, match.start() - _LEFT) : match.start()]
            if is_american(value := plain(match[0])) and not _ANOTHER_NUMBER.search(before):
                yield "PHONE_NUMBER", *match.span(), value


def plain(value: str) -> str:
    """Letters and digits of a value, and the sign of a mailbox."""
    return re.sub(r"[^0-9A-Za-z@]", "", fold_url(value).text.translate(_SPOKEN)).lower()


def is_seen(value: str, seen: Iterable[str]) -> bool:
    """Whether a recognizer sees a value, in its plain form, or a part of it."""
    return any(value in each or each in value for each in seen if each)
