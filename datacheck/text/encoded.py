r"""Text that stands encoded inside a text, made readable: `\u4f60`, `&#20320;`, `%E4%BD%A0`, `\n`, tags of HTML.

Every code point stays where it is: what was encoded is written there and filled up with spaces, so that a place in the
readable text is the same place in the text as it was written.
"""

import html
import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

# What a text has that is worth a closer look. Literals: all of them together are found at several GB/s.
_SIGNS = [
    "\\u", "\\x", "\\n", "\\r", "&#", "&lt;", "&gt;", "&quot;", "&amp;", "&nbsp;", "%E", "%e", "%20", "</", "<br",
]  # fmt: skip
_ENCODED = re.compile(
    r"(?P<json>(?:\\{1,8}u[0-9a-fA-F]{4})+)"
    r"|(?P<line>\\{1,8}[nrt](?![a-z]))"  # not LaTeX's \nu, \rho and \times
    r"|(?P<html>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos|nbsp);)"
    r"|(?P<bytes>(?:%[0-9a-fA-F]{2})+|(?:\\{1,8}x[0-9a-fA-F]{2})+)"
    r"|(?P<tag></?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,500})?/?>)"
)


def encoded(texts: pl.Series) -> NDArray[np.int64]:
    """Return which texts may have something encoded in them."""
    return texts.str.contains_any(_SIGNS).fill_null(value=False).arg_true().to_numpy().astype(np.int64)


def readable(text: str) -> str:
    """Return a text of the same length in which nothing is encoded any more; what cannot be decoded stays."""
    return _ENCODED.sub(_decoded, text)


def _decoded(found: re.Match[str]) -> str:
    run = found[0]
    if found.lastgroup == "json":
        units = bytes.fromhex("".join(re.findall(r"u([0-9a-fA-F]{4})", run)))
        return _spread(units.decode("utf-16-be", "replace"), len(run))
    if found.lastgroup == "html":
        return _spread(html.unescape(run), len(run))
    if found.lastgroup == "bytes":
        try:
            return _spread(bytes.fromhex("".join(re.findall(r"[0-9a-fA-F]{2}", run))).decode(), len(run))
        except UnicodeDecodeError:
            return run
    return " " * len(run)


def _spread(text: str, length: int) -> str:
    """Return `text` with spaces behind each code point, `length` in all; it is never longer than that."""
    between = " " * (length // max(len(text), 1) - 1)
    return "".join(char + between for char in text).ljust(length)
