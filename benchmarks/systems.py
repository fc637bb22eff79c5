"""The twins of LightRFT, MiniOneRec, MLX-GRPO and pplmx/llm beside the trainers' own loaders, row by row.

    python benchmarks/systems.py --code DIR [--rows 3000] [--seed 1] [--realdata DIR]

DIR holds checkouts named LightRFT, MiniOneRec, MLX-GRPO and llm at the commits that the twins name (`UPSTREAM`).
Their files are imported as they are, with stubs for torch, transformers and the like; the template is a stand-in that
gives the messages back as JSON, the tokenizer one token per character. Rows are drawn at random from values that are
right, wrong, missing and of every type, and read from realdata where it is there. What is compared:

* the outcome: an exception of theirs = `fails`, a row that is gone = `dropped`, no trained token or a reward that is
  always 0 = `masked`; and which rows are cut;
* the text: prompt and answer that they render, character by character.

Cells of MiniOneRec that are no literals are not compared: their code would run them.
"""

# ruff: noqa: ANN001, ANN003, ANN201, ANN202, ANN204, BLE001, D102 - stubs of other people's classes
from __future__ import annotations

import argparse
import ast
import csv
import importlib.util
import json
import logging
import random
import string
import sys
import tempfile
import types
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from datacheck.trainers import trainer
from datacheck.trainers.base import UNSEEN, Mode, RowOutcome

LOST = ("fails", "dropped")


class Real(NamedTuple):
    """What the trainer's own code did with a row: outcome, prompt, answer, and whether it was cut."""

    fate: str
    prompt: Any = None
    answer: Any = None
    cut: bool = False


FAILS = Real("fails")


class Batch(list):
    """A tensor of one row, as far as the loaders ask."""

    def int(self):
        return self

    def sum(self):
        return types.SimpleNamespace(item=lambda: sum(map(sum, self)))


class Characters:
    """One token per character; refuses what is no text, as tokenizers do."""

    bos_token_id = eos_token_id = pad_token_id = 0
    eos_token = "<|end|>"

    def encode(self, text):
        if not isinstance(text, str):
            raise TypeError(text)
        return [ord(char) + 1 for char in text]

    def decode(self, tokens):
        return "".join(chr(token - 1) for token in tokens if token > 0)

    def __call__(self, text, max_length=None, **_):
        tokens = self.encode(text)[:max_length]
        return {"input_ids": Batch([tokens]), "attention_mask": Batch([[1] * len(tokens)])}


def template(chat, add_generation_prompt=False, **_):
    """A stand-in for a chat template: prefix-stable, and as strict as one."""
    assert isinstance(chat, list)
    assert chat[0] is not None  # many templates look at the first message
    assert all(isinstance(message, dict) and "role" in message for message in chat)
    text = "".join(json.dumps(message, ensure_ascii=False, sort_keys=True) + "\n" for message in chat)
    return text + "{" if add_generation_prompt else text


def of_texts(chat, **how):
    """The same, of a model without images: what is no text is refused."""
    if not all(isinstance(message.get("content"), str) for message in chat):
        raise TypeError("can only concatenate str (not list) to str")
    return template(chat, **how)


def stubs() -> None:
    """Put stand-ins for the heavy packages where `import` finds them."""
    torch = types.ModuleType("torch")
    torch.LongTensor, torch.Tensor = list, list
    torch.nn, torch.utils = types.ModuleType("torch.nn"), types.ModuleType("torch.utils")
    functional, data = types.ModuleType("torch.nn.functional"), types.ModuleType("torch.utils.data")
    data.Dataset, data.DataLoader = type("Dataset", (), {}), type("DataLoader", (), {})
    torch.nn.functional, torch.utils.data = functional, data
    progress = types.ModuleType("tqdm")
    progress.tqdm = lambda things, **_: things
    image = types.ModuleType("PIL")
    image.Image = type("Image", (), {})
    named = {"torch": torch, "torch.nn": torch.nn, "torch.nn.functional": functional, "torch.utils": torch.utils}
    sys.modules |= {**named, "torch.utils.data": data, "tqdm": progress, "PIL": image}


