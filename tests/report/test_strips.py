"""A figure of labelled tokens: told by words and underlines, not by colour alone; data never leaves its text."""

import re

import pytest

from datacheck.report.faces.html import render as render_html
from datacheck.report.strips import strip_rows

HOSTILE = '<script>alert(1)</script>" onload=x'
FIGURE = {
    "place": ["a.jsonl:1 messages"] * 4 + ["a.jsonl:2 messages"],
    "text": ["<|im_start|>user⏎", HOSTILE, "…", "多云", "x"],
    "label": ["skip", "train", "gap", "cut", "nonsense"],
    "tokens": [3, 1, 40, 2, 1],
}


def test_rows_and_pieces():
    rows = strip_rows(FIGURE)
    assert [row.place for row in rows] == ["a.jsonl:1 messages", "a.jsonl:2 messages"]
    assert [(p.label, p.tokens, p.breaks) for p in rows[0].pieces] == [
        ("skip", 3, True),
        ("train", 1, False),
        ("gap", 40, False),
        ("cut", 2, False),
    ]
    assert rows[1].pieces[0].label == "skip"


def test_other_figures_are_no_strips():
    assert strip_rows({"length": [1], "rows": [2]}) == ()
    assert strip_rows({}) == ()


@pytest.fixture
def page(make):
    def rendered(lang="en"):
        return render_html(make.report(make.finding(figures={"tokens": FIGURE})), lang)

    return rendered


def test_the_page_shows_labels_by_class_and_in_words(page):
    text = page()
    assert 'class="t train">&lt;script&gt;' in text
    assert text.count("<script>") == 1  # the page's own
    assert 'onload=x"' not in text.replace("&#34; onload=x", "")
    assert "TRAIN: in the loss" in text
    assert "… 40 …" in text
    assert "<sub>2</sub>" in text
    assert "计入 loss" in page("zh")


def test_print_needs_no_colour(page):
    style = re.search(r"\.t\.train \{([^}]*)\}", page())[1]
    assert "underline" in style
    assert "font-weight" in style
    assert "line-through" in re.search(r"\.t\.cut \{([^}]*)\}", page())[1]
