"""Names of Hong Kong as they are spelt in Latin letters: CHAN Tai Man, Tai-man Chan, wong ka yan.

A surname and two syllables of given names, either first. The spellings are those in which the government romanises
names, without a standard: no table leads from the characters to them, so each place has to be seen by itself.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from datacheck.pii.recognizers.base import words

_SURNAMES = words(
    "au chan chau cheng cheuk cheung chiu choi chow choy chu chui chung fan fok fong fu fung ho hui hung ip kam"
    " ko kong koo kwan kwok kwong lai lam lau law lee leung li lo lui luk ma mak man mok ng ngai ngan pang poon"
    " pun shek shum sin sit siu so suen sung szeto tai tam tang to tong tsang tse tso tsoi tsui tung wan wat wong"
    " woo wu yam yau yeung yim yip yiu yu yue yuen yung"
)
_GIVEN = words(
    "bik bing bun chak cham chau cheuk cheung chi chin ching chit cho choi chor chu chui chun chung fai fan fat fei"
    " fong fu fuk fun fung ha hang hau hay hei heung him hin hing hiu ho hoi hok hon hong hou hung ka kai kam kan kar"
    " kei keung ki kin king kit kiu ko kong ku kuen kui kun kwai kwan kwok kwong kwun kwan kwong lai lam lan lap lau"
    " leung li lik lim lin ling lok long luen lui luk lun lung ma mak man mei mi min ming miu mo mou mui mun nam nga"
    " ngai ngan ngo nok oi on pak pan ping piu po pong pui pun sai sang sau sek sheung shing shu shuk shun sik sin sing"
    " siu sum sun sung suet suk sze ta tai tak tik tim tin ting to tong tsz tsun tsui tuen tung wa wah wai wan wang"
    " wing wo wun yan yat yau yee yeuk yeung yi yik yim yin ying yip yiu yu yue yuen yuet yui yuk yun yung"
)
_ENGLISH = words(
    "bun chi chin chit cho chow chu fan fat fu fun ha hang hay him hon hung kin king kit lap law lee li lin ling lo"
    " long lung ma man mi min mo on pan ping po pun sang shun sin sing so sum sun sung ta tai tin to tong wan wing"
    " woo yam yip"
)
_PLACES = frozenset({"wong tai sin", "ho man tin", "lok ma chau", "sun tin wai"})
_TOKEN = re.compile(r"[A-Z][a-z]+|[A-Z]+(?![a-z])|[a-z]+")
_PARTS, _FOREIGN = 3, 2


def is_surname(name: str) -> bool:
    """Whether a capitalised word is a surname of Hong Kong, and no English word."""
    return name.lower() in _SURNAMES - _ENGLISH


def cantonese_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield where such names stand (code points, end exclusive), never overlapping."""
    found = list(_TOKEN.finditer(text))
    last = 0
    for at in range(len(found) - _PARTS + 1):
        run = found[at : at + _PARTS]
        start, end = run[0].start(), run[-1].end()
        if start >= last and _is_name(text, run) and not _goes_on(text, start, end):
            yield start, end
            last = end


def _is_name(text: str, run: list[re.Match[str]]) -> bool:
    spelt = [match[0] for match in run]
    first, second, third = map(str.lower, spelt)
    if f"{first} {second} {third}" in _PLACES or (first, second) == ("hong", "kong"):
        return False
    if first in _SURNAMES and second in _GIVEN and third in _GIVEN:
        gaps = " ", " -"
    elif third in _SURNAMES and first in _GIVEN and second in _GIVEN:
        gaps = " -", " "
    else:
        return False
    between = [text[left.end() : right.start()] for left, right in pairwise(run)]
    if any(gap not in ("", *allowed) for gap, allowed in zip(between, gaps, strict=True)):
        return False
    if any(
        gap == " " and word[0].islower() != spelt[0][0].islower() for gap, word in zip(between, spelt[1:], strict=True)
    ):
        return False
    # In small letters three words may be a sentence: so long man
    return spelt[0][0].isupper() or sum(word not in _ENGLISH for word in (first, second, third)) >= _FOREIGN


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether the letters are a part of a word, of an identifier or of a mailbox; @Lee Ka Fai is somebody."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return any(char.isascii() and (char.isalnum() or char in "_-") for char in before + after) or after == "@"
