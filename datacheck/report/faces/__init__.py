"""The faces of a report in its folder, one module each: `FILE` is the file's name, `render` makes its text.

A face that has nothing to say of a report gives an empty text, and no file is written.

There is no list: a module here is a face, and so is one that another distribution names under the entry point
`datacheck.faces`. What other commands read (report.json, run.json) is written beside them, by `write_faces`.
"""

import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from datacheck.files.output_folder import REPORT
from datacheck.i18n.words import Lang
from datacheck.plugins import plugged
from datacheck.verdict.model import Report

# The last is what run.json holds: times, host; and `folder`, where the evidence lies already.
Render = Callable[[Report, Lang, Mapping[str, object]], str]


@cache
def faces() -> Mapping[str, Render]:
    """File name → function of every face. Raises ValueError for a name that is taken."""
    own = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    found = [*own, *plugged("datacheck.faces")]
    known: dict[str, Render] = {module.FILE: module.render for module in found}
    if len(known) < len(found) or known.keys() & REPORT.names:
        raise ValueError("datacheck.report.faces: two faces write one file")
    return known


def write_faces(report: Report, folder: Path, lang: Lang, run: Mapping[str, object]) -> None:
    """Every face, run.json for what differs from run to run, and report.json."""
    told = {**run, "folder": folder}
    texts = {name: text for name, render in faces().items() if (text := render(report, lang, told))}
    texts["run.json"] = json.dumps(run, ensure_ascii=False, indent=1) + "\n"
    texts["report.json"] = report.to_json()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
