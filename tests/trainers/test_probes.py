"""Asking an installed trainer: the protocol, with a tiny package in TRL's place; the real one where there is one.

DATACHECK_TRL_PYTHON, DATACHECK_LLAMAFACTORY_PYTHON, DATACHECK_MS_SWIFT_PYTHON, DATACHECK_VERL_PYTHON,
DATACHECK_OPENRLHF_PYTHON and DATACHECK_AXOLOTL_PYTHON name the Python of an environment with that trainer, for the slow tests.
"""

import importlib
import json
import os
import shutil
import stat
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from chat_helpers import artifact
from typer.testing import CliRunner

from datacheck.cli.main import app
from datacheck.features.agreement import asked_rows, request_of
from datacheck.features.tokens import RunOf, TokenRun
from datacheck.files.versions import write_manifest
from datacheck.gate.keys import new_key
from datacheck.session.options import Options
from datacheck.session.session import Session
from datacheck.trainers import trainer, trl
from datacheck.trainers.base import RowOutcome
from datacheck.trainers.probes.asking import ProbeError, ProbeLimits, ProbeRequest, ask, families, installed

Q, A = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
GOOD, EMPTY, LONG = {"messages": [Q, A]}, {"messages": []}, {"messages": [Q, A] * 9}
# What the probe calls, and nothing more: rows with more than 9 messages are left out, an empty list raises.
FAKES = {
    "trl/__init__.py": """
import os, sys, time
class SFTConfig:
    __dataclass_fields__ = {"max_length": 0, "output_dir": 0}
    def __init__(self, **given): self.given = given
class SFTTrainer:
    def __init__(self, model, args, train_dataset, processing_class):
        from trl.sft_trainer import prepare
        print("noise on stdout"); print("noise on stderr", file=sys.stderr)
        self.train_dataset = train_dataset.only(prepare(train_dataset.rows))
        self._signature_columns = None
    def _set_signature_columns_if_needed(self): self._signature_columns = ["input_ids"]
    def data_collator(self, rows): return {"input_ids": Array([r["input_ids"] for r in rows]),
        "attention_mask": Array([[1] * len(r["input_ids"]) for r in rows])}
class Array:
    def __init__(self, values): self.values = values
    def tolist(self): return self.values
""",
    "trl/sft_trainer.py": """
import os, socket, sys, time
def prepare(rows):
    for row in rows:
        text = row["messages"][0]["content"]
        if text == "die": os._exit(3)
        if text == "sleep": time.sleep(1000)
        if text == "spin":
            while True: pass
        if text == "network": socket.create_connection(("192.0.2.1", 80), 1)
        row["input_ids"] = [len(m["content"]) for m in row["messages"]]
    return [row for row in rows if len(row["messages"]) < 10]
""",
    "datasets/__init__.py": """
import json
def disable_progress_bars(): pass
class Rows:
    def __init__(self, rows): self.rows = rows
    def __len__(self): return len(self.rows)
    def __iter__(self): return iter(self.rows)
    @property
    def column_names(self): return list(self.rows[0]) if self.rows else []
    def only(self, rows): return Rows(rows)
    def add_column(self, name, values): return Rows([{**r, name: v} for r, v in zip(self.rows, values)])
def load_dataset(kind, data_files, split): return Rows([json.loads(line) for line in open(data_files)])
""",
    "transformers/__init__.py": """
class Tokenizer:
    pad_token_id = bos_token_id = eos_token_id = 0
    def __init__(self, **_): pass
    def __len__(self): return 1
PreTrainedTokenizerFast = Tokenizer
class AutoTokenizer:
    @staticmethod
    def from_pretrained(folder): return Tokenizer()
def LlamaConfig(**given): return given
def LlamaForCausalLM(config): return config
""",
    "torch/__init__.py": "",
    "trl-9.9.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: trl\nVersion: 9.9.0\n",
}


@pytest.fixture
def python(tmp_path):
    """A Python that has the tiny package."""
    site = tmp_path / "env" / "site-packages"
    for name, text in FAKES.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    path = tmp_path / "env" / "python"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{site}" exec "{sys.executable}" "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def asked(python, folder, *rows, files=(), **limits):
    folder.mkdir()
    request = ProbeRequest("trl", "sft", {"max_length": 10, "packing": True}, limits=ProbeLimits(**limits))
    return ask(python, request, [json.dumps(row) for row in rows], folder, files)


def said(text):
    return {"messages": [{"role": "user", "content": text}]}


