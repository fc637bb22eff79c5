"""What a third generator's disguises and sentences found missing: signs between groups, labels behind, people named."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.normalise import NEEDS_FOLDING, fold, folded_text
from datacheck.pii.redact.callings import named
from datacheck.pii.redact.remains import Remains
from datacheck.pii.redact.row_names import row_names
from datacheck.pii.redact.traces import Original, Traces


def found(text):
    hits = find(pl.Series([text]))
    return [(entity, text[start:end]) for entity, start, end in hits.select("entity", "start", "end").iter_rows()]


SIGNS = ["杠", "→", " + ", "📱", "☎", "…", " | ", "：", "#", "**"]


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_or_a_picture_between_the_groups_of_a_mobile_number(sign):
    number = sign.join(("138", "2233", "5567"))
    assert found(f"我的手机{number}。") == [("CN_MOBILE", number)]
    assert found(f"编码{number}。") == []  # no word says that it is a telephone


@pytest.mark.parametrize("sign", SIGNS)
def test_it_stands_for_a_number_that_is_known(sign):
    number = sign.join(("138", "2233", "5567"))
    known = Traces([Original("CN_MOBILE", "13822335567")])
    text = f"是{number}吗"
    assert [text[trace.start : trace.end] for trace in known.find(text)] == [number]


@pytest.mark.parametrize("sign", ["，", "、", "。", " ", "-", "杠", " / "])
@pytest.mark.parametrize(
    "groups",
    [("幺三八", "二二三三", "五五六七"), ("一三八", "二二三三", "五五六七"), ("壹叁捌", "贰贰叁叁", "伍伍陆柒")],
)
def test_chinese_numerals_in_the_groups_of_a_mobile_number(sign, groups):
    number = sign.join(groups)
    assert found(f"联系电话{number}，谢谢") == [("CN_MOBILE", number)]


def test_numerals_in_groups_are_read_alike_by_all():
    text = "电话幺三八，二二三三，五五六七"
    assert fold(text).text == folded_text(text) == "电话13822335567"
    assert pl.Series([text]).str.contains(NEEDS_FOLDING)[0]


@pytest.mark.parametrize(
    "text",
    ["一三五，二四六八", "一二三，一二三四，五六七八", "幺三八，二二三三。五五六七", "二一三八，二二三三，五五六七"],
)
def test_other_numerals_stay_words(text):
    text = f"念{text}吧"
    assert fold(text).text == text


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("3387409921我的QQ", ("QQ", "3387409921")),
        ("3387-409921 就是我的扣扣", ("QQ", "3387-409921")),
        ("QQ区，号是3387409921，绑定", ("QQ", "3387409921")),
        ("QQ小号：3387409921", ("QQ", "3387409921")),
        ("lake-moon93 是我微信", ("WECHAT", "lake-moon93")),
        ("lakemoon_93，我的vx", ("WECHAT", "lakemoon_93")),
        ("預約電話85263718429", ("HK_PHONE", "63718429")),
        ("Mobile: 6371 8429", ("HK_PHONE", "6371 8429")),
        ("Please ring 14158831840.", ("PHONE_NUMBER", "14158831840")),
        ("fax 6179461089", ("PHONE_NUMBER", "6179461089")),
        ("reply to 7554472362 AT yahoo DOT com DOT tw.", ("EMAIL_ADDRESS", "7554472362 AT yahoo DOT com DOT tw")),
        ("换绑，旧号138|2233|5567不用了", ("CN_MOBILE", "138|2233|5567")),
        ("or my work line 206-562-9436", ("PHONE_NUMBER", "206-562-9436")),
        ("收货地址换成江苏省南京市鼓楼区中山北路346号1栋3197室", ("ADDRESS", "江苏省南京市鼓楼区中山北路346号1栋3197室")),
    ],
)  # fmt: skip
def test_a_label_behind_and_labels_that_were_not_known(text, hit):
    assert found(text) == [hit]


@pytest.mark.parametrize(
    "text",
    ["3387409921我的QQ群", "payment是我的微信支付", "payments 我的微信", "3387409921我的QQ空间", "price 33874099 我们"],
)
def test_what_is_no_label_behind(text):
    assert found(text) == []


@pytest.mark.parametrize(
    "form", ["panda_sun8 at live点com", "panda_sun8艾特live dot com", "panda_sun8 at live dot com"]
)
def test_a_mailbox_in_words_of_both_languages(form):
    known = Traces([Original("EMAIL_ADDRESS", "panda_sun8@live.com")])
    assert [trace.value for trace in known.find(f"已发{form}。")] == [0]
    assert Remains([Original("EMAIL_ADDRESS", "panda_sun8@live.com")]).inside(f"已发{form}。") == [0]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("放驿站，阿依古丽自己取", ["阿依古丽"]), ("阿依古丽买买提", ["阿依古丽买买提"]), ("扎西，您好", ["扎西"]), ("买买提来了", ["买买提"]), ("次仁", ["次仁"]),
    ],
)  # fmt: skip
def test_a_part_of_a_name_with_a_point(text, parts):
    known = Traces([Original("PERSON", "阿依古丽·买买提"), Original("PERSON", "扎西·次仁")])
    assert [text[start:end] for start, end, _ in known.find(text)] == parts


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("好的解放", "解放", 1), ("解放请于周三到院", "解放", 1), ("由跃进赔偿", "跃进", 1), ("户名是圆圆吧", "圆圆", 1), ("在吗卫国，", "卫国", 1),
        ("解放战争", "解放", 0), ("跃进式发展", "跃进", 0),
    ],
)  # fmt: skip
def test_a_given_name_that_is_a_word(text, name, count):
    assert len(list(named(text, [name]))) == count


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("梁建国 21:05:32\n开户名", "梁建国"), ("展若曦 2024/3/4 21:02:11\n在吗", "展若曦"),
        ("[2024-03-18 19:08] 班主任白知行: 请各位", "白知行"), ("我個名叫Ng Hoi Ching，HKID", "Ng Hoi Ching"),
        ("帮Xanthia Longworth这边", "Xanthia Longworth"), ("Escalated to Maeve Dubois.", "Maeve Dubois"),
        ("login failed for 白红梅\n", "白红梅"), ("VALUES ('Xanthia Pound', '<CN_MOBILE_v1>'", "Xanthia Pound"),
        ("# author: Xanthia Blackwood", "Xanthia Blackwood"), ("ADMIN_NAME=Xanthia Desai\n", "Xanthia Desai"),
        ('{"name": "Xanthia Baker", "phone"', "Xanthia Baker"), ("替我通知冼翠花", "冼翠花"), ("帮我妈常来弟约个号", "常来弟"),
        ("业主金学军反映漏水", "金学军"), ("挂个号，其其格·乌兰，", "其其格·乌兰"), ("[19:12] 努尔兰·别克妈妈: ", "努尔兰·别克"), ("[19:12] 阿卜杜拉·热合曼妈妈: ", "阿卜杜拉·热合曼"),
        ("我是三年级二班武辉的妈妈", "武辉"), ("江建国妈妈：", "江建国"),
    ],
)  # fmt: skip
def test_a_name_in_logs_code_and_talk(text, name):
    assert {text[each.start : each.end] for each in row_names([text]).get(0, [])} == {name}


@pytest.mark.parametrize(
    "text",
    ["黄浦江 21:05:32", "总结 12:30:22\n今天", "12:30 高兴：大家好", "小时 12:30", "search for 安全 here", "name: 高度",
        "('Total Sales', '20', 'x')", "Escalated to Customer Support.", "方案 12:30"],
)  # fmt: skip
def test_other_words_before_a_time_are_none(text):
    assert row_names([text]) == {}


@pytest.mark.parametrize("value", ["415-883-1840", "14158831840", "+1 415 883 1840"])
@pytest.mark.parametrize("form", ["415-883-1840", "14158831840", "4158831840", "1 415 883 1840"])
def test_a_telephone_of_america_with_and_without_its_one(value, form):
    known = Traces([Original("PHONE_NUMBER", value)])
    assert [trace.value for trace in known.find(f"we called {form} now")] == [0]
    assert known.find("we called 94158831840 now") == known.find("we called 41588318407 now") == []


def test_a_name_with_a_point_begins_with_its_first_character():
    """Else the blank before it would be replaced as well."""
    text = "[19:12] 阿卜杜拉·热合曼妈妈"
    assert [text[each.start] for each in row_names([text])[0]] == ["阿"]


@pytest.mark.parametrize(
    "text",
    [
        '{"items": [{"name": "Hiking Boots", "product_id": "73"}, {"name": "Water Bottle", "price": 9}]}',
        '{"address1": "113 Hickory Lane", "address2": "Suite 4"}',
        "SELECT a FROM t WHERE T1.company_name = 'Walt Pictures' AND c.customerName = 'Rovelli Gifts'",
        "$wpdb->prepare('SELECT COUNT(ID) FROM %1$s')",
    ],
)
def test_things_in_json_and_sql_are_no_names(text):
    """They stand under `name` in tool calls beside somebody's mailbox, and the call must stay what it is."""
    assert row_names([text]) == {}
