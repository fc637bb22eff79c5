"""Twins of LightRFT, MiniOneRec, MLX-GRPO and pplmx/llm: for every rule a row that it applies to, by hand.

benchmarks/systems.py holds the twins against the trainers' own code.
"""

import json

import pytest
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from datacheck.trainers import trainer, trainer_names
from datacheck.trainers.base import UNSEEN, Seen
from datacheck.trainers.settings import SettingsError

OURS = [n for n in trainer_names() if n.partition(".")[0] in {"lightrft", "minionerec", "mlx_grpo", "pplmx_llm"}]
CHAT = {"apply_chat_template": True}
GOOD = {"input": "1+1=?", "label": "gsm8k_rule", "reward_model": {"ground_truth": "2"}}
ASK = [{"role": "user", "content": "1+1=?"}]
ITEM = {
    "user_id": "A1", "history_item_title": "['Pen', 'Ink']", "item_title": "Paper", "history_item_id": "[0, 1]",
    "item_id": "2", "history_item_sid": "['<a_1><b_2><c_3>', '<a_4><b_5><c_6>']", "item_sid": "<a_7><b_8><c_9>",
}  # fmt: skip
STEPS = {"placeholder_token": "#", "reward_tokens": "+,-"}
SUM = {"question": "1+1=?", "answer": "1+1 = 2 #### 2"}
PLX = {"data.tokenizer_type": "hf"}


def without(row, *keys):
    return {key: value for key, value in row.items() if key not in keys}


