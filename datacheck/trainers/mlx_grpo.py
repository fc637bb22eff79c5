"""MLX-GRPO: questions with golds behind `####`, as its hard-wired GSM8K loader reads them."""

import re
from typing import Any

from datacheck.i18n.message import Message
from datacheck.trainers.base import (
    Fate,
    RowOutcome,
    Seen,
    Settings,
    Trained,
    Twins,
    Upstream,
    as_loaded,
    type_of,
)

UPSTREAM = Upstream("Doriandarko/MLX-GRPO", "65bd2751e1d62fc3206e5f6dad822e403cfe6aef")
_TWINS = Twins.of("mlx_grpo", UPSTREAM)
_CANONICAL = re.compile(r"-?[0-9]+")
SYSTEM = "\nRespond in the following format:\n\n<reasoning>\n...\n</reasoning>\n<answer>\n...\n</answer>\n"


class MlxGrpo(Settings):
    """`max_train_samples` draws rows at random, so no setting decides the fate of one row."""


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


MODES = {"grpo": _TWINS.mode("grpo", "grpo", settings=MlxGrpo, read=read, run_here=True)}