def test_the_installed_package_is_named(python, tmp_path):
    assert "trl" in families()
    found = installed(python, "trl", tmp_path)
    assert found.versions["trl"] == "9.9.0"
    assert len(found.source) == 64
    changed = tmp_path / "env" / "site-packages" / "trl" / "sft_trainer.py"
    changed.write_text("# patched\n")
    assert installed(python, "trl", tmp_path).source != found.source


def test_every_row_has_an_answer(python, tmp_path):
    """Among rows that stop the set, rows that are left out and rows that are kept."""
    probed = asked(python, tmp_path / "p", GOOD, EMPTY, GOOD, LONG, {"x": 1}, GOOD)
    assert [row.fate for row in probed.rows] == ["kept", "failed", "kept", "dropped", "failed", "kept"]
    assert probed.rows[1][2:] == ("IndexError", "trl/sft_trainer.py:5")
    assert probed.rows[0].examples[0].ids == (1, 1)
    assert probed.unknown_settings == ()


def test_the_first_row_may_be_the_bad_one(python, tmp_path):
    probed = asked(python, tmp_path / "p", EMPTY, EMPTY, GOOD)
    assert [row.fate for row in probed.rows] == ["failed", "failed", "kept"]


@pytest.mark.parametrize(("rows", "lost", "asked"), [(1300, 9, 500), (520, 400, 270), (40, 3, 40)])
def test_five_hundred_rows_are_asked_where_there_are_as_many(rows, lost, asked):
    """Some of each rule, the first row, and what is kept from the whole file."""
    fates = pl.DataFrame(
        {"row": range(5, 5 + lost), "problem": ["a", *["b"] * (lost - 1)], "fate": "dropped"},
        schema_overrides={"row": pl.UInt32},
    )
    found = asked_rows(fates, pl.Series(range(rows), dtype=pl.UInt64))
    assert len(found) == asked
    assert found == sorted(set(found))
    assert {0, 5, 6} <= set(found)
    assert found[-1] > rows * 0.97


def test_files_are_loaded_apart(python, tmp_path):
    probed = asked(python, tmp_path / "p", EMPTY, GOOD, LONG, files=(1, 2))
    assert [row.fate for row in probed.rows] == ["failed", "kept", "dropped"]


@pytest.mark.parametrize(
    ("text", "limits", "why"),
    [("die", {}, "ended without an answer (exit code 3)"), ("spin", {"seconds": 2}, "ended without an answer")],
)
def test_a_child_that_ends_gives_no_answer(python, tmp_path, text, limits, why):
    with pytest.raises(ProbeError) as error:
        asked(python, tmp_path / "p", said(text), **limits)
    assert why in str(error.value)


def test_nothing_of_the_child_is_heard_and_no_network_is_there(python, tmp_path, capfd):
    probed = asked(python, tmp_path / "p", said("network"))
    assert probed.rows[0].error in ("OSError", "TimeoutError")
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_asked(python, tmp_path):
    with pytest.raises(ProbeError, match="no Python that can be run"):
        installed(tmp_path / "none", "trl", tmp_path)
    shutil.rmtree(tmp_path / "env" / "site-packages" / "trl-9.9.0.dist-info")
    with pytest.raises(ProbeError, match="has no package trl"):
        installed(python, "trl", tmp_path)


# ── through the command ──────────────────────────────────────────────────────────────────────────────
CONTRACT = """
name: t
run: {trainer: trl.sft, version: "9.9"}
datasets:
  train: {source: data.jsonl, checks: [{check: trainer_drops, limits: {kept: {min: 0.5}}}]}
"""


def ran(folder, python, rows, contract=CONTRACT, exit_code=None, *more):
    (folder / "c.yaml").write_text(contract)
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["run", str(folder / "c.yaml"), "--out", str(folder / "out"), "--trainer-python", str(python)]
    done = CliRunner().invoke(app, [*command, "--lang", "en", *more])
    if exit_code == 2:  # main() puts the error into words
        return str(done.exception), folder
    assert exit_code is None or done.exit_code == exit_code, done.output
    return done.output, folder / "out" / "report.json"


def drops(report):
    findings = json.loads(report.read_text())["findings"]
    return next(finding for finding in findings if finding["check"] == "trainer_drops")


def test_what_is_signed_names_the_package_that_was_asked(python, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "data.jsonl").write_text(json.dumps(GOOD) + "\n")
    write_manifest(tmp_path / "data")
    (tmp_path / "c.yaml").write_text(CONTRACT)
    key = new_key(tmp_path / "key")
    options = Options(out=tmp_path / "out", trainer_python=python, sign=key)
    with Session(tmp_path / "c.yaml", {"train": str(tmp_path / "data")}, options) as session:
        session.run()
        session.finish()
        assert session.signed is not None
        assert session.signed[0].given == "--trainer-python (trl 9.9.0)"


