"""Token ids with bare `tokenizers`: from tokenizer.json, or from vocab.json and merges.txt of a Qwen2-type tokenizer.

Special tokens are those of tokenizer_config.json. Where tokenizer_config.json names the class Qwen2Tokenizer, its
pre-tokenizer is that class's own, as transformers 5 has it (models/qwen2/tokenization_qwen2.py). Other classes that
rebuild a tokenizer in Python (Llama, Gemma, T5 …) are not mirrored: tokenizer.json decides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenizers import AddedToken, Encoding, Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as Backend

from datacheck.chat.ranks import Built, tekken, tiktoken
from datacheck.chat.sentencepiece import sentencepiece
from datacheck.chat.template import TemplateFault, read_json, special_tokens

_QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN2_CLASSES = {"Qwen2Tokenizer", "Qwen2TokenizerFast"}
_QWEN2_DEFAULTS = {"unk_token": "<|endoftext|>", "eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>"}
# What ends a turn in public chat templates. Only those that are tokens of their own in the vocabulary count.
_ENDS = tuple(
    """
    <|im_end|> <|eot_id|> <|eom_id|> <end_of_turn> <turn|> <|end|> <|return|> <|call|> </s> <|endoftext|>
    <|end_of_text|> <eos> <｜end▁of▁sentence｜> <|END_OF_TURN_TOKEN|> [|endofturn|] <|endofturn|> <|eot|>
    <end_of_utterance> <|end_of_turn|> <eom> <|assistant_end|>
""".split()
)


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer: `special` by name (bos_token, …), `ends`: the ids of tokens that can end a turn."""

    backend: Backend
    special: Mapping[str, str]
    ends: frozenset[int]
    markers: dict[Any, Any] = field(default_factory=dict)  # texts that were looked for, as tokens (`markers.py`)
    _blank: dict[int, bool] = field(default_factory=dict)

    def encode(self, texts: Sequence[str], *, special: bool = False) -> list[Encoding]:
        """Ids and offsets; without special tokens of the tokenizer's own, which a template writes, unless asked for.

        Texts with lone surrogates raise TemplateFault (encoding): no tokenizer takes them.
        """
        try:
            return self.backend.encode_batch(list(texts), add_special_tokens=special)
        except (UnicodeEncodeError, TypeError) as error:
            raise TemplateFault("the text holds lone surrogates", kind="encoding") from error

    def changed(self, eos: str | None, special: Sequence[str], default_eos: str | None) -> Tokenizer:
        """With another end token (or a default one, where there is none) and more special tokens."""
        now = eos or self.special.get("eos_token") or default_eos
        named = {**self.special, **({"eos_token": now} if now else {})}
        new = ([now] if now and now != self.special.get("eos_token") else []) + list(special)
        known = {token.content for token in self.backend.get_added_tokens_decoder().values()}
        backend = self.backend if known >= set(new) else Backend.from_str(self.backend.to_str())
        if backend is not self.backend:
            backend.add_special_tokens([AddedToken(content, special=True) for content in new])
        added = {backend.token_to_id(content) for content in (*new, *filter(None, [now]))}
        return Tokenizer(backend, named, self.ends | {each for each in added if each is not None})

    def token(self, number: int) -> str:
        """How the vocabulary writes a token."""
        return self.backend.id_to_token(number) or f"<{number}>"

    def blank(self, number: int) -> bool:
        """Whether a token is nothing but white space."""
        known = self._blank.get(number)
        if known is None:
            known = self._blank[number] = self.backend.decode([number], skip_special_tokens=False).isspace()
        return known

    def id_of(self, name: str) -> int | None:
        """The id of a special token by its name ("eos_token")."""
        content = self.special.get(name)
        return None if content is None else self.backend.token_to_id(content)


def load_tokenizer(files: Mapping[str, bytes]) -> Tokenizer:
    """Build a tokenizer from the files of its folder (name → bytes).

    Raises TemplateFault (missing or unreadable) where there is nothing to build it from.
    """
    config = read_json(files, "tokenizer_config.json")
    special = special_tokens(files)
    native = None
    if not {"tokenizer.json", "vocab.json"} & set(files):
        native = _native(files, config)
    if native:
        backend = native.backend
        special = {**{name: token for name, token in native.names.items() if name not in config}, **special}
    elif config.get("tokenizer_class") in _QWEN2_CLASSES or "tokenizer.json" not in files:
        backend = _qwen2(files, config)
        special = {**{k: v for k, v in _QWEN2_DEFAULTS.items() if k not in config}, **special}
    else:
        backend = _read(files["tokenizer.json"])
    backend.no_truncation()
    backend.no_padding()
    _add(backend, config, special, read_json(files, "added_tokens.json"))
    if native:
        _check_ids(backend, config)
        _frame(backend, config, special, native.prefix)
    return Tokenizer(backend, special, _end_ids(backend, files, special))


def _native(files: Mapping[str, bytes], config: Mapping[str, Any]) -> Built | None:
    """From tekken.json, tokenizer.model or a file of ranks; None where the folder has none of them."""
    if "tekken.json" in files:
        return tekken(files["tekken.json"])
    for name in sorted(files, key=lambda name: name != "tokenizer.model"):
        if name.endswith((".model", ".tiktoken")):
            protocol = files[name].startswith(b"\n")  # the tag of a first piece; ranks are a text
            return sentencepiece(files[name], config) if protocol else tiktoken(name, files[name], config)
    return None


