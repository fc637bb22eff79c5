"""The shape of text on a page or a screen: nothing invisible, nothing endless, lines of a width."""

import re
import unicodedata

from rich.cells import cell_len

TEXT_LIMIT = 400  # characters of any one piece of data in a report
_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")  # letters of no width
# ASCII, dashes and quotes, Chinese punctuation, kana, Han, fullwidth forms: nothing in it needs a closer look.
_SIMPLE = re.compile(r"[ -~\u2010-\u2027\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uff01-\uff5e]*")
# Where a line may break: at spaces, and around every wide character and dash; not inside a word of another script.
_TOKEN = re.compile(
    r"\s+|[^\s\u1100-\u11ff\u2010-\u203f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
    r"\U0001f000-\U0003ffff]+|\S"
)
_NO_LINE_START = frozenset("，。、；：？！）》」』】”’…,.;:?!)]}")
_STACK = 3  # combining marks on one letter; more of them climb over the lines above


def visible(text: str, limit: int = TEXT_LIMIT) -> str:
    r"""Write what is invisible or steers the display as ``\u{…}`` and cut after `limit` characters.

    That is: control, format (bidi, zero width), surrogate, private, unassigned and line-separating characters, Hangul
    fillers, and the fourth combining mark on one letter.
    """
    if _SIMPLE.fullmatch(text, 0, limit + 1):
        return text if len(text) <= limit else text[:limit] + "…"
    out: list[str] = []
    length = marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        form = _form(char, hidden=marks > _STACK)
        length += len(form)
        if length > limit:
            return "".join(out) + "…"
        out.append(form)
    return "".join(out)


def _form(char: str, *, hidden: bool) -> str:
    hidden = hidden or unicodedata.category(char) in _INVISIBLE or char in _FILLERS
    return f"\\u{{{ord(char):x}}}" if hidden else char


def wrap(text: str, width: int) -> list[str]:
    """Break `text` into lines of at most `width` cells: at spaces, between wide characters, inside long words."""
    lines, line = [], ""
    for token in _tokens(text):
        if cell_len(line) + cell_len(token.rstrip()) <= width:
            line += token
            continue
        lines.append(line.rstrip())
        line = token.lstrip()
        while cell_len(line) > width:
            head = fit(line, width)
            lines.append(head)
            line = line[len(head) :]
    return [done for done in (*lines, line.rstrip()) if done]


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        if tokens and (match[0] in _NO_LINE_START or unicodedata.combining(match[0][0])):
            tokens[-1] += match[0]
        else:
            tokens.append(match[0])
    return tokens


def fit(text: str, width: int) -> str:
    """The longest beginning of `text` that is at most `width` cells wide, and at least one character."""
    used = 0
    for at, char in enumerate(text):
        used += cell_len(char)
        if used > width and at:
            return text[:at]
    return text


def shorten(text: str, width: int) -> str:
    """`text` in at most `width` cells, with … where it was cut."""
    return text if cell_len(text) <= width else fit(text, width - 1).rstrip() + "…"
