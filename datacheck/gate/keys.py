"""Keys of ed25519: private ones in files of mode 0600 or in `env:NAME`, public ones in PEM.

The id of a key is the sha256 of the public key (DER, SubjectPublicKeyInfo). Private keys are never printed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from datacheck.errors import UsageError, reason_of
from datacheck.files.versions import shown, write_atomic

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PASSPHRASE = "DATACHECK_KEY_PASSPHRASE"
_LIMIT = 1024**2
_DER = bytes.fromhex("302a300506032b6570032100")  # SubjectPublicKeyInfo of ed25519 before its 32 bytes, RFC 8410


class PrivateKey:
    """A key that signs; `repr` shows its id only."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw()
        self.key_id = key_id(self.public)

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of an ed25519 signature."""
        return self._key.sign(message)

    def __repr__(self) -> str:
        return f"PrivateKey({self.key_id[:12]}…)"


def key_id(public: bytes) -> str:
    """The id of a raw public key: sha256 of its DER form, in hex."""
    return hashlib.sha256(_DER + public).hexdigest()


def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the signature is that of `public` over `message`."""
    from cryptography.exceptions import InvalidSignature  # only who verifies pays for it
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


# --- private keys ---

_taken: dict[tuple[str, str], str] = {}  # (variable, key as it was named) → what stood in the environment


def new_key(path: Path) -> PrivateKey:
    """Make a key pair: `path` (PEM, PKCS 8, mode 0600) and beside it the public key as `.pub`.

    Encrypted with the passphrase of DATACHECK_KEY_PASSPHRASE if that is set. Raises UsageError if either exists.
    """
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    passphrase = os.environ.get(PASSPHRASE, "").encode()
    lock = form.BestAvailableEncryption(passphrase) if passphrase else form.NoEncryption()
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, lock)
    public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    beside = public_file(path)
    if beside.exists():
        raise UsageError("{beside}: exists already; choose another name for the key", beside=shown(beside))
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(private)
            os.fsync(descriptor)
    except FileExistsError:
        raise UsageError("{path}: exists already; choose another name for the key", path=shown(path)) from None
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise UsageError(
            "{path}: cannot be written ({reason}); name a file", path=shown(path), reason=reason_of(error)
        ) from None
    write_atomic(beside, public)
    return PrivateKey(key)


def public_file(path: Path) -> Path:
    """Where the public key of a new private key goes."""
    return path.with_suffix(".pub") if path.suffix == ".pem" else path.with_name(path.name + ".pub")


def load_private(named: str) -> PrivateKey:
    """Read a private key from a file, or from `env:NAME`. Raises UsageError.

    The variables of key and passphrase are removed from the environment: children of this process parse what strangers
    wrote and must not know them. This process keeps what it took, so that one key signs many drops.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    where = shown(named)
    pem = _pem_of(named, where)
    passphrase = (_take(PASSPHRASE, named) or "").encode() or None
    try:
        key = load_pem_private_key(pem, passphrase)
    except TypeError:
        if passphrase:
            raise UsageError(
                "{where}: the key is not encrypted; unset {variable}", where=where, variable=PASSPHRASE
            ) from None
        raise UsageError("{where}: the key is encrypted; set {variable}", where=where, variable=PASSPHRASE) from None
    except (ValueError, UnsupportedAlgorithm):
        raise UsageError(
            "{where}: no private key, or another passphrase; expected PEM (datacheck keys new)", where=where
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError("{where}: a key of another kind; expected ed25519 (datacheck keys new)", where=where)
    return PrivateKey(key)


def _take(variable: str, named: str) -> str | None:
    """The value of a variable that belongs to the key `named`; from now on it is in this process's memory only."""
    value = os.environ.pop(variable, None)
    if value is not None:
        _taken[variable, named] = value
    return _taken.get((variable, named))


def _pem_of(named: str, where: str) -> bytes:
    if named.startswith("env:"):
        text = _take(named.removeprefix("env:"), named)
        if text is None:
            raise UsageError("{where}: no such variable; expected a private key in it", where=where)
        return text.encode("utf-8", "surrogateescape")
    with (
        UsageError.instead(
            OSError, "{where}: cannot be read ({reason}); expected a private key, or env:NAME", where=where
        ),
        Path(named).open("rb") as file,
    ):
        if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
            raise UsageError("{where}: others may read this key; make it private (chmod 600)", where=where)
        return file.read(_LIMIT)


def load_public(path: Path) -> bytes:
    """The 32 bytes of a public key in PEM. Raises UsageError."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(path.read_bytes())
    except OSError as error:
        raise UsageError(
            "{path}: cannot be read ({reason}); expected a public key", path=shown(path), reason=reason_of(error)
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError(
            "{path}: no public key of ed25519 in PEM; expected the .pub of datacheck keys new", path=shown(path)
        )
    return key.public_bytes_raw()
