"""`work`: do tasks of runs that put them into a folder, on any machine that sees it."""
# As in main.py: `--help` must be instant, commands import what they use.

from pathlib import Path
from typing import Annotated

import typer

from datacheck.cli.options import DebugOpt
from datacheck.cli.said import say
from datacheck.i18n.message import Message
from datacheck.interrupts import signals_raise


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`."""
    app.command()(work)


def work(
    folder: Annotated[Path, typer.Argument(help="The folder of `--engine folder:PATH`.", show_default=False)],
    workers: Annotated[int | None, typer.Option(min=1, help="Tasks at a time.", show_default="by cores")] = None,
    idle: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="End after so long without a run.",
            show_default="after the first run, whenever it comes",
        ),
    ] = None,
    _debug: DebugOpt = False,
) -> None:
    """Do the work of runs with `--engine folder:PATH`, on as many machines as see that folder and the data.

    It may be started before or after the run. Ctrl-C ends it at any time; what it was at is done by another one.
    Exit code: 0 ended, 2 asked wrongly, or a run of another datacheck.
    """
    from datacheck.engine.folder import Worker, tasks_folder
    from datacheck.engine.processes import cores

    workers = workers or cores()
    worker = Worker(tasks_folder(folder), workers)
    say(Message("{folder}: {n:,} tasks at a time (Ctrl-C ends it)", folder=folder, n=workers), err=True)
    with signals_raise():
        worker.work(idle)
    say(Message("{folder}: no run any more; {n:,} tasks were done", folder=folder, n=worker.done), err=True)
