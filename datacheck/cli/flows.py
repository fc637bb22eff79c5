"""`serve`, `watch`, `doctor` and `announce`: their words go to the flows, which alone import Prefect."""

import importlib
from pathlib import Path
from types import ModuleType

import typer

from datacheck.cli.options import PASSED_ON
from datacheck.errors import UsageError

_ROOT = Path(__file__).parents[2]


def register(app: typer.Typer) -> None:
    """Add the commands that run flows to `datacheck`."""
    app.command(context_settings=PASSED_ON)(serve)
    app.command(context_settings=PASSED_ON)(watch)
    app.command(context_settings=PASSED_ON)(doctor)
    app.command(context_settings=PASSED_ON)(announce)


def _flows(name: str) -> ModuleType:
    """The module of the flows: datacheck_flows in an installed wheel, flows in a checkout. Raises UsageError.

    An editable install leaves a copy of them as datacheck_flows, which is older than the checkout.
    """
    checkout = (_ROOT / "pyproject.toml").is_file() and (_ROOT / "flows" / f"{name}.py").is_file()
    for package in ("flows", "datacheck_flows") if checkout else ("datacheck_flows", "flows"):
        try:
            return importlib.import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name not in (package, f"{package}.{name}"):
                raise UsageError(
                    "{name}: is not installed; expected Prefect: pip install datacheck-llm", name=str(error.name)
                ) from None
    raise UsageError("datacheck_flows: is not installed; install the wheel, or run in a checkout of datacheck")


def serve(context: typer.Context) -> None:
    """Run the flows: new drops on a schedule and by event, requests from the UI. See `serve --help`."""
    raise typer.Exit(_flows("serve").main(context.args))


def watch(context: typer.Context) -> None:
    """Publish drops of a registry's incoming/ as they come, each once. See `watch --help`."""
    raise typer.Exit(_flows("watch").main(context.args))


def doctor(context: typer.Context) -> None:
    """Say whether `serve` or `watch` would work, and what to type where not. See `doctor --help`."""
    raise typer.Exit(_flows("doctor").main(context.args))


def announce(context: typer.Context) -> None:
    """Tell what `serve` runs that a drop is ready. See `announce --help`."""
    raise typer.Exit(_flows("announce").main(context.args))
