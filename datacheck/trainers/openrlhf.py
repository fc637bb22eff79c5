"""OpenRLHF: SFTDataset, RewardDataset (pairs for a reward model, and for DPO) and PromptDataset (prompts for RL)."""

from functools import lru_cache
from string import Formatter
from typing import Any, ClassVar

from pydantic import Field

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    Loss,
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
    not_loadable,
    objects_of,
    text_of,
    type_of,
    without_text,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream("OpenRLHF/OpenRLHF", "0.11.2", "openrlhf/", "The installed release was run beside the twin.")
_TWINS = Twins.of("openrlhf", UPSTREAM)
_SPARE = 2  # tokens that a prompt must leave, and one more (sft_dataset.py:154, reward_dataset.py:124)


class _OpenrlhfData(Settings):
    """What all of its commands have."""

    MAX_LENGTH: ClassVar[str | None] = "data.max_len"

    input_template: str | None = Field(default=None, alias="data.input_template")
    apply_chat_template: bool = Field(default=False, alias="data.apply_chat_template")
    max_samples: int = Field(default=1_000_000, alias="data.max_samples")

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """A command line cannot say null: what is null has its default."""
        return {name: value for name, value in given.items() if value is not None}

    @property
    def template(self) -> str | None:
        """The template; one without {} is set aside (train_sft.py:311)."""
        return self.input_template if self.input_template and "{}" in self.input_template else None


class OpenrlhfSft(_OpenrlhfData):
    """Arguments of openrlhf.cli.train_sft that decide what becomes of a row, with its defaults."""

    input_key: str = Field(default="input", alias="data.input_key")
    output_key: str | None = Field(default=None, alias="data.output_key")
    input_template: str | None = Field(default="User: {}\nAssistant: ", alias="data.input_template")
    multiturn: bool = Field(default=False, alias="data.multiturn")
    pretrain_mode: bool = Field(default=False, alias="model.pretrain_mode_enable")
    max_len: int = Field(default=2048, alias="data.max_len")


class OpenrlhfPairs(_OpenrlhfData):
    """Arguments of openrlhf.cli.train_dpo, which train_rm has too."""

    prompt_key: str | None = Field(default=None, alias="data.prompt_key")
    chosen_key: str = Field(default="chosen", alias="data.chosen_key")
    rejected_key: str = Field(default="rejected", alias="data.rejected_key")
    max_len: int = Field(default=512, alias="data.max_len")


class OpenrlhfRm(OpenrlhfPairs):
    """Arguments of openrlhf.cli.train_rm."""

    margin_loss: bool = Field(default=False, alias="model.margin_loss_enable")


class OpenrlhfRl(_OpenrlhfData):
    """Arguments of openrlhf.cli.train_ppo_ray. `data.max_len` counts prompt and answer together."""

    input_key: str = Field(default="input", alias="data.input_key")
    label_key: str | None = Field(default=None, alias="data.label_key")
    max_len: int = Field(default=2048, alias="data.max_len")
    max_new_tokens: int | None = Field(default=None, alias="rollout.max_new_tokens")
    max_samples: int = Field(default=100_000_000, alias="data.max_samples")


def _read_sft(example: dict[str, Any], to: OpenrlhfSft, _seen: Seen) -> RowOutcome:
    if to.apply_chat_template and not to.pretrain_mode:
        return _conversation(example, to)
    given = column(example, to.input_key, "missing_key")
    answer = column(example, to.output_key, "missing_key") if to.output_key else ""
    if to.pretrain_mode:
        if given is None:
            raise StopRow("empty", to.input_key)
        alone = isinstance(given, list) and len(given) == 1  # the tokenizer makes the same tensor of it
        given = given[0] if alone else given
        return RowOutcome((), Trained("all", text=text_of(given, "text_malformed", to.input_key)))
    prompt = text_of(_formatted(given, to), "text_malformed", to.input_key)
    if not prompt or not answer:
        raise StopRow("empty", to.output_key if prompt else to.input_key)
    notes = _template_notes(given, to, to.input_key)
    if not isinstance(answer, str):  # unless it is left out before, for its long prompt
        notes = (Fate("text_malformed", to.output_key, type_of(answer)),)
    return RowOutcome(notes, Trained("cut_out", prompt=prompt, response=str(answer)))


