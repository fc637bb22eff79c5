"""`exec`, `verify` and `require_passed`: what starts, with which exit code, and with how little installed."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from core_helpers import ROOT, environment
from gate_house import python_without_site, verdict_of

import datacheck
from datacheck.errors import FailedError, NotValidatedError, TamperedError, UnknownKeyError
from datacheck.files import versions
from datacheck.gate import guard, standing
from datacheck.gate.guard import PASSED
from datacheck.gate.verify import Standing

GATE = ROOT / "datacheck" / "gate"


def start(house, *args, module="datacheck", **kwargs):
    env = environment({"DATACHECK_TRUST": str(house.root / "trust.json"), **kwargs.pop("env", {})})
    args = [sys.executable, "-m", module, *map(str, args)]
    return subprocess.run(args, env=env, capture_output=True, text=True, check=False, timeout=60, **kwargs)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


# --- exec ---


@pytest.mark.parametrize("module", ["datacheck", "datacheck.cli.main", "datacheck.gate.guard"])
def test_the_exit_code_is_that_of_the_command(house, module):
    done = start(
        house, "exec", "--require-pass", house.good, "--", *python("import sys; print(sys.argv[1:]); sys.exit(42)"),
        "a b", "--", "--help", "", "*", module=module,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (42, "['a b', '--', '--help', '', '*']\n"), done.stderr
    assert "PASSED, 2 files" in done.stderr
    assert "replay not checked" in done.stderr


def test_an_empty_path_is_not_the_folder_that_one_is_in(house):
    """As `--require-pass "$DATA"` has it where the variable is not set; so for the trust file, and in Python."""
    command = ["--", *python("print('started')")]
    for words, code in ((["--require-pass", ""], 2), (["--require-pass", ".", "--trust", ""], 14)):
        done = start(house, "exec", *words, *command, cwd=house.good)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
    done = subprocess.run(
        python("import datacheck; datacheck.require_passed('')"), cwd=house.good, capture_output=True, text=True,
        env=environment({"DATACHECK_TRUST": str(house.root / "trust.json")}), check=False, timeout=60,
    )  # fmt: skip
    assert "it is empty (a variable that is not set?)" in done.stderr


def test_standard_input_and_output_are_those_of_the_command(house):
    done = start(house, "exec", "--require-pass", house.good, "--", "cat", input="你好\n")
    assert (done.returncode, done.stdout) == (0, "你好\n")


def test_nothing_starts_on_failed_data(house, tmp_path):
    mark = tmp_path / "started"
    for paths, code in (
        ([house.bad], 10),
        ([house.good, house.bad], 10),
        ([house.bad, house.good], 10),
        ([tmp_path / "nothing"], 2),
    ):
        required = [word for path in paths for word in ("--require-pass", path)]
        done = start(house, "exec", *required, "--", "touch", mark)
        assert done.returncode == code, done.stderr
        assert not mark.exists()
    assert start(house, "exec", "--require-pass", house.good, "--", "touch", mark).returncode == 0
    assert mark.exists()


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ([], 2, "--require-pass"),
        (["--"], 2, "--require-pass"),
        (["--", "true"], 2, "--require-pass"),
        (["--require-pass", "GOOD"], 2, "no command"),
        (["--require-pass", "GOOD", "--"], 2, "no command"),
        (["--require-pass", "GOOD", "true"], 2, "unrecognized"),
        (["--require", "GOOD", "--", "true"], 2, "--require-pass"),  # no abbreviations
        (["--require-pass", "GOOD", "--", "no-such-command-here"], 127, "No such file"),
        (["--require-pass", "GOOD", "--", "/etc/passwd"], 126, "Permission denied"),
        (["--require-pass", "GOOD", "--trust", "/nowhere/trust.json", "--", "true"], 14, "no trusted keys"),
        (["--help"], 0, ""),
    ],
)
def test_asked_wrongly(house, args, code, said):
    done = start(house, "exec", *(house.good if word == "GOOD" else word for word in args))
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def test_a_signal_to_the_launcher_is_one_to_the_command(house, tmp_path):
    """It is the same process, so torchrun sees SIGTERM itself, and whoever waits sees the signal."""
    ready = tmp_path / "ready"
    code = f"import os, time, pathlib; pathlib.Path({str(ready)!r}).write_text(str(os.getpid())); time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-m", "datacheck", "exec", "--require-pass", house.good, "--", *python(code)],
        env=environment({"DATACHECK_TRUST": str(house.root / "trust.json")}),
        stderr=subprocess.DEVNULL,
    )
    for _ in range(200):
        if ready.exists() and ready.read_text():
            break
        time.sleep(0.05)
    assert int(ready.read_text()) == process.pid
    process.terminate()
    assert process.wait(10) == -signal.SIGTERM
    shell = start(house, "exec", "--require-pass", house.good, "--", "sh", "-c", "kill -KILL $$")
    assert shell.returncode == -signal.SIGKILL


def test_the_launcher_verifies_whatever_the_environment_says(house):
    (house.good / "a.jsonl").write_text("{}")
    lie = {PASSED: json.dumps({str(house.good): verdict_of(house.good).version})}
    assert start(house, "exec", "--require-pass", house.good, "--", "true", env=lie).returncode == 12


def test_it_passes_on_what_it_verified(house):
    done = start(house, "exec", "--require-pass", house.good, "--require-pass", house.other, "--", "env")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(f"{PASSED}=")]
    ids = {str(path): versions.scan(path).id for path in (house.good, house.other)}
    assert json.loads(line.partition("=")[2]) == ids


def test_a_pointer_to_the_published_version_may_be_a_link(house, guarded):
    (house.root / "current").symlink_to("good")
    code, said = guarded(house.root / "current")
    assert code == 0
    assert f"{house.good}: PASSED" in said


def test_strict_refuses_warnings(house, guarded, tmp_path):
    from core_helpers import BAD, GOOD, contract
    from gate_house import drop, sign_run

    warns = [{"check": "role_errors", "limits": {"rate": {"max": 1, "warn_max": 0.1}}}]
    path = drop(tmp_path / "v", GOOD, BAD)
    sign_run(contract(tmp_path, warns), path, house.root / "validator.pem", tmp_path / "out")
    code, said = guarded(path)
    assert (code, "WARNED, 2 files" in said) == (0, True)
    code, said = guarded(path, "--strict")
    assert (code, "passed with warnings (train.role_errors)" in said) == (10, True)


def test_a_fault_of_ours_starts_nothing(house, capsys, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("secret words")

    monkeypatch.setattr(guard, "verify", broken)
    assert guard.main(["verify", str(house.good)]) == 3
    assert "secret" not in capsys.readouterr().err


def test_ctrl_c_has_the_exit_code_of_a_shell(house, monkeypatch):
    def interrupted(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(guard, "_run", interrupted)
    assert guard.main(["verify", str(house.good)]) == 130


# --- require_passed ---


def test_require_passed(house, capsys):
    found = datacheck.require_passed(house.good)
    assert (found.version, found.result, found.files) == (versions.scan(house.good).id, "PASSED", 2)
    assert "replay not checked" in capsys.readouterr().err
    for path, kind in ((house.bad, FailedError), (house.root / "checks", NotValidatedError)):
        with pytest.raises(kind):
            datacheck.require_passed(path)
    with pytest.raises(UnknownKeyError):
        datacheck.require_passed(house.good, trust=house.root / "none.json")
    with pytest.raises(UnknownKeyError):
        datacheck.require_passed(house.good, contract="0" * 64)


def test_require_passed_asks_the_ledger_in_reach(house, monkeypatch):
    monkeypatch.setattr(guard, "in_reach", lambda path, number, trust: Standing("ledger", (), revoked="recalled"))
    with pytest.raises(FailedError, match="recalled"):
        datacheck.require_passed(house.good)


def test_the_ledger_in_reach_is_the_one_around_the_version(house, monkeypatch):
    told = Standing("ledger", ())
    monkeypatch.setattr(standing, "standing", lambda path, number, trust: told if path == house.good else None)
    assert guard.in_reach(house.good, "sha256:0") is told


def test_a_report_that_is_asked_for_must_be_there(house, monkeypatch):
    monkeypatch.setenv("DATACHECK_TRUST", str(house.root / "trust.json"))
    assert guard.main(["verify", str(house.good)]) == 0
    assert guard.main(["verify", str(house.good), "--report", str(house.root / "none")]) == 2


@pytest.fixture
def started(monkeypatch):
    """What would have been started in place of this process."""
    commands = []
    monkeypatch.setattr(guard.os, "execvp", lambda _, command: commands.append(command))
    return commands


@pytest.mark.parametrize(
    "arguments",
    [
        (), ("start",), ("verify",), ("verify", "none"), ("verify", "good", "--stric"), ("exec", "--", "true"),
        ("exec", "--require-pass", "good"), ("exec", "--require", "good", "--", "true"),
    ],
)  # fmt: skip
def test_asked_wrongly_in_this_process(house, started, monkeypatch, arguments):
    monkeypatch.setenv("DATACHECK_TRUST", str(house.root / "trust.json"))
    monkeypatch.chdir(house.good.parent)
    try:
        code = guard.main(arguments)
    except SystemExit as end:  # of argparse
        code = end.code
    assert (code, started) == (2, [])


def test_a_refusal_says_so_by_its_exit_code_in_this_process(house, started, monkeypatch):
    monkeypatch.setenv("DATACHECK_TRUST", str(house.root / "trust.json"))
    good, bad = str(house.good), str(house.bad)
    assert guard.main(["verify", bad]) == 10
    assert guard.main(["verify", str(house.root / "checks")]) == 11
    assert guard.main(["verify", good, "--contract", "0" * 64]) == 14
    assert guard.main(["exec", "--require-pass", bad, "--", "true"]) == 10
    assert guard.main(["exec", "--require-pass", good, "--require-pass", bad, "--", "true"]) == 10
    assert started == []


@pytest.mark.parametrize(("trouble", "code"), [(FileNotFoundError, 127), (PermissionError, 126)])
def test_a_command_that_cannot_be_started_has_the_exit_code_of_a_shell(house, monkeypatch, trouble, code):
    def fails(*_):
        raise trouble(1, "no")

    monkeypatch.setenv("DATACHECK_TRUST", str(house.root / "trust.json"))
    monkeypatch.setattr(guard.os, "execvp", fails)
    with pytest.raises(SystemExit) as end:
        guard.main(["exec", "--require-pass", str(house.good), "--", "true"])
    assert end.value.code == code


def test_ranks_may_believe_their_launcher_and_need_not(house, monkeypatch):
    hashed = []
    scan = versions.scan
    monkeypatch.setattr(versions, "scan", lambda path: hashed.append(path) or scan(path))
    monkeypatch.setenv(PASSED, json.dumps({str(house.good): verdict_of(house.good).version}))
    datacheck.require_passed(house.good)
    assert hashed == [house.good]
    datacheck.require_passed(house.good, trust_launcher=True)
    assert hashed == [house.good]
    (house.good / "c.jsonl").write_text("{}")  # names are compared even so
    with pytest.raises(TamperedError, match=r"c\.jsonl: is not in _MANIFEST\.json"):
        datacheck.require_passed(house.good, trust_launcher=True)
    (house.good / "c.jsonl").unlink()
    for said in ("{", "[]", json.dumps({str(house.good): "sha256:" + "0" * 64}), json.dumps({"/other": "x"})):
        hashed.clear()
        monkeypatch.setenv(PASSED, said)
        datacheck.require_passed(house.good, trust_launcher=True)
        assert hashed == [house.good]
    with pytest.raises(FailedError):
        datacheck.require_passed(house.bad, trust_launcher=True)


def test_ranks_of_a_launcher(house):
    """What torchrun does: several processes that each ask again."""
    # One write for the line and its end: where Python does not buffer, three processes would mix them up.
    rank = (
        "import datacheck, os; "
        f"os.write(1, (datacheck.require_passed({str(house.good)!r}, trust_launcher=True).result + '\\n').encode())"
    )
    launcher = (
        "import subprocess, sys; "
        f"ranks = [subprocess.Popen([sys.executable, '-c', {rank!r}]) for _ in range(3)]; "
        "sys.exit(max(rank.wait() for rank in ranks))"
    )
    done = start(house, "exec", "--require-pass", house.good, "--", *python(launcher))
    assert (done.returncode, done.stdout) == (0, "PASSED\n" * 3), done.stderr
    changed = launcher.replace("import subprocess", f"open({str(house.good / 'c')!r}, 'w'); import subprocess")
    assert start(house, "exec", "--require-pass", house.good, "--", *python(changed)).returncode == 1


# --- how little it needs ---


def closure(start: Path) -> tuple[set[str], set[Path]]:
    """Foreign packages and own files that `start` imports, through all own files, also inside functions."""
    foreign, seen, waiting = set(), set(), [start]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                own = [ROOT / Path(*name.split(".")[:n]).with_suffix(".py") for n in range(1, name.count(".") + 2)]
                if name.split(".")[0] == "datacheck":
                    waiting += [file for file in own if file.is_file()]
                else:
                    foreign.add(name.split(".")[0])
    return foreign - set(sys.stdlib_module_names), seen


def test_the_guard_imports_the_standard_library_and_cryptography():
    foreign, files = closure(GATE / "guard.py")
    assert foreign == {"cryptography"}
    assert {path.name for path in files} >= {
        "guard.py",
        "verify.py",
        "versions.py",
        "dsse.py",
        "waivers.py",
        "decisions.py",
        "errors.py",
    }
    assert GATE / "sealing.py" not in files


def bare(house, tmp_path, *args):
    words = [*python_without_site(tmp_path / "bare"), *map(str, args)]
    env = {"PATH": os.environ["PATH"], "DATACHECK_TRUST": str(house.root / "trust.json")}
    return subprocess.run(words, env=env, cwd="/", capture_output=True, text=True, check=False, timeout=60)


def test_it_works_where_nothing_else_is_installed(house, tmp_path):
    """Isolated mode without site-packages: datacheck and cryptography on the path, no typer, pydantic or polars."""
    done = bare(house, tmp_path, "exec", "--require-pass", house.good, "--", "sh", "-c", "exit 7")
    assert done.returncode == 7, done.stderr


@pytest.mark.parametrize(("name", "code"), [("good", 0), ("bad", 10)])
def test_verify_works_there_too(house, tmp_path, name, code):
    assert bare(house, tmp_path, "verify", house.root / name).returncode == code


def test_other_commands_need_the_rest(house, tmp_path):
    """So that the tests above say something: here typer really is missing."""
    done = bare(house, tmp_path, "run", house.root / "contract.yaml")
    assert done.returncode != 0
    assert "No module named 'typer'" in done.stderr


def test_require_passed_works_there_too(house, tmp_path):
    interpreter = python_without_site(tmp_path / "bare")
    code = (
        "import sys; sys.path.append(sys.argv[1]); import datacheck; "
        "print(datacheck.require_passed(sys.argv[2]).result, sorted({'typer', 'pydantic', 'polars'} & set(sys.modules)))"
    )
    words = [*interpreter[: interpreter.index("-c")], "-c", code, str(tmp_path / "bare"), str(house.good)]
    env = {"DATACHECK_TRUST": str(house.root / "trust.json")}
    done = subprocess.run(words, env=env, cwd="/", capture_output=True, text=True, check=False)
    assert done.stdout == "PASSED []\n", done.stderr


def test_help_lists_the_gate_without_loading_it(command):
    code, out, _ = command("--help")
    assert code == 0
    for name in ("manifest", "keys", "waive", "verify", "exec"):
        assert f" {name} " in out
