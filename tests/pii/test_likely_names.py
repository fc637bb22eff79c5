"""Names and numbers of a record of somebody that nothing introduces: by their shape alone."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.names import judged
from datacheck.pii.normalise import fold_url
from datacheck.pii.redact.addressed import addressed
from datacheck.pii.redact.doubtful import LIKELY, Rough, rough_values
from datacheck.pii.redact.likely_names import gathered
from datacheck.pii.redact.remains import Remains
from datacheck.pii.redact.row_names import row_names
from datacheck.pii.redact.traces import Original, Traces


def _names(text):
    read = gathered(fold_url(text)).text
    return {read[each.start : each.end] for each in row_names([read]).get(0, [])}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("给陆美玲预约明天上午", "陆美玲"), ("我同桌端木丹丹老是迟到", "端木丹丹"), ("小区业主群里伍荷春和人吵起来了", "伍荷春"),
        ("換成簡淑惠吧", "簡淑惠"), ("周一龚语嫣，周二休息", "龚语嫣"), ("车主吴 雨 辰报警", "吴雨辰"), ("席\u200b沐\u200b宸 到了", "席沐宸"),
        ("老公曲英雄", "曲英雄"), ("NIKOS LEFÈVRE，508", "NIKOS LEFÈVRE"), ("This is Choi, Khalid. Please", "Choi, Khalid"),
        ("Jiwoo Reed <jiwoo.reed@mail.example>", "Jiwoo Reed"), ("找Wong Ka Yan，谢谢", "Wong Ka Yan"),
    ],
)  # fmt: skip
def test_a_name_that_nothing_introduces_is_seen(text, name):
    assert name in _names(text)


@pytest.mark.parametrize(
    "text",
    [
        "从北京出发去南京", "高质量发展的要求", "时间安排在下午", "许明天，他们会来", "股东松霖投资的项目", "小芳您好，请辛苦一下",
        "方便面很好吃", "整理成待办事项", "帮我总结这段群聊", "朝阳区姚家园路", "Hello, Mark the date", "Newton Road Park",
    ],
)  # fmt: skip
def test_words_with_a_surname_in_them_are_no_names(text):
    assert _names(text) == set()


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (["我同桌易星期老是抄", "先和小易沟通"], "易星期"), (["换成时悦吧", "已更换为老时。"], "时悦"),
        (["我姓闫叫闫思想我的号码", "好的老闫，已记录"], "闫思想"), (["那个冷红小 手机", "在的红小同学"], "冷红小"),
        (["会员连长城要退卡", "好的，长城哥，退款会到"], "连长城"), (["Did Brynhol Park reply?", "Text Ms. Park."], "Brynhol Park"),
    ],
)  # fmt: skip
def test_who_is_called_by_a_part_of_a_name_has_it(record, name):
    assert name not in {text for each in record for text in _names(each)}
    named = row_names(record, [addressed(record)] * len(record))
    assert name in {record[number][each.start : each.end] for number, own in named.items() for each in own}


@pytest.mark.parametrize(
    ("text", "calling"),
    [
        ("骑马路上，马上到，马来西亚", "马老师"), ("为何如何，何时", "何叔"), ("每小时检查一次小区", "小时"), ("时间安排", "老师"),
        ("Central Park is big", "Mr. Lee"),
    ],
)  # fmt: skip
def test_words_call_nobody(text, calling):
    assert 0 not in row_names([text, calling], [addressed([text, calling])] * 2)


@pytest.mark.parametrize("text", ["seen by IRIS MOORE for her knee", "ISHAAN NÚÑEZ will pick up", "给Song Yuxin打电话"])
def test_what_is_listed_is_judged_a_name(text):
    assert [judged(text, *name) is not None for name in row_names([text])[0]] == [True]


def _rough(text, *taken):
    return [(text[each.start : each.end], each.entity) for each in rough_values(text, taken)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("应急 139，1122，0394", [("139，1122，0394", "CN_MOBILE")]),
        ("幺三九然后是幺幺二二最后零三九四", [("幺三九然后是幺幺二二最后零三九四", "CN_MOBILE")]),
        ("ring 503 218 4471", [("503 218 4471", "PHONE_NUMBER")]),
        ("停车登记：川A8K21M", [("川A8K21M", "CN_PLATE")]),
        ("E48210937", [("E48210937", "CN_PASSPORT")]),
        ("A267193848", []),  # a wrong check digit
        ("订单 83019188 已发货", []),  # alone it is any number
    ],
)
def test_a_form_needs_no_label(text, found):
    assert _rough(text) == found


def test_fields_beside_somebodys_are_his():
    text = "13911220394/lin_raidw06；83019188\n20240305"
    assert _rough(text) == [
        ("13911220394", "CN_MOBILE"), ("lin_raidw06", "WECHAT"), ("83019188", "QQ"),
    ]  # fmt: skip
    assert rough_values("<x> 83019188", [(0, 3)]) == [Rough(4, 12, "QQ")]


def test_a_table_of_numbers_is_nobodys():
    assert rough_values(" ".join(str(13911220394 + number) for number in range(40)), ()) == []


@pytest.mark.parametrize(
    ("name", "text", "called"),
    [
        ("方秀英", "英英最近失恋", "英英"), ("侯嘉豪", "被告阿豪的借贷", "阿豪"), ("汪团结", "您预约的团结主任", "团结"),
        ("晏 婷", "患者小晏，主管", "小晏"), ("米根桂", "小米未经同意", "小米"),
    ],
)  # fmt: skip
def test_a_nickname_is_somebodys(name, text, called):
    assert [text[each.start : each.end] for each in Traces([Original("PERSON", name)]).find(text)] == [called]


@pytest.mark.parametrize(
    "text",
    [
        "Signed, Zhao Lei, ６０８－２２２－９２５７", "Zhao Lei 403\u200b-261-0410", "我姓吉叫吉奕辰，幺三八然后是六二三幺最后二七三九",
        "吉奕辰 138，6231，2739", "Zhao Lei (608) 222-9257",
    ],
)  # fmt: skip
def test_a_text_with_the_form_of_a_number_is_read_for_names(text):
    assert pl.Series([text]).str.contains(LIKELY).item()
    assert rough_values(text, [])


def test_texts_of_years_and_sums_are_not():
    texts = ["from 1998 to 2024", "https://a.example/2024/10/11", "1.5, 2.25 and 3.75", "page 12 of 345"]
    assert not pl.Series(texts).str.contains(LIKELY).any()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("LIU Zhiming说", "LIU Zhiming"), ("ask Xiuying Xu about it", "Xiuying Xu"), ("parents of Ji-woo Hill", "Ji-woo Hill"),
        ("https://crm.example/u?name=Ashley%20Walker&q=1", "Ashley Walker"), ("[09:02] Drew Park: thanks", "Drew Park"),
        ("https://crm.example/u?name=%E5%90%95%E6%AC%A2&q=1", "吕欢"), ("[10:02] 陈欢: 收到", "陈欢"),
        ("Plaintiff Will Blackwood, card 1", "Will Blackwood"), ("sues Skyler Lee for breach", "Skyler Lee"),
        ("VALUES ('Ananya Green', '4539 7160 1234 1234', 1)", "Ananya Green"), ("帮扎西顿珠查一下", "扎西顿珠"),
        ("数学家艾伦·图灵的论文", "艾伦·图灵"), ("三年级二班雷星河的妈妈", "雷星河"),
    ],
)  # fmt: skip
def test_names_of_speakers_parties_and_addresses_of_the_web_are_seen(text, name):
    assert name in _names(text)


@pytest.mark.parametrize(
    "text",
    [
        "你是一名电商客服。", "李哥留下了车牌号", "申请变更抚养权给母亲是有可能的", "在这个阶段对母亲有依赖", "向男方索要30万彩礼，怎么办",
        "祝顺利！", "帮助家属向肇事司机提起诉讼", "Lincoln High School and Denver Zoo", "SELECT COUNT(id)",
        "Nanjing Lu and Can Li go", "Co-op Bank",
    ],
)  # fmt: skip
def test_sentences_places_and_parts_of_foreign_names_are_none(text):
    assert not _names(text)


def test_a_surname_that_ends_a_word_is_nobody_beside_who_is_called_so():
    record = ["由于阿泰未留遗嘱", "阿泰是外国人"]
    assert row_names(record, [addressed(record)] * 2) == {}


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("刘志明", "LIU Zhiming说", "LIU Zhiming"), ("刘志明", "我是Zhiming Liu", "Zhiming Liu"), ("刘志明", "user liuzhiming", "liuzhiming"),
        ("刘志明", "Ask Zhiming to come", "Zhiming"), ("刘志明", "Ms. Liu and Z. Liu", "Liu"), ("李娜", "li na说", "li na"),
        ("徐杰", "XuJie在", "XuJie"), ("吕芳", "Lü Fang", "Lü Fang"), ("欧阳秀英", "OUYANG Xiu-ying", "OUYANG Xiu-ying"),
        ("%E5%BD%AD%E4%BC%9F", "请老彭来", "老彭"), ("%E5%BD%AD%E4%BC%9F", "彭-伟来了", "彭-伟"),
    ],
)  # fmt: skip
def test_a_chinese_name_is_found_again_in_latin_letters(name, text, written):
    found = [text[start:end] for start, end, _ in Traces([Original("PERSON", name)]).find(text)]
    assert found[:1] == ([written] if written else [])


@pytest.mark.parametrize(
    ("name", "text"), [("何灿", "he can do, He Can"), ("李娜", "Lina likes it"), ("刘志明", "heliuzhimingx")]
)
def test_two_syllables_that_are_words_are_no_name(name, text):
    assert Traces([Original("PERSON", name)]).find(text) == []


def test_a_name_in_latin_letters_that_stays_is_listed():
    assert Remains([Original("PERSON", "刘志明")]).inside("by LIU Zhi-ming yesterday") == [0]


def test_a_number_with_the_code_of_the_country_set_otherwise_is_found_again():
    (place,) = Traces([Original("PHONE_NUMBER", "733 536 5407")]).find("call 173/353/65407 now")
    assert place.value == 0


def test_the_head_of_the_next_column_is_no_name():
    hits = find(pl.Series(["| 姓名 | 手机号 | 城市 |\n|---|---|---|\n| 王建国 | 13912348765 | 北京 |"]), ("PERSON",))
    assert (7, 10) not in hits.select("start", "end").rows()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [("我是Carol Thompson，电话我分开说", 2, 16), ("This is Grace Park. My number is new", 8, 18)],
)
def test_who_names_himself_in_two_languages_is_seen(text, start, end):
    assert (start, end) in find(pl.Series([text]), ("PERSON",)).select("start", "end").rows()


def test_a_fan_is_not_who_he_is_a_fan_of():
    assert find(pl.Series(["我是Harry Potter的粉丝"]), ("PERSON",)).is_empty()
