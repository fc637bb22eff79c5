"""verl: RLHFDataset (prompts for RL, with the reward manager's demands) and MultiTurnSFTDataset."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Cut,
    Fate,
    Messages,
    Mode,
    RowOutcome,
    Rule,
    Seen,
    Settings,
    StopRow,
    Trained,
    Upstream,
    as_loaded,
    guarded,
    shown,
    type_of,
)

UPSTREAM = Upstream("volcengine/verl", "b178a3cd56f58b2d502255daba591e92833930a7", "verl/")
_rule = UPSTREAM.rule
# Names that default_compute_score knows (reward_score/__init__.py:45); besides them what begins with "aime".
SCORED = frozenset({
    "openai/gsm8k", "lighteval/MATH", "DigitalLearningGmbH/MATH-lighteval", "HuggingFaceH4/MATH-500", "math_dapo",
    "math", "math_dapo_reasoning", "numina_aops_forum", "numina_synthetic_math", "numina_amc_aime",
    "numina_synthetic_amc", "numina_cn_k12", "numina_olympiads", "codecontests", "apps", "codeforces", "taco",
    "hiyouga/geometry3k", "searchR1_nq", "searchR1_triviaqa", "searchR1_popqa", "searchR1_hotpotqa",
    "searchR1_2wikimultihopqa", "searchR1_musique", "searchR1_bamboogle",
})  # fmt: skip


class VerlSft(Settings):
    """`data.*` of sft_trainer.yaml."""

    MAX_LENGTH: ClassVar[str | None] = "data.max_length"

    max_length: int = Field(default=1024, alias="data.max_length")
    truncation: Literal["error", "left", "right"] = Field(default="error", alias="data.truncation")
    pad_mode: Literal["right", "no_padding"] = Field(default="right", alias="data.pad_mode")
    messages_key: str = Field(default="messages", alias="data.messages_key")
    tools_key: str = Field(default="tools", alias="data.tools_key")
    image_key: str = Field(default="images", alias="data.image_key")
    video_key: str = Field(default="videos", alias="data.video_key")
    max_samples: int = Field(default=-1, alias="data.train_max_samples")

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """In sft_trainer.yaml the keys of messages stand under data.multiturn."""
        return {key.replace("data.multiturn.", "data."): value for key, value in given.items()}


class VerlRl(Settings):
    """`data.*` of ppo_trainer.yaml; there filter_overlong_prompts is false and max_prompt_length 512."""

    MAX_LENGTH: ClassVar[str | None] = "data.max_prompt_length"

    max_prompt_length: int = Field(default=512, alias="data.max_prompt_length")
    filter_overlong_prompts: bool = Field(default=False, alias="data.filter_overlong_prompts")
    truncation: Literal["error", "left", "right", "middle"] = Field(default="error", alias="data.truncation")
    prompt_key: str = Field(default="prompt", alias="data.prompt_key")
    reward_fn_key: str = Field(default="data_source", alias="data.reward_fn_key")
    max_samples: int = Field(default=-1, alias="data.train_max_samples")
    custom_reward: str | None = Field(default=None, alias="custom_reward_function.path")
    own_rewards: str | None = Field(default=None, alias="reward.custom_reward_function.path")


_SFT, _RL = "utils/dataset/multiturn_sft_dataset.py:", "utils/dataset/rl_dataset.py:"
SFT_RULES: Mapping[str, Rule] = {
    "not_an_object": _rule("fails", "the record is no object", _SFT + "128", "write a table of rows"),
    "missing_column": _rule("fails", "no record has the column of messages", _SFT + "146",
        "name it messages, or set data.messages_key"),
    "messages_malformed": _rule("fails", "messages are no list of objects, or there is none", _SFT + "192",
        "write a list of objects with role and content"),
    "role_missing": _rule("fails", "a message has no role (KeyError)", _SFT + "211",
        "give every message a role"),
    "foreign_role": _rule("kept", "a role that templates do not know is handed on as it is",
        _SFT + "192", "rename roles to system, user, assistant, tool", silent=True),
    "tools_malformed": _rule("fails", "tools are no list of objects (JSON text is not read)", _SFT + "192",
        "write tools as a list of objects"),
    "media_without_processor": _rule("fails", "a column of images or videos, and the model has no processor",
        _SFT + "240", "take the column out of data for a text model"),
    "no_answer": _rule("masked", "no assistant message: no token of the row is trained", _SFT + "212", "drop the row",
        silent=True),
    "too_long_fails": _rule("fails", "more tokens than data.max_length, and data.truncation is error", _SFT + "356",
        "set data.truncation, or raise max_length"),
    "too_long": _rule("truncated", "more tokens than data.max_length", _SFT + "348",
        "raise data.max_length", silent=True),
}  # fmt: skip
RL_RULES: Mapping[str, Rule] = {
    "not_an_object": _rule("fails", "the record is no object", _RL + "160", "write a table of rows"),
    "prompt_dropped": _rule("dropped", "the prompt cannot be rendered, and filter_overlong_prompts leaves the row out",
        _RL + "247",
        "write the prompt as a list of messages with role and content"),
    "prompt_fails": _rule("fails", "the prompt cannot be rendered, and nothing filters it", _RL + "247",
        "write the prompt as a list of messages with role and content"),
    "prompt_empty": _rule("kept", "the prompt has no message: the model is asked nothing",
        _RL + "247", "drop the row", silent=True),
    "foreign_role": _rule("kept", "a role that templates do not know is handed on as it is",
        _RL + "247", "rename roles to system, user, assistant, tool", silent=True),
    "extra_info_malformed": _rule("fails", "extra_info is no object", _RL + "353",
        "write extra_info as an object, or leave it out"),
    "no_ground_truth": _rule("fails", "no reward_model.ground_truth (KeyError when the first answer is scored)",
        "workers/reward_manager/naive.py:77",
        "write reward_model: {style: rule, ground_truth: …}"),
    "no_data_source": _rule("fails", "no data_source (KeyError when the first answer is scored)",
        "workers/reward_manager/naive.py:78", "name the reward function"),
    "unknown_data_source": _rule("fails", "no reward function has this data_source (NotImplementedError)",
        "utils/reward_score/__init__.py:107",
        "use a known name, or set custom_reward_function.path"),
    "too_long": _rule("dropped", "the prompt has more tokens than data.max_prompt_length", _RL + "255",
        "raise it, or shorten the prompt", silent=True),
    "too_long_fails": _rule("fails", "the prompt has more tokens than data.max_prompt_length, and nothing filters it",
        _RL + "255", "set data.filter_overlong_prompts: true"),
}  # fmt: skip
_ROLES = ("system", "user", "assistant", "tool", "developer")


def _objects(messages: Any, reason: str, where: str) -> Messages:
    """Messages as transformers' template takes them."""
    if not isinstance(messages, list) or not messages:
        raise StopRow(reason, where, Message("no message") if isinstance(messages, list) else type_of(messages))
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise StopRow(reason, f"{where}[{number}]", type_of(message))
    return messages


