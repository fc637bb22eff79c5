"""The check overlong_samples."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Feature, Limit, Measured, Message, Metric, Need, Value, View, rates, saying, total
from datacheck.features.tokens import NO_TOKENIZER, OfTokens, unknown
from datacheck.features.turn_texts import of_rows

_MAX_CHARS = 60_000
_TIMES = 4  # the row in the middle: where half of the rows are contracts or books, their length is meant
_SEVERAL = 20  # rows; fewer have no middle


class OverlongSamples(OfTokens):
    """Share of rows that are longer than any sample should be, and how long the rows are: in characters, or in tokens.

    The length of a row is what one training example of it holds: all texts, tool definitions and calls; of a
    preference pair the longer side only. Where the contract names the run's tokenizer, rows are rendered and
    tokenized as the trainer does it, and p50, p99 and max are in tokens; `max_tokens` sets a limit for them.

    Without `max_chars` the limit is 60,000 characters, and of 20 rows and more four times the length of the row in the
    middle where that is more: a set of contracts is meant to be long, and only what stands out of it is a dump.
    """

    metrics = {
        "rate": Metric(
            "rows longer than max_chars (as a whole or in one message) or max_tokens",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="max_chars lies far above real samples; a single one beyond it can make the loss NaN",
        ),
        "p50": Metric("length that half of the rows do not exceed", "characters, or tokens of the named tokenizer"),
        "p99": Metric("length that 99 % of the rows do not exceed", "characters, or tokens of the named tokenizer"),
        "max": Metric("length of the longest row", "characters, or tokens of the named tokenizer"),
    }

    reads = "text"
    check: Literal["overlong_samples"] = "overlong_samples"
    max_chars: int | None = Field(
        default=None,
        ge=1,
        description="characters that a row may have; default 60,000, or four times the row in the middle, if more",
    )
    max_turn_chars: int | None = Field(
        default=None, ge=1, description="characters that one message may have; else as a row"
    )
    max_tokens: int | None = Field(default=None, ge=1, description="tokens that a row may have; needs a tokenizer")

    def needs(self) -> tuple[Need, ...]:
        """The lengths of rows, and their tokens where a tokenizer is named."""
        return (Need(RowSizes()), *super().needs())

    def measure(self, data: View) -> Measured:
        """Count the rows that are too long in characters, or in tokens where a tokenizer is named."""
        measured = self._characters(data)
        for tokens in super().needs():
            return self._tokens(data, data[tokens], measured)
        if self.max_tokens is not None:
            return self.not_measured(NO_TOKENIZER)
        return measured

    def _tokens(self, data: View, tokens: pl.LazyFrame, by_chars: Measured) -> Measured:
        """Rows that are too long in either unit; lengths in tokens."""
        limits = unknown(tokens)
        if limits:
            return self.not_measured(*limits)
        rendered = tokens.filter(pl.col("total") > 0)
        rows = rendered.group_by("row").agg(size=pl.col("total").max().cast(pl.Int64)).sort("row").collect().lazy()
        too_long = pl.lit(value=False) if self.max_tokens is None else pl.col("size") > self.max_tokens
        found = rows.filter(too_long).select(
            "row",
            where=pl.lit(None, pl.String),
            problem=pl.lit("overlong_tokens"),
            said=saying("{n} token", "{n} tokens", n="size"),
            score=pl.col("size").cast(pl.Float64),
        )
        assert by_chars.evidence is not None
        evidence = pl.concat([found, by_chars.evidence.cast({"row": found.collect_schema()["row"]})])
        without = total(data.rows.join(rows, on="row", how="anti"))
        lack = Message.plural(
            "{n:,} row could not be rendered or has nothing to render",
            "{n:,} rows could not be rendered or have nothing to render",
            without,
        )
        return Measured(
            (*rates("rate", evidence, data.rows, by=self.by, rows=data.rows), *_percentiles(rows)),
            evidence=evidence,
            figures={"lengths": _histogram(rows, "tokens")},
            not_checked=(lack,) if without else (),
        )

    def _characters(self, data: View) -> Measured:
        rows = data[Need(RowSizes())].collect().lazy()
        of_row = self.max_chars or max(_MAX_CHARS, _TIMES * _middle(rows))
        most = self.max_turn_chars or of_row
        long_rows = rows.filter(pl.col("size") > of_row).select(
            "row", where=pl.lit(None, pl.String), size="size", problem=pl.lit("overlong_row")
        )
        turns = of_rows(data.turns, rows.filter(pl.col("longest") > most)).select("row", "path", size=_size())
        long_turns = turns.filter(pl.col("size") > most).select(
            "row", where="path", size="size", problem=pl.lit("overlong_message")
        )
        found = pl.concat([long_rows, long_turns])
        without = total(data.rows) - total(rows)
        lack = Message.plural("{n:,} row has no text to measure", "{n:,} rows have no text to measure", without)
        return Measured(
            (*rates("rate", found, data.rows, by=self.by, rows=data.rows), *_percentiles(rows)),
            evidence=found.select(
                "row",
                "where",
                "problem",
                said=saying("{n:,} character", "{n:,} characters", n="size"),
                score=pl.col("size").cast(pl.Float64),
            ),
            figures={"lengths": _histogram(rows, "characters")},
            not_checked=(lack,) if without else (),
        )


class RowSizes(Feature):
    """`row`, `size` in characters (of a pair, the prompt and the longer answer), `longest`: its longest message."""

    columns = {"row": pl.UInt32, "size": pl.Int64, "longest": pl.Int64}

    def compute(self, part: View) -> pl.DataFrame:
        """Count."""
        return _row_sizes(part.turns).collect()


def _row_sizes(turns: pl.LazyFrame) -> pl.LazyFrame:
    by_part = turns.group_by("row", "part").agg(_size().sum().alias("size"), longest=_size().max())
    side = pl.col("part").is_in(["chosen", "rejected"])
    size = pl.col("size").filter(~side).sum() + pl.col("size").filter(side).max().fill_null(0)
    return by_part.group_by("row").agg(size.alias("size"), pl.col("longest").max()).sort("row")


def _size() -> pl.Expr:
    both = [pl.col(name).str.len_chars().fill_null(0) for name in ("text", "tool_calls")]
    return pl.sum_horizontal(both).cast(pl.Int64)


def _middle(rows: pl.LazyFrame) -> int:
    """The length that half of the rows do not exceed, 0 where there are few."""
    sizes = rows.select(pl.col("size").sort()).collect()["size"]
    return int(sizes[(len(sizes) - 1) // 2]) if len(sizes) >= _SEVERAL else 0


def _percentiles(rows: pl.LazyFrame) -> tuple[Value, ...]:
    """Nearest rank: a length that a row really has."""
    sizes = rows.select(pl.col("size").sort()).collect()["size"]
    count = len(sizes)
    at = {"p50": -(-count * 50 // 100), "p99": -(-count * 99 // 100), "max": count}
    return tuple(Value(name, int(sizes[rank - 1]) if count else None) for name, rank in at.items())


def _histogram(rows: pl.LazyFrame, unit: str) -> pl.DataFrame:
    """Rows per power of two: a bar holds lengths from its number up to twice that."""
    floor = pl.lit(2, pl.Int64).pow((pl.col("size").clip(1).log(2) + 1e-9).floor().cast(pl.UInt32))
    return rows.group_by(floor.alias(unit)).len("rows").sort(unit).collect()
