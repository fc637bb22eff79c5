"""What is wrong with the constraints (IFEval's instruction ids and their kwargs) of each row."""

import ast
import json
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import jiter
import polars as pl

from datacheck.check import Feature, Need, View
from datacheck.text.constraints import IFEVAL, OPEN_INSTRUCT, Constraint, conflicts, follows, wrong_arguments

Registry = Literal["auto", "ifeval", "open_instruct"]
_IDS = ("instruction_id_list", "instruction_id")  # IFEval's rows; the ground_truth of open-instruct
_BESIDE = ("ground_truth", "label", "reward_model", "extra_info")  # where a row of an RL trainer has them
_PARTS = ("response", "chosen", "answer")  # the first that a row has
_LONGEST = 100_000  # characters of a ground_truth that is parsed
_DEEPEST = 6  # a text in a list in a text in an object in the row

Fact = tuple[str | None, str, str | None]  # where, problem, what is shown of it


class _Listed(NamedTuple):
    """The ids of a row and their kwargs, as they are; inside a text, all paths are the text's own."""

    key: str
    path: str
    ids: Any
    kwargs: Any
    in_text: bool

    def at(self, name: str, inside: str = "") -> str:
        if self.in_text:
            return self.path
        return f"{self.path}.{name}{inside}" if self.path else f"{name}{inside}"


class Constraints(Feature):
    """`row`, `where`, `problem`, `text`: a line per fact about a row that names instruction ids.

    Problems: unknown_id, missing_argument, wrong_argument, unknown_argument, uneven_arguments, excluded, not_followed.
    Notes: note:subject, and note:judged for a row whose answer was held against at least one constraint.
    """

    columns = {"row": pl.UInt32, "where": pl.String, "problem": pl.String, "text": pl.String}

    registry: Registry
    known: tuple[str, ...]

    def needs(self) -> tuple[Need, ...]:
        """The records."""
        return (Need("records"),)

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the records that hold the name of the column, each in Python."""
        named = pl.col("json").str.contains("instruction_id", literal=True)
        records = part.records.filter(named).select("row", "json").sort("row").collect()
        answers = _answers(part.turns.join(records.lazy().select("row"), on="row", how="semi"))
        found = [
            (row, *fact)
            for row, text in records.iter_rows()
            for listed in _listed(jiter.from_json(text.encode()))
            for fact in self._facts(listed, answers.get(row))
        ]
        return pl.DataFrame(found, schema=self.columns, orient="row")

    def _facts(self, listed: _Listed, answer: tuple[str, str] | None) -> Iterator[Fact]:
        yield None, "note:subject", None
        ids = listed.ids if isinstance(listed.ids, list) else [listed.ids]
        named = set(map(str, ids)) & (self._registered(listed.key) | set(self.known))
        for at, each in enumerate(ids):
            if str(each) not in named:
                yield listed.at(listed.key, f"[{at}]"), "unknown_id", str(each)
        kwargs = [listed.kwargs] if isinstance(listed.ids, str) and isinstance(listed.kwargs, dict) else listed.kwargs
        if not isinstance(kwargs, list) or len(kwargs) != len(ids):
            yield listed.at("kwargs"), "uneven_arguments", None
            return
        right: list[tuple[int, Constraint]] = []
        for at, (each, found) in enumerate(zip(ids, kwargs, strict=True)):
            if str(each) not in named or str(each) in self.known:
                continue
            given = {} if found is None else found
            if not isinstance(given, dict):
                yield listed.at("kwargs", f"[{at}]"), "wrong_argument", str(each)
                continue
            one = Constraint(str(each), {name: value for name, value in given.items() if value is not None})
            wrong = list(wrong_arguments(one))
            for problem, name in wrong:
                yield listed.at("kwargs", f"[{at}].{name}"), problem, f"{one.id} {name}"
            if not wrong:
                right.append((at, one))
        yield from _together(listed, right, answer)

    def _registered(self, key: str) -> frozenset[str]:
        of_ground_truth = self.registry == "auto" and key == "instruction_id"
        return OPEN_INSTRUCT if of_ground_truth or self.registry == "open_instruct" else IFEVAL


def _together(
    listed: _Listed, right: Sequence[tuple[int, Constraint]], answer: tuple[str, str] | None
) -> Iterator[Fact]:
    """Pairs that exclude each other, then what the row's own answer does not follow."""
    for first, second in conflicts([one for _, one in right]):
        place = listed.at(listed.key, f"[{right[second][0]}]")
        yield place, "excluded", f"{right[first][1].id} {right[second][1].id}"
    if answer is None:
        return
    path, text = answer
    judged = [(one.id, follows(one, text)) for _, one in right]
    if any(said is not None for _, said in judged):
        yield path, "note:judged", None
    for name, said in judged:
        if said is False:
            yield path, "not_followed", name


def _answers(turns: pl.LazyFrame) -> dict[int, tuple[str, str]]:
    """The path and text of each row's last answer, without its thought; a gold that names the ids is none."""
    texts = turns.filter(
        pl.col("part").is_in(_PARTS), ~pl.col("text").str.contains("instruction_id", literal=True)
    ).with_columns(rank=pl.col("part").replace_strict(_PARTS, range(len(_PARTS)), return_dtype=pl.Int8))
    last = texts.sort("row", -pl.col("rank"), "turn").group_by("row", maintain_order=True).last()
    said = pl.col("text").str.split("</think>").list.last()
    return {row: (path, text) for row, path, text in last.select("row", "path", said).collect().iter_rows()}


def _listed(value: Any, path: str = "", depth: int = 0, *, in_text: bool = False) -> Iterator[_Listed]:
    """The lists of ids of a record: its own, or in a ground_truth (an object, or JSON or Python text of one)."""
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        if "instruction_id" in value:
            yield from _listed(_parsed(value), path, depth + 1, in_text=True)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _listed(item, path if in_text else f"{path}[{at}]", depth + 1, in_text=in_text)
    elif isinstance(value, dict):
        key = next((name for name in _IDS if value.get(name) is not None and "kwargs" in value), None)
        key = key or ("instruction_id_list" if isinstance(value.get("instruction_id_list"), list) else None)
        if key is not None:
            ids, kwargs = (
                _parsed(each) if isinstance(each, str) and each.lstrip().startswith(("[", "{")) else each
                for each in (value[key], value.get("kwargs"))
            )
            yield _Listed(key, path, ids, kwargs, in_text)
            return
        for name in _BESIDE:
            if name in value:
                inner = path if in_text else f"{path}.{name}".lstrip(".")
                yield from _listed(value[name], inner, depth + 1, in_text=in_text)


def _parsed(text: str) -> Any:
    """JSON, or a Python literal (open-instruct reads it with `literal_eval`); None for anything else."""
    if len(text) > _LONGEST:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\\d" in a string: the parser would warn, and quote the data
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
