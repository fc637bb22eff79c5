"""Twins against installed trainers, model by model: each template on a small tokenizer with that model's own tokens.

    python benchmarks/installed_templates.py --python ENV/bin/python --trainer NAME
        [--templates DIR…] [--only NAME…] [--count 12]

Conversations are drawn from a grammar (conversation_cases.py) and given to the trainer in files of one row: fate, token
ids and labels must be equal. LLaMA-Factory takes its own templates by name, the others *.jinja of the folders
(trl/chat_templates of the installed TRL, those of axolotl, others of model repositories). Counts go to
docs/benchmarks/installed_templates.json, and for LLaMA-Factory a digest of what the package gave, which a test compares
with the twin's.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import random
import re
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))
from chat_helpers import trained
from conversation_cases import drawn, openai, sharegpt, small_tokenizer, special_tokens
from installed_cases import Case
from installed_trainers import compare, in_forks

from datacheck.trainers.probes.asking import ProbedRow

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "docs" / "benchmarks" / "installed_templates.json"
OWN = ROOT / "datacheck" / "trainers" / "templates" / "llamafactory.toml"
_SHARE = {"formatting": "sharegpt", "columns.messages": "conversations", "columns.tools": "tools"}
_VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"mask_history": True},
    {"enable_thinking": False, "default_system": "D"},
    {"enable_thinking": None, "mask_history": True, "preserve_thinking": True},
    {"cutoff_len": 60},
    {"cutoff_len": 60, "mask_history": True},
)
_MAIN = (
    "qwen qwen3_nothink llama3 gemma gemma2 mistral phi phi4 glm4 deepseek deepseek3 intern2 cpm4 moonlight olmo yi "
    "default minimax1 minimax2"
).split()


class Model(NamedTuple):
    """A template by name, and ways to train with it: cases, each with its rows; `folder` holds the tokenizer."""

    name: str
    folder: Path
    cases: list[tuple[Case, list[Any]]]


def base_folder(folder: Path) -> Path:
    """A small tokenizer of the tests: byte-level BPE."""
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_text(trained(), encoding="utf-8")
    return folder


def _seed(name: str) -> random.Random:
    return random.Random(int(hashlib.sha256(name.encode()).hexdigest()[:8], 16))


def llamafactory(name: str, scratch: Path, count: int) -> Model:
    """One of its own templates; half of its control words are tokens already, the others it adds itself."""
    draw = _seed(name)
    given = tomllib.loads(OWN.read_text(encoding="utf-8"))["template"][name]
    words = special_tokens(json.dumps(given, ensure_ascii=False))
    bos, eos = draw.choice(("<s>", "<|endoftext|>", None)), draw.choice(("</s>", "<|im_end|>"))
    folder = small_tokenizer(scratch / "base", scratch / name, words[::2], bos_token=bos, eos_token=eos)
    rows = [sharegpt(talk, draw) for talk in drawn(draw, count)]
    thoughts, variant = given.get("kind", "").startswith("thoughts"), _VARIANTS[1 + sum(name.encode()) % 5]
    ways = _VARIANTS[:4] if thoughts else ({}, variant) if name in _MAIN else ({},)
    cases = [(Case("llamafactory.sft", [], {"template": name, **_SHARE, **more}), rows) for more in ways]
    if not thoughts and name not in _MAIN:
        return Model(name, folder, cases)
    pairs = [_pair(row, draw) for row in rows]
    ranked = {"ranking": True, "columns.chosen": "chosen", "columns.rejected": "rejected", **_SHARE, **variant}
    ranked.pop("mask_history", None)  # of SFT alone
    return Model(name, folder, [*cases, (Case("llamafactory.dpo", [], {"template": name, **ranked}), pairs)])


def _pair(row: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    *before, chosen = row["conversations"]
    said = draw.choice(("no", "<think>\nx\n</think>\n\nno", "b" * 30))
    return {**row, "conversations": before, "chosen": chosen, "rejected": {"from": "gpt", "value": said}}


def of_jinja(mode_settings: Sequence[tuple[str, dict[str, Any]]], path: Path, scratch: Path, count: int) -> Model:
    """A model's template as its folder has it."""
    draw, text = _seed(path.stem), path.read_text(encoding="utf-8")
    words = special_tokens(text)
    bos = next(
        (word for word in words if word in ("<s>", "<bos>", "<|begin_of_text|>", "<｜begin▁of▁sentence｜>")), None
    )
    bos = bos or ("<s>" if "bos_token" in text else None)
    ends = ("<|im_end|>", "<|eot_id|>", "<|end|>", "<｜end▁of▁sentence｜>", "<end_of_turn>", "<|return|>", "</s>")
    eos = next((end for end in ends if end in words), "<|endoftext|>")
    folder = small_tokenizer(scratch / "base", scratch / path.stem, words, text, bos_token=bos, eos_token=eos)
    talks = drawn(draw, count)
    texts = "arguments'] | tojson" not in text and "deepseek" in path.stem
    rows = [openai(talk, objects=not texts) for talk in talks]
    return Model(path.stem, folder, [(Case(mode, [], more), [_shaped(mode, more, row) for row in rows])
                                     for mode, more in mode_settings])  # fmt: skip


