"""Compile the catalogues of languages (.po to .mo): when a wheel or an editable install is made, and by `make`."""

import datetime as dt
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DATE = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)  # Babel would write today's: equal sources make equal bytes
LOCALE = Path(__file__).parent / "datacheck" / "i18n" / "locale"


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


class CatalogueHook(BuildHookInterface[Any]):
    """What hatchling calls before it collects the files of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; the result is part of the wheel although git does not keep it."""
        del version, build_data
        compile_catalogues()


if __name__ == "__main__":
    compile_catalogues()
