"""What the page says to type is typed, and the rows of which it says where they lie are those of the evidence."""

import re
import shlex
from html import unescape

import pytest
from core_helpers import jsonl

from datacheck.testing import dataset

CONTRACT = """
name: drop
version: 1
datasets:
  train: {source: {path: %s}, checks: [unreadable_lines, empty_turns, exact_duplicates]}
"""
GOOD = [f"user: 问题 {n} | assistant: 第 {n} 个回答" for n in range(8)]


def page_of(folder):
    return (folder / "report.html").read_text("utf-8")


def commands(page):
    return [
        shlex.split(unescape(each)) for each in re.findall(r"<pre tabindex=\"0\"><code>(datacheck .*?)</code>", page)
    ]


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A contract beside its data: a line that cannot be read, an empty turn, and a copy, which only warns."""
    monkeypatch.chdir(tmp_path)

    def write(where):
        rows = dataset(*GOOD, "user: 空 | assistant: ", GOOD[3])
        jsonl(tmp_path / "it's data" / "a.jsonl", *rows, b'{"cut')
        (tmp_path / "c.yaml").write_text(CONTRACT % where, "utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize("data", [(), ("--data", "train=it's data/a.jsonl")], ids=["contract", "typed"])
def test_what_the_page_says_to_type_mends_and_proves(written, command, data):
    folder = written('"it\'s data"')
    assert command("run", "c.yaml", *data, "--out", "out")[0] == 1
    apply, run = commands(page_of(folder / "out"))
    assert apply[:3] == ["datacheck", "apply", "out"]
    code, _, err = command(*apply[1:])
    assert code == 0, err
    assert command(*run[1:])[0] == 0
    again = page_of(folder / "out-proof")
    (once_more,) = commands(again)  # warns: nothing has to be mended
    assert once_more[1:3] == ["run", "c.yaml"]
    (drop,) = [shlex.split(unescape(each)) for each in re.findall(r"<code>(datacheck apply [^<]*--drop[^<]*)", again)]
    assert command(*drop[1:])[0] == 0
    assert "Mend: 2 rows go, of 11" in page_of(folder / "out")


def test_nothing_is_taken_away_where_nothing_would_be_left(tmp_path, command, monkeypatch):
    """Rows that all fail are not mended by leaving them out; but identifiers in all of them can be replaced."""
    monkeypatch.chdir(tmp_path)
    for name, rows in {
        "empty": [f"user: 问 {n} | assistant: " for n in range(4)],
        "pii": [f"user: {n} 号 | assistant: 打 1391234876{n}" for n in range(4)],
    }.items():
        jsonl(tmp_path / "a.jsonl", *dataset(*rows))
        (tmp_path / "c.yaml").write_text(CONTRACT.replace("exact_duplicates", "pii") % "a.jsonl", "utf-8")
        assert command("run", "c.yaml", "--out", name)[0] == 1
    assert ["apply" in each for each in commands(page_of(tmp_path / "empty"))] == [False]
    assert "No command mends" in page_of(tmp_path / "empty")
    assert [each[1] for each in commands(page_of(tmp_path / "pii"))] == ["apply", "run"]


def test_redaction_is_offered_where_it_can_be_typed(tmp_path, here, command, monkeypatch):
    """`apply --redact` takes no dataset in which the contract looks for no personal data."""
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "a.jsonl", *dataset(*GOOD, "user: 打 13912348765 | assistant: 好", "user: 空 | assistant: "))
    jsonl(tmp_path / "b.jsonl", *dataset(*GOOD[:4], "user: 空 | assistant: "))
    other = "  other: {source: {path: b.jsonl}, checks: [%s]}"
    offered = {}
    for checks in ("pii", "pii, empty_turns", "empty_turns"):
        text = CONTRACT.replace("exact_duplicates", "pii") % "a.jsonl" + other % checks
        (tmp_path / "c.yaml").write_text(text, "utf-8")
        assert command("run", "c.yaml", "--out", checks)[0] == 1
        page = page_of(tmp_path / checks)
        offered[checks] = re.findall(r"<code>(--redact [^<]*)</code>", page)
        if offered[checks]:
            apply = [*commands(page)[0][1:], *shlex.split(unescape(offered[checks][0]))]
            assert command(*apply)[0] == 0
    assert [len(offered[checks]) for checks in offered] == [1, 1, 0]


def test_without_a_command_line_there_are_places_to_fill_in(make):
    from datacheck.report.commands import commands as of

    found = of(make.report(make.finding()), {})
    assert (found.apply, found.run) == ("", "datacheck run CONTRACT --out REPORT")


def test_where_the_hits_lie(tmp_path, command, monkeypatch):
    """Two files of 40 rows: hits in the rows 11 and 51, counted over both, and a line that is no row."""
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        rows = [f"user: {name} 问 {n} | assistant: {name} 答 {n}" for n in range(40)]
        rows[10] = "user: 空 | assistant: "
        jsonl(tmp_path / "data" / f"{name}.jsonl", *dataset(*rows), *([b"{"] if name == "b" else []))
    (tmp_path / "c.yaml").write_text(CONTRACT % "data", "utf-8")
    command("run", "c.yaml", "--out", "out")
    page = page_of(tmp_path / "out")
    drawn = re.findall(
        r'<path d="([^"]*)" class="edge"/><path d="([^"]*)" class="hits"[^>]*>.*?<figcaption>(.*?)<', page
    )
    assert ("rows 11 to 51 of 80; most in a.jsonl: 1 of 2") in {said for *_, said in drawn}
    edges, hits, _ = next(each for each in drawn if each[2].startswith("rows 11 to 51"))
    assert edges == "M160.0 0V28"  # the second file begins in the middle of 320
    assert re.findall(r"M([\d.]+)", hits) == ["42.0", "202.0"]  # of 80 parts, 4 wide
    assert any(said.startswith("rows 80 to 80 of 80") for *_, said in drawn)
