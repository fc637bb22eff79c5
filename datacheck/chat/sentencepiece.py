"""SentencePiece's tokenizer.model, read without that library: as transformers 5 makes a tokenizer of it.

A class that transformers has decides: LlamaTokenizer and GemmaTokenizer put tokens together in the order of their ids.
For every other class, and for none, it is as SentencePiece itself encodes (convert_slow_tokenizer.py of transformers
5.24, build_tokenizer_from_spm_proto): by the pieces' scores, each stretch between special tokens for itself.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers
from tokenizers import Tokenizer as Backend

from datacheck.chat.ranks import Built, unreadable

# sentencepiece_model.proto: fields of ModelProto, and types of a piece.
_PIECE, _TRAINER, _NORMALIZER = 1, 2, 3
_NORMAL, _CONTROL, _USER = 1, 3, 4
_UNIGRAM, _BPE = 1, 2
_LLAMA = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
_GEMMA = {
    "bos_token": "<bos>",
    "eos_token": "<eos>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}
_SPACE = "▁"


@dataclass(frozen=True)
class SentenceModel:
    """What the file says: pieces (text, score, type), and the settings with their defaults."""

    pieces: list[tuple[str, float, int]]
    trainer: Mapping[int, Any]
    normalizer: Mapping[int, Any]

    @property
    def by_bytes(self) -> bool:
        """Whether characters that no piece has are written as bytes."""
        return bool(self.trainer.get(35, 0))

    @property
    def unknown(self) -> str:
        """The piece for what is not known."""
        return bytes(self.trainer.get(45, b"<unk>")).decode()

    @property
    def prefixed(self) -> bool:
        """Whether a space is put before a text."""
        return bool(self.normalizer.get(3, 1))

    def names(self) -> dict[str, str]:
        """The special tokens that it has, by name."""
        places = {
            "unk_token": (40, 0, 45, b"<unk>"),
            "bos_token": (41, 1, 46, b"<s>"),
            "eos_token": (42, 2, 47, b"</s>"),
        }
        return {
            name: bytes(self.trainer.get(written, usual)).decode()
            for name, (at, first, written, usual) in places.items()
            if self.trainer.get(at, first) < 1 << 31  # a negative number fills all 64 bits
        }


def sentencepiece(data: bytes, config: Mapping[str, Any]) -> Built:
    """From tokenizer.model. Raises TemplateFault (unreadable) for a file that is none, or of a kind not read."""
    try:
        model = _model(data)
        made = _KINDS.get(str(config.get("tokenizer_class")).removesuffix("Fast"))
        backend, names = (made[0](model, config), made[1]) if made else (_own(model, config), model.names())
        taken = (_CONTROL, _USER) if made else (_CONTROL,)
        special = [(piece, kind) for piece, _, kind in model.pieces if kind in taken]
        backend.decoder = decoders.Sequence([decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
        backend.add_tokens([AddedToken(piece, special=kind == _CONTROL, normalized=False) for piece, kind in special])
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception
        raise unreadable("tokenizer.model", error) from None
    return Built(backend, names)


def _llama(model: SentenceModel, config: Mapping[str, Any]) -> Backend:
    backend = Backend(_by_id(model, {}))
    space = config.get("add_prefix_space")
    scheme = ("always" if config.get("legacy") else "first") if space or space is None else "never"
    backend.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme=scheme, split=False)
    return backend


def _gemma(model: SentenceModel, _config: Mapping[str, Any]) -> Backend:
    backend = Backend(_by_id(model, {"unk_token": "<unk>"}))
    backend.pre_tokenizer = pre_tokenizers.Split(" ", behavior="merged_with_previous", invert=False)
    backend.normalizer = normalizers.Replace(" ", _SPACE)
    return backend


_KINDS = {"LlamaTokenizer": (_llama, _LLAMA), "GemmaTokenizer": (_gemma, _GEMMA)}


def _by_id(model: SentenceModel, more: Mapping[str, Any]) -> models.BPE:
    vocab = {piece: number for number, (piece, _, _) in enumerate(model.pieces)}
    merges = sorted(
        (number, cut, piece[:cut], piece[cut:])
        for piece, number in vocab.items()
        for cut in range(1, len(piece))
        if piece[:cut] in vocab and piece[cut:] in vocab
    )
    return models.BPE(vocab=vocab, merges=[pair[-2:] for pair in merges], fuse_unk=True, byte_fallback=True, **more)


def _own(model: SentenceModel, config: Mapping[str, Any]) -> Backend:
    """As SentencePiece itself: its normalizer, and pieces of the user that are never parted nor put together."""
    user = [piece for piece, _, kind in model.pieces if kind == _USER]
    legacy = config.get("legacy", True)
    steps: list[normalizers.Normalizer] = []
    before: list[pre_tokenizers.PreTokenizer] = []
    if model.trainer.get(3, _UNIGRAM) == _UNIGRAM:
        scored = [(piece, score) for piece, score, _ in model.pieces]
        made = Backend(models.Unigram(scored, model.trainer.get(40, 0), model.by_bytes))
        backend = Backend.from_str(made.to_str())  # scores as its JSON is read, a last bit off: that settles ties
    else:
        backend = Backend(_by_score(model, config, whole=bool(user)))
    if model.normalizer.get(2):
        steps.append(normalizers.Precompiled(model.normalizer[2]))
    if model.normalizer.get(4, 1):
        steps += [normalizers.Replace(Regex(r"\A +| +\z"), ""), normalizers.Replace(Regex(" {2,}"), " ")]
    if model.normalizer.get(5, 1):
        steps.append(normalizers.Replace(" ", _SPACE))
    if model.prefixed:
        if legacy:  # Metaspace puts nothing before a text that begins with a space, SentencePiece does
            steps.append(normalizers.Replace(Regex(rf"\A{_SPACE}"), _SPACE * 2))
        scheme = "always" if legacy else "first"
        before.append(pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme=scheme, split=False))
    if user:
        longest = "|".join(re.escape(piece) for piece in sorted(user, key=len, reverse=True))
        before.append(pre_tokenizers.Split(Regex(longest), behavior="isolated"))
    backend.normalizer = normalizers.Sequence(steps)
    if before:
        backend.pre_tokenizer = pre_tokenizers.Sequence(before)
    return backend


def _by_score(model: SentenceModel, config: Mapping[str, Any], *, whole: bool) -> models.BPE:
    """Only normal pieces are put together, those of the highest score first. The config may rename pieces."""
    given = {int(key): str(each["content"]) for key, each in (config.get("added_tokens_decoder") or {}).items()}
    kept = {piece for number, (piece, _, _) in enumerate(model.pieces) if number not in given}
    names = [
        given[number] if number in given and given[number] not in kept else piece
        for number, (piece, _, _) in enumerate(model.pieces)
    ]
    normal = {
        name: (-score, number)
        for number, (name, (_, score, kind)) in enumerate(zip(names, model.pieces, strict=True))
        if kind == _NORMAL
    }
    merges = sorted(
        (*rank, name[:cut], name[cut:])
        for name, rank in normal.items()
        for cut in range(1, len(name))
        if name[:cut] in normal and name[cut:] in normal
    )
    return models.BPE(
        vocab={name: number for number, name in enumerate(names)},
        merges=[pair[-2:] for pair in merges],
        unk_token=model.unknown,
        fuse_unk=True,
        byte_fallback=model.by_bytes,
        ignore_merges=whole,
    )


def _model(data: bytes) -> SentenceModel:
    parts: dict[int, Mapping[int, Any]] = {}
    pieces = []
    for number, value in _fields(data):
        if number == _PIECE:
            piece = dict(_fields(value))
            (score,) = struct.unpack("<f", piece.get(2, b"\0\0\0\0"))
            pieces.append((piece.get(1, b"").decode(), score, piece.get(3, _NORMAL)))
        elif number in (_TRAINER, _NORMALIZER):
            parts[number] = dict(_fields(value))
    model = SentenceModel(pieces, parts.get(_TRAINER, {}), parts.get(_NORMALIZER, {}))
    if model.trainer.get(3, _UNIGRAM) not in (_UNIGRAM, _BPE) or model.trainer.get(24):
        raise ValueError("neither unigrams nor BPE, or spaces behind words")
    return model


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """(number, value) of a message of protocol buffers: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        size, at = _varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        if at + size > len(data):
            raise ValueError("the file ends too early")
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError("no number of 64 bits")
