"""Keys: private ones in files of mode 0600 or in `env:NAME`, trusted public ones in one JSON file with a role each.

A validator signs verdicts, an approver signs waivers; a key has one role, so nobody waives what they signed. The key id
is the sha256 of the public key (DER, SubjectPublicKeyInfo). Private keys are never printed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from datacheck.errors import UnknownKeyError, UsageError, reason_of
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import shown, write_atomic
from datacheck.i18n.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Role = Literal["validator", "approver"]
ROLES: tuple[Role, ...] = ("validator", "approver")
TRUST_SCHEMA = "datacheck/trust/1"
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


class TrustedKey(NamedTuple):
    """A public key (32 bytes) that somebody trusts for one role; `name` is for people."""

    name: str
    role: Role
    public: bytes


class Trust(NamedTuple):
    """Trusted keys by id, and the file that says so."""

    file: str
    keys: Mapping[str, TrustedKey]


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


# --- public keys and trust ---


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


def trust_file(given: str | os.PathLike[str] | None = None) -> Path:
    """Where trusted keys stand: what is given, else $DATACHECK_TRUST, else ~/.config/datacheck/trust.json."""
    named = given or os.environ.get("DATACHECK_TRUST")
    return Path(named) if named else Path.home() / ".config" / "datacheck" / "trust.json"


def read_trust(given: str | os.PathLike[str] | None = None) -> Trust:
    """Read the trusted keys. Raises UnknownKeyError where there are none, UsageError for a broken file."""
    path = trust_file(given)
    where = shown(path)
    try:
        data = path.read_bytes()  # may be a link: secrets are mounted like that
    except OSError as error:
        hint = Message("trust a validator first: datacheck keys trust KEY.pub --role validator")
        raise UnknownKeyError(
            "{where}: no trusted keys ({reason}); {hint}", where=where, reason=reason_of(error), hint=hint
        ) from None
    with UsageError.instead(
        JsonError, "{where}: no list of trusted keys: {reason}; expected {schema}", where=where, schema=TRUST_SCHEMA
    ):
        return Trust(str(path), _trusted(data))


def _trusted(data: bytes) -> dict[str, TrustedKey]:
    value = strictjson.fields(strictjson.loads(data, _LIMIT), {"schema", "keys"})
    if value["schema"] != TRUST_SCHEMA or not isinstance(value["keys"], list):
        raise JsonError("unknown schema")
    keys: dict[str, TrustedKey] = {}
    for one in value["keys"]:
        entry = strictjson.fields(one, {"id", "name", "role", "public"})
        try:
            public = base64.b64decode(strictjson.text(entry["public"]), validate=True)
        except (binascii.Error, ValueError):
            raise JsonError("a public key is no base64") from None
        if entry["role"] not in ROLES:
            raise JsonError("a role is none of {known}", known=", ".join(ROLES))
        if len(public) != 32 or entry["id"] != key_id(public) or entry["id"] in keys:
            raise JsonError("an id is not that of its key, or stands twice (a key has one role)")
        keys[entry["id"]] = TrustedKey(strictjson.text(entry["name"]), entry["role"], public)
    return keys


def add_trust(path: Path, name: str, role: Role, public: bytes) -> str:
    """Trust a public key for one role; returns its id. Raises UsageError if it has another role already."""
    keys = dict(read_trust(path).keys) if path.exists() else {}
    number = key_id(public)
    if number in keys and keys[number].role != role:
        raise UsageError(
            "{path}: this key is trusted as {role} already; who approves waivers must have a key of their own",
            path=shown(path),
            role=keys[number].role,
        )
    keys[number] = TrustedKey(name, role, public)
    body = [
        {"id": number, "name": key.name, "role": key.role, "public": base64.b64encode(key.public).decode()}
        for number, key in sorted(keys.items())
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(
        path, (json.dumps({"schema": TRUST_SCHEMA, "keys": body}, ensure_ascii=False, indent=1) + "\n").encode()
    )
    return number
