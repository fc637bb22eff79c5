"""A store in a bucket: seen whole or not at all by every machine, whatever the service does meanwhile."""

import gzip
import json
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest
from core_helpers import BAD, GOOD, contract, jsonl, report

from datacheck.engine import bucket, clusters, copies, ingest, node, objects
from datacheck.engine import run as engine
from datacheck.engine.bucket import InBucket
from datacheck.engine.sharing import SharedValue, Sharing
from datacheck.engine.store import BucketStore, read_json, scan, store_at
from datacheck.engine.store import content as content_of
from datacheck.engine.workers import Here
from datacheck.errors import LoadError, UsageError
from datacheck.files.versions import VERDICT, write_manifest
from datacheck.gate.keys import new_key

URL = "s3://team/datacheck"
SECRET = "AKIA-not-to-be-told"


class Shelf:
    """A bucket in a folder. What it is told to do wrong it does so often for each key."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.late = self.fails = self.cuts = 0
        self.done: list[tuple[str, str]] = []
        self._wrong: Counter[tuple[str, str]] = Counter()

    def _path(self, key):
        return self.folder / key.replace("/", "~")

    def _wrongly(self, what, key, times):
        self.done.append((what, key))
        self._wrong[what, key] += 1
        return self._wrong[what, key] <= times

    def get(self, key):
        self.done.append(("ask", key))
        found = self._path(key)
        if not found.exists() or self._wrongly("late", key, self.late):
            raise FileNotFoundError
        data = found.read_bytes()
        yield data[: len(data) // 2]
        if not self._wrongly("get", key, self.cuts):
            yield data[len(data) // 2 :]

    def put(self, key, file):
        if self._wrongly("put", key, self.fails):
            raise ConnectionError(f"https://team.example/?key={SECRET}")
        self._path(key).write_bytes(file.read_bytes())

    def create(self, key, content):
        if self._wrongly("create", key, self.fails):
            raise ConnectionError(f"https://team.example/?key={SECRET}")
        try:
            with self._path(key).open("xb") as made:
                made.write(content)
        except FileExistsError:
            return False
        return True

    def kinds(self, what):
        return {key.partition("/")[0] for did, key in self.done if did == what}


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """The one bucket there is; no wait is long, nothing is small, each test's machines have a disk of their own."""
    (tmp_path / "shelf").mkdir()
    (tmp_path / "disk").mkdir()
    found = Shelf(tmp_path / "shelf")
    monkeypatch.setattr(objects, "objects", lambda url: found)
    monkeypatch.setattr(bucket, "WAITS", (0.001,) * 4)
    monkeypatch.setattr(bucket, "SMALL", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "disk"))
    return found


def machine():
    """The store as a machine sees it that has no copies."""
    return BucketStore(InBucket(URL, copies.new_copies()))


@pytest.fixture
def stores(shelf):
    found = [machine(), machine()]
    yield found
    for each in found:
        each.forget()


TABLE = pl.DataFrame({"a": [1, 2, 3], "text": ["一", None, "c"]})


def test_what_one_machine_writes_another_one_finds(stores, tmp_path):
    one, two = stores
    for store in stores:
        assert not store.has(store.path("features", "x.parquet"))
    one.write_table(one.path("features", "x.parquet"), TABLE)
    one.write_json(one.path("chunks", "x.json"), {"n": 1})
    with one.folder(one.path("parts", "x")) as folder:
        one.write_table(folder / "rows.parquet", TABLE)
        (folder / "deep").mkdir()
        one.write_content(folder / "deep" / "b", b"more")
    assert all(two.has(two.path(*each)) for each in (("features", "x.parquet"), ("chunks", "x.json"), ("parts", "x")))
    assert two.has(two.path("parts", "x") / "rows.parquet")
    assert not two.has(two.path("parts", "x") / "turns.parquet")
    assert scan(two.path("features", "x.parquet")).collect().equals(TABLE)
    assert scan(two.path("parts", "x") / "rows.parquet").collect().equals(TABLE)
    assert content_of(two.path("parts", "x") / "deep" / "b") == b"more"
    assert read_json(two.path("chunks", "x.json")) == {"n": 1}
    of_bytes = sha256(one.path("features", "x.parquet").read_bytes()).hexdigest()
    assert one.digest(one.path("features", "x.parquet")) == two.digest(two.path("features", "x.parquet")) == of_bytes
    assert store_at(two.place).root == two.root


