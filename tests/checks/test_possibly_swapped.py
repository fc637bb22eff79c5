import json

import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.possibly_swapped import PossiblySwapped
from datacheck.testing import finding, measure

BETTER, WORSE = "First look at the leaves.\n1. Water in the morning.\n2. Keep {n} notes.", "I am not sure about {n}"


def pairs(count, swapped=()):
    rows = []
    for n in range(count):
        better, worse = BETTER.format(n=n), WORSE.format(n=n)
        chosen, rejected = (worse, better) if n in swapped else (better, worse)
        rows.append({"prompt": f"How do I grow plant {n}?", "chosen": chosen, "rejected": rejected})
    return rows


def test_pairs_against_the_style_of_the_file_are_named():
    result = measure(PossiblySwapped(), pairs(80, {3, 41, 66}))
    assert sorted(place["line"] - 1 for place in result.first) == [3, 41, 66]
    assert (result.value("rate"), result.value("told_apart")) == (Ratio(3, 80), Ratio(77, 80))
    assert result.evidence["row"].null_count() == 3  # never dropped
    assert finding(PossiblySwapped(), pairs(80, {3})).status is Status.INFO


def test_a_file_without_a_style_suspects_nobody():
    rows = [{"prompt": str(n), "chosen": f"answer {n}", "rejected": f"answer {n + 1}"} for n in range(80)]
    result = measure(PossiblySwapped(), rows)
    assert result.value("rate") == Ratio(0, 80)
    assert "style does not tell" in result.not_checked[0]
    assert "style does not tell" in measure(PossiblySwapped(), pairs(20, {3})).not_checked[0]  # too few to say


def test_rows_without_pairs():
    assert measure(PossiblySwapped(), [{"prompt": "a"}]).not_checked == (
        "no row has both a chosen and a rejected answer",
    )
    assert measure(PossiblySwapped(), []).value("rate") is None


@pytest.mark.parametrize("name", ["dpo_en_demo.json", "dpo_zh_demo.json"])
def test_public_pairs_cannot_be_told_by_style(realdata, name):
    rows = json.loads((realdata / "llama_factory" / "data" / name).read_text(encoding="utf-8"))
    result = measure(PossiblySwapped(), rows)
    assert result.value("rate").n == 0
    assert result.value("told_apart").n < 0.75 * result.value("told_apart").of
