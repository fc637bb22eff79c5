"""Sizes of a model beside the highest id of its tokenizer; of weights, only the header is read."""

import json

import pytest
from chat_helpers import make_tokenizer
from core_helpers import contract, jsonl

from datacheck.session.session import validate

pytestmark = pytest.mark.usefixtures("here")


def weights(rows, name="model.embed_tokens.weight"):
    header = json.dumps(
        {"__metadata__": {}, name: {"dtype": "BF16", "shape": [rows, 4], "data_offsets": [0, 8 * rows]}}
    )
    return len(header).to_bytes(8, "little") + header.encode() + b"\0" * 100  # most of the weights are not there


def judged(folder, config=None, files=(), run_config=None):
    model = make_tokenizer(folder / "model")
    for name, content in {"config.json": json.dumps(config).encode() if config else None, **dict(files)}.items():
        if content is not None:
            (model / name).write_bytes(content)
    jsonl(folder / "data" / "a.jsonl", {"text": "a"})
    run = {"tokenizer": str(model)} | ({"config": str(run_config)} if run_config else {})
    report = validate(contract(folder, ["missing_embeddings"]), run=run, out=folder / "out")
    found = next(f for f in report.findings if f.check == "missing_embeddings")
    return found.status, {v.name: v.value for v in found.values}, [place.where for place in found.evidence.first]


@pytest.fixture
def tokens(tmp_path):
    """How many the tokenizer has."""
    return judged(tmp_path / "probe", {"vocab_size": 1})[1]["missing"] + 1


def test_a_model_with_room_for_more(tmp_path, tokens):
    assert judged(tmp_path, {"vocab_size": tokens + 7}) == ("pass", {"missing": 0, "spare": 7}, [])


def test_a_config_that_is_too_small(tmp_path, tokens):
    status, values, places = judged(tmp_path, {"text_config": {"vocab_size": tokens - 3}})
    assert (status, values["missing"]) == ("fail", 3)
    assert places == ["run.tokenizer: config.json text_config.vocab_size"]


def test_the_config_of_the_run_counts_beside_the_model(tmp_path, tokens):
    (tmp_path / "run.yaml").write_text(f"vocab_size: {tokens - 3}\n")
    _, values, places = judged(tmp_path, {"vocab_size": tokens}, run_config=tmp_path / "run.yaml")
    assert (values["missing"], places) == (3, ["run.config: vocab_size"])


def test_headers_of_weights_count_where_the_config_is_right(tmp_path, tokens):
    files = {"a.safetensors": weights(tokens - 1), "b.safetensors": weights(tokens, "lm_head.weight")}
    status, values, places = judged(tmp_path, {"vocab_size": tokens}, files)
    assert (status, values["missing"]) == ("fail", 1)
    assert places == ["run.tokenizer: a.safetensors model.embed_tokens.weight"]


def test_what_tells_no_size_is_an_error(tmp_path):
    assert judged(tmp_path)[0] == "error"
    broken = {"a.safetensors": (2**62).to_bytes(8, "little") + b"{"}
    assert judged(tmp_path, {"vocab_size": 9}, broken)[0] == "error"
