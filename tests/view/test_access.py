"""Who sees the page: one browser, once let in; no other user, no other page, under no other name."""

import pytest
from viewed import BASE, ORIGIN, Browser, places, site


@pytest.fixture
def browser(tmp_path):
    return Browser(site(tmp_path, ("empty_turns", "fail", places([0, 1]))), marks=tmp_path / "marks.json")


def test_a_second_user_without_the_token_is_refused_everywhere(browser):
    browser.enter()
    assert browser.get().status_code == 200
    stranger = browser.another()
    for path in ("", "style.css", "finding/0", "row/0/0", "export/marks.json"):
        assert stranger.get(BASE + path).status_code == 403
    assert stranger.get("/").status_code == 403
    assert stranger.get("/", headers={"cookie": "datacheck=guess"}).status_code == 403
    assert stranger.get(BASE, headers={"cookie": "datacheck=guess; datacheck=é".encode()}).status_code == 403
    assert stranger.post(f"{BASE}mark/0/0", data={"mark": "drop"}, headers={"origin": ORIGIN}).status_code == 403


def test_the_token_is_exchanged_once(browser):
    stranger = browser.another()
    assert stranger.get(f"{browser.access.first}x").status_code == 403
    assert stranger.head(browser.access.first).status_code == 403  # as a preview of a link would
    answer = browser.client.get(browser.access.first)
    assert answer.status_code == 200
    given = answer.headers["set-cookie"]
    assert "HttpOnly" in given
    assert "SameSite=strict" in given
    assert f"Path={BASE}" in given  # or it is sent to whatever else listens on this machine
    assert stranger.get(browser.access.first).status_code == 403
    assert "set-cookie" not in stranger.get(browser.access.first).headers


@pytest.mark.parametrize(
    "host", ["evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "localhost.evil.example:8000", ""]
)
def test_another_name_of_this_host_is_refused(browser, host):
    """What DNS rebinding does: a page of evil.example is led to 127.0.0.1, and asks as evil.example."""
    browser.enter()
    assert browser.get(headers={"host": host}).status_code == 403
    assert browser.another().get(browser.access.first, headers={"host": host}).status_code == 403
    assert browser.get(headers={"host": "127.0.0.1:8000"}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1:8001", "http://localhost:8000", "null", ""]
)
def test_a_form_of_another_page_marks_nothing(browser, origin, tmp_path):
    browser.enter()
    assert browser.mark("0/0", "drop", origin=origin).status_code == 403
    assert not (tmp_path / "marks.json").exists()


def test_pages_forbid_scripts_frames_and_requests(browser):
    for answer in (browser.enter().get(), browser.get("finding/0"), browser.get("none"), browser.another().get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"
    assert browser.get("none").status_code == 404
