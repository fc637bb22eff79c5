"""Everything that is found in 39 public files, frozen, and each finding judged by hand (frozen_findings.yaml).

A finding is a file, a check and a problem, with how many places there are and where the first three stand. A verdict
of true says that somebody who reads the places agrees; `why` says what is there. At most 2 in 100 places may be false,
and at most 2 in 100 findings (one of 120 is: a size that reads as an IP address, only warned of).
near_duplicates is left out (its 500 near copies in one file of templates cannot be judged one by one), wrong_language
(what is expected is a setting), and checks that speak of a run, a scale or a second dataset.
"""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml

from datacheck.session.session import validate

FROZEN = yaml.safe_load((Path(__file__).parent / "frozen_findings.yaml").read_text(encoding="utf-8"))
CHECKS = (
    "unreadable_lines", "schema_violations", "too_few_rows", "role_errors", "tool_call_errors", "empty_turns",
    "exact_duplicates", "pii", "garbled_text", "leftover_markup", "run_on_answers", "placeholder_text", "control_tokens",
    "repetitive_text", "overlong_samples", "identical_pairs", "error_as_answer", "prompt_echo", "leaked_reasoning",
    "embedded_template", "system_drift", "unfinished_answers", "row_shift", "possibly_swapped", "shortcut_phrases",
    "arithmetic_errors", "broken_code", "field_outliers",
)  # fmt: skip
WITH_SETTINGS = ({"check": "conflicting_answers", "of": "response"},)
FALSE_PLACES, FALSE_FINDINGS = 0.02, 0.02


@pytest.fixture(scope="module")
def found(realdata, tmp_path_factory):
    """What a run over all files finds: {file: [(check, problem, count, first places)]}."""
    folder = tmp_path_factory.mktemp("frozen")
    names = {f"file_{number}": path for number, path in enumerate(FROZEN)}
    datasets = {
        name: {"source": {"path": path}, "checks": [*({"check": check} for check in CHECKS), *WITH_SETTINGS]}
        for name, path in names.items()
    }
    contract = folder / "contract.yaml"
    contract.write_text(json.dumps({"name": "frozen", "version": 1, "datasets": datasets}), encoding="utf-8")
    out = folder / "out"
    report = validate(contract, data={name: realdata / path for name, path in names.items()}, out=out)
    findings = {path: [] for path in FROZEN}
    for finding in report.findings:
        findings[names[finding.dataset]] += list(listed(finding, out))
    return findings


def listed(finding, out):
    if finding.evidence.file is None:
        return
    table = pl.read_parquet(out / finding.evidence.file)
    for problem in table["problem"].unique(maintain_order=True).sort():
        places = table.filter(pl.col("problem") == problem)
        first = [
            " ".join(str(part) for part in place if part) for place in places.select("line", "where").head(3).rows()
        ]
        yield finding.check, problem, places.height, first


@pytest.mark.slow
@pytest.mark.parametrize("path", FROZEN)
def test_findings_are_as_frozen(found, path):
    frozen = [(f["check"], f["problem"], f["count"], f["first"]) for f in FROZEN[path]]
    assert sorted(found[path]) == sorted(frozen)


def test_every_finding_is_judged_and_few_are_false():
    findings = [finding for listed in FROZEN.values() for finding in listed]
    assert all(isinstance(f["verdict"], bool) and len(f["why"]) > 10 for f in findings)
    assert len(FROZEN) >= 30
    assert len(findings) >= 50
    assert sum(not f["verdict"] for f in findings) <= FALSE_FINDINGS * len(findings)
    places = sum(f["count"] for f in findings)
    assert sum(f["count"] for f in findings if not f["verdict"]) <= FALSE_PLACES * places
