import itertools
import json
import logging
import re
import subprocess
import sys

import polars as pl
import pytest
from pii_helpers import REALDATA, hostile_texts, realdata

from datacheck.pii import engine as engine_module
from datacheck.pii.analyzer import FOUND, PiiTimeout, find
from datacheck.pii.policy import LINK
from datacheck.pii.prefilter import candidates
from datacheck.pii.recognizers import of_regions

NUMBER = "13912348765"

# One number in 22 clothes (promise P13 counts 16; its list is not written down, so this one is our own).
DISGUISES = {
    "plain": NUMBER,
    "fullwidth": "１３９１２３４８７６５",
    "groups": "139 1234 8765",
    "dashes": "139-1234-8765",
    "dots": "139.1234.8765",
    "digit by digit": "1 3 9 1 2 3 4 8 7 6 5",
    "parentheses": "(139)1234-8765",
    "no-break space": "139\u00a01234\u00a08765",
    "zero-width space": "\u200b".join(NUMBER),
    "soft hyphen": "\u00ad".join(NUMBER),
    "hangul filler": "\u3164".join(NUMBER),
    "combining accent": "\u0301".join(NUMBER),
    "control": "\x08".join(NUMBER),
    "circled": "①③⑨①②③④⑧⑦⑥⑤",
    "mathematical": "𝟏𝟑𝟗𝟏𝟐𝟑𝟒𝟖𝟕𝟔𝟓",
    "superscript": "¹³⁹¹²³⁴⁸⁷⁶⁵",
    "Arabic-Indic": "١٣٩١٢٣٤٨٧٦٥",
    "keycap emoji": "\ufe0f\u20e3".join(NUMBER) + "\ufe0f\u20e3",
    "Chinese": "一三九一二三四八七六五",
    "formal Chinese": "壹叁玖壹贰叁肆捌柒陆伍",
    "nested JSON": "".join(f"\\u{ord(char):04x}" for char in NUMBER),
    "overridden direction": f"\u202e{NUMBER[::-1]}\u202c",
}


@pytest.mark.parametrize("name", DISGUISES)
def test_every_disguise_is_found(name):
    texts = pl.Series([f"请打手机{DISGUISES[name]}找我"])
    row = find(texts).row(0, named=True)
    assert (row["entity"], row["state"], row["masked"]) == ("CN_MOBILE", "valid", "139****8765")
    shown = texts[0][row["start"] : row["end"]]
    assert shown in DISGUISES[name]
    assert len(DISGUISES[name]) - len(shown) <= 2


def test_disguises_of_one_number_are_one_group():
    assert find(pl.Series(list(DISGUISES.values())))["group"].unique().to_list() == [0]


def test_a_marker_before_a_number_does_not_hide_it():
    """Folding alone would glue ① or a footnote to the number."""
    for text in ("①13912348765", "13912348765²", "一13912348765"):
        assert find(pl.Series([text]))["masked"].to_list() == ["139****8765"]


def test_letters_of_an_escape_do_not_hide_a_number():
    assert find(pl.Series([r'{"to": "\n13912348765"}']))["masked"].to_list() == ["139****8765"]


def test_columns_order_nulls_and_groups():
    frame = find(pl.Series(["b@qq.com 13912348765", None, "", "139-1234-8765", "B@QQ.com"]))
    assert dict(frame.schema) == FOUND
    assert frame.select("index", "entity", "start", "end", "group").rows() == [
        (0, "EMAIL_ADDRESS", 0, 8, 0),
        (0, "CN_MOBILE", 9, 20, 1),
        (3, "CN_MOBILE", 0, 13, 1),
        (4, "EMAIL_ADDRESS", 0, 8, 0),
    ]


def test_no_candidate_gives_the_same_columns():
    assert dict(find(pl.Series(["你好", None], dtype=pl.String)).schema) == FOUND
    assert dict(find(pl.Series([], dtype=pl.String)).schema) == FOUND


def test_only_the_entities_asked_for():
    text = pl.Series(["zhang@qq.com 13912348765 39.12.216.7"])
    assert find(text, ("IP_ADDRESS",))["entity"].to_list() == ["IP_ADDRESS"]
    with pytest.raises(KeyError):
        find(text, ("NO_SUCH",))


def test_overlaps_leave_one():
    # 62 is Gansu as well as UnionPay; a mailbox can be named by a telephone number
    frame = find(pl.Series(["13912348765@qq.com", "身份证620102198807219870"]))
    assert frame["entity"].to_list() in (["EMAIL_ADDRESS", "CN_RESIDENT_ID"], ["CN_MOBILE", "CN_RESIDENT_ID"])
    texts = hostile_texts(seed=7, count=300)
    for (at,), hits in find(pl.Series(texts)).partition_by("index", as_dict=True, maintain_order=True).items():
        spans = hits.select("start", "end").rows()
        assert all(left[1] <= right[0] for left, right in itertools.pairwise(spans)), texts[at]


