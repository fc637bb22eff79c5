"""How far a share of a whole can be from the share of a sample."""

from math import sqrt
from statistics import NormalDist


def wilson(found: int, of: int, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided Wilson score interval of a binomial share (Wilson 1927, without continuity correction).

    Args:
        found: how many of the sample have the property, 0 ≤ found ≤ of.
        of: the size of the sample, at least 1.
        confidence: between 0 and 1; each side is missed with half of the rest.

    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, square = found / of, z * z / of
    centre = share + square / 2
    reach = z * sqrt(share * (1 - share) / of + square / (4 * of))
    low, high = (centre - reach) / (1 + square), (centre + reach) / (1 + square)
    return (0.0 if found == 0 else low, 1.0 if found == of else high)


def missed_at_most(found: int, planted: int) -> float:
    """Upper bound, with 95 % confidence, on the share that is missed.

    Nothing missed: the rule of three (Hanley and Lippman-Hand 1983). Else the upper end of Wilson's one-sided interval,
    which is that of the two-sided one at 90 %. `planted` must not be 0.
    """
    if found == planted:
        return min(1.0, 3 / planted)
    return wilson(planted - found, planted, 0.9)[1]
