"""Macao identity cards."""

from random import Random

from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, GLUED_LEFT, RIGHT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

_LEFT = rf"(?:{GLUED_LEFT}|(?<=(?<![0-9A-Za-z])(?i:id)))"
_NO_DATE = r"(?!1[0-9]{3}[\-. ][0-9]{1,2}[\-. ][0-9]{1,2}(?![0-9]))"  # 1990-12-11


class MoId(Recognizer):
    """1, 5 or 7, six digits and a check digit (whose rule is not public): the form alone, so it takes context."""

    entity = "MO_ID"
    region = "MO"
    priority = 100
    policy = Policy("block", hard=True)
    label = "澳门证件"
    gate = GATE_DIGITS
    prefilter = rf"[157][ ]?/?[ ]?(?:{GAP}[0-9]){{6}}{GAP}[/(（\[]?{GAP}[0-9]"
    needs = anywhere("澳门", "澳門", "macau", "macao", "bir", "moid", "mo_id")
    patterns = {
        "mo_id.slashes": rf"{GLUED_LEFT}(?<![0-9]/)[157][ ]?/[ ]?[0-9](?:{GAP}[0-9]){{5}}[ ]?/[ ]?[0-9](?![0-9/])",
        "mo_id": rf"{_LEFT}[157](?:{GAP}[0-9]){{6}}[ ]?(?:[(（\[][ ]?[0-9][ ]?[)）\]]|/[0-9](?![0-9/]))",
        "mo_id.bare": rf"{GLUED_LEFT}{_NO_DATE}[157](?:{GAP}[0-9]){{6}}{GAP}[0-9]{RIGHT}",
    }
    positive = r"澳门|澳門|BIR(?![A-Z])|(?i:macau|macao|bir_?(?:no|num)|(?<![A-Za-z])mo_?id(?![a-z]))"
    specimens = words("12345678 10000000 11111111 51234567 71234567")

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the form: never enough without a word beside it."""
        return Judgement(0.2 if rule == "mo_id.bare" else 0.3, self.state(value))

    def canary(self, rng: Random) -> str:
        """Return the place and a number."""
        return f"{self.label}{rng.choice('157')}{random_digits(rng, 6)}({rng.randrange(10)})"
