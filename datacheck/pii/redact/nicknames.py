"""Chinese nicknames and given names alone, in a record that names somebody: 小煜, 阿培, 浩浩, 海波哥, 昶烁.

Nobody need have said the full name: then only the form tells, and it is likely a name where its characters stand in
given names, no word of the dictionary is written so, and none goes over its edge (小时, 大小, 小建议, 暖洋洋). What is
told by less is listed by a redaction, and not replaced. Texts are read in simplified characters.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import polars as pl

from datacheck.pii.free_names import is_listed
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.base import words
from datacheck.pii.recognizers.person import COMPOUND, SURNAMES
from datacheck.pii.redact.callings import TITLES, goes_on
from datacheck.pii.redact.likely_names import GIVEN_CHARACTERS, RARE
from datacheck.pii.redact.row_names import GIVEN_SET
from datacheck.pii.tagger import dictionary, is_entry

_OFTEN = 100
"""What jieba's dictionary counts so often is that word, be it tagged as a name: 明白, 小镇, 宝宝, 小雨."""
_MADE = r"<PERSON_(?:v[0-9]+|[0-9a-f]{8})>"
_LEFT = frozenset("跟和给让找叫问请由与替帮陪谢的接是系理知诉经带派催喊由")
_RIGHT = frozenset(
    "核说反馈协来去在吗你您的了也会要拟签付喜干先确留因已将被为请我就过有休换值属自不建提出负带能把和与跟还刚想没顶记发打订"
    "听今明昨证做看问拿可下上开放人"
)
_SMALL_OR_DOUBLED = re.compile(rf"(?P<small>[老小阿])(?P<one>[{HAN}])|(?P<two>[{HAN}])(?P=two)")
_TITLED = re.compile(
    rf"(?P<surname>{COMPOUND}|[{SURNAMES}{RARE}明南])(?:[总工哥姐叔姨婶]|{TITLES})(?=[{''.join(sorted(_RIGHT))}]|[^{HAN}A-Za-z0-9]|\Z)"
)
_ONE_GIVEN = rf"(?:[{GIVEN_CHARACTERS}][{HAN}]|[{HAN}][{GIVEN_CHARACTERS}])"
_BROTHER = re.compile(rf"(?P<name>{_ONE_GIVEN})[哥姐](?![夫妹弟伦姐哥们华斯特德])")
_ASKED = re.compile(r"(?:[跟找问]|同组的|同事|室友)\Z")
_SURNAMES = frozenset(SURNAMES)
# No name ends so: 小的, 小了, 小主, 小像
_NO_CALLING = frozenset("主的三矮了像馆为吗脸坐啊呢吧着过么就这那是不也很太更有没在啦呀哦嘛")
# A surname behind 老 that makes a word: a teacher, an old friend
_OLD = words("老师 老白 老高 老牛 老龙 老路 老房 老常 老安 老公 老温 老江 老石 老成 老方 老年 老祖 老鼠 老林 老汤")
_PRONOUNS = frozenset("我你他她您们咱谁这那")
_NICKS = GIVEN_SET | frozenset(SURNAMES + RARE)
_FUNCTION = frozenset("应常成全于向时从连曾可单都就还过能不关别方高易安明南任有为由和与及跟给让")
# What 小 stands before in a sentence as well: 小得很, 小开一部分
_SMALL = frozenset("得开爱有来行生长心学业成功步全如可亦之金银铁山河江海石车书国民军")
_MEASURES = frozenset("一两几这那每半某多各")
_BEFORE_SMALL = frozenset("大从最很太更极较中微短细窄矮弱胆缩")
# By whose sounds foreign names begin with 阿: 阿玛尼, 阿森纳
_SOUNDS = frozenset("尼纳塔达拉里利卡斯特德尔罗波姆玛曼莱贝布迪巴萨诺根顿奇什得基比丽娜莎洛维耶")
_KINDRED = "妈妈|爸爸|妈咪|爸比|奶奶|爷爷|外婆|外公|姥姥|姥爷|家长"
# Who speaks in a talk, who stands beside somebody, whose parent somebody is, what somebody wants to be called
_NAME = rf"(?P<name>{_ONE_GIVEN})"
_TIMED = re.compile(rf"(?m:^[ ]{{0,4}}){_NAME}(?=[ ]{{1,2}}[0-9]{{1,2}}:[0-9]{{2}}[ ]*(?m:$))")
_SPEAKS = re.compile(
    r"(?m:^[ ]{0,4}(?:[\[【(（][^\]】)）\n]{1,12}[\]】)）][ ]?)?)"
    rf"(?P<name>[{GIVEN_CHARACTERS}]{{2}})(?=[：:][ ]?[^\s])"
)
# … in a talk in which somebody that is replaced speaks as well
_IN_TALK = re.compile(rf"(?m:^){_NAME}(?=[：:][ ]?[^\s])")
_SPEAKS_MADE = re.compile(rf"(?m:^){_MADE}(?=[：:])")
_BESIDE = re.compile(
    rf"{_MADE}(?:[哥姐总]|{TITLES})?(?:和|与|跟|、|及|还有){_NAME}(?=[^{HAN}]|[也都和与跟会来去已不在说能可要想我]|\Z)"
)
_PARENT = re.compile(
    rf"(?P<name>[{GIVEN_CHARACTERS}]{{2}})(?=的?(?:{_KINDRED}))"
    rf"|(?m:^)(?P<whole>(?:{COMPOUND}|[{SURNAMES}{RARE}])[{HAN}]{{1,2}})(?=(?:{_KINDRED})[：:])"
)
_CALL_ME = re.compile(rf"叫我(?P<name>[{HAN}]{{2}})(?=就[行好]|吧)")


