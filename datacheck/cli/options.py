"""Options that several commands have, and how what they are given is read."""
# As in main.py: `--help` must be instant, what is heavy is imported where it is used.

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from datacheck.cli.said import say
from datacheck.errors import UsageError
from datacheck.i18n.message import Message, languages
from datacheck.interrupts import InterruptedRunError, signals_raise

if TYPE_CHECKING:
    from rich.console import Console

    from datacheck.engine.expected import OnProgress, Progress
    from datacheck.gate.decisions import GivenDecisions
    from datacheck.gate.keys import PrivateKey
    from datacheck.i18n.words import Lang

DebugOpt = Annotated[bool, typer.Option("--debug", help="Show where a fault came from.")]  # read by main()
ChecksOpt = Annotated[Path | None, typer.Option("--checks", metavar="DIR", help="A folder with checks of your own.")]
DataOpt = Annotated[list[str] | None, typer.Option("--data", metavar="NAME=PATH", help="Where a dataset is.")]
LangOpt = Annotated[
    str,
    typer.Option("--lang", metavar="|".join(languages()), help="Language of the reports.", show_default="from LANG"),
]
StrictOpt = Annotated[bool, typer.Option("--strict", help="Warnings count as violations.")]
TrainerPythonOpt = Annotated[
    Path | None,
    typer.Option(metavar="PYTHON", help="Python of a training environment, whose trainer is asked about rows."),
]
GraderOpt = Annotated[
    list[str] | None,
    typer.Option(metavar="FILE.py:FUNCTION", help="A reward function that may be run, contained, on golds."),
]
RunTestsOpt = Annotated[bool, typer.Option("--run-tests", help="Run the tests that rows of programs hold, contained.")]
TrustOpt = Annotated[
    Path | None, typer.Option("--trust", metavar="FILE", help="Trusted keys.", show_default="$DATACHECK_TRUST")
]
DecisionsOpt = Annotated[
    Path | None,
    typer.Option("--decisions", metavar="FILE", help="Suppressed rows and allowed values, signed (datacheck decide)."),
]
WorkersOpt = Annotated[
    int | None,
    typer.Option(
        min=0, help="Worker processes; 0: none here, only `datacheck work`.", show_default="by size and cores"
    ),
]
EngineOpt = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="local|ray|dask|folder:PATH|auto",
        envvar="DATACHECK_ENGINE",
        show_envvar=False,
        help="Where the work is done; a cluster by its address, as ray://HOST:PORT.",
    ),
]
FIRST_TOLD = 10.0  # seconds: workers take some to be seen
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def bindings(data: list[str] | None) -> dict[str, str]:
    """The datasets of `--data NAME=PATH`. Raises UsageError."""
    return pairs("--data", data, Message("expected NAME=PATH, as in --data train=drops/2026-11-20"))


def run_settings(given: list[str] | None) -> dict[str, str]:
    """The settings of `--run NAME=VALUE`. Raises UsageError."""
    return pairs("--run", given, Message("expected NAME=VALUE, as in --run tokenizer=models/qwen"))


def pairs(option: str, items: list[str] | None, expected: Message) -> dict[str, str]:
    """What an option says that is given as A=B. Raises UsageError."""
    found: dict[str, str] = {}
    for item in items or []:
        name, equals, value = item.partition("=")
        if not (name and equals and value):
            raise UsageError("{option} {item}: {expected}", option=option, item=item, expected=expected)
        found[name] = value
    return found


def screen() -> "Console":
    """Where reports are printed."""
    from rich.console import Console

    return Console(highlight=False)


def decided(file: Path | None, trust: Path | None, signers: "Sequence[PrivateKey]") -> "GivenDecisions | None":
    """The decisions of `--decisions`, as far as they can be believed; `signers`: keys that sign the verdict."""
    if file is None:
        return None
    from datacheck.gate.decisions import given
    from datacheck.gate.trust import read_trust

    return given(file, read_trust(trust), [key.key_id for key in signers])


@contextlib.contextmanager
def steps_told(lang: "Lang", *, quiet: bool = False) -> "Iterator[OnProgress | None]":
    """Show a bar on a terminal while the block runs; gives what hears of the steps, None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None if quiet else waiting_told()
        return
    from rich.console import Console

    from datacheck.cli.progress import steps_shown

    with steps_shown(lang, Console(stderr=True)) as tell:
        yield tell


def waiting_told() -> "OnProgress":
    """Without a bar: hears of the steps, and says in a line a minute that there is no worker."""
    last, due = 0.0, FIRST_TOLD

    def tell(p: "Progress") -> None:
        nonlocal last, due
        if 0 < p.waiting < last:  # they were there, and went
            due = FIRST_TOLD
        last = p.waiting or last
        if p.waiting >= due:
            due += 60
            say(Message("no worker for {seconds:.0f} s; start some: datacheck work FOLDER", seconds=last), err=True)

    return tell


@contextlib.contextmanager
def all_or_nothing(lang: "Lang", *, quiet: bool = False) -> "Iterator[OnProgress | None]":
    """As `steps_told`; a signal ends the command, which has then written nothing and says so."""
    try:
        with signals_raise(), steps_told(lang, quiet=quiet) as tell:
            yield tell
    except InterruptedRunError as stop:
        say(Message("interrupted by {signal}; nothing was written", signal=stop.name), err=True)
        raise typer.Exit(128 + stop.number) from None
