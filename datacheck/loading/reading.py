"""How to read a dataset's files: the part of a contract's `source` that decides what the tables hold."""

import codecs
import inspect
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from datacheck.errors import WrongValueError

FormatName = Literal[
    "auto",
    "messages",
    "messages_text",
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
    "tokens",
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


class Fields(_Frozen):
    """Top-level keys of the record that hold its texts, where they are not called as the known formats call them.

    `input` is joined to the prompt by a line feed, as alpaca's; `role` and `content` are the keys inside a message.
    """

    system: str | None = None
    prompt: str | None = None
    input: str | None = None
    response: str | None = None
    chosen: str | None = None
    rejected: str | None = None
    label: str | None = None
    answer: str | None = None
    options: str | None = None
    text: str | None = None
    messages: str | None = None
    role: str | None = None
    content: str | None = None

    def named(self) -> dict[str, str]:
        """Return the fields that are named, with their keys."""
        return self.model_dump(exclude_none=True)

    def format(self) -> FormatName:
        """Return the format that the named fields make."""
        named = self.named().keys()
        return next(name for name, (needed, more) in FIELDS_OF.items() if needed <= named <= needed | more)


# Format → the fields that it must have, and may have; where several fit, the first is meant.
FIELDS_OF: Mapping[FormatName, tuple[frozenset[str], frozenset[str]]] = {
    "preference": (frozenset({"chosen", "rejected"}), frozenset({"prompt", "system"})),
    "messages": (frozenset({"messages"}), frozenset({"system", "role", "content"})),
    "sharegpt": (frozenset({"messages"}), frozenset({"system", "role", "content"})),
    "multiple_choice": (frozenset({"prompt", "options", "answer"}), frozenset()),
    "qa": (frozenset({"prompt", "answer"}), frozenset({"system"})),
    "rlvr": (frozenset({"prompt", "answer"}), frozenset({"system"})),
    "kto": (frozenset({"prompt", "response", "label"}), frozenset({"system"})),
    "prompt_completion": (frozenset({"prompt", "response"}), frozenset({"system"})),
    "alpaca": (frozenset({"prompt", "response"}), frozenset({"input", "system"})),
    "prompt_only": (frozenset({"prompt"}), frozenset({"system"})),
    "text": (frozenset({"text"}), frozenset()),
}


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
    fields: Fields = Field(default=Fields(), description=inspect.cleandoc(Fields.__doc__ or ""))
    records: str | None = None  # key of the list of records; "*": each entry of the object is one, as key and value
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    header: tuple[str, ...] = ()  # column names of a CSV file whose first line is a record already
    quotes: bool = True  # whether a double quote at the start of a CSV field quotes it
    limits: Limits = Limits()

    @field_validator("header")
    @classmethod
    def _names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(not name.strip() for name in value) or len(set(value)) < len(value):
            raise WrongValueError("empty or repeated column names")
        return value

    @field_validator("encoding")
    @classmethod
    def _known(cls, value: str) -> str:
        try:
            name = codecs.lookup(value).name
        except LookupError:
            name = ""
        if name not in ENCODINGS:
            raise WrongValueError("unknown encoding; expected one of {known}", known=", ".join(ENCODINGS))
        return name

    @model_validator(mode="after")
    def _fields_fit(self) -> Self:
        """The named fields must make a format, and that one where the contract names one."""
        named = self.fields.named()
        if not named:
            return self
        found = [name for name, (needed, more) in FIELDS_OF.items() if needed <= named.keys() <= needed | more]
        if not found:
            raise WrongValueError(
                "fields: expected one of prompt and response; prompt and answer (and options); chosen and rejected; "
                "messages; prompt; text (input with a response, role and content with messages)"
            )
        if "messages" in found:
            found.append("prompt_only")  # conversations that wait for their answer
        if self.format not in {"auto", *found}:
            raise WrongValueError(
                "fields: these make {found}, not {format}", found=" | ".join(found), format=self.format
            )
        if len(set(named.values())) < len(named):
            raise WrongValueError("fields: one key is named twice")
        return self

    @property
    def wide(self) -> bool:
        """Whether a character takes two or four bytes."""
        return self.encoding.startswith(("utf-16", "utf-32"))

    def wanted(self) -> FormatName:
        """Return the format that records are read in: named, or made by the fields, or auto."""
        return self.fields.format() if self.format == "auto" and self.fields.named() else self.format
