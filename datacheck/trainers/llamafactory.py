"""LLaMA-Factory: converters (alpaca, sharegpt, openai) and the processors of sft, dpo (also rm) and kto.

Read at the commit below; `converter.py` turns a record into prompt and response, the processor of the stage drops what
does not fit, the template's formatters stop the run where text is expected and is not there.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

from datacheck.trainers.base import (
    Cut,
    Fate,
    Loss,
    Mode,
    Reading,
    Rule,
    Seen,
    Settings,
    StopRow,
    Trained,
    Upstream,
    as_loaded,
    guarded,
    kind_of,
    shown,
)

UPSTREAM = Upstream("hiyouga/LLaMA-Factory", "ff6d4d12eeb035d6ce06805a5733dd7b29f2ac30", "src/llamafactory/data/")
_rule = UPSTREAM.rule
_COLUMNS = (
    "prompt", "query", "response", "history", "messages", "system", "tools",
    "images", "videos", "audios", "chosen", "rejected", "kto_tag",
)  # fmt: skip
_TAGS = ("role_tag", "content_tag", "user_tag", "assistant_tag", "observation_tag", "function_tag", "system_tag")
_RUN = (
    "cutoff_len", "packing", "neat_packing", "train_on_prompt", "mask_history", "max_samples", "formatting", "ranking",
    "stage",
)  # fmt: skip
_QUESTIONS, _ANSWERS = ("user", "observation"), ("assistant", "function")
_STANDARD = {"user": "user", "observation": "tool", "assistant": "assistant", "function": "assistant"}
# The words around calls and thoughts of most templates (template.py:598); a few have others.
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_THOUGHT = re.compile(r"<think>\n(.*?)\n</think>\n\n", re.DOTALL)


class LlamaFactory(Settings):
    """The dataset's entry in dataset_info.json and the run's arguments, with LLaMA-Factory's defaults.

    In `run.settings`: `formatting`, `ranking`, `columns.messages: conversations`, `tags.role_tag: from`, … as in
    dataset_info.json; or `run.config` names a dataset_info.json and `dataset:` the entry. As there: once one column is
    named, columns that are not named are off, and so it is for tags.
    """

    MAX_LENGTH: ClassVar[str | None] = "cutoff_len"

    formatting: str = "alpaca"
    ranking: bool = False
    stage: str | None = None
    prompt: str | None = "instruction"
    query: str | None = "input"
    response: str | None = "output"
    history: str | None = None
    messages: str | None = "conversations"
    system: str | None = None
    tools: str | None = None
    images: str | None = None
    videos: str | None = None
    audios: str | None = None
    chosen: str | None = None
    rejected: str | None = None
    kto_tag: str | None = None
    role_tag: str | None = "from"
    content_tag: str | None = "value"
    user_tag: str | None = "human"
    assistant_tag: str | None = "gpt"
    observation_tag: str | None = "observation"
    function_tag: str | None = "function_call"
    system_tag: str | None = "system"
    cutoff_len: int = 2048
    packing: bool | None = None
    neat_packing: bool = False
    train_on_prompt: bool = False
    mask_history: bool = False
    max_samples: int | None = None

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Take the dataset's entry, and columns and tags as DatasetAttr.join does (parser.py:67)."""
        entry = given.get(str(given.get("dataset")))
        given = {**given, **entry} if isinstance(entry, dict) else given
        values = {name: given[name] for name in _RUN if name in given}
        for group, names in (("columns", _COLUMNS), ("tags", _TAGS)):
            whole = given.get(group)
            named = dict(whole) if isinstance(whole, dict) else {}
            named |= {name: given[f"{group}.{name}"] for name in names if f"{group}.{name}" in given}
            if named or isinstance(whole, dict):
                values |= {name: named.get(name) for name in names}
        return values

    @cached_property
    def roles(self) -> dict[str | None, str]:
        """Tag → LLaMA-Factory's role; a tag that is off is None, and the last None wins (converter.py:137)."""
        return {
            self.user_tag: "user",
            self.assistant_tag: "assistant",
            self.observation_tag: "observation",
            self.function_tag: "function",
            self.system_tag: "system",
        }

    @cached_property
    def accepted(self) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
        """The tags at odd and at even places."""
        return (self.user_tag, self.observation_tag), (self.assistant_tag, self.function_tag)


