"""The prefiltered path finds exactly what the plain path finds (every recognizer on every text)."""

import os

import polars as pl
import pytest
from pii_helpers import REALDATA, broken_values, hostile_texts, realdata

from datacheck.pii import analyzer, engine
from datacheck.pii.analyzer import analyze, find
from datacheck.pii.matching.compiled import compiled
from datacheck.pii.normalise import fold
from datacheck.pii.recognizers import RECOGNIZERS, of_regions

FUZZ = int(os.environ.get("DATACHECK_PII_FUZZ", "20000"))
"""Strings over all seeds. 200,000 take about ten minutes of one core."""
SEEDS = 4
SOURCES = sorted({path.relative_to(REALDATA).parts[0] for path in REALDATA.rglob("*.json*")} - {"bad", "MANIFEST.json"})

TRIED = {rule: (each, tries) for each in RECOGNIZERS.values() for rule, tries in each.tries.items()}
WRITTEN = [
    "My name is Siobhan", "my name’s Ravi P. Rao", "I'm called Bob", "iam called Ann", 'Full_Name" : "Élodie Martin',
    "student name=Tom Lee", "recipient：  Joan", "Patient : Mary Ann", "attn:Kim", "NAME: Jo Park", "Name：Lee",
    "zhang [at] qq [dot] com", "john dot smith at gmail dot com", "zhang艾特qq点com", "li.ming#qq.com", "w_w @ 163.com",
    "a.b-（at）x-y.z点cn", "zhang圈a126点com", "z3 AT mail DOT sina DOT cn", "bob @qq.com", "li{@}foxmail（点）com",
    "电子邮箱王五king% @ aliyun.com", "a dot b dot c#d点e点f点com",
]  # fmt: skip


def everything(texts: pl.Series, entities: tuple[str, ...]) -> pl.DataFrame:
    """The plain path: every rule is tried on every text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyzer, "_idle", lambda texts: [set() for _ in texts])
        patch.setattr(engine, "ruled_out", lambda *_: 0)
        patch.setattr(engine, "matches", lambda expression, text, _: compiled(expression).finditer(text))
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


@pytest.mark.parametrize("rule", TRIED)
def test_a_rule_matches_nothing_that_none_of_its_tries_does(rule):
    recognizer, tries = TRIED[rule]
    made = [*hostile_texts(21, 300), *broken_values(21, 300)]
    written = [
        *WRITTEN,
        *(f"{before}{text}{after}" for text, before, after in zip(WRITTEN * 9, made, made[::-1], strict=False)),
    ]
    matched = [text for text in (fold(each).text for each in [*made, *written]) if _matches(recognizer, rule, text)]
    assert matched or rule not in ("person.en", "email_address.at")
    seen = pl.DataFrame({"text": matched}, schema={"text": pl.String}).select(
        pl.any_horizontal(pl.col("text").str.contains(each) for each in tries)
    )
    assert [text for text, one in zip(matched, seen.to_series(), strict=True) if not one] == []


def _matches(recognizer, rule, text):
    return compiled(recognizer.patterns[rule]).search(text) is not None
