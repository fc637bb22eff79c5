"""jieba's part-of-speech tagger, with as much of its dictionary as the texts at hand ask for.

The whole dictionary takes 1.4 s and 100 MB in every process, for the few windows that are tagged. A word that jieba
looks up begins with a character of the text: so the words that begin with those characters are read before it.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any, BinaryIO

import polars as pl

from datacheck.pii.hidden import is_own_process

if TYPE_CHECKING:
    from jieba.posseg import pair


class Tagger:
    """Cuts and tags as `jieba.posseg.cut` does."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # jieba's own invalid escapes, pkg_resources
            import jieba

            with _unread(jieba.dt) if is_own_process() else nullcontext():
                from jieba import posseg

        class Empty(posseg.POSTokenizer):  # type: ignore[misc] # jieba has no types
            """One that knows no words yet."""

            def load_word_tag(self, file: BinaryIO) -> None:
                """Take the dictionary as it is."""
                with file:
                    self.table, self.places = _words(file.read())
                self.word_tag_tab: dict[str, str] = {}

        self._jieba = Empty(jieba.Tokenizer())
        self._unread = {first: (at, count) for first, at, count in self._jieba.places.iter_rows()}
        self._frequency: dict[str, int] = {}
        # jieba would read a marshalled cache from the common temporary folder, which anybody can write
        words = self._jieba.tokenizer
        words.FREQ, words.total, words.initialized = self._frequency, self._jieba.table["count"].sum(), True

    @property
    def words(self) -> pl.DataFrame:
        """All of the dictionary: word, count, tag."""
        table: pl.DataFrame = self._jieba.table
        return table

    def cut(self, text: str) -> "Iterator[pair]":
        """Yield the words of a text with their tags (`word`, `flag`)."""
        for first in set(text) & self._unread.keys():
            self._learn(*self._unread.pop(first))
        found: Iterator[Any] = self._jieba.cut(text)
        return found

    def _learn(self, at: int, count: int) -> None:
        """Words, and 0 for what only begins one, as jieba has them."""
        for word, frequency, tag in self._jieba.table.slice(at, count).iter_rows():
            self._frequency[word] = frequency
            self._jieba.word_tag_tab[word] = tag
            for start in accumulate(word[:-1]):
                self._frequency.setdefault(start, 0)


@contextmanager
def _unread(tokenizer: Any) -> Iterator[None]:
    """Let jieba.posseg's own tagger, which nobody else in this process uses, find an empty dictionary: .4 s."""
    tokenizer.get_dict_file = BytesIO
    try:
        yield
    finally:
        del tokenizer.get_dict_file


def _words(dictionary: bytes) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The lines of the dictionary (`word`, `count`, `tag`) by first character, and where those of each stand."""
    names = ["word", "count", "tag"]
    table = pl.read_csv(dictionary, has_header=False, separator=" ", quote_char=None, new_columns=names)
    table = table.with_columns(first=pl.col("word").str.head(1)).sort("first", maintain_order=True)
    at = table.with_row_index("at").group_by("first", maintain_order=True).agg(pl.col("at").first(), count=pl.len())
    return table.select(names), at


@cache
def tagger() -> Tagger:
    """The one of this process."""
    return Tagger()
