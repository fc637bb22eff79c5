"""What may be a person in a redacted record beside what was replaced: the likely is replaced, the rest is listed.

Read are the texts as they were written, with pseudonyms: what stands beside one, does what people do, is told
something, is called by an initial, a nickname or a short title, or is all of a field. Whoever reads the list sees one
place too many now and then; a firm may be told something as well. In other records nothing is read. Likely is a name
of the lists, a Chinese nickname that is no word (see `nicknames`), and of whom a record tells in two places, in a form
in which hardly anything but a person stands.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from datacheck.pii.free_names import TITLES
from datacheck.pii.given_names import given_names, is_given, surnames, without_accents, words_as_names
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.normalise import Folded, fold_url
from datacheck.pii.recognizers.base import words
from datacheck.pii.recognizers.person import COMPOUND, LATIN, SURNAMES
from datacheck.pii.redact.addressed import addressed
from datacheck.pii.redact.asked import answers
from datacheck.pii.redact.by_census import by_census
from datacheck.pii.redact.callings import TITLES as CALLINGS
from datacheck.pii.redact.doubt import MADE, Doubt
from datacheck.pii.redact.leaves import Leaf, inner_texts
from datacheck.pii.redact.likely_names import GIVEN_CHARACTERS, RARE, gathered
from datacheck.pii.redact.nicknames import is_often, nicknames
from datacheck.pii.redact.rare_names import rare_names
from datacheck.pii.redact.repeated import repeated
from datacheck.pii.redact.row_names import GIVEN_SET, KOREAN, NO_NAMES, NO_WORDS, PARTIES, ROLES, UPPER
from datacheck.pii.redact.spelt_names import pairs, spelt_names
from datacheck.pii.redact.talks import speakers
from datacheck.pii.redact.touching import OFFICES, touching
from datacheck.pii.redact.users import written_apart
from datacheck.pii.tables import persons_cells
from datacheck.pii.tagger import is_entry
from datacheck.text.chinese import simplified

_ONE = (
    rf"(?<![{LATIN}0-9@/.\-<])[{UPPER}](?:['’][{UPPER}])?[{LATIN}]+"
    rf"(?:[-'’](?!(?:s|re|ll|ve|m|d|t)(?![a-z]))[{LATIN}]+)?"
)
_NAME = rf"(?P<name>{_ONE}(?:[ ]{{1,3}}{_ONE}){{0,2}})(?![{LATIN}0-9@/])"
_REVERSED = rf"(?P<name>{_ONE}, {_ONE})(?![{LATIN}0-9@/])"
_ACTS = (
    "said says told tells asked asks wrote writes called calls emailed emails texted mentioned mentions agreed agrees"
    " prefers preferred wants wanted thinks thought drives drove pays paid lives lived married confirmed requested"
    " complained"
    " complains highlights highlighted promised picks picked joined loves likes hates plans forgot replied replies"
    " answered"
    " explained suggested suggests advised reported reports noted visited attended presented presents signed"
    " resigned retired"
    " apologised apologized invited thanked hopes feels felt needs lost arrived moved forwarded approved"
    " volunteered sent sends"
)
_VERBS = "|".join(_ACTS.split())
_TOLD = (
    "ask|tell|let|remind|notify|inform|call|text|email|message|meet|invite|thank|introduce|contact|help|pay|picks|join"
)
_TALK = (
    "feedback|check(?:ed|ing)?|sp(?:eak|oke|oken)|talk(?:ed|ing)?|meet(?:ing)?|met|call|message|letter|note"
    "|word|heard|hear|reply"
    "|approval|chat|dinner|lunch|appointment|greetings|regards|gift|card|present|sync(?:ed)?|work(?:s|ed|ing)?|sat|went|lives?"
)
_FIRM_FORMS = (
    rf"{_NAME}(?: and| or| &|/)[ ]{MADE}",
    rf"{MADE}[ ]?[(（]{_NAME}(?=[)）])",
    rf"{MADE}[)）]?(?: and| or| &|, and)[ ]{_NAME}",
    rf"{_NAME}[ ](?:{_VERBS}|here)(?![a-z])",
    rf"{_NAME}['’]s[ ](?:record|account|file|order|phone|e-?mail|address|number|contact)(?![a-z])",
    rf"(?:\A|[.!?\n][ ]?){_NAME}[ ]and[ ]I(?![A-Za-z])",
    rf"(?<![{LATIN}])(?i:yes|no|yeah|ok|okay|sure|me)[!,]?[ ]{_NAME}(?=,| are you| can you| do you)",
    rf"(?:\A|[.!?][ ]|\n){_NAME}(?=[ ](?:again|speaking|here)[.,!]| should return)",
    rf"(?:\A|\n){_NAME}\.[ ](?=Last name|Surname|My )",
)
# … in which a place or a product stands as often
_LOOSE_FORMS = (
    rf"{MADE}[ \u3000]{{1,3}}{_NAME}",  # of a name only one part was known
    rf"(?<=[^.!?\n:>][ ]){_NAME},[ ]{MADE}",
    rf"{_NAME}[ ]?[(（]{MADE}",
    rf"(?<![{LATIN}])(?i:do for|care of|between|named|called|know|it['’]s)[ ]{_NAME}(?=[ ]?(?:[.,!?;]|and|\Z))",
    rf"(?<=[a-z],[ ]){_NAME}(?=[.!?](?:[ \n]|\Z))",
    rf"(?<=[a-z,][ ]){_NAME}[ ][{UPPER}](?:\.(?![{LATIN}])|(?=[ ](?:please|and|is|has|will|from)|[,;!?]))",
    rf"(?<=[a-z,][ ])(?:[{UPPER}]\.[ ]?){{1,2}}{_NAME}",
    rf"{MADE}[)）]?,[ ]{_NAME}",
    rf"{_NAME}[ ][{UPPER}]\.(?=[ ](?:will|is|has|can|said|and|was)(?![a-z]))",
)
# … likewise, but who is told so twice is somebody: check with Zdenka
_TOLD_FORMS = (
    rf"(?<![{LATIN}])(?i:{_TOLD}|w/)[ ]{_NAME}",
    rf"(?<![{LATIN}])(?i:{_TALK})(?:[ ]\w+)?[ ](?:with|from|by|to|for)[ ]{_NAME}",
)
_KIN_IN_ENGLISH = (
    "wife|husband|son|daughter|mother|father|mom|mum|dad|brother|sister|partner|neighbou?r|room ?mate|flat ?mate"
    "|landlord|landlady|colleague|co-?worker|classmate|aunt|uncle|cousin|nephew|niece|fianc[ée]e?|girlfriend|boyfriend"
    "|grand(?:mother|father|ma|pa|son|daughter)|nanny|babysitter|guardian"
)
_BY_WHOM = "observed|witnessed|seen|reviewed|reported|signed|approved|chaperoned|escorted"
_DEPARTMENTS = "payroll|accounting|finance|sales|legal|marketing|facilities|hr|it|support|engineering|reception"
_ENDS = r"(?=[ ][a-z]|[ ]?[,.;:|)\n]|['’]s|\Z)"
# Forms in which hardly anything but a person stands: leave with neighbour …, the mother of …, …'s kids
_PERSONS_FORMS = (
    rf"(?<![{LATIN}])(?i:{_KIN_IN_ENGLISH}),?[ ]{_NAME}{_ENDS}",
    rf"(?<![{LATIN}])(?i:{_KIN_IN_ENGLISH}|parents?|family|kids|children) of {_NAME}{_ENDS}",
    rf"{_NAME}['’]s[ ](?i:{_KIN_IN_ENGLISH}|kids|children|parents|birthday|allergy|classroom|homework)(?![a-z])",
    rf"(?<![{LATIN}])(?i:(?:{_BY_WHOM}) by|cc:?|copy)[ ]{_NAME}(?=[ ](?:and|is|in|on)(?![a-z])|[,.;\n]|\Z)",
    rf"(?<![{LATIN}@])@{_NAME}(?=[ ](?:can|could|will|would|please|are|did|do|you|thanks)(?![a-z])|[,:])",
    rf"{_NAME}[ ](?:states|denies|denied|stated|confirms|confirmed|witnessed|signs|heals|brings|leads)(?![a-z])",
    rf"{_NAME} in (?:{_DEPARTMENTS})(?![a-z])",
    rf"(?<![{LATIN}])(?i:report(?:s|ing)? to|signed|authori[sz]ed)[: ]{{1,2}}{_NAME}(?=[ ]?[),.;\n]|\Z)",
    rf"(?<![{LATIN}])(?i:report(?:s|ing)? to|signed|employee:|patient:|client:)[ ]{_REVERSED}(?=[ ]?[(),.;\n])",
    rf"(?m:^){_REVERSED}(?= and I )",
    rf"(?<=[a-z][ ]){_NAME}[ ][{UPPER}]\.?(?=[ ]?[(（]?<[A-Z])",
    rf"(?<![{LATIN}.])(?:[{UPPER}]\.[ ]){{1,2}}{_NAME}(?=[ ]?[(（]?<[A-Z])",
)
# Who speaks in a talk in which somebody that is replaced speaks as well: Zuleika: sure.
_SPEAKS = re.compile(rf"(?m:^[ >]{{0,4}}(?:\[[^\]\n]{{1,16}}\][ ]?)?){_NAME}(?=[:：][ ]?\S)")
_SPEAKS_MADE = re.compile(
    rf"(?m:^[ >]{{0,4}}(?:\[[^\]\n]{{1,16}}\][ ]?)?(?:{MADE}|<SOCIAL_HANDLE_[0-9a-z]+>)(?=[:：][ ]?\S))"
)
# Where a town, a country or a thing is told: went to France, the Vicuna
_AS_TOWN = re.compile(r"(?<![A-Za-z])(?i:in|at|to|near|into|across|by|help|the|a|an|this|visit|visited|city of) \Z")
_KOREAN_ALONE = re.compile(rf"(?<![{LATIN}0-9@/.\-<])(?P<name>(?=[{UPPER}]){KOREAN})(?![{LATIN}0-9@/\-])")
# X Y, where X is told alone
_PAIR = re.compile(rf"(?P<name>{_ONE} {_ONE})(?![{LATIN}0-9@/]|[ ][{UPPER}])")
_ALONE = re.compile(
    rf"{_ONE}(?![{LATIN}0-9@/]|[ ][{UPPER}]|\.[{LATIN}])(?=[ ]?[(（]|[,.!?，](?![A-Za-z0-9])|['’]s(?![a-z])"
    r"| (?:is|was|has|said|says|wrote|will|from)(?![a-z]))"
)
_SMALL_WORD = re.compile(rf"(?<![{LATIN}])[a-zà-ÿ][{LATIN}]+")
# Words with a capital in a sentence, and not in a title
_CAPITAL = re.compile(
    rf"(?<![A-Za-z])[a-z]+,? ([A-Z][a-z]{{2,}})(?![A-Za-z])|(?<![A-Za-z])([A-Z][a-z]{{2,}})(?= and {MADE})"
)
# Who writes without capitals: yes beatrix, pick you up at 8
_HAILED = re.compile(r"(?<![A-Za-z])(?i:yes|no|yeah|ok|okay|hey|hi|hello|thanks|sorry|me!?) [a-z]{3,}(?=[, ])")
_FIRM, _LOOSE, _TOLD_OF = (tuple(map(re.compile, forms)) for forms in (_FIRM_FORMS, _LOOSE_FORMS, _TOLD_FORMS))
_PERSONS = tuple(map(re.compile, _PERSONS_FORMS))
_BEFORE_VALUES = _PERSONS[-2:]  # Tanaka L. (<PHONE_NUMBER_v1>), L. Tanaka
# Small letters: the rest of a name, both of its parts behind what says so, a name of a user as one
_REST = re.compile(rf"{MADE}(?P<joined>[. ])(?P<word>[a-z]{{3,}}|[A-Z]{{3,}})(?![A-Za-z@/])")
_SAYS = re.compile(r" (?:on|at) <| [–—-] <| (?:here|speaking)[,.! ]| and I | (?:are|can|do|will) you |\)")
_HERE = re.compile(r"(?:\A|\n)(?P<name>[a-z]{3,}[ .][a-z]{3,})(?= (?:here|speaking)[,.!])")
_REACHED = words("reachable available directly back again only please either anytime home work direct")
_FILES = words(
    "com net org edu gov info py js ts txt csv json pdf html xml yml yaml log exe sql java docx xlsx png jpg"
)
_DOTTED = re.compile(
    r"(?<![A-Za-z])(?i:name is|name[’']s|this is|i[’']m|i am|manager|lawyer|teacher|student|colleague|employee|customer"
    r"|patient|pt|contact|let|ask|tell|reports to|signed|authori[sz]ed|requester|caller|guest|counsel|nurse"
    r"|doctor|client)[:,]?[ ]"
    r"(?P<first>[a-z]{3,})(?P<sign>[. ])(?P<last>[a-z]{3,})(?![A-Za-z0-9@/(\-]|\.[a-z])"
)
_SURE_LEADS = re.compile(r"(?i:name is|name[’']s|full name:?|(?<![a-z])pt)[ ]\Z")
# ... before somebody's number, or as who does something: pickup by: kostas strong, <PHONE_NUMBER_v1>
_BEFORE_VALUE = re.compile(
    r"(?<=: )(?P<first>[a-z]{3,})[ .](?P<last>[a-z]{3,})(?=,? \(?<(?!PERSON)[A-Z])"
    r"|(?<=for )(?P<of>[a-z]{3,})\.(?P<whom>[a-z]{3,})(?=, <(?!PERSON)[A-Z])"
    r"|(?:\A|(?<=\n)|(?<=[.!?] ))(?P<user>[a-z]{3,})\.(?P<rest>[a-z]{3,})"
    r"(?= (?:would|and I|has|is|was|wants|asked|said|says|wrote|here)(?![a-z]))"
)
_OF_VALUES = words(
    "phone number email mail cell mobile home work office tel fax address contact line direct main other new old card"
    " account customer client order the and for not also user login name date birth code zip"
)
_SPOKEN_TO = re.compile(
    r"(?<![A-Za-z])(?i:yes|yeah|yep|ok|okay|hey|hi|hello|thanks|sorry|me!) "
    r"(?P<name>[a-z]{3,}(?: (?!are|can|do|will)[a-z]{3,})?)"
    r"(?=, (?:pick|can|could|are|will|i|i[’']m|i[’']ll|you|we|see|call|meet|my)(?![a-z])| (?:are|can|do|will) you )"
)
_USER = re.compile(
    r"(?i:(?<![a-z])user(?:name|_name)?|login|owner|assignee|/(?:users|home))[\"']?[ ]?[=:/][ ]?[\"']?"
    r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:[._\-][A-Za-z0-9]+){0,3})(?![A-Za-z0-9@(])"
)
_SURNAME = rf"(?:{COMPOUND}|[{SURNAMES}{RARE}明南和])"
_HAN_NAME = rf"(?P<name>{_SURNAME}[{HAN}]{{1,2}})"
_HAN_FORMS = (
    rf"(?<![{HAN}]){_HAN_NAME}(?:和|与|跟|、|及){MADE}",
    rf"{MADE}(?:和|与|跟|、|及){_HAN_NAME}(?![{HAN}])",
    rf"(?:{ROLES})[：:是为叫 ]{{0,2}}{_HAN_NAME}(?=[^{HAN}]|\Z|[已先要会将说刚])",
    rf"{MADE}[ ]?[（(]{_HAN_NAME}(?=[)）])",
    rf"给{_HAN_NAME}(?=[写订买发打寄])",
    rf"(?:全名|名字)[是叫：:]{{1,2}}{_HAN_NAME}(?![{HAN}])",
    rf"我[和跟与]{_HAN_NAME}(?=[要想的在已去准打离，、])",
    rf"(?:\A|(?<=[，。！？\n])){_HAN_NAME}(?=[，,](?:[您你请这]|[男女]|身份证|手机|电话|微信|护照|会员)|您好|你好)",
)
_BY_HAN = tuple(map(re.compile, _HAN_FORMS))
# … who says something in Cantonese: 孫雪薈話佢聽日唔嚟
_SAYS_HAN = re.compile(rf"(?:\A|(?<=[，。！？\n])){_HAN_NAME}(?=话[佢我你]|[听今琴]日|唔|系我)")
_WHOLE = re.compile(_HAN_NAME)
_LEFT = "跟和给让找叫问请由与替帮陪谢的接是系理"
_FUNCTION = frozenset("和与及跟给让应常成全于向时从连曾可单都就还过能不关别方高易安明南任有为由")
# A pseudonym and one more character of the name: 全名是<PERSON_v1>蘅。
_TAIL = re.compile(rf"{MADE}[ \u3000]?(?P<name>[{HAN}])(?=[与所被][{HAN}]|[。，,、；（(\n]|[ ][（(]|\Z)")
_NO_TAIL = frozenset(
    "正行来安好明得在生家成一的是先已知为也平和会可以说总工哥姐叔了吗呢吧啊呀哦哈有等们去我你您他她它个不都就还与跟及收请让给打发付签叫后"
    "前中里外上下多少大小处室组部号户某君兄弟姨婶嫂爷奶妈爸老师士總嗎嘛著着过過时時系係"
)
# A given name alone: 瑶敏的邮箱<EMAIL_ADDRESS_v1>, 野涛请放心
_GIVEN = re.compile(
    rf"(?P<name>[{GIVEN_CHARACTERS}]{{2}})(?=的[{HAN}A-Z]{{1,4}}[：:是 ]{{0,3}}<(?!PERSON)[A-Z])"
    rf"|(?:\A|(?<=[，。！？、\n])|(?<=[，。！？、,][ ]))(?P<begins>[{GIVEN_CHARACTERS}]{{2}})(?=请|[您你]好|你|要|想)"
)
# … who is called so, met, wished something: 叫我珊景就行, 八点接琳知。, 接送人是晟轩, 祝苗文生日快乐
_GIVEN_LED = re.compile(
    rf"(?:(?<=叫我)|(?<=[点去来]接)|(?<=[，。！好]祝)|(?<=祝福)|(?<=认识)|(?<=[跟问找陪约])|(?<=[，,]))(?P<name>[{GIVEN_CHARACTERS}]{{2}})"
    rf"(?=[^{HAN}]|\Z|我[0-9一二三四五六七八九十马]|就行|生日|同学|请放心)"
)
_GIVEN_OF_ROLE = re.compile(rf"(?:{ROLES})是(?P<name>[{GIVEN_CHARACTERS}]{{2}})(?![{HAN}])")
_OWN = re.compile(rf"(?<![{HAN}])(?P<name>[{GIVEN_CHARACTERS}]{{2}})的[{HAN}A-Z]{{1,4}}[：:是 ]{{1,3}}<(?!PERSON)[A-Z]")
# ... and wished or known by what is a word as well: 祝前进生日快乐
_WISHED = re.compile(
    rf"(?:(?<=祝)(?P<wished>[{GIVEN_CHARACTERS}]{{2}})(?=生日)|(?<=不认识)(?P<known>[{GIVEN_CHARACTERS}]{{2}})(?=[，。]))"
)
_CHILD = re.compile(rf"(?<=[，,])(?P<name>(?P<one>[{GIVEN_CHARACTERS}])(?P=one))(?=喜欢|最爱|今年|生日)")
# A surname before a title, wherever it stands: 祝福胥律师, 关女士请放心
_TITLED = re.compile(
    rf"(?P<name>(?P<surname>{COMPOUND}|呼延|淳于|拓跋|纳兰|[{SURNAMES}{RARE}])"
    rf"(?:{CALLINGS}))"
)
_OPENERS = words(
    "Mon Tue Wed Thu Fri Sat Sun Great Sure Perfect Wonderful Awesome Excellent Good Fine Okay Next Instead Indeed"
    " Well Overall Otherwise Therefore Thus Hence"
    " Moreover Meanwhile Furthermore Besides Nevertheless Nonetheless Still Then Lastly Again Always Never"
    " Sometimes Thank"
    " You Your Yours Our My His Her Their Its It They We She He Who What Which Not Only Just Even Such Same Other"
    " Others Another"
    " Also Like Unlike Despite During Within Under Over About Above Below Between Given Based According Due Later"
    " Soon Early"
    " English Chinese Japanese French German Spanish Russian American British Indian Korean Italian European Asian"
    " African"
    " Google Microsoft Apple Amazon Facebook Twitter Instagram YouTube Netflix Python Java JavaScript Wikipedia"
    " OpenAI ChatGPT"
)
_KIN_WORDS = words("Mom Mum Dad Mommy Daddy Mama Papa Mother Father Grandma Grandpa Uncle Aunt Madam Sir Ah-ha God")
# Who speaks in a play, and is no name: Policeman: …
_PARTS = words(
    "Mom Mum Dad Mommy Daddy Mother Father Grandma Grandpa Uncle Aunt Son Daughter Brother Sister Baby Husband Wife"
    " Man Woman Boy Girl Guy Lady Kid Child Doctor Nurse Policeman Policewoman Officer Waiter Waitress Singer Actor"
    " Director Producer Interviewer Interviewee Narrator Host Guest Speaker Announcer Reporter Teacher Student"
    " Professor Boss Manager Clerk Cashier Salesman Driver Guard Judge Lawyer Priest Minister Captain Soldier King"
    " Queen Prince Princess Knight Wizard Player Master Stranger Voice Everyone Everybody All Both Others Crowd Chorus"
    " Alien Robot Customer Client Patient Caller Agent Operator Assistant User Human Bot System Question Answer"
    " Note Title Subject Summary Step Input Output Example Result Hint Warning Author Date Location Name Ah-ha"
)
_NO_SPEAKERS = frozenset(_PARTS | _OPENERS | NO_WORDS | NO_NAMES | OFFICES | PARTIES)
_PRODUCT = re.compile(r"(?!Ma?c[A-Z])[A-Z][a-z]+[A-Z]|(?:You|They|We)['’]")
_COMMON_WORDS = words(
    "there guys everyone everybody sir madam team friend folks sure good great all man dude yes not"
    " that this what dear please thanks thank again today tomorrow here there now back soon and the"
)


class LikelyPerson(NamedTuple):
    """A likely name: the number of its text, where it stands there, what is written."""

    number: int
    start: int
    end: int
    written: str


def unsure(texts: Sequence[str], is_made: Callable[[str], bool]) -> Iterator[int]:
    """Yield the numbers of texts of one redacted record in which somebody may still be named.

    is_made: whether a word came in the place of another, which a surrogate does.
    """
    units = _read(texts)
    doubted = {units[at].number for at, doubt in _all(units) if not is_made(units[at].text[doubt.start : doubt.end])}
    yield from sorted(doubted)


def likely_people(texts: Sequence[str], is_made: Callable[[str], bool]) -> Iterator[LikelyPerson]:
    """Yield of what `unsure` tells of one redacted record the places that are names more likely than not."""
    units = _read(texts)
    plain = [unit.text for unit in units]
    found = list(_all(units))
    told = Counter(by for *_, by in {(units[at].number, doubt.start, doubt.by) for at, doubt in found})
    for at, doubt in found:
        number, inner, folded = units[at]
        written = folded.text[doubt.start : doubt.end]
        if (doubt.likely or (doubt.by and _is_told_twice(doubt.by, told, plain))) and not is_made(written):
            yield LikelyPerson(number, *inner.written(folded.span(doubt.start, doubt.end)), written)


def _is_told_twice(by: str, told: Mapping[str, int], texts: Iterable[str]) -> bool:
    """Whether a record tells of somebody in two places; a name in Latin letters nowhere as a town is told."""
    if not by.isascii():
        return told[by] > 1
    every = [match for text in texts for match in re.finditer(rf"(?<![A-Za-z@]){re.escape(by)}(?![A-Za-z])", text)]
    return len(every) > 1 and not any(_AS_TOWN.search(each.string, 0, each.start()) for each in every)


_HAN_CHARACTER = re.compile(f"[{HAN}]")


class _Unit(NamedTuple):
    """A string of a record, or one in JSON in it: the number of the string, where it stands, and as it is read."""

    number: int
    inner: Leaf
    folded: Folded

    @property
    def text(self) -> str:
        return self.folded.text


def _read(texts: Sequence[str]) -> list[_Unit]:
    return [
        _Unit(number, inner, gathered(fold_url(inner.text)))
        for number, text in enumerate(texts)
        for inner in inner_texts(text)
    ]


def _all(units: Sequence[_Unit]) -> Iterator[tuple[int, Doubt]]:
    """Yield the number of a unit of one record and what is doubted in it, text by text and by all of them."""
    plain = [unit.text for unit in units]
    of_record, known = _words_of(plain), dict[str, list[Doubt]]()
    for at, text in enumerate(plain):
        if text not in known:  # keys and roles stand there again and again
            known[text] = list(_doubts(text, of_record))
        yield from ((at, doubt) for doubt in known[text])
    yield from answers(plain)
    yield from _by_characters(plain)


def _by_characters(texts: Sequence[str]) -> Iterator[tuple[int, Doubt]]:
    chinese = [at for at, text in enumerate(texts) if _HAN_CHARACTER.search(text)]
    if chinese:
        called = addressed([texts[at] for at in chinese])
        yield from ((at, doubt) for at in chinese for doubt in rare_names(texts[at], called))
        yield from ((chinese[at], doubt) for at, doubt in repeated([simplified(texts[at]) for at in chinese]))


class _Words(NamedTuple):
    """Words of a record: those written small, with a capital where they do something alone, with one in a sentence."""

    small: frozenset[str]
    alone: frozenset[str]
    capital: frozenset[str]


def _words_of(texts: Sequence[str]) -> _Words:
    small = {word for text in texts for word in _SMALL_WORD.findall(_HAILED.sub("", text))}
    alone = {match[0] for text in texts for match in _ALONE.finditer(text)}
    capital = {match[1] or match[2] for text in texts for match in _CAPITAL.finditer(text)}
    return _Words(frozenset(small), frozenset(alone), frozenset(capital - NO_WORDS - _OPENERS))


def _doubts(text: str, of_record: _Words) -> Iterator[Doubt]:
    yield from touching(text)
    if re.search("[A-Za-z]", text):
        yield from _latin(text, of_record)
        yield from _small(text, of_record)
        yield from speakers(text, _NO_SPEAKERS)
        yield from pairs(text)
        yield from by_census(text, _NO_SPEAKERS)
    if _HAN_CHARACTER.search(text):
        yield from _chinese(text)


def _doubt(match: re.Match[str], group: str | int = 0, *, likely: bool = False) -> Doubt:
    return Doubt(match.start(group), match.end(group), likely)


def _latin(text: str, of_record: _Words) -> Iterator[Doubt]:
    ends = given_names()[1]
    for match in _KOREAN_ALONE.finditer(text):
        first, last = match["name"].lower().split("-")
        if first != last and match["name"] not in _KIN_WORDS:  # Ha-ha
            yield _doubt(match, "name", likely=True)
    speaks = (_SPEAKS,) if _SPEAKS_MADE.search(text) else ()
    for form in (*_FIRM, *_LOOSE, *_TOLD_OF, *_PERSONS, *speaks, _PAIR):
        for match in form.finditer(text):
            parts = match["name"].replace(",", "").split()
            is_end = parts[-1] in ends and not (len(parts) == 1 and parts[0] in words_as_names())  # Bill drives
            if (
                is_end
                or parts[-1] in NO_NAMES
                or not (NO_WORDS | PARTIES).isdisjoint(parts)
                or parts[0] in (_PARTS if form is _SPEAKS else _KIN_WORDS)
                or (form is _PAIR and parts[0] not in of_record.alone)
            ):
                continue
            if not any(part.lower() in of_record.small or part.isupper() or _is_opener(part) for part in parts):
                loose = form in (*_LOOSE, *_TOLD_OF, _PAIR)
                whole = form in _BEFORE_VALUES or (form in _PERSONS and len(parts) > 1)
                likely = whole or _is_known(parts, loose=loose)
                by = "" if loose and form not in _TOLD_OF else match["name"]
                yield Doubt(match.start("name"), match.end("name"), likely, by)


def _is_known(parts: Sequence[str], *, loose: bool) -> bool:
    """Whether a given name or a surname of the lists is among the parts of a name; `loose`: none that is a word."""
    plain = [without_accents(part) for part in parts]
    if loose and plain[0] in words_as_names():  # between Paris and Berlin
        return False
    return is_given(plain[0]) or plain[0] in words_as_names() or plain[-1] in surnames()


def _is_opener(word: str) -> bool:
    """Whether a sentence begins with it, or a product is called so, and nobody: Great, Certainly, PowerShell."""
    return word in _OPENERS or word.endswith("ly") or _PRODUCT.match(word) is not None


def _small(text: str, of_record: _Words) -> Iterator[Doubt]:
    """Names in small letters; one that stands in the record with a capital as well is likely."""
    for match in _REST.finditer(text):
        word = match["word"]
        is_rest = match["joined"] == "." and word not in _FILES and word.islower()
        if word in _REACHED:
            continue
        known = word.title() in surnames()
        if is_rest or known or (word.islower() and _SAYS.match(text, match.end())):
            yield _doubt(match, "word", likely=known)
    for match in _DOTTED.finditer(text):
        first, last = match["first"], match["last"]
        dotted = match["sign"] == "." and last not in _FILES
        given = is_given(first) or first.title() in words_as_names()
        led = _SURE_LEADS.search(text, 0, match.start("first")) is not None
        surely = led and text[match.end() : match.end() + 1] in tuple(".,;!\n")
        plain = (_COMMON_WORDS | _OF_VALUES).isdisjoint({first, last})
        told = plain and not of_record.capital.isdisjoint({first.title(), last.title()})  # Ayaan of ayaan marsh
        if dotted or told or (plain and (given or surely)) or (given and led):
            likely = plain and (first.title() in of_record.capital or (given and (dotted or led)))
            yield Doubt(match.start("first"), match.end("last"), likely)
    yield from (_doubt(match, "name", likely=_is_told(match["name"], of_record)) for match in _HERE.finditer(text))
    for match in _BEFORE_VALUE.finditer(text):
        parts = set(filter(None, match.groups()))
        if _OF_VALUES.isdisjoint(parts) and _FILES.isdisjoint(parts):
            yield _doubt(match, likely=_is_told(match[0], of_record))
    for match in _SPOKEN_TO.finditer(text):
        if match["name"] not in _COMMON_WORDS:
            yield _doubt(match, "name", likely=_is_told(match["name"], of_record))
    for match in _USER.finditer(text):
        if written_apart(match["name"]):
            yield _doubt(match, "name")


def _is_told(name: str, of_record: _Words) -> bool:
    """Whether a name in small letters begins as a word that the record writes with a capital, or as a listed name."""
    first = re.split("[ .]", name)[0]
    return first.title() in of_record.capital or is_given(first)


def _chinese(text: str) -> Iterator[Doubt]:
    text = simplified(text)
    for form in _BY_HAN:
        for match in form.finditer(text):
            if not _is_word(match["name"]):
                yield _doubt(match, "name", likely=_reads_as_name(match["name"]))
    for match in _SAYS_HAN.finditer(text):
        if not _is_word(match["name"]):
            yield _doubt(match, "name", likely=True)
    if (whole := _WHOLE.fullmatch(text)) and not _is_word(text):
        yield _doubt(whole)
    for cell in persons_cells(text):
        if cell.is_name and _WHOLE.fullmatch(text, cell.start, cell.end):
            yield Doubt(cell.start, cell.end, likely=True)
    yield from (Doubt(each.start, each.end, each.likely, each.by) for each in nicknames(text))
    yield from _given(text)
    for match in _TAIL.finditer(text):
        if match["name"] not in _NO_TAIL and not is_entry(text[match.start("name") : match.end("name") + 1]):  # 参与
            yield _doubt(match, "name")
    yield from spelt_names(text)


def _given(text: str) -> Iterator[Doubt]:
    """Chinese given names alone, and surnames before a title."""
    for match in _GIVEN.finditer(text):
        if not (is_entry(match[str(match.lastgroup)]) or is_entry(text[match.start() - 1 : match.start() + 1])):
            yield _doubt(match, str(match.lastgroup), likely=match.lastgroup == "name")
    for match in _GIVEN_LED.finditer(text):
        given = match["name"]
        if not (is_entry(given) or is_entry(text[match.start() - 1 : match.start() + 1]) or _is_sentence(text, match)):
            yield _doubt(match, "name", likely=True)
    yield from (
        _doubt(match, "name", likely=not is_entry(match["name"]))
        for form in (_GIVEN_OF_ROLE, _OWN)
        for match in form.finditer(text)
        if not _is_role(match["name"])
    )
    yield from (
        _doubt(match, str(match.lastgroup))
        for form in (_WISHED, _CHILD)
        for match in form.finditer(text)
        if not _is_role(match[str(match.lastgroup)])
    )
    for match in _TITLED.finditer(text):
        before, surname = text[match.start() - 1 : match.start()], match["surname"]
        apart = not re.match(f"[{HAN}]", before) or before in _LEFT or is_entry(text[match.start() - 2 : match.start()])
        is_other = is_entry(before + surname[0]) or is_entry(match["name"]) or (surname in _FUNCTION and before)
        if apart and not is_other:  # of 格林女士 no Lin
            yield _doubt(match, "surname", likely=True)


def _is_sentence(text: str, match: re.Match[str]) -> bool:
    """Whether behind a comma nothing else says that a name follows: ，平安。 and ，欣然接受 are words."""
    return text[match.start() - 1] in "，," and text[match.end() : match.end() + 1] != "我"


def _is_role(name: str) -> bool:
    return name in TITLES or name in {"学生", "先生", "医生", "明天", "今天", "孩子", "祖国", "天天", "全家"}


def _reads_as_name(name: str) -> bool:
    """Whether a surname and what stands in given names make it: 和学生 is none."""
    return name[0] not in _FUNCTION and GIVEN_SET.issuperset(name[1:]) and not is_entry(name[1:])


def _is_word(name: str) -> bool:
    return is_entry(name) or is_often(name[:2]) or name[1:] in TITLES or is_entry(name[:2])
