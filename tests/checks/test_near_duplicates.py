"""near_duplicates against brute force over Python sets, and verdicts by hand."""

import random

import pytest

from datacheck.check import Ratio
from datacheck.checks.near_duplicates import NearDuplicates
from datacheck.features.sketch import GramSettings
from datacheck.testing import dataset, finding, measure

STORY = "清晨的码头上，渔民把昨夜的收获一筐筐抬上岸，海鸥在头顶盘旋，空气里满是盐和柴油的味道。"
OTHER = "图书馆三楼的灯坏了两盏，管理员在门口贴了告示，请读者先到一楼的自习区，周五下午修好。"


def chat(*answers: str) -> list[dict]:
    return dataset(*(f"user: 说一段话 | assistant: {answer}" for answer in answers))


def test_an_edited_copy_is_found_and_names_its_source():
    result = measure(NearDuplicates(), chat(STORY, OTHER, STORY.replace("昨夜", "昨晚")))
    assert result.value("rate") == Ratio(1, 3)
    assert result.value("exact_share") == Ratio(0, 3)
    assert result.problems == [(2, "near_copy")]
    assert result.first[0]["other"] == "train/data.jsonl:1"
    # 40 letters, "说一段话" before them: 42 trigrams each, two letters changed touch 4 of them
    assert result.first[0]["score"] == pytest.approx(
        brute(["说一段话" + plain(STORY), "说一段话" + plain(STORY.replace("昨夜", "昨晚"))], 3)
    )


def plain(text: str) -> str:
    return "".join(c for c in text if c not in "，。")


def brute(texts: list[str], n: int) -> float:
    a, b = ({t[i : i + n] for i in range(len(t) - n + 1)} for t in texts)
    return len(a & b) / len(a | b)


@pytest.mark.parametrize(
    "copy",
    [
        STORY,
        STORY.replace("，", ","),
        " ".join(STORY),
        STORY.replace("渔", "漁").replace("抬上岸", "抬上岸").replace("满", "滿"),
    ],
    ids=["verbatim", "punctuation", "spaces", "traditional"],
)
def test_what_does_not_count(copy):
    result = measure(NearDuplicates(), chat(STORY, copy))
    assert result.value("rate") == result.value("exact_share") == Ratio(1, 2)
    assert result.problems == [(1, "exact_copy")]


def test_fullwidth_and_case_do_not_count():
    text = "Release 12 of the mobile client brings offline maps and a new search bar"
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in text.upper())
    assert measure(NearDuplicates(), chat(text, wide)).value("rate") == Ratio(1, 2)


def test_a_shared_system_prompt_makes_no_pair():
    system = "你是一位耐心的助手，回答要简洁、准确、有礼貌，不确定时要说明，不要编造来源。" * 10
    rows = dataset(*(f"system: {system} | user: {q} | assistant: {a}" for q, a in (("天气", STORY), ("通知", OTHER))))
    assert measure(NearDuplicates(), rows).value("rate") == Ratio(0, 2)


def test_a_template_in_the_prompt_makes_no_pair():
    rng = random.Random(5)
    template = (
        "请阅读下面的材料，按照要求写出摘要，摘要不超过一百字，语言要通顺，不要遗漏要点，也不要加入自己的看法。材料："
    )
    words = [chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(40 * 6)]
    rows = chat(*(template + "".join(words[i * 6 : i * 6 + 6]) for i in range(40)))
    assert measure(NearDuplicates(), rows).value("rate") == Ratio(0, 40)
    assert measure(NearDuplicates(boilerplate=None), rows).value("rate").n > 20  # the test can fail


def test_english_labels_in_a_chinese_template_make_no_pair():
    """They stand in every row, too, and short texts to be labelled would else be alike by them."""
    rng = random.Random(5)
    task = (
        "请分析以下文本，给出评论对象、论点与类别。文本：{}\n类别包含：'Racism': 种族歧视 'Region': 地域 'LGBTQ': 'LGBTQ' "
        "'Gender': 性别 'others': 其他 'non_hate': 不包含仇恨言论。是否仇恨包含：'hate': 包含仇恨言论 "
        "'non_hate': 不包含仇恨言论，空缺处输入NULL"
    )
    texts = ["".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(5)) for _ in range(200)]
    rows = [{"instruction": task.format(t), "output": f"{t[:2]} | {t[2:]} | non-hate"} for t in texts]
    assert measure(NearDuplicates(), rows).value("rate") == Ratio(0, 200)


