"""The bar of a long publication says what is done, in both languages, and leaves nothing behind."""

import io
import os
import pty
import subprocess
import sys
from types import SimpleNamespace

import pytest
from core_helpers import BAD, ROOT, contract, environment, jsonl
from rich.console import Console

from datacheck.cli.progress import pace, phases_shown, step_name, steps_shown
from datacheck.contract.load import load_contract
from datacheck.engine.expected import Progress
from datacheck.engine.plan import make_plan
from datacheck.i18n.words import step_in


def on_a_terminal(command, **where):
    """What a command writes to standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, **where)
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end has gone
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    child.wait(timeout=60)
    return said.decode()


@pytest.mark.parametrize(
    ("lang", "phases"),
    [
        ("en", ["hashing", "checking load train", "hashing again, signing"]),
        ("zh", ["计算哈希", "检查 加载 train", "复核哈希并签名"]),
    ],
)
def test_phases_are_shown_in_their_order(lang, phases):
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    sealer = SimpleNamespace(tell=None)

    def run(tell):
        tell(Progress("load train", 1, 4))
        display._progress.refresh()

    session = SimpleNamespace(plan=[1, 2, 3, 4], run=run, sealer=sealer, files={"train": SimpleNamespace(size=10)})
    with phases_shown(lang, screen) as display:
        display.hashed(5, 10)
        display._progress.refresh()
        display.run(session)
        sealer.tell(10)
        display._progress.refresh()
    said = screen.file.getvalue()
    places = [said.index(phase) for phase in phases]
    assert places == sorted(places)
    assert said.index(" 50%") < said.index(" 25%") < said.rindex("100%")


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "4.0 MB/s · 1,000 rows/s · 1:15 left"), ("zh", "4.0 MB/s · 1,000 行/秒 · 剩余 1:15")]
)
def test_the_pace_and_the_time_that_is_left(lang, said):
    told = Progress("measure train.pii", 3, 9, share=0.25, seconds=25.0, bytes=400_000_000, rows=100_000)
    assert pace(told, lang) == said


def test_of_the_first_moment_nothing_is_foretold():
    assert pace(Progress("load train", 1, 9, share=0.01, seconds=0.2, bytes=10**9), "en") == ""


def test_nothing_of_the_bar_is_left():
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    with phases_shown("en", screen) as display:
        display.hashed(5, 10)
    assert screen.file.getvalue().endswith("\x1b[2K")


def test_a_step_is_named_without_its_digest():
    assert step_name("group train TextKey-ccd0e9c7 by key/16", "en") == "group train TextKey"
    assert step_name("measure my-data.near_duplicates", "en") == "measure my-data.near_duplicates"


def test_every_kind_of_step_has_a_verb_in_chinese():
    """Of the plan of the samples, which has all kinds; the names behind the verb stay."""
    steps = [step.key for step in make_plan(load_contract(ROOT / "sample_data" / "bad.yaml", {}))]
    assert {step.split()[0] for step in steps} == {"load", "derive", "summarise", "group", "rounds", "measure"}
    for step in [*steps, "write train/a.jsonl", "verify train/a.jsonl"]:
        verb, _, rest = step_in(step, "zh").partition(" ")
        assert not verb.isascii()
        assert rest == step.partition(" ")[2]
    assert step_in("own step", "zh") == "own step"


@pytest.mark.parametrize(("lang", "said"), [("en", ["reading", "load B"]), ("zh", ["读取", "加载 B"])])
def test_steps_are_shown_while_they_run(lang, said):
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    with steps_shown(lang, screen) as tell:
        tell(Progress("load B", 1, 4))
    assert all(word in screen.file.getvalue() for word in said[1:])
    assert screen.file.getvalue().endswith("\x1b[2K")


@pytest.mark.parametrize("language", ["zh_CN.UTF-8", pytest.param("C.UTF-8", marks=pytest.mark.slow)])
def test_long_commands_show_their_steps_on_a_terminal(tmp_path, language):
    """`run`, `diff` and `apply` under a pseudo-terminal: the steps stand on its screen, none in the report."""
    good = {"messages": [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "你好！"}]}
    jsonl(tmp_path / "data" / "a.jsonl", good, {**good, "n": 1}, BAD)
    path = contract(tmp_path)
    where = {"cwd": tmp_path, "env": environment({"LC_ALL": language, "COLUMNS": "100"})}
    write = "write train/a.jsonl"
    measure = "度量 B." if language.startswith("zh") else "measure B."
    last = "measure train."
    commands = [(["diff", "data", "data"], measure)]
    if language == "C.UTF-8":
        commands += [
            (["run", path, "--out", "out"], last),
            (["apply", "out", "--data", "train=data", "--out", "new"], write),
        ]
    for command, shown in commands:
        screen = on_a_terminal([sys.executable, "-m", "datacheck", *map(str, command)], **where)
        assert shown in screen, command
