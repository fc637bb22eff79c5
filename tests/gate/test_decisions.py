"""One signed file of decisions: suppressed rows, allowed values, waivers. What it counts, and what it can never hide."""

import datetime as dt
import json

import polars as pl
import pytest
import yaml
from core_helpers import BAD, GOOD, contract, jsonl, report
from gate_house import opened, verdict_of
from test_tampering import put
from test_unwaivable import LEAKAGE, OTHER, PHONE, RED, SECRET, said

from datacheck.files.versions import write_manifest
from datacheck.gate import decisions
from datacheck.gate.decisions import Allowance, Suppression, payload_of
from datacheck.gate.trust import today

pytestmark = pytest.mark.usefixtures("here")
UNTIL = str(today() + dt.timedelta(days=9))
NUMBER = "13973581624"  # of PHONE
MORE = {"owner": "Li Wei", "reason": "looked at by hand", "until": UNTIL}
ROLES = {"check": "role_errors", "dataset": "train", **MORE}


def other(n):
    return {
        "messages": [{"role": "user", "content": f"在吗{n}"}, {"role": "user", "content": "喂"}],
        "src": f"s{n % 2}",
    }


@pytest.fixture
def site(house, command):
    """A version and a contract: `site.run(…)` gives the exit code and the report, `site.decide(…)` signs."""

    class Site:
        root, version, file = house.root / "d", house.root / "d" / "v", house.root / "d" / "d.dsse.json"

        def data(self, checks, *records, **columns):
            kept = {name: ({"path": f"{name}.jsonl"}, ["unreadable_lines"]) for name in ("red", "eval")}
            self.rules = contract(self.root, checks, source={"columns": columns} if columns else {}, **kept)
            for name, text in (("red", RED), ("eval", OTHER)):
                jsonl(self.root / f"{name}.jsonl", said(text))
            jsonl(self.version / "a.jsonl", *records)
            write_manifest(self.version, force=True)

        def run(self, *args):
            words = ["--data", f"train={self.version}", "--out", self.root / "out", *args]
            code, self.told, err = command("run", self.rules, *words)
            assert code in (0, 1), err
            return code, report(self.root / "out")

        def signed(self, *args):
            return self.run("--version", self.version, "--sign", house.root / "validator.pem", *args)

        def ids(self, finding):
            return pl.read_parquet(self.root / "out" / "evidence" / f"{finding}.parquet")["record"].unique().to_list()

        def decide(self, *entries, key="approver"):
            path = self.root / "d.yaml"
            path.write_text(yaml.safe_dump({"decisions": list(entries)}, allow_unicode=True), encoding="utf-8")
            return command("decide", path, "--key", house.root / f"{key}.pem")

        def forge(self, *made, key="approver"):
            """A document that `datacheck decide` would not sign."""
            put(self.file, payload_of(made), house.key(key))

    return Site()


def finding(found, name):
    (one,) = [each for each in found["findings"] if each["id"] == name]
    return one


def rate(found, name="train.role_errors", **part):
    (value,) = [v for v in finding(found, name)["values"] if v["name"] == "rate" and v["slice"] == part]
    return value["count"], value["of"], value.get("suppressed")


def applied(found):
    return [(one["applied"], one.get("rows")) for one in found["decisions"]["decisions"]]


def test_suppressed_rows_leave_the_numerator_and_are_counted(site):
    good = {**GOOD, "src": "s2"}
    site.data([{"check": "role_errors", "by": "source"}], *map(other, range(4)), good, good, source="src")
    code, before = site.run()
    assert (code, rate(before), rate(before, source="s0")) == (1, (4, 6, None), (2, 2, None))
    first = pl.read_parquet(site.root / "out" / "evidence" / "train.role_errors.parquet").filter(pl.col("row") == 2)
    assert site.decide({**ROLES, "suppress": [first["record"][0]]})[0] == 0
    code, found = site.run("--decisions", site.file)
    assert (code, rate(found), rate(found, source="s0"), rate(found, source="s1")) == (
        1, (3, 6, 1), (1, 2, 1), (2, 2, None),
    )  # fmt: skip
    assert applied(found) == [(True, 1)]
    assert 2 not in pl.read_parquet(site.root / "out" / "evidence" / "train.role_errors.parquet")["row"].to_list()
    assert "1 row suppressed of train.* (role_errors), by Li Wei until" in site.told.replace("\n             ", " ")
    for face in ("report.md", "report.html"):
        assert "1 row suppressed of" in (site.root / "out" / face).read_text(encoding="utf-8")


