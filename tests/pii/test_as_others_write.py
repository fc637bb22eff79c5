"""Identifiers as people write whom nobody asked: between words, in logs, with signs for words, over two lines."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find

FOUND = [
    ("QQ", "你好，客服说要核对QQ号，我的是432021104，能不能今天处理完？", "432021104"),
    ("QQ", "上次填错了，QQ应该改成972525645，其他的不变。", "972525645"),
    ("QQ", "我把QQ号发你了哈 673816139 记得存一下", "673816139"),
    ("QQ", "[WARN] validation failed: field=qq_number value=572643694 step=checkout", "572643694"),
    ("QQ", "my QQ#579202666 thanks", "579202666"),
    ("WECHAT", "不好意思，核对WeChat，我的是feng-hui14", "feng-hui14"),
    ("WECHAT", "her wechat id (x i a o b a i 3 9 8 0) is new", "x i a o b a i 3 9 8 0"),
    ("WECHAT", "麻烦登记WeChattang_cat4539谢谢", "tang_cat4539"),
    ("CN_MOBILE", "有事M17325408516", "17325408516"),
    ("CN_MOBILE", "（联系方式13597943956x）请核对", "13597943956"),
    ("CN_MOBILE", "电话☎19836151859ok随时", "19836151859"),
    ("CN_LANDLINE", "我的宅电为+86-592-5851337-759，请尽快回复。", "+86-592-5851337-759"),
    ("CN_LANDLINE", "我的座机是0531-23034389ext.4544，能不能今天处理完？", "0531-23034389ext.4544"),
    ("CN_LANDLINE", "宅电：02558915279，有消息就告诉我", "02558915279"),
    ("CN_RESIDENT_ID", "my Chinese ID=430102801005183, ok?", "430102801005183"),
    ("CN_RESIDENT_ID", "对了，我证件号码是420111\n600902272，麻烦帮我查一下", "420111\n600902272"),
    ("CN_BANK_CARD", "my card number=6258341999013745abc, ok?", "6258341999013745"),
    ("MO_ID", '[{"mo_id_card": "5798423(8)"}]', "5798423(8)"),
    ("HK_ID", '[{"hk_id_no": "Z4137540"}]', "Z4137540"),
    ("TW_ID", 'national_id = "H287930765"', "H287930765"),
    ("EMAIL_ADDRESS", "邮箱：zhaomin49(换成@)yahoo.com，谢谢", "zhaomin49(换成@)yahoo.com"),
    ("EMPLOYEE_ID", "user=Elena emp_no=E-12236 ok", "E-12236"),
    ("IBAN", "我的国际银行账号是DE66370400448350838094吗？", "DE66370400448350838094"),
    ("IBAN", "业主周婷，IBANGB47 BARC 2029 5656 8460 38，申请临时停车", "GB47 BARC 2029 5656 8460 38"),
    ("IBAN", "账户：AT769537\n446879894365，谢谢啦", "AT769537\n446879894365"),
    ("VIN", "车架号：WVWX  6721  0MD9  21340", "WVWX  6721  0MD9  21340"),
    ("VIN", "车架号：1M8GDM9A\nXKP042789", None),  # a wrong check digit in two lines is nothing
    ("VIN", "VIN: LGWH47X4\n6LB015207. Thanks!", "LGWH47X4\n6LB015207"),
    ("CN_USCC", "税号91350203\nMA2E6XKYKB，谢谢", "91350203\nMA2E6XKYKB"),
    ("IMEI", "我的IMEI为354456\n071811257，请尽快回复", "354456\n071811257"),
    ("US_SSN", "my Social=118-50-8994, ok?", "118-50-8994"),
    ("US_SSN", "Jonas left her Social (478 58 8360) with the desk", "478 58 8360"),
    ("US_SSN", "我SSN是127\n466933，谢谢", "127\n466933"),
    ("PHONE_NUMBER", "周婷刚才来过，留了美国手机（7135744216）", "7135744216"),
    ("PHONE_NUMBER", "Hi, my cell phone is 212  767  8116, could you check", "212  767  8116"),
    ("PHONE_NUMBER", "his US number (6177749399) is new", "6177749399"),
    ("PHONE_NUMBER", "the cell should be 3 1 2 9 6 9 7 5 5 3 from now on", "3 1 2 9 6 9 7 5 5 3"),
]
NOTHING = [
    "护照号：2023-02-18",
    "通行证号：2023-02-12",
    '[{"qq_number": "2020-02-15"}]',
    "QQ: 52.138.8.67",
    "passport=132.168.0.24 ok",
    "社会安全号码：77348-1825号文件",
    "社会安全号104.181.7.20，申请临时停车。",
]


@pytest.mark.parametrize(("entity", "text", "value"), FOUND)
def test_it_is_found_where_others_write_it(entity: str, text: str, value: str | None):
    found = [
        text[hit["start"] : hit["end"]]
        for hit in find(pl.Series([text])).iter_rows(named=True)
        if hit["entity"] == entity and hit["state"] == "valid"
    ]
    assert found == ([] if value is None else [value])


@pytest.mark.parametrize("text", NOTHING)
def test_a_date_a_postal_code_or_a_network_address_is_no_identifier_behind_any_label(text: str):
    assert {*find(pl.Series([text]))["entity"]} <= {"IP_ADDRESS"}


def test_whose_account_it_is_no_word_for_a_bank_says_and_a_room_is_somebodys():
    texts = ["收款方国际银行账号：GB22BARC20295638875104", "[WARN] field=addr value=广州市天河区体育西横街341号2501房"]
    assert find(pl.Series(texts))["state"].to_list() == ["valid", "valid"]
