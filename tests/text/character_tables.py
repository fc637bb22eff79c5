"""Write the character tables: `python tests/text/character_tables.py`.

Sources: this Python's `unicodedata`, which must be Unicode 14.0 (Python 3.11; Unicode License v3), and
`opencc/dictionary/TSCharacters.txt` of opencc-python-reimplemented 0.1.7 (Apache-2.0,
https://github.com/BYVoid/OpenCC). Only a developer who regenerates the tables needs that package.
"""

import unicodedata
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "datacheck" / "text" / "tables"
UNICODE = "14.0.0"
CODE_POINTS = [*range(0xD800), *range(0xE000, 0x110000)]  # surrogates are not text

# Default_Ignorable_Code_Point (DerivedCoreProperties.txt 14.0) whose category is not Cf or Cn: invisible all
# the same.
INVISIBLE = frozenset(
    (
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    )
)

UNICODE_HEADER = f"""\
# Derived from the Unicode Character Database {UNICODE}. Copyright Unicode, Inc.; Unicode License v3.
# Written by tests/text/character_tables.py: do not edit. Columns: kind, first, last, mapped (hex).
"""
T2S_HEADER = """\
# Derived from OpenCC's TSCharacters.txt (https://github.com/BYVoid/OpenCC), Apache License 2.0; changed:
# first candidate only, one code point each, chains followed to their end, in hex.
# Written by tests/text/character_tables.py: do not edit.
"""


def nfkc(char: str) -> str:
    """Compatibility decomposition, then composition."""
    return unicodedata.normalize("NFKC", char)


def is_space(char: str) -> bool:
    """Separators and the control characters that Python calls white space (tab, line ends, …)."""
    return unicodedata.category(char)[0] == "Z" or char.isspace()


def is_stripped(char: str) -> bool:
    """Punctuation, symbols, control and format characters; unassigned and private ones may be words."""
    category = unicodedata.category(char)
    return (category[0] in "PS" or category in {"Cc", "Cf"} or ord(char) in INVISIBLE) and not is_space(char)


def is_word(char: str) -> bool:
    """Letters, marks and numbers."""
    return unicodedata.category(char)[0] in "LMN" and ord(char) not in INVISIBLE


def composing() -> frozenset[str]:
    """Return what can be the second half of a canonical composition (NFKC_Quick_Check=Maybe)."""
    seconds = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}  # Hangul vowels, finals
    for code in CODE_POINTS:
        parts = unicodedata.decomposition(chr(code)).split()
        is_pair = len(parts) == 2 and not parts[0].startswith("<")
        if is_pair and unicodedata.normalize("NFC", chr(code)) == chr(code):
            seconds.add(chr(int(parts[1], 16)))
    return frozenset(seconds)


def contextual() -> Callable[[str], bool]:
    """Return the test for characters whose NFKC depends on neighbours: combining or composing ones."""
    seconds = composing()
    return lambda char: any(unicodedata.combining(c) or c in seconds for c in (char, *nfkc(char)))


def mapping_lines(kind: str, mapping: dict[int, tuple[int, ...]]) -> Iterator[str]:
    """Yield table lines; neighbours that map to neighbours share one."""
    codes = sorted(mapping)
    at = 0
    while at < len(codes):
        first, mapped = codes[at], mapping[codes[at]]
        length = 1
        while len(mapped) == 1 and mapping.get(first + length) == (mapped[0] + length,):
            length += 1
        yield "\t".join([kind, *(f"{code:04X}" for code in (first, first + length - 1, *mapped))])
        at += length


def set_lines(kind: str, belongs: Callable[[str], bool]) -> Iterator[str]:
    """Yield table lines of a set; neighbours share one."""
    first = last = -2
    for code in filter(lambda code: belongs(chr(code)), CODE_POINTS):
        if code != last + 1:
            if first >= 0:
                yield f"{kind}\t{first:04X}\t{last:04X}"
            first = code
        last = code
    yield f"{kind}\t{first:04X}\t{last:04X}"


def changed(change: Callable[[str], str]) -> dict[int, tuple[int, ...]]:
    """Return the code points that `change` alters, and into what."""
    pairs = ((code, change(chr(code))) for code in CODE_POINTS)
    return {code: tuple(map(ord, new)) for code, new in pairs if new != chr(code)}


def unicode_table() -> str:
    """Return the text of unicode.tsv. Raises RuntimeError on another Unicode version."""
    if unicodedata.unidata_version != UNICODE:
        raise RuntimeError(f"the tables are Unicode {UNICODE}, this Python has {unicodedata.unidata_version}")
    lines = [
        *mapping_lines("nfkc", changed(nfkc)),
        *mapping_lines("casefold", changed(str.casefold)),
        *set_lines("contextual", contextual()),
        *set_lines("strip", is_stripped),
        *set_lines("space", is_space),
        *set_lines("word", is_word),
        *set_lines("unassigned", lambda char: unicodedata.category(char) == "Cn"),
    ]
    return UNICODE_HEADER + "\n".join(lines) + "\n"


def t2s_table() -> str:
    """Return the text of t2s.tsv. Raises RuntimeError without the source package."""
    spec = find_spec("opencc")
    if spec is None or spec.origin is None:
        raise RuntimeError("install opencc-python-reimplemented 0.1.7 to regenerate the table")
    source = Path(spec.origin).parent / "dictionary" / "TSCharacters.txt"
    mapping: dict[int, tuple[int, ...]] = {}
    for line in source.read_text(encoding="utf-8").splitlines():
        traditional, candidates = line.split("\t")
        simplified = candidates.split(" ")[0]
        if len(traditional) == len(simplified) == 1 and traditional != simplified:
            mapping[ord(traditional)] = (ord(simplified),)
    for code, (simplified_code,) in mapping.items():  # 薴 to 苧 to 苎: once must be enough
        mapping[code] = mapping.get(simplified_code, mapping[code])
    return T2S_HEADER + "\n".join(mapping_lines("t2s", mapping)) + "\n"


if __name__ == "__main__":
    (FOLDER / "unicode.tsv").write_text(unicode_table(), encoding="utf-8")
    (FOLDER / "t2s.tsv").write_text(t2s_table(), encoding="utf-8")
