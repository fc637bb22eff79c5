"""Write a contract that fits given data: `datacheck init PATH`."""

import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

import polars as pl

from datacheck.contract.load import load_contract
from datacheck.engine.contain import tables_of
from datacheck.engine.plan import make_plan
from datacheck.engine.unread import unread_of
from datacheck.errors import ContractError, UsageError
from datacheck.files.inventory import dataset_files, inventory
from datacheck.files.shown_names import shown_name
from datacheck.i18n.message import Message
from datacheck.loading.reader import read
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables
from datacheck.propose.columns import Texts, guessed
from datacheck.text.prose import is_prose
from datacheck.text.scripts import SCRIPTS, script_words

FILES = 8  # of a folder, as many are looked at
_TEXT = (
    "garbled_text", "leftover_markup", "placeholder_text", "control_tokens", "repetitive_text", "overlong_samples",
    "exact_duplicates", "near_duplicates", "pii",
)  # fmt: skip
_ANSWERS = ("unfinished_answers", "run_on_answers", "refusals", "language_mismatch")
_ANSWERED = ("messages", "messages_text", "sharegpt", "prompt_completion", "alpaca")
_GOLDS = ("unverifiable_answers  # name the grader that your reward uses", "conflicting_answers", "answer_in_prompt")
# The format that most rows have → the checks that such data needs.
_CHECKS: Mapping[str, tuple[str, ...]] = {
    "chat": ("empty_turns", "role_errors", *_ANSWERS, *_TEXT),
    "preference": (
        "empty_turns", "role_errors", "identical_pairs", "prompt_mismatch", "contradictory_pairs", "length_bias",
        *_ANSWERS, *_TEXT,
    ),
    "prompt": ("empty_turns", *_TEXT),
    "verifiable": ("empty_turns", *_GOLDS, "template_collapse", *_TEXT),
    "answered": ("empty_turns", *_GOLDS[:2], *_TEXT),  # a short answer may well stand in a passage or among choices
    "choices": ("empty_turns", "unverifiable_answers", "conflicting_answers", "choice_balance", *_TEXT),
    "plain": _TEXT,
    "rows": ("exact_duplicates", "pii"),
    "tokens": ("too_few_rows",),  # texts that only their tokenizer could show: name the data they were made of
}  # fmt: skip
_FAMILY = {
    "messages": "chat", "messages_text": "chat", "sharegpt": "chat", "alpaca": "chat", "prompt_completion": "chat",
    "kto": "chat", "preference": "preference", "prompt_only": "prompt", "rlvr": "verifiable", "qa": "answered",
    "multiple_choice": "choices", "text": "plain", "tokens": "tokens",
}  # fmt: skip
_LABELS = {
    "id": ("id", "uid", "uuid", "idx", "qid", "prompt_id", "question_id", "conversation_id"),
    "source": ("source", "src", "data_source", "dataset", "domain", "category", "subject", "task"),
    "split": ("split", "fold"),
    "score_chosen": ("score_chosen", "chosen_score", "chosen_rating", "score_w"),
    "score_rejected": ("score_rejected", "rejected_score", "rejected_rating", "score_l"),
}
_SCALES = (
    (0, 1),
    (-1, 1),
    (1, 5),
    (0, 5),
    (1, 10),
    (0, 10),
    (0, 100),
)  # usual ones; the first that holds nearly all scores
_SCORES = ("score_chosen", "score_rejected")
_FEW_VALUES = 20  # as many values of a column, each seen often, may be all that there are
_OFTEN = 5  # times that each of them is seen on average
_NAMED = 5  # keys whose texts no reader knows
_LEFT_OUT = "\0"  # marks a check that needs more than the data say
_KEYS = 50  # top-level keys that the schema names
_SHORT = 40  # characters of a value that is a label
_MANY_LABELS = 100  # more values than this are no sources to compare
_NEARLY_ALL = 0.99  # of the rows: what the others do is taken for a fault
_ALIKE = 0.8  # similarity of two spellings of one word
_IDS = 20  # rows from which on distinct ids say that they are meant to be unique
_USED = 0.05  # share of the rows from which on a language belongs to the data
_TOLD = 3  # characters of one form only that tell simplified from traditional
_LOOKED_AT = 2_000  # texts, spread over the data, whose languages are counted
_JUDGED = 10  # words of a text whose language is counted


class _Sample(NamedTuple):
    """What was read: `records`: the key of the rows where files are one object that holds them in a list."""

    tables: Tables
    texts: Texts
    records: str | None
    whole: bool  # whether that is all of the data