def load(path: Path, name: str, package: str | None = None) -> Any:
    """Import one file; `package`: what stands for its package, without the package's own __init__."""
    if package:
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__path__ = [str(path.parent)]
    spec = importlib.util.spec_from_file_location(f"{package}.{name}" if package else name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# The values of hostile rows


def anything(pick: random.Random) -> Any:
    return pick.choice([None, 0, 1.5, True, "", "文", [], ["a"], {}, {"value": "1"}, [[1]], "['9']", "(1, 2)", [{}]])


def message(pick: random.Random) -> Any:
    if pick.random() < 0.1:
        return anything(pick)
    role = pick.choice(
        ["user", "assistant", "system", "tool", "human", "gpt", "robot", "", None, ["x"], "user", "user"]
    )
    content = pick.choice(["hi", "<image>看图", "", None, 3, [{"type": "text", "text": "parts"}], [{"type": "image"}]])
    keys = pick.choice([("role", "content"), ("role", "content"), ("from", "value"), ("role", "value")])
    made = {keys[0]: role, keys[1]: content}
    made.pop(pick.choice([*made, "", "", "", ""]), None)
    return made


def messages(pick: random.Random) -> Any:
    return [message(pick) for _ in range(pick.choice([0, 1, 1, 2, 3]))]


def sometimes(pick: random.Random, made: dict[str, Callable[[], Any]], missing: float = 0.15) -> dict[str, Any]:
    return {key: make() for key, make in made.items() if pick.random() > missing}


def label(pick: random.Random) -> Any:
    return pick.choice(["gsm8k_rule", "gsm8k_rule", "geo3k_rule", "math", "", anything(pick)])


def rl_row(pick: random.Random) -> Any:
    if pick.random() < 0.02:
        return anything(pick)
    prompt = {
        key: lambda: pick.choice([messages(pick), messages(pick), "题目", anything(pick), message(pick)])
        for key in ("input", "prompt")
    }
    nested = {
        "extra_info": lambda: pick.choice(
            [sometimes(pick, {"label": lambda: label(pick), "reference": lambda: anything(pick),
                              "constraints": lambda: anything(pick)}), anything(pick)]),
        "reward_model": lambda: pick.choice([{"ground_truth": anything(pick)}, {"style": "rule"}, anything(pick)]),
    }  # fmt: skip
    own = {"label": lambda: label(pick), "reference": lambda: anything(pick), "ground_truth": lambda: anything(pick),
           "image": lambda: pick.choice([None, "a.png"])}  # fmt: skip
    return {**sometimes(pick, prompt, 0.4), **sometimes(pick, nested, 0.5), **sometimes(pick, own, 0.5)}


def sft_row(pick: random.Random) -> Any:
    plain = lambda: pick.choice(["问题", "x" * 30, "", anything(pick)])  # noqa: E731
    chat = lambda: pick.choice([messages(pick), [{"role": "user", "content": "q"}], anything(pick)])  # noqa: E731
    return sometimes(pick, {"q": plain, "a": plain, "chat": chat, "answer": chat}, 0.05)


def pplmx_row(pick: random.Random) -> Any:
    if pick.random() < 0.02:
        return anything(pick)
    value = lambda: pick.choice(["text", "x" * 40, "x" * 150, "中文", "", "<EOS>", anything(pick)])  # noqa: E731
    names = ("instruction", "input", "output", "prompt", "chosen", "rejected", "text")
    return sometimes(pick, dict.fromkeys(names, value))


def gold_row(pick: random.Random) -> Any:
    answers = ["#### 42", "a #### 1,080", "none", "####", "#### 1 #### 2", "x####-7", anything(pick)]
    made = {"question": lambda: pick.choice(["q", anything(pick)]), "answer": lambda: pick.choice(answers)}
    return sometimes(pick, made, 0.05)


def cell(pick: random.Random, items: list[str]) -> str:
    usual = repr([pick.choice(items) for _ in range(pick.choice([0, 1, 2, 3]))])
    return pick.choice([usual] * 8 + ["", "NA", "None", "[]", "'ab'", "7", "('a', 'b')", "[1, 2]", "nan", "{}", "[NA]",
                                      "len([1])", "{'a', 'b'}", "  ['<a_1>']", "[None]"])  # fmt: skip


def item_row(pick: random.Random) -> dict[str, str]:
    sids, titles = ["<a_1><b_2><c_3>", "<a_4><b_5><c_6>"], ["Pen, blue", 'A "quoted" title', "NA"]
    row = {
        "user_id": "A1", "history_item_title": cell(pick, titles), "item_title": pick.choice([*titles, "笔", ""]),
        "history_item_id": pick.choice(["[0, 1]", "[0]", "[]", "", "'0'", "x"]),
        "item_id": pick.choice(["0", "1", "9"]), "history_item_sid": cell(pick, sids),
        "item_sid": pick.choice([*sids, *sids, "NA", "", "<a_9>"]),
    }  # fmt: skip
    row.pop(pick.choice([*row, *[""] * 40]), None)
    return row


# The trainers' own code, one function per mode: row → Real


def lightrft(code: Path, mode: str, settings: dict[str, Any]) -> Callable[[Any], Real]:
    folder = code / "LightRFT/lightrft/datasets"
    name = {"rl_text": "prompts_dataset", "rl_vl": "prompts_dataset_vl", "sft": "sft_dataset"}[mode]
    module = load(folder / f"{name}.py", name, "lightrft_datasets")
    tokenizer = Characters()
    tokenizer.apply_chat_template = template
    if mode == "sft":
        return _lightrft_sft(module.SFTDataset, tokenizer, settings)
    chat = (of_texts if mode == "rl_vl" else template) if settings.get("apply_chat_template") else None

    def text(row):
        prompt, lab, gold = module.preprocess_data(row, None, settings["input_key"], "label", chat)
        return prompt, lab, gold

    def images(row):
        keys = {"prompt_key": settings["input_key"], "images_key": "image", "reference_key": "reference"}
        prompt, _, gold, lab = module.preprocess_data(row, label_key="label", apply_chat_template=chat, **keys)
        return prompt, lab, gold

    def run(row):
        try:
            prompt, lab, gold = (text if mode == "rl_text" else images)(row)
            tokenizer.encode(prompt)
            rewarded = lab in {"gsm8k_rule": 1, "geo3k_rule": 1}
        except Exception:
            return FAILS
        never = gold is None or gold in ("", [], {})
        return Real("kept" if rewarded and not never else "masked", prompt)

    return run


def _lightrft_sft(kind: Any, tokenizer: Characters, settings: dict[str, Any]) -> Callable[[Any], Real]:
    def run(row):
        made = object.__new__(kind)
        defaults = {"pretrain_mode": False, "multiturn": False, "max_length": 2048, "input_template": None}
        chat = template if settings.get("apply_chat_template") else False
        made.__dict__ |= {
            **defaults,
            "output_key": None,
            **settings,
            "apply_chat_template": chat,
            "tokenizer": tokenizer,
        }
        try:
            done = made.process_data(dict(row))
            if done["prompt"] is None:
                return Real("dropped")
            made.prompts, made.responses = [done["prompt"]], [done["response"]]
            made.prompt_ids_lens, made.response_ranges = [done["prompt_ids_len"]], [done["response_ranges"]]
            tokens = made[0][1]
        except Exception:
            return FAILS
        whole = (done["prompt"] + done["response"]).rstrip("\n") + " " + tokenizer.eos_token
        return Real("kept", done["prompt"], done["response"], len(tokens[0]) < len(whole))

    return run


def mlx_grpo(code: Path) -> Callable[[Any], Real]:
    """Their two functions, cut out of the file: the rest of it needs Apple's hardware."""
    source = (code / "MLX-GRPO/mlx-grpo.py").read_text(encoding="utf-8")
    wanted = {"extract_hash_answer", "get_gsm8k_questions", "SYSTEM_PROMPT"}
    tree = ast.parse(source)
    tree.body = [
        node for node in tree.body
        if getattr(node, "name", None) in wanted
        or (isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) in wanted)
    ]  # fmt: skip
    names: dict[str, Any] = {"Dataset": list}
    exec(compile(tree, "mlx-grpo.py", "exec"), names)  # noqa: S102 - their code is what is measured

    def run(row):
        table = types.SimpleNamespace(map=lambda change: change(row))
        names["load_dataset"] = lambda *_: {"train": table}
        try:
            made = names["get_gsm8k_questions"]()
            Characters().encode(made["prompt"][1]["content"])
        except Exception:
            return FAILS
        return Real("masked" if made["answer"] in (None, "") else "kept", made["prompt"])

    return run


