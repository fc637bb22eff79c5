"""DSSE envelopes signed with ed25519 (github.com/secure-systems-lab/dsse). No other algorithm exists here.

Who makes an envelope signs it; others can add their signatures (`add`), and it stays the same envelope: its id is that
of what the first signer made. A signature is over the pre-authentication encoding `DSSEv1 <len> <type> <len>
<payload>`, so that no payload can be taken for another type. The parser takes exactly the fields of the format, once
each, and canonical base64.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import TYPE_CHECKING, NamedTuple

from datacheck.errors import reason_of
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.i18n.message import SaidError

if TYPE_CHECKING:
    from datacheck.gate.keys import PrivateKey

LIMIT = 64 * 1024**2  # bytes of an envelope
MOST = 20  # signatures of an envelope that several may sign
IN_TOTO = "application/vnd.in-toto+json"


class EnvelopeError(SaidError, ValueError):
    """Not an envelope of ours; the message never quotes the content."""


class Signature(NamedTuple):
    """64 bytes, and the id of the key that is said to have made them."""

    key_id: str
    signature: bytes


class Envelope(NamedTuple):
    """An envelope that has the right form; its signatures are not verified. `more`: those that were added."""

    payload: bytes
    key_id: str
    signature: bytes
    more: tuple[Signature, ...] = ()

    @property
    def signed(self) -> bytes:
        """The bytes that the signatures are over."""
        return pae(IN_TOTO, self.payload)

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """All of them, the first signer's first."""
        return (Signature(self.key_id, self.signature), *self.more)

    @property
    def id(self) -> str:
        """The sha256 of the envelope as its first signer made it, whoever signed since."""
        return hashlib.sha256(_written(self._replace(more=()))).hexdigest()


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding of the DSSE protocol, version 1."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, signer: PrivateKey) -> bytes:
    """Sign `payload`; returns the JSON of the envelope. Raises EnvelopeError if it would be too long to be read."""
    return _fitting(Envelope(payload, signer.key_id, signer.sign(pae(IN_TOTO, payload))))


def add(envelope: Envelope, signer: PrivateKey) -> bytes:
    """The JSON of an envelope with one more signature. Raises EnvelopeError where it may not have that."""
    if signer.key_id in [one.key_id for one in envelope.signatures]:
        raise EnvelopeError("this key has signed it already")
    if len(envelope.signatures) >= MOST:
        raise EnvelopeError("expected {most} signatures at most", most=MOST)
    return _fitting(envelope._replace(more=(*envelope.more, Signature(signer.key_id, signer.sign(envelope.signed)))))


def _fitting(envelope: Envelope) -> bytes:
    data = _written(envelope)
    if len(data) > LIMIT:
        raise EnvelopeError("more than {limit:,} bytes; expected fewer files in one version", limit=LIMIT)
    return data


def _written(envelope: Envelope) -> bytes:
    body = {
        "payloadType": IN_TOTO,
        "payload": base64.b64encode(envelope.payload).decode(),
        "signatures": [
            {"keyid": one.key_id, "sig": base64.b64encode(one.signature).decode()} for one in envelope.signatures
        ],
    }
    return (json.dumps(body) + "\n").encode()


def parse(data: bytes, most: int = 1) -> Envelope:
    """Read an envelope with 1 to `most` signatures, each by another key; verifies none. Raises EnvelopeError."""
    try:
        body = strictjson.fields(strictjson.loads(data, LIMIT), {"payloadType", "payload", "signatures"})
        if not isinstance(body["signatures"], list) or not 0 < len(body["signatures"]) <= most:
            raise EnvelopeError("expected exactly one signature, or 1 to {most} of a verdict", most=MOST)
        first, *more = [_signature(one) for one in body["signatures"]]
        if body["payloadType"] != IN_TOTO:
            raise EnvelopeError("expected the payload type {type}", type=IN_TOTO)
        if len({one.key_id for one in (first, *more)}) <= len(more):
            raise EnvelopeError("a key has signed twice")
        return Envelope(_bytes(body["payload"]), *first, tuple(more))
    except JsonError as error:
        raise EnvelopeError(reason_of(error)) from None


def _signature(value: object) -> Signature:
    one = strictjson.fields(value, {"keyid", "sig"})
    signature = _bytes(one["sig"])
    if len(signature) != 64:
        raise EnvelopeError("expected an ed25519 signature of 64 bytes")
    return Signature(strictjson.text(one["keyid"]), signature)


def _bytes(value: object) -> bytes:
    try:
        decoded = base64.b64decode(strictjson.text(value), validate=True)
    except (binascii.Error, ValueError):
        raise EnvelopeError("expected base64") from None
    if base64.b64encode(decoded).decode() != value:
        raise EnvelopeError("expected canonical base64")
    return decoded