class _Converted(NamedTuple):
    """What a converter makes of a record; messages are (LLaMA-Factory's role, content)."""

    prompt: list[tuple[str, Any]]
    response: list[tuple[str, Any]]
    system: Any = ""
    tools: Any = ""
    notes: tuple[Fate, ...] = ()
    broken: Fate | None = None  # why prompt and response are empty, or the response lacks what the stage needs


RULES: Mapping[str, Rule] = {
    "not_an_object": _rule("fails", "the record is no object", "记录不是对象", "converter.py:410",
        "write one JSON object per record"),
    "missing_column": _rule("fails", "a column that dataset_info.json names (or its default) is in no record",
        "dataset_info.json 中（或默认的）列在所有记录中都不存在", "converter.py:94",
        "conversations need `formatting: sharegpt` in run.settings; else name the column"),
    "history_malformed": _rule("fails", "history is no list of pairs", "history 不是二元组列表", "converter.py:89",
        "write history as [[question, answer], …]"),
    "history_ignored": _rule("changed", "history is no list: it is left out", "history 不是列表，被忽略",
        "converter.py:88", "write history as a list of pairs", silent=True),
    "text_expected": _rule("fails", "a text is expected and something else stands there", "应为文本处是其他类型",
        "formatter.py:78", "write the content as a string; several parts are not read"),
    "messages_malformed": _rule("fails", "the messages are no list of objects with role and content",
        "消息不是含角色和内容的对象列表", "converter.py:161", "write each message as an object with both keys"),
    "role_order": _rule("dropped", "question and answer do not alternate, or a role is unknown",
        "问答不交替或角色未知", "converter.py:161",
        "let human/observation stand at odd and gpt/function_call at even places, or map the tags; a leading system "
        "message needs a system_tag"),
    "role_order_openai": _rule("dropped", "question and answer do not alternate", "问答不交替", "converter.py:289",
        "let user/tool and assistant alternate"),
    "unknown_role": _rule("fails", "a role has no tag (openai format)", "角色没有对应的标签（openai 格式）",
        "converter.py:280", "map the role under `tags`, or rename it in the data"),
    "message_count": _rule("dropped", "the messages do not end with an answer (with ranking: with a question)",
        "消息不以回答结尾（ranking 时不以提问结尾）", "converter.py:173",
        "cut the conversation after its last answer; for ranking, after its last question"),
    "no_messages": _rule("dropped", "there is no message", "没有消息", "processor/supervised.py:113",
        "drop the row"),
    "no_answer": _rule("dropped", "the answer is missing or no text", "回答缺失或不是文本",
        "processor/supervised.py:113", "write the answer as text in the response column"),
    "kto_in_other_stage": _rule("dropped", "a row with a KTO tag has two answers here, and the stage wants another "
        "number", "带 KTO 标签的样本在此阶段回答数不符", "processor/supervised.py:113",
        "train with stage kto, or take `kto_tag` out of `columns`"),
    "pair_not_objects": _rule("dropped", "chosen and rejected are no objects with role and content (sharegpt, openai)",
        "chosen 与 rejected 不是含角色和内容的对象（sharegpt、openai）", "converter.py:191",
        "write chosen and rejected as objects; as text they are read by the alpaca format only"),
    "pair_not_text": _rule("dropped", "chosen and rejected are no texts (alpaca)",
        "chosen 与 rejected 不是文本（alpaca）", "converter.py:110",
        "write chosen and rejected as text; as objects they are read by the sharegpt format only"),
    "pair_malformed": _rule("fails", "chosen or rejected lacks role or content, or its role is unknown",
        "chosen 或 rejected 缺少角色或内容，或角色未知", "converter.py:197", "give both a known role and a content"),
    "pair_role": _rule("changed", "chosen or rejected has the role of a question and is rendered as one",
        "chosen 或 rejected 是提问的角色，按提问渲染", "converter.py:197", "give both the assistant's role"),
    "label_not_bool": _rule("dropped", "the KTO tag is no true or false", "KTO 标签不是布尔值",
        "processor/feedback.py:90", "write the tag as true or false"),
    "breaks_next": _rule("fails", "the row is dropped without an answer, and the next row needs it for its KL term "
        "(IndexError)", "该样本无回答被丢弃，而下一条样本的 KL 项需要它（IndexError）", "processor/feedback.py:49",
        "drop the row before training"),
    "label_flipped": _rule("changed", "a desired answer is empty: it counts as an undesired one",
        "正例的回答为空，被当作负例", "processor/feedback.py:42", "drop the row", silent=True),
    "call_malformed": _rule("fails", "a function call is no JSON with name and arguments",
        "函数调用不是含 name 与 arguments 的 JSON", "formatter.py:104",
        'write {"name": …, "arguments": {…}}, or a list of them'),
    "arguments_as_text": _rule("changed", "arguments that are text are encoded once more: the model learns a string "
        "with escaped quotes", "文本形式的参数被再次编码，模型学到带转义引号的字符串", "formatter.py:108",
        "write arguments as an object", silent=True),
    "tool_calls_malformed": _rule("fails", "tool_calls is no list of objects with function",
        "tool_calls 不是含 function 的对象列表", "converter.py:261", "write OpenAI's form"),
    "result_lost": _rule("changed", "tool results at the end of the conversation are left out",
        "对话末尾的工具结果被丢弃", "converter.py:265", "end the conversation with an answer", silent=True),
    "system_added": _rule("changed", 'the openai format adds "detailed thinking off" to the system prompt',
        "openai 格式会在系统提示中加入 “detailed thinking off”", "converter.py:343",
        "use the sharegpt format with `tags` if you do not want it", silent=True),
    "system_not_text": _rule("fails", "the system prompt is no text", "系统提示不是文本", "template.py:153",
        "write it as a string, or null for none"),
    "tools_not_text": _rule("fails", "tools are no JSON text (alpaca, sharegpt)",
        "tools 不是 JSON 文本（alpaca、sharegpt）", "formatter.py:152",
        "write the list of tools as a JSON string"),
    "tools_malformed": _rule("fails", "tools are no JSON list of objects", "tools 不是对象的 JSON 列表",
        "formatter.py:153", "write a JSON list of functions"),
    "media_malformed": _rule("fails", "images, videos or audios are no paths", "图像、视频或音频不是路径",
        "converter.py:57", "write paths as strings"),
    "role_not_rendered": _rule("fails", "the template knows no such role (tags that are off match null)",
        "模板不认识该角色（未设置的标签会匹配 null）", "template.py:166", "name all tags that the data needs"),
    "wrong_stage": _rule("fails", "ranking data is for stage dpo or rm, other data for the others",
        "ranking 数据仅用于 dpo/rm 阶段，其他数据用于其他阶段", "loader.py:178",
        "set `ranking` in dataset_info.json to fit the stage"),
    "unknown_format": _rule("fails", "formatting is not alpaca, sharegpt or openai", "formatting 不是三种之一",
        "converter.py:388", "name one of the three"),
    "too_long": _rule("truncated", "more tokens than cutoff_len: prompt and answer lose their ends, by share",
        "超过 cutoff_len：提示与回答按比例截断", "processor/processor_utils.py:76",
        "raise cutoff_len, or split the row", silent=True),
}  # fmt: skip


