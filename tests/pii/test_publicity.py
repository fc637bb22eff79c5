"""What is an institution's, by the words around it; what stands beside a person's identifier is the person's."""

import polars as pl
import pytest
from core_helpers import jsonl

from datacheck.checks.pii import Pii
from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.policy import CLASSES
from datacheck.testing import dataset, finding, measure


def states(text):
    return dict(find(pl.Series([text])).select("entity", "state").iter_rows())


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("客服热线：021-62345678，工作时间9:00-18:00", "CN_LANDLINE"),
        ("酒店的电话是010-65112418，欢迎光临", "CN_LANDLINE"),
        ("预约电话：0571-87236114", "CN_LANDLINE"),
        ("招聘热线 13822335566", "CN_MOBILE"),
        ("公司地址：上海市浦东新区张江路88号", "ADDRESS"),
        ("学校位于杭州市西湖区文三路478号", "ADDRESS"),
        ("校区地址为苏州市姑苏区人民路188号。学生住宿不在校区内", "ADDRESS"),
        ("保险公司地址：安徽省合肥市包河区金寨路96号 建议同学们提前了解", "ADDRESS"),
        ("北京市海淀区中关村大街27号", "ADDRESS"),  # no room, and nobody is said to live there
        ("Apple Inc., 10600 North Tantau Avenue, Cupertino, CA 95014", "ADDRESS"),
        ('{"restaurants": [{"name": "Carbone", "address": "181 Thompson St, New York, NY 10012"}]}', "ADDRESS"),
        ('{"name": "Il Mulino", "rating": 4.5, "address": "86 W 3rd St, New York, NY 10012"}', "ADDRESS"),
        ("the museum, tel. +1 212-535-7710", "PHONE_NUMBER"),
        ("call +1 800-273-8255 now", "PHONE_NUMBER"),  # toll-free
        ("info@who.int", "EMAIL_ADDRESS"),
        ("写信到 cn-support@datacheck.zz", "EMAIL_ADDRESS"),
        ("redaktion.dessau@datacheck.zz", "EMAIL_ADDRESS"),
        ("Redaktion, redaktion@datacheck.zz, Tel. +49 30 212341 210", "EMAIL_ADDRESS"),  # whatever stands beside it
        ("info@datacheck.zz, Tel. +49 30 212341 210", "PHONE_NUMBER"),  # beside a mailbox of a function
        ("服务邮箱：wangwei@datacheck.zz", "EMAIL_ADDRESS"),
        ("举报电话：010-65363263    举报邮箱：jb@datacheck.zz", "CN_LANDLINE"),  # beside a mailbox of the house
        ("datacheck@datacheck.zz", "EMAIL_ADDRESS"),
        ("datacheck.foia@datacheck.gov", "EMAIL_ADDRESS"),  # the house's name and the task
        ("Spendenkonto: DE68 2105 0170 0012 3456 78", "IBAN"),
        ("Registrant’s telephone number, including area code: (408) 376-7400", "PHONE_NUMBER"),
        ("请拨打地铁客服中心的电话号码：021-64371234。\n\n2. 如果您在车厢内丢失了物品", "CN_LANDLINE"),  # who speaks on
        ("他家的地址是北京市朝阳区北辰东路5号中国科技馆新馆内", "ADDRESS"),
        ("如需咨询请拨打 13822335566", "CN_MOBILE"),
        ("报修电话：13822335566", "CN_MOBILE"),
        ("咨询QQ：729924936", "QQ"),
        ("我知道，它的电话是010-65112418", "CN_LANDLINE"),  # who looks it up says nothing of himself
        ("Community Banks, phone number 415-241-4875", "PHONE_NUMBER"),
        ("This is Park Church, phone number 415-241-4875", "PHONE_NUMBER"),
        ("可以快递申请。办理地点位于武汉市武昌区武珞路519号湖北省农业农村厅政务服务大厅1号窗口", "ADDRESS"),
        ("婚前医学检查的办理地址是武汉市洪山区卓刀泉北路39号A栋408。", "ADDRESS"),
        ("医师资格认定的办公电话是027-87217670。申请人可以通过该电话咨询", "CN_LANDLINE"),
        ("Bandra Kurla Complex, Mumbai 400051. Email: ro.mumbai@datacheck.gov.in", "EMAIL_ADDRESS"),
        ("Mumbai 400051. Phone: 022-26583500. Email: ro.mumbai@datacheck.gov.in", "CN_LANDLINE"),  # beside it
    ],
)
def test_what_an_institution_prints_is_public(text, entity):
    assert states(text)[entity] == "public"


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        # what a customer wants is no hotline
        ("户名：周平建 QQ：729924936 今天想咨询一下退货的流程。", "QQ"),
        ("我要投诉，电话13822335566", "CN_MOBILE"),
        ("我想预订一间房，QQ：729924936", "QQ"),
        ("我家的电话是021-62345678", "CN_LANDLINE"),
        ("电话号码：021-62345678。\n\n2. 地铁里不要丢失物品", "CN_LANDLINE"),  # the next sentence is of something else
        ("医院病人王建国，家属电话 010-65112418", "CN_LANDLINE"),  # the nearer word decides
        ("他在公司上班，手机13822335566", "CN_MOBILE"),
        ("我住在上海市浦东新区张江路88号", "ADDRESS"),
        ("北京市海淀区中关村大街27号3单元502室", "ADDRESS"),
        ("地址：北京市海淀区中关村大街27号", "ADDRESS"),
        ("我的地址：西湖区学院路44号15栋2015室", "ADDRESS"),  # what a street is called after
        ("I live at 1234 Oak Tree Street, Springfield, IL 62704", "ADDRESS"),
        ("my phone number is +1 212-535-7710", "PHONE_NUMBER"),
        ("I'm Melody Banks, phone number 415-241-4875", "PHONE_NUMBER"),  # a surname
        ("Write to the parents of Christopher R. Park: call 347-617-9413", "PHONE_NUMBER"),
        ("Sarah Parks, phone number 415-241-4875", "PHONE_NUMBER"),
        ("Call Mr. Temple, his phone is 415-241-4875", "PHONE_NUMBER"),
        ("information.wang@datacheck.zz", "EMAIL_ADDRESS"),
        ("我的邮箱：wangwei@datacheck.zz", "EMAIL_ADDRESS"),
        ("zhangsan@bytedance.com", "EMAIL_ADDRESS"),
        ("john.garrity@datacheck.gov", "EMAIL_ADDRESS"),
        ("Ro Kim, Seoul office, ro.mumbai@datacheck.gov.in", "EMAIL_ADDRESS"),  # no town of this name was spoken of
        ("收件地址为武汉市武昌区武珞路360号3单元608室，联系人为王蕾", "ADDRESS"),
        ("申请人电话：027-87217670", "CN_LANDLINE"),
    ],
)
def test_what_is_a_persons_stays_private(text, entity):
    assert states(text)[entity] == "valid"


