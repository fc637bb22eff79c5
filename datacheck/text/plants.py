"""Planted near-copies: texts with a known edit, to see whether a detector would have found such a row.

Edits are those that people and pipelines make; each is deterministic in (text, kind).
"""

import random
import re
import unicodedata
import zlib
from collections.abc import Callable
from functools import cache

from datacheck.text import tables

_FILL = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面"
_LATIN = "etaoinshrdlu"


def _edit(share: float) -> Callable[[str, random.Random], str]:
    def edit(text: str, rng: random.Random) -> str:
        """Replace, delete or insert characters at `share` of the places, at least one."""
        letters = list(text)
        for _ in range(max(1, round(len(letters) * share))):
            at = rng.randrange(len(letters))
            fill = rng.choice(_LATIN if letters[at].isascii() else _FILL)
            letters[at] = rng.choice((fill, "", letters[at] + fill))
            if not any(letters):
                letters[at] = fill
        return "".join(letters)

    return edit


def _punctuation(text: str, _rng: random.Random) -> str:
    return text.translate(str.maketrans("，。！？、：；,.!?", ",.!?,:;，。！？"))


def _fullwidth(text: str, _rng: random.Random) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in unicodedata.normalize("NFKC", text))


def _spaces(text: str, rng: random.Random) -> str:
    return "".join(c + " " if rng.random() < 0.2 else c for c in text)


def _prefix(text: str, _rng: random.Random) -> str:
    return ("请认真回答：" if any("\u4e00" <= c <= "\u9fff" for c in text) else "Answer with care: ") + text


def _suffix(text: str, _rng: random.Random) -> str:
    return text + ("谢谢你的帮助。" if any("\u4e00" <= c <= "\u9fff" for c in text) else " Thanks for your help.")


def _case(text: str, _rng: random.Random) -> str:
    return text.swapcase()


@cache
def _traditional_of() -> dict[int, str]:
    found: dict[int, str] = {}
    for first, last, mapped in tables.read("t2s"):
        for code in range(first, last + 1):
            found.setdefault(mapped[0] + code - first, chr(code))
    return found


def traditional(text: str, _rng: random.Random | None = None) -> str:
    """Write simplified Chinese in traditional characters (of several, the first that simplifies to it)."""
    return text.translate(_traditional_of())


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in re.split(r"(?<=[。！？!?；;\n])|(?<=\. )", text) if sentence]


def _shuffled(text: str, rng: random.Random) -> str:
    sentences = _sentences(text)
    rng.shuffle(sentences)
    return "".join(sentences)


def _shorter(text: str, rng: random.Random) -> str:
    sentences = _sentences(text)
    if len(sentences) > 1:
        del sentences[rng.randrange(len(sentences))]
    return "".join(sentences)


def _lines(text: str, _rng: random.Random) -> str:
    return "\n\n".join(_sentences(text))


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "1 % edits": _edit(0.01),
    "2 % edits": _edit(0.02),
    "5 % edits": _edit(0.05),
    "10 % edits": _edit(0.10),
    "punctuation": _punctuation,
    "fullwidth": _fullwidth,
    "inserted spaces": _spaces,
    "letter case": _case,
    "prefix": _prefix,
    "suffix": _suffix,
    "traditional": traditional,
    "shuffled sentences": _shuffled,
    "a sentence left out": _shorter,
    "line breaks": _lines,
}


def plant(text: str, kind: str) -> str:
    """The near-copy of `text` of one kind. Raises KeyError for an unknown kind."""
    rng = random.Random(zlib.crc32(f"{kind}\0{text}".encode("utf-8", "surrogatepass")))
    return KINDS[kind](text, rng)
