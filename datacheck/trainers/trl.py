"""TRL: how SFT, DPO, Reward, KTO and GRPO trainers prepare a dataset, and what their chat template call refuses.

TRL drops next to nothing: a row that does not fit stops the run, often only after the rows before it were tokenised.
What the *first* record looks like decides how all are read. Rows that are too long are cut or dropped by tokens.
"""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from datacheck.trainers.base import (
    Cut,
    Fate,
    Messages,
    Mode,
    Reading,
    Rule,
    Seen,
    Settings,
    StopRow,
    Trained,
    Upstream,
    as_loaded,
    guarded,
    kind_of,
    shown,
)

UPSTREAM = Upstream("huggingface/trl", "f2cd57710ae345ea6428ae95363267fcf38a3dc8", "trl/")
_rule = UPSTREAM.rule
_KEYS = ("prompt", "chosen", "rejected", "completion", "messages")  # is_conversational, data_utils.py:184
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


class TrlGrpo(Settings):
    """GRPOConfig cuts no prompt; what decides is the prompt column alone."""


_COMMON: dict[str, Rule] = {
    "not_an_object": _rule("fails", "the record is no object", "记录不是对象", "trainer/sft_trainer.py:1422",
        "write one JSON object per record"),
    "empty_messages": _rule("fails", "a list of messages is empty (IndexError, or the template refuses it; which list "
        "is looked at differs from run to run)", "消息列表为空（IndexError 或模板拒绝；检查哪个列表因运行而异）",
        "data_utils.py:193", "drop the row"),
    "message_not_object": _rule("fails", "a message is no object", "消息不是对象", "data_utils.py:429",
        "write messages as objects with role and content"),
    "mixed_kinds": _rule("fails", "prompt and answer are not both text or both messages",
        "提示与回答不同为文本或同为消息", "trainer/dpo_trainer.py:1033", "write both as messages, or both as text"),
    "tools_malformed": _rule("fails", "tools are no JSON list of objects", "tools 不是对象的 JSON 列表",
        "trainer/sft_trainer.py:1459", "write a list of JSON schemas, as JSON or as JSON text"),
    "template_kwargs_malformed": _rule("fails", "chat_template_kwargs is no object (null where other records have one)",
        "chat_template_kwargs 不是对象（其他记录有而此处为 null）", "trainer/sft_trainer.py:1463",
        "write {} in the rows that need none"),
    "foreign_role": _rule("kept", "a role that templates do not know is handed on as it is (from/value is renamed to "
        "role/content, human and gpt are not)", "模板不认识的角色原样传入（from/value 会改名，human/gpt 不会）",
        "data_utils.py:1013", "rename roles to system, user, assistant, tool", silent=True),
    "role_missing": _rule("kept", "a message has no role; what the template makes of it differs",
        "消息没有角色，渲染结果取决于模板", "data_utils.py:429", "give every message a role and a content",
        silent=True),
}  # fmt: skip

SFT_RULES: dict[str, Rule] = _COMMON | {
    "no_known_column": _rule("fails", "neither messages, nor prompt and completion, nor the text column (KeyError)",
        "没有 messages、prompt/completion 或文本列（KeyError）", "trainer/sft_trainer.py:1518",
        "name the column `messages` (with role and content), `text`, or prompt and completion"),
    "text_expected": _rule("fails", "the text or the completion is no string", "文本或 completion 不是字符串",
        "trainer/sft_trainer.py:1440", "write a string; in mixed data fill nulls or split the file"),
    "no_completion": _rule("fails", "a prompt without a completion column", "有 prompt 而没有 completion 列",
        "trainer/sft_trainer.py:1476", "add the completion, or name the whole text `text`"),
    "no_assistant_token": _rule("fails", "assistant_only_loss, and no assistant message in the row",
        "开启 assistant_only_loss 但样本中没有助手消息", "trainer/sft_trainer.py:1523", "drop the row"),
    "not_conversational": _rule("fails", "assistant_only_loss needs conversations", "assistant_only_loss 需要对话格式",
        "trainer/sft_trainer.py:1220", "write messages, or turn it off"),
    "user_words_trained": _rule("kept", "assistant_only_loss is off: the loss is also on what the user says",
        "未开启 assistant_only_loss：用户的话也计入损失", "trainer/sft_trainer.py:1548",
        "set assistant_only_loss: true", silent=True),
    "too_long": _rule("truncated", "more tokens than max_length", "超过 max_length", "trainer/sft_trainer.py:1576",
        "raise max_length (1024 by default), or split the row", silent=True),
    "fully_masked": _rule("dropped", "after truncation no trained token is left", "截断后没有可训练的 token",
        "trainer/sft_trainer.py:1597", "raise max_length", silent=True),
}  # fmt: skip

