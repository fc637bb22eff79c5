"""The pages of `datacheck view`: plain HTML of links and forms, no script. Read-only without a file for marks."""

import json
import math
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from datacheck.errors import DatacheckError, UsageError
from datacheck.i18n.words import WORDS, Lang, Phrase, told
from datacheck.pii.excerpts import Mode
from datacheck.report import show
from datacheck.report.exports import read_finished
from datacheck.report.pages import Whole, asset, environment
from datacheck.report.places import Finished
from datacheck.report.places import at as parsed
from datacheck.review.marks import LONGEST, Mark, Marks, as_drafts, as_sheet, digest, read_marks, write_marks
from datacheck.verdict.model import Finding, Place
from datacheck.view.evidence import Ask, Places
from datacheck.view.rows import Spot, WholeRows

_MOST_BODY = 64 * 1024  # bytes of a form
_PHRASES: dict[str, Phrase] = {
    "all": "All findings",
    "show": "Show",
    "clear": "Clear",
    "least": "Score of at least",
    "any_problem": "all problems",
    "as_they_stand": "as they stand",
    "by_score": "highest score first",
    "found": ("{} place", "{} places"),
    "on_rows": ("on {} row", "on {} rows"),
    "of_all": "of {}",
    "share": "{} of all rows",
    "floor": "Places were kept from a score of {} on, and no lower: what lies below only another run can show.",
    "too_low": "{} is lower than what was kept; nothing below {} can be shown without another run.",
    "no_verdict": "Nothing was judged again: the verdict is that of the report.",
    "unscored": ("{} place has no score and is left out", "{} places have no score and are left out"),
    "page": "page {} of {}",
    "previous": "Back",
    "next": "On",
    "clusters": "Clusters",
    "places": "Places",
    "cluster_of": "What was compared with {}",
    "row": "Whole row",
    "masked": "Texts are masked; `--excerpts full` shows them as they are.",
    "open": "Texts are shown as they are, personal data among them.",
    "no_row": "No row of the data stands there.",
    "keep": "keep",
    "drop": "drop",
    "unsure": "unsure",
    "unmark": "take back",
    "note": "note",
    "marked": "Marks",
    "read_only": "Read-only; `--marks FILE` lets rows be marked.",
    "as_marks": "for apply --marks",
    "as_sheet": "for sample --read",
    "as_drafts": "drafts of decisions, unsigned",
    "none": "Nothing fits.",
    "no_places": "It names no places.",
    "not_found": "There is no such page.",
    "the_other": "What it was compared with",
}


