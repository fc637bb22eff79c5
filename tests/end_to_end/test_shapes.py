"""Every shape that people bring: `init`, then `run`, with three empty answers planted among thirty rows.

A shape is a function of a question, an answer and a number. What no reader knows must be an error that names its keys.
"""

import json
import re
from contextlib import nullcontext

import pytest
from core_helpers import jsonl, lighter, mostly_slow, no_trial, report

ROWS, PLANTED = 30, (4, 11, 27)
TOPICS = [
    "rain",
    "bread",
    "iron",
    "music",
    "winter",
    "glass",
    "paper",
    "salt",
    "wool",
    "tea",
    "copper",
    "honey",
    "sand",
    "cloth",
    "maps",
]
PLACES = ["in the north", "by the sea", "at home", "on a farm", "in the old town", "near the river", "under the hills"]


def texts(n):
    topic, place = TOPICS[n % 15], PLACES[n % 7]
    asked = f"What should one know about {topic} {place}, please, and what did people of year {1700 + 7 * n} say of it?"
    told = f"People {place} kept {topic} for years; chapter {n} tells how, and lists {n + 3} things that they needed."
    return asked, "" if n in PLANTED else told


def chat(question, answer, asks="user", tells="assistant", role="role", content="content"):
    return [{role: asks, content: question}, {role: tells, content: answer}]


def moss(q, a, n):
    turn = {
        "Human": f"<|Human|>: {q}<eoh>\n", "Inner Thoughts": "<|Inner Thoughts|>: None<eot>\n",
        "Commands": "<|Commands|>: None<eoc>\n", "Tool Responses": "<|Results|>: None<eor>\n",
        "MOSS": f"<|MOSS|>: {a}<eom>\n",
    }  # fmt: skip
    return {"conversation_id": str(n), "meta_instruction": "You are kind.", "num_turns": 1, "chat": {"turn_1": turn}}


def gemini(q, a, n):
    said = [("user", q), ("model", a)]
    return {"contents": [{"role": role, "parts": [{"text": text}]} for role, text in said]}


def chatml(q, a, n):
    return {"text": f"<|im_start|>user\n{q}<|im_end|>\n<|im_start|>assistant\n{a}<|im_end|>\n"}


def glaive(q, a, n):
    chat = f"USER: {q}\n\n\nASSISTANT: {a} <|endoftext|>\n\n\n"
    return {"system": "SYSTEM: You are a helpful assistant with access to functions.", "chat": chat}


def shepherd(q, a, n):
    first, last = f"{q} Step 1: It is {n} of them.", f"Step 2: The answer is: {n}"
    return {"input": f"{first} ки\n{last} ки", "label": f"{first} +\n{last} -", "task": "GSM8K"}


def prm800k(q, a, n):
    steps = [{"completions": [{"text": a, "rating": 1}], "human_completion": None, "chosen_completion": 0}]
    return {"labeler": "x", "question": {"problem": q, "ground_truth_answer": str(n)}, "label": {"steps": steps}}


def other(n):
    return f"It was done otherwise {PLACES[n % 7]}: {n + 2} of them went away before the winter, as the letters say."


def arena(q, a, n):
    return {"winner": "model_b", "conversation_a": chat(q, other(n)), "conversation_b": chat(q, a), "turn": 1}


def ultrafeedback(q, a, n):
    said = [(a, 8.5), (other(n), 3.0), (f"Nobody knows, says letter {n} of them all.", 5)]
    return {"instruction": q, "completions": [{"model": "m", "response": t, "overall_score": s} for t, s in said]}


def nectar(q, a, n):
    said = [(a, 1.0), (other(n), 2.0)]
    return {"prompt": q, "answers": [{"answer": text, "model": "m", "rank": rank} for text, rank in said]}


def swe(q, a, n):
    steps = [{"role": "user", "text": q, "mask": False}, {"role": "ai", "text": a, "mask": False}]
    return {"instance_id": f"i-{n}", "trajectory": steps, "exit_status": "submitted"}


def verified(q, a, n):
    return {"prompt": q, "test_list": [f"assert f({n}) == {n + 1}"] if a else ""}


