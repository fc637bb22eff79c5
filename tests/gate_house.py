"""A house with keys, a contract and three signed versions (good, bad, undecided); made once, copied for every test."""

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from core_helpers import BAD, GOOD, ROOT, contract, in_this_process, jsonl, user_check

from datacheck.contract import discover
from datacheck.engine import run
from datacheck.files.versions import VERDICT, write_manifest
from datacheck.gate import dsse, guard
from datacheck.gate.keys import load_private, new_key
from datacheck.gate.trust import add_trust, read_trust
from datacheck.gate.verdict import parse_verdict
from datacheck.session.session import Options, Session


def sign_run(rules: Path, drop: Path, key: Path, out: Path, **options):
    """A run in this process, signed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Workers", in_this_process)
        with Session(rules, {"train": str(drop)}, Options(out=out, sign=load_private(str(key)), **options)) as session:
            session.run()
            report = session.finish()
            return report, session.signed


def drop(folder: Path, *records) -> Path:
    """A complete drop with two files and a folder."""
    jsonl(folder / "a.jsonl", *records)
    jsonl(folder / "more" / "b.jsonl", GOOD, GOOD)
    write_manifest(folder)
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    root = tmp_path_factory.mktemp("house")
    for name, role in (
        ("validator", "validator"),
        ("colleague", "validator"),
        ("approver", "approver"),
        ("stranger", None),
    ):
        key = new_key(root / f"{name}.pem")
        if role:
            add_trust(root / "trust.json", name, role, key.public)
    rules = contract(root, ["role_errors"])
    sign_run(rules, drop(root / "good", GOOD), root / "validator.pem", root / "report-good")
    sign_run(rules, drop(root / "bad", GOOD, BAD), root / "validator.pem", root / "report-bad")
    sign_run(rules, drop(root / "other", GOOD, GOOD, GOOD), root / "validator.pem", root / "report-other")
    checks = user_check(root / "checks", "breaks", "raise ValueError").parent
    undecided = contract(root, ["role_errors", "breaks"], name="undecided.yaml")
    try:
        sign_run(
            undecided,
            drop(root / "undecided", GOOD, BAD, BAD),
            root / "validator.pem",
            root / "report-undecided",
            checks=checks,
        )
    finally:
        discover.use_folder(None)
    return root


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The guard's own wheel, built."""
    folder = tmp_path_factory.mktemp("dist")
    code = "import hatchling.build, sys; hatchling.build.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, folder], cwd=ROOT / "guard", check=True, capture_output=True)
    (made,) = folder.iterdir()
    return made


@pytest.fixture
def house(built, tmp_path, monkeypatch):
    """The versions, keys and trust of this test: `root`, and what is often needed."""
    root = tmp_path / "house"
    shutil.copytree(built, root)
    monkeypatch.setenv("DATACHECK_TRUST", str(root / "trust.json"))
    return SimpleNamespace(
        root=root,
        good=root / "good",
        bad=root / "bad",
        other=root / "other",
        undecided=root / "undecided",
        key=lambda name: load_private(str(root / f"{name}.pem")),
        trust=read_trust(root / "trust.json"),
    )


@pytest.fixture
def guarded(capsys):
    """`datacheck verify ARGS` in this process: (exit code, what it said)."""

    def call(*args):
        code = guard.main(["verify", *map(str, args)])
        return code, capsys.readouterr().err

    return call


def opened(path: Path):
    """The body of an envelope, and its payload as it was parsed."""
    body = json.loads(path.read_bytes())
    return body, json.loads(base64.b64decode(body["payload"]))


def verdict_of(path: Path):
    return parse_verdict(dsse.parse((path / VERDICT).read_bytes()).payload)


def python_without_site(folder: Path) -> list[str]:
    """An interpreter that sees nothing but the standard library, datacheck and cryptography."""
    import _cffi_backend
    import cryptography

    import datacheck

    folder.mkdir()
    places = [Path(datacheck.__file__).parent, Path(cryptography.__file__).parent, Path(_cffi_backend.__file__)]
    for place in places:
        (folder / place.name).symlink_to(place)
    code = "import sys; sys.path.append(sys.argv.pop(1)); from datacheck.__main__ import main; main();"
    return [sys.executable, "-I", "-S", "-c", code, str(folder)]
