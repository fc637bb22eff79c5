"""`datacheck preview`: what stands there must be what transformers gives, and nothing private."""

import json
import re

import pytest
from chat_helpers import CHATML, make_tokenizer
from typer.testing import CliRunner

from datacheck.cli.main import app
from datacheck.errors import LoadError, UsageError
from datacheck.preview.rows import preview
from datacheck.testing import dataset, jsonl

ROWS = dataset("user: 你好 | assistant: 多云", "user: xq | chosen: zj | rejected: jz", "user: 明天 | assistant: 天气")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(jsonl(ROWS))
    return path


def shown(file, tokenizer_folder, *args, exit_code=0):
    done = CliRunner().invoke(
        app, ["preview", str(file), "--run", f"tokenizer={tokenizer_folder}", "--lang", "en", *args]
    )
    assert done.exit_code == exit_code, (done.output, done.exception)
    return done.output


def test_ids_and_labels_are_those_of_transformers(file, tokenizer_folder):
    from transformers import AutoTokenizer

    reference = AutoTokenizer.from_pretrained(tokenizer_folder)
    found = preview(file, n=1, run={"tokenizer": str(tokenizer_folder)})
    out = reference.apply_chat_template(ROWS[0]["messages"], return_dict=True, return_assistant_tokens_mask=True)
    (sample,) = found.rows[0].samples
    assert (list(sample.ids), list(sample.labels)) == (out["input_ids"], out["assistant_masks"])
    text = shown(file, tokenizer_folder, "--n", "1", "--all")
    numbers = [int(n) for line in text.splitlines() if re.fullmatch(r" {12}[\d ]+", line) for n in line.split()]
    assert numbers == out["input_ids"]
    assert "TRAIN" in text
    assert "多云<|im_end|>" in text


def test_rows_are_counted_over_the_file(file, tokenizer_folder):
    found = preview(file, row=1, n=2, run={"tokenizer": str(tokenizer_folder)})
    assert [(row.row, row.at, len(row.samples)) for row in found.rows] == [
        (1, "data.jsonl:2", 2),
        (2, "data.jsonl:3", 1),
    ]
    assert [s.conversation.part for s in found.rows[0].samples] == ["chosen", "rejected"]
    with pytest.raises(UsageError, match="--row 3"):
        preview(file, row=3, run={"tokenizer": str(tokenizer_folder)})


def test_a_contract_names_the_run(file, tokenizer_folder, tmp_path):
    make_tokenizer(tmp_path / "tok")
    contract = tmp_path / "c.yaml"
    contract.write_text(
        "name: c\nrun: {tokenizer: tok, max_length: 9}\ndatasets:\n"
        "  a: {source: data.jsonl, checks: [too_few_rows]}\n  b: {source: data.jsonl, checks: [too_few_rows]}\n"
    )
    found = preview(contract, n=1)
    assert len(found.rows[0].samples[0].kept) == found.max_length == 9
    assert preview(contract, n=1, run={"max_length": "5"}).max_length == 5
    with pytest.raises(UsageError, match="did you mean"):
        preview(contract, dataset="aa")


def test_a_named_trainer_reads_the_row(file, tokenizer_folder):
    """It looks at the whole file: where some rows have a prompt, the others have an empty one, which stops TRL."""
    run = {"tokenizer": str(tokenizer_folder), "trainer": "trl.sft"}
    assert preview(file, n=1, run=run).rows[0].samples == ()
    file.write_bytes(jsonl(ROWS[:1]))
    (sample,) = preview(file, n=1, run=run).rows[0].samples
    assert sample.by == "all"  # assistant_only_loss is False by default
    assert [fault.problem for fault in sample.faults] == ["prompt_trained"]


def test_personal_data_is_hidden_in_text_and_ids(tmp_path, tokenizer_folder):
    path = tmp_path / "pii.jsonl"
    path.write_bytes(jsonl(dataset("user: 电话 13800138000 | assistant: 好 zhangsan@example.com")))
    secret = preview(path, n=1, run={"tokenizer": str(tokenizer_folder)}).tokenizer.encode(["13800138000"])[0].ids
    text = shown(path, tokenizer_folder, "--all", "--batch")
    assert "1380" not in text
    assert "zhangsan" not in text
    assert " ".join(map(str, secret)) not in " ".join(text.split())
    assert "13800138000" in shown(path, tokenizer_folder, "--all", "--excerpts", "full")
    masked = shown(path, tokenizer_folder, "--excerpts", "masked")
    assert "电话" not in masked
    assert not re.search(r" {12}\d", masked)


def test_lines_fit_80_columns(tmp_path, tokenizer_folder):
    from rich.cells import cell_len

    path = tmp_path / "long.jsonl"
    path.write_bytes(
        jsonl(dataset("user: " + "今天天气怎么样？" * 60 + "\nword " * 90 + " | assistant: " + "多云" * 200))
    )
    for lang in ("en", "zh"):
        text = shown(path, tokenizer_folder, "--batch", "--lang", lang)
        assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_both_languages(file, tokenizer_folder):
    assert "个 token" in shown(file, tokenizer_folder, "--lang", "zh", "--batch")
    assert "首个批次" in shown(file, tokenizer_folder, "--lang", "zh", "--batch")


def test_the_batch_is_padded_as_collators_do(file, tokenizer_folder):
    found = preview(file, n=3, run={"tokenizer": str(tokenizer_folder)})
    lengths = [len(s.ids) for row in found.rows for s in row.samples]
    text = " ".join(shown(file, tokenizer_folder, "--batch").split())
    assert f"first batch: 4 x {max(lengths)} tokens, padded on the right with <|endoftext|>" in text
    padding = sum(max(lengths) - length for length in lengths) / (4 * max(lengths))
    assert f"padding {padding * 100:.3g} %" in text


def test_rows_that_cannot_be_rendered_are_shown_as_such(tmp_path, tokenizer_folder):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(
        jsonl([{"a": 1}, {"messages": [{"role": "user", "content": 5}, {"role": "assistant", "content": "x"}]}])
    )
    text = shown(path, tokenizer_folder)
    assert "nothing to render" in text
    assert "template_refused" in text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "--run tokenizer=DIR"),
        (["--run", "tokenizer=/nowhere"], "no such folder"),
        (["--run", "tokenzer=x"], "expected NAME=VALUE with one of trainer, version, tokenizer"),
    ],
)
def test_asked_wrongly(file, args, said):
    done = CliRunner().invoke(app, ["preview", str(file), *args])
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


def test_a_tokenizer_that_is_none(file, tmp_path):
    folder = make_tokenizer(tmp_path / "tok", CHATML)
    (folder / "tokenizer.json").write_text(json.dumps({"version": "1.0"}))
    with pytest.raises(LoadError, match=r"tokenizer\.json"):
        preview(file, run={"tokenizer": str(folder)})
    with pytest.raises(LoadError, match="no chat template is called 'x'"):
        preview(file, run={"tokenizer": str(make_tokenizer(tmp_path / "two")), "template": "x"})
