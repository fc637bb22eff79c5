"""pplmx/llm (`llm.training.train`): JSONL for SFT, DPO, reward models and PPO prompts.

It is read line by line: a record has its own keys only, whatever others have.
"""

import string
from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from datacheck.trainers.base import (
    Cut,
    Fate,
    Mode,
    RowOutcome,
    Rule,
    Seen,
    Settings,
    StopRow,
    Trained,
    Upstream,
    guarded,
    type_of,
)

UPSTREAM = Upstream("pplmx/llm", "94a197d23333d88539f3c9f58dbb73a2cc44fde1", "src/llm/data/datasets/")
_rule = UPSTREAM.rule
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


_COMMON: Mapping[str, Rule] = {
    "not_an_object": _rule("fails", "the record is no object", "sft.py:84",
        "write one object per line"),
    "not_text": _rule("fails", "the tokenizer is given something that is no text (TypeError)", "sft.py:115",
        "write text"),
    "not_encodable": _rule("fails", "a character that the default tokenizer (ASCII) does not know (KeyError)",
        "sft.py:115",
        "set data.tokenizer_type: hf and a path"),
    "too_long": _rule("truncated", "cut at data.max_seq_len", "sft.py:130",
        "raise data.max_seq_len", silent=True),
}  # fmt: skip
SFT_RULES: Mapping[str, Rule] = {
    **_COMMON,
    "no_instruction": _rule("changed", "no key instruction: the template is filled with nothing", "sft.py:84",
        "name the column instruction", silent=True),
    "no_output": _rule("masked", "no key output, or an empty one: no token is trained, and the NaN loss becomes 0",
        "sft.py:86", "name the column output", silent=True),
    "filled_in": _rule("changed", "a value that is no text is written into the prompt as Python spells it", "sft.py:88",
        "write text", silent=True),
    "nothing_left": _rule("masked", "the prompt fills data.max_seq_len: no label is left, and the NaN loss becomes 0",
        "sft.py:130",
        "shorten the prompt, or raise data.max_seq_len", silent=True),
}  # fmt: skip
PAIR_RULES: Mapping[str, Rule] = {
    **_COMMON,
    "missing_key": _rule("dropped", "not all of prompt, chosen and rejected are there", "dpo.py:58",
        "complete the row"),
    "no_answers": _rule("masked", "chosen and rejected are both empty", "dpo.py:103",
        "complete or drop the row", silent=True),
    "nothing_left": _rule("masked", "the prompt fills data.max_seq_len: both sides are equal", "dpo.py:81",
        "shorten the prompt", silent=True),
}  # fmt: skip
REWARD_RULES: Mapping[str, Rule] = {
    **PAIR_RULES,
    "missing_key": PAIR_RULES["missing_key"]._replace(source=UPSTREAM.folder + "reward.py:61", silent=True),
}
PPO_RULES: Mapping[str, Rule] = {
    "not_an_object": _COMMON["not_an_object"]._replace(source=UPSTREAM.folder + "prompt.py:26"),
    "no_prompt": _rule("dropped", "none of prompt, instruction and text says anything", "prompt.py:26",
        "name the column prompt", silent=True),
    "filled_in": _rule("changed", "a prompt that is no text is taken as Python spells it",
        "prompt.py:28", "write text", silent=True),
    "no_prompts": _rule("fails", "no record has a prompt (ValueError)",
        "prompt.py:35", "name the column prompt"),
}  # fmt: skip


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


_SPLIT = "without data.val_dataset_path a tenth of the rows is split off at random: copies stand on both sides"
_END = "no end-of-text token is added: write it into the data, or the model never stops (check loss_mask_errors)"
_LINE = "a line that is no JSON stops the run, and its message always says line 1 (check unreadable_lines)"
MODES = {
    "sft": Mode(
        name="pplmx_llm.sft", upstream=UPSTREAM, settings=PplmxLlm, read=guarded(_read_sft), rules=SFT_RULES, cut=_cut,
        run_here=True, not_covered=(_END, _SPLIT, _LINE),
    ),
    "dpo": Mode(
        name="pplmx_llm.dpo", upstream=UPSTREAM, settings=PplmxLlm, read=guarded(_read_pair, objects=False),
        rules=PAIR_RULES, cut=_cut, run_here=True, not_covered=(_END, _SPLIT, _LINE),
    ),
    "reward": Mode(
        name="pplmx_llm.reward", upstream=UPSTREAM, settings=PplmxLlm, read=guarded(_read_pair, objects=False),
        rules=REWARD_RULES, cut=_cut, run_here=True, not_covered=(_SPLIT, _LINE),
    ),
    "ppo": Mode(
        name="pplmx_llm.ppo", upstream=UPSTREAM, settings=PplmxLlm, read=guarded(_read_ppo), rules=PPO_RULES,
        before=_before_ppo, run_here=True, not_covered=(_LINE,),
    ),
}  # fmt: skip
