import pytest

from datacheck.report import places
from datacheck.verdict.model import Place


@pytest.mark.parametrize(
    ("said", "files", "file", "line"),
    [
        ("train/a.jsonl:17", ["a.jsonl"], "a.jsonl", 17),
        ("train/a.jsonl", ["a.jsonl"], "a.jsonl", None),
        ("train/a.json:1:118", ["a.json"], "a.json", 1),
        ("train/run:3:17", ["run:3"], "run:3", 17),  # a name that ends like a line
        ("train/run:3", ["run:3"], "run:3", None),
        ("train/part/a:b.jsonl:2", [], "part/a:b.jsonl", 2),
    ],
)
def test_a_place_comes_apart_into_file_and_line(said, files, file, line):
    assert places.at("train", Place(at=said, problem="x"), files) == (file, line)


def test_a_place_that_is_the_dataset_names_no_file():
    assert places.at("train", Place(at="train", problem="x")) is None


@pytest.mark.parametrize(
    ("root", "file", "files", "path"),
    [
        ("drops/today", "a.jsonl", ["a.jsonl"], "drops/today/a.jsonl"),
        ("./drops/a.jsonl", "a.jsonl", ["a.jsonl"], "drops/a.jsonl"),
        ("drops/a.jsonl", "a.jsonl", ["a.jsonl", "b.jsonl"], "drops/a.jsonl/a.jsonl"),  # a folder that is called so
        ("../data/", "x/a.jsonl", ["x/a.jsonl"], "../data/x/a.jsonl"),
        ("s3://bucket/data", "a.jsonl", ["a.jsonl"], "s3://bucket/data/a.jsonl"),
        ("/else/where", "a.jsonl", ["a.jsonl"], "/else/where/a.jsonl"),
        ("drops/today", None, [], "drops/today"),
    ],
)
def test_a_file_has_the_path_that_was_typed(root, file, files, path):
    assert places.path(root, file, files) == path


def test_an_absolute_path_below_this_folder_becomes_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert places.path(str(tmp_path / "drops"), "a.jsonl", ["a.jsonl"]) == "drops/a.jsonl"
