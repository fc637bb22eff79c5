"""MLX-LM's `mlx_lm.lora`: the train.jsonl of a folder, as conversations, prompts with completions, or texts.

The first line decides which of these the whole file is. Rows are read and rendered one by one, when a batch needs
them: what one of them lacks stops the run in the middle. HF datasets (`hf_dataset`) are not covered.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    Messages,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    column,
    fate_if,
    foreign_role,
    guarded,
    objects_of,
    text_of,
    type_of,
    without_text,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream("ml-explore/mlx-lm", "0.32.2", "mlx_lm/", "The installed release was run beside the twin.")
_TWINS = Twins.of("mlx_lm", UPSTREAM)
# A tokenizer with <think> is handed enable_thinking (tokenizer_utils.py:395); templates of others do not look at it.
_ARGUMENTS: Mapping[str, Any] = {"enable_thinking": True}


class MlxLmSft(Settings):
    """Settings of `mlx_lm.lora`, by command line or YAML, that decide what becomes of a row (lora.py:45-81)."""

    MAX_LENGTH: ClassVar[str | None] = "max_seq_length"

    mask_prompt: bool = False
    max_seq_length: int = 2048
    prompt_feature: str = "prompt"
    completion_feature: str = "completion"
    chat_feature: str = "messages"
    text_feature: str = "text"

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """What is null has its default (lora.py:385-391)."""
        return {name: value for name, value in given.items() if value is not None}


def _shape(first: Any, to: MlxLmSft) -> Literal["completions", "chat", "text"] | None:
    """What the keys of the first row make of the file (datasets.py:188-204)."""
    if not isinstance(first, dict):
        return None
    if to.prompt_feature in first and to.completion_feature in first:
        return "completions"
    if to.chat_feature in first:
        return "chat"
    return "text" if to.text_feature in first else None


def _read(example: dict[str, Any], to: MlxLmSft, seen: Seen) -> RowOutcome:
    shape = _shape(example if seen.first is None else seen.first, to)
    if shape is None:
        raise StopRow("no_shape")
    if shape == "text":
        return RowOutcome((), _text(column(example, to.text_feature), to))
    tools = _tools(example)
    if shape == "completions":
        asked, told = (column(example, name) for name in (to.prompt_feature, to.completion_feature))
        messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": told}]
        _refuse_contents(messages, (to.prompt_feature, to.completion_feature))
        return RowOutcome((), _trained(messages, tools, to))
    return _conversation(column(example, to.chat_feature), tools, to)


def _text(value: Any, to: MlxLmSft) -> Trained:
    text = text_of(value, "text_malformed", to.text_feature)
    if not text:
        raise StopRow("text_empty", to.text_feature)
    return Trained("all", text=text, called="ended")


def _tools(example: dict[str, Any]) -> list[Any] | None:
    tools = example.get("tools")
    if tools is None or (isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools)):
        return tools
    raise StopRow("tools_malformed", "tools", type_of(tools))


def _conversation(value: Any, tools: list[Any] | None, to: MlxLmSft) -> RowOutcome:
    key = to.chat_feature
    messages = objects_of(value, "messages_malformed", key)
    if not messages:
        raise StopRow("messages_malformed", key, Message("no message"))
    _refuse_contents(messages, tuple(f"{key}[{number}].content" for number in range(len(messages))))
    notes = foreign_role(messages, key)
    if to.mask_prompt:
        if len(messages) == 1:
            raise StopRow("one_message", key)
        last = len(messages) - 1
        notes += fate_if(messages[last].get("role") != "assistant", "last_not_answer", f"{key}[{last}].role")
    return RowOutcome(notes, _trained(messages, tools, to))


def _refuse_contents(messages: Messages, places: tuple[str, ...]) -> None:
    mute = without_text(messages)
    if mute is not None:
        raise StopRow("content_not_text", places[mute], type_of(messages[mute].get("content")))


def _trained(messages: Messages, tools: list[Any] | None, to: MlxLmSft) -> Trained:
    """All tokens, or those behind as many as the messages before the last one have (datasets.py:62-77)."""
    if not to.mask_prompt:
        return Trained("all", messages=messages, tools=tools, template_arguments=_ARGUMENTS)
    return Trained(
        "completion",
        prompt=messages[:-1],
        response=messages[-1:],
        tools=tools,
        template_arguments=_ARGUMENTS,
        unopened=messages[-1].get("role") != "assistant",
    )


def _before(to: MlxLmSft, seen: Seen) -> tuple[Fate, ...]:
    shape = _shape(seen.first, to)
    return (
        *fate_if(seen.first is not None and shape is None, "no_shape"),
        *fate_if(shape == "text" and to.mask_prompt, "text_masked", "mask_prompt"),
    )


MODES = {
    "sft": _TWINS.mode(
        "sft",
        "sft",
        settings=MlxLmSft,
        read=guarded(_read, loaded=False),
        before=_before,
        cut=lambda to: Cut(to.max_seq_length, unanswered="prompt_too_long" if to.mask_prompt else None),
        roles={"user": ("user",), "assistant": ("assistant",), "tool": ("tool",), "system": ("system", "developer")},
        role_rules=frozenset({"foreign_role", "last_not_answer"}),
        probe="mlx_lm",
    )
}
