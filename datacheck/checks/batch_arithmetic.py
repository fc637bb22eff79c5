"""The check batch_arithmetic."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field, ValidationError

from datacheck.check import Artifact, Check, Limit, Measured, Message, Metric, Need, Ratio, Value, View, total
from datacheck.errors import LoadError
from datacheck.features.outcomes import Fates, RunOf, unreadable
from datacheck.trainers import is_trainer
from datacheck.trainers.base import LOST
from datacheck.trainers.batches import PLANS, Arithmetic, Batches, Broken
from datacheck.trainers.settings import SettingsError, flat, read_config


class BatchArithmetic(Check):
    """What the named trainer makes of the run's batch settings and of this many rows: updates, rollouts, warm-up.

    The trainer's own integer arithmetic is done with its own defaults, the run's config file, and `run.settings` on
    top; names are the trainer's (`train_batch_size`, `data.train_batch_size`). The docs of each trainer's twin name
    the lines of its source.
    """

    metrics = {
        "faults": Metric(
            "rules that stop the run or leave nothing to train",
            "rules",
            limit=Limit(max=0),
            why="one of them is enough to stop the run, or to train nothing",
        ),
        "warnings": Metric(
            "rules of the trainer that do not hold, although it runs",
            "rules",
            limit=Limit(warn_max=0),
            why="the run does not stop; whether it is meant so, only a person can tell",
        ),
        "rollouts": Metric(
            "rounds of generation in an episode; else batches in an epoch",
            "rounds",
            None,
            Limit(min=1),
            why="without one there is nothing to train on",
        ),
        "updates": Metric(
            "updates of the weights in the whole run",
            "updates",
            limit=Limit(min=1),
            why="without one the weights stay as they were",
        ),
        "warmup": Metric(
            "updates of the warm-up that the run makes",
            "share",
            "updates of the warm-up",
            Limit(min=1),
            why="a warm-up longer than the run never reaches the learning rate that was set",
        ),
    }

    reads = None
    check: Literal["batch_arithmetic"] = "batch_arithmetic"
    trainer: str | None = Field(default=None, description="trainer and mode; from run.trainer")
    config: Artifact | None = Field(default=None, description="the run's config file; from run.config")
    settings: dict[str, bool | int | float | str | None] = Field(
        default={}, description="settings that win over the file; from run.settings"
    )
    world_size: int = Field(default=1, ge=1, description="processes that train; from run.world_size")
    rows: int | None = Field(default=None, ge=0, description="rows that the trainer keeps; none: as its twin says")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run stands with the contract."""
        return {name: dataset["run"][name] for name in ("trainer", "config", "settings", "world_size")}

    def needs(self) -> tuple[Need, ...]:
        """What becomes of each row, where the trainer has a twin."""
        if self.rows is not None or not is_trainer(self.trainer):
            return ()
        return (Need(Fates(run=RunOf(trainer=self.trainer, config=self.config, settings=self.settings))),)

    def measure(self, data: View) -> Measured:
        """Count rows; let the trainer's arithmetic speak."""
        rows, counted = self._counted(data)
        try:
            plan = self._plan()
        except (LoadError, SettingsError, LookupError) as error:
            return self.not_measured(unreadable(error))
        if not rows and not total(data.rows):
            return self.not_measured(Message("no rows"))
        found = plan.arithmetic(rows, self.world_size)
        fails = sum(broken.fails for broken in found.broken)
        warmup = max(found.warmup, 1)
        return Measured(
            (
                Value("faults", fails),
                Value("warnings", len(found.broken) - fails),
                Value("rollouts", found.rollouts),
                Value("updates", found.updates),
                Value("warmup", Ratio(min(found.updates, warmup), warmup)),
            ),
            evidence=_evidence(data, found.broken),
            figures={"arithmetic": _table(rows, self.world_size, found), "settings": _settings(plan)},
            not_checked=(counted, *found.notes),
        )

    def _counted(self, data: View) -> tuple[int, Message]:
        """How many rows are trained, and where the number comes from."""
        if self.rows is not None:
            return self.rows, Message.plural(
                "{n:,} row was taken, as the setting says", "{n:,} rows were taken, as the setting says", self.rows
            )
        readable = total(data.rows)
        if not self.needs():
            return readable, Message.plural(
                "all {n:,} readable row was taken; the trainer has no twin",
                "all {n:,} readable rows were taken; the trainer has no twin",
                readable,
            )
        fates = data[self.needs()[0]].filter(pl.col("fate").is_in(LOST), pl.col("row").is_not_null())
        rows = readable - fates.select(pl.col("row").n_unique()).collect().item()
        return rows, Message(
            "{rows:,} of {readable:,} readable rows were taken: those that the trainer's loader keeps",
            rows=rows,
            readable=readable,
        )

    def _plan(self) -> Batches:
        """The settings of the run. Raises LoadError, SettingsError or LookupError where they are not known."""
        if self.trainer is None:
            raise LookupError(_NO_TRAINER)
        if self.trainer not in PLANS:
            raise LookupError(
                Message(
                    "no arithmetic of {trainer} is known; known: {known}", trainer=self.trainer, known=", ".join(PLANS)
                )
            )
        kind = PLANS[self.trainer]
        given = read_config(self.config.read(), self.config.named) if self.config else {}
        try:
            return kind.model_validate(kind.prepared({**flat(kind.table(given)), **self.settings}))
        except ValidationError as errors:
            raise SettingsError.of(self.trainer, errors) from None


_NO_TRAINER = Message("no trainer; name one under run.trainer")


def _evidence(data: View, broken: tuple[Broken, ...]) -> pl.LazyFrame:
    """The rules, at the dataset's first file: it is the whole dataset that they speak of."""
    said = [Message("{what} ({source})", what=one.what, source=one.source).packed for one in broken]
    lines = [(f"run: {one.setting}", one.rule, words) for one, words in zip(broken, said, strict=True)]
    table = pl.LazyFrame(lines, dict.fromkeys(("where", "problem", "said"), pl.String), orient="row")
    return data.files.select("file").sort("file").head(1).join(table, how="cross")


def _table(rows: int, world: int, found: Arithmetic) -> pl.DataFrame:
    told = {
        "rows": rows,
        "processes": world,
        "rollouts or batches": found.rollouts,
        "updates": found.updates,
        "updates of the warm-up": found.warmup,
        "rows of an epoch in no batch": found.unseen,
    }
    return pl.DataFrame({"what": list(told), "number": list(told.values())})


def _settings(plan: Batches) -> pl.DataFrame:
    """What the run's settings come to, defaults included."""
    values = plan.model_dump(by_alias=True)
    return pl.DataFrame({"setting": list(values), "value": [str(value) for value in values.values()]})
