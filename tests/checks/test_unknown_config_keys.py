import hashlib
from pathlib import Path

import polars as pl
import pytest

from datacheck.check import Artifact, Status
from datacheck.checks.unknown_config_keys import UnknownConfigKeys
from datacheck.contract.load import load_contract
from datacheck.testing import dataset, finding, measure
from datacheck.trainers import trainer, trainer_names
from datacheck.trainers.keys import KEYS, wrong_type
from datacheck.trainers.llamafactory_settings import COLUMNS, TAGS

ROWS = dataset("user: 你好 | assistant: 你好！")


def config(folder: Path, name: str, text: str) -> Artifact:
    (folder / name).write_text(text, encoding="utf-8")
    return Artifact(named=name, files=(("", hashlib.sha256(text.encode()).hexdigest()),), location=folder / name)


def run(folder, trainer, name, text, **settings):
    check = UnknownConfigKeys(trainer=trainer, config=config(folder, name, text), settings=settings)
    result = measure(check, ROWS)
    table = result.evidence.select("where", "problem", "other").rows()
    return result, [(where.removeprefix("run.config: "), problem, other) for where, problem, other in table]


TOML = """# a run
[mlx_grpo]
learning_rte = 1e-6
num_epochs = "1"
weight_decay = 0.1
seed = 42
use_compile = true
temperature = 1
"""


def test_mlx_grpo_ignores_what_it_does_not_know(tmp_path):
    result, found = run(tmp_path, "mlx_grpo.grpo", "run.toml", TOML)
    assert found == [
        ("learning_rte", "unknown_key", "run.toml:3"),
        ("num_epochs", "wrong_type", "run.toml:4"),
        ("weight_decay", "dead_key", "run.toml:5"),
    ]
    assert [result.value(name) for name in ("unknown", "wrong_types", "dead")] == [1, 1, 1]
    details = result.evidence["detail"].to_list()
    assert details[0] == "is ignored without a word; did you mean 'learning_rate'?"
    assert details[1] == "expected integer, found string"


def test_a_flat_file_is_read_too(tmp_path):
    assert run(tmp_path, "mlx_grpo.grpo", "run.toml", "seed = 1\nbatch_size = 1\n")[1] == [
        ("batch_size", "dead_key", "run.toml:2")
    ]


def test_pplmx_llm_ignores_a_key_of_another_section(tmp_path):
    """As in its own configs/sft_alpaca.yaml."""
    text = "training:\n  epochs: 3\n  learning_rate: 2.0e-5\n  gradient_accumulation_steps: 4\noptimization: {use_amp: true}\n"
    result, found = run(tmp_path, "pplmx_llm.sft", "run.yaml", text)
    assert found == [("training.gradient_accumulation_steps", "unknown_key", "run.yaml:4")]
    assert "did you mean 'optimization.gradient_accumulation_steps'" in result.evidence["detail"][0]


def test_trl_stops_at_an_unknown_name(tmp_path):
    text = "model_name_or_path: m\nlearning_rate: 1e-5\nnum_generation: 8\nmax_completion_length: 512\n"
    result, found = run(tmp_path, "trl.grpo", "run.yaml", text)
    assert found == [("num_generation", "unknown_key", "run.yaml:3")]
    assert result.evidence["detail"][0].startswith("stops the run; did you mean 'num_generations")


def test_verl_is_judged_in_the_sections_that_are_known(tmp_path):
    text = "data: {train_batch_sise: 8, max_prompt_length: 512}\nmine: {a: 1}\nactor_rollout_ref: {model: {path: x}}\n"
    assert run(tmp_path, "verl.rl", "run.yaml", text)[1] == [("data.train_batch_sise", "unknown_key", "run.yaml:1")]


LLAMAFACTORY = """### a run as its examples have it
model_name_or_path: m
stage: sft
finetuning_type: lora
lora_target: [q_proj, v_proj]
dataset: identity,alpaca_en_demo
template: qwen
cutoff_len: 2048
learning_rate: 1.0e-4
warmup_ratio: 0.1
lora_rnk: 8
packing: 3
"""


