"""Whether a block that says that it is Python can be read as Python 3."""

import ast
import itertools
import re
import textwrap
import warnings
from typing import NamedTuple

LONGEST = 50_000  # characters of a block that is read
# Not meant to be a program: a session of an interpreter or a shell, a diff, Python 2.
_SESSION = re.compile(r"(?m)^\s*(?:>>>|In \[\d*\]:|\$ |%%?\w|!\w|pip3? install |python3? \S|conda |git |@@ )")
_OLD = re.compile(
    r"(?m)^\s*print\s+[^(\s=.\[]|^\s*exec\s+[\"']|except\s+[\w.]+\s*,\s*\w+\s*:|^\s*raise\s+\w+\s*,|\braw_input\("
    r"|\bxrange\(|\bur[\"']|\b0[0-7]+\b|^\s*import urllib2"
)
# A line that leaves something out, or speaks in signs of no language.
_SKETCH = re.compile(
    r"\.\.\.|…|<\s*[A-Za-z][\w ,./-]*>|\{\{|:=|=>|->\s*$|[≥≤→←∈∞×÷≠√∑]|^\s*[+-] |^\s*(?:Output|Result|Input|输出|结果)"
)
_NEWER = re.compile(r"^\s*(?:class|def)\s+\w+\[|^\s*type\s+\w+\s*=|[fF][\"']")  # than the Python that reads it here
_EMPTY_BODY = re.compile(r":\s*(?:#.*)?$")
_SKELETON = "expected an indented block"
_KINDS = (
    ("lost_indent", ("indent",)),
    ("cut_code", ("was never closed", "unexpected EOF", "unterminated")),
    ("escaped_code", ("line continuation",)),
)


# Heads of blocks that no prose has, and what stands in the first line of a block.
_HEAD = re.compile(
    r"(?:(?:async )?def \w+ ?\(.*\)(?: ?->[^:]+)?|class \w+(?:\(.*\))?|for \w+(?:, ?\w+)* in .+|while .+|with .+ as \w+"
    r"|(?:el)?if .+|else|try|except(?: .+)?|finally) ?:\s*(?:#.*)?$"
)
_BODY = re.compile(
    r"[\w.\[\]'\", ]+ ?(?:[-+*/%|&]|//|\*\*)?= ?\S|(?:return|raise|yield|import|from|del|global|assert)\b"
    r"|[\w.]+\(.*\)\s*(?:#.*)?$|(?:pass|break|continue)\s*(?:#.*)?$"
    r"|(?:for|while|if|with|try|def)\b.*:\s*(?:#.*)?$|\"\"\"|'''"
)
# A program whose lines were joined: how it begins, and statements that stand behind a blank.
_JOINED = re.compile(r"(?P<sure>@\w|def \w+ ?\(|class \w+ ?[(:]|import \w|from [\w.]+ import )|#|[a-z_]\w* ?= ?\S")
_STATEMENTS = tuple(
    re.compile(rf"(?<=\s){each}")
    for each in (
        r"def \w+ ?\([^)\n]*\)(?: ?->[^:]+)?:",
        r"class \w+ ?(?:\([^)\n]*\))?:",
        r"(?:import [\w.]+|from [\w.]+ import \w)",
        r"for \w+(?:, ?\w+)* in [^:]+:",
        r"while [^:]+:",
        r"if [^:]+:",
        r"return\b",
        r"print\(",
        r"[a-z_]\w* ?[-+*]?= ?[\w\[{('\"]",
        r"(?:else|try):",
    )
)
_LEAST = 2  # kinds of them behind a heading or an equation, which may be prose: `x = 3 and y = 4`


class BrokenBlock(NamedTuple):
    """What keeps Python from reading a block: its kind, the line (from 1) and what stands there."""

    kind: str
    line: int
    text: str


def is_judged(code: str) -> bool:
    """Whether a block is meant to be a whole piece of Python 3, of a size that is read."""
    sized = bool(code.strip()) and len(code) <= LONGEST and "\0" not in code
    return sized and not _SESSION.search(code) and not _OLD.search(code)


def fault(code: str) -> BrokenBlock | None:
    """The first fault of a block; None where there is none, or where it was left unfinished on purpose."""
    lines = textwrap.dedent(code).splitlines()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join(lines))
    except SyntaxError as error:
        return _fault(lines, error)
    except (ValueError, MemoryError, RecursionError):  # too deep for the parser: nobody knows
        return None
    return None


def _fault(lines: list[str], error: SyntaxError) -> BrokenBlock | None:
    number = min(max(error.lineno or 1, 1), len(lines))
    text, said = lines[number - 1], error.msg
    near = "\n".join(lines[max(0, number - 2) : number])
    if _SKETCH.search(near) or _NEWER.search(text) or "f-string" in said or said.startswith("too many"):
        return None
    if _SKELETON in said and _is_skeleton(lines, number):
        return None
    kind = next((kind for kind, words in _KINDS if any(word in said for word in words)), "no_python")
    return BrokenBlock(kind, number, text.strip())


def _is_skeleton(lines: list[str], number: int) -> bool:
    """Whether a body has nothing but a comment, or nothing at all to the end: the reader is to write it."""
    shown = lines[number - 1].strip()
    if not any(line.strip() for line in lines[number:]) and (shown.startswith("#") or _EMPTY_BODY.search(shown)):
        return True
    heads = [n for n in range(number - 1) if _EMPTY_BODY.search(lines[n])]
    return any(line.strip().startswith("#") for line in lines[heads[-1] + 1 : number - 1]) if heads else False


def unindented(text: str) -> BrokenBlock | None:
    """The first head of a block, in a text without fences, behind which nothing is indented."""
    lines = [line.expandtabs(8) for line in text.splitlines()]
    told = [(n, line) for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    for (n, head), (_, body) in itertools.pairwise(told):
        if _depth(body) <= _depth(head) and _HEAD.match(head.lstrip()) and _BODY.match(body.lstrip()):
            return BrokenBlock("unindented", n + 1, head.strip())
    return None


def joined(text: str) -> BrokenBlock | None:
    """A text of one line that is a program of several: Python reads none of it, or a comment that swallows the rest."""
    line = text.strip()
    begun = _JOINED.match(line) if "\n" not in line and len(line) <= LONGEST else None
    if begun is None or sum(bool(each.search(line)) for each in _STATEMENTS) < (1 if begun["sure"] else _LEAST):
        return None
    return BrokenBlock("one_line", 1, line) if line.startswith("#") or fault(line) else None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
