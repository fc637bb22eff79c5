"""Personal data planted everywhere in a drop: none of it may be read in anything that datacheck says or keeps."""

import base64
import json
import re
import subprocess
import sys
import urllib.parse

import polars as pl
import pytest
import yaml
from core_helpers import GOOD, contract, environment, jsonl, report, spawn, user_check

from datacheck.errors import UsageError, trace_of
from datacheck.pii.canaries import canary
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.redact.anonymise import Anonymiser

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
    "nested",
)
PHONES = {place: canary("CN_MOBILE", 7_000 + n) for n, place in enumerate(PLACES)}
MAILS = {place: canary("EMAIL_ADDRESS", 9_000 + n) for n, place in enumerate(PLACES)}


# One of each other entity that has a form of its own; words that a mask may show (a label, a first name) are none.
OTHERS = {entity: canary(entity, 11_000) for entity in RECOGNIZERS if entity not in ("CN_MOBILE", "EMAIL_ADDRESS")}
VALUES = {entity: re.sub(r"^[^\d:：]*[:：]|^[\u4e00-\u9fff]+(?=[A-Z0-9])", "", text) for entity, text in OTHERS.items()}


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
        {"messages": [{"role": "user", "content": both("too_long") * 7_000}, {"role": "assistant", "content": "y"}]},
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
        {**GOOD, **{f"note {number}": text for number, text in enumerate(OTHERS.values())}},
        {**GOOD, "call": json.dumps({"a": json.dumps({"to": both("nested")})})},
        said,
    ]
    jsonl(folder / "data" / f"{PHONES['file_name']}-20261120.jsonl", *rows)
    jsonl(folder / "data" / f"{MAILS['file_name']}.txt", {})
    jsonl(folder / "eval" / "e.jsonl", *[{"question": both("content"), "answer": "x"}] * 3)
    user_check(folder / "checks", "raises", "raise ValueError(str(data.turns.collect()['text'].to_list()))")
    user_check(
        folder / "checks",
        "figures",
        "from datacheck.check import Message\n"
        "f = data.turns.group_by('role').len().collect()\n"
        "notes = [*(Message(str(r)) for r in f['role']), *(Message('role {role}', role=str(r)) for r in f['role'])]\n"
        "return Measured((Value('number', 1),), figures={'roles': f}, not_checked=tuple(notes))",
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
            "identical_pairs", {"check": "pii", "regions": "all"}, "raises", "figures",
        ],
        source={"path": "data", "columns": {"source": "src", "id": "uid"}, "limits": {"text_bytes": 200_000}},
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


def heard(told, values=None):
    """Which values can be read where, in any form."""
    every = values or {**PHONES, **{f"{place} mail": mail for place, mail in MAILS.items()}, **VALUES}
    return [
        (place, where)
        for place, value in every.items()
        for where, content in told.items()
        if any(form in content for form in forms(value)) or value.encode() in where.encode()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["redacted", "masked"])
def test_no_canary_is_heard(drop, tmp_path, mode):
    out = tmp_path / "out"
    checks = drop.parent / "checks"
    (tmp_path / "tmp").mkdir()
    own = {"TMPDIR": str(tmp_path / "tmp")}
    done = spawn("run", drop, "--checks", checks, "--out", out, "--lang", "en", "--excerpts", mode, "--debug", env=own)
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
    told |= dict(readable(out)) | dict(readable(tmp_path / "tmp"))
    assert heard(told) == []
    assert b"raises.py" in (out / "run.json").read_bytes()  # --debug kept the traceback of the check that raises
    found = report(out)
    assert found["datasets"]["train"]["files"][0]["path"].endswith("-20261120.jsonl")  # the date stays readable
    ran = {f["check"] for f in found["findings"] if f["status"] != "error"}
    assert {"role_errors", "pii", "schema_violations", "exact_duplicates", "figures", "unreadable_lines"} <= ran
    assert found["datasets"]["train"]["files"][0]["unreadable"] >= 3
    seen = next(f["evidence"]["problems"] for f in found["findings"] if f["id"] == "train.pii")
    # A Slovak number has the form of a Czech one, a Peruvian one that of others: they are found as these.
    assert {entity.lower() for entity in OTHERS} - {"sk_rc", "pe_dni"} <= seen.keys()


