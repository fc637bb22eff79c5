"""Numbers of a check's own in places and notes stay readable, although digits in a row are masked in what is shown."""

import polars as pl
import pytest
from core_helpers import BAD, GOOD, contract, jsonl, report

from datacheck.check import Message, Ratio, around, saying, word
from datacheck.checks.conflicting_answers import ConflictingAnswers
from datacheck.checks.contradictory_pairs import ContradictoryPairs
from datacheck.checks.exact_duplicates import ExactDuplicates
from datacheck.checks.identical_pairs import IdenticalPairs
from datacheck.checks.leakage import Leakage
from datacheck.checks.near_duplicates import NearDuplicates
from datacheck.session.options import Options
from datacheck.session.session import Session
from datacheck.testing import dataset, measure
from datacheck.testing import finding as finding_of

QUESTION = "一辆货车从甲城开往乙城，每小时行六十千米，走了三小时后离乙城还有四十五千米，两城相距多少千米？"


def test_a_stretch_far_into_a_text_can_be_read():
    before = "".join(chr(0x4E00 + at * 7919 % 20000) for at in range(123_456))
    rows = dataset(f"user: {before}{QUESTION} | assistant: 好")
    result = measure(Leakage(against="eval"), rows, others={"eval": [{"question": QUESTION, "answer": "225"}]})
    (where,) = result.evidence["where"]
    assert where.startswith("messages[0].content[1234")
    start, end = map(int, where.partition("content")[2].strip("[]").split(":"))
    assert (before + QUESTION)[start:end] == QUESTION[:-1]


def test_counts_of_many_rows_can_be_read():
    rows = [*dataset("user: 你好 | assistant: 你好！"), *[{"messages": []}] * 10_001]
    result = measure(ExactDuplicates(), rows)
    assert result.value("rate") == Ratio(0, 10_002)
    (note,) = result.notes
    assert note.said() == "10,001 rows have no such text to compare"
    assert note.said("zh") == "10,001 行没有可比较的文本"


def test_the_id_of_a_row_stands_beside_its_place():
    rows = [{**row, "uid": f"case-{n}"} for n, row in enumerate(dataset("user: 你好 | assistant: 你好！") * 3)]
    result = measure(ExactDuplicates(), rows, source={"path": "data", "columns": {"id": "uid"}})
    assert result.evidence["id"].to_list() == ["case-1", "case-2"]
    assert measure(ExactDuplicates(), rows).evidence["id"].to_list() == [None, None]


@pytest.mark.parametrize(
    ("mode", "shown"),
    [("redacted", "z***@example.com"), ("masked", "xxxxxxxx@xxxxxxx.xxx"), ("full", "zhangsan@example.com")],
)
def test_an_id_is_data_and_masked_like_all_of_it(tmp_path, here, mode, shown):
    """In the evidence and in every report; a line without a record has none."""
    jsonl(tmp_path / "data" / "a.jsonl", {**GOOD, "uid": "a"}, {**BAD, "uid": "zhangsan@example.com"}, b'{"cut')
    path = contract(tmp_path, source={"path": "data", "columns": {"id": "uid"}})
    with Session(path, {}, Options(out=tmp_path / "out", excerpts=mode)) as session:
        session.run()
        session.finish()
    found = {f["check"]: f["evidence"]["first"] for f in report(tmp_path / "out")["findings"]}
    assert {place["id"] for place in found["role_errors"]} == {shown}
    assert all("id" not in place for place in found["unreadable_lines"])
    for name in ("report.html", "report.md", "report.json"):
        text = (tmp_path / "out" / name).read_text("utf-8")
        assert ("zhangsan@example.com" in text) == (mode == "full")
        assert shown in text.replace("&#64;", "@").replace("&#46;", ".").replace("&#42;", "*")


