"""Write a contract that fits given data: `datacheck init --from PATH`."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from datacheck.errors import UsageError
from datacheck.guesses import Texts, guessed
from datacheck.inventory import dataset_files
from datacheck.loading.parse import parse
from datacheck.loading.reader import read
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables
from datacheck.names import shown_name
from datacheck.text.scripts import SCRIPTS, script_words

FILES = 8  # of a folder, as many are looked at
_TEXT = (
    "garbled_text", "placeholder_text", "control_tokens", "repetitive_text", "overlong_samples",
    "exact_duplicates", "near_duplicates", "pii",
)  # fmt: skip
_ANSWERED = ("messages", "sharegpt", "prompt_completion", "alpaca")
_GOLDS = ("unverifiable_answers  # name the grader that your reward uses", "conflicting_answers", "answer_in_prompt")
# The format that most rows have → the checks that such data needs.
_CHECKS: Mapping[str, tuple[str, ...]] = {
    "chat": ("empty_turns", "role_errors", *_TEXT),
    "preference": (
        "empty_turns", "role_errors", "identical_pairs", "prompt_mismatch", "contradictory_pairs", "length_bias",
        *_TEXT,
    ),
    "prompt": ("empty_turns", *_TEXT),
    "verifiable": ("empty_turns", *_GOLDS, "template_collapse", *_TEXT),
    "answered": ("empty_turns", "conflicting_answers", *_TEXT),
    "choices": ("empty_turns", "conflicting_answers", "choice_balance", *_TEXT),
    "plain": _TEXT,
    "rows": ("exact_duplicates", "pii"),
}  # fmt: skip
_FAMILY = {
    "messages": "chat", "sharegpt": "chat", "alpaca": "chat", "prompt_completion": "chat", "kto": "chat",
    "preference": "preference", "prompt_only": "prompt", "rlvr": "verifiable", "qa": "answered",
    "multiple_choice": "choices", "text": "plain",
}  # fmt: skip
_LABELS = {
    "id": ("id", "uid", "uuid", "idx", "qid", "prompt_id", "question_id", "conversation_id"),
    "source": ("source", "src", "data_source", "dataset", "domain", "category", "subject", "task"),
    "split": ("split", "fold"),
    "score_chosen": ("score_chosen", "chosen_score", "chosen_rating", "score_w"),
    "score_rejected": ("score_rejected", "rejected_score", "rejected_rating", "score_l"),
}
_SCALES = ((0, 1), (-1, 1), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100))  # usual ones; the first that holds all scores
_FEW_VALUES = 20  # as many values of a column, each seen often, may be all that there are
_OFTEN = 5  # times that each of them is seen on average
_SHORT = 40  # characters of a value that is a label
_MANY_LABELS = 100  # more values than this are no sources to compare
_IDS = 20  # rows from which on distinct ids say that they are meant to be unique
_USED = 0.05  # share of the texts from which on a language belongs to the data
_JUDGED = 10  # words of a text whose language is counted


class _Sample(NamedTuple):
    """What was read: `records`: the key of the rows where files are one object that holds them in a list."""

    tables: Tables
    texts: Texts
    records: str | None


def contract_for(path: Path) -> str:
    """The YAML of a contract for the file or folder at `path`, from the first part of its first files.

    Raises UsageError where there is no such file, or nothing was read.
    """
    sample = _sample(path)
    tables, texts = sample.tables, sample.texts
    formats = tables.rows["format"].value_counts(sort=True)
    known = formats.filter(pl.col("format") != "unknown")["format"]
    chosen = known[0] if len(known) else "rows"
    if chosen in _ANSWERED and not tables.turns["part"].is_in(["response", "chosen"]).any():
        chosen = "prompt_only"  # no row has an answer: prompts for GRPO, or an evaluation
    labels = _labels(tables)
    mixed = formats.height > 1
    lines = [
        "# yaml-language-server: $schema=contract.schema.json",
        f"name: {_name(path)}",
        "version: 1",
        "datasets:",
        "  train:",
        "    source:",
        f"      path: {_quoted(path.name)}",
        f"      format: {'auto' if mixed else chosen}" + (f"  # found: {_mix(formats)}" if mixed else ""),
        *([f"      records: {_quoted(sample.records)}  # the list in the document whose items are the rows"]
          if sample.records else []),
        *_named_texts(texts),
        *([f"      columns: {_map(labels)}"] if labels else []),
        *_scale(tables, labels),
        "    schema:",
        *_schema(tables, labels),
        "    checks:",
        *(f"      - {check}" for check in _CHECKS[_FAMILY.get(chosen, "rows")]),
        *(f"      - {check}" for check in _by_content(tables, labels)),
        "      # - {check: leakage, against: [eval]}   # add your evaluation set as a second dataset",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def labels_of(path: Path) -> dict[str, str]:
    """Label columns that every row of a file has under a usual name, as its first part shows: label → key."""
    tables = _read(path, Reading())
    return _labels(tables) if tables is not None and tables.rows.height else {}


def _sample(path: Path) -> _Sample:
    """The first parts of the files, together; read anew where texts stand under keys of the user's own."""
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder; --from names the data")
    named = str(path)
    files = [file.path for file in dataset_files("train", path, named, None)[0]][:FILES]
    records = next((key for file in files[:1] if (key := _list_inside(file))), None)
    tables = _together(files, Reading(records=records))
    if tables is None:
        raise UsageError(f"{path}: no row could be read; `datacheck explain unreadable_lines` says what can be wrong")
    texts = guessed(tables)
    if texts.fields or texts.roles:
        reading = Reading.model_validate({"records": records, "fields": texts.fields, "roles": texts.roles})
        tables = _together(files, reading) or tables
    return _Sample(tables, texts, records)


