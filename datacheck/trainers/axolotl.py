"""axolotl: SFT with chat_template, alpaca, input_output and completion, DPO and KTO with the ways that it has by name.

A row that cannot be tokenized stops the run; rows that are too long, too short or (with sample_packing) train nothing
are left out. Which tokens are trained is found turn by turn (`datacheck/chat/located.py`).
"""

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from datacheck.i18n.message import Message
from datacheck.trainers.axolotl_named import pair_of, scored_of
from datacheck.trainers.base import (
    Cut,
    Fate,
    Messages,
    RowOutcome,
    Seen,
    Settings,
    StopRow,
    Trained,
    TurnEnds,
    Twins,
    Upstream,
    dated,
    fate_if,
    guarded,
    objects_of,
    role_said,
    type_of,
)

UPSTREAM = Upstream(
    "axolotl-ai-cloud/axolotl", "0.19.0", "src/axolotl/", "The installed release was run beside the twin."
)
_TWINS = Twins.of("axolotl", UPSTREAM)
_ENTRY = "datasets"
_ROLES = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "system": "system",
    "tool": "tool",
}
_KNOWN = ("system", "user", "assistant", "tool", "developer")
_DPO_ROLES = ("user", "assistant", "system", "tool")
_OF_TEMPLATE = "chat_template"
_DEFAULT, _JINJA, _FALLBACK = "tokenizer_default", "jinja", "tokenizer_default_fallback_"
_BEFORE = {
    True: "Below is an instruction that describes a task, paired with an input that provides further context. Write a"
    " response that appropriately completes the request.",
    False: "Below is an instruction that describes a task. Write a response that appropriately completes the request.",
}
_STYLES = {  # prompters.py:50-57: before those words; the question, its input, the answer
    "alpaca": ("{system}\n\n", "### Instruction:\n", "\n\n### Input:\n", "\n\n### Response:\n"),
    "alpaca:chat": ("SYSTEM: {system}\n", "USER: ", "\n", "\nASSISTANT:"),
}


@cache
def _templates() -> dict[str, str]:
    """The chat templates of axolotl itself, by name."""
    path = Path(__file__).parent / "templates" / "axolotl.toml"
    templates: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))["template"]
    return templates


def _listed(value: Any) -> Any:
    """A list, or its items in one text with commas, as `run.settings` has them."""
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


