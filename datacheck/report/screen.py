"""A console for our own words: no line begins with data, none is wider than it is read well, no sign is garbled."""

import codecs
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from datacheck.i18n.words import Words
from datacheck.report import shape
from datacheck.status import Status

_COMMAND = re.compile(r"^(\s*):(?=:)")  # GitHub takes commands from the start of a line, and after ##[
_GOES_ON = " \\"
_WIDEST = 100  # lines longer than this are hard to read
STYLES = {
    Status.PASS: "green",
    Status.INFO: "cyan",
    Status.WARN: "yellow",
    Status.FAIL: "bold red",
    Status.ERROR: "bold magenta",
}


@dataclass(frozen=True)
class _Signs:
    marks: dict[Status, str]
    full: str
    empty: str
    swaps: dict[str, str]


_UNICODE = _Signs(
    {Status.PASS: "✔", Status.INFO: "•", Status.WARN: "▲", Status.FAIL: "✖", Status.ERROR: "?"}, "█", "░", {}
)
_PLAIN = _Signs(
    {Status.PASS: "+", Status.INFO: "-", Status.WARN: "!", Status.FAIL: "x", Status.ERROR: "?"},
    "#",
    ".",
    {"≤": "<=", "≥": ">=", "–": "-", "…": "..."},
)


@dataclass(frozen=True)
class Screen:
    """A console, its width, and what it can shape."""

    console: Console
    words: Words
    width: int
    signs: _Signs

    def safe(self, text: str) -> str:
        r"""Nothing invisible; what the console cannot encode as ``\x…``; no command to a CI system."""
        shown = _COMMAND.sub(r"\1\\u{3a}", shape.visible(text)).replace("##[", "#\\u{23}[")
        for sign, plain in self.signs.swaps.items():
            shown = shown.replace(sign, plain)
        return shown.encode(self.console.encoding, "backslashreplace").decode(self.console.encoding)

    def short(self, text: str, width: int) -> str:
        """A name for the start of a line, in at most `width` cells."""
        text = self.safe(text)
        dots = "…" if self.signs is _UNICODE else "..."
        return text if cell_len(text) <= width else shape.fit(text, width - len(dots)) + dots

    def line(self, text: str = "", style: str = "", head: str = "", label: str = "", gutter: str | None = None) -> None:
        """Print `head` in `style`, `label`, `text` wrapped; further lines begin with `gutter`, by default blanks."""
        head, label, shown = self.safe(head), self.safe(label), self.safe(text)
        gutter = " " * cell_len(head + label) if gutter is None else gutter
        room = max(self.width - max(cell_len(head + label), cell_len(gutter)), 12)
        for index, part in enumerate(shape.wrap(shown, room) or [""]):
            blank = gutter[:-2] + "| " if _COMMAND.match(part) else gutter
            start = [(head, style), label] if index == 0 else [blank]
            line = Text.assemble(*start, part)
            self.console.print(line, soft_wrap=True, highlight=False)

    def command(self, command: str) -> None:
        """Print what is to be typed. Where it does not fit it goes on with an option, as a shell reads it."""
        pieces = [""]
        for word in shlex.split(command):
            pieces += [""] if word.startswith("--") else []
            pieces[-1] += f" {self.safe(shlex.quote(word))}"
        line = " " + pieces[0]
        for piece in pieces[1:]:
            if cell_len(line + piece) > self.width - len(_GOES_ON):
                self.console.print(Text(line + _GOES_ON), soft_wrap=True, highlight=False)
                line = "   "
            line += piece
        self.console.print(Text(line), soft_wrap=True, highlight=False)

    def heading(self, text: str) -> None:
        """Print a heading after an empty line."""
        self.line()
        self.line(head=text, style="bold")

    def table(self, rows: Sequence[tuple[str, str, str, str]]) -> None:
        """Print rows of (head, its style, name, text), texts below each other; a long name gets a line of its own."""
        widest = max((cell_len(self.safe(name)) for _, _, name, _ in rows), default=0)
        width = min(widest, 36, self.width // 2 - 6)
        for head, style, name, text in rows:
            room = width - cell_len(self.safe(name)) + 2
            if room < 2:
                self.line(name, style, head)
                self.line(text, head=" " * (cell_len(head) + width + 2))
            else:
                self.line(text, style, head, name + " " * room)


def make_screen(console: Console, words: Words) -> Screen:
    """What may be printed on a console: at most 100 cells wide, signs that it can encode."""
    return Screen(console, words, max(min(console.width, _WIDEST), 40), _signs(console.encoding))


def _signs(encoding: str) -> _Signs:
    """Signs beyond ASCII only where the console speaks Unicode: a GBK console draws them twice as wide, or not."""
    return _UNICODE if codecs.lookup(encoding).name.startswith("utf-") else _PLAIN
