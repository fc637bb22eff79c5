"""Names in free text: by the network, by the list, and what the check makes of them."""

import importlib.util
import json
import time
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest

from datacheck.checks.pii import NAMES_MISSING, Pii
from datacheck.pii import free_names as module
from datacheck.pii.analyzer import find
from datacheck.pii.free_names import free_names, model
from datacheck.pii.rules import Rules
from datacheck.testing import finding

needs_model = pytest.mark.skipif(
    importlib.util.find_spec("cutword") is None, reason="the extra is absent: pip install 'datacheck-llm[names]'"
)


def names(*texts):
    found = free_names(texts)
    return [[text[start:end] for start, end, _ in found.get(number, ())] for number, text in enumerate(texts)]


def rows(text):
    return [{"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "好"}]}]


@needs_model
def test_the_model_is_the_known_one():
    assert model() is not None


@needs_model
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("昨天王建国和李秀兰一起去了北京。", ["王建国", "李秀兰"]),
        ("主席欧阳娜娜与布莱恩·科比见面", ["欧阳娜娜", "布莱恩·科比"]),
        ("张學友先生說", ["张學友"]),
        ("王先生很高兴，李阿姨也安全到家，谢谢", []),
        ("宋太祖和黄帝", []),
        ("", []),
    ],
)
def test_chinese(text, expected):
    assert names(text) == [expected]


@needs_model
def test_english_names_are_whole_runs_of_capitals_with_a_given_name():
    text = "I met Sarah Whitfield and John F. Miller at Kennedy School, not Sarah Lawrence College or Crystal Palace."
    assert names(text) == [["Sarah Whitfield", "John F. Miller"]]
    assert names("Summer Olympics. April Report. Mary had a lamb. JAMES SMITH") == [[]]


@needs_model
def test_a_name_is_found_wherever_it_stands_and_beside_whatever_else():
    place = "高兴" * 200
    assert names(place + "，王建国说" + place, "他说王建国来了") == [["王建国"], ["王建国"]]


@needs_model
def test_best_paths_are_the_best_of_all():
    """By trying every path."""
    from datacheck.pii.bilstm import _best_paths

    rng = np.random.default_rng(5)
    scores = rng.normal(size=(5, 2, 3)).astype(np.float32)
    start, end = (rng.normal(size=3).astype(np.float32) for _ in range(2))
    between = rng.normal(size=(3, 3)).astype(np.float32)
    out = np.zeros((2, 5), np.int32)
    assert _best_paths(scores, np.array([5, 3], np.int32), 5, 2, 3, start, between, end, out)

    def score(row, path):
        steps = sum(scores[at, row, tag] for at, tag in enumerate(path))
        return start[path[0]] + end[path[-1]] + steps + sum(between[one, two] for one, two in pairwise(path))

    for row, length in enumerate((5, 3)):
        best = max(product(range(3), repeat=length), key=lambda path, row=row: score(row, path))
        assert tuple(out[row, :length]) == best


@needs_model
def test_time_is_linear_in_hostile_text():
    def seconds(text):
        begin = time.process_time()
        free_names([text])
        return time.process_time() - begin

    seconds("王建国")
    for unit in ("王小", "Mary Ann ", "王·", "Mary-", "欧阳"):
        assert seconds(unit * 20_000) < 20 * max(seconds(unit * 2_000), 0.05)


@needs_model
def test_a_free_name_is_a_suspect_that_is_only_counted():
    hits = find(pl.Series(["昨天王建国去了北京", None, "hello", "张三、李四和王五"]), names="model").unique(
        ["index", "state"], maintain_order=True
    )
    assert hits.select("index", "entity", "state", "rule").rows() == [
        (0, "PERSON", "suspect", "person.model"),
        (3, "PERSON", "specimen", "person.model"),
    ]
    assert find(pl.Series(["昨天王建国去了北京"])).is_empty()


@pytest.mark.parametrize(
    ("settings", "level"),
    [
        ({}, "profile"),
        ({"names": "warn"}, "warn"),
        ({"names": "block"}, "warn"),
        ({"entities": {"PERSON": "block"}}, "profile"),
        ({"entities": {"PERSON": "block"}, "names": "block"}, "block"),
        ({"entities": {"PERSON": "off"}, "names": "block"}, "off"),
    ],
)
def test_a_free_name_blocks_only_where_both_settings_say_so(settings, level):
    assert Rules(person="model", **settings).level("PERSON", "suspect", linked=False) == level


@needs_model
def test_the_check_counts_and_warns():
    assert finding(Pii(person="model"), rows("昨天王建国去了北京")).status.value == "pass"
    assert finding(Pii(person="model", names="warn"), rows("昨天王建国去了北京")).status.value == "warn"


def test_without_the_package_the_check_says_so_and_does_not_pass(monkeypatch):
    monkeypatch.setattr(module, "_PACKAGE", "no_such_package_of_names")
    model.cache_clear()
    try:
        judged = finding(Pii(person="model"), rows("昨天王建国去了北京"))
        assert "datacheck-llm[names]" in str(NAMES_MISSING)
        assert judged.status.value not in {"pass", "warn"}
        assert "datacheck-llm[names]" in json.dumps(judged.model_dump(mode="json"), ensure_ascii=False)
    finally:
        model.cache_clear()


def test_another_version_of_the_package_is_none(monkeypatch):
    monkeypatch.setattr(module, "_DIGEST", "0" * 64)
    model.cache_clear()
    try:
        assert model() is None
    finally:
        model.cache_clear()
