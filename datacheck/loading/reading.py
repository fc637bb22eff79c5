"""How to read a dataset's files: the part of a contract's `source` that decides what the tables hold."""

import codecs
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from datacheck.errors import WrongValueError, unknown
from datacheck.loading.formats import known_names

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


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


class Columns(_Frozen):
    """Keys of the record (dotted for nested ones) whose values become columns of the table `rows`."""

    id: str | None = Field(default=None, description="Key of the row's own id.")
    source: str | None = Field(default=None, description="Key that says where the row comes from.")
    split: str | None = Field(default=None, description="Key that says to which split it belongs.")
    score: str | None = Field(default=None, description="Key of a score.")
    score_chosen: str | None = Field(default=None, description="Key of the chosen answer's score.")
    score_rejected: str | None = Field(default=None, description="Key of the rejected answer's score.")
    label: str | None = Field(default=None, description="Key of a label (of KTO, say).")
    raters: tuple[str, ...] = Field(default=(), description="Keys of several raters' scores or labels.")

    def named(self) -> tuple[tuple[str, str | None], ...]:
        """Return every label column with its key, in table order; raters are called rater_1, rater_2 and so on."""
        single = ("id", "source", "split", "score", "score_chosen", "score_rejected", "label")
        raters = tuple((f"rater_{n}", key) for n, key in enumerate(self.raters, start=1))
        return tuple((name, getattr(self, name)) for name in single) + raters


class Fields(_Frozen):
    """Keys of the record (dotted for nested ones) that hold its texts, where no known format calls them so.

    `input` is joined to the prompt by a line feed, as alpaca's; `role` and `content` are the keys inside a message.
    """

    system: str | None = Field(default=None, description="Key of the system prompt.")
    prompt: str | None = Field(default=None, description="Key of the prompt or the question.")
    input: str | None = Field(
        default=None, description="Key of what is joined to the prompt by a line feed, as alpaca's `input`."
    )
    response: str | None = Field(default=None, description="Key of the answer.")
    chosen: str | None = Field(default=None, description="Key of the better answer.")
    rejected: str | None = Field(default=None, description="Key of the worse answer.")
    label: str | None = Field(default=None, description="Key that says whether the answer is good (KTO).")
    answer: str | None = Field(default=None, description="Key of the gold answer.")
    options: str | None = Field(default=None, description="Key of the options to choose from.")
    text: str | None = Field(default=None, description="Key of running text.")
    messages: str | None = Field(default=None, description="Key of the list of messages.")
    role: str | None = Field(default=None, description="Key of the role inside a message.")
    content: str | None = Field(default=None, description="Key of the text inside a message.")

    def named(self) -> dict[str, str]:
        """Return the fields that are named, with their keys."""
        return self.model_dump(exclude_none=True)

    def formats(self) -> list[str]:
        """Return the formats that the named fields make; the first is meant where the contract names none."""
        named = self.named().keys()
        if named and named <= {"role", "content"}:  # of messages under a usual key, or of rows that are lists of them
            return ["messages", "sharegpt"]
        return [
            name
            for name, each in known_names().items()
            if each.fields and {*each.fields} <= named <= {*each.fields, *each.more}
        ]


class Limits(_Frozen):
    """Sizes beyond which datacheck refuses to go on; hitting one is never silent.

    The defaults are 100 times above (or, for depth, 8 times) the largest of 455 public JSONL files.
    """

    line_bytes: int = Field(default=16 * 1024**2, description="Bytes of a line.")
    document_bytes: int = Field(default=256 * 1024**2, description="Bytes of a file that is one JSON document.")
    depth: int = Field(default=64, description="Levels of nesting.")
    keys: int = Field(default=1_000, description="Keys of one object.")
    # A small object of Python takes 20 times its bytes in JSON.
    values: int = Field(default=200_000, description="Values of one record.")
    turns: int = Field(default=2_000, description="Messages of one row.")
    text_bytes: int = Field(default=4 * 1024**2, description="Bytes of one text.")
    chunk_bytes: int = Field(
        default=16 * 1024**2,
        le=32 * 1024**2,
        description="Bytes that are parsed at a time; a longer record makes a longer chunk.",
    )
    chunk_records: int = Field(default=200_000, ge=1, description="Records that are parsed at a time.")
    ratio: int = Field(default=100, description="How many times its size a compressed file may hold.")
    ratio_above_bytes: int = Field(default=16 * 1024**2, description="Bytes up to which `ratio` does not matter.")


def _what_format_may_be() -> list[str]:
    return ["auto", *known_names(), "rows"]


def _listed(schema: dict[str, Any]) -> None:
    schema["enum"] = _what_format_may_be()


class Reading(_Frozen):
    """Format, encoding and column names with which a dataset is read."""

    format: str = Field(
        default="auto", json_schema_extra=_listed, description="How the records are built; `auto` looks at each."
    )
    encoding: str = Field(default="utf-8", description="Encoding of the files; `init` guesses it.")
    roles: dict[str, Literal["system", "user", "assistant", "tool"]] = Field(
        default={}, description="Names of roles that the data use, as `{bot: assistant}`."
    )
    columns: Columns = Field(default=Columns(), description="Keys of the labels of a row (dotted for nested ones).")
    fields: Fields = Field(default=Fields(), description="Keys that hold the texts, where no format calls them so.")
    records: str | None = Field(
        default=None, description="Key of the list of records; `*`: each entry of the object is one, as key and value."
    )
    delimiter: str | None = Field(
        default=None,
        min_length=1,
        max_length=1,
        description="What separates the fields of a CSV file; else a comma, in .tsv a tab.",
    )
    header: tuple[str, ...] = Field(
        default=(),
        description="Names of the columns of a CSV file whose first line is a record already, or of the values of rows "
        "that are lists or single texts.",
    )
    quotes: bool = Field(default=True, description="Whether a double quote at the start of a CSV field quotes it.")
    limits: Limits = Field(default=Limits(), description="Sizes beyond which datacheck refuses to go on.")

    @field_validator("format")
    @classmethod
    def _known_format(cls, value: str) -> str:
        if value not in {"auto", "rows"} and value not in (known := _what_format_may_be()):
            raise WrongValueError(unknown("format", value, known))
        return value

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
        found = self.fields.formats()
        if not found:
            known = dict.fromkeys(each.fields_said() for each in known_names().values() if each.fields)
            raise WrongValueError("fields: expected one of {known}", known="; ".join(known))
        if "messages" in found:
            found.append("prompt_only")  # conversations that wait for their answer
        if self.format not in {"auto", *found}:
            raise WrongValueError(
                "fields: these make {found}, not {format}; write `format: auto`",
                found=" | ".join(found),
                format=self.format,
            )
        if len(set(named.values())) < len(named):
            raise WrongValueError("fields: one key is named twice")
        return self

    def but(self, **changes: Any) -> Self:
        """The same with other settings. Raises ValidationError."""
        return type(self).model_validate({**self.model_dump(exclude_unset=True), **changes})

    @property
    def wide(self) -> bool:
        """Whether a character takes two or four bytes."""
        return self.encoding.startswith(("utf-16", "utf-32"))

    def wanted(self) -> str:
        """Return the format that records are read in: named, or made by the fields, or auto."""
        return self.fields.formats()[0] if self.format == "auto" and self.fields.named() else self.format
