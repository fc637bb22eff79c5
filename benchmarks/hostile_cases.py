"""A second generator of hostile rows for installed_trainers.py, made apart from the first (benchmarks/trainers.py).

The first puts a wrong value in every place. This one begins with talks as people have them, of a few turns in several
scripts, and does to them what exporters,
spreadsheets and merges of two sources do: one to three faults of a list with
names, to one row of a file, to some, or to a whole column. In half of the files they are mild ones, which most rows
survive, so that tokens and labels are compared and not only fates.
"""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

Row = dict[str, Any]
Place = tuple[Any, Any]  # (what holds it, its key or number)
_SAID = (
    "How long is the Nile?", "约 6,650 公里。", "def f(x):\n    return x  # ok", "1 + 1 = 2", "Да, конечно.",
    "mañana 🙂",
    "one\u2028two\u2029three", "a\u0085b\u00a0c", "\ufeffBOM first", "tail  ", "\n\nlead", "tab\there",
    "zero\u200bwidth",
    "<b>html</b> &amp; more", "null", "NaN", "True", "[1, 2]", '{"a": 1}', "2024-05-06", "2024-05-06T07:08:09Z",
    "007",
    "1e5", "<think>hm</think> yes", "<|im_start|>", "line\r\nline", "e\u0301", "کتاب", "x" * 300,
)  # fmt: skip
_DATES = (
    "2024-05-06",
    "2024-05-06 07:08:09",
    "2024-05-06T07:08:09+02:00",
    "1999-12-31T23:59:60Z",
    "05/06/2024",
    "09:30:00",
    "2024-05-06T07:08",
    "2024-05-06T07",
    "2024-05-06 07:08:09.123456789",
    "2024-05-06T07:08:09-0330",
    "20240506",
    "2024-5-6",
    "2024-W19-1",
    "0001-01-01",
    "9999-12-31T23:59:59-14:00",
    "2023-02-29",
    "-2024-05-06",
    " 2024-05-06",
    "2024-05-06T24:00:00",
)
_NUMBERS: tuple[Any, ...] = (
    0, -1, 3.0, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**25, 1e300, "12", "3.50",
    0.3, 0.1 + 0.2, 0.123456789012, 1e-7, -1e-11, 1e22, 1e16, 123456789.123456789, -0.0, 5e-324, 1.7976931348623157e308,
    1e15, 99999999999999.99, -(2**63), 2**64 - 1, 2**64, -(2**64), 12345678901234567890.5, 1e-15, 1e-16, 0.99999999999,
    4.35, 1e100, "0.3", "1e-7", "1e400", "-0", "+1", "0x10", "1_000", ".5", "5.", "١٢", "Infinity", "-Infinity",
    "1e", "00",
)  # fmt: skip
_HALVES = ("\ud83d", "so \udc00 it", "\ud83d\ud83d\ude00")  # of surrogate pairs, which JSON can hold escaped
_JSON = ("[]", "{}", '{"role": "user", "content": "x"}', '["a"]', "[[]]", "3", "true", '"quoted"', "[1,", '{"a":null}')
_ROLES = ("System", "USER", "developer", "ipython", "model", "", "user ", "bot", "Assistant", "tool_calls", "human",
"gpt",
          "function", "critic", None, 3)  # fmt: skip
