"""What the ledger around a version says of it."""

import os
from collections.abc import Sequence
from pathlib import Path

from datacheck.files.versions import LEDGER_HEAD, shown
from datacheck.gate.ledger import Ledger, LedgerError, read_head
from datacheck.gate.outcomes import Scope, ScopeState, answer_of, fates, in_force
from datacheck.gate.verify import Standing
from datacheck.i18n.message import Message

LEDGER = "ledger.sqlite"


ANCHOR = "DATACHECK_ANCHOR"


REGISTRY = "DATACHECK_REGISTRY"


_LINKS = 40  # that may lead to one another; the kernel follows no more


def hexed(number: str) -> str:
    """A version id as the name of a folder."""
    return number.removeprefix("sha256:")


def standing(path: Path, number: str) -> Standing | None:
    """What a ledger says of a version: that of $DATACHECK_REGISTRY, else of the registry around `path`; None: no such.

    What the operator names comes first, and a ledger in the version itself is data: whoever can write beside the data
    must not choose who is asked. Where `path` is a pointer of a channel, the ledger is asked about that channel.

    Raises LedgerError where the ledger is damaged, cut, or not the one that this version's folder knows.
    """
    named = os.environ.get(REGISTRY)
    root = Path(named) if named else _around(Path(os.path.realpath(path)).parent)
    if root is None:
        return None
    root = Path(os.path.realpath(root))
    with Ledger(root / LEDGER, anchors_of(root), readonly=True) as ledger:
        head = read_head(path / LEDGER_HEAD) if path.is_dir() else None
        entries = ledger.verified([(path / LEDGER_HEAD, head)] if head else ())
    _require_anchor()
    found = fates(entries)
    own = [fate for scope, fate in found.items() if scope.version == number]
    channel = channel_of(path)
    newest = in_force(found).get(channel) if channel is not None else None
    if newest is not None and newest[0].version == number:
        own = [newest[1]]
    elif channel is not None:
        own = [fate for scope, fate in found.items() if scope[:2] == (number, channel)]
    answers = {fate.answer for fate in own if fate.entry.kind != "revoke"}  # so may be used what was only waived
    verdicts = [entry for entry in entries if (entry.kind, entry.version) == ("verdict", number)]
    revoked = [] if any(fate.stands for fate in own) else [f.entry for f in own if f.entry.kind == "revoke"]
    misled = channel is not None and not revoked and (newest is None or newest[0].version != number)
    return Standing(
        shown(root / LEDGER),
        tuple(entry.fact("envelope") for entry in verdicts if answer_of(entry) in answers),
        max(revoked).fact("reason") if revoked else None,
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


def _misled(channel: str, newest: tuple[Scope, ScopeState] | None) -> Message:
    if newest is None:
        return Message(
            "nothing is published in the channel {channel}; expected no pointer there", channel=shown(channel)
        )
    number, seq = hexed(newest[0].version)[:12], newest[1].entry.seq
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
    return next((folder for folder in (real, *real.parents) if (folder / LEDGER).is_file()), None)
