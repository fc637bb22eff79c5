"""What a generator of 2026-11-30 and the cases of two scanners for secrets missed, each with what must stay as it is."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.publicity import is_public


def states(text: str, entity: str) -> list[str]:
    return find(pl.Series([text])).filter(pl.col("entity") == entity)["state"].to_list()


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("CN_RESIDENT_ID", "一代身份证：310104730811717"),
        ("CN_RESIDENT_ID", "身份证号码4 4 0 3 0 5 5 7 0 7 2 5 4 9 0，早年办的"),
        ("CN_RESIDENT_ID", "身份证号码340104\n710701100，早年办的"),
        ("CN_LANDLINE", "老人的固话0292\n7775312，手机他不会用"),
        ("CN_LANDLINE", "可以打我家里的02721394783，晚上都在"),
        ("CN_LANDLINE", "My home phone in China is 025 63245275."),
        ("CN_PASSPORT", "办签证填的护照EP167\n2388对吗？"),
        ("TW_ID", "統一證號MB49\n787092，可以報稅嗎？"),
        ("TW_ID", "ARCMB49787092"),
        ("TW_ID", "IDQ229272979台灣"),
        ("MO_ID", "澳门ID5863191(6)"),
        ("CN_TRAVEL_PERMIT", "MTP (Taiwan compatriot permit) number 33401952"),
        ("CN_PLATE", "登记一下，京 A X T 2 7 5，来访两小时"),
        ("STUDENT_ID", "请输入学号，我输的M20229327。"),
        ("VIN", "My car's VIN is JTDB·M7AN·0DYF·9769·3."),
        ("IBAN", "IBANCH2874352327149554997"),
        ("US_SSN", "SSN:207-64-6734thanks"),
        ("US_SSN", "she gave me her social, 454 78 0686"),
        ("PHONE_NUMBER", "cell:312-747-8523ok"),
        ("PHONE_NUMBER", "Call me at 713 - 950 - 2297 after five."),
        ("PHONE_NUMBER", "You can reach my wife on 8 1 3 9 4 4 1 0 6 1"),
        ("PHONE_NUMBER", "ring me on 6 0 2 6 4 9 7 1 2 2"),
        ("CN_BANK_CARD", "绑定的卡是 6 2 1 7 0 0 8 5 2 8 6 8 7 6 5 4 9 6 8"),
        # of the detectors of trufflehog; values made up
        ("SECRET", "curl -s https://api.acme.io/v1/me \\\n  -H 'Authorization: Bearer q7Vt2LxR9mZk4WnP8sYb3HcJ'"),
        ("SECRET", '{"auths": {"registry.acme.io": {"username": "ci", "auth": "Y2k6cTdWdDJMeFI5bVprNFduUA=="}}}'),
        ("SECRET", "ticket token is sk_4021_118734_9f3b7c21d04e8a65b1f27c903d5e8a46"),
        ("SECRET", "okta token - '00Qx7Vt2LxR9mZk4WnP8sYb3HcJ5dKf6TgUvWeXyAz'"),
        ("SECRET", 'BUNDLE_ENTERPRISE__CONTRIBSYS__COM="1d0f6e62:7a29503b"'),
    ],
)
def test_what_is_glued_broken_or_labelled_otherwise_is_found(entity, text):
    assert states(text, entity) == ["valid"]


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("CN_RESIDENT_ID", "订单 310104730811717 已发货"),
        ("CN_MOBILE", "    >>> solution(10)\n    16695334890\n"),
        ("CN_MOBILE", '>>> is_valid("16695334890")\nTrue'),
        ("PHONE_NUMBER", '>>> is_sri_lankan_phone_number("+94773283048")\nTrue'),
        ("EMAIL_ADDRESS", "=== ||arif [n=||arif@ip-84-19.hosteurope.de] has joined #ubuntu"),
        ("EMAIL_ADDRESS", "=== SGC|Work [~SGC|Work@ruth.maxnet.com] has joined #ubuntu"),
        ("EMAIL_ADDRESS", "i'm trying to hook it up with @live.com mail"),
        ("WECHAT", "Wx_plus_b = np.dot(weights, xs) + biases"),
        ("WECHAT", "self.output = self.activation(self.wx_plus_b)"),
        ("SECRET", "curl -H 'Authorization: Bearer YOUR_ACCESS_TOKEN_HERE' https://api.acme.io"),
        ("SECRET", "curl -H 'Authorization: Bearer 2YotnFZFEjr1zCsicMWpAA' https://server.acme.io"),  # RFC 6749
        ("SECRET", "static void sk_bufferqueuehandlerimplementation(void)"),
        ("SECRET", "the key-valuestoreimplementationofthisservice"),
        ("SECRET", "xoxb-12345-abcd234"),
    ],
)
def test_what_only_looks_like_one_is_none(entity, text):
    assert "valid" not in states(text, entity)


def test_somebodys_bank_account_is_no_banks():
    text = "Here is my bank account: CH4788032212737239899"
    assert not is_public("IBAN", text, text.index("CH"), len(text))


@pytest.mark.parametrize(
    ("text", "public"), [("收件人小程，电话17334580391，放前台也可以", False), ("前台电话17334580391", True)]
)
def test_what_is_left_at_a_front_desk_is_nobodys_office(text, public):
    start = text.index("1")
    assert is_public("CN_MOBILE", text, start, start + 11) is public
