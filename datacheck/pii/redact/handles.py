"""What people call themselves in mailboxes, paths and logs: nadia.petrov, petrov_n90, npetrov of Nadia Petrov.

Both names side by side are theirs wherever they stand. An initial and a surname in one may be a word (B. Read), as
two syllables of a Chinese name may be (tangyu), so they count where a name of a user stands: behind a sign of a path,
before @, or with a low line or digits in or behind them.
"""

import re
from collections.abc import Iterator
from itertools import combinations

from datacheck.pii.normalise import Folded
from datacheck.pii.recognizers.person import SURNAME_AND_GIVEN
from datacheck.pii.redact import spelt

_FEWEST = 4  # letters of a name of a user; fewer are any word
_TOKEN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]+(?:[._\-][A-Za-z]+){0,2}(?:[._\-]?[0-9]{1,4})?(?![A-Za-z0-9])")
_PART = re.compile("[A-Za-z]+")
_BEFORE = frozenset("@/\\=_~")


class Handles:
    """Looks for the names of users that some people have."""

    def __init__(self) -> None:
        self._whole: dict[str, int] = {}
        self._initials: dict[str, int] = {}
        self._pairs: dict[tuple[str, ...], int] = {}

    def add(self, name: str, number: int) -> None:
        """Look for those of an English name, the surname first or last."""
        first, comma, last = name.partition(",")
        words = [re.sub("[^a-z]", "", word) for word in (f"{last} {first}" if comma else name).lower().split()]
        words = [word for word in words if len(word) > 1]
        if len(words) > 1:
            self._add([words[0]], words[-1], {words[0][0]}, number)

    def add_person(self, name: str, number: int) -> None:
        """Look for those of a name of either kind."""
        match = SURNAME_AND_GIVEN.fullmatch("".join(name.split()))
        if match is None:
            self.add(name, number)
        else:
            self.add_chinese(match[1], match[2], number)

    def add_chinese(self, surname: str, given: str, number: int) -> None:
        """Look for those of a Chinese name as it is spelt."""
        for syllables in spelt.spellings(surname, given):
            last, rest = "".join(syllables[: len(surname)]), syllables[len(surname) :]
            self._add([], last, {"".join(each[0] for each in rest)}, number)
            self._initials.setdefault(last + "".join(rest), number)  # two syllables may be a word: tangyu

    def _add(self, given: list[str], surname: str, initials: set[str], number: int) -> None:
        for word in given:
            self._whole.setdefault(surname + word, number)
            self._whole.setdefault(word + surname, number)
        for short in initials:
            for one, two in ((short, surname), (surname, short)):
                if len(one + two) >= _FEWEST:
                    self._pairs.setdefault((one, two), number)
                    self._initials.setdefault(one + two, number)

    def find(self, folded: Folded) -> Iterator[tuple[int, int, int]]:
        """The places (code points of the text, end exclusive) at which somebody's stands, with his number."""
        if not self._pairs:
            return
        text = folded.text
        for match in _TOKEN.finditer(text):
            parts = [part.span() for part in _PART.finditer(text, *match.span())]
            for some in (parts[first:last] for first, last in combinations(range(len(parts) + 1), 2)):
                start, end = some[0][0], some[-1][1]
                words = tuple(text[slice(*part)].lower() for part in some)
                if (number := self._of(words, is_user=self._is_user(text, match))) is not None:
                    yield *folded.span(start, match.end() if some[-1] == parts[-1] else end), number

    def _of(self, words: tuple[str, ...], *, is_user: bool) -> int | None:
        """Whose name of a user some words are."""
        glued = "".join(words)
        known = self._whole.get(glued, self._pairs.get(words))
        return self._initials.get(glued) if known is None and is_user and len(words) == 1 else known

    @staticmethod
    def _is_user(text: str, match: re.Match[str]) -> bool:
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        return before in _BEFORE or after == "@" or match[0][-1].isdigit() or "_" in match[0]
