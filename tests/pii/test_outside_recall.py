"""What two generators of somebody outside missed, through the command: disguises, documents named otherwise, whose it is."""

import json
import subprocess
import sys
from random import Random

import polars as pl
import pytest

from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.normalise import fold
from datacheck.pii.recognizers.cn_bank_card import luhn
from datacheck.pii.recognizers.cn_resident_id import check_digit

MOBILE = canary("CN_MOBILE", 5)
RESIDENT = canary("CN_RESIDENT_ID", 5)
CARD = canary("CN_BANK_CARD", 5)


def found(text):
    hits = find(pl.Series([text])).select("entity", "state", "start", "end")
    return [(entity, state, text[start:end]) for entity, state, start, end in hits.iter_rows()]


def said(entity, text, state="valid"):
    return [value for each, as_what, value in found(text) if (each, as_what) == (entity, state)]


def percent(value):
    return "".join(f"%{ord(char):02X}" for char in value)


@pytest.mark.parametrize(
    ("entity", "value", "text"),
    [
        ("CN_MOBILE", MOBILE, "司机电话{}一直占线"),
        ("CN_BANK_CARD", CARD, "转账给{}一直失败"),
        ("CN_RESIDENT_ID", RESIDENT, "身份证{}一般几天能办好"),
    ],
)
@pytest.mark.parametrize("digits", ["0123456789", "０１２３４５６７８９", "⓪①②③④⑤⑥⑦⑧⑨", "零一二三四五六七八九"])
def test_the_next_word_may_begin_with_a_numeral(entity, value, text, digits):
    written = value.translate(str.maketrans("0123456789", digits))
    assert said(entity, text.format(written)) == [written]


def test_a_numeral_at_the_end_is_a_digit_where_no_word_begins():
    written = f"{MOBILE[:-1]}一"
    assert fold(f"电话{written}。").text == f"电话{MOBILE[:-1]}1。"


@pytest.mark.parametrize(
    ("entity", "value", "text"),
    [
        ("CN_MOBILE", MOBILE, "收件人手机：{}，急"),
        ("CN_RESIDENT_ID", RESIDENT, "身份证号{}"),
        ("CN_RESIDENT_ID", "11010519800307503X", "身份证号{}"),
        ("CN_BANK_CARD", CARD, "银行卡号 {}"),
    ],
)
def test_digits_as_a_url_writes_them(entity, value, text):
    if value.endswith("X"):
        value = next(body + "X" for at in range(1000) if check_digit(body := f"11010519800307{at:03d}") == "X")
    assert said(entity, text.format(percent(value))) == [percent(value)]


def test_other_signs_of_a_url_stay():
    assert fold("a%3D1 b%3A%20c%2F %32").text == "a%3D1 b%3A%20c%2F %32"


def run_on(rows, tmp_path):
    """What `datacheck run` lists: line and kind of each place that blocks."""
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    (tmp_path / "c.yaml").write_text(
        "name: d\nversion: 1\ndatasets:\n  train:\n    source: {path: d.jsonl, format: messages}\n"
        "    checks: [{check: pii}]\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "datacheck", "run", "c.yaml", "--out", "out", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=False, capture_output=True)
    listed = pl.read_parquet(tmp_path / "out" / "evidence" / "train.pii.parquet")
    return {
        (line, kind) for line, kind, told in listed.select("line", "problem", "detail").iter_rows() if "block" in told
    }


def test_a_number_over_two_lines_in_the_arguments_of_a_call(tmp_path):
    rows = []
    for number, label in ((MOBILE, "紧急联系人：我妈，"), (RESIDENT, "身份证号码")):
        arguments = json.dumps({"note": {"text": f"{label}{number[:4]}\n{number[4:]}，急"}}, ensure_ascii=False)
        call = {"id": "c1", "type": "function", "function": {"name": "save", "arguments": arguments}}
        turns = [
            {"role": "user", "content": "记一下"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
            {"role": "assistant", "content": "好的。"},
        ]
        rows.append({"messages": turns})
    assert run_on(rows, tmp_path) == {(1, "cn_mobile"), (2, "cn_resident_id")}


PROFILE = "你是客服助手。用户资料：{}"


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("QQ", PROFILE.format("QQ号38291047被盗了")),
        ("WECHAT", PROFILE.format("微信：linfeng2202")),
        ("CN_MOBILE", PROFILE.format(f"Tel: {MOBILE}")),
        ("QQ", "你是客服助手。QQ号38291047的密码忘了"),
        ("CN_MOBILE", f"客户来电{MOBILE}，投诉物流太慢"),
        ("ADDRESS", "你好，寄北京市朝阳区麓山南路364号财富大厦A座1932谢谢"),
        ("ADDRESS", "地址湖北省武汉市洪山区珞喻路18号创新大厦C座2724王收。"),
        ("ADDRESS", "急！住辽宁省大连市中山区中山北路137号恒隆大厦A座1345的"),
        ("ADDRESS", "快递寄湖北省武汉市洪山区 文三路144号 国贸大厦C座2138，到付"),
    ],
)
def test_a_customers_stays_private(entity, text):
    assert said(entity, text)


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("CN_MOBILE", f"你是客服助手，客服热线{MOBILE}，请转告客户"),
        ("CN_LANDLINE", "本店客服电话：0571-64205040，欢迎来电"),
        ("ADDRESS", "公司地处北京市朝阳区麓山南路364号，欢迎参观"),
    ],
)
def test_an_institutions_stays_public(entity, text):
    assert said(entity, text, "public")


