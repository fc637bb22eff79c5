"""What data are made of by the names of their parts: a split to train on, others to measure with.

The words are those of `datasets` (`SPLIT_KEYWORDS` in its data_files.py, 5.2), between the signs that it takes for the
ends of a word. Where a name has the words of two splits, or a file has none, the data are one set, as before.
"""

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from datacheck.files.inventory import dataset_files, glob_matches
from datacheck.propose.sample import lists_inside, written_in

TRAIN = "train"
_WORDS = {
    TRAIN: ("train", "training"),
    "validation": ("validation", "valid", "dev", "val"),
    "test": ("test", "testing", "eval", "evaluation"),
}
_KNOWN = {word: split for split, words in _WORDS.items() for word in words}
_BORDER = re.compile(r"[-._ 0-9]+")


class DataSplit(NamedTuple):
    """One of the parts: the files of a folder that a glob matches, or the list of a document under a key."""

    name: str
    glob: str | None = None
    records: str | None = None


def splits_of(path: Path) -> tuple[DataSplit, ...]:
    """The splits of a folder or of a document, the one to train on first; none where it is one set."""
    named = _in_document(path, path.stat()) if path.is_file() else _in_folder(path) if path.is_dir() else {}
    others = [named[name] for name in ("validation", "test") if name in named]
    return (named[TRAIN], *others) if TRAIN in named and others else ()


@lru_cache(maxsize=1)  # whoever proposes a contract asks several times, and a document is parsed as a whole
def _in_document(path: Path, _state: os.stat_result) -> Mapping[str, DataSplit]:
    found = {split: key for key in lists_inside(path, written_in(path)) if (split := _split(key)) is not None}
    return {name: DataSplit(name, records=key) for name, key in found.items()}


def _in_folder(path: Path) -> Mapping[str, DataSplit]:
    names = [file.name for file in dataset_files(TRAIN, path, str(path), None).read]
    members: dict[str, list[str]] = defaultdict(list)
    for name in names:
        split = _of_file(name)
        if split is None:
            return {}
        members[split].append(name)
    globs = {split: _glob(split, own, names) for split, own in members.items()}
    return {split: DataSplit(split, glob) for split, glob in globs.items()} if all(globs.values()) else {}


def _of_file(name: str) -> str | None:
    """The split that the name of a file tells, or else the nearest folder that it lies in."""
    return next((split for part in reversed(name.split("/")) if (split := _split(part)) is not None), None)


def _split(name: str) -> str | None:
    found = {_KNOWN[word] for word in _BORDER.split(name.lower()) if word in _KNOWN}
    return found.pop() if len(found) == 1 else None


def _glob(split: str, own: Collection[str], names: Collection[str]) -> str | None:
    """One that matches these files and no other; None if no usual one does."""
    return next((glob for glob in _globs(split) if {n for n in names if glob_matches(glob, n)} == set(own)), None)


def _globs(split: str) -> Iterator[str]:
    for word in _WORDS[split]:
        yield from (f"{word}.*", f"{word}-*", f"**/{word}.*", f"**/{word}-*", f"{word}/**", f"**/{word}/**")
        yield from (f"**/{word}*", f"**/*{word}.*", f"**/*{word}*", f"**/{word}*/**")
