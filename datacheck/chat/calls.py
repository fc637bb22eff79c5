"""What a chat template makes of the arguments of a tool call, found by rendering calls of known words.

Templates differ: some put the JSON of an object (`arguments | tojson`), which encodes a text once more; some add a text
as it stands, which fails for an object or prints it as Python does; some take both; some leave calls out. Nothing is
parsed: each form is rendered, in the child that renders, and its text is read.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from datacheck.chat.child import Renderer, RenderRequest, Reply
from datacheck.i18n.message import Message

Form = Literal["string", "object"]

_ASK, _TELL, _KEY, _WORD, _NULL = "orioleask", "wrentell", "kestrelkey", "larkword", "finchkey"
_FORMS: tuple[Form, ...] = ("string", "object")
_SHAPES = ("whole", "no result", "no content", "no ids")
_SHOWN = 60  # characters of the template's own text
_OPENINGS = ("<", ",", " ", "\n")


class Printed(NamedTuple):
    """What becomes of arguments in one form. wrong: what is wrong with it; None: it is what it should be.

    style: json, own (words of a syntax of the template), out (left out), refused, encoded (twice), python.
    """

    style: str
    wrong: Message | None = None


class CallForms(NamedTuple):
    """How the template prints arguments that are text, and those that are objects.

    null: what an argument that is null adds to the text; None: not known. error: a limit was hit, and nothing is known.
    """

    string: Printed = Printed("refused")
    object: Printed = Printed("refused")
    null: str | None = None
    error: Message | None = None

    @property
    def wanted(self) -> Literal["string", "object", "any"]:
        """The form that arguments must have; any: both are fine, or neither."""
        if (self.string.wrong is None) == (self.object.wrong is None):
            return "any"
        return "string" if self.string.wrong is None else "object"

    def printed(self, key: str) -> Message:
        """What the template does with an argument of this name that is null."""
        shown = self.null and self.null.replace(_NULL, key)
        return Message("prints {shown}", shown=shown) if shown else Message("leaves it out")


def call_forms(renderer: Renderer) -> CallForms:
    """Probe the template that `renderer` would use: text and objects, with and without a null argument.

    Each form is tried in a whole conversation first, then in shorter and plainer ones that more templates take.
    """
    given = {_KEY: _WORD}
    with_null = {**given, _NULL: None}
    probes = {
        (form, nulls, shape): _probe(values if form == "object" else json.dumps(values), shape)
        for shape in _SHAPES
        for form in _FORMS
        for nulls, values in ((False, given), (True, with_null))
    }
    replies = dict(zip(probes, renderer.render(probes.values()), strict=True))
    hit = next((reply for reply in replies.values() if reply.fault == "limit"), None)
    if hit is not None:
        return CallForms(error=hit.message)
    shape = next((s for s in _SHAPES if any(replies[form, False, s].fault is None for form in _FORMS)), "whole")
    text, objects = (_read(replies[form, False, shape]) for form in _FORMS)
    if text.style == "json" and objects.style == "own":
        text = Printed("json", Message("prints them as JSON, where objects get a form of its own"))
    form: Form = "object" if objects.wrong is None else "string"
    without, within = replies[form, False, shape], replies[form, True, shape]
    null = None if without.fault or within.fault else _added(without.text, within.text)
    return CallForms(text, objects, null)


def _probe(arguments: Any, shape: str) -> RenderRequest:
    call: dict[str, Any] = {"type": "function", "function": {"name": "crane", "arguments": arguments}}
    own = {} if shape == "no ids" else {"id": "call12345"}
    said: dict[str, Any] = {"role": "assistant", "tool_calls": [{**own, **call}]}
    messages: list[Mapping[str, Any]] = [
        {"role": "user", "content": _ASK},
        said if shape == "no content" else {**said, "content": ""},
    ]
    if shape == "whole":
        messages += [
            {"role": "tool", "name": "crane", "tool_call_id": "call12345", "content": "13"},
            {"role": "assistant", "content": _TELL},
        ]
    parameters = {"type": "object", "properties": {_KEY: {"type": "string", "description": "swift"}}}
    tool = {"name": "crane", "description": "swift", "parameters": parameters}
    return RenderRequest(messages, [{"type": "function", "function": tool}], spans=False)


def _read(reply: Reply) -> Printed:
    """The style of what was printed; tools are defined before the call, so the last place counts."""
    if reply.fault is not None:
        return Printed("refused", Message("refuses them: {said}", said=reply.message or ""))
    at = reply.text.rfind(_WORD)
    key = reply.text.rfind(_KEY, 0, at)
    if at < 0 or key < 0:
        return Printed("out", Message("leaves them out"))
    around = reply.text[max(key - 2, 0) : key], reply.text[key + len(_KEY) : at]
    shown = reply.text[max(key - 4, 0) : at + len(_WORD) + 4].strip()[:_SHOWN]
    if around[0].endswith('\\"'):
        return Printed("encoded", Message("encodes them once more: {shown}", shown=shown))
    if around[0].endswith("'") and around[1].startswith("'"):
        return Printed("python", Message("prints them as Python does, which is no JSON: {shown}", shown=shown))
    return Printed("json" if around[0].endswith('"') and around[1].startswith('"') else "own")


def _added(without: str, within: str) -> str | None:
    """What the longer text has more, begun where a piece of syntax begins; None where that cannot be told."""
    if without == within:
        return ""
    more = len(within) - len(without)
    start = next((n for n, (one, two) in enumerate(zip(without, within, strict=False)) if one != two), len(without))
    if more <= 0 or within[start + more :] != without[start:]:
        return None
    slid = [start]
    while slid[-1] and within[slid[-1] - 1] == within[slid[-1] + more - 1]:
        slid.append(slid[-1] - 1)
    first = next((at for opening in _OPENINGS for at in slid if within.startswith(opening, at)), start)
    return within[first : first + more].strip(" ,\n")[:_SHOWN]
