"""The command line. The one place that maps errors to exit codes and prints them.

Imports are inside the commands: `datacheck --help` must be instant and load neither polars nor a report library.
"""

import contextlib
import sys
from collections.abc import Collection
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.exceptions import TyperException

from datacheck.cli import audit, demo, export, flows, gate, init, keeping, mcp, pack, registry, selftest, view, work
from datacheck.cli.options import (
    ChecksOpt,
    DataOpt,
    DebugOpt,
    DecisionsOpt,
    EngineOpt,
    GraderOpt,
    LangOpt,
    RunTestsOpt,
    StrictOpt,
    TrainerPythonOpt,
    TrustOpt,
    WorkersOpt,
    all_or_nothing,
    bindings,
    decided,
    run_settings,
    screen,
)
from datacheck.cli.running import Excerpts, OutputFormat, execute, show
from datacheck.cli.said import language, say, translate, wrong
from datacheck.cli.watched import is_watched
from datacheck.errors import DatacheckError, UsageError, crash, trace_of
from datacheck.i18n.message import Message
from datacheck.interrupts import InterruptedRunError, signals_raise
from datacheck.status import Status
from datacheck.version import __version__

if TYPE_CHECKING:
    from datacheck.gate.verdict import Verdict

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Check training data against a contract before any training starts; `datacheck DATA` proposes one.",
)


Plain = Literal["text", "json"]
ContractArg = Annotated[Path, typer.Argument(help="The contract, a YAML file.", show_default=False)]
RunOpt = Annotated[
    list[str] | None,
    typer.Option("--run", metavar="NAME=VALUE", help="A setting of the training run, as tokenizer=PATH."),
]
BaselineOpt = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="REPORT", help="An earlier report; only what is new beside it fails."),
]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"datacheck {__version__}")
        raise typer.Exit


@app.callback()
def top(
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """What stands before the commands."""


@app.command()
def run(
    contract: ContractArg,
    data: DataOpt = None,
    settings: RunOpt = None,
    out: Annotated[Path, typer.Option(help="Folder of the report; an earlier report there is replaced.")] = Path(
        "datacheck-report"
    ),
    checks: ChecksOpt = None,
    strict: StrictOpt = False,
    baseline: BaselineOpt = None,
    decisions: DecisionsOpt = None,
    excerpts: Annotated[Excerpts, typer.Option(help="How data is shown in reports.")] = "redacted",
    fmt: Annotated[OutputFormat, typer.Option("--format", help="What to print.")] = "text",
    lang: LangOpt = "",
    remote: Annotated[
        list[str] | None,
        typer.Option("--allow-remote", metavar="PREFIX", help="Remote place that --data may name, as s3://bucket/."),
    ] = None,
    workers: WorkersOpt = None,
    engine: EngineOpt = "local",
    store: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|s3://…|gs://…",
            help="Where tables and measurements are kept, for the next run too.",
            show_default="DATACHECK_STORE, else nowhere",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit code and the report speak.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Keep tracebacks in run.json, without messages.")] = False,
    as_of: Annotated[
        datetime | None,
        typer.Option(metavar="DATE", formats=["%Y-%m-%d"], help="The day for dates of expiry.", show_default="today"),
    ] = None,
    quarantine_content: Annotated[
        bool, typer.Option("--quarantine-content", help="Copy the raw bytes of bad lines to quarantine/ too.")
    ] = False,
    require: Annotated[
        list[str] | None,
        typer.Option("--require", metavar="DATASET", help="An optional dataset without which nothing is judged."),
    ] = None,
    sign: Annotated[
        str | None, typer.Option("--sign", metavar="KEY", help="Sign the verdict; a private key file, or env:NAME.")
    ] = None,
    trainer_python: TrainerPythonOpt = None,
    grader: GraderOpt = None,
    run_tests: RunTestsOpt = False,
    version: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="With --sign: the data it is about.", show_default="the one at --data"),
    ] = None,
    trust: TrustOpt = None,
) -> None:
    """Check data against a contract: findings, a report, a verdict and an exit code.

    Exit code: 0 pass or warnings only, 1 contract violated, 2 asked wrongly, 3 could not decide.
    """
    from datacheck.gate.keys import load_private
    from datacheck.session.options import Options
    from datacheck.session.session import Session

    if version is not None and sign is None:
        raise UsageError("--version: says what is signed; give the key too, with --sign KEY")
    if store and sign:
        raise UsageError("--store: what is signed is measured here and now, from no store; leave one of the two out")
    speaks, key = language(lang), load_private(sign) if sign else None
    options = Options(
        out=out,
        checks=checks,
        strict=strict,
        excerpts=excerpts,
        lang=speaks,
        workers=workers,
        engine=engine,
        store=store,
        alone=is_watched(),
        debug=debug,
        quarantine_content=quarantine_content,
        allow_remote=tuple(remote or ()),
        as_of=as_of.date() if as_of else None,
        baseline=baseline,
        decisions=decided(decisions, trust, [key] if key else []),
        sign=key,
        version=version,
        run=run_settings(settings),
        trainer_python=trainer_python,
        graders=tuple(grader or ()),
        run_tests=run_tests,
        require=tuple(require or ()),
        typed=True,
    )
    with signals_raise(), Session(contract, bindings(data), options) as session:
        stopped = execute(session, speaks, quiet=quiet)
        report = session.finish(stopped.name if stopped else None)
        show(report, session, options, fmt, quiet=quiet)
        if session.signed and not quiet:
            _tell_signed(*session.signed)
    raise typer.Exit(128 + stopped.number if stopped else report.exit_code)


