"""Dates of birth, by their label."""

import re
from random import Random

from datacheck.pii.matching.expressions import LINKER
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Labelled

_LABEL = (
    r"(?:出生日期|出生年月日?|出生时间|生日|出生于|生于|诞生于|出生|(?i:date[ _\-]{0,2}of[ _\-]{0,2}birth|dob"
    r"|birth[ _\-]{0,2}(?:date|day)|born(?: on)?))"
)
_LINK = rf"(?:在)?{LINKER}"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_YEAR, _SEP = r"(?:1[89]|20)[0-9]{2}", r"[ ]?[\-/.年－／][ ]?"
_CHINESE = "[〇零○一二三四五六七八九]"
_VALUE = (
    rf"(?:{_YEAR}{_SEP}[01]?[0-9](?:[ ]?[\-/.月－／][ ]?[0-3]?[0-9](?:[ ]?[日号])?|[ ]?月)"
    rf"|(?:1[89]|20)[0-9]{{2}}[01][0-9][0-3][0-9](?![0-9])|[0-3]?[0-9]/[0-3]?[0-9]/(?:1[89]"
    rf"|20)?[0-9]{{2}}|[0-3]?[0-9][\-.][0-3]?[0-9][\-.]{_YEAR}"
    rf"|[一二]{_CHINESE}{{3}}年[一二三四五六七八九十]{{1,2}}月(?:[一二三四五六七八九十]{{1,3}}[日号])?"
    rf"|{_MONTH}[ ][0-3]?[0-9](?:st|nd|rd|th)?,?[ ]{_YEAR}|[0-3]?[0-9](?:st|nd|rd"
    rf"|th)?[ ](?:of[ ])?{_MONTH},?[ ]{_YEAR})"
)
_NUMERALS = str.maketrans("〇零○一二三四五六七八九", "000123456789")


class DateOfBirth(Labelled):
    """A date after 出生日期, 生于, born on. Biographies are full of them, so one alone only warns."""

    entity = "DATE_OF_BIRTH"
    priority = 330
    policy = Policy("warn", linked="block")
    label = "生日:"
    prefilter = rf"{_LABEL}{_LINK}[0-9一二A-Z]|出生|[日月年号][ ]?生|[0-9][ ]?生"
    patterns = {
        "date_of_birth": rf"(?<![发产](?=生于)){_LABEL}{_LINK}(?P<value>{_VALUE})(?![0-9])",
        "date_of_birth.after": rf"(?<![0-9A-Za-z])(?P<value>{_VALUE})[ ]?(?:出生|生(?![产活效成长意命日]))",
    }
    extents = (rf"{_LABEL}{_LINK}(?P<value>{_VALUE})", rf"{_VALUE}[ ]?出生")
    specimens = frozenset({"19491231", "20000101", "19900101", "19700101"})

    def canonical(self, value: str) -> str:
        """Return year, month and day as digits where they stand in this order, else the text."""
        numbers = re.findall("[0-9]+", value)
        return "".join(f"{int(number):02d}" for number in numbers) if len(numbers) > 1 else value.translate(_NUMERALS)

    def mask(self, value: str) -> str:
        """Keep the century."""
        return f"{value[:2]}**-**-**" if value[:2] in ("18", "19", "20") else "**-**-**"

    def canary(self, rng: Random) -> str:
        """Return a labelled date."""
        return f"{self.label}{rng.randrange(1950, 2009)}-{rng.randrange(1, 13):02d}-{rng.randrange(10, 29)}"
