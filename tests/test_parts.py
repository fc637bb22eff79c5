"""Parts are numbered by their place, not by their content; and a dataset of which nothing was read has tables too."""

import json

import pytest

import datacheck
from datacheck import intake
from datacheck.check import Status


def _contract(folder, checks):
    path = folder / "contract.yaml"
    path.write_text(
        f"name: parts\nversion: 1\ndatasets:\n  train:\n    source: {{path: data}}\n    checks: [{checks}]\n",
        encoding="utf-8",
    )
    (folder / "data").mkdir()
    return path


def _lines(numbers):
    texts = [
        f"第{n}题：请解释{chr(0x4E00 + 37 * n)}字的来历、写法和{chr(0x5E00 + 41 * n)}字有什么不同？" for n in numbers
    ]
    records = [{"messages": [{"role": "user", "content": t}, {"role": "assistant", "content": t[::-1]}]} for t in texts]
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_a_file_delivered_twice_is_found_and_placed(tmp_path):
    contract = _contract(tmp_path, "exact_duplicates, near_duplicates")
    for name, numbers in (("a.jsonl", range(8)), ("b.jsonl", range(8, 11)), ("c.jsonl", range(8))):
        (tmp_path / "data" / name).write_text(_lines(numbers), encoding="utf-8")
    report = datacheck.validate(contract, out=tmp_path / "out")
    found = {finding.check: finding for finding in report.findings}
    for check in ("exact_duplicates", "near_duplicates"):
        rate = found[check].values[0]
        assert (check, rate.count, rate.of) == (check, 8, 19)
        first = found[check].evidence.first
        assert [p.at for p in first] == [f"train/c.jsonl:{n}" for n in range(1, len(first) + 1)]
        assert [p.other for p in first] == [f"train/a.jsonl:{n}" for n in range(1, len(first) + 1)]


def test_a_bundle_of_small_files_says_what_single_files_say(tmp_path, monkeypatch):
    # Boilerplate is counted by distinct texts of a part, so it is left out of the comparison.
    contract = _contract(tmp_path, "empty_turns, exact_duplicates, {check: near_duplicates, boilerplate: null}")
    for n in range(9):
        text = _lines(range(n // 2 * 3, n // 2 * 3 + 3))  # every second file repeats the one before
        (tmp_path / "data" / f"{n}.jsonl").write_text("{broken\n\n" * (n % 3) + text, encoding="utf-8")
    single = datacheck.validate(contract, out=tmp_path / "single")
    monkeypatch.setattr(intake, "MANY_FILES", 2)
    assert datacheck.validate(contract, out=tmp_path / "bundled") == single
    monkeypatch.setattr(intake, "BUNDLE", 700)
    assert datacheck.validate(contract, out=tmp_path / "bundles") == single
    assert {f.check: f.status for f in single.findings}["near_duplicates"] is Status.FAIL


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"<!doctype html><html></html>"])
def test_of_a_file_that_is_not_read_every_check_says_the_same(tmp_path, content):
    checks = "near_duplicates, exact_duplicates, identical_pairs, length_bias, pii, empty_turns, role_errors"
    contract = _contract(tmp_path, checks)
    (tmp_path / "data" / "a.jsonl").write_bytes(content)
    report = datacheck.validate(contract, out=tmp_path / "out")
    assert report.verdict is Status.ERROR
    errors = [finding.error for finding in report.findings if finding.error]
    assert len(errors) >= 7
    assert all(error.startswith("could not be measured: ") for error in errors)
