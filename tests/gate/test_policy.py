"""What a verdict was judged by stands in it, and a store that others could have filled decides nothing of it."""

import hashlib
import os
import sys

import pytest
from core_helpers import BAD, GOOD, contract, jsonl, report, spawn
from gate_house import opened

from datacheck.engine.store import Store, read_json
from datacheck.files import strictjson
from datacheck.files.versions import VERDICT, write_manifest
from datacheck.gate import dsse
from datacheck.gate.keys import load_private, new_key


@pytest.fixture
def place(tmp_path, monkeypatch, command, here):
    """A contract, a drop with its manifest, a trusted validator."""
    monkeypatch.setenv("DATACHECK_TRUST", str(tmp_path / "trust.json"))
    new_key(tmp_path / "validator.pem")
    public = tmp_path / "validator.pub"
    assert command("keys", "trust", public, "--role", "validator", "--trust", tmp_path / "trust.json")[0] == 0
    contract(tmp_path, source={"path": "drop"})
    jsonl(tmp_path / "drop" / "a.jsonl", GOOD, GOOD)
    write_manifest(tmp_path / "drop")
    return tmp_path


@pytest.fixture
def signed(place, command):
    """`datacheck run --sign` with more options: exit code and what it said."""

    def call(*more):
        out = ["--out", place / "out", "--sign", place / "validator.pem"]
        code, _, err = command("run", place / "contract.yaml", *out, *more)
        return code, err

    return call


def started(place, *options):
    """`datacheck exec` of the drop: exit code and what was said."""
    done = spawn("exec", "--require-pass", place / "drop", *options, "--", sys.executable, "-c", "")
    return done.returncode, done.stderr.decode()


def statement(place):
    return opened(place / "drop" / VERDICT)[1]["predicate"]["configuration"][0]["annotations"]


def baseline(place, command):
    assert command("run", place / "contract.yaml", "--out", place / "before", "--quiet")[0] == 0
    return place / "before"


@pytest.mark.parametrize("given", ["--run max_length=100000", "--as-of 2020-01-01", "--baseline"])
def test_what_was_given_to_judge_by_is_signed_and_pinned(place, signed, command, given):
    file = hashlib.sha256((place / "contract.yaml").read_bytes()).hexdigest()
    code, said = signed()
    assert (code, file in said) == (0, True), said
    assert (statement(place)["run"], statement(place)["as_of"]) == ({}, None)
    assert started(place, "--contract", file)[0] == 0
    options = given.split() if " " in given else [given, baseline(place, command)]
    code, said = signed(*options)
    assert (code, given in said) == (0, True), said
    facts = statement(place)
    assert facts["run"] == ({"max_length": "100000"} if "max_length" in given else {})
    assert facts["as_of"] == ("2020-01-01" if "as-of" in given else None)
    digest = facts["contract"]["digest"]
    assert digest != file
    assert digest in said
    code, said = started(place, "--contract", file)
    assert code == 14, said
    assert f"judged by the contract test 1 {given}" in said
    assert started(place, "--contract", digest)[0] == 0
    code, said = started(place)  # who pins nothing reads it
    assert (code, f"judged with {given}" in said) == (0, True), said


def test_other_values_are_another_contract(place, signed):
    digests = []
    for options in (["--run", "max_length=20"], ["--run", "max_length=21"], ["--as-of", "2020-01-01"]):
        assert signed(*options)[0] == 0
        digests.append(statement(place)["contract"]["digest"])
    assert signed("--run", "max_length=20")[0] == 0
    assert statement(place)["contract"]["digest"] == digests[0]
    assert len(set(digests)) == 3


def test_a_tokenizer_is_pinned_by_its_files_wherever_it_lies(place, signed, tokenizer_folder):
    import shutil

    digests = []
    for name in ("one", "two"):
        shutil.copytree(tokenizer_folder, place / name)
        assert signed("--run", f"tokenizer={place / name}")[0] == 0
        digests.append(statement(place)["contract"]["digest"])
    assert digests[0] == digests[1] != hashlib.sha256((place / "contract.yaml").read_bytes()).hexdigest()


def test_a_statement_of_before_is_still_read(place, signed):
    assert signed("--run", "max_length=20")[0] == 0
    _, whole = opened(place / "drop" / VERDICT)
    facts = whole["predicate"]["configuration"][0]["annotations"]
    file = hashlib.sha256((place / "contract.yaml").read_bytes()).hexdigest()
    del facts["run"], facts["as_of"], facts["trainers"]
    for one in facts["findings"]:
        del one["unwaivable"]
    facts["schema"] = "datacheck/verdict/1"
    key = load_private(str(place / "validator.pem"))
    facts["contract"]["digest"] = file  # at that time a contract in one file had its own digest, whatever was given
    (place / "drop" / VERDICT).write_bytes(dsse.seal(strictjson.canonical(whole), key))
    assert started(place, "--contract", file)[0] == 0
    facts["run"] = {"max_length": "20"}
    (place / "drop" / VERDICT).write_bytes(dsse.seal(strictjson.canonical(whole), key))
    assert started(place)[0] == 12


def test_a_signed_run_believes_no_store(place, signed, command, monkeypatch):
    """Who edits what the store says of a failing drop gets it past an unsigned run, never past a signature."""
    jsonl(place / "drop" / "a.jsonl", GOOD, BAD)
    write_manifest(place / "drop", force=True)
    monkeypatch.setenv("DATACHECK_STORE", str(place / "store"))
    unsigned = ["run", place / "contract.yaml", "--out", place / "unsigned", "--quiet"]
    assert command(*unsigned)[0] == 1
    edited = 0
    for path in (place / "store" / "measured").rglob("measured.json"):
        facts = read_json(path)
        for value in facts["values"]:
            value.update({key: 0 for key in ("value", "count") if key in value and value["name"] == "rate"})
            edited += value["name"] == "rate"
        Store(place / "store").write_json(path, facts)  # whoever edits knows how to seal
    assert edited
    assert command(*unsigned)[0] == 0  # the store is what makes it quick, and is believed
    assert signed()[0] == 1
    assert report(place / "out")["verdict"] == "fail"
    assert started(place)[0] == 10


@pytest.mark.parametrize("open_one", [".", "measured"])
def test_a_store_that_others_may_write_is_refused(place, command, monkeypatch, open_one):
    store = place / "store"
    (store / open_one).mkdir(parents=True, mode=0o700)
    (store / open_one).chmod(0o770)
    monkeypatch.setenv("DATACHECK_STORE", str(store))
    for words in (["run", place / "contract.yaml", "--out", place / "out"], ["diff", place / "drop", place / "drop"]):
        code, _, err = command(*words)
        assert code == 2
        assert "others may write there" in err
        assert "Traceback" not in err
    assert not (place / "out").exists()
    (store / open_one).chmod(0o700)
    assert command("run", place / "contract.yaml", "--out", place / "out", "--quiet")[0] == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_a_store_of_another_user_is_refused(place, command, monkeypatch):
    (place / "store").mkdir(mode=0o700)
    os.chown(place / "store", 65534, 65534)
    monkeypatch.setenv("DATACHECK_STORE", str(place / "store"))
    code, _, err = command("run", place / "contract.yaml", "--out", place / "out")
    assert (code, "others may write there" in err) == (2, True)
