"""Who answers a question for the name: “May I have your name?” – “hamza banks”.

The question says that a name follows, whatever letters it is written in and whatever list lacks it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.base import words
from datacheck.pii.recognizers.person import COMPOUND, LATIN, SURNAMES
from datacheck.pii.redact.doubt import MADE, Doubt
from datacheck.pii.redact.likely_names import RARE
from datacheck.pii.tagger import is_entry

_LAST = 160  # characters at the end of a turn in which it asks
_LONGEST = 120  # characters of an answer
_ASKS = re.compile(
    r"(?i:(?:your|the|patient[’']s|guest[’']s|customer[’']s) (?:(?:full|first|last|legal|account) ?(?:and last )?)?"
    r"names?(?![a-z])|name,? please|(?:whom?|who) am i (?:speaking|talking)|under (?:what|which) name"
    r"|name (?:on|of|for) the (?:account|card|booking|reservation|order|patient))[^?？\n]{0,60}[?？.]"
    r"|(?:[您你]的?|请问|全|真实|预[订留]人?|提供|报一下)(?:姓名|名字|大名)|贵姓|怎么称呼|如何称呼"
)
_BEGINS = (
    rf"\A\W{{0,3}}(?:(?i:hi|hello|sure|yes|yeah|ok|okay|of course|it[’']s|it is|i[’']m|i am|this is"
    rf"|(?:my |the )?(?:full )?name[’']?s?(?: is)?)[,.!:]? ){{0,3}}(?:{MADE}[ ])?"
)
_PART = rf"[{LATIN}]+(?:[-’'][{LATIN}]+)*"
_ANSWER = re.compile(rf"{_BEGINS}(?P<name>{_PART}(?:,? {_PART}){{0,2}})(?=[ ]?(?:[.,!;\n]|\Z| and ))")
_CHINESE = re.compile(
    rf"\A(?:我(?:的名字|本人)?|本人|姓名|名字)?(?:叫|是|为)?[：:]?(?P<name>(?:{COMPOUND}|[{SURNAMES}{RARE}])[{HAN}]{{1,2}})"
    rf"(?=[^{HAN}]|\Z)"
)
_NO_NAME = words(
    "yes no not nope yeah sure ok okay why what who where when how which the a an i my me you your we our it its"
    " he she they this that these those here there is are was do does did can could will would should have has had"
    " please thanks thank sorry hello hi hey never none nothing nobody anonymous unknown john doe jane smith in on"
    " at of to for from with without by about and or but if so as user customer human bot assistant name names"
    " just want need rather prefer let get got good great fine well don doesn isn haven"
)
_ROLES = words("user assistant system human gpt tool content role value from function observation customer agent")


def answers(texts: Sequence[str]) -> Iterator[tuple[int, Doubt]]:
    """Yield the number of a text of one record and where in it somebody tells the name that was asked for."""
    said = [number for number, text in enumerate(texts) if text.strip().lower() not in _ROLES]
    for asked, number in pairwise(said):
        text = texts[number]
        if len(text) <= _LONGEST and _ASKS.search(texts[asked][-_LAST:]):
            yield from ((number, doubt) for doubt in _answer(text))


def _answer(text: str) -> Iterator[Doubt]:
    match = _ANSWER.match(text)
    if match and _NO_NAME.isdisjoint(re.findall(f"[{LATIN}]+", match["name"].lower())):
        # one word may be of another kind: an answer beside the question
        yield Doubt(*match.span("name"), likely=" " in match["name"] or match["name"][0].isupper() or "<" in match[0])
    chinese = _CHINESE.match(text)
    if chinese and not is_entry(chinese["name"]):
        yield Doubt(*chinese.span("name"), likely=True)
