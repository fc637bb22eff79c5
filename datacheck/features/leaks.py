"""Evaluation items found in what another dataset says: an index of one side, a row-local scan of the other."""

import re
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from datacheck.check import Feature, Need, Summary, View
from datacheck.errors import LoadError
from datacheck.features.packed import MADE_UP, packed
from datacheck.features.row_keys import hashes
from datacheck.features.short_prompts import prompt_keys
from datacheck.features.system_tasks import tasks_first
from datacheck.features.turn_texts import THOUGHTS
from datacheck.text.arrays import Int64s, UInt32s, sorted_unique
from datacheck.text.codes import from_lengths, row_numbers
from datacheck.text.encoded import encoded, readable
from datacheck.text.eval_index import WINDOW, EvalIndex, Found, Items
from datacheck.text.matching import least
from datacheck.text.normalise import normalise
from datacheck.text.packs import Pack
from datacheck.text.rules import RULES
from datacheck.text.scan import Scanner, Sought
from datacheck.text.shingles import Shingles, contained, shingles

# A Chinese character says more than a Latin letter: five characters against eight (at 5, English items of everyday
# words meet in unrelated texts, at 8 they do not), and items of letters must be twice as long.
HAN_N, LATIN_N = 5, 8
HAN_SHARE = 0.2
FRAME_SHARE, FRAME_ITEMS = 0.1, 20  # an n-gram in so many items of a set says nothing about one of them
CODE = 6  # code points of one that is encoded, as JSON's escapes
OPTIONS = 8  # characters of all options together, from which on they tell a question from others with the same stem
LONGER = 2  # an answer alone is telling only if it is so many times as long as the shortest question

ITEMS: dict[str, pl.DataType | type[pl.DataType]] = {
    "row": pl.UInt32, "kind": pl.String, "n": pl.UInt8, "length": pl.UInt32, "several": pl.Boolean,
    "short": pl.Boolean, "brief": pl.Boolean, "whole": pl.Boolean, "text": pl.String, "shingles": pl.List(pl.UInt32),
    "begins": pl.List(pl.UInt32), "ends": pl.List(pl.UInt32), "canary": pl.Boolean, "key": pl.UInt64,
    "options": pl.List(pl.UInt64),
}  # fmt: skip
_SPOKEN = ("prompt", "option", "text")
LABEL = r"^\s*[(（]?[A-Ja-j][)）.．、:：]\s*"
_MANY = 5_000  # texts from which on most items may stand in them: to ask which cannot would cost more
_ANSWERED = ("answer", "response", "chosen")


def _said_by(*roles: str) -> pl.Expr:
    return pl.col("role").fill_null("").is_in(roles)


def asked(turns: pl.LazyFrame) -> pl.LazyFrame:
    """The turns that hold what is asked: all but answers, tool results and system prompts, with the options."""
    own = pl.col("part").is_in(_SPOKEN) & ~_said_by("assistant", "tool", "system")
    return turns.filter(own, pl.col("text").is_not_null())


def answered(turns: pl.LazyFrame) -> pl.LazyFrame:
    """The turns that hold the answer: reference answers, and what the assistant says."""
    own = pl.col("part").is_in(_ANSWERED) | (pl.col("part").is_in(_SPOKEN) & _said_by("assistant"))
    return turns.filter(own, pl.col("text").is_not_null())