_EXTRA: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("input_ids", ([1, 2, 3], None, "1 2", [], [[1]])), ("labels", ([1, -100], "x", None)), ("margin", (0.5, None,
    "1", 2)),
    ("label", (True, False, None, 1, "true", "good")), ("text", ("whole text", None, 5, "")), ("id", (7, "7", None)),
    ("images", ([], None, ["a.png"], "a.png")), ("tools", ([], None, "", "[]", "none", {})), ("weight", (0, 1, 0.5)),
    ("system", ("be kind", "", None)), ("metadata", ({}, {"a": []}, {"b": {"c": None}}, [], "x")), ("source",
    ("web", None)),
    ("prompt", ("what?", None)), ("completion", ("that", [])), ("score", (math.nan, 1.5)), ("date", _DATES),
    ("attention_mask", ([1, 1], None)), ("chat_template_kwargs", ({}, None, {"enable_thinking": False})),
    ("channel", ("c", None)), ("objects", ({}, None)), ("history", ([], None, [["a", "b"]])), ("videos", ([], None)),
    ("completions", (["a", "b"], [], None, "a")), ("labels", ([True, False], [1], [0.5, -1])),
    ("image", (None, "a.png")),
    ("solution", ("42", 42, 0.3, None, ["42"])), ("chosen", ("that", None, [])), ("rejected", ("no", None)),
    ("messages", (None, [], "hi", [{"role": "user", "content": "x"}])),
    ("margin", (-0.0, 1e-7, [0.5], True, "0.5", 1e22)),
    ("label", ("False", 0.0, 2, -1, [], {}, "")), ("reward_model", (None, {"ground_truth": 0.3})),
    ("audios", ([], None)),
    ("extra_info", (None, {}, {"index": None}, {"tools_kwargs": {}}, "x")), ("ability", ("math", None)),
    ("input_ids", (None, [], [0.5], [2**63], [-1], [True], "")), ("completion_mask", ([1, 0], None)),
    ("assistant_masks", ([1], None, [])), ("token_type_ids", (None, [0])), ("channel", (None, 1)),
    ("loss", (True, 0.3)),
    ("rejected_response", (None, "no", "", [], 3)), ("rejected_messages", (None, [])),
    ("enable_thinking", (True, None)),
    ("conversations", (None, [], [{"from": "human", "value": "x"}])), ("query", ("x", None)), ("response", ("x", None)),
    ("embedding", ([0.1, 0.2], None)), ("score_chosen", (0.3, None)), ("ref_chosen_logps", (-1.5, None, "x")),
    ("nested", ({"a": {"b": [0.3, "2024-05-06"]}}, {"a": {"b": []}}, {"a": None}, None)), ("", ("x", None)),
)  # fmt: skip


_FIXED = ("data_source", "style", "ground_truth", "role", "from", "type", "name")  # words that a trainer looks up


def _contents(value: Any) -> Iterator[Place]:
    """Where the words of messages stand, and words that stand alone."""
    for holder, key in _places(value):
        alone = isinstance(holder, dict) and isinstance(holder[key], str) and "role" not in holder and key not in _FIXED
        if key in ("content", "value") or alone:
            yield holder, key


def _places(value: Any) -> Iterator[Place]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _talks(row: Row) -> list[list[Any]]:
    """Lists of messages anywhere in a row."""
    own = [row[key] for key in row if _is_talk(row[key])]
    return own + [h[k] for h, k in _places(row) if _is_talk(h[k]) and all(h[k] is not each for each in own)]


def _is_talk(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(e, dict) for e in value)
        and bool({"role", "from"} & set(value[0]))
    )


def lively(row: Row, draw: random.Random) -> Row:
    """A good row with other words, and now and then more turns."""
    row = copy.deepcopy(row)
    for turns in _talks(row):
        plain = [each for each in turns if set(each) <= {"role", "content", "from", "value"}]
        roles = {each.get("role", each.get("from")) for each in plain}
        if len(plain) == len(turns) and len(roles) > 1 and draw.random() < 0.3:
            turns.extend(copy.deepcopy(turns[-2:]))
    for holder, key in list(_contents(row)):
        if (
            isinstance(holder[key], str)
            and (key in ("content", "value") or draw.random() < 0.5)
            and not _is_json(holder[key])
        ):
            holder[key] = draw.choice(_SAID) if draw.random() < 0.6 else " ".join(draw.sample(_SAID[:6], 2))
    return row


def _is_json(text: str) -> bool:
    return text[:1] in "[{" and text[-1:] in "]}"


# ── faults: each changes a row in place ──────────────────────────────────────────────────────────────────────────────
def _put(
    values: tuple[Any, ...], where: Callable[[Any], Iterator[Place]] = _contents
) -> Callable[[Row, random.Random], None]:
    def fault(row: Row, draw: random.Random) -> None:
        places = list(where(row))
        if places:
            holder, key = draw.choice(places)
            holder[key] = copy.deepcopy(draw.choice(values))

    return fault


def _all_contents(row: Row, draw: random.Random) -> None:
    value = draw.choice((*_DATES, "3", "true", None, "", "[]", "{}"))
    for holder, key in list(_contents(row)):
        if not isinstance(holder[key], list | dict):
            holder[key] = value


def _in_talk(change: Callable[[list[Any], random.Random], None]) -> Callable[[Row, random.Random], None]:
    def fault(row: Row, draw: random.Random) -> None:
        talks = _talks(row)
        if talks:
            change(draw.choice(talks), draw)

    return fault


def _system_inside(talk: list[Any], draw: random.Random) -> None:
    told = {"from": "system", "value": "be brief"} if "from" in talk[0] else {"role": "system", "content": "be brief"}
    talk.insert(draw.randint(1, len(talk)), told)


def _no_last(talk: list[Any], _draw: random.Random) -> None:
    talk.pop()


