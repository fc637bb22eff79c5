"""Answers that stop in the middle; the verdicts are by hand."""

import random

import pytest
from core_helpers import each_of

from datacheck.check import Ratio
from datacheck.checks.unfinished_answers import UnfinishedAnswers
from datacheck.testing import dataset, finding, measure

ZH = "光合作用是植物利用光能，把二氧化碳和水转化为有机物并放出氧气的过程，主要发生在叶绿体里。"
EN = "Photosynthesis turns light into chemical energy inside the chloroplasts of a leaf. "


def row(answer):
    return {"messages": [{"role": "user", "content": "什么是光合作用？"}, {"role": "assistant", "content": answer}]}


def problems(answer):
    return every([answer])[answer]


def every(answers):
    return each_of(UnfinishedAnswers(), {answer: row(answer) for answer in answers})


def test_cut_in_the_middle():
    cases = [
        (EN + "It takes place where chlorophyll absorbs light and the", "open_word"),
        (EN + "There are two stages, which", "open_word"),
        (ZH + "其次要考虑温度以及", "open_word"),
        (ZH + "它影响所有的", "open_word"),
        (ZH + "影响因素有光照、温度、", "open_end"),
        (EN + "The factors are light, water,\n", "open_end"),
        (EN + "It is also called (", "open_end"),
        (ZH + ZH + "第二个阶段叫做暗反应，它不需要光，而是在叶绿体的基质里把二", "open_clause"),
        (ZH + ZH + "第二个阶段叫做暗反应，它不需要光，在基质里进行，消耗前一阶段产", "open_clause"),
        (EN + EN + "The second stage needs no light at all and takes place in the inner", "open_clause"),
        (ZH + ZH + "\n（由于篇幅限制，以下内容省略）", "told"),
        (ZH + ZH + "\n如需了解更多，请回复“继续”。", "told"),
        (EN + "The factors are light...[truncated]", "told"),
        ("So the answer is $\\boxed{}$.", "no_result"),
        ("Which is $\\begin{cases} y \\leq 2x \\\\ y \\geq 6$ and nothing else is.", "open_formula"),
        (EN + "(Continue in next message...)", "told"),
        ("Put it in \\boxed{}: 6 times 7 is \\boxed{4", "no_result"),
        ("```python\ndef add(a, b):", "open_code"),
        ('{"name": "Ann", "steps": ["mix the flour", "bake it", "ser', "open_json"),
        ('[{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo', "open_json"),
        (ZH + "\n\n| 项目 | 说明 |\n|---|:---:|\n| 光 | 强 |\n| 水 | ", "open_table"),
        (EN + "\n```python\ndef rate(light):\n    return light *", "open_code"),
        ("代码如下：```python\ndef add(a, b):", "open_code"),
        ("Begin with '```json'.\n\n```json\n{\"a\": 1}\n```\n1. ```\nand", "open_code"),
    ]
    assert every(dict(cases)) == {answer: [problem] for answer, problem in cases}


def test_what_has_an_end():
    cases = [
        ZH,
        EN,
        ZH.removesuffix("。"),
        "Give a schema, begin the answer with '{' or '```json', and say where it ends.",
        "Type ```ls``` and read what ```cat``` prints, then close with a ``` of your own.",
        ZH + ZH + "祝你学习愉快，考试顺利，天天向上",
        ZH + ZH + "最好的祝福，艾米丽",
        ZH + ZH + "主要因素：光照；温度；水分；二氧化碳浓度",
        ZH + ZH + "\n\n参考文献：植物生理学第五章第二节",
        EN + EN + "Yours in the hope of many more green leaves, Dr. Green",
        EN + EN + "- and a list of the factors goes on here",
        EN + "\n```python\nprint(1)\n```",
        EN + "\n```python\nprint(1)```\nThat is all",
        ZH + "\n\n| 项目 | 说明 |\n|---|---|\n| 光 | 强 |",
        ZH + "\n\n| 项目 | 说明 |\n|---|---|\n| 光 | 强 |\n\n| 值 |",
        "SELECT name, age FROM students WHERE city = 'London' AND age > 18;",
        "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a",
        "1. 光照强度与二氧化碳浓度\n2. 温度、水分与矿物质\n3. 植物的种类与叶龄，以及测量的时间",
        "值得称赞的，模范的，革命性的，激进的，创新的，令人钦佩的，著名的，卓越的，有名的",
        "他说：“这片叶子为什么是绿色的？”老师回答：“因为叶绿素反射绿光，吸收红光与蓝光。”",
        "The difference is 25 - 18 = 7 sq in, and the price is $0.25 more per can",
        "and the",
        "The form is \\boxed{}, so it is \\boxed{\\frac{1}{2}}.",
    ]
    assert every(cases) == {answer: [] for answer in cases}


