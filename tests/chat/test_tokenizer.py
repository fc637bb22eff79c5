"""Ids must be those of transformers, from either form of a tokenizer's files."""

import json
import shutil

import pytest
from chat_helpers import TEXT, files_of, make_tokenizer

from datacheck.chat.template import TemplateFault
from datacheck.chat.tokenizer import load_tokenizer

SAMPLES = [
    *TEXT,
    "",
    " ",
    "\n\n",
    "  a\tb ",
    "é e\u0301 ﬁ",
    "👩‍👩‍👧 🇨🇳",
    "<|im_end|><|im_start|>x",
    "don't DON'T 123456",
    "𠮷野家",
    "\u200b\ufeff",
    "a" * 300,
]


def reference(folder):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


def same(folder):
    tokenizer, other = load_tokenizer(files_of(folder)), reference(folder)
    for text, encoding in zip(SAMPLES, tokenizer.encode(SAMPLES), strict=True):
        assert encoding.ids == other(text, add_special_tokens=False)["input_ids"], text
    assert tokenizer.id_of("eos_token") == other.eos_token_id
    return tokenizer


def test_from_tokenizer_json(tokenizer_folder):
    same(tokenizer_folder)


def test_tokens_that_only_the_config_names(tmp_path):
    added = {
        "541": {"content": "<tool_call>", "special": False, "normalized": False},
        "542": {"content": "<|x|>", "special": True},
    }
    tokenizer = same(make_tokenizer(tmp_path, added_tokens_decoder=added, bos_token="<|begin|>"))
    assert tokenizer.backend.token_to_id("<tool_call>") == 541


def test_settings_of_padding_and_truncation_in_the_file_are_ignored(tmp_path):
    folder = make_tokenizer(tmp_path)
    written = json.loads((folder / "tokenizer.json").read_text())
    written["truncation"] = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
    (folder / "tokenizer.json").write_text(json.dumps(written))
    assert len(load_tokenizer(files_of(folder)).encode([TEXT[0]])[0].ids) > 3


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("space", [False, True])
def test_from_vocab_and_merges_of_a_qwen2_type_tokenizer(tmp_path, newline, space):
    folder = make_tokenizer(tmp_path, add_prefix_space=space, tokenizer_class="Qwen2Tokenizer")
    model = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "tokenizer.json").unlink()
    vocab = {**model["vocab"], "<|endoftext|>": 538, "<|im_start|>": 539, "<|im_end|>": 540}
    (folder / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
    merges = ["#version: 0.2", *(" ".join(pair) for pair in model["merges"]), ""]
    (folder / "merges.txt").write_bytes(newline.join(merges).encode())
    same(folder)


def test_the_class_decides_over_the_file_as_in_transformers_5(tmp_path):
    """Qwen3.5's files name Qwen2Tokenizer beside a tokenizer.json that splits otherwise: the class wins."""
    plain = make_tokenizer(tmp_path / "a")
    classed = make_tokenizer(tmp_path / "b", tokenizer_class="Qwen2Tokenizer")
    same(classed)
    digits = ["15 23"]  # one token each in the words it was trained on; the class splits digits
    one, two = (load_tokenizer(files_of(folder)).encode(digits)[0].ids for folder in (plain, classed))
    assert len(one) < len(two)


def test_real_tokenizer(realdata, tmp_path):
    shutil.copytree(realdata / "tok_minimind/model", tmp_path / "tok")
    same(tmp_path / "tok")


def test_ends_are_tokens_of_their_own(tmp_path):
    folder = make_tokenizer(tmp_path)
    tokenizer = load_tokenizer(files_of(folder))
    assert {tokenizer.token(number) for number in tokenizer.ends} == {"<|im_end|>", "<|endoftext|>"}
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [539]}))
    assert 539 in load_tokenizer(files_of(folder)).ends


def test_blank_tokens(tokenizer_folder):
    tokenizer = load_tokenizer(files_of(tokenizer_folder))
    for text, blank in (("\n", True), (" ", True), ("a", False), ("<|im_end|>", False)):
        (number,) = tokenizer.encode([text])[0].ids
        assert tokenizer.blank(number) is tokenizer.blank(number) is blank


@pytest.mark.parametrize(
    "files",
    [{}, {"vocab.json": b"{}"}, {"tokenizer.json": b"{}"}, {"tokenizer.json": b"\xff"}, {"vocab.json": b"[]", "merges.txt": b""},
     {"tokenizer.json": b'{"model": {"type": "BPE", "vocab": {"a": -1}}}'}],
)  # fmt: skip
def test_files_that_make_no_tokenizer(files):
    with pytest.raises(TemplateFault):
        load_tokenizer(files)


def test_lone_surrogates_are_told(tokenizer_folder):
    with pytest.raises(TemplateFault, match="surrogates"):
        load_tokenizer(files_of(tokenizer_folder)).encode(["ok", "\ud800"])
