"""Numbers whose digits are set apart by what is said or typed between them, behind a word for a number.

手机号 1、3、8、2、2 …; 身份证 110105杠19870314杠987X; SSN 379/60/2601; passport no. E*6889*7116; 手机 138**22335566 or
<b>138</b>22335566; a number that goes on in the next line. The word may stand behind it: 把0.9.8.5.3.7.9.9.1.7这个手机
删掉. Without the word these are lists, dates and sums. What is left out of a text here is only left out of one of the
two texts that are searched: the other is the one as written, so nothing is missed by it.
"""

import re
from collections.abc import Iterator

from datacheck.pii.matching.expressions import IS_MINE
from datacheck.pii.numerals import CHINESE_NUMERALS

_DIGIT = f"[0-9{CHINESE_NUMERALS}]"
_WORDS = (
    "[号號证證卡]|[护護]照|电话|電話|手机|手機|座机|固话|宅电|市話|联系方式|扣扣|微信|工牌|[Qq][Qq]"
    "|(?i:phone|mobile|cell|landline|line|number|card|ssn|imei|vin|hkid|passport|permit|callback|reachable"
    "|(?:call|text|ring|reach) (?:me|us|him|her))"
)
_SHORT = "(?:no|No|NO|id|Id|ID|[Tt]el|TEL)"
_LABEL = re.compile(rf"(?<!版本)(?:{_WORDS}|(?<![A-Za-z]){_SHORT})(?![a-z])[^0-9]{{0,32}}\Z")
_THIS = rf"{IS_MINE}[^0-9A-Za-z\s,，。]{{0,6}}(?:{_WORDS}|{_SHORT})"
_BEHIND = re.compile(_THIS)
_BEFORE = 44  # characters
_SPOKEN = r"[ ]?(?:[横短]?杠|空格|减号|(?i:dash|hyphen|space))[ ]?"
_MARKUP = r"(?:</?[A-Za-z]{1,8}>|\*\*|\\[,;:])"  # of HTML, of Markdown, a space of LaTeX
_OPENED = re.compile(r"<[A-Za-z]{1,8}>\Z")
_SIGN = rf"(?:{_SPOKEN}|{_MARKUP}|[ ]?[,，、…*/~～|·.•_—–][ ]?|…{{2}}|[ ]{{2,3}})"
_BEGIN = rf"(?<![0-9A-Za-z.{CHINESE_NUMERALS}])"
_CHECK = rf"(?:(?P=sign)?[(（](?P=sign)?{_DIGIT}(?P=sign)?[)）])?"  # 246*113(*7)
_END = rf"(?![0-9A-Za-z{CHINESE_NUMERALS}]|(?P=sign)[0-9]|[.][0-9])"
_RUNS = (
    # in groups
    re.compile(
        rf"{_BEGIN}(?:[A-Z]{{0,3}}-?{_DIGIT}{{1,8}}|[A-Z]{{1,3}}(?=[^ ]))(?P<sign>{_SIGN})[A-Z]?{_DIGIT}{{1,16}}"
        rf"(?:(?P=sign){_DIGIT}{{1,8}}){{0,18}}[Xx]?{_CHECK}{_END}"
    ),
    # one by one, a letter or three before them
    re.compile(
        rf"{_BEGIN}(?=(?:[A-Z][^0-9A-Za-z]{{1,3}}){{0,3}}{_DIGIT})[A-Z0-9](?P<sign>[ \-]|[ ]?[,，、./][ ]?)"
        rf"[A-Z0-9\-](?:(?P=sign)[0-9A-Z\-]){{3,20}}{_CHECK}{_END}"
    ),
    # letters among the digits
    re.compile(
        rf"{_BEGIN}(?=[A-Z0-9]{{1,9}}[^A-Z0-9]{{1,9}}[A-Z]{{0,8}}[0-9])[A-Z0-9]{{1,9}}(?P<sign>{_MARKUP}|[*·~|])"
        rf"[A-Z0-9]{{2,14}}(?:(?P=sign)[A-Z0-9]{{1,9}}){{0,3}}{_END}"
    ),
    # over two or three lines, in larger groups over five
    re.compile(
        r"(?<![0-9A-Za-z.])(?P<sign>)(?:[A-Z]{1,3}-?[0-9]{0,16}|[0-9]{2,16})"
        r"(?:(?:[ ]?\r?\n[0-9]{3,16}){1,3}(?:[ ]?\r?\n[0-9]{1,4})?|(?:[ ]?\r?\n[0-9]{1,16}){1,2})[Xx]?"
        r"(?![0-9A-Za-z]|[ ]?\r?\n[0-9]|[.][0-9])"
    ),
)
_BREAK = re.compile(r"[ ]?\r?\n")
_NAMED = rf"(?:{_WORDS}|{_SHORT})[^0-9]*"  # to count up to 32 here takes Rust thirty times as long
_MORE = rf"{_DIGIT}(?:[^0-9A-Za-z{CHINESE_NUMERALS}]{{0,6}}{_DIGIT}){{2}}"  # the rest of it: three digits or more
_CLEAR = _SIGN.replace("•._", "•_")  # a point stands in figures: between digits one by one, or three groups
DICTATED = (
    rf"{_NAMED}(?:{_DIGIT}{{1,16}}|[A-Z])(?:{_CLEAR}|[ ]?\r?\n|[ \-][0-9][ \-][0-9][ \-])[A-Z]?{_MORE}"
    rf"|{_NAMED}(?:{_DIGIT}{{3,8}}[ ]?[.][ ]?{_DIGIT}{{3}}|[0-9][ ]?[.][ ]?[0-9][ ]?[.][ ]?[0-9][ ]?[.])"
    rf"|{_NAMED}[A-Z][0-9 ,，、.\-]{{1,9}}[0-9A-Z\-][ ,，、.\-]|[A-Za-z0-9][ ]?下[划劃][线線]"
    rf"|{_NAMED}[A-Z0-9]+(?:{_MARKUP}[A-Z]*|[*·~|][A-Z]+)[0-9]"
    rf"|[0-9](?:{_CLEAR}|[.]|[ ]?\r?\n)[0-9]+[XxA-Z]?{_THIS}"
)
"""Rust: a superset of the texts in which there is something of the kind."""
LOW_LINE = re.compile(r"(?<=[A-Za-z0-9])[ ]?(?:下[划劃][线線]){1,2}[ ]?(?=[A-Za-z0-9])")
"""How a low line is said: feng下划线9039."""
_SHORT_VALUE = 9  # characters; 1.3.9.1.2 is a version
_FEWEST, _MOST = 5, 19  # digits: of an employee, of a card
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:\\?,[0-9]{3})+")
_MASKS = frozenset([*"*…~～.", "**"])  # 6222*1234 hides what is between; 12.50 is a figure
_WHOLE = re.compile(r"1[3-9][0-9]{9}|[0-9]{15,18}")  # a telephone or an id by itself: what follows is another number
_LONG = 11  # digits
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
        label = label or _BEHIND.match(text, found.end())
        itself = found.span() == (0, len(text)) and len(text) > _SHORT_VALUE
        if (label or itself) and _is_one(found[0], found["sign"], re.split(sign, found[0])):
            opened = _OPENED.search(text, max(0, found.start() - _BEFORE), found.start())
            if opened and found["sign"].startswith("</"):
                yield opened.span()
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
    if not _FEWEST <= digits <= _MOST or _THOUSANDS.fullmatch(written):
        return False
    if any(map(_WHOLE.fullmatch, groups)) and not sign.startswith("<"):
        return False
    singly = max(map(len, groups)) == 1
    if sign.strip() == "." and not singly and written[0].isdigit():
        return len(groups) == _POINTED and min(map(len, groups)) >= _POINTED
    if len(groups) == 2 and sign.strip() in _MASKS and written[0].isdigit():
        return sign == "**" and digits >= _LONG  # 6222**1234 is masked, 138**22335566 is set in bold
    longest = max(groups, key=len)
    dated = (
        _YEAR.fullmatch(longest) and len(groups) <= 3 and all(len(group) <= 2 for group in groups if group != longest)
    )
    return not dated