def test_the_end_is_shown_and_only_the_last_answer_judged():
    cut = EN * 5 + "It takes place where chlorophyll absorbs the"
    first = [*row(cut)["messages"], {"role": "user", "content": "继续"}, {"role": "assistant", "content": "light."}]
    result = measure(UnfinishedAnswers(), [row(cut), {"messages": first}])
    assert result.value("rate") == Ratio(1, 2)
    assert "absorbs the”" in result.first[0]["detail"]


def test_one_in_two_hundred_is_told():
    rows = [row(f"{n} {ZH}") for n in range(150)]
    assert finding(UnfinishedAnswers(), rows).status == "pass"
    assert finding(UnfinishedAnswers(), [*rows, row(EN + "and the")]).status == "warn"


@pytest.mark.parametrize(
    "sentence", ["The green leaf takes in light and gives off air. ", "绿叶吸收阳光，也放出氧气。"]
)
def test_a_limit_of_tokens_shows_by_the_longest_answers(sentence):
    """Fifteen answers that nothing is longer than, of different lengths and all without a stop."""
    tell = len(sentence.encode())
    whole = [row(f"{n}: " + sentence.strip() * (2 + n % (700 // tell))) for n in range(90)]
    cut = [
        row(f"{n}: {sentence * (1500 // tell)}{sentence[: 9 + n % 3]}{'x' if tell == len(sentence) else '的'}")
        for n in range(15)
    ]
    result = measure(UnfinishedAnswers(), [*whole, *cut])
    assert result.value("cut_length") == Ratio(15, 105)
    ended = [row(f"{n}: {sentence.strip() * (1500 // tell)}") for n in range(15)]
    assert measure(UnfinishedAnswers(), [*whole, *ended]).value("cut_length") == Ratio(0, 105)


def test_who_leaves_stops_out_is_not_judged_by_one():
    cut = row(ZH + ZH + "第二个阶段叫做暗反应，它不需要光，而是在叶绿体的基质里把二")
    loose = row("可以的，先晒太阳，再浇一点水，过两天就会好起来")
    assert measure(UnfinishedAnswers(), [cut, *[row(ZH)] * 9]).value("rate") == Ratio(1, 10)
    result = measure(UnfinishedAnswers(), [cut, loose, loose, *[row(ZH)] * 9])
    assert (result.value("rate"), len(result.not_checked)) == (Ratio(0, 12), 1)


def test_a_limit_shows_by_the_lengths_at_which_answers_pile_up():
    """Eight answers cut at 300 characters, wherever that fell; beside them, answers of all lengths."""
    texts = [f"{n}: " + "the green leaf takes in light and gives off air and " * (2 + n % 9) for n in range(60)]
    whole = [row(text[: 150 + 7 * n] + ".") for n, text in enumerate(texts)]
    cut = [row(("answer " + text * 4)[:300]) for text in texts[:8]]
    result = measure(UnfinishedAnswers(), [*whole, *cut])
    assert result.value("cut_length") == Ratio(8, 68)
    assert {row for row, problem in result.problems if problem == "cut_length"} == set(range(60, 68))
    assert measure(UnfinishedAnswers(), whole).value("cut_length") == Ratio(0, 60)
    assert measure(UnfinishedAnswers(), [*whole, *[cut[0]] * 8]).value("cut_length") == Ratio(0, 68)  # copies


# Answers of two lines, each with its stop; the last one of the row in question has none.
LINES_ZH = "第一，白天要见光，最好放在南边的窗台上面。\n第二，夜里浇水，而且要浇透，土干了再浇，"
LINES_EN = "1. Give it light.\n2. Water it in the evening, and let it dry before you water it again"


@pytest.mark.parametrize(
    "answer",
    [
        LINES_ZH + "冬天要少浇一点，夏天则",
        "这种植物喜欢温暖的环境，冬天应当放在室内，夏天则应当放在有散射光的地方，避免阳光直射到叶片，否则叶子会很快地变黄并且枯",
        LINES_EN + " in the wint",
        LINES_EN + ", as everybody wishes them to be in the gard",
        "The sweet fragrance of the rose filled the air and reached us in the gard",
        "The Roses of the Garden: Simple Tips for Your Garden and for the gard",
    ],
)
def test_a_last_line_without_a_stop_where_others_have_one(answer):
    rows = [row(f"{LINES_ZH}第{n}天再看。") for n in range(30)] + [row(f"{LINES_EN}, {n} times.") for n in range(30)]
    assert measure(UnfinishedAnswers(), [*rows, row(answer)]).places == [(60, "messages[1].content", "open_line")]


def test_what_is_open_for_a_reason_of_its_own_has_no_open_line_beside_it():
    rows = [row(f"{LINES_EN}, {n} times.") for n in range(30)]
    found = measure(UnfinishedAnswers(), [*rows, row(f"{LINES_EN} because")]).places
    assert found == [(30, "messages[1].content", "open_word")]


@pytest.mark.parametrize(
    "answer",
    [
        LINES_EN + " in June.\nYours sincerely, the gardener of the house",
        LINES_EN + ".\nSee https://example.com/how-to-water-your-plants",
        LINES_EN + ". Feel free to write to me at plants.example.com",
        LINES_EN + ". Let me know how the garden does.Warmly,Denise",
        LINES_EN + ". Be easy on the plants, they are trying!~Mark",
        LINES_EN + ".\n#plants #water #gardening #home",
        "The area of the garden in the picture is width times height = twelve",
        "Understanding Climate Change and Its Impact on Biodiversity",
        "Reducing Waste at a Time: Simple Tips for Your Eco-Footprint",
        "The nouns that stand in the sentence: dog, sticks, balls",
        "办理时间为周一至周五，上午8:30-12:00，下午14:00-17:30，夏时制时间另行通知，法定节假日除外",
        "湖北省武汉市武昌区东湖西路特1号湖北省人力资源和社会保障厅综合服务楼15楼1525室",
        "可以种的有玫瑰、月季、牡丹、芍药、百合、郁金香、风信子、水仙、菊花、兰花、荷花、桂花、梅花、杜鹃",
    ],
)
def test_last_lines_that_need_no_stop(answer):
    rows = [row(f"{LINES_ZH}第{n}天再看。") for n in range(30)] + [row(f"{LINES_EN}, {n} times.") for n in range(30)]
    assert measure(UnfinishedAnswers(), [*rows, row(answer)]).places == []


def test_a_set_that_writes_no_last_stop_is_not_cut():
    rows = [row(f"{LINES_EN}, {n} times.") for n in range(18)] + [row(f"{LINES_EN} on day {n} or so") for n in range(2)]
    assert measure(UnfinishedAnswers(), rows).places == []


def lay(n: int, *, end: str) -> str:
    """Chinese of some clauses; what ends a clause stands at no other place."""
    rng = random.Random(n)
    words, closing = (
        ("".join(rng.choices("天地玄黄宇宙洪荒日月盈昃", k=2)) for _ in range(99)),
        "去吧 来了 好的 行啊".split(),
    )
    clauses = ["".join(next(words) for _ in range(4)) + rng.choice(closing) for _ in range(6)]
    text = "，".join(clauses[:2]) + "。" + "，".join(clauses[2:4]) + "。" + "，".join(clauses[4:])
    return text + end if end else text[: -2 if n % 2 else None]


@pytest.mark.parametrize(("cut", "found"), [(False, 0), (True, 30)])
def test_writers_who_leave_the_last_stop_out_end_as_clauses_do(cut, found):
    rows = [lay(n, end="。") for n in range(470)]
    rows += [lay(2 * n + cut, end="") for n in range(30)]  # an odd one lacks its last word
    result = measure(UnfinishedAnswers(), dataset(*(f"user: 说说 | assistant: {each}" for each in rows)))
    assert result.value("rate") == Ratio(found, 500)
    few = [*rows[:470], *rows[470:489]]  # 19 are no habit
    result = measure(UnfinishedAnswers(), dataset(*(f"user: 说说 | assistant: {each}" for each in few)))
    assert result.value("rate") == Ratio(19, 489)


NATURAL = "I was sad for long. Then I read that book and went out again. It helped me to see {n} things as they are"
CUT = "I was sad for long. Then I read that book and went out again. It helped me to see {n} things and the"


def test_english_writers_who_leave_the_last_stop_out_end_on_no_article():
    whole = [row(NATURAL.format(n=n) + ".") for n in range(100)]
    loose = [row(NATURAL.format(n=n)) for n in range(200, 220)]
    result = measure(UnfinishedAnswers(), [*whole, *loose])
    assert (result.value("rate"), len(result.not_checked)) == (Ratio(0, 120), 1)
    cut = [row(CUT.format(n=n)) for n in range(300, 304)]
    assert measure(UnfinishedAnswers(), [*whole, *loose, *cut]).value("rate") == Ratio(24, 124)
    one = measure(UnfinishedAnswers(), [*whole, *loose, cut[0]])  # said by its last word
    assert one.value("rate") == Ratio(1, 121)
    assert measure(UnfinishedAnswers(), [*whole, *loose[:19]]).value("rate") == Ratio(19, 119)  # 19 are no habit


def test_lines_of_lists_that_a_template_ends_with_are_not_cut():
    """Each answer ends with a list; only of some every other line has a stop."""
    likely = "The most likely diagnosis is fever {n}.\nNo abnormal findings were recorded.\nAlso considered: cough, ache of head"
    rows = [row(likely.format(n=n)) for n in range(20)]
    rows += [row(f"Findings {n}:\n- heart\n- lungs\nAlso considered: cough, ache of head") for n in range(400)]
    assert measure(UnfinishedAnswers(), rows).value("rate") == Ratio(0, 420)


def test_a_length_that_answers_with_a_stop_have_too_is_no_limit():
    """Formulas of a template: half of the texts of one length end on a bracket, half on a number."""
    texts = [f"{n}: " + "the green leaf takes in light and gives off air and " * (2 + n % 9) for n in range(60)]
    whole = [row(text[: 150 + 7 * n] + ".") for n, text in enumerate(texts)]
    cut = [row(("answer " + text * 4)[:300]) for text in texts[:8]]
    closed = [row(("formula " + text * 4)[:299] + ")") for text in texts[:8]]
    assert measure(UnfinishedAnswers(), [*whole, *cut, *closed]).value("cut_length") == Ratio(0, 76)
    assert measure(UnfinishedAnswers(), [*whole, *cut, *closed[:2]]).value("cut_length") == Ratio(8, 70)


def test_a_smiley_is_no_open_bracket():
    assert problems(EN + "I am sorry to hear that about your garden :-(") == []


WORDS = "tomatoes gardener watering balcony morning sunlight cabbages fertile seedling compost blossom harvest".split()


@pytest.mark.parametrize(
    ("ends", "found"),
    [
        ([word[:-3] for word in WORDS], 12),
        (WORDS, 0),
        (["".join(chr(97 + (n * step) % 26) for step in (3, 5, 7, 11)) * 2 for n in range(1, 13)], 0),
    ],
    ids=["cut", "whole", "names"],
)
def test_answers_that_end_inside_a_word(ends, found):
    """Their last letters are no word of another text. A name is none, either, but the word before it is as rare."""
    names = not found and ends is not WORDS
    whole = [f"Both {WORDS[n % 12]} and {WORDS[n % 7]} are for whoever waits, said {n} of them." for n in range(60)]
    cut = [
        f"Whoever waits, said {n} of them, is for {end[::-1] if names else 'whoever'} {end}"
        for n, end in enumerate(ends)
    ]
    rows = [{"prompt": f"What is it, {n}?", "response": text} for n, text in enumerate(whole + cut)]
    result = measure(UnfinishedAnswers(), rows)
    assert [problem for _, problem in result.problems].count("cut_word") == found
