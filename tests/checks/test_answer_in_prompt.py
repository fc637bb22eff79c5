import json

import pytest
from core_helpers import contract, jsonl, report
from pydantic import ValidationError

from datacheck.check import Ratio, Status
from datacheck.checks.answer_in_prompt import AnswerInPrompt
from datacheck.testing import finding, measure


def rows(*pairs):
    return [{"prompt": prompt, "ground_truth": gold} for prompt, gold in pairs]


@pytest.mark.parametrize(
    ("prompt", "gold"),
    [
        ("题目：首都是哪里？提示：北京天安门", "北京天安门"),
        ("Say ＨＥＬＬＯ world.", "hello"),
        ("Which code has <a_1><b_2>?", "<a_1><b_2>"),
        ("後臺的門在哪？後臺的門", "后台的门"),
        ("tom, dick", "so #### dick"),
    ],
)
def test_given(prompt, gold):
    result = measure(AnswerInPrompt(), rows((prompt, gold), ("什么？", "没有出现")))
    assert result.places == [(0, "prompt", "answer_in_prompt")]
    assert result.value("rate") == Ratio(1, 2)


@pytest.mark.parametrize(
    ("prompt", "gold"), [("concatenate it", "#### cate"), ("version v1000", "v100"), ("你好吗", "我很好呀")]
)
def test_not_given(prompt, gold):
    assert measure(AnswerInPrompt(), rows((prompt, gold))).value("rate") == Ratio(0, 1)


def test_a_blank_is_filled_in_with_what_the_text_defines():
    defined = "Let $f^{Tot}_k$ be the total resource. Fill in: "
    result = measure(
        AnswerInPrompt(),
        rows(
            (defined + "$x = [MASK] c_k$", "f^{Tot}_k"),
            (defined + "x is ____.", "total resource"),
            (defined + "what is x?", "total resource"),
            (defined + "____? The answer is total resource.", "total resource"),
        ),
    )
    assert result.places == [(2, "prompt", "answer_in_prompt"), (3, "prompt", "answer_in_prompt")]


def test_what_occurs_by_chance_is_not_judged():
    result = measure(AnswerInPrompt(), rows(("1080 of 2", "1,080"), ("A or B", "A"), ("yes?", "yes"), ("有甲", "甲")))
    assert result.value("rate") == Ratio(0, 4)
    assert result.not_checked == ("4 golds are numbers, letters of options or have fewer than 4 letters and digits",)


def test_formulas_count_by_their_letters_and_digits():
    pairs = (
        ("let f(n) be odd", "f(n)"),
        (r"angle 30^\circ", r"30^\circ"),
        ("x^2+1 = 0", "x^2+1"),
        ("is n(n+1)/2", "n(n+1)/2"),
    )
    result = measure(AnswerInPrompt(), rows(*pairs))
    assert result.places == [(3, "prompt", "answer_in_prompt")]


def test_rows_without_a_prompt_have_no_answer_to_give():
    """Nothing was looked at, unless columns are named."""
    tickets = [{"uid": "u-1", "shop": "New York", "n": 7}] * 2
    assert finding(AnswerInPrompt(), tickets).status is Status.ERROR
    assert finding(AnswerInPrompt(question=("uid",), answer=("shop",)), tickets).status is Status.PASS


def test_rows_without_golds():
    result = measure(AnswerInPrompt(), [{"prompt": "a"}, *rows(("b", "long answer"))])
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("1 row has no prompt with a gold answer",)
    assert measure(AnswerInPrompt(), []).value("rate") is None


def minionerec(asked, gold, *, given):
    """A row as MiniOneRec's RLTitle2SidDataset and RLSid2TitleDataset write it; at 81b4ba9 with the gold behind it."""
    prompt = f"### User Input: \n{asked}\n\n### Response:\n{gold if given else ''}"
    return {"prompt": prompt, "completion": f"{gold}\n"}