def _check_ids(backend: Backend, config: Mapping[str, Any]) -> None:
    """Tokens must have the ids that the config gives them: some classes number theirs in Python."""
    for key, token in (config.get("added_tokens_decoder") or {}).items():
        if backend.token_to_id(token["content"]) != int(key):
            raise TemplateFault(
                "tokenizer_config.json gives {token} the id {id}, which its class alone can do; docs/templates.md has"
                " a command that makes tokenizer.json of it",
                kind="unreadable",
                token=token["content"],
                id=int(key),
            )


def _frame(backend: Backend, config: Mapping[str, Any], special: Mapping[str, str], prefix: Sequence[str]) -> None:
    """What is put around a text that no template has rendered: as the class does, or the config asks."""
    before = [special["bos_token"]] if config.get("add_bos_token") and "bos_token" in special else list(prefix)
    behind = [special["eos_token"]] if config.get("add_eos_token") and "eos_token" in special else []
    known = {token: backend.token_to_id(token) for token in (*before, *behind)}
    backend.post_processor = processors.TemplateProcessing(
        single=[*before, "$A", *behind], special_tokens=[(token, at) for token, at in known.items() if at is not None]
    )


def _read(data: bytes) -> Backend:
    try:
        return Backend.from_buffer(data)
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception
        raise TemplateFault("{said}", kind="unreadable", said=f"tokenizer.json: {error}"[:300]) from None


def _qwen2(files: Mapping[str, bytes], config: Mapping[str, Any]) -> Backend:
    """A byte-level BPE tokenizer as Qwen2Tokenizer builds it, from either form of its files."""
    whole = read_json(files, "tokenizer.json")
    model = whole.get("model") or {}
    try:
        vocab = dict(model.get("vocab") or read_json(files, "vocab.json"))
        merges = model.get("merges") or _merges(files["merges.txt"])
        pairs = [(one, two) for one, two in (each.split(" ") if isinstance(each, str) else each for each in merges)]
        backend = Backend(models.BPE(vocab=vocab, merges=pairs))
    except Exception:  # noqa: BLE001 - the library raises bare Exception
        raise TemplateFault(
            "no tokenizer.json, and no vocab.json and merges.txt of a byte-level BPE tokenizer", kind="missing"
        ) from None
    backend.normalizer = normalizers.NFC()
    backend.decoder = decoders.ByteLevel()
    split = pre_tokenizers.Split(Regex(_QWEN2), behavior="isolated", invert=False)
    space = bool(config.get("add_prefix_space"))
    level = pre_tokenizers.ByteLevel(add_prefix_space=space, use_regex=False)
    backend.pre_tokenizer = pre_tokenizers.Sequence([split, level])
    if whole.get("added_tokens"):
        backend.add_tokens([_added(each) for each in sorted(whole["added_tokens"], key=lambda each: each["id"])])
    return backend


def _merges(data: bytes) -> list[str]:
    lines = data.decode().replace("\r\n", "\n").split("\n")
    return [line for line in lines if line and not line.startswith("#version")]


def _added(given: Mapping[str, Any]) -> AddedToken:
    flags = {name: bool(given.get(name, False)) for name in ("lstrip", "rstrip", "single_word", "special")}
    return AddedToken(given["content"], normalized=bool(given.get("normalized", not flags["special"])), **flags)


def _add(backend: Backend, config: Mapping[str, Any], special: Mapping[str, str], legacy: Mapping[str, Any]) -> None:
    """Tokens that the config names and the vocabulary does not know yet, in the order of their ids."""
    known = {token.content for token in backend.get_added_tokens_decoder().values()}
    decoder = config.get("added_tokens_decoder")
    if isinstance(decoder, dict):
        tokens = [_added(decoder[key]) for key in sorted(decoder, key=int)]
    else:
        names = sorted(legacy, key=lambda name: int(legacy[name]))
        tokens = [_added({"content": name, "special": name in special.values()}) for name in names]
    tokens += [AddedToken(content, special=True) for content in dict.fromkeys(special.values())]
    extra = config.get("additional_special_tokens") or config.get("extra_special_tokens") or []
    for each in extra if isinstance(extra, list) else []:
        tokens.append(_added(each) if isinstance(each, dict) else AddedToken(str(each), special=True))
    for token in tokens:
        if token.content not in known:
            known.add(token.content)
            backend.add_tokens([token])


def _end_ids(backend: Backend, files: Mapping[str, bytes], special: Mapping[str, str]) -> frozenset[int]:
    added = {token.content: number for number, token in backend.get_added_tokens_decoder().items()}
    found = {added[name] for name in (special.get("eos_token"), *_ENDS) if name in added}
    try:
        generation = json.loads(files.get("generation_config.json", b"{}")).get("eos_token_id")
    except (ValueError, AttributeError):
        generation = None
    given = generation if isinstance(generation, list) else [generation]
    return frozenset(found | {each for each in given if isinstance(each, int)})
