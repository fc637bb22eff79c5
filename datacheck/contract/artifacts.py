"""What a contract's `run:` names beside the data: hashed once, handed to checks as values.

A check does no input or output of its own; what it may read are these files, and only as they were hashed.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from datacheck.check import Artifact, GraderCode, Listing, Model, TestPython, TrainerPython, decisive
from datacheck.errors import UsageError, WrongValueError
from datacheck.trainers import trainer
from datacheck.trainers.probes.asking import ProbeError, installed
from datacheck.trainers.rewards.contained import RewardError, described

MAX_BYTES = 128 * 1024**2  # of one file; the largest public tokenizer.json has 33 MB
_SHARDS = 1000
_TEMPLATES = "additional_chat_templates"
# What decides token ids and rendered text; weights and READMEs in the same folder do not.
_TOKENIZER = tuple(
    """
    added_tokens.json chat_template.jinja chat_template.json config.json generation_config.json merges.txt
    special_tokens_map.json tokenizer.json tokenizer_config.json vocab.json
""".split()
)


# Read where there is no tokenizer.json: of SentencePiece, of Mistral, of tiktoken.
_NATIVE = ("tokenizer.model", "tekken.json", "tiktoken.model", "*.tiktoken")

FILES = ("tokenizer", "config")  # settings of a run that name files: what these hold is an input


class Run(Model):
    """The training run that the data is for, as the contract's `run:` says it."""

    trainer: str | None = Field(default=None, description="The trainer and its mode, as `trl.sft`.")
    version: str | None = Field(
        default=None, pattern=r"^[0-9]+(\.[0-9A-Za-z]+)*$", description="The trainer's version, as `1.16`."
    )
    tokenizer: str | None = Field(
        default=None,
        description="Folder with tokenizer.json (or tokenizer.model, tekken.json, *.tiktoken), its config.",
    )
    template: str | None = Field(default=None, description="Name of one of several chat templates of the tokenizer.")
    max_length: int | None = Field(default=None, ge=1, description="Tokens that the run keeps of a row.")
    truncation: Literal["right", "left"] = Field(
        default="right", description="The side that is cut of longer rows; a named trainer knows its own."
    )
    config: str | None = Field(default=None, description="The run's own configuration file (YAML, JSON or TOML).")
    world_size: int = Field(default=1, ge=1, description="Processes that train, one per GPU as a rule.")
    settings: dict[str, bool | int | float | str | None] = Field(
        default={}, description="Settings of the trainer that are in no config file (command line); they win over it."
    )


def hashed(setting: str, named: str, path: Path) -> Artifact:
    """What checks see of a file or folder of a run. Raises OSError or ValueError where it is not what it should be."""
    files = _tokenizer(path) if setting == "tokenizer" else _file(path)
    return Artifact(named=named, files=files, location=path)


def trainer_python(python: Path, named: str | None) -> TrainerPython:
    """The environment of the operator's that is asked about a run's trainer, `named`.

    Raises UsageError where no trainer is named, it cannot be asked, or that Python does not have it.
    """
    if named is None:
        raise UsageError("--trainer-python {python}: no trainer is named; add --run trainer=trl.sft", python=python)
    family = trainer(named).probe
    if not family:
        raise UsageError(
            "--trainer-python {python}: {trainer} cannot be asked, for want of a probe", python=python, trainer=named
        )
    with tempfile.TemporaryDirectory(prefix="datacheck-probe-") as folder:
        try:
            found = installed(python, family, Path(folder))
        except ProbeError as error:
            raise UsageError("--trainer-python {why}", why=error.message) from None
    versions = sorted(found.versions.items(), key=lambda each: each[0] != family)
    return TrainerPython(named=str(python), versions=tuple(versions), source=found.source, location=python.absolute())


GRADERS, TESTS = "graders", "tests"  # in the run that checks see: what `--grader` and `--run-tests` allow


def graders(named: Sequence[str], python: Path | None, folder: Path | None) -> tuple[GraderCode, ...]:
    """The operator's reward functions; nothing of them runs here. Raises UsageError where one is not there.

    folder: that their files and modules are looked for in; by default the working folder.
    """
    location = (python or Path(sys.executable)).absolute()
    return tuple(_grader(each, location, folder or Path.cwd()) for each in dict.fromkeys(named))


def _grader(named: str, python: Path, folder: Path) -> GraderCode:
    module, _, function = named.rpartition(":")
    if not module or not all(part.isidentifier() for part in function.split(".")):
        raise UsageError("--grader {named}: expected FILE.py:FUNCTION or MODULE:FUNCTION", named=named)
    file = (folder / module).resolve() if module.endswith(".py") else None
    if file is not None and not file.is_file():
        raise UsageError("--grader {named}: no such file", named=named)
    search = file.parent if file else folder
    with tempfile.TemporaryDirectory(prefix="datacheck-grader-") as scratch:
        try:
            source, version = described("" if file else module, python, search, Path(scratch))
        except RewardError as error:
            raise UsageError("--grader {why}", why=error.message) from None
    if not file and not source:
        raise UsageError("--grader {named}: {python} has no such module", named=named, python=python)
    full, source = (f"{file}:{function}", _beside(file)) if file else (named, source)
    return GraderCode(named=named, source=source, python=version, full=full, location=python, search=search)


