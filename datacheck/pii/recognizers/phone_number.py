"""Telephone numbers outside mainland China."""

import re
from random import Random

from datacheck.pii.lookalikes import is_machines
from datacheck.pii.matching.expressions import (
    ARITHMETIC_RIGHT,
    FIELD_LEFT,
    GATE_DIGITS,
    GLUED_LEFT,
    LINKER,
    RIGHT,
    worded,
)
from datacheck.pii.policy import Policy, State
from datacheck.pii.recognizers.base import Judgement, Recognizer, digits_of, holds_sequence, random_digits, words

_SECOND = r"(?:[\-. ·\u2010-\u2015]?|[ ]{2}|[ ][\-.·\u2010-\u2015][ ])"  # between the last two groups
_SEP = r"[ \t\u00a0\-\u2010-\u2015.·()（）]"
_OF_AMERICA = r"(?:美国|加拿大|北美)的?(?:(?:电话|手机)(?:号码?)?|号码)"
_LABEL = (
    r"(?:(?i:(?:tele|cell)?phone|mobile|cell|tel|call|text|ring|dial|fax|whatsapp|number)"
    r"|(?:美国|加拿大)的?(?:电话|手机|号码))"
)
# 1 and ten digits in one: a number of China may look the same, so a word stands close before it.
_ELEVEN = rf"{_LABEL}(?:[ ](?i:me|us|at|is|no|number)|[:：.#=\"' +]){{0,4}}1[\-. ]?[2-9][0-9]{{2}}[2-9][0-9]{{6}}"
# Ten digits in one are a telephone right behind a word that says nothing else: phone: 2129627854
_TEN = (
    r"(?:(?i:(?:tele|cell)?phone|mobile|cell|tel|fax|whatsapp|callback|US (?:phone )?number)"
    r"(?:[ _](?i:number|no\.?|num))?"
    rf"(?:[ ]is|[ ]should be)?(?:[\"']?[:：.#=\"' (,]{{1,3}}|{LINKER})"
    rf"|{_OF_AMERICA}{LINKER}"
    r"|(?i:(?:call|text|reach|ring) (?:me|us|him|her|them)(?: back)?(?: (?:at|on))?|text|ring|dial)[: ]{1,2})"
    r"(?P<value>[2-9][0-9]{2}[2-9][0-9]{6})"
)
# … or each digit by itself: Phone: 4 0 4 8 6 7 7 4 6 8
_APART = (
    r"(?:(?i:(?:tele|cell)?phone|mobile|cell|tel|text|call|reach|ring|(?:my|his|her|us) number)"
    r"(?:[ _](?i:number|no\.?|me|my wife|my husband|him|her|us|back|is|should be|at|on)){0,4}[:, (]{1,2}"
    rf"|{_OF_AMERICA}{LINKER})"
    r"(?P<value>(?:1[ .\-])?[2-9](?:[ .\-][0-9]){9})"
)
# … or behind whom to call: Emergency contact: Rahul Abernathy, 2066305401; reach Imogen on 646-840-6467
_WHOM = (
    r"(?i:contact|next of kin|guardian|reach|call|ring|text|dial|phone)[:,]?[ ](?:[A-Z][a-z]{1,14}[ ]?){1,3}"
    r"(?:[,:][ ]|[(]|(?:at|on)[ ])"
    rf"(?P<value>[(]?[2-9][0-9]{{2}}(?:{_SEP}{{1,2}})?[2-9][0-9]{{2}}[\-. ]?[0-9]{{4}})"
)
# … or, in the groups of any country, behind what nothing but a telephone follows: Desk: 0490 39 07 81
_TOLD = (
    r"(?:(?i:(?:tele|cell)?phone|mobile|cell|tel|fax|whatsapp|desk)(?:[ _](?i:number|no\.?|num))?[\"'”*]{0,2}"
    r"[ ]?[:：][ ]?"
    r"|(?i:(?:call|text|reach|ring|phone) (?:me|us|him|her|them)(?: back)? (?:at|on)|answering at|you can call"
    r"|messages? (?:to|on)|(?:phone|contact) number is)[: ]{1,2})"
    r"(?P<value>[(]?[0-9]{2,5}[)]?(?:[ .\-][0-9]{2,5}){1,4})"
)
_EXTENSION = r"(?:[ ]?(?i:x|ext\.?|extension)[ ]?[0-9]{1,6})?"
_EXTENDED = re.compile(r"[ ]?(?i:x|ext\.?|extension)[ ]?[0-9]{1,6}\Z")
# What is written as a number of North America is: a plan has new area codes every year, and people slip.
_AMERICAN = re.compile(
    r"(?:(?:\+|00)?1[\-. ])?(?:\([2-9][0-9]{2}\)[ ]?|[2-9][0-9]{2}[\-. ])[2-9][0-9]{2}[\-. ][0-9]{4}|[2-9][0-9]{9}"
)
_FEWEST, _MOST = 7, 13  # digits of a number that is told
_NO_NUMBER = re.compile(  # a date, a year and a month, a line that costs nothing
    r"(?:19|20)[0-9]{2}[.\- ][01]?[0-9](?:[.\- ][0-3]?[0-9])?|[0-3]?[0-9][.\- ][01]?[0-9][.\- ](?:19|20)[0-9]{2}"
    r"|[48]00[.\- ].*"
    r"|.*(?<![0-9])555[.\- ][0-9]{4}"
)
_IN_SEQUENCE = 7  # digits, as in +12345678900 and +91 98765 43210; one number in 200,000 has them by chance
_SCORES = {"phone_number": 0.7} | dict.fromkeys(
    [f"phone_number.{rule}" for rule in ("area", "eleven", "apart", "whom", "told", "before_letters")], 0.6
)
# - + 43.0 12.0 44.0 is an equation with its signs before its figures, 2012 + 2011 - 2010 one with them between
_PREFIXED = re.compile(r"\+ [0-9]+[.][0-9]{1,2}(?: [0-9]+[.][0-9]{1,2})+|\+ [0-9]+(?: [0-9]+)+[.][0-9]")
_SUM = re.compile(r"\+ [0-9]+(?: [-+\u2212] [0-9]+)+")
_OPERAND = re.compile(r"[0-9)] ?\Z")
_CLIMBS = re.compile("[0-9]{3,}123456")  # +44 7911 123456: one number in a million ends so by chance
# What tells how a number is to be written, in the description of a field: "include the country code, like +1…"
_AS_WRITTEN = re.compile(
    r"(?i:\b(?:country code|format(?:ted)?|E\.?164|start(?:s|ing)? with|digits)\b[^.!?\n]{0,40}?"
    r"(?:\b(?:like|such as|for example|example:?)|\be\.g\.),?)[ ]?[\"'“`(]{0,2}\Z"
    r"|(?:格式|国家代码|区号|国际区号)[^。！？\n]{0,24}?(?:例如|比如|如)[:：]?[ ]?[\"'“`（(]{0,2}\Z"
)
_DESCRIBED = 80
_BY_DEVICE = re.compile(
    r"[\"'](?:desktop|tablet|pc|web)[\"'][ ]?:[ ]?[0-9]"
)  # visits: {"mobile": 2012722956, "desktop": …}
_ONE_DIGIT = re.compile(r".*([0-9])\1{6}")  # from 843-000-0000 to 843-999-9999
_FICTION = re.compile(r"\+?1?(?:555[0-9]{7}|[0-9]{3}555[0-9]{4}|1234567890|123[0-9]{7})")


