"""What libraries are told before they are imported."""

import os

import pytest

from datacheck.engine.threads import PER_ARENA, few_threads


@pytest.mark.parametrize(("processors", "arenas"), [(1, 1), (2, 1), (4 * PER_ARENA, 4), (None, 1)])
def test_few_arenas_for_few_processors(monkeypatch: pytest.MonkeyPatch, processors: int | None, arenas: int) -> None:
    for name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "7")
    for name in ("_RJEM_MALLOC_CONF", "MALLOC_ARENA_MAX"):
        monkeypatch.setenv(name, "")  # so that it is put back
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    few_threads(3)
    assert os.environ["POLARS_MAX_THREADS"] == "3"
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ["_RJEM_MALLOC_CONF"] == f"narenas:{arenas}"
    assert os.environ["MALLOC_ARENA_MAX"] == str(arenas)


def test_what_a_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLARS_MAX_THREADS", "1")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setenv("_RJEM_MALLOC_CONF", "narenas:9")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "5")
    few_threads(1)
    assert os.environ["_RJEM_MALLOC_CONF"] == "narenas:9"
    assert os.environ["MALLOC_ARENA_MAX"] == "5"
