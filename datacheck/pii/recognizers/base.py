"""What every recognizer says about itself. Pure Python; `datacheck.pii.engine` makes the Presidio side."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import pairwise
from random import Random
from re import Match
from typing import ClassVar, NamedTuple

from datacheck.pii.policy import Policy, Severity, State


class Judgement(NamedTuple):
    """How sure a recognizer is of one match.

    `score` is 0 to 1 without context (reported from 0.5 up). `in_context` is the state beside a context word
    of the recognizer, if that changes it.
    """

    score: float
    state: State
    in_context: State | None = None


class Recognizer(ABC):
    """One entity: what to look for, how to judge it, how to mask it, how to make one up.

    All regular expressions see folded text. `prefilter` must match wherever one of `patterns` does: it runs in Rust's
    linear engine (no look-around) over every row, the patterns run only where it fired. `prefilters` are more of the
    same, tried one by one: small automata run several times as fast as one large one. `gate`, if any, must match
    wherever `prefilter` does: it is shared by several recognizers and tried first; alternatives, tried one by one,
    stand in lines. `needs`, if any, must match in every text in which a match can reach the threshold (a context word:
    see `anywhere`). `weak` is a prefilter for rules that all need a word: it counts only where `needs_of_weak` matches.
    """

    entity: str
    region: str = ""
    """The country (ISO 3166, UK for GB) of which it is looked for; none: everywhere."""
    priority: float
    """Where two entities overlap and neither is the surer one, the lower number stays; ours go up in tens."""
    policy: Policy
    """Severities, threshold and linkage."""
    prefilter: str
    prefilters: ClassVar[tuple[str, ...]] = ()
    gate: str = ""
    needs: str = ""
    weak: str = ""
    needs_of_weak: str = ""
    ends: ClassVar[Mapping[str, tuple[frozenset[str], int]]] = {}
    """Rule name to the words with one of which each of its matches ends, and to the most characters of a match: only
    what stands before such a word is tried."""
    tries: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Rule name to expressions for Rust's engine, one of which matches in every text in which the rule does: for rules
    that take long, and whose texts are mostly there for the sake of others."""
    words: Mapping[str, tuple[str, ...]] = {}
    """Rule name to words of which one stands in each of its matches, in this case, where they need not be derived from
    the expression (see `required`): with hundreds of rules that takes longer than to look for them."""
    patterns: Mapping[str, str]
    """Rule name to regular expression; the value is the group `value`, else the whole match (see `span`). Within one
    entity the first rule that matches a span wins."""
    extents: tuple[str, ...] = ()
    """Python `re`, group `value` as in `patterns`: what `excerpt` hides besides runs of five or more digits."""
    positive: str = ""
    """Context words, 24 characters before or 10 after; white space is removed first."""
    negative_left: ClassVar[str] = ""
    negative_right: ClassVar[str] = ""
    specimens: ClassVar[frozenset[str]] = frozenset()
    """Canonical values known from documentation and textbooks: always found, and named as such."""
    label: str = ""
    """What must stand before a bare value so that it is recognised: 护照, QQ:."""
    shown: ClassVar[tuple[int, int]] = (2, 2)
    """How many characters of the canonical value its mask keeps at each end."""

    @property
    def severity(self) -> Severity:
        """Default severity of a valid value."""
        return self.policy.valid

    @abstractmethod
    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge one match of a rule; None = certainly something else."""

    def state(self, value: str) -> State:
        """`specimen` for a known one, else `valid`."""
        return "specimen" if self.canonical(value) in self.specimens else "valid"

    def widen(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Return the whole value around a match (an address begins long before its door number)."""
        del text
        return start, end

    def doubts(self, value: str, before: str, after: str) -> bool:
        """Whether a valid value is a suspect between 24 characters before and 10 after it."""
        del value, before, after
        return False

    def denies(self, value: str, before: str, after: str) -> bool:
        """Whether a value is something else between 24 characters before and 10 after it."""
        del value, before, after
        return False

    def is_other(self, text: str, start: int, end: int) -> bool:
        """Whether the value at [start, end) is something else by what the text says; asked of what would count."""
        del text, start, end
        return False

    def is_sample(self, text: str, start: int, end: int) -> bool:
        """Whether the text gives the value at [start, end) to show how one is written; asked of what would count."""
        del text, start, end
        return False

    def canonical(self, value: str) -> str:
        """Return the value without its presentation, so that equal values compare equal."""
        return compact(value)

    def mask(self, value: str) -> str:
        """Return the form that may be shown."""
        return starred(self.canonical(value), *self.shown)

    @abstractmethod
    def canary(self, rng: Random) -> str:
        """Make up a valid value that is not a specimen, behind `label`."""


class Labelled(Recognizer):
    """A recognizer whose patterns hold a label: it is the evidence."""

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Every match is one."""
        del rule
        return Judgement(0.7, self.state(value))


def span(match: Match[str]) -> tuple[int, int]:
    """Return the span of the value in a match of one of the patterns."""
    return match.span("value") if "value" in match.re.groupindex else match.span()


def compact(value: str) -> str:
    """Return the ASCII letters and digits of a value, in upper case."""
    return "".join(char for char in value.upper() if char.isascii() and char.isalnum())


def starred(value: str, head: int, tail: int) -> str:
    """Mask all but `head` and `tail` characters; of a short value less is shown."""
    if len(value) <= 2 * (head + tail):
        head, tail = len(value) // 4, 0
    return value[:head] + "*" * (len(value) - head - tail) + value[len(value) - tail :]


def digits_of(value: str) -> str:
    """Return the ASCII digits of a value."""
    return "".join(char for char in value if "0" <= char <= "9")


def in_sequence(digits: str) -> bool:
    """Whether six or more digits each are one more than the one before, or one less (0 follows 9)."""
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(digits)}
    return len(digits) >= 6 and steps in ({1}, {9})


def holds_sequence(digits: str, length: int) -> bool:
    """Whether so many digits in a row are in sequence: nobody's number, but one that was typed as an example."""
    return any(in_sequence(digits[at : at + length]) for at in range(len(digits) - length + 1))


def completed(body: str, is_valid: Callable[[str], bool]) -> str:
    """Return `body` with the check digit that makes it valid."""
    return next(body + digit for digit in "0123456789" if is_valid(body + digit))


def words(text: str) -> frozenset[str]:
    """Return the set of the words of a text."""
    return frozenset(text.split())


def random_digits(rng: Random, count: int) -> str:
    """Return `count` random decimal digits."""
    return "".join(str(rng.randrange(10)) for _ in range(count))
