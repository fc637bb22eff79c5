"""The real loaders of the trainers, taken from clones at pinned commits, and run on rows without their libraries.

Only the modules that read data are imported. What they need besides is replaced: `datasets` by a list of records with
`map`, `filter` and `rename_columns` (missing keys are null, as there; Arrow's typing is not imitated), `torch` by the
few functions on arrays that verl's dataset calls, everything else by empty modules. `transformers` and the tokenizer
are real. Methods of TRL's trainers are cut out of their files, as the modules around them need a GPU stack.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import copy
import importlib
import importlib.util
import json
import logging
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import warnings
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' ~ m.role ~ '\n' }}{% if m.role == 'assistant' %}{% generation %}"
    "{{ m.content ~ '<|im_end|>' }}{% endgeneration %}{% else %}{{ m.content ~ '<|im_end|>' }}{% endif %}{{ '\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def checkout(repository: Path, commit: str, *paths: str) -> Path:
    """Take `paths` out of a clone (bare or not) at `commit`; returns a folder that is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="loaders-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    made = subprocess.run(
        ["git", "-C", str(repository), "archive", commit, *paths],  # noqa: S607
        check=True,
        capture_output=True,
    )
    with tarfile.open(fileobj=BytesIO(made.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


class _Empty(ModuleType):
    """A module in which every name is there and is a class that does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__init__": lambda *_a, **_k: None, "__class_getitem__": classmethod(lambda c, _: c)})
        setattr(self, name, made)
        return made


def _stub(name: str, **values: Any) -> ModuleType:
    module = _Empty(name)
    module.__path__ = []  # type: ignore[attr-defined]
    module.__spec__ = importlib.util.spec_from_loader(name, None)
    for key, value in values.items():
        setattr(module, key, value)
    sys.modules[name] = module
    above, _, own = name.rpartition(".")
    if above in sys.modules:
        setattr(sys.modules[above], own, module)
    return module


def _package(name: str, folder: Path) -> None:
    """A package whose own __init__ is not run."""
    module = ModuleType(name)
    module.__path__ = [str(folder)]
    sys.modules[name] = module


class Rows:
    """Stands in for datasets.Dataset: records with equal keys; what a record lacks is null."""

    cache_files: tuple[()] = ()

    def __init__(self, records: list[dict[str, Any]]) -> None:
        keys = list(dict.fromkeys(key for record in records for key in record))
        self.records = [{key: record.get(key) for key in keys} for record in records]
        self.column_names = keys
        self.features = dict.fromkeys(keys)
        self.format = {"type": None}
        self._fingerprint = "none"

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(copy.deepcopy(self.records))

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, at: Any) -> Any:
        return [record[at] for record in self.records] if isinstance(at, str) else copy.deepcopy(self.records[at])

    def map(
        self,
        function: Callable[..., Any],
        *,
        batched: bool = False,
        remove_columns: Any = None,
        fn_kwargs: dict[str, Any] | None = None,
        **_rest: Any,
    ) -> Rows:
        """Records made of records; of a batch, of lists by key."""
        removed = [remove_columns] if isinstance(remove_columns, str) else remove_columns or []
        if batched:
            batch = {key: [record[key] for record in copy.deepcopy(self.records)] for key in self.column_names}
            made = function(batch, **(fn_kwargs or {}))
            kept = {key: values for key, values in batch.items() if key not in removed}
            whole = {**kept, **made}
            height = max((len(values) for values in whole.values()), default=0)
            return Rows([{key: values[n] for key, values in whole.items()} for n in range(height)])
        records = []
        for record in self:
            before = dict(record)
            made = function(record, **(fn_kwargs or {})) or {}
            records.append({**{k: v for k, v in before.items() if k not in removed}, **made})
        return Rows(records)

    def filter(self, function: Callable[..., Any], **_rest: Any) -> Rows:
        """The records for which it holds."""
        kept = Rows([record for record in self if function(record)])
        kept.column_names = self.column_names
        return kept

    def rename_columns(self, names: dict[str, str]) -> Rows:
        """Other names for keys."""
        return Rows([{names.get(key, key): value for key, value in record.items()} for record in self])

    def select_columns(self, names: list[str]) -> Rows:
        """Only these keys."""
        return Rows([{key: record[key] for key in names} for record in self])


def tokenizer(folder: Path) -> Any:
    """A real tokenizer with a ChatML template that refuses nothing and marks the assistant's words."""
    from transformers import AutoTokenizer

    made = AutoTokenizer.from_pretrained(str(folder))
    made.chat_template = CHATML
    logging.getLogger("transformers").setLevel(logging.ERROR)
    return made


def _datasets_stub() -> None:
    _stub("datasets", Dataset=Rows, __version__="4.0.0")


# --- LLaMA-Factory ---------------------------------------------------------------------------------------------------


class _Letters:
    """A tokenizer of one token per character: LLaMA-Factory's templates encode piece by piece."""

    bos_token_id, eos_token_id, eos_token = 1, 2, "</s>"

    def encode(self, text: str, **_options: Any) -> list[int]:
        return [ord(letter) for letter in text]

    def convert_tokens_to_ids(self, _token: str) -> int:
        return 3


class _NoMedia:
    """The media plugin of text models, for rows without media."""

    def process_messages(self, messages: Any, *_media: Any) -> Any:
        return messages

    def process_token_ids(self, ids: Any, labels: Any, *_media: Any) -> Any:
        return ids, labels


def llamafactory_processed(clone: Path, commit: str, tokenizer: Any = None) -> Callable[..., dict[str, list[Any]]]:
    """(rows, stage, dataset attributes, data arguments) → the processor's columns. Raises what it raises."""
    source = checkout(clone, commit, "src/llamafactory") / "src/llamafactory"
    for name in ("peft", "peft.utils", "torch", "fsspec"):
        _stub(name)
    _datasets_stub()
    _package("llamafactory", source)
    for name in ("data", "extras", "data.processor"):
        _package(f"llamafactory.{name}", source / name.replace(".", "/"))
    _stub("llamafactory.extras.misc")
    _stub("llamafactory.data.mm_plugin", get_mm_plugin=lambda *_a, **_k: _NoMedia())
    converter = importlib.import_module("llamafactory.data.converter")
    template = importlib.import_module("llamafactory.data.template")
    attributes = importlib.import_module("llamafactory.data.parser").DatasetAttr
    modules = {stage: importlib.import_module(f"llamafactory.data.processor.{module}") for stage, module in
               (("sft", "supervised"), ("dpo", "pairwise"), ("kto", "feedback"))}  # fmt: skip
    processors = {
        "sft": modules["sft"].SupervisedDatasetProcessor,
        "dpo": modules["dpo"].PairwiseDatasetProcessor,
        "kto": modules["kto"].FeedbackDatasetProcessor,
    }
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("llamafactory")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)

    def run(rows: list[Any], stage: str, entry: dict[str, Any], **changed: Any) -> dict[str, list[Any]]:
        given = {"media_dir": "", "cutoff_len": 10**9, "mask_history": False, "train_on_prompt": False, **changed}
        arguments = SimpleNamespace(**given)
        attribute = attributes("file", dataset_name="x")
        attribute.join(entry)
        convert = converter.get_dataset_converter(attribute.formatting, attribute, arguments)
        aligned = [convert(record) for record in Rows(rows)]
        batch = {key: [record[key] for record in aligned] for key in aligned[0]}
        processor = processors[stage](
            template=template.TEMPLATES["qwen"], tokenizer=tokenizer or _Letters(), processor=None, data_args=arguments
        )
        return dict(processor.preprocess_dataset(batch))

    return run


def llamafactory(clone: Path, commit: str) -> Callable[..., int]:
    """(rows, stage, dataset attributes) → rows that the processor gives. Raises what it raises."""
    process = llamafactory_processed(clone, commit)

    def run(rows: list[Any], stage: str, entry: dict[str, Any]) -> int:
        made = process(rows, stage, entry)
        return len(next(iter(made.values()))) if made else 0

    return run


# --- TRL -------------------------------------------------------------------------------------------------------------


def _method(file: Path, name: str) -> str:
    """The source of the first method of that name."""
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
            indent = len(lines[0]) - len(lines[0].lstrip())
            return "\n".join(line[indent:] for line in lines)
    raise LookupError(name)


class _State:
    def main_process_first(self) -> Any:
        return contextlib.nullcontext()


def trl(clone: Path, commit: str, made: Any) -> Callable[..., int]:
    """(rows, mode, settings) → number of rows of the prepared dataset. Raises what it raises. `made`: a tokenizer."""
    prepare = trl_prepared(clone, commit, made)
    return lambda rows, mode, settings: len(prepare(rows, mode, settings))


def trl_collate(clone: Path, commit: str, mode: str) -> Callable[..., dict[str, Any]]:
    """(rows of ids, max_length, truncation_mode) → what the collator of pairs or of KTO makes of them, not padded."""
    file = checkout(clone, commit, "trl") / f"trl/trainer/{mode}_trainer.py"
    lists = SimpleNamespace(
        tensor=lambda values, **_: values, ones=lambda n, **_: [1] * n, long=int, int64=int,
    )  # fmt: skip
    own: dict[str, Any] = {"torch": lists, "pad": lambda values, **_: values}
    exec(f"from __future__ import annotations\n{_method(file, 'torch_call')}", own)  # noqa: S102 - the trainer's own code

    def run(rows: list[dict[str, Any]], max_length: int | None, truncation_mode: str) -> dict[str, Any]:
        collator = SimpleNamespace(
            max_length=max_length, truncation_mode=truncation_mode, pad_token_id=0, pad_to_multiple_of=None
        )
        return own["torch_call"](collator, rows)  # type: ignore[no-any-return]

    return run


def trl_prepared(clone: Path, commit: str, made: Any) -> Callable[..., list[dict[str, Any]]]:
    """(rows, mode, settings) → the prepared dataset. Raises what it raises. `made`: a tokenizer."""
    source = checkout(clone, commit, "trl") / "trl"
    _stub("datasets", Dataset=Rows, __version__="4.0.0")
    _package("trl", source)
    data_utils = importlib.import_module("trl.data_utils")
    names: dict[str, Any] = {**vars(data_utils), "json": json, "PartialState": _State, "warnings": warnings}
    names |= {"logger": SimpleNamespace(warning=lambda *_a, **_k: None)}
    prepare: dict[str, Any] = {}
    for mode in ("sft", "dpo", "reward", "kto"):
        own = dict(names)
        body = _method(source / f"trainer/{mode}_trainer.py", "_prepare_dataset")
        exec(f"from __future__ import annotations\n{body}", own)  # noqa: S102 - the trainer's own code
        prepare[mode] = own["_prepare_dataset"]

    def run(rows: list[Any], mode: str, settings: dict[str, Any]) -> list[dict[str, Any]]:
        usual = {"assistant_only_loss": False, "max_length": None, "truncation_mode": "keep_start"}
        arguments = SimpleNamespace(
            dataset_num_proc=None, shuffle_dataset=False, use_liger_kernel=False, dataset_text_field="text",
            per_device_train_batch_size=8, seed=0, **{**usual, **settings},
        )  # fmt: skip
        dataset = Rows(rows)
        first = next(iter(dataset))
        trainer = SimpleNamespace(
            _tokenizer=made, chat_template=None, calculate_KL=True, undesirable_weight=1.0, desirable_weight=1.0,
            completion_only_loss="prompt" in first and "completion" in first,
        )  # fmt: skip
        more = (False, None) if mode == "sft" else ()
        ready = prepare[mode](trainer, dataset, made, arguments, *more, "train")
        return list(ready)

    return run


# --- verl ------------------------------------------------------------------------------------------------------------


def _torch() -> None:
    """The functions on arrays that MultiTurnSFTDataset calls."""
    _stub(
        "torch", Tensor=np.ndarray, long=np.int64, uint8=np.uint8, ones_like=np.ones_like, zeros_like=np.zeros_like,
        cat=lambda arrays, dim=0: np.concatenate(arrays, axis=dim), equal=np.array_equal,
        arange=lambda n, dtype=None: np.arange(n, dtype=dtype), full=np.full, zeros=np.zeros,
        tensor=lambda values, dtype=None: np.array(values, dtype=dtype),
        concat=lambda arrays, dim=0: np.concatenate(arrays, axis=dim),
    )  # fmt: skip
    for name in ("torch.nn", "torch.nn.functional", "torch.utils", "torch.utils.data"):
        _stub(name)
    sys.modules["torch.nn.functional"].pad = lambda array, *_a, **_k: array  # type: ignore[attr-defined]


class _Arrays:
    """The tokenizer with arrays where tensors are asked for, as transformers had it when the commit was made.

    There `apply_chat_template` gave ids; transformers 5 gives a dictionary unless it is told.
    """

    def __init__(self, made: Any) -> None:
        self._made = made
        self.pad_token_id = made.pad_token_id

    def apply_chat_template(self, conversation: Any, **options: Any) -> Any:
        options = {"return_dict": False, **options}
        if options.pop("return_tensors", None):
            options["return_tensors"] = "np"
        return self._made.apply_chat_template(conversation, **options)


def verl(clone: Path, commit: str, made: Any) -> tuple[Callable[..., Iterator[dict[str, Any]]], Callable[..., int]]:
    """Two functions (rows, settings): sft → items (all of them or an exception), rl → rows that pass the filter."""
    source = checkout(clone, commit, "verl") / "verl"
    _torch()
    for name in (
        "omegaconf",
        "tensordict",
        "tensordict.tensorclass",
        "verl.models",
        "verl.models.transformers",
        "verl.models.transformers.qwen2_vl",
        "PIL",
    ):
        _stub(name)
    _stub("PIL.Image")
    sys.modules["omegaconf"].ListConfig = list  # type: ignore[attr-defined]
    _datasets_stub()
    _package("verl", source)
    _package("verl.utils", source / "utils")
    _package("verl.utils.dataset", source / "utils/dataset")
    for name in ("verl.utils.fs", "verl.utils.dataset.vision_utils", "verl.utils.import_utils", "verl.utils.model"):
        _stub(name)
    sys.modules["verl.utils.import_utils"].deprecated = lambda *_a, **_k: lambda f: f  # type: ignore[attr-defined]
    sys.modules["verl.utils"].hf_tokenizer = None  # type: ignore[attr-defined]
    sft = importlib.import_module("verl.utils.dataset.multiturn_sft_dataset").MultiTurnSFTDataset
    rl = importlib.import_module("verl.utils.dataset.rl_dataset").RLHFDataset
    score = importlib.import_module("verl.utils.reward_score").default_compute_score
    template = importlib.import_module("verl.utils.chat_template")
    arrays = _Arrays(made)

    def run_sft(rows: list[Any], settings: dict[str, Any]) -> Iterator[dict[str, Any]]:
        import pandas as pd

        dataset = sft.__new__(sft)
        dataset.__dict__ |= {
            "messages_key": "messages", "tools_key": "tools", "image_key": "images", "video_key": "videos",
            "enable_thinking_key": "enable_thinking", "apply_chat_template_kwargs": {}, "pad_mode": "no_padding",
            "max_length": 10**9, "truncation": "error", "ignore_input_ids_mismatch": False, "processor": None,
            "tokenizer": arrays, "image_patch_size": None, "parquet_files": ["x"], "max_samples": -1, **settings,
        }  # fmt: skip
        frame = pd.DataFrame({key: pd.Series(Rows(rows)[key], dtype=object) for key in Rows(rows).column_names})
        read, pd.read_parquet = pd.read_parquet, lambda _file: frame
        try:
            with contextlib.redirect_stdout(None):
                dataset._read_files_and_process()  # noqa: SLF001
        finally:
            pd.read_parquet = read
        return (dataset[n] for n in range(len(frame)))

    def run_rl(rows: list[Any], settings: dict[str, Any]) -> int:
        dataset = rl.__new__(rl)
        dataset.__dict__ |= {
            "prompt_key": "prompt", "image_key": "images", "video_key": "videos",
            "max_prompt_length": settings.get("max_prompt_length", 10**9),
            "filter_overlong_prompts": settings["filter"], "apply_chat_template_kwargs": {}, "tool_schemas": None,
            "processor": None, "tokenizer": arrays, "num_workers": None, "need_tools_kwargs": False,
            "serialize_dataset": True,
        }  # fmt: skip
        with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
            dataset.dataframe = dataset.maybe_filter_out_long_prompts(Rows(rows))
            for n in range(len(dataset.dataframe)):
                item = dataset[n]
                arrays.apply_chat_template(item["raw_prompt"], add_generation_prompt=True)  # as the agent loop does
                score(item["data_source"], "#### 1", item["reward_model"]["ground_truth"], item.get("extra_info", {}))
        return len(dataset.dataframe)

    assert template
    return run_sft, run_rl


# --- ms-swift --------------------------------------------------------------------------------------------------------


def ms_swift(clone: Path, commit: str) -> Callable[..., int]:
    """(rows, settings) → rows that AutoPreprocessor leaves of a local file. Raises what it raises."""
    source = checkout(clone, commit, "swift") / "swift"
    _datasets_stub()
    quiet = SimpleNamespace(info=lambda *_a: None, warning=lambda *_a: None, warning_once=lambda *_a: None)
    for name in ("modelscope", "modelscope.hub", "modelscope.hub.utils", "torch", "PIL", "PIL.Image", "swift.utils",
                 "swift.utils.env", "swift.arguments", "torch.distributed", "torch.nn", "torch.utils"):  # fmt: skip
        _stub(name)
    _stub("modelscope.hub.utils.utils", get_cache_dir=lambda: "/tmp")  # noqa: S108
    sys.modules["swift.utils"].get_logger = lambda: quiet  # type: ignore[attr-defined]
    sys.modules["swift.utils"].is_dist = lambda: False  # type: ignore[attr-defined]
    sys.modules["swift.utils"].is_master = lambda: True  # type: ignore[attr-defined]
    sys.modules["swift.utils"].safe_ddp_context = lambda *_a: contextlib.nullcontext()  # type: ignore[attr-defined]
    _package("swift", source)
    _package("swift.template", source / "template")
    inputs_file = importlib.import_module("swift.template.template_inputs")
    package: Any = sys.modules["swift.template"]
    package.history_to_messages = importlib.import_module("swift.template.utils").history_to_messages
    package.MaxLengthError = type("MaxLengthError", (ValueError,), {})
    assert inputs_file
    _package("swift.dataset", source / "dataset")
    _package("swift.dataset.preprocessor", source / "dataset/preprocessor")
    _stub("swift.dataset.utils")
    core = importlib.import_module("swift.dataset.preprocessor.core")
    core.RowPreprocessor._patch_arrow_writer = lambda _self: contextlib.nullcontext()  # noqa: SLF001

    def run(rows: list[Any], settings: dict[str, Any]) -> int:
        with contextlib.redirect_stdout(None):
            made = core.AutoPreprocessor()(Rows(rows), strict=settings.get("strict", False), enable_auto_mapping=True)
        return len(made)

    return run


def ms_swift_cut(clone: Path, commit: str, placeholders: tuple[int, ...] = ()) -> Callable[..., dict[str, Any]]:
    """(ids, labels, max_length, strategy) → what Template._encode_truncated makes of an encoded row; it may raise."""
    file = checkout(clone, commit, "swift") / "swift/template/base.py"
    own: dict[str, Any] = {"MaxLengthError": type("MaxLengthError", (ValueError,), {}), "torch": _Tensors}
    for name in ("_truncate", "_get_length", "_encode_truncated"):
        exec(f"from __future__ import annotations\n{_method(file, name)}", own)  # noqa: S102 - the trainer's own code

    def run(ids: list[int], labels: list[int], max_length: int, strategy: str) -> dict[str, Any]:
        template = SimpleNamespace(
            max_length=max_length, truncation_strategy=strategy, mode="train", task_type="causal_lm",
            placeholder_tokens=list(placeholders), _preprocess_inputs=lambda _: None,
            _encode=lambda _: {"input_ids": list(ids), "labels": list(labels)}, _get_length=own["_get_length"],
        )  # fmt: skip
        template._truncate = lambda *a, **k: own["_truncate"](template, *a, **k)  # noqa: SLF001
        return own["_encode_truncated"](template, None)  # type: ignore[no-any-return]

    return run


class _Tensors:
    """The functions on tensors that ms-swift's truncation calls."""

    class _Array(np.ndarray):
        def any(self, dim: int | None = None) -> Any:  # type: ignore[override]
            return np.asarray(self).any(axis=dim).view(_Tensors._Array)

        def nonzero(self, *, as_tuple: bool) -> Any:  # type: ignore[override]
            assert as_tuple
            return np.asarray(self).nonzero()

    @staticmethod
    def tensor(values: list[int]) -> Any:
        return np.array(values, dtype=np.int64).view(_Tensors._Array)


__all__ = ["Rows", "llamafactory", "llamafactory_processed", "ms_swift", "ms_swift_cut", "tokenizer", "trl",
           "trl_collate", "trl_prepared", "types", "verl"]  # fmt: skip
