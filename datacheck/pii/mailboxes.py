"""Mailboxes that a house gives out as its own: "email us at …", "contact the … team", tasks of an authority.

Nobody's name, and not at a provider of mailboxes: who says *us* there is a house. Asked only of what was found.
"""

import re

from datacheck.pii.given_names import is_given, surnames
from datacheck.pii.recognizers.email_address import is_providers

BEFORE = 110
"""Code points before a mailbox in which it may be said whose it is: a link repeats the mailbox."""
# What stands between the words and the mailbox: at [, (, <a href="mailto:
_AS_LINK = r"[^.!?@\n]{0,40}(?:\n[^.!?@\n]{0,40})?"
_OURS = re.compile(
    r"(?i:\b(?:e-?mail|mail|contact|reach|write|notify|tell|ask|join|find|report)(?: out)?(?: to)? us\b"
    r"|\b(?:let us know|our (?:e-?mail(?: address)?|mailbox))\b[.!]?"
    r"|\b(?:drop|send|shoot) us an?\b|\bus an? (?:e-?mail|line|note|message)\b"
    r"|\b(?:our|the)\b(?: (?!my\b|his\b|her\b)[\w’'&/-]+(?:\.\w+)?){0,5}"
    r" (?:teams?|committee|help ?desk|office|program(?:me)?|secretariat|division)\b"
    r"|\bfor (?:more|further|additional|technical) (?:information|details|assistance|support|help)\b"
    rf"|\bquestions\?){_AS_LINK}\Z"
)
_SOMEBODYS = re.compile(r"(?i:\b(?:my|mine|me|his|her|him)\b)")
_SHORTEST, _OF_A_NAME, _INITIALS = 3, 2, 3
_NAMED = re.compile(r"[A-Z][a-z]{2,}")
_NAME = re.compile(r"[a-z]{2,}\.(?:[a-z]\.)?[a-z]{2,}")  # first.last
_DIGITS = re.compile(r"\A[0-9]|[0-9][a-z]")  # 18f, 2020, inquiries18f; not doe3
_TASK = re.compile(
    r"[a-z0-9]{0,20}(?:help|desk|projects?|portals?|maps?|teams?|hubs?|labs?|initiatives?|standards?|coordination|social"
    r"|content|notify|support|questions?|events?|education|training|outreach|info|search|data|analytics|code|tech)"
)


def is_nobodys_name(local: str) -> bool:
    """Whether the name of a mailbox is not formed as a person's (first.last), and holds no given name."""
    parts = re.split(r"[^a-z]+", local)
    return not _NAME.fullmatch(local) and not any(len(part) > 2 and is_given(part) for part in parts)


def is_ours(value: str, text: str, start: int) -> bool:
    """Whether who gives a mailbox out says that it is a house's, and it is no person's by its form."""
    local, _, domain = value.lower().partition("@")
    if is_providers(domain) or not is_nobodys_name(local):
        return False
    said = text[max(0, start - BEFORE) : start].replace(f"[{text[start : start + len(value)]}](mailto:", " ")
    ours = _OURS.search(said.replace("](mailto:", " "))
    return ours is not None and not _SOMEBODYS.search(said) and not _is_called_after(local, domain, said)


def _is_called_after(local: str, domain: str, near: str) -> bool:
    """Whether a mailbox is one or two words with capitals and initials, not the host's: Alex Tang at atang@.

    federalfrontdoor@ is three, and a door's.
    """
    words = {word for word in map(str.lower, _NAMED.findall(near)) if word in local and word not in domain}
    letters = sum(char.isalpha() for char in local)
    return 0 < len(words) <= _OF_A_NAME and letters - sum(map(len, words)) <= _INITIALS


# Authorities whose staff's names the lists know; what they call themselves stands around their mailboxes.
_ENGLISH = re.compile(r"(?:.+\.)?(?:[a-z0-9-]+\.(?:gov|mil)|gov\.(?:uk|au)|govt\.nz|gc\.ca)")
_CALLED = re.compile(
    r"\b[A-Z]{3,}s?\b|\b(?i:office|agency|agencies|department|bureau|program|service|federal|government)\b"
)


def is_an_authoritys(value: str, text: str, start: int) -> bool:
    """Whether a mailbox stands beside what its authority calls itself, and is called like nobody named around it."""
    local, _, domain = value.lower().partition("@")
    if len(local) < _SHORTEST or not _ENGLISH.fullmatch(domain) or not is_nobodys_name(local):
        return False
    end = start + len(value)
    near = f"{text[max(0, start - BEFORE) : start]} {text[end : end + BEFORE]}"
    if not _CALLED.search(near) or any(local[at:].title() in surnames() for at in range(3)):
        return False
    return not _is_called_after(local, domain, near)


def is_a_task_of_an_authority(local: str) -> bool:
    """Whether an authority's mailbox is a task's by its form: calc-18f, data-federation, datagovhelp."""
    local = local.lower()
    if not is_nobodys_name(local):
        return False
    last = re.split(r"[._-]", local)[-1]
    return _DIGITS.search(local) is not None or _TASK.fullmatch(last) is not None
