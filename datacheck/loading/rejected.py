"""A record that is not loaded, and what is said of it."""

from datacheck.errors import reason_of
from datacheck.i18n.message import Message, Parameter


def remark(english: str, /, **params: Parameter) -> str:
    """A sentence on a line or a file, packed as the table `lines` holds it."""
    return Message(english, **params).packed


def in_words(size: int) -> str:
    """Return a number of bytes as a message names it. A bare run of digits would be masked as a phone number."""
    return f"{size // 1024**2} MiB" if size and not size % 1024**2 else f"{size:,} bytes"


def too_long(size: int, limit: int) -> str:
    """What is said of a record with so many bytes."""
    return remark("{size:,} bytes; the limit is {limit}", size=size, limit=in_words(limit))


def unopened(error: OSError) -> str:
    """Why a file cannot be opened."""
    return remark("not a regular file") if error.strerror is None else reason_of(error).packed


class Rejected(Exception):
    """The record is bad; `code` names why, see codes.py."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.message = message
