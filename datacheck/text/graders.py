r"""Graders: how rule-based rewards read a gold answer, as small pure functions.

A grader is the function that gives an answer its canonical form, or None where it cannot read it. An answer is right
when its form equals the gold's. A gold that its own grader cannot read can never be matched: its row trains nothing,
whatever the model says.
"""

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec

import jiter

_VERL = re.compile(r"-?[0-9.]*[0-9][0-9.]*", re.ASCII)
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?:\\?[$€£¥])?(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?P<part>\.[0-9]*)?(?:[eE](?P<power>[-+]?[0-9]{1,3}))?"
)
_SCALE = re.compile(r"\s*(万亿|亿|万|thousand|million|billion|trillion)(?![a-z])")
_POWERS = {"万": 4, "亿": 8, "万亿": 12, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_UNIT = re.compile(  # words and signs, m2, m^2, \text{ cm}; no arithmetic: 2x+1 and 3小时20分 are not 2 and 3
    r"(?=[^\W\d_]|[%°℃\\/]|\^\{?\\circ)"
    r"(?:[^\W\d_][23]?|[%°℃'′″./·\s()-]|\^\{?-?[0-9]\}?|\\[%,;!$ ]|\^?\{?\\(?:circ|degree)\}?"
    r"|\\(?:text|mathrm|mbox)\s*\{[^{}\\]*\}(?:\^\{?[0-9]\}?)?){1,20}"
)
_VARIABLE = re.compile(r"(?:^|[\s/·(])(?:[abeiknpqxyzπ](?![^\W\d_])|sqrt|pi\b|又)")  # 2x, 2π, 2又1/2
_OTHER_BASE = re.compile("[-+]?0[xXoObB][0-9a-fA-F]")  # 0x1F is not 0 with a unit
_FRACTION = re.compile(r"([-+]?[0-9]+)/([0-9]+)|([-+]?)\\[dt]?frac(?:\{([0-9]+)\}\{([0-9]+)\}|([0-9])([0-9]))")
_CHOICES = re.compile(r"[A-Z](?:(?:\s*(?:[,、;/&和与]|AND)\s*|\s+)[A-Z])*|[A-Z]{2,10}")
_BRACES = re.compile(r"(\\f?boxed\s*\{)|\\.|([{}])", re.DOTALL)
_LONGEST_NUMBER = 200  # characters; int() refuses 4,300 digits


def exact(answer: str) -> str | None:
    """The answer without white space at its ends; None if nothing is left."""
    return answer.strip() or None


def integer(answer: str) -> str | None:
    """A whole number as `int()` writes it: no sign +, no separators, no leading zeros, no unit (MLX-GRPO's rewards)."""
    return answer if _INTEGER.fullmatch(answer) else None


def gsm8k(answer: str) -> str | None:
    """A gold that verl's reward for GSM8K can match: digits, points and a minus sign, nothing else.

    Source: verl/utils/reward_score/gsm8k.py takes `#### (-?[0-9.,]+)` out of the answer and drops its commas, and
    compares that with the gold as text: a gold "1,080", "$5", "50%" or "18 " gets no answer.
    """
    return answer if _VERL.fullmatch(answer) else None


def number(answer: str) -> str | None:
    r"""A number, whatever its dress: "1,080", "$1,080.00", "１０８０元", "50%", "3/4", "\frac{3}{4}", "1e3", "1.2万".

    A unit may follow; it is not compared (lm-evaluation-harness's flexible match does the same). A per cent sign is a
    unit too: 50% is 50. Variables, roots, π, mixed numbers and times of day are no units: such a text is no number.
    """
    if len(answer) > _LONGEST_NUMBER:
        return None
    text = unicodedata.normalize("NFKC", answer).strip().strip("$").strip().replace("−", "-").rstrip(".。")
    if ratio := _FRACTION.fullmatch(text):
        return _quotient(ratio)
    match = _NUMBER.match(text)
    if match is None or not (match["whole"] or (match["part"] or ".") != ".") or _OTHER_BASE.match(text):
        return None
    scale = _SCALE.match(text, match.end())
    rest = text[(scale or match).end() :].strip()
    if rest and (not _UNIT.fullmatch(rest) or _VARIABLE.search(rest)):
        return None
    digits = (match["whole"] or "0").replace(",", "") + (match["part"] or "").rstrip(".")
    power = int(match["power"] or 0) + (_POWERS[scale[1]] if scale else 0)
    return str(Fraction(match["sign"] + digits) * Fraction(10) ** power)


def _quotient(ratio: re.Match[str]) -> str | None:
    sign = ratio[3] or ""
    above, below = (ratio[1] or ratio[4] or ratio[6]), (ratio[2] or ratio[5] or ratio[7])
    return str(Fraction(int(sign + above), int(below))) if int(below) else None


def choice(answer: str) -> str | None:
    """The letters of the options that are right, sorted: "(B)", "B.", "b", "C, A", "A和C", "ACD" (but not "BANANA")."""
    text = unicodedata.normalize("NFKC", answer[:_LONGEST_NUMBER]).strip("()[]【】.。、,:'\" \n\t").upper()
    letters = re.findall("[A-Z]", text.replace("AND", " "))
    if not letters or not _CHOICES.fullmatch(text) or len(set(letters)) < len(letters):
        return None
    in_order = sorted(letters)
    return "".join(in_order) if in_order == letters or len(text) > len(letters) else None


def json(answer: str) -> str | None:
    """A JSON object or list in canonical spelling: keys sorted, no blanks."""
    value = _parsed(answer)
    return _canonical(value) if isinstance(value, dict | list) else None


def tool_call(answer: str) -> str | None:
    """A call, or a list of calls, with a name and arguments (an object, or JSON text of one)."""
    value = _parsed(answer)
    calls = value if isinstance(value, list) else [value]
    forms = [_call(call) for call in calls]
    return _canonical(forms) if forms and None not in forms else None


# ── expressions ───────────────────────────────────────────────────────────────────────────────────────
_LONGEST_EXPRESSION = 2_000  # characters
_PLAIN = re.compile(r"-?[0-9,]{1,100}|[A-Za-z]")
_SLASH = re.compile(r"(0|-?[1-9][0-9]*)/(0|-?[1-9][0-9]*)")
_DRESSED = re.compile(r"^(?:答案|[Aa]nswer)|(?<!\\)[$%]|(?:^|[^.])[.。]$|\\(?:f?boxed|fbox)(?![a-z])")
_STEPS = (
    ("\n", ""), ("\\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"), ("\\left", ""), ("\\right", ""),
    ("^{\\circ}", ""), ("^\\circ", ""), ("\\$", ""),
)  # fmt: skip


def latex(answer: str) -> str | None:
    r"""An expression in LaTeX in one spelling, by the rules of `is_equiv` of MATH.

    Source: modeling/math_equivalence.py of github.com/hendrycks/math; lm-evaluation-harness (hendrycks_math) and verl
    (math_reward) compare by the same rules, verl's prime_math (from prm800k) before rules of its own. `\tfrac12`,
    `\frac12`, `1/2` and `0.5` (that one decimal only) are `\frac{1}{2}`; `\left`, `\right`, `\!`, blanks, `\$`,
    `\%`, degrees, and all that follows `\text{ ` do not count; `.5` is `0.5`, `x=5` is `5`. Where the rules raise, the
    text itself is compared. Values are not computed (0.25 is not 1/4): there is `math_verify`.

    None where an answer in a box cannot be the same: braces that do not balance, nothing left, and what belongs to
    the text around an answer (a bare `$` or `%`, a full stop, 答案, the box itself), which the rules leave there.
    """
    plain = answer.strip()
    if _PLAIN.fullmatch(plain):
        return plain  # what most golds are: no rule touches it
    if not plain or len(plain) > _LONGEST_EXPRESSION or not _balanced(plain) or _DRESSED.search(plain):
        return None
    try:
        return _one_spelling(plain) or None
    except (IndexError, ValueError):
        return plain


def _one_spelling(text: str) -> str:
    """The steps of `_strip_string`, in its order. Raises IndexError and ValueError where that raises."""
    for written, plain in _STEPS:
        text = text.replace(written, plain)
    if "\\text{ " in text:
        text, _ = text.split("\\text{ ")
    text = text.replace("\\%", "").replace(" .", " 0.").replace("{.", "{0.")
    text = f"0{text}" if text.startswith(".") else text
    name, *value = text.split("=")
    if len(value) == 1 and len(name) <= 2:
        text = value[0]
    first, *roots = text.split("\\sqrt")
    text = first + "".join("\\sqrt" + (root if root[0] == "{" else f"{{{root[0]}}}{root[1:]}") for root in roots)
    text = _fractions(text.replace(" ", ""))
    return _of_integers(r"\frac{1}{2}" if text == "0.5" else text)


def _fractions(text: str) -> str:
    r"""Put braces around arguments of one sign: `\frac12`, `\frac1{72}` (not `\frac{72}1`); one sign alone stops it."""
    first, *pieces = text.split("\\frac")
    for number, piece in enumerate(pieces):
        if piece[0] != "{":
            if len(piece) == 1:
                return text
            below = piece[1:] if piece[1] == "{" else f"{{{piece[1]}}}{piece[2:]}"
            pieces[number] = f"{{{piece[0]}}}{below}"
    return "\\frac".join([first, *pieces])


def _of_integers(text: str) -> str:
    """`a/b` of two integers as a fraction."""
    slash = _SLASH.fullmatch(text)
    return rf"\frac{{{slash[1]}}}{{{slash[2]}}}" if slash else text


def _balanced(text: str) -> bool:
    r"""Whether every brace has its partner; `\{` is a sign, no brace."""
    depth = 0
    for brace in re.findall(r"\\.|([{}])", text):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            return False
    return depth == 0


class GraderFailedError(Exception):
    """A grader came to no result: it took too long, or raised. Neither right nor wrong."""


def math_verify(answer: str) -> str | None:
    r"""The answer itself, if math-verify finds `\boxed{answer}` equal to `answer`; needs the package of that name.

    As in open-r1's rewards the gold is parsed as `$…$` and the answer out of a box. Raises GraderFailedError where it
    took longer than five seconds or raised.
    """
    from math_verify import parse, verify  # optional, loads sympy

    if not answer.strip() or len(answer) > _LONGEST_EXPRESSION:
        return None
    try:
        gold = parse(f"${answer.strip().strip('$')}$", raise_on_error=True)
        said = parse(rf"\boxed{{{answer.strip().strip('$')}}}", raise_on_error=True)
        same = bool(gold) and bool(said) and verify(gold, said, raise_on_error=True)
    except Exception as error:  # noqa: BLE001 - sympy raises anything
        raise GraderFailedError(type(error).__name__) from None
    return answer if same else None


_TEXT = re.compile(r"\\(?:text|mbox|mathrm|textbf|mathbf)\s*\{([^{}]*)\}")
_COMMANDS = re.compile(r"\\[A-Za-z]+")
_WORDS = re.compile(r"[^\W\d_]{2,}")


def agree(gold: str, said: str) -> bool | None:
    """Whether two answers are one: in spelling, as numbers, or by math-verify where it is there; None: not known.

    Words, and a letter beside what is none, are not compared: "B" may be the option that says 12.
    """
    one, other = (_TEXT.sub(r"\1", answer).strip().strip("$").strip(" .。") for answer in (gold, said))
    if one.casefold() == other.casefold():
        return True
    values = number(one), number(other)
    if None not in values:
        return values[0] == values[1] or _as_parts(one) == _as_parts(other)
    if choice(one) and choice(other):
        return choice(one) == choice(other)
    spelt = latex(one), latex(other)
    if spelt[0] is not None and spelt[0] == spelt[1]:
        return True
    if any(choice(answer) or _WORDS.search(_COMMANDS.sub("", answer)) for answer in (one, other)):
        return None
    return _verified(one, other) if find_spec("math_verify") else None


def _as_parts(answer: str) -> Fraction | None:
    """The value of a number, in which 10% is 1/10."""
    value = number(answer)
    return Fraction(value) / (100 if "%" in answer else 1) if value is not None else None


def _verified(gold: str, said: str) -> bool | None:
    """What math-verify says of two formulas, in either order; None where it does not read one of them."""
    from math_verify import parse, verify  # optional, loads sympy

    if max(len(gold), len(said)) > _LONGEST_EXPRESSION:
        return None
    try:
        one, other = (parse(f"${answer}$", raise_on_error=True) for answer in (gold, said))
        same = verify(one, other, raise_on_error=True) or verify(other, one, raise_on_error=True)
    except Exception:  # noqa: BLE001 - sympy raises anything
        return None
    return bool(same) if one and other else None


GRADERS: dict[str, Callable[[str], str | None]] = {
    "exact": exact, "integer": integer, "gsm8k": gsm8k, "number": number, "choice": choice, "json": json,
    "tool_call": tool_call, "latex": latex, "math_verify": math_verify,
}  # fmt: skip


def _parsed(answer: str) -> object:
    try:
        return jiter.from_json(answer.encode("utf-8", "surrogatepass"), catch_duplicate_keys=True, allow_inf_nan=False)
    except ValueError:
        return None


def _canonical(value: object) -> str:
    import json as standard  # the name belongs to the grader here

    return standard.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _call(call: object) -> list[object] | None:
    if not isinstance(call, dict):
        return None
    function = call.get("function")
    call = function if isinstance(function, dict) else call
    name, arguments = call.get("name"), call.get("arguments", call.get("parameters"))
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    return [name, arguments] if isinstance(name, str) and name and isinstance(arguments, dict) else None


# ── taking the answer out of a solution ───────────────────────────────────────────────────────────────
def after_hashes(solution: str) -> list[str]:
    """What follows each `#### ` of a solution, to the end of its line (GSM8K's convention)."""
    return [piece.partition("\n")[0].strip() for piece in solution.split("####")[1:]]


def in_boxes(solution: str) -> list[str]:
    r"""The contents of each outermost `\boxed{…}` (or `\fboxed`), braces balanced; an open one is left out."""
    found: list[str] = []
    open_: list[int | None] = []  # where the contents of a box begin; None for another brace
    for match in _BRACES.finditer(solution):
        box, brace = match.groups()
        if box or brace == "{":
            open_.append(match.end() if box else None)
        elif brace and open_:
            start = open_.pop()
            if start is not None and all(outer is None for outer in open_):
                found.append(solution[start : match.start()].strip())
    return found


def whole(solution: str) -> list[str]:
    """The solution itself."""
    return [solution.strip()]


TAKERS: dict[str, Callable[[str], list[str]]] = {"whole": whole, "hash": after_hashes, "boxed": in_boxes}


def taker_of(solution: str) -> str:
    """Which convention a solution follows, by its marks."""
    if "####" in solution:
        return "hash"
    return "boxed" if "boxed{" in solution else "whole"
