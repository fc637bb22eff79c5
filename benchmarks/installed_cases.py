"""What installed_trainers.py gives to each trainer: ways to train, good rows, and real files that have their shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Q, A = {"role": "user", "content": "q?"}, {"role": "assistant", "content": "a"}
B, S = {"role": "assistant", "content": "b b"}, {"role": "system", "content": "s"}
_H, _G, _R = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}, {"from": "gpt", "value": "b"}
_TYPES = {"type": "object", "properties": {"x": {"type": "string"}}}
_TOOLS = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": _TYPES}}]
_BOUNDED = [{"type": "function", "function": {"name": "g", "description": "d", "parameters": {
    "type": "object", "properties": {"x": {"type": "integer", "maximum": 5, "enum": [1, 2]}}}}}]  # fmt: skip
_ARGUMENTS = {"name": "f", "arguments": {"x": 1}}
_CALL = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": _ARGUMENTS}]}
_RESULT = {"role": "tool", "content": "r"}
_KTO, _DPO = "llama_factory/data/kto_en_demo.json", "llama_factory/data/dpo_zh_demo.json"
_IDENTITY, _GLAIVE = "llama_factory/data/identity.json", "llama_factory/data/glaive_toolcall_zh_demo.json"
_SHARE = (_GLAIVE, "medicalgpt/data/sft/medical_sft_1K_format.jsonl")
_PUZZLES = "logic_rl/data/kk/instruct/3ppl/train.parquet"
_TEXTS = "data_juicer/demos/data/demo-dataset-deduplication.jsonl"
_SWIFT = "ms_swift/tests/llm/data/"


@dataclass
class Case:
    """A way to train, good rows of one shape, and real files that have it."""

    mode: str
    good: list[dict[str, Any]]
    settings: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    reshaped: Callable[[dict[str, Any]], dict[str, Any]] | None = None  # what is done to the rows of those files
    shape: str = ""  # rows drawn from the grammar of conversation_cases.py instead


def trl_cases() -> list[Case]:
    only, turns = {"assistant_only_loss": True}, [{"messages": [Q, A]}, {"messages": [S, Q, A, Q, B]}]
    pair = {"prompt": [Q], "chosen": [A], "rejected": [B]}
    whole = {"chosen": [Q, A], "rejected": [Q, B]}
    told, spaced = {"prompt": [Q], "completion": [A]}, {"prompt": "q ", "chosen": "a", "rejected": "b"}
    return [
        Case("trl.sft", turns, {}, (_KTO,)),
        Case("trl.sft", turns, only, (_KTO,)),
        Case("trl.sft", [{**turns[0], "tools": _TOOLS, "chat_template_kwargs": {"enable_thinking": False}}]),
        Case("trl.sft", [{"conversations": [_H, _G]}], {}, _SHARE),
        Case("trl.sft", [{"prompt": "q", "completion": " a"}, {"prompt": "q? ", "completion": "a"}]),
        Case("trl.sft", [told]),
        Case("trl.sft", [told], only),
        Case("trl.sft", [{"text": "x y"}, {"text": "2024"}]),
        Case("trl.sft", turns[:1], {"max_length": 14}),
        Case("trl.sft", [{"input_ids": [1, 2, 3], "labels": [-100, 2, 3]}]),
        Case("trl.dpo", [pair], {}, (_DPO,)),
        Case("trl.dpo", [whole]),
        Case("trl.dpo", [{"prompt": "q", "chosen": " a", "rejected": " b"}, spaced]),
        Case("trl.dpo", [{"chosen": "q a", "rejected": "q b"}]),
        Case("trl.dpo", [pair], {"max_length": 20}),
        Case("trl.reward", [whole]),
        Case("trl.reward", [{**whole, "margin": 0.5}]),
        Case("trl.reward", [{"prompt": "q", "chosen": "a", "rejected": "b"}]),
        Case("trl.kto", [{**told, "label": True}]),
        Case("trl.kto", [{"prompt": "q", "completion": "a", "label": False}]),
        Case("trl.kto", [pair]),
        Case("trl.grpo", [{"prompt": [Q]}, {"prompt": [S, Q, A, Q]}]),
        Case("trl.grpo", [{"prompt": "q", "answer": "1"}]),
        Case("trl.orpo", [pair, {"prompt": [S, Q, A], "chosen": [A], "rejected": [B]}], {}, (_DPO,), _with_prompt),
        Case("trl.orpo", [whole, {"prompt": "q?", **whole}]),
        Case("trl.orpo", [{"prompt": "q", "chosen": " a", "rejected": " b"}, spaced]),
        Case("trl.orpo", [{"chosen": "q a", "rejected": "q b"}]),
        Case("trl.orpo", [pair, {"prompt": [Q, A, Q], "chosen": [A], "rejected": [B]}], {"max_length": 20}),
        Case("trl.orpo", [{"prompt": "q q q", "chosen": " a b c", "rejected": " d"}], {"max_length": 4}),
        Case("trl.kto", [{**told, "label": True, "tools": _TOOLS}, {**told, "label": False}]),
        Case("trl.kto", [{"prompt": "q q", "completion": " a b c", "label": 1}], {"max_length": 6}),
        Case("trl.kto", [whole, {"prompt": [Q], **whole}]),
        Case("trl.kto", [{"prompt": [Q, _CALL, _RESULT], "completion": [A], "label": False, "tools": _TOOLS}]),
        Case("trl.kto", [spaced, {**spaced, "score": 0.3}]),
        Case("trl.reward", [pair, {"prompt": [S, Q, A, Q], "chosen": [A], "rejected": [B]}]),
        Case("trl.reward", [{**whole, "tools": json.dumps(_TOOLS)}, {**whole, "margin": 1}]),
        Case("trl.reward", [{"chosen": [_H, _G], "rejected": [_H, _R]}]),
        Case("trl.reward", [{"chosen": "q a", "rejected": "q b", "margin": -0.3}], {"max_length": 4}),
        Case("trl.reward", [{"chosen": [Q, _CALL, _RESULT, A], "rejected": [Q, B], "tools": _TOOLS}]),
        Case("trl.grpo", [{"prompt": [Q], "solution": "1", "tools": _TOOLS}, {"prompt": [Q, _CALL, _RESULT, Q]}]),
        Case("trl.grpo", [{"prompt": "q", "extra_info": {"a": None}, "solution": ["1"]}]),
        Case("trl.grpo", [{"prompt": [Q], "chat_template_kwargs": {"enable_thinking": False}}]),
        Case("trl.dpo", [{**pair, "tools": _TOOLS, "prompt": [Q, _CALL, _RESULT]}, {**pair, "score_chosen": 0.3}]),
        Case("trl.dpo", [{"prompt": [_H], "chosen": [_G], "rejected": [_R]}]),
        Case("trl.orpo", [{**pair, "tools": _TOOLS}, {**pair, "chat_template_kwargs": {"enable_thinking": False}}]),
        Case("trl.sft", [{"messages": [Q, _CALL, _RESULT, A], "tools": json.dumps(_TOOLS)}], only),
        Case("trl.sft", [{**told, "prompt": [Q, _CALL, _RESULT], "tools": _TOOLS}]),
        *(Case(f"trl.{name}", [], shape=f"trl {name}") for name in ("sft", "dpo", "reward", "kto", "grpo", "orpo")),
    ]  # fmt: skip


def _with_prompt(row: dict[str, Any]) -> dict[str, Any]:
    told = _with_roles(row)
    return {"prompt": told["messages"], "chosen": [told["chosen"]], "rejected": [told["rejected"]]}


def llamafactory_cases() -> list[Case]:
    """Its own templates aside: `template: qwen` on a tokenizer with the template of Qwen2.5."""
    run = {"template": "qwen"}
    share, openai = {**run, "formatting": "sharegpt"}, {**run, "formatting": "openai"}
    roles = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
    tags = {f"tags.{name}": value for name, value in roles.items()}
    more = {"tags.observation_tag": "tool", "tags.function_tag": "function", "tags.system_tag": "system"}
    pairs = {"ranking": True, "columns.chosen": "chosen", "columns.rejected": "rejected"}
    ask = {"columns.prompt": "instruction", "columns.query": "input"}
    full = {**ask, "columns.response": "output", "columns.history": "history", "columns.system": "system"}
    talk, labelled = {"columns.messages": "messages"}, {"columns.kto_tag": "label"}
    call = {"from": "function_call", "value": json.dumps(_ARGUMENTS)}
    called = [_H, call, {"from": "observation", "value": "r"}, _G]
    told = {"instruction": "q", "input": "i", "output": "a", "system": "s", "history": [["x", "y"], ["z", "w"]]}
    system = {"conversations": [{"from": "system", "value": "s"}, _H, _G, _H, _R]}
    return [
        Case("llamafactory.sft", [{"instruction": "q", "input": "", "output": "a"}], run, (_IDENTITY,)),
        Case("llamafactory.sft", [told], {**run, **full}),
        Case("llamafactory.sft", [{"conversations": [_H, _G]}, system], share, _SHARE),
        Case("llamafactory.sft", [{"conversations": called, "tools": json.dumps(_TOOLS)}],
             {**share, "columns.messages": "conversations", "columns.tools": "tools"}, (_GLAIVE,)),
        Case("llamafactory.sft", [{"messages": [Q, A, Q, B]}], {**share, **talk, **tags, "mask_history": True},
             (_KTO,)),
        Case("llamafactory.sft", [{"messages": [Q, A]}], {**share, **talk, **tags, "cutoff_len": 24}),
        Case("llamafactory.sft", [{"messages": [Q, A]}], {**share, **talk, **tags, "train_on_prompt": True}),
        Case("llamafactory.sft", [{"messages": [Q, _CALL, {"role": "tool", "content": "r"}, A], "tools": _TOOLS},
                                  {"messages": [S, Q, A]}],
             {**openai, **talk, "columns.tools": "tools", **tags, **more}),
        Case("llamafactory.dpo", [{"conversations": [_H], "chosen": _G, "rejected": _R}],
             {**share, "columns.messages": "conversations", **pairs}, (_DPO,)),
        Case("llamafactory.dpo", [{"instruction": "q", "input": "", "chosen": "a", "rejected": "b"}],
             {**run, **ask, **pairs, "cutoff_len": 30}),
        Case("llamafactory.dpo", [{"conversations": [_H, _G, _H], "chosen": _G, "rejected": _R}],
             {**share, "columns.messages": "conversations", **pairs, "pref_loss": "orpo"}, (_DPO,)),
        Case("llamafactory.rm", [{"conversations": [_H, _G, _H], "chosen": _G, "rejected": _R}],
             {**share, "columns.messages": "conversations", **pairs}, (_DPO,)),
        Case("llamafactory.kto", [{"messages": [Q, A], "label": True}, {"messages": [Q, A], "label": False}],
             {**share, **talk, **labelled, **tags}, (_KTO,)),
        Case("llamafactory.kto", [{"instruction": "q", "input": "", "output": "a", "label": True}],
             {**run, **ask, "columns.response": "output", **labelled}),
        Case("llamafactory.kto", [{"conversations": [*called[:3], _G], "label": True, "tools": json.dumps(_TOOLS)},
                                  {"conversations": [_H, _R], "label": False}],
             {**share, **labelled, "columns.messages": "conversations", "columns.tools": "tools"}),
        Case("llamafactory.kto", [{"messages": [S, Q, A, Q, B], "label": True}, {"messages": [Q, A], "label": False}],
             {**openai, **talk, **labelled, **tags, **more, "cutoff_len": 30}),
        Case("llamafactory.rm", [{"instruction": "q", "input": "i", "chosen": "a", "rejected": "b", "system": "s"}],
             {**run, **ask, **pairs, "columns.system": "system", "cutoff_len": 30}),
        Case("llamafactory.rm", [{"messages": [S, Q], "chosen": A, "rejected": B, "tools": _TOOLS}],
             {**openai, **talk, **pairs, **tags, **more, "columns.tools": "tools"}),
    ]  # fmt: skip


def ms_swift_cases() -> list[Case]:
    """Its own templates aside: `template: qwen2_5` on a tokenizer with the template of Qwen2.5."""
    run, talk = {"template": "qwen2_5"}, {"messages": [Q, A]}
    call = {"role": "tool_call", "content": '{"name": "f", "arguments": {}}'}
    called = [Q, call, {"role": "tool_response", "content": "r"}, A]
    return [
        Case("ms_swift.sft", [talk, {"messages": [S, Q, A, Q, B]}], run, (_SWIFT + "chatml.jsonl", _KTO)),
        Case("ms_swift.sft", [{"messages": called, "tools": json.dumps(_TOOLS)}], run),
        Case("ms_swift.sft", [{"messages": [Q, _CALL, {"role": "tool", "content": "r"}, A], "tools": _TOOLS}], run),
        Case("ms_swift.sft", [{"conversations": [_H, _G], "system": "s"}], run,
             (_SWIFT + "conversations.jsonl", *_SHARE)),
        Case("ms_swift.sft", [{"conversation": [{"human": "q", "assistant": "a"}]}], run, (_SWIFT + "sharegpt.jsonl",)),
        Case("ms_swift.sft", [{"query": "q", "response": "a", "history": [["x", "y"]], "system": "s"}], run,
             (_SWIFT + "swift_multi.jsonl", _SWIFT + "swift_single.jsonl")),
        Case("ms_swift.sft", [{"instruction": "q", "input": "i", "output": "a"}], run,
             (_SWIFT + "alpaca.jsonl", _IDENTITY)),
        Case("ms_swift.sft", [talk], {**run, "max_length": 40}),
        Case("ms_swift.sft", [talk], {**run, "loss_scale": "last_round"}),
        Case("ms_swift.dpo", [{"messages": [Q, A], "rejected_response": "b"}], run),
        Case("ms_swift.dpo", [{"messages": [Q, A], "rejected_messages": [Q, B]}], run),
        Case("ms_swift.kto", [{"messages": [Q, A], "label": True}], run, (_KTO,)),
        *(Case("ms_swift.sft", [], run, shape=shape) for shape in ("plain", "tools", "tool_turns", "losses")),
        Case("ms_swift.sft", [], {**run, "loss_scale": "last_round"}, shape="plain"),
        Case("ms_swift.dpo", [], run, shape="rejected"),
        Case("ms_swift.grpo", [], run, shape="prompts"),
        Case("ms_swift.grpo", [{"messages": [Q], "solution": "1"}, {"messages": [S, Q, A]}], run),
        Case("ms_swift.kto", [], run, shape="labelled"),
        Case("ms_swift.kto", [{"messages": [S, Q, A, Q, B], "label": 1}, {"messages": [Q, A], "label": False}], run),
        Case("ms_swift.kto", [{"query": "q", "response": "a", "label": True}], run),
        Case("ms_swift.grpo", [{"messages": called[:3], "tools": json.dumps(_TOOLS), "solution": 0.3}], run),
        Case("ms_swift.grpo", [{"query": "q", "system": "s", "solution": ["1"]}], run),
        Case("ms_swift.grpo", [{"prompt": "q", "ground_truth": 0.3, "extra_info": {"a": None}}], run),
        Case("ms_swift.dpo", [{"query": "q", "response": "a", "rejected_response": "b", "history": [["x", "y"]]}], run),
        Case("ms_swift.orpo", [{"messages": [Q, A, Q, A], "rejected_response": "b"}], run),
        Case("ms_swift.orpo", [{"messages": [S, Q, A, Q, A], "rejected_messages": [S, Q, A, Q, B]}], run),
        *(Case(f"ms_swift.{name}", [], run, shape="rejected") for name in ("orpo", "simpo", "cpo")),
        Case("ms_swift.orpo", [], {**run, "loss_scale": "last_round"}, shape="rejected"),
        Case("ms_swift.dpo", [], {**run, "loss_scale": "default"}, shape="rejected"),
    ]  # fmt: skip


def verl_cases() -> list[Case]:
    long = {"data.max_prompt_length": 2048}
    row = {"data_source": "openai/gsm8k", "prompt": [Q], "reward_model": {"style": "rule", "ground_truth": "1"},
           "extra_info": {"index": 0}}  # fmt: skip
    return [
        Case("verl.sft", [{"messages": [Q, A]}, {"messages": [S, Q, A, Q, B]}], {"data.max_length": 4096}, (_KTO,)),
        Case("verl.sft", [{"messages": [Q, A], "tools": _TOOLS}]),
        Case("verl.sft", [{"messages": [Q, A, Q, B], "enable_thinking": False}], {"data.truncation": "right",
                                                                               "data.max_length": 30}),
        Case("verl.rl", [row], {**long, "data.filter_overlong_prompts": True}, (_PUZZLES,)),
        Case("verl.rl", [row], {**long, "data.filter_overlong_prompts": False}, (_PUZZLES,)),
        Case("verl.rl", [row], {"data.max_prompt_length": 18}),
        Case("verl.rl", [], {**long, "data.filter_overlong_prompts": True}, shape="asked"),
        Case("verl.rl", [], {"data.max_prompt_length": 40, "data.filter_overlong_prompts": True}, shape="asked"),
        Case("verl.rl", [], {"data.max_prompt_length": 40}, shape="asked"),
        Case("verl.sft", [], {"data.max_length": 4096}, shape="plain"),
        Case("verl.sft", [], {"data.max_length": 4096}, shape="openai"),
        Case("verl.sft", [], {"data.max_length": 50, "data.truncation": "left", "data.pad_mode": "right"},
             shape="plain"),
        Case("verl.sft", [], {"data.max_length": 4096, "data.ignore_input_ids_mismatch": True}, shape="openai"),
        Case("verl.rl", [{**row, "ability": "math", "extra_info": {"index": 0, "split": "s", "question": "q"}}], long),
        Case("verl.rl", [{**row, "prompt": [S, Q, A, Q], "extra_info": {"index": 0, "need_tools_kwargs": True,
                          "tools_kwargs": {"f": {"create_kwargs": {"ground_truth": "1"}}}}}], long),
        Case("verl.sft", [{"messages": [Q, _CALL, _RESULT, A], "tools": _TOOLS}],
             {"data.max_length": 4096, "data.ignore_input_ids_mismatch": True}),
        Case("verl.sft", [{"messages": [Q, A], "tools": [*_TOOLS, *_BOUNDED]}, {"messages": [Q, A], "tools": _TOOLS},
                          {"messages": [Q, A], "tools": _BOUNDED}], {"data.max_length": 4096}),
    ]  # fmt: skip


def mlx_lm_cases() -> list[Case]:
    """Conversations, prompts with completions, texts; whole, and with the prompt masked."""
    turns, masked = [{"messages": [Q, A]}, {"messages": [S, Q, A, Q, B]}], {"mask_prompt": True}
    called = {"messages": [Q, _CALL, _RESULT, A], "tools": _TOOLS}
    return [
        Case("mlx_lm.sft", turns, {}, (_KTO,)),
        Case("mlx_lm.sft", turns, masked, (_KTO,)),
        Case("mlx_lm.sft", [called], masked),
        Case("mlx_lm.sft", [{"prompt": "q", "completion": " a"}, {"prompt": "q? ", "completion": "a"}]),
        Case("mlx_lm.sft", [{"prompt": "q", "completion": "a", "tools": _TOOLS}], masked),
        Case("mlx_lm.sft", [{"instruction": "q", "output": "a"}],
             {**masked, "prompt_feature": "instruction", "completion_feature": "output"}, (_IDENTITY,)),
        Case("mlx_lm.sft", [{"text": "x y"}, {"text": "2024"}], {}, (_TEXTS,)),
        Case("mlx_lm.sft", [{"text": "x y z x y z"}], {"max_seq_length": 4}),
        Case("mlx_lm.sft", turns, {"max_seq_length": 24}),
        Case("mlx_lm.sft", turns[1:], {**masked, "max_seq_length": 24}),
        Case("mlx_lm.sft", [], shape="plain"),
        Case("mlx_lm.sft", [], masked, shape="plain"),
    ]  # fmt: skip


def unsloth_cases() -> list[Case]:
    """Texts, prompts with completions, conversations; with and without the markers of ChatML."""
    turns, pairs = [{"messages": [Q, A]}, {"messages": [S, Q, A, Q, B]}], [{"prompt": "q", "completion": "a"}]
    answers = {"train_on_responses_only": True, "instruction_part": "<|im_start|>user\n",
               "response_part": "<|im_start|>assistant\n"}  # fmt: skip
    talks = (("human", "q"), ("gpt", "a")), (("system", "s"), ("user", "q"), ("assistant", "b"))
    shared = [{"conversations": [{"from": role, "value": text} for role, text in talk]} for talk in talks]
    notebook = {"standardize_sharegpt": True, "apply_chat_template": "conversations"}
    talk = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n"
    called = {"messages": [Q, _CALL, _RESULT, A], "tools": _TOOLS}
    return [
        Case("unsloth.sft", [{"text": "x y"}, {"text": "2024"}], {}, (_TEXTS,)),
        Case("unsloth.sft", [{"text": talk}, {"text": f"{talk}{talk}"}], {**answers, "max_seq_length": 24}),
        Case("unsloth.sft", turns, {}, (_KTO,)),
        Case("unsloth.sft", turns, answers, (_KTO,)),
        Case("unsloth.sft", turns, {**answers, "last_response_only": True, "max_seq_length": 30}),
        Case("unsloth.sft", [called], {**answers, "mask_out_tokens": "call"}),
        Case("unsloth.sft", turns, {"max_seq_length": 24, "truncation_mode": "keep_end"}),
        Case("unsloth.sft", turns, {"assistant_only_loss": True}),
        Case("unsloth.sft", turns, {"train_on_responses_only": True, "max_seq_length": 40}),
        Case("unsloth.sft", [{"prompt": [S, Q, A, Q], "completion": [B]}], {"assistant_only_loss": True}),
        Case("unsloth.sft", shared, notebook),
        Case("unsloth.sft", shared, {**notebook, **answers, "max_seq_length": 28}),
        Case("unsloth.sft", turns, {**answers, "apply_chat_template": "messages"}, (_KTO,)),
        Case("unsloth.sft", [*pairs, {"prompt": "q? ", "completion": "a"}]),
        Case("unsloth.sft", pairs, {"completion_only_loss": False, "max_length": 5}),
        Case("unsloth.sft", [{"prompt": [Q], "completion": [A]}, {"prompt": [S, Q, A, Q], "completion": [B]}]),
        Case("unsloth.sft", [{"prompt": [S, Q, A, Q], "completion": [B]}], {**answers, "max_seq_length": 40}),
        Case("unsloth.sft", [], answers, shape="plain"),
        Case("unsloth.sft", [], {**answers, "apply_chat_template": "messages"}, shape="plain"),
    ]


def openrlhf_cases() -> list[Case]:
    """Texts with the template of words, and messages with the tokenizer's."""
    chat, turns = {"data.apply_chat_template": True}, [{"messages": [Q, A]}, {"messages": [S, Q, A, Q, B]}]
    whole = {**chat, "data.input_key": "messages"}
    asked = {"data.input_key": "q", "data.output_key": "a"}
    pair, told = {"chosen": [Q, A], "rejected": [Q, B]}, {"prompt": [Q], "chosen": [A], "rejected": [B]}
    behind = {"data.prompt_key": "prompt"}
    text, plain = {"prompt": "q", "chosen": "a", "rejected": "b"}, {"chosen": "q a", "rejected": "q b"}
    gold = {"data.input_key": "prompt", "data.label_key": "answer"}
    short = "data.max_len"
    return [
        Case("openrlhf.sft", turns, whole, (_KTO,)),
        Case("openrlhf.sft", turns, {**whole, "data.multiturn": True}, (_KTO,)),
        Case("openrlhf.sft", [{"messages": [Q, A], "tools": _TOOLS}], {**whole, short: 38}),
        Case("openrlhf.sft", turns[1:], {**whole, "data.multiturn": True, short: 24}),
        Case("openrlhf.sft", [{"prompt": [Q, A, Q], "response": [A]}],
             {**chat, "data.input_key": "prompt", "data.output_key": "response"}),
        Case("openrlhf.sft", [{"q": [Q], "a": [A]}], {**chat, **asked}),
        Case("openrlhf.sft", [{"q": "q", "a": "a"}], {**chat, **asked}),
        Case("openrlhf.sft", [{"q": "q", "a": "a"}, {"q": "q ", "a": " a\n"}], asked),
        Case("openrlhf.sft", [{"instruction": "q", "output": "a"}],
             {"data.input_key": "instruction", "data.output_key": "output", short: 16}, (_IDENTITY,)),
        Case("openrlhf.sft", [{"text": "x y"}, {"text": "2024"}],
             {"data.input_key": "text", "model.pretrain_mode_enable": True}),
        Case("openrlhf.rm", [pair, {**pair, "margin": 0.5}], {**chat, "model.margin_loss_enable": True}),
        Case("openrlhf.rm", [told], {**chat, **behind}),
        Case("openrlhf.rm", [text], {**behind, "data.input_template": "U: {}\nA: "}),
        Case("openrlhf.rm", [text], {**behind, short: 6}),
        Case("openrlhf.dpo", [pair, {"chosen": [S, Q, A], "rejected": [S, Q, B]}], chat),
        Case("openrlhf.dpo", [told], {**chat, **behind}),
        Case("openrlhf.dpo", [told], {**chat, **behind, short: 40}),
        Case("openrlhf.dpo", [text], behind),
        Case("openrlhf.dpo", [plain], {short: 4}),
        Case("openrlhf.rl", [{"prompt": [Q], "answer": "1"}, {"prompt": [S, Q], "answer": "2"}], {**chat, **gold}),
        Case("openrlhf.rl", [{"prompt": "q", "answer": "1"}], {**chat, **gold, short: 16, "rollout.max_new_tokens": 6}),
        Case("openrlhf.rl", [{"prompt": "q", "answer": "1"}], {**gold, "data.input_template": "Q: {}\nA:", short: 5}),
        *(Case("openrlhf.sft", [], {**whole, "data.multiturn": turns}, shape="plain") for turns in (False, True)),
        Case("openrlhf.sft", [], {**whole, "data.multiturn": True, short: 60}, shape="openai"),
        Case("openrlhf.rl", [], {**chat, "data.input_key": "prompt"}, shape="asked"),
    ]  # fmt: skip


