"""Small files on which each ready contract of a trainer passes, laid where its own example command looks for them."""

import hashlib
import json
import re
import shlex
from pathlib import Path
from typing import Any

from chat_helpers import CHATML, make_tokenizer

CONTRACTS = Path(__file__).parents[2] / "contracts"
_COMMAND = re.compile(r"^#   (datacheck run (?:.*\\\n#  +)*.*)$", re.MULTILINE)


def comment(contract: str) -> str:
    """What stands at the top of a contract: how to run it."""
    return (CONTRACTS / f"{contract}.yaml").read_text(encoding="utf-8").partition("\nname:")[0]


def example(contract: str) -> list[str]:
    """The arguments of the contract's own example command."""
    match = _COMMAND.search(comment(contract))
    assert match, contract
    return shlex.split(re.sub(r"\\\n#", " ", match[1]))[1:]


_HEADER = json.dumps(
    {"model.embed_tokens.weight": {"dtype": "F32", "shape": [1024, 8], "data_offsets": [0, 0]}}
).encode()


class World:
    """Files by path, and the options of the command; `text` and `rows` are turned into bytes when they are written."""

    contract: str
    tokenizer: str

    def __init__(self) -> None:
        self.arguments = example(self.contract)
        self.more: list[str] = []
        self.template = CHATML
        self.vocabulary, self.pickled = 1024, False
        self.plain: dict[str, Any] = {}  # path → text, bytes, or a list of records for JSON lines

    def without(self, *options: str) -> None:
        """Leave an option of the example command out (`train`, `config`)."""
        found = []
        at = 0
        while at < len(self.arguments):
            if self.arguments[at] in ("--data", "--run") and self.arguments[at + 1].partition("=")[0] in options:
                at += 2
                continue
            found.append(self.arguments[at])
            at += 1
        self.arguments = found

    def given(self, option: str, name: str, value: str) -> None:
        """Name what the contract's comment offers beside its example: it must say so."""
        assert f"{option} {name}=" in comment(self.contract), (self.contract, name)
        self.without(name)
        self.more += [option, f"{name}={value}"]

    def files(self) -> dict[str, Any]:
        """Everything that is written."""
        return self.plain

    def write(self, folder: Path) -> list[str]:
        """Lay the files out, the contract unmodified; returns the arguments of the command."""
        target = folder / "contracts" / f"{self.contract}.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((CONTRACTS / target.name).read_bytes())
        for name, content in self.files().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_bytes(content))
        if any(argument.startswith("tokenizer=") for argument in self.arguments):
            named = next(argument for argument in self.arguments if argument.startswith("tokenizer="))
            model = folder / named.partition("=")[2]
            make_tokenizer(model, self.template)
            if self.pickled:
                (model / "tokenizer.pkl").write_bytes(b"\x80\x04N.")
            (model / "config.json").write_text(json.dumps({"vocab_size": self.vocabulary}))
            (model / "model.safetensors").write_bytes(len(_HEADER).to_bytes(8, "little") + _HEADER)
        return [*self.arguments, *self.more]

    def digest(self) -> str:
        """Of the contract, of the command and of all that is written."""
        whole = hashlib.sha256((CONTRACTS / f"{self.contract}.yaml").read_bytes())
        whole.update(json.dumps([self.arguments, self.more, self.template, self.vocabulary, self.pickled]).encode())
        for name, content in sorted(self.files().items()):
            whole.update(name.encode() + hashlib.sha256(_bytes(content)).digest())
        return whole.hexdigest()


def _bytes(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in content).encode()


# ── MiniOneRec ────────────────────────────────────────────────────────────────────────────────────────
GOODS = "Pen Ink Pad Clip Tape Ruler Stapler Binder Folder Marker Eraser Scissors Notebook Envelope Stamp Glue".split()
COLUMNS = ("user_id", "history_item_title", "item_title", "history_item_id", "item_id", "history_item_sid", "item_sid")


