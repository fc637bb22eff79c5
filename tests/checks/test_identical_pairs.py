import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.identical_pairs import IdenticalPairs
from datacheck.testing import dataset, finding, measure

LONG = "".join(chr(0x4E00 + n) for n in range(100))  # 100 different characters: 98 different 3-grams


def pair(chosen, rejected):
    return {"prompt": "问", "chosen": chosen, "rejected": rejected}


@pytest.mark.parametrize(
    ("chosen", "rejected", "same"),
    [
        ("好的", "好的", True),
        ("ＧＰＴ", "gpt", True),
        ("優點", "优点", True),
        ("好 的\n", "好的", True),
        ("好的。", "好的", False),
        ("C++", "C", False),
        ("是", "否", False),
        ("", "", True),
        ("```py\ngetUser(1)\n```", "```py\ngetuser(1)\n```", False),
        ("Call `getUser`.", "Call `getuser`.", False),
        ("int A = 1;\nreturn A;", "int a = 1;\nreturn a;", False),
        ("```py\ngetUser(1)\n```", "```py\ngetUser( 1 )\n```\n", True),
    ],
)
def test_identical(chosen, rejected, same):
    result = measure(IdenticalPairs(), [pair(chosen, rejected), pair("甲", "乙")])
    assert result.value("rate") == Ratio(int(same), 2)
    assert [place for place in result.problems if place[1] == "identical"] == [(0, "identical")] * same


def test_near_by_hand():
    """One more character at the end: 98 common 3-grams of 99, Jaccard 98/99; one in the middle changed: 95 of 101."""
    longer = pair(LONG, LONG + "。")
    changed = pair(LONG, LONG[:50] + "龥" + LONG[51:])
    records = [longer, changed, pair("甲", "乙")]
    result = measure(IdenticalPairs(), records)
    assert result.value("rate") == Ratio(0, 3)
    assert result.value("near_rate") == Ratio(1, 3)
    assert result.evidence["score"].to_list() == [98 / 99]
    assert measure(IdenticalPairs(near=95 / 101), records).value("near_rate") == Ratio(2, 3)
    assert finding(IdenticalPairs(), records).status is Status.WARN


@pytest.mark.parametrize(("chosen", "rejected", "near"), [
    ("好的。", "好的", True), ("好的！", "好的。", True), ("Yes", "yes.", True), ("“好”", "好", True), ("长文" * 500 + "。", "长文" * 500, True),
    ("x = -1", "x = 1", False), ("3.5", "35", False), ("C++", "C", False), ("是。", "不是。", False), ("12。", "13。", False),
    ("天好，地好。人也好。", "天好,地好.人也好.", True), ("他说“好”，走了", '他说"好"，走了', True), ("甲、乙", "甲乙", False),
    ("A > B", "A < B", False), ("5%", "5", False), ("(1,2]", "(1,2)", False), ("。", "", True),
])  # fmt: skip
def test_answers_that_differ_in_their_last_sign(chosen, rejected, near):
    result = measure(IdenticalPairs(), [pair(chosen, rejected)])
    assert result.value("near_rate") == Ratio(int(near), 1)
    assert result.value("rate") == Ratio(0, 1)


def test_near_pairs_are_for_review_and_not_to_drop():
    result = measure(IdenticalPairs(), [pair(LONG, LONG + "。"), pair("甲", "甲")])
    assert result.evidence.select("line", "row", "problem").rows() == [(1, None, "near_identical"), (2, 1, "identical")]


def test_all_turns_of_a_side_count():
    asked = [{"role": "user", "content": "问"}]
    said = [{"role": "assistant", "content": "甲", "tool_calls": [{"name": "f"}]}]
    other = [{"role": "assistant", "content": "甲", "tool_calls": [{"name": "g"}]}]
    assert measure(IdenticalPairs(), [{"prompt": asked, "chosen": said, "rejected": other}]).value("rate") == Ratio(
        0, 1
    )
    assert measure(IdenticalPairs(), [{"prompt": asked, "chosen": said, "rejected": said}]).value("rate") == Ratio(1, 1)


def test_identical_pairs_fail():
    assert finding(IdenticalPairs(), dataset("user: a | chosen: b | rejected: b")).status is Status.FAIL


