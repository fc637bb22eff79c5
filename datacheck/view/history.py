"""All decisions of a registry on one page, the numbers of its reports as trends, and each report as pages below it."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from datacheck.errors import DatacheckError
from datacheck.i18n.words import WORDS, Lang, Phrase, told
from datacheck.report import show
from datacheck.report.pages import asset, environment
from datacheck.status import Status
from datacheck.verdict.model import Finding, Report, read_report
from datacheck.view.app import Pages

MOST = 200  # reports, the newest
_WIDE, _HIGH, _EDGE = 240, 36, 4
_PHRASES: dict[str, Phrase] = {
    "history": "History of the registry",
    "decisions": "Decisions, the newest first",
    "trends": "Trends, from the oldest report to the newest",
    "beyond": ("{} older report is left out of the trends", "{} older reports are left out of the trends"),
    "report": "report",
    "number": "Number",
    "last": "Newest",
    "none": "nothing is recorded of this",
}


class Decision(NamedTuple):
    """An entry of the ledger as it is told; `folder`: where its report lies, None of one that made no report."""

    seq: int
    time: str
    status: Status
    said: str
    folder: Path | None


class Trend(NamedTuple):
    """The number that speaks for a finding, from report to report."""

    name: str
    number: str
    status: Status
    last: str
    svg: Markup


class History:
    """The pages of a registry.

    Args:
        decisions: what its ledger holds, in order; the chain was verified.
        base: as for Pages.
        make: the pages of one report, below a path.
        lang: the language.

    """

    def __init__(
        self, decisions: Sequence[Decision], base: str, make: Callable[[Path, str], Pages], lang: Lang
    ) -> None:
        self._decisions, self._base, self._make, self._lang = decisions, base, make, lang
        found = {each.seq: report for each in decisions if (report := _report(each.folder)) is not None}
        self._reports = dict(list(found.items())[-MOST:])
        self._beyond = len(found) - len(self._reports)

    def app(self) -> Starlette:
        """The application; the pages of a report are made when they are first asked for."""
        below = [
            Mount(f"{self._base}{each.seq}", app=_Later(partial(self._make, each.folder, f"{self._base}{each.seq}/")))
            for each in self._decisions
            if each.seq in self._reports and each.folder is not None
        ]
        own = [Route(self._base, self._page), Route(f"{self._base}style.css", self._style)]
        return Starlette(routes=[*own, *below])

    @staticmethod
    async def _style(_request: Request) -> Response:
        return Response(str(asset("report.css").text) + str(asset("view.css").text), media_type="text/css")

    async def _page(self, _request: Request) -> Response:
        words = WORDS[self._lang]
        page = environment().get_template("view_history.html.j2")
        trends = await run_in_threadpool(partial(_trends, self._reports, self._lang))
        return HTMLResponse(
            page.render(
                w=words,
                say=lambda phrase, *values: told(_PHRASES[phrase], self._lang, *values),
                show=show,
                base=self._base,
                decisions=self._decisions[::-1],
                reports=self._reports,
                trends=trends,
                beyond=self._beyond,
            )
        )


class _Later:
    """The pages of a report, made when they are first asked for. They answer to whole paths, as where they stand."""

    def __init__(self, make: Callable[[], Pages]) -> None:
        self._make = make
        self._app: Starlette | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            try:
                self._app = (await run_in_threadpool(self._make)).app()
            except DatacheckError:
                raise HTTPException(404) from None
        await self._app({**scope, "root_path": "", "app_root_path": ""}, receive, send)


def _report(folder: Path | None) -> Report | None:
    try:
        return read_report(folder) if folder else None
    except DatacheckError:
        return None


def _trends(reports: Mapping[int, Report], lang: Lang) -> list[Trend]:
    """One a finding and number, what stands worst in the newest report first."""
    words = WORDS[lang]
    series: dict[tuple[str, str], list[tuple[int, Finding]]] = {}
    for at, report in enumerate(reports.values()):
        for finding in report.findings:
            if value := show.key_value(finding):
                series.setdefault((finding.id, value.name), []).append((at, finding))
    made = []
    for (name, number), found in series.items():
        newest = found[-1][1]
        values = [(at, value) for at, each in found if (value := show.key_value(each))]
        drawn = [(at, value.value) for at, value in values if value.value is not None and math.isfinite(value.value)]
        limits = values[-1][1].limit
        svg = _drawn(drawn, len(reports), limits.get("max", limits.get("min")))
        made.append(Trend(name, number, newest.status, show.amount(values[-1][1], words), svg))
    order = list(reversed(Status))
    return sorted(made, key=lambda trend: (order.index(trend.status), trend.name))


def _drawn(points: Sequence[tuple[int, float]], runs: int, limit: float | None) -> Markup:
    """A line from report to report, and the limit in force, dashed."""
    heights = [value for _, value in points] + ([limit] if limit is not None else [])
    low, high = min(heights, default=0), max(heights, default=0)

    def x(at: int) -> float:
        return round(_EDGE + at / max(1, runs - 1) * (_WIDE - 2 * _EDGE), 1)

    def y(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(_HIGH - _EDGE - share * (_HIGH - 2 * _EDGE), 1)

    line = " ".join(f"{x(at)},{y(value)}" for at, value in points)
    dots = "".join(f'<circle cx="{x(at)}" cy="{y(value)}" r="2.5" class="series-0"/>' for at, value in points)
    edge = f'<path class="edge" d="M0 {y(limit)}H{_WIDE}"/>' if limit is not None else ""
    svg = f'<svg viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" height="{_HIGH}" aria-hidden="true">{edge}'
    return Markup(f'{svg}<polyline class="line-0" points="{line}"/>{dots}</svg>')  # noqa: S704 - numbers
