"""What a redaction and two generators of 2026-11-28 left or missed, each with what must stay as it is."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.normalise import as_read
from datacheck.pii.redact.traces import Original, Traces


def states(text: str, entity: str, before: str = "") -> list[str]:
    found = find(pl.Series([text]), before={0: before} if before else None)
    return found.filter(pl.col("entity") == entity)["state"].to_list()


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("CN_MOBILE", "手机号13843123869abc，谢谢"),
        ("QQ", "QQ号 Q181554927，谢谢"),
        ("WECHAT", "加我微信tigerrdww0su4f吧"),
        ("WECHAT", "微信（tigerr0ddugw）"),
        ("PERSON", "我叫程 秀 兰，想办卡"),
        ("PERSON", "刚才董建国先生说的没问题"),
        ("PERSON", "This is Tobias Haverford, and my order is late"),
        ("PERSON", '{"result": "Name: Yuki Mbeki\\nThanks"}'),
        ("GPS", "GPS30.979468,118.582710"),
        ("MAC_ADDRESS", "mac44:ce:26:6a:41:91"),
        ("PASSPORT", "US passport number: A48213907"),
        ("STUDENT_ID", "学号，2017 7827 88"),
        ("TW_PHONE", "台灣電話：0949-7703-35，帮"),
        ("US_SSN", "SSN是 No348-57-5724，谢谢"),
        ("IBAN", "AL47212110090000000235698741 ALL CAPS"),
        ("PHONE_NUMBER", "phone number：2129627854"),
    ],
)
def test_what_is_glued_spaced_or_labelled_otherwise_is_found(entity, text):
    assert states(text, entity) == ["valid"]


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("WECHAT", "微信java8开发"),
        ("WECHAT", "微信mp4player播放"),
        ("WECHAT", "微信web3dapp"),
        ("PERSON", "This is New York, the city that never sleeps"),
        ("PERSON", "我是管家，请吩咐"),
        ("PASSPORT", "part number: A48213907"),
        ("PHONE_NUMBER", "order number: 2129627854"),
        ("CN_MOBILE", "18750500927abc"),
    ],
)
def test_what_only_looks_like_it_is_none(entity, text):
    assert states(text, entity) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[error] 2118161#2118161: *16670560058 limiting requests", []),
        ('- - [10/Oct/2023] "GET /?13525042774 HTTP/1.1" 200', []),
        ("* 16670560058", ["valid"]),
        ("GET 13525042774", ["valid"]),
    ],
)
def test_a_number_that_a_server_writes_is_no_telephone(text, found):
    assert states(text, "CN_MOBILE") == found


def test_a_mails_own_number_is_a_suspect_and_a_mailbox_is_not():
    assert states("Message-ID: <20240223075525.8CD9941B67@abcxyz.shop>", "EMAIL_ADDRESS") == ["suspect"]
    assert states("mail to <zhang.li@abcxyz.shop>", "EMAIL_ADDRESS") == ["valid"]


@pytest.mark.parametrize(
    "part", ["You are a help desk assistant.", "你是一名银行客服。", "Act as a hotel receptionist."]
)
def test_what_the_machine_is_to_be_makes_no_customer_an_institution(part):
    assert states("Name: Ann Smith\nQQ: 875404623", "QQ", part) == ["valid"]
    assert states("座机：021-62887726", "CN_LANDLINE", part) == ["valid"]


def test_the_part_is_left_out_where_only_its_end_is_heard():
    assert states("QQ: 875404623", "QQ", "a help desk assistant.\nHello") == ["valid"]
    assert states("QQ: 875404623", "QQ", "The help desk is open.\nHello") == ["public"]


def test_whose_hotline_was_spoken_of_still_is_public():
    assert states("021-62887726", "CN_LANDLINE", "上海博物馆的客服热线是多少？") == ["public"]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("رقم الفاكس +966 11 4820935 للوزارة", "public"),
        ("رقمي +966 11 4820935", "valid"),
        ("our telephone number is 886-3-578-2258.", "public"),
        ("my telephone number is 886-3-578-2258.", "valid"),
    ],
)
def test_a_ministrys_fax_and_our_telephone_are_public(text, state):
    entity = "TW_PHONE" if "886" in text else "PHONE_NUMBER"
    assert states(text, entity) == [state]


@pytest.mark.parametrize("address", ["dev@dubbo.apache.org", "root@comptoir.net", "corrections@rawstory.com"])
def test_lists_and_functions_are_public(address):
    assert states(f"write to {address}", "EMAIL_ADDRESS") == ["public"]
    assert states(f"write to zhang{address}", "EMAIL_ADDRESS") != ["public"]


def places(value: Original, text: str) -> list[str]:
    return [text[trace.start : trace.end] for trace in Traces([value]).find(text)]


MAIL = Original("EMAIL_ADDRESS", "k.petrov7614@proton.me")


@pytest.mark.parametrize(
    "said", ["k dot petrov7614 at proton dot me", "k.petrov7614 at proton.me", "k点petrov7614艾特proton点me"]
)
def test_a_mailbox_is_known_again_in_words(said):
    assert places(MAIL, f"it is {said}, yes") == [said]
    assert places(MAIL, "petrov7614 at home") == []


@pytest.mark.parametrize(
    ("handle", "text", "found"),
    [
        ("tigerz5tyvx", "Notigerz5tyvx", ["tigerz5tyvx"]),
        ("lin_fmwhez", "Nolin_fmwhez", ["lin_fmwhez"]),
        ("lin_fmwhez", "Nolinfmwhez", []),
        ("tigertyvxq", "notigertyvxq", []),
    ],
)
def test_a_handle_inside_letters_is_known_where_no_word_has_it(handle, text, found):
    assert places(Original("WECHAT", handle), text) == found


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("贺强", "请贺总稍等", ["贺"]),
        ("贺强", "贺总理访问", []),
        ("白欣怡", "小白，已给您发送", ["小白"]),
        ("白欣怡", "小白菜两斤", []),
        ("于建军", "小于您好", ["小于"]),
        ("于建军", "x 小于 5", []),
        ("段刚", "这一小段，读三遍", []),
        ("贾建军", "刚才建军说的没问题", ["建军"]),
        ("Beatriz Van Dijk", "Hello Van Dijk, Beatriz, is", ["Van Dijk, Beatriz"]),
    ],
)
def test_what_somebody_is_called_is_one_place(name, text, found):
    assert places(Original("PERSON", name), text) == found


def test_a_direction_that_is_written_as_an_escape_is_read_as_one():
    text = '{"note": "\\u202e716324051B\\u202c"}'
    start = text.index("7163")
    assert as_read(text, start, start + 10) == "B150423617"


def test_a_compound_surname_is_no_name_without_the_given_one():
    text = "刚才诸葛锦绣说的110101199003078515没问题"
    found = find(pl.Series([text])).filter(pl.col("entity") == "PERSON")
    assert [text[start:end] for start, end in found.select("start", "end").rows()] == ["诸葛锦绣"]
