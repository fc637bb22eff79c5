"""`export`: a finished report in the forms that other tools read."""
# As in main.py: `--help` must be instant, commands import what they use.

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from datacheck.cli.options import DebugOpt, LangOpt
from datacheck.cli.said import language

Form = Literal["sarif", "gitlab", "drops"]


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`."""
    app.command()(export)


def export(
    report: Annotated[Path, typer.Argument(help="Report folder of an earlier run.", show_default=False)],
    form: Annotated[Form, typer.Option("--to", help="The form to write.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write.", show_default="standard output")
    ] = None,
    lang: LangOpt = "",
    _debug: DebugOpt = False,
) -> None:
    """Write a finished report as SARIF, as GitLab code quality, or as the list of rows that apply would take away.

    Nothing runs again. Exit code: 0 written, 2 asked wrongly, 3 the evidence of the report cannot be read.
    """
    from datacheck.report.exports import forms, read_finished, write

    text = forms()[form](read_finished(report), language(lang))
    if out is None:
        sys.stdout.write(text)
    else:
        write(text, out, report)
