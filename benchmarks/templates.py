"""Compare rendering and masking with transformers, template by template, and measure the throughput of both.

    python benchmarks/templates.py compare --templates DIR… --tokenizer DIR…
    python benchmarks/templates.py speed --template FILE --tokenizer DIR --rows 4000 [--data FILE.jsonl]

The folders are yours: any *.jinja (public ones: trl/chat_templates of huggingface/trl, chat_templates of
chujiezheng/chat_templates, src/axolotl/utils/chat_templates/templates of axolotl) and tokenizers as save_pretrained
writes them. `compare` prints per tokenizer how many cases are the same, differ, or are refused by both; exit code 1 on
a difference. `speed` runs each side alone in turn, in processes of their own, and prints CPU and wall seconds.
"""

import argparse
import contextlib
import datetime as dt
import itertools
import json
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from datacheck.chat.child import Renderer
from datacheck.chat.conversations import conversations
from datacheck.chat.mask import by_spans
from datacheck.chat.sample import SampleRun
from datacheck.chat.samples import samples
from datacheck.chat.template import Template
from datacheck.chat.tokenizer import Tokenizer, load_tokenizer

SYSTEM = {"role": "system", "content": "你是一个有用的助手。"}
USER = {"role": "user", "content": "帮我查一下北京的天气，谢谢 :)"}
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "查询天气 <b>&",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALL = {"type": "function", "id": "call12345", "function": {"name": "weather", "arguments": {"city": "北京"}}}


def said(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


ASKED_AGAIN = {"role": "user", "content": "明天呢？"}
FINE = {"role": "user", "content": "好"}
RESULT = {"role": "tool", "name": "weather", "tool_call_id": "call12345", "content": '{"temp": 15}'}
THOUGHT = said("<think>\n想一想\n</think>\n\n晴。")
CASES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]] | None]] = {
    "two turns": ([USER, said("好的。"), ASKED_AGAIN, said("明天晴。\n\n记得防晒。")], None),
    "system": ([SYSTEM, USER, said("北京今天多云，15°C 到 23°C。")], None),
    "english": (
        [{"role": "user", "content": "Write a haiku."}, said("  Old pond — frogs jumped in\n\tsound 👩‍👩‍👧")],
        None,
    ),
    "line feed first": ([USER, said("\n\n前面有空行"), {"role": "user", "content": "\n再来 "}, said(" 有空格 ")], None),
    "empty": ([USER, said("")], None),
    "thoughts": ([USER, THOUGHT, FINE, said("再见")], None),
    "reasoning": ([USER, said("晴。", reasoning_content="先查"), FINE, said("再见", thinking="道别")], None),
    "null keys": ([{**USER, "name": None, "tool_calls": None}, said("晴。", tool_calls=None, audio=None)], None),
    "tools": ([SYSTEM, USER, said("", tool_calls=[CALL]), RESULT, said("北京 15 度。")], [TOOL]),
    "tools, null content": ([USER, said(None, tool_calls=[CALL]), RESULT, said("15 度。")], [TOOL]),
    "parts": (
        [{"role": "user", "content": [{"type": "text", "text": "看图"}]}, said([{"type": "text", "text": "好"}])],
        None,
    ),
    "control tokens": (
        [{"role": "user", "content": "<|im_end|>\n<|im_start|>system\n</s>[INST]"}, said("<|im_end|>")],
        None,
    ),
    "prompt": ([SYSTEM, USER], None),
    "odd order": ([USER, USER, said("a"), said("b")], None),
}


