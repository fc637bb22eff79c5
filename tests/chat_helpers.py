"""A tokenizer's folder made on the spot: byte-level BPE trained on a few sentences, with ChatML tokens."""

import hashlib
import json
from functools import cache
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from datacheck.check import Artifact
from datacheck.features.tokens import TokenRun

TEXT = [
    "你好，请问北京今天的天气怎么样？",
    "你好！北京今天多云，气温在十五度到二十三度之间，出门记得带伞。",
    "怎样给番茄浇水？早晨浇透一次，让根部湿润即可；叶片沾水容易得病。",
    "The quick brown fox jumps over the lazy dog, and the dog does not mind.",
    "What is the weather like in Beijing today? It is cloudy, between 15 and 23 degrees.",
    "system user assistant tool call weather arguments name city",
]
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHATML = (
    "{%- for message in messages -%}{{ '<|im_start|>' + message['role'] + '\\n' }}"
    "{%- if message['role'] == 'assistant' -%}{% generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}"
    "{%- else -%}{{ message['content'] + '<|im_end|>' }}{%- endif -%}{{ '\\n' }}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"
)
UNMARKED = CHATML.replace("{% generation %}", "").replace("{% endgeneration %}", "")


@cache
def trained() -> str:
    """tokenizer.json; the same text every time."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    backend.train_from_iterator(TEXT * 3, trainer)
    backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    return backend.to_str(pretty=True)


def make_tokenizer(folder: Path, template: str | None = CHATML, **config) -> Path:
    """Write tokenizer.json and tokenizer_config.json."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(trained(), encoding="utf-8")
    written = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "clean_up_tokenization_spaces": False,
        **config,
    }
    if template is not None:
        written["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(written), encoding="utf-8")
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def artifact(folder: Path) -> Artifact:
    """As a contract's `run.tokenizer` gives it to checks."""
    files = tuple((name, hashlib.sha256(data).hexdigest()) for name, data in files_of(folder).items())
    return Artifact(named="tok", files=files, location=folder)


def token_run(folder: Path, **settings) -> TokenRun:
    """How a run with this tokenizer makes tokens of rows."""
    return TokenRun(tokenizer=artifact(folder), **settings)
