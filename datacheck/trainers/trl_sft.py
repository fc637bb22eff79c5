"""TRL's SFTTrainer: conversations, prompt and completion, text, rows with tokens; the template that it trains with."""

import hashlib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import Loss, RowOutcome, Seen, StopRow, Trained, column, fate_if, text_of, type_of
from datacheck.trainers.trl_rows import (
    first_record,
    foreign_roles,
    is_conversational,
    listed_tools,
    plain_as,
    put_together,
    rendered_bare,
    rendered_messages,
    tools_and_arguments,
    written_anew,
)
from datacheck.trainers.trl_settings import TrlSft

_SKIPPED = -100  # the label of a token that is not trained


def _chatml(example: dict[str, Any]) -> dict[str, Any]:
    """from/value to role/content, conversations to messages; roles keep their names (data_utils.py:975)."""
    changed = dict(example)
    for key in ("prompt", "completion", "chosen", "rejected", "messages", "conversations"):
        if isinstance(changed.get(key), list):
            changed[key] = [_renamed(item) for item in changed[key]]
    if "conversations" in changed:
        changed["messages"] = changed.pop("conversations")
    return changed


def _renamed(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    names = {"from": "role", "value": "content"}
    return {names.get(key, key): value for key, value in message.items()}


def _is_from_value(first: dict[str, Any]) -> bool:
    messages = first.get("conversations")
    if not isinstance(messages, list):
        return False
    if not messages:
        raise StopRow("empty_messages", "conversations")
    return isinstance(messages[0], dict) and {"from", "value"} <= messages[0].keys()


def read_sft(example: dict[str, Any], to: TrlSft, seen: Seen) -> RowOutcome:
    """What SFTTrainer makes of a row (sft_trainer.py, _prepare_dataset)."""
    first = first_record(example, seen)
    if to.assistant_only_loss and not is_conversational(first):  # before from and value become role and content
        raise StopRow("not_conversational")
    if "input_ids" in example:
        return _tokenised(example, to, first)
    converted = _is_from_value(first)
    if converted:
        example, first = written_anew(_chatml(example), seen), _chatml(first)
    conversational = is_conversational(first)
    if not conversational:
        _check_eos(example, to)
        if not converted:
            example = {key: value for key, value in example.items() if key != "messages"}
    outcome = plain_as(_tokenised_fn(example, to), conversational=conversational)
    return _with_labels(example, to) if "labels" in example else outcome


def _with_labels(example: dict[str, Any], to: TrlSft) -> RowOutcome:
    """A column of labels is taken as that of the tokens that are made of the text: as many they never are."""
    labels = example["labels"]
    filtered = to.max_length is not None and not to.packing
    if filtered and isinstance(labels, list) and all(label == _SKIPPED for label in labels[: to.max_length]):
        raise StopRow("fully_masked", "labels")
    raise StopRow("labels_of_text", "labels", type_of(labels))


def _tokenised_fn(example: dict[str, Any], to: TrlSft) -> RowOutcome:
    """What the trainer's tokenize_fn makes of a row."""
    tools, arguments = tools_and_arguments(example)
    if "prompt" in example:
        return _prompt_completion(example, to, tools, arguments)
    if is_conversational(example):
        return _conversation(example, to, tools, arguments)
    text = column(example, to.dataset_text_field, "no_known_column")
    return RowOutcome((), Trained("all", text=text_of(text, "text_expected", to.dataset_text_field)))


def _tokenised(example: dict[str, Any], to: TrlSft, first: dict[str, Any]) -> RowOutcome:
    """A row that comes with its tokens: the collator makes a tensor of each column."""
    for name in ("input_ids", "labels"):
        if name in example and example[name] != "" and not _is_numbers(example[name]):
            raise StopRow("tokens_malformed", name, type_of(example[name]))
    labels = example["labels"] if "labels" in example else _labels(example, to, first)
    cut = labels[: to.max_length] if to.truncation_mode == "keep_start" else labels[-(to.max_length or 0) :]
    masked = to.max_length is not None and not to.packing and all(label == _SKIPPED for label in cut)
    if not labels and to.max_length is not None and not to.packing:  # filtered as one that trains nothing
        raise StopRow("fully_masked", "labels")
    if len(labels) != len(example["input_ids"]) and not masked:
        raise StopRow(
            "tokens_malformed",
            "labels",
            Message("{n:,} for {tokens:,} tokens", n=len(labels), tokens=len(example["input_ids"])),
        )
    return RowOutcome(fate_if(masked, "fully_masked", "labels"))


def _labels(example: dict[str, Any], to: TrlSft, first: dict[str, Any]) -> list[Any]:
    """The tokens that all masks of the row let through (sft_trainer.py:1416)."""
    only = {"prompt", "completion"} <= first.keys() if to.completion_only_loss is None else to.completion_only_loss
    names = [name for name in (*("completion_mask",) * only, "assistant_masks") if name in example]
    for name in names:
        if not isinstance(example[name], list):
            raise StopRow("tokens_malformed", name, type_of(example[name]))
    masks = [example[name] for name in names]
    return [token if all(bits) else _SKIPPED for token, *bits in zip(example["input_ids"], *masks, strict=False)]


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, int | float) for each in value)


