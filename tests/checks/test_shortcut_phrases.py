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
    assert {each[0] for each in found} == {problem}
    assert any(phrase in detail and "80 of 80 pairs" in detail for _, detail in found)
    assert result.first[0]["line"] == 1
    assert result.evidence["row"].null_count() == len(found)  # nothing is dropped for it
    assert finding(ShortcutPhrases(), pairs(80, chosen, rejected)).status is Status.WARN


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
