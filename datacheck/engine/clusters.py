"""Tasks to Ray or Dask (an extra each; nothing else of datacheck knows them), or through a folder to `datacheck work`.

A task whose worker dies is done once more, in a child of a worker: what dies again has ended that child, not a worker,
and how the child ended says why. A worker that dies beside it was the cluster's fault, and somebody else's is asked.
"""

import importlib
import logging
import os
import pickle
import secrets
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from datacheck import plugins
from datacheck.contract import discover
from datacheck.engine import node
from datacheck.engine.folder import Tasks, refused
from datacheck.engine.processes import cores
from datacheck.engine.store import Store, code_digest, inputs_digest
from datacheck.engine.workers import STOPPED, Failure, LostError, StepFailedError, Workers
from datacheck.errors import UsageError
from datacheck.i18n.message import Message

ATTEMPTS = 10  # that were begun, to do a task; after the first, only the death of a node can cost one
AT_ALL = 100  # begun or not: where workers die faster than they start, that costs some ten minutes and no more
WAIT, LONGEST_WAIT = 0.05, 5.0  # seconds before another attempt
FOLDER = "folder:"
ENGINES = "local, ray, ray://HOST:PORT, dask, dask://HOST:PORT, folder:PATH, auto"
LARGE = 1 << 30  # bytes from which `auto` takes a cluster


class ClusterWorkers(Workers):
    """Workers of a cluster behind `map`.

    `own`: it was started, or joined, for this run alone.
    """

    def __init__(self, store: Store, count: int, *, limit: float, own: bool) -> None:
        super().__init__(count, limit=limit)
        self.threads = 1
        self._setup = _written(store, threads=self.threads, own=own)
        self._open: set[Any] = set()  # what was asked for and not given back

    @abstractmethod
    def _ask(self, task: bytes, *, alone: bool, mark: Path | None) -> Any:
        """Let some worker call `node.do`; returns what `_answer` takes."""

    @abstractmethod
    def _answer(self, asked: Any) -> Any:
        """What `node.do` returned. Raises LostError."""

    @abstractmethod
    def _end(self, asked: set[Any]) -> None:
        """Ask for nothing more; forget what was asked."""

    def _submit(self, do: Callable[[Any], Any], task: Any, *, alone: bool = False, mark: Path | None = None) -> Any:
        with self._lock:
            if self.closed:
                raise StepFailedError(Failure("Stopped", STOPPED))
            asked = self._ask(pickle.dumps((do, task), pickle.HIGHEST_PROTOCOL), alone=alone, mark=mark)
            self._open.add(asked)
        return asked

    def _result(self, do: Callable[[Any], Any], future: Any, task: Any) -> Any:
        with self._marked() as mark:
            for attempt in count():
                try:
                    return self._answer(future)
                except LostError:
                    if self.closed:
                        return Failure("Stopped", STOPPED)
                except Exception as error:  # noqa: BLE001 - whatever it is, it is a Failure
                    return refused(error)
                finally:
                    self._open.discard(future)
                if _begun(mark, attempt) + 1 >= ATTEMPTS or attempt + 1 >= AT_ALL:
                    lost = Message("the workers that did it were lost {n} times; is the cluster well?", n=attempt + 1)
                    return Failure("WorkersLost", lost)
                time.sleep(min(WAIT * 2**attempt, LONGEST_WAIT))  # Ray offers a dead worker again until it has noticed
                future = self._submit(do, task, alone=True, mark=mark)
        raise AssertionError

    def _mark(self) -> Path | None:
        """Where workers write a byte when they begin a task once more; None: no file that all of them see."""
        place, setup = self._setup
        return setup.with_name(f"begun-{secrets.token_hex(8)}") if isinstance(place, Path) else None

    @contextmanager
    def _marked(self) -> Iterator[Path | None]:
        """Such a file, for as long as it is needed."""
        mark = self._mark()
        try:
            yield mark
        finally:
            if mark is not None:
                mark.unlink(missing_ok=True)

    def close(self, *, kill: bool = False) -> None:
        """Let go of the cluster; with `kill` what it still does for us is stopped."""
        del kill
        with self._lock:
            closed, self.closed = self.closed, True
        if not closed:
            self._end(self._open)


class OnRay(ClusterWorkers):
    """Tasks of Ray: of the cluster at an address, of the one that runs here, or of one that is started."""

    def __init__(self, address: str | None, store: Store, workers: int | None, *, limit: float) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
        self._ray = ray = _extra("ray", "ray")
        self._own, self.elsewhere = not ray.is_initialized(), True
        if self._own:
            quiet = {"log_to_driver": False, "logging_level": "ERROR"}
            with _answering(address), warnings.catch_warnings(action="ignore"):
                try:
                    ray.init(address or "auto", **quiet)
                except ConnectionError:
                    if address:
                        raise
                    ray.init("local", num_cpus=workers, include_dashboard=False, **quiet)
                    self.elsewhere = False
            # It would tell of dead workers on standard output, where a report may stand.
            ray._private.worker.print_to_stdstream = _nothing_said  # noqa: SLF001
        count = workers or int(ray.cluster_resources().get("CPU", 1))
        super().__init__(store, count, limit=limit, own=self._own)
        self._do = ray.remote(node.do).options(max_retries=0, num_cpus=1)

    def _ask(self, task: bytes, *, alone: bool, mark: Path | None) -> Any:
        return self._do.remote(self._setup, task, alone=alone, mark=mark)

    def _answer(self, asked: Any) -> Any:
        try:
            return self._ray.get(asked)
        except self._ray.exceptions.RayError as error:
            if isinstance(error, self._ray.exceptions.RayTaskError):  # what the worker raised
                raise
            raise LostError from None

    def _end(self, asked: set[Any]) -> None:
        for each in tuple(asked):
            self._ray.cancel(each, force=True)
        if self._own:
            self._ray.shutdown()


