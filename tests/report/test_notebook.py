"""What a notebook shows of a report: the verdict, a line a finding, and nothing that data could have made a tag."""

from html.parser import HTMLParser

import pytest
from core_helpers import BAD, GOOD, contract, jsonl

import datacheck
from datacheck.report import notebook
from datacheck.verdict.model import Report


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.said = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, attrs))

    def handle_data(self, data):
        self.said.append(data)


def test_validate_returns_what_a_notebook_shows(tmp_path, monkeypatch, here):
    monkeypatch.setattr(Report, "in_notebooks", None)
    data = jsonl(tmp_path / "data" / "a.jsonl", GOOD, BAD, BAD)
    report = datacheck.validate(contract(tmp_path), {"train": str(data)}, out=tmp_path / "out")
    said = Tags(report._repr_html_()).said
    assert said[0].startswith("fail")
    at = said.index("train.role_errors")
    assert said[at - 1 : at + 3] == ["fail", "train.role_errors", "rate 0.667 > 0 (2 of 3)", "2 rows"]
    passed = [finding.id for finding in report.findings if finding.status == "pass"]
    assert passed
    assert not set(passed) & set(said)


def test_a_report_without_a_drawer_is_plain(make, monkeypatch):
    monkeypatch.setattr(Report, "in_notebooks", None)
    assert make.report(make.finding())._repr_html_() is None


def test_payloads_change_no_structure(build, payload):
    assert Tags(notebook.render(build(payload))).found == Tags(notebook.render(build())).found
    assert all(not attrs for _, attrs in Tags(notebook.render(build(payload))).found)


@pytest.mark.parametrize(("lang", "verdict"), [("en", "error"), ("zh", "未判定")])
def test_what_stopped_the_run_is_said(make, lang, verdict):
    said = Tags(notebook.render(make.report(verdict="error", reason="no disk"), lang)).said
    assert said[0].startswith(verdict)
    assert said[1] == "no disk"


def test_thousands_of_findings_are_a_hundred_lines(make):
    report = make.report(*(make.finding(id=f"train.c{n}") for n in range(130)))
    tags = Tags(notebook.render(report))
    assert sum(tag == "tr" for tag, _ in tags.found) == 100
    assert "30" in tags.said[-1]
