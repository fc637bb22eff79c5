"""Serial numbers of mobile equipment (3GPP TS 23.003)."""

from random import Random

from datacheck.pii.matching.expressions import BREAK, GAP, GATE_DIGITS, LEFT, LINKER, RIGHT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, completed, random_digits, words
from datacheck.pii.recognizers.cn_bank_card import luhn


class Imei(Recognizer):
    """15 digits with a Luhn digit, beside a word: one random number in ten passes."""

    entity = "IMEI"
    priority = 160
    policy = Policy("warn")
    label = "IMEI:"
    gate = GATE_DIGITS
    prefilter = rf"[0-9](?:{GAP}[0-9]){{14}}|[0-9]{{2,13}}{BREAK}[0-9]{{2,13}}"
    needs = anywhere("串号", "串码", "设备号", "设备识别", "设备码", "imei", "meid")
    patterns = {
        "imei": rf"(?:{LEFT}|(?<=(?i:imei|meid)))[0-9](?:{GAP}[0-9]){{14}}{RIGHT}(?!{GAP}[0-9])",
        # a number that goes on in the next line
        "imei.lines": (
            rf"(?i:imei|meid|串[号码]){LINKER}"
            rf"(?P<value>(?=[0-9]{{2,13}}\r?\n)[0-9](?:(?:{BREAK})?[0-9]){{14}}){RIGHT}"
        ),
    }
    positive = r"串号|串码|设备号|设备识别|设备码|(?i:imei|meid)"
    specimens = words("490154203237518 356938035643809 123456789012347")
    shown = (8, 0)

    def judge(self, _rule: str, value: str) -> Judgement | None:
        """Judge by Luhn; specimens take the word as well, they are mere digits."""
        number = self.canonical(value)
        if number in self.specimens:
            return Judgement(0.3, "specimen")
        return Judgement(0.3, "valid") if luhn(number) else Judgement(0.2, "suspect")

    def canary(self, rng: Random) -> str:
        """Return a labelled number with a right Luhn digit."""
        return self.label + completed(f"86{random_digits(rng, 12)}", luhn)
