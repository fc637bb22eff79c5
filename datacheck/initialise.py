"""Write a contract that fits a given file: `datacheck init --from FILE`."""

import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from datacheck.errors import UsageError
from datacheck.loading.parse import parse
from datacheck.loading.reader import read
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables
from datacheck.names import shown_name

# The format that most rows have → the checks that such data needs, with what a user must decide as comments.
_TEXT = (
    "garbled_text", "placeholder_text", "control_tokens", "repetitive_text", "overlong_samples",
    "exact_duplicates", "near_duplicates", "pii",
)  # fmt: skip
_ANSWERED = ("messages", "sharegpt", "prompt_completion", "alpaca")
_CHECKS: Mapping[str, tuple[str, ...]] = {
    "chat": ("empty_turns", "role_errors", *_TEXT),
    "preference": ("empty_turns", "role_errors", "identical_pairs", "length_bias", *_TEXT),
    "prompt": ("empty_turns", *_TEXT),
    "plain": _TEXT,
    "rows": ("pii",),
}
_FAMILY = {
    "messages": "chat", "sharegpt": "chat", "alpaca": "chat", "prompt_completion": "chat", "kto": "chat",
    "preference": "preference", "prompt_only": "prompt", "rlvr": "prompt", "qa": "prompt",
    "multiple_choice": "prompt", "text": "plain",
}  # fmt: skip
_LABELS = {
    "id": ("id", "uid", "uuid", "idx"),
    "source": ("source", "src", "data_source", "dataset", "domain"),
    "split": ("split", "fold"),
    "score_chosen": ("score_chosen", "chosen_score", "chosen_rating"),
    "score_rejected": ("score_rejected", "rejected_score", "rejected_rating"),
}


def contract_for(path: Path) -> str:
    """The YAML of a contract for the file at `path`, from its first part. Raises UsageError where nothing was read."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file; --from names one data file")
    tables, records = _first_part(path)
    if tables is None or tables.rows.is_empty():
        raise UsageError(f"{path}: no row could be read; `datacheck explain unreadable_lines` says what can be wrong")
    formats = tables.rows["format"].value_counts(sort=True)
    known = formats.filter(pl.col("format") != "unknown")["format"]
    chosen = known[0] if len(known) else "rows"
    if chosen in _ANSWERED and not tables.turns["part"].is_in(["response", "chosen"]).any():
        chosen = "prompt_only"  # no row has an answer: prompts for GRPO, or an evaluation
    family = _FAMILY.get(chosen, "rows")
    labels = _labels(tables)
    mixed = formats.height > 1
    lines = [
        "# yaml-language-server: $schema=contract.schema.json",
        f"name: {_name(path)}",
        "version: 1",
        "datasets:",
        "  train:",
        "    source:",
        f"      path: {json.dumps(path.name, ensure_ascii=False)}",
        f"      format: {'auto' if mixed else chosen}" + (f"  # found: {_mix(formats)}" if mixed else ""),
        *(
            [f"      records: {json.dumps(records)}  # the list in the document whose items are the rows"]
            if records
            else []
        ),
        *([f"      columns: {{{', '.join(f'{k}: {json.dumps(v)}' for k, v in labels.items())}}}"] if labels else []),
        "    schema:",
        *_schema(tables),
        "    checks:",
        *(f"      - {check}" for check in _CHECKS[family]),
        *_scored(labels),
        "      # - {check: leakage, against: [eval]}   # add your evaluation set as a second dataset",
    ]
    return "\n".join(lines) + "\n"


def labels_of(path: Path) -> dict[str, str]:
    """Label columns that every row of a file has under a usual name, as its first part shows: label → key."""
    tables = _read(path, Reading())
    return _labels(tables) if tables is not None and tables.rows.height else {}


def _first_part(path: Path) -> tuple[Tables | None, str | None]:
    """The first tables of a file; and the key of its rows where it is one JSON object that holds them in a list."""
    tables = _read(path, Reading())
    inside = tables.lines.filter(pl.col("code") == "lists_inside")["message"] if tables else pl.Series(dtype=pl.String)
    keys = inside[0].rpartition("one of ")[2].split(", ") if len(inside) else []
    for key in keys:
        own = _read(path, Reading(records=key))
        if own is not None and not own.rows.is_empty():
            return own, key
    return tables, None


def _read(path: Path, reading: Reading) -> Tables | None:
    return next((t for chunk in read(path.parent.resolve() / path.name, reading) for t in parse(chunk, reading)), None)


def _name(path: Path) -> str:
    return (
        "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in shown_name(path.stem))[:80].strip("-")
        or "data"
    )


def _mix(formats: pl.DataFrame) -> str:
    return ", ".join(f"{name} {count}" for name, count in formats.iter_rows())


def _labels(tables: Tables) -> dict[str, str]:
    """Label columns that are there by their usual names in every row."""
    rows = tables.rows.height
    everywhere = tables.cells.group_by("path").agg(pl.col("row").n_unique()).filter(pl.col("row") == rows)["path"]
    keys = set(everywhere.to_list())
    found = {label: next((n for n in names if n in keys), None) for label, names in _LABELS.items()}
    return {label: name for label, name in found.items() if name}


def _schema(tables: Tables) -> list[str]:
    """One line per top-level key: its type, and whether every row has it."""
    rows = tables.rows.height
    top = tables.cells.filter(pl.col("path").str.contains(r"^[^.\[\]]+$"))
    facts = (
        top.group_by("path", maintain_order=True)
        .agg(
            types=pl.col("json_type").drop_nulls().unique().sort(),
            null=pl.col("json_type").is_null().any(),
            rows=pl.col("row").n_unique(),
        )
        .head(50)
    )
    lines = []
    for path, types, null, seen in facts.iter_rows():
        if shown_name(path) != path:  # a key that is somebody's number is data, not a field to rely on
            continue
        kind = [t for t in types if t != "null"]
        rule = [f"type: {kind[0] if len(kind) == 1 else json.dumps(kind)}"] if kind else []
        rule += ["required: false"] if seen < rows else []
        rule += ["nullable: true"] if null or "null" in types else []
        lines.append(f"      {json.dumps(path, ensure_ascii=False)}: {{{', '.join(rule)}}}")
    return lines or ["      {}"]


def _scored(labels: Mapping[str, str]) -> list[str]:
    if {"score_chosen", "score_rejected"} <= set(labels):
        return ["      - small_gap  # set source.scale: [lowest, highest] if scores are not between 0 and 1"]
    return []
