"""English names of which only a census knows a part: Percival Ingersoll, Reed Kaufman, Sponsor Anthony Marsh.

A rare family name may be a firm, a place or a thing as well (Holland, Vega). So two capitalised words are listed where
the last one is such a name or the first one a rare given name, and are somebody where both are.
"""

import re
from collections.abc import Iterator

from datacheck.pii.given_names import census, given_names, is_given, surnames, without_accents, words_as_names
from datacheck.pii.recognizers.person import LATIN
from datacheck.pii.redact.cantonese import is_surname
from datacheck.pii.redact.doubt import Doubt
from datacheck.pii.redact.row_names import NO_NAMES, UPPER

_ONE = rf"[{UPPER}][{LATIN}]+(?:[-’'][{UPPER}][{LATIN}]+)?"
_END = rf"(?![{LATIN}0-9@&/]|\.[{LATIN}])"
_RUN = re.compile(rf"(?<![{LATIN}0-9@&/’'.\-])(?P<name>{_ONE}(?: [{UPPER}]\.)?(?: {_ONE}){{1,2}}){_END}")
_REVERSED = re.compile(rf"(?<=[\"'|;\t])(?P<name>(?P<last>{_ONE}), (?P<first>{_ONE}))(?=[\"'|;\t])")


def by_census(text: str, others: frozenset[str]) -> Iterator[Doubt]:
    """Yield the names of a text; `others`: capitalised words that are nobody's."""
    ends = given_names()[1]
    for match in _RUN.finditer(text):
        start, parts = match.start(), match["name"].split(" ")
        while len(parts) > 2 and (parts[0] in others or (is_given(parts[1]) and _is_family(parts[-1]))):
            # Sponsor Anthony Marsh
            start, parts = start + len(parts[0]) + 1, parts[1:]
        first, last = (without_accents(part.title()) for part in (parts[0], parts[-1]))
        if first in others or last in others or last in NO_NAMES or last in ends:
            continue
        given, family = is_given(first) or first in words_as_names() or first in census()[0], _is_family(last)
        if family or first in census()[0] or (is_given(first) and start > match.start()):
            yield Doubt(start, match.end(), likely=given and (family or is_given(first)))
    for match in _REVERSED.finditer(text):
        first, last = (without_accents(match[part]) for part in ("first", "last"))
        if first not in others and last not in others:
            given = is_given(first) or first in words_as_names() or first in census()[0]
            if given or _is_family(last):
                yield Doubt(*match.span("name"), likely=given)


def _is_family(name: str) -> bool:
    return name in census()[1] or name in surnames() or is_surname(name)
