import hashlib
from pathlib import Path

import pytest

from datacheck.check import Artifact, Ratio, Status
from datacheck.checks.batch_arithmetic import BatchArithmetic
from datacheck.testing import dataset, finding, measure

PROMPTS = [
    {
        "prompt": [{"role": "user", "content": f"题目 {n}"}], "input": f"题目 {n}", "label": "gsm8k_rule",
        "question": f"题目 {n}", "answer": "#### 1", "data_source": "openai/gsm8k", "reward_model": {"ground_truth": "1"},
    }
    for n in range(60)
]  # fmt: skip
LIGHTRFT = {"train_batch_size": 512, "rollout_batch_size": 64, "n_samples_per_prompt": 8, "micro_train_batch_size": 1}


def config(folder: Path, name: str, text: str) -> Artifact:
    (folder / name).write_text(text, encoding="utf-8")
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Artifact(named=name, files=(("", sha256),), location=folder / name)


def test_a_run_that_would_divide_by_zero():
    check = BatchArithmetic(trainer="lightrft.rl_text", settings=LIGHTRFT)
    found = finding(check, PROMPTS)
    assert found.status == Status.FAIL
    result = measure(check, PROMPTS)
    assert result.value("rollouts") == 0
    assert result.value("faults") == 2
    assert sorted(result.evidence["problem"]) == ["no_batches", "no_rollouts"]
    assert set(result.evidence["where"]) == {"run: rollout_batch_size"}
    assert result.not_checked[0].startswith("60 of 60 readable rows were taken")


def test_rows_that_the_loader_loses_do_not_count():
    """3 rows of 60 are none that the loader takes: with batches of 15 prompts, 3 are left of 4."""
    rows = [*PROMPTS[:57], *({"input": 3, "label": "gsm8k_rule"} for _ in range(3))]
    settings = LIGHTRFT | {"rollout_batch_size": 15, "train_batch_size": 120}
    result = measure(BatchArithmetic(trainer="lightrft.rl_text", settings=settings), rows)
    assert result.value("rollouts") == 3
    assert result.not_checked[0].startswith("57 of 60 readable rows were taken")


def test_a_run_that_is_fine():
    settings = LIGHTRFT | {"rollout_batch_size": 4, "train_batch_size": 32}
    found = finding(BatchArithmetic(trainer="lightrft.rl_text", settings=settings), PROMPTS)
    assert found.status == Status.PASS
    assert {value.name: value.value for value in found.values} == {
        "faults": 0, "warnings": 0, "rollouts": 15, "updates": 15, "warmup": 1.0,
    }  # fmt: skip
    table = measure(BatchArithmetic(trainer="lightrft.rl_text", settings=settings), PROMPTS).figures["arithmetic"]
    assert dict(zip(table["what"], table["number"], strict=True)) == {
        "rows": 60, "processes": 1, "rollouts or batches": 15, "updates": 15, "updates of the warm-up": 1,
        "rows of an epoch in no batch": 0,
    }  # fmt: skip


def test_a_rule_of_the_docs_only_warns():
    settings = LIGHTRFT | {"rollout_batch_size": 8, "train_batch_size": 32}
    result = finding(BatchArithmetic(trainer="lightrft.rl_text", settings=settings), PROMPTS)
    assert result.status == Status.WARN
    assert [place.problem for place in result.evidence.first] == ["rule_of_the_docs"]
    assert "configuration_zh.md:97" in str(result.evidence.first[0].detail)


def test_a_warm_up_that_never_completes():
    check = BatchArithmetic(trainer="mlx_grpo.grpo", settings={"max_train_samples": 10}, rows=7473)
    result = measure(check, PROMPTS)
    assert result.value("warmup") == Ratio(2, 186)  # 10 rows, 4 a time; a tenth of ceil(7473 / 4) updates
    assert finding(check, PROMPTS).status == Status.FAIL


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.toml", "[mlx_grpo]\ngradient_accumulation_steps = 7\nnum_epochs = 3\n"),
        ("run.toml", "gradient_accumulation_steps = 7\nnum_epochs = 3\n"),
        ("run.json", '{"gradient_accumulation_steps": 7, "num_epochs": 3}'),
        ("run.yaml", "gradient_accumulation_steps: 7\nnum_epochs: 3\n"),
    ],
)
def test_the_config_file_is_read(tmp_path, name, text):
    check = BatchArithmetic(trainer="mlx_grpo.grpo", config=config(tmp_path, name, text))
    assert measure(check, PROMPTS).value("updates") == 180 // 7
    above = check.model_copy(update={"settings": {"num_epochs": 1}})
    assert measure(above, PROMPTS).value("updates") == 60 // 7


def test_dotted_names_reach_into_a_nested_config(tmp_path):
    text = "data: {train_batch_size: 16}\ntrainer: {total_epochs: 2}\nactor_rollout_ref: {rollout: {n: 4}}\n"
    settings = {
        "actor_rollout_ref.actor.ppo_mini_batch_size": 8,
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": 4,
    }
    check = BatchArithmetic(
        trainer="verl.rl", config=config(tmp_path, "run.yaml", text), world_size=8, settings=settings
    )
    result = measure(check, PROMPTS)
    assert (result.value("rollouts"), result.value("updates")) == (3, 12)
    assert result.value("faults") == 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"trainer": None}, "name one under run.trainer"),
        ({"trainer": "trl.grpoo"}, "no arithmetic of trl.grpoo is known"),
        ({"trainer": "trl.grpo", "settings": {"num_generations": "many"}}, "setting num_generations: "),
        ({"trainer": "trl.grpo", "config": Artifact(named="gone.yaml")}, "gone.yaml: the file is not there"),
    ],
)
def test_what_is_not_known_is_an_error(settings, said):
    check = BatchArithmetic(**settings)
    assert finding(check, PROMPTS).status == Status.ERROR
    assert said in measure(check, PROMPTS).not_checked[0]


def test_rows_of_any_format_count():
    result = measure(BatchArithmetic(trainer="trl.sft"), dataset("user: a | assistant: b") * 48)
    assert result.value("updates") == 18  # 48 rows, 8 a batch, 3 epochs