def test_only_what_is_asked_for_is_fetched(stores, shelf):
    one, two = stores
    with one.folder(one.path("parts", "x")) as folder:
        one.write_content(folder / "small", b"s")
        one.write_content(folder / "large", b"l" * 1000)
    shelf.done.clear()
    assert content_of(two.path("parts", "x") / "small") == b"s"
    assert content_of(two.path("parts", "x") / "small") == b"s"
    assert [key for did, key in shelf.done if did == "get"] == ["parts/x", f"files/{sha256(b's').hexdigest()}"]


def test_small_files_come_with_the_manifest(stores, shelf, monkeypatch):
    monkeypatch.setattr(bucket, "SMALL", 100)
    one, two = stores
    with one.folder(one.path("parts", "x")) as folder:
        for name, data in (("a", b"1"), ("b", b"l" * 1000), ("c", b"33\n3"), ("d", b"")):
            one.write_content(folder / name, data)
    shelf.done.clear()
    assert [content_of(two.path("parts", "x") / name) for name in "acd"] == [b"1", b"33\n3", b""]
    assert [key for did, key in shelf.done if did == "get"] == ["parts/x"]
    assert content_of(two.path("parts", "x") / "b") == b"l" * 1000


def test_a_manifest_that_is_cut_in_a_small_file_is_got_again(stores, shelf, monkeypatch):
    monkeypatch.setattr(bucket, "SMALL", 10_000)
    one, two = stores
    shelf.cuts = 1
    one.write_content(one.path("chunks", "x"), b"s" * 5000)
    assert content_of(two.path("chunks", "x")) == b"s" * 5000


def test_of_two_that_write_one_key_one_wins_and_both_have_it(stores):
    one, two = stores
    with one.folder(one.path("parts", "x")) as first, two.folder(two.path("parts", "x")) as second:
        one.write_content(first / "rows", b"of the one")
        two.write_content(second / "rows", b"of the other")
    assert content_of(one.path("parts", "x") / "rows") == content_of(two.path("parts", "x") / "rows") == b"of the other"
    for store, data in ((two, b"first"), (one, b"second")):
        store.write_content(store.path("features", "y"), data)
    assert content_of(one.path("features", "y")) == content_of(two.path("features", "y")) == b"first"


def test_many_writers_of_one_key_at_once(stores, shelf):
    targets = [store.path("summaries", "x.parquet") for store in stores]
    start = threading.Barrier(8)

    def write(number):
        start.wait()
        stores[number % 2].write_content(targets[number % 2], b"%d" % number)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one, two = (content_of(target) for target in targets)
    assert one == two


def write_and_hang(folder, disk, begun):
    shelf = Shelf(Path(folder))
    objects.objects = lambda url: shelf
    bucket.SMALL = 0
    tempfile.tempdir = disk

    def hang(key, content):
        begun.set()
        time.sleep(60)

    shelf.create = hang
    store = machine()
    store.write_content(store.path("features", "x"), b"whole")


def test_a_writer_that_is_killed_in_the_middle_of_a_put_leaves_no_entry(shelf, tmp_path):
    context = multiprocessing.get_context("spawn")
    begun = context.Event()
    process = context.Process(target=write_and_hang, args=(str(shelf.folder), str(tmp_path / "disk"), begun))
    process.start()
    assert begun.wait(60)
    home = tmp_path / "disk" / f"datacheck-{os.geteuid()}"
    (left,) = home.iterdir()
    store = machine()
    assert left in home.iterdir()  # it is in use
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert list(shelf.folder.iterdir())  # the file
    assert not store.has(store.path("features", "x"))
    store.write_content(store.path("features", "x"), b"whole")
    other = machine()
    assert content_of(other.path("features", "x")) == b"whole"
    assert left not in home.iterdir()  # swept away by who came next
    for each in (store, other):
        each.forget()
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("wrong", ["late", "fails", "cuts"])
def test_what_goes_wrong_twice_is_done_in_the_end(stores, shelf, wrong):
    one, two = stores
    setattr(shelf, wrong, 2)
    one.write_table(one.path("features", "x.parquet"), TABLE)
    assert scan(two.path("features", "x.parquet")).collect().equals(TABLE)


