"""Which language the command line speaks: --lang, else that of the locale. Imports the standard library only."""

import itertools
import re
from collections.abc import Mapping, Sequence

from datacheck.i18n.message import languages


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


# "1 rows have", also with a word between: "1 unreadable lines". Words on -s that are no plural stay.
_ONE = re.compile(
    r"(?<![\w.,:/+-])(?<!of )1 ((?:more |unreadable |readable |blocking )?)"
    r"(?!has |was |this )([a-z]{2,}[a-rt-z]s)\b"
    r"(?: (have|are|were|repeat|look|speak|hold|ask|name|make|write)\b)?"
)
_ONE_DOES = {"have": "has", "are": "is", "were": "was"}


def one(english: str) -> str:
    """A sentence of ours with the singular after a count of 1: "1 rows have no text" → "1 row has no text"."""
    return _ONE.sub(_singular, english)


def _singular(match: re.Match[str]) -> str:
    noun = re.sub("ies$", "y", match[2]) if match[2].endswith("ies") else match[2].removesuffix("s")
    verb = f" {_ONE_DOES.get(match[3], match[3] + 's')}" if match[3] else ""
    return f"1 {match[1]}{noun}{verb}"
