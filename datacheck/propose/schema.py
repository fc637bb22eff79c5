"""Labels, scales and rules that the columns of a sample follow: `columns:`, `scale:` and `schema:` of a contract."""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path

import polars as pl

from datacheck.features.scales import top_of_scale
from datacheck.files.shown_names import shown_name
from datacheck.loading.reading import Reading
from datacheck.loading.tables import Tables
from datacheck.propose.sample import first_part

_LABELS = {
    "id": ("id", "uid", "uuid", "idx", "qid", "prompt_id", "question_id", "conversation_id"),
    "source": ("source", "src", "data_source", "dataset", "domain", "category", "subject", "task"),
    "split": ("split", "fold"),
    "score_chosen": ("score_chosen", "chosen_score", "chosen_rating", "score_w"),
    "score_rejected": ("score_rejected", "rejected_score", "rejected_rating", "score_l"),
}
_SCALES = ((0, 1), (-1, 1), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100))  # usual ones; the first that holds them
_SCORES = ("score_chosen", "score_rejected")
_FEW_VALUES = 20  # as many values of a column, each seen often, may be all that there are
_OFTEN = 5  # times that each of them is seen on average
_KEYS = 50  # top-level keys that the schema names
_SHORT = 40  # characters of a value that is a label
_WORDS = 4  # of a value that is a label
_ENDS = re.compile(r"[.!?。！？…]$")  # of a sentence
_MANY_LABELS = 100  # more values than this are no sources to compare
NEARLY_ALL = 0.99  # of the rows: what the others do is taken for a fault
_ONE_TYPE = 0.97  # share of the values that are not null: where as many have one type, the others are a fault
_CLEARLY = 0.5  # as often as another spelling in case
_LETTERS, _MOST_TIMES = 5, 0.9  # of a word whose letters changed places
_ALIKE = 0.8  # similarity of two spellings of one word
_NUMBER = r"^\s*[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$"  # as text
_MOST_IDS = 0.95  # of the rows have an id of their own, where ids are meant to be unique
_IDS = 20  # rows from which on distinct ids say that they are meant to be unique


def labels_of(path: Path) -> dict[str, str]:
    """Label columns that every row of a file has under a usual name, as its first part shows: label → key."""
    tables = first_part(path, Reading())
    return labels_in(tables) if tables is not None and tables.rows.height else {}


def labels_in(tables: Tables) -> dict[str, str]:
    """Label columns that nearly every row has by their usual names: a source has few values, a score is a number."""
    facts = tables.cells.group_by("path").agg(
        rows=pl.col("row").n_unique(),
        values=pl.col("text").n_unique(),
        longest=pl.col("text").str.len_chars().max(),
        number=((pl.col("json_type") == "number") | _quoted_number()).mean(),
        flat=pl.col("json_type").is_in(["string", "number", "boolean"]).mean(),
        empty=pl.col("text").is_null().all(),
    )
    nearly = NEARLY_ALL * tables.rows.height
    ids = pl.col("path").is_in(_LABELS["id"]) & (pl.col("rows") >= _MOST_IDS * tables.rows.height)
    flat = (pl.col("flat") >= NEARLY_ALL) | (ids & (pl.col("flat") >= _MOST_IDS))  # an id may be lost in some rows
    facts = facts.filter((pl.col("rows") >= nearly) | ids, flat, ~pl.col("empty"))
    few = facts.filter((pl.col("values") <= _MANY_LABELS) & (pl.col("longest") <= _SHORT))
    fit = {
        "id": facts.filter(pl.col("longest") <= 3 * _SHORT),
        "score_chosen": facts.filter(pl.col("number") >= _ONE_TYPE),
        "score_rejected": facts.filter(pl.col("number") >= _ONE_TYPE),
    }
    found = {}
    for label, names in _LABELS.items():
        keys = set(fit.get(label, few)["path"].to_list())
        found[label] = next((name for name in names if name in keys), None)
    return {label: name for label, name in found.items() if name}


def scored(tables: Tables, labels: Mapping[str, str]) -> bool:
    """Whether the pairs have scores: in columns of their own, or in the format itself (ranks, votes)."""
    return set(_SCORES) <= set(labels) or tables.rows["score_chosen"].is_not_null().any()


def scale_lines(tables: Tables, labels: Mapping[str, str]) -> Iterator[str]:
    """The usual scale that holds nearly all scores of the pairs: what is off it is to be found."""
    if not scored(tables, labels):
        return
    keys = [labels[name] for name in _SCORES if name in labels]
    columns = [tables.cells.filter(pl.col("path") == key)["text"] for key in keys]
    scores = [each.cast(pl.Float64, strict=False) for each in (*columns, *(tables.rows[name] for name in _SCORES))]
    scores = [each.drop_nulls().drop_nans() for each in scores]
    numbers = pl.concat(scores)
    if numbers.is_empty():
        return
    low, high = float(numbers.min() or 0), float(numbers.max() or 0)  # type: ignore[arg-type]
    # Scores on another scale than most of their column are to be found.
    usual = pl.concat([each.filter(each.abs() <= top_of_scale(each)) for each in scores])
    held = {(a, b): usual.is_between(a, b).sum() for a, b in _SCALES}
    scale = next((each for each in _SCALES if held[each] >= NEARLY_ALL * len(usual)), (low, high))
    yield f"      scale: [{scale[0]:g}, {scale[1]:g}]  # scores seen: {low:g} to {high:g}; write what raters could give"