def counts(found, name):
    value = next(value for value in found["values"] if value["name"] == name)
    return value["count"], value["of"]


def test_the_report_says_that_the_package_agrees(python, tmp_path):
    output, report = ran(tmp_path, python, [GOOD] * 5, CONTRACT, 0)
    assert "your trl 9.9.0 agrees on 5 of 5 rows" in output
    assert "trl.sft: not compared with 9.9" in " ".join(output.split())
    assert json.loads(report.read_text())["inputs"].keys() >= {"trl 9.9.0 (--trainer-python)"}


def test_files_that_are_no_json_are_handed_over_as_json(python, tmp_path):
    """`load_dataset("csv")` may make numbers of such texts, which this probe cannot tell."""
    (tmp_path / "d.csv").write_text("prompt,completion\nq,1\nr,2\n")
    told = "was not asked"
    for name, there in (("d.csv", True), ("data.jsonl", False)):
        text = CONTRACT.replace("source: data.jsonl", f"source: {{path: {name}, format: rows}}")
        output, _ = ran(tmp_path, python, [GOOD] * 2, text)
        assert (told in " ".join(output.replace("|", " ").split())) == there, output


def test_the_package_is_believed_and_not_the_twin(python, tmp_path, monkeypatch):
    """It leaves out rows of more than 9 messages, of which the twin knows nothing."""
    monkeypatch.setattr("datacheck.cli.main.is_watched", lambda: True)  # all in this process
    _, report = ran(tmp_path, python, [GOOD, GOOD, LONG, GOOD])
    found = drops(report)
    assert counts(found, "kept") == (3, 4)
    assert counts(found, "disagreements") == (1, 4)
    assert found["status"] == "warn"


def test_a_twin_that_is_broken_is_found_out(python, tmp_path, monkeypatch):
    """The sabotage: it keeps what stops the run."""
    monkeypatch.setitem(trl.MODES, "sft", replace(trainer("trl.sft"), read=_keeps))
    monkeypatch.setattr("datacheck.cli.main.is_watched", lambda: True)  # all in this process
    _, report = ran(tmp_path, python, [GOOD, GOOD, EMPTY])
    found = drops(report)
    assert found["status"] == "fail"
    assert counts(found, "disagreements") == (1, 3)
    assert counts(found, "kept") == (2, 3)


def _keeps(_record, _settings, _seen):
    return RowOutcome()


def test_an_answer_that_does_not_come_is_an_error(python, tmp_path):
    output, report = ran(tmp_path, python, [GOOD, said("die")], CONTRACT, 3)
    assert drops(report)["status"] == "error"
    assert "ended without an answer" in output


@pytest.mark.parametrize(
    "contract",
    [
        CONTRACT.replace("trl.sft,", "trl.sft, python: /bin/sh,"),
        CONTRACT.replace("trainer_drops,", "trainer_drops, python: /bin/sh,"),
        CONTRACT.replace(
            "trainer_drops,", "trainer_drops, python: {named: sh, versions: [], source: x, location: /bin/sh},"
        ),
    ],
)
def test_a_contract_never_names_a_python(python, tmp_path, contract):
    output, _ = ran(tmp_path, python, [GOOD], contract, 2)
    assert "python" in output


@pytest.mark.parametrize(
    ("trainer_named", "why"), [("", "no trainer is named"), ("trainer: lightrft.sft", "cannot be asked")]
)
def test_asked_wrongly(python, tmp_path, trainer_named, why):
    output, _ = ran(tmp_path, python, [GOOD], CONTRACT.replace('trainer: trl.sft, version: "9.9"', trainer_named), 2)
    assert why in " ".join(output.split())


