"""Catalogues are compiled to the same bytes at any time."""

import datetime as dt
import runpy
import shutil

from babel.messages import catalog
from core_helpers import ROOT
from hatchling.builders.wheel import WheelBuilder


def test_two_builds_give_equal_bytes(tmp_path, monkeypatch):
    built = []
    for hour in (0, 9):
        monkeypatch.setattr(catalog, "LOCALTZ", dt.timezone(dt.timedelta(hours=hour)))  # Babel's clock is ahead
        folder = tmp_path / str(hour)
        shutil.copytree(ROOT / "datacheck/i18n/locale", folder, ignore=shutil.ignore_patterns("*.mo"))
        build = runpy.run_path(str(ROOT / "hatch_build.py"))["compile_catalogues"]
        monkeypatch.setitem(build.__globals__, "LOCALE", folder)
        build()
        built.append([path.read_bytes() for path in sorted(folder.rglob("*.mo"))])
    assert built[0] == built[1]
    assert [data for data in built[0] if len(data) > 100_000]


def test_a_wheel_holds_the_compiled_catalogues():
    """Git ignores what is compiled, and a wheel leaves out what git ignores unless `artifacts` names it."""
    held = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    for folder in ("i18n/locale", "text/built", "text/native/built", "pii/built", "report/built"):
        made = [
            path for path in (ROOT / "datacheck" / folder).rglob("*") if path.suffix in (".mo", ".so", ".py", ".npz")
        ]
        made += (ROOT / "datacheck" / folder).glob("*.json")
        assert made, folder
        assert {path.relative_to(ROOT).as_posix() for path in made} <= held, folder
