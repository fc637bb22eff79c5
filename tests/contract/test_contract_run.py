"""`run:` of a contract: what it names beside the data, and the table of whole records."""

import hashlib
import json
import re
from pathlib import Path
from typing import Literal

import polars as pl
import pytest

from datacheck.check import Artifact, Check, Feature, Limit, Measured, Metric, Need, Value, View
from datacheck.contract.load import load_contract
from datacheck.errors import ContractError, LoadError, UsageError
from datacheck.testing import measure

CONTRACT = "name: c\nrun: {run}\ndatasets: {{train: {{source: a.jsonl, checks: [too_few_rows]}}}}\n"


def load(folder: Path, run: str, **given: str):
    path = folder / "c.yaml"
    path.write_text(CONTRACT.format(run=run), encoding="utf-8")
    return load_contract(path, run=given)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tok").mkdir()
    (tmp_path / "tok/tokenizer.json").write_text("{}")
    (tmp_path / "tok/model.safetensors").write_text("weights")
    (tmp_path / "train.yaml").write_text("lr: 1")
    return tmp_path


def test_the_files_of_a_run_are_inputs_of_the_report(folder):
    inputs = load(folder, "{tokenizer: tok, config: train.yaml}").inputs
    assert inputs["run.tokenizer/tokenizer.json"] == hashlib.sha256(b"{}").hexdigest()
    assert inputs["run.config"] == hashlib.sha256(b"lr: 1").hexdigest()
    assert inputs["run.tokenizer/model.safetensors"] == hashlib.sha256(b"").hexdigest()  # of its header; it has none
    assert len(inputs) == 4  # the contract itself; weights decide nothing


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("{tokeniser: tok}", "did you mean 'tokenizer'"),
        ("{tokenizer: nowhere}", "run.tokenizer: nowhere: no such folder"),
        ("{tokenizer: ../tok}", "outside the contract's folder; name it on the command line: --run tokenizer=PATH"),
        ("{config: tok}", "run.config: tok: no such file"),
        ("{trainer: verl.grpo}", "unknown trainer; did you mean 'verl.rl'?"),  # and not 'trl.grpo', of another family
        ("{max_length: 0}", "run.max_length: expected 1 or more"),
        ("[tok]", "run"),
    ],
)
def test_mistakes_are_told_with_their_line(folder, run, said):
    with pytest.raises(ContractError, match=r"c\.yaml:2") as error:
        load(folder, run)
    assert said in str(error.value)


