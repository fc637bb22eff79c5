"""Each line and byte of an input is a row, bad or blank: where the reader is broken so that some get lost, it says so."""

from types import SimpleNamespace

import pytest

from datacheck.engine import ingest
from datacheck.loading import parse as parsing
from datacheck.loading import reader
from datacheck.loading.assemble import Assembler
from datacheck.loading.counts import AccountingError
from datacheck.loading.reader import Event

DATA = b'{"text": "a"}\n{"text": \n\n{"text": "b"}\n'


def test_nothing_is_lost(load):
    assert load(DATA).counts == (4, 1, 1, 2, len(DATA))


@pytest.mark.parametrize(
    ("owner", "name"), [(Assembler, "bad"), (Assembler, "blank"), (Assembler, "add_alike"), (parsing, "_line")]
)
def test_lines_that_get_lost_are_missed(load, monkeypatch, owner, name):
    monkeypatch.setattr(owner, name, lambda *_, **__: None)
    with pytest.raises(AccountingError, match="4 lines; rows, bad and blank"):
        load(DATA)


def test_bytes_that_get_lost_in_a_chunk_are_missed(load, monkeypatch):
    whole = parsing._json_lines
    monkeypatch.setattr(parsing, "_json_lines", lambda chunk, *more: (4, whole(chunk, *more)[1] - 1))
    with pytest.raises(AccountingError, match=f"{len(DATA)} bytes in the chunk, {len(DATA) - 1} accounted for"):
        load(DATA)


def test_bytes_that_get_lost_between_chunks_are_missed(load, monkeypatch):
    whole = reader._File._emit

    def emit(self, kind, data, **more):
        chunk = whole(self, kind, data, **more)
        self.covered -= 1
        return chunk

    monkeypatch.setattr(reader._File, "_emit", emit)
    with pytest.raises(AccountingError, match=f"{len(DATA)} bytes read, {len(DATA) - 1} accounted for"):
        load(DATA)


def test_half_a_file_passes_only_where_a_remark_says_so():
    entry = SimpleNamespace(name="a.jsonl")
    for code, fine in ((None, False), ("no_final_newline", False), ("truncated_compression", True)):
        seen = SimpleNamespace(decoded=8, events=[Event(None, None, None, code, "")] if code else [])
        ingest._account(entry, seen, 8)
        if fine:
            ingest._account(entry, seen, 4)
        else:
            with pytest.raises(AccountingError, match="8 bytes, 4 of them in chunks"):
                ingest._account(entry, seen, 4)
