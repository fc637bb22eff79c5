"""A registry as pages: every decision, how numbers went, and the report of each run below it."""

import re

import pytest
from core_helpers import here  # noqa: F401 - a fixture
from registry_helpers import Site
from starlette.testclient import TestClient
from viewed import BASE, ORIGIN, PORT

from datacheck.cli.view import _decisions
from datacheck.view.access import Access
from datacheck.view.app import Pages
from datacheck.view.history import History


def entered(root, lang="en"):
    pages = History(_decisions(root, lang), BASE, lambda folder, base: Pages(folder, base, lang=lang), lang)
    access = Access(pages.app(), PORT, BASE)
    client = TestClient(access, base_url=ORIGIN)
    assert client.get(BASE).status_code == 403
    assert client.get(access.first).status_code == 200
    return client


@pytest.mark.usefixtures("here")
def test_all_decisions_their_trend_and_their_reports(tmp_path):
    site = Site(tmp_path)
    for name in ("a", "b"):
        site.publish(site.drop(name))
    site.publish(site.bad())
    client = entered(site.reg)
    page = client.get(BASE).text
    assert page.index("put into quarantine") < page.index("PUBLISHED in")  # the newest first
    assert page.count("PUBLISHED in") == 2
    row = next(each for each in page.split("<tr") if ">train.role_errors<" in each)
    assert row.count("<circle") == 3
    assert 'class="badge fail"' in row
    assert "25 % (1 of 4)" in row
    heights = [float(y) for y in re.findall(r'cy="([\d.]+)"', row)]
    assert heights[0] == heights[1] > heights[2]  # the third is worse, so higher
    links = re.findall(rf'href="({BASE}\d+/)"', page)
    assert len(links) == 3
    report = client.get(links[0])
    assert "train.role_errors" in report.text
    below = re.search(rf'href="({re.escape(links[0])}finding/\d+)"', report.text)[1]
    assert client.get(below).status_code == 200
    assert client.get(f"{links[0]}style.css").status_code == 200
    assert client.get(f"{BASE}999/").status_code == 404
    assert "登记库的历史" in entered(site.reg, "zh").get(BASE).text


@pytest.mark.usefixtures("here")
def test_a_ledger_that_was_cut_is_refused(tmp_path, command):
    site = Site(tmp_path)
    site.publish(site.drop())
    code, _, said = command("view", site.reg, "--marks", tmp_path / "m.json")
    assert code == 2
    assert "is a registry" in said
    (site.reg / "ledger.sqlite").write_bytes(b"")
    code, out, _ = command("view", site.reg)
    assert (code, out) == (3, "")
