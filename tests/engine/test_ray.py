"""Ray and Dask themselves, two nodes on loopback: the same bytes as local, whoever is killed on the way."""

import os
import random
import signal
import threading
from pathlib import Path

import pytest
from core_helpers import ROOT, spawn, user_check

pytestmark = pytest.mark.slow
WITH_TIMES = ("run.json", "report.html", "pii.html", "report.md")  # and hosts, and paths
KILLS = 4


@pytest.fixture(scope="module")
def ray_nodes():
    """The address of a Ray of two nodes with one processor each, as its own commands start them."""
    ray = pytest.importorskip("ray", reason="Ray is not installed (the extra `ray`)")
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    few = {"num_cpus": 1, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**few, "include_dashboard": False})
    cluster.add_node(**few)
    yield cluster.address
    cluster.shutdown()
    assert not ray.is_initialized()


@pytest.fixture(scope="module")
def dask_nodes():
    """A Dask of two workers."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed (the extra `dask`)")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    yield cluster
    cluster.close()


def address_of(nodes) -> str:
    """What `--engine` is given."""
    return "ray" if isinstance(nodes, str) else nodes.scheduler_address.replace("tcp", "dask")


def bytes_of(out: Path) -> dict[str, bytes]:
    files = [path for path in out.rglob("*") if path.is_file() and path.name not in WITH_TIMES]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}


def reports(tmp_path, name, *args, env=None, ends=None) -> dict[str, bytes]:
    done = spawn("run", *args, "--out", tmp_path / name, "--quiet", "--lang", "en", env=env)
    assert done.returncode in ((0, 1) if ends is None else (ends,)), done.stderr
    assert (done.stdout, done.stderr) == (b"", b"")
    return bytes_of(tmp_path / name)


def workers_of_ray() -> list[int]:
    """The processes that do datacheck's tasks on Ray, by the name that Ray gives them."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if line.read_bytes().startswith(b"ray::do"):
                found.append(int(line.parent.name))
        except OSError:
            continue
    return found


class Killer(threading.Thread):
    """Kills a worker with -9 at random moments until it has killed so many."""

    def __init__(self, workers, many=KILLS, seed=7):
        super().__init__(daemon=True)
        self.workers, self.many, self.killed = workers, many, []
        self.chance, self.over = random.Random(seed), threading.Event()

    def run(self):
        while len(self.killed) < self.many and not self.over.wait(self.chance.uniform(1, 4)):
            if alive := self.workers():
                pid = self.chance.choice(alive)
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                self.killed.append(pid)

    def __exit__(self, *_):
        self.over.set()
        self.join()

    def __enter__(self):
        self.start()
        return self


@pytest.mark.parametrize("sample", ["good", "bad"])
def test_ray_on_two_nodes_says_what_local_says(tmp_path, ray_nodes, sample):
    contract = ROOT / "sample_data" / f"{sample}.yaml"
    here = reports(tmp_path, "here", contract)
    there = reports(tmp_path, "there", contract, "--engine", "ray", env={"RAY_ADDRESS": ray_nodes})
    assert there.keys() == here.keys()
    assert [name for name in here if here[name] != there[name]] == []


def test_ray_says_the_same_while_its_workers_are_killed(tmp_path, ray_nodes):
    contract = ROOT / "sample_data" / "bad.yaml"
    here = reports(tmp_path, "here", contract)
    with Killer(workers_of_ray) as killer:
        there = reports(tmp_path, "there", contract, "--engine", "ray", env={"RAY_ADDRESS": ray_nodes})
    assert killer.killed
    assert [name for name in here if here[name] != there.get(name)] == []


def test_ray_says_the_same_of_real_data(tmp_path, ray_nodes, realdata):
    contract = ROOT / "contracts" / "sft.yaml"
    data = ("--data", f"train={realdata}/gsm8k/grade_school_math/data/train.jsonl")
    here = reports(tmp_path, "here", contract, *data, ends=3)  # no evaluation set is given
    there = reports(tmp_path, "there", contract, *data, "--engine", "ray", env={"RAY_ADDRESS": ray_nodes}, ends=3)
    assert [name for name in here if here[name] != there.get(name)] == []


@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_what_kills_its_worker_or_does_not_end_is_told_as_here(tmp_path, request, engine):
    nodes = request.getfixturevalue(f"{engine}_nodes")
    (tmp_path / "a.jsonl").write_text('{"question": "1+1?", "answer": "2"}\n')
    user_check(tmp_path / "checks", "dies", "import signal\nos.kill(os.getpid(), signal.SIGKILL)")
    user_check(tmp_path / "checks", "matches", "import re\nre.match('(a+)+$', 'a' * 60 + 'b')")
    user_check(tmp_path / "checks", "counts", "return Measured((Value('number', total(data.rows)),))")
    contract = tmp_path / "c.yaml"
    contract.write_text(
        "{name: c, version: 1, time_limit: 6, datasets: {train: {source: {path: a.jsonl}, checks: [dies, matches, counts]}}}"
    )
    own = ("--checks", tmp_path / "checks")
    here = reports(tmp_path, "here", contract, *own, ends=3)
    there = reports(
        tmp_path, "there", contract, *own, "--engine", address_of(nodes), env={"RAY_ADDRESS": str(nodes)}, ends=3
    )
    assert [name for name in here if here[name] != there.get(name)] == []


def test_dask_says_what_local_says_with_a_worker_killed(tmp_path, dask_nodes):
    contract = ROOT / "sample_data" / "bad.yaml"
    here = reports(tmp_path, "here", contract)
    with Killer(lambda: [nanny.pid for nanny in dask_nodes.workers.values() if nanny.pid], many=1) as killer:
        there = reports(tmp_path, "there", contract, "--engine", address_of(dask_nodes))
    assert len(killer.killed) == 1
    assert [name for name in here if here[name] != there.get(name)] == []
