"""What the kernels do, by numpy: other code, with the same results. Where words are cut by jieba the product does so."""

import numpy as np
import polars as pl

from datacheck.text import repetition, scripts, sketches
from datacheck.text.codes import blocks, decode, row_numbers
from datacheck.text.rules import KNOWN, plainly
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
