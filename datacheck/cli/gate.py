"""The commands of the gate. `exec` and `verify` only pass their words on: `datacheck.gate.guard` needs no typer."""
# As in main.py: `--help` must be instant, commands import what they use.

import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from datacheck.cli.options import PASSED_ON, TrustOpt
from datacheck.cli.said import language, say
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from datacheck.gate.verdict import Verdict

PathArg = Annotated[Path, typer.Argument(metavar="PATH", help="A version of data.", show_default=False)]
KeyOpt = Annotated[str, typer.Option("--key", metavar="KEY", help="Private key: a file, or env:NAME.")]
Role = Literal["validator", "approver"]  # what a key may sign

keys_app = typer.Typer(no_args_is_help=True, help="Make keys that sign, and say whose signatures count.")


def register(app: typer.Typer) -> None:
    """Add the commands of the gate to `datacheck`."""
    app.command()(manifest)
    app.add_typer(keys_app, name="keys")
    app.command()(cosign)
    app.command()(waive)
    app.command()(decide)
    app.command(context_settings=PASSED_ON)(verify)
    app.command("exec", context_settings=PASSED_ON)(execute)


def manifest(
    path: PathArg,
    force: Annotated[bool, typer.Option("--force", help="Replace a manifest that says something else.")] = False,
) -> None:
    """Write _MANIFEST.json: the drop is complete, and these are its files. Prints the version's id.

    Exit code: 0 written, 2 there is another manifest, 3 the folder holds links or special files.
    """
    from datacheck.files.versions import amount, write_manifest

    version = write_manifest(path, force=force)
    typer.echo(f"{version.id}  {amount(len(version.files), version.bytes).said(language())}")


@keys_app.command("new")
def new(
    path: Annotated[Path, typer.Argument(metavar="KEY.pem", help="The private key to write.", show_default=False)],
) -> None:
    """Make an ed25519 key pair: the private key (mode 0600), and beside it the public one (.pub).

    It is encrypted if DATACHECK_KEY_PASSPHRASE is set.
    """
    from datacheck.gate.keys import new_key, public_file

    key = new_key(path)
    typer.echo(key.key_id)
    say(Message("private key: {path} (keep it)", path=path))
    say(Message("public key: {path} (give it away)", path=public_file(path)))


@keys_app.command("trust")
def trust(
    public: Annotated[Path, typer.Argument(metavar="KEY.pub", help="A public key.", show_default=False)],
    role: Annotated[Role, typer.Option(help="What it may sign: verdicts, or waivers.", show_default=False)],
    name: Annotated[str | None, typer.Option(help="Whose key it is.", show_default="the name of the file")] = None,
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="Its last day, UTC.", show_default="none, it does not end")
    ] = None,
    trust: TrustOpt = None,
) -> None:
    """Trust a public key for one role, perhaps until a day."""
    from datacheck.gate.keys import load_public
    from datacheck.gate.trust import add_trust, trust_file

    to = trust_file(trust)
    number = add_trust(to, name or public.stem, role, load_public(public), _day(until) if until else None)
    say(Message("{key} trusted as {role} in {file}", key=number, role=role, file=to))


@keys_app.command("untrust")
def untrust(
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY", help="A public key's file, or the first 8 or more digits of its id.", show_default=False
        ),
    ],
    trust: TrustOpt = None,
) -> None:
    """Trust a key no longer: what it signed is refused from now on (exit code 14), also what was published."""
    from datacheck.gate.keys import key_id, load_public
    from datacheck.gate.trust import remove_trust, trust_file

    of = trust_file(trust)
    number, was = remove_trust(of, key_id(load_public(Path(key))) if Path(key).is_file() else key)
    say(
        Message(
            "{key} ({name}) is no longer trusted as {role} in {file}", key=number, name=was.name, role=was.role, file=of
        )
    )


@keys_app.command("valid-for")
def valid_for(
    days: Annotated[
        int, typer.Argument(min=0, max=36500, help="Days that a verdict is good for; 0: for ever.", show_default=False)
    ],
    trust: TrustOpt = None,
) -> None:
    """Say for how long a verdict counts: an older one is refused (exit code 11) until the data is validated again."""
    from datacheck.gate.trust import set_valid_for, trust_file

    of = trust_file(trust)
    set_valid_for(of, days or None)
    say(_good_for(days) if days else Message("a verdict counts for ever"))


@keys_app.command("threshold")
def threshold(
    validators: Annotated[
        int, typer.Argument(min=1, help="How many validators must sign a verdict.", show_default=False)
    ],
    trust: TrustOpt = None,
) -> None:
    """Say how many validators must have signed a verdict before it counts: 2, and nobody's key alone lets data pass.

    The others add their signatures with `datacheck cosign`. With fewer the version is refused (exit code 14).
    """
    from datacheck.gate.trust import set_threshold, trust_file

    of = trust_file(trust)
    set_threshold(of, validators)
    say(_asks_for(validators))


@keys_app.command("list")
def list_keys(trust: TrustOpt = None) -> None:
    """List trusted keys: id, role, last day and name; and what a verdict needs."""
    from datacheck.files.versions import shown
    from datacheck.gate.trust import read_trust

    found = read_trust(trust)
    for number, key in found.keys.items():
        typer.echo(f"{number}  {key.role:9}  {key.until or '-'!s:10}  {shown(key.name)}")
    if found.valid_for:
        say(_good_for(found.valid_for))
    if found.threshold > 1:
        say(_asks_for(found.threshold))


def _asks_for(validators: int) -> Message:
    return Message.plural(
        "a verdict counts once {n} validator has signed it",
        "a verdict counts once {n} validators have signed it",
        validators,
    )


