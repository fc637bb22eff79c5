import csv
import json
from collections import defaultdict

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.conflicting_answers import ConflictingAnswers, as_one_likes
from datacheck.testing import finding, measure


def asked(*pairs):
    return [{"question": question, "answer": answer} for question, answer in pairs]


def test_golds_are_compared_where_no_answer_is_written():
    prompts = [{"prompt": f"{n}+1?", "reward_model": {"ground_truth": str(n + 1)}} for n in range(3)]
    assert finding(ConflictingAnswers(), prompts).status is Status.PASS
    assert finding(ConflictingAnswers(of="response"), prompts).status is Status.ERROR


def test_one_question_two_answers():
    result = measure(
        ConflictingAnswers(), asked(("１ + 1?", "2"), ("2+2?", "4"), ("1+1?", "3"), ("1+1?", "2"), ("2+2?", " 4"))
    )
    assert result.value("rate") == Ratio(3, 5)
    assert result.value("overwritten") == Ratio(1, 5)
    assert result.evidence.select("row", "other").rows() == [
        (0, "train/data.jsonl:3"), (2, "train/data.jsonl:1"), (3, "train/data.jsonl:3")
    ]  # fmt: skip
    assert result.not_checked == ()


def test_a_gold_is_one_however_latex_spells_it():
    golds = [r"\frac{1}{3}", r"\frac13", r"\dfrac 1 3", r"\left( 2, x \right)", "(2,x)", r"\frac{11}{3}", r"\frac113"]
    asks = ["log?", "log?", "log?", "polar?", "polar?", "other?", "other?"]
    assert [row for row, _ in measure(ConflictingAnswers(), asked(*zip(asks, golds, strict=True))).problems] == [5, 6]


def test_a_list_that_stands_as_text_is_one_however_it_is_spelt():
    """Two programs write one history with other quotes and blanks; a loader that parses both finds one."""
    rows = 'past,next\n"[\'a\', \'b\']",x\n"[""a"",""b""]",y\n"[\'a\', \'c\']",z\n"[f(\'\')]",x\n"[f("""")]",y\n'
    check = ConflictingAnswers(question=("past",), answer=("next",))
    result = measure(check, rows.encode(), source={"format": "rows"}, name="rows.csv")
    assert [row for row, _ in result.problems] == [0, 1]


def test_options_and_system_prompts_belong_to_the_question():
    records = [
        {"question": "对的是？", "A": "甲", "B": "乙", "answer": "A"},
        {"question": "对的是？", "A": "乙", "B": "甲", "answer": "B"},
    ]
    assert measure(ConflictingAnswers(), records).value("rate") == Ratio(0, 2)


def test_rows_without_an_answer_are_named():
    result = measure(ConflictingAnswers(), [*asked(("a", "b")), {"prompt": "a"}])
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("1 row has no question with an answer to compare",)
    assert measure(ConflictingAnswers(), []).value("rate") is None


def test_office_products_by_columns(realdata):
    """trainers.md, M4: 3.6 % of the rows get another row's gold when golds are looked up by history."""
    path = next((realdata / "minionerec").rglob("valid/Office*.csv"))
    with path.open(encoding="utf-8") as file:
        rows = [(row["history_item_sid"], row["item_sid"]) for row in csv.DictReader(file)]
    golds = defaultdict(list)
    for history, gold in rows:
        golds[history].append(gold)
    in_conflict = [n for n, (history, _) in enumerate(rows) if len(set(golds[history])) > 1]
    check = ConflictingAnswers(question=("history_item_sid",), answer=("item_sid",))
    result = measure(check, path.read_bytes(), source={"format": "rows"}, name="valid.csv")
    assert [row for row, _ in result.problems] == in_conflict
    assert result.value("rate") == Ratio(275, 4866)
    assert result.value("overwritten") == Ratio(176, 4866)


