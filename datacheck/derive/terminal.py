"""What `datacheck apply` says on the terminal: what was kept, what was dropped and why, and where it lies."""

from pathlib import Path

from rich.console import Console

from datacheck.check import Status
from datacheck.derive.manifest import LEFT, DerivedDataset, DroppedFinding, LeftValue, Manifest, Reason
from datacheck.i18n.words import WORDS, Lang, Phrase, told
from datacheck.report import show
from datacheck.report.screen import STYLES, Screen, make_screen
from datacheck.report.terminal import print_report
from datacheck.verdict.model import read_report

_MOST = 10  # files put aside whole that are named
# The words of this page, English and Chinese; those of the report are in `words`.
_PHRASES: dict[str, Phrase] = {
    "title": "Derived from the report on ",
    "kept": "{} of {} rows kept",
    "aside": ("{} row put aside", "{} rows put aside"),
    "bad_aside": ("{} unreadable line put aside", "{} unreadable lines put aside"),
    "files": "{} of {} files changed",
    "why": "Dropped for (each row once)",
    "nothing": "nothing was to be dropped",
    "rows": ("{} row", "{} rows"),
    "bad": ("{} unreadable line", "{} unreadable lines"),
    "stay": ("{} row stays, as its marks say", "{} rows stay, as their marks say"),
    "left": ("{} more place names nothing to drop", "{} more places name nothing to drop"),
    "redacted": "Redacted",
    "strings": ("{} value changed", "{} values changed"),
    "no_hit": "0 blocking hits when read again",
    "public": (
        "{} value of an institution (class public) was left on purpose",
        "{} values of institutions (class public) were left on purpose",
    ),
    "not_redactable": (
        "{} row dropped: what blocks cannot be replaced in it",
        "{} rows dropped: what blocks cannot be replaced in them",
    ),
    "traces": (
        "{} value that was replaced elsewhere could not be replaced here (exit code 1)",
        "{} values that were replaced elsewhere could not be replaced here (exit code 1)",
    ),
    "forms": (
        "{} string looks like a number or address of somebody, but no rule finds it; look at it (exit code 1)",
        "{} strings look like numbers or addresses of somebody, but no rule finds them; look at them (exit code 1)",
    ),
    "more_traces": "and {} more; all of them are in left.jsonl",
    "no_key": "pseudonyms mean only this copy (no key)",
    "whole": "Files put aside whole",
    "with_rows": ("{} readable row went with it", "{} readable rows went with it"),
    "more_whole": "and {} more; all of them are in manifest.json",
    "not_mended": "Not mended by this",
    "validated": "Validated again",
    "other_contract": "by another contract than that of the report",
    "not_validated": "not validated; name the contract with --contract",
    "where": "Places",
    "private": "what was dropped; only you can read it",
}
_REASONS: dict[Reason, Phrase] = {
    "no_row": "it is about the whole dataset and names no row to drop",
    "undecided": "it could not be decided",
    "not_chosen": "it was not chosen",
    "no_data": "its dataset was not named with --data",
}


def print_manifest(manifest: Manifest, console: Console, lang: Lang, *, folder: str) -> None:
    """Print what was written to `folder`; the verdict on it is read from there."""
    words = WORDS[lang]
    screen = make_screen(console, words)
    contract = manifest.report.contract
    screen.line(
        f"{contract.name} {words.version} {contract.version}{words.comma}datacheck {manifest.datacheck}",
        head=_say(screen, "title"),
    )
    screen.heading(words.datasets)
    screen.table([("  ", "", name, _dataset(screen, dataset)) for name, dataset in manifest.datasets.items()])
    screen.heading(_say(screen, "why"))
    screen.table([("  ", "", finding.id, _finding(screen, finding)) for finding in manifest.findings])
    if not manifest.findings:
        screen.line(_say(screen, "nothing"), head="  ")
    _redacted(screen, manifest)
    _whole(screen, manifest)
    _not_mended(screen, manifest)
    _validation(screen, manifest, console, folder)
    _traces(screen, manifest, folder)
    screen.heading(_say(screen, "where"))
    report = ", report/" if manifest.validation else ""
    left = f", {LEFT}" if manifest.redaction and manifest.redaction.left else ""
    screen.line(f"{folder}/  kept/, changes.jsonl, manifest.json{left}{report}", head="  ")
    if any(file.dropped for dataset in manifest.datasets.values() for file in dataset.files):
        screen.line(f"{folder}/dropped/  {_say(screen, 'private')}", head="  ")


def _say(screen: Screen, phrase: str, *numbers: int) -> str:
    """A phrase in the language of the page, with its numbers."""
    return told(_PHRASES[phrase], screen.words.lang, *map(show.number, numbers))


