"""What people found on a review sheet: the model of it, and how it is said on the terminal."""

from math import ceil, floor
from typing import Literal

from pydantic import Field
from rich.console import Console

from datacheck.check import Model, Status
from datacheck.i18n.words import WORDS, Lang
from datacheck.report import show
from datacheck.report.screen import STYLES, make_screen


class Stratum(Model):
    """A group of rows: how many there are, were drawn and judged, and in how many the finding was wrong.

    `found`: of flagged rows the false alarms, of unflagged ones those that are bad, which were missed. `low` and
    `high`: the Wilson interval of the rate; equal to it where every row of the group was judged.
    """

    group: str
    slice: str = ""
    kind: Literal["flagged", "unflagged"]
    rows: int
    drawn: int
    judged: int
    found: int
    rate: float | None = None
    low: float | None = None
    high: float | None = None


class Review(Model):
    """A sheet that was read back. `sheet`: the sha256 of its bytes."""

    schema_: Literal["datacheck/review/1"] = Field(default="datacheck/review/1", alias="schema")
    sheet: str
    confidence: float
    strata: tuple[Stratum, ...]

    def to_json(self) -> str:
        """The review as JSON."""
        return self.model_dump_json(by_alias=True, indent=1, exclude_none=True) + "\n"


_LANGS: tuple[Lang, ...] = ("en", "zh")
_PHRASES = {
    "title": ("Review sheet", "抽检结果"),
    "bounds": ("Wilson interval at {}, two-sided", "Wilson 置信区间，双侧 {}"),
    "flagged": ("False alarms among flagged rows", "误杀率（被标记的行中其实没有问题的）"),
    "unflagged": ("Missed among unflagged rows", "漏检率（未被标记的行中其实有问题的）"),
    "rate": (
        "{rate} ({found} of {judged}), between {low} and {high}",
        "{rate}（{found}/{judged}），介于 {low} 与 {high} 之间",
    ),
    "none": ("none found in {judged}, so at most {high}", "抽检 {judged} 行，发现 0 行，上限 {high}"),
    "census": ("{rate} ({found} of {judged}, which is every row)", "{rate}（{found}/{judged}，即全部行）"),
    "whole": ("of {rows} rows, that is {low} to {high} rows", "共 {rows} 行，相当于 {low} 至 {high} 行"),
    "open": ("{} rows have no verdict yet; they do not count", "{} 行尚无结论，未计入"),
    "nothing": ("no row has a verdict", "还没有任何结论"),
    "drawn": ("rows drawn", "抽取的行"),
    "written": ("{} rows, only you can read it", "{} 行，仅本人可读"),
    "how": (
        "write ok, bad or false_alarm into the column verdict, then: datacheck sample --read {}",
        "在 verdict 列填写 ok（正常）、bad（有问题）或 false_alarm（误报），然后运行：datacheck sample --read {}",
    ),
}


def _say(lang: Lang, phrase: str) -> str:
    return _PHRASES[phrase][_LANGS.index(lang)]


def print_drawn(drawn: dict[tuple[str, str], int], console: Console, lang: Lang, file: str) -> None:
    """Print how many rows of each group stand on a new sheet, and what to do with it."""
    screen = make_screen(console, WORDS[lang])
    screen.line(f"{file}  {_say(lang, 'written').format(show.number(sum(drawn.values())))}", "bold")
    screen.heading(_say(lang, "drawn"))
    screen.table([("  ", "", f"{group} {part}".strip(), show.number(count)) for (group, part), count in drawn.items()])
    screen.line()
    screen.line(_say(lang, "how").format(file), head="  ")


def print_review(review: Review, console: Console, lang: Lang) -> None:
    """Print the rates of a sheet that was read back."""
    screen = make_screen(console, WORDS[lang])
    bounds = _say(lang, "bounds").format(show.percent(review.confidence, form=WORDS[lang].percent))
    screen.line(bounds, "bold", f"{_say(lang, 'title')}{WORDS[lang].colon}")
    for kind in ("flagged", "unflagged"):
        strata = [stratum for stratum in review.strata if stratum.kind == kind]
        if strata:
            screen.heading(_say(lang, kind))
            screen.table([("  ", "", f"{s.group} {s.slice}".strip(), rate_of(s, lang)) for s in strata])
    left = sum(stratum.drawn - stratum.judged for stratum in review.strata)
    if left:
        screen.line()
        screen.line(
            _say(lang, "open").format(show.number(left)), STYLES[Status.WARN], f"{screen.signs.marks[Status.WARN]} "
        )


def rate_of(stratum: Stratum, lang: Lang) -> str:
    """The rate of a group with its bounds, and what that is in rows."""
    if stratum.rate is None or stratum.low is None or stratum.high is None:
        return _say(lang, "nothing")
    numbers = {
        "rate": show.percent(stratum.rate, form=WORDS[lang].percent),
        "found": show.number(stratum.found),
        "judged": show.number(stratum.judged),
        "low": show.percent(stratum.low, form=WORDS[lang].percent),
        "high": show.percent(stratum.high, form=WORDS[lang].percent),
    }
    if stratum.judged >= stratum.rows:
        return _say(lang, "census").format(**numbers)
    said = _say(lang, "none" if stratum.found == 0 else "rate").format(**numbers)
    low, high = floor(stratum.low * stratum.rows), ceil(stratum.high * stratum.rows)
    whole = _say(lang, "whole").format(rows=show.number(stratum.rows), low=show.number(low), high=show.number(high))
    return WORDS[lang].semicolon.join([said, whole])