def _twice(talk: list[Any], draw: random.Random) -> None:
    at = draw.randrange(len(talk))
    talk.insert(at, copy.deepcopy(talk[at]))


def _turned(talk: list[Any], _draw: random.Random) -> None:
    talk.reverse()


def _role(talk: list[Any], draw: random.Random) -> None:
    message = draw.choice(talk)
    message["from" if "from" in message else "role"] = draw.choice(_ROLES)


def _key_gone(talk: list[Any], draw: random.Random) -> None:
    message = draw.choice(talk)
    message.pop(draw.choice(list(message)))


def _key_more(talk: list[Any], draw: random.Random) -> None:
    more = (("name", "n"), ("loss", False), ("weight", 0), ("train", None), ("id", 5), ("tool_calls", None),
    ("tool_calls", []),
            ("reasoning_content", "so"), ("reasoning_content", None), ("tool_call_id", "1"), ("content_type", {}),
            ("thinking", "t"), ("function_call", None), ("created", "2024-05-06"), ("train", True), ("train", False),
            ("weight", 0.3), ("loss", None), ("loss_scale", 0.5), ("name", None), ("tool_call_id", None), ("id", "x"),
            ("images", []), ("refusal", None), ("audio", None), ("annotations", []), ("prefix", True), ("end", False),
            ("tool_calls", "[]"), ("tool_calls", {}), ("role_name", "r"), ("value", "v"), ("from", "human"),
            ("score", 0.1), ("score", 1), ("text", "t"), ("channel", "final"), ("tools", []),
            ("tool_plan", "p"))  # fmt: skip
    for message in talk if draw.random() < 0.5 else draw.sample(talk, 1):
        key, value = draw.choice(more)
        message[key] = copy.deepcopy(value)


def _key_order(talk: list[Any], draw: random.Random) -> None:
    message = draw.choice(talk)
    turned = dict(reversed(message.items()))
    message.clear()
    message.update(turned)


def _parts(talk: list[Any], draw: random.Random) -> None:
    for message in talk if draw.random() < 0.4 else draw.sample(talk, 1):
        key = "value" if "value" in message else "content"
        said = message.get(key)
        message[key] = draw.choice((
            [{"type": "text", "text": said}], [{"type": "text", "text": "a"}, {"type": "text", "text": said}],
            [said], [],
            {"text": said}, [{"type": "image"}, {"type": "text", "text": said}], [None], [{"text": said}],
        ))  # fmt: skip


def _calls(talk: list[Any], draw: random.Random) -> None:
    function = {
        "name": draw.choice(("f", "", None)),
        "arguments": draw.choice(({"x": 1}, '{"x": 1}', "", None, [], "{x", {})),
    }
    call = draw.choice(({"type": "function", "function": function}, {"id": "1", "type": "function",
    "function": function},
                        function, {"function": function}, json.dumps(function)))  # fmt: skip
    if "from" in talk[0]:
        talk[-1:-1] = [{"from": "function_call", "value": json.dumps(function)}, {"from": "observation", "value": "r"}]
    elif draw.random() < 0.6:
        talk[-1:-1] = [{"role": "assistant", "content": draw.choice(("", None, "so")), "tool_calls": [call]},
                       {"role": "tool", "content": draw.choice(("r", '{"r": 1}', ""))}]  # fmt: skip
    else:
        talk[-1]["tool_calls"] = draw.choice(([call], [call, call], json.dumps([call]), {}))


def _as_text(row: Row, draw: random.Random) -> None:
    """A column as JSON text, as CSV exports have it."""
    key = draw.choice(list(row))
    row[key] = json.dumps(row[key], ensure_ascii=draw.random() < 0.5)


def _wrapped(row: Row, draw: random.Random) -> None:
    key = draw.choice(list(row))
    row[key] = draw.choice(([row[key]], [[row[key]]], {"value": row[key]}, {key: row[key]}))


def _column(row: Row, draw: random.Random) -> None:
    key = draw.choice(list(row))
    row[key] = copy.deepcopy(
        draw.choice((None, "", [], {}, " ", "x", [None], [[]], [{}], {"a": None}, *_NUMBERS, *_JSON))
    )


def _column_gone(row: Row, draw: random.Random) -> None:
    row.pop(draw.choice(list(row)))


def _column_named(row: Row, draw: random.Random) -> None:
    key = draw.choice(list(row))
    made = draw.choice((key.upper(), key.capitalize(), key + " ", "\ufeff" + key, key.replace("_", "-"), "data." + key))
    row[made] = row.pop(key)