def test_only_pairs_count():
    records = [*dataset("user: a | assistant: b"), pair("甲", "甲")]
    assert measure(IdenticalPairs(), records).value("rate") == Ratio(1, 1)
    result = measure(IdenticalPairs(), dataset("user: a | assistant: b"))
    assert result.value("rate") is None
    assert result.not_checked == ("no row has both a chosen and a rejected answer",)


def test_by_source():
    records = [{**pair("甲", "甲"), "s": "web"}, {**pair("甲", "乙"), "s": "web"}]
    result = measure(IdenticalPairs(by="source"), records, source={"columns": {"source": "s"}})
    assert result.value("rate", source="web") == Ratio(1, 2)
    assert result.value("near_rate", source="web") == Ratio(0, 2)


def test_none_of_the_real_pairs(realdata):
    path = realdata / "llama_factory/data/dpo_zh_demo.json"  # published count: 0 identical of 300
    assert measure(IdenticalPairs(), path.read_bytes(), name="dpo.json").value("rate") == Ratio(0, 300)


def test_answers_that_differ_only_where_the_trainer_has_cut():
    records = dataset(
        "user: 问 | chosen: 一二三四五 | rejected: 一二三四六",
        "user: 问 | chosen: 一二三四五 | rejected: 一二三四五",
        "user: 问 | chosen: 一二 | rejected: 一三",
    )
    result = measure(IdenticalPairs(cut=4, near=1), records)
    assert result.value("cut_rate") == Ratio(1, 3)
    assert result.problems == [(0, "identical_when_cut"), (1, "identical")]
    assert measure(IdenticalPairs(cut=5, near=1), records).value("cut_rate") == Ratio(0, 3)
    assert measure(IdenticalPairs(near=1), records).value("cut_rate") == Ratio(0, 3)


def test_an_answer_that_is_the_other_one_cut_off():
    long = "先浇透水，再放到有散射光的地方，等土壤表面干了以后再浇第二次，冬天每两周浇一次就够了。"
    other = "多浇水，直接放到太阳下晒，不用管土壤干不干，每天都浇，冬天也一样。"
    rows = [{"prompt": f"怎样养第{n}盆花？", "chosen": long, "rejected": f"{other}{n}"} for n in range(300)]
    rows[7]["rejected"], rows[8]["chosen"] = long[:24], other[:21]
    rows[9] |= {"chosen": "好的，我知道了", "rejected": "好的，我"}
    report = finding(IdenticalPairs(), rows)
    assert {value.name: value.status for value in report.values}["begun"] == "warn"
    found = measure(IdenticalPairs(), rows)
    assert found.value("begun") == Ratio(2, 300)
    assert [problem for *_, problem in found.places] == ["cut_off", "cut_off"]


def test_one_text_that_loses_under_five_prompts():
    """Rejected answers of one text: a few are a stock reply, in many pairs it is all that is learnt."""
    stock = [{"prompt": f"问题{n}", "chosen": f"第{n}个答案", "rejected": "我不知道。"} for n in range(5)]
    others = [{"prompt": f"问{n}", "chosen": f"答{n}", "rejected": f"别的{n}"} for n in range(45)]
    result = measure(IdenticalPairs(), stock + others)
    assert result.value("canned") == Ratio(5, 50)
    assert [place["line"] for place in result.evidence.to_dicts() if place["problem"] == "canned"] == [1, 2, 3, 4, 5]
    assert finding(IdenticalPairs(), stock + others).status is Status.WARN
    assert measure(IdenticalPairs(), stock[:4] + others).value("canned") == Ratio(0, 49)


def test_one_rejected_answer_beside_several_chosen_ones_is_no_stock_reply():
    ranked = [{"prompt": "问", "chosen": f"第{n}个答案", "rejected": "我不知道。"} for n in range(8)]
    assert measure(IdenticalPairs(), ranked).value("canned") == Ratio(0, 8)


def test_a_label_that_wins_as_well_is_no_stock_reply():
    labels = [("SAFE", "UNSAFE"), ("UNSAFE", "SAFE")]
    rows = [{"prompt": f"问题{n}", "chosen": labels[n % 2][0], "rejected": labels[n % 2][1]} for n in range(20)]
    assert measure(IdenticalPairs(), rows).value("canned") == Ratio(0, 20)
    seldom = [{"prompt": f"问{n}", "chosen": labels[n == 0][0], "rejected": labels[n == 0][1]} for n in range(20)]
    assert measure(IdenticalPairs(), seldom).value("canned") == Ratio(19, 20)  # UNSAFE wins once in 19 losses
