"""What stopped a check is said in the language of the report, also when it comes from another process."""

import pickle

from core_helpers import GOOD, contract, jsonl, report, user_check

from datacheck.check import Message
from datacheck.engine.workers import STOPPED, Failure


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


def test_a_reason_comes_whole_from_another_process():
    failure = pickle.loads(pickle.dumps(Failure("LoadError", Message("{name}: {reason}", name="a", reason=STOPPED))))
    assert failure.reason.said() == "a: stopped before it was done"
    assert failure.reason.said("zh") == "a：未完成即被停止"
