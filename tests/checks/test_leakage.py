"""leakage: planted questions in every dress, hard negatives, and brute-force containment."""

import json
import random
import re
import urllib.parse

import pytest

from datacheck.check import Ratio
from datacheck.checks.leakage import Leakage
from datacheck.features import planted_leaks
from datacheck.testing import dataset, finding, measure
from datacheck.text.leak_plants import leaks as leak_kinds

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
        (f"{MCQ['question']}\nA. 氮气\nB. 氧气\nC. 二氧化碳\nD. 稀有气体", 3),
    ],
    ids=["verbatim", "embedded", "punctuation", "traditional", "edited", "case", "fullwidth", "options"],
)
def test_found_in_every_dress(user, line):
    result = leaks(*CLEAN, user)
    assert result.value("rate") == Ratio(1, 3)
    assert paths(result) == [(2, "messages[0].content", "leaked")]
    assert result.first[0]["other"] == f"eval/data.jsonl:{line}"


def test_a_question_without_its_options():
    long = {**MCQ, "question": f"在标准大气压下，{MCQ['question']}请从下面四项中选出"}
    result = leaks(*CLEAN, long["question"], others={"eval": [long]})
    assert result.value("rate") == Ratio(1, 1)
    assert leaks(MCQ["question"]).value("review") == 1  # 18 characters: perhaps a stock phrase


@pytest.mark.parametrize("mark", ["(A)", "A. ", "A、", ""])
def test_options_with_and_without_labels(mark):
    def written(mark):
        return [mark.replace("A", letter) + MCQ[letter] for letter in "ABCD"]

    for other in ("(A) ", "A．", ""):
        asked = {"question": MCQ["question"], "options": written(mark), "answer": "A"}
        user = "\n".join([MCQ["question"], *written(other)])
        assert leaks(user, others={"eval": [asked]}).value("rate") == Ratio(1, 1)


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


def test_a_red_line_alone_has_a_verdict():
    clean = leaks("今天天气如何？", check=Leakage(red_line=("red",)), others={"red": [ZH]})
    assert (clean.value("rate"), clean.value("red_line_hits")) == (Ratio(0, 1), 0)
    assert leaks(ZH["question"], check=Leakage(red_line=("red",)), others={"red": [ZH]}).value("rate") == Ratio(1, 1)


def test_each_set_has_its_own_rate():
    result = leaks(ZH["question"], check=Leakage(against=("eval", "more")), others={"eval": [ZH, EN], "more": [EN]})
    assert result.value("rate") == Ratio(1, 3)
    assert result.value("rate", against="eval") == Ratio(1, 2)
    assert result.value("rate", against="more") == Ratio(0, 1)


def test_short_questions_count_where_a_whole_message_asks_them():
    eval_rows = {
        "eval": [{"question": "谁写的红楼梦？", "answer": "曹雪芹"}, {"question": "Capital of Peru?", "answer": "Lima"}]
    }
    asked = leaks("誰寫的紅樓夢", "capital  of ＰＥＲＵ", "Is Lima the capital of Peru? Yes.", others=eval_rows)
    assert asked.value("rate") == Ratio(2, 2)
    assert asked.value("planted_recall") == Ratio(2, 2)
    assert asked.evidence["line"].to_list() == [1, 2]
    assert asked.evidence["detail"].to_list()[0].startswith("the whole message is this question")
    said = (
        "2 of 2 rows of eval have no question of 12 characters (24 letters) or more: only equal prompts were looked for"
    )
    assert said in asked.not_checked


@pytest.mark.parametrize(("answers", "leaked"), [(1, 1), (4, 1), (5, 0)])
def test_a_short_question_with_many_answers_is_commonplace(answers, leaked):
    """One that was copied eight times with its answer is not."""
    rows = dataset(*(f"user: 你好 | assistant: 第{n % answers}种回答" for n in range(8)))
    sets = {"eval": [{"question": "你好", "answer": "你好"}, ZH]}
    result = measure(Leakage(against=("eval",)), rows, others=sets)
    assert result.value("rate") == Ratio(leaked, 2)
    assert any("taken for phrases: eval/" in note for note in result.not_checked) is not bool(leaked)
    assert measure(Leakage(red_line=("eval",)), rows, others=sets).value("red_line_hits") == 8


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


