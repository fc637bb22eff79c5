"""DSSE envelopes with one ed25519 signature (github.com/secure-systems-lab/dsse). No other algorithm exists here.

The signature is over the pre-authentication encoding `DSSEv1 <len> <type> <len> <payload>`, so that no payload can be
taken for another type. The parser takes exactly the fields of the format, once each, and canonical base64.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, NamedTuple

from datacheck.errors import reason_of
from datacheck.files import strictjson
from datacheck.files.strictjson import JsonError
from datacheck.i18n.message import SaidError

if TYPE_CHECKING:
    from datacheck.gate.keys import PrivateKey

LIMIT = 64 * 1024**2  # bytes of an envelope
IN_TOTO = "application/vnd.in-toto+json"


class EnvelopeError(SaidError, ValueError):
    """Not an envelope of ours; the message never quotes the content."""


class Envelope(NamedTuple):
    """An envelope that has the right form; its signature is not verified."""

    payload: bytes
    key_id: str
    signature: bytes

    @property
    def signed(self) -> bytes:
        """The bytes that the signature is over."""
        return pae(IN_TOTO, self.payload)


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding of the DSSE protocol, version 1."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, signer: PrivateKey, payload_type: str = IN_TOTO) -> bytes:
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
        return Envelope(_bytes(body["payload"]), strictjson.text(one["keyid"]), signature)
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