def _column(example: dict[str, Any], name: str | None) -> Any:
    if name is None or name not in example:
        raise StopRow("missing_column", name, None if name else "no column is named for it")
    return example[name]


def _alpaca(example: dict[str, Any], to: LlamaFactory) -> _Converted:
    prompt, notes = _history(example, to) if to.history else ([], ())
    query = [value for name in (to.prompt, to.query) if name and (value := _column(example, name))]
    for value in query:
        if not isinstance(value, str):
            raise StopRow("text_expected", to.prompt, kind_of(value))
    prompt.append(("user", "\n".join(query)))
    response, broken = _alpaca_response(example, to)
    system = _column(example, to.system) if to.system else ""
    return _Converted(prompt, response, system, _beside(example, to), notes, broken)


def _history(example: dict[str, Any], to: LlamaFactory) -> tuple[list[tuple[str, Any]], tuple[Fate, ...]]:
    history = _column(example, to.history)
    if not isinstance(history, list):
        return [], (Fate("history_ignored", to.history, kind_of(history)),) if history else ()
    prompt: list[tuple[str, Any]] = []
    for number, pair in enumerate(history):
        if not isinstance(pair, list | str | dict) or len(pair) != 2:
            raise StopRow("history_malformed", f"{to.history}[{number}]", kind_of(pair))
        question, answer = list(pair)
        prompt += [("user", question), ("assistant", answer)]
    return prompt, ()


