"""Tables that have no file: where one or two processes do all the work, by the paths that their files would have."""

from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl

Held = pl.DataFrame | bytes
_held: dict[Path, Held] = {}
_holding: set[Path] = set()  # the stores without files
_ask: Callable[[Path], Held | None] | None = None  # in a twin: what the other process has
_made: dict[Path, Held] = {}  # in a twin: since it was last told


def hold(root: Path) -> None:
    """Write no file below `root` from now on."""
    _holding.add(root)


def holds(root: Path) -> bool:
    """Whether what is written below `root` has no file."""
    return root in _holding


def forget(root: Path) -> None:
    """Let go of all that lies below `root`."""
    _holding.discard(root)
    for path in [path for path in _held if path.is_relative_to(root)]:
        del _held[path]


def get(path: Path) -> Held | None:
    """What has this path, None where nothing has."""
    found = _held.get(path)
    if found is None and _ask is not None and any(path.is_relative_to(root) for root in _holding):
        found = _ask(path)
        if found is not None:
            _held[path] = found
    return found


def put(path: Path, content: Held) -> None:
    """Keep something under a path."""
    _held[path] = content
    if _ask is not None:
        _made[path] = content


def put_all(given: dict[Path, Held]) -> None:
    """Keep what another process has made."""
    _held.update(given)


def roots() -> frozenset[Path]:
    """The stores without files."""
    return frozenset(_holding)


# ── in a twin ─────────────────────────────────────────────────────────────────────────────────────────
def be_twin(ask: Callable[[Path], Held | None]) -> None:
    """From now on ask another process for what this one has not."""
    global _ask  # noqa: PLW0603 - true of the whole process
    _ask = ask


def follow(stores: Iterable[Path]) -> None:
    """Hold the stores that the other process holds, and let go of all others."""
    wanted = set(stores)
    for root in _holding - wanted:
        forget(root)
    _holding.update(wanted)


def made() -> dict[Path, Held]:
    """What was put here since it was last asked."""
    found = dict(_made)
    _made.clear()
    return found
