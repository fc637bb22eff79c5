"""Folders written by `datasets.save_to_disk`: Arrow streams beside small files that say how much there must be.

A stream that was cut at a batch boundary, or a shard that was not copied, reads without an error in every library;
only dataset_info.json and state.json know that rows are missing.
"""

import json
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

_METADATA = {"state.json", "dataset_info.json", "dataset_dict.json"}
# Objects that `datasets` takes for no data in any folder (`FILES_TO_IGNORE` in its data_files.py, 5.2).
ABOUT_DATA = {"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "config.json"}
_LARGEST = 4 * 1024 * 1024  # bytes of a metadata file; real ones have a few thousand


class Promise(NamedTuple):
    """What the metadata of one folder say: its rows (None where they do not), and shards that are not there."""

    folder: str
    rows: int | None
    missing: tuple[str, ...]


def promises(root: Path, names: Iterable[str]) -> list[Promise]:
    """The promises of all saved folders under `root`; `names` are the files in it, relative."""
    every = {PurePosixPath(name) for name in names}
    folders = {name.parent for name in every if name.suffix == ".arrow"}
    return [_promise(root, folder, every) for folder in sorted(folders) if folder / "state.json" in every]


def is_metadata(name: str, saved: Iterable[Promise]) -> bool:
    """Whether a file belongs to a saved folder without being data."""
    path = PurePosixPath(name)
    folders = {PurePosixPath(promise.folder) for promise in saved}
    return path.name in _METADATA and (path.parent in folders or path.parent in {f.parent for f in folders})


def _promise(root: Path, folder: PurePosixPath, every: set[PurePosixPath]) -> Promise:
    state, info = (metadata(root / folder / name) for name in ("state.json", "dataset_info.json"))
    split = info.get("splits", {}).get(state.get("_split")) if isinstance(info.get("splits"), dict) else None
    rows = split.get("num_examples") if isinstance(split, dict) else None
    listed = [entry.get("filename") for entry in state.get("_data_files") or [] if isinstance(entry, dict)]
    missing = tuple(name for name in listed if isinstance(name, str) and folder / name not in every)
    return Promise(folder.as_posix(), rows if isinstance(rows, int) else None, missing)


def metadata(path: Path) -> dict[str, Any]:
    """What a metadata file says; anything that is none says nothing."""
    try:
        value = json.loads(path.read_bytes()) if path.stat().st_size <= _LARGEST else None
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
