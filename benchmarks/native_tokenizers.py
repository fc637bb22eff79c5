"""Compare what chat/ranks.py and chat/sentencepiece.py read with the libraries themselves, id by id.

    PYTHONPATH=. ENV/bin/python benchmarks/native_tokenizers.py --texts DIR [--wheels DIR]

ENV has sentencepiece, tiktoken, mistral-common and transformers (with tokenizers and jinja2), which are no dependencies
of datacheck. The models are those that mistral-common brings; `--wheels`: a folder with the unpacked wheels of
llama-models, qwen-agent and axolotl, for Llama 3's and Qwen's ranks and for Kimi's class. Texts: every string of the
*.json and *.jsonl files of a folder, and as many made of parts drawn at random (seed 7): words, emoji, code, white
space, accents, special tokens. Exit code 1 on a difference.
"""

import argparse
import importlib
import importlib.util
import json
import logging
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from datacheck.chat.tokenizer import load_tokenizer

Encode = Callable[[str], list[int]]
LLAMA = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
WORDS = """
    你好 北京今天多云， 𠮷野家 （15°C） the Quick brown don't I'LL 's 123456 3.14 ，
    👩‍👩‍👧 🇨🇳 👍🏽 é e\u0301 ﬁ ﷺ Ⅷ ａｂ 한국어 ありがとう
""".split()
CODE = '// /* </div> {"a":[1,2]} <tag> x_1 https://a.b/c?d=e&f def f(x):\\n return x[1:] ß İ ǅ ʰ ▁'.split()
SPACES = [
    "\u200b",
    "\ufeff",
    "\u3000",
    "\xa0",
    "\x00",
    "\x7f",
    *(" " * n for n in (1, 2, 3)),
    *("\n", "\n\n", "\r\n", "\t", " \n ", "。\n"),
]
PARTS = [*WORDS, *(f" {word}" for word in WORDS), *CODE, *SPACES, "a" * 30, "ab" * 9, "哈" * 12, "=" * 17]
KIMI = {151643: "[BOS]", 151644: "[EOS]", 151650: "[EOT]"}
SPECIAL = ["<s>", "</s>", "[INST]", "[/INST]", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "[EOT]", "<|extra_3|>"]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def texts(folder: Path, most: int) -> list[str]:
    found: list[str] = []
    for file in sorted([*folder.rglob("*.json"), *folder.rglob("*.jsonl")]):
        whole = file.suffix == ".json"
        records = json.loads(file.read_text()) if whole else [json.loads(line) for line in file.open()]
        found += list(dict.fromkeys(each for each in strings(records) if each))[: most // 8]
    return random.Random(7).sample(found, min(most, len(found)))


def drawn(count: int, parts: list[str]) -> list[str]:
    rng = random.Random(7)
    return ["".join(rng.choices(parts, k=rng.randint(1, 14))) for _ in range(count)]


def compare(name: str, folder: Path, reference: Encode, given: list[str]) -> int:
    ours = load_tokenizer({path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()})
    different = [
        (text, encoding.ids, theirs)
        for text, encoding in zip(given, ours.encode(given), strict=True)
        if encoding.ids != (theirs := reference(text))
    ]
    print(f"{name:58} {len(given):6} texts {len(different):4} different", flush=True)
    for text, mine, theirs in different[:3]:
        print("   ", repr(text[:80]), mine[:20], theirs[:20])
    return len(different)


def of_transformers(folder: Path, **more: Any) -> Encode:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, **more)
    return lambda text: tokenizer(text, add_special_tokens=False)["input_ids"]


