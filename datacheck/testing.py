"""For authors of checks: literal samples, and a check run on them through the real loader and runner, in this process.

records = dataset("user: 你好 | assistant: 你好！", "user: 你好 | user: 在吗")
result = measure(RoleErrors(), records)
assert result.value("rate") == Ratio(1, 2)
assert result.problems == [(1, "wrong_order")]
assert finding(RoleErrors(), records).status == "fail"
"""

import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from datacheck.check import EVIDENCE, Check, Message, Ratio, Value, card_of
from datacheck.contract.load import load_contract
from datacheck.contract.model import Contract, Dataset, Source
from datacheck.contract.yaml import load_yaml
from datacheck.engine.measure import ID, Measurement
from datacheck.engine.plan import make_plan
from datacheck.engine.record_ids import RECORD
from datacheck.engine.run import Engine
from datacheck.engine.store import Store
from datacheck.engine.workers import Failure, Here
from datacheck.errors import CheckAuthorError
from datacheck.files.inventory import inventory
from datacheck.verdict.judge import judge
from datacheck.verdict.model import Finding

Records = Iterable[Mapping[str, Any] | list[Any]] | bytes
_TURN = re.compile(r"\s*([^\s:|]+):\s?(.*?)\s*", re.DOTALL)
_SIDES = ("chosen", "rejected")
_YAML = re.compile(r"^## Example\n.*?^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def dataset(*conversations: str) -> list[dict[str, Any]]:
    """Write records down as they read: one string per record, turns parted by ` | `.

    "user: 你好 | assistant: 你好！" is a record of messages; any word may stand for a role. With "chosen: …" and
    "rejected: …" it becomes a preference pair whose prompt is what stands before them. Raises ValueError for a turn
    without a role.
    """
    return [_record(text) for text in conversations]


def _record(text: str) -> dict[str, Any]:
    messages, sides = [], {}
    for turn in re.split(r" \| ", text):
        match = _TURN.fullmatch(turn)
        if match is None:
            raise ValueError(f"{turn!r}: expected 'role: words'")
        role, content = match.groups()
        if role in _SIDES:
            sides[role] = [{"role": "assistant", "content": content}]
        else:
            messages.append({"role": role, "content": content})
    return {"prompt": messages, **sides} if sides else {"messages": messages}


def jsonl(records: Records) -> bytes:
    """Records as the bytes of a JSONL file; bytes stay as they are (for lines that are damaged on purpose)."""
    if isinstance(records, bytes):
        return records
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


@dataclass(frozen=True)
class Result:
    """What a check measured: its values, its evidence with places, figures and what it did not check.

    `not_checked` holds the English sentences, `notes` the messages that they are.
    """

    values: tuple[Value, ...]
    evidence: pl.DataFrame
    first: tuple[Mapping[str, Any], ...]
    figures: Mapping[str, Mapping[str, list[Any]]] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()

    @property
    def not_checked(self) -> tuple[str, ...]:
        """What was left out, in English."""
        return tuple(map(str, self.notes))

    def value(self, name: str, **part: str) -> int | float | Ratio | None:
        """The number called `name` (of the slice `part`). Raises KeyError where there is none."""
        for value in self.values:
            if value.name == name and dict(value.slice) == part:
                return value.value
        raise KeyError(name)

    @property
    def problems(self) -> list[tuple[int, str]]:
        """(row, problem) of all evidence, in file order."""
        return list(self.evidence.select("row", "problem").iter_rows())

    @property
    def places(self) -> list[tuple[int, str, str]]:
        """(row, where, problem) of all evidence, in file order."""
        return list(self.evidence.select("row", "where", "problem").iter_rows())


def measure(
    check: Check,
    records: Records,
    *,
    source: Mapping[str, Any] | None = None,
    others: Mapping[str, Records] | None = None,
    name: str = "data.jsonl",
) -> Result:
    """Run `check` on `records`.

    Args:
        check: the check with its settings.
        records: of the dataset `train`, or the raw bytes of its file.
        source: settings as in a contract's `source:` (format, roles, columns, scale, …).
        others: further datasets by name, for a check that looks at them.
        name: the file's name, whose suffix says how it is read.

    Whatever the check raises is raised here.

    """
    with tempfile.TemporaryDirectory() as folder:
        engine = _run(check, records, source or {}, others or {}, Path(folder), name)
        return _result(engine.outcomes[f"train.{check.name}"])


def finding(
    check: Check,
    records: Records,
    *,
    source: Mapping[str, Any] | None = None,
    others: Mapping[str, Records] | None = None,
    name: str = "data.jsonl",
) -> Finding:
    """Run `check` like `measure`, and judge what it measured by its limits."""
    with tempfile.TemporaryDirectory() as folder:
        engine = _run(check, records, source or {}, others or {}, Path(folder), name)
        return judge(engine.contract, engine.states, engine.outcomes).findings[0]


def example(kind: type[Check]) -> Contract:
    """The contract that stands as YAML under `## Example` in a check's card, loaded as any other.

    Either whole datasets (`datasets:`, with `run:` above them where it is needed; its files need not be there), or a
    list of checks (`- check: …`) for a dataset called train, beside which one called eval stands.
    Raises CheckAuthorError where there is none, ContractError where it is wrong.
    """
    found = _YAML.search(card_of(kind, "en"))
    if found is None:
        raise CheckAuthorError(f"{kind.__name__}: its card has no YAML under '## Example'")
    yaml = found[1]
    if not yaml.startswith(("datasets:", "run:")):
        indented = "".join(f"      {line}\n" for line in yaml.splitlines())
        beside = "  eval: {source: eval.jsonl, checks: [too_few_rows]}\n"
        yaml = f"datasets:\n{beside}  train:\n    source: {{path: train.jsonl}}\n    checks:\n{indented}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.yaml"
        path.write_text(f"name: example\n{yaml}", encoding="utf-8")
        return load_contract(path, located=False)


class Plant(NamedTuple):
    """A fault planted behind rows without any, and where the finding must point.

    Places are (line, where) with the line counted in the plant; 0 is the file as a whole, and less than 0 a line
    of the good ones.
    """

    check: Check
    problem: str
    places: frozenset[tuple[int, str]]
    good: tuple[Mapping[str, Any], ...]
    lines: bytes
    source: Mapping[str, Any] = {}
    others: Mapping[str, Records] = {}

    def found(self) -> list[tuple[int, str, str]]:
        """Run the check; returns (line in the plant, where, problem) of all that it finds, in file order."""
        records = jsonl(self.good) + self.lines
        found = measure(self.check, records, source=self.source, others=self.others).evidence
        own = pl.col("line").cast(pl.Int64) - len(self.good)
        line = pl.when(own > 0).then(own).otherwise(own - 1).fill_null(0)
        return list(found.select(line, pl.col("where").fill_null(""), "problem").iter_rows())


def plants(kind: type[Check]) -> tuple[Plant, ...]:
    """What stands in `plants/<check>.yaml` beside the file of a check: for each of its problems an example to find.

    A list of maps: `problem`, `rows` (or `raw`: text, with its `encoding`), `at` ("1 messages[0].content": line and
    where) and, where they are needed, `settings` of the check, `source`, `others` (rows of other datasets) and `good`
    (rows without faults that stand before; by default those of plants/good.yaml that have keys of the first row).
    """
    name = kind.model_fields["check"].default
    file = Path(inspect.getfile(kind)).parent / "plants" / f"{name}.yaml"
    return tuple(_plant(kind, entry) for entry in load_yaml(file, name).value) if file.is_file() else ()


def _plant(kind: type[Check], entry: Mapping[str, Any]) -> Plant:
    lines = entry["raw"].encode(entry.get("encoding", "utf-8")) if "raw" in entry else jsonl(entry["rows"])
    keys = entry["rows"][0].keys() if entry.get("rows") else {"messages"}
    good = entry.get("good", next((rows for rows in _good() if rows[0].keys() <= keys), ()))
    places = ((line, where) for line, _, where in (place.partition(" ") for place in entry["at"]))
    check = kind.model_validate({**entry.get("settings", {}), "check": kind.model_fields["check"].default})
    at = frozenset((int(line), where) for line, where in places)
    return Plant(check, entry["problem"], at, tuple(good), lines, entry.get("source", {}), entry.get("others", {}))


@cache
def _good() -> list[list[dict[str, Any]]]:
    file = Path(__file__).parent / "checks" / "plants" / "good.yaml"
    return list(load_yaml(file, file.name).value)


class _InProcess(Here):
    """Keeps the first exception, so that a test sees where it came from."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None

    def map(self, work: Callable[..., Any], tasks: Iterable[Any], *, debug: bool = False) -> Iterator[Any]:  # noqa: ARG002
        for task in tasks:
            try:
                yield work(task)
            except Exception as error:
                self.error = self.error or error
                raise


def _run(
    check: Check, records: Records, source: Mapping[str, Any], others: Mapping[str, Records], folder: Path, name: str
) -> Engine:
    (folder / "data").mkdir()
    datasets = {"train": _dataset("train", records, source, (check,), folder, name)}
    datasets |= {other: _dataset(other, lines, {}, (), folder, "data.jsonl") for other, lines in others.items()}
    contract = Contract("test", 1, "test.yaml", datasets)
    workers = _InProcess()
    engine = Engine(contract, inventory(contract), Store(folder / "store"), workers=1)
    engine.workers = workers
    for step in make_plan(contract):
        result = engine.execute(step)
        if isinstance(result, Failure):
            raise workers.error or CheckAuthorError(f"{step.key}: {result.reason}")
    return engine


def _dataset(
    name: str, records: Records, source: Mapping[str, Any], checks: tuple[Check, ...], folder: Path, file: str
) -> Dataset:
    path = folder / "data" / name
    path.mkdir()
    (path / file).write_bytes(jsonl(records))
    return Dataset(name, Source.model_validate(dict(source)), path / file, file, checks)


def _result(measurement: Measurement | Failure) -> Result:
    assert isinstance(measurement, Measurement)  # `_run` raises the others
    facts = measurement.facts
    values = tuple(Value(v["name"], _number(v), v["slice"]) for v in facts["values"])
    evidence = (
        pl.read_parquet(measurement.evidence, glob=False)
        if measurement.evidence
        else pl.DataFrame(schema={**EVIDENCE, **ID, **RECORD})
    )
    notes = tuple(map(Message.from_json, facts["not_checked"]))
    return Result(values, evidence, tuple(facts["first"]), facts["figures"], notes)


def _number(value: Mapping[str, Any]) -> int | float | Ratio | None:
    return Ratio(value["count"], value["of"]) if "of" in value and value["value"] is not None else value["value"]
