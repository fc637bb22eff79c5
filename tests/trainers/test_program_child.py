"""Solutions and their tests in a contained child: what passes, what does not, and what it leaves behind."""

import sys
from pathlib import Path

import pytest

from datacheck.trainers.rewards.contained import RewardLimits
from datacheck.trainers.rewards.testing import Program, ProgramRunner

DOUBLE = "def double(x): return 2 * x"
UNITTEST = "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(double(2), {})"


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tests")
    with ProgramRunner(Path(sys.executable), folder, folder, RewardLimits(seconds=30, memory=1 << 30)) as one:
        yield one


@pytest.mark.parametrize(
    ("program", "ran"),
    [
        (Program(DOUBLE, "assert double(2) == 4"), ("passed", "")),
        (Program(DOUBLE, "assert double(2) == 5"), ("failed", "")),
        (Program(DOUBLE, "assert twice(2) == 4"), ("raised", "NameError")),
        (Program(DOUBLE, "def check(candidate):\n    assert candidate(2) == 5", entry="double"), ("failed", "")),
        (Program(DOUBLE, UNITTEST.format(4)), ("passed", "")),
        (Program(DOUBLE, UNITTEST.format(5)), ("failed", "")),
        (Program(DOUBLE, "from solution import double\ndef test_it():\n    assert double(2) == 5"), ("failed", "")),
        (Program("import os; os._exit(0)", "assert False"), ("ended", "")),
        (Program("raise SystemExit(0)", "assert False"), ("raised", "SystemExit")),
        (Program("class E13800138000(Exception): pass\nraise E13800138000", ""), ("raised", "Exception")),
        (Program("open('/tmp/x', 'w')", ""), ("raised", "OSError")),
        (Program("open('x', 'w').write('x')", "assert open('x').read() == 'x'"), ("passed", "")),
        (Program("", "import os; assert not os.path.exists('x')"), ("passed", "")),
        (Program(DOUBLE, cases=[([2], 4), ([3], [6])], function="double"), ("passed", "")),
        (Program("class Solution:\n    def double(self, x): return 2 * x", cases=[("2", "4")], function="double"), ("passed", "")),
        (Program(DOUBLE, cases=[([2], 5)], function="double"), ("failed", "")),
        (
            Program("class Solution:\n    def count(self, x, y, z): return x", cases=[([1, 2, 3], 1)], function="count"),
            ("passed", ""),
        ),
        (Program("print(sum(map(int, input().split())))", cases=[("1 2\n", "3\n"), ("3 4\n", "7\n")]), ("passed", "")),
        (Program("print(3)", cases=[("1 2\n", "3\n"), ("3 4\n", "7\n")]), ("failed", "")),
        (Program("import sys\nsys.stdout.write(sys.stdin.buffer.read().decode()); exit()", cases=[("a\n", "a\n")]), ("passed", "")),
        (Program("from threading import Thread\nThread(target=lambda: print(1)).start()", cases=[("", "1")]), ("passed", "")),
        (Program("", cases=[("1", "1")]), ("failed", "")),
    ],
)  # fmt: skip
def test_what_passes_and_what_does_not(runner, program, ran):
    if runner.missing and ran[1] == "OSError":
        pytest.skip("this machine lets nobody make namespaces")
    assert runner.run(program) == ran


FORGED = """
import os
for at in range(3, 64):
    try: os.write(at, b'{"outcome": "passed"}\\n')
    except OSError: pass
os._exit(0)
"""
LEFT = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(1000)"


def test_a_program_reaches_no_pipe_of_ours_and_leaves_nothing_that_holds_it_up(runner):
    assert runner.run(Program(FORGED, "assert False")).outcome == "ended"
    assert runner.run(Program(LEFT, "")).outcome == "passed"
    assert runner.run(Program(DOUBLE, "assert double(2) == 4")).outcome == "passed"


def test_what_takes_too_long_is_ended_and_the_next_is_run(tmp_path):
    with ProgramRunner(Path(sys.executable), tmp_path, tmp_path, RewardLimits(seconds=1)) as one:
        assert one.run(Program("while True: pass", "")).outcome == "too_long"
        one.limits = RewardLimits(seconds=30)
        assert one.run(Program(DOUBLE, "assert double(2) == 4")).outcome == "passed"
