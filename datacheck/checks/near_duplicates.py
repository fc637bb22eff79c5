"""The check near_duplicates."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl
from pydantic import Field

from datacheck.check import Check, Group, Limit, Measured, Metric, Need, Ratio, Value, View, rates, total
from datacheck.features.sketch import Grams, Sketch, TextSet
from datacheck.features.texts import On, row_texts
from datacheck.text.matching import Pairs, greedy_removed, jaccard, similar_pairs
from datacheck.text.normalise import Rule
from datacheck.text.plants import KINDS, plant
from datacheck.text.shingles import concat

PLANTED_ROWS = 100  # rows that get a planted copy of every kind: at most 1,000 plants
TEMPLATE = 0.1  # a row with a smaller share of n-grams of its own is said to be template
SHORT = 20  # code points; a shorter row is no good source of plants: one edit already changes what it says
# Where every row is shorter, the search is tried on these.
STAND_INS = (
    "小河从村子的东边流过，河上有一座石桥，桥头种着两棵很老的柳树，夏天常有人在树下乘凉。",
    "The old bridge crosses the river east of the village, and two willows grow beside its stone steps.",
)
COPY = "copy"  # a plant without any edit; counts only where no edited one could be found by right


class NearDuplicates(Check):
    """Share of rows that nearly repeat an earlier row (exact copies included).

    Each row's text is normalised (fullwidth, case, traditional characters, punctuation and spaces do not count),
    cut into n-grams of characters, and compared by Jaccard similarity. MinHash bands propose candidates; every
    candidate is verified exactly, so a reported similarity is a fact, not an estimate. A row is removed when it
    reaches the threshold with an earlier row that is kept; walking order is (file, line).

    ## Why it matters
    Repeated rows weigh more than the others: the model memorises them, answers with them, and the validation loss
    looks better than it is where copies stand on both sides of a split. Tools that split at spaces see one token in
    a Chinese sentence, so they find exact copies and little else.

    ## Example
    ```yaml
    - {check: near_duplicates, on: prompt, threshold: 0.7, limits: {rate: {max: 0.03}}}
    ```

    ## How to fix
    Drop the rows of the evidence file: each names the earlier row that it repeats. Then look where they come from:
    one file delivered twice, a template, a crawl of mirrored pages.

    ## How to verify
    Run again: the rate is 0. Read ten pairs around the threshold (the figure `similarity` shows where they lie)
    before you trust a threshold of your own; one that fits characters does not fit words.

    ## Known limits
    Paraphrases and translations share no n-grams and are not found. Below about 20 characters a similarity of 0.7
    is often two different questions. N-grams that stand in more than `boilerplate` of the rows (and in at least 20)
    are left out, so that a shared template makes no pair; a cluster of near-copies larger than that share hides
    itself the same way, so the report counts the rows that are template for more than nine tenths.
    """

    ZH = """数据集中与前面某行近似重复的样本占比（含完全重复）。

    ## 现象
    模型复读训练样本；验证集损失偏低而线上效果不好；按空格切词的去重工具在中文上几乎删不掉东西。

    ## 根因
    同一批数据交付了两次、模板批量生成、镜像网页。`split()` 把一整句中文当成一个词，只能发现完全重复。

    ## 排查
    证据文件逐行列出被判重复的行、它重复的是哪一行、以及精确的 Jaccard 相似度（先用 MinHash 找候选，再逐对精确核验）。

    ## 修复
    删除证据文件中的行（每个重复簇保留最先出现的一行），再回到来源处去重。

    ## 验证
    重跑后占比应为 0；改阈值之前先读阈值附近的十对样本。字符 n-gram 的阈值不能直接用于词 n-gram。
    """

    metrics = {
        "rate": Metric("rows that repeat an earlier kept row", "share", "rows", Limit(max=0.03, warn_max=0.01)),
        "exact_share": Metric("rows whose normalised text equals an earlier row's", "share", "rows"),
        "planted_recall": Metric(
            "planted near-copies that the search finds",
            "share",
            "plants at or above the threshold",
            Limit(min=0.95),
            self_test=True,
        ),
    }

    check: Literal["near_duplicates"] = "near_duplicates"
    on: On = Field(default="conversation", description="which text of a row is compared; system prompts never are")
    threshold: float = Field(default=0.7, ge=0.3, le=1, description="Jaccard similarity from which rows are alike")
    features: Grams = Field(default=Grams(), description="n characters (default 3), words, or words of jieba")
    normalise: tuple[Rule, ...] = Field(
        default=("nfkc", "casefold", "t2s", "strip_punct", "strip_space"), description="what does not count"
    )
    boilerplate: float | None = Field(
        default=0.05, gt=0, le=1, description="n-grams in more rows than this are left out"
    )

    @property
    def _sketch(self) -> Sketch:
        texts = TextSet(on=self.on, features=self.features, normalise=self.normalise)
        return Sketch(of=texts, boilerplate=self.boilerplate, threshold=self.threshold)

    def needs(self) -> tuple[Need, ...]:
        """Band keys, brought together by key; the boilerplate, to compare candidates without it."""
        return (Need(Group(of=self._sketch, by="key")), Need(self._sketch), *self._sketch.needs())

    def measure(self, data: View) -> Measured:
        """Pairs from shared keys, verified; then the greedy walk."""
        shared = self._shared_keys(data)
        texts = self._texts(data, shared["row"].unique().sort())
        pairs, kept_of = self._removed(data, shared, texts)
        removed = np.flatnonzero(kept_of >= 0)
        rows, scores = texts["row"].to_numpy(), _scores(pairs, removed, kept_of)
        # Without their boilerplate different texts can be equal (a score of 1): a copy is one in the whole text.
        same = texts["text"].gather(removed) == texts["text"].gather(kept_of[removed])
        evidence = pl.LazyFrame(
            {"row": rows[removed], "other_row": rows[kept_of[removed]], "score": scores, "same": same},
            schema={"row": pl.UInt64, "other_row": pl.UInt64, "score": pl.Float64, "same": pl.Boolean},
        ).select(
            "row", "other_row", "score",
            problem=pl.when("same").then(pl.lit("exact_copy")).otherwise(pl.lit("near_copy")),
        )  # fmt: skip
        copies = texts.filter(pl.col("text").is_first_distinct().not_()).lazy()
        sources = self._sources(data)
        recall, by_kind = self._planted(data, sources or STAND_INS)
        of = total(data.rows)
        unseen = of - data[Need(self._sketch)].select(pl.col("row").n_unique()).collect().item()
        values = (
            *rates("rate", evidence, data.rows, by=self.by, rows=data.rows),
            *rates("exact_share", copies, data.rows, by=self.by, rows=data.rows),
            Value("planted_recall", recall if of else None),
        )
        lack = f"have no {self.on} text, or only punctuation and boilerplate, and could not be compared"
        notes = [f"{unseen} rows {lack}"] if unseen else []
        templated = data[Need(self._sketch)].filter(pl.col("own") < TEMPLATE).select(pl.col("row").n_unique())
        if count := templated.collect().item():
            notes.append(
                f"{count} rows share over nine tenths of their n-grams with many others; only the rest was compared"
            )
        if not sources:
            notes.append(f"no row has {SHORT} characters or more, so the search was tried on made-up sentences")
        figures = {"similarity": _histogram(pairs), "planted": by_kind}
        return Measured(values, evidence, figures, tuple(notes))

    def _shared_keys(self, data: View) -> pl.DataFrame:
        """`key`, `row` of all keys that at least two rows have."""
        buckets = data.buckets(self.needs()[0])
        shared = [b.filter(pl.len().over("key") > 1).select("key", "row").collect() for b in buckets]
        return pl.concat([pl.DataFrame(schema={"key": pl.UInt64, "row": pl.UInt64}), *shared])

    def _texts(self, data: View, rows: pl.Series) -> pl.DataFrame:
        """The normalised texts of the candidate rows, in row order."""
        wanted = data.turns.join(pl.LazyFrame({"row": rows}), on="row", how="semi", maintain_order="left")
        return self._sketch.of.texts(wanted).sort("row")

    def _removed(
        self, data: View, shared: pl.DataFrame, texts: pl.DataFrame
    ) -> tuple[Pairs, np.ndarray[tuple[int], np.dtype[np.int64]]]:
        sets = self._sketch.sets(texts["text"], data)
        local = np.searchsorted(texts["row"].to_numpy(), shared["row"].to_numpy())
        pairs = similar_pairs(sets, shared["key"].to_numpy(), local, self.threshold, greedy=True)
        return pairs, greedy_removed(texts.height, pairs)

    def _planted(self, data: View, sources: Sequence[str]) -> tuple[Ratio, pl.DataFrame]:
        """Plant edited copies of some rows and ask whether a band brings each to its source."""
        every = (*KINDS, COPY)
        kinds = [kind for _ in sources for kind in every]
        raw = pl.Series([text for text in sources for _ in every], dtype=pl.String)
        copies = pl.Series(
            [text if kind == COPY else plant(text, kind) for text in sources for kind in every], dtype=pl.String
        )
        both = [self._sketch.sets(self._normalised(texts), data) for texts in (raw, copies)]
        left, right = (self._sketch.keys(sets) for sets in both)
        pairs = np.column_stack([np.arange(len(kinds)), np.arange(len(kinds)) + len(kinds)])
        alike = jaccard(concat(both), pairs).similarity >= self.threshold
        found = (left == right).any(axis=1) & alike
        table = pl.DataFrame({"kind": kinds, "alike": alike, "found": found}, schema_overrides={"kind": pl.String})
        by_kind = table.group_by("kind", maintain_order=True).agg(
            plants=pl.len(), alike=pl.col("alike").sum(), found=pl.col("found").sum()
        )
        edited = alike & np.array([kind != COPY for kind in kinds])
        counted = edited if edited.any() else alike
        return Ratio(int((found & counted).sum()), int(counted.sum())), by_kind

    def _normalised(self, texts: pl.Series) -> pl.Series:
        columns = {"row": np.arange(len(texts)), "part": "text", "role": None, "text": texts, "tool_calls": None}
        turns = pl.LazyFrame(columns, schema_overrides={"tool_calls": pl.String})
        whole = TextSet(on="conversation", features=self.features, normalise=self.normalise)
        return whole.texts(turns)["text"]

    def _sources(self, data: View) -> list[str]:
        """Texts of the rows with the smallest band key: chosen by content, so the same in every run."""
        chosen = data[Need(self._sketch)].group_by("row").agg(pl.col("key").min()).bottom_k(PLANTED_ROWS * 2, by="key")
        texts = row_texts(data.turns.join(chosen, on="row", how="semi"), self.on)
        return (
            texts.filter(pl.col("text").str.len_chars() >= SHORT)
            .sort("row")
            .head(PLANTED_ROWS)
            .collect()["text"]
            .to_list()
        )


def _scores(
    pairs: Pairs,
    removed: np.ndarray[tuple[int], np.dtype[np.int64]],
    kept_of: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The similarity of each removed row to the row that it repeats."""
    by_pair = dict(zip(map(tuple, pairs.rows.tolist()), pairs.similarity.tolist(), strict=True))
    return np.array([by_pair[int(kept_of[row]), int(row)] for row in removed], np.float64)


def _histogram(pairs: Pairs) -> pl.DataFrame:
    """How many verified pairs lie in each band of similarity."""
    counts, edges = np.histogram(pairs.similarity, bins=np.linspace(0.3, 1.0, 15))
    return pl.DataFrame({"similarity": [f"{edge:.2f}" for edge in edges[:-1]], "pairs": counts})
