"""Count the conversations whose roles are unknown, out of order, or leave nothing to train on."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Feature, Limit, Measured, Message, Metric, Need, View, around, rates, saying, total
from datacheck.features.outcomes import NOT_READABLE, Fates, RunOf
from datacheck.loading.formats import names_of
from datacheck.text.gated import one_of
from datacheck.text.views import alone
from datacheck.trainers import is_trainer
from datacheck.trainers.base import Mode

_ROLES = ("system", "user", "assistant", "tool")
_SIDES = {"prompt": 0, "response": 1, "chosen": 1, "rejected": 2}
# Calls that stand in the text: Hermes and Qwen, Llama, Mistral, ReAct (as LLaMA-Factory renders it), glaive, DeepSeek,
# functionary, InternLM, Qwen's agents, and tags of one's own.
_CALL_MARKS = one_of(
    [
        *(
            "<tool_call>",
            "<function=",
            "[TOOL_CALLS]",
            "Action:",
            "<functioncall>",
            "<function_call>",
            "<|python_tag|>",
        ),
        *(
            "<｜tool▁calls▁begin｜>",
            "<|tool_calls_section_begin|>",
            "functools[",
            "<|plugin|>",
            "✿FUNCTION✿",
            "<tool_use>",
        ),
    ]
)
# … or are the whole text: [get_weather(city="Paris")] (Llama's pythonic form, ToolACE), {"name": "f", "parameters": …}
_WHOLE_CALL = (
    r"(?s)^\s*\[[A-Za-z_][^\n()\[\]]{0,80}\(.*\)\s*\]\s*$"
    r"|^\s*(?:```(?:json)?\s*)?\[?\s*\{\s*\"(?:name|function|tool|tool_name|action)\"\s*:.*"
    r"\"(?:arguments|parameters|args|params|input|action_input|tool_input|kwargs)\"\s*:"
)
_CALL_PART = (
    r"^(.+)\[\d+\]\.type$"  # a part of a content: {type: tool_call or tool_calls} (LLaMA-Factory v1), {type: tool_use}
)
_ASKED_IN_TURN = r"^(turns|question)\["  # MT-Bench and BFCL list the user's turns; the answers come at run time
_NOT_ASKED = Message("the settings of the run cannot be read: the trainer's rules were not asked")


class RoleErrors(Check):
    """Conversations with an unknown role, a wrong order, a system message in the middle, or no answer to train.

    The order is: system first if at all, then user and assistant in turn. Tool results follow an assistant's call,
    which may be its text, several in a row for parallel calls. Two assistant messages in a row are fine only if the
    second makes a call. Formats that hold no answers (prompt_only, rlvr, qa, multiple_choice) need none; text and rows
    have no roles.

    Where the contract names `run.trainer`, the trainer's own rules on roles count beside these, with their file and
    line: the role names are those that its loader takes, and what it mends itself (ms-swift puts consecutive messages
    of one side together) is no error.
    """

    metrics = {
        "rate": Metric(
            "rows whose roles are wrong",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="a trainer drops or masks such a row, or stops at it, often without a word",
        )
    }

    reads = "text"
    blind = ("rows", "tokens", "one_message")  # rows of no known format are faults that it names
    check: Literal["role_errors"] = "role_errors"
    run: RunOf | None = Field(default=None, description="the run whose trainer's rules count; from `run:`")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run, where its trainer is known."""
        run = dataset["run"]
        if run["trainer"] is None or not is_trainer(run["trainer"]):
            return {}
        return {"run": RunOf(**{name: run[name] for name in RunOf.model_fields})}

    def needs(self) -> tuple[Need, ...]:
        """What is wrong by itself, and what the trainer does with each row, if one is named."""
        return (Need(RoleFaults()), *((Need(Fates(run=self.run)),) if self.run else ()))

    def measure(self, data: View) -> Measured:
        """Count what the feature found, with the trainer's own rules."""
        found = data[Need(RoleFaults())]
        exempt = total(data.rows.filter(pl.col("format").is_in([*names_of("plain"), "rows"])))
        left_out = Message.plural(
            "{n:,} row is text or a plain row and has no roles",
            "{n:,} rows are text or plain rows and have no roles",
            exempt,
        )
        notes = [left_out] if exempt else []
        if self.run:
            fates = data[Need(Fates(run=self.run))].collect()
            if NOT_READABLE in fates["problem"]:
                notes.append(_NOT_ASKED)
            found = _by_trainer(self.run.mode, found, fates)
        found = found.collect().lazy()  # once, for the rate and for the evidence
        return Measured(
            rates("rate", found, data.rows, by=self.by, rows=data.rows), evidence=found, not_checked=tuple(notes)
        )