@pytest.mark.parametrize("wrong", ["late", "fails", "cuts"])
def test_what_goes_wrong_for_ever_is_an_error_that_tells_no_secret(stores, shelf, wrong):
    one, two = stores
    setattr(shelf, wrong, 99)
    with pytest.raises(LoadError, match="give another prefix" if wrong == "late" else "run again") as told:
        one.write_table(one.path("features", "x.parquet"), TABLE)
        scan(two.path("features", "x.parquet"))
    assert SECRET not in repr((told.value, told.value.message.params, told.value.__cause__))
    assert told.value.__suppress_context__
    for store in stores:
        assert (
            not [each for each in store.root.rglob("*") if each.is_file() and each.name != ".used"] or wrong != "fails"
        )
    assert not two.path("features", "x.parquet").exists()


def test_what_somebody_changed_is_not_read(stores, shelf):
    one, two = stores
    one.write_content(one.path("features", "x"), b"a" * 10)
    (file,) = (each for each in shelf.folder.iterdir() if each.name.startswith("files~"))
    file.write_bytes(b"b" * 10)
    with pytest.raises(LoadError, match="is not what was written; delete it"):
        content_of(two.path("features", "x"))
    (shelf.folder / "features~x").write_bytes(b"half a mani")
    with pytest.raises(LoadError, match="features/x is not what was written"):
        machine_has(two, "features", "x")


def machine_has(store, kind, key):
    store.bucket._must.cache_clear()
    return store.has(store.path(kind, key))


@pytest.mark.parametrize("name", ["../../../x", "/x", "a/../../../../x", None])
def test_a_manifest_that_leads_out_of_its_folder_is_none(stores, shelf, name, monkeypatch):
    monkeypatch.setattr(bucket, "SMALL", 100)
    _, two = stores
    data = b"evil"
    files = [[name, len(data), sha256(data).hexdigest(), True]] if name else [1]
    head = json.dumps(files).encode() + b"\n" + data
    (shelf.folder / "parts~x").write_bytes(sha256(head).hexdigest().encode() + b"\n" + head)
    with pytest.raises(LoadError, match="parts/x is not what was written"):
        content_of(two.path("parts", "x") / "rows.parquet")
    assert not list(Path(tempfile.gettempdir()).rglob("x"))


def test_what_would_be_unpickled_is_what_the_run_wrote(stores, shelf):
    one, two = stores
    shared = Sharing(one).share({"n": 1})
    assert SharedValue(two.place, shared.key).value() == {"n": 1}
    for file in shelf.folder.iterdir():
        file.unlink()
    three = machine()
    three.write_content(three.path("shared", shared.key), b"evil")
    with pytest.raises(LoadError, match="is not what was written"):
        SharedValue(machine().place, shared.key).once()


def test_how_a_worker_begins_is_what_the_run_wrote(stores, shelf, monkeypatch):
    """It is unpickled, and the user's checks are code: whoever else may write to the bucket shall not say what is run."""
    one, _ = stores
    where = clusters._written(one, threads=1, own=True)
    for file in shelf.folder.iterdir():
        file.unlink()
    path = where[1].relative_to(one.root)
    forger = machine()
    forger.write_content(forger.root / path, pickle.dumps(node.Setup("", None, "", None, 7, own=False)))
    victim = machine()
    monkeypatch.setattr(node, "prepare", lambda *_, **__: pytest.fail("it was believed"))
    with pytest.raises(LoadError, match="is not what was written"):
        node._made_ready((victim.place, victim.root / path))


def test_scratch_is_of_this_machine(stores, shelf):
    one, _ = stores
    before = len(shelf.done)
    with one.scratch() as folder:
        folder.mkdir(parents=True)
        one.write_table(folder / "x.parquet", TABLE)
        assert scan(folder / "x.parquet").collect().equals(TABLE)
        assert folder.is_relative_to(tempfile.gettempdir())
        assert not one.has(folder / "y.parquet")
    assert len(shelf.done) == before


