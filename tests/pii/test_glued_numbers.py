"""Numbers as people write them: glued to a label, broken over lines, spelt out; and what only looks like one."""

from random import Random

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.excerpts import excerpt
from datacheck.pii.recognizers import RECOGNIZERS, severity
from datacheck.pii.rules import Rules

FORMS = (
    "wx{}", "vx{}", "VX{}", "加V{}", "加v:{}", "V{}", "手机号No{}", "No{}", "no.{}", "电话{}a", "手机号{}微信同号", "tel{}", "TEL:{}",
    "{}wx", "dh{}", "手机{}谢谢", "weixin{}", "whatsapp{}", "电话{}weixin同号", "联系方式：{}（李）", "cell{}", "我的号码{}", "Phone{}.",
)  # fmt: skip
SPLIT = ("tel {} {}\n{}", "手机 {}\n{}{}", "- 电话 {}-{}\n- {}", "联系 {}{}\r\n{}")


def levels(text: str, rules: Rules | None = None) -> list[tuple[str, str]]:
    hits = find(pl.Series([text]), (rules or Rules()).looked_for)
    return [
        (hit["entity"], severity(hit["entity"], hit["state"]) if hit["state"] == "valid" else hit["state"])
        for hit in hits.iter_rows(named=True)
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_number_glued_to_words_is_found(form):
    texts = [form.format(canary("CN_MOBILE", seed)) for seed in range(20)]
    assert find(pl.Series(texts))["entity"].to_list() == ["CN_MOBILE"] * 20


@pytest.mark.parametrize(
    ("entity", "form"),
    [
        ("CN_RESIDENT_ID", "身份证{}a"),
        ("CN_BANK_CARD", "账号No{}"),
        ("CN_BANK_CARD", "卡{}a"),
        ("CN_LANDLINE", "tel{}"),
        ("CN_LANDLINE", "电话No{}"),
        ("CN_LANDLINE", "座机{}a"),
        ("CN_BANK_CARD", "卡号{}a"),
        ("CN_BANK_ACCOUNT", "收款账号No{}"),
        ("CN_DRIVING_LICENCE", "驾照No{}"),
        ("CN_PASSPORT", "护照No{}"),
        ("CN_TRAVEL_PERMIT", "通行证No{}"),
        ("CN_TRAVEL_PERMIT", "回乡证{}a"),
        ("CN_USCC", "信用代码No{}"),
        ("TW_ID", "身分證No{}"),
        ("HK_ID", "HKID{}"),
        ("MO_ID", "澳门身份证No{}"),
        ("HK_PHONE", "電話{}找我"),
        ("HK_PHONE", "whatsapp{}"),
    ],
)
def test_other_numbers_glued_to_words_are_found(entity, form):
    values = [canary(entity, seed).removeprefix(RECOGNIZERS[entity].label) for seed in range(20)]
    found = find(pl.Series([form.format(value) for value in values]))
    assert found["entity"].to_list() == [entity] * 20


@pytest.mark.parametrize("sign", [",", "，", "、", "。", "/", "|", "~", "*", "+"])
def test_a_sign_of_ones_own_parts_groups_only_beside_a_word(sign):
    assert levels(f"手机：138{sign}2233{sign}5566") == [("CN_MOBILE", "block")]
    assert levels(f"138{sign}2233{sign}5566") == []


def test_numbers_in_three_lines_are_found_and_a_column_of_figures_is_none():
    identity, card = canary("CN_RESIDENT_ID", 3), canary("CN_BANK_CARD", 3)
    assert levels("手机\n138\n2233\n5566") == [("CN_MOBILE", "block")]
    assert levels(f"身份证号{identity[:6]}\n{identity[6:14]}\n{identity[14:]}") == [("CN_RESIDENT_ID", "block")]
    assert levels(f"卡号{card[:4]}\n{card[4:8]}\n{card[8:]}") == [("CN_BANK_CARD", "block")]
    assert levels("\n".join(identity)) == []
    assert levels(f"证件 {identity[:6]}/{identity[6:14]}/{identity[14:]}") == [("CN_RESIDENT_ID", "block")]


def test_liang_is_a_two_and_2_to_the_34_is_no_telephone():
    assert levels("手机一三八两两三三五五六六") == [("CN_MOBILE", "block")]
    assert levels("test overflow { r set novar 17179869184; r incr } {17179869185}") == []


@pytest.mark.parametrize(
    "text",
    [
        "加微：leo_star_405", "加vtigersunny35", "vxmoon_linda21", "+v zhang_wei434", "徽信liming_lucky67", "绿泡泡：sunny_1234",
        "WeChatlimingkevin20", "卫星：happy-tiger0338",
    ],
)  # fmt: skip
def test_names_of_wechat_as_they_are_written_to_evade(text):
    assert "WECHAT" in [entity for entity, _ in levels(text)]


@pytest.mark.parametrize(
    "text",
    [
        "sunny88-at-163-dot-com", "sunny_88_at_126_dot_com", "sunny88<at>qq<dot>com", "sunny88 at 163点com",
        "sunny88 @ qq . com", "sunny88★sina.com", "sunny88@qq。com", "sunny88@sina。com，谢谢",
    ],
)  # fmt: skip
def test_addresses_at_a_provider_with_other_signs(text):
    assert levels(f"发到{text}") == [("EMAIL_ADDRESS", "block")]
    assert "sunny" not in excerpt(f"发到{text}")


def test_a_plus_and_a_directive_are_no_wechat():
    assert levels("test('v-if + v-else-if + v-slot', () => {})") == []


def test_what_is_masked_already_is_nobodys():
    assert levels("车牌号为吉K06XXX的轿车") == [("CN_PLATE", "specimen")]
    assert levels("单位缴纳社会保险54846.19元") == []


@pytest.mark.parametrize("entity", ["CN_MOBILE", "CN_RESIDENT_ID", "CN_BANK_CARD"])
def test_a_number_that_breaks_anywhere_is_found(entity):
    values = [canary(entity, seed) for seed in range(8)]
    texts = [f"电话、卡号、证件号 {value[:at]}\n{value[at:]}" for value in values for at in (4, 6, 8)]
    assert set(find(pl.Series(texts))["entity"]) == {entity}
    assert find(pl.Series(texts))["index"].n_unique() == len(texts)


@pytest.mark.parametrize("text", ["abc123 @ foxmail.com", "abc123 @foxmail.com"])
def test_blanks_around_the_sign_of_an_address(text):
    assert [entity for entity, _ in levels(text)] == ["EMAIL_ADDRESS"]
    assert levels("W @ x.shape") == []


@pytest.mark.parametrize("form", SPLIT)
def test_a_number_over_two_lines_is_found(form):
    numbers = [canary("CN_MOBILE", seed) for seed in range(20)]
    texts = [form.format(number[:3], number[3:7], number[7:]) for number in numbers]
    assert find(pl.Series(texts))["entity"].to_list() == ["CN_MOBILE"] * 20


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("{m}@qq.com", "EMAIL_ADDRESS"), ("kate dot smith at gmail dot com", "EMAIL_ADDRESS"), ("zhangsan艾特qq点com", "EMAIL_ADDRESS"),
        ("zhangsan#qq.com", "EMAIL_ADDRESS"), ("台灣電話 0912-345-678", "TW_PHONE"), ("電話 02-2345-6789", "TW_PHONE"),
        ("香港电话 9123 4567", "HK_PHONE"), ("My number is 415-867-5309", "PHONE_NUMBER"), ("(415) 867-5309", "PHONE_NUMBER"),
        ("reach me at 415.867.5309", "PHONE_NUMBER"), ("US passport C03004786", "PASSPORT"), ("my handle is @zhang_wei99", "SOCIAL_HANDLE"),
        ("学号：2019300045", "STUDENT_ID"), ("student_id: S2019300045", "STUDENT_ID"), ("员工编号 E10234", "EMPLOYEE_ID"), ("VIN 1HGCM82633A004352", "VIN"),
    ],
)  # fmt: skip
def test_its_name(text, entity):
    assert [name for name, _ in levels(text.format(m=canary("CN_MOBILE", 3)))] == [entity]


