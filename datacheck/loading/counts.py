"""What became of the lines and bytes of an input, and the fault when they do not add up."""

from typing import NamedTuple


class Counts(NamedTuple):
    """What became of a part.

    `lines` counts records as the container defines them: physical lines in JSONL (blank ones included),
    elements in a JSON array, records without the header in CSV, rows in Parquet.
    rows + bad + blank == lines. `bytes` is the part's size: for Parquet the whole file's, on its first table.
    """

    lines: int = 0
    blank: int = 0
    bad: int = 0
    rows: int = 0
    bytes: int = 0


class AccountingError(Exception):
    """Lines or bytes of an input do not add up: a fault of datacheck, so the verdict must be `error`."""