@pytest.mark.slow
@pytest.mark.parametrize("task", ["title2sid", "sid2title"])
def test_minionerec_office_products(realdata, task):
    """trainers.md, M6: every prompt of these tasks holds the gold; with the template mended none does."""
    path = next((realdata / "minionerec").rglob("info/Office*.txt"))
    items = [line.split("\t")[:2] for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(items) == 3459
    titles = {title: code for code, title in items}
    codes = dict(items)
    if task == "title2sid":
        assert len(titles) == 3459 - 16  # M10: 16 titles are lost to another item
        pairs = [(f"Which item has the title: {title}?", code) for title, code in titles.items()]
    else:
        assert len(codes) == 3444
        pairs = [(f'What is the title of item "{code}"?', title) for code, title in codes.items()]
    check = AnswerInPrompt(of="response")
    given = measure(check, [minionerec(*pair, given=True) for pair in pairs])
    assert given.value("rate") == Ratio(len(pairs), len(pairs))
    mended = measure(check, [minionerec(*pair, given=False) for pair in pairs])
    assert mended.value("rate") == Ratio(0, len(pairs))


ITEMS = [{"history": "[1, 2]", "target": "2"}, {"history": [1, 2], "target": 12}, {"history": "['x']"}]


def test_by_columns():
    check = AnswerInPrompt(question=("history",), answer=("target",))
    result = measure(check, ITEMS, source={"format": "rows"})
    assert result.value("rate") == Ratio(1, 3)
    assert result.places == [(0, "history", "answer_in_prompt")]
    assert result.not_checked == ("1 row has no values in both",)


@pytest.mark.slow
def test_targets_in_the_histories_of_office_products(realdata):
    """trainers.md: 281 rows whose target is an item of their own history."""
    path = next((realdata / "minionerec").rglob("valid/Office*.csv"))
    check = AnswerInPrompt(question=("history_item_id",), answer=("item_id",))
    assert measure(check, path.read_bytes(), source={"format": "rows"}, name="v.csv").value("rate") == Ratio(281, 4866)


def test_as_a_trainer_renders_it():
    rows = [{"sid": "<a_1><b_2><c_3>", "title": "Pen"}, {"sid": "<a_1>", "title": "Ink"}]
    result = measure(AnswerInPrompt(rendered_by="minionerec.items"), rows, source={"format": "rows"})
    assert result.value("rate") == Ratio(1, 2)
    assert result.not_checked == ("of 1 rows minionerec.items makes no prompt with an answer",)
    sft = [{"instruction": "2 + 2 = 4?", "output": "4"}, {"instruction": "2 + 2?", "output": "four"}]
    assert measure(AnswerInPrompt(rendered_by="pplmx_llm.sft"), sft).value("rate") == Ratio(1, 2)


@pytest.mark.parametrize(
    "settings",
    [{"question": ["a"]}, {"rendered_by": "nobody.sft"}, {"question": ["a"], "answer": ["b"], "rendered_by": "x"}],
)
def test_settings_that_contradict_each_other(settings):
    with pytest.raises(ValidationError):
        AnswerInPrompt(**settings)


def test_answers_that_the_question_names_by_their_kind():
    """ "True or false?" gives nothing away; a list of answers is given where one of them is."""
    rows = [
        {"question": "True or false: water is wet.", "answer": "True"},
        {"question": "下列说法正确还是错误？水是湿的。", "answer": "正确"},
        {"question": "What is the capital?", "answer": ["巴黎市区", "Paris"]},
        {"question": "Paris is the capital of what?", "answer": ["巴黎市区", "Paris"]},
        {"question": "巴黎铁塔有多高？", "answer": {"text": ["巴黎铁塔"], "answer_start": [0]}},
        {"question": "Is 'concatenate' one word?", "answer": ["cate", "one word"]},
    ]
    result = measure(AnswerInPrompt(), rows)
    assert result.problems == [(3, "answer_in_prompt"), (4, "answer_in_prompt"), (5, "answer_in_prompt")]
    assert result.not_checked == ("2 golds are numbers, letters of options or have fewer than 4 letters and digits",)


ADDED = (
    "{q} (Solution: the answer is {a}.)", "{q} Answer: {a}", "{q}\n#### {a}", "{q} \\boxed{{{a}}}", "{q} {a}",
    "{q} 答案是{a}。", "{q} So it comes to {a} in total.",
)  # fmt: skip


@pytest.fixture(scope="module")
def gsm8k(realdata):
    path = next((realdata / "gsm8k").rglob("test.jsonl"))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][:400]