class Pages:
    """The pages of one report.

    Args:
        folder: the report folder.
        base: the path below which the pages are, with a slash at its end.
        data: where datasets are, where run.json does not say.
        marks: the file for marks; None: read-only.
        mode: how rows are shown.

    Raises:
        UsageError: no report, an unknown dataset, marks of another report.

    """

    def __init__(
        self,
        folder: Path,
        base: str = "/",
        *,
        data: Mapping[str, str] | None = None,
        marks: Path | None = None,
        mode: Mode = "redacted",
        lang: Lang = "en",
    ) -> None:
        finished = read_finished(folder)
        self._finished = Finished(show.told(finished.report, lang), folder, finished.run)
        self._findings = show.gravest(self._finished.report)
        self._base, self._mode, self._lang = base, mode, lang
        self._rows = WholeRows(self._finished, data or {}, mode)
        self._file, self._lock = marks, threading.Lock()
        self._marks = Marks(report=digest(folder))
        if marks is not None:
            if marks.resolve().is_relative_to(folder.resolve()):
                raise UsageError(
                    "{to}: lies in the report, which the next run replaces; choose another place", to=marks
                )
            if marks.exists():
                self._marks = read_marks(marks, folder)

    def app(self) -> Starlette:
        """The application."""
        pages = {
            "": self._list,
            "style.css": self._style,
            "finding/{number:int}": self._finding,
            "finding/{number:int}/clusters": self._clusters,
            "row/{number:int}/{n:int}": self._row,
            "export/{form}": self._export,
        }
        routes = [Route(self._base + path, partial(self._answer, page)) for path, page in pages.items()]
        mark = Route(f"{self._base}mark/{{number:int}}/{{n:int}}", self._mark, methods=["POST"])
        wrong: Any = {HTTPException: self._refused, DatacheckError: self._refused}
        return Starlette(routes=[*routes, mark], exception_handlers=wrong)

    @staticmethod
    async def _answer(page: Any, request: Request) -> Response:
        answer: Response = await run_in_threadpool(page, request)
        return answer

    # --- pages ---

    def _list(self, _request: Request) -> Response:
        return self._page("view_list.html.j2", findings=self._findings)

    def _style(self, _request: Request) -> Response:
        return Response(str(asset("report.css").text) + str(asset("view.css").text), media_type="text/css")

    def _finding(self, request: Request) -> Response:
        number, finding = self._named(request)
        if finding.evidence.file is None:
            return self._page("view_said.html.j2", finding=finding, said=self._say("no_places"))
        places, ask = Places(self._finished.folder, finding.id), self._ask(request)
        found, scores = places.see(ask), places.scores()
        rows = self._finished.report.datasets[finding.dataset].rows
        return self._page(
            "view_places.html.j2",
            finding=finding,
            number=number,
            ask=ask,
            other=_unchanged(ask.other),
            found=found,
            places=[(each, Place.of(finding.dataset, each)) for each in found.places],
            scores=scores,
            share=show.percent(found.rows / rows, form=WORDS[self._lang].percent) if rows and found.rows else None,
            marks=self._marks.of(finding.id),
            to=lambda **changes: self._address(number, ask._replace(**changes)),
            query=_query(ask),
        )

    def _clusters(self, request: Request) -> Response:
        number, finding = self._named(request)
        ask = self._ask(request)
        groups = Places(self._finished.folder, finding.id).groups(ask) if finding.evidence.file else []
        return self._page(
            "view_clusters.html.j2",
            finding=finding,
            number=number,
            groups=groups,
            to=lambda other: self._address(number, Ask(other=other)),
        )

    def _row(self, request: Request) -> Response:
        number, finding = self._named(request)
        entry = self._place(finding, request)
        at, other = _at(finding.dataset, entry), self._other(entry["other"])
        shown = [(Place.of(finding.dataset, entry).at, self._texts(at))]
        shown += [(entry["other"], self._texts(other))] if other else []
        return self._page(
            "view_row.html.j2",
            finding=finding,
            number=number,
            n=entry["n"],
            place=Place.of(finding.dataset, entry),
            shown=shown,
            mark=self._marks.of(finding.id).get(entry["row"]),
            has_row=entry["row"] is not None,
            query=_query(self._ask(request)),
        )

    def _texts(self, at: Spot | None) -> tuple[str, list[tuple[str, Whole]]]:
        """Why a row cannot be shown, or its parts."""
        if at is None:
            return self._say("no_row"), []
        try:
            return "", [(head, Whole(text)) for head, text in self._rows.of(at)]
        except DatacheckError as error:
            return error.message.said(self._lang), []

    def _export(self, request: Request) -> Response:
        form, report = request.path_params["form"], self._finished.report
        if form == "marks.json":
            made = self._marks.to_json()
        elif form == "review.csv":
            made = as_sheet(self._marks, report)
        elif form == "decisions.json":
            made = (json.dumps(as_drafts(self._marks, report), ensure_ascii=True, indent=1) + "\n").encode()
        else:
            raise HTTPException(404)
        head = {"content-disposition": f'attachment; filename="{form}"'}
        return Response(made, media_type="application/octet-stream", headers=head)

    async def _mark(self, request: Request) -> Response:
        """Keep what was said of a row, and go back to where it was said."""
        if self._file is None:
            raise HTTPException(403)
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BODY:
                raise HTTPException(413)
        given = dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=20))
        return await run_in_threadpool(self._marked, request, given)

    def _marked(self, request: Request, given: Mapping[str, str]) -> Response:
        number, finding = self._named(request)
        entry = self._place(finding, request)
        say, row = given.get("mark"), entry["row"]
        if row is None or say not in ("keep", "drop", "unsure", "unmark") or self._file is None:
            raise HTTPException(400)
        texts = {name: entry[name] or "" for name in ("problem", "where", "other", "record")}
        place = Place.of(finding.dataset, entry).at
        note = given.get("note", "").strip()[:LONGEST]
        with self._lock:
            if say == "unmark":
                marks = self._marks.without(finding.id, row)
            else:
                new = Mark.model_validate(
                    {"finding": finding.id, "row": row, "mark": say, "note": note, "place": place} | texts
                )
                marks = self._marks.with_mark(new)
            write_marks(self._file, marks)
            self._marks = marks
        query = urlencode(parse_qsl(given.get("query", ""), max_num_fields=20))
        return RedirectResponse(f"{self._base}finding/{number}?{query}#p{entry['n']}", 303)

    # --- what a request names ---

    def _named(self, request: Request) -> tuple[int, Finding]:
        number = request.path_params["number"]
        if number >= len(self._findings):
            raise HTTPException(404)
        return number, self._findings[number]

    def _place(self, finding: Finding, request: Request) -> dict[str, Any]:
        n = request.path_params["n"]
        found = Places(self._finished.folder, finding.id).one(n) if finding.evidence.file and n < 2**32 else None
        if found is None:
            raise HTTPException(404)
        return found

    def _ask(self, request: Request) -> Ask:
        given = request.query_params
        least, page = given.get("least", "").strip(), given.get("page", "")
        with UsageError.instead(ValueError, "a score is a number, as 0.9"):
            score = float(least) if least else None
        if score is not None and not math.isfinite(score):
            raise UsageError("a score is a number, as 0.9")
        texts = {name: given.get(name, "") for name in ("q", "problem", "other", "by")}
        return Ask(**texts, least=score, page=int(page) if page.isdecimal() and len(page) < 10 else 1)

    def _address(self, number: int, ask: Ask) -> Whole:
        return Whole(f"{self._base}finding/{number}?{_query(ask)}")

    def _other(self, place: str | None) -> Spot | None:
        """The row that one was compared with, where it is one of this report's data."""
        for dataset, entry in self._finished.report.datasets.items() if place else ():
            names = frozenset(file.path for file in entry.files)
            found = parsed(dataset, Place(at=place or "", problem=""), names)
            if found and found.line is not None and found.file in names:
                column = str(place).removeprefix(f"{dataset}/{found.file}:").split(":")[1:]
                return Spot(dataset, found.file, found.line, int(column[0]) - 1 if column else None)
        return None

    # --- saying it ---

    def _say(self, phrase: str, *values: object) -> str:
        return told(_PHRASES[phrase], self._lang, *values)

    async def _refused(self, _request: Request, error: Exception) -> Response:
        if isinstance(error, DatacheckError):
            status, said = 409, error.message.said(self._lang)
        else:
            status = getattr(error, "status_code", 404)
            said = self._say("not_found") if status == 404 else str(status)
        return self._page("view_said.html.j2", status, finding=None, said=said)

    def _page(self, template: str, status: int = 200, **values: Any) -> Response:
        page = environment().get_template(template)
        common: dict[str, Any] = {
            "w": WORDS[self._lang],
            "say": self._say,
            "show": show,
            "report": self._finished.report,
            "base": self._base,
            "writable": self._file is not None,
            "marked": len(self._marks.marks),
            "full": self._mode == "full",
        }
        return HTMLResponse(page.render(**common, **values), status)


def _at(dataset: str, entry: Mapping[str, Any]) -> Spot | None:
    """Where an evidence's row stands; None of one that names no line."""
    if entry["file"] is None or entry["line"] is None:
        return None
    return Spot(dataset, entry["file"], entry["line"], entry["byte"])


def _query(ask: Ask) -> Whole:
    """All of it, percent-encoded; what is as it is without being asked for is left out."""
    unasked = Ask()._asdict()
    return Whole(urlencode({name: value for name, value in ask._asdict().items() if value != unasked[name]}))


def _unchanged(text: str) -> Markup:
    """A name for an attribute that nobody reads: it comes back as it is, and stands there in plain characters."""
    return Markup(str(escape(text)).encode("ascii", "xmlcharrefreplace").decode())  # noqa: S704 - escaped
