"""The probe of axolotl: a JSON Lines file through its config, its loading and its collator; DPO through its trainer.

The config goes through `load_cfg`, as on its command line. Rows are read in this process and not shuffled, and what it
would write to disk for the next run is not written. Which row an example comes from is noted where it is tokenized.
Its collator pads; a batch is one row. For DPO rows go through `load_preference_datasets`, then `AxolotlDPOTrainer` on a
tiny random model, and the collator of that. bitsandbytes, xformers, flash-attn and the like are not needed on this way.
"""

import importlib
import json
import os
from pathlib import Path
from typing import Any

PACKAGES = ("axolotl", "trl", "transformers", "datasets", "torch", "tokenizers", "pyarrow")
_ROW = "__row__"
_ENTRY = "datasets."
_SKIPPED = -100
_NONE_KEPT = (
    "The dataset has no samples left",
    "num_samples should be a positive integer",
)  # utils/trainer.py:280, 482


class AxolotlLoader:
    """Loads files as `axolotl train` does."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        module: Any
        os.environ["AXOLOTL_DO_NOT_TRACK"] = "1"
        self.mode, self.folder, self.trials = request["mode"], folder, 0
        datasets = importlib.import_module("datasets")
        datasets.disable_progress_bars()
        datasets.disable_caching()
        for name in ("fingerprint", "arrow_dataset"):  # names of files for a next run, by a digest of all that is there
            module = importlib.import_module(f"datasets.{name}")
            module.update_fingerprint = lambda *_: datasets.fingerprint.generate_random_fingerprint()
        self.cfg: Any = None
        self.transformers = importlib.import_module("transformers")
        self.config = importlib.import_module("axolotl.cli.config")
        self.common = importlib.import_module("axolotl.common.datasets")
        for name in ("sft", "rl"):
            module = importlib.import_module(f"axolotl.utils.data.{name}")
            module.save_preprocessed_dataset = _nothing
        self.dict = importlib.import_module("axolotl.utils.dict").DictDefault
        self.base = self._base(Path(request["tokenizer"]))
        self.entry, self.run = self._settings(request["settings"])
        known = importlib.import_module("axolotl.utils.schemas.config").AxolotlInputConfig.model_fields
        self.notes = tuple(sorted(name for name in self.run if name not in known))
        if self.mode == "sft":
            self._note_rows()
            self._note_chunks()
        else:
            self.models = [self.transformers.LlamaForCausalLM(self.model_config) for _ in range(2)]

    def _base(self, tokenizer: Path) -> str:
        """The folder of the tokenizer with the configuration of a tiny model."""
        count = len(self.transformers.AutoTokenizer.from_pretrained(tokenizer))
        self.model_config = self.transformers.LlamaConfig(
            vocab_size=count, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
            num_key_value_heads=1, max_position_embeddings=1 << 16,
        )  # fmt: skip
        if not (tokenizer / "config.json").exists():
            self.model_config.save_pretrained(tokenizer)
        return str(tokenizer)

    def _settings(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The entry under `datasets:`, and the settings of the run."""
        entry = {name[len(_ENTRY) :]: value for name, value in given.items() if name.startswith(_ENTRY)}
        run = {name: value for name, value in given.items() if not name.startswith(_ENTRY)}
        plain = {
            "base_model": self.base,
            "micro_batch_size": 1,
            "gradient_accumulation_steps": 1,
            "num_epochs": 1,
            "learning_rate": 1e-5,
            "bf16": False,
            "output_dir": str(self.folder / "out"),
            "dataset_prepared_path": str(self.folder / "prepared"),
            "shuffle_merged_datasets": False,
        }
        return entry, {**plain, **({"rl": self.mode} if self.mode != "sft" else {}), **run}

    def _note_rows(self) -> None:
        """Put the number of the row beside its tokens; batches come in order."""
        for module, name in (
            ("prompt_strategies.chat_template", "ChatTemplateStrategy"),
            ("prompt_tokenizers", "InstructionPromptTokenizingStrategy"),
            ("prompt_strategies.input_output", "RawInputOutputStrategy"),
        ):
            strategy = getattr(importlib.import_module(f"axolotl.{module}"), name)
            real = getattr(strategy, "_real", strategy.tokenize_prompt)
            strategy._real = real  # noqa: SLF001

            def noting(this: Any, prompt: Any, real: Any = real) -> Any:
                found = dict(real(this, prompt))
                many = found["input_ids"] and isinstance(found["input_ids"][0], list)
                count = len(found["input_ids"]) if many else 1
                numbers = list(range(self.seen, self.seen + count))
                self.seen += count
                return {**found, _ROW: numbers if many else numbers[0]}

            strategy.tokenize_prompt = noting

    def _note_chunks(self) -> None:
        """The same of texts that may become several rows: what is made of each is made of it alone."""
        module: Any = importlib.import_module("axolotl.prompt_strategies.completion")
        strategy = module.CompletionPromptTokenizingStrategy
        whole = getattr(strategy, "_whole", strategy.tokenize_prompt)
        strategy._whole = whole  # noqa: SLF001

        def one_by_one(this: Any, prompt: Any) -> Any:
            found: dict[str, list[Any]] = {}
            for row in zip(*prompt.values(), strict=True):
                made = whole(this, {name: [value] for name, value in zip(prompt, row, strict=True)})
                for name, value in {**made, _ROW: [self.seen] * len(made.get("input_ids", ()))}.items():
                    found.setdefault(name, []).extend(value)
                self.seen += 1
            return found

        strategy.tokenize_prompt = one_by_one

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """One answer for each line."""
        self.trials += 1
        self.seen = 0
        file = self.folder / f"rows-{self.trials}.jsonl"
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        cfg = self._configured()
        cfg.datasets[0].path = str(file)
        answers: list[dict[str, Any]] = [{"fate": "dropped"} for _ in lines]
        for row, examples in self._rows(cfg) if self.mode == "sft" else self._ranked(cfg):
            answers[row] = {"fate": "kept", "examples": [*answers[row].get("examples", []), *examples]}
        file.unlink()
        return answers

    def _configured(self) -> Any:
        """The configuration as the command line reads it, and the tokenizer as it loads it: once, they do not differ.

        Raises what the package raises for a setting.
        """
        if self.cfg is None:
            entry = {"path": str(self.folder / "rows-1.jsonl"), **self.entry}
            cfg = self.config.load_cfg(self.dict(json.loads(json.dumps({**self.run, "datasets": [entry]}))))
            cfg.dataset_num_proc = None
            self.tokenizer = importlib.import_module("axolotl.loaders").load_tokenizer(cfg)
            module: Any
            for module in (self.common, importlib.import_module("axolotl.utils.data.rl")):
                module.load_tokenizer = lambda _cfg: self.tokenizer
            self.cfg = cfg
        return self.cfg

    def _rows(self, cfg: Any) -> Any:
        """Number and examples of each row that is left."""
        try:
            prepared = self.common.load_datasets(cfg=cfg).train_dataset
        except ValueError as error:
            if not any(words in str(error) for words in _NONE_KEPT):
                raise
            return  # of a part of the rows only, for all that is known
        collators = importlib.import_module("axolotl.utils.collators")
        collator = collators.DataCollatorForSeq2Seq(self.tokenizer, return_tensors="pt", padding=True)
        if not len(prepared):
            return  # texts that are all empty
        if _ROW not in prepared.column_names:
            raise RuntimeError("rows that are tokenized already")
        for row in prepared:
            number = row.pop(_ROW)
            batch = collator([{name: row[name] for name in ("input_ids", "attention_mask", "labels")}])
            places = [at for at, seen in enumerate(batch["attention_mask"][0].tolist()) if seen]
            ids, labels = (batch[name][0].tolist() for name in ("input_ids", "labels"))
            yield number, [_example(None, [ids[at] for at in places], [labels[at] for at in places])]

    def _ranked(self, cfg: Any) -> Any:
        """Number and examples of each pair, or of each answer that is scored."""
        rl: Any = importlib.import_module("axolotl.utils.data.rl")
        real = getattr(rl, "_real_map", rl._map_dataset)  # noqa: SLF001
        rl._real_map = real  # noqa: SLF001

        def numbered(*args: Any, **kwargs: Any) -> Any:
            found = real(*args, **kwargs)
            return found.add_column(_ROW, list(range(len(found))))

        rl._map_dataset = numbered  # noqa: SLF001
        prepared = self.common.load_preference_datasets(cfg=cfg).train_dataset
        if not len(prepared):
            return
        trainer = self._trainer(cfg, prepared)
        parts = ("chosen", "rejected") if self.mode == "dpo" else (None,)
        answers = ("chosen_ids", "rejected_ids") if self.mode == "dpo" else ("completion_ids", "label")
        keys = ("prompt_ids", *answers)
        for row in trainer.train_dataset:
            batch = trainer.data_collator([{name: row[name] for name in keys}])
            ids, mask, trained = (batch[name].tolist() for name in ("input_ids", "attention_mask", "completion_mask"))
            examples = []
            for n, part in enumerate(parts):
                places = [at for at, seen in enumerate(mask[n]) if seen]
                labels = [ids[n][at] if trained[n][at] else _SKIPPED for at in places]
                told = _example(part, [ids[n][at] for at in places], labels)
                examples.append({**told, "label": bool(row["label"])} if self.mode == "kto" else told)
            yield row[_ROW], examples

    def _trainer(self, cfg: Any, prepared: Any) -> Any:
        """The trainer of TRL that axolotl extends, by the arguments that its builder gives."""
        if self.mode == "dpo":
            strategy = importlib.import_module("axolotl.core.trainers.dpo").DPOStrategy
            made, told = strategy.get_training_args_class(), strategy.set_training_args_kwargs(cfg)
            kind, batch = strategy.get_trainer_class(), 1
        else:
            made = importlib.import_module("axolotl.core.training_args").AxolotlKTOConfig
            kind, batch = importlib.import_module("axolotl.core.trainers").AxolotlKTOTrainer, 2  # one is too few for it
            told = {"max_length": cfg.sequence_len}  # core/builders/base.py:691
        arguments = made(
            output_dir=str(self.folder / "out"), use_cpu=True, bf16=False, report_to=[], remove_unused_columns=False,
            gradient_checkpointing=False, disable_tqdm=True, per_device_train_batch_size=batch, **told,
        )  # fmt: skip
        return kind(
            model=self.models[0],
            ref_model=self.models[1],
            args=arguments,
            train_dataset=prepared,
            processing_class=self.tokenizer,
        )


def _example(part: str | None, ids: list[int], labels: list[int]) -> dict[str, Any]:
    return {"part": part, "ids": ids, "labels": labels}


def _nothing(*_: Any, **__: Any) -> None:
    """In the place of what writes to disk."""


def loading(request: dict[str, Any], folder: Path) -> AxolotlLoader:
    """How the rows of a request are loaded. Raises ValueError for a mode that this probe does not know."""
    if request["mode"] not in ("sft", "dpo", "kto"):
        raise ValueError("mode")
    return AxolotlLoader(request, folder)
