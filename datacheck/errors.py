"""Every exception that datacheck raises on purpose, and the exit code of each.

    DatacheckError            3   could not decide
    ├── UsageError            2   command or path wrong
    │   └── ContractError     2   contract wrong; one line per problem
    ├── LoadError             3   the data could not be opened at all
    ├── CheckAuthorError      3   a check or feature broke its own rules
    └── RefusedError              the gate: this data must not be used
        ├── FailedError      10   its verdict is failed, or was revoked
        ├── NotValidatedError 11  there is no verdict
        ├── TamperedError    12   data, verdict or manifest are not what was signed, or a verdict is out of date
        ├── WaiverError      13   a waiver is expired or invalid
        └── UnknownKeyError  14   signed with an unknown key, or judged by another contract

Data that breaks its contract is a result, never an exception. Messages read
`where: what is wrong; what was expected` and never hold data.
"""

from __future__ import annotations

import difflib
import errno
import re
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from datacheck.i18n.message import Message, Parameter, Quoted, SaidError, joined

if TYPE_CHECKING:
    from typing import Self  # of 3.11; the guard runs on 3.10


class DatacheckError(SaidError):
    """Base of all that end a command; carries the exit code of the process."""

    exit_code: ClassVar[int] = 3

    @classmethod
    @contextmanager
    def instead(
        cls, of: type[Exception] | tuple[type[Exception], ...], message: str = "{reason}", /, **params: Parameter
    ) -> Iterator[None]:
        """Raise this error where the block raises `of`, without it; `{reason}` in the message is why that came up."""
        try:
            yield
        except of as error:
            why: dict[str, Parameter] = {"reason": reason_of(error)} if "{reason}" in message else {}
            raise cls(message, **params, **why) from None


class WrongValueError(SaidError, ValueError):
    """A setting of a contract that its model refuses."""


class UsageError(DatacheckError):
    """The command, an option or a path is wrong."""

    exit_code: ClassVar[int] = 2


class Problem(NamedTuple):
    """One mistake in a contract: where it stands, what is wrong, what to write instead."""

    file: str
    line: int
    path: str
    message: Message

    def whole(self) -> Message:
        """The line that is shown."""
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        place = printable(place + (f"{self.path}: " if self.path else ""))
        return Message("{place}{what}", place=place, what=_printable(self.message))

    def __str__(self) -> str:
        return str(self.whole())


def _printable(message: Message) -> Message:
    """The message, with what is filled in made printable."""
    again = Message.from_json(message.to_json())
    again.params = {
        name: _printable(each) if isinstance(each, Message) else printable(each) if isinstance(each, str) else each
        for name, each in message.params.items()
    }
    return again


def printable(text: str) -> str:
    """A stranger's contract must not steer the terminal (escape sequences, reversed text)."""
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text)


