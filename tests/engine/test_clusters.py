"""What a cluster is asked for, with processes of this machine in its place: what is sent, who dies, what is missing."""

import json
import os
import pickle
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import SimpleNamespace

import polars as pl
import pytest
from core_helpers import GOOD, contract, jsonl, statuses, user_check

from datacheck.check import Group
from datacheck.contract.load import load_contract
from datacheck.engine import clusters, node, run
from datacheck.engine.clusters import ClusterWorkers, LostError
from datacheck.engine.execute import GroupTask, group_part
from datacheck.engine.ingest import ChunkOfFile, ParseTask, parse_pieces
from datacheck.engine.pieces import CutTask, cut_files
from datacheck.engine.plan import make_plan
from datacheck.engine.processes import ChildContext
from datacheck.engine.run import Engine
from datacheck.engine.sharing import Sharing
from datacheck.engine.store import Store
from datacheck.engine.view import Loaded, Part
from datacheck.engine.workers import Here
from datacheck.features.text_key import TextKey
from datacheck.files.inventory import inventory
from datacheck.loading.reader import Chunk
from datacheck.loading.reading import Reading
from datacheck.session.session import Options, Session


class Spawned(ClusterWorkers):
    """A cluster of processes of this machine, which know of a run what is in the store and in a task."""

    def __init__(self, store, count=2, *, limit=0.0):
        super().__init__(store, count, limit=limit, own=True)
        self.sent = []
        self._pools = []
        self._start()

    def _start(self):
        self._pools.append(ProcessPoolExecutor(self.count, mp_context=ChildContext()))

    def _ask(self, task, *, alone, mark):
        self.sent.append((len(task), alone))
        try:
            return self._pools[-1].submit(node.do, self._setup, task, alone=alone, mark=mark)
        except BrokenProcessPool:
            self._start()
            return self._pools[-1].submit(node.do, self._setup, task, alone=alone, mark=mark)

    def _answer(self, asked):
        try:
            return asked.result()
        except BrokenProcessPool:
            raise LostError from None

    def _end(self, asked):
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)


@pytest.fixture
def spawned(monkeypatch):
    """`--engine ray` is `Spawned`; gives those that were made."""
    made = []

    def start(engine, store, workers, *, limit):
        made.append(Spawned(store, limit=limit))
        return made[-1]

    monkeypatch.setattr(clusters, "cluster", start)
    return made


def report_of(path, checks, out, engine):
    with Session(path, {}, Options(out=out, checks=checks, engine=engine, workers=2)) as session:
        session.run()
        session.finish()
    return (out / "report.json").read_bytes()


def once(flag, how, task):
    """End this process the first time that the flag is not there."""
    if not flag.exists():
        flag.touch()
        how()
    return task


def always_dies(task):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_report_of_a_cluster_is_that_of_this_machine(tmp_path, spawned):
    jsonl(tmp_path / "data" / "a.jsonl", *[GOOD] * 3, b"{broken", {**GOOD, "source": "x" * 500})
    user_check(tmp_path / "checks", "counts", "return Measured((Value('number', total(data.rows)),))")
    path = contract(tmp_path, ["counts", "exact_duplicates"])
    there = report_of(path, tmp_path / "checks", tmp_path / "there", "ray")
    assert there == report_of(path, tmp_path / "checks", tmp_path / "here", "local")
    assert statuses(tmp_path / "there")["train.counts"] == "pass"
    (cluster,) = spawned
    assert max(size for size, _ in cluster.sent) <= 1024