def test_answers_of_another_dataset_count_too():
    """MiniOneRec's rl.py puts the golds of the evaluation set into the map of the training set (M5)."""
    check = ConflictingAnswers(against=("eval",))
    here = asked(("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"))
    result = measure(check, here, others={"eval": asked(("x", "1"), ("A", "9"), ("b", "2"), ("c", "3"), ("c", "5"))})
    assert result.value("across") == Ratio(2, 4)  # a and c
    assert result.value("shared") == Ratio(2, 4)  # b and c
    assert result.value("rate") == Ratio(0, 4)
    assert result.evidence.select("row", "problem", "other").rows() == [
        (0, "conflicting_answer_across", "eval/data.jsonl:2"), (2, "conflicting_answer_across", "eval/data.jsonl:5"),
    ]  # fmt: skip


def test_the_gold_counts_and_not_the_way_to_it():
    """Two solutions of one problem are no conflict; "1,080" and "1080.0" are one number, "(B)" and "b" one option."""
    way = ("算出 6×180。\n#### {}", "先算 60×18。\n#### {}")
    one = asked(*(("6×180?", w.format(gold)) for w, gold in zip(way, ("1,080", "1080.0"), strict=True)))
    one += asked(("哪个？", "(B)"), ("哪个？", "b"), ("首都？", ["巴黎", "Paris"]), ("首都？", ["paris", "巴黎"]))
    one += asked(("一半？", r"\boxed{\frac{1}{2}}"), ("一半？", "0.5"), ("一半？", "１/２"))
    one += asked(("对吗？", "Yes"), ("对吗？", "yes."), ("谁？", "孟浩然。"), ("谁？", "孟浩然"))
    assert measure(ConflictingAnswers(), one).value("rate") == Ratio(0, 13)
    two = asked(*(("6×180?", w.format(gold)) for w, gold in zip(way, ("1,080", "1,008"), strict=True)))
    two += asked(("多远？", "5 km"), ("多远？", "5 m"), ("首都？", ["巴黎"]), ("首都？", ["伦敦"]))
    assert measure(ConflictingAnswers(), two).value("rate") == Ratio(6, 6)


def chats(*pairs):
    return [{"messages": [{"role": "user", "content": q}, {"role": "assistant", "content": a}]} for q, a in pairs]


REST = tuple((f"What is thing {n}?", f"Thing number {n} is made of wood.") for n in range(20))
WATER = "Water the tomatoes every morning in summer, and twice a week in winter."


def test_responses_that_share_little_conflict():
    """Of three answers to one prompt two say the same in nearly the same words."""
    asked = "How often do I water tomatoes?"
    other = "Never. Rain is all that a plant of this kind needs."
    records = chats((asked, WATER), *REST, (asked, WATER.replace("twice", "two times")), (asked, other))
    result = measure(ConflictingAnswers(of="response"), records)
    assert result.value("unlike") == Ratio(1, 23) or result.value("unlike") == Ratio(2, 23)
    assert 22 in {row for row, _ in result.problems}
    assert 21 not in {row for row, _ in result.problems}
    said = [
        row | {"label": row_label} for row, row_label in zip(records, [True, *[None] * 20, True, False], strict=True)
    ]
    assert measure(ConflictingAnswers(of="response"), said).value("unlike") == Ratio(0, 23)  # good and bad, as in KTO
    assert measure(ConflictingAnswers(), records).value("unlike") == Ratio(0, 23)


def test_prompts_that_may_be_answered_in_many_ways_are_left_out():
    records = chats(("Tell me a joke.", "A cow walks in."), *REST, ("Tell me a joke.", "Knock, knock, says the hen."))
    assert measure(ConflictingAnswers(of="response"), records).value("unlike") == Ratio(0, 22)


def test_a_set_of_several_samples_a_prompt_is_taken_as_made_so():
    records = chats(*[(asked, f"{told} {n} {told[::-1]}" if n else told) for asked, told in REST for n in range(4)])
    result = measure(ConflictingAnswers(of="response"), records)
    assert result.value("unlike") == Ratio(0, 80)
    assert result.not_checked == ("many prompts have several responses, which is taken as how the set was made",)


