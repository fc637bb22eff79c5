"""What a fifth red team found missed: labels and values as people write them, lists in a turn, full names and titles."""

import json
from random import Random

import polars as pl
import pytest

from datacheck.checks.pii import Pii
from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.keys import fronts
from datacheck.pii.publicity import is_public
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import completed, random_digits
from datacheck.pii.recognizers.cn_bank_card import luhn
from datacheck.pii.redact.row_names import row_names
from datacheck.pii.redact.traces import Original, Traces
from datacheck.pii.split import Utterance, splits
from datacheck.pii.tables import told_cells
from datacheck.testing import measure

RESIDENT, CARD = canary("CN_RESIDENT_ID", 51), completed("6228" + random_digits(Random(51), 14), luhn)
VIN = canary("VIN", 51).split()[-1]


def found(text):
    rows = find(pl.Series([text])).select("entity", "start", "end").iter_rows()
    return {(entity, text[start:end]) for entity, start, end in rows}


def grouped(value, sign):
    return sign.join(value[at : at + 4] for at in range(0, len(value), 4))


@pytest.mark.parametrize(
    ("entity", "value", "text"),
    [
        ("WECHAT", "lulu-cat4606", "➕微lulu-cat4606"),
        ("WECHAT", "mumu_shu06", "薇❤mumu_shu06"),
        ("CN_DRIVING_LICENCE", "320505775645", "驾驶证 证号 320505775645"),
        ("CN_LANDLINE", "02229469341", "白天打02229469341找我，晚上打手机"),
        ("PHONE_NUMBER", "2066305401", "Emergency contact: Rahul Abernathy, 2066305401"),
        ("PHONE_NUMBER", "503.702.9239", "You can reach Imogen Castellanos on 503.702.9239"),
        ("PHONE_NUMBER", "206-820-8436", "Her new number's 206-820-8436, old one is dead"),
        ("PHONE_NUMBER", "214-538-4834", "Home: 214-538-4834"),
        ("CN_BANK_ACCOUNT", "8959583355", "account number 8959583355 routing 021000021"),
        ("CN_BANK_ACCOUNT", "8959583355", "routing 021000021, account 8959583355"),
        ("CN_BANK_ACCOUNT", "39583355", "sort code 20-00-00, account number 39583355"),
        ("SOCIAL_HANDLE", "marcus.delacr24", "my insta is @marcus.delacr24"),
    ],
)
def test_how_a_tenth_author_writes_labels(entity, value, text):
    assert (entity, value) in found(text)


@pytest.mark.parametrize(
    "text", ["your account number 8752334159 is locked", "reach Alaska in 2066305401 ms", "home page 214-538-4834-2"]
)
def test_what_may_be_any_number_is_left(text):
    assert found(text) == set()


@pytest.mark.parametrize("verb", ["就是", "写的", "写的是", "这一栏填", "还是", "登记的是", "目前是"])
@pytest.mark.parametrize(
    ("label", "value", "entity"),
    [("QQ", "604914573", "QQ"), ("病历号", "MZ4073158", "CN_MEDICAL_RECORD"), ("工号", "A40731", "EMPLOYEE_ID")],
)
def test_a_label_leads_to_its_value_as_people_say_it(label, verb, value, entity):
    assert (entity, value) in found(f"我的{label}{verb}{value}，没错")


