"""`datacheck compile`: what it compiled is all that a large run needs."""

import pytest
from core_helpers import jsonl, spawn

CONTRACT = """
name: c
version: 1
datasets:
  train: {source: {}, checks: [near_duplicates, exact_duplicates, low_diversity, {check: leakage, against: eval}]}
  eval: {source: {}, checks: [unreadable_lines]}
"""


@pytest.mark.slow
def test_a_large_run_after_it_compiles_nothing(tmp_path):
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = spawn("compile", env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    compiled = set((tmp_path / "cache").rglob("*.nbc"))
    assert len(compiled) > 30
    words = [f"词{n}句 word{n * 7} ½" for n in range(997)]
    texts = ["，".join(words[(n * k) % 997] for k in range(3, 60)) for n in range(1, 22_000)]
    jsonl(tmp_path / "train.jsonl", *[{"question": text[:300], "answer": text[300:]} for text in texts])
    assert (tmp_path / "train.jsonl").stat().st_size > 17 << 20
    jsonl(tmp_path / "eval.jsonl", *[{"question": text[:100], "answer": "42"} for text in texts[:6_000:10]])
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    data = [x for name in ("train", "eval") for x in ("--data", f"{name}={tmp_path / name}.jsonl")]
    done = spawn("run", tmp_path / "c.yaml", *data, "--out", tmp_path / "out", "--quiet", env=env)
    assert done.returncode == 1, done.stderr
    assert set((tmp_path / "cache").rglob("*.nbc")) == compiled


def test_without_a_folder_of_ones_own_it_says_so(command, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    code, out, err = command("compile")
    assert (code, out) == (2, "")
    assert "XDG_CACHE_HOME" in err