def spoken(turns: pl.LazyFrame, cells: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `part`, `role`, `path`, `text` of all that a row says: its turns, tool calls (as JSON) and reasoning.

    Definitions of tools are no part of it.
    """
    said = turns.filter(pl.col("text").is_not_null(), pl.col("part") != "tools")
    silent = {"part": pl.lit(None, pl.String), "role": pl.lit(None, pl.String)}
    called = pl.col("path").str.replace(r"\.(?:content|value)$", ".tool_calls")
    calls = turns.filter(pl.col("tool_calls").is_not_null()).select("row", **silent, path=called, text="tool_calls")
    thought = cells.filter(pl.col("path").str.contains(THOUGHTS), pl.col("text").is_not_null())
    return pl.concat(
        [
            said.select("row", "part", "role", "path", "text"),
            calls,
            thought.select("row", **silent, path="path", text="text"),
        ]
    )


def _joined(turns: pl.LazyFrame) -> pl.LazyFrame:
    """One line per row: `row`, `text` (its turns, joined by newlines), `several` (turns), `path` of the first turn."""
    return turns.group_by("row", maintain_order=True).agg(
        pl.col("text").str.join("\n"), several=pl.len() > 1, path=pl.col("path").first()
    )


def _relabelled(turns: pl.LazyFrame) -> pl.LazyFrame:
    """Options without their labels, and those that have none with A, B, C …: either may stand in the training data."""
    option, text = pl.col("part") == "option", pl.col("text")
    letters = pl.Series("letter", list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    place = option.cum_sum().over("row").cast(pl.Int64) - 1
    labelled = pl.concat_str(pl.lit(letters).gather(place.clip(0, 25)), pl.lit(". "), text)
    other = pl.when(text.str.contains(LABEL)).then(text.str.replace(LABEL, "")).otherwise(labelled)
    return turns.with_columns(pl.when(option).then(other).otherwise(text).alias("text"))


def evaluation_items(turns: pl.LazyFrame, min_length: int) -> pl.DataFrame:
    """The items of an evaluation set: each question, question with options, and answer, as texts of their own.

    Options are taken as they are written, and once more with labels (A, B …) where they have none, without where they
    have some.

    Columns as in ITEMS, sorted by row and kind. `n` is the length of the n-grams by which an item is compared,
    `length` that of the normalised item, in code points. `several`: it stands in several turns, and is looked for
    in whole rows. `short`: it says too little to be recognised (fewer than `min_length` characters, or twice as
    many letters; an answer twice that; a question with options neither with labels nor without has more) and has no
    n-grams. `brief`: the question of a row with options, less than two thirds of `min_length` longer than that: it may
    be a stock phrase ("which of these is not a compound?").
    `begins`, `ends`: where each n-gram stands in `text`, which is as it was written. `key`: that of a short question.
    `canary` and `options` are those of packs: items that are made up; see `option_keys`.
    """
    questions = asked(turns)
    optional = questions.filter(pl.col("part") == "option").select("row").unique()
    kinds = {
        "question": _joined(questions.filter(pl.col("part") != "option")),
        "question_and_options": _joined(questions).join(optional, on="row", how="semi"),
        "question_and_options_relabelled": _joined(_relabelled(questions)).join(optional, on="row", how="semi"),
        "answer": _joined(answered(turns)),
    }
    table = pl.concat([t.with_columns(kind=pl.lit(kind)) for kind, t in kinds.items()]).sort("row", "kind").collect()
    plain = normalise(table["text"], RULES)
    length = plain.str.len_chars()
    han = plain.str.count_matches(r"\p{Han}") >= length * HAN_SHARE
    table = table.with_columns(n=pl.select(pl.when(han).then(HAN_N).otherwise(LATIN_N)).to_series(), length=length)
    least = min_length * pl.when(pl.col("n") == HAN_N).then(1).otherwise(2)
    stem = (pl.col("kind") == "question") & (pl.col("kind") == "question_and_options").any().over("row")
    short = pl.col("length") < least * pl.when(pl.col("kind") == "answer").then(LONGER).otherwise(1)
    forms = pl.col("kind").str.starts_with("question_and_options")  # labels make the same question longer
    table = table.with_columns(
        short=pl.when(forms).then(short.all().over("row", forms)).otherwise(short),
        brief=stem & (pl.col("length") < least + min_length * 2 // 3),
    )
    parts = [_with_shingles(table.filter(~pl.col("short"), pl.col("n") == n), n, min_length) for n in (HAN_N, LATIN_N)]
    items = pl.concat([*parts, _without_shingles(table.filter("short"))])
    keyed = items.filter("short", kind="question")
    keyed = keyed.select("row", "kind", prompt_keys(keyed["text"]))
    return items.drop("key").join(keyed, on=["row", "kind"], how="left").select(ITEMS.keys()).sort("row", "kind")


def _without_shingles(table: pl.DataFrame) -> pl.DataFrame:
    empty = [pl.lit([], pl.List(pl.UInt32)).alias(name) for name in ("shingles", "begins", "ends")]
    return _typed(table.with_columns(pl.lit(False).alias("whole"), *empty))


def _typed(table: pl.DataFrame) -> pl.DataFrame:
    table = table.with_columns(canary=pl.lit(False), key=pl.lit(None), options=pl.lit([], pl.List(pl.UInt64)))
    return table.select(pl.col(name).cast(kind) for name, kind in ITEMS.items())


def _with_shingles(table: pl.DataFrame, n: int, min_length: int) -> pl.DataFrame:
    """Add the n-grams that tell an item from the others of its kind.

    N-grams that a tenth of the items of a kind share (and at least 20) are the frame of the set ("answer in <answer>
    tags …"), not the item: training prompts in the same frame are no leak. What is left without enough of its own
    keeps all n-grams and is `whole`: only a complete copy counts.
    """
    if table.is_empty():
        return _without_shingles(table)
    items = Items.of(table["text"], n)
    rows = row_numbers(items.sets.offsets)
    of = table["kind"].rank("dense").to_numpy()
    kinds = of[rows]
    first = table.select(pl.struct("kind", "text").is_first_distinct()).to_series().to_numpy()  # copies count once
    own = np.ones(len(rows), np.bool_)
    for kind in np.unique(of):
        chosen = kinds == kind
        hashes, counts = np.unique(items.sets.hashes[chosen & first[rows]], return_counts=True)
        frame = hashes[counts >= max(FRAME_ITEMS, int(first[of == kind].sum()) * FRAME_SHARE)]
        own[chosen] = ~contained(items.sets.hashes[chosen], frame)
    left = np.bincount(rows, own, minlength=table.height)
    whole = left < np.minimum(min_length * (1 if n == HAN_N else 2) - n + 1, np.diff(items.sets.offsets))
    keep = own | whole[rows]
    lengths = np.bincount(rows[keep], minlength=table.height)
    columns = [("shingles", items.sets.hashes), ("begins", items.begins), ("ends", items.ends)]
    return _typed(
        table.with_columns(pl.Series("whole", whole), *(_lists(name, flat[keep], lengths) for name, flat in columns))
    )


def _lists(name: str, flat: UInt32s, lengths: Int64s) -> pl.Series:
    """Return a column of lists from their elements, one after the other; no list is empty."""
    rows = pl.Series("list", np.repeat(np.arange(len(lengths)), lengths))
    table = pl.DataFrame({"list": rows, name: pl.Series(flat, dtype=pl.UInt32)})
    return table.group_by("list", maintain_order=True).agg(name)[name]


def with_options(items: pl.DataFrame, hits: pl.DataFrame) -> list[bool]:
    """Say of hits of brief questions whether all options stand beside the question, in whatever order.

    hits: `eval_row`, `text` in which the question stands, `start`, `end`. Beside: within WINDOW times the length of the
    question with its options, on either side. Options that have fewer than OPTIONS characters together say nothing.
    """
    rows = hits["eval_row"].to_list()
    wanted = _beside(items.filter(pl.col("row").is_in(hits["eval_row"].unique().implode())))
    reach = {row: WINDOW * each.whole for row, each in wanted.items()}
    before, after = [], []
    for row, text, start, end in hits.select("eval_row", "text", "start", "end").iter_rows():
        before.append(readable(text[max(start - CODE * reach[row], 0) : start]))
        after.append(readable(text[start : end + CODE * reach[row]]))
    plain = [normalise(pl.Series(texts, dtype=pl.String), RULES).to_list() for texts in (before, after)]
    places = [
        left[-reach[row] :] + right[: wanted[row].stem + reach[row]]
        for row, left, right in zip(rows, *plain, strict=True)
    ]
    return [
        bool(wanted[row].options) and all(_stands(option, place) for option in wanted[row].options)
        for row, place in zip(rows, places, strict=True)
    ]


class _Beside(NamedTuple):
    """The normalised options of a row, without labels, or (of a pack) their keys; none where they say nothing.

    stem, whole: code points of the question as it was written, and of the question with its options.
    """

    stem: int
    whole: int
    options: list[Any]


def _beside(items: pl.DataFrame) -> dict[int, _Beside]:
    """By row, what should stand beside its question."""
    found = {}
    for row, kinds, texts, keys in (
        items.group_by("row").agg("kind", "text", pl.col("options").explode(empty_as_null=False)).iter_rows()
    ):
        written = dict(zip(kinds, texts, strict=True))
        question, whole = written.get("question") or "", written.get("question_and_options") or ""
        options = _options(question, whole)
        found[row] = _Beside(len(question), len(whole), options)
        if keys:
            found[row] = _Beside(keys[0] & 0xFFFFFFFF, keys[0] >> 32, keys[1:])
    return found


def _options(question: str, whole: str) -> list[str]:
    if not whole.startswith(f"{question}\n"):
        return []
    lines = [re.sub(LABEL, "", line) for line in whole[len(question) + 1 :].split("\n")]
    plain = normalise(pl.Series(lines, dtype=pl.String), RULES)
    options = [option for option in plain.unique(maintain_order=True).to_list() if option]
    return options if sum(map(len, options)) >= OPTIONS else []


def _stands(option: str | int, place: str) -> bool:
    if isinstance(option, str):
        return option in place
    size = option & 0xFFFF
    return option in _option_keys([place[at : at + size] for at in range(len(place) - size + 1)])


def _option_keys(options: list[str]) -> list[int]:
    """48 bits of the hash of each option, and its length in the lower 16."""
    found = hashes(pl.Series(options, dtype=pl.String))
    return [int(key) >> 16 << 16 | len(each) & 0xFFFF for key, each in zip(found, options, strict=True)]


def with_option_keys(items: pl.DataFrame) -> pl.DataFrame:
    """The items as a pack has them: with a brief question the lengths of what was written, and keys of its options."""
    brief = items.filter("brief")["row"]
    beside = _beside(items.filter(pl.col("row").is_in(brief.implode())))
    keys = {row: [each.whole << 32 | each.stem, *_option_keys(each.options)] for row, each in beside.items()}
    table = pl.DataFrame(
        {"row": list(keys), "keys": list(keys.values())}, schema={"row": pl.UInt32, "keys": pl.List(pl.UInt64)}
    )
    joined = items.join(table, on="row", how="left", maintain_order="left")
    own = pl.when("brief").then("keys").otherwise(pl.lit([], pl.List(pl.UInt64)))
    return joined.with_columns(options=own.fill_null([])).drop("keys")


def pack_rules(min_length: int) -> dict[str, Any]:
    """What the items of a pack depend on besides the texts: packs of other rules are not compared with."""
    return {
        "scheme": 1,  # to be raised when n-grams, their hashes or the choice of items change
        "normalise": [*RULES],
        "unicode": "14.0",
        "han_n": HAN_N,
        "latin_n": LATIN_N,
        "han_share": HAN_SHARE,
        "frame": [FRAME_SHARE, FRAME_ITEMS],
        "window": WINDOW,
        "min_length": min_length,
    }


class EvalItems(Summary):
    """The items of an evaluation set with the n-grams that tell them apart: ITEMS.

    The set is a dataset, or the rows of one whose split (a label column) is `split`. Where one question stands behind
    the tasks of many rows, the system prompts that hold them are what is asked (`tasks_first`).
    """

    min_length: int
    split: str | None = None

    @property
    def kept(self) -> bool:
        """An evaluation set of its own is the same in many runs."""
        return self.split is None

    def compute(self, data: View) -> pl.DataFrame:
        """ITEMS. Raises LoadError for packs of other rules."""
        turns = data.turns
        if self.split is None and (found := [*packed(data)]):
            return self._unpacked(found, data.rows.select("row", "file").collect())
        if self.split is not None:
            turns = turns.join(
                data.rows.filter(pl.col("split") == self.split), on="row", how="semi", maintain_order="left"
            )
        return evaluation_items(tasks_first(turns), self.min_length)

    def _unpacked(self, found: list[tuple[int, Pack]], rows: pl.DataFrame) -> pl.DataFrame:
        """The items of packs; they have no text, and where an n-gram stands in it is not known."""
        tables = []
        for number, (first, pack) in enumerate(found):
            name, ours = rows["file"][first], pack_rules(self.min_length)
            if other := [key for key in ours if pack.header["rules"].get(key) != ours[key]]:
                raise LoadError(
                    "{name}: a pack made by other rules than this check has ({other}); build it again, "
                    "or name its settings in the check (datacheck pack show)",
                    name=name,
                    other=", ".join(other),
                )
            shift = pl.when("canary").then(number * len(MADE_UP)).otherwise(first)
            tables.append(pack.items.with_columns((pl.col("row") + shift).cast(pl.UInt32)))
        if sum(pack.header["rows"] for _, pack in found) != rows.height:
            raise LoadError("{name}: a pack beside other files; make a dataset of each", name=rows["file"][found[0][0]])
        unknown = pl.col("shingles") * 0
        return pl.concat(tables).select(
            pl.lit(None, kind).alias(name)
            if name == "text"
            else {"begins": unknown, "ends": unknown + pl.col("length")}.get(name, pl.col(name)).cast(kind).alias(name)
            for name, kind in ITEMS.items()
        )


class Leaks(Feature):
    """Every text of a row that holds at least `tau` of the n-grams of an item of an evaluation set.

    The set is the dataset `against`, or (where `against` is None) the rows of this dataset whose split is `split`; rows
    whose split is among `held` are evaluation rows, and are not searched. Questions are looked for in every text and,
    as a conversation or a list of options may hold one piece by piece, in all that a row asks in several turns; an
    answer of several turns in all that a row answers. A place in several turns is the one where it begins.

    `start`…`end` - 1 are the code points of the turn, `begin`…`stop` - 1 those of the item, that agree.
    """

    columns = {
        "row": pl.UInt32, "path": pl.String, "start": pl.UInt32, "end": pl.UInt32, "eval_row": pl.UInt32,
        "kind": pl.String, "covered": pl.UInt32, "size": pl.UInt32, "begin": pl.UInt32, "stop": pl.UInt32,
    }  # fmt: skip

    against: str | None
    tau: float
    min_length: int
    split: str | None = None
    held: tuple[str, ...] = ()

    def needs(self) -> tuple[Need, ...]:
        """The items of the evaluation set."""
        return (Need(EvalItems(min_length=self.min_length, split=self.split), of=self.against),)

    def compute(self, part: View) -> pl.DataFrame:
        """One line per (text, item), as in `columns`."""
        search = part.made(self.needs()[0], searched, self.tau)
        texts = spoken(part.turns, part.cells)
        if self.held:
            rows = part.rows.filter(~pl.col("split").is_in(self.held).fill_null(False))
            texts = texts.join(rows, on="row", how="semi", maintain_order="left")
        texts = texts.collect().lazy()
        ask, several = pl.col("kind") != "answer", pl.col("several")
        in_turns = asked(texts).filter(pl.len().over("row") > 1)
        return pl.concat(
            [
                self._found(search, ask | ~several, texts, whole_rows=False),
                self._found(search, ask, in_turns, whole_rows=True),
                self._found(search, several & ~ask, answered(texts), whole_rows=True),
            ]
        )

    def _found(self, search: "Search", wanted: pl.Expr, texts: pl.LazyFrame, *, whole_rows: bool) -> pl.DataFrame:
        """Search single texts, or what a row says in all of them, for the items that are wanted there."""
        if search.items.filter(wanted).is_empty():
            return pl.DataFrame(schema=self.columns)
        table = texts.select("row", "path", "text").collect()
        if table.is_empty():
            return pl.DataFrame(schema=self.columns)
        if not whole_rows:
            hits = search.find(table["text"]).filter(wanted)
            places = hits["text"]
        else:
            rows = _joined(table.lazy()).collect()
            hits = search.find(rows["text"]).filter(wanted)
            hits, places = _in_turns(hits, rows, table)
        return hits.with_columns(row=table["row"].gather(places), path=table["path"].gather(places)).select(
            pl.col(name).cast(kind) for name, kind in self.columns.items()
        )


def _in_turns(hits: pl.DataFrame, rows: pl.DataFrame, turns: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """From places in joined rows to the turn in which each begins; what reaches beyond its end is cut there."""
    counts = turns.group_by("row", maintain_order=True).len()["len"].to_numpy()
    lengths = turns["text"].str.len_chars().to_numpy().astype(np.int64)
    before = from_lengths(lengths + 1)  # with the newline after each turn
    base = before[from_lengths(counts.astype(np.int64))[hits["text"].to_numpy()]]
    turn = np.searchsorted(before, base + hits["start"].to_numpy(), side="right") - 1
    shift = before[turn] - base
    start, end = hits["start"].to_numpy() - shift, hits["end"].to_numpy() - shift
    ended = np.minimum(end, lengths[turn])
    assert len(rows) == len(counts)
    return hits.with_columns(start=pl.Series(start), end=pl.Series(ended)), pl.Series(turn)


def searched(items: pl.LazyFrame, tau: float) -> "Search":
    """The search for the items of a set (ITEMS)."""
    known = items.filter(~pl.col("short"), ~pl.col("canary"))
    return Search(known.select(pl.exclude("text", "short", "key", "options")).collect(), tau)


def find_leaks(items: pl.DataFrame, texts: pl.Series, tau: float) -> pl.DataFrame:
    """Scan texts once for items (as evaluation_items makes them, none short); see `Search.find`."""
    return Search(items, tau).find(texts)


class Search:
    """The search for items (as evaluation_items makes them, none short): what they are found by is made but once."""

    def __init__(self, items: pl.DataFrame, tau: float) -> None:
        self.items, self._tau = items, tau
        self._ways = [(n, items.filter(pl.col("n") == n)) for n in (HAN_N, LATIN_N)]
        self._scanner: Scanner | None = None

    def find(self, texts: pl.Series) -> pl.DataFrame:
        """Scan texts as they were written.

        Returns `text` (index into texts), `start`, `end`, `eval_row`, `kind`, `several`, `covered` (n-grams of the item
        found in one place), `size` (its n-grams), `begin`, `stop`; sorted. Complete for covered / size ≥ tau (all,
        where `whole`). A text with something encoded in it is read twice, as it is and decoded.
        """
        found, order = self._least(texts), ["text", "eval_row", "kind"]
        if len(which := encoded(texts)):
            written = texts.gather(which)
            plain = pl.Series([readable(text) for text in written.to_list()], dtype=pl.String)
            changed = (plain != written).arg_true()
            again = self._least(plain.gather(changed))
            known = again.with_columns(text=pl.Series(which).gather(changed).gather(again["text"]))
            found = pl.concat([found, known]).sort("covered", descending=True, maintain_order=True)
            found = found.unique(order, keep="first", maintain_order=True)
        return found.sort(order)

    def _least(self, texts: pl.Series) -> pl.DataFrame:
        """Few texts are searched for the items that may stand in them alone, where there is no index of all yet."""
        if self._scanner is None and len(texts) < _MANY:
            return Search(self._possible(texts), self._tau).scan(texts)
        return self.scan(texts)

    def _possible(self, texts: pl.Series) -> pl.DataFrame:
        """The items of which enough n-grams stand anywhere in all texts together: few, where the texts are few."""
        plain = normalise(texts, RULES)
        left = []
        for n, items in self._ways:
            there = sorted_unique(shingles(plain, "chars", n).hashes)
            sizes = _sizes(items)
            held = contained(_flat(items, "shingles"), there)
            counts = np.bincount(np.repeat(np.arange(len(sizes)), sizes), held, minlength=len(sizes))
            left.append(items.filter(counts >= np.maximum(least(sizes, self._tau), 1)))
        return pl.concat(left)

    def scan(self, texts: pl.Series) -> pl.DataFrame:
        """What stands in texts as they are, for all items."""
        if self._scanner is None:
            self._scanner = Scanner(*(_sought(items, n, self._tau) for n, items in self._ways))
        every = zip(self._ways, self._scanner.find(texts), strict=True)
        return pl.concat([_hits(items, found) for (_, items), found in every])


def _sought(items: pl.DataFrame, n: int, tau: float) -> Sought:
    sets = Shingles(from_lengths(_sizes(items)), _flat(items, "shingles"))
    whole, lengths = items["whole"].to_numpy(), items["length"].to_numpy().astype(np.int64)
    return Sought(
        EvalIndex.of(sets, tau, whole), Items(sets, lengths, _flat(items, "begins"), _flat(items, "ends"), whole), n
    )


def _hits(items: pl.DataFrame, found: Found) -> pl.DataFrame:
    numbers = {
        "text": found.rows, "start": found.start, "end": found.end, "covered": found.covered,
        "size": _sizes(items)[found.items], "begin": found.begin, "stop": found.stop,
    }  # fmt: skip
    return items.select("kind", "several", eval_row="row")[found.items].with_columns(
        pl.Series(name, values, pl.Int64) for name, values in numbers.items()
    )


def _sizes(items: pl.DataFrame) -> Int64s:
    return items["shingles"].list.len().to_numpy().astype(np.int64)


def _flat(items: pl.DataFrame, name: str) -> UInt32s:
    return items[name].explode(empty_as_null=False).to_numpy()
