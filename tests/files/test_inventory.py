"""Which files are read, and that none is passed over without a word."""

import json
import os
import re
import time

import pytest
from core_helpers import GOOD, contract, jsonl, report
from hypothesis import given
from hypothesis import strategies as st

from datacheck.contract.load import load_contract
from datacheck.errors import LoadError, UsageError
from datacheck.files import inventory as module
from datacheck.files.inventory import glob_matches, inventory
from datacheck.files.shown_names import distinct, shown_name


def listed(path):
    files = inventory(load_contract(path))["train"]
    return [entry.name for entry in files.read], list(map(str, files.passed_over))


def test_data_files_in_name_order_and_the_rest_named(tmp_path):
    data = tmp_path / "data"
    for name in (
        "b.jsonl",
        "a/c.JSONL.gz",
        "a.parquet",
        "x.csv",
        "README.md",
        ".hidden.jsonl",
        "_SUCCESS",
        "__pycache__/x.json",
        ".git/a.json",
    ):
        jsonl(data / name, GOOD)
    (tmp_path / "outside.jsonl").write_text("{}")
    (data / "out.md").symlink_to(tmp_path / "outside.jsonl")
    (data / "in.jsonl").symlink_to(data / "b.jsonl")
    (data / "folder").symlink_to(data / "a")
    (data / "broken").symlink_to(data / "nothing")
    read, passed = listed(contract(tmp_path))
    assert read == ["a.parquet", "a/c.JSONL.gz", "b.jsonl", "in.jsonl", "x.csv"]
    assert passed == [
        ".git/ (hidden)",
        ".hidden.jsonl (hidden)",
        "README.md (no data file by its name)",
        "_SUCCESS (hidden)",
        "__pycache__/ (hidden)",
        "broken (not a regular file)",
        "folder/ (a link to a folder)",
        "out.md (a link out of the folder)",
    ]


@pytest.mark.parametrize("what", ["b.jsonl", "dangling.jsonl", "pipe.jsonl", "more"])
@pytest.mark.usefixtures("here")
def test_a_folder_of_which_some_cannot_be_read_is_not_judged(tmp_path, what):
    """A trainer that is given the folder follows links: what would not be judged must not pass with the rest."""
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    jsonl(data / "a.jsonl", GOOD)
    jsonl(elsewhere / "b.jsonl", GOOD)
    (data / "README.md").symlink_to(elsewhere / "b.jsonl")  # no data by its name
    if what == "pipe.jsonl":
        os.mkfifo(data / what)
    else:
        (data / what).symlink_to(elsewhere if what == "more" else elsewhere / what)
    with pytest.raises(LoadError, match=rf"some of it cannot be read: {what}"):
        listed(contract(tmp_path))
    assert listed(contract(tmp_path, source={"path": "data", "glob": "a*"}))[0] == ["a.jsonl"]


@pytest.mark.usefixtures("here")
def test_objects_about_the_data_are_no_rows(tmp_path):
    """As `datasets` has them in any folder; a list of records, or a file that is named, is data by any name."""
    data = tmp_path / "data"
    jsonl(data / "a.jsonl", GOOD)
    (data / "dataset_info.json").write_text('{"alpaca": {"file_name": "a.jsonl"}}')
    (data / "dataset_infos.json").write_text(json.dumps([GOOD]))
    read, passed = listed(contract(tmp_path))
    assert read == ["a.jsonl", "dataset_infos.json"]
    assert passed == ["dataset_info.json (by its name about the data: `datasets` passes over it, too)"]
    assert listed(contract(tmp_path, source={"path": "data/dataset_info.json"}))[0] == ["dataset_info.json"]


