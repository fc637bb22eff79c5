"""LightRFT: prompts for RL (text; images, which the GSM8K example uses too) and rows for SFT."""

from typing import Any, ClassVar

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
    guarded,
    literal,
    role_said,
    text_of,
    type_of,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream("opendilab/LightRFT", "49e62cb6e1926eb1cc68886b57cfb3d923303ed9")
_TWINS = Twins.of("lightrft", UPSTREAM)
_STANDARD = {"human": "user", "gpt": "assistant", "system": "system"}
_ROLES = ("system", "user", "assistant", "tool")


class LightrftRl(Settings):
    """Arguments of examples/gsm8k_geo3k/train_colocate.py that decide what becomes of a row.

    `recipes`: the labels that your RECIPE knows, comma-separated (no argument of theirs: it stands in their code).
    """

    MAX_LENGTH: ClassVar[str | None] = "prompt_max_len"

    input_key: str | None = "input"
    label_key: str | None = "label"
    images_key: str = "image"
    reference_key: str | None = "reference"
    apply_chat_template: bool = False
    system_prompt: str | None = None
    input_template: str | None = None
    prompt_max_len: int = 1024
    max_samples: int = 1_000_000
    recipes: str = "geo3k_rule,gsm8k_rule"

    @property
    def template(self) -> str | None:
        """The template; one without {} is set aside (train_colocate.py:672)."""
        return self.input_template if self.input_template and "{}" in self.input_template else None


class LightrftSft(Settings):
    """Arguments of the SFT dataset."""

    MAX_LENGTH: ClassVar[str | None] = "max_len"

    input_key: str | None = None
    output_key: str | None = None
    apply_chat_template: bool = False
    input_template: str | None = None
    pretrain_mode: bool = False
    multiturn: bool = False
    max_len: int = 2048


class LightrftPrm(Settings):
    """Arguments of the process reward dataset; `reward_tokens` comma-separated."""

    input_key: str = "input"
    label_key: str = "label"
    placeholder_token: str | None = None
    reward_tokens: str | None = None


def _read_text(example: dict[str, Any], to: LightrftRl, _seen: Seen) -> RowOutcome:
    key = to.input_key or ("input" if "input" in example else "prompt")
    fates = fate_if(key not in example, "empty_prompt", key)
    content = example.get(key, "")
    prompt: Messages | str
    if to.apply_chat_template:
        prompt, lost = _chat(content, key)
        fates += lost
    else:
        prompt = _plain(content, key, to.template)
    fates = fates or fate_if(not prompt, "empty_prompt", key)
    label = _label(_text_label(example, to), to)
    gold = _gold(_told(example, "reference"), "extra_info.reference")
    return RowOutcome((*fates, *label, *gold), Trained("sampled", prompt=prompt))


def _chat(content: Any, key: str) -> tuple[Messages, tuple[Fate, ...]]:
    """Messages with the roles that LightRFT gives them (prompts_dataset.py:130-141)."""
    if isinstance(content, str):
        content = [{"role": "user", "content": content}]
    if not isinstance(content, list) or not content:
        raise StopRow("prompt_malformed", key, Message("no message") if content == [] else type_of(content))
    chat, lost = [], []
    for at, message in enumerate(content):
        if not isinstance(message, dict):
            raise StopRow("prompt_malformed", f"{key}[{at}]", type_of(message))
        given = message.get("from", "")
        if isinstance(given, list | dict):
            raise StopRow("prompt_malformed", f"{key}[{at}].from", type_of(given))
        role = _STANDARD.get(given, message.get("role", ""))
        if role not in _ROLES:
            lost.append(Fate("role_lost", f"{key}[{at}]", role_said(given or role)))
        chat.append({"role": role, "content": message.get("value", message.get("content", ""))})
    return chat, tuple(lost[:1])


def _plain(content: Any, key: str, template: str | None) -> str:
    """The prompt without a chat template: text, or whatever `{}` of the template makes of it."""
    if template:
        return template.replace("{}", str(content))
    if not isinstance(content, str):
        raise StopRow("prompt_not_rendered" if isinstance(content, list) else "prompt_malformed", key, type_of(content))
    return content


def _inner(example: dict[str, Any], outer: str, key: str) -> tuple[bool, Any]:
    """Whether the object `outer` has the key, and its value."""
    value = example.get(outer)
    return (True, value[key]) if isinstance(value, dict) and key in value else (False, None)


def _text_label(example: dict[str, Any], to: LightrftRl) -> Any:
    if to.label_key is None:
        return ""
    return example[to.label_key] if to.label_key in example else _told(example, "label")


def _told(example: dict[str, Any], name: str) -> Any:
    """What `extra_info` tells under a name, else the truth of the reward model, else an empty text."""
    for outer, key in (("extra_info", name), ("reward_model", "ground_truth")):
        found, value = _inner(example, outer, key)
        if found:
            return value
    return ""