@pytest.mark.slow
def test_scratch_files_of_a_cluster_lie_on_the_machine_of_the_worker(tmp_path, spawned, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    monkeypatch.setenv("TMPDIR", str(disk))
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    body = f"return Measured((Value('number', 2 * ({str(disk)!r} in str(data.scratch))),))"
    user_check(tmp_path / "checks", "counts", body)
    path = contract(tmp_path, ["counts"])
    for engine, found in (("ray", 2), ("local", 0)):
        told = json.loads(report_of(path, tmp_path / "checks", tmp_path / engine, engine))
        assert [each["values"][0]["value"] for each in told["findings"] if each["check"] == "counts"] == [found]


def test_a_task_whose_worker_is_killed_is_done_again(tmp_path):
    cluster = Spawned(Store(tmp_path / "store"), 1)
    killed = partial(once, tmp_path / "flag", partial(signal.raise_signal, signal.SIGKILL))
    try:
        assert list(cluster.map(killed, range(2))) == [0, 1]
        assert [alone for _, alone in cluster.sent] == [False, False, True, True]
    finally:
        cluster.close()


@pytest.mark.slow
def test_what_dies_twice_or_takes_too_long_is_a_failure_and_the_rest_is_done(tmp_path):
    cluster = Spawned(Store(tmp_path / "store"), 1, limit=1.5)
    try:
        late, done = cluster.map(time.sleep, [60, 0])
        (dead,) = cluster.map(always_dies, [1])
    finally:
        cluster.close()
    assert (late.kind, late.reason.params["seconds"], done, dead.kind) == ("TimeLimit", 1.5, None, "StepDied")


class Storm(Spawned):
    """So many workers die before they have begun anything."""

    def __init__(self, store, kills):
        super().__init__(store, 1)
        self.kills = kills

    def _ask(self, task, *, alone, mark):
        self.kills -= 1
        return None if self.kills >= 0 else super()._ask(task, alone=alone, mark=mark)

    def _answer(self, asked):
        if asked is None:
            raise LostError
        return super()._answer(asked)


@pytest.fixture
def at_once(monkeypatch):
    """Another attempt does not wait."""
    monkeypatch.setattr(clusters, "LONGEST_WAIT", 0.0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kills", [30, 1000])
def test_workers_that_die_before_they_begin_cost_time_and_not_for_ever(tmp_path, kills):
    cluster = Storm(Store(tmp_path / "store"), kills)
    try:
        (found,) = cluster.map(abs, [-7])
    finally:
        cluster.close()
    assert (found == 7) if kills == 30 else (found.kind, found.reason.params["n"]) == ("WorkersLost", 100)
    assert [path.name for path in (tmp_path / "store" / "shared").iterdir() if "begun" in path.name] == []


def ends_its_worker(test):
    """Of the process of this id; also from a child of the worker."""
    os.kill(os.getpid() if os.getppid() == test else os.getppid(), signal.SIGKILL)
    time.sleep(60)


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_a_task_that_ends_its_workers_is_given_up_after_so_many_that_began_it(tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "ATTEMPTS", 2)
    cluster = Spawned(Store(tmp_path / "store"), 1)
    try:
        (found,) = cluster.map(ends_its_worker, [os.getpid()])
    finally:
        cluster.close()
    assert (found.kind, found.reason.params["n"]) == ("WorkersLost", 2)


class Recorded(Here):
    """Takes tasks as a cluster does, and does none."""

    apart = True

    def map(self, work, tasks, *, debug=False):
        for task in tasks:
            self.sizes.add(len(pickle.dumps((partial(run.guarded, work), task))))
            yield None


@pytest.mark.parametrize("most", [10_000, pytest.param(125_000, marks=pytest.mark.slow)])  # 10^9 rows of 1 KB
def test_a_task_is_as_small_with_any_number_of_parts(tmp_path, most):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    found = load_contract(contract(tmp_path, ["exact_duplicates"]), {})
    step = next(step for step in make_plan(found) if isinstance(step.work, TextKey))
    sizes = {}
    for many in (1_000, most):
        engine = Engine(found, inventory(found), Store(tmp_path / f"store{many:06}"), workers=1)
        engine.workers = Recorded()
        engine.workers.sizes = set()
        parts = tuple(Part(f"{n:032x}-0", "a.jsonl", n * 65_536, n * 65_536, n << 23, 65_536) for n in range(many))
        engine.results["load train"] = Loaded("train", Reading(), parts, ())
        paths = engine._derive("train", step.work)
        assert len(paths) == many
        sizes[many] = max(engine.workers.sizes)
    assert max(sizes.values()) <= 1024
    assert sizes[most] - sizes[1_000] <= 8  # the digits of a number


@pytest.mark.parametrize("at", [0, 10**12])  # where 10^9 rows of 1 KB end
def test_a_task_that_loads_or_groups_is_as_small_wherever_its_part_lies(tmp_path, at):
    path, digest = tmp_path / "a.jsonl", "0" * 64
    chunk = Chunk("jsonl", b"", digest, 8 << 20, at >> 10, at, at >> 23, last=False, path=str(path), digest=digest)
    sharing = Sharing(Store(tmp_path / "store"))
    cut = CutTask((path,), sharing.share(Reading()), tmp_path / "store" / "scratch" / ("0" * 16))
    pieces = (ChunkOfFile(chunk, "a.jsonl"),)
    parse = ParseTask(tmp_path / "store", pieces, Reading(), "0" * 32, False, False, False).slim(sharing)
    key = "0" * 32
    root = tmp_path / "store"
    source, target = root / "features" / f"{key}.parquet", root / "groups" / key
    group = GroupTask(root, Group(of=TextKey(on="response", normalise=()), by="key"), source, target)
    sizes = [
        len(pickle.dumps((partial(run.guarded, work), task)))
        for work, task in ((cut_files, cut), (parse_pieces, parse), (group_part, group))
    ]
    assert max(sizes) <= 1024


def test_a_task_of_many_small_files_is_as_small_and_finds_them(tmp_path):
    files = [tmp_path / f"{n:03}.jsonl" for n in range(200)]
    row = json.dumps({**GOOD, "source": "x" * 500}).encode() + b"\n"
    for path in files:
        path.write_bytes(row)
    sharing = Sharing(Store(tmp_path / "store"))
    cut = sharing.share(CutTask(tuple(files), sharing.share(Reading()), tmp_path))
    seen = cut_files(pickle.loads(pickle.dumps(cut)))
    pieces = tuple(ChunkOfFile(each.chunks[0], path.name) for each, path in zip(seen, files, strict=True))
    parse = ParseTask(sharing.store.root, pieces, Reading(), "0" * 32, True, False, False).slim(sharing)
    assert max(len(pickle.dumps(task)) for task in (cut, parse)) <= 1024
    assert len(parse_pieces(pickle.loads(pickle.dumps(parse)))) == 200
    rows = pl.read_parquet(sharing.store.path("parts", "0" * 32 + "-0") / "rows.parquet")
    assert rows["file"].to_list() == [path.name for path in files]


def test_a_node_that_does_not_see_the_store_says_so_and_makes_none(tmp_path):
    cluster = Spawned(Store(tmp_path / "store"), 1)
    elsewhere = tmp_path / "elsewhere"
    cluster._setup = elsewhere, elsewhere / "shared" / "setup"
    try:
        (found,) = cluster.map(len, ["abc"])
    finally:
        cluster.close()
    assert "give --out in a folder that all nodes share" in str(found.reason)
    assert not (tmp_path / "elsewhere").exists()


def test_a_node_with_another_datacheck_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "code_digest", lambda: "of another version")
    cluster = Spawned(Store(tmp_path / "store"), 1)
    try:
        (found,) = cluster.map(len, ["abc"])
    finally:
        cluster.close()
    assert "has another datacheck" in str(found.reason)


@pytest.mark.slow
def test_checks_reach_a_node_that_has_other_ones_in_a_folder_of_that_name(tmp_path, spawned, monkeypatch):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    user_check(tmp_path / "checks", "counts", "return Measured((Value('number', 41),))")
    path = contract(tmp_path, ["counts"])
    changed = clusters._written

    def written(*args, **kwargs):
        setup = changed(*args, **kwargs)
        user_check(tmp_path / "checks", "counts", "return Measured((Value('number', 0),))")
        return setup

    monkeypatch.setattr(clusters, "_written", written)
    report_of(path, tmp_path / "checks", tmp_path / "out", "ray")
    assert statuses(tmp_path / "out")["train.counts"] == "pass"


@pytest.mark.parametrize("engine", ["spark", "ray://", "local://x", "dask:8786", ""])
def test_an_engine_that_nobody_knows_is_refused(command, tmp_path, engine):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    code, _, said = command("run", contract(tmp_path), "--out", tmp_path / "out", "--lang", "en", f"--engine={engine}")
    assert (code, said.count("\n")) == (2, 1)
    assert f"--engine {engine}: expected one of local, ray" in said
    assert {path.name for path in tmp_path.iterdir()} == {"data", "contract.yaml"}


def test_auto_takes_a_cluster_that_is_named_for_much_data(monkeypatch):
    for name in ("RAY_ADDRESS", "DASK_SCHEDULER_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    assert clusters.named("auto", clusters.LARGE) == "local"
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://head:8786")
    assert (clusters.named("auto", clusters.LARGE), clusters.named("auto", clusters.LARGE - 1)) == ("dask", "local")
    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    assert clusters.named("auto", clusters.LARGE) == "ray"


@pytest.mark.parametrize(("engine", "lang", "word"), [("ray", "en", "is not installed"), ("dask", "zh", "未安装")])
def test_a_missing_extra_is_named(command, tmp_path, monkeypatch, engine, lang, word):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(clusters, "importlib", SimpleNamespace(import_module=missing))
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8" if lang == "zh" else "en_US.UTF-8")
    code, _, said = command("run", contract(tmp_path), "--out", tmp_path / "out", "--lang", lang, "--engine", engine)
    assert (code, said.count("\n")) == (2, 1)
    assert word in said
    assert f'pip install "datacheck-llm[{engine}]"' in said
    assert {path.name for path in tmp_path.iterdir()} == {"data", "contract.yaml"}