def filled(root: Path, name: str, file: Path, config: dict[str, Any] | None = None, called: str | None = None) -> Path:
    folder = root / name
    folder.mkdir()
    shutil.copy(file, folder / (called or file.name))
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def of_mistral(root: Path, plain: list[str], special: list[str]) -> int:
    import mistral_common
    import sentencepiece as library
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    data = Path(mistral_common.__file__).parent / "data"
    wrong = 0
    for file in sorted(data.glob("*.model.v*")):
        folder = filled(root, file.name, file, called="tokenizer.model")
        encode = library.SentencePieceProcessor(model_file=str(folder / "tokenizer.model")).encode
        wrong += compare(f"{file.name}, SentencePiece", folder, encode, plain)
        wrong += compare(f"{file.name}, transformers", folder, of_transformers(folder), special)
        for kind, more in (("LlamaTokenizer", {}), ("LlamaTokenizer", {"legacy": True}), ("GemmaTokenizer", {})):
            named = f"{file.name}, {kind} {more or ''}"
            folder = filled(root, named, file, {"tokenizer_class": kind, **LLAMA, **more}, "tokenizer.model")
            wrong += compare(named, folder, of_transformers(folder), special)
    for file in sorted(data.glob("tekken_*.json")):
        folder = filled(root, file.name, file, called="tekken.json")
        own = Tekkenizer.from_file(folder / "tekken.json")
        wrong += compare(
            file.name + ", mistral-common", folder, lambda text, own=own: own.encode(text, False, False), plain
        )
        wrong += compare(file.name + ", transformers", folder, with_specials(folder / "tekken.json"), special)
    return wrong


def with_specials(file: Path) -> Encode:
    from transformers.integrations.mistral.tokenizer import convert_tekken_tokenizer

    tokenizer = convert_tekken_tokenizer(str(file))
    return lambda text: tokenizer(text, add_special_tokens=False)["input_ids"]


def module(file: Path, **stubs: ModuleType) -> Any:
    """A file as a module: the packages around it want much that a tokenizer does not."""
    sys.modules.update({name.replace("__", "."): stub for name, stub in stubs.items()})
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def of_wheels(root: Path, wheels: Path, special: list[str]) -> int:
    sys.path.insert(0, str(wheels))
    file = wheels / "llama_models/llama3/tokenizer.model"
    own = importlib.import_module("llama_models.llama3.tokenizer").Tokenizer(file)
    wrong = compare(
        "Llama 3, llama-models",
        filled(root, "llama3", file),
        lambda text: own.encode(text, bos=False, eos=False, allowed_special="all"),
        special,
    )
    file = wheels / "qwen_agent/utils/qwen.tiktoken"
    log = ModuleType("log")
    log.logger = logging.getLogger()  # type: ignore[attr-defined]
    theirs = module(file.with_name("tokenization_qwen.py"), qwen_agent__log=log).QWenTokenizer(str(file))
    wrong += compare(
        "Qwen 1, qwen-agent",
        filled(root, "qwen", file, {"tokenizer_class": "QWenTokenizer"}),
        lambda text: theirs.convert_tokens_to_ids(theirs.tokenize(text, allowed_special="all")),
        special,
    )
    tokens = {str(at): {"content": token, "special": True} for at, token in KIMI.items()}
    config = {"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": tokens}
    folder = filled(root, "kimi", file, config, "tiktoken.model")
    gpt2 = importlib.import_module("transformers.models.gpt2.tokenization_gpt2")  # where transformers 4 had it
    gpt2.bytes_to_unicode = importlib.import_module("transformers.convert_slow_tokenizer").bytes_to_unicode
    kimi = module(wheels / "axolotl/model_support/kimi_linear/tokenization_kimi.py").TikTokenTokenizer(
        str(folder / "tiktoken.model"),
        **dict.fromkeys(("pad_token", "unk_token"), "[EOT]"),
        added_tokens_decoder={at: SimpleNamespace(content=token) for at, token in KIMI.items()},
    )
    return wrong + compare("Kimi's class on Qwen's ranks", folder, kimi.encode, special)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--wheels", type=Path)
    parser.add_argument("--most", type=int, default=3000)
    given = parser.parse_args()
    real = texts(given.texts, given.most)
    plain, special = real + drawn(given.most, PARTS), real + drawn(given.most, PARTS + SPECIAL)
    with tempfile.TemporaryDirectory() as root:
        wrong = of_mistral(Path(root), plain, special)
        wrong += of_wheels(Path(root), given.wheels, special) if given.wheels else 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
