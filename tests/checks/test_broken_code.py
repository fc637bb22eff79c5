"""The check broken_code."""

import pytest

from datacheck.check import Ratio
from datacheck.checks.broken_code import BrokenCode
from datacheck.testing import finding, measure
from datacheck.text.python_code import fault, is_judged

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
