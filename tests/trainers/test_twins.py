"""What every twin must keep, without naming one; and Cut against the trainers' own arithmetic."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacheck.i18n.message import Message
from datacheck.trainers import trainer, trainer_names
from datacheck.trainers.base import FATES, UNSEEN, Mode, RowOutcome, Seen, Trained
from datacheck.trainers.settings import SettingsError, read_config
from datacheck.trainers.truncation import Cut, share_of

KEYS = [
    "messages", "conversations", "conversation", "prompt", "completion", "chosen", "rejected", "label", "text",
    "instruction", "input", "output", "history", "system", "tools", "images", "query", "response", "data_source",
    "reward_model", "extra_info", "preferred_output", "non_preferred_output", "rejected_response", "objects",
    "rejected_messages", "chat_template_kwargs", "role", "content", "from", "value", "tool_calls", "function", "name",
    "arguments", "weight", "type", "user", "assistant", "human", "ground_truth", "bbox", "loss", "source", "\ud800",
]  # fmt: skip
WORDS = st.sampled_from(["user", "assistant", "human", "gpt", "system", "tool", "[]", "{}", "x", "", "null", "[[1]]"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
)
RECORDS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6) | VALUES
MESSAGES = st.lists(st.fixed_dictionaries({}, optional={"role": WORDS, "content": LEAVES, "from": WORDS, "value": LEAVES,
                                                        "tool_calls": VALUES}), max_size=4)  # fmt: skip
CHATS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("messages", "conversations", "prompt", "completion", "chosen", "rejected"), MESSAGES | LEAVES
    )
    | {"tools": VALUES, "label": LEAVES},
)
NAMES = trainer_names()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(record=CHATS | RECORDS, first=CHATS, formatting=st.sampled_from(["alpaca", "sharegpt", "openai"]))
def test_a_twin_never_raises(name, record, first, formatting):
    mode = trainer(name)
    known = mode.configured(None, {"formatting": formatting, "kto_tag": "label"})
    columns = frozenset([*first, *(record if isinstance(record, dict) else ())])
    for seen in (UNSEEN, Seen(columns, first)):
        reading = mode.read(record, known, seen)
        assert isinstance(reading, RowOutcome)
        assert {fate.reason for fate in reading.fates} <= mode.rules.keys()
        assert (reading.trained is None) or isinstance(reading.trained, Trained)
        if mode.fate_of(reading.fates) in ("dropped", "fails"):
            assert reading.trained is None
        for fate in reading.fates:
            assert mode.rules[fate.reason].fate in FATES
            assert len(str(fate.detail or "")) < 200
        mode.before(known, seen)


@pytest.mark.parametrize("name", NAMES)
def test_a_twin_changes_no_record(name):
    mode = trainer(name)
    known = mode.configured(None, {})
    for text in (
        '{"messages": [{"role": "user", "content": "q", "x": 1}, {"from": "gpt", "value": "a"}], "tools": []}',
        '{"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}], "history": [["a", "b"]]}',
        '{"query": "q", "response": ["a", "b"], "history": [["a", "b"]], "objects": {"bbox": [[3, 4, 1, 2]]}}',
    ):
        import json

        record = json.loads(text)
        mode.read(record, known, UNSEEN)
        assert record == json.loads(text)


@pytest.mark.parametrize("name", NAMES)
def test_rules_say_where_they_stand(name):
    mode = trainer(name)
    assert isinstance(mode, Mode)
    assert mode.name == name
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", mode.upstream.repository)
    assert re.fullmatch(r"[0-9a-f]{7,40}|\d+\.\d+\.\d+|\d{4}-\d\d-\d\d", mode.upstream.commit)
    assert mode.not_covered
    for slug, rule in mode.rules.items():
        assert re.fullmatch(r"[a-z][a-z0-9_]*", slug)
        assert re.fullmatch(r"[\w./-]+:\d+|https://[\w./-]+", rule.source), slug
        assert len(re.findall(r"[\u4e00-\u9fff]", Message(rule.says).said("zh"))) >= 2, slug
        assert rule.says
        assert rule.hint


@pytest.mark.parametrize("name", NAMES)
def test_the_rules_of_the_cut_are_told(name):
    mode = trainer(name)
    cut = mode.cut(mode.configured(None, {}, max_length=10))
    assert cut.limit is None or cut.reason in mode.rules
    assert cut.unanswered is None or cut.unanswered in mode.rules


def infer_seqlen(source_len, target_len, cutoff_len):
    """LLaMA-Factory's own, as it stands in processor_utils.py at the commit of the twin."""
    if target_len * 2 < cutoff_len:
        max_target_len = cutoff_len
    elif source_len * 2 < cutoff_len:
        max_target_len = cutoff_len - source_len
    else:
        max_target_len = int(cutoff_len * (target_len / (source_len + target_len)))
    new_target_len = min(max_target_len, target_len)
    max_source_len = max(cutoff_len - new_target_len, 0)
    return min(max_source_len, source_len), new_target_len


