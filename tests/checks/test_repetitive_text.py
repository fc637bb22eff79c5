import json
import random

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.repetitive_text import RepetitiveText
from datacheck.testing import dataset, finding, measure

rng = random.Random(5)
PLAIN = "".join(chr(rng.randrange(0x4E00, 0x9FA0)) for _ in range(2000))


def problems(text, **settings):
    records = [{"instruction": "问", "output": text}]
    return [problem for _, problem in measure(RepetitiveText(**settings), records).problems]


@pytest.mark.parametrize(
    "text",
    [
        "哈" * 400,
        "我不知道" * 100,
        "1326134." + "0" * 1000,
        "好的，我来说明。" + "今天天气很好，" * 60,
        PLAIN[:300] + "那么" * 300,
        "abcdefghijklmnopqrstuvwxyz " * 40,
        "哈" * 110,
    ],
)
def test_one_ngram_over_and_over(text):
    assert problems(text) == ["repeated_ngram"]


@pytest.mark.parametrize("end", ["\n", "。", "！", "\n\n"])
def test_a_line_more_than_five_times(end):
    long_line = PLAIN[:60]
    assert problems(PLAIN[100:200] + end + (long_line + end) * 6) == ["repeated_line"]
    assert problems(PLAIN[100:200] + end + (long_line + end) * 5 + PLAIN[200:300]) == []


WHOLE = "".join(f"{PLAIN[n * 20 : n * 20 + 20]}。" for n in range(20))


@pytest.mark.parametrize(
    ("end", "found"),
    [
        ("因此合同无效。" * 3, ["repeated_end"]),
        ("因此合同无效。" * 3 + "因此合", ["repeated_end"]),
        ("因此合同无效。" * 2, []),
        ("因此合同无效。" * 2 + "因此合", []),
        ("因此合同无效。" * 3 + "双方应当各自返还。", []),
        ("好。" * 3, []),
        ("\n    return values(1);\n    return values(1);\n    return values(1);\n}", []),
    ],
)
def test_a_text_that_ends_in_a_loop(end, found):
    assert problems(WHOLE + end) == found


def test_in_json_values_repeat_and_keys_do_not_count():
    def objects(value):
        each = [{"condition_name": value(n), "condition_value": value(n + 50)} for n in range(40)]
        return json.dumps(each, ensure_ascii=False)

    assert problems(objects(lambda n: PLAIN[n * 6 : n * 6 + 6])) == []
    assert problems(objects(lambda n: "协议成团价，不含门票和午餐")) == ["repeated_ngram"]
    assert problems("价格：" + objects(lambda n: PLAIN[n * 6 : n * 6 + 6])) == ["repeated_ngram"]  # no JSON


def test_commands_of_latex_are_no_words():
    rng = random.Random(3)
    terms = [rf"{rng.randrange(10, 99)} \overrightarrow{{{rng.choice('ABCDPQR')}}}" for _ in range(60)]
    assert problems("Let the origin be O. " + " + ".join(terms)) == []
    assert problems("Let the origin be O. " + r"\overrightarrow{A} + \overrightarrow{B} + " * 40) == ["repeated_ngram"]


def test_both():
    assert sorted(problems("对不起，我不知道。\n" * 100)) == ["repeated_line", "repeated_ngram"]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "哈哈哈哈哈哈哈哈",
        "-" * 500 + "\n" + "=" * 500,
        "| 甲 | 乙 |\n|----|----|\n" + "".join(f"| {PLAIN[n]} | {n} |\n" for n in range(60)),
        "```\n" + "    }\n" * 100 + "```\n" + PLAIN[:100],
        "if a {\n" + "".join(f"  x{n} = {PLAIN[n]}\n  }}\n" for n in range(50)),
        "".join(f"{n}. {PLAIN[n * 20 : n * 20 + 20]}。是的。\n" for n in range(40)),
        "".join(f"{n} * {n + 1} = {n * (n + 1)}, " for n in range(200)),
        "Half of the pizza is 3/6 of a pizza. " * 3 + PLAIN[:200],
        " " * 1000 + "\\/" + " " * 1000,
    ],
)
def test_what_may_repeat(text):
    assert problems(text) == []


def test_only_what_is_learnt():
    loop = "我不知道" * 100
    assert problems(loop)
    assert measure(RepetitiveText(), dataset(f"user: {loop} | assistant: 好")).problems == []
    assert measure(RepetitiveText(), dataset(f"user: 好 | chosen: 好 | rejected: {loop}")).problems == []
    assert measure(RepetitiveText(), dataset(f"user: 好 | chosen: {loop} | rejected: 好")).value("rate") == Ratio(1, 1)
    earlier = dataset(f"user: 好 | assistant: {loop} | user: 好 | assistant: 好")
    assert measure(RepetitiveText(), earlier).places == [(0, "messages[1].content", "repeated_ngram")]