class OnDask(ClusterWorkers):
    """Tasks of Dask: of the scheduler at an address, or of workers that are started here."""

    def __init__(self, address: str | None, store: Store, workers: int | None, *, limit: float) -> None:
        self._dask = distributed = _extra("distributed", "dask")
        logging.getLogger("distributed.client").setLevel(logging.ERROR)  # it warns of every worker that died
        one = {"n_workers": workers or os.cpu_count(), "threads_per_worker": 1, "dashboard_address": None}
        # A task whose worker died is asked for by `_result`, not by the scheduler.
        with _extra("dask", "dask").config.set({"distributed.scheduler.allowed-failures": 0}), _answering(address):
            self._cluster = None if address else distributed.LocalCluster(**one)
            self._client = distributed.Client(address or self._cluster, set_as_default=False)
        threads = self._client.nthreads().values()
        if max(threads, default=1) > 1:  # what ends one task would end those beside it
            self._client.close()
            raise UsageError(
                "{address}: its workers have several threads; start them with --nthreads 1", address=str(address)
            )
        super().__init__(store, workers or len(threads), limit=limit, own=address is None)
        self.elsewhere = address is not None

    def _ask(self, task: bytes, *, alone: bool, mark: Path | None) -> Any:
        return self._client.submit(node.do, self._setup, task, alone=alone, mark=mark, pure=False)

    def _answer(self, asked: Any) -> Any:
        try:
            return asked.result()
        except (self._dask.KilledWorker, self._dask.CancelledError):
            raise LostError from None

    def _end(self, asked: set[Any]) -> None:
        self._client.cancel(list(asked))
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


class OnFolder(ClusterWorkers):
    """Tasks in a folder: for those who run `datacheck work` on it, and for processes of this machine; 0: for none."""

    def __init__(self, folder: Path, store: Store, workers: int | None, *, limit: float) -> None:
        slots = cores() if workers is None else workers
        super().__init__(store, slots, limit=limit, own=True)
        self.elsewhere = True
        self._tasks = Tasks(folder, self._setup, slots)

    def waited(self) -> float:
        """Seconds for which nobody has been there to do a task."""
        return self._tasks.waited

    def _mark(self) -> None:
        """What was not begun is not lost here: who takes a task lives."""

    def _ask(self, task: bytes, *, alone: bool, mark: Path | None) -> Any:
        del mark
        self.count = max(1, self._tasks.slots)  # workers come and go
        return self._tasks.ask(task, alone=alone)

    def _answer(self, asked: Any) -> Any:
        return asked.result()

    def _end(self, asked: set[Any]) -> None:
        del asked
        self._tasks.close()


def _begun(mark: Path | None, attempts: int) -> int:
    """How many of the attempts after the first were begun, as far as that can be seen."""
    if mark is None:
        return attempts
    try:
        return mark.stat().st_size
    except FileNotFoundError:
        return 0


def named(engine: str, size: int) -> str:
    """Which engine is meant: of `auto` one that this environment names, for much data. Raises UsageError."""
    if engine.startswith(FOLDER) and engine != FOLDER:
        return engine
    kind, _, address = engine.partition("://")
    if engine == "auto" and size >= LARGE:
        known = {"ray": "RAY_ADDRESS", "dask": "DASK_SCHEDULER_ADDRESS"}
        return next((name for name, variable in known.items() if os.environ.get(variable)), "local")
    if kind not in ("local", "auto", "ray", "dask") or ("://" in engine and (kind in ("local", "auto") or not address)):
        raise UsageError("--engine {engine}: expected one of {engines}", engine=engine, engines=ENGINES)
    return "local" if engine == "auto" else engine


def cluster(engine: str, store: Store, workers: int | None, *, limit: float) -> ClusterWorkers:
    """The cluster of a name that `named` gave. Raises UsageError where there is none."""
    if engine.startswith(FOLDER):
        return OnFolder(Path(engine.removeprefix(FOLDER)), store, workers, limit=limit)
    kind, _, address = engine.partition("://")
    if kind == "ray":
        return OnRay(engine if address else None, store, workers, limit=limit)
    scheduler = address or os.environ.get("DASK_SCHEDULER_ADDRESS")
    return OnDask(scheduler, store, workers, limit=limit)


def _nothing_said(*_: Any, **__: Any) -> None:
    """In place of what prints."""


@contextmanager
def _answering(address: str | None) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - each engine has errors of its own
        kind = type(error).__name__
        where = address or "--engine"
        raise UsageError("{address}: no cluster answers there ({kind})", address=where, kind=kind) from None


def _extra(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(
            '--engine {engine}: is not installed here: pip install "datacheck-llm[{engine}]"', engine=extra
        ) from None


def _written(store: Store, *, threads: int, own: bool) -> node.Where:
    """Put into the store how workers begin, with a copy of the user's checks."""
    folder, copy = discover.user_folder(), None
    if folder is not None:
        copy = store.path("checks", inputs_digest())
        if not store.has(copy):
            with store.folder(copy) as made:
                for name, code in discover.user_inputs().items():
                    (made / name).parent.mkdir(parents=True, exist_ok=True)
                    (made / name).write_bytes(code)
    own = own and folder is None and not plugins.inputs()
    setup = node.Setup(code_digest(), folder, inputs_digest(), copy, threads, own)
    content = pickle.dumps(setup)
    path = store.path("shared", f"setup-{sha256(content).hexdigest()}")
    if not store.has(path):
        store.write_content(path, content)
    return store.place, path
