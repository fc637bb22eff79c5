"""What is wrong with the tools and tool calls of each row: definitions, arguments, names and ids."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import jiter
import polars as pl

from datacheck.chat.tool_schema import Tools, from_json, read_tools, violations
from datacheck.check import Feature, Message, View
from datacheck.features.tool_use import tool_use
from datacheck.text.gated import one_of
from datacheck.trainers.base import type_of

# Calls that stand in the text: Hermes and Qwen, Llama, Mistral, ReAct (as LLaMA-Factory renders it).
_MARKS = one_of(["<tool_call>", "<function=", "[TOOL_CALLS]", "Action:"])
# A call as JSON in prose or a code block, as Python, or between a template's own marks: the name is the first group.
_KEYS = "name|function|function_name|tool|tool_name|api|api_name|action"
_GIVEN = "arguments|parameters|args|kwargs|input|tool_input|action_input|params"
_AS_JSON = re.compile(rf'\{{\s*"(?:{_KEYS})"\s*:\s*"([^"\n]{{1,100}})"\s*,\s*"(?:{_GIVEN})"\s*:')
_AS_PYTHON = re.compile(
    r"\s*(?:```\w*\s*)?\[?([A-Za-z_][\w.]{0,99})\((?:\s*|\s*[A-Za-z_]\w*\s*=.*)\)\]?\s*(?:```)?\s*", re.DOTALL
)
_MARKED = re.compile(
    r"<tool_call>|<function=|<functioncall>|\[TOOL_CALLS\]|^Action:[^\n]*\n+Action Input:", re.MULTILINE
)
_PART = r"^(.+)\[\d+\]$"  # a part of a list content
_THOUGHT = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)  # LLaMA-Factory lets one stand before the call
_SHOWN = 3  # violations per call
_SAYS_SO = re.compile(r"(?i)(?:\.\.\.|…|truncated|omitted|截断|截斷|省略)\W*$")  # a result that its tool cut says so
# A whole value that nobody filled in.
_PLACEHOLDER = re.compile(
    r"<[A-Za-z][A-Za-z_ ]{1,40}>|\{\{\s*\w+\s*\}\}|\[(?:insert|your) [^\]\n]{1,40}\]"
    r"|\[?<?(?:YOUR|INSERT)_[A-Z_]{2,40}>?\]?|your_[a-z_]{2,30}|<你的\w{1,10}>|[请請][输輸]入\w{1,10}|待填[写寫]"
)
# A tool whose definition a result gives, as a search for tools does.
_FOUND = re.compile(r'"name"\s*:\s*"([\w.-]{1,100})"')
_SCHEMAS = r'"(?:inputSchema|input_schema|parameters)"\s*:'
_OPEN = {"additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref"}  # what else a schema may take

Fact = tuple[str | None, str, Message | str | None]  # where, name, what is said (text: of note:keys)


class CallMessage(NamedTuple):
    """A message as far as calls are concerned.

    calls: JSON text; in_content: it stood in the content (ShareGPT's function_call, ms-swift's tool_call);
    parts: (path, JSON text) of calls that are parts of the content (LLaMA-Factory v1, Anthropic's tool_use);
    result_id: its tool_call_id, or tool_use_id; opaque: it holds calls that cannot be read (in the text); text: what an
    assistant says, or a result with definitions of tools.
    """

    role: str | None
    path: str
    calls: str | None = None
    in_content: bool = False
    parts: tuple[tuple[str, str | None], ...] = ()
    result_id: str | None = None
    opaque: bool = False
    text: str | None = None

    @property
    def place(self) -> str:
        """The path of the message itself."""
        return self.path.rpartition(".")[0] or self.path


class ToolFacts(Feature):
    """`row`, `where`, `name`, `said`: one line per fact about a row that has tools, calls or results.

    Facts are problems (see the check tool_call_errors), and notes that begin with "note:": subject, no_tools, opaque,
    rejected, empty_result and cut_result (`_results`), results (one line for the part: how many there are, and how many
    of them are JSON), marked (a call between a template's marks), the shape of arguments (message.string,
    message.object, content.string, content.object), and keys: in `said`, as JSON, a call's [function, arguments that
    are set, arguments that are null], where they are an object.
    Answers that must not be learnt (rejected, or labelled false) may hold wrong calls on purpose: they are left out.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "name": pl.String, "said": pl.String}

    def compute(self, part: View) -> pl.DataFrame:
        """Collect the rows that are concerned, then look at each in Python."""
        turns, ids, parts, results = _concerned(part)
        found: list[tuple[int, str | None, str, str | None]] = []
        for (row,), table in turns.group_by("row", maintain_order=True):
            messages, tools, notes = _row_of(table, ids, parts, results)
            for where, name, said in (*notes, *row_facts(messages, tools)):
                found.append((row, where, name, said.packed if isinstance(said, Message) else said))
        return pl.DataFrame(found + (_results(part) if turns.height else []), schema=self.columns, orient="row")


