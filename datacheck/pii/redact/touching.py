"""What touches the pseudonym of somebody and may be the rest of the name: Daughter <…> Fox, Jacky <…>, 换成<…>词.

Of a name sometimes only a part is known. The rest stands right before or behind it, and is written as one.
"""

import re
from collections.abc import Iterator

from datacheck.pii.given_names import census, given_names, is_given, surnames, without_accents, words_as_names
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.base import words
from datacheck.pii.recognizers.person import LATIN, SURNAMES
from datacheck.pii.redact.doubt import MADE, Doubt
from datacheck.pii.redact.likely_names import GIVEN_CHARACTERS, RARE
from datacheck.pii.redact.nicknames import is_often
from datacheck.pii.redact.row_names import NO_NAMES, NO_WORDS, UPPER
from datacheck.pii.tagger import is_entry

_WORD = rf"[{UPPER}][{LATIN}]+(?:[-’'][{UPPER}][{LATIN}]+)?"
_BEHIND = re.compile(rf"{MADE}(?P<sign>[ ]|-)(?P<name>{_WORD})(?![{LATIN}0-9@&/]|[ ][{UPPER}]|\.[{LATIN}])")
_BEFORE = re.compile(rf"(?<![{LATIN}0-9@&/.\-])(?P<name>{_WORD})[ ]{MADE}")
_AFTER_WORD = re.compile(r"(?<![A-Za-z])[a-z]+,?[ ]\Z|[(（]\Z")
_REVERSED = re.compile(rf"(?<=[\"'|;\t])(?P<name>{_WORD}), {MADE}(?=[\"'|;\t])")
_BACK = 16
# What somebody is, before the name; no list of offices is whole
OFFICES = words(
    "President Senator Governor Congressman Congresswoman Secretary Minister Ambassador Mayor King Queen Prince"
    " Princess Duke Duchess Lord Lady Sir Dame Saint St Pope Bishop Father Brother Sister Mother Uncle Aunt"
    " Grandma Grandpa Cousin Captain Colonel General Major Sergeant Lieutenant Officer Detective Judge Justice"
    " Attorney Counsel Lawyer Chief Director Manager Coach Chef Nurse Doctor Professor Teacher Author Actor"
    " Actress Singer Artist Poet Philosopher Scientist Painter Composer Agent Madame Monsieur Herr Frau Señor"
    " Señora Don Emperor Czar Chairman Guest Host Player Employee Student Landlord Tenant Colleague Barista Buyer"
    " Seller Caller Sender Recipient Contact Applicant Sponsor Lake Mount Fort Cape Port Camp Street Avenue"
    " Company Book Song Film Movie River Name Attn Re Fw Fwd Cc To From Discharge Meet Regards Sincerely Cheers"
    " Love Yours Warmly Signed Welcome Congratulations Happy Good Great New Old"
)
# What is said of somebody right behind the name in small letters: <…> shah says
_SMALL = re.compile(
    rf"{MADE}[ ](?P<name>[a-z]{{3,}})"
    r"(?=[ ](?:says?|said|told|wants?|wanted|asked|called|wrote|thinks?|and I)(?![a-z])|\Z)"
)
_ENDS = ("ly", "ing", "ed", "ts", "es", "ns", "ds", "ks", "ls")  # as adverbs and verbs end: <…> accepts
_ADVERBS = words(
    "also then just never always often still only who and but has had was did does not will can may now once even"
    " ever soon later again first both all too two yes here there what that this please thanks though said says"
    " asked told sometimes immediately"
)
_GIVEN_SET, _SURNAMES = frozenset(GIVEN_CHARACTERS), frozenset(SURNAMES + RARE)
_TAIL = re.compile(rf"{MADE}(?P<name>[{GIVEN_CHARACTERS}])(?=(?P<next>[{HAN}0-9]?))")
_HEAD = re.compile(rf"(?P<before>[{HAN}]?)(?P<name>[{SURNAMES}{RARE}]){MADE}")
# Words of every sentence, and what is done by or to somebody
_NO_TAIL = frozenset(
    "来行明正安好得在生家成一的是先已知为也平和会可以说总工哥姐叔了有等去我你您他她它个不都就还与跟及收请让给发付签叫中里外上下多少大小处组部号户某"
    "君兄姨嫂爷妈爸老师士著着过時时系全如开进学业同向自今当将能应要想又再才便即各被把对从到于由因所并且或而却但最很太更真实共见问走看听用"
    "步功设满子亦宗恩彩心望春冬秋夏山水金银玉石海江河国军民族书文化电话机手年月日天地人男女东西南北高长红白黄青春后前方性道"
)
_NO_HEAD = frozenset(
    "和与及跟给让应常成全于向时从连曾可单都就还过能不关别方由为有是同对请任高安明解谈查访教令使管理路平支权邀陪扶帮替邮因将把被称叫呼向见遇"
    "候问告言说讲谢祝贺求赖包计席容温经相万千百双强丰米水党干"
)


def touching(text: str) -> Iterator[Doubt]:
    """Yield what may be the rest of a name in a text of a redacted record."""
    if "<PERSON_" in text:
        yield from _latin(text)
        if re.search(f"[{HAN}]", text):
            yield from _chinese(text)


def _latin(text: str) -> Iterator[Doubt]:
    ends = given_names()[1]
    for match in _BEHIND.finditer(text):
        name = match["name"]
        other = name in ends or name in NO_NAMES or name in NO_WORDS or name in OFFICES
        if match["sign"] == "-" or (_is_family(name) and not other):
            yield Doubt(*match.span("name"), likely=not other)
    for match in _BEFORE.finditer(text):
        name = match["name"].title() if match["name"].isupper() else match["name"]
        if name in NO_WORDS or name in OFFICES or name.endswith("ly"):
            continue
        if is_given(name) or name in words_as_names():
            yield Doubt(*match.span("name"), likely=True)
        elif name in census()[0] or (
            _AFTER_WORD.search(text, max(0, match.start() - _BACK), match.start()) and name not in ends
        ):
            yield Doubt(*match.span("name"), likely=False)
    yield from (Doubt(*match.span("name"), likely=True) for match in _REVERSED.finditer(text))
    for match in _SMALL.finditer(text):
        if match["name"] not in _ADVERBS and not match["name"].endswith(_ENDS):
            yield Doubt(*match.span("name"), likely=_is_family(match["name"].title()))


def _is_family(name: str) -> bool:
    return without_accents(name) in surnames() or without_accents(name) in census()[1]


def _chinese(text: str) -> Iterator[Doubt]:
    for match in _TAIL.finditer(text):
        name, after = match["name"], match["next"]
        if name not in _NO_TAIL and not is_entry(name + after) and not _begins_a_word(text, match.start("name")):
            yield Doubt(*match.span("name"), likely=False)
    for match in _HEAD.finditer(text):
        name, before = match["name"], match["before"]
        if name not in _NO_HEAD and not (before and (is_entry(before + name) or is_often(before + name))):
            yield Doubt(*match.span("name"), likely=False)


def _begins_a_word(text: str, start: int) -> bool:
    return any(is_entry(text[start : start + size]) for size in (2, 3, 4) if start + size <= len(text))
