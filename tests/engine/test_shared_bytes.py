"""Bytes on their way to a worker: the same at the other end, unchangeable meanwhile, and gone afterwards."""

import os
import pickle
import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from datacheck.engine import shared_bytes
from datacheck.engine.processes import ChildContext
from datacheck.engine.shared_bytes import handed

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="memfd_create is Linux only")
DATA = random.Random(1).randbytes(3 * 1024 * 1024 + 1)


def of_ours():
    links = [Path(f"/proc/self/fd/{number}") for number in range(3, 200)]
    return [link for link in links if link.is_symlink() and "memfd:datacheck" in str(link.readlink())]


def test_a_child_gets_the_same_bytes():
    with ProcessPoolExecutor(1, mp_context=ChildContext()) as pool:
        assert pool.submit(bytes, handed(DATA)).result() == DATA


def test_little_is_pickled_and_nothing_stays_open():
    held = handed(DATA)
    assert len(pickle.dumps(held)) < 200
    assert pickle.loads(pickle.dumps(held)) == DATA
    assert len(of_ours()) == 1
    del held
    assert of_ours() == []


def test_what_is_on_its_way_cannot_be_changed():
    held = handed(DATA)
    (link,) = of_ours()
    with link.open("r+b", buffering=0) as file, pytest.raises(PermissionError):
        file.write(b"x")
    assert pickle.loads(pickle.dumps(held)) == DATA


def test_without_memory_files_the_bytes_go_as_they_are(monkeypatch):
    def forbidden(*_):
        raise PermissionError

    assert handed(b"little") == b"little"
    monkeypatch.setattr(os, "memfd_create", forbidden)
    assert handed(DATA) is DATA
    monkeypatch.setattr(shared_bytes, "_possible", lambda: False)
    assert handed(DATA) is DATA
