"""What tells two short texts apart: one sequence of pieces that both share or only one of them has."""

import re
from itertools import groupby
from typing import Literal

Side = Literal["both", "other", "here"]
LONGEST = 600  # tokens of a text that are compared; what is behind them counts as different. Cost: its square
JOINED = 3  # between two changes, fewer shared characters than this are part of one change
# A word of a script that has words, a run of white space, or one sign: of Han, kana and Hangul each is one.
_TOKEN = re.compile(r"(?:(?![\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff])\w)+|\s+|.", re.DOTALL)


def differences(other: str, here: str) -> list[tuple[Side, str]]:
    """Return the pieces in order: those of both and of `other` make `other`, those of both and of `here` make `here`.

    Chinese is compared sign by sign, English word by word, by a longest common subsequence.
    """
    left, right = _TOKEN.findall(other), _TOKEN.findall(here)
    start = _shared(left, right)
    end = _shared(left[start:][::-1], right[start:][::-1])
    middle = _aligned(left[start : len(left) - end], right[start : len(right) - end])
    tokens: list[tuple[Side, str]] = [("both", each) for each in left[:start]]
    tokens += [*middle, *(("both", each) for each in left[len(left) - end :])]
    return _joined(tokens)


def _shared(left: list[str], right: list[str]) -> int:
    """How many tokens two lists share from the beginning on."""
    few = min(len(left), len(right))
    return next((at for at in range(few) if left[at] != right[at]), few)


def _aligned(left: list[str], right: list[str]) -> list[tuple[Side, str]]:
    """Tokens in order, those that both have as far as the longest common subsequence goes."""
    rest: list[tuple[Side, str]] = [("other", each) for each in left[LONGEST:]]
    rest += [("here", each) for each in right[LONGEST:]]
    left, right = left[:LONGEST], right[:LONGEST]
    longest = [[0] * (len(right) + 1)]  # of what is left of both, from the ends backwards
    for token in reversed(left):
        below, row = longest[-1], [0] * (len(right) + 1)
        for at in range(len(right) - 1, -1, -1):
            row[at] = below[at + 1] + 1 if token == right[at] else max(below[at], row[at + 1])
        longest.append(row)
    longest.reverse()
    found: list[tuple[Side, str]] = []
    one = two = 0
    while one < len(left) and two < len(right):
        if left[one] == right[two]:
            found.append(("both", left[one]))
            one, two = one + 1, two + 1
        elif longest[one + 1][two] >= longest[one][two + 1]:
            found.append(("other", left[one]))
            one += 1
        else:
            found.append(("here", right[two]))
            two += 1
    found += [("other", each) for each in left[one:]]
    found += [("here", each) for each in right[two:]]
    return [*found, *rest]


def _joined(tokens: list[tuple[Side, str]]) -> list[tuple[Side, str]]:
    """Tokens of one side as one piece; in a change what is gone stands before what is new."""
    runs: list[tuple[bool, str, str]] = []  # whether both have it; what each has
    for shared, group in groupby(tokens, lambda token: token[0] == "both"):
        both = list(group)
        runs.append((shared, *("".join(t for side, t in both if side != without) for without in ("here", "other"))))
    inside = range(1, len(runs) - 1)
    runs = [(run[0] and not (at in inside and len(run[1]) < JOINED), *run[1:]) for at, run in enumerate(runs)]
    pieces: list[tuple[Side, str]] = []
    for shared, same in groupby(runs, lambda run: run[0]):
        other, here = map("".join, zip(*(run[1:] for run in same), strict=True))
        pieces += [("both", other)] if shared else [("other", other), ("here", here)]
    return [piece for piece in pieces if piece[1]]