class MiniOneRec(World):
    """A category of sixteen items; rows are (items before, item after), each a dict of CSV cells once made."""

    contract = "minionerec"

    def __init__(self) -> None:
        super().__init__()
        levels = [(f"<a_{n // 4 + 1}>", f"<b_{n % 4 + 1}>", f"<c_{n + 1}>") for n in range(len(GOODS))]
        self.index = {str(n): list(parts) for n, parts in enumerate(levels)}
        self.items = {
            str(n): {"title": f"Blue {name}", "description": f"['A blue {name.lower()} for the desk, number {n}.']"}
            for n, name in enumerate(GOODS)
        }
        self.info = [["".join(levels[n]), f"Blue {name}", str(n)] for n, name in enumerate(GOODS)]
        self.train = [self.row(user, [user, user + 1], user + 2) for user in range(14)]
        self.eval = [self.row(user, [user, user + 1, user + 2], user + 3) for user in range(13)]
        self.config = "batch_size: 16\nmicro_batch_size: 2\nnum_epochs: 10\ncutoff_len: 512\n"
        self.category = "Office_Products"

    def row(self, user: int, before: list[int], after: int, **cells: str) -> dict[str, str]:
        """A row of a CSV file; `cells`: others than these."""
        sid, title = (lambda n: self.info[n][0]), (lambda n: self.info[n][1])
        values = (
            f"A{user}", repr([title(n) for n in before]), title(after), repr(before), str(after),
            repr([sid(n) for n in before]), sid(after),
        )  # fmt: skip
        return {**dict(zip(COLUMNS, values, strict=True)), **cells}

    def files(self) -> dict[str, Any]:
        """The five files of a category, and the arguments of sft.sh."""
        root, name = "data/Amazon", self.category
        self.arguments = [argument.replace("Office_Products", name) for argument in self.arguments]
        written = {
            f"{root}/train/{name}_5_2016-10-2018-11.csv": _csv(self.train),
            f"{root}/valid/{name}_5_2016-10-2018-11.csv": _csv(self.eval),
            f"{root}/info/{name}_5_2016-10-2018-11.txt": "".join("\t".join(line) + "\n" for line in self.info),
            f"{root}/index/{name}.index.json": json.dumps(self.index),
            f"{root}/index/{name}.item.json": json.dumps(self.items),
            "sft.yaml": self.config,
        }
        return {**written, **self.plain}


def _csv(rows: list[dict[str, str]]) -> str:
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row.values()] for row in rows]
    return "".join(",".join(line) + "\n" for line in [COLUMNS, *quoted])


# ── LightRFT ──────────────────────────────────────────────────────────────────────────────────────────
THINGS = "apples pears coins stamps books marbles tickets candles ribbons shells buttons pencils cards bricks seeds cups".split()
NAMES = "Ann Bo Carl Dana Emil Fay Gus Hana Ivo Jan Kim Lea Max Nora Otto Pia".split()


