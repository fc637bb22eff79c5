"""The probe of MLX-LM: a train.jsonl through `load_dataset`, its dataset class, `iterate_batches` and `default_loss`.

Each row is a batch of its own (with `batch_size`, rows beyond the last whole batch would be in none). Which tokens
count is asked of `default_loss`: by how much the loss grows with the cross-entropy of each. The model is none.
"""

import importlib
import types
from pathlib import Path
from typing import Any

PACKAGES = ("mlx_lm", "mlx", "transformers", "tokenizers")
_FEATURES = ("prompt_feature", "completion_feature", "chat_feature", "text_feature")  # lora.py: any key of the YAML
_SKIPPED = -100


class OneRow:
    """A dataset of one row of another one."""

    def __init__(self, dataset: Any, at: int) -> None:
        self.dataset, self.at = dataset, at
        self.process = dataset.process

    def __getitem__(self, _: int) -> Any:
        return self.dataset[self.at]

    def __len__(self) -> int:
        return 1


class MlxLmLoader:
    """Loads files as `mlx_lm.lora` does."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        self.folder, self.trials = folder, 0
        self.mx = importlib.import_module("mlx.core")
        self.datasets = importlib.import_module("mlx_lm.tuner.datasets")
        self.trainer = importlib.import_module("mlx_lm.tuner.trainer")
        defaults = importlib.import_module("mlx_lm.lora").CONFIG_DEFAULTS
        asked = {name: value for name, value in request["settings"].items() if value is not None}
        self.notes = tuple(sorted(asked.keys() - {*defaults, *_FEATURES}))
        self.settings = {**defaults, **asked, "train": True, "test": False}
        self.tokenizer = importlib.import_module("mlx_lm.tokenizer_utils").load(Path(request["tokenizer"]))
        if request["plain"]:  # what joins texts, as the templates of models do, refuses other contents
            joined = "{{ message['content'] + '' }}"
            template = self.tokenizer.chat_template.replace("{{ message['content'] }}", joined)
            self.tokenizer._tokenizer.chat_template = template  # noqa: SLF001

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """One answer for each line."""
        self.trials += 1
        folder = self.folder / f"rows-{self.trials}"
        folder.mkdir()
        file = folder / "train.jsonl"
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        arguments = types.SimpleNamespace(**{**self.settings, "data": str(folder)})
        dataset, _, _ = self.datasets.load_dataset(arguments, self.tokenizer)
        file.unlink()
        return [{"fate": "kept", "examples": [self._example(OneRow(dataset, at))]} for at in range(len(dataset))]

    def _example(self, row: OneRow) -> dict[str, Any]:
        """Tokens and labels without padding."""
        cached = self.datasets.CacheDataset(row)
        batch, lengths = next(self.trainer.iterate_batches(cached, 1, self.settings["max_seq_length"]))
        end = int(lengths[0, 1])
        ids, counted = batch[0, :end].tolist(), [0, *self._counted(batch, lengths)]
        labels = [token if weight > 0 else _SKIPPED for token, weight in zip(ids, counted, strict=False)]
        return {"part": None, "ids": ids, "labels": labels}

    def _counted(self, batch: Any, lengths: Any) -> list[float]:
        """By how much the summed loss grows with each token's own; NaN where none counts."""
        losses = self.trainer.nn.losses
        kept = losses.cross_entropy

        def loss(each: Any) -> Any:
            losses.cross_entropy = lambda *_: each
            mean, tokens = self.trainer.default_loss(lambda inputs: inputs, batch, lengths)
            return mean * tokens

        try:
            weights: list[float] = self.mx.grad(loss)(self.mx.zeros((1, batch.shape[1] - 1)))[0].tolist()
        finally:
            losses.cross_entropy = kept
        return weights


def loading(request: dict[str, Any], folder: Path) -> MlxLmLoader:
    """How the rows of a request are loaded. Raises KeyError for a mode that this probe does not know."""
    if request["mode"] != "sft":
        raise KeyError(request["mode"])
    return MlxLmLoader(request, folder)
