"""The check missing_embeddings."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import polars as pl
from pydantic import Field

from datacheck.check import Artifact, Check, Limit, Measured, Message, Metric, Value, View
from datacheck.errors import LoadError
from datacheck.features.outcomes import unreadable
from datacheck.features.tokens import NO_TOKENIZER, TokenRun, load_model, token_run_of
from datacheck.trainers.settings import SettingsError, flat, read_config

_EMBEDDINGS = ("embed_tokens.weight", "wte.weight", "word_embeddings.weight", "tok_embeddings.weight", "lm_head.weight")
_SIZES = ("vocab_size", "text_config.vocab_size", "model.vocab_size")


class MissingEmbeddings(Check):
    """Tokens of the run's tokenizer that the model beside it has no embedding for.

    The model's size stands in `config.json`, in the headers of the `*.safetensors` files (their weights are not read),
    and in the run's own config (`model.vocab_size`); the tokenizer's is its highest id and one.
    """

    metrics = {
        "missing": Metric(
            "tokens without an embedding",
            "tokens",
            limit=Limit(max=0),
            why="at the first such token the run stops at an index out of range, or reads what is not its own",
        ),
        "spare": Metric("embeddings that no token has", "embeddings"),
    }

    reads = None
    check: Literal["missing_embeddings"] = "missing_embeddings"
    run: TokenRun | None = Field(default=None, description="whose tokenizer and model are compared; from `run:`")
    config: Artifact | None = Field(default=None, description="the run's config file; from run.config")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run stands with the contract."""
        return {"run": token_run_of(dataset), "config": dataset["run"]["config"]}

    def measure(self, data: View) -> Measured:
        """Compare the highest id with each size that is told."""
        folder = self.run.tokenizer if self.run else None
        if folder is None or not folder.files:
            return self.not_measured(NO_TOKENIZER)
        try:
            told = [*_sizes(folder), *_of_config(self.config)]
            vocabulary = load_model(folder).tokenizer.backend.get_vocab(with_added_tokens=True)
        except (LoadError, SettingsError) as error:
            return self.not_measured(unreadable(error))
        if not told:
            return self.not_measured(_NO_MODEL)
        tokens = max(vocabulary.values(), default=-1) + 1
        least = min(size for _, size in told)
        lines = [
            (where, "missing_embeddings", Message("{n} embeddings, {tokens} tokens", n=size, tokens=tokens).packed)
            for where, size in told
            if size < tokens
        ]
        table = pl.LazyFrame(lines, dict.fromkeys(("where", "problem", "said"), pl.String), orient="row")
        return Measured(
            (Value("missing", max(tokens - least, 0)), Value("spare", max(least - tokens, 0))),
            evidence=data.files.select("file").sort("file").head(1).join(table, how="cross"),
        )


_NO_MODEL = Message("no size of a model: neither config.json nor *.safetensors stand beside the tokenizer")


def _sizes(folder: Artifact) -> Iterator[tuple[str, int]]:
    """(file and name, size) of each place beside the tokenizer that tells how many tokens the model has."""
    for name, _ in folder.files:
        if name == "config.json":
            yield from _named(f"run.tokenizer: {name}", read_config(folder.read(name), name))
        if name.endswith(".safetensors"):
            yield from _of_header(name, folder.read(name))


def _of_header(name: str, header: bytes) -> Iterator[tuple[str, int]]:
    try:
        tensors = json.loads(header)
        shapes = {key: tensors[key]["shape"] for key in tensors if key.endswith(_EMBEDDINGS)}
        yield from ((f"run.tokenizer: {name} {key}", int(shape[0])) for key, shape in sorted(shapes.items()))
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        raise LoadError("{name}: its header cannot be read", name=name) from None


def _of_config(config: Artifact | None) -> Iterator[tuple[str, int]]:
    if config is not None and config.files:
        yield from _named("run.config:", read_config(config.read(), config.named))


def _named(where: str, values: dict[str, Any]) -> Iterator[tuple[str, int]]:
    known = flat(values)
    return ((f"{where} {key}", known[key]) for key in _SIZES if type(known.get(key)) is int)
