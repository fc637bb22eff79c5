import pytest
from markdown_it import MarkdownIt

from datacheck.report.faces.markdown import code
from datacheck.report.faces.markdown import render as render_markdown
from datacheck.verdict.model import Compared, Evidence, Place

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def structure(text):
    """Every block and inline token, without the text itself."""
    found = []
    for token in PARSER.parse(text):
        found.append((token.type, token.level))
        found += [("inline", child.type) for child in token.children or ()]
    return found


def cells(text):
    """The code spans of the parsed page, in order."""
    return [c.content for token in PARSER.parse(text) for c in token.children or () if c.type == "code_inline"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_row_of_a_table_has_as_many_cells_as_its_head(build, lang):
    rows, width = 0, None
    tokens = PARSER.parse(render_markdown(build("a|b"), lang))
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "tr_close")
            count = sum(t.type in ("td_open", "th_open") for t in tokens[at:end])
            width = count if tokens[at - 1].type == "thead_open" else width
            assert count == width
            rows += 1
    assert rows == 2 + 7 + 2 * 5  # datasets, findings, two tables of places: head and lines of each
    assert "html_inline" not in str(structure(render_markdown(build(), lang)))


def test_a_report_without_a_check_says_so(make):
    assert "no check was planned" in render_markdown(make.report(verdict="error"), "en")


def test_what_it_says(build, user_check):
    text = render_markdown(build("forum"))
    assert text.startswith("## ⛔ error: no verdict")
    assert "| ❌ fail | `train.forum` | `rate 0.12 > 0.03 (144 of 1,200)` |" in text
    assert "- `rate[forum=forum]` 12 % (144 of 1,200); limit 3 %" in text
    assert "**why**: A model repeats what it sees often&#46;" in text
    assert "datacheck explain repeats" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_payloads_change_no_structure(build, payload, lang):
    assert structure(render_markdown(build(payload), lang)) == structure(render_markdown(build(), lang))


def test_all_known_payloads_change_no_structure(build_all, payloads):
    for start in range(0, len(payloads), 200):  # one page holds 60,000 characters
        batch = payloads[start : start + 200]
        short = [text[:60] for text in batch if text[:60].strip()]
        assert structure(render_markdown(build_all(short))) == structure(render_markdown(build_all(short, "x")))


@pytest.mark.parametrize("text", ["a`b", "``", "a|b\\", " x ", "a\nb", "\\"])
def test_a_span_of_code_is_one_span_that_holds_the_text(text):
    (token,) = [t for t in PARSER.parse(code(text)) if t.type == "inline"]
    (span,) = token.children
    shown = text.strip().replace("`", "\\u{60}").replace("|", "\\u{7c}").replace("\n", "\\u{a}")
    assert (span.type, span.content) == ("code_inline", shown)


def test_it_fits_a_comment_on_github(make):
    places = tuple(Place(at=f"train/{'长' * 300}:{n}", problem="p", detail="x" * 400) for n in range(20))
    findings = [make.finding(check=f"c{n}", evidence=Evidence(lines=20, first=places)) for n in range(40)]
    text = render_markdown(make.report(*findings))
    assert len(text) <= 65_536
    assert "shortened" in text
    assert "### Not checked" in text
    thousands = render_markdown(make.report(*(make.finding(check=f"c{n}") for n in range(5000))))
    assert len(thousands) <= 65_536
    assert "shortened" in thousands


def test_bytes_are_the_same(build):
    assert render_markdown(build(), "zh") == render_markdown(build(), "zh")


@pytest.mark.parametrize("data", ["```", "a\n```\nb", "- x", "~~~", "<b>x</b>"])
def test_a_block_of_two_texts_holds_whatever_they_say(make, data):
    compared = Compared(pieces=(("both", data), ("other", data), ("here", "新")))
    place = Place(at=f"train/{data}:3", problem="p", detail="x", other="old/b:7", compared=compared)
    text = render_markdown(make.report(make.finding(evidence=Evidence(lines=1, first=(place,)))))
    (block,) = [token for token in PARSER.parse(text) if token.type == "fence"]
    shown = data.replace("`", "\\u{60}").replace("\n", "\\u{a}")
    assert block.info == "diff"
    assert block.content.splitlines() == [
        "--- old/b:7", f"+++ train/{shown}:3", f"- {shown}[-{shown}-]", f"+ {shown}{{+新+}}"
    ]  # fmt: skip
    assert "html_block" not in str(structure(text))