def judged(folder, command, rows):
    jsonl(folder / "data" / "a.jsonl", *rows)
    code, _, _ = command("run", contract(folder, ["answer_in_prompt"]), "--out", folder / "out")
    (found, *_) = report(folder / "out")["findings"]
    return code, found["status"], {value["name"]: value["count"] for value in found["values"]}


def test_gsm8k_as_it_is_passes(tmp_path, here, command, gsm8k):
    code, status, counts = judged(tmp_path, command, gsm8k)
    assert (code, status, counts["rate"]) == (0, "pass", 0)
    assert 0 < counts["last_number"] < counts["numbers"] < 40  # by chance


@pytest.mark.parametrize("added", ADDED)
def test_gsm8k_with_its_golds_told_fails(tmp_path, here, command, gsm8k, added):
    told = [
        {**row, "question": added.format(q=row["question"], a=row["answer"].rpartition("#### ")[2])} for row in gsm8k
    ]
    code, status, counts = judged(tmp_path, command, told)
    assert (code, status, counts["last_number"]) == (1, "fail", 400)
    assert counts["rate"] >= (0 if "comes to" in added else 399)


def test_one_told_number_in_many_is_found_with_its_row(tmp_path, here, command, gsm8k):
    rows = [dict(row) for row in gsm8k]
    rows[17]["question"] += f" The answer is ${rows[17]['answer'].rpartition('#### ')[2]}.00."
    assert judged(tmp_path, command, rows)[:2] == (0, "warn")
    (place,) = report(tmp_path / "out")["findings"][0]["evidence"]["first"]
    assert place["at"].endswith("a.jsonl:18")


@pytest.mark.parametrize(
    ("prompt", "gold", "given"),
    [
        ("Is it so? The answer is yes.", "yes", True),
        ("其中正确的个数是（）\nA.0  B.1  C.2  D.3", "3", False),  # the last of the options
        ("其补角为（）\nA.35° B.45° C.115° D.125°", "125°", False),
        ("其补角为多少度。125°", "125°", True),
        ("Is it so? Answer: yes or no.", "yes", False),
        ("Which? Answer: A, B or C.", "A", False),
        ("Which? The answer is (B).", "B", True),
        ('Which? End with "Answer: A"', "A", False),
        ("Two and two? The answer is 4. Now: three and three?", "4", False),  # an example, and then the question
        ("How much? The answer is 3/4.", "3/4", True),
        ("How much? The answer is 1,080 pounds.", "1080", True),
        ("How much? The answer is 1,081.", "1080", False),
        ("How much? Answer in 3 words.", "3", False),
        (r"How much? End with \boxed{answer1}, \boxed{answer2}.", "1", False),  # a name for it
        (r"How much? \boxed{\frac{3}{4}}", r"\frac{3}{4}", True),
        ("一共多少?答案:18", "18", True),
    ],
)
def test_what_is_told_as_the_answer(prompt, gold, given):
    assert measure(AnswerInPrompt(), rows((prompt, gold))).value("rate") == Ratio(int(given), 1)


def test_only_what_a_prompt_tells_as_its_answer():
    passage, told = "北京天安门在北京。天安门在哪里？", "天安门在哪里？答案：北京天安门"
    result = measure(
        AnswerInPrompt(told=True), rows((passage, "北京天安门"), (told, "北京天安门"), ("3+4? (Answer: 7)", "7"))
    )
    assert [row for row, *_ in result.places] == [1, 2]


@pytest.mark.parametrize("prompt", ["Is it closed? Answer 1 for yes and 0 for no.", "对吗？答案：1表示对，0表示错"])
def test_what_a_number_stands_for_is_not_told(prompt):
    assert measure(AnswerInPrompt(), rows((prompt, "1"))).places == []


