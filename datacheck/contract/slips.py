"""What was probably meant by a contract that is wrong: signs of a Chinese keyboard, settings in another's place.

Everything here only adds to a refusal: what is read right is not looked at, with one exception, `loosely_read`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import yaml
from pydantic import BaseModel

from datacheck.errors import near
from datacheck.i18n.message import Message, joined

Loc = tuple[str | int, ...]

# Typed with a Chinese keyboard or pasted from a word processor, and what YAML wants there.
_SIGNS = {
    "：": ": ",
    "，": ", ",
    "｛": "{",
    "｝": "}",
    "［": "[",
    "］": "]",
    "【": "[",
    "】": "]",
    "－": "- ",
    "＝": ":",
}
_SIGNS |= dict.fromkeys("“”„「」＂", '"') | dict.fromkeys("‘’＇", "'")
_SPACES = "\u3000\u00a0\u2002\u2003\u200b\ufeff"
_SIGN = re.compile(f"[{re.escape(''.join(_SIGNS))}{_SPACES}]")
_MAY_HOLD_ANY = re.compile(r"\"[^\"]*\"|'[^']*'|(?:^|\s)#.*")  # texts in quotes, and comments

_LINES = {  # by the line that PyYAML stumbled over, or the one before
    re.compile(r"[ ]*\t|[^#'\"]*:\t"): Message("a tab; write spaces"),
    re.compile(r".*(\$\{|\{\{)"): Message("nothing is filled in here; name the path by --data NAME=PATH"),
    re.compile(r"\s*(?:- +)?[A-Za-z_]\w*:[^\s/]"): Message("no space behind the colon; write `key: value`"),
    re.compile(r"\s*(?:- +)?[A-Za-z_]\w*\s*=\s"): Message("`=` behind a key; write `key: value`"),
    re.compile(r"\s*[*•·–—]\s"): Message("an item of a list begins with `- `"),
}
_OPEN = {  # by what PyYAML was about to read
    "while scanning a quoted scalar": Message("the quote that opens here is never closed"),
    "while parsing a flow": Message("the bracket that opens here is never closed, or a comma is missing"),
}
_SAID = {  # by what PyYAML found there
    "mapping values are not allowed": Message("a second colon where one value is wanted; put the text in quotes"),
    "expected <block end>": Message("indented otherwise than the lines that it belongs to"),
    "found character": Message("no value begins with this sign; put the text in quotes"),
    "expected '<document start>'": Message("more than one value; a contract is one map (key: value)"),
}


def slip(text: str, error: yaml.YAMLError, name: str) -> tuple[int, Message]:
    """Where a text is no YAML (the line, from 1), and what was probably meant there; never PyYAML's words."""
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, int(error.position)) + 1
        return line, Message("U+{code} is a character that YAML does not allow", code=f"{ord_of(error.character):04X}")
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return 1, Message("expected `key: value`, or `- item` in a list")
    at, lines = error.problem_mark.line, text.splitlines()
    if at and all(line.startswith("{") for line in lines[: at + 1]):
        return 1, Message("these are rows of data; judge them: {now}", now=f"datacheck {name}")
    opened = error.context_mark.line if error.context_mark else at
    for beginning, message in _OPEN.items():
        if (error.context or "").startswith(beginning):
            return opened + 1, _in_line(lines, opened) or message
    for number in (at, at - 1):
        if found := _in_line(lines, number):
            return number + 1, found
    known = (message for beginning, message in _SAID.items() if (error.problem or "").startswith(beginning))
    return at + 1, next(known, Message("expected `key: value`, or `- item` in a list"))


def ord_of(character: object) -> int:
    """PyYAML gives the number of a character, or the character."""
    return character if isinstance(character, int) else ord(str(character)[:1] or "\0")


def _in_line(lines: Sequence[str], number: int) -> Message | None:
    if not 0 <= number < len(lines):
        return None
    if found := sign(_MAY_HOLD_ANY.sub("", lines[number])):
        return found
    return next((message for pattern, message in _LINES.items() if pattern.match(lines[number])), None)


def sign(text: str) -> Message | None:
    """What to type instead of the first sign that only looks like one of YAML's."""
    found = _SIGN.search(text)
    if found is None:
        return None
    if found[0] in _SPACES:
        return Message("U+{code} looks like a space; write spaces", code=f"{ord(found[0]):04X}")
    return Message("{sign} is full-width; write `{plain}`", sign=found[0], plain=_SIGNS[found[0]])


_NUMBERS = ("float_parsing", "float_type", "int_parsing", "int_type", "int_from_float", "int_parsing_size")
_TYPES = {"str": "string", "text": "string", "int": "integer", "float": "number", "double": "number",
          "bool": "boolean", "list": "array", "dict": "object", "map": "object"}  # fmt: skip
_THOUSANDS = {"k": 1_000, "m": 1_000_000}
_YES = {
    **dict.fromkeys(("yes", "on", "y", "1", "true"), "true"),
    **dict.fromkeys(("no", "off", "n", "0", "false"), "false"),
}


