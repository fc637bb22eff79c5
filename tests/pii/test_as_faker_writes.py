"""Values as Faker makes them (zh_CN, zh_TW, en_US), in sentences of JDDC and of presidio-research: none was found before."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.text.chinese import in_both_scripts, simplified


def found(text, entity):
    hits = find(pl.Series([text])).filter(pl.col("entity") == entity)
    return {(text[start:end], state) for start, end, state in hits.select("start", "end", "state").rows()}


@pytest.mark.parametrize(
    ("text", "value", "state"),
    [
        ("收件地址：新北市板橋區文化路一段188巷23號5樓之2", "新北市板橋區文化路一段188巷23號5樓之2", "valid"),
        ("我住在高雄市左營區自由二路150號", "高雄市左營區自由二路150號", "valid"),
        ("家住沙田瀝源邨榮瑞樓1203室", "沙田瀝源邨榮瑞樓1203室", "valid"),
        ("收货地址：广东省辛集县璧山周路C座 134401", "广东省辛集县璧山周路C座 1344", None),
        ("My address is 97340 Margaret Bridge, Patelview, IA 62665", "97340 Margaret Bridge, Patelview, IA 62665", "valid"),
        ("My home:\n6200 Cook Fords Apt. 926\nEast Ryanberg, AR 55635", "6200 Cook Fords Apt. 926\nEast Ryanberg, AR 55635", "valid"),
        ("ship it to me: P.O. Box 2214, Laramie, Wyoming 82071", "P.O. Box 2214, Laramie, Wyoming 82071", "valid"),
        ("mail it to my unit: PSC 4821, Box 0806\nAPO AP 31633", "PSC 4821, Box 0806\nAPO AP 31633", "valid"),
        ("he lives at 5957 Taylor Knolls", "5957 Taylor Knolls", "suspect"),
    ],
)  # fmt: skip
def test_addresses(text, value, state):
    hits = found(text, "ADDRESS")
    assert any(each.startswith(value) or value.startswith(each) for each, _ in hits), hits
    assert state is None or {each for _, each in hits} == {state}


@pytest.mark.parametrize(
    "text",
    [
        "March 5, 2020 New York, NY 10001", "June 2021 Meeting\nAustin, TX 78701", "The class of 1999, Dallas, TX 75201",
        "He saw 20 New Bridges and 10 Green Hills", "第3章A座标系", "一路B座谈会", "共1200室", "他走了三條街A座位滿了",
    ],
)  # fmt: skip
def test_no_addresses(text):
    assert found(text, "ADDRESS") == set()


def test_of_whom_an_address_is_said_to_be_is_read_in_either_script():
    number = "台北市大安區忠孝東路四段181號"
    assert {state for _, state in found(f"收貨地址：{number}", "ADDRESS")} == {"valid"}
    assert {state for _, state in found(f"本公司位於{number}", "ADDRESS")} == {"public"}
    assert {state for _, state in found("人民醫院：010-82345619", "CN_LANDLINE")} == {"public"}
    assert {state for _, state in found("王小姐：010-82345619", "CN_LANDLINE")} == {"valid"}


@pytest.mark.parametrize(
    ("text", "value", "state"),
    [
        ("They're not answering at 780-999-2181", "780-999-2181", "valid"),
        ("I get no message on my registered 905-674-3793.", "905-674-3793", "valid"),
        ("Call me at (212)962-7854x26678", "(212)962-7854x26678", "valid"),
        ("reach me: 001-212-962-7854 ext. 12", "001-212-962-7854 ext. 12", "valid"),
        ("Can someone call me on 556-752-7558x282?", "556-752-7558x282", "suspect"),
        ("Phone: (123) 456-7891", "(123) 456-7891", "specimen"),
        ("Desk: 0490 39 07 81", "0490 39 07 81", "suspect"),
        ("Can someone call me on 01.84.17.61.18?", "01.84.17.61.18", "suspect"),
    ],
)  # fmt: skip
def test_telephones(text, value, state):
    assert (value, state) in found(text, "PHONE_NUMBER")


@pytest.mark.parametrize(
    "text", ["call me on 12.05.2024", "call me at 2024-05-12", "Phone: 400 810 1234", "tel: 12 34", "stop messages to 3 of 5"]
)  # fmt: skip
def test_no_telephones(text):
    assert found(text, "PHONE_NUMBER") == set()


def test_a_landline_may_be_called_a_mobile():
    assert found("您好，手机号:02066847751，请您准备好", "CN_LANDLINE") == {("02066847751", "valid")}


@pytest.mark.parametrize("number", ["4639710321150", "676147711599", "213134246415418"])
def test_cards_of_other_lengths_stand_behind_their_word(number):
    assert found(f"I want to cancel my card {number}", "CN_BANK_CARD") == {(number, "valid")}
    assert found(f"My order {number} is late", "CN_BANK_CARD") == set()


@pytest.mark.parametrize(
    ("text", "entity", "value"),
    [("車牌號碼：ZVC-7678", "TW_PLATE", "ZVC-7678"), ("我的車是8930-PQ", "TW_PLATE", "8930-PQ"), ("車牌 AB 1234", "HK_PLATE", "AB 1234")],
)  # fmt: skip
def test_plates(text, entity, value):
    assert found(text, entity) == {(value, "valid")}


def test_either_script():
    assert in_both_scripts(r"[0-9号\]楼]号") == r"[0-9号號\]楼樓][号號]"
    assert in_both_scripts(r"[^\\]发") == r"[^\\][发發髮]"
    assert in_both_scripts(r"[^发]\[台") == r"[^发發髮]\[[台檯臺颱]"
    assert simplified("台灣大道三段99號") == "台湾大道三段99号"
