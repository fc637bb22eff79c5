"""The child: sets limits, has the family's script load the rows, finds the rows that stop the set, writes the answer.

It is run as a file by a Python that knows nothing of datacheck: standard library only, Python 3.10 or newer.
"""

import sys

sys.path[:] = sys.path[1:]  # the folder of this file: `trl.py` in it must not be taken for the package

import contextlib  # noqa: E402 - only now
import ctypes  # noqa: E402
import hashlib  # noqa: E402
import importlib.metadata  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import resource  # noqa: E402
import signal  # noqa: E402
import time  # noqa: E402
import traceback  # noqa: E402
from itertools import islice  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, Protocol  # noqa: E402

REQUEST, ROWS, ANSWER = "request.json", "rows.jsonl", "answer.jsonl"
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # of sched.h
_DIE_WITH_PARENT = 1  # of prctl.h


class RowLoader(Protocol):
    """How the rows of a request come to be loaded; each family's script gives one from its `loading(request, folder)`.

    notes: names of settings that this version does not have.
    """

    notes: tuple[str, ...]

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """Give a file of these lines to the package: for each {fate: kept, examples: […]} or {fate: dropped}.

        Raises what the package raises.
        """


def limit(seconds: int, memory: int) -> None:
    """Bound processor time, memory and files; no core file, no network where the system lets us leave it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (memory, memory))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if libc.unshare(_NEW_NETWORK) != 0:
            libc.unshare(_NEW_USER | _NEW_NETWORK)


def script(family: str) -> Any:
    """The module of a family, under a name that hides no package."""
    path = Path(__file__).with_name(f"{family}.py")
    spec = importlib.util.spec_from_file_location(f"probe_{family}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """The installed versions of some distributions; of the first also a digest of its source."""
    found = {}
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def source_digest(package: str) -> str:
    """A digest of the Python files of a package, without importing it: what is patched is another one."""
    spec = importlib.util.find_spec(package)
    digest = hashlib.sha256()
    for folder in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(folder).rglob("*.py")):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def failure(error: BaseException, package: str) -> dict[str, str]:
    """What is told of an exception: the class of its cause, and the last place in the package's own source, if any.

    One with `not_asked` was raised before the package: what becomes of the row is not known.
    """
    fate = "unknown" if getattr(error, "not_asked", False) else "failed"
    while error.__cause__ is not None:
        error = error.__cause__
    at, own = "", ""
    for frame in traceback.extract_tb(error.__traceback__):
        _, found, name = frame.filename.partition("site-packages/")
        at = f"{name}:{frame.lineno}" if found else at
        own = at if found and name.startswith(f"{package}/") else own
    return {"fate": fate, "error": type(error).__name__, "at": own or at}


class Finder:
    """Finds the rows that stop a set. What the first row looks like decides for many loaders: it is in every trial."""

    def __init__(self, loading: RowLoader, lines: list[str], until: float, package: str) -> None:
        self.loading, self.lines, self.until, self.package = loading, lines, until, package
        self.answers: dict[int, dict[str, Any]] = {}

    def run(self) -> list[dict[str, Any]]:
        """One answer for each line."""
        rest = list(range(len(self.lines)))
        context: list[int] = []
        while rest and not context and time.monotonic() < self.until:
            error = self._stops([rest[0]])
            if error is None:
                context = [rest[0]]
            else:
                self.answers[rest[0]] = error
            rest = rest[1:]
        kept = self._good(context, rest) if context else []
        self._settle(context + kept)
        return [{"row": row, **self.answers.get(row, {"fate": "unknown"})} for row in range(len(self.lines))]

    def _stops(self, rows: list[int]) -> dict[str, str] | None:
        """Why these rows together cannot be loaded; None where they can."""
        try:
            self._last = self.loading.load([self.lines[row] for row in rows])
        except Exception as error:  # noqa: BLE001 - whatever a package raises ends its run
            return failure(error, self.package)
        return None

    def _good(self, context: list[int], rows: list[int]) -> list[int]:
        """Those of `rows` that can be loaded behind `context`; the others are answered."""
        if not rows or time.monotonic() > self.until:
            return []
        error = self._stops(context + rows)
        if error is None:
            return rows
        if len(rows) == 1:
            self.answers[rows[0]] = error
            return []
        half = len(rows) // 2
        first = self._good(context, rows[:half])
        return first + self._good(context, rows[half:])

    def _settle(self, rows: list[int]) -> None:
        """Load all that can be; where they stop one another, the row behind the longest good beginning is to blame."""
        while rows and time.monotonic() < self.until:
            error = self._stops(rows)
            if error is None:
                for row, examples in zip(rows, self._last, strict=True):
                    self.answers[row] = examples
                return
            good, bad = 1, len(rows)
            while bad - good > 1:
                middle = (good + bad) // 2
                stopped = self._stops(rows[:middle])
                error, good, bad = (error, middle, bad) if stopped is None else (stopped, good, middle)
            self.answers[rows[bad - 1]] = error
            rows = rows[: bad - 1] + rows[bad:]


def main(folder: Path) -> None:
    """Answer the request that lies in a folder."""
    started = time.monotonic()
    request = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    limit(request["seconds"], request["memory"])
    family = script(request["family"])
    package = getattr(family, "SOURCE", family.PACKAGES[0])
    head: dict[str, Any] = {"versions": versions(family.PACKAGES), "source": source_digest(package)}
    answers: list[dict[str, Any]] = []
    if "mode" in request:
        lines = iter((folder / ROWS).read_text(encoding="utf-8").split("\n")[:-1])
        try:
            loading = family.loading(request, folder)
        except Exception as error:  # noqa: BLE001 - an environment that lacks something
            head |= {"stopped": failure(error, package)}
        else:
            until = started + 0.9 * request["seconds"]
            for count in request["files"]:
                answers += Finder(loading, list(islice(lines, count)), until, package).run()
            head["notes"] = list(loading.notes)
    written = folder / f"{ANSWER}.part"
    written.write_text("".join(json.dumps(line) + "\n" for line in [head, *answers]), encoding="utf-8")
    written.replace(folder / ANSWER)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
