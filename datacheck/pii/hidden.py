"""Import a library without those that it would use if they happened to be there."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Presidio and spaCy load these where they are installed, as on every training machine: seconds and gigabytes, for
# engines that are not used here, and what they have to say stands on our standard error.
UNUSED = ("torch", "transformers", "stanza", "tensorflow", "jax", "cupy", "mxnet", "gliner", "langextract")


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
