"""Numbers whose digits are set apart by what is said or typed between them, behind a word for a number.

手机号 1、3、8、2、2 …; 身份证 110105杠19870314杠987X; SSN 379/60/2601; passport no. E*6889*7116; a number that goes
on in the next line. Without the word these are lists, dates and sums. What is left out of a text here is only left
out of one of the two texts that are searched: the other is the one as written, so nothing is missed by it.
"""

import re
from collections.abc import Iterator

from datacheck.pii.numerals import CHINESE_NUMERALS

_DIGIT = f"[0-9{CHINESE_NUMERALS}]"
_WORDS = (
    "[号號证證卡]|[护護]照|电话|電話|手机|手機|座机|固话|宅电|市話|扣扣|微信|[Qq][Qq]"
    "|(?i:phone|mobile|cell|landline|line|number|card|ssn|imei|vin|passport|permit|callback|reachable"
    "|(?:call|text|ring|reach) (?:me|us|him|her))"
)
_SHORT = "(?:no|No|NO|id|Id|ID|[Tt]el|TEL)"
_LABEL = re.compile(rf"(?<!版本)(?:{_WORDS}|(?<![A-Za-z]){_SHORT})(?![a-z])[^0-9]{{0,32}}\Z")
_BEFORE = 44  # characters
_SPOKEN = r"[ ]?(?:[横短]?杠|空格|减号|(?i:dash|hyphen|space))[ ]?"
_SIGN = rf"(?:{_SPOKEN}|[ ]?[,，、…*/~～|·.•_—–][ ]?|…{{2}}|[ ]{{2,3}})"
_BEGIN = rf"(?<![0-9A-Za-z.{CHINESE_NUMERALS}])"
_END = rf"(?![0-9A-Za-z{CHINESE_NUMERALS}]|(?P=sign)[0-9]|[.][0-9])"
_RUNS = (
    # in groups
    re.compile(
        rf"{_BEGIN}(?:[A-Z]{{0,3}}-?{_DIGIT}{{1,8}}|[A-Z]{{1,2}}(?=[^ ]))(?P<sign>{_SIGN}){_DIGIT}{{1,8}}"
        rf"(?:(?P=sign){_DIGIT}{{1,8}}){{0,18}}[Xx]?{_END}"
    ),
    # one by one, a letter or three before them
    re.compile(
        rf"{_BEGIN}(?=(?:[A-Z][^0-9A-Za-z]{{1,3}}){{0,3}}{_DIGIT})[A-Z0-9](?P<sign>[ \-]|[ ]?[,，、.][ ]?)"
        rf"[A-Z0-9\-](?:(?P=sign)[0-9A-Z\-]){{3,20}}{_END}"
    ),
    # over two or three lines
    re.compile(
        r"(?<![0-9A-Za-z.])(?P<sign>)(?:[A-Z]{1,3}-?[0-9]{1,16}|[0-9]{2,16})(?:[ ]?\r?\n[0-9]{1,16}){1,2}[Xx]?"
        r"(?![0-9A-Za-z]|[ ]?\r?\n[0-9]|[.][0-9])"
    ),
)
_BREAK = re.compile(r"[ ]?\r?\n")
_NAMED = rf"(?:{_WORDS}|{_SHORT})[^0-9]*"  # to count up to 32 here takes Rust thirty times as long
_MORE = rf"{_DIGIT}(?:[^0-9A-Za-z{CHINESE_NUMERALS}]{{0,6}}{_DIGIT}){{2}}"  # the rest of it: three digits or more
_CLEAR = _SIGN.replace("•._", "•_")  # a point stands in figures: between digits one by one, or three groups
DICTATED = (
    rf"{_NAMED}(?:{_DIGIT}{{1,16}}|[A-Z])(?:{_CLEAR}|[ ]?\r?\n|[ \-][0-9][ \-][0-9][ \-]){_MORE}"
    rf"|{_NAMED}(?:{_DIGIT}{{3,8}}[ ]?[.][ ]?{_DIGIT}{{3}}|[0-9][ ]?[.][ ]?[0-9][ ]?[.][ ]?[0-9][ ]?[.])"
    rf"|{_NAMED}[A-Z][0-9 ,，、.\-]{{1,9}}[0-9A-Z\-][ ,，、.\-]|[A-Za-z0-9][ ]?下[划劃][线線]"
)
"""Rust: a superset of the texts in which there is something of the kind."""
LOW_LINE = re.compile(r"(?<=[A-Za-z0-9])[ ]?(?:下[划劃][线線]){1,2}[ ]?(?=[A-Za-z0-9])")
"""How a low line is said: feng下划线9039."""
_SHORT_VALUE = 9  # characters; 1.3.9.1.2 is a version
_FEWEST, _MOST = 5, 19  # digits: of an employee, of a card
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_MASKS = frozenset("*…~～.")  # 6222*1234 hides what is between; 12.50 is a figure
_WHOLE = re.compile(r"1[3-9][0-9]{9}|[0-9]{15,18}")  # a telephone or an id by itself: what follows is another number
_POINTED = 3  # groups, of as many digits at least: 0917.302.695, but 136.0.2696.541 is a version


def is_dictated(text: str) -> bool:
    """Whether something of a text is left out, or a low line said in it."""
    return any(True for _ in signs_within(text)) or LOW_LINE.search(text) is not None


def signs_within(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of what is said or typed between the digits of such numbers, in order.

    Of a text that is nothing but such a number, too: it has been found before.
    """
    at = 0
    runs = {each: each.search(text) for each in _RUNS}
    while found := min(filter(None, runs.values()), key=_place, default=None):
        sign = re.escape(found["sign"]) if found["sign"] else _BREAK.pattern
        label = _LABEL.search(text, max(0, found.start() - _BEFORE), found.start())
        itself = found.span() == (0, len(text)) and len(text) > _SHORT_VALUE
        if (label or itself) and _is_one(found[0], found["sign"], re.split(sign, found[0])):
            yield from (
                (found.start() + match.start(), found.start() + match.end()) for match in re.finditer(sign, found[0])
            )
            at = found.end()
        else:
            at = found.start() + 1
        runs.update({each: each.search(text, at) for each, run in runs.items() if run and run.start() < at})


def _place(run: re.Match[str]) -> tuple[int, int]:
    """The first one; of those that begin there the longest."""
    return run.start(), -run.end()


def _is_one(written: str, sign: str, groups: list[str]) -> bool:
    """Whether the groups may be of one number, and are no date, no sum of money and no ends of a masked number."""
    digits = sum(map(len, groups))
    if not _FEWEST <= digits <= _MOST or _THOUSANDS.fullmatch(written) or any(map(_WHOLE.fullmatch, groups)):
        return False
    singly = max(map(len, groups)) == 1
    if sign.strip() == "." and not singly and written[0].isdigit():
        return len(groups) == _POINTED and min(map(len, groups)) >= _POINTED
    if len(groups) == 2 and sign.strip() in _MASKS and written[0].isdigit():
        return False
    longest = max(groups, key=len)
    dated = (
        _YEAR.fullmatch(longest) and len(groups) <= 3 and all(len(group) <= 2 for group in groups if group != longest)
    )
    return not dated
