"""How the name of a file is shown: as it is, unless somebody's phone number or address stands in it."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from datacheck.pii.excerpts import visible
from datacheck.pii.normalise import fold
from datacheck.pii.recognizers import RECOGNIZERS, Recognizer, of_regions
from datacheck.pii.recognizers.base import span

# Versions (v1.2.3.4) and dates stand in names everywhere; an IP address is no person's.
_ENTITIES = tuple(entity for entity in of_regions() if entity != "IP_ADDRESS")
_SURE = 0.5
_PIECES = re.compile(r"([-._/ ()（）\[\]~])")


def shown_name(name: str) -> str:
    """Return `name` with the identifiers in it masked (138****8000) and what cannot be printed written out.

    Dates, counters and hashes stay readable: a value is hidden only if a recognizer judges it real. The file itself
    is found again by its sha256.
    """
    name = visible(name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
    if "@" not in name and sum(char.isalnum() for char in name) < 11:
        return name
    # Each piece by itself as well: in 13…-20261120 the date makes the number longer than a phone number.
    return "".join(_masked(piece) for piece in _PIECES.split("/".join(map(_without_suffix, name.split("/")))))


def _without_suffix(name: str) -> str:
    """Mask one name with and without its suffixes: in a@b.com.jsonl.gz the address ends before them."""
    ends = [at for at, char in enumerate(name) if char == "."][-3:]
    for end in [*ends, len(name)]:
        masked = _masked(name[:end])
        if masked != name[:end]:
            return masked + name[end:]
    return name


@lru_cache(maxsize=10_000)
def _masked(name: str) -> str:
    folded = fold(name)
    shown, at = "", 0
    for start, end, masked in sorted(_identifiers(folded.text), key=lambda hit: (hit[0], -hit[1])):
        first, last = folded.span(start, end)
        if first >= at:
            shown += name[at:first] + masked
            at = last
    return shown + name[at:]


def _identifiers(text: str) -> Iterator[tuple[int, int, str]]:
    for recognizer, rule, pattern in _rules():
        for match in pattern.finditer(text):
            start, end = recognizer.widen(text, *span(match))
            judgement = recognizer.judge(rule, text[start:end])
            if judgement is not None and judgement.score >= _SURE:
                yield start, end, recognizer.mask(text[start:end])


@cache
def _rules() -> tuple[tuple[Recognizer, str, Any], ...]:
    """Every rule with its compiled pattern: looking that up again for each name takes longer than the search."""
    from datacheck.pii.matching.compiled import compiled  # only names that could hold something pay for it

    recognizers = [RECOGNIZERS[entity] for entity in _ENTITIES]
    return tuple((one, rule, compiled(pattern)) for one in recognizers for rule, pattern in one.patterns.items())


def distinct(names: list[str]) -> list[str]:
    """Masked names that became equal get a number, so that every file keeps a name of its own."""
    used: set[str] = set()
    last: dict[str, int] = {}
    out = []
    for name in names:
        number, own = last.get(name, 1), name
        while own in used:
            number += 1
            own = f"{name}~{number}"
        last[name] = number
        used.add(own)
        out.append(own)
    return out
