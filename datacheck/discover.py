"""Find checks by file name: `check: near_duplicates` is the one Check subclass in `checks/near_duplicates.py`.

There is no registry. A folder that the operator names (`--checks DIR`) is a second place to look, imported as the
package `datacheck_user_checks`, so that spawned workers can import it too.
"""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

from datacheck.check import Check
from datacheck.errors import CheckAuthorError, UsageError

USER_PACKAGE = "datacheck_user_checks"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_BUILT_IN = Path(__file__).parent / "checks"


def use_folder(folder: Path | None) -> None:
    """Make the checks in `folder` importable; workers call this with the parent's folder before anything else."""
    for name in [m for m in sys.modules if m == USER_PACKAGE or m.startswith(USER_PACKAGE + ".")]:
        del sys.modules[name]
    if folder is None:
        return
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; --checks names a folder of check files")
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


def check_names() -> list[str]:
    """The names of all checks that can be used, sorted."""
    return sorted(_names(_BUILT_IN) | _names(user_folder()))


def check_class(name: str) -> type[Check]:
    """The class behind `name`. Raises KeyError for an unknown name, CheckAuthorError for a file without one check."""
    if name not in check_names():
        raise KeyError(name)
    package = "datacheck.checks" if name in _names(_BUILT_IN) else USER_PACKAGE
    module = importlib.import_module(f"{package}.{name}")
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Check) and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise CheckAuthorError(f"{name}.py: holds {len(found)} Check classes; expected exactly one")
    return found[0]