def _alpaca_response(example: dict[str, Any], to: LlamaFactory) -> tuple[list[tuple[str, Any]], Fate | None]:
    if to.kto_tag and isinstance(tag := _column(example, to.kto_tag), bool):
        answer, empty = ("assistant", _column(example, to.response)), ("assistant", "")
        return [answer, empty] if tag else [empty, answer], None
    broken: Fate | None = None
    if to.ranking:
        pair = _text_pair(example, to)
        if not isinstance(pair, Fate):
            return pair, None
        broken = pair
    value = _column(example, to.response) if to.response else None
    if isinstance(value, str):
        return [("assistant", value)], broken
    return [], broken or Fate("no_answer", to.response, kind_of(value))


def _text_pair(example: dict[str, Any], to: LlamaFactory) -> list[tuple[str, Any]] | Fate:
    response: list[tuple[str, Any]] = []
    for name in (to.chosen, to.rejected):
        side = _column(example, name)
        if not isinstance(side, str):
            return Fate("pair_not_text", name, kind_of(side))
        response.append(("assistant", side))
    return response


def _beside(example: dict[str, Any], to: LlamaFactory) -> Any:
    """The tools; images, videos and audios are looked at for their form only."""
    tools = _column(example, to.tools) if to.tools else ""
    _media(example, to)
    return tools


def _media(example: dict[str, Any], to: LlamaFactory) -> None:
    for name in (to.images, to.videos, to.audios):
        if not name:
            continue
        value = _column(example, name)
        paths = value if isinstance(value, list) else [] if value is None else [value]
        if paths and isinstance(paths[0], str) and not all(isinstance(path, str) for path in paths):
            raise StopRow("media_malformed", name)
        if paths and isinstance(paths[0], list):
            _frames(name, paths)


def _frames(name: str, videos: list[Any]) -> None:
    for frames in videos:
        if not isinstance(frames, list | str | dict) or not all(isinstance(frame, str) for frame in frames):
            raise StopRow("media_malformed", name)


def _messages(example: dict[str, Any], to: LlamaFactory) -> list[Any]:
    messages = _column(example, to.messages)
    if messages in ({}, ""):
        return []  # nothing is what a loop over it gives
    if not isinstance(messages, list):
        raise StopRow("messages_malformed", to.messages, kind_of(messages))
    return messages


def _part(message: Any, key: str | None, where: str) -> Any:
    if not isinstance(message, dict) or key not in message:
        kind = "has no such key" if isinstance(message, dict) else kind_of(message)
        raise StopRow("messages_malformed", f"{where}.{key}", kind)
    return message[key]