def _tell_signed(verdict: "Verdict", place: Path) -> None:
    """What was signed, and where it lies."""
    say(
        Message(
            "signed: {result}, {version}, contract {digest}",
            result=verdict.result,
            version=verdict.version,
            digest=verdict.contract_digest,
        ),
        err=True,
    )
    if verdict.given:
        sys.stderr.write(f"        {verdict.given}\n")
    sys.stderr.write(f"        {place}\n")


@app.command()
def plan(
    contract: ContractArg,
    data: DataOpt = None,
    settings: RunOpt = None,
    checks: ChecksOpt = None,
    workers: WorkersOpt = None,
    engine: EngineOpt = "local",
    _debug: DebugOpt = False,
) -> None:
    """Show what would run, in order, and what it will cost, without opening any data."""
    from datacheck.cli.planned import expected
    from datacheck.contract import discover
    from datacheck.contract.load import load_contract
    from datacheck.engine.plan import make_plan
    from datacheck.files.inventory import inventory
    from datacheck.files.versions import amount

    discover.use_folder(checks)
    loaded = load_contract(contract, bindings(data), run=run_settings(settings), required=())
    found = inventory(loaded)
    for name, files in found.items():
        say(Message("{name}: {what}", name=name, what=amount(len(files.read), files.size)))
        for passed in files.passed_over:
            say(Message("  not read: {what}", what=passed))
    steps = make_plan(loaded)
    for step in steps:
        typer.echo(f"{step.key}" + (f"  ← {', '.join(step.after)}" if step.after else ""))
    for told in expected(steps, found, engine, workers):
        say(told)


@app.command()
def judge(
    report: Annotated[Path, typer.Argument(help="Report folder of an earlier run.", show_default=False)],
    contract: Annotated[Path, typer.Option(help="The contract to judge by.", show_default=False)],
    settings: RunOpt = None,
    checks: ChecksOpt = None,
    strict: StrictOpt = False,
    baseline: BaselineOpt = None,
    decisions: DecisionsOpt = None,
    trust: TrustOpt = None,
    lang: LangOpt = "",
    _debug: DebugOpt = False,
) -> None:
    """Judge an earlier run again by other limits; nothing is measured again, nothing is written."""
    from datacheck.contract import discover
    from datacheck.contract.load import load_contract
    from datacheck.report.terminal import print_report
    from datacheck.session.decided import with_decisions
    from datacheck.verdict.baseline import Baseline
    from datacheck.verdict.judge import day_of, rejudge
    from datacheck.verdict.model import read_report

    discover.use_folder(checks)
    old = read_report(report)
    seen = {finding.dataset for finding in old.findings}
    loaded = load_contract(contract, run=run_settings(settings), located=False, as_of=day_of(old), required=seen)
    loaded = with_decisions(loaded, decided(decisions, trust, ()), day_of(old))
    beside = Baseline(baseline, loaded) if baseline else None
    judged = rejudge(loaded, old, report, strict=strict, baseline=beside)
    print_report(judged, screen(), language(lang))
    raise typer.Exit(judged.exit_code)