def test_both_stretches_are_shown():
    """The place in the training text is in `where`; the detail shows both texts, identifiers masked."""
    call = "司机电话{}，"
    question, asked = (call.format(n) + ZH["question"] for n in ("13800138000", "13900139000"))
    user = f"出题：{question.replace('三小时', '四小时')}谢谢。"
    result = leaks(user, others={"eval": [{"question": asked, "answer": "225"}]})
    (line,) = result.first
    start, end = map(int, re.fullmatch(r"messages\[0\]\.content\[(\d+):(\d+)\]", line["where"]).groups())
    assert user[start:end] == question.replace("三小时", "四小时")[:-1]
    assert f"n-grams of question[0:{len(asked) - 1}]" in line["detail"]
    here, there = line["detail"].split(" ↔ ")
    assert "走了四小时后" in here
    assert "走了三小时后" in there
    assert "13800138000" not in line["detail"]
    assert "13900139000" not in line["detail"]


def test_the_same_text_is_shown_once():
    (line,) = leaks(ZH["question"]).first
    assert "↔" not in line["detail"]
    assert line["detail"].count("两城相距多少千米") == 1


SPLIT = {"columns": {"split": "fold"}}


def folds(*rows):
    return [{"fold": fold, **dataset(f"user: {text} | assistant: 好的")[0]} for fold, text in rows]


def test_splits_of_one_dataset():
    rows = folds(
        ("train", CLEAN[0]), ("train", f"请问：{ZH['question']}"), ("valid", ZH["question"]), ("test", EN["question"]),
        ("valid", f"{EN['question']} Thanks."), (None, EN["question"]),
    )  # fmt: skip
    result = measure(Leakage(splits=("valid", "test")), rows, source=SPLIT)
    assert result.value("rate") == Ratio(3, 3)
    assert result.value("rate", against="split valid") == Ratio(2, 2)
    assert result.value("rate", against="split test") == Ratio(1, 1)
    assert [(e["row"], e["other"]) for e in result.first] == [
        (1, "train/data.jsonl:3"), (5, "train/data.jsonl:4"), (5, "train/data.jsonl:5"),
    ]  # fmt: skip
    assert all("n-grams of question" in e["detail"] and "“" in e["detail"] for e in result.first)


def test_evaluation_rows_are_no_training_rows():
    rows = folds(("train", CLEAN[0]), ("valid", ZH["question"]), ("valid", ZH["question"]), ("test", ZH["question"]))
    assert measure(Leakage(splits=("valid", "test")), rows, source=SPLIT).value("rate") == Ratio(0, 3)


def test_a_short_question_of_a_split_counts_in_training_rows_only():
    rows = folds(("train", CLEAN[0]), ("valid", "谁写的红楼梦？"), ("test", "谁写的红楼梦？"))
    check = Leakage(splits=("valid", "test"))
    assert measure(check, rows, source=SPLIT).value("rate") == Ratio(0, 2)
    leaked = measure(check, [*rows, *folds(("train", "谁写的红楼梦"))], source=SPLIT)
    assert (leaked.value("rate"), [row for row, _ in leaked.problems]) == (Ratio(2, 2), [3, 3])


def test_splits_beside_other_sets():
    rows = folds(("train", EN["question"]), ("valid", EN["question"]), ("valid", ZH["question"]))
    check = Leakage(against="eval", splits="valid")
    result = measure(check, rows, source=SPLIT, others={"eval": [EN, MCQ]})
    assert result.value("rate") == Ratio(2, 4)
    assert result.value("rate", against="eval") == Ratio(1, 2)
    assert result.value("rate", against="split valid") == Ratio(1, 2)


@pytest.mark.parametrize("source", [SPLIT, {}])
def test_a_split_that_no_row_has_is_an_error(source):
    result = finding(Leakage(splits="valid"), folds(("train", CLEAN[0])), source=source)
    assert result.status == "error"


def test_no_evaluation_set_is_refused():
    with pytest.raises(ValueError, match="no evaluation set"):
        Leakage()


PHRASE = "请你介绍一下你自己和你的特长吧"


def greeted(n):
    return [f"{PHRASE}，我是第{k}位同学。" for k in range(n)]


