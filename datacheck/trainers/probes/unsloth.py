"""The probe of Unsloth: a JSON Lines file through `load_dataset`, what notebooks call, its SFTTrainer, its collator.

Unsloth wants a GPU to be imported, but for `UNSLOTH_ALLOW_CPU`, with which it leaves TRL's trainers as they are; so it
is imported with it, and rewrites them afterwards as it does where there is a GPU. The model is tiny and random. Where
nothing is trained in any row the run stops; here these rows are left out, or kept, as they are beside others.
"""

import importlib
import os
from pathlib import Path
from typing import Any

PACKAGES = ("unsloth_zoo", "unsloth", "trl", "transformers", "datasets", "torch", "tokenizers", "pyarrow")
_OF_MODEL = ("max_seq_length",)
_OF_NOTEBOOK = ("standardize_sharegpt", "apply_chat_template", "train_on_responses_only")
_OF_MARKERS = ("instruction_part", "response_part", "last_response_only", "mask_out_tokens")
_LEFT_OUT = ("packing", "packing_strategy")  # a pack is no row any more


def _rewrite() -> None:
    """Import the package, and have it make TRL's trainers its own."""
    os.environ |= {"UNSLOTH_ALLOW_CPU": "1", "UNSLOTH_DISABLE_STATISTICS": "1"}
    importlib.import_module("unsloth")
    rl = importlib.import_module("unsloth.models.rl")
    os.environ["UNSLOTH_ALLOW_CPU"] = "0"
    rl._patch_trl_rl_trainers("sft_trainer")  # noqa: SLF001 - what it does for each of TRL's trainers
    importlib.import_module("unsloth.trainer")._patch_trl_trainer()  # noqa: SLF001 - as with a GPU
    training: Any = importlib.import_module("unsloth_zoo.training_utils")
    training.fix_zero_training_loss = lambda *_: None


class UnslothLoader:
    """Loads files with Unsloth's SFTTrainer."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        os.chdir(folder)  # what it writes (its compiled trainers) goes there
        _rewrite()
        self.trl, self.datasets = (importlib.import_module(name) for name in ("trl", "datasets"))
        self.zoo = importlib.import_module("unsloth_zoo.dataset_utils")
        transformers = importlib.import_module("transformers")
        self.datasets.disable_progress_bars()
        self.filter = self.datasets.Dataset.filter
        self.folder, self.trials, self.asked = folder, 0, request["settings"]
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(request["tokenizer"])
        self.arguments, self.notes = self._arguments()
        config = transformers.LlamaConfig(
            vocab_size=len(self.tokenizer), hidden_size=8, intermediate_size=8, num_hidden_layers=1,
            num_attention_heads=1, num_key_value_heads=1, max_position_embeddings=1 << 20,
            pad_token_id=self.tokenizer.pad_token_id, bos_token_id=self.tokenizer.bos_token_id,
            eos_token_id=self.tokenizer.eos_token_id,
        )  # fmt: skip
        self.model = transformers.LlamaForCausalLM(config)
        self.model.max_seq_length = self.asked.get("max_seq_length", 2048)  # as from_pretrained leaves it

    def _arguments(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """What SFTConfig takes of the run's settings, and the names of those that nothing takes."""
        known = self.trl.SFTConfig.__dataclass_fields__
        others = {*_OF_MODEL, *_OF_NOTEBOOK, *_OF_MARKERS, *_LEFT_OUT}
        unknown = tuple(sorted(self.asked.keys() - known.keys() - others))
        ours = {name: value for name, value in self.asked.items() if name in known and name not in others}
        return {
            **ours,
            "output_dir": "out",
            "use_cpu": True,
            "bf16": False,
            "report_to": [],
            "dataset_num_proc": 1,
            "per_device_train_batch_size": 1,
        }, unknown

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """One answer for each line."""
        self.trials += 1
        file = self.folder / f"rows-{self.trials}.jsonl"
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        dataset = self.datasets.load_dataset("json", data_files=str(file), split="train")
        if len(dataset) != len(lines):
            raise ValueError("the loader reads another number of rows")
        self.rows = list(range(len(lines)))
        self.datasets.Dataset.filter = self._filter
        try:
            trainer = self.trl.SFTTrainer(
                model=self.model,
                args=self.trl.SFTConfig(**self.arguments),
                train_dataset=self._prepared(dataset),
                processing_class=self.tokenizer,
            )
        except StopIteration:
            if self.rows:
                raise
            return [{"fate": "dropped"} for _ in lines]
        if self.asked.get("train_on_responses_only"):
            self._mask(trainer)
        file.unlink()
        answers: list[dict[str, Any]] = [{"fate": "dropped"} for _ in lines]
        for row, examples in zip(self.rows, self._examples(trainer), strict=True):
            answers[row] = {"fate": "kept", "examples": [examples]}
        return answers

    @property
    def _filter(self) -> Any:
        """`Dataset.filter`, which notes the rows that are left: the column that would tell goes with all others."""

        def noted(dataset: Any, function: Any, **more: Any) -> Any:
            kept = [at for at in range(len(dataset)) if function(dataset[at])]
            self.rows = [self.rows[at] for at in kept]
            return self.filter(dataset, function, **more)

        return noted

    def _prepared(self, dataset: Any) -> Any:
        """The rows as a notebook hands them over."""
        if self.asked.get("standardize_sharegpt"):
            dataset = self.zoo.standardize_data_formats(dataset, tokenizer=self.tokenizer, num_proc=1)
        column = self.asked.get("apply_chat_template")
        if column:
            field = self.asked.get("dataset_text_field", "text")

            def formatted(examples: Any) -> Any:
                return {field: [self._text(talk) for talk in examples[column]]}

            # with a name of its own: what is written into one takes minutes, since all of this object is
            dataset = dataset.map(formatted, batched=True, new_fingerprint=f"{self.trials:016x}")
        return dataset

    def _text(self, talk: Any) -> Any:
        return self.tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=False)

    def _mask(self, trainer: Any) -> None:
        """What stands behind the trainer in a notebook."""
        markers = {name: self.asked[name] for name in _OF_MARKERS if self.asked.get(name) is not None}
        try:
            self.zoo.train_on_responses_only(trainer, **markers)
        except ValueError as error:
            if "to -100" not in str(error):
                raise
            self.rows, trainer.train_dataset = [], trainer.train_dataset.select([])

    def _examples(self, trainer: Any) -> list[dict[str, Any]]:
        """Tokens and labels of each row that is left, as a batch of its own without padding."""
        trainer._set_signature_columns_if_needed()  # noqa: SLF001 - as the trainer's own loader of batches does
        prepared = trainer.train_dataset
        columns = [name for name in prepared.column_names if name in trainer._signature_columns]  # noqa: SLF001
        found = []
        for row in prepared:
            batch = trainer.data_collator([{name: row[name] for name in columns}])
            ids, labels = batch["input_ids"][0].tolist(), batch["labels"][0].tolist()
            seen = batch["attention_mask"][0].tolist() if "attention_mask" in batch else [1] * len(ids)
            places = [at for at, counts in enumerate(seen) if counts]
            told = {"part": None, "ids": [ids[at] for at in places], "labels": [labels[at] for at in places]}
            found.append(told)
        return found


def loading(request: dict[str, Any], folder: Path) -> UnslothLoader:
    """How the rows of a request are loaded. Raises KeyError for a mode that this probe does not know."""
    if request["mode"] != "sft":
        raise KeyError(request["mode"])
    return UnslothLoader(request, folder)
