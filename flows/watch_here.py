"""`datacheck watch` without a Prefect server: each drop as `datacheck publish` would take it, and a line on each."""

import sys
import time
from pathlib import Path

from datacheck.errors import UsageError
from datacheck.i18n.language import told
from datacheck.interrupts import InterruptedRunError, signals_raise
from datacheck.registry.publish import BusyError, Outcome
from datacheck.registry.publish import publish as publish_drop
from datacheck.registry.registry import Registry
from datacheck.session.session import Session

from .look import NOT_PUBLISHED, look, summary
from .publish import ELSEWHERE, PUBLISHED, QUARANTINED, notify, said
from .rules import Rulebook
from .validate import INVALID, UNDECIDED, reason, shown

_STATES = {"published": PUBLISHED, "quarantined": QUARANTINED}


def watch_here(rules: Rulebook, interval: float | None) -> int:
    """Look every `interval` seconds until stopped (then 0), or once (1: a drop was not published)."""
    with signals_raise():
        while True:
            if interval is None or Registry(rules.registry).drops():
                code = _Look(rules).run()
            if interval is None:
                return code
            try:
                time.sleep(interval)
            except InterruptedRunError:  # nothing was under way
                return 0


class _Look:
    """One look. A signal ends the run under way so that it says so and gives the drop back; no other is begun."""

    def __init__(self, rules: Rulebook) -> None:
        self._rules = rules
        self._stopped: InterruptedRunError | None = None

    def run(self) -> int:
        """Publish every complete drop. Raises InterruptedRunError if a signal stopped it."""
        name, text = summary(look(self._rules, self._one))
        _say(f"{name}: {text}")
        if self._stopped is not None:
            raise self._stopped
        return 1 if name == NOT_PUBLISHED else 0

    def _one(self, rules: Rulebook, drop: Path) -> str:
        if self._stopped is not None:
            return "NotTaken"
        try:
            outcome = self._publish(rules, drop)
        except InterruptedRunError:
            raise
        except BusyError:
            return ELSEWHERE
        except BaseException as error:  # noqa: BLE001 - the text of foreign exceptions could hold data
            _say(shown(f"{drop.name}: {reason(error)}"))
            return INVALID if isinstance(error, UsageError) else UNDECIDED
        _say(f"{shown(drop.name)}: {said(outcome)}")
        return _STATES.get(outcome.status, UNDECIDED)

    def _publish(self, rules: Rulebook, drop: Path) -> Outcome:
        registry = Registry(rules.registry)
        outcome = publish_drop(drop, rules.gate(drop), registry, wait=False, execute=self._execute)
        for refused in notify(rules, outcome):
            _say(f"not told: {refused}")
        return outcome

    def _execute(self, session: Session) -> str | None:
        """Run a plan; returns the name of the signal that stopped it."""
        try:
            session.run()
        except InterruptedRunError as stopped:
            self._stopped = stopped
            return stopped.name
        return None


def _say(line: str) -> None:
    sys.stderr.write(f"{told(line)}\n")
