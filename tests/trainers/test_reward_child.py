"""A reward function in its child: called as each trainer calls it, and kept from everything else."""

import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datacheck.trainers.rewards.asking import Grader, Question
from datacheck.trainers.rewards.contained import RewardError, RewardLimits

EVIL = """
import os, socket, sys, time
def reward(completions, answer, **rest):
    what = answer[0]
    if what == "loop":
        while True: pass
    if what == "allocate":
        held = []
        while True: held.append(bytearray(10**8))
    if what == "share":
        import mmap
        memory = mmap.mmap(-1, 3 << 30)
        for at in range(0, 3 << 30, 4096): memory[at] = 1
    if what == "fork":
        while True: os.fork()
    if what == "leave_one":
        if os.fork() == 0:
            os.setsid(); time.sleep(1000)
    if what == "fill":
        with open("big", "wb") as file:
            while True: file.write(bytes(10**7))
    if what == "flood":
        until = time.time() + 0.5
        while time.time() < until: os.write(1, b"x" * 10**6); print("y" * 10**6)
    if what == "forge":
        for at in range(3, 100):
            try: os.write(at, b'{"rewards": [1.0]}\\n' * 2)
            except OSError: pass
    if what == "exit": os._exit(0)
    if what == "sys_exit": sys.exit(0)
    if what == "kill_all":
        for each in (os.getppid(), 1):
            try: os.kill(each, 9)
            except OSError: pass
        os.kill(os.getpid(), 9)
    if what == "network": socket.create_connection(("192.0.2.1", 80), 1)
    if what.startswith("/"): open(what, "w").write("x")
    if what == "processes": return [float(sum(name.isdigit() for name in os.listdir("/proc")))]
    if what == "secrets": return [float("TOKEN_OF_THE_USER" in os.environ)]
    if what == "scratch":
        open("here", "w").write("x"); open(os.path.expanduser("~/there"), "w").write("x")
    if what == "none": return None
    if what == "text": return ["1.0"]
    if what == "nan": return [float("nan")]
    if what == "two": return [1.0, 2.0]
    if what == "secret_error": raise ValueError("13800138000")
    return [1.0] * len(completions)
"""
CALLS = """
import asyncio
def trl(prompts, completions, answer, **kwargs):
    return [float(c[0]["content"] == a and p[0]["role"] == "user") for p, c, a in zip(prompts, completions, answer)]
async def waits(completions, answer, **kwargs):
    await asyncio.sleep(0)
    return [float(c == a) for c, a in zip(completions, answer)]
def verl(data_source, solution_str, ground_truth, extra_info=None):
    return {"score": solution_str == ground_truth and data_source == "x" and extra_info["n"] == 1}
def openrlhf(queries, prompts, labels):
    return {"rewards": [q == p + l for q, p, l in zip(queries, prompts, labels)]}
class Swift:
    def __init__(self, args=None): pass
    def __call__(self, completions, answer, **kwargs): return [float(c == a) for c, a in zip(completions, answer)]
def reads(completions, **kwargs): return [float(len(kwargs["level"])) for _ in completions]
def nobody_calls_this(x, y): return 0
"""


def grader(tmp_path, text, function, **given):
    file = tmp_path / "rewards.py"
    file.write_text(text)
    folder = tmp_path / "scratch"
    folder.mkdir(exist_ok=True)
    given = {"limits": RewardLimits(seconds=30, memory=1 << 30), "python": Path(sys.executable), **given}
    return Grader(name=f"{file}:{function}", search=tmp_path, folder=folder, **given)


def asked(tmp_path, what, **given):
    with grader(tmp_path, EVIL, "reward", **given) as one:
        told = one.ask(Question(["a"], {"answer": what}))
        assert one.ask(Question(["a"], {"answer": "ok"})).rewards == (1.0,)  # whatever came before
        return told


@pytest.fixture
def apart(tmp_path):
    """Where the machine lets nobody make namespaces, less is promised; `test_what_the_kernel_refuses` is for that."""
    with grader(tmp_path, EVIL, "reward") as one:
        missing = one.wanted().missing
    if missing:
        pytest.skip(f"this machine lets nobody make namespaces ({', '.join(missing)})")


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("sys_exit", "SystemExit"), ("secret_error", "ValueError"),
        ("network", "OSError ENETUNREACH"), ("fill", "OSError EFBIG"),
    ],
)  # fmt: skip
def test_what_a_function_raises_is_told_by_class_and_place(tmp_path, apart, what, error):
    told = asked(tmp_path, what)
    assert (told.happened, told.error, told.at.partition(":")[0]) == ("raised", error, "rewards.py")
    assert "138" not in repr(told)


@pytest.mark.parametrize("what", ["none", "text", "nan", "two"])
def test_what_is_no_number_for_each_answer_is_told(tmp_path, what):
    assert asked(tmp_path, what).happened == "no_number"