def meant(kind: str, raw: Any, context: Mapping[str, Any]) -> Message | None:
    """What was probably meant by a value, by pydantic's kind of mistake; None where nothing is near."""
    found = None
    if kind == "string_type" and isinstance(raw, int | float):
        return Message('put it in quotes: "{value}"', value=str(raw).lower() if isinstance(raw, bool) else str(raw))
    if kind in {"literal_error", "enum"} and isinstance(raw, str):
        found = _option(raw, re.findall(r"'([^']*)'", str(context.get("expected", ""))))
    elif kind in {"bool_parsing", "bool_type"}:
        found = _YES.get(str(raw).lower())
    elif kind in _NUMBERS and isinstance(raw, str):
        found = _number(raw)
    elif kind in {"less_than_equal", "less_than"} and _is_percent(raw, context.get("le", context.get("lt"))):
        found = f"{raw / 100:g}"
    if found is not None:
        return Message("did you mean '{near}'?", near=found)
    return sign(raw) if isinstance(raw, str) else None


def _option(raw: str, options: Sequence[str]) -> str | None:
    known = _TYPES.get(raw.lower())
    return known if known in options else next(iter(get_close_matches(raw.lower(), options, n=1)), None)


def _is_percent(raw: Any, most: Any) -> bool:
    return isinstance(raw, int | float) and most == 1 and 1 < raw <= 100


def _number(raw: str) -> str | None:
    """The number that a text stands for: full-width digits, `0,03`, `60,000`, `60k`."""
    text = unicodedata.normalize("NFKC", raw).strip().lower()
    if re.fullmatch(r"-?[1-9][0-9]{0,2}([,_ ][0-9]{3})+", text):
        return re.sub("[,_ ]", "", text)
    if match := re.fullmatch(r"([0-9]+)([km])", text):
        return str(int(match[1]) * _THOUSANDS[match[2]])
    text = re.sub(r"^([0-9]+),([0-9]+)$", r"\1.\2", text)
    return text if text != raw and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) else None


def loosely_read(raw: Any, read: Any, loc: Loc = ()) -> Iterator[tuple[Loc, str, Any]]:
    """(place, pydantic's kind, what stands there) of what pydantic took for true, false or a number, and is none.

    `optional: yes` is a text in YAML 1.2, `max_chars: true` no number: pydantic takes both.
    """
    if isinstance(read, BaseModel):
        if isinstance(raw, Mapping):
            names = {field.alias or name: name for name, field in type(read).model_fields.items()}
            for key in raw.keys() & names.keys():
                yield from loosely_read(raw[key], getattr(read, names[key]), (*loc, key))
    elif isinstance(read, Mapping) and isinstance(raw, Mapping):
        for key in raw.keys() & read.keys():
            yield from loosely_read(raw[key], read[key], (*loc, key))
    elif isinstance(read, list | tuple) and isinstance(raw, list | tuple):
        for index, (one, other) in enumerate(zip(raw, read, strict=False)):
            yield from loosely_read(one, other, (*loc, index))
    elif isinstance(read, int | float) and isinstance(raw, bool) != isinstance(read, bool):
        yield loc, "bool_type" if isinstance(read, bool) else "float_type", raw


_RANKS = {"literal_error": 0, "string_type": 1}  # what says most of several


def told_once(errors: Iterable[Any], value: Any) -> list[tuple[Loc, Any]]:
    """Pydantic's errors by the places that stand in the contract, one for each place.

    Of a value that may be of several types pydantic tells every one that it is not, each at a place of its own.
    """
    found: dict[Loc, Any] = {}
    for error in errors:
        loc = _written(error, value)
        if loc not in found or _RANKS.get(error["type"], 2) < _RANKS.get(found[loc]["type"], 2):
            found[loc] = error
    strange = [loc for loc, error in found.items() if error["type"] == "extra_forbidden"]
    return [
        (loc, error) for loc, error in found.items() if not (error["type"] == "missing" and _misspelt(loc, strange))
    ]


def _written(error: Any, value: Any) -> Loc:
    """The place of an error without the names that pydantic gives the members of a union."""
    loc: list[str | int] = []
    for part in error["loc"]:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            if error["type"] != "missing" or part != error["loc"][-1]:
                continue
        loc.append(part)
    return tuple(loc)


def _misspelt(missing: Loc, strange: Sequence[Loc]) -> bool:
    """Whether a setting that is missing stands beside as one that nobody knows."""
    beside = [str(loc[-1]) for loc in strange if loc[:-1] == missing[:-1]]
    return bool(get_close_matches(str(missing[-1]), beside, n=1))


def strange_setting(
    name: str, raw: Any, known: Sequence[str], elsewhere: Sequence[tuple[Iterable[str], Message]]
) -> Message:
    """What to do with a setting that nobody knows here: write it otherwise, or in its own place.

    elsewhere: (settings, where these belong).
    """
    what = Message("unknown setting")
    if found := sign(name):
        return joined((what, found))
    for names, where in elsewhere:
        if name in names:
            return joined((what, where))
    if raw is None and not get_close_matches(name, known):
        return joined((what, Message("a comma begins a new one; put a value with commas in quotes, or in [ ]")))
    return joined((what, near(name, known)))
