"""Where terms of word lists stand."""

import re

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.text.normalise import normalise
from datacheck.text.rules import Rule

_LATIN = re.compile(r"[0-9a-z]")
_HIDDEN = r"[\p{Cf}\u{34f}\u{fe00}-\u{fe0f}]"  # format characters, joiners, variation selectors: nobody sees them


class TermHits(Feature):
    """`row`, `path`, `category`: one line per text and category with a hit.

    Every text of a row is looked at, and every tool call. polars' Aho-Corasick proposes texts; only those are searched
    for whole words.
    """

    columns = {"row": pl.UInt32, "path": pl.String, "category": pl.String}

    terms: tuple[tuple[str, tuple[str, ...]], ...]
    lists: tuple[tuple[str, str], ...]  # category, dataset
    normalise: tuple[Rule, ...]

    def needs(self) -> tuple[Need, ...]:
        """The lists."""
        return tuple(Need("turns", of=name) for _, name in self.lists)

    def compute(self, part: View) -> pl.DataFrame:
        """Search category by category."""
        called = pl.col("path").str.replace(r"\.(?:content|value)$", ".tool_calls")
        said = [
            part.turns.filter(pl.col(name).str.len_bytes() > 0).select("row", path=path, text=name)
            for name, path in (("text", pl.col("path")), ("tool_calls", called))
        ]
        texts = pl.concat(said).collect()
        plain = texts.with_columns(normalise(texts["text"].str.replace_all(_HIDDEN, ""), self.normalise))
        found = [pl.DataFrame(schema=self.columns)]
        for category, terms in self._categories(part):
            maybe = plain.filter(pl.col("text").str.contains_any(terms))
            hit = [_holds(text, terms) for text in maybe["text"]]
            lines = maybe.filter(pl.Series(hit, dtype=pl.Boolean)).select("row", "path", category=pl.lit(category))
            found.append(lines)
        return pl.concat(found).sort("row", "path", "category")

    def _categories(self, part: View) -> list[tuple[str, list[str]]]:
        listed = [(category, part[Need("turns", of=name)].collect()["text"].to_list()) for category, name in self.lists]
        every = [(category, list(terms)) for category, terms in self.terms] + listed
        plain = [(category, self._plain(terms)) for category, terms in every]
        return [(category, terms) for category, terms in plain if terms]

    def _plain(self, terms: list[str | None]) -> list[str]:
        """Normalised, without those of which nothing is left."""
        written = pl.Series(terms, dtype=pl.String).drop_nulls().str.replace_all(_HIDDEN, "")
        plain = normalise(written, self.normalise).str.strip_chars()
        return plain.filter(plain != "").unique(maintain_order=True).to_list()


def _holds(text: str, terms: list[str]) -> bool:
    """Whether a term stands there, Latin ones as words of their own."""
    for term in terms:
        if term not in text:
            continue
        before = r"(?<![0-9a-z])" if _LATIN.match(term[0]) else ""
        after = r"(?![0-9a-z])" if _LATIN.match(term[-1]) else ""
        if (not before and not after) or re.search(before + re.escape(term) + after, text):
            return True
    return False
