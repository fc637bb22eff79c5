"""MLX-GRPO: questions with golds behind `####`, as its hard-wired GSM8K loader reads them."""

import re
from typing import Any

from datacheck.i18n.message import Message
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

UPSTREAM = Upstream("Doriandarko/MLX-GRPO", "65bd2751e1d62fc3206e5f6dad822e403cfe6aef")
_TWINS = Twins.of("mlx_grpo", UPSTREAM)
_CANONICAL = re.compile(r"-?[0-9]+")
SYSTEM = "\nRespond in the following format:\n\n<reasoning>\n...\n</reasoning>\n<answer>\n...\n</answer>\n"


class MlxGrpo(Settings):
    """`max_train_samples` draws rows at random, so no setting decides the fate of one row."""


def _read(example: dict[str, Any], _settings: MlxGrpo, _seen: Seen) -> RowOutcome:
    """The fates of a record, and the prompt that is sampled."""
    question, answer = (column(example, name) for name in ("question", "answer"))
    asked = text_of(question, "not_text", "question")
    if not isinstance(answer, str | list | dict) or (not isinstance(answer, str) and "####" in answer):
        raise StopRow("not_text", "answer", type_of(answer))
    prompt = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": asked}]
    return RowOutcome(_gold(answer), Trained("sampled", prompt=prompt))


def _gold(answer: str | list[Any] | dict[str, Any]) -> tuple[Fate, ...]:
    behind = answer.split("####")[1:] if isinstance(answer, str) else []
    if not behind:
        return (Fate("no_gold", "answer"),)
    gold = behind[0].strip()
    marks = Message.plural("{n} mark", "{n} marks", len(behind))
    several = fate_if(len(behind) > 1, "several_marks", "answer", marks)
    odd = not _CANONICAL.fullmatch(gold)
    return several + fate_if(odd, "not_an_integer" if gold else "empty_gold", "answer")


MODES = {"grpo": _TWINS.mode("grpo", "grpo", settings=MlxGrpo, read=guarded(_read), run_here=True)}
