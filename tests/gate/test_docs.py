"""docs/gate.md is run, not believed."""

import re
import subprocess
import sys

import pytest
import yaml
from core_helpers import GOOD, ROOT, contract, environment, jsonl

from datacheck import errors
from datacheck.gate.trust import today
from datacheck.session.decided import read_written

TEXT = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def shell(block: str, folder) -> subprocess.CompletedProcess:
    """Run the lines after `$ `, `datacheck` being this one."""
    lines = [line.removeprefix("$ ") for line in block.splitlines()]
    script = f'set -e\ndatacheck() {{ "{sys.executable}" -m datacheck "$@"; }}\n' + "\n".join(lines)
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment({"LANG": "C.UTF-8"}),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_first_five_minutes(tmp_path):
    jsonl(tmp_path / "drop" / "train.jsonl", GOOD)
    contract(tmp_path)
    done = shell(blocks("console")[0], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["training starts", "refused, exit code 12"]
    assert "drop/train.jsonl: was changed after it was validated" in done.stderr
    assert "PASSED, 1 file" in done.stderr


def test_the_configurations_are_yaml_and_say_exec():
    configurations = [block for block in blocks("yaml") if not block.startswith("# decisions.yaml")]
    assert all(isinstance(yaml.safe_load(block), dict) for block in configurations)
    assert all("datacheck exec" in block for block in configurations)


def test_the_file_of_decisions_can_be_signed(tmp_path, house):
    (block,) = [block for block in blocks("yaml") if block.startswith("# decisions.yaml")]
    decisions = yaml.safe_load(block)["decisions"]
    kinds = [({"suppress", "allow", "waive"} & entry.keys()).pop() for entry in decisions]
    assert kinds == ["suppress", "allow", "waive"]
    shown = [{**entry, "until": str(today())} for entry in decisions[:2]]  # there is no such version to waive
    (tmp_path / "d.yaml").write_text(yaml.safe_dump({"decisions": shown}), encoding="utf-8")
    assert [each.kind for each in read_written(tmp_path / "d.yaml", house.trust).decisions] == kinds[:2]


@pytest.mark.slow
def test_the_options_that_are_shown_exist():
    """Every `datacheck NAME --option` of the page is in that command's help."""
    shown = re.findall(r"datacheck (exec|verify|run|waive|manifest|keys \w+)(.*)", TEXT.replace("\\\n", " "))
    used = {(name, option) for name, rest in shown for option in re.findall(r" (--[a-z-]+)", rest.split(" -- ")[0])}
    assert len(used) >= 10
    for name in {name for name, _ in used}:
        said = subprocess.run(
            [sys.executable, "-m", "datacheck", *name.split(), "--help"],
            env=environment({"COLUMNS": "200"}),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for option in [option for of, option in used if of == name]:
            assert option in said, (name, option)


def test_the_exit_codes_are_those_of_the_exceptions():
    rows = dict(re.findall(r"^\| (1\d) \| (.+) \|$", TEXT, re.MULTILINE))
    kinds = errors.RefusedError.__subclasses__()
    assert {str(kind.exit_code) for kind in kinds} == set(rows)
