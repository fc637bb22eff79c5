"""What a trainer makes of its batch settings and of N rows: updates, rounds of generation, rules that break.

One class per trainer and mode: its fields are the trainer's own settings with the trainer's own defaults, its
`arithmetic` is the trainer's own integer arithmetic. Sources are `path:line` at the commits that the twins name;
those of `transformers` are of 5.23.0.
"""

from abc import abstractmethod
from math import ceil
from typing import Any, NamedTuple

from pydantic import Field

from datacheck.i18n.message import Message
from datacheck.trainers.settings import Settings

SFT_CSV_TASKS = 4  # MiniOneRec's sft.py:196-205: SidSFT, FusionSeqRec, SFTData, TitleHistory2Sid read every CSV row
RL_TITLE_SAMPLE = 10_000  # MiniOneRec's rl.py:92
SFT_WARMUP = 20  # MiniOneRec's sft.py:240
RL_WARMUP = 0.03  # MiniOneRec's rl.py:278
_TRAINER = "transformers/trainer.py"


class Broken(NamedTuple):
    """A rule that the settings break. fails: the run stops, or trains nothing; else a rule of the documentation."""

    rule: str
    setting: str
    what: Message
    source: str
    fails: bool = True


_PACKED = Message("packing joins rows: there are fewer batches than counted here")


class Arithmetic(NamedTuple):
    """What comes out.

    rollouts: rounds of generation per episode, as the trainer computes them; without generation, batches per epoch.
    updates: of the weights, over the whole run. unseen: rows of an epoch that are in no batch.
    warmup: updates over which the learning rate rises; notes: what was assumed.
    """

    rollouts: int
    updates: int
    unseen: int = 0
    warmup: int = 0
    broken: tuple[Broken, ...] = ()
    notes: tuple[Message, ...] = ()


class Batches(Settings):
    """The batch settings of a mode."""

    @classmethod
    def table(cls, config: dict[str, Any]) -> dict[str, Any]:
        """The part of a config file that the trainer reads."""
        return config

    @abstractmethod
    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """What they make of `rows` rows (after all drops) on `world` processes."""


def _not_divisible(setting: str, what: int, by: int, source: str, words: Message) -> list[Broken]:
    """A Broken where `what` is no multiple of `by`."""
    said = Message("{words}: {what} by {by}", words=words, what=what, by=by)
    return [] if by and what % by == 0 else [Broken("not_divisible", setting, said, source)]


def _no_batches(setting: str, rows: int, batch: int, source: str) -> Broken:
    return Broken("no_batches", setting, Message("{n} rows, and a batch takes {batch}", n=rows, batch=batch), source)


def _none_for_each(size: int, world: int) -> Message:
    return Message("{n} on {world} processes leaves none for each", n=size, world=world)


def _none_per_update(batch: int, micro: int, world: int) -> Message:
    return Message("{n} // {micro} // {world} = 0 micro batches per update", n=batch, micro=micro, world=world)


class _Transformers(Batches):
    """The settings of transformers' Trainer (training_args.py) that decide how many updates there are."""

    per_device_train_batch_size: int = Field(default=8, ge=1)
    gradient_accumulation_steps: int = Field(default=1, ge=1)
    num_train_epochs: float = Field(default=3.0, ge=0)
    max_steps: int = -1
    warmup_steps: float = Field(default=0, ge=0)
    warmup_ratio: float | None = None

    def updates(self, batches: int) -> int:
        """Updates of a run whose epochs have `batches` batches on each process (trainer.py:2513-2521)."""
        if self.max_steps > 0:
            return self.max_steps
        per_epoch = max(ceil(batches / self.gradient_accumulation_steps), 1)
        return ceil(self.num_train_epochs * per_epoch)

    def warmup(self, updates: int) -> int:
        """Updates of the warm-up: a number from 1 on, else a share (training_args.py:2154-2161)."""
        steps = self.warmup_steps or self.warmup_ratio or 0
        return int(steps) if steps >= 1 else ceil(updates * steps)


