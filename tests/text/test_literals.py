import ast
import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.text.literals import MOST, parse_list

CODE = [
    "__import__('os').system('x')", "[x for x in ()]", "open('/etc/passwd')", "(lambda: 1)()", "['a'] * 2", "len([1])",
    "nan", "[nan]", "[NA]", "f'{1}'", "['a' + 'b']", "[*()]", "{**{}}", "exec('1')", "1 if 1 else 2", "[(yield)]", "a.b",
]  # fmt: skip


@pytest.mark.parametrize("text", CODE)
def test_code_is_named_and_not_run(text, monkeypatch):
    for name in ("eval", "exec", "open", "__import__"):
        monkeypatch.setattr(builtins, name, lambda *_, **__: pytest.fail("evaluated"))
    assert parse_list(text) == (None, "runs_code")


@pytest.mark.parametrize(
    "text",
    ["", "x y", "7", "'ab'", "{}", "{'a': 1}", "{'a'}", "[[1]]", "b'a'", "[b'a']", "[1j]", "[", "[1", "\x00", "é́ "],
)
def test_what_is_no_list(text):
    assert parse_list(text).problem in ("not_a_list", "runs_code")
    assert parse_list(text).items is None


@pytest.mark.parametrize("text", ["[" * 100_000, "-" * 100_000 + "1", "[" + "1," * MOST + "]", "(" * 5000 + ")" * 5000])
def test_a_bomb_is_no_list(text):
    assert parse_list(text).items is None


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


def test_an_odd_escape_warns_nobody():
    assert parse_list(r"['\d']").items == (r"\d",)


@given(st.lists(SCALARS, max_size=5))
def test_what_python_writes_is_read(items):
    assert list(parse_list(repr(items)).items) == items
    assert parse_list("  " + repr(tuple(items))).items == tuple(items)


@given(st.text(alphabet="[](){}'\"1,- ab.+:", max_size=12))
def test_it_reads_no_more_than_literal_eval(text):
    """The standard library's own safe reader is the reference."""
    items = parse_list(text).items
    if items is not None:
        assert list(items) == list(ast.literal_eval(text.strip(" \t")))
