"""Remote drops: refused unless allowed; what is fetched is judged and deleted. `memory://` stands in for a store."""

import json
import os
from types import SimpleNamespace

import fsspec
import pytest

from datacheck.errors import LoadError, UsageError
from datacheck.files import remote
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


class Meddled:
    """A store of objects in which something happens while they are fetched."""

    def __init__(self, system, *, fetch=None, forgotten=()):
        self.system, self.fetch, self.forgotten = system, fetch, set(forgotten)

    def invalidate_cache(self):
        pass

    def find(self, root, *, detail):
        found = self.system.find(root, detail=detail)
        found = {name: info for name, info in found.items() if name not in self.forgotten}
        self.forgotten.clear()
        return found

    def get_file(self, name, target):
        self.system.get_file(name, target)
        if self.fetch:
            self.fetch(name, target)


def _cut(_name, target):
    os.truncate(target, 10)


def _replace(name, _target):
    fsspec.filesystem("memory").pipe(name, b"{}\n")


def _swap(name, _target):
    """Other bytes of the same number."""
    system = fsspec.filesystem("memory")
    system.pipe(name, system.cat(name)[::-1])


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ({"fetch": _cut}, "another size than is listed"),
        ({"fetch": _replace}, "changed while it was fetched"),
        ({"fetch": _swap}, "changed while it was fetched"),
        ({"forgotten": ["/bucket/drop/b.jsonl"]}, "changed while it was fetched"),
    ],
    ids=["cut", "replaced", "swapped", "lagging"],
)
def test_a_reader_that_is_cut_an_object_that_changes_and_a_listing_that_lags_are_errors(
    tmp_path, monkeypatch, drop, how, word
):
    system, root = fsspec.core.url_to_fs(drop)
    monkeypatch.setattr(remote, "_source", lambda _: remote._Source(Meddled(system, **how), root))
    with pytest.raises(LoadError, match=word):
        run(tmp_path, drop, ("memory://bucket/",))
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]


@pytest.mark.parametrize(("scheme", "extra"), remote.EXTRAS.items())
def test_a_transport_that_is_not_installed_is_named_with_its_extra(tmp_path, monkeypatch, scheme, extra):
    def missing(_):
        raise ImportError(f"Install something to access {scheme}")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    with pytest.raises(UsageError) as told:
        localise({"train": f"{scheme}://bucket/drop"}, (f"{scheme}://bucket",), tmp_path)
    assert f'pip install "datacheck-llm[{extra}]"' in told.value.message.said("en")
    assert "此处未安装" in told.value.message.said("zh")


def test_a_branch_of_the_hub_is_pinned_and_the_report_says_to_what(tmp_path, here, drop, monkeypatch):
    commit = "0123456789abcdef0123456789abcdef01234567"
    memory = fsspec.filesystem("memory")
    memory.pipe(f"/datasets/o/d@{commit}/data/a.jsonl", (json.dumps(CHAT) + "\n").encode())

    class Hub(Meddled):
        endpoint = token = None

        def resolve_path(self, root):
            assert root == "datasets/o/d/data"
            return SimpleNamespace(repo_id="o/d", repo_type="dataset", revision="main", path_in_repo="data")

        def find(self, root, *, detail):
            return {name[1:]: info for name, info in super().find(root, detail=detail).items()}

    asked = []
    api = SimpleNamespace(repo_info=lambda repo, **how: asked.append((repo, how)) or SimpleNamespace(sha=commit))
    monkeypatch.setattr("huggingface_hub.HfApi", lambda **_: api)
    monkeypatch.setattr(fsspec.core, "url_to_fs", lambda url: (Hub(memory), url.partition("://")[2]))
    fetched = localise({"train": "hf://datasets/o/d/data"}, ("hf://datasets/o/d",), tmp_path)
    assert asked == [("o/d", {"repo_type": "dataset", "revision": "main"})]
    assert [commit in str(note) for note in fetched.notes] == [True]
    report = run(tmp_path, "hf://datasets/o/d/data", ("hf://datasets/o/d",))
    assert (report.verdict, [commit in str(note) for note in report.not_checked]) == ("pass", [True])
    memory.rm("/datasets", recursive=True)
