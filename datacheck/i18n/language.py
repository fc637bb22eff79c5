"""Which language the command line speaks: --lang, else that of the locale. Imports the standard library only."""

import itertools
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Literal

from datacheck.errors import one as singular


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
        return singular(message)
    from datacheck.i18n.messages import in_chinese  # noqa: PLC0415 - most runs say nothing in Chinese

    return in_chinese(message)
