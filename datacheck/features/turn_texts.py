"""The texts of a dataset one by one, as checks of wording look at them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import polars as pl
from polars.io.plugins import register_io_source

from datacheck.check import View, learnt, saying
from datacheck.text.chinese import in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.views import alone

_CODE = r"(?s:```.*?```|~~~.*?~~~)|`[^`\n]{1,200}`"
_OPEN_CODE = r"(?s:```.*|~~~.*)"
_CODE_LINE = ascii_edges(
    r"(?m)[;{]\s*$"
    r"|^\s*(?:def|class|import|from|const|let|var|function|return|public|private|package|using|val)\b.*[:;={(\w]$"
    r"|</\w+>|=>|\{%|\$\{\{|^\s*(?:#!|#include|<\?)|print\(|\bf\"|\\(?:begin|frac|left|math\w+|times|text|pi)\b"
    # shell: $(command), "$name", name=value, and the words that open and close its blocks
    r"|\$\(|\"\$\w|^\s*[A-Za-z_]\w*=\S*\s*$|^\s*(?:done|fi|esac|do|then)\s*$|;\s*(?:do|then)\s*$|^\s*echo\s"
)
_CODE_LINES = 2
PLACE: dict[str, type[pl.DataType]] = {
    "row": pl.UInt32, "part": pl.String, "role": pl.String, "turn": pl.UInt16, "path": pl.String,
}  # fmt: skip
"""The columns of a feature that say where a text stands."""
_BEFORE = 30  # characters that are shown before a place
_FEW = 500  # lines
Texts = Callable[[pl.Series], pl.LazyFrame]  # the texts of some rows
# The path of what stands beside a message's content, and of a worked solution beside a gold.
THOUGHTS = in_both_scripts(
    r"\.(?:reasoning_content|reasoning|thinking)$"
    r"|^(?:solution|generated_solution|rationale|cot|explanation|reasoning|thinking|analysis|解析|解答|解题过程)(?:\[0\])?$|^steps$"
)


def turn_texts(data: View, *, plain: bool = True, thoughts: bool = False) -> pl.LazyFrame:
    """One line per text in file order: `row`, `part`, `role`, `turn`, `path`, `text` (never null or empty).

    Tool definitions are left out: they are JSON that a program wrote. `plain` keeps rows that are one text; `thoughts`
    adds those that stand in a key of their own, said by the assistant and without a `turn`.
    """
    return _texts(data.turns, data.cells, plain=plain, thoughts=thoughts)


def _texts(turns: pl.LazyFrame, cells: pl.LazyFrame, *, plain: bool, thoughts: bool) -> pl.LazyFrame:
    told = messages(turns, plain=plain)
    if not thoughts:
        return told
    thought = cells.filter(pl.col("path").str.contains(THOUGHTS), pl.col("text").str.len_bytes() > 0)
    said = {"part": pl.lit("response"), "role": pl.lit("assistant"), "turn": pl.lit(None, pl.UInt16)}
    return pl.concat([told, thought.select("row", **said, path="path", text="text")])


def texts_of(data: View, *, plain: bool = True, thoughts: bool = False) -> Texts:
    """What gives the texts of some rows, in their order: only the parts that hold one of them are read.

    For a step that sees all parts of its dataset.
    """

    def read(rows: pl.Series) -> pl.LazyFrame:
        wanted = rows.cast(pl.UInt64).drop_nulls().unique().sort()
        ends = wanted.search_sorted(pl.Series(data.firsts, dtype=pl.UInt64)).to_list()
        found = []
        for part, (start, end) in enumerate(pairwise(ends)):
            if start < end:
                tables = data.piece("turns", part), data.piece("cells", part)
                own = _texts(*tables, plain=plain, thoughts=thoughts)
                few = own.filter(pl.col("row").is_in(wanted[start:end].implode())).collect()
                found.append(alone(few))  # else each part would be in memory, for its few texts
        return pl.concat(found).lazy() if found else turn_texts(data, plain=plain, thoughts=thoughts).clear()

    return read


def messages(turns: pl.LazyFrame, *, plain: bool = False) -> pl.LazyFrame:
    """Of some turns what `turn_texts` gives of all."""
    parts = ["tools"] if plain else ["tools", "text"]
    wanted = turns.filter(~pl.col("part").is_in(parts), pl.col("text").str.len_bytes() > 0)
    return wanted.select("row", "part", "role", "turn", "path", "text")


def last_answers(texts: pl.LazyFrame) -> pl.LazyFrame:
    """The last answer of each row that is learnt, of `messages`."""
    said = texts.filter(learnt())
    return said.filter(pl.col("turn") == pl.col("turn").max().over("row"))


def piecewise(
    data: View, find: Callable[..., pl.LazyFrame], *tables: Literal["turns", "cells", "rows"]
) -> pl.LazyFrame:
    """What `find` makes of the turns of each part, or of some of its tables, in memory; rows are dataset-wide.

    For what is worked out from texts, or from neighbours: in one query polars would hold the texts of all parts for it.
    """
    names = tables or ("turns",)
    made = [alone(find(*piece).collect()) for piece in zip(*map(data.pieces, names), strict=True)]
    return pl.concat(made).lazy() if made else find(*(getattr(data, name) for name in names))


def holds(table: pl.DataFrame, *conditions: pl.Expr) -> pl.Series:
    """Whether all conditions hold of a line; each is looked at only where those before it do."""
    names = {name for condition in conditions for name in condition.meta.root_names()}
    some, left = table.select(sorted(names)), pl.arange(0, table.height, dtype=pl.UInt32, eager=True)
    for condition in conditions:
        if some.is_empty():  # to compile a pattern takes as long as to read a thousand texts
            break
        true = some.select(condition.fill_null(value=False)).to_series()
        if not true.all():  # where a condition holds of all, nothing is copied
            some, left = some.filter(true), left.filter(true)
    return pl.repeat(False, table.height, dtype=pl.Boolean, eager=True).scatter(left, True)


def holds_each(table: pl.DataFrame, kinds: Mapping[str, Sequence[pl.Expr]]) -> dict[str, pl.Series]:
    """As `holds`, of several kinds. On few lines in two queries: each takes longer than what it looks at."""
    if table.height > _FEW:
        return {kind: holds(table, *conditions) for kind, conditions in kinds.items()}
    first = {kind: conditions[0].fill_null(value=False) for kind, conditions in kinds.items()}
    found = table.lazy().select(**first).collect().to_dict()
    left = {kind: conditions for kind, conditions in kinds.items() if found[kind].any()}
    every = {kind: pl.all_horizontal(conditions).fill_null(value=False) for kind, conditions in left.items()}
    return found | table.lazy().select(**every).collect().to_dict()


def of_rows(texts: pl.LazyFrame | Texts, rows: pl.LazyFrame) -> pl.LazyFrame:
    """The texts of some rows, in their order: a condition, for a join would hold the texts of all rows in memory."""
    wanted = rows.select(pl.col("row").cast(pl.UInt64).unique()).collect()["row"]
    if not isinstance(texts, pl.LazyFrame):
        return texts(wanted)
    if wanted.is_empty():  # nothing is read
        return texts.clear()
    return texts.filter(pl.col("row").cast(pl.UInt64).is_in(wanted.implode()))


def asked(texts: pl.LazyFrame, roles: Sequence[str] = (), /, **patterns: str) -> pl.LazyFrame:
    """Per row, whether what was said to the assistant (by one of `roles`) holds each pattern: `row` and their names."""
    heard = pl.col("role").is_in(roles) if roles else pl.col("role").ne_missing("assistant")
    holds = {name: pl.col("text").str.contains(pattern).any() for name, pattern in patterns.items()}
    return texts.filter(heard).group_by("row").agg(**holds)


def without_code(text: pl.Expr, *, unclosed: bool = True) -> pl.Expr:
    """Replace Markdown code (fenced, or in backticks) by a space; an `unclosed` fence reaches to the end."""
    closed = text.str.replace_all(_CODE, " ")
    return closed.str.replace(_OPEN_CODE, " ") if unclosed else closed


def looks_like_code(text: pl.Expr) -> pl.Expr:
    """Whether a text has lines that only programs, shells, markup or formulas have: code without a fence."""
    return text.str.count_matches(_CODE_LINE) >= _CODE_LINES


def flagged(
    texts: pl.LazyFrame, kinds: Mapping[str, pl.Expr], details: Mapping[str, pl.Expr] | None = None
) -> pl.LazyFrame:
    """One line per text and kind whose condition holds: `row`, `part`, `role`, `turn`, `path`, `problem`, `detail`.

    `texts` holds few texts that matter (filter with one cheap pattern first). `details` has words on some kinds. The
    result is in memory and holds no text.
    """
    said = pl.coalesce(
        *(pl.when(pl.col("problem") == kind).then(words) for kind, words in (details or {}).items()),
        pl.lit(None, pl.String),
    )
    named = [pl.when(holds).then(pl.lit(kind)) for kind, holds in kinds.items()]
    found = texts.with_columns(problem=pl.concat_list(named).list.drop_nulls())
    found = found.filter(pl.col("problem").list.len() > 0).explode("problem", empty_as_null=False)
    return found.with_columns(detail=said).drop("text", strict=False).collect().lazy()


def evidence(found: pl.LazyFrame, texts: pl.LazyFrame | Texts, *more: str) -> pl.LazyFrame:
    """Evidence of what `flagged` found, each with its whole text (of which only an excerpt is shown).

    Texts are read for those that ask for them: of all that is found, the first places are shown and the others counted.
    more: columns of `found` that go with it.
    """
    lines = found.select(*_PLACE, "problem", "detail", *more, where="path")
    names = ["row", "problem", "detail", "text", "where", *more]
    kinds = {**lines.collect_schema(), "text": pl.String()}

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        asked_of = () if predicate is None else predicate.meta.root_names()
        left = lines if rows is None else lines.head(rows)
        if predicate is not None and "text" not in asked_of:
            left = left.filter(predicate)
        if columns is None or "text" in columns or "text" in asked_of:
            left = left.collect().lazy()
            some = of_rows(texts, left).select(*_PLACE, "text")
            left = left.join(some, on=_PLACE, how="left", maintain_order="left", nulls_equal=True)
        if predicate is not None and "text" in asked_of:
            left = left.filter(predicate)
        yield left.select(columns or names).collect()

    return register_io_source(read, schema={name: kinds[name] for name in names}, is_pure=True)


_PLACE = ("row", "part", "turn", "path")


def first_at(pattern: str) -> pl.Expr:
    """Where in `text` a pattern (Rust regex) stands first, counted in characters from 1; for `from_first`."""
    before = pl.col("text").str.extract(f"^((?s:.*?))(?:{pattern})")
    return (before.str.len_chars() + 1).cast(pl.String)


def from_first(found: pl.LazyFrame) -> pl.LazyFrame:
    """Evidence whose `detail` is of `first_at`: with a sentence on it, and `text` from shortly before that place."""
    at = pl.col("detail").cast(pl.Int64)
    start = at - 1 - _BEFORE
    later = pl.concat_str(pl.lit("…"), pl.col("text").str.slice(start.clip(0)))
    return found.with_columns(
        text=pl.when(start > 0).then(later).otherwise("text"),
        said=pl.when(at.is_not_null()).then(saying("first at character {at}", at=at)),
    ).drop("detail")


def per_kind(found: pl.LazyFrame) -> pl.DataFrame:
    """How many rows and texts each problem has, as a figure."""
    counts = found.group_by("problem").agg(rows=pl.col("row").n_unique(), texts=pl.len())
    return counts.sort("problem").collect()