def _label(label: Any, to: LightrftRl) -> tuple[Fate, ...]:
    """What the reward makes of a label."""
    where = to.label_key or "label"
    if isinstance(label, list | dict):
        raise StopRow("label_malformed", where, type_of(label))
    if label is None or label == "":
        return (Fate("no_label", where),)
    known = {name.strip() for name in to.recipes.split(",")}
    return fate_if(label not in known, "unknown_label", where, type_of(label))


def _gold(reference: Any, where: str) -> tuple[Fate, ...]:
    return fate_if(reference is None or reference in ("", [], {}), "no_reference", where)


def _read_vl(example: dict[str, Any], to: LightrftRl, _seen: Seen) -> RowOutcome:
    key = to.input_key or "prompt"
    prompt: Messages | str
    if to.apply_chat_template:
        text, fates = _user_text(example.get(key), key)
        spelt = to.template or example.get(to.images_key)  # then it is written into a text, whatever it is
        if not isinstance(text, str) and not spelt:
            raise StopRow("prompt_malformed", key, type_of(text))
        text = to.template.replace("{}", str(text)) if to.template else text
        system = [{"role": "system", "content": to.system_prompt}] if to.system_prompt else []
        marked = f"<image> {text}" if example.get(to.images_key) else text
        prompt = [*system, {"role": "user", "content": marked}]
        fates += fate_if(text in ("", None), "empty_prompt", key)
    else:
        prompt = _plain(example.get(key, ""), key, to.template)
        fates = fate_if(not prompt, "empty_prompt", key)
    label = _vl_label(example, to.label_key)
    reference = _vl_reference(example, to.reference_key)
    where = to.reference_key or "reward_model.ground_truth"
    return RowOutcome((*fates, *_label(label, to), *_gold(reference, where)), Trained("sampled", prompt=prompt))


def _user_text(conversation: Any, key: str) -> tuple[Any, tuple[Fate, ...]]:
    """The text of the first user message (prompts_dataset_vl.py:28-74)."""
    if isinstance(conversation, list):
        asked = [at for at, m in enumerate(conversation) if isinstance(m, dict) and m.get("role") == "user"]
        if not asked:
            raise StopRow("no_user", key)
        text, fates = _of_message(conversation[asked[0]], f"{key}[{asked[0]}]")
        others = len(conversation) - 1
        said = Message.plural("{n} message", "{n} messages", others)
        return text, fate_if(others, "messages_dropped", key, said) + fates
    if isinstance(conversation, dict):
        return _of_message(conversation, key)
    return _unmarked(text_of(conversation, "prompt_malformed", key), key)


