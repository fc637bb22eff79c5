"""Conversations drawn from a grammar, and small tokenizers with a model's special tokens, for installed_trainers.py.

The rows of benchmarks/trainers.py are good ones with wrong values in them; these are right by their shape and odd in
what they say: words of templates in contents, thoughts, calls of several kinds, white space, scripts, empty turns.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_SPECIAL = re.compile(
    r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>]{1,40}｜>|</?s>|</?(?:think|tool_call|tool_response|eos|bos|start_of_turn|end_of_turn)>"
    r"|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|gMASK)\]|<sop>|\]~b\]|\[e~\[|\]~!b\[|<\|?turn\|?>"
)
_WORDS = (
    "the weather", " leading", "trailing ", "two\n\nlines", "", "  ", "\n", "日本語と中文", "emoji 👩‍👩‍👧",
    "naïve ﬁ", "a" * 40, "{{content}}", "{{idx}} {{ x }}",
    "<think>", "</think>", "<think>\nhm\n</think>\n\nso", "<tool_call>{}</tool_call>",
    "<|im_end|>", "<|im_start|>user", "<s>[INST] x [/INST]", "'quoted' \"twice\"", "\\n \\u0041", "1 + 1 = 2.5", "null",
    "2024-01-01", "{% if x %}", "<image>", "\ttab\r\nline",
)  # fmt: skip
_VALUES: tuple[Any, ...] = ("x", "", 1, 1.5, True, None, [1, "b"], {"k": {"z": None}}, "日本", 'a"b', "l\nm")
_ODD: tuple[Any, ...] = (
    0.3, 0.123456789012, 1e-7, 1e22, -0.0, 1e-320, 1e300, 12345678901234567890.5, 2**53 + 1, -1e-11, 4.35, [], {}, [{}],
    [0.1, 2], {"k": [0.3, None]}, "2024-05-06", "0.30", "1e5", "null", "[]", '{"a": 0.3}', 99999999999999.99, 2**63 - 1,
)  # fmt: skip
_LARGE = (2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**30)  # seldom: one may stop what else the file would show
_HARSH = (*(_VALUES + _ODD) * 10, *_LARGE)


def drawn(draw: random.Random, count: int, values: Sequence[Any] = _VALUES) -> list[dict[str, Any]]:
    """Conversations as {system, tools, turns}; a turn is (kind, content), of calls a list of {name, arguments}.

    values: those of arguments; the tests hold what packages gave for those of the default.
    """
    return [_conversation(draw, values) for _ in range(count)]


def _conversation(draw: random.Random, values: Sequence[Any]) -> dict[str, Any]:
    called = draw.random() < 0.4
    turns: list[tuple[str, Any]] = []
    for _ in range(draw.choice((1, 1, 2, 3, 4))):
        turns.append(("user", _said(draw)))
        while called and draw.random() < 0.5:
            turns += [("call", _calls(draw, values)), ("result", _said(draw))]
        turns.append(("assistant", _answer(draw)))
    system = draw.choice((None, None, "", _said(draw), "be brief"))
    return {
        "system": system,
        "turns": turns,
        "tools": [_tool(draw) for _ in range(draw.randint(1, 3))] if called else [],
    }


def _said(draw: random.Random) -> str:
    return draw.choice(("", " ", "\n")).join(draw.choice(_WORDS) for _ in range(draw.randint(1, 3)))


def _answer(draw: random.Random) -> str:
    thought = draw.choice(("", "", "<think>\n{}\n</think>\n\n", "<think>{}</think>"))
    return thought.replace("{}", _said(draw)) + _said(draw)


def _calls(draw: random.Random, values: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {"name": draw.choice(("f", "get_time")), "arguments": {key: draw.choice(values) for key in _names(draw)}}
        for _ in range(draw.choice((1, 1, 1, 2)))
    ]


def _names(draw: random.Random) -> list[str]:
    return draw.sample(("x", "b", "a_1", "名"), draw.randint(0, 3))


def _tool(draw: random.Random) -> dict[str, Any]:
    told: dict[str, dict[str, Any]] = {name: {"type": draw.choice(("string", "integer"))} for name in _names(draw)}
    for schema in told.values():
        schema.update(draw.choice(({}, {"description": "d 中"}, {"enum": ["p", "q"]}, {"items": {"type": "string"}})))
    parameters = {"type": "object", "properties": told, **({"required": list(told)[:1]} if draw.random() < 0.5 else {})}
    bare = {
        "name": draw.choice(("f", "get_time")),
        "description": draw.choice(("d", "", "l\nm")),
        "parameters": parameters,
    }
    return bare if draw.random() < 0.3 else {"type": "function", "function": bare}


def sharegpt(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """As LLaMA-Factory's sharegpt format has it; a call may have words or a thought before it."""
    told = [] if talk["system"] is None else [{"from": "system", "value": talk["system"]}]
    for kind, content in talk["turns"]:
        if kind == "call":
            text = json.dumps(content if len(content) > 1 else content[0], ensure_ascii=False)
            text = draw.choice(("{}", "{}", "<think>\nhm\n</think>\n\n{}", "so\n<tool_call>{}</tool_call>")).replace(
                "{}", text
            )
            told.append({"from": "function_call", "value": text})
        else:
            names = {"user": "human", "assistant": "gpt", "result": "observation"}
            told.append({"from": names[kind], "value": content})
    return {"conversations": told, "tools": json.dumps(talk["tools"], ensure_ascii=False) if talk["tools"] else ""}


