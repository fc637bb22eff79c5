"""The list of checks: kept from the build, and what the modules declare today."""

import pytest

from datacheck.contract.discover import check_names
from datacheck.report import listing


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A list that was just kept, elsewhere; nothing is imported for it any more."""
    monkeypatch.setattr(listing, "place", lambda: tmp_path / "built" / "listing.json")
    listing._shipped.cache_clear()
    listing.write()
    yield
    listing._shipped.cache_clear()


def test_what_is_kept_is_what_the_modules_declare(kept, monkeypatch):
    made = {(name, lang): listing._made(name, lang) for name in check_names() for lang in ("en", "zh")}
    monkeypatch.setattr(listing, "check_class", None)
    assert {(name, lang): listing.summary(name, lang) for name, lang in made} == made
    assert len(made) > 120


def test_a_check_that_is_not_the_package_s_is_asked_itself(kept, monkeypatch):
    monkeypatch.setattr(listing, "built_in_names", lambda: frozenset({"pii"}))
    monkeypatch.setattr(listing, "_made", lambda name, lang: f"{name} {lang}")
    assert listing.summary("leakage", "en") == "leakage en"
    assert listing.summary("pii", "en") != "pii en"


def test_without_it_the_modules_are_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(listing, "place", lambda: tmp_path / "none.json")
    listing._shipped.cache_clear()
    assert listing.summary("pii", "zh") == listing._made("pii", "zh")
    listing._shipped.cache_clear()


def test_other_sources_have_another_list(tmp_path, monkeypatch):
    """A number in any module of the package may be a limit of a check; a card may begin with the sentence."""
    monkeypatch.setattr(listing, "_PACKAGE", tmp_path)
    places = {listing.place()}
    for name in ("text/number.py", "checks/one.py", "checks/zh/one.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        for text in ("a", "b"):
            (tmp_path / name).write_text(text)
            places.add(listing.place())
    assert len(places) == 7