def test_a_common_phrase_is_named_and_not_counted():
    sets = {"eval": [{"question": PHRASE, "answer": "略"}, ZH]}
    result = leaks(*greeted(25), others=sets)
    assert result.value("rate") == Ratio(0, 2)
    assert any("eval/data.jsonl:1 (question, in 25 rows)" in note for note in result.not_checked)
    assert leaks(*greeted(19), others=sets).value("rate") == Ratio(1, 2)
    assert leaks(*greeted(25), check=Leakage(against="eval", common_rows=None), others=sets).value("rate") == Ratio(
        1, 2
    )


def test_many_samples_of_one_question_are_no_phrase():
    """Sampling gives a prompt dozens of answers: it stands in many rows, but always in the same text."""
    sets = {"eval": [{"question": PHRASE, "answer": "略"}, ZH]}
    rows = dataset(*(f"user: {PHRASE} | assistant: 我是第{k}位同学。" for k in range(40)))
    result = measure(Leakage(against="eval"), rows, others=sets)
    assert result.value("rate") == Ratio(1, 2)
    assert [problem for _, _, problem in result.places] == ["leaked"] * 40


def test_a_long_question_is_no_phrase_however_often_it_stands():
    assert leaks(*[ZH["question"]] * 25).value("rate") == Ratio(1, 3)


def test_no_phrase_excuses_a_red_line():
    check = Leakage(against="eval", red_line="red")
    result = leaks(*greeted(25), check=check, others={"eval": [EN], "red": [{"question": PHRASE, "answer": "略"}]})
    assert result.value("red_line_hits") == 25


def test_a_stem_that_many_questions_share_is_for_review():
    stem = "下列物质的化学成分不正确的是"
    asked = {
        "question": stem,
        "A": "大理石是碳酸钙",
        "B": "纯碱是碳酸氢钠",
        "C": "水玻璃是硅酸",
        "D": "明矾是硫酸铝",
        "answer": "B",
    }
    other = f"{stem}\nA. 生石灰是氧化钙\nB. 小苏打是碳酸钠\nC. 石英是硅\nD. 胆矾是硫酸铜"
    result = leaks(other, others={"eval": [asked]})
    assert result.value("rate") == Ratio(0, 1)
    assert result.value("review") == 1
    assert result.problems == [(None, "review")]
    own = "\n".join([stem, *(asked[k] for k in "ABCD")])
    assert leaks(own, others={"eval": [asked]}).value("rate") == Ratio(1, 1)


LONG_ANSWER = "先求出货车三小时所行的路程，再加上离乙城还有的距离，得到一百八十加四十五等于二百二十五千米。"


def test_an_answer_alone_is_told_apart():
    sets = {"eval": [{**ZH, "answer": LONG_ANSWER}, EN]}
    rows = dataset(f"user: 随便说点什么 | assistant: {LONG_ANSWER}")
    result = measure(Leakage(against="eval"), rows, others=sets)
    assert result.value("rate") == Ratio(0, 2)
    assert result.value("answers") == 1
    assert result.problems == [(None, "answer_leaked")]
    assert "1 of 2 rows of eval have no answer long enough to be looked for" in result.not_checked
    both = measure(Leakage(against="eval"), [*rows, *dataset(f"user: {ZH['question']}")], others=sets)
    assert both.value("answers") == 0  # the question is there too
    assert both.value("rate") == Ratio(1, 2)


def test_questions_without_a_word_of_their_own_need_a_complete_copy():
    """30 questions that differ in a figure: a neighbour is no leak, a copy is, and the report says so."""

    def asked(n):
        return f"小明有{n}个苹果，他的哥哥比他多五个，他们一共有多少个水果？请写出算式和答案。"

    sets = {"eval": [{"question": asked(n), "answer": "1"} for n in range(30)]}
    result = leaks(asked(77), others=sets)
    assert result.value("rate") == Ratio(0, 30)
    assert any(note.startswith("30 of 30 rows of eval ask in words") for note in result.not_checked)
    assert leaks(asked(77), f"题目：{asked(12)}", others=sets).value("rate") == Ratio(1, 30)


def test_copies_within_the_evaluation_set_are_no_frame():
    result = leaks(ZH["question"], others={"eval": [ZH] * 40 + [EN]})
    assert result.value("rate") == Ratio(40, 41)
    assert leaks(ZH["question"][:40], others={"eval": [ZH] * 40 + [EN]}).value("rate") == Ratio(40, 41)