def test_a_disk_that_others_may_write_to_is_refused(shelf, tmp_path):
    home = tmp_path / "disk" / f"datacheck-{os.geteuid()}"
    home.mkdir()
    home.chmod(0o777)
    with pytest.raises(UsageError, match="name another folder with TMPDIR"):
        machine()


# --- runs ---


@pytest.fixture
def rules(tmp_path, here):
    rows = [{**GOOD, "n": n} for n in range(5)]
    jsonl(tmp_path / "data" / "a.jsonl", *rows, BAD, b'{"cut')
    jsonl(tmp_path / "data" / "b.jsonl", *rows[:2])
    return contract(tmp_path, ["role_errors", "exact_duplicates", "near_duplicates"])


@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_compressed_file_is_refused_where_workers_are_of_several_machines(
    tmp_path, command, shelf, monkeypatch, elsewhere
):
    class Apart(Here):
        apart = True

    Apart.elsewhere = elsewhere
    monkeypatch.setattr(engine, "Workers", lambda *_, **__: Apart())
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl.gz").write_bytes(gzip.compress(json.dumps(GOOD).encode() + b"\n"))
    words = ("run", contract(tmp_path), "--out", tmp_path / "out", "--workers", "1", "--lang", "en")
    code, out, _ = command(*words, "--store", URL)
    assert code == (3 if elsewhere else 0)
    assert ("give it uncompressed" in out) == elsewhere
    assert command(*words, "--store", tmp_path / "kept")[0] == 0


@pytest.fixture
def work(monkeypatch):
    """What is done, by the names of the functions that do it."""
    done = []
    for module, name in (
        (ingest, "parse_pieces"),
        *((engine, n) for n in ("derive_part", "summarise", "group_part", "measure")),
    ):
        plain = getattr(module, name)
        monkeypatch.setattr(module, name, lambda task, plain=plain, name=name: (done.append(name), plain(task))[1])
    return done


def judged(command, rules, out, *more):
    code, _, said = command("run", rules, "--out", out, "--quiet", "--lang", "en", *more)
    evidence = {path.name: path.read_bytes() for path in sorted((out / "evidence").glob("*"))}
    quarantine = {path.name: path.read_bytes() for path in sorted((out / "quarantine").glob("*"))}
    return code, said, ((out / "report.json").read_bytes(), evidence, quarantine)


def test_another_machine_measures_nothing_again_and_reports_the_same(tmp_path, rules, command, shelf, work):
    plain = judged(command, rules, tmp_path / "plain")
    assert plain[0] == 3 or plain[2][1]
    work.clear()
    assert judged(command, rules, tmp_path / "folder", "--store", tmp_path / "kept") == plain
    first = judged(command, rules, tmp_path / "one", "--store", URL)
    assert first == plain
    assert {"parse_pieces", "derive_part", "group_part", "measure"} <= set(work)
    work.clear()
    shelf.done.clear()
    second = judged(command, rules, tmp_path / "two", "--store", URL)
    assert second == plain
    assert work == []
    assert shelf.kinds("put") == set()
    assert shelf.kinds("create") == {bucket.MARK}
    wanted = {json.dumps(name)[1:-1] for name in ("lines.parquet", "measured.json", "evidence.parquet", "dealt.json")}
    manifests = [(p.name, p.read_bytes().split(b"\n")[1]) for p in shelf.folder.iterdir() if "files~" not in p.name]
    names = {sha: name for _, head in manifests if head.startswith(b"[") for name, _, sha, _ in json.loads(head)}
    fetched = {names[key.partition("/")[2]] for did, key in shelf.done if did == "get" and key.startswith("files/")}
    assert fetched - {""} <= wanted  # no rows, no texts
    assert list((tmp_path / "disk").glob("*/*")) == []


@pytest.mark.parametrize("wrong", ["late", "fails", "cuts"])
def test_nothing_is_lost_where_each_thing_goes_wrong_twice(tmp_path, rules, command, shelf, wrong):
    plain = judged(command, rules, tmp_path / "plain")
    setattr(shelf, wrong, 2)
    assert judged(command, rules, tmp_path / "one", "--store", URL) == plain
    assert judged(command, rules, tmp_path / "two", "--store", URL) == plain


