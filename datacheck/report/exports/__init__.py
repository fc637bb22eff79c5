"""A finished report in the forms that other tools read, one module each; nothing runs again.

`FILE` is how such a file is usually called, `render` makes its text. There is no list: a module here is a form, called
by its name.
"""

import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from datacheck.errors import UsageError
from datacheck.i18n.words import Lang
from datacheck.report.places import Finished
from datacheck.verdict.model import read_report


@cache
def forms() -> Mapping[str, Callable[[Finished, Lang], str]]:
    """Name → function of every form."""
    names = [each.name for each in pkgutil.iter_modules(__path__)]
    return {name: importlib.import_module(f"{__name__}.{name}").render for name in names}


def read_finished(folder: Path) -> Finished:
    """Read a report folder. Raises UsageError where it holds no report of this version."""
    report = read_report(folder)
    try:
        run = json.loads((folder / "run.json").read_bytes())
    except (OSError, ValueError):
        run = None
    return Finished(report, folder, run if isinstance(run, dict) else {})


def write(text: str, to: Path, folder: Path) -> None:
    """Write a form. Raises UsageError in the folder of the report, which holds what a run wrote and nothing else."""
    if to.resolve().is_relative_to(folder.resolve()):
        raise UsageError("{to}: lies in the report, which the next run replaces; choose another place", to=to)
    with UsageError.instead(OSError, "{to}: cannot be written ({reason})", to=to):
        to.write_text(text, encoding="utf-8", errors="backslashreplace")
