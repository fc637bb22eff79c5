"""What the registry around a version says of it: its ledger, or its checkpoint."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from datacheck.errors import LoadError, NotValidatedError, TamperedError, UsageError
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import LEDGER_HEAD, read_small, shown, write_atomic
from datacheck.gate.checkpoint import CHECKPOINT, read_checkpoint
from datacheck.gate.ledger import Head, Ledger, LedgerError, read_head
from datacheck.gate.outcomes import Decided, decisions, newest_of
from datacheck.gate.verify import Standing
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from datacheck.gate.trust import Trust

LEDGER = "ledger.sqlite"
DATABASE = "ledger.postgres.json"  # in its place: says in which database the ledger of several hosts is


ANCHOR = "DATACHECK_ANCHOR"


REGISTRY = "DATACHECK_REGISTRY"


SEEN = "DATACHECK_CHECKPOINT_SEEN"  # where a machine remembers the newest checkpoint that it has seen, of one registry


_LONGEST = 4096  # bytes of that memory
_LINKS = 40  # that may lead to one another; the kernel follows no more


def hexed(number: str) -> str:
    """A version id as the name of a folder."""
    return number.removeprefix("sha256:")


def standing(path: Path, number: str, trust: "Trust | None" = None) -> Standing | None:
    """What a registry says of a version: that of $DATACHECK_REGISTRY, else the one around `path`; None: no such.

    What the operator names comes first, and a ledger in the version itself is data: whoever can write beside the data
    must not choose who is asked. Where `path` is a pointer of a channel, it is asked about that channel. The ledger is
    read; where a registry has none, or its checkpoint is named, the checkpoint, as far as `trust` goes. So it is where
    the ledger is in a database, which the guard does not speak to.

    Raises LedgerError where the ledger is damaged, cut, or not the one that this version's folder knows; RefusedError
    for a checkpoint that is over, rolled back, or nobody's, or that is not there where the ledger is in a database.
    """
    named = os.environ.get(REGISTRY)
    root = Path(named) if named else _around(Path(os.path.realpath(path)).parent)
    if root is None:
        return None
    root = Path(os.path.realpath(root))
    head = read_head(path / LEDGER_HEAD) if path.is_dir() else None
    own_head = [(path / LEDGER_HEAD, head)] if head else []
    checkpoint = root if root.is_file() else root / CHECKPOINT
    elsewhere = in_database(root)
    if trust is not None and checkpoint.is_file() and (root.is_file() or elsewhere or not (root / LEDGER).exists()):
        return _decided(path, number, checkpoint, _of_checkpoint(checkpoint, own_head, trust))
    if elsewhere:
        raise NotValidatedError(
            "{file}: is not there, and the ledger of this registry is in a database, which is not read here; "
            "write one: datacheck registry checkpoint",
            file=shown(checkpoint),
        )
    with Ledger(root / LEDGER, anchors_of(root), readonly=True) as ledger:
        entries = ledger.verified(own_head)
    _require_anchor()
    return _decided(path, number, root / LEDGER, decisions(entries))


def in_database(root: Path) -> bool:
    """Whether the ledger of a registry is in a database. Raises LedgerError where there is one in a file, too."""
    if not os.path.lexists(root / DATABASE):
        return False
    if os.path.lexists(root / LEDGER):
        raise LedgerError(
            "{root}: has two ledgers, {one} and {other}; take away the one that is not the registry's",
            root=shown(root),
            one=LEDGER,
            other=DATABASE,
        )
    return True


def has_ledger(root: Path) -> bool:
    """Whether a folder is a registry that was used."""
    return (root / LEDGER).exists() or os.path.lexists(root / DATABASE)


def _of_checkpoint(file: Path, heads: Sequence[tuple[Path, Head]], trust: "Trust") -> Sequence[Decided]:
    """What a checkpoint says, if it is no older than the version, or than one that this machine has seen."""
    found = read_checkpoint(file, trust)
    seen = Path(os.environ[SEEN]) if os.environ.get(SEEN) else None
    known = _remembered(seen) if seen is not None else None
    if seen is not None and known is not None and known.first != found.first:
        raise TamperedError(
            "{file}: is of another registry than the one that {place} remembers; "
            "expected one such file for each registry",
            file=shown(file),
            place=shown(seen),
        )
    for place, head in [*heads, *([(seen, known.head)] if seen is not None and known is not None else [])]:
        if head.seq > found.head.seq or (head.seq == found.head.seq and head != found.head):
            raise TamperedError(
                "{file}: is of entry {last}, but {place} knows entry {seq}: an older one was put back, or it is of "
                "another registry; write a new one: datacheck registry checkpoint",
                file=shown(file),
                last=found.head.seq,
                place=shown(place),
                seq=head.seq,
            )
    if seen is not None and known != (found.head, found.first):
        with LedgerError.instead(UsageError, "what was seen of the ledger could not be remembered: {reason}"):
            write_atomic(seen, strictjson.canonical({**found.head._asdict(), "first": found.first}) + b"\n")
    return found.decisions


class _Seen(NamedTuple):
    head: Head
    first: str


def _remembered(file: Path) -> _Seen | None:
    """What this machine has seen last; None: nothing yet. Raises LedgerError."""
    with LedgerError.instead((LoadError, JsonError), "{file}: remembers no checkpoint ({reason})", file=shown(file)):
        data = read_small(file, _LONGEST)
        if data is None:
            return None
        facts = strictjson.fields(strictjson.loads(data, _LONGEST), {"seq", "hash", "first"})
        if type(facts["seq"]) is not int:
            raise JsonError("a field has the wrong form")
        return _Seen(Head(facts["seq"], strictjson.text(facts["hash"])), strictjson.text(facts["first"]))


def _decided(path: Path, number: str, where: Path, known: Sequence[Decided]) -> Standing:
    own = [one for one in known if one.version == number]
    channel = channel_of(path)
    newest = newest_of(known, channel) if channel is not None else None
    if newest is not None and newest.version == number:
        own = [newest]
    elif channel is not None:
        own = [one for one in own if one.channel == channel]
    revoked = [] if any(one.stands for one in own) else [one for one in own if one.revoked is not None]
    misled = channel is not None and not revoked and (newest is None or newest.version != number)
    return Standing(
        shown(where),
        tuple(sha256 for one in own for sha256 in one.verdicts),
        max(revoked, key=lambda one: one.seq).revoked if revoked else None,
        _misled(channel or "", newest) if misled else None,
    )


def _require_anchor() -> None:
    """Where an anchor is named, it must say something: one that is not there would agree with any ledger."""
    named = os.environ.get(ANCHOR)
    if named and not Path(named).exists():
        raise LedgerError(
            "{file}: is not there, and {variable} names it; mount its disk, or let the next publish write it",
            file=shown(Path(named)),
            variable=ANCHOR,
        )


def anchors_of(root: Path, named: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Where the head of a registry's ledger is kept: beside it, and in further places, else in $DATACHECK_ANCHOR."""
    known = os.environ.get(ANCHOR)
    return (root / "head.json", *(named or ([Path(known)] if known else [])))


