"""Every blocking hit in real texts, with a verdict by hand."""

import polars as pl
import pytest
from pii_helpers import realdata

from datacheck.pii.analyzer import find
from datacheck.pii.recognizers import severity


def blocking(source: str) -> list[tuple[str, str]]:
    texts = realdata(source)
    return [
        (row["entity"], texts[row["index"]][row["start"] : row["end"]])
        for row in find(texts).iter_rows(named=True)
        if severity(row["entity"], row["state"], linked=row["linked"]) == "block"
    ]


# Verdicts: is it what the entity says? BFCL's two are one mailbox, once in a question and once in its answer: right.
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("gsm8k", []),
        ("gaokao_bench", []),
        ("bfcl", [("EMAIL_ADDRESS", "andy@gorilla.ai"), ("EMAIL_ADDRESS", "andy@gorilla.ai")]),
        ("agieval", []),
        ("huatuo", []),
        ("belle", []),  # a bank's sender and the address of the White House are public
        # a telephone number written digit by digit in a chat: right
        ("cdial_gpt", [("CN_MOBILE", "1 5 9 5 7 1 9 7 2 4 0")]),
    ],
)
def test_what_blocks_in_real_data_is_what_it_says(source, expected):
    assert blocking(source) == expected


def test_what_does_not_block_in_school_mathematics():
    """GSM8K's 7,473 + 1,319 problems hold no identifier of any kind."""
    assert find(realdata("gsm8k")).is_empty()


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("两条21号染色体", "ADDRESS"), ("地铁15号线", "ADDRESS"), ("石灰沟矿段3号金矿带", "ADDRESS"), ("周家冲南矿段203号脉群", "ADDRESS"), ("流程主要是：：①领取申请单", "IP_ADDRESS"), ("知道3号", "ADDRESS"), ("第3号文件", "ADDRESS"), ("公里3号", "ADDRESS"),
        ("客户：好的，谢谢", "PERSON"), ("如果投保人是房东，可以办理", "PERSON"), ("申请人为商家，", "PERSON"), ("我叫什么名字", "PERSON"), ("对于王先生来说", "PERSON"), ("由于王女士不在", "PERSON"), ('{"name": "get_weather"}', "PERSON"), ("std::vector<int> a::b", "IP_ADDRESS"),
        ("12:30:45", "IP_ADDRESS"), ("2020-12-25-10-30-00", "MAC_ADDRESS"), ("[0.1234, 0.5678]", "GPS"), (r"a calculator gives 6.9999852\cdot10.00001988", "GPS"), ("later 6.9999852 or 10.00001988", "GPS"), ("患者：谢谢医生", "PERSON"), ("患者：怀孕14周", "PERSON"), ("病人：黄疸，39岁", "PERSON"), ('label("$N$",(44.91307,108.57427),NE/2)', "GPS"), ("draw((44.91307,108.57427)--(45.91307,109.57427))", "GPS"), ("QQ2013正式版", "QQ"), ("微信小程序 wechat pay", "WECHAT"),
        ("password: str", "CREDENTIAL"), ('token = tokenizer.encode("x")', "CREDENTIAL"), ("订单号E12345671", "CN_PASSPORT"), ("编号 A123456789X", "TW_ID"), ("how often the quantity is 346-817 (7)", "HK_ID"),
        ("2020-01-01 12345", "US_SSN"), ("共计 490154203237510 件", "IMEI"), ("图3-12-2021", "DATE_OF_BIRTH"), ("生日快乐", "DATE_OF_BIRTH"),
        ("平均139.66778421", "CN_MOBILE"), ("8.8.8.0/24", "IP_ADDRESS"), ("新A股12345", "CN_PLATE"), ("京A股上市", "CN_PLATE"), ("伍琼 SSN220-14-1237", "CN_PLATE"), ("400-810-8888", "CN_LANDLINE"), ("95588", "CN_LANDLINE"),
        ("1. Name: Search Managers\nDescription: Search for managers", "PERSON"), ("房产证写了两个人的名字，房子怎么分", "PERSON"), ("保护自己的姓名权利", "PERSON"), ("与日本名古屋八队同组", "PERSON"),
        ("事故发生于2017年12月14日", "DATE_OF_BIRTH"), ("print(a[1::-1])", "IP_ADDRESS"), ("see §15.12.20.7", "IP_ADDRESS"), ("@return string * @since 4.2.3.1 * @version 1.0.0", "IP_ADDRESS"), ("$handle = @fopen( $file, 'r' );", "SOCIAL_HANDLE"), (r"/google(?P<token>[^ab12]+)/", "CREDENTIAL"), (r"(?P<token>[A-Za-z0-9_-]+)/", "CREDENTIAL"), ("picture = <<52::6, 51::6>>", "IP_ADDRESS"), ("右附件囊肿5.64.52.9，较大", "IP_ADDRESS"), ("2012-2013寒假学生票", "CN_LANDLINE"),
        ("Proper Name <proper@email.xx>", "EMAIL_ADDRESS"), ("candidate(s = 'AB@qq.com')", "EMAIL_ADDRESS"), ("sessions for patient ID 12345.", "CN_MEDICAL_RECORD"),
        ("震级4.7级，震中位于29.7312, 107.9113，烈度Ⅲ", "GPS"), ("epicenter at 29.7312, 107.9113", "GPS"),
        ("They will always answer: 1-800-273-8255. They can help you", "CN_USCC"),
        ("年輕的印度女士努力地編織", "PERSON"), ("两位韩国女士", "PERSON"), ("用户可能作为患者，关心的是恢复情况", "PERSON"),
        ("TOPN(5, VALUES(Customer[CustomerName] ), [Total Sales], DESC)", "PERSON"), ('["Customer Name", "Order Date"]', "PERSON"),
        ("来到S市Q区某小区10栋5单元202室", "ADDRESS"), ('assert find_demlo("13360142222") == "x"', "CN_MOBILE"),
    ],
)  # fmt: skip
def test_not_found(text, entity):
    assert find(pl.Series([text]), (entity,)).filter(pl.col("state") == "valid").is_empty()


def test_a_quotient_is_no_telephone_of_any_state():
    """40 / 3 and 25 / 18 as a calculator shows them."""
    assert find(pl.Series(["13.333333333", "结果是 1.3888888888", "139.66778421"]), ("CN_MOBILE",)).is_empty()
    assert find(pl.Series(["139.6677.8421", "139·6677·8421"]), ("CN_MOBILE",))["state"].to_list() == ["valid"] * 2


def test_a_name_that_begins_like_a_country_is_one():
    assert find(pl.Series(["请给韩国强先生"]), ("PERSON",))["state"].to_list() == ["valid"]


def test_a_name_in_a_list_of_values_is_one():
    found = find(pl.Series(['["Customer Name", "John Miller"]']), ("PERSON",))
    assert found["state"].to_list() == ["valid"]


@pytest.mark.parametrize("text", ["table users, col phone, id=31284756", "field phone. rid=23984756"])
def test_an_id_beside_a_word_for_telephones_is_none(text):
    assert find(pl.Series([text]), ("CN_LANDLINE",)).is_empty()
    assert find(pl.Series([text.replace("id=", "tel ")]), ("CN_LANDLINE",)).height == 1
