"""The check leakage."""

from typing import Annotated, Literal

import numpy as np
import polars as pl
from pydantic import BeforeValidator, Field

from datacheck.check import Check, Limit, Measured, Metric, Need, Ratio, Value, View, place, total
from datacheck.features.leaks import EvalItems, Leaks, find_leaks
from datacheck.text.normalise import RULES, normalise
from datacheck.text.plants import plant
from datacheck.text.shingles import shingles

# one name, or a list of names
Names = Annotated[tuple[str, ...], BeforeValidator(lambda given: (given,) if isinstance(given, str) else given)]
PLANTED_ITEMS = 200
PLANTS = (
    "verbatim",
    "embedded",
    "2 % edits",
    "5 % edits",
    "punctuation",
    "fullwidth",
    "inserted spaces",
    "letter case",
)


class Leakage(Check):
    """Share of evaluation rows whose question stands in this dataset.

    Each question of the evaluation sets (alone, and with its options) is an item; an item leaks when one turn of this
    dataset holds at least `block` of its distinct n-grams (5 characters for Chinese, 8 for others), after normalising
    and without the n-grams that a tenth of the set's items share. A conversation, or a question with options, is
    looked for in all that a row asks together. The search is complete for that containment: it is no sample and no
    sketch.

    ## Why it matters
    A model that has seen the questions scores high offline and disappoints online. Leaked items are rarely verbatim
    rows: they are embedded in longer prompts, set in fullwidth or traditional characters, or cut of their options,
    which word n-grams (13 words, as usual in evaluation harnesses) do not see in Chinese.

    ## Example
    ```yaml
    - {check: leakage, against: [eval], limits: {rate: {max: 0.001}}}
    ```

    ## How to fix
    Drop the training rows of the evidence file, never the evaluation rows; freeze the evaluation set
    (`source.sha256`) and name what must never be trained on in `red_line`.

    ## How to verify
    Run again: rate and red-line hits are 0. Read the rows in review (containment between `review` and `block`):
    they may be the same question in other words.

    ## Known limits
    Translations and free paraphrases are not found. Items shorter than `min_length` characters are not compared;
    the report says how many. Answers alone are not items.
    """

    ZH = """评测集中有多少题目出现在本数据集里。

    ## 现象
    离线评测分数很高，上线后效果差；换一套同类题目，分数明显下降。

    ## 根因
    评测题混进了训练数据：原样、嵌在更长的提示里、改成全角或繁体、或去掉了选项。
    按空格取 13 个词的常用方法看不见中文泄漏。

    ## 排查
    逐条看证据：训练集的哪一行、哪一个字段包含了评测集哪一行的题目，覆盖了多少 n-gram（中文 5 字，其他 8 字符）。

    ## 修复
    删除训练集中的这些行，不要动评测集；用 `source.sha256` 冻结评测集；绝不能训练的集合写进 `red_line`。

    ## 验证
    重跑后泄漏率与红线命中均为 0；人工阅读介于 review 与 block 之间的样本。翻译和自由改写发现不了。
    """

    metrics = {
        "rate": Metric("evaluation rows found in this dataset", "share", "evaluation rows", Limit(max=0.001)),
        "red_line_hits": Metric("rows that hold an item of a red-line set", "rows", None, Limit(max=0)),
        "review": Metric("evaluation rows that may be in this dataset: between review and block", "rows"),
        "planted_recall": Metric(
            "planted items that the scan finds",
            "share",
            "plants at or above the threshold",
            Limit(min=0.95),
            self_test=True,
        ),
    }

    check: Literal["leakage"] = "leakage"
    against: Names = Field(min_length=1, description="the evaluation datasets of this contract")
    red_line: Names = Field(default=(), description="datasets of which not one item may be in here")
    block: float = Field(default=0.6, gt=0, le=1, description="containment from which an item has leaked")
    review: float = Field(default=0.4, gt=0, le=1, description="containment from which it is listed for review")
    min_length: int = Field(default=12, ge=1, description="items of fewer characters are not compared")

    @property
    def _sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.against, *self.red_line)))

    def _leaks(self, name: str) -> Leaks:
        return Leaks(against=name, tau=min(self.review, self.block), min_length=self.min_length)

    def needs(self) -> tuple[Need, ...]:
        """Per evaluation set: its rows, its items, and the hits in this dataset."""
        items = EvalItems(min_length=self.min_length)
        return tuple(
            need
            for name in self._sets
            for need in (Need("rows", of=name), Need(items, of=name), Need(self._leaks(name)))
        )

    def measure(self, data: View) -> Measured:
        """Best hit per (row, evaluation row); rates over the evaluation rows."""
        best = pl.concat([self._best(data, name) for name in self._sets]).collect()
        leaked = best.filter(pl.col("score") >= self.block)
        review = best.filter(pl.col("score") < self.block).join(leaked, on=["set", "eval_row"], how="anti")
        sizes = {name: total(data[Need("rows", of=name)]) for name in self._sets}
        recall, by_kind = self._planted(data)
        values = [
            *self._rates(leaked, sizes, total(data.rows)),
            Value("red_line_hits", leaked.filter(pl.col("set").is_in(self.red_line))["row"].n_unique()),
            Value("review", review.select("set", "eval_row").n_unique()),
            Value("planted_recall", recall if recall.of else None),
        ]
        evidence = pl.concat(
            [
                leaked.with_columns(problem=pl.lit("leaked")),
                review.with_columns(problem=pl.lit("review"), row=pl.lit(None, pl.UInt64)),
            ]
        )
        texts = data.turns.select(pl.col("row"), pl.col("path").alias("where"), "text")
        shown = evidence.lazy().join(texts, on=["row", "where"], how="left", maintain_order="left")
        figures = {"containment": _histogram(best), "planted": by_kind}
        return Measured(tuple(values), shown.drop("set", "eval_row"), figures, self._notes(data, sizes))

    def _best(self, data: View, name: str) -> pl.LazyFrame:
        """The best-covered item of each evaluation row in each row; with both places."""
        hits = data[Need(self._leaks(name))].with_columns(score=pl.col("covered") / pl.col("size"))
        best = hits.sort("score", "path", descending=[True, False]).unique(["row", "eval_row"], keep="first")
        places = data[Need("rows", of=name)].select(
            pl.col("row").alias("eval_row"),
            pl.concat_str(pl.lit(f"{name}/"), place()).alias("other"),
        )
        own = data.rows.select("row", "file", "line", "byte")
        return (
            best.with_columns(pl.col("eval_row").cast(pl.UInt64), pl.lit(name).alias("set"))
            .join(places, on="eval_row", how="left")
            .join(own, on="row", how="left")
            .select("set", "row", "eval_row", "file", "line", "byte", pl.col("path").alias("where"), "score", "other")
            .sort("row", "eval_row")
        )

    def _rates(self, leaked: pl.DataFrame, sizes: dict[str, int], rows: int) -> list[Value]:
        hit = {name: leaked.filter(pl.col("set") == name)["eval_row"].n_unique() for name in self.against}
        of = sum(sizes[name] for name in self.against)
        whole = Value("rate", Ratio(sum(hit.values()), of) if rows and all(sizes[n] for n in self.against) else None)
        return [whole, *(Value("rate", Ratio(hit[n], sizes[n]), {"against": n}) for n in self.against if sizes[n])]

    def _items(self, data: View, name: str) -> pl.DataFrame:
        return data[Need(EvalItems(min_length=self.min_length), of=name)].collect()

    def _notes(self, data: View, sizes: dict[str, int]) -> tuple[str, ...]:
        notes = []
        for name, size in sizes.items():
            short = size - self._items(data, name)["row"].n_unique()
            if short:
                notes.append(
                    f"{short} of {size} rows of {name} have no question of {self.min_length} characters or more"
                )
        return tuple(notes)

    def _planted(self, data: View) -> tuple[Ratio, pl.DataFrame]:
        """Plant items into texts of this dataset and ask whether the scan brings each back."""
        kinds: list[str] = []
        found: list[bool] = []
        alike: list[bool] = []
        hosts = data.turns.filter(pl.col("text").is_not_null()).head(PLANTED_ITEMS).collect()["text"].to_list() or [""]
        for name in self._sets:
            items = self._items(data, name).filter(pl.col("kind") == "question")
            items = items.sort(pl.col("shingles").list.first()).head(PLANTED_ITEMS).sort("row")
            for kind in PLANTS:
                texts = normalise(
                    pl.Series(
                        [_planted(t, hosts[i % len(hosts)], kind) for i, t in enumerate(items["text"])], dtype=pl.String
                    ),
                    RULES,
                )
                hits = find_leaks(items, texts, self.block)
                back = set(hits.filter(pl.col("kind") == "question").select("turn", "eval_row").iter_rows())
                kinds += [kind] * items.height
                found += [(i, row) in back for i, row in enumerate(items["row"])]
                alike += [
                    _contains(text, item, n) >= self.block
                    for text, item, n in zip(texts, items["shingles"], items["n"], strict=True)
                ]
        table = pl.DataFrame(
            {"kind": kinds, "alike": alike, "found": found},
            schema={"kind": pl.String, "alike": pl.Boolean, "found": pl.Boolean},
        )
        seen = table.filter("alike")
        by_kind = table.group_by("kind", maintain_order=True).agg(
            plants=pl.len(), alike=pl.col("alike").sum(), found=(pl.col("found") & pl.col("alike")).sum()
        )
        return Ratio(int(seen["found"].sum()), seen.height), by_kind


def _planted(item: str, host: str, kind: str) -> str:
    if kind == "verbatim":
        return item
    return f"{host[:200]}\n{item if kind == 'embedded' else plant(item, kind)}\n{host[-200:]}"


def _contains(text: str, item: pl.Series, n: int) -> float:
    """Containment of an item's n-grams by plain sets: the truth that the scan is held against."""
    wanted = set(item.to_list())
    return len(wanted & set(shingles(pl.Series([text]), "chars", n).hashes.tolist())) / len(wanted)


def _histogram(best: pl.DataFrame) -> pl.DataFrame:
    counts, edges = np.histogram(best["score"].to_numpy(), bins=np.linspace(0.4, 1.0, 13))
    return pl.DataFrame({"containment": [f"{edge:.2f}" for edge in edges[:-1]], "pairs": counts})