def _shaped(mode: str, settings: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """A conversation as the mode wants it: whole, or cut before its last answer."""
    *prompt, answer = row["messages"]
    rest = {key: value for key, value in row.items() if key != "messages"}
    if mode == "trl.dpo":
        return {**rest, "prompt": prompt, "chosen": [answer], "rejected": [{"role": "assistant", "content": "no"}]}
    if mode == "axolotl.dpo":
        return {**rest, "messages": prompt, "chosen": answer, "rejected": {"role": "assistant", "content": "no"}}
    if mode == "openrlhf.dpo":
        return {**rest, "q": prompt, "c": [answer], "r": [{"role": "assistant", "content": "no"}]}
    if "completion_only_loss" in settings:
        return {**rest, "prompt": prompt, "completion": [answer]}
    return row


_TRL: list[tuple[str, dict[str, Any]]] = [
    ("trl.sft", {"assistant_only_loss": True}), ("trl.sft", {"completion_only_loss": True}),
    ("trl.sft", {"completion_only_loss": True, "assistant_only_loss": True}), ("trl.dpo", {}),
]  # fmt: skip
_VERL: list[tuple[str, dict[str, Any]]] = [
    ("verl.sft", {"data.max_length": 4096}),
    ("verl.sft", {"data.ignore_input_ids_mismatch": True, "data.max_length": 4096}),
]  # fmt: skip
_OPENRLHF: list[tuple[str, dict[str, Any]]] = [
    *(("openrlhf.sft", {"data.apply_chat_template": True, "data.input_key": "messages", "data.max_len": 4096,
                        "data.multiturn": turns}) for turns in (False, True)),
    ("openrlhf.dpo", {"data.apply_chat_template": True, "data.prompt_key": "q", "data.chosen_key": "c",
                      "data.rejected_key": "r", "data.max_len": 4096}),
]  # fmt: skip
_AXOLOTL: list[tuple[str, dict[str, Any]]] = [
    ("axolotl.sft", {"datasets.type": "chat_template", "sequence_len": 4096}),
    ("axolotl.sft", {"datasets.type": "chat_template", "sequence_len": 4096, "datasets.train_on_eos": "all"}),
    ("axolotl.dpo", {"datasets.type": "chat_template.default", "sequence_len": 4096}),
]
_UNSLOTH: list[tuple[str, dict[str, Any]]] = [
    ("unsloth.sft", {"train_on_responses_only": True, "max_seq_length": 4096}),
    ("unsloth.sft", {"train_on_responses_only": True, "apply_chat_template": "messages", "max_seq_length": 4096}),
    ("unsloth.sft", {"assistant_only_loss": True, "max_seq_length": 4096}),
]
_OF_JINJA = {"axolotl": _AXOLOTL, "trl": _TRL, "verl": _VERL, "openrlhf": _OPENRLHF, "unsloth": _UNSLOTH}


def models(arguments: argparse.Namespace, scratch: Path) -> Iterator[Model]:
    """The models of a trainer."""
    count, only = arguments.count, arguments.only
    base_folder(scratch / "base")
    if arguments.trainer == "llamafactory":
        known = tomllib.loads(OWN.read_text(encoding="utf-8"))["template"]
        for name in only or [name for name in known if not known[name].get("media")]:
            yield llamafactory(name, scratch, count)
        return
    paths = sorted(path for folder in arguments.templates for path in folder.glob("*.jinja"))
    for path in paths:
        if not path.stem.endswith("_training") and (not only or path.stem in only):
            yield of_jinja(_OF_JINJA[arguments.trainer], path, scratch, count)


def digest(rows: Sequence[ProbedRow]) -> str:
    """What became of rows, in sixteen letters."""
    told = [[row.fate, [[each.part, each.ids, each.labels] for each in row.examples]] for row in rows]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def main() -> int:
    """Run the models; exit code 1 on a difference."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--trainer", choices=("llamafactory", *_OF_JINJA), required=True)
    parser.add_argument("--templates", type=Path, nargs="*", default=[])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--record", type=Path, default=RECORD)
    arguments = parser.parse_args()
    in_forks()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in models(arguments, Path(folder)):
            for case, rows in model.cases:
                told: list[ProbedRow] = []
                counts, versions = compare(case, [[row] for row in rows], arguments.python, model.folder, told)
                print(model.name, case.mode, case.settings, dict(counts), flush=True)
                wrong += counts["different"]
                made = digest(told) if arguments.trainer == "llamafactory" else None
                record(
                    arguments.record,
                    f"{arguments.trainer} {versions[arguments.trainer]}",
                    model.name,
                    case,
                    counts,
                    made,
                )
    return int(bool(wrong))


def key_of(case: Case) -> str:
    """A case by its mode and the settings that tell it from others."""
    hidden = (*_SHARE, "template", "ranking", "columns.chosen", "columns.rejected")
    shown = {key: value for key, value in case.settings.items() if key not in hidden}
    return " ".join([case.mode, *(f"{each}={json.dumps(value)}" for each, value in sorted(shown.items()))])


def record(path: Path, release: str, name: str, case: Case, counts: Counter[str], made: str | None) -> None:
    """Put the counts of one case into the file, in place of what was there."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    told: dict[str, Any] = {**dict(sorted(counts.items())), **({"digest": made} if made else {})}
    if made and name == "llama3":  # its prompt of tools names the day
        told["day"] = dt.date.today().isoformat()  # noqa: DTZ011
    known.setdefault(release, {}).setdefault(name, {})[key_of(case)] = told
    ordered = {each: dict(sorted(known[each].items())) for each in sorted(known)}
    text = json.dumps(ordered, indent=1, sort_keys=True)
    lines = re.sub(r"\{\n\s+(\"cases\"[^{}]*?)\n\s+\}", lambda each: "{" + " ".join(each[1].split()) + "}", text)
    path.write_text(lines + "\n", encoding="utf-8")  # a line a case


if __name__ == "__main__":
    sys.exit(main())
