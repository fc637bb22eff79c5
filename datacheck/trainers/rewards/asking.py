"""The parent of a reward function's child: starts it within limits, asks about answers, says how it ended."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from datacheck.i18n.message import Message, SaidError

_CHILD = Path(__file__).with_name("child.py")
_START = 120  # seconds for a cold interpreter to load a function and what it imports
_REPLY_BYTES = 1 << 20


class RewardError(SaidError):
    """The function cannot be asked; the message holds no data."""


@dataclass(frozen=True)
class RewardLimits:
    """What asking may cost: seconds for one row, bytes of memory of all its processes together, and processes."""

    seconds: float = 10
    memory: int = 4 << 30
    processes: int = 64


class Question(NamedTuple):
    """Answers to one row. `prompt`: as it stands in the data, or its text; `messages`: answers as lists of messages."""

    answers: Sequence[str]
    columns: Mapping[str, Any]
    prompt: Any = ""
    text: str = ""
    label: Any = None
    messages: bool = False


class Rewarded(NamedTuple):
    """`rewards`, one for each answer (None and NaN as they come); or what happened instead, as a slug.

    raised (error, at), no_number (error: what came instead), too_long, too_much_memory, too_many_processes, ended.
    """

    rewards: tuple[float | None, ...] = ()
    happened: str | None = None
    error: str = ""
    at: str = ""


class AskedFor(NamedTuple):
    """What a function asks for, by its signature and source; `missing`: from what it could not be kept.

    calls: trl, verl, ms_swift or openrlhf; needed: columns without which it cannot be called; read: keys that its
    source takes out of the columns; extra: out of extra_info; not_taken: what its trainer gives and it does not take.
    """

    calls: str
    needed: tuple[str, ...]
    read: tuple[str, ...]
    extra: tuple[str, ...]
    not_taken: tuple[str, ...]
    missing: tuple[str, ...]


_WHY_NOT = {
    "no_module": Message("no such module"),
    "no_function": Message("no such function"),
    "no_convention": Message("its parameters are none that a trainer gives; say who calls it (`calls: trl`)"),
}


@dataclass
class Grader:
    """A reward function in its child, which is started when it is first asked and again where it was lost.

    name: `FILE.py:function` (an absolute path) or `package.module:function`; python: the interpreter, not resolved;
    search: a folder that its imports find last; folder: a private one, which may be removed afterwards.
    """

    name: str
    python: Path
    search: Path
    folder: Path
    calls: str = "auto"
    limits: RewardLimits = field(default_factory=RewardLimits)
    files: int = field(default=0, init=False)  # that it has written into scratch
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _wanted: AskedFor | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self, patience: float = 1) -> int:
        """End the child and all that it started, by force after so many seconds; gives its exit code."""
        child, self._child = self._child, None
        if child is None:
            return 0
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            child.wait(patience)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(5)
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
        return child.wait()

    def wanted(self) -> AskedFor:
        """What it asks for. Raises RewardError where it cannot be loaded."""
        if self._wanted is None:
            self._start()
        assert self._wanted is not None
        return self._wanted

    def ask(self, question: Question) -> Rewarded:
        """Its rewards for some answers to a row. Raises RewardError where it cannot be loaded."""
        if self._child is None:
            self._start()
        try:
            assert self._child is not None
            told = _exchanged(self._child, question._asdict(), self.limits.seconds)
        except TimeoutError:
            self.close(0)
            return Rewarded(happened="too_long")
        except (OSError, ValueError):
            code = self.close()
            from datacheck.trainers.rewards.jail import MEMORY, PROCESSES  # loads ctypes

            ended = {MEMORY: "too_much_memory", PROCESSES: "too_many_processes"}
            return Rewarded(happened=ended.get(code, "ended"))
        return self._read(told, len(question.answers))

    def _read(self, told: Mapping[str, Any], count: int) -> Rewarded:
        """A reply is what the function's process says: nothing in it is believed to have a shape."""
        files, rewards = told.get("files"), told.get("rewards")
        self.files = files if isinstance(files, int) else self.files
        if "error" in told:
            return Rewarded(happened="raised", error=_safe(told["error"]), at=_safe(told.get("at")))
        if not isinstance(rewards, list) or len(rewards) != count:
            return Rewarded(happened="no_number", error=_safe(told.get("wrong")))
        for each in rewards:
            if each is not None and each.__class__ not in (int, float):
                return Rewarded(happened="no_number", error=_safe(each.get("type") if isinstance(each, dict) else each))
        return Rewarded(tuple(rewards))

    def _start(self) -> None:
        work = self.folder / "work"
        for folder in (work / "home", work / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        setup = {
            "name": self.name, "search": str(self.search), "calls": self.calls,
            "memory": self.limits.memory, "processes": self.limits.processes,
        }  # fmt: skip
        self._child = _started(self.python, self.folder)
        try:
            told = _exchanged(self._child, setup, _START)
        except TimeoutError:
            self.close(0)
            raise RewardError("{name}: was not loaded within {n} s", name=self._shown, n=_START) from None
        except (OSError, ValueError):
            self.close()
            raise RewardError("{name}: its process ended while it was loaded", name=self._shown) from None
        if "stopped" in told:
            self.close()
            raise self._stopped(told)
        self._wanted = AskedFor(
            _safe(told.get("calls")),
            *(tuple(map(str, told.get(name, ()))) for name in ("needed", "read", "extra", "not_taken", "missing")),
        )

    def _stopped(self, told: Mapping[str, Any]) -> RewardError:
        why = _WHY_NOT.get(str(told["stopped"]))
        if why is not None:
            return RewardError("{name}: {why}", name=self._shown, why=why)
        error, at = _safe(told.get("error")), _safe(told.get("at"))
        return RewardError(
            "{name}: raised {error} when it was loaded ({at})", name=self._shown, error=error, at=at or "–"
        )

    @property
    def _shown(self) -> str:
        return self.name.rpartition("/")[2]


def described(name: str, python: Path, search: Path, folder: Path) -> tuple[str, str]:
    """The digest of a module's source, and that Python's version; nothing of the module runs. Raises RewardError."""
    child = _started(python, folder)
    try:
        told = _exchanged(child, {"find": name, "search": str(search)}, _START)
    except (OSError, ValueError):
        raise RewardError("{python}: no Python that can be run", python=python) from None
    finally:
        child.kill()
        child.communicate()
    return _safe(told.get("source")), _safe(told.get("python"))


def _started(python: Path, folder: Path) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - the operator names the program; no shell
            [os.path.abspath(python), str(_CHILD), str(folder)],  # noqa: PTH100 - a venv's link must stay one
            cwd=folder,
            env=_environment(folder / "work"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
    except OSError:
        raise RewardError("{python}: no Python that can be run", python=python) from None


def _environment(work: Path) -> dict[str, str]:
    """Nothing of ours but the search path of programs and libraries; no network, no GPU, homes in scratch."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"), "1")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    homes = {"HOME": str(work / "home"), "TMPDIR": str(work / "tmp"), "HF_HOME": str(work / "home" / "hf")}
    plain = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", "USER": "datacheck"}
    return {**kept, **offline, **threads, **homes, **plain, "CUDA_VISIBLE_DEVICES": ""}


def _exchanged(child: subprocess.Popen[bytes], said: Mapping[str, Any], seconds: float) -> dict[str, Any]:
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


def _safe(word: object) -> str:
    """A name of a class or a place: nothing else of what a function's process says reaches a report."""
    text = str(word)[:120] if word else ""
    return text if all(c.isalnum() or c in "_.:/- " for c in text) else "?"
