"""Graders of expressions: spellings that MATH's is_equiv takes for one, and what math-verify computes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.check import Ratio, Status
from datacheck.checks import unverifiable_answers
from datacheck.checks.unverifiable_answers import UnverifiableAnswers
from datacheck.testing import finding, measure
from datacheck.text import graders
from datacheck.text.graders import GraderFailedError, latex, math_verify, number


# The pairs are the cases that the comments of Hendrycks' math_equivalence.py give, and some of their kind.
@pytest.mark.parametrize(("one", "other"), [
    (r"\frac12", r"\frac{1}{2}"), (r"\tfrac{1}{2}", r"\frac{1}{2}"), (r"\dfrac1{72}", r"\frac{1}{72}"),
    ("1/2", r"\frac{1}{2}"), ("-3/4", r"-\frac{3}{4}"), (r"\frac\pi2", r"\frac{\pi}{2}"), (r"\sqrt3", r"\sqrt{3}"),
    (r"\left(3, 4\right)", "(3,4)"), (r"10\text{ cm}", "10"), (r"10\text{ cm}^2", "10"), (r"90^\circ", "90"),
    (r"90^{\circ}", "90"), (r"50\%", "50"), (r"\$18.90", "18.90"), (".5", "0.5"), ("(-.5,.5)", "(-0.5,0.5)"),
    ("x = 5", "5"), ("x=5", "5"), (r"1\!000", "1000"), (r"\text{Evelyn}", "Evelyn"), ("$x^2$", "x^2"),
    (r"\{1, 2\}", r"\{1,2\}"), (r"(-\infty,3]\cup [5, \infty)", r"(-\infty, 3] \cup[5,\infty)"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
])  # fmt: skip
def test_two_spellings_of_one_expression(one, other):
    assert latex(one) == latex(other) is not None


@pytest.mark.parametrize(("one", "other"), [
    (r"\frac{1}{2}", r"\frac{2}{1}"), ("(3,4)", "[3,4]"), (r"\{1,2\}", "(1,2)"), ("x^2", "x2"), ("-5", "5"),
    (r"\sqrt{3}", "3"), ("y=x+1", "y=x-1"), (r"\text{Evelyn}", r"\text{Evan}"), ("1/23", "12/3"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}12\end{pmatrix}"),
])  # fmt: skip
def test_two_expressions(one, other):
    assert latex(one) != latex(other)


@pytest.mark.parametrize("text", ["", " ", "$$", r"\frac{1}{2", "}{", r"\boxed{", "x" * 3000, r"\%"])
def test_no_expression(text):
    assert latex(text) is None


@given(st.text(alphabet=r"\frac{}sqt12x+-^_ ,.()$%=/text", max_size=40))
def test_one_spelling_is_its_own(text):
    form = latex(text)
    assert form is None or latex(form) in {form, None} or latex(latex(form)) == latex(form)


@pytest.mark.parametrize("text", ["0x1F", "-0b1", "0o7"])
def test_other_bases_are_no_zero_with_a_unit(text):
    assert number(text) is None


# ── math-verify ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("gold", ["1/2", r"\frac{\sqrt{3}}{2}", r"(-\infty, 3]\cup[5,\infty)", "x^2+y^2=4", "204", r"\text{Evelyn}"])  # fmt: skip
def test_golds_that_get_full_marks(gold):
    assert math_verify(gold) == gold


@pytest.mark.parametrize("gold", ["", " ", r"\frac{1}{2", "x" * 3000])
def test_golds_that_never_get_full_marks(gold):
    assert math_verify(gold) is None


@pytest.mark.parametrize("grader", ["latex", "math_verify", "integer"])
def test_aime(realdata, grader):
    """Thirty whole numbers: every grader reads them."""
    path = realdata / "lightrft/examples/math_benchmarks/eval_data/aime2024.json"
    golds = [row["final_answer"] for row in json.loads(path.read_text(encoding="utf-8"))]
    records = [{"prompt": "?", "ground_truth": gold} for gold in golds]
    assert measure(UnverifiableAnswers(grader=grader), records).value("rate") == Ratio(0, 30)


def test_no_result_is_an_error_and_never_a_pass(monkeypatch):
    def fails(answer):
        raise GraderFailedError("TimeoutException")

    monkeypatch.setitem(graders.GRADERS, "math_verify", fails)
    records = [{"prompt": "?", "ground_truth": "1/2"}]
    found = finding(UnverifiableAnswers(grader="math_verify"), records)
    assert found.status is Status.ERROR
    result = measure(UnverifiableAnswers(grader="math_verify"), records)
    assert result.problems == [(0, "ungraded_answer")]
    assert result.not_checked == ("math_verify came to no result on 1 golds (five seconds, or an exception)",)


def test_an_exception_inside_is_no_result(monkeypatch):
    import math_verify as package

    def raises(*_, **__):
        raise TimeoutError

    monkeypatch.setattr(package, "parse", raises)
    with pytest.raises(GraderFailedError, match="TimeoutError"):
        math_verify("1/2")


def test_without_the_package_the_contract_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(unverifiable_answers, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"datacheck-llm\[math\]"):
        UnverifiableAnswers(grader="math_verify")