def _conversation(example: dict[str, Any], to: OpenrlhfSft) -> RowOutcome:
    """Prompt and answer of a conversation (sft_dataset.py:10-23)."""
    key = to.input_key
    asked = column(example, key, "missing_key")
    if to.output_key:
        return _told(example, asked, to)
    if isinstance(asked, str) and len(asked) > 1 and not to.multiturn:
        raise StopRow("text_for_messages", key)
    messages, notes = _messages(example, asked, key)
    if len(messages) == 1:
        raise StopRow("one_message", key)
    if to.multiturn:
        return RowOutcome(notes + _turns(messages, key), Trained("cut_outs", messages=messages, asked=messages[:-1]))
    last = len(messages) - 1
    notes += fate_if(messages[last].get("role") != "assistant", "last_not_answer", f"{key}[{last}].role")
    return RowOutcome(notes, Trained("cut_out", prompt=messages[:-1], response=messages[-1:]))


def _told(example: dict[str, Any], asked: Any, to: OpenrlhfSft) -> RowOutcome:
    """Prompt and answer under a key each: two texts, or two lists of messages."""
    assert to.output_key is not None
    told = column(example, to.output_key, "missing_key")
    if isinstance(asked, str) and isinstance(told, str):
        asked, told = [{"role": "user", "content": asked}], [{"role": "assistant", "content": told}]
    before, notes = _messages(example, asked, to.input_key)
    if told == []:
        raise StopRow("empty", to.output_key)
    after, more = _messages({}, told, to.output_key)
    return RowOutcome(notes + more, Trained("cut_out", prompt=before, response=after))


def _turns(messages: Messages, key: str) -> tuple[Fate, ...]:
    """Of a conversation whose answers are all trained (sft_dataset.py:92-133)."""
    for number, message in enumerate(messages):
        if "role" not in message:
            raise StopRow("role_missing", f"{key}[{number}].role")
    if messages[0]["role"] == "assistant":
        raise StopRow("begins_with_answer", f"{key}[0].role")
    return fate_if(not any(message["role"] == "assistant" for message in messages), "no_answer", key)


def _messages(example: dict[str, Any], value: Any, key: str) -> tuple[Messages, tuple[Fate, ...]]:
    """Messages for the template, and what is said of them. Raises StopRow where it can make nothing of them."""
    if value == []:
        raise StopRow("messages_malformed", key, Message("no message"))
    messages = objects_of(value, "messages_malformed", key)
    return messages, (*fate_if(example.get("tools"), "tools_ignored", "tools"), *_notes(messages, key))


def _notes(messages: Messages, key: str) -> tuple[Fate, ...]:
    """What is said of messages. Raises StopRow for a content that is no text."""
    mute = without_text(messages)
    if mute is not None:
        raise StopRow("content_not_text", f"{key}[{mute}].content", type_of(messages[mute].get("content")))
    return foreign_role(messages, key)


def _formatted(value: Any, to: _OpenrlhfData) -> Any:
    """What the template makes of a prompt: any value becomes text; without one it stays what it is."""
    if to.template is None:
        return value
    around = _around(to.template)
    return str(value).join(around) if around is not None else str(value)  # there the run stops before any row


def _template_notes(value: Any, to: _OpenrlhfData, key: str | None) -> tuple[Fate, ...]:
    spelt = to.template is not None and not isinstance(value, str)
    return fate_if(spelt, "prompt_spelt", key, type_of(value))


@lru_cache(maxsize=8)
def _around(template: str) -> tuple[str, ...] | None:
    """What stands around the prompt in `template.format(prompt)`; None where that raises.

    Only {} is formatted here: other fields reach into the value, and a template is not trusted.
    """
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        return None
    texts, fields = [""], 0
    for text, name, spec, how in parts:
        texts[-1] += text
        if name is not None:
            if (name, spec, how) != ("", "", None) or fields:
                return None
            texts, fields = [*texts, ""], 1
    return tuple(texts)


def _read_rm(example: dict[str, Any], to: OpenrlhfRm, _seen: Seen) -> RowOutcome:
    found = _pair(example, to, "cut_whole")
    margin = example.get("margin")
    if to.margin_loss and margin is not None and not _numeric(margin):
        raise StopRow("margin_malformed", "margin", type_of(margin))
    return found


