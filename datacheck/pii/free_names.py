"""Names in free text, without a label and without an identifier near: Chinese by a network, English by a list.

Chinese: the network of the package cutword (see `bilstm`) reads windows around characters that may be a surname, for
it takes some 15 microseconds a character; of what it calls a person, what has the form of a Chinese name stays, and
foreign names written with a point. English: a given name of the United States and one or two capitalised words that
end no other proper name. Who is meant (an emperor, a pupil of an exercise, a customer) nobody can tell from a name.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from datacheck.pii.given_names import given_names
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.base import words
from datacheck.pii.recognizers.person import COMPOUND, COMPOUNDS, LISTED, MODEL, NEXT_LABEL, SURNAMES
from datacheck.pii.tagger import dictionary

if TYPE_CHECKING:
    from datacheck.pii.bilstm import Network

_PACKAGE, _MODEL, _TAGS = "cutword", "model_params.pth", "ner_vocab_tags.json"
_DIGEST = "cab3b714cb91be7d89ea8c21dabd2a091c46923af468d9d0e7dcae2029b99180"  # of the model of cutword 0.1.1
_BEFORE, _AFTER = 12, 15
"""What is read around a surname: beside whole sentences F1 is the same within .02 on four sets."""
_LONGEST = 128
_COMMON = 100
"""A word of two characters counted so often in jieba's dictionary is that word (高兴), and no surname and name."""
_POINT = "·•・"
_SURNAME = re.compile(rf"[{SURNAMES}](?=[{HAN}])|{COMPOUND}|(?<=[{HAN}])[{_POINT}](?=[{HAN}])")
_FOREIGN = re.compile(rf"[{HAN}]{{1,8}}(?:[{_POINT}][{HAN}]{{1,8}}){{1,3}}")
_CHINESE = re.compile(rf"(?:{COMPOUND})[{HAN}]{{1,2}}|[{SURNAMES}][{HAN}]{{1,2}}")
# A surname with one of these is no full name (王先生, 李阿姨, 宋太祖).
TITLES = words(
    "先生 女士 小姐 老师 师傅 阿姨 叔叔 奶奶 爷爷 大爷 大妈 大娘 大嫂 大姐 大哥 大夫 医生 教授 经理 老板 主任 院长 "
    "厅长 处长 科长 局长 部长 书记 同学 同志 姑娘 婆婆 伯伯 司机 律师 警官 护士 老太 阿伯 小弟 小伙 总 工 婶 哥 姐 叔 "
    "爷 姨 嫂 氏 家 王 帝 太祖 太宗 高祖 世祖 天子 家长 护士长 队长 店长 班长 组长 校长 所长 会长 董事长 总监 总裁 主管 太太 夫人 "  # noqa: E501
    "博士 客户 顾客 老師 醫師 醫生 經理 律師 同學 師傅 護士 護理師 校長 院長 店長 隊長 家長 總監"
)
# Taken for names in public medical texts, novels and exercises (belle, huatuo, medicalgpt, gaokao_bench).
_STOP = words(
    "唐氏儿 包皮炎 包皮龟 皮康王 潘生丁 左金丸 全鹿丸 关藤 柳甙元 何杰 曲古 牛眼征 高敏 李素 白英 艾纳香 丁看甲 宋明 "
    "苏美尔 富豪 王子 史官 任官 曾祖 诸侯王 王老吉 满江红 肖申克 朱利亚 程朱理 苏冷战 黄帝 伏羲"
)
_WORD = r"(?:[A-Z]['’])?[A-Z][a-z]+(?:[A-Z][a-z]+)?(?:[-'’][A-Z][a-z]+)?"
_CAPITALS = re.compile(rf"(?<![\w&@/’'.-])(?<!\bSt\. ){_WORD}(?: {NEXT_LABEL}(?:[A-Z]\.|{_WORD})){{1,3}}(?![\w@&])")


class FreeName(NamedTuple):
    """A place (code points of the text, end exclusive) that reads as a name, and the rule that says so."""

    start: int
    end: int
    rule: str


@cache
def model() -> tuple[bytes, str] | None:
    """The network's file and its tags (JSON); None where cutword is not installed, or another version than 0.1.1.

    The package is not imported: it would ask for torch, and print. The digest says where in the file its numbers lie.
    """
    spec = find_spec(_PACKAGE)
    folder = Path(spec.origin).parent if spec and spec.origin else None
    if folder is None or not (folder / _MODEL).is_file():
        return None
    data = (folder / _MODEL).read_bytes()
    known = hashlib.sha256(data).hexdigest() == _DIGEST
    return (data, (folder / _TAGS).read_text("utf-8")) if known else None


