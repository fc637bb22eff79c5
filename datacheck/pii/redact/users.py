"""Names of mailboxes and of users in a record, and who they are called after: zuri.park@…, /home/zpark, user=zpark.

What stands once where only the name of a user stands is that name wherever it stands in the record, and who has the
mailbox zuri.park is called Zuri Park. A mailbox alone tells a name only where one of its parts is a listed one:
customer.service is nobody.
"""

import re
from collections.abc import Iterable, Iterator

from datacheck.pii.given_names import is_given, surnames, without_accents
from datacheck.pii.normalise import fold_url
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import words

_NAME = r"[A-Za-z][A-Za-z0-9]*(?:[._\-][A-Za-z0-9]+){0,3}"
_MAILBOX = re.compile(
    rf"({_NAME})(?:[ ]?@[ ]?|[ ]?[\[(]at[\])][ ]?|[ ]at[ ](?=[a-z0-9\-]+[ ]dot[ ])|[ ]?艾特[ ]?)"
    r"([A-Za-z0-9][A-Za-z0-9.\-]*)"
)
# A folder of a user, a value of a log, what is called so in a sentence, all of a value, or alone in brackets
_USER = re.compile(
    r"(?:(?i:[\\/](?:users|home)[\\/]+|(?:user(?:name|_name|_id)?|login|account|owner)=[\"']?"
    r"|/(?:u|users?|people|staff|members?)/"
    r"|(?:user[ _]?name|user|author|owner|login|log(?:ged|in)? in as|assignee|reviewer)[\"']?"
    r"(?: is)?[ ]?[:：=]?[ ][\"']?|@author )"
    r"|(?:域?账号|帐号|用户名|登录名|作者)(?:是|为)?[ ]?[:：]?[ ]?|(?<![A-Za-z0-9])@"
    rf"|\((?=[a-z0-9._\-]+\))|\A(?=[a-z0-9._\-]+\Z))({_NAME})(?![A-Za-z0-9@])"
)
# Who speaks in an exported talk: [12:38] zpark: …, <zpark> …, 12:38 zpark | …, zpark 12:38, z_park：…
_TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"
_SPEAKER = re.compile(
    rf"(?m:^[ >]{{0,4}}(?:[\[(]?{_TIME}[\])]?[ ]{{1,2}}(?P<timed>{_NAME})(?=[ ]?[:：|])|<(?P<marked>{_NAME})>(?=[ ]\S)"
    rf"|(?P<before>{_NAME})(?=[ ]{{1,2}}{_TIME}[ ]*$)"
    r"|(?P<said>[a-z][a-z0-9]*[._\-]?[a-z0-9]*[0-9][a-z0-9]*|[a-z]+[._][a-z]+)(?=：[\u4e00-\u9fff])))"
)
# … in a channel of a game or a group: [Guild] zpark: …, 【公会】zpark：…
_IN_CHANNEL = re.compile(rf"(?m:^[\[【][^\]】\n0-9]{{1,16}}[\]】][ ]?(?P<user>{_NAME})(?=[ ]?[:：][ ]?\S))")
_MENTIONED = re.compile(rf"(?m:^[ >]{{0,4}}@(?P<user>{_NAME})(?=[ ]?[:：]))")  # @zpark77: who has the keys?
_LOGGED = re.compile(r"(?<![A-Za-z])(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|kernel|systemd|sshd)(?![A-Za-z])|</")
_FEWEST_LINES = 3
_FOLDER = re.compile(rf"(?i:[A-Za-z]:\\{{1,2}}users\\{{1,2}}|(?<![A-Za-z0-9.])/(?:home|users)/)({_NAME})")
_ANYBODY = words(
    "admin administrator root user users username public default guest test tester ubuntu debian ec2-user vagrant"
    " docker node app www-data runner jenkins git postgres mysql oracle me you name your-name your_name yourname shared"
    " all"
)
_NO_SPEAKERS = words(
    "bot system agent assistant support human info error warning warn debug fatal notice trace chat advisor note"
    " html body head div span table code pre think tool answer question user name start end step stdout stderr"
)
_NO_MENTIONS = words(
    "param return returns media import charset override author since version see throws example type note todo"
)
_TASKS = words(
    "admin billing booking bookings business care careers client clients community contact customer desk"
    " editor enquiries events feedback finance general group hello help helpdesk hotel hr info inquiries jobs"
    " legal list lists mail mailing manager marketing media membership news newsletter no noreply office online"
    " order orders party people press privacy registration reply research sales school security service"
    " services shop staff store student students studio support team tech the tickets training travel"
    " university volunteer web webmaster welcome work"
)
_LONG_TASKS = tuple(sorted(task for task in _TASKS if len(task) > 4))
_FEWEST = 4
_PART = re.compile("[A-Za-z]+")


