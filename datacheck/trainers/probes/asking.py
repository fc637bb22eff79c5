"""The parent of a probe: writes the request, starts the other Python within limits, reads the answer."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from datacheck.i18n.message import SaidError

_CHILD = Path(__file__).with_name("child.py")
_PLAIN = Path(__file__).with_name("plain")  # a tokenizer of bytes, with a template that refuses nothing
_START = 120  # seconds for a cold interpreter to name its packages
_SPARE = 30  # seconds beside the child's own limit on processor time, for a busy machine
_ANSWER_BYTES = 1 << 30
SKIPPED = -100


class ProbeError(SaidError):
    """The other Python could not be asked; the message holds no data."""


@dataclass(frozen=True)
class ProbeLimits:
    """What asking may cost: seconds of processor time, and bytes of memory and of a file."""

    seconds: int = 600
    memory: int = 8 << 30


class ProbedExample(NamedTuple):
    """One training example of a row as the package's collator gives it: without padding; -100 is no label.

    part: chosen or rejected, of a pair; label: KTO's.
    """

    ids: tuple[int, ...]
    labels: tuple[int, ...]
    part: str | None = None
    label: bool | None = None


class ProbedRow(NamedTuple):
    """What became of a row: kept, dropped, failed, or unknown; of a failure the exception's class and its place."""

    fate: str
    examples: tuple[ProbedExample, ...] = ()
    error: str | None = None
    at: str | None = None


class Installed(NamedTuple):
    """A trainer's package in another environment: versions by distribution, and a digest of its source."""

    versions: Mapping[str, str]
    source: str


class Probed(NamedTuple):
    """The answer: what was asked, one entry a row, and the settings that this version does not have."""

    installed: Installed
    rows: tuple[ProbedRow, ...]
    unknown_settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProbeRequest:
    """What to ask: a family's script (`trl`), a mode (`sft`), settings, a tokenizer's files by name (None: none)."""

    family: str
    mode: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    tokenizer: Mapping[str, bytes] | None = None
    limits: ProbeLimits = ProbeLimits()


def families() -> frozenset[str]:
    """The trainers that there is a script for."""
    ours = {"__init__", "asking", "child"}
    return frozenset(path.stem for path in _CHILD.parent.glob("*.py")) - ours


def installed(python: Path, family: str, folder: Path) -> Installed:
    """The versions of a trainer's packages. Raises ProbeError where that Python has none, or cannot be run."""
    answer = _run(python, folder, {"family": family, "seconds": _START, "memory": ProbeLimits.memory}, _START)
    found = _installed(answer[0])
    if not found.versions.get(family):
        raise ProbeError("{python}: has no package {family}", python=python, family=family)
    return found


def ask(python: Path, request: ProbeRequest, lines: Sequence[str], folder: Path, files: Sequence[int] = ()) -> Probed:
    """Ask about rows, one JSON text each.

    Args:
        python: the interpreter of the trainer's environment, not resolved: a link tells a venv.
        request: what to ask.
        lines: the rows as one JSON text each, without line feeds.
        files: how many rows there are in each of several files, which are loaded apart; by default they are in one.
        folder: a private folder, which is filled and may be removed afterwards.

    Raises ProbeError where there is no answer.

    """
    tokenizer = folder / "tokenizer"
    contents = request.tokenizer or {path.name: path.read_bytes() for path in _PLAIN.iterdir()}
    for name, data in contents.items():
        (tokenizer / name).parent.mkdir(parents=True, exist_ok=True)
        (tokenizer / name).write_bytes(data)
    limits = request.limits
    wanted = {
        "family": request.family,
        "mode": request.mode,
        "settings": dict(request.settings),
        "tokenizer": str(tokenizer),
        "plain": request.tokenizer is None,
        "files": list(files) or [len(lines)],
        "seconds": limits.seconds,
        "memory": limits.memory,
    }
    (folder / "rows.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    head, *rows = _run(python, folder, wanted, limits.seconds + _SPARE)
    if "stopped" in head:
        where = {"error": str(head["stopped"]["error"])[:80], "at": str(head["stopped"]["at"])[:200]}
        raise ProbeError("{python}: its packages could not be started ({error} at {at})", python=python, **where)
    if len(rows) != len(lines):
        raise ProbeError("{python}: gave an answer that cannot be read", python=python)
    return Probed(_installed(head), tuple(_row(row) for row in rows), tuple(map(str, head.get("notes", ()))))


def _run(python: Path, folder: Path, request: Mapping[str, Any], seconds: float) -> list[dict[str, Any]]:
    """Start the child and wait for it; its own words go nowhere."""
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    command = [os.path.abspath(python), str(_CHILD), str(folder)]  # noqa: PTH100 - a venv's link must stay one
    try:
        child = subprocess.Popen(  # noqa: S603 - the operator names the program; no shell
            command,
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        raise ProbeError("{python}: no Python that can be run", python=python) from None
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        raise ProbeError("{python}: gave no answer within {n} s", python=python, n=int(seconds)) from None
    finally:
        with suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    return _answer(python, folder / "answer.jsonl", child.returncode)


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of ours but the search path of programs and libraries; no network, no GPU, homes in scratch."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"), "1")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    homes = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "HF_HOME": str(folder / "home" / "hf")}
    plain = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", "USER": "datacheck"}
    alone = {"TOKENIZERS_PARALLELISM": "false", "CUDA_VISIBLE_DEVICES": ""}
    return {**kept, **offline, **threads, **homes, **plain, **alone}


def _answer(python: Path, file: Path, code: int) -> list[dict[str, Any]]:
    if not file.is_file():
        raise ProbeError("{python}: ended without an answer (exit code {code})", python=python, code=code)
    try:
        if file.stat().st_size > _ANSWER_BYTES:
            raise ValueError  # noqa: TRY301 - told as any answer that cannot be read
        answer = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        if not answer or not all(isinstance(line, dict) for line in answer):
            raise ValueError  # noqa: TRY301
    except (ValueError, OSError):
        raise ProbeError("{python}: gave an answer that cannot be read", python=python) from None
    return answer


def _installed(head: Mapping[str, Any]) -> Installed:
    versions = head.get("versions")
    told = versions if isinstance(versions, dict) else {}
    return Installed({str(name)[:40]: str(each)[:40] for name, each in told.items()}, str(head.get("source"))[:64])


def _row(row: Mapping[str, Any]) -> ProbedRow:
    fate = row.get("fate")
    examples = tuple(
        ProbedExample(tuple(each["ids"]), tuple(each["labels"]), each.get("part"), each.get("label"))
        for each in row.get("examples", ())
    )
    known = fate if fate in ("kept", "dropped", "failed") else "unknown"
    error, at = (str(row[name])[:200] if row.get(name) else None for name in ("error", "at"))
    return ProbedRow(known, examples, error, at)
