"""`view`: a finished report as a local page, to read all of it and to mark rows."""
# As in main.py: `--help` must be instant, commands import what they use.

import sys
from pathlib import Path
from typing import Annotated

import typer

from datacheck.cli.options import DataOpt, DebugOpt, LangOpt, bindings
from datacheck.cli.running import Excerpts
from datacheck.cli.said import language
from datacheck.i18n.message import Message


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`."""
    app.command()(view)


def view(
    report: Annotated[Path, typer.Argument(help="Report folder of an earlier run.", show_default=False)],
    data: DataOpt = None,
    marks: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where marks are kept; without it the page is read-only.", show_default=False
        ),
    ] = None,
    excerpts: Annotated[Excerpts, typer.Option(help="How whole rows are shown.")] = "redacted",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port on 127.0.0.1.", show_default="any that is free")
    ] = 0,
    opened: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    lang: LangOpt = "",
    _debug: DebugOpt = False,
) -> None:
    """Show a finished report as a page on this machine: all places, whole rows, marks for apply and sample.

    Nothing runs again. The address that is printed lets one browser in, once; Ctrl-C ends it.
    Exit code: 0 ended, 2 asked wrongly.
    """
    from datacheck.verdict.judged_files import check_names
    from datacheck.verdict.model import read_report
    from datacheck.view.app import Pages
    from datacheck.view.serve import serve

    speaks, named = language(lang), bindings(data)
    if named:
        check_names(read_report(report), named)

    def tell(address: str) -> None:
        sys.stdout.write(Message("{address}  (Ctrl-C ends it)", address=address).said(speaks) + "\n")
        sys.stdout.flush()

    serve(
        lambda base: Pages(report, base, data=named, marks=marks, mode=excerpts, lang=speaks), port, tell, opened=opened
    )
