"""`datacheck selftest DATA`: which faults a contract would find in data like one's own, and which would pass."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated, Literal

import typer

from datacheck.cli.options import ChecksOpt, DataOpt, DebugOpt, LangOpt, all_or_nothing, bindings, screen
from datacheck.cli.said import language
from datacheck.cli.watched import is_watched
from datacheck.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`."""
    app.command()(selftest)


def selftest(
    data: Annotated[Path, typer.Argument(help="A data file or folder.", show_default=False)],
    contract: Annotated[
        Path | None, typer.Option(help="The contract to try.", show_default="one is proposed, as by init")
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which dataset of the contract DATA is.",
            show_default="train, else the first with checks",
        ),
    ] = None,
    evaluation: Annotated[
        Path | None, typer.Option("--eval", help="What you evaluate on, where no contract is given.")
    ] = None,
    other: DataOpt = None,
    rows: Annotated[int, typer.Option(min=10, help="Rows that are drawn; faults are planted into copies of them.")] = (
        2_000
    ),
    seed: Annotated[int, typer.Option(help="Another seed draws other rows.")] = 0,
    strict: Annotated[bool, typer.Option("--strict", help="Faults that no check looks for count, too.")] = False,
    fmt: Annotated[Literal["text", "json"], typer.Option("--format", help="What to print.")] = "text",
    checks: ChecksOpt = None,
    lang: LangOpt = "",
    _debug: DebugOpt = False,
) -> None:
    """Plant faults of every kind into a copy of your data, and show which of them the contract finds.

    Nothing is kept, and the data stays as it is. Exit code: 0 every kind that a check looks for is found, 1 one is not,
    2 asked wrongly.
    """
    from datacheck.contract import discover
    from datacheck.contract.load import load_contract
    from datacheck.propose.contract import contract_for, places
    from datacheck.selftest.run import owner, selftest
    from datacheck.selftest.terminal import print_selftest

    if contract is not None and evaluation is not None:
        raise UsageError("--eval: the contract names its evaluation sets; say where they are with --data NAME=PATH")
    speaks = language(lang)
    discover.use_folder(checks)
    with tempfile.TemporaryDirectory() as folder, all_or_nothing(speaks, quiet=fmt == "json") as tell:
        named = bindings(other)
        if contract is None:
            named = {name: str(place) for name, place in places(data, evaluation).items()}
            contract = Path(folder) / "contract.yaml"
            contract.write_text(contract_for(data, evaluation), encoding="utf-8")
        own = owner(load_contract(contract, named, located=False), dataset)
        loaded = load_contract(contract, {**named, own.name: str(data)})
        found = selftest(loaded, own.name, rows=rows, seed=seed, alone=is_watched(), on_progress=tell)
    if fmt == "json":
        sys.stdout.write(found.to_json())
    else:
        print_selftest(found, screen(), speaks)
    raise typer.Exit(found.exit_code(strict=strict))