@given(st.integers(0, 5000), st.integers(1, 5000), st.integers(1, 4096))
def test_shares_are_llama_factorys(source, target, limit):
    assert share_of(source, target, limit) == infer_seqlen(source, target, limit)


TURNS = st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=1, max_size=6)


@given(TURNS, st.integers(1, 200), st.sampled_from(["keep_start", "keep_end", "turns", "drop", "fails"]), st.booleans())
def test_a_cut_keeps_what_fits(turns, limit, how, last_first):
    kept = Cut(limit, how, last_first=last_first).kept(turns)
    whole = sum(map(sum, turns))
    if kept is None:
        assert how in ("drop", "fails")
        assert whole > limit
        return
    assert sum(map(sum, kept)) <= limit
    assert all(
        0 <= a <= b for kept_turn, turn in zip(kept, turns, strict=True) for a, b in zip(kept_turn, turn, strict=True)
    )
    if how in ("keep_start", "keep_end"):
        ids = [(n, part, k) for n, turn in enumerate(turns) for part in (0, 1) for k in range(turn[part])]
        cut = ids[:limit] if how == "keep_start" else ids[-limit:]
        assert kept == [tuple(sum(i[:2] == (n, part) for i in cut) for part in (0, 1)) for n in range(len(turns))]


@pytest.mark.parametrize(
    ("turns", "limit", "last_first", "kept"),
    [
        ([(10, 10), (10, 10)], 100, False, [(10, 10), (10, 10)]),
        ([(10, 10), (10, 10)], 25, False, [(10, 10), (3, 2)]),  # 5 are left: int(5 * 10 / 20) = 2 for the answer
        ([(10, 10), (10, 10)], 20, False, [(10, 10), (0, 0)]),
        ([(10, 10), (10, 10)], 20, True, [(0, 0), (10, 10)]),
        ([(100, 3)], 20, False, [(17, 3)]),
        ([(3, 100)], 20, False, [(3, 17)]),
    ],
)
def test_turn_by_turn(turns, limit, last_first, kept):
    assert Cut(limit, "turns", last_first=last_first).kept(turns) == kept


def test_settings_come_from_the_file_and_the_command_line():
    mode = trainer("trl.sft")
    assert mode.configured({"max_length": 7}, {}).max_length == 7
    assert mode.configured({"max_length": 7}, {"max_length": 8}).max_length == 8
    assert mode.configured({"max_length": 7}, {}, max_length=9).max_length == 9
    assert mode.configured({"learning_rate": "high"}, {}) == mode.configured(None, {})
    with pytest.raises(SettingsError, match=r"trl\.sft: setting max_length"):
        mode.configured({"max_length": "long"}, {})


def test_nested_names():
    mode = trainer("verl.sft")
    config = {"data": {"max_length": 5, "multiturn": {"messages_key": "talk"}}}
    assert mode.configured(config, {}).max_length == 5
    assert mode.configured(config, {}).messages_key == "talk"
    assert mode.configured(config, {"data.max_length": 6}).max_length == 6


@pytest.mark.parametrize(
    ("name", "data", "value"),
    [
        ("a.yaml", b"a: {b: 1}", {"a": {"b": 1}}),
        ("a.json", b'{"a": 1}', {"a": 1}),
        ("a.toml", b"a = 1\n[b]\nc = 2", {"a": 1, "b": {"c": 2}}),
    ],
)
def test_config_files(name, data, value):
    assert read_config(data, name) == value


@pytest.mark.parametrize(
    ("name", "data"), [("a.yaml", b"a: [1"), ("a.json", b"{"), ("a.toml", b"a"), ("a.yaml", b"\xff"), ("a.yaml", b"- 1"),
                       ("a.yaml", b"!!python/object/apply:os.system [x]"), ("a.json", b"[" * 100_000)]
)  # fmt: skip
def test_config_files_that_are_none(name, data):
    with pytest.raises(SettingsError, match=re.escape(name)):
        read_config(data, name)


def test_an_unknown_trainer():
    with pytest.raises(KeyError):
        trainer("trl.ppo")
    assert "trl.sft" in trainer_names()
