"""What two processes of one machine say to each other: large tables by memory that both map, all else pickled.

Pickled, 57 MB of texts are copied at each step of their way: .52 CPU s. As a file in memory that the other one maps,
.1 s (measured, 2026-11-29).
"""

from __future__ import annotations

import io
import os
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler, recv_handle, send_handle
from pickle import Unpickler
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

LARGE = 1 << 18  # bytes of a table, from which on it pays to map it


class TablePipe:
    """One end of a pipe (a pair of sockets). What is sent is pickled; as of any pipe, both ends trust each other."""

    def __init__(self, pipe: Connection) -> None:
        """From here on nobody else uses the pipe."""
        # polars (2.1) pickles a table of several pieces with its threads and keeps Python from going on meanwhile;
        # where one of them is busy with an expression in Python, of another step, neither goes on.
        import polars as pl

        ForkingPickler.register(pl.DataFrame, _as_bytes)
        self._pipe = pipe

    def send(self, thing: Any) -> None:
        """Raises OSError where nobody is at the other end any more."""
        written = io.BytesIO()
        pickler = _Pickler(written)
        try:
            pickler.dump(thing)
            self._pipe.send_bytes(written.getbuffer())
            for file in pickler.files:
                send_handle(self._pipe, file, None)
        finally:
            for file in pickler.files:
                os.close(file)

    def recv(self) -> Any:
        """Wait for it. Raises EOFError or OSError where nobody is at the other end any more."""
        return _Unpickler(io.BytesIO(self._pipe.recv_bytes()), self._pipe).load()

    def close(self) -> None:
        """Say no more."""
        self._pipe.close()


class _Pickler(ForkingPickler):
    def __init__(self, written: io.BytesIO) -> None:
        super().__init__(written)
        self.files: list[int] = []

    def persistent_id(self, thing: Any) -> int | None:
        """The number of the file that a large table was written to."""
        import polars as pl

        if not isinstance(thing, pl.DataFrame) or thing.estimated_size() < LARGE or not hasattr(os, "memfd_create"):
            return None
        self.files.append(os.memfd_create("table"))
        thing.write_ipc(f"/dev/fd/{self.files[-1]}")
        return len(self.files) - 1


class _Unpickler(Unpickler):
    def __init__(self, read: io.BytesIO, pipe: Connection) -> None:
        super().__init__(read)
        self._pipe = pipe

    def persistent_load(self, number: int) -> pl.DataFrame:  # noqa: ARG002 - they come in the order of their numbers
        """The table in the next file; its memory is free when nothing is left of the table."""
        import polars as pl

        file = recv_handle(self._pipe)
        try:
            return pl.read_ipc(f"/dev/fd/{file}")
        finally:
            os.close(file)


def _as_bytes(table: pl.DataFrame) -> tuple[Callable[[bytes], pl.DataFrame], tuple[bytes]]:
    written = io.BytesIO()
    table.write_ipc(written)
    return _from_bytes, (written.getvalue(),)


def _from_bytes(written: bytes) -> pl.DataFrame:
    import polars as pl

    return pl.read_ipc(written)
