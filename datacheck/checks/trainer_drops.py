"""The check trainer_drops."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field, InstanceOf
from pydantic.json_schema import SkipJsonSchema

from datacheck.check import (
    Artifact,
    Check,
    Limit,
    Measured,
    Message,
    Metric,
    Need,
    Ratio,
    TrainerPython,
    Value,
    View,
    around,
    for_review,
    placed,
    rates,
    saying,
    total,
    word,
)
from datacheck.features.agreement import Agreement
from datacheck.features.outcomes import NOT_EXPLAINED, NOT_READABLE, Fates, RunOf, unreadable
from datacheck.features.tokens import TokenRun, token_run_of
from datacheck.trainers import is_trainer, trainer_names
from datacheck.trainers.base import FATES, LOST, Mode, Rule
from datacheck.trainers.compared import release, version_note
from datacheck.trainers.settings import Settings, SettingsError

_ORDER = {fate: place for place, fate in enumerate(FATES)}


class TrainerDrops(Check):
    """The ledger "rows in → rows trained": what the run's trainer keeps, drops, masks or changes, row by row, and why.

    `run.trainer` names the trainer and its mode (`trl.sft`, `llamafactory.dpo`, …). Its loader was rewritten as pure
    functions; each rule stands in docs/trainers.md with file and line of the trainer's own code. A row is

    - dropped: left out, as a rule with a warning among thousands of lines, or with none;
    - a stop: the trainer raises an exception that nobody catches; the run ends there;
    - changed or masked: it is trained, but not as it was written.
    """

    metrics = {
        "kept": Metric(
            "rows that the trainer trains on",
            "share",
            of="rows that it takes",
            limit=Limit(min=0.99),
            why="most runs lose a few rows; beyond 1 in 100 another set is trained than was delivered",
        ),
        "run_stops": Metric(
            "rows, or settings, at which the run stops",
            "places",
            limit=Limit(max=0),
            why="one is enough to end the run",
        ),
        "altered": Metric("rows that are trained, but masked or not as written", "share", of="rows that it takes"),
        "unexplained": Metric(
            "rows of which the twin cannot say what becomes",
            "rows",
            limit=Limit(max=0),
            why="a ledger that does not account for every row proves nothing",
        ),
        "disagreements": Metric(
            "rows of which the installed trainer says otherwise",
            "share",
            of="rows that it was asked about",
            limit=Limit(warn_max=0),
            why="of the rows that were asked about the package is believed; of the others only the twin is known",
        ),
    }

    check: Literal["trainer_drops"] = "trainer_drops"
    trainer: str | None = Field(default=None, description="trainer and mode, as `trl.sft`; from run.trainer")
    config: Artifact | None = Field(default=None, description="the run's config file; from run.config")
    settings: dict[str, bool | int | float | str | None] = Field(
        default={}, description="settings of the trainer that win over the config file; from run.settings"
    )
    max_length: int | None = Field(default=None, ge=1, description="tokens that the run keeps; from run.max_length")

    version: str | None = Field(default=None, description="version of the trainer; from run.version")
    # Objects: what a contract says is none.
    python: SkipJsonSchema[InstanceOf[TrainerPython] | None] = Field(
        default=None, description="of the operator (--trainer-python), never of a contract"
    )
    run: SkipJsonSchema[InstanceOf[TokenRun] | None] = Field(default=None, description="of the operator, as python")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run names the trainer and its settings; the operator may name a Python that has it."""
        run = dataset["run"]
        named = {name: run[name] for name in ("trainer", "config", "settings", "max_length", "version")}
        python = run.get("python")
        return {**named, **({"python": python, "run": token_run_of(dataset)} if python is not None else {})}

    def promised(self) -> frozenset[str]:
        """Disagreements only where a Python is named."""
        return frozenset(self.metrics) - (frozenset() if self.python else {"disagreements"})

    def needs(self) -> tuple[Need, ...]:
        """The fates, once the trainer is known, and what the installed one says."""
        if not is_trainer(self.trainer):
            return ()
        asked = self._asked()
        return (self._fates(), asked) if asked is not None else (self._fates(),)

    def _asked(self) -> Need | None:
        if self.python is None or self.run is None:
            return None
        return Need(Agreement(run=self.run, python=self.python))

    @property
    def _run(self) -> RunOf:
        return RunOf(trainer=self.trainer or "", config=self.config, settings=self.settings, max_length=self.max_length)

    def _fates(self) -> Need:
        return Need(Fates(run=self._run))

    def measure(self, data: View) -> Measured:
        """Count rows by the worst of their fates; a row counts once, under the rule that decided."""
        why = self._unmeasured()
        if why:
            return self.not_measured(why)
        mode, settings = self._run.mode, self._run.settings_read()
        first = mode.first(settings)
        fates = data[self._fates()].collect()
        taken = data.rows.select("row") if first is None else data.rows.select("row").filter(pl.col("row") < first)
        need = self._asked()
        asked = data[need].collect() if need is not None else None
        decided = _decided(fates) if asked is None else _believed(_decided(fates), asked)
        decided = decided.join(taken.collect(), on="row", how="semi", maintain_order="left")
        of_run = fates.filter(pl.col("row").is_null()).unique(["problem", "said"], maintain_order=True)
        explained = decided.filter(pl.col("problem") != NOT_EXPLAINED)
        lost = explained.filter(pl.col("fate").is_in(LOST))
        stops = lost.filter(pl.col("fate") == "fails").height + of_run.filter(pl.col("fate") == "fails").height
        altered = explained.filter(pl.col("fate").is_in(["changed", "masked", "truncated"]))
        kept = taken.join(lost.lazy(), on="row", how="anti")
        rows = total(taken)
        return Measured(
            (
                *rates("kept", kept, taken, by=self.by, rows=data.rows),
                Value("run_stops", stops if rows else None),
                *rates("altered", altered.lazy(), taken, by=self.by, rows=data.rows),
                Value("unexplained", decided.height - explained.height if rows else None),
                *([Value("disagreements", _disagreements(asked))] if asked is not None else []),
            ),
            evidence=_evidence(mode, decided, of_run, data, asked),
            figures={"ledger": _ledger(decided, rows)},
            not_checked=(
                *self._said(asked),
                *_notes(mode, settings, of_run, total(data.rows), rows),
                version_note(mode, self.version),
            ),
        )

    def _said(self, asked: pl.DataFrame | None) -> list[Message]:
        """What the installed trainer said of how many rows, and what it could not be asked."""
        if asked is None or self.python is None:
            return []
        told = [Message.unpacked(said) for said in asked.filter(pl.col("row").is_null())["said"]]
        agreed = _disagreements(asked)
        if agreed is None:
            return told
        name, _, version = self.python.package.partition(" ")
        package, same = Message("{name} {version}", name=name, version=release(version)), agreed.of - agreed.n
        said = Message("your {package} agrees on {same:,} of {n:,} rows", package=package, same=same, n=agreed.of)
        return [said, *told]

    def _unmeasured(self) -> Message | None:
        """Why nothing can be measured, if so."""
        if self.trainer is None:
            return _NO_TRAINER
        if not is_trainer(self.trainer):
            return Message(
                "{trainer}: not a trainer that datacheck knows; known: {known}",
                trainer=self.trainer,
                known=", ".join(trainer_names()),
            )
        try:
            self._run.settings_read()
        except SettingsError as error:
            return unreadable(error)
        return None


