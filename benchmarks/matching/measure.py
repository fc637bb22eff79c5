"""Processes that are watched: seconds, processor seconds and memory of a command with all its children."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

EVERY = 0.1  # seconds between two samples of memory


class Watched(NamedTuple):
    """What one process and its children used; `error` is the last line of stderr where it failed, else ""."""

    wall: float  # seconds from start to end, imports included
    cpu: float  # user and system seconds of the tree
    peak: int  # bytes: largest sum of PSS over the tree, sampled
    code: int
    error: str


def run(command: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float) -> Watched:
    """Run a command in `folder`, its output in files there; kill it and its children after `seconds`."""
    before, start = os.times(), time.perf_counter()
    late = False
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        child = psutil.Popen(command, stdout=out, stderr=err, env=dict(env), cwd=folder)
        peak = [0]
        watcher = threading.Thread(target=_watch, args=(child, peak))
        watcher.start()
        try:
            code = child.wait(seconds)
        except (subprocess.TimeoutExpired, psutil.TimeoutExpired):
            late = True
            _kill(child)
            code = child.wait()
        watcher.join()
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    error = f"not done after {seconds:.0f} s" if late else last_line(folder / "stderr") if code else ""
    return Watched(time.perf_counter() - start, cpu, peak[0], code, error)


def others() -> float:
    """Return the processor seconds, since the machine started, of all but this process and its ended children."""
    every, own = psutil.cpu_times(), os.times()
    busy = sum(every) - every.idle - getattr(every, "iowait", 0.0) - getattr(every, "guest", 0.0)
    return busy - own.user - own.system - own.children_user - own.children_system


def last_line(path: Path) -> str:
    """Return the last line of a log that says something."""
    lines = path.read_text(encoding="utf-8", errors="replace").replace("\r", "\n").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "no message")


def _kill(root: psutil.Popen) -> None:
    for process in (*root.children(recursive=True), root):
        with contextlib.suppress(psutil.Error):
            process.kill()


def _watch(root: psutil.Popen, peak: list[int]) -> None:
    while _alive(root):
        peak[0] = max(peak[0], sum(_tree(root)))
        time.sleep(EVERY)


def _alive(process: psutil.Popen) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _tree(root: psutil.Popen) -> Iterator[int]:
    with contextlib.suppress(psutil.Error):
        for process in (root, *root.children(recursive=True)):
            with contextlib.suppress(psutil.Error, OSError, StopIteration):
                text = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii")
                yield next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))