@app.command()
def apply(
    report: Annotated[Path, typer.Argument(help="Report folder of an earlier run.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder to write; an earlier result is replaced.", show_default=False)],
    data: DataOpt = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="FINDING", help="Drop its rows.", show_default="all failed findings")
    ] = None,
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Replace what the contract's check pii finds, instead of dropping its rows."),
    ] = False,
    surrogates: Annotated[
        bool, typer.Option("--surrogates", help="With --redact: made-up values of the same form, not <CN_MOBILE_v1>.")
    ] = False,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="With --redact: replace what was found in all rows of its file.")
    ] = False,
    contract: Annotated[Path | None, typer.Option(help="Validate what was kept by this contract.")] = None,
    checks: ChecksOpt = None,
    marks: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Marks of `datacheck view`: rows to keep or drop even so.")
    ] = None,
    decisions: DecisionsOpt = None,
    trust: TrustOpt = None,
    lang: LangOpt = "",
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing.")] = False,
    _debug: DebugOpt = False,
) -> None:
    """Write the data without the rows of failed findings; what is kept stays byte for byte what it was.

    The files at --data must be those of the report; without, they are looked for where that run had them.
    What is dropped is put aside, so that nothing is lost.
    With --redact, personal data in strings is replaced by pseudonyms; nothing else of a row changes.
    Exit code: 0 written (and, with --contract, passed), 1 what was kept breaks the contract, or values that were
    replaced, or that look like such, still stand in their rows (left.jsonl), 2 asked wrongly, 3 the data is not that
    of the report, or no verdict.
    """
    from datacheck.derive.apply import derive

    speaks = language(lang)
    with all_or_nothing(speaks, quiet=quiet) as tell:
        manifest = derive(
            report,
            bindings(data) or _where_judged(report, [Status.FAIL], drop or []),
            out,
            drop=drop or (),
            redact=redact,
            surrogates=surrogates,
            everywhere=everywhere,
            contract=contract,
            checks=checks,
            marks=marks,
            decisions=decided(decisions, trust, ()),
            lang=speaks,
            on_progress=tell,
        )
    if not quiet:
        from datacheck.derive.terminal import print_manifest

        print_manifest(manifest, screen(), speaks, folder=str(out))
    raise typer.Exit(manifest.exit_code)


def _where_judged(folder: Path, statuses: Collection[Status], findings: Collection[str] = ()) -> dict[str, str]:
    """Where the datasets of some findings, named or of these statuses, were when they were judged; else all."""
    from datacheck.report.exports import read_finished

    finished = read_finished(folder)
    told = finished.report.findings
    blamed = {f.dataset for f in told if (f.id in findings if findings else f.status in statuses)}
    return {name: path for name, path in finished.paths.items() if name in blamed or not blamed}


@app.command()
def diff(
    a: Annotated[str, typer.Argument(help="The earlier drop: a file or a folder.", show_default=False)],
    b: Annotated[str, typer.Argument(help="The later drop.", show_default=False)],
    contract: Annotated[Path | None, typer.Option(help="How to read them, and checks to compare.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Which dataset of the contract they are.")] = None,
    data: DataOpt = None,
    out: Annotated[Path | None, typer.Option(help="Folder for diff.html, diff.json and rows/.")] = None,
    checks: ChecksOpt = None,
    workers: WorkersOpt = None,
    engine: EngineOpt = "local",
    fmt: Annotated[Plain, typer.Option("--format", help="What to print.")] = "text",
    lang: LangOpt = "",
    _debug: DebugOpt = False,
) -> None:
    """Show what changed between two drops: rows, files, lengths, languages, labels, and the numbers of checks.

    Nothing is judged. Exit code: 0 compared, 2 asked wrongly, 3 a drop could not be read.
    """
    from datacheck.compare.diff import compare
    from datacheck.compare.terminal import print_diff

    speaks = language(lang)
    with all_or_nothing(speaks) as tell:
        found = compare(
            a,
            b,
            contract=contract,
            dataset=dataset,
            data=bindings(data),
            out=out,
            checks=checks,
            workers=workers,
            engine=engine,
            lang=speaks,
            on_progress=tell,
        )
    if fmt == "json":
        sys.stdout.write(found.to_json())
    else:
        print_diff(found, screen(), speaks, folder=str(out) if out else None)


