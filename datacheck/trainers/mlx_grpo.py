"""MLX-GRPO: questions with golds behind `####`, as its hard-wired GSM8K loader reads them."""

import re
from collections.abc import Mapping
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    Mode,
    RowOutcome,
    Rule,
    Seen,
    Settings,
    Trained,
    Upstream,
    as_loaded,
    type_of,
)

UPSTREAM = Upstream("Doriandarko/MLX-GRPO", "65bd2751e1d62fc3206e5f6dad822e403cfe6aef")
_SOURCE = "mlx-grpo.py:"
_CANONICAL = re.compile(r"-?[0-9]+")
SYSTEM = "\nRespond in the following format:\n\n<reasoning>\n...\n</reasoning>\n<answer>\n...\n</answer>\n"


class MlxGrpo(Settings):
    """`max_train_samples` draws rows at random, so no setting decides the fate of one row."""


RULES: Mapping[str, Rule] = {
    "not_an_object": Rule("fails", "the record is no object", _SOURCE + "59",
        "write one object per record"),
    "missing_column": Rule("fails", "no column question or answer (KeyError)",
        _SOURCE + "67", "name the columns question and answer"),
    "not_text": Rule("fails", "question or answer is no text", _SOURCE + "52",
        "write both as text"),
    "no_gold": Rule("masked", "no #### in the answer: the gold is None and correctness is 0 for every answer",
        _SOURCE + "51",
        "end the solution with `#### 42`", silent=True),
    "empty_gold": Rule("masked", "nothing behind ####: only an empty answer is right",
        _SOURCE + "54", "write the gold behind ####", silent=True),
    "several_marks": Rule("changed", "more than one ####: the text between the first two is the gold", _SOURCE + "54",
        "mark the final answer once", silent=True),
    "not_an_integer": Rule("changed", "the gold is no plain integer: a right answer in digits gets no reward for it",
        _SOURCE + "84",
        "write it without separators, unit or sign +", silent=True),
}  # fmt: skip


def read(record: Any, _settings: MlxGrpo, seen: Seen) -> RowOutcome:
    """The fates of a record, and the prompt that is sampled."""
    if not isinstance(record, dict):
        return RowOutcome((Fate("not_an_object", None, type_of(record)),))
    example = as_loaded(record, seen)
    for column in ("question", "answer"):
        if column not in example:
            return RowOutcome((Fate("missing_column", column),))
    question, answer = example["question"], example["answer"]
    if not isinstance(question, str):
        return RowOutcome((Fate("not_text", "question", type_of(question)),))
    if not isinstance(answer, str | list | dict) or (not isinstance(answer, str) and "####" in answer):
        return RowOutcome((Fate("not_text", "answer", type_of(answer)),))
    prompt = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    return RowOutcome(_gold(answer), Trained("sampled", prompt=prompt))


def _gold(answer: str | list[Any] | dict[str, Any]) -> tuple[Fate, ...]:
    behind = answer.split("####")[1:] if isinstance(answer, str) else []
    if not behind:
        return (Fate("no_gold", "answer"),)
    gold = behind[0].strip()
    several = (
        (Fate("several_marks", "answer", Message.plural("{n} mark", "{n} marks", len(behind))),)
        if len(behind) > 1
        else ()
    )
    if not gold:
        return (*several, Fate("empty_gold", "answer"))
    return several if _CANONICAL.fullmatch(gold) else (*several, Fate("not_an_integer", "answer"))


MODES = {
    "grpo": Mode(
        name="mlx_grpo.grpo", upstream=UPSTREAM, settings=MlxGrpo, read=read, rules=RULES, run_here=True,
        not_covered=(
            "max_train_samples: which rows are drawn is random",
            "prompts are not cut (max_prompt_length is never used)",
            "the loader names openai/gsm8k itself; other data stand there only after its code was changed",
        ),
    ),
}  # fmt: skip
