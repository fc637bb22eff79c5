"""The pages in a real browser: the address opens them once; paging, search, threshold, marks and export by hand."""

import json
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from viewed import HOSTILE, many, places, site

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
from browser import chromium, tab

pytestmark = pytest.mark.slow
WIDER = "document.documentElement.scrollWidth > innerWidth"
ACCESSIBLE = Path(__file__).parents[1] / "report" / "accessible.js"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = chromium()
    if path is None:
        pytest.skip("no Chromium is installed; DATACHECK_CHROMIUM names one")
    with tab(path, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@contextmanager
def viewing(*arguments):
    """`datacheck view` as a process of its own; gives the address that it prints."""
    command = [sys.executable, "-m", "datacheck", "view", *map(str, arguments)]
    with Popen(command, stdout=PIPE, text=True, env={**os.environ, "LANG": "C.UTF-8"}) as process:
        try:
            yield process.stdout.readline().split()[0]
        finally:
            process.terminate()
            assert process.wait(20) == 0


def go(page, url, size=(1280, 800), scheme="light"):
    for domain in ("Page", "Network", "Runtime", "Log"):
        page.ask(f"{domain}.enable")
    page.ask(
        "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size[0] < 600
    )
    page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    page.ask("Page.navigate", url=url)
    settled(page, lambda: page.run("!!document.querySelector('main')"))


def settled(page, done):
    """A page may go away while it is asked; then it is asked again."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if page.run("document.readyState") == "complete" and done():
                return
        except AssertionError:
            pass
        time.sleep(0.05)
    raise AssertionError(page.run("document.body.innerText")[:500])


def follow(page, expression, done):
    page.run("window.old = true")
    page.run(expression)
    settled(page, lambda: page.run("!window.old") and page.run(done))


TOTAL = "document.getElementById('total').textContent"


def test_a_hundred_thousand_places_by_hand(page, tmp_path):
    out = site(tmp_path, ("near_duplicates", "fail", many(100_000)))
    marks = tmp_path / "marks.json"
    page.console.clear()
    with viewing(out, "--marks", marks) as address:
        go(page, address)
        with pytest.raises(HTTPError, match="403"):  # another user of this machine, with the same address
            urlopen(address, timeout=20)
        page.requests.clear()
        follow(page, "document.querySelector('a.finding').click()", f"{TOTAL} == '100,000 places'")
        began = time.monotonic()
        follow(
            page,
            "document.querySelector('[rel=next]').click()",
            "document.querySelector('.at').textContent.endsWith(':51')",
        )
        assert time.monotonic() - began < 5
        follow(page, "document.querySelectorAll('.pager a')[2].click()", "!document.querySelector('[rel=next]')")
        fill = "document.querySelector('[name={}]').value = '{}'"
        show = "document.querySelector('.filter button').click()"
        page.run(fill.format("q", "needle"))
        follow(page, show, f"{TOTAL} == '100 places'")
        page.run(fill.format("least", "0.5"))
        follow(page, show, f"{TOTAL} == '50 places'")
        assert "verdict is that of the report" in page.run("document.querySelector('.note').textContent")
        page.run("document.querySelector('.mark [name=note]').value = '<b>看过</b>'")
        follow(page, "document.querySelector('.mark [value=drop]').click()", "!!document.querySelector('.mark .on')")
        assert page.run(TOTAL) == "50 places"  # back to where the mark was set
        (mark,) = json.loads(marks.read_bytes())["marks"]
        assert (mark["row"], mark["mark"], mark["note"]) == (50_007, "drop", "<b>看过</b>")
        link = page.run("document.querySelector('footer a').href")
        (cookie,) = page.ask("Network.getCookies", urls=[link])["cookies"]
        assert cookie["httpOnly"]
        asked = Request(link, headers={"Cookie": f"{cookie['name']}={cookie['value']}"})
        with urlopen(asked, timeout=20) as answer:
            assert json.load(answer)["marks"] == [mark]
        assert {url.split("/")[2] for url in page.requests} == {address.split("/")[2]}
    assert page.console == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_on_a_phone_in_the_dark_and_for_people_who_see_little(page, tmp_path, scheme, lang):
    columns = places(
        [0, 1, 2], score=[0.7, 0.8, 0.9], other=["train/a.jsonl:4"] * 3, detail=["x" * 300, "词" * 300, HOSTILE]
    )
    out = site(tmp_path, ("near_duplicates", "fail", columns))
    with viewing(out, "--marks", tmp_path / "m.json", "--lang", lang) as address:
        go(page, address)
        base = address.rsplit("/", 1)[0] + page.run("location.pathname")
        for path in ("", "finding/0?least=0.1", "finding/0/clusters", "row/0/2"):
            for size in ((1280, 800), (390, 844)):
                go(page, base + path, size, scheme)
                assert not page.run(WIDER), (path, size)
                assert page.run(ACCESSIBLE.read_text("utf-8")) == [], (path, size)


def test_hostile_payloads_do_nothing(page, tmp_path, realdata):
    """The naughty strings and the injection lists, in each field of evidence and in whole rows, shown as they are."""
    bad = realdata / "bad"
    found = json.loads((bad / "blns" / "blns.json").read_text(encoding="utf-8"))
    for path in sorted((bad / "payloads").rglob("Intruder*/*")):
        found += path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    texts = [text for text in dict.fromkeys(found) if text.strip()][:2000]
    rows = list(range(len(texts)))
    columns = places(rows, where=texts, detail=texts, other=texts[::-1], problem=[text[:60] for text in texts])
    out = site(tmp_path, ("pii", "fail", columns), texts=texts)
    page.console.clear()
    with viewing(out, "--marks", tmp_path / "m.json", "--excerpts", "full") as address:
        go(page, address)
        base = address.rsplit("/", 1)[0] + page.run("location.pathname")
        page.requests.clear()
        number = -(-len(texts) // 50)
        paths = [f"finding/0?page={n}" for n in range(1, number + 1)] + ["finding/0/clusters"]
        for path in [*paths, *(f"row/0/{n}" for n in range(0, len(texts), 40))]:
            go(page, base + path)
            tags = set(page.run("[...document.querySelectorAll('*')].map(e => e.localName)"))
            assert not {"img", "script", "iframe", "object", "embed", "base", "video", "marquee", "svg", "style"} & tags
            handlers = "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
            assert page.run(f"{handlers}.filter(a => a.name.startsWith('on')).length") == 0
        assert {url.split("/")[2] for url in page.requests if not url.startswith("data:")} == {address.split("/")[2]}
    assert page.console == []
