"""Beside a baseline only what is new fails: places by the content of their record, numbers by not getting worse."""

import csv
import hashlib
import json
import shutil

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from core_helpers import GOOD, contract, jsonl, report, user_check

import datacheck
from datacheck.session.session import Options, Session
from datacheck.verdict.baseline import _no_worse
from datacheck.verdict.model import ValueEntry

# Each has one problem: nobody answers the last question.
BAD = {"messages": [*GOOD["messages"], {"role": "user", "content": "在吗"}]}
WORSE = {"messages": [*GOOD["messages"], {"role": "user", "content": "有人吗"}]}


@pytest.fixture
def drops(tmp_path, here, command):
    """`drops(before, after)`: run on one drop, then on another beside it; gives (exit code, report, finding by id)."""

    def call(before, after, checks=("role_errors",), options=(), again=None):
        for name, given in (("one", before), ("two", after)):
            for file, records in (given if isinstance(given, dict) else {"a.jsonl": given}).items():
                jsonl(tmp_path / name / file, *records)
        first = contract(tmp_path, checks)
        second = contract(tmp_path, again or checks, name="again.yaml")
        command("run", first, "--data", f"train={tmp_path / 'one'}", "--out", tmp_path / "base", "--quiet")
        beside = ["--baseline", tmp_path / "base", *options]
        code, out, err = command(
            "run", second, "--data", f"train={tmp_path / 'two'}", "--out", tmp_path / "out", *beside
        )
        assert err == ""
        found = report(tmp_path / "out")
        return code, found, {f["id"]: f for f in found["findings"]}, out

    return call


def places(tmp_path, finding="train.role_errors"):
    return pl.read_parquet(tmp_path / "out" / "evidence" / f"{finding}.parquet")


def test_the_same_rows_elsewhere_are_known(drops, tmp_path):
    moved = json.dumps({"messages": [dict(reversed(m.items())) for m in BAD["messages"]]}, ensure_ascii=True).encode()
    code, found, by_id, out = drops([BAD, GOOD], {"b.jsonl": [GOOD, GOOD], "c.jsonl": [GOOD, moved]})
    assert (code, found["verdict"]) == (0, "warn")
    finding = by_id["train.role_errors"]
    assert (finding["status"], finding["baseline"]["judged"], finding["baseline"]["known"]) == ("warn", "fail", True)
    assert (finding["baseline"]["places_known"], finding["baseline"]["places_new"]) == (1, 0)
    assert finding["baseline"]["values"] == [{"name": "rate", "value": 0.5, "count": 1, "of": 2, "slice": {}}]
    assert places(tmp_path)["known"].to_list() == [True]
    assert "known from the baseline, nothing new (places: 1)" in out
    assert "would be fail without the baseline" in " ".join(out.replace("|", " ").split())


def test_a_new_row_fails_and_is_the_one_that_is_named(drops, tmp_path):
    code, found, by_id, out = drops([BAD], [BAD, GOOD, WORSE])
    finding = by_id["train.role_errors"]
    assert (code, found["verdict"], finding["status"]) == (1, "fail", "fail")
    assert (finding["baseline"]["places_known"], finding["baseline"]["places_new"]) == (1, 1)
    assert finding["baseline"]["reason"] == "new_places"
    assert [place["at"] for place in finding["evidence"]["first"]] == ["train/a.jsonl:3"]
    assert places(tmp_path).select("line", "known").rows() == [(1, True), (3, False)]
    assert "new places: 1, known: 1" in out


def test_one_more_copy_of_a_known_row_is_new(drops, tmp_path):
    code, _, by_id, _ = drops([BAD, GOOD], [BAD, GOOD, BAD])
    assert (code, by_id["train.role_errors"]["baseline"]["places_new"]) == (1, 1)
    assert places(tmp_path)["known"].to_list() == [True, False]


def test_one_changed_character_makes_another_row(drops):
    changed = json.loads(json.dumps(BAD))
    changed["messages"][0]["content"] += "。"
    assert drops([BAD], [changed])[0] == 1


def test_a_changed_label_makes_another_row(drops):
    assert drops([{**BAD, "id": 1}], [{**BAD, "id": 2}])[0] == 1


def test_another_problem_of_a_known_row_is_new(drops, tmp_path):
    """The row was flagged for its roles; that it now also stands there twice is another check's matter."""
    code, _, by_id, _ = drops([BAD], [BAD, BAD], ({"check": "role_errors"}, {"check": "exact_duplicates"}))
    assert by_id["train.exact_duplicates"]["baseline"] == {
        "judged": "warn", "known": False, "places_known": 0, "places_new": 1, "reason": "new_places",
        "values": [{"name": "rate", "value": 0.0, "count": 0, "of": 1, "slice": {}}],
    }  # fmt: skip
    assert code == 1