def test_llamafactory_stops_at_an_unknown_name(tmp_path):
    """`warmup_ratio` is of transformers 4, which it takes, too; `lora_target` may be a list (finetuning_args.py)."""
    result, found = run(tmp_path, "llamafactory.sft", "run.yaml", LLAMAFACTORY)
    assert found == [("lora_rnk", "unknown_key", "run.yaml:11"), ("packing", "wrong_type", "run.yaml:12")]
    assert result.evidence["detail"][0] == "stops the run; did you mean 'lora_rank'?"


def test_llamafactory_knows_the_keys_of_a_dataset(tmp_path):
    given = {"formatting": "sharegpt", "columns.messages": "conversations", "tags.role_tagg": "from", "cutoff_len": 8}
    found = measure(UnknownConfigKeys(trainer="llamafactory.dpo", settings=given), ROWS).evidence
    assert found["where"].to_list() == ["run.settings: tags.role_tagg"]
    entries = '{"mine": {"file_name": "a.json", "formating": "sharegpt", "columns": {"message": "x"}}, "other": {}}'
    assert run(tmp_path, "llamafactory.sft", "dataset_info.json", entries, dataset="mine")[1] == [
        ("columns.message", "unknown_key", "dataset_info.json:1"), ("formating", "unknown_key", "dataset_info.json:1")
    ]  # fmt: skip
    # the description of a dataset is no part of a run's file
    assert [name for name, *_ in run(tmp_path, "llamafactory.sft", "run.yaml", "formatting: sharegpt\n")[1]] == [
        "formatting"
    ]


def test_ms_swift_stops_at_an_unknown_name(tmp_path):
    text = "model: m\ntrain_type: lora\ntuner_type: lora\ndataset: a.jsonl\nmax_lenght: 10\nbeta: 0.1\n"
    assert [name for name, *_ in run(tmp_path, "ms_swift.sft", "run.yaml", text)[1]] == [
        "beta", "max_lenght", "train_type"
    ]  # fmt: skip
    assert [name for name, *_ in run(tmp_path, "ms_swift.dpo", "run.yaml", text)[1]] == ["max_lenght", "train_type"]


def test_verl_sft_has_sections_of_its_own(tmp_path):
    text = (
        "data: {messages_key: m, max_prompt_length: 5}\nmodel: {path: x, lora_rnk: 8}\noptim: {lr: 1.0e-5, min_lr: 0}\n"
    )
    found = run(tmp_path, "verl.sft", "run.yaml", text)[1]
    assert [name for name, *_ in found] == ["data.max_prompt_length", "model.lora_rnk"]


def test_lightrft_sft_takes_the_arguments_of_its_dataset():
    given = {"input_key": "q", "output_key": "a", "apply_chat_template": True, "max_len": 8, "output_keys": "a"}
    found = measure(UnknownConfigKeys(trainer="lightrft.sft", settings=given), ROWS).evidence
    assert found["where"].to_list() == ["run.settings: output_keys"]


# Settings of code around the trainer, and of the other modes that share a class.
SAID_ELSEWHERE: dict[str, set[str]] = {
    "lightrft.rl_text": {"recipes"}, "lightrft.rl_vl": {"recipes"}, "minionerec.rl": {"cutoff_len"},
    "trl.kto": {"truncation_mode"}, "trl.reward": {"truncation_mode"},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(KEYS) & set(trainer_names())))
def test_what_a_twin_asks_for_is_known(name):
    """Settings of the twins were read from the loaders, the lists from the arguments' classes."""
    entry = {f"{group}.{one}": one for group, names in (("columns", COLUMNS), ("tags", TAGS)) for one in names}
    where = {one: whole for whole, one in entry.items()} if name.startswith("llamafactory") else {}
    asked = {field.alias or own for own, field in trainer(name).settings.model_fields.items()}
    check = UnknownConfigKeys(trainer=name, settings={where.get(one, one): "x" for one in asked})
    lines = measure(check, ROWS).evidence.filter(pl.col("problem") == "unknown_key")["where"]
    assert {line.removeprefix("run.settings: ") for line in lines} == SAID_ELSEWHERE.get(name, set())


