"""The check choice_balance."""

from typing import Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Metric, Need, Ratio, Value, View, total
from datacheck.features.golds import Golds, Of
from datacheck.text.graders import choice

_LEAST = 50  # golds; below, a share says little


class ChoiceBalance(Check):
    """How often the most frequent letter is the right one in multiple choice.

    ## Why it matters

    If half of the golds are "C", answering "C" earns half of the reward: the model learns the letter, not the
    subject. An evaluation set of that kind flatters a model with a habit.

    ## Example

    ```yaml
    - {check: choice_balance, limits: {top_choice: {warn_max: 0.35}}}
    ```

    ## How to fix

    Shuffle the options of each question, with a fixed seed, and write the letters anew.

    ## How to verify

    Run again: the most frequent letter of four options is right in about a quarter of the questions.

    ## Known limits

    Golds of several letters, and golds that are no letters, are not counted. With fewer than 50 golds the share is
    not judged.
    """

    ZH = """选择题中最常见的正确选项字母占比。

    ## 现象

    模型偏爱某个字母；强化学习奖励上升但换选项顺序就错。

    ## 根因

    出题或导出时正确选项位置不均匀。

    ## 排查

    看图表 `letters` 中各字母的次数。

    ## 修复

    固定随机种子打乱每题选项并重写答案字母。

    ## 验证

    重跑后四选一题目各字母约占四分之一。
    """

    metrics = {
        "top_choice": Metric(
            "golds that are the most frequent letter", "share", "golds of one letter", Limit(warn_max=0.4)
        ),
    }

    check: Literal["choice_balance"] = "choice_balance"
    of: Of = Field(default="answer", description="the part that holds the gold")

    def needs(self) -> tuple[Need, ...]:
        """The golds."""
        return (Need(Golds(of=self.of, extract="auto")),)

    def measure(self, data: View) -> Measured:
        """Count letters."""
        counts = data[self.needs()[0]].drop_nulls("gold").group_by("gold").agg(n=pl.len()).collect()
        forms = counts.with_columns(letter=pl.Series([choice(gold) for gold in counts["gold"]], dtype=pl.String))
        letters = (
            forms.filter(pl.col("letter").str.len_chars() == 1).group_by("letter").agg(golds=pl.sum("n")).sort("letter")
        )
        golds, rows = int(letters["golds"].sum()), total(data.rows)
        figures = {"letters": letters}
        if golds < _LEAST:
            few = f"{golds} golds are one letter; fewer than {_LEAST} are not judged"
            return Measured(
                (Value("top_choice", Ratio(0, rows) if rows else None),), figures=figures, not_checked=(few,)
            )
        other = rows - golds
        notes = (f"{other} rows have no gold of one letter",) if other else ()
        return Measured((Value("top_choice", Ratio(max(letters["golds"].to_list()), golds)),), None, figures, notes)
