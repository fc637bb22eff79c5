"""Keeping a registry: `registry expire`, `forget`, `checkpoint`, `database`, `move`; `migrate`."""
# As in main.py: `--help` must be instant, commands import what they use.

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from datacheck.cli.options import TrustOpt
from datacheck.cli.registry import AnchorOpt, RegistryOpt, SignOpt
from datacheck.cli.said import say
from datacheck.errors import UsageError
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from datacheck.registry.holding import Hit, Unsearched
    from datacheck.registry.registry import Registry

EraseOpt = Annotated[bool, typer.Option("--erase", help="Take them away, for good, and record it.")]
FormatOpt = Annotated[Literal["text", "json"], typer.Option("--format", help="What to print.")]
_SHOWN = 20  # places of a version that are named

registry_app = typer.Typer(
    no_args_is_help=True, help="Keep a registry: take away what is old or to be forgotten, sign what the ledger says."
)


def register(app: typer.Typer) -> None:
    """Add the commands to `datacheck`."""
    app.add_typer(registry_app, name="registry")
    app.command()(migrate)


@registry_app.command()
def expire(
    registry: RegistryOpt,
    older_than: Annotated[
        int, typer.Option("--older-than", metavar="DAYS", min=1, help="Since the last decision.", show_default=False)
    ],
    erase: EraseOpt = False,
    anchor: AnchorOpt = None,
    fmt: FormatOpt = "text",
) -> None:
    """List versions and quarantine of which nothing was decided for so many days; with --erase they go.

    What a channel points to stays, however old.
    Exit code: 0 done, 2 asked wrongly, 3 the ledger is damaged, or a version could not be removed.
    """
    from datacheck.registry.erasure import EXPIRED, expired
    from datacheck.registry.erasure import erase as take_away
    from datacheck.registry.registry import Registry

    place = Registry(registry, anchor or ())
    with place.ledger(readonly=not erase) as ledger:
        found = expired(place, ledger.verified(place.heads()), older_than)
        for old in found if erase else ():
            take_away(place, ledger, old.folder, EXPIRED, {"days": older_than})
    if fmt == "json":
        _print_json([old._asdict() for old in found])
        return
    _remind(place, erased=bool(found) and erase)
    for old in found:
        typer.echo(f"{old.folder}  {old.kind}  {old.time[:10]}  {' '.join(old.channels)}")
    say(_counted(len(found), erased=erase))


@registry_app.command()
def forget(
    value: Annotated[
        str,
        typer.Argument(
            metavar="ROWID|VALUE", help="A row's id or a value; -: read from standard input.", show_default=False
        ),
    ],
    registry: RegistryOpt,
    erase: EraseOpt = False,
    where: Annotated[
        str | None, typer.Option(metavar="PATH", help="Only what stands at this path of a row, as id.")
    ] = None,
    anchor: AnchorOpt = None,
    fmt: FormatOpt = "text",
) -> None:
    """List where published versions and quarantine hold a row's id or a value; with --erase these versions go.

    Exit code: 0 nothing holds it (any more), 1 listed only, 2 asked wrongly, 3 something cannot be searched or removed.
    """
    from datacheck.registry.erasure import FORGOTTEN
    from datacheck.registry.erasure import erase as take_away
    from datacheck.registry.holding import Hit, Wanted, everywhere
    from datacheck.registry.registry import Registry

    wanted = Wanted(sys.stdin.readline().rstrip("\r\n") if value == "-" else value)
    place = Registry(registry, anchor or ())
    with place.ledger(readonly=not erase) as ledger:
        ledger.verified(place.heads())
        found = list(everywhere(place.root, wanted, where))
        folders = sorted({hit.folder for hit in found if isinstance(hit, Hit)})
        digest = wanted.digest() if folders and erase else {}
        for folder in folders if erase else ():
            take_away(place, ledger, folder, FORGOTTEN, digest)
    _remind(place, erased=bool(folders) and erase)
    unsearched = [each for each in found if not isinstance(each, Hit) and each.folder not in (folders if erase else ())]
    if fmt == "json":
        _print_json([each._asdict() for each in found])
    else:
        _tell(found, len(folders), erased=erase)
    raise typer.Exit(3 if unsearched else 1 if folders and not erase else 0)


@registry_app.command()
def checkpoint(
    registry: RegistryOpt,
    sign: SignOpt = None,
    hours: Annotated[int, typer.Option(min=1, max=744, help="For how long it counts.")] = 24,
    trust: TrustOpt = None,
    anchor: AnchorOpt = None,
) -> None:
    """Sign what the ledger says for some hours, for machines that cannot read it: head, pointers, revocations.

    It needs as many signatures as a verdict. Where there is one, publish and rescan write it anew with their keys. One
    that is over is refused (exit code 11): let cron write it.
    Exit code: 0 written, 2 asked wrongly, 3 the ledger is damaged or cut.
    """
    from datacheck.gate.checkpoint import CHECKPOINT
    from datacheck.gate.keys import load_private
    from datacheck.gate.trust import read_trust
    from datacheck.registry.publish import require_validator
    from datacheck.registry.registry import Registry

    keys, place, trusted = (
        [load_private(each) for each in sign or ()],
        Registry(registry, anchor or ()),
        read_trust(trust),
    )
    if not keys:
        raise UsageError("expected --sign KEY")
    for key in keys:
        require_validator(key, trusted)
    place.ledger(readonly=True).close()  # what is not there is not made
    with place.ledger() as ledger:
        made = place.write_checkpoint(ledger, hours, keys)
    until = f"{made.expires:%Y-%m-%d %H:%M}Z"
    say(
        Message("{file}: entry {seq}, good until {until}", file=place.root / CHECKPOINT, seq=made.head.seq, until=until)
    )