def schema_lines(tables: Tables, labels: Mapping[str, str], *, whole: bool) -> list[str]:
    """One line per top-level key: its type, whether rows must have it, and the few values of a label.

    What one row in a hundred does otherwise is taken for a fault, and written beside the rule; but a null under a key
    that nobody reads harms nothing. Values are listed where the `whole` of the data was seen: a file may be sorted by
    them.
    """
    rows = tables.rows.height
    read = {*tables.turns["path"].str.extract(r"^([^.\[]*)").unique(), *labels.values()}
    top = tables.cells.filter(pl.col("path").str.contains(r"^[^.\[\]]+$"))
    lines: list[str] = []
    rare: list[str] = []
    for (path,), cells in top.group_by("path", maintain_order=True):
        if len(lines) == _KEYS or shown_name(str(path)) != path:  # a key that is somebody's number is data
            continue
        if cells["row"].n_unique() < (1 - NEARLY_ALL) * rows:
            rare.append(json.dumps(str(path), ensure_ascii=False))
            continue
        rule, odd = _rule(cells, rows, unique=path == labels.get("id"), whole=whole, read=path in read)
        beside = f"  # otherwise in {odd:,} of {rows:,} rows" if odd else ""
        lines.append(f"      {json.dumps(str(path), ensure_ascii=False)}: {{{', '.join(rule)}}}{beside}")
    named = [f"      # in few rows, and not relied upon: {', '.join(rare[:_FEW_VALUES])}"] if rare else []
    return [*(lines or ["      {}"]), *named]


def _rule(cells: pl.DataFrame, rows: int, *, unique: bool, whole: bool, read: bool) -> tuple[list[str], int]:
    """The rule of one key, and how many rows break it. read: whether its value is a text or a label."""
    most = _MOST_IDS if unique and rows >= _IDS else NEARLY_ALL
    few = (1 - most) * rows
    usual, odd = _types(cells, rows, few, read=read)
    kind = [name for name in usual if name != "null"]
    rule = [f"type: {kind[0] if len(kind) == 1 else json.dumps(kind)}"] if kind else []
    missing = rows - cells["row"].n_unique()
    if missing > few:
        rule.append("required: false")
    else:
        odd += missing
    if "null" in usual:
        rule.append("nullable: true")
    texts = cells.filter(pl.col("json_type").is_in(kind))["text"].drop_nulls()
    if unique and rows >= _IDS and texts.n_unique() >= _MOST_IDS * rows:
        rule.append("unique: true")
        odd += len(texts) - texts.n_unique()
    elif kind == ["string"] and whole:
        values, others = _values(texts) if texts.str.contains(r"\S").any() else ([], 0)  # blanks are no label
        rule += [f"enum: {json.dumps(values, ensure_ascii=False)}"] if values else []
        odd += others
    return rule, odd


def _types(cells: pl.DataFrame, rows: int, few: float, *, read: bool) -> tuple[list[str], int]:
    """The usual types of a key's values, by name, and how many values have another one. few: rows that may."""
    types = cells["json_type"].fill_null("null").value_counts(sort=True)
    counts = {str(name): int(count) for name, count in types.iter_rows()}
    most, values = max(counts.values()), cells["row"].n_unique() - counts.get("null", 0)
    one = most >= _ONE_TYPE * values  # a column of several types may have rare ones
    least = {name: max(few, (1 - _ONE_TYPE) * rows) if one and name != "null" else few for name in counts}
    if not read:
        least["null"] = 0
    usual = sorted(name for name, count in counts.items() if count > least[name] or count == most)
    if "number" in usual and cells.select(_quoted_number().sum()).item() >= NEARLY_ALL * counts.get("string", rows):
        usual = [name for name in usual if name != "string"]  # some program wrote a part of the numbers as text
    return usual, sum(count for name, count in counts.items() if name not in usual)


def _quoted_number() -> pl.Expr:
    return (pl.col("json_type") == "string") & pl.col("text").str.contains(_NUMBER)


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
    if not all(map(_is_label, values)) or len(values) * _OFTEN > len(texts):
        return [], 0
    return values, sum(count for value, count in often.items() if value not in values)


def _is_label(value: str) -> bool:
    """Whether a value is short, in one line, no sentence and nobody's number."""
    short = 0 < len(value) <= _SHORT and len(value.split()) <= _WORDS and not re.search(r"\s{2}|\n", value)
    return short and not _ENDS.search(value) and shown_name(value) == value


def _slip(value: str, often: Mapping[str, int]) -> bool:
    """Whether a value is one that is seen more often, but for case or white space, or nearly spells a far commoner one.

    "Forum" and "forum " for "forum"; "alpaca_zn" for "alpaca_zh", seen a hundred times as often; "manaul" for "manual",
    whose letters changed places, seen ten times as often.
    """
    return any(_slipped(value, other, often[value] / often[other]) for other in often if other != value)


def _slipped(value: str, other: str, share: float) -> bool:
    same = value.strip().casefold() == other.strip().casefold()
    if _digits(value) != _digits(other):  # "(1,0,1)" for "(1,1,0)", "level 2" for "level 1": another value
        return False
    moved = len(value) >= _LETTERS and sorted(value) == sorted(other) and value[0] == other[0]
    alike = share <= 1 - NEARLY_ALL and SequenceMatcher(None, value, other).ratio() > _ALIKE
    return alike or (same and share < _CLEARLY) or (moved and share <= 1 - _MOST_TIMES)


def _digits(value: str) -> str:
    return "".join(filter(str.isdigit, value))
