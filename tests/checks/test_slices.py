"""`by: source` with limits per slice: each check gives the number of each source, and each is judged by its own limit."""

import pytest

from datacheck.check import Ratio, Status
from datacheck.contract.discover import check_class
from datacheck.testing import finding

LONG = "山川湖海日月星辰" * 20


def talk(answer):
    return {"messages": [{"role": "user", "content": "问"}, {"role": "assistant", "content": answer}]}


def pair(chosen, rejected, **more):
    return {"prompt": "问", "chosen": chosen, "rejected": rejected, **more}


def asked(question, answer, **more):
    return {"question": question, "answer": answer, **more}


def sides(one, other):
    return {
        "chosen": [{"role": "user", "content": one}, {"role": "assistant", "content": "甲"}],
        "rejected": [{"role": "user", "content": other}, {"role": "assistant", "content": "乙"}],
    }


# check: (settings, metric, rows of a source with the fault, rows of one without)
CASES = {
    "small_gap": ({}, "below_gap", [pair("a", "b", s1=0.5, s2=0.4)], [pair("a", "b", s1=1, s2=0)]),
    "score_outliers": ({"scale": (0, 1)}, "count", [{"text": "t", "s": 2}], [{"text": "t", "s": 1}]),
    "identical_pairs": ({}, "rate", [pair("a", "a")], [pair("a", "b")]),
    "length_bias": ({}, "length_ratio", [pair("aaa", "b")], [pair("aa", "bb")]),
    "low_agreement": ({}, "agreement", [{"text": "t", "a": "1", "b": "2"}], [{"text": "t", "a": "1", "b": "1"}]),
    "contradictory_pairs": ({}, "rate", [pair("a", "b"), pair("b", "a")], [pair("c", "d")]),
    "prompt_mismatch": ({}, "rate", [sides("问", "答")], [sides("问", "问")]),
    "unverifiable_answers": ({"grader": "integer"}, "rate", [asked("q", "1,080")], [asked("q", "1080")]),
    "answer_in_prompt": ({}, "rate", [asked("say needle", "needle")], [asked("say nothing", "needle")]),
    "conflicting_answers": ({}, "rate", [asked("q", "1"), asked("q", "2")], [asked("r", "1")]),
    "thin_reasoning": ({}, "short", [asked("q", "so 1")], [asked("q", LONG)]),
    "template_collapse": ({}, "rate", [asked(f"小明有{n}个苹果，还剩几个？", "1") for n in (1, 2)], [asked(LONG, "1")]),
    "choice_balance": (
        {"least": 2}, "top_choice", [asked("q", "A", A="1", B="2")] * 4, [asked("q", g, A="1", B="2") for g in "ABAB"],
    ),
    "pass_rates": ({}, "no_signal", [asked("q", "1", pass_rate=0)], [asked("q", "1", pass_rate=0.5)]),
    "synthetic_share": ({"synthetic": ("web",)}, "share", [talk("好")], [talk("好")]),
    "low_diversity": ({}, "top_opening", [talk(f"好的，以下是为您准备的第{n}个方案") for n in (1, 2)], [talk("短")]),
    "knowledge_dump": ({"chars": 100}, "share", [talk(LONG)], [talk("短")]),
    "broken_references": ({"column": "i", "of": "o", "key": "k"}, "rate", [{"i": "9"}], [{"i": "1"}]),
    "banned_terms": ({"terms": {"c": ("某词",)}}, "hits", [talk("某词")], [talk("别的")]),
}  # fmt: skip
SOURCE = {
    "columns": {"source": "src", "score": "s", "score_chosen": "s1", "score_rejected": "s2", "raters": ["a", "b"]}
}


def found(name, limits):
    settings, _, faulty, fine = CASES[name]
    rows = [{**row, "src": "web"} for row in faulty] + [{**row, "src": "book"} for row in fine]
    source = SOURCE if name != "broken_references" else {**SOURCE, "format": "rows"}
    check = check_class(name)(by="source", limits=limits, **settings)
    return finding(check, rows, source=source, others={"o": [{"k": "1"}]} if "of" in settings else None)


def number(value):
    return value.value if not isinstance(value.value, Ratio) else value.value.n / value.value.of


@pytest.mark.parametrize("name", CASES)
def test_each_source_has_its_number_and_its_limit(name):
    metric = CASES[name][1]
    low = metric == "agreement"
    free = {"min": None, "max": None, "warn_min": None, "warn_max": None}
    numbers = {v.slice["source"]: v for v in found(name, {}).values if v.name == metric and "source" in v.slice}
    bad, good = (number(numbers[source]) if source in numbers else 0 for source in ("web", "book"))
    assert (bad < good) if low else (bad > good), numbers
    bound = {"min": good} if low else {"max": good}
    for slices, status in (({}, Status.FAIL), ({"web": free}, Status.PASS)):
        values = found(name, {metric: {**free, **bound, "slices": slices}}).values
        status_of = {v.slice["source"]: v.status for v in values if v.name == metric and "source" in v.slice}
        assert status_of["web"] in {status, Status.INFO if status is Status.PASS else status}
        assert status_of.get("book", Status.PASS) is Status.PASS


def test_a_mix_is_judged_label_by_label():
    """mixture_drift needs no `by`: its slices are the labels themselves."""
    check = check_class("mixture_drift")(targets={"web": 0.5, "book": 0.5}, limits={"drift": {"slices": {"web": {"max": 0.3}}}})  # fmt: skip
    rows = [{"text": "t", "src": "web"}] * 7 + [{"text": "t", "src": "book"}] * 3
    statuses = {
        v.slice.get("source"): v.status for v in finding(check, rows, source=SOURCE).values if v.name == "drift"
    }
    assert statuses == {None: Status.FAIL, "web": Status.PASS, "book": Status.FAIL}
