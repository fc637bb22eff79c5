"""What people found on a review sheet: the model of it, and how it is said on the terminal."""

from math import ceil, floor
from typing import Literal

from pydantic import Field
from rich.console import Console

from datacheck.check import Model, Status
from datacheck.i18n.words import WORDS, Lang, Phrase, told
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


_PHRASES: dict[str, Phrase] = {
    "title": "Review sheet",
    "bounds": "Wilson interval at {}, two-sided",
    "flagged": "False alarms among flagged rows",
    "unflagged": "Missed among unflagged rows",
    "rate": "{rate} ({found} of {judged}), between {low} and {high}",
    "none": "none found in {judged}, so at most {high}",
    "census": "{rate} ({found} of {judged}, which is every row)",
    "whole": "of {rows} rows, that is {low} to {high} rows",
    "open": ("{} row has no verdict yet; it does not count", "{} rows have no verdict yet; they do not count"),
    "nothing": "no row has a verdict",
    "drawn": "rows drawn",
    "written": ("{} row, only you can read it", "{} rows, only you can read it"),
    "how": "write ok, bad or false_alarm into the column verdict, then: datacheck sample --read {}",
}


def _say(lang: Lang, phrase: str, *values: object) -> str:
    return told(_PHRASES[phrase], lang, *values)


def print_drawn(drawn: dict[tuple[str, str], int], console: Console, lang: Lang, file: str) -> None:
    """Print how many rows of each group stand on a new sheet, and what to do with it."""
    screen = make_screen(console, WORDS[lang])
    screen.line(f"{file}  {_say(lang, 'written', show.number(sum(drawn.values())))}", "bold")
    screen.heading(_say(lang, "drawn"))
    screen.table([("  ", "", f"{group} {part}".strip(), show.number(count)) for (group, part), count in drawn.items()])
    screen.line()
    screen.line(_say(lang, "how", file), head="  ")


def print_review(review: Review, console: Console, lang: Lang) -> None:
    """Print the rates of a sheet that was read back."""
    screen = make_screen(console, WORDS[lang])
    bounds = _say(lang, "bounds", show.percent(review.confidence, form=WORDS[lang].percent))
    screen.line(bounds, "bold", f"{_say(lang, 'title')}{WORDS[lang].colon}")
    for kind in ("flagged", "unflagged"):
        strata = [stratum for stratum in review.strata if stratum.kind == kind]
        if strata:
            screen.heading(_say(lang, kind))
            screen.table([("  ", "", f"{s.group} {s.slice}".strip(), rate_of(s, lang)) for s in strata])
    left = sum(stratum.drawn - stratum.judged for stratum in review.strata)
    if left:
        screen.line()
        screen.line(_say(lang, "open", show.number(left)), STYLES[Status.WARN], f"{screen.signs.marks[Status.WARN]} ")


def rate_of(stratum: Stratum, lang: Lang) -> str:
    """The rate of a group with its bounds, and what that is in rows."""
    if stratum.rate is None or stratum.low is None or stratum.high is None:
        return _say(lang, "nothing")
    shares = {"rate": stratum.rate, "low": stratum.low, "high": stratum.high}
    numbers = {name: show.percent(share, form=WORDS[lang].percent) for name, share in shares.items()}
    numbers |= {"found": show.number(stratum.found), "judged": show.number(stratum.judged)}
    if stratum.judged >= stratum.rows:
        return _say(lang, "census").format(**numbers)
    said = _say(lang, "none" if stratum.found == 0 else "rate").format(**numbers)
    low, high = floor(stratum.low * stratum.rows), ceil(stratum.high * stratum.rows)
    whole = _say(lang, "whole").format(rows=show.number(stratum.rows), low=show.number(low), high=show.number(high))
    return WORDS[lang].semicolon.join([said, whole])
