"""What is left of rows that are too long: twins against the trainers' own code, token by token.

    python benchmarks/cuts.py --clones DIR --realdata DIR [--only trl]

DIR of the clones as for benchmarks/trainers.py. Real rows are encoded by the trainer's own code without a limit
(ms-swift: with a ChatML template, as its own need the model's files); the twin's rule then says which of these tokens
stay. The trainer's own code cuts the same rows, and tokens and labels of both must be equal, as must be the rows that
are dropped or stop the run. The tokenizer is minimind's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import trainer_loaders as loaders
from trainers import PLACES, TOKENIZER

from datacheck.chat.sample import turn_lengths
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun, limits_of
from datacheck.trainers import trainer

LIMITS = (16, 64, 256, 512, 1024)
Example = tuple[list[int], list[int]]  # ids and labels (or a mask)
IGNORED = -100


class Row(NamedTuple):
    """A row without a limit: its examples (two of a pair), and the tokens of prompt, answer, prompt, … of each."""

    examples: list[Example]
    turns: list[list[int]]


class Case(NamedTuple):
    """Rows without a limit, and the trainer's own cut: (row number, limit) → examples, or None for a lost row."""

    mode: str
    settings: dict[str, Any]
    length: str  # the setting that is the limit
    rows: list[Row]
    real: Callable[[int, int], list[Example] | None]
    labels_from: int = 0  # labels before this place are never looked at by a loss


def twin(case: Case, row: Row, limit: int) -> list[Example] | None:
    """What the twin leaves of a row."""
    mode = trainer(case.mode)
    settings = {**case.settings, case.length: limit}
    run = limits_of(TokenRun(trainer=RunOf(trainer=case.mode, settings=settings)), None)  # type: ignore[arg-type]
    cut = mode.cut(mode.configured(None, settings))
    left = []
    for at, ((ids, labels), turns) in enumerate(zip(row.examples, row.turns, strict=True)):
        beside = row.turns[1 - at][-1] if len(row.turns) > 1 else 0
        kept = sorted(run.kept(turns, len(ids), beside))
        if ids and not kept:
            return None
        left.append(([ids[n] for n in kept], [labels[n] for n in kept]))
    trained = all(any(label not in (IGNORED, 0) for label in labels) for _, labels in left)
    return None if cut.unanswered and not trained else left


def compare(case: Case) -> tuple[int, int, int, int]:
    """Rows, of these cut, of these lost, differences; over all limits."""
    count = [0, 0, 0, 0]
    for limit in LIMITS:
        for number, row in enumerate(case.rows):
            real, ours = case.real(number, limit), twin(case, row, limit)
            same = shown(real, case) == shown(ours, case)
            count[0] += 1
            count[1] += real is not None and [len(e[0]) for e in real] != [len(e[0]) for e in row.examples]
            count[2] += real is None
            count[3] += not same
            if not same and count[3] <= 3:
                print(f"DIFFERENT {case.mode} {case.settings} limit {limit} row {number}: "
                      f"turns {row.turns}, real {lengths(real)}, twin {lengths(ours)}")  # fmt: skip
    return count[0], count[1], count[2], count[3]


def shown(examples: list[Example] | None, case: Case) -> Any:
    return examples and [(ids, labels[case.labels_from :]) for ids, labels in examples]


def lengths(examples: list[Example] | None) -> Any:
    return examples and [(len(ids), sum(label not in (IGNORED, 0) for label in labels)) for ids, labels in examples]


def turned(example: Example) -> list[int]:
    return turn_lengths([int(label not in (IGNORED, 0)) for label in example[1]])


def records(realdata: Path, name: str, most: int = 300) -> list[dict[str, Any]]:
    """The first rows of a file of LLaMA-Factory."""
    found: list[dict[str, Any]] = json.loads((realdata / "llama_factory/data" / name).read_text(encoding="utf-8"))
    return found[:most]


def llamafactory_cases(clones: Path, realdata: Path, tokenizer: Any) -> Iterator[Case]:
    commit = trainer("llamafactory.sft").upstream.commit
    run = loaders.llamafactory_processed(clones / PLACES["llamafactory"], commit, tokenizer)
    tags = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
    share = {"formatting": "sharegpt"}
    chat = {**share, "columns": {"messages": "messages"}, "tags": tags}
    tools = {**share, "columns": {"messages": "conversations", "tools": "tools"}}
    kto = {**share, "columns": {"messages": "messages", "kto_tag": "label"}, "tags": tags}
    pairs = {**share, "ranking": True,
             "columns": {"messages": "conversations", "chosen": "chosen", "rejected": "rejected"}}  # fmt: skip
    for stage, entry, file, sides, options in (
        ("sft", chat, "kto_en_demo.json", ("",), {}),
        ("sft", tools, "glaive_toolcall_zh_demo.json", ("",), {}),
        ("sft", tools, "glaive_toolcall_zh_demo.json", ("",), {"mask_history": True}),
        ("sft", tools, "glaive_toolcall_zh_demo.json", ("",), {"train_on_prompt": True}),
        ("dpo", pairs, "dpo_zh_demo.json", ("chosen_", "rejected_"), {}),
        ("kto", kto, "kto_en_demo.json", ("",), {}),
    ):
        given = records(realdata, file)
        plain, whole = columns(run(given, stage, entry), sides), columns(run(given, stage, entry, **options), sides)
        rows = [Row(one, [turned(e) for e in two]) for one, two in zip(whole, plain, strict=True)]
        cuts = {n: columns(run(given, stage, entry, cutoff_len=n, **options), sides) for n in LIMITS}
        yield Case(f"llamafactory.{stage}", options, "cutoff_len", rows, lambda n, limit, cuts=cuts: cuts[limit][n])