def free_names(texts: Iterable[str | None]) -> dict[int, list[FreeName]]:
    """Return the names of the texts that have some, by number, in order. Needs `model()`."""
    given = ["" if text is None else text for text in texts]
    found: dict[int, list[FreeName]] = {}
    for number, name in _chinese(given):
        found.setdefault(number, []).append(name)
    for number, text in enumerate(given):
        if english := list(english_names(text)):
            found.setdefault(number, []).extend(english)
    return {number: sorted(set(names)) for number, names in found.items()}


def _chinese(texts: Sequence[str]) -> Iterator[tuple[int, FreeName]]:
    places = [(number, at) for number, text in enumerate(texts) for at in _windows(text)]
    if not places:
        return
    read = list(dict.fromkeys(texts[number][slice(*at)] for number, at in places))  # templates say the same again
    persons = dict(zip(read, _network().persons(read), strict=True))
    for number, (first, last) in places:
        for start, end in persons[texts[number][first:last]]:
            if _is_name(texts[number], first + start, first + end):
                yield number, FreeName(first + start, first + end, MODEL)


def _windows(text: str) -> list[tuple[int, int]]:
    """What to read of a text: the surroundings of its likely surnames, united up to a length."""
    found: list[tuple[int, int]] = []
    for at in map(re.Match.start, _SURNAME.finditer(text)):
        if not _is_likely(text, at):
            continue
        start, end = max(0, at - _BEFORE), min(len(text), at + _AFTER)
        if found and start <= found[-1][1] and end - found[-1][0] <= _LONGEST:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def _is_likely(text: str, at: int) -> bool:
    """Whether the surname at a place is no part of a common word."""
    common = _words()[0]
    return text[at : at + 2] not in common and (at == 0 or text[at - 1 : at + 1] not in common)


def _is_name(text: str, start: int, end: int) -> bool:
    """Whether what the network calls a person has the form of a full name, and is no other word."""
    name = text[start:end]
    if _FOREIGN.fullmatch(name):
        return True
    if len(name) == 2 and text[max(0, start - 1) : start] in ("老", "小"):  # 小邓人很好: 邓人 is none
        return False
    surname = 2 if name[:2] in COMPOUNDS else 1
    other = name in _STOP or name[surname:] in TITLES or name in _words()[1]
    return not other and _CHINESE.fullmatch(name) is not None and (surname == 2 or _is_likely(text, start))


def english_names(text: str) -> Iterator[FreeName]:
    """A known given name and one or two more capitalised words or an initial: all of a run of such words, or none."""
    given, ends = given_names()
    for match in _CAPITALS.finditer(text):
        parts = match[0].split(" ")
        if len(parts) <= 3 and parts[0] in given and parts[-1] not in ends and not parts[-1].endswith("."):
            yield FreeName(*match.span(), LISTED)


@cache
def _network() -> "Network":
    from datacheck.pii.bilstm import Network

    found = model()
    assert found is not None
    return Network(*found)


def is_common(word: str) -> bool:
    """Whether two characters are a common word."""
    return word in _words()[0]


def is_listed(word: str) -> bool:
    """Whether two characters stand in the dictionary, for a name (安静) as well."""
    return word in _words()[2]


def is_word(text: str) -> bool:
    """Whether it begins with a surname and is a word of the dictionary, or a surname and a title."""
    return text in _words()[1] or text[1:] in TITLES or is_common(text[:2])


@cache
def _words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Common words of two characters, and all words that begin with a surname; of jieba's, and none of them names.

    And all of two characters that begin with a surname, names or not.
    """
    size = pl.col("word").str.len_chars()
    listed = dictionary().filter((size == 2) & pl.col("word").str.contains(f"^[{SURNAMES}]"))["word"]
    table = dictionary().filter(~pl.col("tag").str.starts_with("nr"))
    common = table.filter((size == 2) & (pl.col("count") >= _COMMON))["word"]
    known = table.filter(size.is_between(2, 4) & pl.col("word").str.contains(f"^[{SURNAMES}]"))["word"]
    return frozenset(common), frozenset(known), frozenset(listed)
