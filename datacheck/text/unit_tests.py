"""Tests of a programming task as rows carry them, and what is wrong with them without running anything."""

import ast
import builtins
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from datacheck.text.keys import FIELDS

# Where a row has tests under another name, or in an object or a text of one (verl's and PRIME's ground_truth).
_BESIDE = ("ground_truth", "label", "reward_model", "extra_info", "metadata", "labels")
NAMES = (*FIELDS, *_BESIDE)
_GOLDS = (
    "answer",
    "gold",
    "ground_truth",
    "label",
    "final_answer",
    "reward_model",
)  # with one, a row may have no tests
_ENTRY = ("entry_point", "fn_name", "func_name", "function_name")
_LANGUAGE = ("language", "lang", "programming_language", "execution_language")
_SOLUTIONS = (
    "canonical_solution", "reference_solution", "gold_standard_solution", "solutions", "solution", "code", "completion",
    "response", "answer",
)  # fmt: skip
_BEFORE = ("prompt", "complete_prompt", "code_prompt", "content", "question", "starter_code")  # HumanEval's signature
_LONGEST = 200_000  # characters of a text that is parsed
_DEEPEST = 5  # an object in a text in an object in the row
_FENCE = re.compile(r"```(?:python3?|py)?[ \t]*\n(.*?)```", re.DOTALL)
# A line that is Python and no other language's: C ends it with ; or asks for (, Ruby and Lua have no colon.
_PYTHON = re.compile(
    r"^\s*(?:assert [^;(]*$|(?:async )?def \w+\(.*\).*:\s*$|from \w[\w.]* import |class \w+.*:\s*$)", re.MULTILINE
)
_ASSERTING = re.compile(r"assert|raises|fail|expect|verify", re.IGNORECASE)  # names of functions that raise


class Tests(NamedTuple):
    """Tests of one row: Python text (`code`), or `cases`, pairs of input and output, of a function or of a program.

    path: where they stand; function: the entry point that is named; setup: Python between the solution and
    them; uneven: how many inputs and outputs there are, where the numbers differ.
    """

    path: str
    code: tuple[str, ...] = ()
    cases: tuple[tuple[Any, Any], ...] = ()
    function: str | None = None
    setup: str = ""
    uneven: tuple[int, int] | None = None

    @property
    def are_empty(self) -> bool:
        """Whether there is nothing in them."""
        return not self.uneven and not self.cases and not any(text.strip() for text in self.code)

    @property
    def is_program(self) -> bool:
        """Whether they are inputs and outputs of a program, which reads the one and prints the other."""
        return bool(self.cases) and not self.function


class Task(NamedTuple):
    """What a row says of its tests: `language` as it is named (None: it is not), solutions in Python."""

    tests: tuple[Tests, ...]
    language: str | None
    solutions: tuple[str, ...]

    @property
    def is_python(self) -> bool:
        """Whether its tests can be judged here: it says so, or tests or solutions look like it."""
        if self.language is not None:
            return self.language.casefold().startswith(("py", "cpython"))
        texts = [text for each in self.tests for text in each.code]
        return bool(self.solutions) or not texts or any(_PYTHON.search(text) or tree_of(text) for text in texts)


Fault = tuple[str, str]  # path, problem


def task_of(record: Mapping[str, Any]) -> Task | None:
    """The tests of a row; None where it has no key of tests. Empty ones count where the row has no other gold."""
    language = _named(record, _LANGUAGE)
    entry = _named(record, _ENTRY)
    found = [_with(each, entry, record) for each in _found(record)]
    full = tuple(each for each in found if not each.are_empty)
    if full:
        return Task(full, language, tuple(_solutions(record, entry)))
    if not found or any(record.get(key) for key in _GOLDS):
        return None
    return Task((found[0],), language, ())


