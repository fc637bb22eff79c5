"""verl: RLHFDataset (prompts for RL, with the reward manager's demands) and MultiTurnSFTDataset."""

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Loss,
    Messages,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    column,
    conversation_of,
    fate_if,
    foreign_role,
    guarded,
    not_loadable,
    objects_of,
    shown,
    type_of,
    without_text,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

if TYPE_CHECKING:
    from datacheck.trainers.json_columns import Path

UPSTREAM = Upstream("volcengine/verl", "b178a3cd56f58b2d502255daba591e92833930a7", "verl/")
_TWINS = Twins.of("verl", UPSTREAM)
# Names that default_compute_score knows (reward_score/__init__.py:45); besides them what begins with "aime".
SCORED = frozenset(
    """
    openai/gsm8k lighteval/MATH DigitalLearningGmbH/MATH-lighteval HuggingFaceH4/MATH-500 math_dapo math
    math_dapo_reasoning numina_aops_forum numina_synthetic_math numina_amc_aime numina_synthetic_amc numina_cn_k12
    numina_olympiads codecontests apps codeforces taco hiyouga/geometry3k searchR1_nq searchR1_triviaqa
    searchR1_popqa searchR1_hotpotqa searchR1_2wikimultihopqa searchR1_musique searchR1_bamboogle
""".split()
)


class VerlSft(Settings):
    """`data.*` of sft_trainer_engine.yaml, with its defaults."""

    MAX_LENGTH: ClassVar[str | None] = "data.max_length"

    max_length: int = Field(default=1024, alias="data.max_length")
    truncation: Literal["error", "left", "right"] = Field(default="error", alias="data.truncation")
    pad_mode: Literal["right", "no_padding"] = Field(default="no_padding", alias="data.pad_mode")
    messages_key: str = Field(default="messages", alias="data.messages_key")
    tools_key: str = Field(default="tools", alias="data.tools_key")
    image_key: str = Field(default="images", alias="data.image_key")
    video_key: str = Field(default="videos", alias="data.video_key")
    thinking_key: str = Field(default="enable_thinking", alias="data.enable_thinking_key")
    # The text "none", as the trainer's own file has it, counts as true there.
    thinking: bool | str | None = Field(default="none", alias="data.enable_thinking_default")
    mismatch_ignored: bool = Field(default=False, alias="data.ignore_input_ids_mismatch")
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
    image_key: str = Field(default="images", alias="data.image_key")
    video_key: str = Field(default="videos", alias="data.video_key")
    audio_key: str = Field(default="audios", alias="data.audio_key")
    custom_reward: str | None = Field(default=None, alias="custom_reward_function.path")
    own_rewards: str | None = Field(default=None, alias="reward.custom_reward_function.path")


def _filled(value: Any, reason: str, where: str) -> Any:
    """A value that is no empty list; that raises StopRow."""
    if value == []:
        raise StopRow(reason, where, Message("no message"))
    return value


def _prompt(value: Any, reason: str, where: str) -> Messages:
    """A prompt as transformers' template takes it: an empty text or object is a conversation without a message."""
    return [] if value in ("", {}) else conversation_of(_filled(value, reason, where), reason, where)


