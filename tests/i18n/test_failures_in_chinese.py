"""What stopped a check is said in the language of the report, also when it comes from another process."""

import pickle

from core_helpers import GOOD, contract, jsonl, report, user_check

from datacheck.check import Note


def test_a_broken_check_in_both_languages(tmp_path, here, command):
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    checks = user_check(tmp_path / "checks", "breaks", "raise ValueError").parent
    rules = contract(tmp_path, ["role_errors", "breaks"])
    code, _, _ = command("run", rules, "--checks", checks, "--out", tmp_path / "out", "--lang", "zh")
    found = report(tmp_path / "out")
    (error,) = [f["error"] for f in found["findings"] if f["check"] == "breaks"]
    assert (code, error.split(" ")[0]) == (3, "ValueError")
    page = (tmp_path / "out" / "report.md").read_text()
    assert "处发生 ValueError" in page
    assert error not in page


def test_a_note_keeps_both_languages_between_processes():
    note = pickle.loads(pickle.dumps(Note("stopped", zh="已停止")))
    assert (note, note.zh) == ("stopped", "已停止")
