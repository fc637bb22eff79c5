"""Every block of docs/recipes.md runs on a report; tools that are not installed here are stand-ins that remember."""

import ast
import json
import re
import subprocess
import sys
import types
from importlib.util import find_spec

import pytest
from core_helpers import ROOT, contract, spawn

PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^## ([^\n]+)\n.*?```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
FIRST = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]


class Heard:
    """Whatever is asked of it, with whatever, is remembered and gives another one."""

    def __init__(self, calls, name=""):
        self.calls, self.name = calls, name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Heard(self.calls, f"{self.name}.{name}".strip("."))

    def __call__(self, *args, **kwargs):
        self.calls.append((self.name, args, kwargs))
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __rshift__(self, other):
        self.calls.append((">>", (self.name, other.name), {}))
        return other


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    judged = contract(folder, ["unreadable_lines", "role_errors"])
    done = spawn("run", judged, "--data", f"train={ROOT}/sample_data/sft_bad", "--out", folder / "out", "--quiet")
    assert done.returncode == 1, done.stderr
    return folder


@pytest.fixture
def calls(monkeypatch):
    """What the tools of the page were asked: each module that a block imports, and is no module of Python's own."""
    made = []
    for _, code in BLOCKS:
        for node in ast.walk(ast.parse(code)):
            named = [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in getattr(node, "names", ())]
            for name in named if isinstance(node, ast.Import | ast.ImportFrom) else ():
                if name.partition(".")[0] in sys.stdlib_module_names:
                    continue
                parts = name.split(".")
                for end in range(1, len(parts) + 1):
                    at = ".".join(parts[:end])
                    module = types.ModuleType(at)
                    module.__getattr__ = lambda asked, at=at: Heard(made, asked)
                    module.__path__ = []
                    monkeypatch.setitem(sys.modules, at, module)
    return made


@pytest.mark.parametrize("title", [title for title, _ in BLOCKS])
def test_a_block_runs_and_tells_what_the_report_says(report, calls, monkeypatch, title):
    monkeypatch.chdir(report)
    names = {}
    exec(compile(FIRST, "first", "exec"), names)
    asked = []
    monkeypatch.setattr(
        subprocess, "run", lambda words, **_: asked.append(words) or types.SimpleNamespace(returncode=1)
    )
    exec(compile(dict(BLOCKS)[title], title, "exec"), names)
    if "keeps_its_contract" in names:
        names["keeps_its_contract"]()
    told = {name: (args, kwargs) for name, args, kwargs in calls}
    findings = json.loads((report / "out" / "report.json").read_bytes())["findings"]
    assert len(names["metrics"]) > len(findings) / 2
    if title == "MLflow":
        assert told["log_metrics"][0][0]["datacheck/train.unreadable_lines/rate"] == pytest.approx(5 / 78)
        assert "train.unreadable_lines" in told["set_tags"][0][0]["datacheck.failed"]
    elif title == "Weights & Biases":
        assert len(told["Table"][1]["data"]) == len(findings)
    elif title == "OpenLineage":
        assert sum(name == "data_quality_assertions_dataset.Assertion" for name, *_ in calls) == len(findings)
    elif title == "Airflow":
        assert (">>", ("BashOperator", "BashOperator"), {}) in calls
    else:
        assert told["AssetCheckResult"][1]["passed"] is False
        assert asked[0][:2] == ["datacheck", "run"]


def test_commands_of_the_page_are_commands():
    """The words behind `datacheck run` are options that there are."""
    known = spawn("run", "--help").stdout.decode()
    for option in set(re.findall(r"datacheck[\", ]+run.*?(--\w+)", PAGE)):
        assert option in known
    assert find_spec("datacheck") is not None
