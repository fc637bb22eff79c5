"""Labels and values in the arguments of calls (JSON inside JSON), glued or broken, and what only looks like them."""

import json

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.publicity import is_public
from datacheck.pii.redact.row_names import row_names
from datacheck.pii.redact.traces import Original, Traces


def states(text: str, entity: str) -> list[str]:
    found = find(pl.Series([text]))
    return found.filter(pl.col("entity") == entity)["state"].to_list()


def call(**arguments: str) -> str:
    """A call as the audit reads it: its arguments are JSON in a string of JSON."""
    return json.dumps([{"function": {"arguments": json.dumps(arguments, ensure_ascii=False)}}], ensure_ascii=False)


@pytest.mark.parametrize(
    ("entity", "key", "value"),
    [
        ("QQ", "QQ号", "473664893"),
        ("WECHAT", "wechat", "apple-silent75"),
        ("WECHAT", "微信号", "yan_709888"),
        ("PERSON", "姓名", "钟满堂"),
        ("PERSON", "customer_name", "薛紫涵"),
    ],
)
def test_a_key_in_the_arguments_of_a_call_is_a_label(entity, key, value):
    assert states(call(order="70", **{key: value}), entity) == ["valid"]
    assert states(call(order="70", remark=value), entity) == []


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("WECHAT", '{"fields": [{"key": "wechat_id", "value": "ocean-silent54"}]}'),
        ("WECHAT", "加我微信:wxid _pwmsvd312zpqcr，谢谢"),
        ("WECHAT", "加我微信：pand a-dream37"),
        ("WECHAT", "加Vwxid_rxs2p5havuvxc5"),
        ("WECHAT", "麻烦记一下：vxxutao414300吧"),
        ("WECHAT", "微信applepanda4203"),
        ("QQ", "包邮，q:948 69570，叫我"),
        ("QQ", "请问扣扣填727334631可以吗？"),
        ("EMAIL_ADDRESS", "用ning-apple@live。com接验证码"),
        ("EMAIL_ADDRESS", "用d.blackwood69@vip。qq。com接"),
        ("EMAIL_ADDRESS", "用kitty_forest07 @ vip.qq.com接"),
    ],
)
def test_what_was_glued_or_broken_is_found(entity, text):
    assert states(text, entity) == ["valid"]


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("WECHAT", "微信 web api-2023 文档"),
        ("WECHAT", "wechat: pay 2024"),
        ("WECHAT", "微信apple12手机"),
        ("QQ", "Q: 2019-2020 was a good year"),
        ("PERSON", '{"contact_person": "安全部"}'),
        ("US_SSN", "chunk_id=arxiv:2601.09709_p3_c3\nssness ("),
        ("US_SSN", "ssn, arXiv:230112345"),
        ("US_SSN", "social security, see 2301.12345"),
        ("IP_ADDRESS", "simp [h₁.2.2.1, h₁.2.2.2.1]; exact (h x).2.2.1.1"),
        ("IP_ADDRESS", "断\n2．6．1．3\n细胞病理学诊断报告"),
    ],
)
def test_what_only_looks_like_it_is_none(entity, text):
    assert states(text, entity) == []


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("US_SSN", "my ssn is 230 11 2345"),
        ("IP_ADDRESS", "hosts:\n9.8.7.6\n5.6.7.8\n"),
        ("IP_ADDRESS", "登录IP是5.6.7.8。"),
    ],
)
def test_what_is_one_stays_one(entity, text):
    assert set(states(text, entity)) == {"valid"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("当有多个客户时运行以下命令", []),
        ("当有多个客户应填写，身份证", []),
        ("新员工鄢怀瑾入职，身份证", ["鄢怀瑾"]),
        ("[19:12] 欧阳念慈妈妈: 收到", ["欧阳念慈"]),
        ("替我通知展可欣", ["展可欣"]),
    ],
)
def test_names_in_records(text, names):
    assert sorted({text[each.start : each.end] for each in row_names([text]).get(0, ())}) == names


@pytest.mark.parametrize(
    ("entity", "written", "text", "found"),
    [
        ("PERSON", "余国庆", "国庆需向邓转账", ["国庆"]),
        ("PERSON", "余国庆", "国庆节放假，国庆期间", []),
        ("PERSON", "吕卫国", "由甲赔偿卫国医疗费", ["卫国"]),
        ("PERSON", "龙招娣", "由老龙赔偿", ["老龙"]),
        ("TW_PHONE", "+886-916-878-746", "簡訊到0916878746。", ["916878746"]),
        ("HK_PHONE", "9338 9096", "唔係85293389096咩", ["93389096"]),
        ("CN_MOBILE", "19725687158", "We called 9725687158 today", ["9725687158"]),
    ],
)
def test_somebody_and_his_number_are_known_again(entity, written, text, found):
    assert [text[each.start : each.end] for each in Traces([Original(entity, written)]).find(text)] == found


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("乘客田玉兰，办公室电话是0512-83668504。", False),
        ("北京市教育局，办公室电话是0512-83668504。", True),
        ("办公室电话：0512-83668504", True),
    ],
)
def test_somebodys_telephone_at_work_is_somebodys(text, public):
    start = text.index("0512")
    assert is_public("CN_LANDLINE", text, start, start + 13) is public
