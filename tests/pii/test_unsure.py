"""What may be a person in a redacted record, and is listed (left.jsonl): nobody can surely say."""

import json

import pytest
from core_helpers import contract, jsonl

from datacheck.pii.redact.unsure import unsure


def _is_made(written: str) -> bool:
    return written == "Yusuf Made"


@pytest.mark.parametrize(
    "text",
    [
        "Name is <PERSON_v1> Tupac.", "between <PERSON_v1> and Torbjorn; done", "Kealoha (<PERSON_v1>) is in", "is Kalani, <PERSON_v1>.",
        "Can you check with Zdenka?", "Feedback from Tuuli: strong", "Tobias drives on Saturday", "please tell Nomvula now",
        "put it under Perera D please", "Zaytsev Lovelace and I are splitting up", "Name is <PERSON_v1>.goncalves",
        "my lawyer bogdan.porter can help", "user=svc-kim_77 logged in", "yes Clemency, pick you up",
        "跟小福核一下", "同组的薇薇反馈不错", "请知桦哥确认", "全名是<PERSON_v1>蘅。", "全名是le luqiao。", "家属Ning, Fei已知情",
        "和勇昱", "瑶敏的邮箱<EMAIL_ADDRESS_v1>", "机主明桦蔓。", "<PERSON_v1>和于年AA", "跟老边核一下", "Hi cai chaoye, 已经催了",
        '{"备注": {"乘客": "和勇昱"}}', "麻烦跟阳阳核一下", "<PERSON_v1>（明璟）係我哋經理", "给徐念写个祝福", "全名是南强麦。",
        "khadija.goncalves here, account holder", "Name is quang korhonen.", "pickup by: kostas strong, <PHONE_NUMBER_v1>",
        "bill.stone would like to meet", "yes barnaby, pick you up", "Bill drives on Saturday", "开，琳知我八点接你", "叫我珊景就行。",
        "八点接昱泽。", "接送人是晟轩。", "祝前进生日快乐", "，朵朵喜欢养花", "清明的QQ：<QQ_v1>", "我认识胥律师。", "yu kunlong：好嘞",
        "<PERSON_v1> (dongzipu) 周三开会",
        "siti horvath here, account holder", "me! <PERSON_v1> sinclair are you driving",
    ],
)  # fmt: skip
def test_what_may_be_somebody_is_told(text: str) -> None:
    assert list(unsure(["a text", text], _is_made)) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "Great! Tell me more.", "Certainly, <PERSON_v1>. You have two.", "Finally, <PERSON_v1> would go.", "On Tue, <PERSON_v1> wrote:",
        "Hi <PERSON_v1>, thanks", "Dear <PERSON_v1>, Monday it is", "from sklearn.ensemble import Forest", "see file.csv and node.js",
        "<PERSON_v1> lives in the city. Check with the bank.", "谢谢<PERSON_v1>！请稍等", "好的，<PERSON_v1>先生，已为您登记。",
        "联系<PERSON_v1>吧。", "给小时候的自己写信", "家家户户", "check with Yusuf Made", "user=admin", "",
        "My name is not important.", "yes sure, pick one", "contact: home phone, <PHONE_NUMBER_v1>", "格林女士在图书馆", "八点接孩子。",
        "祝祖国生日快乐", "the bill was paid and the Bill drives it", "客户的电话：<CN_MOBILE_v1>",
        "You're invited! Come and see <PERSON_v1>.", "PowerShell says it can't find C:/Users/<PERSON_v1>",
    ],
)  # fmt: skip
def test_words_are_not_told(text: str) -> None:
    assert list(unsure([text], _is_made)) == []


def test_a_word_written_small_as_well_is_nobody() -> None:
    assert list(unsure(["Check with Finance, the finance team."], _is_made)) == []


def test_with_one_listed_the_command_does_not_end_well(tmp_path, monkeypatch, command) -> None:
    """Somebody whom nothing surely names stays: then left.jsonl says where, and the exit code is 1."""
    monkeypatch.chdir(tmp_path)
    said = ["Feedback from Zdenkova: strong. Contact mary.allen77@northgate.com.", "Check with Zdenkova, a clean row."]
    rows = [{"messages": [{"role": "user", "content": each}, {"role": "assistant", "content": "ok"}]} for each in said]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    path = contract(tmp_path, [{"check": "pii"}], source={"path": "data"})
    command("run", str(path), "--out", "rep")
    told = ("--data", "train=data", "--out", "out", "--contract", str(path), "--redact")
    assert command("apply", "rep", *told)[0] == 1
    lines = [json.loads(line) for line in (tmp_path / "out" / "left.jsonl").read_text().splitlines()]
    assert [(each["line"], each["where"], each["entity"], each["replaced_elsewhere"]) for each in lines] == [
        (1, "messages[0].content", "PERSON", False)
    ]
