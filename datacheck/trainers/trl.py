"""TRL: how SFT, DPO, Reward, KTO, GRPO and ORPO trainers prepare a dataset, and what their chat template call refuses.

TRL drops next to nothing: a row that does not fit stops the run, often only after the rows before it were tokenised.
What the *first* record looks like decides how all are read. Rows that are too long are cut or dropped by tokens.
"""

import datetime as dt
import hashlib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Cut,
    Fate,
    Loss,
    Messages,
    Mode,
    RowOutcome,
    Seen,
    Settings,
    StopRow,
    Trained,
    Twins,
    Upstream,
    as_loaded,
    column,
    conversation_of,
    dated,
    fate_if,
    guarded,
    json_of,
    role_said,
    text_of,
    type_of,
)

UPSTREAM = Upstream("huggingface/trl", "f2cd57710ae345ea6428ae95363267fcf38a3dc8", "trl/")
_TWINS = Twins.of("trl", UPSTREAM)
_KEYS = ("prompt", "chosen", "rejected", "completion", "messages")  # is_conversational, data_utils.py:184
_ANSWERS = ("chosen", "rejected")
_SKIPPED = -100  # the label of a token that is not trained
_ROLES = ("system", "user", "assistant", "tool", "developer")


class TrlSft(Settings):
    """SFTConfig, as far as it decides what becomes of a row."""

    MAX_LENGTH: ClassVar[str | None] = "max_length"

    max_length: int | None = 1024
    truncation_mode: Literal["keep_start", "keep_end"] = "keep_start"
    packing: bool = False
    packing_strategy: str = "bfd"
    assistant_only_loss: bool = False
    completion_only_loss: bool | None = None
    dataset_text_field: str = "text"


class TrlPairs(Settings):
    """DPOConfig, RewardConfig and KTOConfig, as far as they decide what becomes of a row."""

    MAX_LENGTH: ClassVar[str | None] = "max_length"

    max_length: int | None = 1024
    truncation_mode: Literal["keep_start", "keep_end"] = "keep_start"


class TrlOrpo(Settings):
    """ORPOConfig (trl.experimental.orpo), as far as it decides what becomes of a row; no max_length means 512."""

    MAX_LENGTH: ClassVar[str | None] = "max_length"

    max_length: int | None = 1024


class TrlGrpo(Settings):
    """GRPOConfig cuts no prompt; what decides is the prompt column alone."""


def _is_conversational(example: dict[str, Any]) -> bool:
    """TRL's own test: the first item of a list has a role (data_utils.py:184).

    It looks at one of the keys only; which one hangs on the hash seed of the process. The worst is taken: it is so
    only if it is so by every key.
    """
    answers = [_has_role(example[key], key) for key in _KEYS if key in example]
    return bool(answers) and all(answers)


def _has_role(value: Any, key: str) -> bool:
    if not isinstance(value, list):
        return False
    if not value:
        raise StopRow("empty_messages", key)
    return isinstance(value[0], dict) and "role" in value[0]


