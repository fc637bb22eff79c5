"""Unlabelled names: titles (Mr. John Smith) and jieba's part-of-speech tagger, on a few windows only.

The tagger alone never blocks: half of ordinary Chinese texts would be flagged by it (谢谢, 陈述, 康复), and it reads
0.1 MB/s. After a title stand the people of novels and exercises as well. So both see what stands
within LINK characters of a hard identifier, or every text only where the contract asks for that.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import regex
from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

from datacheck.pii.free_names import TITLES, english_names, is_word
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.policy import LINK
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import Judgement, words
from datacheck.pii.recognizers.person import ADDRESSED, COMPOUND, COMPOUNDS, GIVEN, INTRODUCED, LISTED, SURNAMES, TITLED
from datacheck.pii.tagger import tagger

RULE = "person.jieba"
SCORE = 0.5
TITLE_RULE = "person.titled"
_HOUSE = regex.compile(r" [0-9]{1,4}[a-z]?,?\s[0-9]{4,5}(?![0-9])")  # a number and a postal code
_ENGINE = "jieba"
_TITLED = regex.compile(TITLED)
_ADDRESSED = regex.compile(ADDRESSED)
_INTRODUCED = regex.compile(INTRODUCED)
# What the tagger most often takes for a name in ordinary texts.
_WORDS = words(
    "谢谢 陈述 胡萝卜 康复 白蛋白 顾客 洪水 高血压 高兴 安全 方便 温馨 明白 平安 小时 和平 金融 石油 白天 黄金 申请人"
    " 周会 左乳 周转 祝福 祝好"
)
_COUNTING = frozenset("这那哪每几两一二三四五六七八九十半整")  # 这张卡
_GIVEN = regex.compile(f"[{GIVEN}]{{1,2}}")
_GIVEN_LONGEST = 2
# A surname and one or two characters that stand by themselves, or behind who it is: 客户档案 田晨曦 138…, 我是付德华，
_APART = regex.compile(
    rf"(?:(?<![{HAN}])|(?<=我是|我叫|叫我|就是|本人|系人|络人|件人|货人|客户|顾客|患者|病人|用户|会员|学员|学生|员工|同事|家长|业主|租客|乘客))"
    rf"(?:(?:{COMPOUND})[{HAN}]{{1,2}}?|[{SURNAMES}][{HAN}]{{1,2}}?)(?:(?![{HAN}])|(?=收(?![{HAN}])))"
)


class Entity(NamedTuple):
    """What a recognizer of Presidio reads of a named entity."""

    text: str
    start_char: int
    end_char: int
    label_: str


class JiebaEngine(NlpEngine):
    """Presidio's view of jieba: its artifacts hold names only (Presidio's own engines would need spaCy models)."""

    engine_name = "jieba"
    is_available = True

    def __init__(self, language: str) -> None:
        self._language = language

    def load(self) -> None:
        """Read jieba's tables."""
        tagger()

    def is_loaded(self) -> bool:
        """Whether they have been read."""
        return bool(tagger.cache_info().currsize)

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        """Tag a text."""
        return artifacts(_names(text, 0), self, language)

    def process_windows(self, text: str, windows: Iterable[tuple[int, int]]) -> NlpArtifacts:
        """Tag parts of a text; offsets are the text's."""
        found = [entity for part in windows for entity in (*_names(text[slice(*part)], part[0]), *_apart(text, *part))]
        return artifacts(found, self, self._language)

    def process_batch(
        self, texts: Iterable[str], language: str, batch_size: int = 1, n_process: int = 1, **kwargs: object
    ) -> Iterator[tuple[str, NlpArtifacts]]:
        """Tag texts one after the other."""
        del batch_size, n_process, kwargs
        return ((text, self.process_text(text, language)) for text in texts)

    def is_stopword(self, word: str, language: str) -> bool:
        """Nothing is: no recognizer here asks."""
        del word, language
        return False

    def is_punct(self, word: str, language: str) -> bool:
        """Return whether the word has neither letters nor digits."""
        del language
        return not any(char.isalnum() for char in word)

    def get_supported_entities(self) -> list[str]:
        """Names."""
        return ["PERSON"]

    def get_supported_languages(self) -> list[str]:
        """Return the one language."""
        return [self._language]


