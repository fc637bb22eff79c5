import pytest
from pydantic import ValidationError

from datacheck.check import Ratio
from datacheck.checks.banned_terms import BannedTerms
from datacheck.testing import dataset, measure


def test_width_case_and_traditional_characters_do_not_count():
    check = BannedTerms(terms={"rival": ("AcmeGPT", "某某云计算")})
    records = dataset(
        "user: 你好 | assistant: 我是ＡＣＭＥＧＰＴ",
        "user: 某某雲計算怎么样 | assistant: 不知道",
        "user: acmegpts are many | assistant: no",
        "user: 某某 云计算 | assistant: 好",
    )
    result = measure(check, records)
    assert result.places == [(0, "messages[1].content", "banned_term"), (1, "messages[0].content", "banned_term")]
    assert result.value("hits") == Ratio(2, 4)
    assert result.value("hits", category="rival") == Ratio(2, 4)
    spaced = BannedTerms(terms={"rival": ("某某云计算",)}, normalise=("nfkc", "casefold", "t2s", "strip_space"))
    assert [row for row, _ in measure(spaced, records).problems] == [1, 3]


def test_tool_calls_are_looked_at():
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"q": "某某云计算"}'}}
    said = [{"role": "user", "content": "查"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    result = measure(BannedTerms(terms={"rival": ("某某云计算",)}), [{"messages": said}])
    assert result.places == [(0, "messages[1].tool_calls", "banned_term")]


def test_lists_are_datasets():
    check = BannedTerms(terms={"a": ("甲",)}, lists={"b": "words"})
    others = {"words": [{"text": "乙"}, {"text": " "}, {"text": "丙丁"}]}
    result = measure(check, [{"text": "丙丁"}, {"text": "甲乙"}, {"text": "丁"}], others=others)
    assert result.evidence.select("row", "detail").rows() == [(0, "list b"), (1, "list a"), (1, "list b")]
    assert result.figures["categories"] == {"category": ["a", "b"], "rows": [1, 2]}
    assert result.value("hits") == Ratio(2, 3)


def test_an_empty_list_sees_nothing():
    result = measure(BannedTerms(lists={"b": "words"}), [{"text": "甲"}], others={"words": []})
    assert result.value("hits") is None
    assert result.not_checked == ("the list words holds no term",)
    assert measure(BannedTerms(terms={"a": ("甲",)}), []).value("hits") is None


@pytest.mark.parametrize("settings", [{}, {"terms": {"a": [" "]}}])
def test_settings_that_make_no_sense(settings):
    with pytest.raises(ValidationError):
        BannedTerms(**settings)


def test_patterns_are_no_patterns():
    assert measure(BannedTerms(terms={"a": (".*", "(")}), [{"text": "abc"}, {"text": "f(x)"}]).value("hits") == Ratio(
        1, 2
    )
