"""The settings of near_duplicates: what is kept, containment, the complete join, labels and media."""

import json
import random
import re

import numpy as np
import polars as pl
import pytest
from core_helpers import mostly_slow

from datacheck.check import Ratio, Status
from datacheck.checks.near_duplicates import NearDuplicates
from datacheck.features import near, near_pairs, planting
from datacheck.features.sketch import GramSettings
from datacheck.testing import finding, measure
from datacheck.text import matching, walk
from datacheck.text.plants import plant

STORY = "清晨的码头上，渔民把昨夜的收获一筐筐抬上岸，海鸥在头顶盘旋，空气里满是盐和柴油的味道。"
OTHER = "图书馆三楼的灯坏了两盏，管理员在门口贴了告示，请读者先到一楼的自习区，周五下午修好。"
LONG = STORY + "远处的灯塔已经熄灭，第一班渡轮正要离港，岸边的早点铺冒着热气，卖鱼的妇人大声招呼客人。" + OTHER


def rows(*texts, **columns):
    return [{"text": text, **{k: v[i] for k, v in columns.items()}} for i, text in enumerate(texts)]


def test_the_longest_row_of_a_cluster_can_be_kept():
    longer = STORY + "真好闻。"
    data = rows(STORY, OTHER, longer)
    assert measure(NearDuplicates(), data).problems == [(2, "near_copy")]
    result = measure(NearDuplicates(keep="longest"), data)
    assert result.problems == [(0, "near_copy")]
    assert result.first[0]["other"] == "train/data.jsonl:3"


def test_rows_with_pictures_of_their_own_are_no_pairs(monkeypatch):
    """One question behind 60 pictures: 1,770 pairs that cannot be copies are not even looked at; each picture has one."""
    asked, found = [], walk.pairs_from_buckets
    monkeypatch.setattr(
        walk, "pairs_from_buckets", lambda *a, **k: (asked.append(block) or block for block in found(*a, **k))
    )
    shown = [{"messages": [{"role": "user", "content": f"<image>{STORY}"}, {"role": "assistant", "content": OTHER}],
              "images": [f"{number // 2}.jpg"]} for number in range(120)]  # fmt: skip
    result = measure(NearDuplicates(), shown)
    assert sorted(map(tuple, np.concatenate(asked).tolist())) == [(at, at + 1) for at in range(0, 120, 2)]
    assert result.problems == [(at, "exact_copy") for at in range(1, 120, 2)]