class PhoneNumber(Recognizer):
    """+, a country code and a number that the metadata of phonenumbers allows.

    In North America also (415) 867-5309, and 3-3-4 digits or eleven beside a word. 555 numbers, and those
    with seven digits in sequence, are specimens.
    """

    entity = "PHONE_NUMBER"
    priority = 270
    policy = Policy("block", hard=True)
    label = "Tel "
    gate = GATE_DIGITS
    prefilter = r"\+[ ]?[1-9](?:GAP[0-9]){6}|[2-9][0-9]{2}SEP{1,3}[2-9][0-9]{2}SEP{0,3}[0-9]{4}".replace(
        "GAP", f"{_SEP}{{0,3}}"
    ).replace("SEP", _SEP)
    prefilters = (_ELEVEN, _TEN, _APART, _WHOM, _TOLD)
    patterns = {
        "phone_number": rf"(?<![0-9A-Za-z+])\+[ ]?[1-9](?:{_SEP}{{0,3}}[0-9]){{6,14}}{_EXTENSION}{RIGHT}",
        "phone_number.area": rf"(?<![0-9A-Za-z_)\]])(?<![0-9][\-. +])\([2-9][0-9]{{2}}\)[ ]?[2-9][0-9]{{2}}[\-. ][0-9]{{4}}{_EXTENSION}{RIGHT}",  # noqa: E501
        "phone_number.whom": rf"(?<![A-Za-z]){_WHOM}{_EXTENSION}{RIGHT}",
        "phone_number.us": (
            rf"{GLUED_LEFT}(?<![0-9][\-. +])(?:(?:00)?1[\-. ])?[(（]?[2-9][0-9]{{2}}{_SEP}{{1,3}}[2-9][0-9]{{2}}"
            rf"{_SECOND}[0-9]{{4}}{_EXTENSION}{RIGHT}(?![\-.][0-9])"
        ),
        "phone_number.before_letters": (
            rf"(?<![A-Za-z]){_LABEL}[ ]?[:：]?[ ]?"
            rf"(?P<value>(?:\+?1[ .\-]?)?[(（]?[2-9][0-9]{{2}}{_SEP}{{1,2}}[2-9][0-9]{{2}}[\-. ][0-9]{{4}})(?=[A-Za-z])"
        ),
        "phone_number.ten": rf"(?<![A-Za-z]){_TEN}{RIGHT}",
        "phone_number.told": rf"(?<![A-Za-z]){_TOLD}{RIGHT}(?![ .\-]?[0-9])",
        "phone_number.apart": rf"(?<![A-Za-z]){_APART}{RIGHT}(?![ .\-][0-9])",
        "phone_number.eleven": (
            rf"(?<![A-Za-z]){_LABEL}(?:[ ](?i:me|us|at|is|no|number)|[:：.#=\"' ]){{0,4}}"
            rf"(?P<value>1[\-. ]?[2-9][0-9]{{2}}[2-9][0-9]{{6}}){RIGHT}"
        ),
    }
    positive = "手机|电话|電話|号码|联系|联络|致电|拨打|" + worded(
        "tel", "telephone", "phone", "mobile", "cell", "cellphone", "call", "contact", "whatsapp", "fax", "dial", "ph",
        "text me", "text", "my number", "his number", "her number", "our number", "us number", "new number",
        "number is", "number's", "number’s",
        "number should be", "reach", "ring",
        "callback", "reachable", "reached",
        "answering", "registered", "messages to", "message on", "my line", "work line", "home line", "direct line",
        "office line",
    )  # fmt: skip
    positive += r"|(?<![A-Za-z])(?i:home|work|office|direct|daytime|evening)[ ]?[:：]"
    positive += r"|(?<=[0-9][ \-])(?i:office|home|work|direct|desk)(?![A-Za-z])"  # 212-962-7854 office
    negative_left = (
        rf"[0-9_)）\]]\s*\Z|[A-Za-z]\Z|(?<![A-Za-z])(?![aI])[A-Za-z]\s\Z|{FIELD_LEFT}"
        r"|(?i:order|item|part|case|docket|version|model|sku|tracking)(?: (?:number|no\.?|id))?(?: is)?[: #]{0,2}\Z"
    )
    negative_right = ARITHMETIC_RIGHT
    # the last ones are those of Twilio's documentation and of E.164 in encyclopaedias
    specimens = words(
        "+11234567890 +15551234567 +15017122661 5017122661 +15017250604 5017250604 +15417543010 5417543010"
    )
    shown = (3, 2)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the numbering plan; numbers of mainland China belong to other recognizers."""
        if _PREFIXED.fullmatch(value):
            return None
        if rule == "phone_number.told":
            return self._judge_told(value)
        number = self.canonical(value)
        if number in self.specimens or _FICTION.fullmatch(number) or _ONE_DIGIT.fullmatch(number):
            return Judgement(1.0 if rule == "phone_number" else 0.6, "specimen")
        import phonenumbers  # only a candidate pays for its tables

        try:
            parsed = phonenumbers.parse(number, "US")
        except phonenumbers.NumberParseException:
            return None
        if parsed.country_code == 86:
            return None
        if not phonenumbers.is_valid_number(parsed):
            written = _AMERICAN.fullmatch(_EXTENDED.sub("", value)) and not number.startswith("400")  # of China's firms
            return Judgement(_SCORES.get(rule, 0.4), "suspect") if written else None
        digits = str(parsed.national_number)
        made_up = holds_sequence(digits, _IN_SEQUENCE) or _CLIMBS.fullmatch(digits)
        state: State = "specimen" if made_up else "valid"
        return Judgement(_SCORES.get(rule, 0.4), state)

    def _judge_told(self, value: str) -> Judgement | None:
        """Whose plan it follows, if any, is not known: a suspect, of as many digits as a number has."""
        digits = digits_of(value)
        if _NO_NUMBER.fullmatch(value) or not _FEWEST <= len(digits) <= _MOST:
            return None
        made_up = holds_sequence(digits, _IN_SEQUENCE) or _FICTION.fullmatch(digits)
        return Judgement(_SCORES["phone_number.told"], "specimen" if made_up else "suspect")

    def denies(self, value: str, before: str, after: str) -> bool:
        """A sum with blanks around all its signs, behind the figure it begins with, is arithmetic."""
        del after
        return _SUM.fullmatch(value) is not None and _OPERAND.search(before) is not None

    def is_other(self, text: str, start: int, end: int) -> bool:
        """What a machine wrote is none, nor how many came with such a telephone."""
        by_device = _BY_DEVICE.search(text, max(0, start - _DESCRIBED), end + _DESCRIBED) is not None
        return is_machines(text, start, end) or (text[start:end].isdigit() and by_device)

    def is_sample(self, text: str, start: int, end: int) -> bool:
        """What stands behind the rule of how a number is written, and "like", shows it."""
        del end
        return _AS_WRITTEN.search(text, max(0, start - _DESCRIBED), start) is not None

    def canonical(self, value: str) -> str:
        """Return the digits without an extension, behind a + where there is one."""
        number = _EXTENDED.sub("", value)
        return ("+" if number.lstrip().startswith(("+", "001")) else "") + digits_of(number.lstrip().removeprefix("00"))

    def canary(self, rng: Random) -> str:
        """Return a number of New York."""
        return f"+1 212-{rng.randrange(620, 700)}-{random_digits(rng, 3)}7"
