"""Find known values again, however they are written: what a redaction replaced once must stand nowhere else.

A recognizer needs a label, an edge or a check digit to know a value; who holds the value needs none of them. So a text
is searched for the value itself, in two forms of both: digits without what people put between digits
(`wx138 2233 5566a`), and small letters without spaces and points (`sarah_WHITFIELD`). Width, invisible characters,
escapes, those of URLs too, and Chinese numerals are undone by `fold_url` before.

Who was named once is later called by a part of the name: Sarah, Ms. Whitfield, 王先生, 老王. A part of an English name
is a word that begins with a capital (in small letters only a given name that is no other word: not will, not grant);
a Chinese surname counts before a title, or behind 老 and 小 where no other word goes on; a given name of two characters
where it is no common word, or where somebody is called so (建国，… and not 建国以来). Two of one surname in one record
cannot be told apart: the first one's pseudonym is taken.

In other records than its own a value is looked for only where it can be told from anything else (`is_told_anywhere`):
安静 is a name in one record and quiet in a thousand others.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import polars as pl

from datacheck.pii.free_names import is_common, is_listed
from datacheck.pii.given_names import is_given, short_forms, words_as_names
from datacheck.pii.matching.expressions import HAN, SEPARATOR, SIGNS
from datacheck.pii.normalise import NEEDS_FOLDING, PERCENT, SHORT_ESCAPE, Folded, fold, fold_url, folded_text, unquoted
from datacheck.pii.recognizers import RECOGNIZERS
from datacheck.pii.recognizers.base import compact, digits_of, words
from datacheck.pii.recognizers.person import COMPOUNDS, LATIN, SURNAME_AND_GIVEN, SURNAMES
from datacheck.pii.redact import spelt
from datacheck.pii.redact.callings import called, named, nicknamed
from datacheck.pii.redact.handles import Handles
from datacheck.pii.redact.leaves import Kind, Span, inner_strings, inner_texts
from datacheck.pii.tagger import is_entry
from datacheck.text.chinese import simplified

_BETWEEN_DIGITS = re.compile(SEPARATOR)
# A long number goes on in the next line, item or quotation; the digits of several lines are no short one.
# … and signs of the writer's own stand in no other text between these very digits (138~1234~5678).
_BETWEEN_LINES = re.compile(rf"{SEPARATOR}|{SIGNS}|[\r\n>]")
_HAS_BETWEEN = re.compile(rf"{SIGNS}|[\n()（）]")
# … and in letters and digits, as a passport or a plate has them, there may be any of these: EH31\n49633, 琼A(1176)
_BETWEEN_MIXED = re.compile(rf"{SEPARATOR}|{SIGNS}|[\r\n>'’]")
_LONG = 6
_LONG_MIXED = 9
_FEW = 64  # values for which a search one by one is faster than an automaton
_BETWEEN_LETTERS = re.compile(r"[ \t\u00a0\u3000._\-'’·•]")
_BETWEEN_ANY = rf"{SEPARATOR}|{SIGNS}|[\r\n>'’]|{SHORT_ESCAPE}"  # what a form may be written with; for a sieve
_SIEVED = 40  # characters of a form that a sieve looks for
_FEWEST_DIGITS = 5  # as in `excerpt`: fewer digits stand in too many texts to be this value
_FEWEST_LETTERS = 3  # of a script that has spaces; two Chinese characters are a name
_FEWEST_OTHERS = 2
_FEWEST_MIXED = 7  # letters and digits, as a number plate has: what may be looked for in other records
# What may stand before a number and belong to it: the country code, the trunk prefix.
_PREFIX = re.compile(r"(?<![0-9])(?:(?:00)?(?:86|85[23]|886)|0)\Z")
_AMERICAN = re.compile(r"(?:\+?1)?([2-9][0-9]{2}[2-9][0-9]{6})")
_TAIWANS = re.compile(r"(?:\+?886|0)([2-9][0-9]{7,8})")  # 0916 878 746, +886-916-878-746
_AMERICAN_APART = re.compile(rf"[2-9](?:(?:{SEPARATOR}|{SIGNS}){{0,2}}[0-9]){{9}}(?![0-9])")
_AMERICAN_PREFIX = re.compile(r"(?<![0-9])1\Z")  # 1 415 883 1840
_PREFIX_LENGTH = 5
_WORD = re.compile(f"[{LATIN}]{{3,}}")
_BEGINS_WITH_INITIAL = re.compile(rf"[A-Z]\.[ ]?(?:[A-Z]['’])?[{LATIN}]{{2,}}")  # K. Moreau, E. D'Angelo
_AFTER_SURNAME = re.compile(r"(?<=[a-zA-Z]),(?= ?[A-Z])")
_LETTERS_APART = re.compile(r"(?<![A-Za-z])[A-Za-z](?P<between>[ .\-]|, )[A-Za-z](?:(?P=between)[A-Za-z])+(?![A-Za-z])")
_HYPHENED = re.compile(rf"[{LATIN}]+(?:(?:-|['’](?!s(?![{LATIN}])))[{LATIN}]+)+")
# Two letters are somebody behind a title (Dr. An), and alone where they are no word: Li, but not He.
_TITLED = re.compile(
    rf"(?<![A-Za-z])(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?[ ]([{LATIN}]{{2}})(?![{LATIN}])"
    r"|(?<![A-Za-z@/_.\-])([A-Z][a-z])(?![A-Za-z@/_])"
)
_SHORT_WORDS = words(
    "He An Do So To We My Me In On Is It At As Am Be By Go If No Of Or Up Us Hi Ok Oh Ha Mr Ms Dr Ah Eh Vs Re Ex "
    "De La Le El Al Un Una Et Da Di Du Ma Id Tv Pm Ad Ca Co"
)
# What somebody is called for short (Bob, Bill); of those that are words some stand where nobody is called.
_SHORT_WORD = re.compile(r"(?<![A-Za-z@/_.\-])[A-Z][a-z]{1,7}(?![A-Za-z@/_])")
_SAID_BEFORE = 12
_CALLS = re.compile(
    r"(?:(?i:\b(?:it['’]?s|i['’]m|this is"
    r"|tell|ask|call|text|hi|hello|hey|dear|thanks|thank you|with|from|give|okay|ok|sorry|and|know))|,) \Z"
)
_NOT_CALLED = re.compile(r"(?i:\b(?:the|a|an|this|that|your|my|his|her|our|their|each|per|new) \Z)")
_ACTS = re.compile(
    r"(?:[,!?：]|[ ]?[(（]|[.](?![A-Za-z0-9])|['’]s(?![a-z])"
    r"| (?:is|was|has|had|can|could|will|would|should|may|just|also|needs?|from"
    r"|wrote|said|told|came|went|got|left|sent|gave|made|took|found|thought|knew|met|paid|bought|brought"
    r"|[a-z]{3,}(?:ed|es|s))(?![a-z])|\Z)"
)
_HAN = re.compile(f"[{HAN}]")
_LETTERED = re.compile("[A-Za-z]{2}")
_FAMILIAR = frozenset("老小阿")
_SURNAMES = frozenset(SURNAMES) | COMPOUNDS
# What people say of a number that is known: 尾号 0095, ending in 0095
_END = re.compile(
    r"(?:尾[号號数數]|[后後末最]{1,2}[四4][位个個]|ending (?:in|with)|last (?:four|4)(?: digits)?)"
    rf"[^0-9{HAN}A-Za-z]{{0,4}}(?:是|为|為|is|are)?[^0-9A-Za-z]{{0,3}}([0-9]{{4}})(?![0-9])"
)
_NUMERAL = re.compile(r"[〇零一二三四五六七八九幺]{4}")
_NUMERALS = str.maketrans("〇零一二三四五六七八九幺", "001234567891")
_STROKES = str.maketrans("ıłøđðħ", "ilodd" + "h")  # what no normal form takes apart
_TOUCHING = ("vx", "wx", "v", "wechat", "weixin")
_SAID = (
    ("at", "dot"),
    ("at", "点"),
    ("艾特", "点"),
    ("艾特", "dot"),
    ("圈a", "点"),
)  # the signs of an address of mail in words
_JOINED = re.compile(r"[ \u00a0\u3000]?[,，·]?[ \u00a0\u3000]?")  # between the parts of one name: Whitfield, Sarah

_Known = TypeVar("_Known", dict[str, int], dict[str, list[int]])


class Original(NamedTuple):
    """A value as it was written somewhere, and what it is."""

    entity: str
    written: str


class Trace(NamedTuple):
    """A place (code points of the text, end exclusive) at which a value stands; `value` is its number."""

    start: int
    end: int
    value: int


class Traces:
    """Searches texts for some values. Time is linear in the text and in the values together."""

    def __init__(self, values: Sequence[Original], whole: Sequence[Original] = ()) -> None:
        """`whole`: more values, numbered on, of other records; no part of them is looked for."""
        self._numbers: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        self._given: dict[str, int] = {}
        self._short: dict[str, int] = {}
        self._for_short: dict[str, int] = {}  # Bill of William
        self._last: dict[str, int] = {}  # characters of given names
        self._spelt = _SpeltNames()
        self._handles = Handles()
        self._initial: dict[str, int] = {}  # K of K. Moreau, whose given name is told alone
        self._capital: set[int] = set()
        self._is_chinese = any(value.entity == "PERSON" and _HAN.search(value.written) for value in (*values, *whole))
        if self._is_chinese:
            values, whole = _in_simplified(values), _in_simplified(whole)
        self._persons = {number for number, value in enumerate(values) if value.entity == "PERSON"}
        for number, value in enumerate([*values, *whole]):
            if (
                value.entity == "PERSON"
                and number < len(values)
                and (parts := self._called_by(fold_url(value.written).text, number))
            ):
                for part in parts:
                    self._parts.setdefault(part, number)
                if len(value.written.split()) == 1 and not _HAN.search(fold_url(value.written).text):
                    continue
            if number >= len(values) and value.entity == "PERSON":
                plain = fold_url(value.written).text
                if len(plain) == _FEWEST_OTHERS and _HAN.search(plain):  # 王丽 is no part of 王丽娜
                    self._given.setdefault(plain, number)
                    continue
                if not any(is_given(word) for word in _WORD.findall(plain)):
                    self._capital.add(number)
            for form, known in _forms(value, self._numbers, self._words):
                known.setdefault(form, number)

    def find(self, text: str) -> list[Trace]:
        """Return where values stand in `text`, in order, never overlapping."""
        if not (self._numbers or self._words or self._parts or self._given):
            return []
        folded = fold_url(text)
        if self._is_chinese and _HAN.search(folded.text):  # 張詠詩 is 张咏诗
            folded = Folded(simplified(folded.text), folded.offsets)
        found = [*self._as_written(folded), *self._as_called(folded)]
        if self._capital:  # Will Grant would not have "I will grant you" changed
            found = [each for each in found if each.value not in self._capital or not _has_small(text, each)]
        united: list[Trace] = []
        for trace in sorted(found, key=lambda trace: (trace.start, -trace.end)):
            if not united or trace.start >= united[-1].end:
                united.append(trace)
        united = self._joined(text, united)
        return [self._with_familiar(text, trace) for trace in united]

    def _as_written(self, folded: Folded) -> Iterator[Trace]:
        """Numbers and names as they were replaced, whatever stands between their characters."""
        yield from _find(folded, self._numbers, _BETWEEN_DIGITS)
        yield from _find(folded, self._words, _BETWEEN_LETTERS)
        if _HAS_BETWEEN.search(folded.text):
            long = {form: at for form, at in self._numbers.items() if len(form) >= _LONG}
            yield from _find(folded, long, _BETWEEN_LINES)
            yield from _find(folded, {form: at for form, at in self._words.items() if _is_mixed(form)}, _BETWEEN_MIXED)
        if not self._numbers:
            return
        if _NUMERAL.search(folded.text):  # five or six, which `fold` leaves
            spoken = Folded(folded.text.translate(_NUMERALS), folded.offsets)
            yield from _find(spoken, self._numbers, _BETWEEN_DIGITS)
        yield from self._ends(folded)

    def _as_called(self, folded: Folded) -> Iterator[Trace]:
        """Parts of names, initials, handles, nicknames and given names alone."""
        yield from _called(folded, self._parts) if self._parts else ()
        yield from _titled(folded, self._short) if self._short else ()
        yield from _for_short(folded, self._for_short) if self._for_short else ()
        if _LETTERED.search(folded.text):
            yield from self._spelt.find(folded) if self._spelt.forms else ()
            yield from (Trace(*each) for each in self._handles.find(folded))
        yield from _with_initial(folded, self._initial) if self._initial else ()
        yield from _by_letters(folded, self._parts) if self._parts else ()
        if self._last:
            for start, end, char in nicknamed(folded.text, self._last):
                yield Trace(*folded.span(start, end), self._last[char])
        if self._given:
            for start, end, name in named(folded.text, self._given):
                yield Trace(*folded.span(start, end), self._given[name])

    def _ends(self, folded: Folded) -> Iterator[Trace]:
        """The last four digits of a number, where they are said to be some."""
        for match in _END.finditer(folded.text):
            whole = (value for form, value in self._numbers.items() if len(form) >= _LONG and form.endswith(match[1]))
            if (value := next(whole, None)) is not None:
                yield Trace(*folded.span(*match.span(1)), value)

    def _joined(self, text: str, traces: list[Trace]) -> list[Trace]:
        """The parts of one person's name side by side are one place: Van Dijk, Beatriz."""
        joined: list[Trace] = []
        for trace in traces:
            last = joined[-1] if joined else None
            if (
                last
                and last.value == trace.value
                and trace.value in self._persons
                and not _HAN.search(text, last.start, trace.end)
                and text[last.start : last.end].lower() != text[trace.start : trace.end].lower()
                and _JOINED.fullmatch(text[last.end : trace.start])
            ):
                joined[-1] = last._replace(end=trace.end)
            else:
                joined.append(trace)
        return joined

    def _with_familiar(self, text: str, trace: Trace) -> Trace:
        """A surname with the 老 or 小 before it: it goes as a whole, for nobody says 老<PERSON_v1>."""
        before = text[trace.start - 1 : trace.start] if trace.start else ""
        familiar = before in _FAMILIAR and simplified(text[trace.start : trace.end]) in self._parts
        return trace._replace(start=trace.start - 1) if familiar else trace

    def inside(self, text: str) -> list[tuple[int, Span, Kind]]:
        """Return where values stand in `text` or, if it is JSON, in its strings, keys and numbers, however deep."""
        return [
            (trace.value, inner.written((trace.start, trace.end)), inner.kind)
            for inner in inner_texts(text)
            for trace in self.find(inner.text)[: 1 if inner.kind == "number" else None]
        ]

    def _called_by(self, name: str, number: int) -> list[str]:
        """What a person may be called by: the words of an English name in small letters, a Chinese surname."""
        return self._called_in_chinese(name, number) if _HAN.search(name) else self._called_in_english(name, number)

    def _called_in_english(self, name: str, number: int) -> list[str]:
        spoken = [word for word in name.split() if not word.islower() or name.islower()]
        for word in spoken:
            if len(word) == _FEWEST_OTHERS and word.isalpha():
                self._short.setdefault(word.lower(), number)
        first = spoken[1:2] if "," in name else spoken[:1]  # Haverford, Joshua
        for word in (short for each in first for short in short_forms().get(each.lower(), ())):
            self._for_short.setdefault(word, number)
        self._handles.add(name, number)
        if _BEGINS_WITH_INITIAL.match(name):
            self._initial.setdefault(name[0], number)
        spelt = [word.lower() for part in spoken for word in (*_WORD.findall(part), *_HYPHENED.findall(part))]
        return list(dict.fromkeys([*spelt, *map(_without_accents, spelt)]))

    def _called_in_chinese(self, name: str, number: int) -> list[str]:
        """The given name goes to the words that are looked for, or to those that are names only in their place."""
        name = "".join(name.split())
        alone = name[1:] if name[0] in _FAMILIAR else name
        if alone in _SURNAMES:  # of whom no more is known: 小瞿, and the 顾 of 顾医生
            return [alone]
        surname, point, rest = name.partition("·")
        if point and surname in _SURNAMES and len(rest) <= _FEWEST_OTHERS:  # 卢·晨 is 卢晨
            name = surname + rest
        match = SURNAME_AND_GIVEN.fullmatch(name)
        if match is None:
            self._part_by_points(name, number)
            return []
        surname, given = match.groups()
        self._spelt.add(surname, given, number)
        self._handles.add_chinese(surname, given, number)
        self._last.setdefault(given[-1], number)
        if len(given) == _FEWEST_OTHERS:
            (self._given if is_common(given) else self._words).setdefault(given, number)
        return [surname]

    def _part_by_points(self, name: str, number: int) -> None:
        """Who is called 阿依古丽·买买提 is called 阿依古丽 as well; a part that is a word, only where somebody is."""
        parts = re.split("[·•・]", name)
        for part in parts if len(parts) > 1 else ():
            if len(part) >= _FEWEST_OTHERS and not part.isascii():
                (self._given if is_entry(part) else self._words).setdefault(part, number)