def pplmx(code: Path, mode: str, limit: int) -> Callable[[Any], Real]:
    root = code / "llm/src/llm"
    simple = load(root / "tokenization/simple_tokenizer.py", "simple_tokenizer", "llm_tokenization")
    base = types.ModuleType("llm.tokenization.tokenizer")
    base.BaseTokenizer = object
    sys.modules |= {"llm": types.ModuleType("llm"), "llm.tokenization": types.ModuleType("x"), base.__name__: base}
    name = {"ppo": "prompt"}.get(mode, mode)
    module = load(root / f"data/datasets/{name}.py", name, "llm_datasets")
    tokenizer = simple.SimpleCharacterTokenizer([string.printable, "<PAD>", "<EOS>", "<BOS>"])
    kind = {"sft": "SFTDataset", "dpo": "DPODataset", "reward": "RewardDataset", "ppo": "PromptDataset"}[mode]
    good = {"prompt": "p", "chosen": "c", "rejected": "r", "instruction": "i", "output": "o"}

    def run(row):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.jsonl"
            path.write_text("".join(json.dumps(one) + "\n" for one in (row, good)), encoding="utf-8")
            try:
                made = getattr(module, kind)(path) if mode == "ppo" else getattr(module, kind)(path, tokenizer, limit)
                if len(made) < 2:
                    return Real("dropped")
                first = made[0]
            except Exception:
                return FAILS
        return _pplmx_row(mode, first, row, limit)

    return run