class TransformersRows(_Transformers):
    """Trainers that take rows as they are: TRL's SFT, DPO, reward and KTO trainers."""

    dataloader_drop_last: bool = False
    packing: bool = False

    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """Accelerate shares the loader's batches among the processes (data_loader.py, BatchSamplerShard)."""
        each = self.per_device_train_batch_size
        drop = self.dataloader_drop_last
        batches = rows // each // world if drop else ceil(ceil(rows / each) / world)
        unseen = rows - batches * each * world if drop else 0
        broken = [] if batches else [_no_batches("per_device_train_batch_size", rows, each * world, f"{_TRAINER}:2543")]
        whole = each * world * self.gradient_accumulation_steps
        if batches and rows < whole:
            words = Message("{n} rows are fewer than one update takes: {whole}", n=rows, whole=whole)
            name, source = "gradient_accumulation_steps", f"{_TRAINER}:2514-2518"
            broken.append(Broken("batch_shrinks", name, words, source, fails=False))
        updates = self.updates(batches) if batches else 0
        notes = (_PACKED,) if self.packing else ()
        return Arithmetic(batches, updates, unseen, self.warmup(updates), tuple(broken), notes)


class UnslothRows(TransformersRows):
    """TRL's SFTTrainer with the defaults that Unsloth gives its configuration (unsloth/models/rl.py:3314-3344)."""

    per_device_train_batch_size: int = Field(default=4, ge=1)
    gradient_accumulation_steps: int = Field(default=2, ge=1)
    warmup_steps: float = Field(default=0.1, ge=0)


class TrlGrpoBatches(_Transformers):
    """TRL's GRPO trainer (trl/trainer/grpo_config.py:1060-1120, utils.py:695-792)."""

    num_generations: int = 8
    num_generations_eval: int | None = None
    generation_batch_size: int | None = None
    steps_per_generation: int | None = None
    num_iterations: int = Field(default=1, ge=1)
    per_device_eval_batch_size: int = 8
    do_eval: bool | None = None
    eval_strategy: str = "no"

    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """A generation batch holds whole groups of `num_generations` answers; prompts that fill none are left out."""
        size, each, broken = self._generation(world)
        if broken:
            return Arithmetic(0, 0, rows, 0, tuple(broken))
        prompts = size // self.num_generations
        chunks = rows // prompts
        batches = chunks * self.num_iterations * each
        if not chunks:
            broken = [_no_batches("generation_batch_size", rows, prompts, "trl/trainer/utils.py:779")]
        updates = self.updates(batches) if chunks else 0
        return Arithmetic(chunks, updates, rows - chunks * prompts, self.warmup(updates), tuple(broken))

    def _generation(self, world: int) -> tuple[int, int, list[Broken]]:
        """Answers of a generation batch, the steps that use it, and what is wrong (grpo_config.py:1077-1120)."""
        source, whole = "trl/trainer/grpo_config.py", self.per_device_train_batch_size * world
        broken: list[Broken] = []
        if self.generation_batch_size is not None and self.steps_per_generation is not None:
            words = Message("steps_per_generation is set too; the trainer takes one of them")
            broken.append(Broken("both_set", "generation_batch_size", words, f"{source}:1093"))
        steps = self.steps_per_generation or self.gradient_accumulation_steps
        size = whole * steps
        if self.generation_batch_size is not None:
            size, steps = self.generation_batch_size, self.generation_batch_size // whole
            words = Message("generation_batch_size by per_device_train_batch_size x processes")
            broken += _not_divisible("generation_batch_size", size, whole, f"{source}:1082", words)
        words = Message("answers of a generation batch by num_generations")
        broken += _not_divisible("num_generations", size, self.num_generations, f"{source}:1110", words)
        if self.num_generations < 2:
            words = Message("{n}; a group of one has no advantage", n=self.num_generations)
            broken.append(Broken("too_few_generations", "num_generations", words, f"{source}:1116"))
        if self.do_eval is not False and self.eval_strategy != "no":
            of, words = self.num_generations_eval or self.num_generations, Message("evaluation batch by generations")
            evaluated = self.per_device_eval_batch_size * world
            broken += _not_divisible("per_device_eval_batch_size", evaluated, of, f"{source}:1102", words)
        return size, steps, broken


