"""DSSE envelopes with one ed25519 signature (github.com/secure-systems-lab/dsse). No other algorithm exists here.

The signature is over the pre-authentication encoding `DSSEv1 <len> <type> <len> <payload>`, so that no payload can be
taken for another type. The parser takes exactly the fields of the format, once each, and canonical base64.
"""

import base64
import binascii
import json
from typing import Protocol

from datacheck.errors import reason_of
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.i18n.message import SaidError

LIMIT = 64 * 1024**2  # bytes of an envelope
IN_TOTO = "application/vnd.in-toto+json"


class EnvelopeError(SaidError, ValueError):
    """Not an envelope of ours; the message never quotes the content."""


class Signer(Protocol):
    """A private key."""

    @property
    def key_id(self) -> str:
        """The id of its public key."""

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of an ed25519 signature."""


class Envelope:
    """An envelope that has the right form; its signature is not verified."""

    __slots__ = ("key_id", "payload", "payload_type", "signature")

    def __init__(self, payload: bytes, payload_type: str, key_id: str, signature: bytes) -> None:
        self.payload = payload
        self.payload_type = payload_type
        self.key_id = key_id
        self.signature = signature

    @property
    def signed(self) -> bytes:
        """The bytes that the signature is over."""
        return pae(self.payload_type, self.payload)


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding of the DSSE protocol, version 1."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, signer: Signer, payload_type: str = IN_TOTO) -> bytes:
    """Sign `payload`; returns the JSON of the envelope. Raises EnvelopeError if it would be too long to be read."""
    signature = {"keyid": signer.key_id, "sig": base64.b64encode(signer.sign(pae(payload_type, payload))).decode()}
    body = {"payloadType": payload_type, "payload": base64.b64encode(payload).decode(), "signatures": [signature]}
    data = (json.dumps(body) + "\n").encode()
    if len(data) > LIMIT:
        raise EnvelopeError("more than {limit:,} bytes; expected fewer files in one version", limit=LIMIT)
    return data


def parse(data: bytes) -> Envelope:
    """Read an envelope with one signature. Raises EnvelopeError; verifies nothing."""
    try:
        body = strictjson.fields(strictjson.loads(data, LIMIT), {"payloadType", "payload", "signatures"})
        if not isinstance(body["signatures"], list) or len(body["signatures"]) != 1:
            raise EnvelopeError("expected exactly one signature")
        one = strictjson.fields(body["signatures"][0], {"keyid", "sig"})
        signature = _bytes(one["sig"])
        if body["payloadType"] != IN_TOTO:
            raise EnvelopeError("expected the payload type {type}", type=IN_TOTO)
        if len(signature) != 64:
            raise EnvelopeError("expected an ed25519 signature of 64 bytes")
        return Envelope(_bytes(body["payload"]), IN_TOTO, strictjson.text(one["keyid"]), signature)
    except JsonError as error:
        raise EnvelopeError(reason_of(error)) from None


def _bytes(value: object) -> bytes:
    try:
        decoded = base64.b64decode(strictjson.text(value), validate=True)
    except (binascii.Error, ValueError):
        raise EnvelopeError("expected base64") from None
    if base64.b64encode(decoded).decode() != value:
        raise EnvelopeError("expected canonical base64")
    return decoded
