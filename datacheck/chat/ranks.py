"""Byte-level BPE from ranks: Mistral's tekken.json, and files of tiktoken (a line per token: base64 and its rank).

A tekken.json says itself how it splits texts; of a file of ranks only the model's Python class does. The classes known
here are Qwen 1's, GLM-4's, and Kimi's and Moonlight's; files without one are read as transformers reads them
(convert_slow_tokenizer.py, TikTokenConverter), and Meta's own Llama 3, which has no config, as its package does.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers
from tokenizers import Tokenizer as Backend

from datacheck.chat.template import TemplateFault, read_json

_SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LETTERS = r"[^\r\n\p{L}\p{N}]?"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
LLAMA3 = rf"{_SHORT}|{_LETTERS}\p{{L}}+|\p{{N}}{{1,3}}|{_REST}"
QWEN = rf"{_SHORT}|{_LETTERS}\p{{L}}+|\p{{N}}|{_REST}"
KIMI = (
    rf"[\p{{Han}}]+|{_LETTERS}{_UPPER}*{_LOWER}+{_SHORT}?|{_LETTERS}{_UPPER}+{_LOWER}*{_SHORT}?|\p{{N}}{{1,3}}|{_REST}"
)

_LLAMA3 = """
    <|begin_of_text|> <|end_of_text|> <|reserved_special_token_0|> <|reserved_special_token_1|>
    <|finetune_right_pad_id|> <|step_id|> <|start_header_id|> <|end_header_id|> <|eom_id|> <|eot_id|> <|python_tag|>
    <|image|>
""".split()
_GLM4 = """
    <|endoftext|> [MASK] [gMASK] [sMASK] <sop> <eop> <|system|> <|user|> <|assistant|> <|observation|>
    <|begin_of_image|> <|end_of_image|> <|begin_of_video|> <|end_of_video|>
""".split()
# Of files without a list of their own, which end with version 7 (mistral-common, tekken.py, DEPRECATED_SPECIAL_TOKENS).
_TEKKEN = """
    <unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CALLS]
    [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CONTENT]
""".split()
_TEKKEN_NAMES = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


@dataclass(frozen=True)
class Family:
    """How a class splits texts, and the tokens that stand behind its ranks, in the order of their ids.

    room: as many ids as it keeps there; prefix: what it puts before a text that is not rendered; names: its tokens by
    name, where no config tells; composed: texts are brought to Unicode's form C first.
    """

    pattern: str
    tokens: Sequence[str] = ()
    room: int = 0
    prefix: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    composed: bool = False


_FAMILIES = {
    "QWenTokenizer": Family(
        QWEN,
        ("<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{number}|>" for number in range(205))),
        composed=True,
    ),
    "ChatGLM4Tokenizer": Family(LLAMA3, _GLM4, prefix=("[gMASK]", "<sop>"), names={"eos_token": "<|endoftext|>"}),
    "TikTokenTokenizer": Family(KIMI, room=258),
}
_META = Family(
    LLAMA3,
    (*_LLAMA3, *(f"<|reserved_special_token_{number}|>" for number in range(2, 246))),
    prefix=("<|begin_of_text|>",),
    names={"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"},
)
_META_RANKS = 128_000


class Built(NamedTuple):
    """A tokenizer, its special tokens by name where no config tells, and what it puts before texts of no template."""

    backend: Backend
    names: Mapping[str, str]
    prefix: Sequence[str] = ()


def tekken(data: bytes) -> Built:
    """From tekken.json. Raises TemplateFault (unreadable) for a file that is none."""
    whole = read_json({"tekken.json": data}, "tekken.json")
    try:
        config, given = whole["config"], whole.get("special_tokens")
        listed = None if given is None else {int(each["rank"]): str(each["token_str"]) for each in given}
        names = _TEKKEN if listed is None else [listed[number] for number in range(len(listed))]
        room = config.get("default_num_special_tokens") or len(names)
        names = [*names, *(f"<SPECIAL_{number}>" for number in range(len(names), room))]
        size = config.get("default_vocab_size")
        tokens = [base64.b64decode(each["token_bytes"]) for each in whole["vocab"][: size and size - room]]
        ranks = {token: room + number for number, token in enumerate(tokens)}
        backend = _bpe(ranks, config["pattern"], {name: number for number, name in enumerate(names)})
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception
        raise unreadable("tekken.json", error) from None
    return Built(backend, _TEKKEN_NAMES)


def tiktoken(name: str, data: bytes, config: Mapping[str, Any]) -> Built:
    """From a file of ranks. Raises TemplateFault: unreadable, or missing where nobody says how texts are split."""
    try:
        lines = [line.split() for line in data.splitlines() if line]
        ranks = {base64.b64decode(token, validate=True): int(rank) for token, rank in lines}
        named = {int(key): str(each["content"]) for key, each in (config.get("added_tokens_decoder") or {}).items()}
        family, base = _family(name, config, len(ranks)), len(ranks)
        known = {**dict(enumerate(family.tokens, base)), **{at: token for at, token in named.items() if at >= base}}
        room = range(base, max([base + family.room, *(at + 1 for at in known)]))
        special = {known.get(at, f"<|reserved_token_{at}|>"): at for at in room}
        backend = _bpe(ranks, family.pattern, special)
    except TemplateFault:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception
        raise unreadable(name, error) from None
    if family.composed:
        backend.normalizer = normalizers.NFC()
    return Built(backend, family.names, family.prefix)


def _family(name: str, config: Mapping[str, Any], ranks: int) -> Family:
    """Whose rules they are: of a class that is known, else of transformers, where it reads the file itself."""
    known = _FAMILIES.get(str(config.get("tokenizer_class")))
    if known:
        return known
    if not config and ranks == _META_RANKS:
        return _META
    if "auto_map" in config or not config.get("added_tokens_decoder") or not name.endswith(".model"):
        raise TemplateFault(
            "{name}: only the model's own Python class says how texts are split; docs/templates.md has a command that"
            " makes tokenizer.json of it",
            kind="missing",
            name=name,
        )
    return Family(LLAMA3)


def _bpe(ranks: Mapping[bytes, int], pattern: str, special: Mapping[str, int]) -> Backend:
    """Tokens are put together in the order of the ranks of what comes out, whichever two parts it is made of."""
    merges = [
        (number, ranks[token[:cut]], ranks[token[cut:]], token[:cut], token[cut:])
        for token, number in ranks.items()
        for cut in range(1, len(token))
        if token[:cut] in ranks and token[cut:] in ranks
    ]
    pairs = [(_written(left), _written(right)) for *_, left, right in sorted(merges)]
    vocab = {**{_written(token): number for token, number in ranks.items()}, **special}
    backend = Backend(models.BPE(vocab=vocab, merges=pairs, ignore_merges=True))
    split = pre_tokenizers.Split(Regex(pattern), behavior="isolated", invert=False)
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.pre_tokenizer = pre_tokenizers.Sequence([split, level])
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return backend


def _letters() -> dict[int, str]:
    """How byte-level BPE writes a byte: printable ones of Latin-1 as they are, the others from U+0100 on (GPT-2)."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    return {each: chr(each) for each in plain} | {
        each: chr(0x100 + at) for at, each in enumerate(each for each in range(0x100) if each not in plain)
    }


_LETTER = _letters()


def _written(token: bytes) -> str:
    return "".join(map(_LETTER.__getitem__, token))


def unreadable(name: str, error: Exception) -> TemplateFault:
    """What is said of a file that is no tokenizer."""
    return TemplateFault("{said}", kind="unreadable", said=f"{name}: {type(error).__name__}: {error}"[:300])
