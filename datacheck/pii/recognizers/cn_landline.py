"""Fixed-line numbers of mainland China, with an area code or after a word like 电话."""

import re
from random import Random

from datacheck.pii.lookalikes import speaks_of_china
from datacheck.pii.matching.expressions import (
    ARITHMETIC_LEFT,
    ARITHMETIC_RIGHT,
    BREAK,
    FIELD_LEFT,
    GAP,
    GATE_DIGITS,
    GLUED_LEFT,
    LEFT,
    LINKER,
    RIGHT,
    SEPARATOR,
    anywhere,
    worded,
)
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, digits_of, random_digits

_PREFIX = rf"(?:(?:\+|00)86{GAP})?"
_AREA = r"0(?:10|2[0-9]|[3-9][0-9]{2})"
_SUBSCRIBER = rf"[2-8](?:[0-9]{{6,7}}|[0-9]{{2,3}}{SEPARATOR}[0-9]{{4}})"
_EXTENSION = r"(?:[ ]?(?:转|分机|[\-－]|[Ee]xt\.?)[ ]?[0-9]{1,5})?"
_SPACED = rf"0{GAP}(?:1{GAP}0|2{GAP}[0-9]|[3-9]{GAP}[0-9]{GAP}[0-9])(?:{GAP}[0-9]){{7,8}}"
_LABEL = r"电话|座机|固话|宅电|总机|传真|[Tt]el|TEL|[Ff]ax|FAX"
_FOREIGN = r"(?<!(?i:\bUK|Britain|England|London|英国|伦敦)[^\n0-9]{0,24})"  # "UK phone 020 7946 0958"
_QUAD = re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")
_ONE_BY_ONE = re.compile(rf"(?:0[0-9]{{2,3}}{SEPARATOR}{{1,3}})?[0-9]({SEPARATOR}{{1,3}})[0-9](?:\1[0-9]){{5,10}}")
_SUBSCRIBERS = re.compile(rf"{_AREA}[2-8][0-9]{{6,7}}")  # 0877-111-2233 is nobody's
_TAIL = re.compile(r"([0-9])\1{6,7}|12345678|1234567|23456789|87654321|7654321")
# Lines of help in a mental crisis (Beijing, Hangzhou, Chengdu, Guangzhou, Shenzhen): printed everywhere, nobody's own.
_HELPLINES = frozenset({"01082951332", "057185029595", "02887577510", "02081899120", "075525629459"})
_WRITTEN_HERE = re.compile(r"[-－()（）+]|\A00?86")
_LABELLED = re.compile(
    r"(?i:\b(?:tel|fax|(?:(?:home|fixed|land)[ _]?)?(?:tele)?phone|(?:home|fixed|land)[ _]?line)"
    r"(?:[ _]?(?:number|no\.?))?(?: is| on file| should be|\W|_)*\Z)"
)
_SAYS_CHINA = re.compile(r"[\u3400-\u9fff]|\b(?:China|Chinese)\b")
_WORD = re.compile("[A-Za-z]{2,}")
_BRITAINS_GROUPS = re.compile(r"0[0-9]{3}[ \-][0-9]{3}[ \-][0-9]{4}")  # 0207-083-6089, 0901-222-3333
_OTHER_TONGUE = re.compile(
    r"(?i:\b(?:telefon(?:nummer)?|tel[eé]fonos?|fono|téléphone|telefoon|telefone|puhelin|rufnummer)\b)"
)
_ELSEWHERE = re.compile(
    r"\b(?:India|Kerala|Pradesh|Maharashtra|Karnataka|Tamil Nadu|Gujarat|Pakistan|Deutschland|Germany)\b"
)
# Words of which a sentence in German, French, Spanish or Italian has some: Rufe gleich an und …, Tel.: 0…
_SMALL_WORDS = re.compile(
    r"\b(?:und|oder|der|das|den|dem|nicht|uns|sich|ist|ein|eine|bei|zu|auf|mit|les|pour|vous|nous|une|dans|avec|los|las"
    r"|para|por|del|una|della|gli|sono)\b"
)
_OF_ANOTHER = 4  # different ones
_PAGE = 300
_SENTENCE = 3  # words around a number
_BRITISH = 11  # digits with the trunk 0
_LONGEST = 12  # 0, three digits and eight


