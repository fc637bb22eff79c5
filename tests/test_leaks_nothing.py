"""Personal data planted everywhere in a drop: none of it may be read in anything that datacheck says or keeps."""

import base64
import json
import subprocess
import sys
import urllib.parse

import polars as pl
import pytest
import yaml
from core_helpers import GOOD, contract, environment, jsonl, report, spawn, user_check

from datacheck.pii.canaries import canary

PLACES = (
    "content",
    "key",
    "file_name",
    "role",
    "id",
    "broken",
    "gbk",
    "label",
    "tool",
    "too_long",
    "schema",
    "preference",
)
PHONES = {place: canary("CN_MOBILE", 7_000 + n) for n, place in enumerate(PLACES)}
MAILS = {place: canary("EMAIL_ADDRESS", 9_000 + n) for n, place in enumerate(PLACES)}


def both(place: str) -> str:
    return f"电话 {PHONES[place]} 邮箱 {MAILS[place]}"


@pytest.fixture(scope="module")
def drop(tmp_path_factory):
    """A drop with a canary of each kind in each place, and a contract with every check that looks there."""
    folder = tmp_path_factory.mktemp("canaries")
    said = {"messages": [{"role": "user", "content": both("content")}, {"role": "user", "content": both("content")}]}
    rows = [
        said,
        {**GOOD, f"{PHONES['key']}": 1, f"{MAILS['key']}": "x"},
        {"messages": [{"role": PHONES["role"], "content": "x"}, {"role": MAILS["role"], "content": "y"}]},
        {**GOOD, "uid": both("id")},
        {**GOOD, "uid": both("id")},
        {**GOOD, "src": PHONES["label"]},
        {**GOOD, "src": MAILS["label"]},
        f'{{"messages": [{{"role": "user", "content": "{both("broken")}'.encode(),
        f'{{"text": "{both("gbk")}"}}'.encode("gbk"),
        {"messages": [{"role": "user", "content": both("too_long") * 70_000}, {"role": "assistant", "content": "y"}]},
        {
            "messages": [
                {"role": "user", "content": "x"},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"function": {"name": "f", "arguments": json.dumps({"to": both("tool")})}}],
                },
            ]
        },
        {**GOOD, "grade": both("schema")},
        {"prompt": "x", "chosen": both("preference"), "rejected": both("preference")},
        said,
    ]
    jsonl(folder / "data" / f"{PHONES['file_name']}-20261120.jsonl", *rows)
    jsonl(folder / "data" / f"{MAILS['file_name']}.txt", {})
    jsonl(folder / "eval" / "e.jsonl", *[{"question": both("content"), "answer": "x"}] * 3)
    user_check(folder / "checks", "raises", "raise ValueError(str(data.turns.collect()['text'].to_list()))")
    user_check(
        folder / "checks",
        "figures",
        "f = data.turns.group_by('role').len().collect()\nreturn Measured((Value('number', 1),), figures={'roles': f}, not_checked=tuple(str(r) for r in f['role']))",
    )
    schema = {
        "uid": {"unique": True, "pattern": "^a$", "required": False},
        "grade": {"enum": ["a"], "required": False, "max_length": 3},
    }
    path = contract(
        folder,
        [
            {"check": "role_errors", "by": "source"}, {"check": "empty_turns", "by": "id"}, "exact_duplicates", "near_duplicates",
            {"check": "leakage", "against": ["eval"]},
            "identical_pairs", "pii", "raises", "figures",
        ],
        source={"path": "data", "columns": {"source": "src", "id": "uid"}},
        eval=({"path": "eval"}, ["pii"]),
    )  # fmt: skip
    value = yaml.safe_load(path.read_text(encoding="utf-8"))
    value["datasets"]["train"]["schema"] = schema
    path.write_text(yaml.safe_dump(value, allow_unicode=True), encoding="utf-8")
    return path


def forms(value: str):
    """The ways in which a value could lie in a file and still be read by anybody."""
    raw = value.encode()
    return {
        raw,
        base64.b64encode(raw).rstrip(b"=")[:-1],
        value.encode("utf-16-le"),
        urllib.parse.quote(value).encode(),
        raw[::-1],
    }


def readable(folder):
    """Every file of a report, Parquet decoded."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()
        if path.suffix == ".parquet":
            yield f"{path.name} decoded", repr(pl.read_parquet(path).to_dict(as_series=False)).encode()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["redacted", "masked"])
def test_no_canary_is_heard(drop, tmp_path, mode):
    out = tmp_path / "out"
    checks = drop.parent / "checks"
    done = spawn("run", drop, "--checks", checks, "--out", out, "--lang", "en", "--excerpts", mode)
    assert done.returncode == 3, done.stderr
    github = spawn(
        "run", drop, "--checks", checks, "--out", tmp_path / "out2", "--format", "github", "--excerpts", mode
    )
    again = spawn("judge", out, "--checks", checks, "--contract", drop)
    plan = spawn("plan", drop, "--checks", checks)
    told = {
        "stdout": done.stdout,
        "stderr": done.stderr,
        "github": github.stdout + github.stderr,
        "judge": again.stdout + again.stderr,
        "plan": plan.stdout,
    }
    told |= dict(readable(out))
    heard = [
        (place, where)
        for kind in (PHONES, MAILS)
        for place, value in kind.items()
        for where, content in told.items()
        if any(form in content for form in forms(value)) or value.encode() in where.encode()
    ]
    assert heard == []
    found = report(out)
    assert found["datasets"]["train"]["files"][0]["path"].endswith("-20261120.jsonl")  # the date stays readable
    ran = {f["check"] for f in found["findings"] if f["status"] != "error"}
    assert {"role_errors", "pii", "schema_violations", "exact_duplicates", "figures", "unreadable_lines"} <= ran
    assert found["datasets"]["train"]["files"][0]["unreadable"] >= 2


@pytest.mark.slow
def test_the_search_would_hear_one(drop, tmp_path):
    """With --excerpts full the text is shown on purpose: so this search can find what it looks for."""
    spawn("run", drop, "--checks", drop.parent / "checks", "--out", tmp_path / "out", "--excerpts", "full", "--quiet")
    content = b"".join(content for _, content in readable(tmp_path / "out"))
    assert any(value.encode() in content for value in PHONES.values())


@pytest.mark.slow
def test_a_contract_for_the_drop_holds_none_of_it(drop, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "datacheck.cli", "init", "--from", str(next((drop.parent / "data").glob("*.jsonl")))],
        env=environment(), capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    path = (
        f'path: "{PHONES["file_name"]}-20261120.jsonl"'.encode()
    )  # the user named this file; the contract must find it
    said = done.stdout.replace(path, b"") + done.stderr
    assert [value for value in [*PHONES.values(), *MAILS.values()] if value.encode() in said] == []