def _numeric(value: Any) -> bool:
    """Whether torch makes a tensor of it: a number, or a list of them."""
    return all(map(_numeric, value)) if isinstance(value, list) else isinstance(value, int | float)


def _read_dpo(example: dict[str, Any], to: OpenrlhfPairs, _seen: Seen) -> RowOutcome:
    return _pair(example, to, "cut_out")


def _pair(example: dict[str, Any], to: OpenrlhfPairs, loss: Loss) -> RowOutcome:
    prompt = column(example, to.prompt_key, "missing_key") if to.prompt_key else None
    chosen, rejected = (column(example, key, "missing_key") for key in (to.chosen_key, to.rejected_key))
    same = fate_if(chosen == rejected, "same_answers", to.rejected_key)
    if to.apply_chat_template:
        found = _of_messages(example, prompt, (chosen, rejected), to, loss)
        return found._replace(fates=found.fates + same)
    notes = same
    if to.prompt_key:
        given = _formatted(prompt, to)
        if given is None and loss == "cut_whole":
            raise StopRow("prompt_null", to.prompt_key)
        notes = same + _template_notes(prompt, to, to.prompt_key)
        prompt = text_of(given, "text_malformed", to.prompt_key)
    texts = [text_of(each, "text_malformed", key) for key, each in zip(_keys(to), (chosen, rejected), strict=True)]
    return RowOutcome(notes, Trained(loss, prompt=prompt or "", chosen=texts[0], rejected=texts[1]))


def _keys(to: OpenrlhfPairs) -> tuple[str, str]:
    return to.chosen_key, to.rejected_key


def _of_messages(
    example: dict[str, Any], prompt: Any, answers: tuple[Any, Any], to: OpenrlhfPairs, loss: Loss
) -> RowOutcome:
    """A pair whose sides are rendered (reward_dataset.py:18-31)."""
    keys = _keys(to)
    asked: Messages | None = None
    if to.prompt_key:
        if all(isinstance(each, str) for each in (prompt, *answers)) and prompt:
            return RowOutcome((Fate("letters_rendered", to.prompt_key),))
        before, notes = _messages(example, prompt, to.prompt_key)
        sides = [objects_of(answer, "messages_malformed", key) for key, answer in zip(keys, answers, strict=True)]
        empty = [key for key, side in zip(keys, sides, strict=True) if not side]
        notes += fate_if(empty, "side_empty", *empty[:1])
    else:
        letters = [key for key, answer in zip(keys, answers, strict=True) if isinstance(answer, str) and answer]
        for key, answer in zip(keys, answers, strict=True):
            if key not in letters:
                _messages(example, answer, key)
        if loss == "cut_out" and len(answers[0]) == 1:
            raise StopRow("one_message", to.chosen_key)
        if letters:
            return RowOutcome((Fate("letters_rendered", letters[0]),))
        before, sides = [], list(answers)
        asked = sides[0][:-1] if loss == "cut_out" else None
        notes = fate_if(asked is not None and sides[1][:-1] != asked, "other_prompt", to.rejected_key)
        notes += fate_if(example.get("tools"), "tools_ignored", "tools")
    more = [_notes(side, key) for key, side in zip(keys, sides, strict=True)]
    once = {fate.reason: fate for fates in (*more[::-1], notes) for fate in fates}
    trained = Trained(loss, prompt=before, chosen=sides[0], rejected=sides[1], asked=asked)
    return RowOutcome(tuple(once.values()), trained)


def _read_rl(example: dict[str, Any], to: OpenrlhfRl, _seen: Seen) -> RowOutcome:
    key = to.input_key
    given = column(example, key, "missing_key")
    label = column(example, to.label_key, "missing_key") if to.label_key else None
    notes = fate_if(to.label_key and label in (None, "", [], {}), "no_label", to.label_key)
    if to.apply_chat_template:
        chat = [{"role": "user", "content": given}] if isinstance(given, str) else given
        chat, more = _messages(example, chat, key)
        notes += more + _image_notes(chat, key)
        return RowOutcome(notes, Trained("sampled", prompt=[_with_parts(message) for message in chat]))
    prompt = text_of(_formatted(given, to), "text_malformed", key)
    notes += _template_notes(given, to, key) + fate_if(not prompt, "prompt_empty", key)
    return RowOutcome(notes, Trained("sampled", prompt=prompt))


_IMAGE = "<image>"


