r"""Sums of numbers that a text works out ("12 × 4 = 48"), and whether they are right.

Only what can be read in one way is judged: numbers with signs between them, an equals sign and one number. Not judged
are expressions with brackets, powers, units or letters in them, divisions by fractions (`6 / 2/3`), a percentage added
to a number, numbers with leading zeros (clock times, codes), and what goes on behind the result (`= 48 - 2`, `= 2x`).
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

# Fifteen digits: what follows is exact and soon done, whatever stands there.
_NUMBER = r"(?:[$¥￥€£]|\\\$)?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,15})?(?:\\?%)?"
_SIGN = r"[+\-*/×÷x−–·]|\\times|\\div|\\cdot"
_EQUATION = re.compile(
    # It begins here: behind no sign, bracket or number that belongs to it,
    r"(?<![\w.,+\-*/×÷^%)\]}=:\[{|√!≤≥<>−–—·⁄°'\"′π\\$¥￥€£])(?<![\d)\]}+\-*/×÷=^−–—·%] )(?<!\.\. )"
    r"(?<! [xX] )(?<!\d, )(?<!\d: )(?<![€“] )"
    r"(?<![\w*/×^\\)}]\()(?<![*/×+\-−] \()(?<!times )(?<!div )(?<!cdot )(?<!and )(?<!分之)"
    rf"(?P<left>{_NUMBER}(?: ?(?:{_SIGN}) ?{_NUMBER}){{1,30}})"
    rf" ?= ?(?:\*\*|\\boxed\{{)?(?P<right>[-−]?{_NUMBER}(?: ?/ ?\d{{1,15}}(?![\d.]))?)"
    # and ends there: no sign, unit or letter changes what the number is.
    r"(?![\w^(!√°π%{⁄]|[.,:][\d\\]| ?\\(?![)\]])| ?[+\-*/×÷−–—·⁄^=≈](?!\*)| ?[xX] ?\d| ?mod|≡| ?\(| \d{3}\b"
    r"| (?![aAI]\b)[A-Za-z]\b)"
)
# What stands before takes the first number to itself: \frac 12 \cdot 5, \sqrt 3 + 1, log 2 + 3.
_TAKEN = re.compile(r"(?:\\(?!q?quad|text|implies|Rightarrow|to\b|begin)[A-Za-z]+|\b(?:log|ln|sin|cos|tan|sqrt)) ?\$?$")
_SPLIT = re.compile(rf" ?({_SIGN}) ?")
_LEADING_ZERO = re.compile(r"(?<![\d.,])0\d")
_PLAIN = str.maketrans({"×": "*", "x": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})
_NO_VALUE = str.maketrans(dict.fromkeys("$¥￥€£,\\ "))
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")
_RANGE = re.compile(r"(\d+)-(\d+)")  # 6-39 = 2.250: of six to thirty-nine
_NEAR = 16  # characters before a sum
_ROUNDED = Fraction(1, 100)  # of a result that need not be exact: what people leave out


class Equation(NamedTuple):
    """One sum: where it stands in a text (characters), its left side, what that comes to, and whether it says so."""

    start: int
    end: int
    left: str
    result: str
    holds: bool


def equations(text: str) -> Iterator[Equation]:
    """The sums of a text that can be read in one way."""
    for found in _EQUATION.finditer(text):
        left, right = found["left"], found["right"]
        if _TAKEN.search(text, max(0, found.start() - _NEAR), found.start()) or _is_range(left, right):
            continue
        worked = None if _LEADING_ZERO.search(found[0]) else _worked(*_parts(left))
        said = _said(right)
        if worked is not None and said is not None:
            end = found.end("right")
            yield Equation(found.start("left"), end, left, _written(worked), _equal(worked, said, left, right))


def _is_range(left: str, right: str) -> bool:
    """Whether a left side is two ascending numbers with a hyphen between them, and the right one no difference."""
    ends = _RANGE.fullmatch(left)
    return ends is not None and int(ends[1]) < int(ends[2]) and right[0] not in "-−"


def _equal(worked: Fraction, said: Fraction, left: str, right: str) -> bool:
    """Whether a sum comes to what is said, as far as that is rounded."""
    if _GROUPED.fullmatch(right):  # 250 × 7 = 1.750, as Spanish and German write it
        grouped = _value(right.replace(".", ""))
        said = grouped if grouped == worked else said
    off = abs(worked - said)
    if not off or worked * 100 == said or worked == said * 100:  # a per cent sign may go unsaid
        return True
    numbers, signs = _parts(left)
    whole = "/" not in signs and not any("." in each or "%" in each for each in (*numbers, right))
    return not whole and off <= max(_last_place(right), _ROUNDED * abs(worked))


def _parts(left: str) -> tuple[list[str], list[str]]:
    """The numbers of a left side, and the signs between them as * / + -."""
    parts = _SPLIT.split(left.replace(r"\times", "*").replace(r"\div", "/").replace(r"\cdot", "*").translate(_PLAIN))
    return parts[::2], parts[1::2]


def _written(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"


def _worked(numbers: list[str], signs: list[str]) -> Fraction | None:
    """The value of the left side: products first."""
    if signs.count("/") > 1 or ("%" in "".join(numbers) and {"+", "-"} & {*signs}):
        return None
    terms = [_value(numbers[0])]
    for sign, number in zip(signs, numbers[1:], strict=True):
        value = _value(number)
        if sign == "*":
            terms[-1] *= value
        elif sign == "/":
            if not value:
                return None
            terms[-1] /= value
        else:
            terms.append(value if sign == "+" else -value)
    return sum(terms, Fraction(0))


def _said(right: str) -> Fraction | None:
    negative, over = right[0] in "-−", right.lstrip("-−").split("/")
    if len(over) == 2 and not _value(over[1]):
        return None
    value = _value(over[0]) / (_value(over[1]) if len(over) == 2 else 1)
    return -value if negative else value


def _value(number: str) -> Fraction:
    plain = number.translate(_NO_VALUE)
    return Fraction(plain.rstrip("%")) / (100 if plain.endswith("%") else 1)


def _last_place(number: str) -> Fraction:
    """One unit of the last place of a number."""
    plain = number.translate(_NO_VALUE)
    places = len(plain.rstrip("%").partition(".")[2]) if "/" not in plain else 0
    return Fraction(1, 10 ** (places + 2 * plain.endswith("%")))
