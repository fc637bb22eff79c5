"""Probes in forks of a Python that has imported the trainer already: the imports are most of what a short probe takes.

`Forked` stands for `asking._run` (the limits are the same, of each fork); run as a script this is the other Python.
"""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_IMPORTED = {
    "axolotl": "datasets axolotl.cli.config axolotl.common.datasets axolotl.core.trainers.dpo axolotl.loaders",
    "trl": "datasets trl.trainer.sft_trainer trl.trainer.dpo_trainer trl.trainer.reward_trainer"
    " trl.trainer.grpo_trainer",
    "llamafactory": "datasets llamafactory.data.loader llamafactory.hparams llamafactory.model",
    "ms_swift": "datasets swift.arguments swift.pipelines.train swift.model",
    "openrlhf": "datasets transformers openrlhf.datasets openrlhf.utils.agent deepspeed",
    "verl": "datasets pandas verl.utils.dataset.multiturn_sft_dataset verl.utils.dataset.rl_dataset",
    "unsloth": "unsloth unsloth.models.rl unsloth.trainer unsloth_zoo.dataset_utils",
    "mlx_lm": "mlx_lm.lora mlx_lm.tokenizer_utils transformers",
}

_ENVIRONMENT = {"unsloth": {"UNSLOTH_ALLOW_CPU": "1"}}  # it cannot be imported without a GPU else


class Forked:
    """One such Python for each environment, until this process ends."""

    def __init__(self) -> None:
        self.running: dict[Path, subprocess.Popen[str]] = {}

    def run(self, python: Path, folder: Path, request: Mapping[str, Any], _seconds: float) -> list[dict[str, Any]]:
        """Answer the request; as `asking._run`."""
        from datacheck.trainers.probes import asking

        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        for name in ("home", "tmp"):
            (folder / name).mkdir(exist_ok=True)
        child = self.running.get(python) or self._start(python, str(request["family"]))
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(f"{folder}\n")
        child.stdin.flush()
        code = int(child.stdout.readline() or -1)
        return asking._answer(python, folder / "answer.jsonl", code)  # noqa: SLF001

    def _start(self, python: Path, family: str) -> subprocess.Popen[str]:
        from datacheck.trainers.probes import asking

        home = Path(os.environ.get("TMPDIR", "/tmp")) / f"probes-{os.getpid()}-{family}"  # noqa: S108
        for name in ("home", "tmp"):
            (home / name).mkdir(parents=True, exist_ok=True)
        command = [os.path.abspath(python), __file__, str(asking._CHILD), *_IMPORTED[family].split()]  # noqa: PTH100, SLF001
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        environment = asking._environment(home) | _ENVIRONMENT.get(family, {})  # noqa: SLF001
        child = subprocess.Popen(command, cwd=home, env=environment, text=True, **pipes)
        self.running[python] = child
        return child


def main(path: str, modules: list[str]) -> None:
    """Read folders, one a line; say the exit code of each fork. What the packages print goes nowhere."""
    spec = importlib.util.spec_from_file_location("probe_child", path)
    assert spec is not None
    assert spec.loader is not None
    child = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(child)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    for line in sys.stdin:
        folder = Path(line.rstrip("\n"))
        fork = os.fork()
        if not fork:
            os.chdir(folder)
            try:
                child.main(folder)
            except BaseException:  # noqa: BLE001 - the parent sees the code
                os._exit(1)
            os._exit(0)
        answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])}\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