@pytest.mark.parametrize(
    ("before", "state"), [("你知道首都博物馆怎么联系吗", "public"), ("", "valid"), ("我的座机换了，你记一下", "valid")]
)
def test_the_turns_before_say_whose_a_number_is_where_its_own_words_do_not(before, state):
    hits = find(pl.Series(["电话是010-65112418"]), before={0: before})
    assert hits["state"].to_list() == [state]


# What was said before, and what is said: a line of KdConv, CrossWOZ or the Schema-Guided Dialogue, shortened.
@pytest.mark.parametrize(
    ("before", "text", "entity"),
    [
        ("景点的电话你有吗？", "我知道，电话是010-65112418", "CN_LANDLINE"),
        ("你知道故宫吗？\n知道。\n电话你有吗？", "有啊，我记一下，是010-65112418", "CN_LANDLINE"),
        ("给你推荐北京饭店。\n他家电话多少？", "请您记好，电话是010-65112418", "CN_LANDLINE"),
        ("烤肉宛怎么样？我和朋友去\n人均消费70元。\n他家的电话给我吧", "电话是01065112418", "CN_LANDLINE"),
        ("你去过宋庆龄故居吗？", "去过，他在西城区后海北沿46号", "ADDRESS"),
        ("酒店不错。\n地址呢？", "我上周去的，地址是西城区后海北沿46号", "ADDRESS"),
        ("可以玩两小时。\n景点的电话给我", "电话是010-65112418;13716225663。", "CN_MOBILE"),
        ("仙居谷可以去。\n你有这个景点的电话吗", "有啊，电话是13716225663", "CN_MOBILE"),
        (
            "Are pets allowed at Crawford Apartments?",
            "I'm sorry, they aren't. The number is 510-651-5292",
            "PHONE_NUMBER",
        ),
        (
            "A hotel near it. I want their contact number for my records.",
            "I've booked it, the number is 510-651-5292",
            "PHONE_NUMBER",
        ),
        ("Amber is a restaurant. Is there live music? And its phone?", "It is +1 510-651-5292", "PHONE_NUMBER"),
    ],
)
def test_the_number_of_a_place_that_is_asked_for_is_public(before, text, entity):
    hits = find(pl.Series([text]), before={0: before})
    assert set(hits.filter(entity=entity)["state"]) == {"public"}


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("我想订一桌，餐厅还有位子吗\n有的，请留下您的联系电话", "010-65112418"),
        ("我想订一桌，餐厅还有位子吗\n有的，请问您的电话是多少", "是010-65112418"),
        ("你去过故宫吗\n去过，我朋友在那里上班\n他的电话是多少", "010-65112418"),
        ("这家民宿能玩多久\n两天。房东的电话你有吗", "有，010-65112418"),
        ("酒店前台有小王\n小王的电话呢", "他的电话是010-65112418"),
        ("你知道景点的电话吗", "我不知道，我的电话是13716225663"),
        ("这家酒店不错，我同事在那里工作\n你同事电话多少", "13716225663"),
        ("餐厅：请提供您的地址", "北京市海淀区中关村大街27号5号楼"),
        ("Who runs the apartments?\nMr. Smith. What is his phone number?", "The number is 510-651-5292"),
        ("A table for two at the restaurant?\nYes. May I have your phone number?", "The number is 510-651-5292"),
        ("", "医院张医生的电话是021-62345678"),
        ("", "房东的电话是010-65112418"),
        ("", "My landlord's number is 510-651-5292"),
        ("", "酒店的电话是010-65112418，13716225663是我的手机"),
    ],
)
def test_the_number_of_a_person_stays_private_in_talk_of_a_place(before, text):
    hits = find(pl.Series([text]), before={0: before})
    assert "valid" in set(hits["state"])
    assert hits["state"][-1] == "valid"


