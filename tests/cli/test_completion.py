"""Shells complete commands, options, their values, and the names of checks."""

import os
import subprocess
import sys

import pytest
from core_helpers import environment


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("datacheck ex", {"explain", "exec", "export"}),
        ("datacheck run --ex", {"--excerpts"}),
        ("datacheck export --to s", {"sarif"}),
        ("datacheck explain near", {"near_duplicates"}),
    ],
)
def test_what_a_shell_is_offered(typed, offered):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1), "_DATACHECK_COMPLETE": "complete_bash"}
    code = "import sys; sys.argv = ['datacheck']; from datacheck.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**environment(), **words}, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell):
    words = {"_DATACHECK_COMPLETE": f"source_{shell}", "PATH": os.environ["PATH"]}
    code = "import sys; sys.argv = ['datacheck']; from datacheck.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**environment(), **words}, capture_output=True, text=True, check=True
    )
    assert f"_DATACHECK_COMPLETE=complete_{shell}" in done.stdout