class _AxolotlRun(Settings):
    """What all ways of training have. Settings of the entry under `datasets:` have its name before them."""

    MAX_LENGTH: ClassVar[str | None] = "sequence_len"

    sequence_len: int = 512
    excess_length_strategy: Literal["drop", "truncate", "raise"] | None = None
    chat_template: str | None = None
    chat_template_jinja: str | None = None
    tokens: list[str] | None = None
    special_tokens: dict[str, Any] | None = None
    added_tokens_overrides: dict[str, str] | None = None

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Take the first entry under `datasets:`; what is named `datasets.x` stands over it."""
        entries = given.get(_ENTRY)
        entry = entries[0] if isinstance(entries, list) and entries and isinstance(entries[0], dict) else {}
        values = {**{f"{_ENTRY}.{name}": value for name, value in entry.items()}, **given}
        for group in (
            "special_tokens",
            "added_tokens_overrides",
            f"{_ENTRY}.roles",
            f"{_ENTRY}.message_property_mappings",
        ):
            whole = dict(values[group]) if isinstance(values.get(group), dict) else {}
            whole |= {name[len(group) + 1 :]: value for name, value in given.items() if name.startswith(f"{group}.")}
            values |= {group: whole} if whole else {}
        return {name: value for name, value in values.items() if value is not None}

    @field_validator("tokens", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return _listed(value)

    @property
    def other_tokens(self) -> bool:
        """Whether the run trains with another tokenizer than the folder has."""
        changed = set(self.special_tokens or ()) - {"pad_token"}
        return bool(changed or self.tokens or self.added_tokens_overrides)

    @property
    def template(self) -> tuple[str, str | None]:
        """Which template is used, by name, and its text where it is named jinja."""
        return self.chat_template or _DEFAULT, self.chat_template_jinja


class AxolotlSft(_AxolotlRun):
    """Settings of `axolotl train` for SFT, with its defaults.

    Settings of the entry under `datasets:` have that name before them (`datasets.field_messages`); of several entries
    that a config file has, the first one counts. Lists may be one text with commas, as may the names of a role:
    `datasets.roles.assistant: "gpt, bot"`.
    """

    type: Literal["chat_template", "alpaca", "alpaca:chat", "input_output", "completion"] | None = Field(
        default=None, alias="datasets.type"
    )
    field_messages: str = Field(default="messages", alias="datasets.field_messages")
    field: str = Field(default="text", alias="datasets.field")
    min_sample_len: int | None = None
    sample_packing: bool | None = None
    train_on_inputs: bool | None = None
    eot_tokens: list[str] | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    own_template: str | None = Field(default=None, alias="datasets.chat_template")
    own_template_jinja: str | None = Field(default=None, alias="datasets.chat_template_jinja")
    mappings: dict[str, str] | None = Field(default=None, alias="datasets.message_property_mappings")
    field_role: str | None = Field(default=None, alias="datasets.message_field_role")
    field_content: str | None = Field(default=None, alias="datasets.message_field_content")
    field_training: str | None = Field(default=None, alias="datasets.message_field_training")
    field_training_detail: str | None = Field(default=None, alias="datasets.message_field_training_detail")
    template_thinking_key: str = Field(default="reasoning_content", alias="datasets.template_thinking_key")
    split_thinking: bool = Field(default=False, alias="datasets.split_thinking")
    roles: dict[str, list[str]] | None = Field(default=None, alias="datasets.roles")
    roles_to_train: list[str] = Field(default=["assistant"], alias="datasets.roles_to_train")
    train_on_eos: Literal["all", "turn", "last", "none"] = Field(default="turn", alias="datasets.train_on_eos")
    train_on_eot: Literal["all", "turn", "last", "none"] | None = Field(default=None, alias="datasets.train_on_eot")
    drop_system_message: bool = Field(default=False, alias="datasets.drop_system_message")

    @field_validator("eot_tokens", "roles_to_train", mode="before")
    @classmethod
    def _split_more(cls, value: Any) -> Any:
        return _listed(value)

    @field_validator("roles", mode="before")
    @classmethod
    def _split_roles(cls, value: Any) -> Any:
        return {role: _listed(names) for role, names in value.items()} if isinstance(value, dict) else value

    @property
    def keys(self) -> dict[str, str]:
        """Key for the template → key of the data (schemas/utils.py:8)."""
        named = dict(self.mappings or {})
        named.setdefault("role", self.field_role or "role")
        named.setdefault("content", self.field_content or "content")
        return named

    @property
    def standard(self) -> dict[str, str]:
        """Role of the data → role for the template."""
        if not self.roles:
            return _ROLES
        return {name: role for role, names in self.roles.items() for name in names}

    @property
    def ends(self) -> TurnEnds:
        """Which end tokens are trained."""
        eot = tuple(self.eot_tokens) if self.eot_tokens is not None else None
        return TurnEnds(self.train_on_eot or self.train_on_eos, self.train_on_eos, eot)

    @property
    def template(self) -> tuple[str, str | None]:
        """The entry's, else the run's (chat_templates/base.py:89, loaders/tokenizer.py:316)."""
        name, text = self.own_template, self.own_template_jinja
        name = name or (_JINJA if text else None)
        return (name, text) if name and name != _DEFAULT else super().template


class AxolotlDpo(_AxolotlRun):
    """Settings of `axolotl train` with `rl: dpo`.

    Of the entry under `datasets:` the names of columns are read, but not those of keys and roles, nor its chat
    template: the schema of the entry leaves them out (schemas/datasets.py:260).
    """

    type: (
        Literal[
            "chat_template", "chat_template.default", "chat_template.argilla_chat",
            "chatml", "chatml.default", "chatml.argilla_chat", "chatml.icr", "chatml.intel", "chatml.prompt_pairs",
            "chatml.ultra", "llama3", "llama3.default", "llama3.argilla_chat", "llama3.icr", "llama3.intel",
            "llama3.prompt_pairs", "llama3.ultra",
        ]
        | None
    ) = Field(default=None, alias="datasets.type")  # fmt: skip
    field_messages: str = Field(default="messages", alias="datasets.field_messages")
    field_chosen: str = Field(default="chosen", alias="datasets.field_chosen")
    field_rejected: str = Field(default="rejected", alias="datasets.field_rejected")


class AxolotlKto(_AxolotlRun):
    """Settings of `axolotl train` with `rl: kto`, which wants `remove_unused_columns: false`."""

    type: (
        Literal[
            "chatml.argilla", "chatml.argilla_chat", "chatml.intel", "chatml.prompt_pairs", "chatml.ultra",
            "llama3.argilla", "llama3.argilla_chat", "llama3.intel", "llama3.prompt_pairs", "llama3.ultra",
        ]
        | None
    ) = Field(default=None, alias="datasets.type")  # fmt: skip
    remove_unused_columns: bool | None = None


def _read_sft(example: dict[str, Any], to: AxolotlSft, _seen: Seen) -> RowOutcome:
    if {"input_ids", "attention_mask", "labels"} <= example.keys():
        return RowOutcome((Fate("already_tokenized", "input_ids"),))
    if to.type == "input_output":
        return _segments(example, to)
    if to.type in _STYLES:
        return _instruction(example, to)
    if to.type == "completion":
        return _completion(example, to)
    example = {name: _without_nulls(value) for name, value in example.items()}
    where = to.field_messages
    messages = _messages_of(example.get(where), where)
    turns, notes = _turns(messages, to, where)
    if turns[0]["role"] != "system" and "system" in example:
        _no_date(example["system"], "system")
        notes += fate_if(
            not isinstance(example["system"], str), "system_not_text", "system", type_of(example["system"])
        )
        turns = [{"role": "system", "content": example["system"]}, *turns]
        messages = [{}, *messages]
    if to.drop_system_message and turns[0]["role"] == "system":
        turns, messages = turns[1:], messages[1:]
        if not turns:
            raise StopRow("messages_malformed", where, Message("no message"))
    tools = _tools(example.get("tools"))
    if to.other_tokens:
        return RowOutcome((*notes, Fate("tokenizer_changed")))
    detailed = _detailed(messages, to, where)
    if detailed is not None:
        return RowOutcome((*notes, detailed))
    weights = tuple(float(_trained(turn, message, to)) for turn, message in zip(turns, messages, strict=True))
    notes += fate_if(not any(weights), "no_trained_turn", where)
    trained = Trained("located", messages=turns, tools=tools or None, weights=weights, ends=to.ends,
                      template_arguments=to.chat_template_kwargs)  # fmt: skip
    return RowOutcome(notes, trained)


def _without_nulls(value: Any) -> Any:
    """Keys that are null are left out, at any depth (utils/dict.py:41)."""
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def _messages_of(value: Any, where: str) -> Messages:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise StopRow("messages_malformed", where, Message("not JSON")) from None
    messages = objects_of(value, "messages_malformed", where)
    if not messages:
        raise StopRow("messages_malformed", where, Message("no message"))
    return messages


def _turns(messages: Messages, to: AxolotlSft, where: str) -> tuple[list[dict[str, Any]], tuple[Fate, ...]]:
    """Messages for the template (chat_template.py:1043), and what is said of them."""
    turns, notes = [], dict[str, Fate]()
    for number, message in enumerate(messages):
        at = f"{where}[{number}]"
        turn = _turn(message, to, at)
        turns.append(turn)
        role = turn.get("role")
        if role is None:
            if number == 0:
                raise StopRow("role_missing", at)
            notes.setdefault("role_missing_later", Fate("role_missing_later", at))
        elif role not in _KNOWN:
            notes.setdefault("foreign_role", Fate("foreign_role", f"{at}.{to.keys['role']}", role_said(role)))
        _no_date(turn.get("content"), f"{at}.{to.keys['content']}")
        if not isinstance(turn.get("content"), str) and not turn.get("tool_calls"):
            notes.setdefault("content_not_text", Fate("content_not_text", f"{at}.{to.keys['content']}"))
    return turns, tuple(notes.values())


def _no_date(value: Any, where: str) -> None:
    """Templates that put texts together stop at a date."""
    if dated(value):
        raise StopRow("content_malformed", where, Message("date"))


def _turn(message: dict[str, Any], to: AxolotlSft, at: str) -> dict[str, Any]:
    keys = to.keys
    turn = {name: message[key] for name, key in keys.items() if message.get(key) is not None}
    role = turn.get("role")
    if isinstance(role, list | dict):
        raise StopRow("role_malformed", at, type_of(role))
    if "role" in turn:
        turn["role"] = to.standard.get(role, role) if isinstance(role, str) else role
    if to.split_thinking:
        turn = _split_thoughts(turn, to, at)
    read = {key: value for key, value in message.items() if value is not None and key not in keys.values()}
    turn |= read  # also over what was mapped
    if turn.get("tool_calls"):
        turn["tool_calls"] = _calls(turn["tool_calls"], f"{at}.tool_calls")
    for name in ("content", to.template_thinking_key):
        if isinstance(turn.get(name), list):
            turn[name] = _joined(turn[name], f"{at}.{name}")
    return turn


_THOUGHTS = (("<think>", "</think>"), ("<reasoning>", "</reasoning>"), ("<|begin_of_thought|>", "<|end_of_thought|>"))
_SOLUTION = ("<|begin_of_solution|>", "<|end_of_solution|>")


def _split_thoughts(turn: dict[str, Any], to: AxolotlSft, at: str) -> dict[str, Any]:
    """Thoughts in an answer under a key of their own (chat_template.py:1112)."""
    if "role" not in turn:
        raise StopRow("role_missing", at)
    if turn["role"] != "assistant":
        return turn
    content = turn.get("content")
    if isinstance(content, list | dict):
        return turn
    if not isinstance(content, str):
        raise StopRow("content_malformed", at, type_of(content))
    for begin, end in _THOUGHTS:
        if begin in content and end in content:
            first, last = content.find(begin), content.find(end)
            rest = content[last + len(end) :].lstrip()
            told = rest
            if all(mark in rest for mark in _SOLUTION):
                told = rest[rest.find(_SOLUTION[0]) + len(_SOLUTION[0]) : rest.find(_SOLUTION[1])].strip()
            return {**turn, "content": told, to.template_thinking_key: content[first + len(begin) : last].strip()}
    return turn


def _calls(calls: Any, where: str) -> Any:
    """Calls with their arguments as objects; text is looked through letter by letter, and left to the template."""
    if isinstance(calls, str):
        return calls
    made = []
    if dated(calls):
        raise StopRow("tool_call_malformed", where, Message("date"))
    for call in objects_of(calls, "tool_call_malformed", where):
        function = call.get("function")
        if "function" in call and not isinstance(function, dict | str | list):
            raise StopRow("tool_call_malformed", where, type_of(function))
        if isinstance(function, dict) and isinstance(function.get("arguments"), str):
            try:
                function = {**function, "arguments": json.loads(function["arguments"])}
            except (ValueError, RecursionError):
                raise StopRow("tool_call_malformed", where, Message("not JSON")) from None
            call = {**call, "function": function}  # noqa: PLW2901 - the call as it is handed on
        made.append(call)
    return made


def _joined(parts: list[Any], where: str) -> str:
    """The texts of parts as one (chat_template.py:991)."""
    texts = []
    for part in parts:
        if isinstance(part, dict):
            text = part.get("text") or part.get("content") or part.get("value") or ""
            if not isinstance(text, str):
                raise StopRow("content_malformed", where, type_of(text))
            texts.append(text)
    return "".join(texts)


def _detailed(messages: Messages, to: AxolotlSft, where: str) -> Fate | None:
    """Labels of parts of a turn: which these are is not told."""
    for number, message in enumerate(messages):
        parts = [message.get(to.keys["content"]), message.get(to.template_thinking_key)]
        marks = any({"train", "weight"} & part.keys() for each in parts if isinstance(each, list) for part in each
                    if isinstance(part, dict))  # fmt: skip
        named = to.field_training_detail is not None and message.get(to.field_training_detail) is not None
        if marks or named:
            return Fate("labels_by_part", f"{where}[{number}]")
    return None


def _trained(turn: dict[str, Any], message: dict[str, Any], to: AxolotlSft) -> bool:
    told = message.get(to.field_training) if to.field_training is not None else None
    if told is not None:
        return bool(told)
    return bool(to.train_on_inputs) or turn.get("role") in [to.standard.get(role, role) for role in to.roles_to_train]


def _tools(tools: Any) -> list[Any] | None:
    """Tools for the template, with their parameters as objects (chat_template.py:1191)."""
    if isinstance(tools, str):
        try:
            tools = json.loads(tools)
        except (ValueError, RecursionError):
            raise StopRow("tools_malformed", "tools", Message("not JSON")) from None
    elif tools is None:
        return None
    if dated(tools):  # templates write tools as JSON, which has no dates
        raise StopRow("tools_malformed", "tools", Message("date"))
    return [_tool(tool) for tool in objects_of(tools, "tools_malformed", "tools")]


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    if "function" not in tool:
        return tool
    function = tool["function"]
    if not isinstance(function, dict | str | list):
        raise StopRow("tools_malformed", "tools", type_of(function))
    if isinstance(function, dict) and isinstance(function.get("parameters"), str):
        try:
            return {**tool, "function": {**function, "parameters": json.loads(function["parameters"])}}
        except (ValueError, RecursionError):
            raise StopRow("tools_malformed", "tools", Message("not JSON")) from None
    return tool


def _instruction(example: dict[str, Any], to: AxolotlSft) -> RowOutcome:
    """A question in words of axolotl's own, and its answer (prompt_tokenizers.py:118)."""
    for name in ("instruction", "output"):
        if name not in example:
            raise StopRow("missing_key", name)
    asked, more, told = example["instruction"], example.get("input"), example["output"]
    notes = fate_if(not isinstance(asked, str), "prompt_spelt", "instruction", type_of(asked))
    notes += fate_if(more and not isinstance(more, str), "prompt_spelt", "input", type_of(more))
    if told and not isinstance(told, str):
        raise StopRow("text_malformed", "output", type_of(told))
    notes += fate_if(not told, "no_answer", "output")
    head, question, context, answer = _STYLES[to.type or ""]
    whole = head.replace("{system}", _BEFORE[bool(more)]) + question + str(asked)
    whole += f"{context}{more}{answer}" if more else answer
    if to.other_tokens:
        return RowOutcome((*notes, Fate("tokenizer_changed")))
    pieces = ((whole, bool(to.train_on_inputs)), (told or "", True))
    return RowOutcome(notes, Trained("apart", called="bare", pieces=pieces))


