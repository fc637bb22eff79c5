"""Keys: kept private, never printed, each with one role. OpenSSL's forms come from `cryptography`."""

import os
import stat
import subprocess
import sys

import pytest
from core_helpers import GOOD, contract, environment, jsonl, user_check
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from datacheck.errors import UsageError
from datacheck.files.versions import write_manifest
from datacheck.gate import keys
from datacheck.gate.keys import load_private, load_public, new_key

PEM = form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()


def test_a_new_pair(tmp_path, command):
    before = os.umask(0)
    try:
        code, out, err = command("keys", "new", tmp_path / "k.pem")
    finally:
        os.umask(before)
    assert code == 0
    assert stat.S_IMODE((tmp_path / "k.pem").stat().st_mode) == 0o600
    secret = (tmp_path / "k.pem").read_text().splitlines()[1]
    assert secret not in out + err
    key = load_private(str(tmp_path / "k.pem"))
    assert load_public(tmp_path / "k.pub") == key.public
    assert out.split()[0] == key.key_id
    independent = form.load_pem_private_key((tmp_path / "k.pem").read_bytes(), None)
    assert isinstance(independent, ed25519.Ed25519PrivateKey)
    assert secret not in repr(key)


def test_nothing_is_overwritten(tmp_path):
    new_key(tmp_path / "k.pem")
    before = (tmp_path / "k.pem").read_bytes()
    (tmp_path / "k.pub").rename(tmp_path / "moved.pub")
    with pytest.raises(UsageError, match="exists already"):
        new_key(tmp_path / "k.pem")
    (tmp_path / "l.pub").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        new_key(tmp_path / "l.pem")
    assert (tmp_path / "k.pem").read_bytes() == before
    assert not (tmp_path / "l.pem").exists()


def test_a_passphrase(tmp_path, monkeypatch):
    monkeypatch.setenv(keys.PASSPHRASE, "开门 sesame")
    made = new_key(tmp_path / "k.pem")
    with pytest.raises(TypeError):
        form.load_pem_private_key((tmp_path / "k.pem").read_bytes(), None)
    assert load_private(str(tmp_path / "k.pem")).key_id == made.key_id
    assert keys.PASSPHRASE not in os.environ
    assert load_private(str(tmp_path / "k.pem")).key_id == made.key_id  # for the next drop
    (tmp_path / "l.pem").write_bytes((tmp_path / "k.pem").read_bytes())
    (tmp_path / "l.pem").chmod(0o600)
    with pytest.raises(UsageError, match="is encrypted; set DATACHECK_KEY_PASSPHRASE"):
        load_private(str(tmp_path / "l.pem"))  # it was given for another one
    monkeypatch.setenv(keys.PASSPHRASE, "wrong")
    with pytest.raises(UsageError, match="another passphrase"):
        load_private(str(tmp_path / "k.pem"))


def test_a_key_that_others_may_read_is_not_used(tmp_path):
    new_key(tmp_path / "k.pem")
    (tmp_path / "k.pem").chmod(0o640)
    with pytest.raises(UsageError, match="chmod 600"):
        load_private(str(tmp_path / "k.pem"))


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_what_is_no_key_is_not_quoted(tmp_path, content):
    (tmp_path / "k.pem").write_bytes(content)
    (tmp_path / "k.pem").chmod(0o600)
    with pytest.raises(UsageError, match="no private key") as error:
        load_private(str(tmp_path / "k.pem"))
    assert "AAAA" not in str(error.value)
    with pytest.raises(UsageError, match="no public key"):
        load_public(tmp_path / "k.pem")


def test_no_other_algorithm(tmp_path):
    other = ec.generate_private_key(ec.SECP256R1())
    (tmp_path / "k.pem").write_bytes(other.private_bytes(*PEM))
    (tmp_path / "k.pem").chmod(0o600)
    with pytest.raises(UsageError, match="expected ed25519"):
        load_private(str(tmp_path / "k.pem"))
    public = other.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "k.pub").write_bytes(public)
    with pytest.raises(UsageError, match="no public key of ed25519"):
        load_public(tmp_path / "k.pub")


def test_a_key_from_the_environment_is_taken_out_of_it(monkeypatch):
    secret = ed25519.Ed25519PrivateKey.generate()
    monkeypatch.setenv("SIGNING_KEY", secret.private_bytes(*PEM).decode())
    assert load_private("env:SIGNING_KEY").public == secret.public_key().public_bytes_raw()
    assert "SIGNING_KEY" not in os.environ
    assert load_private("env:SIGNING_KEY").public == secret.public_key().public_bytes_raw()  # for the next drop
    with pytest.raises(UsageError, match="env:OTHER_KEY: no such variable"):
        load_private("env:OTHER_KEY")


@pytest.mark.slow
def test_no_child_of_a_run_sees_the_key(tmp_path):
    secret = ed25519.Ed25519PrivateKey.generate().private_bytes(*PEM).decode()
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    write_manifest(tmp_path / "data")
    user_check(
        tmp_path / "checks",
        "looks",
        "seen = int('SIGNING_KEY' in os.environ or b'SIGNING_KEY' in open('/proc/self/environ', 'rb').read())\n"
        "return Measured((Value('number', 1 + seen),))",
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "datacheck",
            "run",
            contract(tmp_path, [{"check": "looks", "limits": {"number": {"max": 1}}}]),
            "--checks",
            tmp_path / "checks",
            "--out",
            tmp_path / "out",
            "--sign",
            "env:SIGNING_KEY",
        ],
        env=environment({"SIGNING_KEY": secret}),
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "signed: PASSED" in done.stderr
    for path in [*(tmp_path / "out").rglob("*"), *(tmp_path / "data").rglob("*")]:
        assert path.is_dir() or secret.splitlines()[1].encode() not in path.read_bytes()


# --- trust ---
