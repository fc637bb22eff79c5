"""The check refusals."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Feature, Limit, Measured, Metric, Need, Value, View, learnt, rates
from datacheck.features.turn_texts import PLACE, evidence, flagged, messages, per_kind, texts_of
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.gated import one_of
from datacheck.text.views import alone

_NONE = 2  # bytes of a list of tools without any
_HEAD = 240  # characters at the start of an answer; a refusal further on belongs to a story
_DO_EN = (
    "assist|help you|help with|fulfil|fulfill|comply|answer|provide|complete|engage|create|generate|write|access|browse"
    "|process|perform|predict|discuss|display|draw|give|offer|support|continue|respond|do that|do this"
)
_CANNOT = "(?:can['’]?t|cannot|can not|am unable to|['’]m unable to|am not able to|['’]m not able to|won['’]t|will not)"
_EN = (
    ascii_edges(rf"(?i:\bi ?{_CANNOT} (?:\w+ )?(?:{_DO_EN})\b)"),
    ascii_edges(rf"(?i:\b(?:sorry|apologi[sz]e|unfortunately|regrettably)\b[^.\n]{{0,80}}\bi ?{_CANNOT})"),
)
_DO_ZH = (
    "回答|提供|完成|协助|協助|帮助|满足|为您|為您|生成|创建|浏览|访问|执行|处理|讨论|给出|播放|撰写|继续|查看|识别|直接"
)
_ZH = in_both_scripts(
    rf"(?:抱歉|对不起|對不起|很遗憾|很遺憾)[^。\n]{{0,60}}(?:无法|不能|没法|没有办法|無法|沒有辦法|不便)[^。，\n]{{0,8}}(?:{_DO_ZH})"
    rf"|我(?:无法|不能|没法|無法)[^。，\n]{{0,4}}(?:{_DO_ZH})"
    r"|^\W{0,3}(?:很|非常|实在)?(?:抱歉|对不起|對不起)[^。\n]{0,12}(?:帮不[了上到]|幫不[了上到]|无能为力|爱莫能助|无可奉告)"
)
_SELF = ascii_edges(
    r"(?i:\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b|\bi(?:['’]?m| am) (?:just |only )?an? "
    r"(?:ai|artificial intelligence|large language|language) (?:language )?(?:model|assistant)\b)"
    r"|作为(?:一个|一名|一款)?(?:AI|人工智能|大型语言|大语言|语言)(?:语言)?(?:模型|助手|程序)"
    r"|我(?:只是|是)(?:一个|一名|一款)?(?:AI|人工智能|大型语言|大语言|语言)(?:语言)?(?:模型|助手|程序)"
)
# Where a row offers tools, such a refusal is the right answer to what none of them does.
_BEYOND = ascii_edges(
    r"(?i)\bcapabilit(?:y|ies)\b|\b(?:functions?|tools?)\b|\bexternal (?:tasks?|platforms?|services?|apps?|sources?)\b"
    r"|功能|工具|能力范围|能力[仅只]?限于|外部任务|函数"
)
_MAKERS = "OpenAI|Anthropic|Google DeepMind|百度|阿里云|科大讯飞|深度求索|DeepSeek"
_MODELS = (
    "ChatGPT|GPT-?[345]\\w*|Claude|Gemini|Bard|文心一言|通义千问|Qwen|讯飞星火|DeepSeek|Llama|Vicuna|智谱清言|ChatGLM|Kimi"
    "|腾讯混元|Grok"
)
_OTHER = ascii_edges(
    rf"(?i:\b(?:i am|i['’]m|my name is) (?:{_MODELS})\b)|我(?:是|叫|的名字是)(?:{_MODELS})"
    rf"|\bAs (?:{_MODELS}), (?:I\b|(?:an?|the|your) [^.\n]{{0,40}}\b(?:model|AI|assistant|chatbot)\b)"
    rf"|作为(?:{_MODELS})[，,]"
    rf"|(?i:\bas an? [^.,\n]{{0,40}}(?:trained|developed|created|made|built) by (?:{_MAKERS}),? (?:i|my)\b)"
    rf"|作为(?:一个|一名|一款)?由?(?:{_MAKERS})(?:公司)?(?:训练|开发|研发|创建|推出)的"
    rf"|(?i:\b(?:i was|i am|i['’]m)[^.\n]{{0,60}}(?:trained|developed|created|made|built) by (?:{_MAKERS})\b)"
    rf"|我(?:是)?由(?:{_MAKERS})(?:公司)?(?:训练|开发|研发|创建|推出)"
)
# Behind an answer: who wrote it. A list may end on a name, a quotation on "— Claude Debussy".
_SIGNED = ascii_edges(
    r"(?:\n|[.!?。！？\"”])[\s\-—–(（\[【*_~]*(?:(?i:(?:re)?generated|written|answered|powered|created|response|answer)\s*"
    r"(?i:by|from|with)[:： ]*|(?i:author|model|source)\s?[:：]\s*"
    r"|(?:本|此|以上)(?:回答|回复|答案|文|内容)?(?:均|全部)?由|回答者[:：]\s*|由|—[ ]?|-- )"
    r"(?:OpenAI(?:'s)? )?(?:ChatGPT|GPT-?[345][\w.-]*|Claude(?: ?[\d.]+| Sonnet| Opus| Haiku)"
    r"|Gemini (?:Pro|Ultra|[\d.]+)|DeepSeek[\w-]{0,8}|Qwen[\w.-]{0,10}"
    r"|文心一言|通义千问|讯飞星火|豆包)(?:生成|回答|提供|撰写)?[\s)）\]】*_.。]*$"
)
_SIGNERS = one_of(["GPT", "Claude", "Gemini", "DeepSeek", "Qwen", "文心一言", "通义千问", "讯飞星火", "豆包"])
# The day on which what some model knows ends, anywhere in an answer.
_CUTOFFS = one_of(["截至我", "据截止", "据截至", "知识库更新", "识截止", "last update", "knowledge ", "training data"])
_CUTOFF = ascii_edges(
    r"(?i)\b(?:as of|since) my (?:last|latest|most recent) (?:knowledge |training )?update\b"
    r"|\bmy knowledge (?:cut-?off|ends|base (?:ends|was last updated))"
    r"|\bmy (?:training data|knowledge) (?:only )?(?:goes|extends|runs|covers|is)\s(?:up to|until)\b"
    r"|截至我(?:的)?(?:最后一次|上次|最近一次)?(?:更新|训练|知识)|我的(?:训练)?数据(?:只)?截[止至]"
    r"|我的知识(?:库)?(?:只)?(?:更新到|截[止至])"
)
_TAIL = 80  # characters at the end of an answer
_KINDS = {"refusal": "|".join((*_EN, _ZH)), "self_description": _SELF, "model_identity": _OTHER}
_ONE_BY_ONE = (*_EN, _ZH, _SELF, _OTHER)  # what all kinds together are: as one pattern they take twice as long
_NAMED = ("model_identity", "signed")


class Refusals(Check):
    """Share of rows whose answer refuses, or speaks as some AI model: "I'm sorry, but I cannot", 作为一个AI语言模型.

    The first 240 characters of each answer are looked at, and the last 80 for who signed it (`signed`: "— GPT-4").
    `model_identity` is an answer that says that it is ChatGPT, or made by OpenAI: the model will say so too. In pairs
    only the chosen answer counts. `knowledge_cutoff` is an answer that says when its model's knowledge ends. In a row
    that offers tools an answer is no refusal that names its tools, functions or capabilities: it was asked for a pizza
    and can only convert currencies.
    """

    metrics = {
        "rate": Metric(
            "rows whose answer refuses or describes itself",
            "share",
            of="rows",
            limit=Limit(warn_max=0.01),
            why="some refusals are wanted; above 1 row in 100 somebody should read some",
        ),
        "identity": Metric(
            "rows whose answer names another model",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="a few are enough for a model to take that name, but each may be a quotation",
        ),
    }

    reads = "answer"
    check: Literal["refusals"] = "refusals"

    def needs(self) -> tuple[Need, ...]:
        """What may refuse."""
        return (Need(RefusingEnds()),)

    def measure(self, data: View) -> Measured:
        """Search the start of every answer."""
        text, ends = pl.col("text"), data[Need(RefusingEnds())].collect().lazy()
        found = flagged(
            ends.filter(side="head").drop("side"),
            {kind: text.str.contains(pattern) for kind, pattern in _KINDS.items()},
            {kind: text.str.extract(f"({pattern})") for kind, pattern in _KINDS.items()},
        )
        dated = flagged(ends.filter(side="date").drop("side"), {"knowledge_cutoff": pl.lit(value=True)})
        signed = {"signed": text.str.extract(f"({_SIGNED})")}
        named = flagged(ends.filter(side="tail").drop("side"), {"signed": pl.lit(value=True)}, signed)
        found = pl.concat([found, dated, named])
        refused = found.filter(~pl.col("problem").is_in(_NAMED))
        named = found.filter(pl.col("problem").is_in(_NAMED))
        values: tuple[Value, ...] = (
            *rates("rate", refused, data.rows, by=self.by, rows=data.rows),
            *rates("identity", named, data.rows, by=self.by, rows=data.rows),
        )
        shown = evidence(found, texts_of(data, plain=False))
        return Measured(values, evidence=shown, figures={"kinds": per_kind(found)})


class RefusingEnds(Feature):
    """What answers that may refuse, or name a model, say at one end: `text` there, and `side`: head, date or tail.

    date: of an answer that says when its model's knowledge ends, which may be anywhere; no text of it is kept.
    """

    columns = {
        **PLACE, "text": pl.String, "side": pl.String,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the beginning, at all of it for a few words, and at the end."""
        said = messages(part.turns).filter(learnt())
        sides = {"head": _suspect(said, part.turns), "date": _dated(said), "tail": _signed(said)}
        return pl.concat([alone(each.with_columns(side=pl.lit(side)).collect()) for side, each in sides.items()])


