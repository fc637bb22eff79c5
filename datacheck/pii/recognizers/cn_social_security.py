"""Social security and medical insurance numbers, by their label."""

from random import Random

from datacheck.pii.lookalikes import is_a_row_of_figures
from datacheck.pii.matching.expressions import ARITHMETIC_RIGHT, GAP, GATE_DIGITS, LINKER, NO_WORD, RIGHT, english
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Labelled, random_digits, words

_LABEL = (
    r"(?:社保|社会保障|社會保障|社会保险|社會保險|医保|醫保|医疗保险|醫療保險|公积金|公積金|养老保险|養老保險)"
    r"(?:个人|個人|电脑|電腦|参保|登记|权益|卡|证|[账帐]户|賬戶|[账帐]号|賬號|编号|編號|编码|序号|[号號]){0,3}"
    r"|参保人?(?:编号|号)|"
) + english(
    r"social security (?:card|account|insurance)",
    r"social insurance(?: card| account)?",
    r"(?:medical|health|pension) insurance(?: card| account)?",
    r"(?:housing )?provident fund(?: account)?",
    r"medicare card",
    r"shebao(?: card)?",
    r"s[bs] card",
)
_BARE = english(r"social security")
_SSN = rf"[0-8](?:{GAP}[0-9]){{8}}(?!{GAP}[0-9])"  # behind _BARE a number of the United States
_VALUE = rf"(?:[A-Za-z]{GAP}){{0,2}}[0-9](?:{GAP}[0-9]){{6,18}}(?:{GAP}[Xx])?"


class CnSocialSecurity(Labelled):
    """A number after 社保, 医保 or 公积金; where it is the resident ID, that is what is reported."""

    entity = "CN_SOCIAL_SECURITY"
    region = "CN"
    priority = 50
    policy = Policy("block", hard=True)
    label = "社保卡"
    gate = GATE_DIGITS
    prefilter = rf"{_LABEL}|{_BARE}"
    needs = rf"[0-9](?:{GAP}[0-9]){{6}}"
    patterns = {
        # mayishebao-1758-0759 is the name of a file
        "cn_social_security": (
            rf"(?:(?<![a-z])|(?![a-z]))(?:{_LABEL}){LINKER}(?<![0-9A-Za-z]){NO_WORD}(?P<value>{_VALUE}){RIGHT}"
        ),
        "cn_social_security.en": rf"{_BARE}{LINKER}(?<![0-9A-Za-z]){NO_WORD}(?!{_SSN})(?P<value>{_VALUE}){RIGHT}",
    }
    negative_right = ARITHMETIC_RIGHT  # 缴纳社会保险54846.19元
    specimens = words("123456789 1234567890 12345678 123456789012 000000000")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """The row of a table on insurances is none."""
        return is_a_row_of_figures(text[start:end])

    def canary(self, rng: Random) -> str:
        """Return a labelled number."""
        return f"{self.label}{rng.choice('4567')}{random_digits(rng, 7)}7"