# ── the real packages ────────────────────────────────────────────────────────────────────────────────
S, B = {"role": "system", "content": "s"}, {"role": "assistant", "content": "b"}
GOLD = {"data_source": "openai/gsm8k", "prompt": [Q], "reward_model": {"ground_truth": "1"}}
SHARE = "formatting: sharegpt, columns.messages: messages, tags.role_tag: role, tags.content_tag: content"
TAGS = "tags.user_tag: user, tags.assistant_tag: assistant, tags.system_tag: system"
REAL = {  # rows of which the first is kept, and settings
    "trl.sft": (
        [
            GOOD, EMPTY, {"messages": "x"}, {"messages": [Q, {"role": "assistant", "content": None}]},
            {"messages": [{}, A]}, {"messages": [Q, {"role": "assistant", "content": {"a": 1}}]},
            {"messages": [Q, A], "tools": "{"}, {"text": "x"},
        ],
        "",
    ),
    "llamafactory.sft": ([GOOD, EMPTY, {"messages": [A, Q]}, {"messages": [Q]}, {"messages": [S, Q, A]}], f"{SHARE}, {TAGS}"),
    "ms_swift.sft": (
        [GOOD, EMPTY, {"messages": [Q, S, A]}, {"messages": [S]}, {"messages": [Q, {"role": "x", "content": "y"}, A]}],
        "template: chatml",
    ),
    "verl.sft": ([GOOD, EMPTY, {"messages": [S, Q, A, Q, B]}, {"messages": [Q, {"role": "assistant", "content": None}]}], ""),
    "openrlhf.sft": (
        [GOOD, EMPTY, {"messages": [S, Q, A, Q, B]}, {"messages": [A, Q, A]}, {"messages": [Q]}, {"messages": "x y"}, {"messages": [Q, Q]}],
        "data.input_key: messages, data.apply_chat_template: true, data.multiturn: true",
    ),
    "mlx_lm.sft": (
        [GOOD, EMPTY, {"messages": [S, Q, A, Q, B]}, {"messages": [Q]}, {"messages": [S, Q]}, {"text": "x"},
         {"messages": [Q, {"role": "assistant", "content": None}]}],
        "mask_prompt: true",
    ),
    "unsloth.sft": (
        [GOOD, EMPTY, {"messages": [S, Q, A, Q, B]}, {"messages": [Q]}, {"messages": [{**Q, "role": "human"}, A]},
         {"messages": [Q, {"role": "assistant", "content": None}]}, {"messages": [Q, A], "tools": "{"}],
        "train_on_responses_only: true",
    ),
    "axolotl.sft": (
        [GOOD, EMPTY, {"messages": [S, Q, A, Q, B]}, {"messages": [Q]}, {"messages": [Q, A], "tools": ""}, {"messages": [A, Q, A]}],
        "datasets.type: chat_template",
    ),
    "axolotl.dpo": (
        [{"messages": [Q], "chosen": "the answer", "rejected": "no"}, {"messages": [Q], "chosen": "q", "rejected": " no"},
         {"messages": [S, Q], "chosen": "", "rejected": "no"}, {"messages": [{**Q, "role": "human"}], "chosen": "a b c", "rejected": "no"}],
        "datasets.type: chat_template.default",
    ),
    "axolotl.kto": (
        [{"question": "q", "completion": "a", "label": True}, {"question": None, "completion": "b", "label": False},
         {"question": "q", "completion": ["a", "b"], "label": True}, {"question": "q", "completion": "a", "label": None}],
        "datasets.type: llama3.intel, remove_unused_columns: false",
    ),
    "openrlhf.dpo": (
        [{"chosen": [Q, A], "rejected": [Q, B]}, {"chosen": [A], "rejected": [Q, B]}, {"chosen": [S, Q, A], "rejected": [Q, B]}],
        "data.apply_chat_template: true",
    ),
    "verl.rl": ([GOLD, {**GOLD, "prompt": []}, {**GOLD, "data_source": "none"}, {**GOLD, "reward_model": None}], ""),
}  # fmt: skip


WORDY = [Q, {**A, "content": "很长的回答，" * 900}]  # some 16,000 bytes
WORDY_ROWS: dict[str, tuple[dict[str, object], str]] = {
    "trl.sft": ({"messages": WORDY}, ""), "trl.reward": ({"chosen": WORDY, "rejected": [Q, A]}, ""),
    "llamafactory.sft": ({"messages": WORDY}, REAL["llamafactory.sft"][1]),
    "ms_swift.sft": ({"messages": WORDY}, "max_length: 512"), "verl.sft": ({"messages": WORDY}, ""),
    "verl.rl": ({**GOLD, "prompt": [{**Q, "content": WORDY[1]["content"]}]}, "data.filter_overlong_prompts: true"),
}  # fmt: skip


@pytest.mark.parametrize("name", [*WORDY_ROWS, "openrlhf.sft", "axolotl.sft", "trl.grpo"])
def test_nothing_is_too_long_without_a_tokenizer(name, tokenizer_folder):
    """The probe's own has a token for each byte: by those rows were said to stop verl that have a third of them."""
    length = trainer(name).settings.MAX_LENGTH
    given = {length: 64} if length else {}
    asked = request_of(TokenRun(trainer=RunOf(trainer=name, settings=given))).settings
    assert asked == ({length: 1 << 18} if length else {})
    kept = request_of(TokenRun(trainer=RunOf(trainer=name, settings=given), tokenizer=artifact(tokenizer_folder)))
    assert kept.settings == given


