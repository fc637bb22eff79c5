"""TRL's trainers of pairs and judged answers: DPO, Reward, KTO and ORPO."""

import datetime as dt
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    column,
    dated,
    fate_if,
    role_said,
    text_of,
    type_of,
)
from datacheck.trainers.trl_rows import (
    ANSWERS,
    KEYS,
    first_record,
    foreign_roles,
    has_role,
    is_conversational,
    listed_tools,
    plain_as,
    put_together,
    rendered_bare,
    rendered_messages,
    tensor_shape,
    tools_and_arguments,
    written_anew,
)
from datacheck.trainers.trl_settings import TrlOrpo, TrlPairs


def _parting(chosen: Any, rejected: Any) -> int:
    """Where two texts or lists part; before a space, even if that is -1; the last place where one begins the other."""
    shorter = min(len(chosen), len(rejected))
    at = next((n for n in range(shorter) if chosen[n] != rejected[n]), None)
    if at is None:
        return shorter - 1
    return at - 1 if chosen[at - 1] == " " else at


def _extracted(example: dict[str, Any]) -> dict[str, Any]:
    """The prompt that chosen and rejected share, cut off as extract_prompt does (data_utils.py:632)."""
    for name in ANSWERS:
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
    for name in ANSWERS:
        column(example, name)


def _check_ends(example: dict[str, Any], names: tuple[str, ...], *, conversational: bool) -> None:
    """Where the first record is text, an end token is added to every record's text, which must be a string."""
    for name in () if conversational else names:
        text_of(example[name], "text_expected", name)


def _pair(example: dict[str, Any], names: tuple[str, ...], tools: Any) -> tuple[tuple[Fate, ...], list[Any] | None]:
    """Prompt and answers put together and rendered; what stands out, and the tools."""
    wholes = [put_together(example, "prompt", name) for name in names]
    if isinstance(wholes[0], str):
        return (), None
    rendered_messages(example["prompt"], "prompt")
    notes = [
        note
        for name, whole in zip(names, wholes, strict=True)
        for note in foreign_roles(rendered_messages(whole, name), name)
    ]
    return tuple(notes[:1]), listed_tools(tools)


def read_dpo(example: dict[str, Any], _to: TrlPairs, seen: Seen) -> RowOutcome:
    """What DPOTrainer makes of a row: the prompt that is shared is cut off, where none is named."""
    first = first_record(example, seen)
    if "prompt" not in first:
        example, first = written_anew(_extracted(example), seen), _extracted(first)
    conversational = is_conversational(first)
    _check_answers(example)
    _check_ends(example, ANSWERS, conversational=conversational)
    tools, arguments = tools_and_arguments(example)
    return plain_as(_preference(example, tools, arguments), conversational=conversational)


def _preference(example: dict[str, Any], tools: Any, arguments: dict[str, Any] | None) -> RowOutcome:
    """A prompt with both answers, put together and rendered."""
    is_conversational(example)  # refuses empty lists
    notes, listed = _pair(example, ANSWERS, tools)
    prompt, chosen, rejected = (example[name] for name in ("prompt", "chosen", "rejected"))
    trained = Trained(
        "completion", prompt=prompt, chosen=chosen, rejected=rejected, tools=listed, template_arguments=arguments
    )
    return rendered_bare(RowOutcome(notes, trained), example)


def read_reward(example: dict[str, Any], _to: TrlPairs, seen: Seen) -> RowOutcome:
    """What RewardTrainer makes of a row: both sides whole, with a margin where there is one."""
    first = first_record(example, seen)
    margin = example.get("margin", 0)
    odd = tensor_shape(margin) is None  # a tensor is made of what is not too long
    stops = fate_if(odd, "margin_malformed", "margin", type_of(margin))
    if {"chosen_ids", "rejected_ids"} <= example.keys():
        return RowOutcome(stops)
    conversational = is_conversational(first)
    _check_answers(example)
    _check_ends(example, ANSWERS, conversational=conversational)
    tools, arguments = tools_and_arguments(example)
    if "prompt" in example:
        chosen, rejected = (put_together(example, "prompt", name) for name in ANSWERS)
        example = {**example, "chosen": chosen, "rejected": rejected}
        _check_columns(example, seen)
    is_conversational(example)  # refuses empty lists
    sides: dict[str, Any] = {name: example[name] for name in ANSWERS}
    notes: list[Fate] = []
    listed: list[Any] | None = None
    for name, side in sides.items():
        if isinstance(side, list):
            notes += foreign_roles(rendered_messages(side, name), name)
            listed = listed_tools(tools)
        else:
            text_of(side, "text_expected", name)
    trained = Trained(
        "all", chosen=example["chosen"], rejected=example["rejected"], tools=listed, template_arguments=arguments
    )
    return plain_as(RowOutcome((*notes[:1], *stops), trained), conversational=conversational)


def _check_columns(example: dict[str, Any], seen: Seen) -> None:
    """Prompt and answer become one list of the answer's column, for which Arrow needs one type."""
    import pyarrow as pa

    untyped = {path[0] for path in seen.typed.mixed} if seen.typed is not None else set()  # JSON text holds anything
    for name in ANSWERS:
        try:
            pa.array(example[name] if isinstance(example[name], list) and name not in untyped else [])
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise StopRow("no_column", name, type(error).__name__) from None


