"""Twins against the trainers' own loaders: the same fate for every row of real files and for hostile rows.

    python benchmarks/trainers.py --clones DIR --realdata DIR [--only llamafactory] [--seed 7] [--random 2000]

DIR of the clones holds LLaMA-Factory, trl, ms-swift and verl (git clones that have the commits which the twins name).
A hostile row is a good one with one value (or two) replaced by something wrong, or left out; it stands between two
good rows, and once alone at the front. Fates that are compared: kept, dropped, fails (the loader raises).
Every difference is printed; the last lines are the table of docs/trainers.md.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import trainer_loaders as loaders

from datacheck.trainers import trainer
from datacheck.trainers.base import LOST, Seen

PLACES = {"llamafactory": "LLaMA-Factory", "trl": "trl", "ms_swift": "ms-swift", "verl": "verl"}
WRONG: list[Any] = [
    None, True, False, 0, 1, 2.5, "", " ", "x", "你好", "[]", "{}", "null", "not json", '{"name": "f", "arguments": {}}',
    '[{"name": "f", "arguments": "{}"}]', "[['a', 'b']]", "[{'role': 'user', 'content': 'a'}]", [], [[]], [None], [1, 2],
    ["a"], ["a", "b"], [["a", "b"]], [["a"]], [["a", None]], ["ab"], {}, {"a": 1}, {"name": "f"}, {"from": "gpt", "value": "x"},
    {"role": "assistant", "content": "x"}, [{}], [{"role": "user"}], [{"content": "x"}], [{"role": "user", "content": "x"}],
    [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], [{"from": "human", "value": "q"}],
    [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}], [{"role": "assistant", "content": "b"}],
    [{"user": "q", "assistant": "a"}], [{"type": "text", "text": "x"}], [{"type": "text"}], "y" * 5000, 10**20, "system",
    "human", "gpt", "user", "assistant", "tool", "observation", "function_call", "chatgpt", ["x", {"role": "user"}],
]  # fmt: skip
_Q, _A = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
_H, _G = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
_CALL = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}]}  # fmt: skip
_TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
_OPENAI_TAGS = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant",
                "observation_tag": "tool", "function_tag": "function", "system_tag": "system"}  # fmt: skip


@dataclass
class Case:
    """A format: the twin's mode and settings, the real loader's, good rows, and real files with rows of it."""

    mode: str
    real: Callable[[list[Any]], int]
    good: list[dict[str, Any]]
    settings: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    multiplies: int = 1  # rows that the loader makes of one
    alone: bool = True  # KTO takes the answer of the row before: what that does shows only beside another row


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a value."""
    if at:
        yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*at, key))


def changed(row: Any, at: tuple[Any, ...], value: Any, *, remove: bool = False) -> Any:
    """A copy of the row with another value at a place, or without it; the row itself where the place is gone."""
    row = copy.deepcopy(row)
    inner = row
    try:
        for key in at[:-1]:
            inner = inner[key]
        if remove:
            del inner[at[-1]]
        else:
            inner[at[-1]] = copy.deepcopy(value)
    except (KeyError, IndexError, TypeError):
        return row
    return row


def hostile(good: list[dict[str, Any]], seed: int, extra: int) -> list[Any]:
    """Each place replaced by each wrong value, and left out; then random pairs of such changes."""
    draw = random.Random(seed)
    rows = [changed(row, at, wrong) for row in good for at in paths(row) for wrong in WRONG]
    rows += [changed(row, at, None, remove=True) for row in good for at in paths(row)]
    for _ in range(extra):
        row = draw.choice(good)
        for _ in range(2):
            row = changed(
                row, draw.choice(list(paths(row)) or [("x",)]), draw.choice(WRONG), remove=draw.random() < 0.1
            )
        rows.append(row)
    unique = {json.dumps(row, sort_keys=True): row for row in rows if isinstance(row, dict)}
    return list(unique.values())


def real_fate(case: Case, rows: list[Any], others: int) -> str:
    """What the loader does with the one row that is not good."""
    try:
        count = case.real(rows)
    except Exception:  # noqa: BLE001 - whatever it raises ends the run
        return "fails"
    return "kept" if count == (others + 1) * case.multiplies else "dropped"


