"""The child: loads a reward function inside the jail, says what it asks for, and asks it about answers (or runs tests).

It is run as a file by a Python that knows nothing of datacheck: standard library only, Python 3.10 or newer.
"""

import ast
import asyncio
import builtins
import contextlib
import errno
import hashlib
import importlib
import importlib.util
import inspect
import json
import math
import os
import platform
import sys
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

if __name__ == "__main__":
    import programs  # type: ignore[import-not-found]  # beside this file
    from jail import contained  # type: ignore[import-not-found]

    # The files beside this one must not be taken for packages, nor for the function's own modules.
    del sys.path[0], sys.modules["jail"], sys.modules["programs"]
else:
    from datacheck.trainers.rewards import programs
    from datacheck.trainers.rewards.jail import contained

# What each trainer gives a function beside the columns of the data.
_GIVEN = {
    "trl": {"prompts", "completions", "completion_ids", "trainer_state", "log_extra", "log_metric", "environments"},
    "ms_swift": {"completions", "messages", "trainer_state", "response_token_ids"},
    "verl": {"solution_str"},
    "openrlhf": {"queries", "prompts", "labels"},
}
_OF_VERL = ("data_source", "solution_str", "ground_truth", "extra_info")
_ADDED_BY_VERL = {"num_turns": 1, "rollout_reward_scores": {}}


class NotLoadedError(Exception):
    """The function cannot be had; `args[0]` says why, in a word of ours."""


def load(name: str, search: str) -> Any:
    """`FILE.py:function` or `package.module:function`; what lies in the folder `search` is found last."""
    module, _, attribute = name.rpartition(":")
    sys.path.append(search)
    if module.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(module).stem, module)
        if spec is None or spec.loader is None:
            raise NotLoadedError("no_module")
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = loaded
        spec.loader.exec_module(loaded)
    else:
        loaded = importlib.import_module(module)
    found: Any = loaded
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise NotLoadedError("no_function")
        found = getattr(found, part)
    return found


class Asked:
    """A function, and how it is called: by `trl`, `verl`, `ms_swift` or `openrlhf`."""

    def __init__(self, found: Any, calls: str) -> None:
        self.is_class = inspect.isclass(found)
        self.function = found() if self.is_class else found
        if not callable(self.function):
            raise NotLoadedError("no_function")
        self.signature = inspect.signature(self.function)
        self.parameters = self.signature.parameters
        kinds = {p.kind: p.name for p in self.parameters.values()}
        self.rest = kinds.get(inspect.Parameter.VAR_KEYWORD)
        self.calls = self._convention() if calls == "auto" else calls
        plain = inspect.isfunction(found) or inspect.ismethod(found) or inspect.isbuiltin(found)
        self.code = found if plain else type(self.function).__call__
        self.file = getattr(getattr(inspect.unwrap(self.code), "__code__", None), "co_filename", None)

    def _convention(self) -> str:
        names = set(self.parameters)
        if "solution_str" in names:
            return "verl"
        if "queries" in names:
            return "openrlhf"
        if self.is_class or not inspect.isroutine(self.function):
            return "ms_swift"
        if "completions" in names or self.rest is not None:
            return "trl"
        raise NotLoadedError("no_convention")

    def head(self) -> dict[str, Any]:
        """What it asks for: parameters that have no default, and keys that its source names."""
        needed = [
            p.name
            for p in self.parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        ]
        read = self._keys_read()
        columns = read.get(self.rest or "", [])
        found: dict[str, Any] = {"calls": self.calls, "needed": [], "read": [], "extra": read.get("extra_info", [])}
        if self.calls in ("trl", "ms_swift"):
            found["needed"] = [name for name in needed if name not in _GIVEN[self.calls]]
            found["read"] = [name for name in columns if name not in _GIVEN[self.calls]]
        elif self.calls == "verl":
            places = {"data_source": "data_source", "ground_truth": "reward_model.ground_truth"}
            found["needed"] = [place for name, place in places.items() if name in needed]
            found["extra"] = [name for name in found["extra"] if name not in _ADDED_BY_VERL]
        found["not_taken"] = [name for name in self._given_always() if name not in self.parameters and not self.rest]
        return found

    def _given_always(self) -> tuple[str, ...]:
        of_trl = ("prompts", "completions", "completion_ids", "trainer_state")
        return {"verl": _OF_VERL, "trl": of_trl, "ms_swift": ("completions", "trainer_state")}.get(self.calls, ())

    def _keys_read(self) -> dict[str, list[str]]:
        """Keys by the variable that they are read from, as `kwargs["answer"]`."""
        found: dict[str, list[str]] = {}
        with contextlib.suppress(OSError, TypeError, SyntaxError, ValueError):
            tree = ast.parse(textwrap.dedent(inspect.getsource(self.code)))
            for node in ast.walk(tree):
                if (
                    isinstance(node, ast.Subscript)
                    and isinstance(node.ctx, ast.Load)
                    and isinstance(node.value, ast.Name)
                    and isinstance(node.slice, ast.Constant)
                    and isinstance(node.slice.value, str)
                ):
                    names = found.setdefault(node.value.id, [])
                    if node.slice.value not in names:
                        names.append(node.slice.value)
        return found

    def rewards(self, row: dict[str, Any]) -> Any:
        """Call it as its trainer does with answers to one row."""
        answers, columns = row["answers"], row["columns"]
        if self.calls == "verl":
            return [self._score(answer, columns) for answer in answers]
        if self.calls == "openrlhf":
            given: dict[str, Any] = {
                "queries": [row["text"] + answer for answer in answers],
                "prompts": [row["text"]] * len(answers),
                "labels": [row["label"]] * len(answers),
            }
            value = self._waited(self.function(**given))
            return value.get("rewards", value) if isinstance(value, dict) else value
        kept = {name: [value] * len(answers) for name, value in columns.items() if name not in _GIVEN[self.calls]}
        return self._waited(self.function(**self._answers(row), **kept))

    def _answers(self, row: dict[str, Any]) -> dict[str, Any]:
        answers = row["answers"]
        if self.calls == "ms_swift":
            asked = row["prompt"] if isinstance(row["prompt"], list) else [{"role": "user", "content": row["text"]}]
            said = [[*asked, {"role": "assistant", "content": answer}] for answer in answers]
            return {
                "completions": list(answers), "messages": said, "trainer_state": None,
                "response_token_ids": [list(answer.encode()) for answer in answers],
            }  # fmt: skip
        as_messages = [[{"role": "assistant", "content": answer}] for answer in answers]
        return {
            "prompts": [row["prompt"]] * len(answers),
            "completions": as_messages if row["messages"] else list(answers),
            "completion_ids": [list(answer.encode()) for answer in answers],
            "trainer_state": None,
            "log_extra": lambda *_: None,
            "log_metric": lambda *_: None,
        }

    def _score(self, answer: str, columns: dict[str, Any]) -> Any:
        model = columns.get("reward_model")
        given = {
            "data_source": columns.get("data_source"),
            "solution_str": answer,
            "ground_truth": model.get("ground_truth") if isinstance(model, dict) else None,
            "extra_info": {**(columns.get("extra_info") or {}), **_ADDED_BY_VERL},
        }
        taken = given if self.rest else {name: value for name, value in given.items() if name in self.parameters}
        value = self._waited(self.function(**taken))
        value = value["score"] if isinstance(value, dict) else value
        return value[0] if isinstance(value, tuple | list) and value else value

    def _waited(self, value: Any) -> Any:
        return asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value


