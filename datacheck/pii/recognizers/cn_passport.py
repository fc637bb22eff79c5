"""Passports of China, Hong Kong and Macao by their form; others are PASSPORT (national.toml)."""

from random import Random

from datacheck.pii.lookalikes import is_a_files_date
from datacheck.pii.matching.expressions import BREAK, GAP, GATE_DIGITS, GLUED_LEFT, LEFT, LINKER, RIGHT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, compact, random_digits, words

_LABEL = r"护照(?:号码?|编号)?|護照(?:號碼?)?|[Pp]assport(?: ?(?:[Nn]o\.?|[Nn]umber|#|_?number|_?no|_?id))?"
# "US passport C03004786" is none of China
_NATIVE = r"(?<!(?i:\bUSA?|U\.S\.|American|\bUK|British|Indian|Japanese|Korean|美国|英国|日本|韩国|印度)[ ]?)"
# a number that goes on in the next line
_BROKEN = rf"(?:{_LABEL})[^0-9\n]{{0,12}}[EGeg][A-Za-z]?(?:(?:{BREAK})?[0-9]){{7,8}}"
_LETTER = "[A-HJ-NP-Za-hj-np-z]"
_DIGITS7, _DIGITS8 = rf"(?:{GAP}[0-9]){{7}}", rf"(?:{GAP}[0-9]){{8}}"


class CnPassport(Recognizer):
    """E/G and eight digits, E, a letter and seven, service passports: a form so common that it takes context."""

    entity = "CN_PASSPORT"
    region = "CN"
    priority = 70
    policy = Policy("block", hard=True)
    label = "护照"
    gate = f"{GATE_DIGITS}\n{_BROKEN}"
    prefilter = GATE_DIGITS
    prefilters = (_BROKEN,)
    needs = anywhere("护照", "護照", "passport")
    patterns = {
        "cn_passport": (
            rf"{LEFT}(?:[EGDSPKHegdspkh]{_DIGITS8}|[Ee]{GAP}{_LETTER}{_DIGITS7}|(?:1[45]|[Pp]){_DIGITS7}"
            rf"|(?:[DSPdsp][Ee]|[Kk][Jj]|[Mm][ABab]|[Pp][DJdj]){_DIGITS7}){RIGHT}"
        ),
        "cn_passport.labelled": (
            rf"{_NATIVE}(?:{_LABEL}){LINKER}(?:{GLUED_LEFT}|(?<=(?i:passport)))"
            rf"(?P<value>(?:[EGDSPKHMegdspkhm]{GAP}(?:[A-Za-z]{GAP})?)?[0-9](?:{GAP}[0-9]){{5,8}}){RIGHT}"
        ),
        "cn_passport.lines": (
            rf"(?:{_LABEL})[^0-9\n]{{0,12}}(?<![0-9A-Za-z])"
            rf"(?P<value>(?=[^\n]{{2,9}}\n)[EGeg][A-Za-z]?(?:(?:{BREAK})?[0-9]){{7,8}}){RIGHT}"
        ),
    }
    positive = r"护照|護照|(?i:passport)"
    extents = (rf"(?<![0-9A-Za-z])[A-Za-z]{{1,2}}{GAP}[0-9](?:{GAP}[0-9]){{6,7}}(?![0-9])",)
    specimens = words("E00000000 E12345678 G12345678 G00000000 E11111111 EA1234567 A12345678 123456789 K12345678")

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the form."""
        if compact(value) in self.specimens:
            return Judgement(0.2, "specimen") if rule == "cn_passport" else Judgement(1.0, "specimen")
        return Judgement(0.2, "valid") if rule == "cn_passport" else Judgement(0.6, "valid")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """The date in the name of a file is none."""
        return is_a_files_date(text, start, end)

    def canary(self, rng: Random) -> str:
        """Return the word and an electronic passport's number."""
        return f"{self.label}E{rng.choice('ABCDEFGHJK')}{random_digits(rng, 6)}7"
