"""Count the rows whose tool definitions, calls or results are broken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, View, rates
from datacheck.features.tokens import TokenRun, load_model, renderer, token_run_of
from datacheck.features.tool_calls import ToolFacts
from datacheck.trainers import is_trainer, trainer

if TYPE_CHECKING:
    from datacheck.chat.calls import CallForms, Form

_FACTS = Need(ToolFacts())
_METRICS = {
    "call_in_text": "in_text",
    "undeclared_argument": "strange",
    "placeholder_argument": "strange",
    "empty_result": "results",
    "cut_result": "results",
}
_RESULTS, _JSON = 20, 0.9  # results from which on, and share of them that is JSON, the others were to be JSON, too
_INDEX = re.compile(r"(\[\d+\])+$")
_TABLES = (".parquet", ".arrow", ".feather")  # where a null and what is missing are one
_SHAPES = {"message": Message("the arguments of calls"), "content": Message("the arguments of calls in the content")}


class ToolCallErrors(Check):
    """Tool calls that could not be run: wrong arguments, unknown functions, ids and results that do not pair.

    Read are OpenAI's messages (`tool_calls` with `tool_call_id`, and the older `function_call`), ShareGPT's and
    ms-swift's `function_call`/`tool_call` messages, LLaMA-Factory's `tool_call` parts, Anthropic's `tool_use` and
    `tool_result` parts, and `tools` as a list or as JSON text. Fine are: parallel calls, several results in a row, an
    empty content beside calls, more columns, a conversation that ends with a call, rows without ids, one result for
    parallel calls where the calls stand in the content. Arguments that the definition does not name, and values such as
    `<city>` or `YOUR_API_KEY`, are counted apart, as are results that are empty, or JSON without its end, where nine of
    ten results are JSON. Ids must be unique within a conversation. Whether arguments are text or objects must not vary
    within a dataset: rows of the rarer kind are named. Where `run.trainer` (or `arguments`) says which of them is
    wanted, all others are named: LLaMA-Factory quotes arguments that are text once more, OpenAI refuses objects. With
    other trainers, or none, the chat template of `run.tokenizer` is asked: a call of known words is rendered both ways,
    and what the template does to the form that it does not want (it fails, encodes it twice, prints Python) stands in
    the evidence, as does what it prints for an argument that is null.
    """

    metrics = {
        "rate": Metric(
            "rows whose tools or tool calls are wrong",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="a call that cannot be run is learnt like any other",
        ),
        "in_text": Metric(
            "rows that offer tools and write a call in the text",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="it may be an example, or the way in which that model calls",
        ),
        "strange": Metric(
            "rows with a call that gives what no definition names, or what nobody filled in",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="JSON Schema allows other properties, and a text may look like a placeholder",
        ),
        "results": Metric(
            "rows with a result that is empty or cut off, where results are JSON",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="some interfaces answer with nothing; JSON without its end was cut by what collected it",
        ),
    }

    reads = "tool_call"
    check: Literal["tool_call_errors"] = "tool_call_errors"
    arguments: Literal["template", "any", "string", "object"] = Field(
        default="template",
        description="what arguments must be: JSON text, objects, or what the run's template takes; from run.trainer "
        "where it says",
    )
    run: TokenRun | None = Field(default=None, description="whose tokenizer has the template; from `run:`")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """Some trainers say what arguments must be; for others the template of the run does."""
        name = dataset["run"]["trainer"]
        said = {"arguments": trainer(name).tool_arguments} if name and is_trainer(name) else {}
        return {**said, "run": token_run_of(dataset)}

    def needs(self) -> tuple[Need, ...]:
        """The facts about each row."""
        return (_FACTS,)

    def measure(self, data: View) -> Measured:
        """Take the problems as they are; judge the shape of arguments, and nulls, over the whole dataset."""
        facts = data[_FACTS].collect()
        noted = pl.col("name").str.starts_with("note:")
        apart = pl.col("name").is_in(list(_METRICS))
        notes, problems = facts.filter(noted), facts.filter(~noted, ~apart)
        forms = self._forms(notes)
        if forms is not None and forms.error is not None:
            said = Message("calls could not be rendered within the limits ({error})", error=forms.error)
            return self.not_measured(said)
        told = problems.filter(pl.col("name") == "null_argument")  # by the definition, argument by argument
        filled = _filled(notes, data.rows).join(told, on=["row", "where"], how="anti", maintain_order="left")
        problems = pl.concat([problems, filled])
        shaped = [line for home in _SHAPES for line in self._shaped(notes, home, forms)]
        found = pl.concat([_with_print(problems, forms), *shaped])
        lines = found.select("row", "where", "said", problem="name").lazy()
        written = pl.concat([facts.filter(apart), _marked(notes), _lost(notes)]).sort("row", maintain_order=True)
        also = written.select("row", "where", "said", problem="name").lazy()
        return Measured(
            tuple(
                value
                for name, of in (
                    ("rate", lines),
                    *((name, also.filter(_of(name))) for name in ("in_text", "strange", "results")),
                )
                for value in rates(name, of, data.rows, by=self.by, rows=data.rows)
            ),
            evidence=pl.concat([lines, also]),
            not_checked=(*_left_out(notes), *_refused(forms)),
        )

    def _forms(self, notes: pl.DataFrame) -> CallForms | None:
        """What the template does with calls; None where no message makes one, or no template is to be asked."""
        run = self.run
        called = notes.filter(pl.col("name").str.starts_with("note:message.")).height
        if self.arguments != "template" or not called or run is None or not run.tokenizer or not run.tokenizer.files:
            return None
        from datacheck.chat.calls import call_forms  # jinja2 and tokenizers: only where they are used

        child = renderer(load_model(run.tokenizer), run.template)
        if child is None:
            return None
        with child:
            return call_forms(child)

    def _shaped(self, notes: pl.DataFrame, home: str, forms: CallForms | None) -> list[pl.DataFrame]:
        """Lines about the shape of arguments: against what is wanted, else against that of most rows."""
        if self.arguments in ("string", "object"):
            return [_unwanted(notes, home, "string" if self.arguments == "string" else "object")]
        if home == "content" or forms is None:
            return [_mixed(notes, home)]
        if forms.string.style == forms.object.style == "out":
            return [_not_rendered(notes)]
        wanted = forms.wanted
        return [_mixed(notes, home)] if wanted == "any" else [_unwanted(notes, home, wanted, forms)]


def _of(metric: str) -> pl.Expr:
    return pl.col("problem").is_in([problem for problem, of in _METRICS.items() if of == metric])


def _refused(forms: CallForms | None) -> tuple[Message, ...]:
    """A sentence where the template takes no call at all: then it says nothing of their arguments."""
    if forms is None or not forms.string.style == forms.object.style == "refused":
        return ()
    return (Message("the template {wrong}; arguments were not compared with it", wrong=forms.object.wrong or ""),)


def _shape(notes: pl.DataFrame, home: str, form: str) -> pl.DataFrame:
    return notes.filter(pl.col("name") == f"note:{home}.{form}")


def _mixed(notes: pl.DataFrame, home: str) -> pl.DataFrame:
    """One line per row that has arguments in the rarer of the two shapes."""
    text, objects = _shape(notes, home, "string"), _shape(notes, home, "object")
    if text.is_empty() or objects.is_empty():
        return notes.clear()
    fewer = text.height < objects.height
    said = Message(
        "{arguments} are {name} here; most rows have {usual}",
        arguments=_SHAPES[home],
        name=Message("text" if fewer else "an object"),
        usual=Message("objects" if fewer else "text"),
    )
    return (text if fewer else objects).with_columns(name=pl.lit("mixed_arguments"), said=pl.lit(said.packed))


def _unwanted(notes: pl.DataFrame, home: str, wanted: Form, forms: CallForms | None = None) -> pl.DataFrame:
    """One line per row that has arguments in the other shape than the one that is wanted."""
    other: Form = "object" if wanted == "string" else "string"
    words = Message("text"), Message("an object")
    usual, name = words if wanted == "string" else words[::-1]
    why = Message("the run wants {usual}", usual=usual)
    if forms:
        why = Message("the template {wrong}", wrong=(forms.object if wanted == "string" else forms.string).wrong or "")
    said = Message("{arguments} are {name} here; {why}", arguments=_SHAPES[home], name=name, why=why)
    return _shape(notes, home, other).with_columns(name=pl.lit("unwanted_arguments"), said=pl.lit(said.packed))


def _marked(notes: pl.DataFrame) -> pl.DataFrame:
    """Calls between a template's marks, where other calls of the data stand in their fields; else that is its way."""
    usual = notes["name"].str.starts_with("note:message.") | notes["name"].str.starts_with("note:content.")
    marked = notes.filter(pl.col("name") == "note:marked") if usual.any() else notes.clear()
    return marked.with_columns(name=pl.lit("call_in_text"))


