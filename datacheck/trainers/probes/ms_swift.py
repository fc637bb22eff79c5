"""The probe of ms-swift: a JSON Lines file through `swift sft` or `swift rlhf` up to its encoder and its collator.

The model is a tiny random one: what decides is its template, which the run names or the model's config.json tells.
"""

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

PACKAGES = ("ms_swift", "transformers", "datasets", "torch", "tokenizers", "pyarrow")
SOURCE = "swift"  # the folder of its source
_ROW = "channel"  # the one column beside the data that is handed through to the encoder
_OTHER_NAMES = {"kto": "completion_"}  # before the collator's names


class SwiftLoader:
    """Loads files as one pipeline does."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        importlib.import_module("datasets").disable_progress_bars()
        self.folder, self.trials, self.mode = folder, 0, request["mode"]
        self.transformers = importlib.import_module("transformers")
        self.arguments = importlib.import_module("swift.arguments")
        self.template = request["settings"].get("template") or self._of_model(Path(request["tokenizer"]))
        self.named = not request["plain"] and self.template is not None
        plain = {
            "model": str(self._model(Path(request["tokenizer"]))),
            "model_type": "llama",
            "template": self.template or "chatml",
            "dataset": [str(folder / "rows.jsonl")],
            "split_dataset_ratio": 0.0,
            "load_from_cache_file": False,
            "per_device_train_batch_size": 2,  # one is too few for KTO
            "gradient_accumulation_steps": 1,
            "output_dir": str(folder / "out"),
            "report_to": ["none"],
            "check_model": False,
        }
        train = importlib.import_module("swift.pipelines.train")
        if self.mode == "sft":
            made, pipeline = self.arguments.SftArguments, train.SwiftSft
        else:
            made, pipeline = self.arguments.RLHFArguments, train.SwiftRLHF
            plain["rlhf_type"] = self.mode
            plain |= {"num_generations": 2} if self.mode == "grpo" else {}
        given = {name: value for name, value in request["settings"].items() if value is not None}
        known = made.__dataclass_fields__
        self.notes: tuple[str, ...] = tuple(sorted(name for name in given if name not in known))
        self.pipeline = pipeline(made(**{**plain, **{name: given[name] for name in given if name in known}}))
        self.pipeline.args.dataset_num_proc = None  # in this process: another one for each file takes its time

    def _of_model(self, tokenizer: Path) -> str | None:
        """The template of the model whose config.json lies beside the tokenizer; None where that does not tell one."""
        if not (tokenizer / "config.json").is_file():
            return None
        named = json.loads((tokenizer / "config.json").read_text(encoding="utf-8")).get("architectures") or []
        model = importlib.import_module("swift.model")
        types = {kind for name in named for kind in model.get_matched_model_types([name])}
        templates = {model.MODEL_MAPPING[kind].template for kind in types}
        return templates.pop() if len(templates) == 1 else None

    def _model(self, tokenizer: Path) -> Path:
        """A folder with the tokenizer and a tiny model.

        The model is no Qwen 2: for one transformers takes Qwen2Tokenizer (5.16 does, 5.6 does not), whatever class the
        folder names.
        """
        made = self.folder / "model"
        shutil.copytree(tokenizer, made, ignore=shutil.ignore_patterns("config.json"))
        known = self.transformers.AutoTokenizer.from_pretrained(str(made))
        config = self.transformers.LlamaConfig(
            vocab_size=len(known), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
            num_key_value_heads=1, max_position_embeddings=1 << 20,
        )  # fmt: skip
        self.transformers.LlamaForCausalLM(config).save_pretrained(str(made))
        return made

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """One answer for each line."""
        self.trials += 1
        file = self.folder / f"rows-{self.trials}.jsonl"
        numbered = [{**json.loads(line), _ROW: str(n)} for n, line in enumerate(lines)]
        file.write_text("".join(json.dumps(row) + "\n" for row in numbered), encoding="utf-8")
        self.pipeline.args.dataset = [str(file)]
        answers: list[dict[str, Any]] = [{"fate": "dropped"} for _ in lines]
        try:
            self.pipeline.args.load_dataset()
        except ZeroDivisionError:  # its sampling of a set of which no row is left
            return answers
        loaded, _ = self.pipeline._get_dataset()  # noqa: SLF001
        if self.mode == "grpo":
            for n in range(len(loaded)):
                answers[int(loaded[n][_ROW])] = self._prompt(loaded[n])
            return answers
        encoded, _ = self.pipeline._encode_dataset(loaded, None)  # noqa: SLF001
        if encoded is None:
            return answers
        rows, _ = self.pipeline._post_process_datasets([encoded, None])  # noqa: SLF001
        for n in range(len(rows)):
            answers[int(encoded[n][_ROW])] = {"fate": "kept", "examples": self._examples(rows[n])}
        return answers

    def _prompt(self, row: dict[str, Any]) -> dict[str, Any]:
        """What the model is asked: another row is drawn where this one cannot be encoded (rl_core/resample.py)."""
        template = self.pipeline.template
        importlib.import_module("swift.utils").remove_response(row["messages"])
        try:
            template.encode(dict(row))
            template.set_mode("transformers")  # as the engine that samples has it
            ids = template.encode(dict(row))["input_ids"]
        except Exception:  # noqa: BLE001 - whatever it is, it is passed over
            return {"fate": "dropped"}
        finally:
            template.set_mode("train")
        return {
            "fate": "kept",
            "examples": [{"part": None, "ids": ids, "labels": [-100] * len(ids)}] if self.named else [],
        }

    def _examples(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Tokens and labels without padding. None where no template is known: this one is not the run's."""
        if not self.named:
            return []
        batch = self.pipeline.template.data_collator([row])
        before = _OTHER_NAMES.get(self.mode, "")
        ids, mask, labels = (batch[f"{before}{name}"].tolist() for name in ("input_ids", "attention_mask", "labels"))
        parts = ("chosen", "rejected") if len(ids) > 1 else (None,)
        found = []
        for n, part in enumerate(parts):
            places = [at for at, seen in enumerate(mask[n]) if seen]
            told = {"part": part, "ids": [ids[n][at] for at in places], "labels": [labels[n][at] for at in places]}
            found.append({**told, "label": bool(row["label"])} if self.mode == "kto" else told)
        return found


def loading(request: dict[str, Any], folder: Path) -> SwiftLoader:
    """How the rows of a request are loaded. Raises AttributeError for a mode that this probe does not know."""
    return SwiftLoader(request, folder)
