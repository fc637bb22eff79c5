"""The check system_drift."""

from difflib import SequenceMatcher
from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Message, Metric, View, rates
from datacheck.features.turn_texts import of_rows, per_kind, piecewise

_MOST = 0.5  # share of the rows from which on a system prompt is what a set has
_RARE, _LEAST = 0.05, 20  # share of the rows up to which a system prompt is an exception, of at least so many rows
_MAIN = 0.1  # share of the system prompts that makes one a main one
_ALIKE = 0.8  # difflib's ratio of two prompts that are one, changed by hand
_HEAD = 400  # characters that are compared
_TEMPLATE = 20  # as many forms of one prompt are made by a script, on purpose
_COMPARED = 200  # of the most frequent prompts


class SystemDrift(Check):
    """Share of rows whose system prompt is another form of the usual one, or is not there though most rows have one.

    The kinds: `variant` (at least 80 % of the characters are those of a prompt that one row in ten has: a full stop
    more, another name), `missing` (where at least half of the rows have a system prompt) and `rare` (where at most one
    row in twenty has one, of at least twenty rows). Case, digits and white
    space do not count, and neither do twenty forms of one prompt or more, which a script makes on purpose. With `by:`
    the shares stand per source, which is where drift begins.
    """

    metrics = {
        "variants": Metric(
            "rows with another form of the usual system prompt",
            "share",
            "rows",
            Limit(warn_max=0),
            why="a set has one form or a reason for others, and no training fails by it",
        ),
        "missing": Metric(
            "rows without the system prompt that most have",
            "share",
            "rows",
            Limit(warn_max=0),
            why="a mixture may be meant, and no training fails by it",
        ),
        "rare": Metric(
            "rows with a system prompt where hardly any row has one",
            "share",
            "rows",
            Limit(warn_max=0),
            why="a mixture may be meant; but what was learnt under such a prompt is not what the others are asked for",
        ),
    }

    reads = "text"
    check: Literal["system_drift"] = "system_drift"

    def measure(self, data: View) -> Measured:
        """Count the prompts, compare the frequent ones, and look for rows without any."""
        said = piecewise(data, _heads).collect()
        counts = said.group_by(pl.col("said").cast(pl.String)).len().sort("len", "said", descending=[True, False])
        forms, scripted = _forms(counts)
        variants = said.lazy().filter(pl.col("said").cast(pl.String).is_in(forms)).select("row", "path")
        silent = piecewise(data, _without).collect()
        rows = said.height + silent.height
        missing = (silent if said.height >= _MOST * rows else silent.clear()).lazy()
        rare = (said if said.height <= _RARE * rows and rows >= _LEAST else said.clear()).lazy()
        found = pl.concat(
            [
                variants.select("row", where="path", problem=pl.lit("variant")),
                missing.select("row", where=pl.lit(None, pl.String), problem=pl.lit("missing")),
                rare.select("row", where="path", problem=pl.lit("rare")),
            ]
        )
        texts = of_rows(data.turns.filter(_system()), pl.concat([variants, rare.select("row", "path")])).select(
            "row", "text", where="path"
        )
        evidence = found.sort("row").join(texts, on=["row", "where"], how="left")
        left_out = Message.plural(
            "{n:,} form of one system prompt is taken as made by a script",
            "{n:,} forms of one system prompt are taken as made by a script",
            scripted,
        )
        return Measured(
            (
                *rates("variants", variants, data.rows, by=self.by, rows=data.rows),
                *rates("missing", missing, data.rows, by=self.by, rows=data.rows),
                *rates("rare", rare, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=evidence,
            figures={"kinds": per_kind(found)},
            not_checked=(left_out,) if scripted else (),
        )


def _system() -> pl.Expr:
    return (pl.col("role") == "system") & (pl.col("text").str.len_bytes() > 0)


def _heads(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `path`, `said`: the first system prompt of each row, as prompts are compared; each different one once."""
    normal = pl.col("text").str.to_lowercase().str.replace_all(r"\d+", "0").str.replace_all(r"\s+", " ")
    head = normal.str.strip_chars().str.slice(0, _HEAD).cast(pl.Categorical)
    return turns.filter(_system()).select("row", "path", said=head).unique("row", keep="first")


def _without(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row` of those that say something, and have no system prompt."""
    return turns.group_by("row").agg(_system().any().alias("system")).filter(~pl.col("system")).select("row")


def _forms(counts: pl.DataFrame) -> tuple[list[str], int]:
    """The prompts that are another form of a more frequent one, and how many there are where a script made them."""
    frequent = counts.head(_COMPARED)
    mains = frequent.filter(pl.col("len") >= _MAIN * pl.col("len").sum())["said"].to_list()
    forms: list[str] = []
    scripted = 0
    for place, main in enumerate(mains):
        alike = [each for each in frequent["said"][place + 1 :] if each not in forms and _alike(main, each)]
        scripted += len(alike) if len(alike) >= _TEMPLATE else 0
        forms += alike if len(alike) < _TEMPLATE else []
    return forms, scripted


def _alike(main: str, other: str) -> bool:
    matcher = SequenceMatcher(None, main, other, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE
