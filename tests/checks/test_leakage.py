"""leakage: planted questions in every dress, hard negatives, and brute-force containment."""

import re

import pytest

from datacheck.check import Ratio
from datacheck.checks.leakage import Leakage
from datacheck.testing import dataset, finding, measure

ZH = {
    "question": "一辆货车从甲城开往乙城，每小时行六十千米，走了三小时后离乙城还有四十五千米，两城相距多少千米？",
    "answer": "225",
}
EN = {
    "question": "A bakery sells muffins in boxes of six. How many boxes are needed for ninety-eight muffins?",
    "answer": "17",
}
MCQ = {
    "question": "下列哪一种气体在空气中的体积分数最大？",
    "A": "氮气",
    "B": "氧气",
    "C": "二氧化碳",
    "D": "稀有气体",
    "answer": "A",
}
EVAL = [ZH, EN, MCQ]
CLEAN = [
    "今天食堂的红烧肉卖完了，只剩下炒青菜和番茄鸡蛋汤。",
    "The meeting moved to Thursday because the projector is being repaired.",
]


def leaks(*users: str, check: Leakage | None = None, others: dict | None = None):
    rows = dataset(*(f"user: {user} | assistant: 好的" for user in users))
    return measure(check or Leakage(against=("eval",)), rows, others=others or {"eval": EVAL})


def paths(result):
    """(row, path, problem) of all evidence, without the stretch in the text."""
    return [(row, re.sub(r"\[\d+:\d+\]$", "", where), problem) for row, where, problem in result.places]


def test_clean_data_has_none():
    result = leaks(*CLEAN)
    assert result.value("rate") == Ratio(0, 3)
    assert result.value("red_line_hits") == 0
    assert result.evidence.is_empty()


@pytest.mark.parametrize(
    ("user", "line"),
    [
        (ZH["question"], 1),
        (f"{CLEAN[0]}请问：{ZH['question']}{CLEAN[0]}", 1),
        (ZH["question"].replace("，", " , ").replace("，", ""), 1),
        (ZH["question"].replace("货车从", "貨車從").replace("开往", "開往").replace("还", "還").replace("时", "時"), 1),
        (ZH["question"].replace("六十", "五十"), 1),
        (EN["question"].upper(), 2),
        ("".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in EN["question"]), 2),
        (MCQ["question"], 3),
        (f"{MCQ['question']}\nA. 氮气\nB. 氧气\nC. 二氧化碳\nD. 稀有气体", 3),
    ],
    ids=["verbatim", "embedded", "punctuation", "traditional", "edited", "case", "fullwidth", "no options", "options"],
)
def test_found_in_every_dress(user, line):
    result = leaks(*CLEAN, user)
    assert result.value("rate") == Ratio(1, 3)
    assert paths(result) == [(2, "messages[0].content", "leaked")]
    assert result.first[0]["other"] == f"eval/data.jsonl:{line}"


def test_a_leak_in_an_answer_counts():
    rows = dataset(f"user: 出一道题 | assistant: {ZH['question']}")
    result = measure(Leakage(against=("eval",)), rows, others={"eval": EVAL})
    assert paths(result) == [(0, "messages[1].content", "leaked")]


def test_containment_equals_brute_force():
    user = ZH["question"].replace("六十", "五十").replace("四十五", "三十六")
    drop = "，？"
    item, text = ("".join(c for c in t if c not in drop) for t in (ZH["question"], user))
    grams = {item[i : i + 5] for i in range(len(item) - 4)}
    truth = sum(g in text for g in grams) / len(grams)
    assert leaks(user).first[0]["score"] == pytest.approx(truth)


def test_between_review_and_block_is_no_violation():
    half = ZH["question"][: len(ZH["question"]) // 2 + 3]
    result = leaks(half)
    assert result.value("rate") == Ratio(0, 3)
    assert result.value("review") == 1
    assert result.problems == [(None, "review")]


def test_a_red_line_is_never_crossed():
    check = Leakage(against=("eval",), red_line=("red",))
    result = leaks(ZH["question"], check=check, others={"eval": [EN], "red": [ZH]})
    assert result.value("rate") == Ratio(0, 1)
    assert result.value("red_line_hits") == 1


def test_each_set_has_its_own_rate():
    result = leaks(ZH["question"], check=Leakage(against=("eval", "more")), others={"eval": [ZH, EN], "more": [EN]})
    assert result.value("rate") == Ratio(1, 3)
    assert result.value("rate", against="eval") == Ratio(1, 2)
    assert result.value("rate", against="more") == Ratio(0, 1)


def test_short_questions_are_named_not_matched():
    result = leaks(
        "你好", check=Leakage(against=("eval",)), others={"eval": [{"question": "你好", "answer": "你好"}, ZH]}
    )
    assert result.value("rate") == Ratio(0, 2)
    assert "1 of 2 rows of eval have no question of 12 characters (24 letters) or more" in result.not_checked


def test_a_long_text_that_holds_everything_somewhere_is_no_leak():
    item = "".join(c for c in ZH["question"] if c not in "，？")
    pieces = [item[i : i + 7] for i in range(0, len(item), 3)]
    scattered = "".join(piece + CLEAN[0] * 3 for piece in pieces)
    assert leaks(scattered).value("rate") == Ratio(0, 3)
    assert leaks(scattered + ZH["question"]).value("rate") == Ratio(1, 3)  # the test can fail


def test_an_empty_evaluation_set_is_an_error():
    rows = dataset("user: 你好 | assistant: 你好")
    assert finding(Leakage(against=("eval",)), rows, others={"eval": b""}).status == "error"


def test_planted_items_are_found():
    recall = leaks(*CLEAN).value("planted_recall")
    assert recall.n == recall.of > 10


def test_a_frame_that_all_prompts_share_is_no_leak():
    frame = "请仔细阅读题目，先在心里推理，再把最终答案写在<answer>标签之间，不要写任何多余的话，也不要解释理由。题目："
    questions = [
        f"{frame}{chr(0x4E00 + 97 * n)}城到{chr(0x5100 + 89 * n)}镇的路上有{n + 3}座桥和{2 * n + 5}口井"
        for n in range(60)
    ]
    train, test = questions[:30], [{"question": text, "answer": "1"} for text in questions[30:]]
    assert leaks(*train, others={"eval": test}).value("rate") == Ratio(0, 30)
    assert leaks(*train, questions[40], others={"eval": test}).value("rate") == Ratio(1, 30)  # the test can fail