def _leading_system(messages: list[Any], to: LlamaFactory) -> tuple[Any] | None:
    if not (to.system_tag and messages):
        return None
    where = f"{to.messages}[0]"
    if _part(messages[0], to.role_tag, where) != to.system_tag:
        return None
    return (_part(messages[0], to.content_tag, where),)


def _sharegpt(example: dict[str, Any], to: LlamaFactory) -> _Converted:
    messages = _messages(example, to)
    system = _leading_system(messages, to)
    given = system if system is not None else (_column(example, to.system) if to.system else "",)
    first = 0 if system is None else 1
    aligned: list[tuple[str, Any]] = []
    broken: Fate | None = None
    roles, accepted = to.roles, to.accepted
    for place, message in enumerate(messages[first:] if first else messages):
        where = f"{to.messages}[{place + first}]"
        role = _part(message, to.role_tag, where)
        if role not in accepted[place % 2]:
            broken = Fate("role_order", f"{where}.{to.role_tag}", _role_words(role, place, to))
            break
        aligned.append((roles[role], _part(message, to.content_tag, where)))
    broken = broken or _miscounted(aligned, to)
    made = _paired(example, to, aligned, broken)
    return made._replace(system=given[0], tools=_beside(example, to))


def _role_words(role: Any, place: int, to: LlamaFactory) -> str:
    known = isinstance(role, str) and role in to.roles
    side = "a question" if place % 2 == 0 else "an answer"
    return f"{shown(role)} where {side} is expected" if known else f"unknown role {shown(role)}"


def _miscounted(aligned: list[tuple[str, Any]], to: LlamaFactory) -> Fate | None:
    if (len(aligned) % 2 == 0) is not to.ranking:
        return None if aligned else Fate("no_messages", to.messages)
    return Fate("message_count" if aligned else "no_messages", to.messages, f"{len(aligned)} messages")


def _paired(
    example: dict[str, Any], to: LlamaFactory, aligned: list[tuple[str, Any]], broken: Fate | None
) -> _Converted:
    """The second half of the sharegpt and the openai converter: what is prompt, what is response."""
    notes: tuple[Fate, ...] = ()
    prompt, response = aligned[:-1], aligned[-1:]
    if broken is not None and not (broken.reason == "no_messages" and not to.ranking):
        prompt, response = [], []
    elif to.kto_tag and isinstance(tag := _column(example, to.kto_tag), bool):
        empty = ("assistant", "")
        response = [*response, empty] if tag else [empty, *response]
    elif to.ranking:
        pair = _object_pair(example, to)
        if isinstance(pair, Fate):
            broken = pair
        else:
            prompt, response, notes = aligned, *pair
    return _Converted(prompt, response, notes=notes, broken=broken)


def _object_pair(example: dict[str, Any], to: LlamaFactory) -> Fate | tuple[list[tuple[str, Any]], tuple[Fate, ...]]:
    sides: list[Any] = []
    for name in (to.chosen, to.rejected):
        sides.append(_column(example, name))
        if not isinstance(sides[-1], dict):
            return Fate("pair_not_objects", name, kind_of(sides[-1]))
    response: list[tuple[str, Any]] = []
    notes: list[Fate] = []
    for name, side in zip((to.chosen, to.rejected), sides, strict=True):
        role = side.get(to.role_tag)
        if to.role_tag not in side or to.content_tag not in side or not _has(to.roles, role):
            raise StopRow("pair_malformed", name)
        if role not in to.accepted[1]:
            notes.append(Fate("pair_role", f"{name}.{to.role_tag}", shown(role)))
        response.append((to.roles[role], side[to.content_tag]))
    return response, tuple(notes)


def _has(table: Mapping[Any, Any], key: Any) -> bool:
    return (key is None or isinstance(key, str)) and key in table


