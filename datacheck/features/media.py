"""The image, audio and video files that rows name, and the marks that stand for them in the text."""

import polars as pl

from datacheck.check import Feature, View

KINDS = ("image", "video", "audio")
_KIND = "(image|video|audio)"
_COLUMN = rf"^{_KIND}s?(?:_(?:path|url|file)s?)?(?:\[\d+\])*(?:\.(?:path|url|{_KIND}))?$"
_PIECE = r"\.(?:content|value)\[\d+\]"
_PART = rf"{_PIECE}\.(?:input_)?{_KIND}(?:_url)?(?:\[\d+\])*(?:\.(?:path|url))?$"
# LLaMA-Factory v1: {"type": "image_url", "value": …}; transformers: {"type": "image", "url": …} or "path".
_TYPED = rf"^(.*{_PIECE})\.(?:value|url|path)(?:\[\d+\])*$"
_TYPE, _OF_KIND = rf"^(.*{_PIECE})\.type$", rf"^(?:input_)?{_KIND}(?:_url)?$"
# Base64 without its `data:`, by how PNG, JPEG, GIF, WebP and WAV, MP4, TIFF, MP3, OGG begin.
_INLINE = r"^(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|AAAA|SUkq|TU0A|SUQz|//[tuv]|T2dnUw)[A-Za-z0-9+/\s]{100,}={0,2}$"
_REMOTE = r"(?i)^(?:[a-z][a-z0-9+.-]+://|data:)"


def names_files(paths: pl.Series) -> bool:
    """Whether one of the paths of a table of cells is that of a file: a column, or a content part."""
    return bool((paths.str.contains(_COLUMN) | paths.str.contains(_PART)).any())


def _files(part: View) -> pl.LazyFrame:
    cells = part.cells.filter(pl.col("json_type") == "string", pl.col("text").str.strip_chars() != "")
    types = cells.select("row", piece=pl.col("path").str.extract(_TYPE), type=pl.col("text").str.extract(_OF_KIND))
    typed = cells.with_columns(piece=pl.col("path").str.extract(_TYPED)).join(
        types.drop_nulls(), on=["row", "piece"], how="left", maintain_order="left"
    )
    column, piece = pl.col("path").str.extract(_COLUMN, 1), pl.col("path").str.extract(_PART, 1)
    kinds = typed.with_columns(kind=pl.coalesce(column, piece, "type"), in_part=column.is_null())
    return kinds.drop_nulls("kind").select(
        "row", "kind", "in_part", where="path", path=pl.col("text").str.strip_chars()
    )


class Media(Feature):
    """`row`, `where`, `path`, `local`: one line per file that a row names; `local` unless it is a URL or `data:`."""

    columns = {"row": pl.UInt32, "where": pl.String, "path": pl.String, "local": pl.Boolean}

    def compute(self, part: View) -> pl.DataFrame:
        """Columns and content parts; a text of bytes keeps its first 100 characters."""
        local = ~(pl.col("path").str.contains(_REMOTE) | pl.col("path").str.contains(_INLINE))
        path = pl.when(local).then("path").otherwise(pl.col("path").str.slice(0, 100))
        return _files(part).select("row", "where", path=path, local=local).collect()


class Placeholders(Feature):
    """`row`, `kind`, `marks`, `files`: for each row and kind with marks such as `<image>` in its text.

    Only the columns count as files: where content parts hold them, the text needs no marks.
    """

    columns = {"row": pl.UInt32, "kind": pl.String, "marks": pl.UInt32, "files": pl.UInt32}

    def compute(self, part: View) -> pl.DataFrame:
        """Count marks in all turns of a row that names files of a kind in its columns."""
        files = _files(part)
        in_parts = files.filter("in_part").select("row").unique()
        counts = files.filter(~pl.col("in_part")).group_by("row", "kind").agg(files=pl.len())
        tables = [pl.LazyFrame(schema=self.columns)]
        for kind in KINDS:
            marks = pl.col("text").str.count_matches(f"<{kind}>", literal=True)
            marked = part.turns.group_by("row").agg(marks=marks.sum()).filter(pl.col("marks") > 0)
            own = counts.filter(pl.col("kind") == kind)
            named = marked.join(own, on="row").join(in_parts, on="row", how="anti")
            tables.append(named.select("row", "kind", "marks", "files"))
        table = pl.concat(tables, how="vertical_relaxed").sort("row", "kind").collect()
        return table.select(pl.col(name).cast(kind) for name, kind in self.columns.items())