def _pplmx_row(mode: str, first: dict[str, Any], row: dict[str, Any], limit: int) -> Real:
    if mode == "ppo":
        return Real("kept", first["prompt"])
    if mode == "sft":
        trained = any(one != -100 for one in first["labels"])
        return Real("kept" if trained else "masked", cut=sum(first["attention_mask"]) == limit)
    sides = [first[f"{side}_attention_mask"] for side in ("chosen", "rejected")]
    cut = any(sum(side) == limit for side in sides)
    if mode == "dpo":
        trained = any(one != -100 for side in ("chosen", "rejected") for one in first[f"{side}_labels"])
    else:
        trained = first["chosen_input_ids"] != first["rejected_input_ids"] or bool(
            row["chosen"] == row["rejected"] != ""
        )
        trained = trained and len(row["prompt"]) < limit
    return Real("kept" if trained else "masked", cut=cut)


def minionerec(code: Path, mode: str) -> Callable[[Any], Real]:
    module = load(code / "MiniOneRec/data.py", "minionerec_data")
    module.pd.options.future.infer_string = False  # as pandas 2, which they ask for
    tokenizer = Characters()
    items = {"0": {"title": "Pen", "description": "['a pen']"}, "1": {"title": "Ink", "description": "['']"}}
    index = {"0": ["<a_1>", "<b_2>", "<c_3>"], "1": ["<a_4>", "<b_5>", "<c_6>"]}
    folder = Path(tempfile.mkdtemp())
    (folder / "item.json").write_text(json.dumps(items))
    (folder / "index.json").write_text(json.dumps(index))
    both = {"item_file": folder / "item.json", "index_file": folder / "index.json"}
    tasks = {
        "sft": [
            ("SidSFTDataset", {}),
            ("FusionSeqRecDataset", both),
            ("SFTData", {}),
            ("TitleHistory2SidSFTDataset", both),
        ],
        "rl": [("SidDataset", None), ("RLSeqTitle2SidDataset", None)],
        "eval": [("EvalSidDataset", {})],
    }[mode]

    def run(row):
        path = folder / "a.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerow(row)
        made = []
        for name, more in tasks:
            kind = getattr(module, name)
            try:
                given = {} if more is None else {"tokenizer": tokenizer, "max_len": 10**6, **more}
                made.append(kind(train_file=path, category="items", **given)[0])
            except Exception:
                return FAILS
        first = made[0]
        if mode == "rl":
            return Real("kept", first["prompt"], first["completion"])
        asked = sum(one == -100 for one in first["labels"])
        tokens = first["input_ids"]
        return Real("kept", tokenizer.decode(tokens[:asked]), tokenizer.decode(tokens[asked:]))

    return run


