"""Options that stand in the text of prompts, and golds that are none of them; the verdicts are by hand."""

import pytest

from datacheck.checks.unverifiable_answers import UnverifiableAnswers
from datacheck.testing import measure


def prompt(number, letters, mark=". "):
    return f"Which plant has number {number}?\n" + "\n".join(f"{one}{mark}plant {one}{number}" for one in letters)


def rows(mark=". "):
    return [{"prompt": prompt(n, "ABCD", mark), "answer": "ABCD"[n % 4]} for n in range(60)]


def odd(*others, mark=". "):
    return [p for at, p in measure(UnverifiableAnswers(), [*rows(mark), *others]).problems if at >= 60]


@pytest.mark.parametrize("mark", [". ", ") ", "、", "：", ". $x = 1$ "])
@pytest.mark.parametrize(
    ("text", "gold", "problem"),
    [("Which plant has number 61?", "A", "no_options"), ("ABC", "D", "gold_not_listed"), ("ABD", "A", "option_gap")],
)
def test_options_that_lack(mark, text, gold, problem):
    asked = text if text.endswith("?") else prompt(61, text, mark)
    assert odd({"prompt": asked, "answer": gold}, mark=mark) == [problem]


def test_options_that_are_all_there():
    assert odd({"prompt": prompt(61, "ABCDE"), "answer": "E"}) == []
    assert odd({"prompt": prompt(61, "AB"), "answer": "B"}) == []
    on_one_line = "Which plant has number 61? A. oak B. elm C. ash D. yew"
    assert odd({"prompt": on_one_line, "answer": "C"}) == []


def test_a_set_whose_prompts_list_nothing():
    plain = [{"prompt": f"Which plant has number {n}?", "answer": "ABCD"[n % 4]} for n in range(60)]
    assert measure(UnverifiableAnswers(), plain).problems == []


def test_golds_that_a_program_or_a_sentence_wrapped():
    golds = [r"\frac{1}{2}", "3", "x+1", "(2,3)", r"\sqrt{5}"]
    usual = [{"prompt": f"Find the value number {n}.", "answer": golds[n % 5]} for n in range(60)]
    odd_ones = ["['4']", "The answer is 4.", r"\boxed{4}"]
    found = measure(UnverifiableAnswers(), [*usual, *({"prompt": f"Find {g} now.", "answer": g} for g in odd_ones)])
    assert {at for at, problem in found.problems if problem == "other_form"} == {60, 61, 62}


def test_a_last_option_that_a_third_of_the_prompts_lost():
    """One gold in four is then behind the last letter; options that all lack one are written in another way."""
    lost = [{"prompt": prompt(n, "ABC"), "answer": "ABCD"[n % 4]} for n in range(60, 90)]
    found = [
        n for n, problem in measure(UnverifiableAnswers(), [*rows(), *lost]).problems if problem == "gold_not_listed"
    ]
    assert found == [n for n in range(60, 90) if n % 4 == 3]
    unseen = [{"prompt": prompt(n, "ABC"), "answer": "ABCD"[n % 4 if n % 2 else 3]} for n in range(60)]
    assert measure(UnverifiableAnswers(), unseen).problems == []
