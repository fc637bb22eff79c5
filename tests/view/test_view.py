"""What the pages show of a report, and what becomes of marks."""

import csv
import json
import stat

import pytest
from viewed import HOSTILE, PHONE, TEXTS, Browser, at_lines, many, places, site

from datacheck.errors import UsageError
from datacheck.i18n.message import Message
from datacheck.view.app import Pages
from datacheck.view.evidence import PAGE

COUNT = 100_000


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    out = site(tmp_path_factory.mktemp("big"), ("near_duplicates", "fail", many(COUNT)))
    return Browser(out).enter()


def total(page):
    return page.text.split('<b id="total">')[1].split("<")[0]


def test_a_hundred_thousand_places_page_by_page(big):
    first, last, beyond = (big.get(f"finding/0?page={n}") for n in (1, COUNT // PAGE, 10**8))
    assert total(first) == "100,000 places"
    assert at_lines(first) == list(range(1, PAGE + 1))
    assert at_lines(big.get("finding/0?page=777")) == list(range(776 * PAGE + 1, 777 * PAGE + 1))
    assert at_lines(last) == at_lines(beyond) == list(range(COUNT - PAGE + 1, COUNT + 1))
    assert 'rel="next"' not in last.text
    assert len(first.text) < 100_000


def test_search(big):
    found = big.get("finding/0?q=NEEDLE")
    assert total(found) == "100 places"
    assert at_lines(found)[:3] == [8, 1008, 2008]
    assert at_lines(big.get("finding/0?q=a.jsonl:99999")) == [99_999]
    assert total(big.get("finding/0?q=.*")) == "0 places"  # text, no expression
    assert total(big.get("finding/0?problem=other")) == "0 places"


def test_a_threshold_is_raised_without_a_run_and_lowered_as_far_as_pairs_were_kept(tmp_path):
    scores = [0.7, 0.8, 0.9, None]
    out = site(tmp_path, ("near_duplicates", "fail", places([0, 1, 2, 3], score=scores)))
    browser = Browser(out).enter()
    raised = browser.get("finding/0?least=0.8")
    assert total(raised) == "2 places"
    assert at_lines(raised) == [2, 3]
    assert "1 place has no score" in raised.text
    assert "verdict is that of the report" in raised.text
    lowered = browser.get("finding/0?least=0.5")
    assert total(lowered) == "3 places"
    assert "0.5 is lower than what was kept; nothing below 0.7 can be shown" in lowered.text
    assert at_lines(browser.get("finding/0?by=score")) == [3, 2, 1, 4]
    for wrong in ("x", "nan", "inf"):
        assert browser.get(f"finding/0?least={wrong}").status_code == 409


def test_clusters(big):
    page = big.get("finding/0/clusters")
    assert page.text.count('<td class="n">10,000</td>') == 10
    one = big.get("finding/0?other=train%2Fa.jsonl%3A3")
    assert total(one) == "10,000 places"
    assert at_lines(one)[:2] == [3, 13]


def test_whole_rows_are_masked_and_open_only_where_asked(tmp_path):
    out = site(tmp_path, ("pii", "fail", places([1, 3], other=["train/a.jsonl:1", None])))
    page = Browser(out).enter().get("row/0/0").text
    assert "我的电话是" in page
    assert PHONE not in page
    assert TEXTS[0] in page  # what it was compared with
    assert "另一句话\n第二行" in Browser(out).enter().get("row/0/1").text
    assert "我的电话是" not in Browser(out, mode="masked").enter().get("row/0/0").text
    assert PHONE in Browser(out, mode="full").enter().get("row/0/0").text


def test_changed_or_missing_data_is_told_and_not_shown(tmp_path):
    out = site(tmp_path, ("pii", "fail", places([0])))
    browser, data = Browser(out).enter(), tmp_path / "data" / "a.jsonl"
    assert TEXTS[0] in browser.get("row/0/0").text
    data.write_bytes(data.read_bytes().replace(b"user", b"tool"))
    page = browser.get("row/0/0").text
    assert "was changed since the report" in page
    assert TEXTS[0] not in page
    data.unlink()
    assert TEXTS[0] not in browser.get("row/0/0").text
    (out / "run.json").unlink()
    assert "start with --data train=PATH" in Browser(out).enter().get("row/0/0").text


def test_hostile_texts_are_text(tmp_path):
    texts = {"where": [HOSTILE], "detail": [HOSTILE], "other": [HOSTILE], "problem": [HOSTILE]}
    out = site(tmp_path, ("pii", "fail", places([2], **texts)))
    browser = Browser(out, marks=tmp_path / "m.json", mode="full").enter()
    assert browser.mark("0/0", "drop", note=HOSTILE).status_code == 303
    pages = ["", "finding/0", "finding/0/clusters", "row/0/0", "row/0/9", "export/none"]
    pages += [f"finding/0?{name}={HOSTILE}" for name in ("q", "problem", "other", "least", "by", "page")]
    for path in pages:
        page = browser.get(path).text
        assert "<script" not in page
        assert "<img" not in page
        assert "\u202e" not in page
    assert "&lt;script&gt;" in browser.get("row/0/0").text


def test_read_only_unless_a_file_for_marks_is_named(tmp_path):
    out = site(tmp_path, ("pii", "fail", places([0])))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    browser = Browser(out).enter()
    assert '<form class="mark"' not in browser.get("finding/0").text
    assert browser.mark("0/0", "drop").status_code == 403
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_marks_are_kept_and_taken_up_again(tmp_path):
    out, file = site(tmp_path, ("pii", "fail", places([0, 1]))), tmp_path / "m.json"
    browser = Browser(out, marks=file).enter()
    answer = browser.mark("0/1", "keep", note="看过", query="q=a&page=2")
    assert answer.headers["location"] == "/below/finding/0?q=a&page=2#p1"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir() if "m.json" in each.name] == ["m.json"]
    again = Browser(out, marks=file).enter()
    assert 'value="看过"' in again.get("finding/0").text
    again.mark("0/1", "drop")
    (mark,) = json.loads(again.get("export/marks.json").content)["marks"]
    assert (mark["finding"], mark["row"], mark["mark"], mark["place"]) == ("train.pii", 1, "drop", "train/a.jsonl:2")
    again.mark("0/1", "unmark")
    assert json.loads(file.read_bytes())["marks"] == []
    for path, say in (("0/0", "burn"), ("0/7", "drop"), ("3/0", "drop")):
        assert again.mark(path, say).status_code in (400, 404)
    assert again.mark("0/0", "drop", note="x" * 70_000).status_code == 413
    with pytest.raises(UsageError):
        Pages(out, marks=out / "m.json")
    file.write_text(file.read_text().replace('"report": "', '"report": "0'))
    with pytest.raises(UsageError):
        Pages(out, marks=file)


def test_apply_takes_the_marks(tmp_path, command):
    """`keep` leaves a row of a failed finding, `drop` takes one of a finding that only warned."""
    out = site(tmp_path, ("pii", "fail", places([0, 1, 2])), ("refusals", "warn", places([5, 6])))
    browser = Browser(out, marks=tmp_path / "m.json").enter()
    browser.mark("0/1", "keep")
    browser.mark("0/2", "unsure")
    browser.mark("1/0", "drop")
    data = f"train={tmp_path / 'data'}"
    code, said, _ = command("apply", out, "--data", data, "--out", tmp_path / "made", "--marks", tmp_path / "m.json")
    assert code == 0
    assert "1 row stays, as its marks say" in said
    kept = (tmp_path / "made" / "kept" / "train" / "a.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["messages"][1]["content"] for line in kept]
    assert texts == [text for n, text in enumerate(TEXTS) if n not in (0, 2, 5)]
    manifest = json.loads((tmp_path / "made" / "manifest.json").read_text("utf-8"))
    assert [(each["id"], each["rows"], each["stay"]) for each in manifest["findings"]] == [
        ("train.pii", 2, 1), ("train.refusals", 1, 1),
    ]  # fmt: skip
    for old, new in (("train.refusals", "train.none"), ('"row": 5', '"row": 7'), ('"report": "', '"report": "0')):
        (tmp_path / "w.json").write_text((tmp_path / "m.json").read_text("utf-8").replace(old, new), "utf-8")
        code, _, _ = command("apply", out, "--data", data, "--out", tmp_path / "w", "--marks", tmp_path / "w.json")
        assert code == 2
        assert not (tmp_path / "w").exists()


def test_sample_reads_the_sheet_and_drafts_are_unsigned(tmp_path, command):
    out = site(tmp_path, ("pii", "fail", places([0, 1])), ("refusals", "warn", places([5, 6])))
    browser = Browser(out, marks=tmp_path / "m.json").enter()
    for path, say in (("0/0", "keep"), ("0/1", "keep"), ("1/0", "drop"), ("1/1", "unsure")):
        browser.mark(path, say, note="=1+1")
    sheet = tmp_path / "sheet.csv"
    sheet.write_bytes(browser.get("export/review.csv").content)
    assert {line["note"] for line in csv.DictReader(sheet.read_text("utf-8-sig").splitlines())} == {"'=1+1"}
    code, said, _ = command("sample", "--read", sheet, "--format", "json")
    assert code == 0
    strata = {each["group"]: (each["judged"], each["found"]) for each in json.loads(said)["strata"]}
    assert strata == {"train.pii (chosen, not drawn)": (2, 2), "train.refusals (chosen, not drawn)": (1, 0)}
    drafts = json.loads(browser.get("export/decisions.json").content)
    assert drafts["signed"] is False
    assert {each["finding"]: each["propose"] for each in drafts["drafts"]} == {
        "train.pii": "waive", "train.refusals": "apply",
    }  # fmt: skip


def test_chinese(tmp_path):
    out = site(tmp_path, ("near_duplicates", "fail", places([0], score=[0.9])))
    page = Browser(out, lang="zh").enter().get("finding/0?least=0.1").text
    assert Message("Score of at least").said("zh") in page
    assert "without another run" not in page
    assert '<html lang="zh' in page
