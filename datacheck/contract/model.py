"""What a contract is: its datasets with their files and checks, frozen, and how its parts stand in the file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field as PydanticField

from datacheck.check import Check, Model, Need, Scale
from datacheck.loading.reading import Reading

_NAME_BYTES = 100  # dataset and id together stay within a file name


class Source(Reading):
    """Where a dataset's files are and how they are read. `path` is literal and stays under the contract's folder."""

    path: str | None = PydanticField(
        default=None, description="File or folder under the contract's folder; --data NAME=PATH binds another one."
    )
    glob: str | None = PydanticField(
        default=None, description="Which files of the folder: `*` within a name, `**` across folders."
    )
    scale: Scale | None = PydanticField(default=None, description="The least and the greatest score, as `[1, 10]`.")
    sha256: str | None = PydanticField(
        default=None, pattern="^[0-9a-f]{64}$", description="What the data must be, byte for byte (`frozen_changed`)."
    )
    media: str | None = PydanticField(
        default=None, description="Folder that the rows' image, audio and video paths are relative to."
    )

    def how_read(self) -> dict[str, Any]:
        """How the files are found and read, as far as the contract says other than the default."""
        return self.model_dump(mode="json", exclude={"path", "scale", "sha256"}, exclude_defaults=True)


class ContractFile(Model):
    """The top level of a contract."""

    name: str = PydanticField(pattern=r"^[\w.-]{1,80}$")
    version: int | str = 1
    extends: str | None = None
    time_limit: int | None = PydanticField(default=None, ge=1)
    run: dict[str, Any] = {}
    datasets: dict[str, Any]


class DatasetPart(Model):
    """One entry of `datasets:`."""

    source: Any = None
    optional: bool = False
    run: dict[str, Any] = {}
    schema_: dict[str, Any] = PydanticField(default={}, alias="schema")
    checks: list[Any] = PydanticField(default=[])


@dataclass(frozen=True)
class Dataset:
    """One dataset of a contract: its files and its checks. `path` is resolved; `named` is how the user wrote it.

    `idle`: checks that compare with an optional dataset of which no path is known.
    """

    name: str
    source: Source
    path: Path
    named: str
    checks: tuple[Check, ...]
    idle: tuple[Check, ...] = ()
    suppressed: Mapping[str, frozenset[str]] = field(default_factory=dict)  # finding → ids of rows that it leaves out
    run: Mapping[str, Any] = field(default_factory=dict)  # the contract's, with what the dataset says of its own
    at: tuple[str, int] | None = None  # file and line of the contract that name the path; None: the command line does

    def finding(self, check: Check) -> str:
        """The id of a finding, unique in the report."""
        return f"{self.name}.{check.name}"


@dataclass(frozen=True)
class Contract:
    """A valid contract. `inputs` names every file that could change the verdict, with its sha256."""

    name: str
    version: int | str
    file: str
    datasets: Mapping[str, Dataset]
    inputs: Mapping[str, str] = field(default_factory=dict)
    time_limit: int | None = None  # seconds that a piece of a step may take
    run: Mapping[str, Any] = field(default_factory=dict)  # as checks see it: `tokenizer` and `config` are Artifacts


def reaches(check: Check) -> tuple[str, ...]:
    """The other datasets that a check looks at, through its needs and theirs."""
    seen: list[Need] = []
    waiting = [*check.needs()]
    while waiting:
        need = waiting.pop()
        if need not in seen:
            seen.append(need)
            waiting += need.below()
    return tuple(sorted({need.of for need in seen if need.of is not None}))


def is_name(name: str, pattern: re.Pattern[str]) -> bool:
    """Whether a dataset or a check may have this name, which becomes part of names of files."""
    return pattern.fullmatch(name) is not None and len(name.encode()) <= _NAME_BYTES