def _through_numpy(value: Any, path: "Path", gaps: "frozenset[Path]") -> Any:
    """A value as it comes out of a column of NumPy's and back: NaN is null, and so whole numbers beside nulls are none.

    pandas' `Series.apply` does that to the tools; the messages are taken from the table again.
    """
    if isinstance(value, list):
        return [_through_numpy(each, (*path, 0), gaps) for each in value]
    if isinstance(value, dict):
        return {key: _through_numpy(each, (*path, key), gaps) for key, each in value.items()}
    if path in gaps and isinstance(value, int):
        return float(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def _read_sft(example: dict[str, Any], to: VerlSft, seen: Seen) -> RowOutcome:
    key, reason = to.messages_key, "messages_malformed"
    messages = objects_of(_filled(column(example, key), reason, key), reason, key)
    media = [key for key in (to.image_key, to.video_key) if key in example]
    if media:
        raise StopRow("media_without_processor", media[0])
    tools = example.get(to.tools_key)
    if to.tools_key in example and tools is None:
        raise StopRow("tools_null", to.tools_key)
    if tools is not None and (
        not isinstance(tools, list | str | dict) or any(not isinstance(tool, dict) for tool in tools)
    ):
        raise StopRow("tools_malformed", to.tools_key, type_of(tools))
    if to.thinking_key in example and example[to.thinking_key] is None:
        raise StopRow("thinking_null", to.thinking_key)
    for number, message in enumerate(messages):
        if "role" not in message:
            raise StopRow("role_missing", f"{to.messages_key}[{number}].role")
    mute = without_text(messages)
    if mute is not None:
        raise StopRow("content_not_text", f"{key}[{mute}].content", type_of(messages[mute].get("content")))
    answered = any(message["role"] == "assistant" for message in messages)
    notes = foreign_role(messages, to.messages_key) + fate_if(not answered, "no_answer", to.messages_key)
    listed = None
    if isinstance(tools, list):
        listed = _through_numpy(tools, (to.tools_key,), seen.typed.gaps if seen.typed is not None else frozenset())
        notes += fate_if(repr(listed) != repr(tools), "tools_through_numpy", to.tools_key)
    thinking = example.get(to.thinking_key, to.thinking)
    extra = None if thinking is None else {"enable_thinking": bool(thinking)}
    loss: Loss = "turns_alone" if to.mismatch_ignored else "turns"
    return RowOutcome(notes, Trained(loss, messages=messages, tools=listed, template_arguments=extra))


def _read_rl(example: dict[str, Any], to: VerlRl, _seen: Seen) -> RowOutcome:
    refused = "prompt_dropped" if to.filter_overlong_prompts else "prompt_fails"
    prompt = _prompt(example.get(to.prompt_key), refused, to.prompt_key)
    mute = without_text(prompt)
    if mute is not None:
        raise StopRow(refused, f"{to.prompt_key}[{mute}].content", type_of(prompt[mute].get("content")))
    asked = Trained("sampled", prompt=prompt)
    try:
        _scored(example, to)
    except StopRow as stop:  # the filter comes first, and may leave the row out before anything stumbles over it
        return RowOutcome((stop.fate,), asked if to.filter_overlong_prompts else None)
    empty = fate_if(not prompt, "prompt_empty", to.prompt_key)
    media = [key for key in (to.image_key, to.video_key, to.audio_key) if example.get(key)]
    seen = fate_if(media and prompt, "media_of_row", *media[:1])
    return RowOutcome((*foreign_role(prompt, to.prompt_key), *empty, *seen), asked)


def _scored(example: dict[str, Any], to: VerlRl) -> None:
    """Raises StopRow where the dataset or the reward manager does not find what it reads."""
    extra = example.get("extra_info")
    if extra is not None and not isinstance(extra, dict):
        raise StopRow("extra_info_malformed", "extra_info", type_of(extra))
    reward = example.get("reward_model")
    if not isinstance(reward, dict) or "ground_truth" not in reward:
        raise StopRow("no_ground_truth", "reward_model.ground_truth", type_of(reward))
    source = column(example, to.reward_fn_key, "no_data_source")
    known = isinstance(source, str) and (source in SCORED or source.startswith("aime"))
    if not known and not (to.custom_reward or to.own_rewards):
        raise StopRow("unknown_data_source", to.reward_fn_key, shown(source))


def _cut_sft(to: VerlSft) -> Cut:
    if to.truncation == "error":
        return Cut(to.max_length, "fails", reason="too_long_fails")
    left = to.truncation == "left" and to.pad_mode == "right"
    return Cut(to.max_length, "keep_end" if left else "keep_start")


def _cut_rl(to: VerlRl) -> Cut:
    if to.filter_overlong_prompts:
        return Cut(to.max_prompt_length, "drop", of="prompt")
    return Cut(to.max_prompt_length, "keep_end", of="prompt", reason="too_long_cut")


def _first(to: VerlSft | VerlRl) -> int | None:
    return to.max_samples if to.max_samples > 0 else None


_RUN: dict[str, Any] = {
    "first": _first,
    "roles": {"user": ("user",), "assistant": ("assistant",), "tool": ("tool",), "system": ("system", "developer")},
    "role_rules": frozenset({"foreign_role", "role_missing", "no_answer"}),
    "run_here": True,
    "probe": "verl",
}
MODES = {
    "sft": _TWINS.mode("sft", "sft", settings=VerlSft, read=guarded(_read_sft), cut=_cut_sft, typed="parquet", **_RUN),
    "rl": _TWINS.mode(
        "rl",
        "rl",
        settings=VerlRl,
        read=guarded(_read_rl),
        cut=_cut_rl,
        before=not_loadable,
        typed="datasets 5",
        **_RUN,
    ),
}
