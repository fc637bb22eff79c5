"""The automaton finds what `in` finds."""

from random import Random

import pytest

from datacheck.pii.matching.compiled import compiled, possible
from datacheck.text.words import WordFinder


def inside(words: list[str], text: str) -> list[str]:
    found = WordFinder(words).inside(text)
    return [word for bit, word in enumerate(words) if found >> bit & 1]


@pytest.mark.parametrize("letters", ["ab", "abc", "a中文é", "手机号码0123456789", "\ud800\udfffa\x00"])
def test_finds_what_stands_in_a_text(letters):
    draw = Random(7)
    for _ in range(200):
        words = sorted({"".join(draw.choices(letters, k=draw.randint(1, 5))) for _ in range(draw.randint(1, 90))})
        text = "".join(draw.choices(letters + "z", k=draw.randint(0, 40)))
        assert inside(words, text) == [word for word in words if word in text]


def test_words_within_words_are_found():
    assert inside(["手机号码", "机号", "号", "码头"], "我的手机号码是") == ["手机号码", "机号", "号"]
    assert inside(["a", "aa", "aaa"], "aa") == ["a", "aa"]


def test_an_expression_that_was_not_shipped_needs_its_words_too():
    new = r"(?:没有人|nobody)这样写[0-9]{3}"
    assert compiled(new).search("没有人这样写123")
    assert possible((new,), "没有人这样写123") == [new]
    assert possible((new,), "没有人这样写12") == possible((new,), "有人这样写123") == []
