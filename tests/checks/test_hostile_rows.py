"""Hostile rows for the checks on pairs, golds and composition: what a careless or malicious file may hold.

The expected values were judged by hand: a hidden character hides nothing, nothing is run, a number is only what JSON
readers take for one, and what cannot be read is named instead of passed.
"""

import json
import time

import krippendorff
import numpy as np
import pytest

from datacheck.check import Ratio, Status
from datacheck.contract.discover import check_class
from datacheck.testing import finding, measure

HIDDEN = ["\u0000", "\ufeff", "\u200b", "\u202e甲", "a" * 200_000, "<script>alert(1)</script>", ".*(+[", " "]


def escaped(rows):
    """The bytes of a file, everything but ASCII escaped, so that lone surrogates can stand in it."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def check(name, **settings):
    return check_class(name)(**settings)


def run(name, rows, source=None, others=None, **settings):
    return measure(check(name, **settings), escaped(rows), source=source, others=others)


# ── scores and ratings ────────────────────────────────────────────────────────────────────────────────
SCORES = [
    1,
    True,
    [1],
    {"a": 1},
    "１",
    "1_000",
    "0x10",
    "1e400",
    "-Infinity",
    " 2 ",
    "½",
    "\u0000",
    "NaN",
    "--1",
    "1,5",
]
FINITE = {0, 9}


def test_scores_that_are_no_numbers():
    result = run("score_outliers", [{"text": "t", "s": s} for s in SCORES], {"columns": {"score": "s"}})
    assert {row for row, _ in result.problems} == set(range(len(SCORES))) - FINITE
    assert [row for row, problem in result.problems if problem == "not_finite"] == [7, 8, 12]


def pairs(*scores):
    return [{"prompt": "问", "chosen": "甲", "rejected": "乙", "s1": a, "s2": b} for a, b in scores]


GIVEN = {"columns": {"score_chosen": "s1", "score_rejected": "s2"}}


def test_gaps_of_hostile_scores():
    """Two huge scores make no gap of 10³⁰⁸, and no infinite mean: on a declared scale they are off it."""
    rows = pairs((1, 0), (True, False), ([1], 0), (1e308, -1e308), ("0.9\u0000", 0.1), (0.7, "0.4 "), ("-0", 0))
    result = run("small_gap", rows, GIVEN, scale=(0, 1))
    assert result.problems == [
        (1, "missing_score"), (2, "missing_score"), (3, "off_scale"), (4, "missing_score"), (6, "small_gap")
    ]  # fmt: skip
    assert result.value("mean_gap") == pytest.approx(1.3 / 3)
    assert result.value("missing") == Ratio(4, 7)
    assert run("small_gap", rows, GIVEN).value("mean_gap") is None  # no scale: an error with a hint


@pytest.mark.parametrize("scale", [(1, 1), (1, 0), (float("nan"), 1), (0, float("inf"))])
@pytest.mark.parametrize("name", ["small_gap", "score_outliers"])
def test_a_scale_has_a_lowest_and_a_highest_score(name, scale):
    with pytest.raises(ValueError, match="scale"):
        check(name, scale=scale)


def test_ratings_of_any_type_and_size():
    columns = {"columns": {"raters": ["a", "b"]}}
    huge = [(1e308, -1e308), (1e308, 1e308), (0, -1e308)]
    result = run("low_agreement", [{"text": "t", "a": a, "b": b} for a, b in huge], columns, level="interval")
    small = np.array([[a / 1e308 for a, _ in huge], [b / 1e308 for _, b in huge]])
    assert result.value("alpha") == pytest.approx(krippendorff.alpha(small, level_of_measurement="interval"))
    odd = [("A", ["A"]), ({"x": 1}, "B"), ("\u0000", "\u0000"), (None, ""), ("A ", "A")]
    result = run("low_agreement", [{"text": "t", "a": a, "b": b} for a, b in odd], columns)
    assert result.value("agreement") == Ratio(2, 4)  # a list is not its item; an object is no word
    assert result.not_checked == ("1 row has fewer than two ratings",)


@pytest.mark.parametrize(("rate", "problem"), [
    (-0.0, "never"), (1, "always"), (0.5, None), (1e-320, None), (1.0000001, "invalid_pass_rate"),
    ("NaN", "invalid_pass_rate"), ("inf", "invalid_pass_rate"), (True, "invalid_pass_rate"),
    ("1_0", "invalid_pass_rate"), ("０", "invalid_pass_rate"), ([0.5], "invalid_pass_rate"),
])  # fmt: skip
def test_pass_rates_of_any_type(rate, problem):
    result = run("pass_rates", [{"prompt": "p", "pass_rate": rate}])
    assert [found for _, found in result.problems] == ([problem] if problem else [])


# ── pairs of texts ────────────────────────────────────────────────────────────────────────────────────
def sides(*texts):
    return [{"prompt": "p", "chosen": chosen, "rejected": rejected} for chosen, rejected in texts]


def test_pairs_of_hostile_texts():
    different, same = [(h, f"{h}x") for h in HIDDEN], [(h, h) for h in HIDDEN]
    result = run("identical_pairs", sides(*different, *same))
    found = [place for place in result.problems if place[1] != "cut_off"]  # a sign more is the other side, gone on
    assert found == [(len(HIDDEN) + n, "identical") for n in range(len(HIDDEN))]
    assert run("contradictory_pairs", sides(*different, *same)).value("rate") == Ratio(0, 2 * len(HIDDEN))
    turned = run("contradictory_pairs", sides(*different, *((b, a) for a, b in different)))
    assert turned.value("rate") == Ratio(2 * len(HIDDEN), 2 * len(HIDDEN))
    bias = run("length_bias", sides(*different))
    assert bias.value("longer_wins") == Ratio(0, len(HIDDEN))
    assert bias.value("length_ratio") < 1


@pytest.mark.parametrize("side", [None, [], 5, {"content": 5}, [{"role": "assistant"}]])
def test_sides_that_are_no_text(side):
    """Whatever the loader makes of it, a check on pairs ends, and counts no pair twice."""
    for name in ("identical_pairs", "length_bias", "contradictory_pairs", "prompt_mismatch"):
        for value in run(name, sides((side, "a"), ("b", "c"))).values:
            assert not isinstance(value.value, Ratio) or value.value.n <= value.value.of <= 2


def test_prompts_that_only_look_alike():
    """A zero-width character makes another prompt: the trainer tokenizes it."""
    rows = [{"chosen": [{"role": "user", "content": "问"}, {"role": "assistant", "content": "甲"}],
             "rejected": [{"role": "user", "content": "问\u200b"}, {"role": "assistant", "content": "乙"}]}]  # fmt: skip
    assert run("prompt_mismatch", rows).problems == [(0, "different_prompts")]


# ── golds ─────────────────────────────────────────────────────────────────────────────────────────────
BOMBS = ["1" * 5000, "1e999999999", "1/0", r"\frac{1}{0}", r"\boxed{" * 3000 + "1", "{" * 3000, "####" * 3000,
         "[" * 5000, '{"a":' * 5000, "(" * 3000, "\u202e12", "NaN", "inf", "0x1F", "½"]  # fmt: skip


@pytest.mark.parametrize("grader", ["integer", "number", "choice", "json", "tool_call"])
def test_golds_that_blow_up_a_parser(grader):
    began = time.process_time()
    rows = [{"prompt": "p", "ground_truth": bomb} for bomb in BOMBS]
    readable = {"1" * 5000} if grader == "integer" else set()
    result = run("unverifiable_answers", rows, grader=grader, extract="whole")
    assert [BOMBS[n] for n in range(len(BOMBS)) if n not in {row for row, _ in result.problems}] == sorted(readable)
    assert time.process_time() - began < 20


def test_golds_with_the_signs_of_patterns():
    rows = [
        {"prompt": "(a+)+$ .* [xyz0", "ground_truth": ".* [xyz0"},
        {"prompt": "aaaaaaaa", "ground_truth": "(aaaa+)+$"},
        {"prompt": "x" * 100_000 + "needle", "ground_truth": "needle"},
        {"prompt": "\u202eneedle", "ground_truth": "needle"},
        {"prompt": "\u0000abcd", "ground_truth": "\u0000abcd"},
        {"prompt": None, "ground_truth": "abcd"},
    ]
    assert [row for row, _ in run("answer_in_prompt", rows).problems] == [0, 3, 4]


def test_questions_with_control_characters():
    """NUL makes another question; U+001E is white space, which does not count; two empty questions are one."""
    rows = [{"question": q, "answer": a} for q, a in [
        ("q\u0000", "a"), ("q", "b"), ("q\u001e", "b"), ("q\u001ex", "c"), ("", "e"), ("", "f"),
    ]]  # fmt: skip
    assert [row for row, _ in run("conflicting_answers", rows).problems] == [4, 5]


def test_reasoning_made_of_tags_and_blanks():
    texts = ["<think>" * 5000, "<think>a</think><think>b</think>", "</think><think>", "\n" * 500, None, "。" * 300]
    result = run("thin_reasoning", [{"question": "?", "answer": text} for text in texts])
    assert [row for row, _ in result.problems] == [1, 2]
    assert result.value("short") == Ratio(2, 4)


@pytest.mark.parametrize("one", ["1" * 500, "\u0000" * 20, "\u200b" * 20])
def test_templates_of_nothing(one):
    """Two rows of which nothing is left when numbers and names are masked are no template."""
    result = run("template_collapse", [{"prompt": one}, {"prompt": one}])
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("2 rows have no prompt, or one too short to compare",)


def test_letters_in_disguise():
    golds = ["Ａ", "(a)", "A" * 500, "\u202eA", ["A"], 0, None, True, "A\u0000"]
    rows = [{"question": "q", "A": "1", "B": "2", "answer": gold} for gold in golds]
    result = run("choice_balance", rows, least=1)
    assert result.value("top_choice") == Ratio(3, 4)  # fullwidth, in brackets, the only item of a list; and a place, 0


# ── composition ───────────────────────────────────────────────────────────────────────────────────────
def test_labels_of_any_type():
    labels = ["gpt\u0000", ".*", "xx", 5, ["gpt"], None, "gpt" * 1000, True, "GPT", " gpt-4 "]
    rows = [{"text": "t", "src": label} for label in labels]
    source = {"columns": {"source": "src"}}
    result = run("synthetic_share", rows, source, synthetic=("gpt*",))
    assert result.value("share") == Ratio(4, 10)
    result = run("mixture_drift", [{"text": "t", "src": s} for s in ["a", "a ", "\u0000a", ["a"], "(none)", None]], source, targets={"a": 1})  # fmt: skip
    assert result.value("drift") == pytest.approx(1 - 2 / 6)
    assert result.value("labelled") == Ratio(4, 6)


def test_a_text_of_one_word_has_no_variety():
    answers = ["a b " * 3000, "\u0000" * 3000, "a" * 100_000, None, ""]
    result = run("low_diversity", [{"prompt": "p", "completion": answer} for answer in answers])
    assert result.value("distinct_2") == pytest.approx(2 / 1000, rel=0.5)
    assert (
        finding(check("low_diversity"), escaped([{"prompt": "p", "completion": "a b " * 3000}])).status is Status.WARN
    )


def test_articles_in_pieces():
    long = [{"role": "assistant", "content": "b" * 800}] * 2
    result = run("knowledge_dump", [{"prompt": "p", "completion": long}, {"prompt": "p", "completion": None}])
    assert result.value("share") == Ratio(1, 1)


def test_ids_are_compared_as_text_and_never_run():
    ids = ["1", 1, 1.0, True, None, {"a": 1}, ["1", ["2"]], "['1'", "1\u0000", "__import__('os')", "1e0", "０１", " 1 "]
    result = run("broken_references", [{"i": i} for i in ids], {"format": "rows"}, {"o": [{"k": "1"}, {"k": None}]},
                 column="i", of="o", key="k")  # fmt: skip
    assert {row for row, _ in result.problems} == {2, 3, 6, 7, 8, 9, 10, 11}


@pytest.mark.parametrize(("text", "found"), [
    ("某\u200b词", True), ("bad\u00adword", True), ("b\u2060ad\ufe0fword", True), ("\u202e某词", True),
    ("x" * 100_000 + "某词", True), ("BADWORD", True), ("badwords", False), ("某 词", False), ("(?:某|词)", False),
])  # fmt: skip
def test_hidden_characters_hide_no_term(text, found):
    result = run("banned_terms", [{"text": text}], terms={"c": ("某词", "badword")})
    assert result.value("hits") == Ratio(int(found), 1)
    assert run("banned_terms", [{"text": "某词"}], terms={"c": ("某\u200b词",)}).value("hits") == Ratio(1, 1)
