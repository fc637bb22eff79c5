"""Hold that a frozen dataset is still, byte for byte, the one that was frozen."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Measured, Message, Metric, Value, View

_NO_FILES = Message("no files")
_NO_HASH = Message("no hash: name one under source.sha256")


class FrozenChanged(Check):
    """Whether the files are those whose `source.sha256` the contract names.

    It runs whenever a dataset has `source.sha256`. For one file that is the sha256 of its bytes, as `sha256sum`
    prints it; for a folder it is the dataset's version without its prefix: the sha256 of the list of all files with
    their sizes and hashes, as every report shows it. For one file the version is accepted too.
    """

    metrics = {
        "changed": Metric(
            "1 if the data are not those that were frozen, else 0",
            "datasets",
            limit=Limit(max=0),
            why="with one byte changed, figures no longer compare with those before",
        )
    }

    reads = None
    check: Literal["frozen_changed"] = "frozen_changed"
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$", description="the hash; from source.sha256")

    @classmethod
    def always(cls, dataset: Mapping[str, Any]) -> bool:
        """Runs where the contract names a hash."""
        return dataset["sha256"] is not None

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The hash stands with the source."""
        return {"sha256": dataset["sha256"]}

    def measure(self, data: View) -> Measured:
        """Compare hashes."""
        files = data.files.select("file", "bytes", "sha256").sort("file").collect()
        if self.sha256 is None or files.is_empty():
            return self.not_measured(_NO_FILES if self.sha256 else _NO_HASH)
        known = {version(files), *(files["sha256"] if files.height == 1 else [])}
        changed = int(self.sha256 not in known)
        evidence = files.head(1) if files.height == 1 else files.clear()
        return Measured(
            (Value("changed", changed),),
            evidence=evidence.lazy().filter(changed == 1).select("file", problem=pl.lit("changed")),
        )


def version(files: pl.DataFrame) -> str:
    """The identity of a dataset without its prefix: sha256 over the canonical JSON list of (path, bytes, sha256)."""
    canonical = json.dumps([list(entry) for entry in files.iter_rows()], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogateescape")).hexdigest()