class VerlRlBatches(Batches):
    """verl's PPO and GRPO trainer with the FSDP backend; names as in its Hydra config."""

    train_batch_size: int = Field(default=1024, ge=1, alias="data.train_batch_size")
    gen_batch_size: int | None = Field(default=None, ge=1, alias="data.gen_batch_size")
    max_samples: int = Field(default=-1, alias="data.train_max_samples")
    n: int = Field(default=1, ge=1, alias="actor_rollout_ref.rollout.n")
    mini: int = Field(default=256, ge=1, alias="actor_rollout_ref.actor.ppo_mini_batch_size")
    micro_per_gpu: int | None = Field(default=None, alias="actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu")
    micro: int | None = Field(default=None, alias="actor_rollout_ref.actor.ppo_micro_batch_size")
    dynamic: bool = Field(default=False, alias="actor_rollout_ref.actor.use_dynamic_bsz")
    ulysses: int = Field(default=1, ge=1, alias="actor_rollout_ref.actor.ulysses_sequence_parallel_size")
    ppo_epochs: int = Field(default=1, ge=1, alias="actor_rollout_ref.actor.ppo_epochs")
    warmup_steps: int = Field(default=-1, alias="actor_rollout_ref.actor.optim.lr_warmup_steps")
    warmup_ratio: float = Field(default=0.0, alias="actor_rollout_ref.actor.optim.lr_warmup_steps_ratio")
    epochs: int = Field(default=30, ge=0, alias="trainer.total_epochs")
    total_steps: int | None = Field(default=None, alias="trainer.total_training_steps")

    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """The loader drops what does not fill a batch (ray_trainer.py:348-384); one step of the scheduler each."""
        rows = min(rows, self.max_samples) if self.max_samples > 0 else rows
        batch = self.gen_batch_size or self.train_batch_size
        batches = rows // batch
        planned = self.total_steps or batches * self.epochs
        broken = self._rules(world)
        if not batches:
            broken.append(_no_batches("data.train_batch_size", rows, batch, "verl/trainer/ppo/ray_trainer.py:370"))
        steps = min(planned, batches * self.epochs)
        per_step = ceil(self.train_batch_size / self.mini) * self.ppo_epochs
        # the schedule counts steps, so the warm-up is told in updates of the same size
        warmup = self.warmup_steps if self.warmup_steps >= 0 else int(self.warmup_ratio * planned)
        return Arithmetic(batches, steps * per_step, rows - batches * batch, warmup * per_step, tuple(broken))

    def _rules(self, world: int) -> list[Broken]:
        """What is asserted before training (utils/config.py:110, workers/config/actor.py:203, fsdp_workers.py:243)."""
        if self.dynamic:
            return []
        workers, actor = "verl/workers/fsdp_workers.py", "actor_rollout_ref.actor.ppo_mini_batch_size"
        per_gpu = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
        words = Message("data.train_batch_size x rollout.n by GPUs")
        asked = self.train_batch_size * self.n
        broken = _not_divisible("data.train_batch_size", asked, world, "verl/utils/config.py:110", words)
        if self.train_batch_size < self.mini:
            sizes = {"mini": self.mini, "batch": self.train_batch_size}
            words = Message("mini batch {mini} is larger than data.train_batch_size {batch}", **sizes)
            broken.append(Broken("mini_batch_too_large", actor, words, "verl/workers/config/actor.py:203"))
        each = self.mini * self.n // max(world // self.ulysses, 1)
        micro = self.micro_per_gpu if self.micro_per_gpu is not None else self._micro_of_all(world)
        if not each:
            words = Message("{n} answers on {world} GPUs", n=self.mini * self.n, world=world)
            broken.append(Broken("no_accumulation", actor, words, f"{workers}:243"))
        elif micro is not None:
            words = Message("answers of a mini batch on one GPU by its micro batch")
            broken += _not_divisible(per_gpu, each, micro, f"{workers}:255", words)
        else:
            words = Message("neither it nor use_dynamic_bsz is set")
            broken.append(Broken("not_set", per_gpu, words, "verl/workers/config/actor.py:186"))
        return broken

    def _micro_of_all(self, world: int) -> int | None:
        return None if self.micro is None else self.micro // max(world // self.ulysses, 1)


