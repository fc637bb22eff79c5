"""Which language the command line speaks: --lang, else that of the locale. Imports the standard library only."""

import itertools
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Literal


def chosen(arguments: Sequence[str] | None = None, environment: Mapping[str, str] | None = None) -> Literal["zh", "en"]:
    """The language of --lang among `arguments` (those of this process), else of LC_ALL, LC_MESSAGES or LANG.

    What stands after `--` belongs to another program; a variable that is empty counts as not set, as in POSIX.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    words = words[: words.index("--")] if "--" in words else words
    given = [after for word, after in itertools.pairwise(words) if word == "--lang"]
    given += [word.removeprefix("--lang=") for word in words if word.startswith("--lang=")]
    env = os.environ if environment is None else environment
    locale = next((env[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if env.get(name)), "")
    known = [word for word in given if word in ("zh", "en")]
    return "zh" if (known[-1] if known else locale).lower().startswith("zh") else "en"


def told(message: str) -> str:
    """An English message of ours in the chosen language."""
    if chosen() == "en":
        return one(message)
    from datacheck.i18n.messages import in_chinese  # noqa: PLC0415 - most runs say nothing in Chinese

    return in_chinese(message)


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