def _openai(example: dict[str, Any], to: LlamaFactory) -> _Converted:
    messages = _messages(example, to)
    leading = _leading_system(messages, to)
    system = leading[0] if leading is not None else (example.get(to.system, "") if to.system else "")
    aligned, lost = _openai_aligned(messages, to, 0 if leading is None else 1)
    broken: Fate | None = None
    for place, (role, _) in enumerate(aligned):
        if role not in (_QUESTIONS, _ANSWERS)[place % 2]:
            broken = Fate("role_order_openai", to.messages, f"turn {place + 1} is {role}")
            break
    made = _paired(example, to, aligned, broken or _miscounted(aligned, to))
    _media(example, to)
    tools = example.get(to.tools, "") if to.tools else ""
    tools = json.dumps(tools, ensure_ascii=False) if isinstance(tools, dict | list) else tools
    system, added = _with_thinking(system, tools)
    notes = (*made.notes, *lost, *((Fate("system_added"),) if added else ()))
    return made._replace(system=system, tools=tools, notes=notes)


def _openai_aligned(
    messages: list[Any], to: LlamaFactory, first: int
) -> tuple[list[tuple[str, Any]], tuple[Fate, ...]]:
    aligned: list[tuple[str, Any]] = []
    results: list[Any] = []
    for place, message in enumerate(messages[first:], first):
        where = f"{to.messages}[{place}]"
        role, content = _part(message, to.role_tag, where), _part(message, to.content_tag, where)
        if role in (to.assistant_tag, to.function_tag) and (calls := message.get("tool_calls")):
            content, role = _openai_calls(calls, where), to.function_tag
        if role == to.observation_tag:
            results.append(content)
            continue
        if results:
            aligned.append(("observation", _joined_results(results, where)))
            results = []
        if not _has(to.roles, role):
            raise StopRow("unknown_role", f"{where}.{to.role_tag}", shown(role))
        aligned.append((to.roles[role], content))
    return aligned, (Fate("result_lost", to.messages, f"{len(results)} results"),) if results else ()


def _joined_results(results: list[Any], where: str) -> str:
    if not all(isinstance(result, str) for result in results):
        raise StopRow("text_expected", where, "a tool result is no text")
    return "\n</tool_response>\n<tool_response>\n".join(results)


def _openai_calls(calls: Any, where: str) -> str:
    listed = calls if isinstance(calls, list) else [calls]
    if not isinstance(calls, list) or not all(isinstance(call, dict) and "function" in call for call in listed):
        raise StopRow("tool_calls_malformed", f"{where}.tool_calls", kind_of(calls))
    return json.dumps([call["function"] for call in calls], ensure_ascii=False)


def _with_thinking(system: Any, tools: Any) -> tuple[Any, bool]:
    """The system prompt as the openai converter leaves it, and whether it was changed (converter.py:343)."""
    short = "detailed thinking off"
    if not system:
        return (system, False) if tools else (short, True)
    if isinstance(system, list):
        return system, False  # a list takes the letters; it is refused where it is rendered
    if not isinstance(system, str):
        raise StopRow("system_not_text", None, kind_of(system))
    if tools:
        return f"{system}\n", False
    if "detailed thinking on" in system or short in system:
        return system, False
    return f"{system}\n{short}", True


_CONVERTERS: dict[str, Callable[[dict[str, Any], LlamaFactory], _Converted]] = {
    "alpaca": _alpaca,
    "sharegpt": _sharegpt,
    "openai": _openai,
}


class _Rendered(NamedTuple):
    """Messages in standard roles, as the template takes them, and what was changed on the way."""

    messages: list[dict[str, Any]]
    notes: tuple[Fate, ...] = ()