def test_settings():
    once = PLAIN[:400] + "十个字的片段放在这里" * 30
    assert problems(once) == ["repeated_ngram"]
    assert problems(once, share=0.6) == []
    assert problems(once, characters=500) == []


def test_finding():
    assert finding(RepetitiveText(), [{"text": "哈" * 400}]).status is Status.FAIL
    assert "100 % of the text" in measure(RepetitiveText(), [{"text": "哈" * 400}]).first[0]["detail"]


def test_real_loops(realdata):
    """The two loops that reading the longest repetitions of these files by hand found."""
    for name, row in (("kto_en_demo.json", 65), ("glaive_toolcall_en_demo.json", 243)):
        raw = (realdata / "llama_factory/data" / name).read_bytes()
        assert {place for place, _ in measure(RepetitiveText(), raw, name=name).problems} == {row}


def test_an_answer_that_an_earlier_turn_gave():
    said = "A tree drops its leaves before the winter, for it could not get enough water."
    chats = [
        dataset(f"user: Why? | assistant: {first} | user: And when? | assistant: {second}")[0]
        for first, second in ((said, said), (said, f"{said} Really."), ("You are welcome!", "You are welcome!"))
    ]
    result = measure(RepetitiveText(), chats)
    assert result.value("turns") == Ratio(1, 3)
    assert result.value("rate") == result.value("prompts") == Ratio(0, 3)
    assert [(row, problem) for row, problem in result.problems] == [(0, "same_turn")]


@pytest.mark.parametrize("between", ["", " ", "\n\n"])
def test_an_answer_that_stands_there_twice(between):
    answer = "A tree drops its leaves before the winter, for it could not get enough water."
    rows = [
        {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": text}]}
        for text in (answer + between + answer, answer, f"{answer} {answer[:-5]} sun.", "Ha ha! Ha ha!")
    ]
    assert measure(RepetitiveText(), rows).problems == [(0, "said_twice")]


def test_a_question_that_is_asked_twice():
    asked = "番茄为什么叶子发黄？"
    rows = dataset(
        *(f"user: {text} | assistant: 好" for text in (asked * 2, f"{asked} {asked}", asked, "为什么？" * 2))
    )
    found = measure(RepetitiveText(), rows)
    assert found.problems == [(0, "asked_twice"), (1, "asked_twice")]
    assert (found.value("rate"), found.value("prompts")) == (Ratio(0, 4), Ratio(2, 4))


def test_tests_of_a_program_may_repeat_themselves():
    tests = "\n".join(f"    assert isNested({n});\n    checkThatNothingElseIsNested(true);" for n in range(12))
    task = {"prompt": "Write isNested(text), which says whether brackets are nested."}
    assert measure(RepetitiveText(), [{**task, "tests": tests}]).problems == []
    looped = "checkNothingElse(true);\n" * 12
    assert measure(RepetitiveText(), [{**task, "response": looped}]).problems == [(0, "repeated_line")]


def test_a_program_without_a_fence_may_call_one_function_often():
    shown = "\n".join(f"    int item{n} = read({n});\n    System.out.println(item);" for n in range(8))
    assert problems(f"public class Show {{\n{shown}\n}}") == []


@pytest.mark.parametrize(
    ("signs", "found"),
    [
        ("！" * 8, 1),
        ("！" * 7, 0),
        ("。" * 20, 1),
        ("😀🎉" * 8, 1),
        ("😀🎉" * 7, 0),
        ("…" * 20, 0),
        ("," * 30, 0),
        ("-" * 40, 0),
    ],
)
def test_one_sign_many_times_in_a_row(signs, found):
    answer = f"{PLAIN[:60]}{signs}{PLAIN[60:120]}"
    assert problems(answer) == ["repeated_sign"] * found


def test_a_table_of_games_is_no_loop():
    """The point of "vs." ends no sentence, or the beginning of each line of the table would be one said again."""
    rivals = "Bengals Browns Steelers Texans Rams Seahawks Cardinals Jaguars Titans Colts".split()
    games = [f"| 2011 | 1:00 PM | Ravens vs. {rival} | {20 + at}-{10 + at} |" for at, rival in enumerate(rivals)]
    assert problems("\n".join(["| Season | Local Time | Game | Score |", *games])) == []
    assert problems("\n".join(games[:1] * 10)) == ["repeated_line"]
