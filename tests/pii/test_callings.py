"""Who is called by a part of a Chinese name, and what only reads so."""

import pytest

from datacheck.pii.redact.callings import called, named


@pytest.mark.parametrize(
    ("surname", "text"),
    [
        ("罗", "罗总会来"), ("罗", "给罗工发了短信"), ("聂", "明天聂工会过来"), ("康", "康姐，您好"), ("文", "明天文医生来"),
        ("时", "通知时工了"), ("丛", "丛经理"), ("原", "谢谢老原！"), ("于", "请小于稍等"), ("段", "小段，收到"), ("熊", "通知小熊了"),
        ("路", "找小路问问"), ("王", "王 女士"), ("司徒", "给司徒发了短信"), ("东方", "给东方发了短信"), ("东方", "感谢东方的配合"), ("东方", "跟东方确认过了"), ("熊", "我刚和小熊通过电话"), ("方", "已为小方登记"), ("向", "通知老向下周一复查"), ("曾", "已通知曾同學"), ("东方", "我已经通知东方了"),
        ("孔", "不要直接写小孔或李四"), ("冯", "冯工会带他"), ("于", "北京的是于姐（在职）"),
    ],
)  # fmt: skip
def test_somebody_is_called_so(surname, text):
    places = list(called(text, [surname]))
    assert [text[start:end] for start, end, _ in places] == [surname]


@pytest.mark.parametrize(
    ("surname", "text"),
    [
        ("王", "霸王总是赢，国王先生"), ("施", "正在施工作业"), ("应", "理应总是如此"), ("温", "温哥华"), ("周", "周总理"),
        ("于", "a小于b，小于3，小于等于5，小于平均值"), ("段", "一小段话"), ("时", "3小时，2 小时后"), ("路", "走小路回家"),
        ("王", "小王子"), ("龙", "小龙虾"), ("米", "小米粥"), ("东方", "东方明珠"), ("东方", "感谢东方航空"), ("东方", "东方的天空"), ("费", "给了小费"),
        ("冯", "冯工会带头捐款"), ("于", "a小于（b），小于或等于3"),
    ],
)  # fmt: skip
def test_a_word_is_nobody(surname, text):
    assert list(called(text, [surname])) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("麻烦转告长江。", 1),
        ("明天长江哥会过来", 1),
        ("长江，收到", 1),
        ("长江三角洲", 0),
        ("在长江边上", 0),
        ("长江大桥", 0),
    ],
)
def test_a_given_name_that_is_a_word(text, found):
    assert len(list(named(text, ["长江"]))) == found
