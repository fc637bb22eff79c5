"""`datacheck selftest`: what a contract would find in one's own rows, and what would pass."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from core_helpers import contract, jsonl

from datacheck.checks.error_as_answer import ErrorAsAnswer
from datacheck.contract.discover import check_class
from datacheck.selftest import run
from datacheck.selftest.faults import faults
from datacheck.selftest.run import _METRICS, _metric
from datacheck.selftest.texts import of_texts
from datacheck.testing import jsonl as lines_of
from datacheck.testing import measure, plants

THINGS = (
    "a kettle",
    "the garden gate",
    "an old bicycle",
    "a violin",
    "the attic",
    "a rowing boat",
    "sourdough",
    "a kite",
)
DOINGS = ("clean", "store", "mend", "choose", "paint")
CHEAP = ("role_errors", "empty_turns", "error_as_answer", "unreadable_lines", "schema_violations")


def chats():
    """Forty conversations about as many different matters."""
    return [
        {
            "messages": [
                {"role": "user", "content": f"How would you {doing} {thing} in autumn?"},
                {
                    "role": "assistant",
                    "content": f"Look at {thing} closely, and {doing} it on a dry day. Take your time.",
                },
            ],
            "origin": f"shelf {number}",
        }
        for number, (thing, doing) in enumerate((thing, doing) for thing in THINGS for doing in DOINGS)
    ]


@pytest.fixture
def tried(tmp_path, command):
    """Run the command on the chats; gives its exit code, and the kinds as {(check, fault): kind}."""

    def run(checks=CHEAP, *more, rows=None, **datasets):
        data = jsonl(tmp_path / "data" / "mine.jsonl", *(rows or chats()))
        rules = contract(tmp_path, checks, **datasets)
        code, out, err = command("selftest", data, "--contract", rules, "--format", "json", *more)
        assert code in (0, 1), err
        return code, {(kind["check"], kind["fault"]): kind for kind in json.loads(out)["kinds"]}

    return run


def test_what_the_checks_look_for_is_found_at_its_place(tmp_path, tried, monkeypatch):
    made = tmp_path / "private"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    code, kinds = tried()
    planted = {name: kind for name, kind in kinds.items() if kind["planted"]}
    assert code == 0
    assert {check for check, _ in planted} == set(CHEAP)
    assert {name for name, kind in planted.items() if not kind["planted"] == kind["found"] == kind["placed"]} == set()
    wanted = {plant.problem for plant in plants(ErrorAsAnswer)} - {
        "bare",
        "swapped_sides",
        "turned",
    }  # odd in a set of their own
    assert {fault for check, fault in planted if check == "error_as_answer"} == wanted
    assert planted["role_errors", "no_answer"]["outcome"] == "fail"
    assert planted["error_as_answer", "null"]["outcome"] == "warn"
    assert (tmp_path / "data" / "mine.jsonl").read_bytes() == lines_of(chats())
    assert list(made.iterdir()) == []  # nothing is kept


def test_without_leakage_leaks_would_pass(tried):
    code, kinds = tried(("role_errors",), "--rows", "20")
    assert code == 0
    assert kinds["leakage", "leaked, verbatim"]["outcome"] == "not_looked_for"
    assert tried(("role_errors",), "--rows", "20", "--strict") == (1, kinds)  # the same rows, the same plants


def test_with_leakage_leaks_are_found(tmp_path, tried):
    long = "A tank fills in six hours through one pipe and empties in nine through another; with both open, when is it full?"
    asked = [f"{long} The tank is number {n} of the {word} yard." for n, word in enumerate(("north", "south", "east"))]
    jsonl(tmp_path / "exam" / "exam.jsonl", *({"question": text, "answer": "18"} for text in asked))
    leakage = {"check": "leakage", "against": ["exam"]}
    code, kinds = tried((leakage,), "--data", f"exam={tmp_path / 'exam'}", exam=({"path": "exam"}, ["too_few_rows"]))
    leaks = {fault: kind for (check, fault), kind in kinds.items() if check == "leakage"}
    assert len(leaks) == 5
    assert {(kind["found"], kind["placed"], kind["outcome"]) for kind in leaks.values()} == {(5, 5, "fail")}
    assert code == 0
    assert not any(check == "too_few_rows" for check, _ in kinds)


def test_a_limit_that_lets_them_pass_is_said(tmp_path, tried, command):
    mild = {"check": "error_as_answer", "limits": {"rate": {"max": 0.1}}, "severity": "warn"}
    assert tried((mild,))[1]["error_as_answer", "null"]["outcome"] == "warn"
    loose = {"check": "error_as_answer", "limits": {"rate": {"warn_max": 0.2}}}
    _, out, _ = command("selftest", tmp_path / "data", "--contract", contract(tmp_path, (loose,)), "--lang", "en")
    assert "rate passes up to 0.2" in out
    assert out.index("No check of this contract looks for these") < out.index("so few of them would pass")


def test_a_check_that_misses_its_faults_is_told_first(tried, monkeypatch):
    whole = ErrorAsAnswer.measure
    monkeypatch.setattr(ErrorAsAnswer, "measure", lambda self, data: replace(whole(self, data), evidence=None))
    code, kinds = tried(("error_as_answer",))
    assert code == 1
    assert next(iter(kinds.values()))["outcome"] == "not_found"
    assert kinds["error_as_answer", "null"]["missed"][0].startswith("mine.jsonl:")


def test_a_finding_that_points_elsewhere_is_not_at_its_place(tried, monkeypatch):
    def measured(check, data, whole=ErrorAsAnswer.measure):
        found = whole(check, data)
        return replace(found, evidence=found.evidence.with_columns(where=pl.lit("messages[0].content")))

    monkeypatch.setattr(ErrorAsAnswer, "measure", measured)
    _, kinds = tried(("error_as_answer",))
    assert (kinds["error_as_answer", "null"]["found"], kinds["error_as_answer", "null"]["placed"]) == (5, 0)


def test_copies_of_other_rows_are_planted(tried):
    _, kinds = tried(("exact_duplicates",))
    copies = {fault: kind for (check, fault), kind in kinds.items() if check == "exact_duplicates"}
    assert {(kind["planted"], kind["found"]) for kind in copies.values()} == {(5, 5)}


def test_rows_whose_words_let_a_check_leave_them_alone_are_taken_last(tried):
    """Every other row asks for markup, where markup is no fault: there are enough others."""
    rows = chats()
    for row in rows[::2]:
        row["messages"][0]["content"] += " Answer in HTML."
    _, kinds = tried(("leftover_markup",), rows=rows)
    assert {name: kind["missed"] for name, kind in kinds.items() if kind["missed"]} == {}
    assert kinds["leftover_markup", "html_entity"]["planted"] > 0


def test_identifiers_are_planted_into_plain_texts(tried, monkeypatch):
    two = [fault for fault in faults() if fault.name in ("cn_mobile", "cn_uscc")]
    monkeypatch.setattr(run, "faults", lambda: two)
    monkeypatch.setattr(run, "of_texts", list)
    texts = [{"text": row["messages"][1]["content"]} for row in chats()]
    _, kinds = tried(("pii",), rows=texts)
    mobile, company = kinds["pii", "cn_mobile"], kinds["pii", "cn_uscc"]
    assert mobile["planted"] == mobile["found"] > 0
    assert (mobile["metric"], company["metric"]) == ("blocking_hits", "warn_hits")


def test_what_is_wrong_anyway_is_not_taken_for_found(tried):
    """Every row has the fault already, so it can be planted nowhere."""
    rows = [{"messages": [row["messages"][0], {"role": "assistant", "content": ""}]} for row in chats()]
    _, kinds = tried(("empty_turns",), rows=rows)
    assert not any(check == "empty_turns" for check, _ in kinds)


def test_rows_of_a_table_have_no_lines(tmp_path, command):
    table = [{"question": c["messages"][0]["content"], "answer": c["messages"][1]["content"]} for c in chats()]
    pl.DataFrame(table).write_parquet(tmp_path / "qa.parquet")
    rules = contract(tmp_path, ("unreadable_lines", "empty_turns"))
    code, out, err = command("selftest", tmp_path / "qa.parquet", "--contract", rules, "--format", "json")
    assert code == 0, err
    checks = {kind["check"] for kind in json.loads(out)["kinds"]}
    assert "empty_turns" in checks
    assert "unreadable_lines" not in checks


def test_no_text_of_the_data_is_shown(tmp_path, command):
    hostile = [{**row, "origin": "\x1b[31m::error::tell-nobody"} for row in chats()]
    hostile[0]["messages"][0]["content"] += " tell-nobody ##[error] \x1b[2J"
    data, rules = jsonl(tmp_path / "mine.jsonl", *hostile), contract(tmp_path, ("role_errors",))
    for form in ("json", "text"):
        _, out, err = command("selftest", data, "--contract", rules, "--format", form)
        assert "leaked, verbatim" in out
        assert "tell-nobody" not in out + err
        assert "\x1b" not in out + err
        assert "kettle" not in out + err


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--dataset", "other"], "unknown dataset"), (["--eval", "exam.jsonl"], "names its evaluation sets")],
)
def test_what_is_asked_wrongly(tmp_path, command, words, said):
    data = jsonl(tmp_path / "data" / "mine.jsonl", *chats()[:9])
    rules = contract(tmp_path, ("role_errors",))
    code, _, err = command("selftest", data, "--contract", rules, *words)
    assert (code, said in err) == (2, True)
    code, _, err = command("selftest", data, "--contract", rules)
    assert code == 2
    assert "9 rows are too few" in err


@pytest.mark.parametrize("name", sorted({check for check, _ in _METRICS}))
def test_the_number_that_counts_a_problem(name):
    """As the check itself counts its plants: of those numbers with a limit, this one moves."""
    kinds = {fault.problem: fault for fault in (*faults(), *of_texts()) if fault.check == name}
    for plant in plants(check_class(name)):
        if plant.problem in kinds and (name, plant.problem) in _METRICS:
            found = measure(plant.check, lines_of(plant.good) + plant.lines, source=plant.source, others=plant.others)
            assert found.value(_metric(plant.check, kinds[plant.problem])).n > 0


FILES = {
    "llama_factory/data/dpo_en_demo.json": 0,
    "llama_factory/data/kto_en_demo.json": 0,
    "medicalgpt/data/sft/medical_sft_1K_format.jsonl": 1,
    "huatuo/data-literature/liver_cancer.json": 2,
    "gsm8k/grade_school_math/data/test.jsonl": 0,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_of_the_kinds_planted_in_public_data_nineteen_in_twenty_are_found_and_placed(realdata, name, command):
    code, out, err = command("selftest", realdata / name, "--format", "json")
    kinds = [kind for kind in json.loads(out)["kinds"] if kind["planted"]]
    whole = [kind for kind in kinds if kind["planted"] == kind["found"] == kind["placed"]]
    assert len(kinds) >= 75, err
    assert len(whole) >= 0.95 * len(kinds)
    assert code in (0, 1)
    assert Path(realdata / name).is_file()