def _together(files: list[Path], reading: Reading) -> Tables | None:
    """The first part of each file that has rows, as one; None if there is none."""
    parts = [part for file in files if (part := _read(file, reading)) is not None and part.rows.height]
    if len(parts) < 2:
        return parts[0] if parts else None
    moved: list[Tables] = []
    rows = 0
    for part in parts:
        by = pl.col("row") + rows
        moved.append(
            part._replace(
                rows=part.rows.with_columns(by.cast(part.rows["row"].dtype)),
                turns=part.turns.with_columns(by.cast(part.turns["row"].dtype)),
                cells=part.cells.with_columns(by.cast(part.cells["row"].dtype)),
            )
        )
        rows += part.rows.height
    return moved[0]._replace(
        rows=pl.concat([p.rows for p in moved], how="vertical_relaxed"),
        turns=pl.concat([p.turns for p in moved], how="vertical_relaxed"),
        cells=pl.concat([p.cells for p in moved], how="vertical_relaxed"),
    )


def _list_inside(file: Path) -> str | None:
    """The key of the rows where a file is one JSON object that holds them in a list."""
    tables = _read(file, Reading())
    inside = tables.lines.filter(pl.col("code") == "lists_inside")["message"] if tables else pl.Series(dtype=pl.String)
    keys = inside[0].rpartition("one of ")[2].split(", ") if len(inside) else []
    for key in keys:
        own = _read(file, Reading(records=key))
        if own is not None and not own.rows.is_empty():
            return str(key)
    return None


def _read(path: Path, reading: Reading) -> Tables | None:
    return next((t for chunk in read(path.parent.resolve() / path.name, reading) for t in parse(chunk, reading)), None)


