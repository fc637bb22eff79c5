"""The language of a command line (--lang, else the locale), and `argparse` that speaks it. Standard library only."""

import argparse
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from datacheck.i18n.message import Message, Quoted, catalogue, ids, languages

_WORDS = ids("positional arguments", "options", "show this help message and exit")
_COMPLAINTS = Quoted(
    "the following arguments are required: {names}",
    "unrecognized arguments: {words}",
    "argument {argument}: {what}",
    "invalid choice: {given} (choose from {known})",
    "invalid {kind} value: {given}",
    "expected one argument",
)


def chosen(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """The language of --lang among `arguments`, else of LC_ALL, LC_MESSAGES or LANG; English where we have none.

    What stands after `--` belongs to another program; a variable that is empty counts as not set, as in POSIX.
    """
    words = list(arguments)
    words = words[: words.index("--")] if "--" in words else words
    given = [after for word, after in itertools.pairwise(words) if word == "--lang"]
    given += [word.removeprefix("--lang=") for word in words if word.startswith("--lang=")]
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    known = [word for word in given if word in languages()]
    lang = known[-1] if known else re.split("[_.@-]", locale.lower())[0]
    return lang if lang in languages() else "en"


class Parser(argparse.ArgumentParser):
    """A parser whose help and complaints are in a language when they are printed."""

    def __init__(self, prog: str | None = None, *, lang: str = "en", **settings: Any) -> None:
        super().__init__(prog, **settings)
        self.lang = lang

    def format_help(self) -> str:
        """The help, every sentence of it by its id."""
        self.description, self.epilog = self._said(self.description), self._said(self.epilog)
        for group in self._action_groups:
            group.title = self._said(group.title)
        for action in self._actions:
            action.help = self._said(action.help)
        return super().format_help()

    def _said(self, sentence: str | None) -> str | None:
        return catalogue(self.lang).gettext(sentence) if sentence else sentence

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and end with exit code 2."""
        what = _COMPLAINTS.of(message)
        if "argument" in what.params:
            what = Message(what.id, **{**what.params, "what": _COMPLAINTS.of(str(what.params["what"]))})
        line = Message("{command}: {what}; see {command} --help", command=self.prog, what=what)
        self.exit(2, line.said(self.lang) + "\n")
