"""Try a contract on the first part of its data, as `init` does before it hands one out."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from datacheck.contract.load import load_contract
from datacheck.contract.model import Source
from datacheck.engine.contain import tables_of
from datacheck.engine.expected import OnProgress
from datacheck.files.inventory import dataset_files
from datacheck.loading.reader import Chunk, read
from datacheck.loading.reading import Limits, Reading
from datacheck.loading.tables import BINARY
from datacheck.session.options import Options
from datacheck.session.session import Session
from datacheck.verdict.model import Report

FILES = 8  # of a dataset, as many are looked at
BYTES = 256 * 1024  # of all of them; of a JSON document the whole
ROWS = 1_000  # of a Parquet or Arrow file


def tried(
    contract: str, data: Mapping[str, Path], on_progress: OnProgress | None = None, *, alone: bool = False
) -> Report:
    """Run a contract (YAML) on the first part of its datasets (name → path); nothing of that is kept.

    Raises ContractError and UsageError as a run does.
    """
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "contract.yaml").write_text(contract, encoding="utf-8")
        bound = {name: str(path) for name, path in data.items()}
        sources = {name: each.source for name, each in load_contract(here / "contract.yaml", bound).datasets.items()}
        parts = {name: str(_beginnings(path, sources[name], here / "data" / name)) for name, path in data.items()}
        options = Options(out=here / "report", alone=alone)
        with Session(here / "contract.yaml", parts, options) as session:
            session.run(on_progress)
            return session.finish()


def _beginnings(path: Path, source: Source, folder: Path) -> Path:
    """Write the first part of the first files; returns their folder. Those of a glob lie in it as they do in theirs."""
    glob, reading = source.glob, Reading(encoding=source.encoding)
    files = dataset_files(path.name, path, str(path), glob).read[:FILES]
    limits = Limits(chunk_bytes=BYTES // len(files))
    for number, file in enumerate(files):
        chunk, data = _first(read(file.path.resolve(), reading, limits=limits))
        if chunk is not None:
            below = file.path.parent.relative_to(path.resolve()) if glob else f"{number}"
            target = folder / below / _name(file.path, chunk)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return folder


def _first(chunks: Iterator[Chunk]) -> tuple[Chunk | None, bytes]:
    """The first chunk that holds a record, and what it holds; else the first of all.

    Where a row group of Parquet is larger than a chunk, the first chunk may have none.
    """
    first: tuple[Chunk | None, bytes] = (None, b"")
    for chunk in chunks:
        data = _data(chunk)
        if first[0] is None:
            first = (chunk, data)
        if data or chunk.kind not in BINARY:
            return (chunk, data) if data else first
    return first


def _name(file: Path, chunk: Chunk) -> str:
    """The file's own name; of what is written in another form, with another ending."""
    ending = {
        "csv": file.suffix if file.suffix == ".tsv" else ".csv",
        "jsonl": ".jsonl",
        "sequence": ".jsonl",
        # an array in a file of JSON lines is a fault, to be told
        "array": ".jsonl" if {".jsonl", ".ndjson"} & {*file.suffixes} else ".json",
        "pack": ".pack",
        "numpy": ".npz" if chunk.data.startswith(b"PK") else ".npy",
    }
    return file.name.partition(".")[0] + (".jsonl" if chunk.kind in BINARY else ending.get(chunk.kind, ".json"))


def _data(chunk: Chunk) -> bytes:
    """Whole records, as the kind of the file has them; those of containers as JSON lines."""
    if chunk.kind in BINARY:
        tables = next(tables_of(chunk, Reading(), records=True), None)
        found = tables.records if tables else None
        return b"" if found is None else b"".join(record.encode() + b"\n" for record in found["json"].head(ROWS))
    if chunk.kind == "array" and not chunk.last:
        return chunk.data.rstrip(b" \t\r\n,") + b"]"
    return chunk.data