DPO_RULES: dict[str, Rule] = _COMMON | {
    "missing_column": _rule("fails", "chosen or rejected is in no record (KeyError)",
        "没有 chosen 或 rejected 列（KeyError）", "data_utils.py:632", "name the columns chosen and rejected"),
    "text_expected": _rule("fails", "chosen, rejected or prompt is neither text nor messages",
        "chosen、rejected 或 prompt 既不是文本也不是消息", "trainer/dpo_trainer.py:1007", "write text or messages"),
    "nothing_shared": _rule("fails", "without a prompt column: chosen and rejected share no first message",
        "没有 prompt 列且 chosen 与 rejected 没有相同的开头消息", "data_utils.py:638", "add a prompt column"),
    "prompt_fills": _rule("dropped", "the prompt alone fills max_length", "仅提示就达到 max_length",
        "trainer/dpo_trainer.py:1079", "raise max_length", silent=True),
    "too_long": _rule("truncated", "more tokens than max_length: the answers lose their ends",
        "超过 max_length：回答被截断", "trainer/dpo_trainer.py:161", "raise max_length", silent=True),
}  # fmt: skip

REWARD_RULES: dict[str, Rule] = _COMMON | {
    "missing_column": _rule("fails", "chosen or rejected is in no record (KeyError)",
        "没有 chosen 或 rejected 列（KeyError）", "trainer/reward_trainer.py:648", "name the columns so"),
    "text_expected": _rule("fails", "chosen, rejected or prompt is neither text nor messages",
        "chosen、rejected 或 prompt 既不是文本也不是消息", "trainer/reward_trainer.py:648", "write text or messages"),
    "too_long": _rule("dropped", "chosen or rejected has more tokens than max_length",
        "chosen 或 rejected 超过 max_length", "trainer/reward_trainer.py:698", "raise max_length", silent=True),
}  # fmt: skip

KTO_RULES: dict[str, Rule] = _COMMON | {
    "missing_column": _rule("fails", "prompt and completion, or chosen and rejected, are in no record",
        "没有 prompt/completion 或 chosen/rejected 列", "trainer/kto_trainer.py:1042", "name the columns so"),
    "text_expected": _rule("fails", "prompt or completion is neither text nor messages",
        "prompt 或 completion 既不是文本也不是消息", "trainer/kto_trainer.py:1042", "write text or messages"),
    "nothing_shared": _rule("fails", "without a prompt column: chosen and rejected share no first message",
        "没有 prompt 列且 chosen 与 rejected 没有相同的开头消息", "data_utils.py:638", "add a prompt column"),
    "no_label": _rule("fails", "the label is missing or neither true, false nor a number",
        "label 缺失，或不是布尔值或数字", "trainer/kto_trainer.py:1115", "write true or false"),
    "label_not_bool": _rule("changed", "the label is a number: what is not 0 counts as desirable, and as much as its "
        "value in the balance", "label 是数字：非 0 视为正例，并按数值计入比例", "trainer/kto_trainer.py:1518",
        "write true or false", silent=True),
    "prompt_fills": _rule("dropped", "the prompt alone fills max_length", "仅提示就达到 max_length",
        "trainer/kto_trainer.py:1094", "raise max_length", silent=True),
    "too_long": _rule("truncated", "more tokens than max_length: the answer loses its end",
        "超过 max_length：回答被截断", "trainer/kto_trainer.py:180", "raise max_length", silent=True),
}  # fmt: skip

