"""A check in its worker: it measures; kept are numbers, places in Parquet, and the first places in safe words."""

import math
import re
from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from datacheck.check import EVIDENCE, Check, Measured, Message, Ratio, Value, place, placed
from datacheck.engine import kept
from datacheck.engine.bucket import local
from datacheck.engine.canaries import unseen
from datacheck.engine.coverage import coverage_of
from datacheck.engine.execute import StepTask
from datacheck.engine.record_ids import RECORD, with_records
from datacheck.engine.store import Store, digest, present, read_json
from datacheck.engine.suppressed import without
from datacheck.engine.unread import unanswered
from datacheck.engine.view import StoreView
from datacheck.errors import CheckAuthorError
from datacheck.i18n.message import Parameter
from datacheck.pii.excerpts import Mode, excerpt

FIRST = 200  # places that get a `detail` and an `id`; the rest keep their place, problem and score
ID = {"id": pl.String()}  # what the row's id column holds, where the contract names one, shown as all data is
WORDS = 200  # characters of a name that a `detail` mentions
_GIVEN = {**EVIDENCE, "said": pl.String()}  # sentences become words, in `detail`, before they are written
LONGEST = 1000  # characters of a note, and of what it quotes
_WORD = 32  # characters of a word that is met again
_LEAD = 40  # characters that two texts share before they differ that a reader gets to see
MEASURED, FACTS, _EVIDENCE, _NOTHING = "measured", "measured.json", "evidence.parquet", "nothing"
_LINE = re.compile(r"(?::[0-9]+){1,2}\Z")  # what `place` writes behind the name of a file
_SPAN = r"\[[0-9]{1,9}:[0-9]{1,9}\]$"


@dataclass(frozen=True)
class MeasureTask(StepTask[Check]):
    """Run a check; `excerpts`: how the text of places is shown; `suppressed`: ids of rows that do not count."""

    excerpts: Mode
    suppressed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Measurement:
    """What a check measured, as it was stored; `evidence` is the Parquet file of its places."""

    facts: Mapping[str, Any]
    evidence: Path | None


def taken(store: Store, folder: Path, key: str) -> bool:
    """Whether the measurement that belongs into a folder lay in the user's cache."""
    if not kept.take(key, store):
        return False
    _write_nothing(store)
    return store.has(folder / FACTS)


def keep(store: Store, folder: Path, key: str) -> None:
    """Keep a measurement that found nothing in the user's cache."""
    if not measurement(folder).facts["evidence"]:
        kept.keep(key, store, [folder / FACTS])


def _write_nothing(store: Store) -> None:
    empty = store.path(MEASURED, _nothing())
    if not store.has(empty):
        with store.writing(empty) as temporary:
            pl.DataFrame(schema={**EVIDENCE, **ID, **RECORD}).write_parquet(temporary)


@cache
def _nothing() -> str:
    """The name of the file of places that has none; other versions may have other columns."""
    return f"{digest(_NOTHING)}.parquet"


def measurement(folder: Path) -> Measurement:
    """What `measure` left in a folder."""
    facts = read_json(folder / FACTS)
    found = folder / _EVIDENCE if facts["evidence"] else folder.parent / _nothing()
    return Measurement(facts, local(present(found)) if facts["places"] else None)


def measure(task: MeasureTask) -> None:
    """Run the check and write what is kept of it, nothing of which is raw text.

    Raises CheckAuthorError where the check broke its promises.
    """
    check = task.given.of
    with task.view() as view:
        measured = unanswered(check, check.measure(view), view, unseen(check, view))
        _keep_promises(check, measured)
        measured, gone, lessened = without(measured, task.suppressed, check.by, view)
        coverage = coverage_of(check, view)
        with view.store.folder(task.target) as folder:
            facts = {
                "values": [
                    {**_value(v), "suppressed": less} for v, less in zip(measured.values, lessened, strict=True)
                ],
                "suppressed": gone,
                "figures": {
                    name: _figure(table, view, task.excerpts).to_dict(as_series=False)
                    for name, table in measured.figures.items()
                },
                "not_checked": [_safe_words(note, LONGEST).to_json() for note in measured.not_checked],
                "coverage": {name: _safe_coverage(entry) for name, entry in coverage.items()},
                **_evidence(check, measured, view, folder, task.excerpts),
            }
            view.store.write_json(folder / FACTS, facts)


