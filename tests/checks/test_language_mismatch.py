"""Answers in another language than their questions; the verdicts are by hand."""

import random

import pytest

from datacheck.check import Ratio
from datacheck.checks.language_mismatch import LanguageMismatch
from datacheck.testing import dataset, finding, measure

ASKED_ZH = "请介绍一下如何在家里种植小番茄，需要注意哪些事项？"
ASKED_EN = "How do I grow small tomatoes at home, and what should I take care of?"
IN_ZH = "首先选择阳光充足的阳台，准备疏松肥沃的土壤，每天早晚各浇一次水，结果以后注意搭好支架。"
IN_EN = (
    "First choose a balcony with plenty of sun and fill the pot with loose soil. Water it in the morning and in the "
    "evening, and put up a stake when the fruit begins to set."
)
IN_KO = "먼저 햇빛이 잘 드는 베란다를 고르고 화분에 부드러운 흙을 채운 다음 아침 저녁으로 물을 주고 열매가 맺히면 지지대를 세워 주세요"


def places(*rows):
    return measure(LanguageMismatch(), list(rows)).places


def found(prompt, answer, **more):
    return bool(places({"prompt": prompt, "completion": answer, **more}))


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        (ASKED_ZH, IN_EN),
        (ASKED_EN, IN_ZH),
        (ASKED_ZH, IN_KO),
        (ASKED_EN, IN_KO),
        (ASKED_ZH, f"<think>\n{IN_EN}</think>\n{IN_EN}"),
    ],
)
def test_another_language(prompt, answer):
    assert found(prompt, answer)


@pytest.mark.parametrize(
    ("prompt", "answer", "odd"),
    [
        (ASKED_ZH, "Water the plants in the morning.", True),
        (ASKED_EN, "早上浇水就可以了。", True),
        (ASKED_ZH, "The Secret Life of Trees", False),  # a title
    ],
)
def test_a_short_answer_is_judged_where_it_is_a_sentence(prompt, answer, odd):
    assert found(prompt, answer) == odd


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        (ASKED_ZH, IN_ZH),
        (ASKED_EN, IN_EN),
        (f"{ASKED_ZH}请用英文回答。", IN_EN),
        ("把下面的话翻译一下：首先选择阳光充足的阳台，准备疏松的土壤。", IN_EN),
        (f"{ASKED_EN} Answer in Chinese.", IN_ZH),
        ("请润色这段文字：" + IN_EN, IN_EN),  # the question holds the text
        (f"Summarise this: {IN_ZH}", IN_ZH),
        ("帮我写一段冒泡排序", "def sort(xs):\n    for i in range(len(xs)):\n        for j in range(i):\n            pass\n    return xs"),
        ("列出 Scratch 里的积木块", "Move () Steps、Turn Right () Degrees、Go to X: () Y: ()、Glide () Secs to X: () Y: ()、Point in ()"),
        ("请给这个项目起十个响亮好听的名字吧", "Aurora Nebula Phoenix Titan Zephyr Orion Atlas Nova Vega Lyra Draco Cygnus Altair Rigel Mira"),
        (ASKED_ZH, f"<think>\n{IN_EN * 5}\n</think>\n\n选阳台，松土，浇水。"),  # only the thinking is in English
        (ASKED_EN, f"<think>\n{IN_ZH * 5}\n</think>\n\nA sunny balcony."),
        (ASKED_ZH, "OK, sure."),  # too short to tell
        (ASKED_ZH, f"{IN_ZH}\n{IN_EN}"),  # both
        ("git clone https://example.com/a.git && make", IN_ZH),  # no language at all
        ("これは何ですか。家でトマトを育てたいのですが、注意することを教えてください。", IN_ZH),  # quoted characters
    ],
)  # fmt: skip
def test_what_is_meant_so_or_cannot_be_told(prompt, answer):
    assert not found(prompt, answer)


def chat(*said):
    roles = {"s": "system", "u": "user", "a": "assistant"}
    return {"messages": [{"role": roles[who], "content": text} for who, text in said]}


def test_every_answer_of_a_conversation_is_compared_with_the_question_before_it():
    row = chat(("u", ASKED_EN), ("a", IN_ZH), ("u", ASKED_ZH), ("a", IN_ZH))
    assert places(row) == [(0, "messages[1].content", "language_mismatch")]
    assert not places(
        chat(("u", ASKED_ZH), ("a", IN_ZH), ("u", "Grocery shopping, and the bread for her"), ("a", IN_ZH))
    )


def test_a_system_prompt_sets_the_language():
    persona = (
        "You are a friendly gardener who helps people grow plants, and you speak to them with patience and humour."
    )
    assert not places(chat(("s", persona), ("u", ASKED_ZH), ("a", IN_EN)))
    assert places(chat(("s", "You are a helpful assistant."), ("u", ASKED_ZH), ("a", IN_EN)))


def test_only_what_is_learnt_counts():
    pair = {"prompt": ASKED_ZH, "chosen": IN_ZH, "rejected": IN_EN}
    assert not places(pair)
    assert places({**pair, "chosen": IN_EN})
    assert not places({"prompt": ASKED_ZH, "completion": IN_EN, "label": False})


