"""Chinese given names by which somebody is called again and again: 我和玲海在一起…可以先和玲海谈谈.

Two characters of given names that no dictionary has as a word, nor a part of one with what stands beside them. Once
that is anything; in two places of a record, in one of them as people are spoken of, it is somebody.
"""

import re
from collections.abc import Iterator, Sequence

from datacheck.pii.redact.doubt import Doubt, is_spoken_of
from datacheck.pii.redact.likely_names import GIVEN_CHARACTERS
from datacheck.pii.redact.nicknames import is_often
from datacheck.pii.redact.row_names import SOUNDS
from datacheck.pii.tagger import is_entry

_TWO = re.compile(rf"(?=(?P<name>[{GIVEN_CHARACTERS}]{{2}}))")
_PLACES = 2
_SOUNDS = frozenset(SOUNDS)
# Who ends so is spoken of as a place, a thing or a firm
_AFTER = frozenset("路街道桥村庄苑园里店区县镇乡市省馆楼院寺厂司社站氏公集牌·•》")


def repeated(texts: Sequence[str]) -> Iterator[tuple[int, Doubt]]:
    """Yield the number of a text of one record (in simplified characters) and where somebody is called so in it."""
    places: dict[str, list[tuple[int, int, bool]]] = {}
    for number, text in enumerate(texts):
        for match in _TWO.finditer(text):
            name, start, end = match["name"], *match.span("name")
            if name[0] != name[1] and not is_entry(name) and not is_often(name) and not _SOUNDS.issuperset(name):
                before, after = text[start - 1 : start] if start else "", text[end : end + 1]
                over = (before and is_entry(before + name[0])) or (after and is_entry(name[1] + after))
                if not over and after not in _AFTER and before != "《":
                    places.setdefault(name, []).append((number, start, is_spoken_of(text, start, end)))
    for found in places.values():
        contexts = {texts[number][max(0, start - 1) : start + 3] for number, start, _ in found}
        if len(contexts) >= _PLACES and any(called for *_, called in found):
            every = all(called for *_, called in found)
            yield from ((number, Doubt(start, start + 2, likely=every)) for number, start, called in found if called)
