"""Every remark about an input: its level, what it means, why it matters and how to repair it; see codes.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

Level = Literal["error", "limit", "note", "blank"]


class Code(NamedTuple):
    """A kind of remark, in English; the catalogues have the other languages."""

    level: Level
    title: str
    why: str
    fix: str


def _read() -> dict[str, Code]:
    known = tomllib.loads(Path(__file__).with_name("codes.toml").read_text(encoding="utf-8"))
    said = known["said"]
    return {
        name: Code(code["level"], code["title"], said.get(code["why"], code["why"]), said.get(code["fix"], code["fix"]))
        for name, code in known["codes"].items()
    }


CODES: Mapping[str, Code] = MappingProxyType(_read())
FORM = ("array_in_jsonl", "pretty_printed")  # wrong as a file, but every record was read
