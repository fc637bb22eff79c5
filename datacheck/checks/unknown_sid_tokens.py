"""The check unknown_sid_tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, Value, View, rates, total
from datacheck.features.sid_tokens import SidTokens
from datacheck.features.tokens import TokenRun, load_model, token_run_of


class UnknownSidTokens(Check):
    """Rows with a token of a semantic id (`<a_12>`) that neither the index nor the tokenizer has.

    Generative recommenders (MiniOneRec) add every token of the index to the tokenizer before they train. `columns` are
    those that hold semantic ids, `of` is the dataset of the index and `key` its column of tokens. Where the contract
    names `run.tokenizer`, its vocabulary counts as well, and the report says how many tokens are to be added.
    """

    metrics = {
        "rate": Metric(
            "rows with a token that nobody knows",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="a token that is in no vocabulary is cut into pieces, and names no item",
        ),
        "vocabulary": Metric(
            "different tokens of the index",
            "tokens",
            limit=Limit(min=1),
            why="with an empty index nothing was compared: the column is another one",
        ),
        "to_add": Metric("tokens of the index that the tokenizer does not have yet", "tokens"),
    }

    check: Literal["unknown_sid_tokens"] = "unknown_sid_tokens"
    columns: tuple[str, ...] = Field(min_length=1, description="top-level columns that hold semantic ids")
    of: str = Field(description="the dataset of the contract that is the index")
    key: str = Field(description="the column of tokens there")
    run: TokenRun | None = Field(default=None, description="whose tokenizer is asked; from `run:`")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run stands with the contract."""
        return {"run": token_run_of(dataset)}

    def keys_named(self) -> tuple[str, ...]:
        """The columns."""
        return self.columns

    def needs(self) -> tuple[Need, ...]:
        """The tokens of both sides."""
        return (Need(SidTokens(named=self.columns)), Need(SidTokens(named=(self.key,)), of=self.of))

    def measure(self, data: View) -> Measured:
        """Compare vocabularies, then find the rows of what is unknown."""
        ours, theirs = (data[need] for need in self.needs())
        index = set(theirs.select(pl.col("token").unique()).collect()["token"])
        used = set(ours.select(pl.col("token").unique()).collect()["token"])
        pieces = self._pieces(index | used)
        single = {token for token, count in (pieces or {}).items() if count == 1}
        unknown = {token: _said(token, pieces) for token in sorted(used - index - single)}
        found = ours.filter(pl.col("token").is_in(list(unknown)))
        words = pl.col("token").replace_strict(unknown, default=None, return_dtype=pl.String)
        evidence = found.select("row", where=pl.lit(None, pl.String), problem=pl.lit("unknown_sid_token"), said=words)
        silent = total(data.rows.join(ours.select("row").unique(), on="row", how="anti"))
        return Measured(
            (
                *rates("rate", found, data.rows, by=self.by, rows=data.rows),
                Value("vocabulary", len(index)),
                Value("to_add", len(index - single)),
            ),
            evidence=evidence,
            not_checked=_notes(silent, asked=pieces is not None),
        )

    def _pieces(self, tokens: set[str]) -> dict[str, int] | None:
        """Pieces that the tokenizer makes of each token; None where none is named."""
        run = self.run
        if run is None or run.tokenizer is None or not run.tokenizer.files:
            return None
        listed = sorted(tokens)
        encoded = load_model(run.tokenizer).tokenizer.encode(listed)
        return {token: len(each.ids) for token, each in zip(listed, encoded, strict=True)}


def _said(token: str, pieces: Mapping[str, int] | None) -> str:
    if not pieces:
        return Message("{token} is not in the index", token=token).packed
    split = Message.plural(
        "{token} is not in the index; the tokenizer splits it into {n} piece",
        "{token} is not in the index; the tokenizer splits it into {n} pieces",
        pieces[token],
        token=token,
    )
    return split.packed


def _notes(silent: int, *, asked: bool) -> tuple[Message, ...]:
    notes = [] if asked else [_NO_TOKENIZER]
    if silent:
        notes.append(
            Message.plural(
                "{n:,} row has no token of a semantic id", "{n:,} rows have no token of a semantic id", silent
            )
        )
    return tuple(notes)


_NO_TOKENIZER = Message("no tokenizer is named: only the index was asked, and all its tokens count as to be added")
