"""The check choice_balance."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, Ratio, Value, View, total
from datacheck.features.golds import Golds, Of
from datacheck.text.graders import choice


class ChoiceBalance(Check):
    """How often the most frequent letter is the right one in multiple choice.

    Where a row has options, a gold of one digit (0 to 9, as MMLU writes it) counts as a letter.
    """

    metrics = {
        "top_choice": Metric(
            "golds that are the most frequent letter",
            "share",
            "golds of one letter",
            Limit(warn_max=0.4),
            why="of four letters each has a quarter by chance; above 40 % it pays to guess one letter",
        )
    }

    check: Literal["choice_balance"] = "choice_balance"
    of: Of = Field(default="answer", description="the part that holds the gold")
    least: int = Field(default=50, ge=1, description="golds below which a share says little and is not judged")

    def needs(self) -> tuple[Need, ...]:
        """The golds."""
        return (Need(Golds(of=self.of, extract="auto")),)

    def measure(self, data: View) -> Measured:
        """Count letters, in all and per slice."""
        golds = _with_places(data[self.needs()[0]].drop_nulls("gold").select("row", "gold"), data)
        by = [self.by] if self.by else []
        labelled = golds.join(data.rows.select("row", *by), on="row")
        counts = labelled.group_by(*by, "gold").agg(n=pl.len()).collect()
        distinct = counts["gold"].unique().to_list()
        forms = {gold: gold[1:] if gold.startswith(_PLACE) else choice(gold) for gold in distinct}
        letter = pl.col("gold").replace_strict(forms, default=None, return_dtype=pl.String)
        single = counts.with_columns(letter=letter).filter(pl.col("letter").str.len_chars() == 1)
        letters = single.group_by("letter").agg(golds=pl.sum("n")).sort("letter")
        count, rows = int(letters["golds"].sum()), total(data.rows)
        if count < self.least:
            few = Message.plural(
                "{n:,} gold is one letter; fewer than {least} are not judged",
                "{n:,} golds are one letter; fewer than {least} are not judged",
                count,
                least=self.least,
            )
            nothing = Value("top_choice", Ratio(0, rows) if rows else None)
            return Measured((nothing,), figures={"letters": letters}, not_checked=(few,))
        values = [Value("top_choice", Ratio(max(letters["golds"].to_list()), count))]
        per_letter = single.group_by(*by, "letter").agg(golds=pl.sum("n"))
        sizes = per_letter.group_by(by).agg(top=pl.max("golds"), all=pl.sum("golds")).sort(by) if by else None
        for label, top, size in sizes.iter_rows() if sizes is not None else ():
            if size >= self.least:
                values.append(Value("top_choice", Ratio(top, size), {by[0]: "(none)" if label is None else label}))
        lack = Message.plural(
            "{n:,} row has no gold of one letter", "{n:,} rows have no gold of one letter", rows - count
        )
        return Measured(tuple(values), figures={"letters": letters}, not_checked=(lack,) if rows > count else ())


_PLACE = "\x1f"  # marks a gold that is the place of an option


def _with_places(golds: pl.LazyFrame, data: View) -> pl.LazyFrame:
    """Mark the digits of rows that have options."""
    digits = golds.filter(pl.col("gold").str.contains("^[0-9]$")).collect()
    if digits.is_empty():
        return golds
    options = data.turns.filter(pl.col("part") == "option").select("row").unique()
    places = digits.lazy().join(options, on="row", how="semi").select("row", place=pl.lit(_PLACE) + pl.col("gold"))
    marked = golds.join(places, on="row", how="left")
    return marked.select("row", gold=pl.coalesce("place", "gold"))
