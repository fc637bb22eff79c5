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
