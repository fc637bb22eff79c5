"""The commands of a registry: publish, history, rescan."""
# As in main.py: `--help` must be instant, commands import what they use.

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from datacheck.cli.options import (
    ChecksOpt,
    DataOpt,
    DecisionsOpt,
    EngineOpt,
    GraderOpt,
    LangOpt,
    RunTestsOpt,
    StrictOpt,
    TrainerPythonOpt,
    TrustOpt,
    WorkersOpt,
    bindings,
    decided,
    run_settings,
    screen,
)
from datacheck.cli.said import language
from datacheck.errors import UsageError
from datacheck.interrupts import InterruptedRunError, ignore_signals, signals_raise

if TYPE_CHECKING:
    from datacheck.cli.progress import Display
    from datacheck.i18n.words import Lang
    from datacheck.registry.publish import Hashed, Outcome, PublishRules
    from datacheck.session.session import Session

RegistryOpt = Annotated[
    Path, typer.Option("--registry", metavar="DIR", envvar="DATACHECK_REGISTRY", help="Folder of the registry.")
]
ContractOpt = Annotated[Path | None, typer.Option("--contract", help="The contract, a YAML file.", show_default=False)]
ChannelsOpt = Annotated[
    Path | None,
    typer.Option(
        "--channels", metavar="FILE", help="Take the rules of --channel from this file.", show_default="by the options"
    ),
]
SignOpt = Annotated[
    list[str] | None,
    typer.Option("--sign", metavar="KEY", help="Key of the validator: a file, or env:NAME. Again for a second one."),
]
RunOpt = Annotated[list[str] | None, typer.Option("--run", metavar="NAME=VALUE", help="A setting of the training run.")]
AnchorOpt = Annotated[
    list[Path] | None,
    typer.Option(
        "--anchor", metavar="FILE", help="A second place for the ledger's head.", show_default="$DATACHECK_ANCHOR"
    ),
]
ChannelOpt = Annotated[str | None, typer.Option(help="Pointer in published/.", show_default="the name of the contract")]
JsonOpt = Annotated[str, typer.Option("--format", metavar="text|json", help="What to print.")]


def register(app: typer.Typer) -> None:
    """Add the commands of a registry to `datacheck`."""
    app.command()(publish)
    app.command()(history)
    app.command()(rescan)


def publish(
    drop: Annotated[Path, typer.Argument(help="A folder with a _MANIFEST.json.", show_default=False)],
    registry: RegistryOpt,
    channels: ChannelsOpt = None,
    contract: ContractOpt = None,
    sign: SignOpt = None,
    data: DataOpt = None,
    settings: RunOpt = None,
    strict: StrictOpt = False,
    channel: ChannelOpt = None,
    trust: TrustOpt = None,
    decisions: DecisionsOpt = None,
    grader: GraderOpt = None,
    run_tests: RunTestsOpt = False,
    trainer_python: TrainerPythonOpt = None,
    anchor: AnchorOpt = None,
    checks: ChecksOpt = None,
    workers: WorkersOpt = None,
    engine: EngineOpt = "local",
    wait: Annotated[bool, typer.Option(help="Wait for another worker that has this version.")] = True,
    fmt: JsonOpt = "text",
    lang: LangOpt = "",
) -> None:
    """Validate a drop, sign the verdict, and publish it or put it into quarantine.

    The drop is moved into the registry (copied from another disk). A version that is known is answered at once.
    Exit code: 0 published, 1 contract violated, 2 asked wrongly, 3 could not decide or record.
    """
    from datacheck.registry.publish import publish as take
    from datacheck.registry.registry import Registry

    speaks, fmt = language(lang), _format(fmt)
    code = _Code(grader, run_tests, trainer_python)
    asked = _Asked(contract, sign, data, settings, trust, decisions, engine, strict, *code)
    rules = _rules(channels, channel, asked, checks, workers, speaks, drop)
    stop = _Stop(speaks)
    with signals_raise(), stop.shown() as hashed:
        found = take(drop, rules, Registry(registry, anchor or ()), wait=wait, execute=stop.execute, hashed=hashed)
    _show([found], fmt, speaks)
    raise typer.Exit(stop.code or found.exit_code)