def test_the_operator_may_name_another_place(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("models")
    (elsewhere / "tokenizer.json").write_text("[]")
    inputs = load(folder, "{tokenizer: tok}", tokenizer=str(elsewhere)).inputs
    assert inputs["run.tokenizer/tokenizer.json"] == hashlib.sha256(b"[]").hexdigest()
    with pytest.raises(UsageError, match="did you mean 'max_length'"):
        load(folder, "{}", max_lenght="5")


def test_an_artifact_that_changes_is_refused(tmp_path):
    file = tmp_path / "train.yaml"
    file.write_text("lr: 1")
    artifact = Artifact(named="train.yaml", files=(("", hashlib.sha256(b"lr: 1").hexdigest()),), location=file)
    assert artifact.read() == b"lr: 1"
    assert str(tmp_path) not in repr(artifact) + artifact.model_dump_json()
    file.write_text("lr: 2")
    with pytest.raises(LoadError, match="changed during the run"):
        artifact.read()


SEEN: list[str] = []


class Kept(Feature):
    columns = {"row": pl.UInt32, "json": pl.String}

    def needs(self):
        return (Need("records"),)

    def compute(self, part: View) -> pl.DataFrame:
        table = part.records.collect()
        SEEN.extend(table["json"])
        return table


class Records(Check):
    """Ask for the records, or forget to declare them."""

    metrics = {"n": Metric("records", "rows", limit=Limit(max=0))}
    ZH = "记录"
    check: Literal["records"] = "records"
    declared: bool = True

    def needs(self):
        return (Need(Kept()),) if self.declared else ()

    def measure(self, data: View) -> Measured:
        table = data[Need(Kept())] if self.declared else data.records
        return Measured((Value("n", table.collect().height),))


AWKWARD = [
    {"conversations": [{"from": "human", "value": "hi", "weight": 1}, {"from": "gpt", "value": "你好"}]},
    {"instruction": "a", "input": "b", "output": None, "history": [], "n": 2**70, "x": 1.50, "e": {}},
    [{"role": "user", "content": "x"}, {"role": "assistant", "content": ""}],
]


@pytest.mark.parametrize("name", ["data.jsonl", "data.json"])
def test_records_are_what_was_in_the_file(name):
    data = AWKWARD if name == "data.jsonl" else json.dumps(AWKWARD).encode()
    SEEN.clear()
    assert measure(Records(), data, name=name).value("n") == len(AWKWARD)
    assert [json.loads(text) for text in SEEN] == AWKWARD


def test_a_step_that_did_not_declare_records_gets_none():
    with pytest.raises(Exception, match="was not declared by needs"):
        measure(Records(declared=False), AWKWARD)


OWN = """name: own
run: {trainer: lightrft.rl_vl, settings: {input_key: question}}
datasets:
  train: {optional: true, source: {path: a.jsonl}, checks: [trainer_drops]}
  sft: {optional: true, run: %s, source: {}, checks: [trainer_drops]}
"""


def own(folder, run, **more):
    path = folder / "own.yaml"
    path.write_text(OWN % run)
    (folder / "a.jsonl").write_text("{}\n")
    return load_contract(path, {"sft": str(folder / "a.jsonl")}, **more)


def test_a_dataset_may_have_a_run_of_its_own(tmp_path):
    loaded = own(tmp_path, "{trainer: lightrft.sft, settings: {multiturn: true}}")
    train, sft = (loaded.datasets[name].checks[0] for name in ("train", "sft"))
    assert (train.trainer, train.settings) == ("lightrft.rl_vl", {"input_key": "question"})
    assert (sft.trainer, sft.settings) == ("lightrft.sft", {"multiturn": True})
    assert loaded.datasets["sft"].run["world_size"] == loaded.run["world_size"]


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("{trainer: lightrft.stf}", "own.yaml:5: datasets.sft.run.trainer: 'lightrft.stf'"),
        ("{tokenizer: tok}", "datasets.sft.run.tokenizer: one for all datasets"),
        ("{trainr: x}", "datasets.sft.run.trainr"),
    ],
)
def test_a_run_of_a_dataset_that_is_wrong(tmp_path, run, said):
    with pytest.raises(ContractError, match=re.escape(said)):
        own(tmp_path, run)


TWO = """name: two
datasets:
  train: {source: {path: a.jsonl}, checks: [{check: leakage, against: [eval]}]}
  eval: {optional: true, checks: [too_few_rows]}
  other: {optional: true, checks: [too_few_rows]}
"""


def test_a_signature_wants_what_others_are_compared_with_and_no_more(tmp_path):
    (tmp_path / "two.yaml").write_text(TWO)
    (tmp_path / "a.jsonl").write_text("{}\n")
    with pytest.raises(ContractError, match=r"datasets\.eval\.source\.path: no path"):
        load_contract(tmp_path / "two.yaml")
    loaded = load_contract(tmp_path / "two.yaml", {"eval": str(tmp_path / "a.jsonl")})
    assert list(loaded.datasets) == ["train", "eval"]


def test_a_contract_of_which_nothing_is_given(tmp_path):
    (tmp_path / "none.yaml").write_text("name: none\ndatasets: {a: {optional: true, checks: [too_few_rows]}}\n")
    with pytest.raises(ContractError, match="no path of any dataset"):
        load_contract(tmp_path / "none.yaml", required=())
    assert load_contract(tmp_path / "none.yaml", located=False).name == "none"


def test_a_pickled_tokenizer_is_refused(folder):
    (folder / "tok/tokenizer.pkl").write_bytes(b"\x80\x04N.")
    with pytest.raises(ContractError, match="a pickle"):
        load(folder, "{tokenizer: tok}")
