"""The second reading of a written copy: it finds every form of a value, and shares no line with what replaces values."""

import ast
import inspect

import pytest

from datacheck.pii.redact import remains
from datacheck.pii.redact.remains import Remains
from datacheck.pii.redact.traces import Original

VALUES = (
    Original("CN_MOBILE", "13822335566"), Original("PERSON", "王建国"), Original("PERSON", "Sarah Whitfield"),
    Original("EMAIL_ADDRESS", "a.bcd@qq.com"), Original("WECHAT", "bobonana"), Original("PERSON", "于海"),
    Original("QQ", "382910"), Original("PERSON", "José Yılmaz"), Original("PERSON", "司徒文"),
    Original("IP_ADDRESS", "10.0.0.1"), Original("PERSON", "丛建军"), Original("PERSON", "时月娥"),
)  # fmt: skip


def standing(text):
    return [VALUES[number].written for number in Remains(VALUES).inside(text)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("wx13822335566a", "13822335566"),
        ("138,2233\n> 5566", "13822335566"),
        ("一三八二二三三五五六六", "13822335566"),
        ("l38 2233 556b 电话I38Z l3822335566", "13822335566"),
        ("138~2233~5566", "13822335566"),
        ("eyJ0ZWwiOiAiMTM4MjIzMzU1NjYifQ==", "13822335566"),
        ("①③⑧②②③③⑤⑤⑥⑥", "13822335566"),
        ("\u202e66553322831\u202c", "13822335566"),
        (r'{"a": "{\"b\": \"\\u0031\\u0033822335566\"}"}', "13822335566"),
        ("1\u200b3\u200b8\u200b22335566", "13822335566"),
        ("王 建国", "王建国"),
        ("建国，你好", "王建国"),
        ("请，小王！", "王建国"),
        ("王总会来", "王建国"),
        ("明天王工到", "王建国"),
        ("明天老时会过来", "时月娥"),
        ("帮建军查一下", "丛建军"),
        ("请建军稍等", "丛建军"),
        ("小于，您好", "于海"),
        ("sarah_whitfield", "Sarah Whitfield"),
        ("SARAH", "Sarah Whitfield"),
        ("sarah said", "Sarah Whitfield"),
        ("Ｗｈｉｔｆｉｅｌｄ's", "Sarah Whitfield"),
        ("a.bcd at qq dot com", "a.bcd@qq.com"),
        ("vxBoboNana", "bobonana"),
        ("b o b o n a n a", "bobonana"),
        ("382 910", "382910"),
        ("JOSE", "José Yılmaz"),
        ("司徒先生", "司徒文"),
        ("at 10.0.0.1:80", "10.0.0.1"),
    ],
)
def test_every_form_of_a_value_is_found(text, written):
    assert standing(text) == [written]


@pytest.mark.parametrize(
    "text",
    [
        "姓王\n建国家", "建国以来", "小王子", "霸王总是", "小于3", "3829101", "<PERSON_v1>总，<CN_MOBILE_v1>", "10001",
        "Annual sarahs", "好的，谢谢", "", "\u200b",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_none(text):
    assert standing(text) == []


def test_it_shares_no_line_with_what_replaces_values():
    """What it takes from `traces` is a name for a pair, and from `normalise` nothing."""
    taken = {
        (node.module, name.name)
        for node in ast.walk(ast.parse(inspect.getsource(remains)))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert {name for module, name in taken if module == "datacheck.pii.redact.traces"} == {"Original"}
    assert not [module for module, _ in taken if module in ("datacheck.pii.normalise", "datacheck.pii.redact.callings")]
