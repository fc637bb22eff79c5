"""Find checks by file name: `check: near_duplicates` is the one Check subclass in `checks/near_duplicates.py`.

There is no registry. A folder that the operator names (`--checks DIR`) is a second place to look, imported as the
package `datacheck_user_checks`, so that spawned workers can import it too; entry points of the group
`datacheck.checks` are a third.
"""

import importlib
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from datacheck import plugins
from datacheck.check import Check, card_of
from datacheck.errors import CheckAuthorError, UsageError

USER_PACKAGE = "datacheck_user_checks"
_GROUP = "datacheck.checks"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_BUILT_IN = Path(__file__).parents[1] / "checks"


def use_folder(folder: Path | None) -> None:
    """Make the checks in `folder` importable; workers call this with the parent's folder before anything else."""
    if USER_PACKAGE in sys.modules:
        for name in [m for m in sys.modules if m == USER_PACKAGE or m.startswith(USER_PACKAGE + ".")]:
            del sys.modules[name]
    if folder is None:
        return
    if not folder.is_dir():
        raise UsageError("{folder}: no such folder; --checks names a folder of check files", folder=folder)
    taken = sorted(_names(folder) & (built_in_names() | _plugged()))
    if taken:
        raise UsageError(
            "{folder}: {name}.py has the name of a built-in check; give it another name", folder=folder, name=taken[0]
        )
    package = ModuleType(USER_PACKAGE)
    package.__path__ = [str(folder.resolve())]
    sys.modules[USER_PACKAGE] = package


def user_folder() -> Path | None:
    """The folder in use, if any."""
    package = sys.modules.get(USER_PACKAGE)
    return Path(package.__path__[0]) if package else None


def _names(folder: Path | None) -> set[str]:
    if folder is None:
        return set()
    return {path.stem for path in folder.glob("*.py") if _NAME.fullmatch(path.stem)}


@cache
def built_in_names() -> frozenset[str]:
    """The names of the package's own checks."""
    return frozenset(_names(_BUILT_IN))


def _plugged() -> set[str]:
    return set(plugins.names(_GROUP))


def check_names() -> list[str]:
    """The names of all checks that can be used, sorted."""
    return sorted(built_in_names() | _plugged() | _names(user_folder()))


def always_names() -> list[str]:
    """Every check that may want to run unasked: the built-in ones that say so, and all of the user's and of plug-ins.

    Read, not imported: importing all checks takes longer than answering for a known version.
    """
    return sorted(_unasked() | _plugged() | _names(user_folder()))


@cache
def _unasked() -> frozenset[str]:
    return frozenset(name for name in built_in_names() if b"def always(" in (_BUILT_IN / f"{name}.py").read_bytes())


def user_inputs() -> dict[str, bytes]:
    """Every Python file below the user's folder, by its name there: what can change what a check of theirs measures."""
    folder = user_folder()
    if folder is None:
        return {}
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}


def check_class(name: str) -> type[Check]:
    """The class behind `name`. Raises KeyError for an unknown name, CheckAuthorError for a file without one check."""
    if name in built_in_names():
        module = importlib.import_module(f"datacheck.checks.{name}")
    elif name in _plugged():
        module = plugins.module(_GROUP, name)
    elif name in _names(user_folder()):
        module = _user_module(name)
    else:
        raise KeyError(name)
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Check) and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise CheckAuthorError(f"{name}.py: holds {len(found)} Check classes; expected exactly one")
    _fits(name, found[0])
    return found[0]


def _user_module(name: str) -> ModuleType:
    """Import a check of the user's; whatever goes wrong in their file is told as theirs."""
    try:
        return importlib.import_module(f"{USER_PACKAGE}.{name}")
    except (Exception, SystemExit) as error:
        at = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise CheckAuthorError(f"{name}.py: cannot be imported: {type(error).__name__}{at}: {error}") from error


def _fits(name: str, kind: type[Check]) -> None:
    """One name everywhere, numbers that are promised, and a card to read."""
    if kind.model_fields["check"].default != name:
        raise CheckAuthorError(f'{name}.py: its setting `check` must be `Literal["{name}"] = "{name}"`')
    if not getattr(kind, "metrics", None):
        raise CheckAuthorError(f"{name}.py: declares no `metrics`; expected at least one Metric")
    if not card_of(kind, "en") or not card_of(kind, "zh"):
        raise CheckAuthorError(f"{name}.py: needs a docstring and ZH, the same card in Chinese")
