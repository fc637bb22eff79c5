"""Chinese names of characters that stand in few names: 换成苏潮诺, 欠徐骏豹的钱.

What reads as a surname and a given name by the score of `likely_names`, but whose characters no list of given names
has. In a sentence that is as often a word, or the sounds of a foreign name: so it is likely somebody with a high score
where nothing but what is said of people touches it, and is listed otherwise.
"""

import re
from collections.abc import Iterator

from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.person import COMPOUND, SURNAMES
from datacheck.pii.redact.addressed import Addressed
from datacheck.pii.redact.doubt import Doubt, is_spoken_of
from datacheck.pii.redact.likely_names import RARE, is_led, likely_names
from datacheck.pii.redact.row_names import LEADS, SOUNDS
from datacheck.pii.tagger import is_entry
from datacheck.text.chinese import simplified

_LIKELY, _LEAST = 3.0, 0.0
_POINTS = tuple("·•・‧.《")
_SOUNDS = frozenset(SOUNDS)
_NOBODYS = frozenset("氏妃嫔后帝族朝寺庙楼饭酒堂亭庄")
_RUN = re.compile(f"[{HAN}]+")
_CANDIDATE = re.compile(rf"(?=(?P<surname>{COMPOUND}|[{SURNAMES}{RARE}])(?P<given>[{HAN}]{{1,2}}))")


def rare_names(text: str, called: Addressed) -> Iterator[Doubt]:
    """Yield the names of a text in which names are replaced already."""
    for run in _RUN.finditer(text):
        if not _has_candidate(simplified(run[0])):
            continue
        first = max(0, run.start() - 1)
        for start, end, score in likely_names(text[first : run.end() + 1], LEADS, called):
            yield from _judged(text, first + start, first + end, score)


def _judged(text: str, start: int, end: int, score: float) -> Iterator[Doubt]:
    name = text[start:end]
    is_foreign = _SOUNDS.issuperset(name) or text[:start].endswith(_POINTS) or text[end : end + 1] in _POINTS
    if score >= _LEAST and not is_foreign and _NOBODYS.isdisjoint(name):
        called = is_led(text, start, LEADS) or is_spoken_of(text, start, end)
        yield Doubt(start, end, likely=score >= _LIKELY and called)


def _has_candidate(run: str) -> bool:
    """Whether no word goes over the edges of what may be a name: cheap, before each way to cut the run is weighed."""
    for match in _CANDIDATE.finditer(run):
        surname, given, start = match["surname"], match["given"], match.start()
        if len(surname) > 1:
            return True
        over = is_entry(surname + given[0]) or (start > 0 and is_entry(run[start - 1 : start + 1]))
        after = run[match.end("given") :][:1]
        over = over or (after != "" and is_entry(given[-1] + after))
        if not over and not is_entry(surname + given):
            return True
    return False