def _of_message(message: dict[str, Any], where: str) -> tuple[Any, tuple[Fate, ...]]:
    if "value" in message:
        return _unmarked(message["value"], where)
    content = message.get("content")
    if isinstance(content, str):
        return _unmarked(content, where)
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise StopRow("prompt_malformed", f"{where}.content", type_of(content))
    texts = [part.get("text", "") for part in content if part.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise StopRow("prompt_malformed", f"{where}.content", Message("a part whose text is no text"))
    return _unmarked(" ".join(texts), where)


def _unmarked(text: Any, where: str) -> tuple[Any, tuple[Fate, ...]]:
    if not isinstance(text, str) or "<image>" not in text:
        return text, ()
    return text.replace("<image>", ""), (Fate("image_mark_removed", where),)


def _vl_label(example: dict[str, Any], key: str | None) -> Any:
    if key is None:
        return None
    if example.get(key) is not None:
        return example[key]
    return _inner(example, "extra_info", key)[1]


def _vl_reference(example: dict[str, Any], key: str | None) -> Any:
    places = (
        example.get(key) if key else None,
        _inner(example, "reward_model", "ground_truth")[1],
        example.get("ground_truth"),
        _inner(example, "extra_info", "constraints")[1],
    )
    found = (_normalised(value) for value in places)
    return next((value for value in found if value is not None), None)


def _normalised(value: Any) -> Any:
    """A list of one is its item, also where it is written as text (prompts_dataset_vl.py:80-117)."""
    if isinstance(value, dict):
        value = value.get("value", value.get("ground_truth", value))
    if isinstance(value, str):
        text = value.strip()
        if text[:1] + text[-1:] not in ("[]", "()"):
            return text
        try:
            value = literal(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _read_sft(example: dict[str, Any], to: LightrftSft, _seen: Seen) -> RowOutcome:
    if to.apply_chat_template and not to.pretrain_mode:
        return RowOutcome((), _conversation(example, to))
    prompt = column(example, to.input_key, "missing_key")
    response = column(example, to.output_key, "missing_key") if to.output_key else ""
    if to.input_template and not to.pretrain_mode:
        prompt = to.input_template.replace("{}", str(prompt))
    prompt = text_of(prompt, "text_malformed", to.input_key)
    if to.pretrain_mode:
        return RowOutcome((), Trained("all", text=prompt))
    if not prompt or not response:
        raise StopRow("empty", to.output_key if prompt else to.input_key)
    response = text_of(response, "text_malformed", to.output_key)
    return RowOutcome((), Trained("completion", prompt=prompt, response=response))


def _conversation(example: dict[str, Any], to: LightrftSft) -> Trained:
    """Prompt and answer as messages (sft_dataset.py:33-37); in multi-turn data every answer is trained."""
    messages = _messages(column(example, to.input_key, "missing_key"), to.input_key)
    if to.multiturn:
        return Trained("assistant", messages=messages)
    if to.output_key:
        answer = column(example, to.output_key, "missing_key")
        if answer == []:
            raise StopRow("empty", to.output_key)
        return Trained("completion", prompt=messages, response=_messages(answer, to.output_key))
    if len(messages) == 1:
        raise StopRow("messages_malformed", to.input_key, Message("one message, so no prompt before the answer"))
    return Trained("completion", prompt=messages[:-1], response=messages[-1:])


def _read_prm(example: dict[str, Any], to: LightrftPrm, _seen: Seen) -> RowOutcome:
    """process_reward_dataset.py:51-84: one label for each placeholder, put in by a mask."""
    text = text_of(column(example, to.input_key, "missing_key"), "text_malformed", to.input_key)
    labels, where = column(example, to.label_key, "missing_key"), to.label_key
    if not isinstance(labels, list) or not labels:
        raise StopRow("labels_malformed", where, Message("no label") if labels == [] else type_of(labels))
    kinds = {str if isinstance(each, str) else float if isinstance(each, int | float) else None for each in labels}
    if len(kinds) > 1 or None in kinds:
        raise StopRow("labels_malformed", where, Message("labels are neither all texts nor all numbers"))
    known = {name.strip() for name in to.reward_tokens.split(",")} if to.reward_tokens else set(labels)
    if str in kinds and not known.issuperset(labels):
        raise StopRow("unknown_reward_token", where)
    marks = text.count(to.placeholder_token or "\0")
    said = Message("{n} labels, {marks} placeholders", n=len(labels), marks=marks)
    if marks != len(labels) != 1:
        raise StopRow("labels_uneven", where, said)
    return RowOutcome(fate_if(marks != len(labels), "label_spread", where, said), Trained("all", text=text))


def _before_prm(to: LightrftPrm, _seen: Seen) -> tuple[Fate, ...]:
    return fate_if(not to.placeholder_token, "no_placeholder", "placeholder_token")


def _messages(value: Any, key: str | None) -> Messages:
    if not isinstance(value, list) or not value:
        raise StopRow("messages_malformed", key, Message("no message") if value == [] else type_of(value))
    for at, message in enumerate(value):
        if not isinstance(message, dict) or "role" not in message:
            raise StopRow("messages_malformed", f"{key}[{at}]", type_of(message))
    return value


def _cut_rl(to: LightrftRl) -> Cut:
    return Cut(to.prompt_max_len, of="prompt")


def _cut_sft(to: LightrftSft) -> Cut:
    return Cut(to.max_len, unanswered=None if to.pretrain_mode else "prompt_too_long")


def _before_sft(to: LightrftSft, _seen: Seen) -> tuple[Fate, ...]:
    if not to.multiturn:
        return ()
    if to.output_key:
        return (Fate("multiturn_with_output", to.output_key),)
    return fate_if(not to.apply_chat_template, "multiturn_needs_template")


_RL_ROLES = {"user": ("user", "human"), "assistant": ("assistant", "gpt"), "system": ("system",), "tool": ("tool",)}
_RL: dict[str, Any] = {"settings": LightrftRl, "cut": _cut_rl, "first": lambda to: to.max_samples, "run_here": True}
_SFT: dict[str, Any] = {"settings": LightrftSft, "cut": _cut_sft, "before": _before_sft, "run_here": True}
MODES = {
    "rl_text": _TWINS.mode("rl_text", "rl_text", read=guarded(_read_text), roles=_RL_ROLES, **_RL),
    "rl_vl": _TWINS.mode("rl_vl", "rl_vl", read=guarded(_read_vl), roles={"user": ("user",)}, **_RL),
    "prm": _TWINS.mode("prm", "prm", settings=LightrftPrm, read=guarded(_read_prm), before=_before_prm),
    "sft": _TWINS.mode("sft", "sft", read=guarded(_read_sft), **_SFT),
}
