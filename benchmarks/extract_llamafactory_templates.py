"""The templates of an installed LLaMA-Factory as data.

    ENV/bin/python benchmarks/extract_llamafactory_templates.py > datacheck/trainers/templates/llamafactory.toml

Run by a Python that has LLaMA-Factory; of a later release the comparison (`make trainers`) shows what else has changed.
What is as `register_template` has it by default is left out.
"""

import importlib.metadata
import json
from typing import Any

from llamafactory.data import template as templates
from llamafactory.data import tool_utils
from llamafactory.data.mm_plugin import BasePlugin

KINDS = {"Template": "", "Llama2Template": "fused", "ReasoningTemplate": "thoughts"}
KINDS["Glm47ReasoningTemplate"] = "thoughts_glm47"
END: list[Any] = [{"eos_token"}]
TEXT = ["{{content}}"]


def slots(given: list[Any]) -> list[Any]:
    """Texts as they are; {special = bos or eos} and {token = …} for the others; a set of other words writes nothing."""
    sets = {frozenset({f"{name}_token"}): {"special": name} for name in ("bos", "eos")}
    told = [sets.get(frozenset(slot)) if isinstance(slot, set) else slot for slot in given]
    return [slot for slot in told if slot is not None]


def described(of: Any) -> dict[str, Any]:
    """What differs from the defaults."""
    answer = of.format_assistant.slots
    usual = {"assistant": TEXT if of.efficient_eos else TEXT + END, "user": TEXT, "system": TEXT, "prefix": []}
    usual |= {"function": answer, "observation": of.format_user.slots}
    found = {name: getattr(of, f"format_{name}").slots for name in usual}
    told: dict[str, Any] = {name: slots(each) for name, each in found.items() if each != usual[name]}
    tools = of.format_tools  # a format, or the text around what the data has
    told |= {"calls": of.format_function.tool_format, "tools": tools.tool_format or tools.slots[0]}
    told |= {name: getattr(of, name) for name in ("default_system", "stop_words", "efficient_eos", "replace_eos")}
    told |= {"kind": KINDS[type(of).__name__], "media": type(of.mm_plugin) is not BasePlugin}
    for name, default in (("thought_words", ("<think>\n", "\n</think>\n\n")), ("tool_call_words", CALL)):
        told |= {name: list(getattr(of, name))} if getattr(of, name) != default else {}
    return {name: value for name, value in told.items() if value and value != "default"}


CALL = ("<tool_call>", "</tool_call>")


def toml(value: Any) -> str:
    """JSON is TOML but for tables."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Write the file."""
    version = importlib.metadata.version("llamafactory")
    print(f"# The templates of LLaMA-Factory {version} (src/llamafactory/data/template.py, tool_utils.py), Apache-2.0,")
    print("# Copyright 2025 the LlamaFactory team. Written by benchmarks/extract_llamafactory_templates.py.")
    print(f'\nversion = "{version}"\n\n[prompts]')
    for name, text in vars(tool_utils).items():
        if name.endswith("_TOOL_PROMPT"):
            print(f"{name.removesuffix('_TOOL_PROMPT').lower()} = {toml(text)}")
    for name, of in templates.TEMPLATES.items():
        print(f"\n[template.{json.dumps(name) if '.' in name else name}]")
        for key, value in described(of).items():
            print(f"{key} = {toml(value)}")


if __name__ == "__main__":
    main()