@pytest.mark.parametrize(
    ("text", "entity", "value"),
    [
        ("student ID2021407315谢谢", "STUDENT_ID", "2021407315"),
        ("student no.=2021407315", "STUDENT_ID", "2021407315"),
        ("学号 2 0 2 1 4 0 7 3", "STUDENT_ID", "2 0 2 1 4 0 7 3"),
        ("学号：2021 4073 15", "STUDENT_ID", "2021 4073 15"),
        ("员工号：4073 1582", "EMPLOYEE_ID", "4073 1582"),
        ("q q：604914573", "QQ", "604914573"),
        ("直接薇lan_mei06就行", "WECHAT", "lan_mei06"),
        ("手提：9407 3158", "HK_PHONE", "9407 3158"),
        ("电话9407 3158", "HK_PHONE", "9407 3158"),
        ("打0951 407 315就行", "TW_PHONE", "0951 407 315"),
        ("tel057184073158，在线等", "CN_LANDLINE", "057184073158"),
        ("submitted SS#=426-47-3502 at checkout", "US_SSN", "426-47-3502"),
        ("现住：雁塔区学府街 2 9 4号6单元 1 6 5室", "ADDRESS", "雁塔区学府街 2 9 4号6单元 1 6 5室"),
        ("Telegram: mei.chen0731", "SOCIAL_HANDLE", "mei.chen0731"),
        ("LINE ID: meichen0731", "SOCIAL_HANDLE", "meichen0731"),
        ("| wifi密码 | Qwmei!6407 |", "CREDENTIAL", "Qwmei!6407"),
        (f"The vehicle identification number on file ({VIN}) is wrong", "VIN", VIN),
        (f"车架号 {' '.join(VIN)}", "VIN", " ".join(VIN)),
        (f"车架号：{grouped(VIN, ' ')}", "VIN", grouped(VIN, " ")),
    ],
)
def test_found_as_it_is_written(text, entity, value):
    assert (entity, value) in found(text)


@pytest.mark.parametrize("sign", ["/", "，", "|", "~"])
def test_numbers_with_a_check_digit_may_have_any_sign_between_fours(sign):
    assert ("CN_RESIDENT_ID", grouped(RESIDENT, sign)) in found(f"身份证号 {grouped(RESIDENT, sign)}")
    assert ("CN_BANK_CARD", grouped(CARD, sign)) in found(f"卡号 {grouped(CARD, sign)}")


def test_fours_with_a_wrong_check_digit_are_figures():
    wrong = CARD[:-1] + str((int(CARD[-1]) + 1) % 10)
    assert "CN_BANK_CARD" not in {entity for entity, _ in found(f"银行 {grouped(wrong, '/')}") if entity}


@pytest.mark.parametrize("title", ["医生", "律师", "老师", "经理", "护士长", "师傅", "同学", "总"])
@pytest.mark.parametrize("text", ["请转告{}{}，材料已寄出", "刚才{}{}说要改时间", "昨天挂的{}{}的号"])
def test_a_full_name_before_a_title_is_a_name(title, text):
    assert ("PERSON", "任若曦") in found(text.format("任若曦", title))


@pytest.mark.parametrize(
    "text",
    [
        "找国语老师",
        "由华东经理负责",
        "叶利钦总统",
        "陈静总是微笑",
        "总的来说",
        "高级经理",
        "的荣誉教授",
        "林林总总",
        "任何老师",
        "莫西·利诺博士",
        "最好先了解清楚律师的收费",
        "应当制定法人章程或者管理制度",
    ],
)
def test_a_word_before_a_title_is_none(text):
    assert not {value for entity, value in found(text) if entity == "PERSON" and not value.startswith("陈静")}


@pytest.mark.parametrize("text", ["法人任若曦", "已经约了任若曦律师"])
def test_a_name_behind_such_a_word_is_one(text):
    assert ("PERSON", "任若曦") in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "投保人（“黎景行”）",
        "戶名：鄭凱文",
        "申請人是鄭凱文",
        "英文名：Zhou Lihua",
        "MY NAME IS",
        "我是汪伟东吧",
        "收件人是謝孟儒，",
    ],
)
def test_labels_of_names(text):
    names = {value for entity, value in found(text) if entity == "PERSON"}
    assert bool(names) is not text.isupper()


@pytest.mark.parametrize("text", ["收件人是公司的，", "联系人是安全员，", "申请人为单位，", "姓名是何种类，"])
def test_what_is_said_of_a_label_is_no_name(text):
    assert not {value for entity, value in found(text) if entity == "PERSON"}


