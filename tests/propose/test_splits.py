"""Data that come in splits: what is trained on is compared with what is kept to measure with, and not thrown together."""

import json
from pathlib import Path

import polars as pl
import pytest

from datacheck.propose.contract import contract_for, places
from datacheck.propose.splits import DataSplit, splits_of
from datacheck.session.session import validate
from datacheck.testing import jsonl

ROWS = [
    {
        "messages": [
            {"role": "user", "content": f"第{n}题：一条长{n}米的绳子剪成{n % 7 + 2}段，每段多长？"},
            {"role": "assistant", "content": f"把{n}除以{n % 7 + 2}就是每段的长度。"},
        ]
    }
    for n in range(100, 160)
]


def folder_of(root: Path, *names: str) -> Path:
    for name in names:
        path = root / "set" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jsonl(ROWS[:3]))
    return root / "set"


@pytest.mark.parametrize(
    ("names", "globs"),
    [
        (["train.jsonl", "test.jsonl"], {"train": "train.*", "test": "test.*"}),
        (
            [
                "data/train-00000-of-00002.jsonl",
                "data/train-00001-of-00002.jsonl",
                "data/validation-00000-of-00001.jsonl",
            ],
            {"train": "**/train-*", "validation": "**/validation-*"},
        ),
        (["train/a.jsonl", "train/b.jsonl", "test/a.jsonl"], {"train": "train/**", "test": "test/**"}),
        (["gsm8k_train.jsonl", "gsm8k_dev.jsonl"], {"train": "**/*train.*", "validation": "**/*dev.*"}),
        (["train.jsonl", "valid.jsonl", "test.jsonl"], {"train": "train.*", "validation": "valid.*", "test": "test.*"}),
    ],
)
def test_the_splits_of_a_folder(tmp_path, names, globs):
    found = splits_of(folder_of(tmp_path, *names))
    assert {split.name: split.glob for split in found} == globs
    assert found[0].name == "train"


@pytest.mark.parametrize(
    "names",
    [
        ["train.jsonl", "more.jsonl", "test.jsonl"],  # one belongs to no split
        ["train-test.jsonl", "test.jsonl"],  # nobody knows of what it is
        ["train.jsonl", "train2.jsonl"],
        ["test.jsonl", "validation.jsonl"],  # nothing to train on
        ["contest.jsonl", "training_data.jsonl"],  # within a word
    ],
)
def test_what_is_not_clearly_made_of_splits_is_one_set(tmp_path, names):
    assert splits_of(folder_of(tmp_path, *names)) == ()


def test_the_lists_of_a_document_are_splits(tmp_path):
    (tmp_path / "all.json").write_text(json.dumps({"version": 1, "train": ROWS[:3], "test": ROWS[3:5]}))
    assert splits_of(tmp_path / "all.json") == (DataSplit("train", records="train"), DataSplit("test", records="test"))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("shape", ["shards", "document"])
def test_a_question_of_the_test_split_in_training_is_a_leak(tmp_path, shape):
    """As `datacheck DATA` judges it: a leak, and no copy to drop from one set."""
    train, test = ROWS[:40], ROWS[38:]
    path = tmp_path / ("set" if shape == "shards" else "all.json")
    if shape == "shards":
        path.mkdir()
        pl.DataFrame(train).write_parquet(path / "train-00000-of-00001.parquet")
        pl.DataFrame(test).write_parquet(path / "test-00000-of-00001.parquet")
    else:
        path.write_text(json.dumps({"train": train, "test": test}))
    contract = tmp_path / "contract.yaml"
    contract.write_text(contract_for(path), "utf-8")
    bound = {name: str(place) for name, place in places(path, None).items()}
    report = validate(contract, bound, out=tmp_path / "out")
    rows = {name: entry.rows for name, entry in report.datasets.items()}
    assert rows == {"train": 40, "test": 22}
    status = {finding.check: finding.status for finding in report.findings if finding.dataset == "train"}
    assert (status["leakage"], status["near_duplicates"], status["untidy_files"]) == ("fail", "pass", "pass")
    (leak,) = [finding for finding in report.findings if finding.check == "leakage"]
    assert {value.count for value in leak.values if value.name == "rate"} == {2}
    if shape == "shards":  # a name that is a run of digits is no telephone
        assert next(figure["first"] for figure in leak.figures.values() if "first" in figure) == [
            "train-00000-of-00001.parquet:39, train-00000-of-00001.parquet:40"
        ]
