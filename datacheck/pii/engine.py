"""The Presidio side. Its import costs up to 1.5 s and 100 MB: only `analyzer` does it, for a candidate."""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

import regex
from presidio_analyzer import (
    AnalyzerEngine,
    EntityRecognizer,
    Pattern,
    PatternRecognizer,
    RecognizerRegistry,
    RecognizerResult,
)
from presidio_analyzer.context_aware_enhancers import ContextAwareEnhancer
from presidio_analyzer.nlp_engine import NlpArtifacts, NoOpNlpEngine

from datacheck.pii.errors import PiiTimeout
from datacheck.pii.matching.compiled import compiled, matches, ruled_out
from datacheck.pii.matching.expressions import HAN, SAID_BETWEEN
from datacheck.pii.matching.required import plain
from datacheck.pii.names import JiebaEngine, NameRecognizer, artifacts, listed, titled, windows
from datacheck.pii.recognizers import RECOGNIZERS, Recognizer
from datacheck.pii.recognizers.base import span
from datacheck.text.chinese import in_both_scripts
from datacheck.text.words import WordFinder

# Presidio logs matched text (iban_recognizer.py) and, below CRITICAL, a line per text.
logging.getLogger("presidio-analyzer").setLevel(logging.CRITICAL)

LANGUAGE = "zh"
THRESHOLD = 0.5
TIMEOUT_SECONDS = 20.0
"""Per pattern and text. The patterns are linear; this bound is for the unforeseen."""
CHARACTERS_BEFORE, CHARACTERS_AFTER = 24, 10
_SAID_BETWEEN = regex.compile(rf"{SAID_BETWEEN}\Z")
_MOST_BETWEEN = 48  # characters
# JUnit's and unittest's, up to the end of the statement
_ASSERTED = 160
_ASSERTS = regex.compile(r"(?<![A-Za-z])assert[A-Z][A-Za-z]{3,30}\([^;\n]*\Z")
# A unit test's source: what its framework is imported or written like
_OF_A_TEST = regex.compile(
    r"(?<![A-Za-z])(?:import[ ](?:static[ ])?(?:org\.junit|junit|org\.testng|unittest|pytest)"
    r"|from[ ](?:unittest|pytest)[ .]"
    r"|func[ ]Test[A-Z]\w{0,60}\(\w{1,8}[ ]\*testing\.T\)|def[ ]test_\w{1,60}\(|void[ ]test[A-Z]\w{0,60}\("
    r"|class[ ](?:\w{1,60}Tests?(?![A-Za-z])|Test[A-Z])|(?:assert|Assert|require)\.[Ee]qual[A-Za-z]{0,8}\("
    r"|(?<![A-Za-z])(?:describe|it)\([\"'][^\n]{0,200}(?:=> \{|function ?\()"
    r"|expect\([^;\n]{0,200}\)(?:\.not)?\.to[A-Z.])|@(?:Test|ParameterizedTest|pytest\.mark)(?![A-Za-z])|#\[test\]"
)
# What says itself what it is, whatever label stands before it: 2023-02-18, 104.181.7.20
_DATE_OR_ADDRESS = regex.compile(
    r"(?:19|20)[0-9]{2}(?P<sign>[-./])(?:0?[1-9]|1[0-2])(?P=sign)(?:0?[1-9]|[12][0-9]|3[01])|(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
)
_MAY_BE_DATES = frozenset({"SECRET", "CREDENTIAL", "DATE_OF_BIRTH", "IP_ADDRESS"})
_QUOTES = "\"'`"
_NOT_MADE_UP = frozenset({"SECRET", "CREDENTIAL", "EMAIL_ADDRESS", "ADDRESS", "PERSON", "GPS"})
_BOOST, _PENALTY = 0.35, 0.4
_HAN = regex.compile(f"[{HAN}]")
_SPACE = regex.compile(r"\s+")  # 电 话 1 3 8: corpora that were cut into words or characters


