"""Folders of datasets.save_to_disk: rows and shards that are promised and not there are named."""

import json

import pyarrow as pa
import pytest

from datacheck.session.session import validate

CHATS = [
    {
        "messages": [
            {"role": "user", "content": f"第{n}个问题是什么"},
            {"role": "assistant", "content": f"这是回答{n * 7}"},
        ]
    }
    for n in range(40)
]


@pytest.fixture
def saved(tmp_path, here):
    """A DatasetDict as datasets 5 writes it: two shards of train, a split of its own for each folder."""
    folder = tmp_path / "set" / "train"
    folder.mkdir(parents=True)
    for shard in range(2):
        table = pa.Table.from_pylist(CHATS[shard * 20 : shard * 20 + 20])
        with pa.ipc.new_stream(folder / f"data-0000{shard}-of-00002.arrow", table.schema) as stream:
            stream.write_table(table, max_chunksize=5)
    names = [{"filename": f"data-0000{n}-of-00002.arrow"} for n in range(2)]
    (folder / "state.json").write_text(json.dumps({"_data_files": names, "_split": "train"}))
    (folder / "dataset_info.json").write_text(json.dumps({"splits": {"train": {"name": "train", "num_examples": 40}}}))
    (tmp_path / "set" / "dataset_dict.json").write_text('{"splits": ["train"]}')
    (tmp_path / "c.yaml").write_text("name: c\ndatasets:\n  train: {source: set, checks: [role_errors]}\n")
    return tmp_path


def audit(folder):
    report = validate(folder / "c.yaml", out=folder / "out")
    (found,) = [f for f in report.findings if f.check == "unreadable_lines"]
    return report, found


def test_a_whole_folder_passes_and_its_metadata_are_no_rows(saved):
    report, found = audit(saved)
    assert (report.verdict, report.datasets["train"].rows, found.status) == ("pass", 40, "pass")
    assert sum("metadata of a saved dataset" in str(note) for note in report.not_checked) == 3


def test_a_missing_shard_is_named(saved):
    (saved / "set/train/data-00001-of-00002.arrow").unlink()
    report, found = audit(saved)
    assert report.verdict == "fail"
    assert found.evidence.problems == {"rows_missing": 2}
    assert [str(place.detail) for place in found.evidence.first] == [
        "a shard is not there: data-*****-of-*****.arrow",
        "20 rows, dataset_info.json says 40",
    ]


@pytest.mark.parametrize("cut", ["end marker", "last batch"])
def test_a_cut_stream_is_named(saved, cut):
    path = saved / "set/train/data-00000-of-00002.arrow"
    data = path.read_bytes()
    if cut == "end marker":
        path.write_bytes(data[:-8])
    else:  # at a batch boundary, with a proper end: reads without error everywhere
        table = pa.Table.from_pylist(CHATS[:15])
        with pa.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, max_chunksize=5)
    report, found = audit(saved)
    assert report.verdict == "fail"
    assert found.evidence.lines >= 1


def test_metadata_that_are_none_promise_nothing(saved):
    (saved / "set/train/dataset_info.json").write_text("[[[")
    assert audit(saved)[0].verdict == "pass"
