"""Made-up identifiers to plant in copies of a user's rows: what the gate cannot find there, it cannot see.

To make those that a run plants takes a quarter of a second (most random numbers have wrong check digits), so they are
made when the package is built, for these recognizers; what does not lie there is made when it is asked for.
"""

import json
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random

from datacheck.pii.recognizers import RECOGNIZERS

SHIPPED = 32  # of each entity


@lru_cache(4096)  # every check plants the same ones
def canary(entity: str, seed: int) -> str:
    """Return a valid, plainly written value of `entity`; the same seed gives the same value.

    Raises KeyError for an unknown entity. The values are random: if one belongs to somebody, that is chance.
    """
    shipped = _shipped()
    return shipped[entity][seed] if entity in shipped and seed < SHIPPED else _made(entity, seed)


def _made(entity: str, seed: int) -> str:
    return RECOGNIZERS[entity].canary(Random(f"{entity}:{seed}"))


def place() -> Path:
    """Where they lie: a file for these sources of the recognizers."""
    here = Path(__file__).parent
    sources = sorted([*here.rglob("*.py"), *here.glob("recognizers/*.toml")])
    digest = sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()
    return here / "built" / f"canaries-{digest[:16]}.json"


@cache
def _shipped() -> dict[str, list[str]]:
    try:
        return dict(json.loads(place().read_bytes()))
    except OSError:
        return {}


def write() -> Path:
    """Make them and keep them; returns the file. Those of other sources are deleted."""
    made = {entity: [_made(entity, seed) for seed in range(SHIPPED)] for entity in RECOGNIZERS}
    target = place()
    target.parent.mkdir(exist_ok=True)
    for old in target.parent.glob("canaries-*"):
        old.unlink()
    target.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
    return target
