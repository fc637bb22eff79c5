"""One table: which entities there are, which one stays where two overlap, and how much each one matters."""

from typing import Literal, NamedTuple

State = Literal["valid", "suspect", "specimen"]
Severity = Literal["block", "warn", "profile"]


class Policy(NamedTuple):
    """Default severity of an entity per state, and its part in the rule of linkage.

    `linked` is the severity of a valid value within LINK characters of a `hard` identifier (None: the same).
    A hit counts from `threshold` up, context included.
    """

    valid: Severity
    suspect: Severity = "warn"
    specimen: Severity = "warn"
    linked: Severity | None = None
    hard: bool = False
    threshold: float = 0.5


LINK = 60
"""Characters between a hard identifier and what it makes personal (a name, a date of birth)."""

# In order of priority: where two hits overlap (and neither is the surer one), the earlier entity stays.
# Severities after what the measurements on real text allow: identifiers of one person and keys block; what is also a
# company's, a machine's or a public place's warns; a name or a birthday alone is no identifier, beside one it is.
POLICY: dict[str, Policy] = {
    "SECRET": Policy("block"),
    "CREDENTIAL": Policy("warn"),
    "CN_RESIDENT_ID": Policy("block", hard=True),
    "CN_DRIVING_LICENCE": Policy("block", hard=True),
    "CN_SOCIAL_SECURITY": Policy("block", hard=True),
    "CN_MEDICAL_RECORD": Policy("block", hard=True),
    "CN_PASSPORT": Policy("block", hard=True),
    "CN_TRAVEL_PERMIT": Policy("block", hard=True),
    "HK_ID": Policy("block", hard=True),
    "MO_ID": Policy("block", hard=True),
    "TW_ID": Policy("block", hard=True),
    "CN_USCC": Policy("warn"),
    "IBAN": Policy("block", hard=True),
    "CN_BANK_CARD": Policy("block", hard=True),
    "CN_BANK_ACCOUNT": Policy("block", hard=True),
    "IMEI": Policy("warn"),
    "CN_MOBILE": Policy("block", hard=True),
    "CN_LANDLINE": Policy("block", hard=True),
    "QQ": Policy("block", hard=True),
    "WECHAT": Policy("block", hard=True),
    "CN_PLATE": Policy("block", hard=True),
    "US_SSN": Policy("block", hard=True),
    "US_ITIN": Policy("block", hard=True),
    "UK_NHS": Policy("block", hard=True),
    "MEDICAL_LICENSE": Policy("warn"),
    "CRYPTO": Policy("warn"),
    "PHONE_NUMBER": Policy("block", hard=True),
    "EMAIL_ADDRESS": Policy("block", hard=True),
    "MAC_ADDRESS": Policy("warn"),
    "IP_ADDRESS": Policy("warn"),
    "GPS": Policy("warn"),
    "ADDRESS": Policy("block"),
    "DATE_OF_BIRTH": Policy("warn", linked="block"),
    # valid = labelled (姓名：X, "my name is X"); suspect = found by a part-of-speech tagger alone: never blocks.
    "PERSON": Policy("warn", suspect="profile", linked="block"),
}

ENTITIES = tuple(POLICY)


def severity(entity: str, state: State, *, linked: bool = False) -> Severity:
    """Return the default severity of a hit. KeyError for an unknown entity."""
    policy = POLICY[entity]
    if state == "valid" and linked and policy.linked:
        return policy.linked
    return getattr(policy, state)  # type: ignore[no-any-return]
