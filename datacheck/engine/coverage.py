"""How much of a dataset a check could read: no number says anything about rows that nobody read.

Each row has what a check needs (`Check.reads`), rightly has none of it by its format, or should have it and could not
be read: it holds prose and no reader knows its shape, or an object stands where a text should be, or the words of a
message stand under another key than its content. Counted while the data is loaded, per file; a line that is no record
at all is the business of unreadable_lines.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl

from datacheck.check import UNREAD, Check, Message, Subject, learnt, place
from datacheck.engine.unread import SAID, why_unread
from datacheck.text.prose import is_prose

if TYPE_CHECKING:
    from datacheck.engine.view import Loaded, StoreView

PLACES = 3  # rows that could not be read and are named
_ANSWERS = ("response", "chosen")
_SOLUTIONS = (*_ANSWERS, "answer", "text")
_LAST = r"^(.*)\.[^.\[\]]+$"
_PART = r"^(.*\])\.[^.\[\]]+$"
_KINDS = (  # of parts beside text
    "reasoning", "thinking", "tool_call", "tool_calls", "tool_use", "tool_result", "function_call",
)  # fmt: skip
# The key of a part of a message whose text is the message's: {"type": "audio_transcript", "text": "…"}.
_INSIDE = rf"^(.*?\.(?:content|value|parts))[\[.].*\b(?:{'|'.join(SAID)})$"
# A key of a message whose words are the message's, where its content is missing: {"role": "user", "text": "…"}.
_BESIDE = rf"^(.*)\.(?:{'|'.join(SAID)}|message|utterance)$"


def subjects_of(turns: pl.DataFrame, cells: pl.DataFrame) -> dict[Subject, list[int]]:
    """Subject → rows that have it and were read, rows where it could not be read; of rows whose format is known."""
    part, calls = pl.col("part"), pl.col("tool_calls").is_not_null()
    told = turns.lazy().select(
        "row", "part", "role", "path", calls=calls, text=pl.col("text").is_not_null(), kind="content_type"
    )
    elsewhere = pl.concat([_inside(cells.lazy()), _beside(told, cells.lazy())]).unique()
    told = told.join(elsewhere.with_columns(inside=True), on=["row", "path"], how="left", maintain_order="left")
    hidden = (pl.col("kind") == "object") | pl.col("inside").fill_null(value=False)
    blind = hidden & ~pl.col("text") & ~pl.col("calls")
    has: dict[Subject, pl.Expr] = {
        "text": (part != "tools").any(),
        "prompt": (part == "prompt").any(),
        "answer": (part.is_in(_ANSWERS) | learnt()).any(),
        "solution": part.is_in(_SOLUTIONS).any(),
        "pair": (part == "chosen").any() & (part == "rejected").any(),
        "tool_call": ((part == "tools") | pl.col("calls")).any(),
    }
    lost = {
        "text": blind,
        "prompt": blind & (part == "prompt"),
        "answer": blind & part.is_in(_ANSWERS),
        "solution": blind & part.is_in(_SOLUTIONS),
        "pair": blind & part.is_in(["chosen", "rejected"]),
        "tool_call": blind,
    }
    rows = told.group_by("row").agg(
        *(expr.alias(name) for name, expr in has.items()), *(lost[name].any().alias(f"not {name}") for name in has)
    )
    sums = [(pl.col(name) & ~pl.col(f"not {name}")).sum().alias(name) for name in has]
    sums += [(pl.col(name) & pl.col(f"not {name}")).sum().alias(f"not {name}") for name in has]
    counts = rows.select(sums).collect().row(0, named=True)
    return {name: [counts[name], counts[f"not {name}"]] for name in has}


def _inside(cells: pl.LazyFrame) -> pl.LazyFrame:
    """Contents (`row`, `path`) with prose in a part of no known kind; a call is written as JSON."""
    part = pl.col("path").str.extract(_PART)
    known = cells.filter(pl.col("path").str.ends_with(".type"), pl.col("text").is_in(_KINDS)).select("row", part=part)
    prose = cells.filter(is_prose(), ~pl.col("text").str.contains(r"^\s*[\[{]"))
    prose = prose.with_columns(part=part).join(known, on=["row", "part"], how="anti")
    return prose.select("row", path=pl.col("path").str.extract(_INSIDE)).drop_nulls().unique()


def _beside(told: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """Contents (`row`, `path`) that are missing where the message has prose under another key."""
    missing = told.filter(~pl.col("text")).with_columns(message=pl.col("path").str.extract(_LAST))
    prose = cells.filter(is_prose()).select("row", message=pl.col("path").str.extract(_BESIDE)).drop_nulls().unique()
    return missing.join(prose, on=["row", "message"], how="semi").select("row", "path")


def coverage_of(check: Check, view: StoreView) -> dict[str, dict[str, Any]]:
    """Of the check's own dataset, and of those that it compares with: what it could read, as judge and report see it.

    Empty for a check that looks at no rows, and for datasets without any.
    """
    subject = check.subject()
    if subject is None:
        return {}
    found = {}
    for number, loaded in enumerate(view.seen):
        rows = sum(file.rows for file in loaded.files)
        if rows:
            found[loaded.dataset] = _of(check, "text" if number and subject != "row" else subject, loaded, rows, view)
    return found


def _of(check: Check, subject: Subject, loaded: Loaded, rows: int, view: StoreView) -> dict[str, Any]:
    entry: dict[str, Any] = {"subject": subject, "read": rows, "none": 0, "unread": 0, "why": None, "at": []}
    if lost := sum((Counter(file.lost) for file in loaded.files), Counter[str]()):
        first = max(lost, key=lambda key: (lost[key], key))
        why = Message(
            "the text under `{key}` got lost while it was read: a fault of datacheck, please report it", key=first
        )
        return {**entry, "read": 0, "unread": rows, "why": why.to_json()}
    hashed = sum(file.rows for file in loaded.files if file.container == "pack")
    if hashed and not (check.reads_packs and (subject == "row" or loaded is not view.loaded)):
        why = Message("{hashed:,} rows of a pack, which holds no text; only `leakage` compares with it", hashed=hashed)
        return {**entry, "read": rows - hashed, "unread": hashed, "why": why.to_json(), "whole": True}
    return entry if subject == "row" else entry | _of_texts(check.blind, subject, loaded, rows, hashed, view)


def _of_texts(
    blind: tuple[str, ...], subject: Subject, loaded: Loaded, rows: int, hashed: int, view: StoreView
) -> dict[str, Any]:
    """How many rows have texts of a kind that were read, none, or some that could not be read, and why.

    blind: the formats whose rows the check cannot read; hashed: rows of packs, which count as read.
    """
    untold = [sum(file.unread.get(form, {}).get("", 0) for form in blind) for file in loaded.files]
    of_files = [file.subjects.get(subject, (0, 0)) for file in loaded.files]
    objects = sum(unread for _, unread in of_files)
    # Rows of a shape that the check itself names as a fault have been read.
    named = sum(file.formats.get(form, 0) for file in loaded.files for form in UNREAD if form not in blind)
    read, unread = hashed + named + sum(n for n, _ in of_files), sum(untold) + objects
    counts = {"read": read, "unread": unread, "none": rows - read - unread}
    if not unread:
        return counts
    # One record describes the others: a file of several of which nothing was read is never a stray row.
    whole = [file for file, count in zip(loaded.files, untold, strict=True) if count > 1 and count == file.rows]
    told = why_unread([file.unread for file in whole[:1] or loaded.files], blind, whole[0].rows if whole else rows)
    told = told or _of_objects(objects)
    why = Message("{file}: {why}", file=whole[0].file, why=told) if whole and len(loaded.files) > 1 else told
    return {**counts, "why": why.to_json(), "whole": bool(whole), "at": _first(loaded, blind, view)}


def _of_objects(rows: int) -> Message:
    return Message.plural(
        "{n:,} row has an object where a text should be, or words under another key than a message's content: "
        "name that key under source.fields, as `fields: {{content: …}}`",
        "{n:,} rows have an object where a text should be, or words under another key than a message's content: "
        "name that key under source.fields, as `fields: {{content: …}}`",
        rows,
    )


def _first(loaded: Loaded, formats: tuple[str, ...], view: StoreView) -> list[str]:
    """Where the first of the rows stand whose shape is not known, as `file:line`."""
    if loaded is not view.loaded:
        return []
    rows = view.rows.filter(pl.col("format").is_in(list(formats))).head(PLACES)
    return rows.select(place()).collect().to_series().to_list()
