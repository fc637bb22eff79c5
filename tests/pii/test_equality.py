"""The prefiltered path finds exactly what the plain path finds (every recognizer on every text)."""

import os

import polars as pl
import pytest
from pii_helpers import REALDATA, broken_values, hostile_texts, realdata

from datacheck.pii import analyzer, engine
from datacheck.pii.analyzer import analyze, find
from datacheck.pii.recognizers import RECOGNIZERS, of_regions

FUZZ = int(os.environ.get("DATACHECK_PII_FUZZ", "20000"))
"""Strings over all seeds. 200,000 take about ten minutes of one core."""
SEEDS = 4
SOURCES = sorted({path.relative_to(REALDATA).parts[0] for path in REALDATA.rglob("*.json*")} - {"bad", "MANIFEST.json"})


def everything(texts: pl.Series, entities: tuple[str, ...]) -> pl.DataFrame:
    """The plain path: every rule is tried on every text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyzer, "_idle", lambda texts: [frozenset()] * len(texts))
        patch.setattr(engine, "possible", lambda expressions, _: list(expressions))
        return analyze(texts, pl.DataFrame({entity: [True] * len(texts) for entity in entities}))


def differences(texts: pl.Series, entities: tuple[str, ...] = tuple(RECOGNIZERS)) -> list[tuple[object, ...]]:
    """Rows that only one of the two paths has (without the group number, which counts hits)."""
    found = find(texts, entities), everything(texts, entities)
    prefiltered, plain = (frame.drop("group").rows() for frame in found)
    return sorted(set(prefiltered) ^ set(plain))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_prefiltered_equals_plain_on_hostile_strings(seed):
    half = FUZZ // SEEDS // 2
    texts = pl.Series([*hostile_texts(1000 + seed, half), *broken_values(1000 + seed, half)])
    assert differences(texts, of_regions()) == []  # all countries: the few below
    assert find(texts).height > len(texts) / 10


def test_prefiltered_equals_plain_on_a_few_hostile_strings():
    assert differences(pl.Series([*hostile_texts(7, 120), *broken_values(7, 120)])) == []


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_prefiltered_equals_plain_on_all_real_texts(source):
    # of the countries that are looked for by default: 145 kinds on every text take a quarter of an hour
    assert differences(realdata(source).unique(maintain_order=True), of_regions()) == []
