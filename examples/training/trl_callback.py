"""TRL (or any transformers Trainer): nothing is trained, and nothing is saved, on data that did not pass.

python trl_callback.py MODEL DATA OUT
"""

import sys
from typing import Any

from datacheck_guard import require_passed
from transformers import TrainerCallback


class RequirePassed(TrainerCallback):
    """Asks when the training begins, and before each checkpoint: the data may have changed while it was read.

    To ask takes a second for 1.5 GB. `options` are those of `require_passed`: trust, contract, strict.
    """

    def __init__(self, *paths: str, **options: Any) -> None:
        self.paths, self.options = paths, options

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Raise what the guard refuses."""
        for path in self.paths:
            require_passed(path, **self.options)

    on_save = on_train_begin


def main(model: str, data: str, out: str) -> None:
    """One step of supervised fine-tuning."""
    from datasets import load_dataset
    from trl import SFTConfig, SFTTrainer

    settings = SFTConfig(
        output_dir=out, max_steps=1, save_steps=1, per_device_train_batch_size=1, report_to="none", use_cpu=True
    )
    rows = load_dataset("json", data_files=f"{data}/*.jsonl", split="train")
    SFTTrainer(model=model, args=settings, train_dataset=rows, callbacks=[RequirePassed(data)]).train()


if __name__ == "__main__":
    main(*sys.argv[1:])
