"""What people of a record are called by in it: 老时, 曾哥, 长城哥, 阿瑞, Ms. Park.

Where somebody is called so, what may be a name with that surname or given name is one: 曾强一, François Park.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from datacheck.pii.callings import TITLES
from datacheck.pii.expressions import HAN
from datacheck.pii.tagger import is_entry

_CLOSE = "[哥姐叔姨](?![夫妹弟])|同学|先生|女士|小姐|阿姨"  # behind a given name as well
_TITLE = re.compile(rf"(?P<close>{_CLOSE})|{TITLES}|总(?![{HAN}])")
_FAMILIAR = re.compile(rf"[老小阿][{HAN}]")
_ENGLISH = re.compile(r"(?<![A-Za-z])(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? ([^\W\d_]+(?:[-’'][^\W\d_]+)?)")
_HAN = re.compile(f"[{HAN}]+\\Z")


class Addressed(NamedTuple):
    """Surnames, and given names or their last characters, by which somebody is called."""

    surnames: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()


NOBODY = Addressed()


def addressed(texts: Iterable[str]) -> Addressed:
    """Read the texts of one record. A word of the dictionary (老师, 小时) calls nobody."""
    surnames: set[str] = set()
    given: set[str] = set()
    for text in texts:
        surnames.update(match[1] for match in _ENGLISH.finditer(text))
        for match in _FAMILIAR.finditer(text):
            if not is_entry(match[0]):
                (given if match[0][0] == "阿" else surnames).add(match[0][1])
        for match in _TITLE.finditer(text):
            before = _HAN.search(text[max(0, match.start() - 2) : match.start()])
            if before and not is_entry(before[0][-1] + match[0]):
                surnames.add(before[0][-1])
                given.update({before[0]} if match["close"] and len(before[0]) > 1 else ())
    return Addressed(frozenset(surnames), frozenset(given))
