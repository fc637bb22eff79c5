"""The check mixture_drift."""

from collections.abc import Mapping
from typing import Literal, Self

import polars as pl
from pydantic import Field, model_validator

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, Ratio, Value, View
from datacheck.errors import WrongValueError


class MixtureDrift(Check):
    """How far the mix of sources (or labels, or splits) is from its targets, or from another dataset's mix.

    `targets` gives shares that add up to 1; `against` names a dataset of the contract whose shares are the targets,
    such as the version before. The drift is the largest difference of one label's share; labels without a target have
    the target 0. Rows without a label count as a label of their own, `(none)`.
    """

    metrics = {
        "drift": Metric(
            "largest difference of a label's share from its target",
            "difference",
            limit=Limit(max=0.05),
            why="5 points keep a plan of 70:30 apart from one of 80:20",
        ),
        "labelled": Metric("rows that have a label", "share", of="rows"),
    }

    check: Literal["mixture_drift"] = "mixture_drift"
    column: Literal["source", "split", "label"] = Field(default="source", description="the label column that is mixed")
    targets: dict[str, float] = Field(default={}, description="share of each label, adding up to 1")
    against: str | None = Field(default=None, description="a dataset of the contract whose mix is the target")

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if bool(self.targets) == bool(self.against):
            raise WrongValueError("name either targets or against")
        if self.targets and (min(self.targets.values()) < 0 or abs(sum(self.targets.values()) - 1) > 1e-6):
            raise WrongValueError("targets are shares from 0 on that add up to 1")
        return self

    def needs(self) -> tuple[Need, ...]:
        """The other dataset's rows."""
        return (Need("rows", of=self.against),) if self.against else ()

    def measure(self, data: View) -> Measured:
        """Count labels; compare shares."""
        counts = _counts(data.rows, self.column)
        rows = sum(counts.values())
        labelled = rows - counts.get(_NONE, 0)
        if not labelled:
            return self.not_measured(self._hint())
        targets: Mapping[str, float] = self.targets
        if self.against:
            theirs = _counts(data[self.needs()[0]], self.column)
            if set(theirs) <= {_NONE}:
                nothing = Message("no row of {against} has a label", against=self.against)
                values = (Value("drift", None), Value("labelled", Ratio(labelled, rows)))
                return Measured(values, not_checked=(nothing,))
            targets = {label: count / sum(theirs.values()) for label, count in theirs.items()}
        labels = sorted({*counts, *targets})
        mix = pl.DataFrame(
            {
                "label": labels,
                "rows": [counts.get(label, 0) for label in labels],
                "share": [counts.get(label, 0) / rows for label in labels],
                "target": [float(targets.get(label, 0)) for label in labels],
            }
        )
        drift = (mix["share"] - mix["target"]).abs()
        found = [Value("drift", max(drift)), Value("labelled", Ratio(labelled, rows))]
        found += [Value("drift", d, {self.column: label}) for label, d in zip(labels, drift, strict=True)]
        return Measured(tuple(found), figures={"mix": mix.sort("share", "label", descending=[True, False]).head(50)})

    def _hint(self) -> Message:
        return Message("no row has a label; name source.columns.{column}, or remove the check", column=self.column)


_NONE = "(none)"


def _counts(rows: pl.LazyFrame, column: str) -> dict[str, int]:
    """Rows per label."""
    if column not in rows.collect_schema():
        return {}
    label = pl.col(column).str.strip_chars().fill_null(_NONE).replace("", _NONE)
    return dict(rows.group_by(label.alias("label")).agg(rows=pl.len()).collect().iter_rows())
