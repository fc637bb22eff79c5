"""Mobile numbers of mainland China (11 digits, optionally +86)."""

import re
from random import Random

from datacheck.pii.lookalikes import (
    is_a_programs_figure,
    is_among_figures,
    is_in_a_column,
    is_in_a_formula,
    is_machines,
    speaks_of_china,
)
from datacheck.pii.matching.expressions import (
    ARITHMETIC_LEFT,
    ARITHMETIC_RIGHT,
    BETWEEN_GROUPS,
    BREAK,
    FIELD_LEFT,
    GAP,
    GATE_DIGITS,
    GLUED_LEFT,
    HAN,
    RIGHT,
    RIGHT_OR_USE,
    SEPARATOR,
    worded,
)
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, digits_of, random_digits, words

# The assigned ranges, after the metadata of phonenumbers 9.0 (held equal to it by a test).
_ASSIGNED = re.compile(r"1(?:610[0-9]|740[0-5])[0-9]{6}|1(?:[38][0-9]|4[57]|[59][0-35-9]|6[25-7]|7[0-35-8])[0-9]{8}")
_PREFIX = rf"(?:(?:\+|00)?86{GAP})?"
# M138…, T138… on cards and in signatures: a number of a part in one letter and eleven digits is rarer
_LEFT = rf"(?:{GLUED_LEFT}|(?<=(?<![0-9A-Za-z])[MmT]))"
_LEFT += r"(?!(?<=[0-9]\.)1[0-9]{2}[ \t])"  # 16:14:08.162  2626  2808: the columns of a log
# "sensor 136 2227 2227": between words and numbers that blanks set apart, groups need context.
_SET_APART = r"(?:(?<![0-9A-Za-z_)\]%=][ \t])|(?!1[0-9]{2}[ \t]))"
_GROUPS = rf"1[3-9][0-9](?:[ \-]?[0-9]{{4}}{BREAK}|{BREAK}[0-9]{{4}}(?:[ \-]?|{BREAK}))[0-9]{{4}}"
_SIGNED = rf"1[3-9][0-9]{BETWEEN_GROUPS}[0-9]{{4}}{BETWEEN_GROUPS}[0-9]{{4}}"
# or anywhere, where no blank or bullet says that another item begins
_ANYWHERE = "|".join(rf"1[3-9][0-9]{{{at}}}\r?\n[0-9]{{{9 - at}}}" for at in range(1, 9))
_QUAD = re.compile(  # 195.154.37.122, and what is managed on the internet (RFC 1155): 1.3.6.1.6.3.1.1.4.1.0
    r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}|1\.3\.6\.1\.[0-9.]+"
)
_WORDS = "手机|手機|电话|電話|号码|號碼|微信"
_FIGURES = (is_machines, is_in_a_column, is_among_figures, is_in_a_formula, is_a_programs_figure)
_SAME_TAIL = re.compile(r"([1-9])\1{7}")
_ONE_BY_ONE = re.compile(rf"[0-9]({SEPARATOR}{{1,3}})[0-9](?:\1[0-9]){{9}}")  # 162000 - 12000 is not

_UNITS = (
    r"(?:(?i:[kmgtn]?i?b|b(?:it|yte)s?|[mun]?s(?:ec)?|h|min|[kmc]?m|[kmg]?hz|px|pt|rpm|usd|rmb|cny|st|nd|rd|th|x|u?l{1,2}|[unfde])"
    r"(?![A-Za-z]))"
)
_CHINESE = rf"，。：；！？、（）{HAN}"
_OVERFLOW = range(2**34 - 2, 2**34 + 3)  # tests of integers are full of it
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")  # 139.66778421 is a figure; with points as separators there are two of them

