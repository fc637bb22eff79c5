"""What anything comes to; apart from check.py, because whoever prints one needs no library of data."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

# Why a finding is not known: the baseline has no such finding; could not decide it; measured it with other settings, or
# read the data in another way; or some place is new; or a number is worse than it was.
NotKnown = Literal["absent", "undecided", "measured_differently", "new_places", "worse"]


class Status(StrEnum):
    """What a value, a finding or a whole report comes to; a verdict is the worst of its findings."""

    PASS = "pass"
    INFO = "info"
    WARN = "warn"
    FAIL = "fail"
    ERROR = "error"

    @staticmethod
    def worst(statuses: Sequence[Status]) -> Status:
        """Return the last of `statuses` in the order of this class; PASS when there are none."""
        order = list(Status)
        return max(statuses, key=order.index, default=Status.PASS)
