"""What blocked wrongly in public corpora read on 2026-11-30 (programs, logs, reports, pages), each with what still blocks."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find

CUT_KEY = "-----BEGIN RSA PRIVATE KEY-----MIIEpQIBAAKCAQEAq7Vt2LxR9mZk4WnP8sYb3HcJ5dKf6TgUvWeXyAzQb2n4Hd8Jw3Rk6Tq-----END RSA PRIVATE KEY-----"


def states(text: str) -> dict[str, str]:
    return {row["entity"]: row["state"] for row in find(pl.Series([text])).iter_rows(named=True)}


@pytest.mark.parametrize(
    ("entity", "text", "kept"),
    [
        ("CN_MOBILE", '"memory_total": int64(17179691968),', 'call("17179691968")'),
        ("CN_MOBILE", '{"fails": 0, "received": 19225135454, "unavail": 0}', '{"fails": 0, "mobile": 19225135454}'),
        ("CN_MOBILE", '"uintVal": 15632145047', '"userTel": 15632145047'),
        ("CN_MOBILE", '"GTT Total Memory (B)": "17163881968",', '"Home phone (B)": "17163881968",'),
        ("CN_MOBILE", "value = e.OidText // 1.3.6.1.6.3.1.1.4.1.0", "text 1.3.9.2.4.5.3.1.1.4.1"),
        ("CN_MOBILE", "for i in range(13960894309): total += i", "sms(13960894309)"),
        ("CN_MOBILE", "求 15619894575 除以 6082 的余数", "请打 15619894575 除以上情况"),
        ("CN_MOBILE", "np.array([459760394, 23467578, 19878601797])", "phones = [13822335566, 19878601797]"),
        ("CN_MOBILE", "a population of 13338250513, up from 6", "the owner of 13338250513, up there"),
        (
            "CN_MOBILE",
            "  searches            18421725761     1317.0/s\n  inserts               156762508       11.2/s",
            "  searches            18421725761     1317.0/s\n  inserts             13967625083       11.2/s",
        ),
        ("CN_MOBILE", "chain_max     26\np             13963222064", "Extension     26\nMobile        13963222064"),
        ("CN_MOBILE", "A. $$17300182789$$ B. $$17300182788$$", "A. 17300182789 元 $5"),
        ("SECRET", CUT_KEY, CUT_KEY.replace("MIIE", "MIGf")),
        ("WECHAT", "见[专栏](https://a.cn/?code=FLOW&promotionChannel=WX_RYF_00)，欢迎", "微信 WX_RYF_00"),
        ("PHONE_NUMBER", '{"mobile": 2012722956, "desktop": 1513968883}', '{"mobile": 2012722956, "name": "Ann"}'),
        ("PHONE_NUMBER", "电话号码从 843-000-0000 到 843-999-9999", "电话号码是 843-222-9181"),
        ("HK_ID", "Subparagraph (SX 210.6-07(9))", "HKID G123456(A)"),
        ("CN_BANK_ACCOUNT", "Policyholders Account 324 150 308 1 (3) 2 782", "Account number 3241 5030 8132 782"),
        (
            "CN_SOCIAL_SECURITY",
            "Accident & Health insurance 134 34 - 0 4 0 172",
            "Health insurance no. 134 341 040 172",
        ),
        ("US_SSN", "Other social security charges 173 134 120", "social security number 173 13 4120"),
        ("EMAIL_ADDRESS", "Author: John <john@users.noreply.github.com>", "Author: John <john.kovar@github.com>"),
        ("EMAIL_ADDRESS", "panic at BBZ@github.com/influxdata/plugins", "mail BBZ@github.com, please"),
        ("CN_RESIDENT_ID", '"1234567\\n123456\\n123412314\\n123"', "身份证430102\n20021115307X"),
        ("CN_LANDLINE", "注册地址嵊州市 注册电话0575-83012366 开户银行", "家里电话0575-83012366"),
        ("PHONE_NUMBER", "Telecopy: (916) 654-5362", "Cell: (916) 654-5362"),
        (
            "PHONE_NUMBER",
            "telephone number including area\ncode: (510) 668-0881",
            "My telephone number: (510) 668-0881",
        ),
        ("PHONE_NUMBER", "New Patients: (623) 242-1299", "The patient's cell: (623) 242-1299"),
    ],
)
def test_what_no_person_has_does_not_block(entity, text, kept):
    assert states(text).get(entity) != "valid"
    assert states(kept).get(entity) == "valid"