def _results(part: View) -> list[tuple[int, str | None, str, str | None]]:
    """Which results are empty, or JSON that was cut off, and how many there are, and are JSON.

    Cut off: it is JSON as far as it goes, and does not end in dots, or words that say so.
    """
    told = part.turns.filter(pl.col("role") == "tool", pl.col("part") != "rejected", pl.col("tool_calls").is_null())
    plain = pl.col("text").fill_null("").str.strip_chars()
    results = told.select("row", "path", "content_type", text=plain).collect()
    found: list[tuple[int, str | None, str, str | None]] = []
    begun, whole = results.filter(pl.col("text").str.contains(r"^[{\[]")), 0
    for row, path, text in begun.select("row", "path", "text").iter_rows():
        cut = _cut_off(text)
        whole += cut is False
        if cut:
            found.append((row, path, "note:cut_result", Message("JSON that goes on: its end was cut off").packed))
    nothing = results.filter(pl.col("text") == "", ~pl.col("content_type").is_in(["array", "object"]))  # no picture
    for row, path in nothing.select("row", "path").iter_rows():
        found.append((row, path, "note:empty_result", Message("the result says nothing").packed))
    counts = json.dumps([results.height, whole])
    return [*found, (results["row"][0], None, "note:results", counts)] if results.height else []


def _cut_off(text: str) -> bool | None:
    """Whether a text that begins like JSON is the beginning of some; None where it is none at all."""
    try:
        jiter.from_json(text.encode())
    except ValueError:
        if _SAYS_SO.search(text):
            return None
    else:
        return False
    try:
        jiter.from_json(text.encode(), partial_mode=True)
    except ValueError:
        return None
    return True


_Ids = dict[tuple[int, str], str | None]
_Parts = dict[tuple[int, str], list[tuple[str, str, str | None]]]
_Results = dict[tuple[int, str], list[tuple[str, str | None]]]


