"""What checks say beside a place, in Chinese: every sentence that the sample data shows."""

import json
import re
from pathlib import Path

import pytest

from datacheck.session.options import Options
from datacheck.session.session import Session

ROOT = Path(__file__).parents[2]

LATIN_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}")
HAN = re.compile(r"[\u4e00-\u9fff]")


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
