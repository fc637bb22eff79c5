"""pplmx/llm (`llm.training.train`): JSONL for SFT, DPO, reward models and PPO prompts.

It is read line by line: a record has its own keys only, whatever others have.
"""

import string
from typing import Any, ClassVar

from pydantic import Field

from datacheck.trainers.base import (
    Cut,
    Fate,
    RowOutcome,
    Seen,
    Settings,
    StopRow,
    Trained,
    Twins,
    Upstream,
    guarded,
    type_of,
)

UPSTREAM = Upstream("pplmx/llm", "94a197d23333d88539f3c9f58dbb73a2cc44fde1", "src/llm/data/datasets/")
_TWINS = Twins.of("pplmx_llm", UPSTREAM)
_PRINTABLE = frozenset(string.printable)  # the corpus of the tokenizer that is taken where none is named
_PAIR = ("prompt", "chosen", "rejected")
_BELOW = "Below is an instruction that describes a task"
_WRITE = "Write a response that appropriately completes the request.\n\n"


class PplmxLlm(Settings):
    """`data.*` of its config."""

    MAX_LENGTH: ClassVar[str | None] = "data.max_seq_len"

    max_seq_len: int = Field(default=512, gt=0, alias="data.max_seq_len")
    tokenizer_type: str = Field(default="simple", alias="data.tokenizer_type")
    tokenizer_path: str | None = Field(default=None, alias="data.tokenizer_path")

    @property
    def ascii_only(self) -> bool:
        """Whether the tokenizer knows printable ASCII only (tokenizer_factory.py:15-25,105-106)."""
        return self.tokenizer_type != "hf" and not self.tokenizer_path


def _encodable(to: PplmxLlm, **texts: Any) -> None:
    for where, text in texts.items():
        if not isinstance(text, str):
            raise StopRow("not_text", where, type_of(text))
        if to.ascii_only and not _PRINTABLE.issuperset(text) and text not in ("<PAD>", "<EOS>", "<BOS>"):
            raise StopRow("not_encodable", where)


def _read_sft(record: dict[str, Any], to: PplmxLlm, _seen: Seen) -> RowOutcome:
    given, more, answer = (record.get(key, "") for key in ("instruction", "input", "output"))
    fates: tuple[Fate, ...] = () if "instruction" in record else (Fate("no_instruction", "instruction"),)
    filled = [key for key, value in (("instruction", given), ("input", more)) if value and not isinstance(value, str)]
    fates += tuple(Fate("filled_in", key, type_of(record[key])) for key in filled)
    _encodable(to, prompt=_prompt(given, more), output=answer)
    if not answer:
        return RowOutcome((*fates, Fate("no_output", "output")), Trained("completion", prompt=_prompt(given, more)))
    return RowOutcome(fates, Trained("completion", prompt=_prompt(given, more), response=answer))


def _prompt(given: Any, more: Any) -> str:
    """sft.py:88-102."""
    if more:
        both = ", paired with an input that provides further context. "
        return f"{_BELOW}{both}{_WRITE}### Instruction:\n{given}\n\n### Input:\n{more}\n\n### Response:\n"
    return f"{_BELOW}. {_WRITE}### Instruction:\n{given}\n\n### Response:\n"


def _read_pair(record: Any, to: PplmxLlm, _seen: Seen) -> RowOutcome:
    if not isinstance(record, dict):  # `key in item` is asked of lists and texts too, and says no
        there = isinstance(record, list | str) and not all(key in record for key in _PAIR)
        raise StopRow("missing_key" if there else "not_an_object", None, type_of(record))
    missing = [key for key in _PAIR if key not in record]
    if missing:
        raise StopRow("missing_key", missing[0])
    _encodable(to, **{key: record[key] for key in _PAIR})
    prompt, chosen, rejected = (record[key] for key in _PAIR)
    fates = () if chosen or rejected else (Fate("no_answers", "chosen"),)
    return RowOutcome(fates, Trained("completion", prompt=prompt, chosen=chosen, rejected=rejected))


def _read_ppo(record: dict[str, Any], _to: PplmxLlm, _seen: Seen) -> RowOutcome:
    prompt = record.get("prompt") or record.get("instruction") or record.get("text")
    if not prompt:
        raise StopRow("no_prompt", "prompt")
    changed = () if isinstance(prompt, str) else (Fate("filled_in", "prompt", type_of(prompt)),)
    return RowOutcome(changed, Trained("sampled", prompt=str(prompt)))


def _cut(to: PplmxLlm) -> Cut:
    return Cut(to.max_seq_len, unanswered="nothing_left")


def _before_ppo(_to: PplmxLlm, seen: Seen) -> tuple[Fate, ...]:
    prompts = {"prompt", "instruction", "text"}
    return (Fate("no_prompts"),) if seen.columns and not prompts & seen.columns else ()


_RUN: dict[str, Any] = {"settings": PplmxLlm, "run_here": True}
_PAIRS = guarded(_read_pair, objects=False)
MODES = {
    "sft": _TWINS.mode("sft", "common", "sft", read=guarded(_read_sft), cut=_cut, **_RUN),
    "dpo": _TWINS.mode("dpo", "common", "pair", read=_PAIRS, cut=_cut, **_RUN),
    "reward": _TWINS.mode("reward", "common", "pair", "reward", read=_PAIRS, cut=_cut, **_RUN),
    "ppo": _TWINS.mode("ppo", "ppo", read=guarded(_read_ppo), before=_before_ppo, **_RUN),
}
