"""Who speaks in a talk that a text holds: Chase: u coming tonight? / Sky: yeah.

A word before a colon is a key of a list as often. So at least two speakers take turns, each speaks twice or is replaced
already, and one of them is known as somebody.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from datacheck.pii.given_names import is_given, words_as_names
from datacheck.pii.recognizers.person import LATIN
from datacheck.pii.redact.doubt import MADE, Doubt

_LINE = re.compile(
    rf"(?m:^)[ >]{{0,4}}(?:[\[(][^\])\n]{{1,20}}[\])][ ]?)?(?P<who>{MADE}|[A-Z][{LATIN}]+)(?=[ ]?[:：][ ]?\S)"
)
_TURNS, _SPEAKERS = 2, 2


def speakers(text: str, others: frozenset[str]) -> Iterator[Doubt]:
    """Yield where the speakers of a talk are told; `others`: capitalised words that are nobody's."""
    lines = list(_LINE.finditer(text))
    said = Counter(line["who"] for line in lines)
    taking = {who for who, count in said.items() if count >= _TURNS or who[0] == "<"}
    turns = [line["who"] for line in lines if line["who"] in taking]
    changes = sum(one != two for one, two in pairwise(turns))
    known = any(who[0] == "<" or is_given(who) or who in words_as_names() for who in taking)
    if len(taking) < _SPEAKERS or len(turns) <= _SPEAKERS or changes < _TURNS or not known:
        return
    for line in lines:
        who = line["who"]
        if who in taking and who[0] != "<" and who not in others:
            yield Doubt(*line.span("who"), likely=True, by=who)