class VerlSftBatches(Batches):
    """verl's SFT trainer (verl/trainer/sft_trainer.py:133-205)."""

    train_batch_size: int = Field(default=256, ge=1, alias="data.train_batch_size")
    max_samples: int = Field(default=-1, alias="data.train_max_samples")
    epochs: int = Field(default=4, ge=0, alias="trainer.total_epochs")
    total_steps: int | None = Field(default=None, alias="trainer.total_training_steps")
    warmup_steps: int = Field(default=-1, alias="optim.lr_warmup_steps")
    warmup_ratio: float = Field(default=0.0, alias="optim.lr_warmup_steps_ratio")

    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """Each process has its share of the rows and of the batch; both are cut to whole numbers."""
        rows = min(rows, self.max_samples) if self.max_samples > 0 else rows
        source, each = "verl/trainer/sft_trainer.py", self.train_batch_size // world
        if not each:
            words = _none_for_each(self.train_batch_size, world)
            broken = [Broken("no_accumulation", "data.train_batch_size", words, f"{source}:195")]
            return Arithmetic(0, 0, rows, 0, tuple(broken))
        batches = rows // world // each
        broken = [] if batches else [_no_batches("data.train_batch_size", rows, each * world, f"{source}:205")]
        if self.train_batch_size % world:
            words = Message("{n} becomes {made}", n=self.train_batch_size, made=each * world)
            broken.append(Broken("batch_shrinks", "data.train_batch_size", words, f"{source}:195", fails=False))
        planned = self.total_steps or batches * self.epochs
        warmup = self.warmup_steps if self.warmup_steps > 0 else int(self.warmup_ratio * planned)
        steps = min(planned, batches * self.epochs)
        return Arithmetic(batches, steps, rows - batches * each * world, warmup, tuple(broken))


