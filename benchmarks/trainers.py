"""Twins against the trainers' own loaders: the same fate for every row of real files and for hostile rows.

    python benchmarks/trainers.py --clones DIR --realdata DIR [--only llamafactory] [--seed 7] [--random 500]

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
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import trainer_loaders as loaders

from datacheck.trainers import trainer
from datacheck.trainers.base import LOST, Fate, Seen

# Rules of ms-swift's encoder: the loader itself keeps these rows.
ENCODER = frozenset({"system_in_middle", "no_rejected", "not_encodable"})
PLACES = {"llamafactory": "LLaMA-Factory", "trl": "trl", "ms_swift": "ms-swift", "verl": "verl"}
KINDS = ("kept", "dropped", "fails")
SEEDS = ("0", "1", "4")  # hash seeds under which TRL takes each of prompt, completion, chosen and rejected once
TOKENIZER = "tok_minimind/model"
_Q, _A = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
_H, _G = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
_TEXTS = [
    "", " ", "x", "你好", "[]", "{}", "null", "not json", '{"name": "f", "arguments": {}}', "[['a', 'b']]",
    '[{"name": "f", "arguments": "{}"}]', "[{'role': 'user', 'content': 'a'}]", "y" * 5000, "system", "human", "gpt",
    "user", "assistant", "tool", "observation", "function_call", "chatgpt", "tool_call", "bot", "yes",
]  # fmt: skip
WRONG: list[Any] = [
    None, True, False, 0, 1, 2.5, 10**20, *_TEXTS, [], [[]], [None], [1, 2], ["a"], ["a", "b"], [["a", "b"]], [["a"]],
    [["a", None]], ["ab"], {}, {"a": 1}, {"name": "f"}, _G, _A, [{}], [_Q], [_A], [_Q, _A], [_H], [_H, _G],
    [{"role": "user"}], [{"content": "x"}], [{"role": "assistant", "content": "b"}], [{"user": "q", "assistant": "a"}],
    [{"type": "text", "text": "x"}], [{"type": "text"}], ["x", {"role": "user"}],
]  # fmt: skip
_CALL = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}]}  # fmt: skip
_TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
_FILTER = "data.filter_overlong_prompts"
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
    beyond: frozenset[str] = frozenset()  # rules of the twin that come after the code that is run here
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


def datasets(case: Case, seed: int, extra: int) -> list[tuple[Any, list[Any], int]]:
    """(row, dataset, good rows beside it): each hostile row between two good ones, and alone."""
    rows = hostile(case.good, seed, extra)
    alone = [row for row in rows if row] if case.alone else []
    return [(row, [case.good[0], row, case.good[0]], 2) for row in rows] + [(row, [row], 0) for row in alone]


def real_fate(case: Case, rows: list[Any], others: int) -> str:
    """What the loader does with the one row that is not good."""
    try:
        count = case.real(rows)
    except Exception:  # noqa: BLE001 - whatever it raises ends the run
        return "fails"
    return "kept" if count == (others + 1) * case.multiplies else "dropped"


def _told(case: Case, fates: tuple[Fate, ...]) -> list[Fate]:
    return [fate for fate in fates if fate.reason not in case.beyond]


def twin_fate(case: Case, row: Any, rows: list[Any]) -> str:
    """What the twin says."""
    mode = trainer(case.mode)
    seen = Seen(frozenset(key for each in rows for key in each), rows[0])
    settings = mode.configured(None, case.settings)
    kinds = [mode.fate_of(_told(case, mode.read(each, settings, seen).fates)) for each in (row, *rows)]
    if "fails" in kinds:
        return "fails"
    return kinds[0] if kinds[0] in LOST else "kept"


def compare(case: Case, theirs: list[str], asked: list[tuple[Any, list[Any], int]]) -> int:
    """Print the first differences on hostile rows; returns their number."""
    wrong = 0
    for (row, dataset, others), real in zip(asked, theirs, strict=True):
        ours = twin_fate(case, row, dataset)
        wrong += real != ours
        if real != ours and wrong <= int(os.environ.get("SHOWN", "8")):
            place = "between" if others else "alone"
            print(f"DIFFERENT {case.mode} {place}: real {real}, twin {ours}: {json.dumps(row)[:300]}")
    return wrong


def compare_file(case: Case, rows: list[Any], name: str) -> int:
    """Differences: row by row, and in the number of rows of the whole file at once."""
    mode = trainer(case.mode)
    settings = mode.configured(None, case.settings)
    seen = Seen(frozenset(key for row in rows for key in row), rows[0])
    kinds = [mode.fate_of(_told(case, mode.read(row, settings, seen).fates)) for row in rows]
    kept = sum(kind not in LOST for kind in kinds)
    whole = "fails"
    try:
        whole = str(case.real(rows))
    except Exception as error:  # noqa: BLE001
        whole = f"fails ({type(error).__name__})"
    ours = "fails" if "fails" in kinds else str(kept * case.multiplies)
    print(f"{case.mode} {name}: {len(rows)} rows; loader: {whole}, twin: {ours}")
    same = whole.startswith(ours) if ours == "fails" else whole == ours
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
            f"llamafactory.{stage}", lambda rows: run(rows, stage, entry), good, entry, names, alone=stage != "kto"
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
        case("sft", [{"messages": [_Q, _A]}, {"messages": [_Q, _A, _Q, _A]}], assistant_only_loss=True),
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
    items, rl = loaders.verl(clones / PLACES["verl"], trainer("verl.sft").upstream.commit, tokenizer)

    def sft(rows: list[Any], settings: dict[str, Any]) -> int:
        return len(list(items(rows, settings)))

    row = {"data_source": "openai/gsm8k", "prompt": [_Q], "reward_model": {"style": "rule", "ground_truth": "1"},
           "extra_info": {"index": 0}}  # fmt: skip
    puzzles = ("logic_rl/data/kk/instruct/3ppl/train.parquet",)
    return [
        Case("verl.sft", lambda rows: sft(rows, {}), [{"messages": [_Q, _A]}],
             files=("llama_factory/data/kto_en_demo.json",)),
        Case("verl.sft", lambda rows: sft(rows, {}), [{"messages": [_Q, _A], "tools": _TOOLS}]),
        Case("verl.rl", lambda rows: rl(rows, {"filter": True}), [row], {_FILTER: True}, puzzles),
        Case("verl.rl", lambda rows: rl(rows, {"filter": False}), [row], {_FILTER: False}, puzzles),
    ]  # fmt: skip


def ms_swift_cases(clones: Path, _tokenizer: Any) -> list[Case]:
    run = loaders.ms_swift(clones / PLACES["ms_swift"], trainer("ms_swift.sft").upstream.commit)

    def case(good: list[dict[str, Any]], *files: str, **settings: Any) -> Case:
        return Case("ms_swift.sft", lambda rows: run(rows, settings), good, settings, files, beyond=ENCODER)

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
        case([{"instruction": "q", "input": "i", "output": "a"}], tests + "alpaca.jsonl",
             "llama_factory/data/identity.json"),
        case([{"messages": [_Q, _A], "rejected_response": "b"}]),
        case([{"messages": [_Q, _A], "rejected_messages": [_Q, b]}]),
        case([{"messages": [_Q, _A], "objects": {"ref": ["x"], "bbox": [[1, 2, 3, 4]]}}]),
        case([{"messages": [_Q, _A]}], strict=True),
    ]  # fmt: skip


CASES = {"llamafactory": llamafactory_cases, "trl": trl_cases, "verl": verl_cases, "ms_swift": ms_swift_cases}


def seeded(name: str) -> list[list[list[str]]]:
    """The fates by the real loader under some hash seeds: TRL takes a key out of a set of names."""
    found = []
    for number in SEEDS:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            command = [sys.executable, __file__, *sys.argv[1:], "--only", name, "--dump", file.name]
            subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": number})
            found.append(json.loads(Path(file.name).read_text()))
    return found


def one(name: str, arguments: argparse.Namespace) -> None:
    """All cases of a trainer, in this process."""
    made = loaders.tokenizer(arguments.realdata / TOKENIZER) if name in ("trl", "verl") else None
    cases = CASES[name](arguments.clones, made)
    asked = [datasets(case, arguments.seed, arguments.random) for case in cases]
    fates = [
        [real_fate(case, rows, others) for _, rows, others in each] for case, each in zip(cases, asked, strict=True)
    ]
    if arguments.dump:
        arguments.dump.write_text(json.dumps(fates))
        return
    for other in seeded(name) if name == "trl" else []:
        fates = [
            [max(pair, key=KINDS.index) for pair in zip(*both, strict=True)] for both in zip(fates, other, strict=True)
        ]
    totals: dict[str, list[int]] = {}
    for case, each, theirs in zip(cases, asked, fates, strict=True):
        real_rows = real_wrong = 0
        for file in case.files:
            rows = read(arguments.realdata / file)
            real_rows, real_wrong = real_rows + len(rows), real_wrong + compare_file(case, rows, file)
        wrong = compare(case, theirs, each)
        print(f"  {case.mode}: real {real_rows} rows, {real_wrong} different; hostile {len(each)}, {wrong} different")
        counts = (real_rows, real_wrong, len(each), wrong, *(theirs.count(kind) for kind in KINDS))
        totals[case.mode] = [a + b for a, b in zip(totals.get(case.mode, [0] * len(counts)), counts, strict=True)]
    for mode, total in sorted(totals.items()):
        print(f"| {mode} | " + " | ".join(f"{n:,}" for n in total) + " |")


def main() -> int:
    """One child per trainer: each has stand-ins of its own for the libraries that it lacks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--realdata", type=Path, required=True)
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--random", type=int, default=500)
    parser.add_argument("--dump", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        one(arguments.only, arguments)
        return 0
    print("| mode | real rows | different | hostile rows | different | kept | dropped | fails |", flush=True)
    return max(subprocess.run([sys.executable, __file__, *sys.argv[1:], "--only", name], check=False).returncode
               for name in CASES)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