def _lost(notes: pl.DataFrame) -> pl.DataFrame:
    """Results that are empty or cut off, where nearly all are JSON: a shell says nothing where nothing went wrong."""
    counts = [json.loads(each) for each in notes.filter(pl.col("name") == "note:results")["said"]]
    every, whole = (sum(each[at] for each in counts) for at in (0, 1))
    usual = every >= _RESULTS and whole >= _JSON * every
    lost = notes.filter(pl.col("name").is_in(["note:empty_result", "note:cut_result"]))
    return (lost if usual else lost.clear()).with_columns(pl.col("name").str.strip_prefix("note:"))


def _not_rendered(notes: pl.DataFrame) -> pl.DataFrame:
    """One line per row that makes calls, of which the template shows nothing."""
    called = notes.filter(pl.col("name").str.starts_with("note:message.")).unique("row", keep="first")
    said = Message("the template leaves calls out: nobody will learn them")
    return called.sort("row").with_columns(name=pl.lit("calls_not_rendered"), said=pl.lit(said.packed))


class _Keys(NamedTuple):
    """The arguments of one call that is an object: those that are set, and those that are null."""

    row: int
    where: str
    function: str
    given: frozenset[str]
    null: frozenset[str]


def _filled(notes: pl.DataFrame, rows: pl.LazyFrame) -> pl.DataFrame:
    """Arguments that a table filled with null, one line per call."""
    noted = notes.filter(pl.col("name") == "note:keys").with_columns(pl.col("row").cast(pl.UInt64))
    placed = noted.join(rows.select("row", "file").collect(), on="row", how="left", maintain_order="left")
    files: dict[str, list[_Keys]] = {}
    for row, where, keys, file in placed.select("row", "where", "said", "file").iter_rows():
        function, given, null = json.loads(keys)
        files.setdefault(file, []).append(_Keys(row, where, function, frozenset(given), frozenset(null)))
    lines = [
        line
        for file, calls in files.items()
        for line in (_of_table(calls) if file.endswith(_TABLES) else _of_union(calls))
    ]
    table = pl.DataFrame(lines, {"row": notes.schema["row"], "where": pl.String, "said": pl.String}, orient="row")
    return table.select("row", "where", pl.lit("null_argument").alias("name"), "said").select(notes.columns)