def _in_simplified(values: Sequence[Original]) -> list[Original]:
    return [value._replace(written=simplified(value.written)) for value in values]


class _SpeltNames:
    """Chinese names as they are written in Latin letters (see `spelt`), each with the number of its value."""

    def __init__(self) -> None:
        self.forms: dict[str, tuple[int, int, int]] = {}  # number, letters of the first part, syllables
        self._surnames: dict[str, int] = {}
        self._given: dict[str, int] = {}

    def add(self, surname: str, given: str, number: int) -> None:
        """Look for a name."""
        for form, first in spelt.forms(surname, given):
            self.forms.setdefault(form, (number, first, len(surname + given)))
        for form in spelt.surname_forms(surname, given):
            self._surnames.setdefault(form, number)
        for form in spelt.given_forms(surname, given):
            self._given.setdefault(form, number)

    def find(self, folded: Folded) -> Iterator[Trace]:
        """The places at which one of the names stands."""
        # A comma stands behind a surname: LIU, Zhiming
        plain = _AFTER_SURNAME.sub(" ", folded.text)
        text, kept = _compared(plain, _BETWEEN_LETTERS)
        for at, form in _matches(text, list(self.forms)):
            start, end = kept[at], kept[at + len(form) - 1] + 1
            number, first, syllables = self.forms[form]
            touches = any(_goes_on(folded.text, *edge, may_touch=False) for edge in ((start, -1), (end - 1, 1)))
            if not touches and spelt.is_told(folded.text[start:end], first, syllables):
                yield Trace(*folded.span(start, end), number)
        for places in (spelt.called(folded.text, self._surnames), spelt.given_alone(folded.text, self._given)):
            yield from (Trace(*folded.span(start, end), number) for start, end, number in places)


