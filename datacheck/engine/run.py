"""Run a plan on this machine: spawned children do the work, the parent only reads files, hashes and keeps order.

A child that dies takes nobody with it: what was in flight runs again, alone in a process of its own; what dies again
is a Failure, and the rest finishes.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from datacheck.check import Check, Coverage, Feature, Group, Message, Need, Summary
from datacheck.contract import discover
from datacheck.contract.load import Contract, Dataset
from datacheck.engine import execute
from datacheck.engine.execute import (
    STOPPED,
    DeriveTask,
    Failure,
    GroupTask,
    MeasureTask,
    ParseTask,
    SummariseTask,
    guarded,
)
from datacheck.engine.ingest import Intake
from datacheck.engine.plan import Derive, GroupBy, Load, Measure, Step, Summarise, Work, need_step
from datacheck.engine.processes import ChildContext, prepare_child
from datacheck.engine.shared_bytes import handed
from datacheck.engine.store import Store, digest
from datacheck.engine.view import Loaded, TablePlace
from datacheck.errors import DatacheckError, LoadError
from datacheck.files.inventory import Inventory
from datacheck.loading.reading import Reading
from datacheck.pii.redaction import Mode

POOL_FROM = 64 * 1024 * 1024  # bytes of data; below, one child is faster than several
_STOPPED = Failure("Stopped", STOPPED)
Result = Loaded | Failure | tuple[Path, ...]


class StepFailedError(DatacheckError):
    """Carries a child's Failure out of a step."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class Workers:
    """Spawned processes behind `map`; safe to use from several threads."""

    def __init__(self, count: int) -> None:
        self.count = max(1, count)
        self.threads = max(1, (os.cpu_count() or 1) // self.count)
        self._lock = threading.Lock()
        self._alone = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._pools: list[ProcessPoolExecutor] = []  # all that were ever made, to leave no child behind
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether `close` was called: nothing more will be done."""
        return self._closed

    def _new(self, count: int) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(
            count, mp_context=ChildContext(), initializer=prepare_child, initargs=(discover.user_folder(), self.threads)
        )
        self._pools.append(pool)
        return pool

    def _submit(self, work: Callable[..., Any], task: Any, debug: bool) -> "Future[Any]":
        with self._lock:
            if self._closed:
                raise StepFailedError(_STOPPED)
            if self._pool is None:
                os.environ.setdefault("POLARS_MAX_THREADS", str(self.threads))
                self._pool = self._new(self.count)
            try:
                return self._pool.submit(guarded, work, task, debug=debug)
            except (BrokenProcessPool, OSError):  # OSError: it is breaking now, its pipes are closed already
                self._pool = self._new(self.count)
                return self._pool.submit(guarded, work, task, debug=debug)

    def _result(self, future: "Future[Any]", work: Callable[..., Any], task: Any, debug: bool) -> Any:
        try:
            return future.result()
        except BrokenProcessPool:
            return self._again(work, task, debug)

    def _again(self, work: Callable[..., Any], task: Any, debug: bool) -> Any:
        with self._alone:
            with self._lock:
                if self._closed:
                    return _STOPPED
                pool = self._new(1)
                future = pool.submit(guarded, work, task, debug=debug)
            try:
                return future.result()
            except BrokenProcessPool:
                killed = Message("the process was killed twice (out of memory, or a crash in native code)")
                return _STOPPED if self._closed else Failure("StepDied", killed)
            finally:
                pool.shutdown(wait=False)

    def map(self, work: Callable[..., Any], tasks: Iterable[Any], *, debug: bool = False) -> Iterator[Any]:
        """Yield `work(task)` in the order of `tasks`; at most two tasks per worker are in flight."""
        flying: deque[tuple[Future[Any], Any]] = deque()
        for task in map(_handed, tasks):
            flying.append((self._submit(work, task, debug), task))
            if len(flying) > 2 * self.count:
                yield self._result(flying[0][0], work, flying.popleft()[1], debug)
        while flying:
            yield self._result(flying[0][0], work, flying.popleft()[1], debug)

    def close(self, *, kill: bool = False) -> None:
        """Stop the children; with `kill` at once."""
        with self._lock:
            self._closed = True
            pools, self._pools, self._pool = self._pools, [], None
        for pool in pools:
            processes = list((pool._processes or {}).values())  # noqa: SLF001 - no public kill in 3.11
            for process in processes if kill else []:
                process.kill()
            pool.shutdown(wait=not kill, cancel_futures=True)


@dataclass(frozen=True)
class Progress:
    """What happened, for a progress display: a step began or ended, or a part of one was done."""

    step: str
    done: int
    of: int


OnProgress = Callable[[Progress], None]


class Engine:
    """Executes steps against a store. `execute` is the same for the CLI and for a Prefect task."""

    def __init__(
        self,
        contract: Contract,
        files: Inventory,
        store: Store,
        *,
        workers: int | None = None,
        excerpts: Mode = "redacted",
        debug: bool = False,
    ) -> None:
        self.contract = contract
        self.files = files
        self.store = store
        self.excerpts: Mode = excerpts
        self.debug = debug
        size = sum(f.decoded for f in files.values())
        self.workers = Workers(workers or ((os.cpu_count() or 1) if size > POOL_FROM else 1))
        self.results: dict[str, Result] = {}
        self.seconds: dict[str, float] = {}

    def loaded(self, dataset: str) -> Loaded:
        """The dataset in the store; raises LoadError where loading failed."""
        result = self.results.get(f"load {dataset}")
        if not isinstance(result, Loaded):
            raise LoadError("{dataset}: its data could not be loaded", dataset=dataset)
        return result

    def execute(self, step: Step) -> Result:
        """Do one step whose `after` are done. Never raises for the step's own troubles: those are a Failure."""
        start = time.monotonic()
        broken = [key for key in step.after if isinstance(self.results.get(key), Failure)]
        if broken:
            cause = self.results[broken[0]]
            reason = cause.reason if isinstance(cause, Failure) else ""
            told = Message("not run, because '{step}' failed: {reason}", step=broken[0], reason=reason)
            result: Result = Failure("NotRun", told)
        else:
            try:
                result = self._do(step.work)
            except StepFailedError as error:
                result = error.failure
            except Exception as error:  # noqa: BLE001 - the parent's own troubles (a full disk) are a Failure too
                result = guarded(_raise, error, debug=self.debug)
        self.seconds[step.key] = time.monotonic() - start
        self.results[step.key] = result
        return result

    def _do(self, work: Work) -> Result:
        match work:
            case Load():
                return self._load(self.contract.datasets[work.dataset], records=work.records)
            case Derive():
                return self._derive(work)
            case Summarise():
                return self._summarise(work)
            case GroupBy():
                return self._group(work)
            case Measure():
                return self._measure(work)

    def _all(self, work: Callable[..., Any], tasks: list[Any]) -> None:
        for outcome in self.workers.map(work, tasks, debug=self.debug):
            if isinstance(outcome, Failure):
                raise StepFailedError(outcome)

    def _load(self, dataset: Dataset, *, records: bool) -> Result:
        reading = Reading.model_validate(dataset.source.model_dump(include=set(Reading.model_fields)))
        files = self.files[dataset.name]
        intake = Intake(self.store, reading, files.read, files.promised, records=records)
        parsed: deque[list[list[dict[str, Any]]]] = deque()
        for outcome in self.workers.map(execute.parse_pieces, self._unless_closed(intake.tasks()), debug=self.debug):
            if isinstance(outcome, Failure):
                name = intake.files[len(parsed)]
                told = Message("{name}: {reason}", name=name, reason=outcome.reason)
                raise StepFailedError(Failure(outcome.kind, told, outcome.trace))
            parsed.append(outcome)
        return intake.loaded(dataset.name, parsed)

    def _unless_closed(self, tasks: Iterator[ParseTask | None]) -> Iterator[ParseTask]:
        """Leave out what the store knows; a long file of known chunks asks no worker, so it must look itself."""
        for task in tasks:
            if self.workers.closed:
                raise StepFailedError(_STOPPED)
            if task is not None:
                yield task

    def _places(self, dataset: str, needs: tuple[Need, ...]) -> tuple[TablePlace, ...]:
        places = []
        for need in needs:
            result = self.results[need_step(dataset, need)]
            paths = result if isinstance(result, tuple) else ()
            places.append(TablePlace(need, self.loaded(need.of or dataset), paths))
        return tuple(places)

    def _keys(self, dataset: str, needs: tuple[Need, ...]) -> list[object]:
        """What a result depends on through its needs: paths are named by content, a summary by its output."""
        keys: list[object] = []
        for place in self._places(dataset, needs):
            keys += [place.loaded.content if place.need.of else None, [path.name for path in place.paths]]
            if isinstance(place.need.table, Summary):
                keys.append(digest(place.paths[0].read_bytes().hex()))
        return keys

    def _derive(self, work: Derive) -> Result:
        feature: Feature = work.feature
        loaded = self.loaded(work.dataset)
        places = self._places(work.dataset, feature.needs())
        row_local = [p for p in places if isinstance(p.need.table, Feature) and p.need.of is None]
        shared = self._keys(work.dataset, tuple(p.need for p in places if p not in row_local))
        targets: list[Path] = []
        tasks: list[DeriveTask] = []
        for number, part in enumerate(loaded.parts):
            own = [p.paths[number].name for p in row_local]
            target = self.store.path("features", f"{digest(feature, shared, own, part.key)}.parquet")
            targets.append(target)
            if not target.exists():
                tasks.append(DeriveTask(self.store.root, loaded, feature, places, number, target))
        self._all(execute.derive_part, tasks)
        return tuple(targets)

    def _summarise(self, work: Summarise) -> Result:
        needs = work.summary.needs()
        loaded = self.loaded(work.dataset)
        key = digest(work.summary, loaded.content, self._keys(work.dataset, needs))
        target = self.store.path("summaries", f"{key}.parquet")
        if not target.exists():
            places = self._places(work.dataset, needs)
            self._all(execute.summarise, [SummariseTask(self.store.root, loaded, work.summary, places, target)])
        return (target,)

    def _group(self, work: GroupBy) -> Result:
        group: Group = work.group
        loaded = self.loaded(work.dataset)
        (place,) = self._places(work.dataset, (Need(group.of),))
        key = digest(group, [path.name for path in place.paths], [part.key for part in loaded.parts])
        target = self.store.path("groups", key)
        if not target.exists():
            with self.store.writing(target) as folder:
                folder.mkdir()
                self._all(
                    execute.group_part,
                    [
                        GroupTask(self.store.root, group, part, number, source, folder)
                        for number, (part, source) in enumerate(zip(loaded.parts, place.paths, strict=True))
                    ],
                )
        return (target,)

    def _measure(self, work: Measure) -> Result:
        check: Check = work.check
        loaded = self.loaded(work.dataset)
        needs = check.needs()
        settings = check.model_copy(update={"limits": {}, "coverage": Coverage(), "severity": "fail", "id": None})
        key = digest(settings, loaded.dataset, loaded.content, self._keys(work.dataset, needs), self.excerpts)
        target = self.store.path("measured", key)
        if not target.exists():
            places = self._places(work.dataset, needs)
            task = MeasureTask(self.store.root, loaded, check, places, target, self.excerpts)
            self._all(execute.measure, [task])
        return (target,)

    def run(self, plan: tuple[Step, ...], on_progress: OnProgress | None = None) -> None:
        """Execute a whole plan: steps whose predecessors are done run beside each other."""
        steps = {step.key: step for step in plan}
        order = TopologicalSorter({step.key: step.after for step in plan})
        order.prepare()
        ended: SimpleQueue[Future[Result]] = SimpleQueue()
        running: dict[Future[Result], str] = {}
        try:
            with ThreadPoolExecutor(self.workers.count, thread_name_prefix="step") as threads:
                try:
                    while order.is_active():
                        for key in order.get_ready():
                            future = threads.submit(self.execute, steps[key])
                            running[future] = key
                            future.add_done_callback(ended.put)
                        future = ended.get()
                        future.result()
                        key = running.pop(future)
                        order.done(key)
                        if on_progress:
                            on_progress(Progress(key, len(self.results), len(plan)))
                except BaseException:
                    self.workers.close(kill=True)
                    threads.shutdown(wait=False, cancel_futures=True)
                    raise
        finally:
            self.workers.close()


def _handed(task: Any) -> Any:
    """The task as it goes to another process: long pieces of files not through the pipe."""
    if not isinstance(task, ParseTask):
        return task
    chunks = [replace(piece.chunk, data=handed(piece.chunk.data)) for piece in task.pieces]
    return replace(task, pieces=tuple(p._replace(chunk=c) for p, c in zip(task.pieces, chunks, strict=True)))


def _raise(error: Exception) -> Result:
    raise error