def contract_for(path: Path, against: Path | None = None, folder: Path | None = None) -> str:
    """The YAML of a contract for the file or folder at `path`, from the first part of its first files.

    `against`: an evaluation set, which becomes a second dataset whose questions must not be trained on; `folder`: where
    the contract will lie, by default beside the data: paths in it are relative to that.

    Raises UsageError where there is no such file, nothing was read, or `run` would refuse what fits it.
    """
    sample = _sample(path)
    text = _contract(sample, path, against, folder)
    try:
        _planned(text, path, against)
    except ContractError:  # a guess that makes no contract: without guesses
        text = _contract(sample._replace(texts=Texts({}, {})), path, against, folder, guess=False)
        try:
            _planned(text, path, against)
        except ContractError as error:
            why = error.problems[0].message
            raise UsageError(
                "{path}: what fits it makes no contract ({why}); write one by hand", path=path, why=why
            ) from None
    return text


def _planned(text: str, path: Path, against: Path | None) -> None:
    """Load a contract for the data, and plan its run. Raises ContractError as `run` would."""
    bound = {"train": str(path)} | ({"eval": str(against)} if against else {})
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "contract.yaml"
        written.write_text(text, encoding="utf-8")
        contract = load_contract(written, bound)
        inventory(contract)
        make_plan(contract)