class StandingRules:
    """By entity the rules that the text that is looked at may match: Presidio hands nothing of the kind to it."""

    rules: Mapping[str, Sequence[str]] = {}


class SpecRecognizer(PatternRecognizer):
    """A Presidio recognizer made from a `Recognizer`: its patterns, its judgement."""

    def __init__(self, spec: Recognizer, standing: StandingRules) -> None:
        # Presidio would compile each expression once more, a third of a second: it is never asked to match one
        patterns = [Pattern(rule, "", THRESHOLD) for rule in spec.patterns]
        super().__init__(spec.entity, spec.entity, LANGUAGE, patterns, global_regex_flags=0)
        self.spec, self.standing = spec, standing

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None, regex_flags: int | None = None
    ) -> list[RecognizerResult]:
        """Return the judged matches. Raises PiiTimeout where Presidio's own loop would skip the pattern."""
        del entities, nlp_artifacts, regex_flags
        found: dict[tuple[int, int], RecognizerResult] = {}
        for rule in self.standing.rules[self.spec.entity]:
            try:
                for match in self._matches(rule, self.spec.patterns[rule], text):
                    place = self.spec.widen(text, *span(match))
                    if place not in found and (result := self._result(rule, text[slice(*place)], place)):
                        found[place] = result
            except TimeoutError:
                # "from None": the original holds the pattern only, but no frame with the text shall be kept
                raise PiiTimeout(rule, len(text), TIMEOUT_SECONDS) from None
        return list(found.values())

    def _matches(self, rule: str, expression: str, text: str) -> Iterator["regex.Match[str]"]:
        if rule not in self.spec.ends:
            yield from matches(expression, text, TIMEOUT_SECONDS)
            return
        words, longest = self.spec.ends[rule]
        ends = {end for word in words if word in text for end in _ends_of(word, text)}
        for end in sorted(ends):
            yield from compiled(expression).finditer(text, max(0, end - longest), end, timeout=TIMEOUT_SECONDS)

    def _result(self, rule: str, value: str, place: tuple[int, int]) -> RecognizerResult | None:
        if self.spec.entity not in _MAY_BE_DATES and _DATE_OR_ADDRESS.fullmatch(value):
            return None
        judgement = self.spec.judge(rule, value)
        if judgement is None:
            return None
        metadata = {
            RecognizerResult.RECOGNIZER_NAME_KEY: self.spec.entity,
            RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: self.id,
            "rule": rule,
            "state": judgement.state,
            "in_context": judgement.in_context or judgement.state,
        }
        return RecognizerResult(self.spec.entity, *place, judgement.score, recognition_metadata=metadata)


