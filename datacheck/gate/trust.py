"""Whose signatures count: trusted public keys in one JSON file, each with a role and perhaps a last day.

A validator signs verdicts, an approver signs waivers; a key has one role, so nobody waives what they signed. The file
also says how many validators must have signed a verdict before it counts, and for how many days it is good. Days are
UTC, by the clock of the machine that verifies.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from datacheck.errors import UnknownKeyError, UsageError, reason_of
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.files.versions import shown, write_atomic
from datacheck.gate.dsse import MOST
from datacheck.gate.keys import key_id
from datacheck.i18n.message import Message, SaidError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

Role = Literal["validator", "approver"]
ROLES: tuple[Role, ...] = ("validator", "approver")
SCHEMA = "datacheck/trust/3"
SECOND = "datacheck/trust/2"  # without a threshold
FIRST = "datacheck/trust/1"  # nor last days
LONGEST = 36500  # days that a verdict may be good for
_LIMIT = 1024**2
_LINKS = 40  # that may lead to one another; the kernel follows no more
_SHORTEST_ID = 8  # characters of an id that are enough to name a key


class TrustedKey(NamedTuple):
    """A public key (32 bytes) that somebody trusts for one role, through `until`; `name` is for people."""

    name: str
    role: Role
    public: bytes
    until: dt.date | None = None


class Trust(NamedTuple):
    """Trusted keys by id, the file that says so, and what a verdict needs to count.

    `valid_for`: for how many days it is good (None: for ever); `threshold`: how many validators must have signed it.
    """

    file: str
    keys: Mapping[str, TrustedKey]
    valid_for: int | None = None
    threshold: int = 1

    def why_not(self, number: str, role: Role) -> Message | None:
        """Why a key does not count for a role today: the rest of a sentence. None: it counts."""
        known = self.keys.get(number)
        if known is None:
            return Message("is not trusted")
        if known.role != role:
            return Message("is trusted as {role} only", role=known.role)
        if known.until is not None and today() > known.until:
            return Message("was trusted until {day}", day=known.until.isoformat())
        return None

    def missing(self, signers: Collection[str]) -> Message | None:
        """How many validators must sign beside these, and who could. None: they are enough."""
        have = {number for number in signers if self.why_not(number, "validator") is None}
        short = self.threshold - len(have)
        if short <= 0:
            return None
        others = [key.name for number, key in self.keys.items() if number not in have and self._may_sign(number)]
        return Message(
            "signed by {have} of the {threshold} validators that {file} asks for, {short} missing; "
            "expected `datacheck cosign` by: {others}",
            have=len(have),
            threshold=self.threshold,
            file=shown(self.file),
            short=short,
            others=shown(", ".join(others)) if others else Message("nobody else is trusted"),
        )

    def _may_sign(self, number: str) -> bool:
        return self.why_not(number, "validator") is None


def today() -> dt.date:
    """The day by this machine's clock, UTC."""
    return dt.datetime.now(dt.timezone.utc).date()


def trust_file(given: str | os.PathLike[str] | None = None) -> Path:
    """Where trusted keys stand: what is given, else $DATACHECK_TRUST, else ~/.config/datacheck/trust.json."""
    if given is not None:
        return Path(given)
    named = os.environ.get("DATACHECK_TRUST")
    return Path(named) if named else Path.home() / ".config" / "datacheck" / "trust.json"


def read_trust(given: str | os.PathLike[str] | None = None) -> Trust:
    """Read the trusted keys.

    Raises UnknownKeyError where there are none, or where others than this user and root may write what it says;
    UsageError for a broken file.
    """
    path = trust_file(given)
    where = shown(path)
    try:
        with path.open("rb") as file:  # may be a link: secrets are mounted like that
            with UnknownKeyError.instead(ForeignError, "{reason}; who can write it says whose signatures count"):
                require_own(path, os.fstat(file.fileno()))
            data = file.read(_LIMIT + 1)
    except OSError as error:
        hint = Message("trust a validator first: datacheck keys trust KEY.pub --role validator")
        raise UnknownKeyError(
            "{where}: no trusted keys ({reason}); {hint}", where=where, reason=reason_of(error), hint=hint
        ) from None
    with UsageError.instead(
        JsonError, "{where}: no list of trusted keys: {reason}; expected {schema}", where=where, schema=SCHEMA
    ):
        return _trusted(str(path), data)


class ForeignError(SaidError):
    """Others than this user and root decide what a file says."""


def require_own(path: Path, file: os.stat_result) -> None:
    """Who can write a file by which the gate decides, or put another in its place, decides. Raises ForeignError.

    Where links lead to it, who can put another link there decides, too.
    """
    for place, about in ((path, file), *_on_the_way(path)):
        if _others_write(about):
            raise ForeignError("{place}: others may write it; chmod go-w {place}", place=shown(place))
        if about.st_uid not in (0, os.geteuid()):
            raise ForeignError("{place}: belongs to another user; make it yours or root's (chown)", place=shown(place))