def _segments(example: dict[str, Any], to: AxolotlSft) -> RowOutcome:
    """input_output: pieces of text with a label each (prompt_strategies/input_output.py)."""
    if "segments" not in example:
        raise StopRow("missing_key", "segments")
    segments = objects_of(example["segments"], "segments_malformed", "segments")
    for number, segment in enumerate(segments):
        if not {"label", "text"} <= segment.keys() or not isinstance(segment["text"], str):
            raise StopRow("segments_malformed", f"segments[{number}]")
    labels = [bool(segment["label"] or to.train_on_inputs) for segment in segments]
    notes = fate_if(not any(labels), "no_trained_turn", "segments")
    if to.other_tokens:
        return RowOutcome((*notes, Fate("tokenizer_changed")))
    pieces = tuple((segment["text"], label) for segment, label in zip(segments, labels, strict=True))
    return RowOutcome(notes, Trained("apart", pieces=pieces or (("", False),)))


def _completion(example: dict[str, Any], to: AxolotlSft) -> RowOutcome:
    """A text that is trained as it is, cut into rows of sequence_len tokens (prompt_strategies/completion.py)."""
    if to.field not in example:
        raise StopRow("missing_key", to.field)
    text = example[to.field]
    if not text:
        return RowOutcome((Fate("no_text", to.field, type_of(text)),))
    if not isinstance(text, str):
        raise StopRow("text_malformed", to.field, type_of(text))
    if to.other_tokens:
        return RowOutcome((Fate("tokenizer_changed"),))
    return RowOutcome((), Trained("apart", called="ended", pieces=((text, True),)))


