"""Graders beside the reward code that they stand for: MATH's is_equiv, verl's GSM8K reward, math-verify."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.check import Ratio, Status
from datacheck.checks import unverifiable_answers
from datacheck.checks.unverifiable_answers import UnverifiableAnswers
from datacheck.testing import finding, measure
from datacheck.text import graders
from datacheck.text.graders import GraderFailedError, choice, gsm8k, latex, math_verify, number


# What math_equivalence.py of github.com/hendrycks/math (985bdc1) gives for each text, written down from a run of it.
@pytest.mark.parametrize(("text", "form"), [
    (r"\frac12", r"\frac{1}{2}"), (r"\tfrac{1}{2}", r"\frac{1}{2}"), (r"\dfrac1{72}", r"\frac{1}{72}"),
    (r"\frac{72}1", r"\frac{72}1"), ("1/2", r"\frac{1}{2}"), ("-3/4", r"\frac{-3}{4}"), ("2/03", "2/03"),
    ("x/2", "x/2"), ("1/2/3", "1/2/3"), (r"\frac\pi2", r"\frac{\}{p}i2"), (r"\frac1", r"\frac1"), ("0.5", r"\frac{1}{2}"),
    (".5", r"\frac{1}{2}"), ("0.50", "0.50"), ("0.25", "0.25"), ("(-.5, .5)", "(-.5,0.5)"), ("{.5}", "{0.5}"),
    (r"\sqrt3", r"\sqrt{3}"), (r"\sqrt12", r"\sqrt{1}2"), (r"\sqrt[3]{5}", r"\sqrt{[}3]{5}"), (r"\left(3, 4\right)", "(3,4)"),
    (r"10\text{ cm}", "10"), (r"10\text{ cm}^2", "10"), (r"10\text{cm}", r"10\text{cm}"), ("10 cm", "10cm"),
    (r"1\text{ or }2\text{ or }3", r"1\text{ or }2\text{ or }3"), (r"90^\circ", "90"), (r"90^{\circ}", "90"),
    (r"50\%", "50"), (r"\$18.90", "18.90"), ("x = 5", "5"), ("xy=5", "5"), ("f(x)=5", "f(x)=5"), ("x=y=5", "x=y=5"),
    (r"1\!000", "1000"), (r"1,\!080", "1,080"), ("1,080", "1,080"), (r"\text{Evelyn}", r"\text{Evelyn}"),
    (r"\{1, 2\}", r"\{1,2\}"), (r"(-\infty,3]\cup [5, \infty)", r"(-\infty,3]\cup[5,\infty)"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix}1\2\end{pmatrix}"), (r"\\dfrac{1}{2}", r"\frac{1}{2}"),
    (r"2\sqrt", r"2\sqrt"), (r"\leftarrow", "arrow"), ("１/２", "１/２"), (r"x \in [-2,7]", r"x\in[-2,7]"),
])  # fmt: skip
def test_the_form_that_is_equiv_compares(text, form):
    assert latex(text) == form


# The cases of modeling/math_equivalence_test.py there.
@pytest.mark.parametrize(("one", "other", "same"), [
    (r"\tfrac{1}{2} + \frac1{72}", r"\\frac{1}{2} + 2/3", False), ("10, 4, -2", "4, 10, -2", False),
    ("10, 4, 2", "4, 12, 2", False), (r"\tfrac{1}{2} +\! \frac1{72}", r"\\dfrac{1}{2} +\frac{1}{72}", True),
    (r"10\text{ units}", "10 ", True), (r"10\text{ units}", "100 ", False), ("10", r"\$10", True),
    (r"\left(x-2\right)\left(x+2\right)", "(x-2)(x+2)", True), ("0.1, 4, 2", "4, .1, 2", False), ("0.1", ".1", True),
    (r"10\%", "10", True), (r"10\sqrt{3} + \sqrt4", r"10\sqrt3 + \sqrt{4}", True), (r"\frac34i", r"\frac{3}{4}i", True),
    (r"\tfrac83", r"\frac{8}{3}", True), ("5x - 7y + 11z + 4 = 0", "x + y - z + 2 = 0", False), ("1/2", r"\frac{1}{2}", True),
])  # fmt: skip
def test_the_cases_of_its_authors(one, other, same):
    assert (latex(one) == latex(other)) is same
    assert latex(one) is not None


@pytest.mark.parametrize("text", [
    "", " ", "$$", r"\frac{1}{2", "}{", r"\boxed{", "x" * 3000, r"\%",
    "$5$", "$5", "50%", "5.", "所以是5。", r"\boxed{5}", r"\fbox{5}", r"\text{ cm}",
])  # fmt: skip
def test_no_answer_in_a_box_is_the_same(text):
    assert latex(text) is None


@pytest.mark.parametrize("text", [r"1, 2, 3, \ldots", "1, 2, ...", r"\$5", r"5\%", "0.5", r"\boxedness"])
def test_an_answer_in_a_box_may_be_the_same(text):
    assert latex(text) is not None


@given(st.text(max_size=40))
def test_any_text_has_one_form_or_none(text):
    assert latex(text) == latex(f" {text}\n")


# ── verl's reward for GSM8K: what `#### (-?[0-9.,]+)` takes, without its commas ────────────────────────
@pytest.mark.parametrize("gold", ["1080", "-7", "0", "18.5", "2.0", "007", ".5"])
def test_golds_that_verl_can_match(gold):
    assert gsm8k(gold) == gold == re.findall(r"#### (\-?[0-9\.\,]+)", f"so\n#### {gold}")[-1].replace(",", "")


@pytest.mark.parametrize("gold", ["", "1,080", "$5", "50%", "18 ", "+2", "3/4", "５", "--1", "1-2", ".", "A", "12 元"])
def test_golds_that_verl_never_matches(gold):
    assert gsm8k(gold) is None


@pytest.mark.parametrize("text", ["0x1F", "-0b1", "0o7"])
def test_other_bases_are_no_zero_with_a_unit(text):
    assert number(text) is None


# ── numbers and letters as people write them ───────────────────────────────────────────────────────────
@pytest.mark.parametrize(("text", "value"), [
    ("1，080", "1080"), ("１，０８０", "1080"), ("￥1200", "1200"), ("\\$5", "5"), ("$5 per day", "5"), ("５０％", "50"), ("50\\%", "50"),
    ("1.2万", "12000"), ("1.2 万元", "12000"), ("3亿", "300000000"), ("2万亿", "2000000000000"), ("5 million", "5000000"),
    ("5 thousand dollars", "5000"), ("5千克", "5"), ("5 kg", "5"), ("5m", "5"), ("5m²", "5"), ("5 cm^{2}", "5"), ("5 km/h", "5"),
    ("5 \\text{ cm}^2", "5"), ("5\\,\\text{cm}", "5"), ("90^\\circ", "90"), ("90°", "90"), ("37℃", "37"), ("8 years old", "8"),
    ("20 mph", "20"), ("5 A", "5"), ("5th", "5"), ("\\frac12", "1/2"), ("-\\frac12", "-1/2"), ("\\dfrac{10}{4}", "5/2"),
    ("-3/4", "-3/4"), ("−5", "-5"), ("0.50", "1/2"), ("5。", "5"), ("1e-3", "1/1000"), ("5个苹果", "5"), ("$5/day", "5"),
])  # fmt: skip
def test_numbers(text, value):
    assert number(text) == value


@pytest.mark.parametrize("text", [
    "2x+1", "5x", "3a", "5i", "2π", "2\\pi", "2\\sqrt{3}", "2sqrt(3)", "3\\frac{1}{2}", "2又1/2", "2 1/2", "1½", "5\\times10^3",
    "3×10^5", "3小时20分", "10点30分", "10:30", "2023-01-05", "5-7", "5 apples and 3 pears", "5,6", "5 or 6", "1:2", "五", "约5",
    "百分之五十", "答案：5", "Answer: 5", "x=5", "1_000", "NaN", "∞", "1/0", "第5", "12,34", "1 080", "5+", "",
])  # fmt: skip
def test_no_numbers(text):
    assert number(text) is None


@pytest.mark.parametrize(("text", "letters"), [
    ("Ａ", "A"), ("ａ", "A"), ("（A）", "A"), ("A．", "A"), ("A、", "A"), ("【A】", "A"), ("A、B、D", "ABD"), ("A B D", "ABD"),
    ("B and A", "AB"), ("A和C", "AC"), ("C,A", "AC"), ("ABD", "ABD"), ("E", "E"),
])  # fmt: skip
def test_letters_of_options(text, letters):
    assert choice(text) == letters


@pytest.mark.parametrize(
    "text", ["A. 北京", "选A", "答案：Ａ", "A or B", "AA", "对", "√", "1", "①", "True", "CAB", "And", "和"]
)
def test_no_letters_of_options(text):
    assert choice(text) is None


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
    assert result.not_checked == ("math_verify came to no result on 1 gold (five seconds, or an exception)",)


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


# ── two answers ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("gold", "said", "same"),
    [
        ("1,080", "1080", True), ("5", "6", False), ("10%", "0.1", True), (r"\frac12", "0.5", True),
        (r"2\sqrt{3}", r"\sqrt{12}", True), (r"\frac{\pi}{3}", r"\frac{\pi}{6}", False), ("x+1", "1+x", True),
        (r"\text{Evelyn}", "Evelyn", True), ("Evelyn", "Maria", None), ("B", "12", None), ("B", "(C)", False),
        (r"90^\circ", "90", True), ("(1,2)", "(2,1)", False), ("x" * 3000, "y+1", None),
    ],
)  # fmt: skip
def test_whether_two_answers_are_one(gold, said, same):
    assert graders.agree(gold, said) is same


def test_without_math_verify_formulas_in_two_spellings_are_not_known(monkeypatch):
    monkeypatch.setattr(graders, "find_spec", lambda _: None)
    assert [graders.agree("x+1", "1+x"), graders.agree("x+1", "x + 1"), graders.agree("3", "4")] == [None, True, False]


FORMULAS = [r"\frac{\sqrt{3}}{2}", "x^2+1", "7", r"(-\infty, 3]", r"\pi"]


def golds(*answers):
    return [{"prompt": f"What is {n}?", "ground_truth": answer} for n, answer in enumerate(answers)]


def test_formulas_are_read_by_math_verify_where_nobody_names_a_grader():
    result = measure(UnverifiableAnswers(), golds(*FORMULAS * 4, r"\frac{1}{2"))
    assert result.problems == [(20, "unreadable_answer")]
    assert any("'math_verify'" in str(each) for each in result.not_checked)
    assert "of 5 golds that are no numbers 5 were given to math-verify" in map(str, result.not_checked)


def test_words_are_not_given_to_math_verify():
    result = measure(UnverifiableAnswers(), golds("Paris", "Rome", "Oslo"))
    assert any("'exact'" in str(each) for each in result.not_checked)


def test_no_result_of_a_grader_that_nobody_named_is_no_error(monkeypatch):
    def fails(answer):
        raise GraderFailedError("TimeoutException")

    monkeypatch.setitem(graders.GRADERS, "math_verify", fails)
    unverifiable_answers._tried.cache_clear()
    assert finding(UnverifiableAnswers(), golds(*FORMULAS)).status is Status.PASS
    unverifiable_answers._tried.cache_clear()


def test_where_math_verify_is_missing_the_report_says_what_it_would_do(monkeypatch):
    monkeypatch.setattr(unverifiable_answers, "find_spec", lambda _: None)
    monkeypatch.setattr(graders, "find_spec", lambda _: None)
    result = measure(UnverifiableAnswers(), golds(*FORMULAS))
    assert result.problems == []
    assert any("pip install 'datacheck-llm[math]'" in str(each) for each in result.not_checked)


def test_a_solution_that_marks_another_answer_than_the_gold_is_named():
    rows = [
        {"problem": f"{n}?", "solution": f"So it is $\\boxed{{{said}}}$.", "answer": gold}
        for n, (gold, said) in enumerate([("5", "5.0"), (r"\frac12", "0.5"), ("x+1", "1+x"), ("5", "6"), ("B", "12")])
    ]
    result = measure(UnverifiableAnswers(grader="exact"), rows)
    assert result.value("disagrees") == Ratio(1, 5)
    assert (3, "disagrees") in result.problems
    several = [{"problem": "?", "solution": r"\boxed{4} or \boxed{5}", "answer": "4"}]
    assert measure(UnverifiableAnswers(grader="exact"), several).value("disagrees") == Ratio(0, 1)