def twin_fate(case: Case, row: Any, rows: list[Any]) -> str:
    """What the twin says."""
    mode = trainer(case.mode)
    seen = Seen(frozenset(key for each in rows for key in each), rows[0])
    settings = mode.configured(None, case.settings)
    kinds = [mode.fate_of(mode.read(each, settings, seen).fates) for each in (row, *rows)]
    if "fails" in kinds:
        return "fails"
    return kinds[0] if kinds[0] in LOST else "kept"


def compare(case: Case, seed: int, extra: int, realdata: Path) -> tuple[int, int, int, int, dict[str, int]]:
    """Rows and differences of real files, rows and differences of hostile rows, hostile rows by fate."""
    real_rows = real_wrong = wrong = 0
    for name in case.files:
        rows = read(realdata / name)
        real_rows += len(rows)
        real_wrong += compare_file(case, rows, name)
    rows = hostile(case.good, seed, extra)
    fates: dict[str, int] = {}
    asked = [(row, [case.good[0], row, case.good[0]], 2) for row in rows] + [
        (row, [row], 0) for row in rows if case.alone
    ]
    for row, dataset, others in asked:
        theirs, ours = real_fate(case, dataset, others), twin_fate(case, row, dataset)
        fates[theirs] = fates.get(theirs, 0) + 1
        if theirs != ours:
            wrong += 1
            if wrong <= int(os.environ.get("SHOWN", "8")):
                place = "alone" if not others else "between"
                print(f"DIFFERENT {case.mode} {place}: real {theirs}, twin {ours}: {json.dumps(row)[:300]}")
    return real_rows, real_wrong, len(asked), wrong, fates


def compare_file(case: Case, rows: list[Any], name: str) -> int:
    """Differences: row by row, and in the number of rows of the whole file at once."""
    mode = trainer(case.mode)
    settings = mode.configured(None, case.settings)
    seen = Seen(frozenset(key for row in rows for key in row), rows[0])
    kinds = [mode.fate_of(mode.read(row, settings, seen).fates) for row in rows]
    kept = sum(kind not in LOST for kind in kinds)
    whole = "fails"
    try:
        whole = str(case.real(rows))
    except Exception as error:  # noqa: BLE001
        whole = f"fails ({type(error).__name__})"
    ours = "fails" if "fails" in kinds else str(kept * case.multiplies)
    print(f"{case.mode} {name}: {len(rows)} rows; loader: {whole}, twin: {ours}")
    same = whole.startswith(ours) if ours == "fails" else whole == ours
    blank = [dict.fromkeys(seen.columns)] if seen.columns else []
    assert blank
    singly = 0
    for row, kind in zip(rows, kinds, strict=True):
        theirs = real_fate(case, [rows[0], row], 1 if kinds[0] not in LOST else 0)
        expected = "fails" if "fails" in (kind, kinds[0]) else "dropped" if kind in LOST else "kept"
        singly += theirs != expected
    return singly + (not same)


