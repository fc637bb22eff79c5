"""What mailboxes and persons of a record tell beside themselves: their owners' names, and the names of users they have.

A name of a user that is written with digits or signs, or stands where only one stands (see `users`) and is called after
somebody of the record, is that wherever the record has it: zpark of Zuri Park, 域账号是zhengwx.
"""

from collections.abc import Iterator, Sequence

from datacheck.pii.normalise import Folded, fold_url
from datacheck.pii.redact.handles import Handles
from datacheck.pii.redact.leaves import inner_texts
from datacheck.pii.redact.traces import Original
from datacheck.pii.redact.users import mailbox_of, names_of_users, owner, speakers, written_apart


def owners(texts: Sequence[str], values: Sequence[Original]) -> Iterator[str]:
    """The names after which the mailboxes among some values are called, and those who speak in talks in the texts."""
    for name in map(owner, sorted(set(speakers(_folded(texts))))):
        if name:
            yield name
    for value in values:
        if value.entity == "EMAIL_ADDRESS" and (name := owner(mailbox_of(value.written))):
            yield name


def users(texts: Sequence[str], values: Sequence[Original]) -> Iterator[str]:
    """The names of users of whom some values of a record are, whose texts are given."""
    mailboxes = {mailbox_of(value.written) for value in values if value.entity == "EMAIL_ADDRESS"}
    yield from sorted(filter(written_apart, mailboxes))
    handles = Handles()
    for number, value in enumerate(values):
        if value.entity == "PERSON":
            handles.add_person(fold_url(value.written).text, number)
    folded = _folded(texts)
    talking = set(speakers(folded))
    yield from sorted(talking)
    for user in sorted(set(names_of_users(folded)) - {"", *talking, *filter(written_apart, mailboxes)}):
        if user in mailboxes or any(True for _ in handles.find(Folded(f"@{user}", None))):
            yield user


def _folded(texts: Sequence[str]) -> list[str]:
    return [fold_url(inner.text).text for text in texts for inner in inner_texts(text)]