@registry_app.command()
def database(
    url: Annotated[
        str,
        typer.Argument(metavar="URL", help="postgresql://USER@HOST/DATABASE, without a password.", show_default=False),
    ],
    registry: RegistryOpt,
) -> None:
    """Make a registry whose ledger is in PostgreSQL, so that several hosts can publish to one shared folder.

    The address stands in its folder, for every command; a password comes from ~/.pgpass, a service of libpq or
    PGPASSWORD. Where the database does not answer, nothing is published. Exec and verify read a checkpoint.
    Exit code: 0 made, 2 asked wrongly or there is a ledger, 3 the database cannot be reached or used.
    """
    from datacheck.registry.postgres import create
    from datacheck.registry.registry import Registry

    place = Registry(registry)
    file = create(place.root, url)
    place.ledger().close()
    say(Message("{file}: says where the ledger is, for every host that shares this folder", file=file))


@registry_app.command()
def move(
    url: Annotated[
        str,
        typer.Argument(metavar="URL", help="postgresql://USER@HOST/DATABASE, without a password.", show_default=False),
    ],
    registry: RegistryOpt,
    anchor: AnchorOpt = None,
) -> None:
    """Move the ledger of a registry from its file to PostgreSQL, so that several hosts can publish.

    The chain is verified before it is copied and after; then the file refuses every write, and stays as a copy to read.
    One that was killed is run again. End `watch` and `serve` before. Exec and verify read a checkpoint from then on.
    Exit code: 0 moved, 2 asked wrongly, 3 a damaged ledger, a worker at work, or the database cannot be used.
    """
    from datacheck.gate.checkpoint import CHECKPOINT
    from datacheck.registry.move import move as move_ledger
    from datacheck.registry.registry import Registry

    place = Registry(registry, anchor or ())
    done = move_ledger(place, url)
    say(
        Message(
            "{file}: says where the ledger is, to entry {seq}; {kept} is a copy to read",
            file=done.file,
            seq=done.head.seq,
            kept=done.kept.name,
        )
    )
    if not (place.root / CHECKPOINT).exists():
        say(Message("exec and verify need a checkpoint from now on: datacheck registry checkpoint"))


def migrate(
    registry: Annotated[Path, typer.Argument(metavar="REGISTRY", help="Folder of the registry.", show_default=False)],
    anchor: AnchorOpt = None,
) -> None:
    """Lift a registry of an earlier datacheck to this one. Nothing that was signed or recorded changes.

    Exit code: 0 lifted, or of this version already; 3 a damaged or newer ledger, or data that was changed.
    """
    from datacheck.registry.migrate import migrate as lift
    from datacheck.registry.registry import Registry

    done = lift(Registry(registry, anchor or ()))
    if done.before == done.after:
        say(Message("the registry is of version {after} already", after=done.after))
    else:
        say(Message("lifted from version {before} to {after}", before=done.before, after=done.after))
        say(
            Message.plural(
                "{n} published version has files of its own now",
                "{n} published versions have files of their own now",
                done.copied,
            )
        )
    if done.old_verdicts:
        say(
            Message.plural(
                "{n} verdict of 0.1 counts as before; datacheck rescan makes a new one, which says --run too",
                "{n} verdicts of 0.1 count as before; datacheck rescan makes new ones, which say --run too",
                done.old_verdicts,
            )
        )


def _tell(found: "list[Hit | Unsearched]", versions: int, *, erased: bool) -> None:
    """Places and never what stands there; of each version the first ones."""
    from itertools import groupby

    from datacheck.files.versions import shown
    from datacheck.registry.holding import Hit

    for folder, own in groupby(found, key=lambda each: each.folder):
        listed = list(own)
        for each in listed[:_SHOWN]:
            at = shown("/".join(filter(None, (folder, each.file))))
            if isinstance(each, Hit):
                typer.echo(f"{at}{f':{each.line}' if each.line else ''}  {shown(each.where)}")
            else:
                say(Message("{at}: could not be searched: {why}", at=at, why=each.why))
        if len(listed) > _SHOWN:
            say(Message("… and {n} more", n=len(listed) - _SHOWN))
    say(_counted(versions, erased=erased))


def _remind(place: "Registry", *, erased: bool) -> None:
    """Without a key nothing can be signed."""
    from datacheck.gate.checkpoint import CHECKPOINT

    if erased and (file := place.root / CHECKPOINT).exists():
        say(
            Message("{file}: does not know of this yet; write it anew: datacheck registry checkpoint", file=file),
            err=True,
        )


def _counted(n: int, *, erased: bool) -> Message:
    if erased:
        return Message.plural("{n} version was erased", "{n} versions were erased", n)
    if n == 0:
        return Message("no version; nothing to erase")
    return Message.plural(
        "{n} version; nothing was changed. To take it away, for good: --erase",
        "{n} versions; nothing was changed. To take them away, for good: --erase",
        n,
    )


def _print_json(listed: list[dict[str, Any]]) -> None:
    import json

    sys.stdout.write(json.dumps(listed, ensure_ascii=False, indent=1, default=Message.to_json) + "\n")
