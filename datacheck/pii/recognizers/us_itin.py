"""Taxpayer numbers of the United States (Internal Revenue Service)."""

import re
from random import Random

from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, LEFT, RIGHT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, compact, words

_DASHED = re.compile("9[0-9]{2}-[0-9]{2}-[0-9]{4}")


class UsItin(Recognizer):
    """9xx-xx-xxxx with a group of 50 to 65, 70 to 88, 90 to 92 or 94 to 99."""

    entity = "US_ITIN"
    region = "US"
    priority = 230
    policy = Policy("block", hard=True)
    label = "ITIN "
    gate = GATE_DIGITS
    prefilter = rf"9(?:{GAP}[0-9]){{8}}"
    needs = r"9[0-9]{2}-[0-9]{2}-[0-9]|" + anywhere("itin", "individualtax", "taxpayer")
    patterns = {"us_itin": rf"{LEFT}(?<![0-9]-)9(?:{GAP}[0-9]){{8}}{RIGHT}(?!-[0-9])"}
    positive = r"(?i:(?<![a-z])itins?(?![a-z])|individual ?tax|taxpayer)"
    specimens = words("900700000 987654321 911701234")
    shown = (0, 4)

    def judge(self, _rule: str, value: str) -> Judgement | None:
        """Judge by the group; a word must stand beside it, or dashes in it."""
        number = compact(value)
        group = int(number[3:5])
        if not (50 <= group <= 65 or 70 <= group <= 88 or 90 <= group <= 92 or 94 <= group <= 99):
            return None
        return Judgement(0.6 if _DASHED.fullmatch(value) else 0.3, self.state(number))

    def canary(self, rng: Random) -> str:
        """Return a labelled number."""
        return f"{self.label}9{rng.randrange(10, 99)}-{rng.randrange(70, 88)}-{rng.randrange(1000, 9999)}"
