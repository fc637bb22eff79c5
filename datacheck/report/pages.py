"""Pages of HTML: the one way to make them, and their templates, compiled when the package is built.

To compile a template takes a tenth of a second, as long as to fill it in. What does not lie there (other sources,
another Jinja, other settings) is compiled when it is asked for, and is the same.
"""

import base64
import hashlib
import importlib.util
from collections.abc import MutableMapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from datacheck.report import shape

_TEMPLATES = Path(__file__).parent / "templates"
_BUILT = Path(__file__).parent / "built"


class Whole(str):
    """A text that was made visible, and may be longer than others (a command, a row); it is escaped like them."""

    __slots__ = ()


class Asset(NamedTuple):
    """A style or a script of ours, and its name in the policy of the page."""

    text: Markup
    hash: str


@cache
def asset(name: str) -> Asset:
    """One of the files beside the templates."""
    text = (_TEMPLATES / name).read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Asset(Markup(text), f"sha256-{digest}")  # noqa: S704 - a file of this package


@cache
def environment() -> Environment:
    """The one way to make a page: autoescape, and everything made visible."""
    return Environment(
        loader=_Loader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """What every {{ … }} goes through before it is escaped."""
    if isinstance(value, Markup | Whole):
        return value
    return shape.visible(str(value)).replace("\\u{a}", " ⏎ ")  # line feeds are in most texts of a row


class _Loader(FileSystemLoader):
    """Takes what was compiled from the same source by the same rules."""

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002
    ) -> Template:
        compiled = _place(environment, name)
        spec = importlib.util.spec_from_file_location(f"datacheck.report.built.{compiled.stem}", compiled)
        if spec is None or spec.loader is None or not compiled.exists():
            return super().load(environment, name, globals)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        given = globals if globals is not None else {}
        return environment.template_class.from_module_dict(environment, module.__dict__, given)


def _place(environment: Environment, name: str) -> Path:
    """Where a compiled template lies: a file for this source and these rules."""
    rules = (jinja2.__version__, environment.autoescape, environment.trim_blocks, environment.lstrip_blocks)
    told = hashlib.sha256(f"{rules}".encode() + (_TEMPLATES / name).read_bytes()).hexdigest()
    return _BUILT / f"{name.partition('.')[0]}_{told[:16]}.py"


def write() -> list[Path]:
    """Compile all templates; returns the files. What belongs to other sources goes."""
    made = {}
    for source in sorted(_TEMPLATES.glob("*.j2")):
        text = source.read_text("utf-8")
        made[_place(environment(), source.name)] = environment().compile(text, source.name, raw=True, defer_init=True)
    _BUILT.mkdir(exist_ok=True)
    for old in set(_BUILT.glob("*.py")) - made.keys():
        old.unlink()
    for target, code in made.items():
        target.write_text(code, "utf-8")
    return list(made)