class KnownValues:
    """Says which of many values may stand in texts: all values and texts at once, for a file has thousands of both."""

    def __init__(self, values: Sequence[Original] = ()) -> None:
        self.values = values
        self._forms: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
        for number, value in enumerate(values):
            for form, known in _forms(value, *self._forms):
                known.setdefault(form, []).append(number)

    def in_texts(self, texts: Sequence[str]) -> list[list[Original]]:
        """Return for each text the values of which it holds a form, whatever stands beside; JSON is gone into."""
        return self.in_readable([readable(text) for text in texts])

    def in_readable(self, texts: Sequence[str]) -> list[list[Original]]:
        """As `in_texts`, of what `readable` gave."""
        found: list[set[int]] = [set() for _ in texts]
        for forms, between in zip(self._forms, (_NO_LINES, _NO_LETTERS), strict=True):
            if forms and texts:
                column = pl.Series([text.translate(between) for text in texts], dtype=pl.String)
                for own, matches in zip(found, column.str.extract_many(list(forms), overlapping=True), strict=True):
                    own.update(number for form in matches for number in forms[form])
        return [[self.values[number] for number in sorted(own)] for own in found]

    def sieve(self) -> str:
        """A pattern of Rust's regex: a text has it wherever a form of a value may stand, or only `fold` can say.

        Of a JSON text the same holds as it is written, where it has no escapes.
        """
        forms = [form[:_SIEVED] for known in self._forms for form in known]
        spread = (rf"(?:{_BETWEEN_ANY})*".join(re.escape(char) for char in form) for form in forms)
        return "|".join([f"(?i:{form})" for form in spread] + [NEEDS_FOLDING, PERCENT])


