"""What share of made-up values is found, per entity and disguise. Values by Faker and by the standards' own arithmetic."""

import json
import random
from collections.abc import Callable

import polars as pl
import pytest
from faker import Faker
from stdnum import luhn
from stdnum.cn import ric, uscc

from datacheck.pii.analyzer import find

COUNT = 20
FAKE = Faker("zh_CN")
EN = Faker("en_US")
DE = Faker("de_DE")
REGIONS = ["110105", "310104", "440305", "510107", "330106", "420106", "610113", "230103"]
BRANDS = {"622848": 19, "621700": 19, "436742": 19, "622588": 16, "453957": 16, "552199": 16, "356810": 16}


def digits(rng: random.Random, n: int) -> str:
    return "".join(rng.choices("0123456789", k=n))


def card(rng: random.Random) -> str:
    prefix, length = rng.choice(list(BRANDS.items()))
    if prefix == "436742":
        prefix, length = "622202", 19
    body = prefix + digits(rng, length - len(prefix) - 1)
    return body + luhn.calc_check_digit(body)


def resident(rng: random.Random) -> str:
    body = f"{rng.choice(REGIONS)}{rng.randrange(1950, 2012)}{rng.randrange(1, 13):02d}{rng.randrange(1, 29):02d}{digits(rng, 3)}"
    return body + ric.calc_check_digit(body + "0")


def organisation(rng: random.Random) -> str:
    body = f"91{rng.choice(REGIONS)}MA{''.join(rng.choices('0123456789ABCDEFGHJKLMNPQRTUWXY', k=7))}"
    return body + uscc.calc_check_digit(body + "0")


def hkid(rng: random.Random) -> str:
    letter, number = rng.choice("CDEGHKPRVYZ"), digits(rng, 6)
    values = [36, ord(letter) - 55, *map(int, number)]
    rest = -sum(v * w for v, w in zip(values, (9, 8, 7, 6, 5, 4, 3, 2), strict=True)) % 11
    return f"{letter}{number}({'A' if rest == 10 else rest})"


def taiwan(rng: random.Random) -> str:
    code = {"B": 11, "C": 12, "D": 13, "E": 14, "F": 15, "G": 16, "H": 17}
    letter, number = rng.choice(list(code)), rng.choice("12") + digits(rng, 7)
    total = (
        code[letter] // 10
        + code[letter] % 10 * 9
        + sum(int(d) * w for d, w in zip(number, range(8, 0, -1), strict=True))
    )
    return f"{letter}{number}{-total % 10}"


def imei(rng: random.Random) -> str:
    body = "35" + digits(rng, 12)
    return body + luhn.calc_check_digit(body)


def plate(rng: random.Random) -> str:
    head = rng.choice("京津沪冀豫云辽黑湘皖鲁苏浙赣鄂桂甘晋蒙陕吉闽贵粤川") + rng.choice("ABCDEFGHJ")
    return head + (rng.choice("DF") + digits(rng, 5) if rng.random() < 0.4 else rng.choice("KLMNP") + digits(rng, 4))


def mobile(rng: random.Random) -> str:
    while True:
        number = rng.choice(["135", "138", "150", "159", "166", "177", "186", "191", "199"]) + digits(rng, 8)
        if not number.endswith("00000"):
            return number


def landline(rng: random.Random) -> str:
    return f"{rng.choice(['010', '021', '020', '028'])}-{rng.choice('68')}{rng.choice('2345')}{digits(rng, 6)}"


def mac(rng: random.Random) -> str:
    return ":".join(f"{rng.randrange(256):02X}" for _ in range(6))


def secret(rng: random.Random) -> str:
    body = "".join(rng.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=40))
    return rng.choice(
        [f"sk-{body}", f"ghp_{body[:36]}", f"AKIA{body[:14].upper()}7Q", f"hf_{body[:34]}", f"glpat-{body[:20]}"]
    )