def test_templates_that_training_does_not_know():
    topics = ["光合作用", "杠杆原理", "细胞分裂", "丝绸之路", "勾股定理", "水的净化"]
    wrapped = [{"question": f"请阅读下面的题目并作答。{t}是怎么回事？只输出答案字母。", "answer": "1"} for t in topics]
    plain = [{"question": f"我想知道{t}到底是怎么回事，你能说说吗？", "answer": "1"} for t in topics]
    train = [f"我想知道{t}到底是什么，你能说说吗？" for t in ("黑洞", "彩虹", "台风")]
    result = leaks(*train, others={"eval": wrapped + plain})
    assert result.value("new_templates") == Ratio(6, 12)
    figure = dict(zip(result.figures["templates"]["template"], result.figures["templates"]["rows"], strict=True))
    assert figure["opening: 请阅读下面的题目"] == 0
    assert leaks(*train, others={"eval": plain}).value("new_templates") == Ratio(0, 6)


STEM = "下列说法正确的是"
BRIEF = {"question": STEM, "A": "鲸是鱼类", "B": "蝙蝠是鸟类", "C": "海豚用肺呼吸", "D": "蚯蚓有脊椎", "answer": "C"}
WHOLE = f"{STEM}\nA. 鲸是鱼类\nB. 蝙蝠是鸟类\nC. 海豚用肺呼吸\nD. 蚯蚓有脊椎"
SAY = {"role": "user", "content": "出一道选择题。"}
OK = {"role": "assistant", "content": "好。"}


def called(**given):
    return {
        "id": "c",
        "type": "function",
        "function": {"name": "quiz", "arguments": json.dumps(given, ensure_ascii=False)},
    }


@pytest.mark.parametrize(
    ("record", "path"),
    [
        ({"messages": [{"role": "system", "content": WHOLE}, SAY, OK]}, "messages[0].content"),
        ({"messages": [SAY, {"role": "assistant", "content": f"好的。{WHOLE}"}]}, "messages[1].content"),
        ({"messages": [SAY, OK, {"role": "tool", "content": WHOLE}, OK]}, "messages[2].content"),
        ({"messages": [SAY, {**OK, "reasoning_content": WHOLE}]}, "messages[1].reasoning_content"),
        (
            {"messages": [SAY, {"role": "assistant", "tool_calls": [called(题=WHOLE.replace("\n", " "))]}]},
            "messages[1].tool_calls",
        ),
        ({"prompt": "出一道选择题。", "chosen": "不。", "rejected": WHOLE}, "rejected"),
        ({"prompt": "出一道选择题。", "chosen": WHOLE, "rejected": "不。"}, "chosen"),
    ],
)
def test_a_question_with_options_is_found_wherever_it_stands(record, path):
    result = measure(Leakage(against="eval"), [record], others={"eval": [BRIEF, ZH]})
    assert paths(result) == [(0, path, "leaked")]
    assert result.value("rate") == Ratio(1, 2)


def test_a_question_in_two_turns_is_found():
    half = len(ZH["question"]) // 2
    rows = dataset(
        f"user: {ZH['question'][:half]} | assistant: 然后呢？ | user: {ZH['question'][half:]} | assistant: 好"
    )
    result = measure(Leakage(against="eval"), rows, others={"eval": [ZH, EN]})
    assert paths(result) == [(0, "messages[0].content", "leaked")]


def test_stems_that_say_too_little_are_counted():
    result = measure(
        Leakage(against="eval"), dataset(f"user: {CLEAN[0]} | assistant: 好"), others={"eval": [BRIEF, ZH]}
    )
    assert any("1 of 2 rows of eval have a question too brief" in note for note in result.not_checked)


QUOTED = {
    "question": ZH["question"],
    "options": ["十五千米", "二百二十五千米", "一百三十五千米", "六十千米"],
    "answer": "B",
}
WHOLE = "\n".join([QUOTED["question"], *QUOTED["options"]])


@pytest.mark.parametrize(
    "said",
    [
        "请解析：" + json.dumps({"q": QUOTED["question"], "choices": QUOTED["options"]}),
        "请解析：" + json.dumps(json.dumps(WHOLE)),
        "".join(f"&#{ord(c)};" for c in WHOLE),
        "https://example.com/?q=" + urllib.parse.quote(WHOLE),
        str(WHOLE.encode()),
        "<p>" + "</p><p class=o>".join([*re.split("，", QUOTED["question"]), *QUOTED["options"]]) + "</p>",
    ],
)
def test_a_question_that_stands_encoded_in_a_text_is_found(said):
    result = leaks(CLEAN[0], said, CLEAN[1], others={"eval": [QUOTED, EN]})
    assert paths(result) == [(1, "messages[0].content", "leaked")]