def test_it_warns_and_says_which():
    seen = measure(
        LanguageMismatch(), [{"prompt": ASKED_ZH, "completion": IN_EN}, {"prompt": ASKED_ZH, "completion": IN_ZH}]
    )
    assert seen.value("rate") == Ratio(1, 2)
    assert seen.evidence["detail"][0].startswith("asked in Chinese, answered in English")
    assert finding(LanguageMismatch(), [{"prompt": ASKED_EN, "completion": IN_ZH}]).status == "warn"


@pytest.mark.parametrize(
    ("prompt", "answer", "slip"),
    [
        (ASKED_ZH, IN_ZH + "这样 необходимо 浇水。", True),
        (ASKED_ZH, IN_ZH + "하지만 不要浇得太多。", True),
        (ASKED_ZH, IN_ZH + "花盆します要大。", True),
        (ASKED_EN, IN_EN + " It is 因此 better to wait.", True),
        (ASKED_ZH, IN_ZH + "它在俄文里叫做（помидор）。", False),
        (ASKED_ZH, IN_ZH + "它叫“помидор”，很好吃。", False),
        (ASKED_ZH, IN_ZH + "书名（原文 помидор 一词）很短。", False),
        (ASKED_ZH + "用俄语说", IN_ZH + "它叫 помидор 吗。", False),
        (ASKED_ZH + "помидор", IN_ZH + "这样 помидор 就好。", False),
        (ASKED_EN, IN_EN + " The price is 5 €, the angle α.", False),
        (ASKED_EN + " I live in China.", IN_EN + " Ask for 番茄 at the market.", False),
        (
            "しもやけのときにやってはいけないことは？",
            "熱いお湯で急激に温めすぎると悪化するので、適度に温めます。",
            False,
        ),
        (
            "咳が2週間以上続くのは？",
            "結核やマイコプラズマ肺炎などの可能性も考えられるので、検査を受けましょう。",
            False,
        ),
    ],
)
def test_stray_words(prompt, answer, slip):
    result = measure(LanguageMismatch(), [{"prompt": prompt, "completion": answer}])
    assert result.value("stray") == Ratio(int(slip), 1)


@pytest.mark.parametrize(
    ("asked", "problems"),
    [
        ("¿Cómo se utiliza la raza Blanca cacereña en ganadería?", []),
        ("How is the breed of the white cow used in the farms of Spain?", [(0, "language_mismatch")]),
    ],
)
def test_a_short_question_with_accents_is_not_english(asked, problems):
    answer = (
        "La vaca es una raza de la región, que se cría en el campo para la carne y la leche de los pueblos más"
        " pequeños del norte, y por su carácter es muy dócil con las personas que la cuidan."
    )
    assert (
        measure(
            LanguageMismatch(), dataset(f"system: - IoT and data for the farm | user: {asked} | assistant: {answer}")
        ).problems
        == problems
    )


def sentences(count, words, *, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(words.split(), k=16 + 3 * (7 * n % count))) + "." for n in range(count)]


GREEK = "και το νερό είναι καλό για τα φυτά που μένουν στο σπίτι όταν έχει ήλιο"
ENGLISH = "and the water is good for the plants that stay in the house when there is sun"


def test_answers_as_long_as_their_questions_are_translations():
    """Of 30 and more; where the lengths of questions and answers have nothing to do with each other each is named."""
    asked, answered = sentences(40, GREEK, seed=1), sentences(40, ENGLISH, seed=2)
    rows = [{"prompt": q, "completion": a} for q, a in zip(asked, answered, strict=True)]
    result = measure(LanguageMismatch(), rows)
    assert result.value("rate") == Ratio(0, 40)
    assert result.not_checked == (
        "the lengths of 40 answers follow those of their questions, as translations do: their language was not judged",
    )
    assert measure(LanguageMismatch(), rows[:29]).value("rate") == Ratio(29, 29)
    random.Random(3).shuffle(answered)
    slipped = [{"prompt": q, "completion": a} for q, a in zip(asked, answered, strict=True)]
    assert measure(LanguageMismatch(), slipped).value("rate") == Ratio(40, 40)
    other = {"prompt": ASKED_ZH, "completion": IN_EN}
    assert measure(LanguageMismatch(), [*rows, other]).places == [(40, "completion", "language_mismatch")]


ANSWER_PT = (
    "A Estrela da Morte é a super-arma do Império e uma estação espacial do tamanho da lua, com um grande canhão que pode"
    " destruir planetas; os rebeldes a destruíram por uma falha que não estava nos planos."
)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Onde está a Estrela da Morte?", 0),
        ("Descreva o uso da metáfora pelo autor do texto a seguir.", 0),
        ("Listar cinco tratamentos comuns para a doença do sono", 0),
        ("Descreva a canção do filme em até 5 frases.", 0),
        ("Where is the Death Star in this film?", 1),
        ("What do you know of a Death Star?", 1),
    ],
)
def test_words_that_other_languages_have_too_are_no_english(asked, found):
    result = measure(LanguageMismatch(), [{"prompt": asked, "completion": ANSWER_PT}])
    assert len(result.problems) == found