# 1-800-273-8255: country code 1, area, exchange, line. Nobody writes a mobile number of China in these groups.
_NORTH_AMERICAN = re.compile(
    rf"1{SEPARATOR}+(?:[2-9][0-9]{{2}}{SEPARATOR}+[2-9]|8(?:00|33|44|55|66|77|88){SEPARATOR}+[01])[0-9]{{2}}"
    rf"{SEPARATOR}+[0-9]{{4}}|1{SEPARATOR}+[2-9][0-9]{{2}}[2-9][0-9]{{6}}"
)
# 18008675309 in English: 1 and a toll-free code (ITU-T E.164, North America), where nobody says whose it is
_TOLL_FREE = re.compile(r"1(?:800|833|844|855|866|877|888)[2-9][0-9]{6}")
_HIS = re.compile(
    r"(?i:\b(?:me|my|his|him|her|your|mobile|cell|customer"
    r"|client|patient|tenant|contact|order(?! (?:an?|the|free|more) )"
    r"|deliver\w*|name|mrs?|ms)\b)"
)
# 1-800-555-1234 without its signs, and the 555-01xx of fiction
_FICTION = re.compile(r"1?8(?:00|88|77|66|55|44|33)555(?:01[0-9]{2}|1234|1212)")
_WORD = re.compile("[A-Za-z]{2,}")
_SENTENCE = 3  # words around a number
# What a doctest or a test is given, in any language: >>> f("…"), irb> f("…"), arg20 := "…", s == "…"
_FUNCTION = r"(?![A-Za-z_.]*(?i:phone|sms|call|mobile|tel|user|contact|send|number))[A-Za-z_.]{1,40}\("
_CHECKED = re.compile(
    rf">>> {_FUNCTION}[\"']?\Z"
    rf"|(?:>>> {_FUNCTION}|(?:\n|\A)[ ]*(?:\*|//|\#)?[ ]*(?:irb)?> {_FUNCTION}"
    r"|(?<![A-Za-z0-9_])(?:arg|x|v|actual|expected|input|case|test|param)_?[0-9]{1,3}(?:[ ]?:[ ]?[A-Za-z]+)?"
    rf"[ ]?:?=[ ]?(?:{_FUNCTION})?|(?<![A-Za-z0-9_.])[a-z][ ]==[ ])(?:string\()?\#?[\"']{{1,3}}\Z"
)
# "13333122222": a string of a program with two runs of digits; said in a sentence it may be a dear number
_TWO_RUNS = re.compile(r"[0-9]*?([0-9])\1{3}[0-9]*?([0-9])\2{3}[0-9]*")
_OF_AMERICA = (  # 16502530000 may be one of California as well: it is where the words say so
    r"(?<!(?:(?<![A-Za-z])(?:US|USA|U\.S\.|American|Canadian)[ ](?i:phone|cell|mobile|number|line)"
    r"|(?:美国|加拿大)的?(?:电话|手机|号码))[^\n0-9]{0,12})"
)
_CALLED = re.compile(r"(?<![A-Za-z])(?:UNKNOWN|ERROR|CODE|STATUS|NULL)\(\Z")