def _beside(file: Path) -> str:
    """A digest of a Python file and those beside it, which it may import."""
    digest = hashlib.sha256(file.read_bytes())
    for path in sorted(file.parent.glob("*.py"))[:_SHARDS]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def tests_python(python: Path | None) -> TestPython:
    """The Python that tests of the data run in. Raises UsageError where it is none."""
    location = (python or Path(sys.executable)).absolute()
    with tempfile.TemporaryDirectory(prefix="datacheck-tests-") as folder:
        try:
            _, version = described("", location, Path(folder), Path(folder))
        except RewardError as error:
            raise UsageError("--run-tests {why}", why=error.message) from None
    return TestPython(python=version, location=location)


def can_be_asked(named: str | None) -> bool:
    """Whether there is a probe for a run's trainer."""
    return named is not None and bool(trainer(named).probe)


def inputs(seen: Mapping[str, Any]) -> dict[str, str]:
    """`run.tokenizer/tokenizer.json` → sha256, for the report: every byte that could change the verdict."""
    found: dict[str, str] = {}
    for setting, value in seen.items():
        if isinstance(value, Artifact):
            found |= {f"run.{setting}/{name}".removesuffix("/"): sha256 for name, sha256 in value.files}
        if isinstance(value, TrainerPython):
            found[f"{value.package} (--trainer-python)"] = value.source
        if setting == GRADERS:
            found |= {f"{code.named} (--grader)": code.source for code in value}
        if isinstance(value, TestPython):
            found[f"Python {value.python} (--run-tests)"] = hashlib.sha256(value.python.encode()).hexdigest()
    return found


def _tokenizer(folder: Path) -> tuple[tuple[str, str], ...]:
    """The files of a tokenizer's folder. Raises ValueError where there is no tokenizer."""
    if not folder.is_dir():
        raise WrongValueError("no such folder; expected one with tokenizer.json and tokenizer_config.json")
    if (folder / "tokenizer.pkl").exists():
        raise WrongValueError(
            "tokenizer.pkl is a pickle: it runs code when a trainer loads it; keep tokenizer.json only"
        )
    names = [name for name in _TOKENIZER if (folder / name).is_file()]
    names += sorted(f"{_TEMPLATES}/{path.name}" for path in (folder / _TEMPLATES).glob("*.jinja"))
    names += sorted(path.name for path in folder.glob("*.safetensors"))[:_SHARDS]
    if not {"tokenizer.json", "vocab.json"} & set(names):
        native = sorted({path.name for pattern in _NATIVE for path in folder.glob(pattern) if path.is_file()})
        if not native:
            raise WrongValueError(
                "no tokenizer.json, vocab.json, tokenizer.model, tekken.json or *.tiktoken in this folder; save the"
                " tokenizer there (save_pretrained)"
            )
        names += native
    return tuple((name, _sha256(folder / name)) for name in sorted(names))


def _file(path: Path) -> tuple[tuple[str, str], ...]:
    if not path.is_file():
        raise WrongValueError("no such file")
    return (("", _sha256(path)),)


def _sha256(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES and path.suffix != ".safetensors":
        raise WrongValueError("{name}: larger than {most} MiB", name=path.name, most=MAX_BYTES // 1024**2)
    return hashlib.sha256(decisive(path)).hexdigest()


MAX_MEDIA = 1_000_000  # files


def listed(named: str, folder: Path) -> tuple[Listing, str]:
    """List the files under a folder; links are not followed out of it. With the digest of names and sizes.

    Raises OSError where a folder cannot be read, ValueError where there is none, or more than MAX_MEDIA files.
    """
    if not folder.is_dir():
        raise WrongValueError("no such folder; expected the one that the rows' paths are relative to")
    root = folder.resolve()
    sizes: dict[str, int] = {}
    for path, _, files in os.walk(root, onerror=_unreadable):
        for name in files:
            file = Path(path) / name
            if file.is_symlink() and not file.resolve().is_relative_to(root):
                continue
            if file.is_file():
                sizes[file.relative_to(root).as_posix()] = file.stat().st_size
        if len(sizes) > MAX_MEDIA:
            raise WrongValueError("more than {most:,} files; name a smaller folder", most=MAX_MEDIA)
    # A name need not be UTF-8; one that is not stands in no JSON text.
    names = tuple(sorted(name for name in sizes if name.encode("utf-8", "ignore").decode() == name))
    lines = "".join(f"{len(name)} {name} {sizes[name]}\n" for name in names)
    return Listing(named=named, names=names), hashlib.sha256(lines.encode()).hexdigest()


def _unreadable(error: OSError) -> None:
    raise error
