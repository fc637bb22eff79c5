"""Which scripts a text is written in, counted in words."""

from functools import cache

import numpy as np
import polars as pl

from datacheck.text import built_tables, tables
from datacheck.text.arrays import Bools, UInt8s
from datacheck.text.kernels import Scripts, script_counts

# Blocks of letters by script (Unicode 14.0). Signs, digits and marks belong to none.
_BLOCKS: dict[str, tuple[tuple[int, int], ...]] = {
    "han": ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
    "kana": ((0x3041, 0x3096), (0x30A1, 0x30FA), (0x31F0, 0x31FF), (0xFF66, 0xFF9D)),
    "hangul": ((0x1100, 0x11FF), (0x3131, 0x318E), (0xAC00, 0xD7A3)),
    "latin": (
        (0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x24F), (0x1E00, 0x1EFF),
        (0xFF21, 0xFF3A), (0xFF41, 0xFF5A),
    ),
    "cyrillic": ((0x400, 0x481), (0x48A, 0x52F)),
    "arabic": ((0x620, 0x64A), (0x66E, 0x6D3), (0x750, 0x77F)),
    "thai": ((0xE01, 0xE4E),),
    "devanagari": ((0x900, 0x963), (0x970, 0x97F)),
    "hebrew": ((0x5D0, 0x5EA),),
    "greek": ((0x370, 0x373), (0x376, 0x37D), (0x386, 0x3FF), (0x1F00, 0x1FFF)),
}  # fmt: skip
SCRIPTS = tuple(_BLOCKS)
_BY_CHARACTER = ("han", "kana", "thai")  # no spaces between words: each character counts
_NONE = len(SCRIPTS)
COLUMNS = (*SCRIPTS, "simplified", "traditional")


def script_words(texts: pl.Series, *, language: bool = False) -> pl.DataFrame:
    """Return, for each text, how many words it has of each script; null has none.

    language: what is no language (`classes.NO_WORDS`) is left out.

    A word is a Han, kana or Thai character, or a run of two or more letters of another script (single letters are
    names of variables and answers). `simplified` and `traditional` are the Han characters that only one way of writing
    Chinese uses: by OpenCC's table, where the character sets GB 2312 and Big5 agree with it.
    """
    counts = script_counts(texts, _scripts(), len(COLUMNS), language=language)
    return pl.DataFrame({name: counts[:, number] for number, name in enumerate(COLUMNS)})


@cache
def _scripts() -> Scripts:
    script, forms = (built_tables.array(name) for name in ("scripts", "forms"))
    made = make_scripts() if script is None or forms is None else {"scripts": script, "forms": forms}
    return Scripts(script=made["scripts"], forms=made["forms"], single=_single(), none=_NONE, width=len(COLUMNS))


def make_scripts() -> dict[str, UInt8s]:
    """Make what is known of each code point, for `built_tables`: its script, and which form of Chinese it is."""
    return {"scripts": _classes(), "forms": _written()}


def _classes() -> UInt8s:
    classes = np.full(0x110000, _NONE, np.uint8)
    for number, ranges in enumerate(_BLOCKS.values()):
        for first, last in ranges:
            classes[first : last + 1] = number
    return classes


def _single() -> Bools:
    return np.array([name in _BY_CHARACTER for name in SCRIPTS] + [True])


def _written() -> UInt8s:
    """1: a simplified form, 2: a traditional form, 0: anything else, characters of both among them (后, 里)."""
    written = np.zeros(0x110000, np.uint8)
    for first, last, mapped in tables.read("t2s"):
        for offset in range(last - first + 1):
            traditional, simplified = first + offset, mapped[0] + offset
            if traditional != simplified:
                written[traditional] = 0 if _has("gb2312", traditional) else 2
                written[simplified] = 0 if _has("big5", simplified) else 1
    return written


def _has(charset: str, code: int) -> bool:
    try:
        chr(code).encode(charset)
    except UnicodeEncodeError:
        return False
    return True
