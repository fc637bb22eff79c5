"""Made-up identifiers to plant in copies of a user's rows: what the gate cannot find there, it cannot see."""

from functools import lru_cache
from random import Random

from datacheck.pii.recognizers import RECOGNIZERS


@lru_cache(4096)  # every check plants the same ones
def canary(entity: str, seed: int) -> str:
    """Return a valid, plainly written value of `entity`; the same seed gives the same value.

    Raises KeyError for an unknown entity. The values are random: if one belongs to somebody, that is chance.
    """
    return RECOGNIZERS[entity].canary(Random(f"{entity}:{seed}"))
