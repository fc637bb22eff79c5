"""Lift a registry that an earlier datacheck made. Reading needs no lifting; what is signed stays as it was signed.

Of version 1 (0.1.0, which wrote no number) two things are missing: the ledger's version, and published files that are
the registry's own: the drop itself was moved, and who had brought it could still hold a file of it open, or know it by
another name. Nothing is done twice, so a call that died is run again.
"""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from datacheck.files.strictjson import JsonError
from datacheck.files.versions import VERDICT
from datacheck.gate import dsse
from datacheck.gate.dsse import EnvelopeError
from datacheck.gate.ledger import VERSION, Draft
from datacheck.gate.verdict import FIRST, parse_verdict
from datacheck.registry.registry import Registry
from datacheck.version import __version__


class Lifted(NamedTuple):
    """From which version of the ledger to which; how many published folders got files of their own.

    `old_verdicts`: published folders whose verdict is of the first schema; it counts as before.
    """

    before: int
    after: int
    copied: int
    old_verdicts: int


def migrate(registry: Registry) -> Lifted:
    """Lift a registry to this version.

    Raises LedgerError where the ledger is missing, damaged or of a later datacheck; LoadError where published data is
    not what its manifest says.
    """
    registry.ledger(readonly=True).close()  # what is not there is not made
    with registry.ledger() as ledger:
        ledger.verified(registry.heads())
        registry.recover(ledger)
        before, folders = max(ledger.version, 1), registry.published()
        copied = folders if before < VERSION else []
        registry.sweep()
        for folder in copied:
            registry.own(folder)
        if before < VERSION:
            with ledger.writing():
                ledger.lift()
                ledger.add([Draft("migrate", "", "", {"from": before, "to": VERSION, "datacheck": __version__})])
            ledger.write_anchors()
    return Lifted(before, VERSION, len(copied), sum(map(_is_first, folders)))


def _is_first(folder: Path) -> bool:
    """Whether the verdict of a version is of the first schema."""
    with suppress(OSError, EnvelopeError, JsonError):
        return parse_verdict(dsse.parse((folder / VERDICT).read_bytes(), dsse.MOST).payload).schema == FIRST
    return False