class CnMobile(Recognizer):
    """A number in an assigned range; the usual groupings are valid, digit by digit needs context."""

    entity = "CN_MOBILE"
    region = "CN"
    priority = 170
    policy = Policy("block", hard=True)
    gate = GATE_DIGITS
    prefilter = rf"1{GAP}[3-9](?:{GAP}[0-9]){{9}}"
    prefilters = (_GROUPS, _ANYWHERE, _SIGNED)
    patterns = {
        "cn_mobile.id": (
            rf"(?<![A-Za-z])(?i:[a-z]{{0,12}}_?id)[\"']?[ ]?[=:][ ]?[\"']?"
            rf"(?P<value>1[3-9][0-9]{{9}}){RIGHT}"
        ),
        "cn_mobile": (
            rf"{_LEFT}(?<!\+)(?=[1+0-9]){_OF_AMERICA}{_SET_APART}"
            rf"{_PREFIX}1[3-9][0-9]{GAP}[0-9]{{4}}{GAP}[0-9]{{4}}{RIGHT_OR_USE}"
        ),
        "cn_mobile.signs": (
            rf"{_LEFT}1[3-9][0-9](?P<sign>{BETWEEN_GROUPS})[0-9]{{4}}(?P=sign)[0-9]{{4}}{RIGHT}(?!(?P=sign)[0-9])"
        ),
        "cn_mobile.before_letters": (
            rf"(?:(?:{_WORDS}|联系(?:我|方式))[号號]?[码碼]?|[☎☏📞📱]|(?<![A-Za-z])(?i:tel|phone|mobile|call|[wv]x|no"
            r"|(?:reach|call|text) me (?:on|at)))[ ]?[:：是☎☏📞📱]?\ufe0f?[ ]?"
            r"(?P<value>1[3-9][0-9]{9})(?=[A-Za-z])"
        ),
        # 18750500927abc in Chinese: no quantity with its unit, no key of a program
        "cn_mobile.touched": (
            rf"(?:(?<=[{_CHINESE}]|[{_CHINESE}] )(?:[A-Za-z]{{1,3}}[ ]?)?"
            rf"|(?:\A|(?<=\n))(?=[0-9]{{11}}[A-Za-z]{{1,8}}[ ]?[{_CHINESE}]))"
            rf"(?P<value>1[3-9][0-9]{{9}})(?!{_UNITS})"
            rf"(?=[A-Za-z]{{1,8}}(?:[ ]?[{_CHINESE}]|[!.,;?]?(?:\n|\Z)))"
        ),
        "cn_mobile.lines": rf"{_LEFT}(?:{_GROUPS}|{_ANYWHERE}){RIGHT}(?![ \-]?[0-9])",
        "cn_mobile.spaced": (
            rf"{_LEFT}(?<!\+)(?=[1+0-9]){_OF_AMERICA}(?<![0-9]{SEPARATOR}){_PREFIX}1{GAP}[3-9](?:{GAP}[0-9]){{9}}{RIGHT}(?!"
            rf"{SEPARATOR}{{1,2}}[0-9])"
        ),
    }
    extents = (rf"{_GROUPS}|{_SIGNED}",)
    positive = (
        rf"{_WORDS}|联系|致电|拨打|来电|短信|联络|聯絡|电联|打给|打我|找我|加我|热线|新号|旧号|换号|換號|[打拨撥]\Z|"
        + worded("tel", "telephone", "phone", "mobile", "cell", "cellphone", "call", "contact", "whatsapp", "wechat")
        + "|"
        + worded("sms", "dial", "reach", "text", "ring me")
    )
    negative_left = rf"{ARITHMETIC_LEFT}|\+(?!86)[0-9]{{1,3}}[ \-]?$|{FIELD_LEFT}"  # another country's code
    negative_right = ARITHMETIC_RIGHT
    specimens = words("13800138000 13800138001 13800012345 13812345678 13912345678 13811112222 13800001111")

    def denies(self, value: str, before: str, after: str) -> bool:
        """UNKNOWN(19254731862) in a trace of calls."""
        del value
        return after.startswith(")") and _CALLED.search(before) is not None

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by range, grouping and round numbers (2^34, 13000000000 are figures, not telephones)."""
        number = self.canonical(value)
        if any(other.fullmatch(value) for other in (_NORTH_AMERICAN, _DECIMAL, _QUAD)) or int(number) in _OVERFLOW:
            return None
        if number in self.specimens or number.endswith("12345678") or _SAME_TAIL.fullmatch(number[3:]):
            return Judgement(1.0, "specimen")
        if not _ASSIGNED.fullmatch(number):  # 146, 148 and 149 (machines) among them
            return Judgement(0.5 if digits_of(value)[:-11].endswith("86") else 0.2, "suspect")
        if number.endswith("00000"):
            return Judgement(0.3, "specimen" if number.endswith("0000000") else "valid")
        if rule == "cn_mobile.id":  # of a person, or of anything
            return Judgement(0.5, "suspect", "valid")
        if rule == "cn_mobile.touched":
            return Judgement(0.5, "suspect", "valid")
        if rule in ("cn_mobile.lines", "cn_mobile.signs"):
            return Judgement(0.2, "valid")
        if rule == "cn_mobile.spaced":
            return Judgement(0.5 if _ONE_BY_ONE.fullmatch(value) else 0.2, "suspect", "valid")
        return Judgement(0.9 if len(digits_of(value)) > len(number) else 0.6, "valid")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """In English eleven digits may be toll-free in North America; a doctest's argument is a figure."""
        if _FICTION.fullmatch(text, start, end) and not speaks_of_china(text, start, end):
            return True
        before, after = text[max(0, start - 24) : start], text[end : end + 10]
        if _TOLL_FREE.fullmatch(text, start, end) and not _HIS.search(text, max(0, start - 48), start):
            words = len(_WORD.findall(before)) + len(_WORD.findall(after))
            if words >= _SENTENCE and not speaks_of_china(text, start, end):
                return True
        figure = any(told(text, start, end) for told in _FIGURES)
        return figure or _CHECKED.search(text, max(0, start - 48), start) is not None

    def is_sample(self, text: str, start: int, end: int) -> bool:
        """A string of a program that is two runs of digits is made up."""
        return text[max(0, start - 1) : start] == text[end : end + 1] == '"' and (
            _TWO_RUNS.fullmatch(text, start, end) is not None
        )

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
