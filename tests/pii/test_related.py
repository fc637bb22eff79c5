"""Whom somebody names as one of his own: such a record is somebody's though no identifier stands in it."""

import pytest
from core_helpers import contract, jsonl

from datacheck.pii.redact.related import related
from datacheck.pii.redact.row_names import row_names


@pytest.mark.parametrize(
    "text",
    [
        "My manager Reed Rasmussen keeps rescheduling.", "a letter for my student Ingrid Tolliver, please",
        "Draft a toast for Agnieszka Trevanion's retirement.", "我的主管史思颖老是改时间", "给学生唐思源写推荐信",
        "帮我写个谢果果的退休致辞", "我女儿王晓梅下周入学",
    ],
)  # fmt: skip
def test_ones_own_are_told(text: str) -> None:
    assert related([text]) == [True]


@pytest.mark.parametrize(
    "text",
    [
        "Write a poem for Taylor Swift.", "My manager keeps rescheduling.", "My friend from New York said so.",
        "What was Marie Curie's discovery?", "我的主管老是改时间", "给学生写推荐信", "鲁迅的小说", "帮我写一份公司的退休方案",
        "my student loan in San Francisco", "给老师写一封信",
    ],
)  # fmt: skip
def test_others_are_not(text: str) -> None:
    assert related([text]) == [False]


def test_the_possessive_is_no_part_of_a_name() -> None:
    """Else Whitfield elsewhere would be no part of Sarah Whitfield's."""
    text = "Please open Sarah Whitfield's account"
    assert {text[each.start : each.end] for each in row_names([text])[0]} == {"Sarah Whitfield"}


def test_a_pair_without_an_identifier_is_redacted(tmp_path, monkeypatch, command) -> None:
    """In both answers, by the given name alone."""
    monkeypatch.chdir(tmp_path)
    row = {
        "prompt": "My manager Sarah Whitfield keeps rescheduling. What do I say?",
        "chosen": "You could say: Sarah, I value our meetings.",
        "rejected": "I don't know Ms. Whitfield.",
    }
    jsonl(tmp_path / "data" / "a.jsonl", row)
    path = contract(tmp_path, [{"check": "pii"}], source={"path": "data"})
    command("run", str(path), "--out", "rep")
    told = ("--data", "train=data", "--out", "out", "--contract", str(path), "--redact")
    assert command("apply", "rep", *told)[0] == 0
    text = (tmp_path / "out" / "kept" / "train" / "a.jsonl").read_text()
    assert "Sarah" not in text
    assert "Whitfield" not in text
