"""One look into a registry's incoming/: which drops are complete, and what each came to.

A drop is complete when its _MANIFEST.json is there (written last) and names files that are there with their sizes.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from datacheck.errors import LoadError
from datacheck.files.versions import read_manifest, require_listed
from datacheck.i18n.message import Message, joined
from datacheck.registry.registry import Registry

from .publish import ELSEWHERE, PUBLISHED
from .rules import Rulebook
from .validate import INVALID, shown_line

NOTHING, DONE, NOT_PUBLISHED = "NothingNew", "Done", "NotPublished"


def look(rules: Rulebook, one: Callable[[Rulebook, Path], str]) -> dict[str, str | Message]:
    """Do `one` with every complete drop of a channel; returns by name the state that each came to."""
    registry = Registry(rules.registry)
    with registry.ledger() as ledger:
        registry.recover(ledger)
    states: dict[str, str | Message] = {}
    for drop in rules.drops():
        states[rules.called(drop)] = _came_to(rules, drop, one)
    return states | strays(rules)


def _came_to(rules: Rulebook, drop: Path, one: Callable[[Rulebook, Path], str]) -> str | Message:
    """Do `one` with a drop; another worker may have taken it since the look began."""
    state: str | Message = INVALID
    try:
        incomplete(drop)
        state = one(rules, drop)
    except LoadError as error:
        state = Message("incomplete ({reason})", reason=error.message)
    untaken = isinstance(state, Message) or state == INVALID
    return ELSEWHERE if untaken and not drop.is_dir() else state


def strays(rules: Rulebook) -> dict[str, str | Message]:
    """Complete drops that nobody would ever take: in incoming/ itself where the channels have folders, and links."""
    registry = Registry(rules.registry)
    found = registry.drops() if rules.folder else []
    lost: dict[str, str | Message] = {
        drop.name: Message("in no channel; expected it in incoming/CHANNEL/") for drop in found
    }
    for link in registry.linked(rules.channel if rules.folder else None):
        lost[rules.called(link)] = Message("a link, which is never taken; move the drop itself, or copy it")
    return lost


def summary(states: Mapping[str, str | Message]) -> tuple[str, Message]:
    """What a look came to: the name of its state, and a line."""
    if not states:
        return NOTHING, Message("no complete drop in incoming/")
    good = all(state in (PUBLISHED, ELSEWHERE) for state in states.values())
    return DONE if good else NOT_PUBLISHED, joined(
        [Message("{drop}: {state}", drop=shown_line(name), state=state) for name, state in states.items()]
    )


def incomplete(drop: Path) -> None:
    """Raise LoadError if a look at names and sizes tells that the manifest is not true; nothing is hashed."""
    manifest = read_manifest(drop)
    if manifest is None:
        raise LoadError("{name}: no manifest; expected one, written last", name=shown_line(drop.name))
    require_listed(drop, manifest)
    for file in manifest.files:
        if (drop / file.path).stat().st_size != file.bytes:
            raise LoadError(
                "{name}: {path} has not the size that the manifest names",
                name=shown_line(drop.name),
                path=shown_line(file.path),
            )