def mailboxes(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names of mailboxes and their hosts in some texts, folded, in small letters."""
    yield from ((match[1].lower(), match[2].lower()) for text in texts for match in _MAILBOX.finditer(text))


def names_of_users(texts: Iterable[str]) -> Iterator[str]:
    """The names of mailboxes and users in the texts of one record, folded, in small letters."""
    for text in texts:
        for form in (_MAILBOX, _USER):
            yield from (name for match in form.finditer(text) if (name := match[1].lower()) not in _ANYBODY)


def speakers(texts: Iterable[str]) -> Iterator[str]:
    """The names of users who speak in talks that the texts of one record quote, in small letters; no programs."""
    for text in texts:
        talk = "" if _LOGGED.search(text) else text
        lines, in_channel = list(_SPEAKER.finditer(talk)), list(_IN_CHANNEL.finditer(talk))
        for match in lines if len(lines) >= _FEWEST_LINES else ():
            if (name := match[str(match.lastgroup)].lower()) not in _ANYBODY | _NO_SPEAKERS:
                yield name
        for match in (*_MENTIONED.finditer(text), *(in_channel if len(in_channel) > 1 else ())):
            if (name := match["user"].lower()) not in _ANYBODY | _NO_SPEAKERS | _NO_MENTIONS:
                yield name


def is_called_after(user: str, first: str, last: str) -> bool:
    """Whether a name of a user is made of a given name and a surname, in small letters, or of one's initial."""
    letters = "".join(_PART.findall(user))
    if len(last) < _FEWEST - 1 and len(first) < _FEWEST - 1:
        return False
    return (
        letters in {first + last, last + first, first[:1] + last, last + first[:1], first + last[:1]}
        and len(letters) >= _FEWEST
    )


def owners_word(user: str, host: str, word: str) -> bool:
    """Whether a word in small letters is a part of the name of a mailbox, which is no task's nor called as its host."""
    parts = [part for part in re.split(r"[^a-z]+", user) if part]
    glued = "".join(parts)
    is_task = not _TASKS.isdisjoint(parts) or glued.startswith(_LONG_TASKS) or glued.endswith(_LONG_TASKS)
    if word in host or is_task or len(word) < _FEWEST + (len(parts) == 1):
        return False
    is_edge = glued.startswith(word) or glued.endswith(word)
    return word in parts if len(parts) > 1 else is_edge and len(glued) - len(word) >= _FEWEST


def owner(user: str) -> str | None:
    """Who has a mailbox of that name, as it would be written: Zuri Park; None where it tells nobody."""
    parts = [part for part in re.split(r"[._\-]", re.sub("[0-9]+", "", user.lower())) if part]
    if len(parts) == 1 and is_given(parts[0]) and len(parts[0]) >= _FEWEST:
        return parts[0].title()
    if len(parts) != 2 or min(map(len, parts)) < _FEWEST - 1 or not all(map(str.isalpha, parts)):
        return None
    first, last = (part.title() for part in parts)
    if is_given(last) and not is_given(first):
        first, last = last, first
    return f"{first} {last}" if is_given(first) or without_accents(last) in surnames() else None


def written_apart(user: str) -> bool:
    """Whether nothing but a name of a user is written so: with digits or signs in it."""
    return len(user) >= _FEWEST + 1 and not user.isalpha()


def mailbox_of(address: str) -> str:
    """The name of a mailbox, however the address is written."""
    return RECOGNIZERS["EMAIL_ADDRESS"].canonical(fold_url(address).text).lower().rpartition("@")[0]


def folders(text: str) -> Iterator[str]:
    """The names of users whose folders a text names: /home/zpark."""
    yield from (match[1] for match in _FOLDER.finditer(text) if match[1].lower() not in _ANYBODY)
