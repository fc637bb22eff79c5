"""The check control_tokens."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Feature, Limit, Measured, Message, Metric, Need, View, rates, saying, total
from datacheck.features.turn_texts import (
    PLACE,
    evidence,
    flagged,
    of_rows,
    per_kind,
    texts_of,
    turn_texts,
    without_code,
)
from datacheck.loading.formats import names_of
from datacheck.loading.formats.chatml import RENDERED
from datacheck.text.views import alone

# Pictures, sounds and boxes stand in the text of their rows on purpose (Phi-3, Qwen-VL), as <image> does.
_MEDIA = r"(?i)<\|(?:image|video|audio|vision|img|object_ref|box|quad|speech)[a-z0-9_]*\|>"
_VISION = ("<|vision_start|>", "<|vision_end|>")  # between them Qwen-VL looks for its pictures
_FAMILIES = (
    r"<\|[A-Za-z][A-Za-z0-9_.:-]{0,39}\|>",  # ChatML, Llama 3, GLM, Phi, Cohere
    r"<｜[^｜<>\s]{1,40}｜>",  # DeepSeek: fullwidth bars
    r"\[/?INST\]|<</?SYS>>|\[/?SYSTEM_PROMPT\]",  # Llama 2, Mistral
    r"</?(?:start|end)_of_turn>|<(?:bos|eos|pad|unk)>",  # Gemma, T5
    r"\[[gs]?MASK\]<sop>|\[[gs]MASK\]|<(?:sop|eop|eoh|eoa|eosys)>|\[UNUSED_TOKEN_\d+\]",  # GLM, InternLM
    r"< \| ?(?:im_start|im_end|endoftext|end_of_text|eot_id|assistant|system) ?\| >",  # what a tokenizer set apart
    r"<reserved_\d+>|<extra_id_\d+>|<unused\d+>",  # Baichuan, T5, Gemma
)
_TOKEN = "|".join(_FAMILIES)
# Beginnings of the names that templates of ChatML's form have. What only looks like one ("<|secret|>") may be a word.
_NAMES = (
    "im|fim|end|eo|start|begin|header|python|reserved|finetune|repo|file|sep|system|user|assistant|observation|tool"
    "|human|bot|chatbot|prompter|role|message|channel|return|constrain|call|step|action|plugin|interpreter|pad|bos|eos|cls"
    "|mask|placeholder|dummy|think|answer|prefix|suffix|middle|turn|func|context|text|result|inner|command|moss|extra|special"
)
_KNOWN = rf"(?i)<\|/?(?:{_NAMES})[a-z0-9_.:-]*\|>|{'|'.join(_FAMILIES[1:])}"
_S = r"</?s>"
_THINK = r"</?(?:think|answer|tool_call)>"
_MOST = 0.5  # of the rows with a prompt: where more are rendered, the set is one for a trainer that renders none


class ControlTokens(Check):
    """Share of rows whose messages hold control tokens of a chat template, or a thinking block that is not closed.

    Looked for are the tokens of the usual families: `<|im_start|>`, `<|eot_id|>`, `<｜User｜>`, `[INST]`, `<<SYS>>`,
    `<start_of_turn>`, `[gMASK]`, `<reserved_106>`; `<s>` and `</s>` where they are no HTML; and, in what the
    assistant says, `<think>` and `</think>` that do not pair (a prompt may end with the first), nor `<answer>`, nor
    `<tool_call>`.
    Placeholders of pictures, video and sound are fine, but for a `<|vision_start|>` whose end is missing or misspelt
    (`|vision_end|>`). `<|secret|>`, a name that no usual template has, is counted apart (`unknown_token`). A prompt
    that a template has rendered (nothing but `<|im_start|>user …`) is read as its messages; where most prompts of the
    set are plain, it is one too many (`rendered_prompt`).
    """

    metrics = {
        "rate": Metric(
            "rows with control tokens in a message",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="one such token opens or ends a turn inside a text: an injection, or a text rendered twice",
        ),
        "unknown": Metric(
            "rows with something like a control token, of no usual template",
            "share",
            "rows",
            Limit(warn_max=0),
            why="no usual template has it, so it may be plain text",
        ),
    }

    reads = "text"
    check: Literal["control_tokens"] = "control_tokens"

    def needs(self) -> tuple[Need, ...]:
        """The tokens in texts."""
        return (Need(Tags()),)

    def measure(self, data: View) -> Measured:
        """Count what the feature found, and look at what a template has rendered."""
        rendered, some = _rendered(data)
        found = pl.concat([data[Need(Tags())], *([rendered] if some else [])], how="diagonal_relaxed")
        found = found.collect().lazy()
        text = pl.col("format").is_in(names_of("plain"))
        plain = total(data.rows.filter(text))
        left_out = Message.plural(
            "{n:,} row is one plain text, which may be rendered on purpose",
            "{n:,} rows are one plain text, which may be rendered on purpose",
            plain,
        )
        unknown = pl.col("problem") == "unknown_token"
        return Measured(
            (
                *rates("rate", found.filter(~unknown), data.rows, by=self.by, rows=data.rows),
                *rates("unknown", found.filter(unknown), data.rows, by=self.by, rows=data.rows),
            ),
            evidence=evidence(found, texts_of(data, plain=False, thoughts=True), "said"),
            figures={"kinds": per_kind(found)},
            not_checked=((left_out,) if plain else ()) + _said_of_rendered(0 if some else total(rendered)),
        )


class Tags(Feature):
    """What `flagged` gives of control tokens and of tags that do not pair, and `said`: how many there are of each."""

    columns = {
        **PLACE, "problem": pl.String, "detail": pl.String, "said": pl.String,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Search every message; judge the tags that also have another meaning by how they stand."""
        texts = turn_texts(part, plain=False, thoughts=True)
        suspect = texts.filter(pl.col("text").str.contains(f"{_TOKEN}|{_S}|{_THINK}"))
        suspect = suspect.join(_opened(texts), on=["row", "turn"], how="left", maintain_order="left")
        opened, closed = (pl.col("text").str.count_matches(tag, literal=True) for tag in ("<think>", "</think>"))
        suspect = suspect.with_columns(said=saying("{opened} opened, {closed} closed", opened=opened, closed=closed))
        token, outside_code = _without_media(pl.col("text")), without_code(pl.col("text"))
        shown = outside_code.str.split("</think>").list.last()  # thinking may speak of one tag alone
        kinds = {
            "control_token": token.str.contains(_KNOWN),
            "unknown_token": token.str.contains(_TOKEN) & ~token.str.contains(_KNOWN),
            "sequence_token": _is_sequence_token(outside_code),
            "unbalanced_think": _said() & _unbalanced(_with_opening(), "<think>", "</think>"),
            "unbalanced_media": _unbalanced(outside_code, *_VISION),
            "unbalanced_answer": _said() & _unbalanced(outside_code, "<answer>", "</answer>"),
            "unbalanced_call": _said() & _unbalanced(shown, "<tool_call>", "</tool_call>"),
        }
        details = {
            "control_token": token.str.extract(f"({_KNOWN})"),
            "unknown_token": token.str.extract(f"({_TOKEN})"),
            "sequence_token": outside_code.str.extract(f"({_S})"),
        }
        found = flagged(suspect, kinds, details)
        counted = pl.when(pl.col("problem") == "unbalanced_think").then("said")
        return alone(found.with_columns(said=counted).select(*self.columns).collect())