GRPO_RULES: dict[str, Rule] = _COMMON | {
    "missing_column": _rule("fails", "no prompt column (KeyError)", "没有 prompt 列（KeyError）",
        "trainer/grpo_trainer.py:2274", "name the column prompt"),
    "text_expected": _rule("fails", "the prompt is neither text nor messages", "prompt 既不是文本也不是消息",
        "trainer/grpo_trainer.py:1779", "write text or messages"),
    "content_missing": _rule("fails", "a message of the prompt has no content (KeyError)",
        "prompt 的消息没有 content（KeyError）", "trainer/grpo_trainer.py:1718", "give every message a content"),
    "mixed_prompts": _rule("fails", "some prompts are text and some messages: a batch that has both stops the run",
        "有的 prompt 是文本，有的是消息：混在一批会使训练停止", "trainer/grpo_trainer.py:1707",
        "write all in one form"),
}  # fmt: skip


def is_conversational(example: dict[str, Any]) -> bool:
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


def _first(record: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """The first record of the dataset, by which the trainer decides for all."""
    return as_loaded(seen.first if isinstance(seen.first, dict) else record, seen)


def _template(example: dict[str, Any]) -> tuple[list[Any] | None, dict[str, Any] | None]:
    """The tools and the arguments of the template."""
    tools = example.get("tools")
    if isinstance(tools, str):
        try:
            tools = json.loads(tools)
        except (ValueError, RecursionError):
            raise StopRow("tools_malformed", "tools", "not JSON") from None
    arguments = example.get("chat_template_kwargs", {})
    if not isinstance(arguments, dict):
        raise StopRow("template_kwargs_malformed", "chat_template_kwargs", kind_of(arguments))
    return tools, arguments or None


def _listed_tools(tools: Any) -> list[Any] | None:
    """Tools as transformers takes them, once a conversation is rendered."""
    if tools is None or tools in ({}, ""):
        return None
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise StopRow("tools_malformed", "tools", kind_of(tools))
    return tools


def _rendered(messages: list[Any], where: str) -> Messages:
    """Messages as transformers takes them: at least one, all objects; a list of such lists is taken as a batch."""
    if not messages:
        raise StopRow("empty_messages", where)
    if isinstance(messages[0], list):
        filled = [inner for inner in messages if inner not in ([], {}, "")]  # a loop over these gives nothing
        return [message for inner in filled for message in _objects(inner, where)]
    return _objects(messages, where)


def _objects(messages: Any, where: str) -> Messages:
    if not isinstance(messages, list):
        raise StopRow("message_not_object", where, kind_of(messages))
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise StopRow("message_not_object", f"{where}[{number}]", kind_of(message))
    return messages


def _notes(messages: Messages, where: str) -> tuple[Fate, ...]:
    """Roles that are handed on although no template knows them: one line per row."""
    for number, message in enumerate(messages):
        role = message.get("role")
        if role is None:
            return (Fate("role_missing", f"{where}[{number}]"),)
        if role not in _ROLES:
            return (Fate("foreign_role", f"{where}[{number}].role", f"role {shown(role)}"),)
    return ()


def _joined(example: dict[str, Any], first: str, second: str) -> Any:
    """`example[first] + example[second]`: both text or both lists; else the trainer's TypeError."""
    one, two = example[first], example[second]
    if isinstance(one, str) and isinstance(two, str):
        return one + two
    if isinstance(one, list) and isinstance(two, list):
        return one + two
    if isinstance(one, str | list) and isinstance(two, str | list):
        raise StopRow("mixed_kinds", second, f"{first}: {kind_of(one)}, {second}: {kind_of(two)}")
    odd = second if isinstance(one, str | list) else first
    raise StopRow("text_expected", odd, kind_of(example[odd]))


def _read_sft(record: dict[str, Any], to: TrlSft, seen: Seen) -> Reading:
    example, first = as_loaded(record, seen), _first(record, seen)
    if "input_ids" in example:
        return Reading()
    converted = _is_from_value(first)
    if converted:
        example, first = _chatml(example), _chatml(first)
    conversational = is_conversational(first)
    if to.assistant_only_loss and not conversational:
        raise StopRow("not_conversational")
    if not conversational:
        _add_eos(example)
        if not converted:
            example = {key: value for key, value in example.items() if key != "messages"}
    tools, arguments = _template(example)
    if "prompt" in example:
        return _prompt_completion(example, to, tools, arguments)
    if is_conversational(example):
        return _conversation(example, to, tools, arguments)
    text = example.get(to.dataset_text_field)
    if to.dataset_text_field not in example:
        raise StopRow("no_known_column", to.dataset_text_field)
    if not isinstance(text, str):
        raise StopRow("text_expected", to.dataset_text_field, kind_of(text))
    return Reading((), Trained("all", text=text))


def _add_eos(example: dict[str, Any]) -> None:
    name = "text" if "text" in example else "completion"
    if name in example and not isinstance(example[name], str):
        raise StopRow("text_expected", name, kind_of(example[name]))


def _conversation(example: dict[str, Any], to: TrlSft, tools: Any, arguments: dict[str, Any] | None) -> Reading:
    if not isinstance(example.get("messages"), list):
        raise StopRow("no_known_column", "messages")
    messages = _rendered(example["messages"], "messages")
    listed = _listed_tools(tools)
    if to.assistant_only_loss and not any(message.get("role") == "assistant" for message in messages):
        raise StopRow("no_assistant_token", "messages")
    notes = _notes(messages, "messages")
    loss: Any = "assistant" if to.assistant_only_loss else "all"
    return Reading(notes, Trained(loss, messages=messages, tools=listed, template_arguments=arguments))


def _prompt_completion(example: dict[str, Any], to: TrlSft, tools: Any, arguments: dict[str, Any] | None) -> Reading:
    if "completion" not in example:
        raise StopRow("no_completion", "completion")
    conversational = is_conversational(example)
    whole = _joined(example, "prompt", "completion")
    only = to.completion_only_loss is None or to.completion_only_loss
    if isinstance(whole, str):
        return Reading((), Trained("completion" if only else "all", prompt=example["prompt"],
                                   response=example["completion"]))  # fmt: skip
    prompt = _rendered(example["prompt"], "prompt")
    notes = _notes(_rendered(whole, "completion"), "prompt + completion")
    listed = _listed_tools(tools)
    if conversational and to.assistant_only_loss and not any(m.get("role") == "assistant" for m in whole):
        raise StopRow("no_assistant_token", "completion")
    trained = Trained(
        "completion" if only else "assistant" if to.assistant_only_loss else "all",
        prompt=prompt, response=example["completion"], tools=listed, template_arguments=arguments,
    )  # fmt: skip
    return Reading(notes, trained)


def _parting(chosen: Any, rejected: Any) -> int:
    """Where two texts or lists part; before a space, even if that is -1; the last place where one begins the other."""
    shorter = min(len(chosen), len(rejected))
    at = next((n for n in range(shorter) if chosen[n] != rejected[n]), None)
    if at is None:
        return shorter - 1
    return at - 1 if chosen[at - 1] == " " else at


def _extracted(example: dict[str, Any]) -> dict[str, Any]:
    """The prompt that chosen and rejected share, cut off as extract_prompt does (data_utils.py:632)."""
    for name in ("chosen", "rejected"):
        if name not in example:
            raise StopRow("missing_column", name)
        if not isinstance(example[name], list | str):
            raise StopRow("text_expected", name, kind_of(example[name]))
        if not example[name]:
            raise StopRow("empty_messages", name, "nothing to compare")
    chosen, rejected = example["chosen"], example["rejected"]
    at = _parting(chosen, rejected)
    if isinstance(chosen, list) and not chosen[:at]:
        raise StopRow("nothing_shared", "chosen")
    return {**example, "prompt": chosen[:at], "chosen": chosen[at:], "rejected": rejected[at:]}


def _sides(example: dict[str, Any]) -> None:
    for name in ("chosen", "rejected"):
        if name not in example:
            raise StopRow("missing_column", name)


def _ends(example: dict[str, Any], names: tuple[str, ...], *, conversational: bool) -> None:
    """Where the first record is text, an end token is added to every record's text."""
    for name in names:
        if not conversational and not isinstance(example[name], str):
            raise StopRow("text_expected", name, kind_of(example[name]))


def _pair(example: dict[str, Any], names: tuple[str, ...], tools: Any) -> tuple[tuple[Fate, ...], list[Any] | None]:
    """Prompt and answers put together and rendered; what stands out, and the tools."""
    wholes = [_joined(example, "prompt", name) for name in names]
    if isinstance(wholes[0], str):
        return (), None
    _rendered(example["prompt"], "prompt")
    notes = [note for name, whole in zip(names, wholes, strict=True) for note in _notes(_rendered(whole, name), name)]
    return tuple(notes[:1]), _listed_tools(tools)


def _read_dpo(record: dict[str, Any], _to: TrlPairs, seen: Seen) -> Reading:
    example, first = as_loaded(record, seen), _first(record, seen)
    if "prompt" not in first:
        example, first = _extracted(example), _extracted(first)
    conversational = is_conversational(first)
    _sides(example)
    _ends(example, ("chosen", "rejected"), conversational=conversational)
    tools, arguments = _template(example)
    is_conversational(example)
    notes, listed = _pair(example, ("chosen", "rejected"), tools)
    prompt, chosen, rejected = (example[name] for name in ("prompt", "chosen", "rejected"))
    trained = Trained("completion", prompt=prompt, chosen=chosen, rejected=rejected, tools=listed,
                      template_arguments=arguments)  # fmt: skip
    return Reading(notes, trained)


def _read_reward(record: dict[str, Any], _to: TrlPairs, seen: Seen) -> Reading:
    example, first = as_loaded(record, seen), _first(record, seen)
    if {"chosen_ids", "rejected_ids"} <= example.keys():
        return Reading()
    conversational = is_conversational(first)
    _sides(example)
    _ends(example, ("chosen", "rejected"), conversational=conversational)
    tools, arguments = _template(example)
    if "prompt" in example:
        chosen, rejected = (_joined(example, "prompt", name) for name in ("chosen", "rejected"))
        example = {**example, "chosen": chosen, "rejected": rejected}
    is_conversational(example)
    sides: dict[str, Any] = {name: example[name] for name in ("chosen", "rejected")}
    notes: list[Fate] = []
    listed: list[Any] | None = None
    for name, side in sides.items():
        if isinstance(side, list):
            notes += _notes(_rendered(side, name), name)
            listed = _listed_tools(tools)
        elif not isinstance(side, str):
            raise StopRow("text_expected", name, kind_of(side))
    trained = Trained("all", chosen=example["chosen"], rejected=example["rejected"], tools=listed,
                      template_arguments=arguments)  # fmt: skip
    return Reading(tuple(notes[:1]), trained)


def _read_kto(record: dict[str, Any], _to: TrlPairs, seen: Seen) -> Reading:
    example, first = as_loaded(record, seen), _first(record, seen)
    if "prompt" not in first:
        example, first = _extracted(example), _extracted(first)
    if "chosen" in first and "rejected" in first:
        return _unpaired(example, first)
    if "completion" not in example:
        raise StopRow("missing_column", "completion")
    _ends(example, ("completion",), conversational=is_conversational(first))
    tools, arguments = _template(example)
    is_conversational(example)
    notes, listed = _pair(example, ("completion",), tools)
    label = example.get("label")
    if not isinstance(label, bool | int | float):
        raise StopRow("no_label", "label", kind_of(label))
    if not isinstance(label, bool):
        notes = (*notes, Fate("label_not_bool", "label", kind_of(label)))
    trained = Trained("completion", prompt=example["prompt"], response=example["completion"], label=bool(label),
                      tools=listed, template_arguments=arguments)  # fmt: skip
    return Reading(notes, trained)


def _unpaired(example: dict[str, Any], first: dict[str, Any]) -> Reading:
    """A pair becomes two rows, one desired and one not."""
    unpaired = {key: value for key, value in first.items() if key not in ("chosen", "rejected")}
    conversational = is_conversational({**unpaired, "completion": first["chosen"]})
    _sides(example)
    tools, arguments = _template(example)
    _ends(example, ("chosen", "rejected"), conversational=conversational)
    is_conversational(example)
    notes, listed = _pair(example, ("chosen", "rejected"), tools)
    prompt, chosen, rejected = (example[name] for name in ("prompt", "chosen", "rejected"))
    trained = Trained("completion", prompt=prompt, chosen=chosen, rejected=rejected, tools=listed,
                      template_arguments=arguments)  # fmt: skip
    return Reading(notes, trained)


def _read_grpo(record: dict[str, Any], _to: TrlGrpo, seen: Seen) -> Reading:
    example, first = as_loaded(record, seen), _first(record, seen)
    if "prompt" not in example:
        raise StopRow("missing_column", "prompt")
    prompt: Any = example["prompt"]
    if not isinstance(prompt, str | list):
        raise StopRow("text_expected", "prompt", kind_of(prompt))
    conversational = is_conversational({"prompt": prompt})
    if conversational is not is_conversational({"prompt": first.get("prompt")}):
        raise StopRow("mixed_prompts", "prompt")
    if isinstance(prompt, str):
        return Reading((), Trained("sampled", prompt=prompt))
    if not conversational:
        raise StopRow("text_expected", "prompt", "a list without roles")
    messages = _rendered(prompt, "prompt")
    for number, message in enumerate(messages):
        if "content" not in message:
            raise StopRow("content_missing", f"prompt[{number}].content")
        _images(message["content"], f"prompt[{number}].content")
    return Reading(_notes(messages, "prompt"), Trained("sampled", prompt=messages))


def _images(content: Any, where: str) -> None:
    """Parts are looked through for images: each needs a type, an image its image."""
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict) or "type" not in part or (part["type"] == "image" and "image" not in part):
            raise StopRow("content_missing", where, "a part without type or image")


