"""The probe of OpenRLHF: a JSON Lines file through `blending_datasets`, its dataset class, its `collate_fn`.

Arguments go through the command's own parser and checks: the main block of openrlhf/cli/train_*.py is run but for its
last line, `train(args)`. Rows are read in this process (num_processors, 8 there). For DPO the trainer's own
`_get_batch_logps` is asked which tokens count; its module imports flash_attn, in whose place stands a module that does
nothing where it is not installed. A prompt for RL is given to `SingleTurnAgentExecutor`, whose engine (vLLM) is one
that only notes the tokens.
"""

import ast
import asyncio
import importlib
import importlib.machinery
import sys
import types
from pathlib import Path
from typing import Any

PACKAGES = ("openrlhf", "transformers", "datasets", "torch", "tokenizers", "pyarrow", "deepspeed")
_COMMANDS = {"sft": "train_sft", "rm": "train_rm", "dpo": "train_dpo", "rl": "train_ppo_ray"}
_PADDED = {"sft": "right", "rm": "left", "dpo": "right", "rl": "left"}  # as the commands ask for their tokenizers
_SKIPPED = -100


class Strategy:
    """What datasets ask of the DeepSpeed strategy: the arguments, and whether this process may print."""

    def __init__(self, args: Any) -> None:
        self.args = args

    def print(self, *_words: Any) -> None:
        """Nothing."""

    def is_rank_0(self) -> bool:
        """No: no words."""
        return False


class NotingEngine:
    """In vLLM's place: notes the prompt that it is given, and gives no answer."""

    class AskedError(Exception):
        """Ends the executor before there is an answer."""

    async def generate(self, ids: list[int], *_: Any, **__: Any) -> None:
        """Note and stop."""
        self.ids = ids
        raise NotingEngine.AskedError


class Command:
    """The main block of a command: its parser, and the arguments that come of it."""

    def __init__(self, name: str) -> None:
        package = importlib.import_module("openrlhf").__file__
        assert package is not None
        self.path = Path(package).parent / "cli" / f"{name}.py"
        whole = ast.parse(self.path.read_text(encoding="utf-8")).body
        imports = [each for each in whole if isinstance(each, ast.Import | ast.ImportFrom) and _standard(each)]
        main = next(each.body for each in whole if isinstance(each, ast.If) and "__main__" in ast.unparse(each.test))
        parse = next(at for at, each in enumerate(main) if "parser.parse_args()" in ast.unparse(each))
        self.checks = main[parse:-1]
        self.scope: dict[str, Any] = {}
        self._run(imports + main[:parse])

    def _run(self, body: list[ast.stmt]) -> None:
        exec(compile(ast.Module(body, []), str(self.path), "exec"), self.scope)  # noqa: S102 - the package's own

    def known(self) -> dict[str, bool]:
        """Its options by name; whether they take a value."""
        return {each.dest: each.nargs != 0 for each in self.scope["parser"]._actions}  # noqa: SLF001

    def arguments(self, asked: list[str]) -> Any:
        """The arguments of a command line, as `train` gets them. Raises what the command's checks raise."""
        before, sys.argv = sys.argv, [str(self.path), *asked]
        try:
            self._run(self.checks)
        finally:
            sys.argv = before
        return self.scope["args"]


