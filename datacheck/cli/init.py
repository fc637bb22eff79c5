"""`init`: a first contract for data, tried on the data's first part before it is handed out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from datacheck.cli.options import DebugOpt, steps_told
from datacheck.cli.said import language, say
from datacheck.cli.watched import is_watched
from datacheck.errors import UsageError
from datacheck.i18n.message import Message
from datacheck.status import Status

if TYPE_CHECKING:
    from datacheck.verdict.model import Finding, Report

SCHEMA = "contract.schema.json"  # lies beside the contract: editors complete and check by it


def register(app: typer.Typer) -> None:
    """Add the command to `datacheck`."""
    app.command()(init)


def init(
    data: Annotated[Path | None, typer.Argument(help="A data file or folder to fit.", show_default=False)] = None,
    source: Annotated[Path | None, typer.Option("--from", help="The same.", show_default=False)] = None,
    to: Annotated[Path | None, typer.Option(help="Write here instead of standard output.")] = None,
    evaluation: Annotated[
        Path | None, typer.Option("--eval", help="What you evaluate on: no question of it may be trained on.")
    ] = None,
    _debug: DebugOpt = False,
) -> None:
    """Write a contract that fits given data: its format, its columns, the checks that apply."""
    from datacheck.engine.twin import twin
    from datacheck.propose.contract import contract_for, next_step, places
    from datacheck.session.trial import tried

    given = [path for path in (data, source) if path is not None]
    if len(given) != 1:
        raise UsageError("init: name the data once, as in: datacheck init data.jsonl --to contract.yaml")
    if to is not None and to.exists():
        raise UsageError("{to}: exists already; choose another name, or move it away", to=to)
    if is_watched():
        twin()  # now: a proposal looks at the data with polars
    text = contract_for(given[0], evaluation, folder=to.parent if to else Path())
    with steps_told(language()) as tell:
        report = tried(text, places(given[0], evaluation), tell, alone=is_watched())
    text = "".join(f"# {line}\n" for line in _told(report, "en")) + text
    if to is None:
        typer.echo(text, nl=False)
    else:
        _write(to, text)
    if to is not None or any(map(_unread, report.findings)):
        typer.echo("\n".join(_told(report, language())), err=True)
    if to is not None:
        say(next_step(to, given[0], evaluation), err=True)


def _write(to: Path, text: str) -> None:
    """Write the contract, and beside it the schema that its first line names."""
    from datacheck.contract.schema import contract_schema

    with UsageError.instead(OSError, "{to}: cannot be written ({reason}); choose another place with --to", to=to):
        to.parent.mkdir(parents=True, exist_ok=True)
        if not (to.parent / SCHEMA).exists():
            (to.parent / SCHEMA).write_text(contract_schema(), encoding="utf-8")
        to.write_text(f"# yaml-language-server: $schema={SCHEMA}\n{text}", encoding="utf-8")


def _told(report: "Report", lang: str) -> list[str]:
    """What the first part of the data came to, and what nobody could judge there, in lines without line breaks."""
    count = {status: sum(each.status is status for each in report.findings) for status in Status}
    tried = Message(
        "Tried on the first part of the data ({rows:,} rows): "
        "{passed} checks pass, {warned} warn, {failed} fail, {errors} could not be judged",
        rows=report.datasets["train"].rows if "train" in report.datasets else 0,  # nothing could be loaded
        passed=count[Status.PASS],
        warned=count[Status.WARN],
        failed=count[Status.FAIL],
        errors=count[Status.ERROR],
    )
    named = ((status, [f.id for f in report.findings if f.status is status]) for status in (Status.FAIL, Status.WARN))
    others = [f"  {status.value}: {', '.join(names)}" for status, names in named if names]
    alike: dict[str, list[str]] = {}
    for each in filter(_unread, report.findings):
        alike.setdefault(_why(each, lang), []).append(each.id)
    return [tried.said(lang), *others, *(f"  {', '.join(names)}: {why}" for why, names in alike.items())]


def _unread(finding: "Finding") -> bool:
    return finding.status is Status.ERROR or (finding.check == "unjudged_text" and finding.status is not Status.PASS)


def _why(finding: "Finding", lang: str) -> str:
    """A finding in one line: the error, or which text no check reads."""
    from datacheck.files.shown_names import shown_name  # it knows what is somebody's number: slow to import

    if finding.error:
        why = finding.error.said(lang)
    else:
        keys = ", ".join(shown_name(place.where or "") for place in finding.evidence.first)
        share = finding.values[0].value or 0
        unread = Message("{share:.0%} of the text is read by no check of texts: {keys}", share=share, keys=keys)
        why = unread.said(lang)
    return "".join(c if c.isprintable() else " " for c in why)
