"""Unsloth: TRL's SFTTrainer with Unsloth's own preparation of rows, and what its notebooks do before and behind it.

Before: `standardize_sharegpt`, and a formatting function that renders conversations into a column of text. Behind:
`train_on_responses_only`, which looks for markers in the tokens and leaves out rows in which nothing is trained. What
the first row has decides how all are read. No end token is put behind texts.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    Markers,
    Messages,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    dated,
    fate_if,
    guarded,
    json_of,
    not_loadable,
    objects_of,
    text_of,
    type_of,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.trl_rows import (
    first_record,
    foreign_roles,
    is_conversational,
    listed_tools,
    put_together,
    rendered_messages,
)
from datacheck.trainers.trl_sft import training_template
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream(
    "unslothai/unsloth-zoo", "2026.10.9", "unsloth_zoo/", "The installed release was run beside the twin."
)
_TWINS = Twins.of("unsloth", UPSTREAM)
_DEFAULT_LENGTH = 1024  # SFTConfig's max_length, which counts as not given (unsloth/models/rl.py:2786)
_ALIASES = {"system": "system", **dict.fromkeys(("user", "human", "input"), "user")}
_ALIASES |= dict.fromkeys(("gpt", "assistant", "output"), "assistant")  # dataset_utils.py:2486
_ROLE_KEYS = ("role", "from")
_PAIR = 2  # texts


class UnslothSft(Settings):
    """What decides what becomes of a row: of `from_pretrained` max_seq_length, SFTConfig, and the notebook's own calls.

    standardize_sharegpt: it is called on the rows. apply_chat_template: the column whose conversations the formatting
    function renders into the column of text. The rest stands for the arguments of the functions of these names.
    """

    MAX_LENGTH: ClassVar[str | None] = "max_seq_length"

    max_seq_length: int = 2048
    max_length: int | None = None
    truncation_mode: Literal["keep_start", "keep_end"] = "keep_start"
    packing: bool = False
    packing_strategy: str = "bfd"
    dataset_text_field: str = "text"
    completion_only_loss: bool | None = None
    assistant_only_loss: bool = False
    standardize_sharegpt: bool = False
    apply_chat_template: str | None = None
    train_on_responses_only: bool = False
    instruction_part: str | None = None
    response_part: str | None = None
    last_response_only: bool = False
    mask_out_tokens: str | None = None

    @property
    def limit(self) -> int:
        """Tokens that are kept of a row."""
        given = self.max_length if self.max_length != _DEFAULT_LENGTH else None
        return min(self.max_seq_length, given) if given else self.max_seq_length

    @property
    def markers(self) -> Markers | None:
        """What `train_on_responses_only` looks for, and assistant_only_loss where the template marks nothing."""
        if not self.train_on_responses_only:
            return Markers(instead=True) if self.assistant_only_loss else None
        masked = (self.mask_out_tokens,) if self.mask_out_tokens else ()
        return Markers(self.instruction_part or "", self.response_part or "", self.last_response_only, masked)


def _read(example: dict[str, Any], to: UnslothSft, seen: Seen) -> RowOutcome:
    """Which columns decide, and in which order (dataset_utils.py:2730-2775)."""
    first = first_record(example, seen)
    if to.standardize_sharegpt and "conversations" in first:
        example = {**example, "conversations": _standardized(example.get("conversations"), first)}
    if to.apply_chat_template:
        return _formatted(example, to)
    if to.assistant_only_loss and not is_conversational(first):
        raise StopRow("not_conversational")
    if {"labels", "input_ids"} & first.keys():
        return RowOutcome((Fate("tokens_given"),))
    if {"prompt", "completion"} <= first.keys():
        return _prompt_completion(example, to, first)
    if (to.dataset_text_field not in first or to.assistant_only_loss) and _are_messages(first.get("messages")):
        return _conversation(example, to)
    if to.dataset_text_field not in first:
        raise StopRow("no_formatting_func")
    if to.assistant_only_loss:
        raise StopRow("not_conversational")
    return _text(example.get(to.dataset_text_field), to, first)


def _are_messages(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "role" in value[0]


def _text(value: Any, to: UnslothSft, first: Mapping[str, Any]) -> RowOutcome:
    name, opening = to.dataset_text_field, first.get(to.dataset_text_field)
    if isinstance(value, list) and len(value) == _PAIR and all(isinstance(each, str) for each in value):
        return RowOutcome((Fate("text_pair", name),))
    text = text_of(value, "text_expected", name)
    if not text and to.markers is None:
        raise StopRow("text_empty", name)
    opening = opening if isinstance(opening, str) else text
    return RowOutcome((), Trained("all", text=text, called="once", opening=opening, ended=False, markers=to.markers))


def _formatted(example: dict[str, Any], to: UnslothSft) -> RowOutcome:
    """A conversation that the notebook renders into text: without its tools, and with what a call adds to a text."""
    key = to.apply_chat_template
    if key not in example:
        raise StopRow("missing_column", key)
    messages = _messages(objects_of(example[key], "messages_malformed", key), key)
    notes = foreign_roles(messages, key)
    return RowOutcome(notes, Trained("all", messages=messages, called="once", markers=to.markers))


def _conversation(example: dict[str, Any], to: UnslothSft) -> RowOutcome:
    """Messages that the trainer renders itself; keys that are null are left out (dataset_utils.py:2964)."""
    given = objects_of(example.get("messages"), "messages_malformed", "messages")
    messages = _messages([{k: v for k, v in message.items() if v is not None} for message in given], "messages")
    tools = example.get("tools")
    tools = json_of(tools, "tools_malformed", "tools") if isinstance(tools, str) else tools
    loss: Any = "assistant" if to.assistant_only_loss else "all"
    trained = Trained(
        loss, messages=messages, tools=listed_tools(tools), template_arguments=_arguments(example), markers=to.markers
    )
    return RowOutcome(foreign_roles(messages, "messages"), trained)


def _messages(given: list[Any], where: str) -> Messages:
    """Messages that a template is given, at least one."""
    messages = rendered_messages(given, where)
    if dated(messages):
        raise StopRow("content_dated", where)
    return messages


def _arguments(example: Mapping[str, Any]) -> dict[str, Any] | None:
    given = example.get("chat_template_kwargs") or {}
    if not isinstance(given, dict):
        raise StopRow("template_kwargs_malformed", "chat_template_kwargs", type_of(given))
    return given or None


def _prompt_completion(example: dict[str, Any], to: UnslothSft, first: Mapping[str, Any]) -> RowOutcome:
    """A prompt and its completion; the completion begins behind as many tokens as the prompt alone has."""
    only = to.completion_only_loss is None or to.completion_only_loss
    for name in ("prompt", "completion"):
        if not isinstance(example.get(name), str | list):
            raise StopRow("text_expected", name, type_of(example.get(name)))
    if not is_conversational(dict(first)):
        if to.assistant_only_loss:
            raise StopRow("not_conversational", "prompt")
        asked, told = (text_of(example[name], "text_expected", name) for name in ("prompt", "completion"))
        opening = first["prompt"] if isinstance(first["prompt"], str) else asked
        return RowOutcome(
            (),
            Trained(
                "completion" if only else "all",
                prompt=asked,
                response=told,
                called="once",
                opening=opening,
                markers=to.markers,
            ),
        )
    whole = _messages(put_together(example, "prompt", "completion"), "completion")
    prompt = rendered_messages(example["prompt"], "prompt")
    after, every = ("assistant_of_completion", "assistant") if to.assistant_only_loss else ("completion", "all")
    loss: Any = after if only else every
    trained = Trained(
        loss,
        prompt=prompt,
        response=example["completion"],
        tools=listed_tools(example.get("tools")),
        template_arguments=_arguments(example),
        markers=to.markers,
    )
    return RowOutcome(foreign_roles(whole, "prompt + completion"), trained)


def _standardized(value: Any, first: Mapping[str, Any]) -> Messages:
    """Messages of two keys, of which one says who speaks (dataset_utils.py:2482); roles as their aliases say."""
    messages = objects_of(value, "messages_malformed", "conversations")
    beside = first["conversations"]
    others = [each for each in beside if isinstance(each, dict)] if isinstance(beside, list) else []
    keys = {key for message in (*messages, *others) for key in message}
    if messages and len(keys) != len(_ROLE_KEYS):
        raise StopRow("keys_not_two", "conversations", Message.plural("{n} key", "{n} keys", len(keys)))
    return [_renamed(message, f"conversations[{number}]") for number, message in enumerate(messages)]


def _renamed(message: dict[str, Any], where: str) -> dict[str, Any]:
    if len(message) != len(_ROLE_KEYS):
        raise StopRow("content_not_text", where, Message.plural("{n} key", "{n} keys", len(message)))
    for key, value in message.items():
        text_of(value, "content_not_text", f"{where}.{key}")
    named = [key for key in message if key.strip().lower() in _ROLE_KEYS]
    roles = named or [key for key in message if message[key].strip().lower() in _ALIASES]
    role = _ALIASES.get(message[roles[0]].strip().lower()) if roles else None
    if role is None:
        raise StopRow("unknown_role", where)
    (content,) = (value for key, value in message.items() if key != roles[0])
    return {"role": role, "content": content}


def _before(to: UnslothSft, seen: Seen) -> tuple[Fate, ...]:
    images = sorted({"image", "images"} & seen.columns)
    unread = not_loadable(to, seen)
    every = not (to.train_on_responses_only or to.assistant_only_loss or {"prompt", "completion"} <= seen.columns)
    return (*unread, *fate_if(images, "images_column", *images[:1]), *fate_if(every, "user_words_trained"))


def _rendered_with(to: UnslothSft, template: str) -> str:
    """TRL's training template where it has one; else the tokenizer's own, and answers are found by markers."""
    return training_template(template) if to.assistant_only_loss else template


def _cut(to: UnslothSft) -> Cut:
    if to.packing and to.packing_strategy != "bfd":
        return Cut()  # rows are split, nothing is lost
    ends = to.truncation_mode if not (to.apply_chat_template or to.packing) else "keep_start"
    searched = to.train_on_responses_only or to.assistant_only_loss
    return Cut(to.limit, ends, unanswered="no_response" if searched else "prompt_fills")


MODES = {
    "sft": _TWINS.mode(
        "sft",
        "sft",
        settings=UnslothSft,
        read=guarded(_read),
        before=_before,
        cut=_cut,
        typed="datasets 4.8",
        roles={"user": ("user",), "assistant": ("assistant",), "tool": ("tool",), "system": ("system", "developer")},
        role_rules=frozenset({"foreign_role", "role_missing", "unknown_role"}),
        rendered_with=_rendered_with,
        probe="unsloth",
    )
}
