"""Planted near-duplicates of real Chinese texts: how many are found, and does the fast way find what the exact one does."""

import json
import os
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.matching.near import similar_pairs
from datacheck.text.matching import exact_pairs, greedy_removed
from datacheck.text.minhash import band_keys, banding, signatures
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES
from datacheck.text.shingles import shingles

REALDATA = Path(os.environ.get("DATACHECK_REALDATA") or Path(__file__).parents[2].parent / "shared" / "realdata")
pytestmark = pytest.mark.skipif(not REALDATA.is_dir(), reason="realdata is absent")
MEDICAL = "medicalgpt/data/sft/medical_sft_1K_format.jsonl"
HANZI = [chr(c) for c in range(0x4E00, 0x5200)]


def answers():
    found = []
    for line in (REALDATA / MEDICAL).read_text("utf-8").splitlines():
        found += [turn["value"] for turn in json.loads(line)["conversations"] if turn["from"] == "gpt"]
    for file in sorted((REALDATA / "alpaca_hikariming").rglob("*.json")):
        found += [r["output"] for r in json.loads(file.read_text("utf-8")) if isinstance(r.get("output"), str)]
    distinct = dict.fromkeys(text for text in found if sum("\u4e00" <= c <= "\u9fff" for c in text) >= 40)
    return list(distinct)[:4000]


def edited(text, share, rng):
    """Replace, insert or delete `share` of the characters (one at least) at random places."""
    chars = list(text)
    for _ in range(max(1, round(share * len(chars)))):
        at = rng.randrange(len(chars))
        chars[at] = rng.choice([rng.choice(HANZI), chars[at] + rng.choice(HANZI), ""])
    return "".join(chars)


@pytest.fixture(scope="module")
def originals():
    return answers()


def found(originals, copies):
    """Return the share of copies that are removed because of their own original, and all LSH pairs and exact pairs."""
    texts = normalise(pl.Series(originals + copies), RULES)
    sets = shingles(texts, "chars", 3)
    num_perm, bands, rows = banding(0.7)
    keys = band_keys(signatures(sets, num_perm), bands, rows)
    pairs = similar_pairs(sets, keys.ravel(), np.repeat(np.arange(len(texts)), bands), 0.7)
    n = len(originals)
    linked = set(map(tuple, pairs.rows.tolist()))
    return np.mean([(i, n + i) in linked for i in range(len(copies))]), pairs, exact_pairs(sets, 0.7)


def test_two_percent_of_edits_are_found(originals):
    rng = random.Random(7)
    copies = [edited(text, 0.02, rng) for text in originals]
    share, pairs, exact = found(originals, copies)
    assert share >= 0.97
    assert len(pairs.rows) >= 0.999 * len(exact.rows)
    assert set(map(tuple, pairs.rows.tolist())) <= set(map(tuple, exact.rows.tolist()))
    removed = greedy_removed(2 * len(originals), pairs)
    gone = removed >= 0
    n = len(originals)
    linked = {right - n for left, right in pairs.rows.tolist() if right == n + left}
    assert all(gone[i] or gone[n + i] for i in linked)  # the copy stays only where its original went


def test_disguises_are_found_entirely(originals):
    def disguise(text, i):
        if i % 3 == 0:
            return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
        return " ".join(text) if i % 3 == 1 else text.replace("，", " ").replace("。", "……")

    share, _, _ = found(originals, [disguise(text, i) for i, text in enumerate(originals)])
    assert share == 1.0
