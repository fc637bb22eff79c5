"""A store that lost a file, or a byte of one: no verdict by what is left, and a line that says what to do."""

import pytest
from core_helpers import GOOD, contract, jsonl, report

from datacheck.check import Message
from datacheck.engine.store import Store, read_json
from datacheck.errors import LoadError


@pytest.fixture
def rerun(tmp_path, monkeypatch, command):
    """Run with a store, once before and once after `damage` of the file of a measurement."""
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "train.jsonl", *({**GOOD, "id": str(n)} for n in range(3)))
    rules = contract(tmp_path, ["exact_duplicates"])
    arguments = ("run", rules, "--data", "train=train.jsonl", "--store", tmp_path / "store", "--out", "out")

    def run(name, damage):
        assert command(*arguments)[0] == 0
        for path in sorted((tmp_path / "store" / "measured").glob(f"*/{name}")):
            damage(path)
        code, _, err = command(*arguments)
        return code, err, report(tmp_path / "out")

    return run


def flip(path):
    """Another number, of which JSON knows nothing."""
    content = path.read_text(encoding="utf-8").replace('"value": 0', '"value": 1')
    path.chmod(0o600)
    path.write_text(content, encoding="utf-8")


@pytest.mark.parametrize("damage", [flip, lambda path: path.unlink()], ids=["flipped", "gone"])
def test_numbers_that_are_not_those_that_were_written_are_no_verdict(rerun, damage):
    code, err, said = rerun("measured.json", damage)
    assert (code, err) == (3, "")
    (found,) = [each for each in said["findings"] if each["check"] == "exact_duplicates"]
    assert "in the store is gone or damaged; remove the folder of the store, and run again" in str(found["error"])


def test_what_was_written_is_read_back(tmp_path):
    store = Store(tmp_path / "store")
    for held in (False, True):
        if held:
            store.hold()
        target = store.path("measured", f"{held}.json")
        store.write_json(target, {"text": "第一行\n第二行", "said": Message("x").to_json()})
        assert read_json(target)["text"] == "第一行\n第二行"
    with pytest.raises(LoadError, match="is gone or damaged"):
        read_json(store.path("measured", "nothing.json"))