def readable(text: str) -> str:
    """A text or, if it is JSON, its strings, keys and numbers, one after the other, folded."""
    return folded_text(unquoted("\ue000".join(inner_strings(text))))


def is_told_anywhere(value: Original) -> bool:
    """Whether what is written so in another record is this value: no word, no date, no short number, no one-word name.

    Of those that are left a mail address, nine digits, or letters and digits tell enough.
    """
    plain = fold(value.written).text
    if value.entity == "PERSON":
        is_word = len(plain) == _FEWEST_OTHERS and is_listed(plain)
        return len(_WORD.findall(plain)) > 1 or (bool(_HAN.search(plain)) and not is_word)
    digits, word = len(digits_of(plain)), _compared(plain, _BETWEEN_LETTERS)[0]
    if value.entity == "DATE_OF_BIRTH":
        return False
    return "@" in plain or digits >= _LONG_MIXED or (len(word) >= _FEWEST_MIXED and 0 < digits < len(word))


def _forms(value: Original, numbers: _Known, words: _Known) -> Iterator[tuple[str, _Known]]:
    """The forms in which a value is looked for, and where each belongs; none for what is too short to tell."""
    plain = fold_url(value.written).text
    if value.entity == "WECHAT" and plain.isalpha() and plain.isascii():  # who writes vx before it leaves no blank
        yield from ((label + plain.lower(), words) for label in _TOUCHING)
    canonical = RECOGNIZERS[value.entity].canonical(plain)
    # 19725687158 is a mobile number of China as much as +1 972-568-7158
    american = value.entity in ("PHONE_NUMBER", "CN_MOBILE") and _AMERICAN.fullmatch(canonical)
    national = american[1] if american else canonical
    taiwans = value.entity == "TW_PHONE" and _TAIWANS.fullmatch(canonical)
    national = taiwans[1] if taiwans else national
    for written in sorted({plain, canonical, national}):
        if value.entity == "EMAIL_ADDRESS":
            yield from ((form, words) for form in _spelt(written))
        number = compact(written).lower()
        digits = len(digits_of(number))
        if digits >= _FEWEST_DIGITS and len(number) - digits <= 1 and written.isascii():
            yield number, numbers
        elif _is_told_apart(word := _compared(written, _BETWEEN_LETTERS)[0]):
            yield word, words


