"""Figures in a language: their names, the names of their columns, and those of their words that are not data."""

from collections.abc import Mapping
from typing import Any

from datacheck.i18n.message import catalogue, ids
from datacheck.i18n.words import Lang, Phrase
from datacheck.report import cards
from datacheck.report.charts import Bounds
from datacheck.verdict.model import Finding

NAMED = ids(
    "figure: arithmetic", "figure: benchmarks", "figure: categories", "figure: clusters", "figure: codes",
    "figure: containment", "figure: cut_at", "figure: doublings", "figure: entities", "figure: gaps", "figure: kinds",
    "figure: languages", "figure: largest_clusters",
    "figure: ledger", "figure: lengths", "figure: letters", "figure: lsh_recall", "figure: masks",
    "figure: mix", "figure: nearest", "figure: openings", "figure: pass_rates", "figure: planted", "figure: problems",
    "figure: random_pairs", "figure: ratings", "figure: recall_curve", "figure: recognised", "figure: score",
    "figure: score_chosen", "figure: score_rejected", "figure: settings", "figure: similarity", "figure: sources",
    "figure: steps", "figure: templates", "figure: tokens", "figure: types",
    "column: alike", "column: at", "column: benchmark", "column: category", "column: characters",
    "column: chars", "column: clusters",
    "column: code", "column: containment", "column: conversations", "column: cosine", "column: doublings",
    "column: entity", "column: evaluation_rows", "column: field", "column: file", "column: first", "column: found",
    "column: found_or_review", "column: gap", "column: golds", "column: hits", "column: kind", "column: known",
    "column: label", "column: language", "column: letter", "column: level", "column: licence", "column: mask",
    "column: max_length", "column: number", "column: opening", "column: pairs", "column: part", "column: pass_rate",
    "column: places", "column: plants", "column: problem", "column: questions", "column: rank", "column: rater",
    "column: ratings", "column: recall", "column: review", "column: rows", "column: score", "column: seen",
    "column: set", "column: setting", "column: share", "column: similarity", "column: size", "column: solutions",
    "column: source", "column: state", "column: step", "column: steps", "column: target", "column: template",
    "column: text", "column: texts", "column: threshold", "column: tokens", "column: type",
    "column: value", "column: values",
    "column: what",
    "kind: 1 % edits", "kind: 2 % edits", "kind: 5 % edits", "kind: 5 % edits, embedded", "kind: 10 % edits",
    "kind: a sentence left out", "kind: copy", "kind: embedded", "kind: embedded in four times as much",
    "kind: fullwidth", "kind: hashes of made-up items", "kind: inserted spaces", "kind: letter case",
    "kind: line breaks", "kind: n-grams of the pack", "kind: options relabelled", "kind: options shuffled",
    "kind: prefix", "kind: punctuation", "kind: question without options", "kind: shuffled sentences", "kind: suffix",
    "kind: traditional", "kind: verbatim",
    "level: block", "level: warn", "level: profile", "level: error", "level: limit", "level: blank",
    "type: (missing)",
    "state: valid", "state: suspect", "state: specimen", "state: public",
    "what: rows", "what: processes", "what: rollouts or batches", "what: updates", "what: updates of the warm-up",
    "what: rows of an epoch in no batch",
)  # fmt: skip
# Figures of a self-test: of copies with planted faults or of the search itself, and a sentence on each.
SELF_TESTS: dict[str, Phrase] = {
    "planted": "Faults made up by datacheck were planted into copies of these rows: how many by kind, and how many "
    "were found; where a column says how many were still alike, only those count.",
    "recall_curve": "The share of the planted copies that would have been found had the threshold been another.",
    "random_pairs": "How alike rows of these data are that were drawn at random: a threshold should lie far above.",
    "lsh_recall": "All similar pairs of a sample, compared completely, and how many of them the quick search proposes.",
}

# The share whose limit bounds what a bar of a figure is of their sum.
_SHARES = {"letters": "top_choice", "openings": "top_opening"}
# English titles of figures whose own name says too little; the others are words.
_TITLES = {
    "cut_at": "where rows are cut", "doublings": "length of the chosen answer to the rejected one, in doublings",
    "gaps": "score gaps", "largest_clusters": "the largest clusters", "lsh_recall": "recall of the quick search",
    "mix": "mix of the sources", "nearest": "the nearest pairs", "pass_rates": "pass rates",
    "planted": "planted faults and those found", "random_pairs": "similarity of rows drawn at random",
    "recall_curve": "recall by threshold", "score_chosen": "score of the chosen answer",
    "score_rejected": "score of the rejected answer",
}  # fmt: skip
_OURS = {known.partition(": ")[0] for known in NAMED} - {"figure", "column"}


def word_of(what: str, name: str, lang: str) -> str:
    """Return a name as the catalogue has it, under what it names; another one stays as it is."""
    known = f"{what}: {name}"
    said = catalogue(lang).gettext(known)
    return name if said == known else said


def name_of(figure: str, lang: Lang) -> str:
    """The name of a figure; one of a user's check stays as it is."""
    return _TITLES.get(figure, figure) if lang == "en" else word_of("figure", figure, lang)


def table_of(table: Mapping[str, list[Any]], lang: Lang) -> dict[str, list[Any]]:
    """A figure's table with the names of its columns, and its own words, in `lang`; data stays as it is."""
    if lang == "en":
        return dict(table)
    said = {
        column: [word_of(column, each, lang) if isinstance(each, str) and column in _OURS else each for each in values]
        for column, values in table.items()
    }
    names = {column: word_of("column", column, lang) for column in table}
    apart = len(set(names.values())) == len(names)
    return {names[column] if apart else column: values for column, values in said.items()}


def bounds_of(finding: Finding, figure: str) -> Bounds:
    """The limits in force that can be drawn into a figure of a finding."""
    share = next((v for v in finding.values if v.name == _SHARES.get(figure) and not v.slice and v.of), None)
    limits = [limit * (share.of or 0) for limit in sorted(set(share.limit.values()))] if share else ()
    return Bounds(cards.thresholds(finding.check, finding.settings).get(figure, ()), limits)
