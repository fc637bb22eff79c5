"""What `load_dataset("json")` of the `datasets` library makes of records: Arrow's types, inferred by Arrow itself.

Mirrored from datasets 5.2 (packaged_modules/json/json.py and utils/json.py): columns of texts that all are dates become
dates, whole numbers beside fractions become fractions, keys come in the order of the first record; what Arrow has no
type for (objects with differing keys, texts beside numbers) is kept as JSON text, so that a text which is itself JSON
comes out as what it says, and fractions as json_numbers.py tells. Types are those of the first 10 MB, as there.

Where Arrow reads what is not valid (a list whose first value is null), datasets 5 takes the rows one by one; those
before it stop (`datasets 4.8`), but not at nulls beside JSON text, which they write as the text null. Before datasets
4.7 what is mixed stops the loading, and keys that an object lacks are null (`datasets 4`). So they are in a Parquet
file that pyarrow writes (`parquet`), where texts stay texts.
"""

import base64
import datetime as dt
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as paj

from datacheck.trainers.json_numbers import fraction, kept, whole, written

CHUNK = 10 << 20  # bytes of a file by which its types are decided
_BLOCK = CHUNK // 32
_DECIMALS = 10  # of fractions, where its writer writes them
Path = tuple[str | int, ...]  # 0 is "in a list"
_PLACES = ("mixed", "gaps")
Typing = Literal["datasets 5", "datasets 4.8", "datasets 4", "parquet"]


class NotLoadableError(ValueError):
    """The library raises: the run ends before any row. Its message holds no data."""


class JsonColumns(NamedTuple):
    """How the columns of a file were typed.

    mixed: places whose values are kept as JSON text; gaps: places of whole numbers of which some are null (`parquet`).
    """

    schema: pa.Schema
    mixed: frozenset[Path]
    gaps: frozenset[Path] = frozenset()

    @property
    def packed(self) -> str:
        """As one text, for a column of a table; `unpacked` reads it."""
        schema = base64.b64encode(self.schema.serialize().to_pybytes()).decode()
        return json.dumps({"schema": schema, **{name: sorted(getattr(self, name), key=str) for name in _PLACES}})

    @classmethod
    def unpacked(cls, text: str) -> "JsonColumns":
        """What `packed` gave."""
        given = json.loads(text)
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(given["schema"])))
        return cls(schema, *(frozenset(tuple(path) for path in given[name]) for name in _PLACES))

    def read(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """A record as the library gives it; keys that only later records have are left as they are."""
        known = {field.name: self._typed(record.get(field.name), field.type, (field.name,)) for field in self.schema}
        return {**known, **{key: value for key, value in record.items() if key not in known}}

    def _typed(self, value: Any, kind: pa.DataType, path: Path) -> Any:
        if value is None:
            return None
        if path in self.mixed:
            return _decoded(value)
        if pa.types.is_list(kind) and isinstance(value, list):
            return [self._typed(each, kind.value_type, (*path, 0)) for each in value]
        if pa.types.is_struct(kind) and isinstance(value, dict):
            return {field.name: self._typed(value.get(field.name), field.type, (*path, field.name)) for field in kind}
        return _leaf(_rewritten(value) if self.mixed else value, kind)


def _rewritten(value: Any) -> Any:
    """A value beside a column of JSON text: then all lines are read and written again before Arrow reads them."""
    if isinstance(value, float):
        return json.loads(written(fraction(repr(value)))) if math.isfinite(value) else None
    return as_written(value)


def _leaf(value: Any, kind: pa.DataType) -> Any:
    if pa.types.is_timestamp(kind) and isinstance(value, str):
        return _date(value, kind)
    if pa.types.is_floating(kind) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value) and not pa.types.is_floating(kind):
        return None
    return value


def _date(text: str, kind: pa.DataType) -> Any:
    try:
        found = dt.datetime.fromisoformat(text)
        if found.tzinfo is None:
            return found
        return found.astimezone(dt.UTC).replace(tzinfo=None if kind.tz is None else dt.UTC)
    except (ValueError, OverflowError):  # the latter: beyond the part of a file that decides its types
        return text


def _decoded(value: Any) -> Any:
    """What comes out of JSON text: a text that is JSON comes out as what it says."""
    if isinstance(value, str):
        try:
            return _parsed(value, fraction)
        except ValueError:
            return value
    return as_written(value, fraction)


def as_written(value: Any, read: Callable[[str], float] = float) -> Any:
    """A value as it comes out of a column of JSON text; `read`: what read the file's fractions before."""
    if isinstance(value, float):
        return kept(read(repr(value))) if math.isfinite(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        with suppress(ValueError):  # behind the part of a file that decides its types
            return whole(str(value))
    if isinstance(value, list):
        return [as_written(each, read) for each in value]
    return {key: as_written(each, read) for key, each in value.items()} if isinstance(value, dict) else value


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DECIMALS) if math.isfinite(value) else None  # about as its writer has them
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return {key: _rounded(each) for key, each in value.items()} if isinstance(value, dict) else value


