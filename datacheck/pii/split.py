"""Find numbers that one speaker gives in parts: the beginning ends a turn, the rest opens a later one.

A part by itself is any number. So the parts together must be a mobile number in an assigned range, a resident number
or a card with a right check digit, or a number of North America cut where one is cut, and a word that says so stands
before the first part or in the turn before it; or the number is known already.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate
from typing import NamedTuple

from datacheck.pii.matching.expressions import SEPARATOR, worded
from datacheck.pii.normalise import Folded, fold
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import compact

_BEFORE = 40  # characters before the first part, and of the turn before, in which the word may stand
_ASKING = 100  # characters of a turn that asks for a number
_REACH = 3  # turns from one part to the next
_PARTS = 4
_KNOWN = 8  # digits of a value that is known already, whatever it is
_FEW = 2  # digits with words behind them are a count
_BETWEEN = rf"{SEPARATOR}{{0,2}}"
_LAST = re.compile(rf"(?<![0-9A-Za-z.])([0-9](?:{_BETWEEN}[0-9]){{2,16}})[^0-9A-Za-z]{{0,8}}\Z")
_FIRST = re.compile(rf"\A[^0-9]{{0,12}}?(?<![0-9A-Za-z.])([0-9](?:{_BETWEEN}[0-9]){{1,16}}[Xx]?)(?![0-9A-Za-z])")
_MORE = re.compile(
    rf"[^0-9A-Za-z]{{1,10}}(?:(?:and|then)(?: then)? )?([0-9](?:{_BETWEEN}[0-9]){{1,16}}[Xx]?)(?![0-9A-Za-z])"
)  # 中间4533，后面0095
_RULES = {"CN_MOBILE": "cn_mobile", "CN_RESIDENT_ID": "cn_resident_id", "CN_BANK_CARD": "cn_bank_card"}
_WORDS = {
    "CN_MOBILE": "手机|手機|电话|電話|号码|號碼|微信|联系方式|致电|致電|"
    + worded("phone", "mobile", "cell", "number", "tel", "call", "contact"),
    "CN_RESIDENT_ID": "身份|身分|证件|證件|证号|" + worded("id", "identity"),
    "CN_BANK_CARD": "卡|[账帐][号户]|" + worded("card", "account"),
}
# A number of North America has no check digit, so it is given as it is written: 415, then 867, then 5309.
_AMERICAN = re.compile(r"[2-9][0-9]{2}[2-9][0-9]{6}")
_AMERICAN_ENDS = {3, 6, 10}  # digits that have been given at the end of a part
_AMERICAN_WORDS = worded(
    "phone", "mobile", "cell", "my number", "his number", "her number", "our number", "tel", "call me", "text me",
    "reach me", "area code", "whatsapp",
)  # fmt: skip
_AMERICAN_WORDS += "|(?:美国|加拿大|北美)的?(?:电话|手机|号码)"
# … and given whole it may be all that a turn says: "And a callback number?" "617-411-3562"
_ASKED = re.compile(
    r"(?i:(?:phone|mobile|cell|call-?back|contact|telephone|daytime)[ ]?(?:phone[ ])?number"
    r"|what(?:['’]s| is) (?:your|the best) number|can (?:we|i) reach)[^?\n]{0,40}\?"
)
_LENGTHS = {"CN_MOBILE": (11,), "CN_RESIDENT_ID": (18,), "CN_BANK_CARD": (16, 19)}
_ENDS_A_LINE = re.compile(r"\d[^\w\n]{0,8}\n")
ENDS_IN_DIGITS = r"[\p{Nd}\p{No}][Xx]?[^\p{Nd}\p{No}A-Za-z]{0,8}$"
"""Rust: a turn in which a number may begin."""
END = 10
"""Characters at the end of a text that tell whether it matches `ENDS_IN_DIGITS`."""
STARTS_IN_DIGITS = r"^[^\p{Nd}\p{No}]{0,12}[\p{Nd}\p{No}]"


class Utterance(NamedTuple):
    """Who speaks, and what."""

    role: str | None
    text: str


class NumberPart(NamedTuple):
    """A part of a number: the turn, its code points there, and which characters of the number these are."""

    turn: int
    start: int
    end: int
    digits: tuple[int, int]


class Split(NamedTuple):
    """A number and its parts."""

    entity: str
    value: str
    parts: tuple[NumberPart, ...]


def splits(
    turns: Sequence[Utterance], known: Mapping[str, str] | None = None, *, known_only: bool = False
) -> Iterator[Split]:
    """Yield the numbers of a record that are given in parts.

    known: numbers (as digits) that need no word, and the entity of each. Without roles any turn may go on.
    """
    known = known or {}
    texts = [fold(turn.text) for turn in turns]
    last: NumberPart | None = None
    for at in range(len(turns)):
        if last and at < last.turn:
            continue
        found = _beginning_at(turns, texts, at, known)
        if found and (not known_only or found.value in known) and (last is None or _is_behind(found.parts[0], last)):
            yield found
            last = found.parts[-1]


def splits_over_lines(text: str, known: Mapping[str, str] | None = None) -> Iterator[Split]:
    """Yield the numbers that are given in parts on lines of one text, as a conversation written as a text has them.

    The places are of the text; its turn is 0.
    """
    if not _ENDS_A_LINE.search(text):
        return
    lines = text.split("\n")
    first = [0, *accumulate(len(line) + 1 for line in lines)]
    for split in splits([Utterance(None, line) for line in lines], known):
        if len({part.turn for part in split.parts}) > 1:
            moved = (
                part._replace(turn=0, start=part.start + first[part.turn], end=part.end + first[part.turn])
                for part in split.parts
            )
            yield split._replace(parts=tuple(moved))


def _is_behind(part: NumberPart, last: NumberPart) -> bool:
    return part.turn > last.turn or part.start >= last.end


def _beginning_at(
    turns: Sequence[Utterance], texts: Sequence[Folded], at: int, known: Mapping[str, str]
) -> Split | None:
    begin = _LAST.search(texts[at].text)
    if begin is None:
        return None
    before = texts[at].text[max(0, begin.start(1) - _BEFORE) : begin.start(1)]
    if _is_answer(turns, texts, at, compact(begin[1])):
        return Split("PHONE_NUMBER", compact(begin[1]), tuple(_parts(texts, [(at, begin.span(1))])))
    if _is_whole(compact(begin[1])):
        return None
    said = f"{texts[at - 1].text[-_BEFORE:]}\n{before}" if at else before
    places = [(at, begin.span(1))]
    while len(places) < _PARTS and (goes_on := _next(turns, texts, places[-1][0])):
        turn, last = goes_on
        part: re.Match[str] | None = last
        while part and len(places) < _PARTS:
            places.append((turn, part.span(1)))
            value = "".join(compact(texts[turn].text[slice(*place)]) for turn, place in places)
            ends = {*accumulate(len(compact(texts[turn].text[slice(*place)])) for turn, place in places)}
            if entity := _entity(value, said, known) or _american(value, ends, said):
                return Split(entity, value, tuple(_parts(texts, places)))
            last, part = part, _MORE.match(part.string, part.end(1))
        if not _ends(last):
            return None  # something else follows: no further part
    return None


def _is_answer(turns: Sequence[Utterance], texts: Sequence[Folded], at: int, value: str) -> bool:
    """Whether a turn is nothing but a telephone of North America for which the one before it asks."""
    if not at or not _AMERICAN.fullmatch(value) or turns[at].role == turns[at - 1].role:
        return False
    whole = compact("".join(re.findall("[0-9A-Za-z]+", texts[at].text))) == value
    return whole and _ASKED.search(texts[at - 1].text[-_ASKING:]) is not None and is_american(value)


def _is_whole(value: str) -> bool:
    """Whether a number is complete as it is."""
    judged = (RECOGNIZERS[entity].judge(_RULES[entity], value) for entity, n in _LENGTHS.items() if len(value) in n)
    return any(judgement is not None and judgement.state != "suspect" for judgement in judged)  # 62170038229 is a part


def _next(turns: Sequence[Utterance], texts: Sequence[Folded], at: int) -> tuple[int, re.Match[str]] | None:
    """The next turn of the same speaker, if it begins with digits."""
    for later in range(at + 1, min(at + 1 + _REACH, len(turns))):
        if turns[later].role == turns[at].role:
            match = _FIRST.search(texts[later].text)
            if match and len(match[1]) <= _FEW and not _ends(match):
                match = None  # "I have 10 hotels"
            if match or turns[at].role is not None:
                return (later, match) if match else None
    return None


def _ends(match: re.Match[str]) -> bool:
    """Whether nothing is said behind the digits."""
    return not match.string[match.end(1) :].strip(" \t，,。.…！!~～?？")


def _entity(value: str, said: str, known: Mapping[str, str]) -> str | None:
    """What the parts together are, if that is certain."""
    if len(value) >= _KNOWN and value in known:
        return known[value]
    for entity, rule in _RULES.items():
        if len(value) not in _LENGTHS[entity]:
            continue
        judgement = RECOGNIZERS[entity].judge(rule, value)
        if judgement and judgement.state == "valid" and re.search(_WORDS[entity], said):
            return entity
    return None


def _american(value: str, ends: AbstractSet[int], said: str) -> str | None:
    """Whether the parts, of so many digits at the end of each, are a telephone number of North America."""
    if not _AMERICAN.fullmatch(value) or not ends <= _AMERICAN_ENDS or not re.search(_AMERICAN_WORDS, said):
        return None
    return "PHONE_NUMBER" if is_american(value) else None


def is_american(value: str) -> bool:
    """Whether digits are a telephone number of North America."""
    judgement = RECOGNIZERS["PHONE_NUMBER"].judge("phone_number.us", value)
    return judgement is not None and judgement.state == "valid"


def _parts(texts: Sequence[Folded], places: Sequence[tuple[int, tuple[int, int]]]) -> Iterator[NumberPart]:
    first = 0
    for turn, place in places:
        length = len(compact(texts[turn].text[slice(*place)]))
        yield NumberPart(turn, *texts[turn].span(*place), (first, first + length))
        first += length