def _signed(said: pl.LazyFrame) -> pl.LazyFrame:
    """The ends of the answers that name who wrote them."""
    ends = said.with_columns(text=pl.col("text").str.tail(_TAIL))
    named = ends.filter(pl.col("text").str.contains(_SIGNERS)).collect().lazy()  # few, for the slower pattern
    return named.filter(pl.col("text").str.contains(_SIGNED))


def _dated(said: pl.LazyFrame) -> pl.LazyFrame:
    """The answers that say when their model's knowledge ends."""
    named = said.filter(pl.col("text").str.contains(_CUTOFFS)).collect().lazy()
    return named.filter(pl.col("text").str.contains(_CUTOFF)).with_columns(text=pl.lit(None, pl.String))


def _suspect(said: pl.LazyFrame, turns: pl.LazyFrame) -> pl.LazyFrame:
    """The beginnings of the answers that may refuse."""
    heads = said.with_columns(text=pl.col("text").str.slice(0, _HEAD))
    found = heads.filter(pl.any_horizontal(map(pl.col("text").str.contains, _ONE_BY_ONE))).collect().lazy()
    offering = turns.filter(pl.col("part") == "tools", pl.col("text").str.len_bytes() > _NONE).select("row").unique()
    beyond = found.filter(pl.col("text").str.contains(_BEYOND), ~pl.col("text").str.contains(_OTHER))
    right = beyond.join(offering, on="row", how="semi").select("row", "path")
    return found.join(right, on=["row", "path"], how="anti", maintain_order="left")
