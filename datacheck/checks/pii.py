"""The check pii."""

from typing import Literal

import polars as pl
from pydantic import Field, field_validator

from datacheck.check import Check, Limit, Measured, Metric, Need, Ratio, Value, View, for_review, placed, total
from datacheck.features.identifiers import Identifiers, every_text
from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.prefilter import candidates
from datacheck.pii.recognizers import RECOGNIZERS

Severity = Literal["block", "warn", "profile", "off"]
PLANTED_ROWS = 40  # per entity
HOST = 400  # code points of a text that a planted identifier follows


class Pii(Check):
    r"""Personal data and secrets in any text of a row: messages, tool calls, metadata, keys.

    Chinese identifiers first: resident ID (GB 11643 check digit), mobile, bank card (brand, length, Luhn), beside
    e-mail, IP addresses and keys that carry their provider's prefix. Disguises are undone before matching: fullwidth
    and circled digits, zero-width characters, separators, runs of Chinese numerals.

    ## Why it matters
    A model repeats what it was trained on, a phone number as readily as a fact; and a leaked key is a leaked key.
    Rules with `\b` miss identifiers that stand directly beside Chinese characters, which is where they stand in
    Chinese text.

    ## Example
    ```yaml
    - {check: pii, entities: {EMAIL_ADDRESS: warn}, limits: {blocking_hits: {max: 0}}}
    ```

    ## How to fix
    Remove or replace the values at their source, then export again: every place stands in the evidence file, with the
    field and the offset. Do not paste values into tickets; the masked form in the report is enough to find them.

    ## How to verify
    Run again: blocking_hits is 0. Then read a sample by hand for what no rule finds (see below).

    ## Known limits
    Not covered: names without a label, nicknames, addresses, passports, permits, plates, landlines, dates of birth,
    numbers in images or base64, digits spread over several turns, lines that could not be read. A bare number of 11 or
    16 digits can be a false alarm in data full of numbers.
    """

    ZH = r"""任何文本字段（消息、工具调用、元数据、键名）里的个人信息与密钥。

    ## 现象
    模型输出真实的手机号、身份证号；密钥随数据外泄；合规审计不通过。

    ## 根因
    脱敏漏做或规则不全：`\b` 在汉字旁边永不匹配，全角、零宽、带圈数字和中文数字绕过正则；日志回流直接入库。

    ## 排查
    证据文件列出每一处：文件、行、字段、位置、掩码后的值、校验状态（valid / suspect / specimen）。

    ## 修复
    在源头删除或替换后重新导出；不要把原值贴进工单。示例号码（如 13800138000）始终会被发现，按契约决定是否阻断。

    ## 验证
    重跑后 blocking_hits 为 0；再人工抽检规则覆盖不到的内容：
    无标签的人名、地址、护照、车牌、图片中的号码、分散在多轮的数字。
    """

    metrics = {
        "blocking_hits": Metric("identifiers that must not be trained on", "hits", None, Limit(max=0)),
        "warn_hits": Metric("suspect values, specimens and milder kinds", "hits", None, Limit(warn_max=0)),
        "profile_hits": Metric("kinds that the contract only wants counted", "hits"),
        "planted_recall": Metric(
            "planted identifiers that are found", "share", "plants", Limit(min=1.0), self_test=True
        ),
    }

    check: Literal["pii"] = "pii"
    entities: dict[str, Severity] = Field(default={}, description="severity per entity; others keep their default")
    specimens: Severity = Field(default="warn", description="what numbers known from documentation count as")
    suspects: Severity = Field(default="warn", description="what values with a wrong check digit count as")

    @field_validator("entities")
    @classmethod
    def _known(cls, entities: dict[str, Severity]) -> dict[str, Severity]:
        unknown = sorted(set(entities) - set(RECOGNIZERS))
        if unknown:
            raise ValueError(f"unknown entity {', '.join(unknown)}; known: {', '.join(RECOGNIZERS)}")
        return entities

    def _looked_for(self) -> tuple[str, ...]:
        return tuple(entity for entity in RECOGNIZERS if self.entities.get(entity) != "off")

    def needs(self) -> tuple[Need, ...]:
        """The hits of every part."""
        return (Need(Identifiers(entities=self._looked_for())),)

    def measure(self, data: View) -> Measured:
        """Count by severity; only blocking rows are rows to drop."""
        found = data[self.needs()[0]].collect()
        hits = found.drop_nulls("entity").with_columns(self._severity().alias("level")).filter(pl.col("level") != "off")
        detail = pl.format("{} {}, {} ({}) at {}", "level", "masked", "state", "rule", "start")
        evidence = hits.lazy().select(
            "row", "level", pl.col("path").alias("where"), pl.col("entity").str.to_lowercase().alias("problem"),
            detail.alias("detail"), "score",
        )  # fmt: skip
        blocking = placed(evidence.filter(pl.col("level") == "block"), data.rows)
        others = for_review(evidence.filter(pl.col("level") != "block"), data.rows)
        recall, by_entity = self._planted(data, analyzed=not found.is_empty())
        values = [
            *self._counts("blocking_hits", "block", hits, data),
            *self._counts("warn_hits", "warn", hits, data),
            *self._counts("profile_hits", "profile", hits, data),
            Value("planted_recall", recall if recall.of else None),
        ]
        kinds = hits.group_by("entity", "state", "level").len("hits").sort("entity", "state")
        figures = {"entities": kinds, "planted": by_entity}
        notes = ("names, addresses, passports, permits, plates and landlines are not looked for in this version",)
        return Measured(tuple(values), pl.concat([blocking, others]).drop("level"), figures, notes)

    def _severity(self) -> pl.Expr:
        defaults = {name: self.entities.get(name, known.severity) for name, known in RECOGNIZERS.items()}
        by_entity = pl.col("entity").replace_strict(defaults, return_dtype=pl.String)
        state = pl.col("state")
        return (
            pl.when(state == "specimen")
            .then(pl.lit(self.specimens))
            .when(state == "suspect")
            .then(pl.lit(self.suspects))
            .otherwise(by_entity)
        )

    def _counts(self, metric: str, level: str, hits: pl.DataFrame, data: View) -> list[Value]:
        own = hits.filter(pl.col("level") == level)
        if self.by is None:
            return [Value(metric, own.height)]
        labels = data.rows.select("row", pl.col(self.by).fill_null("(none)")).collect()
        sliced = (
            labels.join(own.group_by("row").len("hits"), on="row", how="left")
            .group_by(self.by)
            .agg(pl.col("hits").sum())
        )
        return [
            Value(metric, own.height),
            *(Value(metric, int(n), {self.by: k}) for k, n in sliced.sort(self.by).iter_rows()),
        ]

    def _planted(self, data: View, *, analyzed: bool) -> tuple[Ratio, pl.DataFrame]:
        """Plant made-up identifiers into copies of the user's own texts.

        Where no text of the data reached the analyzer, only the prefilter decided, and only it is tried.
        """
        texts = every_text(data).filter(pl.col("text") != "").head(PLANTED_ROWS)
        hosts = texts.collect()["text"].str.slice(0, HOST).to_list()
        if not hosts and total(data.rows):
            hosts = [""]
        # The marks keep apart what would change the meaning of a number: "x = 138…" is no telephone.
        lines = [
            (entity, f"{host}；{canary(entity, seed)}；{host[:40]}")
            for entity in self._looked_for()
            for seed, host in enumerate(hosts)
        ]
        table = pl.DataFrame(lines, schema={"entity": pl.String, "text": pl.String}, orient="row").with_row_index(
            "index"
        )
        if analyzed:
            hits = find(table["text"], self._looked_for()).select("index", "entity").unique()
        else:
            flags = candidates(table["text"], self._looked_for()).with_row_index("index")
            hits = flags.unpivot(index="index", variable_name="entity", value_name="hit").filter("hit").drop("hit")
        back = hits.with_columns(found=pl.lit(value=True))
        table = table.join(back, on=["index", "entity"], how="left").with_columns(
            pl.col("found").fill_null(value=False)
        )
        by_entity = table.group_by("entity", maintain_order=True).agg(plants=pl.len(), found=pl.col("found").sum())
        return Ratio(int(table["found"].sum()), table.height), by_entity
