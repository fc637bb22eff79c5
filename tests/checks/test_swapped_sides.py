"""Exchanges whose two texts changed places, in sets that say how either side reads."""

from datacheck.checks.error_as_answer import ErrorAsAnswer
from datacheck.testing import measure

PLANTS = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrstuv"]


def row(question, answer):
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def asked(plant):
    return f"How often do I water the plant {plant}?"


def told(plant):
    return f"Give the plant {plant} a glass of water each morning, and keep it out of the midday sun until autumn."


RIGHT = [row(asked(plant), told(plant)) for plant in PLANTS]
SWAPPED = row(told("zz"), asked("zz"))


def swapped(*rows):
    found = measure(ErrorAsAnswer(), list(rows))
    return [at for at, problem in found.problems if problem == "swapped_sides"]


def test_a_row_whose_sides_changed_places():
    assert swapped(*RIGHT, SWAPPED) == [len(RIGHT)]


def test_in_chinese_and_in_a_later_turn():
    rows = [
        row(f"植物{p}怎么浇水？", f"给植物{p}每天早上浇一杯水，中午不要晒太阳，入秋以后减半，冬天不浇。")
        for p in PLANTS
    ]
    flipped = row("植物甲怎么浇水？", "给植物甲每天早上浇一杯水，中午不要晒太阳，入秋以后减半，冬天不浇。")
    flipped["messages"] += [
        {"role": "user", "content": "给植物乙每天早上浇一杯水，中午不要晒太阳，入秋以后减半，冬天不浇。"},
        {"role": "assistant", "content": "植物乙怎么浇水？"},
    ]
    assert swapped(*rows, flipped) == [len(rows)]


def test_an_answer_that_asks_back_is_none():
    assert swapped(*RIGHT, row(asked("zz"), "How often do you water it now?")) == []
    assert swapped(*RIGHT, row(told("zz"), told("yy"))) == []  # one side only


def test_a_small_set_and_one_of_which_half_is_so():
    assert swapped(*RIGHT[:50], SWAPPED) == []
    assert swapped(*RIGHT[:60], *(row(told(p), asked(p)) for p in PLANTS[60:])) == []
