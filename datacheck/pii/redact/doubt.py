"""A place of a redacted record that may be somebody's name: what the readings of `unsure` yield."""

import re
from typing import NamedTuple

from datacheck.pii.matching.expressions import HAN


class Doubt(NamedTuple):
    """A place (code points of a text, end exclusive) that may be somebody's name.

    `likely`: it is to be replaced. `by`: what says of whom; what two places of a record tell by the same is, too.
    """

    start: int
    end: int
    likely: bool
    by: str = ""


MADE = r"<PERSON_(?:v[0-9]+|[0-9a-f]{8})>"
"""A pseudonym of somebody."""

_IS_HAN = re.compile(f"[{HAN}]")
_BEFORE = frozenset("跟和与给让找叫问请由替帮陪谢的接是系诉催喊欠祝赔")
_AFTER = frozenset(
    "核说反馈协来去在吗你您的了也会要拟签付喜干先确留因已将被为请我就过有休换自不建提出负带能把和与跟还刚想没打发订听今明昨证做看问拿可"
    "上下开放人欠谈聊啊吧呢本"
)


def is_spoken_of(text: str, start: int, end: int) -> bool:
    """Whether nothing but what is said of people touches Chinese characters: 和玲海在一起."""
    left, right = text[start - 1 : start] if start else "", text[end : end + 1]
    return (not _IS_HAN.match(left) or left in _BEFORE) and (not _IS_HAN.match(right) or right in _AFTER)
