from collections import Counter
from random import Random

import numpy as np
import pytest

from datacheck.text.heaps import heaps


def by_hand(lengths, shortest):
    """The rule as a sentence says it: five, and five more for each that other lengths within a tenth have."""
    counts = Counter(length for length in lengths if length >= shortest)
    found = []
    for length, count in sorted(counts.items()):
        beside = [n for n in range(length - length // 10, length + length // 10 + 1) if n != length]
        mean = sum(counts[n] for n in beside) / max(len(beside), 1)
        if count >= int(5 + 5 * mean):
            found.append(length)
    return found


def test_a_heap_stands_out_among_its_neighbours():
    random = Random(3)
    spread = [random.randint(100, 900) for _ in range(2000)]
    assert heaps(np.array(spread), shortest=100).tolist() == []
    assert heaps(np.array([*spread, *[512] * 40]), shortest=100).tolist() == [512]
    assert heaps(np.array([*spread, *[512] * 5]), shortest=100).tolist() == []  # as many as its neighbours have
    assert heaps(np.array([512] * 5), shortest=100).tolist() == [512]
    assert heaps(np.array([512] * 4), shortest=100).tolist() == []
    assert heaps(np.array([50] * 40), shortest=100).tolist() == []
    assert heaps(np.zeros(0, np.int64), shortest=100).tolist() == []


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_rule(seed):
    random = Random(seed)
    lengths = [random.randint(10, 12) * random.choice([10, 20, 30]) for _ in range(random.randint(1, 400))]
    assert heaps(np.array(lengths), shortest=100).tolist() == by_hand(lengths, 100)
