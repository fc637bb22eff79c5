"""Names for values that say nothing of them: equal values of an entity get equal names.

Numbers of telephones and cards can be enumerated, so a plain hash of one is the number. With a key it is an HMAC
(RFC 2104); without one, values are counted in the order of their first appearance.
"""

import hashlib
import hmac
import os
import re

from datacheck.pii.normalise import fold
from datacheck.pii.recognizers import RECOGNIZERS

ENV = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
SHORTEST_KEY = 16  # bytes; a key that can be guessed protects nothing
_LENGTH = 8
# A name that reads as a number would be found as one (QQ：<QQ_12345678>) or masked in reports.
_DIGITS = re.compile(r"[0-9]{4}")


class KeyMissingError(Exception):
    """The environment variable that holds the key is not set, or too short. Holds only its name."""

    def __init__(self, variable: str) -> None:
        self.variable = variable
        super().__init__(f"the environment variable {variable} must hold a key of {SHORTEST_KEY} bytes or more")


def read_key(name: str) -> bytes:
    """Return the key that `env:NAME` speaks of. Raises KeyMissingError."""
    variable = name.removeprefix("env:")
    key = os.environ.get(variable, "").encode()
    if len(key) < SHORTEST_KEY:
        raise KeyMissingError(variable)
    return key


def key_id(key: bytes) -> str:
    """Return what tells keys apart and says nothing else of them."""
    return fingerprint(key, "datacheck key")


def identity(entity: str, written: str) -> str:
    """Return the SHA-256 (hex) of an entity and a value as it was written, without its presentation.

    It is for private tables only: whoever has it can try all telephone numbers. KeyError for an unknown entity.
    """
    value = RECOGNIZERS[entity].canonical(fold(written).text)
    return hashlib.sha256(f"{entity}:{value}".encode("utf-8", "surrogatepass")).hexdigest()


def fingerprint(key: bytes, value: str) -> str:
    """Return eight hex digits of HMAC-SHA256(key, value), the first that hold no four decimal digits in a row."""
    digest = hmac.new(key, value.encode(), hashlib.sha256).hexdigest()
    windows = (digest[at : at + _LENGTH] for at in range(len(digest) - _LENGTH + 1))
    return next((window for window in windows if not _DIGITS.search(window)), "x" + digest[:3] + "x" + digest[3:6])


class Pseudonyms:
    """Hands out `<ENTITY_name>`, the same for equal values, with a key or by counting."""

    def __init__(self, key: bytes | None) -> None:
        self._key = key
        self._known: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def of(self, entity: str, written: str) -> str:
        """Return what stands in the place of a value of a text."""
        return self.tag(entity, written)

    def is_made(self, written: str) -> bool:
        """Whether a value that is found is one that was handed out: a pseudonym never is."""
        del written
        return False

    def tag(self, entity: str, written: str) -> str:
        """Return the pseudonym of a value as it stands in a text."""
        value = identity(entity, written)
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = f"<{entity}_{self._name(entity, value)}>"
        return known

    def number(self, entity: str, written: str) -> str:
        """Return the pseudonym of a value that stands as a number: one of at most four digits, which identify nobody.

        With a key different values may get the same one: there are nine thousand.
        """
        name = self.tag(entity, written).removesuffix(">").rpartition("_")[2]
        if self._key is None:
            return name.removeprefix("v")
        return str(1000 + int(hashlib.sha256(name.encode()).hexdigest(), 16) % 9000)

    def _name(self, entity: str, value: str) -> str:
        if self._key is not None:
            return fingerprint(self._key, value)
        number = self._counts[entity] = self._counts.get(entity, 0) + 1
        return f"v{number}"