def test_a_pattern_without_end_is_an_error_not_a_miss(monkeypatch):
    monkeypatch.setattr(engine_module, "TIMEOUT_SECONDS", 1e-9)
    text = "13912348765 " + "1 3 9 " * 200_000
    with pytest.raises(PiiTimeout) as caught:
        find(pl.Series([text]))
    assert "1391" not in str(caught.value)


@pytest.mark.parametrize(
    "unit", ["a.", "1 ", "1(", "a@", "9", "-----BEGIN PRIVATE KEY-----", "sk-", "1.1.", "6222 ", "139-", "x@a."]
)
def test_hostile_repetition_ends(unit):
    """100,000 characters each, far below the pattern timeout."""
    find(pl.Series([unit * (100_000 // len(unit))]))


def test_no_socket_no_log(monkeypatch, caplog):
    def refuse(*args, **kwargs):
        raise AssertionError("a PII gate must not call out")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    with caplog.at_level(logging.DEBUG):
        assert find(pl.Series(["zhang@qq.com 13912348765 IBAN DE89370400440532013000"])).height == 3
    assert "13912348765" not in caplog.text
    assert "DE8937" not in caplog.text


def test_clean_text_imports_no_presidio():
    script = (
        "import sys, polars as pl\n"
        "from datacheck.pii.analyzer import find\n"
        "from datacheck.pii.prefilter import candidates\n"
        "assert find(pl.Series(['你好，世界', '1+1=2', None])).is_empty()\n"
        "assert candidates(pl.Series(['13912348765'])).sum().row(0)[1] >= 0\n"
        "heavy = {'presidio_analyzer', 'spacy', 'jieba', 'phonenumbers', 'tldextract'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "find(pl.Series(['13912348765']))\n"
        "assert 'presidio_analyzer' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_prefilter_has_one_column_per_entity_and_sees_disguises():
    frame = candidates(pl.Series([None, "", "一三九一二三四八七六五", "ｚ＠ｑｑ．ｃｏｍ", "你好"]))
    assert frame.columns == list(of_regions())
    assert frame["CN_MOBILE"].to_list() == [False, False, True, False, False]
    assert frame["EMAIL_ADDRESS"].to_list() == [False, False, False, True, False]


def test_presidio_research_labels_are_met():
    """1,500 English sentences labelled by others: every e-mail and IPv4, every card of a covered brand, nothing else."""
    realdata("presidio_research")
    records = json.loads((REALDATA / "presidio_research/data/synth_dataset_v2.json").read_text("utf-8"))
    ours = {"CREDIT_CARD": "CN_BANK_CARD", "EMAIL_ADDRESS": "EMAIL_ADDRESS", "IP_ADDRESS": "IP_ADDRESS"}
    labels = {
        (index, ours[span["entity_type"]], span["start_position"], span["end_position"]): span["entity_value"]
        for index, record in enumerate(records)
        for span in record["spans"]
        if span["entity_type"] in ours
    }
    frame = find(pl.Series([record["full_text"] for record in records]), tuple(ours.values()))
    found = set(frame.select("index", "entity", "start", "end").rows())
    assert found <= labels.keys()
    missed = [value for label, value in labels.items() if label not in found]
    # Diners and Maestro take a word, as do Maestro of 12 digits, 15-digit JCB and 13-digit Visa; 06… is none of theirs
    uncovered = re.compile(r"3[068]\d{12}|(?:5[0678]|6[367]|06)\d{10}|(?:1800|2131)\d{11}|4\d{12}")
    assert [value for value in missed if not uncovered.fullmatch(value)] == []
    assert (len(labels), len(found)) == (199, 195)


@pytest.mark.parametrize("gap", [LINK, LINK + 1])
def test_a_hit_is_linked_to_what_is_near_on_either_side(gap):
    far, own = "x" * 2 * LINK, "110105194912310021"
    label, day = "出生日期：", "1990-03-14"
    for near in (f"{own}{'，' * (gap - len(label))}{label}{day}", f"{label}{day}{'，' * gap}{own}"):
        hits = find(pl.Series([f"{own}。{far}。{near}。{far}。{own}"]))
        assert hits["entity"].to_list().count("CN_RESIDENT_ID") == 3
        assert hits.filter(entity="DATE_OF_BIRTH")["linked"].to_list() == [gap <= LINK]