def test_what_was_passed_over_stands_in_the_report(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    jsonl(tmp_path / "data" / "notes.md", GOOD)
    command("run", contract(tmp_path), "--out", tmp_path / "out")
    assert report(tmp_path / "out")["not_checked"] == ["train: not read: notes.md (no data file by its name)"]


def test_a_glob_chooses(tmp_path):
    for name in ("a.jsonl", "a.txt", "deep/b.jsonl", "deep/er/c.jsonl", ".h.jsonl"):
        jsonl(tmp_path / "data" / name, GOOD)
    read, passed = listed(contract(tmp_path, source={"path": "data", "glob": "deep/**/*.jsonl"}))
    assert read == ["deep/b.jsonl", "deep/er/c.jsonl"]
    assert len(passed) == 3


@given(st.text("ab/*?.", max_size=8), st.text("ab/.", max_size=10))
def test_globs_match_what_a_backtracking_translation_matches(glob, name):
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    pattern = "".join(wild.get(piece, re.escape(piece)) for piece in pieces)
    assert glob_matches(glob, name) == (re.fullmatch(pattern, name) is not None)


def test_a_hostile_glob_takes_no_time():
    start = time.process_time()
    assert not glob_matches("*a" * 60 + "b", "a" * 250)
    assert time.process_time() - start < 2


def test_a_single_file_and_nothing_at_all(tmp_path):
    jsonl(tmp_path / "data" / "one.txt", GOOD)
    assert listed(contract(tmp_path, source={"path": "data/one.txt"})) == (["one.txt"], [])
    with pytest.raises(UsageError, match="--data train=PATH"):
        listed(contract(tmp_path, source={"path": "nowhere"}))


def test_too_many_files_are_an_error_and_many_others_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_FILES", 3)
    monkeypatch.setattr(module, "MAX_PASSED_OVER", 2)
    for number in range(3):
        jsonl(tmp_path / "data" / f"{number}.jsonl", GOOD)
    for number in range(4):
        jsonl(tmp_path / "data" / f"{number}.md", GOOD)
    assert listed(contract(tmp_path))[1] == [
        "0.md (no data file by its name)", "1.md (no data file by its name)", "2 more files (not named here)",
    ]  # fmt: skip
    jsonl(tmp_path / "data" / "3.jsonl", GOOD)
    with pytest.raises(UsageError, match="more than 3 files"):
        listed(contract(tmp_path))


def test_a_folder_that_cannot_be_listed_is_not_forgotten(tmp_path, monkeypatch):
    """As root no folder is unreadable, so the operating system's answer is played."""
    jsonl(tmp_path / "data" / "locked" / "a.jsonl", GOOD)
    real = module.os.walk

    def walk(root, **options):
        options["onerror"](PermissionError(13, "Permission denied", str(root / "locked")))
        return real(root, **options)

    monkeypatch.setattr(module.os, "walk", walk)
    with pytest.raises(LoadError, match="locked: the folder cannot be listed"):
        listed(contract(tmp_path))


@pytest.mark.parametrize(
    "name",
    [
        "20261120/part-00001.jsonl", "2026-11-20T10:30:00.jsonl", "data-00000-of-00512.parquet", "1732100000123.jsonl",
        "v1.2.3.4.jsonl", "对话_2026年11月.jsonl", "sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.jsonl",
    ],
)  # fmt: skip
def test_ordinary_names_stay_readable(name):
    assert shown_name(name) == name


def test_identifiers_in_names_are_masked_and_names_stay_apart():
    assert shown_name("张三_13987654321.jsonl") == "张三_139****4321.jsonl"
    assert shown_name("13987654321-20261120.jsonl") == "139****4321-20261120.jsonl"
    assert "zhangsan" not in shown_name("by/zhangsan@qq.com.jsonl.gz")
    assert shown_name("by/zhangsan@qq.com.jsonl.gz").endswith(".jsonl.gz")
    assert "zhangsan@qq" not in shown_name("to/zhangsan@qq.com/a.jsonl")
    assert shown_name("a\x1b[2J\u202e.jsonl").isprintable()
    assert shown_name("a\udcff.jsonl").isprintable()
    assert shown_name("13987654321.13987654322.jsonl") == "139****4321.139****4322.jsonl"
    assert distinct(["a", "a", "a~2", "a"]) == ["a", "a~2", "a~2~2", "a~3"]
