"""What a plan is expected to cost, in words."""

import os
from collections.abc import Iterator, Sequence

from datacheck.engine.clusters import named
from datacheck.engine.expected import estimate
from datacheck.engine.plan import Step
from datacheck.files.inventory import Inventory
from datacheck.i18n.message import Message
from datacheck.loading.reading import Limits

CLUSTERS = (8, 64, 512)  # workers, where nobody says how many there are
_MB = 1e6


def expected(plan: Sequence[Step], files: Inventory, engine: str, workers: int | None) -> Iterator[Message]:
    """Tasks, bytes and memory, then the time on so many workers. Raises UsageError for an engine that nobody knows."""
    cost = estimate(plan, files, Limits().chunk_bytes)
    yield Message(
        "expected: {size:,.1f} MB of data, {tasks:,} tasks, at most {sent:,.1f} MB sent to workers as tasks",
        size=cost.size / _MB,
        tasks=cost.tasks,
        sent=cost.sent / _MB,
    )
    yield Message(
        "  {store:,.1f} MB in the store, {memory:,.0f} MB of memory in the largest process",
        store=cost.store / _MB,
        memory=cost.memory / _MB,
    )
    counts = CLUSTERS if named(engine, cost.size) != "local" else (os.cpu_count() or 1,)
    for count in (workers,) if workers else counts:
        yield Message("  {n:,} workers: {minutes:,.1f} min", n=count, minutes=cost.seconds(count) / 60)
    yield Message(
        "  of that {minutes:,.1f} min one after the other; chat data through contracts/sft.yaml cost so, "
        "half or twice as much is possible",
        minutes=cost.longest / 60,
    )