def _safe_coverage(entry: dict[str, Any]) -> dict[str, Any]:
    """Why rows could not be read names keys of theirs."""
    return {**entry, "why": entry["why"] and _safe_words(Message.from_json(entry["why"]), LONGEST).to_json()}


def _safe_words(said: Message, limit: int) -> Message:
    """A sentence with its parameters shown as all data is; of one whose very id is none of ours, all of it."""
    if any(_shown_form(form) != form for form in (said.id, said.many or "")):
        return Message(excerpt(said.said(), limit=limit))
    safe = Message(said.id, **{name: _safe_word(value, limit) for name, value in said.params.items()})
    safe.many = said.many
    return safe


def _safe_word(value: Parameter, limit: int) -> Parameter:
    if isinstance(value, Message):
        return _safe_words(value, limit)
    return _shown_word(value, limit) if isinstance(value, str) else value


def _shown_word(text: str, limit: int) -> str:
    """A word that says of many places the same, as `block` does, is looked at once."""
    return _known_word(text, limit) if len(text) <= _WORD else excerpt(text, limit=limit)


@lru_cache(1024)
def _known_word(text: str, limit: int) -> str:
    return excerpt(text, limit=limit)


@cache
def _shown_form(form: str) -> str:
    return excerpt(form, limit=LONGEST)


def _figure(figure: pl.DataFrame, view: StoreView, mode: Mode) -> pl.DataFrame:
    """A figure as it is kept. Of one that names rows, their places, and their texts as those of evidence are shown."""
    if "row" not in figure.columns:
        return _safe(figure, frozenset(view.files.select("file").collect()["file"]))
    wanted = figure.lazy().select(pl.col("row").cast(pl.UInt64))
    own = view.rows.join(wanted, on="row", how="semi")
    places = own.select("row", at=pl.concat_str(pl.lit(view.loaded.dataset + "/"), place())).collect()
    known = figure.with_columns(pl.col("row").cast(pl.UInt64)).join(places, on="row", how="left", maintain_order="left")
    texts = [text and excerpt(text, mode) for text in known["text"]] if "text" in known.columns else None
    shown = _safe(known.drop("row", "at", "text", strict=False)).with_columns(known["at"])
    return shown if texts is None else shown.with_columns(text=pl.Series(texts, dtype=pl.String))


def _safe(figure: pl.DataFrame, files: frozenset[str] = frozenset()) -> pl.DataFrame:
    """Labels come from the data (a source, a role, a key), so a figure shows them as everything else is shown.

    Places in `files`, whose names are safe already, stay: that of a shard is a run of digits (train-00000-of-00004).
    """
    texts = [name for name, dtype in figure.schema.items() if dtype == pl.String]
    return figure.with_columns(_shown(figure[name], files) for name in texts)


def _shown(texts: pl.Series, files: frozenset[str] = frozenset()) -> pl.Series:
    shown = {
        text: text if all(_LINE.sub("", each) in files for each in text.split(", ")) else excerpt(text)
        for text in texts.unique().drop_nulls()
    }
    return texts.replace_strict(shown, default=None, return_dtype=pl.String)


def _keep_promises(check: Check, measured: Any) -> None:
    """Values declared = values returned; a check that returned nothing is an error, never a pass."""
    if not isinstance(measured, Measured):
        raise CheckAuthorError(f"{check.check}: measure() returned no Measured")
    given = {value.name for value in measured.values if not value.slice}
    if not all(isinstance(note, Message) for note in measured.not_checked):
        raise CheckAuthorError(f"{check.check}: not_checked holds something else than a Message")
    if given != check.promised():
        raise CheckAuthorError(f"{check.check}: gives {sorted(given)}, promises {sorted(check.promised())}")