def _of_table(calls: list[_Keys]) -> Iterator[tuple[int, str, str]]:
    """In Parquet and Arrow every call has the arguments of all calls of the file: those that it lacks are null."""
    every = sorted(frozenset().union(*(call.given for call in calls)))
    for call in calls:
        lacks = [key for key in every if key not in call.given]
        if lacks:
            said = Message("{path} is null for trainers: the table gives all calls one type", path=lacks[0])
            if len(lacks) > 1:
                said = Message(
                    "{path} is null for trainers, and {more} more: the table gives all calls one type",
                    path=lacks[0],
                    more=len(lacks) - 1,
                )
            yield call.row, call.where, said.packed


def _of_union(calls: list[_Keys]) -> Iterator[tuple[int, str, str]]:
    """Elsewhere a null is an argument that no call of the function sets, and a call of another one does."""
    seen = {(call.function, key) for call in calls for key in call.given}
    elsewhere = {key for _, key in seen}
    for call in calls:
        filled = sorted(key for key in call.null if (call.function, key) not in seen and key in elsewhere)
        if filled:
            said = Message(
                "{path} is null in every call of {name}, and set in others", path=filled[0], name=call.function
            )
            yield call.row, call.where, said.packed


def _with_print(problems: pl.DataFrame, forms: CallForms | None) -> pl.DataFrame:
    """Null arguments with what the template prints for them."""
    if forms is None or forms.null is None:
        return problems
    null = pl.col("name") == "null_argument"
    filled = problems.filter(null)
    said = [_printed(Message.unpacked(each), forms).packed for each in filled["said"]]
    return pl.concat([problems.filter(~null), filled.with_columns(said=pl.Series(said, dtype=pl.String))])


def _printed(what: Message, forms: CallForms) -> Message:
    key = _INDEX.sub("", str(what.params.get("path", "")).rpartition(".")[2])
    return Message("{what}; the template {prints}", what=what, prints=forms.printed(key))


_NOTHING = Message("no row has tools, calls or results: there was nothing to measure")


def _left_out(notes: pl.DataFrame) -> tuple[Message, ...]:
    """Sentences about what was not looked at."""
    rows = dict(notes.group_by("name").agg(pl.col("row").n_unique()).iter_rows())
    if "note:subject" not in rows:
        return (_NOTHING,)
    no_tools, opaque, rejected = (rows.get(f"note:{name}", 0) for name in ("no_tools", "opaque", "rejected"))
    said = (
        Message.plural(
            "{n:,} row makes calls but defines no tools: names and arguments were not compared with definitions",
            "{n:,} rows make calls but define no tools: names and arguments were not compared with definitions",
            no_tools,
        ),
        Message.plural(
            "{n:,} row writes calls in the text or as tool_use parts: those calls were not read",
            "{n:,} rows write calls in the text or as tool_use parts: those calls were not read",
            opaque,
        ),
        Message.plural(
            "{n:,} row has calls in answers that must not be learnt: those were not judged",
            "{n:,} rows have calls in answers that must not be learnt: those were not judged",
            rejected,
        ),
    )
    return tuple(note for note in said if note.params["n"])
