"""The settings that each trainer knows: names and types, taken from its source at the commit that its twin names."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from datacheck.trainers import key_lists as lists


class Known(NamedTuple):
    """What a trainer does with a setting by its name.

    types: name → letters as in `key_lists`; nested names are dotted. dead: known and never used. table: the part of
    the file that is read where it is there. sections: only names below these are judged; none: all are. converts: a
    number in text is taken for a number. stops: an unknown name stops the run; else it is ignored without a word.
    described: settings of the dataset and not of the run; they stand in `run.settings`, or in a file of datasets, in
    the part that the setting `dataset` names. source: where the trainer reads its settings.
    """

    types: Mapping[str, str]
    source: str
    dead: frozenset[str] = frozenset()
    table: str | None = None
    sections: tuple[str, ...] = ()
    converts: bool = False
    stops: bool = False
    described: Mapping[str, str] = MappingProxyType({})


def _names(*blocks: str, below: str = "") -> dict[str, str]:
    pairs = (entry.rpartition(":") for block in blocks for entry in block.split())
    return {below + name: types for name, _, types in pairs}


def _transformers(*own: str) -> dict[str, str]:
    return _names(lists.TRAINING_ARGUMENTS, lists.TRAINING_ARGUMENTS_4, *own)


def _trl(own: str) -> Known:
    types = _transformers(lists.TRL_SCRIPTS, own)
    return Known(types, "trl/scripts/utils.py:303-357", converts=True, stops=True)


def _verl(source: str, sections: Mapping[str, str]) -> Known:
    """A list of names per section."""
    types = {name: kind for at, block in sections.items() for name, kind in _names(block, below=f"{at}.").items()}
    return Known(types, source, sections=tuple(sections))


def _ms_swift(*own: str) -> Known:
    types = _transformers(lists.MS_SWIFT_SFT, *own)
    return Known(
        types, "swift/arguments/sft_args.py, rlhf_args.py, swift/pipelines/base.py:36", converts=True, stops=True
    )


_DEAD_MLX = frozenset(
    {"adam_beta1", "adam_beta2", "batch_size", "lr_scheduler_type", "max_completion_length", "max_prompt_length",
     "weight_decay"}
)  # fmt: skip
_LIGHTRFT = Known(
    _names(lists.LIGHTRFT_RL),
    "examples/gsm8k_geo3k/train_colocate.py, lightrft/utils/cli_args.py",
    converts=True,
    stops=True,
)
_PPLMX = Known(_names(lists.PPLMX_LLM), "src/llm/training/core/config.py:691-727", converts=True)

_LLAMAFACTORY = Known(
    _transformers(lists.LLAMAFACTORY),
    "src/llamafactory/hparams/parser.py:149-163",
    converts=True,
    stops=True,
    described=_names(lists.LLAMAFACTORY_DATASET),
)

KEYS: dict[str, Known] = {
    "lightrft.rl_text": _LIGHTRFT,
    "lightrft.rl_vl": _LIGHTRFT,
    "lightrft.sft": Known(
        _names(lists.LIGHTRFT_RL, lists.LIGHTRFT_SFT),
        "lightrft/datasets/sft_dataset.py:50-95, lightrft/utils/cli_args.py",
        converts=True,
        stops=True,
    ),
    "llamafactory.dpo": _LLAMAFACTORY,
    "llamafactory.kto": _LLAMAFACTORY,
    "llamafactory.rm": _LLAMAFACTORY,
    "llamafactory.sft": _LLAMAFACTORY,
    "minionerec.rl": Known(
        _names(lists.MINIONEREC_RL), "rl.py:29-66", dead=frozenset({"mask_all_zero"}), converts=True, stops=True
    ),
    "minionerec.sft": Known(_names(lists.MINIONEREC_SFT), "sft.py:92-119", converts=True, stops=True),
    "mlx_grpo.grpo": Known(_names(lists.MLX_GRPO), "mlx-grpo.py:320-379", dead=_DEAD_MLX, table="mlx_grpo"),
    "ms_swift.dpo": _ms_swift(lists.MS_SWIFT_RLHF),
    "ms_swift.grpo": _ms_swift(lists.MS_SWIFT_RLHF),
    "ms_swift.kto": _ms_swift(lists.MS_SWIFT_RLHF),
    "ms_swift.sft": _ms_swift(),
    "pplmx_llm.dpo": _PPLMX,
    "pplmx_llm.ppo": _PPLMX,
    "pplmx_llm.reward": _PPLMX,
    "pplmx_llm.sft": _PPLMX,
    "trl.dpo": _trl(lists.TRL_DPO),
    "trl.grpo": _trl(lists.TRL_GRPO),
    "trl.kto": _trl(lists.TRL_KTO),
    "trl.reward": _trl(lists.TRL_REWARD),
    "trl.sft": _trl(lists.TRL_SFT),
    "verl.rl": _verl(
        "verl/trainer/config/_generated_ppo_trainer.yaml",
        {
            "data": lists.VERL_DATA, "algorithm": lists.VERL_ALGORITHM, "trainer": lists.VERL_TRAINER,
            "actor_rollout_ref.actor": lists.VERL_ACTOR, "actor_rollout_ref.rollout": lists.VERL_ROLLOUT,
            "actor_rollout_ref.actor.optim": lists.VERL_OPTIM,
        },
    ),
    "verl.sft": _verl(
        "verl/trainer/config/sft_trainer_engine.yaml, verl/utils/dataset/multiturn_sft_dataset.py:69-99",
        {
            "data": lists.VERL_SFT_DATA, "trainer": lists.VERL_SFT_TRAINER, "model": lists.VERL_SFT_MODEL,
            "optim": lists.VERL_OPTIM + lists.VERL_SFT_OPTIM,
        },
    ),
}  # fmt: skip


def wrong_type(value: object, types: str, *, converts: bool) -> bool:
    """Whether a trainer that wants `types` can do nothing right with `value`."""
    if "?" in types or _letter(value) in types:
        return False
    if value is None:
        return "n" not in types
    if isinstance(value, int) and not isinstance(value, bool):
        return "f" not in types and not (converts and "s" in types)
    return not (converts and isinstance(value, str) and _converted(value, types))


def _letter(value: object) -> str:
    kinds = {bool: "b", int: "i", float: "f", str: "s", list: "l", dict: "d"}
    return kinds.get(type(value), "n")


def _converted(text: str, types: str) -> bool:
    if "b" in types and text.lower() in {"true", "false", "1", "0", "yes", "no"}:
        return True
    try:
        number = float(text)
    except ValueError:
        return False
    return "f" in types or ("i" in types and number.is_integer() and "." not in text)
