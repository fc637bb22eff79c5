"""docs/adding.md does what it says: its files, in a copy of the tree, are found, run, and keep the common promises."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding.md").read_text("utf-8")
FILES = dict(re.findall(r"^`([\w/]+\.py)`\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
WORDS = dict(re.findall(r"^`([\w/]+\.po)`\n\n```po\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def run(*arguments, cwd, **environment):
    env = {**os.environ, "PYTHONPATH": str(cwd), **environment}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the tree with the files of the page, as somebody makes them who follows it."""
    root = tmp_path_factory.mktemp("tree")
    for name in ("datacheck", "tests", "docs", "contracts", "flows"):
        shutil.copytree(ROOT / name, root / name)  # with what is compiled already, which many processes then spare
    shutil.copy(ROOT / "pyproject.toml", root)
    for name, text in FILES.items():
        assert not (root / name).exists()
        (root / name).write_text(text, "utf-8")
    for name, entries in WORDS.items():
        (root / name).write_text(f"{(root / name).read_text('utf-8')}\n{entries}", "utf-8")
    return root


def test_the_page_has_a_file_and_a_test_of_each_kind():
    folders = {str(Path(name).parent) for name in FILES}
    assert folders == {
        "datacheck/checks", "datacheck/loading/formats", "datacheck/trainers", "datacheck/pii/recognizers",
        "datacheck/report/faces", "tests/checks", "tests/loading", "tests/trainers", "tests/pii", "tests/report",
    }  # fmt: skip


@pytest.mark.slow
def test_its_tests_pass_and_the_check_keeps_what_every_check_promises(tree):
    own = [name for name in FILES if name.startswith("tests/")]
    common = ["tests/end_to_end/test_every_check.py", "tests/i18n/test_messages.py"]
    chosen = "shouted_answers or a_catalogue_is or not (test_every_check or test_messages)"
    run("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *own, *common, "-k", chosen, cwd=tree)


@pytest.mark.slow
def test_what_was_added_is_found_by_the_commands(tree):
    assert "shouted_answers" in run("-m", "datacheck", "checks", cwd=tree)
    assert "Share of rows with an answer in capitals" in run("-m", "datacheck", "explain", "shouted_answers", cwd=tree)
    names = run("-c", "from datacheck.trainers import trainer_names; print(trainer_names())", cwd=tree)
    assert "tiny_tuner.sft" in names
    run("docs/generate.py", cwd=tree)
    schema = json.loads((tree / "contracts" / "contract.schema.json").read_text("utf-8"))
    assert "call_centre" in schema["$defs"]["Source"]["properties"]["format"]["enum"]
    assert "tiny_tuner" in (tree / "docs" / "trainers.md").read_text("utf-8")
    assert (tree / "docs" / "checks" / "shouted_answers.md").is_file()


@pytest.mark.slow
def test_the_same_files_serve_as_a_plug_in(tmp_path):
    """A distribution is what importlib.metadata finds on the path: no installation is needed to try one."""
    package, info = tmp_path / "my_checks", tmp_path / "my_checks-1.2.dist-info"
    package.mkdir()
    info.mkdir()
    points = []
    groups = {"checks": "checks", "loading/formats": "formats", "trainers": "trainers", "pii/recognizers": "pii"}
    groups["report/faces"] = "faces"
    for folder, group in groups.items():
        (name,) = (name for name in FILES if str(Path(name).parent) == f"datacheck/{folder}")
        (package / Path(name).name).write_text(FILES[name], "utf-8")
        points += [f"[datacheck.{group}]", f"{Path(name).stem} = my_checks.{Path(name).stem}"]
    (package / "__init__.py").write_text("")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-checks\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("\n".join(points))
    (tmp_path / "d.jsonl").write_text(
        '{"call": [{"speaker": "agent", "said": "PLEASE READ THE MANUAL, DNI 54362315K"}],"resolved":1}\n'
    )
    (tmp_path / "c.yaml").write_text(
        "name: c\nrun: {trainer: tiny_tuner.sft}\ndatasets:\n  train:\n    source: {path: d.jsonl, format: call_centre}\n"
        "    checks: [shouted_answers, {check: pii}, {check: trainer_drops}]\n"
    )
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-m", "datacheck", "run", "c.yaml", "--out", "out"]
    for _ in range(2):  # the second replaces what the first has written, the plug-in's face too
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stdout + done.stderr
    assert "not ok 1 - train.shouted_answers fail" in (tmp_path / "out" / "report.tap").read_text("utf-8")
    for said in ("train.shouted_answers", "call_centre 1", "valid (es_dni)", "no_text", "report.tap"):
        assert said in done.stdout