@pytest.mark.parametrize("sign", [",", "\t", "，"])
def test_the_first_line_of_a_list_tells_what_its_fields_are(sign):
    text = f"请看：\n{sign.join(('序号', '学号', '备注'))}\n{sign.join(('1', '2021407315', '无'))}\n完"
    assert [(cell.front, text[cell.start : cell.end]) for cell in told_cells([text])[0]] == [("学号: ", "2021407315")]


@pytest.mark.parametrize("text", ["名字,价格\n苹果,3\n", "a,b\n1,2,3\n", "学号,城市\n\n2021407315,x"])
def test_other_lines_are_no_list(text):
    assert not [cell for cell in told_cells([text])[0] if cell.front == "学号: "]


def test_the_check_reads_lists():
    found_in = measure(Pii(), [{"prompt": "序号,QQ,备注\n1,604914573,无", "response": "好"}])
    assert {problem for _, problem in found_in.problems} == {"qq"}


def test_a_key_that_makes_a_value_certain_is_a_label():
    assert fronts(["meta.台湾身份证", "meta.型号"]) == {"meta.台湾身份证": "台湾身份证: "}


@pytest.mark.parametrize(
    ("entity", "text", "value"),
    [
        ("CN_BANK_ACCOUNT", "帮我登记，银行账号{}", "807315840731584073"),
        ("QQ", "我爱人的QQ是{}，帮忙改预约", "604914573"),
        ("PHONE_NUMBER", "Your phone {} is on file.", "(303) 837-1846"),
    ],
)
def test_whose_it_is_no_bank_and_no_own_label_says(entity, text, value):
    text = text.format(value)
    start = text.index(value)
    assert not is_public(entity, text, start, start + len(value))


def test_a_firms_account_stays_public():
    text = "请汇款至我公司银行账号807315840731584073"
    assert is_public("CN_BANK_ACCOUNT", text, text.index("8"), len(text))


@pytest.mark.parametrize(
    ("entity", "value", "text"),
    [
        ("CN_PASSPORT", "EH3140731", "就是EH31\n40731，别"),
        ("CN_PLATE", "琼AFG1073", "就是琼AFG/1073，别"),
        ("CN_PLATE", "琼AFG1073", "(琼A·F)(G1073)"),
        ("CN_MEDICAL_RECORD", "7518660", "再说一遍，751\n8660"),
        ("EMPLOYEE_ID", "608419", "确认下六零八四一九吧"),
    ],
)
def test_a_known_value_is_found_whatever_stands_in_it(entity, value, text):
    assert len(Traces([Original(entity, value)]).find(text)) == 1


def test_any_known_number_is_found_over_two_turns():
    turns = [
        Utterance("user", "社保号先报前面：11352"),
        Utterance("assistant", "继续"),
        Utterance("user", "后面是686555"),
    ]
    assert not list(splits(turns))
    assert [each.entity for each in splits(turns, {"11352686555": "CN_SOCIAL_SECURITY"})] == ["CN_SOCIAL_SECURITY"]


def test_whose_number_is_told_is_somebody():
    text = "我爱人罗紫薇的QQ是604914573"
    assert {text[name.start : name.end] for name in row_names([text]).get(0, [])} == {"罗紫薇"}


def test_every_form_has_a_canary_that_is_found():
    for entity in ("STUDENT_ID", "EMPLOYEE_ID", "HK_PHONE", "VIN"):
        assert entity in {kind for kind, _ in found(RECOGNIZERS[entity].canary(Random(7)))}


def test_whose_it_is_an_escaped_word_says():
    text = json.dumps({"收货地址": "长沙市岳麓区花园路518号29栋718室"})
    states = find(pl.Series([text])).filter(pl.col("entity") == "ADDRESS")["state"].to_list()
    assert states == ["valid"]
