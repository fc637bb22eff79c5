"""Coordinates as exact as a house (four decimals are 11 m)."""

import re
from random import Random

from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer

_DECIMAL = r"[+\-]?[0-9]{1,3}\.[0-9]{4,15}"
_DMS = (
    r"[0-9]{1,3}[ ]?[°度][ ]?[0-9]{1,2}[ ]?['′’分][ ]?[0-9]{1,2}(?:\.[0-9]{1,4})?[ ]?(?:\\?[\"″”秒]|'')[ ]?[NSEWnsew]?"
)
_NUMBER = re.compile(r"[+\-]?[0-9]{1,3}\.[0-9]+")
_PRODUCT = re.compile(r"[*×·]|\\(?:cdot|times)")  # of two numbers


class Gps(Recognizer):
    """A latitude and a longitude with four decimals or more; within the box around China no word is needed."""

    entity = "GPS"
    priority = 310
    policy = Policy("warn")
    prefilter = r"[0-9]\.[0-9]{4}[^.]{1,40}[0-9]\.[0-9]{4}|[°度][ ]?[0-9]{1,2}[ ]?['′’分]"
    patterns = {
        "gps": (
            r"(?:(?<![0-9A-Za-z.])|(?<=(?i:gps)))"
            rf"{_DECIMAL}[ ]?°?[ ]?[NSEWnsew]?[^0-9\n.+\-]{{1,16}}?{_DECIMAL}(?![0-9]|\.[0-9])"
            rf"[ ]?°?[ ]?[EWNSewns]?(?![A-Za-z])"
        ),
        "gps.dms": (
            rf"(?:[NSEWnsew北南东西][纬经]?[ ]?)?{_DMS}[,，、;； ]{{0,3}}(?:[NSEWnsew北南东西][纬经]?"
            rf"[ ]?)?{_DMS}"
        ),
    }
    positive = (
        r"经度|纬度|坐标|座标|经纬|定位|位置|东经|北纬"
        r"|(?<![A-Za-z])(?i:gps|locat|coord|geo|latl|(?:lat(?:itude)?|lng|lon(?:g(?:itude)?)?)(?![a-z]))"
    )
    negative_left = (
        r"(?:[\[(（,，][^\[(（]{0,2}|[0-9.] *[,，] *)(?<=[0-9],? *)\Z"
        # where the earth shook, or a storm is
        r"|(?:震中|震源|台风中心|(?i:epicent(?:er|re)|hypocent(?:er|re)))[^\n]{0,20}\Z"
        # a point of a drawing in Asymptote: label("$N$",(44.91307,108.57427))
        r"|(?:(?:dot|draw|fill|label|pair|circle|arc)\([^()\n]{0,20}|--)\(?\Z"
    )
    extents = (r"[0-9]{1,3}\.[0-9]{4,}", _DMS)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the ranges; 0 to 1 and vectors are not places."""
        if rule == "gps.dms":
            return Judgement(0.7, "valid")
        if _PRODUCT.search(value):
            return None
        one, two = (float(number) for number in _NUMBER.findall(value)[:2])
        if abs(one) > 180 or abs(two) > 180 or min(abs(one), abs(two)) > 90:
            return None
        return Judgement(0.5 if _in_china(one, two) or _in_china(two, one) else 0.2, "valid")

    def canonical(self, value: str) -> str:
        """Return its numbers."""
        return ",".join(re.findall(r"[+\-]?[0-9]+(?:\.[0-9]+)?", value))

    def mask(self, value: str) -> str:
        """Keep nothing but the whole degrees of the first number."""
        return re.split(r"[.°度]", value, maxsplit=1)[0] + ".****"

    def canary(self, rng: Random) -> str:
        """Return a place between Wuhan and Shanghai."""
        return f"{rng.uniform(29, 31):.6f},{rng.uniform(114, 121):.5f}7"


def _in_china(latitude: float, longitude: float) -> bool:
    return 18 <= latitude <= 54 and 73 <= longitude <= 135
