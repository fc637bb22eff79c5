"""Exact facts of public data: which rows repeat which, and which evaluation items leak.

The truth for near-duplicates is a brute force over Python sets, written here and apart from the engine; which GSM8K
lines leak was read in the files.
"""

import csv
import json
import os
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from datacheck.check import Ratio
from datacheck.checks.leakage import Leakage
from datacheck.checks.near_duplicates import NearDuplicates
from datacheck.features.sketch import GramSettings
from datacheck.testing import measure

_REALDATA = Path(os.environ.get("DATACHECK_REALDATA") or Path(__file__).parents[3] / "shared" / "realdata")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not _REALDATA.is_dir(), reason="realdata is absent")]
N, THRESHOLD = 5, 0.8


def grams(text: str) -> frozenset[str]:
    plain = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    return frozenset(plain[at : at + N] for at in range(max(1, len(plain) - N + 1))) if plain else frozenset()


def alike(one: str, other: str) -> bool:
    """Whether half of the shorter answer stands in the other, or one of them says nothing."""
    sets = grams(one), grams(other)
    return len(sets[0] & sets[1]) >= min(map(len, sets)) / 2


def one_question(pair: tuple[str, str], answers: tuple[str, str]) -> bool:
    """Whether a third of the shorter question stands in the other, or the answers are no brief ones."""
    asked, told = [grams(text) for text in pair], min(len(grams(text)) for text in answers)
    return not 0 < told <= 64 or len(asked[0] & asked[1]) >= min(map(len, asked)) / 3


def repeated(texts: list[str], answers: list[str], questions: list[str]) -> dict[int, tuple[int, float]]:
    """Walk in order: row → the most similar kept row before it and their Jaccard similarity, for each removed row."""
    kept: dict[int, frozenset[str]] = {}
    holders: dict[str, list[int]] = defaultdict(list)
    removed = {}
    for row, own in enumerate(map(grams, texts)):
        common = Counter(other for gram in own for other in holders[gram])
        similar = {other: n / (len(own) + len(kept[other]) - n) for other, n in common.items()}
        similar = {
            other: much
            for other, much in similar.items()
            if much >= THRESHOLD
            and alike(answers[row], answers[other])
            and one_question((questions[row], questions[other]), (answers[row], answers[other]))
        }
        best = max(similar, key=lambda other: (similar[other], -other), default=None)
        if best is not None:
            removed[row] = best, similar[best]
        else:
            kept[row] = own
            for gram in own:
                holders[gram].append(row)
    return removed


def array(path: str) -> list[dict]:
    return json.loads((_REALDATA / path).read_text(encoding="utf-8"))


def said(row: dict) -> str:
    return "\n".join(message["value"] for message in row["conversations"])


def answered(row: dict) -> str:
    return "\n".join(turn["value"] for turn in row["conversations"] if turn["from"] in ("gpt", "function_call"))


def followbench() -> list[dict]:
    return [
        row
        for file in sorted((_REALDATA / "followbench/data_zh").glob("*.json"))
        for row in json.loads(file.read_text())
    ]


def office() -> list[str]:
    path = _REALDATA / "minionerec/data/Amazon/valid/Office_Products_5_2016-10-2018-11.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [f"{row['history_item_title']}\n{row['item_title']}" for row in csv.DictReader(file)]


def compare(
    rows: list[dict],
    texts: list[str],
    expected: int,
    on: str = "conversation",
    answers: list[str] | None = None,
    questions: list[str] | None = None,
) -> None:
    check = NearDuplicates(
        on=on, threshold=THRESHOLD, features=GramSettings(by="chars", n=N), normalise=("nfkc", "casefold", "strip_space"),
        boilerplate=None,
    )  # fmt: skip
    nothing = [""] * len(texts)
    truth = repeated(texts, answers or nothing, questions or nothing)
    assert len(truth) == expected
    result = measure(check, rows)
    assert result.value("rate") == Ratio(expected, len(rows))
    copies = result.evidence.drop_nulls("row")
    found = {row: (other, score) for row, other, score in copies.select("row", "other", "score").iter_rows()}
    assert found == {row: (f"train/data.jsonl:{other + 1}", score) for row, (other, score) in truth.items()}


