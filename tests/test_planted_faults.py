"""sample_data: every planted fault is found at its line, and nothing else is (expected.yaml was written by hand)."""

from pathlib import Path

import polars as pl
import pytest
import yaml

from datacheck.pipeline import validate
from datacheck.report.model import Report

ROOT = Path(__file__).parent.parent
EXPECTED = yaml.safe_load((ROOT / "sample_data" / "expected.yaml").read_text("utf-8"))


@pytest.fixture(scope="module", params=sorted(EXPECTED))
def audit(request, tmp_path_factory) -> tuple[Report, Path, dict]:
    out = tmp_path_factory.mktemp("audit") / "report"
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
