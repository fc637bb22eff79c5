"""How far a plan has come, and when it ends."""

from types import SimpleNamespace

from core_helpers import ROOT, jsonl

from datacheck.contract.load import load_contract
from datacheck.engine.expected import FIXED, PER_GB, Ahead, estimate, until_end
from datacheck.engine.plan import make_plan
from datacheck.session.options import Options
from datacheck.session.session import Session

CONTRACT = """
{name: c, version: 1, datasets: {train: {source: {}, checks: [near_duplicates, pii, too_few_rows]}}}
"""


def _plan(folder):
    (folder / "c.yaml").write_text(CONTRACT)
    return make_plan(load_contract(folder / "c.yaml", {"train": str(folder)}))


def test_the_share_grows_from_nothing_to_all(tmp_path):
    told = []
    plan = _plan(tmp_path)
    ahead = Ahead(plan, {"train": SimpleNamespace(decoded=10**9)}, told.append)
    for step in plan:
        ahead.part(step.key, 0.5)
        ahead.end(step.key, {"train": 7})
    shares = [each.share for each in told]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.2
    assert abs(shares[-1] - 1) < 1e-9
    assert told[-1].left is not None
    assert abs(told[-1].left) < 1e-6
    assert (told[-1].done, told[-1].of, told[-1].rows, told[-1].bytes) == (len(plan), len(plan), 7, 10**9)


def test_a_step_that_costs_more_is_worth_more(tmp_path):
    told = {}
    plan = _plan(tmp_path)
    for step in plan:
        ahead = Ahead(plan, {"train": SimpleNamespace(decoded=10**9)}, lambda p: told.setdefault(p.step, p.share))
        ahead.end(step.key, {})
    dear = next(share for step, share in told.items() if "Identifiers" in step)
    assert dear > 5 * told["measure train.too_few_rows"]


def test_what_has_most_behind_it_is_begun_first(tmp_path):
    plan = _plan(tmp_path)
    files = {"train": SimpleNamespace(decoded=10**9)}
    behind = until_end(plan, files, 2)
    assert behind["load train"] == max(behind.values())
    for step in plan:
        assert all(behind[before] > behind[step.key] for before in step.after)
    two, one = behind["load train"], until_end(plan, files, 1)["load train"]
    assert two < one
    (sketch,) = [key for key in behind if key.startswith("derive train Sketch")]
    assert behind["measure train.too_few_rows"] < behind["measure train.pii"] < behind[sketch]


def test_every_named_cost_is_of_a_step_that_there_is():
    plan = make_plan(load_contract(ROOT / "contracts" / "sft.yaml", {"train": "t.jsonl", "eval": "e.jsonl"}))
    names = {"load"} | {getattr(step.work, "name", type(step.work).__name__) for step in plan}
    assert set(PER_GB) | set(FIXED) <= names


def test_a_run_tells_its_rows_and_ends_with_all(tmp_path):
    (tmp_path / "c.yaml").write_text(CONTRACT)
    jsonl(tmp_path / "t.jsonl", *[{"question": f"q {n}", "answer": "a"} for n in range(50)])
    told = []
    with Session(tmp_path / "c.yaml", {"train": str(tmp_path / "t.jsonl")}, Options(out=tmp_path / "out")) as session:
        session.run(told.append)
        session.finish()
    assert told[-1].rows == 50
    assert abs(told[-1].share - 1) < 1e-9
    assert told[-1].bytes == (tmp_path / "t.jsonl").stat().st_size


def test_an_estimate_is_linear_in_the_data_and_no_worker_shortens_what_is_done_one_after_the_other(tmp_path):
    plan = _plan(tmp_path)
    sizes = (10**9, 10**12)
    small, large = (estimate(plan, {"train": SimpleNamespace(decoded=n, read=[0])}, 8 << 20) for n in sizes)
    for name in ("size", "store", "tasks", "sent", "cpu"):
        assert 900 < getattr(large, name) / getattr(small, name) < 1001, name
    assert large.sent <= 1024 * large.tasks
    assert large.seconds(1) == large.cpu > large.seconds(64) >= large.seconds(10**6) == large.longest > 0
    assert 0.3e12 < large.memory < 0.4e12  # near_duplicates looks at all rows in one process


def test_plan_says_what_is_expected(command, tmp_path):
    jsonl(tmp_path / "a.jsonl", *[{"question": "q" * 500, "answer": "a"}] * 4000)
    (tmp_path / "c.yaml").write_text(CONTRACT)
    plan = ("plan", tmp_path / "c.yaml", "--data", f"train={tmp_path}/a.jsonl")
    code, out, _ = command(*plan, "--engine", "ray")
    assert code == 0
    assert "expected: 2.1 MB of data, " in out
    assert [f"{n} workers: " in out for n in (8, 64, 512)] == [True] * 3
    assert "  3 workers: " in command(*plan, "--workers", 3)[1]
    assert command(*plan, "--engine", "spark")[0] == 2
