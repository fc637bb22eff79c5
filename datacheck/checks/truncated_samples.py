"""The check truncated_samples."""

from typing import Literal

import numpy as np
import polars as pl

from datacheck.check import Limit, Measured, Message, Metric, Ratio, Value, View, rates, saying, total
from datacheck.features.tokens import NO_TOKENIZER, OfTokens, unknown
from datacheck.text.length_peaks import heaps

_SHORTEST = 64  # trained tokens from which on equal numbers are no accident of short answers
_LENGTHS = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)


class TruncatedSamples(OfTokens):
    """Share of rows that the run's maximum length cuts, and what is lost: of the answer, or all of it.

    Rows are rendered and tokenized as the trainer does it; lengths are those of whole training examples with template
    and special tokens. A named trainer cuts by its own rule; otherwise `run: {truncation: left}` cuts the beginning,
    and `right`, the default, the end.
    """

    metrics = {
        "rate": Metric(
            "rows that are cut",
            "share",
            of="rows",
            limit=Limit(warn_max=0.01),
            why="a long tail is cut in most runs; above 1 row in 100 the length should be another",
        ),
        "answer_cut": Metric("rows that lose a part of what is trained", "share", of="rows"),
        "answer_lost": Metric(
            "rows that lose all that is trained",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="a row without any trained token teaches nothing; alone in a batch, its loss is NaN",
        ),
        "tokens_lost": Metric("tokens that are cut", "share", of="tokens"),
        "piled": Metric(
            "rows with a number of trained tokens at which rows pile up: an older limit",
            "share",
            "rows",
            Limit(warn_max=0),
            why="a pile is mostly an older limit, but answers of one form have one length, too",
        ),
    }

    reads = "text"
    check: Literal["truncated_samples"] = "truncated_samples"

    def measure(self, data: View) -> Measured:
        """Compare lengths with what is kept."""
        run, needs = self.run, self.needs()
        if run is None or not needs:
            return self.not_measured(NO_TOKENIZER)
        limit = run.cut_at()
        if limit is None and run.trainer is None:
            return self.not_measured(_NO_LENGTH)
        tokens = data[needs[0]]
        limits = unknown(tokens)
        if limits:
            return self.not_measured(*limits)
        table = tokens.select("row", "part", "total", "kept", "trained", "kept_trained", "by").collect().lazy()
        cut = table.filter(pl.col("kept") < pl.col("total"))
        answers = cut.filter(pl.col("kept_trained") < pl.col("trained"))
        lost = answers.filter(pl.col("kept_trained") == 0)
        values = [
            value
            for name, rows in (("rate", cut), ("answer_cut", answers), ("answer_lost", lost))
            for value in rates(name, rows, data.rows, by=self.by, rows=data.rows)
        ]
        piled = table.filter(pl.col("trained").is_in(_heaps(table).implode()))
        values += rates("piled", piled, data.rows, by=self.by, rows=data.rows)
        count, gone = (
            table.select(pl.col("total").sum(), gone=(pl.col("total") - pl.col("kept")).sum()).collect().row(0)
        )
        unrendered = table.filter(pl.col("by").is_null()).select(pl.col("row").n_unique()).collect().item()
        without = total(data.rows.join(table, on="row", how="anti"))
        notes = _notes(unrendered, without)
        notes += [_NOT_CUT] if limit is None else []
        return Measured(
            (*values, Value("tokens_lost", Ratio(gone, count) if count else 0 if without else None)),
            evidence=pl.concat([_evidence(cut), _at_heaps(piled)], how="diagonal_relaxed"),
            figures={"cut_at": _cut_at(table)},
            not_checked=tuple(notes),
        )


_NO_LENGTH = Message("no max_length: name the run's (run: {max_length: N})")
_NOT_CUT = Message("the named trainer cuts nothing with these settings")


def _evidence(cut: pl.LazyFrame) -> pl.LazyFrame:
    """What each row that is cut loses, and of how many tokens."""
    trained, left = pl.col("trained"), pl.col("kept_trained")
    problem = (
        pl.when(left == trained)
        .then(pl.lit("prompt_cut"))
        .when(left == 0)
        .then(pl.lit("answer_lost"))
        .otherwise(pl.lit("answer_cut"))
    )
    words = saying(
        "{kept} of {total} tokens are kept, {left} of {trained} trained ones",
        kept="kept",
        total="total",
        left="kept_trained",
        trained="trained",
    )
    return cut.select("row", where="part", problem=problem, said=words, score=pl.col("total").cast(pl.Float64))


def _heaps(table: pl.LazyFrame) -> pl.Series:
    """Numbers of trained tokens that far more rows have than numbers nearby."""
    trained = table.select("trained").collect()["trained"].drop_nulls().to_numpy().astype(np.int64)
    return pl.Series(heaps(trained, shortest=_SHORTEST))


def _at_heaps(piled: pl.LazyFrame) -> pl.LazyFrame:
    words = saying("{trained} trained tokens, as many other rows have", trained="trained")
    return piled.select(
        "row", where="part", problem=pl.lit("piled"), said=words, score=pl.col("trained").cast(pl.Float64)
    )


def _notes(unrendered: int, without: int) -> list[Message]:
    """Rows of which nothing is known."""
    notes = (
        [
            Message.plural(
                "{n:,} row could not be rendered (see template_errors)",
                "{n:,} rows could not be rendered (see template_errors)",
                unrendered,
            )
        ]
        if unrendered
        else []
    )
    notes += (
        [
            Message.plural(
                "{n:,} row is no conversation and no text, or lost to the named trainer",
                "{n:,} rows are no conversation and no text, or lost to the named trainer",
                without,
            )
        ]
        if without
        else []
    )
    return notes


def _cut_at(table: pl.LazyFrame) -> pl.DataFrame:
    """Rows that each usual length would cut."""
    longest = table.group_by("row").agg(pl.col("total").max())
    counts = [(pl.col("total") > length).sum().alias(str(length)) for length in _LENGTHS]
    row = longest.select(counts).collect().row(0)
    return pl.DataFrame(
        {"max_length": [str(length) for length in _LENGTHS], "rows": row},
        schema={"max_length": pl.String, "rows": pl.UInt32},
    )