class LightrftRlBatches(Batches):
    """LightRFT's PPO and GRPO trainers (examples/gsm8k_geo3k/train_colocate.py); `vl`: the one for images."""

    train_batch_size: int = Field(default=128, ge=1)
    micro_train_batch_size: int = Field(default=4, ge=1)
    rollout_batch_size: int = Field(default=512, ge=1)
    n_samples_per_prompt: int = Field(default=1, ge=1)
    max_epochs: int = Field(default=1, ge=1)
    num_episodes: int = Field(default=1, ge=0)
    max_samples: int = Field(default=1_000_000, ge=0)
    lr_warmup_ratio: float = Field(default=0.03, ge=0)
    advantage_estimator: str = "gae"
    input_template: str | None = None

    def planned(self, rows: int) -> int:
        """`num_update_steps_per_episodes` (train_colocate.py:327-329)."""
        return rows * self.n_samples_per_prompt // self.train_batch_size * self.max_epochs

    def rollouts(self, rows: int) -> int:
        """`num_rollouts_per_episodes` of the text trainer (ppo_trainer.py:255-258)."""
        done = self.planned(rows) * self.train_batch_size // self.max_epochs
        return done // self.rollout_batch_size // self.n_samples_per_prompt

    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """The formulas above, and what the loader and the accumulation of gradients really give."""
        given, rows = rows, min(rows, self.max_samples)  # train_colocate.py:247
        each = self.rollout_batch_size // world
        batches = rows // world // each if each else 0  # strategy_base.py:324-341 with drop_last
        accumulated = self.train_batch_size // self.micro_train_batch_size // world
        per_rollout = ceil(each * self.n_samples_per_prompt / self.micro_train_batch_size) * self.max_epochs
        micro_steps = batches * self.num_episodes * per_rollout  # spmd_ppo_trainer.py:203-211
        return Arithmetic(
            self._computed(rows),
            micro_steps // accumulated if accumulated else 0,
            rows - batches * each * world,
            ceil(self.num_episodes * self.planned(rows) * self.lr_warmup_ratio),  # strategy_base.py:559
            (*self._rules(rows, world, batches), *self._settings(given)),
        )

    def _computed(self, rows: int) -> int:
        return self.rollouts(rows)

    def _no_rollouts(self, rows: int) -> Broken:
        given = {"n": rows * self.n_samples_per_prompt, "updates": self.planned(rows)}
        words = Message("{n} answers make {updates} updates and no whole rollout", **given)
        return Broken("no_rollouts", "rollout_batch_size", words, "lightrft/trainer/ppo_trainer.py:271")

    def _rules(self, rows: int, world: int, batches: int) -> list[Broken]:
        broken: list[Broken] = []
        if not self.rollouts(rows):
            broken.append(self._no_rollouts(rows))
        if self.rollout_batch_size < world:
            words = _none_for_each(self.rollout_batch_size, world)
            broken.append(Broken("no_accumulation", "rollout_batch_size", words, "train_colocate.py:308"))
        else:
            docs, words = "docs/source/quick_start/configuration_zh.md:117", Message("rollout_batch_size by processes")
            broken += _not_divisible("rollout_batch_size", self.rollout_batch_size, world, docs, words)
            if not batches:
                source = "lightrft/strategy/strategy_base.py:324-341"
                broken.append(_no_batches("rollout_batch_size", rows, self.rollout_batch_size, source))
        return broken + self._train_batch(world)

    def _train_batch(self, world: int) -> list[Broken]:
        """Accumulation (strategy_base.py:208), and the two rules of configuration_zh.md:97 and :104."""
        docs, micro = "docs/source/quick_start/configuration_zh.md", self.micro_train_batch_size * world
        if self.train_batch_size // self.micro_train_batch_size // world == 0:
            words = _none_per_update(self.train_batch_size, self.micro_train_batch_size, world)
            return [Broken("no_accumulation", "train_batch_size", words, "lightrft/strategy/strategy_base.py:208")]
        broken: list[Broken] = []
        if self.train_batch_size % micro:
            given = {"n": self.train_batch_size, "micro": micro}
            words = Message("{n} is no multiple of micro_train_batch_size x processes = {micro}", **given)
            broken.append(Broken("batch_shrinks", "train_batch_size", words, f"{docs}:104", fails=False))
        asked = self.rollout_batch_size * self.n_samples_per_prompt
        if self.train_batch_size < asked:
            given = {"n": self.train_batch_size, "asked": asked}
            words = Message("{n} is less than rollout_batch_size x n_samples_per_prompt = {asked}", **given)
            broken.append(Broken("rule_of_the_docs", "train_batch_size", words, f"{docs}:97", fails=False))
        return broken

    def _settings(self, rows: int) -> list[Broken]:
        broken: list[Broken] = []
        if rows > self.max_samples:
            words = Message("the first {n} of {rows} rows are taken, unshuffled", n=self.max_samples, rows=rows)
            broken.append(Broken("rows_not_taken", "max_samples", words, "train_colocate.py:247", fails=False))
        grouped = self.advantage_estimator in ("rloo", "reinforce_baseline", "group_norm")
        if grouped and self.n_samples_per_prompt < 2:
            words = Message("{estimator} needs 2 or more", estimator=self.advantage_estimator)
            broken.append(Broken("too_few_generations", "n_samples_per_prompt", words, "train_colocate.py:655-656"))
        if self.input_template and "{}" not in self.input_template:
            words = Message("holds no {}, so the trainer goes on without a template")
            broken.append(Broken("template_ignored", "input_template", words, "train_colocate.py:672-674"))
        return broken


