"""The check field_outliers."""

import pytest

from datacheck import validate
from datacheck.check import Ratio
from datacheck.checks.field_outliers import FieldOutliers
from datacheck.testing import finding, jsonl, measure

ZH = ("番茄为什么叶子发黄？", "多半是浇水太多，根部缺氧，先让土壤干两天再浇，注意通风和光照。")
EN = ("Why do my tomatoes turn yellow?", "They get too much water: let the soil dry out before you water them again.")


def row(number=0, *, without=(), message=None, **fields):
    asked, answered = EN if number % 2 else ZH
    given = {
        "id": f"r{number}",
        "lang": "en" if number % 2 else "zh",
        "source": ("forum", "manual")[number % 2],
        "split": "train",
        "vehicle": "train",
        "created": f"2024-03-{number % 9 + 1:02d}",
        "quality": 3 + number % 5 / 5,
        "messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": answered, **(message or {})}],
    }
    return {key: value for key, value in (given | fields).items() if key not in without}


def places(*others, of=40):
    return measure(FieldOutliers(), [*(row(number) for number in range(of)), *others]).places


def test_rows_that_are_alike():
    assert places() == []


@pytest.mark.parametrize(
    ("other", "where", "problem"),
    [
        (row(without=["source"]), "source", "missing_key"),
        (row(debug=1), "debug", "extra_key"),
        (row(message={"weight": 0}), "messages[1].weight", "extra_key"),
        (row(source="Source"), "source", "repeated_header"),
        (row(quality="4.5"), "quality", "other_type"),
        (row(message={"content": ["Let the soil dry."]}, id="r40"), "messages[1].content", "other_type"),
        (row(created="03/05/2024"), "created", "other_date"),
        (row(created="March 5"), "created", "other_date"),
        (row(created="1924-03-05"), "created", "far_date"),
        (row(quality=450), "quality", "other_scale"),
        (row(source="unknown"), "source", "no_label"),
        (row(source="未知"), "source", "no_label"),
        (row(split="validation"), "split", "held_out"),
        (row(lang="en"), "lang", "wrong_label"),
        (row(1, lang="zh-CN"), "lang", "wrong_label"),
    ],
)
def test_a_row_unlike_all_others(other, where, problem):
    assert places(other) == [(40, where, problem)]


@pytest.mark.parametrize(
    "other",
    [
        row(source="book"),  # another name is no slip
        row(created="2019-03-05"),
        row(created=""),
        row(quality=6),  # a tail
        row(quality=None),
        row(message={"tool_calls": None}),
        row(lang="de"),  # not compared
        row(vehicle="test"),  # no split
    ],
)
def test_what_may_be_so(other):
    assert places(other) == []


def test_the_usual_form_of_a_date_is_shown():
    found = finding(FieldOutliers(), [*(row(number) for number in range(40)), row(created="03/05/2024")])
    assert found.evidence.first[0].detail.text == "nearly all others are written ####-##-##"


def test_what_many_rows_do_is_no_slip():
    assert places(*[row(split="test", debug=1, lang="xx", source="unknown")] * 3) == []
    assert len(places(*[row(split="test")] * 2)) == 2


def test_few_rows_have_no_usual():
    assert places(row(debug=1), of=18) == []
    for other in (row(debug=1), row(source="Source"), row(quality=450), row(source="unknown"), row(split="test")):
        assert len(places(other, of=19)) == 1


def test_keys_that_are_data():
    data = [row(**{f"k{number}": 1}) for number in range(21)]
    assert places(*data, of=400) == []
    assert len(places(*data[:20], of=400)) == 20


def test_a_label_that_speaks_of_something_else():
    """A column that many rows contradict names the language of something else, as of a translation."""
    assert places(*(row(lang="en") for _ in range(20))) == []


def test_numbers_with_a_long_tail():
    """Counts are mostly small, and a few are not: nothing is between the numbers of another scale."""
    counts = [{"messages": row()["messages"], "turns": turns} for turns in [1] * 60 + [2, 3, 7, 12]]
    assert measure(FieldOutliers(), counts).places == []
    assert measure(FieldOutliers(), [*counts[:60], {**counts[0], "turns": 7}]).places == [(60, "turns", "other_scale")]


def test_files_have_keys_of_their_own(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.jsonl").write_bytes(jsonl([row(number) for number in range(400)]))
    (data / "b.jsonl").write_bytes(jsonl([{**row(number), "url": "x"} for number in range(20)]))
    contract = tmp_path / "contract.yaml"
    contract.write_text("name: keys\nversion: 1\ndatasets: {train: {checks: [{check: field_outliers}]}}\n")
    report = validate(contract, {"train": data}, out=tmp_path / "out")
    assert [found.status for found in report.findings if found.check == "field_outliers"] == ["pass"]


def test_it_warns():
    rows = [row(number) for number in range(40)]
    assert finding(FieldOutliers(), rows).status == "pass"
    found = finding(FieldOutliers(), [*rows, row(debug=1)])
    assert found.status == "warn"
    assert measure(FieldOutliers(), [*rows, row(debug=1)]).value("rate") == Ratio(1, 41)


def verl(source="openai/gsm8k", gold="7"):
    prompt = [{"role": "user", "content": "3 + 4?"}]
    return {"data_source": source, "prompt": prompt, "reward_model": {"style": "rule", "ground_truth": gold}}


@pytest.mark.parametrize(
    ("other", "where", "problem"),
    [
        (verl("openai/gsm8"), "data_source", "unknown_source"),
        (verl(gold=["7"]), "reward_model.ground_truth", "other_type"),
        (verl(gold=7), "reward_model.ground_truth", "other_type"),
    ],
)
def test_a_row_that_verl_cannot_reward(other, where, problem):
    result = measure(FieldOutliers(), [verl() for _ in range(40)] + [other])
    assert result.places == [(40, where, problem)]


@pytest.mark.parametrize("usual", ["my_math", "gsm8k"])
def test_sources_of_ones_own_rewards(usual):
    """Where verl knows none of the names, the run has a reward function of its own, which may know one more."""
    rows = [verl(usual) for _ in range(40)] + [verl("openai/gsm8"), verl("aime24")]
    assert measure(FieldOutliers(), rows).places == []


def test_a_source_that_verl_knows_is_none_to_tell_of():
    assert measure(FieldOutliers(), [verl() for _ in range(40)] + [verl("aime2025")]).places == []


def test_an_id_that_stands_twice_over_unlike_rows():
    again = {
        **row(1, id="r4"),
        "messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "No."}],
    }
    assert places(again) == [(40, "id", "repeated_id")]
    assert places(row(4)) == []  # a copy, which exact_duplicates names
    assert places(*(dict(again, id=f"r{number}") for number in range(20))) == []  # ids of groups
    assert places({**again, "id": "r77", "prompt_id": "r4"})[0][2] == "extra_key"
