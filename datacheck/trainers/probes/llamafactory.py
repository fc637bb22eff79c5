"""The probe of LLaMA-Factory: a JSON Lines file with a dataset_info.json through its loading, and its collator."""

import importlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGES = ("llamafactory", "transformers", "datasets", "torch", "tokenizers", "pyarrow")
_STAGES = {"sft": "sft", "dpo": "rm", "rm": "rm", "kto": "kto"}  # as train/dpo/workflow.py has it
_COLLATORS = {
    "sft": "SFTDataCollatorWith4DAttentionMask",
    "rm": "PairwiseDataCollatorWithPadding",
    "kto": "KTODataCollatorWithPadding",
}
_ENTRY = ("formatting", "ranking")
_COLUMNS = tuple(
    "prompt query response history messages system tools images videos audios chosen rejected kto_tag".split()
)
_TAGS = tuple("role_tag content_tag user_tag assistant_tag observation_tag function_tag system_tag".split())
_LEFT_OUT = ("packing", "neat_packing", "stage")  # a pack is no row any more; the mode says the stage
_NONE_KEPT = "Cannot find valid samples"
_SKIPPED = -100


class LlamaFactoryLoader:
    """Loads files as one stage does."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        self.data = importlib.import_module("llamafactory.data")
        self.loader = importlib.import_module("llamafactory.data.loader")
        importlib.import_module("datasets").disable_progress_bars()
        self.folder, self.trials, self.stage = folder, 0, _STAGES[request["mode"]]
        self.entry, run = self._settings(request["settings"])
        plain = {
            "stage": request["mode"],
            "do_train": True,
            "finetuning_type": "full",
            "model_name_or_path": request["tokenizer"],
            "dataset": "rows",
            "dataset_dir": str(folder),
            "output_dir": str(folder / "out"),
            "overwrite_cache": True,
            "report_to": "none",
            "use_cpu": True,
        }
        self.notes: tuple[str, ...] = ()
        hparams = importlib.import_module("llamafactory.hparams")
        self.model, self.arguments, self.training, *_ = hparams.get_train_args({**plain, **run})
        self.module = self._tokenizer()
        self.template = self.data.get_template_and_fix_tokenizer(self.module["tokenizer"], self.arguments)
        collator = getattr(self.data, _COLLATORS[self.stage])
        self.collator = collator(
            template=self.template, pad_to_multiple_of=8, label_pad_token_id=_SKIPPED, **self.module
        )

    def _tokenizer(self) -> dict[str, Any]:
        """The tokenizer as it loads one; 0.9.4 finds none in a folder that has no config.json of a model."""
        load = importlib.import_module("llamafactory.model").load_tokenizer
        try:
            return load(self.model)  # type: ignore[no-any-return]
        except ValueError:
            made = self.folder / "with_config"
            shutil.copytree(self.model.model_name_or_path, made)
            (made / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
            self.model.model_name_or_path = str(made)
            return load(self.model)  # type: ignore[no-any-return]

    @staticmethod
    def _settings(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The entry of dataset_info.json, and the arguments of the run."""
        entry: dict[str, Any] = {name: given[name] for name in _ENTRY if name in given}
        for group, names in (("columns", _COLUMNS), ("tags", _TAGS)):
            if any(name in given for name in names):
                entry[group] = {name: given[name] for name in names if given.get(name) is not None}
        known = (*_ENTRY, *_COLUMNS, *_TAGS, *_LEFT_OUT)
        return entry, {name: value for name, value in given.items() if name not in known}

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """One answer for each line."""
        self.trials += 1
        file = self.folder / f"rows-{self.trials}.jsonl"
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        info = {"rows": {"file_name": file.name, **self.entry}}
        (self.folder / "dataset_info.json").write_text(json.dumps(info), encoding="utf-8")
        told = (self.arguments, self.training)
        aligned = self.loader._get_merged_dataset(["rows"], self.model, *told, stage=self.stage)  # noqa: SLF001
        try:  # the two halves of get_dataset
            kept = self.loader._get_preprocessed_dataset(  # noqa: SLF001
                aligned, *told, self.stage, self.template, **self.module
            )
        except RuntimeError as error:
            if _NONE_KEPT not in str(error):
                raise
            kept = []
        rows = iter(kept)
        answers = [self._answer(next(rows)) if found else {"fate": "dropped"} for found in self._found(aligned)]
        if len(answers) != len(lines) or next(rows, None) is not None:
            raise ValueError("the loader keeps another number of rows")
        return answers

    def _found(self, aligned: Any) -> Iterator[bool]:
        """Whether the stage's processor keeps a row; a whole set does not say which rows were left out."""
        make = self.loader._get_dataset_processor  # noqa: SLF001
        tokenizer, processor = self.module["tokenizer"], self.module["processor"]
        made = make(self.arguments, self.stage, self.template, tokenizer, processor)
        for n in range(len(aligned)):
            yield any(made.preprocess_dataset(aligned[n : n + 1]).values())

    def _answer(self, row: dict[str, Any]) -> dict[str, Any]:
        batch = self.collator([dict(row)])
        ids, mask, labels = (batch[name].tolist() for name in ("input_ids", "attention_mask", "labels"))
        parts = ("chosen", "rejected") if len(ids) > 1 else (None,)
        examples = []
        for n, part in enumerate(parts):
            places = [at for at, seen in enumerate(mask[n]) if seen]
            told = {"part": part, "ids": [ids[n][at] for at in places], "labels": [labels[n][at] for at in places]}
            examples.append({**told, "label": bool(row["kto_tags"])} if self.stage == "kto" else told)
        return {"fate": "kept", "examples": examples}


def loading(request: dict[str, Any], folder: Path) -> LlamaFactoryLoader:
    """How the rows of a request are loaded. Raises KeyError for a mode that this probe does not know."""
    return LlamaFactoryLoader(request, folder)
