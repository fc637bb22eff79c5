"""Numbers whose digits are set apart by what is said between them, and answers far from their question."""

import re

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.dictated import DICTATED, signs_within
from datacheck.pii.normalise import fold
from datacheck.pii.prefilter import uncovered
from datacheck.pii.split import Utterance, splits


def found(text: str) -> list[tuple[str, str]]:
    hits = find(pl.Series([text]))
    return [
        (row["entity"], text[row["start"] : row["end"]])
        for row in hits.iter_rows(named=True)
        if row["state"] == "valid"
    ]


@pytest.mark.parametrize(
    ("entity", "value", "text"),
    [
        ("CN_MOBILE", "198空格1618空格3564", "联系电话换成198空格1618空格3564，之前那个停用了。"),
        ("CN_MOBILE", "1, 5, 9, 4, 5, 2, 2, 3, 1, 9, 1", "My cell is 1, 5, 9, 4, 5, 2, 2, 3, 1, 9, 1 now."),
        ("CN_RESIDENT_ID", "430102横杠20021115横杠307X", "不是说好了吗，ID 430102横杠20021115横杠307X，你核对下"),
        (
            "CN_BANK_CARD",
            "六二二五…八八八二…八七三九…六八零七…八一七",
            "卡号是 六二二五…八八八二…八七三九…六八零七…八一七 ，打扰了",
        ),
        ("CN_LANDLINE", "零四五一、二八三二、五九六六", "固定电话写错了，正确的是零四五一、二八三二、五九六六"),
        ("CN_PASSPORT", "E*6889*7116", "我的护照号是E*6889*7116。"),
        ("US_SSN", "379/60/2601", "Could you update my SSN to 379/60/2601?"),
        ("TW_PHONE", "0939\n550153", "手機：0939\n550153\n到店时间：周六"),
        ("MO_ID", "7杠298杠8343", "澳門居民身份證 7杠298杠8343\n麻烦尽快处理"),
        ("STUDENT_ID", "2017\n168848", "我的学籍号是2017\n168848。"),
        ("EMPLOYEE_ID", "E M P 2 0 7 1 8", "工号:E M P 2 0 7 1 8，周三下午来面试"),
        ("EMPLOYEE_ID", "SZ6·822·09", "他留的员工号是 SZ6·822·09 ，打扰了"),
        ("VIN", "LSV·WWL6P5·PA907441", "我把车架号码（LSV·WWL6P5·PA907441）填进去就报错"),
        (
            "VIN",
            "L、V、S、W、A、P、H、F、5、L、A、0、5、0、4、6、6",
            "车架号 L、V、S、W、A、P、H、F、5、L、A、0、5、0、4、6、6",
        ),
        ("CN_PLATE", "津、A、8、4、2、3、B", "车牌号码:津、A、8、4、2、3、B，想查"),
        ("CN_PLATE", "川F2\n5Z38", "车牌号写错了，正确的是川F2\n5Z38"),
        ("EMAIL_ADDRESS", "chenxi小老鼠sina点com", "邮箱换成chenxi小老鼠sina点com"),
        ("WECHAT", "feng下划线zz9039", "我把微信（feng下划线zz9039）填进去就报错"),
        # marks of a text's layout in it, and the word behind it
        ("CN_MOBILE", "138**22335566", "你帮我写个请假条，联系方式写138**22335566"),
        ("CN_BANK_CARD", "6229</b>085822382286247", "卡号是<b>6229</b>085822382286247，你加一下备注"),
        ("STUDENT_ID", "S471</b>2261", "学号是<b>S471</b>2261，别记错了"),
        ("TW_ID", r"L\,220\,450\,259", r"身分證字號 L\,220\,450\,259 已登记"),
        ("VIN", "WBA**H99GG9LB577793", "您的车架号WBA**H99GG9LB577793已完成认证"),
        ("CN_PLATE", r"鄂D\,G2378", r"车牌号是鄂D\,G2378，放门卫"),
        ("HK_ID", "V*246*113(*7)", "香港身份证号 V*246*113(*7)"),
        ("MO_ID", "五零七七八二四(九)", "澳门身份证五零七七八二四(九)我已经录入了"),
        ("CN_PASSPORT", "E\n8662\n4437", "您的护照号是E\n8662\n4437已完成认证"),
        ("TW_ID", "M\n156\n646\n837", "把M\n156\n646\n837这个台湾身份证从系统里删掉"),
        ("TW_PHONE", "0.9.8.5.3.7.9.9.1.7", "把0.9.8.5.3.7.9.9.1.7这个台湾手机从系统里删掉吧"),
        ("PHONE_NUMBER", "212, 348, 8222", "ok so her mobile is 212, 348, 8222 and that's it"),
        # far from the word that says what they are
        ("TW_ID", "L220450259", "Agent: may I have your Taiwan national ID please?\nCustomer: sure, it's L220450259."),
        (
            "CN_TRAVEL_PERMIT",
            "H37694650",
            "For the record, the travel permit no. on file should be H37694650, not that.",
        ),
        ("QQ", "190573200", "亲，快递单上的QQ号写错了，正确的是190573200"),
        ("WECHAT", "nie-hui65", "房东让我把微信号报给他，你转一下吧：nie-hui65"),
        ("QQ", "407689130", "刚刚系统提示QQ不存在，我输的是407689130，有问题吗"),
        (
            "PHONE_NUMBER",
            "303-875-2612",
            "For the record, the home phone on file should be 303-875-2612, not the other.",
        ),
        ("CN_LANDLINE", "027 2790 4077", "Hi there, my landline is 027 2790 4077 and I would like to change it."),
        ("STUDENT_ID", "B24700777", "登记的学生编号B24700777没变"),
        ("EMPLOYEE_ID", "R41244", "Rachel, staff number:R41244, paid"),
        ("HK_PHONE", "91885729", "@客服 香港电话91885729查下物流"),  # who is called is nobody's telephone
        ("TW_PHONE", "0226134592", "市話：0226134592"),
        (
            "CN_LANDLINE",
            "041153583307",
            "Write a letter for Lucy Brennan (landline: 041153583307) applying for a barista job.",
        ),
        ("SOCIAL_HANDLE", "papermaps57", '{"user": {"name": "Rachel", "twitter":"papermaps57"}}'),
    ],
)
def test_what_is_dictated_or_answered_is_found(entity, value, text):
    assert (entity, value) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "卡号 6222*1234 到账 1,234,567 元",
        "卡号 6222**1234 已打码",
        r"the number 13\,812\,345\,678 of the sum",
        "编号如下\n12\n34\n56\n78",
        "the number of rows is 3**2 and 10**18",
        "固件版本号136.0.2696.541",
        "证件有效期 2019.01.05",
        "编号 12.50 的零件",
        "1, 5, 9, 4, 5, 2, 2, 3, 1, 9, 1 是一个数列",
        "手机号 13822335566",
        "手机13822335566\n10%为中度",
        "手机13822335566、86，都可以",
        "QQ: 12345678\n87654321\n23456789\n34567890",
    ],
)
def test_what_is_a_list_a_date_or_a_figure_is_left_as_it_is(text):
    assert list(signs_within(text)) == []


