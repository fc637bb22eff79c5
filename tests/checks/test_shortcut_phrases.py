import json
from random import Random

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.shortcut_phrases import ShortcutPhrases
from datacheck.testing import finding, measure

WORDS = (
    "water soil leaf root light frost seed rain wind clay mulch graft bud stem bark shade slope moss fern reed".split()
)


def text(rng, words=12):
    return " ".join(rng.choice(WORDS) for _ in range(words))


def pairs(count, chosen="{}", rejected="{}"):
    rng = Random(7)
    return [
        {"prompt": f"plant {n}", "chosen": chosen.format(text(rng), n=n), "rejected": rejected.format(text(rng), n=n)}
        for n in range(count)
    ]


def said(result):
    return sorted((place["problem"], place["detail"]) for place in result.first)


@pytest.mark.parametrize(
    ("chosen", "rejected", "problem", "phrase"),
    [
        ("{}", "{} (Ref: REJECTED-{n})", "in_rejected", "(ref: rejected-0)"),
        ("{} This is the better answer.", "{}", "in_chosen", "this is the better answer."),
        ("{}", "{}。这是一个错误的示例", "in_rejected", "是一个错误的示例"),
        ("{}", "```json\n{}\n```", "in_rejected", "```json"),
    ],
)
def test_a_marker_of_one_side_is_named(chosen, rejected, problem, phrase):
    result = measure(ShortcutPhrases(), pairs(80, chosen, rejected))
    assert result.value("told_apart") == Ratio(80, 80)
    found = said(result)
    assert {each[0] for each in found} - {"says_side"} == {problem}
    assert any(phrase in detail and "80 of 80 pairs" in detail for _, detail in found)
    assert result.first[0]["line"] == 1
    named = result.evidence.filter(result.evidence["problem"] == problem)
    assert named["row"].null_count() == named.height  # nothing is dropped for it


def test_one_phrase_warns():
    assert finding(ShortcutPhrases(), pairs(80, rejected="```json\n{}\n```")).status is Status.WARN


@pytest.mark.parametrize(
    "note",
    [
        "This answer is intentionally wrong.",
        "(Ref: REJECTED-12)",
        "This represents the high-quality, fully detailed answer.",
        "Rejected response: water it.",
        "请注意，这个评估是故意错误的示例。",
        "上述 JSON 中故意将其设为低：刻意编造了错误的结论。",
        "【被拒回答】",
    ],
)
def test_an_answer_that_says_which_side_it_is(note):
    rows = [{"prompt": "p", "chosen": "Water it.", "rejected": f"Wait.\n{note}"}, *pairs(30)]
    result = measure(ShortcutPhrases(), rows)
    assert (result.value("says_side"), result.first[0]["problem"]) == (Ratio(1, 31), "says_side")
    assert result.evidence["row"].to_list() == [0]
    assert finding(ShortcutPhrases(), rows).status is Status.FAIL


def test_a_label_before_an_answer_says_its_side():
    rows = [{"prompt": "p", "chosen": "[Chosen] Water it.", "rejected": "<rejected> Wait."}, *pairs(30)]
    assert measure(ShortcutPhrases(), rows).value("says_side") == Ratio(1, 31)


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("Give an intentionally wrong reply.", "This answer is intentionally wrong: 2 + 2 = 5."),
        ("什么是误导信息？", "误导信息是故意传播的虚假或不准确信息。"),
        ("Why?", "A good answer has three parts; a bad response leaves one out."),
        ("怎么办？", "这是一个更好的选择，回答见下。"),
        ("[a] or [b]?", "[b] is the better example of the two."),
        ("Is 5 the right answer to 2 + 2?", "No, this is an incorrect answer."),
        ("判断：地球是平的。答案：对。", "这是错误的答案。"),
        ("Skills?", "Python (preferred), a (good) degree; status (rejected)."),
    ],
)
def test_an_answer_that_speaks_of_such_things(prompt, answer):
    rows = [{"prompt": prompt, "chosen": "Water it.", "rejected": answer}]
    assert measure(ShortcutPhrases(), rows).value("says_side") == Ratio(0, 1)


def test_pairs_that_differ_in_what_they_say_have_none():
    result = measure(ShortcutPhrases(), pairs(300))
    assert (result.value("told_apart"), said(result)) == (Ratio(0, 300), [])


def test_what_both_sides_say_tells_nothing():
    result = measure(ShortcutPhrases(), pairs(80, "{} (Ref: {n})", "{} (Ref: {n})"))
    assert (result.value("told_apart"), said(result)) == (Ratio(0, 80), [])


def test_a_longer_answer_is_no_phrase():
    rng = Random(3)
    rows = [{"prompt": "p", "chosen": text(rng, 200), "rejected": text(rng, 4)} for _ in range(200)]
    assert measure(ShortcutPhrases(), rows).value("told_apart").n == 0


def test_of_many_pairs_a_thousand_are_read_wherever_they_stand():
    rows = pairs(2_500) + pairs(2_500, rejected="{} [BAD]")
    told = measure(ShortcutPhrases(), rows).value("told_apart")
    assert (told.of, told.n) == (1_000, 500)


def test_few_pairs_and_none_are_not_judged():
    few = measure(ShortcutPhrases(), pairs(20, rejected="{} [BAD]"))
    assert (few.value("told_apart"), few.not_checked) == (
        Ratio(0, 20),
        ("20 pairs have two answers; fewer than 50 are not judged",),
    )
    none = measure(ShortcutPhrases(), [{"prompt": "a"}])
    assert none.not_checked == ("no row has both a chosen and a rejected answer",)
    assert measure(ShortcutPhrases(), []).value("told_apart") is None


def test_a_name_or_a_number_in_a_phrase_is_masked():
    result = measure(ShortcutPhrases(), pairs(80, rejected="{} ask li.lei@foxmail.com"))
    assert all("li.lei@foxmail.com" not in detail for _, detail in said(result))
    assert said(result)


@pytest.mark.parametrize("name", ["dpo_en_demo.json", "dpo_zh_demo.json"])
def test_public_pairs_have_no_phrase(realdata, name):
    rows = json.loads((realdata / "llama_factory" / "data" / name).read_text(encoding="utf-8"))
    told = measure(ShortcutPhrases(), rows).value("told_apart")
    assert told.n < 0.4 * told.of
