"""Helpers of the registry's tests: drops, keys and rules, written down."""

import json
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from core_helpers import BAD, GOOD, contract, jsonl
from postgres_server import Server

from datacheck.files.versions import write_manifest
from datacheck.gate.keys import load_private, load_public, new_key
from datacheck.gate.standing import standing
from datacheck.gate.trust import add_trust, read_trust
from datacheck.registry.postgres import create
from datacheck.registry.publish import PublishRules, publish
from datacheck.registry.registry import Registry
from datacheck.session.session import Options


def rows(name, count=3):
    return [{**GOOD, "id": f"{name}{n}"} for n in range(count)]


class Site:
    """A registry with keys, a contract and an inbox."""

    def __init__(self, root: Path, server: Server | None = None) -> None:
        self.root = root
        self.reg = root / "reg"
        self.registry = Registry(self.reg)
        self.server = server
        if server is not None:
            create(self.reg, server.url)
        self.trust_file = root / "trust.json"
        for name, role in (("validator", "validator"), ("approver", "approver")):
            new_key(root / f"{name}.pem")
            add_trust(self.trust_file, name, role, load_public(root / f"{name}.pub"))
        self.contract = contract(root / "rules", source={})
        (self.reg / "incoming").mkdir(parents=True, exist_ok=True)
        self.sign_checkpoint()

    def drop(self, name="a", *records, at=None) -> Path:
        folder = (at or self.reg / "incoming") / name
        jsonl(folder / "data.jsonl", *(records or rows(name)))
        write_manifest(folder)
        return folder

    def bad(self, name="bad", **more) -> Path:
        return self.drop(name, *rows(name), {**BAD, "id": name}, **more)

    def rules(self, **options) -> PublishRules:
        return PublishRules(
            self.contract, self.key("validator"), read_trust(self.trust_file), options=Options(workers=1, **options)
        )

    def key(self, name):
        return load_private(str(self.root / f"{name}.pem"))

    def publish(self, drop, **more):
        return publish(drop, self.rules(), self.registry, **more)

    def sign_checkpoint(self):
        """By which the guard decides where the ledger is on a server; a file is read itself."""
        if self.server is not None:
            with self.registry.ledger() as ledger:
                self.registry.write_checkpoint(ledger, 24, [self.key("validator")])

    @property
    def standing(self):
        """What the guard asks."""
        return partial(standing, trust=read_trust(self.trust_file))

    def kinds(self, number=None):
        with self.registry.ledger(readonly=True) as ledger:
            ledger.verified(self.registry.heads())
            return [entry.kind for entry in ledger.entries(number)]

    def tree(self):
        """The names of all versions and drops, by where they are; hidden files would show."""
        return {
            place: sorted(path.name for path in (self.reg / place).iterdir())
            for place in ("incoming", "staged", "versions", "quarantine", "published")
        }


@pytest.fixture
def site(tmp_path, request):
    """A registry; its ledger is on a server where a test is parametrised so."""
    return Site(tmp_path, request.getfixturevalue("server") if getattr(request, "param", "file") == "server" else None)


def manifest_id(drop) -> str:
    return json.loads((drop / "_MANIFEST.json").read_bytes())["version"]


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    done = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False
    )
    if not done or done.returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)
