"""The parent of a child that runs code of others: starts it within limits, asks, says how it ended."""

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from datacheck.i18n.message import SaidError
from datacheck.interrupts import end_child

_CHILD = Path(__file__).with_name("child.py")
_START = 120  # seconds for a cold interpreter to load a function and what it imports
_REPLY_BYTES = 1 << 20


class RewardError(SaidError):
    """The code cannot be asked; the message holds no data."""


@dataclass(frozen=True)
class RewardLimits:
    """What asking may cost: seconds for one row, bytes of memory of all its processes together, and processes."""

    seconds: float = 10
    memory: int = 4 << 30
    processes: int = 64


@dataclass
class Contained:
    """A child, which is started when it is first asked and again where it was lost. Use it in a `with`.

    python: the interpreter, not resolved; search: a folder that its imports find last; folder: a private one, which
    may be removed afterwards; seed: of the hashes of its texts.
    """

    python: Path
    search: Path
    folder: Path
    limits: RewardLimits = field(default_factory=RewardLimits)
    seed: int = 0
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self, patience: float = 1) -> int:
        """End the child and all that it started, by force after so many seconds; gives its exit code."""
        child, self._child = self._child, None
        return end_child(child, patience) if child is not None else 0

    def setup(self) -> dict[str, Any]:
        """What the child is told first."""
        return {"search": str(self.search), "memory": self.limits.memory, "processes": self.limits.processes}

    def started(self, name: str) -> dict[str, Any]:
        """Start it; gives its answer to the setup. name: of what it loads, as it is shown. Raises RewardError."""
        work = self.folder / "work"
        for folder in (work / "home", work / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        self._child = start(self.python, self.folder, self.seed)
        try:
            told = exchanged(self._child, self.setup(), _START)
        except TimeoutError:
            self.close(0)
            raise RewardError("{name}: was not loaded within {n} s", name=name, n=_START) from None
        except (OSError, ValueError):
            self.close()
            raise RewardError("{name}: its process ended while it was loaded", name=name) from None
        return told

    def told(self, question: Mapping[str, Any]) -> dict[str, Any] | str:
        """Its answer; or what happened instead: too_long, too_much_memory, too_many_processes, ended."""
        assert self._child is not None
        try:
            return exchanged(self._child, question, self.limits.seconds)
        except TimeoutError:
            self.close(0)
            return "too_long"
        except (OSError, ValueError):
            code = self.close()
            from datacheck.trainers.rewards.jail import MEMORY, PROCESSES  # loads ctypes

            return {MEMORY: "too_much_memory", PROCESSES: "too_many_processes"}.get(code, "ended")


def described(name: str, python: Path, search: Path, folder: Path) -> tuple[str, str]:
    """The digest of a module's source, and that Python's version; nothing of the module runs. Raises RewardError."""
    child = start(python, folder)
    try:
        told = exchanged(child, {"find": name, "search": str(search)}, _START)
    except (OSError, ValueError):
        raise RewardError("{python}: no Python that can be run", python=python) from None
    finally:
        child.kill()
        child.communicate()
    return safe(told.get("source")), safe(told.get("python"))


def start(python: Path, folder: Path, seed: int = 0) -> subprocess.Popen[bytes]:
    """A child of that Python. Raises RewardError where there is none."""
    try:
        return subprocess.Popen(  # noqa: S603 - the operator names the program; no shell
            [os.path.abspath(python), str(_CHILD), str(folder)],  # noqa: PTH100 - a venv's link must stay one
            cwd=folder,
            env=_environment(folder / "work", seed),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
    except OSError:
        raise RewardError("{python}: no Python that can be run", python=python) from None


def _environment(work: Path, seed: int) -> dict[str, str]:
    """Nothing of ours but the search path of programs and libraries; no network, no GPU, homes in scratch."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"), "1")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    homes = {"HOME": str(work / "home"), "TMPDIR": str(work / "tmp"), "HF_HOME": str(work / "home" / "hf")}
    plain = {"PYTHONHASHSEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", "USER": "datacheck"}
    return {**kept, **offline, **threads, **homes, **plain, "CUDA_VISIBLE_DEVICES": ""}


def exchanged(child: subprocess.Popen[bytes], said: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Send a line, and wait for one. Raises TimeoutError; OSError or ValueError where there is no answer."""
    assert child.stdin is not None
    assert child.stdout is not None
    until = time.monotonic() + seconds
    # A child that does not read must not hold us: the pipe takes what fits, and the clock runs.
    os.set_blocking(child.stdin.fileno(), False)
    rest = memoryview(json.dumps(said).encode() + b"\n")
    answer = b""
    poll = select.poll()
    poll.register(child.stdout, select.POLLIN)
    poll.register(child.stdin, select.POLLOUT)
    while not answer.endswith(b"\n"):
        left = until - time.monotonic()
        ready = dict(poll.poll(max(left, 0) * 1000))
        if not ready or left <= 0:
            raise TimeoutError
        if child.stdin.fileno() in ready:
            rest = rest[child.stdin.write(rest) or 0 :]
            if not rest:
                poll.unregister(child.stdin)
        if child.stdout.fileno() in ready:
            data = os.read(child.stdout.fileno(), 1 << 16)
            answer += data
            if not data or len(answer) > _REPLY_BYTES:
                raise ValueError
    told = json.loads(answer)
    if rest or not isinstance(told, dict):
        raise ValueError
    return told


def safe(word: object) -> str:
    """A name of a class or a place: nothing else of what a function's process says reaches a report."""
    text = str(word)[:120] if word else ""
    return text if all(c.isalnum() or c in "_.:/- " for c in text) else "?"
