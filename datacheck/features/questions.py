"""What the files of an evaluation set ask, as one digest that no order and no way of writing them down changes."""

from hashlib import sha256

import numpy as np
import polars as pl

from datacheck.check import Summary, View
from datacheck.features.leaks import asked
from datacheck.features.packed import packed
from datacheck.features.row_keys import hashes
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES


class Questions(Summary):
    """One line per file: `file`, `sha256`, `rows`, `questions` (their digest; null where none could be read).

    `packed`: the file is a pack; the digest is what it says of itself.
    """

    def compute(self, data: View) -> pl.DataFrame:
        """Hash the questions of each file."""
        files = data.files.select("file", "sha256", "rows").collect()
        told = questions(data.turns).join(data.rows.select("row", "file"), on="row").collect()
        digests = {str(name): digest_of(own["text"]) for (name,), own in told.group_by("file")}
        place = data.rows.select("row", "file").collect()["file"]
        packs = {place[first]: pack.header["questions"] for first, pack in packed(data)}
        known = digests | packs
        return files.with_columns(
            pl.Series("questions", [known.get(name) for name in files["file"]], dtype=pl.String),
            pl.Series("packed", [name in packs for name in files["file"]], dtype=pl.Boolean),
        )


def questions(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `text`: what each row asks, without its options."""
    own = asked(turns).filter(pl.col("part") != "option")
    return own.group_by("row", maintain_order=True).agg(pl.col("text").str.join("\n"))


def digest_of(texts: pl.Series) -> str:
    """The SHA-256 of the sorted hashes of normalised questions."""
    return sha256(np.sort(hashes(normalise(texts, RULES))).astype("<u8").tobytes()).hexdigest()