CASES = [
    # mode, settings, record, rules
    ("lightrft.rl_text", {}, GOOD, []),
    ("lightrft.rl_text", {}, [], ["not_an_object"]),
    ("lightrft.rl_text", {}, without(GOOD, "input"), ["empty_prompt"]),  # L3
    ("lightrft.rl_text", {"input_key": None}, {**without(GOOD, "input"), "prompt": "q"}, []),
    ("lightrft.rl_text", {}, {**GOOD, "input": ASK}, ["prompt_not_rendered"]),
    ("lightrft.rl_text", {}, {**GOOD, "input": 3}, ["prompt_malformed"]),
    ("lightrft.rl_text", CHAT, {**GOOD, "input": [{"from": "chatgpt", "value": "x"}]}, ["role_lost"]),  # L4
    ("lightrft.rl_text", CHAT, {**GOOD, "input": [{"from": "user", "value": "x"}]}, ["role_lost"]),
    ("lightrft.rl_text", CHAT, {**GOOD, "input": [{"from": "human", "value": "x"}]}, []),
    ("lightrft.rl_text", {}, {"input": "q", "extra_info": {"reference": "2"}}, ["no_label"]),  # L1
    ("lightrft.rl_text", {}, {**GOOD, "label": "maths"}, ["unknown_label"]),  # L1
    ("lightrft.rl_text", {"recipes": "maths"}, {**GOOD, "label": "maths"}, []),
    ("lightrft.rl_text", {"label_key": "answer"}, without(GOOD, "label"), ["unknown_label"]),  # L5: the gold is taken
    ("lightrft.rl_text", {}, {**GOOD, "label": ["gsm8k_rule"]}, ["label_malformed"]),
    ("lightrft.rl_text", {}, without(GOOD, "reward_model"), ["no_reference"]),  # L2
    ("lightrft.rl_text", {}, {**GOOD, "extra_info": {"reference": ""}}, ["no_reference"]),
    ("lightrft.rl_vl", CHAT, {**GOOD, "input": ASK}, []),
    ("lightrft.rl_vl", CHAT, {**GOOD, "input": [{"role": "system", "content": "s"}, *ASK]}, ["messages_dropped"]),  # L6
    ("lightrft.rl_vl", CHAT, {**GOOD, "input": [{"from": "human", "value": "x"}]}, ["no_user"]),
    ("lightrft.rl_vl", CHAT, {**GOOD, "input": "<image>x"}, ["image_mark_removed"]),
    ("lightrft.rl_vl", CHAT, {**GOOD, "input": None}, ["prompt_malformed"]),
    ("lightrft.rl_vl", {}, without(GOOD, "input"), ["empty_prompt"]),
    ("lightrft.rl_vl", {}, {**GOOD, "input": ASK}, ["prompt_not_rendered"]),
    ("lightrft.rl_vl", {}, {**GOOD, "label": None}, ["no_label"]),
    ("lightrft.rl_vl", {}, {**GOOD, "label": "maths"}, ["unknown_label"]),
    ("lightrft.rl_vl", {}, {**GOOD, "label": {}}, ["label_malformed"]),
    ("lightrft.rl_vl", {}, without(GOOD, "reward_model"), ["no_reference"]),
    ("lightrft.rl_vl", {}, {**without(GOOD, "reward_model"), "reference": "['2']"}, []),
    ("lightrft.rl_vl", {}, None, ["not_an_object"]),
    ("lightrft.sft", {"input_key": "q", "output_key": "a"}, {"q": "1", "a": "2"}, []),
    ("lightrft.sft", {"input_key": "q", "output_key": "a"}, {"q": "1", "a": ""}, ["empty"]),  # L8
    ("lightrft.sft", {"input_key": "q", "output_key": "a"}, {"q": "1"}, ["missing_key"]),
    ("lightrft.sft", {"input_key": "q", "output_key": "a"}, {"q": 1, "a": "2"}, ["text_malformed"]),
    ("lightrft.sft", {"input_key": "q", **CHAT}, {"q": ASK}, ["messages_malformed"]),
    ("lightrft.sft", {"input_key": "q", **CHAT}, {"q": [*ASK, {"role": "assistant", "content": "2"}]}, []),
    ("lightrft.sft", {"input_key": "q"}, 1, ["not_an_object"]),
    ("lightrft.prm", STEPS, {"input": "1#2#", "label": [1, 0]}, []),
    ("lightrft.prm", STEPS, {"input": "1#2#", "label": ["+", "-"]}, []),
    ("lightrft.prm", STEPS, {"input": "1#2#3#", "label": [1, 0]}, ["labels_uneven"]),  # L17
    ("lightrft.prm", STEPS, {"input": "1#2#3#", "label": [1]}, ["label_spread"]),  # L17
    ("lightrft.prm", STEPS, {"input": "1#2#", "label": ["+", "?"]}, ["unknown_reward_token"]),
    ("lightrft.prm", STEPS, {"input": "1#2#", "label": ["+", 1]}, ["labels_malformed"]),
    ("lightrft.prm", STEPS, {"input": "1#2#", "label": []}, ["labels_malformed"]),
    ("lightrft.prm", STEPS, {"input": "1#2#"}, ["missing_key"]),
    ("lightrft.prm", STEPS, {"input": None, "label": [1]}, ["text_malformed"]),
    ("lightrft.prm", STEPS, [], ["not_an_object"]),
    ("mlx_grpo.grpo", {}, SUM, []),
    ("mlx_grpo.grpo", {}, {**SUM, "answer": "2"}, ["no_gold"]),
    ("mlx_grpo.grpo", {}, {**SUM, "answer": "####  "}, ["empty_gold"]),
    ("mlx_grpo.grpo", {}, {**SUM, "answer": "#### 1 #### 2"}, ["several_marks"]),
    ("mlx_grpo.grpo", {}, {**SUM, "answer": "#### 1,080"}, ["not_an_integer"]),
    ("mlx_grpo.grpo", {}, {**SUM, "answer": None}, ["not_text"]),
    ("mlx_grpo.grpo", {}, without(SUM, "question"), ["missing_column"]),
    ("mlx_grpo.grpo", {}, "x", ["not_an_object"]),
    ("pplmx_llm.sft", {}, {"instruction": "a", "output": "b"}, []),
    ("pplmx_llm.sft", {}, {"instruction": "问", "output": "b"}, ["not_encodable"]),
    ("pplmx_llm.sft", PLX, {"instruction": "问", "output": "答"}, []),
    ("pplmx_llm.sft", {}, {"prompt": "a", "output": "b"}, ["no_instruction"]),
    ("pplmx_llm.sft", {}, {"instruction": "a", "response": "b"}, ["no_output"]),
    ("pplmx_llm.sft", {}, {"instruction": ["a"], "output": "b"}, ["filled_in"]),
    ("pplmx_llm.sft", {}, {"instruction": "a", "output": None}, ["not_text"]),
    ("pplmx_llm.sft", {}, [], ["not_an_object"]),
    ("pplmx_llm.dpo", {}, {"prompt": "a", "chosen": "b"}, ["missing_key"]),
    ("pplmx_llm.dpo", {}, {"prompt": "a", "chosen": "b", "rejected": "c"}, []),
    ("pplmx_llm.dpo", {}, {"prompt": "a", "chosen": "", "rejected": ""}, ["no_answers"]),
    ("pplmx_llm.dpo", {}, {"prompt": "a", "chosen": "b", "rejected": []}, ["not_text"]),
    ("pplmx_llm.dpo", {}, 7, ["not_an_object"]),
    ("pplmx_llm.reward", {}, {"prompt": "a", "chosen": "中", "rejected": "c"}, ["not_encodable"]),
    ("pplmx_llm.reward", {}, ["x"], ["missing_key"]),
    ("pplmx_llm.ppo", {}, {"text": "a"}, []),
    ("pplmx_llm.ppo", {}, {"prompt": "", "text": ""}, ["no_prompt"]),
    ("pplmx_llm.ppo", {}, {"prompt": ["a"]}, ["filled_in"]),
    ("pplmx_llm.ppo", {}, [], ["not_an_object"]),
    ("minionerec.sft", {}, ITEM, []),
    ("minionerec.sft", {}, {**ITEM, "history_item_id": "__import__('os').getcwd()"}, ["runs_code"]),  # M1
    ("minionerec.sft", {}, {**ITEM, "history_item_title": "[x for x in ()]"}, ["runs_code"]),
    ("minionerec.sft", {}, {**ITEM, "history_item_id": "[]"}, ["empty_history"]),  # M2
    ("minionerec.sft", {}, {**ITEM, "item_title": "NA"}, ["nan_target"]),  # M3
    ("minionerec.sft", {}, {**ITEM, "item_sid": "None"}, ["no_target"]),
    ("minionerec.eval", {}, {**ITEM, "item_sid": "nan"}, ["nan_target"]),  # M3
    ("minionerec.rl", {}, {**ITEM, "item_sid": ""}, ["no_target"]),  # M3, data.py:1054
    ("minionerec.rl", {}, {**ITEM, "history_item_sid": "[]"}, ["no_history"]),
    ("minionerec.rl", {}, {**ITEM, "history_item_sid": ""}, ["missing_list"]),
    ("minionerec.rl", {}, {**ITEM, "history_item_sid": "[1]"}, ["not_a_list"]),
    ("minionerec.rl", {}, {**ITEM, "history_item_sid": "'<a_1>'"}, ["letters"]),
    ("minionerec.eval", {}, without(ITEM, "item_sid"), ["missing_column"]),
    ("minionerec.items", {}, {"sid": "<a_1><b_2><c_3>", "title": "Pen"}, ["gold_in_prompt"]),  # M6
    ("minionerec.items", {}, {"sid": "<a_1><b_2><c_3><d_1>", "title": "Pen"}, ["level_lost", "gold_in_prompt"]),  # M7
    ("minionerec.items", {}, {"sid": "<a_1><b_2>", "title": "Pen"}, ["too_few_levels"]),  # M8
    ("minionerec.items", {}, {"sid": "<a_1>"}, ["missing_column"]),
    ("minionerec.descriptions", {}, {"value": {"title": "Pen", "description": "['A pen.', '']"}}, []),
    ("minionerec.descriptions", {}, {"value": {"title": "Pen", "description": "A pen."}}, []),
    ("minionerec.descriptions", {}, {"value": {"title": "Pen", "description": "['', 'A pen.']"}}, ["no_description"]),
    ("minionerec.descriptions", {}, {"value": {"title": "Pen", "description": ""}}, ["no_description"]),
    ("minionerec.descriptions", {}, {"value": {"title": "Pen", "description": "[open('x')]"}}, ["runs_code"]),  # M1
    ("minionerec.descriptions", {}, {"value": {"title": "P", "description": '["A pen\'s."]'}}, ["list_as_text"]),
    ("minionerec.descriptions", {}, {"value": {"title": "P", "description": "[not a list]"}}, ["list_as_text"]),
    ("minionerec.descriptions", {}, {"value": {"title": "P", "description": []}}, ["not_a_key"]),
    ("minionerec.descriptions", {}, {"value": {"title": "Pen"}}, ["missing_column"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings", "record", "rules"), CASES)
def test_rules_by_hand(name, settings, record, rules):
    mode = trainer(name)
    reading = mode.read(record, mode.configured(None, settings), UNSEEN)
    assert [fate.reason for fate in reading.fates] == rules
    assert (reading.trained is None) == (mode.fate_of(reading.fates) in ("dropped", "fails")) or rules


def test_every_rule_of_a_row_has_its_case():
    by_length = {"too_long", "prompt_too_long", "nothing_left"}
    before = {"no_placeholder", "multiturn_with_output", "multiturn_needs_template", "no_prompts"}
    named = {name.partition(".")[0] for name, *_ in CASES}
    for system in named:
        modes = [name for name in OURS if name.startswith(system)]
        known = {slug for name in modes for slug in trainer(name).rules}
        shown = {slug for name, _, _, rules in CASES if name.startswith(system) for slug in rules}
        assert known - shown <= by_length | before, system


@pytest.mark.parametrize("name", OURS)
def test_cuts_give_rules_that_exist(name):
    mode = trainer(name)
    cut = mode.cut(mode.configured(None, {}))
    assert cut.limit is None or cut.reason in mode.rules
    assert cut.unanswered is None or cut.unanswered in mode.rules


def test_a_long_prompt_loses_its_end_and_a_long_row_its_head():
    rl = trainer("lightrft.rl_text")
    assert rl.cut(rl.configured(None, {}, 10)).kept([(12, 0)]) == [(10, 0)]  # L7
    items = trainer("minionerec.sft")
    assert items.cut(items.configured(None, {})).limit == 512  # M12: sft.sh does not set it
    assert items.cut(items.configured(None, {}, 10)).kept([(12, 3)]) == [(7, 3)]
    pplmx = trainer("pplmx_llm.sft")
    assert pplmx.cut(pplmx.configured({"data": {"max_seq_len": 10}}, {})).kept([(12, 3)]) == [(10, 0)]


@pytest.mark.parametrize(
    ("name", "settings", "seen", "rules"),
    [
        ("lightrft.sft", {"multiturn": True, "output_key": "a"}, UNSEEN, ["multiturn_with_output"]),
        ("lightrft.sft", {"multiturn": True}, UNSEEN, ["multiturn_needs_template"]),
        ("lightrft.prm", {}, UNSEEN, ["no_placeholder"]),
        ("lightrft.sft", {"multiturn": True, "apply_chat_template": True}, UNSEEN, []),
        ("pplmx_llm.ppo", {}, Seen(frozenset({"question"})), ["no_prompts"]),
        ("pplmx_llm.ppo", {}, Seen(frozenset({"text"})), []),
    ],
)
def test_what_stops_a_run_before_any_row(name, settings, seen, rules):
    mode = trainer(name)
    assert [fate.reason for fate in mode.before(mode.configured(None, settings), seen)] == rules


def test_what_is_trained():
    mode = trainer("lightrft.rl_vl")
    settings = mode.configured(None, {**CHAT, "system_prompt": "think", "input_template": "Q: {}"})
    row = {**GOOD, "input": [{"role": "system", "content": "s"}, *ASK, {"role": "assistant", "content": "2"}]}
    assert mode.read(row, settings, UNSEEN).trained.prompt == [
        {"role": "system", "content": "think"}, {"role": "user", "content": "Q: 1+1=?"},
    ]  # fmt: skip
    items = trainer("minionerec.sft")
    trained = items.read(ITEM, items.configured(None, {}), UNSEEN).trained
    assert trained.prompt.startswith("Below is an instruction")
    assert "items <a_1><b_2><c_3>, <a_4><b_5><c_6> in chronological order" in trained.prompt
    assert trained.response == "<a_7><b_8><c_9>\n"
    tasks = ["minionerec.rl", "minionerec.sft", "minionerec.eval"]
    others = {n: trainer(n).read(ITEM, trainer(n).configured(None, {}), UNSEEN).trained.prompt for n in tasks}
    assert len({trained.prompt, *others.values()}) == 3  # M11: three skeletons for one task


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = sorted({key for _, _, record, _ in CASES if isinstance(record, dict) for key in record} | {"extra_info"})
INNER = st.dictionaries(
    st.sampled_from(["role", "from", "value", "content", "label", "reference", "ground_truth"]), JSON
)
RECORDS = JSON | st.dictionaries(st.sampled_from(KEYS), JSON | INNER | st.lists(INNER, max_size=3))


@pytest.mark.parametrize("name", OURS)
@example_settings(max_examples=20)
@given(record=RECORDS, chat=st.booleans())
def test_a_twin_never_raises(name, record, chat):
    mode = trainer(name)
    settings = mode.configured(None, {"apply_chat_template": chat, "output_key": "reference", "input_key": "input"})
    reading = mode.read(record, settings, UNSEEN)
    assert all(fate.reason in mode.rules for fate in reading.fates)
    json.dumps([str(fate.detail) for fate in reading.fates])


@pytest.mark.parametrize("length", [0, -1])
def test_a_length_that_is_no_length_is_refused(length):
    with pytest.raises(SettingsError, match="max_seq_len"):
        trainer("pplmx_llm.sft").configured({"data": {"max_seq_len": length}}, {})
