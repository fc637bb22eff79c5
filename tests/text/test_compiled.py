"""When compiled kernels are loaded: never because of little data, unless they were compiled before."""

import sys

import pytest

from datacheck.text import compiled
from datacheck.text.compiled import COLD, LOADED, cache_folder, for_little_data, give, pays

PYTHON = f"py{sys.version_info[0]}{sys.version_info[1]}"


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """Nothing was ever compiled, and nothing is loaded."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(compiled, "built", lambda: tmp_path / "built")
    monkeypatch.delitem(sys.modules, "datacheck.text.scan", raising=False)
    compiled._kept.cache_clear()
    for_little_data(None)
    yield
    for_little_data(None)
    compiled._kept.cache_clear()


def test_much_data_pays_from_the_least_on(cold):
    assert not pays(999, 1000, "scan")
    assert pays(1000, 1000, "scan")


def test_a_run_over_much_data_takes_what_it_loads_anyway(cold):
    for_little_data(False)
    assert pays(1000 // LOADED + 1, 1000, "scan")
    assert not pays(1000 // LOADED - 1, 1000, "scan")


def test_little_data_does_not_pay_for_compiling(cold):
    for_little_data(True)
    assert not pays(COLD * 1000 - 1, 1000, "scan")
    assert pays(COLD * 1000, 1000, "scan")


def test_little_data_takes_what_is_on_disk(cold, tmp_path):
    for_little_data(True)
    folder = compiled.Path(cache_folder()) / "text_0"
    folder.mkdir()
    (folder / f"kernels.f-1.{PYTHON}.nbi").touch()
    (folder / "scan.f-1.py399.nbi").touch()
    assert not pays(1000, 1000, "scan")
    assert pays(1000, 1000, "kernels")


def test_little_data_takes_what_came_with_the_package(cold, tmp_path):
    for_little_data(True)
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / f"scan.f-1.{PYTHON}.nbi").touch()
    assert pays(1000, 1000, "scan")


def test_what_came_with_the_package_is_copied_once(cold, tmp_path):
    folder = tmp_path / "given"
    give(folder)
    assert not folder.exists()
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "a.nbi").write_text("first")
    give(folder)
    assert (folder / "a.nbi").read_text() == "first"
    (tmp_path / "built" / "a.nbi").write_text("second")
    give(folder)
    assert (folder / "a.nbi").read_text() == "first"
    assert {file.name for file in tmp_path.iterdir()} == {"built", "given"}


def test_the_build_left_code_for_these_sources():
    assert any(compiled.built().glob(f"scan.*.{PYTHON}.*.nbc")), "a source changed since: python hatch_build.py"


def test_what_is_loaded_pays_soon(cold, monkeypatch):
    monkeypatch.setitem(sys.modules, "datacheck.text.scan", compiled)
    assert pays(1000 // LOADED + 1, 1000, "scan")
    assert not pays(1000 // LOADED - 1, 1000, "scan")