Maker = Callable[[random.Random], str]
NUMBER = [
    "plain",
    "fullwidth",
    "zero-width",
    "spaced",
    "dashed",
    "dotted",
    "circled",
    "between Han",
    "JSON",
    "escaped JSON",
]
DIGITS = [*NUMBER, "Chinese numerals", "one by one"]
TEXT = ["plain", "fullwidth", "zero-width", "between Han", "JSON", "escaped JSON"]
ENTITIES: dict[str, tuple[str, Maker, list[str]]] = {
    "CN_RESIDENT_ID": ("我的身份证号是{}，请核对。", resident, DIGITS),
    "CN_MOBILE": ("我的手机是{}，请回电。", mobile, DIGITS),
    "CN_LANDLINE": ("办公电话{}，工作日接听。", landline, [*NUMBER, "one by one"]),
    "CN_BANK_CARD": ("请转到银行卡{}，谢谢。", card, DIGITS),
    "CN_BANK_ACCOUNT": ("开户行账号：{}，工商银行。", lambda rng: "1102" + digits(rng, 15), DIGITS),
    "CN_PASSPORT": ("护照号码：{}，有效期十年。", lambda rng: rng.choice("EG") + digits(rng, 8), [*NUMBER, "one by one"]),
    "CN_TRAVEL_PERMIT": ("港澳居民来往内地通行证{}。", lambda rng: rng.choice("HM") + digits(rng, 10), [*NUMBER, "one by one"]),
    "HK_ID": ("香港身份证号码{}。", hkid, ["plain", "fullwidth", "zero-width", "circled", "between Han", "JSON", "escaped JSON"]),
    "TW_ID": ("台湾身份证号{}。", taiwan, [*NUMBER, "one by one"]),
    "CN_PLATE": ("车牌号{}的司机请挪车。", plate, NUMBER),
    "CN_USCC": ("统一社会信用代码：{}。", organisation, NUMBER),
    "CN_SOCIAL_SECURITY": ("社保卡号：{}。", lambda rng: digits(rng, 10), DIGITS),
    "CN_DRIVING_LICENCE": ("驾驶证档案编号：{}。", lambda rng: "3101" + digits(rng, 8), DIGITS),
    "CN_MEDICAL_RECORD": ("住院号：{}，内科。", lambda rng: digits(rng, 8), DIGITS),
    "QQ": ("我的QQ号是{}，加我。", lambda rng: rng.choice("23456789") + digits(rng, 8), DIGITS),
    "WECHAT": ("微信号：{}。", lambda rng: "wx_" + EN.user_name()[:8] + digits(rng, 3), TEXT),
    "IMEI": ("手机IMEI：{}。", imei, DIGITS),
    "US_SSN": ("My social security number is {}.", lambda rng: f"{rng.randrange(100, 600)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}", NUMBER),
    "IBAN": ("IBAN: {}，请汇款。", lambda rng: EN.iban() if rng.random() < 0.5 else DE.iban(), NUMBER),
    "EMAIL_ADDRESS": ("请发到{}谢谢", lambda rng: f"{EN.user_name()}{digits(rng, 2)}@{rng.choice(['qq.com', '163.com', 'gmail.com', 'corp-mail.cn'])}", TEXT),
    "IP_ADDRESS": ("服务器地址{}。", lambda rng: rng.choice([FAKE.ipv4_public(), EN.ipv6()]), TEXT),
    "MAC_ADDRESS": ("网卡地址{}。", mac, TEXT),
    "SECRET": ("密钥是{}。", secret, TEXT),
    "GPS": ("定位：{}。", lambda rng: f"{rng.uniform(20, 50):.6f}, {rng.uniform(80, 130):.6f}", TEXT),
    "CREDENTIAL": ("密码：{}。", lambda rng: EN.password(length=12, special_chars=False, digits=True), TEXT),
}  # fmt: skip


