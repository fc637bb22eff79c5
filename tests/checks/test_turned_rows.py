"""Conversations whose turns stand in the reverse order, in sets that say how they begin and end."""

from datacheck.checks.error_as_answer import ErrorAsAnswer
from datacheck.testing import measure

NAMES = [first + second for first in "bcdfghklmn" for second in "prstvwxyzaeiou"]


def talk(name):
    texts = [
        (f"Hello, I have a question about the tree of {name}.", "Hello! What would you like to know?"),
        (f"Where does the tree of {name} stand?", f"The tree of {name} stands on the hill behind the mill."),
        (f"Thanks, I shall look for the tree of {name}!", "You are welcome, enjoy your walk."),
    ]
    return [[{"role": "user", "content": asked}, {"role": "assistant", "content": told}] for asked, told in texts]


def row(exchanges):
    return {"messages": [message for exchange in exchanges for message in exchange]}


RIGHT = [row(talk(name)) for name in NAMES]


def turned(*rows):
    return [at for at, problem in measure(ErrorAsAnswer(), list(rows)).problems if problem == "turned"]


def test_a_conversation_that_stands_in_reverse():
    assert turned(*RIGHT, row(talk("zz")[::-1])) == [len(RIGHT)]


def test_only_its_end_is_odd():
    first, second, _ = talk("zz")
    assert turned(*RIGHT, row([first, second, talk("yy")[0]])) == []


def test_a_small_set_and_one_of_which_many_are_so():
    assert turned(*RIGHT[:90], row(talk("zz")[::-1])) == []
    assert turned(*RIGHT[:100], *(row(talk(name)[::-1]) for name in NAMES[100:130])) == []


def test_two_exchanges_are_too_few():
    assert turned(*RIGHT, row(talk("zz")[::-2])) == []