def _spelt(address: str) -> Iterator[str]:
    """How an address is said: zhang at qq dot com, zhang艾特qq点com; the dots of the name may stay."""
    name, at, domain = address.lower().rpartition("@")
    for said, dot in _SAID if at else ():
        spelt = domain.replace(".", dot)
        for written in (name + said + domain, name + said + spelt, name.replace(".", dot) + said + spelt):
            yield _compared(written, _BETWEEN_LETTERS)[0]


def _called(folded: Folded, parts: Mapping[str, int]) -> Iterator[Trace]:
    """The places at which a part of a name stands for somebody."""
    text = folded.text
    for match in (*_HYPHENED.finditer(text), *_WORD.finditer(text)):
        small = match[0].lower()
        known = small if small in parts else _without_accents(small)
        if known in parts and (match[0][0].isupper() or is_given(small)):
            yield Trace(*folded.span(*match.span()), parts[known])
    yield from (Trace(*folded.span(start, end), parts[surname]) for start, end, surname in called(text, parts))


def _with_initial(folded: Folded, initials: Mapping[str, int]) -> Iterator[Trace]:
    """The places of a given name of which so far the initial is known: Kwame, beside K. Moreau."""
    for match in _WORD.finditer(folded.text):
        if match[0][0] in initials and match[0][1:].islower() and is_given(match[0]):
            yield Trace(*folded.span(*match.span()), initials[match[0][0]])


