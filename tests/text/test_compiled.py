"""When compiled kernels are loaded: never because of little data, unless they were compiled before."""

import sys

import pytest

from datacheck.text import compiled
from datacheck.text.compiled import COLD, LOADED, cache_folder, for_little_data, pays


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """Nothing was ever compiled, and nothing is loaded."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delitem(sys.modules, "datacheck.text.scan", raising=False)
    compiled._kept.cache_clear()
    for_little_data(False)
    yield
    for_little_data(False)
    compiled._kept.cache_clear()


def test_much_data_pays_from_the_least_on(cold):
    assert not pays(999, 1000, "scan")
    assert pays(1000, 1000, "scan")


def test_little_data_does_not_pay_for_compiling(cold):
    for_little_data(True)
    assert not pays(COLD * 1000 - 1, 1000, "scan")
    assert pays(COLD * 1000, 1000, "scan")


def test_little_data_takes_what_is_on_disk(cold, tmp_path):
    for_little_data(True)
    folder = compiled.Path(cache_folder()) / "text_0"
    folder.mkdir()
    (folder / "kernels.f-1.py311.nbi").touch()
    assert not pays(1000, 1000, "scan")
    assert pays(1000, 1000, "kernels")


def test_what_is_loaded_pays_soon(cold, monkeypatch):
    monkeypatch.setitem(sys.modules, "datacheck.text.scan", compiled)
    assert pays(1000 // LOADED + 1, 1000, "scan")
    assert not pays(1000 // LOADED - 1, 1000, "scan")