def items_of(code: Path) -> Callable[[Any], Real]:
    """RLTitle2SidDataset, of one item."""
    module = load(code / "MiniOneRec/data.py", "minionerec_data")
    folder = Path(tempfile.mkdtemp())

    def run(row):
        levels = [part for part in row["sid"].replace("><", "> <").split() if part]
        (folder / "item.json").write_text(json.dumps({"7": {"title": row["title"], "description": "['d']"}}))
        (folder / "index.json").write_text(json.dumps({"7": levels}))
        made = module.RLTitle2SidDataset(item_file=folder / "item.json", index_file=folder / "index.json", category="x")
        if not len(made):
            return Real("dropped")
        return Real("kept", made[0]["prompt"], made[0]["completion"])

    return run


def info_row(pick: random.Random) -> dict[str, str]:
    levels = "".join(f"<{letter}_{pick.randrange(9)}>" for letter in "abcd"[: pick.choice([0, 1, 2, 3, 3, 3, 4])])
    return {"sid": levels, "title": pick.choice(["Pen", "", "A {title}", "笔 <a_1>"]), "item_id": "7"}


# The comparison


def of_twin(mode: Mode, reading: RowOutcome, settings: Any) -> Real:
    """The twin's word in the same terms."""
    fate = mode.fate_of(reading.fates)
    trained = reading.trained
    if fate in LOST or trained is None:
        return Real(fate)
    prompt, answer = trained.prompt, trained.response
    texts = [answer] if trained.chosen is None else [trained.chosen, trained.rejected]
    outcome = "masked" if fate == "masked" else "kept"
    if (
        isinstance(prompt, str)
        and all(isinstance(text, str | None) for text in texts)
        and mode.name.startswith("pplmx")
    ):
        kept = [mode.cut(settings).kept([(len(prompt), len(text or ""))])[0] for text in texts]
        if mode.cut(settings).unanswered and not any(answered for _, answered in kept):
            outcome = "masked"
    return Real(outcome, prompt, answer)


def rendered(value: Any, *, asked: bool = False) -> Any:
    return template(value, add_generation_prompt=asked) if isinstance(value, list) else value


def compare(name: str, rows: Iterable[Any], real: Callable[[Any], Real], **given: Any) -> tuple[int, int, Counter]:
    """Rows, rows on which both agree, and the outcomes."""
    mode = trainer(name)
    settings = mode.configured(None, given)
    agreed, seen, outcomes = 0, 0, Counter()
    for row in rows:
        reading = mode.read(row, settings, UNSEEN)
        if any(fate.reason == "runs_code" for fate in reading.fates):
            outcomes["code, not compared"] += 1
            continue
        theirs, ours = real(row), of_twin(mode, reading, settings)
        same = theirs.fate == ours.fate
        if same and theirs.fate not in LOST and theirs.prompt is not None:
            same = rendered(ours.prompt, asked=True) == rendered(theirs.prompt, asked=True)
        if same and theirs.fate not in LOST and theirs.answer is not None:
            same = (rendered(ours.answer) or "").removeprefix("{") == theirs.answer
        seen, agreed = seen + 1, agreed + same
        outcomes[theirs.fate] += 1
        if not same and outcomes["shown"] < 3:
            outcomes["shown"] += 1
            print(
                "  differs:",
                json.dumps(row, ensure_ascii=False)[:300],
                "\n   theirs",
                theirs,
                "\n   ours",
                ours,
                reading.fates,
            )
    del outcomes["shown"]
    return seen, agreed, outcomes