def _read_dpo(example: dict[str, Any], to: AxolotlDpo, seen: Seen) -> RowOutcome:
    if to.type is None:
        return RowOutcome()
    if not to.type.startswith(_OF_TEMPLATE):
        return _read_named(example, to, seen)
    if to.type.endswith(".argilla_chat"):
        return _read_whole(example, to, seen)
    asked = _column(example, to.field_messages)
    messages = _said(asked, to.field_messages) if not isinstance(asked, str) else [{"role": "user", "content": asked}]
    if not messages:
        raise StopRow("messages_malformed", to.field_messages, Message("no message"))
    answers = {name: _answer(_column(example, name), name) for name in (to.field_chosen, to.field_rejected)}
    return _pair(example, to, messages, answers, seen)


def _read_whole(example: dict[str, Any], to: AxolotlDpo, seen: Seen) -> RowOutcome:
    """Both sides are whole conversations; the prompt is that of the chosen one (chat_template.argilla_chat)."""
    answers = {}
    for name in dict.fromkeys((to.field_chosen, to.field_rejected)):
        told = _column(example, name)
        if not isinstance(told, list) or not told:
            raise StopRow("messages_malformed", name, type_of(told))
        answers[name] = _answer(told, name)
    messages = _said(example[to.field_chosen][:-1], to.field_chosen)
    if not messages:
        raise StopRow("messages_malformed", to.field_chosen, Message("no message"))
    return _pair(example, to, messages, answers, seen)