def test_settings_beside_the_file_are_judged(tmp_path):
    check = UnknownConfigKeys(trainer="lightrft.rl_vl", settings={"n_sample_per_prompt": 8, "train_batch_size": "128"})
    assert measure(check, ROWS).evidence["where"].to_list() == ["run.settings: n_sample_per_prompt"]


def test_a_right_config_passes(tmp_path):
    check = UnknownConfigKeys(trainer="minionerec.sft", settings={"batch_size": 1024, "train_from_scratch": False})
    assert finding(check, ROWS).status == Status.PASS
    assert finding(check.model_copy(update={"settings": {"batch_size": 1, "bach": 1}}), ROWS).status == Status.FAIL


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("run.yaml", "a: &x 1\nb: *x\n", "run.yaml:1"),
        ("run.yaml", "seed: 1\nseed: 2\n", "the key 'seed' is given twice"),
        ("run.toml", "seed = \n", "cannot be read as a config file"),
        ("run.json", "[1]", "expected a map of settings"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(tmp_path, name, text, said):
    check = UnknownConfigKeys(trainer="mlx_grpo.grpo", config=config(tmp_path, name, text))
    assert finding(check, ROWS).status == Status.ERROR
    assert said in measure(check, ROWS).not_checked[0]


@pytest.mark.parametrize("trainer", [None, "trl.sfft"])
def test_an_unknown_trainer_is_an_error(trainer):
    assert finding(UnknownConfigKeys(trainer=trainer, settings={"a": 1}), ROWS).status == Status.ERROR


def test_no_config_is_an_error():
    result = measure(UnknownConfigKeys(trainer="trl.sft"), ROWS)
    assert result.value("unknown") is None
    assert "run.config" in result.not_checked[0]


def test_the_run_of_the_contract_is_what_is_judged(tmp_path):
    (tmp_path / "train.toml").write_text("seed = 1\n")
    (tmp_path / "c.yaml").write_text(
        "name: c\nrun: {trainer: mlx_grpo.grpo, config: train.toml, settings: {seed: 2}}\n"
        "datasets: {train: {source: a.jsonl, checks: [unknown_config_keys]}}\n"
    )
    check = load_contract(tmp_path / "c.yaml").datasets["train"].checks[0]
    assert (check.trainer, check.config.named, check.settings) == ("mlx_grpo.grpo", "train.toml", {"seed": 2})


@pytest.mark.parametrize(
    ("value", "types", "strict", "lenient"),
    [
        (1, "i", False, False), (1, "f", False, False), (1.5, "i", True, True), (True, "i", True, True),
        ("1", "i", True, False), ("1.5", "f", True, False), ("1.5", "i", True, True), ("x", "f", True, True),
        ("true", "b", True, False), ("on", "s", False, False), (None, "i", True, True), (None, "in", False, False),
        ([1], "l", False, False), ({}, "?", False, False), (1, "s", True, False),
    ],
)  # fmt: skip
def test_types(value, types, strict, lenient):
    assert wrong_type(value, types, converts=False) == strict
    assert wrong_type(value, types, converts=True) == lenient


def test_known_names_are_well_formed():
    for name, known in KEYS.items():
        assert len(known.types) > 10, name
        assert known.dead <= known.types.keys()
        assert all(set(types) <= set("?ifbsldn") for types in known.types.values())


def test_names_of_transformers_are_those_of_the_installed_one():
    """The list was taken from this version; another one installed says that it should be taken again."""
    import ast
    import importlib.util

    source = importlib.util.find_spec("transformers")
    if source is None or source.origin is None:
        pytest.skip("transformers is not installed")
    tree = ast.parse((Path(source.origin).parent / "training_args.py").read_text(encoding="utf-8"))
    (kind,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "TrainingArguments"]
    names = {n.target.id for n in kind.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    names = {name for name in names if not name.startswith("_")}
    assert names <= KEYS["trl.sft"].types.keys()