def test_all_rows_of_a_finding_suppressed_let_it_pass_and_the_gate_says_so(site, house, command, guarded):
    site.data(["role_errors"], GOOD, BAD, other(1))
    site.run()
    site.decide({**ROLES, "suppress": site.ids("train.role_errors")})
    assert site.signed()[0] == 1
    alone = verdict_of(site.version).contract_digest
    code, found = site.signed("--decisions", site.file)
    assert (code, rate(found), finding(found, "train.role_errors")["evidence"]["lines"]) == (0, (0, 3, 2), 0)
    assert found["funnel"]["train"][-1] == ["kept", 3]
    code, told = guarded(site.version)
    assert (code, "judged with --decisions sha256:" in told) == (0, True), told
    assert verdict_of(site.version).contract_digest != alone
    assert guarded(site.version, "--contract", alone)[0] == 14


def test_a_changed_row_is_not_covered(site):
    site.data(["role_errors"], GOOD, BAD)
    site.run()
    site.decide({**ROLES, "suppress": site.ids("train.role_errors")})
    assert site.run("--decisions", site.file)[0] == 0
    changed = json.loads(json.dumps(BAD).replace(json.dumps(BAD["messages"][1]["content"])[1:-1], "?"))
    site.data(["role_errors"], GOOD, changed)
    code, found = site.run("--decisions", site.file)
    assert (code, rate(found), applied(found)) == (1, (1, 2, None), [(True, 0)])


def test_an_allowed_value_is_counted_by_its_owner(site):
    site.data(["pii"], said(PHONE))
    assert site.run()[0] == 1
    scope = {"check": "pii", "dataset": "train", **MORE}
    assert site.decide({**scope, "allow": {"entity": "CN_MOBILE", "value": NUMBER}})[0] == 0
    code, found = site.run("--decisions", site.file)
    assert (code, applied(found)) == (0, [(True, None)])
    assert "allow-list entry 1 (owner Li Wei) let 1 hit pass" in finding(found, "train.pii")["not_checked"]
    assert NUMBER not in (site.root / "out" / "report.json").read_text(encoding="utf-8")


GUARDED = [
    ("pii", ["pii"], SECRET, "suppress"),
    ("leakage", [LEAKAGE], RED, "suppress"),
    ("pii", ["pii"], SECRET, "allow"),
]


@pytest.mark.parametrize(("check", "checks", "text", "kind"), GUARDED, ids=["secret", "red line", "allowed secret"])
def test_secrets_and_red_lines_are_never_hidden(site, check, checks, text, kind):
    """Refused where it is signed; who signs it in another way finds it ignored, and told."""
    site.data(checks, GOOD, said(text))
    assert site.run()[0] == 1
    value = text.rpartition("=")[2]
    allow = {"entity": "SECRET", "value": value, "domain": None}
    what = {"suppress": site.ids(f"train.{check}")} if kind == "suppress" else {"allow": allow}
    code, _, err = site.decide({"check": check, "dataset": "train", **MORE, **what})
    assert (code, "no decision hides" in err or "never stays" in err) == (2, True), err
    facts = {"check": check, "dataset": "train", "finding": None, "owner": "Li Wei", "reason": "looked at by hand",
             "created": today(), "expires": today()}  # fmt: skip
    site.forge(
        Suppression(**facts, rows=tuple(what["suppress"])) if kind == "suppress" else Allowance(**facts, **allow)
    )
    code, found = site.run("--decisions", site.file)
    assert (code, applied(found)[0][0], finding(found, f"train.{check}")["status"]) == (1, False, "fail")
    assert found["decisions"]["decisions"][0]["said"].startswith("NOT APPLIED")


def test_an_expired_one_does_not_apply(site, monkeypatch):
    site.data(["role_errors"], GOOD, BAD)
    site.run()
    site.decide({**ROLES, "suppress": site.ids("train.role_errors")})
    after = str(today() + dt.timedelta(days=10))
    assert site.run("--decisions", site.file, "--as-of", UNTIL)[0] == 0
    code, found = site.run("--decisions", site.file, "--as-of", after)
    assert (code, applied(found), rate(found)) == (1, [(False, 0)], (1, 2, None))
    assert "expired on" in found["decisions"]["decisions"][0]["said"]