class NameRecognizer(EntityRecognizer):
    """Takes over the names of the artifacts."""

    def __init__(self, language: str) -> None:
        super().__init__(["PERSON"], _ENGINE, language)

    def load(self) -> None:
        """Nothing to load: the engine did."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts) -> list[RecognizerResult]:
        """Return one suspect per name."""
        del text, entities
        suspect = Judgement(SCORE, "suspect")
        return [_result(RULE, (each.start_char, each.end_char), suspect) for each in nlp_artifacts.entities]


def titled(text: str, parts: Iterable[tuple[int, int]]) -> list[RecognizerResult]:
    """Return the names behind an English title in parts of a text; a surname alone is a suspect."""
    matches = [match for part in parts for match in _TITLED.finditer(text, *part)]
    found = [judged(text, *_without_street(text, *match.span("value")), TITLE_RULE) for match in matches]
    return [result for result in found if result]


def _without_street(text: str, start: int, end: int) -> tuple[int, int]:
    """A name without the street that it runs into: Dr. Anna Weber Baumwall 3 20459 Hamburg."""
    last = text.rfind(" ", start, end)
    is_street = _HOUSE.match(text, end) is not None and text.count(" ", start, end) > 1
    return (start, last) if is_street else (start, end)


def listed(text: str, parts: Iterable[tuple[int, int]], spans: Iterable[tuple[int, int]]) -> list[RecognizerResult]:
    """Return English given names and what follows them in parts of a text, and who stands right before a span.

    Who says the own name there (This is Tobias Haverford, ...) counts as well. All are suspects.
    """
    parts = list(parts)
    places = [(first + name.start, first + name.end) for first, end in parts for name in english_names(text[first:end])]
    places += [match.span("value") for part in parts for match in _INTRODUCED.finditer(text, *part)]
    before = (_ADDRESSED.search(text, max(0, start - LINK), start) for start, _ in spans)
    places += [match.span("value") for match in before if match]
    found = [judged(text, *place, LISTED) for place in dict.fromkeys(places)]
    return [result for result in found if result]


def begun(text: str, start: int, end: int) -> int:
    """Where a name begins: before 柏宇 there may stand 上官."""
    compound = text[max(0, start - 2) : start] in COMPOUNDS and end - start == _GIVEN_LONGEST
    return start - 2 if compound else start


def judged(text: str, start: int, end: int, rule: str) -> RecognizerResult | None:
    """Return a name found by a rule that is no pattern, as its recognizer judges it."""
    start = begun(text, start, end)
    judgement = RECOGNIZERS["PERSON"].judge(rule, text[start:end])
    return judgement and _result(rule, (start, end), judgement)


def _result(rule: str, place: tuple[int, int], judgement: Judgement) -> RecognizerResult:
    metadata = {
        RecognizerResult.RECOGNIZER_NAME_KEY: _ENGINE,
        RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: rule,
        "rule": rule,
        "state": judgement.state,
        "in_context": judgement.state,
    }
    return RecognizerResult("PERSON", *place, judgement.score, recognition_metadata=metadata)


def windows(spans: Iterable[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the surroundings of the spans, united where they overlap, in order."""
    united: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start - LINK), min(length, end + LINK)) for start, end in spans):
        if united and start <= united[-1][1]:
            united[-1] = united[-1][0], max(united[-1][1], end)
        else:
            united.append((start, end))
    return united


def artifacts(found: list[Entity], engine: NlpEngine, language: str) -> NlpArtifacts:
    """Return what Presidio's recognizers read of a text: its names, and no tokens."""
    # No types are checked there: whatever has these four attributes is an entity, and no token is ever read
    spans, tokens = cast("Any", found), cast("Any", [])
    return NlpArtifacts(spans, tokens, [], [], engine, language)


def _names(text: str, offset: int) -> list[Entity]:
    """Words tagged nr of two to four characters that begin with a surname."""
    found, at = [], offset
    for word in tagger().cut(text):
        name, start, at = word.word, at, at + len(word.word)
        likely = word.flag.startswith("nr") and 2 <= len(name) <= 4 and name not in _WORDS and name not in TITLES
        likely = likely and text[start - offset - 1 : start - offset] not in _COUNTING
        if likely and (name[0] in SURNAMES or name[:2] in COMPOUNDS):
            given = _GIVEN.match(text, at - offset) if name in COMPOUNDS else None  # the tagger cuts 诸葛 off
            end = at + len(given[0]) if given else at
            start = begun(text, start - offset, end - offset) + offset
            found.append(Entity(text[start - offset : end - offset], start, end, "PERSON"))
    return found


def _apart(text: str, start: int, end: int) -> Iterator[Entity]:
    """What stands by itself in a part of the text, begins with a surname and is no word."""
    for match in _APART.finditer(text, start, end):
        goes_on = match.end() == end and regex.match(f"[{HAN}]", text[end : end + 1])
        if not (goes_on or is_word(match[0]) or match[0] in _WORDS):
            yield Entity(match[0], match.start(), match.end(), "PERSON")
