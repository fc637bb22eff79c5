"""Patterns (Rust regex) of text that was decoded with the wrong encoding.

Each pattern matches what cannot be anything else, so a single "É”" in French or a "též“" in Czech is left alone
although its bytes would be valid UTF-8: two such sequences in a row, or one that no language writes, are needed.
"""

from collections.abc import Iterable
from functools import cache

# What Windows-1252 shows for the bytes 80 to 9F, less quotation marks, dashes and … (they follow letters anyway).
_CP1252 = "€‚ƒ„†‡ˆ‰Š‹ŒŽ˜š›œž\u0178"
_ALL_1252 = _CP1252 + "‘’“”•–—™…"
_TAIL = r"[\x{80}-\x{BF}" + _ALL_1252 + "]"  # any byte 80 to BF
_ODD = r"[\x{80}-\x{BF}" + _CP1252 + "]"

UTF8_AS_LATIN = "|".join(
    (
        f"[ÂÃ]{_ODD}",  # é, °, no-break space
        r"â[\x{80}€][\x{80}-\x{BF}" + _ALL_1252 + "]?",  # typographic quotes and dashes
        f"(?:[ã-ï]{_TAIL}{_TAIL}){{2}}",  # Han, kana, Hangul, fullwidth marks
        r"[ä-é][¢-©¬-¹¼-¾]" + _ODD,  # a single Han character: ä¸­
        f"ï»¿|ðŸ{_TAIL}",  # byte order mark, emoji
        f"(?:[ÐÑ]{_TAIL}){{3}}",  # Cyrillic
    )
)
# GBK read as Latin-1 (ÄãºÃ£¬ÊÀ½ç): long runs of accented letters with a sign between two of them.
GBK_AS_LATIN = r"[\x{A1}-\x{FE}]{3}[À-þ][¢-¾][À-þ][\x{A1}-\x{FE}]{2}|[À-þ][¢-¾][À-þ]£[¡-¿][\x{A1}-\x{FE}]{2}"
# A replacement character written as UTF-8 and read as GBK; memory that Visual C++ has not initialised.
GBK_CLASSICS = "锟斤拷|烫{3}|屯{3}"


@cache
def mojibake() -> str:
    """Match any of them; one pattern is searched once."""
    return f"{UTF8_AS_LATIN}|{GBK_AS_LATIN}|{GBK_CLASSICS}|{utf8_as_gbk()}"


@cache
def utf8_as_gbk() -> str:
    """Match UTF-8 read as GBK (浣犲ソ涓栫晫): two three-byte characters come out as six bytes, three characters.

    Twice that is asked for (four characters of the original), or an ideographic comma or full stop beside one.
    """
    lead, middle, tail = (
        _class(_decoded(range(0xE3, 0xEA), range(0x80, 0xC0))),
        _class(_decoded(range(0x80, 0xC0), [*range(0xE3, 0xEA), 0xEF])),
        _class(_decoded(range(0x80, 0xC0), range(0x80, 0xC0))),
    )
    marks = _class(_decoded([0xEF], [0xBC]) + _decoded([0xE3], [0x80]) + _decoded([0xE2], [0x80]))
    return (
        f"(?:{lead}{middle}{tail}){{2}}|{lead}{middle}{tail}{marks}{middle}|{marks}{middle}{tail}{lead}{middle}{tail}"
    )


def _decoded(first: Iterable[int], second: Iterable[int]) -> list[str]:
    """Return the characters that GBK has for these two bytes."""
    seconds = list(second)
    pairs = [bytes((one, two)).decode("gbk", "ignore") for one in first for two in seconds]
    return [pair for pair in pairs if len(pair) == 1 and pair > "\x7f"]


def _class(chars: list[str]) -> str:
    return f"[{''.join(sorted(set(chars)))}]"
