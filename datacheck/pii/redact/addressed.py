"""What people of a record are called by in it: 老时, 曾哥, 长城哥, 阿瑞, Ms. Park, Hi Zuri, zuri.park@….

Where somebody is called so, what may be a name with that surname or given name is one: 曾强一, François Park.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from datacheck.pii.given_names import given_names
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.person import COMPOUND
from datacheck.pii.redact.callings import TITLES
from datacheck.pii.redact.users import mailboxes, names_of_users, owners_word, speakers
from datacheck.pii.tagger import is_entry

_CLOSE = "[哥姐叔姨](?![夫妹弟])|同学|先生|女士|小姐|阿姨"  # behind a given name as well
_TITLE = re.compile(rf"(?P<close>{_CLOSE})|{TITLES}|总(?![{HAN}])")
_FAMILIAR = re.compile(rf"[老小阿][{HAN}]")
_ENGLISH = re.compile(r"(?<![A-Za-z])(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? ([^\W\d_]+(?:[-’'][^\W\d_]+)?)")
_HAN = re.compile(f"[{HAN}]+\\Z")
_COMPOUNDS = re.compile(COMPOUND)
_NAME = re.compile(r"(?<![^\W_])[^\W\d_]{4,}(?![^\W_])(?!@|[._\-]\w)")
_WORD = r"[A-Z][^\W\d_A-Z]+(?:[-’'][A-Z][^\W\d_]+)?(?![^\W_])"
# Who is spoken to, or of: Hi Zuri, · thanks, Zuri. · I'll tell Zuri.
_GREETED = re.compile(
    r"(?<![^\W_])(?:(?i:hi|hello|hey|dear|thanks|thank you|sorry|welcome back|to hear that|perfect|of course|certainly"
    r"|good (?:morning|afternoon|evening)|you[’']re welcome|understood|no problem|noted),? "
    rf"({_WORD})(?=[ ]?[,!.;:—–\n]|[ ](?:i|its?|this|again)(?![a-z])|\Z)"
    rf"|(?i:tell|ask|remind|ping) ({_WORD})(?=[,.!?;\n]|[ ](?:to|that|about|if|we|on|from)(?![a-z])|\Z))"
)
_PLACE = re.compile(
    r"(?:(?<![A-Za-z])(?i:in|near|saint|st\.?|lake|mount|port|fort)[ ]"
    r"|(?i:city|town|state|country|county|place|location|destination)[*_\"'\\]{0,4}[ ]?[:=][*_]{0,2}[ ]?\\?[\"']?)"
    rf"({_WORD})"
)
_NOT_GREETED = frozenset(
    "All Everyone Everybody Team There Sir Madam Maam Friend Friends Folks Guys Ladies Gentlemen Customer"
    " Customers Client User Users Guest Member Students Student Parents Professor Doctor Doc Teacher Boss"
    " Manager Colleague Colleagues Hiring Recruiter Reader Readers Editor Diary God Lord Santa Mom Mum Dad"
    " Grandma Grandpa Baby Honey Love World Assistant Bot Chatbot Alexa Siri Cortana Google Claude Gemini Bard"
    " Copilot Again Yes No Not So Much For The You Your It This That And But Or If In On To My We They He She"
    " Me Us Them Chef Captain Officer Judge Support Jesus Heavenly Mr Mrs Ms Miss Dr Prof Human Resources".split()
)


class Addressed(NamedTuple):
    """Surnames, and given names or their last characters, by which somebody is called."""

    surnames: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    """The names of mailboxes and of users, in small letters (see `users`)."""
    places: frozenset[str] = frozenset()
    """Capitalised words that stand where a place stands: in Charlotte, "city": "Charlotte"."""


def greeted(text: str) -> Iterable[tuple[int, int]]:
    """Where somebody is spoken to, or of, by one word in Latin letters that is no role (Team, Customer)."""
    for match in _GREETED.finditer(text):
        word = match[1] or match[2]
        if word not in _NOT_GREETED and word not in given_names()[1]:  # Perfect, Monday.
            yield match.span(1 if match[1] else 2)


def _owners(texts: Sequence[str]) -> Iterable[str]:
    """Words that are only written with a capital and are a part of the name of a mailbox: Zuri of zurikamau@…."""
    known = {*mailboxes(texts), *((user, "") for user in speakers(texts))}
    if known:
        words = {word for text in texts for word in _NAME.findall(text)}
        for word in words - _NOT_GREETED:
            if word.lower() not in words and any(owners_word(*mailbox, word.lower()) for mailbox in known):
                yield word


def addressed(texts: Sequence[str]) -> Addressed:
    """Read the texts of one record. A word of the dictionary (老师, 小时) calls nobody."""
    surnames: set[str] = set()
    given: set[str] = set()
    given.update(word for word in _owners(texts) if word[0].isupper())
    for text in texts:
        surnames.update(match[1] for match in _ENGLISH.finditer(text))
        given.update(text[slice(*span)] for span in greeted(text))
        for match in _FAMILIAR.finditer(text):
            if not is_entry(match[0]):
                (given if match[0][0] == "阿" else surnames).add(match[0][1])
        for match in _TITLE.finditer(text):
            before = _HAN.search(text[max(0, match.start() - 2) : match.start()])
            if before and not is_entry(before[0][-1] + match[0]):
                surnames.add(before[0] if _COMPOUNDS.fullmatch(before[0]) else before[0][-1])
                given.update({before[0]} if match["close"] and len(before[0]) > 1 else ())
    places = {match[1] for text in texts for match in _PLACE.finditer(text)}
    return Addressed(frozenset(surnames), frozenset(given), frozenset(names_of_users(texts)), frozenset(places))
