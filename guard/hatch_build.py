"""Fill the wheel `datacheck-guard` from datacheck's own sources: the guard, what it imports, and its sentences.

A module is taken as it is but for one word, the package that it imports from. So nothing here is written twice, and
what the tests say of `datacheck exec` holds for this wheel.
"""

import ast
import datetime as dt
import re
import tempfile
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[1]
START = ("datacheck.gate.guard", "datacheck.version")
DATE = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)  # equal sources make equal bytes, on 3.10 too
_OURS = re.compile(r"^(\s*(?:from|import) )datacheck\b", re.MULTILINE)


def modules() -> list[Path]:
    """The guard's own file, and those of ours that it imports, also inside functions, with their packages."""
    found: set[Path] = set()
    waiting = list(START)
    while waiting:
        parts = waiting.pop().split(".")
        for end in range(2, len(parts) + 1):  # `datacheck` itself has more in it than a guard needs
            place = ROOT.joinpath(*parts[:end])
            file = next((each for each in (place / "__init__.py", place.with_suffix(".py")) if each.is_file()), None)
            if file is None or file in found:
                continue
            found.add(file)
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("datacheck."):
                    waiting += [f"{node.module}.{alias.name}" for alias in node.names]
    return sorted(found)


def under_its_name(text: str) -> str:
    """The text of a module, importing from datacheck_guard."""
    return _OURS.sub(r"\1datacheck_guard", text)


def sentences(sources: list[str]) -> set[str]:
    """Every string that stands in the sources: of a catalogue only these are needed."""
    nodes = (node for text in sources for node in ast.walk(ast.parse(text)))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def write_catalogue(source: Path, target: Path, needed: set[str]) -> None:
    """Write the part of a catalogue that says what is needed."""
    with source.open("rb") as file:
        catalogue = read_po(file, abort_invalid=True)
    for message in list(catalogue):
        one = message.id if isinstance(message.id, str) else message.id[0]
        if one and one not in needed and not re.fullmatch(r"\{one\}.{1,5}\{two\}", one):  # sentences that are joined
            catalogue.delete(message.id)
    catalogue.creation_date = catalogue.revision_date = DATE
    with target.open("wb") as file:
        write_mo(file, catalogue)


class Collect(BuildHookInterface[Any]):
    """What hatchling calls before it collects the files of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the modules and the catalogues to a folder that goes with this object, and add them."""
        del version
        self._made = tempfile.TemporaryDirectory()
        folder = Path(self._made.name)
        sources = {file.relative_to(ROOT / "datacheck"): file.read_text("utf-8") for file in modules()}
        for place, text in sources.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_text(under_its_name(text), "utf-8")
        needed = sentences(list(sources.values()))
        locale = ROOT / "datacheck" / "i18n" / "locale"
        for source in sorted(locale.rglob("*.po")):
            target = folder / "i18n" / "locale" / source.relative_to(locale).with_suffix(".mo")
            target.parent.mkdir(parents=True)
            write_catalogue(source, target, needed)
        for file in sorted(folder.rglob("*.*")):
            build_data["force_include"][str(file)] = f"datacheck_guard/{file.relative_to(folder)}"