def _read_named(example: dict[str, Any], to: AxolotlDpo, seen: Seen) -> RowOutcome:
    way = str(to.type)
    pair = pair_of(example, way if "." in way else f"{way}.default")
    _no_letters(seen, "prompt", "chosen", "rejected")
    lost = _not_told(to)
    if lost:
        return RowOutcome((*pair.notes, lost))
    chosen, rejected = pair.answers
    return RowOutcome(pair.notes, Trained("answer_alone", prompt=pair.prompt, chosen=chosen, rejected=rejected))


def _read_kto(example: dict[str, Any], to: AxolotlKto, seen: Seen) -> RowOutcome:
    if to.type is None:
        return RowOutcome()
    told = scored_of(example, to.type)
    _no_letters(seen, "prompt", "completion")
    label = example.get("label")
    counted = isinstance(label, bool | int | float)
    notes = fate_if(not counted, "no_label", "label", type_of(label))
    notes = (*told.notes, *notes, *fate_if(counted and not isinstance(label, bool), "label_not_bool", "label"))
    lost = _not_told(to)
    if lost:
        return RowOutcome((*notes, lost))
    (answer,) = told.answers
    return RowOutcome(notes, Trained("answer_alone", prompt=told.prompt, response=answer, label=bool(label)))


def _no_letters(seen: Seen, *written: str) -> None:
    """A column of lists of several types keeps that type when text is written into it: a list of its letters."""
    for name in written:
        if seen.typed is not None and (name, 0) in seen.typed.mixed:
            raise StopRow("column_of_letters", name)