def test_the_check_reads_the_turns_before():
    asked = dataset("user: 首都博物馆在哪 | assistant: 复兴门外 | user: 电话有吗 | assistant: 电话是010-65112418")
    assert finding(Pii(), asked).status == "warn"
    assert finding(Pii(), dataset("user: 电话有吗 | assistant: 电话是010-65112418")).status == "fail"


def test_beside_a_persons_number_an_office_is_where_the_person_is():
    office = "公司地址：上海市浦东新区张江路88号"
    assert states(office)["ADDRESS"] == "public"
    assert states(f"{office}，13822335566")["ADDRESS"] == "valid"
    assert states(f"{office}，客服热线13822335566")["ADDRESS"] == "public"


def test_a_name_beside_a_hotline_is_not_linked_to_it():
    linked = find(pl.Series(["姓名：王建国。客服热线：021-62345678"])).filter(pl.col("entity") == "PERSON")["linked"]
    assert linked.to_list() == [False]


def test_public_warns_and_the_contract_decides():
    rows = dataset("user: 客服热线：021-62345678 | assistant: 好")
    assert finding(Pii(), rows).status == "warn"
    assert finding(Pii(public="block"), rows).status == "fail"
    assert finding(Pii(public="profile"), rows).status == "pass"


def test_limits_by_class():
    rows = dataset(
        "user: 我的手机13822335566，再说一次13822335566 | assistant: 好", "user: 客服热线：021-62345678 | assistant: 好",
        "user: 打13800138000 | assistant: 好", "user: 密码：Tr0ub4dor&33 | assistant: 好", "user: 早 | assistant: 好",
    )  # fmt: skip
    result = measure(Pii(), rows)
    counts = {name: result.value("class_hits", **{"class": name}) for name in CLASSES}
    assert counts == {"private": 2, "secret": 1, "public": 1, "specimen": 1}
    assert (result.value("class_hits"), result.value("class_values")) == (5, 4)
    assert result.value("class_values", **{"class": "private"}) == 1
    assert result.value("class_rows", **{"class": "private"}) == (1, 5)

    def status(part, most):
        limits = {"blocking_hits": {"max": None}, "warn_hits": {"warn_max": None}}
        return finding(Pii(limits={**limits, "class_rows": {"slices": {part: {"max": most}}}}), rows).status

    assert [status("private", 0.2), status("private", 0.19), status("public", 0)] == ["pass", "fail", "fail"]


def test_a_redacted_copy_keeps_what_is_public(tmp_path, command):
    texts = [f"user: {text} | assistant: 好" for text in ("客服热线：021-62345678", "我的手机13822335566")]
    data = jsonl(tmp_path / "data.jsonl", *dataset(*texts))
    contract = tmp_path / "c.yaml"
    contract.write_text("name: t\nversion: 1\ndatasets: {train: {source: {}, checks: [{check: pii}]}}\n", "utf-8")
    out = tmp_path / "out"
    assert command("run", contract, "--data", f"train={data}", "--out", out)[0] == 1
    given = ("--data", f"train={data}", "--redact", "--contract", contract, "--out", tmp_path / "made")
    found = command("apply", out, *given)
    assert found[0] == 0, found[1]
    kept = (tmp_path / "made" / "kept" / "train" / "data.jsonl").read_text("utf-8")
    assert "021-62345678" in kept
    assert "13822335566" not in kept


def test_a_hotline_and_far_from_it_a_person_without_a_label_are_told_apart():
    text = "公司官网投诉电话：021-63451234。" + "好的，" * 30 + f"请联系王建国 {canary('CN_MOBILE', 7)} 谢谢"
    assert states(text) == {"CN_LANDLINE": "public", "PERSON": "suspect", "CN_MOBILE": "valid"}
