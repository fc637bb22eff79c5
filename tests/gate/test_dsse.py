"""Envelopes: securesystemslib, an independent implementation, must verify ours, and ours must verify its own."""

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope as Independent
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from datacheck.gate import dsse
from datacheck.gate.dsse import EnvelopeError, pae, parse, seal
from datacheck.gate.keys import PrivateKey, key_id, verifies

SECRET = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = PrivateKey(SECRET)


def independent_key(key: PrivateKey) -> SSlibKey:
    return SSlibKey.from_crypto(Ed25519PublicKey.from_public_bytes(key.public), keyid=key.key_id)


@given(st.binary(max_size=2000))
def test_an_independent_verifier_accepts_what_we_sign(payload):
    envelope = Independent.from_dict(json.loads(seal(payload, KEY)))
    envelope.verify([independent_key(KEY)], 1)
    assert envelope.payload == payload
    envelope.payload += b"x"
    with pytest.raises(VerificationError):
        envelope.verify([independent_key(KEY)], 1)


@given(st.binary(max_size=2000))
def test_we_accept_what_an_independent_signer_signs(payload):
    signer = CryptoSigner(SECRET, independent_key(KEY))
    theirs = Independent(payload, dsse.IN_TOTO, {})
    theirs.sign(signer)
    found = parse(json.dumps(theirs.to_dict()).encode())
    assert found.payload == payload
    assert verifies(KEY.public, found.signature, found.signed)


def test_the_encoding_is_that_of_the_specification():
    """The example of protocol.md of secure-systems-lab/dsse."""
    payload_type, payload = "http://example.com/HelloWorld", b"hello world"
    assert pae(payload_type, payload) == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_the_key_id_is_that_of_openssl_der():
    """sha256 of SubjectPublicKeyInfo as the library writes it."""
    import hashlib

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    der = SECRET.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert key_id(KEY.public) == hashlib.sha256(der).hexdigest()


def body():
    return json.loads(seal(b"{}", KEY))


def test_two_signatures():
    value = body()
    value["signatures"] *= 2
    refused(json.dumps(value), "exactly one signature")


def refused(text, message):
    with pytest.raises(EnvelopeError) as error:
        parse(text.encode() if isinstance(text, str) else text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v.update(signatures=[]), "exactly one signature"),
        (lambda v: v.update(more=1), "exactly the fields"),
        (lambda v: v.pop("payloadType"), "exactly the fields"),
        (lambda v: v.update(payloadType="application/json"), "payload type"),
        (lambda v: v.update(payload="e30"), "base64"),
        (lambda v: v.update(payload="e30=\n"), "base64"),
        (lambda v: v.update(payload="e31="), "canonical"),
        (lambda v: v.update(payload="e3-_"), "base64"),
        (lambda v: v.update(payload=7), "base64"),
        (lambda v: v["signatures"][0].update(alg="none"), "exactly the fields"),
        (lambda v: v["signatures"][0].update(sig=base64.b64encode(b"x" * 63).decode()), "64 bytes"),
        (lambda v: v["signatures"][0].update(keyid=None), "a string"),
        (lambda v: v["signatures"].append("x"), "exactly one"),
    ],
)
def test_only_the_one_form_is_read(change, message):
    value = body()
    change(value)
    refused(json.dumps(value), message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON"),
        ("[]", "exactly the fields"),
        ('{"payload": "e30=", "payload": "e30="}', "twice"),
        ('{"payload": NaN}', "NaN"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe{\x00}\x00", "no JSON"),
        (b"\xef\xbb\xbf{}", "no JSON"),
        ("7" * 5000, "no JSON"),
    ],
)
def test_what_is_no_envelope_at_all(text, message):
    refused(text, message)


def test_a_size_limit_holds_for_reading_and_for_writing(monkeypatch):
    data = seal(b"x" * 1000, KEY)
    monkeypatch.setattr(dsse, "LIMIT", 1000)
    refused(data, "more than 1,000 bytes")
    with pytest.raises(EnvelopeError, match="more than 1,000 bytes"):
        seal(b"x" * 1000, KEY)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_parser(data):
    with pytest.raises(EnvelopeError):
        parse(data)
