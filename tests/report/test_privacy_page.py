"""The page pii.html: what an auditor is handed. It holds counts and decisions, and no value in any form."""

import pytest
from core_helpers import jsonl

from datacheck.pii.canaries import canary
from datacheck.pii.categories import category
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.testing import dataset

PHONE, CARD = canary("CN_MOBILE", 3), canary("CN_BANK_CARD", 3)
CONTRACT = """
name: drop
version: 1
datasets:
  train:
    source: {}
    checks:
      - check: CHECK
"""
ALLOW = "        allow: [{domain: corp.zz, owner: data-team, reason: '<b>ours</b>', expires: 2099/01/31}]\n"


def page(tmp_path, command, lang="en", check="pii", settings=""):
    rows = dataset(
        f"user: 我的手机{PHONE}，再说一次{PHONE} | assistant: 好", f"user: 银行卡{CARD} | assistant: 好",
        "user: 客服热线：021-62345678 | assistant: 好", "user: 早 | assistant: 好",
    )  # fmt: skip
    data = jsonl(tmp_path / "data.jsonl", *rows)
    contract = tmp_path / "c.yaml"
    contract.write_text(CONTRACT.replace("CHECK", check) + settings, "utf-8")
    out = tmp_path / "out"
    _, said, err = command("run", contract, "--data", f"train={data}", "--out", out, "--lang", lang)
    file = out / "pii.html"
    assert ("pii.html" in said) == file.exists(), err
    return file.read_text("utf-8") if file.exists() else None


@pytest.mark.parametrize(("lang", "word"), [("en", "sensitive"), ("zh", "敏感")])
def test_counts_of_kinds_and_classes(tmp_path, command, lang, word):
    text = page(tmp_path, command, lang)
    lines = ["".join(line.split()) for line in text.replace("</tr>", "\n").splitlines()]
    (mobile,) = (line for line in lines if "<code>CN_MOBILE</code>" in line and "art.4" in line)
    assert '<tdclass="n">2</td><tdclass="n">1</td><tdclass="n">1</td>' in mobile  # two places, one value, one row
    (card,) = (line for line in lines if "<code>CN_BANK_CARD</code>" in line and "art.4" in line)
    assert word in card
    assert "50" in next(line for line in lines if "<code>private</code>" in line)  # two rows of four
    assert not any(value in text for value in (PHONE, CARD, PHONE[:3] + "****"))


def test_decisions_and_the_policy_stand_in_it(tmp_path, command):
    text = page(tmp_path, command, settings=ALLOW)
    assert "corp.zz" in text
    assert "&lt;b&gt;ours&lt;/b&gt;" in text
    assert "2099/01/31" in text
    (digest,) = (line for line in text.splitlines() if 'class="hash"' in line)
    assert digest not in page(tmp_path / "other", command, settings="        public: block\n")


@pytest.mark.parametrize(
    ("asked", "shown"), [("[]", "CN, HK, MO, TW, US"), ("[DE]", "CN, DE, HK, MO, TW, US"), ("all", "all")]
)
def test_whose_identifiers_were_looked_for(tmp_path, command, asked, shown):
    assert f"<td><code>regions</code></td><td>{shown}</td>" in page(
        tmp_path, command, settings=f"        regions: {asked}\n"
    )


def test_without_the_check_there_is_no_page(tmp_path, command):
    assert page(tmp_path, command, check="exact_duplicates") is None


def test_every_kind_has_a_category():
    found = {entity: category(entity) for entity in RECOGNIZERS}
    assert {found[name].gdpr for name in ("CN_RESIDENT_ID", "US_SSN")} == {"art. 87"}
    assert found["CN_MEDICAL_RECORD"] == ("sensitive", "art. 9")
    assert found["SECRET"].pipl == "not personal"