def grouped(value: str, mark: str) -> str:
    """Groups of four, as people write long numbers; separators that the value has go."""
    plain = value.replace("-", "").replace(" ", "")
    return mark.join(plain[i : i + 4] for i in range(0, len(plain), 4))


def disguised(value: str, kind: str) -> str:
    if kind == "fullwidth":
        return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in value)
    if kind == "zero-width":
        return "\u200b".join(value)
    if kind in ("spaced", "dashed", "dotted"):
        return grouped(value, {"spaced": " ", "dashed": "-", "dotted": "."}[kind])
    if kind == "one by one":
        return " ".join(value.replace("-", ""))
    if kind == "circled":
        return "".join("⓪①②③④⑤⑥⑦⑧⑨"[int(c)] if c.isdecimal() else c for c in value)
    if kind == "Chinese numerals":
        return "".join("〇一二三四五六七八九"[int(c)] if c.isdecimal() else c for c in value)
    return value


def text(frame: str, value: str, kind: str) -> str:
    if kind == "between Han":
        return frame.replace("{}", f"{{}}{'是' if frame.endswith('.') else ''}").format(f"{value}这个")
    written = frame.format(disguised(value, kind))
    if kind in ("JSON", "escaped JSON"):
        return json.dumps({"content": written, "n": 1}, ensure_ascii=kind == "escaped JSON")
    return written


@pytest.mark.parametrize("entity", ENTITIES)
def test_recall_is_at_least_99_percent(entity):
    frame, make, kinds = ENTITIES[entity]
    cases: list[tuple[str, str]] = []
    for kind in kinds:
        rng = random.Random(f"{entity} {kind}")
        for fake in (FAKE, EN, DE):
            fake.seed_instance(20261121)
        cases += [(kind, text(frame, make(rng), kind)) for _ in range(COUNT)]
    found = find(pl.Series([written for _, written in cases])).filter(pl.col("entity") == entity)
    seen = set(found["index"])
    missed = [case for i, case in enumerate(cases) if i not in seen]
    for kind in kinds:
        assert sum(each == kind for each, _ in missed) <= COUNT * 0.01, missed[:5]


def test_an_account_in_groups_is_not_the_resident_number_within_it():
    found = find(pl.Series(["IBAN: DE68.1451.9620.8012.2656.36，请汇款。"]))
    assert found["entity"].to_list() == ["IBAN"]


def test_names_addresses_and_dates_of_faker():
    FAKE.seed_instance(20261121)
    rng = random.Random(5)
    names, addresses = [FAKE.name() for _ in range(200)], [f"{FAKE.province()}{FAKE.city()}{FAKE.district()}区{FAKE.street_name()}{rng.randrange(1, 900)}号{rng.randrange(1, 30)}栋{rng.randrange(101, 2000)}室" for _ in range(200)]  # fmt: skip
    for frame in ("姓名：{}，男", "我叫{}，来自上海", "联系人: {}\n", "| 姓名 | {} |", "请找{}先生", "收件人：{}"):
        found = find(pl.Series([frame.format(name) for name in names])).filter(pl.col("entity") == "PERSON")
        assert found["index"].n_unique() >= 198, frame
    found = find(pl.Series([f"寄到{address}谢谢" for address in addresses])).filter(pl.col("entity") == "ADDRESS")
    assert found.filter(pl.col("state") == "valid")["index"].n_unique() >= 198
    dates = [FAKE.date_of_birth() for _ in range(100)]
    for form in (
        "出生日期：%Y-%m-%d",
        "生于%Y年%m月%d日",
        "DOB: %m/%d/%Y",
        "生日%Y/%m/%d",
        "%Y年%m月%d日出生",
        "born on %B %d, %Y",
    ):
        found = find(pl.Series([date.strftime(form) for date in dates])).filter(pl.col("entity") == "DATE_OF_BIRTH")
        assert found["index"].n_unique() >= 99, form
