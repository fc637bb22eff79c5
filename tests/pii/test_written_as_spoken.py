"""WeChat names of letters only, numbers that letters touch or a quotation breaks, and what only looks like them."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.excerpts import excerpt

NAME = "skyetnaakv"


def found(text):
    hits = find(pl.Series([text]))
    return [(entity, text[start:end]) for entity, start, end in hits.select("entity", "start", "end").iter_rows()]


# What has a digit or a low line is found after these, too, but by other rules: only letters are asked for there.
LETTERS_ONLY = ["微信 {}，谢谢", "我微信{}。", "嗯 +v {}，谢谢"]
ANY_NAME = [
    "可以加我{}（微信）", "w x：{}", "微X：{}", "微信同号：{}", "Wechat号：{}", "有意加vx{}，急",
    "您好！vx{}", "好的，VX{}", "my wechat is {}.", "微信搜{}就能找到我",
]  # fmt: skip


@pytest.mark.parametrize("text", LETTERS_ONLY + ANY_NAME)
def test_a_name_of_wechat_in_letters(text):
    assert ("WECHAT", NAME) in found(text.format(NAME))


@pytest.mark.parametrize("text", ANY_NAME)
@pytest.mark.parametrize("name", ["LittleJia90", "star_rain"])
def test_a_name_of_wechat_with_a_digit_or_a_low_line(text, name):
    assert ("WECHAT", name) in found(text.format(name))


@pytest.mark.parametrize(
    "text",
    [
        "使用微信 payment 接口", "微信 openid 是什么", "微信 android 版", "import wxpython", "vxworks.h", "Tencent（微信）",
        "wxParse(html)", "my wechat is blocked, help", "u +v vector", "接入weixin-java-pay", "WeChat（微信）是应用",
    ],
)  # fmt: skip
def test_what_is_no_name_of_wechat(text):
    assert not [hit for hit in found(text) if hit[0] == "WECHAT"]


@pytest.mark.parametrize("text", ["我的{}ok", "您好，{}abc 谢谢", "{}abc，麻烦", "好的，tel{}abc"])
def test_a_mobile_number_before_letters_in_chinese(text):
    number = canary("CN_MOBILE", 11)
    assert ("CN_MOBILE", number) in found(text.format(number))


@pytest.mark.parametrize(
    "text", ["{}abc", "耗时{}ms", "大小{}bytes", "key={}abc", "offset {}L", "-k order-{}", "共{}x"]
)
def test_a_figure_before_letters_is_none(text):
    assert found(text.format(canary("CN_MOBILE", 11))) == []


def test_what_a_quotation_or_a_list_breaks():
    identity, card = canary("CN_RESIDENT_ID", 3), canary("CN_BANK_CARD", 3)
    assert [entity for entity, _ in found(f"身份证{identity[:7]}\n> {identity[7:]}")] == ["CN_RESIDENT_ID"]
    assert [entity for entity, _ in found(f"卡号{card[:3]}\n- {card[3:7]}\n- {card[7:]}")] == ["CN_BANK_CARD"]
    assert found("QQ30959735a。") == [("QQ", "30959735")]
    assert found("IBAN VG96 VPVG 0000 0123 4567 8901 X in it") == [("IBAN", "VG96 VPVG 0000 0123 4567 8901")]
    assert found("mayishebao-1758-0759") == []


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("mail consequences@odi.ohio.gov now", "public"), ("write jsmith@ohio.gov", "valid"),
        ("(ADEAR) Center. Email: adear@nia.nih.gov", "public"), ("约束 CNECT-AIOFFICE@ec.europa.eu", "public"),
        ("National Institute on Aging Information Center: niaic@nia.nih.gov", "public"),
        ("Jane Doe, jdoe@nih.gov", "valid"), ("consequences@northgate.com", "valid"),
    ],
)  # fmt: skip
def test_whose_a_mailbox_of_an_authority_is(text, state):
    assert find(pl.Series([text]))["state"].to_list()[-1] == state


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("谢谢俞女士！", "俞"),
        ("感谢俞女士的配合", "俞"),
        ("多谢王先生", "王"),
        ("感谢谢女士", "谢"),
        ("谢俞女士您好", "谢俞"),
    ],
)
def test_thanks_are_no_surname(text, name):
    assert found(text) == [("PERSON", name)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("邮箱 l i u y a n g . h z 7 7 @ 1 6 3 . c o m 谢谢", "l i u y a n g . h z 7 7 @ 1 6 3 . c o m"),
        ("write to m a r y s m i t h @ g m a i l . c o m please", "m a r y s m i t h @ g m a i l . c o m"),
        ("https://a.cn/?mail=zhangwei_88%40163.com&x=1", "zhangwei_88%40163.com"),
    ],
)
def test_a_mailbox_letter_by_letter_or_in_a_url(text, written):
    assert found(text) == [("EMAIL_ADDRESS", written)]
    assert written not in excerpt(text)


@pytest.mark.parametrize("text", ["y = x @ w", "a b c @ d e", "50%40 of 60", "u @ v . T", "grid %40 wide"])
def test_signs_of_code_are_no_mailbox(text):
    assert found(text) == []


@pytest.mark.parametrize("text", ["我的微信号是{}，备注房源", "微信：{}。", "微信搜{}就能找到我"])
def test_a_name_of_wechat_letter_by_letter(text):
    spread = " ".join(NAME)
    assert ("WECHAT", spread) in found(text.format(spread))


def test_what_is_searched_on_wechat_is_a_public_account():
    assert found("微信搜索 datawhale 关注公众号") == []


@pytest.mark.parametrize(
    "text", ["Phone: {}", "text {} when you arrive", "call me back at {}", "my cell number is {}."]
)
def test_a_telephone_of_america_digit_by_digit(text):
    assert [entity for entity, _ in found(text.format("4 0 4 8 6 7 7 4 6 8"))] == ["PHONE_NUMBER"]


@pytest.mark.parametrize("text", ["Call me back at {} after five", "reach me {}"])
def test_ten_digits_that_one_is_asked_to_call(text):
    assert [entity for entity, _ in found(text.format("4048677468"))] == ["PHONE_NUMBER"]


@pytest.mark.parametrize("text", ["有事打{}就行", "我换号了，新号{}", "回访请拨{}"])
@pytest.mark.parametrize("signs", ["138~{}~{}", "138，{}，{}", "138*{}*{}"])
def test_signs_of_the_writers_own_behind_more_words(text, signs):
    assert [entity for entity, _ in found(text.format(signs.format("2233", "5567")))] == ["CN_MOBILE"]


def test_at_in_capitals_before_a_provider():
    assert found("mail chenjh75ATgmail.com please") == [("EMAIL_ADDRESS", "chenjh75ATgmail.com")]
    assert found("THE FLATGMAIL.COM") == []