@app.command()
def sample(
    report: Annotated[
        Path | None, typer.Argument(help="Report folder of an earlier run, to draw rows from.", show_default=False)
    ] = None,
    read: Annotated[
        Path | None, typer.Option("--read", metavar="SHEET", help="Read a sheet with verdicts back.")
    ] = None,
    data: DataOpt = None,
    n: Annotated[int, typer.Option("--n", min=1, help="Rows per finding, and as many that none flagged.")] = 20,
    seed: Annotated[int, typer.Option(help="Another seed draws other rows.")] = 0,
    by: Annotated[str | None, typer.Option(metavar="LABEL", help="So many rows for each value of a label.")] = None,
    excerpts: Annotated[Excerpts, typer.Option(help="How texts are shown.")] = "redacted",
    out: Annotated[Path, typer.Option(metavar="SHEET", help="The file to write.")] = Path("review.csv"),
    confidence: Annotated[float, typer.Option(help="Of the bounds on the rates.")] = 0.95,
    fmt: Annotated[Plain, typer.Option("--format", help="How to print what was read.")] = "text",
    lang: LangOpt = "",
    _debug: DebugOpt = False,
) -> None:
    """Draw rows for people to judge (a CSV sheet), or read their verdicts back as rates with bounds.

    The files at --data must be those of the report; without, those of failed and warned findings are looked for where
    that run had them.
    Exit code: 0 written or read, 2 asked wrongly, 3 the data is not that of the report.
    """
    from datacheck.review.sheet import make_sheet, read_sheet
    from datacheck.review.terminal import print_drawn, print_review

    speaks = language(lang)
    if (report is None) == (read is None):
        raise UsageError("sample: expected either a report folder, or --read SHEET")
    if read is not None:
        review = read_sheet(read, confidence)
        if fmt == "json":
            sys.stdout.write(review.to_json())
        else:
            print_review(review, screen(), speaks)
    elif report is not None:
        where = bindings(data) or _where_judged(report, [Status.FAIL, Status.WARN])
        drawn = make_sheet(report, where, out, n=n, seed=seed, by=by, excerpts=excerpts)
        print_drawn(drawn, screen(), speaks, str(out))


@app.command()
def preview(
    source: Annotated[
        Path, typer.Argument(metavar="CONTRACT|FILE", help="A contract, or a data file.", show_default=False)
    ],
    settings: RunOpt = None,
    row: Annotated[int, typer.Option(min=0, help="The first row to show; 0 is the first one.")] = 0,
    n: Annotated[int, typer.Option("--n", min=1, max=1000, help="How many rows.")] = 3,
    batch: Annotated[bool, typer.Option("--batch", help="Also show these rows as one padded batch.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Shorten no text and no list of ids.")] = False,
    data: DataOpt = None,
    dataset: Annotated[
        str | None, typer.Option(metavar="NAME", help="A dataset of the contract.", show_default="the first")
    ] = None,
    checks: ChecksOpt = None,
    excerpts: Annotated[Excerpts, typer.Option(help="How data is shown.")] = "redacted",
    lang: LangOpt = "",
    _debug: DebugOpt = False,
) -> None:
    """Show rows as the trainer sees them: rendered text, token ids, and which tokens are TRAIN or skip.

    Exit code: 0 shown, 2 asked wrongly, 3 the tokenizer or its template cannot be used.
    """
    from datacheck.contract import discover
    from datacheck.preview.rows import preview as make_preview
    from datacheck.preview.terminal import print_preview

    discover.use_folder(checks)
    found = make_preview(source, row=row, n=n, dataset=dataset, data=bindings(data), run=run_settings(settings))
    print_preview(found, screen(), language(lang), mode=excerpts, batch=batch, everything=everything)


