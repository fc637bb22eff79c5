"""What the fourth red team's two generators found missed: values of its own making, and what only looks like them."""

from random import Random

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import completed, random_digits
from datacheck.pii.recognizers.cn_bank_card import luhn
from datacheck.pii.redact.row_names import row_names
from datacheck.pii.redact.traces import Original, Traces
from datacheck.pii.split import Utterance, splits

MOBILE, CARD = canary("CN_MOBILE", 41), canary("CN_BANK_CARD", 41)
VISA = completed("4539" + random_digits(Random(41), 11), luhn)


def hits(text):
    rows = find(pl.Series([text])).select("entity", "start", "end", "state").iter_rows()
    return {(entity, text[start:end], state) for entity, start, end, state in rows}


def of(text, entity):
    return {(value, state) for kind, value, state in hits(text) if kind == entity}


@pytest.mark.parametrize("text", ["帮我查一下程嘉怡的预约，打{}就能找到我", "这里是慕容蓓，上周下的单，打{}找我"])
def test_somebodys_booking_is_no_hotline(text):
    assert of(text.format(MOBILE), "CN_MOBILE") == {(MOBILE, "valid")}


def test_a_hotline_for_bookings_stays_public():
    assert of(f"预约电话：{MOBILE}", "CN_MOBILE") == {(MOBILE, "public")}


@pytest.mark.parametrize(
    "address", ["青岛市市南区临江路800弄78号1148室", "金桂小区8栋9单元1495号", "杭州市滨江区长虹街232号17号楼2457"]
)
@pytest.mark.parametrize("text", ["寄到{}，谢谢", "ship it to {}."])
def test_an_address_is_found_down_to_its_door(address, text):
    assert of(text.format(address), "ADDRESS") == {(address, "valid")}


@pytest.mark.parametrize("size", [8, 4])
@pytest.mark.parametrize("text", ["My Visa card is {}", "信用卡号{}"])
def test_a_card_in_english_is_found_over_lines(size, text):
    broken = "\n".join(VISA[at : at + size] for at in range(0, 16, size))
    assert of(text.format(broken), "CN_BANK_CARD") == {(broken, "valid")}


def test_rows_of_a_table_are_no_card():
    assert of(f"account\n{VISA[:8]}\n{VISA[8:]}\n12345678", "CN_BANK_CARD") == set()


def test_a_card_of_a_bank_is_found_over_lines():
    assert of(f"工行卡{CARD[:9]}\n{CARD[9:]}。", "CN_BANK_CARD") == {(f"{CARD[:9]}\n{CARD[9:]}", "valid")}


def test_a_verb_is_no_part_of_a_wechat_name():
    """Else harbor_7914 stays where it stands without its verb."""
    assert {value for value, _ in of("my WeChat is harbor_7914.", "WECHAT")} == {"harbor_7914"}


@pytest.mark.parametrize("name", ["chenlumen667", "onyx_9369", "brisk-bo29"])
def test_a_wechat_name_behind_vx_blocks_where_a_sentence_begins(name):
    assert of(f"麻烦，vx{name}", "WECHAT") == {(name, "valid")}


def test_a_number_of_whatsapp_in_chinese_is_found():
    number = "9127 7601"
    assert of(f"WhatsApp 电话 {number}", "HK_PHONE") == {(number, "valid")}


@pytest.mark.parametrize("entity", ["CN_BANK_CARD", "CN_RESIDENT_ID"])
def test_a_first_part_as_long_as_a_telephone_is_a_part(entity):
    number, label = canary(entity, 7), {"CN_BANK_CARD": "卡号是", "CN_RESIDENT_ID": "身份证号是"}[entity]
    turns = [Utterance("user", f"{label}{number[:11]}"), Utterance("bot", "请继续"), Utterance("user", number[11:])]
    assert [each.value for each in splits(turns)] == [RECOGNIZERS[entity].canonical(number)]


KNOWN = Traces([
    Original("PERSON", "鄢静怡"), Original("PERSON", "Noor Okafor"), Original("HK_ID", "R925459(4)"),
    Original("PERSON", "李大金"),
])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("https://a.example/t?name=%E9%84%A2%E9%9D%99%E6%80%A1&x=1", "%E9%84%A2%E9%9D%99%E6%80%A1"),
        ("?u=Noor%20Okafor&x=%ff", "Noor%20Okafor"), ("?id=R925459%284%29", "R925459%284"),
        ('日志：{"a": "{\\"b\\": \\"\\\\u9122\\\\u9759\\\\u6021\\"}"}', "\\\\u9122\\\\u9759\\\\u6021"),
        ("没问题，阿怡，那我登记了", "阿怡"), ("阿怡说可以", "阿怡"), ("麻烦让小怡下午回话", "小怡"), ("没问题，阿金，好的", "阿金"),
    ],
)  # fmt: skip
def test_what_is_known_is_found_in_a_url_in_quoted_json_and_as_a_nickname(text, place):
    assert [text[start:end] for start, end, _ in KNOWN.find(text)] == [place]


@pytest.mark.parametrize("text", ["阿金人在北方", "100%E9 小心怡情", "小怡园酒店很大"])
def test_words_are_no_nickname(text):
    assert KNOWN.find(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("帮我查一下芮蕊的预约，", "芮蕊"), ("这里是余建设，上周下的单", "余建设"), ("家父沈向前前几天住院", "沈向前"), ("我同事许长青想报名", "许长青"),
        ("顾客慕容叔同反映水管漏了", "慕容叔同"), ("替我转告余敏，", "余敏"), ("我是松志强，", "松志强"), ("欧阳洋，这款洗衣机", "欧阳洋"), ("芮诗雨，什么时候", "芮诗雨"),
        ("This is 任一鸣; my", "任一鸣"), ("My name is 厍晓燕. x", "厍晓燕"), ("on behalf of 高涛, t", "高涛"), ("booking for 周长青: x", "周长青"), ("公孙刚 here, x", "公孙刚"), ("这里是Paloma Haldane，上周", "Paloma Haldane"),
        ("pull up the booking for Paloma Villanueva: x", "Paloma Villanueva"), ("Customer Noor Okafor wrote in", "Noor Okafor"),
        ("on behalf of Imogen Winslow, T", "Imogen Winslow"), ("请阿依努尔·艾山签字", "阿依努尔·艾山"),
    ],
)  # fmt: skip
def test_who_is_spoken_of_in_somebodys_row_is_a_name(text, name):
    assert name in {text[each.start : each.end] for each in row_names([text]).get(0, [])}


@pytest.mark.parametrize(
    "text",
    ["请让我查一下常用的预约", "这里是安全出口，", "家父常年在外", "帮我看一下高铁的时间", "方便，我马上来", "Customer Service Center is open",
     "on behalf of the team", "高兴，谢谢你", "一张票 ticket for Jojo Rabbit, then", "Ask Clarifying Questions: If", "花呗，信用卡", "许明天，他们",
     "当事人陈述反映了什么", "股东松霖投资的"],
)  # fmt: skip
def test_what_stands_there_else_is_none(text):
    assert row_names([text]) == {}