def _more(row: Row, draw: random.Random) -> None:
    key, values = draw.choice(_EXTRA)
    row.setdefault(key, copy.deepcopy(draw.choice(values)))


def _order(row: Row, _draw: random.Random) -> None:
    turned = dict(reversed(row.items()))
    row.clear()
    row.update(turned)


def _late(row: Row, draw: random.Random) -> None:
    """A column that this row alone has, first or last of its keys."""
    known = dict(row)
    row.clear()
    more = {f"late_{draw.randint(1, 3)}": draw.choice((None, 0.3, "x", {"a": 1}, [], [None], "2024-05-06", 2**64))}
    row.update({**more, **known} if draw.random() < 0.5 else {**known, **more})


def _systems(talk: list[Any], draw: random.Random) -> None:
    """Several system messages in front."""
    told = {"from": "system", "value": "s"} if "from" in talk[0] else {"role": "system", "content": "s"}
    talk[:0] = [{**told} for _ in range(draw.randint(1, 3))]


def _called_with(row: Row, draw: random.Random) -> None:
    """Answers that call a tool with numbers, as objects or as JSON text."""
    values = {name: draw.choice((*_NUMBERS, *_DATES, None, True, [], {}, [0.3, None], {"k": 0.1})) for name in "ab"}
    text = draw.random() < 0.3
    for talk in _talks(row):
        if "role" in talk[0]:
            function = {"name": "f", "arguments": json.dumps(values) if text else copy.deepcopy(values)}
            call = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}
            talk[-1:-1] = [call, {"role": "tool", "content": "r"}] if len(talk) > 1 else []
    if draw.random() < 0.6:
        schema = {"type": "object", "properties": {"a": {"type": "number", "minimum": draw.choice(_NUMBERS)}}}
        tools = [{"type": "function", "function": {"name": "f", "description": "", "parameters": schema}}]
        row["tools"] = json.dumps(tools) if draw.random() < 0.3 else tools


Fault = Callable[[Row, random.Random], None]
MILD: dict[str, Fault] = {
    "more columns": _more, "other order of keys": _order, "message keys in another order": _in_talk(_key_order),
    "more keys of messages": _in_talk(_key_more), "words": _put(_SAID), "spaces": _put(("", " ", "\n", "\u3000",
    "a ", " a")),
    "numbers as text": _put(("12", "3.50", "007", "-1", "1,000", "٣")), "JSON in a content": _put(_JSON),
    "dates in a content": _put(_DATES), "a system message inside": _in_talk(_system_inside),
    "one turn twice": _in_talk(_twice), "a late column": _late, "systems in front": _in_talk(_systems),
    "calls with numbers": _called_with,
}  # fmt: skip
WILD: dict[str, Fault] = {
    **MILD, "nulls": _put((None,), _places), "all contents alike": _all_contents, "numbers": _put(_NUMBERS),
    "numbers anywhere": _put(_NUMBERS, _places), "NaN": _put((math.nan, math.inf)), "roles": _in_talk(_role),
    "no last turn": _in_talk(_no_last), "turns turned": _in_talk(_turned), "a key gone": _in_talk(_key_gone),
    "contents of parts": _in_talk(_parts), "calls": _in_talk(_calls), "a column as JSON text": _as_text,
    "a column wrapped": _wrapped, "another column": _column, "a column gone": _column_gone,
    "a column's name": _column_named,
    "nested empties": _put(([], {}, [[]], [{}], {"a": []}, {"a": {"b": None}}), _places),
    "lists for words": _put((["a"], [1], ["a", None])), "half a surrogate pair": _put(_HALVES),
    "booleans": _put((True, False)), "booleans anywhere": _put((True, False), _places),
}  # fmt: skip


def files_of(good: list[Row], seed: int, count: int) -> list[list[Row]]:
    """Files of one to five rows.

    Args:
        good: rows that the mode takes.
        seed: of the draws.
        count: of the files.

    """
    draw = random.Random(f"hostile {seed}")
    made = []
    for _ in range(count):
        file = [lively(draw.choice(good), draw) for _ in range(draw.choice((1, 1, 2, 3, 5)))]
        faults = [
            draw.choice(list((MILD if draw.random() < 0.5 else WILD).values()))
            for _ in range(draw.choice((1, 1, 2, 3)))
        ]
        for fault in faults:
            whole = draw.random() < 0.2
            state = draw.getrandbits(32)  # one draw for all rows of a column that is wrong throughout
            for row in file if whole else draw.sample(file, 1):
                if row:
                    fault(row, random.Random(state))
        made.append([row for row in file if row])
    return [file for file in made if file]
