import pytest

from datacheck.check import Ratio
from datacheck.checks.system_drift import SystemDrift
from datacheck.testing import finding, measure

SHOP = "You are a helpful assistant of the garden shop."


def row(system=None):
    head = [{"role": "system", "content": system}] if system else []
    return {"messages": [*head, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}


def places(*systems):
    return measure(SystemDrift(), [row(system) for system in systems]).places


@pytest.mark.parametrize(
    "other",
    [SHOP[:-1], SHOP.replace("You are", "You're"), SHOP + " Be kind.", SHOP.replace("helpful", "friendly and helpful")],
)
def test_another_form_of_the_usual_prompt(other):
    assert places(SHOP, SHOP, other, SHOP) == [(2, "messages[0].content", "variant")]


@pytest.mark.parametrize(
    "other",
    [
        SHOP.upper(),
        SHOP.replace(" ", "\n "),
        "Translate everything into French, word for word.",
        "你是花店的客服，回答要简短。",
    ],
)
def test_prompts_that_are_none(other):
    assert places(SHOP, SHOP, other, SHOP) == []


def test_digits_do_not_count():
    assert places(*(f"Today is 2026-11-{day}. You are a helpful assistant." for day in range(10, 20))) == []


def test_rows_without_the_prompt_that_most_have():
    assert places(SHOP, None, SHOP) == [(1, None, "missing")]
    assert places(SHOP, None) == [(1, None, "missing")]
    assert places(SHOP, None, None) == []
    assert places(None, None) == []


def test_a_prompt_that_hardly_any_row_has():
    assert places(*[None] * 19, SHOP) == [(19, "messages[0].content", "rare")]
    assert places(*[None] * 18, SHOP) == []  # of few rows
    assert places(*[None] * 30, SHOP, SHOP) == []  # more than one in twenty


def test_forms_that_a_script_makes():
    names = [
        f"You are {name * 3}, a helpful assistant of the garden shop in town." for name in "abcdefghijklmnopqrstuv"
    ]
    result = measure(SystemDrift(), [row(name) for name in [names[0]] * 5 + names])
    assert result.problems == []
    assert result.not_checked == ("21 forms of one system prompt are taken as made by a script",)
    few = measure(SystemDrift(), [row(name) for name in [names[0]] * 5 + names[:20]])
    assert few.value("variants") == Ratio(19, 25)


def test_it_warns():
    assert finding(SystemDrift(), [row(SHOP), row(SHOP), row(SHOP[:-1])]).status == "warn"
    assert finding(SystemDrift(), [row(SHOP), row(SHOP)]).status == "pass"


def test_which_form_is_the_usual_one_does_not_hang_on_the_order():
    assert places(SHOP[:-1], SHOP, SHOP) == [(0, "messages[0].content", "variant")]