def test_copies_that_are_nothing_but_boilerplate_are_found():
    result = measure(NearDuplicates(), chat(*[STORY] * 30, OTHER))
    assert result.value("rate") == Ratio(29, 31)


def test_roles_are_compared_apart():
    rows = dataset(f"user: {STORY} | assistant: 好", f"user: {STORY} | assistant: {OTHER}")
    assert measure(NearDuplicates(on="prompt"), rows).value("rate") == Ratio(1, 2)
    assert measure(NearDuplicates(on="response"), rows).value("rate") == Ratio(0, 2)


def test_rates_by_source():
    rows = [{**row, "src": source} for row, source in zip(chat(STORY, STORY, OTHER), "aab", strict=True)]
    result = measure(NearDuplicates(by="source"), rows, source={"columns": {"source": "src"}})
    assert result.value("rate", source="a") == Ratio(1, 2)
    assert result.value("rate", source="b") == Ratio(0, 1)


def test_rows_without_text_are_named():
    result = measure(
        NearDuplicates(on="response"),
        dataset("user: 你好，今天天气怎么样呢，我想出门走走看看风景", f"user: x | assistant: {STORY}"),
    )
    assert any(note.startswith("1 row has no response text") for note in result.not_checked)


def test_rows_too_short_for_plants_are_judged_after_a_trial_on_other_sentences():
    """Real files hold nothing but `3+5=` and `8`; they are no reason to say that nothing could be decided."""
    result = finding(NearDuplicates(), chat("好", "行"))
    assert result.status == "pass"
    assert any("made-up sentences" in str(note) for note in result.not_checked)


def test_planted_copies_are_found():
    result = measure(NearDuplicates(), chat(STORY, OTHER))
    recall = result.value("planted_recall")
    assert recall.n == recall.of > 10
    assert set(result.figures["planted"]["kind"]) >= {"2 % edits", "fullwidth", "inserted spaces"}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "threshold"), [(3, 0.7), (5, 0.8), (2, 0.6)])
def test_equals_brute_force(seed, n, threshold):
    rng = random.Random(seed)
    base = ["".join(rng.choices("天地玄黄宇宙洪荒日月盈昃辰宿列张", k=rng.randrange(20, 90))) for _ in range(25)]
    texts = []
    for _ in range(120):
        letters = list(rng.choice(base))
        for _ in range(rng.randrange(8)):
            letters[rng.randrange(len(letters))] = rng.choice("寒来暑往秋收冬藏")
        texts.append("".join(letters))
    rows = [{"text": text} for text in texts]
    check = NearDuplicates(threshold=threshold, features=GramSettings(n=n), boilerplate=None, normalise=())
    sets = [{t[i : i + n] for i in range(len(t) - n + 1)} for t in texts]
    kept, removed = [], []
    for i, a in enumerate(sets):
        close = [j for j in kept if len(a & sets[j]) / len(a | sets[j]) >= threshold]
        (removed if close else kept).append(i)
    assert [row for row, _ in measure(check, rows).problems] == removed


def test_rows_that_are_equal_without_their_boilerplate_are_no_exact_copies(realdata):
    """500 dialogues from few templates, no two of them equal: what is left without boilerplate often is."""
    path = realdata / "fastchat/data/dummy_conversation.json"
    result = measure(NearDuplicates(), path.read_bytes(), name="dummy.json")
    assert result.value("exact_share") == Ratio(0, 500)
    assert (result.evidence["score"] == 1.0).any()
    assert set(result.evidence.drop_nulls("row")["problem"]) == {"near_copy"}


def test_a_text_that_is_repeated_is_planted_once():
    """What the search misses of a text is missed once, however often the text stands there."""
    once, often = (measure(NearDuplicates(), chat(*texts)).value("planted_recall") for texts in ([STORY], [STORY] * 5))
    assert once == often
