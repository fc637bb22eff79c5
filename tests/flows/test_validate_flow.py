"""The Prefect flow on a real server: same findings as the CLI, states that tell, nothing of the data in Prefect.

Every run is a process of its own, as a user starts it; what Prefect recorded is asked of the server's API.
"""

import base64
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
import pytest
from flow_server import Server, environment, living

from datacheck.contract.load import load_contract
from datacheck.engine.plan import make_plan
from datacheck.pii.canaries import canary
from datacheck.pii.recognizers import RECOGNIZERS

ROOT = Path(__file__).resolve().parents[2]
REAL = Path(os.environ.get("DATACHECK_REALDATA") or ROOT.parent / "shared" / "realdata")
slow = pytest.mark.slow


@dataclass(frozen=True)
class Run:
    """What a run left behind: exit code, what it printed, and what the server knows of it."""

    code: int
    printed: str
    state: dict[str, Any]
    parameters: dict[str, Any]
    tasks: dict[str, dict[str, Any]]
    artifacts: list[dict[str, Any]]


def datacheck(*arguments: str | Path, cwd: Path = ROOT, **env: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "datacheck", "run", *map(str, arguments)]
    return subprocess.run(command, env=environment(**env), cwd=cwd, capture_output=True, text=True, check=False)


def flow(server: Server, *arguments: str | Path, cwd: Path = ROOT, **env: str) -> Run:
    """Run the flow as a user does, then ask the server what it recorded."""
    command = [sys.executable, "-m", "flows.validate", *map(str, arguments)]
    done = subprocess.run(
        command, env={**server.env, **env}, cwd=cwd, capture_output=True, text=True, check=False, timeout=400
    )
    return look_up(server, done.returncode, done.stdout + done.stderr)