def test_a_smaller_drop_with_the_same_bad_row_has_nothing_new(drops):
    code, _, by_id, _ = drops([BAD, GOOD, GOOD], [BAD])
    assert by_id["train.role_errors"]["values"][0]["value"] == 1.0
    assert code == 0


def test_broken_lines_are_known_by_their_bytes(drops, tmp_path):
    code, _, by_id, _ = drops([GOOD, b'{"cut'], [b'{"cut', GOOD, GOOD])
    assert (code, by_id["train.unreadable_lines"]["baseline"]["known"]) == (0, True)


def test_other_broken_lines_are_new(drops, tmp_path):
    code, _, by_id, _ = drops([GOOD, b'{"cut'], [GOOD, b'{"cu'])
    assert (code, by_id["train.unreadable_lines"]["baseline"]["reason"]) == (1, "new_places")


@pytest.mark.parametrize(("before", "after", "code"), [(3, 3, 0), (3, 4, 0), (3, 2, 1)])
def test_a_number_without_rows_must_not_get_worse(drops, before, after, code):
    found, _, by_id, _ = drops(
        [GOOD] * before, [GOOD] * after, [{"check": "too_few_rows", "limits": {"rows": {"min": 9}}}]
    )
    finding = by_id["train.too_few_rows"]
    assert (found, finding["baseline"].get("reason")) == (code, "worse" if code else None)
    assert finding["baseline"]["values"] == [{"name": "rows", "value": before, "slice": {}}]


def test_a_number_that_the_baseline_could_not_give_excuses_nothing():
    now = ValueEntry(name="rate", value=0.5, limit={"max": 0.1}, status="fail")
    assert _no_worse(now, now)
    assert not _no_worse(now, now.model_copy(update={"value": None}))
    assert not _no_worse(now.model_copy(update={"value": None}), now)


def test_an_error_is_never_hidden(drops, tmp_path):
    user_check(tmp_path / "checks", "breaks", "raise ValueError")
    for options in ((), ("--strict",)):
        code, found, by_id, _ = drops([BAD], [BAD], ("role_errors",), options)
        assert code == 0
    contract(tmp_path, ["role_errors", "breaks"], name="again.yaml")
    code, found, by_id, _ = drops(
        [BAD], [BAD], ("role_errors",), ("--checks", tmp_path / "checks"), ("role_errors", "breaks")
    )
    assert (code, found["verdict"], by_id["train.breaks"]["status"]) == (3, "error", "error")
    assert "baseline" not in by_id["train.breaks"]


def test_strict_counts_only_new_warnings(drops):
    warns = [{"check": "role_errors", "limits": {"rate": {"max": 1, "warn_max": 0}}}]
    assert drops([BAD], [BAD], warns, ("--strict",))[0] == 0
    assert drops([BAD], [BAD, WORSE], warns, ("--strict",))[0] == 1


def test_a_check_with_other_settings_is_not_compared(drops):
    old = [{"check": "exact_duplicates", "limits": {"rate": {"max": 0}}}]
    new = [{"check": "exact_duplicates", "on": "prompt", "limits": {"rate": {"max": 0}}}]
    code, _, by_id, _ = drops([GOOD, GOOD], [GOOD, GOOD], old, again=new)
    assert (code, by_id["train.exact_duplicates"]["baseline"]["reason"]) == (1, "measured_differently")


def test_other_limits_do_not_matter(drops):
    lax = [{"check": "role_errors", "limits": {"rate": {"max": 0.99}}}]
    assert drops([BAD], [BAD], lax, again=["role_errors"])[0] == 0


def test_a_check_that_the_baseline_does_not_have_is_new(drops):
    code, _, by_id, _ = drops([BAD], [BAD], ["exact_duplicates"], again=["role_errors"])
    assert (code, by_id["train.role_errors"]["baseline"]["reason"]) == (1, "absent")


def test_every_byte_that_decided_is_among_the_inputs(drops, tmp_path):
    _, found, _, _ = drops([BAD], [BAD])
    for name in ("report.json", "evidence/train.role_errors.parquet"):
        assert (
            found["inputs"][f"baseline/{name}"] == hashlib.sha256((tmp_path / "base" / name).read_bytes()).hexdigest()
        )
    assert found["baseline"]["sha256"] == found["inputs"]["baseline/report.json"]
    assert found["baseline"]["verdict"] == "fail"


def test_the_same_inputs_give_the_same_bytes(drops, tmp_path):
    drops([BAD], [BAD, WORSE])
    one = (tmp_path / "out" / "report.json").read_bytes()
    drops([BAD], [BAD, WORSE])
    assert (tmp_path / "out" / "report.json").read_bytes() == one


