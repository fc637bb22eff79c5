"""What a format says about itself: which keys a record must have, and who reads it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from datacheck.loading.formats.turns import Extract, Styles

NO_KEYS: frozenset[str] = frozenset()
# Keys of a text that belongs to the question beside it; the first that a record has is joined to it.
PASSAGES = ("passage", "context", "Body", "body", "story", "article", "background", "材料")
ON_REQUEST = 100  # below this rank keys say too little: tried only where a contract names the format


# What rows of a format are for. Of these, the first two end with an answer, and only the last two ask nothing.
Kind = Literal["chat", "preference", "prompt", "verifiable", "answered", "choices", "plain", "tokens", "one_message"]


class Name(NamedTuple):
    """A name of a format, as `source.format` and the rows have it; several formats may share one.

    kind: what the rows are for: what checks expect of them, and which checks `init` proposes.
    fields: of `source.fields`, those that make this format. more: those that may stand beside them.
    keys: field → the key under which the readers look for it, where it is not the field's own name.
    """

    name: str
    kind: Kind
    fields: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    keys: Mapping[str, str] = {}

    def fields_said(self) -> str:
        """The fields as a message names them."""
        return " + ".join(self.fields) + (f" (+ {' + '.join(self.more)})" if self.more else "")


class Format(NamedTuple):
    """A shape of records, judged by its keys; `read` then checks the types and returns None if they do not fit.

    needs: keys that the record must have. rank: of two formats whose keys a record has, the one with the higher rank is
    tried first; the more a key set says of a record, the higher. Ours are in hundreds by kind: 700 pairs and rewards,
    600 conversations, 500 completions, 400 choices, 300 instructions and texts, 200 questions with answers, 100
    prompts. No two files share a rank.
    without: keys that it must not have. only: the needed keys are all that it has.
    """

    name: str
    rank: int
    needs: frozenset[str]
    read: Callable[[dict[str, Any], Styles], Extract | None]
    without: frozenset[str] = NO_KEYS
    only: bool = False

    @property
    def reader(self) -> Callable[..., Extract | None]:
        """The function that reads, without the keys that this format gives it."""
        return self.read.func if isinstance(self.read, partial) else self.read

    @property
    def read_from(self) -> str:
        """The module of the reader."""
        return self.reader.__module__

    def fits(self, keys: frozenset[str]) -> bool:
        """Whether a record with these keys may be one."""
        return self.needs <= keys and not self.without & keys and (not self.only or len(keys) == len(self.needs))


def first_of(keys: Sequence[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each key with those before it, which a record must not have if this key is the first of them."""
    for at, key in enumerate(keys):
        yield key, frozenset(keys[:at])
