"""How much an entity matters. Each recognizer says it of its own; docs/pii.md has the table."""

from typing import Literal, NamedTuple

State = Literal["valid", "suspect", "specimen", "public"]
CLASSES = ("private", "secret", "public", "specimen")
"""Whose a hit is, for limits: a person's, a key, an institution's, documentation's."""
SECRETS = ("SECRET", "CREDENTIAL")  # entities of the class secret: nobody may let one stay
Severity = Literal["block", "warn", "profile"]
REGIONS = frozenset({"CN", "TW", "HK", "MO", "US"})
"""Whose identifiers are looked for unless a contract asks for more."""


class Policy(NamedTuple):
    """Default severity of an entity per state, and its part in the rule of linkage.

    `linked` is the severity of a valid value within LINK characters of a `hard` identifier (None: the same).
    A hit counts from `threshold` up, context included.

    The severities are what the measurements on real text allow: identifiers of one person and keys block; what is also
    a company's, a machine's or a public place's warns; a name or a birthday alone is no identifier, beside one it is.
    """

    valid: Severity
    suspect: Severity = "warn"
    specimen: Severity = "warn"
    public: Severity = "warn"
    linked: Severity | None = None
    hard: bool = False
    threshold: float = 0.5


LINK = 60
"""Characters between a hard identifier and what it makes personal (a name, a date of birth)."""
