"""Registration numbers of the Drug Enforcement Administration (United States)."""

from random import Random

from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, LEFT, RIGHT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words


class MedicalLicense(Recognizer):
    """Two letters and seven digits with a check digit, beside a word."""

    entity = "MEDICAL_LICENSE"
    region = "US"
    priority = 250
    policy = Policy("warn")
    label = "DEA "
    gate = GATE_DIGITS
    prefilter = rf"[A-Za-z][A-Za-z9](?:{GAP}[0-9]){{7}}"
    needs = anywhere("dea", "medical", "licence", "license", "prescri", "registration")
    patterns = {"medical_license": rf"{LEFT}[A-HJ-MPR-UXa-hj-mpr-ux][A-Za-z9](?:{GAP}[0-9]){{7}}{RIGHT}"}
    positive = r"(?i:(?<![a-z])dea(?![a-z])|medical|licen[cs]e|prescri|registration|certificate (?:number|no))"
    extents = (r"(?<![0-9A-Za-z])[A-Za-z][A-Za-z9][0-9]{7}(?![0-9A-Za-z])",)
    specimens = words("AB1234563 BB1388568")

    def judge(self, _rule: str, value: str) -> Judgement | None:
        """Judge by the check digit."""
        number = self.canonical(value)
        return Judgement(0.3, self.state(number)) if is_valid(number[2:]) else None

    def canary(self, rng: Random) -> str:
        """Return a labelled number with a right check digit."""
        while True:
            digits = random_digits(rng, 7)
            if is_valid(digits):
                return f"{self.label}{rng.choice('BFM')}{rng.choice('KLPRST')}{digits}"


def is_valid(digits: str) -> bool:
    """Whether the last of seven digits is that of the odd places plus twice the even ones."""
    values = [int(digit) for digit in digits]
    return (sum(values[:6:2]) + 2 * sum(values[1:6:2])) % 10 == values[6]