class Day(dt.datetime):
    """A clock that stands still, so that templates that write the date say the same on both sides."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> "Day":
        """Always the same."""
        return cls(2026, 1, 1, 12, tzinfo=tz)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.suffix != ".safetensors"
    }


Outcome = tuple[str, list[int], list[int]] | Exception


def ours(template: Template, tokenizer: Tokenizer, case: str, *, prompt: bool) -> Outcome:
    messages, tools = CASES[case]
    rendered = template.render(messages, tools=tools, add_generation_prompt=prompt)
    (encoding,) = tokenizer.encode([rendered.text])
    return rendered.text, encoding.ids, by_spans(encoding, rendered.spans)


def theirs(tokenizer: Any, source: str, case: str, *, prompt: bool) -> Outcome:
    messages, tools = CASES[case]
    given = {"chat_template": source, "tools": tools, "add_generation_prompt": prompt}
    text = tokenizer.apply_chat_template(messages, tokenize=False, **given)
    out = tokenizer.apply_chat_template(messages, return_dict=True, return_assistant_tokens_mask=True, **given)
    return text, out["input_ids"], out["assistant_masks"]


def outcome(work: Callable[..., Outcome], *args: Any, **kwargs: Any) -> Outcome:
    try:
        return work(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - what either side refuses, with its reason
        return error


def judged(one: Outcome, two: Outcome) -> str:
    if isinstance(one, Exception) or isinstance(two, Exception):
        return "refused by both" if isinstance(one, Exception) and isinstance(two, Exception) else "refused by one"
    if one != two:
        return "different"
    return "same, with a mask" if 1 in one[2] else "same, no mask"


def compare(templates: list[Path], folders: list[Path]) -> int:
    from transformers import AutoTokenizer
    from transformers.utils import chat_template_utils, logging

    logging.set_verbosity_error()
    chat_template_utils.datetime = Day
    paths = [path for folder in templates for path in sorted(folder.glob("*.jinja"))]
    sources = {f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in paths}
    print(f"{len(sources)} templates ({len(set(sources.values()))} distinct), {len(CASES)} conversations each,")
    print("each with and without the prompt for an answer")
    wrong = 0
    for folder in folders:
        tokenizer, reference = load_tokenizer(files_of(folder)), AutoTokenizer.from_pretrained(folder)
        counts: Counter[str] = Counter()
        for name, source in sources.items():
            template = Template(source, tokenizer.special)
            for case, prompt in itertools.product(CASES, (False, True)):
                one = outcome(ours, template, tokenizer, case, prompt=prompt)
                two = outcome(theirs, reference, source, case, prompt=prompt)
                verdict = judged(one, two)
                counts[verdict] += 1
                if verdict in ("different", "refused by one"):
                    print(f"{folder.name} {name} {case} prompt={prompt}: {verdict}: {one!r:.200} | {two!r:.200}")
        print(f"{folder.name}: {dict(counts)}")
        wrong += counts["different"] + counts["refused by one"]
    return int(wrong > 0)


def rows_of(path: Path | None, count: int) -> list[Any]:
    """Rows of a JSON or JSONL file, again and again until there are enough; else written ones."""
    if path is None:
        given = [{"messages": CASES[name][0]} for name in ("two turns", "system", "english")]
    else:
        text = path.read_text(encoding="utf-8")
        given = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines()]
    return [given[n % len(given)] for n in range(count)]


def run_ours(source: str, folder: Path, rows: list[Any]) -> tuple[int, int]:
    tokenizer = load_tokenizer(files_of(folder))
    with Renderer({"default": source}, tokenizer.special) as renderer:
        each = (conversation for row in rows for conversation in conversations(row))
        found = [(len(s.ids), sum(s.labels)) for s in samples(each, SampleRun(tokenizer), renderer)]
    return sum(n for n, _ in found), sum(n for _, n in found)


def run_theirs(source: str, folder: Path, rows: list[Any]) -> tuple[int, int]:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    total = trained = 0
    for row in rows:
        for conversation in conversations(row):
            out = tokenizer.apply_chat_template(
                conversation.messages, tools=conversation.tools, chat_template=source, return_dict=True,
                return_assistant_tokens_mask=True,
            )  # fmt: skip
            total += len(out["input_ids"])
            trained += sum(out["assistant_masks"])
    return total, trained


def speed(given: argparse.Namespace) -> int:
    side, folder = given.side, given.tokenizer
    if side is None:
        best: dict[str, tuple[float, float]] = {}
        for _ in range(given.repeats):
            for each in ("datacheck", "transformers"):
                command = [sys.executable, *sys.argv, "--side", each]
                facts = json.loads(
                    subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
                )
                print(each, facts)
                known = best.get(each, (facts["cpu"], facts["wall"]))
                best[each] = (min(known[0], facts["cpu"]), min(known[1], facts["wall"]))
        for n, name in enumerate(("CPU", "wall")):
            print(f"{name}: transformers / datacheck = {best['transformers'][n] / best['datacheck'][n]:.2f}")
        return 0
    work = run_ours if side == "datacheck" else run_theirs
    source, rows = given.template.read_text(encoding="utf-8"), rows_of(given.data, given.rows)
    with contextlib.redirect_stderr(open(os.devnull, "w")):  # noqa: PTH123
        work(source, folder, rows[:50])  # imports, the tokenizer's file, the child's start
        start = cpu(), time.perf_counter()
        total, trained = work(source, folder, rows)
    spent = {"cpu": round(cpu() - start[0], 3), "wall": round(time.perf_counter() - start[1], 3)}
    print(
        json.dumps(
            {
                **spent,
                "rows": len(rows),
                "tokens": total,
                "trained": trained,
                "rows/s": round(len(rows) / spent["wall"]),
            }
        )
    )
    return 0


def cpu() -> float:
    """User and system seconds of this process and of the children that ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("compare")
    one.add_argument("--templates", type=Path, nargs="+", required=True)
    one.add_argument("--tokenizer", type=Path, nargs="+", required=True)
    two = commands.add_parser("speed")
    two.add_argument("--template", type=Path, required=True)
    two.add_argument("--tokenizer", type=Path, required=True)
    two.add_argument("--data", type=Path)
    two.add_argument("--rows", type=int, default=4000)
    two.add_argument("--repeats", type=int, default=3)
    two.add_argument("--side", choices=("datacheck", "transformers"), help="(used by the script itself)")
    given = parser.parse_args()
    if given.command == "compare":
        return compare(given.templates, given.tokenizer)
    return speed(given)


if __name__ == "__main__":
    sys.exit(main())
