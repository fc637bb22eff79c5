"""The check missing_files."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Check, Limit, Listing, Measured, Message, Metric, Need, Value, View, rates, saying, total
from datacheck.features.media import Media, Placeholders

_NO_FOLDER = Message("rows name files, and no source.media says in which folder they are")


class MissingFiles(Check):
    """Rows that name an image, audio or video file that is not there, or whose `<image>` marks do not fit the files.

    Looked at are the columns `image(s)`, `video(s)`, `audio(s)`, `image_path` and the like (paths, or objects with
    `path` or `url`) and the
    content parts of those types, as OpenAI, Qwen, transformers and LLaMA-Factory v1 write them. `source.media` names
    the folder that the paths are relative to; it is listed when the contract is read, so no file is opened. A `<image>`
    mark in the text stands for one image of the row.
    """

    metrics = {
        "rate": Metric(
            "rows that name a file that is not there",
            "share",
            of="rows that name files",
            limit=Limit(max=0),
            why="at a file that is not there a loader stops, or leaves out the row",
        ),
        "wrong_count": Metric(
            "rows whose marks do not fit their files",
            "share",
            of="rows",
            limit=Limit(max=0),
            why="with a mark too many or too few the run stops, or images stand at the wrong place",
        ),
    }

    check: Literal["missing_files"] = "missing_files"
    media: Listing | None = Field(default=None, description="the files of source.media; listed, never written by hand")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The files stand with the source."""
        return {"media": dataset["media"]}

    def needs(self) -> tuple[Need, ...]:
        """What the rows name, and their marks."""
        return (Need(Media()), Need(Placeholders()))

    def measure(self, data: View) -> Measured:
        """Look each distinct path up in the listing."""
        named, marks = (data[need] for need in self.needs())
        wrong = marks.filter(pl.col("marks") != pl.col("files"))
        counts = rates("wrong_count", wrong, data.rows, by=self.by, rows=data.rows)
        odd = wrong.select(
            "row",
            problem=pl.lit("wrong_count"),
            said=saying("{marks} marks <{kind}>, {files} files", marks="marks", kind="kind", files="files"),
        )
        local = named.filter(pl.col("local"))
        remote = total(named) - total(local)
        skipped = Message("{remote:,} URLs and data: texts are not looked at", remote=remote)
        notes = [skipped] if remote else []
        if not total(local):
            none = rates("rate", local, data.rows, by=self.by, rows=data.rows)
            return Measured((*none, *counts), odd, not_checked=(*notes, Message("no row names a file")))
        if self.media is None:
            notes.append(_NO_FOLDER)
            return Measured((Value("rate", None), *counts), odd, not_checked=tuple(notes))
        problems = _Lookup(self.media).problems(local.select(pl.col("path").unique()).collect()["path"].sort())
        lost = local.join(problems.lazy(), on="path", maintain_order="left")
        evidence = pl.concat([lost.select("row", "where", "problem", "said", text="path"), odd], how="diagonal")
        return Measured(
            (*rates("rate", lost, local, by=self.by, rows=data.rows), *counts), evidence, not_checked=tuple(notes)
        )


class _Lookup:
    """Where a path may be meant to lead."""

    def __init__(self, media: Listing) -> None:
        self.names = frozenset(media.names)
        self.folded = {name.casefold(): name for name in reversed(media.names)}
        self.last = {PurePosixPath(name).name: name for name in reversed(media.names)}

    def problems(self, paths: pl.Series) -> pl.DataFrame:
        """`path`, `problem`, `said` of the paths that are not there."""
        found = [(path, *self._problem(path)) for path in paths]
        schema = {"path": pl.String, "problem": pl.String, "said": pl.String}
        return pl.DataFrame(found, schema=schema, orient="row").drop_nulls("problem")

    def _problem(self, path: str) -> tuple[str | None, str | None]:
        name = path.replace("\\", "/")
        pieces = [piece for piece in name.split("/") if piece not in ("", ".")]
        if name.startswith("/") or ".." in pieces or name[1:3] == ":/":
            return "outside_root", Message("not under source.media").packed
        plain = "/".join(pieces)
        if plain in self.names:
            return None, None
        if plain.casefold() in self.folded:
            return "missing_file", Message("differs in case only: {name}", name=self.folded[plain.casefold()]).packed
        other = self.last.get(pieces[-1] if pieces else "")
        return "missing_file", Message("the same name elsewhere: {name}", name=other).packed if other else None
