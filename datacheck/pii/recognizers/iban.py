"""International bank account numbers (ISO 13616)."""

from random import Random

from datacheck.pii.matching.expressions import GAP, LEFT, LINKER, RIGHT
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

_CHAR = "[0-9A-Za-z]"
_LABEL_TOUCHES = "(?<=(?<![A-Za-z])(?i:iban))"


class Iban(Recognizer):
    """A country, its length and structure, and the check digits of MOD 97-10 (by python-stdnum)."""

    entity = "IBAN"
    priority = 25  # before CN_RESIDENT_ID: written in groups, an account may hold a valid one
    policy = Policy("block", hard=True)
    prefilter = rf"[A-Z]{GAP}[A-Z]{GAP}[0-9]{GAP}[0-9](?:{GAP}[0-9A-Z]){{11}}|[a-z]{{2}}[0-9]{{2}}[0-9a-z]{{11}}"
    prefilter += r"|[A-Z]{2}[0-9]{2}[0-9A-Z]{2,26}\r?\n[0-9A-Z]{4}"
    patterns = {
        "iban": rf"{LEFT}[A-Z]{GAP}[A-Z]{GAP}[0-9]{GAP}[0-9](?:{GAP}[0-9A-Z]){{11,30}}{RIGHT}",
        # words in capitals may follow, and the label may touch it
        "iban.solid": rf"(?:{LEFT}|{_LABEL_TOUCHES})[A-Z]{{2}}[0-9]{{2}}[0-9A-Z]{{11,30}}{RIGHT}",
        "iban.lower": rf"{LEFT}[a-z]{{2}}[0-9]{{2}}[0-9a-z]{{11,30}}{RIGHT}",
        # A word may follow in capitals; groups of four end where the number does.
        "iban.groups": (
            rf"(?:{LEFT}|{_LABEL_TOUCHES})[A-Z]{{2}}[0-9]{{2}}"
            rf"(?:[ \-][0-9A-Z]{{4}}){{2,7}}(?:[ \-][0-9A-Z]{{1,3}})?{RIGHT}"
        ),
        "iban.whole_groups": rf"{LEFT}[A-Z]{{2}}[0-9]{{2}}(?:[ \-][0-9A-Z]{{4}}){{2,7}}(?=[ ][A-Z])",  # … 8901 X
    }
    # a number that goes on in the next line, behind its label
    patterns["iban.lines"] = (
        rf"(?:账[户号]|(?<![A-Za-z])(?i:iban|account(?: number)?)){LINKER}(?<![0-9A-Za-z])"
        rf"(?P<value>[A-Z]{{2}}[0-9]{{2}}[0-9A-Z]{{2,26}}\r?\n[0-9A-Z]{{4,26}}){RIGHT}"
    )
    positive = r"银行|账户|账号|(?i:iban|konto|bank|account|wire|transfer)"
    extents = (rf"(?<![0-9A-Za-z])[A-Z]{{2}}[0-9]{{2}}(?:{GAP}{_CHAR}){{11,30}}",)
    specimens = words(
        "DE89370400440532013000 GB29NWBK60161331926819 GB82WEST12345698765432 FR1420041010050500013M02606 "
        "CH9300762011623852957 NL91ABNA0417164300 BE68539007547034 ES9121000418450200051332 IT60X0542811101000000123456"
    )
    shown = (4, 2)

    def judge(self, _rule: str, value: str) -> Judgement | None:
        """Judge by the check digits; a wrong one is any word in capitals, so it is nothing."""
        number = self.canonical(value)
        if number in self.specimens:
            return Judgement(1.0, "specimen")
        from stdnum import iban  # only a candidate pays for its tables

        if iban.is_valid(number):
            return Judgement(0.9, "valid")
        # The check digits of the country's own number are wrong: beside a word like IBAN it is one all the same.
        return Judgement(0.5, "suspect", "valid") if iban.is_valid(number, check_country=False) else None

    def canary(self, rng: Random) -> str:
        """Return a German account with right check digits."""
        body = random_digits(rng, 18)
        return f"DE{98 - int(f'{body}131400') % 97:02d}{body}"
