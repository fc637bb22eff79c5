"""Tokenizers without a tokenizer.json: ids of SentencePiece's own library and of transformers' classes (recorded in
native_tokenizers.json), and of ranks those of the algorithm that tiktoken documents, written plainly."""

import base64
import json
import re
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from chat_helpers import CHATML, TEXT, trained
from typer.testing import CliRunner

from datacheck.chat.ranks import KIMI, LLAMA3, QWEN, _written
from datacheck.chat.template import TemplateFault
from datacheck.chat.tokenizer import load_tokenizer
from datacheck.cli.main import app
from datacheck.errors import UsageError

GOLD = json.loads(Path(__file__).with_name("native_tokenizers.json").read_text())
LETTERS = {_written(bytes([number])): bytes([number]) for number in range(256)}
NONE = 1 << 30
TEXTS = [
    *GOLD["texts"],
    "def f(x):\n\treturn x[1:]  # 注释\r\n",
    "I'LL say it's 2026年11月26日",
    "ABCdef北京abc",
    "ab" * 40,
]


@pytest.fixture(scope="module")
def ranks():
    """The tokens of a small BPE tokenizer, in the order of their ids: those of single bytes first."""
    vocab = json.loads(trained())["model"]["vocab"]
    tokens = [b"".join(LETTERS[letter] for letter in token) for token in sorted(vocab, key=vocab.get)]
    return {token: number for number, token in enumerate(tokens)}


def plainly(text, ranks, pattern, special):
    """The lowest rank first, the leftmost of equals, until nothing can be put together."""
    found = []
    for part in regex.split("(" + "|".join(map(regex.escape, special)) + ")", text) if special else [text]:
        if part in special:
            found.append(special[part])
            continue
        for word in regex.findall(pattern, part, flags=regex.V1):
            pieces = [bytes([byte]) for byte in word.encode()]
            while True:
                pairs = [(ranks.get(a + b, NONE), at) for at, (a, b) in enumerate(pairwise(pieces))]
                rank, at = min(pairs, default=(NONE, 0))
                if rank == NONE:
                    break
                pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
            found += [ranks[piece] for piece in pieces]
    return found


def lines(ranks):
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


def tekken(ranks, **more):
    config = {"pattern": QWEN, "default_vocab_size": len(ranks) + 20, "default_num_special_tokens": 20, **more}
    vocab = [{"rank": rank, "token_bytes": base64.b64encode(token).decode()} for token, rank in ranks.items()]
    padded = [*vocab, {"rank": len(vocab), "token_bytes": base64.b64encode(b"the quick").decode()}]
    return {"config": config, "vocab": padded}


def decoder(*tokens):
    return {str(number): {"content": content, "special": True} for number, content in tokens}


@pytest.mark.parametrize(("kind", "named"), [*(("bpe", named) for named in GOLD["bpe"]["ids"]), ("unigram", "none")])
def test_sentencepiece(kind, named):
    config = {} if named == "none" else {"tokenizer_class": named, "legacy": named.endswith("Fast")}
    files = {"tokenizer.model": base64.b64decode(GOLD[kind]["model"])}
    files["tokenizer_config.json"] = json.dumps(config).encode()
    tokenizer = load_tokenizer(files)
    assert [each.ids for each in tokenizer.encode(GOLD["texts"])] == GOLD[kind]["ids"][named]
    assert named == "GemmaTokenizer" or {tokenizer.token(number) for number in tokenizer.ends} == {"</s>", "<|im_end|>"}


def test_the_begin_token_is_put_before_a_text_where_the_config_asks(ranks):
    config = json.dumps({"tokenizer_class": "LlamaTokenizer", "add_bos_token": True}).encode()
    files = {"tokenizer.model": base64.b64decode(GOLD["bpe"]["model"]), "tokenizer_config.json": config}
    assert load_tokenizer(files).encode(["hi"], special=True)[0].ids == [1, 463, 472, 470]  # transformers 5.24
    config = json.dumps({"tokenizer_class": "ChatGLM4Tokenizer"}).encode()
    glm = load_tokenizer({"tokenizer.model": lines(ranks), "tokenizer_config.json": config})
    assert glm.encode([""], special=True)[0].ids == [len(ranks) + 2, len(ranks) + 4]  # [gMASK] <sop>


@pytest.mark.parametrize(
    ("name", "config", "pattern", "special"),
    [
        ("qwen.tiktoken", {"tokenizer_class": "QWenTokenizer"}, QWEN, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]),
        ("tokenizer.model", {"tokenizer_class": "ChatGLM4Tokenizer"}, LLAMA3, ["<|endoftext|>", "[MASK]"]),
        (
            "tiktoken.model",
            {"tokenizer_class": "TikTokenTokenizer", "auto_map": {}},
            KIMI,
            ["[BOS]", None, "<|im_end|>"],
        ),
        ("tokenizer.model", {"tokenizer_class": "PreTrainedTokenizerFast"}, LLAMA3, ["<s>", None, "<|im_end|>"]),
    ],
)
def test_ranks(ranks, name, config, pattern, special):
    base = len(ranks)
    ids = {token or f"<|reserved_token_{base + at}|>": base + at for at, token in enumerate(special)}
    if None in special:
        config = {**config, "added_tokens_decoder": decoder(*((base + at, t) for at, t in enumerate(special) if t))}
    tokenizer = load_tokenizer({name: lines(ranks), "tokenizer_config.json": json.dumps(config).encode()})
    given = [*TEXTS, *(f"你好{token}the{token}" for token in ids)]
    for text, encoding in zip(given, tokenizer.encode(given), strict=True):
        composed = unicodedata.normalize("NFC", text) if "QWen" in config["tokenizer_class"] else text
        assert encoding.ids == plainly(composed, ranks, pattern, ids), text


