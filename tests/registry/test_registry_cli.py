"""The commands publish, history and rescan: exit codes, what is printed, both languages, 80 columns."""

import json

import pytest
import yaml
from core_helpers import contract
from registry_helpers import manifest_id, rows
from rich.cells import cell_len

from datacheck.testing import dataset

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def call(site, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("DATACHECK_TRUST", str(site.trust_file))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    signed = ["--contract", site.contract, "--registry", site.reg, "--sign", site.root / "validator.pem"]

    def run(name, *arguments):
        return command(name, *arguments, *(signed if name != "history" else ["--registry", site.reg]))

    return run


def test_a_day_of_a_registry(site, call):
    good, bad = site.drop("good"), site.bad("bad")
    number = manifest_id(good)
    code, out, err = call("publish", good)
    assert (code, err) == (0, "")
    assert "published" in out
    code, out, err = call("publish", bad, "--lang", "zh")
    assert (code, err) == (1, "")
    assert "未发布，已隔离" in out
    assert "train.role_errors (fail)" in out
    code, out, _ = call("publish", site.drop("good"), "--format", "json")
    assert (code, json.loads(out)[0]["known"], json.loads(out)[0]["version"]) == (0, True, number)
    (site.root / "d.dsse.json").write_text("{}")
    words = ("--format", "json", "--decisions", site.root / "d.dsse.json")
    (listed,) = json.loads(call("publish", site.drop("more", *rows("good")), *words)[1])
    assert [said.startswith("NOT APPLIED: d.dsse.json: ") for said in listed["idle"]] == [True]
    contract(site.root / "rules", ["role_errors", {"check": "too_few_rows", "limits": {"rows": {"min": 9}}}], source={})
    code, out, err = call("rescan")
    assert (code, err) == (1, "")
    assert "REVOKED" in out
    code, out, err = call("history")
    assert (code, err) == (0, "")
    kinds = ["verdict PASS", "PUBLISHED in test", "verdict FAIL", "put into quarantine", "verdict FAIL", "REVOKED"]
    at = [out.index(kind) for kind in kinds[:4]]
    assert at == sorted(at)
    assert out.index("REVOKED") > out.index("put into quarantine")
    assert "the chain is whole" in out
    assert "taken by" not in out
    chinese = call("history", "--lang", "zh", "--all")[1]
    assert "已发布到 test" in chinese
    assert "领取" in chinese
    for text in (out, chinese):
        assert max(map(cell_len, text.splitlines())) <= 80


def test_history_of_one_version(site, call):
    good, bad = site.publish(site.drop("good")), site.publish(site.bad("bad"))
    with site.registry.ledger(readonly=True) as ledger:
        own = [entry.seq for entry in ledger.entries(good.version) if entry.kind != "claim"]
    short = good.version.removeprefix("sha256:")[:12]
    for what in (good.version, short, good.path):
        found = json.loads(call("history", what, "--format", "json")[1])
        assert [entry["seq"] for entry in found["entries"]] == own
        assert found["head"]["seq"] == 6
    assert call("history", bad.path)[0] == 0
    assert call("history", "nonsense")[0] == 2
    assert "nothing is recorded" in call("history", "0" * 12)[1]


@pytest.mark.file_ledger
def test_a_ledger_that_was_touched_is_told(site, call):
    import sqlite3

    site.publish(site.drop("good"))
    db = sqlite3.connect(site.reg / "ledger.sqlite", isolation_level=None)
    db.execute("DROP TRIGGER entries_are_kept")
    db.execute("DELETE FROM entries WHERE seq = 3")
    db.close()
    code, out, err = call("history")
    assert (code, out) == (3, "")
    assert "were cut off" in err
    assert call("publish", site.drop("more"))[0] == 3
    assert site.tree()["incoming"] == ["more"]


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda site: (site.reg / "incoming" / "a" / "_MANIFEST.json").unlink(), 2, "datacheck manifest"),
        (lambda site: (site.reg / "incoming" / "a" / "new.jsonl").write_text("{}\n"), 3, "was added"),
        (lambda site: site.contract.write_text("name: x\n"), 2, "required and missing"),
        (lambda site: site.trust_file.write_text('{"schema": "datacheck/trust/1", "keys": []}'), 2, "nobody would"),
        (lambda site: site.trust_file.unlink(), 14, "no trusted keys"),
        (lambda site: (site.root / "validator.pem").unlink(), 2, "validator.pem"),
    ],
)
def test_asked_wrongly_nothing_moves(site, call, change, code, said):
    drop = site.drop("a")
    change(site)
    found, out, err = call("publish", drop)
    assert (found, out) == (code, "")
    assert said in err
    assert "Traceback" not in err
    assert drop.is_dir()
    assert not [p for place in ("versions", "staged", "quarantine") for p in site.reg.glob(f"{place}/*")]


def test_options_that_mean_nothing(site, call):
    drop = site.drop("a")
    for options in (
        ["--format", "xml"],
        ["--lang", "fr"],
        ["--channel", "../x"],
        ["--data", "train"],
        ["--data", "x=/"],
    ):
        assert call("publish", drop, *options)[0] == 2, options
    assert drop.is_dir()


@pytest.mark.file_ledger
def test_an_anchor_elsewhere_notices_a_registry_put_back_as_a_whole(site, call, tmp_path):
    """All of the registry's own files are restored from an older copy: only the second place knows better."""
    import shutil

    anchor = tmp_path / "elsewhere.json"
    assert call("publish", site.drop("a"), "--anchor", anchor)[0] == 0
    shutil.copytree(site.reg, tmp_path / "old", symlinks=True)
    assert call("publish", site.drop("b"), "--anchor", anchor)[0] == 0
    shutil.rmtree(site.reg)
    shutil.move(tmp_path / "old", site.reg)
    assert call("history")[0] == 0
    code, _, err = call("history", "--anchor", anchor)
    assert code == 3
    assert "an older copy was put back" in err
    assert call("publish", site.drop("c"), "--anchor", anchor)[0] == 3


def test_a_channel_is_asked_what_it_had_before(site, call):
    """`published:` is what stood in the channel before this version: nothing at first, never the version itself."""
    checks = ["role_errors", {"check": "exact_duplicates", "against": ["before"], "limits": {"repeated": {"max": 0.5}}}]
    path = contract(site.root / "rules", checks, source={}, before=({}, ["too_few_rows"]))
    told = yaml.safe_load(path.read_text())
    told["datasets"]["before"]["optional"] = True
    path.write_text(yaml.safe_dump(told))

    def texts(name, count):
        return dataset(*(f"user: {name} asks number {n} | assistant: {name} is told {n} times" for n in range(count)))

    def publish(drop):
        return call("publish", drop, "--data", f"train={drop}", "--data", "before=published:", "--format", "json")

    assert publish(site.drop("first", *texts("Ann", 9)))[0] == 0
    assert publish(site.drop("second", *texts("Bob", 9), *texts("Ann", 3)))[0] == 0
    repeats = site.drop("third", *texts("Bob", 8), *texts("Cleo", 2))
    code, out, _ = publish(repeats)
    assert (code, json.loads(out)[0]["status"]) == (1, "quarantined")
    # the same question once more: what was before it is what was before it, though it is published itself now
    code, out, _ = call("rescan", "--data", "before=published:", "--format", "json")
    assert (code, [(each["status"], each["known"]) for each in json.loads(out)]) == (0, [("published", True)] * 2)
