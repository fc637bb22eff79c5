"""Rows whose task stands in the system prompt, behind one question for all of them."""

import random

import pytest

from datacheck.check import Ratio
from datacheck.checks.exact_duplicates import ExactDuplicates
from datacheck.checks.leakage import Leakage
from datacheck.checks.near_duplicates import NearDuplicates
from datacheck.testing import measure

ASKED = "What action should the agent take next?"
FRAME = "You are an email assistant. Read the next message and say what to do. The next email being processed: "
LETTERS = [chr(0x4E00 + n) for n in range(900)]


def mail(seed: int) -> str:
    return FRAME + "".join(random.Random(seed).choices(LETTERS, k=80))


def row(system: str, asked: str = ASKED, answer: str | None = None) -> dict:
    said = [{"role": "system", "content": system}, {"role": "user", "content": asked}]
    return {"prompt": said} if answer is None else {"messages": [*said, {"role": "assistant", "content": answer}]}


def test_one_question_behind_other_tasks_is_no_copy():
    result = measure(NearDuplicates(), [row(mail(n)) for n in range(30)])
    assert result.value("rate") == result.value("exact_share") == Ratio(0, 30)


def test_a_copied_task_is_a_copy_and_is_shown():
    rows = [row(mail(n)) for n in range(30)]
    rows += [row(mail(4)), row(mail(5)[:-3] + "天地玄")]
    result = measure(NearDuplicates(), rows)
    assert result.problems == [(30, "exact_copy"), (31, "near_copy")]
    assert [each["other"] for each in result.first] == ["train/data.jsonl:5", "train/data.jsonl:6"]
    assert "天地玄" in result.first[1]["detail"]


def test_a_task_without_any_question_is_compared():
    rows = [
        {"messages": [{"role": "system", "content": mail(n)}, {"role": "assistant", "content": "keep"}]}
        for n in range(30)
    ]
    assert measure(NearDuplicates(), [*rows, rows[3]]).problems == [(30, "exact_copy")]


@pytest.mark.parametrize("systems", [1, 9])
def test_few_system_prompts_are_no_task(systems):
    rows = [row(mail(n % systems)) for n in range(30)]
    assert measure(NearDuplicates(), rows).value("exact_share") == Ratio(29, 30)


def test_a_pool_of_system_prompts_does_not_hide_copies():
    """Twenty system prompts that stand before any question, as sets of instructions have them, tell no rows apart."""
    rows = [row(mail(n % 20), "".join(random.Random(n).choices(LETTERS, k=40)), mail(n)) for n in range(100, 500)]
    copies = [row(mail(n), "春眠不觉晓，处处闻啼鸟，下一句是什么？", "夜来风雨声，花落知多少。") for n in range(20)]
    result = measure(NearDuplicates(), [*rows, *copies])
    assert result.problems == [(at, "exact_copy") for at in range(401, 420)]


@pytest.mark.parametrize("chunk", [7, 1000])
def test_copies_of_tasks_are_found_in_an_earlier_drop(chunk):
    """Few rows there ask the question: that its task stands before it is known from this side."""
    rows = [row(mail(n)) for n in range(40)]
    earlier = [row(mail(n)) for n in (3, 100, 101)]
    result = measure(
        NearDuplicates(against=("old",)), rows, others={"old": earlier}, source={"limits": {"chunk_records": chunk}}
    )
    assert result.value("repeated") == Ratio(1, 40)
    assert [(each["row"], each["other"]) for each in result.first] == [(3, "old/data.jsonl:1")]


def test_one_question_behind_other_tasks_is_no_constant_part():
    rows = [row(mail(n), answer=f"move {n}") for n in range(120)]
    assert measure(ExactDuplicates(), rows).value("constant_parts") == 0
    shared = [row(mail(0), answer=f"move {n}") for n in range(120)]
    assert measure(ExactDuplicates(), shared).value("constant_parts") == 1


def test_a_task_in_a_system_prompt_leaks():
    """The question of all rows is none that could leak; what stands before it is."""
    held = [row(mail(n)) for n in range(30)]
    result = measure(Leakage(against=("held",)), [row(mail(n)) for n in range(100, 130)], others={"held": held})
    assert result.value("rate") == Ratio(0, 30)
    leaked = [row(mail(n)) for n in (100, 101, 7)] + [row("Be brief.", mail(8))]
    result = measure(Leakage(against=("held",)), leaked, others={"held": held})
    assert result.value("rate") == Ratio(2, 30)
    assert sorted(each["row"] for each in result.first) == [2, 3]
