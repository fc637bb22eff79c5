"""Read what can kill a process in a process of its own.

A damaged Arrow or Parquet file can crash the library that reads it, and nothing in Python can catch that. Where a
command reads such a file itself (a run has its workers for it), a child does, one table at a time; a child that dies,
or takes longer for a table than a run may for a step, is an error which names the file. Text is parsed by code that
cannot crash, here.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from datacheck.engine.processes import ChildContext, ends_after, longest, prepare_child
from datacheck.errors import DatacheckError, LoadError, crash
from datacheck.files.shown_names import shown_name
from datacheck.loading.parse import parse
from datacheck.loading.reader import Chunk, read
from datacheck.loading.reading import Reading
from datacheck.loading.tables import BINARY, Tables

T = TypeVar("T")


def tables_of(chunk: Chunk, reading: Reading, *, records: bool = False) -> Iterator[Tables]:
    """As `parse`; raises LoadError where the file kills the process that reads it."""
    if chunk.kind in BINARY:
        yield from contained(Path(chunk.path or ""), partial(parse, records=records), chunk, reading)
    else:
        yield from parse(chunk, reading, records=records)


def tables_in(path: Path, reading: Reading, *, records: bool = False) -> Iterator[tuple[Chunk, Tables]]:
    """All tables of a file in order, each with the chunk that it was read from; as `tables_of`."""
    for chunk in read(path, reading):
        for tables in tables_of(chunk, reading, records=records):
            yield chunk, tables


def contained(file: Path, work: Callable[..., Iterator[T]], *given: Any) -> Iterator[T]:
    """Yield what `work(*given)` yields in a child, and no more of it than is asked for; errors of ours come back.

    Raises LoadError with the name of the `file` that it reads where the child dies, or takes too long for one item.
    """
    limit = longest(file.stat().st_size if file.exists() else 0)
    child = _idle.pop() if _idle else _Child()
    try:
        child.ask((work, given, limit))
        while item := child.ask(None):
            yield item[0]
    except GeneratorExit:  # nobody wants the rest
        _idle.append(child)
        raise
    except (EOFError, OSError):
        raise _lost(file, child.end(), limit) from None
    except BaseException:
        child.end()
        raise
    _idle.append(child)


def _lost(file: Path, end: str, limit: float) -> LoadError:
    name = shown_name(file.name)
    if end == signal.SIGALRM.name:
        return LoadError(
            "{name}: reading it took longer than {seconds:g} s and was ended; is the file damaged?",
            name=name,
            seconds=limit,
        )
    return LoadError(
        "{name}: the process that read it was killed ({end}: out of memory, or a crash in native code); "
        "is the file damaged?",
        name=name,
        end=end,
    )


class _Child:
    """A process that answers one question after the other; it ends with this one."""

    def __init__(self) -> None:
        context = ChildContext()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_answer, args=(theirs,), daemon=True, name="reader")
        self._process.start()
        theirs.close()

    def ask(self, question: Any) -> Any:
        """Its answer. Raises EOFError or OSError where it has died."""
        self._pipe.send(question)
        answer = self._pipe.recv()
        if isinstance(answer, DatacheckError):
            raise answer
        return answer

    def end(self) -> str:
        """End it, if it has not; says how it ended."""
        self._process.join(1)
        self._process.kill()
        self._process.join()
        self._pipe.close()
        code = self._process.exitcode or 0
        with suppress(ValueError):
            return signal.Signals(-code).name
        return f"exit code {code}"


_idle: list[_Child] = []  # a child takes a second to start


def _answer(pipe: Connection) -> None:
    """What the child does: begin with a piece of work, or give its next item."""
    prepare_child(None, 1)
    items: Iterator[Any] = iter(())
    limit = 0.0
    with suppress(EOFError, OSError):
        while True:
            question = pipe.recv()
            try:
                if question is None:
                    with ends_after(limit):
                        answer: Any = tuple(islice(items, 1))
                else:
                    work, given, limit = question
                    items, answer = iter(work(*given)), None
            except DatacheckError as error:
                answer = error
            except BaseException as error:  # noqa: BLE001 - polars' panics are no Exception
                answer = DatacheckError(crash(error))
            pipe.send(answer)
