"""Questions in lists inside the rows: what `init` says to type makes rows of them that are read."""

import json
import re
import shutil
import subprocess

import pytest

from datacheck.propose.unnest import of_lists, unnesting

PASSAGE = "A red fox lived by the old mill, and every evening it went down to the river to look for the boats. " * 3
ASKED = [("Where did the fox live?", "by the old mill"), ("What did it look for?", "the boats")]
SQUAD = {
    "version": "1.1",
    "data": [
        {
            "title": f"Foxes {n}",
            "paragraphs": [
                {
                    "context": PASSAGE,
                    "qas": [
                        {"id": f"{n}-{q}", "question": q, "answers": [{"answer_start": 3, "text": a}]} for q, a in ASKED
                    ],
                }
            ],
        }
        for n in range(6)
    ],
}
CMRC = [
    {"context_text": PASSAGE, "qas": [{"query_text": q, "query_id": f"{n}{q}", "answers": [a, a]} for q, a in ASKED]}
    for n in range(6)
]
DROP = {
    f"nfl_{n}": {
        "passage": PASSAGE,
        "qa_pairs": [{"question": q, "answer": {"number": "", "spans": [a]}} for q, a in ASKED],
    }
    for n in range(1)
}
RACE = {
    "article": PASSAGE,
    "questions": [q for q, _ in ASKED],
    "options": [[a, "the sea", "a wood", "the town"] for _, a in ASKED],
    "answers": ["A", "A"],
}


@pytest.mark.parametrize(
    ("data", "answer"), [(SQUAD, ASKED[0][1]), (CMRC, ASKED[0][1]), (DROP, ASKED[0][1]), (RACE, "A")]
)
def test_what_init_says_makes_rows_that_are_read(tmp_path, command, data, answer):
    jq = shutil.which("jq")
    if jq is None:
        pytest.skip("jq is not installed")
    raw, contract = tmp_path / "raw.json", tmp_path / "c.yaml"
    raw.write_text(json.dumps(data), "utf-8")
    command("init", raw, "--to", contract)
    program = re.search(r"jq -c '(.*)' FILE > rows.jsonl", contract.read_text("utf-8"))
    assert program is not None
    done = subprocess.run([jq, "-c", program[1], raw], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) % len(ASKED) == 0
    assert (rows[0]["context"], rows[0]["question"], rows[0]["answer"]) == (PASSAGE, ASKED[0][0], answer)
    (tmp_path / "rows.jsonl").write_text(done.stdout, "utf-8")
    command("init", tmp_path / "rows.jsonl", "--to", tmp_path / "d.yaml")
    assert re.search(r"format: (?:qa|multiple_choice)", (tmp_path / "d.yaml").read_text("utf-8"))


C3 = [
    [[PASSAGE, "And then?"], [{"question": q, "choice": [a, "the sea"], "answer": a} for q, a in ASKED], f"{n}"]
    for n in range(4)
]


@pytest.mark.parametrize("lines", [False, True])
def test_rows_that_are_lists_of_a_passage_and_its_questions(tmp_path, command, lines):
    """C3 and DREAM: to name the values by `header` would leave passage and questions unread."""
    jq = shutil.which("jq")
    if jq is None:
        pytest.skip("jq is not installed")
    raw = tmp_path / ("raw.jsonl" if lines else "raw.json")
    raw.write_text("".join(json.dumps(row) + "\n" for row in C3) if lines else json.dumps(C3, indent=1), "utf-8")
    said = command("init", raw, "--to", tmp_path / "c.yaml")[2]
    assert "header" not in said
    program = re.search(r"jq -c '(.*)' FILE > rows.jsonl", said)
    assert program is not None
    done = subprocess.run([jq, "-c", program[1], raw], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(C3) * len(ASKED)
    assert rows[0] == {
        "context": f"{PASSAGE}\nAnd then?",
        "question": ASKED[0][0],
        "options": [ASKED[0][1], "the sea"],
        "answer": ASKED[0][1],
    }


def test_of_other_lists_nothing_is_said():
    assert of_lists([["q", "a"]], array=True) is None
    assert of_lists([[["a"], [{"it's": 1}]]], array=True) is None
    assert of_lists([], array=True) is None


@pytest.mark.parametrize(
    "paths",
    [["qas[0].id", "context"], ["qas[0].question", "it's[0].context"], ["questions[0]"], ["question", "answer"]],
)
def test_nothing_is_said_of_other_keys(paths):
    assert unnesting(paths) is None


def test_a_limit_that_has_no_sentence_is_named(tmp_path, command):
    (tmp_path / "raw.json").write_text(json.dumps({"ids": {f"k{n}": n for n in range(20_000)}}), "utf-8")
    done = command("init", tmp_path / "raw.json", "--to", tmp_path / "c.yaml")
    assert "a record with too many keys or values (too_many_keys)" in " ".join(map(str, done)).replace("\n", " ")
