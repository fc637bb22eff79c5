"""The report in a real browser: how fast it opens, what a screen holds, who can use it, that nothing in it acts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from browser import chromium, tab

from datacheck.report.faces.html import LIMIT
from datacheck.report.faces.html import render as render_html
from datacheck.verdict.model import DatasetEntry, Evidence, FileEntry, Place

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SCREEN, PHONE = (1280, 800), (390, 844)
VISIBLE = "[...document.getElementById('lines').children].filter(each => !each.hidden)"
OPEN_ALL = "document.querySelectorAll('details').forEach(each => { each.open = true })"
WIDER = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = chromium()
    if path is None:
        pytest.skip("no Chromium is installed; DATACHECK_CHROMIUM names one")
    with tab(path, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module", params=["en", "zh"])
def sample(request, tmp_path_factory):
    """The report of the sample data that fails."""
    folder = tmp_path_factory.mktemp("bad")
    shutil.copytree(ROOT / "sample_data", folder / "sample_data")
    run = ["datacheck", "run", "sample_data/bad.yaml", "--out", "out/bad", "--lang", request.param, "--quiet"]
    done = subprocess.run([sys.executable, "-m", *run], cwd=folder, check=False)
    assert done.returncode == 1
    return folder / "out" / "bad" / "report.html"


def written(folder, text):
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_screen_and_all_of_them(page, sample, scheme):
    """Three causes and both commands on the first screen; twelve screens of one line a finding; nothing sideways.

    A phone's first screen holds the three causes and the command that mends.
    """
    for size, held in ((SCREEN, 5), (PHONE, 4)):
        page.open(sample, *size, scheme)
        ends = page.run("[...document.querySelectorAll('.cause,.next pre')].map(e => e.getBoundingClientRect().bottom)")
        assert len(ends) == 5
        assert max(ends[:held]) <= size[1]
    page.open(sample, *SCREEN, scheme)
    assert page.run("document.documentElement.scrollHeight") <= 12 * SCREEN[1]
    assert page.run("document.querySelectorAll('#lines > *').length") == 127
    for size in (SCREEN, PHONE):
        page.open(sample, *size, scheme)
        assert not page.run(WIDER)
        page.run(OPEN_ALL)
        assert not page.run(WIDER)
    assert page.console == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("size", [SCREEN, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_people_who_see_little_or_use_keys_can_read_it(page, sample, scheme, size):
    """Folded and open. DATACHECK_AXE names an axe.min.js that is asked as well."""
    ours = Path(__file__).with_name("accessible.js").read_text("utf-8")
    page.open(sample, *size, scheme)
    assert page.run(ours) == []
    if axe := os.environ.get("DATACHECK_AXE"):
        page.ask("Page.setBypassCSP", enabled=True)
        page.run(Path(axe).read_text("utf-8") + ";0")
        asked = "axe.run(document, {resultTypes: ['violations']})"
        found = page.run(f"{asked}.then(done => done.violations.map(v => [v.id, v.impact, v.nodes[0].html]))")
        page.ask("Page.setBypassCSP", enabled=False)
        assert [each for each in found if each[1] in ("serious", "critical")] == []
    page.run(OPEN_ALL)
    assert page.run(ours) == []


def test_thirteen_hundred_findings(page, make, tmp_path):
    """Two seconds and two megabytes, however many there are; the worst hundred open to their evidence."""
    texts = [f"训练数据第 {n} 行，里面有一段足够长的文字，用来占据一条证据通常占据的地方。" * 4 for n in range(20)]
    places = tuple(
        Place(at=f"train/a.jsonl:{n}", problem="near_copy", detail=text, score=0.9, where="messages[0].content")
        for n, text in enumerate(texts)
    )
    evidence = Evidence(lines=144, rows=144, problems={"near_copy": 144}, first=places)
    figures = {"lengths": {"characters": [2**n for n in range(20)], "rows": [n * 7 for n in range(20)]}}
    checks = ("near_duplicates", "pii", "leakage", "role_errors", "empty_turns", "garbled_text", "refusals")
    found = [
        make.finding(
            status=("fail", "warn", "pass")[n % 3],
            check=checks[n % len(checks)],
            dataset=f"d{n // len(checks)}",
            values=(make.value(), make.value(slice={"source": "forum"})),
            evidence=evidence,
            figures=figures,
        )
        for n in range(1300)
    ]
    names = dict.fromkeys(each.dataset for each in found)
    file = FileEntry(path="a", bytes=1, sha256="0" * 64, rows=1, unreadable=0)
    entry = DatasetEntry(rows=1200, version="x", files=(file,))
    text = render_html(make.report(*found, datasets=dict.fromkeys(names, entry)))
    assert len(text.encode()) <= LIMIT == 2_000_000
    path = written(tmp_path, text)
    assert min(page.open(path) for _ in range(3)) <= 2
    assert page.run(f"{VISIBLE}.length") == 1300
    assert page.run("document.querySelectorAll('#lines > details').length") == 100


def test_filter_order_and_fold(page, sample):
    page.open(sample)
    count = f"{VISIBLE}.length"

    def choose(name, value):
        page.run(f"document.getElementById('{name}').value = '{value}'")
        for event in ("input", "change"):
            page.run(f"document.getElementById('{name}').dispatchEvent(new Event('{event}', {{bubbles: true}}))")

    assert page.run("document.getElementById('filter').hidden") is False
    choose("by-dataset", "train")
    assert page.run(f"new Set({VISIBLE}.map(e => e.querySelector('.dataset-name').textContent)).size") == 1
    choose("by-check", "near_duplicates")
    assert page.run(count) == 1
    choose("by-dataset", "")
    choose("by-check", "")
    choose("by-text", "BD-0007")  # the id of a row, in the evidence alone
    found = page.run(f"{VISIBLE}.map(e => e.querySelector('.check-name').textContent)")
    assert "near_duplicates" in found
    choose("by-text", "no such words anywhere")
    assert page.run(count) == 0
    choose("by-text", "")
    choose("sort", "check")
    names = page.run(f"{VISIBLE}.map(e => e.querySelector('.check-name').textContent)")
    assert names == sorted(names)
    choose("sort", "hits")
    hits = page.run(f"{VISIBLE}.map(e => parseInt(e.querySelector('.hits').textContent) || 0)")
    assert hits == sorted(hits, reverse=True)
    page.run("document.getElementById('open').click()")
    assert page.run("document.querySelectorAll('#lines > details[open]').length") == 100
    page.run("document.getElementById('close').click()")
    assert page.run("document.querySelectorAll('#lines > details[open]').length") == 0


def test_a_link_unfolds_what_it_leads_to_and_keys_do_it_too(page, sample):
    page.open(sample, fragment="#f1")
    assert page.run("document.getElementById('f1').closest('details').open") is True
    page.open(sample)
    link = page.run("document.querySelector('.cause a').getAttribute('href')")
    for _ in range(3):
        page.key("Tab")
        if page.run("document.activeElement.getAttribute('href')") == link:
            break
    assert page.run("document.activeElement.getAttribute('href')") == link
    page.key("Enter")
    page.run("new Promise(done => setTimeout(done, 200))")
    target = f"document.querySelector('{link}')"
    assert page.run(f"{target}.closest('details').open") is True
    assert page.run(f"{target}.getBoundingClientRect().top") < SCREEN[1]
    page.run(f"{target}.closest('details').querySelector('summary').focus()")
    page.key("Space")
    assert page.run(f"{target}.closest('details').open") is False
    card = page.run(f"{target}.querySelector('a').getAttribute('href')")
    page.run(f"location.hash = '{card}'")
    page.run("new Promise(done => setTimeout(done, 200))")
    assert page.run(f"document.querySelector('{card}').checkVisibility()") is True


def test_without_a_script_all_of_it_can_be_read(page, sample):
    page.open(sample, scripts=False)
    assert page.run("document.getElementById('filter').checkVisibility()") is False
    page.run("document.querySelector('#lines summary').focus()")
    page.key("Space")
    assert page.run("document.querySelector('#lines > details').open") is True


def test_printed(page, sample):
    """What is open is printed: a dozen pages or two of one line a finding, and no control."""
    page.open(sample)
    assert 1 <= page.pdf().count(b"/Type /Page\n") <= 20
    page.ask("Emulation.setEmulatedMedia", media="print")
    try:
        assert page.run("document.getElementById('filter').checkVisibility()") is False
    finally:
        page.ask("Emulation.setEmulatedMedia", media="")


@pytest.mark.parametrize("fill", [None, "x"])
def test_hostile_strings_do_nothing(page, build_all, payloads, tmp_path, fill):
    """All of them in every place of evidence: no script runs, no request leaves, no element comes of them."""
    path = written(tmp_path, render_html(build_all(payloads, fill)))
    page.open(path)
    page.run(OPEN_ALL)
    page.run("new Promise(done => setTimeout(done, 300))")
    assert page.console == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
    tags = page.run("[...new Set([...document.querySelectorAll('*')].map(e => e.localName))].sort()")
    assert not {"img", "iframe", "object", "embed", "base", "form2", "video", "audio", "marquee"} & set(tags)
    assert page.run("document.scripts.length") == 1
    handlers = (
        "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => a.name.startsWith('on'))"
    )
    assert page.run(f"{handlers}.length") == 0