def _contract(sample: _Sample, path: Path, against: Path | None, folder: Path | None, *, guess: bool = True) -> str:
    tables, texts = sample.tables, sample.texts
    formats = tables.rows["format"].value_counts(sort=True)
    known = formats.filter(pl.col("format") != "unknown")["format"]
    chosen = known[0] if len(known) else "rows"
    if chosen in _ANSWERED and not tables.turns["part"].is_in(["response", "chosen"]).any():
        chosen = "prompt_only"  # no row has an answer: prompts for GRPO, or an evaluation
    labels = _labels(tables)
    mixed = formats.height > 1
    one = not mixed or formats["count"][0] >= _NEARLY_ALL * tables.rows.height  # the rest is to be found, not allowed
    lines = [
        "# yaml-language-server: $schema=contract.schema.json  (datacheck schema > contract.schema.json)",
        f"name: {_name(path.resolve())}",
        "version: 1",
        "datasets:",
        "  train:",
        "    source:",
        f"      path: {_path(path, folder)}",
        f"      format: {chosen if one and guess else 'auto'}" + (f"  # found: {_mix(formats)}" if mixed else ""),
        *_without_reader(tables),
        *_became(tables),
        *([f"      records: {_quoted(sample.records)}  # the list in the document whose items are the rows"]
          if sample.records else []),
        *_named_texts(texts),
        *([f"      columns: {_map(labels)}"] if labels else []),
        *_scale(tables, labels),
        "    schema:",
        *_schema(tables, labels, whole=sample.whole),
        "    checks:",
        *(f"      - {check}" for check in _CHECKS[_FAMILY.get(chosen, "rows")]),
        *(f"      {_item(check)}" for check in _by_content(tables, labels)),
        *_evaluation(against, folder),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _without_reader(tables: Tables) -> Iterator[str]:
    """A word on the keys whose texts no reader knows: checks of texts are an error until the contract names them."""
    keys = {key for found in unread_of(tables.rows, tables.cells).values() for key in found if key}
    if keys:
        named = ", ".join(map(_quoted, sorted(keys)[:_NAMED]))
        yield f"      # no reader knows the texts under {named}: name their keys"
        yield "      # (fields: {prompt: …, response: …}); until then checks of texts are an error, not a pass"


def _became(tables: Tables) -> Iterator[str]:
    """What each key became, and which keys hold prose that no check of texts reads."""
    key = pl.col("path").str.extract(r"^([^.\[]*)").alias("key")
    said = tables.turns.filter(pl.col("text").is_not_null() | pl.col("tool_calls").is_not_null())
    keys = said.select("part", key).unique(maintain_order=True)
    parts = [f"{part} = {_listed(own['key'])}" for (part,), own in keys.group_by("part", maintain_order=True)]
    flat = tables.cells.filter((pl.col("path") != "") & ~pl.col("path").str.contains(r"[.\[]"))
    used = flat.group_by("path", maintain_order=True).agg(pl.col("text").is_null().all(), pl.col("json_type").first())
    joined = used.filter("text", pl.col("json_type") == "string")["path"]
    beside = joined.filter(~joined.is_in(keys["key"].to_list()))
    if parts:
        more = f"; joined to the prompt: {_listed(beside)}" if len(beside) else ""
        yield f"      # texts: {'; '.join(parts)}{more}"
        silent = tables.cells.filter(is_prose()).select(key).to_series().unique(maintain_order=True)
        if len(silent):
            yield f"      # not judged as texts (pii and the schema read them): {_listed(silent)}"
            ignored = ", ".join(_quoted(shown_name(str(each))) for each in silent[:_NAMED])
            yield f"      # if training does not see them: add - {{check: unjudged_text, ignore: [{ignored}]}}"


def _listed(keys: pl.Series) -> str:
    """The first keys, as data that stands in a comment; the others as a number."""
    named = [_quoted(shown_name(str(each))) for each in keys[:_NAMED]]
    return ", ".join(named) + (f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else "")


def _item(check: str) -> str:
    """A check of the list; one that cannot run as it is stands there as a remark."""
    return f"# - {check.replace(_LEFT_OUT, '')}" if _LEFT_OUT in check else f"- {check}"


def next_step(contract: Path, path: Path, against: Path | None) -> Message:
    """What to say once the contract is written: where it is, and the command that uses it."""
    named = {"train": path} | ({"eval": against} if against else {})
    outside = {name: at for name, at in named.items() if _relative(at, contract.parent) is None}
    bound = [word for name, at in outside.items() for word in ("--data", f"{name}={at}")]
    return Message(
        "{contract}: written, as a first proposal. Read it and mend it, then run:\n  {command}",
        contract=contract,
        command=shlex.join(["datacheck", "run", str(contract), *bound]),
    )


def _relative(path: Path, folder: Path) -> str | None:
    """`path` as a contract in `folder` may name it: relative, and not outside of the folder."""
    named = Path(os.path.relpath(path.absolute(), folder.absolute()))
    inside = ".." not in named.parts and (folder / named).resolve().is_relative_to(folder.resolve())
    return named.as_posix() if inside else None


def _path(path: Path, folder: Path | None) -> str:
    """The value of `path:`, and a word where it only holds with `--data`."""
    name = path.resolve().name
    if folder is None:
        return _quoted(name)
    relative = _relative(path, folder)
    return _quoted(relative) if relative else f"{_quoted(name)}  # not below this file: give its place with --data"


def _evaluation(path: Path | None, folder: Path | None) -> Iterator[str]:
    """The lines that end the checks of the training data, and the dataset that it is compared with."""
    if path is None:
        yield "      # - {check: leakage, against: [eval]}   # init --eval PATH writes your evaluation set beside it"
        return
    sample = _sample(path)
    formats = sample.tables.rows["format"].value_counts(sort=True)
    chosen = formats["format"][0] if formats["format"][0] != "unknown" else "rows"
    yield "      - {check: leakage, against: [eval]}"
    yield "  eval:"
    yield "    source:"
    yield f"      path: {_path(path, folder)}"
    yield f"      format: {chosen if formats.height == 1 else 'auto'}"
    if sample.records:
        yield f"      records: {_quoted(sample.records)}"
    yield from _named_texts(sample.texts)
    yield "    checks:"
    yield "      - too_few_rows"
    yield "      - exact_duplicates"


def labels_of(path: Path) -> dict[str, str]:
    """Label columns that every row of a file has under a usual name, as its first part shows: label → key."""
    tables = _read(path, Reading())
    return _labels(tables) if tables is not None and tables.rows.height else {}


def _sample(path: Path) -> _Sample:
    """The first parts of the files, together; read anew where texts stand under keys of the user's own."""
    if not path.exists():
        raise UsageError("{path}: no such file or folder to fit a contract to", path=path)
    named = str(path)
    listed = dataset_files("train", path, named, None).read
    files = [file.path for file in listed[:FILES]]
    records = next((key for file in files[:1] if (key := _list_inside(file))), None)
    tables = _together(files, Reading(records=records))
    if tables is None:
        raise UsageError(
            "{path}: no row could be read; `datacheck explain unreadable_lines` says what can be wrong", path=path
        )
    texts = guessed(tables)
    if texts.fields or texts.roles:
        reading = Reading.model_validate({"records": records, "fields": texts.fields, "roles": texts.roles})
        tables = _together(files, reading) or tables
    first = [next(read(file.parent.resolve() / file.name, Reading(records=records)), None) for file in files]
    whole = len(files) == len(listed) and all(chunk is None or chunk.last for chunk in first)
    return _Sample(tables, texts, records, whole)


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
    keys = str(Message.unpacked(inside[0]).params["names"]).split(", ") if len(inside) else []
    for key in keys:
        own = _read(file, Reading(records=key))
        if own is not None and not own.rows.is_empty():
            return str(key)
    return None


def _read(path: Path, reading: Reading) -> Tables | None:
    return next(
        (t for chunk in read(path.parent.resolve() / path.name, reading) for t in tables_of(chunk, reading)), None
    )


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
    """Label columns that nearly every row has by their usual names: a source has few values, a score is a number."""
    facts = tables.cells.group_by("path").agg(
        rows=pl.col("row").n_unique(),
        values=pl.col("text").n_unique(),
        longest=pl.col("text").str.len_chars().max(),
        number=(pl.col("json_type") == "number").mean(),
        flat=pl.col("json_type").is_in(["string", "number", "boolean"]).mean(),
        empty=pl.col("text").is_null().all(),
    )
    nearly = _NEARLY_ALL * tables.rows.height
    facts = facts.filter(pl.col("rows") >= nearly, pl.col("flat") >= _NEARLY_ALL, ~pl.col("empty"))
    few = facts.filter((pl.col("values") <= _MANY_LABELS) & (pl.col("longest") <= _SHORT))
    fit = {
        "id": facts.filter(pl.col("longest") <= 3 * _SHORT),
        "score_chosen": facts.filter(pl.col("number") >= _NEARLY_ALL),
        "score_rejected": facts.filter(pl.col("number") >= _NEARLY_ALL),
    }
    found = {}
    for label, names in _LABELS.items():
        keys = set(fit.get(label, few)["path"].to_list())
        found[label] = next((name for name in names if name in keys), None)
    return {label: name for label, name in found.items() if name}


def _scored(tables: Tables, labels: Mapping[str, str]) -> bool:
    """Whether the pairs have scores: in columns of their own, or in the format itself (ranks, votes)."""
    return set(_SCORES) <= set(labels) or tables.rows["score_chosen"].is_not_null().any()


def _scale(tables: Tables, labels: Mapping[str, str]) -> Iterator[str]:
    """The usual scale that holds nearly all scores of the pairs: what is off it is to be found."""
    if not _scored(tables, labels):
        return
    keys = [labels[name] for name in _SCORES if name in labels]
    scores = [tables.cells.filter(pl.col("path").is_in(keys))["text"], *(tables.rows[name] for name in _SCORES)]
    numbers = pl.concat(scores).cast(pl.Float64, strict=False).drop_nulls().drop_nans()
    if numbers.is_empty():
        return
    low, high = float(numbers.min() or 0), float(numbers.max() or 0)  # type: ignore[arg-type]
    held = {(a, b): numbers.is_between(a, b).sum() for a, b in _SCALES}
    scale = next((each for each in _SCALES if held[each] >= _NEARLY_ALL * len(numbers)), (low, high))
    yield f"      scale: [{scale[0]:g}, {scale[1]:g}]  # scores seen: {low:g} to {high:g}; write what raters could give"


def _schema(tables: Tables, labels: Mapping[str, str], *, whole: bool) -> list[str]:
    """One line per top-level key: its type, whether rows must have it, and the few values of a label.

    What one row in a hundred does otherwise is taken for a fault, and written beside the rule. Values are listed where
    the `whole` of the data was seen: a file may be sorted by them.
    """
    rows = tables.rows.height
    top = tables.cells.filter(pl.col("path").str.contains(r"^[^.\[\]]+$"))
    lines: list[str] = []
    rare: list[str] = []
    for (path,), cells in top.group_by("path", maintain_order=True):
        if len(lines) == _KEYS or shown_name(str(path)) != path:  # a key that is somebody's number is data
            continue
        if cells["row"].n_unique() < (1 - _NEARLY_ALL) * rows:
            rare.append(_quoted(str(path)))
            continue
        rule, odd = _rule(cells, rows, unique=path == labels.get("id"), whole=whole)
        beside = f"  # otherwise in {odd:,} of {rows:,} rows" if odd else ""
        lines.append(f"      {_quoted(str(path))}: {{{', '.join(rule)}}}{beside}")
    named = [f"      # in few rows, and not relied upon: {', '.join(rare[:_FEW_VALUES])}"] if rare else []
    return [*(lines or ["      {}"]), *named]


def _rule(cells: pl.DataFrame, rows: int, *, unique: bool, whole: bool) -> tuple[list[str], int]:
    """The rule of one key, and how many rows break it."""
    seen, few = cells["row"].n_unique(), (1 - _NEARLY_ALL) * rows
    types = cells["json_type"].fill_null("null").value_counts(sort=True)
    counts = {str(name): int(count) for name, count in types.sort("count", "json_type", descending=True).iter_rows()}
    usual = sorted(name for name, count in counts.items() if count > few or count == max(counts.values()))
    odd = sum(count for name, count in counts.items() if name not in usual)
    kind = [name for name in usual if name != "null"]
    rule = [f"type: {kind[0] if len(kind) == 1 else json.dumps(kind)}"] if kind else []
    missing = rows - seen
    if missing > few:
        rule.append("required: false")
    else:
        odd += missing
    if "null" in usual:
        rule.append("nullable: true")
    texts = cells.filter(pl.col("json_type").is_in(kind))["text"].drop_nulls()
    if unique and rows >= _IDS and texts.n_unique() >= _NEARLY_ALL * rows:
        rule.append("unique: true")
        odd += len(texts) - texts.n_unique()
    elif kind == ["string"] and whole:
        values, others = _values(texts)
        rule += [f"enum: {json.dumps(values, ensure_ascii=False)}"] if values else []
        odd += others
    return rule, odd


def _values(texts: pl.Series) -> tuple[list[str], int]:
    """The values of a label, and how often others stand there; none where the texts are no label.

    A label has few values, often seen, short, and nobody's number; a slip of the pen is none of them.
    """
    counts = texts.value_counts(sort=True)
    if not 0 < counts.height <= 2 * _FEW_VALUES:
        return [], 0
    often = dict(counts.iter_rows())
    values = sorted(value for value in often if not _slip(value, often))
    if len(values) > _FEW_VALUES:
        return [], 0
    short = all(0 < len(v) <= _SHORT and not re.search(r"\s{2}|\n", v) and shown_name(v) == v for v in values)
    if not short or len(values) * _OFTEN > len(texts):
        return [], 0
    return values, sum(count for value, count in often.items() if value not in values)


def _slip(value: str, often: Mapping[str, int]) -> bool:
    """Whether a rare value is nearly spelt as one seen a hundred times as often: "alpaca_zn" for "alpaca_zh"."""
    return any(
        often[value] <= (1 - _NEARLY_ALL) * often[other] and SequenceMatcher(None, value, other).ratio() > _ALIKE
        for other in often
        if other != value
    )


def _by_content(tables: Tables, labels: Mapping[str, str]) -> Iterator[str]:
    """Checks for what some data has: tools, scores, files, a language."""
    if (tables.turns["part"] == "tools").any() or tables.turns["tool_calls"].is_not_null().any():
        yield "tool_call_errors"
    if _scored(tables, labels):
        yield "small_gap"
        yield "score_outliers"
    languages = _languages(tables.turns)
    if languages:
        yield f"{{check: wrong_language, languages: [{', '.join(languages)}], limits: {{rate: {{warn_max: 0.01}}}}}}"
    if tables.cells["path"].str.contains(r"^(?:images?|videos?|audios?)(?:\[|$)").any():
        yield f"missing_files{_LEFT_OUT}  # name the folder of the files as source.media"


def _languages(turns: pl.DataFrame) -> list[str]:
    """Chinese and English, as far as texts are mostly in them; empty where another script is used, or none is."""
    texts = turns.filter(pl.col("part") != "tools").select("row", "text").drop_nulls()
    texts = texts.gather_every(max(1, texts.height // _LOOKED_AT))
    words = pl.concat([texts.select("row"), script_words(texts["text"])], how="horizontal")
    words = words.filter(pl.sum_horizontal(SCRIPTS) >= _JUDGED)
    if words.is_empty():
        return []
    most = words.select("row", script=pl.concat_list(SCRIPTS).list.arg_max()).unique()["script"]
    names = most.replace_strict(list(range(len(SCRIPTS))), list(SCRIPTS))
    shares = {name: count / words["row"].n_unique() for name, count in names.value_counts().iter_rows()}
    used = {name for name, share in shares.items() if share >= _USED}
    if not used or not used <= {"han", "latin"}:
        return []
    return [language for script, language in (("han", _chinese(words)), ("latin", "en")) if script in used]


def _chinese(words: pl.DataFrame) -> str:
    """zh-Hans or zh-Hant where nearly all texts that can be told are in one form, else zh."""
    forms = words.filter(pl.sum_horizontal("simplified", "traditional") >= _TOLD)
    traditional = forms.filter(pl.col("traditional") > pl.col("simplified")).height
    if forms.height and traditional <= (1 - _NEARLY_ALL) * forms.height:
        return "zh-Hans"
    return "zh-Hant" if forms.height and traditional >= _NEARLY_ALL * forms.height else "zh"
