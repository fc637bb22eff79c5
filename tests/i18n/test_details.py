"""What checks say beside a place, in Chinese: every form that the sample data shows, and nothing of the data."""

import json
import re
from pathlib import Path

import pytest

from datacheck.i18n.details import in_chinese
from datacheck.session.options import Options
from datacheck.session.session import Session

ROOT = Path(__file__).parents[2]

LATIN_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}")
HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize(
    ("check", "english", "chinese"),
    [
        (
            "unreadable_lines",
            "column 97: byte 0xd3 is not UTF-8; probably gbk",
            "第 97 列：字节 0xd3 不是 UTF-8；可能是 gbk",
        ),
        ("unreadable_lines", "column 1,026", "第 1,026 列"),
        ("unreadable_lines", "7 fields; the header has 6", "7 个字段，表头有 6 个"),
        ("unreadable_lines", "a remark of another reader", "a remark of another reader"),
        ("schema_violations", "expected string or null, found number “1042”", "应为字符串或null，实为数字 “1042”"),
        (
            "pii",
            "warn 138****5678, specimen (cn_mobile) at 6, v1",
            "警告：138****5678，示例号码（cn_mobile），偏移 6，v1",
        ),
        ("role_errors", "system after assistant", "assistant 之后出现 system"),
        ("repetitive_text", "55 % of the text “a a a % of the text”", "占文本的 55% “a a a % of the text”"),
        # What is quoted, and what another check may quote from data, stays.
        ("refusals", "12 times", "12 times"),
        ("own_check", "role bot", "role bot"),
        ("role_errors", None, None),
    ],
)
def test_the_forms(check, english, chinese):
    assert in_chinese(check, english) == chinese


@pytest.mark.slow
def test_no_english_words_are_left_in_a_chinese_report(tmp_path):
    """Of the sample with a fault of each kind: details and notes, without what they quote."""
    out = tmp_path / "out"
    with Session(ROOT / "sample_data" / "bad.yaml", {}, Options(out=out, lang="zh")) as session:
        session.run()
        session.finish()
    findings = json.loads((out / "report.json").read_text("utf-8"))["findings"]
    assert sum("detail" in place for f in findings for place in f["evidence"]["first"]) > 20
    page = (out / "report.md").read_text("utf-8")
    table, _, notes = page.partition("### 未检查的内容")
    ours = [re.sub(r"“.*(?:”|…)", "", cell) for line in table.splitlines() for cell in line.split("|")[4:5]]
    assert [cell for cell in ours if LATIN_WORDS.search(cell) and not HAN.search(cell)] == []
    assert [note for note in notes.splitlines() if note and not HAN.search(note)] == []