@pytest.mark.parametrize(
    "text",
    [
        "hotel 195.154.37.122", "cellular 138.199.21.100", "call 10.1.1.1 to 150.158.97.123", "sensor 136 2227 2227", "port 136 2227 2227",
        "blk_6285161494041403917", "blk_-4980916519894289629", "QQ[10018]", "QQ(10018) deny", '"available_in_bytes": 18234781696', "size=13822335566",
        "03-17 16:13:46.145  2227  2227 I PhoneStatusBar", "订单号13822335566", "https://a.com/p/13822335566", "UK phone 020 7946 0958",
        "\\text { at } 0.7870", "look at amazon.com", "buy it at amazon dot com",
    ],
)  # fmt: skip
def test_what_is_none(text):
    assert [level for _, level in levels(text) if level == "block"] == []


@pytest.mark.parametrize("text", ["userid: 13822335566", '"id": 13822335566'])
def test_an_id_of_anything_is_a_suspect(text):
    assert levels(text) == [("CN_MOBILE", "suspect")]


@pytest.mark.parametrize(
    "text", ["your_name@gmail.com", "you@qq.com", "user1@corp.cn", "a@b.invalid", "li@printer.local"]
)
def test_placeholders_are_specimens(text):
    assert levels(text) == [("EMAIL_ADDRESS", "specimen")]


def test_countries_are_looked_for_when_they_are_asked_for():
    text = "CPF 529.982.247-25"
    assert "BR_CPF" not in Rules().looked_for
    assert levels(text, Rules(regions=("BR",))) == levels(text, Rules(regions="all")) == [("BR_CPF", "block")]
    assert levels(text, Rules(entities={"BR_CPF": "block"})) == [("BR_CPF", "block")]
    assert set(Rules(regions="all").looked_for) == set(RECOGNIZERS)
    with pytest.raises(ValueError, match="unknown region XX"):
        Rules(regions=("XX",))


def test_random_numbers_alone_are_no_identifiers_of_any_country():
    rng = Random(7)
    texts = [str(rng.randrange(10 ** (n - 1), 10**n)) for n in (8, 9, 10, 12, 13) for _ in range(400)]
    made = tuple(entity for entity, each in RECOGNIZERS.items() if type(each).__name__ == "National")
    assert find(pl.Series(texts), made).height <= len(texts) / 1000