@pytest.mark.parametrize(
    ("prompt", "free"), [("讲个story吧", True), ("Tell me a joke.", True), ("What is 2+2?", False)]
)
def test_prompts_that_one_answers_as_one_likes(prompt, free):
    assert as_one_likes(prompt) == free


def test_one_response_under_both_labels():
    rows = [("Name a tree.", "An oak.", True), ("Name a tree.", "An oak.", False), ("Name a tree.", "A birch.", False)]
    rows += [("Name a shrub.", "An oak.", False), ("Name a plant.", "An oak.", True)]
    lines = "\n".join(json.dumps({"prompt": p, "completion": c, "label": label}) for p, c, label in rows)
    result = measure(ConflictingAnswers(of="response"), lines.encode())
    assert result.value("labels") == Ratio(2, 5)
    assert [row for row, problem in result.problems if problem == "both_labels"] == [0, 1]


ANSWERS = [f"第 {n} 个问题的回答：请先打开设置，再按第 {n} 项说明逐步操作，最后保存。" for n in range(60)]


def asks(n):
    return "".join(chr(0x4E00 + 131 * n + 17 * m) for m in range(9)) + "？"


def exchanges(*answers):
    return [
        {"messages": [{"role": "user", "content": asks(n)}, {"role": "assistant", "content": answer}]}
        for n, answer in enumerate(answers)
    ]


def same_response(rows):
    return measure(ConflictingAnswers(of="response"), rows).value("same_response")


def test_responses_that_stand_under_several_prompts_are_counted():
    slipped = [ANSWERS[n // 8 * 8] for n in range(40)]  # every eighth answer was put to eight prompts
    assert same_response(exchanges(*slipped, *ANSWERS[40:])) == Ratio(40, 60)
    found = measure(ConflictingAnswers(of="response"), exchanges(*slipped, *ANSWERS[40:])).evidence
    assert set(found["problem"]) == {"same_response"}
    assert found["row"].null_count() == found.height == 40  # which is right, no rule can tell: nothing to drop
    assert found["other"].to_list()[:3] == ["train/data.jsonl:2", "train/data.jsonl:1", "train/data.jsonl:1"]
    assert same_response(exchanges(*ANSWERS)) == Ratio(0, 60)


def test_one_response_for_all_counts_at_any_length():
    assert same_response(exchanges(*["好的。"] * 60)) == Ratio(60, 60)
    assert same_response(exchanges(*["好的。"] * 30, *ANSWERS[:30])) == Ratio(0, 60)


def test_labels_are_no_shared_responses():
    labels = ["The sentiment of this review is positive.", "The sentiment of this review is negative."] * 30
    assert same_response(exchanges(*labels)) == Ratio(0, 60)


def test_the_thanks_at_the_end_of_dialogues_are_no_shared_responses():
    dialogues = exchanges(*ANSWERS)
    for n, row in enumerate(dialogues):
        row["messages"] += [
            {"role": "user", "content": f"第 {n} 次谢谢你"},
            {"role": "assistant", "content": "不客气，很高兴能帮到您，祝您生活愉快，再见！期待下次为您服务。"},
        ]
    assert same_response(dialogues) == Ratio(0, 60)


def test_one_response_to_prompts_in_other_words_is_none():
    rows = exchanges(*[ANSWERS[n // 2] for n in range(60)])
    for n, row in enumerate(rows):
        row["messages"][0]["content"] = f"{asks(n // 2)}请{'详细' if n % 2 else '简单'}说明"
    assert same_response(rows) == Ratio(0, 60)


def test_equal_rows_are_copies_and_no_shared_responses():
    assert same_response(exchanges(*ANSWERS[:30]) * 2) == Ratio(0, 60)