async def _awaited(value: Any) -> Any:
    return await value


def numbers(value: Any, count: int) -> dict[str, Any]:
    """Rewards as JSON can hold them; what is no number is told by its type."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, list | tuple):
        return {"wrong": type(value).__name__[:80]}
    if len(value) != count:
        return {"wrong": "length"}
    return {"rewards": [_number(each) for each in value]}


def _number(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else "nan"
    return {"type": type(value).__name__[:80]}


def failure(error: BaseException, file: "str | None") -> dict[str, str]:
    """The class of an exception, its number where the system gave one, and the last place in the function's file."""
    at, own = "", ""
    for frame in traceback.extract_tb(error.__traceback__):
        own = f"{Path(frame.filename).name}:{frame.lineno}" if frame.filename == file else own
        _, found, name = frame.filename.partition("site-packages/")
        at = f"{name}:{frame.lineno}" if found else at
    told = type(error).__name__
    code = errno.errorcode.get(error.errno or 0) if isinstance(error, OSError) else None
    told = f"{told} {code}" if code else told
    return {"error": told, "at": own or at}


def found_in(module: str, search: str) -> dict[str, str]:
    """A digest of the Python files of a package, which is not imported, and the version of this Python."""
    sys.path.append(search)
    spec = importlib.util.find_spec(module.partition(".")[0]) if module else None
    digest = hashlib.sha256()
    folders = list(spec.submodule_search_locations or ()) if spec else []
    files = [path for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
    if spec and spec.origin and not folders:
        files = [Path(spec.origin)]
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return {"source": digest.hexdigest() if files else "", "python": platform.python_version()}


def serve(setup: dict[str, Any], requests: IO[bytes], reply: Callable[[Any], None]) -> Callable[[list[str]], None]:
    """What runs inside: one answer to the setup, then one for each row."""

    def inside(missing: list[str]) -> None:
        file = None
        try:
            found = load(setup["name"], setup["search"])
            asked = Asked(found, setup["calls"])
            file = asked.file
            reply({**asked.head(), "missing": missing})
        except NotLoadedError as error:
            return reply({"stopped": error.args[0], "missing": missing})
        except BaseException as error:  # noqa: BLE001 - whatever a module raises
            module = setup["name"].rpartition(":")[0]
            return reply({"stopped": "raised", **failure(error, module), "missing": missing})
        for line in requests:
            row = json.loads(line)
            try:
                told = numbers(asked.rewards(row), len(row["answers"]))
            except BaseException as error:  # noqa: BLE001 - SystemExit, too
                told = failure(error, file)
            told["files"] = sum(len(files) for _, _, files in os.walk("."))
            reply(told)
        return None

    return inside


def main(folder: Path) -> int:
    """Take over the pipes, so that nothing of the function's can reach them by a usual name; then go inside."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for each in range(3):
        os.dup2(nowhere, each)
    setup = json.loads(requests.readline())

    def reply(told: Any) -> None:
        replies.write(builtins.str(json.dumps(told)).encode() + b"\n")
        replies.flush()

    if "find" in setup:
        reply(found_in(setup["find"], setup["search"]))
        return 0
    inside = programs.serve(requests, reply) if "tests" in setup else serve(setup, requests, reply)
    return int(contained(folder, setup["search"], setup["memory"], setup["processes"], inside))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