def test_the_place_of_an_encoded_question_is_that_of_its_code():
    code = json.dumps(ZH["question"])[1:-1]
    said = f"{CLEAN[0]}{code}{CLEAN[0]}"
    [(_, where, _)] = leaks(said).places
    start, end = map(int, re.findall(r"\d+", where)[-2:])
    first, last = len(CLEAN[0]), len(CLEAN[0]) + len(code) - len("\\uff1f")  # the question mark does not count
    assert (start, said[start:end].rsplit("\\", 1)[0]) == (first, said[first:last].rsplit("\\", 1)[0])


def test_a_question_in_the_escaped_arguments_of_a_tool_call_is_found():
    """Arguments are JSON as a string, and most libraries write Chinese there with escapes."""
    call = {"type": "function", "function": {"name": "search", "arguments": json.dumps({"query": ZH["question"]})}}
    row = {"messages": [{"role": "user", "content": CLEAN[0]}, {"role": "assistant", "tool_calls": [call]}]}
    result = measure(Leakage(against=("eval",)), [row], others={"eval": EVAL})
    assert paths(result) == [(0, "messages[1].tool_calls", "leaked")]
    assert result.value("rate") == Ratio(1, 3)


@pytest.mark.parametrize("labelled", [False, True])
def test_a_question_that_is_long_enough_with_labels_is_found_without(labelled):
    """22 letters without A, B, C and D, 26 with them; 24 are needed."""
    options = ["ln(a-b)>0", "3^a<3^b", "a^3-b^3>0", "|a|>|b|"]
    asked = [f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True)]
    item = {"question": "若 a>b, 则", "options": asked if labelled else options, "answer": "C"}
    for form in (options, asked):
        result = leaks("\n".join([item["question"], *form]), others={"eval": [item, EN]})
        assert result.value("rate") == Ratio(1, 2)


@pytest.mark.slow
@pytest.mark.parametrize(("lengths", "planted"), [((60, 30_000), [60]), ((30_000, 40_000), [30_000])])
def test_books_are_planted_only_where_there_is_nothing_shorter(lengths, planted, monkeypatch):
    """Fifteen ways to plant a hundred books would take minutes."""
    seen = set()
    monkeypatch.setattr(
        planted_leaks, "leaks", lambda item, host: seen.add(len(item.question)) or leak_kinds(item, host)
    )
    rng = random.Random(3)
    items = [
        {"question": "".join(chr(rng.randrange(0x4E00, 0x9F00)) for _ in range(n)), "answer": "1"} for n in lengths
    ]
    assert leaks(*CLEAN, others={"eval": items}).value("planted_recall").n > 0
    assert sorted(seen) == planted


STEM = {
    "question": "下列对象不能组成集合的是",
    "options": ["本班数学成绩较好的同学", "不小于零的所有偶数", "直线上所有的点", "不等式的解集全体"],
    "answer": "A",
}


@pytest.mark.parametrize(
    ("options", "leaked"),
    [
        (["B. 不等式的解集全体", "C. 直线上所有的点", "A. 不小于零的所有偶数", "D. 本班数学成绩较好的同学"], True),
        (["不等式的解集全体", "直线上所有的点", "不小于零的所有偶数", "著名的科学家"], False),
        (["某校高一的女生", "方程的实数根", "世界各国的首都", "很小的数"], False),
        ([], False),
        (["很小的数" * 60, *STEM["options"][::-1]], False),
    ],
)
def test_a_brief_question_counts_where_all_its_options_stand_beside_it(options, leaked):
    """Without them this stem stands before many questions; far away they are of another question."""
    asked = "\n".join([STEM["question"], *options])
    assert 12 <= len(STEM["question"]) < 20
    result = leaks(CLEAN[0], asked, json.dumps(asked), others={"eval": [STEM, EN]})
    assert [row for row, _, problem in result.places if problem == "leaked"] == ([1, 2] if leaked else [])
    assert result.value("rate") == Ratio(int(leaked), 2)
    assert result.value("review") == (0 if leaked else 1)


