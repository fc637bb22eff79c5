"""Contracts: every mistake at once, each with its place and a hint; nothing that a contract says reaches out."""

import textwrap

import polars as pl
import pytest
from core_helpers import contract

from datacheck.check import Limit
from datacheck.contract.load import load_contract
from datacheck.errors import ContractError, UsageError


def write(folder, text, name="c.yaml"):
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def problems(path, data=None) -> list[str]:
    with pytest.raises(ContractError) as caught:
        load_contract(path, data)
    return [str(problem).removeprefix(f"{path.parent}/") for problem in caught.value.problems]


def only(folder, checks: str, source="{path: data}", more="") -> list[str]:
    """The problems of a contract whose dataset `train` has this list of checks (from line 5)."""
    body = textwrap.indent(textwrap.dedent(checks).strip("\n"), "      ")
    path = folder / "c.yaml"
    path.write_text(
        f"name: t\ndatasets:\n  train:\n    source: {source}\n    checks:\n{body}\n{more}", encoding="utf-8"
    )
    return problems(path)


def test_all_mistakes_are_told_at_once(tmp_path):
    path = write(
        tmp_path,
        """\
        name: sft
        datasets:
          train:
            source: {path: data, formt: messages}
            checks:
              - {check: role_errors, severty: warn}
              - check: near_duplicate
              - {check: empty_turns, limits: {rat: {max: 0.1}}}
              - {check: leakage, against: [evl]}
          eval:
            source: {path: ../eval.jsonl}
            checks:
              - {check: role_errors, by: source}
        """,
    )
    assert problems(path) == [
        "c.yaml:4: datasets.train.source.formt: unknown setting; did you mean 'format'?",
        "c.yaml:6: datasets.train.checks.0.severty: unknown setting; did you mean 'severity'?",
        "c.yaml:7: datasets.train.checks.1.check: unknown check; did you mean 'near_duplicates'?",
        "c.yaml:8: datasets.train.checks.2.limits.rat: unknown metric; did you mean 'rate'?",
        "c.yaml:9: datasets.train.checks.3: 'evl': unknown dataset; did you mean 'eval'?",
        (
            "c.yaml:11: datasets.eval.source.path: outside the contract's folder; "
            "name it on the command line: --data eval=PATH"
        ),
        "c.yaml:13: datasets.eval.checks.0.by: 'source' is not a label of this dataset; name one under source.columns",
    ]


def test_the_command_prints_them_and_says_2(tmp_path, command):
    path = contract(tmp_path, [{"check": "role_errors", "severty": "warn"}, "role_errrs"])
    code, out, err = command("run", path, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 2
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("checks", "line", "words"),
    [
        ("- {check: role_errors, limits: {rate: {max: 0.1, warn_max: 0.2}}}", 6, "warn_max"),
        ("- {check: role_errors, limits: {rate: {max: null}}}", 6, "no limit, so it could never fail"),
        ("- {check: role_errors, limits: {rate: {max: nan}}}", 6, "finite"),
        ("- {check: role_errors, limits: {rate: {max: inf}}}", 6, "finite"),
        ("- {check: role_errors, limits: {rate: {maxx: 1}}}", 6, "did you mean 'max'?"),
        ("- role_errors\n- role_errors", 5, "two checks are called 'role_errors'"),
        ("- {check: role_errors, id: same}\n- {check: empty_turns, id: same}", 5, "two checks are called 'same'"),
        ("- {check: role_errors, id: ../../escape}", 6, "expected letters"),
        ("- 7", 6, "expected the name of a check"),
        ("- {id: x}", 6, "expected the name of a check"),
        ("- {check: [role_errors]}", 6, "expected the name of a check"),
        ("- {check: role_errors, severity: fatal}", 6, "'fail', 'warn'"),
        ("- {check: near_duplicates, threshold: 7}", 6, "1 at most"),
        ("- {check: os.system}", 6, "unknown check"),
        ("- {check: ../datacheck/cli}", 6, "unknown check"),
    ],
)
def test_a_mistake_is_named_where_it_stands(tmp_path, checks, line, words):
    found = only(tmp_path, checks)
    assert len(found) == 1, found
    assert found[0].startswith(f"c.yaml:{line}: datasets.train.checks")
    assert words in found[0]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{path: /etc}", "outside"),
        ("{path: ../x}", "outside"),
        ("{path: link}", "outside"),
        ('{path: "a\\0b"}', "outside"),
        ('{path: "\\uD800"}', "outside"),
        ("{path: loop/x}", "outside"),
        ("{}", "--data train=PATH"),
        ("{path: data, encoding: klingon}", "unknown encoding"),
        ("{path: data, sha256: abc}", "sha256"),
        ("{path: 7}", "string"),
        ("[data]", "expected a map"),
    ],
)
def test_a_source_stays_in_its_folder(tmp_path, source, words):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    found = only(folder, "- role_errors", source=source)
    assert len(found) == 1, found
    assert words in found[0]


@pytest.mark.parametrize("name", ["../x", "a/b", "a.b", "", "~", "a" * 200, "电" * 50, "x\\u202ey", "-\\e[2J"])
def test_hostile_dataset_names_are_refused_and_shown_harmless(tmp_path, name):
    path = write(tmp_path, f'name: t\ndatasets:\n  "{name}":\n    source: data\n    checks: [role_errors]\n')
    (found,) = problems(path)
    assert "expected a name" in found
    assert found.isprintable()


