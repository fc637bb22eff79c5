"""Count the rows whose tool definitions, calls or results are broken."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Metric, Need, Note, View, rates
from datacheck.features.tool_calls import ToolFacts
from datacheck.trainers import trainer, trainer_names

_FACTS = Need(ToolFacts())
_SHAPES = {
    "message": "the arguments of calls",
    "content": "the arguments of calls in the content",
}


class ToolCallErrors(Check):
    """Tool calls that could not be run: wrong arguments, unknown functions, ids and results that do not pair.

    Read are OpenAI's messages (`tool_calls` with `tool_call_id`, and the older `function_call`), ShareGPT's and
    ms-swift's `function_call`/`tool_call` messages, LLaMA-Factory's `tool_call` parts, and `tools` as a list or as
    JSON text. Fine are: parallel calls, several results in a row, an empty content beside calls, more columns,
    a conversation that ends with a call, rows without ids, one result for parallel calls where the calls stand in
    the content. Ids must be unique within a conversation. Whether arguments are text or objects must not vary within
    a dataset: rows of the rarer kind are named. Where `run.trainer` (or `arguments`) says which of them is wanted, all
    others are named: LLaMA-Factory quotes arguments that are text once more, OpenAI refuses objects.

    ## Why it matters

    The model learns to write what it reads: a call that does not parse, a function that is not offered, an argument
    that the schema forbids. Templates that load the arguments stop; others print `"message": null` into every prompt.

    ## Example

    ```yaml
    - check: tool_call_errors
    ```

    ## How to fix

    - `arguments_not_json`, `arguments_not_object`, `call_malformed`: write arguments with a JSON library; `{}` if none.
    - `arguments_invalid`, `unknown_function`: correct the call or the definition, whichever is wrong.
    - `null_argument`, `tools_null_filled`: a union of columns filled the gaps; store tools and arguments as JSON text.
    - `call_without_result`, `result_without_call`, `duplicate_id`, `id_missing`: restore the lost message or its id.
    - `mixed_arguments`, `unwanted_arguments`: write all arguments in the form that the trainer or template expects.
    - `tools_not_json`, `tools_not_functions`: give a list of functions, each with a name and a schema.

    ## How to verify

    Run again: the rate is 0. Then render a row with the chat template of the run and load each call that it prints.

    ## Known limits

    Of JSON Schema these are checked: type, enum, const, properties, required, additionalProperties, items and their
    number, minimum, maximum, anyOf, oneOf (as anyOf), allOf, `$ref` within the schema; pattern, format and the rest
    are not. Types that JSON Schema does not know ("any", "str, optional") accept everything, but for "dict", "str",
    "int", "float", "list", "tuple" and "bool". Calls that stand in the text (`<tool_call>`, `Action:`) and Anthropic's
    `tool_use` parts are not read, and answers that must not be learnt are left out; the report counts both.
    """

    ZH = """统计工具定义、工具调用或调用结果有错的样本。

    ## 现象

    渲染对话模板时报错；或者不报错，但模型学会了写无法解析的调用、不存在的函数和不合法的参数。

    ## 根因

    参数由字符串拼接而成；工具改名后数据没有更新；合并、截断对话时丢了调用或结果；
    经 Arrow 合并列后，空缺的参数被填成 null。

    ## 排查

    - 按问题类型看分布：`null_argument`、`mixed_arguments` 往往来自导出方式，其余往往是个别样本。
    - `arguments_invalid` 的说明给出参数路径，与该行的工具定义对照。

    ## 修复

    - 参数不是 JSON：用 JSON 库重新写出，没有参数时写 `{}`。
    - 函数未知或参数不合定义：改正调用或工具定义中错的一方。
    - 被填成 null：工具和参数都存成 JSON 字符串。
    - 调用与结果不配对：补回丢失的消息或编号，或删除该样本。
    - 字符串与对象混用，或与训练框架要求不符（`unwanted_arguments`）：统一成所需的写法。

    ## 验证

    重新运行后比率为 0；再用训练所用的模板渲染一条样本，逐个解析其中的调用。
    """

    metrics = {"rate": Metric("rows whose tools or tool calls are wrong", "share", of="rows", limit=Limit(max=0))}

    check: Literal["tool_call_errors"] = "tool_call_errors"
    arguments: Literal["any", "string", "object"] = Field(
        default="any",
        description="what arguments must be: JSON text or objects; from run.trainer where it matters there",
    )

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """Some trainers say what arguments must be."""
        name = dataset["run"]["trainer"]
        return {"arguments": trainer(name).tool_arguments} if name in trainer_names() else {}

    def needs(self) -> tuple[Need, ...]:
        """The facts about each row."""
        return (_FACTS,)

    def measure(self, data: View) -> Measured:
        """Take the problems as they are; judge the shape of arguments over the whole dataset."""
        facts = data[_FACTS].collect()
        notes = facts.filter(pl.col("name").str.starts_with("note:"))
        problems = facts.filter(~pl.col("name").str.starts_with("note:"))
        wanted = self.arguments
        shaped = [
            _mixed(notes, home, words) if wanted == "any" else _unwanted(notes, home, words, wanted)
            for home, words in _SHAPES.items()
        ]
        found = pl.concat([problems, *shaped]).select("row", "where", "detail", problem="name").lazy()
        return Measured(
            rates("rate", found, data.rows, by=self.by, rows=data.rows), evidence=found, not_checked=_left_out(notes)
        )


def _mixed(notes: pl.DataFrame, home: str, words: str) -> pl.DataFrame:
    """One line per row that has arguments in the rarer of the two shapes."""
    text, objects = (notes.filter(pl.col("name") == f"note:{home}.{shape}") for shape in ("string", "object"))
    if text.is_empty() or objects.is_empty():
        return notes.clear()
    rarer, name, usual = (text, "text", "objects") if text.height < objects.height else (objects, "an object", "text")
    detail = f"{words} are {name} here; most rows have {usual}"
    return rarer.with_columns(name=pl.lit("mixed_arguments"), detail=pl.lit(detail))


def _unwanted(notes: pl.DataFrame, home: str, words: str, wanted: str) -> pl.DataFrame:
    """One line per row that has arguments in the other shape than the one that is wanted."""
    other, name, usual = ("object", "an object", "text") if wanted == "string" else ("string", "text", "an object")
    lines = notes.filter(pl.col("name") == f"note:{home}.{other}")
    detail = f"{words} are {name} here; the run wants {usual}"
    return lines.with_columns(name=pl.lit("unwanted_arguments"), detail=pl.lit(detail))


_NOTHING = Note(
    "no row has tools, calls or results: there was nothing to measure",
    zh="没有样本含有工具定义、工具调用或调用结果，没有可检查的内容",
)


def _left_out(notes: pl.DataFrame) -> tuple[Note, ...]:
    """Sentences about what was not looked at."""
    rows = dict(notes.group_by("name").agg(pl.col("row").n_unique()).iter_rows())
    said = {
        "note:no_tools": (
            "rows make calls but define no tools: names and arguments were not compared with definitions",
            "行有工具调用却没有工具定义：未将函数名和参数与定义比对",
        ),
        "note:opaque": (
            "rows write calls in the text or as tool_use parts: those calls were not read",
            "行把调用写在正文里或写成 tool_use 片段：这些调用未读取",
        ),
        "note:rejected": (
            "rows have calls in answers that must not be learnt: those were not judged",
            "行的调用位于不应学习的回答中：这些调用未判断",
        ),
    }
    if "note:subject" not in rows:
        return (_NOTHING,)
    return tuple(
        Note(f"{rows[name]} {words}", zh=f"{rows[name]} {zh}") for name, (words, zh) in said.items() if name in rows
    )
