"""What people say between a label and its value, and labels behind their values: a generator of 2026-11-30."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.publicity import is_public
from datacheck.pii.recognizers import RECOGNIZERS


def found(text: str) -> set[str]:
    return {row["entity"] for row in find(pl.Series([text])).iter_rows(named=True) if row["state"] == "valid"}


VALUES = {
    "QQ": ("QQ号", "741374349"),
    "WECHAT": ("微信", "lulu_zz444"),
    "STUDENT_ID": ("学号", "U21322273"),
    "EMPLOYEE_ID": ("工牌", "EMP70998"),
    "CN_MEDICAL_RECORD": ("住院号", "ZY3962454"),
    "CN_DRIVING_LICENCE": ("驾照号", "230103863632"),
    "HK_PHONE": ("香港电话", "52246185"),
}


@pytest.mark.parametrize("entity", VALUES)
@pytest.mark.parametrize(
    "said",
    [
        "{l}我再发一遍哈，{v}，别记错了",
        "之前说的{l}写错一位，正确的应该是{v}才对",
        "问：{l}是多少？答：{v}。",
        "表单里{l}这一项应该填{v}对吗？",
        "我叫尹志平，{l}呢是{v}，对。",
        "{l}就{v}啦",
        "{l}～{v}",
        "{l}→{v}",
        "把{v}这个{l}从系统里删掉吧",
        "『{v}』这是我{l}",
    ],
)
def test_a_value_is_found_however_it_is_led_to(entity, said):
    label, value = VALUES[entity]
    assert entity in found(said.format(l=label, v=value))


@pytest.mark.parametrize(
    "text",
    [
        "计算123456+654321，这个QQ号段不存在",
        "截至2020年共有10000001这个学号段",
        "学号是多少？答：8位数字",
        "{l}～2023年",
    ],
)
def test_ranges_and_forms_of_numbers_are_no_value(text):
    assert not found(text)


def test_the_house_of_a_village_group_is_somebodys_and_a_label_needs_no_colon():
    house = "江苏省苏州市姑苏区桃花镇向阳村3组60号"
    shop = "江苏省苏州市姑苏区三里街道中山路60号"
    assert not is_public("ADDRESS", f"房屋坐落于{house}，", 5, 5 + len(house))
    assert is_public("ADDRESS", f"房屋坐落于{shop}，", 5, 5 + len(shop))
    assert not is_public("ADDRESS", f"住址{shop}，", 2, 2 + len(shop))


def test_a_slash_before_a_chinese_label_is_no_path():
    assert found("贺知远/扣扣301090820/两份") == {"QQ"}
    assert not found("见 https://a.cn/qq_301090820/ 与 /qq301090820/")


def test_a_wechat_id_in_capitals_is_one():
    assert RECOGNIZERS["WECHAT"].canonical("WXID_TGGNGQTTC016M") == "wxid_tggngqttc016m"
    assert found("把zoe_hui123这个微信ID删掉") == {"WECHAT"}
    assert found("薇信呢，WXID_TGGNGQTTC016M，对") == {"WECHAT"}