def openai(talk: dict[str, Any], *, objects: bool = True) -> dict[str, Any]:
    """As OpenAI's messages; `objects`: arguments of calls are objects, else JSON text."""
    told: list[dict[str, Any]] = [] if talk["system"] is None else [{"role": "system", "content": talk["system"]}]
    for kind, content in talk["turns"]:
        if kind == "call":
            calls = [
                {**call, "arguments": call["arguments"] if objects else json.dumps(call["arguments"])}
                for call in content
            ]
            listed = [{"type": "function", "function": call} for call in calls]
            told.append({"role": "assistant", "content": "", "tool_calls": listed})
        else:
            told.append({"role": "tool" if kind == "result" else kind, "content": content})
    return {"messages": told, **({"tools": talk["tools"]} if talk["tools"] else {})}


def shaped(shape: str, draw: random.Random, count: int) -> list[dict[str, Any]]:
    """Drawn conversations as a mode of a trainer takes them."""
    return [_SHAPES[shape](talk, draw) for talk in drawn(draw, count, _HARSH)]


def _asked(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Verl's prompts for RL: up to a question, with what the reward manager scores with."""
    messages = [message for message in openai(talk)["messages"] if "tool_calls" not in message]
    ends = [at for at, message in enumerate(messages) if message["role"] == "user"]
    gold = draw.choice(("42", "x = 1", "", '{"a": 1}', "日本"))
    row = {
        "data_source": draw.choice(("openai/gsm8k", "lighteval/MATH", "math_dapo", "aime2024", "searchR1_nq")),
        "prompt": messages[: draw.choice(ends) + 1],
        "reward_model": {"style": "rule", "ground_truth": gold},
    }
    return {**row, **({"extra_info": {"index": draw.randint(0, 9)}} if draw.random() < 0.7 else {})}


def _json_tools(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """ms-swift: tools as JSON text or as a list, calls as turns of their own."""
    row = openai(talk, objects=draw.random() < 0.5)
    return {**row, "tools": json.dumps(row["tools"])} if "tools" in row and draw.random() < 0.5 else row


def _tool_turns(talk: dict[str, Any], _draw: random.Random) -> dict[str, Any]:
    names = {"call": "tool_call", "result": "tool_response"}
    turns = [
        (names.get(kind, kind), json.dumps(each, ensure_ascii=False) if kind == "call" else each)
        for kind, content in talk["turns"]
        for each in (content if kind == "call" else [content])
    ]
    said = [] if talk["system"] is None else [("system", talk["system"])]
    row = {"messages": [{"role": role, "content": content} for role, content in [*said, *turns]]}
    return {**row, "tools": json.dumps(talk["tools"])} if talk["tools"] else row


def _plain(talk: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        message for message in openai(talk)["messages"] if message["role"] != "tool" and "tool_calls" not in message
    ]


def _losses(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Some answers that are not trained."""
    said = [{**each, "loss": draw.random() < 0.6} if each["role"] == "assistant" else each for each in _plain(talk)]
    return {"messages": said}


def _trl(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """What all of TRL's modes may have beside the messages."""
    row = openai(talk, objects=draw.random() < 0.8)
    more = ({}, {}, {}, {"score": 0.3}, {"id": 7, "source": None}, {"chat_template_kwargs": {"enable_thinking": False}})
    if "tools" in row and draw.random() < 0.3:
        row["tools"] = json.dumps(row["tools"])
    return {**row, **draw.choice(more)}


def _trl_sft(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    row = _trl(talk, draw)
    if draw.random() < 0.5:
        return row
    said = row.pop("messages")
    return {"prompt": said[:-1], "completion": said[-1:], **row}


def _trl_pair(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    row = _trl(talk, draw)
    said = row.pop("messages")
    other = [{"role": "assistant", "content": _answer(draw)}]
    whole = draw.random() < 0.3
    sides = {"chosen": said if whole else said[-1:], "rejected": [*said[:-1], *other] if whole else other}
    return {**({} if whole else {"prompt": said[:-1]}), **sides, **row}


def _trl_labelled(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    row = _trl(talk, draw)
    said = row.pop("messages")
    return {"prompt": said[:-1], "completion": said[-1:], "label": draw.choice((True, False, 1, 0)), **row}


def _trl_asked(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    row = _trl(talk, draw)
    said = row.pop("messages")
    return {"prompt": said[:-1], "solution": draw.choice(("42", 42, 0.3, None, ["42"])), **row}


def _trl_margin(talk: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    row = _trl_pair(talk, draw)
    return {**row, "margin": draw.choice((0.3, 1, -0.0, 1e-7))} if draw.random() < 0.5 else row


_SHAPES: dict[str, Callable[[dict[str, Any], random.Random], dict[str, Any]]] = {
    "openai": lambda talk, _: openai(talk),
    "plain": lambda talk, _: {"messages": _plain(talk)},
    "asked": _asked,
    "trl sft": _trl_sft,
    "trl dpo": _trl_pair,
    "trl orpo": _trl_pair,
    "trl reward": _trl_margin,
    "trl kto": _trl_labelled,
    "trl grpo": _trl_asked,
    "tools": _json_tools,
    "tool_turns": _tool_turns,
    "losses": _losses,
    "sharegpt": sharegpt,
    "rejected": lambda talk, draw: {"messages": _plain(talk), "rejected_response": _answer(draw)},
    "labelled": lambda talk, draw: {"messages": _plain(talk), "label": draw.random() < 0.5},
    "prompts": lambda talk, draw: {"messages": _plain(talk)[: draw.choice((-1, None))], "solution": "42"},
}


def special_tokens(*texts: str) -> list[str]:
    """What looks like a control token in a template's text."""
    return list(dict.fromkeys(found for text in texts for found in _SPECIAL.findall(text)))


def small_tokenizer(
    base: Path, folder: Path, special: Sequence[str], template: str | None = None, **named: str | None
) -> Path:
    """A copy of a small tokenizer with more special tokens; `named`: bos_token, eos_token, …; None takes one away."""
    folder.mkdir(parents=True)
    shutil.copy(base / "tokenizer.json", folder / "tokenizer.json")
    whole = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    known = {token["content"] for token in whole["added_tokens"]}
    number = max([*whole["model"]["vocab"].values(), *(token["id"] for token in whole["added_tokens"])]) + 1
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    wanted = [word for word in dict.fromkeys([*special, *filter(None, named.values())]) if word not in known]
    whole["added_tokens"] += [
        {"id": number + at, "content": word, "special": True, **flags} for at, word in enumerate(wanted)
    ]
    (folder / "tokenizer.json").write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
    config: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    config |= {"model_max_length": 1 << 20, "added_tokens_decoder": {}}
    config |= {
        name: token
        for name, token in {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", **named}.items()
        if token
    }
    config["added_tokens_decoder"] = {
        str(token["id"]): {key: value for key, value in token.items() if key != "id"} for token in whole["added_tokens"]
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, ensure_ascii=False), encoding="utf-8")
    if template is not None:
        (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    return folder
