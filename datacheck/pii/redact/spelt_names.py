"""Chinese names in Latin letters: beside Chinese words, and those of somebody of whom a record has no characters.

What a known name is spelt like is traced (see `spelt`). Here the form tells: a surname and the syllables of a given
name, in either order (Mao Ruoxiang, Yi SHANGGUAN, Wang, Chongyun), in a record in which a name was replaced.
"""

import re
from collections.abc import Iterator
from functools import cache

from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.base import words
from datacheck.pii.recognizers.person import COMPOUND, SURNAMES
from datacheck.pii.redact.doubt import MADE, Doubt
from datacheck.pii.redact.likely_names import RARE
from datacheck.pii.redact.row_names import KIN, MANDARIN, NO_WORDS, ROLES, SYLLABLE
from datacheck.pii.redact.spelt import WORDS, readings

_PINYIN = re.compile(rf"(?i:{SYLLABLE}(?:,?[ ]?{SYLLABLE}){{1,3}})")
_SURNAME_SPELT = re.compile(
    rf"(?i:(?:{'|'.join(sorted(MANDARIN.split(), key=len, reverse=True))}|ouyang|zhuge|situ|shangguan),?[ ]?"
    rf"{SYLLABLE}[ -]?(?:{SYLLABLE})?)"
)
_SYLLABLES = re.compile(rf"(?i:{SYLLABLE}){{1,2}}")
_SPELT = re.compile(
    rf"(?:(?:{ROLES}|{KIN}|尊敬的|联系|妈妈|爸爸|[0-9一二三四五六七八九十]班|全名|名字?|户主"
    rf"|家属|拼音|英文名?|直属领导)[是为叫写填：: ]{{0,2}}|我和|[请给叫跟和填]"
    r"|(?<![A-Za-z])(?i:hi|hello|hey|dear)[ ])"
    r"(?P<name>[a-z]{2,}(?: [a-z]{2,}){0,2}|[A-Z][A-Za-z]+,? [A-Z][a-z]+(?: [A-Z][a-z]+)?)(?![A-Za-z0-9@.])"
)
_SPELT_LINE = re.compile(rf"(?m:^)(?P<name>(?:{'|'.join(MANDARIN.lower().split())}) [a-z]{{2,12}})(?m:$)")
_SPELT_SPEAKER = re.compile(
    r"(?<![A-Za-z0-9@.])(?P<titled>[a-z]{5,20})(?=女士|先生|小姐|老师)|"
    rf"(?m:^|(?<=\] ))(?P<name>[a-z]{{2,6}} [a-z]{{2,12}})(?=[：，])"
    rf"|(?<![A-Za-z])(?P<capitals>[A-Z]{{2,6}} [A-Z][a-z]+)(?=[{HAN}])"
    rf"|(?m:^)(?P<begins>[A-Z][A-Za-z]+,? [A-Z][a-z]+|[a-z]{{6,16}})(?=[，下])"
    rf"|{MADE}[ ]?[(（](?P<inside>[a-z]{{5,20}}|[a-z]{{2,6}} [a-z]{{2,12}})(?=[)）])"
)
_SPELT_BESIDE = re.compile(rf"(?<![A-Za-z0-9])(?P<name>[A-Z][a-z]{{1,6}})[ ,]{{1,2}}{MADE}")
# Two or three words with capitals, of which one may be a surname: Mao Ruoxiang, Xiaoman FAN, Wang, Chongyun
_PAIR = re.compile(
    r"(?<![A-Za-z0-9@&/.\-])(?P<name>(?P<first>[A-Z][a-z]+|[A-Z]{2,})(?P<sign>, | )(?P<last>[A-Z][a-z]+|[A-Z]{2,}))"
    r"(?![A-Za-z0-9@&/]|[ ][A-Z]|-[A-Za-z])"
)
_LEAST = 5  # letters of a given name of two syllables
_ENGLISH = words(
    "change made make like lake take time hate bake bite cake dude dune fate fine gene here hide hike home huge"
    " june lane late life line mate mine more name nine note pine rate ride rise rose rule safe sale same side"
    " site size sure tale tune wine wife wise japan banana china shanghai beijing tibet taiwan dalian ningbo xian"
    " linen pangea genie sadie jamie julie katie maxine marine nadine lupine liane diane jolie ganache tirade deng"
    " hong kong human woman louise jane luke mike jake zone lunge tango mango dance lance fiance chance manage"
    " damage village baggage nance"
)
_COMMON = words(
    "there guys everyone everybody sir madam team friend folks sure good great all man dude yes not the and"
)


def spelt_names(text: str) -> Iterator[Doubt]:
    """Chinese names in Latin letters beside Chinese words."""
    for form in (_SPELT, _SPELT_LINE):
        for match in form.finditer(text):
            if _is_spelt(match["name"]):
                yield Doubt(*match.span("name"), likely=_begins_with_surname(match["name"]))
    for match in _SPELT_SPEAKER.finditer(text):
        if _is_spelt(match[str(match.lastgroup)].lower()):
            yield Doubt(*match.span(str(match.lastgroup)), likely=_begins_with_surname(match[str(match.lastgroup)]))
    for match in _SPELT_BESIDE.finditer(text):
        if match["name"] not in NO_WORDS and _SYLLABLES.fullmatch(match["name"]):
            yield Doubt(*match.span("name"), likely=False)


def pairs(text: str) -> Iterator[Doubt]:
    """A surname and a given name, either first."""
    for match in _PAIR.finditer(text):
        first, last, by_comma = match["first"].lower(), match["last"].lower(), match["sign"] != " "
        if first in _ENGLISH or last in _ENGLISH or match["first"] in NO_WORDS or match["last"] in NO_WORDS:
            continue
        for surname, given in ((first, last), (last, first)):
            if surname in _surnames() and (count := _count(given)):
                is_capital = match["first"].isupper() != match["last"].isupper()
                sure = count > 1 and len(given) >= _LEAST and (surname not in WORDS or is_capital)
                told = is_capital or by_comma or (count > 1 and len(given) >= _LEAST)
                if (sure or told) and not (by_comma and surname == last):
                    yield Doubt(*match.span("name"), likely=sure)
                    break


@cache
def _count(letters: str) -> int:
    """Of how many syllables some letters are: one or two, else 0."""
    known = _syllables()
    if letters in known:
        return 1
    return 2 if any(letters[:at] in known and letters[at:] in known for at in range(1, len(letters))) else 0


@cache
def _syllables() -> frozenset[str]:
    return frozenset(syllable for own in readings().values() for syllable in own if syllable.isascii())


@cache
def _surnames() -> frozenset[str]:
    """How the Chinese surnames are spelt, those of two characters as well."""
    found = {syllable for char in SURNAMES + RARE for syllable in readings().get(char, ())}
    for compound in COMPOUND.split("|"):
        found |= {one + two for one in readings()[compound[0]] for two in readings()[compound[1]]}
    return frozenset(found)


@cache
def _is_spelt(name: str) -> bool:
    """Whether small letters are a name as it is spelt: le luqiao, zangfenglan."""
    return _PINYIN.fullmatch(name) is not None and name not in _COMMON


@cache
def _begins_with_surname(name: str) -> bool:
    """Whether a name in Latin letters is a Mandarin surname and one or two syllables: wangke, Xie, Can."""
    return _SURNAME_SPELT.fullmatch(name) is not None