def rescan(
    registry: RegistryOpt,
    channels: ChannelsOpt = None,
    contract: ContractOpt = None,
    sign: SignOpt = None,
    data: DataOpt = None,
    settings: RunOpt = None,
    strict: StrictOpt = False,
    channel: ChannelOpt = None,
    trust: TrustOpt = None,
    decisions: DecisionsOpt = None,
    grader: GraderOpt = None,
    run_tests: RunTestsOpt = False,
    trainer_python: TrainerPythonOpt = None,
    anchor: AnchorOpt = None,
    checks: ChecksOpt = None,
    workers: WorkersOpt = None,
    engine: EngineOpt = "local",
    fmt: JsonOpt = "text",
    lang: LangOpt = "",
) -> None:
    """Ask again about published versions, by the contract as it is now; revoke those that fail.

    Only versions that this contract (by its name) has published are asked about, and only if something changed.
    Exit code: 0 all stand, 1 some were revoked, 2 asked wrongly, 3 some could not be decided.
    """
    from datacheck.registry.registry import Registry
    from datacheck.registry.rescan import rescan as ask_again

    speaks, fmt = language(lang), _format(fmt)
    code = _Code(grader, run_tests, trainer_python)
    asked = _Asked(contract, sign, data, settings, trust, decisions, engine, strict, *code)
    rules = _rules(channels, channel, asked, checks, workers, speaks)
    stop = _Stop(speaks)
    found = []
    with signals_raise(), stop.shown() as hashed:
        for one in ask_again(rules, Registry(registry, anchor or ()), execute=stop.execute, hashed=hashed):
            found.append(one)
            if fmt == "text":
                _show([one], fmt, speaks)
            if stop.code:
                break
    if fmt == "json":
        _show(found, fmt, speaks)
    raise typer.Exit(stop.code or max((one.exit_code for one in found), default=0))


def history(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[PATH|VERSION]", help="One version, by its folder or id.", show_default="all"),
    ] = None,
    registry: Annotated[
        Path | None,
        typer.Option(
            "--registry",
            metavar="DIR",
            envvar="DATACHECK_REGISTRY",
            help="Folder of the registry.",
            show_default="the one that PATH lies in",
        ),
    ] = None,
    anchor: AnchorOpt = None,
    every: Annotated[bool, typer.Option("--all", help="Claims too.")] = False,
    fmt: JsonOpt = "text",
    lang: LangOpt = "",
) -> None:
    """Verify the ledger and show what was decided, in order: verdicts, waivers, publications, revocations.

    Exit code: 0 the ledger is whole, 2 asked wrongly, 3 it was changed or cut, or an older copy was put back.
    """
    from datacheck.gate.ledger import head_of
    from datacheck.registry.history import history_json, print_history
    from datacheck.registry.registry import Registry, find

    speaks, fmt = language(lang), _format(fmt)
    root, number = find(what, registry)
    place = Registry(root, anchor or ())
    with place.ledger(readonly=True) as ledger:
        verified = ledger.verified(place.heads())
    head = head_of(verified)
    entries = [e for e in verified if e.version.startswith(number) and (every or e.kind != "claim")]
    if fmt == "json":
        sys.stdout.write(history_json(entries, head))
    else:
        print_history(entries, head, screen(), speaks)


