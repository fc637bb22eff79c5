"""Import a library without those that it would use if they happened to be there."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Presidio and spaCy load these where they are installed, as on every training machine: seconds and gigabytes, for
# engines that are not used here, and what they have to say stands on our standard error.
UNUSED = ("torch", "transformers", "stanza", "tensorflow", "jax", "cupy", "mxnet", "gliner", "langextract")
# What Presidio imports for engines and recognizers other than ours: 1.3 CPU s. It cannot do without their names.
IDLE = (
    "spacy",
    "thinc",
    "presidio_analyzer.predefined_recognizers",
    "presidio_analyzer.lm_recognizer",
    "presidio_analyzer.llm_utils",
    "presidio_analyzer.input_validation",
    "presidio_analyzer.nlp_engine.ner_model_configuration",
)
_own = False


def own_process() -> None:
    """Say that this process is one of datacheck's: nobody else in it will ask Presidio for what is idle here."""
    global _own  # noqa: PLW0603 - true of the whole process
    _own = True


def is_own_process() -> bool:
    """Whether this process is one of datacheck's."""
    return _own


@contextmanager
def hidden(*names: str) -> Iterator[None]:
    """Let the imports of the block find no module of these names. Those that are loaded already stay to be seen."""
    absent = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type] # None: import raises ModuleNotFoundError
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


@contextmanager
def lean() -> Iterator[None]:
    """Let Presidio's import in the block cost what is used of it; in other people's processes all of it is loaded."""
    idle = _IdleModules()
    sys.meta_path.insert(0, idle)
    try:
        with hidden(*UNUSED):
            yield
    finally:
        sys.meta_path.remove(idle)
        for name in idle.made:
            del sys.modules[name]


class _IdleModules(MetaPathFinder, Loader):
    """Finds what is idle before those do who would load it."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Of IDLE and what is inside."""
        del path, target
        known = _own and any(fullname == name or fullname.startswith(f"{name}.") for name in IDLE)
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module that has every name."""
        self.made.append(spec.name)
        return _Idle(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to do."""


class _Idle(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Named(name, (), {})


class _Named(type):
    """Of classes that are only named: in annotations, and as decorators."""

    def __getattr__(cls, name: str) -> Callable[..., Any]:
        return lambda *_, **__: lambda function: function
