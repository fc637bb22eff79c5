"""What is lost between a file and a check: plants in copies of the first records say where, and the check is an error."""

import polars as pl
import pytest
from core_helpers import contract, jsonl, report

from datacheck.engine import measure
from datacheck.features import leaks, sketch
from datacheck.features.identifiers import Identifiers
from datacheck.features.leaks import EvalItems, Leaks
from datacheck.features.sketch import Sketch
from datacheck.features.text_key import TextKey

FEATURES = {"pii": Identifiers, "exact_duplicates": TextKey, "near_duplicates": Sketch, "leakage": Leaks}
WOODS = "oak pine birch maple cedar walnut willow cherry poplar larch".split()


def told(n):
    wood = WOODS[n]
    return {
        "query": f"What do joiners make of {wood}, and how long does a piece of it last outdoors?",
        "response": f"Of {wood} they make {n + 3} kinds of furniture; {wood} lasts {n + 7} winters in the rain.",
    }


def asked(n):
    return {"query": f"Which river runs past the {n} towers of that old city?", "response": "The one in the song."}


def findings(folder, command, checks=FEATURES, records=()):
    jsonl(folder / "data" / "a.jsonl", *records)
    jsonl(folder / "eval" / "a.jsonl", *map(asked, range(3)))
    checks = [{"check": check} | ({"against": "eval"} if check == "leakage" else {}) for check in checks]
    path = contract(folder, checks, eval=({"path": "eval"}, ["unreadable_lines"]))
    command("run", path, "--out", folder / "out")
    return {f["check"]: f for f in report(folder / "out")["findings"]}


@pytest.fixture
def rows():
    return [told(n) for n in range(10)]


@pytest.mark.slow
def test_healthy_reports_are_as_without_canaries(tmp_path, here, command, monkeypatch, rows):
    found = findings(tmp_path / "with", command, records=rows)
    assert not [each for each in found.values() if each["status"] == "error"]
    monkeypatch.setattr(measure, "unseen", lambda *_: ())
    assert findings(tmp_path / "without", command, records=rows) == found


@pytest.mark.parametrize("check", FEATURES)
def test_an_empty_table_is_an_error_that_names_the_place(tmp_path, here, command, monkeypatch, rows, check):
    kind = FEATURES[check]
    compute = kind.compute
    monkeypatch.setattr(kind, "compute", lambda self, part: compute(self, part).clear())
    found = findings(tmp_path, command, [check], rows)[check]
    assert found["status"] == "error"
    assert "the text under `query` is not read: 0 of 2 plants were found" in found["error"]


def test_only_the_compared_part_is_asked_for_its_plant(tmp_path, here, command, monkeypatch, rows):
    """Of prompts the plant in the prompt must be met, and nobody waits for that in the answer."""
    path = contract(tmp_path, [{"check": "exact_duplicates", "on": "prompt"}])
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    command("run", path, "--out", tmp_path / "whole")
    assert report(tmp_path / "whole")["findings"][0]["status"] == "pass"
    compute = TextKey.compute
    monkeypatch.setattr(TextKey, "compute", lambda self, part: compute(self, part).clear())
    command("run", path, "--out", tmp_path / "blind")
    (found, *_) = report(tmp_path / "blind")["findings"]
    assert found["status"] == "error"
    assert "the text under `query` is not read: 0 of 1 plants were found" in found["error"]


def test_an_evaluation_set_that_lost_its_items_is_an_error(tmp_path, here, command, monkeypatch, rows):
    compute = EvalItems.compute
    monkeypatch.setattr(EvalItems, "compute", lambda self, data: compute(self, data).clear())
    assert findings(tmp_path, command, ["leakage"], rows)["leakage"]["status"] == "error"


def dropped(function, column):
    """The function, given turns without answers."""

    def reader(turns, *args, **named):
        return function(turns.filter(pl.col(column) != "response"), *args, **named)

    return reader


@pytest.mark.parametrize("check", ["near_duplicates", "leakage"])
def test_a_text_that_a_feature_does_not_read_is_named(tmp_path, here, command, monkeypatch, rows, check):
    if check == "leakage":
        monkeypatch.setattr(leaks, "spoken", dropped(leaks.spoken, "part"))
    else:
        monkeypatch.setattr(sketch, "row_texts", dropped(sketch.row_texts, "part"))
    found = findings(tmp_path, command, [check], rows)[check]
    assert found["status"] == "error"
    assert "the text under `response` is not read: 1 of 2 plants were found" in found["error"]


class Blinkered:
    """A part of a dataset whose turns have no answers."""

    def __init__(self, part):
        self.part = part

    def __getattr__(self, name):
        return getattr(self.part, name)

    @property
    def turns(self):
        return self.part.turns.filter(pl.col("part") != "response")


@pytest.mark.parametrize("check", ["pii", "exact_duplicates"])
def test_a_part_of_a_row_that_is_lost_is_named(tmp_path, here, command, monkeypatch, rows, check):
    kind = FEATURES[check]
    compute = kind.compute
    monkeypatch.setattr(kind, "compute", lambda self, part: compute(self, Blinkered(part)))
    found = findings(tmp_path, command, [check], rows)[check]
    assert found["status"] == "error"
    assert "the text under `response` is not read: 1 of 2 plants were found" in found["error"]


def test_identifiers_in_the_data_call_the_analyzer_for_the_plants_too(tmp_path, here, command, rows):
    rows[3]["response"] += " Write to anna.berg@example.org for the price of it."
    assert findings(tmp_path, command, ["pii"], rows)["pii"]["status"] == "warn"


SHAPES = {
    "one row": [told(1)],
    "short texts": [{"query": "1 + 1?", "response": "2"}] * 3,
    "plain rows": [{"price": n, "name": f"a table of {n} legs and one top"} for n in range(5)],
    "token ids": [{"input_ids": [n, 2, 3], "labels": [n, 2, 3]} for n in range(5)],
    "pairs": [
        {"prompt": told(n)["query"], "chosen": told(n)["response"], "rejected": told(n + 1)["response"]} for n in range(5)
    ],
    "a system prompt": [
        {
            "messages": [
                {"role": "system", "content": "You are a joiner who answers in one sentence."},
                {"role": "user", "content": told(n)["query"]},
                {"role": "assistant", "content": told(n)["response"]},
            ]
        }
        for n in range(5)
    ],
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_no_plant_is_asked_of_a_check_that_rightly_does_not_read_it(tmp_path, here, command, shape):
    found = findings(tmp_path, command, records=SHAPES[shape])
    assert not [each for each in found.values() if "plants" in each.get("error", "")]


def test_settings_that_narrow_a_check_make_no_false_alarm(tmp_path, here, command, rows):
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    checks = [
        {"check": "pii", "entities": {"EMAIL_ADDRESS": "off", "CN_MOBILE": "off"}},
        {"check": "exact_duplicates", "on": "prompt"},
        {"check": "near_duplicates", "on": "response", "exact": True, "threshold": 1.0, "boilerplate": None},
    ]
    command("run", contract(tmp_path, checks), "--out", tmp_path / "out")
    assert not [each for each in report(tmp_path / "out")["findings"] if each["status"] == "error"]
