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
    """One line per file: `file`, `sha256`, `questions` (their digest; null where none could be read), `packed`.

    Of a pack a line for each file that it says it was built from; where that is one, with its digest.
    """

    def compute(self, data: View) -> pl.DataFrame:
        """Hash the questions of each file."""
        told = questions(data.turns).join(data.rows.select("row", "file"), on="row").collect()
        digests = {str(name): digest_of(own["text"]) for (name,), own in told.group_by("file")}
        found = [
            (name, own, digests.get(name), False) for name, own in data.files.select("file", "sha256").collect().rows()
        ]
        place = data.rows.select("row", "file").collect()["file"]
        for first, pack in packed(data):
            found = [line for line in found if line[0] != place[first]]
            of = pack.header["files"]
            digest = pack.header["questions"] if len(of) == 1 else None
            found += [(place[first], sha256, digest, True) for sha256 in of]
        columns = {"file": pl.String, "sha256": pl.String, "questions": pl.String, "packed": pl.Boolean}
        return pl.DataFrame(found, schema=columns, orient="row")


def questions(turns: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `text`: what each row asks, without its options."""
    own = asked(turns).filter(pl.col("part") != "option")
    return own.group_by("row", maintain_order=True).agg(pl.col("text").str.join("\n"))


def digest_of(texts: pl.Series) -> str:
    """The SHA-256 of the sorted hashes of normalised questions."""
    return sha256(np.sort(hashes(normalise(texts, RULES))).astype("<u8").tobytes()).hexdigest()