@app.command()
def checks(folder: ChecksOpt = None, lang: LangOpt = "") -> None:
    """List all checks with what they measure and their default limits."""
    from datacheck.contract import discover
    from datacheck.report.listing import summary

    discover.use_folder(folder)
    for name in discover.check_names():
        typer.echo(summary(name, language(lang)))


def _explained(begun: str) -> list[str]:
    """What `explain` knows and begins so, for the completion of a shell."""
    from datacheck.contract.discover import check_names
    from datacheck.loading.codes import CODES

    return [name for name in (*check_names(), *CODES) if name.startswith(begun)]


@app.command()
def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="CHECK", help="A check or a code of a bad line.", show_default=False, autocompletion=_explained
        ),
    ],
    folder: ChecksOpt = None,
    lang: LangOpt = "",
) -> None:
    """Explain a check (why it matters, how to fix, its settings and limits) or the code of a bad line."""
    from rich.console import Console

    from datacheck.cli.explain import card
    from datacheck.cli.pages import Page
    from datacheck.contract import discover

    discover.use_folder(folder)
    text = card(name, language(lang))
    if sys.stdout.isatty():
        Console().print(Page(text))
    else:
        typer.echo(text)


@app.command()
def schema(
    folder: ChecksOpt = None,
    report: Annotated[bool, typer.Option("--report", help="The schema of report.json instead.")] = False,
) -> None:
    """Print the JSON Schema of contracts (for editors), or of report.json."""
    from datacheck.contract import discover
    from datacheck.contract.schema import contract_schema
    from datacheck.verdict.model import report_schema

    discover.use_folder(folder)
    typer.echo(report_schema() if report else contract_schema())


init.register(app)
audit.register(app)
demo.register(app)
selftest.register(app)
gate.register(app)
registry.register(app)
keeping.register(app)
flows.register(app)
pack.register(app)
export.register(app)
view.register(app)
mcp.register(app)
work.register(app)


def main() -> None:
    """Entry point: no traceback unless --debug is given, and no exit code 0 or 1 that the data did not earn."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(_commands()(prog_name="datacheck", standalone_mode=False) or 0)
    except TyperException as error:
        sys.stderr.write(_asked_wrongly(error))
        sys.exit(UsageError.exit_code)
    except DatacheckError as error:
        sys.stderr.write(trace_of(error) if "--debug" in sys.argv else f"{error.message.said(language())}\n")
        sys.exit(error.exit_code)
    except InterruptedRunError as stop:
        sys.exit(128 + stop.number)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # typer ends with 1 where who read the output has gone
            sys.exit(DatacheckError.exit_code)
        raise
    except Exception as error:  # noqa: BLE001 - a crash must not look like a verdict (exit code 1)
        if "--debug" in sys.argv:
            sys.stderr.write(trace_of(error))
            sys.exit(DatacheckError.exit_code)
        with contextlib.suppress(OSError):  # standard error can be full, too
            say(crash(error), err=True)
        sys.exit(DatacheckError.exit_code)


def _commands() -> Any:
    """All commands; where their help may be printed, in the language that is spoken."""
    if ("--help" in sys.argv or len(sys.argv) <= 2) and (lang := language()) != "en":
        commands = typer.main.get_command(app)
        translate(commands, lang)
        return commands
    return _in_english()


@cache
def _in_english() -> Any:
    return typer.main.get_command(app)


def with_command(words: list[str]) -> list[str]:
    """What was typed, with its command: `datacheck data.jsonl` is `datacheck audit data.jsonl`."""
    first = words[0] if words else "-"
    if first.startswith("-") or first in _in_english().commands:
        return words
    from datacheck.contract.yaml import is_data

    return ["audit", *words] if is_data(Path(first)) or Path(first).exists() else words


def _asked_wrongly(error: Any) -> str:
    """One line on a command that cannot be parsed; nothing where its help was printed instead."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return ""
    where = error.ctx.command_path if getattr(error, "ctx", None) else "datacheck"
    said = error.format_message().replace("Value error, ", "")
    what = wrong(said.rstrip("."))
    return Message("{command}: {what}; see {command} --help", command=where, what=what).said(language()) + "\n"


if __name__ == "__main__":
    main()