def _counts(screen: Screen, counts: dict[str, int]) -> list[str]:
    """The phrases whose number is not 0."""
    return [_say(screen, phrase, count) for phrase, count in counts.items() if count]


def _dataset(screen: Screen, dataset: DerivedDataset) -> str:
    words = screen.words
    aside = _counts(screen, {"aside": dataset.rows_dropped, "bad_aside": dataset.unreadable_dropped})
    kept = words.comma.join([_say(screen, "kept", dataset.rows_kept, dataset.rows), *aside])
    changed = sum(file.reassembles != "untouched" for file in dataset.files)
    return f"{kept}{words.semicolon}{_say(screen, 'files', changed, len(dataset.files))}"


def _finding(screen: Screen, finding: DroppedFinding) -> str:
    counts = {"rows": finding.rows, "bad": finding.unreadable, "left": finding.left, "stay": finding.stay}
    return screen.words.comma.join(_counts(screen, counts))


def _redacted(screen: Screen, manifest: Manifest) -> None:
    """How many values of each kind were replaced, and that none is left."""
    done = manifest.redaction
    if done is None:
        return
    screen.heading(_say(screen, "redacted"))
    screen.table([("  ", "", entity, show.number(count)) for entity, count in done.values.items()])
    said = [*_counts(screen, {"strings": done.strings, "not_redactable": done.not_redactable}), _say(screen, "no_hit")]
    if done.public:
        kinds = screen.words.comma.join(f"{entity} {show.number(count)}" for entity, count in done.public.items())
        said.append(f"{_say(screen, 'public', sum(done.public.values()))}{screen.words.colon}{kinds}")
    for line in said + [_say(screen, "no_key")] * (done.key is None):
        screen.line(line, head="  - ", gutter="  | ")


def _whole(screen: Screen, manifest: Manifest) -> None:
    """Files put aside whole, and how many rows that no finding names went with each."""
    files = [(name, file) for name, dataset in manifest.datasets.items() for file in dataset.files if file.why]
    if files:
        screen.heading(_say(screen, "whole"))
    words = screen.words
    for name, file in files[:_MOST]:
        rows = 0 if file.why == ("nothing_left",) else file.source.rows
        text = words.comma.join([" ".join(file.why), *_counts(screen, {"with_rows": rows})])
        screen.line(f"{name}/{file.path}{words.colon}{text}", head="  - ", gutter="  | ")
    for line in _counts(screen, {"more_whole": len(files[_MOST:])}):
        screen.line(line, head="  ")


def _not_mended(screen: Screen, manifest: Manifest) -> None:
    """One line per reason, with the findings that it holds for."""
    if manifest.not_mended:
        screen.heading(_say(screen, "not_mended"))
    words = screen.words
    for reason, meanings in _REASONS.items():
        ids = [entry.id for entry in manifest.not_mended if entry.reason == reason]
        if ids:
            meaning = told(meanings, words.lang)
            screen.line(f"{meaning}{words.colon}{words.comma.join(ids)}", head="  - ", gutter="  | ")


def _traces(screen: Screen, manifest: Manifest, folder: str) -> None:
    """What the redaction left, by place. It stands below the verdict, which knows nothing of it."""
    if not (manifest.redaction and manifest.redaction.left):
        return
    sign, style = f"{screen.signs.marks[Status.FAIL]} ", STYLES[Status.FAIL]
    for key, known in (("traces", True), ("forms", False)):
        count, shown = 0, []
        with (Path(folder) / LEFT).open(encoding="utf-8") as file:
            for left in map(LeftValue.model_validate_json, file):
                if left.replaced_elsewhere is known:
                    count += 1
                    shown += [left] if count <= _MOST else []
        if count:
            screen.line(_say(screen, key, count), style, sign)
        for left in shown:
            place = f"{left.dataset}/{left.file}:{left.line}"
            screen.line(f"{place}  {left.where}  {left.entity}", head="  - ", gutter="  | ")
        for line in _counts(screen, {"more_traces": max(0, count - _MOST)}):
            screen.line(line, head="  ")


def _validation(screen: Screen, manifest: Manifest, console: Console, folder: str) -> None:
    """The new report in short."""
    screen.heading(_say(screen, "validated"))
    sign, style = f"  {screen.signs.marks[Status.WARN]} ", STYLES[Status.WARN]
    if manifest.validation is None:
        screen.line(_say(screen, "not_validated"), style, sign)
        return
    if not manifest.validation.same_contract:
        screen.line(_say(screen, "other_contract"), style, sign)
    new = read_report(Path(folder) / manifest.validation.report)
    print_report(new, console, screen.words.lang, quiet=True)
