"""The check constraint_errors."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, View, rates
from datacheck.features.constraints import Constraints, Registry

_PROBLEMS = {
    "unknown": ("unknown_id",),
    "arguments": ("missing_argument", "wrong_argument", "unknown_argument", "uneven_arguments"),
    "conflicts": ("excluded",),
    "unmet": ("not_followed",),
}


class ConstraintErrors(Check):
    """Rows with constraints (IFEval's `instruction_id_list`, `kwargs`) that a reward cannot check or nobody can follow.

    Ids must stand in the registry of the reward; arguments must be what its `build_description` takes; no two
    constraints of a row may exclude each other; and where a row has an answer, it should follow its own constraints.
    Read are `instruction_id_list` and `kwargs` of a row, or `instruction_id` and `kwargs` in its `ground_truth`,
    `label`, `reward_model.ground_truth` or `extra_info` (also as JSON or Python text, as open-instruct has them).
    The rules are those of google-research's instruction_following_eval.
    """

    metrics = {
        "unknown": Metric(
            "rows with an instruction id that the registry does not have",
            "share",
            "rows with constraints",
            Limit(max=0),
            why="the reward function raises a KeyError at the first one",
        ),
        "arguments": Metric(
            "rows with arguments that are missing or wrong, or not one set of them for each id",
            "share",
            "rows with constraints",
            Limit(max=0),
            why="the reward function raises, or draws a random value for each answer",
        ),
        "conflicts": Metric(
            "rows with constraints that exclude each other",
            "share",
            "rows with constraints",
            Limit(warn_max=0),
            why="no answer gets the full reward; 5 of google's 541 rows are of that kind",
        ),
        "unmet": Metric(
            "rows whose own answer does not follow their constraints",
            "share",
            "rows with constraints",
            Limit(warn_max=0),
            why="the answer teaches to ignore what was asked, or the constraint is of another row",
        ),
    }

    check: Literal["constraint_errors"] = "constraint_errors"
    registry: Registry = Field(
        default="auto", description="whose ids are known; auto: open_instruct in a ground_truth, else ifeval"
    )
    known: tuple[str, ...] = Field(
        default=(), description="further ids, of a registry of one's own; their arguments are not looked at"
    )

    def _facts(self) -> Need:
        return Need(Constraints(registry=self.registry, known=self.known))

    def needs(self) -> tuple[Need, ...]:
        """What is wrong, row by row."""
        return (self._facts(),)

    def measure(self, data: View) -> Measured:
        """Count rows by what is wrong; a row counts once for each number."""
        facts = data[self._facts()].collect()
        note = pl.col("problem").str.starts_with("note:")
        subjects = facts.filter(pl.col("problem") == "note:subject")
        unjudged = subjects.height - facts.filter(pl.col("problem") == "note:judged").height
        if not facts.height:
            return self.not_measured(Message("no row has instruction_id_list, or a ground_truth with instruction_id"))
        hits = {name: facts.lazy().filter(pl.col("problem").is_in(of)) for name, of in _PROBLEMS.items()}
        values = [value for each in hits.items() for value in rates(*each, subjects.lazy(), by=self.by, rows=data.rows)]
        found = facts.filter(~note)
        return Measured(
            tuple(values),
            evidence=found.lazy(),
            figures={"problems": found.group_by("problem").len("rows").sort("problem")},
            not_checked=_unjudged(unjudged),
        )


def _unjudged(rows: int) -> tuple[Message, ...]:
    """Rows without an answer, or with constraints alone that are not computed here."""
    if not rows:
        return ()
    said = Message.plural(
        "{n:,} row with constraints has no answer that could be held against them",
        "{n:,} rows with constraints have no answer that could be held against them",
        rows,
    )
    return (said,)
