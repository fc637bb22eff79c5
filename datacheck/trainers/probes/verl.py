"""The probe of verl: a Parquet file through `MultiTurnSFTDataset`, or a JSON Lines file through `RLHFDataset`.

Of a prompt for RL the agent loop's own tokens are told, and whether the naive reward manager finds what it scores with.
"""

import importlib
import json
from pathlib import Path
from typing import Any

PACKAGES = ("verl", "transformers", "datasets", "torch", "tokenizers", "pandas", "pyarrow")
_CONFIGS = {"sft": "sft_trainer_engine.yaml", "rl": "data/legacy_data.yaml"}
_DATASETS = {"sft": ("multiturn_sft_dataset", "MultiTurnSFTDataset"), "rl": ("rl_dataset", "RLHFDataset")}
_NOT_OF_DATA = ("custom_reward_function.path", "reward.custom_reward_function.path")
_ROW = "__row__"
_SKIPPED = -100


class NoParquetError(Exception):
    """No Parquet file can hold these rows together: there is nothing to ask verl."""

    not_asked = True


class VerlLoader:
    """Loads files with one dataset class, by the configuration that the package's trainer starts with."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        self.mode, self.folder, self.trials = request["mode"], folder, 0
        module, name = _DATASETS[self.mode]
        self.dataset = getattr(importlib.import_module(f"verl.utils.dataset.{module}"), name)
        omegaconf = importlib.import_module("omegaconf")
        config = omegaconf.OmegaConf.load(self._trainers_own())
        self.config = config.data if self.mode == "sft" else config
        asked = {name: value for name, value in request["settings"].items() if name not in _NOT_OF_DATA}
        for name, value in asked.items():
            self.config[name.removeprefix("data.")] = value
        self.notes: tuple[str, ...] = ()
        self.own_rewards = any(request["settings"].get(name) for name in _NOT_OF_DATA)
        self.config["filter_overlong_prompts_workers"] = None  # in this process
        self.config["tool_config_path"] = self.config["function_tool_path"] = None  # these refer to other sections
        self.tokenizer = importlib.import_module("verl.utils").hf_tokenizer(request["tokenizer"])
        if request["plain"]:  # what joins texts, as the templates of models do, refuses other contents
            joined = "{{ message['content'] + '' }}"
            self.tokenizer.chat_template = self.tokenizer.chat_template.replace("{{ message['content'] }}", joined)

    def _trainers_own(self) -> Path:
        package = importlib.import_module("verl").__file__
        assert package is not None
        return Path(package).parent / "trainer" / "config" / _CONFIGS[self.mode]

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """One answer for each line."""
        self.trials += 1
        file = self.folder / f"rows-{self.trials}"
        return self._conversations(lines, file) if self.mode == "sft" else self._prompts(lines, file)

    def _conversations(self, lines: list[str], file: Path) -> list[dict[str, Any]]:
        file = file.with_suffix(".parquet")
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
        rows = [json.loads(line) for line in lines]
        names = list(dict.fromkeys(name for row in rows for name in row))
        try:
            table = arrow.table({name: arrow.array([row.get(name) for row in rows]) for name in names})
            parquet.write_table(table, file)
        except (arrow.ArrowException, OverflowError) as error:
            raise NoParquetError from error
        dataset = self.dataset(str(file), self.tokenizer, self.config, None, self.config.get("train_max_samples", -1))
        answers = [self._example(dataset[n]) for n in range(len(dataset))]
        return answers + [{"fate": "dropped"}] * (len(lines) - len(answers))

    def _example(self, item: Any) -> dict[str, Any]:
        """Tokens and labels without padding."""
        ids, trained = item["input_ids"].tolist(), item["loss_mask"].tolist()
        seen = item["attention_mask"].tolist() if "attention_mask" in item else [1] * len(ids)
        places = [at for at, real in enumerate(seen) if real]
        labels = [ids[at] if trained[at] else _SKIPPED for at in places]
        return {"fate": "kept", "examples": [{"part": None, "ids": [ids[at] for at in places], "labels": labels}]}

    def _prompts(self, lines: list[str], file: Path) -> list[dict[str, Any]]:
        file = file.with_suffix(".jsonl")
        numbered = [{**json.loads(line), _ROW: n} for n, line in enumerate(lines)]
        file.write_text("".join(json.dumps(row) + "\n" for row in numbered), encoding="utf-8")
        dataset = self.dataset(str(file), self.tokenizer, self.config, None, self.config.get("train_max_samples", -1))
        answers: list[dict[str, Any]] = [{"fate": "dropped"} for _ in lines]
        for n in range(len(dataset)):
            item = dataset[n]
            answers[item[_ROW]] = {"fate": "kept", "examples": [self._asked(item)]}
        return answers

    def _asked(self, item: dict[str, Any]) -> dict[str, Any]:
        """The prompt as the agent loop gives it to the model, and what the reward manager looks up (naive.py)."""
        template = importlib.import_module("verl.utils.tokenizer.chat_template")
        tokens = importlib.import_module("verl.utils.tokenizer").normalize_token_ids
        ids = tokens(template.apply_chat_template(self.tokenizer, item["raw_prompt"], tokenize=True))
        ids = ids[-self.config["max_prompt_length"] :]  # _cap_text_prompt_length of the agent loop
        item["reward_model"]["ground_truth"], item[self.config["reward_fn_key"]]
        if not self.own_rewards:
            self._scored(item)
        return {"part": None, "ids": ids, "labels": [_SKIPPED] * len(ids)}

    def _scored(self, item: dict[str, Any]) -> None:
        """An answer is scored; what one reward function makes of this gold is not asked, only whether there is one."""
        score = importlib.import_module("verl.utils.reward_score").default_compute_score
        try:
            score(item[self.config["reward_fn_key"]], "", "")
        except (NotImplementedError, AttributeError):
            raise
        except Exception:  # noqa: BLE001, S110 - of the function that was found
            pass


def loading(request: dict[str, Any], folder: Path) -> VerlLoader:
    """How the rows of a request are loaded. Raises KeyError for a mode that this probe does not know."""
    return VerlLoader(request, folder)
