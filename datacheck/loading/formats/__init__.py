"""Which formats a record may have, judged by its keys; the readers then check the types.

A format is a `Format` in the `FORMATS` of a module here, or of one that another distribution names under the entry
point `datacheck.formats`: there is no list. A record that no reader accepts is "unknown", never a guess.
"""

import importlib
import pkgutil
from functools import cache

from datacheck.loading.formats.base import ON_REQUEST, Format
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


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are tried. Raises ValueError where two files give one rank."""
    own = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    files = [getattr(module, "FORMATS", ()) for module in (*own, *plugged("datacheck.formats"))]
    ranks = [{each.rank for each in declared} for declared in files]
    if len(set().union(*ranks)) != sum(map(len, ranks)):
        raise ValueError("datacheck.loading.formats: two files give formats one rank; a record of both would be a tie")
    return tuple(sorted((each for declared in files for each in declared), key=lambda each: -each.rank))


def candidates(keys: frozenset[str], wanted: str) -> tuple[Format, ...]:
    """Return the formats to try for records with these keys, in order; `wanted` is "auto" or one format."""
    found = [each for each in formats() if each.fits(keys)]
    if wanted != "auto":
        return tuple(each for each in found if each.name == wanted)
    more = [known for known in _SAY_MORE if known <= keys]
    return tuple(
        each for each in found if each.rank >= ON_REQUEST and (not more or any(known <= each.needs for known in more))
    )