class LightrftVl(LightrftRlBatches):
    """The trainer for images, also used for text (train_colocate.py): it rounds up where the other divides by 0."""

    def _computed(self, rows: int) -> int:
        """ppo_trainer_vl.py:317-331."""
        planned = self.planned(rows) * self.train_batch_size
        asked = self.max_epochs * self.rollout_batch_size * self.n_samples_per_prompt
        return self.rollouts(rows) or max(ceil(planned / asked), 1)

    def _no_rollouts(self, rows: int) -> Broken:
        broken = super()._no_rollouts(rows)
        return broken._replace(source="lightrft/trainer/ppo_trainer_vl.py:323-331", fails=self.planned(rows) == 0)


class MlxGrpoBatches(Batches):
    """MLX-GRPO (mlx-grpo.py): one row per step; the schedule is laid out for all rows, whatever is trained."""

    gradient_accumulation_steps: int = Field(default=4, ge=1)
    num_epochs: int = Field(default=1, ge=0)
    max_train_samples: int = 0
    warmup_ratio: float = Field(default=0.1, ge=0)
    num_generations: int = 64

    @classmethod
    def table(cls, config: dict[str, Any]) -> dict[str, Any]:
        """The table [mlx_grpo] where there is one, else the whole file (mlx-grpo.py:1166)."""
        inner = config.get("mlx_grpo", config)
        return inner if isinstance(inner, dict) else {}

    def arithmetic(self, rows: int, world: int) -> Arithmetic:  # noqa: ARG002
        """mlx-grpo.py:433-443 (the schedule), 1014 and 1094-1102 (what is trained)."""
        taken = min(rows, self.max_train_samples) if self.max_train_samples > 0 else rows
        planned = max(1, ceil(rows / self.gradient_accumulation_steps)) * self.num_epochs
        updates = taken * self.num_epochs // self.gradient_accumulation_steps
        broken: list[Broken] = []
        if not updates:
            given = {"n": taken * self.num_epochs, "least": self.gradient_accumulation_steps}
            words = Message("{n} steps are fewer than {least}", **given)
            broken.append(Broken("no_updates", "gradient_accumulation_steps", words, "mlx-grpo.py:1014"))
        if self.num_generations < 2:
            words = Message("{n}; a group of one has no advantage", n=self.num_generations)
            broken.append(Broken("too_few_generations", "num_generations", words, "mlx-grpo.py:646-650"))
        return Arithmetic(taken, updates, rows - taken, max(1, int(planned * self.warmup_ratio)), tuple(broken))


class MlxLmBatches(Batches):
    """MLX-LM (mlx_lm/tuner/trainer.py): batches are counted, not epochs, and the rest of the rows is in none."""

    batch_size: int = Field(default=4, ge=1)
    iters: int = Field(default=1000, ge=0)
    grad_accumulation_steps: int = Field(default=1, ge=1)
    warmup: int = Field(default=0, ge=0, alias="lr_schedule.warmup")

    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """trainer.py:117-140 (batches, all processes share each) and 260-300 (updates)."""
        source, batches = "mlx_lm/tuner/trainer.py", rows // self.batch_size
        broken: list[Broken] = []
        if not batches:
            broken.append(_no_batches("batch_size", rows, self.batch_size, f"{source}:119"))
        broken += _not_divisible("batch_size", self.batch_size, world, f"{source}:133", Message("rows by processes"))
        if self.iters < batches:
            words = Message("{n:,} of {rows:,} rows are trained", n=self.iters * self.batch_size, rows=rows)
            broken.append(Broken("rows_not_taken", "iters", words, f"{source}:262", fails=False))
        updates = self.iters // self.grad_accumulation_steps if batches else 0
        return Arithmetic(batches, updates, rows - batches * self.batch_size, self.warmup, tuple(broken))


