"""Lists that stand as text, in Python's spelling: parsed as literals, never evaluated."""

import ast
import warnings
from typing import Any, Literal, NamedTuple

MOST = 1024 * 1024  # characters; Python's parser needs some hundred times as many bytes
_NUMBER_SIGNS = (ast.UAdd, ast.USub)


class Parsed(NamedTuple):
    """The items of a list, or why there are none.

    runs_code: it is a Python expression that is no literal: a loader that hands it to `eval` runs it. not_a_list:
    anything else.
    """

    items: tuple[Any, ...] | None
    problem: Literal["runs_code", "not_a_list"] | None


def parse_list(text: str) -> Parsed:
    """Parse `text` as a flat list (or tuple) of strings, numbers, true, false and None; deeper ones are no lists here.

    Nothing is evaluated. Never raises.
    """
    if len(text) > MOST:
        return Parsed(None, "not_a_list")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\\d" in a string: the parser would warn, and quote the data
            body = ast.parse(text.strip(" \t"), mode="eval").body
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return Parsed(None, "not_a_list")
    if not _is_literal(body):
        return Parsed(None, "runs_code")
    if not isinstance(body, ast.List | ast.Tuple) or not all(_is_scalar(item) for item in body.elts):
        return Parsed(None, "not_a_list")
    return Parsed(tuple(map(ast.literal_eval, body.elts)), None)


def _is_literal(node: ast.expr) -> bool:
    """Whether nothing runs: no names, no calls, no operators but signs."""
    waiting: list[ast.expr | None] = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.List | ast.Tuple | ast.Set):
            waiting += one.elts
        elif isinstance(one, ast.Dict):
            waiting += [*one.keys, *one.values]
        elif one is None or not _is_scalar(one):
            return False
    return True


def _is_scalar(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, _NUMBER_SIGNS):
        return isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float)
    return isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None)