def test_a_duplicate_is_shown_beside_the_row_that_it_repeats(tmp_path, command):
    """`near_duplicates` takes rows away, so who reads the report must be able to judge; no identifier is shown."""
    shared = "".join(chr(0x4E00 + at * 7919 % 20000) for at in range(900))
    phone = "13912348765"
    one, two = f"{shared}请打{phone}联系前台登记", f"{shared}请打{phone}联系后台登记"
    jsonl(tmp_path / "data" / "a.jsonl", *dataset(f"user: {one} | assistant: 好", f"user: {two} | assistant: 好"))
    code, out, _ = command("run", contract(tmp_path, ["near_duplicates"]), "--out", tmp_path / "out")
    assert code == 1
    (finding,) = (f for f in report(tmp_path / "out")["findings"] if f["check"] == "near_duplicates")
    (place,) = finding["evidence"]["first"]
    assert phone not in place["detail"]
    assert "联系前台" in place["detail"]
    assert "联系后台" in place["detail"]
    table = pl.read_parquet(tmp_path / "out" / "evidence" / "train.near_duplicates.parquet")
    assert table["detail"].to_list() == [place["detail"]]
    compared = place["compared"]["pieces"]
    assert [piece for piece in compared if piece[0] != "both"] == [["other", "前"], ["here", "后"]]
    marked = {
        "report.html": ("系<del>前</del>台登记", "系<ins>后</ins>台登记"),
        "report.md": ("系[-前-]台登记", "系{+后+}台登记"),
        "report.json": ("联系前台登记", "联系后台登记"),
    }
    faces = {name: (tmp_path / "out" / name).read_text("utf-8") for name in marked}
    for name, shown in {"the terminal": out, **faces}.items():
        plain = shown.replace("\n", "").replace("   | ", "")
        assert [part for part in marked.get(name, ["系[-前-]{+后+}台登记"]) if part not in plain] == [], name
        assert phone not in plain


def test_a_sentence_of_a_place_fills_in_what_the_data_says_and_no_more():
    """Names out of the data are parameters: braces, quotes and JSON in them are shown as they are."""
    names = ["{n}", '{"id": "x"}', "5% of it", "词表", "a\\b\nc"]
    table = pl.DataFrame({"name": names, "n": [1, 2, 3, 4, 5], "kind": ["string"] * 5})
    one = saying("{n} item of {name}", "{n} items of {name}", n="n", name="name")
    said = [Message.unpacked(text) for text in table.select(one).to_series()]
    assert [str(each) for each in said] == [
        f"{n} item{'s' * (n > 1)} of {name}" for n, name in enumerate(names, start=1)
    ]
    kind = saying("expected {wanted}, found {type}", wanted=Message("null"), type=word("kind"))
    inside = pl.col("first")
    both = table.select(first=kind).select(around("column {column}: {remark}", column=pl.lit("7"), remark=inside))
    assert Message.unpacked(both.item(0, 0)).said("zh") == "第 7 列：应为null，实为字符串"
    assert table.select(around("{one}; {two}", one=one, two=pl.lit(None, pl.String))).to_series().is_null().all()


@pytest.mark.parametrize(
    ("mode", "shown"),
    [
        ("redacted", "请打***********联系前台"),
        ("masked", "文文00000000000文文文文"),
        ("full", "请打13912348765联系前台"),
    ],
)
def test_the_largest_clusters_are_named_with_place_size_and_text(tmp_path, here, mode, shown):
    """In the order of their size; texts as in evidence, and line numbers of five digits stay readable."""
    texts = [
        *(f"第{n}行" for n in range(10_000)),
        *["请打13912348765联系前台"] * 3,
        "甲乙丙",
        *["丁戊己"] * 2,
        "甲乙丙",
    ]
    jsonl(tmp_path / "data" / "a.jsonl", *({"text": text} for text in texts))
    path = contract(tmp_path, ["exact_duplicates"])
    with Session(path, {}, Options(out=tmp_path / "out", excerpts=mode)) as session:
        session.run()
        session.finish()
    (finding,) = (f for f in report(tmp_path / "out")["findings"] if f["check"] == "exact_duplicates")
    figure = finding["figures"]["largest_clusters"]
    assert figure["size"] == [3, 2, 2]
    assert figure["at"] == [f"train/a.jsonl:{line}" for line in (10_001, 10_004, 10_005)]
    assert figure["text"] == [shown, *(["文文文"] * 2 if mode == "masked" else ["甲乙丙", "丁戊己"])]
    for name in ("report.html", "report.md"):
        text = (tmp_path / "out" / name).read_text("utf-8")
        assert shown in text
        assert "cluster of 3" in text