@pytest.mark.parametrize("what", ["exit", "kill_all", "forge"])
def test_a_function_that_ends_its_process_or_speaks_for_itself_is_told(tmp_path, apart, what):
    assert asked(tmp_path, what).happened == "ended"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "happened"),
    [("loop", "too_long"), ("share", "too_much_memory"), ("fork", "too_many_processes"), ("allocate", "raised")],
)
def test_what_takes_too_much_is_ended(tmp_path, apart, what, happened):
    started = time.monotonic()
    assert asked(tmp_path, what, limits=RewardLimits(seconds=30 if what != "loop" else 1, memory=1 << 30)).happened == (
        happened
    )
    assert time.monotonic() - started < 60


def test_nothing_that_it_started_is_left(tmp_path):
    assert asked(tmp_path, "leave_one").rewards == (1.0,)
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) not in running


def test_what_it_prints_goes_nowhere(tmp_path, capfd):
    assert asked(tmp_path, "flood").rewards == (1.0,)
    assert capfd.readouterr() == ("", "")


def test_files_are_written_in_scratch_only_and_are_gone(tmp_path, apart):
    elsewhere = tmp_path / "data.jsonl"
    elsewhere.write_text("kept")
    told = asked(tmp_path, str(elsewhere))
    assert (told.happened, told.error) == ("raised", "OSError EROFS")
    assert elsewhere.read_text() == "kept"
    with grader(tmp_path, EVIL, "reward") as one:
        assert one.ask(Question(["a"], {"answer": "scratch"})).rewards == (1.0,)
        assert one.files == 2
    assert [path.name for path in (tmp_path / "scratch").rglob("*") if path.is_file()] == []


def test_it_sees_no_process_and_no_variable_of_ours(tmp_path, apart, monkeypatch):
    monkeypatch.setenv("TOKEN_OF_THE_USER", "x")
    assert asked(tmp_path, "secrets").rewards == (0.0,)
    assert asked(tmp_path, "processes").rewards[0] <= 4


@pytest.fixture
def without_namespaces(tmp_path):
    """A Python for which the kernel refuses namespaces, as in a container."""
    wanted = [shutil.which(name) for name in ("unshare", "setpriv")]
    path = tmp_path / "python"
    path.write_text(
        "#!/bin/sh\nexec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && "
        f'exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "{sys.executable}" "$@"\' sh "$@"\n'
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    if None in wanted or subprocess.run([path, "-c", ""], check=False, capture_output=True).returncode:
        pytest.skip("needs unshare and setpriv of util-linux, and user namespaces")
    return path


def test_what_the_kernel_refuses_is_named_and_the_rest_holds(tmp_path, without_namespaces):
    with grader(tmp_path, EVIL, "reward", python=without_namespaces) as one:
        assert {"mount", "pid", "net"} <= set(one.wanted().missing)
        assert one.ask(Question(["a"], {"answer": "leave_one"})).rewards == (1.0,)
        assert one.ask(Question(["a"], {"answer": "exit"})).happened == "ended"
    assert not [each for each in Path("/proc").glob("[0-9]*") if _holds(each, str(tmp_path / "scratch"))]


def _holds(pid, folder):
    try:
        return folder in (pid / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return False


def test_here_nothing_is_missing(tmp_path):
    if subprocess.run(["unshare", "-Urmp", "--fork", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets nobody make namespaces")
    with grader(tmp_path, EVIL, "reward") as one:
        assert one.wanted().missing == ()


@pytest.mark.parametrize(
    ("function", "calls", "question"),
    [
        ("trl", "trl", {"columns": {"answer": "4"}, "prompt": [{"role": "user", "content": "2+2"}], "messages": True}),
        ("waits", "trl", {"columns": {"answer": "4"}}),
        (
            "verl",
            "verl",
            {"columns": {"data_source": "x", "reward_model": {"ground_truth": "4"}, "extra_info": {"n": 1}}},
        ),
        ("openrlhf", "openrlhf", {"columns": {}, "text": "2+2=", "label": "4"}),
        ("Swift", "ms_swift", {"columns": {"answer": "4"}}),
    ],
)
def test_each_trainer_calls_in_its_own_way(tmp_path, function, calls, question):
    with grader(tmp_path, CALLS, function) as one:
        assert one.wanted().calls == calls
        assert one.ask(Question(["4", "5"], **question)).rewards == (1.0, 0.0)


def test_what_it_asks_for_is_told_before_it_is_called(tmp_path):
    with grader(tmp_path, CALLS, "reads") as one:
        assert (one.wanted().needed, one.wanted().read) == ((), ("level",))
    with grader(tmp_path, CALLS, "verl") as one:
        assert one.wanted().needed == ("data_source", "reward_model.ground_truth")
        assert one.wanted().extra == ("n",)


@pytest.mark.parametrize(
    ("text", "function", "why"),
    [
        (CALLS, "nobody_calls_this", "its parameters are none that a trainer gives"),
        (CALLS, "absent", "no such function"),
        ("import absent_package_of_nobody", "f", "raised ModuleNotFoundError when it was loaded (rewards.py:1)"),
        ("import os; os._exit(0)", "f", "its process ended while it was loaded"),
    ],
)
def test_what_cannot_be_loaded_is_said(tmp_path, text, function, why):
    with grader(tmp_path, text, function) as one, pytest.raises(RewardError) as error:
        one.wanted()
    assert why in str(error.value)
