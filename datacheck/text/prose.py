"""Whether a value holds prose: what somebody might want a model to read or to write, however short."""

import polars as pl

_CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]"
# Four words one after the other, or eight characters of a script without spaces: prose, however short. Identifiers,
# dates, paths and labels are none, and rows that hold nothing else have no text to be read.
# In a list of objects, which is how conversations are written, two words or characters are enough.
_PROSE = rf"(?:\p{{L}}+[^\p{{L}}\s]*\s+[^\p{{L}}\s]*){{3}}\p{{L}}|(?:{_CJK}\P{{L}}{{0,2}}){{8}}"
_SAID = rf"\p{{L}}\s+\p{{L}}|{_CJK}{{2}}"
_IN_LIST = r"\[\d+\]\."


def is_prose(*, brief: bool = True) -> pl.Expr:
    """Whether a cell (columns `path`, `json_type`, `text`) holds prose; `brief`: two words of a list's object do."""
    text, listed = pl.col("text"), in_list() & brief
    return (pl.col("json_type") == "string") & (text.str.contains(_PROSE) | (listed & text.str.contains(_SAID)))


def top_key() -> pl.Expr:
    """The top-level key of a cell's `path`."""
    return pl.col("path").str.extract(r"^([^.\[]*)")


def in_list() -> pl.Expr:
    """Whether a cell stands in an object of a list."""
    return pl.col("path").str.contains(_IN_LIST)


def any_item() -> pl.Expr:
    """A cell's `path` for all items of its lists: `messages[].reasoning_content`."""
    return pl.col("path").str.replace_all(r"\[\d+\]", "[]")
