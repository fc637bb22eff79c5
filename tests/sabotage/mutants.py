"""Mutants of the rooms where a fault would let bad data pass: `make mutants`.

Comparisons at their boundary and turned round, `not` dropped, `and` for `or`, constants that are returned or
compared: every place of a room's functions where one fits, thinned evenly to those asked for. Each mutant runs the
fast tests of its room until the first one fails; those that no test notices are named with file and line.
"""

import argparse
import ast
import copy
import importlib
import inspect
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))
from breaking import broken, code_in, outcomes, say

PROMISES = "tests/end_to_end/test_promises.py"
ROOMS = {
    "datacheck.verdict.judge": (
        "tests/verdict",
        "tests/engine/test_coverage.py",
        "tests/end_to_end/test_optional_datasets.py",
        PROMISES,
    ),
    "datacheck.loading.reader": ("tests/loading", PROMISES),
    "datacheck.gate.verify": ("tests/gate/test_tampering.py", "tests/gate/test_guard.py", "tests/gate/test_waivers.py"),
    "datacheck.gate.guard": ("tests/gate/test_guard.py", "tests/gate/test_tampering.py"),
    "datacheck.pii.excerpts": ("tests/pii/test_redaction.py", "tests/report", PROMISES),
    "datacheck.pii.matching.required": ("tests/pii/test_required.py", "tests/pii/test_redaction.py"),
}
TURNED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def mutated(node: ast.AST) -> ast.AST | None:
    """The node with one fault, None where none fits."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare):
        new.ops[0] = TURNED[type(new.ops[0])]()
    elif isinstance(new, ast.BoolOp):
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not):
        return new.operand
    elif isinstance(new, ast.Constant) and type(new.value) is bool:
        new.value = not new.value
    elif isinstance(new, ast.Constant) and type(new.value) is int:
        new.value += 1
    elif isinstance(new, ast.Return) and new.value is not None and not isinstance(new.value, ast.Constant):
        new.value = ast.Constant(None)
    else:
        return None
    return new


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().visit(node)


def functions(module) -> Iterator[FunctionType]:
    """All functions and methods that the module defines; of a property its getter, of a wrapped one itself."""
    for owner in (
        module,
        *(v for v in vars(module).values() if inspect.isclass(v) and v.__module__ == module.__name__),
    ):
        for value in vars(owner).values():
            found = inspect.unwrap(getattr(value, "fget", None) or getattr(value, "__func__", None) or value)
            if isinstance(found, FunctionType) and found.__module__ == module.__name__ and found.__name__[:2] != "__":
                yield found


def places(tree: ast.Module, function: FunctionType) -> list[ast.AST]:
    """Where a fault fits in a function.

    How much of a text is shown or cut lets no bad data pass, and defaults are none of the function's code.
    """
    first = function.__code__.co_firstlineno
    last = first + len(inspect.getsourcelines(function)[0])
    out = [part for part in ast.walk(tree) if isinstance(part, ast.JoinedStr | ast.Slice | ast.arguments)]
    other = {id(node) for part in out for node in ast.walk(part)}
    own = (node for node in ast.walk(tree) if first <= getattr(node, "lineno", 0) < last and id(node) not in other)
    return [node for node in own if mutated(node)]


def mutants(name: str) -> Iterator[tuple[FunctionType, object, str]]:
    """(function, its code with one fault, what was done) for every fault that fits."""
    module = importlib.import_module(name)
    source = inspect.getsource(module)
    for function in functions(module):
        for number in range(len(places(ast.parse(source), function))):
            tree = ast.parse(source)
            old = places(tree, function)[number]
            new = mutated(old)
            told = f"{Path(module.__file__).name}:{old.lineno} {function.__qualname__}: {ast.unparse(old)[:60]}"
            tree = ast.fix_missing_locations(_Swap(old, ast.copy_location(new, old)).visit(tree))
            code = code_in(compile(tree, module.__file__, "exec"), function)
            yield function, code, f"{told}  ->  {ast.unparse(new)[:60]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rooms", nargs="*", help=f"modules, by default {', '.join(ROOMS)}")
    parser.add_argument("--each", type=int, default=8, help="mutants of each module (0: all)")
    given = parser.parse_args()
    for room in given.rooms or ROOMS:
        every = list(mutants(room))
        chosen = every[:: max(len(every) // given.each, 1)] if given.each else every
        start, survived = time.monotonic(), []
        for function, code, told in chosen:
            with broken(function, code):
                if not outcomes(list(ROOMS[room]), "-x").failed:
                    survived.append(told)
                    say(f"  survives: {told}")
        caught = len(chosen) - len(survived)
        say(f"{room}: {caught} of {len(chosen)} (of {len(every)}) are noticed, {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
