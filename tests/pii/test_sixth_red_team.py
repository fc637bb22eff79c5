"""What another author's conversations kept in a redaction, by class: names behind more roles, words as names, ＝."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.publicity import is_public
from datacheck.pii.redact.callings import called, named
from datacheck.pii.redact.row_names import row_names


def names(text):
    return {text[each.start : each.end] for each in row_names([text]).get(0, [])}


@pytest.mark.parametrize("text", ["我叫万一鸣，", "姓名：万一鸣", "联系人：成功伟"])
def test_a_word_may_begin_a_name(text):
    found = find(pl.Series([text])).filter(pl.col("entity") == "PERSON")
    assert [text[start:end] for start, end in found.select("start", "end").rows()] == [text.strip("，")[-3:]]


@pytest.mark.parametrize("text", ["姓名：成功登记", "我叫万一有事", "联系人：时间待定", "我叫查询一下"])
def test_a_word_that_goes_on_is_no_name(text):
    assert find(pl.Series([text]))["entity"].to_list() == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我爱人高军的病历号是", "高军"), ("面试官：逄健；", "逄健"), ("提货人鄢若溪登录IP", "鄢若溪"), ("接送人咸听雨，", "咸听雨"),
        ("下单人写的是卢东风，", "卢东风"), ("员工董冬至申请补卡", "董冬至"), ("查询姜建设的订单", "姜建设"), ("我是鹿思雨妈妈，", "鹿思雨"),
        ("我姓史，叫史解放，", "史解放"), ("<name>鄢帆</name>", "鄢帆"), ("写一封信给訾红旗，", "訾红旗"), ("芮瑶收 <CN_MOBILE_v1>", "芮瑶"),
        ("【寻人】宓宇航，47岁", "宓宇航"), ("| 苟艳 | <CN_MOBILE_v2> |", "苟艳"), ("暴果果你好，", "暴果果"), ("三年级二班田时光家长", "田时光"),
        ("Referee: Xanthia Weaver\n", "Xanthia Weaver"), ("Pt Xanthia Abernathy (VIN", "Xanthia Abernathy"),
        ("My mother Xanthia Page has", "Xanthia Page"), ("Posted by Xanthia Nakamura <", "Xanthia Nakamura"),
        ("Contact Xanthia Winters, IP", "Xanthia Winters"),
    ],
)  # fmt: skip
def test_who_is_introduced_is_found(text, name):
    assert name in names(text)


@pytest.mark.parametrize(
    "text",
    [
        "面试官：请稍等；", "我爱人高兴的时候", "查询明天的订单", "员工于今天申请补卡", "【通知】高考，3天", "Contact Us Today",
        "房东应该来电", "写一封信给应届生，", "| 高度 | <CN_MOBILE_v2> |", "我姓王，叫我小王",
    ],
)  # fmt: skip
def test_other_words_behind_roles_are_none(text):
    assert names(text) == set()


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("微信号＝ftam-6058", "WECHAT"), ("住院号＝0000179528", "CN_MEDICAL_RECORD"), ("QQ号＝31120062", "QQ"),
        ("社保号＝33236410558", "CN_SOCIAL_SECURITY"), ("手提電話＝5459-4211", "HK_PHONE"),
    ],
)  # fmt: skip
def test_a_wide_sign_of_equality_is_one(text, entity):
    assert entity in find(pl.Series([text]))["entity"].to_list()


def test_your_phone_is_yours():
    """A bank that was spoken of before has nothing to do with it."""
    number, said = "+1 617 727 5412", "客户资料：银行账号49174927587068167。"
    for begins in ("Your phone ", "Is your mobile number "):
        text = f"{begins}{number} on file."
        assert not is_public("PHONE_NUMBER", text, len(begins), len(begins) + len(number), said)
    text = f"Call from your phone {number}"
    assert is_public("PHONE_NUMBER", text, len(text) - len(number), len(text), said)


def test_what_the_agent_says_of_itself_tells_nothing_of_the_customers():
    text = "下单人写的是吴鑫，（微信xiaoxiao27831）"
    start = text.index("xiaoxiao")
    for said in ("您好，这里是售后专线，很高兴为您服务。", "售后专线，请报一下微信"):
        assert not is_public("WECHAT", text, start, len(text) - 1, said)
    assert is_public("WECHAT", text, start, len(text) - 1, "售后专线的微信是多少")


def test_parents_and_those_who_are_wished_well_are_called():
    assert [part for *_, part in called("小史家长您好", ["史"])] == ["史"]
    assert [part for *_, part in named("平安家长您好，祝泰山早日康复", ["平安", "泰山"])] == ["平安", "泰山"]