def faults(task: Task, record: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with the tests of a row, by what stands in it: nothing runs.

    no_tests, uneven_tests, unparsed_test, no_assert (nothing that could fail, or no output that is wanted),
    unknown_entry_point (no text of the row names it, or the solution defines nothing that the tests call).
    """
    for tests in task.tests:
        if tests.are_empty:
            yield tests.path, "no_tests"
        elif tests.uneven:
            yield tests.path, "uneven_tests"
        elif tests.cases:
            if all(_is_blank(output) for _, output in tests.cases):
                yield tests.path, "no_assert"
        elif task.is_python:
            yield from _of_code(tests, task)
        if tests.function and task.is_python and not _is_named(tests.function, record):
            yield tests.path, "unknown_entry_point"


def _of_code(tests: Tests, task: Task) -> Iterator[Fault]:
    if any(len(text) > _LONGEST for text in tests.code):
        return
    trees = [tree_of(text) for text in tests.code]
    if None in trees:
        yield tests.path, "unparsed_test"
        return
    every = [tree for tree in trees if tree is not None]
    if not any(_can_fail(node) for tree in every for node in ast.walk(tree)):
        yield tests.path, "no_assert"
    if not tests.function and task.solutions and _calls_nothing_of(tests, every, task.solutions):
        yield tests.path, "unknown_entry_point"


def tree_of(text: str) -> ast.Module | None:
    """The syntax of Python text; None where this Python cannot parse it, or it is too long to be tried."""
    if len(text) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a string: the parser would warn, and quote the data
            return ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _can_fail(node: ast.AST) -> bool:
    """Whether a node is an assert of something that is not constantly true, a raise, or a call that asserts."""
    if isinstance(node, ast.Assert):
        is_tuple = isinstance(node.test, ast.Tuple) and bool(node.test.elts)  # assert (x == 1, "words"): always true
        return not is_tuple and not (isinstance(node.test, ast.Constant) and bool(node.test.value))
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return bool(_ASSERTING.search(name)) or name in ("exit", "_exit")
    return isinstance(node, ast.Raise)


def stub(tests: Tests, solution: str) -> str:
    """A solution of which all that the tests call gives None; the rest of it stays. A program that prints nothing.

    solution: may be empty; what the tests leave undefined is then what they call.
    """
    if tests.is_program:
        return ""
    tree = tree_of(solution) or ast.Module([], [])
    names = [tests.function] if tests.function else sorted(_called(tests, tree))
    kept = [ast.unparse(node) for node in tree.body if not _binds(node) & set(names)]
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    return "\n".join([*kept, *((_CLASS if name in classes else _FUNCTION).format(name) for name in names)])


_FUNCTION = "def {}(*_, **__): return None"
_CLASS = """class {}:
    def __init__(self, *_, **__): pass
    def __getattr__(self, _): return lambda *_, **__: None"""


def _called(tests: Tests, solution: ast.Module) -> set[str]:
    """What tests use of a solution; where there is none, all that they leave undefined. MBPP has a `sum` of its own."""
    trees = [tree for tree in map(tree_of, tests.code) if tree is not None]
    given = set().union(*map(_binds, solution.body))
    if given:
        return given & set().union(*map(_used, trees))
    return set().union(*(_free(tree) or () for tree in trees)) - _bound(tree_of(tests.setup) or ast.Module([], []))


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement of a module defines: a function, a class, `f = lambda x: …`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _calls_nothing_of(tests: Tests, trees: Sequence[ast.Module], solutions: Sequence[str]) -> bool:
    """Whether tests call functions that are nowhere, and no solution defines any of them."""
    setup = tree_of(tests.setup)
    free = [_free(tree) for tree in trees]
    if None in free or setup is None:
        return False
    wanted = set().union(*(each for each in free if each is not None)) - set(_bound(setup))
    solved = [tree for tree in map(tree_of, solutions) if tree is not None]
    given = set().union(*(_bound(tree) for tree in solved))
    return bool(wanted) and bool(solved) and "*" not in given and not wanted & given


def _free(tree: ast.Module) -> set[str] | None:
    """Names that a module uses and never binds; None where it takes in names that nobody lists (`import *`)."""
    bound = _bound(tree)
    if "*" in bound:
        return None
    return _used(tree) - bound - set(dir(builtins)) - {"__name__", "__file__"}


def _used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _bound(tree: ast.Module) -> set[str]:
    """Every name that is bound anywhere in a module, in functions and classes, too."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
    return found


def _is_blank(output: Any) -> bool:
    return output is None or (isinstance(output, str) and not output.strip()) or output == []


def _is_named(function: str, record: Mapping[str, Any]) -> bool:
    r"""Whether any text of a row but the setting itself names a function; `\n` may stand before it in JSON text."""
    name = re.compile(rf"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])){re.escape(function.rpartition('.')[2])}(?![A-Za-z0-9_])")
    return any(name.search(text) for text in _texts(record) if text != function and not _only_names(text, function))


def _only_names(text: str, function: str) -> bool:
    """Whether a text is JSON or Python text of tests in which the function stands as a setting alone."""
    return any(f'"{key}": "{function}"' in text or f'"{key}":"{function}"' in text for key in _ENTRY) and (
        text.count(function) == 1
    )


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST:
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from _texts(each, depth + 1)


# ── reading a row ─────────────────────────────────────────────────────────────────────────────────────
def _found(record: Mapping[str, Any], path: str = "", depth: int = 0, *, in_text: bool = False) -> Iterator[Tests]:
    """Tests under the names that people give them; inside a text, all paths are the text's own."""
    for key in NAMES:
        value = record.get(key)
        if value is None or value.__class__ is bool:
            continue
        here = path if in_text else f"{path}.{key}".lstrip(".")
        yield from _read(value, here, depth, beside=key in _BESIDE, in_text=in_text)


def _read(value: Any, path: str, depth: int, *, beside: bool, in_text: bool) -> Iterator[Tests]:
    """Tests of a value. beside: it need not hold any; what has another shape is none."""
    if isinstance(value, str):
        inner = _parsed(value)
        if isinstance(inner, dict | list) and depth < _DEEPEST:
            yield from _read(inner, path, depth + 1, beside=beside, in_text=True)
        elif not value.strip() and not beside:
            yield Tests(path)
        elif _asserts_a_call(value) if beside else _PYTHON.search(value) or _ASSERTING.search(value):
            yield Tests(path, code=(value,))
    elif isinstance(value, list):
        yield from _of_list(value, path, beside=beside)
    elif isinstance(value, dict):
        inputs, outputs = (_first(value, names) for names in (("inputs", "input"), ("outputs", "output")))
        if isinstance(inputs, list) and isinstance(outputs, list):
            yield _cases(path, inputs, outputs, _named(value, _ENTRY))
        elif depth < _DEEPEST:
            if not value and not beside:
                yield Tests(path)
            yield from _found(value, path, depth + 1, in_text=in_text)


def _asserts_a_call(text: str) -> bool:
    """Whether a text that need be no test is Python that asserts something of a call ("assert yourself" is none)."""
    tree = tree_of(text) if "assert" in text else None
    asserts = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)] if tree else []
    return any(isinstance(node, ast.Call) for each in asserts for node in ast.walk(each))