def read(path: Path) -> list[Any]:
    """Records of a JSON, JSONL or Parquet file."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path).to_pylist()
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines() if line]


def llamafactory_cases(clones: Path, _tokenizer: Any) -> list[Case]:
    run = loaders.llamafactory(clones / PLACES["llamafactory"], trainer("llamafactory.sft").upstream.commit)

    def case(stage: str, entry: dict[str, Any], good: list[dict[str, Any]], *files: str) -> Case:
        names = tuple(f"llama_factory/data/{file}" for file in files)
        return Case(
            f"llamafactory.{stage}", lambda rows: run(rows, stage, entry), good, entry, names, 1, stage != "kto"
        )

    share, pair = {"formatting": "sharegpt"}, {"formatting": "sharegpt", "ranking": True}
    tools = {**share, "columns": {"messages": "conversations", "tools": "tools"}}
    pairs = {**pair, "columns": {"messages": "conversations", "chosen": "chosen", "rejected": "rejected"}}
    few_tags = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
    kto = {**share, "columns": {"messages": "messages", "kto_tag": "label"}, "tags": few_tags}
    full = {"prompt": "instruction", "query": "input", "response": "output", "history": "history", "system": "system"}
    call = {"from": "function_call", "value": '{"name": "f", "arguments": {"x": 1}}'}
    result = {"from": "observation", "value": "r"}
    openai = {"formatting": "openai", "columns": {"messages": "messages", "tools": "tools"}, "tags": _OPENAI_TAGS}
    return [
        case("sft", {}, [{"instruction": "q", "input": "", "output": "a"}], "identity.json"),
        case("sft", {"columns": full}, [{"instruction": "q", "input": "i", "output": "a", "system": "s",
                                         "history": [["x", "y"], ["z", "w"]]}]),
        case("sft", share, [{"conversations": [_H, _G]}, {"conversations": [{"from": "system", "value": "s"}, _H, _G]}],
             "identity.json"),
        case("sft", tools, [{"conversations": [_H, call, result, _G], "tools": json.dumps(_TOOLS)}],
             "glaive_toolcall_zh_demo.json", "glaive_toolcall_en_demo.json"),
        case("sft", {**share, "columns": {"messages": "messages"}, "tags": few_tags},
             [{"messages": [_Q, _A]}], "kto_en_demo.json"),
        case("sft", openai, [{"messages": [_Q, _CALL, {"role": "tool", "content": "r"}, _A], "tools": _TOOLS},
                             {"messages": [{"role": "system", "content": "s"}, _Q, _A]}]),
        case("dpo", pairs, [{"conversations": [_H], "chosen": _G, "rejected": {"from": "gpt", "value": "b"}}],
             "dpo_zh_demo.json", "dpo_en_demo.json"),
        case("dpo", {"ranking": True, "columns": {"prompt": "instruction", "query": "input", "chosen": "chosen",
                                                  "rejected": "rejected"}},
             [{"instruction": "q", "input": "", "chosen": "a", "rejected": "b"}]),
        case("kto", kto, [{"messages": [_Q, _A], "label": True}, {"messages": [_Q, _A], "label": False}],
             "kto_en_demo.json"),
        case("kto", {"columns": {"prompt": "instruction", "query": "input", "response": "output", "kto_tag": "label"}},
             [{"instruction": "q", "input": "", "output": "a", "label": True}]),
    ]  # fmt: skip


def trl_cases(clones: Path, tokenizer: Any) -> list[Case]:
    run = loaders.trl(clones / PLACES["trl"], trainer("trl.sft").upstream.commit, tokenizer)

    def case(mode: str, good: list[dict[str, Any]], *files: str, twice: bool = False, **settings: Any) -> Case:
        return Case(f"trl.{mode}", lambda rows: run(rows, mode, settings), good, settings, files, 2 if twice else 1)

    messages, b = {"messages": [_Q, _A]}, {"role": "assistant", "content": "b"}
    tools = {"messages": [_Q, _A], "tools": _TOOLS, "chat_template_kwargs": {"enable_thinking": False}}
    return [
        case("sft", [messages], "llama_factory/data/kto_en_demo.json"),
        case("sft", [tools]),
        case("sft", [{"conversations": [_H, _G]}], "llama_factory/data/glaive_toolcall_zh_demo.json",
             "medicalgpt/data/sft/medical_sft_1K_format.jsonl"),
        case("sft", [{"prompt": "q", "completion": "a"}]),
        case("sft", [{"prompt": [_Q], "completion": [_A]}]),
        case("sft", [{"text": "x"}]),
        case("dpo", [{"prompt": [_Q], "chosen": [_A], "rejected": [b]}], "llama_factory/data/dpo_zh_demo.json"),
        case("dpo", [{"chosen": [_Q, _A], "rejected": [_Q, b]}]),
        case("dpo", [{"prompt": "q", "chosen": "a", "rejected": "b"}]),
        case("dpo", [{"chosen": "q a", "rejected": "q b"}]),
        case("reward", [{"chosen": [_Q, _A], "rejected": [_Q, b]}]),
        case("reward", [{"prompt": "q", "chosen": "a", "rejected": "b"}]),
        case("kto", [{"prompt": [_Q], "completion": [_A], "label": True}]),
        case("kto", [{"prompt": "q", "completion": "a", "label": False}]),
        case("kto", [{"prompt": [_Q], "chosen": [_A], "rejected": [b]}], twice=True),
    ]  # fmt: skip


def verl_cases(clones: Path, tokenizer: Any) -> list[Case]:
    sft, rl = loaders.verl(clones / PLACES["verl"], trainer("verl.sft").upstream.commit, tokenizer)
    row = {"data_source": "openai/gsm8k", "prompt": [_Q], "reward_model": {"style": "rule", "ground_truth": "1"},
           "extra_info": {"index": 0}}  # fmt: skip
    return [
        Case("verl.sft", lambda rows: sft(rows, {}), [{"messages": [_Q, _A]}], files=("llama_factory/data/kto_en_demo.json",)),
        Case("verl.sft", lambda rows: sft(rows, {}), [{"messages": [_Q, _A], "tools": _TOOLS}]),
        Case("verl.rl", lambda rows: rl(rows, {"filter": True}), [row], {"data.filter_overlong_prompts": True}),
        Case("verl.rl", lambda rows: rl(rows, {"filter": False}), [row], {"data.filter_overlong_prompts": False}),
    ]  # fmt: skip


def ms_swift_cases(clones: Path, _tokenizer: Any) -> list[Case]:
    run = loaders.ms_swift(clones / PLACES["ms_swift"], trainer("ms_swift.sft").upstream.commit)

    def case(good: list[dict[str, Any]], *files: str, **settings: Any) -> Case:
        return Case("ms_swift.sft", lambda rows: run(rows, settings), good, settings, files)

    b, call = {"role": "assistant", "content": "b"}, {"role": "tool_call", "content": '{"name": "f", "arguments": {}}'}
    tests = "ms_swift/tests/llm/data/"
    return [
        case([{"messages": [_Q, _A]}, {"messages": [{"role": "system", "content": "s"}, _Q, _A]}],
             tests + "chatml.jsonl", "llama_factory/data/kto_en_demo.json"),
        case([{"messages": [_Q, call, {"role": "tool_response", "content": "r"}, _A], "tools": json.dumps(_TOOLS)}]),
        case([{"messages": [_Q, _CALL, {"role": "tool", "content": "r"}, _A]}]),
        case([{"conversations": [_H, _G], "system": "s"}], tests + "conversations.jsonl",
             "llama_factory/data/glaive_toolcall_zh_demo.json", "medicalgpt/data/sft/medical_sft_1K_format.jsonl"),
        case([{"conversation": [{"human": "q", "assistant": "a"}]}], tests + "sharegpt.jsonl"),
        case([{"query": "q", "response": "a", "history": [["x", "y"]], "system": "s"}], tests + "swift_multi.jsonl",
             tests + "swift_single.jsonl", tests + "swift_pre.jsonl"),
        case([{"instruction": "q", "input": "i", "output": "a"}], tests + "alpaca.jsonl", "llama_factory/data/identity.json"),
        case([{"messages": [_Q, _A], "rejected_response": "b"}]),
        case([{"messages": [_Q, _A], "rejected_messages": [_Q, b]}]),
        case([{"messages": [_Q, _A], "objects": {"ref": ["x"], "bbox": [[1, 2, 3, 4]]}}]),
        case([{"messages": [_Q, _A]}], strict=True),
    ]  # fmt: skip


CASES = {"llamafactory": llamafactory_cases, "trl": trl_cases, "verl": verl_cases, "ms_swift": ms_swift_cases}


def one(name: str, arguments: argparse.Namespace) -> None:
    """All cases of a trainer, in this process."""
    made = loaders.tokenizer(arguments.realdata / "tok_minimind") if name in ("trl", "verl") else None
    totals: dict[str, list[int]] = {}
    for case in CASES[name](arguments.clones, made):
        real, real_wrong, rows, wrong, fates = compare(case, arguments.seed, arguments.random, arguments.realdata)
        print(f"  {case.mode}: real {real} rows, {real_wrong} different; hostile {rows}, {wrong} different; {fates}")
        total = totals.setdefault(case.mode, [0, 0, 0, 0, 0, 0, 0])
        counts = (real, real_wrong, rows, wrong, *(fates.get(fate, 0) for fate in ("kept", "dropped", "fails")))
        totals[case.mode] = [a + b for a, b in zip(total, counts, strict=True)]
    for mode, total in sorted(totals.items()):
        print(f"| {mode} | " + " | ".join(f"{n:,}" for n in total) + " |")


def main() -> int:
    """One child per trainer: each has stand-ins of its own for the libraries that it lacks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--realdata", type=Path, required=True)
    parser.add_argument("--only")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--random", type=int, default=2000)
    arguments = parser.parse_args()
    if arguments.only:
        one(arguments.only, arguments)
        return 0
    print("| mode | real rows | different | hostile rows | different | kept | dropped | fails |")
    codes = [subprocess.run([sys.executable, __file__, *sys.argv[1:], "--only", name], check=False).returncode
             for name in CASES]  # fmt: skip
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
