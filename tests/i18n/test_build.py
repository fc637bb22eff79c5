"""Catalogues are compiled to the same bytes at any time."""

import datetime as dt
import runpy
import shutil

from babel.messages import catalog
from core_helpers import ROOT


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
