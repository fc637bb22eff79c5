"""Count the rows that break the contract's `schema:` or that no known format fits."""

import json
from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, FieldRule, Limit, Measured, Message, Metric, Value, View, rates, saying, word
from datacheck.i18n.message import ids, joined
from datacheck.loading.formats.chatml import RENDERED
from datacheck.loading.tables import BINARY
from datacheck.text.literals import parse_list

_INTEGER = r"^-?\d+$"
_TYPES = ids("string", "number", "integer", "boolean", "array", "object", "null", "literal_list", "list", "dict")


class SchemaViolations(Check):
    """Rows whose fields break the contract's `schema:` (types, required, enum, range, pattern, unique, lengths).

    It always runs. Without a `schema:` it still counts rows of no known format, unless the dataset is `format: rows`.
    A field is named by its dotted path (`meta.src`); an integer is a number written without fraction or exponent.
    """

    metrics = {
        "rate": Metric(
            "rows that break the schema or fit no format",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="a schema is what the next step relies on: one row that breaks it can stop it",
        )
    }

    reads_packs = True
    check: Literal["schema_violations"] = "schema_violations"
    fields: dict[str, FieldRule] = Field(default={}, description="rules by dotted path; from the dataset's schema:")
    format: str = Field(default="auto", description="rows: any record will do; from source.format")

    @classmethod
    def always(cls, _dataset: Mapping[str, Any], /) -> bool:
        """A schema that nobody checks would be an ornament."""
        return True

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The rules stand with the dataset."""
        return {"fields": dataset["schema"], "format": dataset["format"]}

    def measure(self, data: View) -> Measured:
        """Bring each field to one line per row, then look for what its rule forbids."""
        unknown = data.rows.filter((pl.col("format") == "unknown") & (self.format != "rows"))
        evidence = [unknown.select("row", problem=pl.lit("unknown_format"))]
        types, blind = [], []
        for path, rule in self.fields.items():
            values = _values(data, path).collect()
            if _is_list_rule(rule):
                values, broken = _list_rules(data, values, path, rule)
                evidence.append(broken)
            counts = values.group_by("type").len("rows").sort("type")
            types.append(counts.select(field=pl.lit(path), type=pl.col("type").fill_null("(missing)"), rows="rows"))
            if values.select((_type_ok(rule) & pl.col("text").is_null() & _reads_text(rule)).any()).item():
                blind.append(
                    Message("{path}: a rule speaks of its value, but the format keeps only its type here", path=path)
                )
            evidence.append(_broken(values.lazy(), path, rule))
        broken = pl.concat(evidence, how="diagonal")
        measured = rates("rate", broken, data.rows, by=self.by, rows=data.rows)
        return Measured(
            tuple(Value(v.name, None, v.slice) for v in measured) if blind else measured,
            evidence=broken,
            figures={"types": pl.concat(types)} if types else {},
            not_checked=tuple(blind),
        )


def _values(data: View, path: str) -> pl.LazyFrame:
    """One line per row: `type` (null: the field is missing) and `text` (null: not known, or a container)."""
    leaves = pl.concat(
        [
            data.cells.select("row", "path", type="json_type", text="text"),
            data.turns.filter(pl.col("content_type") != "missing").select(
                "row", "path", type=pl.col("content_type").replace({RENDERED: "string"}), text="text"
            ),
        ]
    )
    own, below = pl.col("path") == path, pl.col("path").str.slice(0, len(path) + 1)
    field = (
        leaves.filter(own | below.is_in([f"{path}.", f"{path}["]))
        .group_by("row")
        .agg(
            itself=own.any(),
            type=pl.col("type").fill_null("null").filter(own).first(),
            list=(below == f"{path}[").any(),
            text=pl.col("text").filter(own & pl.col("text").is_not_null()).first(),
        )
        .select(
            "row",
            "text",
            type=pl.when("itself").then("type").when("list").then(pl.lit("array")).otherwise(pl.lit("object")),
        )
    )
    containers = data.files.select("file", one=pl.col("container").is_in(BINARY))  # null or missing: not told
    rows = data.rows.select("row", "file").join(containers, on="file", how="left").select("row", "one")
    kind = pl.when(pl.col("type").is_null() & pl.col("one")).then(pl.lit("null")).otherwise("type")
    return rows.join(field, on="row", how="left").select("row", "text", type=kind).sort("row")


def _wanted(rule: FieldRule) -> list[str]:
    return [] if rule.type is None else [rule.type] if isinstance(rule.type, str) else list(rule.type)


def _type_ok(rule: FieldRule) -> pl.Expr:
    """Present, not null, and of a wanted type."""
    kind, wanted = pl.col("type"), _wanted(rule)
    present = kind.is_not_null() & (kind != "null")
    integer = (kind == "number") & pl.col("text").str.contains(_INTEGER) & ("integer" in wanted)
    return present & (kind.is_in(wanted) | integer.fill_null(False)) if wanted else present


def _reads_text(rule: FieldRule) -> bool:
    limits = (rule.enum, rule.pattern, rule.min, rule.max, rule.min_length, rule.max_length)
    return rule.unique or any(limit is not None for limit in limits)


def _broken(values: pl.LazyFrame, path: str, rule: FieldRule) -> pl.LazyFrame:
    """One line per row and broken rule."""
    kind, text, ok = pl.col("type"), pl.col("text"), _type_ok(rule)
    number = text.str.strip_chars().cast(pl.Float64, strict=False)
    wanted = _wanted(rule)
    nullable = rule.nullable or "null" in wanted
    problems = {
        "missing_field": kind.is_null() & rule.required,
        "null_value": (kind == "null") & (not nullable),
        "wrong_type": kind.is_not_null() & (kind != "null") & ~ok,
    }
    if rule.enum is not None:
        words = [str(v).lower() if isinstance(v, bool) else str(v) for v in rule.enum]
        numbers = [float(v) for v in rule.enum if not isinstance(v, str | bool)]
        equal = text.is_in(words) | ((kind == "number") & number.is_in(numbers).fill_null(False))
        problems["not_in_enum"] = ok & ~equal
    if rule.pattern is not None:
        problems["pattern_mismatch"] = ok & ~text.str.contains(rule.pattern)
    if rule.min is not None or rule.max is not None:
        inside = number.is_between(_or(rule.min, -float("inf")), _or(rule.max, float("inf"))) & number.is_finite()
        problems["out_of_range"] = ok & text.is_not_null() & ~inside.fill_null(False)
    if (rule.min_length is not None or rule.max_length is not None) and not _is_list_rule(rule):
        inside = text.str.len_chars().is_between(_or(rule.min_length, 0), _or(rule.max_length, 2**32 - 1))
        problems["wrong_length"] = ok & ~inside
    found = [
        values.filter(broken).select("row", "text", where=pl.lit(path), problem=pl.lit(slug), said=_said(slug, rule))
        for slug, broken in problems.items()
    ]
    if rule.unique:
        first = values.filter(ok & text.is_not_null()).with_columns(other_row=pl.col("row").min().over("text"))
        again = first.filter(pl.col("row") != pl.col("other_row"))
        found.append(again.select("row", "text", "other_row", where=pl.lit(path), problem=pl.lit("not_unique")))
    return pl.concat(found, how="diagonal")


def _is_list_rule(rule: FieldRule) -> bool:
    """Whether the items of a list have to be looked at."""
    about_items = (rule.items, rule.item_pattern, rule.as_long_as)
    lengths = rule.min_length is not None or rule.max_length is not None or rule.unique
    return "literal_list" in _wanted(rule) or any(about_items) or ("array" in _wanted(rule) and lengths)


_TEXTS = pl.List(pl.String)
_LISTS: dict[str, pl.DataType] = {"row": pl.UInt64(), "items": _TEXTS, "kinds": _TEXTS, "problem": pl.String()}


def _lists(data: View, values: pl.DataFrame, path: str) -> pl.DataFrame:
    """`row`, `items` (as text), `kinds` (their types), `problem`: the lists of a field, each distinct text once."""
    written = values.filter(pl.col("type") == "string", pl.col("text").is_not_null())
    spelt = {text: parse_list(text) for text in written["text"].unique()}
    numbers = values.filter(pl.col("type") == "array", pl.col("text").is_not_null())
    rows = [
        (row, *_spelt(spelt[text].items), spelt[text].problem) for row, text in written.select("row", "text").rows()
    ]
    rows += [(row, *_spelt(json.loads(text)), None) for row, text in numbers.select("row", "text").rows()]
    flat = pl.DataFrame(rows, schema=_LISTS, orient="row")
    item = pl.col("path").str.slice(len(path)).str.extract(r"^\[([0-9]+)\]$").cast(pl.UInt32)
    leaves = data.cells.filter(pl.col("path").str.starts_with(f"{path}[")).with_columns(item=item).drop_nulls("item")
    arrays = leaves.sort("row", "item").group_by("row", maintain_order=True)
    kind = pl.col("json_type").fill_null("null")
    found = arrays.agg(items=pl.col("text").fill_null(""), kinds=kind, problem=pl.lit(None, pl.String))
    plain = pl.concat([flat, found.select(pl.col(name).cast(kind) for name, kind in _LISTS.items()).collect()])
    mixed = _of_containers(data, values, path, plain)
    return pl.concat([plain.join(mixed, on="row", how="anti"), mixed])


def _of_containers(data: View, values: pl.DataFrame, path: str, plain: pl.DataFrame) -> pl.DataFrame:
    """The same of lists that hold objects or lists: `items` are as many nulls as the list has items."""
    tables = [table.select("row", "path") for table in (data.cells, data.turns)]
    item = pl.col("path").str.slice(len(path)).str.extract(r"^\[([0-9]+)\]").cast(pl.UInt32)
    inside = pl.concat(tables).filter(pl.col("path").str.starts_with(f"{path}[")).select("row", item=item)
    counts = inside.drop_nulls("item").group_by("row").agg(n=pl.col("item").max() + 1).collect()
    arrays = values.filter(pl.col("type") == "array").select("row").join(counts, on="row")
    known = plain.select("row", n=pl.col("items").list.len())
    arrays = arrays.join(known, on=["row", "n"], how="anti").sort("row")
    rows = [(row, [None] * n, ["object"] * n, None) for row, n in arrays.iter_rows()]
    return pl.DataFrame(rows, schema=_LISTS, orient="row")


def _spelt(items: Any) -> tuple[list[str] | None, list[str] | None]:
    """Items as text, and their JSON types."""
    if items is None:
        return None, None
    kinds = {str: "string", bool: "boolean", int: "number", float: "number"}
    texts = [item if isinstance(item, str) else json.dumps(item) for item in items]
    return texts, [kinds.get(type(item), "null") for item in items]


def _list_rules(data: View, values: pl.DataFrame, path: str, rule: FieldRule) -> tuple[pl.DataFrame, pl.LazyFrame]:
    """The values with lists as texts of their own, so that equal ones meet; and the rows whose lists are wrong."""
    lists = _lists(data, values, path)
    as_literal = "literal_list" in _wanted(rule)
    own = lists.select("row", "items", "problem", own=pl.col("items").list.join("\x1f", ignore_nulls=False))
    both = values.join(own, on="row", how="left", maintain_order="left")
    listed = pl.col("type").is_in(["string"] if as_literal else ["array"])
    kept = both.with_columns(
        type=pl.when(listed & as_literal).then(pl.lit("literal_list")).otherwise("type"),
        text=pl.when(listed).then(pl.coalesce("own", "text", pl.lit(""))).otherwise("text"),
    )
    count, wanted = pl.col("items").list.len(), pl.col("items").is_not_null()
    found = [lists.filter(pl.col("problem").is_not_null() & as_literal).select("row", "problem")]
    if rule.min_length is not None or rule.max_length is not None:
        inside = count.is_between(_or(rule.min_length, 0), _or(rule.max_length, 2**32 - 1))
        found.append(lists.filter(wanted & ~inside).select("row", problem=pl.lit("wrong_length")))
    if rule.items is not None or rule.item_pattern is not None:
        wrong = _wrong_items(lists.filter(wanted), rule)
        found.append(wrong.select("row", problem=pl.lit("wrong_item")))
    if rule.as_long_as is not None:
        other = _lists(data, _values(data, rule.as_long_as).collect(), rule.as_long_as)
        sizes = other.filter(wanted).select("row", size=pl.col("items").list.len())
        uneven = lists.filter(wanted).join(sizes, on="row").filter(pl.col("items").list.len() != pl.col("size"))
        sizes_of = {"n": count, "size": pl.col("size"), "other": pl.lit(rule.as_long_as)}
        said = saying("{n} item, and {size} in {other}", "{n} items, and {size} in {other}", **sizes_of)
        found.append(uneven.select("row", problem=pl.lit("uneven_lists"), said=said))
    texts = values.select("row", "text")
    table = pl.concat(found, how="diagonal").join(texts, on="row", how="left", maintain_order="left")
    return kept.select("row", "text", "type"), table.with_columns(where=pl.lit(path)).lazy()


def _wrong_items(lists: pl.DataFrame, rule: FieldRule) -> pl.DataFrame:
    """Rows with an item of another type, or that does not fit the pattern."""
    items = lists.select("row", "items", "kinds").explode("items", "kinds").drop_nulls("kinds")
    wrong = pl.lit(value=False)
    if rule.items is not None:
        integer = (pl.col("kinds") == "number") & pl.col("items").str.contains(_INTEGER)
        wrong |= ~integer if rule.items == "integer" else pl.col("kinds") != rule.items
    if rule.item_pattern is not None:
        wrong |= ~pl.col("items").str.contains(rule.item_pattern)
    return items.filter(wrong).select("row").unique(maintain_order=True)


def _or(bound: float | None, otherwise: float) -> float:
    return otherwise if bound is None else bound


def _said(slug: str, rule: FieldRule) -> pl.Expr:
    if slug == "wrong_type" and rule.type is not None:
        wanted = joined([Message(one) for one in _wanted(rule)], " or ")
        return saying("expected {wanted}, found {type}", wanted=wanted, type=word("type"))
    return pl.lit(None, pl.String)