def question(n: int) -> str:
    """A sum in words, of which no two are alike."""
    name, thing, other = NAMES[n % 16], THINGS[n // 16 % 16], THINGS[(n * 7 + 3) % 16]
    return f"{name} puts {n + 11} {thing} and {2 * n + 5} {other} into a box. How many things are in it?"


def evaluated(n: int) -> str:
    """Another sum, that nothing of the training set resembles."""
    return f"Week {n} of the harvest gave {n + 4} baskets, week {n + 1} gave twelve more than week {n}. And both weeks?"


class LightRft(World):
    """256 sums as prompts; `sft`, `prm`, `grm`, `maths` in their own shapes."""

    contract = "lightrft"

    def __init__(self) -> None:
        super().__init__()
        self.arguments = [each.replace(".parquet", ".jsonl") for each in self.arguments]
        self.train = [self.row(n) for n in range(256)]
        self.eval = [{**self.row(n), "prompt": [{"role": "user", "content": evaluated(n)}]} for n in range(10)]
        self.args = {
            "input_key": "prompt", "label_key": "label", "apply_chat_template": True, "prompt_max_len": 256,
            "advantage_estimator": "group_norm", "n_samples_per_prompt": 2, "rollout_batch_size": 32,
            "train_batch_size": 64, "micro_train_batch_size": 4, "max_samples": 1000, "num_episodes": 5,
        }  # fmt: skip
        self.other: dict[str, list[Any]] = {}

    def row(self, n: int, **more: Any) -> dict[str, Any]:
        """A prompt of RL."""
        asked = [{"role": "user", "content": question(n)}]
        gold = {"style": "rule", "ground_truth": str(3 * n + 16)}
        return {"prompt": asked, "label": "gsm8k_rule", "reward_model": gold, **more}

    def only(self, name: str, rows: list[Any]) -> None:
        """Another dataset of the contract, alone."""
        self.without("train", "eval")
        self.given("--data", name, f"drops/{name}.jsonl")
        self.plain[f"drops/{name}.jsonl"] = rows

    def files(self) -> dict[str, Any]:
        """The files of RL, and the arguments of the script."""
        config = "".join(f"{name}: {json.dumps(value)}\n" for name, value in self.args.items())
        written = {"drops/gsm8k.jsonl": self.train, "drops/test.jsonl": self.eval, "args.yaml": config}
        return {**written, **self.plain}


# ── MLX-GRPO ──────────────────────────────────────────────────────────────────────────────────────────
class MlxGrpo(World):
    """Sums in the shape of GSM8K, and a config."""

    contract = "mlx_grpo"

    def __init__(self) -> None:
        super().__init__()
        self.train = [self.row(n) for n in range(40)]
        self.toml = {"gradient_accumulation_steps": 2, "num_generations": 8, "num_epochs": 2, "warmup_ratio": 0.1}

    def row(self, n: int, mark: str = "#### ", gold: str | None = None) -> dict[str, str]:
        """A question and its solution."""
        value = 3 * n + 16
        worked = f"{n + 11} and {2 * n + 5} are {value} things."
        return {"question": question(n), "answer": f"{worked}\n{mark}{value if gold is None else gold}"}

    def files(self) -> dict[str, Any]:
        """The data and the config."""
        config = "[mlx_grpo]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in self.toml.items())
        return {"drops/train.jsonl": self.train, "configs/prod.toml": config, **self.plain}


# ── pplmx/llm ─────────────────────────────────────────────────────────────────────────────────────────
END = "<|im_end|>"


class PplmxLlm(World):
    """Instructions with answers that end, and a config."""

    contract = "pplmx_llm"

    def __init__(self) -> None:
        super().__init__()
        self.train = [self.row(n) for n in range(24)]
        self.sections: dict[str, dict[str, Any]] = {
            "model": {"vocab_size": 1024},
            "training": {"epochs": 3, "batch_size": 8},
            "data": {"tokenizer_type": "hf", "tokenizer_path": "models/gpt2", "max_seq_len": 512},
        }

    def row(self, n: int, **more: Any) -> dict[str, Any]:
        """An instruction."""
        told = f"There are {3 * n + 16} things in the box of {NAMES[n % 16]}.{END}"
        return {"instruction": question(n), "input": "", "output": told, **more}

    def pair(self, n: int, **more: Any) -> dict[str, Any]:
        """Two answers to one prompt."""
        chosen, rejected = f"There are {3 * n + 16} things.{END}", f"Nobody can know what {NAMES[n % 16]} did.{END}"
        return {"prompt": question(n), "chosen": chosen, "rejected": rejected, **more}

    def only(self, name: str, rows: list[Any]) -> None:
        """Another dataset of the contract, alone."""
        self.without("train")
        self.given("--data", name, f"drops/{name}.jsonl")
        self.plain[f"drops/{name}.jsonl"] = rows

    def files(self) -> dict[str, Any]:
        """The data and the config."""
        config = json.dumps(self.sections)  # JSON is YAML
        return {"drops/sft.jsonl": self.train, "configs/sft.yaml": config, **self.plain}