@pytest.mark.parametrize(
    ("said", "given"),
    [("The answer is 7.", True), ("#### 7", True), ("Let me think about 7 step by step.", False), ("", False)],
)
def test_a_prompt_that_ends_with_the_answer(said, given):
    """A prompt for RL may end with what the assistant began to say: not with what it should find."""
    prompt = [{"role": "user", "content": "How many are 3 and 4?"}, {"role": "assistant", "content": said}]
    result = measure(AnswerInPrompt(), [{"prompt": prompt, "ground_truth": "7"}])
    assert result.places == ([(0, "prompt[1].content", "answer_in_prompt")] if given else [])


def test_answers_before_the_question_are_examples():
    prompt = [
        {"role": "user", "content": "How many are 5 and 2?"},
        {"role": "assistant", "content": "The answer is 7."},
        {"role": "user", "content": "How many are 3 and 4?"},
    ]
    assert measure(AnswerInPrompt(), [{"prompt": prompt, "ground_truth": "7"}]).places == []


LABELS = ("Billing issue", "Shipping problem", "Refund request", "Account access")


def tickets(count, *, system, extra=""):
    return [
        {
            "prompt": [
                {"role": "system", "content": system},
                {"role": "user", "content": f"Ticket {n}: my parcel number {n} did not come.{extra}"},
            ],
            "ground_truth": LABELS[n % 4],
        }
        for n in range(count)
    ]


def test_a_gold_in_the_instructions_is_none_that_is_given():
    """A list of labels, in a system prompt or in a line of the question, stands before other golds as well."""
    listed = "Answer with one of:\n" + "\n".join(f"- {label}" for label in LABELS)
    assert measure(AnswerInPrompt(), tickets(40, system=listed)).value("rate") == Ratio(0, 40)
    below = tickets(40, system="Be brief.", extra=f"\n{listed}")
    assert measure(AnswerInPrompt(), below).value("rate") == Ratio(0, 40)
    few = measure(AnswerInPrompt(), tickets(12, system=listed))  # nine rows have another gold
    assert few.value("rate") == Ratio(12, 12)


def test_a_gold_behind_the_instructions_is_given_where_it_stands():
    listed = "Labels: " + ", ".join(LABELS)
    rows = tickets(40, system=listed)
    rows[6]["prompt"][1]["content"] += " (Refund request)"
    rows[7]["prompt"][0]["content"] = "Note: this one is about Account access"
    result = measure(AnswerInPrompt(), rows)
    assert result.places == [(6, "prompt[1].content", "answer_in_prompt"), (7, "prompt[0].content", "answer_in_prompt")]


@pytest.mark.parametrize(
    ("prompt", "gold", "given"),
    [
        (r"Which one? $\mathrm{(A) \ 6 } \qquad \mathrm{(B) bx+hx } \qquad \mathrm{(C) 12}$", "bx+hx", False),
        ("Which one?\n**A)** $ab+cd$\n**B)** $ac+bd$\n**C)** $ad+bc$", "ac+bd", False),
        (r"Which one? \textbf{(A)}\ ab+cd\qquad\textbf{(B)}\ ac+bd\qquad\textbf{(C)}\ ad+bc", "ac+bd", False),
        ("Which one? A. red fox B. grey wolf C. brown bear", "grey wolf", False),
        ("The grey wolf howls. Which one? A. red fox B. grey wolf C. brown bear", "grey wolf", True),
        ("Vitamin C. grey wolf", "grey wolf", True),  # one label is none
        (
            r"Project $\begin{pmatrix} 7 \\ -2 \end{pmatrix}$ on itself.",
            r"\begin{pmatrix} 7 \\ -2 \end{pmatrix}",
            False,
        ),
        (r"Salaries: \$130{,}000, \$23{,}000. The median?", r"\$23{,}000", False),
    ],
)
def test_options_within_a_prompt_and_formulas_by_chance(prompt, gold, given):
    assert measure(AnswerInPrompt(), rows((prompt, gold))).value("rate") == Ratio(int(given), 1)


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("Choose the correct answer: A) 22 B) 88 C) 27", False),
        ("Choose the correct answer\nA) 22\nB) 88", False),
        ("Answer: A) 22", True),
        ("Answer: A", True),
    ],
)
def test_the_first_option_is_not_told_as_the_answer(end, told):
    assert measure(AnswerInPrompt(), rows((f"What is 2 times 11? {end}", "A"))).value("rate") == Ratio(int(told), 1)
