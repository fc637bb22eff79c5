r"""`\b` as texts of mixed scripts need it.

Of Unicode, 用html写 is one word, so that `\bhtml\b` does not find it; and the engine of polars (Rust's regex) leaves
its fast automaton at the first character that is not ASCII: a pattern with one such edge reads Chinese 50 × slower.
"""

import re
from collections.abc import Iterable

from datacheck.text.chinese import in_both_scripts

_EDGE = re.compile(r"(?<!\\)(?<!\(\?-u:)\\b")


def ascii_edges(pattern: str) -> str:
    r"""Turn each `\b` of a pattern (Rust regex) into an edge of ASCII; its Chinese is of both scripts then."""
    return in_both_scripts(_EDGE.sub(lambda edge: f"(?-u:{edge[0]})", pattern))


def for_python(pattern: str) -> str:
    r"""A pattern with edges of ASCII as Python's `re` reads it: with `\b`."""
    return pattern.replace(r"(?-u:\b)", r"\b")


def either(patterns: Iterable[str]) -> str:
    """One pattern for several: of those that begin with `^`, a text is entered once instead of once for each."""
    return "|".join(f"(?:{pattern})" for pattern in patterns)