def test_tekken(ranks):
    """Special tokens first, then as many of the vocabulary as the config says."""
    tokenizer = load_tokenizer({"tekken.json": json.dumps(tekken(ranks)).encode()})
    special = {"<s>": 1, "</s>": 2, "[INST]": 3, "[TOOL_CONTENT]": 19}
    behind = {token: rank + 20 for token, rank in ranks.items()}
    given = [*TEXTS, "<s>[INST]你好[TOOL_CONTENT]</s>the quick"]
    for text, encoding in zip(given, tokenizer.encode(given), strict=True):
        assert encoding.ids == plainly(text, behind, QWEN, special), text
    assert (tokenizer.id_of("bos_token"), tokenizer.id_of("eos_token"), tokenizer.ends) == (1, 2, frozenset({2}))


def test_tekken_with_a_list_of_its_own(ranks):
    listed = [{"rank": 1, "token_str": "<end>"}, {"rank": 0, "token_str": "<begin>"}]
    whole = {**tekken(ranks, default_num_special_tokens=4, default_vocab_size=None), "special_tokens": listed}
    tokenizer = load_tokenizer({"tekken.json": json.dumps(whole).encode(), "tokenizer_config.json": b"{}"})
    assert tokenizer.encode(["<begin><end><SPECIAL_3>"])[0].ids == [0, 1, 3]


MODEL = base64.b64decode(GOLD["bpe"]["model"])


@pytest.mark.parametrize(
    "files",
    [
        {"tokenizer.model": b""},
        {"tokenizer.model": b"\n"},
        {"tokenizer.model": MODEL[:5000]},
        {"tokenizer.model": b"\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"},
        {"tokenizer.model": b"not base64 at all"},
        {"tokenizer.model": b"YQ== 1"},  # nobody says how it is split
        {"new.tiktoken": b"YQ== 1", "tokenizer_config.json": b'{"tokenizer_class": "NewTokenizer", "auto_map": {}}'},
        {"tekken.json": b"{}"},
        {"tekken.json": b'{"config": {"pattern": "("}, "vocab": []}'},
        {"tekken.json": b'{"config": {"pattern": ""}, "vocab": [], "special_tokens": [{"rank": 7, "token_str": "a"}]}'},
        {"tokenizer.model": MODEL, "tokenizer_config.json": b'{"added_tokens_decoder": {"9999": {"content": "<x>"}}}'},
    ],
)  # fmt: skip
def test_files_that_are_no_tokenizers(files):
    with pytest.raises(TemplateFault):
        load_tokenizer(files)


@pytest.mark.parametrize("at", range(0, len(MODEL), 97))
def test_a_damaged_file_raises_nothing_else(at):
    """A flipped bit makes another tokenizer or none."""
    damaged = bytes([*MODEL[:at], MODEL[at] ^ 0x81, *MODEL[at + 1 :]])
    try:
        load_tokenizer({"tokenizer.model": damaged}).encode(TEXT[:1])
    except TemplateFault:
        return


def test_a_folder_as_it_was_downloaded(tmp_path):
    """Through the command, on tokenizer.model and a template alone."""
    folder = tmp_path / "tok"
    folder.mkdir()
    (folder / "tokenizer.model").write_bytes(MODEL)
    (folder / "chat_template.jinja").write_text(CHATML)
    row = {"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": TEXT[0]}]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    told = CliRunner().invoke(app, ["preview", str(tmp_path / "rows.jsonl"), "--run", f"tokenizer={folder}", "--all"])
    assert told.exit_code == 0, told.output
    reference = load_tokenizer({"tokenizer.model": MODEL})
    text = f"<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n{TEXT[0]}<|im_end|>\n"
    numbers = [int(n) for line in told.output.splitlines() if re.fullmatch(r" {12}[\d ]+", line) for n in line.split()]
    assert numbers == reference.encode([text])[0].ids


def test_a_folder_without_a_tokenizer_says_what_is_read(tmp_path):
    (tmp_path / "rows.jsonl").write_text("{}")
    told = CliRunner().invoke(
        app, ["preview", str(tmp_path / "rows.jsonl"), "--run", f"tokenizer={tmp_path}", "--lang", "en"]
    )
    assert isinstance(told.exception, UsageError)
    assert "tekken.json or *.tiktoken in this folder" in str(told.exception)
