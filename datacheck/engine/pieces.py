"""Cut files in workers: what comes back says where the chunks of a file lie and what they must be, never their bytes.

A file is read and hashed by one task, small ones together by one; whoever parses a chunk reads it where it lies. What
is compressed is written out beside the store's tables for as long as loading lasts, so that its chunks lie somewhere.
"""

import hashlib
import io
import platform
import secrets
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from datacheck.engine.pool import Pool
from datacheck.engine.sharing import SharedValue, Sharing
from datacheck.engine.workers import Failure, StepFailedError
from datacheck.errors import LoadError
from datacheck.files.inventory import FoundFile
from datacheck.i18n.message import Message
from datacheck.loading import files
from datacheck.loading.reader import Chunk, FileSeen, read
from datacheck.loading.reading import Reading
from datacheck.loading.tables import BINARY

TOGETHER = 8 * 1024 * 1024  # bytes of files that one task cuts; a longer file has its own
Chunks = Generator[Chunk, None, FileSeen]


class CutFile(NamedTuple):
    """The chunks of a file without their bytes, and what the file is."""

    chunks: tuple[Chunk, ...]
    seen: FileSeen

    def again(self) -> Chunks:
        """As `read` gives them."""
        yield from self.chunks
        return self.seen


@dataclass(frozen=True)
class CutTask:
    """Cut some files; `spool`: the folder for what is compressed in them, None where no worker sees another's."""

    paths: tuple[Path, ...]
    shared: SharedValue[Reading]
    spool: Path | None


def cut_apart(
    entries: Iterable[FoundFile], reading: Reading, workers: Pool, sharing: Sharing, spool: Path | None, *, debug: bool
) -> Iterator[Chunks]:
    """The chunks of one file after the other, cut by workers. Raises StepFailedError, LoadError."""
    together = list(_together(entries))
    shared = sharing.share(reading)
    tasks = (CutTask(tuple(entry.path for entry in group), shared, spool) for group in together)
    slim = (sharing.share(task) if len(task.paths) > 1 else task for task in tasks)
    for group, outcome in zip(together, workers.map(cut_files, slim, debug=debug), strict=True):
        if isinstance(outcome, Failure):
            raise StepFailedError(named(outcome, group[0].name))
        for entry, cut in zip(group, outcome, strict=True):
            _require_seen(entry, cut.seen)
            yield cut.again()


def named(failure: Failure, file: str) -> Failure:
    """A failure with the file at which it happened; what could not be read says that itself."""
    if failure.kind == LoadError.__name__:
        return failure
    return replace(failure, reason=Message("{name}: {reason}", name=file, reason=failure.reason))


def _together(entries: Iterable[FoundFile]) -> Iterator[tuple[FoundFile, ...]]:
    group: list[FoundFile] = []
    size = 0
    for entry in entries:
        group.append(entry)
        size += entry.size
        if size >= TOGETHER:
            yield tuple(group)
            group, size = [], 0
    if group:
        yield tuple(group)


def _require_seen(entry: FoundFile, seen: FileSeen) -> None:
    """Raises LoadError for a file that a worker could not open and this process can: it is on another disk there."""
    if not any(event.code == "unreadable_file" for event in seen.events):
        return
    try:
        files.open_regular(entry.path).close()
    except OSError:
        return
    raise LoadError("{name}: a worker cannot read it; is it on a disk that all nodes share?", name=entry.name)


# ── in a worker ──────────────────────────────────────────────────────────────────────────────────────
def cut_files(task: CutTask | SharedValue[CutTask]) -> list[CutFile]:
    """What the files of a task hold."""
    task = task.once() if isinstance(task, SharedValue) else task
    reading = task.shared.value()
    return [_cut(path, reading, task.spool) for path in task.paths]


def _cut(path: Path, reading: Reading, spool: Path | None) -> CutFile:
    reader, decoded = read(path, reading), spool and spool / secrets.token_hex(8)
    chunks: list[Chunk] = []
    while True:
        try:
            chunk = next(reader)
        except StopIteration as end:
            return CutFile(tuple(chunks), end.value)
        chunks.append(chunk if chunk.kind in BINARY else _placed(chunk, decoded))


def _placed(chunk: Chunk, decoded: Path | None) -> Chunk:
    """A chunk by its place: in its own file, or in the one that takes what that holds compressed. Raises LoadError."""
    if chunk.path is None:
        if decoded is None:
            raise LoadError(
                "a compressed file cannot be read by workers of several machines whose store is in a bucket; "
                "give it uncompressed, or the store in a folder that all nodes share"
            )
        with decoded.open("r+b" if decoded.exists() else "xb") as file:
            file.seek(chunk.first_byte)  # what no chunk covers stays a hole
            file.write(chunk.data)
    return replace(chunk, data=b"", path=chunk.path or str(decoded), digest=hashlib.sha256(chunk.data).hexdigest())


def filled(chunk: Chunk, name: str) -> Chunk:
    """A chunk with its bytes. Raises LoadError where they are not those that were cut."""
    if not chunk.digest:
        return chunk
    data = b""
    try:
        with io.BufferedReader(files.open_regular(Path(chunk.path or ""))) as file:  # type: ignore[type-var]
            file.seek(chunk.first_byte)
            data = file.read(chunk.size)
    except OSError:
        pass
    if hashlib.sha256(data).hexdigest() != chunk.digest:
        raise LoadError(
            "{name}: {host} does not find what was read before; did it change, or is it on a disk of one node?",
            name=name,
            host=platform.node(),
        )
    return replace(chunk, data=data, digest="")