def _prompt(value: Any, reason: str, where: str) -> Messages:
    """A prompt as transformers' template takes it: an empty text or object is a conversation without a message."""
    if value in ("", {}):
        return []
    if isinstance(value, list) and value and isinstance(value[0], list):  # a batch of conversations
        filled = [inner for inner in value if inner not in ([], {}, "")]  # a loop over these gives nothing
        return [message for inner in filled for message in _objects(inner, reason, where)]
    return _objects(value, reason, where)


def _foreign(messages: Messages, where: str) -> tuple[Fate, ...]:
    for number, message in enumerate(messages):
        if message.get("role") not in _ROLES:
            return (
                Fate(
                    "foreign_role", f"{where}[{number}].role", Message("role {role}", role=shown(message.get("role")))
                ),
            )
    return ()


def _read_sft(record: dict[str, Any], to: VerlSft, seen: Seen) -> RowOutcome:
    example = as_loaded(record, seen)
    if to.messages_key not in example:
        raise StopRow("missing_column", to.messages_key)
    messages = _objects(example[to.messages_key], "messages_malformed", to.messages_key)
    media = [key for key in (to.image_key, to.video_key) if key in example]
    if media:
        raise StopRow("media_without_processor", media[0])
    tools = example.get(to.tools_key)
    if tools is not None and (
        not isinstance(tools, list | str | dict) or any(not isinstance(tool, dict) for tool in tools)
    ):
        raise StopRow("tools_malformed", to.tools_key, type_of(tools))
    for number, message in enumerate(messages):
        if "role" not in message:
            raise StopRow("role_missing", f"{to.messages_key}[{number}].role")
    answered = any(message["role"] == "assistant" for message in messages)
    notes = _foreign(messages, to.messages_key) + (() if answered else (Fate("no_answer", to.messages_key),))
    listed = tools if isinstance(tools, list) else None
    return RowOutcome(notes, Trained("assistant", messages=messages, tools=listed))


