"""The check truncated_samples."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Artifact, Check, Limit, Measured, Metric, Need, Note, Ratio, Value, View, rates
from datacheck.features.tokens import NO_TOKENIZER, Truncation, cut_at, implied_by_run, tokens_feature, unknown

_LENGTHS = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)


class TruncatedSamples(Check):
    """Share of rows that the run's maximum length cuts, and what is lost: of the answer, or all of it.

    Rows are rendered and tokenized as the trainer does it; lengths are those of whole training examples with template
    and special tokens. `truncation: right` cuts the end (most trainers), `left` the beginning.

    ## Why it matters
    Cutting the end takes the answer and its end token: the model learns to stop in the middle, or nothing at all.
    Cutting the beginning takes the system prompt and the question. No trainer says how many rows it cut.

    ## Example
    ```yaml
    run: {tokenizer: tok/qwen2, max_length: 2048}
    datasets:
      train:
        source: data/train.jsonl
        checks:
          - {check: truncated_samples, limits: {rate: {max: 0.05}, answer_lost: {max: 0}}}
    ```

    ## How to fix
    - `answer_lost`: the prompt alone fills the length; shorten it or drop the row.
    - `answer_cut`: raise the maximum length (the figure shows how many rows each length cuts), or split the row.
    - `prompt_cut`: what is left of the prompt may not make sense; put what matters nearer to the answer.

    ## How to verify
    Run again with the length that the run will use: `answer_lost` is 0 and the rate is what you accept.

    ## Known limits
    Packing, and trainers that cut turn by turn (LLaMA-Factory), share the length otherwise: see trainer_drops.
    """

    ZH = """统计被训练最大长度截断的样本占比，以及损失的内容：回答的一部分，还是整个回答。

    ## 现象
    模型回答到一半就停，或部分批次 loss 为 NaN；训练日志里没有任何截断提示。

    ## 根因
    最大长度按字符估计而不是按 token；模板和系统提示也占长度；右截断丢掉回答与结束符，左截断丢掉系统提示与问题。

    ## 排查
    - 看“各长度下被截断的行数”图，选择合适的最大长度。
    - 证据逐行给出总 token 数、保留数与损失的回答 token 数。

    ## 修复
    - 回答全部丢失的样本：缩短提示或删除。
    - 回答被截断：调大最大长度，或按轮次拆分样本。

    ## 验证
    用训练实际的最大长度重跑，`answer_lost` 为 0，截断率在可接受范围内。
    """

    metrics = {
        "rate": Metric("rows that are cut", "share", of="rows", limit=Limit(warn_max=0.01)),
        "answer_cut": Metric("rows that lose a part of what is trained", "share", of="rows"),
        "answer_lost": Metric("rows that lose all that is trained", "share", of="rows", limit=Limit(max=0)),
        "tokens_lost": Metric("tokens that are cut", "share", of="tokens"),
    }

    check: Literal["truncated_samples"] = "truncated_samples"
    tokenizer: Artifact | None = Field(default=None, description="the run's tokenizer (from `run:`)")
    template: str | None = Field(default=None, description="name of the chat template (from `run:`)")
    max_length: int | None = Field(default=None, ge=1, description="tokens that the run keeps of a row (from `run:`)")
    truncation: Truncation = Field(default="right", description="the side that is cut; a named trainer knows its own")
    roles: dict[str, str] = Field(default={}, description="names of roles (from `source.roles`)")
    trainer: str | None = Field(default=None, description="trainer and mode, as `trl.sft` (from `run:`)")
    config: Artifact | None = Field(default=None, description="the trainer's config file (from `run:`)")
    settings: dict[str, bool | int | float | str | None] = Field(
        default={}, description="settings of the trainer that win over its config file (from `run:`)"
    )

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The tokenizer and the lengths of the run."""
        return implied_by_run(dataset)

    def needs(self) -> tuple[Need, ...]:
        """The labelled tokens."""
        feature = tokens_feature(self)
        return (Need(feature),) if feature else ()

    def measure(self, data: View) -> Measured:
        """Compare lengths with what is kept."""
        feature = tokens_feature(self)
        missing = [] if feature else [NO_TOKENIZER]
        if feature is not None and cut_at(feature) is None and self.trainer is None:
            missing.append(_NO_LENGTH)
        tokens = data[Need(feature)] if feature is not None and not missing else pl.LazyFrame()
        missing += unknown(tokens) if not missing else ()
        if missing:
            return Measured(tuple(Value(name, None) for name in self.metrics), not_checked=tuple(missing))
        table = (
            tokens.select("row", "part", "total", "kept", "trained", "kept_trained", "by", "faults").collect().lazy()
        )
        cut = table.filter(pl.col("kept") < pl.col("total"))
        trained, left = pl.col("trained"), pl.col("kept_trained")
        answers = cut.filter(left < trained)
        lost = answers.filter(left == 0)
        problem = (
            pl.when(left == trained)
            .then(pl.lit("prompt_cut"))
            .when(left == 0)
            .then(pl.lit("answer_lost"))
            .otherwise(pl.lit("answer_cut"))
        )
        said = "{} of {} tokens are kept, {} of {} trained ones"
        words = pl.format(said, "kept", "total", "kept_trained", "trained")
        values = [
            value
            for name, rows in (("rate", cut), ("answer_cut", answers), ("answer_lost", lost))
            for value in rates(name, rows, data.rows, by=self.by, rows=data.rows)
        ]
        count, gone = (
            table.select(pl.col("total").sum(), gone=(pl.col("total") - pl.col("kept")).sum()).collect().row(0)
        )
        unrendered = table.filter(pl.col("by").is_null()).select(pl.col("row").n_unique()).collect().item()
        without = data.rows.join(table, on="row", how="anti").select(pl.len()).collect().item()
        notes = _notes(unrendered, without)
        notes += [_NOT_CUT] if feature and cut_at(feature) is None else []
        return Measured(
            (*values, Value("tokens_lost", Ratio(gone, count) if count else 0 if without else None)),
            evidence=cut.select(
                "row", where="part", problem=problem, detail=words, score=pl.col("total").cast(pl.Float64)
            ),
            figures={"cut_at": _cut_at(table)},
            not_checked=tuple(notes),
        )


_NO_LENGTH = Note(
    "no max_length: name the run's (run: {max_length: N})", zh="未指定最大长度：请在契约中写明（run: {max_length: N}）"
)
_NOT_CUT = Note("the named trainer cuts nothing with these settings", zh="按这些设置，所用训练框架不会截断")


def _notes(unrendered: int, without: int) -> list[Note]:
    """Rows of which nothing is known."""
    refused = f"{unrendered} rows could not be rendered (see template_errors)"
    notes = [Note(refused, zh=f"{unrendered} 行无法渲染（见 template_errors）")] if unrendered else []
    left_out = f"{without} rows are no conversation and no text, or lost to the named trainer"
    notes += [Note(left_out, zh=f"{without} 行既不是对话也不是文本，或被所用训练框架丢弃")] if without else []
    return notes


def _cut_at(table: pl.LazyFrame) -> pl.DataFrame:
    """Rows that each usual length would cut."""
    longest = table.group_by("row").agg(pl.col("total").max())
    counts = [(pl.col("total") > length).sum().alias(str(length)) for length in _LENGTHS]
    row = longest.select(counts).collect().row(0)
    return pl.DataFrame(
        {"max_length": [str(length) for length in _LENGTHS], "rows": row},
        schema={"max_length": pl.String, "rows": pl.UInt32},
    )