def _misled(channel: str, newest: Decided | None) -> Message:
    if newest is None:
        return Message(
            "nothing is published in the channel {channel}; expected no pointer there", channel=shown(channel)
        )
    number, seq = hexed(newest.version)[:12], newest.seq
    return Message(
        "the newest publication of the channel {channel} is {version} (entry {seq}); its pointer leads here",
        channel=shown(channel),
        version=number,
        seq=seq,
    )


def channel_of(path: Path) -> str | None:
    """The channel whose pointer leads to a version: what lies in a folder published/, on the way of the links."""
    at = Path(os.path.abspath(path))  # noqa: PTH100 - without following the link that is looked at
    for _ in range(_LINKS):
        if "published" in (at.parent.name, Path(os.path.realpath(at.parent)).name):
            return at.name
        if not at.is_symlink():
            return None
        target = Path(os.path.realpath(at.parent)) / at.readlink()
        at = Path(os.path.realpath(target.parent)) / target.name
    return None


def _around(path: Path) -> Path | None:
    real = Path(os.path.realpath(path))
    # a ledger anywhere first: whoever can write beside the data must not hide it behind a checkpoint of some hours ago
    every = ((folder, folder / name) for name in (LEDGER, DATABASE, CHECKPOINT) for folder in (real, *real.parents))
    return next((folder for folder, file in every if file.is_file()), None)
