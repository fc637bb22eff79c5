"""Hong Kong identity cards."""

from random import Random

from datacheck.pii.matching.expressions import GAP, GATE_DIGITS, GLUED_LEFT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

# HKIDC668668(9); what follows is looked at first, for most letters begin a word. Two small letters apart from what
# follows are one: "the quantity is 468-473 (6)".
_LEFT = rf"(?=[A-Za-z]{{1,2}}{GAP}[0-9])(?![a-z]{{2}}[^0-9])(?:{GLUED_LEFT}|(?<=(?<![A-Za-z])(?i:hkid|hk ?id|id)))"
_OPEN, _CLOSE = r"[ ]?[(（\[]?[ ]?", r"[ ]?[)）\]]?"


class HkId(Recognizer):
    """One or two letters, six digits and a check digit (weights 9 to 2 mod 11), mostly in parentheses."""

    entity = "HK_ID"
    region = "HK"
    priority = 90
    policy = Policy("block", hard=True)
    label = "香港身份证"
    gate = GATE_DIGITS
    prefilter = rf"[A-Za-z](?:{GAP}[0-9]){{6}}{GAP}[(（\[]?{GAP}[0-9Aa]"
    needs = r"[0-9][ ]?[(（\[][ ]?[0-9Aa]|" + anywhere(
        "身份证", "身份證", "身分證", "身分证", "香港", "港澳", "证件", "證件", "hkid", "hk_id", "hongkong", "identity",
        "idcard", "idno", "idnumber",
    )  # fmt: skip
    tries = {"hk_id": (r"[0-9][ ]?[(（\[][ ]?[0-9Aa][ ]?[)）\]]",)}
    patterns = {
        "hk_id": rf"{_LEFT}[A-Za-z]{{1,2}}(?:{GAP}[0-9]){{6}}[ ]?[(（\[][ ]?[0-9Aa][ ]?[)）\]]",
        "hk_id.bare": rf"{_LEFT}[A-Za-z]{{1,2}}(?:{GAP}[0-9]){{6}}{GAP}[0-9Aa](?![0-9A-Za-z]|{GAP}[0-9])",
    }
    positive = r"身份证|身份證|身分證|身分证|香港|港澳|证件|證件|(?i:hk_?id|hong ?kong|identity|id ?(?:card|no|number))"
    extents = (rf"(?<![0-9A-Za-z])[A-Za-z]{{1,2}}(?:{GAP}[0-9]){{6}}{_OPEN}[0-9Aa]?{_CLOSE}",)
    specimens = words("A1234563 Z6833655 C6688668 A1234567 A0000000")

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the check digit; with parentheses and a right one no context is needed."""
        number = self.canonical(value)
        if number in self.specimens:
            return Judgement(1.0 if rule == "hk_id" else 0.2, "specimen")
        if check_digit(number[:-1]) != number[-1]:
            return Judgement(0.2, "suspect")
        return Judgement(0.6 if rule == "hk_id" else 0.2, "valid")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """The number of a paragraph: Regulation SX 210.6-07(9)."""
        value = text[start:end]
        return "." in value and "-" in value

    def canary(self, rng: Random) -> str:
        """Return a number with a right check digit in parentheses."""
        body = rng.choice("CDEGKPRVYZ") + random_digits(rng, 6)
        return f"{body}({check_digit(body)})"


def check_digit(body: str) -> str:
    """Return the check character of one or two letters and six digits; a missing first letter counts as 36."""
    values = [36] * (8 - len(body)) + [int(char, 36) for char in body]
    rest = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True)) % 11
    return "0A987654321"[rest]
