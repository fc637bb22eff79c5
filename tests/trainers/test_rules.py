"""Each rule of the twins of LLaMA-Factory, TRL, ms-swift, verl, OpenRLHF and of services on a row that it is for.

The fates were compared with the loaders' own by benchmarks/trainers.py; here the reasons and places are held.
"""

import json
import math

import pytest

from datacheck.chat.conversations import trained_as
from datacheck.trainers import trainer, trainer_names
from datacheck.trainers.base import Seen
from datacheck.trainers.settings import SettingsError

Q, A, B = ({"role": role, "content": text} for role, text in (("user", "q"), ("assistant", "a"), ("assistant", "b")))
S = {"role": "system", "content": "s"}
H, G = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
TAGS = {
    "tags.role_tag": "role",
    "tags.content_tag": "content",
    "tags.user_tag": "user",
    "tags.assistant_tag": "assistant",
}
SHARE = {"formatting": "sharegpt"}
TOOLED = {**SHARE, "columns.messages": "conversations", "columns.tools": "tools"}
OPENAI = {"formatting": "openai", "columns.messages": "messages", "columns.tools": "tools", **TAGS,
          "tags.observation_tag": "tool", "tags.function_tag": "function", "tags.system_tag": "system"}  # fmt: skip
PAIRS = {**SHARE, "ranking": True, "columns.messages": "conversations", "columns.chosen": "chosen",
         "columns.rejected": "rejected"}  # fmt: skip
TEXT_PAIRS = {"ranking": True, "columns.prompt": "p", "columns.chosen": "chosen", "columns.rejected": "rejected"}
KTO = {**SHARE, "columns.messages": "messages", "columns.kto_tag": "label", **TAGS}
ALPACA_KTO = {"columns.prompt": "p", "columns.response": "r", "columns.kto_tag": "label"}
HISTORY = {"columns.prompt": "p", "columns.response": "r", "columns.history": "h", "columns.system": "s"}
MEDIA = {**SHARE, "columns.messages": "conversations", "columns.images": "images"}
FILTER = {"data.filter_overlong_prompts": True}
ROW = {"data_source": "openai/gsm8k", "prompt": [Q], "reward_model": {"ground_truth": "1"}}
CHAT = {"data.apply_chat_template": True}
MASKED = {"mask_prompt": True}
SHARED = {"standardize_sharegpt": True, "apply_chat_template": "conversations"}
TURNS = {**CHAT, "data.input_key": "messages"}
EVERY = {**TURNS, "data.multiturn": True}
ASKED = {"data.input_key": "q", "data.output_key": "a"}
INTEL = {"datasets.type": "chatml.intel"}
AXKTO, SCORED = {**INTEL, "remove_unused_columns": False}, {"question": "q", "completion": "a", "label": True}
AX, AXDPO = {"datasets.type": "chat_template"}, {"datasets.type": "chat_template.default"}
AXPAIR = {"messages": [Q], "chosen": "an answer", "rejected": "another one"}
ALPACA, PIECES = {"datasets.type": "alpaca"}, {"datasets.type": "input_output"}
BEHIND = {**CHAT, "data.prompt_key": "p"}
GOLDEN = {**CHAT, "data.input_key": "p", "data.label_key": "gold"}
PAIR = {"input": {"messages": [Q]}, "preferred_output": [A], "non_preferred_output": [B]}
NOVA = {"schemaVersion": "bedrock-conversation-2024", "system": [{"text": "s"}],
        "messages": [{"role": role, "content": [{"text": text}]} for role, text in (("user", "q"), ("assistant", "a"))]}  # fmt: skip
GEMINI = {"systemInstruction": {"role": "system", "parts": [{"text": "s"}]},
          "contents": [{"role": role, "parts": [{"text": text}]} for role, text in (("user", "q"), ("model", "a"))]}  # fmt: skip
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def call(arguments, **more):
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"function": {"name": "f", "arguments": arguments}}],
        **more,
    }


def told(value):
    return {"from": "function_call", "value": value}


def without(row, key):
    return {k: v for k, v in row.items() if k != key}


NOVA_CALL = {"toolUseId": "1", "name": "f", "input": {}}
NOVA_RESULT = {"toolUseId": "1", "content": [{"text": "r"}]}
NOVA_TOOL = {"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": {"type": "object"}}}}
NOVA_TOOLS = {"tools": [NOVA_TOOL]}
NOVA_FILE = {"s3Location": {"uri": "s3://bucket/key"}}


def nova(*parts, user=1, **more):
    """A question of the first parts, and an answer of the others."""
    said = {"user": list(parts[:user]), "assistant": list(parts[user:]) or [{"text": "a"}]}
    return {"messages": [{"role": role, "content": content} for role, content in said.items()], **more}