class MiniOneRecSft(Batches):
    """MiniOneRec's sft.py: four tasks per row of the CSV, and one that is made of the items."""

    batch_size: int = Field(default=128, ge=1)
    micro_batch_size: int = Field(default=4, ge=1)
    num_epochs: int = Field(default=10, ge=0)
    sample: int = -1

    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """sft.py:128-135 and 196-206, then transformers' Trainer."""
        broken: list[Broken] = []
        accumulated = self.batch_size // self.micro_batch_size // world
        if not accumulated:
            words = _none_per_update(self.batch_size, self.micro_batch_size, world)
            broken.append(Broken("no_accumulation", "batch_size", words, "sft.py:128-135"))
        elif self.batch_size % (self.micro_batch_size * world):
            made = accumulated * self.micro_batch_size * world
            words = Message("{n} becomes {made}", n=self.batch_size, made=made)
            broken.append(Broken("batch_shrinks", "batch_size", words, "sft.py:128-135", fails=False))
        broken += _too_large_a_sample(self.sample, rows, "sample", "data.py:490")
        taken = self.sample if 0 < self.sample <= rows else rows
        batches = ceil(ceil(taken * SFT_CSV_TASKS / self.micro_batch_size) / world)
        if not rows:
            broken.append(_no_batches("batch_size", rows, self.micro_batch_size, "sft.py:221"))
        updates = self.num_epochs * max(ceil(batches / accumulated), 1) if accumulated and rows else 0
        said = Message(
            "{tasks} samples per row were counted, without those that sft.py makes of the items", tasks=SFT_CSV_TASKS
        )
        return Arithmetic(batches, updates, rows - taken, SFT_WARMUP, tuple(broken), (said,))


class MiniOneRecRl(Batches):
    """MiniOneRec's rl.py and its GRPO trainer (minionerec_trainer.py:394-411)."""

    train_batch_size: int = Field(default=32, ge=1)
    eval_batch_size: int = Field(default=32, ge=1)
    gradient_accumulation_steps: int = Field(default=1, ge=1)
    num_generations: int = Field(default=16, ge=1)
    num_train_epochs: int = Field(default=1, ge=0)

    def arithmetic(self, rows: int, world: int) -> Arithmetic:
        """Every prompt stands `num_generations` times in an epoch (minionerec_trainer.py:109-118)."""
        source, broken = "minionerec_trainer.py:396-411", list[Broken]()
        for name, size in (("train_batch_size", self.train_batch_size), ("eval_batch_size", self.eval_batch_size)):
            words = Message("{name} x processes by generations", name=name)
            broken += _not_divisible(name, size * world, self.num_generations, source, words)
        if self.num_generations < 2:
            words = Message("the trainer takes 2 or more")
            broken.append(Broken("too_few_generations", "num_generations", words, source))
        broken += _too_large_a_sample(RL_TITLE_SAMPLE, rows, "train_file", "rl.py:92, data.py:997")
        answers = (rows + min(rows, RL_TITLE_SAMPLE)) * self.num_generations
        batches = ceil(ceil(answers / self.train_batch_size) / world)
        updates = self.num_train_epochs * ceil(batches / self.gradient_accumulation_steps)
        said = Message("samples of two tasks were counted, without those that rl.py makes of the items")
        return Arithmetic(batches, updates, 0, ceil(updates * RL_WARMUP), tuple(broken), (said,))


def _too_large_a_sample(sample: int, rows: int, setting: str, source: str) -> list[Broken]:
    """Pandas' `sample` raises ValueError for more rows than there are."""
    if sample <= rows:
        return []
    words = Message("{sample} rows are drawn of {n}", sample=sample, n=rows)
    return [Broken("sample_too_large", setting, words, source)]


PLANS: dict[str, type[Batches]] = {
    "lightrft.rl_text": LightrftRlBatches,
    "lightrft.rl_vl": LightrftVl,
    "minionerec.rl": MiniOneRecRl,
    "minionerec.sft": MiniOneRecSft,
    "mlx_grpo.grpo": MlxGrpoBatches,
    "mlx_lm.sft": MlxLmBatches,
    "trl.dpo": TransformersRows,
    "trl.grpo": TrlGrpoBatches,
    "trl.kto": TransformersRows,
    "trl.orpo": TransformersRows,
    "trl.reward": TransformersRows,
    "trl.sft": TransformersRows,
    "unsloth.sft": UnslothRows,
    "verl.rl": VerlRlBatches,
    "verl.sft": VerlSftBatches,
}
