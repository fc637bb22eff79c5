"""The check template_errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from datacheck.check import Limit, Measured, Message, Metric, Value, View, for_review, placed, rates
from datacheck.features.tokens import NO_TOKENIZER, OfTokens, change_of, faults, load_model, renderer, unknown

if TYPE_CHECKING:
    from datacheck.chat.lint import Lint
    from datacheck.chat.sample import Fault

_OF_ROWS = ("template_refused", "content_dropped", "not_encodable", "no_template")
_OF_SYSTEM = ("system_dropped", "system_refused")
_THOUGHT = "<think>"


class TemplateErrors(OfTokens):
    """Faults of the run's chat template, found with a conversation of known words, and rows that it refuses or cuts.

    The probe shows what the template leaves out (a message, the system prompt), whether an answer is ended by a token,
    whether `add_generation_prompt` writes what training has before an answer, and whether equal conversations give
    equal texts. Then each row is rendered: `rate` counts those that the template refuses or whose words it drops.
    """

    metrics = {
        "count": Metric(
            "faults of the template",
            "faults",
            limit=Limit(max=0),
            why="every row goes through the template: one fault of it is in all rows",
        ),
        "warnings": Metric(
            "oddities of the template that may be meant",
            "oddities",
            limit=Limit(warn_max=0),
            why="they are often meant, as is padding with the end token",
        ),
        "rate": Metric(
            "rows that the template refuses or drops words of",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="at a row that the template refuses the run stops; words that it drops are lost silently",
        ),
    }

    reads = "text"
    check: Literal["template_errors"] = "template_errors"

    def measure(self, data: View) -> Measured:
        """Lint the template, then count rows."""
        if not self.needs():
            return self.not_measured(NO_TOKENIZER)
        tokens = data[self.needs()[0]]
        found = self._lint()
        limits = (_limit(found.error),) if found.error else unknown(tokens)
        first = data.rows.select(pl.col("row").min()).collect().item()
        if limits or first is None:
            return self.not_measured(*(limits or (_NO_ROWS,)))
        has = _Has(data)
        wrong, odd, notes = _sorted(found, has)
        rows = faults(tokens).filter(pl.col("problem").is_in(_OF_ROWS))
        evidence = pl.concat(
            [
                placed(rows, data.rows).cast({"row": pl.UInt64}),
                for_review(_lines((*wrong, *odd), has, first), data.rows),
            ],
            how="diagonal",
        )
        return Measured(
            (
                Value("count", len(wrong)),
                Value("warnings", len(odd)),
                *rates("rate", rows, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=evidence,
            not_checked=(*notes, *([_OWN] if self._own else [])),
        )

    @property
    def _own(self) -> bool:
        """Whether the trainer has a template of its own."""
        trainer = self.run.trainer if self.run else None
        return trainer is not None and change_of(trainer) is not None

    def _lint(self) -> Lint:
        from datacheck.chat.lint import Lint, lint  # jinja2 and tokenizers: only where they are used
        from datacheck.chat.rendering import NO_TEMPLATE
        from datacheck.chat.sample import Fault

        assert self.run is not None
        assert self.run.tokenizer is not None
        model = load_model(self.run.tokenizer)
        child = renderer(model, self.run.template, self.run.trainer)
        if child is None and self._own:
            return Lint()
        if child is None:
            return Lint((Fault("no_template", None, NO_TEMPLATE),))
        with child:
            return lint(child, model.tokenizer)


_NO_ROWS = Message("no rows")
_OWN = Message("the trainer has a template of its own: only the rows were looked at, and not the tokenizer's template")


def _limit(error: Message) -> Message:
    return Message("a probe could not be rendered within the limits ({error})", error=error)


class _Has:
    """The first row that has what a fault is about: a system message, thoughts."""

    def __init__(self, data: View) -> None:
        turns = data.turns.select("row", "role", thought=pl.col("text").str.contains(_THOUGHT, literal=True))
        first = turns.select(
            system=pl.col("row").filter(pl.col("role") == "system").min(), thought=pl.col("row").filter("thought").min()
        )
        self.system, self.thought = first.collect().row(0)

    def row(self, problem: str) -> int | None:
        """The row to look at for a fault."""
        if problem in _OF_SYSTEM:
            return self.system  # type: ignore[no-any-return]
        return self.thought if problem == "thought_dropped" else None


def _sorted(found: Lint, has: _Has) -> tuple[list[Fault], list[Fault], tuple[Message, ...]]:
    """Faults, oddities, and notes: what the data has no use for is none of the first two."""
    unused = [f for f in found.faults if f.problem in _OF_SYSTEM and has.system is None]
    unused += [f for f in found.warnings if f.problem == "thought_dropped" and has.thought is None]
    marks = [f for f in found.warnings if f.problem == "no_generation_marks"]
    notes = [Message("{problem}: {why}", problem=f.problem, why=f.said or "") for f in marks]
    notes += [Message("{problem}: the template does that, but no row has it", problem=f.problem) for f in unused]
    left_out = {*unused, *marks}
    wrong = [f for f in found.faults if f not in left_out]
    return wrong, [f for f in found.warnings if f not in left_out], tuple(notes)


def _lines(found: tuple[Fault, ...], has: _Has, first: int) -> pl.LazyFrame:
    at = [has.row(f.problem) for f in found]
    lines = [(first if n is None else n, f.problem, f.said and f.said.packed) for n, f in zip(at, found, strict=True)]
    return pl.LazyFrame(lines, schema={"row": pl.UInt64, "problem": pl.String, "said": pl.String}, orient="row")