CASES = [
    # LLaMA-Factory
    ("llamafactory.sft", {}, [], "not_an_object", None),
    ("llamafactory.sft", {}, {"instruction": "q", "output": "a"}, "missing_column", "input"),
    ("llamafactory.sft", {"formatting": "chatml"}, {}, "unknown_format", None),
    ("llamafactory.sft", {"template": "qwen17"}, {}, "unknown_template", "template"),
    ("llamafactory.sft", {"template": "qwen", "tool_format": "qwen17"}, {}, "unknown_template", "tool_format"),
    ("llamafactory.dpo", {"ranking": True, "mask_history": True}, {}, "sft_only", "mask_history"),
    ("llamafactory.kto", {"train_on_prompt": True}, {}, "sft_only", "train_on_prompt"),
    ("llamafactory.sft", OPENAI, {"messages": [{"role": "system", "content": [{"text": "s"}]}, Q], "tools": ""}, "system_not_text", None),
    ("llamafactory.sft", {"template": "glm4", "train_on_prompt": True}, {}, "prompt_not_trainable", "train_on_prompt"),
    ("llamafactory.sft", {"template": "fewshot", **SHARE}, {"conversations": [H, G, {"from": "human", "value": ""}, G]},
     "labels_shifted", "conversations"),
    ("llamafactory.sft", {"template": "qwen2_vl"}, {}, "media_template", "template"),
    ("llamafactory.sft", HISTORY, {"p": "q", "r": "a", "h": [["x"]], "s": ""}, "history_malformed", "h[0]"),
    ("llamafactory.sft", HISTORY, {"p": "q", "r": "a", "h": "[]", "s": ""}, "history_ignored", "h"),
    ("llamafactory.sft", HISTORY, {"p": "q", "r": "a", "h": [], "s": ["x"]}, "system_not_text", None),
    ("llamafactory.sft", {}, {"instruction": ["q"], "input": "", "output": "a"}, "text_expected", "instruction"),
    ("llamafactory.sft", {}, {"instruction": "q", "input": "", "output": None}, "no_answer", "output"),
    ("llamafactory.sft", SHARE, {"conversations": [H, "x"]}, "messages_malformed", "conversations[1].from"),
    ("llamafactory.sft", SHARE, {"conversations": [H, {"from": "bot", "value": "a"}]}, "role_order", "conversations[1].from"),
    ("llamafactory.sft", SHARE, {"conversations": [H]}, "message_count", "conversations"),
    ("llamafactory.sft", SHARE, {"conversations": []}, "no_messages", "conversations"),
    ("llamafactory.sft", SHARE, {"conversations": [H, told("{")]}, "call_malformed", None),
    ("llamafactory.sft", SHARE, {"conversations": [H, told('{"name": "f", "arguments": "{}"}')]}, "arguments_as_text", None),
    ("llamafactory.sft", TOOLED, {"conversations": [H, G], "tools": [{"name": "f"}]}, "tools_not_text", None),
    ("llamafactory.sft", TOOLED, {"conversations": [H, G], "tools": '{"name": "f"}'}, "tools_malformed", None),
    ("llamafactory.sft", MEDIA, {"conversations": [H, G], "images": ["a.png", 1]}, "media_malformed", "images"),
    ("llamafactory.sft", {**SHARE, "columns.messages": "m", **TAGS}, {"m": [Q, {"role": None, "content": "a"}]},
     "role_not_rendered", None),
    ("llamafactory.sft", OPENAI, {"messages": [Q, A]}, "system_added", None),
    ("llamafactory.sft", OPENAI, {"messages": [Q, Q]}, "role_order_openai", "messages"),
    ("llamafactory.sft", OPENAI, {"messages": [{"role": "x", "content": "q"}, A]}, "unknown_role", "messages[0].role"),
    ("llamafactory.sft", OPENAI, {"messages": [Q, {**A, "tool_calls": [1]}]}, "tool_calls_malformed", "messages[1].tool_calls"),
    ("llamafactory.sft", OPENAI, {"messages": [Q, call('{"x": 1}')]}, "arguments_as_text", None),
    ("llamafactory.sft", OPENAI, {"messages": [Q, call({}), {"role": "tool", "content": "r"}]}, "result_lost", "messages"),
    ("llamafactory.sft", KTO, {"messages": [Q, A], "label": True}, "kto_in_other_stage", "label"),
    ("llamafactory.dpo", PAIRS, {"conversations": [H], "chosen": "a", "rejected": "b"}, "pair_not_objects", "chosen"),
    ("llamafactory.dpo", PAIRS, {"conversations": [H], "chosen": {}, "rejected": G}, "pair_malformed", "chosen"),
    ("llamafactory.dpo", PAIRS, {"conversations": [H], "chosen": H, "rejected": G}, "pair_role", "chosen.from"),
    ("llamafactory.dpo", TEXT_PAIRS, {"p": "q", "chosen": G, "rejected": G}, "pair_not_text", "chosen"),
    ("llamafactory.kto", KTO, {"messages": [Q, A], "label": "yes"}, "label_not_bool", "label"),
    ("llamafactory.kto", KTO, {"messages": [Q], "label": True}, "breaks_next", "messages"),
    ("llamafactory.kto", ALPACA_KTO, {"p": "q", "r": "", "label": True}, "label_flipped", "r"),
    ("llamafactory.kto", ALPACA_KTO, {"p": "q", "r": 0, "label": True}, "text_expected", "r"),
    ("llamafactory.kto", ALPACA_KTO, {"p": "q", "r": False, "label": True}, "text_expected", "r"),
    ("llamafactory.kto", ALPACA_KTO, {"p": "q", "r": [], "label": True}, "text_expected", "r"),
    ("llamafactory.sft", PAIRS, {}, "wrong_stage", None),
    # OpenRLHF
    ("openrlhf.sft", ASKED, [], "not_an_object", None),
    ("openrlhf.sft", ASKED, {"q": "q"}, "missing_key", "a"),
    ("openrlhf.sft", {**ASKED, "data.input_template": "{} {"}, {"q": "q", "a": "a"}, "template_malformed", "data.input_template"),
    ("openrlhf.sft", TURNS, {"messages": [Q, "a"]}, "messages_malformed", "messages[1]"),
    ("openrlhf.sft", TURNS, {"messages": [A]}, "one_message", "messages"),
    ("openrlhf.sft", TURNS, {"messages": "q a"}, "text_for_messages", "messages"),
    ("openrlhf.sft", EVERY, {"messages": "q a"}, "messages_malformed", "messages"),
    ("openrlhf.sft", TURNS, {"messages": [Q, {**A, "content": None}]}, "content_not_text", "messages[1].content"),
    ("openrlhf.sft", TURNS, {"messages": [{**Q, "role": "human"}, A]}, "foreign_role", "messages[0].role"),
    ("openrlhf.sft", EVERY, {"messages": [Q, {"content": "a"}]}, "role_missing", "messages[1].role"),
    ("openrlhf.sft", EVERY, {"messages": [A, Q, A]}, "begins_with_answer", "messages[0].role"),
    ("openrlhf.sft", EVERY, {"messages": [Q, Q]}, "no_answer", "messages"),
    ("openrlhf.sft", TURNS, {"messages": [Q, A, Q]}, "last_not_answer", "messages[2].role"),
    ("openrlhf.sft", TURNS, {"messages": [Q, A], "tools": [{"name": "f"}]}, "tools_ignored", "tools"),
    ("openrlhf.sft", ASKED, {"q": ["q"], "a": "a"}, "prompt_spelt", "q"),
    ("openrlhf.sft", ASKED, {"q": "q", "a": ["a"]}, "text_malformed", "a"),
    ("openrlhf.sft", ASKED, {"q": "q", "a": ""}, "empty", "a"),
    ("openrlhf.sft", {**CHAT, **ASKED}, {"q": [Q], "a": []}, "empty", "a"),
    ("openrlhf.sft", {**CHAT, **ASKED}, {"q": [Q], "a": "a"}, "messages_malformed", "a"),
    ("openrlhf.sft", {"data.input_key": "t", "model.pretrain_mode_enable": True}, {"t": None}, "empty", "t"),
    ("openrlhf.sft", {**EVERY, "data.output_key": "a"}, {"messages": [Q], "a": A}, "multiturn_with_output", "a"),
    ("openrlhf.sft", {"data.multiturn": True}, {"input": [Q, A]}, "multiturn_needs_template", None),
    ("openrlhf.rm", {}, {"chosen": "a"}, "missing_key", "rejected"),
    ("openrlhf.rm", {"data.prompt_key": "p", "data.input_template": "{} {}"}, {"p": "q", "chosen": "a", "rejected": "b"},
     "template_malformed", "data.input_template"),
    ("openrlhf.rm", {"data.prompt_key": "p"}, {"p": None, "chosen": "a", "rejected": "b"}, "prompt_null", "p"),
    ("openrlhf.rm", {"model.margin_loss_enable": True}, {"chosen": "a", "rejected": "b", "margin": "1"}, "margin_malformed", "margin"),
    ("openrlhf.rm", CHAT, {"chosen": "a", "rejected": [Q, B]}, "letters_rendered", "chosen"),
    ("openrlhf.rm", BEHIND, {"p": "q", "chosen": "a", "rejected": "b"}, "letters_rendered", "p"),
    ("openrlhf.rm", BEHIND, {"p": [Q], "chosen": "a", "rejected": [B]}, "messages_malformed", "chosen"),
    ("openrlhf.rm", BEHIND, {"p": [Q], "chosen": [A], "rejected": []}, "side_empty", "rejected"),
    ("openrlhf.rm", {"data.prompt_key": "p", "data.input_template": "{}"}, {"p": 1, "chosen": "a", "rejected": "b"}, "prompt_spelt", "p"),
    ("openrlhf.dpo", {"data.prompt_key": "p"}, {"p": None, "chosen": "a", "rejected": "b"}, "text_malformed", "p"),
    ("openrlhf.dpo", {}, {"chosen": "a", "rejected": "a"}, "same_answers", "rejected"),
    ("openrlhf.dpo", CHAT, {"chosen": [A], "rejected": [Q, B]}, "one_message", "chosen"),
    ("openrlhf.dpo", CHAT, {"chosen": [Q, A], "rejected": [S, Q, B]}, "other_prompt", "rejected"),
    ("openrlhf.dpo", BEHIND, {"p": [Q], "chosen": [A], "rejected": [{**B, "content": 1}]}, "content_not_text", "rejected[0].content"),
    ("openrlhf.dpo", BEHIND, {"p": [Q], "chosen": [{**A, "role": "gpt"}], "rejected": [B]}, "foreign_role", "chosen[0].role"),
    ("openrlhf.dpo", BEHIND, {"p": [Q], "chosen": [A], "rejected": [B], "tools": [1]}, "tools_ignored", "tools"),
    ("openrlhf.dpo", {}, 1, "not_an_object", None),
    ("openrlhf.rl", GOLDEN, 1, "not_an_object", None),
    ("openrlhf.rl", GOLDEN, {"p": [Q]}, "missing_key", "gold"),
    ("openrlhf.rl", {"data.input_template": "{}{x}"}, {"input": "q"}, "template_malformed", "data.input_template"),
    ("openrlhf.rl", GOLDEN, {"p": {}, "gold": "1"}, "messages_malformed", "p"),
    ("openrlhf.rl", GOLDEN, {"p": [{**Q, "content": 1}], "gold": "1"}, "content_not_text", "p[0].content"),
    ("openrlhf.rl", GOLDEN, {"p": [{**Q, "role": "human"}], "gold": "1"}, "foreign_role", "p[0].role"),
    ("openrlhf.rl", GOLDEN, {"p": [Q], "gold": "1", "tools": [1]}, "tools_ignored", "tools"),
    ("openrlhf.rl", GOLDEN, {"p": "<image> q", "gold": "1"}, "image_mark", "p[0].content"),
    ("openrlhf.rl", {"data.input_template": "{}"}, {"input": 1}, "prompt_spelt", "input"),
    ("openrlhf.rl", {}, {"input": ""}, "prompt_empty", "input"),
    ("openrlhf.rl", GOLDEN, {"p": [Q], "gold": None}, "no_label", "gold"),
    ("openrlhf.rl", {}, {"input": 1}, "text_malformed", "input"),
    # MLX-LM
    ("mlx_lm.sft", {}, 1, "not_an_object", None),
    ("mlx_lm.sft", {}, {"conversations": [H, G]}, "no_shape", None),
    ("mlx_lm.sft", {"chat_feature": "talk"}, {"messages": [Q, A]}, "no_shape", None),
    ("mlx_lm.sft", MASKED, {"text": "x"}, "text_masked", "mask_prompt"),
    ("mlx_lm.sft", {}, {"text": 1}, "text_malformed", "text"),
    ("mlx_lm.sft", {}, {"text": ""}, "text_empty", "text"),
    ("mlx_lm.sft", {}, {"messages": "q a"}, "messages_malformed", "messages"),
    ("mlx_lm.sft", {}, {"messages": []}, "messages_malformed", "messages"),
    ("mlx_lm.sft", {}, {"messages": [Q, {**A, "content": None}]}, "content_not_text", "messages[1].content"),
    ("mlx_lm.sft", {}, {"prompt": "q", "completion": None}, "content_not_text", "completion"),
    ("mlx_lm.sft", {}, {"messages": [Q, A], "tools": "[]"}, "tools_malformed", "tools"),
    ("mlx_lm.sft", {}, {"messages": [{**Q, "role": "human"}, A]}, "foreign_role", "messages[0].role"),
    ("mlx_lm.sft", MASKED, {"messages": [A]}, "one_message", "messages"),
    ("mlx_lm.sft", MASKED, {"messages": [Q, A, Q]}, "last_not_answer", "messages[2].role"),
    # Unsloth
    ("unsloth.sft", {}, 1, "not_an_object", None),
    ("unsloth.sft", {}, {"messages": [Q, A], "images": []}, "images_column", "images"),
    ("unsloth.sft", {}, {"messages": [Q, A], "labels": [1]}, "tokens_given", None),
    ("unsloth.sft", {}, {"conversations": [H, G]}, "no_formatting_func", None),
    ("unsloth.sft", {"apply_chat_template": "talk"}, {"messages": [Q, A]}, "missing_column", "talk"),
    ("unsloth.sft", {}, {"text": None}, "text_expected", "text"),
    ("unsloth.sft", {}, {"prompt": "q", "completion": None}, "text_expected", "completion"),
    ("unsloth.sft", {}, {"text": ""}, "text_empty", "text"),
    ("unsloth.sft", {}, {"text": ["a", "b"]}, "text_pair", "text"),
    ("unsloth.sft", SHARED, {"conversations": "q a"}, "messages_malformed", "conversations"),
    ("unsloth.sft", {"apply_chat_template": "messages"}, {"messages": []}, "empty_messages", "messages"),
    ("unsloth.sft", {"apply_chat_template": "messages"}, {"messages": [[1]]}, "messages_malformed", "messages[0]"),
    ("unsloth.sft", {}, {"prompt": [Q], "completion": [A, 1]}, "message_not_object", "completion[2]"),
    ("unsloth.sft", {}, {"messages": [Q, A], "tools": ""}, "tools_malformed", "tools"),
    ("unsloth.sft", {}, {"messages": [Q, A], "chat_template_kwargs": [1]}, "template_kwargs_malformed", "chat_template_kwargs"),
    ("unsloth.sft", {"assistant_only_loss": True}, {"text": "x"}, "not_conversational", None),
    ("unsloth.sft", SHARED, {"conversations": [H, {**G, "weight": 1}]}, "keys_not_two", "conversations"),
    ("unsloth.sft", SHARED, {"conversations": [H, A]}, "keys_not_two", "conversations"),
    ("unsloth.sft", SHARED, {"conversations": [H, {"from": "gpt"}]}, "content_not_text", "conversations[1]"),
    ("unsloth.sft", SHARED, {"conversations": [H, {**G, "value": None}]}, "content_not_text", "conversations[1].value"),
    ("unsloth.sft", SHARED, {"conversations": [H, {**G, "from": "bot"}]}, "unknown_role", "conversations[1]"),
    ("unsloth.sft", {}, {"messages": [{**Q, "role": "human"}, A]}, "foreign_role", "messages[0].role"),
    ("unsloth.sft", {}, {"messages": [Q, {"content": "a"}]}, "role_missing", "messages[1]"),
    ("unsloth.sft", {}, {"messages": [Q, A]}, "user_words_trained", None),
    # axolotl
    ("axolotl.sft", AX, 1, "not_an_object", None),
    ("axolotl.sft", {}, {"messages": [Q, A]}, "type_missing", "datasets.type"),
    ("axolotl.sft", {**AX, "chat_template": "chatlm"}, {"messages": [Q, A]}, "template_unknown", "chat_template"),
    ("axolotl.sft", {**AX, "datasets.chat_template": "jinja"}, {"messages": [Q, A]}, "template_unknown", "chat_template"),
    ("axolotl.sft", {**AX, "tokens": "<x>, <y>"}, {"messages": [Q, A]}, "tokenizer_changed", None),
    ("axolotl.sft", AX, {"input_ids": [1], "attention_mask": [1], "labels": [1]}, "already_tokenized", "input_ids"),
    ("axolotl.sft", AX, {"messages": None}, "messages_malformed", "messages"),
    ("axolotl.sft", AX, {"messages": []}, "messages_malformed", "messages"),
    ("axolotl.sft", AX, {"messages": "[1]"}, "messages_malformed", "messages[0]"),
    ("axolotl.sft", {**AX, "datasets.drop_system_message": True}, {"messages": [S]}, "messages_malformed", "messages"),
    ("axolotl.sft", AX, {"messages": [{"content": "q"}, A]}, "role_missing", "messages[0]"),
    ("axolotl.sft", AX, {"messages": [Q, {"content": "a"}, A]}, "role_missing_later", "messages[1]"),
    ("axolotl.sft", AX, {"messages": [Q, {**A, "role": []}]}, "role_malformed", "messages[1]"),
    ("axolotl.sft", AX, {"messages": [Q, {**A, "role": "bot"}, A]}, "foreign_role", "messages[1].role"),
    ("axolotl.sft", AX, {"messages": [Q, {"role": "assistant", "content": None}]}, "content_not_text", "messages[1].content"),
    ("axolotl.sft", AX, {"messages": [Q, {**A, "content": [{"text": 1}]}]}, "content_malformed", "messages[1].content"),
    ("axolotl.sft", {**AX, "datasets.split_thinking": True}, {"messages": [Q, {"role": "assistant"}]}, "content_malformed", "messages[1]"),
    ("axolotl.sft", AX, {"messages": [Q, A], "system": None}, "system_not_text", "system"),
    ("axolotl.sft", AX, {"messages": [Q, {**A, "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]}, "tool_call_malformed",
     "messages[1].tool_calls"),
    ("axolotl.sft", AX, {"messages": [Q, A], "tools": ""}, "tools_malformed", "tools"),
    ("axolotl.sft", AX, {"messages": [Q, A], "tools": [{"function": {"parameters": "{"}}]}, "tools_malformed", "tools"),
    ("axolotl.sft", AX, {"messages": [Q, {**A, "content": [{"text": "a", "train": False}]}]}, "labels_by_part", "messages[1]"),
    ("axolotl.sft", AX, {"messages": [Q, Q]}, "no_trained_turn", "messages"),
    ("axolotl.sft", {**AX, "datasets.roles_to_train": "model"}, {"messages": [Q, A]}, "no_trained_turn", "messages"),
    ("axolotl.sft", {**AX, "datasets.message_field_training": "t"}, {"messages": [Q, {**A, "t": False}]}, "no_trained_turn", "messages"),
    ("axolotl.sft", ALPACA, {"instruction": "q"}, "missing_key", "output"),
    ("axolotl.sft", ALPACA, {"instruction": None, "output": "a"}, "prompt_spelt", "instruction"),
    ("axolotl.sft", ALPACA, {"instruction": "q", "output": ""}, "no_answer", "output"),
    ("axolotl.sft", ALPACA, {"instruction": "q", "output": 1}, "text_malformed", "output"),
    ("axolotl.sft", PIECES, {"segments": [{"text": "q"}]}, "segments_malformed", "segments[0]"),
    ("axolotl.sft", {"datasets.type": "completion"}, {"text": ""}, "no_text", "text"),
    ("axolotl.sft", {"datasets.type": "completion"}, {"text": ["a"]}, "text_malformed", "text"),
    ("axolotl.sft", {"datasets.type": "completion", "datasets.field": "body"}, {"text": "a"}, "missing_key", "body"),
    ("axolotl.dpo", INTEL, {"question": None, "chosen": "a", "rejected": "b"}, "text_spelt", "question"),
    ("axolotl.dpo", INTEL, {"prompt": "q", "chosen": "a", "rejected": "b"}, "missing_key", "question"),
    ("axolotl.dpo", INTEL, {"question": "q", "chosen": "a", "rejected": "a"}, "same_answers", "rejected"),
    ("axolotl.dpo", {"datasets.type": "llama3.ultra"}, {"prompt": "q", "chosen": [Q], "rejected": [Q, A]}, "messages_malformed", "chosen"),
    ("axolotl.dpo", {"datasets.type": "chatml.argilla_chat"}, {"chosen": [Q, A, Q, A], "rejected": [Q, B]}, "turns_left_out", "chosen"),
    ("axolotl.dpo", {"datasets.type": "chat_template.argilla_chat"}, {"chosen": [A], "rejected": [A]}, "messages_malformed", "chosen"),
    ("axolotl.kto", AXKTO, 1, "not_an_object", None),
    ("axolotl.kto", {"remove_unused_columns": False}, SCORED, "type_missing", "datasets.type"),
    ("axolotl.kto", {"datasets.type": "chatml.intel"}, SCORED, "unused_columns", "remove_unused_columns"),
    ("axolotl.kto", {**AXKTO, "tokens": "<x>"}, SCORED, "tokenizer_changed", None),
    ("axolotl.kto", AXKTO, {"question": "q", "label": True}, "missing_key", "completion"),
    ("axolotl.kto", AXKTO, {**SCORED, "images": []}, "images_column", "images"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "image": "a.png"}, "images_column", "image"),
    ("axolotl.kto", AXKTO, {**SCORED, "question": 1}, "text_spelt", "question"),
    ("axolotl.kto", AXKTO, {**SCORED, "label": "true"}, "no_label", "label"),
    ("axolotl.kto", AXKTO, {**SCORED, "label": 1}, "label_not_bool", "label"),
    ("axolotl.kto", {**AXKTO, "datasets.type": "llama3.argilla_chat"}, SCORED, "messages_malformed", "completion"),
    ("axolotl.dpo", AXDPO, 1, "not_an_object", None),
    ("axolotl.dpo", {}, AXPAIR, "type_missing", "datasets.type"),
    ("axolotl.dpo", {**AXDPO, "chat_template": "chatlm"}, AXPAIR, "template_unknown", "chat_template"),
    ("axolotl.dpo", {**AXDPO, "special_tokens.eos_token": "<x>"}, AXPAIR, "tokenizer_changed", None),
    ("axolotl.dpo", AXDPO, {"messages": [Q], "chosen": "a"}, "missing_key", "rejected"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "messages": []}, "messages_malformed", "messages"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "chosen": []}, "messages_malformed", "chosen"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "messages": [{**Q, "role": "human"}]}, "role_unknown", "messages[0].role"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "chosen": {**A, "content": None}}, "content_malformed", "chosen"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "messages": [{"role": "user"}]}, "content_malformed", "messages[0]"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "rejected": "an answer"}, "same_answers", "rejected"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "tools": [1]}, "tools_ignored", "tools"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "chosen": "A"}, "answer_not_found", "chosen"),
    ("axolotl.dpo", AXDPO, {**AXPAIR, "rejected": " words with a blank"}, "answer_not_found", "rejected"),
    # TRL
    ("trl.sft", {}, 1, "not_an_object", None),
    ("trl.sft", {}, {"messages": []}, "empty_messages", "messages"),
    ("trl.sft", {}, {"messages": [Q, "x"]}, "message_not_object", "messages[1]"),
    ("trl.sft", {}, {"prompt": "q", "completion": [A]}, "text_expected", "completion"),
    ("trl.sft", {}, {"prompt": [Q], "completion": "a"}, "mixed_kinds", "completion"),
    ("trl.sft", {}, {"messages": [Q, A], "tools": "{"}, "tools_malformed", "tools"),
    ("trl.sft", {}, {"messages": [Q, A], "chat_template_kwargs": None}, "template_kwargs_malformed", "chat_template_kwargs"),
    ("trl.sft", {}, {"conversations": [H, G]}, "foreign_role", "messages[0].role"),
    ("trl.sft", {}, {"messages": [Q, {"content": "a"}]}, "role_missing", "messages[1]"),
    ("trl.sft", {}, {"conversations": [Q, A]}, "no_known_column", "text"),
    ("trl.sft", {}, {"text": None}, "text_expected", "text"),
    ("trl.sft", {}, {"prompt": "q"}, "no_completion", "completion"),
    ("trl.sft", {"assistant_only_loss": True}, {"messages": [Q]}, "no_assistant_token", "messages"),
    ("trl.sft", {"assistant_only_loss": True}, {"text": "x"}, "not_conversational", None),
    ("trl.sft", {"assistant_only_loss": True}, {"prompt": "q", "completion": "a"}, "not_conversational", None),
    ("trl.sft", {"assistant_only_loss": True}, {"conversations": [H, G]}, "not_conversational", None),
    ("trl.sft", {"assistant_only_loss": True}, {"input_ids": [1, 2], "assistant_masks": [0, 1]}, "not_conversational", None),
    ("trl.sft", {}, {"messages": [Q, A]}, "user_words_trained", None),
    ("trl.sft", {}, {"input_ids": None}, "tokens_malformed", "input_ids"),
    ("trl.sft", {}, {"input_ids": [1, 2], "labels": "1 2"}, "tokens_malformed", "labels"),
    ("trl.sft", {}, {"input_ids": [1, 2], "labels": [-100, -100]}, "fully_masked", "labels"),
    ("trl.sft", {}, {"input_ids": [1, 2], "labels": []}, "fully_masked", "labels"),
    ("trl.sft", {}, {"input_ids": [1], "labels": [-100] * 2}, "fully_masked", "labels"),
    ("trl.sft", {}, {"input_ids": ""}, "fully_masked", "labels"),
    ("trl.sft", {}, {"input_ids": [1, 2], "assistant_masks": None}, "tokens_malformed", "assistant_masks"),
    ("trl.sft", {}, {"input_ids": [1, 2], "assistant_masks": [0, 0]}, "fully_masked", "labels"),
    ("trl.sft", {"completion_only_loss": True}, {"input_ids": [1], "completion_mask": [0]}, "fully_masked", "labels"),
    ("trl.sft", {"dataset_text_field": "t"}, {"text": "q", "t": None}, "text_expected", "t"),
    ("trl.dpo", {}, {"prompt": "q", "chosen": "a"}, "missing_column", "rejected"),
    ("trl.dpo", {}, {"prompt": "q", "chosen": [A], "rejected": [B]}, "text_expected", "chosen"),
    ("trl.dpo", {}, {"chosen": [A], "rejected": [B]}, "nothing_shared", "chosen"),
    ("trl.reward", {}, {"chosen": [Q, A]}, "missing_column", "rejected"),
    ("trl.reward", {}, {"chosen": None, "rejected": "b"}, "text_expected", "chosen"),
    ("trl.reward", {}, {"chosen": "a", "rejected": "b", "margin": None}, "margin_malformed", "margin"),
    ("trl.reward", {}, {"prompt": [{"role": "user", "content": [{"type": "text", "text": "q"}]}], "chosen": [A], "rejected": [B]},
     "no_column", "chosen"),
    ("trl.kto", {}, {"prompt": "q", "label": True}, "missing_column", "completion"),
    ("trl.kto", {}, {"prompt": "q", "completion": None, "label": True}, "text_expected", "completion"),
    ("trl.kto", {}, {"chosen": [A], "rejected": [B]}, "nothing_shared", "chosen"),
    ("trl.kto", {}, {"prompt": "q", "completion": "a", "label": "good"}, "no_label", "label"),
    ("trl.kto", {}, {"prompt": "q", "completion": "a", "label": 2}, "label_not_bool", "label"),
    ("trl.grpo", {}, {"question": "q"}, "missing_column", "prompt"),
    ("trl.grpo", {}, {"prompt": None}, "text_expected", "prompt"),
    ("trl.grpo", {}, {"prompt": [{"role": "user"}]}, "content_missing", "prompt[0].content"),
    ("trl.grpo", {}, {"prompt": ["q", "r"]}, "prompt_of_texts", "prompt"),
    ("trl.sft", {}, {"messages": [Q, A], "labels": None}, "labels_of_text", "labels"),
    ("trl.sft", {}, {"messages": [Q, A], "labels": [-100, -100]}, "fully_masked", "labels"),
    ("trl.orpo", {}, {"prompt": "q", "chosen": "a"}, "missing_column", "rejected"),
    ("trl.orpo", {}, {"prompt": "q", "chosen": "a", "rejected": 1}, "text_expected", "rejected"),
    ("trl.orpo", {}, {"prompt": [Q], "chosen": [A], "rejected": "b"}, "mixed_kinds", "rejected"),
    ("trl.orpo", {}, {"prompt": "q", "chosen": [A], "rejected": [B]}, "nothing_shared", "chosen"),
    ("trl.orpo", {}, {"chosen": [Q, A], "rejected": [Q, B], "label": True}, "columns_beside", "label"),
    ("trl.orpo", {}, {"prompt": [Q, S], "chosen": [A], "rejected": [B]}, "prompt_end", "prompt[1].role"),
    ("trl.orpo", {}, {"prompt": [Q, {**A, "content": None}], "chosen": [A], "rejected": [B]}, "prompt_end", "prompt[1].content"),
    ("trl.orpo", {}, {"prompt": "q", "chosen": "a", "rejected": "b", "their_labels": "x"}, "no_tensor", "their_labels"),
    ("trl.orpo", {}, {"prompt": [Q], "chosen": [A], "rejected": [B], "tools": [{}]}, "tools_left_out", "tools"),
    ("trl.orpo", {}, {"prompt": [Q], "chosen": [A], "rejected": [B], "chat_template_kwargs": None},
     "template_kwargs_malformed", "chat_template_kwargs"),
    # ms-swift
    ("ms_swift.sft", {"truncation_strategy": "split"}, {}, "truncation_refused", "truncation_strategy"),
    ("ms_swift.grpo", {"truncation_strategy": "right"}, {}, "truncation_refused", "truncation_strategy"),
    ("ms_swift.sft", {}, {"messages": [{**S, "content": {"text": "s"}}, Q, A], "tools": "[{}]"}, "system_spelt", "messages[0].content"),
    ("ms_swift.sft", {}, {"messages": [Q, call({"x": 0.3})]}, "fraction_changed", "messages"),
    ("ms_swift.sft", {}, {"messages": [Q, A], "tools": [{"name": "f", "parameters": {"default": 0.7}}]}, "fraction_changed", "tools"),
    ("ms_swift.grpo", {}, {"prompt": math.inf}, "number_lost", "messages[0].content"),
    ("ms_swift.sft", {}, {"messages": [Q, call(json.dumps({"x": 10**20}))]}, "number_too_big", "messages"),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "content": "a</s>"}]}, "end_in_answer", "messages[1]"),
    ("ms_swift.sft", {}, {"messages": [{"role": "system", "content": ""}, Q, A]}, "system_empty", "messages[0].content"),
    ("ms_swift.sft", {}, {"messages": [Q, A, {"role": "tool_call", "content": '{"name": "f", "arguments": {}}'}]},
     "call_behind_words", "messages[1]"),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "content": {"token_ids": [1]}}]}, "tokens_given", "messages[1].content"),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "loss": 0}]}, "message_masked", "messages[1].loss"),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "loss_scale": 0.0}]}, "message_masked", "messages[1].loss"),
    ("ms_swift.sft", {}, {"messages": [Q, A, {**A, "loss": False}]}, "joined_unlike", "messages[1].loss"),
    ("ms_swift.dpo", {}, {"messages": [S, A], "rejected_response": "b"}, "two_prompts", "rejected_response"),
    ("ms_swift.dpo", {}, {"messages": [Q, call("{}"), {"role": "tool", "content": "r"}, A], "rejected_response": "b"},
     "two_prompts", "rejected_response"),
    ("ms_swift.grpo", {}, {"messages": [Q, A, A]}, "two_answers", "messages[1]"),
    ("ms_swift.dpo", {}, {"messages": [Q, {**A, "loss": True}, Q, A], "rejected_response": "b"}, "earlier_trained",
     "messages[1].loss"),
    ("ms_swift.orpo", {}, {"messages": [Q, A, Q, A], "rejected_messages": [Q, {**A, "loss": False}, Q, B]},
     "earlier_trained", "messages[1].loss"),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "content": [{"type": "text", "text": "a</s>"}]}]}, "end_in_answer",
     "messages[1]"),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_messages": None, "rejected_response": 3}, "no_rejected",
     "rejected_response"),
    ("ms_swift.sft", {}, {"messages": [Q, A], "negative_messages": {"a": []}}, "messages_of_embeddings", "negative_messages"),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_response": [{**A, "content": "b</s>"}]}, "end_in_answer",
     "rejected_response"),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_messages": [A, Q, B]}, "two_prompts", "rejected_messages"),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_messages": [Q, B], "tools": [{"name": "f"}]},
     "rejected_without_tools", "tools"),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_messages": "{}"}, "rejected_is_chosen", "rejected_messages"),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_messages": [Q, {**A, "content": None}]}, "no_answer", "rejected_messages"),
    ("trl.dpo", {}, {"prompt": "q", "chosen": "a", "rejected": "b", "images": []}, "images_column", "images"),
    ("ms_swift.sft", {}, None, "not_an_object", None),
    ("ms_swift.sft", {"strict": True}, {"messages": [{"role": "x", "content": "q"}]}, "strict_stop", "messages[0].role"),
    ("ms_swift.sft", {}, {"messages": None}, "no_messages", "messages"),
    ("ms_swift.sft", {}, {"messages": "[{'role': user}]"}, "text_not_literal", "messages"),
    ("ms_swift.sft", {}, {"messages": [{"role": "user", "content": 3}, A]}, "content_not_text", "messages[0].content"),
    ("ms_swift.sft", {}, {"messages": [Q, {"role": "assistant", "content": {"a": 1}}]}, "content_not_text", "messages[1].content"),
    ("ms_swift.sft", {}, {"messages": [{"role": "user", "content": [{"type": "text", "text": None}]}, A]},
     "content_not_text", "messages[0].content"),
    ("ms_swift.dpo", {}, {"messages": [{"role": "system", "content": True}, Q, A], "rejected_response": "b"},
     "content_not_text", "messages[0].content"),
    ("ms_swift.sft", {}, {"messages": [{"role": "system", "content": "s"}]}, "only_system", "messages"),
    ("ms_swift.sft", {}, {"messages": [{"role": "tool", "content": "r"}, A]}, "tool_first", "messages[0].role"),
    ("ms_swift.sft", {}, {"messages": [Q, A, {"role": "tool", "content": "r"}, Q, A]}, "out_of_turn", "messages[3].role"),
    ("ms_swift.sft", {}, {"messages": [Q, {"role": "tool_call", "content": "call f"}]}, "tool_call_malformed", "messages[1].content"),
    ("ms_swift.sft", {}, {"messages": [Q, {"role": "tool_call", "content": {"name": "f"}}]}, "tool_call_malformed", "messages[1].content"),
    ("ms_swift.sft", {}, {"messages": [Q, A], "tools": "search"}, "tools_malformed", "tools"),
    ("ms_swift.sft", {}, {"messages": [Q, A], "tools": [""]}, "tools_malformed", "tools"),
    ("ms_swift.sft", {}, {"messages": [Q, 1]}, "message_malformed", "messages[1]"),
    ("ms_swift.sft", {}, {"messages": [Q, {"role": "robot", "content": "a"}]}, "unknown_role", "messages[1].role"),
    ("ms_swift.sft", {}, {"messages": [Q, {"role": "assistant", "content": None}]}, "content_null", "messages[1].content"),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "tool_calls": [{"function": {}}]}]}, "tool_calls_malformed", None),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "content": [{"type": "tool_use", "name": "f"}, {"type": "x"}]}]},
     "content_part_unknown", None),
    ("ms_swift.sft", {}, {"query": "q", "response": "a", "history": [["x"]]}, "history_malformed", "history"),
    ("ms_swift.sft", {}, {"instruction": 1, "input": "", "output": "a"}, "query_not_text", "instruction"),
    ("ms_swift.sft", {}, {"note": "x"}, "no_text", "messages"),
    ("ms_swift.sft", {}, {"query": "q", "response": []}, "response_empty_list", "response"),
    ("ms_swift.sft", {}, {"query": "q", "response": ["a", "b"]}, "first_of_several", "response"),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_response": None}, "rejected_missing", "rejected_response"),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_response": "a"}, "rejected_equal", "rejected_response"),
    ("ms_swift.dpo", {}, {"messages": [Q, A]}, "no_rejected", "rejected_response"),
    ("ms_swift.dpo", {}, {"query": "q", "response": "a", "rejected_messages": [{}, {}]}, "not_encodable", None),
    ("ms_swift.orpo", {}, {"messages": [Q, A], "rejected_messages": [Q, {"role": "assistant"}]}, "not_encodable", None),
    ("ms_swift.sft", {}, {"messages": [Q, A], "objects": {"bbox": [[1]]}}, "objects_malformed", "objects.bbox"),
    ("ms_swift.sft", {}, {"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}]},
                                       A], "images": ["x"]}, "media_twice", "images"),
    ("ms_swift.sft", {}, {"messages": 1}, "not_loadable", None),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "reasoning_content": "r"}]}, "keys_removed", "messages[1]"),
    ("ms_swift.sft", {}, {"messages": [Q, {"role": "system", "content": "s"}, A]}, "system_in_middle", "messages[1].role"),
    ("ms_swift.sft", {}, {"messages": [Q, A, Q]}, "no_answer", "messages"),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "loss": False}]}, "message_masked", "messages[1].loss"),
    ("ms_swift.kto", {}, {"messages": [Q, A]}, "label_missing", "label"),
    ("ms_swift.kto", {}, {"messages": [Q], "label": True}, "last_not_answer", "messages[0].role"),
    ("ms_swift.kto", {}, {"messages": [Q, S], "label": True}, "last_not_answer", "messages[1].role"),  # before the encoder
    ("ms_swift.kto", {}, {"messages": [Q, {**A, "content": [{"type": "text", "text": "a"}]}], "label": True},
     "answer_no_text", "messages[1].content"),
    ("ms_swift.sft", {}, {"messages": [Q, A], "video": "a.mp4"}, "media_of_row", None),
    ("ms_swift.sft", {}, {"messages": [Q, {**A, "content": [{"type": "image_url", "image_url": {"url": "u"}}]}]}, "media_of_row", None),
    ("ms_swift.sft", {}, {"messages": [Q, A], "chat_template_kwargs": 0.5}, "template_kwargs_malformed", "chat_template_kwargs"),
    ("ms_swift.sft", {}, {"question": "q", "Question": "q", "answer": "a"}, "columns_by_case", "question"),
    ("ms_swift.grpo", {}, {"messages": [Q, {"role": "tool", "content": "r"}, Q]}, "result_behind_question", "messages[1].role"),
    # verl
    ("verl.rl", {}, {**ROW, "images": ["a.png"]}, "media_of_row", "images"),
    ("verl.sft", {}, "x", "not_an_object", None),
    ("verl.sft", {}, {"prompt": "q"}, "missing_column", "messages"),
    ("verl.sft", {}, {"messages": "q"}, "messages_malformed", "messages"),
    ("verl.sft", {}, {"messages": [{"content": "q"}]}, "role_missing", "messages[0].role"),
    ("verl.sft", {}, {"messages": [{"role": "human", "content": "q"}, A]}, "foreign_role", "messages[0].role"),
    ("verl.sft", {}, {"messages": [Q, A], "tools": "[]"}, "tools_malformed", "tools"),
    ("verl.sft", {}, {"messages": [Q, A], "tools": None}, "tools_null", "tools"),
    ("verl.sft", {}, {"messages": [Q, A], "tools": [{"name": "f", "n": math.nan}]}, "tools_through_numpy", "tools"),
    ("verl.sft", {}, {"messages": [Q, A], "enable_thinking": None}, "thinking_null", "enable_thinking"),
    ("verl.sft", {}, {"messages": [Q, {"role": "assistant", "content": None}]}, "content_not_text", "messages[1].content"),
    ("verl.sft", {}, {"messages": [{"role": "user", "content": 3}, A]}, "content_not_text", "messages[0].content"),
    ("verl.rl", {}, {"prompt": [{"role": "user", "content": None}]}, "prompt_fails", "prompt[0].content"),
    ("verl.rl", {"data.filter_overlong_prompts": True}, {"prompt": [{"role": "user", "content": 3}]}, "prompt_dropped", "prompt[0].content"),
    ("verl.sft", {}, {"messages": [Q, A], "images": None}, "media_without_processor", "images"),
    ("verl.sft", {}, {"messages": [Q]}, "no_answer", "messages"),
    ("verl.rl", {}, [], "not_an_object", None),
    ("verl.rl", FILTER, {**ROW, "prompt": "q"}, "prompt_dropped", "prompt"),
    ("verl.rl", {}, {**ROW, "prompt": "q"}, "prompt_fails", "prompt"),
    ("verl.rl", {}, {**ROW, "prompt": ""}, "prompt_empty", "prompt"),
    ("verl.rl", {}, {**ROW, "prompt": [{"role": "human", "content": "q"}]}, "foreign_role", "prompt[0].role"),
    ("verl.rl", {}, {**ROW, "extra_info": "x"}, "extra_info_malformed", "extra_info"),
    ("verl.rl", {}, without(ROW, "reward_model"), "no_ground_truth", "reward_model.ground_truth"),
    ("verl.rl", {}, without(ROW, "data_source"), "no_data_source", "data_source"),
    ("verl.rl", {}, {**ROW, "data_source": "mine"}, "unknown_data_source", "data_source"),
    # OpenAI
    ("openai.sft", {}, [], "not_an_object", None),
    ("openai.sft", {}, {"messages": []}, "no_messages", "messages"),
    ("openai.sft", {}, {"messages": [H, G]}, "message_malformed", "messages[0].role"),
    ("openai.sft", {}, {"messages": [Q, {"role": "assistant"}]}, "content_malformed", "messages[1].content"),
    ("openai.sft", {}, {"messages": [Q, {**A, "content": []}]}, "content_malformed", "messages[1].content"),
    ("openai.sft", {}, {"messages": [{**Q, "content": ["q"]}, A]}, "content_malformed", "messages[0].content"),
    ("openai.sft", {}, {"messages": [{**Q, "weight": 1}, A]}, "weight_malformed", "messages[0].weight"),
    ("openai.sft", {}, {"messages": [Q, {**A, "weight": 0}]}, "no_answer", "messages"),
    ("openai.sft", {}, {"messages": [Q, {**A, "weight": 0}, Q, A]}, "message_masked", "messages[1].weight"),
    ("openai.sft", {}, {"messages": [Q, call({})]}, "arguments_not_text", "messages[1].tool_calls[0].function.arguments"),
    ("openai.dpo", {}, {"messages": [Q, A]}, "no_input", "input"),
    ("openai.dpo", {}, {**PAIR, "preferred_output": "a"}, "output_malformed", "preferred_output"),
    ("openai.rft", {}, {"messages": [Q, A]}, "last_not_user", "messages[1].role"),
    # Together
    ("together.sft", {}, [], "not_an_object", None),
    ("together.sft", {}, {"prompt": "q"}, "no_format", None),
    ("together.sft", {}, {"messages": [Q, A], "id": 1}, "extra_column", None),
    ("together.sft", {}, PAIR, "other_method", "input"),
    ("together.dpo", {}, {"messages": [Q, A]}, "other_method", "messages"),
    ("together.sft", {}, {"messages": []}, "no_messages", "messages"),
    ("together.dpo", {}, {**PAIR, "input": [Q]}, "no_messages", "input.messages"),
    ("together.sft", {}, {"messages": [H, G]}, "message_malformed", "messages[0].role"),
    ("together.sft", {}, {"messages": [{"role": "user", "tool_calls": []}, A]}, "content_missing", "messages[0].content"),
    ("together.dpo", {}, {**PAIR, "preferred_output": [{"role": "assistant"}]}, "content_missing", "preferred_output[0].content"),
    ("together.sft", {}, {"prompt": "q", "completion": None}, "content_malformed", "completion"),
    ("together.sft", {}, {"text": [{"type": "video"}]}, "content_malformed", "text[0]"),
    ("together.sft", {}, {"messages": [{**Q, "content": [{"type": "text", "text": "q"}]}, A]}, "mixed_contents", "messages"),
    ("together.sft", {}, {"prompt": "q", "completion": [PICTURE]}, "image_refused", "completion[0]"),
    ("together.sft", {}, {"text": [PICTURE] * 11}, "image_refused", "text"),
    ("together.sft", {}, {"messages": [{**Q, "content": [PICTURE], "weight": 1}, A]}, "image_refused", "messages[0].weight"),
    ("together.sft", {}, {"messages": [Q, {**A, "weight": 1.0}]}, "weight_malformed", "messages[1].weight"),
    ("together.sft", {}, {"messages": [Q]}, "no_answer", "messages"),
    ("together.sft", {}, {"messages": [Q, {**A, "weight": 0}, Q, A]}, "message_masked", "messages[1].weight"),
    ("together.dpo", {}, {**PAIR, "input": {"messages": [Q, A]}}, "ends_with_answer", "input.messages[1].role"),
    ("together.dpo", {}, {**PAIR, "preferred_output": [A, A]}, "output_malformed", "preferred_output"),
    # Fireworks
    ("fireworks.sft", {}, [], "not_an_object", None),
    ("fireworks.sft", {}, {"messages": []}, "no_messages", "messages"),
    ("fireworks.sft", {}, {"messages": [H, G]}, "message_malformed", "messages[0].role"),
    ("fireworks.sft", {}, {"messages": [Q, S, A]}, "system_not_first", "messages[1].role"),
    ("fireworks.sft", {}, {"messages": [Q, {"role": "assistant"}]}, "content_malformed", "messages[1].content"),
    ("fireworks.sft", {}, {"messages": [Q, {**A, "weight": 0.5}]}, "weight_malformed", "messages[1].weight"),
    ("fireworks.sft", {}, {"messages": [Q, {**A, "weight": True}]}, "weight_malformed", "messages[1].weight"),
    ("fireworks.sft", {}, {"messages": [Q, {**A, "weight": 0}, Q, A]}, "message_masked", "messages[1].weight"),
    # Vertex AI
    ("vertex.sft", {}, [], "not_an_object", None),
    ("vertex.sft", {}, {"messages": [Q, A]}, "no_contents", "contents"),
    ("vertex.sft", {}, {"contents": [{"role": "assistant", "parts": [{"text": "a"}]}]}, "unknown_role", "contents[0].role"),
    ("vertex.sft", {}, {"contents": [{"role": "user", "parts": "q"}]}, "parts_malformed", "contents[0].parts"),
    ("vertex.sft", {}, {"contents": [{"role": "user", "parts": [{"text": 1}]}]}, "parts_malformed", "contents[0].parts[0]"),
    ("vertex.sft", {}, {**GEMINI, "systemInstruction": "s"}, "system_malformed", "systemInstruction"),
    # Bedrock
    ("bedrock.prompts", {}, [], "not_an_object", None),
    ("bedrock.prompts", {}, {"prompt": "q", "completion": ["a"]}, "text_expected", "completion"),
    ("bedrock.nova", {}, {"prompt": "q", "completion": "a"}, "no_messages", "messages"),
    ("bedrock.nova", {}, {**NOVA, "schemaVersion": 2024}, "schema_malformed", "schemaVersion"),
    ("bedrock.nova", {}, {**NOVA, "system": "s"}, "system_malformed", "system"),
    ("bedrock.nova", {}, {**NOVA, "system": [{}]}, "system_malformed", "system[0].text"),
    ("bedrock.nova", {}, {"messages": NOVA["messages"][1:]}, "role_order", "messages[0].role"),
    ("bedrock.nova", {}, {"messages": [{"role": "system", "content": [{"text": "s"}]}]}, "role_order", "messages[0].role"),
    ("bedrock.nova", {}, {"messages": NOVA["messages"][:1]}, "no_answer", "messages"),
    ("bedrock.nova", {}, {"messages": []}, "no_answer", "messages"),
    ("bedrock.nova", {}, {"messages": [Q, A]}, "content_malformed", "messages[0].content"),
    ("bedrock.nova", {}, {"messages": [{"role": "user", "content": [{"text": ""}]}]}, "content_empty", "messages[0].content"),
    ("bedrock.nova", {}, nova({"toolUse": NOVA_CALL}), "part_of_other", "messages[0].content"),
    ("bedrock.nova", {}, nova({"toolUse": {}}), "call_malformed", "messages[0].content[0].toolUse.toolUseId"),
    ("bedrock.nova", {}, nova({"toolUse": {**NOVA_CALL, "input": "x"}}), "call_malformed", "messages[0].content[0].toolUse.input"),
    ("bedrock.nova", {}, nova({"toolResult": {"toolUseId": "1", "content": []}}), "call_malformed", "messages[0].content[0].toolResult.content"),
    ("bedrock.nova", {}, nova({"toolResult": {"toolUseId": "1", "content": [{"text": "a", "json": {}}]}}), "call_malformed",
     "messages[0].content[0].toolResult.content"),
    ("bedrock.nova", {}, nova({"text": "q"}, {"toolUse": {**NOVA_CALL, "name": "g"}}, toolConfig=NOVA_TOOLS), "call_unknown",
     "messages[1].content"),
    ("bedrock.nova", {}, nova({"toolResult": NOVA_RESULT}, toolConfig=NOVA_TOOLS), "call_unknown", "messages[0].content"),
    ("bedrock.nova", {}, nova({"text": "q"}, toolConfig={"tools": []}), "tools_malformed", "toolConfig.tools"),
    ("bedrock.nova", {}, nova({"text": "q"}, toolConfig={"tools": [NOVA_TOOL, NOVA_TOOL]}), "tools_malformed", "toolConfig.tools"),
    ("bedrock.nova", {}, nova({"text": "q"}, toolConfig={"tools": [{"toolSpec": {"name": "f"}}]}), "tools_malformed",
     "toolConfig.tools[0].description"),
    ("bedrock.nova", {}, nova({"image": {"format": "bmp", "source": NOVA_FILE}}), "media_malformed", "messages[0].content[0].image"),
    ("bedrock.nova", {}, nova({"video": {"format": "mp4", "source": {"s3Location": {"uri": "b/k"}}}}), "media_malformed",
     "messages[0].content[0].video.source.s3Location.uri"),
    ("bedrock.nova", {"model": "micro"}, nova({"image": {"format": "png", "source": NOVA_FILE}}), "not_of_model", "messages[0].content"),
    ("bedrock.nova", {"model": "lite-2.0"}, nova({"image": {"format": "webp", "source": NOVA_FILE}}), "not_of_model", "messages[0].content"),
    ("bedrock.nova", {}, nova({"text": "q"}, {"text": "a", "reasoningContent": {"reasoningText": {"text": "so"}}}), "not_of_model",
     "messages[1].content"),
    ("bedrock.nova", {}, nova(*[{"video": {"format": "mp4", "source": NOVA_FILE}}] * 2, user=2), "too_much_media", "messages[0].content"),
    ("bedrock.nova", {}, {"messages": [{"role": "user", "content": [{"text": "ask USER: q"}]}]}, "reserved_word",
     "messages[0].content[0]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "settings", "record", "reason", "where"), CASES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_the_rule_applies_and_says_where(name, settings, record, reason, where):
    mode = trainer(name)
    known = mode.configured(None, settings)
    seen = Seen(frozenset(record if isinstance(record, dict) else ()), record)
    fates = [*mode.before(known, seen), *mode.read(record, known, seen).fates]
    assert (reason, where) in [(fate.reason, fate.where) for fate in fates]


def test_prompts_of_two_kinds():
    mode = trainer("trl.grpo")
    seen = Seen(frozenset({"prompt"}), {"prompt": "q"})
    assert [fate.reason for fate in mode.read({"prompt": [Q]}, mode.configured(None, {}), seen).fates] == [
        "mixed_prompts"
    ]


@pytest.mark.parametrize(
    "name", ["trl.sft", "llamafactory.sft", "ms_swift.sft", "verl.rl", "openrlhf.dpo", "openrlhf.sft"]
)
def test_a_file_that_datasets_cannot_type(name):
    """A whole number of more than 64 bits beside objects: the library's own reader refuses it."""
    mode = trainer(name)
    seen = Seen.of([{"messages": [Q, A]}, {"messages": [{"role": {"a": 1}, "content": 10**20}]}], typed=mode.typed)
    told = [fate.reason for fate in mode.before(mode.configured(None, {}), seen)][:1]
    assert told == ["file_not_loadable" if name == "ms_swift.sft" else "not_loadable"]


def test_orpo_stops_where_the_messages_of_a_column_have_differing_keys():
    """The rendered text is written into a column of lists; of prompts and answers that are text there is none."""
    mode = trainer("trl.orpo")
    pair = {"prompt": [Q], "chosen": [{**A, "name": "n"}], "rejected": [B]}
    seen = Seen.of([pair, {**pair, "chosen": [A]}], typed=mode.typed)
    assert [fate.reason for fate in mode.read(pair, mode.configured(None, {}), seen).fates] == ["column_of_letters"]
    alike = Seen.of([pair, pair], typed=mode.typed)
    assert mode.read(pair, mode.configured(None, {}), alike).fates == ()


@pytest.mark.parametrize(
    ("way", "row"),
    [
        ({"datasets.type": "chatml.ultra"}, {"prompt": "q", "chosen": ["x", A], "rejected": [Q, B]}),
        ({"datasets.type": "chat_template"}, {"messages": [Q], "chosen": A, "rejected": ["x", B]}),
    ],
)
def test_axolotl_writes_letters_into_a_column_of_lists_of_several_types(way, row):
    mode = trainer("axolotl.dpo")
    seen, settings = Seen.of([row], typed=mode.typed), mode.configured(None, way)
    assert [fate.reason for fate in mode.read(row, settings, seen).fates] == ["column_of_letters"]


@pytest.mark.parametrize(
    ("name", "scale", "loss"),
    [
        ("orpo", {}, "assistant"),
        ("dpo", {}, "completion"),
        ("simpo", {}, "completion"),
        ("dpo", {"loss_scale": "default"}, "assistant"),
        ("orpo", {"loss_scale": "last_round"}, "completion"),
        ("cpo", {"loss_scale": "all"}, "all"),
    ],
)
def test_which_answers_of_a_pair_ms_swift_trains(name, scale, loss):
    """By default the last one, but by ORPO each of a conversation."""
    mode, pair = trainer(f"ms_swift.{name}"), {"messages": [Q, A, Q, A], "rejected_response": "b"}
    told = mode.read(pair, mode.configured(None, scale), Seen.of([pair]))
    assert (told.fates, told.trained.loss, told.trained.prompt) == ((), loss, [Q, A, Q])


@pytest.mark.parametrize(("given", "told"), [(["a"], "a"), ("a", "a"), (["a", "b"], None), ([["a"]], None)])
def test_a_text_alone_in_a_list_is_that_text_to_openrlhf(given, told):
    mode = trainer("openrlhf.sft")
    settings = mode.configured(None, {"data.input_key": "t", "model.pretrain_mode_enable": True})
    trained = mode.read({"t": given}, settings, Seen.of([{"t": given}])).trained
    assert (trained and trained.text) == told


@pytest.mark.parametrize(
    ("said", "weights"), [({"loss": 0.5}, (0, 1, 0, 1)), ({"loss": False}, (0, 0, 0, 1)), ({}, None)]
)
def test_a_loss_of_an_earlier_answer_wins_over_last_round(said, weights):
    mode, talk = trainer("ms_swift.sft"), {"messages": [Q, {**A, **said}, Q, A]}
    told = mode.read(talk, mode.configured(None, {"loss_scale": "last_round"}), Seen.of([talk])).trained
    assert (told.loss, told.weights) == ("weights" if weights else "last_turn", weights)


@pytest.mark.parametrize("first", [{**A, "content": ""}, {**A, "loss": False}])
def test_an_earlier_answer_that_orpo_does_not_train(first):
    mode, pair = trainer("ms_swift.orpo"), {"messages": [Q, first, Q, A], "rejected_response": "b"}
    told = mode.read(pair, mode.configured(None, {}), Seen.of([pair])).trained
    one, two = trained_as(told)
    assert (one.loss, one.weights, two.weights) == ("weights", (0, 0, 0, 1), (0, 0, 0, 1))


@pytest.mark.parametrize("name", ["sft", "dpo"])
def test_axolotl_stops_at_a_file_that_datasets_cannot_type(name):
    mode = trainer(f"axolotl.{name}")
    records = [{"messages": [Q, A]}, {"messages": [{"role": {"a": 1}, "content": 10**20}]}]
    told = mode.before(mode.configured(None, {"datasets.type": "chat_template"}), Seen.of(records, typed=mode.typed))
    assert [fate.reason for fate in told] == ["not_loadable"]


def test_a_pair_of_axolotl_that_can_be_found_has_no_notes():
    mode = trainer("axolotl.dpo")
    pair = {"messages": "q", "chosen": {**A, "content": "an answer"}, "rejected": [Q, {**A, "content": "another"}]}
    told = mode.read(pair, mode.configured(None, AXDPO), Seen.of([pair]))
    assert told.fates == ()
    assert (told.trained.prompt, told.trained.rejected) == ([Q], [{**A, "content": "another"}])


@pytest.mark.parametrize(
    ("config", "given", "told"),
    [
        (
            {"datasets": [{"type": "chat_template", "roles": {"assistant": ["bot", "gpt"]}}, {"type": "alpaca"}]},
            {},
            ["bot", "gpt"],
        ),
        ({"datasets": [{"type": "chat_template"}]}, {"datasets.roles.assistant": "bot, gpt"}, ["bot", "gpt"]),
        (
            {"datasets": [{"type": "chat_template", "roles": {"assistant": ["x"]}}]},
            {"datasets.roles.assistant": "bot"},
            ["bot"],
        ),
    ],
)
def test_axolotl_reads_the_first_entry_of_its_config_file(config, given, told):
    """What the contract says stands over it; a type that was not compared is refused."""
    read = trainer("axolotl.sft").configured(config, given)
    assert (read.type, read.roles) == ("chat_template", {"assistant": told})
    with pytest.raises(SettingsError, match=r"datasets\.type"):
        trainer("axolotl.sft").configured(config, {"datasets.type": "sharegpt"})


@pytest.mark.parametrize(
    ("name", "settings", "key"), [("rm", CHAT, "chosen"), ("dpo", BEHIND, "prompt"), ("sft", {}, "response")]
)
def test_lists_of_json_under_a_name_of_openrlhf_stop_the_run(name, settings, key):
    """`datasets` 5 gives their type to the text that is made under the same name; other names are free."""
    mode, odd = trainer(f"openrlhf.{name}"), [Q, {**A, "tool_calls": [{"name": "f"}]}]
    known = mode.configured(None, settings)
    for row, told in (({key: odd}, ["column_of_json"]), ({"x": odd}, []), ({key: [Q, A]}, []), ({key: {"x": odd}}, [])):
        before = mode.before(known, Seen.of([row], typed=mode.typed))
        assert [fate.reason for fate in before] == told, row
        assert not before or before[0].where == key


@pytest.mark.parametrize("template", ["U: {}", "{{{}}}", "{{}}", "{", "", "no", "{} {", "{!r} {}", "{} {0}", "{}{}"])
def test_openrlhf_fills_a_template_as_python_does(template):
    """One without {} is set aside; one that Python cannot fill stops the run."""
    mode = trainer("openrlhf.rl")
    known = mode.configured(None, {"data.input_template": template})
    read = mode.read({"input": 1}, known, Seen.of([{"input": 1}]))
    stopped = [fate.reason for fate in mode.before(known, Seen())]
    try:
        made = template.format(1) if "{}" in template else None
    except (ValueError, LookupError):
        assert stopped == ["template_malformed"]
        return
    assert stopped == []
    assert (read.trained and read.trained.prompt) == made
    assert [fate.reason for fate in read.fates] == ["prompt_spelt" if made else "text_malformed"]


def test_together_takes_files_of_one_format():
    mode, row = trainer("together.sft"), {"text": "q"}
    read = mode.read(row, mode.configured(None, {}), Seen.of([{"messages": [Q, A]}, row]))
    assert [fate.reason for fate in read.fates] == ["other_format"]
    assert mode.read(row, mode.configured(None, {}), Seen.of([row])).fates == ()


@pytest.mark.parametrize(("rows", "told"), [(2, ["few_rows"]), (3, []), (3_000_000, []), (3_000_001, ["many_rows"])])
def test_fireworks_wants_three_rows_to_three_million(rows, told):
    mode = trainer("fireworks.sft")
    assert [fate.reason for fate in mode.before(mode.configured(None, {}), Seen(rows=rows))] == told


@pytest.mark.parametrize(
    ("model", "rows", "told"),
    [("lite", 7, ["few_rows"]), ("lite", 8, []), ("lite-2.0", 199, ["few_rows"]), ("pro", 20_001, ["many_rows"])],
)
def test_nova_wants_eight_rows_to_twenty_thousand(model, rows, told):
    mode = trainer("bedrock.nova")
    assert [fate.reason for fate in mode.before(mode.configured(None, {"model": model}), Seen(rows=rows))] == told


def test_one_side_of_a_pair_is_all_dates():
    """TRL's KTO makes one column of both sides; `datasets` has made dates of the one."""
    mode = trainer("trl.kto")
    row = {"prompt": "q", "chosen": "2024-01-01T10:20:30", "rejected": "b"}
    read = mode.read(row, mode.configured(None, {}), Seen.of([row], typed=mode.typed))
    assert [fate.reason for fate in read.fates] == ["dated_side"]


@pytest.mark.parametrize(("day", "told"), [("2262-04-11", []), ("2262-04-12", ["date_out_of_range"])])
def test_dates_that_pandas_cannot_hold(day, told):
    """ms-swift writes them as JSON text; a column is one of dates where all its texts are."""
    mode, row = trainer("ms_swift.sft"), {"messages": [{**Q, "content": "2024-01-01"}, {**A, "content": day}]}
    fates = mode.read(row, mode.configured(None, {}), Seen.of([row], typed=mode.typed)).fates
    assert [fate.reason for fate in fates if fate.reason != "content_not_text"] == told


def test_whole_numbers_of_verls_tools_are_fractions_beside_nulls():
    """As verl 0.9.1 trained them, with pandas 3.1; the messages stay as they are."""
    mode = trainer("verl.sft")
    call = {"role": "assistant", "content": "", "tool_calls": [{"name": "f", "arguments": {"x": 1}}]}
    row = {"messages": [Q, call, {**call, "tool_calls": [{"name": "f", "arguments": {"y": "z"}}]}]}
    tools = [{"name": "f", "at": {"most": 5, "enum": [1, None]}, "n": 3}, {"name": "g", "at": None, "n": 4}]
    read = mode.read(
        {**row, "tools": tools}, mode.configured(None, {}), Seen.of([{**row, "tools": tools}], typed="parquet")
    )
    assert json.dumps(read.trained.tools) == json.dumps(
        [{"name": "f", "at": {"most": 5.0, "enum": [1.0, None]}, "n": 3}, {"name": "g", "at": None, "n": 4}]
    )
    assert json.dumps(read.trained.messages[1]["tool_calls"][0]["arguments"]) == '{"x": 1, "y": null}'


def test_numbers_of_ms_swift_are_written_and_read_twice():
    """As ms-swift 4.6.0 trained them: -0.0 the first time, 0.0 the second; 1e-320 loses a digit each time."""
    mode, tools = trainer("ms_swift.sft"), [{"name": "f", "parameters": {"a": -1e-11, "b": 1e-320}}]
    row = {"messages": [Q, A], "tools": tools}
    read = mode.read(row, mode.configured(None, {}), Seen.of([row], typed=mode.typed))
    assert repr(read.trained.tools[0]["function"]["parameters"]) == "{'a': 0.0, 'b': 9.96e-321}"


def test_every_rule_is_held():
    """Those of the cut are applied by the checks that count tokens."""
    held = {(name.partition(".")[0], reason) for name, _, _, reason, _ in CASES}
    held |= {
        ("trl", "mixed_prompts"),
        ("trl", "dated_side"),
        ("trl", "column_of_letters"),
        ("together", "other_format"),
        ("bedrock", "few_rows"),
        ("bedrock", "many_rows"),
        ("fireworks", "few_rows"),
        ("fireworks", "many_rows"),
        ("ms_swift", "file_not_loadable"),
        ("ms_swift", "date_out_of_range"),
        ("openrlhf", "column_of_json"),
        ("axolotl", "column_of_letters"),
        ("mlx_lm", "missing_column"),
        ("unsloth", "mixed_kinds"),
        ("unsloth", "content_dated"),
    }
    held |= {(family, "not_loadable") for family in ("trl", "llamafactory", "verl", "openrlhf", "axolotl", "unsloth")}
    for name in trainer_names():
        mode, module = trainer(name), name.partition(".")[0]
        if module not in {known for known, _ in held}:
            continue
        by_tokens = {"too_long", "too_long_cut", "too_long_fails", "fully_masked", "prompt_fills", "prompt_too_long"}
        by_tokens |= {"too_long_stops", "too_short", "answer_cut", "no_response"}
        assert {slug for slug in mode.rules if (module, slug) not in held} <= by_tokens, name


GOOD = [
    ("llamafactory.sft", {}, {"instruction": "q", "input": "", "output": "a"}),
    ("llamafactory.sft", {**SHARE}, {"conversations": [{"from": "system", "value": "s"}, H, G]}),
    ("llamafactory.sft", TOOLED, {"conversations": [H, told('{"name": "f", "arguments": {}}'), {"from": "observation", "value": "r"}, G],
                                  "tools": json.dumps([{"name": "f"}])}),
    ("llamafactory.dpo", PAIRS, {"conversations": [H], "chosen": G, "rejected": {"from": "gpt", "value": "b"}}),
    ("llamafactory.kto", KTO, {"messages": [Q, A], "label": False}),
    ("trl.sft", {}, {"messages": [Q, A]}),
    ("trl.sft", {}, {"prompt": "q", "completion": "a"}),
    ("trl.dpo", {}, {"chosen": [Q, A], "rejected": [Q, B]}),
    ("trl.reward", {}, {"prompt": [Q], "chosen": [A], "rejected": [B]}),
    ("trl.kto", {}, {"prompt": [Q], "completion": [A], "label": True}),
    ("trl.grpo", {}, {"prompt": [Q]}),
    ("trl.orpo", {}, {"prompt": [Q, A], "chosen": [A], "rejected": [B], "tools": []}),
    ("trl.orpo", {}, {"prompt": "q", "chosen": [Q, A], "rejected": [Q, B]}),
    ("trl.orpo", {}, {"prompt": "q", "chosen": "a", "rejected": "b", "label": True}),
    ("ms_swift.sft", {}, {"messages": '[{"role": "user", "content": "q", "loss": null}, {"role": "assistant", "content": "a"}]'}),
    ("ms_swift.sft", {}, {"messages": [Q, A, {"role": "tool", "content": {"a": 1}, "name": "f"}, A]}),
    ("ms_swift.sft", {}, {"messages": [A, Q, Q, A, A, {"role": "tool", "content": "r"}, A], "tools": "{'name': 'f'}"}),
    ("ms_swift.sft", {}, {"messages": [Q, {"role": "tool_call", "content": "{'name': 'f', 'parameters': {}}"}, A]}),
    ("ms_swift.sft", {}, {"conversations": [H, G], "system": "s"}),
    ("ms_swift.dpo", {}, {"messages": [Q, A], "rejected_response": "b"}),
    ("ms_swift.kto", {}, {"messages": [Q, A], "label": False}),
    ("ms_swift.grpo", {}, {"messages": [Q], "solution": "1"}),
    ("verl.sft", {}, {"messages": [Q, A]}),
    ("verl.rl", {}, ROW),
    ("axolotl.sft", AX, {"messages": [S, {"role": "human", "content": "q"}, {"role": "gpt", "content": "a"}]}),
    ("axolotl.sft", {**AX, "tokens": None, "special_tokens.pad_token": "<pad>"}, {"messages": json.dumps([Q, A]), "tools": "[]"}),
    ("axolotl.sft", ALPACA, {"instruction": "q", "output": "a"}),
    ("axolotl.sft", PIECES, {"segments": [{"label": False, "text": "q"}, {"label": True, "text": "a"}]}),
    ("mlx_lm.sft", {}, {"messages": [S, Q, A, Q, A]}),
    ("mlx_lm.sft", MASKED, {"prompt": "q", "completion": "a"}),
    ("unsloth.sft", {"train_on_responses_only": True}, {"messages": [S, Q, A, Q, A], "tools": "[]"}),
    ("unsloth.sft", {}, {"prompt": "q", "completion": "a"}),
    ("unsloth.sft", {**SHARED, "train_on_responses_only": True}, {"conversations": [H, G]}),
    ("openrlhf.sft", EVERY, {"messages": [S, Q, A, Q, A]}),
    ("openrlhf.sft", {"data.input_key": "question", "data.output_key": "response"}, {"question": "q", "response": "a"}),
    ("openrlhf.rm", CHAT, {"chosen": [Q, A], "rejected": [Q, B], "margin": 0.5}),
    ("openrlhf.dpo", BEHIND, {"p": [Q], "chosen": [A], "rejected": [B]}),
    ("openrlhf.rl", GOLDEN, {"p": [Q], "gold": "1"}),
    ("openai.sft", {}, {"messages": [Q, A]}),
    ("openai.sft", {}, {"messages": [{**Q, "content": [{"type": "text", "text": "q"}]}, A]}),
    ("openai.dpo", {}, PAIR),
    ("openai.rft", {}, {"messages": [Q], "answer": "1"}),
    ("together.sft", {}, {"messages": [S, Q, A, Q, call("{}"), {"role": "tool", "content": "r"}, A], "tools": []}),
    ("together.sft", {}, {"prompt": "q", "completion": "a"}),
    ("together.sft", {}, {"text": [{"type": "text", "text": "q"}, {"type": "text", "text": "a"}]}),
    ("together.dpo", {}, PAIR),
    ("bedrock.prompts", {}, {"prompt": "q", "completion": "a"}),
    ("bedrock.nova", {}, NOVA),
    ("bedrock.nova", {}, nova({"text": "q"}, {"text": "a", "toolUse": NOVA_CALL}, toolConfig=NOVA_TOOLS)),
    ("bedrock.nova", {"model": "lite-2.0"}, nova({"text": "q"}, {"image": {"format": "PNG", "source": NOVA_FILE}}, user=2)),
    ("vertex.sft", {}, GEMINI),
    ("fireworks.sft", {}, {"messages": [S, Q, call("{}"), {"role": "tool", "content": "r"}, {**A, "weight": 1}], "tools": []}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings", "record"), GOOD)
def test_what_the_trainers_documentation_shows_is_kept(name, settings, record):
    mode = trainer(name)
    seen = Seen(frozenset(record), record)
    reading = mode.read(record, mode.configured(None, settings), seen)
    assert reading.fates == ()
    assert reading.trained is not None
    spoken = json.dumps(reading.trained)
    assert "q" in spoken
    assert reading.trained.loss == "sampled" or '"a"' in spoken or "a" in (reading.trained.response or "")


def test_what_is_trained_has_standard_roles():
    mode = trainer("llamafactory.sft")
    record = {"conversations": [{"from": "system", "value": "s"}, H, told('<think>\nhm\n</think>\n\n{"name": "f", "arguments": {"x": 1}}'),
                                {"from": "observation", "value": "r"}, G]}  # fmt: skip
    trained = mode.read(record, mode.configured(None, SHARE), Seen(frozenset(record), record)).trained
    assert [message["role"] for message in trained.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert trained.messages[2]["tool_calls"] == [{"type": "function", "function": {"name": "f", "arguments": {"x": 1}}}]
    assert trained.loss == "assistant"
    masked = mode.read(
        record, mode.configured(None, {**SHARE, "mask_history": True}), Seen(frozenset(record), record)
    ).trained
    assert masked.loss == "last_turn"


@pytest.mark.parametrize(
    ("chosen", "rejected", "prompt"),
    [
        ("the sky is blue", "the sky is green", "the sky is"),
        ("the sky is blue", "the sky was blue", "the sky"),
        ("same", "same", "sam"),
        ("ab", "abc", "a"),
        ("x ", "y ", "x"),  # the last character is a space: the trainer cuts before it
    ],
)
def test_the_shared_prompt_is_cut_as_trl_cuts_it(chosen, rejected, prompt):
    """By hand from extract_prompt: up to the first difference, before a space; all but the last where there is none."""
    mode = trainer("trl.dpo")
    record = {"chosen": chosen, "rejected": rejected}
    trained = mode.read(record, mode.configured(None, {}), Seen(frozenset(record), record)).trained
    assert (trained.prompt, trained.prompt + trained.chosen) == (prompt, chosen)


def test_ms_swift_trains_the_messages_that_say_so():
    mode = trainer("ms_swift.sft")
    chat = [Q, {**A, "loss": False}, Q, A]
    trained = mode.read({"messages": chat, "tools": ['{"name": "f"}']}, mode.configured(None, {}), Seen()).trained
    assert (trained.loss, trained.weights) == ("weights", (0.0, 0.0, 0.0, 1.0))
    assert trained.tools == [{"type": "function", "function": {"name": "f"}}]  # wrapped, as it is rendered
    parts = [{"type": "text", "text": "look: "}, {"type": "image", "image": "x.png"}]
    trained = mode.read(
        {"messages": [{"role": "user", "content": parts}, A]}, mode.configured(None, {}), Seen()
    ).trained
    assert trained.messages[0]["content"] == "look: <image>"