def _concerned(part: View) -> tuple[pl.DataFrame, _Ids, _Parts, _Results]:
    """The turns of rows with tools, calls or results; the result ids by message; calls, and results, by content."""
    path = pl.col("path")
    typed = part.cells.filter(
        pl.col("text").is_in(["tool_call", "tool_calls", "tool_use"]), path.str.ends_with("].type")
    )
    typed = typed.select("row", part=path.str.strip_suffix(".type"), kind="text")
    values = part.cells.filter(path.str.ends_with("].value")).select(
        "row", "text", part=path.str.strip_suffix(".value")
    )
    in_parts = typed.join(values, on=["row", "part"], how="left", maintain_order="left").collect()
    parts: _Parts = {}
    results: _Results = {}
    uses = tool_use(part)
    for row, where, kind, text in in_parts.iter_rows():
        said = uses.calls.get((row, where)) if kind == "tool_use" else text
        parts.setdefault((row, re.sub(_PART, r"\1", where)), []).append((where, kind, said))
    for (row, where), own in uses.results.items():
        results.setdefault((row, re.sub(_PART, r"\1", where)), []).append((where, own))
    called = part.turns.filter(
        (pl.col("part") == "tools") | pl.col("tool_calls").is_not_null() | (pl.col("role") == "tool")
    )
    rows = pl.concat([called.select("row"), in_parts.lazy().select("row")]).unique()
    given = part.cells.filter(path.str.ends_with(".tool_call_id"), pl.col("text").is_not_null())
    ids = given.select("row", path.str.strip_suffix(".tool_call_id"), "text").collect()
    text = pl.col("text")
    turns = (
        part.turns.filter(pl.col("part").is_in(["prompt", "response", "chosen", "rejected", "tools"]))
        .join(rows, on="row", how="semi", maintain_order="left")
        .join(part.rows.select("row", "label"), on="row", how="left", maintain_order="left")
        .select(
            ["row", "part", "role", "path", "tool_calls", "label"],
            in_content=text.is_null() & pl.col("content_type").is_in(["string", "object", "array"]),
            marked=text.str.contains(_MARKS).fill_null(value=False),
            tools=pl.when(pl.col("part") == "tools").then(text),
            said=pl.when(
                (pl.col("role") == "assistant") | ((pl.col("role") == "tool") & text.str.contains(_SCHEMAS))
            ).then(text),
        )
        .collect()
    )
    return turns, {(row, place): own for row, place, own in ids.iter_rows()}, parts, results


def _row_of(
    table: pl.DataFrame, ids: _Ids, parts: _Parts, results: _Results
) -> tuple[list[CallMessage], list[tuple[str, str]], list[Fact]]:
    """The messages that count, the (path, text) of tool definitions, and notes about the rest."""
    messages: list[CallMessage] = []
    tools: list[tuple[str, str]] = []
    notes: list[Fact] = [(None, "note:subject", None)]
    for row, part, role, path, calls, label, in_content, marked, defined, said in table.iter_rows():
        if part == "tools":
            tools.append((path, defined or ""))
            continue
        own = parts.get((row, path), [])
        unwanted = part == "rejected" or (part == "response" and label == "false")
        if unwanted and (calls is not None or own):
            notes.append((path, "note:rejected", None))
        if unwanted:
            continue
        messages += [CallMessage("tool", where, result_id=of) for where, of in results.get((row, path), [])]
        readable = tuple((where, text) for where, kind, text in own if kind != "tool_use" or text is not None)
        opaque = role == "assistant" and (marked or len(readable) < len(own))
        message = CallMessage(role, path, calls, calls is not None and in_content, readable, opaque=opaque, text=said)
        messages.append(message._replace(result_id=ids.get((row, message.place))))
        if opaque:
            notes.append((path, "note:opaque", None))
    return messages, tools, notes


class Call(NamedTuple):
    """One call: where it stands, and what it is made of (`problem` if it cannot be read)."""

    where: str
    own_id: str | None = None
    name: str | None = None
    arguments: Any = None
    under: str = ""  # where the arguments stand below `where`
    free: bool = False  # a custom tool: its input is any text
    problem: Fact | None = None


def calls_of(message: CallMessage) -> list[Call]:
    """The calls of a message, in order; none for null, an empty list or an empty string."""
    found: list[Call] = []
    if message.calls and message.calls.strip():
        where = message.path if message.in_content else f"{message.place}.tool_calls"
        found += _listed(_THOUGHT.sub("", message.calls) if message.in_content else message.calls, where, message)
    for where, text in message.parts:
        found += _listed(text or "", where, message)
    return found


def _listed(text: str, where: str, message: CallMessage) -> Iterator[Call]:
    try:
        value = from_json(text)
    except ValueError:
        yield Call(where, problem=(where, "call_malformed", Message("not JSON")))
        return
    if isinstance(value, dict) and where == f"{message.place}.tool_calls":
        where = f"{message.place}.function_call"
    if value is None:
        return
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield _call(item, f"{where}[{number}]")
    else:
        yield _call(value, where)


