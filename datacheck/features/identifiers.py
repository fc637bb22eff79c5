"""Personal data in every text of a row: messages, tool calls, all other leaves of the record, and its keys."""

from collections.abc import Iterator, Mapping
from typing import Literal

import polars as pl

from datacheck.check import Feature, View
from datacheck.pii import prefilter, tagger
from datacheck.pii.analyzer import FOUND, analyze, load_engine
from datacheck.pii.keys import LONGEST, fronts
from datacheck.pii.policy import SECRETS
from datacheck.pii.pseudonyms import identity
from datacheck.pii.recognizers import RECOGNIZERS, of_regions
from datacheck.pii.rules import identified
from datacheck.pii.split import END, ENDS_IN_DIGITS, STARTS_IN_DIGITS, Split, Utterance, splits
from datacheck.pii.tables import HAS_LIST, HAS_TABLE, told_cells
from datacheck.text.keys import FIELDS

_HEARD_TURNS = 8
_LEFT_OUT = ("index", "group")
_WRITTEN = [*SECRETS, "EMAIL_ADDRESS", "PERSON", "ADDRESS", "SOCIAL_HANDLE", "WECHAT"]  # with letters
_SURE = 0.9  # a number alone is at most .8
HITS: dict[str, type[pl.DataType]] = (
    {"row": pl.UInt32, "path": pl.String}
    | {name: kind for name, kind in FOUND.items() if name not in _LEFT_OUT}
    | {"value": pl.String, "domain": pl.String}
)


def every_text(data: View) -> pl.LazyFrame:
    """`row`, `path`, `text` of all strings and numbers of the records; keys are not among them, see `every_key`."""
    turns = data.turns.select("row", "path", "text")
    calls = data.turns.select(
        "row", pl.col("path").str.replace(r"content$", "tool_calls"), pl.col("tool_calls").alias("text")
    )
    cells = data.cells.select("row", "path", "text")
    return pl.concat([turns, calls, cells]).filter(pl.col("text").is_not_null())


def _heard(turns: pl.DataFrame, texts: pl.DataFrame) -> dict[int, str]:
    """By `index` of some texts (beside it `row`, `path`) what the turns before them say."""
    own = turns.join(texts.select("row").unique(), on="row", how="semi", maintain_order="left")
    earlier = [pl.col("text").shift(n).over("row") for n in range(_HEARD_TURNS, 0, -1)]
    said = own.select("row", "path", before=pl.concat_str(earlier, separator="\n", ignore_nulls=True))
    told = texts.join(said.unique(["row", "path"], keep="first"), on=["row", "path"])
    return dict(told.select("index", "before").iter_rows())


def every_key(data: View) -> pl.LazyFrame:
    """`path`, `text` of every path of the records, each once: the keys stand in it."""
    return data.cells.select(pl.format("{} (key)", "path").alias("path"), pl.col("path").alias("text")).unique(
        maintain_order=True
    )


def told_by_keys(data: View) -> pl.DataFrame:
    """`row`, `path`, `text`, `before`, `length` of short values behind a key that says what they are: QQ: 382910475.

    before: code points of `text` in front of the value; length: of all of it.
    """
    short = data.cells.filter(pl.col("text").str.len_chars().is_between(1, LONGEST))
    cells = short.select("row", "path", "text").collect()
    before = fronts(cells["path"].unique().to_list())
    some = cells.filter(pl.col("path").is_in(list(before)))
    front = pl.col("path").replace_strict(before, return_dtype=pl.String)
    return some.with_columns(text=front + pl.col("text"), before=front.str.len_chars()).with_columns(
        length=pl.col("text").str.len_chars()
    )


def told_by_tables(texts: pl.DataFrame) -> pl.DataFrame:
    """As `told_by_keys` of the cells of tables, below a head that says what they are.

    texts: `row`, `path`, `text`; `at` of the result: where the value stands in its text.
    """
    text = pl.col("text")
    piped = text.str.contains("|", literal=True) & text.str.contains(HAS_TABLE)
    some = texts.filter(text.str.contains("\n", literal=True)).filter(piped | text.str.contains(HAS_LIST))
    rows: list[tuple[int, str, str, int, int, int]] = []
    for (row, path, whole), cells in zip(some.iter_rows(), told_cells(some["text"].to_list()), strict=True):
        for front, start, end in cells:
            read = front + whole[start:end]
            rows.append((row, path, read, len(front), len(read), start))
    order = ("row", "path", "text", "before", "length", "at")
    kinds = pl.Schema({name: pl.String if name in ("path", "text") else pl.Int64 for name in order})
    return pl.DataFrame(rows, schema=kinds, orient="row").with_columns(pl.col("row").cast(texts["row"].dtype))


def split_numbers(
    turns: pl.DataFrame, known: Mapping[int, Mapping[str, str]] | None = None
) -> Iterator[tuple[pl.DataFrame, Split]]:
    """The turns of a record and a number of which they hold parts, record by record; `known`: as `splits`, by row."""
    text = pl.col("text")
    some = turns
    # the whole text would be read for what stands at its end; few turns begin with digits, and that is soon seen
    for likely in (text.str.contains(STARTS_IN_DIGITS), text.str.tail(END).str.contains(ENDS_IN_DIGITS)):
        rows = some.filter(likely)["row"].unique()
        some = some.filter(pl.col("row").is_in(rows.implode()) & text.is_not_null())
    spoken: dict[int, list[Utterance]] = {}
    for row, role, said in some.select("row", "role", "text").iter_rows():
        spoken.setdefault(row, []).append(Utterance(role, said))
    for row, turns_of_it in spoken.items():
        for split in splits(turns_of_it, (known or {}).get(row)):
            yield some.filter(row=row), split


