"""What the law calls an entity: the Personal Information Protection Law of China (PIPL) and the GDPR of the EU.

Sensitive under PIPL art. 28: what can harm a person's dignity or safety when it leaks; which identifiers are among it
says GB/T 35273-2020, annex B (identity papers, bank accounts, medical records, precise places). GDPR: art. 4 (1) names
identification numbers, location data and online identifiers; art. 9 and recital 35 health; art. 87 national
identification numbers. A table for a first sorting, no legal advice.
"""

from typing import Literal, NamedTuple

Pipl = Literal["sensitive", "personal", "not personal"]
Gdpr = Literal["art. 4", "art. 9", "art. 87", "not personal"]


class Category(NamedTuple):
    """The class of an entity under either law."""

    pipl: Pipl
    gdpr: Gdpr


_NATIONAL = Category("sensitive", "art. 87")
_ACCOUNT = Category("sensitive", "art. 4")
_HEALTH = Category("sensitive", "art. 9")
_OTHER = Category("personal", "art. 4")
_NOBODYS = Category("not personal", "not personal")
_KNOWN = {
    **dict.fromkeys(("SECRET", "CREDENTIAL", "CN_USCC"), _NOBODYS),
    **dict.fromkeys(("CN_MEDICAL_RECORD", "UK_NHS", "CN_SOCIAL_SECURITY"), _HEALTH),
    **dict.fromkeys(("CN_BANK_CARD", "CN_BANK_ACCOUNT", "IBAN", "CRYPTO", "GPS", "CN_DRIVING_LICENCE"), _ACCOUNT),
    **dict.fromkeys(("CN_RESIDENT_ID", "CN_PASSPORT", "CN_TRAVEL_PERMIT", "HK_ID", "MO_ID", "TW_ID"), _NATIONAL),
    **dict.fromkeys(("US_SSN", "US_ITIN"), _NATIONAL),
}


def category(entity: str) -> Category:
    """The class of an entity; one that is not in the table is personal data."""
    return _KNOWN.get(entity, _OTHER)