def read_kto(example: dict[str, Any], _to: TrlPairs, seen: Seen) -> RowOutcome:
    """What KTOTrainer makes of a row: one answer and its label, or a pair, which becomes two rows."""
    first = first_record(example, seen)
    if "prompt" not in first:
        example, first = written_anew(_extracted(example), seen), _extracted(first)
    if "chosen" in first and "rejected" in first:
        return _unpaired(written_anew(example, seen), first)
    completion = column(example, "completion")
    conversational = is_conversational(first)
    _check_ends(example, ("completion",), conversational=conversational)
    tools, arguments = tools_and_arguments(example)
    is_conversational(example)  # refuses empty lists
    notes, listed = _pair(example, ("completion",), tools)
    label = example.get("label")
    counted = isinstance(label, bool | int | float)
    notes += fate_if(not counted, "no_label", "label", type_of(label))  # looked at when rows that are too long are gone
    notes += fate_if(counted and not isinstance(label, bool), "label_not_bool", "label", type_of(label))
    trained = Trained("completion", prompt=example["prompt"], response=completion, label=bool(label),
                      tools=listed, template_arguments=arguments)  # fmt: skip
    return plain_as(rendered_bare(RowOutcome(notes, trained), example), conversational=conversational)


def _unpaired(example: dict[str, Any], first: dict[str, Any]) -> RowOutcome:
    """A pair becomes two rows, one desired and one not."""
    unpaired = {key: value for key, value in first.items() if key not in ANSWERS}
    conversational = is_conversational({**unpaired, "completion": first["chosen"]})
    _check_answers(example)
    if dated(example["chosen"]) is not dated(example["rejected"]):
        raise StopRow("dated_side", "chosen")
    tools, arguments = tools_and_arguments(example)
    _check_ends(example, ANSWERS, conversational=conversational)
    return plain_as(_preference(example, tools, arguments), conversational=conversational)


def read_orpo(example: dict[str, Any], _to: TrlOrpo, seen: Seen) -> RowOutcome:
    """Each row by its own keys; tools are not handed to the template."""
    _check_answers(example)
    told = has_role(example["chosen"], "chosen")
    if "prompt" not in example or told is not has_role(example["prompt"], "prompt"):
        example = _extracted(example)
    _check_tensors(example)
    conversational = [has_role(example[key], key) for key in KEYS if key in example]
    if any(conversational) and not all(conversational):
        raise StopRow("mixed_kinds", next(key for key in KEYS if key in example and not has_role(example[key], key)))
    prompt, chosen, rejected = (example[name] for name in ("prompt", *ANSWERS))
    if not conversational[0]:
        for name in ("prompt", *ANSWERS):
            text_of(example[name], "text_expected", name)
        return RowOutcome((), Trained("shared", prompt=prompt, chosen=chosen, rejected=rejected))
    _check_rendered(example)
    for name in ("prompt", *ANSWERS):  # text that is written into it becomes a list of its letters
        if seen.typed is not None and (name, 0) in seen.typed.mixed:
            raise StopRow("column_of_letters", name)
    arguments = example.get("chat_template_kwargs", {})
    if not isinstance(arguments, dict):
        raise StopRow("template_kwargs_malformed", "chat_template_kwargs", type_of(arguments))
    notes, _ = _pair(example, ANSWERS, None)
    notes += fate_if(example.get("tools"), "tools_left_out", "tools")
    return RowOutcome(
        notes, Trained("shared", prompt=prompt, chosen=chosen, rejected=rejected, template_arguments=arguments or None)
    )


_SUFFIXES = ("_input_ids", "_attention_mask", "_labels", "_pixel_values")
_WRITTEN = {f"{part}_{name}" for part in ("prompt", *ANSWERS) for name in ("input_ids", "attention_mask", "labels")}


def _check_tensors(example: dict[str, Any]) -> None:
    """ORPO's collator makes tensors of all columns of certain names."""
    for name, value in example.items():
        if name.endswith((*_SUFFIXES, "_logps")) and name not in _WRITTEN and tensor_shape(value) is None:
            raise StopRow("no_tensor", name, type_of(value))


def _check_rendered(example: dict[str, Any]) -> None:
    """What apply_chat_template of a pair demands (data_utils.py:181)."""
    for name in ("messages", "completion", "label"):
        if name in example:
            raise StopRow("columns_beside", name)
    last = rendered_messages(example["prompt"], "prompt")[-1]
    where = f"prompt[{len(example['prompt']) - 1}]"
    if last.get("role") not in ("user", "tool", "assistant"):
        raise StopRow("prompt_end", f"{where}.role", role_said(last.get("role")))
    content = last.get("content")
    parts = content if isinstance(content, list) and all(isinstance(part, dict) for part in content) else None
    texts = [content] if parts is None else [part["text"] for part in parts if "text" in part]
    if last["role"] == "assistant" and not (texts and isinstance(texts[-1], str | dt.datetime)):
        raise StopRow("prompt_end", f"{where}.content", type_of(content))
