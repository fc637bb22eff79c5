"""Chat templates, rendered as transformers 5.23 renders them (utils/chat_template_utils.py and its callers).

Mirrored: the sandboxed environment and its blocks, `generation` spans, `tojson` without HTML escapes, `dict` and
`namespace` without a way out, None-valued keys of messages dropped, one name for reasoning, special tokens and tools
passed, the order in which templates are chosen. Not mirrored: Python functions as tools, `continue_final_message`,
`sanitize_control_tokens` (off by default), documents. `strftime_now` says NOW, not today, so
that equal inputs give equal reports.
Templates are hostile until shown otherwise: outside of tests they are rendered in a child only (see `child`).
"""

import datetime as dt
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from jinja2 import TemplateError, nodes, pass_eval_context
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from datacheck.i18n.message import Parameter, SaidError

NOW = dt.datetime(2026, 1, 1, 12)  # noqa: DTZ001 - templates see the local, naive time
GENERATION = re.compile(r"\{%-?\s*generation\s*-?%\}")
SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_SAID = 500  # characters of a template's own words; reports show fewer
_FOLDER = "additional_chat_templates/"
_REASONING = ("reasoning_content", "thinking", "reasoning")

Turn = Mapping[str, Any]
Spans = list[tuple[int, int]]


class TemplateFault(SaidError, ValueError):
    """A template that cannot be used or refuses a conversation. `kind` is a slug; the message may hold data."""

    def __init__(self, message: str, /, kind: str, **params: Parameter) -> None:
        super().__init__(message, **params)
        self.kind = kind


class Rendered(NamedTuple):
    """A rendered conversation and what its template marks as generated: character offsets, end exclusive."""

    text: str
    spans: Spans


def chat_templates(files: Mapping[str, bytes]) -> dict[str, str]:
    """The templates of a tokenizer's folder by name; the only one is called default, none give an empty map.

    Files of their own win over tokenizer_config.json (a string, or a list of {name, template}); chat_template.json,
    which processors have, is looked at last. Raises TemplateFault for files that cannot be read.
    """
    found = {}
    if "chat_template.jinja" in files:
        found["default"] = _text(files["chat_template.jinja"])
    for name in sorted(files):
        if name.startswith(_FOLDER) and name.endswith(".jinja"):
            found[name.removeprefix(_FOLDER).removesuffix(".jinja")] = _text(files[name])
    for name in ("tokenizer_config.json", "chat_template.json"):
        given = read_json(files, name).get("chat_template") if not found else None
        if isinstance(given, str):
            found["default"] = given
        elif isinstance(given, list):
            pairs = [(each["name"], each["template"]) for each in given if isinstance(each, dict)]
            found |= {str(key): value for key, value in pairs if isinstance(value, str)}
    return found


def read_json(files: Mapping[str, bytes], name: str) -> dict[str, Any]:
    """One of the JSON files; an empty map where it is not there. Raises TemplateFault if it is no JSON object."""
    if name not in files:
        return {}
    try:
        value = json.loads(files[name])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise TemplateFault("{name}: no JSON object", kind="unreadable", name=name)
    return value


def _text(data: bytes) -> str:
    try:
        return data.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise TemplateFault("a chat template is not UTF-8", kind="unreadable") from None


def special_tokens(files: Mapping[str, bytes]) -> dict[str, str]:
    """bos_token, eos_token, … as a tokenizer's folder names them; those that are null are left out."""
    config = read_json(files, "tokenizer_config.json")
    legacy = "added_tokens_decoder" not in config
    given = {**read_json(files, "special_tokens_map.json"), **config} if legacy else config
    found = {}
    for name in SPECIAL:
        value = given.get(name)
        content = value.get("content") if isinstance(value, dict) else value
        if isinstance(content, str):
            found[name] = content
    return found


class _Generation(Extension):
    """`{% generation %} … {% endgeneration %}`: notes where the enclosed text comes to stand."""

    tags = {"generation"}

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self.length = 0
        self.spans: Spans = []

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_note"), [], [], body).set_lineno(line)

    @pass_eval_context
    def _note(self, _context: nodes.EvalContext, caller: Callable[[], str]) -> str:
        text = caller()
        self.spans.append((self.length, self.length + len(text)))
        return text


