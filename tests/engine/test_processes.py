"""Children are started with an allocator that keeps freed pages; the caller's own environment stays as it was."""

import os
from multiprocessing.context import SpawnProcess

import pytest

from datacheck.engine.processes import ChildContext

NAME = "_RJEM_MALLOC_CONF"


@pytest.mark.parametrize("before", [None, "", "dirty_decay_ms:500,muzzy_decay_ms:1000"])
def test_only_a_child_finds_how_its_allocator_works(monkeypatch, before):
    monkeypatch.delenv(NAME, raising=False)
    if before is not None:
        monkeypatch.setenv(NAME, before)
    seen = []
    monkeypatch.setattr(SpawnProcess, "start", lambda _: seen.append(os.environ[NAME]))
    ChildContext.Process(target=print).start()
    (given,) = seen
    assert dict(each.split(":") for each in given.split(",")) == dict.fromkeys(
        ["dirty_decay_ms", "muzzy_decay_ms"], "10000"
    )
    assert os.environ.get(NAME) == before