def _image_notes(chat: Messages, key: str) -> tuple[Fate, ...]:
    marked = (n for n, message in enumerate(chat) if _IMAGE in str(message.get("content")))
    first = next((n for n in marked if isinstance(chat[n]["content"], str)), None)
    return fate_if(first is not None, "image_mark", f"{key}[{first}].content")


def _with_parts(message: dict[str, Any]) -> dict[str, Any]:
    """A text with <image> becomes parts (prompts_dataset.py:7-25)."""
    content = message.get("content")
    if not isinstance(content, str) or _IMAGE not in content:
        return message
    parts: list[dict[str, str]] = []
    for number, text in enumerate(content.split(_IMAGE)):
        parts += [{"type": "image"}] if number else []
        parts += [{"type": "text", "text": text.strip()}] if text.strip() else []
    return {**message, "content": parts}


def _json_column(seen: Seen, names: tuple[str, ...]) -> tuple[Fate, ...]:
    """A column of lists of JSON gives its type to the text that `map` makes under its name."""
    mixed = seen.typed.mixed if seen.typed is not None else ()
    spread = sorted(str(path[0]) for path in mixed if len(path) > 1 and path[0] in names and not any(path[1:]))
    return fate_if(spread, "column_of_json", *spread[:1])


def _before_pairs(to: OpenrlhfPairs, seen: Seen) -> tuple[Fate, ...]:
    return _before(to, seen) + _json_column(seen, ("prompt", "chosen", "reject"))


def _before(to: _OpenrlhfData, seen: Seen) -> tuple[Fate, ...]:
    templated = not to.apply_chat_template and not getattr(to, "pretrain_mode", False)
    used = templated and getattr(to, "prompt_key", True)
    broken = used and to.template is not None and _around(to.template) is None
    found = fate_if(broken, "template_malformed", "data.input_template")
    return (*found, *not_loadable(to, seen))


def _before_sft(to: OpenrlhfSft, seen: Seen) -> tuple[Fate, ...]:
    found = _before(to, seen) + _json_column(seen, ("prompt", "response"))
    if not to.multiturn:
        return found
    if to.output_key:
        return (*found, Fate("multiturn_with_output", to.output_key))
    return (*found, *fate_if(not to.apply_chat_template or to.pretrain_mode, "multiturn_needs_template"))


def _cut_sft(to: OpenrlhfSft) -> Cut:
    return Cut(to.max_len) if to.pretrain_mode else Cut(to.max_len, unanswered="prompt_too_long", spare=_SPARE)


def _cut_dpo(to: OpenrlhfPairs) -> Cut:
    return Cut(to.max_len, unanswered="prompt_too_long", spare=_SPARE)


def _cut_rl(to: OpenrlhfRl) -> Cut:
    """The last tokens of a prompt are kept, as many as the answer leaves (utils/agent.py:220-239)."""
    room = to.max_len - (1 if to.max_new_tokens is None else to.max_new_tokens)
    return Cut(room, "keep_end", of="prompt") if room > 0 else Cut()


_RUN: dict[str, Any] = {
    "first": lambda to: to.max_samples,
    "roles": {"user": ("user",), "assistant": ("assistant",), "tool": ("tool",), "system": ("system", "developer")},
    "role_rules": frozenset({"foreign_role", "role_missing", "no_answer", "begins_with_answer", "last_not_answer"}),
    "typed": "datasets 5",
    "probe": "openrlhf",
}
_PAIRS: dict[str, Any] = {"before": _before_pairs, **_RUN}
_RM: dict[str, Any] = {"settings": OpenrlhfRm, "cut": lambda to: Cut(to.max_len), **_PAIRS}
MODES = {
    "sft": _TWINS.mode(
        "sft", "sft", settings=OpenrlhfSft, read=guarded(_read_sft), cut=_cut_sft, before=_before_sft, **_RUN
    ),
    "rm": _TWINS.mode("rm", "pairs", "rm", read=guarded(_read_rm), **_RM),
    "dpo": _TWINS.mode("dpo", "pairs", "dpo", settings=OpenrlhfPairs, read=guarded(_read_dpo), cut=_cut_dpo, **_PAIRS),
    "rl": _TWINS.mode("rl", "rl", settings=OpenrlhfRl, read=guarded(_read_rl), cut=_cut_rl, before=_before, **_RUN),
}