@pytest.mark.parametrize("wrong", ["fails", "cuts"])
def test_a_service_that_stops_answering_is_never_a_pass(tmp_path, command, shelf, here, wrong):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    rules = contract(tmp_path, ["role_errors"])
    assert command("run", rules, "--out", tmp_path / "out", "--quiet", "--store", URL)[0] == 0
    for left in shelf.folder.glob("measured~*") if wrong == "fails" else ():
        left.unlink()
    known = shelf.create
    if wrong == "fails":
        shelf.create = lambda key, content: known(key, content) if key == bucket.MARK else _refuse()
    shelf.cuts = 99 if wrong == "cuts" else 0
    code, out, said = command("run", rules, "--out", tmp_path / "out", "--store", URL, "--lang", "en", "--debug")
    assert code == 3
    assert report(tmp_path / "out")["verdict"] == "error"
    assert "run again" in out
    told = out + said + "".join(path.read_text("utf-8") for path in (tmp_path / "out").glob("*.*"))
    assert SECRET not in told


def _refuse():
    raise ConnectionError(f"https://team.example/?key={SECRET}")


def test_a_service_that_never_answers_is_an_error_before_anything_is_read(tmp_path, command, shelf, rules, work):
    shelf.fails = 99
    code, _, said = command("run", rules, "--out", tmp_path / "out", "--quiet", "--store", URL, "--lang", "en")
    assert (code, work) == (3, [])
    assert "see that the bucket answers" in said
    assert SECRET not in said
    shelf.create = lambda key, content: (_ for _ in ()).throw(PermissionError)
    code, _, said = command("run", rules, "--out", tmp_path / "out", "--quiet", "--store", URL, "--lang", "en")
    assert code == 2
    assert "credentials of the environment" in said
    assert not list((tmp_path / "disk").glob("*/*"))


@pytest.mark.parametrize(
    "url",
    [
        f"s3://me:{SECRET}@team/x",
        f"s3://team/x?key={SECRET}",
        f"oss://team/{'x'}",
        "s3://",
        "s3://team/../x",
        "s3://team/a b",
    ],
)
def test_a_url_that_cannot_be_a_store_is_refused_and_what_is_secret_not_repeated(
    tmp_path, command, rules, monkeypatch, url
):
    for more in (("--store", url), ()):
        monkeypatch.setenv("DATACHECK_STORE", url)
        code, out, said = command("run", rules, "--out", tmp_path / "out", "--lang", "en", *more)
        assert code == 2
        assert "s3://" in said
        assert SECRET not in out + said


def test_who_signs_asks_no_bucket(tmp_path, command, here, shelf, monkeypatch):
    """As with a folder (tests/gate/test_policy.py): who may write to the bucket could forge what is signed."""
    jsonl(tmp_path / "drop" / "a.jsonl", GOOD)
    write_manifest(tmp_path / "drop")
    new_key(tmp_path / "validator.pem")
    rules = contract(tmp_path, source={"path": "drop"})
    signed = ("run", rules, "--out", tmp_path / "out", "--sign", tmp_path / "validator.pem", "--lang", "en")
    code, _, said = command(*signed, "--store", URL)
    assert code == 2
    assert "measured here and now" in said
    monkeypatch.setenv("DATACHECK_STORE", URL)
    assert command(*signed)[0] == 0
    assert (tmp_path / "drop" / VERDICT).exists()
    assert shelf.done == []


def test_a_chunk_that_becomes_one_of_the_first_is_parsed_once_more_and_no_more(tmp_path, command, shelf, here, work):
    """Beside the first chunks there are canaries; what a bucket holds under a key is never another thing later."""
    for number in range(6):
        jsonl(tmp_path / "data" / f"{number}.jsonl", {**GOOD, "n": number})
    rules = contract(tmp_path, ["near_duplicates"])
    run = ("run", rules, "--out", tmp_path / "out", "--quiet", "--store", URL)
    assert command(*run)[0] in (0, 1)
    assert work.count("parse_pieces") == 6
    (tmp_path / "data" / "0.jsonl").unlink()
    again = []
    for _ in range(3):
        work.clear()
        assert command(*run)[0] in (0, 1)
        again.append(work.count("parse_pieces"))
    assert again == [1, 0, 0]
