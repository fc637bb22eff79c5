"""Public evaluation sets by the SHA-256 of their files, and by what they ask: benchmarks.toml, which holds no text."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Benchmark(NamedTuple):
    """One known file of a public evaluation set.

    name: as a contract may call its dataset, in capitals and signs of its own; part: which file of several it is;
    questions: the digest of what it asks (`features.questions`), empty where that could not be read.
    """

    name: str
    version: str
    licence: str
    source: str
    part: str
    rows: int
    sha256: str
    questions: str
    reading: Mapping[str, Any]  # what `source` must say of it in a contract


@cache
def known() -> tuple[Benchmark, ...]:
    """All files of the table."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["set"]
    about = ("name", "version", "licence", "source", "reading")
    facts = ("part", "rows", "sha256", "questions")
    return tuple(
        Benchmark(**{key: each[key] for key in about}, **dict(zip(facts, file, strict=True)))
        for each in table
        for file in each["files"]
    )


def recognised(sha256: str, questions: str | None, name: str = "") -> Benchmark | None:
    """The benchmark that a file is, by its bytes or by its questions; of several alike one that is called `name`."""
    found = [each for each in known() if sha256 and each.sha256 == sha256]
    found = found or [each for each in known() if questions and each.questions == questions]
    return next((each for each in found if plain(each.name) == plain(name)), found[0] if found else None)


def named(name: str) -> tuple[Benchmark, ...]:
    """The known files of the benchmark of that name, however it is written (gsm8k, GSM-8K)."""
    return tuple(each for each in known() if plain(each.name) == plain(name))


def plain(name: str) -> str:
    """A name by which benchmarks are told apart: small letters and digits only."""
    return "".join(char for char in name.lower() if char.isalnum())
