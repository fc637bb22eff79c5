"""What the steps of a plan are expected to cost, and how much of it is done: for the time that is left."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from datacheck.check import Feature, Group, Rounds
from datacheck.engine.plan import Step
from datacheck.files.inventory import Inventory

# CPU seconds per GB of the step's dataset: 63 MB of chat through contracts/sft.yaml (2 cores, 2026-11-23; run.json has
# them). Only their ratios count.
PER_GB = {
    "Identifiers": 110, "Leaks": 85, "TextKey": 40, "Repetition": 40, "EvalItems": 300, "Languages": 35,
    "FrequentGrams": 28, "garbled_text": 24, "language_mismatch": 23, "leftover_markup": 20, "load": 18, "refusals": 16,
    "leakage": 14, "pii": 14, "placeholder_text": 13, "Sketch": 13, "Candidates": 12, "Skeletons": 11,
    "ShortPrompts": 8, "NearPairs": 7, "empty_turns": 6, "GramCounts": 6, "role_errors": 5, "SharedKeys": 5,
}  # fmt: skip
OTHER = 3  # of a step that is not named there
LEAST = 0.03  # seconds of any step; of these more, most of it for what they plant and look for (100 rows, 2026-11-25)
FIXED = {
    "pii": 0.4, "leakage": 0.25, "Leaks": 0.15, "Plants": 0.1, "Identifiers": 0.1, "Languages": 0.1,
    "garbled_text": 0.07,
}  # fmt: skip
PROCESS = 650 << 20  # bytes of a process that works on some parts: 84 MB of chat (2026-11-25)
WHOLE = {"near_duplicates": 0.34}  # bytes in memory for each byte of the dataset: 10^7 chat rows of 1 KB
TASK = 1024  # bytes of a task, at most
STORE = 3.3  # bytes in the store for each byte of data: 252 MB of chat, the contract for SFT (2026-11-30)


@dataclass(frozen=True)
class Progress:
    """What happened, for a progress display: a step began or ended, or a part of one was done.

    share: how much of all the expected work is done, 0 to 1. seconds: since the first step; bytes and rows: of all
    datasets, the latter as far as they are known. waiting: seconds for which there has been no worker.
    """

    step: str
    done: int
    of: int
    share: float = 0.0
    seconds: float = 0.0
    bytes: int = 0
    rows: int = 0
    waiting: float = 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the end, if what is left goes as fast as what is done; None where too little is done."""
        return self.seconds * (1 - self.share) / self.share if self.share > 0.02 else None


OnProgress = Callable[[Progress], None]


class Ahead:
    """How far a plan has come; may be told from several threads."""

    def __init__(self, plan: Iterable[Step], files: Inventory, tell: OnProgress | None) -> None:
        self._size = {name: inventory.decoded for name, inventory in files.items()}
        self._work = {step.key: _seconds(step, self._size) for step in plan}
        self._whole = sum(self._work.values()) or 1.0
        self._tell, self._lock = tell, threading.Lock()
        self._done: dict[str, float] = {}
        self._ended = 0
        self._rows: Mapping[str, int] = {}
        self._start = time.monotonic()

    def part(self, step: str, share: float) -> None:
        """So much of a step is done, 0 to 1."""
        with self._lock:
            self._done[step] = share
            self._say(step)

    def end(self, step: str, rows: Mapping[str, int]) -> None:
        """A step ended; rows: of each dataset that was read."""
        with self._lock:
            self._done[step], self._rows = 1.0, rows
            self._ended += 1
            self._say(step)

    def wait(self, seconds: float) -> None:
        """For so long there has been nobody to do a task; 0: somebody is there."""
        with self._lock:
            if seconds:
                self._say("", seconds)

    def _say(self, step: str, waiting: float = 0.0) -> None:
        if self._tell is None:
            return
        done = sum(self._work.get(key, 0.0) * share for key, share in self._done.items())
        seconds = time.monotonic() - self._start
        size, rows = sum(self._size.values()), sum(self._rows.values())
        self._tell(Progress(step, self._ended, len(self._work), done / self._whole, seconds, size, rows, waiting))


def until_end(plan: Sequence[Step], files: Inventory, workers: int) -> dict[str, float]:
    """For each step the seconds from its begin to the end of the plan: of those that could begin, the longest is first.

    plan: in an order in which it can run. What is done part by part is shared by all workers, a check is one's.
    """
    sizes = {name: inventory.decoded for name, inventory in files.items()}
    behind: dict[str, float] = {}
    for step in reversed(plan):
        own = _seconds(step, sizes) / (workers if isinstance(step.work, Feature | Group | Rounds | None) else 1)
        behind[step.key] = own = own + behind.get(step.key, 0.0)
        for before in step.after:
            behind[before] = max(behind.get(before, 0.0), own)
    return behind


@dataclass(frozen=True)
class Estimate:
    """What a plan will cost, by what other data cost: bytes of data and in the store, seconds of processors.

    `sent`: bytes of tasks; `memory`: of the process that takes most; `longest`: seconds of the steps that must follow
    one another, with any number of workers.
    """

    size: int
    tasks: int
    sent: int
    store: int
    memory: int
    cpu: float
    longest: float

    def seconds(self, workers: int) -> float:
        """By the clock."""
        return max(self.cpu / workers, self.longest)


def estimate(plan: Sequence[Step], files: Inventory, chunk: int) -> Estimate:
    """What a plan will cost where a part has so many bytes."""
    sizes = {name: each.decoded for name, each in files.items()}
    parts = {name: max(len(files[name].read), -(-size // chunk), 1) for name, size in sizes.items()}
    shared = {step.key: isinstance(step.work, Feature | Group | Rounds | None) for step in plan}
    tasks = sum(parts[step.dataset] if shared[step.key] else 1 for step in plan)
    most = max((WHOLE.get(_name(step), 0.0) * sizes[step.dataset] for step in plan), default=0)
    cpu = sum(_seconds(step, sizes) for step in plan)
    longest = max(until_end(plan, files, max(parts.values(), default=1)).values(), default=0.0)
    whole = sum(sizes.values())
    return Estimate(whole, tasks, tasks * TASK, int(STORE * whole), PROCESS + int(most), cpu, longest)


def _name(step: Step) -> str:
    return "load" if step.work is None else str(getattr(step.work, "name", type(step.work).__name__))


def _seconds(step: Step, sizes: Mapping[str, int]) -> float:
    return FIXED.get(_name(step), LEAST) + PER_GB.get(_name(step), OTHER) * sizes[step.dataset] / 1e9
