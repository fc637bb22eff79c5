"""Unified social credit codes (GB 32100): an organisation's, or a sole trader's."""

import re
from random import Random

from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, GLUED_LEFT, RIGHT
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_PROSE = re.compile("[^0-9A-Za-z][A-Za-z]?[a-z]{3}")  # a number and the next words: 1-800-273-8255. They can
_CHAR = "[0-9A-HJ-NP-RTUWXYa-hj-np-rtuwxy]"


_BROKEN = rf"[1-9A-GNY](?:\r?\n)?{_CHAR}(?:(?:\r?\n)?[0-9]){{6}}(?:(?:\r?\n)?{_CHAR}){{10}}"


class CnUscc(Recognizer):
    """18 characters with a check character of MOD 31; digits alone, or a wrong one, take a word beside them."""

    entity = "CN_USCC"
    region = "CN"
    priority = 120
    policy = Policy("warn")
    gate = GATE_DIGITS
    prefilter = rf"[1-9A-GNYa-gny]{GAP}{_CHAR}(?:{GAP}[0-9]){{6}}(?:{GAP}{_CHAR}){{10}}"
    prefilters = (_BROKEN,)
    patterns = {
        "cn_uscc": rf"{GLUED_LEFT}[1-9A-GNYa-gny]{GAP}{_CHAR}(?:{GAP}[0-9]){{6}}(?:{GAP}{_CHAR}){{10}}{RIGHT}",
        "cn_uscc.lines": rf"{GLUED_LEFT}(?=[0-9A-Z]{{2,17}}\r?\n){_BROKEN}{RIGHT}",  # it goes on in the next line
    }
    positive = r"信用代码|社会信用|税号|纳税人|组织机构|营业执照|注册号|(?i:uscc|credit code|tax)"
    extents = (
        (
            rf"(?<![0-9A-Za-z])(?=[0-9]{{0,16}}[A-WYZa-wyz]){_CHAR}{{2}}(?:{GAP}[0-9]){{6}}(?:{GAP}{_CHAR})"
            rf"{{10}}(?![0-9A-Za-z])"
        ),
    )
    specimens = words("91350100M000100Y43 911100000000000000 91110000000000000X 123456789012345678")
    shown = (4, 0)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the check character."""
        code = self.canonical(value)
        if _PROSE.search(value):
            return None
        if code in self.specimens:
            return Judgement(1.0, "specimen")
        if check_character(code[:17]) != code[17]:
            return None if rule == "cn_uscc.lines" else Judgement(0.2, "suspect")
        return Judgement(0.3 if code.isdigit() or rule == "cn_uscc.lines" else 0.8, "valid")

    def canary(self, rng: Random) -> str:
        """Return a company's code with a right check character."""
        body = "9" + rng.choice("12") + rng.choice(("110105", "310104", "440305")) + "MA" + random_digits(rng, 7)
        return body + check_character(body)


def check_character(body: str) -> str:
    """Return the check character of 17 characters: weights 3^i mod 31."""
    total = sum(_ALPHABET.index(char) * pow(3, place, 31) for place, char in enumerate(body))
    return _ALPHABET[-total % 31]
