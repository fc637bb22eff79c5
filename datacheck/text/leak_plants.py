"""Planted leaks: an evaluation item in the ways in which items get into training data.

Each is deterministic in (item, kind). What `plants` edits is edited in the same way here.
"""

import random
import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

from datacheck.text.plants import plant

_LABEL = r"^\s*[(（]?[A-Ja-j][)）.．、:：]\s*"  # (A), A. and the like
_AROUND = 200  # characters of other text before and after an embedded item
_TIMES = 4  # the text around a deeply embedded item is so many times as long as the item


class Item(NamedTuple):
    """An evaluation item as it was written: its question and, where it has some, its options."""

    question: str
    options: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """The question with its options, one per line."""
        return "\n".join((self.question, *self.options))


Plant = Callable[[Item, str], str]


def _edited(kind: str) -> Plant:
    return lambda item, _host: plant(item.whole, kind)


def _embedded(text: str, host: str) -> str:
    return f"{host[:_AROUND]}\n{text}\n{host[-_AROUND:]}"


def _deep(item: Item, host: str) -> str:
    half = len(item.whole) * _TIMES // 2
    around = host * (half // max(len(host), 1) + 1) if host else ""
    return f"{around[:half]}\n{item.whole}\n{around[-half:]}"


def _shuffled(item: Item, _host: str) -> str:
    options = list(item.options)
    rng = random.Random(zlib.crc32(item.whole.encode("utf-8", "surrogatepass")))
    rng.shuffle(options)
    if options == list(item.options):
        options.reverse()
    return "\n".join((item.question, *options))


def _relabelled(item: Item, _host: str) -> str:
    bare = [re.sub(_LABEL, "", option) for option in item.options]
    if bare != list(item.options):
        return "\n".join((item.question, *bare))
    return "\n".join((item.question, *(f"{chr(65 + at)}. {option}" for at, option in enumerate(bare))))


LEAKS: dict[str, Plant] = {
    "verbatim": lambda item, _host: item.whole,
    "embedded": lambda item, host: _embedded(item.whole, host),
    "embedded in four times as much": _deep,
    "2 % edits": _edited("2 % edits"),
    "5 % edits": _edited("5 % edits"),
    "5 % edits, embedded": lambda item, host: _embedded(plant(item.whole, "5 % edits"), host),
    "10 % edits": _edited("10 % edits"),
    "traditional": _edited("traditional"),
    "fullwidth": _edited("fullwidth"),
    "punctuation": _edited("punctuation"),
    "inserted spaces": _edited("inserted spaces"),
    "letter case": _edited("letter case"),
    "options shuffled": _shuffled,
    "options relabelled": _relabelled,
    "question without options": lambda item, _host: item.question,
}
OF_CHOICES = ("options shuffled", "options relabelled", "question without options")  # only of items that have options


def leaks(item: Item, host: str) -> dict[str, str]:
    """Return the item as it would leak in every way that changes something about it, by kind; host: other text."""
    return {kind: made(item, host) for kind, made in LEAKS.items() if item.options or kind not in OF_CHOICES}
