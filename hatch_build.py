"""Compile catalogues of languages (.po to .mo), kernels (C) and expressions: for a wheel, an editable install, `make`.

Kernels are compiled by zig, which comes as a Python package: no compiler has to be installed, and what is compiled for
one kind of machine is the same wherever that is done. A wheel holds them for every kind (`native/place.py`), in a clone
they are made for this one.
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
PLACE = ROOT / "datacheck" / "text" / "native" / "place.py"
FLAGS = (
    "-std=c11",
    "-O3",
    "-ffp-contract=off",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-Werror",
)


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


def compile_kernels(*, every: bool) -> None:
    """Compile what is missing for this machine, or for `every` kind; what belongs to other sources goes."""
    place = _place()
    wanted = {place.built(target): target for target in (place.TARGETS if every else place.candidates())}
    folder: Path = place.FOLDER / "built"
    folder.mkdir(exist_ok=True)
    for old in set(folder.glob("kernels-*")) - {place.built(target) for target in place.TARGETS}:
        old.unlink()
    with tempfile.TemporaryDirectory() as cache:
        for path, target in wanted.items():
            if not path.exists():
                _compile_kernels(path, *place.TARGETS[target][:2], place.sources(), Path(cache))


def _compile_kernels(path: Path, target: str, processor: str, sources: list[Path], cache: Path) -> None:
    code = [str(source) for source in sources if source.suffix == ".c"]
    made = cache / path.name
    command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, "-target", target, f"-mcpu={processor}", "-o", str(made)]
    env = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    subprocess.run([*command, *code], env=env, check=True)  # noqa: S603 - our own words
    shutil.copyfile(made, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)  # a process that has the old one open keeps it


def _place() -> Any:
    """The module that says where kernels lie, without what imports them."""
    spec = importlib.util.spec_from_file_location("place", PLACE)
    assert spec is not None
    assert spec.loader is not None
    place = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(place)
    return place


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
            compile_kernels(every=version != "editable")
            compile_expressions()


if __name__ == "__main__":
    compile_catalogues()
    compile_kernels(every=False)
    compile_expressions()
