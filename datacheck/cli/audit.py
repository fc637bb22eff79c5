"""`datacheck DATA`: one look at data that has no contract yet."""

import shlex
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from datacheck.cli.options import EngineOpt, LangOpt, StrictOpt
from datacheck.cli.running import Excerpts, OutputFormat, execute, show
from datacheck.cli.said import language, say
from datacheck.cli.watched import is_watched
from datacheck.errors import UsageError
from datacheck.i18n.message import Message
from datacheck.interrupts import signals_raise
from datacheck.session.options import CONTRACT, DEFAULT_OUT, Options


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`, which needs no name where a path stands first."""
    app.command()(audit)


def audit(
    data: Annotated[Path, typer.Argument(help="A data file or folder.", show_default=False)],
    evaluation: Annotated[
        Path | None, typer.Option("--eval", help="What you evaluate on: no question of it may be trained on.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the report; an earlier report there is replaced.")] = DEFAULT_OUT,
    strict: StrictOpt = False,
    excerpts: Annotated[Excerpts, typer.Option(help="How data is shown in reports.")] = "redacted",
    fmt: Annotated[OutputFormat, typer.Option("--format", help="What to print.")] = "text",
    lang: LangOpt = "",
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit code and the report speak.")] = False,
    engine: EngineOpt = "local",
    debug: Annotated[bool, typer.Option("--debug", help="Keep tracebacks in run.json, without messages.")] = False,
) -> None:
    """Check data without a contract: one is proposed, as by `init`, and all of the data is judged by it.

    `datacheck data.jsonl` is the same. The contract lies in the folder of the report; exit codes are those of `run`.
    """
    from datacheck.engine.twin import twin
    from datacheck.propose.contract import contract_for, places
    from datacheck.session.session import Session

    if data.suffix.lower() in {".yaml", ".yml"}:
        raise UsageError("{path}: a contract has its data; judge it: datacheck run {path}", path=data)
    if data.is_dir() and out.resolve().is_relative_to(data.resolve()):  # its evidence is Parquet: data, the next time
        raise UsageError("{out}: lies in the data, so it would change it; choose a folder with --out", out=out)
    speaks = language(lang)
    options = Options(
        out=out,
        strict=strict,
        excerpts=excerpts,
        lang=speaks,
        engine=engine,
        alone=is_watched(),
        debug=debug,
        keep_contract=True,
        typed=True,
    )
    with tempfile.TemporaryDirectory() as folder, signals_raise():
        if is_watched():
            twin()  # now: a proposal looks at the data with polars
        contract = Path(folder) / CONTRACT
        contract.write_text(contract_for(data, evaluation), encoding="utf-8")
        named = {name: str(place) for name, place in places(data, evaluation).items()}
        with Session(contract, named, options) as session:
            stopped = execute(session, speaks, quiet=quiet)
            report = session.finish(stopped.name if stopped else None)
            show(report, session, options, fmt, quiet=quiet)
    if not quiet:
        _go_on(out, data, evaluation)
    raise typer.Exit(128 + stopped.number if stopped else report.exit_code)


def _go_on(out: Path, data: Path, evaluation: Path | None) -> None:
    """Say which contract was used, and how to get one that stays and can be changed."""
    beside = ["--eval", str(evaluation)] if evaluation else []
    say(
        Message(
            "judged by a proposal: {contract}. To keep one, and say in it what you rely on:\n  {command}",
            contract=out / CONTRACT,
            command=shlex.join(["datacheck", "init", str(data), *beside, "--to", CONTRACT]),
        ),
        err=True,
    )
