"""The scale that scores are on."""

import math

import polars as pl

# Upper ends of usual scales. A column is on one where nearly all scores are within it; a score on another scale stands
# beyond a gap, where a long tail has none.
_SCALES = (1.0, 5.0, 10.0)
_NEARLY_ALL, _GAP = 0.9, 1.5


def top_of_scale(numbers: pl.Series) -> float:
    """The upper end of the scale that nearly all scores are on, with others behind a gap; else infinite.

    numbers: floats; neither null nor NaN.
    """
    sizes = numbers.abs()
    for top in _SCALES:
        within = (sizes <= top).mean() or 0
        if isinstance(within, float) and _NEARLY_ALL <= within < 1:
            return top if not sizes.is_between(top, _GAP * top, closed="right").any() else math.inf
    return math.inf
