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

import difflib
import errno
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, NamedTuple

from datacheck.i18n.message import Message, Parameter


class DatacheckError(Exception):
    """Base of all; carries the exit code of the process.

    Args:
        message: a sentence of ours, or its id with `params`. `str()` of the error is the English sentence.

    """

    exit_code: ClassVar[int] = 3

    def __init__(self, message: str | Message = "", /, **params: Parameter) -> None:
        self.message = Message(message, **params) if isinstance(message, str) else message
        super().__init__(self.message)


class UsageError(DatacheckError):
    """The command, an option or a path is wrong."""

    exit_code: ClassVar[int] = 2


class Problem(NamedTuple):
    """One mistake in a contract: where it stands, what is wrong, what to write instead."""

    file: str
    line: int
    path: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        return _printable(place + (f"{self.path}: " if self.path else "") + self.message)


def _printable(text: str) -> str:
    """A stranger's contract must not steer the terminal (escape sequences, reversed text)."""
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text)


class ContractError(UsageError):
    """The contract cannot be used; `problems` holds every mistake, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))


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
    errno.ENOSPC: "free space and run again",
    errno.EDQUOT: "free space and run again",
    errno.EFBIG: "let files grow larger (ulimit -f) and run again",
    errno.EROFS: "choose a place where you may write",
    errno.EPIPE: "who read the output has gone",
}


def crash(error: BaseException) -> str:
    """One line on an exception that nobody expected: its type and place, never its message, which could hold data.

    Of a full disk and the like it says what to do.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    reason = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
    hint = _HINTS.get(error.errno or 0) if isinstance(error, OSError) else None
    what = f"nothing is decided; {hint}" if hint else "a fault of datacheck or of the machine, see --debug"
    return f"datacheck: {type(error).__name__}{place}{reason}; {what}"


def unknown(what: str, given: str, known: Iterable[str]) -> str:
    """A name that nobody knows, and the one that may have been meant."""
    known = list(known)
    near = difflib.get_close_matches(given, known, n=1)
    return f"unknown {what}; " + (f"did you mean '{near[0]}'?" if near else f"known: {', '.join(sorted(known))}")


def near_or_known(given: str, known: Iterable[str]) -> tuple[str, str]:
    """What to write instead of a key that is not there, behind a sentence: English, Chinese; empty for no known one."""
    known = sorted(known)
    near = difflib.get_close_matches(given, known, n=1)
    if near:
        return f"; did you mean `{near[0]}`?", f"；是否想写 `{near[0]}`？"
    listed = [f"`{name}`" for name in known[:8]]
    return (f"; the rows have {', '.join(listed)}", f"；数据中的键有 {'、'.join(listed)}") if listed else ("", "")