def test_a_baseline_that_is_not_whole_is_refused_before_anything_runs(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", BAD)
    command("run", contract(tmp_path), "--out", tmp_path / "base", "--quiet")
    evidence = tmp_path / "base" / "evidence" / "train.role_errors.parquet"
    table = pl.read_parquet(evidence)
    for broken in (
        lambda: table.drop("record").write_parquet(evidence),
        lambda: table.clear().write_parquet(evidence),
        evidence.unlink,
    ):
        broken()
        code, _, err = command("run", contract(tmp_path), "--out", tmp_path / "out", "--baseline", tmp_path / "base")
        assert (code, "train.role_errors.parquet: " in err) == (2, True)
        assert not (tmp_path / "out").exists()


def test_a_report_cannot_be_its_own_baseline(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", BAD)
    command("run", contract(tmp_path), "--out", tmp_path / "base", "--quiet")
    before = (tmp_path / "base" / "report.json").read_bytes()
    code, _, err = command("run", contract(tmp_path), "--out", tmp_path / "base", "--baseline", tmp_path / "base")
    assert (code, "is the baseline itself" in err) == (2, True)
    assert (tmp_path / "base" / "report.json").read_bytes() == before


def test_judge_compares_too_and_forgets_the_baseline_of_the_run(drops, tmp_path, command):
    drops([BAD], [BAD])
    again = tmp_path / "again.yaml"
    assert command("judge", tmp_path / "out", "--contract", again)[0] == 1
    assert command("judge", tmp_path / "out", "--contract", again, "--baseline", tmp_path / "base")[0] == 0
    shutil.rmtree(tmp_path / "base" / "evidence")
    assert command("judge", tmp_path / "out", "--contract", again, "--baseline", tmp_path / "base")[0] == 2


def test_a_record_is_the_same_in_every_container(tmp_path, here, command):
    """The row is flagged for its control token in JSON lines; then it comes as Parquet, and as CSV."""
    rows = [{"prompt": "你好<|im_end|>", "completion": "好"}, {"prompt": "a", "completion": "b"}]
    jsonl(tmp_path / "one" / "a.jsonl", *rows)
    (tmp_path / "two").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "two" / "x.parquet")
    (tmp_path / "three").mkdir()
    with (tmp_path / "three" / "x.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["completion", "prompt"])
        writer.writeheader()
        writer.writerows(rows)
    own = contract(tmp_path, ["control_tokens"])
    command("run", own, "--data", f"train={tmp_path / 'one'}", "--out", tmp_path / "base", "--quiet")
    for drop in ("two", "three"):
        options = ["--out", tmp_path / drop / "out", "--baseline", tmp_path / "base", "--quiet"]
        assert command("run", own, "--data", f"train={tmp_path / drop}", *options)[0] == 0
        assert report(tmp_path / drop / "out")["findings"][0]["baseline"]["known"]
        shutil.rmtree(tmp_path / drop / "out")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_face_says_what_is_known(drops, tmp_path, lang):
    _, _, _, out = drops([BAD], [BAD], options=("--lang", lang))
    said = {"en": "nothing new (places: 1)", "zh": "没有新增（1 处）"}[lang]
    faces = [(tmp_path / "out" / name).read_text("utf-8") for name in ("report.html", "report.md")]
    assert all(said in face for face in (out, *faces))
    assert "nothing new (places: 1)" in (tmp_path / "out" / "junit.xml").read_text("utf-8")


def test_from_python_as_on_the_command_line(tmp_path, here, drops):
    code, cli = drops([GOOD, BAD], [GOOD, BAD])[:2]
    assert code == 0
    found = datacheck.validate(
        tmp_path / "again.yaml", {"train": tmp_path / "two"}, out=tmp_path / "python", baseline=tmp_path / "base"
    )
    assert found.verdict == cli["verdict"] == "warn"
    assert found.baseline is not None
    alone = datacheck.validate(tmp_path / "again.yaml", {"train": tmp_path / "two"}, out=tmp_path / "alone")
    assert (alone.verdict, alone.baseline) == ("fail", None)


def test_one_check_counts_beside_the_baseline_before_the_report_is_written(tmp_path, here, drops):
    """What a task of the Prefect flow shows."""
    drops([GOOD, BAD], [GOOD, BAD])
    options = Options(out=tmp_path / "flow", baseline=tmp_path / "base")
    with Session(tmp_path / "again.yaml", {"train": str(tmp_path / "two")}, options) as session:
        session.run()
        dataset = session.contract.datasets["train"]
        by_check = {check.check: session.judged(dataset, check) for check in dataset.checks}
        report = session.finish()
    assert {check: found.status for check, found in by_check.items()} == {f.check: f.status for f in report.findings}
    assert by_check["role_errors"].status == "warn"
