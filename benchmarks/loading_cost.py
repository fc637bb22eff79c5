"""What the check trainer_drops costs beside the trainer's own loading, in CPU seconds.

    python benchmarks/loading_cost.py --trainer trl.sft --python ENV/bin/python --tokenizer DIR --file ROWS.jsonl
        [--pairs 3]

Pairs of runs one after the other, each in fresh processes with empty caches: `datacheck run` with trainer_drops, start
and children included; the same on the first row alone, which is what its start takes; the trainer's loading of the
file, its start left out, and its preparing of the rows up to tokens. The file is JSON Lines, of chats
({messages: [{role, content}]}) or prompts for RL; verl gets them as Parquet.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROBES = Path(__file__).parents[1] / "datacheck" / "trainers" / "probes"
TAGS = {f"tags.{role}_tag": role for role in ("user", "assistant", "system")}
SETTINGS: dict[str, dict[str, Any]] = {
    "trl.sft": {},
    "llamafactory.sft": {
        "template": "qwen", "formatting": "sharegpt", "columns.messages": "messages", "tags.role_tag": "role",
        "tags.content_tag": "content", **TAGS,
    },
    "ms_swift.sft": {"template": "qwen2_5"},
    "verl.sft": {"data.max_length": 1024, "data.truncation": "right"},
    "verl.rl": {},
    "openrlhf.sft": {"data.apply_chat_template": True, "data.input_key": "messages", "data.max_len": 2048},
    "axolotl.sft": {"datasets.type": "chat_template", "sequence_len": 2048},
}  # fmt: skip
HOMES = ("HOME", "HF_HOME", "MODELSCOPE_CACHE", "XDG_CACHE_HOME")
OFFLINE = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"), "1")


def used() -> float:
    """CPU seconds of this process and of its children that ended."""
    told = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in told)


# ── in the trainer's Python: standard library and the probe beside it ────────────────────────────────────────────────
def trl_steps(loader: Any, file: Path) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    def prepared(dataset: Any) -> Any:
        arguments = loader.configuration(**loader.arguments)
        made = loader.trainer(
            model=loader.models[0], args=arguments, train_dataset=dataset, processing_class=loader.tokenizer
        )
        return made.train_dataset

    return lambda: loader.datasets.load_dataset("json", data_files=str(file), split="train"), prepared


def llamafactory_steps(loader: Any, file: Path) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    shutil.copy(file, loader.folder / "rows.jsonl")
    info = {"rows": {"file_name": "rows.jsonl", **loader.entry}}
    (loader.folder / "dataset_info.json").write_text(json.dumps(info), encoding="utf-8")
    told, inner = (loader.arguments, loader.training), loader.loader
    return (
        lambda: inner._get_merged_dataset(["rows"], loader.model, *told, stage="sft"),  # noqa: SLF001
        lambda rows: inner._get_preprocessed_dataset(rows, *told, "sft", loader.template, **loader.module),  # noqa: SLF001
    )


def ms_swift_steps(loader: Any, file: Path) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    pipeline = loader.pipeline
    pipeline.args.dataset = [str(file)]
    pipeline.args.load_dataset()
    return lambda: pipeline._get_dataset()[0], lambda rows: pipeline._encode_dataset(rows, None)[0]  # noqa: SLF001


def verl_steps(loader: Any, file: Path) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    def prepared(dataset: Any) -> Any:  # it makes tokens of a row when the row is asked for
        for n in range(len(dataset)):
            dataset[n]
        return dataset

    return lambda: loader.dataset(str(file), loader.tokenizer, loader.config, None, -1), prepared


def openrlhf_steps(loader: Any, file: Path) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    args = loader.command.arguments(loader.asked)
    strategy = sys.modules[type(loader).__module__].Strategy(args)
    made = {"pretrain_mode": False, "multiturn": args.data.multiturn, "num_processors": None}

    def prepared(data: Any) -> Any:  # it makes tokens of a row when the row is asked for
        dataset = loader.datasets.SFTDataset(data, loader.tokenizer, args.data.max_len, strategy, **made)
        for n in range(len(dataset)):
            dataset[n]
        return dataset

    return lambda: loader.blended(str(file), None, strategy, args.train.seed), prepared


def axolotl_steps(loader: Any, file: Path) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    loader.entry["path"] = str(file)  # its config wants a file that is there
    loader.seen, cfg = 0, loader._configured()  # noqa: SLF001 - one call reads and makes tokens
    return lambda: None, lambda _: loader.common.load_datasets(cfg=cfg).train_dataset


def in_trainer(trainer: str, tokenizer: str, file: Path, folder: Path) -> None:
    """Print CPU seconds of reading and of preparing, and how many rows came of it."""
    family, _, mode = trainer.partition(".")
    spec = importlib.util.spec_from_file_location(f"probe_{family}", PROBES / f"{family}.py")
    assert spec is not None
    assert spec.loader is not None
    probe = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = probe
    spec.loader.exec_module(probe)
    told = SETTINGS[trainer]
    if family == "llamafactory":
        told = {name.rpartition(".")[2]: value for name, value in told.items()}
    request = {"mode": mode, "settings": told, "tokenizer": tokenizer, "plain": False}
    read, prepare = globals()[f"{family}_steps"](probe.loading(request, folder), file)
    times = [used()]
    rows = read()
    times.append(used())
    made = prepare(rows)
    times.append(used())
    found = {"reading": times[1] - times[0], "preparing": times[2] - times[1], "rows": len(made)}
    (folder / "found.json").write_text(json.dumps(found), encoding="utf-8")


# ── here ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def of_datacheck(trainer: str, file: Path) -> float:
    """CPU seconds of the whole command."""
    checks = ["trainer_drops"]
    contract = {
        "name": "cost",
        "run": {"trainer": trainer, "settings": SETTINGS[trainer]},
        "datasets": {"train": {"source": {"format": "auto"}, "checks": checks}},
    }
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "c.yaml").write_text(json.dumps(contract), encoding="utf-8")
        own = {**os.environ, **dict.fromkeys(HOMES, folder)}
        before = used()
        command = [sys.executable, "-m", "datacheck", "run", "c.yaml", "--out", "out", "--quiet"]
        command += ["--data", f"train={file}"]
        done = subprocess.run(command, cwd=folder, env=own, check=False)
        after = used()
        ran = json.loads((Path(folder) / "out" / "report.json").read_text(encoding="utf-8"))
        assert done.returncode in (0, 1), done
        assert {each["check"] for each in ran["findings"]} >= set(checks)
    return after - before


def of_trainer(trainer: str, python: Path, tokenizer: Path, file: Path) -> dict[str, float]:
    """What its own process says."""
    with tempfile.TemporaryDirectory() as folder:
        own = {**os.environ, **dict.fromkeys(HOMES, folder), **OFFLINE, "TOKENIZERS_PARALLELISM": "false"}
        command = [str(python), __file__, "--inside", folder, "--trainer", trainer]
        command += ["--tokenizer", str(tokenizer), "--file", str(file)]
        subprocess.run(command, env=own, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.loads((Path(folder) / "found.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def given_to(trainer: str, name: str, lines: list[str], folder: Path) -> Path:
    """A file of these rows as the trainer takes it."""
    if not trainer.startswith("verl"):
        made = folder / f"{name}.jsonl"
        made.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return made
    from pyarrow import Table, parquet  # here: the trainer's Python needs none for this file

    rows = [json.loads(line) for line in lines]
    made = folder / f"{name}.parquet"
    parquet.write_table(Table.from_pylist(rows), made)
    return made


def measured(trainer: str, python: Path, tokenizer: Path, file: Path, pairs: int) -> None:
    """Print each pair, then the medians and two ratios: of the whole command, and of it without its start."""
    seen = []
    lines = file.read_text(encoding="utf-8").rstrip("\n").split("\n")  # no other ends: texts may hold them
    with tempfile.TemporaryDirectory() as folder:
        given = given_to(trainer, "rows", lines, Path(folder))
        one = given_to(trainer, "one", lines[:1], Path(folder))
        for _ in range(pairs):
            ours = {"run": of_datacheck(trainer, given), "start": of_datacheck(trainer, one)}
            seen.append({**ours, **of_trainer(trainer, python, tokenizer, given)})
            print({name: round(value, 1) for name, value in seen[-1].items()}, flush=True)
    median = {name: statistics.median(each[name] for each in seen) for name in seen[0]}
    loading = median["reading"] + median["preparing"]
    ratios = [f"{cost / loading:.2f}" for cost in (median["run"], median["run"] - median["start"])]
    print(trainer, {name: round(value, 1) for name, value in median.items()}, *ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trainer", choices=SETTINGS, required=True)
    parser.add_argument("--python", type=Path)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--file", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--inside", type=Path, help="the folder of a child in the trainer's Python; not for you")
    given = parser.parse_args()
    if given.inside:
        sys.path.pop(0)  # this folder: its modules must not hide a package's
        in_trainer(given.trainer, str(given.tokenizer.resolve()), given.file, given.inside)
    else:
        measured(given.trainer, given.python, given.tokenizer.resolve(), given.file.resolve(), given.pairs)


if __name__ == "__main__":
    main()
