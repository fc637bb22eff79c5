"""What long work is doing, in one line on a terminal."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from datacheck.i18n.words import Lang, Phrase, step_in, told

if TYPE_CHECKING:
    from datacheck.engine.expected import Progress as Step
    from datacheck.session.session import Session

_PHRASES: dict[str, Phrase] = {
    "read": "reading",
    "hash": "hashing",
    "check": "checking",
    "sign": "hashing again, signing",
    "rows": "{} rows/s",
    "left": "{} left",
    "waiting": "{} s without a worker",
}
_WIDEST, _LONGEST = 40, 56  # characters of a step's name, and of all that is said beside a bar in 80 columns
_DIGEST = re.compile(r"-[0-9a-f]{8}\b.*")


def step_name(step: str, lang: Lang) -> str:
    """A step as people read it: without the digest that tells features of other settings apart."""
    return step_in(_DIGEST.sub("", step), lang)[:_WIDEST]


def pace(p: "Step", lang: Lang) -> str:
    """How fast it goes and how long it takes yet: bytes and rows of the data per second until all is done."""
    if p.left is None:
        return ""
    whole = p.seconds + p.left
    said = [f"{p.bytes / 1e6 / whole:.1f} MB/s"]
    if p.rows:
        said.append(told(_PHRASES["rows"], lang, f"{p.rows / whole:,.0f}"))
    minutes, seconds = divmod(round(p.left), 60)
    said.append(told(_PHRASES["left"], lang, f"{minutes}:{seconds:02}"))
    return " · ".join(said)


def _line(p: "Step", lang: Lang) -> str:
    if p.waiting:
        return told(_PHRASES["waiting"], lang, f"{p.waiting:.0f}")
    return f"{pace(p, lang)}  {step_name(p.step, lang)}".strip()[:_LONGEST]


@contextmanager
def steps_shown(lang: Lang, console: Console) -> Iterator[Callable[["Step"], None]]:
    """Show a bar while the block runs; gives what hears of every step. Nothing is left of the bar."""
    columns = (BarColumn(8), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(told(_PHRASES["read"], lang), total=None)
        yield lambda p: progress.update(bar, completed=p.done, total=p.of, description=_line(p, lang))


@contextmanager
def phases_shown(lang: Lang, console: Console) -> Iterator["Display"]:
    """Show a bar with its phase while the block runs. Nothing is left of the bar."""
    columns = (BarColumn(10), TaskProgressColumn(), TimeElapsedColumn())
    what = TextColumn("{task.description}", markup=False)
    with Progress(
        *columns, what, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as progress:
        yield Display(lang, progress)


class Display:
    """A bar with its phase; `lang` is that of the phases."""

    def __init__(self, lang: Lang, progress: Progress) -> None:
        self._lang = lang
        self._progress = progress
        self._task: TaskID | None = None
        self._phase = ""

    def hashed(self, read: int, of: int) -> None:
        """So many bytes more, of so many, were hashed."""
        self._show("hash", of)
        self._advance(read)

    def run(self, session: "Session") -> None:
        """Run the plan of a session; afterwards its data is hashed again, which is shown too."""
        self._show("check", len(session.plan))
        session.run(lambda p: self._show("check", p.of, p.done, f" {_line(p, self._lang)}"))
        sealer = session.sealer
        if sealer is not None:
            size = sum(files.size for files in session.files.values())
            self._show("sign", size)
            sealer.tell = self._advance

    def _show(self, phase: str, of: int, done: int | None = None, more: str = "") -> None:
        said = told(_PHRASES[phase], self._lang)
        if phase != self._phase:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._task = self._progress.add_task(said, total=of)
            self._phase = phase
        if self._task is not None and done is not None:
            self._progress.update(self._task, completed=done, total=of, description=f"{said}{more}"[:_LONGEST])

    def _advance(self, read: int) -> None:
        if self._task is not None:
            self._progress.advance(self._task, read)