class _Dict:
    """`dict` for templates: callable, without attributes that lead elsewhere."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _Namespace(Namespace):
    """A namespace that stores no underscore-prefixed names."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        attributes = dict(*args[1:], **kwargs)
        for name in attributes:
            _refuse_underscore(name)
        Namespace.__init__(args[0], attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_underscore(name)
        Namespace.__setitem__(self, name, value)


def _refuse_underscore(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"Chat templates cannot store underscore-prefixed attributes, but got {name!r}.")


def _raise(message: str) -> None:
    raise TemplateError(message)


def _tojson(
    value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Template:
    """One compiled template. `now` is what strftime_now tells; `special` are the tokenizer's special tokens by name.

    Raises TemplateFault (syntax) for a text that is no template.
    """

    def __init__(self, source: str, special: Mapping[str, str] | None = None, now: dt.datetime = NOW) -> None:
        self.has_generation = GENERATION.search(source) is not None
        self.source, self.special = source, dict(special or {})
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, "jinja2.ext.loopcontrols"], cache_size=0
        )
        environment.filters["tojson"] = _tojson
        environment.globals["raise_exception"] = _raise
        environment.globals["strftime_now"] = now.strftime
        environment.globals["dict"] = _Dict()
        environment.globals["namespace"] = _Namespace
        self._generation = cast("_Generation", environment.extensions[_Generation.identifier])
        try:
            self._compiled = environment.from_string(source)
        except (TemplateError, RecursionError, ValueError, TypeError) as error:
            raise TemplateFault("no chat template: {said}", kind="syntax", said=str(error)[:_SAID]) from None

    def render(
        self,
        messages: Sequence[Turn],
        *,
        tools: Sequence[Any] | None = None,
        add_generation_prompt: bool = False,
        extra: Mapping[str, Any] | None = None,
        nulls: bool = False,
    ) -> Rendered:
        """Render a conversation.

        Args:
            messages: as the data has them; transformers refuses an empty list, and so do we.
            tools: JSON schemas of functions, or None.
            add_generation_prompt: end with what makes the model answer.
            extra: further variables (`chat_template_kwargs` of the data); they win over special tokens.
            nulls: keys of messages that are null are handed on, as transformers before 5.24 does.

        Raises TemplateFault (refused) with the template's own words, or (broken) where it stumbles.

        """
        if not messages:
            raise TemplateFault("an empty conversation", kind="refused")
        given = {**self.special, **(extra or {})}
        tracker, blocks = self._generation, []
        tracker.length, tracker.spans = 0, []
        try:
            for block in self._compiled.generate(
                messages=[_prepared(message, nulls=nulls) for message in messages],
                tools=tools,
                documents=None,
                add_generation_prompt=add_generation_prompt,
                **given,
            ):
                blocks.append(block)
                tracker.length += len(block)
        except MemoryError:
            raise
        except TemplateError as error:
            raise TemplateFault("{said}", kind="refused", said=str(error)[:_SAID]) from None
        except Exception as error:  # noqa: BLE001 - a template can make any operation fail
            raise TemplateFault("{said}", kind="broken", said=f"{type(error).__name__}: {error}"[:_SAID]) from None
        return Rendered("".join(blocks), tracker.spans)


def _prepared(message: Turn, *, nulls: bool) -> dict[str, Any]:
    """Without None-valued keys (unless `nulls`), and with the reasoning under the names that templates read."""
    if not isinstance(message, Mapping):
        raise TemplateFault("a message is no object", kind="refused")
    kept = {key: value for key, value in message.items() if nulls or value is not None}
    for name in _REASONING:
        if kept.get(name) is not None:
            return {"thinking": kept[name], **kept, "reasoning_content": kept[name]}
    return kept


class Templates:
    """The templates of a tokenizer's folder: the one called `name`, else tool_use where there are tools, else default.

    Raises TemplateFault (missing) where there is none to use.
    """

    def __init__(
        self, sources: Mapping[str, str], special: Mapping[str, str], name: str | None = None, now: dt.datetime = NOW
    ) -> None:
        if not sources:
            raise TemplateFault("the tokenizer has no chat template", kind="missing")
        wanted = name or "default"
        if wanted not in sources:
            known = ", ".join(sorted(sources))
            names = {"wanted": wanted, "known": known}
            raise TemplateFault("no chat template is called '{wanted}'; there are: {known}", kind="missing", **names)
        self.default = Template(sources[wanted], special, now)
        with_tools = sources.get("tool_use") if name is None and len(sources) > 1 else None
        self.tool_use = Template(with_tools, special, now) if with_tools else self.default

    def pick(self, tools: Sequence[Any] | None) -> Template:
        """The template for a conversation with these tools."""
        return self.default if tools is None else self.tool_use
