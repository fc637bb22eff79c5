"""How to read a dataset's files: the part of a contract's `source` that decides what the tables hold."""

from __future__ import annotations

import codecs
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

FormatName = Literal[
    "auto",
    "messages",
    "sharegpt",
    "alpaca",
    "prompt_completion",
    "preference",
    "kto",
    "prompt_only",
    "rlvr",
    "text",
    "qa",
    "multiple_choice",
    "rows",
]

# Encodings in which a line feed can be found without decoding the line first.
ENCODINGS = (
    "utf-8",
    "gbk",
    "gb2312",
    "gb18030",
    "big5",
    "big5hkscs",
    "cp950",
    "utf-16-le",
    "utf-16-be",
    "utf-32-le",
    "utf-32-be",
    "iso8859-1",
    "cp1252",
)


def in_words(size: int) -> str:
    """Return a number of bytes as a message names it. A bare run of digits would be masked as a phone number."""
    return f"{size // 1024**2} MiB" if size and not size % 1024**2 else f"{size:,} bytes"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Columns(_Frozen):
    """Keys of the record (dotted for nested ones) whose values become columns of the table `rows`."""

    id: str | None = None
    source: str | None = None
    split: str | None = None
    score: str | None = None
    score_chosen: str | None = None
    score_rejected: str | None = None
    label: str | None = None
    raters: tuple[str, ...] = ()

    def named(self) -> tuple[tuple[str, str | None], ...]:
        """Return every label column with its key, in table order; raters are called rater_1, rater_2 and so on."""
        single = ("id", "source", "split", "score", "score_chosen", "score_rejected", "label")
        raters = tuple((f"rater_{n}", key) for n, key in enumerate(self.raters, start=1))
        return tuple((name, getattr(self, name)) for name in single) + raters


class Limits(_Frozen):
    """Sizes beyond which datacheck refuses to go on; hitting one is never silent.

    The defaults are 100 times above (or, for depth, 8 times) the largest of 455 public JSONL files.
    """

    line_bytes: int = 16 * 1024**2
    document_bytes: int = 256 * 1024**2
    depth: int = 64
    keys: int = 1_000
    values: int = 200_000  # of one record; a small object of Python takes 20 times its bytes in JSON
    turns: int = 2_000
    text_bytes: int = 4 * 1024**2
    chunk_bytes: int = Field(default=8 * 1024**2, le=32 * 1024**2)  # a longer record makes a longer chunk
    chunk_records: int = Field(default=200_000, ge=1)  # bounds a worker's memory when records are tiny
    ratio: int = 100
    ratio_above_bytes: int = 16 * 1024**2


class Reading(_Frozen):
    """Format, encoding and column names with which a dataset is read."""

    format: FormatName = "auto"
    encoding: str = "utf-8"
    roles: dict[str, str] = {}
    columns: Columns = Columns()
    records: str | None = None  # key of the list of records; "*": each entry of the object is one, as key and value
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    header: tuple[str, ...] = ()  # column names of a CSV file whose first line is a record already
    quotes: bool = True  # whether a double quote at the start of a CSV field quotes it
    limits: Limits = Limits()

    @field_validator("header")
    @classmethod
    def _names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(not name.strip() for name in value) or len(set(value)) < len(value):
            raise ValueError("empty or repeated column names")
        return value

    @field_validator("encoding")
    @classmethod
    def _known(cls, value: str) -> str:
        try:
            name = codecs.lookup(value).name
        except LookupError:
            name = ""
        if name not in ENCODINGS:
            raise ValueError(f"unknown encoding; expected one of {', '.join(ENCODINGS)}")
        return name