def columns(made: dict[str, list[Any]], sides: tuple[str, ...]) -> list[list[Example]]:
    """LLaMA-Factory's columns as rows of examples."""
    pairs = [zip(made[f"{side}input_ids"], made[f"{side}labels"], strict=True) for side in sides]
    return [list(each) for each in zip(*pairs, strict=True)]


def trl_cases(clones: Path, realdata: Path, tokenizer: Any) -> Iterator[Case]:
    clone, commit = clones / PLACES["trl"], trainer("trl.sft").upstream.commit
    prepare = loaders.trl_prepared(clone, commit, tokenizer)
    chats = [{"messages": row["messages"]} for row in records(realdata, "kto_en_demo.json")]
    for mode in ("keep_start", "keep_end"):
        settings = {"assistant_only_loss": True, "truncation_mode": mode}
        whole = [labelled(prepare([row], "sft", settings)) for row in chats]

        def cut(n: int, limit: int, settings: dict[str, Any] = settings) -> list[Example] | None:
            return labelled(prepare([chats[n]], "sft", {**settings, "max_length": limit}))

        rows = [Row(each, [turned(e) for e in each]) for each in whole if each is not None]
        yield Case("trl.sft", settings, "max_length", rows, cut)
    pairs = list(preferences(realdata))
    for mode in ("keep_start", "keep_end"):
        yield collated(clone, "dpo", pairs, ("chosen_ids", "rejected_ids"), {"truncation_mode": mode}, prepare)
    asked = [{"prompt": row["messages"][:-1], "completion": row["messages"][-1:], "label": row["label"]}
             for row in records(realdata, "kto_en_demo.json")]  # fmt: skip
    yield collated(clone, "kto", asked, ("completion_ids",), {}, prepare)
    whole = [prepare([row], "reward", {}) for row in pairs]
    sides = ("chosen_ids", "rejected_ids")
    rows = [
        Row([(row[side], row[side]) for side in sides], [[0, len(row[side])] for side in sides]) for (row,) in whole
    ]

    def filtered(n: int, limit: int) -> list[Example] | None:
        found = prepare([pairs[n]], "reward", {"max_length": limit})
        return [(found[0][side], found[0][side]) for side in sides] if found else None

    yield Case("trl.reward", {}, "max_length", rows, filtered)


def labelled(rows: list[dict[str, Any]]) -> list[Example] | None:
    return [(row["input_ids"], row["labels"]) for row in rows] or None


def preferences(realdata: Path) -> Iterator[dict[str, Any]]:
    """LLaMA-Factory's pairs as messages."""
    names = {"human": "user", "gpt": "assistant", "system": "system"}

    def said(message: dict[str, Any]) -> dict[str, Any]:
        return {"role": names[message["from"]], "content": message["value"]}

    for row in records(realdata, "dpo_zh_demo.json"):
        prompt = [said(message) for message in row["conversations"]]
        yield {"prompt": prompt, "chosen": [said(row["chosen"])], "rejected": [said(row["rejected"])]}


def collated(
    clone: Path,
    mode: str,
    rows: list[dict[str, Any]],
    sides: tuple[str, ...],
    settings: dict[str, Any],
    prepare: Callable[..., list[dict[str, Any]]],
) -> Case:
    """DPO and KTO: rows are left out when the dataset is prepared, and cut when a batch is made.

    A short row stands beside each: KTO takes an answer of another row for its KL term.
    """
    short = {key: [{"role": part[0]["role"], "content": "x"}] if isinstance(part, list) else part
             for key, part in rows[0].items()}  # fmt: skip
    collate = loaders.trl_collate(clone, trainer("trl.dpo").upstream.commit, mode)
    whole = [prepare([row], mode, settings)[0] for row in rows]

    def cut(n: int, limit: int) -> list[Example] | None:
        ready = prepare([rows[n], short], mode, {**settings, "max_length": limit})
        if len(ready) < 2:
            return None
        made = collate(ready[:1], limit, settings.get("truncation_mode", "keep_start"))
        return list(zip(made["input_ids"], made["completion_mask"], strict=True))

    made = [
        Row([(row["prompt_ids"] + row[side], [0] * len(row["prompt_ids"]) + [1] * len(row[side])) for side in sides],
            [[len(row["prompt_ids"]), len(row[side])] for side in sides])
        for row in whole
    ]  # fmt: skip
    return Case(f"trl.{mode}", settings, "max_length", made, cut)


