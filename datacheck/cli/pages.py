"""Markdown pages on a terminal."""

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table


class _Folding(TableElement):
    """A table that breaks what is too wide: rich cuts it off where there is no blank, as there is none in Chinese."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for made in super().__rich_console__(console, options):
            for column in made.columns if isinstance(made, Table) else ():
                column.overflow = "fold"
            yield made


class Page(Markdown):
    """Markdown of which every word is shown, at any width."""

    elements = {**Markdown.elements, "table_open": _Folding}