def _without_tested_numbers(hits: pl.DataFrame) -> pl.DataFrame:
    """Numbers that unit tests hand to a program are its input, by the hundred: they are suspects at most.

    That takes a word beside them, or what only a whole resident number has. A mailbox, a name, a key is there what it
    is anywhere.
    """
    tested = pl.col("path").str.extract(r"^([^.\[]+)").is_in(list(FIELDS)) & ~pl.col("entity").is_in(_WRITTEN)
    doubtful = tested & (pl.col("state") == "valid")
    state = pl.when(doubtful).then(pl.lit("suspect")).otherwise("state")
    return hits.filter(~(doubtful & (pl.col("score") < _SURE)).fill_null(value=False)).with_columns(state=state)


class Identifiers(Feature):
    """Identifiers found by the recognizers; a candidate text in which none was found has a line with `entity` null.

    analyzed: without it all candidates are such texts.
    """

    columns = HITS

    entities: tuple[str, ...] | None = None
    names: Literal["linked", "full", "model"] = "linked"
    analyzed: bool = True

    def prepare(self) -> None:
        """What the first candidate costs a process, .4 s: in much data there are some."""
        entities = self.entities or of_regions()
        load_engine(entities)
        prefilter.prepare(entities, self.names)
        tagger.modules()

    def compute(self, part: View) -> pl.DataFrame:
        """HITS: row, path, then as FOUND (start and end are code points), then what tells values apart.

        value: `identity` of the value, which stays in the store; domain: that of an e-mail address. Never the value.
        """
        turns = part.turns.select("row", "path", "role", "text").collect()
        read = every_text(part).collect()
        texts = self._found(read, turns)
        told = self._told(told_by_keys(part), texts)
        below = self._told_in_tables(told_by_tables(read.select("row", "path", "text")), texts)
        keys = self._found(every_key(part).collect())
        if keys.height:
            rows = part.cells.select("row", pl.format("{} (key)", "path").alias("path")).unique().collect()
            keys = keys.join(rows, on="path", maintain_order="left").sort("row", maintain_order=True)
        split = self._split(turns) if self.analyzed else None
        found = [table for table in (texts, told, below, keys, split) if table is not None and table.height] or [texts]
        return pl.concat([table.select(pl.col(k).cast(t) for k, t in HITS.items()) for table in found])

    def _told(self, table: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
        """The hits that only the key of a value tells, at their places in the value."""
        if table.is_empty():
            return known.clear()
        hits = self._found(table)
        whole = (pl.col("entity") != "PERSON") | (pl.col("end") == pl.col("length"))  # name: 金华3.2级地震
        own = hits.filter(pl.col("start").is_null() | ((pl.col("start") >= pl.col("before")) & whole))
        placed = own.with_columns(pl.col("start") - pl.col("before"), pl.col("end") - pl.col("before"))
        found = known.drop_nulls("entity")
        return placed.drop("before", "length").join(found, on=["row", "path"], how="anti", maintain_order="left")

    def _told_in_tables(self, table: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
        """The hits that only the head of a column tells, at their places in the text."""
        if table.is_empty():
            return known.clear()
        hits = self._found(table).drop_nulls("entity")
        whole = (pl.col("entity") != "PERSON") | (pl.col("end") == pl.col("length"))
        moved = (pl.col(side).cast(pl.Int64) - pl.col("before") + pl.col("at") for side in ("start", "end"))
        placed = hits.filter((pl.col("start") >= pl.col("before")) & whole).with_columns(*moved)
        taken = known.drop_nulls("entity").select("row", "path", first="start", last="end")
        both = placed.with_row_index("hit").join(taken, on=["row", "path"])
        overlap = (pl.col("start") < pl.col("last")) & (pl.col("first") < pl.col("end"))
        gone = both.filter(overlap)["hit"].unique()
        return placed.with_row_index("hit").filter(~pl.col("hit").is_in(gone.implode())).drop("hit", "before", "length")

    def _found(self, table: pl.DataFrame, turns: pl.DataFrame | None = None) -> pl.DataFrame:
        """The hits in the column `text`, beside the other columns."""
        flags = prefilter.candidates(table["text"], self.entities, names=self.names)
        fired = flags.with_row_index("index").filter(pl.any_horizontal(flags.columns)).select("index")
        read = table.with_row_index("index").drop("text")
        before = _heard(turns, fired.join(read, on="index")) if turns is not None else None
        found = analyze(table["text"], flags if self.analyzed else flags.clear(), names=self.names, before=before)
        fired = pl.concat([fired, found.select("index")]).unique().sort("index")  # no expression sees a free name
        hits = fired.join(found, on="index", how="left", maintain_order="left_right")
        told = identified(hits, table["text"])
        return _without_tested_numbers(told.join(read, on="index", maintain_order="left"))

    def _split(self, turns: pl.DataFrame) -> pl.DataFrame:
        """The parts of numbers that go on in a later turn."""
        found = []
        for own, split in split_numbers(turns):
            if self.entities is not None and split.entity not in self.entities:
                continue
            masked, value = RECOGNIZERS[split.entity].mask(split.value), identity(split.entity, split.value)
            rule = f"{split.entity.lower()}.turns"
            for part in split.parts:
                row, path = own.row(part.turn)[:2]
                found.append((row, path, split.entity, *part[1:3], 0.9, "valid", rule, masked, False, value, None))
        return pl.DataFrame(found, schema=HITS, orient="row")
