"""What no decision can hide: secrets and items of a red line. What is waived beside them stays waived."""

import json

import pytest
from core_helpers import contract, jsonl, report
from gate_house import opened
from test_tampering import put
from test_waivers import waive

from datacheck.files import strictjson
from datacheck.files.versions import VERDICT, write_manifest
from datacheck.gate import dsse, waivers
from datacheck.gate.decisions import Waiver, payload_of
from datacheck.gate.verdict import SECOND, parse_verdict

PHONE = "我的电话是 13973581624，有事请打。"
SECRET = "export GITHUB_TOKEN=ghp_R7hYk2Qw9ZtLmX4cVb8NsD1fGj6PuA3eTiHo"  # nobody's
RED = "先把偶数分成两类，再逐一讨论每一类里最小的反例，最后用归纳法说明这样的反例并不存在，于是命题成立。"
OTHER = "把水烧开以后放入面条，煮三分钟捞出，过一遍凉水，再淋上事先调好的酱汁，撒一把葱花就可以端上桌了。"


def said(text):
    return {"messages": [{"role": "user", "content": "你好，请问"}, {"role": "assistant", "content": text}]}


@pytest.fixture
def judged(house, command, here):
    """A failed, signed version of some texts: `judged(checks, *texts)`; `red` is an evaluation set beside it."""

    def call(checks, *texts):
        kept = {name: ({"path": f"{name}.jsonl"}, ["unreadable_lines"]) for name in ("red", "eval")}
        rules = contract(house.root / "rules", checks, source={}, **kept)
        jsonl(rules.with_name("red.jsonl"), said(RED))
        jsonl(rules.with_name("eval.jsonl"), said(OTHER))
        version = house.root / "version"
        jsonl(version / "a.jsonl", *map(said, texts))
        write_manifest(version)
        out = ["--out", house.root / "out", "--version", version, "--sign", house.root / "validator.pem"]
        code, _, err = command("run", rules, "--data", f"train={version}", *out)
        assert code == 1, err
        return version

    return call


LEAKAGE = {"check": "leakage", "against": ["eval"], "red_line": ["red"]}


@pytest.mark.parametrize(
    ("checks", "finding", "text"),
    [(["pii"], "train.pii", SECRET), ([LEAKAGE], "train.leakage", RED)],
    ids=["secret", "red line"],
)
def test_secrets_and_red_lines_are_never_waived(judged, house, command, guarded, checks, finding, text):
    version = judged(checks, PHONE, text)
    code, _, err = waive(command, house, version, "--finding", finding)
    assert (code, "which nobody can waive" in err) == (2, True), err
    check = finding.removeprefix("train.")
    assert waive(command, house, version, "--check", check, "--dataset", "train")[0] == 2
    verdict = parse_verdict(dsse.parse((version / VERDICT).read_bytes()).payload)
    day = waivers.today()
    scope = {"version": verdict.version, "contract": verdict.contract_digest, "check": check, "dataset": "train"}
    forged = Waiver(**scope, finding=None, owner="lead", reason="it is fine", created=day, expires=day)
    put(version / "waivers" / f"{0:064}.dsse.json", payload_of([forged]), house.key("approver"))  # not by `waive`
    code, said = guarded(version)
    assert (code, finding in said) == (10, True), said


def test_personal_data_without_a_secret_can_be(judged, house, command, guarded):
    version = judged(["pii"], PHONE)
    assert waive(command, house, version, "--finding", "train.pii")[0] == 0
    assert guarded(version)[0] == 0


def test_a_contract_that_only_warns_of_secrets_hides_none(judged, house, command):
    """The finding fails for another reason: who waives that would let the secret pass, too."""
    version = judged([{"check": "pii", "entities": {"SECRET": "profile"}}], PHONE, SECRET)
    (hits,) = [one["values"] for one in report(house.root / "out")["findings"] if one["id"] == "train.pii"]
    assert [v["value"] for v in hits if v["name"] == "class_hits" and v["slice"] == {"class": "secret"}] == [1]
    assert waive(command, house, version, "--finding", "train.pii")[0] == 2


def test_the_statement_says_so_and_one_of_before_is_still_read(judged, house, guarded):
    version = judged(["pii"], SECRET)
    _, whole = opened(version / VERDICT)
    facts = whole["predicate"]["configuration"][0]["annotations"]
    assert {one["id"]: one["unwaivable"] for one in facts["findings"]}["train.pii"] is True
    for one in facts["findings"]:
        del one["unwaivable"]
    key = house.key("validator")
    (version / VERDICT).write_bytes(dsse.seal(strictjson.canonical(whole), key))
    assert guarded(version)[0] == 12  # today's form says it of every finding
    facts["schema"] = SECOND
    del facts["trainers"]
    (version / VERDICT).write_bytes(dsse.seal(strictjson.canonical(whole), key))
    assert guarded(version)[0] == 10
    assert json.dumps(facts["findings"]).count("unwaivable") == 0