def test_names_in_chinese_are_welcome(tmp_path):
    path = write(tmp_path, "name: 契约\ndatasets:\n  训练集:\n    source: data\n    checks: [role_errors]\n")
    assert list(load_contract(path).datasets) == ["训练集"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a map"),
        ("7", "expected a map"),
        ("name: t\n", "required and missing"),
        ("name: t\ndatasets: {}\n", "no datasets"),
        ("name: t\ndatasets: {train: {source: data, checks: []}}\n", "no checks"),
        ("name: t\ndatasets: {train: {source: data}}\n", "no checks"),
        ("name: t\ndatasets: {train: 7}\n", "expected a map"),
        ("name: t\ndatasets: [train]\n", "expected a map (key: value)"),
        (
            "name: t/../x\ndatasets: {train: {source: data, checks: [role_errors]}}\n",
            "expected letters, digits, _ - . (at most 80)",
        ),
        (
            "name: t\ndataset: {}\ndatasets: {train: {source: data, checks: [role_errors]}}\n",
            "did you mean 'datasets'?",
        ),
    ],
)
def test_the_header(tmp_path, text, words):
    found = problems(write(tmp_path, text))
    assert any(words in problem for problem in found), found


def test_a_contract_that_is_not_there(tmp_path):
    assert "cannot be read: No such file" in problems(tmp_path / "none.yaml")[0]
    assert "this is data" in problems(tmp_path)[0]


@pytest.mark.parametrize("pattern", ["(?=x)y", "(?<!a)b", r"(a)\\1", "(", "a{99999}{99999}", "x" * 2000])
def test_patterns_that_are_not_linear_are_refused(tmp_path, pattern):
    more = f'    schema:\n      uid: {{pattern: "{pattern}"}}\n'
    found = only(tmp_path, "- role_errors", more=more)
    assert any("schema.uid.pattern" in problem for problem in found), found


def test_limits_are_merged_bound_by_bound_and_null_removes_one(tmp_path):
    path = contract(
        tmp_path,
        [{"check": "too_few_rows", "by": "source",
          "limits": {"rows": {"min": 100, "slices": {"forum": {"min": 5}, "shop": {"min": None, "max": 9}}}}}],
        source={"path": "data", "columns": {"source": "src"}},
    )  # fmt: skip
    check = load_contract(path).datasets["train"].checks[0]
    default = type(check).metrics["rows"].limit
    assert check.limit("rows").bounds == {**default.bounds, "min": 100}
    assert check.limit("rows", "forum").min == 5
    assert check.limit("rows", "shop").bounds == {"max": 9}
    assert check.limit("rows", "elsewhere").min == 100


def test_over_is_what_the_rules_say():
    base = Limit(min=1, max=9, warn_max=5)
    assert Limit(max=7).over(base) == Limit(min=1, max=7, warn_max=5)
    assert Limit(max=None, warn_max=3).over(base) == Limit(min=1, warn_max=3)
    assert Limit().over(base) == base


def test_extends_one_level_with_lines_of_both_files(tmp_path):
    write(
        tmp_path,
        """\
        name: base
        datasets:
          train:
            source: {path: data, encodig: utf-8}
            checks:
              - {check: role_errors, limits: {rate: {max: 0.5}}}
              - empty_turns
        """,
        "base.yaml",
    )
    child = "name: own\nextends: base.yaml\ndatasets:\n  train:\n    checks:\n      - {check: role_errors, severity: warn}\n"
    path = write(tmp_path, child)
    assert problems(path) == ["base.yaml:4: datasets.train.source.encodig: unknown setting; did you mean 'encoding'?"]
    base = tmp_path / "base.yaml"
    base.write_text(base.read_text().replace(", encodig: utf-8", ""))
    merged = load_contract(path)
    assert merged.name == "own"
    roles = merged.datasets["train"].checks[0]
    assert (roles.severity, roles.limit("rate").max) == ("warn", 0.5)
    assert "empty_turns" in [check.check for check in merged.datasets["train"].checks]
    assert set(merged.inputs) == {"c.yaml", "base.yaml"}


@pytest.mark.parametrize("extends", ["../base.yaml", "/etc/passwd", "a\\0b", "none.yaml", "c.yaml"])
def test_extends_stays_in_the_folder_and_at_one_level(tmp_path, extends):
    folder = tmp_path / "own"
    folder.mkdir()
    write(tmp_path, "name: base\n", "base.yaml")
    assert problems(write(folder, f'name: t\nextends: "{extends}"\ndatasets: {{}}\n'))


def test_data_rebinds_a_path_and_unknown_names_are_told(tmp_path):
    path = contract(tmp_path)
    elsewhere = tmp_path.parent
    assert load_contract(path, {"train": str(elsewhere)}).datasets["train"].path == elsewhere
    with pytest.raises(UsageError, match="did you mean 'train'"):
        load_contract(path, {"trian": "x"})


@pytest.mark.parametrize("bound", ["train", "train=", "=x", ""])
def test_data_needs_a_name_and_a_path(tmp_path, command, bound):
    code, _, err = command("run", contract(tmp_path), "--data", bound)
    assert code == 2
    assert "expected NAME=PATH" in err


def test_frames_are_scanned_only_after_the_contract_is_good(tmp_path, command, monkeypatch):
    monkeypatch.setattr(pl, "scan_parquet", lambda *_, **__: pytest.fail("data was touched"))
    assert command("run", contract(tmp_path, ["nothing_like_it"]), "--out", tmp_path / "out")[0] == 2