def _with_roles(row: dict[str, Any]) -> dict[str, Any]:
    """A pair of from and value as one of role and content."""
    roles = {"human": "user", "gpt": "assistant", "system": "system"}
    asked = [{"role": roles[each["from"]], "content": each["value"]} for each in row["conversations"]]
    told = {name: {"role": roles[row[name]["from"]], "content": row[name]["value"]} for name in ("chosen", "rejected")}
    return {"messages": asked, **told}


def axolotl_cases() -> list[Case]:
    """Conversations, alpaca's words, pieces with labels; pairs."""
    chat, turns = (
        {"datasets.type": "chat_template", "sequence_len": 4096},
        [{"messages": [Q, A]}, {"messages": [S, Q, A, Q, B]}],
    )
    tagged = {"datasets.field_messages": "conversations", "datasets.message_property_mappings.role": "from",
              "datasets.message_property_mappings.content": "value"}  # fmt: skip
    told = [{"instruction": "q", "input": "i", "output": "a"}, {"instruction": "q", "input": "", "output": "a b"}]
    pieces = {"segments": [{"label": False, "text": "q "}, {"label": True, "text": "a<|im_end|>"}]}
    pair = {"messages": [Q], "chosen": A, "rejected": B}
    dpo = {"datasets.type": "chat_template.default", "sequence_len": 4096}
    return [
        Case("axolotl.sft", turns, chat, (_KTO,)),
        Case("axolotl.sft", [{"conversations": [_H, _G]}], {**chat, **tagged}, _SHARE),
        Case("axolotl.sft", [{"messages": [Q, _CALL, {"role": "tool", "content": "r"}, A], "tools": _TOOLS}], chat),
        Case("axolotl.sft", [{"messages": [Q, A], "system": "s"}], {**chat, "sample_packing": True}),
        Case("axolotl.sft", [{"messages": [{**Q, "train": True}, {**A, "train": False}, Q, B]}],
             {**chat, "datasets.message_field_training": "train", "datasets.train_on_eos": "all"}),
        Case("axolotl.sft", turns, {**chat, "datasets.train_on_eos": "last", "datasets.roles_to_train": "user, gpt"}),
        Case("axolotl.sft", turns, {**chat, "datasets.train_on_eos": "none", "train_on_inputs": True,
                                    "datasets.drop_system_message": True}),
        Case("axolotl.sft", [{"messages": [Q, {**A, "content": "<think>t</think> a"}]}],
             {**chat, "datasets.split_thinking": True, "chat_template": "qwen3"}),
        Case("axolotl.sft", turns, {**chat, "sequence_len": 42}),
        Case("axolotl.sft", turns, {**chat, "sequence_len": 42, "excess_length_strategy": "truncate",
                                    "chat_template": "chatml"}),
        Case("axolotl.sft", turns, {**chat, "sequence_len": 42, "excess_length_strategy": "raise"}),
        Case("axolotl.sft", told, {"datasets.type": "alpaca", "sequence_len": 4096}, (_IDENTITY,)),
        Case("axolotl.sft", told, {"datasets.type": "alpaca:chat", "train_on_inputs": True}),
        Case("axolotl.sft", told, {"datasets.type": "alpaca", "sequence_len": 60, "sample_packing": True}),
        Case("axolotl.sft", [pieces], {"datasets.type": "input_output"}),
        *(Case("axolotl.sft", [], chat, shape=shape) for shape in ("plain", "openai")),
        Case("axolotl.sft", [], {**chat, "sequence_len": 60, "excess_length_strategy": "truncate"}, shape="openai"),
        Case("axolotl.dpo", [pair], dpo, (_DPO, _DPO.replace("zh", "en")), _with_roles),
        Case("axolotl.dpo", [{"messages": "q", "chosen": "the answer", "rejected": "another one"}], dpo),
        Case("axolotl.dpo", [{"prompt": [S, Q], "good": [Q, A], "bad": [Q, B]}],
             {**dpo, "datasets.field_messages": "prompt", "datasets.field_chosen": "good",
              "datasets.field_rejected": "bad", "sequence_len": 44}),
        Case("axolotl.dpo", [pair], {**dpo, "sequence_len": 44, "excess_length_strategy": "raise"}),
        *axolotl_named_cases(),
        Case("axolotl.sft", [{"text": "x y"}, {"text": "2024"}], {"datasets.type": "completion"}, (_TEXTS,)),
        Case("axolotl.sft", [{"body": "a b c d e f"}, {"body": "x <|im_end|>"}],
             {"datasets.type": "completion", "datasets.field": "body", "sequence_len": 8, "sample_packing": True}),
        Case("axolotl.sft", [{"text": "x y z" * 9}],
             {"datasets.type": "completion", "sequence_len": 4, "min_sample_len": 3}),
    ]  # fmt: skip


