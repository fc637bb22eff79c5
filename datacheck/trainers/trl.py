"""TRL: how SFT, DPO, Reward, KTO, GRPO and ORPO trainers prepare a dataset, and what their chat template call refuses.

TRL drops next to nothing: a row that does not fit stops the run, often only after the rows before it were tokenised.
What the *first* record looks like decides how all are read. Rows that are too long are cut or dropped by tokens.
"""

from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    Mode,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    column,
    fate_if,
    guarded,
    not_loadable,
    type_of,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.trl_pairs import read_dpo, read_kto, read_orpo, read_reward
from datacheck.trainers.trl_rows import first_record, foreign_roles, is_conversational, rendered_messages
from datacheck.trainers.trl_settings import TrlGrpo, TrlOrpo, TrlPairs, TrlSft
from datacheck.trainers.trl_sft import read_sft, rendered_with
from datacheck.trainers.truncation import Cut

UPSTREAM = Upstream("huggingface/trl", "f2cd57710ae345ea6428ae95363267fcf38a3dc8", "trl/")
_TWINS = Twins.of("trl", UPSTREAM)
_PAIR = 2  # texts


def _read_grpo(example: dict[str, Any], _to: TrlGrpo, seen: Seen) -> RowOutcome:
    first, prompt = first_record(example, seen), column(example, "prompt")
    if not isinstance(prompt, str | list):
        raise StopRow("text_expected", "prompt", type_of(prompt))
    conversational = is_conversational({"prompt": prompt})
    if conversational is not is_conversational({"prompt": first.get("prompt")}):
        raise StopRow("mixed_prompts", "prompt")
    if isinstance(prompt, str):
        return RowOutcome((), Trained("sampled", prompt=prompt))
    if not conversational and len(prompt) == _PAIR and all(isinstance(text, str) for text in prompt):
        return RowOutcome((Fate("prompt_of_texts", "prompt"),))
    if not conversational:
        raise StopRow("text_expected", "prompt", Message("a list without roles"))
    messages = rendered_messages(prompt, "prompt")
    for number, message in enumerate(messages):
        if "content" not in message:
            raise StopRow("content_missing", f"prompt[{number}].content")
        _images(message["content"], f"prompt[{number}].content")
    return RowOutcome(foreign_roles(messages, "prompt"), Trained("sampled", prompt=messages))


def _images(content: Any, where: str) -> None:
    """Parts are looked through for images: each needs a type, an image its image."""
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict) or "type" not in part or (part["type"] == "image" and "image" not in part):
            raise StopRow("content_missing", where, Message("a part without type or image"))


def _before(to: Settings, seen: Seen) -> tuple[Fate, ...]:
    """A file that the `datasets` library cannot read; columns by which a set is one of images."""
    images = sorted({"image", "images"} & seen.columns)
    unread = not_loadable(to, seen)
    return (*unread, *fate_if(images, "images_column", *images[:1]))


def _before_sft(to: TrlSft, seen: Seen) -> tuple[Fate, ...]:
    """Conversations without assistant_only_loss: worth a word, once."""
    told = {"messages", "conversations"} & seen.columns and not to.assistant_only_loss
    return (*_before(to, seen), *fate_if(told, "user_words_trained", None, Message("assistant_only_loss is off")))


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
        read_sft,
        cut=_cut_sft,
        before=_before_sft,
        rendered_with=rendered_with,
        untrained="no_assistant_token",
    ),
    "dpo": _mode("dpo", TrlPairs, read_dpo, cut=_cut_pair),
    "reward": _mode("reward", TrlPairs, read_reward, cut=lambda to: Cut(to.max_length, "drop")),
    "kto": _mode("kto", TrlPairs, read_kto, cut=lambda to: Cut(to.max_length, unanswered="prompt_fills")),
    "grpo": _mode("grpo", TrlGrpo, _read_grpo),
    "orpo": _mode("orpo", TrlOrpo, read_orpo, before=not_loadable, cut=lambda to: Cut(to.max_length or 512)),
}
