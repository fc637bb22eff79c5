"""axolotl: SFT with chat_template, alpaca, input_output and completion, DPO and KTO with the ways that it has by name.

A row that cannot be tokenized stops the run; rows that are too long, too short or (with sample_packing) train nothing
are left out. Which tokens are trained is found turn by turn (`datacheck/chat/located.py`).
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.axolotl_pairs import DPO_ROLES, OF_TEMPLATE, read_dpo, read_kto
from datacheck.trainers.axolotl_settings import DEFAULT, FALLBACK, JINJA, AxolotlDpo, AxolotlKto, AxolotlSft
from datacheck.trainers.axolotl_turns import (
    check_no_date,
    is_trained,
    labels_by_part,
    messages_of,
    tools_of,
    turns_of,
    without_nulls,
)
from datacheck.trainers.base import (
    Fate,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    fate_if,
    guarded,
    not_loadable,
    objects_of,
    type_of,
)
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream(
    "axolotl-ai-cloud/axolotl", "0.19.0", "src/axolotl/", "The installed release was run beside the twin."
)
_TWINS = Twins.of("axolotl", UPSTREAM)
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


def _read_sft(example: dict[str, Any], to: AxolotlSft, _seen: Seen) -> RowOutcome:
    if {"input_ids", "attention_mask", "labels"} <= example.keys():
        return RowOutcome((Fate("already_tokenized", "input_ids"),))
    if to.type == "input_output":
        return _segments(example, to)
    if to.type in _STYLES:
        return _instruction(example, to)
    if to.type == "completion":
        return _completion(example, to)
    example = {name: without_nulls(value) for name, value in example.items()}
    where = to.field_messages
    messages = messages_of(example.get(where), where)
    turns, notes = turns_of(messages, to, where)
    if turns[0]["role"] != "system" and "system" in example:
        check_no_date(example["system"], "system")
        notes += fate_if(
            not isinstance(example["system"], str), "system_not_text", "system", type_of(example["system"])
        )
        turns = [{"role": "system", "content": example["system"]}, *turns]
        messages = [{}, *messages]
    if to.drop_system_message and turns[0]["role"] == "system":
        turns, messages = turns[1:], messages[1:]
        if not turns:
            raise StopRow("messages_malformed", where, Message("no message"))
    tools = tools_of(example.get("tools"))
    if to.other_tokens:
        return RowOutcome((*notes, Fate("tokenizer_changed")))
    detailed = labels_by_part(messages, to, where)
    if detailed is not None:
        return RowOutcome((*notes, detailed))
    weights = tuple(float(is_trained(turn, message, to)) for turn, message in zip(turns, messages, strict=True))
    notes += fate_if(not any(weights), "no_trained_turn", where)
    trained = Trained("located", messages=turns, tools=tools or None, weights=weights, ends=to.ends,
                      template_arguments=to.chat_template_kwargs)  # fmt: skip
    return RowOutcome(notes, trained)


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


def _before(to: AxolotlSft | AxolotlDpo, seen: Seen) -> tuple[Fate, ...]:
    name, text = to.template
    named = name.removeprefix(FALLBACK)
    unknown = str(to.type).startswith(OF_TEMPLATE) and named not in (DEFAULT, JINJA, *_templates())
    return (
        *fate_if(to.type is None, "type_missing", "datasets.type"),
        *fate_if(unknown or (name == JINJA and not text), "template_unknown", "chat_template"),
        *(_images(seen) if isinstance(to, AxolotlDpo) else ()),
        *not_loadable(to, seen),
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
        *not_loadable(to, seen),
    )


def _rendered_with(to: AxolotlSft | AxolotlDpo, template: str) -> str:
    """The template by the settings; the tokenizer's own where they name none (chat_templates/base.py:26)."""
    name, text = to.template
    if name == JINJA:
        return text or template
    if name == DEFAULT or (name.startswith(FALLBACK) and template):
        return template
    return _templates().get(name.removeprefix(FALLBACK), template)


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
        read=guarded(read_dpo),
        cut=_cut_dpo,
        roles={role: (role,) for role in DPO_ROLES},
        role_rules=frozenset({"role_unknown"}),
        **_RUN,
    ),
    "kto": _TWINS.mode(
        "kto",
        "kto",
        settings=AxolotlKto,
        read=guarded(read_kto),
        cut=_cut_dpo,
        **{**_RUN, "before": _before_kto, "rendered_with": lambda _settings, template: template},
    ),
}