def _value(value: Value) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": value.name, "slice": dict(value.slice)}
    if isinstance(value.value, Ratio):
        n, of = value.value
        return {**entry, "value": n / of if of else None, "count": n, "of": of}
    number = value.value
    return {**entry, "value": number if number is not None and math.isfinite(number) else None}


def _evidence(check: Check, measured: Measured, view: StoreView, folder: Path, mode: Mode) -> dict[str, Any]:
    """Write the evidence without any text, then describe the first lines through `excerpt`.

    places: whether there is a file of it; that of all that found nothing is one.
    """
    nothing: dict[str, Any] = {"evidence": 0, "rows": 0, "problems": {}, "first": [], "places": False}
    if measured.evidence is None:
        return nothing
    given = _with_other(measured.evidence, view)
    columns = given.collect_schema().names()
    found = given.drop("text", "other_text", strict=False).collect()
    if found.is_empty():  # as most is: there is nothing to place, and no text to find again
        _write_nothing(view.store)
        return {**nothing, "places": True}
    keep = found.lazy()
    if "row" in columns and "file" not in columns:
        keep = placed(keep, view.rows)
    names = keep.collect_schema().names()
    table = (
        keep.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in _GIVEN.items() if name not in names)
        .select(pl.col(name).cast(dtype) for name, dtype in _GIVEN.items())
        .sort("file", "line", "row", "where", "problem", "other", "score", "said", "detail", nulls_last=True)
        .with_row_index("order")
        .collect()
    )
    if table["problem"].has_nulls() or table.filter(pl.all_horizontal(pl.col("row", "file").is_null())).height:
        raise CheckAuthorError(f"{check.check}: evidence needs a `problem` and a `row` or `file` on every line")
    # What is only for review has no row: it may not hide the rows that break the contract.
    table = table.sort(pl.col("row").is_null(), "order")
    shown = _described(table.head(FIRST), given, columns, mode)
    said = [each.detail for each in shown]
    words = pl.Series([each and each.said() for each in said], dtype=pl.String)
    first = _with_safe_paths(_with_ids(table.head(FIRST).with_columns(detail=words), view, mode))
    in_order = first
    if table.height > FIRST:
        rest = table.slice(FIRST).with_columns(detail=pl.lit(None, pl.String))
        rest = rest.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in ID.items())
        in_order = pl.concat([first, _with_safe_paths(rest)])
    in_order = in_order.sort("order").drop("order", "said")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with_records(in_order, view).write_parquet(folder / _EVIDENCE)
    problems = dict(table["problem"].value_counts().sort("problem").iter_rows())
    rows = table["row"].drop_nulls().n_unique()
    places = [{**line, **each.to_json()} for line, each in zip(first.drop("order").to_dicts(), shown, strict=True)]
    return {"evidence": table.height, "rows": rows, "problems": problems, "first": places, "places": True}


def _with_other(given: pl.LazyFrame, view: StoreView) -> pl.LazyFrame:
    """Make `other_row`, a row of the same dataset, a place in `other` (where that is not given already)."""
    columns = given.collect_schema().names()
    if "other_row" not in columns:
        return given
    numbered = given.with_columns(pl.col("other_row").cast(pl.UInt64))
    named = view.rows.join(numbered.select(row="other_row"), on="row", how="semi")
    places = named.select(
        pl.col("row").alias("other_row"), pl.concat_str(pl.lit(view.loaded.dataset + "/"), place()).alias("own")
    )
    joined = numbered.join(places, on="other_row", how="left", maintain_order="left")
    other = pl.coalesce("other", "own") if "other" in columns else pl.col("own")
    return joined.with_columns(other=other).drop("own", "other_row")


def _with_ids(first: pl.DataFrame, view: StoreView, mode: Mode) -> pl.DataFrame:
    """Add the ids of the rows that stand there (`source.columns: {id: …}`), through `excerpt`: they are data."""
    place_of = ["file", "line", "byte"]
    if first.is_empty() or "id" not in view.rows.collect_schema():
        return first.with_columns(pl.lit(None, pl.String).alias("id"))
    wanted = first.lazy().select(place_of).unique()
    ids = view.rows.select(*place_of, "id").join(wanted, on=place_of, how="semi").unique(place_of, keep="first")
    joined = first.join(ids.collect(), on=place_of, how="left", maintain_order="left")
    shown = [None if text is None else excerpt(text, mode) for text in joined["id"]]
    return joined.with_columns(id=pl.Series(shown, dtype=pl.String))


