"""Numbers as the JSON of the `datasets` library writes and reads them: pandas' ujson, which does neither exactly.

A column that Arrow has no type for is kept as JSON text, and what comes out is not always what went in: 0.3 is read as
3 x 0.1 = 0.30000000000000004, decimals behind the tenth are lost, -18446744073709551616 is 0. Written after pandas'
ultrajsonenc.c and ultrajsondec.c (`double_precision` 10, `precise_float` off); docs/trainers.md says which versions
were compared.
"""

import math
import re

_DECIMALS = 10
_MOST_DECIMALS = 15  # that are read; those behind them are passed over
_LARGEST, _SMALLEST = 1e16 - 1, 1e-15  # beyond them numbers are written with an exponent, by C's %g
_COUNTED = 1 << 64  # whole numbers are counted modulo this
_MOST_NEGATIVE = 1 << 63
_SAFE_DIGITS = 18
_TENTHS = tuple(float(f"1e-{n}") for n in range(_MOST_DECIMALS + 1))
_NUMBER = re.compile(r"(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d*))?", re.ASCII)


def written(value: float) -> str:
    """The text of a fraction; of NaN and Infinity `null`."""
    if not math.isfinite(value):
        return "null"
    size = abs(value)
    if size > _LARGEST or (size and size < _SMALLEST):
        return f"{value:.{_DECIMALS}g}"
    whole = int(size)
    scaled = (size - whole) * 10**_DECIMALS
    behind = int(scaled)
    rest = scaled - behind
    if rest > 0.5 or (rest == 0.5 and (not behind or behind % 2)):
        behind += 1
    if behind >= 10**_DECIMALS:
        behind, whole = 0, whole + 1
    decimals = f"{behind:0{_DECIMALS}d}".rstrip("0") or "0"
    return f"{'-' if value < 0 else ''}{whole}.{decimals}"


def whole(text: str) -> int:
    """The number that digits, behind a minus or not, are read as; that may be another one where 64 bits do not hold it.

    Raises ValueError where it is refused: after a digit that made the count smaller, or, behind a minus, above 2**63.
    """
    digits = text.removeprefix("-")
    if len(digits) <= _SAFE_DIGITS:
        return int(text)
    negative, count = text != digits, 0
    for digit in digits:
        before, count = count, (count * 10 + int(digit)) % _COUNTED
        if count > _MOST_NEGATIVE if negative else count < before:
            raise ValueError("more than 64 bits")
    return -count if negative else count


def fraction(text: str) -> float:
    """The number that a text with a point or an exponent is read as. Raises ValueError for others."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError("no number")
    sign, digits, decimals, exponent = found.groups(default="")
    size = abs(whole(f"{sign}{digits}")) if digits else 0
    behind = 0.0
    for digit in decimals[:_MOST_DECIMALS]:
        behind = behind * 10.0 + int(digit)
    value = (float(size) + behind * _TENTHS[len(decimals[:_MOST_DECIMALS])]) * (-1.0 if sign else 1.0)
    return value * _power(int(exponent) if exponent.strip("+-") else 0) if exponent else value


def _power(exponent: int) -> float:
    try:
        return math.pow(10.0, exponent)
    except OverflowError:
        return math.inf


def kept(value: float) -> float | None:
    """A fraction as it comes out of a column of JSON; None for what JSON has no word for."""
    return fraction(written(value)) if math.isfinite(value) else None
