"""Compile catalogues of languages (.po to .mo), expressions and kernels: for a wheel, an editable install, by `make`.

The kernels take half a minute once; without them in the wheel, every fresh container would need it. They are made for
the Python, the numba and the kind of processor of this machine; elsewhere numba compiles when a run needs it.
"""

import datetime as dt
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DATE = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)  # Babel would write today's: equal sources make equal bytes
ROOT = Path(__file__).parent
LOCALE = ROOT / "datacheck" / "i18n" / "locale"
PLACE = ROOT / "datacheck" / "text" / "compiled.py"


def compile_catalogues() -> None:
    """Write every catalogue that is missing or older than its source."""
    for source in sorted(LOCALE.rglob("*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, abort_invalid=True)
        catalogue.creation_date = catalogue.revision_date = DATE
        made = target.with_suffix(".mo.new")
        with made.open("wb") as file:
            write_mo(file, catalogue)
        made.replace(target)  # a reader sees the old one or the new one


def compile_kernels() -> None:
    """Write the compiled code of these sources, if it is missing, in the place of that of others."""
    spec = importlib.util.spec_from_file_location("compiled", PLACE)
    assert spec is not None
    assert spec.loader is not None
    place = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(place)
    target: Path = place.built()
    if target.exists():
        return
    shutil.rmtree(target.parent, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=ROOT) as name:
        _call("compile_kernels", NUMBA_CACHE_DIR=name)
        (made,) = Path(name).glob("text_*")
        target.parent.mkdir(exist_ok=True)
        made.rename(target)


def compile_expressions() -> None:
    """Write the compiled expressions of the recognizers."""
    _call("compile_expressions")


def _call(function: str, **env: str) -> None:
    """Call what compiles in a process of these sources; pip's own environment for builds stands in PYTHONPATH, too."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    env = {**os.environ, **env, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = f"from datacheck.session.compiling import {function}; {function}()"
    subprocess.run([sys.executable, "-c", command], env=env, cwd=ROOT, check=True)  # noqa: S603 - our own words


class CompileHook(BuildHookInterface[Any]):
    """What hatchling calls before it collects the files of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; the result is part of the wheel although git does not keep it."""
        compile_catalogues()
        if version == "editable":  # a copy of flows would not see an edit of them
            self._made = tempfile.TemporaryDirectory()
            leads_here = Path(self._made.name, "__init__.py")
            leads_here.write_text(f"__path__ = [{str(ROOT / 'flows')!r}]\n", "utf-8")
            build_data["force_include_editable"] = {str(leads_here): "datacheck_flows/__init__.py"}
        if self.target_name == "wheel":
            compile_expressions()
            compile_kernels()


if __name__ == "__main__":
    compile_catalogues()
    compile_expressions()
    compile_kernels()
