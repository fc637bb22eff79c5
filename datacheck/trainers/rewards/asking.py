"""Asking a reward function about answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from datacheck.i18n.message import Message
from datacheck.trainers.rewards.contained import Contained, RewardError, safe


class Question(NamedTuple):
    """Answers to one row. `prompt`: as it stands in the data, or its text; `messages`: answers as lists of messages."""

    answers: Sequence[str]
    columns: Mapping[str, Any]
    prompt: Any = ""
    text: str = ""
    label: Any = None
    messages: bool = False


class Rewarded(NamedTuple):
    """`rewards`, one for each answer (None and NaN as they come); or what happened instead, as a slug.

    raised (error, at), no_number (error: what came instead), too_long, too_much_memory, too_many_processes, ended.
    """

    rewards: tuple[float | None, ...] = ()
    happened: str | None = None
    error: str = ""
    at: str = ""


class AskedFor(NamedTuple):
    """What a function asks for, by its signature and source; `missing`: from what it could not be kept.

    calls: trl, verl, ms_swift or openrlhf; needed: columns without which it cannot be called; read: keys that its
    source takes out of the columns; extra: out of extra_info; not_taken: what its trainer gives and it does not take.
    """

    calls: str
    needed: tuple[str, ...]
    read: tuple[str, ...]
    extra: tuple[str, ...]
    not_taken: tuple[str, ...]
    missing: tuple[str, ...]


_WHY_NOT = {
    "no_module": Message("no such module"),
    "no_function": Message("no such function"),
    "no_convention": Message("its parameters are none that a trainer gives; say who calls it (`calls: trl`)"),
}


@dataclass(kw_only=True)
class Grader(Contained):
    """A reward function in its child.

    name: `FILE.py:function` (an absolute path) or `package.module:function`; calls: who calls it, or auto.
    """

    name: str
    calls: str = "auto"
    files: int = field(default=0, init=False)  # that it has written into scratch
    _wanted: AskedFor | None = field(default=None, init=False)

    def wanted(self) -> AskedFor:
        """What it asks for. Raises RewardError where it cannot be loaded."""
        if self._wanted is None:
            self._start()
        assert self._wanted is not None
        return self._wanted

    def ask(self, question: Question) -> Rewarded:
        """Its rewards for some answers to a row. Raises RewardError where it cannot be loaded."""
        if self._child is None:
            self._start()
        told = self.told(question._asdict())
        return Rewarded(happened=told) if isinstance(told, str) else self._read(told, len(question.answers))

    def _read(self, told: Mapping[str, Any], count: int) -> Rewarded:
        """A reply is what the function's process says: nothing in it is believed to have a shape."""
        files, rewards = told.get("files"), told.get("rewards")
        self.files = files if isinstance(files, int) else self.files
        if "error" in told:
            return Rewarded(happened="raised", error=safe(told["error"]), at=safe(told.get("at")))
        if not isinstance(rewards, list) or len(rewards) != count:
            return Rewarded(happened="no_number", error=safe(told.get("wrong")))
        for each in rewards:
            if each is not None and each.__class__ not in (int, float):
                return Rewarded(happened="no_number", error=safe(each.get("type") if isinstance(each, dict) else each))
        return Rewarded(tuple(rewards))

    def setup(self) -> dict[str, Any]:
        """What the child is told first."""
        return {**super().setup(), "name": self.name, "calls": self.calls}

    def _start(self) -> None:
        told = self.started(self._shown)
        if "stopped" in told:
            self.close()
            raise self._stopped(told)
        self._wanted = AskedFor(
            safe(told.get("calls")),
            *(tuple(map(str, told.get(name, ()))) for name in ("needed", "read", "extra", "not_taken", "missing")),
        )

    def _stopped(self, told: Mapping[str, Any]) -> RewardError:
        why = _WHY_NOT.get(str(told["stopped"]))
        if why is not None:
            return RewardError("{name}: {why}", name=self._shown, why=why)
        error, at = safe(told.get("error")), safe(told.get("at"))
        return RewardError(
            "{name}: raised {error} when it was loaded ({at})", name=self._shown, error=error, at=at or "–"
        )

    @property
    def _shown(self) -> str:
        return self.name.rpartition("/")[2]
