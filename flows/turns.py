"""Whose turn it is to be looked at: each channel by its own interval."""

import time
from collections.abc import Sequence

from .rules import Rulebook


class Turns:
    """Channels and when each was looked at last; at first all are due."""

    def __init__(self, rules: Sequence[Rulebook]) -> None:
        self._next = [(0.0, one) for one in rules]

    def due(self) -> list[Rulebook]:
        """The channels whose time has come; their next time counts from now."""
        now = time.monotonic()
        found = [one for at, one in self._next if at <= now]
        self._next = [(now + one.interval if at <= now else at, one) for at, one in self._next]
        return found

    def wait(self) -> float:
        """Seconds until the next one is due."""
        return max(0.0, min(at for at, _ in self._next) - time.monotonic())
