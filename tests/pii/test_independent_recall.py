"""Recall on the identifiers of a generator that was written without sight of the recognizers.

The recognizers were changed after looking at what they missed with other seeds (1 to 5, 11, 12, 21, 42).
CSV is left out: an identifier that only the head of its column names is found by no rule of the engine.
"""

from collections import Counter
from random import Random

import identifiers_in_texts as carried
import independent_identifiers as made
import polars as pl
import pytest
import texts_without_identifiers as harmless

from datacheck.pii.analyzer import find

SEEDS = (51, 52)
EACH = 2
"""Examples per form, disguise and seed in which a form is disguised; plain ones four times as many."""
FLOOR = 0.99
LOWER = {"PERSON": 0.95, "CN_ADDRESS": 0.95, "CN_MOBILE": 0.98}
"""Names and addresses have no form of their own. 146, 148 and 149 are given to machines (and invalid to phonenumbers):
without +86 and without a word beside it, such a number is rightly none of a person."""
# What is found but is no identifier of anybody: networks that no router forwards.
DEBATABLE = {"special_ip": {"IP_ADDRESS"}}


def examples(entity: str, seed: int) -> list[carried.Planted]:
    rng = Random(f"{entity} {seed}")
    out = []
    for disguise in carried.DISGUISES_OF[entity]:
        forms = made.FORMS[entity] if disguise == "plain" else carried.DISGUISED_FORMS.get(entity, made.FORMS[entity])
        for form in forms:
            styles = [style for style in carried.styles_of(entity, form) if style != "csv"]
            for _ in range(EACH * (4 if disguise == "plain" else 1)):
                style = rng.choice(styles) if disguise == "plain" else None
                out.append(carried.example(entity, rng, form=form, style=style, disguise=disguise))
    return out


def missed(planted: list[carried.Planted]) -> list[carried.Planted]:
    """Those of which no finding covers half or more."""
    covered = set()
    for hit in find(pl.Series([each.text for each in planted])).iter_rows(named=True):
        each = planted[hit["index"]]
        if 2 * (min(hit["end"], each.end) - max(hit["start"], each.start)) >= each.end - each.start:
            covered.add(hit["index"])
    return [each for number, each in enumerate(planted) if number not in covered]


@pytest.mark.parametrize("entity", made.ENTITIES)
def test_recall(entity):
    planted = [each for seed in SEEDS for each in examples(entity, seed)]
    lost = missed(planted)
    floor = LOWER.get(entity, FLOOR)
    assert len(lost) <= (1 - floor) * len(planted), [each.text for each in lost]


@pytest.mark.parametrize("seed", SEEDS)
def test_negatives(seed):
    rng = Random(f"negatives {seed}")
    texts = [harmless.negative(rng) for _ in range(1000)]
    hits = find(pl.Series([each.text for each in texts]))
    wrong = Counter(
        (texts[hit["index"]].kind, hit["entity"])
        for hit in hits.iter_rows(named=True)
        if hit["entity"] not in DEBATABLE.get(texts[hit["index"]].kind, ())
    )
    assert wrong == {}