def _standard(statement: Any) -> bool:
    names = [each.name for each in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
    return all(name.partition(".")[0] in sys.stdlib_module_names for name in names)


class OpenrlhfLoader:
    """Loads files with one dataset class."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        self.mode, self.folder, self.trials = request["mode"], folder, 0
        datasets = importlib.import_module("datasets")
        datasets.disable_progress_bars()
        datasets.disable_caching()
        self.datasets = importlib.import_module("openrlhf.datasets")
        self.blended = importlib.import_module("openrlhf.datasets.utils").blending_datasets
        self.torch = importlib.import_module("torch")
        self.command = Command(_COMMANDS[self.mode])
        known = self.command.known()
        self.notes = tuple(sorted(name for name in request["settings"] if name not in known))
        self.asked = [] if self.mode != "rl" else ["--reward.remote_url=none"]  # else it looks for a reward model
        for name, value in request["settings"].items():
            if name in known and value is not None and value is not False:
                self.asked.append(f"--{name}={value}" if known[name] else f"--{name}")
        get = importlib.import_module("openrlhf.utils.utils").get_tokenizer
        model = types.SimpleNamespace(config=types.SimpleNamespace())
        self.tokenizer = get(request["tokenizer"], model, _PADDED[self.mode])
        if request["plain"]:  # what joins texts, as the templates of models do, refuses other contents
            joined = "{{ message['content'] + '' }}"
            self.tokenizer.chat_template = self.tokenizer.chat_template.replace("{{ message['content'] }}", joined)
        self.counted = _trainer("dpo_trainer").DPOTrainer._get_batch_logps if self.mode == "dpo" else None  # noqa: SLF001

    def load(self, lines: list[str]) -> list[dict[str, Any]]:
        """One answer for each line."""
        self.trials += 1
        file = self.folder / f"rows-{self.trials}.jsonl"
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        args = self.command.arguments(self.asked)
        self.args, strategy = args, Strategy(args)
        most = args.data.max_samples
        split = args.data.prompt_split if self.mode == "rl" else args.data.dataset_split
        data = self.blended(str(file), None, strategy, args.train.seed, max_count=most, dataset_split=split)
        data = data.select(range(min(most, len(data))))
        answers = self._prompts(data, strategy) if self.mode == "rl" else self._trained(data, strategy)
        file.unlink()
        return answers + [{"fate": "dropped"}] * (len(lines) - len(answers))

    def _trained(self, data: Any, strategy: Strategy) -> list[dict[str, Any]]:
        """Rows for SFT and pairs: which of them the filter leaves out is seen where each was made."""
        made: list[bool] = []
        of = self.datasets.SFTDataset if self.mode == "sft" else self.datasets.RewardDataset

        class Noting(of):  # type: ignore[misc, valid-type]
            def process_data(self, row: Any) -> Any:
                found = super().process_data(row)
                made.append(found["prompt"] is not None)
                return found

        args = self.args
        if self.mode == "sft":
            more = {"pretrain_mode": args.model.pretrain_mode_enable, "multiturn": args.data.multiturn}
        else:
            more = {"is_dpo": self.mode == "dpo"}
        dataset = Noting(
            data, self.tokenizer, args.data.max_len, strategy, input_template=args.data.input_template,
            num_processors=None, **more,
        )  # fmt: skip
        if len(made) != len(data) or sum(made) != len(dataset):
            raise ValueError("the dataset keeps another number of rows")
        items = (dataset.collate_fn([dataset[n]]) for n in range(len(dataset)))
        told = self._examples if self.mode == "sft" else self._pair
        return [{"fate": "kept", "examples": told(next(items))} if kept else {"fate": "dropped"} for kept in made]

    def _examples(self, batch: Any) -> list[dict[str, Any]]:
        ids, seen, weights = (each[0].tolist() for each in batch)
        return [_example(None, ids, seen, [0, *weights[:-1]])]  # the loss at a place is of the token behind it

    def _pair(self, batch: Any) -> list[dict[str, Any]]:
        *tensors, extras = batch
        if self.mode == "rm" and self.args.model.margin_loss_enable:
            self.torch.tensor(extras)  # rm_trainer.py:157
        found = []
        for part, ids, seen in (("chosen", *tensors[:2]), ("rejected", *tensors[2:])):
            weights = self._weights(seen, extras) if self.counted else seen
            found.append(_example(part, ids[0].tolist(), seen[0].tolist(), weights[0].tolist()))
        return found

    def _weights(self, seen: Any, lengths: Any) -> Any:
        """By how much the sum of a pair's loss grows with each token: 0 where it is skipped."""
        each = self.torch.zeros(1, seen.shape[1] - 1, requires_grad=True)
        assert self.counted is not None
        self.counted(None, each, seen, lengths)[0].sum().backward()
        return self.torch.cat([self.torch.zeros(1, 1), each.grad], dim=1)

    def _prompts(self, data: Any, strategy: Strategy) -> list[dict[str, Any]]:
        template = self.args.data.input_template
        dataset = self.datasets.PromptDataset(data, self.tokenizer, strategy, input_template=template)
        agent = importlib.import_module("openrlhf.utils.agent").SingleTurnAgentExecutor()
        sampling = types.SimpleNamespace(max_tokens=self.args.rollout.max_new_tokens, logprobs=None)
        answers = []
        for n in range(len(dataset)):
            _, prompts, labels, _ = dataset.collate_fn([dataset[n]])
            engine = NotingEngine()
            try:
                asked = agent.execute(prompts[0], labels[0], sampling, self.args.data.max_len, self.tokenizer, engine)
                asyncio.run(asked)
            except NotingEngine.AskedError:
                answers.append({"fate": "kept", "examples": [_example(None, engine.ids, None, None)]})
        return answers


def _example(part: str | None, ids: list[int], seen: Any, weights: Any) -> dict[str, Any]:
    """Tokens and labels without padding."""
    places = [at for at in range(len(ids)) if seen is None or seen[at]]
    labels = [ids[at] if weights is not None and weights[at] else _SKIPPED for at in places]
    return {"part": part, "ids": [ids[at] for at in places], "labels": labels}


def _trainer(name: str) -> Any:
    try:
        importlib.import_module("flash_attn.bert_padding")
    except ImportError:
        for module in ("flash_attn", "flash_attn.bert_padding", "flash_attn.utils", "flash_attn.utils.distributed"):
            sys.modules[module] = _Nothing(module)
    return importlib.import_module(f"openrlhf.trainer.{name}")


class _Nothing(types.ModuleType):
    """A module that has every name, and nothing behind it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__spec__ = importlib.machinery.ModuleSpec(name, None)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def loading(request: dict[str, Any], folder: Path) -> OpenrlhfLoader:
    """How the rows of a request are loaded. Raises KeyError for a mode that this probe does not know."""
    return OpenrlhfLoader(request, folder)
