"""Open a file without following links, and read it once: hashed, decompressed, in bounded pieces."""

from __future__ import annotations

import hashlib
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from datacheck.loading.rejected import remark

_BLOCK = 1024**2
# O_PATH (Linux) asks only for the right to pass through, as opening by the whole path does.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# One zstd block (128 KiB) may take four bytes, so the input handed over at once bounds the output.
_ZSTD_INPUT = 1024
_ZSTD_WINDOW = 128 * 1024**2
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class Identity(NamedTuple):
    """What `fstat` says about a file; any difference means that it was changed or replaced.

    Not its device: each node of a cluster numbers those by itself.
    """

    inode: int
    size: int
    mtime_ns: int


class DamagedError(Exception):
    """The compressed data is cut, broken or a bomb; `args` is (code, message)."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; links, devices, pipes and directories raise OSError.

    The way is walked folder by folder, each opened within the one before and none through a link: a folder that is
    swapped for a link after the files were listed leads nowhere. So the caller resolves the path, once.
    """
    folder = os.open("/" if path.is_absolute() else ".", _FOLDER)
    try:
        for name in path.parts[1 if path.is_absolute() else 0 : -1]:
            above, folder = folder, os.open(name, _FOLDER, dir_fd=folder)
            os.close(above)
        descriptor = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("not a regular file")
    return os.fdopen(descriptor, "rb", buffering=0)


def identity(file: BinaryIO) -> Identity:
    """Return the identity of an open file."""
    status = os.fstat(file.fileno())
    return Identity(status.st_ino, status.st_size, status.st_mtime_ns)


class Hashed:
    """A file's raw bytes, each read and hashed once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()
        self.bytes = 0

    def read(self, size: int = _BLOCK) -> bytes:
        """Return up to `size` bytes; empty at the end."""
        block = self.read_ahead(size)
        self.sha256.update(block)
        return block

    def read_ahead(self, size: int = _BLOCK) -> bytes:
        """Return up to `size` bytes that the caller puts into `sha256`, in order, before anything else is read."""
        block = self._file.read(size)
        self.bytes += len(block)
        return block

    def drain(self) -> None:
        """Hash what is left without using it."""
        while self.read():
            pass

    def hexdigest(self) -> str:
        """Return the sha256 of the bytes read so far."""
        return self.sha256.hexdigest()


def plain(raw: Hashed, head: bytes) -> Iterator[bytes]:
    """Yield `head` and the rest of the file, not hashed yet: the buffer that they go to does that."""
    if head:
        yield head
    while block := raw.read_ahead():
        yield block


def gunzip(raw: Hashed, head: bytes) -> Iterator[bytes]:
    """Yield the decompressed bytes of all gzip members; zero padding after the last one is allowed."""
    pending = head
    while True:
        pending = pending or raw.read()
        if not pending:
            return
        if not pending.strip(b"\0"):
            pending = b""
            continue
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            pending = pending or raw.read()
            try:
                out = member.decompress(pending, _BLOCK)
            except zlib.error:
                raise DamagedError("bad_compression", remark("gzip: broken header, data or checksum")) from None
            if out:
                yield out  # there may be more inside even when no input is left
            elif not pending and not member.eof:
                raise DamagedError("truncated_compression", remark("gzip: the data ends inside a member"))
            pending = member.unconsumed_tail or member.unused_data


def unzstd(raw: Hashed, head: bytes) -> Iterator[bytes]:
    """Yield the decompressed bytes of all zstd frames."""
    import zstandard  # only files that need it pay for it

    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    pending = head
    while True:
        pending = pending or raw.read()
        if not pending:
            return
        while len(pending) < len(ZSTD_MAGIC) and (more := raw.read()):
            pending += more
        if pending[1:4] == b"\x2a\x4d\x18" and pending[0] >> 4 == 5:  # skippable frame
            pending = _skip_frame(raw, pending)
            continue
        frame = decompressor.decompressobj()
        while not frame.eof:
            if not pending:
                pending = raw.read()
            if not pending:
                raise DamagedError("truncated_compression", remark("zstd: the data ends inside a frame"))
            piece, pending = pending[:_ZSTD_INPUT], pending[_ZSTD_INPUT:]
            try:
                out = frame.decompress(piece)
            except zstandard.ZstdError:
                raise DamagedError("bad_compression", remark("zstd: broken frame, checksum or window")) from None
            if out:
                yield out
            if frame.eof:
                pending = frame.unused_data + pending


def _skip_frame(raw: Hashed, pending: bytes) -> bytes:
    while len(pending) < 8 and (more := raw.read()):
        pending += more
    left = 8 + int.from_bytes(pending[4:8], "little")
    while len(pending) < left:
        left -= len(pending)
        pending = raw.read()
        if not pending:
            raise DamagedError("truncated_compression", remark("zstd: the data ends inside a frame"))
    return pending[left:]


def bounded(blocks: Iterator[bytes], raw: Hashed, ratio: int, above: int) -> Iterator[bytes]:
    """Pass blocks on until they grow beyond `above` bytes and `ratio` times the input."""
    total = 0
    for block in blocks:
        total += len(block)
        if total > above and total > ratio * raw.bytes:
            raise DamagedError("bomb_ratio", remark("more than {ratio} times the compressed size", ratio=ratio))
        yield block


class Buffer:
    """Decoded bytes of a file, taken from the front in pieces whose sizes do not depend on how they arrive.

    `sha256` is that of everything taken so far: what lies before a place in the file, and the place itself.
    """

    def __init__(self, blocks: Iterator[bytes], sha256: hashlib._Hash) -> None:
        self._blocks = blocks
        self.sha256 = sha256
        self._data = bytearray()
        self.taken = 0
        self.ended = False
        self.damage: tuple[str, str] | None = None

    def fill(self, size: int) -> bytearray:
        """Return the buffered bytes after trying to have at least `size` of them."""
        while len(self._data) < size and not self.ended:
            try:
                block = next(self._blocks, None)
            except DamagedError as damage:
                self.damage = damage.args[0], damage.args[1]
                block = None
            if block is None:
                self.ended = True
            else:
                self._data += block
        return self._data

    def take(self, size: int) -> bytes:
        """Remove and return the first `size` bytes."""
        with memoryview(self._data) as view:
            data = bytes(view[:size])
        del self._data[:size]
        self.sha256.update(data)
        self.taken += len(data)
        return data

    def stop(self) -> None:
        """Read no more: what was not decoded yet is left to `Hashed.drain`."""
        self.take_all()
        self.ended = True

    def take_all(self) -> None:
        """Pass over what is buffered."""
        self.take(len(self._data))


def sha256(path: Path) -> tuple[int, str]:
    """Return size and sha256 of a file. Raises OSError if it cannot be opened or is no regular file."""
    with open_regular(path) as file:
        raw = Hashed(file)
        raw.drain()
        return raw.bytes, raw.hexdigest()