def axolotl_named_cases() -> list[Case]:
    """Pairs and scored answers by the names of their ways."""
    long = {"sequence_len": 4096}
    told, sides = {"chosen": "the answer", "rejected": "b"}, {"chosen": [Q, A], "rejected": [Q, B]}
    scored = {"completion": "the answer", "label": True}
    columns = {
        "icr": "input",
        "intel": "question",
        "prompt_pairs": "prompt",
        "ultra": "prompt",
        "argilla": "instruction",
    }
    cases = [Case("axolotl.dpo", [sides], {"datasets.type": "chat_template.argilla_chat", **long})]
    for family, system in (("chatml", {}), ("llama3", {"system": "s"})):
        for name in ("icr", "intel", "prompt_pairs", "ultra"):
            good = {columns[name]: "q?", **(sides if name == "ultra" else told)}
            cases.append(Case("axolotl.dpo", [{**good, **system}], {"datasets.type": f"{family}.{name}", **long}))
        cases += [
            Case("axolotl.dpo", [sides], {"datasets.type": f"{family}.argilla_chat", **long}),
            Case(
                "axolotl.dpo",
                [
                    {"instruction": "q", "chosen_response": "a", "rejected_response": "b"},
                    {"question": "q", "chosen": "a", "rejected": "b"},
                ],
                {"datasets.type": family, **long},
            ),
        ]
        for name in ("argilla", "intel", "prompt_pairs", "ultra"):
            good = [{columns[name]: "q?", **scored, **system}, {columns[name]: "q", **scored, "label": False}]
            cases.append(Case("axolotl.kto", good, {**_KTO_RUN, "datasets.type": f"{family}.{name}", **long}))
        cases.append(
            Case(
                "axolotl.kto",
                [{"completion": [S, Q, A], "label": True}],
                {**_KTO_RUN, "datasets.type": f"{family}.argilla_chat", **long},
            )
        )
    short = {"datasets.type": "chatml.intel", "sequence_len": 20}
    return [
        *cases,
        Case("axolotl.dpo", [{"question": "q q", **told}], short),
        Case("axolotl.kto", [{"question": "q q", **scored}], {**_KTO_RUN, **short}),
        Case("axolotl.dpo", [{"question": "q q", **told}], {**short, "excess_length_strategy": "raise"}),
        Case("axolotl.kto", [{"question": "q q", **scored}],
             {**_KTO_RUN, **short, "excess_length_strategy": "raise"}),
        Case("axolotl.dpo", [{"question": "q q", **_LONGER}], {**short, "excess_length_strategy": "truncate"}),
        Case("axolotl.dpo", [{"messages": [Q], **_LONGER}, {"messages": [Q, A, Q], **_LONGER}],
             {"datasets.type": "chat_template.default", "sequence_len": 44, "excess_length_strategy": "truncate"}),
        Case("axolotl.kto", [{"question": "q q", "completion": _LONGER["chosen"], "label": True}],
             {**_KTO_RUN, **short, "excess_length_strategy": "truncate"}),
    ]  # fmt: skip


_LONGER = {"chosen": "a b c d e f g 你好 🙂 h i j k", "rejected": "b"}
_OF_PROMPT = ("prompt_pairs", "ultra")
_KTO_RUN = {"remove_unused_columns": False}
CASES = {"axolotl": axolotl_cases, "trl": trl_cases, "llamafactory": llamafactory_cases, "ms_swift": ms_swift_cases,
         "verl": verl_cases, "openrlhf": openrlhf_cases, "mlx_lm": mlx_lm_cases,
         "unsloth": unsloth_cases}  # fmt: skip
