"""`datacheck demo`: the sample data and the ready contracts as files of one's own, and what a run of them says."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from datacheck.cli.options import LangOpt
from datacheck.cli.said import language, say
from datacheck.errors import UsageError
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from datacheck.i18n.words import Lang

_SHIPPED = ("sample_data", "contracts")
_RUNS = {"good": 0, "bad": 1}  # chat data of sample_data, and what its run ends with


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`."""
    app.command()(demo)


def demo(
    to: Annotated[Path, typer.Option(help="A new folder for the samples, the contracts and the reports.")] = Path(
        "datacheck-demo"
    ),
    lang: LangOpt = "",
) -> None:
    """Copy sample data and ready contracts, then check a dataset that passes and one that fails."""
    speaks = language(lang)
    _copy(to)
    codes = {name: _run(to, name, speaks) for name in _RUNS}
    if codes != _RUNS:
        raise typer.Exit(max(codes.values()))
    typer.echo()
    say(
        Message(
            "one passed and one failed, as they should. {folder} holds the data, ready contracts and both reports:\n"
            "  {report}",
            folder=to,
            report=to / "bad" / "report.html",
        ),
        err=True,
    )


def _copy(to: Path) -> None:
    with UsageError.instead(OSError, "{to}: cannot be written ({reason}); choose another place with --to", to=to):
        if to.exists():
            raise UsageError("{to}: exists already; choose another name, or move it away", to=to)
        for name in _SHIPPED:
            shutil.copytree(_shipped(name), to / name, ignore=shutil.ignore_patterns("*.py", "__pycache__"))


def _shipped(name: str) -> Path:
    """A folder of the distribution: beside the code in a wheel, one above in a checkout."""
    package = Path(__file__).parents[1]
    return next(at for at in (package / "shipped" / name, package.parent / name) if at.is_dir())


def _run(to: Path, name: str, lang: "Lang") -> int:
    """Do what is printed, as a user would; returns its exit code."""
    samples = to / "sample_data"
    data = [f"--data=train={samples / f'sft_{name}'}", f"--data=eval={samples / 'eval'}"]
    command = ["run", str(to / "contracts" / "sft.yaml"), *data, "--out", str(to / name)]
    typer.echo(f"$ {shlex.join(['datacheck', *command])}")
    sys.stdout.flush()
    return subprocess.run([sys.executable, "-m", "datacheck", *command, "--lang", lang], check=False).returncode  # noqa: S603
