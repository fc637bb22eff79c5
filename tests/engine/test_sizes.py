"""What the process that leads a run sends, by the plan alone: nothing is read and nothing is done, so any size is tried."""

import os
import pickle
from functools import partial
from typing import NamedTuple

import polars as pl
import pytest
from core_helpers import GOOD, contract, jsonl

from datacheck.contract.load import load_contract
from datacheck.engine import run
from datacheck.engine.execute import DealTask, DealtTask, StepTask
from datacheck.engine.measure import FACTS, MeasureTask
from datacheck.engine.plan import make_plan
from datacheck.engine.run import Engine
from datacheck.engine.store import Store
from datacheck.engine.view import DEALT, Loaded, Part
from datacheck.engine.workers import Failure, Here
from datacheck.features.near import AT_ONCE, PIECE, Candidates, SharedKeys
from datacheck.features.near_pairs import TASKS
from datacheck.files.inventory import inventory
from datacheck.loading.reading import Reading

ROWS = 8_192  # of a part: chat rows of 1 KB in 8 MB
ROUNDS = 3  # of pairs


class Sent(Here):
    """Takes tasks as a cluster does, counts their bytes, and leaves what the next step asks for, with nothing in it."""

    apart = True

    def __init__(self, store, rows):
        super().__init__()
        self.store, self.rows, self.sizes = store, rows, {}

    def map(self, work, tasks, *, debug=False):
        for task in tasks:
            kind = type(task.given.of).__name__ if isinstance(task, StepTask) else type(task).__name__
            size = len(pickle.dumps((partial(run.guarded, work), task)))
            count, sum_, most = self.sizes.get((work.__name__, kind), (0, 0, 0))
            self.sizes[work.__name__, kind] = count + 1, sum_ + size, max(most, size)
            self.leave(task)
            yield None

    def leave(self, task):
        if isinstance(task, MeasureTask):
            (task.target).mkdir(parents=True)
            self.store.write_json(task.target / FACTS, {"places": False, "evidence": 0})
        elif isinstance(task, DealTask):
            of = task.given.of
            keys = self.rows * of.sketch.scheme[1] if isinstance(of, SharedKeys) else 0
            first = -(-keys // PIECE) if keys else -(-self.rows // AT_ONCE) if isinstance(of, Candidates) else 0
            tasks = first * (task.number == 0) if first else TASKS * (task.number < ROUNDS)
            with self.store.folder(task.target) as folder:
                self.store.write_json(folder / DEALT, tasks)
        elif isinstance(task, StepTask) and not isinstance(task, DealtTask) and task.part is None:
            self.store.write_table(task.target, pl.DataFrame({"hash": [1]}))


class Total(NamedTuple):
    """Tasks, bytes of all with what they share, bytes of the largest."""

    tasks: int
    bytes: int
    largest: int


def sent(tmp_path, rows):
    """What a run of so many rows sends, by the plan of near copies (three rounds of pairs), copies and leaks."""
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    path = contract(
        tmp_path, ["near_duplicates", "exact_duplicates", {"check": "leakage", "against": ["eval"]}],
        eval=({"path": "data/a.jsonl"}, ["too_few_rows"]),
    )  # fmt: skip
    found = load_contract(path, {})
    store = Store(tmp_path / f"store{rows}")
    engine = Engine(found, inventory(found), store, workers=1)
    engine.workers = Sent(store, rows)
    many = -(-rows // ROWS)
    parts = tuple(Part(f"{n:032x}-0", "a.jsonl", n * ROWS, n * ROWS, n << 23, ROWS) for n in range(many))
    for step in make_plan(found):
        if step.work is None:
            own = parts if step.dataset == "train" else parts[:1]
            engine.results[step.key] = Loaded(step.dataset, Reading(), own, ())
        else:
            result = engine.execute(step)
            assert not isinstance(result, Failure), (step.key, result)
    shared = sum(each.stat().st_size for each in store.path("shared", "x").parent.iterdir())
    counts, sums, most = zip(*engine.workers.sizes.values(), strict=True)
    return Total(sum(counts), sum(sums) + shared, max(most))


@pytest.mark.parametrize("many", [2_000_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_what_is_sent_grows_with_the_tasks_and_each_is_small(tmp_path, many):
    """At 10^9 rows, by hand: DATACHECK_ROWS=1000000000."""
    many = int(os.environ.get("DATACHECK_ROWS", many))
    one, ten = sent(tmp_path, 1_000_000), sent(tmp_path, many)
    print(one, ten)
    assert max(one.largest, ten.largest) <= 1024
    assert ten.largest - one.largest <= 16  # the digits of numbers
    assert ten.tasks > 1.5 * one.tasks
    assert (ten.bytes - one.bytes) / (ten.tasks - one.tasks) <= 1024
