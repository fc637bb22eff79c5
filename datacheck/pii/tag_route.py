"""jieba's hidden Markov model of tags: the most likely states of characters that are no word of its dictionary.

jieba looks in Python at each pair of states; of 256 a character may be in some ten, or, where it is rare, in all. Here
a step is one table of numpy's. Sums are made in jieba's order, and of equal ones the last state in the order of
their names counts, so the route is the same.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from datacheck.text.arrays import Bools, Float64s, Int64s

State = tuple[str, str]  # where in its word a character stands (B, M, E, S), and the tag of the word
_UNSEEN = -3.14e100  # the logarithm of what is unlikely, as jieba has it


class TagModel:
    """The model as jieba's tables give it: logarithms of probabilities, and the states of each character."""

    def __init__(
        self,
        states: Mapping[str, tuple[State, ...]],
        start: Mapping[State, float],
        steps: Mapping[State, Mapping[State, float]],
        emit: Mapping[State, Mapping[str, float]],
    ) -> None:
        self._names = sorted(steps, reverse=True)  # the first of equal ones is the last by its name
        self._numbers = {state: number for number, state in enumerate(self._names)}
        self._states, self._emit = states, [emit[state] for state in self._names]
        self._start = np.array([start[state] for state in self._names])
        self._steps = np.full((len(steps), len(steps)), -np.inf)
        for state, after in steps.items():
            self._steps[self._numbers[state], [self._numbers[each] for each in after]] = list(after.values())
        self._follows = self._steps > -np.inf
        self._of = lru_cache(4096)(self._states_of)

    def route(self, text: str) -> list[State]:
        """The most likely states of the characters of a text, which is not empty."""
        at, emitted = self._of(text[0])
        score = self._start[at] + emitted
        behind: list[tuple[Int64s, Int64s]] = []  # the states of each character, and the best one before each
        for char in text[1:]:
            expected: Bools = np.logical_or.reduce(self._follows[at])  # may come behind one of these
            states, emitted = self._of(char)
            fits = expected[states]
            if fits.any():
                states, emitted = states[fits], emitted[fits]
            else:
                states = np.flatnonzero(expected)
                emitted = self._emitted(char, states)
            sums = score[:, None] + self._steps[at[:, None], states] + emitted
            best = sums.argmax(axis=0)
            behind.append((states, at[best]))
            at, score = states, sums[best, np.arange(len(states))]
        route = [at[score.argmax()]]
        for states, before in reversed(behind):
            route.append(before[np.searchsorted(states, route[-1])])
        return [self._names[number] for number in reversed(route)]

    def _states_of(self, char: str) -> tuple[Int64s, Float64s]:
        """The states that a character may be in, ascending, and how likely it is in each; of an unknown one all."""
        own = self._states.get(char, self._names)
        at = np.array(sorted(self._numbers[state] for state in own), np.int64)
        return at, self._emitted(char, at)

    def _emitted(self, char: str, states: Int64s) -> Float64s:
        return np.array([self._emit[number].get(char, _UNSEEN) for number in states.tolist()], np.float64)
