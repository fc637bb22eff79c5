"""axolotl's ways to read pairs (DPO) and scored answers (KTO) by name: `chatml.intel`, `llama3.ultra` and the like.

They write the words of ChatML or Llama 3 around what stands in columns of fixed names, whatever template the tokenizer
has. A value that is no text is written as Python spells it.
"""

from typing import Any, NamedTuple

from datacheck.i18n.message import Message
from datacheck.trainers.base import Fate, StopRow, column, fate_if, type_of


class Wording(NamedTuple):
    """What stands around a system message and a question, and behind an answer; `turn`: around any message."""

    system: str
    user: str
    end: str
    turn: str
    answer: str


WORDS = {  # prompt_strategies/dpo/chatml.py, llama3.py; the same of kto
    "chatml": Wording(
        "<|im_start|>system\n{}<|im_end|>\n",
        "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n",
        "<|im_end|>",
        "<|im_start|>{}\n{}<|im_end|>\n",
        "<|im_start|>assistant\n",
    ),
    "llama3": Wording(
        "<|start_header_id|>system<|end_header_id|>\n\n{}<|eot_id|>",
        "<|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
        "<|eot_id|>",
        "<|start_header_id|>{}<|end_header_id|>\n\n{}<|eot_id|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
}
_ASKED = {"icr": "input", "intel": "question", "prompt_pairs": "prompt", "ultra": "prompt", "argilla": "instruction"}
_DEFAULT_ASKED = ("prompt", "input", "question")  # else instruction


class WrittenRow(NamedTuple):
    """A prompt and its answers as text, and what is said of the row."""

    prompt: str
    answers: tuple[str, ...]
    notes: tuple[Fate, ...]


class _Spelt:
    """Writes values as an f-string does, and notes those that are no text."""

    def __init__(self) -> None:
        self.notes: dict[str, Fate] = {}

    def __call__(self, value: Any, where: str) -> str:
        if not isinstance(value, str):
            self.notes.setdefault("text_spelt", Fate("text_spelt", where, type_of(value)))
        return str(value)


def pair_of(example: dict[str, Any], way: str) -> WrittenRow:
    """A pair by its way, `chatml.intel`. Raises StopRow where a column or a message is not there."""
    family, _, name = way.partition(".")
    words, spelt = WORDS[family], _Spelt()
    if name == "argilla_chat":
        asked = _content(example, "chosen", 0)
        prompt = words.user.format(spelt(asked, "chosen[0].content"))
    else:
        prompt = _prompt(example, _asked_of(example, name), words, spelt)
    keys = [_key(example, side) if name == "default" else side for side in ("chosen", "rejected")]
    listed = name in ("argilla_chat", "ultra")
    told = [_content(example, key, 1) if listed else column(example, key, "missing_key") for key in keys]
    answers = tuple(spelt(value, key) + words.end for value, key in zip(told, keys, strict=True))
    notes = (*spelt.notes.values(), *fate_if(answers[0] == answers[1], "same_answers", keys[1]))
    long = [key for key in keys if listed and len(example[key]) > _TWO]
    return WrittenRow(prompt, answers, (*notes, *fate_if(long, "turns_left_out", *long[:1])))


_TWO = 2  # messages that are looked at


def scored_of(example: dict[str, Any], way: str) -> WrittenRow:
    """A prompt and the answer that is scored, by its way. Raises StopRow as `pair_of`."""
    family, _, name = way.partition(".")
    words, spelt = WORDS[family], _Spelt()
    told = column(example, "completion", "missing_key") if name == "argilla_chat" else None
    if name != "argilla_chat":
        prompt = _prompt(example, _ASKED[name], words, spelt)
        answer = spelt(column(example, "completion", "missing_key"), "completion")
        return WrittenRow(prompt, (answer + words.end,), tuple(spelt.notes.values()))
    if not isinstance(told, list) or not told:
        raise StopRow("messages_malformed", "completion", type_of(told))
    prompt = ""
    for number, message in enumerate(told):
        at = f"completion[{number}]"
        wanted = ("role", "content") if number < len(told) - 1 else ("content",)
        if not isinstance(message, dict) or any(key not in message for key in wanted):
            raise StopRow("messages_malformed", at)
        if number < len(told) - 1:
            prompt += words.turn.format(spelt(message["role"], f"{at}.role"), spelt(message["content"], at))
    answer = spelt(told[-1]["content"], f"completion[{len(told) - 1}].content")
    return WrittenRow(prompt + words.answer, (answer + words.end,), tuple(spelt.notes.values()))


def _asked_of(example: dict[str, Any], name: str) -> str:
    if name != "default":
        return _ASKED[name]
    return next((key for key in _DEFAULT_ASKED if key in example), "instruction")


def _key(example: dict[str, Any], side: str) -> str:
    return side if side in example else f"{side}_response"


def _prompt(example: dict[str, Any], asked: str, words: Wording, spelt: _Spelt) -> str:
    system = example.get("system")
    before = words.system.format(spelt(system, "system")) if system else ""
    return before + words.user.format(spelt(column(example, asked, "missing_key"), asked))


def _content(example: dict[str, Any], key: str, number: int) -> Any:
    """The content of a message of a column that holds lists of them."""
    listed = column(example, key, "missing_key")
    if not isinstance(listed, list) or len(listed) <= number:
        raise StopRow("messages_malformed", key, type_of(listed))
    message = listed[number]
    if not isinstance(message, dict) or "content" not in message:
        raise StopRow("messages_malformed", f"{key}[{number}]", Message("no message"))
    return message["content"]
