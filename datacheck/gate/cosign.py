"""Add a signature to a verdict: another validator has looked at the report and answers for the same statement.

The data is hashed first, so nobody signs for other bytes than those that lie there. Where the trust file asks for
several validators, a verdict counts from the last of them on.
"""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from datacheck.errors import UnknownKeyError, UsageError
from datacheck.files.versions import REPORT, VERDICT, shown, sidecar, write_atomic
from datacheck.gate import dsse
from datacheck.gate.dsse import EnvelopeError
from datacheck.gate.keys import PrivateKey
from datacheck.gate.trust import Trust
from datacheck.gate.verify import Signed, read_envelope, read_signed, same_data, same_report


def cosign(path: Path, key: PrivateKey, trust: Trust) -> Signed:
    """Sign the verdict beside the data too; returns it with all who count.

    Raises:
        UnknownKeyError: the key is no trusted validator's, or nobody has signed who counts.
        UsageError: it has signed already, or the verdict cannot be replaced.
        TamperedError: the data or the report is not what was signed.

    """
    told = trust.why_not(key.key_id, "validator")
    if told is not None:
        raise UnknownKeyError(
            "key {key}: {told}; expected a validator (datacheck keys trust --role validator)",
            key=key.key_id[:12],
            told=told,
        )
    place = sidecar(path, VERDICT)
    with _held(place.parent):
        signed = read_signed(path, trust, enough=False)
        same_data(path, signed.verdict)
        same_report(sidecar(path, REPORT), signed, needed=False)
        with UsageError.instead(EnvelopeError, "{place}: not signed: {reason}", place=shown(place)):
            data = dsse.add(read_envelope(place), key)
        write_atomic(place, data, stat.S_IMODE(place.stat().st_mode))
        return read_signed(path, trust, enough=False)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """One signer at a time, so that none takes away the signature of another; a published folder is opened for it."""
    with UsageError.instead(
        OSError, "{folder}: cannot be written ({reason}); expected a folder of yours", folder=shown(folder)
    ):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
            if not mode & stat.S_IWUSR:
                os.fchmod(handle, mode | stat.S_IWUSR)
            try:
                yield
            finally:
                if not mode & stat.S_IWUSR:
                    os.fchmod(handle, mode)
        finally:
            os.close(handle)
