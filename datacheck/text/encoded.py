r"""Text that stands encoded inside a text, made readable: `\u4f60`, `&#20320;`, `%E4%BD%A0`, `\n`, tags of HTML.

Every code point stays where it is: what was encoded is written there and filled up with spaces, so that a place in the
readable text is the same place in the text as it was written.
"""

import html
import re

import numpy as np
import polars as pl

from datacheck.text.arrays import Int64s

# What a text has that is worth a closer look: all of it is found at several GB/s.
_SIGNS = r"\\[uxnr]|&(?:#|lt;|gt;|quot;|amp;|nbsp;)|%[Ee2]|</|<br"
# Every branch begins with a character of its own, for which Python looks first.
_ENCODED = re.compile(
    r"\\\\{0,7}(?:(?P<json>u[0-9a-fA-F]{4}(?:\\{1,8}u[0-9a-fA-F]{4})*)"
    r"|(?P<bytes>x[0-9a-fA-F]{2}(?:\\{1,8}x[0-9a-fA-F]{2})*)"
    r"|(?P<line>[nrt](?![a-z])))"  # not LaTeX's \nu, \rho and \times
    r"|&(?P<html>(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos|nbsp);)"
    r"|%(?P<percent>[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*)"
    r"|<(?P<tag>/?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,500})?/?>)"
)
_NO_DIGITS = str.maketrans("", "", "\\ux%")


def encoded(texts: pl.Series) -> Int64s:
    """Return which texts may have something encoded in them."""
    return texts.str.contains(_SIGNS).fill_null(value=False).arg_true().to_numpy().astype(np.int64)


def readable(text: str) -> str:
    """Return a text of the same length in which nothing is encoded any more; what cannot be decoded stays."""
    return _ENCODED.sub(_decoded, text)


def _decoded(found: re.Match[str]) -> str:
    run, kind = found[0], found.lastgroup
    if kind == "html":
        return _spread(html.unescape(run), len(run))
    if kind not in ("json", "bytes", "percent"):
        return " " * len(run)
    code = bytes.fromhex(run.translate(_NO_DIGITS))
    try:
        return _spread(code.decode("utf-16-be", "replace") if kind == "json" else code.decode(), len(run))
    except UnicodeDecodeError:
        return run


def _spread(text: str, length: int) -> str:
    """Return `text` with spaces behind each code point, `length` in all; it is never longer than that."""
    between = " " * (length // max(len(text), 1) - 1)
    return between.join(text).ljust(length)
