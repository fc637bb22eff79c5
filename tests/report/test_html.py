import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from datacheck.i18n.words import WORDS
from datacheck.report import charts, shape
from datacheck.report.faces.html import LIMIT
from datacheck.report.faces.html import render as render_html
from datacheck.verdict.model import Compared, Evidence, Place

RUN = {"started": "2026-11-20", "seconds": 1.5, "host": {"cpus": 2}, "argv": ["run", "x"]}
VOID = {"meta", "link", "br", "img", "input", "hr"}
GEOMETRY = {"x", "points"}  # the place of words in a legend depends on their width


class Page(HTMLParser):
    """Tags with attributes in order, text, and whether every tag was closed in its turn."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.open = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple((k, v) for k, v in attrs if k not in GEOMETRY)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, tuple((k, v) for k, v in attrs if k not in GEOMETRY)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)


def _hash(text, tag):
    """Of the one script or style, as the policy names it."""
    (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return f"sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_can_do_nothing_and_needs_nothing(build, lang, user_check):
    text = render_html(build(), lang, RUN)
    page = Page(text)
    assert not any(page.count(tag) for tag in ("img", "iframe", "object", "embed", "base"))
    policy = dict(page.tags[3][1])
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert policy["content"] == (
        f"default-src 'none'; script-src '{_hash(text, 'script')}'; style-src '{_hash(text, 'style')}'; "
        "img-src data:; form-action 'none'; base-uri 'none'"
    )
    for _, attrs in page.tags:
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in ("src", "style", "action", "xlink:href")
            if name == "href":
                assert re.fullmatch(r"#[fc]\d+|#next|data:,", value)
    assert "url(" not in text
    assert "@import" not in text
    assert page.tags[0] == ("html", (("lang", WORDS[lang].html_lang),))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_payloads_change_neither_a_tag_nor_an_attribute(build, payload, lang, user_check):
    run = {"host": payload, payload: [payload]}
    hostile = Page(render_html(build(payload), lang, run))
    harmless = Page(render_html(build(), lang, {"host": "x", "y": ["x"]}))
    assert hostile.tags == harmless.tags
    assert shape.visible(payload) in "".join(hostile.text)


def test_all_known_payloads_change_neither_a_tag_nor_an_attribute(build_all, payloads):
    page = Page(render_html(build_all(payloads)))
    assert page.tags == Page(render_html(build_all(payloads, "x"))).tags
    shown = "".join(page.text)
    assert all(shape.visible(text[:40]) in shown for text in payloads)


def test_nothing_invisible_is_on_the_page(build, payload):
    text = render_html(build(payload))
    assert text.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\u3164]", text)


def test_what_it_says(build, user_check):
    page = Page(render_html(build("forum"), "en", RUN))
    text = " ".join(" ".join(page.text).split())
    for said in (
        "no verdict: something could not be checked",
        "2 undecided",
        "exit code 3",
        "0.12 > 0.03 (144 of 1,200)",
        "12 % (144 of 1,200)",
        "limit 3 %",
        "rows that repeat, of all rows",
        "the first 4 of 144",
        "Share of rows that repeat an earlier row.",
        "与前面某一行重复的行所占的比例。",
        "rows kept",
        "−144",
        "host.cpus",
    ):
        assert said in text


def test_figures_are_drawn_by_their_columns(build, make):
    page = render_html(build("forum"))
    assert page.count("<polyline") == 2  # two lines over a hundred points
    assert page.count("<figure>") == 4
    assert "nothing to draw" in page
    wild = {"x": [None, 1, 2.0, float("inf")], "y": [float("nan"), None, -3, 4]}
    odd = {
        "empty": {},
        "none": {"x": [], "y": []},
        "nulls": {"x": [1], "y": [None]},
        "wild": wild,
        "flags": {"x": [True], "y": [0]},
    }
    text = render_html(make.report(make.finding(figures=odd)))
    drawn = [value for _, attrs in Page(text).tags for name, value in attrs if name in ("height", "y", "width")]
    assert drawn
    assert not any(value in ("nan", "inf") or value.startswith("-") for value in drawn)


@pytest.mark.parametrize(("shown", "limit", "zones"), [
    (0.12, {"max": 0.03, "warn_max": 0.01}, ["pass", "warn", "fail"]),
    (0.99, {"min": 0.95}, ["fail", "pass"]),
    (0.5, {"min": 0.4, "max": 0.6}, ["fail", "pass", "fail"]),
    (0.2, {"max": 0}, ["fail"]),
    (0.0, {"max": 0}, []),
])  # fmt: skip
def test_gauges_show_the_zones_of_a_limit_and_the_limit(make, shown, limit, zones):
    drawn = charts.gauge(make.value(value=shown, count=None, of=None, limit=limit))
    assert re.findall('class="zone-([a-z]+)"', drawn) == zones
    assert drawn.count('class="limit"') == len(limit) * bool(zones)


@pytest.mark.slow
def test_a_huge_report_stays_below_the_limit(make):
    places = tuple(
        Place(at="train/" + "<" * 390, problem="&" * 390, detail="长" * 400, where="'" * 390, other='"' * 400)
        for _ in range(20)
    )
    figures = {f"f{n}": {"x": list(range(500)), "y": [n] * 500} for n in range(2)}
    values = tuple(make.value(slice={"s": "<" * 400}) for _ in range(200))
    evidence = Evidence(lines=20, first=places, problems={"&" * 300 + str(n): 1 for n in range(50)})
    found = [
        make.finding(
            check=f"c{n}",
            values=values,
            evidence=evidence,
            figures=figures,
            error="<" * 400,
            settings={"k": "<" * 400},
            not_checked=("<" * 400,) * 30,
        )
        for n in range(300)
    ]
    text = render_html(make.report(*found, not_checked=("<" * 400,) * 5000))
    assert len(text.encode()) <= LIMIT
    assert "shortened" in text
    assert Page(text).count("summary") > 10


def test_an_empty_report_says_so(make):
    assert "no check was planned" in render_html(make.report())


def test_a_finding_is_one_line_and_the_worst_hundred_open(make):
    """Whatever is folded can be unfolded without a script; of the others the page says how to see them."""
    hits = [make.finding(check=f"c{n}", evidence=Evidence(lines=n, rows=n)) for n in range(120)]
    text = render_html(make.report(*hits), run={"typed": {"out": "o", "contract": "k.yaml"}})
    assert re.findall(r'<details class="finding line (\w+)">', text) == ["fail"] * 100
    assert text.count('<div class="line flat fail">') == 20
    assert re.findall(r'check-name">(c\d+)<', text) == [f"c{n}" for n in reversed(range(120))]
    assert "<details open" not in text
    assert "worst 100 findings; this prints" in text
    assert "datacheck judge o --contract k.yaml" in text


def test_a_card_stands_once_for_all_findings_of_its_check(make):
    found = [make.finding(check="schema_violations", dataset=name) for name in ("a", "b", "c")]
    page = render_html(make.report(*found))
    assert page.count('<details class="card">') == 1
    assert page.count('<a href="#c1">About this check</a>') == 3
    assert page.count('id="c1"') == 1


def test_bytes_are_the_same(build, user_check):
    assert render_html(build(), "zh", RUN) == render_html(build(), "zh", RUN)


def test_code_in_the_title_of_a_card_is_code(make):
    """The first line of a docstring has its backticks rendered like any other line."""
    page = render_html(make.report(make.finding("fail", "schema_violations")), "zh")
    (title,) = re.findall('<p class="card-title">(统计.*?)</p>', page)
    assert "`" not in title
    assert "<code>schema:</code>" in title


def test_a_card_gives_the_reasons_of_its_limits_once_per_language(make):
    page = render_html(make.report(make.finding("fail", "unreadable_lines")), "zh")
    assert page.count("<code>rate</code> (max 0): 坏一行就说明写入出了错，丢了什么不得而知") == 1
    assert page.count("<code>rate</code> (max 0): damage of one line means a broken writer") == 1


def test_two_texts_stand_side_by_side_with_what_tells_them_apart(make):
    """Readable without colours: what is gone is struck, what is new is underlined, by elements that say so."""
    pieces = (("both", "把昨"), ("other", "<夜>"), ("here", "晚"), ("both", "的收获"))
    place = Place(
        at="train/a.jsonl:3", problem="p", detail="all of it", other="old/b.jsonl:7", compared=Compared(pieces=pieces)
    )
    alike = Place(at="train/a.jsonl:4", problem="p", detail="“同”", compared=Compared(pieces=(("both", "同"),)))
    text = render_html(make.report(make.finding(evidence=Evidence(lines=2, first=(place, alike)))), "en", RUN)
    sides = re.findall(r'<div><p class="quiet">(.*?)</p><p class="data">(.*?)</p></div>', text)
    assert sides == [
        ("old/b.jsonl:7", "把昨<del>&lt;夜&gt;</del>的收获"),
        ("train/a.jsonl:3", "把昨<ins>晚</ins>的收获"),
    ]
    assert "all of it" not in text
    assert "“同”" in text
    assert re.search(r"\ndel \{[^}]*line-through", text)
    assert re.search(r"\nins \{[^}]*underline", text)
    narrow = text.partition("@media (max-width: 640px)")[2]
    assert ".sides { grid-template-columns: 1fr; }" in narrow
