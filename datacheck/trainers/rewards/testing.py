"""Running solutions against their tests in a contained child."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from datacheck.trainers.rewards.contained import Contained, safe


class Program(NamedTuple):
    """A solution and what it is held against.

    tests: Python that is run after it; entry: what HumanEval's `check` is called with. cases: pairs of input and output
    instead, of `function` or, without one, of a program that reads its input and prints.
    """

    solution: str
    tests: str = ""
    entry: str | None = None
    cases: Sequence[tuple[Any, Any]] | None = None
    function: str | None = None


class Ran(NamedTuple):
    """What came of it: passed, failed, raised (`error`, a builtin class), ended (it left before its end).

    Or too_long, too_much_memory, too_many_processes: its child is ended, and another takes the next one.
    """

    outcome: str
    error: str = ""


_OUTCOMES = ("passed", "failed", "raised", "ended")


@dataclass(kw_only=True)
class ProgramRunner(Contained):
    """Runs programs, each in a process and a folder of its own. missing: from what they could not be kept."""

    missing: tuple[str, ...] = field(default=(), init=False)

    def setup(self) -> dict[str, Any]:
        """What the child is told first."""
        return {**super().setup(), "tests": True}

    def run(self, program: Program) -> Ran:
        """Run one. Raises RewardError where no child can be had."""
        if self._child is None:
            self.missing = tuple(map(str, self.started("tests").get("missing", ())))
        told = self.told(program._asdict())
        if isinstance(told, str):
            return Ran(told)
        outcome = told.get("outcome")
        return Ran(str(outcome), safe(told.get("error"))) if outcome in _OUTCOMES else Ran("ended")
