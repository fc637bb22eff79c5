import random
from itertools import pairwise

import pytest

from datacheck.check import Ratio
from datacheck.checks.contradictory_pairs import ContradictoryPairs
from datacheck.testing import measure


def pairs(*triples):
    return [{"prompt": prompt, "chosen": chosen, "rejected": rejected} for prompt, chosen, rejected in triples]


def test_opposite_pairs():
    result = measure(
        ContradictoryPairs(), pairs(("问", "甲", "乙"), ("问", "丙", "乙"), ("问", "乙", "甲 "), ("别的", "乙", "甲"))
    )
    assert result.value("rate") == Ratio(2, 4)
    assert result.evidence.select("row", "problem", "other").rows() == [
        (0, "opposite_pair", "train/data.jsonl:3"),
        (2, "opposite_pair", "train/data.jsonl:1"),
    ]


def test_the_first_opposite_pair_is_named():
    result = measure(ContradictoryPairs(), pairs(("问", "甲", "乙"), ("问", "乙", "甲"), ("问", "乙", "甲")))
    assert [line["other"] for line in result.first] == [f"train/data.jsonl:{line}" for line in (2, 1, 1)]


def test_a_cycle_of_three_and_a_ranking():
    cycle = [("问", "甲", "乙"), ("问", "乙", "丙"), ("问", "丙", "甲")]
    ranking = [("排", "甲", "乙"), ("排", "乙", "丙"), ("排", "甲", "丙"), ("排", "甲", "乙")]
    into = [("问", "外", "甲"), ("问", "甲", "末")]  # touch the cycle without lying on it
    result = measure(ContradictoryPairs(), pairs(*cycle, *ranking, *into))
    assert result.problems == [(0, "cycle"), (1, "cycle"), (2, "cycle")]
    assert result.value("rate") == Ratio(3, 9)


def test_a_path_between_two_cycles_is_no_contradiction():
    result = measure(ContradictoryPairs(), pairs(*(("p", *two) for two in ["ab", "ba", "bc", "cd", "dc"])))
    assert [row for row, _ in result.problems] == [0, 1, 3, 4]


def test_equal_answers_belong_to_identical_pairs():
    assert measure(ContradictoryPairs(), pairs(("p", "a", "a"))).value("rate") == Ratio(0, 1)


def test_no_pairs():
    result = measure(ContradictoryPairs(), [{"prompt": "a", "completion": "b"}])
    assert result.value("rate") is None
    assert result.not_checked == ("no row has both a chosen and a rejected answer",)
    assert measure(ContradictoryPairs(), []).value("rate") is None


@pytest.mark.parametrize("seed", range(5))
def test_like_a_search_for_a_way_back(seed):
    """A pair contradicts others if its loser reaches its winner: depth-first search, written apart."""
    rng = random.Random(seed)
    triples = [(rng.choice("pq"), *rng.sample("abcdefgh", 2)) for _ in range(14)]

    def reaches(prompt, start, goal, seen):
        nexts = {loser for p, winner, loser in triples if (p, winner) == (prompt, start)} - seen
        return goal in nexts or any(reaches(prompt, one, goal, seen | nexts) for one in nexts)

    truth = [n for n, (p, winner, loser) in enumerate(triples) if reaches(p, loser, winner, set())]
    assert [row for row, _ in measure(ContradictoryPairs(), pairs(*triples)).problems] == truth


def test_a_long_chain_is_peeled():
    chain = [("p", f"answer {n}", f"answer {m}") for n, m in pairwise(range(60))]
    assert measure(ContradictoryPairs(), pairs(*chain)).value("rate") == Ratio(0, 59)
