"""What OpenRLHF 0.11.2 makes of a row whose messages are none, or whose contents are no text, by the very template.

Whether such a row stops the run hangs on the template: one that joins texts raises, one that prints a value passes
over it. The twin tells that such rows fail; where the package does otherwise, this renders what the package renders
(datasets/sft_dataset.py:9, reward_dataset.py:9, prompts_dataset.py:28) and says what must become of it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

_IMAGE = "<image>"


class BatchError(Exception):
    """A list of lists is rendered as several conversations: what becomes of it is not told here."""


_RAISED = (TemplateError, TypeError, KeyError, IndexError, AttributeError, ValueError, AssertionError)


def texts_of(mode: str, settings: dict[str, Any], row: dict[str, Any], tokenizer: Path) -> tuple[str, str]:
    """The prompt, and the answer (of a pair the shorter one). Raises what rendering raises."""
    return _MODES[mode](copy.deepcopy(row), lambda key: settings.get(f"data.{key}"), _renderer(tokenizer))


def writes_nothing(mode: str, settings: dict[str, Any], row: dict[str, Any], tokenizer: Path) -> bool:
    """Whether an answer is the empty text, which `datasets` takes for an empty list where the column holds JSON."""
    try:
        return not texts_of(mode, settings, row, tokenizer)[1]
    except (*_RAISED, BatchError):
        return False


def fate_of(mode: str, settings: dict[str, Any], row: dict[str, Any], tokenizer: Path) -> str | None:
    """Kept, dropped (for want of an answer; lengths are not looked at) or failed; None where it is not told."""
    try:
        prompt, answer = texts_of(mode, settings, row, tokenizer)
    except BatchError:
        return None
    except _RAISED:
        return "failed"
    return "dropped" if mode == "openrlhf.sft" and not (prompt and answer) else "kept"


Render = Callable[[Any, bool], str]
Named = Callable[[str], Any]


def _renderer(tokenizer: Path) -> Render:
    """As transformers renders with the template of a tokenizer's folder."""
    file = tokenizer / "chat_template.jinja"
    config = json.loads((tokenizer / "tokenizer_config.json").read_text(encoding="utf-8"))
    source = file.read_text(encoding="utf-8") if file.is_file() else config["chat_template"]
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    made.filters["tojson"] = lambda value, **more: json.dumps(value, **{"ensure_ascii": False, **more})
    made.globals["raise_exception"] = _raised
    template = made.from_string(source)
    special = {name: value for name, value in config.items() if name.endswith("_token") and isinstance(value, str)}

    def render(messages: Any, prompt: bool) -> str:
        if isinstance(messages, list) and isinstance(messages[0], list):
            raise BatchError
        return template.render(messages=messages, add_generation_prompt=prompt, tools=None, documents=None, **special)

    return render


def _raised(message: str) -> None:
    raise TemplateError(message)


def _sft(row: dict[str, Any], named: Named, render: Render) -> tuple[str, str]:
    asked, told = row[named("input_key")], named("output_key")
    if named("multiturn"):
        for n, message in enumerate(asked):
            if message["role"] == "assistant":
                render(asked[:n], True)
                render(asked[: n + 1], False)
    if not told:
        prompt = render(asked[:-1], True)
        return prompt, render(asked, False)[len(prompt) :]
    answer = row[told]
    if isinstance(asked, str) and isinstance(answer, str):
        asked, answer = [{"role": "user", "content": asked}], [{"role": "assistant", "content": answer}]
    prompt = render(asked, True)
    return prompt, render(asked + answer, False)[len(prompt) :]


def _pair(row: dict[str, Any], named: Named, render: Render, *, dpo: bool) -> tuple[str, str]:
    sides = [row[named(f"{side}_key") or side] for side in ("chosen", "rejected")]
    if named("prompt_key"):
        asked = row[named("prompt_key")]
        prompt = render(asked, True)
        return prompt, min((render(asked + side, False)[len(prompt) :] for side in sides), key=len)
    told = [render(side, False) for side in sides]
    prompt = render(sides[0][:-1], True) if dpo else ""
    return prompt, min((each[len(prompt) :] for each in told), key=len)


def _asked(row: dict[str, Any], named: Named, render: Render) -> tuple[str, str]:
    chat = row[named("input_key")]
    chat = [{"role": "user", "content": chat}] if isinstance(chat, str) else chat
    for message in chat if isinstance(chat, list) else ():
        if isinstance(message.get("content"), str) and _IMAGE in message["content"]:
            raise BatchError  # parts of a picture: the twin's own rule tells them
    return render(chat, True), ""


_MODES: dict[str, Callable[[dict[str, Any], Named, Render], tuple[str, str]]] = {
    "openrlhf.sft": _sft,
    "openrlhf.rm": lambda *given: _pair(*given, dpo=False),
    "openrlhf.dpo": lambda *given: _pair(*given, dpo=True),
    "openrlhf.rl": _asked,
}
