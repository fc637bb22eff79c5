"""A store in S3 itself, through obstore (moto on loopback)."""

import http.client
import tempfile
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import polars as pl
import pytest
from core_helpers import BAD, GOOD, contract, jsonl, spawn

from datacheck.engine import copies
from datacheck.engine.bucket import InBucket
from datacheck.engine.objects import objects
from datacheck.engine.store import BucketStore, scan

pytestmark = pytest.mark.slow


@pytest.fixture
def environment():
    """A service with a bucket, and the variables by which it is reached."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed (the extra `bucket` is tested with it)")
    pytest.importorskip("obstore", reason="obstore is not installed (the extra `bucket`)")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/team", method="PUT"))
    keys = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "testing")
    yield {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_DEFAULT_REGION": "us-east-1", **keys}
    server.stop()


def test_the_service_does_what_is_asked_of_it(tmp_path, environment, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = objects("s3://team/datacheck/store")
    assert found.create("parts/x", b"of one")
    assert not found.create("parts/x", b"of another")
    assert b"".join(found.get("parts/x")) == b"of one"
    large = bytes(range(256)) * 50_000  # in several parts
    (tmp_path / "large").write_bytes(large)
    for _ in range(2):
        found.put("files/large", tmp_path / "large")
    assert b"".join(found.get("files/large")) == large
    with pytest.raises(FileNotFoundError):
        list(found.get("parts/y"))
    with pytest.raises(FileNotFoundError):
        objects("s3://nobody/x").create("parts/x", b"")


def test_machines_that_share_nothing_else_report_the_same(tmp_path, environment, command, here):
    jsonl(tmp_path / "drop" / "a.jsonl", *({**GOOD, "n": n} for n in range(5)), BAD)
    rules = contract(tmp_path, ["exact_duplicates", "role_errors"], source={"path": "drop"})

    def judged(name):
        out = tmp_path / name / "out"
        evidence = {path.name: pl.read_parquet(path).rows() for path in sorted((out / "evidence").iterdir())}
        return (out / "report.json").read_bytes(), evidence

    assert command("run", rules, "--out", tmp_path / "alone" / "out", "--quiet")[0] == 1
    for name in ("one", "two"):
        (home := tmp_path / name / "disk").mkdir(parents=True)
        own = {**environment, "HOME": str(home), "TMPDIR": str(home)}
        more = ("--quiet", "--workers", "1", "--store", "s3://team/datacheck")
        done = spawn("run", rules, "--out", tmp_path / name / "out", *more, env=own)
        assert done.returncode == 1, done.stderr
        assert list(home.glob("*/*")) == []
        assert judged(name) == judged("alone")
    assert not [path for path in tmp_path.rglob("*.parquet") if "evidence" not in path.parts]


class Troubled(BaseHTTPRequestHandler):
    """In front of the service: the first two puts are refused, the first two objects that are got come cut."""

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind, left = self.command, self.server.left
        if kind == "PUT" and left[kind]:
            left[kind] -= 1
            self.send_response(503)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        there = http.client.HTTPConnection(self.server.behind.removeprefix("http://"))
        there.request(kind, self.path, body or None, dict(self.headers.items()))
        found = there.getresponse()
        code, headers, content = found.status, found.headers, found.read()
        there.close()
        self.send_response(code)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "server", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        cut = kind == "GET" and code < 300 and len(content) > 1 and left[kind]
        left[kind] -= bool(cut)
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = True

    def log_message(self, *_):
        pass


for kind in ("GET", "PUT", "POST", "HEAD", "DELETE"):
    setattr(Troubled, f"do_{kind}", Troubled.answer)


def test_puts_that_fail_twice_and_objects_that_come_cut_twice_lose_nothing(tmp_path, environment, monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), Troubled) as server:
        server.behind, server.left = environment["AWS_ENDPOINT_URL"], {"PUT": 2, "GET": 2}
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        table = pl.DataFrame({"row": range(50_000)})
        stores = []
        for name in ("one", "two"):
            (home := tmp_path / name).mkdir(mode=0o700)
            monkeypatch.setattr(tempfile, "tempdir", str(home))
            stores.append(BucketStore(InBucket("s3://team/faults", copies.new_copies())))
        one, two = stores
        one.write_table(one.path("features", "x.parquet"), table)
        assert scan(two.path("features", "x.parquet")).collect().equals(table)
        assert server.left == {"PUT": 0, "GET": 0}
        for each in stores:
            each.forget()
        server.shutdown()
