"""`pack`: fingerprints of evaluation sets."""
# As in main.py: `--help` must be instant, commands import what they use.

from pathlib import Path
from typing import Annotated, Any

import typer

from datacheck.cli.options import DebugOpt, pairs
from datacheck.cli.said import say
from datacheck.errors import LoadError, UsageError
from datacheck.i18n.message import Message

pack_app = typer.Typer(
    no_args_is_help=True, help="Fingerprints of evaluation sets: to be scanned against, without the texts."
)


def register(app: typer.Typer) -> None:
    """Add the commands to `datacheck`."""
    app.add_typer(pack_app, name="pack")


@pack_app.command()
def build(
    files: Annotated[list[Path], typer.Argument(help="The files of an evaluation set.", show_default=False)],
    to: Annotated[Path, typer.Option(metavar="NAME.pack", help="The pack to write.", show_default=False)],
    name: Annotated[
        str | None, typer.Option(help="What it is called.", show_default="by the table of benchmarks")
    ] = None,
    version: Annotated[str | None, typer.Option(help="Which version of the set it is.")] = None,
    fmt: Annotated[str | None, typer.Option("--format", help="The format of the rows, as in a contract.")] = None,
    fields: Annotated[
        list[str] | None, typer.Option("--fields", metavar="FIELD=KEY", help="Where the texts are, as prompt=question.")
    ] = None,
    records: Annotated[str | None, typer.Option(help="The key of the list of rows.")] = None,
    min_length: Annotated[int, typer.Option(min=8, help="As of the check leakage that will compare with it.")] = 12,
    _debug: DebugOpt = False,
) -> None:
    """Write a pack of an evaluation set: hashes of its n-grams, no text. docs/packs.md: what can be guessed from it.

    Exit code: 0 written, 2 asked wrongly, 3 the files cannot be read whole.
    """
    from datacheck.derive import pack

    expected = Message("expected FIELD=KEY, as in --fields prompt=question")
    given: dict[str, Any] = {"format": fmt, "fields": pairs("--fields", fields, expected), "records": records}
    settings = {key: value for key, value in given.items() if value}
    made = pack.build(files, to, name=name, version=version, settings=settings, min_length=min_length)
    for line in pack.shown(made):
        say(line)


@pack_app.command()
def show(
    path: Annotated[Path, typer.Argument(metavar="NAME.pack", help="A pack.", show_default=False)],
    _debug: DebugOpt = False,
) -> None:
    """Say what a pack is: its name, its rows, the rules it was made by.

    Exit code: 0 shown, 2 there is no such file, 3 it is damaged, or no pack.
    """
    from datacheck.derive.pack import shown
    from datacheck.text import packs

    try:
        with UsageError.instead(OSError, "{path}: cannot be read ({reason}); name a pack", path=path):
            lines = [*shown(packs.read(path.read_bytes()))]
    except packs.PackError:
        raise LoadError("{path}: no pack, or not a whole one; build it again", path=path) from None
    for line in lines:
        say(line)
