"""What anything comes to; apart from check.py, because whoever prints one needs no library of data."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Status(StrEnum):
    """What a value, a finding or a whole report comes to; a verdict is the worst of its findings."""

    PASS = "pass"  # noqa: S105 - a status, not a password
    INFO = "info"
    WARN = "warn"
    FAIL = "fail"
    ERROR = "error"

    @staticmethod
    def worst(statuses: Sequence[Status]) -> Status:
        """Return the last of `statuses` in the order of this class; PASS when there are none."""
        order = list(Status)
        return max(statuses, key=order.index, default=Status.PASS)