SHAPES = {
    "messages": lambda q, a, n: {"messages": chat(q, a)},
    "messages as JSON text": lambda q, a, n: {"messages": json.dumps(chat(q, a), ensure_ascii=False)},
    "sharegpt": lambda q, a, n: {"conversations": chat(q, a, "human", "gpt", "from", "value")},
    "Auto-J": lambda q, a, n: {"prompt": q, "response 1": a, "response 2": other(n), "label": 0},
    "LLaVA": lambda q, a, n: {
        "id": str(n),
        "image": f"{n}.jpg",
        "conversations": chat(f"<image>\n{q}", a, "human", "gpt", "from", "value"),
    },
    "XTuner": lambda q, a, n: {"conversation": [{"system": "", "input": q, "output": a}]},
    "rounds": lambda q, a, n: {"dialogue": [{"user": q, "assistant": a}]},
    "MOSS": moss,
    "Gemini": gemini,
    "ChatML": chatml,
    "Glaive": glaive,
    "segments": lambda q, a, n: {"segments": [{"label": False, "text": q}, {"label": True, "text": a}]},
    "history, query, response": lambda q, a, n: {"history": [["Hi", "Hello"]], "query": q, "response": a},
    "history of messages": lambda q, a, n: {"history": chat("Hi", "Hello"), "prompt": q, "response": a},
    "input and output": lambda q, a, n: {"input": q, "output": a},
    "SWE-agent": swe,
    "steps of an agent": lambda q, a, n: {
        "problem_statement": q,
        "trajectory": [{"action": "ls", "observation": "a.py", "response": a}],
    },
    "arena": arena,
    "pairwise": lambda q, a, n: {"instruction": q, "input": "", "output_1": other(n), "output_2": a, "preference": 2},
    "PKU-SafeRLHF": lambda q, a, n: {"prompt": q, "response_0": a, "response_1": other(n), "better_response_id": 0},
    "UltraFeedback": ultrafeedback,
    "listwise": lambda q, a, n: {"prompt": q, "responses": [other(n), a], "scores": [1, 4]},
    "Nectar": nectar,
    "samples": lambda q, a, n: {"prompt": q, "responses": [other(n), a]},
    "stepwise": lambda q, a, n: {"prompt": q, "completions": [a], "labels": [True]},
    "PRM800K": prm800k,
    "KTO": lambda q, a, n: {"instruction": q, "response": a, "label": n % 2 == 0},
    "code with tests": verified,
    "FIM": lambda q, a, n: {"prefix": f"def f_{n}():\n    ", "suffix": f"\n    return {n}", "middle": a},
}


WHOLE = {"messages", "pairwise", "MOSS", "Gemini", "listwise"}  # with all checks that init proposes


def judged(folder, command, rows, *, whole=True):
    """Exit code and findings of the contract that `init` writes."""
    data = jsonl(folder / "data.jsonl", *rows)
    with nullcontext() if whole else no_trial():
        code, _, error = command("init", data, "--to", folder / "contract.yaml")
    assert code == 0, error
    if not whole:
        lighter(folder / "contract.yaml")
    code, _, _ = command("run", folder / "contract.yaml", "--out", folder / "out")
    return code, {finding["check"]: finding for finding in report(folder / "out")["findings"]}


def lines(finding):
    """The lines that its first places name."""
    return sorted({int(place["at"].rpartition(":")[2]) for place in finding["evidence"]["first"]})


FEW = {"messages", "messages as JSON text", "sharegpt", "Gemini", "ChatML", "input and output", "pairwise", "KTO"}


@pytest.mark.parametrize("shape", mostly_slow(SHAPES, FEW))
def test_a_shape_is_read_judged_and_placed(shape, tmp_path, here, command):
    rows = [SHAPES[shape](*texts(n), n) for n in range(ROWS)]
    code, found = judged(tmp_path, command, rows, whole=shape in WHOLE)
    assert code == 1
    assert {check: each["error"] for check, each in found.items() if each["status"] == "error"} == {}
    empty = found["empty_turns"]
    assert lines(empty) == [n + 1 for n in PLANTED]
    scored = {"Auto-J", "arena", "pairwise", "PKU-SafeRLHF", "UltraFeedback", "listwise"}
    assert ("identical_pairs" in found) == (shape in scored | {"Nectar"})
    assert ("small_gap" in found) == (shape in scored)  # ranks, which Nectar has, are no scores


def test_the_steps_of_math_shepherd_are_read(tmp_path, here, command):
    """It has no empty answers: a row without any step is no such row."""
    rows = [shepherd(*texts(n), n) for n in range(ROWS)]
    _, found = judged(tmp_path, command, rows)
    assert {finding["status"] for finding in found.values()} <= {"pass", "info", "warn", "fail"}
    assert found["role_errors"]["status"] == found["schema_violations"]["status"] == "pass"