@pytest.mark.slow
def test_a_redacted_copy_and_what_is_said_of_it_hold_none(drop, tmp_path):
    """What was dropped is asked for and private; the names of files are those that the user gave."""
    checks, out = drop.parent / "checks", tmp_path / "clean"
    spawn("run", drop, "--checks", checks, "--out", tmp_path / "report", "--quiet")
    (tmp_path / "tmp").mkdir()
    done = spawn(
        "apply", tmp_path / "report", "--data", f"train={drop.parent / 'data'}", "--out", out, "--redact",
        "--contract", drop, "--checks", checks, env={"TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip
    assert done.returncode in (1, 3), done.stderr
    assert out.exists(), done.stderr
    dropped = [path for path in (out / "dropped").rglob("*") if path.is_file()]
    assert dropped
    assert all(path.stat().st_mode & 0o077 == 0 for path in dropped)
    names = {place: value for place, value in PHONES.items() if place != "file_name"}
    told = {"stdout": done.stdout, "stderr": done.stderr} | dict(readable(tmp_path / "tmp"))
    told |= {where: content for where, content in readable(out) if not where.startswith("dropped")}
    values = {**names, **{f"{place} mail": mail for place, mail in MAILS.items() if place != "file_name"}, **VALUES}
    assert heard(told, values) == []
    kept = b"".join(content for where, content in told.items() if where.startswith("kept"))
    assert kept.count(b"<CN_MOBILE_v") >= 2, kept.count(b"<CN_MOBILE_v")
    assert heard({"dropped": b"".join(path.read_bytes() for path in dropped)}, values)  # the search can hear
    assert not list(tmp_path.glob(".clean*"))


@pytest.mark.parametrize("where", ["replacements", "replaced"])
@pytest.mark.usefixtures("here")
def test_a_crash_in_the_middle_of_a_redaction_tells_nothing(tmp_path, command, monkeypatch, where):
    text = both("content")
    jsonl(tmp_path / "data" / "a.jsonl", {"messages": [{"role": "user", "content": text}] * 2})
    path = contract(tmp_path, ["pii"])
    command("run", path, "--out", tmp_path / "report", "--quiet")

    def crash(_self, *given, **_named):
        raise RuntimeError(str(given))

    monkeypatch.setattr(Anonymiser, where, crash)
    code, said, error = command(
        "apply", tmp_path / "report", "--data", f"train={tmp_path / 'data'}", "--out", tmp_path / "out", "--redact",
        "--contract", path,
    )  # fmt: skip
    assert code == 3
    assert "RuntimeError in" in error
    values = {"phone": PHONES["content"], "mail": MAILS["content"]}
    assert heard({"said": said.encode(), "error": error.encode()}, values) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["contract.yaml", "data", "report"]


def test_a_traceback_names_places_and_types_and_no_values():
    value = PHONES["content"]
    try:
        try:
            int(f"x{value}")
        except ValueError as error:
            raise KeyError(value) from error
    except KeyError as error:
        told = trace_of(error)
    assert value not in told
    assert told.count("test_leaks_nothing.py") == 2
    assert "ValueError\n" in told
    assert told.endswith("KeyError\n")
    assert "name it" in trace_of(UsageError("name it"))


@pytest.mark.slow
def test_the_search_would_hear_one(drop, tmp_path):
    """With --excerpts full the text is shown on purpose: so this search can find what it looks for."""
    spawn("run", drop, "--checks", drop.parent / "checks", "--out", tmp_path / "out", "--excerpts", "full", "--quiet")
    content = b"".join(content for _, content in readable(tmp_path / "out"))
    assert any(value.encode() in content for value in PHONES.values())


@pytest.mark.slow
def test_a_contract_for_the_drop_holds_none_of_it(drop, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "datacheck", "init", "--from", str(next((drop.parent / "data").glob("*.jsonl")))],
        env=environment(), capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    path = (
        f'path: "{PHONES["file_name"]}-20261120.jsonl"'.encode()
    )  # the user named this file; the contract must find it
    said = done.stdout.replace(path, b"") + done.stderr
    assert [value for value in [*PHONES.values(), *MAILS.values()] if value.encode() in said] == []