class Nickname(NamedTuple):
    """A place (code points of a text, end exclusive) where somebody may be called.

    `likely`: it is a name. `by`: the character that says of whom; two places of it in a record are a name as well.
    """

    start: int
    end: int
    likely: bool
    by: str = ""


def nicknames(text: str) -> Iterator[Nickname]:
    """Yield where somebody may be called by a nickname or a given name alone; places may overlap."""
    yield from _small_or_doubled(text)
    yield from _titled(text)
    yield from _brothers(text)
    yield from _in_places(text)


def _titled(text: str) -> Iterator[Nickname]:
    """A surname before a title: 徐工, 明姐."""
    for match in _TITLED.finditer(text):
        surname = match["surname"]
        ends = match.end("surname")
        is_word = is_entry(match[0]) or is_entry(text[match.end() - 1 : match.end() + 1]) or is_listed(match[0][:2])
        if _begins(text, match.start()) and not is_word:
            yield Nickname(match.start(), ends, surname not in _FUNCTION)


def _brothers(text: str) -> Iterator[Nickname]:
    """A given name before 哥 or 姐: 海波哥."""
    for match in _BROTHER.finditer(text):
        name: str = match["name"]
        title = text[match.end("name")]  # of 芝加哥 nobody is called so
        sure = GIVEN_SET.issuperset(name) or (_is_apart(text, match.start()) and not is_entry(name))
        is_word = name[1] == "小" or name[0] in _PRONOUNS or is_entry(name[1] + title) or name + title in _often()
        if _begins(text, match.start()) and sure and not is_word:
            yield Nickname(match.start("name"), match.end("name"), likely=True, by=name[1])


def _in_places(text: str) -> Iterator[Nickname]:
    """A given name alone where somebody speaks, stands beside another, is a parent's child, or says the own name."""
    talks = (_IN_TALK,) if _SPEAKS_MADE.search(text) else ()
    for form in (_TIMED, _SPEAKS, *talks, _BESIDE, _PARENT, _CALL_ME):
        for match in form.finditer(text):
            group = str(match.lastgroup)
            is_word = is_entry(match[group]) or is_often(match[group][:2])
            begins = group == "whole" or form is not _PARENT or _begins(text, match.start())
            if begins and not (is_word and form in (_SPEAKS, _PARENT)):  # 正文：, 刚才妈妈
                yield Nickname(match.start(group), match.end(group), not is_word)