def _by_trainer(mode: Mode, found: pl.LazyFrame, fates: pl.DataFrame) -> pl.LazyFrame:
    """Without what the trainer mends or names otherwise, and with its own rules on roles."""
    spared = [*mode.tolerates, *(["unknown_role"] if mode.role_rules else [])]
    rules = {slug: mode.rules[slug] for slug in sorted(mode.role_rules) if slug in mode.rules}
    said = {
        slug: Message(
            "{trainer}: {rule} ({source})", trainer=mode.name, rule=Message(rule.says), source=rule.source
        ).packed
        for slug, rule in rules.items()
    }
    own = fates.lazy().filter(pl.col("problem").is_in(list(said)), pl.col("row").is_not_null())
    rule = pl.col("problem").replace_strict(said, default=None, return_dtype=pl.String)
    words = pl.coalesce(around("{one}; {two}", one=rule, two=pl.col("said")), rule)
    lines = own.select(pl.col("row").cast(pl.UInt64), "where", "problem", said=words)
    kept = found.filter(~pl.col("problem").is_in(spared)).with_columns(pl.col("row").cast(pl.UInt64))
    return pl.concat([kept, lines], how="diagonal")


class RoleFaults(Feature):
    """`row`, `where`, `problem`, `said`: what is wrong with messages in their places, and with rows as wholes."""

    columns = {"row": pl.UInt32, "where": pl.String, "problem": pl.String, "said": pl.String}

    def compute(self, part: View) -> pl.DataFrame:
        """Look at each message beside the one before it, then at each row as a whole."""
        spoken = _sequence(part.turns, part.cells, part.rows)
        found = pl.concat([_order(spoken), _whole(spoken, part.rows)], how="diagonal")
        return alone(found.select(*self.columns).collect())


