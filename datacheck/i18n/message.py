"""A sentence of ours: an id, what is filled in, and how it reads in a language.

The id is the English sentence with named parameters, as gettext has it; catalogues under `locale/` hold the others. A
sentence is put into words only where it is shown; until then errors, notes and reports carry ids and parameters.
What a user wrote (a path, a name) is a parameter and passes through as it is, in every language.
"""

from __future__ import annotations

import gettext
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

DOMAIN = "datacheck"
LOCALE = Path(__file__).parent / "locale"
Parameter: TypeAlias = "str | int | float | Path | Message"  # a path is taken as its text


class Message:
    """A sentence that is not put into words yet.

    Args:
        id: the English sentence; `{name}` and format specifications (`{n:,}`) stand for parameters.
        params: by name; a Message among them is said in the same language. Without any, the id has no holes and is
            said as it is, braces and all.

    """

    __slots__ = ("id", "many", "params")
    params: Mapping[str, str | int | float | Message]

    def __init__(self, id: str, /, **params: Parameter) -> None:  # noqa: A002 - gettext's word for it
        self.id = id
        self.many: str | None = None
        self.params = {name: str(each) if isinstance(each, Path) else each for name, each in params.items()}

    @classmethod
    def plural(cls, one: str, many: str, /, n: int, **params: Parameter) -> Message:
        """A sentence with a count `n`; `one` and `many` are its English forms, a catalogue has its language's."""
        message = cls(one, n=n, **params)
        message.many = many
        return message

    def said(self, lang: str = "en") -> str:
        """The sentence in a language; in English where no catalogue knows it."""
        known = catalogue(lang)
        count = self.params.get("n")
        form = known.ngettext(self.id, self.many, int(str(count))) if self.many else known.gettext(self.id)
        if not self.params:
            return form
        return form.format_map(
            {name: each.said(lang) if isinstance(each, Message) else each for name, each in self.params.items()}
        )

    def __str__(self) -> str:
        return self.said()

    def __repr__(self) -> str:
        return f"Message({self.id!r}, {dict(self.params)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.said())

    def __reduce__(self) -> tuple[Any, ...]:
        return Message.from_json, (self.to_json(),)

    def to_json(self) -> dict[str, Any]:
        """`{"id": …, "many": …, "params": {…}}`, with messages inside in the same way."""
        params = {name: each.to_json() if isinstance(each, Message) else each for name, each in self.params.items()}
        return {"id": self.id, **({"many": self.many} if self.many else {}), **({"params": params} if params else {})}

    @property
    def packed(self) -> str:
        """The message as one text, for a column of a table; `unpacked` reads it."""
        return json.dumps(self.to_json(), ensure_ascii=False)

    @classmethod
    def unpacked(cls, text: str) -> Message:
        """The message that `packed` gave."""
        return cls.from_json(json.loads(text))

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Message:
        """The message that `to_json` wrote."""
        params = value.get("params", {})
        message = cls(value["id"], **{n: cls.from_json(p) if isinstance(p, Mapping) else p for n, p in params.items()})
        message.many = value.get("many")
        return message


class SaidError(Exception):
    """An exception that carries a sentence of ours.

    Args:
        message: the sentence, or its id with `params`. `str()` of the error is the English sentence.

    """

    def __init__(self, message: str | Message = "", /, **params: Parameter) -> None:
        self.message = Message(message, **params) if isinstance(message, str) else message
        super().__init__(self.message)


def joined(messages: Sequence[Message], separator: str = "; ") -> Message:
    """Several messages as one, one after the other."""
    if len(messages) == 1:
        return messages[0]
    half = len(messages) // 2  # a tree, so that thousands of them nest a few levels only
    one, two = joined(messages[:half], separator), joined(messages[half:], separator)
    return Message("{one}" + separator + "{two}", one=one, two=two)


class Quoted:
    """Sentences of a library that gives words only: ids that its own are matched with, whole.

    Args:
        ids: with holes, or without; the first that fits is taken.

    """

    def __init__(self, *ids: str) -> None:
        self._ids = {
            each: re.compile(
                _HOLE.sub(r"(?P<\1>.*)", re.escape(each)).replace("\\{\\{", "\\{").replace("\\}\\}", "\\}"), re.DOTALL
            )
            for each in ids
        }

    def of(self, said: str) -> Message:
        """A sentence as a message; one that is not known is said as it is in every language."""
        for each, pattern in self._ids.items():
            if match := pattern.fullmatch(said):
                return Message(each, **match.groupdict())
        return Message("{said}", said=said)


_HOLE = re.compile(r"\\\{(\w+)\\\}")  # `{name}` after re.escape


def ids(*known: str) -> tuple[str, ...]:
    """Sentences that only a catalogue needs to know of: a library prints them, or they are looked up by gettext."""
    return known


@cache
def languages() -> tuple[str, ...]:
    """English and every language that has a catalogue, sorted."""
    return tuple(sorted({"en", *(place.name for place in LOCALE.iterdir() if place.is_dir())}))


@cache
def catalogue(lang: str) -> gettext.NullTranslations:
    """The sentences of a language, with those of plug-ins behind ours; English for a language that nobody has."""
    if lang == "en":
        return gettext.NullTranslations()
    from importlib.metadata import entry_points  # the guard speaks English and starts at once

    known = gettext.translation(DOMAIN, LOCALE, [lang], fallback=True)
    for plugin in sorted(entry_points(group="datacheck.locales"), key=lambda point: point.name):
        folder = Path(next(iter(plugin.load().__path__))) / "locale"  # it is a package with catalogues of its own
        known.add_fallback(gettext.translation(plugin.name, folder, [lang], fallback=True))
    return known
