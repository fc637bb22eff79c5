"""What two processes say to each other, tables of all sizes among it."""

import os
import threading
from multiprocessing import Pipe
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import polars as pl
import pytest

from datacheck.engine import table_pipe
from datacheck.engine.table_pipe import TablePipe

PIECE = pl.DataFrame({"text": ["a", None, "久" * 90], "many": [["x"], [], None], "kind": ["b", "c", "b"]})
TABLE = pl.concat([PIECE, PIECE], rechunk=False).cast({"kind": pl.Categorical})
SAID = (TABLE, {"none": TABLE.clear(), "bare": TABLE.head(0).select()}, TABLE, b"bytes", len)


def sent(monkeypatch, *said):
    """What arrives of it."""
    others = {kind: how for kind, how in ForkingPickler._extra_reducers.items() if kind is not pl.DataFrame}
    monkeypatch.setattr(ForkingPickler, "_extra_reducers", others)  # a run before may have said how
    monkeypatch.setattr(pl.DataFrame, "__getstate__", None)  # polars' own way, which may wait for Python
    ours, theirs = map(TablePipe, Pipe())
    sender = threading.Thread(target=lambda: [ours.send(each) for each in said])
    sender.start()
    arrived = [theirs.recv() for _ in said]
    sender.join()
    ours.close()
    with pytest.raises((EOFError, OSError)):
        theirs.recv()
    return arrived


@pytest.mark.parametrize("large", [0, table_pipe.LARGE], ids=["mapped", "pickled"])
def test_tables_are_sent_without_what_waits_for_threads_of_polars(monkeypatch, large):
    monkeypatch.setattr(table_pipe, "LARGE", large)
    first, named, again, *rest = sent(monkeypatch, SAID)[0]
    assert first.equals(TABLE)
    assert again.equals(TABLE)
    assert first.schema == TABLE.schema
    assert named["none"].equals(TABLE.clear())
    assert named["bare"].shape == (0, 0)
    assert rest == [b"bytes", len]


def test_large_tables_are_in_no_pickle_and_leave_no_file(monkeypatch):
    table = pl.DataFrame({"text": ["久" * 1000] * 1000})
    monkeypatch.setattr(table_pipe, "_as_bytes", None)
    before = len(list(Path("/dev/fd").iterdir()))
    first, second = sent(monkeypatch, table, [table, table])
    assert first.equals(table)
    assert second[1].equals(table)
    assert len(list(Path("/dev/fd").iterdir())) <= before + 1  # the end that was not closed


def test_where_no_file_can_be_in_memory_all_is_pickled(monkeypatch):
    monkeypatch.setattr(table_pipe, "LARGE", 0)
    monkeypatch.delattr(os, "memfd_create")
    assert sent(monkeypatch, TABLE)[0].equals(TABLE)