def test_glaive_zh():
    rows = array("llama_factory/data/glaive_toolcall_zh_demo.json")
    compare(rows, [said(row) for row in rows], 45, answers=[answered(row) for row in rows])


def test_glaive_en():
    rows = array("llama_factory/data/glaive_toolcall_en_demo.json")
    compare(rows, [said(row) for row in rows], 48, answers=[answered(row) for row in rows])


def test_huatuo():
    rows = array("huatuo/data-literature/liver_cancer.json")
    texts = [f"{row['instruction']}\n{row['input']}\n{row['output']}" for row in rows]
    assert len(repeated(texts, [""] * len(texts), [""] * len(texts))) == 7  # follow-up questions on one abstract
    compare(rows, texts, 0, answers=[row["output"] for row in rows])


@pytest.mark.parametrize(("on", "expected"), [("prompt", 211), ("conversation", 204)])
def test_followbench_zh(on, expected):
    """As conversations: with a target for its gold, a row whose target is another one is another task."""
    rows = followbench()
    texts = [row["instruction"] + ("\n" + row["target"] if on == "conversation" else "") for row in rows]
    said = [[("user", row["instruction"]), ("assistant", row["target"])] for row in rows]
    chats = [{"messages": [{"role": role, "content": text} for role, text in turns]} for turns in said]
    compare(chats, texts, expected, on, [row["target"] for row in rows] if on == "conversation" else None)


@pytest.mark.slow
def test_hikariming():
    files = sorted((_REALDATA / "alpaca_hikariming/history/其他中文问题补充").glob("*.json"))
    rows = [row for file in files for row in json.loads(file.read_text(encoding="utf-8"))]
    texts = [
        "\n".join(
            [
                *(said for pair in row.get("history", []) for said in pair),
                row["instruction"],
                row.get("input", ""),
                row["output"],
            ]
        )
        for row in rows
    ]
    told = ["\n".join([*(pair[1] for pair in row.get("history", [])), row["output"]]) for row in rows]
    asked = [
        "\n".join([*(pair[0] for pair in row.get("history", [])), row["instruction"], row.get("input", "")])
        for row in rows
    ]
    compare(rows, texts, 1299, answers=told, questions=asked)


@pytest.mark.slow
def test_office_valid():
    texts = office()
    compare([{"text": text} for text in texts], texts, 1311)


@pytest.fixture(scope="module")
def gsm8k():
    folder = _REALDATA / "gsm8k/grade_school_math/data"
    return measure(
        Leakage(against=("eval",)),
        (folder / "train.jsonl").read_bytes(),
        others={"eval": (folder / "test.jsonl").read_bytes()},
    )


@pytest.mark.slow
def test_gsm8k_train_holds_two_test_questions(gsm8k):
    leaked = gsm8k.evidence.filter(problem="leaked")
    assert set(leaked["other"]) == {"eval/data.jsonl:603", "eval/data.jsonl:633"}
    assert gsm8k.value("rate") == Ratio(2, 1319)


# (test line, training line): what a reader of both questions says. Lines count from 1.
VERDICTS = {
    (603, 1315): "leak: the same question with other numbers, a train for a plane",
    (603, 5163): "leak: the same question with other numbers, a train for a plane",
    (633, 21): "leak: the same question with other numbers and names",
    (449, 1782): "variant: the same case of 48 for $576, sold in other portions",
    (580, 2579): "variant: the same two steps with other numbers, rubber bands for cards",
    (825, 3727): "leak: the same question with other numbers, cans for tins",
    (919, 7286): "variant: the same steps with other numbers, music for sports",
    (975, 2601): "variant: the same three books, another question about them",
    (1187, 6029): "no leak: both name the days of a week",
}


def test_gsm8k_every_pair_has_been_read(gsm8k):
    pairs = gsm8k.evidence.select("other", "line").iter_rows()
    assert {(int(other.rpartition(":")[2]), line) for other, line in pairs} == set(VERDICTS)
    review = gsm8k.evidence.filter(problem="review")
    assert gsm8k.value("review") == review["other"].n_unique() == 6