@pytest.mark.parametrize("key", ["validator", "stranger"])
def test_a_wrongly_signed_file_decides_nothing(site, key):
    site.data(["role_errors"], GOOD, BAD)
    site.run()
    entry = {**ROLES, "suppress": site.ids("train.role_errors")}
    assert site.decide(entry, key=key)[0] == 14
    site.decide(entry)
    (made,) = decisions.parse(opened_payload(site.file))
    site.forge(made, key=key)
    code, found = site.run("--decisions", site.file)
    assert (code, "expected an approver" in found["decisions"]["refused"]) == (1, True)
    site.decide(entry)
    body, statement = opened(site.file)
    site.file.write_bytes(site.file.read_bytes().replace(body["payload"][:9].encode(), b"AAAAAAAAA"))
    code, found = site.run("--decisions", site.file)
    assert (code, "is not that of its content" in found["decisions"]["refused"]) == (1, True)
    assert statement["predicateType"] == decisions.PREDICATE


def opened_payload(path):
    import base64

    return base64.b64decode(json.loads(path.read_bytes())["payload"])


def test_one_file_waives_too(site, guarded):
    site.data(["role_errors", {"check": "too_few_rows", "limits": {"rows": {"min": 9}}}], GOOD, BAD)
    site.run()
    suppress = {**ROLES, "suppress": site.ids("train.role_errors")}
    site.decide(suppress)
    site.signed("--decisions", site.file)
    assert guarded(site.version)[0] == 10
    code, out, err = site.decide({**MORE, "waive": "v", "finding": "train.too_few_rows"}, suppress)
    assert (code, len(out.splitlines())) == (0, 4), err
    code, told = guarded(site.version)
    assert (code, "WAIVED train.too_few_rows, by Li Wei" in told) == (0, True), told
    site.signed("--decisions", site.file)  # the same decisions apply: the same contract, so the waiver still counts
    assert guarded(site.version)[0] == 0


def test_what_is_kept_is_judged_by_them_too(site, command):
    """The commands that the page names, as they stand there: what was suppressed and allowed stays in the data."""
    site.data(["role_errors", "pii"], GOOD, BAD, other(1), said(PHONE))
    site.run()
    scope = {"check": "pii", "dataset": "train", **MORE}
    site.decide(
        {**ROLES, "suppress": site.ids("train.role_errors")[:1]},
        {**scope, "allow": {"entity": "CN_MOBILE", "value": NUMBER}},
    )
    given = ["--decisions", site.file]
    assert site.run(*given)[0] == 1
    out, kept = site.root / "out", site.root / "kept"
    words = ["apply", out, "--data", f"train={site.version}", "--out", kept]
    assert command(*words, "--contract", site.rules)[0] == 1
    code, told, _ = command(*words, "--contract", site.rules, *given)
    assert (code, "1 row suppressed of train.* (role_errors)" in told.replace("\n             ", " ")) == (0, True), (
        told
    )
    assert NUMBER in (kept / "kept" / "train" / "a.jsonl").read_text(encoding="utf-8")
    assert command(*words, "--contract", site.rules, "--redact", *given)[0] == 0
    assert NUMBER in (kept / "kept" / "train" / "a.jsonl").read_text(encoding="utf-8")
    code, _, err = command(*words, *given)
    assert (code, "name the contract with --contract" in err) == (2, True)
    judged = ["judge", out, "--contract", site.rules]
    assert command(*judged)[0] == 2
    assert command(*judged, *given)[0] == 1
    assert f"--decisions {site.file} --out {out}-proof" in (out / "report.html").read_text(encoding="utf-8")


def test_what_nobody_may_sign(site):
    site.data(["role_errors"], GOOD, BAD)
    row = "0" * 32
    wrong = [
        ({**ROLES, "suppress": ["12"]}, "expected a text of the form"),
        ({**ROLES, "suppress": []}, "expected 1 to 10,000 ids"),
        ({**ROLES, "suppress": [row], "owner": " "}, "expected an owner"),
        ({**ROLES, "suppress": [row], "until": "2999-01-01"}, "at most 366 days"),
        ({**ROLES, "suppress": [row], "until": "soon"}, "expected a day as"),
        ({**ROLES, "suppress": [row], "check": "role_eror"}, "did you mean 'role_errors'?"),
        ({**ROLES, "suppress": [row], "dataset": None}, "expected the dataset"),
        ({**ROLES, "suppress": [row], "waive": "v"}, "expected one of suppress, allow and waive"),
        ({**ROLES, "allow": {"entity": "CN_MOBILE", "value": NUMBER}}, "has no allow-list"),
        ({**ROLES, "check": "pii", "allow": {"value": NUMBER}}, "a value needs its entity"),
        ({**MORE, "waive": "v"}, "expected a finding, or a check and its dataset"),
    ]
    code, _, err = site.decide(*(entry for entry, _ in wrong))
    assert code == 2
    assert [line for line, (_, said) in zip(err.splitlines(), wrong, strict=True) if said not in line] == []