_NO_TRAINER = Message("no trainer is named; write `run: {trainer: trl.sft}` (or another) in the contract")


def _notes(mode: Mode, settings: Settings, of_run: pl.DataFrame, every: int, taken: int) -> list[Message]:
    """Rows that were not counted, rules about the run that stop nothing, and the length that is looked at elsewhere."""
    first = Message(
        "the settings take the first {n:,} of {every:,} rows; the others were not counted", n=taken, every=every
    )
    notes = [first] if taken < every else []
    for problem, said in of_run.filter(pl.col("fate") != "fails").select("problem", "said").iter_rows():
        rule, more = Message(mode.rules[problem].says), Message.unpacked(said) if said else "–"
        notes.append(Message("{problem}: {rule} ({detail})", problem=problem, rule=rule, detail=more))
    limit = mode.cut(settings).limit
    if limit is not None:
        notes.append(
            Message("rows of more than {limit:,} tokens: not counted here (check truncated_samples)", limit=limit)
        )
    return notes


def _disagreements(asked: pl.DataFrame) -> Ratio | None:
    """Rows of which the package says otherwise; None where it said nothing."""
    rows = asked.drop_nulls("row").filter(pl.col("fate") != "unknown")
    return Ratio(rows.drop_nulls("differs").height, rows.height) if rows.height else None


