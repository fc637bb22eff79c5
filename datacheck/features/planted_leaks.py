"""What the search for leaked items finds of items that are planted on purpose: the self-test of the check leakage."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from datacheck.check import Ratio
from datacheck.features.leaks import HAN_N, LATIN_N, evaluation_items, find_leaks, with_option_keys
from datacheck.features.packed import MADE_UP, made_up
from datacheck.text.codes import from_lengths
from datacheck.text.eval_index import WINDOW, EvalIndex, scan
from datacheck.text.leak_plants import Item, leaks
from datacheck.text.normalise import normalise
from datacheck.text.packs import PACKED
from datacheck.text.rules import RULES
from datacheck.text.shingles import Shingles, grams

PLANTED_ITEMS = 60  # of all evaluation sets: some 700 plants; but of each set LEAST_PLANTED
LEAST_PLANTED = 20
PLANTED_LENGTH = 20_000  # code points of a planted item, if there are shorter ones: plants of books take minutes
_MADE_UP = "hashes of made-up items"


def planted_recall(
    items: Sequence[pl.DataFrame], hosts: list[str], min_length: int, block: float, review: float
) -> tuple[Ratio, pl.DataFrame]:
    """How many plants the search brings back, and a line per way to plant them.

    items: of each evaluation set, as EvalItems makes them. hosts: texts to plant them into.

    A pack has no texts to plant. Made-up ones whose hashes stand in every pack are planted instead, and searched
    for by the hashes that were read from the file; by those of this version they are known to be there. So what
    is lost in reading the file, and what normalises or hashes otherwise than its builder did, is seen. Of the
    set's own items the hashes are looked up with themselves: the index must bring each back.
    """
    truth = with_option_keys(evaluation_items(made_up(), min_length))
    most = max(PLANTED_ITEMS // len(items), LEAST_PLANTED)
    tables = []
    for each in items:
        if (own := each.filter("canary")).is_empty():
            tables.append(_planted(each, hosts, block, review, most))
            continue
        first = own.filter(pl.col("row") < len(MADE_UP)).drop("text")
        known = first.join(truth.select("row", "kind", "text"), on=["row", "kind"], how="left")
        tables.append(_planted(known, hosts, block, review, most, truth))
        tables.append(_from_hashes(each.filter(~pl.col("canary")), own, truth))
    table = pl.concat(tables)
    seen = table.filter("alike")
    found = (pl.col("found") & pl.col("alike")).sum()
    by_kind = table.group_by("kind", maintain_order=True).agg(
        plants=pl.len(), alike=pl.col("alike").sum(), found=found, found_or_review=pl.col("review").sum()
    )
    broken = table.filter(~pl.col("found"), kind=_MADE_UP).height  # by other hashes than these nothing is found
    return Ratio(0 if broken else int(seen["found"].sum()), seen.height), by_kind


def _from_hashes(own: pl.DataFrame, made: pl.DataFrame, truth: pl.DataFrame) -> pl.DataFrame:
    """As `_planted`: made-up items that came out of a file as they are, and items that their own n-grams bring back."""
    packs = (made["row"].n_unique() + len(MADE_UP) - 1) // len(MADE_UP)
    facts = [name for name in PACKED if name not in ("canary", "row")]
    wanted = truth.sort("row", "kind").select(facts).rows()
    there = made.sort("row", "kind").select(facts).rows()
    same = [there[at : at + 1] == [each] for at, each in enumerate(wanted * packs)]
    some = own.filter(~pl.col("short"))
    some = some.gather_every(max(some.height // PLANTED_ITEMS, 1))
    sizes = some["shingles"].list.len().to_numpy().astype(np.int64)
    sets = Shingles(from_lengths(sizes), some["shingles"].explode(empty_as_null=False).to_numpy())
    hits = scan(EvalIndex.of(sets, 1.0), sets)
    back = np.isin(np.arange(some.height), hits.rows[hits.rows == hits.items])
    kinds = [_MADE_UP] * len(same) + ["n-grams of the pack"] * some.height
    found = pl.Series("found", [*same, *back.tolist()], dtype=pl.Boolean)
    return pl.DataFrame({"kind": kinds, "alike": found.is_not_null(), "found": found, "review": found})


def _planted(
    items: pl.DataFrame, hosts: list[str], block: float, review: float, most: int, truth: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Plant the questions of an evaluation set in every way, and search for them.

    items: as EvalItems makes them; at most `most` rows of them are taken, chosen by content. hosts: other texts.
    Returns one line per plant: `kind`; `alike`: by plain sets, the planted text holds an item of the row at or above
    `block`; `found`: the search says so; `review`: it finds the row at or above `review`. truth: the items by their
    texts, where the hashes of `items` come from a file.
    """
    asked = items.filter(pl.col("kind") != "answer", ~pl.col("short"))
    asked = asked.filter(pl.col("length") <= pl.max_horizontal(pl.col("length").min(), PLANTED_LENGTH))
    chosen = asked.group_by("row", maintain_order=True).agg(pl.col("shingles").list.first().min())
    chosen = chosen.unique("shingles", keep="first").bottom_k(most, by="shingles")
    asked = asked.join(chosen, on="row", how="semi", maintain_order="left")
    lines: list[tuple[int, str, str, str]] = []
    written = items.filter(pl.col("kind") != "answer").join(chosen, on="row", how="semi", maintain_order="left")
    for at, own in enumerate(written.partition_by("row", maintain_order=True)):
        item, host = _item(dict(own.select("kind", "text").iter_rows())), hosts[at % len(hosts)]
        alone = leaks(item, "")
        lines += [(own["row"][0], kind, text, alone[kind]) for kind, text in leaks(item, host).items()]
    schema = {"eval_row": pl.UInt32, "kind": pl.String, "text": pl.String, "alone": pl.String}
    table = pl.DataFrame(lines, schema=schema, orient="row").with_row_index("plant")
    hits = find_leaks(asked, table["text"], min(review, block)).with_columns(over=pl.col("covered") / pl.col("size"))
    hits = hits.join(asked.select("kind", "brief", eval_row="row"), on=["eval_row", "kind"])
    best = hits.group_by("text", "eval_row").agg(
        found=((pl.col("over") >= block) & ~pl.col("brief")).any(),
        review=(pl.col("over") >= pl.when("brief").then(block).otherwise(review)).any(),
    )
    both = table.join(
        best, left_on=["plant", "eval_row"], right_on=["text", "eval_row"], how="left", maintain_order="left"
    )
    sets = asked if truth is None else truth.filter(pl.col("kind") != "answer", ~pl.col("short"))
    alike = pl.Series("alike", _alike(sets.filter(~pl.col("brief")), table, block), pl.Boolean)
    return both.select("kind", alike, pl.col("found").fill_null(False), pl.col("review").fill_null(False))


