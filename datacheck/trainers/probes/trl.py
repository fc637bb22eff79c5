"""The probe of TRL: a JSON Lines file through `load_dataset`, a trainer on a tiny random model, its collator."""

import importlib
from pathlib import Path
from typing import Any

PACKAGES = ("trl", "transformers", "datasets", "torch", "tokenizers", "pyarrow")
_NAMES = {"sft": "SFT", "dpo": "DPO", "kto": "KTO", "reward": "Reward", "grpo": "GRPO", "orpo": "ORPO"}
_LEFT_OUT = ("packing", "eval_packing")  # a pack is no row any more
_ROW = "__row__"
_SKIPPED = -100


class TrlLoader:
    """Loads files with one trainer class. The model is made once: no loader looks at its weights."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        self.datasets, self.trl = (importlib.import_module(name) for name in ("datasets", "trl"))
        self.transformers, self.torch = (importlib.import_module(name) for name in ("transformers", "torch"))
        self.datasets.disable_progress_bars()
        self.mode, self.folder, self.trials = request["mode"], folder, 0
        self.source = importlib.import_module("trl.experimental.orpo") if self.mode == "orpo" else self.trl
        self.trainer = getattr(self.source, f"{_NAMES[self.mode]}Trainer")
        self.tokenizer = self.transformers.AutoTokenizer.from_pretrained(request["tokenizer"])
        self.arguments, self.notes = self._arguments(request)
        self.models = [self._model() for _ in range(2 if self.mode in ("dpo", "kto") else 1)]

    def _arguments(self, request: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """What the trainer's configuration takes of the run's settings, and the names of those that it does not."""
        self.configuration = getattr(self.source, f"{_NAMES[self.mode]}Config")
        known = getattr(self.configuration, "__dataclass_fields__", {})
        asked = request["settings"]
        unknown = tuple(sorted(name for name in asked if name not in known and name not in _LEFT_OUT))
        ours = {name: value for name, value in asked.items() if name in known and name not in _LEFT_OUT}
        plain = {
            "output_dir": str(self.folder / "out"),
            "use_cpu": True,
            "bf16": False,
            "report_to": [],
            "gradient_checkpointing": False,
            "disable_tqdm": True,
            "per_device_train_batch_size": 2 if self.mode in ("kto", "grpo") else 1,
            "num_generations": 2,
        }
        return {**ours, **{name: value for name, value in plain.items() if name in known}}, unknown

    def _model(self) -> Any:
        size = len(self.tokenizer)
        config = self.transformers.LlamaConfig(
            vocab_size=size, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
            num_key_value_heads=1, max_position_embeddings=1 << 20, pad_token_id=self.tokenizer.pad_token_id,
            bos_token_id=self.tokenizer.bos_token_id, eos_token_id=self.tokenizer.eos_token_id, num_labels=1,
        )  # fmt: skip
        name = "LlamaForSequenceClassification" if self.mode == "reward" else "LlamaForCausalLM"
        return getattr(self.transformers, name)(config)

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """One answer for each line."""
        self.trials += 1
        file = self.folder / f"rows-{self.trials}.jsonl"
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        dataset = self.datasets.load_dataset("json", data_files=str(file), split="train")
        if len(dataset) != len(lines):
            raise ValueError("the loader reads another number of rows")
        dataset = dataset.add_column(_ROW, list(range(len(lines))))
        more: dict[str, Any] = {"ref_model": self.models[1]} if len(self.models) > 1 else {}
        more |= {"reward_funcs": [_no_reward]} if self.mode == "grpo" else {}
        trainer = self.trainer(
            model=self.models[0],
            args=self.configuration(**self.arguments),
            train_dataset=dataset,
            processing_class=self.tokenizer,
            **more,
        )
        found = self._asked(trainer) if self.mode == "grpo" else self._collated(trainer, len(lines))
        file.unlink()
        return found

    def _asked(self, trainer: Any) -> list[dict[str, Any]]:
        """What the model is asked, as the prompts of one batch."""
        prompts = [row["prompt"] for row in trainer.train_dataset]
        told = trainer._tokenize_prompts(prompts)[0]  # noqa: SLF001 - its first step with a batch
        return [
            {"fate": "kept", "examples": [{"part": None, "ids": list(ids), "labels": [_SKIPPED] * len(ids)}]}
            for ids in told
        ]

    def _collated(self, trainer: Any, count: int) -> list[dict[str, Any]]:
        prepared = trainer.train_dataset
        trainer._set_signature_columns_if_needed()  # noqa: SLF001 - as the trainer's own loader of batches does
        # ORPO hands its collator all columns (remove_unused_columns is off)
        wanted = prepared.column_names if self.mode == "orpo" else trainer._signature_columns  # noqa: SLF001
        columns = [name for name in prepared.column_names if name in wanted]
        answers: list[dict[str, Any]] = [{"fate": "dropped"} for _ in range(count)]
        for row in prepared:
            batch = trainer.data_collator([{name: row[name] for name in columns}])
            if self.mode == "sft" and "labels" in batch and batch["input_ids"].shape != batch["labels"].shape:
                trainer.model(**batch)  # raises, as the first step of the training does
            answer = answers[row[_ROW]]
            answer["fate"] = "kept"
            answer.setdefault("examples", []).extend(self._examples(batch, row))
        return answers

    def _examples(self, batch: Any, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Tokens and labels without padding; a label of -100 is skipped. Of a pair there are two."""
        if self.mode == "orpo":
            return [_of_pair(batch, part) for part in ("chosen", "rejected")]
        ids, mask = batch["input_ids"].tolist(), batch["attention_mask"].tolist()
        trained = batch["completion_mask"].tolist() if "completion_mask" in batch else None
        labels = batch["labels"].tolist() if "labels" in batch else None
        parts = ("chosen", "rejected") if len(ids) > 1 else (None,)
        found = []
        for n, part in enumerate(parts):
            places = [at for at, seen in enumerate(mask[n]) if seen]
            if labels is not None:
                kept = [labels[n][at] for at in places]
            else:
                kept = [ids[n][at] if trained is None or trained[n][at] else _SKIPPED for at in places]
            told = {"part": part, "ids": [ids[n][at] for at in places], "labels": kept}
            found.append({**told, "label": bool(row["label"])} if self.mode == "kto" else told)
        return found


def _of_pair(batch: Any, part: str) -> dict[str, Any]:
    """One side of ORPO's batch of one row."""
    return {"part": part, "ids": batch[f"{part}_input_ids"][0].tolist(), "labels": batch[f"{part}_labels"][0].tolist()}


def _no_reward(prompts: list[Any], **_: Any) -> list[float]:
    return [0.0] * len(prompts)


def loading(request: dict[str, Any], folder: Path) -> TrlLoader:
    """How the rows of a request are loaded. Raises ValueError for a mode that this probe does not know."""
    if request["mode"] not in _NAMES:
        raise ValueError("mode")
    return TrlLoader(request, folder)