class CnLandline(Recognizer):
    """An area code that exists and the right length for it (by the metadata of phonenumbers).

    Service numbers (400-…, 95588, 110) are nobody's own and are not looked for; known helplines are specimens.
    """

    entity = "CN_LANDLINE"
    region = "CN"
    priority = 180
    policy = Policy("block", hard=True)
    gate = GATE_DIGITS
    prefilter = (
        rf"0{GAP}[1-9](?:{GAP}[0-9]){{8}}|86{GAP}[1-9](?:{GAP}[0-9]){{8}}"
        rf"|(?:{_LABEL}){LINKER}(?:[2-8](?:[ \-]?[0-9]){{6}}|0(?:(?:{BREAK}|-)?[0-9]){{9}})"
    )
    # eight digits stand in every other text with digits, and are a telephone only beside a word
    weak = r"[2-8][0-9]{3}[ \-]?[0-9]{4}"
    needs_of_weak = anywhere(
        "电话", "座机", "固话", "宅电", "传真", "联系", "致电", "拨打", "来电", "热线", "总机", "区号", "客服", "咨询",
        "tel", "phone", "fax", "call", "contact",
    )  # fmt: skip
    patterns = {
        "cn_landline": (
            rf"{GLUED_LEFT}(?=[0+]){_FOREIGN}{_PREFIX}{_AREA}{SEPARATOR}{{1,3}}{_SUBSCRIBER}{_EXTENSION}{RIGHT}"
        ),
        "cn_landline.before_letters": (
            rf"(?:{_LABEL})[ ]?[:：是]?[ ]?(?P<value>{_AREA}[\- ]?[2-8][0-9]{{6,7}})(?=[A-Za-z])"
        ),
        # a number that goes on in the next line
        "cn_landline.lines": (
            rf"(?:{_LABEL}){LINKER}(?P<value>(?=[0-9\- ]{{3,9}}\r?\n)0(?:(?:{BREAK}|-)?[0-9]){{9,11}}){RIGHT}"
        ),
        "cn_landline.abroad": (
            rf"{LEFT}(?:\+|00)86{GAP}(?:10|2[0-9]|[3-9][0-9]{{2}}){GAP}{_SUBSCRIBER}{_EXTENSION}{RIGHT}"
        ),
        "cn_landline.called": (  # 手机号:02066847751: what a form asks for, and another number is given
            rf"(?:手[机機][号號]?[码碼]?|[我你您他她]的?[号號][码碼]){LINKER}(?P<value>{_AREA}[2-8][0-9]{{6,7}}){RIGHT}"
        ),
        "cn_landline.bare": rf"{GLUED_LEFT}{_AREA}[2-8][0-9]{{6,7}}{_EXTENSION}{RIGHT}",
        "cn_landline.spaced": rf"{LEFT}(?=[0+]){_FOREIGN}(?<![0-9]{SEPARATOR}){_PREFIX}{_SPACED}{RIGHT}",
        "cn_landline.local": (
            rf"(?<![A-Za-z])(?:{_LABEL}){LINKER}(?P<value>[2-8](?:[0-9]{{7}}|[0-9]{{6}}"
            rf"|[0-9]{{2,3}}[ \-][0-9]{{4}})){RIGHT}(?![ \-]?[0-9])"
        ),
        "cn_landline.eight": (
            rf"{LEFT}(?<![0-9][\-. ])(?<![Ii][Dd]=)(?!20[0-3][0-9](?:[01]|-20[0-3]))[2-8][0-9]{{3}}[ "
            rf"\-]?[0-9]{{4}}{RIGHT}(?![.][0-9])"
        ),
    }
    positive = (
        r"电话|座机|固话|宅电|打(?:我|到?家|\Z)|家里的|传真|联系|致电|拨打|来电|热线|总机|区号|客服|咨询|"
        + worded("tel", "telephone", "phone", "landline", "fixed line", "home line", "fax", "call", "contact")
    )
    negative_left = f"{ARITHMETIC_LEFT}|{FIELD_LEFT}"
    negative_right = ARITHMETIC_RIGHT
    shown = (4, 2)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the area code and the length; without any separator it takes a word beside it."""
        number = self.canonical(value)
        if _QUAD.fullmatch(value):
            return None
        if _TAIL.search(number[-8:]):
            return Judgement(1.0 if rule == "cn_landline" else 0.3, "specimen")
        if number in _HELPLINES:
            return Judgement(1.0, "specimen")
        if rule == "cn_landline.local":
            # "555-0123" is what fiction in English calls, and no number in China is written so.
            return Judgement(1.0, "specimen") if value[:4] in {"555-", "555 "} else Judgement(0.6, "valid")
        if rule == "cn_landline.eight":
            return Judgement(0.2, "suspect")
        if not _is_assigned(number) or not _SUBSCRIBERS.fullmatch(number):
            return None
        if rule == "cn_landline.spaced":
            return Judgement(0.5 if _ONE_BY_ONE.fullmatch(value) else 0.3, "suspect", "valid")
        return Judgement(0.3 if rule == "cn_landline.bare" else 0.6, "valid")

    def doubts(self, value: str, before: str, after: str) -> bool:
        """In a sentence of English a number with a 0 and no hyphen is one of Britain as well: call 09061743810."""
        words = len(_WORD.findall(before)) + len(_WORD.findall(after))
        here = _WRITTEN_HERE.search(value) or _LABELLED.search(before) or _SAYS_CHINA.search(before + after)
        return not here and words >= _SENTENCE

    def denies(self, value: str, before: str, after: str) -> bool:
        """In such a sentence a mobile or premium-rate number of Britain is one: Call 07921 555444, 09063458130."""
        return self.doubts(value, before, after) and _is_british(self.canonical(value))

    def is_other(self, text: str, start: int, end: int) -> bool:
        """Where nothing speaks of China: a number in Britain's groups, beside a word of another tongue or land."""
        value, said = text[start:end], text[max(0, start - 48) : start]
        foreign = (
            _BRITAINS_GROUPS.fullmatch(value) is not None and len(_WORD.findall(said[-24:] + text[end : end + 10])) > 1
        ) or _OTHER_TONGUE.search(said) is not None
        foreign = foreign or _ELSEWHERE.search(text, max(0, start - _PAGE), end + _PAGE) is not None
        foreign = foreign or len(set(_SMALL_WORDS.findall(text, max(0, start - _PAGE), end))) >= _OF_ANOTHER
        return foreign and not speaks_of_china(text, start, end)

    def canonical(self, value: str) -> str:
        """Return the digits with the trunk 0, without the country code and the extension."""
        value = re.sub(r"^[^0-9+]*(?:\+|00)86|[ ]?(?:转|分机|[Ee]xt).*$", "", value)
        number = re.sub(r"(?<=[0-9]{3})[\-－][0-9]{1,5}\Z", "", value)
        shortest = _LONGEST - (1 if number.lstrip(" -(（").startswith("0") else 2)
        digits = digits_of(number if len(digits_of(number)) >= shortest else value)  # an extension stands behind
        return digits if digits[:1] == "0" or len(digits) < 9 else f"0{digits}"

    def canary(self, rng: Random) -> str:
        """Return a number of Beijing, Shanghai or Hangzhou."""
        return (
            f"{rng.choice(('010', '021', '0571'))}-{rng.choice('68')}{rng.choice('2345')}"
            f"{random_digits(rng, 4)}{rng.choice(('19', '52'))}"
        )


def _is_british(number: str) -> bool:
    """Whether it is no line of a place in Britain, but a number of a kind that only Britain writes in these digits."""
    import phonenumbers  # only a candidate pays for its tables

    kind = phonenumbers.number_type(phonenumbers.PhoneNumber(country_code=44, national_number=int(number)))
    elsewhere = (phonenumbers.PhoneNumberType.UNKNOWN, phonenumbers.PhoneNumberType.FIXED_LINE)
    return bool(len(number) == _BRITISH and kind not in elsewhere)


def _is_assigned(number: str) -> bool:
    import phonenumbers  # only a candidate pays for its tables

    parsed = phonenumbers.PhoneNumber(country_code=86, national_number=int(number))
    return bool(phonenumbers.number_type(parsed) == phonenumbers.PhoneNumberType.FIXED_LINE)
