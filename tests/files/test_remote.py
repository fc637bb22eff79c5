"""Remote drops: refused unless allowed; what is fetched is judged and deleted. `memory://` stands in for a store."""

import json

import fsspec
import pytest

from datacheck.errors import LoadError, UsageError
from datacheck.files.remote import localise
from datacheck.session.session import Options, Session

CHAT = {"messages": [{"role": "user", "content": "你好，在吗"}, {"role": "assistant", "content": "在的，请讲。"}]}


@pytest.fixture
def drop():
    system = fsspec.filesystem("memory")
    system.pipe({f"/bucket/drop/{n}.jsonl": (json.dumps(CHAT) + "\n").encode() for n in "ab"})
    yield "memory://bucket/drop"
    system.rm("/bucket", recursive=True)


def contract(folder):
    (folder / "c.yaml").write_text("name: c\ndatasets:\n  train: {source: {}, checks: [role_errors]}\n")
    return folder / "c.yaml"


def run(folder, data, allowed):
    options = Options(out=folder / "out", allow_remote=allowed)
    with Session(contract(folder), {"train": data}, options) as session:
        session.run()
        return session.finish()


@pytest.mark.parametrize("end", ["", "/", "/a.jsonl"])
def test_an_allowed_drop_is_judged_and_its_copy_deleted(tmp_path, here, drop, end):
    report = run(tmp_path, drop + end, ("memory://bucket/",))
    assert (report.verdict, report.datasets["train"].rows) == ("pass", 1 if "a" in end else 2)
    assert report.datasets["train"].files[0].path == "a.jsonl"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.yaml", "out"]
    assert not (tmp_path / "out" / ".remote").exists()


@pytest.mark.parametrize("allowed", [(), ("memory://bucke",), ("memory://other/",), ("memory://bucket/drop/x",), ("",)])
def test_what_is_not_allowed_is_refused(tmp_path, drop, allowed):
    with pytest.raises(UsageError, match="allow it with --allow-remote"):
        run(tmp_path, drop, allowed)
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]


def test_dots_do_not_lead_out_of_the_prefix(tmp_path):
    with pytest.raises(UsageError):
        localise({"train": "memory://bucket/drop/../other"}, ("memory://bucket/drop",), tmp_path)


def test_what_is_not_there_is_a_load_error_or_names_no_files(tmp_path):
    with pytest.raises((LoadError, UsageError)):
        localise({"train": "memory://bucket/nothing"}, ("memory://bucket",), tmp_path)


def test_a_contract_never_reaches_out(tmp_path):
    (tmp_path / "c.yaml").write_text("name: c\ndatasets:\n  train: {source: 's3://bucket/x', checks: [role_errors]}\n")
    with pytest.raises(UsageError, match="no such file or folder"):
        Session(tmp_path / "c.yaml", {}, Options(out=tmp_path / "out", allow_remote=("s3://bucket/",)))