def _ends_of(word: str, text: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at + len(word)
        at = text.find(word, at + 1)


class CharacterWindowEnhancer(ContextAwareEnhancer):
    """Context by characters, 24 before and 10 after: Presidio's own compares lemmas, and Chinese has none."""

    def __init__(self) -> None:
        super().__init__(_BOOST, THRESHOLD, CHARACTERS_BEFORE, CHARACTERS_AFTER)

    def enhance_using_context(
        self,
        text: str,
        raw_results: list[RecognizerResult],
        nlp_artifacts: NlpArtifacts,
        recognizers: list[EntityRecognizer],
        context: list[str] | None = None,
    ) -> list[RecognizerResult]:
        """Raise the score beside a context word, else lower it in arithmetic; never a specimen's."""
        del nlp_artifacts, recognizers, context
        for result in raw_results:
            self._weigh(text, result)
        return raw_results

    def _weigh(self, text: str, result: RecognizerResult) -> None:
        spec = RECOGNIZERS[result.entity_type]
        positive, negative_left, negative_right = map(
            _optional, (spec.positive, spec.negative_left, spec.negative_right)
        )
        begin, end = max(0, result.start - CHARACTERS_BEFORE), result.end + CHARACTERS_AFTER
        left, right = text[begin : result.start], text[result.end : end]
        said = _begin_of_context(text, result.start)
        if positive and (
            # as written, a word begins and ends; without white space it may have been cut into characters
            positive.search(text, said, result.start)
            or positive.search(text, result.end, end)
            or positive.search(_SPACE.sub("", text[said : result.start]))
            or positive.search(_SPACE.sub("", right))
        ):
            result.score = min(1.0, result.score + _BOOST)
            result.recognition_metadata["state"] = result.recognition_metadata["in_context"]
        elif result.recognition_metadata["state"] != "specimen" and (
            (negative_left and negative_left.search(left)) or (negative_right and negative_right.search(right))
        ):
            result.score = max(0.0, result.score - _PENALTY)
        value = text[result.start : result.end]
        if spec.denies(value, left, right) or (
            result.score >= spec.policy.threshold and spec.is_other(text, result.start, result.end)
        ):
            result.score = 0.0
        elif result.score >= spec.policy.threshold and (
            spec.is_sample(text, result.start, result.end) or _is_asserted(text, result) or _is_of_a_test(text, result)
        ):
            result.recognition_metadata["state"] = "specimen"
        if result.recognition_metadata["state"] == "valid" and spec.doubts(value, text[said : result.start], right):
            result.recognition_metadata["state"] = "suspect"


def _begin_of_context(text: str, start: int) -> int:
    """Where the characters before a value begin: before what is only said between (on file should be), or an answer."""
    between = _SAID_BETWEEN.search(text, max(0, start - _MOST_BETWEEN), start)
    if between is None:
        return max(0, start - CHARACTERS_BEFORE)
    answers = between[0][:1] in "\r\n"
    first: int = between.start()
    return max(0, first - (2 if answers else 1) * CHARACTERS_BEFORE)


def _is_asserted(text: str, result: RecognizerResult) -> bool:
    """Whether a value stands in what a unit test asserts, assertEquals("13…", phone("13…")): its author made it up.

    A key may have been copied there from where it works.
    """
    return (
        result.entity_type not in {"SECRET", "CREDENTIAL"}
        and _ASSERTS.search(text, max(0, result.start - _ASSERTED), result.start) is not None
    )


def _is_of_a_test(text: str, result: RecognizerResult) -> bool:
    """Whether a number is a literal of its own in the source of a unit test: VALID_VISA = "4…", {"4…", true}.

    Mailboxes there are often their authors'.
    """
    return (
        result.entity_type not in _NOT_MADE_UP
        and text[result.start - 1 : result.start] in _QUOTES
        and text[result.end : result.end + 1] == text[result.start - 1 : result.start] != ""
        and _has_tests(text)
    )


@lru_cache(maxsize=1)
def _has_tests(text: str) -> bool:
    return _OF_A_TEST.search(text) is not None


def _optional(expression: str) -> "regex.Pattern[str] | None":
    return compiled(in_both_scripts(expression)) if expression else None


class _NoModel(NoOpNlpEngine):
    """Presidio's own one for recognizers that read no tokens makes an empty text of spaCy's: a second of imports."""

    def load(self) -> None:
        """There is nothing to load."""

    def is_loaded(self) -> bool:
        """Return whether it is."""
        return True


class _Rules:
    """The rules of some recognizers, asked which of them a text may match."""

    def __init__(self, specs: Iterable[Recognizer]) -> None:
        derived = [(spec, rule) for spec in specs for rule in spec.patterns if rule not in spec.words]
        self._expressions = tuple(spec.patterns[rule] for spec, rule in derived)
        self._bits: dict[str, dict[str, int]] = {}
        for bit, (spec, rule) in enumerate(derived):
            self._bits.setdefault(spec.entity, {})[rule] = 1 << bit
        self._all = {entity: sum(bits.values()) for entity, bits in self._bits.items()}
        worded = [spec for spec in specs if spec.words]
        self._words = {
            spec.entity: WordFinder(sorted({plain(word) for words in spec.words.values() for word in words}))
            for spec in worded
        }

    def standing(self, text: str, entities: Sequence[str], idle: Collection[str]) -> dict[str, list[str]]:
        """By entity the rules that the text may match, for those that have any."""
        gone = ruled_out(self._expressions, text, sum(self._all.get(entity, 0) for entity in entities))
        found: dict[str, list[str]] = {}
        for entity in entities:
            worded = entity in self._words and self._words[entity].inside(plain(text))
            if worded or self._all.get(entity, 0) & ~gone:
                words, bits = RECOGNIZERS[entity].words, self._bits.get(entity, {})
                rules = [
                    rule  # in their order: of a span that several match the first one has it
                    for rule in RECOGNIZERS[entity].patterns
                    if rule not in idle
                    and (any(word in text for word in words[rule]) if rule in words else not gone & bits[rule])
                ]
                found |= {entity: rules} if rules else {}
        return found


class _Registry(RecognizerRegistry):
    """Each entity has one recognizer: Presidio's own one looks through all of them, for each entity and text."""

    def get_recognizers(
        self,
        language: str,
        entities: list[str] | None = None,
        all_fields: bool = False,
        ad_hoc_recognizers: list[EntityRecognizer] | None = None,
    ) -> list[EntityRecognizer]:
        """Return the recognizers of some entities."""
        if not entities:
            return list(super().get_recognizers(language, entities, all_fields, ad_hoc_recognizers))
        return [each for each in self.recognizers if each.supported_entities[0] in entities]


class PresidioEngine:
    """One Presidio engine without any language model."""

    def __init__(self, specs: Iterable[Recognizer]) -> None:
        specs = tuple(specs)
        nlp = _NoModel(models=[{"lang_code": LANGUAGE, "model_name": "none"}])
        self._jieba, self._recognizer = JiebaEngine(LANGUAGE), NameRecognizer(LANGUAGE)
        self._artifacts = artifacts([], nlp, LANGUAGE)
        self._rules = _Rules(specs)
        self._standing = StandingRules()
        recognizers: list[EntityRecognizer] = [SpecRecognizer(spec, self._standing) for spec in specs]
        self._presidio = AnalyzerEngine(
            registry=_Registry(recognizers, supported_languages=[LANGUAGE]),
            nlp_engine=nlp,
            supported_languages=[LANGUAGE],
            context_aware_enhancer=CharacterWindowEnhancer(),
            default_score_threshold=0.0,
        )

    def results(self, text: str, entities: list[str], idle: Collection[str] = frozenset()) -> list[RecognizerResult]:
        """Return what the recognizers of `entities` find in `text`, weighed by context, from their thresholds up.

        idle: rules that match nothing in it.
        """
        standing = self._rules.standing(text, entities, idle)
        if not standing:
            return []
        self._standing.rules = standing
        found = self._presidio.analyze(text, LANGUAGE, list(standing), nlp_artifacts=self._artifacts)
        return [result for result in found if result.score >= RECOGNIZERS[result.entity_type].policy.threshold]

    def names(self, text: str, spans: Iterable[tuple[int, int]], *, tagged: bool = True) -> list[RecognizerResult]:
        """Return the unlabelled names around the spans of `text`; not tagged: only those behind a title."""
        places = list(spans)
        parts = windows(places, len(text))
        found = titled(text, parts) + listed(text, parts, places)
        if not (tagged and any(_HAN.search(text, *part) for part in parts)):
            return found  # without Han there is nothing to tag, and no dictionary to read
        return found + self._recognizer.analyze(text, ["PERSON"], self._jieba.process_windows(text, parts))


@cache
def engine(entities: tuple[str, ...] = ()) -> PresidioEngine:
    """Return this process's engine for some entities (none: for all): each that it has costs time in every text."""
    return PresidioEngine(RECOGNIZERS[entity] for entity in entities or RECOGNIZERS)