def _call(item: Any, where: str) -> Call:
    if isinstance(item, str):
        try:
            item = from_json(item)
        except ValueError:
            return Call(where, problem=(where, "call_malformed", Message("not JSON")))
    if not isinstance(item, dict):
        return Call(where, problem=(where, "call_malformed", Message("not an object")))
    own_id = item.get("id")
    own_id = own_id if isinstance(own_id, str) and own_id else None
    custom, inner, under = item.get("custom"), item.get("function"), ".arguments"
    if isinstance(custom, dict):
        return Call(where, own_id, _name(custom), free=True)
    if isinstance(inner, dict):
        item, under = inner, ".function.arguments"
    if _name(item) is None:
        return Call(where, own_id, problem=(where, "call_malformed", Message("no function name")))
    if "input" in item and "arguments" not in item:  # Anthropic's
        return Call(where, own_id, _name(item), item["input"], ".input")
    if "arguments" not in item:
        return Call(
            where, own_id, _name(item), problem=(where + under, "arguments_not_object", Message("no arguments"))
        )
    return Call(where, own_id, _name(item), item["arguments"], under)


def _name(item: dict[str, Any]) -> str | None:
    name = item.get("name")
    return name if isinstance(name, str) and name else None


def row_facts(messages: list[CallMessage], tools: list[tuple[str, str]]) -> Iterator[Fact]:
    """Everything about one conversation: its tool definitions, each call, and how calls and results pair."""
    functions: dict[str, Any] = {}
    understood = True
    for path, text in tools:
        read = read_tools(text)
        functions |= read.functions
        if read.problem is not None:
            understood = False
            yield path, read.problem, read.detail
    calls = [calls_of(message) for message in messages]
    yield from _shapes(messages, calls)
    defined = Tools(functions) if functions and understood else None
    if understood and not functions and any(calls):
        yield None, "note:no_tools", None
        if empty := next((path for path, text in tools if text.strip() == "[]"), None):
            yield empty, "tools_empty", Message("the list is empty, and calls are made")
    found: set[str] = set()
    for message, listed in zip(messages, calls, strict=True):
        if message.role == "tool":
            found.update(_FOUND.findall(message.text or ""))
        for call in listed:
            yield from call_facts(call, None if call.name in found - functions.keys() else defined)
    for message, listed in zip(messages, calls, strict=True):
        yield from _keys(message, listed)
        if not listed:
            yield from _in_text(message, functions)
    yield from Pairing().facts(messages, calls)


def _in_text(message: CallMessage, functions: Mapping[str, Any]) -> Iterator[Fact]:
    """A call of an offered function that stands in what an assistant says, behind its thinking."""
    said = (message.text or "").rpartition("</think>")[2]
    if not functions or not said or message.role != "assistant":
        return
    if _MARKED.search(said):
        yield message.path, "note:marked", Message("between the marks of a chat template")
        return
    named = next((found[1] for found in _AS_JSON.finditer(said) if found[1] in functions), None)
    python = None if named else _AS_PYTHON.fullmatch(said)
    if named or (python and python[1] in functions):
        yield (
            message.path,
            "call_in_text",
            Message("{name} is called in the text", name=named or (python[1] if python else "")),
        )


def _shapes(messages: list[CallMessage], calls: list[list[Call]]) -> Iterator[Fact]:
    """The first place of each shape of arguments: JSON in a string, or an object."""
    first: dict[str, str] = {}
    for message, listed in zip(messages, calls, strict=True):
        home = "content" if message.in_content or message.parts else "message"
        for call in listed:
            if isinstance(call.arguments, str | dict):
                kind = "string" if isinstance(call.arguments, str) else "object"
                first.setdefault(f"note:{home}.{kind}", call.where + call.under)
    for name, where in first.items():
        yield where, name, None


def _keys(message: CallMessage, calls: list[Call]) -> Iterator[Fact]:
    """Which arguments each call of a message sets, and which it has as null; calls that stand as text have no table."""
    for call in calls if not message.in_content and not message.parts else ():
        if isinstance(call.arguments, dict):
            names = (
                [key for key, value in call.arguments.items() if (value is None) is null] for null in (False, True)
            )
            yield call.where + call.under, "note:keys", json.dumps([call.name, *names], ensure_ascii=False)


