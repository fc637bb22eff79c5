"""The check banned_terms."""

from typing import Literal, Self

import polars as pl
from pydantic import Field, model_validator

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, Ratio, Value, View, rates, saying, total
from datacheck.errors import WrongValueError
from datacheck.features.term_hits import TermHits
from datacheck.text.rules import Rule


class BannedTerms(Check):
    """Rows that hold a term of the user's own word lists, by category.

    Lists stand in the contract (`terms`), or each is a dataset of plain text, one term per row (`lists`). Width, case,
    traditional and hidden characters do not count; with `strip_space` in `normalise`, blanks between characters
    neither. A term of Latin letters must stand as a word of its own; Chinese has no word boundaries.
    """

    metrics = {
        "hits": Metric(
            "rows with a term of a list",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="who lists a term wants none of it",
        )
    }

    reads = "text"
    check: Literal["banned_terms"] = "banned_terms"
    terms: dict[str, tuple[str, ...]] = Field(default={}, description="category: terms")
    lists: dict[str, str] = Field(default={}, description="category: dataset of the contract whose rows are terms")
    normalise: tuple[Rule, ...] = Field(default=("nfkc", "casefold", "t2s"), description="what does not count")

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.terms and not self.lists:
            raise WrongValueError("name terms or lists")
        if any(not term.strip() for terms in self.terms.values() for term in terms):
            raise WrongValueError("an empty term would hit every row")
        return self

    def _hits(self) -> Need:
        return Need(
            TermHits(
                terms=tuple(sorted(self.terms.items())),
                lists=tuple(sorted(self.lists.items())),
                normalise=self.normalise,
            )
        )

    def needs(self) -> tuple[Need, ...]:
        """The hits, and the lists to see whether they hold anything."""
        return (self._hits(), *(Need("turns", of=name) for _, name in sorted(self.lists.items())))

    def measure(self, data: View) -> Measured:
        """Count rows, in all and per category."""
        empty = [name for name in self.lists.values() if not total(data[Need("turns", of=name)])]
        if empty:
            note = Message("the list {terms} holds no term", terms=empty[0])
            return self.not_measured(note)
        hits = data[self._hits()]
        rows = total(data.rows)
        per_category = hits.group_by("category").agg(rows=pl.col("row").n_unique()).sort("category").collect()
        counts = dict(per_category.iter_rows())
        values = rates("hits", hits, data.rows, by=self.by, rows=data.rows)
        for category in sorted({*self.terms, *self.lists}) if rows else ():
            values += (Value("hits", Ratio(counts.get(category, 0), rows), {"category": category}),)
        evidence = hits.select(
            "row", where="path", problem=pl.lit("banned_term"), said=saying("list {name}", name="category")
        )
        return Measured(values, evidence, {"categories": per_category})