def verl_cases(clones: Path, realdata: Path, tokenizer: Any) -> Iterator[Case]:
    items, prompts = loaders.verl(clones / PLACES["verl"], trainer("verl.sft").upstream.commit, tokenizer)
    chats = [{"messages": row["messages"]} for row in records(realdata, "kto_en_demo.json")]
    whole = [item_of(item) for item in items(chats, {})]
    rows = [Row([each], [turned(each)]) for each in whole]
    for pad, side in (("right", "error"), ("right", "left"), ("right", "right"), ("no_padding", "error")):

        def cut(n: int, limit: int, pad: str = pad, side: str = side) -> list[Example] | None:
            try:
                (item,) = items([chats[n]], {"pad_mode": pad, "truncation": side, "max_length": limit})
            except ValueError:
                return None
            return [item_of(item)]

        yield Case("verl.sft", {"data.pad_mode": pad, "data.truncation": side}, "data.max_length", rows, cut)
    asked = [
        {"data_source": "openai/gsm8k", "prompt": row["messages"][:1], "extra_info": {},
         "reward_model": {"style": "rule", "ground_truth": "1"}} for row in chats
    ]  # fmt: skip
    ids = [tokenizer.apply_chat_template(row["prompt"], add_generation_prompt=True, return_dict=False) for row in asked]

    def filtered(n: int, limit: int) -> list[Example] | None:
        kept = prompts([asked[n]], {"filter": True, "max_prompt_length": limit})
        return [(ids[n], ids[n])] if kept else None

    yield Case(
        "verl.rl", {"data.filter_overlong_prompts": True}, "data.max_prompt_length",
        [Row([(each, each)], [[len(each), 0]]) for each in ids], filtered,
    )  # fmt: skip


def item_of(item: dict[str, Any]) -> Example:
    """An item of verl without its padding."""
    ids, mask = item["input_ids"].tolist(), item["loss_mask"].tolist()
    real = int(item["attention_mask"].sum()) if "attention_mask" in item else len(ids)
    return ids[:real], mask[:real]


def ms_swift_cases(clones: Path, realdata: Path, tokenizer: Any) -> Iterator[Case]:
    cut = loaders.ms_swift_cut(clones / PLACES["ms_swift"], trainer("ms_swift.sft").upstream.commit)
    examples = []
    for row in records(realdata, "kto_en_demo.json"):
        out = tokenizer.apply_chat_template(row["messages"], return_dict=True, return_assistant_tokens_mask=True)
        marked = zip(out["input_ids"], out["assistant_masks"], strict=True)
        examples.append((out["input_ids"], [one if trained else IGNORED for one, trained in marked]))
    rows = [Row([each], [turned(each)]) for each in examples]

    def real(n: int, limit: int, strategy: str) -> list[Example] | None:
        try:
            made = cut(*examples[n], limit, "raise" if strategy == "delete" else strategy)
        except ValueError:
            return None
        return [(made["input_ids"], made["labels"])]

    for strategy in ("delete", "left", "right"):
        # it masks the label of the first token that is left, which nothing could predict anyway
        yield Case(
            "ms_swift.sft", {"truncation_strategy": strategy}, "max_length", rows, partial(real, strategy=strategy), 1
        )


CASES = {"llamafactory": llamafactory_cases, "trl": trl_cases, "verl": verl_cases, "ms_swift": ms_swift_cases}


def main() -> int:
    """One child per trainer, as in benchmarks/trainers.py."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--realdata", type=Path, required=True)
    parser.add_argument("--only", choices=CASES)
    given = parser.parse_args()
    if given.only is None:
        print(
            f"limits {', '.join(map(str, LIMITS))}\n| mode | settings | rows x limits | cut | lost | different |",
            flush=True,
        )
        codes = [
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--only", name], check=False) for name in CASES
        ]
        return max(done.returncode for done in codes)
    wrong = 0
    tokenizer = loaders.tokenizer(given.realdata / TOKENIZER)
    for case in CASES[given.only](given.clones, given.realdata, tokenizer):
        found = compare(case)
        wrong += found[3]
        said = ", ".join(f"{key}: {value}" for key, value in case.settings.items() if not isinstance(value, dict))
        print(f"| {case.mode} | {said or '-'} | " + " | ".join(f"{n:,}" for n in found) + " |", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
