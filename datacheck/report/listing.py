"""Every check in a few lines, as `datacheck checks` lists them.

To import all of the package's takes a quarter of a second, so their lines are made when the package is built, for these
sources; what does not lie there is made when it is asked for.
"""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import get_args

from datacheck.check import card_of
from datacheck.contract.discover import built_in_names, check_class
from datacheck.i18n.words import Lang
from datacheck.report.cards import default_limit
from datacheck.report.shape import wrap

_PACKAGE = Path(__file__).parents[1]


def summary(name: str, lang: Lang = "en") -> str:
    """One check in a few lines of at most 80 columns: its name, its first sentence, its limits.

    Raises KeyError for an unknown name, CheckAuthorError for a file without one check.
    """
    shipped = _shipped()[lang] if name in built_in_names() else {}
    return shipped.get(name) or _made(name, lang)


def _made(name: str, lang: Lang) -> str:
    kind = check_class(name)
    limits = "; ".join(f"{metric}: {default_limit(known)}" for metric, known in kind.metrics.items())
    sentence = card_of(kind, lang).partition("\n")[0]
    return "\n    ".join([name, *wrap(sentence, 76), *wrap(limits, 76)])


def place() -> Path:
    """Where the lines lie: a file for all sources of the package, which cost a hundredth of a second to read."""
    sources = sorted([*_PACKAGE.rglob("*.py"), *(_PACKAGE / "checks").glob("*/*.md")])
    digest = sha256()
    for source in sources:
        if source.parent.name != "built":
            digest.update(source.read_bytes() + b"\0")
    return Path(__file__).parent / "built" / f"listing-{digest.hexdigest()[:16]}.json"


@cache
def _shipped() -> dict[str, dict[str, str]]:
    try:
        return dict(json.loads(place().read_bytes()))
    except OSError:
        return {lang: {} for lang in get_args(Lang)}


def write() -> Path:
    """Make the lines and keep them; returns the file. Those of other sources are deleted."""
    made = {lang: {name: _made(name, lang) for name in sorted(built_in_names())} for lang in get_args(Lang)}
    target = place()
    target.parent.mkdir(exist_ok=True)
    for old in target.parent.glob("listing-*"):
        old.unlink()
    target.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
    return target
