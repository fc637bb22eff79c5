"""Whether a value holds prose: what somebody might want a model to read or to write, however short."""

import re

import polars as pl

_CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]"
# Four words one after the other, or eight characters of a script without spaces: prose, however short. Identifiers,
# dates, paths and labels are none, and rows that hold nothing else have no text to be read.
# In a list of objects, which is how conversations are written, two words or characters are enough.
_PROSE = rf"(?:\p{{L}}+[^\p{{L}}\s]*\s+[^\p{{L}}\s]*){{3}}\p{{L}}|(?:{_CJK}\P{{L}}{{0,2}}){{8}}"
_SAID = rf"\p{{L}}\s+\p{{L}}|{_CJK}{{2}}"
_IN_LIST = r"\[\d+\]\."
# The same prose, in Python; at the beginning of a text, where it stands if it does.
_LETTER, _OTHER = r"[^\W\d_]", r"(?:[\d_]|[^\w\s])*"
_SAYS = re.compile(
    rf"(?:{_LETTER}+{_OTHER}\s+{_OTHER}){{3}}{_LETTER}"
    r"|(?:[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af][\W\d_]{0,2}){8}"
)
_BEGINNING = 2_000  # characters
_VALUES = ("[", "{")  # how lists and objects begin
_MARKS, _WORKING = ("####", "boxed{"), 10  # of a final answer, and characters before it from which on they lead to it


def says_something(text: str) -> bool:
    """Whether a gold is something to learn to say (prose, a worked solution), and no value to compare with."""
    if text.lstrip().startswith(_VALUES):
        return False
    return _SAYS.search(text[:_BEGINNING]) is not None or any(text.find(mark, _WORKING) > 0 for mark in _MARKS)


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
