"""Tables in memory as data of a run: each is a private Parquet or Arrow file for as long as the run takes."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from datacheck.errors import UsageError

Data = Mapping[str, Any]
"""Dataset name → a path, or a table: of polars, pandas, Arrow or Hugging Face's datasets."""


@contextmanager
def as_paths(data: Data, folder: Path | None = None) -> Iterator[dict[str, str]]:
    """Give dataset name → path; the files of tables are in `folder`, else where temporary ones are.

    Raises UsageError for what is neither a path nor a table; it never quotes a value.
    """
    tables = {name: value for name, value in data.items() if not isinstance(value, str | Path)}
    paths = {name: str(value) for name, value in data.items() if name not in tables}
    with tempfile.TemporaryDirectory(prefix="datacheck-", dir=folder) as own:  # of this user alone
        for number, (name, table) in enumerate(tables.items()):
            place = Path(own) / str(number)
            place.mkdir()
            paths[name] = str(_written(name, table, place))
        yield paths


def _written(name: str, value: Any, folder: Path) -> Path:
    """The file of a table: Parquet, or Arrow for what Parquet has no form for (an object without keys)."""
    kind = type(value).__name__
    path: Path | None = None
    failed = False
    try:
        table = _arrow(value)
        if table is not None:
            path = _file(table, folder)
    except Exception:  # noqa: BLE001 - whatever it says, it may quote a row: nothing of it is kept
        failed = True
    if failed:
        raise UsageError(
            "data: '{name}': a column of this {kind} cannot be written as Parquet; give a path, or other columns",
            name=name,
            kind=kind,
        )
    if path is None:
        raise UsageError(
            "data: '{name}' is a {kind}; expected a path or a table (polars, pandas, Arrow, datasets)",
            name=name,
            kind=kind,
        )
    return path


def _file(table: Any, folder: Path) -> Path:
    import pyarrow as pa  # only who hands tables over needs it here
    import pyarrow.parquet as pq

    path = folder / "table.parquet"
    try:
        pq.write_table(table, path)
    except pa.ArrowNotImplementedError:
        path.unlink(missing_ok=True)
        path = folder / "table.arrow"
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    return path


def _arrow(value: Any) -> Any:
    import pyarrow as pa

    if type(value).__module__.partition(".")[0] == "pandas":
        return pa.Table.from_pandas(value, preserve_index=False)
    if hasattr(value, "with_format"):  # a dataset of Hugging Face, with its own selection and order of rows
        return value.with_format("arrow")[:]
    return pa.table(value) if hasattr(value, "__arrow_c_stream__") else None
