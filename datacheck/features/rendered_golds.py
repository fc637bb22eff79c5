"""Whether the answer of a row stands in its prompt as a trainer renders both."""

from typing import Any

import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.features.outcomes import RunOf, parsed, seen_of
from datacheck.trainers.base import Trained


class RenderedGolds(Feature):
    """`row`, `gold`, `state`: one line per row of which the trainer makes a prompt and an answer.

    `state` is given (the prompt holds the answer) or absent; an empty answer has no line.
    """

    columns = {"row": pl.UInt32, "gold": pl.String, "state": pl.String}

    run: RunOf

    def needs(self) -> tuple[Need, ...]:
        """The records, and what loaders look at before."""
        return (Need("records"), Need(self.run.seen_before))

    def compute(self, part: View) -> pl.DataFrame:
        """Let the twin render each record."""
        mode, settings = self.run.mode, self.run.settings_read()
        seen = seen_of(part[Need(self.run.seen_before)])
        lines = []
        for row, record in parsed(part.records.collect()):
            trained = mode.read(record, settings, seen).trained
            gold = _text(trained.response).strip() if trained else ""
            if trained and gold:
                lines.append((row, gold, "given" if gold in _text(_asked(trained)) else "absent"))
        return pl.DataFrame(lines, schema=self.columns, orient="row")


def _asked(trained: Trained) -> Any:
    return trained.prompt if trained.prompt is not None else trained.text


def _text(value: Any) -> str:
    """Text as it is, of messages their contents."""
    if isinstance(value, list):
        return "\n".join(_text(message.get("content")) for message in value if isinstance(message, dict))
    return value if isinstance(value, str) else ""