def _by_letters(folded: Folded, parts: Mapping[str, int]) -> Iterator[Trace]:
    """The places at which a part of a name is spelled letter by letter: S-A-R-A-H."""
    for match in _LETTERS_APART.finditer(folded.text):
        if (number := parts.get("".join(filter(str.isalpha, match[0])).lower())) is not None:
            yield Trace(*folded.span(*match.span()), number)


def _for_short(folded: Folded, short: Mapping[str, int]) -> Iterator[Trace]:
    """The places at which the short form of a given name stands for somebody; of a word, where he is called."""
    text = folded.text
    for match in _SHORT_WORD.finditer(text):
        number = short.get(match[0].lower())
        if number is None or (match[0] in words_as_names() and not _is_spoken_of(text, *match.span())):
            continue
        yield Trace(*folded.span(*match.span()), number)


def _is_spoken_of(text: str, start: int, end: int) -> bool:
    """Whether what is a word as well stands for somebody: Tell Bill, thanks, Bill, and Bill needs, but not the bill."""
    if _NOT_CALLED.search(text, max(0, start - _SAID_BEFORE), start):
        return False
    return bool(_CALLS.search(text, max(0, start - _SAID_BEFORE), start) or _ACTS.match(text, end))


def _titled(folded: Folded, short: Mapping[str, int]) -> Iterator[Trace]:
    """The places at which a name of two letters stands for somebody."""
    for match in _TITLED.finditer(folded.text):
        group = 1 if match[1] else 2
        if match[group].lower() in short and (group == 1 or match[2] not in _SHORT_WORDS):
            yield Trace(*folded.span(*match.span(group)), short[match[group].lower()])


