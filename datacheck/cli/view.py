"""`view`: a finished report as a local page, to read all of it and to mark rows."""
# As in main.py: `--help` must be instant, commands import what they use.

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from datacheck.cli.options import DataOpt, DebugOpt, LangOpt, bindings
from datacheck.cli.running import Excerpts
from datacheck.cli.said import language
from datacheck.errors import UsageError
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from datacheck.i18n.words import Lang
    from datacheck.view.history import Decision


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`."""
    app.command()(view)


def view(
    report: Annotated[Path, typer.Argument(help="Report folder of an earlier run, or a registry.", show_default=False)],
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

    Of a registry: all decisions, and how the numbers of its reports went.

    Nothing runs again. The address that is printed lets one browser in, once; Ctrl-C ends it.
    Exit code: 0 ended, 2 asked wrongly.
    """
    from datacheck.gate.standing import has_ledger
    from datacheck.verdict.judged_files import check_names
    from datacheck.verdict.model import read_report
    from datacheck.view.app import Pages
    from datacheck.view.history import History
    from datacheck.view.serve import serve

    speaks, named = language(lang), bindings(data)

    def tell(address: str) -> None:
        sys.stdout.write(Message("{address}  (Ctrl-C ends it)", address=address).said(speaks) + "\n")
        sys.stdout.flush()

    def pages(folder: Path, base: str) -> Pages:
        return Pages(folder, base, data=named, marks=marks, mode=excerpts, lang=speaks)

    def history(base: str) -> History:
        return History(_decisions(report, speaks), base, pages, speaks)

    if has_ledger(report) and not (report / "report.json").exists():
        if named or marks:
            raise UsageError("--data and --marks are about one report, and {folder} is a registry", folder=report)
        serve(history, port, tell, opened=opened)
    else:
        if named:
            check_names(read_report(report), named)
        serve(lambda base: pages(report, base), port, tell, opened=opened)


def _decisions(root: Path, lang: "Lang") -> "list[Decision]":
    """What the ledger of a registry holds, verified; claims are left out."""
    from datacheck.gate.outcomes import place_of
    from datacheck.registry.history import mark_of, words_of
    from datacheck.registry.registry import Registry
    from datacheck.view.history import Decision

    place = Registry(root)
    with place.ledger(readonly=True) as ledger:
        verified = ledger.verified(place.heads())
    return [
        Decision(
            each.seq,
            each.time[:16].replace("T", " ") + "Z",
            mark_of(each),
            words_of(each, lang),
            place.root / place_of(each) / "_report" if each.kind in ("publish", "quarantine") else None,
        )
        for each in verified
        if each.kind != "claim"
    ]
