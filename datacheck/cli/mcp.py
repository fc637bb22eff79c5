"""`mcp`: the commands as tools for agents."""
# As in main.py: `--help` must be instant, commands import what they use.

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from datacheck.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`."""
    app.command()(mcp)


def mcp(
    folder: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="Where tools may read and write; nowhere else.")
    ] = Path(),
) -> None:
    """Serve init, run, explain, evidence, apply and compare to an agent (Model Context Protocol, on stdio).

    Needs the extra mcp. Ends with the agent's end of the pipe.
    """
    if find_spec("mcp") is None:
        raise UsageError("mcp: needs its SDK: pip install 'datacheck-llm[mcp]'")
    from datacheck.view.agents import server

    server(folder).run("stdio")
