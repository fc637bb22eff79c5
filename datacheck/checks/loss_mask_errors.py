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

    ## Why it matters
    A wrong mask raises no error. With the question in the loss the model learns to ask; with no trained token the loss
    is NaN or 0; with an end token that is never trained it talks on. One example shows it, thousands hide it.

    ## Example
    ```yaml
    run: {tokenizer: tok/qwen2, max_length: 2048}
    datasets:
      train:
        source: data/train.jsonl
        checks:
          - check: loss_mask_errors
    ```

    ## How to fix
    - `no_trained_token`: the template has no `{% generation %}` that fits, or the row has no answer.
    - `trained_lost`: nothing of the answer is left after truncation; raise the length or shorten the prompt.
    - `prompt_trained`, `assistant_not_trained`: mend the template's `{% generation %}` marks.
    - `end_missing`: the template writes no end token after the answer; `end_not_trained`: move it into the marks.
    - `prompt_not_prefix`: the prompt's last characters fuse with the answer's first; put a line feed between them.
    - `prefix_not_stable`: the template rewrites earlier turns; use one with `{% generation %}` (TRL has such ones).
    - `template_refused`, `no_template`, `not_encodable`: the row cannot be rendered; see template_errors.

    ## How to verify
    Run again: the rate is 0. Look at the strips of the report, or at rows of your choice: `datacheck preview`.

    ## Known limits
    Words of a message are looked for in the trained and the skipped text: very short ones may be found elsewhere.
    Vision tokens are not known. Tokens that your own collator masks are known only if the trainer is named.
    """

    metrics = {"rate": Metric("rows with a wrong loss mask", "share", of="rows", limit=Limit(max=0))}

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
