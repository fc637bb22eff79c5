"""LLaMA-Factory: the processors of sft, dpo (also rm) and kto, on what the converters make of a record.

The processor of the stage drops what does not fit; the template's formatters stop the run where text is expected and
is not there. Settings, rules and converters stand in the files beside this one.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    Loss,
    Messages,
    Mode,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    fate_if,
    guarded,
    json_of,
    not_loadable,
    text_of,
    type_of,
    without_marks,
)
from datacheck.trainers.llamafactory_converters import CONVERTERS, Converted
from datacheck.trainers.llamafactory_settings import LlamaFactory
from datacheck.trainers.llamafactory_templates import (
    OwnTemplate,
    known_templates,
    own_template,
    tokenizer_change,
    written_answers,
    written_turns,
    wrong_turn,
)
from datacheck.trainers.llamafactory_tools import FORMATS
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream("hiyouga/LLaMA-Factory", "ff6d4d12eeb035d6ce06805a5733dd7b29f2ac30", "src/llamafactory/data/")
_TWINS = Twins.of("llamafactory", UPSTREAM)
_STANDARD = {"user": "user", "observation": "tool", "assistant": "assistant", "function": "assistant"}
# The words around calls and thoughts of most templates (template.py:598); a few have others.
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_THOUGHT = re.compile(r"<think>\n(.*?)\n</think>\n\n", re.DOTALL)


def _rendered(
    made: Converted, messages: list[tuple[str, Any]], own: OwnTemplate | None
) -> tuple[Messages, tuple[Fate, ...]]:
    """Messages in standard roles, as the template takes them, and what its formatters changed on the way.

    They stop the run at whatever is no text. What a template of LLaMA-Factory's own refuses it says itself.
    """
    _tools(made, own)  # tools that cannot be read are refused first
    if made.system:
        text_of(made.system, "system_not_text", None)
    rendered: Messages = [{"role": "system", "content": made.system}] if made.system else []
    notes: tuple[Fate, ...] = ()
    for place, (role, content) in enumerate(messages):
        if role == "system":
            raise StopRow("role_not_rendered", None, _turn(place))
        if not isinstance(content, str):
            raise wrong_turn("text_expected", place, type_of(content))
        if role == "function":
            message, quoted = _function(content, place, own)
            rendered.append(message)
            notes += fate_if(quoted, "arguments_as_text", None, _turn(place))
        else:
            rendered.append({"role": _STANDARD[role], "content": content})
    return rendered, notes


def _function(content: str, place: int, own: OwnTemplate | None) -> tuple[dict[str, Any], bool]:
    """A message of calls; whether some arguments are text. The rest of the content stays as the thought."""
    marked = _CALL.search(content)
    thought = None if marked else _THOUGHT.search(content)
    text = marked[1] if marked else content.replace(thought[0], "") if thought else content
    kept = content.replace(marked[0], "") if marked else thought[0] if thought else ""
    try:
        calls = json.loads(text)
    except (ValueError, RecursionError):
        if own is not None:
            return {"role": "assistant", "content": content}, False
        raise wrong_turn("call_malformed", place, Message("not JSON")) from None
    listed = calls if isinstance(calls, list) else [calls]
    for call in listed:
        if not isinstance(call, dict) or "name" not in call or "arguments" not in call:
            raise wrong_turn("call_malformed", place, Message("no name or no arguments"))
    functions = [
        {"type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}} for call in listed
    ]
    quoted = any(isinstance(call["arguments"], str) for call in listed)
    return {"role": "assistant", "content": kept, "tool_calls": functions}, quoted


def _turn(place: int) -> Message:
    return Message("turn {turn}", turn=place + 1)


def _tools(made: Converted, own: OwnTemplate | None) -> list[Any] | None:
    """The tools as a list; None where there are none. Raises StopRow where they are no JSON text of such a list."""
    if own is not None:
        return None
    if not made.tools:
        return None
    listed = json_of(text_of(made.tools, "tools_not_text", None), "tools_malformed")
    if listed in ([], {}, ""):
        return []
    if not isinstance(listed, list) or not all(isinstance(tool, dict) for tool in listed):
        raise StopRow("tools_malformed", None, type_of(listed))
    # As most formats of tools do (tool_utils.py:350); some templates print them otherwise.
    return [tool if tool.get("type") == "function" else {"type": "function", "function": tool} for tool in listed]


def _sft(made: Converted, to: LlamaFactory) -> RowOutcome:
    if len(made.prompt) % 2 != 1 or len(made.response) != 1:
        return _dropped(made, to)
    own, said = own_template(to), [*made.prompt, *made.response]
    messages, notes = _rendered(made, said, own)
    loss: Loss = "all" if to.train_on_prompt else "last_turn" if to.mask_history else "assistant"
    written = written_turns(own, to, made.system, made.tools, said) if own else ()
    asked = [any(each != ("text", "") for each in question) for found in written for question, _ in found.turns[1:]]
    notes += fate_if(own and own.late_end and not all(asked), "labels_shifted", to.messages)
    return RowOutcome((*made.notes, *notes), Trained(loss, messages, tools=_tools(made, own), written=written))


def _dropped(made: Converted, to: LlamaFactory) -> RowOutcome:
    broken = made.broken or Fate("kto_in_other_stage" if len(made.response) > 1 else "no_answer", to.kto_tag)
    return RowOutcome((*made.notes, broken))


def _dpo(made: Converted, to: LlamaFactory) -> RowOutcome:
    if len(made.prompt) % 2 != 1 or len(made.response) < 2:
        return _dropped(made, to)
    own = own_template(to)
    (one, notes), (two, others) = (_rendered(made, [*made.prompt, answer], own) for answer in made.response[:2])
    notes = (*made.notes, *dict.fromkeys((*notes, *others)))
    trained = Trained(
        "completion", prompt=one[:-1], chosen=one[-1:], rejected=two[-1:], tools=_tools(made, own),
        written=written_answers(own, to, made.system, made.tools, made.prompt, made.response[:2]) if own else (),
    )  # fmt: skip
    return RowOutcome(notes, trained)


def _kto(made: Converted, to: LlamaFactory) -> RowOutcome:
    own = own_template(to)
    if len(made.response) < 2 and not _lends(made.response, own):
        cause = made.broken
        return RowOutcome((*made.notes, Fate("breaks_next", cause.where if cause else None, cause and cause.reason)))
    if len(made.prompt) % 2 != 1 or len(made.response) < 2:
        return RowOutcome((*made.notes, _unlabelled(made, to)))
    first, second = made.response
    for said in (first[1], second[1]):
        if not isinstance(said, str | None):  # beside an empty text: no column has both (converter.py:420)
            raise StopRow("text_expected", to.response, type_of(said))
    label = bool(first[1])
    answer = first if label else second
    messages, notes = _rendered(made, [*made.prompt, answer], own)
    flipped = not label and first != ("assistant", "")
    emptied = first == ("assistant", "") == second
    notes = (*made.notes, *notes, *fate_if(flipped or emptied, "label_flipped", to.response))
    trained = Trained(
        "completion", prompt=messages[:-1], response=messages[-1:], label=label, tools=_tools(made, own),
        written=written_answers(own, to, made.system, made.tools, made.prompt, [answer]) if own else (),
    )  # fmt: skip
    return RowOutcome(notes, trained)


def _lends(response: list[tuple[str, Any]], own: OwnTemplate | None) -> bool:
    """Whether the answer of a dropped row can stand in the next row's KL term."""
    try:
        return bool(response and response[0][1]) and bool(_rendered(Converted([], []), response, own))
    except StopRow:
        return False


