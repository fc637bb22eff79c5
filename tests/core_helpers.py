"""Helpers of the core's tests: files and contracts written down, and datacheck run in this process or another."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from datacheck.cli import main, watched
from datacheck.engine import run
from datacheck.engine.workers import Here
from datacheck.session import trial
from datacheck.testing import measure

ROOT = Path(__file__).parent.parent
GOOD = {"messages": [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "你好！"}]}
BAD = {"messages": [{"role": "user", "content": "在吗"}, {"role": "user", "content": "喂"}]}

USER_CHECK = '''
from typing import ClassVar, Literal
import os, sys
from datacheck.check import *
from datacheck.check import total

class Own(Check):
    """Count rows in a way of its own."""

    ZH: ClassVar[str] = "以自己的方式统计行数。"
    metrics: ClassVar = {{"number": Metric("rows", "rows", limit=Limit(min=1))}}
    check: Literal["{name}"] = "{name}"

    def measure(self, data: View) -> Measured:
        """Measure."""
        {body}
'''


def jsonl(path: Path, *records) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [r if isinstance(r, bytes) else json.dumps(r, ensure_ascii=False).encode() for r in records]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def contract(folder: Path, checks=("role_errors",), *, name="contract.yaml", source=None, **datasets) -> Path:
    """A contract with a dataset `train` (and others: name=(source, checks))."""
    folder.mkdir(parents=True, exist_ok=True)
    every = {"train": (source or {"path": "data"}, checks), **datasets}
    value = {"name": "test", "datasets": {n: {"source": s, "checks": list(c)} for n, (s, c) in every.items()}}
    path = folder / name
    path.write_text(yaml.safe_dump(value, allow_unicode=True), encoding="utf-8")
    return path


# These look at the texts of many rows together, not at how one is read, and take most of the time of a run.
SLOW_CHECKS = {
    "answer_in_prompt", "conflicting_answers", "embedded_template", "error_as_answer", "exact_duplicates",
    "garbled_text", "language_mismatch", "leaked_reasoning", "leftover_markup", "near_duplicates", "pii",
    "placeholder_text", "prompt_echo", "refusals", "repetitive_text", "run_on_answers", "similar_texts",
    "template_collapse", "unfinished_answers", "wrong_language",
}  # fmt: skip


def lighter(path: Path) -> None:
    """Take the checks that cost most out of a contract that `init` wrote, for tests of how shapes are read."""
    rules = yaml.safe_load(path.read_text(encoding="utf-8"))
    for dataset in rules["datasets"].values():
        named = [(check, check if isinstance(check, str) else check["check"]) for check in dataset["checks"]]
        dataset["checks"] = [check for check, name in named if name not in SLOW_CHECKS]
    path.write_text(yaml.safe_dump(rules, allow_unicode=True), encoding="utf-8")


def each_of(check, rows: dict, *, where: bool = False) -> dict:
    """What is found in each of `rows` (by any key), of all in one run: a run a row costs a hundred times as much."""
    found = {name: [] for name in rows}
    names = list(rows)
    for row, place, problem in measure(check, rows.values()).places:
        found[names[row]].append((place, problem) if where else problem)
    return found


def user_check(folder: Path, name: str, body: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(USER_CHECK.format(name=name, body=body.replace("\n", "\n        ")), encoding="utf-8")
    return path


def mostly_slow(values, fast):
    """Cases of a parametrised test: those in `fast` always, the others with `make slow`."""
    return [pytest.param(value, marks=() if value in fast else pytest.mark.slow) for value in values]


def in_this_process(*_, **_settings):
    return Here()


@pytest.fixture
def here(monkeypatch):
    """Sessions of this test start no processes."""
    monkeypatch.setattr(run, "Workers", in_this_process)


@contextmanager
def no_processes():
    """Like `here`, for what several tests share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Workers", in_this_process)
        yield


@pytest.fixture
def command(monkeypatch, capsys):
    """`datacheck ARGS` through `main`, in this process, as one that is watched: (exit code, stdout, stderr)."""
    monkeypatch.setattr(watched, "_watched", True)

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["datacheck", *map(str, args)])
        try:
            main.main()
            code = 0
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@contextmanager
def no_trial():
    """`init` does not run the contract that it writes: for tests that run it themselves."""
    with pytest.MonkeyPatch.context() as patch:
        nothing = SimpleNamespace(findings=(), datasets={"train": SimpleNamespace(rows=0)})
        patch.setattr(trial, "tried", lambda *_, **__: nothing)
        yield


def spawn(*args, cwd=None, env=None, **kwargs) -> subprocess.CompletedProcess:
    """`datacheck ARGS` as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "datacheck", *map(str, args)],
        cwd=cwd,
        env=environment(env),
        capture_output=True,
        check=False,
        timeout=600,
        **kwargs,
    )


# Commands one after the other, for what needs a process of its own but not one each.
SEQUENCE = """
import io, json, sys
from contextlib import redirect_stderr
from datacheck.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["datacheck", *words]
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            main.main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    print("\\0" + json.dumps([code, said.getvalue()]))
"""


def spawn_all(commands, env=None) -> tuple[list[list], bytes]:
    """Several `datacheck ARGS` in one new process: exit code and words of each, and what else came on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", SEQUENCE, json.dumps(commands, default=str)],
        env=environment(env), capture_output=True, check=False, timeout=600,
    )  # fmt: skip
    said = [line.partition(b"\0")[2] for line in done.stdout.splitlines() if b"\0" in line]
    return [json.loads(line) for line in said], done.stderr


def environment(extra=None) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", **(extra or {})}


def report(folder: Path) -> dict:
    """report.json with each sentence as its English text."""
    return json.loads((folder / "report.json").read_bytes(), object_hook=in_words)


def in_words(value: dict) -> object:
    return value["text"] if "text" in value and value.keys() <= {"text", "id", "many", "params"} else value


def statuses(folder: Path) -> dict[str, str]:
    return {finding["id"]: finding["status"] for finding in report(folder)["findings"]}


def children(pid: int) -> set[int]:
    """All descendants, from /proc."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(stat.parent.name)] = int(fields[1])
    found, before = {pid}, set()
    while found != before:
        before = set(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {pid}


def alive(pids: set[int]) -> set[int]:
    return {pid for pid in pids if _lives(pid)}


def _lives(pid):
    """Whether it is there and no zombie; it may go while one looks."""
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