class _Stop:
    """Runs plans; a signal stops one, which then says so, and `code` is the exit code."""

    def __init__(self, lang: "Lang") -> None:
        self.code = 0
        self._lang = lang
        self._display: Display | None = None

    @contextmanager
    def shown(self) -> "Iterator[Hashed | None]":
        """Show what goes on, if somebody sits there; gives what hears of the hashing."""
        if not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console

        from datacheck.cli.progress import phases_shown

        with phases_shown(self._lang, Console(stderr=True)) as self._display:
            yield self._display.hashed

    def execute(self, session: "Session") -> str | None:
        """Run a plan; returns the name of the signal that stopped it."""
        try:
            if self._display is None:
                session.run()
            else:
                self._display.run(session)
        except InterruptedRunError as stop:
            self.code = 128 + stop.number
            return stop.name
        finally:
            ignore_signals()
        return None


class _Code(NamedTuple):
    """Code of others that the operator lets run (decision 0025)."""

    grader: list[str] | None
    run_tests: bool
    trainer_python: Path | None


class _Asked(NamedTuple):
    """What options say that stands in a file of channels, too."""

    contract: Path | None
    sign: list[str] | None
    data: list[str] | None
    run: list[str] | None
    trust: Path | None
    decisions: Path | None
    engine: str
    strict: bool
    grader: list[str] | None
    run_tests: bool
    trainer_python: Path | None


def _rules(
    channels: Path | None,
    channel: str | None,
    asked: _Asked,
    checks: Path | None,
    workers: int | None,
    lang: "Lang",
    drop: Path | None = None,
) -> "PublishRules":
    """The rules of the file of channels, or those that the options say."""
    from datacheck.contract import discover

    discover.use_folder(checks)
    if channels is None:
        return _as_asked(asked, channel, checks, workers, lang)
    from datacheck.registry.channels import channel_of

    for option, value in asked._asdict().items():
        if value and (option, value) != ("engine", "local"):
            raise UsageError(
                "{option}: stands in the file of --channels, for each channel", option=f"--{option.replace('_', '-')}"
            )
    name, found = channel_of(channels, channel)
    return found.rules(name, drop, checks=checks, workers=workers)


def _as_asked(
    asked: _Asked, channel: str | None, checks: Path | None, workers: int | None, lang: "Lang"
) -> "PublishRules":
    from datacheck.gate.keys import load_private
    from datacheck.gate.trust import read_trust
    from datacheck.registry.publish import PublishRules
    from datacheck.session.options import Options

    if asked.contract is None or not asked.sign:
        raise UsageError("expected --contract FILE and --sign KEY, or --channels FILE")
    key, *cosigners = (load_private(named) for named in asked.sign)
    options = Options(
        strict=asked.strict,
        checks=checks,
        workers=workers,
        engine=asked.engine,
        lang=lang,
        run=run_settings(asked.run),
        decisions=decided(asked.decisions, asked.trust, [key, *cosigners]),
        graders=tuple(asked.grader or ()),
        run_tests=asked.run_tests,
        trainer_python=asked.trainer_python,
        whole=True,
    )
    _require_own(asked.grader)
    data, trust = bindings(asked.data), read_trust(asked.trust)
    return PublishRules(asked.contract, key, trust, data, channel, options, tuple(cosigners))


def _require_own(graders: list[str] | None) -> None:
    """A function that decides what may train must be written by nobody else, as in a file of channels."""
    from datacheck.gate.trust import ForeignError, require_own

    for named in graders or ():
        file = Path(named.rpartition(":")[0])
        if file.is_file():  # what is not there is told where the contract is read
            with UsageError.instead(ForeignError, "{reason}; who can write it says by what data is judged"):
                require_own(file, file.stat())


def _show(found: "list[Outcome]", fmt: str, lang: "Lang") -> None:
    if fmt == "json":
        import json

        listed = [
            {**one._asdict(), "path": str(one.path), "idle": list(map(str, one.idle)), "exit_code": one.exit_code}
            for one in found
        ]
        sys.stdout.write(json.dumps(listed, ensure_ascii=False, indent=1) + "\n")
        return
    from datacheck.registry.history import print_outcome

    for one in found:
        print_outcome(one, screen(), lang)


def _format(given: str) -> str:
    if given not in ("text", "json"):
        raise UsageError("--format {given}: expected text or json", given=given)
    return given
