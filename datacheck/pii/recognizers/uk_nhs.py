"""Patients' numbers of the National Health Service."""

from random import Random

from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, LEFT, RIGHT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words


class UkNhs(Recognizer):
    """Ten digits, the last by weights 10 to 2 mod 11, beside the word."""

    entity = "UK_NHS"
    region = "UK"
    priority = 240
    policy = Policy("block", hard=True)
    label = "NHS "
    gate = GATE_DIGITS
    prefilter = rf"[0-9](?:{GAP}[0-9]){{9}}"
    needs = anywhere("nhs", "nationalhealth")
    patterns = {"uk_nhs": rf"{LEFT}[0-9](?:{GAP}[0-9]){{9}}{RIGHT}(?![\- ][0-9])"}
    positive = r"(?i:(?<![a-z])nhs(?![a-z])|national ?health)"
    specimens = words("4010232137 9434765919 9434765870 9000000009")
    shown = (3, 0)

    def judge(self, _rule: str, value: str) -> Judgement | None:
        """Judge by the check digit."""
        number = self.canonical(value)
        return Judgement(0.3, self.state(value)) if is_valid(number) else None

    def canary(self, rng: Random) -> str:
        """Return a labelled number with a right check digit."""
        while True:
            number = "4" + random_digits(rng, 9)
            if is_valid(number):
                return f"{self.label}{number}"


def is_valid(number: str) -> bool:
    """Whether the check digit is right."""
    return (
        sum(int(digit) * weight for digit, weight in zip(number, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1), strict=True)) % 11
        == 0
    )