def _without_accents(word: str) -> str:
    """Jose of José: who types a name without the signs of its language leaves them out."""
    spread = unicodedata.normalize("NFD", word.translate(_STROKES))
    return "".join(char for char in spread if not unicodedata.combining(char))


def _is_told_apart(word: str) -> bool:
    return not word.isdigit() and len(word) >= (_FEWEST_LETTERS if word.isascii() else _FEWEST_OTHERS)


class _Small(dict[int, str | None]):
    """A table for `str.translate` that makes of a text what `_compared` makes of it; filled as characters are met."""

    def __init__(self, between: re.Pattern[str]) -> None:
        self._between = between

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        lower = char.lower()
        small = None if self._between.match(char) else lower if len(lower) == 1 else char
        self[code] = small
        return small


_NO_LINES, _NO_LETTERS = _Small(_BETWEEN_LINES), _Small(_BETWEEN_LETTERS)


def _compared(text: str, between: re.Pattern[str]) -> tuple[str, list[int]]:
    """A text in small letters without what stands between its characters, and where each of them was."""
    kept = [at for at, char in enumerate(text) if not between.match(char)]
    small = ((text[at], text[at].lower()) for at in kept)
    return "".join(lower if len(lower) == 1 else char for char, lower in small), kept


def _has_small(text: str, trace: Trace) -> bool:
    """Whether a word of a place begins with a small letter."""
    return any(word[0].islower() for word in _WORD.findall(text[trace.start : trace.end]))


def _find(folded: Folded, forms: Mapping[str, int], between: re.Pattern[str]) -> Iterator[Trace]:
    """The places of the text at which one of the forms stands, as no part of a longer number or word."""
    text, kept = _compared(folded.text, between)
    in_number = between is not _BETWEEN_LETTERS
    for start, form in _matches(text, list(forms)):
        first, last = kept[start], kept[start + len(form) - 1]
        lined = len(form) >= _FEWEST_MIXED and "_" in folded.text[first:last]  # no word has lin_fmwhez
        begins = len(form) >= _FEWEST_MIXED and _begins_anew(folded.text, last + 1)
        may_touch = in_number or lined or _is_mixed(form)
        if not any(
            _goes_on(folded.text, at, step, may_touch=may_touch or (begins and step > 0))
            for at, step in ((first, -1), (last, 1))
        ):
            yield Trace(*folded.span(first, last + 1), forms[form])


def _matches(text: str, forms: list[str]) -> Iterator[tuple[int, str]]:
    """Every place of every form; of many by Aho-Corasick: a record may hold thousands of values."""
    if len(forms) <= _FEW or not text:
        for form in forms:
            at = text.find(form)
            while at >= 0:
                yield at, form
                at = text.find(form, at + 1)
        return
    column = pl.Series([text])
    (offsets,) = column.str.find_many(forms, overlapping=True)
    (found,) = column.str.extract_many(forms, overlapping=True)
    encoded, at, byte = text.encode(), 0, 0
    for offset, form in sorted(zip(offsets, found, strict=True)):
        at, byte = at + len(encoded[byte:offset].decode()), offset
        yield at, form


def _is_mixed(form: str) -> bool:
    """Whether no word holds this by chance: letters and digits, as in a handle or a passport."""
    digits = len(digits_of(form))
    fewest = 1 if len(form) >= _LONG_MIXED else _FEWEST_OTHERS
    return len(form) >= _FEWEST_MIXED and fewest <= digits < len(form)


def _begins_anew(text: str, at: int) -> bool:
    """Whether a capital follows small letters: the next sentence begins without a blank (vxmzyoauyI want …)."""
    return text[at - 1 : at].islower() and text[at : at + 1].isupper()


def _goes_on(text: str, at: int, step: int, *, may_touch: bool) -> bool:
    """Whether the number or Latin word whose edge is at `at` goes on beyond it; letters may touch a number."""
    beside = text[at + step : at + step + 1] if at + step >= 0 else ""
    if not (beside.isascii() and beside.isalnum()):
        return False
    if text[at].isdigit() and beside.isdigit():
        before = text[max(0, at - _PREFIX_LENGTH) : at]
        american = _AMERICAN_PREFIX.search(before) and _AMERICAN_APART.match(text, at)
        return not (step < 0 and (_PREFIX.search(before) or american))
    return not may_touch and text[at].isascii() and text[at].isalpha() and beside.isalpha()
