"""What the kernels do, by numpy: other code, with the same results. Where words are cut by jieba the product does so."""

from typing import NamedTuple

import numpy as np
import polars as pl

from datacheck.text import normalise as normalising
from datacheck.text import repetition, scripts, sketches
from datacheck.text.arrays import sorted_unique
from datacheck.text.codes import blocks, decode, row_numbers
from datacheck.text.eval_index import WINDOW, Found, scan, written
from datacheck.text.rules import KNOWN, RULES, plainly
from datacheck.text.shingles import contained, grams, shingles, take
from datacheck.text.sketches import NOTHING


def normalise(texts, rules):
    """Null is empty."""
    ordered = tuple(rule for rule in KNOWN if rule in rules)
    return plainly(texts, ordered) if ordered and len(texts) else texts.fill_null("")


class Plain(sketches.Unit):
    """A unit of the contract that no kernel serves."""

    plain = True


def sketch(texts, unit, scheme, drop=NOTHING):
    return sketches.sketch(texts, Plain(*unit), scheme, drop=drop)


def sets(texts, unit, drop=NOTHING):
    return sketches.sets(texts, Plain(*unit), drop=drop)


def frequent(texts, unit, least):
    return sketches.frequent(texts, Plain(*unit), least)


def script_words(texts):
    kinds, single, written = scripts._classes(), scripts._single(), scripts._written()
    none, width = len(scripts.SCRIPTS), len(scripts.COLUMNS)
    tables = [np.zeros((0, width), np.uint32)]
    for part in blocks(texts):
        text = decode(part)
        kind, rows = kinds[text.codes], row_numbers(text.offsets)
        begins = np.ones(len(kind), np.bool_)
        begins[1:] = (kind[1:] != kind[:-1]) | (rows[1:] != rows[:-1])
        continues = np.append(~begins[1:], [False] * min(1, len(kind)))
        counted = np.where(single[kind], kind != none, begins & continues & (kind != none))
        size = len(text.offsets) - 1
        counts = np.bincount(rows[counted] * width + kind[counted], minlength=size * width).reshape(size, width)
        for column, mark in ((none, 1), (none + 1, 2)):
            counts[:, column] = np.bincount(rows[written[text.codes] == mark], minlength=size)
        tables.append(counts.astype(np.uint32))
    every = np.concatenate(tables)
    return pl.DataFrame({name: every[:, number] for number, name in enumerate(scripts.COLUMNS)})


def top_coverage(texts, n, least, characters):
    return np.concatenate([np.zeros(0), *(repetition._block(p, n, least, characters) for p in blocks(texts, 1 << 18))])


class Window(NamedTuple):
    """Code points start…end - 1 of a text contain `covered` distinct n-grams of the item."""

    start: int
    end: int
    covered: int


def best_window(grams, row, item, width):
    """Return the stretch of at most `width` code points that covers most distinct n-grams of an item.

    The first of equals, as short as it can be at that start; (0, 0, 0) if nothing fits. This is the second
    step for candidates: a book contains the scattered n-grams of many items, a leak has them in one place.
    `normalise.origins` leads back from the normalised text to the one that was read.
    """
    inside = slice(grams.offsets[row], grams.offsets[row + 1])
    hits = np.flatnonzero(contained(grams.hashes[inside], sorted_unique(item)))
    hashes = grams.hashes[inside][hits].tolist()
    starts, ends = grams.starts[inside][hits].tolist(), grams.ends[inside][hits].tolist()
    if hashes and len(set(hashes)) == len(hashes) and ends[-1] - starts[0] <= width:  # as where it was copied
        return Window(starts[0], ends[-1], len(hashes))
    best, first = Window(0, 0, 0), 0
    count = {}
    for last, added in enumerate(hashes):
        count[added] = count.get(added, 0) + 1
        while first <= last and (ends[last] - starts[first] > width or count[hashes[first]] > 1):
            count[hashes[first]] -= 1
            if not count[hashes[first]]:
                del count[hashes[first]]
            first += 1
        if len(count) > best.covered:
            best = Window(starts[first], ends[last], len(count))
    return best


def find_few(index, items, texts, n):
    """Do what `find` does."""
    plain = normalising.normalise(texts, RULES)
    hits = scan(index, shingles(plain, "chars", n))
    lines = []
    for start in range(0, len(hits.rows), 1024):  # positions of so many candidates at once
        block = slice(start, start + 1024)
        candidates, places = np.unique(hits.rows[block], return_inverse=True)
        positions = grams(plain[candidates.tolist()], "chars", n)
        places_of = written(texts[candidates.tolist()])
        for place, item in zip(places.tolist(), hits.items[block].tolist(), strict=True):
            own = take(index.items, np.array([item])).hashes
            window = best_window(positions, place, own, int(items.lengths[item]) * WINDOW)
            if window.covered >= index.needed[item]:
                span = _span(items, item, _inside(positions, place, window))
                where = places_of.codes[places_of.offsets[place] :]
                ends = int(where[window.start]), int(where[window.end - 1]) + 1
                lines.append((int(candidates[place]), item, window.covered, *ends, *span))
    return Found.of(lines)


def _inside(positions, row, window):
    """Return the n-grams of a row that lie in a window."""
    line = slice(positions.offsets[row], positions.offsets[row + 1])
    inside = (positions.starts[line] >= window.start) & (positions.ends[line] <= window.end)
    return positions.hashes[line][inside]


def _span(items, item, hashes):
    """Return the stretch of the item, as it was written, over which its n-grams among `hashes` reach."""
    line = slice(items.sets.offsets[item], items.sets.offsets[item + 1])
    covered = contained(items.sets.hashes[line], sorted_unique(hashes))
    return int(items.begins[line][covered].min()), int(items.ends[line][covered].max())
