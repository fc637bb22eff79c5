"""Files that crash the library which reads them: no command dies of one, nothing is written, the file is named."""

import os
import struct
import time
from itertools import repeat
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from core_helpers import ROOT, contract, jsonl, report, spawn, spawn_all

from datacheck.engine import contain, processes
from datacheck.errors import LoadError

ROWS = [
    {"messages": [{"role": "user", "content": f"question {n}"}, {"role": "assistant", "content": f"answer {n}"}]}
    for n in range(6)
]

# Stands for whatever the next release of a library crashes on.
CRASHES = """
import os, signal, sys, time
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "pyarrow.parquet" and (word := open({flag!r}).read()):
            import resource
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.kill(os.getpid(), signal.SIGSEGV) if word == "--crash" else time.sleep(600)
sys.meta_path.insert(0, Finder())
"""


def damaged_stream(path, batch=1):
    """Two batches; in one of them an offset of the list leads far out of the file."""
    table = pa.Table.from_pylist(ROWS)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
        writer.write_table(table)
    data = bytearray(sink.getvalue().to_pybytes())
    offsets = struct.pack("<7i", *range(0, 14, 2))
    at = data.rfind(offsets) if batch else data.find(offsets)
    assert data.rfind(offsets) > data.find(offsets) > 0
    data[at : at + 4] = struct.pack("<i", 0x7FFFFF00)
    path.write_bytes(data)
    return path


@pytest.fixture
def preview_of(tokenizer_folder):
    return ["--run", f"tokenizer={tokenizer_folder}"]


@pytest.mark.slow
def test_a_damaged_stream_is_damaged_data_to_every_command(tmp_path, preview_of, command):
    path = damaged_stream(tmp_path / "data.arrow")
    jsonl(tmp_path / "other.jsonl", *ROWS)
    for words in (
        ["init", path, "--to", tmp_path / "made.yaml"],
        ["diff", tmp_path / "other.jsonl", path],
        ["diff", path, tmp_path / "other.jsonl"],
        ["preview", path, *preview_of],
    ):
        code, _, said = command(*words)
        assert (code, "Traceback" in said) == (0, False), (words, said)
    rules = contract(tmp_path, source={"path": "data.arrow"})
    code, _, said = command("run", rules, "--out", tmp_path / "out", "--quiet")
    assert code == 1, said
    assert {f["id"]: f["status"] for f in report(tmp_path / "out")["findings"]}["train.unreadable_lines"] == "fail"
    assert report(tmp_path / "out")["datasets"]["train"]["rows"] == 6
    code, _, said = command("sample", tmp_path / "out", "--data", f"train={path}", "--out", tmp_path / "sheet.csv")
    assert code == 0, said
    code, _, said = command(
        "apply", tmp_path / "out", "--data", f"train={path}", "--out", tmp_path / "applied", "--quiet"
    )
    assert code == 0, said


def test_what_nobody_may_read_is_not_tried_either(tmp_path, command):
    jsonl(tmp_path / "data" / "b.jsonl", *ROWS)
    damaged_stream(tmp_path / "data" / "a.arrow", batch=0)
    code, _, said = command("init", tmp_path / "data", "--to", tmp_path / "made.yaml")
    assert (code, f"({len(ROWS)} rows)" in said) == (0, True), said  # not the rows that its offsets make up


@pytest.fixture
def hostile(tmp_path, preview_of):
    """A file that its reader does not survive where a flag says so, a finished run on it, and who reads it."""
    path = tmp_path / "data" / "part-0.parquet"
    path.parent.mkdir()
    ok = {"id": "a", "messages": ROWS[0]["messages"]}
    bad = {"id": "b", "messages": [{"role": "user", "content": "write to 13812345678"}] * 2}
    pq.write_table(pa.Table.from_pylist([ok, bad]), path)
    rules = contract(tmp_path, ["role_errors", "pii"])
    flag, site = tmp_path / "flag", tmp_path / "site"
    flag.write_text("")
    site.mkdir()
    (site / "sitecustomize.py").write_text(CRASHES.format(flag=str(flag)))
    env = {"PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
    assert spawn("run", rules, "--out", tmp_path / "out", "--quiet", env=env).returncode == 1
    data = ["--data", f"train={path.parent}"]
    commands = [
        ["init", path.parent, "--to", tmp_path / "made.yaml"],
        ["selftest", path.parent, "--contract", rules],
        ["diff", path, path, "--out", tmp_path / "diff"],
        ["preview", path, *preview_of],
        ["sample", tmp_path / "out", *data, "--out", tmp_path / "sheet.csv"],
        ["apply", tmp_path / "out", *data, "--out", tmp_path / "applied"],
        ["apply", tmp_path / "out", *data, "--out", tmp_path / "applied", "--redact", "--contract", rules],
    ]
    return SimpleNamespace(path=path, flag=flag, env=env, commands=commands)


@pytest.mark.slow
def test_a_file_that_is_never_read_to_its_end_is_named_within_the_limit(tmp_path, hostile, command, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", hostile.env["PYTHONPATH"])
    monkeypatch.setattr(processes, "_LONGEST", 2)
    monkeypatch.setattr(contain, "_idle", [])  # those of other tests have loaded what this one breaks
    before = sorted(tmp_path.rglob("*"))
    hostile.flag.write_text("--sleep")
    for words in hostile.commands:
        start = time.monotonic()
        code, _, said = command(*words)
        assert (code, time.monotonic() - start < 30) == (3, True), (words, said)
        assert "part-0.parquet: reading it took longer than 2 s and was ended" in said, words
    assert sorted(tmp_path.rglob("*")) == before


def test_what_takes_too_long_in_a_child_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_LONGEST", 1)
    endless = contain.contained(tmp_path / "a.parquet", filter, None, repeat(0, 10**9))  # Python gets no word in
    with pytest.raises(LoadError, match="reading it took longer than 1 s"):
        next(endless)
    assert list(contain.contained(tmp_path / "a.parquet", map, abs, [-1])) == [1]  # the next one has its own child


@pytest.mark.slow
def test_a_file_that_kills_its_reader_is_named_and_nothing_is_written(tmp_path, hostile):
    path, flag, env, commands = hostile.path, hostile.flag, hostile.env, hostile.commands
    before = sorted(tmp_path.rglob("*"))
    flag.write_text("--crash")
    ended, beside = spawn_all(commands, env)
    assert (len(ended), b"Traceback" in beside) == (len(commands), False), beside
    for words, (code, said) in zip(commands, ended, strict=True):
        assert code == 3, (words, code, said)
        assert "part-0.parquet: the process that read it was killed (SIGSEGV" in said, words
        assert "Traceback" not in said
    assert sorted(tmp_path.rglob("*")) == before
    zh = spawn("init", path.parent, env={**env, "LC_ALL": "zh_CN.UTF-8"})
    assert (zh.returncode, "读取它的进程被终止" in zh.stderr.decode()) == (3, True)  # a process for it alone
    flag.write_text("")
    assert spawn("init", path.parent, env=env).returncode == 0
