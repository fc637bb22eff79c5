"""The trainers' batch arithmetic: numbers worked out by hand or published, and loops that go through every row."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacheck.trainers import trainer_names
from datacheck.trainers.batches import (
    PLANS,
    LightrftRlBatches,
    LightrftVl,
    MiniOneRecRl,
    MiniOneRecSft,
    MlxGrpoBatches,
    TransformersRows,
    TrlGrpoBatches,
    VerlRlBatches,
    VerlSftBatches,
)

small = st.integers(1, 12)
many = st.integers(1, 200)
worlds = st.integers(1, 5)
GSM8K = 7473


def rules(found, *, fails=None):
    return [one.rule for one in found.broken if fails is None or one.fails == fails]


def lightrft(rows, n, train, rollout, kind=LightrftRlBatches, world=1, **more):
    settings = {"n_samples_per_prompt": n, "train_batch_size": train, "rollout_batch_size": rollout, **more}
    return kind(micro_train_batch_size=1, **settings).arithmetic(rows, world)


def test_lightrft_runs_although_it_breaks_its_documented_rule():
    found = lightrft(GSM8K, 5, 128, 128)  # the shipped GSM8K script
    assert found.rollouts == 58
    assert rules(found, fails=True) == []
    assert rules(found, fails=False) == ["rule_of_the_docs"]
    assert found.unseen == GSM8K - 58 * 128


def test_lightrft_has_no_rollout_although_it_keeps_its_documented_rule():
    found = lightrft(60, 8, 512, 64)
    assert found.rollouts == 0
    assert set(rules(found, fails=True)) == {"no_rollouts", "no_batches"}
    assert "rule_of_the_docs" not in rules(found)


def test_lightrft_divides_by_zero_with_a_full_loader():
    """100 x 4 answers make no update of 512, so no rollout, although the loader has 3 batches of 32."""
    found = lightrft(100, 4, 512, 32)
    assert rules(found, fails=True) == ["no_rollouts"]
    assert (found.rollouts, found.unseen) == (0, 4)


def test_the_image_trainer_rounds_up_instead():
    assert lightrft(130, 4, 512, 128, LightrftVl).rollouts == 1  # 520 // 512 = 1 update, 512 // 128 // 4 = 1
    text, images = lightrft(200, 4, 512, 150), lightrft(200, 4, 512, 150, LightrftVl)  # 512 // 150 // 4 = 0
    assert (text.rollouts, images.rollouts) == (0, 1)
    assert rules(text, fails=True) == ["no_rollouts"]
    assert rules(images, fails=True) == []
    assert rules(lightrft(10, 4, 512, 8, LightrftVl), fails=True) == ["no_rollouts"]  # a schedule of 0 updates


def test_lightrft_on_many_processes():
    found = lightrft(GSM8K, 8, 128, 100, world=8)
    assert rules(found, fails=True) == ["not_divisible"]
    assert rules(lightrft(GSM8K, 8, 128, 4, world=8), fails=True) == ["no_accumulation"]
    found = LightrftRlBatches(train_batch_size=16, micro_train_batch_size=4, rollout_batch_size=8).arithmetic(GSM8K, 8)
    assert "no_accumulation" in rules(found, fails=True)  # 16 // 4 // 8
    found = LightrftRlBatches(train_batch_size=100, micro_train_batch_size=4, rollout_batch_size=8).arithmetic(GSM8K, 8)
    assert rules(found) == ["batch_shrinks"]  # 100 is no multiple of 32


def test_lightrft_needs_groups_and_a_place_in_the_template():
    found = lightrft(GSM8K, 1, 128, 128, advantage_estimator="group_norm", input_template="Q: ")
    assert rules(found, fails=True) == ["too_few_generations", "template_ignored"]


@given(rows=many, n=small, train=small, micro=small, rollout=small, epochs=st.integers(1, 3), world=worlds)
def test_lightrft_as_a_loop(rows, n, train, micro, rollout, epochs, world):
    plan = LightrftRlBatches(
        n_samples_per_prompt=n, train_batch_size=train, micro_train_batch_size=micro, rollout_batch_size=rollout,
        max_epochs=epochs, num_episodes=2,
    )  # fmt: skip
    found = plan.arithmetic(rows, world)
    accumulated, each = train // micro // world, rollout // world
    if not accumulated or not each:
        assert "no_accumulation" in rules(found)
        return
    done = waiting = 0
    seen = set()
    for _ in range(2):
        own = list(range(0, rows - rows % world, world))  # the sampler of process 0
        full = [own[i : i + each] for i in range(0, len(own), each)]
        for prompts in (batch for batch in full if len(batch) == each):
            seen |= {prompt + rank for prompt in prompts for rank in range(world)}
            answers = [prompt for prompt in prompts for _ in range(n)]
            for _ in range(epochs):
                for _ in range(0, len(answers), micro):
                    waiting += 1
                    if waiting == accumulated:
                        done, waiting = done + 1, 0
    assert found.updates == done
    assert found.unseen == rows - len(seen)
    assert ("no_batches" in rules(found)) == (not seen)


@given(rows=many, n=small, train=small, rollout=small)
def test_rollouts_are_zero_exactly_where_the_whole_updates_fill_none(rows, n, train, rollout):
    plan = LightrftRlBatches(n_samples_per_prompt=n, train_batch_size=train, rollout_batch_size=rollout)
    assert (plan.rollouts(rows) == 0) == (rows * n // train * train < rollout * n)


@pytest.mark.parametrize(
    ("config", "percent"),
    [
        ({"max_train_samples": 10}, 1.3),  # nanochat_test
        ({"max_train_samples": 20}, 2.7),  # nanochat_d32_test
        ({"max_train_samples": 50}, 6.7),  # smoke_test, ultra_light
        ({"max_train_samples": 200}, 26.8),  # medium
    ],
)
def test_warm_ups_of_mlx_grpo_that_never_complete(config, percent):
    found = MlxGrpoBatches(gradient_accumulation_steps=1, warmup_ratio=0.1, **config).arithmetic(GSM8K, 1)
    assert round(100 * found.updates / found.warmup, 1) == percent


@pytest.mark.parametrize(
    ("config", "updates", "warmup"),
    [
        ({"max_train_samples": 2000, "gradient_accumulation_steps": 4}, 500, 186),  # prod
        ({"max_train_samples": 500, "num_epochs": 3, "warmup_ratio": 0.05}, 375, 280),  # nanochat_grpo
        ({}, 1868, 186),  # all defaults: one row is left over and never applied
    ],
)
def test_warm_ups_of_mlx_grpo_that_complete(config, updates, warmup):
    found = MlxGrpoBatches(**config).arithmetic(GSM8K, 1)
    assert (found.updates, found.warmup) == (updates, warmup)


@given(rows=many, accumulate=small, epochs=st.integers(1, 3), most=st.integers(0, 50))
def test_mlx_grpo_as_a_loop(rows, accumulate, epochs, most):
    plan = MlxGrpoBatches(gradient_accumulation_steps=accumulate, num_epochs=epochs, max_train_samples=most)
    done = step = 0
    for _ in range(epochs):
        for _ in list(range(rows))[: most or rows]:
            done += (step + 1) % accumulate == 0
            step += 1
    found = plan.arithmetic(rows, 1)
    assert found.updates == done
    assert rules(found) == ([] if done else ["no_updates"])


def repeat_sampler(rows, repeat, batch, times):
    chunks = [range(rows)[i : i + batch] for i in range(0, rows, batch)]
    for chunk in chunks:
        if len(chunk) == batch:
            for _ in range(times):
                for row in chunk:
                    yield from [row] * repeat


@given(rows=many, each=small, world=worlds, accumulate=small, groups=small, iterations=st.integers(1, 3))
def test_trl_grpo_as_a_loop(rows, each, world, accumulate, groups, iterations):
    plan = TrlGrpoBatches(
        per_device_train_batch_size=each, gradient_accumulation_steps=accumulate, num_generations=groups,
        num_iterations=iterations, num_train_epochs=2,
    )  # fmt: skip
    found = plan.arithmetic(rows, world)
    size = each * world * accumulate
    if groups < 2 or size % groups:
        assert set(rules(found)) <= {"too_few_generations", "not_divisible"} != set()
        return
    stream = list(repeat_sampler(rows, groups, size // groups, iterations * accumulate))
    loader = [stream[i : i + size] for i in range(0, len(stream), size)]  # of all processes together
    assert all(len(batch) == size for batch in loader)
    done = 0
    for _ in range(2):
        for at in range(len(loader)):
            done += (at + 1) % accumulate == 0 or at + 1 == len(loader)
    assert found.updates == done
    assert found.unseen == rows - len(set(stream))
    assert rules(found) == ([] if stream else ["no_batches"])


def test_trl_grpo_by_hand():
    # 8 per device x 4 GPUs x 4 steps = 128 answers = 16 prompts; 100 // 16 = 6 batches of prompts, each used 4 times
    found = TrlGrpoBatches(gradient_accumulation_steps=4, num_train_epochs=1, warmup_steps=10).arithmetic(100, 4)
    assert (found.rollouts, found.updates, found.unseen, found.warmup) == (6, 6, 4, 10)
    assert found.updates < found.warmup


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"num_generations": 6}, "not_divisible"),
        ({"num_generations": 1}, "too_few_generations"),
        ({"generation_batch_size": 12, "num_generations": 4}, "not_divisible"),
        ({"generation_batch_size": 16, "steps_per_generation": 2}, "both_set"),
        ({"eval_strategy": "steps", "per_device_eval_batch_size": 3}, "not_divisible"),
    ],
)
def test_what_trl_refuses(settings, rule):
    assert rules(TrlGrpoBatches(**settings).arithmetic(1000, 1)) == [rule]


@given(rows=many, each=small, world=worlds, accumulate=small, drop=st.booleans())
def test_rows_of_transformers_as_a_loop(rows, each, world, accumulate, drop):
    plan = TransformersRows(
        per_device_train_batch_size=each, gradient_accumulation_steps=accumulate, dataloader_drop_last=drop,
        num_train_epochs=2,
    )  # fmt: skip
    batches = [range(rows)[i : i + each] for i in range(0, rows, each)]
    if drop:
        batches = [batch for batch in batches if len(batch) == each]
        batches = batches[: len(batches) - len(batches) % world]
    own = batches[::world]  # process 0 has a batch in every round
    done = 0
    for _ in range(2):
        for at in range(len(own)):
            done += (at + 1) % accumulate == 0 or at + 1 == len(own)
    found = plan.arithmetic(rows, world)
    assert (found.rollouts, found.updates) == (len(own), done)
    assert found.unseen == rows - sum(len(batch) for batch in batches)


def test_transformers_by_hand():
    # 1,000 rows, 8 x 2 a batch: 63 batches, 16 updates of 4 batches an epoch, 48 in all; 3 % of them, rounded up
    plan = TransformersRows(gradient_accumulation_steps=4, warmup_ratio=0.03)
    found = plan.arithmetic(1000, 2)
    assert (found.rollouts, found.updates, found.warmup, found.broken) == (63, 48, 2, ())
    assert rules(TransformersRows(gradient_accumulation_steps=64).arithmetic(500, 1)) == ["batch_shrinks"]
    assert TransformersRows(max_steps=10, warmup_steps=100).arithmetic(500, 1)[:4] == (63, 10, 0, 100)
    assert rules(TransformersRows(dataloader_drop_last=True).arithmetic(7, 1)) == ["no_batches"]


def verl(rows=GSM8K, world=8, **settings):
    names = {"batch": "data.train_batch_size", "epochs": "trainer.total_epochs", "n": "actor_rollout_ref.rollout.n"}
    names |= {
        short: f"actor_rollout_ref.actor.{name}"
        for short, name in {
            "mini": "ppo_mini_batch_size",
            "micro": "ppo_micro_batch_size_per_gpu",
            "dynamic": "use_dynamic_bsz",
        }.items()
    }
    given = {"micro": 4, **settings}
    return VerlRlBatches.model_validate({names.get(name, name): value for name, value in given.items()}).arithmetic(
        rows, world
    )


def test_verl_by_hand():
    found = verl(batch=1024, mini=256, n=5, epochs=15)  # 7 batches; 4 mini batches each
    assert (found.rollouts, found.updates, found.unseen, found.broken) == (7, 7 * 15 * 4, GSM8K - 7168, ())
    assert rules(verl(rows=1000)) == ["no_batches"]
    assert rules(verl(batch=100, mini=50, n=1)) == ["not_divisible", "not_divisible"]  # 100 by 8; 50 // 8 = 6 by 4
    assert rules(verl(batch=128, mini=256)) == ["mini_batch_too_large"]
    assert rules(verl(batch=128, mini=4, n=1)) == ["no_accumulation"]
    assert rules(verl(micro=None)) == ["not_set"]
    assert rules(verl(batch=100, mini=50, dynamic=True)) == []


def test_verl_warm_up():
    found = verl(**{"epochs": 1, "actor_rollout_ref.actor.optim.lr_warmup_steps": 10})
    assert (found.updates, found.warmup) == (7 * 4, 10 * 4)


@given(rows=many, batch=small, world=worlds)
def test_verl_sft_as_a_loop(rows, batch, world):
    found = VerlSftBatches.model_validate({"data.train_batch_size": batch, "trainer.total_epochs": 3}).arithmetic(
        rows, world
    )
    each = batch // world
    if not each:
        assert rules(found) == ["no_accumulation"]
        return
    own = list(range(0, rows - rows % world, world))
    full = [own[i : i + each] for i in range(0, len(own), each) if len(own[i : i + each]) == each]
    assert (found.rollouts, found.updates) == (len(full), 3 * len(full))
    assert ("batch_shrinks" in rules(found)) == (batch % world != 0)


def test_minionerec_sft():
    assert rules(MiniOneRecSft(batch_size=64, micro_batch_size=16).arithmetic(20_000, 8)) == ["no_accumulation"]
    found = MiniOneRecSft(batch_size=1024, micro_batch_size=16, num_epochs=1).arithmetic(20_000, 8)  # sft.sh
    assert found.broken == ()
    assert (found.rollouts, found.updates) == (625, math.ceil(625 / 8))  # 80,000 samples in 5,000 batches on 8
    assert found.warmup == 20
    assert rules(MiniOneRecSft(batch_size=100, micro_batch_size=16).arithmetic(20_000, 2)) == ["batch_shrinks"]
    assert rules(MiniOneRecSft(sample=5000).arithmetic(4866, 1)) == ["sample_too_large"]


def test_minionerec_rl():
    plan = MiniOneRecRl(train_batch_size=64, eval_batch_size=128, gradient_accumulation_steps=2)  # rl.sh
    found = plan.arithmetic(20_000, 8)
    assert found.broken == ()
    assert found.rollouts == 30_000 * 16 // 64 // 8 + 1  # 7,500 batches on 8 processes
    assert rules(plan.arithmetic(4866, 8)) == ["sample_too_large"]  # rl.py draws 10,000 rows
    assert rules(MiniOneRecRl(train_batch_size=3, eval_batch_size=3).arithmetic(20_000, 1)) == ["not_divisible"] * 2
    assert "too_few_generations" in rules(MiniOneRecRl(num_generations=1).arithmetic(20_000, 1))


def test_plans_are_of_trainers_that_have_a_twin():
    known = {name.partition(".")[0] for name in trainer_names()}
    for name in PLANS:
        assert name.partition(".")[0] not in known or name in trainer_names(), name


@pytest.mark.parametrize("name", PLANS)
def test_defaults_make_sense(name):
    found = PLANS[name]().arithmetic(100_000, 1)
    assert found.updates > 0
    assert all(one.source.rpartition(":")[2][0].isdigit() for one in found.broken)


def test_lightrft_takes_the_first_rows():
    assert lightrft(GSM8K, 1, 10, 10, max_samples=100).rollouts == 10
