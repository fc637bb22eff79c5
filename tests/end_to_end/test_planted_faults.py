"""sample_data: every planted fault is found at its line, and nothing else is (expected.yaml was written by hand)."""

import io
import re
from pathlib import Path

import polars as pl
import pytest
import yaml
from core_helpers import no_processes
from rich.console import Console

from datacheck.report.terminal import print_report
from datacheck.session.session import validate
from datacheck.verdict.model import Report

ROOT = Path(__file__).parents[2]
EXPECTED = yaml.safe_load((ROOT / "sample_data" / "expected.yaml").read_text("utf-8"))


@pytest.fixture(scope="module", params=sorted(EXPECTED))
def audit(request, tmp_path_factory) -> tuple[Report, Path, dict]:
    out = tmp_path_factory.mktemp("audit") / "report"
    with no_processes():
        return validate(ROOT / request.param, out=out), out, EXPECTED[request.param]


def test_verdict_and_rows(audit):
    report, _, expected = audit
    assert report.verdict == expected["verdict"]
    assert {name: entry.rows for name, entry in report.datasets.items()} == {
        name: entry["rows"] for name, entry in expected["datasets"].items()
    }


def test_findings(audit):
    report, _, expected = audit
    bad = {f.id: f.status.value for f in report.findings if f.status.value not in ("pass", "info")}
    wanted = {
        f"{name}.{check}": finding["status"]
        for name, entry in expected["datasets"].items()
        for check, finding in entry["findings"].items()
    }
    assert bad == wanted


def test_places(audit):
    report, out, expected = audit
    for name, entry in expected["datasets"].items():
        for finding in (f for f in report.findings if f.dataset == name):
            wanted = entry["findings"].get(finding.check, {"places": []})["places"]
            assert _found(out, finding) == sorted(map(_wanted, wanted)), finding.id


def _found(out: Path, finding) -> list[tuple]:
    """All places of a finding, from its evidence file; with the dataset before the file, as in expected.yaml."""
    if finding.evidence.file is None:
        return []
    table = pl.read_parquet(out / finding.evidence.file)
    prefix = f"{finding.dataset}/"
    return sorted(
        (f"{prefix}{row['file']}:{row['line']}", row["where"] or "", row["problem"], row["other"] or "")
        for row in table.iter_rows(named=True)
    )


def _wanted(place: dict) -> tuple:
    return place["at"], place.get("where", ""), place["problem"], place.get("other", "")


@pytest.mark.parametrize(("readme", "lang"), [("README.md", "en"), ("README.zh.md", "zh")])
def test_the_readme_shows_what_is_printed(audit, readme, lang):
    report, _, expected = audit
    if expected["verdict"] == "pass":
        return  # the READMEs show the audit that fails
    console = Console(width=80, file=io.StringIO(), highlight=False)
    print_report(report, console, lang)
    printed = {line.rstrip() for line in console.file.getvalue().splitlines()}
    excerpt = re.search(
        r"<!-- (?:report excerpt|报告节选).*?```text\n(.*?)```", (ROOT / readme).read_text("utf-8"), re.DOTALL
    )
    shown = [line.rstrip() for line in excerpt[1].splitlines()]
    assert [line for line in shown if line not in printed and line not in ("", "…")] == []
    assert len(shown) > 30