def _with_safe_paths(table: pl.DataFrame) -> pl.DataFrame:
    """A key of a record may itself be personal data; paths are few, so each is shown through `excerpt`.

    The stretch of a text (`[10240:10296]`) that ends a path is the check's own.
    """
    where = table["where"]
    path, span = where.str.replace(_SPAN, ""), where.str.extract(f"({_SPAN})").fill_null("")
    return table.with_columns(where=_shown(path) + span)


class _Said(NamedTuple):
    """What is said of a place: the check's own words, and the excerpts of the text and of what it is compared with."""

    own: Message | None
    texts: tuple[str, ...]

    @property
    def detail(self) -> Message | None:
        """All of it as one sentence; texts that look alike stand there once."""
        quoted = " ↔ ".join(dict.fromkeys(f"“{text}”" for text in self.texts))
        if self.own is None:
            return Message("{quoted}", quoted=quoted) if quoted else None
        return Message("{own} {quoted}", own=self.own, quoted=quoted) if quoted else self.own

    def to_json(self) -> dict[str, Any]:
        """`said`; of two texts also `own` and `texts`, from which what tells them apart is marked."""
        apart = {"own": self.own and self.own.to_json(), "texts": self.texts} if len(self.texts) > 1 else {}
        return {"said": self.detail and self.detail.to_json(), **apart}


def _described(first: pl.DataFrame, given: pl.LazyFrame, columns: list[str], mode: Mode) -> list[_Said]:
    """What is said of the first lines: the check's own words, then an excerpt of the text they speak of."""
    shown = [name for name in ("text", "other_text") if name in columns]
    texts: list[tuple[str | None, ...]] = [()] * first.height
    keys = [key for key in ("row", "file", "line", "where", "problem", "other") if key in columns]
    if shown:
        wanted = first.lazy().select(keys).unique()
        rows = (
            _of_rows(given, first["row"])
            .with_columns(pl.col(key).cast(EVIDENCE[key]) for key in keys)
            .join(wanted, on=keys, how="semi", nulls_equal=True)
        )
        once = rows.select(*keys, *shown).unique(subset=keys, keep="first", maintain_order=True).collect()
        joined = first.join(once, on=keys, how="left", nulls_equal=True, maintain_order="left")
        texts = joined.select(shown).rows()
    own = first.select("said", "detail").rows()
    return [_said(said, words, both, mode) for (said, words), both in zip(own, texts, strict=True)]


def _of_rows(given: pl.LazyFrame, rows: pl.Series) -> pl.LazyFrame:
    """The lines of some rows, where all have one: as conditions, which reach to where the texts are read."""
    if "row" not in given.collect_schema() or rows.has_nulls():
        return given
    row = pl.col("row")
    return given.filter(row.is_between(rows.min(), rows.max()), row.cast(pl.UInt64).is_in(rows.unique().implode()))


def _said(said: str | None, words: str | None, texts: tuple[str | None, ...], mode: Mode) -> _Said:
    """The check's own words, the text, and the text that it is compared with where that is another.

    Two texts are shown from shortly before the place at which they begin to differ.
    """
    given = [text for text in texts if text is not None]
    start = max(0, _first_difference(*given) - _LEAD) if len(set(given)) > 1 else 0
    own = Message("{words}", words=excerpt(words)) if words else None
    own = _safe_words(Message.unpacked(said), WORDS) if said else own
    return _Said(own, tuple(excerpt(text, mode, start=start) for text in given))


def _first_difference(one: str, two: str) -> int:
    """How many characters two texts share from the beginning on, by comparing slices: texts may be long."""
    return bisect(range(min(len(one), len(two))), 0, key=lambda end: int(one[: end + 1] != two[: end + 1]))