def look_up(server: Server, code: int, printed: str) -> Run:
    found = re.search(r"flow-run/([0-9a-f-]{36})", printed)
    assert found, printed
    run = server.ask(f"/flow_runs/{found[1]}")
    of_run = {"flow_runs": {"id": {"any_": [found[1]]}}}
    return Run(
        code,
        printed,
        run["state"],
        run["parameters"],
        {task["name"]: task for task in recorded(server, found[1])},
        server.ask("/artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [found[1]]}}, **of_run}),
    )


PAGE, PAGES = 200, 3  # task runs that the server gives at a time


def recorded(server: Server, run: str) -> list[dict[str, Any]]:
    """The task runs, once the server has written down all that it was told (it is told by events)."""
    before: list[dict[str, Any]] = []
    for _ in range(40):
        asked = {"flow_runs": {"id": {"any_": [run]}}, "sort": "ID_DESC", "limit": PAGE}
        pages = [server.ask("/task_runs/filter", {**asked, "offset": at}) for at in range(0, PAGES * PAGE, PAGE)]
        tasks = [task for page in pages for task in page]
        if tasks == before and all(task["state_type"] in ("COMPLETED", "FAILED", "CRASHED") for task in tasks):
            return tasks
        before = tasks
        time.sleep(0.5)
    pytest.fail(f"tasks without an end: {[(t['name'], t['state_name']) for t in before]}")


def states(run: Run, dataset: str = "") -> dict[str, str]:
    """Task name → state name."""
    return {name: task["state_name"] for name, task in run.tasks.items() if dataset in name}


def same_report(tmp_path: Path) -> bool:
    return (tmp_path / "flow" / "report.json").read_bytes() == (tmp_path / "cli" / "report.json").read_bytes()


@slow
def test_a_good_dataset_passes(server: Server, tmp_path: Path) -> None:
    run = flow(server, "sample_data/good.yaml", "--out", tmp_path / "flow", "--lang", "zh")
    cli = datacheck("sample_data/good.yaml", "--out", tmp_path / "cli", "--lang", "zh")
    assert (run.code, run.state["type"], run.state["name"]) == (0, "COMPLETED", "Passed"), run.printed
    assert cli.returncode == 0
    assert set(states(run).values()) == {"Done", "Passed"}
    assert same_report(tmp_path)
    assert '<html lang="zh' in (tmp_path / "flow" / "report.html").read_text("utf-8")


@slow
def test_a_bad_dataset_looks_bad(server: Server, tmp_path: Path) -> None:
    run = flow(server, "sample_data/bad.yaml", "--out", tmp_path / "flow")
    cli = datacheck("sample_data/bad.yaml", "--out", tmp_path / "cli")
    assert run.code == cli.returncode == 1, run.printed
    assert (run.state["type"], run.state["name"]) == ("FAILED", "ContractFailed")
    assert same_report(tmp_path)

    # one task per step of the plan, named after it
    plan = make_plan(load_contract(ROOT / "sample_data" / "bad.yaml", {}))
    assert set(run.tasks) == {step.key for step in plan}

    # red where the hand-written truth says so, green elsewhere
    report = json.loads((tmp_path / "flow" / "report.json").read_text("utf-8"))
    colour = {
        f"measure {f['id']}": "FAILED" if f["status"] in ("fail", "error") else "COMPLETED" for f in report["findings"]
    }
    assert {k: t["state_type"] for k, t in run.tasks.items() if k.startswith("measure")} == colour
    assert states(run)["measure train.unreadable_lines"] == "Violated"
    assert states(run)["measure questions.too_few_rows"] == "Passed"
    assert run.tasks["measure train.unreadable_lines"]["state"]["message"] == "rate 0.0641 (5 of 78), max 0"

    artifact, progress = sorted(run.artifacts, key=lambda found: found["type"] == "progress")
    assert progress["data"] == 100.0
    assert artifact["key"] == "datacheck-samples-bad"
    table = json.loads(artifact["data"])
    assert {row["finding"]: row["status"] for row in table} == {f["id"]: f["status"] for f in report["findings"]}
    assert [row["status"] for row in table][:11] == ["fail"] * 11


@slow
def test_beside_a_baseline_only_what_is_new_looks_bad(server: Server, tmp_path: Path) -> None:
    assert datacheck("sample_data/bad.yaml", "--out", tmp_path / "base").returncode == 1
    beside = ("--baseline", tmp_path / "base")
    run = flow(server, "sample_data/bad.yaml", "--out", tmp_path / "flow", *beside)
    cli = datacheck("sample_data/bad.yaml", "--out", tmp_path / "cli", *beside)
    assert run.code == cli.returncode == 0, run.printed
    assert (run.state["type"], run.state["name"]) == ("COMPLETED", "Warning")
    assert states(run)["measure train.unreadable_lines"] == "Warning"
    assert same_report(tmp_path)


@slow
def test_real_data_with_leakage_equals_the_cli(server: Server, tmp_path: Path) -> None:
    gsm = REAL / "gsm8k" / "grade_school_math" / "data"
    sft = REAL / "medicalgpt" / "data" / "sft" / "medical_sft_1K_format.jsonl"
    if not (gsm.exists() and sft.exists()):
        pytest.skip("realdata is absent")
    contract = tmp_path / "real.yaml"
    contract.write_text(
        "name: real\ndatasets:\n"
        "  sft: {source: {format: sharegpt}, checks: [role_errors, empty_turns, near_duplicates]}\n"
        "  train: {source: {format: qa}, checks: [{check: leakage, against: [test]}]}\n"
        "  test: {source: {format: qa}, checks: [too_few_rows]}\n",
        encoding="utf-8",
    )
    data = [f"--data=sft={sft}", f"--data=train={gsm / 'train.jsonl'}", f"--data=test={gsm / 'test.jsonl'}"]
    run = flow(server, "real.yaml", *data, "--out", "flow", cwd=tmp_path)
    cli = datacheck("real.yaml", *data, "--out", "cli", cwd=tmp_path)
    assert same_report(tmp_path), run.printed
    assert run.code == cli.returncode
    report = json.loads((tmp_path / "flow" / "report.json").read_text("utf-8"))
    assert {name: d["rows"] for name, d in report["datasets"].items()} == {"sft": 1000, "train": 7473, "test": 1319}
    # in the UI, leakage hangs on what it looks at: both datasets
    assert states(run)["load test"] == states(run)["load train"] == "Done"


@slow
def test_a_failed_step_lets_its_followers_say_why(server: Server, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    (store / "parts").write_text("a file where the store wants a folder: no part can be written")
    run = flow(server, "sample_data/good.yaml", "--out", tmp_path / "flow", DATACHECK_STORE=str(store))
    cli = datacheck("sample_data/good.yaml", "--out", tmp_path / "cli", DATACHECK_STORE=str(store))
    assert run.code == cli.returncode == 3, run.printed
    assert (run.state["type"], run.state["name"]) == ("FAILED", "CouldNotDecide")
    assert same_report(tmp_path)
    loads = {f"load {name}" for name in load_contract(ROOT / "sample_data" / "good.yaml").datasets}
    assert {name: state for name, state in states(run).items() if name in loads} == dict.fromkeys(
        loads, "CouldNotDecide"
    )
    followers = {name: task for name, task in run.tasks.items() if not name.startswith("load")}
    assert {task["state_name"] for task in followers.values()} == {"NotRun"}
    assert followers["measure train.pii"]["state"]["message"].startswith("not run, because 'load train' failed: ")


@slow
def test_what_cannot_be_decided_is_no_pass(server: Server, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")
    contract = (
        "name: empty\ndatasets:\n  train: {source: {path: empty.jsonl, format: messages}, checks: [role_errors]}\n"
    )
    (tmp_path / "c.yaml").write_text(contract)
    run = flow(server, "c.yaml", cwd=tmp_path)
    assert run.code == datacheck("c.yaml", cwd=tmp_path).returncode == 3, run.printed
    assert run.state["name"] == "CouldNotDecide"
    assert states(run)["measure train.role_errors"] == "CouldNotDecide"
    assert states(run)["measure train.too_few_rows"] == "Violated"


@slow
def test_an_interrupted_run_is_crashed_and_leaves_nothing(server: Server, tmp_path: Path) -> None:
    turn = '{"messages": [{"role": "user", "content": "%d 号的问题是什么"}, {"role": "assistant", "content": "答案是 %d"}]}\n'
    (tmp_path / "big.jsonl").write_text("".join(turn % (n, n * n) for n in range(30_000)), encoding="utf-8")
    contract = "name: big\ndatasets:\n  train: {source: {path: big.jsonl}, checks: [near_duplicates, pii]}\n"
    (tmp_path / "c.yaml").write_text(contract)
    command = [sys.executable, "-m", "flows.validate", "c.yaml"]
    with subprocess.Popen(
        command,
        env=server.env,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "load train" in line:
                process.send_signal(signal.SIGINT)
    run = look_up(server, process.returncode, "".join(lines))
    assert run.code == 130, run.printed
    assert (run.state["type"], run.state["name"]) == ("CRASHED", "Crashed")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["big.jsonl", "c.yaml"]
    assert living(process.pid) == []


@slow
def test_a_wrong_contract_is_a_clean_state_with_its_lines(server: Server, tmp_path: Path) -> None:
    contract = "name: wrong\ndatasets:\n  train: {source: {path: x}, checks: [{check: role_errors, severty: warn}]}\n"
    (tmp_path / "c.yaml").write_text(contract)
    run = flow(server, "c.yaml", cwd=tmp_path)
    cli = datacheck("c.yaml", cwd=tmp_path)
    assert run.code == cli.returncode == 2, run.printed
    assert (run.state["type"], run.state["name"]) == ("FAILED", "InvalidRequest")
    assert run.state["message"] == cli.stderr.strip()
    assert "did you mean 'severity'" in run.state["message"]
    assert "Traceback" not in run.printed
    assert run.tasks == {}
    assert run.artifacts == []


def test_without_a_server_the_exit_code_is_not_that_of_a_violation(tmp_path: Path) -> None:
    env = environment(PREFECT_HOME=str(tmp_path))
    command = [sys.executable, "-m", "flows.validate", "sample_data/good.yaml", "--out", str(tmp_path / "out")]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 3
    assert "PREFECT_API_URL" in done.stderr
    assert not (tmp_path / "out").exists()


# --- nothing of the data in Prefect ---

PHONE, MAIL, ID = "13912345678", "canary.zhang@mailbox-of-canary.cn", "11010519491231002X"
KEY, NAME, BROKEN = "secretkeyofcanary", "欧阳金丝雀", "brokenlinecanary"
# Every other entity that has a form of its own, without the label that makes it one.
OTHERS = {
    entity: canary(entity, 12_000)
    for entity in RECOGNIZERS
    if entity not in ("CN_MOBILE", "EMAIL_ADDRESS", "CN_RESIDENT_ID", "PERSON")
}
VALUES = tuple(text.removeprefix(RECOGNIZERS[entity].label) for entity, text in OTHERS.items())
CANARIES = (PHONE, MAIL, ID, KEY, NAME, BROKEN, *VALUES)


def plant(folder: Path) -> None:
    """A data set with the canaries in texts, a key, an id, a label, a role, the name of the file and a broken line."""
    folder.mkdir()
    said = f"我是{NAME}，电话{PHONE}，邮箱{MAIL}，身份证{ID}"
    records: list[dict[str, Any]] = [
        {
            "uid": PHONE,
            "src": MAIL,
            "messages": [{"role": "user", "content": said}, {"role": "assistant", "content": said}],
        },
        {
            "uid": PHONE,
            "src": ID,
            "messages": [{"role": "user", "content": said}, {"role": "assistant", "content": said}],
        },
        {"uid": "x", "src": "forum", "notes": OTHERS, "messages": [{"role": "user", "content": "\n".join(VALUES)}]},
        {"uid": ID, "src": NAME, KEY: 1, "messages": [{"role": KEY, "content": said}, {"role": PHONE, "content": ""}]},
    ]
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    lines += [f'{{"uid": "{BROKEN}", "messages": "{said}', f"{PHONE}: {BROKEN}"]
    (folder / f"drop-{PHONE}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


CONTRACT = """
name: canarycontract
datasets:
  train:
    source: {format: messages, columns: {id: uid, source: src}}
    schema: {uid: {type: string, unique: true, pattern: "^[a-z]+$"}, src: {enum: [forum]}}
    checks:
      - {check: role_errors, by: source}
      - {check: empty_turns, by: source}
      - exact_duplicates
      - {check: near_duplicates, by: source}
      - {check: leakage, against: [eval]}
      - {check: pii, regions: all}
  eval: {source: {format: messages}, checks: [too_few_rows]}
"""


def forms(text: str) -> set[bytes]:
    """How a string may stand in a file: plain, JSON-escaped, quoted, UTF-16, hexadecimal, base64 at any offset."""
    raw = text.encode()
    coded = {raw, json.dumps(text)[1:-1].encode(), quote(text).encode(), text.encode("utf-16-le"), raw.hex().encode()}
    # Base64 by the characters whose six bits are all the string's own: whole blocks of four would leave so little of
    # a short string that a digest has it by chance.
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw + b"\0\0")
        coded.add(whole[-(-8 * shift // 6) : 8 * (shift + len(raw)) // 6])
    return coded


def where_found(text: str, places: dict[str, bytes]) -> list[str]:
    return [name for name, content in places.items() if any(form in content for form in forms(text))]


def all_bytes(server: Server, printed: str) -> dict[str, bytes]:
    """Everything that Prefect keeps or says: its home, a dump of its database, the server's log, the run's output."""
    places = {str(p): p.read_bytes() for p in server.home.rglob("*") if p.is_file()}
    copy = server.home.parent / "copy.db"
    with sqlite3.connect(server.home / "prefect.db") as live, sqlite3.connect(copy) as target:
        live.backup(target)
    with sqlite3.connect(copy) as database:
        places["the database as text"] = "\n".join(database.iterdump()).encode()
    return {**places, "server log": server.log.read_bytes(), "printed": printed.encode()}


@slow
def test_no_data_reaches_prefect(server: Server, tmp_path: Path) -> None:
    plant(tmp_path / "drop")
    shutil.copytree(tmp_path / "drop", tmp_path / "eval")
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    run = flow(server, "c.yaml", "--data=train=drop", "--data=eval=eval", cwd=tmp_path)
    assert run.code in (1, 3), run.printed
    assert run.parameters["request"] == {
        "contract": "c.yaml",
        "data": {"train": "drop", "eval": "eval"},
        "run": {},
        "out": "datacheck-report",
        "strict": False,
        "lang": "en",
        "baseline": None,
        "decisions": None,
        "trust": None,
    }
    # the checks did find the faults, so a leak would have had something to leak
    assert {n for n, s in states(run, "train").items() if s == "Violated"} >= {
        "measure train.pii", "measure train.role_errors", "measure train.unreadable_lines", "measure train.schema_violations",
    }  # fmt: skip
    assert {a["key"] for a in run.artifacts} == {"datacheck-canarycontract", None}  # the progress has no key
    places = all_bytes(server, run.printed)
    assert "the database as text" in where_found("canarycontract", places)  # the search can find
    assert where_found("measure train.pii", places)
    assert {text: where_found(text, places) for text in CANARIES} == {text: [] for text in CANARIES}
    # A Slovak number has the form of a Czech one, a Peruvian one that of others: they are found as these.
    (evidence,) = (tmp_path / "datacheck-report" / "evidence").glob("train.pii*.parquet")
    assert {entity.lower() for entity in OTHERS} - {"sk_rc", "pe_dni"} <= set(pl.read_parquet(evidence)["problem"])


def test_the_core_imports_no_prefect() -> None:
    code = (
        "import importlib, pkgutil, sys, datacheck\n"
        "names = [m.name for m in pkgutil.walk_packages(datacheck.__path__, 'datacheck.')]\n"
        "[importlib.import_module(name) for name in names]\n"
        "print(len(names), sorted(m for m in sys.modules if m.split('.')[0] in ('prefect', 'flows')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), cwd=ROOT, capture_output=True, text=True, check=True
    )
    count, found = done.stdout.strip().split(" ", 1)
    assert int(count) > 40
    assert found == "[]"


@pytest.mark.parametrize("name", ["checks", "graders", "run_tests", "trainer_python"])
def test_a_request_lets_no_code_run(name: str) -> None:
    from flows.validate import Request

    with pytest.raises(ValueError, match=name):
        Request.model_validate({"contract": "c.yaml", name: "x"})