def test_tokens_get_a_contract_that_claims_nothing_of_texts(tmp_path, here, command):
    rows = [{"input_ids": [n, 1, 2], "attention_mask": [1, 1, 1], "labels": [-100, 1, 2]} for n in range(ROWS)]
    code, found = judged(tmp_path, command, rows)
    assert (code, set(found)) == (0, ALWAYS)
    data = jsonl(tmp_path / "data.jsonl", *rows)
    written = (tmp_path / "contract.yaml").read_text(encoding="utf-8")
    (tmp_path / "contract.yaml").write_text(written + "      - near_duplicates\n", encoding="utf-8")
    assert command("run", tmp_path / "contract.yaml", "--data", f"train={data}", "--out", tmp_path / "again")[0] == 3


def said_apart(n: int) -> list[dict[str, object]]:
    asked, told = texts(n)
    return [
        {"session_id": n, "speaker": "user", "utterance": asked},
        {"session_id": n, "speaker": "ai", "utterance": told},
    ]


def test_rows_that_are_one_message_each_are_no_texts_that_could_pass(tmp_path, here, command):
    """No row holds a conversation: the contract says how to make some of them, and until then nothing passes."""
    data = jsonl(tmp_path / "data.jsonl", *(row for n in range(ROWS) for row in said_apart(n)))
    assert command("init", data, "--to", tmp_path / "c.yaml")[0] == 0
    written = (tmp_path / "c.yaml").read_text(encoding="utf-8")
    code, _, _ = command("run", tmp_path / "c.yaml", "--out", tmp_path / "out")
    found = {f["check"]: f for f in json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["findings"]}
    assert (code, found["exact_duplicates"]["status"]) == (3, "error")
    assert "rows are one message each" in found["exact_duplicates"]["error"]["text"]
    program = re.search(r"jq -cs '(.*)' FILE", written)[1]
    assert program == "group_by(.session_id)[] | {messages: map({role: .speaker, content: .utterance})}"


def test_a_tree_of_messages_is_not_put_into_one_row(tmp_path, here, command):
    """A message of a tree has several answers."""
    rows = [
        {**row, "parent_id": None, "role": row["speaker"], "text": row["utterance"]}
        for n in range(ROWS)
        for row in said_apart(n)
    ]
    data = jsonl(tmp_path / "data.jsonl", *rows)
    assert command("init", data, "--to", tmp_path / "c.yaml")[0] == 0
    written = (tmp_path / "c.yaml").read_text(encoding="utf-8")
    assert "each row is one message" in written
    assert "jq" not in written


ALWAYS = {"schema_violations", "too_few_rows", "unjudged_text", "unreadable_lines", "untidy_files"}
UNKNOWN = {
    "two lists": lambda q, a, n: {"asks": [q, "and then?"], "tells": [a, "nothing."]},
    "nested": lambda q, a, n: {"sample": {"turn": {"says": q, "replies": a}}},
    "speakers as keys": lambda q, a, n: {"script": [{"Alice": q}, {"Bob": a}]},
    "one text per line of a list": lambda q, a, n: {"lines": [f"A: {q}", f"B: {a}"]},
    "own names": lambda q, a, n: {"zz_ask": q, "zz_tell": a},
    "an object of turns": lambda q, a, n: {"talk": {"0": {"who": "a", "what": q}, "1": {"who": "b", "what": a}}},
    "bits of JSON": lambda q, a, n: {"payload": json.dumps({"ask": q, "tell": a})},
    "events": lambda q, a, n: {"events": [{"kind": "said", "body": q}, {"kind": "said", "body": a}]},
    "graph": lambda q, a, n: {"nodes": {"n1": q, "n2": a}, "edges": [["n1", "n2"]]},
    "threads": lambda q, a, n: {"post": {"title": q}, "comments": [{"body": a, "ups": n}]},
}


@pytest.mark.parametrize("shape", mostly_slow(UNKNOWN, {"two lists", "nested", "speakers as keys", "own names"}))
def test_a_shape_that_nobody_knows_is_an_error_that_names_its_keys(shape, tmp_path, here, command):
    rows = [UNKNOWN[shape](*texts(n), n) for n in range(ROWS)]
    data = jsonl(tmp_path / "data.jsonl", *rows)
    (tmp_path / "sft.yaml").write_text(
        "name: own\ndatasets:\n  train:\n    source: {path: data.jsonl}\n    checks: [empty_turns, near_duplicates, pii]\n",
        encoding="utf-8",
    )
    assert command("run", tmp_path / "sft.yaml", "--data", f"train={data}", "--out", tmp_path / "out")[0] == 3
    found = {finding["check"]: finding for finding in report(tmp_path / "out")["findings"]}
    for check in ("empty_turns", "near_duplicates"):
        assert all(f"`{key}" in found[check]["error"] for key in rows[0] if key != "edges"), found[check]["error"]
