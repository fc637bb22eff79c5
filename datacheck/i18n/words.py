"""Every fixed word of the reports, in plain ASCII (any console can show it); the catalogues have other languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from datacheck.i18n.message import catalogue, ids, languages

_VERBS = ids("load", "derive", "summarise", "group", "measure", "write", "verify")

Lang = Literal["en", "zh"]
Phrase = str | tuple[str, str]  # one sentence, or its forms for one and for many


@dataclass(frozen=True)
class Words:
    """The words of one language. Texts with {} are filled with `str.format`; no data ever is the format."""

    lang: Lang
    html_lang: str
    language: str  # its name in itself, the team of its catalogue
    comma: str
    colon: str
    semicolon: str
    aside: str  # "12 (144 of 1,200)"
    percent: str
    title: str
    contract: str
    version: str
    verdict: str
    statuses: Mapping[str, str]
    tallies: Mapping[str, str]  # "{n} passed"
    headlines: Mapping[str, str]  # what a verdict means
    strict: str
    strict_warn: str
    exit_code: str
    checks: Phrase
    not_started: str
    # datasets and files
    datasets: str
    dataset: str
    rows: str
    files: str
    file: str
    size: str
    formats: str
    unreadable: str
    blank: str
    dataset_line: str
    unreadable_count: str
    unknown_format: str
    not_loaded: str
    more_files: Phrase
    # funnel
    funnel: str
    funnel_steps: Mapping[str, str]
    # findings
    findings: str
    finding: str
    status: str
    numbers: str
    details: str
    nothing_measured: str
    incomplete: str
    read_of: str
    read_none: Phrase
    read_all: str
    settings: str
    value: str
    metric: str
    slice: str
    limit: str
    counted: str
    whole: str
    at_most: str
    at_least: str
    warn_above: str
    warn_below: str
    between: str
    no_limit: str
    unmeasured: str
    more_values: Phrase
    problems: str
    places: str
    place: str
    where: str
    problem: str
    shown: str
    score: str
    other: str
    first_places: str
    all_places: str
    figures: str
    table: str
    more_points: str
    no_numbers: str
    strip_labels: Mapping[str, str]  # what the colours of a token strip mean
    # beside a baseline
    baseline: str
    baseline_report: str
    baseline_known: str
    baseline_places: str
    baseline_mixed: str
    baseline_reasons: Mapping[str, str]
    baseline_then: str
    baseline_was: str
    baseline_counts: str
    baseline_only: str
    # the card
    about: str
    why: str
    fix: str
    more: str
    # the end
    not_checked: str
    everything_checked: str
    and_others: str
    inputs: str
    run: str
    step_times: str
    reports: str
    too_long: str


_EN = Words(
    lang="en",
    html_lang="en",
    language="English",
    comma=", ",
    colon=": ",
    semicolon="; ",
    aside="{} ({})",
    percent="{} %",
    title="Data report",
    contract="Contract",
    version="version",
    verdict="Verdict",
    statuses={
        "pass": "pass",
        "info": "info",
        "warn": "warn",
        "fail": "fail",
        "error": "error",
    },
    tallies={
        "pass": "{} passed",
        "info": "{} info",
        "warn": "{} warned",
        "fail": "{} failed",
        "error": "{} undecided",
    },
    headlines={
        "pass": "the data keeps its contract",
        "info": "the data keeps its contract",
        "warn": "the data keeps its contract, with warnings",
        "fail": "the data breaks its contract",
        "error": "no verdict: something could not be checked, so this is not a pass",
    },
    strict="strict: a warning counts as a violation",
    strict_warn="warnings, and this run is strict: the contract counts as broken",
    exit_code="exit code {}",
    checks=("{} check", "{} checks"),
    not_started="no check was planned",
    datasets="Datasets",
    dataset="Dataset",
    rows="Rows",
    files="Files",
    file="File",
    size="Size",
    formats="Formats",
    unreadable="Unreadable lines",
    blank="Blank lines",
    dataset_line="rows {rows}, files {files}, {size}",
    unreadable_count="unreadable lines {}",
    unknown_format="no format found",
    not_loaded="could not be loaded",
    more_files=(
        "and {} more file; all of them are in report.json",
        "and {} more files; all of them are in report.json",
    ),
    funnel="Rows in, rows kept",
    funnel_steps={"in": "rows in", "readable": "readable", "kept": "rows kept"},
    findings="Findings",
    finding="Finding",
    status="Status",
    numbers="Numbers",
    details="Details",
    nothing_measured="nothing was measured",
    incomplete="incomplete: only the readable rows were seen",
    read_of="read {read} of {due} rows",
    read_none=("{} row rightly has nothing to read", "{} rows rightly have nothing to read"),
    read_all="every check read all rows that it should",
    settings="Settings",
    value="Value",
    metric="Metric",
    slice="Slice",
    limit="Limit",
    counted="{n} of {of}",
    whole="all rows",
    at_most="limit {}",
    at_least="minimum {}",
    warn_above="warns above {}",
    warn_below="warns below {}",
    between="{low} to {high}",
    no_limit="no limit, for information",
    unmeasured="not measured",
    more_values=(
        "and {} more value; all of them are in report.json",
        "and {} more values; all of them are in report.json",
    ),
    problems="Problems",
    places="Places",
    place="Place",
    where="Where",
    problem="Problem",
    shown="What stands there",
    score="Score",
    other="Compared with",
    first_places="the first {n} of {total}",
    all_places="all places: {}",
    figures="Figures",
    table="Numbers of this figure",
    more_points="the first {n} of {total} lines",
    no_numbers="nothing to draw",
    strip_labels={"train": "TRAIN: in the loss", "skip": "skip: read, not in the loss", "cut": "cut off"},
    baseline="Baseline",
    baseline_report="{name} version {version}, verdict {verdict}",
    baseline_known="known from the baseline, nothing new",
    baseline_places=" (places: {})",
    baseline_mixed="new places: {new}, known: {known}",
    baseline_reasons={
        "absent": "the baseline has no such finding, so all of it is new",
        "undecided": "the baseline could not decide this, so all of it is new",
        "measured_differently": "the baseline measured this with other settings, so all of it is new",
        "new_places": "not in the baseline",
        "worse": "worse than in the baseline",
    },
    baseline_then="then {}",
    baseline_was="would be {status} without the baseline",
    baseline_counts="known findings, which do not fail: {known}; findings with something new: {new}",
    baseline_only="no new violation; what the baseline knows is still there",
    about="About this check",
    why="why",
    fix="fix",
    more="more",
    not_checked="Not checked",
    everything_checked="nothing was left out",
    and_others=" and {} more",
    inputs="Inputs of this verdict",
    run="This run",
    step_times="Seconds of each step, the slowest first",
    reports="Reports",
    too_long="this page was shortened to stay below {size}; everything is in report.json",
)


def _in(lang: str) -> Words:
    """The words as the catalogue of a language has them."""
    known = catalogue(lang).gettext

    def said(words: Any) -> Any:
        if isinstance(words, Mapping):
            return {key: known(word) for key, word in words.items()}
        return known(words) if isinstance(words, str) else words

    every = {field.name: said(getattr(_EN, field.name)) for field in fields(Words)}
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
