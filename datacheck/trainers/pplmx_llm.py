"""pplmx/llm (`llm.training.train`): JSONL for SFT, DPO, reward models and PPO prompts.

It is read line by line: a record has its own keys only, whatever others have.
"""

import string
from typing import Any, ClassVar

from pydantic import Field

from datacheck.trainers.base import (
    Fate,
    RowOutcome,
    Seen,
    StopRow,
    Trained,
    Twins,
    Upstream,
    column,
    fate_if,
    guarded,
    text_of,
    type_of,
)
from datacheck.trainers.settings import Settings
from datacheck.trainers.truncation import Cut

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
        known = _PRINTABLE.issuperset(text_of(text, "not_text", where)) or text in ("<PAD>", "<EOS>", "<BOS>")
        if to.ascii_only and not known:
            raise StopRow("not_encodable", where)


def _read_sft(record: dict[str, Any], to: PplmxLlm, _seen: Seen) -> RowOutcome:
    given, more, answer = (record.get(key, "") for key in ("instruction", "input", "output"))
    fates = fate_if("instruction" not in record, "no_instruction", "instruction")
    filled = [key for key, value in (("instruction", given), ("input", more)) if value and not isinstance(value, str)]
    fates += tuple(Fate("filled_in", key, type_of(record[key])) for key in filled)
    _encodable(to, prompt=_prompt(given, more), output=answer)
    if not answer:
        return RowOutcome((*fates, Fate("no_output", "output")), Trained("completion", prompt=_prompt(given, more)))
    prompt = _prompt(given, more)
    return RowOutcome(fates, Trained("completion", prompt=prompt, response=answer, ended=False))


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
    pair = {key: column(record, key, "missing_key") for key in _PAIR}
    _encodable(to, **pair)
    fates = fate_if(not pair["chosen"] and not pair["rejected"], "no_answers", "chosen")
    return RowOutcome(fates, Trained("completion", **pair, ended=False))


def _read_ppo(record: dict[str, Any], _to: PplmxLlm, _seen: Seen) -> RowOutcome:
    prompt = record.get("prompt") or record.get("instruction") or record.get("text")
    if not prompt:
        raise StopRow("no_prompt", "prompt")
    changed = fate_if(not isinstance(prompt, str), "filled_in", "prompt", type_of(prompt))
    return RowOutcome(changed, Trained("sampled", prompt=str(prompt)))


def _cut(to: PplmxLlm) -> Cut:
    return Cut(to.max_seq_len, unanswered="nothing_left")


def _before_ppo(_to: PplmxLlm, seen: Seen) -> tuple[Fate, ...]:
    return fate_if(seen.columns and not {"prompt", "instruction", "text"} & seen.columns, "no_prompts")


_RUN: dict[str, Any] = {"settings": PplmxLlm, "run_here": True}
_PAIRS = guarded(_read_pair, loaded=False, objects=False)
MODES = {
    "sft": _TWINS.mode("sft", "common", "sft", read=guarded(_read_sft, loaded=False), cut=_cut, **_RUN),
    "dpo": _TWINS.mode("dpo", "common", "pair", read=_PAIRS, cut=_cut, **_RUN),
    "reward": _TWINS.mode("reward", "common", "pair", "reward", read=_PAIRS, cut=_cut, **_RUN),
    "ppo": _TWINS.mode("ppo", "ppo", read=guarded(_read_ppo, loaded=False), before=_before_ppo, **_RUN),
}
