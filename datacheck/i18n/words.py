"""Every fixed word of the reports, in plain ASCII (any console can show it); the catalogues have other languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from datacheck.i18n.message import catalogue, ids, languages

_VERBS = ids("load", "derive", "summarise", "group", "rounds", "measure", "write", "verify")

Lang = Literal["en", "zh"]
Phrase = str | tuple[str, str]  # one sentence, or its forms for one and for many


class Words(NamedTuple):
    """The words of one language, in English. Texts with {} are filled with `str.format`; no data ever is the format."""

    lang: Lang = "en"
    html_lang: str = "en"
    language: str = "English"  # its name in itself, the team of its catalogue
    comma: str = ", "
    colon: str = ": "
    semicolon: str = "; "
    aside: str = "{} ({})"  # "12 (144 of 1,200)"
    percent: str = "{} %"
    contract: str = "Contract"
    version: str = "version"
    verdict: str = "Verdict"
    statuses: Mapping[str, str] = {"pass": "pass", "info": "info", "warn": "warn", "fail": "fail", "error": "error"}
    tallies: Mapping[str, str] = {  # with how many
        "pass": "{} passed",
        "info": "{} info",
        "warn": "{} warned",
        "fail": "{} failed",
        "error": "{} undecided",
    }
    # what a verdict means
    headlines: Mapping[str, str] = {
        "pass": "the data keeps its contract",
        "info": "the data keeps its contract",
        "warn": "the data keeps its contract, with warnings",
        "fail": "the data breaks its contract",
        "error": "no verdict: something could not be checked, so this is not a pass",
    }
    strict: str = "strict: a warning counts as a violation"
    strict_warn: str = "warnings, and this run is strict: the contract counts as broken"
    exit_code: str = "exit code {}"
    checks: Phrase = ("{} check", "{} checks")
    not_started: str = "no check was planned"
    # the first screen
    causes: str = "What is worst"
    next_steps: str = "What to type next"
    mend: Phrase = ("Mend: {} row goes, of {}; it is put aside", "Mend: {} rows go, of {}; they are put aside")
    mend_redact: str = "To replace personal data instead of dropping its rows, add {}"
    drop: str = "Where a look says that its rows should go: {}"
    prove: str = "Prove: judge what is left by the same contract"
    again: str = "Run it again"
    stays: str = "No command mends these:"
    hits: Phrase = ("{} row", "{} rows")
    hit_places: Phrase = ("{} place", "{} places")
    hits_between: str = "rows {first} to {last} of {rows}"
    hits_most: str = "most in {file}: {n} of {total}"
    # datasets and files
    datasets: str = "Datasets"
    dataset: str = "Dataset"
    rows: str = "Rows"
    files: str = "Files"
    file: str = "File"
    size: str = "Size"
    formats: str = "Formats"
    unreadable: str = "Unreadable lines"
    blank: str = "Blank lines"
    dataset_line: str = "rows {rows}, files {files}, {size}"
    unreadable_count: str = "unreadable lines {}"
    unknown_format: str = "no format found"
    not_loaded: str = "could not be loaded"
    more_files: Phrase = (
        "and {} more file; all of them are in report.json",
        "and {} more files; all of them are in report.json",
    )
    # funnel
    sets: str = "Evaluation sets"
    funnel: str = "Rows in, rows kept"
    funnel_steps: Mapping[str, str] = {"in": "rows in", "readable": "readable", "kept": "rows kept"}
    # findings
    findings: str = "Findings"
    finding: str = "Finding"
    status: str = "Status"
    numbers: str = "Numbers"
    check: str = "Check"
    every: str = "all"
    contains: str = "Text"
    sort: str = "Order"
    sort_worst: str = "worst first"
    sort_hits: str = "most rows first"
    open_all: str = "Open all"
    close_all: str = "Close all"
    beyond: Phrase = (
        "Evidence stands here of the worst {} finding; this prints that of all others:",
        "Evidence stands here of the worst {} findings; this prints that of all others:",
    )
    self_tests: str = "Self-tests"
    self_tests_why: str = "Whether the checks find on these rows what they are made for"
    nothing_measured: str = "nothing was measured"
    incomplete: str = "incomplete: only the readable rows were seen"
    read_of: str = "read {read} of {due} rows"
    read_none: Phrase = ("{} row rightly has nothing to read", "{} rows rightly have nothing to read")
    as_above: str = "as above"
    read_all: str = "every check read all rows that it should"
    settings: str = "Settings"
    value: str = "Value"
    metric: str = "Metric"
    slice: str = "Slice"
    limit: str = "Limit"
    counted: str = "{n} of {of}"
    whole: str = "all rows"
    at_most: str = "limit {}"
    at_least: str = "minimum {}"
    warn_above: str = "warns above {}"
    warn_below: str = "warns below {}"
    between: str = "{low} to {high}"
    no_limit: str = "no limit, for information"
    unmeasured: str = "not measured"
    more_values: Phrase = (
        "and {} more value; all of them are in report.json",
        "and {} more values; all of them are in report.json",
    )
    other_values: str = "Numbers in order or for information"
    problems: str = "Problems"
    places: str = "Places"
    place: str = "Place"
    where: str = "Where"
    problem: str = "Problem"
    shown: str = "What stands there"
    score: str = "Score"
    other: str = "Compared with"
    cluster: str = "cluster of {}"
    cluster_at: str = "The row that stays"
    only_other: str = "only there"
    only_here: str = "only here"
    first_places: str = "the first {n} of {total}"
    all_places: str = "all places: {}"
    figures: str = "Figures"
    table: str = "Numbers of this figure"
    more_points: str = "the first {n} of {total} lines"
    no_numbers: str = "nothing to draw"
    # what the colours of a token strip mean
    strip_labels: Mapping[str, str] = {
        "train": "TRAIN: in the loss",
        "skip": "skip: read, not in the loss",
        "cut": "cut off",
    }
    # decisions of people
    decisions: str = "Decisions"
    decisions_by: str = "{file}, signed by {signer} (sha256 {sha256})"
    decisions_refused: str = "NOT APPLIED: {file}: {why}"
    suppressed: str = "suppressed rows: {}"

    # beside a baseline
    baseline: str = "Baseline"
    baseline_report: str = "{name} version {version}, verdict {verdict}"
    baseline_known: str = "known from the baseline, nothing new"
    baseline_places: str = " (places: {})"
    baseline_mixed: str = "new places: {new}, known: {known}"
    baseline_reasons: Mapping[str, str] = {
        "absent": "the baseline has no such finding, so all of it is new",
        "undecided": "the baseline could not decide this, so all of it is new",
        "measured_differently": "the baseline measured this with other settings, so all of it is new",
        "new_places": "not in the baseline",
        "worse": "worse than in the baseline",
    }
    baseline_then: str = "then {}"
    baseline_was: str = "would be {status} without the baseline"
    baseline_counts: str = "known findings, which do not fail: {known}; findings with something new: {new}"
    baseline_only: str = "no new violation; what the baseline knows is still there"
    # the card
    about: str = "About this check"
    about_all: str = "About the checks"
    why: str = "why"
    fix: str = "fix"
    more: str = "more"
    # the end
    not_checked: str = "Not checked"
    everything_checked: str = "nothing was left out"
    and_others: str = " and {} more"
    inputs: str = "Inputs of this verdict"
    run: str = "This run"
    step_times: str = "What each step cost, the slowest first: time, processor time, memory of the largest process"
    reports: str = "Reports"
    too_long: str = "this page was shortened to stay below {size}; everything is in report.json"


_EN = Words()


def _in(lang: str) -> Words:
    """The words as the catalogue of a language has them."""
    known = catalogue(lang).gettext

    def said(words: Any) -> Any:
        if isinstance(words, Mapping):
            return {key: known(word) for key, word in words.items()}
        return known(words) if isinstance(words, str) else words

    every = {name: said(words) for name, words in _EN._asdict().items()}
    head = catalogue(lang).info()
    named = {
        "html_lang": head.get("language", lang).replace("_", "-"),
        "language": head.get("language-team", "English"),
    }
    return Words(**{**every, **named, "lang": lang})


WORDS: Mapping[str, Words] = {lang: _in(lang) for lang in languages()}


def told(phrase: Phrase, lang: str, *values: object) -> str:
    """A phrase in a language, with its values filled in; of two forms that which its first value asks for."""
    known = catalogue(lang)
    if isinstance(phrase, str):
        form = known.gettext(phrase)
    else:
        form = known.ngettext(*phrase, int(str(values[0]).replace(",", "")))
    return form.format(*values) if values else form


def step_in(step: str, lang: Lang) -> str:
    """A step with its verb in `lang`; names stay as they are."""
    verb, space, rest = step.partition(" ")
    return f"{catalogue(lang).gettext(verb)}{space}{rest}" if verb in _VERBS else step
