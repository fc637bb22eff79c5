from collections import Counter
from random import Random

import numpy as np
import pytest

from datacheck.text.length_peaks import ceiling, heaps


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


def test_a_ceiling_is_where_the_longest_texts_have_no_end():
    """Sizes as a limit of tokens leaves them: the longest within a quarter, and hardly one of them ended."""
    random = Random(5)
    short = [random.randint(100, 450) for _ in range(200)]
    long = [random.randint(800, 1000) for _ in range(30)]
    ended, cut = [False] * len(short), [True] * len(long)

    def found(sizes, is_open):
        return ceiling(np.array(sizes), np.array(is_open))

    assert found(short + long, ended + cut) == min(long)
    assert found(short + long, ended + [False] * len(long)) is None
    assert found(short + long, [n % 3 == 0 for n in range(len(short))] + cut) is None  # a set that has no ends
    assert found(short + long[:9], ended + cut[:9]) is None
    assert found([*short, *long, 2000], [*ended, *cut, True]) is None  # one is longer than any limit
    assert found(short[:20] + long, ended[:20] + cut) is None  # by so few nobody sees that texts do end
    assert found([], []) is None