def _unlabelled(made: Converted, to: LlamaFactory) -> Fate:
    if len(made.response) == 1:
        return Fate("label_not_bool", to.kto_tag)
    return made.broken or Fate("no_messages", to.messages)


def _read(
    example: dict[str, Any], to: LlamaFactory, _seen: Seen, stage: Callable[[Converted, LlamaFactory], RowOutcome]
) -> RowOutcome:
    """The fates of a record in a stage, and what is trained of it."""
    convert = CONVERTERS.get(to.formatting)
    if convert is None:
        raise StopRow("unknown_format")
    return stage(convert(example, to), to)


def _cut(settings: LlamaFactory, *, pair: bool) -> Cut:
    """Shares of cutoff_len: turn by turn, or between a prompt and its answer. An end that comes late is never cut."""
    own = own_template(settings)
    limit = settings.cutoff_len - bool(settings.packing or settings.neat_packing)
    limit -= bool(own and own.late_end and not pair)
    return Cut(limit, "pair" if pair else "turns", last_first=settings.mask_history and not pair)


_OF_SFT = ("neat_packing", "train_on_prompt", "mask_history")


def _before(settings: LlamaFactory, seen: Seen, *, ranking: bool, pair: bool) -> tuple[Fate, ...]:
    """What stops the run before any row."""
    said = Message("ranking is {value}", value=str(settings.ranking).lower())
    wrong = fate_if(settings.ranking is not ranking, "wrong_stage", None, said)
    wrong += fate_if(settings.formatting not in CONVERTERS, "unknown_format")
    wrong += tuple(Fate("sft_only", name) for name in _OF_SFT if pair and getattr(settings, name))
    wrong += _of_template(settings)
    return wrong + not_loadable(settings, seen)


def _of_template(settings: LlamaFactory) -> tuple[Fate, ...]:
    own = own_template(settings)
    wrong = fate_if(settings.template and settings.template not in known_templates(), "unknown_template", "template")
    wrong += fate_if(settings.tool_format and settings.tool_format not in FORMATS, "unknown_template", "tool_format")
    late = settings.train_on_prompt and (settings.mask_history or (own and own.late_end))
    wrong += fate_if(late, "prompt_not_trainable", "train_on_prompt")
    return wrong + fate_if(own and own.media, "media_template", "template")


_ROLES = {"role_order", "role_order_openai", "unknown_role", "role_not_rendered", "pair_role"}


def _mode(name: str, stage: Callable[[Converted, LlamaFactory], RowOutcome], *, ranking: bool, pair: bool) -> Mode:
    return _TWINS.mode(
        name,
        "all",
        settings=LlamaFactory,
        read=guarded(partial(_read, stage=stage)),
        cut=partial(_cut, pair=pair),
        before=partial(_before, ranking=ranking, pair=pair),
        first=lambda settings: settings.max_samples,
        run_here=True,
        roles={"user": ("human",), "assistant": ("gpt",), "tool": ("observation",), "system": ("system",)},
        role_rules=frozenset({*_ROLES, "message_count", "no_messages"}),
        tool_arguments="object",
        pieces=True,
        rendered_with=without_marks,
        tokenizer=tokenizer_change,
        typed="datasets 4",
        probe="llamafactory",
    )


MODES = {
    "sft": _mode("sft", _sft, ranking=False, pair=False),
    "dpo": _mode("dpo", _dpo, ranking=True, pair=True),
    "rm": _mode("rm", _dpo, ranking=True, pair=True),
    "kto": _mode("kto", _kto, ranking=False, pair=True),
}