def call_facts(call: Call, tools: Tools | None) -> Iterator[Fact]:
    """What is wrong with one call; without tools only its form can be judged."""
    if call.name and tools and call.name not in tools.functions:
        yield call.where, "unknown_function", Message("{name} is not among the tools", name=call.name)
    if call.problem is not None:
        yield call.problem
        return
    if call.free:
        return
    where, arguments = call.where + call.under, call.arguments
    if isinstance(arguments, str):
        try:
            arguments = from_json(arguments)
        except ValueError:
            yield where, "arguments_not_json", Message("the string is not JSON")
            return
    if not isinstance(arguments, dict):
        yield where, "arguments_not_object", type_of(arguments)
        return
    schema = tools.functions.get(call.name) if tools and call.name else None
    yield from _strange(where, arguments, schema)
    for path, what, null in violations(arguments, schema)[:_SHOWN]:
        yield (
            where,
            "null_argument" if null else "arguments_invalid",
            Message("{path} {what}", path=path, what=what) if path else what,
        )


def _strange(where: str, arguments: dict[str, Any], schema: Any) -> Iterator[Fact]:
    """Arguments that a closed list of parameters does not name, and values that nobody filled in."""
    for name, value in arguments.items():
        if isinstance(value, str) and _PLACEHOLDER.fullmatch(value):
            yield where, "placeholder_argument", Message("{path} was never filled in", path=name)
    declared = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(declared, dict) and declared and not _OPEN & schema.keys():
        for name in sorted(arguments.keys() - declared.keys())[:_SHOWN]:
            if arguments[name] is not None:
                yield where, "undeclared_argument", Message("{path} is not a parameter", path=name)


class Pairing:
    """Walks a conversation and pairs calls with results, by id where there are ids, else by order and number."""

    def __init__(self) -> None:
        self.open: list[Call] = []  # calls that have no result yet
        self.ids: set[str] = set()
        self.answered: set[str] = set()
        self.results = 0  # since the last call
        self.joined = False  # one result may answer several calls: ShareGPT and ms-swift write them together
        self.unknown = False  # the last assistant holds calls that cannot be read

    def facts(self, messages: list[CallMessage], calls: list[list[Call]]) -> Iterator[Fact]:
        """Problems with ids and with calls and results that lack each other."""
        for message, listed in zip(messages, calls, strict=True):
            if message.role == "tool":
                yield from self._result(message)
                continue
            goes_on = bool(listed) and not self.results
            if not goes_on:
                yield from self._close()
            self.unknown = message.opaque
            for call in listed:
                if call.own_id in self.ids:
                    yield call.where, "duplicate_id", Message("another call has this id")
                elif call.own_id is not None:
                    self.ids.add(call.own_id)
                self.open.append(call)
                self.joined |= call.own_id is None and (message.in_content or bool(message.parts))

    def _result(self, message: CallMessage) -> Iterator[Fact]:
        self.results += 1
        if self.unknown:
            return
        where, own = message.path, message.result_id
        match = next((n for n, call in enumerate(self.open) if own is not None and call.own_id == own), None)
        if match is not None:
            self.answered.add(own or "")
            del self.open[match]
        elif own is not None and own in self.answered:
            yield where, "duplicate_id", Message("another result answers this call")
        elif not self.open:
            yield where, "result_without_call", Message("no call is open")
        elif own is not None and all(call.own_id for call in self.open):
            yield where, "result_without_call", Message("no open call has this id")
        else:
            call = self.open.pop(0)
            if own is not None:
                yield call.where, "id_missing", Message("its result names an id")
            elif call.own_id is not None:
                yield where, "id_missing", Message("its call has an id")

    def _close(self) -> Iterator[Fact]:
        """The conversation goes on: whatever is still open has no result."""
        if not (self.joined and self.results):
            for call in self.open:
                yield call.where, "call_without_result", Message("the conversation goes on without it")
        self.open, self.results, self.joined = [], 0, False