def _item(written: dict[str, str]) -> Item:
    """The question and its options, from the texts of a row's items by kind."""
    whole = written.get("question_and_options", written.get("question", ""))
    question = written.get("question", "")
    if "question_and_options" in written and whole.startswith(question + "\n"):
        return Item(question, tuple(whole[len(question) + 1 :].split("\n")))
    return Item(whole)


def _alike(asked: pl.DataFrame, plants: pl.DataFrame, block: float) -> list[bool]:
    """Whether a plant holds an item of its row in one place, by plain sets: the truth for the search."""
    ordered = {}
    for n in (HAN_N, LATIN_N):
        found = grams(normalise(plants["alone"], RULES), "chars", n)
        ordered[n] = [found.hashes[start:end].tolist() for start, end in pairwise(found.offsets.tolist())]
    own: dict[int, list[tuple[int, int, set[int], float]]] = {}
    for row, n, length, whole, hashes in asked.select("row", "n", "length", "whole", "shingles").iter_rows():
        own.setdefault(row, []).append((n, WINDOW * length - n + 1, set(hashes), 1.0 if whole else block))
    return [
        any(_held(wanted, ordered[n][at], width, tau) for n, width, wanted, tau in own.get(row, []))
        for at, row in enumerate(plants["eval_row"].to_list())
    ]


def _held(wanted: set[int], ordered: list[int], width: int, tau: float) -> bool:
    """Whether `width` neighbours of a list hold a share `tau` of what is wanted."""
    if len(wanted.intersection(ordered)) / len(wanted) < tau:
        return False
    places = range(max(1, len(ordered) - width + 1))
    return any(len(wanted.intersection(ordered[at : at + width])) / len(wanted) >= tau for at in places)
