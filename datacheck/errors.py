"""Every exception that datacheck raises on purpose, and the exit code of each.

    DatacheckError            3   could not decide
    ├── UsageError            2   command or path wrong
    │   └── ContractError     2   contract wrong; one line per problem
    ├── LoadError             3   the data could not be opened at all
    └── CheckAuthorError      3   a check or feature broke its own rules

Data that breaks its contract is a result, never an exception. Messages read
`where: what is wrong; what was expected` and never hold data.
"""

import difflib
import traceback
from collections.abc import Iterable
from typing import ClassVar, NamedTuple


class DatacheckError(Exception):
    """Base of all; carries the exit code of the process."""

    exit_code: ClassVar[int] = 3


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


def trace_of(error: BaseException) -> str:
    """Return the traceback of an error and of those before it, by place and type.

    Messages stay out unless they are our own: those of parsers and libraries quote the data.
    """
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    frames = "".join(traceback.format_tb(error.__traceback__))
    message = f": {error}" if isinstance(error, DatacheckError) else ""
    earlier = f"{trace_of(before)}\n" if before else ""
    return f"{earlier}{frames}{type(error).__name__}{message}\n"


def unknown(what: str, given: str, known: Iterable[str]) -> str:
    """A name that nobody knows, and the one that may have been meant."""
    known = list(known)
    near = difflib.get_close_matches(given, known, n=1)
    return f"unknown {what}; " + (f"did you mean '{near[0]}'?" if near else f"known: {', '.join(sorted(known))}")