def test_gsm8k_no_answer_alone_and_no_unknown_template(gsm8k):
    assert gsm8k.value("answers") == 0
    assert gsm8k.value("new_templates") == Ratio(0, 1319)


def kk(side: str) -> list[dict]:
    import polars as pl

    files = sorted((_REALDATA / "logic_rl/data/kk/instruct").glob(f"*/{side}.parquet"))
    return [row for file in files for row in pl.read_parquet(file, columns=["prompt", "reward_model"]).to_dicts()]


@pytest.mark.slow
def test_logic_puzzles_of_one_template_are_no_leak():
    """Every prompt stands in one frame; train and test are different puzzles with few names."""
    train, test = kk("train"), kk("test")
    assert not {row["prompt"][0]["content"] for row in train} & {row["prompt"][0]["content"] for row in test}
    result = measure(Leakage(against=("eval",)), train, others={"eval": test})
    assert result.value("rate") == Ratio(0, len(test))
    assert result.value("new_templates") == Ratio(0, len(test))
    leaked = measure(Leakage(against=("eval",)), train[:50] + test[:3], others={"eval": test})
    assert leaked.value("rate") == Ratio(3, len(test))  # the test can fail


def eights(text):
    return {text[at : at + 8] for at in range(len(text) - 7)}


def test_gsm8k_scores_are_containments(gsm8k):
    """Recomputed with sets: what share of the test question's 8-grams the best turn of the training row holds."""
    lines = {
        name: (_REALDATA / f"gsm8k/grade_school_math/data/{name}.jsonl").read_text(encoding="utf-8").split("\n")
        for name in ("train", "test")
    }
    counted = Counter(gram for row in lines["test"] if row for gram in eights(letters(json.loads(row)["question"])))
    frame = {gram for gram, count in counted.items() if count >= 1319 / 10}  # what a tenth of the questions share
    for line, other, score in gsm8k.evidence.select("line", "other", "score").iter_rows():
        question = letters(json.loads(lines["test"][int(other.rpartition(":")[2]) - 1])["question"])
        wanted = eights(question) - frame
        row = json.loads(lines["train"][line - 1])
        held = [sum(gram in letters(row[key]) for gram in wanted) / len(wanted) for key in ("question", "answer")]
        assert score == max(held)


def letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in plain if unicodedata.category(c)[0] in "LNM")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "items"),
    [
        ("llama_factory/data/reason_tool_use_demo_50.jsonl", 50),
        (
            "llama_factory/data/glaive_toolcall_zh_demo.json",
            293,
        ),  # 8 rows ask for a pizza in so many words: commonplace
        ("agieval/data/v1/gaokao-chemistry.jsonl", 207),  # many stems are short; with their options they are not
    ],
)
def test_an_evaluation_set_that_is_the_training_set_leaks_as_a_whole(path, items):
    """Conversations and questions with options stand in several turns; no single turn holds them."""
    text = (_REALDATA / path).read_text(encoding="utf-8")
    rows = json.loads(text) if path.endswith(".json") else [json.loads(line) for line in text.splitlines()]
    result = measure(Leakage(against=("eval",)), rows, others={"eval": rows})
    assert result.value("rate") == Ratio(items, len(rows))


def test_questions_asked_in_turn_are_found_between_answers():
    lines = (_REALDATA / "huozi/data/mt-bench-zh/question.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in lines]
    answer = {"role": "assistant", "content": "这个问题需要仔细想一想，让我从头说起。" * 20}
    rows = [
        {"messages": [m for turn in row["turns"] for m in ({"role": "user", "content": turn}, answer)]} for row in asked
    ]
    result = measure(Leakage(against=("eval",)), rows, others={"eval": asked})
    assert result.value("rate") == Ratio(80, 80)
    places = result.evidence.filter(problem="leaked")["where"]
    assert {where.partition(".content")[0] for where in places} == {"messages[0]"}
