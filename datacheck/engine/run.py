"""Run a plan on this machine: children do the work, the parent says what is needed of it and keeps order."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from datacheck import plugins
from datacheck.check import Check, Coverage, Feature, Group, Message, Need, Rounds, Summary
from datacheck.contract import discover
from datacheck.contract.model import Contract
from datacheck.engine import clusters, kept
from datacheck.engine.canaries import looks
from datacheck.engine.costs import Cost
from datacheck.engine.execute import (
    DealTask,
    DealtTask,
    Given,
    GroupTask,
    StepTask,
    deal,
    derive_part,
    do_dealt,
    group_part,
    summarise,
)
from datacheck.engine.expected import Ahead, OnProgress, until_end
from datacheck.engine.ingest import load
from datacheck.engine.measure import FACTS, MEASURED, Measurement, MeasureTask, keep, measure, measurement, taken
from datacheck.engine.plan import Step, need_step
from datacheck.engine.pool import Pool
from datacheck.engine.processes import cores, longest
from datacheck.engine.sharing import SharedValue, Sharing
from datacheck.engine.store import Store, digest, read_json
from datacheck.engine.twin import Pair, twin
from datacheck.engine.view import BUCKETS, DEALT, Loaded, TablePlace, bucket_file
from datacheck.engine.workers import Failure, Here, StepFailedError, Workers, guarded
from datacheck.errors import LoadError, UsageError
from datacheck.files.inventory import Inventory
from datacheck.loading.reading import Reading
from datacheck.pii.excerpts import Mode

SMALL = 16 * 1024 * 1024  # bytes of an evaluation set of which all that is made may come from the user's cache
ALONE = 32 * 1024 * 1024  # bytes of data; to here no child: two take twice the CPU time of a twin (decision 0022)
ALONE_ON_TWO_CORES = 64 * 1024 * 1024  # and to here, where there would be two children at most
PER_CORE = 32  # children: of a slip of the finger (100000) a machine would have no process left for anything else
PER_WORKER = 8 * 1024 * 1024  # bytes of data for which one more child is worth its start and its memory
PREPARED = 8 * 1024 * 1024  # bytes of data for which is imported before a fork what features are likely to want
LOOK = 1.0  # seconds between two looks whether anybody works
Result = Loaded | Failure | Measurement | tuple[Path, ...]


def is_little(size: int, children: int) -> bool:
    """Whether data are so little that this process and its twin do all of it, instead of so many children."""
    return size <= (ALONE_ON_TWO_CORES if children <= 2 else ALONE)


class Engine:
    """Executes steps against a store. `execute` is the same for the CLI and for a Prefect task.

    engine: where the work is done (see `clusters`).
    alone: another process goes on where this one dies, so that code of ours needs no child for little data, and
    children may be forks.
    reuse: what is known of evaluation sets may come from the user's cache, and is kept there.
    """

    def __init__(
        self,
        contract: Contract,
        files: Inventory,
        store: Store,
        *,
        workers: int | None = None,
        engine: str = "local",
        alone: bool = False,
        reuse: bool = False,
        excerpts: Mode = "redacted",
        debug: bool = False,
    ) -> None:
        self.contract = contract
        self.files = files
        self.store = store
        self.kept = frozenset(indexed(contract)) if reuse and store.alone else frozenset()  # of these the indexes
        self.known = frozenset(name for name in self.kept if files[name].decoded <= SMALL)  # of these everything
        self.excerpts: Mode = excerpts
        self.debug = debug
        self.workers = self._pool(workers, engine, alone=alone)
        self.sharing = Sharing(store)
        self.results: dict[str, Result] = {}
        self.costs: dict[str, Cost] = {}
        self._ahead = Ahead((), files, None)

    def _pool(self, workers: int | None, engine: str, *, alone: bool) -> Pool:
        """Who does the work. Raises UsageError for a number of workers that cannot be meant."""
        size = sum(f.decoded for f in self.files.values())
        limit, where = self.contract.time_limit or longest(size), clusters.named(engine, size)
        if workers == 0 and not where.startswith(clusters.FOLDER):
            raise UsageError("--workers 0: nobody would work; only with --engine folder:PATH others do")
        if where != "local":
            return clusters.cluster(where, self.store, workers, limit=limit)
        if workers is not None and workers > PER_CORE * cores():
            raise UsageError(
                "--workers {n}: too many for the {cores} cores of this machine; at most {most}",
                n=workers, cores=cores(), most=PER_CORE * cores(),
            )  # fmt: skip
        own = alone and not discover.user_folder() and not plugins.inputs()
        if own and size >= PREPARED:
            self._prepare()
        count = workers or min(os.cpu_count() or 1, max(1, size // PER_WORKER))
        if not (own and workers is None and is_little(size, count)):
            return Workers(count, limit=limit, own=own)
        other = twin()
        if not self.store.shared:
            self.store.hold()
        return Here(limit=limit) if other is None else Pair(other, limit=limit)

    def _prepare(self) -> None:
        """Let features load here what each child would load for itself."""
        for need in needs_of(self.contract):
            if isinstance(need.table, Feature):
                need.table.prepare()

    def loaded(self, dataset: str) -> Loaded:
        """The dataset in the store; raises LoadError where loading failed."""
        result = self.results.get(f"load {dataset}")
        if not isinstance(result, Loaded):
            raise LoadError("{dataset}: its data could not be loaded", dataset=dataset)
        return result

    @property
    def states(self) -> dict[str, Loaded | Failure]:
        """By dataset: what was read, or why it could not be."""
        found = {name: self.results.get(f"load {name}") for name in self.contract.datasets}
        return {name: state for name, state in found.items() if isinstance(state, Loaded | Failure)}

    @property
    def outcomes(self) -> dict[str, Measurement | Failure]:
        """By finding: what a check measured, or why it could not, as far as it has run."""
        checks = [d.finding(check) for d in self.contract.datasets.values() for check in d.checks]
        found = {finding: self.results.get(f"measure {finding}") for finding in checks}
        return {finding: each for finding, each in found.items() if isinstance(each, Measurement | Failure)}

    def execute(self, step: Step) -> Result:
        """Do one step whose `after` are done. Never raises for the step's own troubles: those are a Failure."""
        self.workers.meter.start(step.key)
        broken = [key for key in step.after if isinstance(self.results.get(key), Failure)]
        if broken:
            cause = self.results[broken[0]]
            reason = cause.reason if isinstance(cause, Failure) else ""
            told = Message("not run, because '{step}' failed: {reason}", step=broken[0], reason=reason)
            result: Result = Failure("NotRun", told)
        else:
            try:
                result = self._do(step)
            except StepFailedError as error:
                result = error.failure
            except Exception as error:  # noqa: BLE001 - the parent's own troubles (a full disk) are a Failure too
                result = guarded(_raise, error, debug=self.debug)
        self.costs[step.key] = self.workers.meter.stop()
        self.results[step.key] = result
        return result

    def _do(self, step: Step) -> Result:
        match step.work:
            case None:
                return self._load(step)
            case Feature():
                return self._derive(step.dataset, step.work)
            case Summary():
                return self._summarise(step.dataset, step.work)
            case Group():
                return self._group(step.dataset, step.work)
            case Rounds():
                return self._rounds(step.dataset, step.work)
            case Check():
                return self._measure(step.dataset, step.work)

    def _rows(self) -> dict[str, int]:
        known = {name: state for name, state in self.states.items() if isinstance(state, Loaded)}
        return {name: sum(part.rows for part in state.parts) for name, state in known.items()}

    def _all(self, work: Callable[..., Any], tasks: list[Any]) -> None:
        for done, outcome in enumerate(self.workers.map(work, tasks, debug=self.debug), 1):
            if isinstance(outcome, Failure):
                raise StepFailedError(outcome)
            self._ahead.part(self.workers.meter.step, done / len(tasks))

    def _load(self, step: Step) -> Loaded:
        source = self.contract.datasets[step.dataset].source
        reading = Reading.model_validate(source.model_dump(include=set(Reading.model_fields)))
        files = self.files[step.dataset]
        canaries = any(map(looks, self.contract.datasets[step.dataset].checks))
        how = {"records": step.records, "canaries": canaries, "keep": step.dataset in self.known}
        return load(step.dataset, files, reading, self.sharing, self.workers, **how, debug=self.debug)

    def _places(self, dataset: str, work: Feature | Summary | Group | Rounds | Check) -> tuple[TablePlace, ...]:
        """Where lies what a step needs."""
        places = []
        for need in work.needs():
            result = self.results[need_step(dataset, need)]
            paths = result if isinstance(result, tuple) else ()
            places.append(TablePlace(need, self.loaded(need.of or dataset), paths))
        return tuple(places)

    def _keys(self, places: Iterable[TablePlace]) -> list[object]:
        """What a result depends on through its needs: paths are named by content, a summary by its output."""
        keys: list[object] = []
        for place in places:
            summary = isinstance(place.need.table, Summary)
            made = self.store.digest(place.paths[0]) if summary else [path.name for path in place.paths]
            keys += [place.loaded.content if place.need.of else None, made]
        return keys

    def _given(self, given: Given[Any]) -> Given[Any] | SharedValue[Given[Any]]:
        return self.sharing.share(given) if self.workers.apart else given

    def _keeps(self, dataset: str, places: Iterable[TablePlace]) -> bool:
        """Whether what is made of these tables may come from the user's cache."""
        return dataset in self.known and not any(place.need.of for place in places)

    def _derive(self, dataset: str, feature: Feature) -> Result:
        loaded, places = self.loaded(dataset), self._places(dataset, feature)
        row_local = [p for p in places if isinstance(p.need.table, Feature) and p.need.of is None]
        shared = self._keys(p for p in places if p not in row_local)
        targets: list[Path] = []
        missing: list[int] = []
        keeping = self._keeps(dataset, places)
        for number, part in enumerate(loaded.parts):
            own = [p.paths[number].name for p in row_local]
            targets.append(self.store.path("features", f"{digest(feature, shared, own, part.key)}.parquet"))
        for number, there in enumerate(self.store.has_all(targets)):
            if not there and not (keeping and kept.take(targets[number].name, self.store)):
                missing.append(number)
        if missing:
            given = self._given(Given(loaded, feature, places))
            self._all(derive_part, [StepTask(self.store.place, given, n, targets[n]) for n in missing])
        for number in missing if keeping else ():
            kept.keep(targets[number].name, self.store, [targets[number]])
        return tuple(targets)

    def _summarise(self, dataset: str, summary: Summary) -> Result:
        loaded, places = self.loaded(dataset), self._places(dataset, summary)
        key = digest(summary, loaded.content, self._keys(places))
        target = self.store.path("summaries", f"{key}.parquet")
        keeping = self._keeps(dataset, places) or (summary.kept and dataset in self.kept)
        if not self.store.has(target) and not (keeping and kept.take(key, self.store)):
            given = self._given(Given(loaded, summary, places))
            self._all(summarise, [StepTask(self.store.place, given, None, target)])
            if keeping:
                kept.keep(key, self.store, [target])
        return (target,)

    def _group(self, dataset: str, group: Group) -> Result:
        (place,) = self._places(dataset, group)
        targets = [self.store.path("groups", digest(group, source.name)) for source in place.paths]
        # a file that is delivered twice has two parts with one content
        every = zip(targets, place.paths, self.store.has_all([target / BUCKETS for target in targets]), strict=True)
        missing = {target: source for target, source, there in every if not there}
        if missing:
            shared = self.sharing.share(group) if self.workers.apart else group
            self._all(group_part, [GroupTask(self.store.place, shared, source, t) for t, source in missing.items()])
        return tuple(targets)

    def _rounds(self, dataset: str, rounds: Rounds) -> Result:
        loaded, places = self.loaded(dataset), self._places(dataset, rounds)
        key = digest(rounds, loaded.content, self._keys(places))
        given = self._given(Given(loaded, rounds, places))
        done: tuple[Path, ...] = ()
        for number in count():
            hand = self.store.path("rounds", digest(key, number))
            if not self.store.has(hand / DEALT):
                before = self._given(Given(loaded, rounds, (*places, TablePlace(Need(rounds), loaded, done))))
                self._all(deal, [DealTask(self.store.place, before, None, hand, number)])
            dealt: int = read_json(hand / DEALT)
            if not dealt:
                return done
            targets = [self.store.path("rounds", f"{digest(key, number, n)}.parquet") for n in range(dealt)]
            there = self.store.has_all(targets)
            missing = [n for n in range(dealt) if not there[n]]
            tasks = [DealtTask(self.store.place, given, None, targets[n], hand / bucket_file(n)) for n in missing]
            self._all(do_dealt, tasks)
            done += tuple(targets)
        raise AssertionError

    def _measure(self, dataset: str, check: Check) -> Measurement:
        loaded, places = self.loaded(dataset), self._places(dataset, check)
        settings = check.model_copy(update={"limits": {}, "coverage": Coverage(), "severity": "fail", "id": None})
        suppressed = self.contract.datasets[dataset].suppressed.get(f"{dataset}.{check.name}", frozenset())
        left_out = [sorted(suppressed)] if suppressed else []
        key = digest(settings, loaded.dataset, loaded.content, self._keys(places), self.excerpts, *left_out)
        target = self.store.path(MEASURED, key)
        keeping = self._keeps(dataset, places)
        if not self.store.has(target / FACTS) and not (keeping and taken(self.store, target, key)):
            given = self._given(Given(loaded, check, places))
            self._all(measure, [MeasureTask(self.store.place, given, None, target, self.excerpts, suppressed)])
            if keeping:
                keep(self.store, target, key)
        return measurement(target)

    def run(self, plan: tuple[Step, ...], on_progress: OnProgress | None = None) -> None:
        """Execute a whole plan: steps whose predecessors are done run beside each other."""
        steps = {step.key: step for step in plan}
        self._ahead = Ahead(plan, self.files, on_progress)
        order = TopologicalSorter({step.key: step.after for step in plan})
        order.prepare()
        behind = until_end(plan, self.files, self.workers.count)
        ready: list[tuple[float, str]] = []
        ended: SimpleQueue[Future[Result]] = SimpleQueue()
        running: dict[Future[Result], str] = {}
        try:
            with ThreadPoolExecutor(max(1, len(steps)), thread_name_prefix="step") as threads:
                try:
                    while order.is_active():
                        for key in order.get_ready():
                            heappush(ready, (-behind[key], key))
                        while ready and len(running) < self.workers.count:
                            _, key = heappop(ready)
                            future = threads.submit(self.execute, steps[key])
                            running[future] = key
                            future.add_done_callback(ended.put)
                        future = self._next(ended)
                        future.result()
                        key = running.pop(future)
                        order.done(key)
                        self._ahead.end(key, self._rows())
                except BaseException:
                    self.workers.close(kill=True)
                    threads.shutdown(wait=False, cancel_futures=True)
                    raise
        finally:
            self.workers.close()

    def _next(self, ended: SimpleQueue[Future[Result]]) -> Future[Result]:
        while True:
            try:
                return ended.get(timeout=LOOK)
            except Empty:
                self._ahead.wait(self.workers.waited())


def needs_of(contract: Contract) -> Iterator[Need]:
    """All that checks need, and what that needs; some of it more than once."""
    waiting = [need for dataset in contract.datasets.values() for check in dataset.checks for need in check.needs()]
    while waiting:
        need = waiting.pop()
        yield need
        if not isinstance(need.table, str):
            waiting += need.table.needs()


def indexed(contract: Contract) -> Iterator[str]:
    """The datasets that others need an index of, one that may be kept: evaluation sets."""
    for need in needs_of(contract):
        if need.of and isinstance(need.table, Summary) and need.table.kept:
            yield need.of


def _raise(error: Exception) -> Result:
    raise error