def _before_sft(to: TrlSft, seen: Seen) -> tuple[Fate, ...]:
    """Conversations without assistant_only_loss: worth a word, once."""
    told = {"messages", "conversations"} & seen.columns and not to.assistant_only_loss
    return (Fate("user_words_trained", None, "assistant_only_loss is off"),) if told else ()


def _cut_sft(to: TrlSft) -> Cut:
    if to.packing and to.packing_strategy != "bfd":
        return Cut()  # rows are wrapped or split into chunks, nothing is lost
    return Cut(to.max_length, "keep_start" if to.packing else to.truncation_mode, unanswered="fully_masked")


def _cut_pair(to: TrlPairs) -> Cut:
    unanswered = "prompt_fills" if to.truncation_mode == "keep_start" else None
    return Cut(to.max_length, to.truncation_mode, unanswered=unanswered)


def _cut_kto(to: TrlPairs) -> Cut:
    return Cut(to.max_length, "keep_start", unanswered="prompt_fills")


def _cut_reward(to: TrlPairs) -> Cut:
    return Cut(to.max_length, "drop")


_NOT_COVERED = (
    "columns `image` and `images` (vision): such rows are read only when a batch is made",
    "`formatting_func`, `skip_prepare_dataset` and user code around the trainer",
    "what a chat template refuses (roles, order): check template_errors renders with the template of the run",
    "records of which some keys hold text and some messages: which one TRL looks at differs from run to run",
    "what the `datasets` library makes of columns whose types vary: it may stop the run (check schema_violations)",
)


def _mode(name: str, settings: type[Settings], read: Any, rules: Mapping[str, Rule], **more: Any) -> Mode:
    return Mode(
        name=f"trl.{name}",
        upstream=UPSTREAM,
        settings=settings,
        read=guarded(read),
        rules=rules,
        **more,
        run_here=name != "grpo",
        roles={"user": ("user",), "assistant": ("assistant",), "tool": ("tool",), "system": ("system", "developer")},
        role_rules=frozenset({"foreign_role", "role_missing", "no_assistant_token"}),
        not_covered=_NOT_COVERED,
    )


MODES = {
    "sft": _mode("sft", TrlSft, _read_sft, SFT_RULES, cut=_cut_sft, before=_before_sft),
    "dpo": _mode("dpo", TrlPairs, _read_dpo, DPO_RULES, cut=_cut_pair),
    "reward": _mode("reward", TrlPairs, _read_reward, REWARD_RULES, cut=_cut_reward),
    "kto": _mode("kto", TrlPairs, _read_kto, KTO_RULES, cut=_cut_kto),
    "grpo": _mode("grpo", TrlGrpo, _read_grpo, GRPO_RULES),
}