def _rendered(data: View) -> tuple[pl.LazyFrame, bool]:
    """The prompts that a template has rendered already, as `flagged` gives them, and whether most others are plain."""
    written = data.turns.filter(pl.col("content_type") == RENDERED).select("row").unique().collect()
    every = data.turns.filter(pl.col("part") == "prompt").select(pl.col("row").n_unique()).collect().item()
    lines = (
        of_rows(texts_of(data, plain=False), written.lazy())
        .filter(pl.col("part") == "prompt")
        .unique("row", keep="first", maintain_order=True)
    )
    return flagged(lines, {"rendered_prompt": pl.lit(value=True)}), 0 < written.height < _MOST * every


def _said_of_rendered(rows: int) -> tuple[Message, ...]:
    """What is said where most prompts are rendered, and were read as the messages in them."""
    said = Message.plural(
        "{n:,} prompt is rendered by a template and was read as its messages; a trainer that renders prompts would do"
        " it twice",
        "{n:,} prompts are rendered by a template and were read as their messages; a trainer that renders prompts would"
        " do it twice",
        rows,
    )
    return (said,) if rows else ()


def _without_media(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(_MEDIA, " ")


def _said() -> pl.Expr:
    """What the model learns to say; a prompt may speak of one tag alone ("begin with <think>")."""
    return pl.col("part").is_in(["response", "chosen", "rejected", "candidate"]) | pl.col("role").eq_missing(
        "assistant"
    )


def _opened(texts: pl.LazyFrame) -> pl.LazyFrame:
    """The turns whose thinking the prompt before them opens, as some templates do: `row`, `turn`, `opened`."""
    ends = texts.filter(pl.col("part") == "prompt", pl.col("text").str.contains(r"<think>\s*$"))
    after = ends.select("row", (pl.col("turn") + 1).alias("turn"))
    return after.unique().with_columns(opened=pl.lit(value=True))


def _with_opening() -> pl.Expr:
    """The text, behind the tag that its prompt ends with."""
    opening = pl.when(pl.col("opened").fill_null(value=False)).then(pl.lit("<think>")).otherwise(pl.lit(""))
    return pl.concat_str(opening, "text")


def _unbalanced(text: pl.Expr, opens: str, closes: str) -> pl.Expr:
    """Not as many opened as closed, or the first one closes."""
    counts = [text.str.count_matches(tag, literal=True) for tag in (opens, closes)]
    first = text.str.find(closes, literal=True) < text.str.find(opens, literal=True)
    return (counts[0] != counts[1]) | first.fill_null(value=False)


def _is_sequence_token(text: pl.Expr) -> pl.Expr:
    """Tell `<s>` and `</s>` from struck-out HTML: not paired, around all of the text, or back to back."""
    return (
        _unbalanced(text, "<s>", "</s>")
        | text.str.contains(r"(?s)^\s*<s>.*</s>\s*$")
        | text.str.contains(r"</s>\s*<s>|<s>\s*\[INST\]")
    )
