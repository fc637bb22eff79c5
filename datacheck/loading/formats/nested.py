"""Records that stand in an object inside another one.

- {row_idx, row: {…}} as Hugging Face's datasets-server exports rows, {id, data: {…}} and the like: a whole record
- {id, question: {stem, choices}, answerKey} (raw ARC, OpenBookQA and CommonsenseQA): the question with its options as
  an object, the answer beside it

Only where no reader takes the record as it stands, and only under names that say so: of an object called otherwise a
contract names the paths (`fields: {prompt: meta.asked}`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from datacheck.loading.cells import Cell
    from datacheck.loading.formats.turns import Extract

_WHOLE = ("row", "record", "example", "sample", "instance", "item", "data", "entry")
_ASKED = ("question", "problem")
_QUESTIONS = frozenset({"choices", "answered", "verifiable"})  # kinds of format that a question makes with its answer


class Inside(NamedTuple):
    """`record`: what a reader may take: the object under `key`, with the rest of the record where that is its answer.

    kinds: of formats that it may then have; none: any.
    """

    key: str
    record: dict[str, Any]
    kinds: frozenset[str]

    def back(self, outer: dict[str, Any], extract: Extract, cells: Sequence[Cell]) -> Extract:
        """The extract with the paths of the outer record; `cells`: those of the object's own leaves."""
        own = outer[self.key]
        turns = [(*turn[:3], self._path(turn[3], own), *turn[4:]) for turn in extract.turns]
        inner = [(f"{self.key}.{path}", kind, text) for path, kind, text in cells]
        return extract._replace(turns=turns, used=extract.used - own.keys() - {self.key}, cells=inner)

    def _path(self, path: str, own: dict[str, Any]) -> str:
        end = next((n for n, c in enumerate(path) if c in ".["), len(path))
        return f"{self.key}.{path}" if path[:end] in own else path


def inside(record: dict[str, Any]) -> Iterator[Inside]:
    """Yield what may be the record proper; nothing where two objects may be."""
    found = [key for key in (*_WHOLE, *_ASKED) if record.get(key).__class__ is dict and record[key]]
    if len(found) != 1:
        return
    key = found[0]
    if key in _WHOLE:
        yield Inside(key, record[key], frozenset())
        return
    beside = {name: value for name, value in record.items() if name != key}
    if beside.keys().isdisjoint(record[key]):
        yield Inside(key, {**beside, **record[key]}, _QUESTIONS)