def real_rows(folder: Path) -> dict[str, list[Any]]:
    gsm8k = folder / "gsm8k/grade_school_math/data/test.jsonl"
    office = next(folder.glob("minionerec/data/Amazon/valid/Office*.csv"))
    questions = [json.loads(line) for line in gsm8k.read_text(encoding="utf-8").splitlines()]
    with office.open(encoding="utf-8", newline="") as file:
        items = list(csv.DictReader(file))
    with next(folder.glob("minionerec/data/Amazon/info/Office*.txt")).open(encoding="utf-8") as file:
        info = [dict(zip(("sid", "title", "item_id"), line.rstrip("\n").split("\t"), strict=True)) for line in file]
    rows = dict.fromkeys(("minionerec.sft", "minionerec.rl", "minionerec.eval"), items[:500])
    return {"mlx_grpo.grpo": questions, "minionerec.items": info, **rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--code", type=Path, required=True)
    parser.add_argument("--realdata", type=Path)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    stubs()
    code = options.code
    known = real_rows(options.realdata) if options.realdata else {}
    runs: list[tuple[str, Callable[[random.Random], Any], Callable[[Any], Real], dict[str, Any]]] = []
    for chat in (True, False):
        for key in ("input", "prompt", *([None] if not chat else [])):
            given = {"input_key": key, "apply_chat_template": chat}
            runs.append(("lightrft.rl_text", rl_row, lightrft(code, "rl_text", given), given))
        given = {"input_key": "prompt", "apply_chat_template": chat}
        runs.append(("lightrft.rl_vl", rl_row, lightrft(code, "rl_vl", given), given))
    keys = [{"input_key": "q", "output_key": "a"}, {"input_key": "q"}]
    runs += [("lightrft.sft", sft_row, lightrft(code, "sft", given), given) for given in keys]
    keys = [{"input_key": "chat", "output_key": "answer"}, {"input_key": "chat"}]
    chats = [{**given, "apply_chat_template": True} for given in keys]
    runs += [("lightrft.sft", sft_row, lightrft(code, "sft", given), given) for given in chats]
    runs.append(("mlx_grpo.grpo", gold_row, mlx_grpo(code), {}))
    limit = {"data.max_seq_len": 200}
    runs += [
        (f"pplmx_llm.{mode}", pplmx_row, pplmx(code, mode, 200), limit) for mode in ("sft", "dpo", "reward", "ppo")
    ]
    runs += [(f"minionerec.{mode}", item_row, minionerec(code, mode), {}) for mode in ("sft", "rl", "eval")]
    runs.append(("minionerec.items", info_row, items_of(code), {}))
    print(f"{'mode':<18} {'settings':<58} {'rows':>6} {'agree':>6}  outcomes of theirs")
    for name, make, real, given in runs:
        pick = random.Random(options.seed)
        rows = [make(pick) for _ in range(options.rows)]
        for kind, table in (("hostile", rows), ("real", known.get(name, []))):
            if table:
                seen, agreed, outcomes = compare(name, table, real, **given)
                told = ", ".join(f"{count} {fate}" for fate, count in sorted(outcomes.items()))
                print(f"{name:<18} {kind} {json.dumps(given):<50} {seen:>6} {agreed:>6}  {told}", flush=True)


if __name__ == "__main__":
    main()
