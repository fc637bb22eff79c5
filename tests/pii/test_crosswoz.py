"""Telephones and addresses against labels that others made: floors a little below what docs/pii.md reports."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))


@pytest.mark.slow
def test_recall_and_precision_on_labelled_dialogues(realdata):
    from pii_crosswoz import measure

    scores = measure(realdata)
    print(scores)
    phone, door = scores["telephone"], scores["address, door-level"]
    assert phone.found / phone.labels >= 0.98
    assert phone.right / phone.hits >= 0.98
    assert door.found / door.labels >= 0.9