def _rendered(made: _Converted, messages: list[tuple[str, Any]], *, tools: bool = True) -> _Rendered:
    """What the template's formatters make of messages; they stop the run at whatever is no text."""
    if tools:
        _check_tools(made.tools)
    if made.system and not isinstance(made.system, str):
        raise StopRow("system_not_text", None, kind_of(made.system))
    rendered: list[dict[str, Any]] = [{"role": "system", "content": made.system}] if made.system else []
    notes: tuple[Fate, ...] = ()
    for place, (role, content) in enumerate(messages):
        if role == "system":
            raise StopRow("role_not_rendered", None, f"turn {place + 1}")
        if not isinstance(content, str):
            raise StopRow("text_expected", None, f"turn {place + 1}: {kind_of(content)}")
        if role == "function":
            message, quoted = _function(content, place)
            rendered.append(message)
            notes = (*notes, Fate("arguments_as_text", None, f"turn {place + 1}")) if quoted else notes
        else:
            rendered.append({"role": _STANDARD[role], "content": content})
    return _Rendered(rendered, notes)


def _function(content: str, place: int) -> tuple[dict[str, Any], bool]:
    """A message of calls; whether some arguments are text. The rest of the content stays as the thought."""
    marked = _CALL.search(content)
    thought = None if marked else _THOUGHT.search(content)
    text = marked[1] if marked else content.replace(thought[0], "") if thought else content
    kept = content.replace(marked[0], "") if marked else thought[0] if thought else ""
    try:
        calls = json.loads(text)
    except (ValueError, RecursionError):
        raise StopRow("call_malformed", None, f"turn {place + 1}: not JSON") from None
    listed = calls if isinstance(calls, list) else [calls]
    for call in listed:
        if not isinstance(call, dict) or "name" not in call or "arguments" not in call:
            raise StopRow("call_malformed", None, f"turn {place + 1}: no name or no arguments")
    functions = [
        {"type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}} for call in listed
    ]
    quoted = any(isinstance(call["arguments"], str) for call in listed)
    return {"role": "assistant", "content": kept, "tool_calls": functions}, quoted


def _check_tools(tools: Any) -> None:
    if tools:
        _tool_list(tools)


def _tool_list(tools: Any) -> list[Any]:
    if not isinstance(tools, str):
        raise StopRow("tools_not_text", None, kind_of(tools))
    try:
        listed = json.loads(tools)
    except (ValueError, RecursionError):
        raise StopRow("tools_malformed", None, "not JSON") from None
    if listed in ([], {}, ""):
        return []
    if not isinstance(listed, list) or not all(isinstance(tool, dict) for tool in listed):
        raise StopRow("tools_malformed", None, kind_of(listed))
    return listed


def _sft(made: _Converted, to: LlamaFactory) -> Reading:
    if len(made.prompt) % 2 != 1 or len(made.response) != 1:
        return _dropped(made, to)
    out = _rendered(made, [*made.prompt, *made.response])
    loss: Loss = "all" if to.train_on_prompt else "last_turn" if to.mask_history else "assistant"
    trained = Trained(loss, messages=out.messages, tools=_tool_list(made.tools) if made.tools else None)
    return Reading((*made.notes, *out.notes), trained)


def _dropped(made: _Converted, to: LlamaFactory) -> Reading:
    broken = made.broken or Fate("kto_in_other_stage" if len(made.response) > 1 else "no_answer", to.kto_tag)
    return Reading((*made.notes, broken))


def _dpo(made: _Converted, to: LlamaFactory) -> Reading:
    if len(made.prompt) % 2 != 1 or len(made.response) < 2:
        return _dropped(made, to)
    out = _rendered(made, [*made.prompt, made.response[0]])
    other = _rendered(made, [*made.prompt, made.response[1]])
    notes = (*made.notes, *dict.fromkeys((*out.notes, *other.notes)))
    tools = _tool_list(made.tools) if made.tools else None
    prompt, chosen, rejected = out.messages[:-1], out.messages[-1:], other.messages[-1:]
    return Reading(notes, Trained("completion", prompt=prompt, chosen=chosen, rejected=rejected, tools=tools))


def _kto(made: _Converted, to: LlamaFactory) -> Reading:
    if len(made.response) < 2 and not _lends(made.response):
        cause = made.broken
        return Reading((*made.notes, Fate("breaks_next", cause.where if cause else None, cause and cause.reason)))
    if len(made.prompt) % 2 != 1 or len(made.response) < 2:
        return Reading((*made.notes, _unlabelled(made, to)))
    first, second = made.response
    label = bool(first[1])
    out = _rendered(made, [*made.prompt, first if label else second])
    flipped = not label and first != ("assistant", "")
    emptied = first == ("assistant", "") == second
    notes = (*made.notes, *out.notes, *((Fate("label_flipped", to.response),) if flipped or emptied else ()))
    tools = _tool_list(made.tools) if made.tools else None
    return Reading(
        notes,
        Trained("completion", prompt=out.messages[:-1], response=out.messages[-1:], label=label, tools=tools),
    )


def _lends(response: list[tuple[str, Any]]) -> bool:
    """Whether the answer of a dropped row can stand in the next row's KL term."""
    try:
        return bool(response and response[0][1]) and bool(_rendered(_Converted([], []), response))
    except StopRow:
        return False


def _unlabelled(made: _Converted, to: LlamaFactory) -> Fate:
    if len(made.response) == 1:
        return Fate("label_not_bool", to.kto_tag)
    return made.broken or Fate("no_messages", to.messages)


def _read(
    record: dict[str, Any], to: LlamaFactory, seen: Seen, stage: Callable[[_Converted, LlamaFactory], Reading]
) -> Reading:
    """The fates of a record in a stage, and what is trained of it."""
    convert = _CONVERTERS.get(to.formatting)
    if convert is None:
        raise StopRow("unknown_format")
    return stage(convert(as_loaded(record, seen), to), to)


def cut(settings: LlamaFactory, *, pair: bool) -> Cut:
    """Shares of cutoff_len: turn by turn, or between a prompt and its answer."""
    limit = settings.cutoff_len - (1 if settings.packing or settings.neat_packing else 0)
    return Cut(limit, "pair" if pair else "turns", last_first=settings.mask_history and not pair)


def before(settings: LlamaFactory, _seen: Seen, *, ranking: bool) -> tuple[Fate, ...]:
    """What stops the run before any row."""
    wrong = (Fate("wrong_stage", None, f"ranking is {str(settings.ranking).lower()}"),)
    return (wrong if settings.ranking is not ranking else ()) + (
        () if settings.formatting in _CONVERTERS else (Fate("unknown_format"),)
    )


def _first(settings: LlamaFactory) -> int | None:
    return settings.max_samples


def _mode(name: str, stage: Callable[[_Converted, LlamaFactory], Reading], *, ranking: bool, pair: bool) -> Mode:
    return Mode(
        name=f"llamafactory.{name}",
        upstream=UPSTREAM,
        settings=LlamaFactory,
        read=guarded(partial(_read, stage=stage)),
        rules=RULES,
        cut=partial(cut, pair=pair),
        before=partial(before, ranking=ranking),
        first=_first,
        run_here=True,
        roles={"user": ("human",), "assistant": ("gpt",), "tool": ("observation",), "system": ("system",)},
        role_rules=frozenset(
            {
                "role_order",
                "role_order_openai",
                "unknown_role",
                "message_count",
                "no_messages",
                "role_not_rendered",
                "pair_role",
            }
        ),
        tool_arguments="object",
        not_covered=(
            "what single templates demand beyond text: tool schemas, media plugins, thoughts of reasoning templates",
            "`val_size`, `num_samples`, mixing of several datasets: which rows are drawn is random",
            "whether image, video and audio files are there (check missing_files)",
            "stages pt and ppo, and the newer loader for v1 files (contents of parts, loss_weight)",
        ),
    )


MODES = {
    "sft": _mode("sft", _sft, ranking=False, pair=False),
    "dpo": _mode("dpo", _dpo, ranking=True, pair=True),
    "rm": _mode("rm", _dpo, ranking=True, pair=True),
    "kto": _mode("kto", _kto, ranking=False, pair=True),
}
