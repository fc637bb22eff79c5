"""The settings that each trainer knows: names and types, taken from its source at the commit that its twin names."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple


class Known(NamedTuple):
    """What a trainer does with a setting by its name.

    types: name → letters as in key_lists.toml; nested names are dotted. dead: known and never used. table: the part of
    the file that is read where it is there. sections: only names below these are judged; none: all are. converts: a
    number in text is taken for a number. stops: an unknown name stops the run; else it is ignored without a word.
    described: settings of the dataset and not of the run; they stand in `run.settings`, or in a file of datasets, in
    the part that the setting `dataset` names. source: where the trainer reads its settings.
    """

    types: Mapping[str, str]
    source: str
    dead: frozenset[str] = frozenset()
    table: str | None = None
    sections: tuple[str, ...] = ()
    converts: bool = False
    stops: bool = False
    described: Mapping[str, str] = MappingProxyType({})


def _read() -> dict[str, Known]:
    """What key_lists.toml says, by mode."""
    said = tomllib.loads(Path(__file__).with_name("key_lists.toml").read_text(encoding="utf-8"))

    def names(lists: Iterable[str], below: str = "") -> dict[str, str]:
        pairs = (entry.rpartition(":") for name in lists for entry in said[name].split())
        return {below + name: types for name, _, types in pairs}

    found: dict[str, Known] = {}
    for known in said["known"]:
        modes, sections = known.pop("modes"), known.pop("sections", {})
        types = names(known.pop("lists", ()))
        for at, lists in sections.items():
            types |= names(lists, f"{at}.")
        described, dead = names(known.pop("described", ())), frozenset(known.pop("dead", ()))
        whole = Known(types, **known, sections=tuple(sections), described=described, dead=dead)
        found |= dict.fromkeys(modes, whole)
    return found


KEYS: Mapping[str, Known] = _read()


def wrong_type(value: object, types: str, *, converts: bool) -> bool:
    """Whether a trainer that wants `types` can do nothing right with `value`."""
    if "?" in types or _letter(value) in types:
        return False
    if value is None:
        return "n" not in types
    if isinstance(value, int) and not isinstance(value, bool):
        return "f" not in types and not (converts and "s" in types)
    return not (converts and isinstance(value, str) and _converted(value, types))


def _letter(value: object) -> str:
    kinds = {bool: "b", int: "i", float: "f", str: "s", list: "l", dict: "d"}
    return kinds.get(type(value), "n")


def _converted(text: str, types: str) -> bool:
    if "b" in types and text.lower() in {"true", "false", "1", "0", "yes", "no"}:
        return True
    try:
        number = float(text)
    except ValueError:
        return False
    return "f" in types or ("i" in types and number.is_integer() and "." not in text)