TABLE = "table: 1-10015132-16\ncolumns: Player, No., Nationality, Position, Years in Toronto, School/Club Team\n"
ARTICLE = (
    "The lighthouse at Skerry Point was built in 1871 by two brothers from Orkney, who carried every stone over the "
    "causeway at low tide and slept in a hut of driftwood until the lamp was lit for the first time.\n"
)


@pytest.mark.parametrize(
    ("passage", "asked", "other"),
    [
        (f"{TABLE}Q: ", "What is Terrence Ross' nationality?", "Which club did number 21 come from?"),
        (ARTICLE, "Who carried the stones over the causeway?", "In which year did the building begin?"),
        ("小明的爷爷年轻时在县城的粮站当过会计，后来回到村里教了三十年书，退休后又替邻居们写信记账。\n", "爷爷退休以后还在做什么事情？",
         "他在县城里是干哪一行的呢？"),
    ],
    ids=["table", "article", "chinese"],
)  # fmt: skip
@pytest.mark.parametrize("shape", ["messages", "text"])
def test_a_passage_with_another_question_is_no_leak(passage, asked, other, shape):
    """Read in MLX's WikiSQL: train and test ask about the same tables, and never the same."""

    def measured(question):
        check = Leakage(against=("eval",))
        if shape == "messages":
            held = {"eval": [{"question": f"{passage}{asked}", "answer": "-"}]}
            return leaks(*CLEAN, f"{passage}{question}", check=check, others=held)
        said = [{"text": f"{passage}{text}\nA: -"} for text in (asked, question)]
        return measure(check, said[1:], others={"eval": said[:1]})

    apart, same = measured(other), measured(asked)
    assert apart.value("rate") == Ratio(0, 1)
    assert apart.value("shared_passages") == 1
    assert [problem for _, _, problem in paths(apart)] == ["shared_passage"]
    assert same.value("rate") == Ratio(1, 1)
    assert same.value("shared_passages") == 0


@pytest.mark.parametrize(
    ("passage", "asked", "reworded"),
    [
        (ARTICLE, "Who carried the stones over the causeway at low tide?", "At low tide, who carried stones over the causeway?"),
        ("小明的爷爷年轻时在县城的粮站当过会计，后来回到村里教了三十年书，退休后又替邻居们写信记账。\n", "爷爷退休以后还在做什么事情？",
         "爷爷在退休之后还做什么事？"),
        ("", "关于草船借箭的经过，下面哪一项的说法与原文的意思不相符合？\nA. 诸葛亮在三天之内借到了十万枝箭\nB. 鲁肃把借船的事告诉了周瑜",
         "关于草船借箭的经过，下面哪一项的说法与原文的意思不相符合？\nA. 诸葛亮在三天之内借到了十万枝箭"),
        ("", "关于草船借箭的经过，下面说法与原文的意思不相符合的一项是（　）\nA. 诸葛亮在三天之内借到了十万枝箭\nB. 鲁肃把借船的事告诉了周瑜",
         "关于草船借箭的经过，下面说法与原文的意思不相符合的一项是（　）\nA. 诸葛亮在三天之内借到了十万枝箭"),
    ],
    ids=["english", "chinese", "lost-option", "no-question-mark"],
)  # fmt: skip
def test_the_same_question_in_other_words_is_no_other_question(passage, asked, reworded):
    held = {"eval": [{"question": f"{passage}{asked}", "answer": "-"}]}
    found = leaks(*CLEAN, f"{passage}{reworded}", check=Leakage(against=("eval",)), others=held)
    assert (found.value("rate"), found.value("shared_passages")) == (Ratio(1, 1), 0)


def test_a_passage_of_a_red_line_set_is_one_too_many():
    held = {"eval": [{"question": f"{ARTICLE}Who carried the stones over the causeway?", "answer": "-"}]}
    check = Leakage(red_line=("eval",))
    assert (
        leaks(f"{ARTICLE}In which year did the building begin?", check=check, others=held).value("red_line_hits") == 1
    )


def test_a_question_behind_its_passage_in_another_turn_is_a_leak():
    question = "Who carried the stones over the causeway?"
    rows = dataset(f"user: {ARTICLE}Which sea is it? | assistant: The North Sea. | user: {question} | assistant: Two.")
    held = {"eval": [{"question": f"{ARTICLE}{question}", "answer": "-"}]}
    assert measure(Leakage(against=("eval",)), rows, others=held).value("rate") == Ratio(1, 1)
