"""Waivers: somebody with a name answers for a failed finding of one version, until a day. Standard library only.

A waiver is a signed decision beside the data, `waivers/<sha256>.dsse.json`. It holds for one version and one contract
only, is signed by a key that is trusted as approver and did not sign the verdict, and never covers a finding that could
not be decided, or that holds secrets or items of a red line. The report never mentions it: what was measured does not
change.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from datacheck.errors import LoadError, UnknownKeyError, UsageError, WaiverError, WrongValueError, unknown
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import WAIVERS, shown, sidecar, sweep, write_atomic
from datacheck.gate.decisions import Waiver, day_of, read_signed, require_signable
from datacheck.gate.dsse import EnvelopeError
from datacheck.gate.trust import Trust, today
from datacheck.gate.verdict import Judged, Verdict
from datacheck.i18n.message import Message

_NAME = re.compile(r"[0-9a-f]{64}\.dsse\.json")


# --- making one ---


def draft(
    verdict: Verdict,
    *,
    finding: str | None,
    check: str | None,
    dataset: str | None,
    owner: str,
    reason: str,
    until: str,
) -> Waiver:
    """A waiver for a failed finding (`finding`), or for all of a check on a dataset. Raises UsageError."""
    named = [f for f in verdict.blocking if f.id == finding]
    targets = named if finding else [f for f in verdict.blocking if (f.check, f.dataset) == (check, dataset)]
    if not targets:
        asked = finding or f"{dataset}.{check}"
        blocks = [f.id for f in verdict.blocking]
        known = unknown("finding", asked, blocks) if blocks else Message("it passed, and nothing is to be waived")
        raise UsageError("{asked}: nothing of it blocks this version; {known}", asked=shown(asked), known=known)
    undecided = [f.id for f in targets if f.status == "error"]
    if undecided:
        raise UsageError(
            "{undecided}: could not be decided; mend what hinders it and run again, it cannot be waived",
            undecided=undecided[0],
        )
    final = [f.id for f in targets if f.final]
    if final:
        raise UsageError(
            "{finding}: holds secrets or items of a red line, which nobody can waive; take them out of the data",
            finding=final[0],
        )
    first = targets[0]
    with UsageError.instead(WrongValueError, "{finding}: {reason}", finding=shown(finding or first.check)):
        waiver = Waiver(
            version=verdict.version,
            check=first.check,
            dataset=first.dataset,
            finding=finding,
            contract=verdict.contract_digest,
            owner=owner.strip(),
            reason=reason.strip(),
            created=today(),
            expires=day_of(until),
        )
        require_signable(waiver)
    return waiver


def put_beside(path: Path, document: bytes) -> Path:
    """Put signed decisions beside a version, where the guard looks for waivers."""
    folder = sidecar(path, WAIVERS)
    with UsageError.instead(
        OSError, "{folder}: cannot be made ({reason}); is the version read-only?", folder=shown(folder)
    ):
        folder.mkdir(exist_ok=True)
        sweep(folder)
    place = folder / f"{hashlib.sha256(document).hexdigest()}.dsse.json"
    write_atomic(place, document)
    return place


# --- reading them ---


def read_waivers(path: Path, trust: Trust, verdict: Verdict, signers: Sequence[str]) -> tuple[Waiver, ...]:
    """All waivers beside the data, each verified. Raises WaiverError for any that is none for this version."""
    folder = sidecar(path, WAIVERS)
    with WaiverError.instead(OSError, "{folder}: cannot be read ({reason})", folder=shown(folder)):
        names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    found: list[Waiver] = []
    for name in names:
        with WaiverError.instead(
            (EnvelopeError, JsonError, LoadError, UnknownKeyError, ValueError),
            "{file}: not a valid waiver: {reason}; remove it, or have it signed again (datacheck waive)",
            file=shown(folder / name),
        ):
            found += _read(folder / name, trust, verdict, signers)
    return tuple(found)


def _read(place: Path, trust: Trust, verdict: Verdict, signers: Sequence[str]) -> tuple[Waiver, ...]:
    """The waivers of a document that are for this version and contract; it must hold one."""
    if not _NAME.fullmatch(place.name):
        raise JsonError("its name is not that of a waiver")
    decided = read_signed(place, trust, signers).decisions
    own = [one for one in decided if isinstance(one, Waiver) and one.version == verdict.version]
    if not own:
        raise JsonError("it is for another version")
    waivers = tuple(one for one in own if one.contract == verdict.contract_digest)
    if not waivers:
        raise JsonError("it is for another contract")
    return waivers


def unwaived(verdict: Verdict, waivers: Sequence[Waiver]) -> tuple[list[Judged], list[Waiver], list[Waiver]]:
    """What still blocks a failed version, the waivers that count, and those that would if they had not expired."""
    day = today()
    blocking, used, late = [], [], []
    for finding in verdict.blocking:
        speak = [w for w in waivers if w.names(finding.id, finding.check, finding.dataset) and not finding.final]
        valid = [w for w in speak if not w.expired(day)]
        used += valid
        if not valid:
            blocking.append(finding)
            late += speak
    return blocking, list(dict.fromkeys(used)), list(dict.fromkeys(late))