def test_numbers_in_a_template_are_no_pairs(monkeypatch):
    """What is left of Countdown without its boilerplate is alike by chance: only rows of one task are compared."""
    asked, found = [], walk.pairs_from_buckets
    monkeypatch.setattr(
        walk, "pairs_from_buckets", lambda *a, **k: (asked.append(block) or block for block in found(*a, **k))
    )
    rules = "".join(chr(0x5000 + 13 * i) for i in range(400))
    form = "用数字[{}, {}, {}]列出一个等式，使结果等于{}。" + rules
    strangers = ["".join(chr(0x4E00 + (i * 977 + j * j * 31 + j) % 20000) for j in range(60)) for i in range(100)]
    numbers = [[7 * row % 90 + 9, 3 * row % 50 + 11, row % 7 + 40, row + 10] for row in range(60)]
    tasks = [{"prompt": form.format(*numbers[row // 2]), "answer": str(row // 2)} for row in range(120)]
    result = measure(NearDuplicates(), [{"prompt": each} for each in strangers] + tasks)
    assert result.value("boilerplate_rows") == Ratio(120, 220)
    assert set(map(tuple, np.concatenate(asked).tolist())) == {(at, at + 1) for at in range(100, 220, 2)}
    assert result.value("rate") == Ratio(60, 220)


def _with_golds(seed):
    """Texts that are alike in many ways, half of them with golds, and whether one repeats another by itself."""
    rng = random.Random(seed)
    base = ["".join(rng.choices("天地玄黄宇宙洪荒日月盈昃辰宿列张", k=rng.randrange(20, 60))) for _ in range(4)]
    texts = [rng.choice(base) + "".join(rng.choices("寒来暑往秋收冬藏", k=rng.randrange(9))) for _ in range(90)]
    return texts, [rng.choice(["", "4", "5", "6"]) for _ in texts]


def _walk(texts, may):
    """Which earlier row each repeats, by the plain walk over all."""
    sets = [{text[i : i + 3] for i in range(len(text) - 2)} for text in texts]
    kept, gone = [], {}
    for row in range(len(texts)):
        alike = [
            (len(sets[row] & sets[k]) / len(sets[row] | sets[k]), -n, k) for n, k in enumerate(kept) if may(k, row)
        ]
        best = max((each for each in alike if each[0] >= 0.7), default=None)
        kept.append(row) if best is None else gone.update({row: best[2]})
    return gone


@pytest.mark.parametrize("seed", range(4))
def test_tasks_are_walked_over_by_themselves(seed, monkeypatch):
    """However pairs are dealt, copies are those of one task, and `other_golds` those of a walk that counts none."""
    texts, golds = _with_golds(seed)
    data = [{"prompt": text, **({"answer": gold} if gold else {})} for text, gold in zip(texts, golds, strict=True)]
    for module, name, value in ((walk, "FEW", 0), (walk, "EACH", 0), (walk, "IN_LINE", 2), (near_pairs, "LEAST", 3)):
        monkeypatch.setattr(module, name, value)
    result = measure(NearDuplicates(on="prompt", boilerplate=None, normalise=()), data)
    gone, every = _walk(texts, lambda one, other: golds[one] == golds[other]), _walk(texts, lambda *_: True)
    assert result.value("rate") == Ratio(len(gone), 90)
    assert result.value("other_golds") == Ratio(len(every.keys() - gone.keys()), 90)


def test_the_best_row_of_a_cluster_can_be_kept():
    data = rows(STORY, STORY, STORY, OTHER, s=["0.5", "0.9", None, "0.1"])
    result = measure(NearDuplicates(keep="best_score"), data, source={"columns": {"score": "s"}})
    assert result.problems == [(0, "exact_copy"), (2, "exact_copy")]
    assert {line["other"] for line in result.first} == {"train/data.jsonl:2"}


@pytest.mark.parametrize(
    ("scores", "kept", "unscored"),
    [
        (["0.5", "nan", "0.9"], 2, 1),
        ([None, "NaN", "-1e3"], 2, 2),
        (["0.9", "10", "9"], 1, 0),
        (["good", None, "nan"], 0, 3),
        ([1, 1, 1], 0, 0),
    ],
)
def test_what_is_no_number_is_no_best_score(scores, kept, unscored):
    check, data = NearDuplicates(keep="best_score"), rows(STORY, STORY, STORY, s=scores)
    result = measure(check, data, source={"columns": {"score": "s"}})
    assert {row for row, _ in result.problems} == {0, 1, 2} - {kept}
    assert [note for note in result.not_checked if "no score" in note] == (
        [f"{unscored} of 3 rows that were compared have no score, so any other one was kept before them"]
        if unscored
        else []
    )


@pytest.mark.parametrize("exact", [False, True])
def test_a_row_that_another_contains_is_its_copy_only_if_asked_for(exact):
    data = rows(LONG, LONG[: len(LONG) * 6 // 10], OTHER[:3])
    assert measure(NearDuplicates(exact=exact), data).value("rate") == Ratio(0, 3)
    result = measure(NearDuplicates(exact=exact, containment=0.9), data)
    assert result.problems == [(1, "contained_copy")]
    assert 0.5 < result.first[0]["score"] < 0.7


def test_rows_with_opposite_labels_are_no_copies_of_each_other():
    text = {"prompt": "说一段话", "completion": STORY}
    data = [{**text, "label": True}, {**text, "label": False}, {**text, "label": False}]
    result = measure(NearDuplicates(), data)
    assert result.value("rate") == result.value("exact_share") == Ratio(1, 3)
    assert result.value("opposite_labels") == Ratio(2, 3)
    assert set(result.evidence.select("line", "row", "problem").iter_rows()) == {
        (2, None, "opposite_labels"),
        (3, None, "opposite_labels"),
        (3, 2, "exact_copy"),
    }


def test_two_tasks_whose_golds_are_different_numbers_are_no_copies():
    task = {"question": f"{STORY}一共有多少筐鱼，平均每人抬了多少筐？"}
    golds = ["36", "38", "36", "三十六"]
    data = [{**task, "question": f"{task['question']}（{at}）", "answer": gold} for at, gold in enumerate(golds)]
    result = measure(NearDuplicates(), data)
    assert result.value("rate") == Ratio(1, 4)
    assert result.value("other_golds") == Ratio(2, 4)
    assert set(result.evidence.select("line", "row", "problem").iter_rows()) == {
        (2, None, "other_gold"),
        (3, 2, "near_copy"),
        (4, None, "other_gold"),
    }


def test_a_gold_is_a_number_by_its_value_and_by_its_last_line():
    answers = ["It is 1,080 fish.\n#### 1,080", "1080", "They have:\n#### 1080.0", ["1080"]]
    data = [{"question": f"{STORY} ({at})", "answer": answer} for at, answer in enumerate(answers)]
    result = measure(NearDuplicates(on="prompt"), data)
    assert (result.value("rate"), result.value("other_golds")) == (Ratio(3, 4), Ratio(0, 4))


@pytest.mark.parametrize(
    ("two", "one_task"),
    [
        (({"answer": r"$x=\frac{\pi}{6}$"}, {"answer": r"x = \frac{\pi}{6}."}), True),  # set otherwise
        (({"answer": r"$x=\frac{\pi}{6}$"}, {"answer": r"$x=\frac{\pi}{3}$"}), False),
        (({"answer": "converges"}, {"answer": "diverges"}), False),
        (({"answer": "the north of town"}, {"answer": ["The north of town"]}), True),
        (({"answer": STORY + r"\boxed{2}"}, {"answer": STORY + r"\boxed{3}"}), False),
        (({"answer": STORY + r"\boxed{2}"}, {"answer": STORY[9:] + r"\boxed{2.0}"}), True),
        (({"answer": "B"}, {"answer": "C"}), True),  # the options of a copy may stand in another order
        (({"answer": STORY}, {"answer": STORY.replace("海鸥", "海燕")}), True),  # prose, said a little otherwise
        (({"answer": "5", "tail": "共12筐，卖了7筐。"}, {"answer": "5", "tail": "共13筐，卖了8筐。"}), False),
        (({"answer": "5", "tail": "共三十二筐。"}, {"answer": "5", "tail": "共三十五筐。"}), False),
        (({"answer": "5", "tail": "共1,200筐。"}, {"answer": "5", "tail": "共１２００筐。"}), True),
        (({"answer": "5", "head": "12. "}, {"answer": "5", "head": "第13题："}), True),
        (({"answer": "5", "head": "Question 4: "}, {"answer": "5", "head": "Question 31: "}), True),
    ],
)
def test_a_task_is_its_short_gold_and_the_numbers_of_its_question(two, one_task):
    data = [
        {"question": f"{each.get('head', '')}{STORY}{each.get('tail', '')}还剩几筐？", "answer": each["answer"]}
        for each in two
    ]
    result = measure(NearDuplicates(on="prompt"), data)
    assert (result.value("rate"), result.value("other_golds")) == (Ratio(one_task, 2), Ratio(not one_task, 2))


def asked_of_one_passage(*answers):
    ask = "请根据下面的文档提一个问题。文档：" + STORY + STORY[::-1]
    return [{"instruction": ask, "output": answer} for answer in answers]


@pytest.mark.parametrize("settings", [{}, {"exact": True}, {"keep": "longest"}])
def test_questions_on_one_passage_are_no_copies_unless_they_ask_the_same(settings):
    rows = asked_of_one_passage(
        "这座桥是哪一年建成的？", "鱼市几点钟开始营业？", "鱼市是几点钟开始营业的？", "这座桥是哪一年建成？"
    )
    result = measure(NearDuplicates(**settings), rows)
    assert (result.value("rate"), result.value("other_answers")) == (Ratio(2, 4), Ratio(1, 4))
    review = result.evidence.filter(problem="other_answer").select("row", "score").rows()
    assert review == [(None, None)]  # no row to drop unread


CALL = '[{{"type": "function", "function": {{"name": "{}", "arguments": {{"scope": "{}", "confirm": "false"}}}}}}]'


@pytest.mark.parametrize(
    "template",
    [
        "table: fish\ncolumns: {0}\nQ: {1}\nA: {2}",
        "### Instruction:\n{1}\n\n### Input:\n{0}\n\n### Response:\n{2}",
        "### Human: {0} {1}### Assistant: {2}",
        "{0}\nHuman: {1}\n\nAssistant: {2}",
        "{0}\n问：{1}\n答：{2}",
        "<s>[INST] {0}\n{1} [/INST] {2} </s>",
        "<|start_header_id|>user<|end_header_id|>\n{0}\n{1}<|start_header_id|>assistant<|end_header_id|>\n{2}<|eot_id|>",
        "<start_of_turn>user\n{0}\n{1}<end_of_turn>\n<start_of_turn>model\n{2}<end_of_turn>\n",
    ],
)
def test_a_text_that_asks_and_answers_is_judged_like_the_pair(template):
    passage = LONG + LONG[::-1]
    asked = [
        ("那座石桥是哪一年建成的？", "一九三二年"),
        ("鱼市几点钟开始营业？", "早上五点半钟"),
        ("那座石桥是哪年建成的？", "一九三二年"),  # a copy with an edit
    ]
    result = measure(NearDuplicates(boilerplate=None), [{"text": template.format(passage, *each)} for each in asked])
    assert (result.value("rate"), result.value("other_answers")) == (Ratio(1, 3), Ratio(1, 3))


def test_a_text_without_marks_is_compared_whole():
    texts = [STORY + STORY[::-1] + each for each in ("鱼市五点开门。", "石桥是旧的。")]
    assert measure(NearDuplicates(boilerplate=None), [{"text": each} for each in texts]).value("rate") == Ratio(1, 2)


def test_calls_with_another_argument_are_no_copies():
    """What surrounds a value is the same in every call: one label, or one argument, is all that such an answer says."""
    texts = [("现在放点舒缓的爵士乐", "jazz"), ("现在放点舒缓的摇滚乐", "rock"), ("现在放点舒缓的爵士乐吧", "jazz")]
    rows = [{"instruction": asked, "output": CALL.format("play_music", told)} for asked, told in texts]
    result = measure(NearDuplicates(), rows)
    assert (result.value("rate"), result.value("other_answers")) == (Ratio(1, 3), Ratio(1, 3))


@pytest.mark.parametrize("key", ["output", "answer"])
def test_questions_on_one_schema_are_no_copies(key):
    """The schema of the tables is nearly all of the prompt, and queries of it are alike."""
    schema = (
        "CREATE TABLE jobs (job_id integer, job_desc text, min_lvl integer, max_lvl integer, primary key (job_id)); "
    )
    query = (
        "SELECT T1.job_desc, T1.min_lvl FROM jobs AS T1 INNER JOIN staff AS T2 ON T1.job_id = T2.job_id WHERE T2.{} = 1"
    )
    texts = [("Which staff is retired?", "retired"), ("Which staff is on leave?", "on_leave")]
    asked = "instruction" if key == "output" else "question"
    rows = [{asked: schema * 4 + said, key: query.format(told)} for said, told in texts]
    assert measure(NearDuplicates(), rows).value("rate") == Ratio(0, 2)


def test_one_answer_to_several_questions_is_no_copy():
    texts = ["Go back to the last one", "Previous track", "Go back to the last one, please"]
    rows = [{"instruction": asked, "output": CALL.format("playback_control", "previous")} for asked in texts]
    result = measure(NearDuplicates(), rows)
    assert (result.value("rate"), result.value("other_questions")) == (Ratio(1, 3), Ratio(1, 3))
    assert result.evidence.filter(problem="other_question").select("row", "score").rows() == [(None, None)]


def test_a_long_answer_to_another_question_is_a_copy():
    story = "".join(chr(0x4E00 + 7 * n) for n in range(300))
    rows = [{"instruction": asked, "output": story} for asked in ("请讲一个故事", "有没有适合睡前听的？")]
    assert measure(NearDuplicates(), rows).value("rate") == Ratio(1, 2)


def test_a_passage_that_nobody_answers_is_a_copy():
    rows = [{"instruction": STORY + f"（{at}）", "output": ""} for at in range(2)]
    assert measure(NearDuplicates(), rows).value("rate") == Ratio(1, 2)


def test_the_letter_of_an_option_tells_nothing_apart():
    assert measure(NearDuplicates(), asked_of_one_passage("B", "答案：D")).value("rate") == Ratio(1, 2)


def test_rows_with_different_images_are_no_copies():
    data = [
        {"messages": [{"role": "user", "content": STORY}], "images": [name]} for name in ("a.png", "b.png", "a.png")
    ]
    assert measure(NearDuplicates(), data).problems == [(2, "exact_copy")]


def brute(sets, threshold, contained):
    kept, removed = [], []
    for row, own in enumerate(sets):
        common = {other: len(own & sets[other]) for other in kept}
        similar = any(
            n / len(own | sets[other]) >= threshold
            or (
                contained is not None
                and min(len(own), len(sets[other])) >= 20
                and n / min(len(own), len(sets[other])) >= contained
            )
            for other, n in common.items()
        )
        (removed if similar else kept).append(row)
    return removed


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("n", "threshold", "contained"), [(3, 0.7, None), (2, 0.5, None), (3, 0.3, None), (3, 0.7, 0.9)]
)
def test_exact_equals_brute_force(seed, n, threshold, contained):
    rng = random.Random(seed)
    base = ["".join(rng.choices("天地玄黄宇宙洪荒日月盈昃辰宿列张", k=rng.randrange(20, 90))) for _ in range(25)]
    texts = []
    for _ in range(120):
        letters = list(rng.choice(base))
        for _ in range(rng.randrange(12)):
            letters[rng.randrange(len(letters))] = rng.choice("寒来暑往秋收冬藏")
        texts.append("".join(letters[: rng.randrange(10, 90)]))
    check = NearDuplicates(
        threshold=threshold,
        containment=contained,
        exact=True,
        features=GramSettings(n=n),
        boilerplate=None,
        normalise=(),
    )
    sets = [{t[i : i + n] for i in range(len(t) - n + 1)} for t in texts]
    assert [row for row, _ in measure(check, rows(*texts)).problems] == brute(sets, threshold, contained)


@pytest.mark.parametrize(
    ("by", "n", "threshold"), [("chars", 3, 0.7), ("chars", 5, 0.5), ("words", 1, 0.7), ("jieba", 2, 0.5)]
)
def test_the_threshold_depends_on_the_features(by, n, threshold):
    assert NearDuplicates(features=GramSettings(by=by, n=n))._least == threshold
    assert NearDuplicates(features=GramSettings(by=by, n=n), threshold=0.9)._least == 0.9


@pytest.mark.parametrize(("by", "n"), [("words", 1), ("words", 2), ("jieba", 1)])
def test_english_is_cut_into_words_whatever_is_normalised(by, n):
    """Spaces and punctuation do not count, but they part words: without them a text is one word."""
    said = "The old bridge crosses the river east of the village and two willows grow beside its worn stone steps."
    edited, other = said.replace("stone", "wooden"), said.replace(" ", ",  ").upper()

    def pairs(text):
        found = re.findall(r"\w+", text.casefold())
        return {tuple(found[i : i + n]) for i in range(len(found) - n + 1)}

    score = len(pairs(said) & pairs(edited)) / len(pairs(said) | pairs(edited))
    result = measure(NearDuplicates(features=GramSettings(by=by, n=n)), rows(said, OTHER, edited, other))
    assert [(row, kind) for row, kind in result.problems] == [(2, "near_copy"), (3, "exact_copy")]
    assert result.evidence["score"].to_list() == [score, 1]


def test_words_of_chinese_are_not_parted_by_spaces_or_invisible_characters():
    spaced = (
        "清晨 的 码 头 上，渔民把 昨夜的 收获一 筐筐抬上岸， 海鸥在头\u200b顶盘旋，空气里\u200b满是盐和柴 油的味 道。"
    )
    for by in ("words", "jieba"):
        assert measure(NearDuplicates(features=GramSettings(by=by, n=2)), rows(STORY, spaced)).problems == [
            (1, "exact_copy")
        ]


def test_words_of_jieba_are_those_of_the_text_where_nothing_is_stripped():
    """Truth: jieba itself on the texts as they stand; white space between Chinese characters parts words."""
    jieba = pytest.importorskip("jieba")
    texts = [
        "清晨的码头上渔民把昨夜的收获抬上岸",
        "清晨的码 头上渔民把昨夜的收获抬上岸",
        "清晨的码头上渔民把昨夜的收获抬上车",
    ]
    sets = [{word for word in jieba.lcut(text, HMM=False) if word.strip()} for text in texts]
    check = NearDuplicates(
        features=GramSettings(by="jieba", n=1), normalise=("nfkc", "casefold"), boilerplate=None, exact=True
    )
    scores = [len(sets[0] & other) / len(sets[0] | other) for other in sets[1:]]
    assert measure(check, rows(*texts)).evidence["score"].to_list() == [score for score in scores if score >= 0.7]


@pytest.mark.parametrize("length", mostly_slow([183, 633], {183}))
def test_a_shared_prompt_makes_no_false_pair_and_loses_no_true_one(length):
    """The prompt stands in the user's turn, where no role tells it apart."""
    rng = np.random.default_rng(length)
    words = [chr(c) for c in range(0x4E00, 0x5600)]
    prompt = "".join(rng.choice(words, length))
    answers = ["".join(rng.choice(words, rng.integers(60, 160))) for _ in range(120)]
    copies = [answer[:20] + "改" + answer[21:] for answer in answers[:30]]
    result = measure(NearDuplicates(), rows(*(prompt + text for text in answers + copies)))
    assert [row for row, kind in result.problems if kind != "boilerplate"] == list(range(120, 150))
    nearly_all = [length - 2 > 0.9 * (length + len(text) - 2) for text in answers + copies]  # n-grams, none twice
    assert result.value("boilerplate_rows") == Ratio(sum(nearly_all), 150)
    assert (
        measure(NearDuplicates(boilerplate=None), rows(*(prompt + t for t in answers))).value("rate").n > 0
        or length < 200
    )


def test_the_recall_of_the_bands_is_measured():
    result = measure(NearDuplicates(), rows(*([STORY, OTHER] * 20)))
    assert result.value("lsh_missed") == 0
    figure = result.figures["lsh_recall"]
    assert sum(figure["pairs"]) == sum(figure["found"]) == 2 * 190
    curve = result.figures["recall_curve"]
    assert {"fullwidth", "2 % edits"} <= set(curve["kind"])


def test_copies_in_great_number_do_not_hide_as_boilerplate():
    """They make their own n-grams frequent; what is changed in them stands anywhere, so they are no template."""
    strangers = ["".join(chr(0x4E00 + (i * 977 + j * j * 31 + j) % 20000) for j in range(60)) for i in range(100)]
    base = "客服电话已经更换，请以后拨打新的号码，原来的号码下个月起不再使用，给您带来不便敬请谅解。"
    copies = [base[:i] + "改" + base[i:] for i in range(40)]
    result = measure(NearDuplicates(), rows(*strangers, *copies))
    assert result.value("rate") == Ratio(39, 140)
    assert result.value("boilerplate_rows").n == 0
    assert finding(NearDuplicates(), rows(*strangers, *copies)).status is Status.FAIL


def test_a_template_that_is_filled_in_at_one_place_is_warned_of():
    strangers = ["".join(chr(0x4E00 + (i * 977 + j * j * 31 + j) % 20000) for j in range(60)) for i in range(100)]
    base = (
        "客服电话已经更换，请以后拨打新的号码，原来的号码下个月起不再使用，给您带来不便敬请谅解，如有疑问请与我们联系。"
    )
    filled = [f"{base[:20]}{chr(0x5000 + 7 * i)}{base[20:]}" for i in range(40)]
    result = measure(NearDuplicates(), rows(*strangers, *filled))
    assert result.value("rate").n == 0
    assert result.value("boilerplate_rows") == Ratio(40, 140)
    assert finding(NearDuplicates(), rows(*strangers, *filled)).status is Status.WARN
    assert result.evidence.filter(pl.col("problem") == "boilerplate")["row"].to_list() == [None] * 40


def test_of_a_long_row_only_the_beginning_is_planted(monkeypatch):
    lengths = []
    monkeypatch.setattr(planting, "plant", lambda text, kind: lengths.append(len(text)) or plant(text, kind))
    rng = random.Random(1)
    data = rows(*("".join(rng.choices(LONG, k=length)) for length in (300, 40_000, 60_000)))
    assert measure(NearDuplicates(), data).value("planted_recall").of > 0
    assert min(lengths) == 300
    assert max(lengths) == 5_000


def test_a_row_that_stands_there_ten_thousand_times_is_no_sample(monkeypatch):
    """All copies have the value that chooses them: half a million pairs of a thousand, five billion of 100,000."""
    monkeypatch.setattr(near, "SAMPLE", 100_000)  # so that this row is chosen for sure
    result = measure(NearDuplicates(), rows(*([STORY] * 1000), OTHER))
    assert result.value("rate") == Ratio(999, 1001)
    assert sum(result.figures["lsh_recall"]["pairs"]) == 20 * 19 / 2


@pytest.mark.parametrize(("n", "threshold"), [(2, 0.7), (3, 0.5)])
def test_english_pairs_just_above_the_threshold_are_found(n, threshold):
    """One changed letter changes five of the n-grams that propose a pair, and only n of those that are compared."""
    rng, letters = random.Random(n), "abcdefghijklmnopqrstuvwxyz"
    texts = []
    while len(texts) < 160:
        text = rng.choices(letters, k=400)
        copy, grams = list(text), {tuple(text[i : i + n]) for i in range(len(text) - n + 1)}
        for at in rng.sample(range(400), 400):
            copy[at] = rng.choice(letters)
            changed = {tuple(copy[i : i + n]) for i in range(len(copy) - n + 1)}
            if threshold <= len(grams & changed) / len(grams | changed) < threshold + 0.02:
                texts += ["".join(text), "".join(copy)]
                break
    found = measure(
        NearDuplicates(features=GramSettings(n=n), threshold=threshold, boilerplate=None), rows(*texts)
    ).problems
    assert [row for row, _ in found] == list(range(1, 160, 2))


def test_exercises_with_other_numbers_are_told_apart():
    asked = "Points A and B are on the parabola y = {}x^2 - {}x, and the origin is the midpoint of AB. Find AB squared."
    same = rows(
        asked.format(3, 5), asked.format(4, 17), asked.format(3, 5).upper(), STORY, STORY.replace("清晨", "傍晚")
    )
    result = measure(NearDuplicates(), same)
    assert result.problems == [(1, "near_copy"), (2, "exact_copy"), (4, "near_copy")]
    said = result.evidence["detail"].str.starts_with("the same text with other numbers").to_list()
    assert said == [True, False, False]
    assert result.value("other_numbers") == Ratio(1, 5)
    assert result.value("rate") == Ratio(3, 5)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
@pytest.mark.parametrize(
    "keep", ["first", *(pytest.param(keep, marks=pytest.mark.slow) for keep in ("longest", "best_score"))]
)
def test_any_cut_into_tasks_and_rounds_ends_where_the_sequential_walk_does(seed, keep, monkeypatch):
    rng = random.Random(seed)
    base = ["".join(rng.choices("天地玄黄宇宙洪荒日月盈昃辰宿列张", k=rng.randrange(20, 60))) for _ in range(4)]
    texts = [rng.choice(base) + "".join(rng.choices("寒来暑往秋收冬藏", k=rng.randrange(9))) for _ in range(90)]
    scores = [rng.choice([None, 1, 2, 3]) for _ in texts]
    data, source = rows(*texts, quality=scores), {"columns": {"score": "quality"}}
    check = NearDuplicates(keep=keep, boilerplate=None, normalise=())
    plain = measure(check, data, source=source)
    for module, name, value in ((walk, "FEW", 0), (walk, "EACH", 0), (walk, "IN_LINE", 2), (near_pairs, "LEAST", 3), (near_pairs, "TASKS", 99),
                                (near, "LOOKED_THROUGH", 20), (near, "PIECE", 50), (near, "AT_ONCE", 5), (near_pairs, "BLOCK", 2),
                                (near_pairs, "MARKED_FROM", 0), (near, "ALIKE_FROM", 0), (matching, "ALIKE_FROM", 0), (near, "MARKS_AT_ONCE", 8)):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    cut = measure(check, data, source={**source, "limits": {"chunk_records": 7}})
    assert cut.values == plain.values
    assert cut.evidence.equals(plain.evidence)
    sets = [{text[i : i + 3] for i in range(len(text) - 2)} for text in texts]
    by = {
        "first": lambda i: i,
        "longest": lambda i: (-len(texts[i]), i),
        "best_score": lambda i: (-(scores[i] or 0), i),
    }
    kept, gone = [], {}
    for row in sorted(range(90), key=by[keep]):
        near_by = [(len(sets[row] & sets[k]) / len(sets[row] | sets[k]), -n, k) for n, k in enumerate(kept)]
        best = max((each for each in near_by if each[0] >= 0.7), default=None)
        kept.append(row) if best is None else gone.update({row: best[2]})
    lines = {f"train/data.jsonl:{line + 1}": line for line in range(90)}
    found = zip(cut.evidence["row"], cut.evidence["other"], strict=True)
    assert {row: lines[other] for row, other in found} == gone


@pytest.mark.parametrize(
    ("change", "copies"),
    [
        (("weekly", "monthly"), False),  # a value of the form
        (("null", "true"), False),
        (("2024-05-01", "2024-05-09"), True),  # dates, numbers and ids are others in many copies
        (("over the whole season", "over all of the season"), True),  # prose in other words
    ],
)
def test_long_json_with_another_name_is_another_answer(change, copies):
    reason = "A line over the whole season shows how the light in the kitchen of the house developed week by week. " * 3
    told = {"chart": "line", "every": "weekly", "limit": None, "since": "2024-05-01", "reason": reason}
    text = json.dumps(told)
    asked = "Read the table of the house with its dates, kitchens and lights, and say what to draw of it, please."
    data = [
        {"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": each}]}
        for each in (text, text.replace(*change))
    ]
    result = measure(NearDuplicates(), data)
    assert [each["problem"] for each in result.first] == ["near_copy" if copies else "other_answer"]
    assert result.value("other_answers") == Ratio(int(not copies), 2)


FIELD = "下面的题目请从四个选项里选出一个正确的，并且只写出它的字母。多项式 x 的平方加一在模 {} 的剩余类域里有几个根？"


def _chosen(modulus, options, letter, shape):
    told = {"list": {"choices": options}, "dict": {"choices": dict(zip("ABCD", options, strict=True))},
            "columns": dict(zip("ABCD", options, strict=True)),
            "lettered": {"choices": [f"({name}) {each}" for name, each in zip("ABCD", options, strict=True)]}}  # fmt: skip
    return {"question": FIELD.format(modulus), **told[shape], "answer": letter}


@pytest.mark.parametrize("shape", ["list", "dict", "columns", "lettered"])
def test_the_letter_of_an_option_stands_for_what_it_says(shape):
    """Minimal pairs with options: another right option, or other numbers, is another task; options in another order not."""
    given = ["零个", "一个", "两个", "三个"]
    data = [
        _chosen("某素数", given, "A", shape),
        _chosen("某个素数", given, "C", shape),
        _chosen("素数", given, "A", shape),
    ]
    result = measure(NearDuplicates(boilerplate=None), data)
    assert (result.value("rate"), result.value("other_golds")) == (Ratio(1, 3), Ratio(1, 3))
    turned = [_chosen("某素数", given, "A", shape), _chosen("某素数", ["一个", "零个", "两个", "三个"], "B", shape)]
    assert measure(NearDuplicates(boilerplate=None, threshold=0.5), turned).value("rate") == Ratio(1, 2)
    numbers = [_chosen("11", given, "C", shape), _chosen("17", given, "C", shape)]
    assert measure(NearDuplicates(boilerplate=None), numbers).value("other_golds") == Ratio(1, 2)


def test_two_questions_on_one_passage_with_one_answer_are_no_copies():
    """What stands before them is all that they share; the same question in nearly the same words is a copy."""
    passage = LONG + LONG[::-1]
    asked = ["码头的早点铺卖什么？", "哪条渡轮第一班离港？", "哪条渡轮是第一班离港的？"]
    data = [{"question": each, "context": passage, "answer": "同一个"} for each in asked]
    result = measure(NearDuplicates(boilerplate=None), data)
    assert (result.value("rate"), result.value("other_questions")) == (Ratio(1, 3), Ratio(1, 3))
