"""Records whose texts stand under keys of their own: read as a known format, with the places under their own keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from datacheck.loading.formats.base import PASSAGES
from datacheck.loading.formats.turns import Extract

_IN_A_MESSAGE = frozenset({"role", "content"})
_JOINED = frozenset({"input", *PASSAGES})  # joined to a question by some readers: only where it is named


NOTHING = object()
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")


def at(record: Any, path: str) -> Any:
    """The value under a key, or under a path (`question.stem`, `answers[0]`); NOTHING where there is none."""
    if record.__class__ is dict and path in record:
        return record[path]
    value = record
    for step in _STEP.finditer(path):
        key, number = step[1], step[2]
        if key is not None and value.__class__ is dict and key in value:
            value = value[key]
        elif number is not None and value.__class__ is list and int(number) < len(value):
            value = value[int(number)]
        else:
            return NOTHING
    return value


class Renaming(NamedTuple):
    """`own`: the reader's key → the record's, or a path in it."""

    own: Mapping[str, str]

    @classmethod
    def of(cls, fields: Mapping[str, str], keys: Mapping[str, str]) -> Renaming | None:
        """Return the renaming of a contract's `fields` for a format with these `keys`; None where there are none."""
        own = {keys.get(field, field): key for field, key in fields.items() if field not in _IN_A_MESSAGE}
        return cls(own) if own else None

    def record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the record as the readers know it; a key that only looks like one of theirs is left out."""
        taken = _JOINED.union(self.own, self.own.values())
        kept = {key: value for key, value in record.items() if key not in taken}
        found = {name: at(record, key) for name, key in self.own.items()}
        return {**kept, **{name: value for name, value in found.items() if value is not NOTHING}}

    def back(self, extract: Extract) -> Extract:
        """Return the extract with the record's own keys in its paths."""
        turns = [(*turn[:3], self._path(turn[3]), *turn[4:]) for turn in extract.turns]
        used = frozenset(self.own.get(key, key) for key in extract.used)
        cells = [(self._path(path), kind, text) for path, kind, text in extract.cells]
        return extract._replace(turns=turns, used=used, cells=cells)

    def _path(self, path: str) -> str:
        end = next((n for n, c in enumerate(path) if c in ".["), len(path))
        return self.own.get(path[:end], path[:end]) + path[end:]
