"""LLaMA-Factory's formats of tools and of calls (tool_utils.py of the release 0.9.5).

Whatever these functions raise ends the run there.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from datacheck.trainers.base import TODAY

Tool = dict[str, Any]
Call = tuple[str, Any]  # its name, and its arguments as they come out of JSON


class ToolFormat(NamedTuple):
    """How tools stand in the system prompt: `prompt` names the sentence around `tools`; and how calls are written."""

    prompt: str
    tools: Callable[[list[Tool]], str]
    calls: Callable[[list[Call]], str]


def _json(value: Any, **more: Any) -> str:
    return json.dumps(value, ensure_ascii=False, **more)


def _wrapped(tool: Tool) -> Tool:
    return tool if tool.get("type") == "function" else {"type": "function", "function": tool}


def _bare(tool: Tool, without: Any = "") -> Any:
    return tool.get("function", without) if tool.get("type") == "function" else tool


def _lines_of_wrapped(tools: list[Tool]) -> str:
    return "".join("\n" + _json(_wrapped(tool)) for tool in tools)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _default_tools(tools: list[Tool]) -> str:
    text = ""
    for tool in map(_bare, tools):
        arguments = ""
        for name, param in tool["parameters"]["properties"].items():
            required = ", required" if name in tool["parameters"].get("required", []) else ""
            enum = f", should be one of [{', '.join(param['enum'])}]" if param.get("enum") else ""
            of = param.get("items")
            items = f", where each item should be {of.get('type', '')}" if of else ""
            told = f"{param.get('description', '')}{enum}{items}"
            arguments += f"  - {name} ({param.get('type', '')}{required}): {told}\n"
        described = tool.get("description", "")
        text += f"> Tool Name: {tool['name']}\nTool Description: {described}\nTool Args:\n{arguments}\n"
    return text


def _default_calls(calls: list[Call]) -> str:
    return "\n".join(f"Action: {name}\nAction Input: {_json(arguments)}" for name, arguments in calls)


def _glm4_tools(tools: list[Tool]) -> str:
    end = "在调用上述函数时，请使用 Json 格式表示调用的参数。"
    return "".join(f"\n\n## {tool['name']}\n\n{_json(tool, indent=4)}\n{end}" for tool in map(_bare, tools))


def _glm4_calls(calls: list[Call]) -> str:
    if len(calls) > 1:
        raise ValueError("GLM-4 takes one call at a time")
    return f"{calls[0][0]}\n{_json(calls[0][1])}"


def _llama3_calls(calls: list[Call]) -> str:
    listed = [{"name": name, "parameters": arguments} for name, arguments in calls]
    return _json(listed[0] if len(listed) == 1 else listed)


def _named(calls: list[Call]) -> list[dict[str, Any]]:
    return [{"name": name, "arguments": arguments} for name, arguments in calls]


def _minimax1_calls(calls: list[Call]) -> str:
    return "<tool_calls>\n" + "\n".join(map(_json, _named(calls))) + "\n</tool_calls>"


def _qwen_calls(calls: list[Call]) -> str:
    return "\n".join(f"<tool_call>\n{_json(call)}\n</tool_call>" for call in _named(calls))


def _xml_calls(head: Callable[[Any], str], argument: str, end: str) -> Callable[[list[Call]], str]:
    """Calls as XML: `head` of the name; `argument` for each, with its name for N and its text for V; `end`."""
    before, between, after = re.split("[NV]", argument)

    def written(calls: list[Call]) -> str:
        return "\n".join(
            head(name) + "".join(before + key + between + _text(told) + after for key, told in given.items()) + end
            for name, given in calls
        )

    return written


def _lfm2_calls(calls: list[Call]) -> str:
    told = []
    for name, arguments in calls:
        pairs = [f'{key}="{value}"' if isinstance(value, str) else f"{key}={_json(value)}" for key, value in
                 arguments.items()]  # fmt: skip
        told.append(f"{name}({', '.join(pairs)})")
    return f"<|tool_call_start|>[{', '.join(told)}]<|tool_call_end|>"


def _quoted(text: Any) -> str:
    return f'<|"|>{text}<|"|>'


def _gemma4_tools(tools: list[Tool]) -> str:
    return "\n".join(map(_gemma4_tool, tools))


def _gemma4_tool(given: Tool) -> str:
    tool = _bare(given, given)
    told = f"declaration:{tool['name']}{{description:{_quoted(tool.get('description', ''))}"
    if params := tool.get("parameters"):
        parts = []
        if params.get("properties"):
            each = ",".join(f"{name}:{{{_gemma4_schema(schema)}}}" for name, schema in params["properties"].items())
            parts.append(f"properties:{{{each}}}")
        if params.get("required"):
            parts.append(f"required:[{','.join(map(_quoted, params['required']))}]")
        if params.get("type"):
            parts.append(f"type:{_quoted(str(params['type']).upper())}")
        told += f",parameters:{{{','.join(parts)}}}"
    if response := tool.get("response"):
        parts = [f"description:{_quoted(response['description'])}"] if response.get("description") else []
        parts += ['type:<|"|>OBJECT<|"|>'] if str(response.get("type", "")).upper() == "OBJECT" else []
        told += f",response:{{{','.join(parts)}}}"
    return told + "}"


def _gemma4_schema(schema: dict[str, Any]) -> str:
    parts = [f"description:{_quoted(schema['description'])}"] if schema.get("description") else []
    parts += [f"type:{_quoted(str(schema['type']).upper())}"] if schema.get("type") else []
    return ",".join(parts)


def _gemma4_calls(calls: list[Call]) -> str:
    return "".join(f"<|tool_call>call:{name}{{{_gemma4_arguments(told)}}}<tool_call|>" for name, told in calls)


def _gemma4_arguments(told: Any) -> str:
    if isinstance(told, dict):
        return ",".join(f"{key}:{_gemma4_value(told[key])}" for key in sorted(told))
    return told if isinstance(told, str) else _gemma4_value(told)


def _gemma4_value(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return f"{{{_gemma4_arguments(value)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_gemma4_value, value))}]"
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


_MINIMAX2 = _xml_calls(lambda name: f'<invoke name="{name}">', '\n<parameter name="N">V</parameter>', "\n</invoke>")
_QWEN35 = _xml_calls(
    lambda name: f"<tool_call>\n<function={name}>", "\n<parameter=N>\nV\n</parameter>", "\n</function>\n</tool_call>"
)
_GLM4_MOE = _xml_calls(  # a name that is no text raises
    lambda name: "\n<tool_call>" + name, "\n<arg_key>N</arg_key>\n<arg_value>V</arg_value>", ""
)
_SEED = _xml_calls(
    lambda name: "\n<seed:tool_call>\n<function=" + name,
    "\n<parameter=N>V</parameter>",
    "\n</function>\n</seed:tool_call>",
)
FORMATS = {
    "default": ToolFormat("default", _default_tools, _default_calls),
    "gemma4": ToolFormat("", _gemma4_tools, _gemma4_calls),
    "glm4": ToolFormat("glm4", _glm4_tools, _glm4_calls),
    "glm4_moe": ToolFormat("glm4_moe", _lines_of_wrapped, _GLM4_MOE),
    "lfm2": ToolFormat("lfm2", lambda tools: _json([_bare(tool, tool) for tool in tools]), _lfm2_calls),
    "ling": ToolFormat("ling", _lines_of_wrapped, _qwen_calls),
    "llama3": ToolFormat(
        "llama3", lambda tools: "".join(_json(_wrapped(tool), indent=4) + "\n\n" for tool in tools), _llama3_calls
    ),
    "minimax1": ToolFormat(
        "minimax_m1", lambda tools: "".join(_json(_bare(tool)) + "\n" for tool in tools), _minimax1_calls
    ),
    "minimax2": ToolFormat(
        "minimax_m2", lambda tools: "".join(f"<tool>{_json(_bare(tool))}</tool>\n" for tool in tools), _MINIMAX2
    ),
    "mistral": ToolFormat(
        "",
        lambda tools: f"[AVAILABLE_TOOLS] {_json([_wrapped(tool) for tool in tools])}[/AVAILABLE_TOOLS]",
        lambda calls: _json(_named(calls)),
    ),
    "qwen": ToolFormat("qwen", _lines_of_wrapped, _qwen_calls),
    "qwen3_5": ToolFormat("qwen35", lambda tools: "".join("\n" + _json(_bare(tool, tool)) for tool in tools), _QWEN35),
    "seed_oss": ToolFormat("seed", lambda tools: "\n" + _json(tools), _SEED),
}


def tools_written(tools: list[Tool], name: str, prompts: dict[str, str]) -> str:
    """What stands behind the system prompt."""
    form = FORMATS[name]
    text = form.tools(tools)
    if not form.prompt:
        return text
    names = ", ".join(_bare(tool)["name"] for tool in tools) if name == "default" else ""
    date = TODAY.get().strftime("%d %b %Y")
    end = "\ndetailed thinking off" if name == "ling" else ""
    return prompts[form.prompt].format(tool_text=text, tool_names=names, date=date) + end