@pytest.mark.parametrize(
    ("entity", "text", "value"),
    [
        ("CN_PASSPORT", "证件类型：护照，证件号码：{}。", "P4478323"),
        ("CN_PASSPORT", "证件类型：护照，证件号码：{}。", "P0423932"),  # with the check digit of Hong Kong's cards
        ("CN_TRAVEL_PERMIT", "往来港澳通行证：{}。", "WE0755530"),
        ("CN_TRAVEL_PERMIT", "台胞证编号{}买不了票", "63219860"),
        ("US_DRIVER_LICENSE", "DL# {}, issued in Maryland", "V956152677580"),
        ("CN_BANK_CARD", "CardNo{}，急", CARD),
        ("CN_BANK_CARD", "acct{}ok", CARD),
        ("CN_RESIDENT_ID", "号{}a，急", RESIDENT),
        ("CN_RESIDENT_ID", "sfzh{}。", RESIDENT),
        ("EMAIL_ADDRESS", "联系方式：{}。", "guo.mike95@zju。edu。cn"),
        ("EMAIL_ADDRESS", "我用{}登录不了", "gfrank22 at brightpath dot org"),
        ("EMAIL_ADDRESS", "我的邮箱是{}，谢谢", "oscar.zhao(a)huaxin-tech.com.cn"),
        ("PERSON", "姓名{}性别男", "许军刚"),
        ("PERSON", "患者{}入院", "尹春嘉"),
        ("PERSON", "收件人{}收", "董娟怡"),
    ],
)
def test_the_entity_of_a_value(entity, text, value):
    assert said(entity, text.format(value)) == [value]


def test_an_account_whose_country_has_check_digits_of_its_own():
    body = "".join(Random(4).choices("0123456789", k=20))
    value = f"ES{98 - int(body + '142800') % 97:02d}{body}"
    assert said("IBAN", f"refund to IBAN {value}") == [value]
    assert said("IBAN", f"code {value}", "suspect") == [value]
    assert not said("IBAN", f"refund to IBAN {value[:-1]}{(int(value[-1]) + 1) % 10}")


@pytest.mark.parametrize(
    "text",
    [
        f"commit 号{RESIDENT}abcdef01", f"x = '{RESIDENT}a'", "print(f(a)b.com)", "see section 4(a)the.rest",
        "look at amazon dot com", "联系人电话是多少", "患者入院后恢复良好", f"{CARD[:-1]}{(int(CARD[-1]) + 1) % 10}",
    ],
)  # fmt: skip
def test_what_is_none(text):
    assert not [hit for hit in found(text) if hit[1] == "valid"]


def test_a_wrong_check_digit_before_a_letter_is_none():
    wrong = RESIDENT[:-1] + ("1" if RESIDENT[-1] != "1" else "2")
    assert not [hit for hit in found(f"编号{wrong}ab，急") if hit[0] == "CN_RESIDENT_ID"]


def test_the_card_of_these_tests_is_one():
    assert luhn(CARD)


@pytest.mark.parametrize(
    "text",
    [
        "AZURE_SAS=sp=r&sr=c&sig={}%3D", "?sp=r&sv=1&sig={}%3D", "我的智谱密钥是{hex}.{short}",
        'client.run("{bot}")', "Authorization: Bot {bot}", "DISCORD_TOKEN={bot}", '"SecretAccessKey": "{aws}"',
        "//npm.acme.io/:_authToken={uuid}", "pat-na1-{uuid}", "xoxb use access_token$production${ten}${hex}",
    ],
)  # fmt: skip
def test_a_token_in_the_form_its_vendor_gives(text):
    rng = Random(9)
    letters = "ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789"
    draw = lambda n, of=letters: "".join(rng.choice(of) for _ in range(n))  # noqa: E731
    low = "0123456789abcdef"
    parts = {
        "hex": draw(32, low), "short": draw(16), "bot": f"MT{draw(24)}.G{draw(5)}.{draw(30)}", "aws": draw(39) + "7",
        "uuid": "-".join(draw(n, low) for n in (8, 4, 4, 4, 12)), "ten": draw(16, low),
    }  # fmt: skip
    assert said("SECRET", text.format(draw(42) + "7", **parts))