def _good_for(days: int) -> Message:
    return Message.plural("a verdict counts for {n} day", "a verdict counts for {n} days", days)


def _day(text: str) -> dt.date:
    from datacheck.errors import UsageError
    from datacheck.files.versions import shown

    with UsageError.instead(ValueError, "--until {text}: expected a day as 2026-12-31", text=shown(text)):
        return dt.date.fromisoformat(text)


def cosign(path: PathArg, key: KeyOpt, trust: TrustOpt = None) -> None:
    """Sign the verdict of another validator too, where the trust file asks for several (`keys threshold`).

    Read the report first: you answer for the same. Every byte of the data is hashed before; a failed verdict stays one.
    """
    from datacheck.files.versions import shown
    from datacheck.gate.cosign import cosign as add_signature
    from datacheck.gate.keys import load_private
    from datacheck.gate.trust import read_trust

    keys = read_trust(trust)
    signed = add_signature(path.resolve(), load_private(key), keys)
    verdict = signed.verdict
    say(
        Message(
            "{result}, {version}, contract {contract} ({digest}); signed by: {names}",
            result=verdict.result,
            version=verdict.version,
            contract=shown(" ".join([*verdict.contract, verdict.given]).strip()),
            digest=verdict.contract_digest,
            names=shown(", ".join(keys.keys[number].name for number in signed.signers)),
        )
    )
    missing = keys.missing(signed.signers)
    if missing is not None:
        say(missing)


def waive(
    path: PathArg,
    owner: Annotated[str, typer.Option(help="Who answers for it.", show_default=False)],
    reason: Annotated[str, typer.Option(help="Why the data may be used even so.", show_default=False)],
    expires: Annotated[str, typer.Option(metavar="DATE", help="The last day, UTC.", show_default=False)],
    key: KeyOpt,
    finding: Annotated[str | None, typer.Option(help="The finding, as train.pii.", show_default=False)] = None,
    check: Annotated[str | None, typer.Option(help="Or all findings of a check …", show_default=False)] = None,
    dataset: Annotated[str | None, typer.Option(help="… on this dataset.", show_default=False)] = None,
    drafts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Or the findings that these drafts of `datacheck view` propose to waive.",
            show_default=False,
        ),
    ] = None,
    trust: TrustOpt = None,
) -> None:
    """Let a failed version pass in spite of a finding, until a day, in the name of somebody.

    The key must be an approver's, not the one that signed the verdict. What could not be decided cannot be waived.
    """
    from datacheck.errors import UsageError
    from datacheck.gate.decisions import seal
    from datacheck.gate.keys import load_private
    from datacheck.gate.trust import read_trust
    from datacheck.gate.verify import read_signed
    from datacheck.gate.waivers import draft, put_beside

    if [finding, check, drafts].count(None) != 2 or (check is None) != (dataset is None):
        raise UsageError("waive: expected one of --finding ID, --check NAME --dataset NAME, and --drafts FILE")
    keys = read_trust(trust)
    signed = read_signed(path.resolve(), keys)
    waivers = [
        draft(signed.verdict, finding=one, check=check, dataset=dataset, owner=owner, reason=reason, until=expires)
        for one in ([finding] if drafts is None else _proposed(drafts, signed.verdict))
    ]
    place = put_beside(path.resolve(), seal(waivers, load_private(key), keys, signed.signers))
    for waiver in waivers:
        say(Message("waived {waiver}", waiver=waiver.line()))
    typer.echo(str(place))


def decide(
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="The decisions.", show_default=False)],
    key: KeyOpt,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the signed ones go.", show_default="beside FILE.yaml")
    ] = None,
    trust: TrustOpt = None,
) -> None:
    """Sign a file of decisions: rows that a check is not to speak of, values that may stay, findings to waive.

    Runs take it with --decisions; where it waives something of a version, a copy goes beside that.
    Exit code: 0 signed, 2 a decision that nobody may make, 14 a key that is no approver's.
    """
    from datacheck.files.versions import write_atomic
    from datacheck.gate.decisions import seal
    from datacheck.gate.keys import load_private
    from datacheck.gate.trust import read_trust
    from datacheck.gate.waivers import put_beside
    from datacheck.session.decided import read_written

    keys = read_trust(trust)
    written = read_written(file, keys)
    document = seal(written.decisions, load_private(key), keys, written.signers)
    place = out or file.with_suffix(".dsse.json")
    write_atomic(place, document)
    for one in written.decisions:
        say(Message("{kind}: {decision}", kind=one.kind, decision=one.line()))
    for target in (place, *(put_beside(version, document) for version in written.versions)):
        typer.echo(str(target))


def _proposed(drafts: Path, verdict: "Verdict") -> list[str]:
    """The findings of a failed version that drafts propose to waive. Raises UsageError where there are none."""
    from datacheck.errors import UsageError
    from datacheck.review.marks import to_waive

    blocking = {one.id for one in verdict.blocking}
    found = [name for name in to_waive(drafts, verdict.report_json) if name in blocking]
    if not found:
        raise UsageError("{drafts}: proposes to waive nothing that blocks this version", drafts=drafts)
    return found


def verify(context: typer.Context) -> None:
    """Refuse a version that was not validated, failed or was changed since. See `verify --help`."""
    from datacheck.gate.guard import main

    raise typer.Exit(main(["verify", *context.args]))


def execute(_context: typer.Context) -> None:
    """Start a command only if every --require-pass PATH passed and is unchanged. See `exec --help`."""
    from datacheck.gate.guard import main

    raise typer.Exit(main(sys.argv[sys.argv.index("exec") :]))  # click would eat the `--`