def _believed(decided: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The decisions, where the package says otherwise by its word."""
    fate = pl.col("fate").replace_strict({"failed": "fails"}, default=pl.col("fate"), return_dtype=pl.String)
    others = asked.filter(pl.col("differs") == "fate").with_columns(fate, pl.col("row").cast(pl.UInt64))
    lost = others.filter(pl.col("fate").is_in(LOST)).select(
        "row", "fate", problem=pl.lit(BY_PACKAGE), where=pl.lit(None, pl.String), said=_PLACE
    )
    rest = decided.join(others, on="row", how="anti", maintain_order="left")
    return pl.concat([rest, lost], how="diagonal").sort("row", maintain_order=True)


def _decided(fates: pl.DataFrame) -> pl.DataFrame:
    """One line per row: the worst of its fates, the first of equals."""
    worst = pl.col("fate").replace_strict(_ORDER, return_dtype=pl.Int8)
    table = fates.drop_nulls("row").with_columns(pl.col("row").cast(pl.UInt64), worst=worst)
    return table.sort("row", "worst", descending=[False, True], maintain_order=True).unique(
        "row", keep="first", maintain_order=True
    )


def _evidence(
    mode: Mode, decided: pl.DataFrame, of_run: pl.DataFrame, data: View, asked: pl.DataFrame | None
) -> pl.LazyFrame:
    """Rows that are lost; rows that are kept but altered, or of which the twin is wrong, to read and not to drop."""
    said = {slug: _rule(rule).packed for slug, rule in mode.rules.items()}
    said |= {NOT_EXPLAINED: _UNEXPLAINED.packed, NOT_READABLE: _SETTINGS.packed, BY_PACKAGE: _BY_PACKAGE.packed}
    rule = pl.col("problem").replace_strict(said, return_dtype=pl.String)
    told = pl.coalesce(around("{one}; {two}", one=rule, two=pl.col("said")), rule)
    hints = {slug: Message(rule.hint).packed for slug, rule in mode.rules.items()}
    hint = pl.col("problem").replace_strict(hints, default=None, return_dtype=pl.String)
    told = pl.coalesce(around("{one}; {two}", one=told, two=hint), told)
    lines = decided.lazy().select("row", "where", "problem", "fate", said=told)
    lost = pl.col("fate").is_in(LOST)
    files = data.rows.select("file").head(1).collect()["file"].to_list()
    at = pl.lit(files[0] if files else None, pl.String)  # what is about the run stands at its first file
    whole = of_run.lazy().filter(pl.col("fate") == "fails")
    whole = whole.select("where", "problem", "fate", said=told, file=at)
    found = [placed(lines.filter(lost), data.rows), whole, for_review(lines.filter(~lost), data.rows)]
    if asked is not None:
        found.append(for_review(_differing(asked), data.rows))
    return pl.concat(found, how="diagonal").drop("fate")


def _differing(asked: pl.DataFrame) -> pl.LazyFrame:
    """A line for each row of which the package says otherwise, and in what."""
    lines = asked.lazy().drop_nulls("differs").filter(pl.col("row").is_not_null())
    what = saying("the twin says otherwise than the installed package: {what}", what=word("differs"))
    return lines.select("row", problem=pl.lit("package_differs"), fate=pl.lit(None, pl.String), said=what)


BY_PACKAGE = "by_package"
_BY_PACKAGE = Message("so says the installed package")
_PLACE = pl.when(pl.col("at").is_not_null()).then(saying("{at}", at="at"))
_UNEXPLAINED = Message("the twin failed on this row; please report it")
_SETTINGS = Message("settings")


def _rule(rule: Rule) -> Message:
    fate, says = Message(rule.fate), Message(rule.says)
    file, _, line = rule.source.rpartition(":")  # a number: text with that many digits would be masked
    if not line.isdigit():
        return Message("{fate}: {rule} ({source})", fate=fate, rule=says, source=rule.source)
    return Message("{fate}: {rule} ({file}:{line})", fate=fate, rule=says, file=file, line=int(line))


def _ledger(decided: pl.DataFrame, rows: int) -> pl.DataFrame:
    """`step`, `rows`: rows in, what is lost by each reason, rows trained, and of those the altered ones by reason."""
    by_reason = decided.group_by("fate", "problem").len("rows").sort("rows", "problem", descending=[True, False])
    counts = [(fate, f"{fate}: {problem}", n) for fate, problem, n in by_reason.iter_rows()]
    lost = [(words, n) for fate, words, n in counts if fate in LOST]
    rest = [(f"… {words}", n) for fate, words, n in counts if fate not in LOST]
    trained = rows - sum(n for _, n in lost)
    table = [("in", rows), *lost, ("trained", trained), *rest]
    return pl.DataFrame(table, schema={"step": pl.String, "rows": pl.Int64}, orient="row")