def _parsed(text: str, read: Callable[[str], float] = float) -> Any:
    """JSON as the library's parser (pandas' ujson) takes it; `read` makes a number of a text with a point.

    Numbers with leading zeros or half written ("007", "1.", "-"), raw control
    characters in texts and a comma before a closing brace pass; NaN is null.
    """
    try:
        try:
            return _loads(text, read)
        except json.JSONDecodeError:
            if not _LIKELY.match(text):
                raise
            return _loads(_LENIENT.sub(_written_out, text), read)
    except RecursionError:
        raise ValueError from None


def _loads(text: str, read: Callable[[str], float]) -> Any:
    return json.loads(text, strict=False, parse_float=read, parse_int=whole, parse_constant=_constant)


_NUMBER = r"(-\d*|\d+)(\.\d*)?([eE][+-]?\d*)?"
_LENIENT = re.compile(rf'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|{_NUMBER}|(,)(?=\s*+\}})', re.DOTALL | re.ASCII)
_LIKELY = re.compile(rf"\s*+(?:[\[{{]|{_NUMBER}\s*+\Z)", re.ASCII)  # the cheap look at texts of which most are no JSON


def _written_out(found: re.Match[str]) -> str:
    """A number as strict JSON has it; texts stay, a comma before a closing brace goes."""
    text, whole, fraction, exponent, comma = found.groups(default="")
    if text or comma:
        return text
    sign = "-" if whole[0] == "-" else ""
    fraction += "0" if fraction == "." else ""
    exponent += "" if not exponent or exponent[-1].isdigit() else "0"
    return f"{sign}{whole.lstrip('-0') or '0'}{fraction}{exponent}"


def _constant(name: str) -> float | None:
    return None if name == "NaN" else float(name)


def json_columns(lines: Sequence[str], by: Typing = "datasets 5") -> JsonColumns:
    """The types of a file of these records, one JSON text each; of the first 10 MB.

    Raises NotLoadableError where the library raises.
    """
    infer = {
        "datasets 5": _inferred,
        "datasets 4.8": _inferred_or_not,
        "datasets 4": _inferred_whole,
        "parquet": _inferred_parquet,
    }[by]
    taken: list[str] = []
    size = 0
    for line in lines:
        if size >= CHUNK:
            break
        taken.append(line)
        size += len(line.encode("utf-8", "surrogatepass")) + 1
    try:
        return infer(taken)
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, pa.ArrowException) as error:
        raise NotLoadableError(type(error).__name__) from None


def _inferred_whole(lines: Sequence[str]) -> JsonColumns:
    """Without a place for what is mixed."""
    batch = _encoded(lines, [])
    block = max(_BLOCK, len(batch))
    table = paj.read_json(io.BytesIO(batch), read_options=paj.ReadOptions(block_size=block))
    table.validate()  # as it stands, a list whose first value is null points behind its values: UnicodeDecodeError
    return _found(table)


def _inferred_parquet(lines: Sequence[str]) -> JsonColumns:
    """As pyarrow types Python's values."""
    rows = [json.loads(line) for line in lines]
    names = dict.fromkeys(name for row in rows for name in row)
    table = pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})
    places = ((path, values) for path, values in _leaves(table) if pa.types.is_integer(values.type))
    return JsonColumns(table.schema, frozenset(), frozenset(path for path, values in places if values.null_count))


def _found(table: pa.Table, mixed: Sequence[Path] = ()) -> JsonColumns:
    """The types that Arrow found. Raises OverflowError for days that Python has not: it does so when a row is read."""
    for _, values in _leaves(table):
        if pa.types.is_timestamp(values.type):
            bounds = pc.min_max(values)
            bounds["min"].as_py(), bounds["max"].as_py()
    return JsonColumns(table.schema, frozenset(mixed))


def _leaves(table: pa.Table) -> Iterator[tuple[Path, pa.Array]]:
    """All values of each place that is neither a list nor an object; null where the object is."""
    waiting: list[tuple[Path, pa.Array]] = [((name,), table[name].combine_chunks()) for name in table.column_names]
    while waiting:
        path, values = waiting.pop()
        if pa.types.is_list(values.type):
            waiting.append(((*path, 0), values.flatten()))
        elif pa.types.is_struct(values.type):
            names = (field.name for field in values.type)
            waiting += [((*path, name), inside) for name, inside in zip(names, values.flatten(), strict=True)]
        else:
            yield path, values