@pytest.mark.slow
@pytest.mark.parametrize("name", WORDY_ROWS)
def test_the_installed_trainer_finds_no_row_too_long_without_a_tokenizer(name, tmp_path):
    row, settings = WORDY_ROWS[name]
    contract = CONTRACT.replace('trl.sft, version: "9.9"', f"{name}, settings: {{{settings}}}")
    output, report = ran(tmp_path, real_python(name), [row] * 3, contract)
    assert "agrees on 3 of 3 rows" in " ".join(output.split()), drops(report)


def real_python(name):
    """The Python of an environment with a trainer, as the operator of these tests names it."""
    family = name.partition(".")[0]
    named = os.environ.get(f"DATACHECK_{family.upper()}_PYTHON")
    if not named:
        pytest.skip(f"DATACHECK_{family.upper()}_PYTHON names no Python with {family}")
    return Path(named)


def of(name):
    rows, settings = REAL[name]
    return rows, CONTRACT.replace('trl.sft, version: "9.9"', f"{name}, settings: {{{settings}}}")


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_the_installed_trainer_agrees_token_by_token(name, tmp_path, tokenizer_folder):
    rows, contract = of(name)
    output, report = ran(
        tmp_path, real_python(name), rows * 3, contract, None, "--run", f"tokenizer={tokenizer_folder}"
    )
    n = 3 * len(rows)
    assert f"agrees on {n} of {n} rows" in " ".join(output.split()), drops(report)


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_the_installed_trainer_finds_a_twin_that_is_broken(name, tmp_path, monkeypatch):
    """It keeps every row, of which the package loses all but one."""
    family, _, mode = name.partition(".")
    twins = importlib.import_module(f"datacheck.trainers.{family}")
    monkeypatch.setitem(twins.MODES, mode, replace(trainer(name), read=_keeps))
    monkeypatch.setattr("datacheck.cli.main.is_watched", lambda: True)  # all in this process
    rows, contract = of(name)
    _, report = ran(tmp_path, real_python(name), rows, contract)
    count, _ = counts(drops(report), "disagreements")
    assert count > 0


def _reads_other_words(read):
    """The tokens are others: of each text that is "q" it takes another."""

    def broken(record, settings, seen):
        changed = (
            json.dumps(record).replace('"content": "q"', '"content": "Q"').replace('"question": "q"', '"question": "Q"')
        )
        return read(json.loads(changed), settings, seen)

    return broken


def _trains_other_tokens(read):
    """The labels are others: answers alone for what is trained whole, and the other way round."""

    def broken(record, settings, seen):
        told = read(record, settings, seen)
        if told.trained is None:
            return told
        if told.trained.markers is not None:
            return told._replace(trained=told.trained._replace(markers=None))
        others = {"all": "assistant", "cut_out": "cut_whole", "cut_outs": "cut_whole", "answer_alone": "cut_whole"}
        loss = others.get(told.trained.loss, "all")
        return told._replace(trained=told.trained._replace(loss=loss))

    return broken


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "breaks", "what"),
    [(name, _reads_other_words, "tokens") for name in REAL]
    # Of a prompt nothing is trained; what axolotl's KTO trains alone would be other tokens behind its prompt.
    + [
        (name, _trains_other_tokens, "tokens" if name == "axolotl.kto" else "labels")
        for name in REAL
        if name != "verl.rl"
    ],
)
def test_the_installed_trainer_finds_tokens_and_labels_that_are_wrong(
    name, breaks, what, tmp_path, monkeypatch, tokenizer_folder
):
    """The fates are right."""
    family, _, mode = name.partition(".")
    twins = importlib.import_module(f"datacheck.trainers.{family}")
    monkeypatch.setitem(twins.MODES, mode, replace(trainer(name), read=breaks(trainer(name).read)))
    monkeypatch.setattr("datacheck.cli.main.is_watched", lambda: True)  # all in this process
    rows, contract = of(name)
    named = f"tokenizer={tokenizer_folder}"
    output, report = ran(tmp_path, real_python(name), rows[:1] * 3, contract, None, "--run", named)
    assert counts(drops(report), "disagreements") == (3, 3)
    assert f"the twin says otherwise than the installed package: {what}" in " ".join(output.replace("|", " ").split())
