"""The check broken_code."""

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.broken_code import BrokenCode
from datacheck.testing import finding, measure
from datacheck.text.python_code import fault, is_judged, joined, unindented

GOOD = "for n in range(3):\n    print(n)"
BAD = "for n in range(3):\nprint(n)"


def chat(code, label="python", after=""):
    answer = f"Here it is:\n```{label}\n{code}\n```\n{after}"
    return {"messages": [{"role": "user", "content": "Count."}, {"role": "assistant", "content": answer}]}


def problems(*records):
    return [problem for _, problem in measure(BrokenCode(), list(records)).problems]


@pytest.mark.parametrize(
    ("code", "kind", "line"),
    [
        (BAD, "lost_indent", 2),
        ("def f(x):\n    y = x\n  return y", "lost_indent", 3),
        ("def f(n):\nfor i in range(n):\nreturn i", "lost_indent", 2),
        ("print(sum([1, 2])", "cut_code", 1),
        ("x = 'never ends", "cut_code", 1),
        ("rows = table.find\\_all('tr')", "escaped_code", 1),
        ("for n in range(3)：\n    print(n)", "no_python", 1),
        ("function f() {\n  return 1\n}", "no_python", 1),
        ("print(n) return n", "no_python", 1),
    ],
)
def test_a_broken_block_is_named_by_its_kind(code, kind, line):
    found = fault(code)
    assert (found.kind, found.line) == (kind, line)
    assert problems(chat(code)) == [kind]


@pytest.mark.parametrize(
    "code",
    [
        GOOD,
        "    x = 1\n    y = 2",  # of a list
        "def f(x):\n    # your code here",
        "def f(x):",
        "class A:\n    # fields\n\nb = A()",
        "x = [1, 2, ...\nprint(x",  # something is left out
        "reply = client.chat(<your prompt>)",
        "best = max over i of a[i] → i",
        "def f[T](x: T) -> T:\n    return x",
        'print(f"{x["a"]}")',
        "x = 1\\\n  + 2",
        "def f(): pass\n\n\n",
        "match x:\n    case 1:\n        pass",
        "(" * 10_000,
        "-" * 40_000 + "1",
    ],
)
def test_what_is_no_fault(code):
    assert fault(code) is None


@pytest.mark.parametrize(
    "code",
    [
        "a\x00b",
        ">>> 1 +\n2",
        "$ python a.py",
        "pip install x",
        "%matplotlib inline",
        'print "old"',
        "@@ -1,2 +1,2 @@",
        " \n",
        "x" * 60_000,
    ],
)
def test_what_is_no_program_is_not_judged(code):
    assert not is_judged(code)


def test_the_rate_is_of_rows_with_blocks():
    words = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    assert measure(BrokenCode(), [words, chat(GOOD), chat(BAD)]).value("rate") == Ratio(1, 2)
    assert measure(BrokenCode(), [words]).value("rate") == Ratio(0, 1)
    assert finding(BrokenCode(), [chat(GOOD)] * 19 + [chat(BAD)]).status == "pass"
    assert finding(BrokenCode(), [chat(GOOD)] * 18 + [chat(BAD)]).status == "warn"


def test_every_block_and_every_fence_is_read():
    two = chat(GOOD, after=f"~~~py\n{BAD}\n~~~\n  ```Python\n  {GOOD[:18]}\n  ```\n")
    assert problems(two) == ["lost_indent"]
    assert problems(chat(BAD, label="py")) == problems(chat(BAD, label="python3")) == ["lost_indent"]


@pytest.mark.parametrize(
    "record",
    [
        chat(BAD, label="javascript"),
        chat(BAD, label=""),
        {
            "messages": [
                {"role": "user", "content": f"Mend:\n```python\n{BAD}\n```"},
                {"role": "assistant", "content": "Ok."},
            ]
        },
        {"prompt": "Count.", "chosen": f"```python\n{GOOD}\n```", "rejected": f"```python\n{BAD}\n```"},
        {**chat(BAD), "label": False},
    ],
)
def test_what_nobody_is_to_learn(record):
    assert problems(record) == []


ALONE = "def total(rows):\n    number = 0\n    for row in rows:\n        number += row\n    return number"


def bare(text):
    return {"instruction": "Add the rows up.", "input": "", "output": text}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (ALONE.replace("    ", ""), "unindented"),
        (ALONE.replace("    ", " ").replace("  ", " "), "unindented"),
        ("Here is the function:\n\n" + ALONE.replace("    ", ""), "unindented"),
        (" ".join(ALONE.split()), "one_line"),
        ("# Adds the rows up. total = 0 for row in rows: total += row", "one_line"),
        ("import math x = 4 print(math.sqrt(x))", "one_line"),
    ],
)
def test_python_without_a_fence_that_lost_its_layout(text, kind):
    assert problems(*[bare(ALONE)] * 3, bare(text)) == [kind]
    assert finding(BrokenCode(), [bare(ALONE), bare(text)]).status is Status.WARN


@pytest.mark.parametrize(
    "text",
    [
        ALONE,
        "if x:\n# a comment at the left\n    y = 1",
        "if x:\n\tfor y in z:\n\t\tprint(y)",
        " for y in z:\n\tprint(y)",
        "def f(x): return x",
        "x = 5; y = 6; print(x)",
        "total = sum(row for row in rows if row)",
        "The solution is x = 3 and y = 4, as if x: y held.",
        "x = 24 * 3 = 72 = 8 * 9",
        "for example:\n1. bread\n2. salt",
        "If it rains:\nstay at home.\nwhile it is dry:\ngo out and play (outside).",
        "else:\nthe other one is right",
        "# Rain\n\nIt falls.",
        "# Rain falls for x in y",
    ],
)
def test_python_or_prose_that_lost_nothing(text):
    assert (unindented(text), joined(text)) == (None, None)