def _inferred(lines: Sequence[str], *, by_value: bool = True) -> JsonColumns:
    """by_value: what Arrow reads wrong is typed row by row."""
    try:
        examples = [_parsed(line) for line in lines]
    except ValueError:
        examples = None
    mixed = _mixed(examples) if examples is not None else []
    null = None if by_value else "null"
    batch = _encoded(lines, mixed, null)
    block = max(_BLOCK, len(batch)) if len(batch) // 8 > _BLOCK else _BLOCK
    while True:
        try:
            table = paj.read_json(io.BytesIO(batch), read_options=paj.ReadOptions(block_size=block))
            table.validate()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            said = str(error)
            if "JSON parse error: Column(" in said and ") changed from" in said:
                _insert(mixed, _place(said, lines))
                batch = _encoded(lines, mixed, null)
            elif ("straddling" in said or "JSON conversion to" in said) and block < len(batch):
                block *= 2
            else:
                if said.startswith("Column ") and by_value:  # it was read, and is not valid
                    return JsonColumns(_schema_of_values(batch), frozenset(mixed))
                raise
        else:
            return _found(table, mixed)


def _inferred_or_not(lines: Sequence[str]) -> JsonColumns:
    return _inferred(lines, by_value=False)


def _schema_of_values(batch: bytes) -> pa.Schema:
    """As pyarrow types Python's values, one row after the other: texts stay texts."""
    rows = [pa.Table.from_pylist([_parsed(line.decode())]) for line in batch.splitlines()]
    return pa.concat_tables(rows, promote_options="default").schema


def _mixed(examples: Sequence[Any]) -> list[Path]:
    """Places where objects have differing keys, or objects and lists stand beside other values."""
    found: list[Path] = []
    waiting: list[tuple[Path, list[Any]]] = [((), [each for each in examples if each is not None])]
    while waiting:
        path, content = waiting.pop(0)
        inside = _inside(path, content)
        if inside is None:
            found.append(path)
        else:
            waiting += inside
    return found


def _inside(path: Path, content: list[Any]) -> list[tuple[Path, list[Any]]] | None:
    """The places in what stands at one, and what stands there; None where that has no type of its own."""
    if all(isinstance(each, dict) for each in content):
        if content and path and (not content[0] or any(each.keys() != content[0].keys() for each in content)):
            return None
        names = dict.fromkeys(key for each in content for key in each)
        return [((*path, name), [each[name] for each in content if each.get(name) is not None]) for name in names]
    if all(isinstance(each, list) for each in content):
        return [((*path, 0), [inner for each in content for inner in each if inner is not None])]
    return None if any(isinstance(each, dict | list) for each in content) else []


def _encoded(lines: Sequence[str], mixed: Sequence[Path], null: str | None = None) -> bytes:
    """The file as Arrow gets it: what is mixed as JSON text; `null`: how null is written among it."""
    if not mixed:
        return "".join(f"{line}\n" for line in lines).encode()
    examples = [_parsed(line) for line in lines]
    for path in mixed:
        examples = [_as_text(example, path, null) for example in examples]
    return "".join(_dumped(_rounded(each)) + "\n" for each in examples).encode()


def _dumped(value: Any) -> str:
    """About as the library's writer has it: what Arrow reads at once hangs on how many bytes there are."""
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/")


def _as_text(value: Any, path: Path, null: str | None) -> Any:
    if value is None:
        return None if path else null
    if path:
        step, rest = path[0], path[1:]
        if step == 0:
            return [_as_text(each, rest, null) for each in value]
        return {**value, step: _as_text(value.get(step), rest, null)}
    if isinstance(value, str):
        try:
            _parsed(value)
        except ValueError:
            return _dumped(value)
        return value
    return _dumped(_rounded(value))


def _place(said: str, lines: Sequence[str]) -> Path:
    """The place that an error of Arrow's names: `Column(/messages/[]/content) changed from …`."""
    column = said.split("Column(", 1)[1].rsplit(") changed from", 1)[0]
    if not column:
        raise NotLoadableError
    if "/" not in column[1:] and column != "/[]":
        return (column[1:],)
    found = {path for line in lines for path in _steps(_parsed(line), column, ())}
    if len(found) != 1:
        raise NotLoadableError
    return found.pop()


def _steps(value: Any, left: str, path: Path) -> list[Path]:
    if not left:
        return [path]
    if isinstance(value, dict):
        inside = [(key, each) for key, each in value.items() if left == f"/{key}" or left.startswith(f"/{key}/")]
        return [found for key, each in inside for found in _steps(each, left[len(key) + 1 :], (*path, key))]
    if isinstance(value, list) and (left == "/[]" or left.startswith("/[]/")):
        return [found for each in value for found in _steps(each, left[3:], (*path, 0))]
    return []


def _insert(mixed: list[Path], path: Path) -> None:
    if any(path[: len(known)] == known for known in mixed):
        raise NotLoadableError
    for at, known in enumerate(mixed):
        if known[: len(path)] == path:
            mixed[at] = path
            return
    mixed.append(path)
