"""Which formats a record may have, judged by its keys; the readers then check the types.

A format is a `Format` in the `FORMATS` of a module here, or of one that another distribution names under the entry
point `datacheck.formats`; its name is a `Name` in the `NAMES` of one of them. There is no list. A record that no reader
accepts is "unknown", never a guess.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache, partial
from types import ModuleType
from typing import Any

from datacheck.loading.formats.base import ON_REQUEST, Format, Kind, Name
from datacheck.loading.formats.turns import Extract, Styles
from datacheck.plugins import plugged

__all__ = ["Extract", "Format", "Styles", "candidates"]

# Keys that say that a record holds answers to choose from or tokens: only a format that needs them may claim it.
_SAY_MORE = (
    frozenset({"input_ids"}),
    frozenset({"segments"}),
    frozenset({"prompt", "completions", "labels"}),
    frozenset({"output_1", "output_2"}),
    frozenset({"response1", "response2"}),
    frozenset({"answer1", "answer2"}),
    frozenset({"completion_a", "completion_b"}),
)


def _modules() -> list[ModuleType]:
    own = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    return [*own, *plugged("datacheck.formats")]


@cache
def known_names() -> Mapping[str, Name]:
    """All names of formats. Raises ValueError for one that is given twice, or that a format has and no file gives."""
    found = [name for module in _modules() for name in getattr(module, "NAMES", ())]
    known = {each.name: each for each in found}
    if len(known) < len(found) or not known.keys() >= {each.name for each in formats()}:
        raise ValueError("datacheck.loading.formats: each name of a format must stand in the NAMES of one file")
    return known


def names_of(*kinds: Kind) -> list[str]:
    """The names of formats of these kinds."""
    return [name for name, each in known_names().items() if each.kind in kinds]


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are tried. Raises ValueError where two files give one rank."""
    files = [getattr(module, "FORMATS", ()) for module in _modules()]
    ranks = [{each.rank for each in declared} for declared in files]
    if len(set().union(*ranks)) != sum(map(len, ranks)):
        raise ValueError("datacheck.loading.formats: two files give formats one rank; a record of both would be a tie")
    return tuple(sorted((each for declared in files for each in declared), key=lambda each: -each.rank))


def candidates(keys: frozenset[str], wanted: str) -> tuple[Format, ...]:
    """Return the formats to try for records with these keys, in order; `wanted` is "auto" or one format."""
    found = [each for each in formats() if each.fits(keys)]
    if wanted == _WAITING:
        waiting = (each._replace(name=_WAITING, read=partial(_as_prompts, each)) for each in found if _is_chat(each))
        return (*(each for each in found if each.name == wanted), *waiting)
    if wanted != "auto":
        return tuple(each for each in found if each.name == wanted)
    more = [known for known in _SAY_MORE if known <= keys]
    return tuple(
        each for each in found if each.rank >= ON_REQUEST and (not more or any(known <= each.needs for known in more))
    )


_WAITING = "prompt_only"  # as this `init` proposes conversations of any shape in which nobody answers at the end


def _is_chat(form: Format) -> bool:
    return known_names()[form.name].kind == "chat"


def _as_prompts(form: Format, record: dict[str, Any], styles: Styles) -> Extract | None:
    """Read a conversation of which every message is prompt, also what an assistant says in it."""
    extract = form.read(record, styles)
    if extract is None:
        return None
    return extract._replace(turns=[("prompt", *turn[1:]) if turn[0] == "response" else turn for turn in extract.turns])
