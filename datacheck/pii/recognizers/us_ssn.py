"""Social security numbers of the United States."""

import re
from random import Random

from datacheck.pii.matching.expressions import BREAK, GAP, GATE_DIGITS, LEFT, LINKER, RIGHT, anywhere
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, in_sequence, words

_SEP = r"[\- .]"
_START = rf"(?:{LEFT}|(?<=(?i:ssn))|(?<=[^A-Za-z][Nn]o))"
# "The Social Security number on file (…": more characters than the window of context has
_LABEL = r"(?i:social[ _\-]?security[ _\-]{0,2}(?:number|num|no\.?|card(?: number)?)"
_LABEL += r"|(?<![a-z])soc(?:ial)?\.?[ ]?sec(?:urity)?\.?(?:[ ](?:number|num|no\.?))?|(?<![a-z])ss[ ]?\#"
_LABEL += r"|(?<=(?:my|his|her|their|your|the) )social(?=[,:]? (?:is |should be |number |no\.? )?\(?[0-9])"
_LABEL += r"|(?<![a-z])ssn|(?<![a-z])social(?=:? (?:is |number |no\.? )?[0-9]{3}[ .][0-9]{2}[ .]))"
# Year, month and number of a paper (arXiv's scheme since 2015): 2301.12345
_ARXIV = re.compile(r"[0-9]{2}(?:0[1-9]|1[0-2])[.·][0-9]{5}")
_REPORTED = 48
_ZIP = re.compile("[0-9]{5}-[0-9]{4}")  # ZIP+4 of the Postal Service
# a line of a report: Other social security charges 173 134 120
_CHARGES = re.compile(
    r"(?i:social security (?:charges|contributions?|costs?|expenses?|benefits?|payments?|tax(?:es)?))[^0-9]{0,12}\Z"
)
_PAPER = re.compile(r"(?i:arxiv)[^0-9]{0,12}\Z")


class UsSsn(Recognizer):
    """3-2-4 digits, no area 000, 666 or 9xx, no group 00, no serial 0000 (Social Security Administration)."""

    entity = "US_SSN"
    region = "US"
    priority = 220
    policy = Policy("block", hard=True)
    label = "SSN "
    gate = GATE_DIGITS
    prefilter = rf"[0-8](?:{GAP}[0-9]){{8}}|[0-8](?:(?:{BREAK}|-)?[0-9]){{8}}"
    needs = r"[0-9]-[0-9]{2}-[0-9]|" + anywhere(
        "社会安全号", "社安号", "ssn", "social", "securitynum", "taxpayer", "socsec", r"soc\.sec", "ss#"
    )
    patterns = {
        "us_ssn": rf"{_START}(?<![0-9]{_SEP})[0-8][0-9]{{2}}-[0-9]{{2}}-[0-9]{{4}}{RIGHT}(?!{_SEP}[0-9])",
        "us_ssn.labelled": rf"{_LABEL}{LINKER}{LEFT}(?P<value>[0-8](?:{GAP}[0-9]){{8}}){RIGHT}(?!-[0-9])",
        # a number that goes on in the next line
        "us_ssn.lines": (
            rf"(?:{_LABEL}|社会安全号码?|社安号){LINKER}(?P<value>(?=[0-9\-]{{2,9}}\r?\n)[0-8](?:(?:{BREAK}|-)?[0-9]){{8}}){RIGHT}(?!-?[0-9])"
        ),
        "us_ssn.before_letters": rf"(?i:ssn){LINKER}(?P<value>[0-8][0-9]{{2}}-[0-9]{{2}}-[0-9]{{4}})(?=[A-Za-z])",
        "us_ssn.spaced": rf"{_START}(?<![0-9]{_SEP})[0-8](?:{GAP}[0-9]){{8}}{RIGHT}(?!{_SEP}[0-9])",
    }
    positive = (
        r"SSN|社会安全号|社安号|(?<![A-Za-z])SS ?\#|(?i:(?<![a-z])soc(?:ial)?\.? ?sec)"
        r"|(?i:(?<![a-z])ssns?(?![a-z])|social.{0,4}security|security_?(?:num|no|card)|taxpayer"
        r"|(?<![a-z])social ?[:=#])"
    )
    negative_left = r"[=*×÷^≈]\s*\Z"
    specimens = words("078051120 219099999 123456789 457555462 123121234 111223333 001010001")
    shown = (0, 4)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the ranges that were never given out."""
        if _ARXIV.fullmatch(value):
            return None
        if _ZIP.fullmatch(value):
            return None
        number = self.canonical(value)
        if number in self.specimens or in_sequence(number) or len(set(number)) == 1:  # 444-44-4444
            return Judgement(0.2 if rule == "us_ssn.spaced" else 1.0, "specimen")
        if number[:3] in ("000", "666") or number[3:5] == "00" or number[5:] == "0000":
            return None
        return Judgement(0.2 if rule == "us_ssn.spaced" else 0.6, "valid")

    def denies(self, value: str, before: str, after: str) -> bool:
        """Where a paper's number stands without its dot."""
        del value, after
        return _PAPER.search(before) is not None

    def is_other(self, text: str, start: int, end: int) -> bool:
        """A line of figures is none."""
        del end
        return _CHARGES.search(text, max(0, start - _REPORTED), start) is not None

    def canary(self, rng: Random) -> str:
        """Return a number with dashes."""
        return f"{rng.randrange(100, 600)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"
