"""Identity numbers of Taiwan, citizens' and residents'."""

from random import Random

from datacheck.pii.matching.expressions import BREAK, GAP, GATE_DIGITS, GLUED_LEFT, RIGHT
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, completed, random_digits, words

# The value of the letter (place of registration), by the Ministry of the Interior's table.
_LETTERS = {letter: 10 + place for place, letter in enumerate("ABCDEFGHJKLMNPQRSTUVXYWZIO")}
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 1, 1)


# a number that goes on in the next line, behind its label
_LABELLED = r"(?:身[份分][证證]|居留[证證]|[统統]一[证證编編][号號]|(?i:taiwan id|arc))[^0-9\n]{0,16}"
_BROKEN = rf"[A-Z][1289A-D](?:(?:{BREAK})?[0-9]){{8}}"
_LABEL_TOUCHES = r"(?<=(?<![0-9A-Za-z])(?i:id|arc))"


class TwId(Recognizer):
    """A letter, 1/2 (citizens) or 8/9, A to D (residents), seven digits and a check digit; one in ten passes it."""

    entity = "TW_ID"
    region = "TW"
    priority = 110
    policy = Policy("block", hard=True)
    label = "身分證"
    gate = f"{GATE_DIGITS}\n{_LABELLED}{_BROKEN}"
    prefilter = rf"[A-Za-z]{GAP}[1289A-Da-d](?:{GAP}[0-9]){{8}}"
    prefilters = (f"{_LABELLED}{_BROKEN}",)
    _begins = rf"[A-Za-z]{GAP}[1289A-Da-d]"  # looked at first, for most letters begin a word
    patterns = {
        "tw_id": rf"(?={_begins}{GAP}[0-9])(?:{GLUED_LEFT}|{_LABEL_TOUCHES}){_begins}(?:{GAP}[0-9]){{8}}{RIGHT}",
        "tw_id.lines": (rf"{_LABELLED}(?<![0-9A-Za-z])(?P<value>(?=[^\n]{{2,9}}\n){_BROKEN}){RIGHT}"),
    }
    positive = (
        r"身份证|身份證|身分證|身分证|台湾|臺灣|台灣|居留|统一编号|統一編號|统一证号|證號|证号|证件|病患|患者|病人|保單|保戶"
        r"|ARC(?![A-Z])|(?<![A-Za-z])R\.?O\.?C\.?(?= ?(?i:id|identity))"
        r"|(?i:taiwan|(?<![a-z])arc_?(?:no|num|id)|alienresident|residentcert|(?<![a-z])tw_?id"
        r"|national[ _]?id|identity|id ?(?:card|no|number))"
    )
    extents = (rf"(?<![0-9A-Za-z])[A-Za-z]{GAP}[1289A-D](?:{GAP}[0-9]){{8}}(?![0-9A-Za-z])",)
    specimens = words("A123456789 A223456781 A100000001 A234567893 A800000014")

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the check digit."""
        number = self.canonical(value)
        if number in self.specimens:
            return Judgement(1.0, "specimen")
        if rule == "tw_id.lines":
            return Judgement(0.6, "valid") if is_valid(number) else None
        return Judgement(0.35, "valid") if is_valid(number) else Judgement(0.2, "suspect")

    def canary(self, rng: Random) -> str:
        """Return the word and a citizen's number with a right check digit."""
        body = rng.choice("BCDEFGHJK") + rng.choice("12") + random_digits(rng, 7)
        return self.label + completed(body, is_valid)


def is_valid(number: str) -> bool:
    """Whether the weighted sum ends in 0."""
    tens, ones = divmod(_LETTERS[number[0]], 10)
    second = _LETTERS[number[1]] % 10 if number[1].isalpha() else int(number[1])
    digits = [second, *map(int, number[2:])]
    return (tens + ones * 9 + sum(d * w for d, w in zip(digits, _WEIGHTS, strict=True))) % 10 == 0