@pytest.mark.parametrize("value", ["六二二五…八八八二…八七三九…六八零七…八一七", "138杠2233杠5566", "0939\n550153"])
def test_a_value_by_itself_reads_as_it_does_behind_its_word(value):
    assert fold(value).text == fold(f"号码{value}").text.removeprefix("号码")
    assert fold(value).text.isdigit()


def test_the_expression_for_rust_lets_through_all_that_is_joined():
    for text in (
        "卡号6 2 2 2 0 2 5",
        "工号 E-1-2-3-4-5",
        "ID 110105杠19870314",
        "QQ 86\n4428966",
        "zoe下划线zz",
        "VIN WBA**H99GG9LB577793",
        "把0.9.8.5.3.7这个手机删掉",
        "护照 E</b>A4299220",
        "车牌号 陕G</b>28V55",
        "把869472\n753629这个号",
    ):
        assert fold(text).text != text
        assert pl.Series([text]).str.contains(DICTATED)[0], text
        assert uncovered(pl.Series([text]))[0][0], text


def test_words_that_name_america_tell_what_two_turns_hold():
    turns = [Utterance("user", "美国号码先记：919"), Utterance("assistant", "继续"), Utterance("user", "8876095")]
    assert [split.value for split in splits(turns)] == ["9198876095"]


def test_a_place_leads_back_over_what_is_said_between():
    text = "手机 138杠2233杠5566"
    folded = fold(text)
    at = re.search("[0-9]{11}", folded.text)
    assert at is not None
    assert text[slice(*folded.span(*at.span()))] == "138杠2233杠5566"