def _check_eos(example: dict[str, Any], to: TrlSft) -> None:
    """An end token is added to the text, or to the completion: it must be a string."""
    name = to.dataset_text_field if to.dataset_text_field in example else "completion"
    if name in example:
        text_of(example[name], "text_expected", name)


def _conversation(example: dict[str, Any], to: TrlSft, tools: Any, arguments: dict[str, Any] | None) -> RowOutcome:
    if not isinstance(example.get("messages"), list):
        raise StopRow("no_known_column", "messages")
    messages = rendered_messages(example["messages"], "messages")
    listed = listed_tools(tools)
    if to.assistant_only_loss and not any(message.get("role") == "assistant" for message in messages):
        raise StopRow("no_assistant_token", "messages")
    notes = foreign_roles(messages, "messages")
    loss: Any = "assistant" if to.assistant_only_loss else "all"
    return RowOutcome(notes, Trained(loss, messages=messages, tools=listed, template_arguments=arguments))


def _prompt_completion(example: dict[str, Any], to: TrlSft, tools: Any, arguments: dict[str, Any] | None) -> RowOutcome:
    completion = column(example, "completion", "no_completion")
    if to.assistant_only_loss and not is_conversational(example):  # the first is, and its masks are a column
        raise StopRow("not_conversational", "prompt")
    whole = put_together(example, "prompt", "completion")
    only = to.completion_only_loss is None or to.completion_only_loss
    if isinstance(whole, str):
        loss: Loss = "completion" if only else "all"
        return RowOutcome((), Trained(loss, prompt=example["prompt"], response=completion))
    prompt = rendered_messages(example["prompt"], "prompt")
    notes = foreign_roles(rendered_messages(whole, "completion"), "prompt + completion")
    listed = listed_tools(tools)
    if to.assistant_only_loss and not any(m.get("role") == "assistant" for m in whole):
        raise StopRow("no_assistant_token", "completion")
    after, every = ("assistant_of_completion", "assistant") if to.assistant_only_loss else ("completion", "all")
    trained = Trained(
        after if only else every,  # type: ignore[arg-type]
        prompt=prompt,
        response=completion,
        tools=listed,
        template_arguments=arguments,
    )
    return rendered_bare(RowOutcome(notes, trained), example)


_GENERATION = re.compile(r"\{%-?\s*generation\s*-?%\}")  # has_generation_markers, chat_template_utils.py
_TEMPLATES = Path(__file__).parent / "templates" / "trl"
_NO_TRAINING_TEMPLATE = (
    "{{ raise_exception('assistant_only_loss: the template has no {% generation %} marks, and TRL has no training "
    "template for it') }}"
)


@cache
def _training_templates() -> dict[str, str]:
    return tomllib.loads((_TEMPLATES / "training.toml").read_text(encoding="utf-8"))


def rendered_with(to: TrlSft, template: str) -> str:
    """The template that TRL trains with: one of its own where the tokenizer's cannot say what the assistant wrote."""
    if not to.assistant_only_loss or _GENERATION.search(template):
        return template
    found = training_template(template)
    return _NO_TRAINING_TEMPLATE if found == template else found


def training_template(template: str) -> str:
    """TRL's own template in the place of a model's; that itself where it has none."""
    known = (
        None
        if _GENERATION.search(template)
        else _training_templates().get(hashlib.sha256(template.encode()).hexdigest())
    )
    return (_TEMPLATES / known).read_text(encoding="utf-8") if known else template