def _of_list(items: list[Any], path: str, *, beside: bool) -> Iterator[Tests]:
    """A list of asserts, or of objects with an input and an output each."""
    if not items:
        if not beside:
            yield Tests(path)
    elif all(isinstance(item, str) for item in items):
        if not beside or any(map(_asserts_a_call, items)):
            yield Tests(path, code=tuple(items))
    elif all(isinstance(item, dict) for item in items):
        pairs = [
            (_first(item, ("input", "stdin")), _first(item, ("output", "stdout", "expected_output"))) for item in items
        ]
        if all(item is not None for pair in pairs for item in pair):
            function = next((name for item in items for name in [_named(item, ("fn_name",))] if name), None)
            yield _cases(
                path, [_plain(one, "stdin") for one, _ in pairs], [_plain(one, "stdout") for _, one in pairs], function
            )


def _plain(value: Any, key: str) -> Any:
    return value.get(key, value) if isinstance(value, dict) else value


def _cases(path: str, inputs: list[Any], outputs: list[Any], function: str | None) -> Tests:
    uneven = (len(inputs), len(outputs)) if len(inputs) != len(outputs) else None
    return Tests(path, cases=tuple(zip(inputs, outputs, strict=False)), function=function, uneven=uneven)


def _with(tests: Tests, entry: str | None, record: Mapping[str, Any]) -> Tests:
    """The tests with the entry point that stands beside them, and with the Python that goes before."""
    if tests.cases or tests.uneven:
        return tests._replace(function=tests.function or entry)
    imports = record.get("test_imports")
    before = [each for each in (imports if isinstance(imports, list) else []) if isinstance(each, str)]
    setup = record.get("test_setup_code")
    text = "\n".join([*before, setup if isinstance(setup, str) else ""])
    return tests._replace(function=entry if _takes_candidate(tests) else None, setup=text)


def _takes_candidate(tests: Tests) -> bool:
    """Whether tests are HumanEval's: a function `check` that somebody else calls with the entry point."""
    return any("def check(" in text for text in tests.code)


def _solutions(record: Mapping[str, Any], entry: str | None) -> Iterator[str]:
    """Solutions that are Python, the first of them first; a body is put behind the prompt that it belongs to."""
    for key in _SOLUTIONS:
        value = record.get(key)
        value = _parsed(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip():
                yield from _python(text, record, entry, certain=key not in ("completion", "response", "answer"))


def _python(text: str, record: Mapping[str, Any], entry: str | None, *, certain: bool) -> Iterator[str]:
    blocks = _FENCE.findall(text)
    text = max(blocks, key=len) if blocks else text
    if entry and not re.search(
        rf"(?:\bdef|\bclass)\s+{re.escape(entry)}\b|^{re.escape(entry)}\s*=", text, re.MULTILINE
    ):
        for key in _BEFORE:
            before = record.get(key)
            if isinstance(before, str) and tree_of(before + text) is not None:
                yield before + text
                return
    tree = tree_of(text)
    # "42" and "yes" are Python, too: who only might be a program must define or print something.
    if tree is not None and (certain or any(isinstance(node, ast.FunctionDef | ast.Call) for node in ast.walk(tree))):
        yield text


def _named(record: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """A text under one of some keys, in the row or in an object beside it."""
    for place in (
        record,
        *(_object(record.get(key)) for key in ("metadata", "extra_info", "labels", "verification_info")),
    ):
        for key in keys:
            value = place.get(key)
            if isinstance(value, str) and value.strip():
                return value.strip()
    return None


def _object(value: Any) -> Mapping[str, Any]:
    value = _parsed(value) if isinstance(value, str) and value.lstrip().startswith("{") else value
    return value if isinstance(value, dict) else {}


def _first(record: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _parsed(text: str) -> Any:
    """JSON, or a Python literal; None for anything else."""
    if len(text) > 100 * _LONGEST or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
