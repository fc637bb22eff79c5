"""jieba's part-of-speech tagger, with as much of its dictionary as the texts at hand ask for.

The whole dictionary takes 1.4 s and 100 MB in every process, for the few windows that are tagged. A word that jieba
looks up stands in the text: so the words whose first two characters do are read before it.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import polars as pl

from datacheck.pii.hidden import is_own_process
from datacheck.pii.tag_route import TagModel

if TYPE_CHECKING:
    from jieba.posseg import pair

_LONGEST = 5  # characters of an entry that is asked for


class Tagger:
    """Cuts and tags as `jieba.posseg.cut` does."""

    def __init__(self) -> None:
        jieba, posseg = modules()

        class Empty(posseg.POSTokenizer):  # type: ignore[name-defined, misc] # jieba has no types
            """One that knows no words yet."""

            def load_word_tag(self, file: BinaryIO) -> None:
                """Take the dictionary as it is."""
                file.close()
                self.table = dictionary()
                self.word_tag_tab: dict[str, str] = {}

            def _POSTokenizer__cut(self, block: str) -> "Iterator[pair]":  # noqa: N802 - jieba's name for its own
                """Cut characters that are no word as jieba does, by a faster way to its route."""
                route, begin = model.route(block), 0
                for end, (place, tag) in enumerate(route, 1):
                    if place in "ES":
                        yield posseg.pair(block[begin:end], tag)
                        begin = end
                if begin < len(block):
                    yield posseg.pair(block[begin:], route[begin][1])

        model = TagModel(posseg.char_state_tab_P, posseg.start_P, posseg.trans_P, posseg.emit_P)
        self._jieba = Empty(jieba.Tokenizer())
        self._begins = self._jieba.table["begins"]
        self._read: set[str] = set()
        self._frequency: dict[str, int] = {}
        # jieba would read a marshalled cache from the common temporary folder, which anybody can write
        words = self._jieba.tokenizer
        words.FREQ, words.total, words.initialized = self._frequency, self._jieba.table["count"].sum(), True

    def cut(self, text: str) -> "Iterator[pair]":
        """Yield the words of a text with their tags (`word`, `flag`)."""
        self.counts(text)
        found: Iterator[Any] = self._jieba.cut(text)
        return found

    def counts(self, text: str) -> dict[str, int]:
        """How often each word that stands in the text is written, and words of other texts; 0 is none."""
        pairs = {text[at : at + 2] for at in range(len(text))}
        asked = (pairs | set(text)) - self._read  # words of one character, too
        if not asked:
            return self._frequency
        self._read |= asked
        begins = pl.Series(list(asked), dtype=pl.String)
        places = (self._begins.search_sorted(begins, side).to_list() for side in ("left", "right"))
        for at, end in zip(*places, strict=True):
            if at < end:
                self._learn(at, end - at)
        return self._frequency

    def _learn(self, at: int, count: int) -> None:
        """Words, and 0 for what only begins one, as jieba has them."""
        for word, frequency, tag, _ in self._jieba.table.slice(at, count).iter_rows():
            self._frequency[word] = frequency
            self._jieba.word_tag_tab[word] = tag
            for start in accumulate(word[:-1]):
                self._frequency.setdefault(start, 0)


@cache
def modules() -> tuple[Any, Any]:
    """Return jieba and its tagger. No thread begins in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba's own invalid escapes, pkg_resources
        import jieba

        with _unread(jieba.dt) if is_own_process() else nullcontext():
            from jieba import posseg
    return jieba, posseg


@contextmanager
def _unread(tokenizer: Any) -> Iterator[None]:
    """Let jieba.posseg's own tagger, which nobody else in this process uses, find an empty dictionary: .4 s."""
    tokenizer.get_dict_file = BytesIO
    try:
        yield
    finally:
        del tokenizer.get_dict_file


@cache
def dictionary() -> pl.DataFrame:
    """The dictionary of jieba (`word`, `count`, `tag`), by `begins` (two characters); jieba is not imported."""
    found = find_spec("jieba")
    places = (found and found.submodule_search_locations) or []
    file = next(Path(place) / "dict.txt" for place in places)
    names = ["word", "count", "tag"]
    table = pl.read_csv(file.read_bytes(), has_header=False, separator=" ", quote_char=None, new_columns=names)
    return table.with_columns(begins=pl.col("word").str.head(2)).sort("begins", maintain_order=True)


def is_entry(word: str) -> bool:
    """Whether it stands in the dictionary as anything but a name."""
    return word in _entries()


@cache
def _entries() -> frozenset[str]:
    size = pl.col("word").str.len_chars()
    return frozenset(dictionary().filter((size <= _LONGEST) & ~pl.col("tag").str.starts_with("nr"))["word"])


@cache
def tagger() -> Tagger:
    """The one of this process."""
    return Tagger()
