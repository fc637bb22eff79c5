"""A column that is called 住院号 says what its values are, as the same word in a sentence does."""

import json

import pytest

from datacheck.checks.pii import Pii
from datacheck.pii.keys import LONGEST, key_of, telling
from datacheck.testing import dataset, measure

CHAT = dataset("user: 出院后多久复查？ | assistant: 一般两周后复查血常规。")[0]
TOLD = {
    "住院号": ("3959658", "cn_medical_record"),
    "QQ": ("382910475", "qq"),
    "微信号": ("lhb_2019x", "wechat"),
    "工号": ("A10293", "employee_id"),
    "出生日期": ("1986-03-12", "date_of_birth"),
    "患者姓名": ("雷海波", "person"),
    "patient_name": ("雷海波", "person"),
    "护照号": ("E72610384", "cn_passport"),
    "password": ("Xk9#mPq2", "credential"),
}
TELL_NOTHING = """
id uid row source lang language label type category task domain split title topic tags url date created_at timestamp
version score rating model role content value instruction input output system history prompt response question answer
solution query text chosen rejected messages conversations function arguments parameters description data_source
ability reward_model style ground_truth extra_info metadata level difficulty sample_id question_id 年龄 性别 问题 回答
""".split()


def hits(record):
    return [(problem, where) for (_, problem), (_, where, _) in zip(*both(record), strict=True)]


def both(record):
    result = measure(Pii(), [record])
    return result.problems, result.places


@pytest.mark.parametrize("key", TOLD)
def test_a_value_is_what_its_key_says(key):
    value, kind = TOLD[key]
    record = {**CHAT, key: value}
    assert hits(record) == [(kind, key)]
    assert hits({**CHAT, "meta": {"people": [{key: [value]}]}}) == [(kind, f"meta.people[0].{key}[0]")]
    assert hits({**CHAT, "remark": value}) == []
    assert value not in repr(measure(Pii(), [record]))


def test_a_number_under_a_key_is_told_as_well():
    assert hits({**CHAT, "住院号": 3959658}) == [("cn_medical_record", "住院号")]


def test_what_is_found_anyhow_is_found_once():
    assert hits({**CHAT, "联系人": "13912348765"}) == [("cn_mobile", "联系人")]


def test_usual_keys_tell_nothing():
    assert telling(TELL_NOTHING) == frozenset()
    assert telling([*TELL_NOTHING, "QQ"]) == {"QQ"}


def test_prose_speaks_for_itself():
    assert hits({**CHAT, "住院号": "见病历首页。" + "其余说明从略。" * (LONGEST // 7)}) == []


def test_a_name_is_a_persons_beside_what_only_a_person_has():
    assert hits({**CHAT, "patient_info": {"name": "雷海波", "gender": "男"}}) == [("person", "patient_info.name")]
    assert hits({**CHAT, "name": "雷海波", "age": 39}) == [("person", "name")]
    assert hits({**CHAT, "knowledge": {"name": "雷海波", "attrname": "代表作品"}}) == []
    assert hits({**CHAT, "event": {"name": "金华3.2级地震", "address": "金华"}}) == []


def test_the_key_of_a_value():
    paths = ["name", "people[0].name", "people[0].name[1]", "a.b.c", "rows[2][3]"]
    assert [key_of(path) for path in paths] == ["name", "name", "name", "c", "rows"]


def test_a_written_record_says_the_same_in_any_order():
    one = {key: value for key, (value, _) in TOLD.items()}
    kinds = sorted(kind for kind, _ in hits({**CHAT, **one}))
    again = json.loads(json.dumps(dict(reversed(one.items()))))
    assert kinds == sorted(kind for kind, _ in hits({**again, **CHAT})) == sorted(kind for _, kind in TOLD.values())
