"""Names and numbers of a record of somebody that nothing introduces: by their shape alone."""

import polars as pl
import pytest

from datacheck.pii.addressed import addressed
from datacheck.pii.doubtful import LIKELY, Rough, rough_values
from datacheck.pii.likely_names import gathered
from datacheck.pii.names import judged
from datacheck.pii.normalise import fold_url
from datacheck.pii.row_names import row_names
from datacheck.pii.traces import Original, Traces


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
