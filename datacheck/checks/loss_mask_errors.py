"""The check loss_mask_errors."""

from typing import Literal

import polars as pl

from datacheck.check import Limit, Measured, Message, Metric, View, rates
from datacheck.features.tokens import NO_TOKENIZER, OfTokens, faults, strips, unknown


class LossMaskErrors(OfTokens):
    """Share of rows in which the wrong tokens are trained: the user's words, no answer, no end of the turn.

    Each row is rendered with the chat template and tokenized with the run's tokenizer, as the trainer will. Every
    token of an answer must be TRAIN, every token of a question and of the system prompt must be skip, and the token
    that ends the turn must be TRAIN: a model that never learns it never stops. The mask is that of the template's
    `{% generation %}` marks; without them it is found from prefixes; for prompt and completion from the length of the
    prompt alone, as TRL does.
    """

    metrics = {
        "rate": Metric(
            "rows with a wrong loss mask",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="a mask comes from code: what is wrong in one row is wrong in all of its shape",
        )
    }

    reads = "text"
    check: Literal["loss_mask_errors"] = "loss_mask_errors"

    def measure(self, data: View) -> Measured:
        """Count rows with a fault."""
        if not self.needs():
            return self.not_measured(NO_TOKENIZER)
        tokens = data[self.needs()[0]]
        limits = unknown(tokens)
        if limits:
            return self.not_measured(*limits)
        found = faults(tokens).filter(pl.col("problem") != "content_dropped")
        counted = tokens.select("row", "by").collect()
        trained = counted.filter(pl.col("by").ne_missing("sampled"))
        others = data.rows.join(trained.lazy(), on="row", how="anti").select(pl.len()).collect().item()
        prefix = counted.filter(pl.col("by") == "prefix").height
        notes = (
            Message.plural(
                "{n:,} row has no answer to train (prompts, no conversation, or lost to the named trainer)",
                "{n:,} rows have no answer to train (prompts, no conversation, or lost to the named trainer)",
                others,
            ),
            Message.plural(
                "{n:,} mask was found from prefixes: the template has no {{% generation %}}",
                "{n:,} masks were found from prefixes: the template has no {{% generation %}}",
                prefix,
            ),
        )
        masks = counted.drop_nulls("by").group_by(mask="by").len("examples").sort("mask")
        return Measured(
            rates("rate", found, data.rows, by=self.by, rows=data.rows),
            evidence=found,
            figures={"tokens": strips(tokens, data.rows), "masks": masks},
            not_checked=tuple(note for note in notes if note.params["n"]),
        )
