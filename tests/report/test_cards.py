import re
from html.parser import HTMLParser

import pytest

from datacheck.contract.discover import check_names
from datacheck.report import cards


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, attrs))

    def handle_data(self, data):
        self.text += data


def parsed(markdown):
    parser = Tags()
    parser.feed(str(cards.to_html(markdown)))
    parser.close()
    return parser


def test_both_cards_of_a_user_check(user_check):
    english, chinese = cards.card("repeats", "en"), cards.card("repeats", "zh")
    assert english.title == "Share of rows that repeat an earlier row."
    assert [s.heading for s in english.sections] == ["Why it matters", "Example", "How to fix", "How to verify"]
    assert [s.heading for s in chinese.sections] == ["现象", "修复"]
    assert cards.first_sentence(english.section("why")) == "A model repeats what it sees often."
    assert cards.first_sentence(english.section("fix")) == "Keep one row with datacheck apply."
    assert cards.first_sentence(chinese.section("why")) == "模型复读训练样本。"
    assert cards.first_sentence(chinese.section("fix")) == "每簇只留一行。"
    assert chinese.section("verify") == ""
    assert cards.what("repeats", "rate") == "rows that repeat, of all rows"
    assert cards.what("repeats", "nothing") is None


@pytest.mark.parametrize("broken", [None, "import nowhere_at_all\n", "def\n", "x = 1\n"])
def test_a_check_that_is_gone_or_broken_has_no_card(tmp_path, user_check, broken):
    if broken is not None:
        (tmp_path / "gone.py").write_text(broken)
    assert cards.card("gone", "en") is None
    assert cards.what("gone", "rate") is None


def test_headings_in_code_are_code_and_bold_headings_are_headings():
    card = cards.parse_card("标题。\n\n**现象**：甲\n\n**修复**\n```\n# not a heading\n```\n")
    assert card.title == "标题。"
    assert [(s.heading, s.text) for s in card.sections] == [("现象", "甲"), ("修复", "```\n# not a heading\n```")]


def test_words_before_the_first_heading_stay():
    card = cards.parse_card("First\nline.\n\nMore about it.\n\n## How to fix\nDo.")
    assert (card.title, card.sections[0].text) == ("First line.", "More about it.")


def test_the_subset_of_markdown():
    assert parsed("one\ntwo\n\nthree").tags == [("p", []), ("p", [])]
    assert [t for t, _ in parsed("- a\n- b\n  more\n\n1. c").tags] == ["ul", "li", "li", "ol", "li"]
    assert [t for t, _ in parsed("a `x**y**` **b**").tags] == ["p", "code", "strong"]
    assert parsed("a `x**y**` **b**").text == "a x**y** b"
    fenced = parsed("```python\n  <a>\n    **b**\n```\nafter")
    assert [t for t, _ in fenced.tags] == ["pre", "code", "p"]
    assert "<a>\n  **b**" in fenced.text


def test_an_open_fence_ends_with_the_text():
    assert [t for t, _ in parsed("```\nx").tags] == ["pre", "code"]


def test_payloads_in_a_card_become_no_tag_and_no_attribute(payload):
    got = parsed(f"{payload}\n\n- {payload}\n\n```\n{payload}\n```\n\n**{payload}** `{payload}`")
    assert {t for t, _ in got.tags} <= {"p", "ul", "ol", "li", "pre", "code", "strong"}
    assert all(attrs == [] for _, attrs in got.tags)


def test_lines_of_chinese_are_joined_without_a_blank():
    assert parsed("写明格式，\n非对话 数据\nand on").text == "写明格式，非对话数据 and on"
    assert parsed("- 甲\n  乙\n- one\n  two").text == "甲乙one two"


def test_sentences():
    assert cards.first_sentence("Uses e.g. commas, v1.2 and `a. b`. Second.") == "Uses e.g. commas, v1.2 and a. b."
    assert cards.first_sentence("没有句号") == "没有句号"
    assert cards.first_sentence("") == ""


def test_a_check_explains_its_numbers_in_both_languages():
    assert cards.what("pii", "blocking_hits", "zh") == "绝不能进入训练的标识符"
    assert cards.what("pii", "blocking_hits") == "identifiers that must not be trained on"


def test_the_card_ends_with_the_reason_of_each_default_limit():
    """Of numbers without a limit, and of self-tests, there is none."""
    for lang, heading, said in (
        ("en", "Why these default limits", "a model trained on one key can say it"),
        ("zh", "默认限值的理由", "训练过一个密钥，模型就能说出来"),
    ):
        last = cards.card("pii", lang).sections[-1]
        assert last.heading == heading
        assert [line.partition(":")[0] for line in last.text.splitlines()] == [
            "- `blocking_hits` (max 0)",
            "- `warn_hits` (warn_max 0)",
        ]
        assert last.text.startswith(f"- `blocking_hits` (max 0): {said}\n")
    assert cards.card("possibly_swapped", "en").sections[-1].heading != "Why these default limits"


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        (
            "- `refusal`: read twenty. Keep those that must refuse. More.",
            "refusal: read twenty. Keep those that must refuse.",
        ),
        ("Read it.", "Read it."),
        ("读二十条。其余略。", "读二十条。"),
        (
            "A sentence that says enough by itself stands alone. Not this.",
            "A sentence that says enough by itself stands alone.",
        ),
    ],
)
def test_a_sentence_that_says_too_little_takes_the_next_along(markdown, said):
    assert cards.first_sentence(markdown) == said


def told_of(markdown):
    """The problems of which a list says, item by item, what to do: names before the first colon."""
    items = re.split(r"\n(?=[-*+] )", "\n" + markdown.strip())[1:]
    return {name for item in items for name in re.findall("`([a-z_]+)`", re.split("[:：]", item, maxsplit=1)[0])}


@pytest.mark.parametrize("check", check_names())
def test_a_reader_of_chinese_is_told_of_the_same_problems_what_to_do(check):
    english, chinese = (cards.card(check, lang).section("fix") for lang in ("en", "zh"))
    assert told_of(english) - told_of(chinese) == set()


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ("bytes", "bytes：写出前先解码。"),
        ("full_width", "full_width：用 NFKC 还原。"),
        ("glued", "glued：找到删掉空格的那一步。"),
        ("other", "bytes：写出前先解码。"),
    ],
)
def test_what_to_do_begins_at_the_sentence_that_names_the_problem(problem, said):
    card = "- `bytes`：写出前先解码。`full_width`：用 NFKC 还原。\n- `capitals`：重新获取文本。`glued`：找到删掉空格的那一步。"
    assert cards.advice(card, [problem]) == said
    english = "- `bytes`: decode them before they are written. `full_width`: use NFKC on the text once."
    assert cards.advice(english, ["full_width"]) == "full_width: use NFKC on the text once."
