"""A drop that lies in S3 (moto on loopback): judged as a copy of it is, and nothing of it lost or read twice."""

import json

import pytest
from core_helpers import ROOT, contract, report, spawn

from datacheck.errors import LoadError
from datacheck.files import remote
from datacheck.files.remote import localise

pytestmark = pytest.mark.slow
FILES = 5


@pytest.fixture
def store(monkeypatch):
    """A bucket with the sample drop in it, and an environment by which s3:// reaches it."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed (the extra `s3` is tested with it)")
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed (the extra `s3`)")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    system = s3fs.S3FileSystem(skip_instance_cache=True)
    system.mkdir("bucket")
    yield system
    system.rm("bucket", recursive=True)
    server.stop()


def test_a_drop_in_s3_has_the_report_of_its_copy(tmp_path, store):
    drop = ROOT / "sample_data" / "sft_bad"
    files = sorted(path for path in drop.rglob("*") if path.is_file())
    for path in files:
        store.pipe(f"bucket/drop/{path.relative_to(drop).as_posix()}", path.read_bytes())
    rules = contract(tmp_path, ["exact_duplicates", "role_errors"], source={})
    remote = ("--data", "train=s3://bucket/drop", "--allow-remote", "s3://bucket/")
    here = spawn("run", rules, "--data", f"train={drop}", "--out", tmp_path / "here", "--quiet")
    there = spawn("run", rules, *remote, "--out", tmp_path / "there", "--quiet")
    assert there.returncode == here.returncode, there.stderr
    one, other = (report(tmp_path / name)["datasets"]["train"]["files"] for name in ("here", "there"))
    assert one == other
    assert len(one) == len(files)
    assert report(tmp_path / "here")["findings"] == report(tmp_path / "there")["findings"]


def test_an_object_that_is_replaced_while_it_is_fetched_is_an_error(tmp_path, store, monkeypatch):
    line = json.dumps({"question": "1+1?", "answer": "2"}).encode() + b"\n"
    for number in range(FILES):
        store.pipe(f"bucket/drop/{number}.jsonl", line)
    source = remote._source("s3://bucket/drop")
    known = source.system.get_file

    def meddled(name, target):
        known(name, target)
        if name.endswith("3.jsonl"):
            store.pipe("bucket/drop/0.jsonl", line.replace(b"2", b"3"))

    found = localise({"train": "s3://bucket/drop"}, ("s3://bucket",), tmp_path / "first")
    assert len([*(tmp_path / "first").rglob("*.jsonl")]) == FILES
    assert found.paths["train"].startswith(str(tmp_path))
    monkeypatch.setattr(source.system, "get_file", meddled)
    with pytest.raises(LoadError, match="changed while it was fetched"):
        localise({"train": "s3://bucket/drop"}, ("s3://bucket",), tmp_path / "second")
