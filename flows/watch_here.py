"""`datacheck watch` without a Prefect server: each drop as `datacheck publish` would take it, and a line on each."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from datacheck.errors import UsageError
from datacheck.i18n.message import Message
from datacheck.interrupts import InterruptedRunError, signals_raise
from datacheck.registry.publish import BusyError, Outcome
from datacheck.registry.publish import publish as publish_drop
from datacheck.registry.registry import Registry
from datacheck.session.session import Session

from .look import NOT_PUBLISHED, look, strays, summary
from .publish import ELSEWHERE, PUBLISHED, QUARANTINED, notify, said
from .rules import Rulebook
from .turns import Turns
from .validate import INVALID, UNDECIDED, reason, shown, shown_line

_STATES = {"published": PUBLISHED, "quarantined": QUARANTINED}


def watch_here(rules: Sequence[Rulebook], lang: str, *, once: bool) -> int:
    """Look at each channel by its interval until stopped (then 0), or once at each (1: a drop was not published)."""
    with signals_raise():
        if once:
            return max(_Look(one, lang).run() for one in rules)
        turns = Turns(rules)
        while True:
            for one in turns.due():
                if one.drops() or strays(one):
                    _Look(one, lang).run()
            try:
                time.sleep(turns.wait())
            except InterruptedRunError:  # nothing was under way
                return 0


class _Look:
    """One look. A signal ends the run under way so that it says so and gives the drop back; no other is begun."""

    def __init__(self, rules: Rulebook, lang: str) -> None:
        self._rules = rules
        self._lang = lang
        self._stopped: InterruptedRunError | None = None

    def run(self) -> int:
        """Publish every complete drop. Raises InterruptedRunError if a signal stopped it."""
        name, text = summary(look(self._rules, self._one))
        self._say(f"{name}: {text.said(self._lang)}")
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
            self._say(f"{shown_line(rules.called(drop))}: {shown(reason(error).said(self._lang))}")
            return INVALID if isinstance(error, UsageError) else UNDECIDED
        self._say(f"{shown_line(rules.called(drop))}: {said(outcome).said(self._lang)}")
        return _STATES.get(outcome.status, UNDECIDED)

    def _publish(self, rules: Rulebook, drop: Path) -> Outcome:
        registry = Registry(rules.registry)
        outcome = publish_drop(drop, rules.gate(drop), registry, wait=False, execute=self._execute)
        for refused in notify(rules, outcome):
            self._say(Message("not told: {reason}", reason=refused).said(self._lang))
        return outcome

    def _execute(self, session: Session) -> str | None:
        """Run a plan; returns the name of the signal that stopped it."""
        try:
            session.run()
        except InterruptedRunError as stopped:
            self._stopped = stopped
            return stopped.name
        return None

    def _say(self, line: str) -> None:
        sys.stderr.write(f"{line}\n")