class ContractError(UsageError):
    """The contract cannot be used; `problems` holds every mistake, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda each: (*each[:3], str(each.message))))
        super().__init__(joined([each.whole() for each in self.problems], "\n"))

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), (self.problems,)


class LoadError(DatacheckError):
    """A file of the data could not be opened or changed while it was read."""


class CheckAuthorError(DatacheckError):
    """A check or feature broke its own rules (wrong columns, undeclared values)."""


class RefusedError(DatacheckError):
    """The gate refuses a version of data."""


class FailedError(RefusedError):
    """The verdict is failed, or was revoked."""

    exit_code: ClassVar[int] = 10


class NotValidatedError(RefusedError):
    """There is no verdict."""

    exit_code: ClassVar[int] = 11


class TamperedError(RefusedError):
    """Something is not what was signed."""

    exit_code: ClassVar[int] = 12


class WaiverError(RefusedError):
    """A waiver is expired, or is not one for this version."""

    exit_code: ClassVar[int] = 13


class UnknownKeyError(RefusedError):
    """A key that nobody trusts for this, or another contract than the one that was asked for."""

    exit_code: ClassVar[int] = 14


def trace_of(error: BaseException) -> str:
    """Return the traceback of an error and of those before it, by place and type.

    Messages stay out unless they are our own: those of parsers and libraries quote the data.
    """
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    frames = "".join(traceback.format_tb(error.__traceback__))
    message = f": {error}" if isinstance(error, DatacheckError) else ""
    earlier = f"{trace_of(before)}\n" if before else ""
    return f"{earlier}{frames}{type(error).__name__}{message}\n"


_HINTS = {
    errno.ENOSPC: Message("free space and run again"),
    errno.EDQUOT: Message("free space and run again"),
    errno.EFBIG: Message("let files grow larger (ulimit -f) and run again"),
    errno.EROFS: Message("choose a place where you may write"),
    errno.EPIPE: Message("who read the output has gone"),
}
_MACHINE = Quoted(
    "No such file or directory",
    "Permission denied",
    "Operation not permitted",
    "Is a directory",
    "Not a directory",
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "File name too long",
    "File too large",
    "File exists",
    "Too many levels of symbolic links",
    "Too many open files",
    "Input/output error",
    "Broken pipe",
    "Invalid argument",
)


def reason_of(error: BaseException) -> Message:
    """Why something failed: what the machine says, our own sentence, or else the error's type; never data."""
    if isinstance(error, SaidError):
        return error.message
    said = error.strerror if isinstance(error, OSError) else None
    return _MACHINE.of(said or type(error).__name__)


def crash(error: BaseException) -> Message:
    """One line on an exception that nobody expected: its type and place, never its message, which could hold data.

    Of a full disk and the like it says what to do.
    """
    frames = traceback.extract_tb(error.__traceback__)
    kind = type(error).__name__
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    hint = _HINTS.get(error.errno or 0) if isinstance(error, OSError) else None
    what = (
        Message("nothing is decided; {hint}", hint=hint)
        if hint
        else Message("a fault of datacheck or of the machine, see --debug")
    )
    if isinstance(error, OSError) and error.strerror:
        why = reason_of(error)
        return Message("datacheck: {kind} in {place} ({reason}); {what}", kind=kind, place=place, reason=why, what=what)
    return Message("datacheck: {kind} in {place}; {what}", kind=kind, place=place, what=what)


_UNKNOWN = {
    "check": Message("unknown check"),
    "dataset": Message("unknown dataset"),
    "finding": Message("unknown finding"),
    "format": Message("unknown format"),
    "label": Message("unknown label"),
    "metric": Message("unknown metric"),
    "setting": Message("unknown setting"),
    "trainer": Message("unknown trainer"),
    "verdict": Message("unknown verdict"),
}


def unknown(what: str, given: str, known: Iterable[str]) -> Message:
    """A name that nobody knows, and the one that may have been meant."""
    hint = near(given, known)
    if what == "check" and hint.id.startswith("known"):  # of sixty names
        hint = Message("`datacheck checks` lists them")
    return joined((_UNKNOWN[what], hint))


def near(given: str, known: Iterable[str]) -> Message:
    """What to write instead of a name that nobody knows."""
    known = sorted(known)
    spelt = re.sub(r"\W+", "_", given.lower()).strip("_")
    if found := difflib.get_close_matches(given, known, n=1) or difflib.get_close_matches(spelt, known, n=1):
        return Message("did you mean '{near}'?", near=found[0])
    return Message("known: {known}", known=", ".join(known))


def near_file(path: Path) -> str:
    """The name beside a path that does not exist which may have been meant; empty where there is none.

    A link that leads nowhere is no name that is missing, and none to be meant.
    """
    try:
        lost = not path.exists() and not path.is_symlink()
        beside = sorted(each.name for each in path.parent.iterdir() if each.exists()) if lost else []
    except OSError:
        return ""
    return next(iter(difflib.get_close_matches(path.name, beside, n=1)), "")
