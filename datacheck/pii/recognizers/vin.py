"""Vehicle identification numbers (ISO 3779)."""

from random import Random

from datacheck.pii.matching.expressions import GATE_FIVE_DIGITS, LEFT, LINKER, RIGHT, SEPARATOR, anywhere, worded
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, words

_CHAR = "[A-HJ-NPR-Z0-9]"
# ISO 3779 and 49 CFR 565: I, O and Q are no characters of one; the ninth is the check digit (also GB 16735).
_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", map(int, "123456781234579234567890123456789"), strict=True))
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_SIGN = f"{SEPARATOR}{{1,3}}"
# character by character or in fours: L S V …, LSVA 2VAD …
_SPACED = rf"(?i:{_CHAR}(?:[ ]{_CHAR}){{11}}(?:[ ][0-9]){{5}}|(?:{_CHAR}{{4}}{_SIGN}){{3}}[0-9]{{4}}(?:{_SIGN})?[0-9])"


_LABEL = "(?:车架[号號][码碼]?|VIN码?|车辆识别代[号码]|(?i:vehicle identification number|chassis (?:number|no\\.?)))"
# in groups of any length, or one by one with commas
_ANY_SIGN = rf"(?:{SEPARATOR}{{1,3}}|[,，、*/~][ ]?)?"
_APART = rf"{_CHAR}(?:{_ANY_SIGN}{_CHAR}){{11}}(?:{_ANY_SIGN}[0-9]){{5}}"
_BROKEN = rf"{_CHAR}(?:(?:\r?\n)?{_CHAR}){{16}}"


class Vin(Recognizer):
    """17 characters, the last five digits, beside a word; Europe uses no check digit, so a wrong one is no evidence."""

    entity = "VIN"
    priority = 135
    policy = Policy("block")
    label = "VIN "
    gate = f"{GATE_FIVE_DIGITS}\n[0-9](?:[,，、*/~][ ]?[0-9]){{4}}"
    prefilter = rf"(?i:{_CHAR}{{12}}[0-9]{{5}})|{_SPACED}"
    prefilters = (rf"{_CHAR}(?:{_ANY_SIGN}[0-9]){{5}}", rf"{_CHAR}{{3,14}}\r?\n{_CHAR}{{0,9}}[0-9]{{4}}")
    needs = anywhere("vin", "车架", "車架", "vehicle", "chassis", "车辆识别", "車輛識別")
    patterns = {
        # a label that is longer than the window of context
        "vin.labelled": (
            rf"(?i:(?:vehicle|car) identification(?: (?:number|no\.?|code))?|chassis (?:number|no\.?)){LINKER}"
            rf"(?P<value>(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])(?i:{_CHAR}{{12}}[0-9]{{5}})){RIGHT}"
        ),
        "vin": rf"(?:{LEFT}|(?<=(?<![A-Za-z])(?i:vin)))(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])"
        rf"(?i:{_CHAR}{{12}}[0-9]{{5}}){RIGHT}",
        "vin.spaced": rf"{LEFT}(?=[^0-9\n]{{0,24}}[0-9])(?={_CHAR}[^a-z]|[a-z])(?:{_SPACED}){RIGHT}",
    }
    # a number that goes on in the next line, behind its label
    patterns["vin.apart"] = rf"{_LABEL}{LINKER}(?<![0-9A-Za-z])(?P<value>{_APART}){RIGHT}"
    patterns["vin.lines"] = (
        rf"{_LABEL}{LINKER}(?<![0-9A-Za-z])"
        rf"(?P<value>(?=[0-9A-Z]{{3,14}}\r?\n){_BROKEN}){RIGHT}"
    )
    positive = (
        "车架|車架|车辆识别|車輛識別|"
        + worded("vin", "vehicle identification", "chassis")
        + "|"
        + worded("identification number", "identification no")
    )
    extents = (r"(?<![0-9A-Za-z])[A-HJ-NPR-Z0-9]{17}(?![0-9A-Za-z])",)
    specimens = words("1M8GDM9AXKP042788 1HGBH41JXMN109186")
    shown = (3, 0)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the word beside it; with a wrong check digit the number is still one."""
        number = self.canonical(value)
        if rule == "vin.lines":
            return Judgement(0.6, self.state(value)) if check_digit(number) == number[8] else None
        return Judgement(0.6 if rule == "vin.labelled" else 0.3, self.state(value))

    def canary(self, rng: Random) -> str:
        """Return the word and a number with a right check digit."""
        body = "LSV" + "".join(rng.choice("ABCDEFGHJK") for _ in range(5)) + "0"
        body += "".join(rng.choice("ABCDEFGH12345") for _ in range(3)) + f"{rng.randrange(10_000, 100_000)}"
        return f"{self.label}{body[:8]}{check_digit(body)}{body[9:]}"


def check_digit(number: str) -> str:
    """Return the character that belongs in the ninth place of 17."""
    rest = sum(_VALUES[char] * weight for char, weight in zip(number, _WEIGHTS, strict=True)) % 11
    return "X" if rest == 10 else str(rest)