def _small_or_doubled(text: str) -> Iterator[Nickname]:
    for match in _SMALL_OR_DOUBLED.finditer(text):
        start, end = match.span()
        char = match["one"] or match["two"]
        is_word = char in _NO_CALLING or (is_often(match[0]) and match["small"] != "老")
        if is_word or not _begins(text, start) or _is_longer(text, start, end):
            continue
        if match["two"] and (char not in GIVEN_SET or not _is_apart(text, start) or _is_adverb(text, start, end)):
            continue
        closed = not re.match(rf"[{HAN}A-Za-z0-9]", text[end : end + 1]) or text[end] in _RIGHT
        asked = closed and _ASKED.search(text, max(0, start - 3), start) is not None
        likely, listed = _is_likely(text, match, char, closed=closed, asked=asked)
        if likely or listed:
            yield Nickname(start, end, likely, char)


def _is_likely(text: str, match: re.Match[str], char: str, *, closed: bool, asked: bool) -> tuple[bool, bool]:
    """Whether a form is a name, and whether it is to be listed if it is none.

    closed: nothing that goes on stands behind it; asked: somebody is asked or told there.
    """
    end = match.end()
    if match["small"] == "老":
        return closed and char in _SURNAMES and match[0] not in _OLD, asked and char in _NICKS
    if is_entry(match[0]):  # 小原 is a word as well, 同组的小原反馈 is somebody
        return asked and not match["two"], closed and char in _NICKS
    if char not in _NICKS:  # only 小荟 and 鹏荟哥 together tell
        return False, closed
    if match["two"]:
        return closed, False
    if match["small"] == "阿":
        closed = closed and text[end : end + 1] not in (".", "·", "•")  # 阿尔. 卡西
        return closed or (char in GIVEN_SET - _SOUNDS and text[end] not in _SOUNDS), False
    return closed or (char in GIVEN_SET - _SMALL and text[match.start() - 1 : match.start()] not in ("的", "是")), False


def _begins(text: str, start: int) -> bool:
    """Whether no word goes over the place where a form begins."""
    before = text[start - 1 : start] if start else ""
    if not re.match(rf"[{HAN}A-Za-z0-9]", before):
        return True
    if is_entry(before + text[start : start + 1]) or before in _BEFORE_SMALL:
        return False
    two = text[start - 2 : start] if start > 1 else ""
    return before in _LEFT or (is_entry(two) and two[0] not in _MEASURES)


def _is_apart(text: str, start: int) -> bool:
    """Whether nothing but a word that says of whom is spoken touches the beginning of a form."""
    before = text[start - 1 : start] if start else ""
    return not re.match(rf"[{HAN}A-Za-z0-9]", before) or before in _LEFT


def _is_adverb(text: str, start: int, end: int) -> bool:
    """Whether doubled characters stand beside doubled ones: 平平安安."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return len(set(before)) == 1 < len(before) or len(set(after)) == 1 < len(after)


def _is_longer(text: str, start: int, end: int) -> bool:
    """Whether a longer word stands there: 小建议, 小王子, 静静地."""
    longer = is_entry(text[end - 1 : end + 1]) or goes_on(text, start, end) or text[start : end + 1] in _often()
    return longer or text[end : end + 1] in tuple("地儿子头们")


def is_often(word: str) -> bool:
    """Whether two characters are written so often that they are a word, be it tagged as a name; three, if at all."""
    return word in _often()


@cache
def _often() -> frozenset[str]:
    size = pl.col("word").str.len_chars()
    often = ((size == 2) & (pl.col("count") >= _OFTEN)) | (size == 3)
    return frozenset(dictionary().filter(often)["word"])