def _read_rl(record: dict[str, Any], to: VerlRl, seen: Seen) -> RowOutcome:
    example = as_loaded(record, seen)
    refused = "prompt_dropped" if to.filter_overlong_prompts else "prompt_fails"
    prompt = _prompt(example.get(to.prompt_key), refused, to.prompt_key)
    extra = example.get("extra_info")
    if extra is not None and not isinstance(extra, dict):
        raise StopRow("extra_info_malformed", "extra_info", type_of(extra))
    reward = example.get("reward_model")
    if not isinstance(reward, dict) or "ground_truth" not in reward:
        raise StopRow("no_ground_truth", "reward_model.ground_truth", type_of(reward))
    source = example.get(to.reward_fn_key)
    if to.reward_fn_key not in example:
        raise StopRow("no_data_source", to.reward_fn_key)
    known = isinstance(source, str) and (source in SCORED or source.startswith("aime"))
    if not known and not (to.custom_reward or to.own_rewards):
        raise StopRow("unknown_data_source", to.reward_fn_key, shown(source))
    empty = () if prompt else (Fate("prompt_empty", to.prompt_key),)
    return RowOutcome((*_foreign(prompt, to.prompt_key), *empty), Trained("sampled", prompt=prompt))


def _cut_sft(to: VerlSft) -> Cut:
    if to.pad_mode == "right" and to.truncation == "error":
        return Cut(to.max_length, "fails", reason="too_long_fails")
    left = to.truncation == "left" and to.pad_mode == "right"
    return Cut(to.max_length, "keep_end" if left else "keep_start")


def _cut_rl(to: VerlRl) -> Cut:
    if to.filter_overlong_prompts:
        return Cut(to.max_prompt_length, "drop", of="prompt")
    return Cut(to.max_prompt_length, "fails", of="prompt", reason="too_long_fails")


def _first(to: VerlSft | VerlRl) -> int | None:
    return to.max_samples if to.max_samples > 0 else None


_ROLE_NAMES = {"user": ("user",), "assistant": ("assistant",), "tool": ("tool",), "system": ("system", "developer")}
_ROLE_RULES = frozenset({"foreign_role", "role_missing", "no_answer"})
MODES = {
    "sft": Mode(
        name="verl.sft", upstream=UPSTREAM, settings=VerlSft, read=guarded(_read_sft), rules=SFT_RULES, cut=_cut_sft,
        first=_first, roles=_ROLE_NAMES, role_rules=_ROLE_RULES, run_here=True, not_covered=(
            "models with a processor (images, videos)",
            "the check that turns rendered one by one equal the whole: see check template_errors",
            "the older single-turn SFTDataset (prompt_key, response_key)",
        ),
    ),
    "rl": Mode(
        name="verl.rl", upstream=UPSTREAM, settings=VerlRl, read=guarded(_read_rl), rules=RL_RULES, cut=_cut_rl,
        first=_first, roles=_ROLE_NAMES, role_rules=_ROLE_RULES, run_here=True, not_covered=(
            "models with a processor (images, videos)", "reward managers other than naive",
            "what single reward functions demand of ground_truth (check unverifiable_answers)",
            "what becomes of a prompt that is too long and not filtered depends on the agent loop",
        ),
    ),
}  # fmt: skip
