"""Mobile numbers of mainland China (11 digits, optionally +86)."""

import re
from random import Random

from datacheck.pii.expressions import ARITHMETIC_LEFT, ARITHMETIC_RIGHT, GAP, GATE_DIGITS, LEFT, RIGHT, SEPARATOR
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, digits_of, random_digits

# The assigned ranges, after the metadata of phonenumbers 9.0 (held equal to it by a test).
_ASSIGNED = re.compile(r"1(?:610[0-9]|740[0-5])[0-9]{6}|1(?:[38][0-9]|4[57]|[59][0-35-9]|6[25-7]|7[0-35-8])[0-9]{8}")
# "tel" may touch the number; other letters may not.
_LEFT = rf"(?:{LEFT}|(?<=[Tt][Ee][Ll]|[Hh]one|[Mm]obile))"
_PREFIX = rf"(?:(?:\+|00)?86{GAP})?"
_SAME_TAIL = re.compile(r"([1-9])\1{7}")
_ONE_BY_ONE = re.compile(rf"[0-9]({SEPARATOR}{{1,3}})[0-9](?:\1[0-9]){{9}}")  # 162000 - 12000 is not

_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")  # 139.66778421 is a figure; with points as separators there are two of them

# 1-800-273-8255: country code 1, area, exchange, line. Nobody writes a mobile number of China in these groups.
_NORTH_AMERICAN = re.compile(rf"1{SEPARATOR}+[2-9][0-9]{{2}}{SEPARATOR}+[2-9][0-9]{{2}}{SEPARATOR}+[0-9]{{4}}")


class CnMobile(Recognizer):
    """A number in an assigned range; the usual groupings are valid, digit by digit needs context."""

    entity = "CN_MOBILE"
    priority = 170
    policy = Policy("block", hard=True)
    gate = GATE_DIGITS
    prefilter = rf"1{GAP}[3-9](?:{GAP}[0-9]){{9}}"
    patterns = {
        "cn_mobile": rf"{_LEFT}(?<!\+){_PREFIX}1[3-9][0-9]{GAP}[0-9]{{4}}{GAP}[0-9]{{4}}{RIGHT}",
        "cn_mobile.spaced": (
            rf"{_LEFT}(?<!\+)(?<![0-9]{SEPARATOR}){_PREFIX}1{GAP}[3-9](?:{GAP}[0-9]){{9}}{RIGHT}(?!"
            rf"{SEPARATOR}{{1,2}}[0-9])"
        ),
    }
    positive = (
        r"手机|电话|联系|致电|拨打|来电|短信|微信|联络|电联"
        r"|(?i:tel|phone|mobile|cell|call|contact|whatsapp|wechat|sms)"
    )
    negative_left = ARITHMETIC_LEFT + r"|\+(?!86)[0-9]{1,3}[ \-]?$"  # another country's code
    negative_right = ARITHMETIC_RIGHT
    specimens = frozenset({"13800138000", "13800138001", "13812345678", "13912345678", "13811112222", "13800001111"})

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by range, grouping and round numbers (2^34, 13000000000 are figures, not telephones)."""
        number = self.canonical(value)
        if _NORTH_AMERICAN.fullmatch(value) or _DECIMAL.fullmatch(value):
            return None
        if number in self.specimens or _SAME_TAIL.fullmatch(number[3:]) or number.endswith("12345678"):
            return Judgement(1.0, "specimen")
        if not _ASSIGNED.fullmatch(number):  # 146, 148 and 149 (machines) among them
            return Judgement(0.5 if digits_of(value)[:-11].endswith("86") else 0.2, "suspect")
        if number.endswith("00000"):
            return Judgement(0.3, "valid")
        if rule == "cn_mobile.spaced":
            return Judgement(0.5 if _ONE_BY_ONE.fullmatch(value) else 0.2, "suspect", "valid")
        return Judgement(0.9 if len(digits_of(value)) > len(number) else 0.6, "valid")

    def canonical(self, value: str) -> str:
        """Return the eleven national digits."""
        return digits_of(value)[-11:]

    def mask(self, value: str) -> str:
        """Keep three and four digits."""
        number = self.canonical(value)
        return f"{number[:3]}****{number[7:]}"

    def canary(self, rng: Random) -> str:
        """Return eleven digits in an assigned range."""
        while True:
            number = rng.choice(("135", "150", "166", "177", "187", "199")) + random_digits(rng, 8)
            if self.judge("cn_mobile", number) == Judgement(0.6, "valid"):
                return number
