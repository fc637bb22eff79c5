"""The head of a column of a Markdown table says what its cells are, as the key of a record does."""

import pytest

from datacheck.checks.pii import Pii
from datacheck.pii.tables import told_cells
from datacheck.testing import measure

TABLE = "| 姓名 | QQ | 身分證字號 | 备注 |\n|:---|---:|---|---|\n| 高磊 | 604914573 | F104382661 | 382910475 |"


def told(text):
    return [(cell.front, text[cell.start : cell.end]) for cell in told_cells([text])[0]]


def test_cells_below_a_label():
    assert told(f"如下：\n{TABLE}\n完") == [("姓名: ", "高磊"), ("QQ: ", "604914573"), ("身分證字號: ", "F104382661")]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("QQ | 城市\n--- | ---\n**604914573** | 北京", [("QQ: ", "604914573")]),
        ("| **QQ** |\n|-|\n| `604914573` |", [("QQ: ", "604914573")]),
        ("| name | age |\n|---|---|\n| Ann Lee | 3 |", [("name: ", "Ann Lee")]),
        ("| name | price |\n|---|---|\n| Ann Lee | 3 |", []),
        ("| QQ |\n| 604914573 |", []),
        ("a | b\n\n- x", []),
        ("| QQ |\n|---|\n", []),
        ("| QQ |\n|---|\n|  |\n| " + "9" * 65 + " |", []),
    ],
)
def test_other_forms(text, cells):
    assert told(text) == cells


def test_the_check_finds_what_only_a_head_tells():
    found = measure(
        Pii(), [{"messages": [{"role": "user", "content": "列表"}, {"role": "assistant", "content": TABLE}]}]
    )
    assert {problem for _, problem in found.problems} == {"qq", "tw_id", "person"}
    assert (
        measure(
            Pii(), [{"prompt": TABLE.replace("QQ", "票数").replace("身分證字號", "型号").replace("姓名", "队")}]
        ).problems
        == []
    )