def _mapped(example: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """A row that a step before the tokens has written anew: numbers in JSON are written and read once more."""
    mixed = {path[0] for path in seen.typed.mixed} if seen.typed is not None else set()
    if not mixed & {*_KEYS, "conversations"}:
        return example
    from datacheck.trainers.json_columns import as_written

    return {name: as_written(value) if name in (*_KEYS, *mixed) else value for name, value in example.items()}


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


def _first_record(record: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """The first record of the dataset, by which the trainer decides for all."""
    return as_loaded(seen.first if isinstance(seen.first, dict) else record, seen)


def _template(example: dict[str, Any]) -> tuple[list[Any] | None, dict[str, Any] | None]:
    """The tools and the arguments of the template."""
    tools = example.get("tools")
    if isinstance(tools, str):
        tools = json_of(tools, "tools_malformed", "tools")
    arguments = example.get("chat_template_kwargs", {})
    if not isinstance(arguments, dict):
        raise StopRow("template_kwargs_malformed", "chat_template_kwargs", type_of(arguments))
    return tools, arguments or None


def _rendered_bare(outcome: RowOutcome, example: dict[str, Any]) -> RowOutcome:
    """A list whose first message has no role is rendered all the same, but as one that is no conversation.

    Without tools, arguments of the template, and the start of an answer behind the prompt (kto_trainer.py:1093).
    """
    if outcome.trained is None or not isinstance(example["prompt"], list) or _is_conversational(example):
        return outcome
    return outcome._replace(trained=outcome.trained._replace(tools=None, template_arguments=None, unopened=True))


def _listed_tools(tools: Any) -> list[Any] | None:
    """Tools as transformers takes them, once a conversation is rendered."""
    if tools is None or tools in ({}, ""):
        return None
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise StopRow("tools_malformed", "tools", type_of(tools))
    return tools


def _rendered(messages: list[Any], where: str) -> Messages:
    """Messages as transformers takes them, at least one."""
    if not messages:
        raise StopRow("empty_messages", where)
    return conversation_of(messages, "message_not_object", where)


def _notes(messages: Messages, where: str) -> tuple[Fate, ...]:
    """Roles that are handed on although no template knows them: one line per row."""
    for number, message in enumerate(messages):
        role = message.get("role")
        if role is None:
            return (Fate("role_missing", f"{where}[{number}]"),)
        if role not in _ROLES:
            return (Fate("foreign_role", f"{where}[{number}].role", role_said(role)),)
    return ()


def _joined(example: dict[str, Any], first: str, second: str) -> Any:
    """`example[first] + example[second]`: both text or both lists; else the trainer's TypeError."""
    one, two = example[first], example[second]
    if isinstance(one, str) and isinstance(two, str):
        return one + two
    if isinstance(one, list) and isinstance(two, list):
        return one + two
    if isinstance(one, str | list) and isinstance(two, str | list):
        raise StopRow(
            "mixed_kinds",
            second,
            Message("{a}: {one}, {b}: {two}", a=first, one=type_of(one), b=second, two=type_of(two)),
        )
    odd = second if isinstance(one, str | list) else first
    raise StopRow("text_expected", odd, type_of(example[odd]))


def _read_sft(example: dict[str, Any], to: TrlSft, seen: Seen) -> RowOutcome:
    first = _first_record(example, seen)
    if to.assistant_only_loss and not _is_conversational(first):  # before from and value become role and content
        raise StopRow("not_conversational")
    if "input_ids" in example:
        return _tokenised(example, to, first)
    converted = _is_from_value(first)
    if converted:
        example, first = _mapped(_chatml(example), seen), _chatml(first)
    conversational = _is_conversational(first)
    if not conversational:
        _check_eos(example, to)
        if not converted:
            example = {key: value for key, value in example.items() if key != "messages"}
    outcome = _plain_as(_tokenised_fn(example, to), conversational=conversational)
    return _with_labels(example, to) if "labels" in example else outcome


def _with_labels(example: dict[str, Any], to: TrlSft) -> RowOutcome:
    """A column of labels is taken as that of the tokens that are made of the text: as many they never are."""
    labels = example["labels"]
    filtered = to.max_length is not None and not to.packing
    if filtered and isinstance(labels, list) and all(label == _SKIPPED for label in labels[: to.max_length]):
        raise StopRow("fully_masked", "labels")
    raise StopRow("labels_of_text", "labels", type_of(labels))


def _plain_as(outcome: RowOutcome, *, conversational: bool) -> RowOutcome:
    """Text is handed to a call of the tokenizer; where the first record is no conversation the end token follows it."""
    if outcome.trained is None:
        return outcome
    return outcome._replace(trained=outcome.trained._replace(called="bare" if conversational else "ended"))


def _tokenised_fn(example: dict[str, Any], to: TrlSft) -> RowOutcome:
    """What the trainer's tokenize_fn makes of a row."""
    tools, arguments = _template(example)
    if "prompt" in example:
        return _prompt_completion(example, to, tools, arguments)
    if _is_conversational(example):
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


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of the tensor that is made of a value; None where none can be made."""
    if isinstance(value, int | float):
        return ()
    if value == "":  # a text is a list of its letters, of which none is a number
        return (0,)
    if not isinstance(value, list):
        return None
    shapes = {_shape(each) for each in value} or {()}
    inner = shapes.pop()
    return None if shapes or inner is None else (len(value), *inner)


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
    messages = _rendered(example["messages"], "messages")
    listed = _listed_tools(tools)
    if to.assistant_only_loss and not any(message.get("role") == "assistant" for message in messages):
        raise StopRow("no_assistant_token", "messages")
    notes = _notes(messages, "messages")
    loss: Any = "assistant" if to.assistant_only_loss else "all"
    return RowOutcome(notes, Trained(loss, messages=messages, tools=listed, template_arguments=arguments))


def _prompt_completion(example: dict[str, Any], to: TrlSft, tools: Any, arguments: dict[str, Any] | None) -> RowOutcome:
    completion = column(example, "completion", "no_completion")
    if to.assistant_only_loss and not _is_conversational(example):  # the first is, and its masks are a column
        raise StopRow("not_conversational", "prompt")
    whole = _joined(example, "prompt", "completion")
    only = to.completion_only_loss is None or to.completion_only_loss
    if isinstance(whole, str):
        loss: Loss = "completion" if only else "all"
        return RowOutcome((), Trained(loss, prompt=example["prompt"], response=completion))
    prompt = _rendered(example["prompt"], "prompt")
    notes = _notes(_rendered(whole, "completion"), "prompt + completion")
    listed = _listed_tools(tools)
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
    return _rendered_bare(RowOutcome(notes, trained), example)


def _parting(chosen: Any, rejected: Any) -> int:
    """Where two texts or lists part; before a space, even if that is -1; the last place where one begins the other."""
    shorter = min(len(chosen), len(rejected))
    at = next((n for n in range(shorter) if chosen[n] != rejected[n]), None)
    if at is None:
        return shorter - 1
    return at - 1 if chosen[at - 1] == " " else at


def _extracted(example: dict[str, Any]) -> dict[str, Any]:
    """The prompt that chosen and rejected share, cut off as extract_prompt does (data_utils.py:632)."""
    for name in _ANSWERS:
        if not isinstance(column(example, name), list | str):
            raise StopRow("text_expected", name, type_of(example[name]))
        if not example[name]:
            raise StopRow("empty_messages", name, Message("nothing to compare"))
    chosen, rejected = example["chosen"], example["rejected"]
    at = _parting(chosen, rejected)
    if isinstance(chosen, list) and not chosen[:at]:
        raise StopRow("nothing_shared", "chosen")
    return {**example, "prompt": chosen[:at], "chosen": chosen[at:], "rejected": rejected[at:]}


def _check_answers(example: dict[str, Any]) -> None:
    for name in _ANSWERS:
        column(example, name)


def _check_ends(example: dict[str, Any], names: tuple[str, ...], *, conversational: bool) -> None:
    """Where the first record is text, an end token is added to every record's text, which must be a string."""
    for name in () if conversational else names:
        text_of(example[name], "text_expected", name)


def _pair(example: dict[str, Any], names: tuple[str, ...], tools: Any) -> tuple[tuple[Fate, ...], list[Any] | None]:
    """Prompt and answers put together and rendered; what stands out, and the tools."""
    wholes = [_joined(example, "prompt", name) for name in names]
    if isinstance(wholes[0], str):
        return (), None
    _rendered(example["prompt"], "prompt")
    notes = [note for name, whole in zip(names, wholes, strict=True) for note in _notes(_rendered(whole, name), name)]
    return tuple(notes[:1]), _listed_tools(tools)


def _read_dpo(example: dict[str, Any], _to: TrlPairs, seen: Seen) -> RowOutcome:
    first = _first_record(example, seen)
    if "prompt" not in first:
        example, first = _mapped(_extracted(example), seen), _extracted(first)
    conversational = _is_conversational(first)
    _check_answers(example)
    _check_ends(example, _ANSWERS, conversational=conversational)
    tools, arguments = _template(example)
    return _plain_as(_preference(example, tools, arguments), conversational=conversational)


def _preference(example: dict[str, Any], tools: Any, arguments: dict[str, Any] | None) -> RowOutcome:
    """A prompt with both answers, put together and rendered."""
    _is_conversational(example)  # refuses empty lists
    notes, listed = _pair(example, _ANSWERS, tools)
    prompt, chosen, rejected = (example[name] for name in ("prompt", "chosen", "rejected"))
    trained = Trained(
        "completion", prompt=prompt, chosen=chosen, rejected=rejected, tools=listed, template_arguments=arguments
    )
    return _rendered_bare(RowOutcome(notes, trained), example)


def _read_reward(example: dict[str, Any], _to: TrlPairs, seen: Seen) -> RowOutcome:
    first = _first_record(example, seen)
    margin = example.get("margin", 0)
    stops = fate_if(_shape(margin) is None, "margin_malformed", "margin", type_of(margin))  # of what is not too long
    if {"chosen_ids", "rejected_ids"} <= example.keys():
        return RowOutcome(stops)
    conversational = _is_conversational(first)
    _check_answers(example)
    _check_ends(example, _ANSWERS, conversational=conversational)
    tools, arguments = _template(example)
    if "prompt" in example:
        chosen, rejected = (_joined(example, "prompt", name) for name in _ANSWERS)
        example = {**example, "chosen": chosen, "rejected": rejected}
        _check_columns(example, seen)
    _is_conversational(example)  # refuses empty lists
    sides: dict[str, Any] = {name: example[name] for name in _ANSWERS}
    notes: list[Fate] = []
    listed: list[Any] | None = None
    for name, side in sides.items():
        if isinstance(side, list):
            notes += _notes(_rendered(side, name), name)
            listed = _listed_tools(tools)
        else:
            text_of(side, "text_expected", name)
    trained = Trained(
        "all", chosen=example["chosen"], rejected=example["rejected"], tools=listed, template_arguments=arguments
    )
    return _plain_as(RowOutcome((*notes[:1], *stops), trained), conversational=conversational)


def _check_columns(example: dict[str, Any], seen: Seen) -> None:
    """Prompt and answer become one list of the answer's column, for which Arrow needs one type."""
    import pyarrow as pa

    untyped = {path[0] for path in seen.typed.mixed} if seen.typed is not None else set()  # JSON text holds anything
    for name in _ANSWERS:
        try:
            pa.array(example[name] if isinstance(example[name], list) and name not in untyped else [])
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise StopRow("no_column", name, type(error).__name__) from None


def _read_kto(example: dict[str, Any], _to: TrlPairs, seen: Seen) -> RowOutcome:
    first = _first_record(example, seen)
    if "prompt" not in first:
        example, first = _mapped(_extracted(example), seen), _extracted(first)
    if "chosen" in first and "rejected" in first:
        return _unpaired(_mapped(example, seen), first)
    completion = column(example, "completion")
    conversational = _is_conversational(first)
    _check_ends(example, ("completion",), conversational=conversational)
    tools, arguments = _template(example)
    _is_conversational(example)  # refuses empty lists
    notes, listed = _pair(example, ("completion",), tools)
    label = example.get("label")
    counted = isinstance(label, bool | int | float)
    notes += fate_if(not counted, "no_label", "label", type_of(label))  # looked at when rows that are too long are gone
    notes += fate_if(counted and not isinstance(label, bool), "label_not_bool", "label", type_of(label))
    trained = Trained("completion", prompt=example["prompt"], response=completion, label=bool(label),
                      tools=listed, template_arguments=arguments)  # fmt: skip
    return _plain_as(_rendered_bare(RowOutcome(notes, trained), example), conversational=conversational)


def _unpaired(example: dict[str, Any], first: dict[str, Any]) -> RowOutcome:
    """A pair becomes two rows, one desired and one not."""
    unpaired = {key: value for key, value in first.items() if key not in _ANSWERS}
    conversational = _is_conversational({**unpaired, "completion": first["chosen"]})
    _check_answers(example)
    if dated(example["chosen"]) is not dated(example["rejected"]):
        raise StopRow("dated_side", "chosen")
    tools, arguments = _template(example)
    _check_ends(example, _ANSWERS, conversational=conversational)
    return _plain_as(_preference(example, tools, arguments), conversational=conversational)


_PAIR = 2  # texts


def _read_grpo(example: dict[str, Any], _to: TrlGrpo, seen: Seen) -> RowOutcome:
    first, prompt = _first_record(example, seen), column(example, "prompt")
    if not isinstance(prompt, str | list):
        raise StopRow("text_expected", "prompt", type_of(prompt))
    conversational = _is_conversational({"prompt": prompt})
    if conversational is not _is_conversational({"prompt": first.get("prompt")}):
        raise StopRow("mixed_prompts", "prompt")
    if isinstance(prompt, str):
        return RowOutcome((), Trained("sampled", prompt=prompt))
    if not conversational and len(prompt) == _PAIR and all(isinstance(text, str) for text in prompt):
        return RowOutcome((Fate("prompt_of_texts", "prompt"),))
    if not conversational:
        raise StopRow("text_expected", "prompt", Message("a list without roles"))
    messages = _rendered(prompt, "prompt")
    for number, message in enumerate(messages):
        if "content" not in message:
            raise StopRow("content_missing", f"prompt[{number}].content")
        _images(message["content"], f"prompt[{number}].content")
    return RowOutcome(_notes(messages, "prompt"), Trained("sampled", prompt=messages))


def _images(content: Any, where: str) -> None:
    """Parts are looked through for images: each needs a type, an image its image."""
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict) or "type" not in part or (part["type"] == "image" and "image" not in part):
            raise StopRow("content_missing", where, Message("a part without type or image"))


def _read_orpo(example: dict[str, Any], _to: TrlOrpo, seen: Seen) -> RowOutcome:
    """Each row by its own keys; tools are not handed to the template."""
    _check_answers(example)
    told = _has_role(example["chosen"], "chosen")
    if "prompt" not in example or told is not _has_role(example["prompt"], "prompt"):
        example = _extracted(example)
    _check_tensors(example)
    conversational = [_has_role(example[key], key) for key in _KEYS if key in example]
    if any(conversational) and not all(conversational):
        raise StopRow("mixed_kinds", next(key for key in _KEYS if key in example and not _has_role(example[key], key)))
    prompt, chosen, rejected = (example[name] for name in ("prompt", *_ANSWERS))
    if not conversational[0]:
        for name in ("prompt", *_ANSWERS):
            text_of(example[name], "text_expected", name)
        return RowOutcome((), Trained("shared", prompt=prompt, chosen=chosen, rejected=rejected))
    _check_rendered(example)
    for name in ("prompt", *_ANSWERS):  # text that is written into it becomes a list of its letters
        if seen.typed is not None and (name, 0) in seen.typed.mixed:
            raise StopRow("column_of_letters", name)
    arguments = example.get("chat_template_kwargs", {})
    if not isinstance(arguments, dict):
        raise StopRow("template_kwargs_malformed", "chat_template_kwargs", type_of(arguments))
    notes, _ = _pair(example, _ANSWERS, None)
    notes += fate_if(example.get("tools"), "tools_left_out", "tools")
    return RowOutcome(
        notes, Trained("shared", prompt=prompt, chosen=chosen, rejected=rejected, template_arguments=arguments or None)
    )


_SUFFIXES = ("_input_ids", "_attention_mask", "_labels", "_pixel_values")
_WRITTEN = {f"{part}_{name}" for part in ("prompt", *_ANSWERS) for name in ("input_ids", "attention_mask", "labels")}


def _check_tensors(example: dict[str, Any]) -> None:
    """ORPO's collator makes tensors of all columns of certain names."""
    for name, value in example.items():
        if name.endswith((*_SUFFIXES, "_logps")) and name not in _WRITTEN and _shape(value) is None:
            raise StopRow("no_tensor", name, type_of(value))


def _check_rendered(example: dict[str, Any]) -> None:
    """What apply_chat_template of a pair demands (data_utils.py:181)."""
    for name in ("messages", "completion", "label"):
        if name in example:
            raise StopRow("columns_beside", name)
    last = _rendered(example["prompt"], "prompt")[-1]
    where = f"prompt[{len(example['prompt']) - 1}]"
    if last.get("role") not in ("user", "tool", "assistant"):
        raise StopRow("prompt_end", f"{where}.role", role_said(last.get("role")))
    content = last.get("content")
    parts = content if isinstance(content, list) and all(isinstance(part, dict) for part in content) else None
    texts = [content] if parts is None else [part["text"] for part in parts if "text" in part]
    if last["role"] == "assistant" and not (texts and isinstance(texts[-1], str | dt.datetime)):
        raise StopRow("prompt_end", f"{where}.content", type_of(content))


def _before_orpo(_to: Settings, seen: Seen) -> tuple[Fate, ...]:
    return fate_if(seen.not_loadable is not None, "not_loadable", None, seen.not_loadable)


def _before(_to: Settings, seen: Seen) -> tuple[Fate, ...]:
    """A file that the `datasets` library cannot read; columns by which a set is one of images."""
    images = sorted({"image", "images"} & seen.columns)
    unread = fate_if(seen.not_loadable is not None, "not_loadable", None, seen.not_loadable)
    return (*unread, *fate_if(images, "images_column", *images[:1]))


def _before_sft(to: TrlSft, seen: Seen) -> tuple[Fate, ...]:
    """Conversations without assistant_only_loss: worth a word, once."""
    told = {"messages", "conversations"} & seen.columns and not to.assistant_only_loss
    return (*_before(to, seen), *fate_if(told, "user_words_trained", None, Message("assistant_only_loss is off")))


_GENERATION = re.compile(r"\{%-?\s*generation\s*-?%\}")  # has_generation_markers, chat_template_utils.py
_TEMPLATES = Path(__file__).parent / "templates" / "trl"
_NO_TRAINING_TEMPLATE = (
    "{{ raise_exception('assistant_only_loss: the template has no {% generation %} marks, and TRL has no training "
    "template for it') }}"
)


@cache
def _training_templates() -> dict[str, str]:
    return tomllib.loads((_TEMPLATES / "training.toml").read_text(encoding="utf-8"))


def _rendered_with(to: TrlSft, template: str) -> str:
    """The template that TRL trains with: one of its own where the tokenizer's cannot say what the assistant wrote."""
    if not to.assistant_only_loss or _GENERATION.search(template):
        return template
    known = _training_templates().get(hashlib.sha256(template.encode()).hexdigest())
    return (_TEMPLATES / known).read_text(encoding="utf-8") if known else _NO_TRAINING_TEMPLATE


def _cut_sft(to: TrlSft) -> Cut:
    if to.packing and to.packing_strategy != "bfd":
        return Cut()  # rows are wrapped or split into chunks, nothing is lost
    return Cut(to.max_length, "keep_start" if to.packing else to.truncation_mode, unanswered="fully_masked")


def _cut_pair(to: TrlPairs) -> Cut:
    unanswered = "prompt_fills" if to.truncation_mode == "keep_start" else None
    return Cut(to.max_length, to.truncation_mode, unanswered=unanswered)


def _mode(name: str, settings: type[Settings], read: Any, **more: Any) -> Mode:
    return _TWINS.mode(
        name,
        "common",
        name,
        settings=settings,
        read=guarded(read),
        **{"before": _before, **more},
        typed="datasets 5",
        run_here=name not in ("grpo", "orpo"),
        roles={"user": ("user",), "assistant": ("assistant",), "tool": ("tool",), "system": ("system", "developer")},
        role_rules=frozenset({"foreign_role", "role_missing", "no_assistant_token"}),
        boundary="parting_of_pair" if name in ("dpo", "orpo") else "parting",
        probe="trl",
    )


MODES = {
    "sft": _mode(
        "sft",
        TrlSft,
        _read_sft,
        cut=_cut_sft,
        before=_before_sft,
        rendered_with=_rendered_with,
        untrained="no_assistant_token",
    ),
    "dpo": _mode("dpo", TrlPairs, _read_dpo, cut=_cut_pair),
    "reward": _mode("reward", TrlPairs, _read_reward, cut=lambda to: Cut(to.max_length, "drop")),
    "kto": _mode("kto", TrlPairs, _read_kto, cut=lambda to: Cut(to.max_length, unanswered="prompt_fills")),
    "grpo": _mode("grpo", TrlGrpo, _read_grpo),
    "orpo": _mode("orpo", TrlOrpo, _read_orpo, before=_before_orpo, cut=lambda to: Cut(to.max_length or 512)),
}
