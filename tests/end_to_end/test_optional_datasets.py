"""A ready contract starts without an evaluation set, and says that nothing was compared; what is signed needs it."""

import pytest
from core_helpers import ROOT, jsonl, report

QUIZ = [
    {"question": f"Which mineral is listed under number {n} of the old catalogue?", "answer": "halite"}
    for n in range(12)
]
SFT = ROOT / "contracts" / "sft.yaml"
GOOD = ROOT / "sample_data" / "sft_good"


@pytest.mark.parametrize("name", ["sft", "preference", "rlvr", "lightrft"])
def test_the_ready_contracts_say_that_the_set_is_optional(name, command):
    code, out, err = command("plan", ROOT / "contracts" / f"{name}.yaml", "--data", f"train={GOOD}")
    assert (code, "load eval" in out) == (0, False), err


def test_nothing_compared_is_a_warning_once(tmp_path, command, here):
    assert command("run", SFT, "--data", f"train={GOOD}", "--out", tmp_path / "out")[0] == 0
    found = report(tmp_path / "out")
    (leakage,) = [f for f in found["findings"] if f["check"] == "leakage"]
    assert (found["verdict"], leakage["status"], leakage["values"]) == ("warn", "warn", [])
    assert leakage["error"].startswith("nothing was compared: there is no path for eval")
    assert command("judge", tmp_path / "out", "--contract", SFT, "--strict")[0] == 1


def test_with_the_set_it_is_compared(tmp_path, command, here):
    jsonl(tmp_path / "quiz.jsonl", *QUIZ)
    bound = ("--data", f"train={GOOD}", "--data", f"eval={tmp_path / 'quiz.jsonl'}")
    assert command("run", SFT, *bound, "--out", tmp_path / "out")[0] == 0
    assert {f["id"]: f["status"] for f in report(tmp_path / "out")["findings"]}["train.leakage"] == "pass"


@pytest.mark.parametrize("more", [("--require", "eval"), ("--sign", "KEY")])
def test_who_asks_for_it_or_signs_needs_it(tmp_path, command, here, more):
    more = [str(tmp_path / "key.pem") if word == "KEY" else word for word in more]
    assert command("keys", "new", tmp_path / "key.pem")[0] == 0
    code, _, err = command("run", SFT, "--data", f"train={GOOD}", *more, "--out", tmp_path / "out")
    assert (code, "datasets.eval.source.path: no path" in err) == (2, True), err


def test_who_asks_for_a_set_that_no_contract_names_is_told(tmp_path, command, here):
    """A slip of the pen in `--require evl` let the run pass without it."""
    code, _, err = command("run", SFT, "--data", f"train={GOOD}", "--require", "evl", "--out", tmp_path / "out")
    assert (code, err) == (2, "--require evl: unknown dataset; did you mean 'eval'?\n")