def test_a_cluster_is_the_kept_row_and_all_that_repeat_it(tmp_path, command, here):
    told = "清晨的码头上，渔民把昨夜的收获一筐筐抬上岸，海鸥在头顶盘旋，空气里满是盐和柴油的味道。"
    rows = [told.replace("昨夜", night) for night in ("昨夜", "昨晚", "昨日")] + [
        "今天下午的会议改到三点，请带上记录。"
    ]
    jsonl(tmp_path / "data" / "a.jsonl", *({"text": text} for text in rows))
    _, out, _ = command("run", contract(tmp_path, ["near_duplicates"]), "--out", tmp_path / "out", "--lang", "zh")
    (finding,) = (f for f in report(tmp_path / "out")["findings"] if f["check"] == "near_duplicates")
    assert finding["figures"]["largest_clusters"] == {"size": [3], "at": ["train/a.jsonl:1"], "text": [told]}
    assert "= 3 行重复：train/a.jsonl:1 “清晨的码头上" in out


def shown_by(check, records, **more):
    """What is marked in the first place of a problem: problem → pieces that are not in both texts."""
    result = finding_of(check, records, **more)
    return {
        place.problem: [piece for piece in place.compared.pieces if piece[0] != "both"]
        for place in reversed(result.evidence.first)
        if place.compared
    }


def test_every_check_that_compares_two_texts_marks_what_tells_them_apart():
    asked, right, wrong = "门前的大河有多长，请回答我", "一百公里", "二百公里"
    pair = "user: {} | chosen: {} | rejected: {}".format
    both = dataset(pair(asked, right, wrong), pair(asked, wrong, right))
    assert shown_by(ContradictoryPairs(), both)["opposite_pair"] == [
        ("other", "二"), ("here", "一"), ("other", "一"), ("here", "二")
    ]  # fmt: skip
    nearly = dataset(pair(asked, f"{asked * 3}好。", f"{asked * 3}好！"))
    assert shown_by(IdenticalPairs(), nearly)["near_identical"] == [("other", "！"), ("here", "。")]
    golds = [{"question": asked, "answer": answer} for answer in (right, wrong)]
    assert shown_by(ConflictingAnswers(), golds)["conflicting_answer"] == [("other", "二"), ("here", "一")]
    found = shown_by(ConflictingAnswers(against=("eval",)), golds[:1], others={"eval": [golds[1]]})
    assert found == {"conflicting_answer_across": [("other", "二"), ("here", "一")]}
    item = [{"question": QUESTION, "answer": "225"}]
    leak = dataset(f"user: {QUESTION.replace('甲城', '丙城')} | assistant: 好")
    assert shown_by(Leakage(against="eval"), leak, others={"eval": item})["leaked"] == [("other", "甲"), ("here", "丙")]
    wide = [{"text": "ＧＰＴ４是一个模型"}, {"text": "gpt4是一个模型"}]
    assert shown_by(ExactDuplicates(), wide)["exact_duplicate"] == [("other", "ＧＰＴ４"), ("here", "gpt4")]


def test_what_is_masked_alike_is_not_told_apart(tmp_path, here):
    """The difference is one of what is shown: two numbers are two rows, and neither of them can be read."""
    told = "清晨的码头上，渔民把昨夜的收获一筐筐抬上岸，海鸥在头顶盘旋，空气里满是盐和柴油的味道。电话{}"
    result = finding_of(NearDuplicates(), [{"text": told.format(n)} for n in ("13912348765", "13912348766")])
    (place,) = result.evidence.first
    assert not place.compared.differs
    assert "1234876" not in result.model_dump_json()
