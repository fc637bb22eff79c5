"""Who is still named beside a pseudonym: by an answer, in a talk, by the rest of a name, in letters of no list."""

import pytest

from datacheck.pii.redact.unsure import likely_people, unsure


def _left(texts: list[str]) -> set[str]:
    return {each.written for each in likely_people(texts, lambda written: False)}


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        # who answers a question for the name
        (["May I have your name?", "zuberi okwuosa"], {"zuberi okwuosa"}),
        (["user", "And your full name, please?", "user", "It's <PERSON_v1> okwuosa."], {"okwuosa"}),
        (["请问您贵姓？", "我叫仇果潼"], {"仇果潼"}),
        # who speaks in a talk
        (["Chase: coming?\nBrisco: yes\nChase: call <PHONE_NUMBER_v1>\nBrisco: ok"], {"Chase", "Brisco"}),
        # the rest of a name
        (["Rhymes for <PERSON_v1>-Escobedo, please"], {"Escobedo"}),
        (["I met Violet <PERSON_v1> there"], {"Violet"}),
        (['agent,phone\n"Ingersoll, <PERSON_v1>",<PHONE_NUMBER_v1>'], {"Ingersoll"}),
        (["my sister <PERSON_v1> coleman says hi"], {"coleman"}),
        # a given name that is told again and again
        (["<PERSON_v1>，我和玲海在一起三年了", "先和玲海谈谈"], {"玲海"}),
        # characters of few names, and two words of a census
        (["<PERSON_v1>换成苏潮诺"], {"苏潮诺"}),
        (["<PERSON_v1> wrote. Sponsor Anthony Marsh."], {"Anthony Marsh"}),
        (["<PERSON_v1> wrote to Theodora Kaufman."], {"Theodora Kaufman"}),
        # a Chinese name in Latin letters whose surname comes first or last
        (["<PERSON_v1> / Mao Ruoxiang"], {"Mao Ruoxiang"}),
        (["<PERSON_v1> / Huanglin SHANGGUAN"], {"Huanglin SHANGGUAN"}),
    ],
)
def test_who_is_likely_somebody(texts: list[str], names: set[str]) -> None:
    assert names <= _left(texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["May I have your name?", "why do you ask"],
        ["What is your name for it?", "not important"],
        ["Name: Box\nType: wood\nName: Chair\nType: oak, <PERSON_v1>"],
        ["Sincerely, <PERSON_v1> then said"],
        ["<PERSON_v1> accepts"],
        ["the Holy Roman Empire and <PERSON_v1>"],
        ["<PERSON_v1>参与了实验。"],
        ["<PERSON_v1>说《秋菊打官司》好看", "电影《秋菊打官司》"],
        ["他明白<PERSON_v1>。", "我明白。"],
        ["Long Life to <PERSON_v1>"],
    ],
)
def test_who_is_nobody(texts: list[str]) -> None:
    assert not _left(texts)
    assert not list(unsure(texts, lambda written: False))


@pytest.mark.parametrize(
    "text",
    ["<PERSON_v1>蓉代诉。", "欠陆<PERSON_v1>五千元", "met Jomo <PERSON_v1> there", "<PERSON_v1> owes Reed Kaufman"],
)
def test_what_may_be_the_rest_of_a_name_is_listed(text: str) -> None:
    assert list(unsure(["some text", text], lambda written: False)) == [1]
