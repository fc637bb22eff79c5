"""Add records in runs of the same keys: conversations of plain messages take the short way of the assembler."""

from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple

from datacheck.loading.assemble import Assembler, Chat


class Records(NamedTuple):
    """Consecutive records: the line of the first, and where each begins and how long it is (None: not in bytes)."""

    line: int
    starts: list[int] | list[None]
    lengths: list[int] | list[None]
    records: list[Any]


def add_alike(out: Assembler, given: Records, add: Callable[[int, Any], None]) -> None:
    """Add all records in order; `add(n, record)` is the long way for the n-th one."""
    start = 0
    for keys, alike in groupby(given.records, _keys):
        stop = start + len(list(alike))
        _run(out, given, None if keys is None else out.chat(keys), start, stop, add)
        start = stop


def _run(
    out: Assembler, given: Records, chat: Chat | None, start: int, stop: int, add: Callable[[int, Any], None]
) -> None:
    """Add records with the same keys; an unusual one sends nobody but itself the long way."""
    if chat is not None and _together(out, given, chat, start, stop):
        return
    ways = [out.way(chat, record) if chat else None for record in given.records[start:stop]]
    for way, alike in groupby(ways):
        stop = start + len(list(alike))
        if chat is None or way is None or not _together(out, given, chat, start, stop):
            for n in range(start, stop):
                add(n, given.records[n])
        start = stop


def _together(out: Assembler, given: Records, chat: Chat, start: int, stop: int) -> bool:
    own = slice(start, stop)
    return out.add_chats(chat, given.line + start, given.starts[own], given.lengths[own], given.records[own])


def _keys(record: Any) -> tuple[str, ...] | None:
    return tuple(record) if record.__class__ is dict else None
