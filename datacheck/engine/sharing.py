"""What all tasks of a step share lies in the store once, under its digest: a task carries its name, whatever the size.

With every task carrying the whole list of parts, what is sent would grow with the square of the data.
"""

import hashlib
import io
import pickle
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from datacheck.engine.bucket import Place, local, opened
from datacheck.engine.store import Store
from datacheck.engine.view import Loaded
from datacheck.engine.workers import STOPPED, Failure, StepFailedError
from datacheck.errors import LoadError

T = TypeVar("T")
_KEPT = 32  # values that a process keeps: what its next tasks need is mostly what the last ones did


@dataclass(frozen=True)
class SharedValue(Generic[T]):
    """The name of a value in the store."""

    store: Place
    key: str

    def value(self) -> T:
        """The value itself. Raises LoadError where it is not there, or not what was written."""
        value: T = _read(self.store, self.key)
        return value

    def once(self) -> T:
        """As `value`, where one task needs it and no other."""
        value: T = _read.__wrapped__(self.store, self.key)
        return value


def value_of(shared: T | SharedValue[T]) -> T:
    """What is shared, be it here or in the store."""
    return shared.value() if isinstance(shared, SharedValue) else shared


class Sharing:
    """Writes values into a store; a dataset that several of them hold is written by itself, once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._known: dict[int, tuple[Loaded, str]] = {}
        self._lock = threading.Lock()
        self._closed = False

    def share(self, value: T) -> SharedValue[T]:
        """The name that stands for a value. Raises StepFailedError after the end."""
        with self._lock:
            if self._closed:
                raise StepFailedError(Failure("Stopped", STOPPED))
            return SharedValue(self.store.place, self._write(value))

    def close(self) -> None:
        """Write nothing more: the store is about to go, and steps of a stopped flow may still be on their way."""
        with self._lock:
            self._closed = True

    def _write(self, value: Any) -> str:
        written = io.BytesIO()
        pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
        if not isinstance(value, Loaded):
            pickler.persistent_id = self._name  # type: ignore[method-assign]
        pickler.dump(value)
        key = hashlib.sha256(written.getvalue()).hexdigest()
        path = self.store.path("shared", key)
        if not self.store.has(path):
            self.store.write_content(path, written.getvalue())
        return key

    def _name(self, value: Any) -> str | None:
        if not isinstance(value, Loaded):
            return None
        if id(value) not in self._known:  # kept here, so that no other value gets its id
            self._known[id(value)] = value, self._write(value)
        return self._known[id(value)][1]


class _Reader(pickle.Unpickler):
    def __init__(self, store: Place, content: bytes) -> None:
        super().__init__(io.BytesIO(content))
        self._store = store

    def persistent_load(self, key: str) -> Any:
        return _read(self._store, key)


@lru_cache(maxsize=_KEPT)
def _read(store: Place, key: str) -> Any:
    root = opened(store)
    with LoadError.instead(
        OSError, "{store}: cannot be read here ({reason}); is it a folder that all nodes see?", store=root
    ):
        content = local(root / "shared" / key).read_bytes()
    if hashlib.sha256(content).hexdigest() != key:  # it is unpickled: what is in the store may be another's, this not
        raise LoadError("{store}: what lies there is not what was written", store=root)
    return _Reader(store, content).load()