def _name(path: Path) -> str:
    return (
        "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in shown_name(path.stem))[:80].strip("-")
        or "data"
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _map(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {_quoted(value)}" for key, value in values.items()) + "}"


def _mix(formats: pl.DataFrame) -> str:
    return ", ".join(f"{name} {count}" for name, count in formats.iter_rows())


def _named_texts(texts: Texts) -> Iterator[str]:
    if texts.fields:
        yield f"      fields: {_map(texts.fields)}  # guessed by their names: which keys hold the texts"
    if texts.roles:
        roles = {_quoted(name): role for name, role in texts.roles.items()}
        yield f"      roles: {_map(roles)}  # guessed: who asks, who answers"


def _labels(tables: Tables) -> dict[str, str]:
    """Label columns that are there by their usual names in every row; a source has few values, a score is a number."""
    rows = tables.rows.height
    facts = tables.cells.group_by("path").agg(
        rows=pl.col("row").n_unique(),
        values=pl.col("text").n_unique(),
        longest=pl.col("text").str.len_chars().max(),
        number=(pl.col("json_type") == "number").all(),
        flat=pl.col("json_type").is_in(["string", "number", "boolean"]).all(),
        empty=pl.col("text").is_null().all(),
    )
    facts = facts.filter(pl.col("rows") == rows, "flat", ~pl.col("empty"))
    few = facts.filter((pl.col("values") <= _MANY_LABELS) & (pl.col("longest") <= _SHORT))
    fit = {
        "id": facts.filter(pl.col("longest") <= 3 * _SHORT),
        "score_chosen": facts.filter("number"),
        "score_rejected": facts.filter("number"),
    }
    found = {}
    for label, names in _LABELS.items():
        keys = set(fit.get(label, few)["path"].to_list())
        found[label] = next((name for name in names if name in keys), None)
    return {label: name for label, name in found.items() if name}


def _scale(tables: Tables, labels: Mapping[str, str]) -> Iterator[str]:
    """The usual scale that holds all scores of the pairs."""
    if not {"score_chosen", "score_rejected"} <= set(labels):
        return
    scores = tables.cells.filter(pl.col("path").is_in([labels["score_chosen"], labels["score_rejected"]]))
    numbers = scores["text"].cast(pl.Float64, strict=False).drop_nulls().drop_nans()
    if numbers.is_empty():
        return
    low, high = float(numbers.min() or 0), float(numbers.max() or 0)  # type: ignore[arg-type]
    scale = next(((a, b) for a, b in _SCALES if a <= low and high <= b), (low, high))
    yield f"      scale: [{scale[0]:g}, {scale[1]:g}]  # scores seen: {low:g} to {high:g}; write what raters could give"


def _schema(tables: Tables, labels: Mapping[str, str]) -> list[str]:
    """One line per top-level key: its type, whether every row has it, and the few values of a label."""
    rows = tables.rows.height
    top = tables.cells.filter(pl.col("path").str.contains(r"^[^.\[\]]+$"))
    facts = (
        top.group_by("path", maintain_order=True)
        .agg(
            types=pl.col("json_type").drop_nulls().unique().sort(),
            null=pl.col("json_type").is_null().any(),
            rows=pl.col("row").n_unique(),
            texts=pl.col("text").drop_nulls().n_unique(),
            values=pl.col("text").drop_nulls().unique().sort().head(_FEW_VALUES + 1),
        )
        .head(50)
    )
    lines = []
    for path, types, null, seen, distinct, values in facts.iter_rows():
        if shown_name(path) != path:  # a key that is somebody's number is data, not a field to rely on
            continue
        kind = [t for t in types if t != "null"]
        rule = [f"type: {kind[0] if len(kind) == 1 else json.dumps(kind)}"] if kind else []
        rule += ["required: false"] if seen < rows else []
        rule += ["nullable: true"] if null or "null" in types else []
        if path == labels.get("id") and distinct == rows >= _IDS:
            rule += ["unique: true"]
        if kind == ["string"] and _is_label(values, seen):
            rule += [f"enum: {json.dumps(values, ensure_ascii=False)}"]
        lines.append(f"      {_quoted(path)}: {{{', '.join(rule)}}}")
    return lines or ["      {}"]


def _is_label(values: list[str], rows: int) -> bool:
    """Whether these may be all values of a column: few, each seen often, short, and nobody's number."""
    few = 0 < len(values) <= _FEW_VALUES and len(values) * _OFTEN <= rows
    return few and all(0 < len(v) <= _SHORT and not re.search(r"\s{2}|\n", v) and shown_name(v) == v for v in values)


def _by_content(tables: Tables, labels: Mapping[str, str]) -> Iterator[str]:
    """Checks for what some data has: tools, scores, files, a language."""
    if (tables.turns["part"] == "tools").any() or tables.turns["tool_calls"].is_not_null().any():
        yield "tool_call_errors"
    if {"score_chosen", "score_rejected"} <= set(labels):
        yield "small_gap"
        yield "score_outliers"
    languages = _languages(tables.turns)
    if languages:
        yield f"{{check: wrong_language, languages: [{', '.join(languages)}], limits: {{rate: {{warn_max: 0.01}}}}}}"
    if tables.cells["path"].str.contains(r"^(?:images?|videos?|audios?)(?:\[|$)").any():
        yield "# missing_files  # and source.media: the folder of the files"


def _languages(turns: pl.DataFrame) -> list[str]:
    """Chinese and English, as far as texts are mostly in them; empty where another script is used, or none is."""
    texts = turns.filter(pl.col("part") != "tools")["text"].drop_nulls()
    words = script_words(texts.head(2_000))
    words = words.filter(pl.sum_horizontal(SCRIPTS) >= _JUDGED)
    if words.is_empty():
        return []
    most = words.select(pl.concat_list(SCRIPTS).list.arg_max().alias("script"))["script"]
    names = most.replace_strict(list(range(len(SCRIPTS))), list(SCRIPTS))
    shares = {name: count / len(names) for name, count in names.value_counts().iter_rows()}
    used = {name for name, share in shares.items() if share >= _USED}
    if not used or not used <= {"han", "latin"}:
        return []
    return [language for script, language in (("han", "zh"), ("latin", "en")) if script in used]