def _not_told(to: "AxolotlDpo | AxolotlKto") -> Fate | None:
    """Why tokens of rows that are kept are not told."""
    return Fate("tokenizer_changed") if to.other_tokens else None


def _pair(
    example: dict[str, Any], to: AxolotlDpo, messages: Messages, answers: dict[str, Any], seen: Seen
) -> RowOutcome:
    """A pair whose sides are rendered with a template."""
    _no_letters(seen, "prompt", "chosen", "rejected")
    for message in messages:
        _no_date(message, to.field_messages)
    chosen, rejected = answers.values() if len(answers) == 2 else list(answers.values()) * 2
    notes = fate_if(chosen == rejected, "same_answers", to.field_rejected)
    notes += fate_if(example.get("tools"), "tools_ignored", "tools")
    for name, answer in answers.items():
        content = answer["content"]
        notes += fate_if(content != content.strip() or len(content) < _SHORT, "answer_not_found", name)
    lost = _not_told(to)
    if lost:
        return RowOutcome((*notes, lost))
    return RowOutcome(notes, Trained("answer_alone", prompt=messages, chosen=[chosen], rejected=[rejected]))


_SHORT = 4  # characters of an answer that a template may well have itself


def _column(example: dict[str, Any], name: str) -> Any:
    if name not in example:
        raise StopRow("missing_key", name)
    return example[name]


def _answer(value: Any, where: str) -> dict[str, Any]:
    if isinstance(value, str):
        return {"role": "assistant", "content": value}
    if isinstance(value, list):
        if not value:
            raise StopRow("messages_malformed", where, Message("no message"))
        value = value[-1]
    (answer,) = _said([value], where)
    if not isinstance(answer["content"], str):
        raise StopRow("content_malformed", where, type_of(answer["content"]))
    return answer


def _said(messages: Any, where: str) -> Messages:
    """Role and content of messages; all else is left out."""
    made = []
    for number, message in enumerate(objects_of(messages, "messages_malformed", where)):
        at = f"{where}[{number}]"
        if "content" not in message:
            raise StopRow("content_malformed", at, type_of(None))
        role = message.get("role")
        if role not in _DPO_ROLES:
            raise StopRow("role_unknown", f"{at}.role", role_said(role))
        made.append({"role": role, "content": message["content"]})
    return made