def _on_the_way(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The folder that a path lies in, and where it is a link, the link, and what lies on the way from there."""
    at = path
    for _ in range(_LINKS):
        folder = Path(os.path.realpath(at.parent))
        yield folder, folder.stat()
        about = at.lstat()
        if not stat.S_ISLNK(about.st_mode):
            return
        yield at, about
        at = folder / at.readlink()


def _others_write(about: os.stat_result) -> bool:
    """Others than the owner; a group that has the owner's number is by convention the owner alone."""
    if stat.S_ISLNK(about.st_mode) or (stat.S_ISDIR(about.st_mode) and about.st_mode & stat.S_ISVTX):
        return False  # a link has no mode; as in /tmp, only the owner of a file may put another in its place
    of_group = about.st_mode & stat.S_IWGRP and about.st_gid != about.st_uid
    return bool(of_group or about.st_mode & stat.S_IWOTH)


def _trusted(file: str, data: bytes) -> Trust:
    value = strictjson.loads(data, _LIMIT)
    schema = str(value.get("schema")) if isinstance(value, dict) else ""
    first = schema == FIRST
    since = {FIRST: set[str](), SECOND: {"valid_for"}}.get(schema, {"valid_for", "threshold"})
    value = strictjson.fields(value, {"schema", "keys", *since})
    if schema not in (FIRST, SECOND, SCHEMA) or not isinstance(value["keys"], list):
        raise JsonError("unknown schema")
    days = value.get("valid_for")
    if days is not None and (type(days) is not int or not 0 < days <= LONGEST):
        raise JsonError("valid_for is no number of days")
    threshold = value.get("threshold", 1)
    if type(threshold) is not int or not 0 < threshold <= MOST:
        raise JsonError("threshold is no number of validators")
    keys: dict[str, TrustedKey] = {}
    for one in value["keys"]:
        entry = strictjson.fields(one, {"id", "name", "role", "public", *(() if first else ("until",))})
        if entry["id"] in keys:
            raise JsonError("an id is not that of its key, or stands twice (a key has one role)")
        keys[entry["id"]] = _key(entry)
    return Trust(file, keys, days, threshold)


def _key(entry: dict[str, Any]) -> TrustedKey:
    try:
        public = base64.b64decode(strictjson.text(entry["public"]), validate=True)
    except (binascii.Error, ValueError):
        raise JsonError("a public key is no base64") from None
    if entry["role"] not in ROLES:
        raise JsonError("a role is none of {known}", known=", ".join(ROLES))
    if len(public) != 32 or entry["id"] != key_id(public):
        raise JsonError("an id is not that of its key, or stands twice (a key has one role)")
    until = entry.get("until")
    try:
        day = None if until is None else dt.date.fromisoformat(strictjson.text(until))
    except ValueError:
        raise JsonError("a last day is no day as 2026-12-31") from None
    return TrustedKey(strictjson.text(entry["name"]), entry["role"], public, day)


# --- changing it ---


def add_trust(path: Path, name: str, role: Role, public: bytes, until: dt.date | None = None) -> str:
    """Trust a public key for one role, through a day; returns its id. Raises UsageError if it has another role."""
    trust = read_trust(path) if path.exists() else Trust(str(path), {})
    number = key_id(public)
    known = trust.keys.get(number)
    if known is not None and known.role != role:
        raise UsageError(
            "{path}: this key is trusted as {role} already; who approves waivers must have a key of their own",
            path=shown(path),
            role=known.role,
        )
    _write(path, trust._replace(keys={**trust.keys, number: TrustedKey(name, role, public, until)}))
    return number


def remove_trust(path: Path, named: str) -> tuple[str, TrustedKey]:
    """Trust a key no longer: (its id, what it was). `named`: the beginning of its id. Raises UsageError."""
    trust = read_trust(path)
    found = [number for number in trust.keys if number.startswith(named.lower())]
    if len(named) < _SHORTEST_ID or len(found) != 1:
        raise UsageError(
            "{file}: no trusted key, or more than one, has an id that begins with {named}; see datacheck keys list",
            file=shown(path),
            named=shown(named),
        )
    _write(path, trust._replace(keys={number: key for number, key in trust.keys.items() if number != found[0]}))
    return found[0], trust.keys[found[0]]


def set_valid_for(path: Path, days: int | None) -> None:
    """Say for how many days a verdict is good; None: for ever."""
    _write(path, read_trust(path)._replace(valid_for=days))


def set_threshold(path: Path, validators: int) -> None:
    """Say how many validators must sign a verdict. Raises UsageError where so many are not trusted."""
    trust = read_trust(path)
    trusted = [key for key in trust.keys.values() if key.role == "validator"]
    if not 0 < validators <= min(len(trusted), MOST):
        raise UsageError(
            "{n} validators: {file} trusts {trusted}; trust the others first, or ask for fewer",
            n=validators,
            file=shown(path),
            trusted=len(trusted),
        )
    _write(path, trust._replace(threshold=validators))


def _write(path: Path, trust: Trust) -> None:
    keys = [
        {
            "id": number,
            "name": key.name,
            "role": key.role,
            "public": base64.b64encode(key.public).decode(),
            "until": key.until.isoformat() if key.until else None,
        }
        for number, key in sorted(trust.keys.items())
    ]
    body = {"schema": SCHEMA, "valid_for": trust.valid_for, "threshold": trust.threshold, "keys": keys}
    path.parent.mkdir(0o755, parents=True, exist_ok=True)
    write_atomic(path, (json.dumps(body, ensure_ascii=False, indent=1) + "\n").encode())
