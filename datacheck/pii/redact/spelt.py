"""How a Chinese name is written in Latin letters: LIU Zhiming, Zhiming Liu, liuzhiming, Ms. Liu of 刘志明.

The readings are those of `syllables.tsv`. Two syllables are many a word (he can, Lina): those count where a blank, a
sign or a capital parts them, and one of them is no English word.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from datacheck.pii.recognizers.base import words

_FEW = 2
_MOST = 16  # spellings of a name whose characters have several readings
_LONG_GIVEN = 4  # letters; a shorter given name alone is many a word
_LONG_GLUED = 6
# Two syllables in small letters and one word (liaoxin) are read as a name, but these
_GLUED_WORDS = words(
    "bangle change dangle hunger jingle linger lounge mangle mingle tangle tinge shanghai hainan hunan henan"
)
WORDS = words(
    "a an ban bang bin can chang chase dang die do fan fang fen gang go guide han hang he hen hong hui lag lie long"
    " man me men mo nan no pan pang pin ping quan ran rang sang shan she shun so song sun tan tang ti tie to wan wang"
    " we wu you"
)
_CALLED = re.compile(
    r"(?:(?<![A-Za-z])(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?|[A-Z]\.(?:-?[A-Z]\.)?)[ ]?"
    r"|(?i:surname|(?:last|family)[ _]?name|姓氏?)[^A-Za-z\n，。]{1,6}(?:is[ ])?)([A-Z][a-z]+|[A-Z]{2,})(?![A-Za-z])"
)
_GIVEN = re.compile(r"(?<![A-Za-z])[A-Z][a-z]+(?=((?:[-'’ ][A-Za-z][a-z]*)?))(?![A-Za-z])")


@lru_cache(4096)
def spellings(surname: str, given: str) -> tuple[tuple[str, ...], ...]:
    """The syllables of a name in each spelling, the surname first: ("liu", "zhi", "ming")."""
    read = [readings().get(char, ()) for char in surname + given]
    return tuple(product(*read))[:_MOST] if all(read) else ()


def forms(surname: str, given: str) -> Iterator[tuple[str, int]]:
    """The letters of a name, and how many of them come before the other part."""
    size = len(surname)
    for each in spellings(surname, given):
        first, last = "".join(each[:size]), "".join(each[size:])
        yield first + last, len(first)
        yield last + first, len(last)


def given_forms(surname: str, given: str) -> Iterator[str]:
    """The letters of a given name that is told by itself."""
    parts = {"".join(each[len(surname) :]) for each in spellings(surname, given)} if len(given) > 1 else ()
    yield from (part for part in parts if len(part) >= _LONG_GIVEN)


def surname_forms(surname: str, given: str) -> Iterator[str]:
    """The letters of a surname."""
    yield from {"".join(each[: len(surname)]) for each in spellings(surname, given)}


def is_told(written: str, first: int, syllables: int) -> bool:
    """Whether a place that holds the letters of a name is one; `first`: letters of the part that comes first."""
    if syllables > _FEW:  # no word is written so
        return True
    letters = [at for at, char in enumerate(written) if char.isalpha()]
    cut = letters[first]
    is_parted = cut != letters[first - 1] + 1 or (written[cut].isupper() and not written[letters[first - 1]].isupper())
    if written.isalpha() and written[0].isupper() and is_parted:  # HePing: no two words are written so
        return True
    if written.isalpha() and written.islower() and len(written) >= _LONG_GLUED:
        return not written.endswith("ing") and written not in _GLUED_WORDS
    parts = {written[:cut].strip(" ._-'’").lower(), written[cut:].lower()}
    return is_parted and not parts <= WORDS


def called(text: str, surnames: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
    """Where a surname stands behind a title, an initial or what asks for it: Ms. Liu, Z. Liu, Surname 填 LIU."""
    for match in _CALLED.finditer(text):
        if (known := surnames.get(match[1].lower())) is not None:
            yield *match.span(1), known


def given_alone(text: str, given: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
    """Where a given name of two syllables stands: Zhiming, Zhi-Ming."""
    for match in _GIVEN.finditer(text):
        for end in (match.end(1), match.end()):
            written = "".join(filter(str.isalpha, text[match.start() : end]))
            if (known := given.get(written.lower())) is not None:
                yield match.start(), end, known
                break


@cache
def readings() -> dict[str, tuple[str, ...]]:
    """By Chinese character how it is read, in Latin letters without tones."""
    lines = Path(__file__).with_name("syllables.tsv").read_text("utf-8").splitlines()
    found: dict[str, tuple[str, ...]] = {}
    for syllable, chars in (line.split("\t") for line in lines if not line.startswith("#")):
        written = (
            (syllable, syllable.replace("v", "u"), syllable.replace("v", "yu"), syllable.replace("v", "ü"))
            if "v" in syllable
            else (syllable,)
        )
        for char in chars:
            found[char] = (*found.get(char, ()), *written)
    return found