def _before(to: AxolotlSft | AxolotlDpo, seen: Seen) -> tuple[Fate, ...]:
    name, text = to.template
    named = name.removeprefix(_FALLBACK)
    unknown = str(to.type).startswith(_OF_TEMPLATE) and named not in (_DEFAULT, _JINJA, *_templates())
    return (
        *fate_if(to.type is None, "type_missing", "datasets.type"),
        *fate_if(unknown or (name == _JINJA and not text), "template_unknown", "chat_template"),
        *(_images(seen) if isinstance(to, AxolotlDpo) else ()),
        *fate_if(seen.not_loadable is not None, "not_loadable", None, seen.not_loadable),
    )


def _images(seen: Seen) -> tuple[Fate, ...]:
    """Columns by which TRL takes the set for one of images."""
    found = sorted({"image", "images"} & seen.columns)
    return fate_if(found, "images_column", *found[:1])


def _before_kto(to: AxolotlKto, seen: Seen) -> tuple[Fate, ...]:
    return (
        *fate_if(to.type is None, "type_missing", "datasets.type"),
        *fate_if(to.remove_unused_columns is not False, "unused_columns", "remove_unused_columns"),
        *_images(seen),
        *fate_if(seen.not_loadable is not None, "not_loadable", None, seen.not_loadable),
    )


def _rendered_with(to: AxolotlSft | AxolotlDpo, template: str) -> str:
    """The template by the settings; the tokenizer's own where they name none (chat_templates/base.py:26)."""
    name, text = to.template
    if name == _JINJA:
        return text or template
    if name == _DEFAULT or (name.startswith(_FALLBACK) and template):
        return template
    return _templates().get(name.removeprefix(_FALLBACK), template)


def _cut_sft(to: AxolotlSft) -> Cut:
    if to.type == "completion":
        return Cut(to.sequence_len, "chunks", least=to.min_sample_len or 2)
    how: Any = {"truncate": "keep_start", "raise": "fails"}.get(to.excess_length_strategy or "drop", "drop")
    reason = {"keep_start": "too_long_cut", "fails": "too_long_stops"}.get(how, "too_long")
    unanswered = "fully_masked" if to.sample_packing else None
    return Cut(to.sequence_len, how, reason=reason, unanswered=unanswered, least=to.min_sample_len or 2)


def _cut_dpo(to: AxolotlDpo | AxolotlKto) -> Cut:
    """The pair is left out, or stops the run, that is too long without the end token; with it, it is cut.

    Where answers are cut, as text, it is left out whose prompt leaves nothing, or whose cut answer has more tokens.
    """
    lost = "too_long_stops" if to.excess_length_strategy == "raise" else "too_long"
    cuts = to.excess_length_strategy == "truncate"
    reason = "answer_cut" if cuts else "too_long_cut"
    return Cut(to.sequence_len, unanswered=lost, reason=reason, spare=0, as_text=cuts)


def _handed(to: AxolotlSft) -> tuple[str, tuple[str, ...]]:
    return to.field_messages, (*to.keys, *((to.template_thinking_key,) if to.split_thinking else ()))


_RUN: dict[str, Any] = {"before": _before, "rendered_with": _rendered_with, "typed": "datasets 4.8", "probe": "axolotl"}
MODES = {
    "sft": _TWINS.mode(
        "sft",
        "sft",
        settings=AxolotlSft,
        read=guarded(_read_sft),
        cut=_cut_sft,
        handed=_handed,
        roles={
            "user": ("user", "human"),
            "assistant": ("assistant", "gpt"),
            "tool": ("tool",),
            "system": ("system", "developer"),
        },
        role_rules=frozenset(
            {"foreign_role", "role_missing", "role_missing_later", "role_malformed", "no_trained_turn"}
        ),
        **_RUN,
    ),
    "dpo": _TWINS.mode(
        "dpo",
        "dpo",
        settings=AxolotlDpo,
        read=guarded(_read_dpo),
        cut=_cut_dpo,
        roles={role: (role,) for role in _DPO_ROLES},
        role_rules=frozenset({"role_unknown"}),
        **_RUN,
    ),
    "kto": _TWINS.mode(
        "kto",
        "kto",
        settings=AxolotlKto,
        read=guarded(_read_kto),
        cut=_cut_dpo,
        **{**_RUN, "before": _before_kto, "rendered_with": lambda _settings, template: template},
    ),
}