def _sequence(turns: pl.LazyFrame, cells: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """The messages in order, each with the one before it: a rejected answer follows the prompt, not the chosen one."""
    role, side, row = pl.col("role"), pl.col("side"), pl.col("row")
    calls = pl.col("calls") | pl.col("part_calls").is_not_null()
    parts = cells.filter(pl.col("text").is_in(["tool_call", "tool_calls", "tool_use"]))
    in_parts = parts.select("row", path=pl.col("path").str.extract(_CALL_PART), part_calls=pl.lit(value=True)).unique()
    turns = (
        _spoken(turns)
        .join(in_parts, on=["row", "path"], how="left", maintain_order="left")
        .select("row", "turn", "role", "path", "part", calls=calls, side=pl.col("part").replace_strict(_SIDES))
        .sort("row", "side", "turn", maintain_order=True)
    )
    same_row = (row == row.shift(1)).fill_null(value=False)
    goes_on = same_row & ((side == side.shift(1)) | (side == 1))
    asked = side == 0
    last_prompt = {name: pl.when(asked).then(name).forward_fill() for name in ("row", "role", "calls")}
    from_prompt = (side == 2) & ~goes_on & (last_prompt["row"] == row)
    before = {
        name: pl.when(goes_on).then(pl.col(name).shift(1)).when(from_prompt).then(last_prompt[name])
        for name in ("role", "calls")
    }
    joined = turns.with_columns(
        before=before["role"].fill_null("?").alias("before"),
        called=before["calls"].fill_null(value=False),
        first=~goes_on & ~from_prompt.fill_null(value=False),
    )
    return joined.with_columns(known=role.is_in(_ROLES).fill_null(value=False)).join(
        rows.select("row", "format"), on="row", how="left", maintain_order="left"
    )


def _spoken(turns: pl.LazyFrame) -> pl.LazyFrame:
    """The messages without their texts; `calls`: with a call beside the text, or in it."""
    text = pl.col("text")
    in_text = (text.str.contains(_CALL_MARKS) | text.str.contains(_WHOLE_CALL)).fill_null(value=False)
    spoken = turns.filter(pl.col("part").is_in(list(_SIDES)))
    return spoken.select("row", "turn", "role", "path", "part", calls=pl.col("tool_calls").is_not_null() | in_text)


def _order(turns: pl.LazyFrame) -> pl.LazyFrame:
    """One line per message that is wrong in its place. What follows an unknown role is not judged by it."""
    role, before, first = pl.col("role"), pl.col("before"), pl.col("first")
    answer_alone = pl.col("format").is_in(names_of("preference")) & (
        pl.col("part") != "prompt"
    )  # the prompt is in its text
    answer_alone |= pl.col("turn") > 0  # before it is no text: a picture, a sound
    asked_in_turn = pl.col("path").str.contains(_ASKED_IN_TURN)
    unasked = (before == "system") & (pl.col("turn") == 1)  # a later system message is wrong itself
    wrong_before = (
        pl.when(role == "user")
        .then(before.is_in(["user", "tool"]) & ~asked_in_turn)
        .when(role == "assistant")
        .then(unasked | ((before == "assistant") & ~pl.col("calls")) | (first & ~answer_alone))
        .otherwise(statement=False)
    )
    uncalled = (role == "tool") & (
        first | before.is_in(["system", "user"]) | ((before == "assistant") & ~pl.col("called"))
    )
    problem = (
        pl.when(~pl.col("known"))
        .then(pl.lit("unknown_role"))
        .when((role == "system") & ~first)
        .then(pl.lit("system_not_first"))
        .when(uncalled)
        .then(pl.lit("tool_without_call"))
        .when(wrong_before)
        .then(pl.lit("wrong_order"))
    )
    said = (
        pl.when(~pl.col("known"))
        .then(pl.when(role.is_null()).then(saying("role missing")).otherwise(saying("role {role}", role=role)))
        .when(first)
        .then(saying("{role} comes first", role=role))
        .otherwise(saying("{role} after {before}", role=role, before=before))
    )
    return turns.select("row", where="path", problem=problem, said=said).drop_nulls("problem")


def _whole(turns: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """One line per row that lacks a question or an answer, has no message, or no known format."""
    role, part = pl.col("role"), pl.col("part")
    ends = [role.filter(pl.col("side") == side).last().alias(f"end_{side}") for side in (0, 1, 2)]
    seen = turns.group_by("row").agg(
        *ends,
        asked=(role == "user").any(),
        odd=(~pl.col("known")).any(),
        prompted=(part == "prompt").any(),
        shown=(pl.col("turn") > 0).all(),  # what was asked is no text
        where=pl.col("path").last(),
    )
    table = rows.select("row", "format").join(seen, on="row", how="left")
    kind, odd = pl.col("format"), pl.col("odd")
    pair, ends_answered = kind.is_in(names_of("preference")), kind.is_in(names_of("chat", "preference"))
    asks = ends_answered | kind.is_in(names_of("prompt", "verifiable", "answered", "choices"))
    last = pl.when(pair).then("end_1").otherwise(pl.coalesce("end_1", "end_0"))
    unanswered = (last.ne_missing("assistant")) | (pair & pl.col("end_2").ne_missing("assistant"))
    problem = (
        pl.when(kind == "unknown")
        .then(pl.lit("unknown_format"))
        .when(asks & odd.is_null())
        .then(pl.lit("empty_conversation"))
        .when(odd)
        .then(None)
        .when(asks & ~pl.col("asked") & ~pl.col("shown") & (~pair | pl.col("prompted")))
        .then(pl.lit("no_user"))
        .when(ends_answered & unanswered)
        .then(pl.lit("no_answer"))
    )
    return table.select("row", "where", problem=problem).drop_nulls("problem")
