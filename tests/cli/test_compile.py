"""Code that was compiled before, by a build or by `datacheck compile`, is all that a large run needs."""

import pytest
from core_helpers import jsonl, spawn

from datacheck.text.compiled import built

CONTRACT = """
name: c
version: 1
datasets:
  train: {source: {}, checks: [near_duplicates, exact_duplicates, low_diversity, {check: leakage, against: eval}]}
  eval: {source: {}, checks: [unreadable_lines]}
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Arguments of a run that is large enough for every kernel."""
    folder = tmp_path_factory.mktemp("large")
    words = [f"词{n}句 word{n * 7} ½" for n in range(997)]
    texts = ["，".join(words[(n * k) % 997] for k in range(3, 60)) for n in range(1, 22_000)]
    jsonl(folder / "train.jsonl", *[{"question": text[:300], "answer": text[300:]} for text in texts])
    assert (folder / "train.jsonl").stat().st_size > 17 << 20
    jsonl(folder / "eval.jsonl", *[{"question": text[:100], "answer": "42"} for text in texts[:6_000:10]])
    (folder / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    data = [x for name in ("train", "eval") for x in ("--data", f"{name}={folder / name}.jsonl")]
    return ["run", folder / "c.yaml", *data, "--quiet"]


def _code(folder):
    return {file.name for file in folder.rglob("*.nbc")}


@pytest.mark.slow
def test_a_large_run_after_it_compiles_nothing(large, tmp_path):
    env = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = spawn("compile", env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    compiled = _code(tmp_path / "cache")
    assert len(compiled) > 30
    done = spawn(*large, "--out", tmp_path / "out", env=env)
    assert done.returncode == 1, done.stderr
    assert _code(tmp_path / "cache") == compiled


@pytest.mark.slow
def test_what_comes_with_the_package_is_all_that_a_large_run_needs(large, tmp_path):
    done = spawn(*large, "--out", tmp_path / "out", env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 1, done.stderr
    assert _code(tmp_path / "cache") == _code(built())
    assert _code(built())


def test_without_a_folder_of_ones_own_it_says_so(command, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    code, out, err = command("compile")
    assert (code, out) == (2, "")
    assert "XDG_CACHE_HOME" in err
